/* The interpreter: which instances run, in which order, and what becomes of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/interp_run.h"

static void test_counter(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_counter());
  run_start(&run, 0);
  assert_int_equal(run.succs.count, 1);
  assert_int_equal(run.succs.edges[0], 0);
  assert_int_equal(run_get(&run, "x", 0), 0);
  EXPECT_NEXT(&run, "x", {{0, 1}});
  run_set(&run, "x", 0, 3);
  EXPECT_NEXT(&run, "x", {{1, 0}});
  assert_int_equal(run.succs.fault_count, 1);
  expect_fault(&run, 0, 0, "range");
  expect_reach(&run, 4, 4, 1);
  run_close(&run);
}

static void test_next_appends(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_counter());
  run_start(&run, 0);
  clew_succs_clear(&run.succs);
  for (uint32_t i = 0; i < 1000; i++)
    clew_interp_next(run.program, run.state, &run.succs);
  assert_int_equal(run.succs.count, 1000);
  for (uint32_t i = 0; i < 1000; i++)
    assert_int_equal(ir_value(run.program, ir_state(&run.succs, i), "x", 0), 1);
  run_close(&run);
}

static void test_fire(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_counter());
  run_start(&run, 0);
  expect_no_fire(&run, 1, NULL); /* not enabled */
  run_fire(&run, 0);
  run_fire(&run, 0);
  run_fire(&run, 0);
  assert_int_equal(run_get(&run, "x", 0), 3);
  expect_no_fire(&run, 0, "range");
  /* in place */
  uint32_t site;
  assert_true(clew_interp_fire(run.program, run.state, 1, run.state, &site));
  assert_int_equal(run_get(&run, "x", 0), 0);
  run_close(&run);
}

/* Every successor that `next` finds, and no other, is what `fire` finds. */
static void expect_fire_agrees(struct run *run, const struct clew_succs *next) {
  const struct clew_program *program = run->program;
  uint32_t found = 0, faults = 0;
  for (uint32_t edge = 0; edge < program->edge_count; edge++) {
    uint64_t out[IR_COUNT(run->state)];
    uint32_t site = 0;
    bool fired = clew_interp_fire(program, run->state, edge, out, &site);
    if (fired) {
      assert_true(found < next->count);
      assert_int_equal(next->edges[found], edge);
      assert_true(ir_equal(ir_state(next, found++), out, program->words));
    } else if (site != CLEW_NONE) {
      assert_true(faults < next->fault_count);
      assert_int_equal(next->faults[faults].edge, edge);
      assert_int_equal(next->faults[faults++].site, site);
    }
  }
  assert_int_equal(found, next->count);
  assert_int_equal(faults, next->fault_count);
}

static bool has_priorities(const struct clew_program *program) {
  for (uint32_t i = 0; i < program->families.len; i++)
    for (uint32_t j = 0; j < program->families.data[i]->rule_count; j++)
      if (program->families.data[i]->rules[j].priority != 0)
        return true;
  return false;
}

static void test_fire_agrees_with_next(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++) {
    struct run run = run_open(ir_fixtures[i].build());
    struct clew_succs next;
    clew_succs_open(&next, run.program->words, run.program->cover_count);
    struct ir_reached reached = ir_reach(run.program);
    bool priorities = has_priorities(run.program); /* which fire ignores */
    for (uint32_t j = 0; j < reached.states.count && !priorities; j += 1 + j / 20) {
      memcpy(run.state, ir_state(&reached.states, j), run.program->words * sizeof *run.state);
      clew_succs_clear(&next);
      clew_interp_next(run.program, run.state, &next);
      expect_fire_agrees(&run, &next);
    }
    ir_reached_free(&reached);
    clew_succs_close(&next);
    run_close(&run);
  }
}

static void test_undefined(void **unused) {
  (void)unused;
  enum { FORGET = 3, MOVE, READ, FORCE, TEST, KNOWN };
  struct run run = run_open(ir_build_undefined());
  run_start(&run, 0);
  for (uint32_t i = 0; i < run.program->words; i++)
    assert_int_equal(run.state[i], 0);
  assert_int_equal(run_get(&run, "x", 0), CLEW_UNDEFINED);
  assert_int_equal(run_get(&run, "z", 0), 0);
  EXPECT_NEXT(&run, "x",
              {{0, 0}, {1, 1}, {2, 2}, {FORGET, CLEW_UNDEFINED}, {MOVE, CLEW_UNDEFINED}});
  assert_int_equal(run.succs.fault_count, 3);
  expect_fault(&run, 0, READ, "undefined");
  expect_fault(&run, 1, FORCE, "range"); /* undefined does not fit */
  expect_fault(&run, 2, TEST, "undefined");
  run_set(&run, "x", 0, 1);
  run_set(&run, "y", 0, 0);
  EXPECT_NEXT(&run, "y",
              {{0, 0}, {1, 0}, {2, 0}, {FORGET, 0}, {MOVE, 1}, {READ, 1}, {FORCE, 0}, {TEST, 2}});
  assert_int_equal(run.succs.fault_count, 0);
  run_set(&run, "x", 0, 2);
  run_fire(&run, KNOWN);
  assert_int_equal(run_get(&run, "y", 0), CLEW_UNDEFINED);
  expect_reach(&run, 48, 336, 36);
  run_close(&run);
}

static void test_mutex(void **unused) {
  (void)unused;
  enum { WANT_1, ENTER_1, LEAVE_1, WANT_2, ENTER_2, LEAVE_2 };
  struct run run = run_open(ir_build_mutex());
  run_start(&run, 0);
  assert_int_equal(run_get(&run, "turn", 0), 1);
  EXPECT_NEXT(&run, "turn", {{WANT_1, 2}, {WANT_2, 1}});
  run_fire(&run, WANT_1);
  EXPECT_NEXT(&run, "turn", {{ENTER_1, 2}, {WANT_2, 1}});
  run_fire(&run, WANT_2);
  EXPECT_NEXT(&run, "turn", {{ENTER_1, 1}});
  run_fire(&run, ENTER_1);
  EXPECT_NEXT(&run, "turn", {{LEAVE_1, 1}});
  assert_int_equal(run_get(&run, "at", 0), 2);
  assert_int_equal(run_get(&run, "at", 1), 1);
  expect_reach(&run, 10, 16, 0);
  run_close(&run);
}

static void test_check(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_mutex());
  run_start(&run, 0);
  uint32_t mutex = run.program->properties.len - 1, site = 0;
  const uint64_t all[] = {UINT64_MAX}, none[] = {UINT64_MAX & ~(UINT64_C(1) << mutex)};
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), CLEW_NONE);
  assert_int_equal(site, CLEW_NONE);
  run_set(&run, "at", 0, 2);
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), CLEW_NONE);
  run_set(&run, "at", 1, 2);
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), mutex);
  assert_int_equal(site, CLEW_NONE);
  assert_int_equal(clew_interp_check(run.program, none, run.state, &site), CLEW_NONE);
  assert_false(clew_interp_label(run.program, 0, run.state, &site));
  assert_int_equal(site, CLEW_NONE);
  run_close(&run);
}

static void test_check_fault(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_undefined());
  run_start(&run, 0);
  uint32_t known = run.program->properties.len - 1, site = CLEW_NONE;
  const uint64_t all[] = {UINT64_MAX};
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), known);
  assert_int_equal(site, ir_site(run.program, "undefined"));
  site = CLEW_NONE;
  assert_false(clew_interp_label(run.program, 0, run.state, &site));
  assert_int_equal(site, ir_site(run.program, "undefined"));
  run_set(&run, "x", 0, 1);
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), CLEW_NONE);
  assert_int_equal(site, CLEW_NONE);
  assert_true(clew_interp_label(run.program, 0, run.state, &site));
  run_close(&run);
}

static void test_priorities(void **unused) {
  (void)unused;
  enum { LOW_0, HIGH_0, MIDDLE_0, LOW_1, HIGH_1, MIDDLE_1, DROP, FAULT, UP };
  struct run run = run_open(ir_build_priorities());
  run_start(&run, 0);
  EXPECT_NEXT(&run, "x", {{LOW_0, 1}, {LOW_1, 1}, {UP, 1}});
  run_set(&run, "x", 0, 1);
  EXPECT_NEXT(&run, "x", {{MIDDLE_0, 2}});
  run_set(&run, "x", 0, 2);
  EXPECT_NEXT(&run, "x", {{MIDDLE_1, 3}});
  run_set(&run, "x", 0, 3);
  EXPECT_NEXT(&run, "x", {{HIGH_0, 4}, {HIGH_1, 4}});
  run_set(&run, "x", 0, 4); /* enabled, though discarded */
  run_next(&run);
  assert_int_equal(run.succs.count + run.succs.fault_count, 0);
  run_start(&run, 1); /* x = 5: a guard that faults is enabled */
  run_next(&run);
  assert_int_equal(run.succs.count, 0);
  assert_int_equal(run.succs.fault_count, 1);
  expect_fault(&run, 0, FAULT, "undefined");
  run_set(&run, "u", 0, 1);
  EXPECT_NEXT(&run, "x", {{LOW_0, 1}, {LOW_1, 1}, {UP, 6}});
  run_fire(&run, UP); /* alone, whatever its priority */
  assert_int_equal(run_get(&run, "x", 0), 6);
  run_close(&run);
}

static void test_assume(void **unused) {
  (void)unused;
  enum { ANY_0, ANY_1, ANY_2, ANY_3, ANY_4, SET, RETURN };
  struct run run = run_open(ir_build_assume());
  run_start(&run, 0);
  assert_int_equal(run.succs.count, 3); /* x = 3 does not exist */
  assert_int_equal(run.succs.edges[0], 0);
  assert_int_equal(run.succs.edges[1], 1);
  assert_int_equal(run.succs.edges[2], 3);
  assert_int_equal(run.succs.covered[0], 0);

  run_set(&run, "x", 0, 2);
  EXPECT_NEXT(&run, "x", {{ANY_1, 1}, {ANY_2, 2}, {SET, 2}, {RETURN, 2}});
  assert_int_equal(run.succs.fault_count, 1);
  expect_fault(&run, 0, ANY_0, "undefined"); /* in an assumption */
  assert_int_equal(run.succs.covered[0], 1 | 8);
  expect_no_fire(&run, ANY_3, NULL);
  expect_no_fire(&run, ANY_4, NULL); /* discarded before its fault */

  run.succs.covered[0] = 0;
  run_set(&run, "x", 0, 1);
  EXPECT_NEXT(&run, "x", {{SET, 1}, {RETURN, 1}});
  assert_int_equal(run.succs.fault_count, 4);
  assert_int_equal(run.succs.covered[0], 1 | 8); /* nothing counts after a fault */
  run_set(&run, "u", 0, 0);
  run_next(&run);
  assert_int_equal(run.succs.covered[0], 1 | 2 | 4 | 8);
  run_close(&run);
}

static void test_discarded_guard_and_label(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_discarding());
  const uint64_t all[] = {UINT64_MAX};
  uint32_t site = CLEW_NONE, f = run.program->properties.len - 1;
  run_start(&run, 0);
  EXPECT_NEXT(&run, "x", {{0, 0}});
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), CLEW_NONE);
  run_set(&run, "x", 0, 1); /* a discarded guard is not enabled, a discarded label is false */
  EXPECT_NEXT(&run, "x", {{1, 0}});
  assert_false(clew_interp_label(run.program, 0, run.state, &site));
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), f);
  assert_int_equal(site, CLEW_NONE);
  run_set(&run, "x", 0, 2);
  EXPECT_NEXT(&run, "x", {{1, 0}});
  assert_int_equal(clew_interp_check(run.program, all, run.state, &site), f);
  run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counter),
      cmocka_unit_test(test_next_appends),
      cmocka_unit_test(test_fire),
      cmocka_unit_test(test_fire_agrees_with_next),
      cmocka_unit_test(test_undefined),
      cmocka_unit_test(test_mutex),
      cmocka_unit_test(test_check),
      cmocka_unit_test(test_check_fault),
      cmocka_unit_test(test_priorities),
      cmocka_unit_test(test_assume),
      cmocka_unit_test(test_discarded_guard_and_label),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
