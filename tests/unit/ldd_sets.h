/* Diagrams against plain sets of vectors: a vector of few small values is a number, and a set of
 * them an array of truth values. */
#ifndef CLEW_TESTS_LDD_SETS_H
#define CLEW_TESTS_LDD_SETS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "dd/ldd.h"

enum { MOST_LEVELS = 10, MOST_POINTS = 4096 };

/* All vectors of `levels` values, each below its radix. */
struct space {
  uint32_t levels, points;
  uint32_t radix[MOST_LEVELS];
};

struct plain {
  bool has[MOST_POINTS];
};

static inline struct space space_random(struct clew_random *random, uint32_t most_levels) {
  struct space space = {.levels = 1 + (uint32_t)clew_random_below(random, most_levels),
                        .points = 1};
  for (uint32_t i = 0; i < space.levels; i++) {
    space.radix[i] = 1 + (uint32_t)clew_random_below(random, 4);
    space.points *= space.radix[i];
    if (space.points > MOST_POINTS) {
      space.points /= space.radix[i];
      space.radix[i] = 1;
    }
  }
  return space;
}

static inline void space_vector(const struct space *space, uint32_t point, uint32_t *vector) {
  for (uint32_t i = space->levels; i-- > 0;) {
    vector[i] = point % space->radix[i];
    point /= space->radix[i];
  }
}

static inline uint32_t space_point(const struct space *space, const uint32_t *vector) {
  uint32_t point = 0;
  for (uint32_t i = 0; i < space->levels; i++) {
    assert_true(vector[i] < space->radix[i]);
    point = point * space->radix[i] + vector[i];
  }
  return point;
}

static inline void plain_random(struct clew_random *random, const struct space *space,
                                struct plain *set) {
  static const uint32_t chances[] = {0, 5, 30, 50, 80, 100};
  uint64_t chance = chances[clew_random_below(random, 6)];
  memset(set, 0, sizeof *set);
  for (uint32_t i = 0; i < space->points; i++) {
    set->has[i] = clew_random_below(random, 100) < chance;
  }
}

static inline uint64_t plain_count(const struct space *space, const struct plain *set) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < space->points; i++) {
    count += set->has[i];
  }
  return count;
}

/* The diagram of a plain set, from rows in random order, some of them twice. */
static inline clew_ldd ldd_of(struct clew_dd *dd, struct clew_random *random,
                              const struct space *space, const struct plain *set) {
  uint32_t *rows = clew_alloc(sizeof *rows * (space->points * 2 + 1) * (space->levels + 1));
  uint64_t count = 0;
  for (uint32_t i = 0; i < space->points; i++) {
    if (set->has[i]) {
      uint64_t times = clew_random_below(random, 8) == 0 ? 2 : 1;
      for (; times > 0; times--) {
        uint64_t at = clew_random_below(random, count + 1);
        memcpy(rows + count * space->levels, rows + at * space->levels,
               space->levels * sizeof *rows);
        space_vector(space, i, rows + at * space->levels);
        count++;
      }
    }
  }
  clew_ldd made = clew_ldd_from_rows(dd, rows, count, space->levels);
  clew_free(rows);
  return made;
}

/* Exactly these vectors, in a diagram that is right. */
static inline void assert_same(struct clew_dd *dd, clew_ldd set, const struct space *space,
                               const struct plain *expected) {
  const char *why = NULL;
  assert_int_not_equal(set, CLEW_DD_NONE);
  if (!clew_ldd_validate(dd, set, space->levels, &why)) {
    fail_msg("%s", why);
  }
  uint32_t vector[MOST_LEVELS];
  for (uint32_t i = 0; i < space->points; i++) {
    space_vector(space, i, vector);
    assert_int_equal(clew_ldd_member(dd, set, vector, space->levels), expected->has[i]);
  }
  struct clew_natural count = {0};
  clew_ldd_count(dd, set, &count);
  assert_int_equal(clew_natural_at_most(&count, UINT64_MAX), plain_count(space, expected));
  clew_natural_free(&count);
}

static inline void assert_valid(const struct clew_dd *dd) {
  const char *why = NULL;
  if (!clew_dd_validate(dd, &why)) {
    fail_msg("%s", why);
  }
}

#endif
