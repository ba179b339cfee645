/* Common to all parts of the ComBack store: its ids, and how rebuilt states are handed over.
 *
 * Ids are 32-bit inside. The number that an initial state has for its parent is translated here,
 * and nowhere else. */
#ifndef CLEW_STORE_COMBACK_COMMON_INT_H
#define CLEW_STORE_COMBACK_COMMON_INT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bigmem.h"
#include "base/id.h"

#define CLEW_COMBACK_NONE UINT32_MAX
#define CLEW_COMBACK_ROOT UINT32_MAX /* the parent of an initial state */
#define CLEW_COMBACK_MAX_STATES (UINT64_C(0xffffffff) - 2)

struct clew_comback;

/* The parent of a visit as the tables have it, and back. */
static inline uint32_t clew_comback_parent_in(clew_id parent) {
  assert(parent == CLEW_ID_NONE || parent < CLEW_COMBACK_MAX_STATES);
  return parent == CLEW_ID_NONE ? CLEW_COMBACK_ROOT : (uint32_t)parent;
}

static inline clew_id clew_comback_parent_out(uint32_t parent) {
  return parent == CLEW_COMBACK_ROOT ? CLEW_ID_NONE : parent;
}

/* A state was rebuilt. Which one, `number` says: its place in the list of those that were wanted,
 * or its id where all are. */
typedef void clew_comback_found(void *context, uint32_t number, const uint64_t *state);

/* Reserves as many addresses as the system allows, at most `bytes`. */
bool clew_comback_region_open(struct clew_bigmem *mem, uint64_t bytes, struct clew_budget *budget);

#endif
