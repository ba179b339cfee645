/* The exact store: answers against a reference, growth, refusals, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/exact_int.h"
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

/* What `find` says of these visits, of keys that were put under these ids. */
static void assert_finds(struct clew_store *store, uint32_t n, struct clew_visit *visits,
                         const uint64_t *key_of, const uint64_t *id_of) {
  uint64_t before = type->count(store);
  type->find(store, n, visits);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t id = id_of[key_of[i]];
    assert_int_equal(visits[i].answer, id == UINT64_MAX ? CLEW_NEW : CLEW_SEEN);
    assert_int_equal(visits[i].id, id == UINT64_MAX ? CLEW_ID_NONE : id);
  }
  assert_int_equal(type->count(store), before);
}

/* Random keys below `keys` in batches; every answer and id is compared with a plain array. */
static void compare_with_reference(uint32_t words, uint64_t keys, uint32_t batches, uint64_t seed,
                                   uint64_t widen_from) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_store(words, 1, &budget);
  if (widen_from > 0) {
    clew_exact_widen_from(store, widen_from);
  }
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
    assert_finds(store, n, visits, key_of, id_of);
    assert_int_equal(type->reserve(store, n), CLEW_ROOM);
    assert_true(type->room(store) >= n);
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
  compare_with_reference(1, 10, 50, 1, 0);
  compare_with_reference(1, 100000, 1500, 2, 0);
  compare_with_reference(2, 400000, 1000, 3, 0);
  compare_with_reference(3, 5000, 500, 4, 0);
  compare_with_reference(9, 50000, 500, 5, 0);
  compare_with_reference(MAX_WORDS, 20000, 300, 6, 0);
}

/* Growth goes on across the switch to wide entries, wherever that is. */
static void test_wide_index(void **state) {
  (void)state;
  static const uint64_t from[] = {1, 2, 700, 5000, 13107, 13108, 40000, 99999};
  for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
    compare_with_reference(1 + (uint32_t)i % 3, 100000, 700, 10 + i, from[i]);
  }
  compare_with_reference(2, 3000000, 6000, 9, 400000);
}

static void test_wide_entries_count(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_store(2, 1, &budget);
  clew_exact_widen_from(store, 30000);
  assert_int_equal(type->reserve(store, 30000), CLEW_ROOM);
  assert_true(store_counter(store, "tag_bits") < 24);
  double narrow_bytes = store_counter(store, "index_bytes");
  assert_int_equal(type->room(store), 30000); /* not one more */
  assert_int_equal(type->reserve(store, 30001), CLEW_ROOM);
  assert_true(store_counter(store, "tag_bits") == 24);
  assert_true(store_counter(store, "index_bytes") > narrow_bytes);
  assert_true(type->room(store) >= 30001);
  store_assert_valid(store);
  type->close(store);
  /* A budget that has no room for the wide index ends the search before it. */
  clew_budget_init(&budget, 500 << 10);
  store = open_store(1, 1, &budget);
  clew_exact_widen_from(store, 30000);
  assert_int_equal(type->reserve(store, 30000), CLEW_ROOM);
  assert_int_equal(type->reserve(store, 35000), CLEW_ROOM_MEMORY);
  assert_int_equal(type->room(store), 30000);
  type->close(store);
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
    store->shared = threads > 1;
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
  double load = store_counter(store, "index_load");
  assert_true(load > 0.7 && load <= 0.95);
  assert_true(store_counter(store, "index_growths") > 0);
  assert_true(store_counter(store, "arena_bytes") + store_counter(store, "index_bytes") ==
              (double)type->bytes(store));
  assert_true(store_counter(store, "visits") == (double)type->count(store));
  type->close(store);
}

/* ---- threads ---- */

enum { MAX_THREADS = 8, THREAD_WORDS = 3, THREAD_BYTES = 19 };

struct worker {
  struct clew_store *store;
  pthread_barrier_t *start;
  uint64_t first, keys; /* the keys it inserts, several times each */
  uint64_t seed;
  bool in_order; /* all threads the same keys in the same order: the greatest contention */
  uint32_t visits;
  _Atomic uint32_t *times_new;  /* of each key */
  _Atomic uint32_t *times_used; /* of each id */
  bool failed;
};

/* Keys are below 2^32, and the bytes beyond THREAD_BYTES zero. */
static void make_short_visit(const struct clew_store *store, uint64_t key, uint64_t *state,
                             struct clew_visit *visit) {
  state[0] = key & 0xff;
  state[1] = key >> 8;
  state[2] = key & 0xffffff;
  *visit = (struct clew_visit){.state = state,
                               .hash = clew_hash_words(state, THREAD_WORDS, store->config.seed)};
  type->prefetch(store, visit->hash);
}

/* The content is visible under the id, whoever inserted it; and `find` agrees. */
static bool is_there(struct clew_store *store, const struct clew_visit *visit) {
  uint64_t stored[THREAD_WORDS];
  type->get(store, visit->id, 1, stored);
  struct clew_visit again = *visit;
  type->find(store, 1, &again);
  return memcmp(stored, visit->state, sizeof stored) == 0 && again.answer == CLEW_SEEN &&
         again.id == visit->id;
}

static void *insert_keys(void *argument) {
  struct worker *w = argument;
  struct clew_random random;
  clew_random_seed(&random, w->seed);
  uint64_t states[BATCH][THREAD_WORDS], keys[BATCH];
  struct clew_visit visits[BATCH];
  pthread_barrier_wait(w->start);
  for (uint32_t done = 0; done < w->visits;) {
    uint32_t n = w->in_order ? 1 : (uint32_t)clew_random_below(&random, BATCH) + 1;
    n = n < w->visits - done ? n : w->visits - done;
    for (uint32_t i = 0; i < n; i++) {
      keys[i] = w->in_order ? done + i : clew_random_below(&random, w->keys);
      make_short_visit(w->store, w->first + keys[i], states[i], &visits[i]);
    }
    type->put(w->store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      w->failed = w->failed || !is_there(w->store, &visits[i]);
      if (visits[i].answer == CLEW_NEW) {
        atomic_fetch_add(&w->times_new[keys[i]], 1);
        atomic_fetch_add(&w->times_used[visits[i].id], 1);
      }
    }
    done += n;
  }
  return NULL;
}

/* So many threads put keys from `first` on, `visits` each, into room for no more than the keys.
 * Each key is new at most once, and each id from before to after is used once. */
static void hammer(struct clew_store *store, uint32_t thread_count, uint64_t first, uint64_t keys,
                   uint32_t visits, bool in_order) {
  uint64_t before = type->count(store);
  assert_int_equal(type->reserve(store, (uint32_t)keys), CLEW_ROOM);
  _Atomic uint32_t *times_new = clew_alloc_zero(keys, sizeof *times_new);
  _Atomic uint32_t *times_used = clew_alloc_zero(before + keys, sizeof *times_used);
  pthread_t threads[MAX_THREADS];
  struct worker workers[MAX_THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, thread_count);
  store->shared = thread_count > 1;
  for (uint32_t t = 0; t < thread_count; t++) {
    workers[t] = (struct worker){.store = store,
                                 .start = &start,
                                 .first = first,
                                 .keys = keys,
                                 .seed = 100 + t,
                                 .in_order = in_order,
                                 .visits = visits,
                                 .times_new = times_new,
                                 .times_used = times_used};
    assert_int_equal(pthread_create(&threads[t], NULL, insert_keys, &workers[t]), 0);
  }
  for (uint32_t t = 0; t < thread_count; t++) {
    pthread_join(threads[t], NULL);
    assert_false(workers[t].failed);
  }
  store->shared = false;
  pthread_barrier_destroy(&start);
  uint64_t after = type->count(store), found_new = 0;
  for (uint64_t key = 0; key < keys; key++) {
    assert_true(times_new[key] <= 1);
    found_new += times_new[key];
  }
  assert_int_equal(found_new, after - before);
  for (uint64_t id = 0; id < before + keys; id++) {
    assert_int_equal(times_used[id], id >= before && id < after);
  }
  store_assert_valid(store);
  clew_free(times_new);
  clew_free(times_used);
}

static struct clew_store *open_for_threads(uint32_t threads, struct clew_budget *budget,
                                           struct clew_crew *crew) {
  clew_budget_init(budget, UINT64_C(1) << 30);
  struct clew_store_config config = {.words = THREAD_WORDS,
                                     .bytes = THREAD_BYTES,
                                     .threads = threads,
                                     .seed = 7,
                                     .budget = budget,
                                     .crew = crew};
  return store_open(type, &config);
}

static void hammer_and_grow(uint32_t thread_count, uint64_t widen_from, uint64_t keys,
                            struct clew_crew *crew) {
  struct clew_budget budget;
  struct clew_store *store = open_for_threads(thread_count, &budget, crew);
  if (widen_from > 0) {
    clew_exact_widen_from(store, widen_from);
  }
  for (uint64_t round = 0; round < 10; round++) {
    hammer(store, thread_count, round * 3000, 3000, 3000, true);
    assert_int_equal(type->count(store), (round + 1) * 3000);
  }
  uint64_t before = type->count(store);
  hammer(store, thread_count, 1 << 20, keys, (uint32_t)keys * 2, false);
  hammer(store, thread_count, 1 << 20, keys, (uint32_t)keys, true);
  assert_int_equal(type->count(store), before + keys);
  /* One thread goes on alone. */
  hammer(store, 1, 1 << 24, 5000, 5000, true);
  assert_int_equal(type->count(store), before + keys + 5000);
  type->close(store);
}

static void test_threads(void **state) {
  (void)state;
  hammer_and_grow(2, 0, 20000, NULL);
  hammer_and_grow(MAX_THREADS, 0, 20000, NULL); /* more than processors */
}

static void test_threads_and_wide_index(void **state) {
  (void)state;
  hammer_and_grow(4, 1000, 20000, NULL);
  hammer_and_grow(4, 20000, 20000, NULL);
  hammer_and_grow(4, 40000, 20000, NULL);
}

/* The crew rebuilds the index, narrow and wide. */
static void test_crew(void **state) {
  (void)state;
  struct clew_crew *crew = clew_crew_open(3);
  hammer_and_grow(3, 0, 200000, crew);
  hammer_and_grow(3, 150000, 200000, crew);
  clew_crew_close(crew);
}

/* A state takes the same memory whatever the number of threads. */
static void test_threads_take_no_memory(void **state) {
  (void)state;
  uint64_t bytes[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct clew_budget budget;
    uint32_t threads = i == 0 ? 1 : 4;
    struct clew_store *store = open_for_threads(threads, &budget, NULL);
    hammer(store, threads, 0, 100000, 100000, true);
    assert_int_equal(type->count(store), 100000);
    bytes[i] = type->bytes(store);
    assert_true(store_counter(store, "arena_bytes") <= 100000 * THREAD_BYTES + (64 << 10));
    type->close(store);
  }
  assert_int_equal(bytes[0], bytes[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answers),
      cmocka_unit_test(test_duplicates_in_a_batch),
      cmocka_unit_test(test_equal_hashes),
      cmocka_unit_test(test_budget_is_used_up_and_kept),
      cmocka_unit_test(test_memory_per_state),
      cmocka_unit_test(test_budget_too_small),
      cmocka_unit_test(test_small_is_small),
      cmocka_unit_test(test_counters),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_threads_and_wide_index),
      cmocka_unit_test(test_crew),
      cmocka_unit_test(test_threads_take_no_memory),
      cmocka_unit_test(test_wide_index),
      cmocka_unit_test(test_wide_entries_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
