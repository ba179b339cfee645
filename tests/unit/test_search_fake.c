/* Both engines through every answer of a store, with the scripted store (fake_store.h): answers
 * that are put off, settled at every moment, refused at every step, in the middle of a batch, with
 * one thread and several, with delays that shift them against each other. Never is anything said to
 * hold when something was refused; where nothing was, every figure is right. The store watches that
 * the engine keeps to its contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "unit/fake_store.h"
#include "unit/tiny_store.h"
#include "unit/toy_search.h"

enum { SIZE = 6, STATES = SIZE * SIZE * SIZE, TRANSITIONS = 3 * (SIZE - 1) * SIZE * SIZE };
enum { LAST = STATES - 1, LAST_DEPTH = 3 * (SIZE - 1) };

static const uint32_t thread_counts[] = {1, 3};

/* How a store can be made. */
enum {
  LOSSLESS = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS,
  QUEUE = LOSSLESS,
  GRAPH = CLEW_STORE_GRAPH,
  CONCURRENT = CLEW_STORE_CONCURRENT,
  SETTLE = CLEW_STORE_SETTLE,
};

/* ---- a search ---- */

struct trial {
  struct toy toy;
  struct fake_script script;
  struct fake_log log;
  struct options options;
  const struct clew_engine_type *engine;
  uint32_t threads;
  struct outcome outcome;
};

static void trial_open(struct trial *t, uint32_t engine, uint32_t threads, unsigned promises,
                       unsigned demands) {
  *t = (struct trial){.engine = engines[engine], .threads = threads};
  t->script = (struct fake_script){
      .promises = promises, .demands = demands, .nested = !t->engine->has_levels};
  toy_open(&t->toy, 3, grid_edge);
  t->toy.size = SIZE;
}

static const struct clew_result *trial_run(struct trial *t) {
  t->log = (struct fake_log){0};
  t->script.log = &t->log;
  t->options.store = &fake_store;
  t->options.store_options = &t->script;
  run_with(&t->toy, t->engine, &t->options, t->threads, &t->outcome);
  assert_string_equal(t->log.wrong != NULL ? t->log.wrong : "right", "right");
  return &t->outcome.result;
}

static void trial_close(struct trial *t) {
  finish(&t->outcome);
}

/* How many states of the grid are at this distance from the start. */
static uint64_t level_size(uint32_t size, uint32_t depth) {
  uint64_t count = 0;
  for (uint32_t x = 0; x < size; x++) {
    for (uint32_t y = 0; y < size; y++) {
      count += depth >= x + y && depth - x - y < size;
    }
  }
  return count;
}

static void check_levels(const struct clew_result *r, uint32_t size) {
  assert_int_equal(r->level_sizes.len, 3 * (size - 1) + 1);
  assert_int_equal(r->diameter, 3 * (size - 1));
  for (uint32_t depth = 0; depth < r->level_sizes.len; depth++) {
    assert_int_equal(r->level_sizes.data[depth], level_size(size, depth));
  }
}

/* All of the grid was seen, each state once. */
static void check_complete(const struct trial *t) {
  const struct clew_result *r = &t->outcome.result;
  assert_true(r->scope.complete);
  assert_int_equal(r->stop, CLEW_STOP_FINISHED);
  assert_int_equal(r->states, STATES);
  assert_int_equal(r->transitions, TRANSITIONS);
  assert_int_equal(r->deadlocks, 1);
  if (t->engine->has_levels && (t->script.demands & CLEW_STORE_LATE) == 0) {
    check_levels(r, SIZE);
  }
}

/* Ran into something that the store refused: nothing holds. */
static void check_refused(const struct clew_result *r, enum clew_stop stop) {
  assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
  assert_int_equal(r->exit_code, CLEW_EXIT_INCOMPLETE);
  assert_int_equal(r->stop, stop);
  assert_false(r->scope.complete);
  for (uint32_t i = 0; i < PROPERTIES; i++) {
    assert_int_equal(r->outcomes.list[i].decision, CLEW_UNDECIDED);
  }
}

/* ---- answers that are put off ---- */

/* Every property that a store without the graph can decide holds, then one is violated. */
static void check_delayed(struct trial *t) {
  bool late = (t->script.demands & CLEW_STORE_LATE) != 0;
  bool graph = (t->script.promises & GRAPH) == GRAPH;
  uint64_t others = bit(INVARIANT) | bit(FAULT) | bit(COVER) | bit(COVER_STATEMENT);
  t->toy.enabled = others | (graph ? bit(LIVENESS) : 0);
  t->toy.goal = t->toy.home = LAST;
  const struct clew_result *r = trial_run(t);
  check_complete(t);
  assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
  trial_close(t);

  t->toy.home = 0; /* which nobody comes back to */
  t->toy.enabled = bit(LIVENESS);
  r = trial_run(t);
  assert_int_equal(r->verdict, graph ? CLEW_VERDICT_VIOLATED : CLEW_VERDICT_INCOMPLETE);
  assert_int_equal(r->exit_code, graph ? 13 : 20);
  assert_int_equal(r->states, STATES);
  trial_close(t);

  t->toy.bad = LAST / 2;
  t->toy.enabled = bit(INVARIANT);
  r = trial_run(t);
  assert_int_equal(r->exit_code, 12);
  if (t->engine->has_levels && !late) {
    uint32_t depth = t->toy.bad % SIZE + t->toy.bad / SIZE % SIZE + t->toy.bad / SIZE / SIZE;
    assert_int_equal(violation(r, 0).depth, depth);
    assert_int_equal(clew_trace_length(&r->trace), depth);
    uint64_t states = 0; /* the level in which it was found was finished */
    for (uint32_t d = 0; d <= depth; d++) {
      states += level_size(SIZE, d);
    }
    assert_int_equal(r->states, states);
  }
  trial_close(t);
  t->toy.bad = CLEW_NONE;

  t->toy.enabled = bit(DEADLOCK);
  r = trial_run(t);
  assert_int_equal(r->exit_code, 10);
  if (t->engine->has_levels && !late) {
    assert_int_equal(violation(r, 0).depth, LAST_DEPTH);
  }
  trial_close(t);
}

static void test_plain(void **state) {
  (void)state;
  static const unsigned kinds[] = {QUEUE, GRAPH, QUEUE | CONCURRENT, GRAPH | CONCURRENT};
  for (uint32_t i = 0; i < 2 * 2 * 4 * 2; i++) {
    struct trial t;
    trial_open(&t, i & 1, thread_counts[i / 2 % 2], kinds[i / 4 % 4], 0);
    t.script.delays = i / 16;
    t.script.get_block = i % 3 * 7;
    check_delayed(&t);
  }
}

/* Which visits are put off, and when the store asks for a decision. */
struct delay {
  enum fake_answer puts[64];
  enum clew_room rooms[64];
};

static void delay_make(struct delay *delay, struct clew_random *random, uint32_t kind) {
  static const uint64_t shares[] = {0, 1, 8, 32, 63, 64};
  uint64_t maybes = shares[kind % 6], settles = kind / 6 % 3 * 20;
  for (uint32_t i = 0; i < 64; i++) {
    delay->puts[i] = clew_random_below(random, 64) < maybes ? FAKE_MAYBE : FAKE_TRUTH;
    delay->rooms[i] = clew_random_below(random, 64) < settles ? CLEW_ROOM_SETTLE : CLEW_ROOM;
  }
  delay->rooms[63] = CLEW_ROOM;
}

static void test_delayed(void **state) {
  (void)state;
  static const unsigned demands[] = {SETTLE, SETTLE | CLEW_STORE_EXPANDED, SETTLE | CLEW_STORE_LATE,
                                     SETTLE | CLEW_STORE_LATE | CLEW_STORE_EXPANDED,
                                     CLEW_STORE_EXPANDED};
  struct clew_random random;
  clew_random_seed(&random, 5);
  for (uint32_t d = 0; d < 5; d++) {
    for (uint32_t kind = 0; kind < 18 && (kind == 0 || d < 4); kind++) {
      struct delay delay;
      delay_make(&delay, &random, kind);
      for (uint32_t i = 0; i < 2 * 2 * 2 * 2; i++) {
        struct trial t;
        trial_open(&t, i & 1, thread_counts[i / 2 % 2], i & 4 ? GRAPH : QUEUE, demands[d]);
        t.script.puts = delay.puts;
        t.script.rooms = delay.rooms;
        t.script.put_count = t.script.room_count = 64;
        t.script.repeats = true;
        t.script.halves = i & 8;
        t.script.delays = (kind + i) % 9 == 0;
        check_delayed(&t);
      }
    }
  }
}

/* A limit on the states holds for those that are found late, too. */
static void test_delayed_limit(void **state) {
  (void)state;
  static const enum fake_answer puts[] = {FAKE_MAYBE, FAKE_TRUTH, FAKE_MAYBE};
  for (uint32_t i = 0; i < 2 * 2 * 2 * 2; i++) {
    for (uint32_t limit = 1; limit < STATES; limit += 1 + limit / 2) {
      struct trial t;
      unsigned late = i & 8 ? CLEW_STORE_LATE : 0;
      trial_open(&t, i & 1, thread_counts[i / 2 % 2], i & 4 ? GRAPH : QUEUE, SETTLE | late);
      t.script.puts = puts;
      t.script.put_count = 3;
      t.script.repeats = true;
      t.options.max_states = limit;
      t.toy.enabled = bit(INVARIANT);
      const struct clew_result *r = trial_run(&t);
      check_refused(r, CLEW_STOP_MAX_STATES);
      assert_int_equal(r->states, limit);
      trial_close(&t);
    }
  }
}

/* ---- refusals ---- */

static const struct refusal {
  enum clew_room room;
  enum clew_stop stop;
} refusals[] = {{CLEW_ROOM_MEMORY, CLEW_STOP_MEMORY},
                {CLEW_ROOM_DISK, CLEW_STOP_DISK},
                {CLEW_ROOM_COLLISIONS, CLEW_STOP_COLLISIONS}};

enum { REFUSALS = 3, MOST_RESERVES = 30, FOR_EVER = 40 };

/* The engines, with one thread and several, over stores of every kind: the i-th of these. */
enum { KINDS = 20 };
static void open_kind(struct trial *t, uint32_t i) {
  static const struct {
    unsigned promises, demands;
  } kinds[] = {{QUEUE, 0},
               {GRAPH, 0},
               {QUEUE | CONCURRENT, 0},
               {GRAPH | CONCURRENT, 0},
               {QUEUE, SETTLE | CLEW_STORE_EXPANDED}};
  trial_open(t, i & 1, thread_counts[i / 2 % 2], kinds[i / 4].promises, kinds[i / 4].demands);
}

static void check_either(const struct trial *t, bool refused, enum clew_stop stop) {
  const struct clew_result *r = &t->outcome.result;
  if (refused) {
    check_refused(r, stop);
  } else {
    assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
    check_complete(t);
  }
}

/* From the n-th `reserve` on, for every n. */
static void test_refused_for_ever(void **state) {
  (void)state;
  uint32_t refused = 0, ended = 0;
  for (uint32_t n = 0; n <= MOST_RESERVES; n++) {
    for (uint32_t i = 0; i < KINDS * REFUSALS; i++) {
      static enum clew_room rooms[MOST_RESERVES + FOR_EVER];
      for (uint32_t k = 0; k < MOST_RESERVES + FOR_EVER; k++) {
        rooms[k] = k < n ? CLEW_ROOM : refusals[i % REFUSALS].room;
      }
      struct trial t;
      open_kind(&t, i / REFUSALS);
      t.script.rooms = rooms;
      t.script.room_count = MOST_RESERVES + FOR_EVER;
      t.script.delays = (n + i) % 7 == 0;
      t.toy.enabled = bit(INVARIANT);
      trial_run(&t);
      bool was_refused = t.log.reserves > n;
      check_either(&t, was_refused, refusals[i % REFUSALS].stop);
      refused += was_refused;
      ended += !was_refused;
      trial_close(&t);
    }
  }
  assert_true(refused > 1000 && ended > 0);
}

/* Once, at the n-th: for less there is room, unless it was one already. */
static void test_refused_once(void **state) {
  (void)state;
  for (uint32_t n = 0; n <= MOST_RESERVES; n++) {
    for (uint32_t i = 0; i < KINDS; i++) {
      enum clew_room rooms[MOST_RESERVES + 1] = {[MOST_RESERVES] = CLEW_ROOM};
      rooms[n] = refusals[(n + i) % REFUSALS].room;
      struct trial t;
      open_kind(&t, i);
      t.script.rooms = rooms;
      t.script.room_count = MOST_RESERVES + 1;
      t.toy.enabled = bit(INVARIANT);
      const struct clew_result *r = trial_run(&t);
      check_either(&t, r->stop != CLEW_STOP_FINISHED, refusals[(n + i) % REFUSALS].stop);
      trial_close(&t);
    }
  }
}

/* The n-th visit and all after it are not taken, for every n at first and some later. */
static void test_full(void **state) {
  (void)state;
  for (uint32_t n = 0; n < TRANSITIONS; n += n < 80 ? 1 : 37) {
    for (uint32_t i = 0; i < KINDS; i++) {
      static enum fake_answer puts[TRANSITIONS + 1];
      memset(puts, 0, sizeof puts);
      puts[n] = FAKE_FULL;
      struct trial t;
      open_kind(&t, i);
      t.script.puts = puts;
      t.script.put_count = n + 1;
      t.script.full_reason = refusals[(n + i) % REFUSALS].room;
      t.script.delays = (n + i) % 29 == 0;
      t.toy.enabled = bit(INVARIANT);
      check_refused(trial_run(&t), refusals[(n + i) % REFUSALS].stop);
      trial_close(&t);
    }
  }
}

/* The violation that was found before counts, and no other. */
static void test_full_and_violated(void **state) {
  (void)state;
  uint32_t violated = 0, incomplete = 0;
  for (uint32_t n = 0; n < 200; n += 3) {
    for (uint32_t i = 0; i < KINDS; i++) {
      static enum fake_answer puts[200];
      memset(puts, 0, sizeof puts);
      puts[n] = FAKE_FULL;
      struct trial t;
      open_kind(&t, i);
      t.script.puts = puts;
      t.script.put_count = n + 1;
      t.toy.bad = 2 + 2 * SIZE;
      t.toy.enabled = bit(INVARIANT) | bit(LIVENESS) | bit(COVER);
      const struct clew_result *r = trial_run(&t);
      assert_true(r->exit_code == CLEW_EXIT_INCOMPLETE || r->exit_code == CLEW_EXIT_INVARIANT);
      assert_int_equal(r->outcomes.violated.len, r->exit_code == CLEW_EXIT_INVARIANT);
      violated += r->outcomes.violated.len;
      incomplete += r->exit_code == CLEW_EXIT_INCOMPLETE;
      trial_close(&t);
    }
  }
  assert_true(violated > 100 && incomplete > 100);
}

/* ---- stores that lose or forget ---- */

static void test_losing(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2 * 2 * 4; i++) {
    static const enum fake_answer puts[] = {[40] = FAKE_LOSE};
    static const unsigned kinds[] = {CLEW_STORE_REMEMBERS, CLEW_STORE_REMEMBERS | CONCURRENT,
                                     CLEW_STORE_REMEMBERS | CLEW_STORE_GET,
                                     CLEW_STORE_REMEMBERS | CLEW_STORE_GET | CONCURRENT};
    struct trial t;
    trial_open(&t, i & 1, thread_counts[i / 2 % 2], kinds[i / 4], 0);
    t.script.puts = puts;
    t.script.put_count = 41;
    t.script.repeats = true;
    t.toy.enabled = bit(INVARIANT) | bit(COVER) | bit(FAULT);
    const struct clew_result *r = trial_run(&t);
    assert_int_equal(r->verdict, CLEW_VERDICT_NO_VIOLATION_FOUND);
    assert_int_equal(r->exit_code, CLEW_EXIT_LOSSY);
    assert_true(r->states <= STATES);
    trial_close(&t);
    t.toy.home = 0;
    t.toy.enabled = bit(LIVENESS);
    r = trial_run(&t);
    assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(r->outcomes.list[LIVENESS].reason, CLEW_REASON_STORE);
    trial_close(&t);
  }
}

static void test_forgetting(void **state) {
  (void)state;
  enum { VISITS = 700 };
  static enum fake_answer puts[VISITS];
  for (uint32_t i = 0; i < VISITS; i++) {
    puts[i] = i % 11 == 5 ? FAKE_FORGET : FAKE_TRUTH;
  }
  for (uint32_t i = 0; i < 2 * 2 * 4; i++) {
    static const unsigned kinds[] = {CLEW_STORE_LOSSLESS, CLEW_STORE_LOSSLESS | CONCURRENT,
                                     CLEW_STORE_LOSSLESS | CLEW_STORE_GET,
                                     CLEW_STORE_LOSSLESS | CLEW_STORE_GET | CONCURRENT};
    struct trial t;
    trial_open(&t, i & 1, thread_counts[i / 2 % 2], kinds[i / 4], 0);
    t.script.puts = puts;
    t.script.put_count = VISITS;
    t.toy.enabled = bit(INVARIANT) | bit(FAULT);
    const struct clew_result *r = trial_run(&t);
    assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
    assert_true(r->forgets && r->states > STATES && r->transitions > TRANSITIONS);
    trial_close(&t);
    t.toy.home = 0;
    t.toy.enabled = bit(LIVENESS) | bit(INVARIANT);
    r = trial_run(&t);
    assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(r->outcomes.list[LIVENESS].reason, CLEW_REASON_STORE);
    assert_int_equal(r->outcomes.list[INVARIANT].decision, CLEW_PROPERTY_HOLDS);
    trial_close(&t);
  }
}

/* ---- ids beyond 2^32 ---- */

enum { WIDE_SIZE = 15, WIDE_STATES = WIDE_SIZE * WIDE_SIZE * WIDE_SIZE };

static void check_wide(struct trial *t) {
  t->toy.size = WIDE_SIZE;
  t->toy.enabled = bit(INVARIANT) | bit(COVER);
  t->toy.goal = WIDE_STATES - 1;
  const struct clew_result *r = trial_run(t);
  assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
  assert_int_equal(r->states, WIDE_STATES);
  assert_int_equal(r->transitions, 3 * (WIDE_SIZE - 1) * WIDE_SIZE * WIDE_SIZE);
  assert_int_equal(r->deadlocks, 1);
  if (t->engine->has_levels) {
    check_levels(r, WIDE_SIZE);
  }
  trial_close(t);
  t->toy.bad = WIDE_STATES - 1; /* beyond all others: the trace crosses the border */
  r = trial_run(t);
  assert_int_equal(r->exit_code, 12);
  assert_int_equal(r->trace.edge_count, 3 * (WIDE_SIZE - 1));
  assert_int_equal(violation(r, 0).depth, 3 * (WIDE_SIZE - 1));
  trial_close(t);
  t->options.max_states = 1000;
  t->toy.bad = CLEW_NONE;
  r = trial_run(t);
  assert_int_equal(r->stop, CLEW_STOP_MAX_STATES);
  assert_int_equal(r->states, 1000);
  trial_close(t);
}

static void test_wide_ids(void **state) {
  (void)state;
  for (uint32_t i = 0; i < KINDS * 2; i++) {
    for (uint32_t before = 0; before <= 3; before += 3) {
      struct trial t;
      open_kind(&t, i / 2);
      t.script.first_id = (UINT64_C(1) << 32) - before;
      t.options.log_bytes = i & 1 ? 8192 : 0;
      check_wide(&t);
    }
  }
}

/* ---- an order of states ---- */

/* A place on a road and the fuel left: more of it covers less. Edges: forward with one unit of
 * fuel, forward with two, back for nothing. */
enum { PLACES = 12, FUEL = 30 };

static bool fuel_edge(const uint64_t *state, uint32_t edge, uint64_t *out) {
  uint64_t cost = edge == 2 ? 0 : 2 - edge; /* the dear way first */
  bool enabled = edge == 2 ? state[0] > 0 : state[0] + 1 < PLACES && state[1] >= cost;
  if (enabled) {
    out[0] = edge == 2 ? state[0] - 1 : state[0] + 1;
    out[1] = state[1] - cost;
  }
  return enabled;
}

static void fuel_init(const struct clew_model *model, struct clew_succs *succs) {
  (void)model;
  uint64_t *state = clew_succs_next(succs);
  state[0] = 0;
  state[1] = FUEL;
  clew_succs_keep(succs, 0);
}

static void fuel_next(const struct clew_model *model, const uint64_t *state,
                      struct clew_succs *succs) {
  uint32_t first = succs->count;
  for (uint32_t edge = 0; edge < 3; edge++) {
    if (fuel_edge(state, edge, clew_succs_next(succs))) {
      clew_succs_keep(succs, edge);
    }
  }
  succs->stuck = clew_succs_are_stuck(succs, model->deadlock, state, first, succs->fault_count);
}

static bool fuel_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  (void)model;
  *site = CLEW_NONE;
  return fuel_edge(state, edge, out);
}

/* "good": not at the bad place; "home": there is fuel left at the start. */
static bool fuel_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  (void)site;
  const struct toy *toy = toy_of(model);
  return label == GOOD   ? state[0] != toy->bad
         : label == HOME ? state[0] == 0 && state[1] > 0
                         : false;
}

static uint32_t fuel_check(const struct clew_model *model, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  bool wanted = (*enabled >> INVARIANT) & 1;
  return wanted && !fuel_label(model, GOOD, state, site) ? INVARIANT : CLEW_NONE;
}

static bool fuel_covers(const struct clew_model *model, const uint64_t *a, const uint64_t *b) {
  (void)model;
  return a[1] >= b[1];
}

static void fuel_open(struct toy *toy, bool has_order) {
  toy_open(toy, 3, NULL);
  toy->model.init = fuel_init;
  toy->model.next = fuel_next;
  toy->model.fire = fuel_fire;
  toy->model.label = fuel_label;
  toy->model.check = fuel_check;
  toy->model.discrete_words = 1;
  toy->model.covers = has_order ? fuel_covers : NULL;
}

/* The states, which are fewer with an order. */
static uint64_t check_fuel(const struct toy *fuel, const struct clew_engine_type *engine,
                           const struct options *options, uint32_t threads, bool keeps_graph) {
  struct toy toy = *fuel;
  toy.model.impl = &toy;
  toy.model.reference = &toy.model;
  toy.model.properties = toy.properties;
  struct outcome outcome;
  const struct clew_result *r = &outcome.result;
  toy.enabled = bit(INVARIANT);
  run_with(&toy, engine, options, threads, &outcome);
  assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
  uint64_t states = r->states;
  finish(&outcome);
  toy.bad = PLACES - 1;
  run_with(&toy, engine, options, threads, &outcome);
  assert_int_equal(r->exit_code, 12);
  if (engine->has_levels) {
    assert_int_equal(r->trace.edge_count, PLACES - 1);
  }
  finish(&outcome);
  toy.enabled = bit(LIVENESS); /* which is violated: the fuel may be used up away from home */
  run_with(&toy, engine, options, threads, &outcome);
  if (keeps_graph) {
    assert_int_equal(r->exit_code, 13);
  } else {
    assert_int_equal(r->verdict, CLEW_VERDICT_INCOMPLETE);
    assert_int_equal(r->outcomes.list[LIVENESS].decision, CLEW_UNDECIDED);
    assert_int_equal(r->outcomes.list[LIVENESS].reason, CLEW_REASON_STORE);
  }
  finish(&outcome);
  return states;
}

static void test_order(void **state) {
  (void)state;
  struct toy ordered, plain;
  fuel_open(&ordered, true);
  fuel_open(&plain, false);
  for (uint32_t i = 0; i < 2 * 2; i++) {
    const struct clew_engine_type *engine = engines[i & 1];
    uint32_t threads = thread_counts[i / 2];
    uint64_t all = check_fuel(&plain, engine, NULL, threads, true);
    assert_true(all > PLACES * FUEL / 2);
    /* The exact store has no use for the order. */
    assert_int_equal(check_fuel(&ordered, engine, NULL, threads, true), all);
    struct options options = {.store = &clew_store_tiny};
    assert_int_equal(check_fuel(&plain, engine, &options, threads, true), all);
    uint64_t fewer = check_fuel(&ordered, engine, &options, threads, false);
    assert_true(fewer >= PLACES && fewer <= all / 2);
    for (uint32_t concurrent = 0; concurrent < 2; concurrent++) {
      struct fake_log log = {0};
      struct fake_script script = {.log = &log};
      script.promises = GRAPH | CLEW_STORE_ORDER | (concurrent ? CONCURRENT : 0);
      options = (struct options){.store = &fake_store, .store_options = &script};
      fewer = check_fuel(&ordered, engine, &options, threads, false);
      assert_true(fewer >= PLACES && fewer <= all / 2);
      assert_string_equal(log.wrong != NULL ? log.wrong : "right", "right");
    }
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_delayed),
      cmocka_unit_test(test_delayed_limit),
      cmocka_unit_test(test_refused_for_ever),
      cmocka_unit_test(test_refused_once),
      cmocka_unit_test(test_full),
      cmocka_unit_test(test_full_and_violated),
      cmocka_unit_test(test_losing),
      cmocka_unit_test(test_forgetting),
      cmocka_unit_test(test_wide_ids),
      cmocka_unit_test(test_order),
  };
  if (argc > 1) {
    cmocka_set_test_filter(argv[1]);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
