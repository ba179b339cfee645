/* Several threads that put overlapping batches into a store that keeps no states (store_keys.h).
 */
#ifndef CLEW_TESTS_STORE_THREADS_H
#define CLEW_TESTS_STORE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/random.h"
#include "unit/store_keys.h"

enum { MOST_HAMMERS = 8 };

struct hammer {
  struct clew_store *store;
  pthread_barrier_t *start;
  uint64_t first, keys, visits, seed;
  bool in_order;                /* all threads the same keys at once: the greatest contention */
  _Atomic uint32_t *times_new;  /* of each key */
  _Atomic uint32_t *times_used; /* of each id, from the first new one on */
  clew_id first_id;
  uint64_t full;
  bool failed;
};

static inline void hammer_check(struct hammer *h, const struct clew_visit *visit, uint64_t key) {
  switch (visit->answer) {
  case CLEW_NEW:
    if (visit->id < h->first_id || visit->id >= h->first_id + h->keys) {
      h->failed = true;
    } else {
      atomic_fetch_add(&h->times_new[key], 1);
      atomic_fetch_add(&h->times_used[visit->id - h->first_id], 1);
    }
    break;
  case CLEW_FULL:
    h->full++;
    return;
  default:
    h->failed = h->failed || visit->answer != CLEW_SEEN;
  }
  h->failed = h->failed || !h->store->type->has(h->store, visit->hash);
}

static inline void *hammer_run(void *argument) {
  struct hammer *h = argument;
  struct clew_random random;
  clew_random_seed(&random, h->seed);
  uint64_t states[KEYS_PER_BATCH][KEY_WORDS], key_of[KEYS_PER_BATCH];
  struct clew_visit visits[KEYS_PER_BATCH];
  pthread_barrier_wait(h->start);
  for (uint64_t done = 0; done < h->visits;) {
    uint64_t n = 1 + clew_random_below(&random, h->in_order ? 3 : KEYS_PER_BATCH);
    n = n < h->visits - done ? n : h->visits - done;
    for (uint64_t i = 0; i < n; i++) {
      key_of[i] = h->in_order ? (done + i) % h->keys : clew_random_below(&random, h->keys);
      make_visit(h->store, h->first + key_of[i], false, states[i], &visits[i]);
    }
    h->store->type->put(h->store, (uint32_t)n, visits);
    for (uint64_t i = 0; i < n; i++) {
      hammer_check(h, &visits[i], key_of[i]);
    }
    done += n;
  }
  return NULL;
}

/* So many threads put `visits` each of the keys from `first` on. No key may be new twice, and each
 * id from the first to the last new one is used once. Returns how many were new. */
static inline uint64_t hammer_keys(struct clew_store *store, uint32_t thread_count, uint64_t first,
                                   uint64_t keys, uint64_t visits, bool in_order, uint64_t *full) {
  uint64_t before = store->type->count(store);
  _Atomic uint32_t *times_new = clew_alloc_zero(keys, sizeof *times_new);
  _Atomic uint32_t *times_used = clew_alloc_zero(keys, sizeof *times_used);
  pthread_t threads[MOST_HAMMERS];
  struct hammer hammers[MOST_HAMMERS];
  pthread_barrier_t start;
  assert_true(thread_count <= MOST_HAMMERS);
  pthread_barrier_init(&start, NULL, thread_count);
  store->shared = thread_count > 1;
  for (uint32_t t = 0; t < thread_count; t++) {
    hammers[t] = (struct hammer){.store = store,
                                 .start = &start,
                                 .first = first,
                                 .keys = keys,
                                 .visits = visits,
                                 .seed = first + t,
                                 .in_order = in_order,
                                 .times_new = times_new,
                                 .times_used = times_used,
                                 .first_id = before};
    assert_int_equal(pthread_create(&threads[t], NULL, hammer_run, &hammers[t]), 0);
  }
  *full = 0;
  for (uint32_t t = 0; t < thread_count; t++) {
    pthread_join(threads[t], NULL);
    assert_false(hammers[t].failed);
    *full += hammers[t].full;
  }
  store->shared = false;
  pthread_barrier_destroy(&start);
  uint64_t found_new = 0, after = store->type->count(store);
  for (uint64_t key = 0; key < keys; key++) {
    assert_true(times_new[key] <= 1);
    found_new += times_new[key];
  }
  assert_int_equal(after - before, found_new);
  for (uint64_t i = 0; i < keys; i++) {
    assert_int_equal(times_used[i], i < found_new);
  }
  store_assert_valid(store);
  clew_free(times_new);
  clew_free(times_used);
  return found_new;
}

#endif
