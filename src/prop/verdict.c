/* Verdicts: the only place where one is made. */
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
      [CLEW_STOP_MEMORY] = "the memory budget is used up",
      [CLEW_STOP_DISK] = "the disk is full or failed",
      [CLEW_STOP_COLLISIONS] = "the store forgets so much that the search might not end",
      [CLEW_STOP_MAX_STATES] = "the limit on states is reached",
      [CLEW_STOP_MAX_DEPTH] = "states at the depth limit were not expanded",
      [CLEW_STOP_MAX_TIME] = "the time limit is reached",
      [CLEW_STOP_SIGNAL] = "it was interrupted",
  };
  assert((size_t)stop < sizeof texts / sizeof texts[0]);
  return texts[stop];
}

/* A path shows the other kinds; these two are about what cannot be reached, so one forgotten state
 * takes the proof away. */
static bool proved_by_absence(enum clew_property_kind kind) {
  return kind == CLEW_PROPERTY_COVER || kind == CLEW_PROPERTY_LIVENESS;
}

enum clew_verdict clew_verdict_derive(const enum clew_property_kind *violated, bool complete,
                                      bool lossless) {
  if (violated != NULL && (!proved_by_absence(*violated) || (complete && lossless))) {
    return CLEW_VERDICT_VIOLATED;
  }
  if (!complete) {
    return CLEW_VERDICT_INCOMPLETE;
  }
  return lossless ? CLEW_VERDICT_HOLDS : CLEW_VERDICT_NO_VIOLATION_FOUND;
}

static enum clew_exit violation_exit(enum clew_property_kind kind) {
  switch (kind) {
  case CLEW_PROPERTY_DEADLOCK:
    return CLEW_EXIT_DEADLOCK;
  case CLEW_PROPERTY_FAULT:
    return CLEW_EXIT_ASSERTION;
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_COVER:
    return CLEW_EXIT_INVARIANT;
  case CLEW_PROPERTY_LIVENESS:
    return CLEW_EXIT_LIVENESS;
  }
  assert(false);
  return CLEW_EXIT_INTERNAL;
}

enum clew_exit clew_verdict_exit(enum clew_verdict verdict,
                                 const enum clew_property_kind *violated) {
  switch (verdict) {
  case CLEW_VERDICT_HOLDS:
    return CLEW_EXIT_OK;
  case CLEW_VERDICT_VIOLATED:
    assert(violated != NULL);
    return violation_exit(*violated);
  case CLEW_VERDICT_NO_VIOLATION_FOUND:
    return CLEW_EXIT_LOSSY;
  case CLEW_VERDICT_INCOMPLETE:
    return CLEW_EXIT_INCOMPLETE;
  }
  assert(false);
  return CLEW_EXIT_INTERNAL;
}
