/* The guard of the hash: states of models are vectors of small integers, and exactly those are
 * where plausible hashes fail. Every vector of several shapes is hashed; no two of the 64-bit
 * hashes may be equal (for a random function that would happen once in ten million runs), and both
 * ends of the hash, which tables use as index and as tag, must be spread like random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { BUCKET_BITS = 20, BUCKETS = 1 << BUCKET_BITS };

static const uint64_t seeds[] = {0, UINT64_C(0x9e3779b97f4a7c15)};

/* The occupancy of buckets is about Poisson: for a load of at most one, the fullest of 2^20 holds
 * about 9, and 17 would be a miracle; the share of those in use is 1 - e^-load within 0.1 %. */
static void check_spread(const uint64_t *hashes, size_t count, unsigned shift) {
  static uint8_t buckets[BUCKETS];
  memset(buckets, 0, sizeof buckets);
  unsigned fullest = 0, used = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t *bucket = &buckets[(hashes[i] >> shift) % BUCKETS];
    assert_true(*bucket < UINT8_MAX);
    used += *bucket == 0 ? 1 : 0;
    *bucket = (uint8_t)(*bucket + 1);
    fullest = *bucket > fullest ? *bucket : fullest;
  }
  double load = (double)count / BUCKETS;
  assert_true(load <= 1.0);
  assert_in_range(fullest, 1, 16);
  double expected = BUCKETS * -expm1(-load);
  assert_true(used > expected * 0.99 && used < expected * 1.01);
}

/* Equal hashes are in one bucket of the high bits: a counting sort by those, then all pairs. */
static void check_distinct(const uint64_t *hashes, size_t count) {
  static uint32_t ends[BUCKETS + 1];
  const unsigned shift = 64 - BUCKET_BITS;
  uint64_t *sorted = clew_realloc_array(NULL, count, sizeof *sorted);
  memset(ends, 0, sizeof ends);
  for (size_t i = 0; i < count; i++) {
    ends[(hashes[i] >> shift) + 1]++;
  }
  for (size_t i = 0; i < BUCKETS; i++) {
    ends[i + 1] += ends[i];
  }
  assert_int_equal(ends[BUCKETS], count);
  for (size_t i = 0; i < count; i++) {
    sorted[ends[hashes[i] >> shift]++] = hashes[i];
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = i + 1; k < ends[sorted[i] >> shift]; k++) {
      assert_true(sorted[i] != sorted[k]);
    }
  }
  clew_free(sorted);
}

static void check_hashes(const uint64_t *hashes, size_t count) {
  check_spread(hashes, count, 0);
  check_spread(hashes, count, 64 - BUCKET_BITS);
  check_distinct(hashes, count);
}

/* All vectors of `words` words with values 0..base-1. */
static void check_words(uint32_t words, uint64_t base) {
  assert_in_range(words, 1, 16);
  size_t count = 1;
  for (uint32_t i = 0; i < words; i++) {
    count *= base;
  }
  uint64_t *hashes = clew_realloc_array(NULL, count, sizeof *hashes);
  for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
    uint64_t state[16] = {0};
    for (size_t i = 0; i < count; i++) {
      hashes[i] = clew_hash_words(state, words, seeds[s]);
      for (uint32_t k = 0; k < words && ++state[k] == base; k++) {
        state[k] = 0;
      }
    }
    check_hashes(hashes, count);
  }
  clew_free(hashes);
}

/* Twenty bits of information in fields of `field` bits, `stride` bits apart and none across the end
 * of a word, as a state layout has them. */
static void check_fields(uint32_t words, unsigned field, unsigned stride) {
  const size_t count = 1 << 20;
  unsigned per_word = 64 / stride;
  assert_true(20 % field == 0 && 20 / field <= per_word * words);
  uint64_t *hashes = clew_realloc_array(NULL, count, sizeof *hashes);
  for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
    for (size_t i = 0; i < count; i++) {
      uint64_t state[16] = {0};
      for (unsigned k = 0; k < 20 / field; k++) {
        uint64_t value = (i >> k * field) & ((UINT64_C(1) << field) - 1);
        state[k / per_word] |= value << k % per_word * stride;
      }
      hashes[i] = clew_hash_words(state, words, seeds[s]);
    }
    check_hashes(hashes, count);
  }
  clew_free(hashes);
}

static void test_words(void **state) {
  (void)state;
  check_words(1, 1 << 20);
  check_words(2, 1 << 10);
  check_words(3, 100);
  check_words(4, 32);
  check_words(5, 16);
  check_words(8, 4);
  check_words(10, 4);
  check_words(12, 3);
  check_words(16, 2);
}

static void test_fields(void **state) {
  (void)state;
  check_fields(1, 4, 4);
  check_fields(1, 4, 12);
  check_fields(1, 1, 3);
  check_fields(2, 4, 16);
  check_fields(5, 4, 64);
  check_fields(4, 2, 16);
  check_fields(10, 2, 64);
  check_fields(16, 4, 4); /* most of a large state is zero */
}

/* Vectors of different length, all zero, are different inputs too. */
static void test_lengths_and_seeds(void **state) {
  (void)state;
  enum { LENGTHS = 512 };
  static const uint64_t zeros[LENGTHS] = {0};
  uint64_t hashes[2 * LENGTHS];
  for (uint32_t i = 0; i < LENGTHS; i++) {
    hashes[2 * i] = clew_hash_words(zeros, i, seeds[0]);
    hashes[2 * i + 1] = clew_hash_words(zeros, i, seeds[1]);
  }
  check_distinct(hashes, 2 * LENGTHS);
}

static void test_forms_agree(void **state) {
  (void)state;
  uint64_t words[40];
  for (uint64_t i = 0; i < 40; i++) {
    words[i] = i;
  }
  for (uint32_t n = 0; n <= 40; n++) {
    assert_true(clew_hash_words(words, n, 5) == clew_hash_bytes(words, n * sizeof words[0], 5));
  }
}

/* Both halves of the long hash are good on their own, so their pair is. */
static void test_hash128(void **state) {
  (void)state;
  const size_t count = 1 << 20;
  uint64_t *low = clew_realloc_array(NULL, count, sizeof *low);
  uint64_t *high = clew_realloc_array(NULL, count, sizeof *high);
  for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
    for (uint64_t i = 0; i < count; i++) {
      uint64_t state_words[3] = {i & 127, i >> 7 & 127, i >> 14};
      struct clew_hash128 hash = clew_hash128_bytes(state_words, sizeof state_words, seeds[s]);
      assert_true(hash.low != hash.high);
      low[i] = hash.low;
      high[i] = hash.high;
    }
    check_hashes(low, count);
    check_hashes(high, count);
  }
  clew_free(low);
  clew_free(high);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_fields),
      cmocka_unit_test(test_lengths_and_seeds),
      cmocka_unit_test(test_forms_agree),
      cmocka_unit_test(test_hash128),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
