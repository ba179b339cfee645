/* Signals, and the flag by which they and the time limit end whatever takes long. */
#ifndef CLEW_CLI_SIGNALS_H
#define CLEW_CLI_SIGNALS_H

#include <stdatomic.h>

/* A write to a closed pipe or beyond a file size limit becomes an ordinary error. */
void clew_signals_ignore(void);

/* From now on the first interrupt, quit, hang-up or termination request sets the flag that is
 * returned, and raises the stop flag; another one half a second later ends the process as if
 * nothing had been installed. */
const atomic_bool *clew_signals_catch(void);

/* From now on the stop flag is raised so many seconds after a request or the end of the time: what
 * was found is to be kept first. */
void clew_signals_be_patient(unsigned seconds);

/* The stop flag, for models and searches. */
const atomic_bool *clew_signals_stop(void);
/* Raises the stop flag after this time; NaN: changes nothing. */
void clew_signals_alarm(double seconds);
/* Lowers the stop flag, for so many seconds. */
void clew_signals_grant(double seconds);
/* Lowers the stop flag for good: what was found is being written. */
void clew_signals_finish(void);

#endif
