/* One fixture, the state the interpreter stands in, and exact expectations about what comes next.
 * Include after <cmocka.h>. */
#ifndef CLEW_TESTS_INTERP_RUN_H
#define CLEW_TESTS_INTERP_RUN_H

#include "unit/ir_fixture.h"
#include "unit/ir_reach.h"

struct run {
  struct clew_program *program;
  struct clew_succs succs;
  uint64_t state[8];
};

static inline struct run run_open(struct clew_program *program) {
  struct run run = {.program = program};
  assert_true(program->words <= IR_COUNT(run.state));
  clew_succs_open(&run.succs, program->words, program->cover_count);
  return run;
}

static inline void run_close(struct run *run) {
  clew_succs_close(&run->succs);
  clew_program_close(run->program);
  clew_interp_release();
}

/* Into the initial state that has this place in their list. */
static inline void run_start(struct run *run, uint32_t which) {
  clew_succs_clear(&run->succs);
  clew_interp_init(run->program, &run->succs);
  memcpy(run->state, ir_state(&run->succs, which), run->program->words * sizeof *run->state);
}

static inline void run_set(struct run *run, const char *variable, uint32_t cell, int64_t value) {
  clew_slot_set(ir_slot(run->program, variable, cell), run->state, value);
}

static inline int64_t run_get(const struct run *run, const char *variable, uint32_t cell) {
  return ir_value(run->program, run->state, variable, cell);
}

static inline void run_next(struct run *run) {
  clew_succs_clear(&run->succs);
  clew_interp_next(run->program, run->state, &run->succs);
}

/* Takes an edge that must be possible. */
static inline void run_fire(struct run *run, uint32_t edge) {
  uint64_t out[IR_COUNT(run->state)];
  uint32_t site = 0;
  assert_true(clew_interp_fire(run->program, run->state, edge, out, &site));
  assert_int_equal(site, CLEW_NONE);
  memcpy(run->state, out, run->program->words * sizeof *out);
}

/* An edge that faults at the site with this message, or (NULL) is not enabled or discarded; by all
 * ways to execute it. */
static inline void expect_no_fire(struct run *run, uint32_t edge, const char *message) {
  uint64_t out[IR_COUNT(run->state)];
  uint32_t site = 0, expected = message == NULL ? CLEW_NONE : ir_site(run->program, message);
  assert_false(clew_interp_fire(run->program, run->state, edge, out, &site));
  assert_int_equal(site, expected);
  run_next(run);
  for (uint32_t i = 0; i < run->succs.count; i++)
    assert_true(run->succs.edges[i] != edge);
  uint32_t faults = 0;
  for (uint32_t i = 0; i < run->succs.fault_count; i++)
    if (run->succs.faults[i].edge == edge) {
      assert_int_equal(run->succs.faults[i].site, expected);
      faults++;
    }
  assert_int_equal(faults, message != NULL);
}

/* The successors of the state: their edges and the value of one variable in each. */
#define EXPECT_NEXT(run, variable, ...)                                                            \
  expect_next((run), (variable), (const int64_t[][2])__VA_ARGS__,                                  \
              IR_COUNT(((const int64_t[][2])__VA_ARGS__)))
static inline void expect_next(struct run *run, const char *variable, const int64_t (*expected)[2],
                               uint32_t count) {
  run_next(run);
  assert_int_equal(run->succs.count, count);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(run->succs.edges[i], expected[i][0]);
    assert_int_equal(ir_value(run->program, ir_state(&run->succs, i), variable, 0), expected[i][1]);
  }
}

/* The n-th fault of the last run_next or EXPECT_NEXT. */
static inline void expect_fault(const struct run *run, uint32_t n, uint32_t edge,
                                const char *message) {
  assert_true(n < run->succs.fault_count);
  assert_int_equal(run->succs.faults[n].edge, edge);
  assert_string_equal(run->program->sites.data[run->succs.faults[n].site].message, message);
}

static inline void expect_reach(struct run *run, uint32_t states, uint64_t transitions,
                                uint64_t faults) {
  struct ir_reached reached = ir_reach(run->program);
  assert_int_equal(reached.states.count, states);
  assert_int_equal(reached.transitions, transitions);
  assert_int_equal(reached.faults, faults);
  ir_reached_free(&reached);
}

#endif
