/* The parts of the tree store: keys are bijections that spread pairs evenly, the set of pairs loses
 * none in any change of shape, numbered parts keep their ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/tree_intern_int.h"
#include "store/tree_shape_int.h"

/* ---- keys ---- */

/* All numbers of few bits, random ones of many: each comes back. */
static void test_permutation(void **state) {
  (void)state;
  for (uint32_t bits = 0; bits <= 18; bits++) {
    uint64_t count = UINT64_C(1) << bits;
    unsigned char *met = clew_alloc_zero(count, 1);
    uint64_t wrong = 0;
    for (uint64_t x = 0; x < count; x++) {
      uint64_t y = tree_permute(x, bits);
      wrong += y >= count || met[y]++ != 0 || tree_unpermute(y, bits) != x;
    }
    assert_int_equal(wrong, 0);
    clew_free(met);
  }
  struct clew_random random;
  clew_random_seed(&random, 1);
  for (uint32_t bits = 19; bits <= 64; bits++) {
    for (int i = 0; i < 2000; i++) {
      uint64_t x = clew_random_u64(&random) & clew_bits_mask(bits), y = tree_permute(x, bits);
      assert_int_equal(y & ~clew_bits_mask(bits), 0);
      assert_int_equal(tree_unpermute(y, bits), x);
    }
  }
}

/* No two pairs have the same shard and key, and each comes back. */
static void check_keys(uint64_t lefts, uint64_t rights, uint32_t shard_bits) {
  struct tree_keys keys;
  assert_true(tree_keys_choose(&keys, lefts, rights, shard_bits));
  assert_true(keys.left_most >= lefts && keys.right_most >= rights);
  uint64_t all = UINT64_C(1) << (keys.bits + shard_bits), wrong = 0;
  unsigned char *met = clew_alloc_zero(all, 1);
  for (uint32_t l = 0; l < lefts; l++) {
    for (uint32_t r = 0; r < rights; r++) {
      uint32_t shard, left, right;
      uint64_t key = tree_key_of(&keys, l, r, &shard);
      uint64_t place = (uint64_t)shard << keys.bits | key;
      wrong += shard >> shard_bits != 0 || key >> keys.bits != 0 || met[place]++ != 0;
      tree_pair_of(&keys, key, shard, &left, &right);
      wrong += left != l || right != r;
    }
  }
  assert_int_equal(wrong, 0);
  clew_free(met);
}

static void test_keys(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1, 2, 3, 7, 8, 9, 255, 256, 257, 1000};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  for (uint32_t i = 0; i < SIZES; i++) {
    for (uint32_t j = 0; j < SIZES; j++) {
      check_keys(sizes[i], sizes[j], 0);
      check_keys(sizes[i], sizes[j], 8);
    }
  }
  struct tree_keys keys;
  assert_true(tree_keys_choose(&keys, UINT32_MAX, 1, 8));
  assert_true(tree_keys_choose(&keys, 1, UINT32_MAX, 0));
  assert_false(tree_keys_choose(&keys, UINT32_MAX, UINT32_MAX, 0));
}

/* Pairs as models make them: dense rectangles, diagonals, steps. Blocks get about as many as if
 * chance had placed them: the variance is that of a Poisson distribution, give or take. */
static void check_spread(uint32_t lefts, uint32_t rights, uint32_t kind) {
  struct tree_keys keys;
  assert_true(tree_keys_choose(&keys, lefts, rights, 8));
  enum { BLOCKS = 4096, PER_BLOCK = 40 };
  uint32_t *counts = clew_alloc_zero(BLOCKS, sizeof *counts);
  struct clew_random random;
  clew_random_seed(&random, kind);
  uint64_t placed = 0;
  for (uint32_t l = 0; l < lefts && placed < BLOCKS * PER_BLOCK; l++) {
    for (uint32_t k = 0; k < rights && placed < BLOCKS * PER_BLOCK; k++) {
      uint32_t r = kind == 0   ? k
                   : kind == 1 ? (l + k) % rights
                   : kind == 2 ? (uint32_t)((uint64_t)k * 256 % rights)
                               : (uint32_t)clew_random_below(&random, rights);
      if ((kind == 1 && k >= 64) || (kind == 2 && k >= rights / 256) || (kind == 3 && k >= 50)) {
        break;
      }
      uint32_t shard;
      uint64_t key = tree_key_of(&keys, l, r, &shard);
      counts[(shard << 4) | (keys.bits >= 4 ? key >> (keys.bits - 4) : 0)]++;
      placed++;
    }
  }
  double average = (double)placed / BLOCKS, variance = 0;
  for (uint32_t b = 0; b < BLOCKS; b++) {
    variance += (counts[b] - average) * (counts[b] - average) / BLOCKS;
  }
  if (variance > 1.5 * average + 1) {
    fail_msg("%u * %u pairs, kind %u: average %g, variance %g", lefts, rights, kind, average,
             variance);
  }
  clew_free(counts);
}

static void test_spread(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < 4; kind++) {
    check_spread(1 << 12, 1 << 12, kind);
    check_spread(70000, 700, kind);
    check_spread(900, 80000, kind);
  }
}

/* ---- shapes ---- */

static void test_shapes(void **state) {
  (void)state;
  for (uint64_t lefts = 1; lefts < 5000000; lefts = lefts * 3 + 1) {
    for (uint64_t rights = 1; rights < 5000000; rights = rights * 5 + 2) {
      for (uint64_t pairs = 1; pairs < 1000000000; pairs = pairs * 7 + 3) {
        struct tree_keys keys;
        assert_true(tree_keys_choose(&keys, lefts, rights, pairs > 30000 ? 8 : 0));
        struct tree_shape shape = tree_shape_choose(&keys, pairs);
        uint64_t most_home = clew_bits_mask(keys.bits) >> shape.remainder_bits;
        uint64_t block = (uint64_t)(((unsigned __int128)most_home * shape.magic) >> 64);
        assert_int_equal(block, most_home / shape.quotients);
        assert_true(block < shape.blocks);
        assert_true(shape.fields_at + shape.slots * shape.remainder_bits <= TREE_BLOCK_BITS);
      }
    }
  }
}

/* ---- the set ---- */

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

struct collected {
  uint64_t *pairs, count, room;
};

static bool collect(void *context, uint32_t left, uint32_t right) {
  struct collected *all = context;
  assert_true(all->count < all->room);
  all->pairs[all->count++] = (uint64_t)left << 32 | right;
  return true;
}

/* Random pairs of ids that grow: the set says NEW exactly once for each and has them all in the
 * end. `share` of each step is of new left ids, as in a search. */
static void drive_root(uint64_t steps, uint32_t left_share, uint32_t right_share, bool tight,
                       bool fast, struct clew_crew *crew) {
  struct tree_root root;
  struct clew_random random;
  clew_random_seed(&random, steps + left_share);
  assert_true(tree_root_open(&root, NULL, crew, 1, 1, tight));
  root.fast = root.fast && fast;
  uint64_t *sent = clew_alloc(steps * sizeof *sent), count = 0, lefts = 1, rights = 1;
  for (uint64_t i = 0; i < steps; i++) {
    lefts += clew_random_below(&random, 1000) < left_share;
    rights += clew_random_below(&random, 1000) < right_share;
    uint32_t left = (uint32_t)clew_random_below(&random, lefts);
    uint32_t right = (uint32_t)clew_random_below(&random, rights);
    if (i % 16 == 0) {
      assert_true(tree_root_reserve(&root, count, 16, lefts + 16, rights + 16));
    }
    sent[i] = (uint64_t)left << 32 | right;
    count += tree_root_add_slowly(&root, left, right, i % 3 == 0);
  }
  assert_null(tree_root_validate(&root, count));
  qsort(sent, steps, sizeof *sent, compare_u64);
  uint64_t different = 0;
  for (uint64_t i = 0; i < steps; i++) {
    if (i == 0 || sent[i] != sent[different - 1]) {
      sent[different++] = sent[i];
    }
  }
  struct collected all = {clew_alloc((different + 1) * sizeof(uint64_t)), 0, different};
  assert_int_equal(count, different);
  assert_true(tree_root_each(&root, collect, &all));
  qsort(all.pairs, all.count, sizeof *all.pairs, compare_u64);
  assert_memory_equal(all.pairs, sent, different * sizeof *sent);
  assert_true(tight ? root.rekeys > 5 : root.growths > 3);
  clew_free(all.pairs);
  clew_free(sent);
  tree_root_close(&root);
}

static void test_root(void **state) {
  (void)state;
  struct clew_crew *crew = clew_crew_open(3);
  drive_root(60000, 30, 30, false, true, NULL);
  drive_root(60000, 30, 30, false, true, crew);
  drive_root(20000, 5, 400, true, true, NULL);
  drive_root(20000, 400, 5, true, true, crew);
  drive_root(3000, 0, 1000, true, false, NULL); /* one left id, each right id its own */
  drive_root(3000, 1000, 0, true, false, NULL);
  drive_root(3000, 20, 20, true, false, NULL);   /* nearly every pair that there can be */
  drive_root(200000, 2, 900, false, true, NULL); /* wide remainders */
  clew_crew_close(crew);
}

/* A budget that ends: the set says so, and has what it had. */
static void test_root_refusal(void **state) {
  (void)state;
  for (uint64_t limit = 60000; limit < 900000; limit = limit * 5 / 4) {
    struct clew_budget budget;
    clew_budget_init(&budget, limit);
    struct tree_root root;
    if (!tree_root_open(&root, &budget, NULL, 1, 1, false)) {
      continue;
    }
    uint64_t count = 0;
    for (uint32_t i = 0; i < 200000; i++) {
      uint32_t left = i % 700, right = i / 3;
      if (!tree_root_reserve(&root, count, 1, i < 700 ? i + 1 : 700, right + 1)) {
        break;
      }
      bool is_new = tree_root_add_slowly(&root, left, right, false);
      count += is_new;
    }
    assert_null(tree_root_validate(&root, count));
    assert_true(count == 200000 || count > limit / 4);
    tree_root_close(&root);
    assert_int_equal(clew_budget_used(&budget), 0);
  }
}

/* ---- numbered parts ---- */

static void test_intern(void **state) {
  (void)state;
  struct intern table;
  struct clew_random random;
  clew_random_seed(&random, 9);
  for (uint32_t bits = 1; bits <= 64; bits += 7) {
    assert_true(intern_open(&table, bits, UINT64_C(1) << 40, NULL));
    uint64_t count = 0;
    for (uint32_t i = 0; i < 20000; i++) {
      assert_true(intern_reserve(&table, count + 1, i % 2 == 0 ? 0 : 5));
      uint64_t key = clew_random_u64(&random) & clew_bits_mask(bits), hash = intern_hash(key);
      key = i % 3 == 0 ? key & 0xff : key;
      hash = intern_hash(key);
      bool was_there = intern_find(&table, key) != UINT32_MAX;
      uint32_t id = intern_id(&table, key, hash, i % 5 == 0);
      assert_true(was_there ? id < count : id == count);
      count += !was_there;
      assert_int_equal(intern_key(&table, id), key);
    }
    assert_int_equal(intern_count(&table), count);
    assert_null(intern_validate(&table));
    intern_close(&table);
  }
}

/* Pairs keep their ids while both sides get wider and wider. */
static void test_intern_widens(void **state) {
  (void)state;
  struct intern table;
  struct clew_random random;
  clew_random_seed(&random, 4);
  enum { PAIRS = 5000 };
  uint64_t *keys = clew_alloc(PAIRS * sizeof *keys), count = 0;
  assert_true(intern_open(&table, 0, UINT64_C(1) << 40, NULL));
  for (uint32_t i = 0; i < PAIRS; i++) {
    uint64_t uppers = 1 + (UINT64_C(0xffffffff) * i / PAIRS * i / PAIRS), lowers = 1 + i * 3;
    assert_true(intern_reserve(&table, count + 1, 0));
    assert_true(intern_widen(&table, uppers, lowers));
    uint64_t key = clew_random_below(&random, uppers) << 32 | clew_random_below(&random, lowers);
    if (intern_find(&table, key) == UINT32_MAX) {
      keys[count] = key;
      assert_int_equal(intern_id(&table, key, intern_hash(key), false), count);
      count++;
    }
  }
  for (uint32_t id = 0; id < count; id++) {
    assert_int_equal(intern_key(&table, id), keys[id]);
  }
  assert_null(intern_validate(&table));
  intern_close(&table);
  clew_free(keys);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_permutation), cmocka_unit_test(test_keys),
      cmocka_unit_test(test_spread),      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_root),        cmocka_unit_test(test_root_refusal),
      cmocka_unit_test(test_intern),      cmocka_unit_test(test_intern_widens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
