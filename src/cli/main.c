/* clew: everything is in the library, so that tests can link it. */
#include "cli/cli.h"

int main(int argc, char **argv) {
  return clew_main(argc, argv);
}
