/* Forecasts: of levels that grow and shrink, and of those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/forecast.h"

enum { LEVELS = 41 };

/* A grid of counters: how many states have this sum. */
static uint64_t fill(uint64_t sizes[LEVELS]) {
  enum { COUNTERS = 5, TOP = 8 };
  uint64_t all = 0;
  for (uint32_t i = 0; i < LEVELS; i++) {
    sizes[i] = i == 0;
  }
  for (uint32_t c = 0; c < COUNTERS; c++) {
    uint64_t next[LEVELS] = {0};
    for (uint32_t i = 0; i < LEVELS; i++) {
      for (uint32_t k = 0; k <= TOP && k <= i; k++) {
        next[i] += sizes[i - k];
      }
    }
    for (uint32_t i = 0; i < LEVELS; i++) {
      sizes[i] = next[i];
    }
  }
  for (uint32_t i = 0; i < LEVELS; i++) {
    all += sizes[i];
  }
  return all;
}

/* Before the widest level there is a lower bound and nothing else, and it is true; after it there
 * is an interval, which has the truth in it and never forgets what is known. */
static void test_bell(void **state) {
  (void)state;
  uint64_t sizes[LEVELS], all = fill(sizes), states = 0;
  assert_int_equal(all, 59049);
  bool had = false;
  for (uint32_t i = 0; i + 1 < LEVELS; i++) {
    states += sizes[i];
    struct clew_forecast forecast = clew_forecast_make(sizes, i + 1, states);
    assert_true(forecast.low >= states && forecast.low <= all);
    assert_true(i > LEVELS / 2 || !forecast.has_interval);
    if (forecast.has_interval) {
      had = true;
      assert_true(forecast.high >= forecast.low && forecast.high >= all);
      assert_true(forecast.high < 6 * all);
    }
    assert_true(!had || forecast.has_interval);
  }
  assert_true(had);
}

static void test_few_levels(void **state) {
  (void)state;
  const uint64_t sizes[] = {1, 100000, 10};
  struct clew_forecast forecast = clew_forecast_make(sizes, 3, 100011);
  assert_false(forecast.has_interval);
  assert_int_equal(forecast.low, 100011);
}

/* A dip is no turn, nor are levels that stay as they are. */
static void test_no_turn(void **state) {
  (void)state;
  uint64_t sizes[200], states = 0;
  for (uint32_t i = 0; i < 200; i++) {
    sizes[i] = i % 10 == 9 ? 500 : 1000;
    states += sizes[i];
    assert_false(clew_forecast_make(sizes, i + 1, states).has_interval);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bell),
      cmocka_unit_test(test_few_levels),
      cmocka_unit_test(test_no_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
