/* The ComBack store: every answer against a reference, for every cache, hash width, candidate set,
 * layout and order of search; reading back; refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/comback_int.h"
#include "unit/comback_system.h"
#include "unit/store_open.h"

static const struct clew_store_type *const type = &clew_store_comback;

static const struct system RANDOM = {.kind = SYSTEM_RANDOM,
                                     .keys = 700,
                                     .roots = 3,
                                     .degree = 6,
                                     .words = 2,
                                     .edge_base = 5,
                                     .edge_step = 3};
static const struct system GRID = {
    .kind = SYSTEM_GRID, .keys = 900, .roots = 1, .degree = 30, .words = 1, .edge_step = 1};
static const struct system PATH = {
    .kind = SYSTEM_PATH, .keys = 500, .roots = 1, .words = 3, .edge_base = 70000, .edge_step = 1};
static const struct system STAR = {
    .kind = SYSTEM_STAR, .keys = 300, .roots = 1, .words = 2, .edge_step = 1};

struct setup {
  struct system system;
  struct clew_comback_options options;
  bool depth_first, late, validate;
  uint32_t expansions_per_batch;
  uint32_t get_block;
  uint32_t wide_bits; /* ids of more bits are wide; 0: as ever */
};

static void describe(const struct setup *s, const char *wrong) {
  if (wrong != NULL) {
    print_error("%s: system %d, cache %s, candidates %s, hash %u, layout %d, depth first %d\n",
                wrong, (int)s->system.kind, s->options.cache, s->options.candidates,
                (unsigned)s->options.hash_bits, (int)s->options.layout, s->depth_first);
  }
}

static void explore(const struct setup *setup) {
  struct system system = setup->system;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = system_open_store(&system, &setup->options, &budget);
  if (setup->wide_bits > 0) {
    clew_comback_tables_widen_at((struct clew_comback *)store, setup->wide_bits);
  }
  struct search x;
  search_open(&x, &system, store);
  x.depth_first = setup->depth_first;
  x.late = setup->late;
  x.expansions_per_batch = setup->expansions_per_batch > 0 ? setup->expansions_per_batch : 8;
  search_run(&x);
  describe(setup, x.wrong);
  assert_null(x.wrong);
  assert_false(x.refused);
  assert_int_equal(x.found, system_reachable(&system));
  assert_int_equal(type->count(store), x.found);
  if (setup->validate) {
    store_assert_valid(store);
  }
  if (setup->get_block > 0) {
    search_check_get(&x, setup->get_block);
  }
  search_check_back_edges(&x);
  if (setup->validate && (store->promises & CLEW_STORE_DENSE) != 0) {
    search_check_find(&x);
  }
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  search_close(&x);
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static const char *const CACHES[] = {
    "none",      "R:0",         "R:1",       "R0.3:40",   "F:0",        "F:1",
    "F:2",       "F:100",       "H:1",       "H:2",       "H:60",       "D:1",
    "D3:50",     "D:2",         "L4:30",     "L:1",       "L1:200",     "F20-H80:50",
    "F50-H50:2", "F20-D80:0.1", "F80-D20:1", "F0-D100:9", "F100-H0:20", "F80-D20:300"};

static const char *const CANDIDATES[] = {"0", "1", "7", "1000"};

static const struct system *const SYSTEMS[] = {&RANDOM, &GRID, &PATH, &STAR};

/* Every cache, candidate set, layout and order on every system. */
static void test_all_combinations(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 4 * 4 * 2 * 2 * (sizeof CACHES / sizeof CACHES[0]); run++) {
    uint32_t rest = run;
    struct setup setup = {.validate = run % 7 == 0};
    setup.system = *SYSTEMS[rest % 4];
    rest /= 4;
    setup.options.candidates = CANDIDATES[rest % 4];
    rest /= 4;
    setup.options.layout = rest % 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    rest /= 2;
    setup.depth_first = rest % 2;
    setup.late = !setup.depth_first && run % 5 == 0;
    setup.options.cache = CACHES[rest / 2];
    setup.options.states = 1000;
    setup.options.queue = run % 3 == 0 ? CLEW_COMBACK_QUEUE_IDS : CLEW_COMBACK_QUEUE_FULL;
    setup.get_block = run % 3 == 0 ? 1 + run % 50 : 0;
    explore(&setup);
  }
}

static void test_hash_widths(void **state) {
  (void)state;
  static const uint32_t widths[] = {1, 2, 4, 8, 16, 31, 32, 33, 63, 64};
  for (uint32_t run = 0; run < 10 * 4 * 2 * 2; run++) {
    uint32_t bits = widths[run % 10], rest = run / 10;
    struct setup setup = {.system = *SYSTEMS[run % 4], .validate = true, .get_block = 33};
    setup.system.keys = setup.system.kind == SYSTEM_GRID ? 225 : bits < 8 ? 250 : 800;
    setup.system.degree = setup.system.kind == SYSTEM_GRID ? 15 : setup.system.degree;
    setup.options = (struct clew_comback_options){.hash_bits = bits};
    setup.options.candidates = CANDIDATES[rest % 4];
    setup.options.cache = bits % 3 == 0 ? "none" : "F50-D50:20";
    setup.options.layout = rest / 4 % 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.queue = CLEW_COMBACK_QUEUE_IDS;
    setup.depth_first = rest / 8 % 2;
    explore(&setup);
  }
}

/* Large enough for the tables to grow several times, in both layouts. */
static void test_growth(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 8; run++) {
    struct setup setup = {.system = RANDOM, .validate = true, .get_block = 1000};
    setup.system.keys = run & 4 ? 12000 : 60000;
    setup.options.layout = run & 1 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.candidates = run & 2 ? "2000" : "0";
    setup.options.cache = (run ^ run >> 1) & 1 ? "F50-D50" : "F50-D50:3000"; /* grows, too */
    setup.options.queue = CLEW_COMBACK_QUEUE_IDS;
    setup.depth_first = run & 4;
    setup.late = (run & 6) == 2;
    explore(&setup);
  }
}

/* A state with more than 65,536 successors, and events beyond 16 bits. */
static void test_many_successors(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 8; run++) {
    struct setup setup = {.system = STAR, .get_block = 4000};
    setup.system.keys = run & 4 ? 70000 : 400;
    setup.system.edge_base = run & 4 ? 17 : 0;
    setup.options.layout = run & 1 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.candidates = run & 2 ? "1000" : "0";
    setup.options.cache = "F:100";
    setup.options.queue = CLEW_COMBACK_QUEUE_IDS;
    explore(&setup);
  }
}

/* Backtracking must not recurse. With a cache the way is short; without, some of it is long. */
static void test_long_path(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 6; run++) {
    struct setup setup = {.system = PATH};
    setup.system.keys = run == 1 ? 3000 : 10000;
    setup.options.layout = run & 1 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.candidates = run & 2 ? "100" : "0";
    setup.options.cache = run >= 2 ? "L16:1000" : "none";
    explore(&setup);
  }
}

/* A million levels; the last state is rebuilt from the root. (In the compact layout tags are alike
 * by chance so often that a cache is needed.) */
static void test_million_levels(void **state) {
  (void)state;
  enum { LEVELS = 1000000 };
  for (uint32_t layout = 0; layout < 2; layout++) {
    struct system system = PATH;
    system.keys = LEVELS + 1;
    struct clew_comback_options options = {.hash_bits = 64};
    options.cache = layout ? "L1000:2000" : "none";
    options.candidates = "0";
    options.queue = CLEW_COMBACK_QUEUE_IDS;
    options.states = LEVELS + 1; /* the compact table is made for them at once */
    options.layout = layout ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    struct clew_store *store = system_open_store(&system, &options, NULL);
    struct search x;
    search_open(&x, &system, store);
    struct batch batch = {.words = clew_alloc(SYSTEM_BATCH * system.words * sizeof(uint64_t))};
    for (uint32_t key = 0; key < LEVELS; key++) {
      clew_id parent = key == 0 ? CLEW_ID_NONE : key - 1;
      batch_add(&x, &batch, key, parent, system_edge(&system, 0), key);
      batch_flush(&x, &batch);
    }
    assert_null(x.wrong);
    assert_int_equal(x.found, LEVELS);
    uint64_t out[3], want[3];
    for (uint32_t i = 0; i < 2; i++) { /* twice the last, through the segments of the path */
      type->get(store, LEVELS - 1, 1, out);
      system_state(&system, LEVELS - 1, want);
      assert_memory_equal(out, want, sizeof out);
    }
    uint64_t block[100][3];
    type->get(store, LEVELS - 100, 100, block[0]);
    assert_memory_equal(block[99], want, sizeof out);
    clew_free(batch.words);
    search_close(&x);
    type->close(store);
  }
}

/* When the budget ends the search ends, and nothing was lost until then. */
static void test_budget(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 48; run++) {
    struct system system = RANDOM;
    system.keys = run & 8 ? 8000 : 30000;
    struct clew_budget budget;
    clew_budget_init(&budget, (100 << 10) + run * (20 << 10));
    struct clew_comback_options options = {0};
    options.layout = run & 1 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    options.candidates = run & 2 ? "5000" : "0";
    options.cache = run & 4 ? "F50-H50:10000" : "F:100";
    struct clew_store *store = system_open_store(&system, &options, &budget);
    struct search x;
    search_open(&x, &system, store);
    x.depth_first = run & 8;
    search_run(&x);
    assert_null(x.wrong);
    assert_true(x.refused || x.found == system_reachable(&system));
    assert_true(clew_budget_used(&budget) <= budget.limit_bytes);
    assert_int_equal(type->bytes(store), clew_budget_used(&budget));
    store_assert_valid(store);
    search_close(&x);
    type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

/* A small budget is filled with states, not with beginnings of tables. States take 17 bytes and 6
 * in the two layouts, caches and candidates a quarter of the budget: a state for each 40 bytes of
 * it and each 20 is little. */
static void test_small_budget_is_used(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 2; run++) {
    struct system system = GRID;
    system.degree = 300, system.keys = 90000;
    struct clew_budget budget;
    clew_budget_init(&budget, 1 << 20);
    struct clew_comback_options options = {.layout = run == 0 ? CLEW_COMBACK_PAPER
                                                              : CLEW_COMBACK_COMPACT};
    struct clew_store *store = system_open_store(&system, &options, &budget);
    struct search x;
    search_open(&x, &system, store);
    search_run(&x);
    assert_null(x.wrong);
    assert_true(x.found > (1 << 20) / (run == 0 ? 40 : 20));
    search_close(&x);
    type->close(store);
  }
}

static void test_budget_too_small(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 100);
  struct system system = RANDOM;
  struct clew_store_config config = {.words = 1,
                                     .threads = 1,
                                     .budget = &budget,
                                     .replay = system_replay,
                                     .replay_context = &system};
  struct clew_diag_sink diags = {0};
  struct clew_store *store = NULL;
  assert_int_equal(type->open(&config, &diags, &store), CLEW_OVER_LIMIT);
  assert_int_equal(diags.error_count, 1);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_diag_sink_free(&diags);
}

static void test_many_roots(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 8; run++) {
    struct setup setup = {.system = RANDOM, .validate = true, .get_block = 77};
    setup.system.keys = 3000;
    setup.system.roots = run & 4 ? 2999 : 500;
    setup.options.layout = run & 1 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.candidates = run & 2 ? "100" : "0";
    setup.options.cache = "H:10";
    setup.options.queue = CLEW_COMBACK_QUEUE_IDS;
    explore(&setup);
  }
}

/* Roots that come after other states. */
static void test_late_roots(void **state) {
  (void)state;
  for (uint32_t layout = 0; layout < 2; layout++) {
    struct system system = GRID;
    system.keys = 900, system.degree = 30;
    struct clew_comback_options options = {0};
    options.candidates = "0";
    options.cache = "none";
    options.queue = CLEW_COMBACK_QUEUE_IDS;
    options.layout = layout ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    struct clew_store *store = system_open_store(&system, &options, NULL);
    struct search x;
    search_open(&x, &system, store);
    struct batch batch = {.words = clew_alloc(SYSTEM_BATCH * system.words * sizeof(uint64_t))};
    for (uint32_t key = 0; key < 900; key++) {
      bool root = key % 30 == 0 || key % 77 == 0;
      batch_add(&x, &batch, key, root ? CLEW_ID_NONE : key - 1, 0, root ? 0 : key % 30);
      batch_flush(&x, &batch);
    }
    assert_null(x.wrong);
    assert_int_equal(x.found, 900);
    search_check_get(&x, 100);
    search_check_get(&x, 1);
    store_assert_valid(store);
    clew_free(batch.words);
    search_close(&x);
    type->close(store);
  }
}

static void test_promises(void **state) {
  (void)state;
  store_assert_options(type);
  for (uint32_t run = 0; run < 16; run++) {
    bool delays = run & 1, ids = run & 2, late = run & 4, heuristic = run & 8;
    struct system system = RANDOM;
    struct clew_comback_options options = {
        .candidates = delays ? "10" : "0",
        .cache = heuristic ? "F50-H50:10" : "F:10",
        .queue = ids ? CLEW_COMBACK_QUEUE_IDS : CLEW_COMBACK_QUEUE_FULL,
        .detect = late ? CLEW_COMBACK_DETECT_FULL : CLEW_COMBACK_DETECT_LEVEL};
    struct clew_store *store = system_open_store(&system, &options, NULL);
    unsigned promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_BACK_EDGES;
    promises |= (delays ? 0u : CLEW_STORE_DENSE) | (ids ? CLEW_STORE_GET : 0u);
    unsigned demands = CLEW_STORE_REPLAY | (delays ? CLEW_STORE_SETTLE : 0u);
    demands |= delays && late ? CLEW_STORE_LATE : 0u;
    demands |= heuristic ? CLEW_STORE_EXPANDED : 0u;
    assert_int_equal(store->promises, promises);
    assert_int_equal(store->demands, demands);
    assert_string_equal(store_counter_text(store, "detect"), delays && late ? "full" : "level");
    assert_string_equal(store_counter_text(store, "layout"), "compact");
    type->close(store);
  }
}

/* ---- many states ---- */

/* What happens at 2^32 states happens at 32 or 256. */
static void test_wide_ids(void **state) {
  (void)state;
  static const char *const caches[] = {"none", "F:20", "R:15", "F20-D80:40"};
  for (uint32_t run = 0; run < 4 * 4 * 2 * 2 * 2; run++) {
    struct setup setup = {.system = *SYSTEMS[run % 4], .validate = true, .get_block = 50};
    setup.options.cache = caches[run / 4 % 4];
    setup.options.layout = run & 16 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    setup.options.candidates = run & 32 ? "30" : "0";
    setup.options.queue = CLEW_COMBACK_QUEUE_IDS;
    setup.options.hash_bits = run & 1 ? 10 : 64;
    setup.depth_first = run & 64;
    setup.wide_bits = run & 2 ? 5 : 8;
    explore(&setup);
  }
}

/* As if so many states were stored, a multiple of a segment. Nobody looks at any of them. */
static bool pretend_states(struct clew_comback *c, uint64_t states) {
  bool compact = c->settings.layout == CLEW_COMBACK_COMPACT;
  struct clew_comback_segments *s = compact ? &c->compact.segments : &c->paper.segments;
  uint32_t more = (uint32_t)(states >> s->bits);
  s->list = clew_realloc_array(s->list, more + (size_t)1, sizeof *s->list);
  for (uint32_t i = 0; i < more; i++) {
    s->list[i].count = UINT64_C(1) << s->bits;
    s->list[i + 1] = (struct clew_comback_slots){0};
    s->count++;
    assert_true(clew_comback_slots_open(&s->list[i + 1], &s->shape, NULL));
  }
  c->count = states;
  c->compact.parents.count = c->compact.edges.count = states;
  return clew_comback_tables_reserve(c, states + 1);
}

/* Real ids beyond 32 bits, in all parts of the store. */
static void test_ids_beyond_32_bits(void **state) {
  (void)state;
  static const char *const caches[] = {"none", "F:20", "R:15", "F20-D80:40", "L2:50"};
  for (uint32_t run = 0; run < 5 * 2 * 2 * 2; run++) {
    bool compact = run / 5 & 1, delays = run / 10 & 1;
    struct system system = *SYSTEMS[run % 2];
    struct clew_comback_options options = {.cache = caches[run % 5],
                                           .candidates = delays ? "30" : "0",
                                           .queue = CLEW_COMBACK_QUEUE_IDS,
                                           .hash_bits = 12,
                                           .layout =
                                               compact ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER};
    struct clew_store *store = system_open_store(&system, &options, NULL);
    struct search x;
    search_open(&x, &system, store);
    x.first_id = UINT64_C(1) << (compact ? 36 : 32);
    x.depth_first = run / 20 & 1;
    if (pretend_states((struct clew_comback *)store, x.first_id)) {
      search_run(&x);
      assert_null(x.wrong);
      assert_false(x.refused);
      assert_int_equal(x.found, system_reachable(&system));
      search_check_get(&x, 40);
      search_check_back_edges(&x);
      if (!delays) {
        search_check_find(&x);
      }
    } else {
      print_message("there are not enough addresses\n");
    }
    search_close(&x);
    type->close(store);
  }
}

/* Ids that differ in high bits only are different states to a cache. */
static void test_cached_ids_beyond_32_bits(void **state) {
  (void)state;
  static const char *const caches[] = {"R:8", "L1:8"};
  for (uint32_t run = 0; run < 2; run++) {
    struct system system = GRID;
    struct clew_comback_options options = {.cache = caches[run], .candidates = "0"};
    struct clew_store *store = system_open_store(&system, &options, NULL);
    struct clew_comback *c = (struct clew_comback *)store;
    for (uint64_t i = 0; i < 8; i++) {
      struct clew_visit visit = {.state = &i, .parent = 0};
      c->count = (i << 32) + 6;
      clew_comback_caches_new_state(c, c->count - 1, &visit, true);
    }
    for (uint64_t i = 0; i < 8; i++) {
      uint32_t level;
      const uint64_t *found = clew_comback_caches_find(&c->caches, (i << 32) + 5, &level);
      assert_non_null(found);
      assert_int_equal(*found, i);
      assert_null(clew_comback_caches_find(&c->caches, (i << 32) + 6, &level));
    }
    c->count = 0;
    type->close(store);
  }
}

/* There are no numbers for more states. */
static void test_most_states(void **state) {
  (void)state;
  struct system system = RANDOM;
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = system.words,
                                     .threads = 1,
                                     .seed = 7,
                                     .diags = &diags,
                                     .replay = system_replay,
                                     .replay_context = &system};
  struct clew_store *store = store_open(type, &config);
  assert_int_equal(type->reserve(store, 100), CLEW_ROOM);
  struct clew_comback *c = (struct clew_comback *)store;
  c->count = CLEW_COMBACK_MAX_STATES - 9;
  assert_int_equal(type->reserve(store, 10), CLEW_ROOM_MEMORY);
  assert_int_equal(diags.len, 0);
  c->count = 0;
  type->close(store);
  clew_diag_sink_free(&diags);
}

/* What is measured: without a cache and without delay the sum over duplicates of their depth. */
static void test_counters(void **state) {
  (void)state;
  struct system system = GRID;
  system.keys = 900, system.degree = 30;
  struct clew_comback_options options = {.layout = CLEW_COMBACK_PAPER};
  options.candidates = "0";
  options.cache = "none";
  struct clew_store *store = system_open_store(&system, &options, NULL);
  struct search x;
  search_open(&x, &system, store);
  search_run(&x);
  assert_null(x.wrong);
  uint64_t expected = 0;
  for (uint64_t key = 0; key < 900; key++) {
    uint64_t dx = key % 30, dy = key / 30;
    uint64_t depth = (dx < 15 ? dx : 30 - dx) + (dy < 15 ? dy : 30 - dy);
    expected += 3 * depth; /* in-degree 4, once new; the root is known */
  }
  assert_int_equal(system.replays, expected);
  assert_true(store_counter(store, "events_executed") == (double)expected);
  assert_true(store_counter(store, "cache_hits_second") == 0);
  assert_true(store_counter(store, "reconstructions") == 2697);
  assert_true(store_counter(store, "threads") == 1);
  assert_string_equal(store_counter_text(store, "layout"), "paper");
  search_close(&x);
  type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_combinations),
      cmocka_unit_test(test_hash_widths),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_many_successors),
      cmocka_unit_test(test_long_path),
      cmocka_unit_test(test_million_levels),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_small_budget_is_used),
      cmocka_unit_test(test_budget_too_small),
      cmocka_unit_test(test_many_roots),
      cmocka_unit_test(test_late_roots),
      cmocka_unit_test(test_promises),
      cmocka_unit_test(test_most_states),
      cmocka_unit_test(test_wide_ids),
      cmocka_unit_test(test_ids_beyond_32_bits),
      cmocka_unit_test(test_cached_ids_beyond_32_bits),
      cmocka_unit_test(test_counters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
