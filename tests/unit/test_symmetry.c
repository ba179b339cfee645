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

enum { MAX_PERMUTATIONS = 1000 };

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
      cmocka_unit_test(test_nothing_to_permute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
