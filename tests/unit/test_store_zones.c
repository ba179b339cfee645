/* The zones store against a plain list of states: every answer, which states are covered, what is
 * read back. Random vectors of 16 and of 32 bits, an order that has to be asked, growth, refusal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/vec.h"
#include "store/store.h"

enum { SEED = 5, MOST_WORDS = 6, BATCH = 40 };
static const uint64_t MB = 1 << 20;

/* ---- vectors ---- */

struct kind {
  uint32_t words, discrete_words, bits;
  bool asks; /* the store has to ask: order_bits is 0 */
  uint32_t discrete_values, values;
};

static const struct kind kinds[] = {
    {2, 1, 16, false, 50, 4},  {2, 1, 32, false, 50, 8},   {3, 1, 16, false, 20, 3},
    {4, 1, 16, false, 9, 2},   {4, 2, 16, false, 30, 3},   {5, 2, 32, false, 7, 3},
    {6, 1, 16, false, 3, 2},   {6, 1, 32, false, 400, 2},  {2, 1, 16, true, 50, 4},
    {5, 2, 32, true, 7, 3},    {3, 1, 16, false, 1, 3},    {2, 1, 32, false, 1, 300},
    {3, 1, 16, true, 2000, 4}, {3, 2, 16, false, 3000, 6},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static uint32_t numbers_of(const struct kind *kind) {
  return (kind->words - kind->discrete_words) * 64 / kind->bits;
}

static int32_t number_at(const struct kind *kind, const uint64_t *state, uint32_t i) {
  const unsigned char *tail = (const unsigned char *)(state + kind->discrete_words);
  int16_t narrow;
  int32_t wide;
  if (kind->bits == 16) {
    memcpy(&narrow, tail + i * sizeof narrow, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, tail + i * sizeof wide, sizeof wide);
  return wide;
}

static void set_number(const struct kind *kind, uint64_t *state, uint32_t i, int32_t value) {
  unsigned char *tail = (unsigned char *)(state + kind->discrete_words);
  int16_t narrow = (int16_t)value;
  if (kind->bits == 16) {
    memcpy(tail + i * sizeof narrow, &narrow, sizeof narrow);
  } else {
    memcpy(tail + i * sizeof value, &value, sizeof value);
  }
}

/* Few values, so that many are comparable; among them the greatest and least numbers. */
static int32_t random_number(const struct kind *kind, struct clew_random *random) {
  int32_t value = (int32_t)clew_random_below(random, kind->values) - (int32_t)kind->values / 2;
  uint64_t extreme = clew_random_below(random, 24);
  if (extreme == 0) {
    return kind->bits == 16 ? INT16_MAX : INT32_MAX;
  }
  return extreme == 1 ? (kind->bits == 16 ? INT16_MIN : INT32_MIN) : value;
}

static void random_state(const struct kind *kind, struct clew_random *random, uint64_t *state) {
  uint64_t discrete = clew_random_below(random, kind->discrete_values);
  for (uint32_t i = 0; i < kind->discrete_words; i++) {
    state[i] = discrete * (i + 3);
  }
  int32_t base = random_number(kind, random);
  for (uint32_t i = 0; i < numbers_of(kind); i++) {
    bool same = clew_random_below(random, 3) > 0;
    set_number(kind, state, i, same ? base : random_number(kind, random));
  }
}

static bool covers(void *context, const uint64_t *a, const uint64_t *b) {
  const struct kind *kind = context;
  assert_memory_equal(a, b, kind->discrete_words * sizeof *a);
  for (uint32_t i = 0; i < numbers_of(kind); i++) {
    if (number_at(kind, a, i) < number_at(kind, b, i)) {
      return false;
    }
  }
  return true;
}

/* ---- the store and the list ---- */

struct bench {
  const struct kind *kind;
  struct clew_budget budget;
  struct clew_diag_sink diags;
  struct clew_store *store;
  struct clew_random random;
  CLEW_VEC(uint64_t) states; /* that were new, by id */
  CLEW_VEC(bool) covered;
};

static bool bench_open(struct bench *b, const struct kind *kind, uint64_t memory_bytes) {
  *b = (struct bench){.kind = kind};
  clew_budget_init(&b->budget, memory_bytes);
  clew_random_seed(&b->random, SEED + (uint64_t)(kind - kinds));
  struct clew_store_config config = {.words = kind->words,
                                     .threads = 1,
                                     .seed = SEED,
                                     .budget = &b->budget,
                                     .diags = &b->diags,
                                     .covers = covers,
                                     .covers_context = (void *)(uintptr_t)kind,
                                     .discrete_words = kind->discrete_words,
                                     .order_bits = kind->asks ? 0 : kind->bits};
  return clew_store_zones.open(&config, &b->diags, &b->store) == CLEW_OK;
}

static void bench_close(struct bench *b) {
  if (b->store != NULL) {
    b->store->type->close(b->store);
  }
  assert_int_equal(clew_budget_used(&b->budget), 0);
  clew_vec_free(&b->states);
  clew_vec_free(&b->covered);
  clew_diag_sink_free(&b->diags);
}

static const uint64_t *listed(const struct bench *b, uint64_t id) {
  return b->states.data + id * b->kind->words;
}

static bool same_discrete(const struct bench *b, uint64_t id, const uint64_t *state) {
  return memcmp(listed(b, id), state, b->kind->discrete_words * sizeof *state) == 0;
}

/* Whether a listed state that is not covered covers this one, or (`by`) is covered by it. */
static bool is_related(const struct bench *b, uint64_t id, const uint64_t *state, bool by) {
  void *kind = (void *)(uintptr_t)b->kind;
  return !b->covered.data[id] && same_discrete(b, id, state) &&
         (by ? covers(kind, state, listed(b, id)) : covers(kind, listed(b, id), state));
}

static bool list_knows(const struct bench *b, const uint64_t *state) {
  for (uint32_t id = 0; id < b->covered.len; id++) {
    if (is_related(b, id, state, false)) {
      return true;
    }
  }
  return false;
}

static void list_add(struct bench *b, const uint64_t *state) {
  for (uint32_t id = 0; id < b->covered.len; id++) {
    b->covered.data[id] = b->covered.data[id] || is_related(b, id, state, true);
  }
  for (uint32_t i = 0; i < b->kind->words; i++) {
    clew_vec_push(&b->states, state[i]);
  }
  clew_vec_push(&b->covered, false);
}

static void check_answer(struct bench *b, const struct clew_visit *visit) {
  if (!list_knows(b, visit->state)) {
    assert_int_equal(visit->answer, CLEW_NEW);
    assert_int_equal(visit->id, b->covered.len);
    list_add(b, visit->state);
  } else {
    assert_int_equal(visit->answer, CLEW_SEEN);
    assert_true(visit->id < b->covered.len);
  }
}

/* Puts a batch of random states; false when there is no room. */
static bool put_some(struct bench *b, uint32_t count) {
  uint64_t states[BATCH][MOST_WORDS];
  struct clew_visit visits[BATCH];
  assert_true(count <= BATCH);
  for (uint32_t i = 0; i < count; i++) {
    random_state(b->kind, &b->random, states[i]);
    visits[i] =
        (struct clew_visit){.state = states[i],
                            .hash = clew_hash_words(states[i], b->kind->discrete_words, SEED),
                            .parent = CLEW_ID_NONE};
    b->store->type->prefetch(b->store, visits[i].hash);
  }
  enum clew_room room = b->store->type->reserve(b->store, count);
  if (room != CLEW_ROOM) {
    assert_int_equal(room, CLEW_ROOM_MEMORY);
    return false;
  }
  b->store->type->put(b->store, count, visits);
  for (uint32_t i = 0; i < count; i++) {
    check_answer(b, &visits[i]);
    if (visits[i].answer == CLEW_SEEN) { /* by one that covered it then */
      assert_true(covers((void *)(uintptr_t)b->kind, listed(b, visits[i].id), states[i]));
    }
  }
  return true;
}

static void check_find(struct bench *b) {
  for (uint32_t i = 0; i < 200; i++) {
    uint64_t state[MOST_WORDS];
    random_state(b->kind, &b->random, state);
    struct clew_visit visit = {.state = state,
                               .hash = clew_hash_words(state, b->kind->discrete_words, SEED)};
    b->store->type->find(b->store, 1, &visit);
    assert_int_equal(visit.answer, list_knows(b, state) ? CLEW_SEEN : CLEW_NEW);
    if (visit.answer == CLEW_SEEN) {
      assert_true(is_related(b, visit.id, state, false));
    }
  }
}

static uint64_t count_discrete(const struct bench *b) {
  uint64_t count = 0;
  for (uint32_t id = 0; id < b->covered.len; id++) {
    bool is_first = true;
    for (uint32_t other = 0; other < id && is_first; other++) {
      is_first = !same_discrete(b, other, listed(b, id));
    }
    count += is_first;
  }
  return count;
}

static void check_all(struct bench *b) {
  const struct clew_store_type *type = b->store->type;
  uint64_t state[3 * MOST_WORDS], alive = 0;
  const char *why = "";
  if (!type->validate(b->store, &why)) {
    fail_msg("%s", why);
  }
  assert_int_equal(type->count(b->store), b->covered.len);
  for (uint32_t id = 0; id < b->covered.len; id++) {
    assert_int_equal(type->is_covered(b->store, id), b->covered.data[id]);
    uint32_t count = b->covered.len - id < 3 ? b->covered.len - id : 3;
    type->get(b->store, id, count, state);
    assert_memory_equal(state, listed(b, id), count * b->kind->words * sizeof *state);
    alive += !b->covered.data[id];
  }
  struct clew_store_census census;
  type->census(b->store, &census);
  assert_int_equal(census.maximal, alive);
  assert_int_equal(census.discrete, count_discrete(b));
  check_find(b);
}

/* ---- the tests ---- */

static void test_answers(void **unused) {
  (void)unused;
  uint64_t covered = 0;
  for (uint32_t k = 0; k < KINDS; k++) {
    struct bench b;
    assert_true(bench_open(&b, &kinds[k], 64 * MB));
    for (uint32_t i = 0; i < 120; i++) {
      assert_true(put_some(&b, 1 + (uint32_t)clew_random_below(&b.random, BATCH)));
      if (i % 30 == 3) {
        check_all(&b);
      }
    }
    check_all(&b);
    struct clew_store_census census;
    b.store->type->census(b.store, &census);
    covered += b.covered.len - census.maximal;
    bench_close(&b);
  }
  assert_true(covered > 1000);
}

/* An antichain: the sum of the numbers is the same for all. Then one that covers them all. */
static void test_long_list(void **unused) {
  (void)unused;
  enum { LONG = 3000 };
  static const struct kind kind = {2, 1, 16, false, 1, 1};
  struct bench b;
  assert_true(bench_open(&b, &kind, 64 * MB));
  const struct clew_store_type *type = b.store->type;
  uint64_t state[2] = {7, 0};
  struct clew_store_census census;
  for (int32_t i = 0; i <= LONG + 1; i++) {
    set_number(&kind, state, 0, i <= LONG ? i : LONG + 1);
    set_number(&kind, state, 3, i <= LONG ? -i : 0);
    struct clew_visit visit = {.state = state, .hash = clew_hash_words(state, 1, SEED)};
    assert_int_equal(type->reserve(b.store, 1), CLEW_ROOM);
    type->put(b.store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_NEW);
    type->census(b.store, &census);
    assert_int_equal(census.maximal, i <= LONG ? i + 1 : 1);
  }
  const char *why = "";
  assert_true(type->validate(b.store, &why));
  for (uint32_t id = 0; id <= LONG; id++) {
    assert_true(type->is_covered(b.store, id));
  }
  assert_false(type->is_covered(b.store, LONG + 1));
  bench_close(&b);
}

/* Zones are kept once, however many discrete parts have them. */
static void test_sharing(void **unused) {
  (void)unused;
  enum { MANY = 50000 };
  static const struct kind kind = {MOST_WORDS, 1, 32, false, 1, 1};
  struct bench b;
  assert_true(bench_open(&b, &kind, 64 * MB));
  uint64_t state[MOST_WORDS] = {0, 1, 2, 3, 4, 5};
  for (uint32_t i = 0; i < MANY; i++) {
    state[0] = i;
    state[1] = i % 3;
    struct clew_visit visit = {.state = state, .hash = clew_hash_words(state, 1, SEED)};
    assert_int_equal(b.store->type->reserve(b.store, 1), CLEW_ROOM);
    b.store->type->put(b.store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_NEW);
  }
  struct clew_counters counters = {0};
  b.store->type->counters(b.store, &counters);
  assert_int_equal(clew_counters_find(&counters, "distinct_zones")->count, 3);
  assert_true(clew_counters_find(&counters, "zone_bytes")->count < MB);
  clew_counters_free(&counters);
  bench_close(&b);
}

/* Whatever is refused, what was taken before is there, and right. */
static void test_refusal(void **unused) {
  (void)unused;
  uint32_t refused = 0, opened = 0;
  for (uint32_t k = 0; k < KINDS; k += 3) {
    uint64_t memory_bytes = 0;
    for (uint32_t step = 0; step < 60; step++, memory_bytes += (4 << 10) + memory_bytes / 16) {
      struct bench b;
      bool is_open = bench_open(&b, &kinds[k], memory_bytes);
      opened += is_open;
      for (uint32_t i = 0; is_open && i < 30; i++) {
        if (!put_some(&b, BATCH)) {
          refused++;
          if (!put_some(&b, 1)) {
            break;
          }
        }
      }
      if (is_open) {
        check_all(&b);
      } else {
        assert_true(b.diags.error_count > 0);
      }
      assert_true(b.budget.peak_bytes <= memory_bytes);
      bench_close(&b);
    }
  }
  assert_true(refused > 0 && opened > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answers),
      cmocka_unit_test(test_long_list),
      cmocka_unit_test(test_sharing),
      cmocka_unit_test(test_refusal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
