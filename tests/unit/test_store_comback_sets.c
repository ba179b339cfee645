/* Parts of the ComBack store that hold sets of states: candidates against a plain array, forests
 * against the back edges, caches whose bits are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/comback_int.h"
#include "unit/comback_system.h"
#include "unit/store_open.h"

/* ---- candidates ---- */

/* Hashes that meet in the index: at the same place, with the same low bits, or all the same. */
static uint64_t hash_of(uint32_t shape, uint64_t state) {
  uint64_t any = state * UINT64_C(0x9e3779b97f4a7c15);
  switch (shape) {
  case 0:
    return any;
  case 1: /* few places */
    return any % 5 << 61 | (any >> 3 & UINT32_MAX);
  case 2: /* the low half says nothing */
    return any & ~(uint64_t)UINT32_MAX;
  case 3: /* the last place: searches go on at the first */
    return UINT64_MAX - (any & 0xff);
  default:
    return 42;
  }
}

/* States 0, 3, 6 … are in, the others are not. */
static void fill_and_check(struct clew_comback_candidates *set, uint32_t shape, uint32_t count) {
  for (uint64_t i = 0; i < count; i++) {
    uint64_t state[] = {i * 3, 5};
    struct clew_visit visit = {
        .state = state, .hash = hash_of(shape, state[0]), .edge = (uint32_t)i};
    assert_int_equal(clew_comback_candidates_find(set, visit.hash, state), CLEW_COMBACK_NONE);
    assert_true(clew_comback_candidates_reserve(set, set->count + UINT64_C(1)));
    clew_comback_candidates_add(set, &visit, 1, i % 2 == 0);
  }
  assert_int_equal(set->count, count);
  assert_int_equal(set->doubtful, count / 2);
  assert_null(clew_comback_candidates_check(set));
  for (uint64_t s = 0; s < count * UINT64_C(3); s++) {
    uint64_t state[] = {s, 5}, other[] = {s, 6};
    uint32_t found = clew_comback_candidates_find(set, hash_of(shape, s), state);
    assert_int_equal(found, s % 3 == 0 ? s / 3 : CLEW_COMBACK_NONE);
    assert_int_equal(clew_comback_candidates_find(set, hash_of(shape, s), other),
                     CLEW_COMBACK_NONE);
    if (s % 3 == 0) {
      assert_int_equal(clew_comback_candidate_at(set, found)->edge, s / 3);
    }
  }
}

/* Sets of all sizes, one after the other: few candidates in an index that many have left, too. */
static void test_candidates(void **state) {
  (void)state;
  struct clew_comback *c = clew_alloc_zero(1, sizeof *c);
  c->base.config.words = 2;
  c->settings.candidates = 20000;
  for (uint32_t shape = 0; shape < 5; shape++) {
    static const uint32_t sizes[] = {1, 0, 31, 32, 33, 700, 3, 1, 900, 20};
    struct clew_comback_candidates set = {0};
    assert_true(clew_comback_candidates_open(c, &set));
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      fill_and_check(&set, shape, sizes[i]);
      clew_comback_candidates_clear(&set);
      assert_int_equal(set.count, 0);
    }
    fill_and_check(&set, shape, shape == 0 ? 20000 : 300);
    clew_comback_candidates_close(&set);
  }
  clew_free(c);
}

/* ---- forests ---- */

struct tally {
  const struct search *x;
  const clew_id *ids;
  uint8_t *seen; /* by number */
};

static void check_found(void *context, uint32_t number, const uint64_t *state) {
  struct tally *tally = context;
  const struct search *x = tally->x;
  uint64_t *want = clew_alloc(x->system->words * sizeof *want);
  assert_int_equal(tally->seen[number], 0);
  tally->seen[number] = 1;
  system_state(x->system, x->key_of.data[tally->ids[number]], want);
  assert_memory_equal(state, want, x->system->words * sizeof *want);
  clew_free(want);
}

/* Every node is where its back edge says, and there is none twice. */
static void check_nodes(const struct clew_comback *c, const struct clew_comback_forest *f) {
  const struct clew_comback_node *nodes =
      (const struct clew_comback_node *)(const void *)f->nodes.data;
  uint8_t *times = clew_alloc_zero(c->count, 1);
  uint32_t reached = 0;
  for (uint32_t node = 0; node < f->count; node++) {
    assert_true(times[clew_comback_node_id(&nodes[node])]++ == 0);
    for (uint32_t child = nodes[node].child; child != CLEW_COMBACK_NONE;
         child = nodes[child].sibling) {
      clew_id id = clew_comback_node_id(&nodes[child]);
      assert_int_equal(clew_comback_parent(c, id), clew_comback_node_id(&nodes[node]));
      assert_false(clew_comback_is_known(c, id));
      reached++;
    }
  }
  for (uint32_t tree = f->first; tree != CLEW_COMBACK_NONE; tree = nodes[tree].sibling) {
    assert_true(clew_comback_is_known(c, clew_comback_node_id(&nodes[tree])));
    reached++;
  }
  assert_int_equal(reached, f->count);
  clew_free(times);
}

/* About one of `sparsity` states, some of them twice. */
static void check_forest(struct search *x, struct clew_comback *c, uint32_t sparsity) {
  clew_id *ids = clew_alloc(x->found * 2 * sizeof *ids);
  uint32_t count = 0, different = 0, found = 0;
  struct clew_random random;
  clew_random_seed(&random, sparsity);
  for (uint32_t id = 0; id < x->found; id++) {
    uint32_t times = clew_random_below(&random, sparsity) > 0 ? 0 : 1 + (id % 5 == 0);
    different += times > 0;
    for (; times > 0; times--) {
      ids[count++] = id;
    }
  }
  struct tally tally = {x, ids, clew_alloc_zero(count + 1, 1)};
  uint64_t events = c->worker.events;
  assert_true(clew_comback_forest_build(c, &c->group, ids, count));
  check_nodes(c, &c->group);
  assert_true(clew_comback_forest_walk(c, &c->worker, &c->group, check_found, &tally));
  uint32_t trees = 0;
  for (uint32_t tree = c->group.first; tree != CLEW_COMBACK_NONE; trees++) {
    tree = ((const struct clew_comback_node *)(const void *)c->group.nodes.data)[tree].sibling;
  }
  assert_int_equal(c->worker.events - events, c->group.count - trees); /* each back edge once */
  for (uint32_t i = 0; i < count; i++) {
    assert_true(!tally.seen[i] || i == 0 || ids[i - 1] != ids[i]); /* the first of the same ones */
    found += tally.seen[i];
  }
  assert_int_equal(found, different);
  clew_free(tally.seen);
  clew_free(ids);
}

/* In both orders of ids, with many and few states wanted. */
static void test_forests(void **state) {
  (void)state;
  static const char *const caches[] = {"none", "F:100", "D:300", "F20-D80:500", "R:50"};
  for (uint32_t run = 0; run < 4 * 5; run++) {
    struct system system = {.kind = SYSTEM_RANDOM,
                            .keys = 30000,
                            .roots = 1 + run % 3,
                            .degree = 5,
                            .words = 2,
                            .edge_step = 1};
    struct clew_comback_options options = {0};
    options.cache = caches[run / 4];
    options.candidates = run % 2 ? "300" : "0";
    options.layout = run % 4 / 2 ? CLEW_COMBACK_COMPACT : CLEW_COMBACK_PAPER;
    struct clew_store *store = system_open_store(&system, &options, NULL);
    struct search x;
    search_open(&x, &system, store);
    x.depth_first = run % 2 == 0 && run % 3 == 0;
    x.late = run % 2 == 1;
    search_run(&x);
    assert_null(x.wrong);
    for (uint32_t sparsity = 1; sparsity <= 30000; sparsity *= 3) {
      check_forest(&x, (struct clew_comback *)store, sparsity);
    }
    search_close(&x);
    clew_store_comback.close(store);
  }
}

/* ---- pairs ---- */

/* Sorted by ids of any width, those of the same id in the order in which they came. */
static void test_pairs(void **state) {
  (void)state;
  static const uint32_t widths[] = {3, 20, 33, 40};
  for (uint32_t run = 0; run < 4 * 2; run++) {
    uint32_t count = run & 1 ? 100 : 5000;
    struct clew_random random;
    clew_random_seed(&random, run);
    struct clew_comback_pairs pairs = {0};
    assert_true(clew_comback_pairs_open(&pairs, NULL));
    uint64_t *ids = clew_alloc(count * sizeof *ids);
    for (uint32_t i = 0; i < count; i++) {
      ids[i] = clew_random_u64(&random) >> (64 - widths[run / 2]);
      assert_true(clew_comback_pairs_add(&pairs, ids[i], i));
    }
    assert_false(clew_comback_pairs_add(&pairs, 0, 1U << CLEW_COMBACK_CANDIDATE_BITS));
    const clew_id *sorted = clew_comback_pairs_sort(&pairs);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t candidate = clew_comback_pairs_candidate(&pairs, i);
      assert_true(sorted[i] == clew_comback_pairs_id(&pairs, i) && candidate < count);
      assert_true(sorted[i] == ids[candidate]);
      assert_true(
          i == 0 || sorted[i - 1] < sorted[i] ||
          (sorted[i - 1] == sorted[i] && clew_comback_pairs_candidate(&pairs, i - 1) < candidate));
    }
    clew_comback_pairs_close(&pairs);
    clew_free(ids);
  }
}

/* ---- caches ---- */

/* A cache that gets no bits for later ids goes on with those that have some. */
static void test_refused_bits(void **state) {
  (void)state;
  static const char *const caches[] = {"R:3000", "H:3000", "D2:3000", "L3:3000", "F20-D80:3000"};
  enum { PAGE_BYTES = 4096 }; /* a bit for 32768 of 40000 states */
  for (uint32_t run = 0; run < 5 * 2; run++) {
    struct system system = {
        .kind = SYSTEM_GRID, .keys = 40000, .roots = 1, .degree = 200, .words = 2, .edge_step = 1};
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 30);
    struct clew_comback_options options = {.layout = CLEW_COMBACK_PAPER};
    options.cache = caches[run / 2];
    options.candidates = run % 2 ? "100" : "0";
    struct clew_store *store = system_open_store(&system, &options, &budget);
    struct clew_comback_cache *mapped = ((struct clew_comback *)store)->caches.mapped;
    /* As if the budget refused all but one page. */
    size_t reserved_bytes = mapped->listed.reserved_bytes;
    mapped->listed.reserved_bytes = PAGE_BYTES;
    struct search x;
    search_open(&x, &system, store);
    search_run(&x);
    assert_null(x.wrong);
    assert_int_equal(x.found, 40000);
    assert_int_equal(mapped->listed.committed_bytes, PAGE_BYTES);
    store_assert_valid(store);
    mapped->listed.reserved_bytes = reserved_bytes;
    search_close(&x);
    clew_store_comback.close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_candidates),
      cmocka_unit_test(test_forests),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_refused_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
