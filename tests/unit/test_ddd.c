/* Difference decision diagrams against brute force: every operation on random diagrams is compared
 * with what it means for points, one by one.
 *
 * Points lie on halves, with up to four clocks. Bounds are integers, so whether another point
 * exists (after a delay, with another value of a clock) is decided by the points on quarters.
 *
 * CLEW_TEST_DDD=N in the environment makes N rounds of each test instead of a few hundred, and
 * CLEW_TEST_DDD_FORMS=N that many of the test of forms alone, from the seed CLEW_TEST_DDD_FIRST on.
 */
#include "unit/zone_points.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dd/ddd.h"

enum { MOST_POINTS = 700, QUARTER = SCALE / 4, REACH = 2 * GRID_END + SCALE };

struct scene {
  struct clew_budget budget;
  struct clew_dd *dd;
  struct clew_ddd_space *space;
  struct clew_random random;
  uint64_t seed;
  uint32_t dim;
  uint32_t point_count;
  int32_t points[MOST_POINTS][MOST_DIM];
};

static uint32_t rounds(uint32_t few) {
  const char *text = getenv("CLEW_TEST_DDD");
  return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : few;
}

static uint32_t form_rounds(uint32_t few) {
  const char *text = getenv("CLEW_TEST_DDD_FORMS");
  return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : rounds(few);
}

/* All points of the grid, or as many random ones. */
static void make_points(struct scene *scene) {
  int32_t values[MOST_DIM] = {0};
  uint32_t all = 1;
  scene->point_count = 0;
  for (uint32_t i = 1; i < scene->dim; i++) {
    all *= GRID_END / HALF + 1;
  }
  do {
    if (all <= MOST_POINTS || clew_random_below(&scene->random, all) < MOST_POINTS - 100) {
      if (scene->point_count < MOST_POINTS) {
        memcpy(scene->points[scene->point_count++], values, sizeof values);
      }
    }
  } while (next_point(scene->dim, values, HALF, GRID_END));
}

/* In every sixth scene three threads share all operations: in all, if CLEW_TEST_DDD_THREADS is set.
 */
static bool is_threaded(uint64_t seed) {
  return seed % 6 == 0 || getenv("CLEW_TEST_DDD_THREADS") != NULL;
}

static void open_config(struct scene *scene, uint64_t seed, uint32_t often,
                        struct clew_ddd_config config) {
  /* Hardly ever needed: the canonical form of one in 10^5 random sets takes more than 256 MB. */
  clew_budget_init(&scene->budget, (uint64_t)4 << 30);
  clew_random_seed(&scene->random, seed);
  scene->seed = seed;
  scene->dim = 2 + (uint32_t)clew_random_below(&scene->random, MOST_DIM - 1);
  scene->dd = clew_dd_open(&(struct clew_dd_config){
      .budget = &scene->budget, .seed = seed, .threads = is_threaded(seed) ? 3 : 1, .patience = 1});
  assert_non_null(scene->dd);
  clew_dd_collect_often(scene->dd, often);
  config.dim = scene->dim;
  config.largest = 2 * MOST_CONSTANT;
  scene->space = clew_ddd_open(scene->dd, &config);
  assert_non_null(scene->space);
  make_points(scene);
}

static void open_formed(struct scene *scene, uint64_t seed, uint32_t often, bool is_closed,
                        enum clew_ddd_form form) {
  open_config(scene, seed, often, (struct clew_ddd_config){.is_closed = is_closed, .form = form});
}

/* Where a low edge says nothing. */
static void open_upper(struct scene *scene, uint64_t seed, uint32_t often, bool is_closed) {
  open_config(scene, seed, often,
              (struct clew_ddd_config){.is_closed = is_closed, .semantics = CLEW_DDD_UPPER});
}

static void open_scene(struct scene *scene, uint64_t seed, uint32_t often, bool is_closed) {
  open_formed(scene, seed, often, is_closed, CLEW_DDD_LOCAL);
}

static void close_scene(struct scene *scene) {
  const char *why = NULL;
  if (!clew_dd_validate(scene->dd, &why)) {
    fail_msg("%s", why);
  }
  clew_dd_close(scene->dd);
  assert_int_equal(clew_budget_used(&scene->budget), 0);
}

static bool has(const struct scene *scene, clew_ddd set, const int32_t *values) {
  return clew_ddd_contains(scene->space, set, values, SCALE);
}

/* A random set; `has` says by itself, from zones and constraints, which points are in it. */
struct sample {
  clew_ddd set;
  bool points[MOST_POINTS];
};

static bool satisfies(const struct clew_dbm_constraint *c, const int32_t *values) {
  int32_t difference = values[c->i] - values[c->j], most = clew_bound_constant(c->bound) * SCALE;
  return difference < most || (difference == most && !clew_bound_is_strict(c->bound));
}

/* One more zone or constraint is put together with the set. */
static void extend(struct scene *scene, struct sample *sample, void *zone) {
  const struct clew_dbm_space *zones = clew_ddd_zone_space(scene->space);
  struct clew_dbm_constraint c = random_constraint(&scene->random, scene->dim);
  bool is_zone = clew_random_below(&scene->random, 3) > 0;
  uint64_t how = clew_random_below(&scene->random, 6);
  random_zone(&scene->random, zones, zone);
  clew_ddd other = is_zone ? clew_ddd_from_zone(scene->space, zone)
                           : clew_ddd_constraint(scene->space, c.i, c.j, c.bound);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    const int32_t *values = scene->points[i];
    bool is_in = is_zone ? in_zone(zones, zone, values) : satisfies(&c, values);
    assert_int_equal(has(scene, other, values), is_in);
    bool *point = &sample->points[i];
    *point = how == 0 ? *point && is_in : how < 3 ? *point && !is_in : *point || is_in;
  }
  sample->set = how == 0  ? clew_ddd_and(scene->space, sample->set, other)
                : how < 3 ? clew_ddd_minus(scene->space, sample->set, other)
                          : clew_ddd_or(scene->space, sample->set, other);
}

/* The set is kept. */
static void make_sample(struct scene *scene, struct sample *sample) {
  void *zone = new_zone(clew_ddd_zone_space(scene->space));
  memset(sample, 0, sizeof *sample);
  bool is_full = clew_random_below(&scene->random, 3) == 0;
  sample->set = is_full ? CLEW_DDD_TRUE : CLEW_DDD_FALSE;
  memset(sample->points, is_full, sizeof sample->points);
  clew_dd_keep(scene->dd, &sample->set);
  for (uint64_t n = 1 + clew_random_below(&scene->random, 7); n > 0; n--) {
    extend(scene, sample, zone);
  }
  clew_free(zone);
}

/* An operation without an answer is told with all that is needed to see it again. */
static void assert_answer(const struct scene *scene, bool has_answer) {
  if (!has_answer) {
    fail_msg("seed %" PRIu64 ": no answer, status %u, %" PRIu64 " bytes of the budget in use",
             scene->seed, (unsigned)clew_dd_status(scene->dd), clew_budget_used(&scene->budget));
  }
}

static void assert_points(const struct scene *scene, clew_ddd set, const bool *points) {
  assert_answer(scene, set != CLEW_DD_NONE);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    assert_int_equal(has(scene, set, scene->points[i]), points[i]);
  }
}

/* ---- truth functions ---- */

static void check_functions(uint64_t seed, uint32_t often) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  bool expected[MOST_POINTS];
  open_scene(scene, seed, often, seed % 2 == 0);
  make_sample(scene, a);
  make_sample(scene, b);
  assert_points(scene, a->set, a->points);
  clew_ddd or = clew_ddd_or(scene->space, a->set, b->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = a->points[i] || b->points[i];
  }
  assert_points(scene, or, expected);
  clew_ddd and = clew_ddd_and(scene->space, a->set, b->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = a->points[i] && b->points[i];
  }
  assert_points(scene, and, expected);
  clew_dd_keep(scene->dd, &and);
  clew_ddd minus = clew_ddd_minus(scene->space, a->set, b->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = a->points[i] && !b->points[i];
  }
  assert_points(scene, minus, expected);
  /* As truth functions both parts make up the whole again, and complement is its own inverse. */
  assert_int_equal(clew_ddd_or(scene->space, minus, and), a->set);
  clew_ddd not = clew_ddd_not(scene->space, a->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = !a->points[i];
  }
  assert_points(scene, not, expected);
  assert_int_equal(clew_ddd_not(scene->space, not ), a->set);
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_functions(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(600); i++) {
    check_functions(i, i % 3);
  }
}

/* ---- zones ---- */

static void check_zones(uint64_t seed) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  struct clew_fed cover, paths, difference;
  const char *why;
  open_scene(scene, seed, seed % 2 == 0 ? 0 : 1, seed % 3 == 0);
  make_sample(scene, a);
  make_sample(scene, b);
  clew_fed_open(&cover, clew_ddd_zone_space(scene->space));
  clew_fed_open(&paths, clew_ddd_zone_space(scene->space));
  clew_fed_open(&difference, clew_ddd_zone_space(scene->space));
  assert_answer(scene, clew_ddd_cover(scene->space, a->set, &cover));
  assert_answer(scene, clew_ddd_paths(scene->space, a->set, &paths));
  assert_true(clew_fed_validate(&cover, &why) && clew_fed_validate(&paths, &why));
  assert_true(clew_fed_equal(&cover, &paths));
  for (uint32_t i = 0; i < scene->point_count; i++) {
    uint32_t times = 0;
    for (uint32_t k = 0; k < paths.count; k++) {
      times += in_zone(paths.space, clew_fed_zone(&paths, k), scene->points[i]);
    }
    assert_int_equal(times, a->points[i]); /* disjoint */
    assert_int_equal(clew_fed_contains(&cover, scene->points[i], SCALE), a->points[i]);
  }
  /* The difference by zones is that by diagrams. */
  clew_fed_add_all(&difference, &cover);
  clew_fed_clear(&paths);
  assert_answer(scene, clew_ddd_cover(scene->space, b->set, &paths));
  clew_fed_subtract_all(&difference, &paths);
  clew_ddd by_zones = clew_ddd_from_fed(scene->space, &difference);
  clew_dd_keep(scene->dd, &by_zones);
  clew_ddd native = clew_ddd_minus(scene->space, a->set, b->set);
  bool within, around;
  assert_answer(scene, clew_ddd_subset(scene->space, by_zones, native, &within));
  assert_answer(scene, clew_ddd_subset(scene->space, native, by_zones, &around));
  assert_true(within && around);
  clew_fed_close(&cover);
  clew_fed_close(&paths);
  clew_fed_close(&difference);
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_zones(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(500); i++) {
    check_zones(1000 + i);
  }
}

/* ---- forms ---- */

static clew_ddd reduce(struct scene *scene, clew_ddd set) {
  clew_ddd reduced = clew_ddd_reduce(scene->space, set);
  assert_answer(scene, reduced != CLEW_DD_NONE);
  return reduced;
}

/* The same set, put together from its disjoint paths in another order. */
static clew_ddd shuffle(struct scene *scene, clew_ddd set) {
  struct clew_fed paths;
  clew_fed_open(&paths, clew_ddd_zone_space(scene->space));
  assert_answer(scene, clew_ddd_paths(scene->space, set, &paths));
  clew_ddd again = CLEW_DDD_FALSE;
  while (paths.count > 0) {
    uint32_t at = (uint32_t)clew_random_below(&scene->random, paths.count);
    clew_dd_keep(scene->dd, &again);
    clew_ddd zone = clew_ddd_from_zone(scene->space, clew_fed_zone(&paths, at));
    clew_dd_drop(scene->dd, 1);
    again = clew_ddd_or(scene->space, again, zone);
    clew_dbm_copy(paths.space, clew_fed_zone(&paths, at), clew_fed_zone(&paths, paths.count - 1));
    paths.count--;
  }
  clew_fed_close(&paths);
  return again;
}

static void check_forms(uint64_t seed) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  open_scene(scene, seed, seed % 2, seed % 3 == 0);
  make_sample(scene, a);
  make_sample(scene, b);
  /* Reduced: emptiness and validity are numbers. */
  clew_ddd reduced = reduce(scene, a->set);
  assert_points(scene, reduced, a->points);
  assert_true(clew_ddd_is_reduced(scene->space, reduced));
  struct clew_fed paths;
  clew_fed_open(&paths, clew_ddd_zone_space(scene->space));
  assert_answer(scene, clew_ddd_paths(scene->space, a->set, &paths));
  assert_int_equal(reduced == CLEW_DDD_FALSE, paths.count == 0);
  void *universe = new_zone(paths.space);
  clew_dbm_universe(paths.space, universe);
  assert_int_equal(reduced == CLEW_DDD_TRUE, clew_fed_includes(&paths, universe));
  clew_free(universe);
  clew_fed_close(&paths);
  /* Canonical: equality is, too. */
  clew_ddd form = clew_ddd_canonical(scene->space, a->set);
  assert_points(scene, form, a->points);
  clew_dd_keep(scene->dd, &form);
  assert_true(clew_ddd_is_reduced(scene->space, reduce(scene, form)));
  assert_int_equal(clew_ddd_canonical(scene->space, form), form);
  clew_ddd again = shuffle(scene, a->set);
  assert_int_equal(clew_ddd_canonical(scene->space, again), form);
  clew_ddd part = clew_ddd_minus(scene->space, a->set, b->set);
  clew_dd_keep(scene->dd, &part);
  part = shuffle(scene, part);
  clew_ddd both = clew_ddd_and(scene->space, a->set, b->set);
  both = reduce(scene, both);
  again = clew_ddd_or(scene->space, part, both);
  assert_int_equal(clew_ddd_canonical(scene->space, again), form);
  clew_dd_drop(scene->dd, 1);
  /* Sets are equal exactly if each is within the other. */
  clew_ddd other = clew_ddd_canonical(scene->space, b->set);
  bool within, around;
  assert_answer(scene, clew_ddd_subset(scene->space, a->set, b->set, &within));
  assert_answer(scene, clew_ddd_subset(scene->space, b->set, a->set, &around));
  assert_int_equal(other == form, within && around);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    assert_true(!within || !a->points[i] || b->points[i]);
    assert_true(!around || !b->points[i] || a->points[i]);
  }
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_forms(void **state) {
  (void)state;
  const char *first = getenv("CLEW_TEST_DDD_FIRST");
  uint64_t seed = first != NULL ? strtoull(first, NULL, 10) : 2000;
  for (uint32_t i = 0; i < form_rounds(300); i++) {
    check_forms(seed + i);
  }
}

/* Results are in the form that the space was opened with, without being asked for it. */
static void check_kept_form(uint64_t seed, enum clew_ddd_form form) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  open_formed(scene, seed, seed % 2, seed % 3 == 0, form);
  make_sample(scene, a);
  make_sample(scene, b);
  assert_points(scene, a->set, a->points);
  clew_ddd all = clew_ddd_or(scene->space, a->set, b->set);
  clew_dd_keep(scene->dd, &all);
  assert_int_equal(clew_ddd_minus(scene->space, a->set, all), CLEW_DDD_FALSE);
  clew_ddd rest = clew_ddd_not(scene->space, all);
  clew_dd_keep(scene->dd, &rest);
  assert_int_equal(clew_ddd_or(scene->space, all, rest), CLEW_DDD_TRUE);
  assert_int_equal(clew_ddd_and(scene->space, all, rest), CLEW_DDD_FALSE);
  if (form == CLEW_DDD_CANONICAL) {
    clew_ddd only = clew_ddd_minus(scene->space, a->set, b->set);
    assert_int_equal(clew_ddd_or(scene->space, only, b->set), all);
    assert_int_equal(clew_ddd_not(scene->space, rest), all);
    /* The same of vectors that end in clock values. */
    const uint32_t vector[2] = {3, 1};
    clew_ldd x = clew_ddd_attach(scene->space, vector, 2, a->set);
    clew_dd_keep(scene->dd, &x);
    clew_ldd y = clew_ddd_attach(scene->space, vector, 2, b->set);
    clew_dd_keep(scene->dd, &y);
    clew_ldd whole = clew_ddd_attach(scene->space, vector, 2, all);
    clew_dd_keep(scene->dd, &whole);
    clew_ldd both = clew_ldd_union(scene->dd, x, y);
    assert_int_equal(both, whole);
    clew_ldd left = clew_ldd_minus_exact(scene->dd, whole, x);
    assert_int_equal(clew_ldd_union(scene->dd, left, x), whole);
    clew_dd_drop(scene->dd, 3);
  }
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_kept_forms(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(200); i++) {
    check_kept_form(5000 + i, i % 2 == 0 ? CLEW_DDD_REDUCED : CLEW_DDD_CANONICAL);
  }
}

/* ---- actions ---- */

typedef bool exists(const struct scene *scene, clew_ddd set, const int32_t *values,
                    const struct clew_ddd_step *step);

static bool comes_from_delay(const struct scene *scene, clew_ddd set, const int32_t *values,
                             const struct clew_ddd_step *step) {
  int32_t point[MOST_DIM], sign = step->kind == CLEW_DDD_UP ? -1 : 1;
  for (int32_t delay = 0; delay <= REACH; delay += QUARTER) {
    shifted(scene->dim, values, sign * delay, point);
    if (!is_negative(scene->dim, point) && has(scene, set, point)) {
      return true;
    }
  }
  return false;
}

/* Some value of the clock, with the other clocks as they are, is in the set. */
static bool has_with_any(const struct scene *scene, clew_ddd set, const int32_t *values,
                         uint32_t clock) {
  int32_t point[MOST_DIM];
  memcpy(point, values, sizeof point);
  for (point[clock] = 0; point[clock] <= REACH; point[clock] += QUARTER) {
    if (has(scene, set, point)) {
      return true;
    }
  }
  return false;
}

static bool comes_from_setting(const struct scene *scene, clew_ddd set, const int32_t *values,
                               const struct clew_ddd_step *step) {
  if (step->kind == CLEW_DDD_ASSIGN && values[step->i] != step->number * SCALE) {
    return false;
  }
  if (step->kind == CLEW_DDD_COPY && values[step->i] != values[step->j]) {
    return false;
  }
  return has_with_any(scene, set, values, step->i);
}

static bool comes_from_shift(const struct scene *scene, clew_ddd set, const int32_t *values,
                             const struct clew_ddd_step *step) {
  int32_t point[MOST_DIM];
  memcpy(point, values, sizeof point);
  point[step->i] -= step->number * SCALE;
  return point[step->i] >= 0 && has(scene, set, point);
}

static bool comes_from_constraint(const struct scene *scene, clew_ddd set, const int32_t *values,
                                  const struct clew_ddd_step *step) {
  struct clew_dbm_constraint c = {step->i, step->j, step->number};
  return satisfies(&c, values) && has(scene, set, values);
}

static exists *random_step(struct scene *scene, struct clew_ddd_step *step) {
  struct clew_dbm_constraint c = random_constraint(&scene->random, scene->dim);
  uint32_t clock = 1 + (uint32_t)clew_random_below(&scene->random, scene->dim - 1);
  *step = (struct clew_ddd_step){.i = clock};
  switch (clew_random_below(&scene->random, 7)) {
  case 0:
    step->kind = CLEW_DDD_UP;
    return comes_from_delay;
  case 1:
    step->kind = CLEW_DDD_DOWN;
    return comes_from_delay;
  case 2:
    step->kind = CLEW_DDD_ASSIGN;
    step->number = random_between(&scene->random, 0, MOST_CONSTANT);
    return comes_from_setting;
  case 3:
    step->kind = CLEW_DDD_FREE;
    return comes_from_setting;
  case 4:
    step->kind = CLEW_DDD_SHIFT;
    step->number = random_between(&scene->random, -MOST_CONSTANT, MOST_CONSTANT);
    return comes_from_shift;
  case 5:
    if (scene->dim > 2) {
      step->kind = CLEW_DDD_COPY;
      step->j = clock == 1 ? 2 : 1;
      return comes_from_setting;
    }
    /* fall through */
  default:
    *step = (struct clew_ddd_step){CLEW_DDD_CONSTRAIN, c.i, c.j, c.bound, 0};
    return comes_from_constraint;
  }
}

static void check_actions(uint64_t seed) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(1, sizeof *a);
  struct clew_ddd_step step;
  (seed % 4 == 0 ? open_upper : open_scene)(scene, seed, seed % 2, seed % 3 == 0);
  make_sample(scene, a);
  exists *expected = random_step(scene, &step);
  uint32_t action = clew_ddd_action(scene->space, &step, 1);
  assert_int_equal(clew_ddd_action(scene->space, &step, 1), action);
  clew_ddd after = clew_ddd_act(scene->space, a->set, action);
  assert_int_not_equal(after, CLEW_DD_NONE);
  for (uint32_t i = 0; i < scene->point_count && i < 60; i++) {
    const int32_t *values = scene->points[clew_random_below(&scene->random, scene->point_count)];
    assert_int_equal(has(scene, after, values), expected(scene, a->set, values, &step));
  }
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

/* ---- backwards ---- */

/* Whether the step leads from these values to some of the set. */
static bool leads_into(const struct scene *scene, clew_ddd set, const int32_t *values,
                       const struct clew_ddd_step *step) {
  struct clew_dbm_constraint c = {step->i, step->j, step->number};
  struct clew_ddd_step other = *step;
  int32_t point[MOST_DIM];
  memcpy(point, values, sizeof point);
  switch (step->kind) {
  case CLEW_DDD_UP:
  case CLEW_DDD_DOWN: /* where one comes from by one of them, one gets to by the other */
    other.kind = step->kind == CLEW_DDD_UP ? CLEW_DDD_DOWN : CLEW_DDD_UP;
    return comes_from_delay(scene, set, values, &other);
  case CLEW_DDD_ASSIGN:
    point[step->i] = step->number * SCALE;
    break;
  case CLEW_DDD_COPY:
    point[step->i] = values[step->j];
    break;
  case CLEW_DDD_SHIFT:
    point[step->i] += step->number * SCALE;
    return point[step->i] >= 0 && has(scene, set, point);
  case CLEW_DDD_FREE:
    return has_with_any(scene, set, values, step->i);
  default:
    assert_int_equal(step->kind, CLEW_DDD_CONSTRAIN);
    return satisfies(&c, values) && has(scene, set, values);
  }
  return has(scene, set, point);
}

static clew_ddd back(struct scene *scene, clew_ddd set, const struct clew_ddd_step *steps,
                     uint32_t count) {
  uint32_t action = clew_ddd_action(scene->space, steps, count);
  clew_ddd before = clew_ddd_act_back(scene->space, set, action);
  assert_int_not_equal(before, CLEW_DD_NONE);
  return before;
}

/* The same through a relation over vectors that end in clock values. */
static void check_inverse(struct scene *scene, const struct sample *a, const struct sample *b,
                          const struct clew_ddd_step *step) {
  const unsigned char roles[] = {CLEW_LDD_READ_WRITE, CLEW_LDD_ACT};
  uint32_t row[3] = {4, 7, clew_ddd_action(scene->space, step, 1)}, from = 4, to = 7;
  clew_ldd set = clew_ddd_attach(scene->space, &to, 1, a->set);
  clew_dd_keep(scene->dd, &set);
  clew_ldd universe = clew_ddd_attach(scene->space, &from, 1, b->set);
  clew_dd_keep(scene->dd, &universe);
  clew_ldd relation = clew_ldd_from_rows(scene->dd, row, 1, 3);
  uint32_t plan = clew_ldd_plan_inverse(scene->dd, roles, 2);
  clew_ldd before = clew_ldd_inverse(scene->dd, set, relation, plan, universe);
  assert_int_not_equal(before, CLEW_DD_NONE);
  clew_ddd values = clew_ddd_of_vector(scene->space, before, &from, 1);
  for (uint32_t i = 0; i < scene->point_count && i < 60; i++) {
    uint32_t at = (uint32_t)clew_random_below(&scene->random, scene->point_count);
    bool expected = b->points[at] && leads_into(scene, a->set, scene->points[at], step);
    assert_int_equal(has(scene, values, scene->points[at]), expected);
  }
  clew_dd_drop(scene->dd, 2);
}

static void check_back(uint64_t seed) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  struct clew_ddd_step steps[2];
  open_scene(scene, seed, 0, seed % 3 == 0);
  make_sample(scene, a);
  make_sample(scene, b);
  (void)random_step(scene, &steps[0]);
  (void)random_step(scene, &steps[1]);
  clew_ddd before = back(scene, a->set, &steps[1], 1);
  for (uint32_t i = 0; i < scene->point_count && i < 60; i++) {
    const int32_t *values = scene->points[clew_random_below(&scene->random, scene->point_count)];
    assert_int_equal(has(scene, before, values), leads_into(scene, a->set, values, &steps[1]));
  }
  /* Two steps are one after the other. */
  clew_ddd earlier = clew_ddd_canonical(scene->space, back(scene, before, &steps[0], 1));
  assert_int_equal(clew_ddd_canonical(scene->space, back(scene, a->set, steps, 2)), earlier);
  check_inverse(scene, a, b, &steps[1]);
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_back(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(300); i++) {
    check_back(7000 + i);
  }
}

static void test_actions(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(600); i++) {
    check_actions(3000 + i);
  }
}

/* ---- the other meaning of low edges ---- */

static void check_upper(uint64_t seed) {
  struct scene *scene = clew_alloc_zero(1, sizeof *scene);
  struct sample *a = clew_alloc_zero(2, sizeof *a), *b = a + 1;
  bool expected[MOST_POINTS];
  open_upper(scene, seed, (uint32_t)(seed % 3), seed % 2 == 0);
  make_sample(scene, a);
  make_sample(scene, b);
  assert_points(scene, a->set, a->points);
  clew_ddd or = clew_ddd_or(scene->space, a->set, b->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = a->points[i] || b->points[i];
  }
  assert_points(scene, or, expected);
  clew_ddd not = clew_ddd_not(scene->space, a->set);
  for (uint32_t i = 0; i < scene->point_count; i++) {
    expected[i] = !a->points[i];
  }
  assert_points(scene, not, expected);
  clew_ddd reduced = reduce(scene, a->set);
  assert_points(scene, reduced, a->points);
  struct clew_fed zones;
  clew_fed_open(&zones, clew_ddd_zone_space(scene->space));
  assert_answer(scene, clew_ddd_cover(scene->space, a->set, &zones));
  assert_int_equal(reduced == CLEW_DDD_FALSE, zones.count == 0);
  assert_points(scene, clew_ddd_from_fed(scene->space, &zones), a->points);
  clew_fed_close(&zones);
  bool within;
  assert_answer(scene, clew_ddd_subset(scene->space, a->set, b->set, &within));
  clew_ddd rest = clew_ddd_minus(scene->space, a->set, b->set);
  assert_int_equal(within, reduce(scene, rest) == CLEW_DDD_FALSE);
  close_scene(scene);
  clew_free(scene);
  clew_free(a);
}

static void test_upper(void **state) {
  (void)state;
  for (uint32_t i = 0; i < rounds(400); i++) {
    check_upper(9000 + i);
  }
}

/* ---- memory that ends ---- */

/* Unions of random zones in budgets that are too small for them: each answer is right or there is
 * none, and what is kept stays as it was. */
static void check_shortage(uint64_t bytes, uint32_t threads) {
  struct clew_budget budget;
  struct clew_random random;
  clew_budget_init(&budget, bytes);
  clew_random_seed(&random, bytes);
  struct clew_dd *dd =
      clew_dd_open(&(struct clew_dd_config){.budget = &budget, .threads = threads, .patience = 10});
  if (dd == NULL) {
    return;
  }
  struct clew_ddd_config config = {.dim = MOST_DIM, .largest = 2 * MOST_CONSTANT};
  struct clew_ddd_space *space = clew_ddd_open(dd, &config);
  clew_ddd all = CLEW_DDD_FALSE, first = CLEW_DDD_FALSE;
  clew_dd_keep(dd, &all);
  clew_dd_keep(dd, &first);
  for (uint32_t round = 0, refusals = 0; space != NULL && round < 40 && refusals < 5; round++) {
    const struct clew_dbm_space *zones = clew_ddd_zone_space(space);
    void *zone = new_zone(zones);
    random_zone(&random, zones, zone);
    clew_ddd more = clew_ddd_from_zone(space, zone);
    clew_ddd sum = more == CLEW_DD_NONE ? more : clew_ddd_or(space, all, more);
    if (sum == CLEW_DD_NONE) {
      assert_int_equal(clew_dd_status(dd), CLEW_DD_FULL);
      refusals++;
    } else {
      first = round == 0 ? sum : first;
      all = sum;
      bool contained;
      assert_true(clew_ddd_subset(space, first, all, &contained) && contained);
    }
    clew_free(zone);
  }
  const char *why = NULL;
  if (!clew_dd_validate(dd, &why)) {
    fail_msg("%s", why);
  }
  clew_dd_close(dd);
  assert_true(budget.peak_bytes <= bytes);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_shortage(void **state) {
  (void)state;
  for (uint64_t kilobytes = 4; kilobytes < 2000; kilobytes = kilobytes * 5 / 4 + 1) {
    check_shortage(kilobytes << 10, kilobytes % 3 == 0 ? 2 : 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions), cmocka_unit_test(test_zones),
      cmocka_unit_test(test_forms),     cmocka_unit_test(test_kept_forms),
      cmocka_unit_test(test_actions),   cmocka_unit_test(test_back),
      cmocka_unit_test(test_upper),     cmocka_unit_test(test_shortage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
