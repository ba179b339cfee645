/* Pairs of a stored state and a candidate with the same hash: appended in any order, sorted by the
 * stored state in the end.
 *
 * A detection sorts as many pairs as it rebuilds states, and comparing would take longer than
 * rebuilding: so by radix, least digits first, between the two halves of the memory. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum {
  DIGIT_BITS = 11,
  DIGITS = 1 << DIGIT_BITS,
  ID_SHIFT = CLEW_COMBACK_CANDIDATE_BITS,
  FEW = 128
};

static const uint64_t MOST_PAIRS = UINT32_MAX - 1;

bool clew_comback_pairs_open(struct clew_comback_pairs *pairs, struct clew_budget *budget) {
  assert(pairs != NULL);
  pairs->count = 0;
  return clew_comback_region_open(&pairs->data, MOST_PAIRS * 2 * sizeof(uint64_t), budget);
}

void clew_comback_pairs_close(struct clew_comback_pairs *pairs) {
  assert(pairs != NULL);
  clew_bigmem_close(&pairs->data);
}

static uint64_t *data_of(const struct clew_comback_pairs *pairs) {
  return (uint64_t *)(void *)pairs->data.data;
}

bool clew_comback_pairs_add(struct clew_comback_pairs *pairs, clew_id id, uint32_t candidate) {
  assert(id < CLEW_ID_LIMIT);
  if (pairs->count >= MOST_PAIRS || candidate >> CLEW_COMBACK_CANDIDATE_BITS != 0 ||
      !clew_bigmem_commit(&pairs->data, (pairs->count + UINT64_C(1)) * 2 * sizeof(uint64_t))) {
    return false;
  }
  data_of(pairs)[pairs->count++] = id << ID_SHIFT | candidate;
  return true;
}

static void sort_few(uint64_t *pairs, uint32_t count) {
  assert(count <= FEW);
  for (uint32_t i = 1; i < count; i++) {
    uint64_t pair = pairs[i];
    uint32_t at = i;
    for (; at > 0 && pairs[at - 1] > pair; at--) {
      pairs[at] = pairs[at - 1];
    }
    pairs[at] = pair;
  }
}

/* One pass: by the digit at `shift`, stable. */
static void distribute(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift) {
  assert(from != to);
  assert(shift >= ID_SHIFT && shift < 64);
  uint32_t starts[DIGITS] = {0}, sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    starts[from[i] >> shift & (DIGITS - 1)]++;
  }
  for (uint32_t digit = 0; digit < DIGITS; digit++) {
    uint32_t size = starts[digit];
    starts[digit] = sum;
    sum += size;
  }
  assert(sum == count);
  for (uint32_t i = 0; i < count; i++) {
    to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
  }
}

static void sort_many(uint64_t *pairs, uint64_t *other, uint32_t count) {
  assert(count > 0 && other >= pairs + count);
  uint64_t *from = pairs, *to = other, all = 0;
  for (uint32_t i = 0; i < count; i++) {
    all |= pairs[i];
  }
  for (uint32_t shift = ID_SHIFT; shift < 64 && all >> shift != 0; shift += DIGIT_BITS) {
    distribute(from, to, count, shift);
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != pairs) {
    memcpy(pairs, from, count * sizeof *pairs);
  }
}

const clew_id *clew_comback_pairs_sort(struct clew_comback_pairs *pairs) {
  assert(pairs->count * UINT64_C(2) * sizeof(uint64_t) <= pairs->data.committed_bytes);
  uint64_t *data = data_of(pairs), *other = data + pairs->count;
  if (pairs->count <= FEW) {
    sort_few(data, pairs->count);
  } else {
    sort_many(data, other, pairs->count);
  }
  clew_id *ids = other;
  for (uint32_t i = 0; i < pairs->count; i++) {
    ids[i] = data[i] >> ID_SHIFT;
  }
  return ids;
}
