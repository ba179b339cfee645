/* AG EF on models whose graphs are known, and random graphs against a reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "unit/effort.h"
#include "unit/toy_search.h"

static void test_liveness(void **state) {
  (void)state;
  /* Home is left and found again; with the last arrow, there is a trap {3, 4}. */
  static const struct arrow good[] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 2}};
  static const struct arrow trap[] = {{0, 1}, {1, 2}, {2, 0}, {1, 4}, {4, 3}, {3, 4}, {3, 3}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    struct clew_result *r = &outcome.result;
    OPEN_GRAPH(&toy, good);
    toy.enabled = bit(LIVENESS);
    toy.home = 0;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(r->transitions, 5); /* the second pass does not count */
    finish(&outcome);
    OPEN_GRAPH(&toy, trap);
    toy.enabled = bit(LIVENESS);
    toy.home = 0;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 13);
    assert_int_equal(r->stop, CLEW_STOP_VIOLATION);
    assert_true(r->scope.complete);
    assert_int_equal(r->trace.edge_count, 2); /* to state 4, which is met first */
    assert_int_equal(r->trace.edges[1], 3);
    assert_int_equal(violation(r, 0).depth, 2);
    finish(&outcome);
    toy.home = 3;
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(r->exit_code, 0);
    finish(&outcome);
  }
}

/* One component of a million states, and as many of one: the recursion must not be one. */
static void test_liveness_deep(void **state) {
  (void)state;
  struct toy toy;
  struct outcome outcome;
  toy_open(&toy, 1, chain_edge);
  toy.size = 1000000;
  toy.enabled = bit(LIVENESS);
  toy.home = 999999;
  run(&toy, &clew_engine_bfs, NULL, &outcome);
  assert_int_equal(outcome.result.exit_code, 0);
  finish(&outcome);
  toy.home = 999998;
  run(&toy, &clew_engine_dfs, NULL, &outcome);
  assert_int_equal(outcome.result.exit_code, 13);
  assert_int_equal(violation(&outcome.result, 0).depth, 999999);
  finish(&outcome);
}

static void test_liveness_without_memory(void **state) {
  (void)state;
  struct toy toy;
  struct outcome outcome;
  toy_open(&toy, 1, chain_edge);
  toy.size = 100000;
  toy.enabled = bit(LIVENESS);
  toy.home = 0;
  /* Enough for the states, not for the components. */
  run(&toy, &clew_engine_bfs, &(struct options){.memory_bytes = 4 << 20}, &outcome);
  assert_int_equal(outcome.result.states, 100000);
  assert_int_equal(outcome.result.exit_code, 20);
  assert_int_equal(outcome.result.stop, CLEW_STOP_MEMORY);
  finish(&outcome);
}

/* ---- random graphs against a reference ---- */

enum { MAX_SIZE = 60 };

struct reference {
  uint32_t states, transitions, deadlocks, levels;
  bool live;
  uint32_t lost; /* least level of a state from which home is out of reach, or CLEW_NONE */
};

/* Breadth-first by hand; then which reachable states reach home, to a fixed point. */
static struct reference explore_by_hand(const struct toy *toy) {
  struct reference r = {.live = true, .lost = CLEW_NONE};
  uint32_t level[MAX_SIZE], queue[MAX_SIZE], head = 0;
  bool reaches[MAX_SIZE] = {0};
  memset(level, 0xff, sizeof level);
  level[0] = 0;
  queue[r.states++] = 0;
  while (head < r.states) {
    uint32_t from = queue[head++], degree = 0, to;
    r.levels = level[from] + 1;
    for (uint32_t e = 0; e < toy->model.edge_count; e++) {
      if (toy->edge(toy, from, e, &to)) {
        degree++;
        if (to != FAULTS && level[to] == CLEW_NONE) {
          level[to] = level[from] + 1;
          queue[r.states++] = to;
        }
      }
    }
    r.transitions += degree;
    r.deadlocks += degree == 0;
  }
  for (uint32_t round = 0; round < r.states; round++) {
    for (uint32_t i = 0; i < r.states; i++) {
      uint32_t from = queue[i], to;
      reaches[from] |= toy->home_set[from] != 0;
      for (uint32_t e = 0; e < toy->model.edge_count; e++) {
        reaches[from] |= toy->edge(toy, from, e, &to) && to != FAULTS && reaches[to];
      }
    }
  }
  for (uint32_t i = 0; i < r.states; i++) {
    r.live &= reaches[queue[i]];
    if (!reaches[queue[i]] && level[queue[i]] < r.lost) {
      r.lost = level[queue[i]];
    }
  }
  return r;
}

/* Among others that hold, the property has the same answer and the same shortest path. */
static void check_several(struct toy *toy, const struct reference *wanted) {
  struct clew_property several[3];
  const struct clew_property *kept = toy->model.properties;
  uint32_t kept_count = toy->model.property_count;
  uint64_t enabled[1] = {7};
  for (uint32_t i = 0; i < 3; i++) {
    several[i] = (struct clew_property){
        .kind = CLEW_PROPERTY_LIVENESS, .name = "several", .label = i == 1 ? HOME : GOOD};
  }
  toy->model.properties = several;
  toy->model.property_count = 3;
  toy->many_enabled = enabled;
  struct outcome outcome;
  run(toy, &clew_engine_bfs, NULL, &outcome);
  assert_int_equal(outcome.result.exit_code, wanted->live ? 0 : 13);
  if (!wanted->live) {
    assert_int_equal(violation(&outcome.result, 0).property, 1);
    assert_int_equal(violation(&outcome.result, 0).depth, wanted->lost);
  }
  finish(&outcome);
  toy->model.properties = kept;
  toy->model.property_count = kept_count;
  toy->many_enabled = NULL;
}

static void test_random_graphs(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 42);
  uint32_t live = 0, dead = 0;
  for (uint32_t round = 0; round < 2000; round += SPARSE) {
    uint32_t size = 1 + (uint32_t)clew_random_below(&random, MAX_SIZE);
    uint32_t count = 1 + (uint32_t)clew_random_below(&random, 2 * size + 1);
    struct arrow arrows[2 * MAX_SIZE + 1];
    uint8_t home[MAX_SIZE];
    for (uint32_t i = 0; i < count; i++) {
      arrows[i].from = (uint32_t)clew_random_below(&random, size);
      arrows[i].to = (uint32_t)clew_random_below(&random, size);
      if (clew_random_below(&random, 40) == 0) {
        arrows[i].to = FAULTS;
      }
    }
    for (uint32_t i = 0; i < size; i++) {
      home[i] = clew_random_below(&random, 3) == 0;
    }
    struct toy toy;
    toy_open(&toy, count, arrow_edge);
    toy.arrows = arrows;
    toy.home_set = home;
    toy.enabled = bit(LIVENESS);
    struct reference wanted = explore_by_hand(&toy);
    for (int e = 0; e < 2; e++) {
      struct outcome outcome;
      run(&toy, engines[e], NULL, &outcome);
      assert_int_equal(outcome.result.states, wanted.states);
      assert_int_equal(outcome.result.transitions, wanted.transitions);
      assert_int_equal(outcome.result.deadlocks, wanted.deadlocks);
      if (e == 0) {
        assert_int_equal(outcome.result.levels, wanted.levels);
      }
      assert_int_equal(outcome.result.exit_code, wanted.live ? 0 : 13);
      if (e == 0 && !wanted.live) {
        assert_int_equal(violation(&outcome.result, 0).depth, wanted.lost);
        assert_int_equal(outcome.result.trace.edge_count, wanted.lost);
      }
      finish(&outcome);
    }
    check_several(&toy, &wanted);
    live += wanted.live;
    dead += !wanted.live;
  }
  assert_true(live > 200 / SPARSE && dead > 200 / SPARSE);
}

static void test_fault_in_liveness_label(void **state) {
  (void)state;
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  for (int e = 0; e < 2; e++) {
    struct toy toy;
    struct outcome outcome;
    OPEN_GRAPH(&toy, arrows);
    toy.properties[LIVENESS].label = GOOD;
    toy.label_fault = 3;
    toy.enabled = bit(LIVENESS) | bit(FAULT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 14);
    assert_int_equal(violation(&outcome.result, 0).depth, 3);
    assert_int_equal(outcome.result.trace.site, 1);
    finish(&outcome);
    toy.enabled = bit(LIVENESS);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 13);
    finish(&outcome);
  }
}

/* More than fit into one pass: those at 63, 64 and 130 do not hold. */
static void test_many_liveness_properties(void **state) {
  (void)state;
  enum { MANY = 140 };
  static const struct arrow arrows[] = {{0, 1}, {1, 2}, {2, 0}};
  struct clew_property many[MANY];
  uint64_t enabled[3] = {UINT64_MAX, UINT64_MAX, (UINT64_C(1) << (MANY - 128)) - 1};
  for (uint32_t i = 0; i < MANY; i++) {
    bool never = i == 63 || i == 64 || i == 130;
    many[i] = (struct clew_property){
        .kind = CLEW_PROPERTY_LIVENESS, .name = "many", .label = never ? GOAL : HOME};
  }
  struct toy toy;
  struct outcome outcome;
  OPEN_GRAPH(&toy, arrows);
  toy.home = 1;
  toy.model.properties = many;
  toy.model.property_count = MANY;
  toy.many_enabled = enabled;
  run(&toy, &clew_engine_bfs, &(struct options){.go_on = true}, &outcome);
  assert_int_equal(outcome.result.outcomes.violated.len, 3);
  assert_int_equal(violation(&outcome.result, 0).property, 63);
  assert_int_equal(violation(&outcome.result, 1).property, 64);
  assert_int_equal(violation(&outcome.result, 2).property, 130);
  finish(&outcome);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_liveness),
      cmocka_unit_test(test_liveness_deep),
      cmocka_unit_test(test_liveness_without_memory),
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_fault_in_liveness_label),
      cmocka_unit_test(test_many_liveness_properties),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
