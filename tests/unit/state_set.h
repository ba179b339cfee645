/* The simplest set of states that is right: chains of whole states, numbered in the order in which
 * they came. Tests compare stores with it. */
#ifndef CLEW_TESTS_STATE_SET_H
#define CLEW_TESTS_STATE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { STATE_SET_CHAINS = 1 << 16 };
#define STATE_SET_NONE UINT32_MAX

struct state_set {
  uint32_t words;
  /* States of the same first `discrete` words are also the same when this says so; NULL: only
   * equal ones are. Their hashes must then be of these words. */
  uint32_t discrete;
  bool (*covers)(void *context, const uint64_t *a, const uint64_t *b);
  void *covers_context;
  uint32_t *heads; /* 1 + the number of the last state of each chain; 0: none */
  CLEW_VEC(uint32_t) next;
  CLEW_VEC(uint64_t) hashes;
  CLEW_VEC(uint64_t) pool; /* the words of all states */
};

static inline void state_set_open(struct state_set *set, uint32_t words) {
  *set = (struct state_set){.words = words, .discrete = words};
  set->heads = clew_alloc_zero(STATE_SET_CHAINS, sizeof *set->heads);
}

static inline void state_set_close(struct state_set *set) {
  clew_free(set->heads);
  clew_vec_free(&set->next);
  clew_vec_free(&set->hashes);
  clew_vec_free(&set->pool);
}

static inline uint32_t state_set_count(const struct state_set *set) {
  return set->next.len;
}

static inline const uint64_t *state_set_at(const struct state_set *set, uint32_t number) {
  return set->pool.data + (size_t)number * set->words;
}

static inline bool state_set_same(const struct state_set *set, uint32_t number,
                                  const uint64_t *state) {
  const uint64_t *stored = state_set_at(set, number);
  if (memcmp(stored, state, set->discrete * sizeof *state) != 0) {
    return false;
  }
  return memcmp(stored, state, set->words * sizeof *state) == 0 ||
         (set->covers != NULL && set->covers(set->covers_context, stored, state));
}

/* STATE_SET_NONE when it is not there. */
static inline uint32_t state_set_find(const struct state_set *set, uint64_t hash,
                                      const uint64_t *state) {
  uint32_t link = set->heads[hash % STATE_SET_CHAINS];
  while (link != 0 && !state_set_same(set, link - 1, state)) {
    link = set->next.data[link - 1];
  }
  return link != 0 ? link - 1 : STATE_SET_NONE;
}

static inline bool state_set_has_hash(const struct state_set *set, uint64_t hash) {
  uint32_t link = set->heads[hash % STATE_SET_CHAINS];
  while (link != 0 && set->hashes.data[link - 1] != hash) {
    link = set->next.data[link - 1];
  }
  return link != 0;
}

static inline uint32_t state_set_add(struct state_set *set, uint64_t hash, const uint64_t *state) {
  uint32_t number = state_set_count(set), *head = &set->heads[hash % STATE_SET_CHAINS];
  clew_vec_push(&set->next, *head);
  clew_vec_push(&set->hashes, hash);
  *head = number + 1;
  for (uint32_t i = 0; i < set->words; i++) {
    clew_vec_push(&set->pool, state[i]);
  }
  return number;
}

#endif
