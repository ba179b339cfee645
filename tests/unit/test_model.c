/* Slots, printing of states, successor buffers, names of properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/bits.h"
#include "model/model.h"

static const char *const colours[] = {"red", "green", "blue"};
static const struct clew_domain colour = {.name = "colour", .lo = 4, .hi = 6, .names = colours};
static const struct clew_domain number = {.lo = -2, .hi = 5};
static const struct clew_domain bit = {.lo = 0, .hi = 1};
static const struct clew_domain everything = {.lo = INT64_MIN + 1, .hi = INT64_MAX};
static const struct clew_domain seven = {.lo = 7, .hi = 7};

static void test_get_set(void **state) {
  (void)state;
  uint64_t words[3] = {0, 0, 0};
  struct clew_slot n = {.domain = &number, .bit = 61, .width = 3};
  struct clew_slot c = {.domain = &colour, .bit = 5, .width = 2, .undefinable = true};
  struct clew_slot all = {.domain = &everything, .bit = 64, .width = 64, .undefinable = true};
  struct clew_slot none = {.domain = &seven, .bit = 0, .width = 0};
  assert_int_equal(clew_slot_get(&n, words), -2);
  assert_int_equal(clew_slot_get(&c, words), CLEW_UNDEFINED);
  assert_int_equal(clew_slot_get(&none, words), 7);
  clew_slot_set(&n, words, 5);
  clew_slot_set(&c, words, 6);
  clew_slot_set(&none, words, 7);
  assert_int_equal(words[0], UINT64_C(7) << 61 | UINT64_C(3) << 5);
  assert_int_equal(clew_slot_get(&n, words), 5);
  assert_int_equal(clew_slot_get(&c, words), 6);
  clew_slot_set(&n, words, -1);
  clew_slot_set(&c, words, CLEW_UNDEFINED);
  assert_int_equal(words[0], UINT64_C(1) << 61);

  static const int64_t values[] = {INT64_MIN + 1, -1, 0, 1, INT64_MAX, CLEW_UNDEFINED};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    clew_slot_set(&all, words, values[i]);
    assert_int_equal(clew_slot_get(&all, words), values[i]);
  }
  assert_int_equal(words[2], 0);
}

/* x, colour, and a multiset of at most two numbers. */
static const struct clew_slot slots[] = {
    {.name = "x", .domain = &number, .bit = 0, .width = 3, .presence = CLEW_NONE},
    {.name = "c",
     .domain = &colour,
     .bit = 3,
     .width = 2,
     .undefinable = true,
     .presence = CLEW_NONE},
    {.name = "net[0]", .domain = &bit, .bit = 5, .width = 1, .hidden = true, .presence = CLEW_NONE},
    {.name = "net[0].n", .domain = &number, .bit = 6, .width = 3, .presence = 2},
    {.name = "net[1]", .domain = &bit, .bit = 9, .width = 1, .hidden = true, .presence = CLEW_NONE},
    {.name = "net[1].n", .domain = &number, .bit = 10, .width = 3, .presence = 4},
};
static const struct clew_model model = {.words = 1, .slot_count = 6, .slots = slots};

static void expect_print(const uint64_t *now, const uint64_t *previous, const char *expected) {
  struct clew_text text = {0};
  clew_state_print(&model, now, previous, "  ", &text);
  assert_string_equal(clew_text_str(&text), expected);
  clew_text_free(&text);
}

static void test_print(void **state) {
  (void)state;
  uint64_t one = 0, two = 0;
  expect_print(&one, NULL, "  x = -2\n  c = undefined\n");
  clew_slot_set(&slots[2], &two, 1);
  clew_slot_set(&slots[3], &two, 3);
  clew_slot_set(&slots[1], &two, 5);
  assert_false(clew_slot_present(&model, 3, &one));
  assert_true(clew_slot_present(&model, 3, &two));
  assert_false(clew_slot_present(&model, 5, &two));
  assert_true(clew_slot_present(&model, 0, &one));
  expect_print(&two, NULL, "  x = -2\n  c = green\n  net[0].n = 3\n");
  expect_print(&two, &one, "  c = green\n  net[0].n = 3\n");
  expect_print(&one, &two, "  c = undefined\n  net[0].n: gone\n");
  expect_print(&two, &two, "");
  struct clew_text text = {0};
  clew_domain_print(&colour, 9, &text);
  assert_string_equal(clew_text_str(&text), "9");
  clew_text_free(&text);
}

static void test_succs(void **state) {
  (void)state;
  struct clew_succs succs;
  clew_succs_open(&succs, 3, 70);
  for (uint32_t i = 0; i < 1000; i++) {
    uint64_t *words = clew_succs_next(&succs);
    words[0] = i;
    words[1] = 0;
    words[2] = ~(uint64_t)i;
    if (i % 2 == 0) {
      clew_succs_keep(&succs, i);
    } else if (i % 5 == 0) {
      succs.add_fault(&succs, i, i + 1);
    }
  }
  assert_int_equal(succs.count, 500);
  assert_int_equal(succs.fault_count, 100);
  for (uint32_t i = 0; i < 500; i++) {
    assert_int_equal(succs.edges[i], 2 * i);
    assert_int_equal(succs.states[3 * i], 2 * i);
    assert_int_equal(succs.states[3 * i + 2], ~(uint64_t)(2 * i));
  }
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(succs.faults[i].edge, 10 * i + 5);
    assert_int_equal(succs.faults[i].site, 10 * i + 6);
  }
  clew_bitset_add(succs.covered, 69);
  clew_succs_clear(&succs);
  assert_int_equal(succs.count, 0);
  assert_int_equal(succs.fault_count, 0);
  assert_true(clew_bitset_has(succs.covered, 69));
  assert_false(clew_bitset_has(succs.covered, 0));
  clew_succs_close(&succs);
}

static const struct {
  uint64_t successors[3]; /* their last words; 0 ends the list */
  uint32_t fault_count;
  bool stuck, stuck_if_stuttering;
} stuck_samples[] = {
    {{0}, 0, true, true},      {{7}, 0, false, true},     {{7, 7}, 0, false, true},
    {{7, 8}, 0, false, false}, {{8, 7}, 0, false, false}, {{8}, 0, false, false},
    {{0}, 1, false, false},    {{7}, 1, false, false},    {{8}, 2, false, false},
};

/* Appends what the sample says, for states that are zero but for their last words. */
static void expect_stuck(struct clew_succs *succs, size_t sample) {
  uint64_t from[20] = {0};
  from[succs->words - 1] = 7;
  uint32_t first = succs->count, first_fault = succs->fault_count;
  for (uint32_t i = 0; stuck_samples[sample].successors[i] != 0; i++) {
    uint64_t *words = clew_succs_next(succs);
    memset(words, 0, succs->words * sizeof *words);
    words[succs->words - 1] = stuck_samples[sample].successors[i];
    clew_succs_keep(succs, i);
  }
  for (uint32_t i = 0; i < stuck_samples[sample].fault_count; i++) {
    succs->add_fault(succs, i, 0);
  }
  assert_int_equal(
      clew_succs_are_stuck(succs, CLEW_DEADLOCK_NO_SUCCESSOR, from, first, first_fault),
      stuck_samples[sample].stuck);
  assert_int_equal(clew_succs_are_stuck(succs, CLEW_DEADLOCK_STUTTERING, from, first, first_fault),
                   stuck_samples[sample].stuck_if_stuttering);
}

/* By both rules, for short states and long ones, in an empty buffer and behind those of another
 * state. */
static void test_stuck(void **state) {
  (void)state;
  static const uint32_t widths[] = {1, 2, 8, 9, 20};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    for (size_t j = 0; j < sizeof stuck_samples / sizeof *stuck_samples; j++) {
      struct clew_succs succs;
      clew_succs_open(&succs, widths[i], 0);
      expect_stuck(&succs, j);
      clew_succs_next(&succs)[0] = 5;
      clew_succs_keep(&succs, 0);
      succs.add_fault(&succs, 0, 0);
      expect_stuck(&succs, j);
      clew_succs_close(&succs);
    }
  }
}

static void test_property_names(void **state) {
  (void)state;
  static const char *const names[] = {"deadlock", "assertion", "invariant", "cover",
                                      "liveness", "progress",  "measure"};
  for (int i = 0; i < CLEW_PROPERTY_KINDS; i++) {
    assert_string_equal(clew_property_kind_name((enum clew_property_kind)i), names[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_get_set),        cmocka_unit_test(test_print),
      cmocka_unit_test(test_succs),          cmocka_unit_test(test_stuck),
      cmocka_unit_test(test_property_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
