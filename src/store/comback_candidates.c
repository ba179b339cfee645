/* States whose duplicate detection is delayed, with their back edges, in the order of arrival.
 *
 * Dense arrays of words and entries; an index of numbers (linear probing on the high bits of the
 * full hash), made anew when it grows. A number takes as many bits as the places of the index; the
 * other bits of its 32 hold low bits of the hash, so that a state that is not there is known
 * without a look elsewhere nearly always. Every visit of a search looks here, and an index of half
 * the size stays in the processor's cache. Nothing is ever removed one by one: a duplicate is
 * marked, and the set is emptied after a detection. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { FIRST_INDEX_BITS = 6 };

bool comback_candidates_open(const struct comback *c, struct comback_candidates *set) {
  struct clew_budget *budget = c->base.config.budget;
  /* A set is settled when it is full, but the batch that fills it is taken whole. */
  uint64_t most = c->settings.candidates + (UINT64_C(1) << 26);
  set->words = c->base.config.words;
  set->index_bits = FIRST_INDEX_BITS;
  return comback_pairs_open(&set->pairs, budget) &&
         comback_region_open(&set->states, most * comback_state_bytes(c), budget) &&
         comback_region_open(&set->entries, most * sizeof(struct comback_candidate), budget) &&
         comback_region_open(&set->index, most * 8 * sizeof(uint32_t), budget) &&
         clew_bigmem_commit(&set->index, sizeof(uint32_t) << set->index_bits);
}

void comback_candidates_close(struct comback_candidates *set) {
  comback_pairs_close(&set->pairs);
  clew_bigmem_close(&set->states);
  clew_bigmem_close(&set->entries);
  clew_bigmem_close(&set->index);
}

struct comback_candidate *comback_candidate_at(const struct comback_candidates *set, uint32_t i) {
  assert(i < set->count);
  return (struct comback_candidate *)(void *)set->entries.data + i;
}

const uint64_t *comback_candidate_state(const struct comback_candidates *set, uint32_t i) {
  return (const uint64_t *)(const void *)set->states.data + (uint64_t)i * set->words;
}

/* Bits of the hash above the number + 1; 0: free. */
static uint32_t *index_of(const struct comback_candidates *set) {
  return (uint32_t *)(void *)set->index.data;
}

/* Those bits of the hash, in their place. */
static uint32_t tag_of(const struct comback_candidates *set, uint64_t hash) {
  return (uint32_t)(hash << set->index_bits);
}

static uint64_t next_place(const struct comback_candidates *set, uint64_t at) {
  return (at + 1) & ((UINT64_C(1) << set->index_bits) - 1);
}

static void index_add(struct comback_candidates *set, uint32_t i) {
  uint64_t hash = comback_candidate_at(set, i)->hash, at = hash >> (64 - set->index_bits);
  while (index_of(set)[at] != 0) {
    at = next_place(set, at);
  }
  assert(i + UINT64_C(1) < UINT64_C(1) << set->index_bits);
  index_of(set)[at] = tag_of(set, hash) | (i + 1);
}

static bool index_reserve(struct comback_candidates *set, uint64_t count) {
  size_t old_bytes = sizeof(uint32_t) << set->index_bits;
  uint32_t bits = set->index_bits;
  while (UINT64_C(1) << bits < count * 2) {
    bits++;
  }
  if (bits == set->index_bits) {
    return true;
  }
  if (!clew_bigmem_commit(&set->index, sizeof(uint32_t) << bits)) {
    return false;
  }
  memset(set->index.data, 0, old_bytes);
  set->index_bits = bits;
  for (uint32_t i = 0; i < set->count; i++) {
    index_add(set, i);
  }
  return true;
}

bool comback_candidates_reserve(struct comback_candidates *set, uint64_t count) {
  return clew_bigmem_commit(&set->states, count * set->words * sizeof(uint64_t)) &&
         clew_bigmem_commit(&set->entries, count * sizeof(struct comback_candidate)) &&
         index_reserve(set, count);
}

void comback_candidates_prefetch(const struct comback_candidates *set, uint64_t hash) {
  __builtin_prefetch(&index_of(set)[hash >> (64 - set->index_bits)]);
}

uint32_t comback_candidates_find(const struct comback_candidates *set, uint64_t hash,
                                 const uint64_t *state) {
  const uint32_t *index = index_of(set);
  uint64_t most = UINT64_C(1) << set->index_bits;
  uint32_t tag = tag_of(set, hash);
  for (uint64_t at = hash >> (64 - set->index_bits); index[at] != 0; at = next_place(set, at)) {
    uint64_t number = index[at] ^ tag; /* + 1, if the tag is the same */
    if (number < most && memcmp(comback_candidate_state(set, (uint32_t)number - 1), state,
                                set->words * sizeof *state) == 0) {
      return (uint32_t)number - 1;
    }
  }
  return COMBACK_NONE;
}

void comback_candidates_add(struct comback_candidates *set, const struct clew_visit *visit,
                            uint32_t others, bool sure) {
  uint32_t i = set->count++;
  set->doubtful += !sure;
  assert((i + UINT64_C(1)) * sizeof(struct comback_candidate) <= set->entries.committed_bytes);
  *comback_candidate_at(set, i) =
      (struct comback_candidate){.hash = visit->hash,
                                 .parent = visit->parent,
                                 .edge = visit->edge,
                                 .depth = visit->depth,
                                 .others = others < UINT16_MAX ? (uint16_t)others : UINT16_MAX,
                                 .sure = sure};
  memcpy(set->states.data + (uint64_t)i * set->words * sizeof(uint64_t), visit->state,
         set->words * sizeof(uint64_t));
  index_add(set, i);
}

void comback_candidates_clear(struct comback_candidates *set) {
  uint32_t *index = index_of(set);
  set->doubtful = 0;
  set->pairs.count = 0;
  if (set->count > UINT64_C(1) << set->index_bits >> 4) {
    memset(index, 0, sizeof *index << set->index_bits);
    set->count = 0;
  }
  /* A large index of few candidates: from each home to the end of its run. What is left of a run is
   * always its beginning, so no place is missed. */
  for (; set->count > 0; set->count--) {
    uint64_t at = comback_candidate_at(set, set->count - 1)->hash >> (64 - set->index_bits);
    for (; index[at] != 0; at = next_place(set, at)) {
      index[at] = 0;
    }
  }
}

uint64_t comback_candidates_bytes(const struct comback_candidates *set) {
  return set->states.committed_bytes + set->entries.committed_bytes + set->index.committed_bytes +
         set->pairs.data.committed_bytes;
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
