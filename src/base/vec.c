/* The growth of vectors: doubling, so that a push costs amortised constant time. */
#include "base/vec.h"

#include <assert.h>

enum { FIRST_CAP = 8 };

void *clew_vec_grow(void *data, uint32_t *cap, uint32_t want, size_t element_bytes) {
  assert(element_bytes > 0);
  assert(want > *cap);
  if (want == UINT32_MAX) {
    clew_fatal("a list grew beyond 4,294,967,294 elements");
  }
  uint64_t grown = (uint64_t)*cap * 2;
  if (grown < FIRST_CAP) {
    grown = FIRST_CAP;
  }
  if (grown < want) {
    grown = want;
  }
  if (grown > UINT32_MAX - 1) {
    grown = UINT32_MAX - 1;
  }
  data = clew_realloc_array(data, (size_t)grown, element_bytes);
  *cap = (uint32_t)grown;
  return data;
}
