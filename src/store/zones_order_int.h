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

#ifdef __SSE2__
/* Sixteen bytes of each, the last eight of which may be beyond the end. */
static inline void order_load(const unsigned char *a, const unsigned char *b, uint32_t words,
                              __m128i *x, __m128i *y) {
  if (words > 1) {
    *x = _mm_loadu_si128((const __m128i *)(const void *)a);
    *y = _mm_loadu_si128((const __m128i *)(const void *)b);
  } else {
    *x = _mm_loadl_epi64((const __m128i *)(const void *)a);
    *y = _mm_loadl_epi64((const __m128i *)(const void *)b);
  }
}

static inline unsigned order_of(const unsigned char *a, const unsigned char *b, uint32_t words,
                                uint32_t bits) {
  assert(bits == 16 || bits == 32);
  unsigned order = ORDER_EQUAL;
  for (uint32_t i = 0; i < words && order != ORDER_NONE; i += 2) {
    __m128i x, y;
    size_t at = i * sizeof(uint64_t);
    order_load(a + at, b + at, words - i, &x, &y);
    __m128i less = bits == 16 ? _mm_cmpgt_epi16(y, x) : _mm_cmpgt_epi32(y, x);
    __m128i more = bits == 16 ? _mm_cmpgt_epi16(x, y) : _mm_cmpgt_epi32(x, y);
    order &= _mm_movemask_epi8(less) != 0 ? ~(unsigned)ORDER_COVERS : ORDER_EQUAL;
    order &= _mm_movemask_epi8(more) != 0 ? ~(unsigned)ORDER_COVERED : ORDER_EQUAL;
  }
  return order;
}
#else
static inline int32_t order_number(const unsigned char *at, uint32_t bits) {
  int16_t narrow;
  int32_t wide;
  memcpy(&narrow, at, sizeof narrow);
  memcpy(&wide, at, bits == 16 ? sizeof narrow : sizeof wide);
  return bits == 16 ? narrow : wide;
}

static inline unsigned order_of(const unsigned char *a, const unsigned char *b, uint32_t words,
                                uint32_t bits) {
  assert(bits == 16 || bits == 32);
  unsigned order = ORDER_EQUAL;
  size_t bytes = words * sizeof(uint64_t);
  for (size_t at = 0; at < bytes && order != ORDER_NONE; at += bits / 8) {
    int32_t x = order_number(a + at, bits), y = order_number(b + at, bits);
    order &= x < y ? ~(unsigned)ORDER_COVERS : ORDER_EQUAL;
    order &= x > y ? ~(unsigned)ORDER_COVERED : ORDER_EQUAL;
  }
  return order;
}
#endif

#endif
