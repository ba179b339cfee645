/* Constructors of expressions: folding, ranges, sites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/range.h"
#include "unit/ir_build.h"

#define LEAST (INT64_MIN + 1)

/* What an operation does, written down a second time: true, or false for a fault. */
static bool reference(enum clew_op op, int64_t a, int64_t b, int64_t *r) {
  __extension__ typedef __int128 wide;
  wide result;
  switch (op) {
  case CLEW_OP_ADD:
    result = (wide)a + b;
    break;
  case CLEW_OP_SUB:
    result = (wide)a - b;
    break;
  case CLEW_OP_MUL:
    result = (wide)a * b;
    break;
  case CLEW_OP_DIV:
    result = b == 0 ? (wide)INT64_MAX + 1 : (wide)a / b;
    break;
  case CLEW_OP_MOD:
    result = b == 0 ? (wide)INT64_MAX + 1 : (wide)a % b;
    break;
  case CLEW_OP_SHL:
    result = b < 0 || b > 63 ? (wide)INT64_MAX + 1 : (wide)a * ((wide)1 << b);
    break;
  case CLEW_OP_SHR:
    result = b < 0 || b > 63 ? (wide)INT64_MAX + 1 : (wide)(a >> b);
    break;
  case CLEW_OP_BIT_AND:
    *r = a & b;
    return true;
  case CLEW_OP_BIT_OR:
    *r = a | b;
    return true;
  case CLEW_OP_BIT_XOR:
    *r = a ^ b;
    return true;
  case CLEW_OP_EQ:
    result = a == b;
    break;
  case CLEW_OP_NE:
    result = a != b;
    break;
  case CLEW_OP_LT:
    result = a < b;
    break;
  case CLEW_OP_LE:
    result = a <= b;
    break;
  case CLEW_OP_GT:
    result = a > b;
    break;
  case CLEW_OP_GE:
    result = a >= b;
    break;
  default:
    abort();
  }
  *r = (int64_t)result;
  return result >= LEAST && result <= INT64_MAX;
}

/* Every result of every operator over every pair of small intervals lies in the interval computed,
 * and a fault happens only where one is announced; where one is announced, 0 is in the interval. */
static void test_ranges_enclose(void **state) {
  (void)state;
  for (enum clew_op op = CLEW_OP_ADD; op <= CLEW_OP_GE; op++) {
    for (int64_t code = 0; code < 10 * 10 * 10 * 10; code++) {
      int64_t lo_a = code % 10 - 5, hi_a = code / 10 % 10 - 5;
      int64_t lo_b = code / 100 % 10 - 5, hi_b = code / 1000 - 5;
      if (lo_a > hi_a || lo_b > hi_b) {
        continue;
      }
      struct clew_range range = clew_range_binary(op, (struct clew_range){lo_a, hi_a, false},
                                                  (struct clew_range){lo_b, hi_b, false});
      bool faults = false;
      for (int64_t a = lo_a; a <= hi_a; a++) {
        for (int64_t b = lo_b; b <= hi_b; b++) {
          int64_t r;
          if (reference(op, a, b, &r)) {
            assert_true(r >= range.lo && r <= range.hi);
          } else {
            faults = true;
          }
        }
      }
      assert_int_equal(faults, range.fault);
      assert_true(!range.fault || (range.lo <= 0 && range.hi >= 0));
    }
  }
}

/* For sums, differences, products, quotients and comparisons the interval is the smallest one. */
static void test_ranges_tight(void **state) {
  (void)state;
  struct clew_range a = {2, 5, false}, b = {-3, 4, false}, c = {2, 3, false};
  struct clew_range r = clew_range_binary(CLEW_OP_ADD, a, b);
  assert_true(r.lo == -1 && r.hi == 9 && !r.fault);
  r = clew_range_binary(CLEW_OP_SUB, a, b);
  assert_true(r.lo == -2 && r.hi == 8);
  r = clew_range_binary(CLEW_OP_MUL, a, b);
  assert_true(r.lo == -15 && r.hi == 20);
  r = clew_range_binary(CLEW_OP_DIV, a, c);
  assert_true(r.lo == 0 && r.hi == 2 && !r.fault);
  r = clew_range_binary(CLEW_OP_DIV, a, b);
  assert_true(r.lo == -5 && r.hi == 5 && r.fault);
  r = clew_range_binary(CLEW_OP_MOD, a, c);
  assert_true(r.lo == 0 && r.hi == 2 && !r.fault);
  r = clew_range_binary(CLEW_OP_SHL, a, c);
  assert_true(r.lo == 8 && r.hi == 40 && !r.fault);
  r = clew_range_binary(CLEW_OP_SHR, a, c);
  assert_true(r.lo == 0 && r.hi == 1 && !r.fault);
  r = clew_range_binary(CLEW_OP_BIT_AND, a, b);
  assert_true(r.lo == 0 && r.hi == 5);
  r = clew_range_binary(CLEW_OP_BIT_OR, a, c);
  assert_true(r.lo == 2 && r.hi == 7);
  r = clew_range_binary(CLEW_OP_LT, c, (struct clew_range){4, 9, false});
  assert_true(r.lo == 1 && r.hi == 1);
  r = clew_range_binary(CLEW_OP_EQ, c, (struct clew_range){4, 9, false});
  assert_true(r.lo == 0 && r.hi == 0);
  r = clew_range_unary(CLEW_OP_NEG, b);
  assert_true(r.lo == -4 && r.hi == 3 && !r.fault);
  r = clew_range_unary(CLEW_OP_BIT_NOT, b);
  assert_true(r.lo == -5 && r.hi == 2);
}

static void test_ranges_saturate(void **state) {
  (void)state;
  struct clew_range big = {INT64_MAX - 1, INT64_MAX, false}, one = {1, 2, false};
  struct clew_range all = {LEAST, INT64_MAX, false};
  struct clew_range r = clew_range_binary(CLEW_OP_ADD, big, one);
  assert_true(r.fault && r.lo == 0 && r.hi == INT64_MAX);
  r = clew_range_binary(CLEW_OP_MUL, all, all);
  assert_true(r.fault && r.lo == LEAST && r.hi == INT64_MAX);
  r = clew_range_binary(CLEW_OP_SHL, all, all);
  assert_true(r.fault && r.lo == LEAST && r.hi == INT64_MAX);
  r = clew_range_binary(CLEW_OP_SUB, all, all);
  assert_true(r.fault && r.lo == LEAST && r.hi == INT64_MAX);
  r = clew_range_binary(CLEW_OP_DIV, all, one);
  assert_true(!r.fault && r.lo == LEAST && r.hi == INT64_MAX);
  r = clew_range_unary(CLEW_OP_NEG, all);
  assert_true(!r.fault && r.lo == LEAST && r.hi == INT64_MAX);
  r = clew_range_binary(CLEW_OP_BIT_XOR, all, all);
  assert_true(!r.fault && r.lo == INT64_MIN && r.hi == INT64_MAX);
  assert_int_equal(clew_range_iterations(LEAST, INT64_MAX, 1), UINT64_MAX);
  assert_int_equal(clew_range_iterations(1, 10, 3), 4);
  assert_int_equal(clew_range_iterations(10, 1, -3), 4);
  assert_int_equal(clew_range_iterations(1, 0, 1), 0);
  assert_int_equal(clew_range_iterations(0, 1, -1), 0);
}

/* Folding gives what the operation gives, for small and for extreme operands. */
static void test_folding(void **state) {
  (void)state;
  static const int64_t values[] = {
      LEAST, LEAST + 1, -64, -3, -2, -1, 0, 1, 2, 3, 5, 62, 63, 64, INT64_MAX - 1, INT64_MAX};
  struct clew_program *p = clew_program_open("t", "test");
  for (enum clew_op op = CLEW_OP_ADD; op <= CLEW_OP_GE; op++) {
    for (uint32_t i = 0; i < IR_COUNT(values); i++) {
      for (uint32_t j = 0; j < IR_COUNT(values); j++) {
        int64_t expected;
        bool good = reference(op, values[i], values[j], &expected) && expected != INT64_MIN;
        ir_expr e = ir_bin(p, op, ir_num(p, values[i]), ir_num(p, values[j]));
        assert_int_equal(e->kind, good ? CLEW_EXPR_CONST : CLEW_EXPR_BINARY);
        if (good) {
          assert_int_equal(e->value, expected);
        }
      }
    }
  }
  assert_int_equal(clew_expr_unary(p, CLEW_OP_NEG, ir_num(p, LEAST), 0)->value, INT64_MAX);
  assert_int_equal(clew_expr_unary(p, CLEW_OP_NOT, ir_num(p, 1), 0)->value, 0);
  assert_int_equal(clew_expr_unary(p, CLEW_OP_BIT_NOT, ir_num(p, 5), 0)->value, -6);
  clew_program_close(p);
}

static void test_sites(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 3)), u = ir_var(p, "u", ir_maybe(p, 1, 3));
  ir_place big = ir_var(p, "big", ir_int(p, 0, INT64_MAX));
  assert_int_equal(ir_load(p, x)->site, CLEW_NONE);
  assert_int_not_equal(ir_load(p, u)->site, CLEW_NONE);
  assert_int_equal(ir_bin(p, CLEW_OP_ADD, ir_load(p, x), ir_load(p, x))->site, CLEW_NONE);
  assert_int_not_equal(ir_bin(p, CLEW_OP_ADD, ir_load(p, big), ir_load(p, x))->site, CLEW_NONE);
  assert_int_equal(ir_bin(p, CLEW_OP_DIV, ir_load(p, x), ir_load(p, u))->site, CLEW_NONE);
  assert_int_not_equal(ir_bin(p, CLEW_OP_DIV, ir_load(p, u), ir_load(p, x))->site, CLEW_NONE);
  assert_int_not_equal(ir_bin(p, CLEW_OP_MOD, ir_load(p, u), ir_load(p, x))->site, CLEW_NONE);
  assert_int_equal(ir_bin(p, CLEW_OP_SHL, ir_load(p, x), ir_load(p, u))->site, CLEW_NONE);
  assert_int_not_equal(ir_bin(p, CLEW_OP_SHR, ir_load(p, x), ir_load(p, big))->site, CLEW_NONE);

  struct clew_stmt *fits = ir_set(p, x, ir_load(p, u));
  assert_false(fits->checked);
  assert_int_equal(fits->site, CLEW_NONE);
  struct clew_stmt *may_not = ir_set(p, x, ir_bin(p, CLEW_OP_ADD, ir_load(p, x), ir_num(p, 1)));
  assert_true(may_not->checked);
  assert_int_not_equal(may_not->site, CLEW_NONE);
  assert_true(ir_set(p, x, clew_expr_load_raw(p, u))->checked);
  assert_false(ir_set(p, u, clew_expr_load_raw(p, u))->checked);
  assert_false(ir_set(p, u, clew_expr_undefined(p))->checked);
  assert_true(ir_set(p, u, ir_load(p, x))->checked);
  clew_program_close(p);
}

/* Only operands that cannot do anything are dropped. */
static void test_logic(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_expr x = ir_load(p, ir_var(p, "x", ir_maybe(p, 0, 1)));
  ir_expr yes = ir_num(p, 1), no = ir_num(p, 0);
  assert_ptr_equal(ir_bin(p, CLEW_OP_AND, yes, x), x);
  assert_ptr_equal(ir_bin(p, CLEW_OP_AND, x, yes), x);
  assert_ptr_equal(ir_bin(p, CLEW_OP_AND, no, x), no);
  ir_expr kept = ir_bin(p, CLEW_OP_AND, x, no);
  assert_int_equal(kept->kind, CLEW_EXPR_BINARY);
  assert_int_equal(kept->hi, 0);
  assert_ptr_equal(ir_bin(p, CLEW_OP_OR, no, x), x);
  assert_ptr_equal(ir_bin(p, CLEW_OP_OR, x, no), x);
  assert_ptr_equal(ir_bin(p, CLEW_OP_OR, yes, x), yes);
  assert_int_equal(ir_bin(p, CLEW_OP_OR, x, yes)->kind, CLEW_EXPR_BINARY);
  assert_ptr_equal(clew_expr_cond(p, yes, x, no), x);
  assert_ptr_equal(clew_expr_cond(p, no, x, no), no);
  ir_expr cond = clew_expr_cond(p, x, ir_num(p, 7), ir_num(p, -2));
  assert_int_equal(cond->lo, -2);
  assert_int_equal(cond->hi, 7);
  clew_program_close(p);
}

static void test_quantifiers(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place i = ir_local(frame, "i", ir_int(p, 0, 9));
  ir_expr yes = ir_num(p, 1), no = ir_num(p, 0);
  assert_int_equal(ir_quantify(p, CLEW_OP_FORALL, i, 1, 0, no)->value, 1);
  assert_int_equal(ir_quantify(p, CLEW_OP_EXISTS, i, 1, 0, yes)->value, 0);
  assert_int_equal(ir_quantify(p, CLEW_OP_COUNT, i, 0, 9, yes)->value, 10);
  assert_int_equal(ir_quantify(p, CLEW_OP_SUM, i, 0, 9, ir_num(p, -3))->value, -30);
  assert_int_equal(ir_quantify(p, CLEW_OP_FORALL, i, 0, 9, no)->value, 0);
  ir_expr odd = ir_bin(p, CLEW_OP_EQ, ir_bin(p, CLEW_OP_MOD, ir_load(p, i), ir_num(p, 2)), yes);
  ir_expr count = clew_expr_quantify(p, CLEW_OP_COUNT, i.base, no, ir_num(p, 9), 2, odd);
  assert_int_equal(count->kind, CLEW_EXPR_QUANTIFY);
  assert_true(count->lo == 0 && count->hi == 5);
  ir_expr sum = ir_quantify(p, CLEW_OP_SUM, i, 0, 9, ir_load(p, i));
  assert_true(sum->lo == 0 && sum->hi == 90);
  assert_int_equal(sum->depth, 2);
  assert_int_equal(sum->size, 5); /* itself, from, to, step, the load */
  ir_expr all = ir_quantify(p, CLEW_OP_FORALL, i, 0, 9, odd);
  assert_true(all->lo == 0 && all->hi == 1);
  clew_program_close(p);
}

/* Trees that share subtrees have astronomic sizes; the counts saturate. */
static void test_size(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_expr e = ir_load(p, ir_var(p, "x", ir_int(p, 0, 1)));
  for (uint32_t depth = 2; depth <= 70; depth++) {
    e = ir_bin(p, CLEW_OP_BIT_XOR, e, e);
    assert_int_equal(e->depth, depth);
    assert_int_equal(e->size, depth < 32 ? (UINT32_C(1) << depth) - 1 : UINT32_MAX);
  }
  clew_program_close(p);
}

/* Equal expressions are one node, unless they fault at different sites or read a frame. */
static void test_sharing(void **state) {
  (void)state;
  struct clew_program *p = clew_program_open("t", "test");
  ir_place x = ir_var(p, "x", ir_int(p, 0, 9)), y = ir_var(p, "y", ir_int(p, 0, 9));
  ir_place u = ir_var(p, "u", ir_maybe(p, 0, 9));
  struct clew_frame *frame = clew_program_add_frame(p);
  ir_place local = ir_local(frame, "l", ir_int(p, 0, 9));
  uint32_t one = IR_SITE(p, DIVISION, "one"), two = IR_SITE(p, DIVISION, "two");
  ir_expr a = ir_load(p, x), b = ir_load(p, y);
  assert_ptr_equal(ir_num(p, -7), ir_num(p, -7));
  assert_ptr_not_equal(ir_num(p, -7), ir_num(p, 7));
  assert_ptr_equal(a, ir_load(p, x));
  assert_ptr_not_equal(a, b);
  assert_ptr_equal(ir_bin(p, CLEW_OP_ADD, a, b), ir_bin(p, CLEW_OP_ADD, a, b));
  assert_ptr_not_equal(ir_bin(p, CLEW_OP_SUB, a, b), ir_bin(p, CLEW_OP_SUB, b, a));
  assert_ptr_not_equal(ir_bin(p, CLEW_OP_LT, a, b), ir_bin(p, CLEW_OP_LE, a, b));
  assert_ptr_equal(clew_expr_unary(p, CLEW_OP_NEG, a, one),
                   clew_expr_unary(p, CLEW_OP_NEG, a, two));
  assert_ptr_not_equal(clew_expr_binary(p, CLEW_OP_DIV, a, b, one),
                       clew_expr_binary(p, CLEW_OP_DIV, a, b, two));
  assert_ptr_not_equal(clew_expr_load(p, u, one), clew_expr_load(p, u, two));
  assert_int_equal(clew_expr_load(p, u, two)->site, two);
  assert_ptr_not_equal(ir_load(p, local), ir_load(p, local));
  /* The table grows, and every node has a number of its own. */
  for (int64_t i = 0; i < 5000; i++)
    assert_ptr_equal(ir_bin(p, CLEW_OP_EQ, a, ir_num(p, i % 100)),
                     ir_bin(p, CLEW_OP_EQ, a, ir_num(p, i % 100)));
  ir_expr last = ir_bin(p, CLEW_OP_MUL, a, ir_num(p, 77777));
  assert_int_equal(last->number, p->expr_count - 1);
  clew_program_close(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranges_enclose),  cmocka_unit_test(test_ranges_tight),
      cmocka_unit_test(test_ranges_saturate), cmocka_unit_test(test_folding),
      cmocka_unit_test(test_sites),           cmocka_unit_test(test_logic),
      cmocka_unit_test(test_quantifiers),     cmocka_unit_test(test_size),
      cmocka_unit_test(test_sharing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
