/* Nanoseconds per visit of the zones store, by the number of clocks and by how many zones a
 * discrete state has that do not contain each other.
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -o /tmp/micro_zones bench/micro_zones.c \
 *     build/release/libclew.a -pthread -lm && /tmp/micro_zones [DISCRETE STATES]
 *
 * new      a zone that neither contains a stored one nor lies in one, growth included
 * equal    a zone that is stored
 * less     a zone that lies in a stored one and is not equal to it
 * B/zone   all memory of the store per zone
 *
 * Zones are matrices of 16-bit numbers. Visits come in batches of eight, as the successors of one
 * state do, to random discrete states, prefetched as by an engine. Processor time, so that others
 * on the machine disturb less. Compare the columns of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/store.h"

enum { BATCH = 8, MOST_WORDS = 64, VISITS = 1 << 20 };

struct setup {
  uint32_t clocks, words; /* clocks with the zero; words of a state */
  uint64_t discrete, zones;
};

enum what { EXACTLY, LESS };

/* Zone number z of any discrete state: the larger one number, the smaller another one, far apart.
 */
static void make_state(const struct setup *s, uint64_t discrete, uint64_t zone, enum what what,
                       uint64_t *state) {
  uint32_t numbers = s->clocks * s->clocks;
  int16_t bounds[MOST_WORDS * 4] = {0};
  state[0] = discrete;
  for (uint32_t i = 0; i < numbers; i++) {
    bounds[i] = (int16_t)(i % 5 == 0 ? INT16_MAX : (int)(i % 7) * 10);
  }
  bounds[numbers / 3] = (int16_t)(2 * zone);
  bounds[numbers - 2] = (int16_t)(-2 * (int)zone - (what == LESS ? 1 : 0));
  memcpy(state + 1, bounds, (s->words - 1) * sizeof *state);
}

struct batch {
  uint64_t states[BATCH][MOST_WORDS];
  struct clew_visit visits[BATCH];
};

static void add(struct clew_store *store, const struct setup *s, struct batch *batch, uint32_t i,
                uint64_t discrete, uint64_t zone, enum what what) {
  make_state(s, discrete, zone, what, batch->states[i]);
  batch->visits[i] = (struct clew_visit){
      .state = batch->states[i], .hash = clew_hash_words(batch->states[i], 1, store->config.seed)};
  store->type->prefetch(store, batch->visits[i].hash);
}

static void put(struct clew_store *store, struct batch *batch, enum clew_answer wanted) {
  if (store->type->reserve(store, BATCH) != CLEW_ROOM) {
    fputs("the budget is too small\n", stderr);
    exit(1);
  }
  store->type->put(store, BATCH, batch->visits);
  for (uint32_t i = 0; i < BATCH; i++) {
    if (batch->visits[i].answer != wanted) {
      fputs("a wrong answer\n", stderr);
      exit(1);
    }
  }
}

/* Time of making states and hashing them, to be subtracted. */
static double empty_ns(struct clew_store *store, const struct setup *s) {
  static struct batch batch;
  double start_s = clew_clock_cpu_s();
  for (uint64_t n = 0; n < VISITS; n++) {
    add(store, s, &batch, n % BATCH, n % s->discrete, n % s->zones, EXACTLY);
  }
  return (clew_clock_cpu_s() - start_s) * 1e9 / VISITS;
}

static double new_ns(struct clew_store *store, const struct setup *s) {
  static struct batch batch;
  double start_s = clew_clock_cpu_s();
  for (uint64_t zone = 0; zone < s->zones; zone++) {
    for (uint64_t discrete = 0; discrete < s->discrete; discrete += BATCH) {
      for (uint32_t i = 0; i < BATCH; i++) {
        add(store, s, &batch, i, discrete + i, zone, EXACTLY);
      }
      put(store, &batch, CLEW_NEW);
    }
  }
  return (clew_clock_cpu_s() - start_s) * 1e9 / (double)(s->zones * s->discrete);
}

static double seen_ns(struct clew_store *store, const struct setup *s, enum what what) {
  static struct batch batch;
  struct clew_random random;
  clew_random_seed(&random, 3);
  double start_s = clew_clock_cpu_s();
  for (uint64_t n = 0; n < VISITS; n += BATCH) {
    for (uint32_t i = 0; i < BATCH; i++) {
      add(store, s, &batch, i, clew_random_below(&random, s->discrete),
          clew_random_below(&random, s->zones), what);
    }
    put(store, &batch, CLEW_SEEN);
  }
  return (clew_clock_cpu_s() - start_s) * 1e9 / VISITS;
}

static void measure(const struct setup *s) {
  struct clew_budget budget;
  struct clew_diag_sink diags = {0};
  clew_budget_init(&budget, UINT64_C(4) << 30);
  struct clew_store_config config = {
      .words = s->words,
      .threads = 1,
      .seed = 1,
      .budget = &budget,
      .diags = &diags,
      .covers = (bool (*)(void *, const uint64_t *, const uint64_t *))1, /* never asked */
      .discrete_words = 1,
      .order_bits = 16};
  struct clew_store *store = NULL;
  if (clew_store_zones.open(&config, &diags, &store) != CLEW_OK) {
    exit(1);
  }
  double none = empty_ns(store, s), new = new_ns(store, s) - none;
  double equal = seen_ns(store, s, EXACTLY) - none, less = seen_ns(store, s, LESS) - none;
  printf("%6u %10" PRIu64 " %6" PRIu64 " %8.0f %8.0f %8.0f %8.1f\n", s->clocks, s->discrete,
         s->zones, new, equal, less,
         (double)store->type->bytes(store) / (double)store->type->count(store));
  store->type->close(store);
}

int main(int argc, char **argv) {
  uint64_t discrete = argc > 1 ? strtoull(argv[1], NULL, 10) / BATCH * BATCH : 0;
  static const uint32_t clocks[] = {3, 6, 12};
  static const uint64_t lengths[] = {1, 3, 10, 50};
  printf("clocks   discrete  zones      new    equal     less   B/zone\n");
  for (uint32_t c = 0; c < 3; c++) {
    for (uint32_t l = 0; l < 4; l++) {
      struct setup s = {.clocks = clocks[c], .zones = lengths[l]};
      s.words = 1 + (clocks[c] * clocks[c] + 3) / 4;
      s.discrete = discrete > 0 ? discrete : (UINT64_C(1) << 20) / lengths[l] / BATCH * BATCH;
      measure(&s);
    }
  }
  return 0;
}
