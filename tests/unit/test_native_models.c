/* Native code does what the interpreter does, on the project's own models: all functions, and the
 * code for `fire` alone, on every edge of many reachable states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>

#include "unit/effort.h"
#include "unit/model_load.h"
#include "unit/native_run.h"

enum { MAX_STATES = 400, BATCH = 8 };

/* Each successor of the state is what firing its edge makes; where there are priorities, other
 * edges fire as well. */
static bool fires_successors(const struct clew_program *p, clew_native_fire_fn fire,
                             const uint64_t *state, const struct clew_succs *succs) {
  uint64_t *out = clew_alloc_zero(p->words, sizeof *out);
  bool same = true;
  uint32_t site;
  for (uint32_t i = 0; i < succs->count && same; i++)
    same = fire(state, succs->edges[i], out, &site) && site == CLEW_NONE &&
           ir_equal(out, ir_state(succs, i), p->words);
  for (uint32_t i = 0; i < succs->fault_count && same; i++)
    same = !fire(state, succs->faults[i].edge, out, &site) && site == succs->faults[i].site;
  clew_free(out);
  return same;
}

/* Adds successors that are not there yet. */
static void add_states(struct clew_succs *states, const struct clew_succs *found) {
  for (uint32_t i = 0; i < found->count && states->count < MAX_STATES; i++) {
    bool known = false;
    for (uint32_t j = 0; j < states->count && !known; j++)
      known = ir_equal(ir_state(states, j), ir_state(found, i), found->words);
    if (known)
      continue;
    memcpy(clew_succs_next(states), ir_state(found, i), found->words * sizeof(uint64_t));
    clew_succs_keep(states, 0);
  }
}

static void compare(const char *path, const struct clew_program *p, struct clew_native *native) {
  const struct clew_native_api *api = clew_native_wait(native);
  if (api == NULL)
    fail_msg("%s: %s", path, clew_native_notice(native));
  clew_native_fire_fn fire = native_own_fire(native);
  assert_non_null(fire);
  struct clew_succs states, found;
  clew_succs_open(&states, p->words, p->cover_count);
  clew_succs_open(&found, p->words, p->cover_count);
  clew_interp_init(p, &found);
  add_states(&states, &found);
  uint64_t *state = clew_alloc_zero(p->words, sizeof *state);
  for (uint32_t i = 0; i < states.count; i++) {
    memcpy(state, ir_state(&states, i), p->words * sizeof *state);
    clew_succs_clear(&found);
    api->next(state, &found);
    if (!native_same(p, api, fire, state) || !fires_successors(p, fire, state, &found))
      fail_msg("%s: state %u", path, i);
    add_states(&states, &found);
  }
  clew_free(state);
  clew_succs_close(&states);
  clew_succs_close(&found);
}

/* How many of them are models. */
static uint32_t compare_all(char **paths, size_t count) {
  struct clew_program *programs[BATCH];
  struct clew_native *natives[BATCH];
  uint32_t compared = 0;
  assert_true(count <= BATCH);
  for (size_t i = 0; i < count; i++) {
    programs[i] = model_load_file(paths[i]);
    natives[i] = programs[i] == NULL ? NULL : clew_native_start(programs[i], NULL);
    if (natives[i] != NULL)
      clew_native_expect_fire(natives[i]);
  }
  for (size_t i = 0; i < count; i++)
    if (programs[i] != NULL) {
      compare(paths[i], programs[i], natives[i]);
      clew_native_close(natives[i]);
      clew_program_close(programs[i]);
      compared++;
    }
  return compared;
}

static void test_models(void **state) {
  (void)state;
  glob_t found;
  uint32_t compared = 0;
  if (glob("tests/models/*/*", 0, NULL, &found) != 0) /* there when make runs the tests */
    skip();
  for (size_t i = 0; i < found.gl_pathc; i += BATCH * SPARSE)
    compared +=
        compare_all(found.gl_pathv + i, found.gl_pathc - i < BATCH ? found.gl_pathc - i : BATCH);
  assert_true(compared > 50 / SPARSE);
  globfree(&found);
}

/* Code that makes pieces of any program (model/succs.h), not only of large ones. */
static void test_models_in_pieces(void **state) {
  setenv("CLEW_PIECE", "1", true);
  test_models(state);
  unsetenv("CLEW_PIECE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_models_in_pieces),
  };
  return cmocka_run_group_tests(tests, native_setup, native_teardown);
}
