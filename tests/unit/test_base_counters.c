/* Figures with names: kinds, order, lookup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/counters.h"

static void test_kinds_and_order(void **unused) {
  (void)unused;
  struct clew_counters counters = {0};
  assert_null(clew_counters_find(&counters, "probes"));
  clew_counters_count(&counters, "probes", UINT64_MAX);
  clew_counters_real(&counters, "load", 0.5);
  clew_counters_text(&counters, "layout", "packed");
  assert_int_equal(counters.list.len, 3);
  const struct clew_counter *list = counters.list.data;
  assert_string_equal(list[0].name, "probes");
  assert_int_equal(list[0].kind, CLEW_COUNTER_COUNT);
  assert_true(list[0].count == UINT64_MAX);
  assert_string_equal(list[1].name, "load");
  assert_int_equal(list[1].kind, CLEW_COUNTER_REAL);
  assert_true(list[1].real > 0.49 && list[1].real < 0.51);
  assert_string_equal(list[2].name, "layout");
  assert_int_equal(list[2].kind, CLEW_COUNTER_TEXT);
  assert_string_equal(list[2].text, "packed");
  clew_counters_free(&counters);
  assert_int_equal(counters.list.len, 0);
}

static void test_find(void **unused) {
  (void)unused;
  static const char *const names[] = {"a", "b", "ab", "abc"};
  struct clew_counters counters = {0};
  for (uint64_t i = 0; i < 4; i++) {
    clew_counters_count(&counters, names[i], i);
  }
  for (uint64_t i = 0; i < 4; i++) {
    const struct clew_counter *counter = clew_counters_find(&counters, names[i]);
    assert_non_null(counter);
    assert_int_equal(counter->count, i);
  }
  assert_null(clew_counters_find(&counters, ""));
  assert_null(clew_counters_find(&counters, "abcd"));
  clew_counters_free(&counters);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds_and_order),
      cmocka_unit_test(test_find),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
