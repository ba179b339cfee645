/* Bit arithmetic and bit sets. */
#ifndef CLEW_BASE_BITS_H
#define CLEW_BASE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* How many bits a number in 0..max takes; 0 for max = 0. */
static inline uint32_t clew_bits_for(uint64_t max) {
  return max == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(max);
}

static inline uint64_t clew_bits_mask(uint32_t width) {
  assert(width <= 64);
  return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static inline uint64_t clew_bits_round_up_pow2(uint64_t n) {
  return n <= 1 ? 1 : UINT64_C(1) << clew_bits_for(n - 1);
}

#define CLEW_BITSET_WORDS(n) (((n) + 63) / 64)

static inline bool clew_bitset_has(const uint64_t *set, uint32_t i) {
  return (set[i / 64] >> (i % 64)) & 1;
}
static inline void clew_bitset_add(uint64_t *set, uint32_t i) {
  set[i / 64] |= UINT64_C(1) << (i % 64);
}
static inline void clew_bitset_remove(uint64_t *set, uint32_t i) {
  set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}
uint32_t clew_bitset_count(const uint64_t *set, uint32_t words);

#endif
