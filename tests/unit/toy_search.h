/* Toy models and how to run an engine on them, for the tests of search/.
 *
 * A toy is a graph over numbers, given by arrows or by a function; labels hold in single states.
 * Every run is checked for what must always be so: the store is valid, all memory is given back,
 * and a counterexample replays. */
#ifndef CLEW_TESTS_TOY_SEARCH_H
#define CLEW_TESTS_TOY_SEARCH_H

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
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
  const uint64_t *many_enabled; /* instead, for more than 64 properties */
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
  uint32_t from = succs->resume;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  for (uint32_t i = from; i < toy->initial_states; i++) {
    encode(toy->initial[i], clew_succs_next(succs));
    clew_succs_keep(succs, i);
    if (clew_succs_pause(succs, i + 1)) {
      return;
    }
  }
  if (toy->init_faults) {
    succs->add_fault(succs, toy->initial_states, 0);
  }
}

static void toy_edge(const struct clew_model *model, uint32_t edge, const uint64_t *state,
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
  uint32_t first = succs->count, first_fault = succs->fault_count;
  uint32_t from = succs->resume;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  for (uint32_t edge = from; edge < model->edge_count && succs->resume == 0; edge++) {
    toy_edge(model, edge, state, succs);
    (void)clew_succs_pause(succs, edge + 1);
  }
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}

static void toy_expect_fire(const struct clew_model *model) {
  (void)model;
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

static inline uint64_t bit(uint32_t property) {
  return UINT64_C(1) << property;
}

static inline void toy_open(struct toy *toy, uint32_t edge_count,
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
      .discrete_words = 2,
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
      .expect_fire = toy_expect_fire,
      .fire = toy_fire,
      .label = toy_label,
      .check = toy_check,
      .impl = toy,
      .reference = &toy->model,
  };
}

static inline bool arrow_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  *to = toy->arrows[edge].to;
  return toy->arrows[edge].from == state;
}

/* A macro so that the number of arrows is known. */
#define OPEN_GRAPH(toy, list)                                                                      \
  (toy_open((toy), (uint32_t)(sizeof(list) / sizeof((list)[0])), arrow_edge),                      \
   (void)((toy)->arrows = (list)))

static inline bool chain_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  assert_int_equal(edge, 0);
  *to = state + 1;
  return state + 1 < toy->size;
}

/* Three coordinates in 0 .. size-1, each may be counted up. */
static inline bool grid_edge(const struct toy *toy, uint32_t state, uint32_t edge, uint32_t *to) {
  uint32_t power = edge == 0 ? 1 : edge == 1 ? toy->size : toy->size * toy->size;
  *to = state + power;
  return state / power % toy->size + 1 < toy->size;
}

/* ---- running ---- */

struct options {
  const struct clew_store_type *store; /* NULL: exact */
  const void *store_options, *engine_options;
  uint32_t unchecked;
  uint64_t memory_bytes, log_bytes; /* 0: plenty */
  uint64_t max_states, max_depth;   /* 0: none */
  double max_time_s;                /* 0: none */
  uint32_t piece;                   /* successors that are made at once; 0: as usual */
  bool interrupted, go_on;
  bool broken_scratch; /* its directory cannot be created */
  void (*progress)(void *context, const struct clew_progress *progress);
  void *progress_context;
  struct clew_team *team; /* this is one of its ranks; NULL: the only process */
  /* Called before the search begins, when everything is open; or NULL. */
  void (*prepare)(void *context, struct clew_search *search);
  void *prepare_context;
};

struct outcome {
  struct clew_result result;
  struct clew_diag_sink diags;
  bool opened;                /* the store; else there is a reason in `diags` */
  bool ran;                   /* it was opened, and is fit for what the engine's options need */
  unsigned promises, demands; /* of the store that was opened */
};

/* A violated property as it stands in the result. */
struct violation {
  uint32_t property, depth, site;
};

static inline struct violation violation(const struct clew_result *result, uint32_t number) {
  assert_true(number < result->outcomes.violated.len);
  uint32_t property = result->outcomes.violated.data[number];
  const struct clew_outcome *outcome = &result->outcomes.list[property];
  assert_int_equal(outcome->decision, CLEW_PROPERTY_VIOLATED);
  return (struct violation){property, outcome->depth, outcome->site};
}

static const struct clew_engine_type *const engines[] = {&clew_engine_bfs, &clew_engine_dfs};

static void run_on_store(const struct toy *toy, const struct clew_engine_type *engine,
                         const struct options *o, uint32_t threads, struct clew_budget *budget,
                         struct outcome *outcome) {
  struct clew_crew *crew = clew_crew_open(threads);
  const struct clew_store_type *type = o->store != NULL ? o->store : &clew_store_exact;
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, NULL, &outcome->diags), CLEW_OK);
  if (o->broken_scratch) {
    clew_free(scratch.parent);
    scratch.parent = clew_strdup("/nowhere/at/all");
  }
  bool has_order = toy->model.covers != NULL;
  void *model = (void *)(uintptr_t)&toy->model;
  struct clew_store_config config = {.words = toy->model.words,
                                     .threads = threads,
                                     .seed = 1,
                                     .budget = budget,
                                     .scratch = &scratch,
                                     .options = o->store_options,
                                     .crew = crew,
                                     .diags = &outcome->diags,
                                     .replay = clew_model_replay,
                                     .replay_context = model,
                                     .covers = has_order ? clew_model_covers : NULL,
                                     .covers_context = model,
                                     .discrete_words = toy->model.discrete_words,
                                     .order_bits = toy->model.order_bits};
  atomic_bool interrupted = o->interrupted;
  struct clew_search search = {
      .model = &toy->model,
      .log = clew_log_open(budget, &scratch, o->log_bytes ? o->log_bytes : 1 << 20),
      .budget = budget,
      .scratch = &scratch,
      .progress = o->progress,
      .progress_context = o->progress_context,
      .progress_s = 1e-9,
      .limits = {.max_states = o->max_states ? o->max_states : CLEW_ABSENT,
                 .max_depth = o->max_depth ? o->max_depth : CLEW_ABSENT,
                 .max_time_s = o->max_time_s > 0 ? o->max_time_s : INFINITY},
      .enabled = toy->many_enabled != NULL ? toy->many_enabled : &toy->enabled,
      .unchecked = o->unchecked,
      .stop_at_violation = !o->go_on,
      .crew = crew,
      .thread_share = 1,
      .piece = o->piece,
      .options = o->engine_options,
      .started_s = clew_clock_wall_s(),
      .interrupted = &interrupted,
      .diags = &outcome->diags,
  };
  struct clew_spread spread = {0};
  if (o->team != NULL) {
    assert_true(clew_spread_open(&spread, o->team, &toy->model, 1, budget, threads));
    search.spread = &spread;
  }
  outcome->opened = type->open(&config, &outcome->diags, &search.store) == CLEW_OK;
  if (outcome->opened) {
    outcome->promises = search.store->promises;
    outcome->demands = search.store->demands;
    type = search.store->type;
    unsigned needs = engine->needs != NULL ? engine->needs(o->engine_options) : 0;
    outcome->ran = (needs & ~outcome->promises) == 0;
    if (outcome->ran && o->prepare != NULL) {
      o->prepare(o->prepare_context, &search);
    }
    if (outcome->ran) {
      assert_true(clew_search_run(engine, &search, &outcome->result));
    }
    const char *why = "";
    assert_true(type->validate(search.store, &why));
    type->close(search.store);
  }
  clew_spread_close(&spread);
  clew_log_close(search.log);
  clew_scratch_close(&scratch);
  clew_crew_close(crew);
}

static inline void finish(struct outcome *outcome) {
  clew_result_free(&outcome->result);
  clew_diag_sink_free(&outcome->diags);
}

static inline void run_with(const struct toy *toy, const struct clew_engine_type *engine,
                            const struct options *options, uint32_t threads,
                            struct outcome *outcome) {
  struct options o = options != NULL ? *options : (struct options){0};
  *outcome = (struct outcome){0};
  clew_result_init(&outcome->result);
  struct clew_budget budget;
  clew_budget_init(&budget, o.memory_bytes ? o.memory_bytes : 128 << 20);
  run_on_store(toy, engine, &o, threads, &budget, outcome);
  assert_int_equal(clew_budget_used(&budget), 0);
  struct clew_result *result = &outcome->result;
  assert_true(outcome->opened || o.store_options != NULL);
  bool is_lossless = (outcome->promises & CLEW_STORE_LOSSLESS) != 0;
  assert_int_equal(result->scope.lossless, outcome->ran && is_lossless);
  assert_true(result->states == 0 || o.store != NULL || result->bytes_per_state > 0);
  if (result->has_trace) {
    enum clew_status status = clew_trace_confirm(&toy->model, &result->trace, &outcome->diags);
    assert_string_equal(outcome->diags.len > 0 ? outcome->diags.data[0].message : "", "");
    assert_int_equal(status, CLEW_OK);
    assert_int_equal(result->trace.property, violation(result, 0).property);
  }
}

/* Whether the limits of the options cut a search off at a point that depends on speed. */
static inline bool ends_anywhere(const struct options *options) {
  return options != NULL && (options->memory_bytes > 0 || options->max_time_s > 0 ||
                             options->interrupted || options->broken_scratch);
}

/* Many threads give the answer of one. What a depth-first search finds first, and how far it got by
 * then, may differ. */
static inline void assert_same_answer(const struct clew_engine_type *engine,
                                      const struct clew_result *one,
                                      const struct clew_result *many) {
  assert_int_equal(many->verdict, one->verdict);
  assert_int_equal(many->exit_code, one->exit_code);
  assert_int_equal(many->scope.complete, one->scope.complete);
  if (one->stop == CLEW_STOP_MAX_STATES) {
    assert_int_equal(many->states, one->states);
    return;
  }
  if (!engine->has_levels && !one->scope.complete) {
    return;
  }
  assert_int_equal(many->states, one->states);
  assert_int_equal(many->transitions, one->transitions);
  assert_int_equal(many->deadlocks, one->deadlocks);
  assert_int_equal(many->levels, one->levels);
  assert_int_equal(many->diameter, one->diameter);
  assert_int_equal(many->outcomes.violated.len, one->outcomes.violated.len);
  assert_int_equal(many->level_sizes.len, one->level_sizes.len);
  for (uint32_t i = 0; i < one->level_sizes.len; i++) {
    assert_int_equal(many->level_sizes.data[i], one->level_sizes.data[i]);
  }
  for (uint32_t i = 0; engine->has_levels && i < one->outcomes.violated.len; i++) {
    assert_int_equal(violation(many, i).property, violation(one, i).property);
    assert_int_equal(violation(many, i).depth, violation(one, i).depth);
    assert_int_equal(violation(many, i).site, violation(one, i).site);
  }
  assert_int_equal(many->has_trace, one->has_trace);
  if (engine->has_levels && one->has_trace) {
    assert_int_equal(clew_trace_length(&many->trace), clew_trace_length(&one->trace));
  }
}

/* Successors in pieces give the answer of all at once: with one thread everything, also what a
 * depth-first search finds first. */
static inline void run_in_pieces(const struct toy *toy, const struct clew_engine_type *engine,
                                 const struct options *options, const struct clew_result *whole) {
  static const struct {
    uint32_t piece, threads;
  } ways[] = {{7, 1}, {1, 1}, {2, 1}, {3, 1}, {2, 3}};
  const uint64_t many = 2000; /* one way is enough, and takes long enough */
  size_t way_count = whole->states > many ? 1 : sizeof ways / sizeof ways[0];
  for (size_t i = 0; i < way_count; i++) {
    struct options in_pieces = *options;
    in_pieces.piece = ways[i].piece;
    struct outcome other;
    run_with(toy, engine, &in_pieces, ways[i].threads, &other);
    assert_same_answer(engine, whole, &other.result);
    if (ways[i].threads == 1 && whole->stop != CLEW_STOP_MAX_STATES) { /* in the midst of a state */
      const struct clew_result *result = &other.result;
      assert_int_equal(result->states, whole->states);
      assert_int_equal(result->initial_states, whole->initial_states);
      assert_int_equal(result->out_degree_min, whole->out_degree_min);
      assert_int_equal(result->out_degree_max, whole->out_degree_max);
      assert_int_equal(result->max_depth, whole->max_depth);
      assert_int_equal(result->has_trace, whole->has_trace);
      assert_int_equal(result->trace.edge_count, whole->trace.edge_count);
      assert_int_equal(result->trace.property, whole->trace.property);
      assert_int_equal(result->trace.fault_edge, whole->trace.fault_edge);
    }
    finish(&other);
  }
}

/* One thread, whose answer is given; and several, which have to agree; and pieces. */
static inline void run(const struct toy *toy, const struct clew_engine_type *engine,
                       const struct options *options, struct outcome *outcome) {
  static const uint32_t threads[] = {2, 5};
  run_with(toy, engine, options, 1, outcome);
  assert_int_equal(outcome->result.threads, 1);
  struct options silent = options != NULL ? *options : (struct options){0};
  silent.progress = NULL;
  for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
    struct outcome other;
    run_with(toy, engine, &silent, threads[i], &other);
    if (!ends_anywhere(options)) {
      assert_same_answer(engine, &outcome->result, &other.result);
    } else if (outcome->result.stop != CLEW_STOP_DISK) {
      assert_int_equal(other.result.exit_code, outcome->result.exit_code);
    }
    finish(&other);
  }
  if (!ends_anywhere(options)) {
    run_in_pieces(toy, engine, &silent, &outcome->result);
  }
}

#endif
