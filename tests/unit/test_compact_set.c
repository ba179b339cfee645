/* The growing set of numbers of the compact store against a sorted array: all widths, numbers that
 * spread and numbers that do not, everything there is, the end of the budget, both ways of
 * comparing tags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/random.h"
#include "store/compact_set_int.h"

enum { BATCH = 100 };

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void assert_valid(const struct clew_compact_set *set) {
  const char *why = clew_compact_set_validate(set);
  if (why != NULL) {
    fail_msg("%s", why);
  }
}

struct collected {
  uint64_t *numbers, count, most;
};

static void collect(void *context, uint64_t number) {
  struct collected *all = context;
  assert_true(all->count < all->most);
  all->numbers[all->count++] = number;
}

/* How numbers are made: spread over all, in a few blocks, or in a row. */
enum kind { SPREAD, NEAR, ROW, KINDS };

static uint64_t make_number(struct clew_random *random, enum kind kind, uint32_t bits, uint64_t i) {
  uint64_t number = clew_random_u64(random) & clew_bits_mask(bits);
  switch (kind) {
  case NEAR: /* some upper bits are equal */
    return number & clew_bits_mask(bits - bits / 4);
  case ROW:
    return i & clew_bits_mask(bits);
  default:
    return number;
  }
}

/* Puts `count` numbers, some of them twice, and compares with what a sorted array says. */
static void compare_with_array(uint32_t bits, uint64_t count, enum kind kind, uint64_t seed) {
  struct clew_random random;
  clew_random_seed(&random, seed);
  struct clew_compact_set set;
  assert_true(clew_compact_set_open(&set, bits, UINT64_C(1) << 28, NULL));
  uint64_t *all = clew_alloc((size_t)count * sizeof *all), found_new = 0, done = 0;
  while (done < count) {
    uint64_t batch[BATCH];
    bool is_new[BATCH];
    uint32_t some = (uint32_t)(1 + clew_random_u64(&random) % BATCH);
    some = some < count - done ? some : (uint32_t)(count - done);
    for (uint32_t i = 0; i < some; i++) {
      bool again = done + i > 0 && clew_random_u64(&random) % 4 == 0;
      uint64_t number = again ? all[clew_random_u64(&random) % (done + i)]
                              : make_number(&random, kind, bits, done + i);
      batch[i] = all[done + i] = number;
      clew_compact_set_prefetch(&set, number);
    }
    assert_true(clew_compact_set_reserve(&set, some));
    assert_true(clew_compact_set_room(&set) >= some);
    clew_compact_set_put(&set, some, batch, is_new);
    for (uint32_t i = 0; i < some; i++) {
      found_new += is_new[i];
      assert_true(clew_compact_set_has(&set, batch[i]));
    }
    done += some;
  }
  assert_valid(&set);
  qsort(all, count, sizeof *all, compare_u64);
  uint64_t distinct = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (i == 0 || all[i] != all[distinct - 1]) {
      all[distinct++] = all[i];
    }
  }
  assert_int_equal(found_new, distinct);
  assert_int_equal(set.count, distinct);
  struct collected read = {.numbers = clew_alloc((size_t)distinct * sizeof *all), .most = distinct};
  clew_compact_set_each(&set, collect, &read);
  assert_int_equal(read.count, distinct);
  qsort(read.numbers, distinct, sizeof *read.numbers, compare_u64);
  assert_memory_equal(read.numbers, all, distinct * sizeof *all);
  for (uint32_t i = 0; i < 1000; i++) {
    uint64_t number = make_number(&random, kind, bits, i);
    bool expected = bsearch(&number, all, distinct, sizeof *all, compare_u64) != NULL;
    assert_int_equal(clew_compact_set_has(&set, number), expected);
  }
  clew_free(read.numbers);
  clew_free(all);
  clew_compact_set_close(&set);
}

static void test_against_array(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint32_t bits = CLEW_COMPACT_SET_LEAST_BITS; bits <= 64; bits += bits < 20 ? 1 : 11) {
    for (enum kind kind = SPREAD; kind < KINDS; kind++) {
      for (uint64_t count = 30; count <= 30000; count *= 10) {
        compare_with_array(bits, count, kind, seed);
        seed++;
      }
    }
  }
  compare_with_array(64, 400000, SPREAD, seed);
  compare_with_array(33, 400000, SPREAD, seed);
}

/* Every number of so many bits, in a row and mixed: the last shape of the set holds them all. */
static void test_all_numbers(void **state) {
  (void)state;
  for (uint32_t bits = CLEW_COMPACT_SET_LEAST_BITS; bits <= 17; bits++) {
    for (uint64_t factor = 1; factor < 10; factor += 8) {
      struct clew_compact_set set;
      assert_true(clew_compact_set_open(&set, bits, UINT64_C(1) << 24, NULL));
      for (uint64_t i = 0; i >> bits == 0; i++) {
        uint64_t number = i * (factor | 1) * 5 & clew_bits_mask(bits);
        bool is_new;
        assert_true(clew_compact_set_reserve(&set, 1));
        clew_compact_set_put(&set, 1, &number, &is_new);
        assert_true(is_new);
      }
      assert_int_equal(set.count, UINT64_C(1) << bits);
      assert_true(clew_compact_set_reserve(&set, 1000)); /* nothing new can come */
      assert_valid(&set);
      clew_compact_set_close(&set);
    }
  }
}

/* Up to a refusal everything is kept, and the budget too. */
static void test_budget(void **state) {
  (void)state;
  for (uint64_t limit = 20000; limit < 3000000; limit = limit * 3 / 2) {
    struct clew_budget budget;
    clew_budget_init(&budget, limit);
    struct clew_compact_set set;
    struct clew_random random;
    clew_random_seed(&random, limit);
    assert_true(clew_compact_set_open(&set, 50, limit, &budget));
    uint64_t count = 0;
    while (clew_compact_set_reserve(&set, 10)) {
      for (uint32_t i = 0; i < 10; i++) {
        uint64_t number = clew_random_u64(&random) >> 14;
        bool is_new;
        clew_compact_set_put(&set, 1, &number, &is_new);
        count += is_new;
      }
      assert_true(clew_budget_used(&budget) <= limit);
    }
    assert_int_equal(set.count, count);
    assert_valid(&set);
    clew_random_seed(&random, limit);
    for (uint64_t i = 0; i < count; i++) {
      assert_true(clew_compact_set_has(&set, clew_random_u64(&random) >> 14));
    }
    clew_compact_set_close(&set);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

static void test_equal_tags(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 1);
  for (uint32_t round = 0; round < 1000; round++) {
    _Alignas(SET_LINE_BYTES) unsigned char line[SET_LINE_BYTES];
    uint64_t expected = 0;
    for (uint32_t i = 0; i < SET_LINE_BYTES; i++) {
      line[i] = (unsigned char)(250 + clew_random_u64(&random) % 10);
      expected |= (uint64_t)(line[i] == 255) << i;
    }
    assert_true(equal_tags(line, 255) == expected);
    assert_true(equal_tags_plainly(line, 255) == expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_array),
      cmocka_unit_test(test_all_numbers),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_equal_tags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
