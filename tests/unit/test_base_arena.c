/* Arenas, vectors, bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/random.h"
#include "base/vec.h"

/* Allocations of all sizes are zeroed, aligned and apart from each other. */
static void test_arena_allocations(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  static unsigned char *blocks[COUNT];
  static size_t sizes[COUNT];
  struct clew_arena *arena = clew_arena_open();
  struct clew_random random;
  clew_random_seed(&random, 1);
  size_t total = 0;
  for (size_t i = 0; i < COUNT; i++) {
    sizes[i] = (size_t)clew_random_below(&random, i % 100 == 0 ? 40000 : 100);
    blocks[i] = clew_arena_alloc(arena, sizes[i]);
    total += sizes[i];
    assert_int_equal((uintptr_t)blocks[i] % 16, 0);
    for (size_t k = 0; k < sizes[i]; k++) {
      assert_int_equal(blocks[i][k], 0);
    }
    memset(blocks[i], (int)(i % 251) + 1, sizes[i]);
  }
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t k = 0; k < sizes[i]; k++) {
      assert_int_equal(blocks[i][k], i % 251 + 1);
    }
  }
  assert_true(clew_arena_bytes(arena) >= total);
  assert_true(clew_arena_bytes(arena) <= total + 16 * COUNT);
  clew_arena_close(arena);
}

static void test_arena_large_blocks(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  unsigned char *first = clew_arena_alloc(arena, 5 << 20);
  unsigned char *small = clew_arena_alloc(arena, 1);
  unsigned char *second = clew_arena_alloc(arena, 5 << 20);
  unsigned char *neighbour = clew_arena_alloc(arena, 1);
  first[(5 << 20) - 1] = 1;
  second[(5 << 20) - 1] = 2;
  /* A large block does not make the arena abandon the chunk it is filling. */
  assert_ptr_equal(neighbour, small + 16);
  assert_ptr_not_equal(clew_arena_alloc(arena, 0), clew_arena_alloc(arena, 0));
  clew_arena_close(arena);
  clew_arena_close(NULL);
}

static void test_arena_texts(void **state) {
  (void)state;
  struct clew_arena *arena = clew_arena_open();
  assert_string_equal(clew_arena_strndup(arena, "abcdef", 4), "abcd");
  assert_string_equal(clew_arena_strndup(arena, NULL, 0), "");
  assert_string_equal(clew_arena_printf(arena, "%s-%03d", "x", 7), "x-007");
  char *padded = clew_arena_printf(arena, "%50000d", 1);
  assert_int_equal(strlen(padded), 50000);
  static const uint32_t items[] = {3, 1, 4};
  uint32_t *copy = clew_arena_copy(arena, items, 3, sizeof items[0]);
  assert_memory_equal(copy, items, sizeof items);
  assert_null(clew_arena_copy(arena, items, 0, sizeof items[0]));
  struct pair {
    int a, b;
  } *pairs = CLEW_NEW_ARRAY(arena, struct pair, 3);
  assert_int_equal(pairs[2].b, 0);
  clew_arena_close(arena);
}

static void test_vec(void **state) {
  (void)state;
  CLEW_VEC(uint32_t) ids = {0};
  for (uint32_t i = 0; i < 100000; i++) {
    clew_vec_push(&ids, i * 3);
    assert_int_equal(ids.len, i + 1);
    assert_true(ids.cap >= ids.len);
  }
  for (uint32_t i = 0; i < ids.len; i++) {
    assert_int_equal(ids.data[i], i * 3);
  }
  assert_int_equal(clew_vec_last(&ids), 99999 * 3);
  assert_int_equal(clew_vec_pop(&ids), 99999 * 3);
  assert_int_equal(ids.len, 99999);
  uint32_t cap = ids.cap;
  clew_vec_clear(&ids);
  assert_int_equal(ids.len, 0);
  assert_int_equal(ids.cap, cap);
  clew_vec_reserve(&ids, cap + 1);
  assert_int_equal(ids.cap, 2 * cap);
  clew_vec_reserve(&ids, 10);
  assert_int_equal(ids.cap, 2 * cap);
  clew_vec_free(&ids);
  assert_null(ids.data);
  assert_int_equal(ids.cap, 0);
}

static void test_vec_of_structs(void **state) {
  (void)state;
  struct pair {
    uint64_t key;
    char name[5];
  };
  CLEW_VEC(struct pair) pairs = {0};
  for (uint64_t i = 0; i < 50; i++) {
    struct pair pair = {i, "abcd"};
    clew_vec_push(&pairs, pair);
  }
  assert_int_equal(pairs.data[49].key, 49);
  assert_string_equal(pairs.data[0].name, "abcd");
  clew_vec_free(&pairs);
}

static void test_bits(void **state) {
  (void)state;
  assert_int_equal(clew_bits_for(0), 0);
  for (uint32_t width = 1; width <= 64; width++) {
    uint64_t max = clew_bits_mask(width);
    assert_int_equal(clew_bits_for(max), width);
    assert_int_equal(clew_bits_for(max / 2 + 1), width);
    assert_int_equal(__builtin_popcountll(max), width);
  }
  assert_int_equal(clew_bits_mask(0), 0);
  assert_int_equal(clew_bits_round_up_pow2(0), 1);
  assert_int_equal(clew_bits_round_up_pow2(1), 1);
  assert_int_equal(clew_bits_round_up_pow2(3), 4);
  assert_int_equal(clew_bits_round_up_pow2(4), 4);
  assert_int_equal(clew_bits_round_up_pow2(5), 8);
  assert_true(clew_bits_round_up_pow2((UINT64_C(1) << 63) - 5) == UINT64_C(1) << 63);
}

static void test_bitset(void **state) {
  (void)state;
  enum { SIZE = 200 };
  uint64_t set[CLEW_BITSET_WORDS(SIZE)] = {0};
  assert_int_equal(sizeof set / sizeof set[0], 4);
  for (uint32_t i = 0; i < SIZE; i += 3) {
    clew_bitset_add(set, i);
  }
  for (uint32_t i = 0; i < SIZE; i++) {
    assert_int_equal(clew_bitset_has(set, i), i % 3 == 0);
  }
  assert_int_equal(clew_bitset_count(set, 4), 67);
  clew_bitset_remove(set, 63);
  clew_bitset_remove(set, 64);
  assert_false(clew_bitset_has(set, 63));
  assert_int_equal(clew_bitset_count(set, 4), 66);
  assert_int_equal(clew_bitset_count(set, 1), 21);
  assert_int_equal(clew_bitset_count(NULL, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arena_allocations),
      cmocka_unit_test(test_arena_large_blocks),
      cmocka_unit_test(test_arena_texts),
      cmocka_unit_test(test_vec),
      cmocka_unit_test(test_vec_of_structs),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_bitset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
