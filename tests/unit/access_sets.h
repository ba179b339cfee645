/* The sets of an edge, for tests of the dependency matrix. */
#ifndef CLEW_TESTS_ACCESS_SETS_H
#define CLEW_TESTS_ACCESS_SETS_H

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/access.h"

/* In one block: freed with clew_free(sets.read). */
struct sets {
  uint64_t *read, *may, *must;
};

static inline struct sets sets_of(const struct clew_program *p, uint32_t edge) {
  size_t words = CLEW_BITSET_WORDS(p->slot_count) + 1;
  uint64_t *block = clew_alloc_zero(3 * words, sizeof *block);
  struct sets sets = {block, block + words, block + 2 * words};
  struct clew_access access = {sets.read, sets.may, sets.must};
  clew_access_of_edge(p, edge, &access);
  return sets;
}

#endif
