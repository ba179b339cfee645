/* Breadth-first and depth-first search on models whose graphs are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/toy_search.h"

/* ---- complete searches ---- */

static void test_grid(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    toy_open(&toy, 3, grid_edge);
    toy.size = 30;
    toy.enabled = bit(INVARIANT) | bit(FAULT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(r->stop, CLEW_STOP_FINISHED);
    assert_true(r->scope.complete);
    assert_int_equal(r->states, 27000);
    assert_int_equal(r->transitions, 3 * 29 * 900);
    assert_int_equal(r->initial_states, 1);
    assert_int_equal(r->deadlocks, 1);
    assert_int_equal(r->out_degree_min, 0);
    assert_int_equal(r->out_degree_max, 3);
    if (e == 0) {
      assert_int_equal(r->levels, 88);
      assert_int_equal(r->diameter, 87);
      assert_int_equal(r->level_sizes.len, 88);
      assert_int_equal(r->level_sizes.data[0], 1);
      assert_int_equal(r->level_sizes.data[2], 6);
      assert_int_equal(r->level_sizes.data[87], 1);
      assert_true(r->max_queue >= 675 && r->max_queue < 2000);
    } else {
      assert_int_equal(r->levels, CLEW_ABSENT);
      assert_int_equal(r->max_depth, 87);
    }
    finish(&outcome);
  }
}

static void test_chain(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    toy_open(&toy, 1, chain_edge);
    toy.size = 200000;
    toy.bad = 150000;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->states, 200000);
    assert_int_equal(r->transitions, 199999);
    assert_int_equal(e == 0 ? r->diameter : r->max_depth, 199999);
    finish(&outcome);
    toy.enabled = bit(INVARIANT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 12);
    assert_int_equal(r->trace.edge_count, 150000);
    assert_int_equal(violation(r, 0).depth, 150000);
    finish(&outcome);
  }
}

static void test_several_initial_states(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 3}, {1, 3}, {3, 0}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.initial_states = 3;
    toy.initial[1] = 1;
    toy.initial[2] = 0; /* the same as the first */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.states, 3);
    assert_int_equal(outcome.result.initial_states, 2);
    assert_int_equal(outcome.result.transitions, 3);
    finish(&outcome);
    toy.initial_states = 0; /* nothing to explore: complete, but nothing was checked */
    toy.enabled = bit(INVARIANT) | bit(COVER) | bit(LIVENESS);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.states, 0);
    assert_true(outcome.result.scope.complete);
    assert_int_equal(outcome.result.verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(outcome.result.exit_code, CLEW_EXIT_BAD_MODEL);
    assert_int_equal(outcome.result.outcomes.list[INVARIANT].reason, CLEW_REASON_NO_STATE);
    finish(&outcome);
  }
}

/* ---- violations ---- */

static void test_shortest_path(void **state) {
  (void)state;
  /* A diamond with a long side: 0-1-2-3-4, 0-5-4. */
  static const struct arrow arrows[] = {{0, 1}, {0, 5}, {1, 2}, {2, 3}, {3, 4}, {5, 4}, {4, 0}};
  struct toy toy;
  struct outcome outcome;
  OPEN_GRAPH(&toy, arrows);
  toy.enabled = bit(INVARIANT) | bit(DEADLOCK);
  toy.bad = 4;
  run(&toy, &clew_engine_bfs, NULL, &outcome);
  assert_int_equal(outcome.result.exit_code, 12);
  assert_int_equal(outcome.result.stop, CLEW_STOP_VIOLATION);
  assert_int_equal(outcome.result.trace.edge_count, 2);
  assert_int_equal(outcome.result.trace.edges[0], 1);
  assert_int_equal(outcome.result.trace.edges[1], 5);
  assert_int_equal(violation(&outcome.result, 0).depth, 2);
  finish(&outcome);
  run(&toy, &clew_engine_dfs, NULL, &outcome);
  assert_int_equal(outcome.result.trace.edge_count, 4); /* smallest edges first */
  assert_int_equal(violation(&outcome.result, 0).depth, 4);
  finish(&outcome);
  toy.bad = 0; /* the initial state itself */
  for (int e = 0; e < 2; e++) {
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_int_equal(outcome.result.trace.edge_count, 0);
    assert_int_equal(violation(&outcome.result, 0).depth, 0);
    finish(&outcome);
  }
}

static void test_deadlock(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 0}, {1, 2}};
  static const struct arrow loop[] = {{0, 1}, {1, 0}, {1, 2}, {2, 2}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.enabled = bit(DEADLOCK);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 10);
    assert_int_equal(outcome.result.trace.edge_count, 2);
    assert_int_equal(violation(&outcome.result, 0).depth, 2);
    finish(&outcome);
    toy.enabled = 0; /* counted all the same */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 0);
    assert_int_equal(outcome.result.deadlocks, 1);
    finish(&outcome);
    OPEN_GRAPH(&toy, loop);
    toy.enabled = bit(DEADLOCK);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 0); /* it can always move */
    finish(&outcome);
    toy.model.deadlock = CLEW_DEADLOCK_STUTTERING;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 10);
    assert_int_equal(outcome.result.trace.edge_count, 2);
    finish(&outcome);
  }
}

static void test_faulting_edge(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, FAULTS}, {2, 3}, {3, 0}, {3, FAULTS}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    OPEN_GRAPH(&toy, arrows);
    toy.enabled = bit(FAULT) | bit(DEADLOCK);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 14);
    assert_int_equal(violation(r, 0).property, FAULT);
    assert_int_equal(violation(r, 0).depth, 3);
    assert_int_equal(violation(r, 0).site, 0);
    assert_int_equal(r->trace.edge_count, 2);
    assert_int_equal(r->trace.fault_edge, 2);
    assert_int_equal(r->trace.site, 0);
    finish(&outcome);
    toy.enabled = bit(DEADLOCK); /* the transition then leads nowhere, but it is one */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(r->states, 4);
    assert_int_equal(r->transitions, 6);
    assert_int_equal(r->out_degree_max, 2);
    finish(&outcome);
    toy.enabled = bit(FAULT);
    run(&toy, engines[e], &(struct options){.go_on = true}, &outcome);
    assert_int_equal(r->verdict, CLEW_VERDICT_VIOLATED);
    assert_int_equal(r->exit_code, 0); /* everything was seen */
    assert_true(r->scope.complete);
    assert_int_equal(r->states, 4);
    assert_int_equal(r->transitions, 6);
    assert_int_equal(r->outcomes.violated.len, 1); /* one per property */
    finish(&outcome);
  }
}

static void test_only_faults_is_not_stuck(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, FAULTS}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.model.deadlock = CLEW_DEADLOCK_STUTTERING;
    toy.enabled = bit(DEADLOCK);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 0);
    assert_int_equal(outcome.result.deadlocks, 0);
    finish(&outcome);
  }
}

static void test_fault_in_init(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 0}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    OPEN_GRAPH(&toy, arrows);
    toy.init_faults = true;
    toy.enabled = bit(FAULT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 14);
    assert_true(r->has_trace);
    assert_int_equal(r->trace.initial, CLEW_NONE);
    assert_int_equal(r->trace.fault_edge, 1);
    assert_int_equal(violation(r, 0).depth, 0);
    finish(&outcome);
    toy.enabled = 0;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(r->states, 1);
    finish(&outcome);
  }
}

static void test_fault_in_invariant(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    OPEN_GRAPH(&toy, arrows);
    toy.label_fault = 2;
    toy.bad = 3;
    toy.enabled = bit(FAULT) | bit(INVARIANT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 14);
    assert_int_equal(r->trace.site, 1);
    assert_int_equal(r->trace.fault_edge, CLEW_NONE);
    assert_int_equal(r->trace.edge_count, 2);
    finish(&outcome);
    toy.enabled = bit(INVARIANT); /* then the property could not be shown */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 12);
    assert_int_equal(violation(r, 0).site, 1);
    finish(&outcome);
    toy.enabled = bit(FAULT) | bit(INVARIANT);
    run(&toy, engines[e], &(struct options){.go_on = true}, &outcome);
    assert_int_equal(r->outcomes.violated.len, 2); /* both, the invariant at state 3 */
    assert_int_equal(violation(r, 0).property, FAULT);
    assert_int_equal(violation(r, 1).property, INVARIANT);
    assert_int_equal(violation(r, 1).depth, 3);
    assert_int_equal(r->states, 4);
    finish(&outcome);
  }
}

static void test_cover(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 0}};
  static const struct arrow elsewhere[] = {{7, 8}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.enabled = bit(COVER) | bit(COVER_STATEMENT);
    toy.goal = 2;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 0);
    finish(&outcome);
    toy.goal = 9;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_int_equal(violation(&outcome.result, 0).property, COVER);
    assert_int_equal(violation(&outcome.result, 0).depth, CLEW_NONE);
    assert_false(outcome.result.has_trace);
    assert_true(outcome.result.scope.complete);
    finish(&outcome);
    /* Not reached within a limit is not the same as unreachable. */
    run(&toy, engines[e], &(struct options){.max_states = 2}, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    finish(&outcome);
    OPEN_GRAPH(&toy, elsewhere);
    toy.enabled = bit(COVER_STATEMENT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_int_equal(violation(&outcome.result, 0).property, COVER_STATEMENT);
    finish(&outcome);
  }
}

static void test_fault_in_cover(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 0}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.properties[COVER].label = GOOD;
    toy.bad = 0;
    toy.label_fault = 1;
    toy.enabled = bit(COVER) | bit(FAULT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 14);
    assert_int_equal(outcome.result.trace.edge_count, 1);
    assert_int_equal(outcome.result.trace.site, 1);
    finish(&outcome);
    toy.label_fault = 2; /* evaluated there, too, although it was covered in 1 */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 14);
    assert_int_equal(outcome.result.trace.edge_count, 2);
    finish(&outcome);
  }
}

/* ---- limits ---- */

static void test_memory_runs_out(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    for (uint64_t kilobytes = 100; kilobytes <= 6400; kilobytes *= 4) {
      struct toy toy;
      struct outcome outcome;
      struct clew_result *r = &outcome.result;
      toy_open(&toy, 3, grid_edge);
      toy.size = 100;
      toy.enabled = bit(INVARIANT) | bit(FAULT) | bit(COVER) | bit(LIVENESS);
      run(&toy, engines[e], &(struct options){.memory_bytes = kilobytes << 10}, &outcome);
      assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
      assert_int_equal(r->exit_code, 20);
      assert_int_equal(r->stop, CLEW_STOP_MEMORY);
      assert_false(r->scope.complete);
      assert_true(r->states > kilobytes * 5 && r->states < 1000000);
      assert_int_equal(r->outcomes.violated.len, 0);
      assert_int_equal(outcome.diags.len, 0);
      assert_int_equal(r->diameter, CLEW_ABSENT);
      if (e == 0) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < r->level_sizes.len; i++) {
          sum += r->level_sizes.data[i];
        }
        assert_int_equal(sum, r->states);
        assert_int_equal(r->levels, r->level_sizes.len);
      }
      finish(&outcome);
    }
  }
}

/* Where the log cannot spill it goes on in memory, until there is none. */
static void test_disk_fails(void **state) {
  (void)state;
  struct toy toy;
  struct outcome outcome;
  toy_open(&toy, 3, grid_edge);
  toy.size = 60;
  for (int e = 0; e < 2; e++) {
    struct options o = {.log_bytes = 4096, .broken_scratch = true};
    run(&toy, engines[e], &o, &outcome);
    assert_int_equal(outcome.result.exit_code, 0);
    assert_int_equal(outcome.result.states, 60 * 60 * 60);
    finish(&outcome);
    o.memory_bytes = 1 << 20;
    run(&toy, engines[e], &o, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    bool log_first = outcome.result.stop == CLEW_STOP_DISK;
    assert_true(log_first || outcome.result.stop == CLEW_STOP_MEMORY);
    assert_int_equal(outcome.diags.error_count, log_first ? 1 : 0);
    if (log_first) {
      assert_non_null(strstr(outcome.diags.data[0].message, "back-edge log"));
    }
    finish(&outcome);
  }
}

static void test_spilled_log_gives_traces(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    toy_open(&toy, 3, grid_edge);
    toy.size = 40;
    toy.bad = 39 * 40 * 40; /* the last coordinate is counted up last */
    toy.enabled = bit(INVARIANT);
    run(&toy, engines[e], &(struct options){.log_bytes = 1}, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_true(outcome.result.disk_bytes_peak > 0);
    assert_int_equal(outcome.result.trace.edge_count, 39);
    finish(&outcome);
  }
}

static void test_max_states(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    for (uint64_t limit = 1; limit < 3000; limit = limit * 3 + 1) {
      struct toy toy;
      struct outcome outcome;
      toy_open(&toy, 3, grid_edge);
      toy.size = 30;
      run(&toy, engines[e], &(struct options){.max_states = limit}, &outcome);
      assert_int_equal(outcome.result.exit_code, 20);
      assert_int_equal(outcome.result.stop, CLEW_STOP_MAX_STATES);
      assert_int_equal(outcome.result.states, limit);
      finish(&outcome);
    }
  }
}

static void test_max_depth(void **state) {
  (void)state;
  struct toy toy;
  struct outcome outcome;
  struct clew_result *r = &outcome.result;
  toy_open(&toy, 3, grid_edge);
  toy.size = 30;
  run(&toy, &clew_engine_bfs, &(struct options){.max_depth = 3}, &outcome);
  assert_int_equal(r->exit_code, 20);
  assert_int_equal(r->stop, CLEW_STOP_MAX_DEPTH);
  assert_int_equal(r->states, 1 + 3 + 6 + 10);
  assert_int_equal(r->levels, 4);
  assert_int_equal(r->transitions, 3 * (1 + 3 + 6));
  finish(&outcome);
  run(&toy, &clew_engine_dfs, &(struct options){.max_depth = 3}, &outcome);
  assert_int_equal(r->exit_code, 20);
  assert_int_equal(r->stop, CLEW_STOP_MAX_DEPTH);
  assert_int_equal(r->max_depth, 3);
  assert_int_equal(r->states, 20);
  finish(&outcome);
  for (int e = 0; e < 2; e++) {
    /* The limit lies beyond the deepest state: complete. */
    run(&toy, engines[e], &(struct options){.max_depth = 88}, &outcome);
    assert_int_equal(r->exit_code, 0);
    finish(&outcome);
  }
}

static void test_interrupted(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    toy_open(&toy, 3, grid_edge);
    toy.size = 100;
    toy.enabled = bit(INVARIANT);
    run(&toy, engines[e], &(struct options){.interrupted = true}, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    assert_int_equal(outcome.result.stop, CLEW_STOP_SIGNAL);
    assert_true(outcome.result.states < 10000);
    finish(&outcome);
    run(&toy, engines[e], &(struct options){.max_time_s = 1e-4}, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    assert_int_equal(outcome.result.stop, CLEW_STOP_MAX_TIME);
    finish(&outcome);
  }
}

struct calls {
  uint32_t count;
  struct clew_progress previous;
};

static void count_call(void *context, const struct clew_progress *progress) {
  struct calls *calls = context;
  calls->count++;
  assert_true(progress->states >= calls->previous.states);
  assert_true(progress->elapsed_s >= calls->previous.elapsed_s);
  assert_true(progress->memory_bytes <= progress->budget_bytes);
  calls->previous = *progress;
}

static void test_progress(void **state) {
  (void)state;
  for (int e = 0; e < 2; e++) {
    struct calls calls = {0};
    struct toy toy;
    struct outcome outcome;
    toy_open(&toy, 3, grid_edge);
    toy.size = 30;
    run(&toy, engines[e], &(struct options){.progress = count_call, .progress_context = &calls},
        &outcome);
    assert_true(calls.count > 10);
    assert_int_equal(calls.previous.is_depth, e == 1);
    finish(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_several_initial_states),
      cmocka_unit_test(test_shortest_path),
      cmocka_unit_test(test_deadlock),
      cmocka_unit_test(test_faulting_edge),
      cmocka_unit_test(test_only_faults_is_not_stuck),
      cmocka_unit_test(test_fault_in_init),
      cmocka_unit_test(test_fault_in_invariant),
      cmocka_unit_test(test_cover),
      cmocka_unit_test(test_fault_in_cover),
      cmocka_unit_test(test_memory_runs_out),
      cmocka_unit_test(test_disk_fails),
      cmocka_unit_test(test_spilled_log_gives_traces),
      cmocka_unit_test(test_max_states),
      cmocka_unit_test(test_max_depth),
      cmocka_unit_test(test_interrupted),
      cmocka_unit_test(test_progress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
