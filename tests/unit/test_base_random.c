/* Random numbers: the published values, and fairness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

static void test_published_values(void **state) {
  (void)state;
  struct clew_random random;
  /* splitmix64 from 0 fills the state. */
  clew_random_seed(&random, 0);
  assert_true(random.s[0] == UINT64_C(0xe220a8397b1dcdaf));
  assert_true(random.s[1] == UINT64_C(0x6e789e6aa1b965f4));
  assert_true(random.s[2] == UINT64_C(0x06c45d188009454f));
  assert_true(random.s[3] == UINT64_C(0xf88bb8a8724c81ec));
  /* xoshiro256** from the state 1 2 3 4. */
  random = (struct clew_random){{1, 2, 3, 4}};
  static const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240),
                                      UINT64_C(1216172134540287360)};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    assert_true(clew_random_u64(&random) == expected[i]);
  }
}

static void test_reproducible(void **state) {
  (void)state;
  struct clew_random a, b, c;
  clew_random_seed(&a, 42);
  clew_random_seed(&b, 42);
  clew_random_seed(&c, 43);
  int same = 0;
  for (int i = 0; i < 1000; i++) {
    uint64_t value = clew_random_u64(&a);
    assert_true(value == clew_random_u64(&b));
    same += value == clew_random_u64(&c) ? 1 : 0;
  }
  assert_int_equal(same, 0);
}

static void test_below_is_fair(void **state) {
  (void)state;
  enum { DRAWS = 70000, SIDES = 7 };
  struct clew_random random;
  clew_random_seed(&random, 7);
  int seen[SIDES] = {0};
  for (int i = 0; i < DRAWS; i++) {
    uint64_t value = clew_random_below(&random, SIDES);
    assert_true(value < SIDES);
    seen[value]++;
  }
  for (int i = 0; i < SIDES; i++) {
    assert_in_range(seen[i], DRAWS / SIDES - 600, DRAWS / SIDES + 600); /* six sigma */
  }
  assert_int_equal(clew_random_below(&random, 1), 0);
}

/* Three quarters of 2^64: a plain modulo would hit the lower third twice as often. */
static void test_below_large_bound(void **state) {
  (void)state;
  enum { DRAWS = 30000 };
  struct clew_random random;
  clew_random_seed(&random, 8);
  uint64_t bound = UINT64_C(3) << 62;
  int lower_third = 0;
  for (int i = 0; i < DRAWS; i++) {
    uint64_t value = clew_random_below(&random, bound);
    assert_true(value < bound);
    lower_third += value < bound / 3 ? 1 : 0;
  }
  assert_in_range(lower_third, DRAWS / 3 - 500, DRAWS / 3 + 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published_values),
      cmocka_unit_test(test_reproducible),
      cmocka_unit_test(test_below_is_fair),
      cmocka_unit_test(test_below_large_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
