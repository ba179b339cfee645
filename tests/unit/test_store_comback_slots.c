/* The state table of the ComBack store: what is found against a plain array of hashes, under hashes
 * of all widths and shapes, through growth, large jumps, refusals, and full tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/random.h"
#include "store/comback_int.h"

enum { PREFIX_BITS = 27, SHAPES = 6 };

/* Hashes of a shape, of so many bits. */
static uint64_t next_hash(uint32_t shape, uint32_t bits, uint32_t i, struct clew_random *random) {
  uint64_t mask = clew_bits_mask(bits), any = clew_random_u64(random) & mask;
  switch (shape) {
  case 0:
    return any;
  case 1: /* all at the end of the table */
    return mask;
  case 2: /* near the end: the tail is needed */
    return mask - (any & (mask >> 8));
  case 3: /* all at the start */
    return any & (mask >> 8);
  case 4: /* few different ones */
    return (any % 7) * (mask / 7);
  default: /* ascending, the least possible distance apart */
    return i & mask;
  }
}

static uint64_t known(uint64_t hash, uint32_t bits) {
  return bits > PREFIX_BITS ? hash >> (bits - PREFIX_BITS) : hash;
}

/* As far as the table can know: of some it knows the byte behind the prefix, too. */
static bool may_differ(const struct clew_comback_slots *t, uint64_t a, uint64_t b) {
  uint32_t bits = t->shape.hash_bits;
  return known(a, bits) != known(b, bits) ||
         (t->has_more && known(a, bits - 8) != known(b, bits - 8));
}

/* All ids whose hash looks the same are found, in ascending order, and no others. */
static void check_list(const struct clew_comback_slots *t, const uint64_t *hashes, uint32_t count,
                       uint64_t hash) {
  uint32_t bits = t->shape.hash_bits, next = 0;
  struct clew_comback_list list;
  for (uint32_t id = clew_comback_slots_first(t, hash, &list); id != CLEW_COMBACK_NONE;
       id = clew_comback_slots_next(t, &list)) {
    assert_true(id < count && id >= next);
    for (; next < id; next++) {
      assert_true(may_differ(t, hashes[next], hash));
    }
    assert_true(known(hashes[id], bits) == known(hash, bits));
    next = id + 1;
  }
  for (; next < count; next++) {
    assert_true(may_differ(t, hashes[next], hash));
  }
}

static void check_some(const struct clew_comback_slots *t, const uint64_t *hashes, uint32_t count,
                       struct clew_random *random) {
  uint64_t mask = clew_bits_mask(t->shape.hash_bits);
  assert_int_equal(t->count, count);
  assert_null(clew_comback_slots_check(t));
  for (uint32_t i = 0; i < 12; i++) {
    check_list(t, hashes, count, hashes[clew_random_below(random, count)]);
    check_list(t, hashes, count, clew_random_u64(random) & mask);
  }
  check_list(t, hashes, count, 0);
  check_list(t, hashes, count, mask);
}

/* Inserts in batches of up to `batch` for which room is reserved at once. */
static void exercise(uint32_t bits, uint32_t shape, uint32_t count, uint32_t batch,
                     uint64_t expected) {
  const struct clew_comback_shape made = {.hash_bits = bits,
                                          .load_percent = batch % 2 ? 94 : 80,
                                          .growth_percent = 8 + 10 * (batch % 2),
                                          .expected = expected,
                                          .more_bits_from = batch == 3 ? 4000 : 0};
  struct clew_comback_slots t = {0};
  struct clew_budget budget;
  struct clew_random random;
  clew_random_seed(&random, bits * 100 + shape);
  clew_budget_init(&budget, 1 << 26);
  assert_true(clew_comback_slots_open(&t, &made, &budget));
  uint64_t *hashes = clew_alloc(count * sizeof *hashes);
  for (uint32_t i = 0; i < count;) {
    uint32_t more = 1 + (uint32_t)clew_random_below(&random, batch);
    more = more < count - i ? more : count - i;
    assert_true(clew_comback_slots_reserve(&t, i + more));
    for (; more > 0; more--, i++) {
      hashes[i] = next_hash(shape, bits, i, &random);
      clew_comback_slots_prefetch(&t, hashes[i]);
      clew_comback_slots_insert(&t, hashes[i], i);
    }
    if (clew_random_below(&random, count) < 4 * batch) {
      check_some(&t, hashes, i, &random);
    }
  }
  check_some(&t, hashes, count, &random);
  assert_int_equal(clew_comback_slots_bytes(&t), clew_budget_used(&budget));
  assert_true(t.growths > 0 || count < 3500);
  clew_comback_slots_close(&t);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_free(hashes);
}

static void test_all_widths_and_shapes(void **state) {
  (void)state;
  static const uint32_t widths[] = {1, 2, 8, 16, 20, 26, 27, 28, 32, 64};
  for (uint32_t run = 0; run < 10 * SHAPES * 2; run++) {
    uint32_t shape = run / 10 % SHAPES, bits = widths[run % 10];
    /* Where everything has one home every insertion looks at all of it. */
    bool crowded = shape > 0 || bits < 16;
    exercise(bits, shape, crowded ? 5000 : 30000, run % 2 ? 500 : 3, 0);
  }
}

/* Ids of other hashes that look like those of some of the table. */
static uint64_t count_wrong(const struct clew_comback_slots *t, const uint64_t *hashes,
                            uint32_t first, uint32_t end) {
  uint64_t wrong = 0;
  for (uint32_t i = first; i < end; i++) {
    struct clew_comback_list list;
    bool found = false;
    for (uint32_t id = clew_comback_slots_first(t, hashes[i], &list); id != CLEW_COMBACK_NONE;
         id = clew_comback_slots_next(t, &list)) {
      found |= id == i;
      wrong += id != i;
    }
    assert_true(found);
  }
  return wrong;
}

/* Few prefixes, many hashes: another byte of these tells most of them apart, those that came before
 * it was kept from none. When there is no memory for it any more all are found as before. */
static void test_more_bits(void **state) {
  (void)state;
  enum { COUNT = 60000, FROM = 20000 };
  const struct clew_comback_shape made = {
      .hash_bits = 64, .load_percent = 82, .growth_percent = 20, .more_bits_from = FROM};
  struct clew_comback_slots t = {0};
  struct clew_budget budget;
  struct clew_random random;
  clew_random_seed(&random, 5);
  clew_budget_init(&budget, 1 << 26);
  assert_true(clew_comback_slots_open(&t, &made, &budget));
  uint64_t *hashes = clew_alloc(COUNT * sizeof *hashes);
  for (uint32_t i = 0; i < COUNT; i++) {
    assert_true(clew_comback_slots_reserve(&t, i + 1));
    hashes[i] = clew_random_u64(&random) & ~(UINT64_C(0x1ffff) << 37); /* ten bits of a prefix */
    clew_comback_slots_insert(&t, hashes[i], i);
  }
  assert_null(clew_comback_slots_check(&t));
  assert_true(t.has_more);
  uint64_t wrong = count_wrong(&t, hashes, COUNT - 1000, COUNT);
  assert_in_range(wrong, 1000 * FROM / 1024,
                  1000 * (FROM * 2 / 1024)); /* about those from before */
  assert_true(count_wrong(&t, hashes, 0, COUNT) > 0);
  /* Nothing is left for the bytes of the next size. */
  budget.limit_bytes = clew_budget_used(&budget);
  uint64_t states = COUNT;
  while (clew_comback_slots_reserve(&t, states + 100)) {
    states += 100;
    for (uint64_t i = t.count; i < states; i++) {
      clew_comback_slots_insert(&t, clew_random_u64(&random), (uint32_t)i);
    }
  }
  assert_null(clew_comback_slots_check(&t));
  assert_true(count_wrong(&t, hashes, 0, COUNT) > 0);
  clew_comback_slots_close(&t);
  assert_int_equal(clew_budget_used(&budget), 0);
  clew_free(hashes);
}

/* Larger, with even hashes: the least memory, and more than one home in a word of bits. */
static void test_memory(void **state) {
  (void)state;
  static const uint32_t counts[] = {700000, 900000, 1000000};
  for (uint32_t run = 0; run < 3; run++) {
    const struct clew_comback_shape shape = {
        .hash_bits = 32, .load_percent = 94, .growth_percent = 8};
    struct clew_comback_slots t = {0};
    struct clew_random random;
    clew_random_seed(&random, run);
    assert_true(clew_comback_slots_open(&t, &shape, NULL));
    for (uint32_t i = 0; i < counts[run]; i++) {
      assert_true(clew_comback_slots_reserve(&t, i + UINT64_C(1)));
      clew_comback_slots_insert(&t, clew_random_u64(&random) >> 32, i);
    }
    assert_null(clew_comback_slots_check(&t));
    /* 4 + 1/8 bytes for a slot, a load of 0.94 / 1.08 at least, and memory in steps of 64 KB. */
    double bytes = (double)clew_comback_slots_bytes(&t) / counts[run];
    assert_true(bytes > 4.3 && bytes < 4.95);
    clew_comback_slots_close(&t);
  }
}

static void test_expected(void **state) {
  (void)state;
  exercise(32, 0, 50000, 100, 50000);
  exercise(32, 2, 5000, 100, 50000); /* a large jump */
  exercise(4, 0, 6000, 100, 20000);
  exercise(32, 0, 50000, 1, 10000); /* more than expected */
}

/* Room for very many at once in a table that is still small. */
static void test_large_batches(void **state) {
  (void)state;
  static const uint32_t counts[] = {4000, 100000, 262144, 300000, 600000};
  for (uint32_t run = 0; run < 10; run++) {
    uint32_t count = counts[run / 2];
    const struct clew_comback_shape shape = {
        .hash_bits = run % 2 ? 26 : 32, .load_percent = 94, .growth_percent = 8};
    struct clew_comback_slots t = {0};
    struct clew_random random;
    clew_random_seed(&random, run);
    assert_true(clew_comback_slots_open(&t, &shape, NULL));
    uint64_t *hashes = clew_alloc(count * sizeof *hashes);
    assert_true(clew_comback_slots_reserve(&t, count));
    assert_true(t.homes * 16 > count);
    for (uint32_t i = 0; i < count; i++) {
      hashes[i] = clew_random_u64(&random) & clew_bits_mask(shape.hash_bits);
      clew_comback_slots_insert(&t, hashes[i], i);
    }
    check_some(&t, hashes, count, &random);
    clew_comback_slots_close(&t);
    clew_free(hashes);
  }
}

/* Someone else takes of the same memory: a growth gets all of it, a part or nothing. What was
 * promised is kept. */
static void test_competition(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 150; run++) {
    const struct clew_comback_shape shape = {.hash_bits = run % 3 == 0 ? 20 : 32,
                                             .load_percent = run % 2 ? 94 : 90,
                                             .growth_percent = run % 2 ? 8 : 30};
    struct clew_comback_slots t = {0};
    struct clew_bigmem eater = {0};
    struct clew_budget budget;
    struct clew_random random;
    clew_random_seed(&random, run);
    uint64_t limit = (UINT64_C(1) << 18) + clew_random_below(&random, 1 << 21);
    clew_budget_init(&budget, limit);
    assert_true(clew_bigmem_open(&eater, limit, &budget));
    assert_true(clew_comback_slots_open(&t, &shape, &budget));
    uint32_t count = 0, batch = 1 + (uint32_t)clew_random_below(&random, run % 4 ? 3000 : 100000);
    uint64_t *hashes = clew_alloc(limit / 2 * sizeof *hashes);
    while (clew_comback_slots_reserve(&t, count + (uint64_t)batch)) {
      for (uint32_t i = 0; i < batch; i++, count++) {
        hashes[count] = clew_random_u64(&random) & clew_bits_mask(shape.hash_bits);
        clew_comback_slots_insert(&t, hashes[count], count);
      }
      assert_true(t.count <= t.homes * 16 * 97 / 100);
      (void)clew_bigmem_commit(&eater, eater.committed_bytes + clew_random_below(&random, 1 << 15));
    }
    if (count > 0) {
      check_some(&t, hashes, count, &random);
    }
    clew_comback_slots_close(&t);
    clew_bigmem_close(&eater);
    assert_int_equal(clew_budget_used(&budget), 0);
    clew_free(hashes);
  }
}

/* With ever less memory: what fits is found, and the table says when nothing more does. */
static void test_refusals(void **state) {
  (void)state;
  for (uint32_t run = 0; run < 20; run++) {
    const struct clew_comback_shape shape = {
        .hash_bits = run % 2 ? 32 : 6, .load_percent = 94, .growth_percent = 8};
    struct clew_comback_slots t = {0};
    struct clew_budget budget;
    struct clew_random random;
    clew_random_seed(&random, run);
    clew_budget_init(&budget, (run + 1) * UINT64_C(60013));
    bool open = clew_comback_slots_open(&t, &shape, &budget);
    uint32_t count = 0, most = 300000;
    uint64_t *hashes = clew_alloc(most * sizeof *hashes);
    while (open && count < most && clew_comback_slots_reserve(&t, count + UINT64_C(1))) {
      hashes[count] = clew_random_u64(&random) & clew_bits_mask(shape.hash_bits);
      clew_comback_slots_insert(&t, hashes[count], count);
      count++;
    }
    assert_true(count < most);
    if (count > 0) {
      check_some(&t, hashes, count, &random);
      /* Little is wasted but the first steps of memory: what is committed is nearly full. */
      assert_true(shape.hash_bits < 32 ||
                  count * 4.5 + 80000 > (double)clew_comback_slots_bytes(&t));
    }
    clew_comback_slots_close(&t);
    assert_int_equal(clew_budget_used(&budget), 0);
    clew_free(hashes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_widths_and_shapes),
      cmocka_unit_test(test_more_bits),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_expected),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_large_batches),
      cmocka_unit_test(test_competition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
