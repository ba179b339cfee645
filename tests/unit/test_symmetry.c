/* Canonical forms, against brute force over all permutations: the form is in the orbit, is the same
 * for the whole orbit, and the orbits of the forms together are the unreduced state space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "ir/interp.h"
#include "ir/symmetry.h"
#include "lang/murphi/murphi.h"
#include "store/store.h"

enum { MAX_PERMUTATIONS = 1500 };

struct bench {
  struct clew_program *program;
  struct clew_symmetry *canonical, *fast;
  uint8_t permutations[MAX_PERMUTATIONS][CLEW_CANON_ELEMENTS];
  uint32_t permutation_count;
};

static struct bench bench;

static void open_bench(const char *path) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_file_read(path, 1 << 20, &text, &diags), CLEW_OK);
  struct clew_source source = {path, clew_text_str(&text), text.len};
  struct clew_load_request request = {.source = &source};
  assert_int_equal(clew_murphi_program(&request, &diags, &bench.program), CLEW_OK);
  const char *why = "";
  bench.canonical = clew_symmetry_open(bench.program, false, &why);
  assert_non_null(bench.canonical);
  bench.fast = clew_symmetry_open(bench.program, true, &why);
  assert_non_null(bench.fast);
  bench.permutation_count =
      clew_symmetry_renamings(bench.canonical, bench.permutations, MAX_PERMUTATIONS);
  assert_true(bench.permutation_count > 1);
  clew_text_free(&text);
  clew_diag_sink_free(&diags);
}

static void close_bench(void) {
  clew_symmetry_close(bench.canonical);
  clew_symmetry_close(bench.fast);
  clew_program_close(bench.program);
  clew_interp_release();
}

static bool same(const uint64_t *a, const uint64_t *b) {
  return memcmp(a, b, bench.program->words * sizeof *a) == 0;
}

static bool in_orbit(const uint64_t *state, const uint64_t *other) {
  uint64_t image[64];
  for (uint32_t i = 0; i < bench.permutation_count; i++) {
    memcpy(image, state, bench.program->words * sizeof *image);
    clew_symmetry_permute(bench.canonical, bench.permutations[i], image);
    if (same(image, other))
      return true;
  }
  return false;
}

static int compare_states(const void *a, const void *b) {
  return memcmp(a, b, bench.program->words * sizeof(uint64_t));
}

static uint64_t orbit_size(const uint64_t *state) {
  uint32_t words = bench.program->words;
  uint64_t *images = clew_alloc_zero(bench.permutation_count, words * sizeof *images);
  for (uint32_t i = 0; i < bench.permutation_count; i++) {
    memcpy(images + i * words, state, words * sizeof *state);
    clew_symmetry_permute(bench.canonical, bench.permutations[i], images + i * words);
  }
  qsort(images, bench.permutation_count, words * sizeof *images, compare_states);
  uint64_t size = 1;
  for (uint32_t i = 1; i < bench.permutation_count; i++)
    size += !same(images + i * words, images + (i - 1) * words);
  clew_free(images);
  return size;
}

/* Every check for one state, with a few random renamings of it. */
static void check_state(const uint64_t *state, struct clew_random *random) {
  uint32_t words = bench.program->words;
  uint64_t form[64], other[64];
  assert_true(words <= 64);
  memcpy(form, state, words * sizeof *form);
  clew_symmetry_canonicalise(bench.canonical, NULL, form, 1);
  assert_true(in_orbit(state, form));
  memcpy(other, form, words * sizeof *form);
  clew_symmetry_canonicalise(bench.canonical, NULL, other, 1);
  assert_true(same(form, other));
  memcpy(other, state, words * sizeof *form);
  clew_symmetry_canonicalise(bench.fast, NULL, other, 1);
  assert_true(in_orbit(state, other));
  for (int i = 0; i < 4; i++) {
    memcpy(other, state, words * sizeof *form);
    uint64_t chosen = clew_random_below(random, bench.permutation_count);
    clew_symmetry_permute(bench.canonical, bench.permutations[chosen], other);
    clew_symmetry_canonicalise(bench.canonical, NULL, other, 1);
    assert_true(same(form, other));
  }
}

/* Breadth-first, with the forms of `symmetry` or (NULL) without; calls back for each state. */
static uint64_t explore(const struct clew_symmetry *symmetry, uint64_t *orbit_sum, bool check) {
  const struct clew_program *p = bench.program;
  struct clew_budget budget;
  struct clew_diag_sink diags = {0};
  struct clew_random random;
  struct clew_store *store = NULL;
  clew_random_seed(&random, 1);
  clew_budget_init(&budget, (uint64_t)1 << 30);
  struct clew_store_config config = {.words = p->words, .threads = 1, .seed = 1, .budget = &budget};
  assert_int_equal(clew_store_exact.open(&config, &diags, &store), CLEW_OK);
  struct clew_succs succs;
  clew_succs_open(&succs, p->words, p->cover_count);
  clew_interp_init(p, &succs);
  uint64_t state[64], next = 0;
  *orbit_sum = 0;
  for (;;) {
    for (uint32_t i = 0; i < succs.count; i++) {
      uint64_t *s = succs.states + (size_t)i * p->words;
      if (symmetry != NULL)
        clew_symmetry_canonicalise(symmetry, NULL, s, 1);
      struct clew_visit visit = {.state = s, .hash = clew_hash_words(s, p->words, 1)};
      assert_int_equal(clew_store_exact.reserve(store, 1), CLEW_ROOM);
      clew_store_exact.put(store, 1, &visit);
      if (visit.answer == CLEW_NEW && check)
        check_state(s, &random);
      if (visit.answer == CLEW_NEW && symmetry != NULL)
        *orbit_sum += orbit_size(s);
    }
    if (next == clew_store_exact.count(store))
      break;
    clew_store_exact.get(store, next++, 1, state);
    clew_succs_clear(&succs);
    clew_interp_next(p, state, &succs);
  }
  uint64_t count = clew_store_exact.count(store);
  clew_succs_close(&succs);
  clew_store_exact.close(store);
  return count;
}

static void check_model(const char *path) {
  open_bench(path);
  uint64_t canonical_sum, fast_sum, unused;
  uint64_t all = explore(NULL, &unused, true);
  uint64_t canonical = explore(bench.canonical, &canonical_sum, false);
  uint64_t fast = explore(bench.fast, &fast_sum, false);
  assert_int_equal(canonical_sum, all); /* no orbit is lost, none is counted twice */
  assert_true(fast >= canonical && all >= fast);
  assert_true(canonical < all);
  close_bench();
}

#define MODEL_TEST(name)                                                                           \
  static void test_##name(void **state) {                                                          \
    (void)state;                                                                                   \
    check_model("tests/models/murphi/" #name ".m");                                                \
  }
MODEL_TEST(symmetry_pointers)
MODEL_TEST(symmetry_relation)
MODEL_TEST(symmetry_multiset)
MODEL_TEST(symmetry_queue)

/* The tables without anything that is random in them: sums say next to nothing, so that elements
 * share numbers that should not. */
static struct clew_canon blind_tables(const struct clew_canon *t) {
  struct clew_canon blind = *t;
  uint32_t classes = t->class_count + t->part_count, items = 0, fields = 0;
  for (uint32_t i = 0; i < classes; i++) {
    items += t->classes[i].item_count;
    fields += t->classes[i].field_count;
  }
  struct clew_canon_item *item = clew_alloc_zero(items, sizeof *item);
  struct clew_canon_field *field = clew_alloc_zero((size_t)fields + 1, sizeof *field);
  for (uint32_t i = 0; i < items; i++) {
    item[i] = t->items[i];
    item[i].seed = 0;
  }
  for (uint32_t i = 0; i < fields; i++) {
    field[i] = t->fields[i];
    field[i].role = 0;
  }
  blind.items = item;
  blind.fields = field;
  blind.says = clew_alloc_zero((size_t)t->named_count + 1, sizeof *blind.says);
  return blind;
}

static void no_bags(void *context, uint64_t *state) {
  (void)context, (void)state;
}

/* Collisions of hashes cost time, not correctness: without any information from hashes the form is
 * still in the orbit, and the same for all of it. */
static void check_blind(const char *path, uint32_t steps) {
  open_bench(path);
  const struct clew_canon *t = clew_symmetry_tables(bench.canonical);
  struct clew_canon blind = blind_tables(t);
  assert_int_equal(t->bag_count, 0);
  struct clew_canon_work work = {.sort_bags = no_bags};
  work.best = clew_alloc_zero(t->words, sizeof *work.best);
  work.trial = clew_alloc_zero(t->words, sizeof *work.trial);
  work.links = clew_alloc_zero((size_t)t->link_limit + 1, sizeof *work.links);
  work.members = clew_alloc_zero((size_t)t->member_limit + 1, sizeof *work.members);
  struct clew_succs succs;
  struct clew_random random;
  clew_random_seed(&random, 5);
  clew_succs_open(&succs, t->words, 0);
  uint64_t state[64], form[64], other[64];
  size_t bytes = t->words * sizeof *state;
  for (uint32_t step = 0; step < steps; step++) {
    if (succs.count == 0)
      clew_interp_init(bench.program, &succs);
    size_t chosen = clew_random_below(&random, succs.count);
    memcpy(state, succs.states + chosen * t->words, bytes);
    memcpy(form, state, bytes);
    memcpy(other, state, bytes);
    clew_canon_run(&blind, &work, form);
    assert_true(in_orbit(state, form));
    uint64_t renaming = clew_random_below(&random, bench.permutation_count);
    clew_symmetry_permute(bench.canonical, bench.permutations[renaming], other);
    clew_canon_run(&blind, &work, other);
    assert_true(same(form, other));
    clew_succs_clear(&succs);
    clew_interp_next(bench.program, state, &succs);
  }
  clew_succs_close(&succs);
  clew_free((void *)(uintptr_t)blind.items);
  clew_free((void *)(uintptr_t)blind.fields);
  clew_free((void *)(uintptr_t)blind.says);
  clew_free(work.best);
  clew_free(work.trial);
  clew_free(work.links);
  clew_free(work.members);
  close_bench();
}

static void test_collisions(void **state) {
  (void)state;
  check_blind("tests/models/murphi/symmetry_pointers.m", 500);
  check_blind("tests/models/murphi/symmetry_relation.m", 500);
  check_blind("tests/models/murphi/symmetry_queue.m", 60);
}

/* A state that is the same as the representative it comes from stays; the others are replaced. */
static void test_parent(void **test) {
  (void)test;
  open_bench("tests/models/murphi/symmetry_queue.m");
  struct clew_succs succs;
  uint32_t words = bench.program->words;
  uint64_t parent[64], form[64];
  clew_succs_open(&succs, words, 0);
  clew_interp_init(bench.program, &succs);
  for (int step = 0; step < 3; step++) {
    memcpy(parent, succs.states, words * sizeof *parent);
    clew_symmetry_canonicalise(bench.canonical, NULL, parent, 1);
    clew_succs_clear(&succs);
    clew_interp_next(bench.program, parent, &succs);
    memcpy(clew_succs_next(&succs), parent, words * sizeof *parent);
    clew_succs_keep(&succs, 0);
    uint64_t *expected = clew_alloc(succs.count * words * sizeof *expected);
    for (uint32_t i = 0; i < succs.count; i++) {
      memcpy(form, succs.states + (size_t)i * words, words * sizeof *form);
      clew_symmetry_canonicalise(bench.canonical, NULL, form, 1);
      memcpy(expected + (size_t)i * words, form, words * sizeof *form);
    }
    clew_symmetry_canonicalise(bench.canonical, parent, succs.states, succs.count);
    assert_memory_equal(succs.states, expected, succs.count * words * sizeof *expected);
    clew_free(expected);
  }
  clew_succs_close(&succs);
  close_bench();
}

/* A renaming and its inverse. */
static void test_permute_is_a_group_action(void **test) {
  (void)test;
  open_bench("tests/models/murphi/symmetry_pointers.m");
  struct clew_succs succs;
  clew_succs_open(&succs, bench.program->words, 0);
  clew_interp_init(bench.program, &succs);
  uint64_t state[64], image[64];
  struct clew_random random;
  clew_random_seed(&random, 3);
  memcpy(state, succs.states, bench.program->words * sizeof *state);
  for (int step = 0; step < 500; step++) {
    clew_succs_clear(&succs);
    clew_interp_next(bench.program, state, &succs);
    size_t chosen = clew_random_below(&random, succs.count);
    memcpy(state, succs.states + chosen * bench.program->words,
           bench.program->words * sizeof *state);
    const uint8_t *to = bench.permutations[clew_random_below(&random, bench.permutation_count)];
    uint8_t back[CLEW_CANON_ELEMENTS];
    for (uint32_t e = 0; e < clew_symmetry_tables(bench.canonical)->element_count; e++)
      back[to[e]] = (uint8_t)e;
    memcpy(image, state, bench.program->words * sizeof *state);
    clew_symmetry_permute(bench.canonical, to, image);
    clew_symmetry_permute(bench.canonical, back, image);
    assert_true(same(image, state));
  }
  clew_succs_close(&succs);
  close_bench();
}

static void test_nothing_to_permute(void **state) {
  (void)state;
  struct clew_program *program = clew_program_open("none", "test");
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_program_finish(program, &diags), CLEW_OK);
  const char *why = "unchanged";
  assert_null(clew_symmetry_open(program, false, &why));
  assert_null(why);
  clew_program_close(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_symmetry_pointers),  cmocka_unit_test(test_symmetry_relation),
      cmocka_unit_test(test_symmetry_multiset),  cmocka_unit_test(test_permute_is_a_group_action),
      cmocka_unit_test(test_nothing_to_permute), cmocka_unit_test(test_symmetry_queue),
      cmocka_unit_test(test_collisions),         cmocka_unit_test(test_parent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
