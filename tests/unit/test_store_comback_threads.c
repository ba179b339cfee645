/* The ComBack store with several threads: the same answers, whatever the threads do meanwhile. To
 * be run with the thread sanitizer as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/comback_system.h"
#include "unit/store_open.h"

static const struct clew_store_type *const type = &clew_store_comback;

static const struct system SYSTEMS[] = {
    {.kind = SYSTEM_RANDOM, .keys = 3000, .roots = 3, .degree = 6, .words = 2, .edge_step = 3},
    {.kind = SYSTEM_GRID, .keys = 1600, .roots = 1, .degree = 40, .words = 1, .edge_step = 1},
    {.kind = SYSTEM_PATH, .keys = 400, .roots = 1, .words = 3, .edge_step = 1},
    {.kind = SYSTEM_STAR, .keys = 2000, .roots = 1, .words = 2, .edge_step = 1},
};

struct setup {
  const struct system *system;
  const char *cache, *candidates;
  enum clew_comback_layout layout;
  uint32_t threads, get_block, hash_bits;
  bool depth_first;
  uint64_t memory_bytes;
};

static struct clew_store *open_store(struct system *system,
                                     const struct clew_comback_options *options, uint32_t threads,
                                     struct clew_budget *budget) {
  struct clew_store_config config = {.words = system->words,
                                     .threads = threads,
                                     .seed = 11,
                                     .budget = budget,
                                     .options = options,
                                     .replay = system_replay,
                                     .replay_context = system};
  return store_open(type, &config);
}

/* Returns whether the search was complete. */
static bool explore(const struct setup *setup) {
  struct system system = *setup->system;
  struct clew_comback_options options = {
      .hash_bits = setup->hash_bits,
      .cache = setup->cache,
      .candidates = setup->candidates,
      .layout = setup->layout,
      .queue = setup->get_block > 0 ? CLEW_COMBACK_QUEUE_IDS : CLEW_COMBACK_QUEUE_FULL,
      .states = system.keys,
  };
  struct clew_budget budget;
  clew_budget_init(&budget, setup->memory_bytes > 0 ? setup->memory_bytes : UINT64_C(1) << 30);
  struct clew_store *store = open_store(&system, &options, setup->threads, &budget);
  struct search x;
  search_open(&x, &system, store);
  x.depth_first = setup->depth_first;
  search_run(&x);
  assert_null(x.wrong);
  bool complete = !x.refused;
  if (complete) {
    assert_int_equal(x.found, system_reachable(&system));
    store_assert_valid(store);
    if (setup->get_block > 0) {
      search_check_get(&x, setup->get_block);
    }
  } else {
    assert_true(setup->memory_bytes > 0);
  }
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  search_close(&x);
  type->close(store); /* perhaps in the middle of a detection */
  assert_int_equal(clew_budget_used(&budget), 0);
  return complete;
}

static void test_same_answers(void **state) {
  (void)state;
  static const char *const caches[] = {"none", "F:50", "F20-D80:0.02"};
  static const char *const candidates[] = {"200", "500", "100000"};
  for (uint32_t run = 0; run < 4 * 3 * 3 * 2; run++) {
    uint32_t rest = run / 12;
    assert_true(
        explore(&(struct setup){.system = &SYSTEMS[run % 4],
                                .candidates = candidates[run / 4 % 3],
                                .cache = caches[rest % 3],
                                .layout = rest / 3 % 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
                                .threads = 2 + run % 3,
                                .depth_first = run % 17 == 0,
                                .hash_bits = run % 5 == 0 ? 9 : 32}));
  }
}

static void test_blocks_of_the_queue(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 4 * 2 * 2; run++) {
    assert_true(
        explore(&(struct setup){.system = &SYSTEMS[run % 4],
                                .cache = run / 8 ? "F:50" : "none",
                                .candidates = run % 3 ? "200" : "0",
                                .layout = run / 4 % 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
                                .threads = 3,
                                .get_block = 700}));
  }
}

/* Whatever is refused, and when: no wrong answer, and the end is orderly. */
static void test_little_memory(void **state) {
  (void)state;
  uint32_t complete = 0;
  for (uint32_t run = 0; run < 32; run++) {
    complete +=
        explore(&(struct setup){.system = &SYSTEMS[run % 4],
                                .cache = "none",
                                .candidates = "1000",
                                .layout = run / 4 % 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER,
                                .threads = 3,
                                .memory_bytes = (UINT64_C(100) + run * 20) << 10});
  }
  assert_true(complete > 0 && complete < 32);
}

/* A search that is given up while threads are at work: figures can be read, and it can be closed.
 */
static void test_given_up(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 40; run++) {
    struct system system = SYSTEMS[run % 2];
    struct clew_comback_options options = {.cache = "none",
                                           .candidates = "300",
                                           .layout = run / 4 % 2 ? CLEW_COMBACK_COMPACT
                                                                 : CLEW_COMBACK_PAPER,
                                           .states = 1000};
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 30);
    struct clew_store *store = open_store(&system, &options, 3, &budget);
    struct search x;
    search_open(&x, &system, store);
    x.most = 300 + run * 13;
    search_run(&x);
    assert_null(x.wrong);
    assert_true(x.refused && x.found >= x.most);
    assert_true(store_counter(store, "events_executed") > 0);
    assert_true(store_counter(store, "threads") == 3);
    assert_int_equal(store->config.threads, 3);
    assert_true(type->bytes(store) > 0);
    search_close(&x);
    type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_answers),
      cmocka_unit_test(test_blocks_of_the_queue),
      cmocka_unit_test(test_little_memory),
      cmocka_unit_test(test_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
