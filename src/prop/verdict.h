/* Verdicts: what may be claimed after a search (prop/outcome.h makes them), and why it ended. */
#ifndef CLEW_PROP_VERDICT_H
#define CLEW_PROP_VERDICT_H

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
  CLEW_STOP_DECIDED, /* nothing is left to be found out */
  CLEW_STOP_MEMORY,
  CLEW_STOP_DISK,
  CLEW_STOP_COLLISIONS, /* the store forgets too much for the search to end */
  CLEW_STOP_MAX_STATES,
  CLEW_STOP_MAX_DEPTH, /* states beyond the depth limit were not expanded */
  CLEW_STOP_MAX_TIME,
  CLEW_STOP_SIGNAL,
  CLEW_STOP_ENDLESS, /* the model has infinitely many states, and some were seen */
  CLEW_STOP_RANK,    /* a process of several is lost */
  CLEW_STOP_LAYOUT,  /* states need more bits than they have: to be begun again, and never told */
  CLEW_STOP_CALLS,   /* some evaluations go beyond the limits of clew; the rest was seen */
  CLEW_STOP_WALKS,   /* there were only so many, and they prove nothing */
  CLEW_STOP_MESSAGE, /* a state is too large for a message between processes */
};
/* For people: "the memory budget is used up", … */
const char *clew_stop_text(enum clew_stop stop);

#endif
