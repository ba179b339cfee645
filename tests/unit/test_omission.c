/* The omission arithmetic against sums taken one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "store/omission.h"

static void assert_close(double a, double b) {
  assert_true(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-300);
}

static void test_signatures_against_sums(void **state) {
  (void)state;
  static const uint64_t counts[] = {0, 1, 2, 255, 256, 257, 1000, 20000, 300000};
  static const double spaces[] = {300000, 300001, 310000, 400000, 1e6, 2.9e7, 3.1e7, 1e12, 0x1p64};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    for (size_t s = 0; s < sizeof spaces / sizeof spaces[0]; s++) {
      long double mean = 0, variance = 0, log_none = 0;
      for (uint64_t i = 0; i < counts[c]; i++) {
        long double q = (long double)i / (long double)spaces[s];
        mean += q / (1 - q);
        variance += q / ((1 - q) * (1 - q));
        log_none += log1pl(-q);
      }
      struct clew_omission sum = clew_omission_of_signatures(counts[c], spaces[s]);
      if ((double)counts[c] < spaces[s] - 1e4) {
        assert_close(sum.expected, (double)mean);
        assert_close(sum.variance, (double)variance);
        assert_close(sum.log_none, (double)log_none);
      } else {
        assert_true(isfinite(sum.expected) && isfinite(sum.variance) && isfinite(sum.log_none));
      }
    }
  }
}

static void test_accumulated(void **state) {
  (void)state;
  struct clew_omission sum = {0};
  assert_true(clew_omission_any(&sum) == 0);
  clew_omission_add(&sum, 0.5, 1);
  assert_close(sum.expected, 1);
  assert_close(sum.variance, 2);
  assert_close(clew_omission_any(&sum), 0.5);
  clew_omission_add(&sum, 0.5, 1);
  assert_close(clew_omission_any(&sum), 0.75);
  clew_omission_add(&sum, 0, 1e9);
  assert_close(clew_omission_any(&sum), 0.75);
  clew_omission_add(&sum, 1, 1); /* hopeless, but finite */
  assert_true(isfinite(sum.expected) && isfinite(sum.log_none));
  struct clew_omission tiny = {0};
  clew_omission_add(&tiny, 1e-18, 10);
  assert_close(clew_omission_any(&tiny), 1e-17);
}

static void test_interval(void **state) {
  (void)state;
  struct clew_omission sum = {.expected = 100, .variance = 100};
  double low, high;
  clew_omission_interval(&sum, 4, &low, &high);
  assert_true(low == 60 && high == 140);
  sum.expected = 0.5;
  sum.variance = 0.5;
  clew_omission_interval(&sum, 2, &low, &high);
  assert_true(low == 0 && high == 2);
}

/* The birthday problem: 23 people are more likely than not to share a birthday. */
static void test_birthdays(void **state) {
  (void)state;
  struct clew_omission sum = clew_omission_of_signatures(23, 365);
  assert_true(fabs(clew_omission_any(&sum) - 0.5072972) < 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signatures_against_sums),
      cmocka_unit_test(test_accumulated),
      cmocka_unit_test(test_interval),
      cmocka_unit_test(test_birthdays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
