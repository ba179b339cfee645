/* The interpreter: expressions, statements, calls, and which run-time error is the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/interp_run.h"

static void test_references(void **unused) {
  (void)unused;
  enum { SWAP, ROTATE, MAX };
  struct run run = run_open(ir_build_references());
  run_start(&run, 0);
  assert_int_equal(run_get(&run, "a", 0), 1);
  assert_int_equal(run_get(&run, "b", 0), 3);
  EXPECT_NEXT(&run, "a", {{SWAP, 3}, {ROTATE, 3}, {MAX, 1}});
  EXPECT_NEXT(&run, "b", {{SWAP, 1}, {ROTATE, 1}, {MAX, 3}});
  run_fire(&run, SWAP);
  EXPECT_NEXT(&run, "b", {{SWAP, 3}, {ROTATE, 3}, {MAX, 3}});
  run_close(&run);
}

static void test_recursion(void **unused) {
  (void)unused;
  enum { DEEP_0, LOST_0, DEEP_1, LOST_1, DEEP_2, LOST_2 };
  struct run run = run_open(ir_build_recursion());
  run_start(&run, 0);
  EXPECT_NEXT(&run, "x", {{DEEP_0, 998}, {LOST_0, 11}, {DEEP_1, 999}, {LOST_1, 11}});
  assert_int_equal(run.succs.fault_count, 2);
  expect_fault(&run, 0, DEEP_2, "recursion");
  expect_fault(&run, 1, LOST_2, "no result");
  run_close(&run);
}

static void test_loops(void **unused) {
  (void)unused;
  enum { COUNT_9, COUNT_10, COUNT_11, DOWN, DOWN_TWICE, FIND, EMPTY };
  struct run run = run_open(ir_build_loops());
  run_start(&run, 0);
  EXPECT_NEXT(&run, "x", {{COUNT_9, 9}, {COUNT_10, 10}, {DOWN_TWICE, 53}, {FIND, 4}, {EMPTY, 0}});
  assert_int_equal(run.succs.fault_count, 2);
  expect_fault(&run, 0, COUNT_11, "loop");
  expect_fault(&run, 1, DOWN, "range");
  run_set(&run, "x", 0, 5);
  EXPECT_NEXT(&run, "x", {{FIND, 4}, {EMPTY, 5}});
  run_close(&run);
}

/* What the operator means, computed in 128 bits; false where it faults. */
__extension__ typedef __int128 wide;
static bool wide_apply(enum clew_op op, wide a, wide b, wide *result) {
  switch (op) {
  case CLEW_OP_NEG:
    *result = -a;
    break;
  case CLEW_OP_NOT:
    *result = a != b; /* the fixture negates a = b */
    break;
  case CLEW_OP_BIT_NOT:
    *result = -a - 1;
    return *result > INT64_MIN; /* as a value to assign */
  case CLEW_OP_ADD:
    *result = a + b;
    break;
  case CLEW_OP_SUB:
    *result = a - b;
    break;
  case CLEW_OP_MUL:
    *result = a * b;
    break;
  case CLEW_OP_DIV:
  case CLEW_OP_MOD:
    if (b == 0)
      return false;
    *result = op == CLEW_OP_DIV ? a / b : a % b;
    break;
  case CLEW_OP_SHL:
  case CLEW_OP_SHR:
    if (b < 0 || b > 63)
      return false;
    *result = op == CLEW_OP_SHL ? a * ((wide)1 << b) : a >> b;
    break;
  default:
    *result = op == CLEW_OP_BIT_AND   ? (a & b)
              : op == CLEW_OP_BIT_OR  ? (a | b)
              : op == CLEW_OP_BIT_XOR ? (a ^ b)
              : op == CLEW_OP_EQ      ? a == b
              : op == CLEW_OP_NE      ? a != b
              : op == CLEW_OP_LT      ? a < b
              : op == CLEW_OP_LE      ? a <= b
              : op == CLEW_OP_GT      ? a > b
                                      : a >= b;
    break;
  }
  return *result > INT64_MIN && *result <= INT64_MAX;
}

static void test_arithmetic(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_arithmetic());
  run_start(&run, 0);
  run_next(&run);
  uint32_t edge = 0, found = 0, faults = 0;
  for (int a = 0; a < IR_OPERANDS; a++)
    for (int b = 0; b < IR_OPERANDS; b++)
      for (enum clew_op op = CLEW_OP_NEG; op <= CLEW_OP_GE; op++, edge++) {
        wide expected;
        if (wide_apply(op, ir_operands[a], ir_operands[b], &expected)) {
          assert_true(found < run.succs.count);
          assert_int_equal(run.succs.edges[found], edge);
          int64_t value = ir_value(run.program, ir_state(&run.succs, found++), "r", 0);
          assert_true(value == expected);
        } else {
          expect_fault(&run, faults++, edge,
                       op == CLEW_OP_BIT_NOT || op == CLEW_OP_BIT_XOR ? "range"
                       : op == CLEW_OP_DIV || op == CLEW_OP_MOD       ? "division"
                                                                      : "overflow");
        }
      }
  assert_int_equal(found, run.succs.count);
  assert_int_equal(faults, run.succs.fault_count);
  assert_int_equal(edge, run.program->edge_count);
  run_close(&run);
}

static void test_quantifiers(void **unused) {
  (void)unused;
  enum { SET = 0, SUM = 6, SORTED, HAS, SWITCH };
  struct run run = run_open(ir_build_quantifiers());
  run_start(&run, 0);
  run_set(&run, "a", 0, 1);
  run_set(&run, "a", 1, 2);
  run_set(&run, "a", 2, 4);
  run_fire(&run, SUM);
  assert_int_equal(run_get(&run, "x", 0), 7);
  run_fire(&run, SORTED);
  assert_int_equal(run_get(&run, "x", 0), 9);
  run_fire(&run, HAS);
  assert_int_equal(run_get(&run, "x", 0), 1);
  run_set(&run, "a", 1, 4);
  expect_no_fire(&run, SORTED, "range"); /* 25 */
  run_fire(&run, HAS);
  assert_int_equal(run_get(&run, "x", 0), 2);
  run_set(&run, "a", 2, 3);
  expect_no_fire(&run, SORTED, NULL);
  run_set(&run, "a", 1, 0);
  expect_no_fire(&run, HAS, NULL);
  const int64_t cases[][2] = {{0, 10}, {1, 10}, {2, 11}, {3, 3}, {4, 12}, {20, 12}};
  for (uint32_t i = 0; i < IR_COUNT(cases); i++) {
    run_set(&run, "x", 0, cases[i][0]);
    run_fire(&run, SWITCH);
    assert_int_equal(run_get(&run, "x", 0), cases[i][1]);
  }
  run_close(&run);
}

/* The names of the rules are the messages of the sites. */
static void test_first_error(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_order());
  run_start(&run, 0);
  run_next(&run);
  assert_int_equal(run.succs.count, 0);
  assert_int_equal(run.succs.fault_count, run.program->edge_count);
  for (uint32_t edge = 0; edge < run.program->edge_count; edge++) {
    const char *name = clew_program_edge(run.program, false, edge).rule->name;
    expect_fault(&run, edge, edge, name);
    expect_no_fire(&run, edge, name);
    run_next(&run);
  }
  run_close(&run);
}

static void test_loops_at_the_extremes(void **unused) {
  (void)unused;
  struct run run = run_open(ir_build_extremes());
  run_start(&run, 0);
  EXPECT_NEXT(&run, "n",
              {{0, 2}, {1, 2}, {2, 3}, {3, 3}, {4, 3}, {5, 3}, {6, 3}, {7, 3}, {8, 3}, {9, 3}});
  run_close(&run);
}

static void test_frames_start_undefined(void **unused) {
  (void)unused;
  const int64_t none = CLEW_UNDEFINED;
  struct run run = run_open(ir_build_fresh_frames());
  run_start(&run, 0);
  run_next(&run);
  assert_int_equal(run.succs.count, 12);
  for (uint32_t i = 0; i < 12; i++) {
    bool is_one = i == 3 || i == 9; /* Use with j = 1 */
    assert_int_equal(run.succs.edges[i], i);
    assert_int_equal(ir_value(run.program, ir_state(&run.succs, i), "x", 0), is_one ? 1 : none);
  }
  run_close(&run);
}

/* f(n) has a local array of 100,000 cells and calls itself n times. Calls(n): x := f(n), n: 3 and
 * 999, which is more memory than frames may take. */
static struct clew_program *build_large_frames(void) {
  struct clew_program *p = clew_program_open("large frames", "test");
  const struct clew_type *type = ir_int(p, 0, 1000);
  ir_place x = ir_var(p, "x", type);
  ir_start(p, NULL, NULL);
  struct clew_function *f = ir_function(p, "f", type, &type, 1, NULL, 0);
  ir_place n = clew_place_frame(f->frame, 0), less = ir_local(f->frame, "less", type);
  ir_place big = ir_local(f->frame, "big", clew_type_array(p->arena, ir_range(p, 0, 99999), type));
  const ir_expr argument[] = {ir_load(p, less)};
  ir_place cell = ir_at(p, big, ir_load(p, n));
  f->body = IR_LIST(ir_set(p, cell, ir_load(p, n)),
                    ir_if(p, ir_is(p, n, 0), ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 0)), NULL),
                    ir_set(p, less, ir_bin(p, CLEW_OP_SUB, ir_load(p, n), ir_num(p, 1))),
                    ir_set(p, less, clew_expr_call(p, ir_call(p, f, argument, NULL))),
                    ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, cell)));
  for (int i = 0; i < 2; i++)
    ir_plain(
        p, NULL, "Call", NULL,
        ir_set(p, x,
               clew_expr_call(p, ir_call(p, f, (ir_expr[]){ir_num(p, i == 0 ? 3 : 999)}, NULL))));
  return ir_finish(p);
}

static void test_large_frames(void **unused) {
  (void)unused;
  struct run run = run_open(build_large_frames());
  run_start(&run, 0);
  for (int i = 0; i < 2; i++) {
    EXPECT_NEXT(&run, "x", {{0, 3}});
    assert_int_equal(run.succs.fault_count, 1);
    expect_fault(&run, 0, 1, "recursion");
  }
  run_close(&run);
}

/* f(n) calls itself inside an expression of 2,000 levels: the C stack would not do for 900 calls.
 */
static struct clew_program *build_deep_expressions(void) {
  struct clew_program *p = clew_program_open("deep expressions", "test");
  const struct clew_type *type = ir_int(p, 0, 1000);
  ir_place x = ir_var(p, "x", type);
  ir_start(p, NULL, NULL);
  struct clew_function *f = ir_function(p, "f", type, &type, 1, NULL, 0);
  ir_place n = clew_place_frame(f->frame, 0), less = ir_local(f->frame, "less", type);
  const ir_expr argument[] = {ir_load(p, less)};
  ir_expr deep = clew_expr_call(p, ir_call(p, f, argument, NULL));
  for (int i = 0; i < 2000; i++)
    deep = ir_bin(p, CLEW_OP_BIT_OR, deep, ir_load(p, n));
  f->body = IR_LIST(ir_if(p, ir_is(p, n, 0), ir_on_value(p, CLEW_STMT_RETURN, ir_num(p, 0)), NULL),
                    ir_set(p, less, ir_bin(p, CLEW_OP_SUB, ir_load(p, n), ir_num(p, 1))),
                    ir_set(p, less, deep), ir_on_value(p, CLEW_STMT_RETURN, ir_load(p, less)));
  for (int i = 0; i < 2; i++)
    ir_plain(
        p, NULL, "Call", NULL,
        ir_set(p, x,
               clew_expr_call(p, ir_call(p, f, (ir_expr[]){ir_num(p, i == 0 ? 2 : 900)}, NULL))));
  return ir_finish(p);
}

static void test_deep_expressions(void **unused) {
  (void)unused;
  struct run run = run_open(build_deep_expressions());
  run_start(&run, 0);
  EXPECT_NEXT(&run, "x", {{0, 3}});
  assert_int_equal(run.succs.fault_count, 1);
  expect_fault(&run, 0, 1, "recursion");
  run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_references),
      cmocka_unit_test(test_recursion),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_quantifiers),
      cmocka_unit_test(test_first_error),
      cmocka_unit_test(test_loops_at_the_extremes),
      cmocka_unit_test(test_frames_start_undefined),
      cmocka_unit_test(test_large_frames),
      cmocka_unit_test(test_deep_expressions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
