/* Signals while a search runs. */
#ifndef CLEW_CLI_SIGNALS_H
#define CLEW_CLI_SIGNALS_H

#include <stdatomic.h>

/* A write to a closed pipe or beyond a file size limit becomes an ordinary error. */
void clew_signals_ignore(void);

/* From now on the first interrupt, hang-up or termination request sets the flag that is returned;
 * another one half a second later ends the process as if nothing had been installed. */
const atomic_bool *clew_signals_catch(void);

#endif
