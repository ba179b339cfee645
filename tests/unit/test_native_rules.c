/* Native code does what the interpreter does, on every reachable state of every fixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/ir_fixture.h"
#include "unit/native_run.h"

/* All start at once, so that the compilers run side by side. */
static void test_fixtures(void **state) {
  (void)state;
  struct clew_program *programs[IR_FIXTURE_COUNT];
  struct clew_native *natives[IR_FIXTURE_COUNT];
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++) {
    programs[i] = ir_fixtures[i].build();
    natives[i] = clew_native_start(programs[i], NULL);
    if (i % 2 == 0) /* the others are asked after the first part */
      clew_native_expect_fire(natives[i]);
  }
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++) {
    const struct clew_native_api *api = clew_native_wait(natives[i]);
    if (api == NULL)
      fail_msg("%s: %s", ir_fixtures[i].name, clew_native_notice(natives[i]));
    assert_ptr_equal(api, clew_native_poll(natives[i]));
    assert_null(clew_native_notice(natives[i]));
    clew_native_fire_fn fire = native_own_fire(natives[i]);
    assert_non_null(fire);
    assert_true(fire != api->fire);
    struct ir_reached reached = ir_reach(programs[i]);
    assert_true(reached.states.count > 0);
    for (uint32_t j = 0; j < reached.states.count; j++)
      assert_true(native_same(programs[i], api, fire, ir_state(&reached.states, j)));
    ir_reached_free(&reached);
    clew_native_close(natives[i]);
    clew_program_close(programs[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixtures),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
