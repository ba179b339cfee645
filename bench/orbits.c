/* Are the counts under symmetry right? Explores a Murphi model with canonical forms, by the
 * interpreter, and adds up the sizes of the orbits of the representatives, each counted by brute
 * force over all permutations. When the sum is the number of states of the unreduced model (clew
 * stats --no-symmetry), no orbit was lost and none was counted twice.
 *
 *   cc -O2 -std=c11 -D_GNU_SOURCE -Isrc -pthread -rdynamic -o build/orbits bench/orbits.c \
 *      build/release/libclew.a -ldl -lm
 *   build/orbits MODEL.m */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "ir/interp.h"
#include "ir/symmetry.h"
#include "lang/murphi/murphi.h"
#include "store/store.h"

enum { MAX_PERMUTATIONS = 50000 };

static uint8_t permutations[MAX_PERMUTATIONS][CLEW_CANON_ELEMENTS];

static int compare_states(const void *a, const void *b, void *words) {
  return memcmp(a, b, *(uint32_t *)words * sizeof(uint64_t));
}

static uint64_t orbit_size(const struct clew_symmetry *symmetry, uint32_t permutation_count,
                           const uint64_t *state, uint64_t *images) {
  uint32_t words = clew_symmetry_tables(symmetry)->words;
  size_t bytes = words * sizeof *state;
  for (uint32_t i = 0; i < permutation_count; i++) {
    memcpy(images + (size_t)i * words, state, bytes);
    clew_symmetry_permute(symmetry, permutations[i], images + (size_t)i * words);
  }
  qsort_r(images, permutation_count, bytes, compare_states, &words);
  uint64_t size = 1;
  for (size_t i = 1; i < permutation_count; i++)
    size += memcmp(images + i * words, images + (i - 1) * words, bytes) != 0;
  return size;
}

static void explore(const struct clew_program *p, const struct clew_symmetry *symmetry) {
  uint32_t permutation_count = clew_symmetry_renamings(symmetry, permutations, MAX_PERMUTATIONS);
  if (permutation_count == 0)
    clew_fatal("too many permutations");
  struct clew_diag_sink diags = {0};
  struct clew_budget budget;
  clew_budget_init(&budget, clew_budget_default_bytes());
  struct clew_store_config config = {.words = p->words, .threads = 1, .seed = 1, .budget = &budget};
  struct clew_store *store = NULL;
  if (clew_store_exact.open(&config, &diags, &store) != CLEW_OK)
    clew_fatal("no memory for the store");
  uint64_t *images = clew_alloc_zero(permutation_count, p->words * sizeof *images);
  uint64_t *state = clew_alloc_zero(p->words, sizeof *state);
  struct clew_succs succs;
  clew_succs_open(&succs, p->words, p->cover_count);
  clew_interp_init(p, &succs);
  uint64_t next = 0, sum = 0, transitions = 0;
  for (;;) {
    for (uint32_t i = 0; i < succs.count; i++) {
      uint64_t *s = succs.states + (size_t)i * p->words;
      clew_symmetry_canonicalise(symmetry, NULL, s, 1);
      struct clew_visit visit = {.state = s, .hash = clew_hash_words(s, p->words, 1)};
      if (clew_store_exact.reserve(store, 1) != CLEW_ROOM)
        clew_fatal("the store is full");
      clew_store_exact.put(store, 1, &visit);
      if (visit.answer == CLEW_NEW)
        sum += orbit_size(symmetry, permutation_count, s, images);
    }
    if (next == clew_store_exact.count(store))
      break;
    clew_store_exact.get(store, next++, 1, state);
    clew_succs_clear(&succs);
    clew_interp_next(p, state, &succs);
    transitions += succs.count;
  }
  printf("%s: %" PRIu32 " permutations, %" PRIu64 " canonical states, %" PRIu64
         " transitions, orbits add up to %" PRIu64 " states\n",
         p->name, permutation_count, next, transitions, sum);
  clew_succs_close(&succs);
  clew_free(images);
  clew_free(state);
  clew_store_exact.close(store);
}

int main(int argc, char **argv) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  if (argc != 2 || clew_file_read(argv[1], (size_t)1 << 26, &text, &diags) != CLEW_OK)
    clew_fatal("usage: orbits MODEL.m");
  struct clew_source source = {argv[1], clew_text_str(&text), text.len};
  struct clew_load_request request = {.source = &source};
  if (clew_murphi_program(&request, &diags, &program) != CLEW_OK)
    clew_fatal("the model has errors: clew info tells which");
  const char *why = NULL;
  struct clew_symmetry *symmetry = clew_symmetry_open(program, false, &why);
  if (symmetry == NULL)
    clew_fatal(why != NULL ? why : "the model has no symmetry");
  explore(program, symmetry);
  clew_symmetry_close(symmetry);
  clew_program_close(program);
  clew_text_free(&text);
  return 0;
}
