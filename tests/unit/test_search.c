/* Breadth-first and depth-first search on hand-written models whose graphs are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "search/engine.h"

/* ---- toy models: a state is a number (and a second word derived from it) ---- */

enum { PROPERTIES = 6, FAULTS = 1U << 31 };
enum { DEADLOCK, FAULT, INVARIANT, COVER, LIVENESS, COVER_STATEMENT };

/* Labels: 0 "good" (the invariant), 1 "goal" (the cover), 2 "home" (liveness). */
enum { GOOD, GOAL, HOME, LABELS };

struct arrow {
  uint32_t from, to; /* to FAULTS: a run-time error at site 0 */
};

struct toy {
  struct clew_model model;
  struct clew_property properties[PROPERTIES];
  uint64_t enabled;
  /* Edge e of `state` leads to *to, or is not enabled; *to = FAULTS is a run-time error. */
  bool (*edge)(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to);
  uint32_t size;
  const struct arrow *arrows; /* of an explicit graph */
  uint32_t bad;               /* the state where "good" is false; CLEW_NONE: none */
  uint32_t goal, home;        /* the states where these hold; home CLEW_NONE: by home_set */
  const uint8_t *home_set;
  uint32_t label_fault; /* "good" cannot be evaluated there */
  uint32_t initial[3], initial_states;
  bool init_faults;
};

static const struct toy *toy_of(const struct clew_model *model) {
  return model->impl;
}

static void encode(uint32_t number, uint64_t *state) {
  state[0] = number;
  state[1] = UINT64_C(5) * number ^ 1;
}

static uint32_t decode(const uint64_t *state) {
  assert_int_equal(state[1], UINT64_C(5) * state[0] ^ 1);
  return (uint32_t)state[0];
}

static void toy_init(const struct clew_model *model, struct clew_succs *succs) {
  const struct toy *toy = toy_of(model);
  for (uint32_t i = 0; i < toy->initial_states; i++) {
    encode(toy->initial[i], clew_succs_next(succs));
    clew_succs_keep(succs, i);
  }
  if (toy->init_faults) {
    succs->add_fault(succs, toy->initial_states, 0);
  }
}

static void toy_group(const struct clew_model *model, uint32_t edge, const uint64_t *state,
                      struct clew_succs *succs) {
  const struct toy *toy = toy_of(model);
  uint32_t to;
  if (!toy->edge(toy, decode(state), edge, &to)) {
    return;
  }
  succs->covered[0] |= 1;
  if (to == FAULTS) {
    succs->add_fault(succs, edge, 0);
  } else {
    encode(to, clew_succs_next(succs));
    clew_succs_keep(succs, edge);
  }
}

static void toy_next(const struct clew_model *model, const uint64_t *state,
                     struct clew_succs *succs) {
  assert_true(state < succs->states || state >= succs->states + (size_t)succs->capacity * 2);
  for (uint32_t edge = 0; edge < model->edge_count; edge++) {
    toy_group(model, edge, state, succs);
  }
}

static bool toy_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site) {
  const struct toy *toy = toy_of(model);
  uint32_t to;
  *site = CLEW_NONE;
  if (!toy->edge(toy, decode(state), edge, &to)) {
    return false;
  }
  if (to == FAULTS) {
    *site = 0;
    return false;
  }
  encode(to, out);
  return true;
}

static bool toy_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                      uint32_t *site) {
  const struct toy *toy = toy_of(model);
  uint32_t number = decode(state);
  switch (label) {
  case GOOD:
    if (number == toy->label_fault) {
      *site = 1;
      return false;
    }
    return number != toy->bad;
  case GOAL:
    return number == toy->goal;
  default:
    assert_int_equal(label, HOME);
    return toy->home_set != NULL ? toy->home_set[number] : number == toy->home;
  }
}

static uint32_t toy_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  bool wanted = (*enabled >> INVARIANT) & 1;
  return wanted && !toy_label(model, GOOD, state, site) ? INVARIANT : CLEW_NONE;
}

static const struct clew_site sites[] = {{.kind = CLEW_SITE_ASSERTION, .message = "failed"},
                                         {.kind = CLEW_SITE_UNDEFINED, .message = "undefined"}};
static const struct clew_label labels[LABELS] = {
    {.name = "good"}, {.name = "goal"}, {.name = "home"}};

static uint64_t bit(uint32_t property) {
  return UINT64_C(1) << property;
}

static void toy_open(struct toy *toy, uint32_t edge_count,
                     bool (*edge)(const struct toy *, uint32_t, uint32_t, uint32_t *)) {
  *toy = (struct toy){
      .properties = {[DEADLOCK] = {.kind = CLEW_PROPERTY_DEADLOCK, .name = "deadlock"},
                     [FAULT] = {.kind = CLEW_PROPERTY_FAULT, .name = "assertion"},
                     [INVARIANT] = {.kind = CLEW_PROPERTY_INVARIANT, .name = "good", .label = GOOD},
                     [COVER] = {.kind = CLEW_PROPERTY_COVER, .name = "goal", .label = GOAL},
                     [LIVENESS] = {.kind = CLEW_PROPERTY_LIVENESS, .name = "home", .label = HOME},
                     [COVER_STATEMENT] = {.kind = CLEW_PROPERTY_COVER,
                                          .name = "moved",
                                          .is_statement = true}},
      .edge = edge,
      .bad = CLEW_NONE,
      .goal = CLEW_NONE,
      .home = CLEW_NONE,
      .label_fault = CLEW_NONE,
      .initial_states = 1,
  };
  toy->model = (struct clew_model){
      .name = "toy",
      .language = "c",
      .words = 2,
      .state_bits = 96,
      .edge_count = edge_count,
      .initial_count = 4,
      .label_count = LABELS,
      .labels = labels,
      .cover_count = 1,
      .property_count = PROPERTIES,
      .properties = toy->properties,
      .site_count = 2,
      .sites = sites,
      .init = toy_init,
      .next = toy_next,
      .next_group = toy_group,
      .fire = toy_fire,
      .label = toy_label,
      .check = toy_check,
      .impl = toy,
      .reference = &toy->model,
  };
}

static bool arrow_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  *to = toy->arrows[edge].to;
  return toy->arrows[edge].from == state;
}

/* A macro so that the number of arrows is known. */
#define OPEN_GRAPH(toy, list)                                                                      \
  (toy_open((toy), (uint32_t)(sizeof(list) / sizeof((list)[0])), arrow_edge),                      \
   (void)((toy)->arrows = (list)))

static bool chain_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  assert_int_equal(edge, 0);
  *to = state + 1;
  return state + 1 < toy->size;
}

/* Three coordinates in 0 .. size-1, each may be counted up. */
static bool grid_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  uint32_t power = edge == 0 ? 1 : edge == 1 ? toy->size : toy->size * toy->size;
  *to = state + power;
  return state / power % toy->size + 1 < toy->size;
}

/* ---- running ---- */

struct options {
  uint64_t memory_bytes, log_bytes; /* 0: plenty */
  uint64_t max_states, max_depth;   /* 0: none */
  double max_time_s;                /* 0: none */
  bool interrupted, go_on;
  bool broken_scratch; /* its directory cannot be created */
  struct clew_reporter *reporter;
};

struct outcome {
  struct clew_result result;
  struct clew_diag_sink diags;
};

static const struct clew_engine_type *const engines[] = {&clew_engine_bfs, &clew_engine_dfs};

static void run_on_store(const struct toy *toy, const struct clew_engine_type *engine,
                         const struct options *o, struct clew_budget *budget,
                         struct outcome *outcome) {
  struct clew_store_config config = {.words = 2, .threads = 1, .seed = 1, .budget = budget};
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, NULL, &outcome->diags), CLEW_OK);
  if (o->broken_scratch) {
    clew_free(scratch.parent);
    scratch.parent = clew_strdup("/nowhere/at/all");
  }
  atomic_bool interrupted = o->interrupted;
  struct clew_search search = {
      .model = &toy->model,
      .log = clew_log_open(budget, &scratch, o->log_bytes ? o->log_bytes : 1 << 20),
      .budget = budget,
      .reporter = o->reporter,
      .limits = {.max_states = o->max_states ? o->max_states : CLEW_ABSENT,
                 .max_depth = o->max_depth ? o->max_depth : CLEW_ABSENT,
                 .max_time_s = o->max_time_s > 0 ? o->max_time_s : INFINITY},
      .enabled = &toy->enabled,
      .stop_at_violation = !o->go_on,
      .threads = 1,
      .started_s = clew_clock_wall_s(),
      .interrupted = &interrupted,
      .diags = &outcome->diags,
  };
  assert_int_equal(clew_store_exact.open(&config, &outcome->diags, &search.store), CLEW_OK);
  engine->run(&search, &outcome->result);
  const char *why = "";
  assert_true(clew_store_exact.validate(search.store, &why));
  clew_store_exact.close(search.store);
  clew_log_close(search.log);
  clew_scratch_close(&scratch);
}

static void run(const struct toy *toy, const struct clew_engine_type *engine,
                const struct options *options, struct outcome *outcome) {
  struct options o = options != NULL ? *options : (struct options){0};
  *outcome = (struct outcome){0};
  clew_result_init(&outcome->result);
  struct clew_budget budget;
  clew_budget_init(&budget, o.memory_bytes ? o.memory_bytes : 128 << 20);
  run_on_store(toy, engine, &o, &budget, outcome);
  assert_int_equal(clew_budget_used(&budget), 0);
  struct clew_result *result = &outcome->result;
  clew_result_conclude(result, &toy->model);
  assert_true(result->lossless);
  assert_true(result->states == 0 || result->bytes_per_state > 0);
  if (result->has_trace) {
    enum clew_status status = clew_trace_confirm(&toy->model, &result->trace, &outcome->diags);
    assert_string_equal(outcome->diags.len > 0 ? outcome->diags.data[0].message : "", "");
    assert_int_equal(status, CLEW_OK);
    assert_int_equal(result->trace.property, result->violations.data[0].property);
  }
}

static void finish(struct outcome *outcome) {
  clew_result_free(&outcome->result);
  clew_diag_sink_free(&outcome->diags);
}

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
    assert_true(r->complete);
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
    assert_int_equal(r->violations.data[0].depth, 150000);
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
    toy.initial_states = 0; /* nothing to explore is a complete search */
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.states, 0);
    assert_int_equal(outcome.result.verdict, CLEW_VERDICT_HOLDS);
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
  assert_int_equal(outcome.result.violations.data[0].depth, 2);
  finish(&outcome);
  run(&toy, &clew_engine_dfs, NULL, &outcome);
  assert_int_equal(outcome.result.trace.edge_count, 4); /* smallest edges first */
  assert_int_equal(outcome.result.violations.data[0].depth, 4);
  finish(&outcome);
  toy.bad = 0; /* the initial state itself */
  for (int e = 0; e < 2; e++) {
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_int_equal(outcome.result.trace.edge_count, 0);
    assert_int_equal(outcome.result.violations.data[0].depth, 0);
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
    assert_int_equal(outcome.result.violations.data[0].depth, 2);
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
    assert_int_equal(r->violations.data[0].property, FAULT);
    assert_int_equal(r->violations.data[0].depth, 3);
    assert_int_equal(r->violations.data[0].site, 0);
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
    assert_int_equal(r->exit_code, 14);
    assert_true(r->complete);
    assert_int_equal(r->states, 4);
    assert_int_equal(r->transitions, 6);
    assert_int_equal(r->violations.len, 1); /* one per property */
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
    assert_int_equal(r->violations.data[0].depth, 0);
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
    assert_int_equal(r->violations.data[0].site, 1);
    finish(&outcome);
    toy.enabled = bit(FAULT) | bit(INVARIANT);
    run(&toy, engines[e], &(struct options){.go_on = true}, &outcome);
    assert_int_equal(r->violations.len, 2); /* both, the invariant at state 3 */
    assert_int_equal(r->violations.data[0].property, FAULT);
    assert_int_equal(r->violations.data[1].property, INVARIANT);
    assert_int_equal(r->violations.data[1].depth, 3);
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
    assert_int_equal(outcome.result.violations.data[0].property, COVER);
    assert_int_equal(outcome.result.violations.data[0].depth, CLEW_NONE);
    assert_false(outcome.result.has_trace);
    assert_true(outcome.result.complete);
    finish(&outcome);
    /* Not reached within a limit is not the same as unreachable. */
    run(&toy, engines[e], &(struct options){.max_states = 2}, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    finish(&outcome);
    OPEN_GRAPH(&toy, elsewhere);
    toy.enabled = bit(COVER_STATEMENT);
    run(&toy, engines[e], NULL, &outcome);
    assert_int_equal(outcome.result.exit_code, 12);
    assert_int_equal(outcome.result.violations.data[0].property, COVER_STATEMENT);
    finish(&outcome);
  }
}

/* ---- liveness ---- */

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
    assert_true(r->complete);
    assert_int_equal(r->trace.edge_count, 2); /* to state 4, which is met first */
    assert_int_equal(r->trace.edges[1], 3);
    assert_int_equal(r->violations.data[0].depth, 2);
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
  assert_int_equal(outcome.result.violations.data[0].depth, 999999);
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
};

/* Breadth-first by hand; then which reachable states reach home, to a fixed point. */
static struct reference explore_by_hand(const struct toy *toy) {
  struct reference r = {.live = true};
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
  }
  return r;
}

static void test_random_graphs(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 42);
  uint32_t live = 0, dead = 0;
  for (uint32_t round = 0; round < 2000; round++) {
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
      finish(&outcome);
    }
    live += wanted.live;
    dead += !wanted.live;
  }
  assert_true(live > 200 && dead > 200);
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
      assert_false(r->complete);
      assert_true(r->states > kilobytes * 5 && r->states < 1000000);
      assert_int_equal(r->violations.len, 0);
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

static void test_disk_fails(void **state) {
  (void)state;
  struct toy toy;
  struct outcome outcome;
  toy_open(&toy, 3, grid_edge);
  toy.size = 60;
  for (int e = 0; e < 2; e++) {
    run(&toy, engines[e], &(struct options){.log_bytes = 4096, .broken_scratch = true}, &outcome);
    assert_int_equal(outcome.result.exit_code, 20);
    assert_int_equal(outcome.result.stop, CLEW_STOP_DISK);
    assert_int_equal(outcome.diags.error_count, 1);
    assert_non_null(strstr(outcome.diags.data[0].message, "back-edge log"));
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
    run(&toy, engines[e], &(struct options){.log_bytes = 8192}, &outcome);
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

static void count_call(struct clew_reporter *reporter, const struct clew_progress *progress) {
  reporter->line_width++;
  assert_true(progress->states >= reporter->previous.states);
  assert_true(progress->elapsed_s >= reporter->previous.elapsed_s);
  assert_true(progress->memory_bytes <= progress->budget_bytes);
  reporter->previous = *progress;
}

static void test_progress(void **state) {
  (void)state;
  static const struct clew_reporter_type type = {.name = "counting", .progress = count_call};
  for (int e = 0; e < 2; e++) {
    struct clew_reporter reporter = {.type = &type, .every_s = 1e-9};
    struct toy toy;
    struct outcome outcome;
    toy_open(&toy, 3, grid_edge);
    toy.size = 30;
    run(&toy, engines[e], &(struct options){.reporter = &reporter}, &outcome);
    assert_true(reporter.line_width > 10);
    assert_int_equal(reporter.previous.is_depth, e == 1);
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
      cmocka_unit_test(test_liveness),
      cmocka_unit_test(test_liveness_deep),
      cmocka_unit_test(test_liveness_without_memory),
      cmocka_unit_test(test_random_graphs),
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
