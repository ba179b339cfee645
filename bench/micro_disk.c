/* The disk store without an engine: nanoseconds per put, and per stored hash when settling.
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -o /tmp/micro_disk bench/micro_disk.c \
 *     build/release/libclew.a -pthread -lm && /tmp/micro_disk \
 *     [STATES [MEMORY_MB [HASH_BITS [MODE]]]]        MODE: 1 runs, 2 full, 3 local
 *
 * Synthetic breadth-first search with 16-byte states in about 50 levels: each state has four
 * successors, of which one is new (two while levels still grow), the others are taken at random
 * from the last few levels or, one in eight, from anywhere. The answers are known: the number of
 * new states must come out exactly after every level. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/disk_options.h"
#include "store/store.h"

enum { WORDS = 2, BATCH = 512, FANOUT = 4, NEAR_LEVELS = 2, FAR = 8 };
static const struct clew_store_type *const type = &clew_store_disk;

struct bench {
  struct clew_store *store;
  struct clew_random random;
  uint64_t states[BATCH][WORDS];
  struct clew_visit visits[BATCH];
  uint32_t filled;
  uint64_t visits_total, found, scanned;
  double put_s, settle_s, reserve_s, settle_wall_s;
};

static bool found_new(void *context, const struct clew_visit *visit) {
  struct bench *b = context;
  b->found += visit->id < UINT64_MAX;
  return true;
}

static void settle(struct bench *b) {
  double start_s = clew_clock_cpu_s(), wall_s = clew_clock_wall_s();
  b->scanned += type->count(b->store);
  type->settle(b->store, true, found_new, b);
  b->settle_s += clew_clock_cpu_s() - start_s;
  b->settle_wall_s += clew_clock_wall_s() - wall_s;
}

static void flush(struct bench *b) {
  double start_s = clew_clock_cpu_s();
  enum clew_room room = type->reserve(b->store, b->filled);
  b->reserve_s += clew_clock_cpu_s() - start_s;
  if (room == CLEW_ROOM_SETTLE) {
    settle(b);
    start_s = clew_clock_cpu_s();
    room = type->reserve(b->store, b->filled);
    b->reserve_s += clew_clock_cpu_s() - start_s;
  }
  if (room != CLEW_ROOM) {
    fputs("the store is full\n", stderr);
    exit(1);
  }
  start_s = clew_clock_cpu_s();
  for (uint32_t i = 0; i < b->filled; i++) {
    b->visits[i].hash = clew_hash_words(b->states[i], WORDS, 0);
    type->prefetch(b->store, b->visits[i].hash);
  }
  type->put(b->store, b->filled, b->visits);
  b->put_s += clew_clock_cpu_s() - start_s;
  b->visits_total += b->filled;
  b->filled = 0;
}

static void visit(struct bench *b, uint64_t key) {
  b->states[b->filled][0] = key & 0xffff;
  b->states[b->filled][1] = key >> 16;
  b->visits[b->filled] = (struct clew_visit){.state = b->states[b->filled]};
  if (++b->filled == BATCH) {
    flush(b);
  }
}

/* States [from, to) are expanded; `fresh` of their successors are new. */
static void expand_level(struct bench *b, uint64_t from, uint64_t to, uint64_t fresh) {
  uint64_t level = to - from, reach = level * NEAR_LEVELS, next = to;
  uint64_t low = from > reach ? from - reach : 0;
  for (uint64_t i = 0; i < level * FANOUT; i++) {
    if ((next - to) * FANOUT * level <= i * fresh && next < to + fresh) {
      visit(b, next++);
    } else {
      uint64_t begin = clew_random_u64(&b->random) % FAR == 0 ? 0 : low;
      visit(b, begin + clew_random_below(&b->random, next - begin));
    }
  }
  flush(b);
  settle(b);
}

static void print_counters(const struct clew_store *store) {
  struct clew_counters counters = {0};
  type->counters(store, &counters);
  for (uint32_t i = 0; i < counters.list.len; i++) {
    const struct clew_counter *counter = &counters.list.data[i];
    if (counter->kind == CLEW_COUNTER_COUNT) {
      printf("%s %" PRIu64 "\n", counter->name, counter->count);
    } else if (counter->kind == CLEW_COUNTER_REAL) {
      printf("%s %g\n", counter->name, counter->real);
    } else {
      printf("%s %s\n", counter->name, counter->text);
    }
  }
  clew_counters_free(&counters);
}

int main(int argc, char **argv) {
  uint64_t states = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
  uint64_t memory = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
  struct clew_disk_options options = {.hash_bits = argc > 3 ? strtoull(argv[3], NULL, 10) : 64,
                                      .mode = argc > 4 ? (uint32_t)atoi(argv[4]) : CLEW_DISK_RUNS};
  static struct bench b;
  struct clew_budget budget;
  clew_budget_init(&budget, memory << 20);
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = WORDS,
                                     .threads = 1,
                                     .budget = &budget,
                                     .scratch = &scratch,
                                     .options = &options,
                                     .diags = &diags};
  if (clew_scratch_open(&scratch, NULL, &diags) != CLEW_OK ||
      type->open(&config, &diags, &b.store) != CLEW_OK) {
    return 1;
  }
  uint64_t most = states / 40 + 1, from = 0, to = 1;
  clew_random_seed(&b.random, 3);
  visit(&b, 0);
  flush(&b);
  settle(&b);
  double start_s = clew_clock_wall_s();
  while (to < states) {
    uint64_t fresh = (to - from) * 2 < most ? (to - from) * 2 : most;
    expand_level(&b, from, to, fresh);
    from = to;
    to += fresh;
    if (b.found != to) {
      fprintf(stderr, "%" PRIu64 " states found, not %" PRIu64 "\n", b.found, to);
      return 1;
    }
  }
  double wall_s = clew_clock_wall_s() - start_s;
  print_counters(b.store);
  printf("states %" PRIu64 " visits %" PRIu64 " wall %.1f s\n", b.found, b.visits_total, wall_s);
  printf("put %.1f ns (of a visit, with hash), reserve %.1f s, settle %.1f s CPU, %.1f s wall, "
         "%.2f ns CPU per stored hash\n",
         b.put_s * 1e9 / (double)b.visits_total, b.reserve_s, b.settle_s, b.settle_wall_s,
         b.settle_s * 1e9 / (double)b.scanned);
  printf("peak memory %.1f MB, disk %.1f MB\n", (double)clew_clock_peak_rss_bytes() / 0x1p20,
         (double)type->disk_bytes(b.store) / 0x1p20);
  type->close(b.store);
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
  return 0;
}
