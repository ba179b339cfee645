/* Verdicts and results: what may be claimed, and the figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "prop/verdict.h"
#include "report/result.h"

static void test_holds_only_when_proved(void **state) {
  (void)state;
  assert_int_equal(clew_verdict_derive(NULL, true, true), CLEW_VERDICT_HOLDS);
  assert_int_equal(clew_verdict_derive(NULL, true, false), CLEW_VERDICT_NO_VIOLATION_FOUND);
  assert_int_equal(clew_verdict_derive(NULL, false, true), CLEW_VERDICT_INCOMPLETE);
  assert_int_equal(clew_verdict_derive(NULL, false, false), CLEW_VERDICT_INCOMPLETE);
  for (int bits = 0; bits < 4; bits++) {
    bool complete = bits & 1, lossless = bits & 2;
    for (int k = 0; k < CLEW_PROPERTY_KINDS; k++) {
      enum clew_property_kind kind = (enum clew_property_kind)k;
      bool by_absence = kind == CLEW_PROPERTY_COVER || kind == CLEW_PROPERTY_LIVENESS;
      bool proved = !by_absence || (complete && lossless);
      enum clew_verdict verdict = clew_verdict_derive(&kind, complete, lossless);
      assert_int_equal(verdict == CLEW_VERDICT_VIOLATED, proved);
      assert_true(verdict != CLEW_VERDICT_HOLDS);
    }
  }
}

static void test_exit_codes(void **state) {
  (void)state;
  static const int codes[] = {[CLEW_PROPERTY_DEADLOCK] = 10,
                              [CLEW_PROPERTY_FAULT] = 14,
                              [CLEW_PROPERTY_INVARIANT] = 12,
                              [CLEW_PROPERTY_COVER] = 12,
                              [CLEW_PROPERTY_LIVENESS] = 13};
  for (int k = 0; k < CLEW_PROPERTY_KINDS; k++) {
    enum clew_property_kind kind = (enum clew_property_kind)k;
    assert_int_equal(clew_verdict_exit(CLEW_VERDICT_VIOLATED, &kind), codes[k]);
    assert_int_equal(clew_verdict_exit(CLEW_VERDICT_INCOMPLETE, &kind), 20);
  }
  assert_int_equal(clew_verdict_exit(CLEW_VERDICT_HOLDS, NULL), 0);
  assert_int_equal(clew_verdict_exit(CLEW_VERDICT_INCOMPLETE, NULL), 20);
  assert_int_equal(clew_verdict_exit(CLEW_VERDICT_NO_VIOLATION_FOUND, NULL), 21);
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_HOLDS), "holds");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_VIOLATED), "violated");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_NO_VIOLATION_FOUND), "no-violation-found");
  assert_string_equal(clew_verdict_name(CLEW_VERDICT_INCOMPLETE), "incomplete");
  for (int i = 0; i <= CLEW_STOP_SIGNAL; i++) {
    assert_true(strlen(clew_stop_text((enum clew_stop)i)) > 0);
  }
}

struct seen {
  uint32_t count;
  char last[64];
  uint64_t states;
  double elapsed_s;
};

static void note(void *context, const struct clew_statistic *stat) {
  struct seen *seen = context;
  seen->count++;
  strncpy(seen->last, stat->name, sizeof seen->last - 1);
  assert_true(strlen(stat->help) > 0);
  if (strcmp(stat->name, "states") == 0) {
    assert_false(stat->is_real);
    seen->states = stat->count;
  }
  if (strcmp(stat->name, "elapsed_s") == 0) {
    assert_true(stat->is_real);
    seen->elapsed_s = stat->real;
  }
}

static void test_statistics(void **state) {
  (void)state;
  struct clew_result result;
  clew_result_init(&result);
  assert_int_equal(result.verdict, CLEW_VERDICT_INCOMPLETE);
  assert_int_equal(result.exit_code, CLEW_EXIT_INCOMPLETE);
  assert_int_equal(result.states, CLEW_ABSENT);
  assert_true(isnan(result.elapsed_s));
  assert_true(result.out_degree_min == CLEW_ABSENT && result.out_degree_max == CLEW_ABSENT);
  struct seen seen = {0};
  clew_result_each_statistic(&result, note, &seen);
  assert_int_equal(seen.count, 0);
  result.states = 12;
  result.elapsed_s = 1.5;
  result.seed = 3;
  clew_result_each_statistic(&result, note, &seen);
  assert_int_equal(seen.count, 3);
  assert_string_equal(seen.last, "seed"); /* in the order of the table */
  assert_int_equal(seen.states, 12);
  assert_true(seen.elapsed_s > 1.4 && seen.elapsed_s < 1.6);
  clew_result_free(&result);
}

static void test_conclude(void **state) {
  (void)state;
  static const struct clew_property properties[] = {
      {.kind = CLEW_PROPERTY_DEADLOCK, .name = "deadlock"},
      {.kind = CLEW_PROPERTY_INVARIANT, .name = "safe"},
  };
  struct clew_model model = {.property_count = 2, .properties = properties};
  struct clew_result result;
  clew_result_init(&result);
  result.complete = result.lossless = true;
  clew_result_conclude(&result, &model);
  assert_int_equal(result.verdict, CLEW_VERDICT_HOLDS);
  assert_int_equal(result.exit_code, 0);
  result.complete = false;
  clew_result_conclude(&result, &model);
  assert_int_equal(result.exit_code, 20);
  clew_result_add_violation(&result, 1, 5, CLEW_NONE);
  clew_result_add_violation(&result, 0, 6, CLEW_NONE);
  clew_result_conclude(&result, &model);
  assert_int_equal(result.verdict, CLEW_VERDICT_VIOLATED);
  assert_int_equal(result.exit_code, 12); /* of the first */
  assert_int_equal(result.violations.len, 2);
  assert_int_equal(result.violations.data[0].depth, 5);
  clew_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds_only_when_proved),
      cmocka_unit_test(test_exit_codes),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_conclude),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
