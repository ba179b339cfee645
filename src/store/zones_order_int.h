/* The order of vectors of numbers: a covers b if none of its numbers is less. */
#ifndef CLEW_STORE_ZONES_ORDER_INT_H
#define CLEW_STORE_ZONES_ORDER_INT_H

#include <assert.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Of two vectors a and b, a bit set: what is true, or what may be. Both are if they are equal. */
enum order { ORDER_NONE = 0, ORDER_COVERS = 1, ORDER_COVERED = 2, ORDER_EQUAL = 3 };

enum { ORDER_BLOCK = 2 /* words that are compared at once */, ORDER_CHUNK = 4 /* blocks */ };

/* Where a number of a was less, and where one was more, when two vectors were compared before: the
 * next two are likely to differ there, too. Two looks then decide what takes a walk over all of
 * their numbers otherwise. */
struct order_hints {
  uint32_t less, more; /* first words of blocks */
};

/* What the numbers of a block, the first of `words` words, leave possible. */
#ifdef __SSE2__
static inline unsigned order_block(const unsigned char *a, const unsigned char *b, uint32_t words,
                                   uint32_t bits) {
  const __m128i *at_a = (const __m128i *)(const void *)a, *at_b = (const __m128i *)(const void *)b;
  __m128i x = words > 1 ? _mm_loadu_si128(at_a) : _mm_loadl_epi64(at_a);
  __m128i y = words > 1 ? _mm_loadu_si128(at_b) : _mm_loadl_epi64(at_b);
  __m128i less = bits == 16 ? _mm_cmpgt_epi16(y, x) : _mm_cmpgt_epi32(y, x);
  __m128i more = bits == 16 ? _mm_cmpgt_epi16(x, y) : _mm_cmpgt_epi32(x, y);
  unsigned covers = _mm_movemask_epi8(less) == 0 ? ORDER_COVERS : 0;
  unsigned covered = _mm_movemask_epi8(more) == 0 ? ORDER_COVERED : 0;
  return covers | covered;
}
#else
static inline int32_t order_number(const unsigned char *at, uint32_t bits) {
  int16_t narrow;
  int32_t wide = 0;
  memcpy(&narrow, at, sizeof narrow);
  memcpy(&wide, at, bits == 16 ? sizeof narrow : sizeof wide);
  return bits == 16 ? narrow : wide;
}

static inline unsigned order_block(const unsigned char *a, const unsigned char *b, uint32_t words,
                                   uint32_t bits) {
  unsigned order = ORDER_EQUAL;
  size_t bytes = (words < ORDER_BLOCK ? words : ORDER_BLOCK) * sizeof(uint64_t);
  for (size_t at = 0; at < bytes; at += bits / 8) {
    int32_t x = order_number(a + at, bits), y = order_number(b + at, bits);
    order &= x < y ? ~(unsigned)ORDER_COVERS : ORDER_EQUAL;
    order &= x > y ? ~(unsigned)ORDER_COVERED : ORDER_EQUAL;
  }
  return order;
}
#endif

static inline unsigned order_at(const unsigned char *a, const unsigned char *b, uint32_t first,
                                uint32_t words, uint32_t bits) {
  assert(first < words);
  size_t at = first * sizeof(uint64_t);
  return order_block(a + at, b + at, words - first, bits);
}

/* What the numbers of ORDER_CHUNK blocks leave possible, which all are there. */
static inline unsigned order_chunk(const unsigned char *a, const unsigned char *b, uint32_t bits) {
#ifdef __SSE2__
  __m128i less = _mm_setzero_si128(), more = less;
  for (uint32_t k = 0; k < ORDER_CHUNK; k++) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a + k);
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b + k);
    less = _mm_or_si128(less, bits == 16 ? _mm_cmpgt_epi16(y, x) : _mm_cmpgt_epi32(y, x));
    more = _mm_or_si128(more, bits == 16 ? _mm_cmpgt_epi16(x, y) : _mm_cmpgt_epi32(x, y));
  }
  unsigned covers = _mm_movemask_epi8(less) == 0 ? ORDER_COVERS : 0;
  unsigned covered = _mm_movemask_epi8(more) == 0 ? ORDER_COVERED : 0;
  return covers | covered;
#else
  unsigned order = ORDER_EQUAL;
  for (uint32_t k = 0; k < ORDER_CHUNK; k++) {
    size_t at = k * ORDER_BLOCK * sizeof(uint64_t);
    order &= order_block(a + at, b + at, ORDER_BLOCK, bits);
  }
  return order;
#endif
}

/* The blocks from `first` on, up to `end`, one by one; what they rule out becomes a hint. */
static inline unsigned order_blocks(const unsigned char *a, const unsigned char *b, uint32_t first,
                                    uint32_t end, uint32_t words, uint32_t bits, unsigned order,
                                    struct order_hints *hints) {
  for (uint32_t i = first; i < end && order != ORDER_NONE; i += ORDER_BLOCK) {
    unsigned left = order & order_at(a, b, i, words, bits);
    if (left != order) {
      hints->less = (order & ~left & ORDER_COVERS) != 0 ? i : hints->less;
      hints->more = (order & ~left & ORDER_COVERED) != 0 ? i : hints->more;
      order = left;
    }
  }
  return order;
}

/* `bits` is a constant wherever this is compiled. */
__attribute__((always_inline)) static inline unsigned order_of(const unsigned char *a,
                                                               const unsigned char *b,
                                                               uint32_t words, uint32_t bits,
                                                               struct order_hints *hints) {
  assert(bits == 16 || bits == 32);
  enum { STEP = ORDER_CHUNK * ORDER_BLOCK };
  unsigned order = order_at(a, b, hints->less, words, bits);
  order &= order_at(a, b, hints->more, words, bits);
  uint32_t i = 0;
  for (; i + STEP <= words && order != ORDER_NONE; i += STEP) {
    size_t at = i * sizeof(uint64_t);
    unsigned left = order & order_chunk(a + at, b + at, bits);
    if (left != order) {
      order = order_blocks(a, b, i, i + STEP, words, bits, order, hints);
    }
  }
  return order_blocks(a, b, i, words, words, bits, order, hints);
}

#endif
