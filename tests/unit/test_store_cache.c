/* The cache store: answers against a model of it, forgetting, the stop rule, signatures, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/cache_options.h"
#include "store/store.h"
#include "unit/store_open.h"

enum { MAX_WORDS = 40, BATCH = 300, SEED = 7, CHAIN = 16 };
static const struct clew_store_type *const type = &clew_store_cache;

struct fixture {
  struct clew_budget budget;
  struct clew_cache_options options;
  struct clew_store *store;
};

static enum clew_status try_open(struct fixture *f, uint32_t words, uint32_t bytes,
                                 uint64_t budget_bytes, struct clew_cache_options options) {
  *f = (struct fixture){.options = options};
  clew_budget_init(&f->budget, budget_bytes);
  struct clew_store_config config = {.words = words,
                                     .bytes = bytes,
                                     .threads = 1,
                                     .seed = SEED,
                                     .budget = &f->budget,
                                     .options = &f->options};
  struct clew_diag_sink diags = {0};
  enum clew_status status = type->open(&config, &diags, &f->store);
  assert_int_equal(diags.len, status == CLEW_OK ? 0 : 1);
  clew_diag_sink_free(&diags);
  return status;
}

static void open_fixture(struct fixture *f, uint32_t words, uint64_t budget_bytes,
                         struct clew_cache_options options) {
  assert_int_equal(try_open(f, words, 0, budget_bytes, options), CLEW_OK);
  unsigned lossless = options.hash_bits == 0 ? CLEW_STORE_LOSSLESS : 0;
  assert_int_equal(f->store->promises, lossless);
  assert_int_equal(f->store->demands, 0);
}

static void close_fixture(struct fixture *f) {
  type->close(f->store);
  assert_int_equal(clew_budget_used(&f->budget), 0);
}

/* State number `key`: small integers, as in models. */
static void make_visit(const struct clew_store *store, uint64_t key, uint64_t *state,
                       struct clew_visit *visit) {
  uint32_t words = store->config.words;
  memset(state, 0, words * sizeof *state);
  state[0] = key & 0xff;
  state[words - 1] ^= key >> 8 << 9;
  *visit = (struct clew_visit){.state = state,
                               .hash = clew_hash_words(state, words, store->config.seed)};
  type->prefetch(store, visit->hash);
}

static enum clew_answer put_key(struct clew_store *store, uint64_t key) {
  uint64_t state[MAX_WORDS], count = type->count(store);
  struct clew_visit visit;
  make_visit(store, key, state, &visit);
  type->put(store, 1, &visit);
  if (visit.answer == CLEW_NEW) {
    assert_int_equal(visit.id, count);
  } else {
    assert_int_equal(visit.answer, CLEW_SEEN);
  }
  assert_int_equal(type->count(store), count + (visit.answer == CLEW_NEW));
  return visit.answer;
}

/* ---- the store, step by step ---- */

/* The simplest cache that does the same: buckets of keys, and the same choice of victims. */
struct model {
  uint64_t buckets, keys[64][CHAIN];
  uint32_t chain, used[64];
  uint64_t collisions, insertions;
  struct clew_random random;
};

static enum clew_answer model_put(struct model *m, uint64_t hash, uint64_t key) {
  uint64_t bucket = (uint64_t)(((unsigned __int128)hash * m->buckets) >> 64);
  uint32_t *used = &m->used[bucket];
  for (uint32_t i = 0; i < *used; i++) {
    if (m->keys[bucket][i] == key) {
      return CLEW_SEEN;
    }
  }
  bool full = *used == m->chain;
  m->collisions += full;
  m->insertions++;
  m->keys[bucket][full ? clew_random_below(&m->random, m->chain) : (*used)++] = key;
  return CLEW_NEW;
}

static void compare_with_model(uint32_t words, uint64_t entries, uint64_t keys, uint32_t batches) {
  struct fixture f;
  open_fixture(&f, words, 1 << 24, (struct clew_cache_options){.cache_entries = entries});
  struct model *m = clew_alloc_zero(1, sizeof *m);
  m->buckets = (entries + CHAIN - 1) / CHAIN;
  m->chain = entries < CHAIN ? (uint32_t)entries : CHAIN;
  clew_random_seed(&m->random, SEED);
  struct clew_random random;
  clew_random_seed(&random, words * entries + keys);
  static uint64_t states[BATCH][MAX_WORDS];
  struct clew_visit visits[BATCH];
  uint64_t key_of[BATCH], id = 0;
  for (uint32_t batch = 0; batch < batches; batch++) {
    uint32_t n = (uint32_t)clew_random_below(&random, BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
      key_of[i] = clew_random_below(&random, keys);
      make_visit(f.store, key_of[i], states[i], &visits[i]);
    }
    type->put(f.store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      assert_int_equal(visits[i].answer, model_put(m, visits[i].hash, key_of[i]));
      if (visits[i].answer == CLEW_NEW) {
        assert_int_equal(visits[i].id, id++);
      }
    }
  }
  store_assert_valid(f.store);
  assert_int_equal(type->count(f.store), m->insertions);
  assert_int_equal((uint64_t)store_counter(f.store, "insertions"), m->insertions);
  assert_int_equal((uint64_t)store_counter(f.store, "collisions"), m->collisions);
  assert_true(type->omission(f.store) == 0);
  clew_free(m);
  close_fixture(&f);
}

static void test_answers(void **state) {
  (void)state;
  for (uint64_t entries = 1; entries <= 1000; entries = entries * 2 + 1) {
    for (uint32_t words = 1; words <= MAX_WORDS; words = words * 3 + 1) {
      compare_with_model(words, entries, entries, 20);
      compare_with_model(words, entries, entries * 2 + 3, 60);
    }
  }
}

/* Four slots: by hand. */
static void test_counters(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 2, 1 << 20, (struct clew_cache_options){.cache_entries = 4});
  for (uint64_t key = 0; key < 4; key++) {
    assert_int_equal(put_key(f.store, key), CLEW_NEW);
  }
  for (uint64_t key = 0; key < 4; key++) {
    assert_int_equal(put_key(f.store, key), CLEW_SEEN);
  }
  assert_true(store_counter(f.store, "collisions") == 0);
  for (uint64_t key = 4; key < 10; key++) {
    assert_int_equal(put_key(f.store, key), CLEW_NEW);
    assert_int_equal(put_key(f.store, key), CLEW_SEEN);
  }
  assert_true(store_counter(f.store, "entries") == 4 && store_counter(f.store, "chain") == 4);
  assert_true(store_counter(f.store, "insertions") == 10 &&
              store_counter(f.store, "collisions") == 6);
  assert_true(fabs(store_counter(f.store, "collision_rate") - 0.6) < 1e-9);
  assert_true(store_counter(f.store, "visits") == 20 &&
              store_counter(f.store, "entry_bits") == 17 * 8);
  store_assert_valid(f.store);
  close_fixture(&f);
}

/* The store uses no more of a state than config.bytes, but all of that. */
static void test_partly_used_words(void **state) {
  (void)state;
  for (uint32_t bytes = 9; bytes <= 16; bytes++) {
    struct fixture f;
    struct clew_cache_options options = {.cache_entries = 1000};
    assert_int_equal(try_open(&f, 2, bytes, 1 << 20, options), CLEW_OK);
    for (uint32_t round = 0; round < 2; round++) {
      for (uint64_t i = 0; i < 256; i++) {
        uint64_t words[2] = {5, i << (8 * (bytes - 9))};
        struct clew_visit visit = {.state = words, .hash = clew_hash_words(words, 2, SEED)};
        type->put(f.store, 1, &visit);
        assert_int_equal(visit.answer, round == 0 ? CLEW_NEW : CLEW_SEEN);
      }
    }
    store_assert_valid(f.store);
    close_fixture(&f);
  }
}

static void test_stop_rule(void **state) {
  (void)state;
  static const double rates[] = {0, 0.5, 0.75, 1};
  for (size_t i = 0; i < 4; i++) {
    for (uint64_t entries = 4; entries <= 4096; entries *= 32) {
      struct fixture f;
      struct clew_cache_options options = {.cache_entries = entries,
                                           .max_collision_rate = rates[i]};
      open_fixture(&f, 1, 1 << 20, options);
      double limit = rates[i] > 0 ? rates[i] : 0.9;
      uint64_t key = 0;
      while (key < 50000 && type->reserve(f.store, 100) == CLEW_ROOM) {
        bool judged = key >= 1000 && key >= entries;
        assert_true(!judged || key % 16 != 0 || store_counter(f.store, "collision_rate") <= limit);
        put_key(f.store, key++);
      }
      if (limit == 1) {
        assert_int_equal(key, 50000);
      } else {
        assert_int_equal(type->reserve(f.store, 1), CLEW_ROOM_COLLISIONS);
        assert_true(key >= 1000 && key >= entries && key <= entries * 10 + 1001);
        assert_true(store_counter(f.store, "collision_rate") > limit);
      }
      close_fixture(&f);
    }
  }
}

static void test_one_seed_one_run(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 40; bits += 20) {
    struct fixture a, b;
    struct clew_cache_options options = {.entries = 1600, .hash_bits = bits};
    open_fixture(&a, 3, 1 << 20, options);
    open_fixture(&b, 3, 1 << 20, options);
    struct clew_random random;
    clew_random_seed(&random, 1);
    for (uint32_t i = 0; i < 30000; i++) {
      uint64_t key = clew_random_below(&random, 4000);
      assert_int_equal(put_key(a.store, key), put_key(b.store, key));
    }
    assert_true(store_counter(a.store, "collisions") > 0);
    close_fixture(&a);
    close_fixture(&b);
  }
}

/* ---- growth ---- */

/* While there is room the cache is a set: through all young tables, nothing is forgotten. */
static void grow_without_forgetting(uint32_t words, uint32_t bits, uint64_t budget_bytes,
                                    uint64_t keys) {
  struct fixture f;
  open_fixture(&f, words, budget_bytes, (struct clew_cache_options){.hash_bits = bits});
  uint64_t first_bytes = type->bytes(f.store);
  assert_true(first_bytes <= budget_bytes / 16);
  struct clew_random random;
  clew_random_seed(&random, 3);
  bool *known = clew_alloc_zero(keys, sizeof *known);
  for (uint64_t i = 0; i < keys * 3; i++) {
    uint64_t key = clew_random_below(&random, keys);
    assert_int_equal(put_key(f.store, key), known[key] ? CLEW_SEEN : CLEW_NEW);
    known[key] = true;
  }
  assert_true(store_counter(f.store, "collisions") == 0);
  assert_true(type->bytes(f.store) > 8 * first_bytes);
  assert_true(f.budget.peak_bytes <= budget_bytes);
  store_assert_valid(f.store);
  clew_free(known);
  close_fixture(&f);
}

static void test_growth(void **state) {
  (void)state;
  grow_without_forgetting(1, 0, 16 << 20, 200000);
  grow_without_forgetting(5, 0, 32 << 20, 130000);
  grow_without_forgetting(2, 64, 16 << 20, 200000);
  grow_without_forgetting(2, 57, 8 << 20, 130000);
  grow_without_forgetting(2, 40, 8 << 20, 200000);
  grow_without_forgetting(2, 48, UINT64_C(1) << 34, 200000); /* stays young */
}

/* A budget that is used up by others after opening does no harm. */
static void test_budget(void **state) {
  (void)state;
  for (uint64_t limit = 4 << 10; limit <= 40 << 20; limit *= 2) {
    for (uint32_t bits = 0; bits <= 40; bits += 40) {
      struct fixture f;
      struct clew_cache_options options = {.hash_bits = bits, .max_collision_rate = 1};
      if (limit < 64 << 10 && try_open(&f, 3, 0, limit, options) != CLEW_OK) {
        continue;
      }
      if (limit >= 64 << 10) {
        open_fixture(&f, 3, limit, options);
      }
      uint64_t used = clew_budget_used(&f.budget);
      if (limit >= 16 << 20) {
        assert_in_range(used, limit / 20 * 12, limit / 20 * 17);
        uint64_t entries = (uint64_t)store_counter(f.store, "entries");
        assert_true((double)used / (double)entries < (bits == 0 ? 25 : 5) * 1.15);
      }
      uint64_t left = clew_budget_left(&f.budget);
      assert_true(clew_budget_take(&f.budget, left));
      for (uint64_t key = 0; key < 60000; key++) {
        assert_int_equal(put_key(f.store, key), CLEW_NEW);
        assert_int_equal(put_key(f.store, key), CLEW_SEEN);
      }
      store_assert_valid(f.store);
      clew_budget_give(&f.budget, left);
      close_fixture(&f);
    }
  }
}

static void test_refusals(void **state) {
  (void)state;
  store_assert_options(type);
  struct fixture f;
  struct clew_cache_options wrong[] = {
      {.hash_bits = 1}, {.hash_bits = 65}, {.max_collision_rate = 1.5}, {.max_collision_rate = -1}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(try_open(&f, 2, 0, 1 << 20, wrong[i]), CLEW_BAD_USAGE);
  }
  struct clew_cache_options large[] = {{.cache_entries = 1 << 20},
                                       {.entries = UINT64_MAX},
                                       {.cache_entries = UINT64_MAX, .hash_bits = 2},
                                       {.cache_entries = UINT64_C(1) << 61, .hash_bits = 64}};
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    assert_int_equal(try_open(&f, 2, 0, 1 << 20, large[i]), CLEW_OVER_LIMIT);
    assert_int_equal(clew_budget_used(&f.budget), 0);
  }
  assert_int_equal(try_open(&f, 2, 0, 100, (struct clew_cache_options){0}), CLEW_OVER_LIMIT);
}

/* ---- signatures ---- */

/* Of any width: what was just inserted is seen; when nothing is forgotten, what was ever inserted
 * is; and new states are left out about as often as predicted. */
static void test_signatures(void **state) {
  (void)state;
  for (uint32_t bits = 2; bits <= 64; bits++) {
    struct fixture f;
    struct clew_cache_options options = {.cache_entries = 16000, .hash_bits = bits};
    open_fixture(&f, 2, 1 << 20, options);
    const uint64_t keys = 6000;
    uint64_t omitted = 0;
    for (uint64_t key = 0; key < keys; key++) {
      omitted += put_key(f.store, key) == CLEW_SEEN;
      assert_int_equal(put_key(f.store, key), CLEW_SEEN);
    }
    double collisions = store_counter(f.store, "collisions");
    double expected = store_counter(f.store, "expected_omissions"), any = type->omission(f.store);
    /* With 2 bits buckets hold all the signatures there are, which no sum predicts. */
    assert_true(bits < 3 || fabs((double)omitted - expected) <= 6 * sqrt(expected) + 1);
    assert_true(bits > 12 || (omitted > 0 && any > 0.5));
    assert_true(bits < 40 || (omitted == 0 && any < 1e-6));
    assert_true(any >= 0 && any <= 1);
    for (uint64_t key = 0; key < keys && collisions == 0; key++) {
      assert_int_equal(put_key(f.store, key), CLEW_SEEN);
    }
    assert_true(store_counter(f.store, "entry_bits") == bits);
    store_assert_valid(f.store);
    close_fixture(&f);
  }
}

/* The chance is that of the bits which do not choose the bucket, and grows with what is inside. */
static void test_omission_figures(void **state) {
  (void)state;
  struct fixture f;
  open_fixture(&f, 2, 1 << 20, (struct clew_cache_options){.cache_entries = 16, .hash_bits = 20});
  double kept = 1;
  for (uint64_t key = 0; key < 100; key++) {
    assert_int_equal(put_key(f.store, key), CLEW_NEW);
    kept *= 1 - (double)(key < 16 ? key : 16) / 1048575;
  }
  assert_true(fabs(type->omission(f.store) - (1 - kept)) < 1e-9);
  close_fixture(&f);
  open_fixture(&f, 2, 1 << 20, (struct clew_cache_options){.cache_entries = 1600, .hash_bits = 64});
  for (uint64_t key = 0; key < 5000; key++) {
    put_key(f.store, key);
  }
  assert_true(type->omission(f.store) > 5000 * 8 * pow(2, -57));
  assert_true(type->omission(f.store) < 5000 * 16 * pow(2, -56));
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answers),
      cmocka_unit_test(test_counters),
      cmocka_unit_test(test_partly_used_words),
      cmocka_unit_test(test_stop_rule),
      cmocka_unit_test(test_one_seed_one_run),
      cmocka_unit_test(test_growth),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_signatures),
      cmocka_unit_test(test_omission_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
