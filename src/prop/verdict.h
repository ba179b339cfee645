/* Verdicts: what may be claimed after a search. */
#ifndef CLEW_PROP_VERDICT_H
#define CLEW_PROP_VERDICT_H

#include <stdbool.h>

#include "base/status.h"
#include "model/property.h"

enum clew_verdict {
  CLEW_VERDICT_HOLDS, /* complete search, lossless store */
  CLEW_VERDICT_VIOLATED,
  CLEW_VERDICT_NO_VIOLATION_FOUND, /* complete but lossy */
  CLEW_VERDICT_INCOMPLETE,
};
/* "holds", "violated", "no-violation-found", "incomplete" */
const char *clew_verdict_name(enum clew_verdict verdict);

enum clew_stop {
  CLEW_STOP_FINISHED, /* nothing was left to explore */
  CLEW_STOP_VIOLATION,
  CLEW_STOP_MEMORY,
  CLEW_STOP_DISK,
  CLEW_STOP_COLLISIONS, /* the store forgets too much for the search to end */
  CLEW_STOP_MAX_STATES,
  CLEW_STOP_MAX_DEPTH, /* states beyond the depth limit were not expanded */
  CLEW_STOP_MAX_TIME,
  CLEW_STOP_SIGNAL,
};
/* For people: "the memory budget is used up", … */
const char *clew_stop_text(enum clew_stop stop);

/* The only place where a verdict is made. `violated` points to the kind of the first violation, or
 * is NULL. Never HOLDS unless the search was complete and the store lossless. */
enum clew_verdict clew_verdict_derive(const enum clew_property_kind *violated, bool complete,
                                      bool lossless);
enum clew_exit clew_verdict_exit(enum clew_verdict verdict,
                                 const enum clew_property_kind *violated);

#endif
