/* Linear inequalities against points of a grid: small random systems, solved exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "trace/linear.h"

enum { UNKNOWNS = 3, STEPS = 4, MOST = 3 };

static bool satisfies(const struct clew_linear *system, const int64_t *values, int64_t scale) {
  for (uint32_t r = 0; r < system->bounds.len; r++) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < system->unknowns; i++) {
      sum += system->coefficients.data[r * system->unknowns + i] * values[i];
    }
    int64_t most = system->bounds.data[r] * scale;
    if (sum > most || (sum == most && system->strict.data[r])) {
      return false;
    }
  }
  return true;
}

/* Whether a point of the grid, whose unit is 1 / STEPS, satisfies all; its least sum. */
static bool search_grid(const struct clew_linear *system, int64_t *least) {
  bool found = false;
  const int64_t end = (MOST + 1) * 2 * STEPS;
  int64_t point[UNKNOWNS];
  for (point[0] = 0; point[0] <= end; point[0]++) {
    for (point[1] = 0; point[1] <= end; point[1]++) {
      for (point[2] = 0; point[2] <= end; point[2]++) {
        int64_t sum = point[0] + point[1] + point[2];
        if (satisfies(system, point, STEPS) && (!found || sum < *least)) {
          found = true;
          *least = sum;
        }
      }
    }
  }
  return found;
}

static void random_system(struct clew_random *random, struct clew_linear *system) {
  clew_linear_open(system, UNKNOWNS);
  uint32_t rows = 1 + (uint32_t)clew_random_below(random, 6);
  bool strict = clew_random_below(random, 2) == 0;
  for (uint32_t r = 0; r < rows; r++) {
    int64_t row[UNKNOWNS];
    for (uint32_t i = 0; i < UNKNOWNS; i++) {
      row[i] = (int64_t)clew_random_below(random, 3) - 1;
    }
    clew_linear_add(system, row, (int64_t)clew_random_below(random, 2 * MOST + 1) - MOST,
                    strict && clew_random_below(random, 3) == 0);
  }
}

static void test_random(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 7);
  uint32_t solved = 0, impossible = 0;
  for (uint32_t round = 0; round < 400; round++) {
    struct clew_linear system;
    random_system(&random, &system);
    int64_t values[UNKNOWNS], scale = 0, least = 0;
    enum clew_linear_status status = clew_linear_solve(&system, values, &scale);
    bool on_grid = search_grid(&system, &least), has_strict = false;
    for (uint32_t r = 0; r < system.strict.len; r++) {
      has_strict = has_strict || system.strict.data[r];
    }
    assert_int_not_equal(status, CLEW_LINEAR_UNKNOWN);
    if (status == CLEW_LINEAR_FOUND) {
      solved++;
      assert_true(scale > 0 && values[0] >= 0 && values[1] >= 0 && values[2] >= 0);
      assert_true(satisfies(&system, values, scale));
      /* No point of the grid does better. */
      assert_true(!on_grid || has_strict ||
                  (values[0] + values[1] + values[2]) * STEPS <= least * scale);
    } else {
      impossible++;
      assert_false(on_grid);
    }
    clew_linear_close(&system);
  }
  assert_true(solved > 50 && impossible > 50);
}

/* By hand: a + b <= 3, a >= 1 (that is, -a <= -1), b > 1. */
static void test_by_hand(void **state) {
  (void)state;
  struct clew_linear system;
  int64_t values[2], scale;
  clew_linear_open(&system, 2);
  clew_linear_add(&system, (const int64_t[]){1, 1}, 3, false);
  clew_linear_add(&system, (const int64_t[]){-1, 0}, -1, false);
  assert_int_equal(clew_linear_solve(&system, values, &scale), CLEW_LINEAR_FOUND);
  assert_int_equal(values[0], scale);
  assert_int_equal(values[1], 0);
  clew_linear_add(&system, (const int64_t[]){0, -1}, -1, true);
  assert_int_equal(clew_linear_solve(&system, values, &scale), CLEW_LINEAR_FOUND);
  assert_true(values[1] > scale && values[0] >= scale && values[0] + values[1] <= 3 * scale);
  clew_linear_add(&system, (const int64_t[]){0, -1}, -2, true);
  assert_int_equal(clew_linear_solve(&system, values, &scale), CLEW_LINEAR_NONE);
  clew_linear_cut(&system, 3);
  assert_int_equal(clew_linear_solve(&system, values, &scale), CLEW_LINEAR_FOUND);
  clew_linear_close(&system);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
