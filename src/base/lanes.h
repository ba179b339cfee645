/* A bucket of sixteen 32-bit entries in one cache line, looked at as a whole. An entry has a tag in
 * its upper bits and a number in its lower ones; 0 is an empty entry.
 *
 * Other threads may be writing: the lanes are seen at different moments, each of them whole and
 * once (hence volatile: a lane read twice could be neither empty nor a match). That is enough where
 * an entry that is taken stays so with its tag, and where one that was seen as empty is confirmed
 * by a compare-and-swap. */
#ifndef CLEW_BASE_LANES_H
#define CLEW_BASE_LANES_H

#include <stdatomic.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Whether memory that another thread may be writing is read by the line or the word: the processor
 * allows it, and what was written meanwhile is not used. It is no atomic access to the language. */
#ifdef __SANITIZE_THREAD__
#define CLEW_WHOLE_LINES 0
#elif defined(__has_feature)
#define CLEW_WHOLE_LINES !__has_feature(thread_sanitizer)
#else
#define CLEW_WHOLE_LINES 1
#endif

enum { CLEW_LANES = 16, CLEW_LANES_BYTES = 64 };

/* Bit i: entry i is taken and has the tag; entry i is empty. */
struct clew_lanes {
  uint32_t matches, empties;
};

#if defined(__SSE2__) && CLEW_WHOLE_LINES
static inline uint32_t clew_lanes_mask(__m128i a, __m128i b, __m128i c, __m128i d) {
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
}

static inline struct clew_lanes clew_lanes_scan(const unsigned char *bucket, uint32_t tag,
                                                uint32_t tag_mask) {
  const volatile __m128i *line = (const volatile __m128i *)(const void *)bucket;
  __m128i a = line[0], b = line[1], c = line[2], d = line[3];
  __m128i wanted = _mm_set1_epi32((int)tag), mask = _mm_set1_epi32((int)tag_mask);
  __m128i zero = _mm_setzero_si128();
  struct clew_lanes lanes = {
      .empties = clew_lanes_mask(_mm_cmpeq_epi32(a, zero), _mm_cmpeq_epi32(b, zero),
                                 _mm_cmpeq_epi32(c, zero), _mm_cmpeq_epi32(d, zero))};
  lanes.matches = clew_lanes_mask(_mm_cmpeq_epi32(_mm_and_si128(a, mask), wanted),
                                  _mm_cmpeq_epi32(_mm_and_si128(b, mask), wanted),
                                  _mm_cmpeq_epi32(_mm_and_si128(c, mask), wanted),
                                  _mm_cmpeq_epi32(_mm_and_si128(d, mask), wanted)) &
                  ~lanes.empties;
  return lanes;
}
#else
static inline struct clew_lanes clew_lanes_scan(const unsigned char *bucket, uint32_t tag,
                                                uint32_t tag_mask) {
  const _Atomic uint32_t *entries = (const _Atomic uint32_t *)(const void *)bucket;
  struct clew_lanes lanes = {0, 0};
  for (uint32_t i = 0; i < CLEW_LANES; i++) {
    uint32_t entry = atomic_load_explicit(entries + i, memory_order_relaxed);
    lanes.matches |= (uint32_t)((entry & tag_mask) == tag && entry != 0) << i;
    lanes.empties |= (uint32_t)(entry == 0) << i;
  }
  return lanes;
}
#endif

#endif
