/* Natural numbers against 128-bit arithmetic, and far beyond it by what must cancel out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/natural.h"
#include "base/random.h"

typedef unsigned __int128 wide;

static void set_wide(struct clew_natural *n, wide value) {
  clew_natural_set(n, (uint64_t)value);
  clew_natural_add(n, (uint64_t)(value >> 64), 1);
}

static void assert_wide(const struct clew_natural *n, wide value) {
  struct clew_natural expected = {0};
  set_wide(&expected, value);
  assert_int_equal(clew_natural_compare(n, &expected), 0);
  assert_true(clew_natural_validate(n));
  clew_natural_free(&expected);
}

static wide random_wide(struct clew_random *random) {
  wide value = (wide)clew_random_u64(random) << 64 | clew_random_u64(random);
  return value >> clew_random_below(random, 128);
}

static void test_arithmetic(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 1);
  struct clew_natural a = {0}, b = {0};
  for (uint32_t round = 0; round < 20000; round++) {
    wide x = random_wide(&random) / 4, y = random_wide(&random) / 4;
    set_wide(&a, x);
    set_wide(&b, y);
    assert_int_equal(clew_natural_compare(&a, &b), x < y ? -1 : x > y);
    clew_natural_add_natural(&a, &b);
    assert_wide(&a, x + y);
    clew_natural_subtract(&a, &b);
    assert_wide(&a, x);
    uint64_t factor = clew_random_below(&random, 1000);
    set_wide(&a, x >> 16);
    clew_natural_multiply(&a, factor);
    assert_wide(&a, (x >> 16) * factor);
    uint64_t most = clew_random_u64(&random) >> 10;
    assert_int_equal(clew_natural_at_most(&b, most), y < most ? (uint64_t)y : most);
  }
  clew_natural_free(&a);
  clew_natural_free(&b);
}

static void test_print(void **state) {
  (void)state;
  struct clew_natural n = {0};
  struct clew_text text = {0};
  clew_natural_print(&n, &text);
  assert_string_equal(clew_text_str(&text), "0");
  clew_natural_set(&n, 1);
  for (uint32_t i = 0; i < 30; i++) { /* 30! */
    clew_natural_multiply(&n, i + 1);
  }
  clew_text_clear(&text);
  clew_natural_print(&n, &text);
  assert_string_equal(clew_text_str(&text), "265252859812191058636308480000000");
  clew_natural_set(&n, UINT64_MAX);
  clew_natural_add(&n, 1, 0);
  clew_text_clear(&text);
  clew_natural_print(&n, &text);
  assert_string_equal(clew_text_str(&text), "18446744073709551616");
  clew_natural_free(&n);
  clew_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic),
                                     cmocka_unit_test(test_print)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
