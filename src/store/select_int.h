/* Rank and select within a word. The instructions are named where they are used because the
 * program is compiled for every processor of the architecture; who calls says whether this one has
 * them. */
#ifndef CLEW_STORE_SELECT_INT_H
#define CLEW_STORE_SELECT_INT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool has_bit_instructions(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("avx2"); /* all that have it have lzcnt */
#else
  return false;
#endif
}

static inline uint32_t ones_in_word(bool instructions, uint64_t word) {
#if defined(__x86_64__)
  if (instructions) {
    uint64_t count;
    __asm__("popcntq %1, %0" : "=r"(count) : "r"(word) : "cc");
    return (uint32_t)count;
  }
#endif
  (void)instructions;
  return (uint32_t)__builtin_popcountll(word);
}

/* The place of the (n + 1)-th bit that is set; there are as many. */
static inline uint32_t nth_one_in_word(bool instructions, uint64_t word, uint32_t n) {
  assert(n < 64);
#if defined(__x86_64__)
  if (instructions) {
    uint64_t bit;
    __asm__("pdepq %2, %1, %0" : "=r"(bit) : "r"(UINT64_C(1) << n), "r"(word));
    return (uint32_t)__builtin_ctzll(bit);
  }
#endif
  (void)instructions;
  for (; n > 0; n--) {
    word &= word - 1;
  }
  return (uint32_t)__builtin_ctzll(word);
}

#endif
