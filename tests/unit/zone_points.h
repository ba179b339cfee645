/* For tests of zones: sets of valuations as plain predicates on points of a grid, to compare zones
 * with. All values are in units of 1 / SCALE.
 *
 * Bounds are integers, so whether a valuation is in a set depends on the order of the fractional
 * parts of its clocks only. Points to be judged lie on halves; a point that has to *exist* is
 * looked for on the finer grid. */
#ifndef CLEW_TESTS_ZONE_POINTS_H
#define CLEW_TESTS_ZONE_POINTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "dbm/fed.h"
#include "dbm/minimal.h"

enum {
  SCALE = 8,
  HALF = SCALE / 2,
  MOST_DIM = 5,
  MOST_CONSTANT = 3,
  GRID_END = (MOST_CONSTANT + 1) * SCALE, /* last value of a point that is judged */
};

typedef bool point_set(const void *context, const int32_t *values);

static inline void *new_zone(const struct clew_dbm_space *space) {
  return clew_alloc(space->bytes);
}

static inline bool in_zone(const struct clew_dbm_space *space, const void *zone,
                           const int32_t *values) {
  return clew_dbm_contains(space, zone, values, SCALE);
}

static inline void assert_valid(const struct clew_dbm_space *space, const void *zone) {
  const char *why = NULL;
  if (!clew_dbm_validate(space, zone, &why)) {
    fail_msg("%s", why);
  }
}

/* The next point of the grid with the given step; false after the last. Begins at zero. */
static inline bool next_point(uint32_t dim, int32_t *values, int32_t step, int32_t end) {
  for (uint32_t i = 1; i < dim; i++) {
    values[i] += step;
    if (values[i] <= end) {
      return true;
    }
    values[i] = 0;
  }
  return false;
}

static inline bool is_negative(uint32_t dim, const int32_t *values) {
  for (uint32_t i = 1; i < dim; i++) {
    if (values[i] < 0) {
      return true;
    }
  }
  return false;
}

/* The valuation after `delay`, which may be negative. */
static inline void shifted(uint32_t dim, const int32_t *values, int32_t delay, int32_t *out) {
  out[0] = 0;
  for (uint32_t i = 1; i < dim; i++) {
    out[i] = values[i] + delay;
  }
}

static inline int32_t random_between(struct clew_random *random, int32_t lo, int32_t hi) {
  return lo + (int32_t)clew_random_below(random, (uint64_t)(hi - lo + 1));
}

static inline struct clew_dbm_constraint random_constraint(struct clew_random *random,
                                                           uint32_t dim) {
  struct clew_dbm_constraint c;
  c.i = (uint32_t)clew_random_below(random, dim);
  do {
    c.j = (uint32_t)clew_random_below(random, dim);
  } while (c.j == c.i);
  int32_t constant = random_between(random, -MOST_CONSTANT, MOST_CONSTANT);
  if (c.j == 0 && constant < 0) {
    constant = -constant;
  }
  c.bound =
      clew_random_below(random, 2) == 0 ? clew_bound_below(constant) : clew_bound_at_most(constant);
  return c;
}

/* A zone that is not empty, made by constraints, delays and assignments. */
static inline void random_zone(struct clew_random *random, const struct clew_dbm_space *space,
                               void *zone) {
  void *attempt = new_zone(space);
  clew_dbm_universe(space, zone);
  if (clew_random_below(random, 3) == 0) {
    clew_dbm_zero(space, zone);
  }
  for (uint32_t n = (uint32_t)clew_random_below(random, 8); n > 0; n--) {
    struct clew_dbm_constraint c = random_constraint(random, space->dim);
    clew_dbm_copy(space, attempt, zone);
    if (clew_random_below(random, 6) == 0) {
      clew_dbm_up(space, zone, NULL);
    } else if (space->dim > 1 && clew_random_below(random, 6) == 0) {
      clew_dbm_assign(space, zone, 1 + (uint32_t)clew_random_below(random, space->dim - 1),
                      random_between(random, 0, MOST_CONSTANT));
    } else if (clew_dbm_constrain(space, attempt, c.i, c.j, c.bound)) {
      clew_dbm_copy(space, zone, attempt);
    }
  }
  clew_free(attempt);
}

#endif
