/* Random models that are reduced by symmetry do behave alike up to renaming, state by state: a
 * state and the representative of its orbit have equally many successors in the same orbits,
 * equally many rules that fail, and properties that have the same value or fail both; the initial
 * states are closed under renaming. By induction the reduced search finds an error if and only if
 * the unreduced one does, at the same depth.
 *
 *   test_random_symmetry               a fixed sample
 *   test_random_symmetry FIRST COUNT   these models instead, with a summary */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ir/interp.h"
#include "ir/symmetry.h"
#include "lang/murphi/murphi.h"
#include "unit/random_murphi.h"
#include "unit/state_set.h"

enum { SAMPLE = 600, MAX_STATES = 1500, MAX_RENAMINGS = 64 };

static struct {
  uint32_t refused, unreduced, reduced, failing;
  uint64_t states;
} totals;

struct trial {
  uint64_t seed;
  struct clew_program *program;
  struct clew_symmetry *symmetry;
  bool fails;
};

/* How one state behaves, up to renaming. */
struct behaviour {
  uint32_t count, faults;
  uint64_t *successors; /* canonical, sorted */
  uint64_t *covered;
  uint8_t *labels; /* false, true, fails */
};

static uint32_t sort_words;

static int compare_states(const void *a, const void *b) {
  return memcmp(a, b, sort_words * sizeof(uint64_t));
}

static void sort_canonical(const struct trial *t, uint64_t *states, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    clew_symmetry_canonicalise(t->symmetry, NULL, states + (size_t)i * t->program->words, 1);
  }
  sort_words = t->program->words;
  qsort(states, count, t->program->words * sizeof *states, compare_states);
}

static struct behaviour behave(struct trial *t, const uint64_t *state, struct clew_succs *succs) {
  const struct clew_program *p = t->program;
  struct behaviour b = {0};
  clew_succs_clear(succs);
  memset(succs->covered, 0, (p->cover_count + 63) / 64 * sizeof *succs->covered);
  clew_interp_next(p, state, succs);
  b.count = succs->count;
  b.faults = succs->fault_count;
  b.successors = clew_alloc_zero((size_t)b.count * p->words + 1, sizeof *b.successors);
  memcpy(b.successors, succs->states, (size_t)b.count * p->words * sizeof *b.successors);
  sort_canonical(t, b.successors, b.count);
  b.covered = clew_alloc_zero((p->cover_count + 63) / 64 + 1, sizeof *b.covered);
  memcpy(b.covered, succs->covered, (p->cover_count + 63) / 64 * sizeof *b.covered);
  b.labels = clew_alloc_zero(p->labels.len + 1, 1);
  for (uint32_t i = 0; i < p->labels.len; i++) {
    uint32_t site = CLEW_NONE;
    bool value = clew_interp_label(p, i, state, &site);
    b.labels[i] = site != CLEW_NONE ? 2 : value;
    t->fails |= site != CLEW_NONE;
  }
  t->fails |= b.faults > 0;
  return b;
}

static void behaviour_free(struct behaviour *b) {
  clew_free(b->successors);
  clew_free(b->covered);
  clew_free(b->labels);
}

static bool alike(const struct trial *t, const struct behaviour *a, const struct behaviour *b) {
  const struct clew_program *p = t->program;
  if (a->count != b->count || a->faults != b->faults) {
    return false;
  }
  /* A rule that fails may have covered something before, or not, by the order of its loops. */
  bool covered = a->faults > 0 || memcmp(a->covered, b->covered,
                                         (p->cover_count + 63) / 64 * sizeof *a->covered) == 0;
  return covered && memcmp(a->labels, b->labels, p->labels.len) == 0 &&
         memcmp(a->successors, b->successors,
                (size_t)a->count * p->words * sizeof *a->successors) == 0;
}

/* Stops at the first difference, with the seed and the text. */
static void demand(const struct trial *t, bool condition, const char *what) {
  if (!condition) {
    struct clew_text text = {0};
    random_murphi(&text, t->seed);
    fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)t->seed, what, clew_text_str(&text));
    clew_text_free(&text);
  }
  assert_true(condition);
}

/* Each renaming of an initial state is one, and starts that fail do so whatever the names. */
static void check_initial(struct trial *t, const struct clew_succs *succs) {
  static uint8_t renamings[MAX_RENAMINGS][CLEW_CANON_ELEMENTS];
  uint32_t words = t->program->words;
  uint32_t count = clew_symmetry_renamings(t->symmetry, renamings, MAX_RENAMINGS);
  uint64_t *image = clew_alloc_zero(words, sizeof *image);
  for (uint32_t i = 0; i < succs->count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      memcpy(image, succs->states + (size_t)i * words, words * sizeof *image);
      clew_symmetry_permute(t->symmetry, renamings[k], image);
      bool found = false;
      for (uint32_t j = 0; j < succs->count && !found; j++) {
        found = memcmp(image, succs->states + (size_t)j * words, words * sizeof *image) == 0;
      }
      demand(t, found, "the initial states are not closed under renaming");
    }
  }
  clew_free(image);
}

static void check_state(struct trial *t, const uint64_t *state, struct clew_succs *succs) {
  uint32_t words = t->program->words;
  uint64_t *form = clew_alloc_zero(words, sizeof *form);
  memcpy(form, state, words * sizeof *form);
  clew_symmetry_canonicalise(t->symmetry, NULL, form, 1);
  struct behaviour other = behave(t, form, succs);
  struct behaviour own = behave(t, state, succs); /* last: its successors are taken from succs */
  demand(t, alike(t, &own, &other), "a state does not behave like its representative");
  behaviour_free(&own);
  behaviour_free(&other);
  clew_free(form);
}

static void explore(struct trial *t) {
  uint32_t words = t->program->words;
  struct clew_succs succs;
  clew_succs_open(&succs, words, t->program->cover_count);
  clew_interp_init(t->program, &succs);
  t->fails |= succs.fault_count > 0;
  check_initial(t, &succs);
  struct state_set set;
  state_set_open(&set, words);
  for (uint32_t next = 0;; next++) {
    for (uint32_t i = 0; i < succs.count && state_set_count(&set) < MAX_STATES; i++) {
      const uint64_t *successor = succs.states + (size_t)i * words;
      uint64_t hash = clew_hash_words(successor, words, 1);
      if (state_set_find(&set, hash, successor) == STATE_SET_NONE) {
        state_set_add(&set, hash, successor);
      }
    }
    if (next == state_set_count(&set)) {
      break;
    }
    uint64_t *state = clew_alloc_zero(words, sizeof *state);
    memcpy(state, state_set_at(&set, next), words * sizeof *state);
    check_state(t, state, &succs);
    clew_free(state);
  }
  totals.states += state_set_count(&set);
  state_set_close(&set);
  clew_succs_close(&succs);
}

static void try_seed(uint64_t seed) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  struct trial t = {.seed = seed};
  random_murphi(&text, seed);
  struct clew_source source = {"random", clew_text_str(&text), text.len};
  struct clew_load_request request = {.source = &source};
  if (clew_murphi_program(&request, &diags, &t.program) != CLEW_OK) {
    totals.refused++;
  } else {
    const char *why = NULL;
    t.symmetry = clew_symmetry_open(t.program, false, &why);
    if (t.symmetry == NULL) {
      totals.unreduced++;
    } else {
      explore(&t);
      totals.reduced++;
      totals.failing += t.fails;
    }
    clew_symmetry_close(t.symmetry);
    clew_program_close(t.program);
  }
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  clew_interp_release();
}

static uint64_t first_seed = 1;
static uint32_t seed_count = SAMPLE;

static void test_models(void **state) {
  (void)state;
  for (uint32_t i = 0; i < seed_count; i++) {
    try_seed(first_seed + i);
  }
  /* The sample says something only if most of it is reduced and much of it fails. */
  assert_true(totals.refused * 10 <= seed_count);
  assert_true(totals.reduced * 2 >= seed_count);
  assert_true(totals.failing * 8 >= seed_count);
}

int main(int argc, char **argv) {
  if (argc == 3) {
    first_seed = strtoull(argv[1], NULL, 10);
    seed_count = (uint32_t)strtoul(argv[2], NULL, 10);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (argc == 3) {
    printf("%u refused, %u not reduced, %u reduced (%u of them fail), %llu states\n",
           totals.refused, totals.unreduced, totals.reduced, totals.failing,
           (unsigned long long)totals.states);
  }
  return failed;
}
