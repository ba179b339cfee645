/* Standard streams that are closed. */
#ifndef CLEW_CLI_STREAMS_H
#define CLEW_CLI_STREAMS_H

#include <stdbool.h>

/* Puts something in place of each standard stream that is closed, so that no file that is opened
 * later takes its number. Reading from it finds nothing, and writing to it fails like writing to a
 * closed stream. False when that is not possible. */
bool clew_streams_open(void);

#endif
