/* Searches of models whose states have an order, with the zones store, against the plain algorithm:
 * first in, first out, and states that are covered while they wait are not expanded; where shortest
 * paths are wanted, only if they are covered before their level begins. The same with any number of
 * threads, and with successors in pieces. Other stores see all states, and the run counts their
 * discrete parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "unit/toy_search.h"

/* ---- a random model ---- */

/* A place and some numbers. An edge leads from a place to another one if some of the numbers are
 * large enough, and changes all of them; they stay between bounds. More never leads to less. */
enum { MOST_PLACES = 40, EDGES = 5, MOST_NUMBERS = 4 };

struct step {
  uint32_t to;
  int32_t guard[MOST_NUMBERS], change[MOST_NUMBERS];
};

struct maze {
  struct toy toy; /* first: the model's impl is both */
  uint32_t places, bits, numbers;
  int32_t least, most;
  struct step steps[MOST_PLACES][EDGES];
};

static const struct maze *maze_of(const struct clew_model *model) {
  return (const struct maze *)model->impl;
}

static void get_numbers(const struct maze *maze, uint64_t word, int32_t *numbers) {
  int16_t narrow[4];
  memcpy(narrow, &word, sizeof narrow);
  for (uint32_t i = 0; i < 4 && maze->bits == 16; i++) {
    numbers[i] = narrow[i];
  }
  if (maze->bits == 32) {
    memcpy(numbers, &word, sizeof word);
  }
}

static uint64_t to_word(const struct maze *maze, const int32_t *numbers) {
  uint64_t word = 0;
  int16_t narrow[4] = {(int16_t)numbers[0], (int16_t)numbers[1], 0, 0};
  if (maze->bits == 16) {
    narrow[2] = (int16_t)numbers[2];
    narrow[3] = (int16_t)numbers[3];
    memcpy(&word, narrow, sizeof word);
  } else {
    memcpy(&word, numbers, sizeof word);
  }
  return word;
}

static bool maze_edge(const struct maze *maze, const uint64_t *state, uint32_t edge,
                      uint64_t *out) {
  int32_t numbers[MOST_NUMBERS] = {0};
  const struct step *step = &maze->steps[state[0]][edge];
  get_numbers(maze, state[1], numbers);
  for (uint32_t i = 0; i < maze->numbers; i++) {
    if (numbers[i] < step->guard[i]) {
      return false;
    }
    numbers[i] += step->change[i];
    numbers[i] = numbers[i] < maze->most ? numbers[i] : maze->most;
    if (numbers[i] < maze->least) {
      return false;
    }
  }
  out[0] = step->to;
  out[1] = to_word(maze, numbers);
  return true;
}

static void maze_init(const struct clew_model *model, struct clew_succs *succs) {
  const int32_t zeros[MOST_NUMBERS] = {0};
  uint64_t *state = clew_succs_next(succs);
  state[0] = 0;
  state[1] = to_word(maze_of(model), zeros);
  succs->resume = 0;
  clew_succs_keep(succs, 0);
}

static void maze_next(const struct clew_model *model, const uint64_t *state,
                      struct clew_succs *succs) {
  uint32_t first = succs->count, first_fault = succs->fault_count, from = succs->resume;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  for (uint32_t edge = from; edge < EDGES && succs->resume == 0; edge++) {
    if (maze_edge(maze_of(model), state, edge, clew_succs_next(succs))) {
      clew_succs_keep(succs, edge);
    }
    (void)clew_succs_pause(succs, edge + 1);
  }
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}

static bool maze_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      uint64_t *out, uint32_t *site) {
  *site = CLEW_NONE;
  return maze_edge(maze_of(model), state, edge, out);
}

static bool maze_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                       uint32_t *site) {
  (void)label;
  (void)site;
  return state[0] != toy_of(model)->bad;
}

static uint32_t maze_check(const struct clew_model *model, const uint64_t *enabled,
                           const uint64_t *state, uint32_t *site) {
  *site = CLEW_NONE;
  bool wanted = (*enabled >> INVARIANT) & 1;
  return wanted && !maze_label(model, GOOD, state, site) ? INVARIANT : CLEW_NONE;
}

static bool maze_covers(const struct clew_model *model, const uint64_t *a, const uint64_t *b) {
  int32_t x[MOST_NUMBERS] = {0}, y[MOST_NUMBERS] = {0};
  const struct maze *maze = maze_of(model);
  get_numbers(maze, a[1], x);
  get_numbers(maze, b[1], y);
  for (uint32_t i = 0; i < maze->numbers; i++) {
    if (x[i] < y[i]) {
      return false;
    }
  }
  return true;
}

static void random_steps(struct maze *maze, struct clew_random *random) {
  for (uint32_t place = 0; place < maze->places; place++) {
    for (uint32_t edge = 0; edge < EDGES; edge++) {
      struct step *step = &maze->steps[place][edge];
      step->to = edge == 0 ? (place + 1) % maze->places
                           : (uint32_t)clew_random_below(random, maze->places);
      for (uint32_t i = 0; i < maze->numbers; i++) {
        step->guard[i] = edge == 0
                             ? maze->least
                             : maze->least + (int32_t)clew_random_below(
                                                 random, (uint64_t)(maze->most - maze->least + 2));
        step->change[i] = edge == 0 ? 0 : (int32_t)clew_random_below(random, 5) - 2;
      }
    }
  }
}

static void maze_open(struct maze *maze, uint64_t seed) {
  struct clew_random random;
  clew_random_seed(&random, seed);
  *maze = (struct maze){.bits = seed % 2 == 0 ? 16 : 32};
  maze->numbers = maze->bits == 16 ? 4 : 2;
  maze->places = 1 + (uint32_t)clew_random_below(&random, seed % 5 == 0 ? 3 : MOST_PLACES);
  maze->least = -(int32_t)clew_random_below(&random, 6);
  maze->most = (int32_t)clew_random_below(&random, 6);
  random_steps(maze, &random);
  struct toy *toy = &maze->toy;
  toy_open(toy, EDGES, NULL);
  toy->model.init = maze_init;
  toy->model.next = maze_next;
  toy->model.fire = maze_fire;
  toy->model.label = maze_label;
  toy->model.check = maze_check;
  toy->model.covers = maze_covers;
  toy->model.discrete_words = 1;
  toy->model.order_bits = seed % 7 == 0 ? 0 : maze->bits;
  toy->enabled = bit(INVARIANT);
}

/* ---- the plain algorithm ---- */

struct plain_state {
  uint64_t words[2];
  uint32_t depth;
  bool covered;
  bool dropped; /* covered when its level began */
};

struct plain {
  CLEW_VEC(struct plain_state) list;
  uint64_t expanded, transitions, alive, discrete;
  CLEW_VEC(uint64_t) level_sizes;
};

static void plain_put(const struct maze *maze, struct plain *plain, const uint64_t *state,
                      uint32_t depth) {
  const struct clew_model *model = &maze->toy.model;
  bool has_place = false;
  for (uint32_t i = 0; i < plain->list.len; i++) {
    const struct plain_state *other = &plain->list.data[i];
    has_place |= other->words[0] == state[0];
    if (!other->covered && other->words[0] == state[0] && maze_covers(model, other->words, state)) {
      return;
    }
  }
  for (uint32_t i = 0; i < plain->list.len; i++) {
    struct plain_state *other = &plain->list.data[i];
    if (!other->covered && other->words[0] == state[0] && maze_covers(model, state, other->words)) {
      other->covered = true;
      plain->alive--;
    }
  }
  plain->alive++;
  plain->discrete += !has_place;
  struct plain_state entry = {.words = {state[0], state[1]}, .depth = depth};
  clew_vec_push(&plain->list, entry);
  if (depth == plain->level_sizes.len) {
    clew_vec_push(&plain->level_sizes, 0);
  }
  plain->level_sizes.data[depth]++;
}

static void plain_search(const struct maze *maze, bool keeps_levels, struct plain *plain) {
  const int32_t zeros[MOST_NUMBERS] = {0};
  uint64_t start[2] = {0, to_word(maze, zeros)}, out[2];
  uint32_t level = UINT32_MAX;
  *plain = (struct plain){0};
  plain_put(maze, plain, start, 0);
  for (uint32_t i = 0; i < plain->list.len; i++) {
    struct plain_state state = plain->list.data[i];
    for (uint32_t k = i; state.depth != level && k < plain->list.len; k++) {
      plain->list.data[k].dropped = plain->list.data[k].covered;
    }
    level = state.depth;
    if (keeps_levels ? plain->list.data[i].dropped : state.covered) {
      continue;
    }
    plain->expanded++;
    for (uint32_t edge = 0; edge < EDGES; edge++) {
      if (maze_edge(maze, state.words, edge, out)) {
        plain->transitions++;
        plain_put(maze, plain, out, state.depth + 1);
      }
    }
  }
}

static void plain_free(struct plain *plain) {
  clew_vec_free(&plain->list);
  clew_vec_free(&plain->level_sizes);
}

/* ---- the tests ---- */

static void check_bfs(const struct maze *maze, const struct plain *plain, bool keeps_levels,
                      uint32_t threads, uint32_t piece) {
  struct options options = {.store = &clew_store_zones, .piece = piece, .go_on = !keeps_levels};
  struct outcome outcome;
  const struct clew_result *r = &outcome.result;
  run_with(&maze->toy, &clew_engine_bfs, &options, threads, &outcome);
  assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
  assert_int_equal(r->states, plain->discrete);
  assert_int_equal(r->discrete_states, plain->discrete);
  assert_int_equal(r->zones, plain->alive);
  assert_int_equal(r->zones_expanded, plain->expanded);
  assert_int_equal(r->transitions, plain->transitions);
  assert_int_equal(r->level_sizes.len, plain->level_sizes.len);
  for (uint32_t i = 0; i < r->level_sizes.len; i++) {
    assert_int_equal(r->level_sizes.data[i], plain->level_sizes.data[i]);
  }
  finish(&outcome);
}

/* Whatever the order, in the end the greatest states are there. */
static void check_dfs(const struct maze *maze, const struct plain *plain) {
  struct options options = {.store = &clew_store_zones};
  struct outcome outcome;
  const struct clew_result *r = &outcome.result;
  run_with(&maze->toy, &clew_engine_dfs, &options, 3, &outcome);
  assert_int_equal(r->verdict, CLEW_VERDICT_HOLDS);
  assert_int_equal(r->states, plain->discrete);
  assert_int_equal(r->zones, plain->alive);
  assert_true(r->zones_expanded >= r->zones);
  finish(&outcome);
}

/* Stores that make nothing of the order: all states, and as many discrete parts. */
static void check_others(const struct maze *maze, const struct plain *plain, uint32_t number) {
  static const struct clew_store_type *const stores[] = {&clew_store_exact, &clew_store_compact,
                                                         &clew_store_disk, &clew_store_comback,
                                                         &clew_store_cache};
  uint64_t states = 0;
  for (uint32_t i = 0; i < 2 * 3; i++) {
    struct options options = {.store = i < 2 ? &clew_store_exact : stores[(i + number) % 5]};
    struct outcome outcome;
    const struct clew_result *r = &outcome.result;
    run_with(&maze->toy, engines[i % 2], &options, i < 4 ? 1 : 3, &outcome);
    assert_true(r->scope.complete);
    assert_int_equal(r->discrete_states, plain->discrete);
    states = i == 0 ? r->states : states;
    assert_true(r->states == states || options.store != &clew_store_exact);
    assert_int_equal(r->zones, CLEW_ABSENT); /* nobody says that this is what they are */
    finish(&outcome);
  }
  assert_true(states >= plain->alive);
}

static void test_random(void **unused) {
  (void)unused;
  uint64_t covered = 0, skipped = 0, late = 0;
  for (uint32_t seed = 0; seed < 300; seed++) {
    struct maze maze;
    struct plain plain, levels;
    maze_open(&maze, seed);
    plain_search(&maze, false, &plain);
    plain_search(&maze, true, &levels);
    for (uint32_t i = 0; i < 2; i++) {
      const struct plain *wanted = i == 0 ? &plain : &levels;
      check_bfs(&maze, wanted, i == 1, 1, 0);
      check_bfs(&maze, wanted, i == 1, 2 + seed % 3, 0);
      check_bfs(&maze, wanted, i == 1, 1, 1 + seed % 4);
      check_bfs(&maze, wanted, i == 1, 3, 1 + seed % 4);
    }
    assert_int_equal(levels.alive, plain.alive);
    late += levels.expanded - plain.expanded;
    plain_free(&levels);
    check_dfs(&maze, &plain);
    if (seed % 10 == 0) {
      check_others(&maze, &plain, seed / 10);
    }
    covered += plain.list.len - plain.alive;
    skipped += plain.list.len - plain.expanded;
    plain_free(&plain);
  }
  assert_true(covered > 1000 && skipped > 100 && late > 100);
}

/* A place that is reached is found, with a path; whatever the store. Breadth-first search finds a
 * shortest one. */
static void test_violation(void **unused) {
  (void)unused;
  for (uint32_t seed = 0; seed < 200; seed++) {
    struct maze maze;
    maze_open(&maze, seed);
    maze.toy.bad = maze.places - 1;
    uint32_t shortest = CLEW_NONE;
    for (uint32_t i = 0; i < 2 * 2; i++) {
      struct options options = {.store = i < 2 ? &clew_store_zones : &clew_store_exact};
      struct outcome outcome;
      run_with(&maze.toy, engines[i % 2], &options, 1 + seed % 3, &outcome);
      assert_int_equal(outcome.result.exit_code, 12);
      assert_true(outcome.result.has_trace);
      if (engines[i % 2] == &clew_engine_bfs) {
        uint32_t length = clew_trace_length(&outcome.result.trace);
        assert_true(shortest == CLEW_NONE || shortest == length);
        shortest = length;
      }
      finish(&outcome);
    }
  }
}

/* Limits count what is stored. */
static void test_limit(void **unused) {
  (void)unused;
  struct maze maze;
  struct plain plain;
  maze_open(&maze, 4);
  plain_search(&maze, true, &plain);
  for (uint32_t limit = 1; limit < plain.list.len; limit += 1 + limit / 3) {
    for (uint32_t i = 0; i < 2; i++) {
      struct options options = {.store = &clew_store_zones, .max_states = limit};
      struct outcome outcome;
      const struct clew_result *r = &outcome.result;
      run_with(&maze.toy, engines[i], &options, 1, &outcome);
      assert_true(r->stop == CLEW_STOP_MAX_STATES || i == 1);
      assert_true(r->zones <= limit && r->states <= r->zones);
      finish(&outcome);
    }
  }
  plain_free(&plain);
}

/* The set of discrete parts gives way to the store: a search ends no earlier because of it. */
static void test_little_memory(void **unused) {
  (void)unused;
  struct toy toy;
  uint32_t missing = 0, known = 0;
  toy_open(&toy, 3, grid_edge);
  toy.size = 30;
  toy.enabled = bit(INVARIANT);
  for (uint64_t memory = 600 << 10; memory < 3 << 20; memory += 64 << 10) {
    struct options options = {.memory_bytes = memory};
    struct outcome outcome, counted;
    toy.model.discrete_words = 2;
    run_with(&toy, &clew_engine_bfs, &options, 1, &outcome);
    assert_int_equal(outcome.result.discrete_states, CLEW_ABSENT);
    toy.model.discrete_words = 1;
    run_with(&toy, &clew_engine_bfs, &options, 1, &counted);
    const struct clew_result *r = &counted.result;
    assert_true(r->scope.complete || !outcome.result.scope.complete);
    missing += r->discrete_states == CLEW_ABSENT;
    known += r->discrete_states != CLEW_ABSENT;
    assert_true(r->discrete_states == CLEW_ABSENT || r->discrete_states == r->states);
    finish(&outcome);
    finish(&counted);
  }
  assert_true(missing > 0 && known > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_violation),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_little_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
