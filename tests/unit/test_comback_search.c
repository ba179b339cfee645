/* Searches with the ComBack store find what they find with the exact one: states, transitions,
 * deadlocks and verdict, for every cache, candidate set, queue, layout, hash width, time of
 * detection and order of search. On systems made for it, among them the known traps (a state with
 * more than 128 and one with more than 65,536 successors, a path of 10,000 levels), and on the
 * project's own models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/clock.h"
#include "ir/exec.h"
#include "ir/interp.h"
#include "lang/lang.h"
#include "search/engine.h"
#include "store/comback_options.h"
#include "unit/comback_system.h"
#include "unit/effort.h"
#include "unit/model_load.h"

/* ---- configurations ---- */

struct setup {
  const char *cache, *candidates;
  bool ids, compact, depth_first, late;
  uint32_t hash_bits;
};

static const char *const CACHES[] = {"none",  "R:9",  "F:13",       "H:11",
                                     "D3:10", "L:12", "F20-H80:15", "F20-D80:15"};
static const char *const CANDIDATES[] = {"0", "1", "7", "1000"};
static const uint32_t WIDTHS[] = {4, 8, 16, 32, 64};

enum { CACHE_COUNT = 8, WIDTH_COUNT = 5, CANDIDATE_COUNT = 4 };
enum { ALL_SETUPS = CACHE_COUNT * CANDIDATE_COUNT * WIDTH_COUNT * 2 * 2 * 3 };
enum { PAIRWISE_SETUPS = CACHE_COUNT * WIDTH_COUNT };

/* Every combination. Late detection is one of breadth-first search, so there are three orders. */
static struct setup full_setup(uint32_t number) {
  struct setup s = {.cache = CACHES[number % CACHE_COUNT]};
  number /= CACHE_COUNT;
  s.candidates = CANDIDATES[number % CANDIDATE_COUNT];
  number /= CANDIDATE_COUNT;
  s.hash_bits = WIDTHS[number % WIDTH_COUNT];
  number /= WIDTH_COUNT;
  s.ids = number & 1;
  s.compact = number & 2;
  s.depth_first = number / 4 == 1;
  s.late = number / 4 == 2;
  return s;
}

/* Forty in which every two values of two settings come together. */
static struct setup pairwise_setup(uint32_t number) {
  uint32_t i = number % CACHE_COUNT, j = number / CACHE_COUNT;
  return (struct setup){.cache = CACHES[i],
                        .hash_bits = WIDTHS[j],
                        .candidates = CANDIDATES[(i + j) % CANDIDATE_COUNT],
                        .ids = (i / 4 + j / 2) % 2,
                        .compact = (i / 4 + j) % 2,
                        .depth_first = (i / 4 + j + j / 2) % 2,
                        .late = (i / 2 + j) % 2};
}

static void describe(const struct setup *s, struct clew_text *out) {
  clew_text_printf(out, "cache %s, candidates %s, queue of %s, %s layout, %u bits, %s%s", s->cache,
                   s->candidates, s->ids ? "ids" : "states", s->compact ? "compact" : "paper",
                   s->hash_bits, s->depth_first ? "depth first" : "breadth first",
                   s->late ? ", late" : "");
}

/* ---- a search ---- */

struct subject {
  uint64_t max_states; /* 0: no limit */
  uint32_t threads;    /* 0: one */
  const struct clew_model *model;
  const uint64_t *enabled;
  bool stops; /* at the first violation */
};

/* The store knows what the log says. */
static void check_back_edges(const struct clew_search *search) {
  if ((search->store->promises & CLEW_STORE_BACK_EDGES) == 0) {
    return;
  }
  for (clew_id id = 0; id < search->store->type->count(search->store); id++) {
    struct clew_back_edge logged;
    clew_id parent;
    uint32_t edge;
    assert_true(clew_log_get(search->log, id, &logged));
    search->store->type->back_edge(search->store, id, &parent, &edge);
    assert_int_equal(parent, logged.parent);
    assert_int_equal(edge, logged.edge);
  }
}

static void search_subject(const struct subject *subject, const struct clew_engine_type *engine,
                           const struct clew_store_type *type,
                           const struct clew_comback_options *options, struct clew_result *result) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 28);
  struct clew_diag_sink diags = {0};
  struct clew_scratch scratch;
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  struct clew_crew *crew = clew_crew_open(subject->threads > 0 ? subject->threads : 1);
  struct clew_store_config config = {.words = subject->model->words,
                                     .bytes = subject->model->bytes,
                                     .threads = clew_crew_size(crew),
                                     .crew = crew,
                                     .seed = 3,
                                     .budget = &budget,
                                     .options = options,
                                     .replay = clew_model_replay,
                                     .replay_context = (void *)(uintptr_t)subject->model};
  struct clew_search search = {
      .model = subject->model,
      .log = clew_log_open(&budget, &scratch, 1 << 20),
      .budget = &budget,
      .scratch = &scratch,
      .limits = {subject->max_states > 0 ? subject->max_states : CLEW_ABSENT, CLEW_ABSENT,
                 INFINITY},
      .enabled = subject->enabled,
      .stop_at_violation = subject->stops,
      .crew = crew,
      .thread_share = 2,
      .started_s = clew_clock_wall_s(),
      .diags = &diags,
  };
  assert_int_equal(type->open(&config, &diags, &search.store), CLEW_OK);
  clew_result_init(result);
  clew_search_run(engine, &search, result);
  if (result->has_trace) {
    assert_int_equal(clew_trace_confirm(subject->model, &result->trace, &diags), CLEW_OK);
  }
  check_back_edges(&search);
  type->close(search.store);
  clew_log_close(search.log);
  clew_crew_close(crew);
  clew_scratch_close(&scratch);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_diag_sink_free(&diags);
}

/* What differs, or NULL. What a search has seen when it stops is its own affair. */
static const char *difference(const struct subject *subject, const struct setup *s,
                              const struct clew_result *exact, const struct clew_result *result) {
  if (result->verdict != exact->verdict) {
    return "verdict";
  }
  if (result->scope.complete != exact->scope.complete) {
    return "complete";
  }
  if (!exact->scope.complete) {
    return subject->stops || exact->stop == CLEW_STOP_CALLS ? NULL
                                                            : "the exact search is not complete";
  }
  if (result->states != exact->states || result->transitions != exact->transitions) {
    return "states or transitions";
  }
  if (result->deadlocks != exact->deadlocks || result->initial_states != exact->initial_states) {
    return "deadlocks or initial states";
  }
  /* The state that errors lead to is on a level but not in the store. */
  uint64_t deepest = exact->diameter - (subject->model->counts_error_state && exact->diameter > 0);
  bool late = s->late && !s->depth_first && strcmp(s->candidates, "0") != 0;
  if (s->depth_first || late) {
    return result->levels == CLEW_ABSENT && result->diameter == CLEW_ABSENT &&
                   result->level_sizes.len == 0 && result->max_depth >= deepest
               ? NULL
               : "levels are claimed";
  }
  return result->levels == exact->levels && result->diameter == exact->diameter ? NULL : "levels";
}

static void compare(const struct subject *subject, const struct clew_result *exact,
                    const struct setup *s) {
  struct clew_comback_options options = {
      .hash_bits = s->hash_bits,
      .cache = s->cache,
      .candidates = s->candidates,
      .block = "5",
      .queue = s->ids ? CLEW_COMBACK_QUEUE_IDS : CLEW_COMBACK_QUEUE_FULL,
      .detect = s->late ? CLEW_COMBACK_DETECT_FULL : CLEW_COMBACK_DETECT_LEVEL,
      .layout = s->compact ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
  };
  struct clew_result result;
  search_subject(subject, s->depth_first ? &clew_engine_dfs : &clew_engine_bfs, &clew_store_comback,
                 &options, &result);
  const char *why = difference(subject, s, exact, &result);
  if (why != NULL) {
    struct clew_text text = {0};
    describe(s, &text);
    fail_msg("%s: %s: %s (%lu states, exact %lu)", subject->model->name, clew_text_str(&text), why,
             (unsigned long)result.states, (unsigned long)exact->states);
  }
  clew_result_free(&result);
}

/* The exact search, and all setups or forty of them. */
static void compare_setups(const struct subject *subject, bool all) {
  struct clew_result exact;
  search_subject(subject, &clew_engine_bfs, &clew_store_exact, NULL, &exact);
  for (uint32_t i = 0; i < (all ? ALL_SETUPS : PAIRWISE_SETUPS); i += all ? SPARSE : 1) {
    struct setup s = all ? full_setup(i) : pairwise_setup(i);
    bool nothing_is_late = s.late && strcmp(s.candidates, "0") == 0;
    if (!all || !nothing_is_late) {
      compare(subject, &exact, &s);
    }
  }
  clew_result_free(&exact);
}

/* ---- systems as models ---- */

static struct system *system_of(const struct clew_model *model) {
  return model->impl;
}

static void system_init(const struct clew_model *model, struct clew_succs *succs) {
  for (uint32_t key = 0; key < system_of(model)->roots; key++) {
    system_state(system_of(model), key, clew_succs_next(succs));
    clew_succs_keep(succs, key);
  }
}

static void system_successors(const struct clew_model *model, const uint64_t *state,
                              struct clew_succs *succs) {
  const struct system *s = system_of(model);
  uint32_t key = system_key(s, state);
  uint32_t first = succs->count;
  for (uint32_t e = 0; e < system_degree(s, key); e++) {
    system_state(s, system_next(s, key, e), clew_succs_next(succs));
    clew_succs_keep(succs, system_edge(s, e));
  }
  succs->stuck = clew_succs_are_stuck(succs, model->deadlock, state, first, succs->fault_count);
}

static bool system_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                        uint64_t *out, uint32_t *site) {
  *site = CLEW_NONE;
  return system_replay(system_of(model), state, edge, out);
}

static struct clew_model system_model(const char *name, struct system *s) {
  return (struct clew_model){.name = name,
                             .words = s->words,
                             .discrete_words = s->words,
                             .init = system_init,
                             .next = system_successors,
                             .fire = system_fire,
                             .impl = s};
}

static void test_every_combination(void **state) {
  (void)state;
  struct system systems[] = {
      {SYSTEM_RANDOM, .keys = 130, .roots = 3, .degree = 5, .words = 2, .edge_step = 3},
      {SYSTEM_GRID, .keys = 81, .roots = 1, .degree = 9, .words = 1, .edge_step = 1},
      {SYSTEM_PATH, .keys = 60, .roots = 1, .words = 3, .edge_base = 70000, .edge_step = 1},
      {SYSTEM_STAR, .keys = 140, .roots = 2, .words = 2, .edge_base = 250, .edge_step = 1},
  };
  for (uint32_t i = 0; i < 4; i++) {
    struct clew_model model = system_model("system", &systems[i]);
    struct subject subject = {.model = &model};
    compare_setups(&subject, true);
    subject.threads = 4;
    compare_setups(&subject, false);
  }
}

/* Every layout, queue, order of search and time of detection, with and without delay. */
static void compare_traps(struct system *system, const char *cache, const char *candidates) {
  struct clew_model model = system_model("trap", system);
  struct subject subject = {.model = &model};
  struct clew_result exact;
  search_subject(&subject, &clew_engine_bfs, &clew_store_exact, NULL, &exact);
  assert_int_equal(exact.states, system_reachable(system));
  for (uint32_t i = 0; i < 24; i++) {
    struct setup s = {.cache = cache,
                      .hash_bits = 32,
                      .candidates = i & 1 ? candidates : "0",
                      .ids = i & 2,
                      .compact = i & 4,
                      .depth_first = i / 8 == 1,
                      .late = i / 8 == 2};
    if (!s.late || (i & 1) != 0) {
      compare(&subject, &exact, &s);
    }
  }
  clew_result_free(&exact);
}

static void test_many_successors(void **state) {
  (void)state;
  struct system system = {SYSTEM_STAR, .roots = 1, .words = 1, .edge_step = 1};
  system.keys = 400;
  compare_traps(&system, "none", "50");
  compare_traps(&system, "F50-D50:20", "1000");
  system.keys = 70000;
  system.edge_base = 17;
  compare_traps(&system, "F50-D50:1000", "1000");
}

static void test_long_path(void **state) {
  (void)state;
  struct system system = {SYSTEM_PATH, .roots = 1, .words = 1, .edge_step = 1};
  system.keys = 10001;
  compare_traps(&system, "L16:2000", "100");
  system.keys = 300;
  compare_traps(&system, "none", "100");
}

/* With default sizes, which grow: enough states for that. */
static void test_default_sizes(void **state) {
  (void)state;
  struct system system = {SYSTEM_GRID, .roots = 1, .degree = 256, .words = 1, .edge_step = 1};
  system.keys = system.degree * system.degree;
  struct clew_model model = system_model("default", &system);
  struct subject subject = {.model = &model};
  struct clew_result exact;
  search_subject(&subject, &clew_engine_bfs, &clew_store_exact, NULL, &exact);
  assert_int_equal(exact.states, system.keys);
  static const char *const caches[] = {NULL, "F", "R", "F20-D80"};
  for (uint32_t i = 0; i < 8; i++) {
    struct clew_comback_options options = {
        .cache = caches[i % 4],
        .candidates = i % 4 == 1 ? "0" : NULL,
        .queue = i & 1 ? CLEW_COMBACK_QUEUE_IDS : CLEW_COMBACK_QUEUE_FULL,
        .layout = i / 4 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
    };
    struct clew_result result;
    search_subject(&subject, &clew_engine_bfs, &clew_store_comback, &options, &result);
    assert_int_equal(result.states, exact.states);
    assert_int_equal(result.transitions, exact.transitions);
    assert_int_equal(result.diameter, exact.diameter);
    assert_true(result.bytes_per_state < 50);
    clew_result_free(&result);
  }
  clew_result_free(&exact);
}

/* The limit on states holds for those that were candidates, too. */
static void test_limit(void **state) {
  (void)state;
  struct system system = {SYSTEM_GRID, .roots = 1, .degree = 40, .words = 1, .edge_step = 1};
  system.keys = system.degree * system.degree;
  struct clew_model model = system_model("limit", &system);
  for (uint32_t i = 0; i < 8 * 3; i++) {
    static const uint64_t limits[] = {1, 100, 1599};
    struct subject subject = {.model = &model, .max_states = limits[i / 8]};
    struct clew_comback_options options = {
        .hash_bits = 4,
        .cache = i & 1 ? "F20-D80:50" : "none",
        .candidates = "100000",
        .layout = i & 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
    };
    struct clew_result result;
    search_subject(&subject, i & 4 ? &clew_engine_dfs : &clew_engine_bfs, &clew_store_comback,
                   &options, &result);
    assert_int_equal(result.stop, CLEW_STOP_MAX_STATES);
    assert_int_equal(result.states, limits[i / 8]);
    clew_result_free(&result);
  }
}

/* ---- the project's models ---- */

/* NULL for models that are there to be refused. */
static struct clew_model *load(const char *path) {
  struct clew_program *program = model_load_file(path);
  return program == NULL ? NULL
                         : clew_model_open(program, CLEW_MODE_INTERP, CLEW_SYMMETRY_CANONICAL);
}

/* All properties but those that this store cannot decide. */
static uint64_t *decidable(const struct clew_model *model) {
  uint64_t *enabled = clew_alloc_zero(CLEW_BITSET_WORDS(model->property_count) + 1, 8);
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (model->properties[i].kind != CLEW_PROPERTY_LIVENESS) {
      clew_bitset_add(enabled, i);
    }
  }
  return enabled;
}

static bool compare_model(const char *path, bool all) {
  struct clew_model *model = load(path);
  if (model == NULL) {
    return false;
  }
  uint64_t *enabled = decidable(model);
  struct subject subject = {.model = model, .enabled = enabled};
  compare_setups(&subject, all);
  subject.stops = true;
  compare_setups(&subject, false);
  subject.threads = 3;
  compare_setups(&subject, false);
  clew_free(enabled);
  model->close(model);
  return true;
}

static void compare_glob(const char *pattern, uint32_t least, bool all) {
  glob_t found;
  uint32_t compared = 0;
  if (glob(pattern, 0, NULL, &found) != 0) { /* there when make runs the tests */
    skip();
  }
  size_t step = found.gl_pathc >= SPARSE ? SPARSE : 1;
  for (size_t i = 0; i < found.gl_pathc; i += step) {
    compared += compare_model(found.gl_pathv[i], all);
  }
  assert_true(compared >= least / step);
  globfree(&found);
}

/* CLEW_TEST_EVERY=1 in the environment: every combination, which takes some minutes. */
static void test_models(void **state) {
  (void)state;
  bool all = getenv("CLEW_TEST_EVERY") != NULL;
  compare_glob("tests/models/murphi/*.m", 40, all);
  compare_glob("tests/models/dve/*.dve", 20, all);
  compare_glob(all ? "examples/*.m" : "examples/[bmp]*.m", 1, all); /* some are large */
  compare_glob(all ? "examples/*.dve" : "examples/l*.dve", 1, all);
}

static void test_models_in_full(void **state) {
  (void)state;
  compare_glob("tests/models/murphi/symmetry_relation.m", 1, true);
  compare_glob("tests/models/dve/buffered.dve", 1, true);
}

static int release(void **state) {
  (void)state;
  clew_interp_release();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_combination),
      cmocka_unit_test(test_many_successors),
      cmocka_unit_test(test_long_path),
      cmocka_unit_test(test_default_sizes),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_models_in_full),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
