/* What is too long to be inline of base/bits.h. */
#include "base/bits.h"

uint32_t clew_bitset_count(const uint64_t *set, uint32_t words) {
  assert(set != NULL || words == 0);
  uint32_t count = 0;
  for (uint32_t i = 0; i < words; i++) {
    count += (uint32_t)__builtin_popcountll(set[i]);
  }
  return count;
}
