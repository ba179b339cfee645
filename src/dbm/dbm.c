/* What zones of both widths have in common: the space, comparing memory, single valuations. */
#include "dbm/dbm.h"

#include <string.h>

#include "base/hash.h"
#include "dbm/ops_int.h"

/* Raw entries are at most 2 * dim * largest + 1, and an operation adds up to three of them. */
enum { MOST_NARROW = INT16_MAX / 6 - 1 };
/* Eight constants fit: four with their signs in an entry, and two entries are added up. */
enum { MOST_NARROW_PLUS = INT16_MAX / 8 - 1 };
#define MOST_WIDE ((int64_t)CLEW_BOUND_MOST)

static void make_space(struct clew_dbm_space *space, uint32_t dim, int32_t largest,
                       bool is_narrow) {
  uint32_t entry_bytes = is_narrow ? sizeof(int16_t) : sizeof(int32_t);
  uint32_t lanes = CLEW_DBM_ALIGNMENT / entry_bytes;
  uint32_t stride = (dim + lanes - 1) / lanes * lanes;
  int64_t most = is_narrow ? MOST_NARROW : MOST_WIDE;
  *space = (struct clew_dbm_space){
      .ops = is_narrow ? &clew_dbm_ops16 : &clew_dbm_ops32,
      .dim = dim,
      .stride = stride,
      .entry_bytes = entry_bytes,
      .bytes = (size_t)dim * stride * entry_bytes,
      .safe = (int32_t)(most / dim - largest),
      .largest = largest,
  };
}

bool clew_dbm_space_init(struct clew_dbm_space *space, uint32_t dim, int32_t largest) {
  assert(dim >= 1 && largest >= 0);
  int64_t reach = (int64_t)dim * (largest > 0 ? largest : 1);
  if (dim > CLEW_DBM_MOST_CLOCKS || reach > MOST_WIDE) {
    return false;
  }
  make_space(space, dim, largest, reach <= MOST_NARROW);
  return true;
}

bool clew_dbm_space_init_plus(struct clew_dbm_space *space, uint32_t dim, int32_t largest) {
  bool fits = clew_dbm_space_init(space, dim, largest);
  if (fits && largest <= MOST_NARROW_PLUS) {
    make_space(space, dim, largest, true);
  }
  return fits;
}

void clew_dbm_copy(const struct clew_dbm_space *space, void *to, const void *from) {
  memcpy(to, from, space->bytes);
}

bool clew_dbm_equal(const struct clew_dbm_space *space, const void *a, const void *b) {
  return memcmp(a, b, space->bytes) == 0;
}

uint64_t clew_dbm_hash(const struct clew_dbm_space *space, const void *zone, uint64_t seed) {
  return clew_hash_bytes(zone, space->bytes, seed);
}

bool clew_dbm_contains(const struct clew_dbm_space *space, const void *zone, const int32_t *values,
                       int32_t scale) {
  assert(scale > 0 && values[0] == 0);
  for (uint32_t i = 0; i < space->dim; i++) {
    for (uint32_t j = 0; j < space->dim; j++) {
      clew_bound bound = clew_dbm_get(space, zone, i, j);
      if (bound == CLEW_BOUND_INFINITE) {
        continue;
      }
      int64_t difference = (int64_t)values[i] - values[j];
      int64_t most = (int64_t)clew_bound_constant(bound) * scale;
      if (difference > most || (difference == most && clew_bound_is_strict(bound))) {
        return false;
      }
    }
  }
  return true;
}

/* Whether the way from i to j by k is shorter than the entry says. */
static bool is_loose(const struct clew_dbm_space *space, const void *zone, uint32_t i, uint32_t j) {
  clew_bound direct = clew_dbm_get(space, zone, i, j);
  for (uint32_t k = 0; k < space->dim; k++) {
    if (clew_bound_add(clew_dbm_get(space, zone, i, k), clew_dbm_get(space, zone, k, j)) < direct) {
      return true;
    }
  }
  return false;
}

static bool padding_is_infinite(const struct clew_dbm_space *space, const void *zone) {
  for (uint32_t i = 0; i < space->dim; i++) {
    for (uint32_t j = space->dim; j < space->stride; j++) {
      size_t at = (size_t)i * space->stride + j;
      bool fine = space->entry_bytes == sizeof(int16_t) ? ((const int16_t *)zone)[at] == INT16_MAX
                                                        : ((const int32_t *)zone)[at] == INT32_MAX;
      if (!fine) {
        return false;
      }
    }
  }
  return true;
}

bool clew_dbm_validate(const struct clew_dbm_space *space, const void *zone, const char **why) {
  *why = NULL;
  for (uint32_t i = 0; i < space->dim && *why == NULL; i++) {
    if (clew_dbm_get(space, zone, i, i) != CLEW_BOUND_ZERO) {
      *why = "an entry of the diagonal is not zero";
    } else if (clew_dbm_get(space, zone, 0, i) > CLEW_BOUND_ZERO) {
      *why = "a clock may be negative";
    }
    for (uint32_t j = 0; j < space->dim && *why == NULL; j++) {
      *why = is_loose(space, zone, i, j) ? "the zone is not closed" : NULL;
    }
  }
  if (*why == NULL && !padding_is_infinite(space, zone)) {
    *why = "the padding of a row is not infinite";
  }
  return *why == NULL;
}
