/* Numbered states of two words for the tests of stores that keep no states: putting them in batches
 * and checking the answers. */
#ifndef CLEW_TESTS_STORE_KEYS_H
#define CLEW_TESTS_STORE_KEYS_H

#include "base/hash.h"
#include "unit/store_open.h"

enum { KEY_WORDS = 2, KEYS_PER_BATCH = 300 };

/* State number `key`: small integers, or random words. */
static inline void make_visit(const struct clew_store *store, uint64_t key, bool random_words,
                              uint64_t state[KEY_WORDS], struct clew_visit *visit) {
  state[0] = random_words ? key * UINT64_C(0x9e3779b97f4a7c15) : key & 0xff;
  state[1] = random_words ? ~key * UINT64_C(0xc2b2ae3d27d4eb4f) : key >> 8 << 9;
  *visit = (struct clew_visit){.state = state,
                               .hash = clew_hash_words(state, KEY_WORDS, store->config.seed)};
  store->type->prefetch(store, visit->hash);
}

/* Puts keys first..end-1 and returns how many were NEW; ids must be in sequence. */
static inline uint64_t put_keys(struct clew_store *store, uint64_t first, uint64_t end,
                                bool random_words) {
  uint64_t states[KEYS_PER_BATCH][KEY_WORDS];
  uint64_t before = store->type->count(store), next = before;
  struct clew_visit visits[KEYS_PER_BATCH];
  for (uint64_t key = first; key < end; key += KEYS_PER_BATCH) {
    uint32_t n = end - key < KEYS_PER_BATCH ? (uint32_t)(end - key) : KEYS_PER_BATCH;
    for (uint32_t i = 0; i < n; i++) {
      make_visit(store, key + i, random_words, states[i], &visits[i]);
    }
    assert_int_equal(store->type->reserve(store, n), CLEW_ROOM);
    store->type->put(store, n, visits);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
      good = good && (visits[i].answer == CLEW_NEW || visits[i].answer == CLEW_SEEN);
      good = good && (visits[i].answer == CLEW_SEEN || visits[i].id == next++);
    }
    assert_true(good && store->type->has(store, visits[n / 2].hash));
  }
  assert_int_equal(store->type->count(store), next);
  return next - before;
}

#endif
