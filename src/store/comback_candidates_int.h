/* The ComBack store: states whose duplicate detection is delayed (comback_candidates.c), and what
 * they must be compared with (comback_pairs.c). */
#ifndef CLEW_STORE_COMBACK_CANDIDATES_INT_H
#define CLEW_STORE_COMBACK_CANDIDATES_INT_H

#include "store/comback_index_int.h"
#include "store/store.h"

/* ---- what is to be compared ---- */

/* A candidate has a number of so many bits; an id takes the other 40 of a word. */
enum { CLEW_COMBACK_CANDIDATE_BITS = 24 };
static_assert(CLEW_ID_LIMIT >> (64 - CLEW_COMBACK_CANDIDATE_BITS) == 1, "every id fits");

/* Pairs of a stored state and a candidate that may be the same. */
struct clew_comback_pairs {
  struct clew_bigmem data; /* uint64_t: id above candidate; and as much room for sorting */
  uint32_t count;
};

bool clew_comback_pairs_open(struct clew_comback_pairs *pairs, struct clew_budget *budget);
void clew_comback_pairs_close(struct clew_comback_pairs *pairs);
/* False, changing nothing, when the budget refuses, or for want of numbers. */
bool clew_comback_pairs_add(struct clew_comback_pairs *pairs, clew_id id, uint32_t candidate);
/* Sorts by id. Returns the ids, one of each pair, good until the next change. */
const clew_id *clew_comback_pairs_sort(struct clew_comback_pairs *pairs);
static inline clew_id clew_comback_pairs_id(const struct clew_comback_pairs *pairs, uint32_t i) {
  assert(i < pairs->count);
  return ((const uint64_t *)(const void *)pairs->data.data)[i] >> CLEW_COMBACK_CANDIDATE_BITS;
}
static inline uint32_t clew_comback_pairs_candidate(const struct clew_comback_pairs *pairs,
                                                    uint32_t i) {
  assert(i < pairs->count);
  return ((const uint64_t *)(const void *)pairs->data.data)[i] &
         ((UINT32_C(1) << CLEW_COMBACK_CANDIDATE_BITS) - 1);
}

/* ---- candidates ---- */

struct clew_comback_candidate {
  uint64_t hash;
  clew_id parent;
  uint32_t edge, depth;
  uint16_t others; /* states with its hash, when it came; at most UINT16_MAX */
  bool sure;       /* new for sure, and only waits for its id */
  bool seen;       /* found to be a duplicate */
};

struct clew_comback_candidates {
  uint32_t count, words;
  uint32_t doubtful; /* of them: not sure to be new */
  struct clew_bigmem states, entries;
  struct clew_comback_index index; /* by hashes of states */
  struct clew_comback_pairs pairs; /* with the states that they must be compared with */
};

bool clew_comback_candidates_open(const struct clew_comback *c,
                                  struct clew_comback_candidates *set);
void clew_comback_candidates_close(struct clew_comback_candidates *set);
bool clew_comback_candidates_reserve(struct clew_comback_candidates *set, uint64_t count);
/* The number of the candidate with this state, or CLEW_COMBACK_NONE. */
uint32_t clew_comback_candidates_find(const struct clew_comback_candidates *set, uint64_t hash,
                                      const uint64_t *state);
void clew_comback_candidates_prefetch(const struct clew_comback_candidates *set, uint64_t hash);
/* Room was reserved. */
void clew_comback_candidates_add(struct clew_comback_candidates *set,
                                 const struct clew_visit *visit, uint32_t others, bool sure);
struct clew_comback_candidate *clew_comback_candidate_at(const struct clew_comback_candidates *set,
                                                         uint32_t i);
const uint64_t *clew_comback_candidate_state(const struct clew_comback_candidates *set, uint32_t i);
void clew_comback_candidates_clear(struct clew_comback_candidates *set);
uint64_t clew_comback_candidates_bytes(const struct clew_comback_candidates *set);
const char *clew_comback_candidates_check(const struct clew_comback_candidates *set);

#endif
