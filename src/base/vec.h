/* Growable arrays of anything:
 *
 *   CLEW_VEC(uint32_t) ids = {0};
 *   clew_vec_push(&ids, 7);
 *   for (uint32_t i = 0; i < ids.len; i++) use(ids.data[i]);
 *   clew_vec_free(&ids);
 *
 * A zeroed vector is empty. At most UINT32_MAX - 1 elements. */
#ifndef CLEW_BASE_VEC_H
#define CLEW_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

#define CLEW_VEC(type)                                                                             \
  struct {                                                                                         \
    type *data;                                                                                    \
    uint32_t len, cap;                                                                             \
  }

/* Room for `want` elements in all; returns the new data pointer and updates *cap. */
void *clew_vec_grow(void *data, uint32_t *cap, uint32_t want, size_t element_bytes);

#define clew_vec_reserve(v, want)                                                                  \
  ((v)->cap >= (want)                                                                              \
       ? (void)0                                                                                   \
       : (void)((v)->data = clew_vec_grow((v)->data, &(v)->cap, (want), sizeof *(v)->data)))
#define clew_vec_push(v, item)                                                                     \
  (clew_vec_reserve((v), (v)->len + 1), (void)((v)->data[(v)->len++] = (item)))
#define clew_vec_pop(v) ((v)->data[--(v)->len])
#define clew_vec_last(v) ((v)->data[(v)->len - 1])
#define clew_vec_clear(v) ((void)((v)->len = 0))
#define clew_vec_free(v) (clew_free((v)->data), (void)((v)->data = NULL, (v)->len = (v)->cap = 0))

#endif
