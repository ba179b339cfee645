/* The compact store and its signature table: against reference sets of signatures, exhaustively for
 * small tables, full tables, growth, and the predicted number of omissions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/random.h"
#include "store/compact_options.h"
#include "store/compact_table.h"
#include "store/omission.h"
#include "store/store.h"
#include "unit/store_keys.h"

static const struct clew_store_type *const type = &clew_store_compact;

/* ---- the table against a list ---- */

/* The signature of a hash by the definition in compact_table.h, in 128-bit arithmetic. */
static unsigned __int128 signature_of(const struct clew_compact_shape *shape, uint64_t hash) {
  uint64_t number = hash >> (64 - shape->hash_bits);
  if (clew_bits_for(shape->homes) - 1 == shape->remainder_shift) {
    return number; /* nothing of the number is lost */
  }
  return ((unsigned __int128)number * shape->homes) >> shape->remainder_shift;
}

struct reference {
  unsigned __int128 *signatures;
  uint64_t count;
};

static bool reference_has(const struct reference *set, unsigned __int128 signature) {
  for (uint64_t i = 0; i < set->count; i++) {
    if (set->signatures[i] == signature) {
      return true;
    }
  }
  return false;
}

static unsigned char *table_memory(const struct clew_compact_shape *shape, uint64_t blocks) {
  return clew_alloc_zero((size_t)blocks, shape->block_bytes);
}

static void assert_table_valid(const struct clew_compact_table *table) {
  const char *why = clew_compact_table_validate(table);
  assert_string_equal(why == NULL ? "valid" : why, "valid");
}

/* A hash that is likely to collide with others: of few values, or at one end of the table. */
static uint64_t tricky_hash(struct clew_random *random, uint32_t kind) {
  uint64_t any = clew_random_u64(random);
  switch (kind) {
  case 0:
    return any;
  case 1:
    return any & UINT64_C(0xf000000000000000);
  case 2:
    return any | UINT64_C(0xfff0000000000000);
  case 3:
    return any >> 12;
  default:
    return (any & UINT64_C(0xff000000000000)) | UINT64_C(0x7f00000000000000) | (any & 3);
  }
}

/* Fills to a load of one, comparing every answer, and asks for everything again. */
static void fuzz_table(const struct clew_compact_shape *shape, bool slow_bits, uint64_t seed) {
  uint64_t blocks = clew_compact_blocks_for(2 * shape->homes);
  unsigned char *memory = table_memory(shape, blocks);
  struct clew_compact_table table;
  clew_compact_table_init(&table, shape, memory, blocks);
  table.bit_instructions = table.bit_instructions && !slow_bits;
  struct reference set = {clew_alloc((size_t)shape->homes * sizeof *set.signatures), 0};
  uint64_t *hashes = clew_alloc((size_t)shape->homes * sizeof *hashes);
  struct clew_random random;
  clew_random_seed(&random, seed);
  uint32_t kind = (uint32_t)(seed % 5);
  for (uint32_t i = 0; i < 30 * shape->homes && set.count < shape->homes; i++) {
    uint64_t hash = tricky_hash(&random, i > 15 * shape->homes ? 0 : kind);
    unsigned __int128 signature = signature_of(shape, hash);
    bool is_new = !reference_has(&set, signature);
    assert_int_equal(clew_compact_table_has(&table, hash), !is_new);
    assert_true(clew_compact_table_room(&table) >= 1);
    assert_int_equal(clew_compact_table_add(&table, hash), is_new);
    if (is_new) {
      hashes[set.count] = hash;
      set.signatures[set.count++] = signature;
    }
    clew_compact_table_look_ahead(&table, hash);
    assert_int_equal(table.count, set.count);
    if (i % 7 == 0) {
      assert_table_valid(&table);
    }
  }
  assert_table_valid(&table);
  for (uint64_t i = 0; i < set.count; i++) {
    assert_true(clew_compact_table_has(&table, hashes[i]));
    assert_false(clew_compact_table_add(&table, hashes[i]));
  }
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t hash = clew_random_u64(&random);
    assert_int_equal(clew_compact_table_has(&table, hash),
                     reference_has(&set, signature_of(shape, hash)));
  }
  clew_free(hashes);
  clew_free(set.signatures);
  clew_free(memory);
}

static void test_small_tables(void **state) {
  (void)state;
  static const uint32_t widths[] = {1, 2, 3, 7, 20, 31, 33, 44, 58, 63, 64};
  uint64_t seed = 0;
  for (uint64_t homes = 1; homes <= 64; homes++) {
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      struct clew_compact_shape shape = clew_compact_shape_fixed(homes, widths[w]);
      fuzz_table(&shape, seed % 2 == 0, seed);
      seed++;
    }
  }
  static const uint64_t larger[] = {65, 127, 128, 129, 200, 333, 700};
  for (size_t i = 0; i < sizeof larger / sizeof larger[0]; i++) {
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
      struct clew_compact_shape shape = clew_compact_shape_fixed(larger[i], widths[w]);
      fuzz_table(&shape, seed % 2 == 0, seed);
      seed++;
    }
  }
}

/* ---- the store ---- */

static struct clew_store *open_store(struct clew_budget *budget, uint32_t bits, uint64_t entries,
                                     uint64_t seed) {
  struct clew_compact_options options = {.hash_bits = bits, .entries = entries};
  struct clew_store_config config = {
      .words = KEY_WORDS, .threads = 1, .seed = seed, .budget = budget, .options = &options};
  return store_open(type, &config);
}

static void test_whole_hash_never_omits(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < 2; kind++) {
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 33);
    struct clew_store *store = open_store(&budget, 0, 0, 11);
    assert_int_equal(put_keys(store, 0, 1000000, kind == 1), 1000000);
    assert_int_equal(put_keys(store, 0, 1000000, kind == 1), 0);
    assert_true(store->type->omission(store) < 1e-6);
    store_assert_valid(store);
    assert_int_equal(store->type->bytes(store), clew_budget_used(&budget));
    store->type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

/* What the store calls NEW while it grows is exactly what a set of the upper p bits calls new. */
static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void test_growth_changes_no_answer(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 8 << 20);
  struct clew_store *store = open_store(&budget, 8, 0, 3);
  /* The budget holds 2^22 and some slots of 84 bytes for 64: p = 8 + 22. */
  enum { KEYS = 1000000, P = 30 };
  assert_true((UINT64_C(8) << 20) / 84 * 64 >> (P - 8) == 1);
  uint64_t *signatures = clew_alloc(KEYS * sizeof *signatures), distinct = 0;
  for (uint64_t key = 0; key < KEYS; key++) {
    uint64_t words[2];
    struct clew_visit visit;
    make_visit(store, key, false, words, &visit);
    signatures[key] = visit.hash >> (64 - P);
  }
  uint64_t found_new = put_keys(store, 0, KEYS, false);
  assert_int_equal(put_keys(store, 0, KEYS, false), 0);
  qsort(signatures, KEYS, sizeof *signatures, compare_u64);
  for (uint64_t i = 0; i < KEYS; i++) {
    distinct += i == 0 || signatures[i] != signatures[i - 1];
  }
  assert_int_equal(found_new, distinct);
  assert_true(distinct < KEYS - 100);
  store_assert_valid(store);
  clew_free(signatures);
  store->type->close(store);
}

/* KEYS distinct states thrown into `signatures` cells hit, on average,
 * signatures * (1 - (1 - 1/signatures)^KEYS) of them; the rest is omitted. */
static void omissions_over_seeds(uint32_t bits, uint64_t keys, uint64_t entries) {
  enum { SEEDS = 20 };
  double cells = ldexp((double)entries, (int)bits), load = (double)keys / cells;
  double mean = (double)keys + cells * expm1((double)keys * log1p(-1 / cells));
  double variance = cells * exp(-load) * (1 - (1 + load) * exp(-load)), sum = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 30);
    struct clew_store *store = open_store(&budget, bits, entries, seed);
    double omitted = (double)(keys - put_keys(store, 0, keys, false)), low, high;
    struct clew_omission predicted = clew_omission_of_signatures(store->type->count(store), cells);
    clew_omission_interval(&predicted, 4, &low, &high);
    assert_true(omitted >= low && omitted <= high);
    assert_true(omitted <= ceil(mean + 4 * sqrt(variance)));
    assert_true(omitted >= floor(mean - 4 * sqrt(variance)));
    assert_true(fabs(store->type->omission(store) - clew_omission_any(&predicted)) < 1e-12);
    sum += omitted;
    store->type->close(store);
  }
  assert_true(fabs(sum - SEEDS * mean) <= 4 * sqrt(SEEDS * variance));
}

static void test_omissions_are_as_predicted(void **state) {
  (void)state;
  omissions_over_seeds(20, 1000000, 1000000);
  omissions_over_seeds(12, 200000, 200001);
  omissions_over_seeds(4, 100000, 150000);
  omissions_over_seeds(2, 100000, 100000);
}

static void test_full_table(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 2, 63, 64, 65, 1000, 100003};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint64_t size = sizes[i];
    struct clew_budget budget;
    clew_budget_init(&budget, UINT64_C(1) << 24);
    struct clew_store *store = open_store(&budget, 64, size, 1);
    assert_int_equal(put_keys(store, 0, size, false), size);
    store_assert_valid(store);
    /* Everything is still found, and the search may go on as long as nothing new comes. */
    assert_int_equal(put_keys(store, 0, size, false), 0);
    uint64_t words[2];
    struct clew_visit visit;
    make_visit(store, size, false, words, &visit);
    assert_false(store->type->has(store, visit.hash));
    assert_int_equal(store->type->reserve(store, 1), CLEW_ROOM);
    store->type->put(store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_FULL);
    assert_int_equal(store->type->reserve(store, 1), CLEW_ROOM_MEMORY);
    make_visit(store, 0, false, words, &visit);
    store->type->put(store, 1, &visit);
    assert_int_equal(visit.answer, CLEW_SEEN);
    assert_int_equal(store->type->count(store), size);
    store_assert_valid(store);
    store->type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void test_budget_is_used_up_and_kept(void **state) {
  (void)state;
  static const uint64_t limits[] = {64 << 10, 100 << 10, 1000000, 3 << 20, 20000000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct clew_budget budget;
    clew_budget_init(&budget, limits[i]);
    struct clew_store *store = open_store(&budget, 40, 0, 2);
    uint64_t key = 0;
    for (uint32_t step = KEYS_PER_BATCH; step > 0; step /= 2) {
      while (store->type->reserve(store, step) == CLEW_ROOM) {
        assert_int_equal(put_keys(store, key, key + step, false), step);
        key += step;
      }
    }
    assert_true(clew_budget_used(&budget) <= limits[i]);
    assert_true((double)limits[i] / (double)store->type->count(store) < (i < 3 ? 10.0 : 6.8));
    assert_int_equal(store->type->reserve(store, UINT32_MAX), CLEW_ROOM_MEMORY);
    assert_int_equal(put_keys(store, 0, 0, false), 0);
    uint64_t words[2];
    struct clew_visit visit;
    for (uint64_t k = 0; k < key; k++) {
      make_visit(store, k, false, words, &visit);
      store->type->put(store, 1, &visit);
      assert_int_equal(visit.answer, CLEW_SEEN);
    }
    store_assert_valid(store);
    store->type->close(store);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void test_memory_per_state(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, UINT64_C(1) << 33);
  struct clew_store *store = open_store(&budget, 40, 0, 2);
  for (uint64_t key = 0; key < 3000000; key += 50000) {
    assert_int_equal(put_keys(store, key, key + 50000, false), 50000);
    double per_state = (double)store->type->bytes(store) / (double)store->type->count(store);
    if (key >= 1000000) { /* from 16 MB on memory grows by 2 MB */
      assert_true(per_state <= (store->type->bytes(store) <= 16 << 20 ? 8.5 : 8.6));
    }
  }
  assert_true((double)store->type->bytes(store) / 3e6 <= 7.9);
  store_assert_valid(store);
  store->type->close(store);
}

static void test_adopted_states_are_counted(void **state) {
  (void)state;
  struct clew_store *store = open_store(NULL, 16, 0, 2);
  assert_int_equal(put_keys(store, 0, 100, false), 100);
  assert_int_equal(store->type->adopt(store), 100);
  assert_int_equal(store->type->adopt(store), 101);
  assert_int_equal(store->type->count(store), 102);
  assert_int_equal(put_keys(store, 100, 200, false), 100);
  assert_int_equal(store->type->count(store), 202);
  store->type->close(store);
}

static void refuse(uint32_t bits, uint64_t entries, uint64_t limit, enum clew_status status,
                   const char *message) {
  struct clew_compact_options options = {.hash_bits = bits, .entries = entries};
  store_refuses(type, &options, limit, status, message);
}

static void test_refusals(void **state) {
  (void)state;
  refuse(1, 0, 1 << 20, CLEW_BAD_INPUT, "the compact store keeps 2 to 64 bits of a state, not 1");
  refuse(65, 0, 1 << 20, CLEW_BAD_INPUT, "the compact store keeps 2 to 64 bits of a state, not 65");
  refuse(0, UINT64_MAX, 1 << 20, CLEW_BAD_INPUT,
         "the compact store has at most 1099511627776 entries");
  refuse(0, 10000000, 1 << 20, CLEW_OVER_LIMIT,
         "the memory budget is too small for a table of so many entries");
  refuse(0, 0, 1000, CLEW_OVER_LIMIT, "the memory budget is too small for any state");
}

static void test_options(void **state) {
  (void)state;
  store_assert_options(type);
  assert_int_equal(type->options.count, 3);
  assert_int_equal(type->options.bytes, sizeof(struct clew_compact_options));
  /* A table that does not grow cannot be shared. */
  struct clew_store *store = open_store(NULL, 0, 0, 1);
  assert_int_equal(store->promises,
                   CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE);
  store->type->close(store);
  store = open_store(NULL, 0, 1000, 1);
  assert_int_equal(store->promises, CLEW_STORE_REMEMBERS | CLEW_STORE_PROBE);
  store->type->close(store);
}

static void test_counters(void **state) {
  (void)state;
  struct clew_store *store = open_store(NULL, 10, 1000, 2);
  put_keys(store, 0, 500, false);
  assert_true(fabs(store_counter(store, "signature_bits") - 19.9658) < 0.001);
  assert_int_equal(store_counter(store, "stored_bits"), 10);
  assert_int_equal(store_counter(store, "slots"), 1000);
  assert_true(fabs(store_counter(store, "load") - 0.5) < 0.01);
  assert_true(store_counter(store, "omission_per_state") > 0.0004);
  assert_true(store_counter(store, "expected_omissions") > 0.1);
  store->type->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_tables),
      cmocka_unit_test(test_whole_hash_never_omits),
      cmocka_unit_test(test_growth_changes_no_answer),
      cmocka_unit_test(test_omissions_are_as_predicted),
      cmocka_unit_test(test_full_table),
      cmocka_unit_test(test_budget_is_used_up_and_kept),
      cmocka_unit_test(test_memory_per_state),
      cmocka_unit_test(test_adopted_states_are_counted),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_counters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
