/* Expressions and places. */
#include "lang/dve/lower.h"

#include <assert.h>

/* ---- Small constructors --------------------------------------------------------------------- */

const struct clew_expr *clew_dve_const(struct dve_lowering *l, int64_t value) {
  return clew_expr_const(l->program, value);
}

const struct clew_expr *clew_dve_load(struct dve_lowering *l, struct clew_place place) {
  assert(!place.type->undefinable);
  return clew_expr_load(l->program, place, CLEW_NONE);
}

static const struct clew_expr *binary(struct dve_lowering *l, enum clew_op op,
                                      const struct clew_expr *a, const struct clew_expr *b) {
  return clew_expr_binary(l->program, op, a, b, CLEW_NONE);
}

const struct clew_expr *clew_dve_and(struct dve_lowering *l, const struct clew_expr *a,
                                     const struct clew_expr *b) {
  return a == NULL ? b : b == NULL ? a : binary(l, CLEW_OP_AND, a, b);
}

const struct clew_expr *clew_dve_or(struct dve_lowering *l, const struct clew_expr *a,
                                    const struct clew_expr *b) {
  return binary(l, CLEW_OP_OR, a, b);
}

const struct clew_expr *clew_dve_equals(struct dve_lowering *l, struct clew_place place,
                                        int64_t value) {
  return binary(l, CLEW_OP_EQ, clew_dve_load(l, place), clew_dve_const(l, value));
}

/* ---- Places --------------------------------------------------------------------------------- */

/* In a synchronous step every process reads the state before it, except for what it assigns
 * itself. */
static struct clew_place variable_place(struct dve_lowering *l, const struct dve_variable *v) {
  bool old = l->step != NULL && v->old.type != NULL && v->old_under != l->step;
  return old ? v->old : v->place;
}

struct clew_place clew_dve_lower_element(struct dve_lowering *l, const struct dve_expr *expr,
                                         const struct clew_expr *index) {
  const struct dve_variable *v = expr->variable;
  struct clew_place place = variable_place(l, v);
  assert(place.type != NULL);
  if (!v->is_array) {
    return place;
  }
  if (index == NULL) {
    return clew_place_index(l->program, place, clew_dve_const(l, 0), CLEW_NONE);
  }
  uint32_t site = CLEW_NONE;
  if (index->lo < 0 || index->hi >= (int64_t)v->count) {
    site =
        clew_dve_site(l, CLEW_SITE_INDEX, expr->span,
                      "index out of range in \"%s\": '%s' has %u "
                      "elements",
                      clew_front_excerpt(l->d->front, expr->span), v->ref.name->id.text, v->count);
  }
  return clew_place_index(l->program, place, index, site);
}

struct clew_place clew_dve_lower_place(struct dve_lowering *l, const struct dve_expr *expr) {
  const struct clew_expr *index = expr->index != NULL ? clew_dve_lower_expr(l, expr->index) : NULL;
  return clew_dve_lower_element(l, expr, index);
}

static const struct clew_expr *lower_variable(struct dve_lowering *l, const struct dve_expr *expr) {
  const struct dve_variable *v = expr->variable;
  if (v->is_array && !v->is_assigned) {
    const struct clew_expr *index =
        expr->index != NULL ? clew_dve_lower_expr(l, expr->index) : NULL;
    int64_t at = index != NULL ? index->value : 0;
    if (index == NULL || (index->kind == CLEW_EXPR_CONST && at >= 0 && at < (int64_t)v->count)) {
      return clew_dve_const(l, v->values[at]);
    }
    return clew_dve_load(l, clew_dve_lower_element(l, expr, index));
  }
  return v->is_assigned ? clew_dve_load(l, clew_dve_lower_place(l, expr))
                        : clew_dve_const(l, v->values[0]);
}

static const struct clew_expr *lower_in_state(struct dve_lowering *l, const struct dve_expr *expr) {
  const struct dve_process *process = expr->in;
  if (process->place.type == NULL) { /* it has one state, or it is the property process */
    return clew_dve_const(l, expr->state == process->init_index);
  }
  bool old = l->step != NULL && process->old.type != NULL && process != l->step->process;
  return clew_dve_equals(l, old ? process->old : process->place, expr->state);
}

/* ---- Operators ------------------------------------------------------------------------------ */

static bool is_boolean(const struct clew_expr *expr) {
  return expr->lo >= 0 && expr->hi <= 1;
}

static const struct clew_expr *truth(struct dve_lowering *l, const struct clew_expr *value) {
  return is_boolean(value) ? value : binary(l, CLEW_OP_NE, value, clew_dve_const(l, 0));
}

static const struct clew_expr *positive(struct dve_lowering *l, const struct clew_expr *value) {
  return is_boolean(value) ? value : binary(l, CLEW_OP_GT, value, clew_dve_const(l, 0));
}

static const struct clew_expr * not(struct dve_lowering * l, const struct clew_expr *value) {
  return is_boolean(value) ? clew_expr_unary(l->program, CLEW_OP_NOT, value, CLEW_NONE)
                           : binary(l, CLEW_OP_EQ, value, clew_dve_const(l, 0));
}

static enum clew_op operator_of(enum dve_op op) {
  static const enum clew_op table[] = {
      [DVE_OP_ADD] = CLEW_OP_ADD,       [DVE_OP_SUB] = CLEW_OP_SUB,
      [DVE_OP_MUL] = CLEW_OP_MUL,       [DVE_OP_DIV] = CLEW_OP_DIV,
      [DVE_OP_MOD] = CLEW_OP_MOD,       [DVE_OP_SHL] = CLEW_OP_SHL,
      [DVE_OP_SHR] = CLEW_OP_SHR,       [DVE_OP_BIT_AND] = CLEW_OP_BIT_AND,
      [DVE_OP_BIT_OR] = CLEW_OP_BIT_OR, [DVE_OP_BIT_XOR] = CLEW_OP_BIT_XOR,
      [DVE_OP_EQ] = CLEW_OP_EQ,         [DVE_OP_NE] = CLEW_OP_NE,
      [DVE_OP_LT] = CLEW_OP_LT,         [DVE_OP_LE] = CLEW_OP_LE,
      [DVE_OP_GT] = CLEW_OP_GT,         [DVE_OP_GE] = CLEW_OP_GE,
  };
  assert(op >= DVE_OP_ADD && op <= DVE_OP_GE);
  return table[op];
}

static bool is_small(const struct clew_expr *expr) {
  return expr->lo >= INT32_MIN && expr->hi <= INT32_MAX;
}

/* Where the operation would fault, or CLEW_NONE when its operands show that it cannot. */
static uint32_t operator_site(struct dve_lowering *l, const struct dve_expr *expr,
                              const struct clew_expr *a, const struct clew_expr *b) {
  const char *text = clew_front_excerpt(l->d->front, expr->span);
  switch (expr->op) {
  case DVE_OP_DIV:
  case DVE_OP_MOD:
    return b->lo > 0 || b->hi < 0 ? CLEW_NONE
                                  : clew_dve_site(l, CLEW_SITE_DIVISION, expr->span,
                                                  "division by zero in \"%s\"", text);
  case DVE_OP_SHL:
  case DVE_OP_SHR:
    return clew_dve_site(l, CLEW_SITE_OVERFLOW, expr->span, "shift out of range in \"%s\"", text);
  default:
    return is_small(a) && is_small(b)
               ? CLEW_NONE
               : clew_dve_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"", text);
  }
}

/* INT64_MIN is no value, so it must not come out of a bitwise operation: adding 0 to it is an
 * overflow. */
static const struct clew_expr *exclude_least(struct dve_lowering *l, const struct dve_expr *expr,
                                             const struct clew_expr *result) {
  if (result->lo > INT64_MIN) {
    return result;
  }
  uint32_t site = clew_dve_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"",
                                clew_front_excerpt(l->d->front, expr->span));
  return clew_expr_binary(l->program, CLEW_OP_ADD, result, clew_dve_const(l, 0), site);
}

static const struct clew_expr *lower_binary(struct dve_lowering *l, const struct dve_expr *expr) {
  const struct clew_expr *a = clew_dve_lower_expr(l, expr->a), *b = clew_dve_lower_expr(l, expr->b);
  switch (expr->op) {
  case DVE_OP_IMPLY:
    return clew_dve_or(l, not(l, a), positive(l, b));
  case DVE_OP_EQ:
  case DVE_OP_NE:
  case DVE_OP_LT:
  case DVE_OP_LE:
  case DVE_OP_GT:
  case DVE_OP_GE:
    return binary(l, operator_of(expr->op), a, b);
  case DVE_OP_BIT_AND:
  case DVE_OP_BIT_OR:
  case DVE_OP_BIT_XOR:
    return exclude_least(l, expr, binary(l, operator_of(expr->op), a, b));
  default:
    return clew_expr_binary(l->program, operator_of(expr->op), a, b, operator_site(l, expr, a, b));
  }
}

static const struct clew_expr *lower_unary(struct dve_lowering *l, const struct dve_expr *expr) {
  const struct clew_expr *a = clew_dve_lower_expr(l, expr->a);
  switch (expr->op) {
  case DVE_OP_NOT:
    return not(l, a);
  case DVE_OP_NEG:
    return clew_expr_unary(l->program, CLEW_OP_NEG, a, CLEW_NONE); /* INT64_MIN is no value */
  default:
    assert(expr->op == DVE_OP_COMPLEMENT);
    return exclude_least(l, expr, clew_expr_unary(l->program, CLEW_OP_BIT_NOT, a, CLEW_NONE));
  }
}

/* Operands `from` to `to` - 1 as a balanced tree, evaluated from left to right. */
static const struct clew_expr *lower_logic(struct dve_lowering *l, const struct dve_expr *expr,
                                           uint32_t from, uint32_t to) {
  assert(from < to);
  if (to - from == 1) {
    const struct clew_expr *operand = clew_dve_lower_expr(l, expr->operands[from]);
    return from == 0 ? truth(l, operand) : positive(l, operand);
  }
  uint32_t middle = from + (to - from) / 2;
  const struct clew_expr *a = lower_logic(l, expr, from, middle);
  const struct clew_expr *b = lower_logic(l, expr, middle, to);
  return binary(l, expr->op == DVE_OP_AND ? CLEW_OP_AND : CLEW_OP_OR, a, b);
}

const struct clew_expr *clew_dve_lower_expr(struct dve_lowering *l, const struct dve_expr *expr) {
  switch (expr->kind) {
  case DVE_EXPR_NUMBER:
    return clew_dve_const(l, expr->number);
  case DVE_EXPR_VARIABLE:
  case DVE_EXPR_FOREIGN: /* in a query: the checker keeps it from processes that run */
    return lower_variable(l, expr);
  case DVE_EXPR_IN_STATE:
    return lower_in_state(l, expr);
  case DVE_EXPR_UNARY:
    return lower_unary(l, expr);
  case DVE_EXPR_BINARY:
    return lower_binary(l, expr);
  default:
    assert(expr->kind == DVE_EXPR_LOGIC);
    return lower_logic(l, expr, 0, expr->operand_count);
  }
}

const struct clew_expr *clew_dve_lower_truth(struct dve_lowering *l, const struct dve_expr *expr) {
  return truth(l, clew_dve_lower_expr(l, expr));
}
