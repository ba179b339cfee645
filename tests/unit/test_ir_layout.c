/* The layout of states: widths, words, names, bags, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "ir/ir_int.h"
#include "unit/ir_build.h"

static const struct clew_type *array_of(struct clew_program *p, uint32_t count,
                                        const struct clew_type *element) {
  return clew_type_array(p->arena, ir_range(p, 0, (int64_t)count - 1), element);
}

static void test_widths(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct {
    int64_t lo, hi;
    bool undefinable;
    uint32_t width;
  } cases[] = {
      {7, 7, false, 0},
      {7, 7, true, 1},
      {0, 1, false, 1},
      {0, 1, true, 2},
      {-3, 3, false, 3},
      {-3, 3, true, 3},
      {0, 7, true, 4},
      {0, 255, false, 8},
      {INT64_MIN + 1, INT64_MAX, false, 64},
      {0, INT64_MAX, true, 64},
      {INT64_MIN + 1, INT64_MAX, true, 64},
  };
  uint32_t bits = 0;
  for (uint32_t i = 0; i < IR_COUNT(cases); i++) {
    ir_var(p, "v",
           clew_type_scalar(p->arena, ir_range(p, cases[i].lo, cases[i].hi), cases[i].undefinable));
    bits += cases[i].width;
  }
  ir_finish(p);
  assert_int_equal(p->slot_count, IR_COUNT(cases));
  for (uint32_t i = 0; i < IR_COUNT(cases); i++) {
    assert_int_equal(p->slots[i].width, cases[i].width);
  }
  assert_int_equal(p->state_bits, bits);
  assert_int_equal(p->words, 4); /* three of 64, one for the 24 others */
  clew_program_close(p);
}

static void test_empty(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_finish(p);
  assert_int_equal(p->slot_count, 0);
  assert_int_equal(p->words, 1);
  assert_int_equal(p->state_bits, 0);
  clew_program_close(p);
  p = clew_program_open("t", "test");
  ir_var(p, "one", ir_int(p, 3, 3));
  ir_finish(p);
  assert_int_equal(p->words, 1);
  assert_int_equal(p->slots[0].bit, 0);
  clew_program_close(p);
}

static void test_names_and_bags(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  static const char *const ids[] = {"p_1", "p_2"};
  const struct clew_type *node = ir_pair(p, ir_int(p, 0, 3), ir_maybe(p, 0, 3));
  const struct clew_type *inner = clew_type_bag(p->arena, 2, ir_int(p, 0, 3));
  ir_var(p, "procs", clew_type_array(p->arena, ir_named(p, 1, 2, ids), node));
  ir_var(p, "x", ir_int(p, 0, 1));
  ir_var(p, "net", clew_type_bag(p->arena, 2, ir_pair(p, ir_int(p, 0, 1), inner)));
  ir_finish(p);
  static const char *const names[] = {
      "procs[p_1].a", "procs[p_1].b", "procs[p_2].a", "procs[p_2].b", "x",           "net[0]",
      "net[0].a",     "net[0].b[0]",  "net[0].b[0]",  "net[0].b[1]",  "net[0].b[1]", "net[1]",
      "net[1].a",     "net[1].b[0]",  "net[1].b[0]",  "net[1].b[1]",  "net[1].b[1]",
  };
  static const uint32_t presence[] = {
      CLEW_NONE, CLEW_NONE, CLEW_NONE, CLEW_NONE, CLEW_NONE, CLEW_NONE, 5,  5,  7,
      5,         9,         CLEW_NONE, 11,        11,        13,        11, 15,
  };
  assert_int_equal(p->slot_count, IR_COUNT(names));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    assert_string_equal(p->slots[i].name, names[i]);
    assert_int_equal(p->slots[i].presence, presence[i]);
    bool hidden = i == 5 || i == 7 || i == 9 || i == 11 || i == 13 || i == 15;
    assert_int_equal(p->slots[i].hidden, hidden);
  }
  assert_int_equal(p->bags.len, 3);
  assert_int_equal(p->bags.data[0].slot, 7);
  assert_int_equal(p->bags.data[0].count, 2);
  assert_int_equal(p->bags.data[0].stride, 2);
  assert_int_equal(p->bags.data[1].slot, 13);
  assert_int_equal(p->bags.data[2].slot, 5);
  assert_int_equal(p->bags.data[2].stride, 6);
  /* 2 * (2 + 3) + 1 + 2 * (1 + 1 + 2 * (1 + 2)) */
  assert_int_equal(p->state_bits, 27);
  assert_int_equal(p->words, 1);
  clew_program_close(p);
}

/* Elements of an array are at a regular distance in each word; elements of a bag are contiguous. */
static void test_strides(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *five = ir_pair(p, ir_int(p, 0, 3), ir_int(p, 0, 7));
  ir_var(p, "flag", ir_int(p, 0, 1));
  ir_var(p, "a", array_of(p, 30, five)); /* 12 in a word, 60 bits */
  ir_var(p, "net", clew_type_bag(p->arena, 5, array_of(p, 3, ir_int(p, 0, 255)))); /* 25 bits */
  ir_finish(p);
  assert_int_equal(p->state_bits, 1 + 150 + 125);
  assert_int_equal(p->words, 5);
  for (uint32_t i = 0; i < 30; i++) {
    const struct clew_slot *a = &p->slots[1 + 2 * i], *b = a + 1;
    assert_int_equal(b->bit, a->bit + 2);
    if (i % 12 != 0) {
      assert_int_equal(a->bit, a[-2].bit + 5);
    }
  }
  for (uint32_t i = 0; i < 5; i++) {
    const struct clew_slot *s = &p->slots[61 + 4 * i];
    assert_true(s[0].hidden);
    assert_int_equal(s[1].bit, s[0].bit + 1);
    assert_int_equal(s[2].bit, s[0].bit + 9);
    assert_int_equal(s[3].bit, s[0].bit + 17);
    assert_int_equal(s[0].bit / 64, (s[3].bit + 7) / 64);
  }
  clew_program_close(p);
}

/* Records of 40 bits would take a word each; cut in two they take 10 words instead of 16. */
static void test_cutting(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *record = ir_pair(p, ir_int(p, 0, UINT32_MAX), ir_int(p, 0, 255));
  ir_var(p, "a", array_of(p, 16, record));
  ir_finish(p);
  assert_int_equal(p->state_bits, 640);
  assert_int_equal(p->words, 10);
  clew_program_close(p);
}

static const struct clew_type *random_type(struct clew_program *p, struct clew_random *random,
                                           int depth) {
  uint64_t kind = depth == 0 ? 0 : clew_random_below(random, 4);
  if (kind == 0) {
    uint64_t width = clew_random_below(random, 12);
    int64_t hi = (int64_t)clew_random_below(random, UINT64_C(1) << width);
    return clew_type_scalar(p->arena, ir_range(p, 0, hi), clew_random_below(random, 2) == 0);
  }
  const struct clew_type *a = random_type(p, random, depth - 1);
  if (kind == 1) {
    return array_of(p, 1 + (uint32_t)clew_random_below(random, 9), a);
  }
  if (kind == 2) {
    return clew_type_bag(p->arena, 1 + (uint32_t)clew_random_below(random, 5), a);
  }
  return ir_pair(p, a, random_type(p, random, depth - 1));
}

/* No overlaps (clew_layout_check), and next to nothing is wasted. */
static void test_random(void **state) {
  (void)state;
  struct clew_random random;
  clew_random_seed(&random, 7);
  uint64_t words = 0, ideal = 0;
  for (int i = 0; i < 500; i++) {
    struct clew_program *p = clew_program_open("t", "test");
    for (uint64_t n = 1 + clew_random_below(&random, 8); n > 0; n--) {
      ir_var(p, "v", random_type(p, &random, 3));
    }
    ir_finish(p);
    assert_true(clew_layout_check(p));
    words += p->words;
    ideal += p->state_bits == 0 ? 1 : (p->state_bits + 63) / 64;
    if (p->state_bits <= 64) {
      assert_int_equal(p->words, 1);
    }
    for (uint32_t s = 0; s < p->slot_count; s++) {
      assert_true(clew_domain_same(p->slots[s].domain, p->slot_types[s]->domain));
    }
    clew_program_close(p);
  }
  assert_true(words >= ideal && words * 100 <= ideal * 101);
}

static void expect_limit(struct clew_program *p, const char *message) {
  struct clew_diag_sink diags = {0};
  assert_int_equal(clew_program_finish(p, &diags), CLEW_OVER_LIMIT);
  assert_int_equal(diags.len, 1);
  assert_string_equal(diags.data[0].message, message);
  assert_string_equal(diags.data[0].file, "t");
  clew_diag_sink_free(&diags);
  clew_program_close(p);
}

static void test_limits(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  const struct clew_type *most = array_of(p, CLEW_MAX_CELLS, ir_int(p, 0, 1));
  for (uint32_t i = 0; i < 5000; i++) { /* more cells than 32 bits can count */
    ir_var(p, "v", most);
  }
  expect_limit(p, "the state has 5242880000 variables (counting the elements of arrays and "
                  "records); the limit is 1048576");
  p = clew_program_open("t", "test");
  ir_var(p, "v", array_of(p, CLEW_MAX_CELLS, ir_int(p, 0, 1023)));
  expect_limit(p, "a state takes 1398104 bytes; the limit is 1048576"); /* six in a word */
  p = clew_program_open("t", "test");
  ir_var(p, "v", array_of(p, CLEW_MAX_CELLS, ir_int(p, 0, 255)));
  ir_finish(p);
  assert_int_equal(p->words, CLEW_MAX_CELLS / 8);
  assert_string_equal(p->slots[CLEW_MAX_CELLS - 1].name, "v[1048575]");
  clew_program_close(p);
}

/* Names are bounded, and cut between characters. */
static void test_long_names(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  char *name = clew_arena_alloc(p->arena, 1001);
  for (int i = 0; i < 1000; i += 2) {
    memcpy(name + i, "\xc3\xa9", 2);
  }
  ir_var(p, name, array_of(p, 3, ir_int(p, 0, 1)));
  ir_finish(p);
  for (uint32_t i = 0; i < 3; i++) {
    size_t length = strlen(p->slots[i].name);
    assert_int_equal(length, 255);
    assert_memory_equal(p->slots[i].name + length - 5, "\xc3\xa9...", 5);
  }
  clew_program_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widths),         cmocka_unit_test(test_empty),
      cmocka_unit_test(test_names_and_bags), cmocka_unit_test(test_strides),
      cmocka_unit_test(test_cutting),        cmocka_unit_test(test_random),
      cmocka_unit_test(test_limits),         cmocka_unit_test(test_long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
