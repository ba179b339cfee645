/* The bits of a state that a leaf of the tree store has. */
#ifndef CLEW_STORE_TREE_LEAF_INT_H
#define CLEW_STORE_TREE_LEAF_INT_H

#include "base/bits.h"
#include "store/tree_plan_int.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
static inline uint64_t tree_extract(uint64_t word, uint64_t mask) {
  uint64_t bits;
  __asm__("pextq %2, %1, %0" : "=r"(bits) : "r"(word), "r"(mask));
  return bits;
}
#endif

static inline uint64_t tree_extract_slowly(uint64_t word, uint64_t mask) {
  uint64_t bits = 0;
  for (uint32_t at = 0; mask != 0;) { /* stretches of consecutive bits */
    uint32_t first = (uint32_t)__builtin_ctzll(mask);
    uint64_t rest = ~(mask >> first);
    uint32_t width = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
    bits |= (word >> first & clew_bits_mask(width)) << at;
    at += width;
    mask &= ~(clew_bits_mask(width) << first);
  }
  return bits;
}

/* The key of a leaf: its bits of the state, one beside the other. `fast`: the processor has the
 * instructions for bits. */
ALWAYS_INLINE uint64_t tree_leaf_key(const struct tree_piece *pieces, uint32_t count,
                                     const uint64_t *state, bool fast) {
  uint64_t key = 0;
  for (uint32_t p = 0; p < count; p++) {
#if defined(__x86_64__)
    uint64_t bits = fast ? tree_extract(state[pieces[p].word], pieces[p].mask)
                         : tree_extract_slowly(state[pieces[p].word], pieces[p].mask);
#else
    uint64_t bits = tree_extract_slowly(state[pieces[p].word], pieces[p].mask);
    (void)fast;
#endif
    key |= bits << pieces[p].at;
  }
  return key;
}

#endif
