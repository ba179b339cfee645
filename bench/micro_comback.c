/* Bytes per state and events per transition of the ComBack store on a synthetic system.
 *
 *   make && cc -std=c11 -D_GNU_SOURCE -O2 -Isrc -o /tmp/micro_comback bench/micro_comback.c \
 *     build/release/libclew.a -pthread -lm && /tmp/micro_comback [STATES [paper|compact]]
 *
 * A torus of many small counters: a state is a vector of digits, an event steps one of them, so
 * each state is reached over several ways, forward and backward. Breadth first, as an engine does
 * it.
 *
 * B/state  tables only (state table, predecessors, events, roots), and everything with caches,
 *          candidates and working memory
 *          (the first row of the compact layout is told the number of states beforehand)
 * E-up     (transitions + events executed to rebuild states) / transitions
 * ns       processor time per transition, of which a replay takes little: the cost of the store */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "store/comback_options.h"
#include "store/store.h"

enum { WORDS = 4, DIGITS = 8, BATCH = 512 };
static const struct clew_store_type *const type = &clew_store_comback;

/* Digit d of base `bases[d]` is in half a word. */
struct system {
  uint32_t bases[DIGITS];
  uint64_t replays;
};

static uint32_t *digits_of(uint64_t *state) {
  return (uint32_t *)(void *)state;
}

/* Events 0 … DIGITS-1 step a digit up, the others step it back while it is below four. */
static bool step(const struct system *s, const uint64_t *state, uint32_t edge, uint64_t *out) {
  memcpy(out, state, WORDS * sizeof *out);
  uint32_t d = edge % DIGITS, *digits = digits_of(out);
  if (edge < DIGITS) {
    if (digits[d] + 1 >= s->bases[d]) {
      return false;
    }
    digits[d]++;
  } else {
    if (digits[d] == 0 || digits[d] >= 4) {
      return false;
    }
    digits[d]--;
  }
  return true;
}

static bool replay(void *context, const uint64_t *state, uint32_t edge, uint64_t *out) {
  struct system *s = context;
  s->replays++;
  return step(s, state, edge, out);
}

struct run {
  struct system system;
  struct clew_store *store;
  CLEW_VEC(uint64_t) queue; /* words of the states of this level and the next */
  CLEW_VEC(uint64_t) next;
  uint64_t found, transitions, depth;
  struct clew_visit visits[BATCH];
  uint64_t words[BATCH][WORDS];
  uint32_t count;
};

static bool found_new(void *context, const struct clew_visit *visit) {
  struct run *r = context;
  for (uint32_t i = 0; i < WORDS; i++) {
    clew_vec_push(&r->next, visit->state[i]);
  }
  r->found++;
  return true;
}

/* How many there is room for now, as engines find it out. */
static uint32_t make_room(struct run *r, uint32_t count) {
  enum clew_room room = CLEW_ROOM_MEMORY;
  for (uint32_t n = count; n > 0; n /= 2) {
    room = type->reserve(r->store, n);
    if (room == CLEW_ROOM) {
      return n;
    }
  }
  if (room != CLEW_ROOM_SETTLE) {
    fputs("the budget is too small\n", stderr);
    exit(1);
  }
  type->settle(r->store, true, found_new, r);
  return 0;
}

static void flush(struct run *r) {
  for (uint32_t done = 0; done < r->count;) {
    uint32_t n = make_room(r, r->count - done);
    type->put(r->store, n, r->visits + done);
    for (uint32_t i = done; i < done + n; i++) {
      if (r->visits[i].answer == CLEW_NEW) {
        found_new(r, &r->visits[i]);
      }
    }
    done += n;
  }
  r->count = 0;
}

static void visit(struct run *r, clew_id parent, uint32_t edge) {
  uint64_t *state = r->words[r->count];
  r->visits[r->count] = (struct clew_visit){.state = state,
                                            .hash = clew_hash_words(state, WORDS, 1),
                                            .parent = parent,
                                            .edge = edge,
                                            .depth = (uint32_t)r->depth + 1};
  type->prefetch(r->store, r->visits[r->count].hash);
  if (++r->count == BATCH) {
    flush(r);
  }
}

static void expand_level(struct run *r, uint64_t first_id, uint64_t states) {
  for (uint64_t i = 0; i < states; i++) {
    const uint64_t *state = r->queue.data + i * WORDS;
    for (uint32_t edge = 0; edge < 2 * DIGITS; edge++) {
      if (step(&r->system, state, edge, r->words[r->count])) {
        r->transitions++;
        visit(r, first_id + i, edge);
      }
    }
    /* Successors of the last states may still be in the batch: good enough for the heuristic. */
    type->expanded(r->store, first_id + i, (uint32_t)r->depth, state);
  }
  flush(r);
  if (r->store->demands & CLEW_STORE_SETTLE) {
    type->settle(r->store, true, found_new, r);
  }
}

static void explore(struct run *r) {
  memset(r->words[0], 0, sizeof r->words[0]);
  visit(r, CLEW_ID_NONE, 0);
  flush(r);
  for (uint64_t first_id = 0; r->next.len > 0; r->depth++) {
    void *data = r->queue.data;
    uint32_t cap = r->queue.cap;
    r->queue.data = r->next.data, r->queue.len = r->next.len, r->queue.cap = r->next.cap;
    r->next.data = data, r->next.cap = cap, r->next.len = 0;
    uint64_t states = r->queue.len / WORDS;
    expand_level(r, first_id, states);
    first_id += states;
  }
}

/* Bases whose product, which is returned, is about the number of states. */
static uint64_t choose_bases(struct system *s, uint64_t states) {
  uint64_t product = 1;
  for (uint32_t d = 0; d < DIGITS; d++) {
    s->bases[d] = 1;
  }
  for (uint32_t d = 0; product < states; d = (d + 1) % DIGITS) {
    product = product / s->bases[d] * (s->bases[d] + 1);
    s->bases[d]++;
  }
  return product;
}

/* The sum of those figures that there are, for layouts differ. */
static uint64_t sum_of(const struct clew_counters *counters, const char *const *names) {
  uint64_t sum = 0;
  for (; *names != NULL; names++) {
    const struct clew_counter *counter = clew_counters_find(counters, *names);
    sum += counter != NULL ? counter->count : 0;
  }
  return sum;
}

static void print_counters(const struct clew_counters *counters) {
  for (uint32_t i = 0; i < counters->list.len; i++) {
    const struct clew_counter *counter = &counters->list.data[i];
    if (counter->kind == CLEW_COUNTER_COUNT) {
      printf("  %s %" PRIu64 "\n", counter->name, counter->count);
    } else if (counter->kind == CLEW_COUNTER_REAL) {
      printf("  %s %g\n", counter->name, counter->real);
    } else {
      printf("  %s %s\n", counter->name, counter->text);
    }
  }
}

static void measure(uint64_t states, enum clew_comback_layout layout, const char *cache,
                    const char *candidates, bool told) {
  static struct run run;
  memset(&run, 0, sizeof run);
  uint64_t rounded = choose_bases(&run.system, states);
  struct clew_comback_options options = {
      .layout = layout, .cache = cache, .candidates = candidates, .states = told ? rounded : 0};
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(4) << 30);
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = WORDS,
                                     .threads = 1,
                                     .seed = 1,
                                     .budget = &budget,
                                     .options = &options,
                                     .replay = replay,
                                     .replay_context = &run.system};
  if (type->open(&config, &diags, &run.store) != CLEW_OK) {
    fputs(diags.len > 0 ? diags.data[0].message : "cannot open", stderr);
    exit(1);
  }
  double start_s = clew_clock_cpu_s();
  explore(&run);
  double cpu_s = clew_clock_cpu_s() - start_s;
  static const char *const tables[] = {"state_table_bytes", "back_edge_bytes", "predecessor_bytes",
                                       "event_bytes",       "root_bytes",      NULL};
  struct clew_counters counters = {0};
  type->counters(run.store, &counters);
  uint64_t table_bytes = sum_of(&counters, tables);
  uint64_t n = type->count(run.store);
  printf("%-8s %-12s %8s %9" PRIu64 " %10" PRIu64 "  %6.2f %6.2f  %6.2f %7.0f\n",
         layout == CLEW_COMBACK_COMPACT ? "compact" : "paper", cache, candidates, n,
         run.transitions, (double)table_bytes / (double)n,
         (double)type->bytes(run.store) / (double)n,
         (double)(run.transitions + run.system.replays) / (double)run.transitions,
         cpu_s * 1e9 / (double)run.transitions);
  if (getenv("VERBOSE") != NULL) {
    print_counters(&counters);
  }
  fflush(stdout);
  clew_counters_free(&counters);
  clew_vec_free(&run.queue);
  clew_vec_free(&run.next);
  type->close(run.store);
}

int main(int argc, char **argv) {
  uint64_t states = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000000;
  printf("%-8s %-12s %8s %9s %10s  %6s %6s  %6s %7s\n", "layout", "cache", "cand.", "states",
         "trans.", "tables", "B/st.", "E-up", "ns");
  const char *only = argc > 2 ? argv[2] : "";
  for (enum clew_comback_layout layout = CLEW_COMBACK_PAPER; layout <= CLEW_COMBACK_COMPACT;
       layout++) {
    if (strcmp(only, layout == CLEW_COMBACK_PAPER ? "compact" : "paper") != 0) {
      measure(states, layout, "F:50000", "50000", layout == CLEW_COMBACK_COMPACT);
      measure(states, layout, "F80-D20:50000", "50000", false);
      measure(states, layout, "F20-D80:50000", "0", false);
    }
  }
  return 0;
}
