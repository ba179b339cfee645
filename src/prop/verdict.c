/* Verdicts and reasons to stop, in words. */
#include "prop/verdict.h"

#include <assert.h>
#include <stddef.h>

const char *clew_verdict_name(enum clew_verdict verdict) {
  static const char *const names[] = {
      [CLEW_VERDICT_HOLDS] = "holds",
      [CLEW_VERDICT_VIOLATED] = "violated",
      [CLEW_VERDICT_NO_VIOLATION_FOUND] = "no-violation-found",
      [CLEW_VERDICT_INCOMPLETE] = "incomplete",
  };
  assert((size_t)verdict < sizeof names / sizeof names[0]);
  return names[verdict];
}

const char *clew_stop_text(enum clew_stop stop) {
  static const char *const texts[] = {
      [CLEW_STOP_FINISHED] = "nothing is left to explore",
      [CLEW_STOP_VIOLATION] = "a violation was found",
      [CLEW_STOP_DECIDED] = "everything that was asked is decided",
      [CLEW_STOP_MEMORY] = "the memory budget is used up",
      [CLEW_STOP_DISK] = "the disk is full or failed",
      [CLEW_STOP_COLLISIONS] = "the store forgets so much that the search might not end",
      [CLEW_STOP_MAX_STATES] = "the limit on states is reached",
      [CLEW_STOP_MAX_DEPTH] = "states at the depth limit were not expanded",
      [CLEW_STOP_MAX_TIME] = "the time limit is reached",
      [CLEW_STOP_SIGNAL] = "it was interrupted",
      [CLEW_STOP_ENDLESS] = "there are infinitely many states",
      [CLEW_STOP_RANK] = "a process of the search is lost",
      [CLEW_STOP_LAYOUT] = "states need more bits",
      [CLEW_STOP_CALLS] = "some evaluations go beyond the limits of clew",
      [CLEW_STOP_WALKS] = "walks prove nothing",
      [CLEW_STOP_MESSAGE] = "a state is too large for a message between processes",
  };
  assert((size_t)stop < sizeof texts / sizeof texts[0]);
  return texts[stop];
}
