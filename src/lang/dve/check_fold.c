/* Expressions that must be known before execution: sizes and initial values. */
#include "lang/dve/check.h"

#include <assert.h>

static bool fail(struct dve_checker *c, const struct dve_expr *expr, const char *what) {
  clew_front_error(c->d->front, expr->span, "%s in a constant expression", what);
  return false;
}

static bool fold_variable(struct dve_checker *c, const struct dve_expr *expr, bool variables,
                          int64_t *value) {
  assert(expr->kind == DVE_EXPR_VARIABLE);
  struct dve_variable *variable = clew_dve_find_variable(c, expr->ref);
  if (variable == NULL) {
    return false;
  }
  if (variable->values == NULL) { /* in error, or declared further down */
    clew_front_error(c->d->front, expr->span, "\"%s\" has no value yet",
                     clew_front_excerpt(c->d->front, expr->span));
    return false;
  }
  if (!variables && !variable->is_const) {
    clew_front_error(c->d->front, expr->span, "\"%s\" is not a constant",
                     clew_front_excerpt(c->d->front, expr->span));
    return false;
  }
  int64_t index = 0;
  if (expr->index != NULL && !clew_dve_fold(c, expr->index, variables, &index)) {
    return false;
  }
  if (index < 0 || index >= (int64_t)variable->count) {
    return fail(c, expr, "index out of range");
  }
  *value = variable->values[index];
  return true;
}

static bool fold_arithmetic(struct dve_checker *c, const struct dve_expr *expr, int64_t a,
                            int64_t b, int64_t *value) {
  bool overflow = false;
  switch (expr->op) {
  case DVE_OP_ADD:
    overflow = __builtin_add_overflow(a, b, value);
    break;
  case DVE_OP_SUB:
    overflow = __builtin_sub_overflow(a, b, value);
    break;
  case DVE_OP_MUL:
    overflow = __builtin_mul_overflow(a, b, value);
    break;
  case DVE_OP_DIV:
  case DVE_OP_MOD:
    if (b == 0) {
      return fail(c, expr, "division by zero");
    }
    *value = expr->op == DVE_OP_DIV ? a / b : a % b;
    break;
  default:
    assert(expr->op == DVE_OP_SHL || expr->op == DVE_OP_SHR);
    if (b < 0 || b > 31) {
      return fail(c, expr, "shift out of range");
    }
    *value = a >> b;
    overflow = expr->op == DVE_OP_SHL && __builtin_mul_overflow(a, INT64_C(1) << b, value);
    break;
  }
  /* Whatever stays this small cannot make the operations above leave 64 bits. */
  if (overflow || *value > INT32_MAX || *value < INT32_MIN) {
    return fail(c, expr, "overflow");
  }
  return true;
}

static bool fold_binary(struct dve_checker *c, const struct dve_expr *expr, int64_t a, int64_t b,
                        int64_t *value) {
  switch (expr->op) {
  case DVE_OP_BIT_AND:
    *value = a & b;
    return true;
  case DVE_OP_BIT_OR:
    *value = a | b;
    return true;
  case DVE_OP_BIT_XOR:
    *value = a ^ b;
    return true;
  case DVE_OP_EQ:
    *value = a == b;
    return true;
  case DVE_OP_NE:
    *value = a != b;
    return true;
  case DVE_OP_LT:
    *value = a < b;
    return true;
  case DVE_OP_LE:
    *value = a <= b;
    return true;
  case DVE_OP_GT:
    *value = a > b;
    return true;
  case DVE_OP_GE:
    *value = a >= b;
    return true;
  case DVE_OP_IMPLY:
    *value = a == 0 || b > 0;
    return true;
  default:
    return fold_arithmetic(c, expr, a, b, value);
  }
}

static bool fold_logic(struct dve_checker *c, const struct dve_expr *expr, bool variables,
                       int64_t *value) {
  assert(expr->kind == DVE_EXPR_LOGIC);
  bool decisive = expr->op == DVE_OP_OR;
  for (uint32_t i = 0; i < expr->operand_count; i++) {
    int64_t each;
    if (!clew_dve_fold(c, expr->operands[i], variables, &each)) {
      return false;
    }
    bool truth = i == 0 ? each != 0 : each > 0;
    if (truth == decisive) {
      *value = decisive;
      return true;
    }
  }
  *value = !decisive;
  return true;
}

bool clew_dve_fold(struct dve_checker *c, const struct dve_expr *expr, bool variables,
                   int64_t *value) {
  int64_t a, b;
  switch (expr->kind) {
  case DVE_EXPR_NUMBER:
    *value = expr->number;
    return true;
  case DVE_EXPR_VARIABLE:
    return fold_variable(c, expr, variables, value);
  case DVE_EXPR_UNARY:
    if (!clew_dve_fold(c, expr->a, variables, &a)) {
      return false;
    }
    *value = expr->op == DVE_OP_NEG ? -a : expr->op == DVE_OP_NOT ? a == 0 : ~a;
    return true;
  case DVE_EXPR_BINARY:
    return clew_dve_fold(c, expr->a, variables, &a) && clew_dve_fold(c, expr->b, variables, &b) &&
           fold_binary(c, expr, a, b, value);
  case DVE_EXPR_LOGIC:
    return fold_logic(c, expr, variables, value);
  default:
    assert(expr->kind == DVE_EXPR_FOREIGN || expr->kind == DVE_EXPR_IN_STATE);
    clew_front_error(c->d->front, expr->span, "\"%s\" is not known before execution",
                     clew_front_excerpt(c->d->front, expr->span));
    return false;
  }
}
