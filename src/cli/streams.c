/* Standard streams that are closed. */
#include "cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

bool clew_streams_open(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    /* The least number that is free is this one. Not even standard output is opened for writing. */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) {
      return false;
    }
  }
  return true;
}
