/* A search that is saved between two steps, or when a limit has stopped it, and loaded by another
 * run over another store that was filled from the log, with another number of threads, ends as one
 * that was never interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checkpoint/replay.h"
#include "unit/effort.h"
#include "unit/toy_search.h"

static const struct clew_store_type *const stores[] = {
    &clew_store_exact, &clew_store_compact, &clew_store_bloom,
    &clew_store_cache, &clew_store_disk,    &clew_store_comback,
};
enum { STORES = 6 };

struct setup {
  const struct clew_engine_type *engine;
  const struct clew_store_type *before, *after;
  uint32_t threads_before, threads_after;
  uint32_t steps;      /* before it is saved; 0: never */
  uint64_t max_states; /* it is stopped by this limit, and saved then; CLEW_ABSENT: by no limit */
  bool is_last;
  bool go_on;
};

struct world {
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags;
  struct clew_store *store;
  struct clew_log *log;
  struct clew_crew *crew;
};

static const struct clew_keeper keeper = {.every_s = INFINITY};

static void world_open(struct world *world, const struct toy *toy,
                       const struct clew_store_type *type, uint32_t threads) {
  *world = (struct world){.crew = clew_crew_open(threads)};
  clew_budget_init(&world->budget, 64 << 20);
  assert_int_equal(clew_scratch_open(&world->scratch, NULL, &world->diags), CLEW_OK);
  struct clew_store_config config = {.words = 2,
                                     .threads = threads,
                                     .seed = 1,
                                     .budget = &world->budget,
                                     .scratch = &world->scratch,
                                     .diags = &world->diags,
                                     .replay = clew_model_replay,
                                     .replay_context = (void *)(uintptr_t)&toy->model};
  assert_int_equal(type->open(&config, &world->diags, &world->store), CLEW_OK);
  world->log = clew_log_open(&world->budget, &world->scratch, 1 << 14);
}

static void world_close(struct world *world) {
  world->store->type->close(world->store);
  clew_log_close(world->log);
  clew_scratch_close(&world->scratch);
  clew_crew_close(world->crew);
  clew_diag_sink_free(&world->diags);
  assert_int_equal(clew_budget_used(&world->budget), 0);
}

static struct clew_search search_in(struct world *world, const struct toy *toy,
                                    const struct setup *setup) {
  return (struct clew_search){
      .model = &toy->model,
      .store = world->store,
      .log = world->log,
      .budget = &world->budget,
      .scratch = &world->scratch,
      .limits = {CLEW_ABSENT, CLEW_ABSENT, INFINITY},
      .enabled = &toy->enabled,
      .stop_at_violation = !setup->go_on,
      .measures_locality = setup->go_on,
      .crew = world->crew,
      .thread_share = 4,
      .diags = &world->diags,
      .keeper = &keeper,
  };
}

/* Runs until the search is saved; false when it ended before or cannot be saved there. */
static bool save_after(const struct setup *setup, struct clew_search *search,
                       struct clew_cut *cut) {
  struct clew_result result;
  clew_result_init(&result);
  search->limits.max_states = setup->max_states;
  struct clew_run *run = setup->engine->open(search, &result);
  bool running = true;
  for (uint32_t i = 0; i < setup->steps && running; i++) {
    running = setup->engine->step(run) == CLEW_STEP_RUNNING;
  }
  bool limited = setup->max_states != CLEW_ABSENT;
  bool saved = running != limited && setup->engine->save(run, setup->is_last, cut);
  setup->engine->close(run);
  clew_result_free(&result);
  return saved;
}

/* Fills another store from the log of the first one. */
static void replay(const struct toy *toy, struct world *from, const struct clew_cut *cut,
                   struct world *to, struct clew_search *search) {
  struct clew_replay *replay = clew_replay_open(&(struct clew_replay_config){
      .model = &toy->model,
      .store = to->store,
      .log = to->log,
      .budget = &to->budget,
      .scratch = &to->scratch,
      .waiting_from = cut->waiting_from,
      .by_level = cut->by_level,
  });
  enum { AT_ONCE = 100 };
  struct clew_back_edge records[AT_ONCE];
  for (uint64_t id = 0; id < cut->states; id += AT_ONCE) {
    uint32_t count = cut->states - id < AT_ONCE ? (uint32_t)(cut->states - id) : AT_ONCE;
    assert_true(clew_log_read(from->log, id, count, records));
    assert_int_equal(clew_replay_add(replay, records, count), CLEW_REPLAYED);
  }
  assert_int_equal(clew_replay_finish(replay), CLEW_REPLAYED);
  assert_int_equal(to->store->type->count(to->store), cut->states);
  search->waiting = clew_replay_take_waiting(replay);
  search->cut = cut;
  clew_replay_close(replay);
}

/* The result of the search; false when it could not be saved. */
static bool explore(const struct toy *toy, const struct setup *setup, struct clew_result *result) {
  struct world before, after;
  world_open(&before, toy, setup->before, setup->threads_before);
  world_open(&after, toy, setup->after, setup->threads_after);
  struct clew_search first = search_in(&before, toy, setup);
  struct clew_search second = search_in(&after, toy, setup);
  struct clew_cut cut = {.waiting_from = CLEW_ID_NONE};
  clew_result_init(result);
  bool saved = setup->steps == 0 || save_after(setup, &first, &cut);
  if (saved) {
    if (setup->steps > 0) {
      replay(toy, &before, &cut, &after, &second);
    }
    assert_true(clew_search_run(setup->engine, &second, result));
    if (result->has_trace) {
      assert_int_equal(clew_trace_confirm(&toy->model, &result->trace, &after.diags), CLEW_OK);
    }
  }
  clew_archive_free(&cut.archive);
  world_close(&after);
  world_close(&before);
  return saved;
}

static void compare(const struct toy *toy, const struct setup *setup, uint32_t *saved) {
  struct setup whole = *setup;
  whole.steps = 0;
  whole.max_states = CLEW_ABSENT;
  struct clew_result expected, result;
  assert_true(explore(toy, &whole, &expected));
  if (explore(toy, setup, &result)) {
    ++*saved;
    assert_int_equal(result.scope.complete, expected.scope.complete);
    assert_int_equal(result.initial_states, expected.initial_states);
    assert_int_equal(result.outcomes.violated.len, expected.outcomes.violated.len);
    if (setup->engine->has_levels || expected.scope.complete) {
      assert_int_equal(result.states, expected.states);
      assert_int_equal(result.transitions, expected.transitions);
      assert_int_equal(result.deadlocks, expected.deadlocks);
      assert_int_equal(result.out_degree_max, expected.out_degree_max);
      assert_int_equal(result.levels, expected.levels);
      assert_int_equal(result.diameter, expected.diameter);
      if (result.has_locality) {
        assert_int_equal(result.locality.states, expected.locality.states);
        assert_int_equal(result.locality.loops, expected.locality.loops);
      }
    }
    for (uint32_t i = 0; i < toy->model.property_count; i++) {
      assert_int_equal(result.outcomes.list[i].decision, expected.outcomes.list[i].decision);
      assert_int_equal(result.outcomes.list[i].reason, expected.outcomes.list[i].reason);
    }
  }
  clew_result_free(&expected);
  clew_result_free(&result);
}

/* A store can follow another one if it is exact, or the same. */
static bool can_follow(const struct clew_store_type *before, const struct clew_store_type *after) {
  bool lossless = (before->promises & after->promises & CLEW_STORE_LOSSLESS) != 0;
  return (lossless && after != &clew_store_cache && before != &clew_store_cache) || before == after;
}

/* Saves with one store and goes on with another, at many points. Returns how often. */
static uint32_t go_on_with(struct toy *toy, const struct setup *plan) {
  static const uint32_t threads[][2] = {{1, 1}, {1, 3}, {3, 1}, {4, 2}};
  uint32_t saved = 0;
  for (uint32_t t = 0; t < 4; t++) {
    for (uint32_t point = 1; point < 60; point += SPARSE + point / 3) {
      for (uint32_t variant = 0; variant < 4; variant++) {
        struct setup setup = *plan;
        bool bad = variant % 2 == 1, limited = variant >= 2;
        toy->bad = bad ? 11 * 144 : CLEW_NONE;
        setup.threads_before = threads[t][0];
        setup.threads_after = threads[t][1];
        setup.steps = limited ? 1000000 : point;
        setup.max_states = limited ? 1 + point * 23 : CLEW_ABSENT;
        setup.is_last = point % 2 == 0;
        setup.go_on = bad;
        compare(toy, &setup, &saved);
      }
    }
  }
  return saved;
}

static void test_everywhere(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 12;
  toy.goal = 700;
  toy.enabled = bit(INVARIANT) | bit(COVER) | bit(COVER_STATEMENT) | bit(FAULT);
  for (uint32_t e = 0; e < 2; e++) {
    for (uint32_t i = 0; i < STORES * STORES; i++) {
      struct setup plan = {
          .engine = engines[e], .before = stores[i / STORES], .after = stores[i % STORES]};
      if (can_follow(plan.before, plan.after)) {
        uint32_t saved = go_on_with(&toy, &plan);
        bool cannot = plan.before == &clew_store_cache || (e == 1 && plan.before->demands != 0);
        assert_int_equal(saved > 0, !cannot);
      }
    }
  }
}

/* A store that keeps the graph decides more than one that does not: the one that goes on says what
 * was decided. */
static void test_liveness(void **state) {
  (void)state;
  static const struct clew_store_type *const pairs[][2] = {
      {&clew_store_exact, &clew_store_disk},
      {&clew_store_disk, &clew_store_exact},
      {&clew_store_exact, &clew_store_comback},
      {&clew_store_exact, &clew_store_exact},
  };
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 12;
  toy.goal = 700;
  toy.enabled = bit(INVARIANT) | bit(LIVENESS);
  for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    struct setup plan = {.engine = engines[0], .before = pairs[i][0], .after = pairs[i][1]};
    assert_true(go_on_with(&toy, &plan) > 0);
  }
}

/* Whatever is cut off or changed is refused, or at least does no harm to the memory. */
static void test_damaged(void **state) {
  (void)state;
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 6;
  toy.enabled = bit(INVARIANT) | bit(COVER);
  for (uint32_t e = 0; e < 2; e++) {
    struct setup setup = {.engine = engines[e], .steps = 3, .max_states = CLEW_ABSENT};
    struct world world;
    world_open(&world, &toy, &clew_store_exact, 1);
    struct clew_search search = search_in(&world, &toy, &setup);
    struct clew_cut cut = {.waiting_from = CLEW_ID_NONE};
    assert_true(save_after(&setup, &search, &cut));
    for (uint32_t length = 0; length < cut.archive.data.len; length += 8) {
      struct clew_cut part = cut;
      part.archive = (struct clew_archive){0};
      clew_archive_put_bytes(&part.archive, cut.archive.data.data, length);
      struct clew_result result;
      clew_result_init(&result);
      search.cut = &part;
      assert_false(clew_search_run(setup.engine, &search, &result));
      clew_result_free(&result);
      clew_archive_free(&part.archive);
    }
    clew_archive_free(&cut.archive);
    world_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everywhere),
      cmocka_unit_test(test_liveness),
      cmocka_unit_test(test_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
