/* Memory that grows in place for many things of one size. */
#ifndef CLEW_STORE_REGION_INT_H
#define CLEW_STORE_REGION_INT_H

#include <assert.h>

#include "base/bigmem.h"

/* Reserves addresses for at most `count` things: all that the budget could give, or a fair part of
 * those that the system allows. */
static inline bool region_open(struct clew_bigmem *mem, uint64_t count, size_t each_bytes,
                               struct clew_budget *budget) {
  assert(count > 0 && each_bytes > 0);
  const size_t least_bytes = (size_t)1 << 20, without_budget = (size_t)1 << 42;
  size_t bytes = budget != NULL ? (size_t)budget->limit_bytes : without_budget;
  if (count <= bytes / each_bytes) {
    bytes = (size_t)count * each_bytes;
  }
  /* Under a limit of addresses (ulimit -v) others need some, too: more regions, and the search. */
  uint64_t fair = clew_bigmem_addresses_left() / 4;
  bytes = bytes < fair ? bytes : (size_t)fair;
  bytes = bytes > least_bytes ? bytes : least_bytes;
  while (!clew_bigmem_open(mem, bytes, budget)) {
    bytes /= 2;
    if (bytes < least_bytes) {
      return false;
    }
  }
  return true;
}

#endif
