/* The digests of the disk store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/disk_int.h"

static int compare_numbers(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* Keys below 2^bits, or above 2^64 - 2^bits. */
static uint64_t random_key(struct clew_random *random, uint32_t bits, bool upper) {
  uint64_t key = clew_random_u64(random) >> (64 - bits);
  key = upper ? ~key : key;
  return key != CLEW_DISK_NO_KEY ? key : key - 1;
}

/* Every key is found at its place, whichever others are asked for in between; the number of keys
 * that were never added and are taken for known is returned. */
static uint64_t check(const uint64_t *keys, uint32_t count, uint32_t low_bits, uint32_t step,
                      struct clew_random *random) {
  struct clew_budget budget;
  clew_budget_init(&budget, 16 << 20);
  struct clew_disk_digest d;
  assert_true(clew_disk_digest_open(&d, count, low_bits, &budget));
  assert_int_equal(clew_budget_used(&budget), clew_disk_digest_bytes(count, low_bits));
  for (uint32_t i = 0; i < count; i++) {
    clew_disk_digest_add(&d, keys[i]);
  }
  clew_disk_digest_finish(&d);
  struct clew_disk_digest_cursor cursor = {0};
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < count; i += step) {
    uint64_t rank = 0;
    uint32_t found = clew_disk_digest_find(&d, &cursor, keys[i], &rank);
    assert_true(rank <= i && i < rank + found);
    uint64_t next = i + 1 < count ? keys[i + 1] : CLEW_DISK_NO_KEY;
    if (step == 1 && next - keys[i] > 1) {
      uint64_t other = keys[i] + 1 + clew_random_below(random, next - keys[i] - 1);
      wrong += clew_disk_digest_find(&d, &cursor, other, &rank) > 0;
    }
  }
  clew_disk_digest_close(&d);
  assert_int_equal(clew_budget_used(&budget), 0);
  return wrong;
}

static void test_digests(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 11);
  static const uint32_t counts[] = {1, 2, 31, 32, 33, 500, 4096, 70000};
  uint64_t *keys = clew_alloc(70000 * sizeof *keys);
  for (uint32_t c = 0; c < 8; c++) {
    /* Keys of few bits share a home, and those are gone through one by one: not too many of them.
     */
    for (uint32_t bits = counts[c] > 500 ? 64 : 1; bits <= 64; bits += 21) {
      for (uint32_t i = 0; i < counts[c]; i++) {
        keys[i] = random_key(&random, bits, c % 2 == 1);
      }
      qsort(keys, counts[c], sizeof *keys, compare_numbers);
      for (uint32_t low_bits = 1; low_bits <= CLEW_DISK_DIGEST_BITS; low_bits += 5) {
        (void)check(keys, counts[c], low_bits, 1, &random);
        (void)check(keys, counts[c], low_bits, counts[c] / 3 + 1, &random);
      }
    }
  }
  clew_free(keys);
}

/* Random keys: wrong for one of 2^low_bits, and no more. */
static void test_precision(void **state) {
  (void)state;
  enum { COUNT = 1 << 17 };
  struct clew_random random;
  clew_random_seed(&random, 12);
  uint64_t *keys = clew_alloc(COUNT * sizeof *keys);
  for (uint32_t i = 0; i < COUNT; i++) {
    keys[i] = random_key(&random, 64, false);
  }
  qsort(keys, COUNT, sizeof *keys, compare_numbers);
  for (uint32_t low_bits = 4; low_bits <= 10; low_bits += 3) {
    /* Those that are asked for lie between keys, so near ones are more frequent than by chance: the
     * mean over gaps g, exponential around 1, of the lesser of 1 and 2^-low_bits / g, at both ends.
     */
    assert_true(check(keys, COUNT, low_bits, 1, &random) < (uint64_t)COUNT * (2 + 2 * low_bits) >>
                low_bits);
  }
  clew_free(keys);
}

static void test_memory(void **state) {
  (void)state;
  struct clew_budget budget;
  clew_budget_init(&budget, 64 << 10);
  struct clew_disk_digest d;
  assert_int_equal(clew_disk_digest_fit(100000, 100000 / 4), 0);
  assert_int_equal(clew_disk_digest_fit(100000, 100000 / 8 * 9), 6);
  assert_int_equal(clew_disk_digest_fit(100, 1 << 20), CLEW_DISK_DIGEST_BITS);
  assert_false(clew_disk_digest_open(&d, 100000, 6, &budget));
  assert_false(clew_disk_digest_is_on(&d));
  assert_int_equal(clew_budget_used(&budget), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_digests),
      cmocka_unit_test(test_precision),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
