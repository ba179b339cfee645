/* Many walks: nothing is stored, so nothing is proved, but a walk is as deep after a second as a
 * search may be after a day. Every other walk prefers transitions that were seldom taken.
 *
 * A walk begins in a random initial state and ends at a violation that a walk can see (an
 * invariant, a run-time error, a deadlock), where nothing is left to do, or after so many steps.
 * The first violation ends all walks. Walk n depends on the seed, on n, and, if it is a guided one,
 * on the walks that the same thread took before: with one thread, on the seed alone. */
#ifndef CLEW_SEARCH_WALKS_H
#define CLEW_SEARCH_WALKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/crew.h"
#include "model/model.h"
#include "trace/trace.h"

struct clew_walks {
  const struct clew_model *model;
  const uint64_t *enabled; /* properties */
  uint64_t walks, steps;   /* at most so many; steps of each */
  uint64_t seed;
  struct clew_crew *crew; /* NULL: one thread */
};

struct clew_walked {
  uint64_t walks, steps; /* that were taken */
  uint64_t longest;      /* walk */
  uint64_t ended;        /* walks that could not go on */
  uint64_t cut;          /* walks that ended at a limit of clew: calls nested too deeply */
  bool has_start;
  bool is_stopped;         /* by the stop flag of the model */
  uint64_t *fired;         /* by edge: transitions; NULL: there are too many edges; owned */
  bool found;              /* a violation: */
  uint64_t walk;           /* in which one, from 1 on */
  struct clew_trace trace; /* of the model; to be freed */
};

void clew_walks_take(const struct clew_walks *walks, struct clew_walked *walked);
void clew_walked_free(struct clew_walked *walked);

#endif
