/* The stop flag: who looks at it, and what an evaluation says that it ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/exec.h"
#include "unit/model_load.h"
#include "unit/native_run.h"

/* ---- who looks ---- */

static bool polls(const char *text) {
  struct clew_program *program = model_load(clew_murphi_program, text);
  bool result = program->stop_site != CLEW_NONE;
  if (result) {
    assert_int_equal(program->sites.data[program->stop_site].kind, CLEW_SITE_STOPPED);
  }
  clew_program_close(program);
  return result;
}

#define HEAD "var x: 0..9; a: array [0..99] of 0..9; "
#define START "startstate x := 0; end; rule x := 0; end; "

static void test_short_code_does_not_poll(void **state) {
  (void)state;
  assert_false(polls(HEAD START "rule x < 9 ==> x := x + 1; end;"));
  assert_false(polls(HEAD START "rule for i: 0..99 do a[i] := x; end; end;"));
  assert_false(
      polls(HEAD START "rule for i: 0..20 do for j: 0..20 do a[i] := j % 10; end; end; end;"));
  assert_false(polls(HEAD START "invariant forall i: 0..99 do a[i] = 0 | x = 1 end;"));
  /* A loop of unknown bounds is as long as their types allow. */
  assert_false(polls(HEAD START "rule for i := 0 to x do a[i] := 1; end; end;"));
  assert_false(polls(HEAD "function f(k: 0..9): 0..9; begin return (k + x) % 10; end; " START
                          "rule for i: 0..9 do x := f(x); end; end;"));
}

static void test_long_code_polls(void **state) {
  (void)state;
  assert_true(polls(HEAD START "rule for i: 0..100000 do x := i % 10; end; end;"));
  assert_true(
      polls(HEAD START "rule for i: 0..99 do for j: 0..99 do a[i] := j % 10; end; end; end;"));
  assert_true(polls(HEAD START "rule for i: 0..99 do for j: 0..99 do clear a; end; end; end;"));
  assert_true(polls(HEAD START "rule while x < 9 do for i: 0..99 do a[i] := x; end; end; end;"));
  assert_true(polls(HEAD "startstate x := 0; for i: 0..100000 do x := i % 10; end; end; "
                         "rule x := 0; end;"));
  assert_true(
      polls(HEAD START "invariant forall i: 0..99 do forall j: 0..99 do a[i] = a[j] end end;"));
  assert_true(polls(HEAD START "rule exists i: 0..100000 do i % 7 = x end ==> x := 0; end;"));
}

static void test_calls_poll(void **state) {
  (void)state;
  /* Recursion may be endless. */
  assert_true(polls(HEAD "function f(k: 0..9): 0..9; begin if k = 0 then return 0; end; "
                         "return f(k - 1); end; " START "rule x := f(x); end;"));
  /* The effort of a call is that of the function, wherever that stands. */
  assert_true(
      polls(HEAD "function f(k: 0..9): 0..9; begin for i: 0..99 do a[i] := k; end; return k; end; "
                 "function g(k: 0..9): 0..9; begin for i: 0..99 do a[i] := f(k); end; return k; "
                 "end; " START "rule x := g(x); end;"));
}

/* ---- what is said ---- */

/* Everything of it takes very long: years, by any execution. */
static const char endless[] =
    "var x: 0..9; "
    "function f(k: 0..9): 0..9; var s: 0..9; begin s := k; "
    "  for i: 0..2000000000 do for j: 0..2000000000 do s := (s + i + j) % 10; end; end; "
    "  return s; end; "
    "startstate x := 0; end; "
    "rule \"long\" x := f(x); end; "
    "rule \"short\" x := (x + 1) % 10; end; "
    "invariant \"long\" forall i: 0..2000000000 do forall j: 0..2000000000 do i + j + x >= 0 end "
    "end; "
    "invariant \"short\" x < 10;";

static void expect_stopped(const struct clew_model *model, uint32_t site) {
  assert_true(site < model->site_count);
  assert_int_equal(model->sites[site].kind, CLEW_SITE_STOPPED);
}

static uint32_t property_named(const struct clew_model *model, const char *name) {
  uint32_t i = 0;
  while (strcmp(model->properties[i].name, name) != 0) {
    i++;
    assert_true(i < model->property_count);
  }
  return i;
}

static void expect_all_stopped(enum clew_exec_mode mode, enum clew_exec_kind kind) {
  atomic_bool stop = false;
  struct clew_program *program = model_load(clew_murphi_program, endless);
  program->stop = &stop;
  struct clew_model *model = clew_model_open(program, mode, CLEW_SYMMETRY_OFF);
  assert_ptr_equal(model->stop, &stop);
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  model->init(model, &succs);
  assert_int_equal(succs.count, 1);
  uint64_t *state = clew_alloc(model->words * sizeof *state);
  memcpy(state, succs.states, model->words * sizeof *state);
  atomic_store(&stop, true);
  clew_succs_clear(&succs);
  model->next(model, state, &succs);
  assert_int_equal(succs.count, 1); /* what is short was not stopped */
  assert_int_equal(succs.edges[0], 1);
  assert_int_equal(succs.fault_count, 1);
  assert_int_equal(succs.faults[0].edge, 0);
  expect_stopped(model, succs.faults[0].site);
  struct clew_exec_info info;
  model->exec_info(model, &info);
  if (info.notice == NULL) { /* there is a compiler */
    assert_int_equal(info.used, kind);
  }
  uint32_t slow = property_named(model, "long"), fast = property_named(model, "short");
  uint64_t enabled = UINT64_C(1) << slow | UINT64_C(1) << fast;
  uint32_t site = CLEW_NONE;
  assert_int_equal(model->check(model, &enabled, state, &site), slow);
  expect_stopped(model, site);
  enabled = UINT64_C(1) << fast;
  assert_int_equal(model->check(model, &enabled, state, &site), CLEW_NONE);
  site = CLEW_NONE;
  assert_false(model->label(model, model->properties[slow].label, state, &site));
  expect_stopped(model, site);
  /* Replaying a path can be stopped. */
  const struct clew_model *reference = model->reference;
  assert_false(reference->fire(reference, state, 0, succs.states, &site));
  expect_stopped(reference, site);
  clew_free(state);
  clew_succs_close(&succs);
  model->close(model);
}

static void test_interpreter_stops(void **state) {
  (void)state;
  expect_all_stopped(CLEW_MODE_INTERP, CLEW_EXEC_INTERP);
}

static void test_native_code_stops(void **state) {
  (void)state;
  expect_all_stopped(CLEW_MODE_NATIVE, CLEW_EXEC_NATIVE);
}

/* `fire` of a model looks at no flag: what a store rebuilds must not depend on the time. */
static void test_fire_is_patient(void **state) {
  (void)state;
  static const char text[] = "var x: 0..9; startstate x := 0; end; "
                             "rule for i: 0..100000 do x := i % 10; end; end;";
  for (int mode = CLEW_MODE_INTERP; mode <= CLEW_MODE_NATIVE; mode++) {
    atomic_bool stop = false;
    struct clew_program *program = model_load(clew_murphi_program, text);
    program->stop = &stop;
    struct clew_model *model =
        clew_model_open(program, (enum clew_exec_mode)mode, CLEW_SYMMETRY_OFF);
    uint64_t before = 0, after = 0;
    uint32_t site = CLEW_NONE;
    assert_int_equal(model->words, 1);
    assert_true(model->fire(model, &before, 0, &after, &site));
    uint64_t expected = after;
    atomic_store(&stop, true);
    assert_true(model->fire(model, &before, 0, &after, &site));
    assert_int_equal(after, expected);
    model->close(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_code_does_not_poll),
      cmocka_unit_test(test_long_code_polls),
      cmocka_unit_test(test_calls_poll),
      cmocka_unit_test(test_interpreter_stops),
      cmocka_unit_test(test_native_code_stops),
      cmocka_unit_test(test_fire_is_patient),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
