/* The interpreter: blocks, bags, and what is stored in a state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/interp_run.h"

enum { NONE = -1 }; /* for an undefined cell or an absent element, in tables */

/* The bag m of record { a; b }: three elements as {a, b}, {NONE, NONE} for absent ones. */
static void expect_bag(const struct run *run, const int64_t (*expected)[2]) {
  for (uint32_t i = 0; i < 3; i++) {
    bool present = expected[i][0] != NONE;
    assert_int_equal(run_get(run, "m", 3 * i), present);
    assert_int_equal(run_get(run, "m", 3 * i + 1), present ? expected[i][0] : 0);
    assert_int_equal(run_get(run, "m", 3 * i + 2),
                     expected[i][1] == NONE ? CLEW_UNDEFINED : expected[i][1]);
  }
}

static void test_bag(void **unused) {
  (void)unused;
  enum { ADD = 0, TAKE = 9, CLEAR = 12, TWICE = 13 }; /* ADD + 3 * a + b, b = 2 for undefined */
  struct run run = run_open(ir_build_bag());
  run_start(&run, 0);
  expect_bag(&run, (const int64_t[][2]){{NONE, NONE}, {NONE, NONE}, {NONE, NONE}});
  run_fire(&run, ADD + 3 * 1 + 1);
  expect_bag(&run, (const int64_t[][2]){{1, 1}, {NONE, NONE}, {NONE, NONE}});
  expect_no_fire(&run, TAKE + 1, NULL);
  run_fire(&run, TWICE);
  expect_bag(&run, (const int64_t[][2]){{0, 1}, {1, 1}, {2, NONE}});
  expect_no_fire(&run, ADD, "full");
  expect_no_fire(&run, TWICE, "full");
  run_fire(&run, TAKE + 1);
  assert_int_equal(run_get(&run, "last", 0), 1);
  expect_bag(&run, (const int64_t[][2]){{0, 1}, {2, NONE}, {NONE, NONE}});
  run_fire(&run, ADD + 3 * 0 + 2); /* undefined sorts before 0 and 1 */
  expect_bag(&run, (const int64_t[][2]){{0, NONE}, {0, 1}, {2, NONE}});
  run_fire(&run, CLEAR);
  run_set(&run, "last", 0, 0);
  assert_int_equal(run.state[0], 0); /* absent elements are all zero bits */
  expect_no_fire(&run, CLEAR, NULL);
  expect_reach(&run, 660, 3792, 5085); /* multisets of at most 3 of 9, times 3 */
  run_close(&run);
}

/* Two orders of the same additions make one state. */
static void test_bag_is_unordered(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_bag());
  uint64_t expected = 0;
  const uint32_t orders[][3] = {{1, 4, 8}, {1, 8, 4}, {4, 1, 8}, {4, 8, 1}, {8, 1, 4}, {8, 4, 1}};
  for (uint32_t i = 0; i < IR_COUNT(orders); i++) {
    run_start(&run, 0);
    for (uint32_t j = 0; j < 3; j++)
      run_fire(&run, orders[i][j]);
    expected = i == 0 ? run.state[0] : expected;
    assert_true(run.state[0] == expected);
  }
  run_close(&run);
}

static void test_nested_bags(void **unused) {
  (void)unused;
  /* element: presence, k, then s: presence, value, presence, value */
  enum { NEW_0, NEW_1, PUT = 2, DROP = 8 }; /* PUT + 3 * i + (v - 1) */
  struct run run = run_open(ir_build_nested_bags());
  run_start(&run, 0);
  run_fire(&run, NEW_0);
  run_fire(&run, NEW_0);
  run_fire(&run, PUT + 3 * 0 + 2); /* 3 into the first: it moves behind the empty one */
  assert_int_equal(run_get(&run, "m", 2), 0);
  assert_int_equal(run_get(&run, "m", 6 + 2), 1);
  assert_int_equal(run_get(&run, "m", 6 + 3), 3);
  run_fire(&run, PUT + 3 * 1 + 0); /* 1 into the same: sorted inside */
  assert_int_equal(run_get(&run, "m", 6 + 3), 1);
  assert_int_equal(run_get(&run, "m", 6 + 5), 3);
  expect_no_fire(&run, PUT + 3 * 1, "full");
  expect_no_fire(&run, NEW_1, "full");
  run_fire(&run, DROP + 0); /* the empty one */
  assert_int_equal(run_get(&run, "m", 3), 1);
  assert_int_equal(run_get(&run, "m", 6), 0);
  expect_no_fire(&run, DROP + 1, NULL);
  run_fire(&run, DROP + 0);
  assert_int_equal(run.state[0], 0);
  expect_reach(&run, 231, 1010, 1212); /* multisets of at most 2 of 2 * 10 */
  run_close(&run);
}

static void expect_cells(const struct run *run, const char *variable, const int64_t *expected) {
  for (uint32_t i = 0; i < 4; i++)
    assert_int_equal(run_get(run, variable, i), expected[i] == NONE ? CLEW_UNDEFINED : expected[i]);
}
#define EXPECT_CELLS(run, variable, ...)                                                           \
  expect_cells((run), (variable), (const int64_t[]){__VA_ARGS__})

static void test_blocks(void **unused) {
  (void)unused;
  enum { WRITE_0, ELEMENT_0, UNDEFINE_0, WRITE_1, ELEMENT_1, UNDEFINE_1 };
  enum { COPY = 6, THROUGH, CLEAR, SAME };
  struct run run = run_open(ir_build_blocks());
  run_start(&run, 0);
  EXPECT_CELLS(&run, "r", 0, NONE, 0, NONE);
  EXPECT_CELLS(&run, "s", 0, NONE, 0, 0);
  expect_no_fire(&run, SAME, NULL);
  run_fire(&run, WRITE_1);
  EXPECT_CELLS(&run, "r", 0, NONE, 1, NONE);
  run_fire(&run, COPY);
  EXPECT_CELLS(&run, "s", 0, NONE, 1, NONE);
  run_fire(&run, SAME); /* undefined equals undefined */
  EXPECT_CELLS(&run, "r", 0, NONE, 1, 1);
  run_fire(&run, THROUGH);
  EXPECT_CELLS(&run, "s", 0, NONE, 0, 1);
  EXPECT_CELLS(&run, "r", 0, NONE, 1, 1);
  run_fire(&run, ELEMENT_0);
  EXPECT_CELLS(&run, "r", 0, 1, 1, 1);
  run_fire(&run, UNDEFINE_1);
  EXPECT_CELLS(&run, "s", 0, NONE, 0, NONE);
  run_fire(&run, CLEAR);
  EXPECT_CELLS(&run, "r", 0, 0, 0, 0);
  run_fire(&run, ELEMENT_1);
  EXPECT_CELLS(&run, "r", 0, 0, 0, NONE);
  run_close(&run);
}

static void test_overlap(void **unused) {
  (void)unused;
  enum { WRITE = 0, UP = 8, DOWN, LOCAL_UP, REVERSE }; /* WRITE + 2 * i + v */
  struct run run = run_open(ir_build_overlap());
  for (uint32_t k = 0; k < 2; k++) {
    run_start(&run, 0);
    run_fire(&run, WRITE + 2 * 0 + 1);
    run_fire(&run, WRITE + 2 * 1 + 0);
    run_fire(&run, WRITE + 2 * 3 + 1);
    EXPECT_CELLS(&run, "q", 1, 0, NONE, 1);
    run_fire(&run, k == 0 ? UP : LOCAL_UP);
    EXPECT_CELLS(&run, "q", 1, 1, 0, NONE);
    run_fire(&run, DOWN);
    EXPECT_CELLS(&run, "q", 1, 0, NONE, NONE);
    run_fire(&run, REVERSE);
    EXPECT_CELLS(&run, "q", NONE, NONE, 0, 1);
  }
  run_close(&run);
}

static void test_layout(void **unused) {
  (void)unused;
  enum { FLIP, GROW, NEG_3, NEG_2, BIG, CONST, LESS };
  const int64_t large = INT64_C(1) << 62;
  struct run run = run_open(ir_build_layout());
  run_start(&run, 0);
  assert_int_equal(run_get(&run, "k", 0), 5);
  assert_int_equal(run_get(&run, "one", 0), 9);
  expect_no_fire(&run, LESS, "undefined");
  run_fire(&run, FLIP);
  assert_int_equal(run_get(&run, "w", 0), -1);
  run_fire(&run, GROW);
  run_fire(&run, GROW);
  assert_int_equal(run_get(&run, "w", 0), INT64_MAX);
  expect_no_fire(&run, GROW, "overflow");
  run_fire(&run, FLIP);
  assert_int_equal(run_get(&run, "w", 0), -INT64_MAX);
  run_fire(&run, NEG_3);
  run_fire(&run, BIG);
  run_fire(&run, CONST);
  run_fire(&run, LESS);
  assert_int_equal(run_get(&run, "w", 0), -INT64_MAX);
  assert_int_equal(run_get(&run, "neg", 0), -3);
  assert_int_equal(run_get(&run, "big", 0), large);
  assert_int_equal(run_get(&run, "k", 0), 5);
  assert_int_equal(run_get(&run, "one", 0), CLEW_UNDEFINED);
  run_close(&run);
}

/* Bits that belong to no slot stay zero, whatever happens. */
static void test_unused_bits_are_zero(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < IR_FIXTURE_COUNT; i++) {
    struct run run = run_open(ir_fixtures[i].build());
    uint64_t used[IR_COUNT(run.state)] = {0};
    for (uint32_t j = 0; j < run.program->slot_count; j++) {
      const struct clew_slot *slot = &run.program->slots[j];
      if (slot->width > 0)
        used[slot->bit / 64] |= clew_bits_mask(slot->width) << slot->bit % 64;
    }
    struct ir_reached reached = ir_reach(run.program);
    for (uint32_t j = 0; j < reached.states.count; j++)
      for (uint32_t k = 0; k < run.program->words; k++)
        assert_true((ir_state(&reached.states, j)[k] & ~used[k]) == 0);
    ir_reached_free(&reached);
    run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),
      cmocka_unit_test(test_bag_is_unordered),
      cmocka_unit_test(test_nested_bags),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_layout),
      cmocka_unit_test(test_unused_bits_are_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
