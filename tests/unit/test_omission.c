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

/* The odds of a way among `empty` empty and `stored` taken slots to meet a match: slot by slot. */
static long double exact_odds(uint64_t stored, uint64_t empty, long double match) {
  long double through = 1, none = 0; /* it passed i slots without a match; it ended there */
  for (uint64_t i = 0; i <= stored && through > 0; i++) {
    long double ends = (long double)empty / (long double)(empty + stored - i);
    none += through * ends;
    through *= (1 - ends) * (1 - match);
  }
  return 1 / none - 1;
}

static void test_probing_against_sums(void **state) {
  (void)state;
  static const uint64_t sizes[] = {2, 101, 255, 257, 1009, 4001};
  static const double matches[] = {0.25, 0.03125, 0x1p-10, 0x1p-20, 0x1p-40};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t m = 0; m < sizeof matches / sizeof matches[0]; m++) {
      double near = sizes[s] < 100 ? 0.1 : 0.02;
      long double mean = 0, variance = 0;
      for (uint64_t stored = 0; stored < sizes[s]; stored++) {
        struct clew_omission sum = clew_omission_of_probing(stored, sizes[s], matches[m], 3);
        assert_close(sum.log_none, 3 * log1p(-matches[m]));
        assert_true(fabs(sum.expected - (double)mean) <= near * (double)mean);
        assert_true(fabs(sum.variance - (double)variance) <= 3 * near * (double)variance);
        long double odds = exact_odds(stored, sizes[s] - stored, matches[m]);
        double chance = clew_omission_chance_of_probing(stored, sizes[s], matches[m]);
        assert_true(fabs(chance - (double)(odds / (1 + odds))) <= near * chance);
        mean += odds;
        variance += odds + odds * odds;
      }
    }
  }
}

static void test_probing_of_large_tables(void **state) {
  (void)state;
  const uint64_t slots = 4294967291;
  /* Hardly any taken: each insertion passes stored / slots. */
  for (uint64_t stored = 1; stored < 100000; stored = stored * 3 + 1) {
    double mean = 0x1p-10 * (double)stored * (double)(stored - 1) / 2 / (double)slots;
    struct clew_omission sum = clew_omission_of_probing(stored, slots, 0x1p-10, 0);
    assert_true(fabs(sum.expected - mean) <= 1e-4 * mean);
    assert_true(sum.variance >= sum.expected && sum.variance < 1.001 * sum.expected + 1e-300);
  }
  struct clew_omission full = clew_omission_of_probing(slots, slots, 0x1p-40, 0);
  double mean = 0x1p-40 * (double)slots * (log((double)slots) + 0.5772 - 2);
  assert_true(fabs(full.expected - mean) < 0.001 * mean && isfinite(full.variance));
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
      cmocka_unit_test(test_probing_against_sums),
      cmocka_unit_test(test_probing_of_large_tables),
      cmocka_unit_test(test_accumulated),
      cmocka_unit_test(test_interval),
      cmocka_unit_test(test_birthdays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
