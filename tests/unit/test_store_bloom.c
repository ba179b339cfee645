/* The Bloom filter store: no false NEW, false positives against the formulas, sizes, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/bloom_options.h"
#include "unit/store_open.h"

enum { BATCH = 256 };
static const struct clew_store_type *const type = &clew_store_bloom;

static struct clew_store *open_store(struct clew_budget *budget, struct clew_bloom_options options,
                                     uint64_t seed) {
  struct clew_store_config config = {
      .words = 1, .threads = 1, .seed = seed, .budget = budget, .options = &options};
  return store_open(type, &config);
}

static uint64_t put_keys(struct clew_store *store, uint64_t first, uint64_t end) {
  uint64_t states[BATCH], before = type->count(store), next = before;
  struct clew_visit visits[BATCH];
  for (uint64_t key = first; key < end; key += BATCH) {
    uint32_t n = end - key < BATCH ? (uint32_t)(end - key) : BATCH;
    for (uint32_t i = 0; i < n; i++) {
      states[i] = key + i;
      visits[i] = (struct clew_visit){.state = &states[i],
                                      .hash = clew_hash_words(&states[i], 1, store->config.seed)};
      type->prefetch(store, visits[i].hash);
    }
    assert_int_equal(type->reserve(store, n), CLEW_ROOM);
    type->put(store, n, visits);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(visits[i].answer == CLEW_NEW || visits[i].answer == CLEW_SEEN);
      if (visits[i].answer == CLEW_NEW) {
        assert_int_equal(visits[i].id, next++);
      }
      assert_true(type->has(store, visits[i].hash));
    }
  }
  assert_int_equal(type->count(store), next);
  return next - before;
}

/* The fraction of fresh states that would be called seen. */
static double measured_chance(const struct clew_store *store, uint64_t probes) {
  uint64_t hits = 0;
  for (uint64_t i = 0; i < probes; i++) {
    uint64_t key = i + (UINT64_C(1) << 40);
    hits += type->has(store, clew_hash_words(&key, 1, store->config.seed));
  }
  return (double)hits / (double)probes;
}

/* A classic filter of m bits with n states: (1 - (1 - 1/m)^(kn))^k. */
static double classic_formula(double m, double n, double k) {
  return pow(-expm1(k * n * log1p(-1 / m)), k);
}

/* A blocked one: blocks have a Poisson number of states; of each number, the distribution of the
 * bits set is that of k throws per state into 512 cells. */
static double blocked_formula(double m, double n, uint32_t k) {
  double mean = n * 512 / m, poisson = exp(-mean), sum = 0;
  double distribution[513] = {[0] = 1};
  for (int states = 0; states < mean + 12 * sqrt(mean) + 20; states++) {
    for (int ones = 0; ones <= 512; ones++) {
      sum += poisson * distribution[ones] * pow(ones / 512.0, k);
    }
    for (uint32_t i = 0; i < k; i++) {
      for (int ones = 512; ones > 0; ones--) {
        distribution[ones] =
            distribution[ones] * ones / 512 + distribution[ones - 1] * (513 - ones) / 512;
      }
      distribution[0] = 0;
    }
    poisson *= mean / (states + 1);
  }
  return sum;
}

static void compare_with_formula(uint32_t k, bool classic, uint64_t states, uint64_t expect) {
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 30);
  struct clew_store *store = open_store(
      &budget, (struct clew_bloom_options){.bits = k, .expect = expect, .classic = classic}, k);
  double m = store_counter(store, "bits");
  assert_true(m >= k * (double)expect / log(2) && m < k * (double)expect / log(2) + 513);
  uint64_t found_new = put_keys(store, 0, states);
  assert_int_equal(put_keys(store, 0, states), 0);
  const uint64_t probes = 200000;
  double n = (double)states; /* omitted ones add no bits and would not have added any */
  double formula = classic ? classic_formula(m, n, k) : blocked_formula(m, n, k);
  double measured = measured_chance(store, probes),
         claimed = store_counter(store, "omission_per_state");
  double deviation = sqrt(claimed * (1 - claimed) / (double)probes) + 1e-9;
  /* With many bits the mean is made by the few fullest blocks, of which a table has few. */
  assert_true(fabs(claimed - formula) <= (0.02 + k * k / 4000.0) * formula + 1e-9);
  assert_true(fabs(measured - claimed) <= 4 * deviation);
  /* The omissions that happened against those that were estimated on the way. */
  double omitted = n - (double)found_new, expected = store_counter(store, "expected_omissions");
  double reach = store_counter(store, "omissions_deviation");
  assert_true(fabs(omitted - expected) <= 5 * reach + 1 + 0.01 * expected);
  store_assert_valid(store);
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
}

static void test_false_positives(void **state) {
  (void)state;
  static const uint32_t ks[] = {1, 2, 3, 4, 8, 14, 15, 20};
  for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
    compare_with_formula(ks[i], false, 100000, 100000);
    compare_with_formula(ks[i], true, 100000, 100000);
  }
  compare_with_formula(3, false, 100000, 300000);
  compare_with_formula(3, true, 100000, 300000);
  compare_with_formula(64, false, 20000, 20000);
  compare_with_formula(64, true, 20000, 20000);
}

/* Far too many states: it goes on and says so. */
static void test_overfull(void **state) {
  (void)state;
  for (uint32_t classic = 0; classic < 2; classic++) {
    struct clew_bloom_options options = {.bits = 2, .expect = 100, .classic = classic != 0};
    struct clew_store *store = open_store(NULL, options, 1);
    put_keys(store, 0, 100000);
    assert_int_equal(put_keys(store, 0, 100000), 0);
    assert_true(store_counter(store, "omission_per_state") > 0.99);
    assert_true(type->omission(store) > 0.999999);
    assert_int_equal(type->reserve(store, 100), CLEW_ROOM);
    store_assert_valid(store);
    type->close(store);
  }
}

static void test_sizes(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 8 << 20);
  struct clew_store *store = open_store(&budget, (struct clew_bloom_options){0}, 1);
  assert_true(store_counter(store, "bits") == 0); /* no filter before it is needed */
  assert_int_equal(type->bytes(store), clew_budget_used(&budget));
  assert_true(type->omission(store) == 0);
  put_keys(store, 0, 1000);
  assert_true(type->omission(store) < 1e-3);
  assert_int_equal(type->adopt(store), 1000);
  assert_int_equal(type->count(store), 1001);
  type->close(store);
  /* As many bits as are best for the memory, up to a point. */
  store = open_store(&budget, (struct clew_bloom_options){.expect = 7 << 20}, 1);
  assert_true(store_counter(store, "bits_per_state") == 6);
  type->close(store);
  store = open_store(&budget, (struct clew_bloom_options){.expect = 1000}, 1);
  assert_true(store_counter(store, "bits_per_state") == 24);
  assert_true(type->bytes(store) < 128 << 10);
  type->close(store);
  store = open_store(&budget, (struct clew_bloom_options){.bits = 5, .entries = 1000}, 1);
  assert_true(store_counter(store, "bits") == 15 * 512);
  type->close(store);
  assert_int_equal(clew_budget_used(&budget), 0);
}

/* Whole hashes until they take an eighth of the budget, then a filter that has all of them. */
static void test_filter_when_it_is_needed(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < 4; kind++) {
    struct clew_budget budget;
    clew_budget_init(&budget, 8 << 20);
    struct clew_bloom_options options = {.classic = kind % 2 != 0, .bits = kind < 2 ? 0 : 7};
    struct clew_store *store = open_store(&budget, options, 5);
    uint64_t key = 0;
    assert_int_equal(put_keys(store, 0, 1000), 1000);
    assert_int_equal(type->adopt(store), 1000);
    for (key = 1000; store_counter(store, "bits") == 0; key += 1000) {
      assert_true(key < 200000);
      put_keys(store, key, key + 1000);
      assert_true(clew_budget_used(&budget) <= 8 << 20);
    }
    assert_true(key > 100000);
    assert_true(store_counter(store, "bits") > (5 << 20) * 8.0);
    assert_true(store_counter(store, "bits_per_state") == (kind < 2 ? 3 : 7));
    assert_true(store_counter(store, "visits") == (double)key);
    store_assert_valid(store);
    double low = (double)key + 1 - store_counter(store, "expected_omissions");
    assert_true((double)type->count(store) >= low - 10 && type->count(store) <= key + 1);
    /* Nothing is forgotten, and it goes on as a filter. */
    uint64_t count = type->count(store);
    assert_int_equal(put_keys(store, 0, key), 0);
    double before = store_counter(store, "expected_omissions");
    uint64_t added = put_keys(store, key, key + 300000);
    double omitted = 300000 - (double)added;
    double expected = store_counter(store, "expected_omissions") - before;
    assert_true(fabs(omitted - expected) <=
                5 * store_counter(store, "omissions_deviation") + 1 + 0.02 * expected);
    assert_int_equal(type->count(store), count + added);
    assert_int_equal(type->bytes(store), clew_budget_used(&budget));
    store_assert_valid(store);
    type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void refuse(struct clew_bloom_options options, uint64_t limit, enum clew_status status,
                   const char *message) {
  store_refuses(type, &options, limit, status, message);
}

static void test_refusals(void **state) {
  (void)state;
  refuse((struct clew_bloom_options){.bits = 65}, 1 << 20, CLEW_BAD_INPUT,
         "the bloom store sets 1 to 64 bits for a state, not 65");
  refuse((struct clew_bloom_options){.bits = 3, .expect = 10000000}, 1 << 20, CLEW_OVER_LIMIT,
         "the memory budget is too small for a Bloom filter for so many states");
  refuse((struct clew_bloom_options){.bits = 64, .entries = UINT64_MAX}, 1 << 20, CLEW_OVER_LIMIT,
         "the memory budget is too small for a Bloom filter for so many states");
  refuse((struct clew_bloom_options){0}, 10, CLEW_OVER_LIMIT,
         "the memory budget is too small for any state");
}

static void test_options(void **state) {
  (void)state;
  store_assert_options(type);
  assert_int_equal(type->options.count, 4);
  assert_int_equal(type->options.bytes, sizeof(struct clew_bloom_options));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_false_positives),
      cmocka_unit_test(test_overfull),
      cmocka_unit_test(test_filter_when_it_is_needed),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
