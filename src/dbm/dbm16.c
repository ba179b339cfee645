/* Zones with entries of 16 bits. */
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "dbm/ops_int.h"

typedef int16_t entry;
#define INFINITE INT16_MAX
#define OPS clew_dbm_ops16
/* A sum that would wrap becomes the largest or the least number. */
#ifdef __SSE2__
#define ADD_LANES(a, b) ((lanes)_mm_adds_epi16((__m128i)(a), (__m128i)(b)))
#else
#define ADD_LANES(a, b) add_lanes(a, b)
typedef int16_t narrow_lanes __attribute__((vector_size(16)));
static inline narrow_lanes add_lanes(narrow_lanes a, narrow_lanes b) {
  narrow_lanes sum;
  for (int i = 0; i < 8; i++) {
    int32_t each = (int32_t)a[i] + b[i];
    sum[i] = (int16_t)(each > INT16_MAX ? INT16_MAX : each < INT16_MIN ? INT16_MIN : each);
  }
  return sum;
}
#endif

#include "dbm/dbm_body_int.h"
