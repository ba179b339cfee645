/* The fastest counterexample of a timed model instead of the shortest. */
#ifndef CLEW_CLI_HASTEN_H
#define CLEW_CLI_HASTEN_H

#include "cli/session.h"

/* Replaces the trace of the session, which has one, by the one that takes the least time. Searches
 * again and again, each time only up to the moment at which the best trace so far ends; memory is
 * what the session has left. When a search cannot be finished the best trace so far stays. */
void clew_hasten(struct clew_session *session);

#endif
