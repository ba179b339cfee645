/* Federations of zones against plain sets of points. */
#include "unit/zone_points.h"

enum { ROUNDS = 80 };

static void random_fed(struct clew_random *random, struct clew_fed *fed, uint32_t most) {
  void *zone = new_zone(fed->space);
  for (uint64_t n = clew_random_below(random, most + 1); n > 0; n--) {
    random_zone(random, fed->space, zone);
    clew_fed_add(fed, zone);
  }
  clew_free(zone);
}

static void assert_fed_valid(const struct clew_fed *fed) {
  const char *why = NULL;
  if (!clew_fed_validate(fed, &why)) {
    fail_msg("%s", why);
  }
}

struct scene {
  struct clew_random *random;
  struct clew_dbm_space space;
  struct clew_fed a, b, result;
};

static void open_scene(struct scene *scene, struct clew_random *random, uint32_t dim) {
  scene->random = random;
  assert_true(clew_dbm_space_init(&scene->space, dim, 2 * MOST_CONSTANT));
  clew_fed_open(&scene->a, &scene->space);
  clew_fed_open(&scene->b, &scene->space);
  clew_fed_open(&scene->result, &scene->space);
  random_fed(random, &scene->a, 4);
  random_fed(random, &scene->b, 3);
}

static void close_scene(struct scene *scene) {
  clew_fed_close(&scene->a);
  clew_fed_close(&scene->b);
  clew_fed_close(&scene->result);
}

static void for_scenes(uint64_t seed, void (*check)(struct scene *)) {
  struct clew_random random;
  clew_random_seed(&random, seed);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct scene scene;
    open_scene(&scene, &random, 2 + round % 3);
    check(&scene);
    assert_fed_valid(&scene.result);
    close_scene(&scene);
  }
}

/* ---- difference ---- */

static void check_difference(struct scene *scene) {
  clew_fed_add_all(&scene->result, &scene->a);
  clew_fed_subtract_all(&scene->result, &scene->b);
  int32_t values[MOST_DIM] = {0};
  do {
    bool expected =
        clew_fed_contains(&scene->a, values, SCALE) && !clew_fed_contains(&scene->b, values, SCALE);
    assert_int_equal(expected, clew_fed_contains(&scene->result, values, SCALE));
  } while (next_point(scene->space.dim, values, HALF, GRID_END));
}

/* The pieces that one zone leaves of another have nothing in common. */
static void check_pieces(struct scene *scene) {
  if (scene->a.count == 0 || scene->b.count == 0) {
    return;
  }
  clew_fed_add_difference(&scene->result, clew_fed_zone(&scene->a, 0), clew_fed_zone(&scene->b, 0));
  void *both = new_zone(&scene->space);
  for (uint32_t i = 0; i < scene->result.count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      clew_dbm_copy(&scene->space, both, clew_fed_zone(&scene->result, i));
      assert_false(clew_dbm_intersect(&scene->space, both, clew_fed_zone(&scene->result, j)));
    }
  }
  clew_free(both);
}

/* lo <= x, y, ... <= hi; `below` makes the upper bounds strict. */
static void *box(const struct clew_dbm_space *space, int32_t lo, int32_t hi, bool below) {
  void *zone = new_zone(space);
  clew_dbm_universe(space, zone);
  for (uint32_t i = 1; i < space->dim; i++) {
    clew_bound most = below ? clew_bound_below(hi) : clew_bound_at_most(hi);
    assert_true(clew_dbm_constrain(space, zone, i, 0, most));
    assert_true(clew_dbm_constrain(space, zone, 0, i, clew_bound_at_most(-lo)));
  }
  return zone;
}

/* `outer` without `inner`, which is so many zones after reducing. */
static void expect_difference(struct clew_fed *fed, const void *outer, const void *inner,
                              uint32_t zones) {
  clew_fed_clear(fed);
  clew_fed_add(fed, outer);
  clew_fed_subtract(fed, inner);
  clew_fed_reduce(fed);
  assert_int_equal(fed->count, zones);
  assert_fed_valid(fed);
}

static void test_difference_by_hand(void **state) {
  (void)state;
  struct clew_dbm_space line, plane;
  struct clew_fed fed;
  assert_true(clew_dbm_space_init(&line, 2, 20) && clew_dbm_space_init(&plane, 3, 20));
  void *all = box(&line, 0, 8, false), *first = box(&line, 0, 4, true),
       *rest = box(&line, 4, 8, false);
  clew_fed_open(&fed, &line);
  expect_difference(&fed, all, first, 1); /* [0, 8] without [0, 4) is [4, 8] */
  assert_true(clew_dbm_equal(&line, clew_fed_zone(&fed, 0), rest));
  expect_difference(&fed, all, all, 0);
  expect_difference(&fed, first, rest, 1);
  assert_true(clew_dbm_equal(&line, clew_fed_zone(&fed, 0), first));
  clew_fed_close(&fed);
  /* A square with a square hole is four zones: left of it, right of it, below it, above it. */
  void *outer = box(&plane, 0, 6, false), *inner = box(&plane, 2, 4, false);
  clew_fed_open(&fed, &plane);
  expect_difference(&fed, outer, inner, 4);
  for (int32_t x = 0; x <= 14; x++) {
    for (int32_t y = 0; y <= 14; y++) { /* halves */
      int32_t values[] = {0, x, y};
      bool in_hole = x >= 4 && x <= 8 && y >= 4 && y <= 8;
      assert_int_equal(clew_fed_contains(&fed, values, 2), x <= 12 && y <= 12 && !in_hole);
    }
  }
  clew_fed_close(&fed);
  clew_free(all), clew_free(first), clew_free(rest), clew_free(outer), clew_free(inner);
}

static void test_difference(void **state) {
  (void)state;
  for_scenes(1, check_difference);
  for_scenes(2, check_pieces);
}

/* ---- intersection, inclusion, joining ---- */

static void check_intersection(struct scene *scene) {
  void *zone = new_zone(&scene->space);
  random_zone(scene->random, &scene->space, zone);
  clew_fed_add_all(&scene->result, &scene->a);
  clew_fed_intersect(&scene->result, zone);
  int32_t values[MOST_DIM] = {0};
  do {
    bool expected =
        clew_fed_contains(&scene->a, values, SCALE) && in_zone(&scene->space, zone, values);
    assert_int_equal(expected, clew_fed_contains(&scene->result, values, SCALE));
  } while (next_point(scene->space.dim, values, HALF, GRID_END));
  clew_free(zone);
}

static void check_inclusion(struct scene *scene) {
  void *zone = new_zone(&scene->space);
  random_zone(scene->random, &scene->space, zone);
  clew_fed_add_all(&scene->result, &scene->a);
  if (clew_random_below(scene->random, 2) == 0) { /* covered by several pieces together */
    struct clew_fed pieces;
    clew_fed_open(&pieces, &scene->space);
    clew_fed_add(&pieces, zone);
    clew_fed_subtract_all(&pieces, &scene->b);
    clew_fed_add_all(&scene->result, &pieces);
    clew_fed_add_all(&scene->result, &scene->b);
    clew_fed_close(&pieces);
    assert_true(clew_fed_includes(&scene->result, zone));
  }
  bool outside = false;
  int32_t values[MOST_DIM] = {0};
  do {
    outside = outside || (in_zone(&scene->space, zone, values) &&
                          !clew_fed_contains(&scene->result, values, SCALE));
  } while (next_point(scene->space.dim, values, 2, 2 * GRID_END));
  assert_int_equal(!outside, clew_fed_includes(&scene->result, zone));
  clew_free(zone);
}

static void check_reduction(struct scene *scene) {
  clew_fed_add_all(&scene->result, &scene->a);
  clew_fed_subtract_all(&scene->result, &scene->b);
  clew_fed_add_all(&scene->result, &scene->b);
  struct clew_fed before;
  clew_fed_open(&before, &scene->space);
  clew_fed_add_all(&before, &scene->result);
  clew_fed_reduce(&scene->result);
  assert_true(scene->result.count <= before.count);
  assert_true(clew_fed_equal(&before, &scene->result));
  int32_t values[MOST_DIM] = {0};
  do {
    assert_int_equal(clew_fed_contains(&before, values, SCALE),
                     clew_fed_contains(&scene->result, values, SCALE));
  } while (next_point(scene->space.dim, values, HALF, GRID_END));
  clew_fed_close(&before);
}

static void check_convex_union(struct scene *scene) {
  if (scene->a.count < 2) {
    return;
  }
  const struct clew_dbm_space *space = &scene->space;
  const void *a = clew_fed_zone(&scene->a, 0), *b = clew_fed_zone(&scene->a, 1);
  void *joined = new_zone(space), *hull = new_zone(space);
  clew_dbm_copy(space, hull, a);
  clew_dbm_hull(space, hull, b);
  bool gap = false;
  int32_t values[MOST_DIM] = {0};
  do {
    gap = gap || (in_zone(space, hull, values) && !in_zone(space, a, values) &&
                  !in_zone(space, b, values));
  } while (next_point(space->dim, values, 2, 2 * GRID_END));
  assert_int_equal(!gap, clew_dbm_convex_union(space, joined, a, b));
  if (!gap) {
    assert_true(clew_dbm_equal(space, joined, hull));
  }
  clew_free(joined);
  clew_free(hull);
}

/* Both halves of a zone that is cut in two are one zone again. */
static void test_halves(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 9);
  struct clew_dbm_space space;
  assert_true(clew_dbm_space_init(&space, 4, 2 * MOST_CONSTANT));
  void *zone = new_zone(&space), *half = new_zone(&space);
  uint32_t cuts = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    struct clew_fed fed;
    clew_fed_open(&fed, &space);
    random_zone(&random, &space, zone);
    struct clew_dbm_constraint c = random_constraint(&random, space.dim);
    clew_dbm_copy(&space, half, zone);
    if (clew_dbm_constrain(&space, half, c.i, c.j, c.bound) &&
        !clew_dbm_equal(&space, half, zone)) {
      clew_fed_add_difference(&fed, zone, half);
      clew_fed_add(&fed, half);
      assert_int_equal(fed.count, 2);
      clew_fed_reduce(&fed);
      assert_int_equal(fed.count, 1);
      assert_true(clew_dbm_equal(&space, clew_fed_zone(&fed, 0), zone));
      cuts++;
    }
    clew_fed_close(&fed);
  }
  assert_in_range(cuts, ROUNDS / 8, ROUNDS);
  clew_free(zone);
  clew_free(half);
}

static void test_sets(void **state) {
  (void)state;
  for_scenes(3, check_intersection);
  for_scenes(4, check_inclusion);
  for_scenes(5, check_reduction);
  for_scenes(6, check_convex_union);
}

/* ---- time ---- */

/* Whether waiting leads to a good valuation before a bad one. */
static bool is_safe_to_wait(const struct scene *scene, const int32_t *values) {
  int32_t later[MOST_DIM];
  for (int32_t delay = 0; delay <= 2 * GRID_END; delay += 2) {
    shifted(scene->space.dim, values, delay, later);
    if (clew_fed_contains(&scene->b, later, SCALE)) {
      return false;
    }
    if (clew_fed_contains(&scene->a, later, SCALE)) {
      return true;
    }
  }
  return false;
}

static void check_predt(struct scene *scene) {
  clew_fed_add_predt(&scene->result, &scene->a, &scene->b);
  int32_t values[MOST_DIM] = {0};
  do {
    assert_int_equal(is_safe_to_wait(scene, values),
                     clew_fed_contains(&scene->result, values, SCALE));
  } while (next_point(scene->space.dim, values, HALF, GRID_END));
}

static void test_predt(void **state) {
  (void)state;
  for_scenes(7, check_predt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_difference_by_hand),
      cmocka_unit_test(test_difference),
      cmocka_unit_test(test_sets),
      cmocka_unit_test(test_halves),
      cmocka_unit_test(test_predt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
