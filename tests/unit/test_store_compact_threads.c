/* The compact store with several threads: each state is new once, growth under locks and between
 * batches, the end of the budget, and the same answers and memory as with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "store/compact_options.h"
#include "unit/store_threads.h"

static const struct clew_store_type *const type = &clew_store_compact;

static struct clew_store *open_store(struct clew_budget *budget, uint64_t bits, uint32_t threads,
                                     struct clew_crew *crew) {
  struct clew_compact_options options = {.hash_bits = bits};
  struct clew_store_config config = {.words = KEY_WORDS,
                                     .threads = threads,
                                     .seed = 3,
                                     .budget = budget,
                                     .options = &options,
                                     .crew = crew};
  struct clew_store *store = store_open(type, &config);
  assert_int_equal(store->promises,
                   CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE);
  return store;
}

static void hammer_and_grow(uint32_t threads, struct clew_crew *crew) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 28);
  struct clew_store *store = open_store(&budget, 0, threads, crew);
  uint64_t full, count = 0;
  for (uint64_t phase = 0; phase < 5; phase++) {
    uint32_t keys = 3000U << phase;
    assert_int_equal(type->reserve(store, keys), CLEW_ROOM);
    assert_true(type->room(store) >= keys);
    count += keys;
    assert_int_equal(hammer_keys(store, threads, phase << 32, keys, keys, true, &full), keys);
    assert_int_equal(hammer_keys(store, threads, phase << 32, keys, keys, false, &full), 0);
    assert_int_equal(type->count(store), count);
  }
  /* Nothing is reserved: shards grow while they are locked. */
  count += hammer_keys(store, threads, UINT64_C(1) << 40, 60000, 90000, false, &full);
  count += hammer_keys(store, threads, UINT64_C(1) << 40, 60000, 60000, true, &full);
  assert_int_equal(full, 0);
  assert_int_equal(count, 3000 * 31 + 60000);
  /* One thread alone sees what the others did. */
  assert_int_equal(put_keys(store, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 60000, false), 0);
  assert_int_equal(put_keys(store, UINT64_C(1) << 41, (UINT64_C(1) << 41) + 1000, false), 1000);
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  assert_true(type->omission(store) < 1e-6);
  assert_int_equal(store_counter(store, "signature_bits"), 64);
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_threads(void **state) {
  (void)state;
  hammer_and_grow(2, NULL);
  hammer_and_grow(MOST_HAMMERS, NULL); /* more than processors */
  struct clew_crew *crew = clew_crew_open(3);
  hammer_and_grow(3, crew);
  clew_crew_close(crew);
}

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* What is NEW is a set of the upper p bits of the hashes, as without shards. */
static void test_signatures_are_those_of_one_table(void **state) {
  (void)state;
  enum { KEYS = 300000, P = 30 };
  uint64_t *signatures = clew_alloc(KEYS * sizeof *signatures), distinct = 0;
  double omission[2];
  for (uint32_t threads = 1; threads <= 4; threads += 3) {
    struct clew_budget budget;
    clew_budget_init(&budget, 8 << 20); /* p = 8 + 22: see test_store_compact.c */
    struct clew_store *store = open_store(&budget, 8, threads, NULL);
    assert_int_equal(store_counter(store, "signature_bits"), P);
    for (uint64_t key = 0; key < KEYS; key++) {
      uint64_t words[KEY_WORDS];
      struct clew_visit visit;
      make_visit(store, key, false, words, &visit);
      signatures[key] = visit.hash >> (64 - P);
    }
    qsort(signatures, KEYS, sizeof *signatures, compare_u64);
    distinct = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
      distinct += i == 0 || signatures[i] != signatures[i - 1];
    }
    assert_true(distinct < KEYS - 10);
    uint64_t full;
    assert_int_equal(type->reserve(store, KEYS), CLEW_ROOM);
    assert_int_equal(hammer_keys(store, threads, 0, KEYS, KEYS, true, &full), distinct);
    assert_int_equal(full, 0);
    omission[threads / 4] = type->omission(store);
    type->close(store);
  }
  assert_true(omission[0] == omission[1]);
  clew_free(signatures);
}

/* Without reserving, until nothing more fits. */
static void test_end_of_the_budget(void **state) {
  (void)state;
  static const uint64_t limits[] = {100 << 10, 1 << 20, 5 << 20};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct clew_budget budget;
    clew_budget_init(&budget, limits[i]);
    struct clew_store *store = open_store(&budget, 40, 64, NULL);
    uint64_t full, keys = limits[i] / 4;
    uint64_t found_new = hammer_keys(store, 4, 0, keys, keys, true, &full);
    assert_true(full > 0 && found_new < keys);
    assert_true((double)limits[i] / (double)found_new < (i < 2 ? 12 : 8));
    assert_true(clew_budget_used(&budget) <= limits[i]);
    assert_int_equal(type->reserve(store, 1), CLEW_ROOM_MEMORY);
    /* What is in stays in. */
    uint64_t seen = 0, words[KEY_WORDS];
    for (uint64_t key = 0; key < keys; key++) {
      struct clew_visit visit;
      make_visit(store, key, false, words, &visit);
      seen += type->has(store, visit.hash);
    }
    assert_int_equal(seen, found_new);
    type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

/* By `reserve`, one thread: nothing is ever refused after ROOM. */
static void test_budget_is_used_up_and_kept(void **state) {
  (void)state;
  static const uint64_t limits[] = {1 << 20, 3 << 20, 20000000};
  static const double most[] = {12, 9, 7.2};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct clew_budget budget;
    clew_budget_init(&budget, limits[i]);
    struct clew_store *store = open_store(&budget, 40, 4, NULL);
    uint64_t key = 0;
    for (uint32_t step = KEYS_PER_BATCH; step > 0; step /= 2) {
      while (type->reserve(store, step) == CLEW_ROOM) {
        assert_int_equal(put_keys(store, key, key + step, false), step);
        key += step;
      }
    }
    assert_true(clew_budget_used(&budget) <= limits[i]);
    assert_true((double)limits[i] / (double)type->count(store) < most[i]);
    assert_int_equal(type->reserve(store, UINT32_MAX), CLEW_ROOM_MEMORY);
    store_assert_valid(store);
    type->close(store);
  }
}

static void test_memory_per_state(void **state) {
  (void)state;
  double bytes[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 32);
    struct clew_store *store = open_store(&budget, 40, i == 0 ? 1 : 2, NULL);
    double sum = 0;
    for (uint64_t key = 0; key < 4000000; key += 50000) {
      assert_int_equal(put_keys(store, key, key + 50000, false), 50000);
      sum += key < 2000000 ? 0 : (double)type->bytes(store) / (double)type->count(store);
    }
    bytes[i] = sum / 40;
    type->close(store);
  }
  assert_true(bytes[1] < bytes[0] * 1.05);
}

/* Very different batches: empty ones, one of thousands, all of one state. */
static void test_batches(void **state) {
  (void)state;
  struct clew_store *store = open_store(NULL, 0, 2, NULL);
  enum { MANY = 5700 };
  static uint64_t states[MANY][KEY_WORDS];
  static struct clew_visit visits[MANY];
  for (uint32_t i = 0; i < MANY; i++) {
    make_visit(store, i % 4300, false, states[i], &visits[i]);
  }
  assert_int_equal(type->reserve(store, MANY), CLEW_ROOM);
  type->put(store, 0, visits);
  type->put(store, MANY, visits);
  for (uint32_t i = 0; i < MANY; i++) {
    assert_int_equal(visits[i].answer, i < 4300 ? CLEW_NEW : CLEW_SEEN);
    assert_true(i >= 4300 || visits[i].id == i);
  }
  assert_int_equal(type->adopt(store), 4300);
  for (uint32_t i = 0; i < MANY; i++) {
    make_visit(store, 9000, false, states[i], &visits[i]);
  }
  type->put(store, MANY, visits);
  for (uint32_t i = 0; i < MANY; i++) {
    assert_int_equal(visits[i].answer, i == 0 ? CLEW_NEW : CLEW_SEEN);
  }
  assert_int_equal(visits[0].id, 4301);
  assert_int_equal(type->count(store), 4302);
  assert_int_equal(store_counter(store, "visits"), 2 * MANY);
  store_assert_valid(store);
  type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_signatures_are_those_of_one_table),
      cmocka_unit_test(test_end_of_the_budget),
      cmocka_unit_test(test_budget_is_used_up_and_kept),
      cmocka_unit_test(test_memory_per_state),
      cmocka_unit_test(test_batches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
