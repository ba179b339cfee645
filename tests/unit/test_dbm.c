/* Zones against plain sets of points: every operation must mean what its name says, for random
 * zones of up to four clocks and both widths of entries. */
#include "unit/zone_points.h"

#include <string.h>

#include "base/bits.h"

enum { ROUNDS = 60 };

/* The same zone in a space with narrow and one with wide entries. */
struct pair {
  struct clew_dbm_space narrow, wide;
};

static void open_pair(struct pair *pair, uint32_t dim) {
  assert_true(clew_dbm_space_init(&pair->narrow, dim, 2 * MOST_CONSTANT));
  assert_true(clew_dbm_space_init(&pair->wide, dim, 1 << 20));
  assert_int_equal(pair->narrow.entry_bytes, 2);
  assert_int_equal(pair->wide.entry_bytes, 4);
}

static void assert_same(const struct pair *pair, const void *narrow, const void *wide) {
  for (uint32_t i = 0; i < pair->narrow.dim; i++) {
    for (uint32_t j = 0; j < pair->narrow.dim; j++) {
      assert_int_equal(clew_dbm_get(&pair->narrow, narrow, i, j),
                       clew_dbm_get(&pair->wide, wide, i, j));
    }
  }
}

static void widen_zone(const struct pair *pair, const void *narrow, void *wide) {
  clew_dbm_universe(&pair->wide, wide);
  for (uint32_t i = 0; i < pair->narrow.dim; i++) {
    for (uint32_t j = 0; j < pair->narrow.dim; j++) {
      clew_dbm_set(&pair->wide, wide, i, j, clew_dbm_get(&pair->narrow, narrow, i, j));
    }
  }
}

/* ---- by hand ---- */

static void test_by_hand(void **state) {
  (void)state;
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 3, 100));
  void *zone = new_zone(&space);
  const char *const names[] = {"0", "x", "y"};
  clew_dbm_zero(&space, zone);
  clew_dbm_up(&space, zone, NULL);
  assert_true(clew_dbm_constrain(&space, zone, 1, 0, clew_bound_at_most(5)));
  /* x and y have run together: y <= 5 follows. */
  assert_int_equal(clew_dbm_get(&space, zone, 2, 0), clew_bound_at_most(5));
  assert_true(clew_dbm_constrain(&space, zone, 0, 1, clew_bound_below(-2)));
  clew_dbm_assign(&space, zone, 1, 0);
  /* x = 0 and 2 < y <= 5. */
  assert_int_equal(clew_dbm_get(&space, zone, 2, 1), clew_bound_at_most(5));
  assert_int_equal(clew_dbm_get(&space, zone, 1, 2), clew_bound_below(-2));
  assert_valid(&space, zone);
  struct clew_text text = {0};
  clew_dbm_print(&space, zone, names, &text);
  assert_string_equal(clew_text_str(&text), "x = 0, y > 2, y <= 5");
  clew_text_free(&text);
  assert_false(clew_dbm_may_constrain(&space, zone, 2, 1, clew_bound_at_most(2)));
  assert_false(clew_dbm_constrain(&space, zone, 2, 1, clew_bound_at_most(2)));
  clew_dbm_universe(&space, zone);
  clew_dbm_print(&space, zone, names, &text);
  assert_string_equal(clew_text_str(&text), "true");
  clew_text_free(&text);
  assert_true(clew_dbm_is_unbounded(&space, zone));
  clew_free(zone);
}

/* 0 <= c1 < 5 and 0 <= c2 <= 4: closed, the differences are c1 - c2 < 5 and c2 - c1 <= 4, not
 * infinite. (A thesis on zones shows this matrix without them.) */
static void test_box(void **state) {
  (void)state;
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 3, 5));
  void *zone = new_zone(&space);
  clew_dbm_universe(&space, zone);
  clew_dbm_set(&space, zone, 1, 0, clew_bound_below(5));
  clew_dbm_set(&space, zone, 2, 0, clew_bound_at_most(4));
  assert_true(clew_dbm_close(&space, zone));
  assert_valid(&space, zone);
  assert_int_equal(clew_dbm_get(&space, zone, 1, 2), clew_bound_below(5));
  assert_int_equal(clew_dbm_get(&space, zone, 2, 1), clew_bound_at_most(4));
  assert_int_equal(clew_dbm_get(&space, zone, 0, 1), CLEW_BOUND_ZERO);
  assert_int_equal(clew_dbm_get(&space, zone, 0, 2), CLEW_BOUND_ZERO);
  clew_free(zone);
}

static void test_limits(void **state) {
  (void)state;
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 1, 0));
  void *zone = new_zone(&space);
  clew_dbm_zero(&space, zone);
  clew_dbm_up(&space, zone, NULL);
  assert_valid(&space, zone);
  clew_free(zone);
  assert_true(clew_dbm_space_init(&space, 201, 1000));
  assert_false(clew_dbm_space_init(&space, 3, CLEW_BOUND_MOST));
  assert_false(clew_dbm_space_init(&space, CLEW_DBM_MOST_CLOCKS + 1, 1));
  /* The longest chain of constraints that 16 bits have to bear: x1 >= c, x2 - x1 >= c, … */
  const uint32_t dim = 9;
  const int32_t largest = 600;
  assert_true(clew_dbm_space_init(&space, dim, largest));
  assert_int_equal(space.entry_bytes, 2);
  zone = new_zone(&space);
  clew_dbm_universe(&space, zone);
  for (uint32_t i = 1; i < dim; i++) {
    assert_true(clew_dbm_constrain(&space, zone, i - 1, i, clew_bound_at_most(-largest)));
  }
  assert_valid(&space, zone);
  assert_int_equal(clew_dbm_get(&space, zone, 0, dim - 1),
                   clew_bound_at_most(-largest * (int32_t)(dim - 1)));
  assert_false(clew_dbm_is_safe(&space, zone));
  clew_dbm_zero(&space, zone);
  assert_true(clew_dbm_is_safe(&space, zone));
  clew_free(zone);
}

/* ---- constraints ---- */

static bool holds(const struct clew_dbm_constraint *c, const int32_t *values) {
  int32_t difference = values[c->i] - values[c->j], most = clew_bound_constant(c->bound) * SCALE;
  return difference < most || (difference == most && !clew_bound_is_strict(c->bound));
}

static bool all_hold(const struct clew_dbm_constraint *list, uint32_t count,
                     const int32_t *values) {
  for (uint32_t n = 0; n < count; n++) {
    if (!holds(&list[n], values)) {
      return false;
    }
  }
  return true;
}

/* Constraints one by one, all at once, and by intersection are the conjunction. */
static void check_constraints(struct clew_random *random, uint32_t dim) {
  struct pair pair;
  open_pair(&pair, dim);
  void *zone = new_zone(&pair.narrow), *wide = new_zone(&pair.wide);
  void *once = new_zone(&pair.narrow);
  struct clew_dbm_constraint list[6];
  uint32_t count = 1 + (uint32_t)clew_random_below(random, 6);
  bool some = true, some_wide = true;
  clew_dbm_universe(&pair.narrow, zone);
  clew_dbm_universe(&pair.wide, wide);
  clew_dbm_universe(&pair.narrow, once);
  for (uint32_t n = 0; n < count; n++) {
    list[n] = random_constraint(random, dim);
    const struct clew_dbm_constraint *c = &list[n];
    if (some) {
      bool may = clew_dbm_may_constrain(&pair.narrow, zone, c->i, c->j, c->bound);
      some = clew_dbm_constrain(&pair.narrow, zone, c->i, c->j, c->bound);
      assert_int_equal(may, some);
    }
    some_wide = some_wide && clew_dbm_constrain(&pair.wide, wide, c->i, c->j, c->bound);
    if (c->bound < clew_dbm_get(&pair.narrow, once, c->i, c->j)) {
      clew_dbm_set(&pair.narrow, once, c->i, c->j, c->bound);
    }
  }
  assert_int_equal(some, some_wide);
  assert_int_equal(some, clew_dbm_close(&pair.narrow, once));
  if (some) {
    assert_valid(&pair.narrow, zone);
    assert_same(&pair, zone, wide);
    assert_true(clew_dbm_equal(&pair.narrow, zone, once));
    assert_true(clew_dbm_hash(&pair.narrow, zone, 7) == clew_dbm_hash(&pair.narrow, once, 7));
  }
  int32_t values[MOST_DIM] = {0};
  do {
    assert_int_equal(all_hold(list, count, values), some && in_zone(&pair.narrow, zone, values));
  } while (next_point(dim, values, HALF, GRID_END));
  clew_free(zone);
  clew_free(wide);
  clew_free(once);
}

static void test_constraints(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 1);
  for (uint32_t round = 0; round < ROUNDS * 4; round++) {
    check_constraints(&random, 2 + round % 4);
  }
}

/* ---- operations ---- */

/* Whether some value of the clock puts the point into the zone. */
static bool exists_value(const struct clew_dbm_space *space, const void *zone,
                         const int32_t *values, uint32_t clock) {
  int32_t other[MOST_DIM];
  memcpy(other, values, sizeof other);
  for (other[clock] = 0; other[clock] <= 3 * GRID_END; other[clock]++) {
    if (in_zone(space, zone, other)) {
      return true;
    }
  }
  return false;
}

/* Whether a delay of the sign leads from the point into the zone. */
static bool exists_delay(const struct clew_dbm_space *space, const void *zone,
                         const int32_t *values, int32_t sign) {
  int32_t other[MOST_DIM];
  for (int32_t delay = 0; delay <= 3 * GRID_END; delay++) {
    shifted(space->dim, values, sign * delay, other);
    if (!is_negative(space->dim, other) && in_zone(space, zone, other)) {
      return true;
    }
  }
  return false;
}

enum operation { UP, DOWN, ASSIGN, COPY, SHIFT, FREE, OPERATIONS };

struct step {
  enum operation operation;
  uint32_t clock, from;
  int32_t value;
};

static void execute(const struct clew_dbm_space *space, void *zone, const struct step *step) {
  switch (step->operation) {
  case UP:
    clew_dbm_up(space, zone, NULL);
    break;
  case DOWN:
    clew_dbm_down(space, zone);
    break;
  case ASSIGN:
    clew_dbm_assign(space, zone, step->clock, step->value);
    break;
  case COPY:
    clew_dbm_copy_clock(space, zone, step->clock, step->from);
    break;
  case SHIFT:
    clew_dbm_shift(space, zone, step->clock, step->value);
    break;
  default:
    clew_dbm_free_clock(space, zone, step->clock);
  }
}

/* Whether the point must be in the zone after the step, by what the step means. */
static bool is_result(const struct clew_dbm_space *space, const void *before,
                      const struct step *step, const int32_t *values) {
  int32_t other[MOST_DIM];
  memcpy(other, values, sizeof other);
  switch (step->operation) {
  case UP:
    return exists_delay(space, before, values, -1);
  case DOWN:
    return exists_delay(space, before, values, 1);
  case ASSIGN:
    return values[step->clock] == step->value * SCALE &&
           exists_value(space, before, values, step->clock);
  case COPY:
    return step->clock == step->from ? in_zone(space, before, values)
                                     : values[step->clock] == values[step->from] &&
                                           exists_value(space, before, values, step->clock);
  case SHIFT:
    other[step->clock] -= step->value * SCALE;
    return other[step->clock] >= 0 && in_zone(space, before, other);
  default:
    return exists_value(space, before, values, step->clock);
  }
}

static void check_step(struct clew_random *random, uint32_t dim, enum operation operation) {
  struct pair pair;
  open_pair(&pair, dim);
  void *before = new_zone(&pair.narrow), *zone = new_zone(&pair.narrow);
  void *wide = new_zone(&pair.wide);
  random_zone(random, &pair.narrow, before);
  struct step step = {operation, 1 + (uint32_t)clew_random_below(random, dim - 1),
                      (uint32_t)clew_random_below(random, dim),
                      random_between(random, 0, MOST_CONSTANT)};
  if (operation == SHIFT) { /* down as far as the zone allows */
    int32_t least = -clew_bound_constant(clew_dbm_get(&pair.narrow, before, 0, step.clock));
    step.value =
        random_between(random, least > MOST_CONSTANT ? -MOST_CONSTANT : -least, MOST_CONSTANT);
  }
  clew_dbm_copy(&pair.narrow, zone, before);
  widen_zone(&pair, before, wide);
  execute(&pair.narrow, zone, &step);
  execute(&pair.wide, wide, &step);
  assert_valid(&pair.narrow, zone);
  assert_valid(&pair.wide, wide);
  assert_same(&pair, zone, wide);
  int32_t values[MOST_DIM] = {0};
  do {
    assert_int_equal(is_result(&pair.narrow, before, &step, values),
                     in_zone(&pair.narrow, zone, values));
  } while (next_point(dim, values, HALF, GRID_END));
  clew_free(before);
  clew_free(zone);
  clew_free(wide);
}

static void test_operations(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 2);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (enum operation operation = UP; operation < OPERATIONS; operation++) {
      check_step(&random, 2 + round % 3, operation);
    }
  }
  for (enum operation operation = UP; operation < OPERATIONS; operation++) {
    check_step(&random, MOST_DIM, operation);
  }
}

/* With clocks that stand still: every valuation that is reached is in, and nothing else is that a
 * zone could leave out. */
static void test_stopped(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 3);
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 4, 2 * MOST_CONSTANT));
  void *before = new_zone(&space), *zone = new_zone(&space);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    random_zone(&random, &space, before);
    uint64_t stopped = clew_random_below(&random, 8) << 1;
    clew_dbm_copy(&space, zone, before);
    clew_dbm_up(&space, zone, &stopped);
    assert_valid(&space, zone);
    int32_t values[MOST_DIM] = {0}, later[MOST_DIM] = {0};
    do {
      for (int32_t delay = 0; in_zone(&space, before, values) && delay <= GRID_END; delay++) {
        for (uint32_t i = 1; i < 4; i++) {
          later[i] = values[i] + ((stopped >> i & 1) != 0 ? 0 : delay);
        }
        assert_true(in_zone(&space, zone, later));
      }
    } while (next_point(4, values, HALF, GRID_END));
    for (uint32_t i = 0; i < 4; i++) {
      for (uint32_t j = 0; j < 4; j++) {
        /* Only differences that grow with time lose their bound. */
        bool runs_i = i > 0 && (stopped >> i & 1) == 0, runs_j = j > 0 && (stopped >> j & 1) == 0;
        clew_bound expected =
            runs_i && !runs_j ? CLEW_BOUND_INFINITE : clew_dbm_get(&space, before, i, j);
        assert_int_equal(clew_dbm_get(&space, zone, i, j), expected);
      }
    }
  }
  clew_free(before);
  clew_free(zone);
}

/* ---- comparing ---- */

static bool has_point_outside(const struct clew_dbm_space *space, const void *zone,
                              const void *part) {
  int32_t values[MOST_DIM] = {0};
  do {
    if (in_zone(space, part, values) && !in_zone(space, zone, values)) {
      return true;
    }
  } while (next_point(space->dim, values, 2, 2 * GRID_END)); /* fourths: enough for three clocks */
  return false;
}

static void test_inclusion(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 4);
  uint32_t included = 0;
  for (uint32_t round = 0; round < ROUNDS * 4; round++) {
    struct pair pair;
    open_pair(&pair, 2 + round % 3);
    const struct clew_dbm_space *space = &pair.narrow;
    void *a = new_zone(space), *b = new_zone(space), *both = new_zone(space),
         *hull = new_zone(space);
    random_zone(&random, space, a);
    random_zone(&random, space, b);
    if (round % 2 == 0) {
      clew_dbm_hull(space, a, b);
    }
    bool inside = clew_dbm_includes(space, a, b);
    included += inside;
    assert_int_equal(inside, !has_point_outside(space, a, b));
    assert_int_equal(clew_dbm_equal(space, a, b), inside && clew_dbm_includes(space, b, a));
    clew_dbm_copy(space, hull, a);
    clew_dbm_hull(space, hull, b);
    assert_valid(space, hull);
    assert_true(clew_dbm_includes(space, hull, a) && clew_dbm_includes(space, hull, b));
    clew_dbm_copy(space, both, a);
    bool meet = clew_dbm_intersect(space, both, b);
    int32_t values[MOST_DIM] = {0};
    do {
      bool in_both = in_zone(space, a, values) && in_zone(space, b, values);
      assert_int_equal(in_both, meet && in_zone(space, both, values));
    } while (next_point(space->dim, values, HALF, GRID_END));
    clew_free(a);
    clew_free(b);
    clew_free(both);
    clew_free(hull);
  }
  assert_in_range(included, 1, ROUNDS * 4 - 1);
}

/* ---- abstractions ---- */

static void random_constants(struct clew_random *random, uint32_t dim, int32_t *constants) {
  constants[0] = 0;
  for (uint32_t i = 1; i < dim; i++) {
    constants[i] = random_between(random, -1, MOST_CONSTANT);
    constants[i] = constants[i] < 0 ? CLEW_DBM_NO_CONSTANT : constants[i];
  }
}

static bool exceeds(int32_t value, int32_t constant) {
  return constant == CLEW_DBM_NO_CONSTANT || value > constant * SCALE;
}

/* Whether `other` can do all that `values` can: the preorder that a_LU is made of. */
static bool simulates(uint32_t dim, const int32_t *lower, const int32_t *upper,
                      const int32_t *values, const int32_t *other) {
  for (uint32_t i = 1; i < dim; i++) {
    bool fine = values[i] == other[i] || (exceeds(other[i], lower[i]) && other[i] < values[i]) ||
                (exceeds(values[i], upper[i]) && values[i] < other[i]);
    if (!fine) {
      return false;
    }
  }
  return true;
}

static bool in_alu(const struct clew_dbm_space *space, const void *zone, const int32_t *lower,
                   const int32_t *upper, const int32_t *values) {
  int32_t other[MOST_DIM] = {0};
  do {
    if (in_zone(space, zone, other) && simulates(space->dim, lower, upper, values, other)) {
      return true;
    }
  } while (next_point(space->dim, other, space->dim == 3 ? 1 : 2, 2 * GRID_END));
  return false;
}

/* Extrapolated zones contain the zone, and nothing that a_LU of the zone does not. */
static void check_extrapolation(struct clew_random *random, uint32_t dim, bool plus, bool same) {
  struct pair pair;
  open_pair(&pair, dim);
  const struct clew_dbm_space *space = &pair.narrow;
  void *before = new_zone(space), *zone = new_zone(space), *wide = new_zone(&pair.wide);
  int32_t lower[MOST_DIM], upper[MOST_DIM], values[MOST_DIM] = {0};
  random_constants(random, dim, lower);
  random_constants(random, dim, upper);
  if (same) {
    memcpy(upper, lower, sizeof upper);
  }
  random_zone(random, space, before);
  clew_dbm_copy(space, zone, before);
  widen_zone(&pair, before, wide);
  bool changed = clew_dbm_extrapolate(space, zone, lower, upper, plus);
  assert_int_equal(changed, clew_dbm_extrapolate(&pair.wide, wide, lower, upper, plus));
  assert_same(&pair, zone, wide);
  assert_valid(space, zone);
  assert_true(clew_dbm_includes(space, zone, before));
  if (!changed) {
    assert_true(clew_dbm_equal(space, zone, before));
  }
  assert_true(clew_dbm_alu_includes(space, before, zone, lower, upper));
  do {
    if (in_zone(space, zone, values)) {
      assert_true(in_zone(space, before, values) || in_alu(space, before, lower, upper, values));
    }
  } while (next_point(dim, values, HALF, GRID_END));
  clew_free(before);
  clew_free(zone);
  clew_free(wide);
}

static void test_extrapolation(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 5);
  for (uint32_t round = 0; round < ROUNDS * 4; round++) {
    check_extrapolation(&random, round % 20 == 0 ? 4 : 2 + round % 2, round % 4 < 2,
                        round % 3 == 0);
  }
}

/* Extra+_LU as it is defined, entry by entry, then closed in cubic time. */
static void extrapolate_by_definition(const struct clew_dbm_space *space, const void *before,
                                      const int32_t *lower, const int32_t *upper, void *after) {
  clew_dbm_copy(space, after, before);
  for (uint32_t i = 0; i < space->dim; i++) {
    for (uint32_t j = 0; j < space->dim; j++) {
      clew_bound bound = clew_dbm_get(space, before, i, j);
      if (i == j || bound == CLEW_BOUND_INFINITE) {
        continue;
      }
      int32_t c = clew_bound_constant(bound),
              least_i = -clew_bound_constant(clew_dbm_get(space, before, 0, i)),
              least_j = -clew_bound_constant(clew_dbm_get(space, before, 0, j));
      bool lower_i = i > 0 && lower[i] != CLEW_DBM_NO_CONSTANT,
           upper_j = j > 0 && upper[j] != CLEW_DBM_NO_CONSTANT;
      if (i > 0 && (!lower_i || c > lower[i] || least_i > lower[i])) {
        clew_dbm_set(space, after, i, j, CLEW_BOUND_INFINITE);
      } else if (j > 0 && (!upper_j || least_j > upper[j])) {
        clew_bound far = upper_j ? clew_bound_below(-upper[j]) : clew_bound_at_most(0);
        clew_dbm_set(space, after, i, j, i > 0 ? CLEW_BOUND_INFINITE : far);
      }
    }
  }
  assert_true(clew_dbm_close(space, after));
}

static void test_extrapolation_by_definition(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 15);
  enum { LARGEST_DIM = 19, MANY = 4000 };
  uint32_t changes = 0;
  for (uint32_t round = 0; round < MANY; round++) {
    struct clew_dbm_space space;
    uint32_t dim = 2 + (uint32_t)clew_random_below(&random, LARGEST_DIM - 1);
    assert_true(clew_dbm_space_init_plus(&space, dim, round % 2 == 0 ? 10 : 1 << 14));
    assert_int_equal(space.entry_bytes, round % 2 == 0 ? 2 : 4);
    void *before = new_zone(&space), *zone = new_zone(&space), *expected = new_zone(&space);
    int32_t lower[LARGEST_DIM], upper[LARGEST_DIM];
    for (uint32_t step = 0; step < 1 + dim / 4; step++) {
      random_zone(&random, &space, before);
    }
    random_constants(&random, dim, lower);
    random_constants(&random, dim, upper);
    extrapolate_by_definition(&space, before, lower, upper, expected);
    clew_dbm_copy(&space, zone, before);
    bool changed = clew_dbm_extrapolate(&space, zone, lower, upper, true);
    assert_true(clew_dbm_equal(&space, zone, expected));
    assert_true(changed || clew_dbm_equal(&space, zone, before));
    changes += !clew_dbm_equal(&space, zone, before);
    clew_free(before);
    clew_free(zone);
    clew_free(expected);
  }
  assert_in_range(changes, MANY / 4, MANY);
}

/* Caps are the same as constraints one after the other. */
static void test_cap(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 16);
  enum { LARGEST_DIM = 12, MANY = 3000 };
  uint32_t empty = 0;
  for (uint32_t round = 0; round < MANY; round++) {
    struct clew_dbm_space space;
    uint32_t dim = 2 + (uint32_t)clew_random_below(&random, LARGEST_DIM - 1);
    assert_true(clew_dbm_space_init(&space, dim, round % 2 == 0 ? 10 : 1 << 16));
    void *zone = new_zone(&space), *expected = new_zone(&space);
    clew_bound caps[LARGEST_DIM];
    random_zone(&random, &space, zone);
    clew_dbm_copy(&space, expected, zone);
    bool some = true;
    for (uint32_t i = 1; i < dim; i++) {
      int32_t constant = random_between(&random, 0, MOST_CONSTANT + 2);
      caps[i] = constant > MOST_CONSTANT ? CLEW_BOUND_INFINITE
                : constant % 2 == 0      ? clew_bound_at_most(constant)
                                         : clew_bound_below(constant);
      some = some && (caps[i] == CLEW_BOUND_INFINITE ||
                      clew_dbm_constrain(&space, expected, i, 0, caps[i]));
    }
    assert_int_equal(clew_dbm_cap(&space, zone, caps), some);
    assert_true(!some || clew_dbm_equal(&space, zone, expected));
    empty += !some;
    clew_free(zone);
    clew_free(expected);
  }
  assert_in_range(empty, 1, MANY - 1);
}

/* Zones that keep growing reach an end: the abstraction has finitely many values. */
static void test_extrapolation_ends(void **state) {
  (void)state;
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 3, 10));
  void *zone = new_zone(&space), *before = new_zone(&space);
  const int32_t bounds[] = {0, 10, 10};
  clew_dbm_zero(&space, zone);
  uint32_t rounds = 0;
  do { /* x in 1..2, then x := 0; y is never set */
    clew_dbm_copy(&space, before, zone);
    clew_dbm_up(&space, zone, NULL);
    assert_true(clew_dbm_constrain(&space, zone, 1, 0, clew_bound_at_most(2)));
    assert_true(clew_dbm_constrain(&space, zone, 0, 1, clew_bound_at_most(-1)));
    clew_dbm_assign(&space, zone, 1, 0);
    clew_dbm_extrapolate(&space, zone, bounds, bounds, false);
    assert_true(clew_dbm_is_safe(&space, zone));
  } while (!clew_dbm_equal(&space, zone, before) && ++rounds < 100);
  assert_int_equal(rounds, 11); /* y >= 11 is the first that is beyond 10 */
  clew_free(zone);
  clew_free(before);
}

static void test_alu(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 6);
  uint32_t included = 0, rounds = ROUNDS * 2;
  for (uint32_t round = 0; round < rounds; round++) {
    struct clew_dbm_space space;
    assert_true(clew_dbm_space_init(&space, 2 + round % 2, 2 * MOST_CONSTANT));
    void *zone = new_zone(&space), *part = new_zone(&space);
    int32_t lower[MOST_DIM], upper[MOST_DIM], values[MOST_DIM] = {0};
    random_constants(&random, space.dim, lower);
    random_constants(&random, space.dim, upper);
    random_zone(&random, &space, zone);
    random_zone(&random, &space, part);
    bool outside = false;
    do {
      outside = in_zone(&space, part, values) && !in_alu(&space, zone, lower, upper, values);
    } while (!outside && next_point(space.dim, values, 2, GRID_END + SCALE));
    assert_int_equal(!outside, clew_dbm_alu_includes(&space, zone, part, lower, upper));
    included += !outside;
    clew_free(zone);
    clew_free(part);
  }
  assert_in_range(included, rounds / 10, rounds * 9 / 10);
}

/* ---- minimal form ---- */

static void close_without(const struct clew_dbm_space *space, void *zone,
                          const struct clew_dbm_constraint *list, uint32_t count, uint32_t but) {
  clew_dbm_universe(space, zone);
  for (uint32_t n = 0; n < count; n++) {
    if (n != but) {
      clew_dbm_set(space, zone, list[n].i, list[n].j, list[n].bound);
    }
  }
  assert_true(clew_dbm_close(space, zone));
}

static void check_minimal(struct clew_random *random, const struct clew_dbm_space *space) {
  void *zone = new_zone(space), *other = new_zone(space), *back = new_zone(space);
  struct clew_dbm_constraint list[MOST_DIM * MOST_DIM];
  unsigned char *packed = clew_alloc(clew_dbm_packed_most(space));
  random_zone(random, space, zone);
  random_zone(random, space, other);
  size_t bytes = clew_dbm_pack(space, zone, list, packed);
  assert_in_range(bytes, 1, clew_dbm_packed_most(space));
  clew_dbm_unpack(space, packed, back);
  assert_true(clew_dbm_equal(space, zone, back));
  assert_int_equal(clew_dbm_packed_includes(space, packed, other),
                   clew_dbm_includes(space, zone, other));
  clew_dbm_hull(space, other, zone);
  assert_int_equal(clew_dbm_packed_includes(space, packed, other),
                   clew_dbm_includes(space, zone, other));
  uint32_t count = clew_dbm_minimise(space, zone, list);
  for (uint32_t n = 0; n < count; n++) {
    close_without(space, back, list, count, n);
    assert_false(clew_dbm_equal(space, zone, back)); /* each of them is needed */
  }
  clew_free(zone);
  clew_free(other);
  clew_free(back);
  clew_free(packed);
}

static void test_minimal(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 7);
  for (uint32_t round = 0; round < ROUNDS * 4; round++) {
    struct pair pair;
    open_pair(&pair, 2 + round % 4);
    check_minimal(&random, round % 2 == 0 ? &pair.narrow : &pair.wide);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_operations),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_inclusion),
      cmocka_unit_test(test_extrapolation),
      cmocka_unit_test(test_extrapolation_by_definition),
      cmocka_unit_test(test_cap),
      cmocka_unit_test(test_extrapolation_ends),
      cmocka_unit_test(test_alu),
      cmocka_unit_test(test_minimal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
