/* Nanoseconds per visit of a store, by size of the table, with and without prefetching.
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -o /tmp/micro_store bench/micro_store.c \
 *     build/release/libclew.a -pthread -lm && /tmp/micro_store [exact|compact|bloom] [STATES...]
 *
 * grow     inserting distinct states, from the empty store, growths of the index included
 * seen     visiting random states that are in it, in batches of 512, prefetched by the engine
 * no pref  the same without the engine's prefetches (the store still looks ahead within a block)
 * single   one visit per put, without prefetches: the cost of one miss after the other
 * B/state  all memory of the store per state
 *
 * Processor time, so that others on the machine disturb less. Compare the columns of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/store.h"

enum { WORDS = 2, BATCH = 512, VISITS = 1 << 22 };
static const struct clew_store_type *type = &clew_store_exact;

static void make_state(uint64_t key, uint64_t state[WORDS]) {
  state[0] = key & 0xffff;
  state[1] = key >> 16;
}

struct batch {
  uint64_t states[BATCH][WORDS];
  struct clew_visit visits[BATCH];
};

static void add(struct clew_store *store, struct batch *batch, uint32_t i, uint64_t key,
                bool prefetch) {
  make_state(key, batch->states[i]);
  batch->visits[i].state = batch->states[i];
  batch->visits[i].hash = clew_hash_words(batch->states[i], WORDS, store->config.seed);
  if (prefetch) {
    type->prefetch(store, batch->visits[i].hash);
  }
}

static double grow_ns(struct clew_store *store, uint64_t states) {
  static struct batch batch;
  double start_s = clew_clock_cpu_s();
  for (uint64_t key = 0; key < states; key += BATCH) {
    for (uint32_t i = 0; i < BATCH; i++) {
      add(store, &batch, i, key + i, true);
    }
    if (type->reserve(store, BATCH) != CLEW_ROOM) {
      fputs("the budget is too small\n", stderr);
      exit(1);
    }
    type->put(store, BATCH, batch.visits);
  }
  return (clew_clock_cpu_s() - start_s) * 1e9 / (double)states;
}

static double seen_ns(struct clew_store *store, uint32_t per_put, bool prefetch) {
  static struct batch batch;
  struct clew_random random;
  clew_random_seed(&random, 5);
  uint64_t count = type->count(store), wrong = 0;
  double start_s = clew_clock_cpu_s();
  for (uint32_t done = 0; done < VISITS; done += per_put) {
    for (uint32_t i = 0; i < per_put; i++) {
      add(store, &batch, i, clew_random_below(&random, count), prefetch);
    }
    type->put(store, per_put, batch.visits);
    for (uint32_t i = 0; i < per_put; i++) {
      wrong += batch.visits[i].answer != CLEW_SEEN;
    }
  }
  double elapsed_s = clew_clock_cpu_s() - start_s;
  if (wrong > 0) {
    fprintf(stderr, "%" PRIu64 " wrong answers\n", wrong);
    exit(1);
  }
  return elapsed_s * 1e9 / VISITS;
}

static void measure(uint64_t states) {
  struct clew_budget budget;
  clew_budget_init(&budget, clew_budget_default_bytes());
  struct clew_store_config config = {.words = WORDS, .threads = 1, .budget = &budget};
  struct clew_diag_sink diags = {0};
  struct clew_store *store;
  if (type->open(&config, &diags, &store) != CLEW_OK) {
    exit(1);
  }
  double grow = grow_ns(store, states), seen = seen_ns(store, BATCH, true);
  double plain = seen_ns(store, BATCH, false), single = seen_ns(store, 1, false);
  printf("%12" PRIu64 " %8.1f %8.1f %8.1f %8.1f %9.2f\n", states, grow, seen, plain, single,
         (double)type->bytes(store) / (double)type->count(store));
  fflush(stdout);
  type->close(store);
}

int main(int argc, char **argv) {
  static const uint64_t sizes[] = {10000, 100000, 1000000, 10000000, 50000000, 100000000};
  printf("%12s %8s %8s %8s %8s %9s\n", "states", "grow", "seen", "no pref", "single", "B/state");
  static const struct clew_store_type *const types[] = {&clew_store_exact, &clew_store_compact,
                                                        &clew_store_bloom};
  int first = 1;
  for (size_t i = 0; argc > 1 && i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(argv[1], types[i]->name) == 0) {
      type = types[i];
      first = 2;
    }
  }
  for (size_t i = 0; argc == first && i < sizeof sizes / sizeof sizes[0]; i++) {
    measure(sizes[i]);
  }
  for (int i = first; i < argc; i++) {
    measure(strtoull(argv[i], NULL, 10));
  }
  return 0;
}
