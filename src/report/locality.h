/* Transition locality: how far, in breadth-first levels, the transitions of a graph lead.
 *
 * A transition from level a to level b is a k-transition with k = b - a; breadth-first levels make
 * k <= 1. For a state s, delta(s, k) is the fraction of its transitions that are k-transitions. The
 * figures are mean and standard deviation of delta(s, k) over all expanded states, for each k
 * (Della Penna, Intrigila, Melatti, Tronci, Venturini Zilli: Exploiting transition locality in
 * automatic verification of finite-state concurrent systems, STTT 6, 2004, section 3). A state
 * without transitions has delta = 0 for every k and counts in the mean, as it does in their table:
 * hence the means add up to the fraction of states that have transitions, not to 1.
 *
 * A transition from a state to itself is counted apart and is no part of N(s): their published
 * figures seem to leave it out (those of cache3 come out digit for digit so), and it says nothing
 * about which states are worth remembering. A state that has no other transitions counts as one
 * without.
 *
 * A transition that ends in a run-time error leads to no state of the graph and is not to be given
 * here.
 *
 * Workload: an engine gives each transition of a state, then closes the state. A transition costs a
 * comparison and an increment, a state one division and a step for each different k. Memory: 48
 * bytes for each k between the least that occurred and 1, but never more than CLEW_LOCALITY_FAR of
 * them, 3 MB: transitions that lead back still farther share one bin, so that a graph with millions
 * of levels does not take memory that nobody has granted. Their number and lengths are exact. */
#ifndef CLEW_REPORT_LOCALITY_H
#define CLEW_REPORT_LOCALITY_H

#include <assert.h>
#include <stdint.h>

#include "base/vec.h"

/* The index of a k is its distance from 1: 0 is k = 1, 1 is k = 0, 2 is k = -1, … */
enum { CLEW_LOCALITY_FAR = 1 << 16 }; /* the index that stands for itself and all beyond */

struct clew_locality_bin {
  uint32_t open;            /* k-transitions of the state that is not closed yet */
  uint64_t transitions;     /* of the closed states */
  long double sum, squares; /* of delta(s, k) over the closed states */
};

/* How far back the transitions of the last bin lead. */
struct clew_locality_far {
  uint64_t max;
  double total;
};

/* Zeroed: nothing measured yet. */
struct clew_locality {
  CLEW_VEC(struct clew_locality_bin) bins; /* by index */
  CLEW_VEC(uint32_t) touched;              /* indices of the bins with open > 0 */
  uint64_t states;                         /* closed */
  uint64_t loops;                          /* transitions of closed states to themselves */
  uint32_t open_loops;                     /* of the open one */
  struct clew_locality_far far, open_far;  /* of the closed states, of the open one */
};

void clew_locality_free(struct clew_locality *locality);

/* The rare part of clew_locality_edge: makes the bin of this index, and returns where it is. */
uint32_t clew_locality_find(struct clew_locality *locality, uint32_t index);

/* One transition of the open state, whose level is `source`, to another state. */
static inline void clew_locality_edge(struct clew_locality *locality, uint32_t source,
                                      uint32_t target) {
  assert(target <= source || target - source == 1);
  uint32_t index = source + 1 - target;
  if (__builtin_expect(index >= locality->bins.len || index >= CLEW_LOCALITY_FAR, 0)) {
    index = clew_locality_find(locality, index);
  }
  if (locality->bins.data[index].open++ == 0) {
    clew_vec_push(&locality->touched, index);
  }
}

/* One transition of the open state that leads to itself. */
static inline void clew_locality_loop(struct clew_locality *locality) {
  locality->open_loops++;
}

/* All transitions of the open state were given: it counts, and the next one is open.
 * Transitions of a state that is never closed count nowhere. */
void clew_locality_state(struct clew_locality *locality);

/* Adds what `other` measured of closed states: those of several threads together. Counts are the
 * same in whatever order they are added; the sums differ by less than what is shown. */
void clew_locality_add(struct clew_locality *locality, const struct clew_locality *other);

/* The figures of one k. */
struct clew_locality_figure {
  int64_t k;
  uint64_t transitions;
  double mean, sigma; /* of delta(s, k) over the states; population, not sample */
};

/* 1 + the greatest index that occurred; at most 1 + CLEW_LOCALITY_FAR. */
uint32_t clew_locality_len(const struct clew_locality *locality);
/* By index; k = 1 - index (of the last: and below). A k that did not occur is zero. */
struct clew_locality_figure clew_locality_at(const struct clew_locality *locality, uint32_t index);

struct clew_locality_summary {
  double sum_avg;                    /* mean(-1) + mean(0) + mean(1) */
  uint64_t forward, level, backward; /* transitions with k = 1, k = 0, k < 0 */
  double back_edge_mean;             /* of -k over the backward ones; NaN if there are none */
  uint64_t back_edge_max;            /* 0 if there are none */
};

struct clew_locality_summary clew_locality_summarise(const struct clew_locality *locality);

#endif
