/* The model over a program: who serves which call, names of edges, sharing between threads. Native
 * code is played by a stand-in that calls the interpreter and counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "ir/exec.h"
#include "ir/native.h"
#include "unit/ir_fixture.h"
#include "unit/ir_reach.h"

/* ---- The stand-in ---------------------------------------------------------------------------- */

struct clew_native {
  bool fails;
};

static struct {
  const struct clew_program *program;
  struct clew_native native;
  bool will_fail;
  atomic_bool ready;    /* the compilation has ended */
  atomic_bool own_fire; /* and that of the other part */
  uint32_t started, waited, closed, expected_fire, waited_fire, own_fires;
  atomic_uint calls;
} stub;

static void stub_next(const uint64_t *state, struct clew_succs *succs) {
  atomic_fetch_add(&stub.calls, 1);
  clew_interp_next(stub.program, state, succs);
}

static bool stub_fire(const uint64_t *state, uint32_t edge, uint64_t *out, uint32_t *site) {
  atomic_fetch_add(&stub.calls, 1);
  return clew_interp_fire(stub.program, state, edge, out, site);
}

static bool stub_own_fire(const uint64_t *state, uint32_t edge, uint64_t *out, uint32_t *site) {
  stub.own_fires++;
  return clew_interp_fire(stub.program, state, edge, out, site);
}

static uint32_t stub_check(const uint64_t *enabled, const uint64_t *state, uint32_t *site,
                           const atomic_bool *stop) {
  (void)stop;
  atomic_fetch_add(&stub.calls, 1);
  return clew_interp_check(stub.program, enabled, state, site);
}

static bool stub_label(uint32_t label, const uint64_t *state, uint32_t *site,
                       const atomic_bool *stop) {
  (void)stop;
  atomic_fetch_add(&stub.calls, 1);
  return clew_interp_label(stub.program, label, state, site);
}

bool clew_native_is_deferred(const struct clew_native *native) {
  (void)native;
  return false;
}

struct clew_native *clew_native_begin(const struct clew_program *program,
                                      const struct clew_canon *canon, bool compiles) {
  (void)canon, (void)compiles;
  stub.program = program;
  stub.native.fails = stub.will_fail;
  stub.started++;
  return &stub.native;
}

const struct clew_native_api *clew_native_poll(const struct clew_native *native) {
  static const struct clew_native_api api = {.abi = CLEW_NATIVE_ABI,
                                             .next = stub_next,
                                             .fire = stub_fire,
                                             .check = stub_check,
                                             .label = stub_label};
  return atomic_load(&stub.ready) && !native->fails ? &api : NULL;
}

const struct clew_native_api *clew_native_wait(struct clew_native *native) {
  stub.waited++;
  atomic_store(&stub.ready, true);
  return clew_native_poll(native);
}

void clew_native_expect_fire(struct clew_native *native) {
  assert_ptr_equal(native, &stub.native);
  stub.expected_fire++;
}

clew_native_fire_fn clew_native_poll_fire(const struct clew_native *native) {
  if (clew_native_poll(native) == NULL)
    return NULL;
  return atomic_load(&stub.own_fire) ? stub_own_fire : stub_fire;
}

bool clew_native_wait_fire(struct clew_native *native) {
  stub.waited_fire++;
  atomic_store(&stub.own_fire, !native->fails);
  return !native->fails;
}

double clew_native_compile_s(const struct clew_native *native) {
  return native->fails ? 0.0 : 0.5;
}

const char *clew_native_notice(const struct clew_native *native) {
  return native->fails ? "no compiler" : NULL;
}

void clew_native_close(struct clew_native *native) {
  assert_ptr_equal(native, &stub.native);
  stub.closed++;
}

static struct clew_model *open_stubbed(struct clew_program *program, enum clew_exec_mode mode,
                                       bool fails) {
  memset(&stub, 0, sizeof stub);
  stub.will_fail = fails;
  return clew_model_open(program, mode, CLEW_SYMMETRY_OFF);
}

static enum clew_exec_kind used_by(const struct clew_model *model) {
  struct clew_exec_info info;
  model->exec_info(model, &info);
  return info.used;
}

/* Makes every kind of call once. */
static void call_all(const struct clew_model *model) {
  struct clew_succs succs;
  uint64_t state[8], out[8];
  uint32_t site = CLEW_NONE;
  const uint64_t all[] = {UINT64_MAX};
  clew_succs_open(&succs, model->words, model->cover_count);
  model->init(model, &succs);
  assert_true(succs.count > 0);
  memcpy(state, succs.states, model->words * sizeof *state);
  clew_succs_clear(&succs);
  model->next(model, state, &succs);
  assert_true(succs.count > 0);
  assert_false(succs.stuck);
  uint32_t edge = succs.edges[0];
  assert_true(model->fire(model, state, edge, out, &site));
  assert_true(ir_equal(ir_state(&succs, 0), out, model->words));
  assert_true(model->label(model, 0, state, &site));
  assert_int_equal(model->check(model, all, state, &site), CLEW_NONE);
  clew_succs_close(&succs);
}

/* ---- Tests ------------------------------------------------------------------------------------
 */

static void test_interp_mode(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_INTERP, false);
  call_all(model);
  assert_int_equal(stub.started, 0);
  assert_int_equal(stub.calls, 0);
  struct clew_exec_info info;
  model->exec_info(model, &info);
  assert_int_equal(info.used, CLEW_EXEC_INTERP);
  assert_null(info.notice);
  model->close(model);
  assert_int_equal(stub.closed, 0);
}

static void test_auto_mode_switches(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_AUTO, false);
  assert_int_equal(stub.started, 1);
  assert_int_equal(stub.waited, 0);
  assert_int_equal(used_by(model), CLEW_EXEC_INTERP);
  call_all(model);
  assert_int_equal(stub.calls, 0);
  assert_int_equal(used_by(model), CLEW_EXEC_INTERP);
  atomic_store(&stub.ready, true);
  call_all(model);
  assert_int_equal(stub.calls, 4);
  assert_int_equal(used_by(model), CLEW_EXEC_BOTH);
  call_all(model->reference);
  assert_int_equal(stub.calls, 4);
  assert_int_equal(used_by(model->reference), CLEW_EXEC_INTERP);
  assert_ptr_equal(model->reference->reference, model->reference);
  model->close(model);
  assert_int_equal(stub.closed, 1);
}

static void test_native_mode(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_NATIVE, false);
  assert_int_equal(stub.waited, 1);
  call_all(model);
  assert_int_equal(stub.calls, 4);
  struct clew_exec_info info;
  model->exec_info(model, &info);
  assert_int_equal(info.used, CLEW_EXEC_NATIVE);
  assert_true(info.compile_s > 0.4 && info.compile_s < 0.6);
  assert_null(info.notice);
  model->close(model);
}

static void test_native_mode_without_compiler(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_NATIVE, true);
  call_all(model);
  assert_int_equal(stub.calls, 0);
  struct clew_exec_info info;
  model->exec_info(model, &info);
  assert_int_equal(info.used, CLEW_EXEC_INTERP);
  assert_string_equal(info.notice, "no compiler");
  model->close(model);
}

/* Code for `fire` alone: only when asked for, at once when the mode is native. */
static void test_expect_fire(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_INTERP, false);
  model->expect_fire(model);
  assert_int_equal(stub.expected_fire, 0);
  model->close(model);

  model = open_stubbed(ir_build_mutex(), CLEW_MODE_AUTO, false);
  model->reference->expect_fire(model->reference);
  assert_int_equal(stub.expected_fire, 0);
  model->expect_fire(model);
  assert_int_equal(stub.expected_fire, 1);
  assert_int_equal(stub.waited_fire, 0);
  call_all(model);
  atomic_store(&stub.ready, true);
  call_all(model);
  assert_int_equal(stub.own_fires, 0);
  atomic_store(&stub.own_fire, true);
  call_all(model);
  assert_int_equal(stub.own_fires, 1);
  call_all(model->reference);
  assert_int_equal(stub.own_fires, 1);
  model->close(model);

  model = open_stubbed(ir_build_mutex(), CLEW_MODE_NATIVE, false);
  assert_int_equal(stub.expected_fire, 0);
  model->expect_fire(model);
  assert_int_equal(stub.waited_fire, 1);
  call_all(model);
  assert_int_equal(stub.own_fires, 1);
  model->close(model);
}

/* The states, interpreted and native, that count as deadlocks: a fault is somewhere to go, and so
 * is a state that is left. */
static void test_stuck(void **unused) {
  (void)unused;
  static const enum clew_exec_mode modes[] = {CLEW_MODE_INTERP, CLEW_MODE_NATIVE};
  uint32_t stuck_count[2] = {0};
  for (uint32_t i = 0; i < 4 * IR_FIXTURE_COUNT; i++) {
    bool stutters = i % 4 >= 2;
    struct clew_program *program = ir_fixtures[i / 4].build();
    program->deadlock = stutters ? CLEW_DEADLOCK_STUTTERING : CLEW_DEADLOCK_NO_SUCCESSOR;
    struct ir_reached reached = ir_reach(program);
    struct clew_model *model = open_stubbed(program, modes[i % 2], false);
    struct clew_succs succs;
    clew_succs_open(&succs, model->words, model->cover_count);
    for (uint32_t j = 0; j < reached.states.count; j++) {
      const uint64_t *state = ir_state(&reached.states, j);
      clew_succs_clear(&succs);
      model->next(model, state, &succs);
      uint32_t faults = succs.fault_count, count = succs.count, loops = 0;
      for (uint32_t k = 0; k < count; k++)
        loops += ir_equal(ir_state(&succs, k), state, model->words);
      assert_int_equal(succs.stuck, faults == 0 && count == (stutters ? loops : 0));
      /* What is in the buffer already has nothing to do with it. */
      bool stuck = succs.stuck;
      stuck_count[stutters] += stuck;
      model->next(model, state, &succs);
      assert_int_equal(succs.stuck, stuck);
    }
    clew_succs_close(&succs);
    ir_reached_free(&reached);
    model->close(model);
  }
  assert_true(stuck_count[0] > 0 && stuck_count[1] > stuck_count[0]);
}

/* Groups divide the edges, in order; their priorities are those of the rules. */
static void test_groups(void **unused) {
  (void)unused;
  struct clew_program *program = ir_build_priorities();
  struct clew_model *model = open_stubbed(program, CLEW_MODE_INTERP, false);
  uint32_t next_edge = 0;
  for (uint32_t i = 0; i < model->group_count; i++) {
    struct clew_group group = {0};
    model->group(model, i, &group);
    assert_int_equal(group.first_edge, next_edge);
    assert_true(group.edge_count > 0);
    for (uint32_t j = 0; j < group.edge_count; j++, next_edge++)
      assert_int_equal(group.priority, clew_program_edge(program, false, next_edge).rule->priority);
  }
  assert_int_equal(next_edge, model->edge_count);
  model->close(model);
}

static const char *edge_text(const struct clew_model *model, uint32_t edge, bool initial,
                             struct clew_text *text) {
  clew_text_clear(text);
  (initial ? model->print_initial : model->print_edge)(model, edge, text);
  return clew_text_str(text);
}

static void test_print_edge(void **unused) {
  (void)unused;
  struct clew_text text = {0};
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_INTERP, false);
  assert_string_equal(edge_text(model, 0, false, &text), "Want, p: p_1");
  assert_string_equal(edge_text(model, 4, false, &text), "Enter, p: p_2");
  assert_string_equal(edge_text(model, 0, true, &text), "Start");
  model->close(model);
  model = open_stubbed(ir_build_bag(), CLEW_MODE_INTERP, false);
  assert_string_equal(edge_text(model, 5, false, &text), "Add, a: 1, b: 2");
  assert_string_equal(edge_text(model, 13, false, &text), "Twice");
  model->close(model);
  model = open_stubbed(ir_build_assume(), CLEW_MODE_INTERP, false);
  assert_string_equal(edge_text(model, 2, true, &text), "Start, v: 3");
  model->close(model);
  clew_text_free(&text);
}

static void test_description(void **unused) {
  (void)unused;
  struct clew_program *program = ir_build_mutex();
  struct clew_model *model = open_stubbed(program, CLEW_MODE_INTERP, false);
  assert_string_equal(model->name, "mutex");
  assert_string_equal(model->language, "test");
  assert_int_equal(model->words, 1);
  assert_int_equal(model->state_bits, 5);
  assert_int_equal(model->slot_count, 3);
  assert_int_equal(model->edge_count, 6);
  assert_int_equal(model->initial_count, 1);
  assert_int_equal(model->rule_count, 3);
  assert_int_equal(model->discrete_words, model->words);
  assert_null(model->covers);
  assert_null(model->under);
  assert_null(model->reduction);
  assert_int_equal(model->unchecked_count, 0);
  assert_int_equal(model->label_count, 1);
  assert_string_equal(model->labels[0].name, "mutex");
  assert_int_equal(model->property_count, program->properties.len);
  assert_int_equal(model->site_count, program->sites.len);
  model->close(model);
}

/* Want(p_1) reads where p_1 is and writes that and the turn. */
static void test_access(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_mutex(), CLEW_MODE_INTERP, false);
  uint64_t read[1] = {0}, may_write[1] = {0}, must_write[1] = {0};
  struct clew_access access = {read, may_write, must_write};
  model->access(model, 0, &access);
  assert_int_equal(read[0], 1);
  assert_int_equal(may_write[0], 1 | 4);
  assert_int_equal(must_write[0], 1 | 4);
  read[0] = 4;
  model->label_access(model, 0, read); /* where both are, added to what there was */
  assert_int_equal(read[0], 1 | 2 | 4);
  model->close(model);
}

/* ---- Threads ----------------------------------------------------------------------------------
 */

struct worker {
  const struct clew_model *model;
  pthread_t thread;
  uint64_t found;
};

static void *work(void *argument) {
  struct worker *worker = argument;
  const struct clew_model *model = worker->model;
  struct clew_succs succs;
  clew_succs_open(&succs, model->words, model->cover_count);
  model->init(model, &succs);
  uint64_t state = succs.states[0];
  for (uint32_t i = 0; i < 200; i++) {
    clew_succs_clear(&succs);
    model->next(model, &state, &succs);
    worker->found += succs.count + 100 * succs.fault_count;
    state = succs.states[succs.count - 1];
    if (i == 100)
      atomic_store(&stub.ready, true);
  }
  clew_succs_close(&succs);
  return NULL;
}

static void test_threads(void **unused) {
  (void)unused;
  struct clew_model *model = open_stubbed(ir_build_recursion(), CLEW_MODE_AUTO, false);
  struct worker workers[4] = {{0}};
  for (uint32_t i = 0; i < 4; i++) {
    workers[i].model = model;
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(workers[i].found, 200 * (4 + 2 * 100));
  assert_int_equal(used_by(model), CLEW_EXEC_BOTH);
  model->close(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interp_mode), cmocka_unit_test(test_auto_mode_switches),
      cmocka_unit_test(test_native_mode), cmocka_unit_test(test_native_mode_without_compiler),
      cmocka_unit_test(test_expect_fire), cmocka_unit_test(test_stuck),
      cmocka_unit_test(test_groups),      cmocka_unit_test(test_print_edge),
      cmocka_unit_test(test_description), cmocka_unit_test(test_access),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
