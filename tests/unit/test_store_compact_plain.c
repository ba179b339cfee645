/* The compact store without quotienting: answer by answer against an unpacked table, full tables,
 * sizes, and the predicted number and probability of omissions over many seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/compact_options.h"
#include "unit/store_keys.h"

static struct clew_store *open_plain(struct clew_budget *budget, uint32_t bits, uint64_t entries,
                                     uint64_t seed) {
  struct clew_compact_options options = {
      .hash_bits = bits, .entries = entries, .no_quotient = true};
  struct clew_store_config config = {
      .words = KEY_WORDS, .threads = 1, .seed = seed, .budget = budget, .options = &options};
  return store_open(&clew_store_compact, &config);
}

static uint64_t slots_of(const struct clew_store *store) {
  return (uint64_t)store_counter(store, "slots");
}

/* ---- against an unpacked table ---- */

struct reference {
  uint64_t slots, *signatures, count;
  bool *taken;
  uint32_t bits;
};

static uint64_t scaled(uint64_t hash, uint64_t range) {
  return (uint64_t)(((unsigned __int128)hash * range) >> 64);
}

/* By the definition at the head of compact_plain.c: the slot where the way ends, or `slots`. */
static uint64_t reference_find(const struct reference *set, uint64_t hash) {
  struct clew_hash128 place = clew_hash128_bytes(&hash, sizeof hash, 1);
  uint64_t first = scaled(place.low, set->slots), step = 1 + scaled(place.high, set->slots - 1);
  for (uint64_t i = 0; i < set->slots; i++) {
    uint64_t slot = (first + i * step) % set->slots;
    if (!set->taken[slot] || set->signatures[slot] == hash >> (64 - set->bits)) {
      return slot;
    }
  }
  return set->slots;
}

static enum clew_answer reference_put(struct reference *set, uint64_t hash) {
  uint64_t slot = reference_find(set, hash);
  if (slot == set->slots) {
    return CLEW_FULL;
  }
  if (set->taken[slot]) {
    return CLEW_SEEN;
  }
  set->taken[slot] = true;
  set->signatures[slot] = hash >> (64 - set->bits);
  set->count++;
  return CLEW_NEW;
}

/* Random hashes, some of them again, until the table has refused some. */
static void compare_with_reference(uint64_t entries, uint32_t bits, uint64_t seed) {
  struct clew_store *store = open_plain(NULL, bits, entries, seed);
  struct reference set = {.slots = slots_of(store), .bits = bits};
  set.signatures = clew_alloc_zero((size_t)set.slots, sizeof *set.signatures);
  set.taken = clew_alloc_zero((size_t)set.slots, sizeof *set.taken);
  uint64_t visits = 4 * set.slots + 20, words[KEY_WORDS] = {0};
  uint64_t *hashes = clew_alloc((size_t)visits * sizeof *hashes);
  struct clew_random random;
  clew_random_seed(&random, seed);
  for (uint64_t i = 0; i < visits; i++) {
    bool again = i > 0 && clew_random_below(&random, 3) == 0;
    hashes[i] = again ? hashes[clew_random_below(&random, i)] : clew_random_u64(&random);
    struct clew_visit visit = {.state = words, .hash = hashes[i]};
    uint64_t slot = reference_find(&set, visit.hash);
    bool known = slot < set.slots && set.taken[slot];
    assert_int_equal(store->type->has(store, visit.hash), known);
    store->type->prefetch(store, visit.hash);
    store->type->put(store, 1, &visit);
    assert_int_equal(visit.answer, reference_put(&set, visit.hash));
    assert_int_equal(store->type->count(store), set.count);
    assert_true(visit.answer != CLEW_NEW || visit.id == set.count - 1);
    assert_int_equal(store->type->has(store, visit.hash), visit.answer != CLEW_FULL);
    enum clew_room room = store->type->reserve(store, 1);
    assert_true(visit.answer != CLEW_FULL || room == CLEW_ROOM_MEMORY);
  }
  store_assert_valid(store);
  store->type->close(store);
  clew_free(hashes);
  clew_free(set.taken);
  clew_free(set.signatures);
}

static void test_against_reference(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 2, 3, 4, 30, 63, 64, 65, 127, 128, 129, 1000};
  static const uint32_t widths[] = {2, 3, 5, 7, 8, 20, 31, 32, 33, 40, 63, 64};
  uint64_t seed = 1;
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      compare_with_reference(sizes[s], widths[w], seed++);
    }
  }
}

/* ---- what is stored ---- */

static void test_stored_states_are_found(void **state) {
  (void)state;
  static const uint32_t widths[] = {2, 4, 10, 40};
  for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
    struct clew_store *store = open_plain(NULL, widths[w], 100000, w);
    put_keys(store, 0, 100000, w % 2 == 0);
    assert_int_equal(put_keys(store, 0, 100000, w % 2 == 0), 0);
    store_assert_valid(store);
    store->type->close(store);
  }
}

static void test_whole_hash_never_omits(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < 2; kind++) {
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 26);
    struct clew_store *store = open_plain(&budget, kind == 0 ? 64 : 0, 300000, 11);
    assert_int_equal(put_keys(store, 0, 300000, kind == 1), 300000);
    assert_int_equal(put_keys(store, 0, 300000, kind == 1), 0);
    assert_true(store->type->omission(store) < 1e-8);
    assert_int_equal(store->type->bytes(store), clew_budget_used(&budget));
    store_assert_valid(store);
    store->type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void test_full_table(void **state) {
  (void)state;
  /* The least prime from each on. */
  static const uint64_t sizes[][2] = {{1, 2},   {2, 2},       {4, 5},          {24, 29},
                                      {64, 67}, {1000, 1009}, {100000, 100003}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint64_t slots = sizes[i][1], words[KEY_WORDS];
    struct clew_store *store = open_plain(NULL, 64, sizes[i][0], 1);
    assert_int_equal(slots_of(store), slots);
    assert_int_equal(put_keys(store, 0, slots, false), slots);
    store_assert_valid(store);
    /* Everything is still found, and the search may go on as long as nothing new comes. */
    assert_int_equal(put_keys(store, 0, slots, false), 0);
    struct clew_visit visit;
    make_visit(store, slots, false, words, &visit);
    assert_false(store->type->has(store, visit.hash));
    assert_int_equal(store->type->reserve(store, 1), CLEW_ROOM);
    store->type->put(store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_FULL);
    assert_int_equal(store->type->reserve(store, 1), CLEW_ROOM_MEMORY);
    make_visit(store, 0, false, words, &visit);
    store->type->put(store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_SEEN);
    assert_int_equal(store->type->count(store), slots);
    store->type->close(store);
  }
}

/* ---- omissions ---- */

/* As many keys are offered as the table has slots times `share`. */
static void omissions_over_seeds(uint32_t bits, uint64_t entries, double share) {
  enum { SEEDS = 20 };
  double omitted_sum = 0, expected_sum = 0, variance_sum = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct clew_store *store = open_plain(NULL, bits, entries, seed);
    uint64_t keys = (uint64_t)((double)slots_of(store) * share);
    double omitted = (double)(keys - put_keys(store, 0, keys, false));
    double expected = store_counter(store, "expected_omissions");
    double deviation = store_counter(store, "omissions_deviation");
    assert_true(fabs(omitted - expected) <= 4 * deviation + 1);
    omitted_sum += omitted;
    expected_sum += expected;
    variance_sum += deviation * deviation;
    store->type->close(store);
  }
  assert_true(fabs(omitted_sum - expected_sum) <= 4 * sqrt(variance_sum));
}

static void test_omissions_are_as_predicted(void **state) {
  (void)state;
  omissions_over_seeds(2, 100000, 1);
  omissions_over_seeds(2, 100000, 0.3);
  omissions_over_seeds(4, 100000, 1);
  omissions_over_seeds(4, 150000, 0.7);
  omissions_over_seeds(10, 100000, 1);
  omissions_over_seeds(12, 200000, 0.9);
  omissions_over_seeds(20, 200000, 0.98);
}

/* What k slots on the way do to a state: the share of new states called seen at a given load. */
static void test_chance_of_a_further_state(void **state) {
  (void)state;
  static const double loads[] = {0.1, 0.5, 0.9};
  for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
    struct clew_store *store = open_plain(NULL, 3, 50000, i);
    uint64_t slots = slots_of(store), key = 0;
    while ((double)store->type->count(store) < loads[i] * (double)slots) {
      put_keys(store, key, key + 1, false);
      key++;
    }
    double chance = store_counter(store, "omission_per_state"), trials = 200000, seen = 0;
    double load = store_counter(store, "load");
    assert_true(fabs(chance - load / 8 / (1 - load * 7 / 8)) < 0.001);
    for (uint64_t t = 0; t < (uint64_t)trials; t++) {
      uint64_t words[KEY_WORDS];
      struct clew_visit visit;
      make_visit(store, key + t, false, words, &visit);
      seen += store->type->has(store, visit.hash);
    }
    /* The table is one sample, too, which the trials share. */
    double deviation = sqrt(chance * (1 - chance) * (1 / trials + 1 / (double)slots));
    assert_true(fabs(seen / trials - chance) <= 4 * deviation);
    store->type->close(store);
  }
}

static void test_probability_of_any_omission(void **state) {
  (void)state;
  enum { SEEDS = 300 };
  double predicted = 0, variance = 0, seen = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct clew_store *store = open_plain(NULL, 14, 10007, seed);
    uint64_t omitted = 9000 - put_keys(store, 0, 9000, false);
    double any = store->type->omission(store);
    predicted += any;
    variance += any * (1 - any);
    seen += omitted > 0;
    store->type->close(store);
  }
  assert_true(predicted > 0.3 * SEEDS && predicted < 0.8 * SEEDS); /* else it would show little */
  assert_true(fabs(seen - predicted) <= 4 * sqrt(variance));
}

/* ---- sizes and figures ---- */

static void test_size_follows_budget(void **state) {
  (void)state;
  static const uint64_t limits[] = {64 << 10, 1000000, 20000000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct clew_budget budget;
    clew_budget_init(&budget, limits[i]);
    struct clew_store *store = open_plain(&budget, 7, 0, 1);
    uint64_t slots = slots_of(store); /* of 8 bits */
    assert_true(slots <= limits[i] && slots >= limits[i] / 10 * 8);
    assert_true(clew_budget_used(&budget) <= limits[i]);
    uint64_t key = 0;
    for (; store->type->count(store) < slots / 2; key += 100) {
      put_keys(store, key, key + 100, false);
    }
    assert_int_equal(put_keys(store, 0, key, false), 0);
    store_assert_valid(store);
    store->type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void refuse(uint32_t bits, uint64_t entries, uint64_t limit, enum clew_status status,
                   const char *message) {
  struct clew_compact_options options = {
      .hash_bits = bits, .entries = entries, .no_quotient = true};
  store_refuses(&clew_store_compact, &options, limit, status, message);
}

static void test_refusals(void **state) {
  (void)state;
  refuse(1, 0, 1 << 20, CLEW_BAD_INPUT, "the compact store keeps 2 to 64 bits of a state, not 1");
  refuse(0, UINT64_MAX, 1 << 20, CLEW_BAD_INPUT,
         "the compact store has at most 1099511627776 entries");
  refuse(0, 10000000, 1 << 20, CLEW_OVER_LIMIT,
         "the memory budget is too small for a table of so many entries");
  refuse(0, 0, 100, CLEW_OVER_LIMIT, "the memory budget is too small for any state");
}

static void test_adopted_states_are_counted(void **state) {
  (void)state;
  struct clew_store *store = open_plain(NULL, 16, 1000, 2);
  assert_int_equal(put_keys(store, 0, 100, false), 100);
  assert_int_equal(store->type->adopt(store), 100);
  assert_int_equal(store->type->adopt(store), 101);
  assert_int_equal(put_keys(store, 100, 200, false), 100);
  assert_int_equal(store->type->count(store), 202);
  assert_true(store_counter(store, "adopted") == 2);
  assert_true(store_counter(store, "signature_bits") == 16);
  assert_true(store_counter(store, "stored_bits") == 16);
  assert_true(store_counter(store, "slots") == 1009);
  assert_true(store_counter(store, "passed_slots") > 0);
  store->type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_reference),
      cmocka_unit_test(test_stored_states_are_found),
      cmocka_unit_test(test_whole_hash_never_omits),
      cmocka_unit_test(test_full_table),
      cmocka_unit_test(test_omissions_are_as_predicted),
      cmocka_unit_test(test_chance_of_a_further_state),
      cmocka_unit_test(test_probability_of_any_omission),
      cmocka_unit_test(test_size_follows_budget),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_adopted_states_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
