/* States whose duplicate detection is delayed, with their back edges, in the order of arrival.
 *
 * Dense arrays of words and entries, and an index of them. Nothing is ever removed one by one: a
 * duplicate is marked, and the set is emptied after a detection. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

bool clew_comback_candidates_open(const struct clew_comback *c,
                                  struct clew_comback_candidates *set) {
  assert(set->count == 0);
  assert(c->settings.candidates > 0);
  struct clew_budget *budget = c->base.config.budget;
  /* A set is settled when it is full, but the batch that fills it is taken whole. */
  uint64_t most = c->settings.candidates + (UINT64_C(1) << 26);
  set->words = c->base.config.words;
  return clew_comback_pairs_open(&set->pairs, budget) &&
         clew_comback_region_open(&set->states, most * clew_comback_state_bytes(c), budget) &&
         clew_comback_region_open(&set->entries, most * sizeof(struct clew_comback_candidate),
                                  budget) &&
         clew_comback_index_open(&set->index, most, 1, budget);
}

void clew_comback_candidates_close(struct clew_comback_candidates *set) {
  assert(set != NULL);
  clew_comback_pairs_close(&set->pairs);
  clew_bigmem_close(&set->states);
  clew_bigmem_close(&set->entries);
  clew_bigmem_close(&set->index.places);
}

struct clew_comback_candidate *clew_comback_candidate_at(const struct clew_comback_candidates *set,
                                                         uint32_t i) {
  assert(i < set->count);
  return (struct clew_comback_candidate *)(void *)set->entries.data + i;
}

const uint64_t *clew_comback_candidate_state(const struct clew_comback_candidates *set,
                                             uint32_t i) {
  assert(i < set->count);
  return (const uint64_t *)(const void *)set->states.data + (uint64_t)i * set->words;
}

static bool reserve_index(struct clew_comback_candidates *set, uint64_t count) {
  assert(count >= set->count);
  bool again;
  if (!clew_comback_index_reserve(&set->index, count, &again)) {
    return false;
  }
  for (uint32_t i = 0; again && i < set->count; i++) {
    clew_comback_index_add(&set->index, clew_comback_candidate_at(set, i)->hash, i);
  }
  return true;
}

bool clew_comback_candidates_reserve(struct clew_comback_candidates *set, uint64_t count) {
  assert(count >= set->count);
  return clew_bigmem_commit(&set->states, count * set->words * sizeof(uint64_t)) &&
         clew_bigmem_commit(&set->entries, count * sizeof(struct clew_comback_candidate)) &&
         (count <= clew_comback_index_room(&set->index) || reserve_index(set, count));
}

void clew_comback_candidates_prefetch(const struct clew_comback_candidates *set, uint64_t hash) {
  __builtin_prefetch(
      &clew_comback_index_places(&set->index)[clew_comback_index_home(&set->index, hash)]);
}

uint32_t clew_comback_candidates_find(const struct clew_comback_candidates *set, uint64_t hash,
                                      const uint64_t *state) {
  struct clew_comback_probe probe;
  uint32_t i = clew_comback_index_first(&set->index, hash, &probe);
  while (i != CLEW_COMBACK_NONE &&
         memcmp(clew_comback_candidate_state(set, i), state, set->words * sizeof *state) != 0) {
    i = clew_comback_index_next(&set->index, &probe);
  }
  return i;
}

void clew_comback_candidates_add(struct clew_comback_candidates *set,
                                 const struct clew_visit *visit, uint32_t others, bool sure) {
  assert(set->count < clew_comback_index_room(&set->index));
  assert(visit->parent != CLEW_ID_NONE);
  uint32_t i = set->count++;
  set->doubtful += !sure;
  assert((i + UINT64_C(1)) * sizeof(struct clew_comback_candidate) <= set->entries.committed_bytes);
  *clew_comback_candidate_at(set, i) =
      (struct clew_comback_candidate){.hash = visit->hash,
                                      .parent = visit->parent,
                                      .edge = visit->edge,
                                      .depth = visit->depth,
                                      .others = others < UINT16_MAX ? (uint16_t)others : UINT16_MAX,
                                      .sure = sure};
  memcpy(set->states.data + (uint64_t)i * set->words * sizeof(uint64_t), visit->state,
         set->words * sizeof(uint64_t));
  clew_comback_index_add(&set->index, visit->hash, i);
}

void clew_comback_candidates_clear(struct clew_comback_candidates *set) {
  assert(set->doubtful <= set->count);
  set->doubtful = 0;
  set->pairs.count = 0;
  if (set->count > clew_comback_index_room(&set->index) / 8) {
    clew_comback_index_clear(&set->index);
    set->count = 0;
  }
  for (; set->count > 0; set->count--) { /* a large index of few candidates */
    clew_comback_index_clear_run(&set->index, clew_comback_candidate_at(set, set->count - 1)->hash);
  }
}

uint64_t clew_comback_candidates_bytes(const struct clew_comback_candidates *set) {
  assert(set->states.committed_bytes <= set->states.reserved_bytes);
  return set->states.committed_bytes + set->entries.committed_bytes +
         set->index.places.committed_bytes + set->pairs.data.committed_bytes;
}

const char *clew_comback_candidates_check(const struct clew_comback_candidates *set) {
  assert(set->doubtful <= set->count);
  for (uint32_t i = 0; i < set->count; i++) {
    if (clew_comback_candidates_find(set, clew_comback_candidate_at(set, i)->hash,
                                     clew_comback_candidate_state(set, i)) != i) {
      return "a candidate cannot be found";
    }
  }
  return NULL;
}
