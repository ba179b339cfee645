/* Buffers for successors: two parallel arrays that double when full. The growth is behind a pointer
 * in the struct so that emitted code needs nothing of clew but model/succs.h. */
#include "model/succs.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "model/model.h"

enum { FIRST_CAPACITY = 64, FIRST_FAULT_CAPACITY = 8 };

static uint32_t doubled(uint32_t capacity, uint32_t first) {
  assert(capacity <= UINT32_MAX / 2);
  return capacity == 0 ? first : capacity * 2;
}

static void grow(struct clew_succs *succs) {
  assert(succs->words > 0);
  uint32_t capacity = doubled(succs->capacity, FIRST_CAPACITY);
  succs->states =
      clew_realloc_array(succs->states, capacity, (size_t)succs->words * sizeof *succs->states);
  succs->edges = clew_realloc_array(succs->edges, capacity, sizeof *succs->edges);
  succs->capacity = capacity;
}

static void add_fault(struct clew_succs *succs, uint32_t edge, uint32_t site) {
  assert(site != CLEW_NONE);
  if (succs->fault_count == succs->fault_capacity) {
    succs->fault_capacity = doubled(succs->fault_capacity, FIRST_FAULT_CAPACITY);
    succs->faults = clew_realloc_array(succs->faults, succs->fault_capacity, sizeof *succs->faults);
  }
  succs->faults[succs->fault_count++] = (struct clew_fault){.edge = edge, .site = site};
}

void clew_succs_open(struct clew_succs *succs, uint32_t words, uint32_t cover_count) {
  assert(words > 0);
  *succs = (struct clew_succs){.words = words,
                               .most = UINT32_MAX,
                               .pause = UINT32_MAX,
                               .stop = &clew_never,
                               .grow = grow,
                               .add_fault = add_fault};
  /* At least one word, so that emitted code may set bits without asking. */
  succs->covered = clew_alloc_zero(CLEW_BITSET_WORDS((size_t)cover_count) + 1, sizeof(uint64_t));
  grow(succs);
}

void clew_succs_open_piecewise(struct clew_succs *succs, uint32_t words, uint32_t cover_count) {
  clew_succs_open(succs, words, cover_count);
  uint32_t forced = clew_piece_forced();
  succs->most = forced > 0 ? forced : clew_piece_length(words, CLEW_PIECE_BYTES);
}

void clew_succs_clear(struct clew_succs *succs) {
  assert(succs->count <= succs->capacity && succs->fault_count <= succs->fault_capacity);
  succs->count = 0;
  succs->fault_count = 0;
}

/* Apart, so that the short states need no call and no registers to be saved for one. */
__attribute__((noinline)) static bool long_only_stutter(const struct clew_succs *succs,
                                                        const uint64_t *state, uint32_t first) {
  size_t bytes = succs->words * sizeof *state;
  for (uint32_t i = first; i < succs->count; i++) {
    if (memcmp(succs->states + (size_t)i * succs->words, state, bytes) != 0) {
      return false;
    }
  }
  return true;
}

bool clew_succs_only_stutter(const struct clew_succs *succs, const uint64_t *state,
                             uint32_t first) {
  enum { SHORT = 8 };
  uint32_t words = succs->words;
  if (words > SHORT) {
    return long_only_stutter(succs, state, first);
  }
  const uint64_t *at = succs->states + (size_t)first * words;
  for (uint32_t i = first; i < succs->count; i++, at += words) {
    for (uint32_t j = 0; j < words; j++) {
      if (at[j] != state[j]) {
        return false;
      }
    }
  }
  return true;
}

void clew_succs_note_stuck(struct clew_succs *succs, enum clew_deadlock_rule rule,
                           const uint64_t *state, uint32_t first, uint32_t first_fault,
                           bool resumed) {
  bool stuck = clew_succs_are_stuck(succs, rule, state, first, first_fault);
  succs->stuck = stuck && (!resumed || succs->stuck);
}

void clew_succs_close(struct clew_succs *succs) {
  clew_free(succs->states);
  clew_free(succs->edges);
  clew_free(succs->faults);
  clew_free(succs->covered);
  memset(succs, 0, sizeof *succs);
}
