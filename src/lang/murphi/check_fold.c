/* Evaluating constant expressions, in the same arithmetic as the IR: 64 bits without INT64_MIN,
 * division towards zero. */
#include "lang/murphi/check.h"

#include <assert.h>

/* Why a constant operation has no value, or NULL. */
static const char *divide(enum murphi_op op, int64_t a, int64_t b, int64_t *value) {
  if (b == 0) {
    return "division by zero";
  }
  assert(a != INT64_MIN); /* so that even division by -1 stays in range */
  *value = op == MURPHI_OP_DIV ? a / b : a % b;
  return NULL;
}

/* A negative amount shifts the other way; one beyond the width of integers leaves nothing. */
static const char *shift(enum murphi_op op, int64_t a, int64_t b, int64_t *value) {
  if (b < -63 || b > 63) {
    *value = 0;
    return NULL;
  }
  if (b < 0) {
    op = op == MURPHI_OP_SHR ? MURPHI_OP_SHL : MURPHI_OP_SHR;
    b = -b;
  }
  if (op == MURPHI_OP_SHR) {
    *value = a >> b;
    return NULL;
  }
  *value = (int64_t)((uint64_t)a << b);
  return *value >> b == a && *value != INT64_MIN ? NULL : "arithmetic overflow";
}

static const char *arithmetic(enum murphi_op op, int64_t a, int64_t b, int64_t *value) {
  bool overflow;
  switch (op) {
  case MURPHI_OP_ADD:
    overflow = __builtin_add_overflow(a, b, value);
    break;
  case MURPHI_OP_SUB:
    overflow = __builtin_sub_overflow(a, b, value);
    break;
  case MURPHI_OP_MUL:
    overflow = __builtin_mul_overflow(a, b, value);
    break;
  case MURPHI_OP_DIV:
  case MURPHI_OP_MOD:
    return divide(op, a, b, value);
  default:
    return shift(op, a, b, value);
  }
  return overflow || *value == INT64_MIN ? "arithmetic overflow" : NULL;
}

static const char *binary(enum murphi_op op, int64_t a, int64_t b, int64_t *value) {
  switch (op) {
  case MURPHI_OP_IMPLIES:
    *value = !a || b;
    return NULL;
  case MURPHI_OP_OR: /* on 0 and 1 the same as bitwise */
  case MURPHI_OP_LOGICAL_OR:
    *value = a | b;
    return NULL;
  case MURPHI_OP_AND:
  case MURPHI_OP_LOGICAL_AND:
    *value = a & b;
    return NULL;
  case MURPHI_OP_XOR:
    *value = a ^ b;
    return *value == INT64_MIN ? "arithmetic overflow" : NULL;
  case MURPHI_OP_EQ:
    *value = a == b;
    return NULL;
  case MURPHI_OP_NE:
    *value = a != b;
    return NULL;
  case MURPHI_OP_LT:
    *value = a < b;
    return NULL;
  case MURPHI_OP_LE:
    *value = a <= b;
    return NULL;
  case MURPHI_OP_GT:
    *value = a > b;
    return NULL;
  case MURPHI_OP_GE:
    *value = a >= b;
    return NULL;
  default:
    return arithmetic(op, a, b, value);
  }
}

static const char *unary(enum murphi_op op, int64_t a, int64_t *value) {
  assert(a != INT64_MIN);
  switch (op) {
  case MURPHI_OP_NOT:
    *value = !a;
    return NULL;
  case MURPHI_OP_MINUS:
    *value = -a;
    return NULL;
  case MURPHI_OP_COMPLEMENT:
    *value = ~a;
    return *value == INT64_MIN ? "arithmetic overflow" : NULL;
  default:
    assert(op == MURPHI_OP_PLUS);
    *value = a;
    return NULL;
  }
}

void clew_murphi_fold(struct murphi_checker *c, struct murphi_expr *expr) {
  bool known = expr->a->is_constant && (expr->b == NULL || expr->b->is_constant);
  if (!known || clew_murphi_type_is_error(expr->type)) {
    return;
  }
  assert(clew_murphi_type_is_simple(expr->a->type));
  const char *fault = expr->kind == MURPHI_EXPR_UNARY
                          ? unary(expr->op, expr->a->value, &expr->value)
                          : binary(expr->op, expr->a->value, expr->b->value, &expr->value);
  expr->is_constant = fault == NULL;
  if (fault != NULL && c->constant) {
    clew_front_error(c->m->front, expr->span, "%s in a constant expression", fault);
    expr->type = &c->m->error_type;
  }
}
