/* States whose duplicate detection is delayed, with their back edges, in the order of arrival.
 *
 * Dense arrays of words and entries, and an index of them. Nothing is ever removed one by one: a
 * duplicate is marked, and the set is emptied after a detection. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

bool comback_candidates_open(const struct comback *c, struct comback_candidates *set) {
  struct clew_budget *budget = c->base.config.budget;
  /* A set is settled when it is full, but the batch that fills it is taken whole. */
  uint64_t most = c->settings.candidates + (UINT64_C(1) << 26);
  set->words = c->base.config.words;
  return comback_pairs_open(&set->pairs, budget) &&
         comback_region_open(&set->states, most * comback_state_bytes(c), budget) &&
         comback_region_open(&set->entries, most * sizeof(struct comback_candidate), budget) &&
         comback_index_open(&set->index, most, 1, budget);
}

void comback_candidates_close(struct comback_candidates *set) {
  comback_pairs_close(&set->pairs);
  clew_bigmem_close(&set->states);
  clew_bigmem_close(&set->entries);
  clew_bigmem_close(&set->index.places);
}

struct comback_candidate *comback_candidate_at(const struct comback_candidates *set, uint32_t i) {
  assert(i < set->count);
  return (struct comback_candidate *)(void *)set->entries.data + i;
}

const uint64_t *comback_candidate_state(const struct comback_candidates *set, uint32_t i) {
  return (const uint64_t *)(const void *)set->states.data + (uint64_t)i * set->words;
}

static bool reserve_index(struct comback_candidates *set, uint64_t count) {
  bool again;
  if (!comback_index_reserve(&set->index, count, &again)) {
    return false;
  }
  for (uint32_t i = 0; again && i < set->count; i++) {
    comback_index_add(&set->index, comback_candidate_at(set, i)->hash, i);
  }
  return true;
}

bool comback_candidates_reserve(struct comback_candidates *set, uint64_t count) {
  return clew_bigmem_commit(&set->states, count * set->words * sizeof(uint64_t)) &&
         clew_bigmem_commit(&set->entries, count * sizeof(struct comback_candidate)) &&
         (count <= comback_index_room(&set->index) || reserve_index(set, count));
}

void comback_candidates_prefetch(const struct comback_candidates *set, uint64_t hash) {
  __builtin_prefetch(&comback_index_places(&set->index)[comback_index_home(&set->index, hash)]);
}

uint32_t comback_candidates_find(const struct comback_candidates *set, uint64_t hash,
                                 const uint64_t *state) {
  struct comback_probe probe;
  uint32_t i = comback_index_first(&set->index, hash, &probe);
  while (i != COMBACK_NONE &&
         memcmp(comback_candidate_state(set, i), state, set->words * sizeof *state) != 0) {
    i = comback_index_next(&set->index, &probe);
  }
  return i;
}

void comback_candidates_add(struct comback_candidates *set, const struct clew_visit *visit,
                            uint32_t others, bool sure) {
  uint32_t i = set->count++;
  set->doubtful += !sure;
  assert((i + UINT64_C(1)) * sizeof(struct comback_candidate) <= set->entries.committed_bytes);
  *comback_candidate_at(set, i) =
      (struct comback_candidate){.hash = visit->hash,
                                 .parent = comback_parent_in(visit->parent),
                                 .edge = visit->edge,
                                 .depth = visit->depth,
                                 .others = others < UINT16_MAX ? (uint16_t)others : UINT16_MAX,
                                 .sure = sure};
  memcpy(set->states.data + (uint64_t)i * set->words * sizeof(uint64_t), visit->state,
         set->words * sizeof(uint64_t));
  comback_index_add(&set->index, visit->hash, i);
}

void comback_candidates_clear(struct comback_candidates *set) {
  set->doubtful = 0;
  set->pairs.count = 0;
  if (set->count > comback_index_room(&set->index) / 8) {
    comback_index_clear(&set->index);
    set->count = 0;
  }
  for (; set->count > 0; set->count--) { /* a large index of few candidates */
    comback_index_clear_run(&set->index, comback_candidate_at(set, set->count - 1)->hash);
  }
}

uint64_t comback_candidates_bytes(const struct comback_candidates *set) {
  return set->states.committed_bytes + set->entries.committed_bytes +
         set->index.places.committed_bytes + set->pairs.data.committed_bytes;
}

const char *comback_candidates_check(const struct comback_candidates *set) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (comback_candidates_find(set, comback_candidate_at(set, i)->hash,
                                comback_candidate_state(set, i)) != i) {
      return "a candidate cannot be found";
    }
  }
  return NULL;
}
