/* The exact store: answers against a reference, growth, refusals, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/store.h"
#include "unit/store_open.h"

enum { MAX_WORDS = 40, BATCH = 300 };
static const struct clew_store_type *const type = &clew_store_exact;

static struct clew_store *open_store(uint32_t words, uint32_t threads, struct clew_budget *budget) {
  struct clew_store_config config = {
      .words = words, .threads = threads, .seed = 7, .budget = budget};
  return store_open(type, &config);
}

/* State number `key`: small integers, as in models. */
static void make_state(uint64_t key, uint32_t words, uint64_t *state) {
  memset(state, 0, words * sizeof *state);
  state[0] = key & 0xff;
  state[words - 1] ^= key >> 8 << 9;
}

static void make_visit(const struct clew_store *store, uint64_t key, uint64_t *state,
                       struct clew_visit *visit) {
  uint32_t words = store->config.words;
  make_state(key, words, state);
  *visit = (struct clew_visit){.state = state,
                               .hash = clew_hash_words(state, words, store->config.seed)};
  type->prefetch(store, visit->hash);
}

/* Random keys below `keys` in batches; every answer and id is compared with a plain array. */
static void compare_with_reference(uint32_t words, uint64_t keys, uint32_t batches, uint64_t seed) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_store(words, 1, &budget);
  uint64_t *id_of = clew_alloc(keys * sizeof *id_of);
  memset(id_of, 0xff, keys * sizeof *id_of);
  struct clew_random random;
  clew_random_seed(&random, seed);
  static uint64_t states[BATCH][MAX_WORDS];
  struct clew_visit visits[BATCH];
  uint64_t key_of[BATCH], count = 0;
  for (uint32_t batch = 0; batch < batches; batch++) {
    uint32_t n = (uint32_t)clew_random_below(&random, BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
      key_of[i] = clew_random_below(&random, keys);
      make_visit(store, key_of[i], states[i], &visits[i]);
    }
    assert_int_equal(type->reserve(store, n), CLEW_ROOM);
    type->put(store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      uint64_t *id = &id_of[key_of[i]];
      assert_int_equal(visits[i].answer, *id == UINT64_MAX ? CLEW_NEW : CLEW_SEEN);
      *id = *id == UINT64_MAX ? count++ : *id;
      assert_int_equal(visits[i].id, *id);
    }
    assert_int_equal(type->count(store), count);
  }
  for (uint64_t key = 0; key < keys; key++) {
    if (id_of[key] != UINT64_MAX) {
      make_state(key, words, states[0]);
      type->get(store, id_of[key], 1, states[1]);
      assert_memory_equal(states[1], states[0], words * sizeof(uint64_t));
    }
  }
  store_assert_valid(store);
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_free(id_of);
}

static void test_answers(void **state) {
  (void)state;
  compare_with_reference(1, 10, 50, 1);
  compare_with_reference(1, 100000, 1500, 2);
  compare_with_reference(2, 400000, 1000, 3);
  compare_with_reference(3, 5000, 500, 4);
  compare_with_reference(9, 50000, 500, 5);
  compare_with_reference(MAX_WORDS, 20000, 300, 6);
}

static void test_duplicates_in_a_batch(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1 << 20);
  struct clew_store *store = open_store(2, 1, &budget);
  uint64_t states[200][2];
  struct clew_visit visits[200];
  for (uint32_t i = 0; i < 200; i++) {
    make_visit(store, i % 3, states[i], &visits[i]);
  }
  assert_int_equal(type->reserve(store, 200), CLEW_ROOM);
  type->put(store, 200, visits);
  for (uint32_t i = 0; i < 200; i++) {
    assert_int_equal(visits[i].answer, i < 3 ? CLEW_NEW : CLEW_SEEN);
    assert_int_equal(visits[i].id, i % 3);
  }
  assert_int_equal(type->count(store), 3);
  store_assert_valid(store);
  type->close(store);
}

/* All in one probe sequence, beginning in the last bucket: it must wrap and never confuse. */
static void test_equal_hashes(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1 << 20);
  for (uint32_t threads = 1; threads <= 2; threads++) {
    struct clew_store *store = open_store(1, threads, &budget);
    assert_int_equal(type->reserve(store, 200), CLEW_ROOM);
    for (uint32_t round = 0; round < 2; round++) {
      for (uint64_t i = 0; i < 200; i++) {
        struct clew_visit visit = {.state = &i, .hash = UINT64_MAX};
        type->put(store, 1, &visit);
        assert_int_equal(visit.answer, round == 0 ? CLEW_NEW : CLEW_SEEN);
        assert_int_equal(visit.id, i);
      }
    }
    type->close(store);
  }
}

/* Fills the store to the end of its budget. */
static void fill(struct clew_store *store, uint32_t step) {
  static uint64_t states[BATCH][MAX_WORDS];
  struct clew_visit visits[BATCH];
  uint64_t key = type->count(store);
  while (type->reserve(store, step) == CLEW_ROOM) {
    for (uint32_t i = 0; i < step; i++) {
      make_visit(store, key + i, states[i], &visits[i]);
    }
    type->put(store, step, visits);
    for (uint32_t i = 0; i < step; i++) {
      assert_int_equal(visits[i].answer, CLEW_NEW);
      assert_int_equal(visits[i].id, key + i);
    }
    key += step;
  }
}

static void test_budget_is_used_up_and_kept(void **state) {
  (void)state;
  static const uint64_t limits[] = {20 << 10, 100 << 10, 1000000, 3 << 20, 20000000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    for (uint32_t words = 1; words <= 8; words *= 2) {
      struct clew_budget budget;
      clew_budget_init(&budget, limits[i]);
      struct clew_store *store = open_store(words, 1, &budget);
      fill(store, BATCH);
      fill(store, 1); /* what is left after a batch was refused */
      assert_true(clew_budget_used(&budget) <= limits[i]);
      assert_true(clew_budget_used(&budget) >= limits[i] * 9 / 10 - (8 << 10));
      double bytes_per_state = (double)limits[i] / (double)type->count(store);
      if (limits[i] >= 3 << 20) {
        assert_true(bytes_per_state < words * 8 + 8);
      }
      /* What is in stays in. */
      uint64_t one[MAX_WORDS];
      struct clew_visit visit;
      make_visit(store, 0, one, &visit);
      type->put(store, 1, &visit);
      assert_int_equal(visit.answer, CLEW_SEEN);
      assert_int_equal(type->reserve(store, 1 << 30), CLEW_ROOM_MEMORY);
      assert_int_equal(type->reserve(store, UINT32_MAX), CLEW_ROOM_MEMORY);
      store_assert_valid(store);
      type->close(store);
      assert_int_equal(clew_budget_used(&budget), 0);
    }
  }
}

static void test_memory_per_state(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 32);
  struct clew_store *store = open_store(2, 1, &budget);
  uint64_t states[BATCH][2];
  struct clew_visit visits[BATCH];
  double sum = 0, samples = 0;
  for (uint64_t key = 0; key < 2000000; key += BATCH) {
    for (uint32_t i = 0; i < BATCH; i++) {
      make_visit(store, key + i, states[i], &visits[i]);
    }
    assert_int_equal(type->reserve(store, BATCH), CLEW_ROOM);
    /* make_visit prefetched with the old index; hashes stay good */
    type->put(store, BATCH, visits);
    if (key >= 100000) {
      sum += (double)type->bytes(store) / (double)type->count(store);
      samples += 1;
    }
  }
  assert_true(sum / samples < 26);
  type->close(store);
}

static void test_budget_too_small(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 100);
  struct clew_store_config config = {.words = 1, .threads = 1, .budget = &budget};
  struct clew_diag_sink diags = {0};
  struct clew_store *store = NULL;
  assert_int_equal(type->open(&config, &diags, &store), CLEW_OVER_LIMIT);
  assert_int_equal(diags.error_count, 1);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_diag_sink_free(&diags);
}

static void test_small_is_small(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 40);
  struct clew_store *store = open_store(2, 1, &budget);
  assert_int_equal(type->reserve(store, 500), CLEW_ROOM);
  assert_true(type->bytes(store) <= 256 << 10);
  type->close(store);
  store = open_store(100000, 1, NULL); /* without a budget, with huge states */
  assert_int_equal(type->reserve(store, 2), CLEW_ROOM);
  type->close(store);
}

static void test_counters(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 1 << 20);
  struct clew_store *store = open_store(2, 1, &budget);
  fill(store, 10);
  struct clew_text text = {0};
  store_counters(store, &text);
  assert_non_null(strstr(clew_text_str(&text), "\"index_load\": 0."));
  assert_non_null(strstr(clew_text_str(&text), "\"index_growths\""));
  clew_text_free(&text);
  type->close(store);
}

/* ---- threads ---- */

enum { THREADS = 4 };

struct worker {
  struct clew_store *store;
  pthread_barrier_t *start;
  uint64_t first, keys; /* the keys it inserts, several times each */
  uint64_t seed;
  bool in_order; /* all threads the same keys in the same order: the greatest contention */
  uint32_t visits;
  uint64_t found_new;
  uint64_t id_sum_of_new;
};

static void *insert_keys(void *argument) {
  struct worker *w = argument;
  struct clew_random random;
  clew_random_seed(&random, w->seed);
  uint64_t states[BATCH][3];
  struct clew_visit visits[BATCH];
  pthread_barrier_wait(w->start);
  for (uint32_t done = 0; done < w->visits;) {
    uint32_t n = w->in_order ? 1 : (uint32_t)clew_random_below(&random, BATCH) + 1;
    n = n < w->visits - done ? n : w->visits - done;
    for (uint32_t i = 0; i < n; i++) {
      uint64_t key = w->in_order ? done + i : clew_random_below(&random, w->keys);
      make_visit(w->store, w->first + key, states[i], &visits[i]);
    }
    type->put(w->store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      /* Whoever inserted it, its content is visible under the id. */
      uint64_t stored[sizeof states[i] / sizeof(uint64_t)];
      type->get(w->store, visits[i].id, 1, stored);
      if (memcmp(stored, states[i], sizeof states[i]) != 0) {
        w->found_new = UINT64_MAX / 2;
        return NULL;
      }
      w->found_new += visits[i].answer == CLEW_NEW;
      w->id_sum_of_new += visits[i].answer == CLEW_NEW ? visits[i].id : 0;
    }
    done += n;
  }
  return NULL;
}

static void hammer(struct clew_store *store, uint64_t first, uint64_t keys, uint32_t visits,
                   bool in_order) {
  uint64_t before = type->count(store);
  assert_int_equal(type->reserve(store, visits * THREADS), CLEW_ROOM);
  pthread_t threads[THREADS];
  struct worker workers[THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (struct worker){.store = store,
                                 .start = &start,
                                 .first = first,
                                 .keys = keys,
                                 .seed = 100 + t,
                                 .in_order = in_order,
                                 .visits = visits};
    assert_int_equal(pthread_create(&threads[t], NULL, insert_keys, &workers[t]), 0);
  }
  uint64_t found_new = 0, id_sum = 0;
  for (uint32_t t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    found_new += workers[t].found_new;
    id_sum += workers[t].id_sum_of_new;
  }
  pthread_barrier_destroy(&start);
  /* Each id from before to after was given out exactly once. */
  uint64_t after = type->count(store);
  assert_int_equal(found_new, after - before);
  assert_int_equal(id_sum, (after * (after - 1) - (before > 0 ? before * (before - 1) : 0)) / 2);
  assert_true(after - before <= keys);
  store_assert_valid(store);
}

static void test_threads(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_store(3, THREADS, &budget);
  for (uint64_t round = 0; round < 20; round++) {
    hammer(store, round << 32, 3000, 3000, true);
    assert_int_equal(type->count(store), (round + 1) * 3000);
  }
  uint64_t before = type->count(store);
  hammer(store, UINT64_C(1) << 40, 20000, 100000, false);
  hammer(store, UINT64_C(1) << 40, 20000, 100000, false);
  assert_int_equal(type->count(store), before + 20000);
  type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answers),          cmocka_unit_test(test_duplicates_in_a_batch),
      cmocka_unit_test(test_equal_hashes),     cmocka_unit_test(test_budget_is_used_up_and_kept),
      cmocka_unit_test(test_memory_per_state), cmocka_unit_test(test_budget_too_small),
      cmocka_unit_test(test_small_is_small),   cmocka_unit_test(test_counters),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
