/* The runtime that the C code emitted for a model includes (src/ir/emit*.c write that code). It
 * stands alone besides native_abi.h and model/succs.h: clew carries a copy of the three and writes
 * them next to what it compiles, so an installed clew needs no source tree.
 *
 * Everything here is inlined into code whose arguments are mostly literals; the compiler folds the
 * rest. The code is compiled with -fwrapv, so conversions of stored numbers wrap as they should.
 *
 * A run-time error or a false assumption becomes *pending* and the emitted code jumps to the end of
 * its function at once. The interpreter goes on with valid values instead; the difference cannot be
 * seen, because nothing that happens while something is pending has consequences. */
#ifndef CLEW_IR_NATIVE_RT_H
#define CLEW_IR_NATIVE_RT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ir/native_abi.h"
#include "model/succs.h"

#define CLEW_RT_UNDEFINED INT64_MIN
#define CLEW_RT_DISCARD UINT32_MAX
#define CLEW_RT_NONE UINT32_MAX

#define CLEW_RT_INLINE static inline __attribute__((always_inline, unused))
#define CLEW_RT_RARE(condition) __builtin_expect(!!(condition), 0)

/* What one execution carries along; lives in registers where everything is inlined. */
struct clew_rt {
  uint32_t pending; /* 0, CLEW_RT_DISCARD, or the site of a fault + 1 */
  uint32_t depth;   /* calls that are active; kept only if the program is recursive */
  uint64_t *covered;
  const _Atomic bool *stop; /* looked at only where the program polls */
};

/* Ends the function being emitted, whose last label is `out`. */
#define CLEW_RT_FAIL(site)                                                                         \
  do {                                                                                             \
    x->pending = (site) + 1u;                                                                      \
    goto out;                                                                                      \
  } while (0)
#define CLEW_RT_DROP()                                                                             \
  do {                                                                                             \
    x->pending = CLEW_RT_DISCARD;                                                                  \
    goto out;                                                                                      \
  } while (0)

/* ---- Slots: `bit` is word * 64 + shift; a field never straddles a word ---------------------- */

CLEW_RT_INLINE uint64_t clew_rt_get(const uint64_t *s, uint32_t bit, uint64_t mask) {
  return (s[bit >> 6] >> (bit & 63)) & mask;
}

/* The mask must cover all of `raw`. */
CLEW_RT_INLINE void clew_rt_put(uint64_t *word, uint32_t shift, uint64_t mask, uint64_t raw) {
  *word = (*word & ~(mask << shift)) | raw << shift;
}

CLEW_RT_INLINE void clew_rt_set(uint64_t *s, uint32_t bit, uint64_t mask, uint64_t raw) {
  clew_rt_put(&s[bit >> 6], bit & 63, mask, raw);
}

/* Between stored numbers and values of cells that can be undefined; bias is the least value - 1. */
CLEW_RT_INLINE int64_t clew_rt_value(uint64_t raw, int64_t bias) {
  return raw == 0 ? CLEW_RT_UNDEFINED : (int64_t)(raw + (uint64_t)bias);
}

/* Also for cells that cannot be undefined: an uninitialised frame copied to them makes them
 * least. */
CLEW_RT_INLINE uint64_t clew_rt_raw(int64_t value, int64_t bias) {
  return value == CLEW_RT_UNDEFINED ? 0 : (uint64_t)value - (uint64_t)bias;
}

CLEW_RT_INLINE void clew_rt_undefine(int64_t *cells, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    cells[i] = CLEW_RT_UNDEFINED;
}

CLEW_RT_INLINE void clew_rt_cover(struct clew_rt *x, uint32_t bit) {
  if (x->covered != NULL)
    x->covered[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* ---- Arithmetic that can leave the integers: true when it does ------------------------------ */

CLEW_RT_INLINE bool clew_rt_neg(int64_t a, int64_t *result) {
  return __builtin_sub_overflow((int64_t)0, a, result) || *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_add(int64_t a, int64_t b, int64_t *result) {
  return __builtin_add_overflow(a, b, result) || *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_sub(int64_t a, int64_t b, int64_t *result) {
  return __builtin_sub_overflow(a, b, result) || *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_mul(int64_t a, int64_t b, int64_t *result) {
  return __builtin_mul_overflow(a, b, result) || *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_div(int64_t a, int64_t b, int64_t *result) {
  if (b == 0)
    return true;
  if (b == -1) /* the division instruction traps for the least integer */
    return clew_rt_neg(a, result);
  *result = a / b;
  return *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_mod(int64_t a, int64_t b, int64_t *result) {
  if (b == 0)
    return true;
  *result = b == -1 ? 0 : a % b;
  return false;
}

CLEW_RT_INLINE bool clew_rt_shl(int64_t a, int64_t b, int64_t *result) {
  if (b < 0 || b > 63)
    return true;
  *result = (int64_t)((uint64_t)a << b);
  return *result >> b != a || *result == INT64_MIN;
}

CLEW_RT_INLINE bool clew_rt_shr(int64_t a, int64_t b, int64_t *result) {
  if (b < 0 || b > 63)
    return true;
  *result = a >> b;
  return *result == INT64_MIN;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* A copy of the state at the end of the buffer, to become a successor. */
CLEW_RT_INLINE uint64_t *clew_rt_begin(const uint64_t *restrict s, struct clew_succs *o,
                                       uint32_t words) {
  if (CLEW_RT_RARE(o->count == o->capacity))
    o->grow(o);
  uint64_t *p = o->states + (uint64_t)o->count * words;
  memcpy(p, s, words * sizeof *p);
  return p;
}

/* The same for `fire`, which may be asked to work in place. */
CLEW_RT_INLINE void clew_rt_copy(uint64_t *p, const uint64_t *s, uint32_t words) {
  if (p != s)
    memcpy(p, s, words * sizeof *p);
}

/* The instance of a family that a piece begins with. */
CLEW_RT_INLINE uint32_t clew_rt_first_instance(uint32_t from, uint32_t first_edge, uint32_t rules) {
  return from > first_edge ? (from - first_edge) / rules : 0;
}

/* Something is pending after a guard or a body: reports a fault, forgets the rest. True for a
 * fault, which counts as an enabled instance. */
CLEW_RT_INLINE bool clew_rt_settle(struct clew_rt *x, struct clew_succs *o, uint32_t edge) {
  uint32_t pending = x->pending;
  x->pending = 0;
  x->depth = 0;
  if (pending == CLEW_RT_DISCARD) {
    o->discarded++;
    return false;
  }
  o->add_fault(o, edge, pending - 1);
  return true;
}

/* The site of a fault that is pending, for those who have no buffer. */
CLEW_RT_INLINE uint32_t clew_rt_site(const struct clew_rt *x) {
  return x->pending == 0 || x->pending == CLEW_RT_DISCARD ? CLEW_RT_NONE : x->pending - 1;
}

/* A buffer that keeps the successor of one edge and forgets the others. */
struct clew_rt_pick {
  struct clew_succs succs; /* first: the callbacks get a pointer to it */
  uint64_t *other;         /* where states go that come after the one that is wanted */
  uint32_t edge, last;     /* wanted; of the state that is kept at the moment */
  uint32_t site;
  bool found;
};

static inline __attribute__((unused)) void clew_rt_pick_grow(struct clew_succs *o) {
  struct clew_rt_pick *pick = (struct clew_rt_pick *)o;
  if (!pick->found && pick->last == pick->edge) {
    pick->found = true;
    o->states = pick->other;
  }
  o->count = 0;
}

static inline __attribute__((unused)) void clew_rt_pick_fault(struct clew_succs *o, uint32_t edge,
                                                              uint32_t site) {
  struct clew_rt_pick *pick = (struct clew_rt_pick *)o;
  if (edge == pick->edge)
    pick->site = site;
}

CLEW_RT_INLINE void clew_rt_pick_open(struct clew_rt_pick *pick, uint32_t words, uint32_t edge,
                                      uint64_t *wanted, uint64_t *other) {
  *pick = (struct clew_rt_pick){
      .other = other, .edge = edge, .last = CLEW_RT_NONE, .site = CLEW_RT_NONE};
  pick->succs = (struct clew_succs){.words = words,
                                    .capacity = 1,
                                    .states = wanted,
                                    .edges = &pick->last,
                                    .stop = &clew_never,
                                    .grow = clew_rt_pick_grow,
                                    .add_fault = clew_rt_pick_fault};
}

CLEW_RT_INLINE bool clew_rt_pick_close(struct clew_rt_pick *pick) {
  return pick->found || (pick->succs.count == 1 && pick->last == pick->edge);
}

/* The last i < count with first[i] <= n; there is one. */
CLEW_RT_INLINE uint32_t clew_rt_find(const uint32_t *first, uint32_t count, uint32_t n) {
  uint32_t low = 0;
  while (count > 1) {
    uint32_t half = count / 2;
    low += first[low + half] <= n ? half : 0;
    count -= half;
  }
  return low;
}

/* ---- Bags: insertion sort, because a rule moves few elements of a bag that was sorted -------- */

/* Whether any words from `first` to `last` of the new state differ from the old one; true also when
 * both are in the same place, as `fire` allows, and nobody knows. */
CLEW_RT_INLINE bool clew_rt_differ(const uint64_t *a, const uint64_t *b, uint32_t first,
                                   uint32_t last) {
  uint64_t difference = a == b;
  for (uint32_t i = first; i <= last; i++)
    difference |= a[i] ^ b[i];
  return difference != 0;
}

/* Elements as fields whose first cell is lowest: whether a stands behind b. cells[i] has the bits
 * of the cell that bit i is in. */
CLEW_RT_INLINE bool clew_rt_field_after(uint64_t a, uint64_t b, const uint64_t *cells) {
  if (a == b)
    return false;
  uint64_t cell = cells[__builtin_ctzll(a ^ b)];
  return (a & cell) > (b & cell);
}

/* Whether anything moved. */
CLEW_RT_INLINE bool clew_rt_sort_fields(uint64_t *fields, uint32_t count, const uint64_t *cells) {
  bool moved = false;
  for (uint32_t i = 1; i < count; i++) {
    uint64_t field = fields[i];
    uint32_t at = i;
    for (; at > 0 && clew_rt_field_after(fields[at - 1], field, cells); at--)
      fields[at] = fields[at - 1];
    fields[at] = field;
    moved |= at != i;
  }
  return moved;
}

/* Whether the element whose cells are at a[] has to stand behind the one whose cells are at b[]. */
static inline __attribute__((unused)) bool clew_rt_after(const uint64_t *s, const uint32_t *a,
                                                         const uint32_t *b, const uint64_t *masks,
                                                         uint32_t stride) {
  uint64_t a_present = clew_rt_get(s, a[0], 1), b_present = clew_rt_get(s, b[0], 1);
  if (a_present != b_present)
    return a_present < b_present;
  for (uint32_t i = 1; i < stride; i++) {
    uint64_t a_raw = clew_rt_get(s, a[i], masks[i]), b_raw = clew_rt_get(s, b[i], masks[i]);
    if (a_raw != b_raw)
      return a_raw > b_raw;
  }
  return false;
}

/* Elements too wide for a field. `at` has the bits of all cells of the bag, `masks` those of one
 * element. */
static inline __attribute__((unused)) void clew_rt_sort_cells(uint64_t *s, const uint32_t *at,
                                                              const uint64_t *masks, uint32_t count,
                                                              uint32_t stride) {
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t j = i; j > 0; j--) {
      const uint32_t *a = at + (uint64_t)(j - 1) * stride, *b = a + stride;
      if (!clew_rt_after(s, a, b, masks, stride))
        break;
      for (uint32_t c = 0; c < stride; c++) {
        uint64_t a_raw = clew_rt_get(s, a[c], masks[c]), b_raw = clew_rt_get(s, b[c], masks[c]);
        clew_rt_set(s, a[c], masks[c], b_raw);
        clew_rt_set(s, b[c], masks[c], a_raw);
      }
    }
}

#endif
