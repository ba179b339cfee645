/* Bounds of zones: "less than c" or "at most c" as one integer that orders and adds.
 *
 * A raw bound is 2c for < c and 2c + 1 for <= c, so the tighter bound is the smaller number, and
 * the least upper bound of nothing at all is CLEW_BOUND_INFINITE. The sum of two bounds is strict
 * when one of them is. */
#ifndef CLEW_DBM_BOUND_H
#define CLEW_DBM_BOUND_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef int32_t clew_bound;

#define CLEW_BOUND_INFINITE INT32_MAX
enum {
  CLEW_BOUND_ZERO = 1,      /* <= 0 */
  CLEW_BOUND_BELOW_ZERO = 0 /* < 0 */
};
/* No constant of a clock may be larger: sums of three bounds still fit. */
#define CLEW_BOUND_MOST (INT32_C(1) << 28)

static inline clew_bound clew_bound_at_most(int32_t c) {
  assert(c >= -CLEW_BOUND_MOST && c <= CLEW_BOUND_MOST);
  return c * 2 + 1;
}
static inline clew_bound clew_bound_below(int32_t c) {
  assert(c >= -CLEW_BOUND_MOST && c <= CLEW_BOUND_MOST);
  return c * 2;
}
static inline bool clew_bound_is_strict(clew_bound b) {
  return (b & 1) == 0;
}
/* The constant; rounds to the left, so it also serves for negative ones. */
static inline int32_t clew_bound_constant(clew_bound b) {
  assert(b != CLEW_BOUND_INFINITE);
  return b >> 1;
}
static inline clew_bound clew_bound_add(clew_bound a, clew_bound b) {
  if (a == CLEW_BOUND_INFINITE || b == CLEW_BOUND_INFINITE) {
    return CLEW_BOUND_INFINITE;
  }
  return a + b - ((a | b) & 1);
}
/* The bound of everything that the other one leaves out: not (x < c) is -x <= -c. */
static inline clew_bound clew_bound_negate(clew_bound b) {
  assert(b != CLEW_BOUND_INFINITE);
  return 1 - b;
}

#endif
