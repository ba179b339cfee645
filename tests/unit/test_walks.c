/* Walks, and shortened traces of models whose shortest counterexamples are known by thought. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/exec.h"
#include "lang/murphi/murphi.h"
#include "model_load.h"
#include "search/walks.h"
#include "trace/shorten.h"

/* A counter that only a long way leads to a violation of: up needs three kinds of steps in turn,
 * and noise goes on beside it. */
static const char LADDER[] = "var x: 0..12; phase: 0..2; noise: 0..3;\n"
                             "startstate x := 0; phase := 0; noise := 0; end;\n"
                             "rule \"a\" phase = 0 & x < 12 ==> x := x + 1; phase := 1; end;\n"
                             "rule \"b\" phase = 1 ==> phase := 2; end;\n"
                             "rule \"c\" phase = 2 ==> phase := 0; end;\n"
                             "rule \"noise\" noise := (noise + 1) % 4; end;\n"
                             "invariant \"low\" x < 5;\n";
/* A run-time error, and a deadlock. */
static const char FAULT[] = "var x: 0..6; n: 0..3;\n"
                            "startstate x := 0; n := 0; end;\n"
                            "rule \"up\" x := x + 1; end;\n"
                            "rule \"noise\" n := (n + 1) % 4; end;\n";
static const char STUCK[] = "var x: 0..6; n: 0..3;\n"
                            "startstate x := 0; n := 0; end;\n"
                            "rule \"up\" x < 6 ==> x := x + 1; end;\n"
                            "rule \"noise\" x < 6 ==> n := (n + 1) % 4; end;\n";
/* Small steps cannot be left out, but large ones can be taken instead. */
static const char STRIDES[] = "var x: 0..9;\nstartstate x := 0; end;\n"
                              "rule \"one\" x < 9 ==> x := x + 1; end;\n"
                              "rule \"three\" x < 7 ==> x := x + 3; end;\n"
                              "invariant x < 9;\n";
/* Wrong from the beginning. */
static const char BORN[] = "var x: 0..6;\nstartstate x := 3; end;\n"
                           "rule \"on\" x := (x + 1) % 7; end;\ninvariant x < 3;\n";
static const char RING[] = "var x: 0..6;\nstartstate x := 0; end;\n"
                           "rule \"on\" x := (x + 1) % 7; end;\ninvariant x < 7;\n";

static struct clew_model *load(const char *text) {
  return clew_model_open(model_load(clew_murphi_program, text), CLEW_MODE_INTERP,
                         CLEW_SYMMETRY_OFF);
}

static uint64_t all_properties(const struct clew_model *model) {
  assert(model->property_count < 64);
  return (UINT64_C(1) << model->property_count) - 1;
}

static void take(const struct clew_model *model, uint64_t walks, uint64_t seed, uint32_t threads,
                 struct clew_walked *walked) {
  uint64_t enabled = all_properties(model);
  struct clew_crew *crew = clew_crew_open(threads);
  struct clew_walks config = {.model = model,
                              .enabled = &enabled,
                              .walks = walks,
                              .steps = 400,
                              .seed = seed,
                              .crew = crew};
  clew_walks_take(&config, walked);
  clew_crew_close(crew);
}

static void confirm(const struct clew_model *model, const struct clew_trace *trace) {
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_trace_confirm(model, trace, &diags), CLEW_OK);
  clew_diag_sink_free(&diags);
}

/* Found, confirmed, and after shortening as long as the shortest one. */
static void find_and_shorten(const char *text, uint32_t shortest) {
  struct clew_model *model = load(text);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct clew_walked walked;
    take(model, 50, seed, seed % 2 == 0 ? 3 : 1, &walked);
    assert_true(walked.found);
    assert_in_range(walked.walk, 1, 50);
    confirm(model, &walked.trace);
    uint32_t length = clew_trace_length(&walked.trace);
    assert_in_range(length, shortest, 401);
    clew_trace_shorten(model, &walked.trace, 100000);
    confirm(model, &walked.trace);
    assert_int_equal(clew_trace_length(&walked.trace), shortest);
    clew_walked_free(&walked);
  }
  model->close(model);
}

static void test_invariant(void **unused) {
  (void)unused;
  find_and_shorten(LADDER, 4 * 3 + 1);
}
static void test_fault(void **unused) {
  (void)unused;
  find_and_shorten(FAULT, 7);
}
static void test_deadlock(void **unused) {
  (void)unused;
  find_and_shorten(STUCK, 6);
}

static void test_shortcuts(void **unused) {
  (void)unused;
  find_and_shorten(STRIDES, 3);
}

static void test_at_once(void **unused) {
  (void)unused;
  find_and_shorten(BORN, 0);
}

static void test_nothing_to_find(void **unused) {
  (void)unused;
  struct clew_model *model = load(RING);
  struct clew_walked walked;
  take(model, 30, 1, 2, &walked);
  assert_false(walked.found);
  assert_int_equal(walked.walks, 30);
  assert_int_equal(walked.steps, 30 * 400);
  assert_int_equal(walked.longest, 400);
  assert_int_equal(walked.fired[0], 30 * 400);
  clew_walked_free(&walked);
  model->close(model);
}

/* With one thread the seed decides everything. */
static void test_same_seed(void **unused) {
  (void)unused;
  struct clew_model *model = load(LADDER);
  struct clew_walked a, b;
  take(model, 50, 7, 1, &a);
  take(model, 50, 7, 1, &b);
  assert_true(a.found && b.found);
  assert_int_equal(a.walk, b.walk);
  assert_int_equal(a.steps, b.steps);
  assert_int_equal(a.trace.edge_count, b.trace.edge_count);
  assert_memory_equal(a.trace.edges, b.trace.edges, a.trace.edge_count * sizeof(uint32_t));
  clew_walked_free(&a);
  clew_walked_free(&b);
  model->close(model);
}

/* No work is allowed: the trace stays one, and is not longer. */
static void test_no_work(void **unused) {
  (void)unused;
  struct clew_model *model = load(LADDER);
  struct clew_walked walked;
  take(model, 50, 3, 1, &walked);
  assert_true(walked.found);
  uint32_t before = walked.trace.edge_count;
  clew_trace_shorten(model, &walked.trace, 0);
  assert_true(walked.trace.edge_count <= before);
  confirm(model, &walked.trace);
  clew_walked_free(&walked);
  model->close(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_invariant), cmocka_unit_test(test_fault),
      cmocka_unit_test(test_deadlock),  cmocka_unit_test(test_at_once),
      cmocka_unit_test(test_shortcuts), cmocka_unit_test(test_nothing_to_find),
      cmocka_unit_test(test_same_seed), cmocka_unit_test(test_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
