/* Nanoseconds per call of `fire`, with the code that there always is and with code of its own.
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -rdynamic -o /tmp/micro_fire bench/micro_fire.c \
 *     build/release/libclew.a -pthread -ldl -lm && /tmp/micro_fire MODEL...
 *
 * Transitions are those of a random walk, so that consecutive calls are for different edges, and
 * their successors are in the cache, so that what is measured is the code. "out" writes to another
 * place, "place" works in place, "copy" is what remains without the call. Processor time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "lang/lang.h"

enum { STEPS = 4096, ROUNDS = 1000, MAX_MODEL_BYTES = 16 << 20 };

struct walk {
  const struct clew_model *model;
  uint64_t *states;
  uint32_t edges[STEPS];
};

static struct clew_model *load(const char *path) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  struct clew_model *model = NULL;
  size_t length = strlen(path);
  bool dve = length > 4 && strcmp(path + length - 4, ".dve") == 0;
  const struct clew_language *language = dve ? &clew_language_dve : &clew_language_murphi;
  if (clew_file_read(path, MAX_MODEL_BYTES, &text, &diags) != CLEW_OK) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(1);
  }
  struct clew_source source = {path, clew_text_str(&text), text.len};
  struct clew_load_request request = {.source = &source, .exec = CLEW_MODE_NATIVE};
  if (language->load(&request, &diags, &model) != CLEW_OK) {
    fprintf(stderr, "%s: cannot be loaded\n", path);
    exit(1);
  }
  return model;
}

/* Random successors; from the start again where there are none. */
static void take_walk(struct walk *walk) {
  const struct clew_model *model = walk->model;
  size_t bytes = model->words * sizeof(uint64_t);
  struct clew_random random;
  struct clew_succs succs;
  clew_random_seed(&random, 1);
  clew_succs_open(&succs, model->words, model->cover_count);
  uint64_t *at = clew_alloc_zero(model->words, sizeof *at);
  bool begun = false;
  for (uint32_t i = 0; i < STEPS;) {
    clew_succs_clear(&succs);
    if (begun)
      model->next(model, at, &succs);
    begun = succs.count > 0;
    if (!begun) {
      model->init(model, &succs);
      memcpy(at, succs.states, bytes);
      begun = true;
      continue;
    }
    uint32_t chosen = (uint32_t)clew_random_below(&random, succs.count);
    memcpy(walk->states + (size_t)i * model->words, at, bytes);
    walk->edges[i++] = succs.edges[chosen];
    memcpy(at, succs.states + (size_t)chosen * model->words, bytes);
  }
  clew_free(at);
  clew_succs_close(&succs);
}

enum way { COPY, OUT, PLACE };

static double measure_ns(const struct walk *walk, enum way way) {
  const struct clew_model *model = walk->model;
  uint64_t *out = clew_alloc_zero(model->words, sizeof *out);
  uint64_t fired = 0;
  double start_s = clew_clock_cpu_s();
  for (uint32_t round = 0; round < ROUNDS; round++)
    for (uint32_t i = 0; i < STEPS; i++) {
      const uint64_t *state = walk->states + (size_t)i * model->words;
      uint32_t site;
      if (way != OUT)
        memcpy(out, state, model->words * sizeof *out);
      __asm__ volatile("" ::: "memory");
      if (way == COPY)
        fired++;
      else
        fired += model->fire(model, way == OUT ? state : out, walk->edges[i], out, &site);
    }
  double spent_s = clew_clock_cpu_s() - start_s;
  if (fired != (uint64_t)ROUNDS * STEPS)
    fprintf(stderr, "%s: an edge did not fire\n", model->name);
  clew_free(out);
  return spent_s * 1e9 / ((double)ROUNDS * STEPS);
}

int main(int argc, char **argv) {
  printf("%-20s %5s %6s %6s   %6s %6s   %6s\n", "model", "words", "out", "place", "out", "place",
         "copy");
  for (int i = 1; i < argc; i++) {
    struct clew_model *model = load(argv[i]);
    struct walk walk = {.model = model};
    walk.states = clew_alloc_zero((size_t)STEPS * model->words, sizeof *walk.states);
    take_walk(&walk);
    const char *name = strrchr(argv[i], '/');
    double out_ns = measure_ns(&walk, OUT), place_ns = measure_ns(&walk, PLACE);
    model->expect_fire(model);
    printf("%-20s %5u %6.1f %6.1f   %6.1f %6.1f   %6.1f\n", name == NULL ? argv[i] : name + 1,
           model->words, out_ns, place_ns, measure_ns(&walk, OUT), measure_ns(&walk, PLACE),
           measure_ns(&walk, COPY));
    clew_free(walk.states);
    model->close(model);
  }
  return 0;
}
