/* The first successor alone is the first of all successors: interpreted, native, and with rules of
 * different priorities, on every reachable state of every fixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/exec.h"
#include "unit/ir_fixture.h"
#include "unit/native_run.h"

/* Whether both say the same in this state. */
static bool first_is_first(const struct clew_model *model, const uint64_t *state) {
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  model->next(model, state, &succs);
  uint64_t *out = clew_alloc_zero(model->words, sizeof *out);
  bool found = model->first(model, state, out);
  bool same = found == (succs.count > 0) &&
              (!found || memcmp(out, succs.states, model->words * sizeof *out) == 0);
  clew_free(out);
  clew_succs_close(&succs);
  return same;
}

static uint64_t check_mode(struct clew_program *(*build)(void), enum clew_exec_mode mode) {
  struct clew_program *program = build();
  struct ir_reached reached = ir_reach(program);
  struct clew_model *model = clew_model_open(program, mode, CLEW_SYMMETRY_OFF);
  uint64_t with_successor = 0;
  for (uint32_t i = 0; i < reached.states.count; i++) {
    const uint64_t *state = ir_state(&reached.states, i);
    uint64_t *out = clew_alloc_zero(model->words, sizeof *out);
    with_successor += model->first(model, state, out);
    clew_free(out);
    assert_true(first_is_first(model, state));
  }
  ir_reached_free(&reached);
  model->close(model);
  return with_successor;
}

static void test_interpreted(void **state) {
  (void)state;
  uint64_t with_successor = 0;
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++)
    with_successor += check_mode(ir_fixtures[i].build, CLEW_MODE_INTERP);
  assert_true(with_successor > 100);
}

static void test_native(void **state) {
  (void)state;
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++)
    check_mode(ir_fixtures[i].build, CLEW_MODE_NATIVE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interpreted),
      cmocka_unit_test(test_native),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
