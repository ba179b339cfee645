/* A search that is saved between two steps and loaded by another run, over the same store and log
 * and with another number of threads, ends as one that was never interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/toy_search.h"

static const struct clew_store_type *const stores[] = {
    &clew_store_exact, &clew_store_compact, &clew_store_bloom,
    &clew_store_cache, &clew_store_disk,    &clew_store_comback,
};
enum { STORES = 6 };

struct setup {
  const struct clew_engine_type *engine;
  const struct clew_store_type *store;
  uint32_t threads_before, threads_after;
  uint32_t steps; /* before it is saved; 0: never */
  bool go_on;
};

struct world {
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_diag_sink diags;
  struct clew_store *store;
  struct clew_log *log;
  struct clew_crew *before, *after;
};

static void world_open(struct world *world, const struct toy *toy, const struct setup *setup) {
  *world = (struct world){.before = clew_crew_open(setup->threads_before),
                          .after = clew_crew_open(setup->threads_after)};
  clew_budget_init(&world->budget, 64 << 20);
  assert_int_equal(clew_scratch_open(&world->scratch, NULL, &world->diags), CLEW_OK);
  uint32_t threads =
      setup->threads_before > setup->threads_after ? setup->threads_before : setup->threads_after;
  struct clew_store_config config = {.words = 2,
                                     .threads = threads,
                                     .seed = 1,
                                     .budget = &world->budget,
                                     .scratch = &world->scratch,
                                     .diags = &world->diags,
                                     .replay = clew_model_replay,
                                     .replay_context = (void *)(uintptr_t)&toy->model};
  assert_int_equal(setup->store->open(&config, &world->diags, &world->store), CLEW_OK);
  world->log = clew_log_open(&world->budget, &world->scratch, 1 << 14);
}

static void world_close(struct world *world) {
  world->store->type->close(world->store);
  clew_log_close(world->log);
  clew_scratch_close(&world->scratch);
  clew_crew_close(world->before);
  clew_crew_close(world->after);
  clew_diag_sink_free(&world->diags);
  assert_int_equal(clew_budget_used(&world->budget), 0);
}

static struct clew_search search_in(struct world *world, const struct toy *toy,
                                    const struct setup *setup, struct clew_crew *crew) {
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
      .crew = crew,
      .thread_share = 4,
      .diags = &world->diags,
  };
}

/* Runs until the search is saved; false when it ended before or cannot be saved there. */
static bool save_after(const struct setup *setup, struct clew_search *search,
                       struct clew_archive *archive) {
  struct clew_result result;
  clew_result_init(&result);
  struct clew_run *run = setup->engine->open(search, &result);
  bool running = true;
  for (uint32_t i = 0; i < setup->steps && running; i++) {
    running = setup->engine->step(run) == CLEW_STEP_RUNNING;
  }
  bool saved = running && setup->engine->save(run, archive);
  setup->engine->close(run);
  clew_result_free(&result);
  return saved;
}

/* The result of the search; false when it could not be saved. */
static bool explore(const struct toy *toy, const struct setup *setup, struct clew_result *result) {
  struct world world;
  world_open(&world, toy, setup);
  struct clew_search before = search_in(&world, toy, setup, world.before);
  struct clew_search after = search_in(&world, toy, setup, world.after);
  struct clew_archive archive = {0};
  clew_result_init(result);
  bool saved = setup->steps == 0 || save_after(setup, &before, &archive);
  if (saved) {
    struct clew_run *run = setup->engine->open(&after, result);
    assert_true(setup->steps == 0 || setup->engine->load(run, &archive));
    while (setup->engine->step(run) == CLEW_STEP_RUNNING) {
    }
    setup->engine->close(run);
    if (result->has_trace) {
      assert_int_equal(clew_trace_confirm(&toy->model, &result->trace, &world.diags), CLEW_OK);
    }
  }
  clew_archive_free(&archive);
  world_close(&world);
  return saved;
}

static void compare(const struct toy *toy, const struct setup *setup, uint32_t *saved) {
  struct setup whole = *setup;
  whole.steps = 0;
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
      assert_int_equal(result.locality.states, expected.locality.states);
      assert_int_equal(result.locality.loops, expected.locality.loops);
    }
    for (uint32_t i = 0; i < toy->model.property_count; i++) {
      assert_int_equal(result.outcomes.list[i].decision, expected.outcomes.list[i].decision);
      assert_int_equal(result.outcomes.list[i].reason, expected.outcomes.list[i].reason);
    }
  }
  clew_result_free(&expected);
  clew_result_free(&result);
}

static void test_everywhere(void **state) {
  (void)state;
  static const uint32_t threads[][2] = {{1, 1}, {1, 3}, {3, 1}, {4, 2}};
  struct toy toy;
  toy_open(&toy, 3, grid_edge);
  toy.size = 12;
  toy.goal = 700;
  toy.enabled = bit(INVARIANT) | bit(COVER) | bit(COVER_STATEMENT) | bit(FAULT);
  for (uint32_t e = 0; e < 2; e++) {
    for (uint32_t s = 0; s < STORES; s++) {
      uint32_t saved = 0;
      for (uint32_t t = 0; t < 4; t++) {
        for (uint32_t steps = 1; steps < 60; steps += 1 + steps / 3) {
          for (uint32_t bad = 0; bad < 2; bad++) {
            toy.bad = bad == 1 ? 11 * 144 : CLEW_NONE;
            struct setup setup = {.engine = engines[e],
                                  .store = stores[s],
                                  .threads_before = threads[t][0],
                                  .threads_after = threads[t][1],
                                  .steps = steps,
                                  .go_on = bad == 1};
            compare(&toy, &setup, &saved);
          }
        }
      }
      bool keeps_stack = e == 1 && stores[s]->demands != 0;
      assert_true(saved > 0 || keeps_stack);
    }
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
    struct setup setup = {engines[e], &clew_store_exact, 1, 1, 3, false};
    struct world world;
    world_open(&world, &toy, &setup);
    struct clew_search search = search_in(&world, &toy, &setup, NULL);
    struct clew_archive archive = {0};
    assert_true(save_after(&setup, &search, &archive));
    for (uint32_t length = 0; length < archive.data.len; length += 8) {
      struct clew_archive part = {0};
      clew_archive_put_bytes(&part, archive.data.data, length);
      struct clew_result result;
      clew_result_init(&result);
      struct clew_run *run = setup.engine->open(&search, &result);
      assert_false(setup.engine->load(run, &part));
      setup.engine->close(run);
      clew_result_free(&result);
      clew_archive_free(&part);
    }
    clew_archive_free(&archive);
    world_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everywhere),
      cmocka_unit_test(test_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
