/* The filter of the disk store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "store/disk_int.h"

/* Every key that was added is known, whatever bits of it are significant; few others are. */
static void exercise(uint32_t bits, uint64_t bytes, uint32_t keys, double most_wrong) {
  struct clew_budget budget;
  clew_budget_init(&budget, 64 << 20);
  struct clew_disk_filter f;
  assert_true(clew_disk_filter_open(&f, bytes, &budget));
  assert_false(clew_disk_filter_is_on(&f));
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_disk_filter_announce(&f, keys);
  assert_true(clew_disk_filter_is_on(&f));
  uint64_t step = UINT64_C(1) << (64 - bits);
  for (uint64_t i = 0; i < keys; i++) {
    clew_disk_filter_add(&f, i * step);
  }
  uint32_t wrong = 0;
  for (uint64_t i = 0; i < keys; i++) {
    clew_disk_filter_prefetch(&f, i * step);
    assert_true(clew_disk_filter_may_have(&f, i * step));
    wrong += clew_disk_filter_may_have(&f, (i + keys) * step);
  }
  assert_true(wrong <= most_wrong * keys);
  clew_disk_filter_close(&f);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_keys(void **state) {
  (void)state;
  exercise(64, 64, 1, 0);
  for (uint32_t bits = 20; bits <= 64; bits += 11) {
    exercise(bits, 100000, 100000, 0.04); /* 8 bits for each: 0.024 by the formula */
    exercise(bits, 55000, 100000, 0.2);
  }
}

/* Too full, no memory, none wanted. */
static void test_off(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1 << 20);
  struct clew_disk_filter f;
  assert_true(clew_disk_filter_open(&f, 64 << 10, &budget));
  for (uint32_t i = 0; i < 3; i++) {
    clew_disk_filter_announce(&f, 60000);
    assert_int_equal(clew_disk_filter_is_on(&f), i < 2);
    assert_int_equal(clew_budget_used(&budget) > 0, i < 2);
    clew_disk_filter_add(&f, 5);
  }
  clew_disk_filter_announce(&f, 1);
  assert_false(clew_disk_filter_is_on(&f));
  clew_disk_filter_close(&f);
  assert_true(clew_disk_filter_open(&f, 2 << 20, &budget));
  clew_disk_filter_announce(&f, 1);
  assert_false(clew_disk_filter_is_on(&f));
  clew_disk_filter_close(&f);
  assert_true(clew_disk_filter_open(&f, 0, &budget));
  clew_disk_filter_announce(&f, 1);
  assert_false(clew_disk_filter_is_on(&f));
  clew_disk_filter_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
