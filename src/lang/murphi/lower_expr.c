/* Expressions. */
#include "lang/murphi/lower.h"

#include <assert.h>

/* ---- Small constructors --------------------------------------------------------------------- */

const struct clew_expr *clew_murphi_const(struct murphi_lowering *l, int64_t value) {
  return clew_expr_const(l->program, value);
}

const struct clew_expr *clew_murphi_and(struct murphi_lowering *l, const struct clew_expr *a,
                                        const struct clew_expr *b) {
  return clew_expr_binary(l->program, CLEW_OP_AND, a, b, CLEW_NONE);
}

const struct clew_expr *clew_murphi_or(struct murphi_lowering *l, const struct clew_expr *a,
                                       const struct clew_expr *b) {
  return clew_expr_binary(l->program, CLEW_OP_OR, a, b, CLEW_NONE);
}

const struct clew_expr *clew_murphi_not(struct murphi_lowering *l, const struct clew_expr *a) {
  return clew_expr_unary(l->program, CLEW_OP_NOT, a, CLEW_NONE);
}

const struct clew_expr *clew_murphi_compare(struct murphi_lowering *l, enum clew_op op,
                                            const struct clew_expr *a, const struct clew_expr *b) {
  assert(op >= CLEW_OP_EQ && op <= CLEW_OP_GE);
  return clew_expr_binary(l->program, op, a, b, CLEW_NONE);
}

const struct clew_expr *clew_murphi_load(struct murphi_lowering *l, struct clew_place place,
                                         struct clew_span span) {
  assert(place.type->kind == CLEW_TYPE_SCALAR);
  uint32_t site = CLEW_NONE;
  if (place.type->undefinable) {
    site = clew_murphi_site(l, CLEW_SITE_UNDEFINED, span, "\"%s\" is undefined",
                            clew_front_excerpt(l->m->front, span));
  }
  return clew_expr_load(l->program, place, site);
}

/* ---- Operators ------------------------------------------------------------------------------ */

static bool is_small(const struct clew_expr *expr) {
  return expr->lo >= INT32_MIN && expr->hi <= INT32_MAX;
}

/* Where the operation would fault, or CLEW_NONE when its operands show that it cannot. */
static uint32_t operator_site(struct murphi_lowering *l, const struct murphi_expr *expr,
                              const struct clew_expr *a, const struct clew_expr *b) {
  const char *text = clew_front_excerpt(l->m->front, expr->span);
  switch (expr->op) {
  case MURPHI_OP_DIV:
  case MURPHI_OP_MOD:
    return b->lo > 0 || b->hi < 0 ? CLEW_NONE
                                  : clew_murphi_site(l, CLEW_SITE_DIVISION, expr->span,
                                                     "division by zero in \"%s\"", text);
  case MURPHI_OP_SHR:
    return b->lo >= 0 && b->hi <= 63
               ? CLEW_NONE
               : clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"", text);
  case MURPHI_OP_SHL:
    return clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"", text);
  default:
    return is_small(a) && is_small(b)
               ? CLEW_NONE
               : clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"", text);
  }
}

/* INT64_MIN stands for undefined, so it must not come out of a bitwise operation: adding 0 to it is
 * an overflow. */
static const struct clew_expr *exclude_least(struct murphi_lowering *l,
                                             const struct murphi_expr *expr,
                                             const struct clew_expr *result) {
  if (result->lo > INT64_MIN) {
    return result;
  }
  uint32_t site = clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"",
                                   clew_front_excerpt(l->m->front, expr->span));
  return clew_expr_binary(l->program, CLEW_OP_ADD, result, clew_murphi_const(l, 0), site);
}

static const struct clew_expr *lower_unary(struct murphi_lowering *l, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_UNARY);
  const struct clew_expr *a = clew_murphi_lower_expr(l, expr->a);
  switch (expr->op) {
  case MURPHI_OP_NOT:
    return clew_murphi_not(l, a);
  case MURPHI_OP_MINUS:
    return clew_expr_unary(l->program, CLEW_OP_NEG, a, CLEW_NONE); /* INT64_MIN is no value */
  case MURPHI_OP_COMPLEMENT:
    return exclude_least(l, expr, clew_expr_unary(l->program, CLEW_OP_BIT_NOT, a, CLEW_NONE));
  default:
    assert(expr->op == MURPHI_OP_PLUS);
    return a;
  }
}

static enum clew_op operator_of(const struct murphi_expr *expr) {
  bool logical = expr->type->kind == MURPHI_TYPE_BOOLEAN;
  switch (expr->op) {
  case MURPHI_OP_OR:
    return logical ? CLEW_OP_OR : CLEW_OP_BIT_OR;
  case MURPHI_OP_AND:
    return logical ? CLEW_OP_AND : CLEW_OP_BIT_AND;
  case MURPHI_OP_LOGICAL_OR:
    return CLEW_OP_OR;
  case MURPHI_OP_LOGICAL_AND:
    return CLEW_OP_AND;
  case MURPHI_OP_XOR:
    return CLEW_OP_BIT_XOR;
  case MURPHI_OP_EQ:
    return CLEW_OP_EQ;
  case MURPHI_OP_NE:
    return CLEW_OP_NE;
  case MURPHI_OP_LT:
    return CLEW_OP_LT;
  case MURPHI_OP_LE:
    return CLEW_OP_LE;
  case MURPHI_OP_GT:
    return CLEW_OP_GT;
  case MURPHI_OP_GE:
    return CLEW_OP_GE;
  case MURPHI_OP_SHL:
    return CLEW_OP_SHL;
  case MURPHI_OP_SHR:
    return CLEW_OP_SHR;
  case MURPHI_OP_ADD:
    return CLEW_OP_ADD;
  case MURPHI_OP_SUB:
    return CLEW_OP_SUB;
  case MURPHI_OP_MUL:
    return CLEW_OP_MUL;
  case MURPHI_OP_DIV:
    return CLEW_OP_DIV;
  default:
    assert(expr->op == MURPHI_OP_MOD);
    return CLEW_OP_MOD;
  }
}

/* = of arrays and records. */
static const struct clew_expr *lower_block_equality(struct murphi_lowering *l,
                                                    struct murphi_expr *left,
                                                    struct murphi_expr *right) {
  struct murphi_expr *cond = left->kind == MURPHI_EXPR_COND ? left : right;
  if (cond->kind == MURPHI_EXPR_COND) {
    struct murphi_expr *other = cond == left ? right : left;
    const struct clew_expr *first = clew_murphi_lower_expr(l, cond->a);
    uint32_t mark = l->preps.len;
    const struct clew_expr *yes =
        clew_murphi_prep_lets(l, mark, lower_block_equality(l, cond->b, other));
    const struct clew_expr *no =
        clew_murphi_prep_lets(l, mark, lower_block_equality(l, cond->c, other));
    return clew_expr_cond(l->program, first, yes, no);
  }
  struct murphi_spot a = clew_murphi_lower_place(l, left);
  struct murphi_spot b = clew_murphi_lower_place(l, right);
  return clew_murphi_equal_block(l, a.place, left->type, b.place, right->type);
}

/* A variable that is prepared to have the value. */
static const struct clew_expr *prepare_value(struct murphi_lowering *l, const char *name,
                                             const struct clew_expr *value) {
  struct clew_place place = clew_murphi_temporary(l, name, value);
  clew_murphi_prepare(l, place, value, CLEW_NONE);
  return clew_expr_load(l->program, place, CLEW_NONE);
}

/* Shifts by any amount: a negative one shifts the other way, and from the width of integers on
 * nothing is left. Bits that do not fit are an overflow. */
static const struct clew_expr *lower_shift(struct murphi_lowering *l, struct murphi_expr *expr) {
  enum { WIDTH = 64 };
  const struct clew_expr *a = clew_murphi_lower_expr(l, expr->a);
  const struct clew_expr *b = clew_murphi_lower_expr(l, expr->b);
  bool left = expr->op == MURPHI_OP_SHL;
  uint32_t site = operator_site(l, expr, a, b);
  if (b->lo >= 0 && b->hi < WIDTH) {
    return clew_expr_binary(l->program, left ? CLEW_OP_SHL : CLEW_OP_SHR, a, b, site);
  }
  site = clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"",
                          clew_front_excerpt(l->m->front, expr->span));
  a = prepare_value(l, "shifted", a);
  b = prepare_value(l, "amount", b);
  const struct clew_expr *there =
      clew_expr_binary(l->program, left ? CLEW_OP_SHL : CLEW_OP_SHR, a, b, site);
  const struct clew_expr *back =
      clew_expr_binary(l->program, left ? CLEW_OP_SHR : CLEW_OP_SHL, a,
                       clew_expr_unary(l->program, CLEW_OP_NEG, b, CLEW_NONE), site);
  const struct clew_expr *zero = clew_murphi_const(l, 0);
  const struct clew_expr *negative = clew_murphi_compare(l, CLEW_OP_LT, b, zero);
  const struct clew_expr *either = clew_expr_cond(l->program, negative, back, there);
  const struct clew_expr *far =
      clew_murphi_or(l, clew_murphi_compare(l, CLEW_OP_GE, b, clew_murphi_const(l, WIDTH)),
                     clew_murphi_compare(l, CLEW_OP_LE, b, clew_murphi_const(l, -WIDTH)));
  return clew_expr_cond(l->program, far, zero, either);
}

/* Whether a loop without order needs both operands (check_accumulate.c). */
static bool evaluates_both(const struct murphi_expr *expr) {
  bool both = false;
  for (const struct murphi_reliance *r = expr->relying; r != NULL; r = r->next) {
    both |= clew_murphi_type_is_permuted(r->type);
  }
  return both;
}

static const struct clew_expr *lower_both(struct murphi_lowering *l, enum clew_op op,
                                          const struct clew_expr *a, const struct clew_expr *b) {
  assert(op == CLEW_OP_AND || op == CLEW_OP_OR);
  struct clew_place first = clew_murphi_temporary(l, "operand", a);
  struct clew_place second = clew_murphi_temporary(l, "operand", b);
  const struct clew_expr *result =
      clew_expr_binary(l->program, op, clew_expr_load(l->program, first, CLEW_NONE),
                       clew_expr_load(l->program, second, CLEW_NONE), CLEW_NONE);
  return clew_expr_let(l->program, first.base, a,
                       clew_expr_let(l->program, second.base, b, result));
}

static const struct clew_expr *lower_binary(struct murphi_lowering *l, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_BINARY);
  if (!clew_murphi_type_is_simple(expr->a->type)) {
    const struct clew_expr *equal = lower_block_equality(l, expr->a, expr->b);
    return expr->op == MURPHI_OP_EQ ? equal : clew_murphi_not(l, equal);
  }
  if (expr->op == MURPHI_OP_SHL || expr->op == MURPHI_OP_SHR) {
    return exclude_least(l, expr, lower_shift(l, expr));
  }
  const struct clew_expr *a = clew_murphi_lower_operand(l, expr->a);
  const struct clew_expr *b = clew_murphi_lower_operand(l, expr->b);
  if (expr->op == MURPHI_OP_IMPLIES) {
    return clew_murphi_or(l, clew_murphi_not(l, a), b);
  }
  enum clew_op op = operator_of(expr);
  if (evaluates_both(expr) && clew_expr_may_fault(b)) {
    return lower_both(l, op, a, b);
  }
  bool may_fault = op >= CLEW_OP_ADD && op <= CLEW_OP_SHR;
  uint32_t site = may_fault ? operator_site(l, expr, a, b) : CLEW_NONE;
  return exclude_least(l, expr, clew_expr_binary(l->program, op, a, b, site));
}

/* ---- Bound variables ------------------------------------------------------------------------ */

/* i := from to to by step: a variable of just the values it can have. */
static struct murphi_run bind_steps(struct murphi_lowering *l, struct murphi_quantifier *q) {
  assert(q->step != 0);
  struct murphi_run run = {.step = q->step};
  run.from = clew_murphi_lower_expr(l, q->from);
  run.to = clew_murphi_lower_expr(l, q->to);
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  domain->lo = q->step > 0 ? run.from->lo : run.to->lo;
  domain->hi = q->step > 0 ? run.to->hi : run.from->hi;
  domain->hi = domain->hi < domain->lo ? domain->lo : domain->hi;
  q->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, q->name->id.text),
                                       clew_type_scalar(l->arena, domain, false));
  run.cell = q->symbol->place.base;
  return run;
}

/* The same with a step that is only known at run time: it must not be 0 or lead away from `to`. */
static struct murphi_run bind_computed_steps(struct murphi_lowering *l,
                                             struct murphi_quantifier *q) {
  assert(q->by != NULL && q->step == 0);
  const struct clew_expr *from = prepare_value(l, "from", clew_murphi_lower_expr(l, q->from));
  const struct clew_expr *to = prepare_value(l, "to", clew_murphi_lower_expr(l, q->to));
  const struct clew_expr *by = prepare_value(l, "by", clew_murphi_lower_expr(l, q->by));
  const struct clew_expr *zero = clew_murphi_const(l, 0);
  const struct clew_expr *upwards = clew_murphi_compare(l, CLEW_OP_GT, by, zero);
  const struct clew_expr *ahead =
      clew_expr_cond(l->program, upwards, clew_murphi_compare(l, CLEW_OP_LE, from, to),
                     clew_murphi_compare(l, CLEW_OP_GE, from, to));
  struct murphi_prep demand = {.is_requirement = true};
  demand.value = clew_murphi_and(l, clew_murphi_compare(l, CLEW_OP_NE, by, zero), ahead);
  demand.site = clew_murphi_site(l, CLEW_SITE_RANGE, q->by->span,
                                 "the step \"%s\" is 0 or leads the wrong way",
                                 clew_front_excerpt(l->m->front, q->by->span));
  clew_vec_push(&l->preps, demand);
  uint32_t site = clew_murphi_site(l, CLEW_SITE_OVERFLOW, q->span,
                                   "overflow in the steps of \"%s\"", q->name->id.text);
  const struct clew_expr *way = clew_expr_binary(l->program, CLEW_OP_SUB, to, from, site);
  struct murphi_run run = {.from = zero, .step = 1};
  run.to = prepare_value(l, "steps", clew_expr_binary(l->program, CLEW_OP_DIV, way, by, site));
  struct clew_place count = clew_murphi_local(l, "step", l->integer);
  run.cell = count.base;
  const struct clew_expr *steps = clew_expr_binary(
      l->program, CLEW_OP_MUL, clew_expr_load(l->program, count, CLEW_NONE), by, site);
  run.value = clew_expr_binary(l->program, CLEW_OP_ADD, from, steps, site);
  q->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, q->name->id.text), l->integer);
  return run;
}

struct murphi_run clew_murphi_bind_run(struct murphi_lowering *l, struct murphi_quantifier *q) {
  assert(q->symbol != NULL);
  if (q->from != NULL) {
    return q->step != 0 ? bind_steps(l, q) : bind_computed_steps(l, q);
  }
  const struct murphi_type *type = q->symbol->type;
  q->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, q->name->id.text),
                                       clew_murphi_lower_defined(l, type));
  struct murphi_run run = {.cell = q->symbol->place.base,
                           .from = clew_murphi_const(l, type->lo),
                           .to = clew_murphi_const(l, type->hi),
                           .step = 1};
  if (q->bag != NULL) {
    run.filter = clew_murphi_lower_present(l, q);
  } else if (clew_murphi_type_has_holes(type)) {
    run.filter =
        clew_murphi_member_test(l, type, clew_expr_load(l->program, q->symbol->place, CLEW_NONE));
  }
  return run;
}

/* Whether the values have no order that the model may depend on. Positions in a multiset follow the
 * names in its elements. */
static bool is_unordered(struct murphi_lowering *l, const struct murphi_quantifier *q) {
  bool unordered = q->from == NULL && clew_murphi_type_is_permuted(q->symbol->type);
  for (const struct murphi_type *set = l->m->enumerations; q->bag != NULL && set != NULL;
       set = set->next) {
    unordered |= clew_murphi_type_is_permuted(set);
  }
  return unordered;
}

/* An answer that is known before all values were seen hides the run-time errors of the others, by
 * the order of the values. Where they have none, a COUNT sees all of them. */
const struct clew_expr *clew_murphi_quantify(struct murphi_lowering *l, enum clew_op op,
                                             const struct murphi_quantifier *q,
                                             struct murphi_run run, const struct clew_expr *body) {
  assert(op == CLEW_OP_FORALL || op == CLEW_OP_EXISTS || op == CLEW_OP_COUNT);
  bool all = op == CLEW_OP_FORALL;
  bool sees_all = op != CLEW_OP_COUNT && is_unordered(l, q) && clew_expr_may_fault(body);
  if (run.filter != NULL) {
    body = all ? clew_murphi_or(l, clew_murphi_not(l, run.filter), body)
               : clew_murphi_and(l, run.filter, body);
  }
  if (run.value != NULL) {
    body = clew_expr_let(l->program, q->symbol->place.base, run.value, body);
  }
  if (!sees_all) {
    return clew_expr_quantify(l->program, op, run.cell, run.from, run.to, run.step, body);
  }
  const struct clew_expr *count =
      clew_expr_quantify(l->program, CLEW_OP_COUNT, run.cell, run.from, run.to, run.step,
                         all ? clew_murphi_not(l, body) : body);
  return clew_murphi_compare(l, all ? CLEW_OP_EQ : CLEW_OP_NE, count, clew_murphi_const(l, 0));
}

static const struct clew_expr *lower_quantified(struct murphi_lowering *l,
                                                struct murphi_expr *expr) {
  assert(expr->quantifier != NULL);
  struct murphi_run run = clew_murphi_bind_run(l, expr->quantifier);
  const struct clew_expr *body = clew_murphi_lower_expr(l, expr->a);
  enum clew_op op = expr->kind == MURPHI_EXPR_COUNT ? CLEW_OP_COUNT
                    : expr->op == MURPHI_OP_FORALL  ? CLEW_OP_FORALL
                                                    : CLEW_OP_EXISTS;
  return clew_murphi_quantify(l, op, expr->quantifier, run, body);
}

/* ---- The rest ------------------------------------------------------------------------------- */

static const struct clew_expr *lower_ismember(struct murphi_lowering *l, struct murphi_expr *expr) {
  assert(expr->type_expr != NULL);
  const struct murphi_type *set = expr->type_expr->type;
  const struct clew_expr *value = clew_murphi_lower_operand(l, expr->a);
  bool cheap = value->kind == CLEW_EXPR_CONST ||
               (value->kind == CLEW_EXPR_LOAD && value->place.index_count == 0);
  if (cheap) {
    return clew_murphi_member_test(l, set, value);
  }
  struct clew_place place = clew_murphi_temporary(l, "member", value);
  const struct clew_expr *again = clew_expr_load(l->program, place, CLEW_NONE);
  return clew_expr_let(l->program, place.base, value, clew_murphi_member_test(l, set, again));
}

static const struct clew_expr *lower_kind(struct murphi_lowering *l, struct murphi_expr *expr) {
  if (expr->is_constant) {
    return clew_murphi_const(l, expr->value);
  }
  switch (expr->kind) {
  case MURPHI_EXPR_NAME:
  case MURPHI_EXPR_FIELD:
  case MURPHI_EXPR_INDEX:
    return clew_murphi_load(l, clew_murphi_lower_place(l, expr).place, expr->span);
  case MURPHI_EXPR_CALL:
    return clew_murphi_returns_block(expr->callee)
               ? clew_murphi_load(l, clew_murphi_lower_place(l, expr).place, expr->span)
               : clew_expr_call(l->program, clew_murphi_lower_call(l, expr, NULL));
  case MURPHI_EXPR_UNARY:
    return lower_unary(l, expr);
  case MURPHI_EXPR_BINARY:
    return lower_binary(l, expr);
  case MURPHI_EXPR_COND: {
    const struct clew_expr *a = clew_murphi_lower_expr(l, expr->a);
    const struct clew_expr *b = clew_murphi_lower_expr(l, expr->b);
    return clew_expr_cond(l->program, a, b, clew_murphi_lower_expr(l, expr->c));
  }
  case MURPHI_EXPR_QUANTIFY:
  case MURPHI_EXPR_COUNT:
    return lower_quantified(l, expr);
  case MURPHI_EXPR_ISUNDEFINED:
    return clew_expr_is_undefined(l->program, clew_murphi_lower_place(l, expr->a).place);
  default:
    assert(expr->kind == MURPHI_EXPR_ISMEMBER);
    return lower_ismember(l, expr);
  }
}

const struct clew_expr *clew_murphi_lower_expr(struct murphi_lowering *l,
                                               struct murphi_expr *expr) {
  assert(expr->type != NULL && clew_murphi_type_is_simple(expr->type));
  uint32_t mark = l->preps.len;
  const struct clew_expr *result = lower_kind(l, expr);
  return clew_murphi_prep_lets(l, mark, result);
}

/* Whether an undefined value of the type can be compared. CMurphi allows it for scalarsets and
 * unions only. */
static bool is_comparable_undefined(const struct murphi_lowering *l,
                                    const struct murphi_type *type) {
  return !l->m->front->request->strict_undefined &&
         (type->kind == MURPHI_TYPE_SCALARSET || type->kind == MURPHI_TYPE_UNION);
}

/* A place in the role of an operand. */
static const struct clew_expr *lower_place_operand(struct murphi_lowering *l,
                                                   struct murphi_expr *expr) {
  assert(clew_murphi_type_is_enumerated(expr->type));
  struct clew_place place = clew_murphi_lower_place(l, expr).place;
  if (!place.type->undefinable) {
    return clew_murphi_load(l, place, expr->span);
  }
  place = clew_murphi_repeatable(l, place);
  return clew_expr_cond(l->program, clew_expr_is_undefined(l->program, place),
                        clew_murphi_const(l, MURPHI_NO_VALUE),
                        clew_murphi_load(l, place, expr->span));
}

const struct clew_expr *clew_murphi_lower_operand(struct murphi_lowering *l,
                                                  struct murphi_expr *expr) {
  if (expr->is_constant || !is_comparable_undefined(l, expr->type)) {
    return clew_murphi_lower_expr(l, expr);
  }
  uint32_t mark = l->preps.len;
  switch (expr->kind) {
  case MURPHI_EXPR_NAME:
  case MURPHI_EXPR_FIELD:
  case MURPHI_EXPR_INDEX:
    return clew_murphi_prep_lets(l, mark, lower_place_operand(l, expr));
  case MURPHI_EXPR_CALL:
    return clew_murphi_returns_block(expr->callee)
               ? clew_murphi_prep_lets(l, mark, lower_place_operand(l, expr))
               : clew_murphi_lower_expr(l, expr);
  case MURPHI_EXPR_COND: {
    const struct clew_expr *a = clew_murphi_lower_expr(l, expr->a);
    const struct clew_expr *b = clew_murphi_lower_operand(l, expr->b);
    return clew_expr_cond(l->program, a, b, clew_murphi_lower_operand(l, expr->c));
  }
  default:
    return clew_murphi_lower_expr(l, expr);
  }
}

const struct clew_expr *clew_murphi_lower_raw(struct murphi_lowering *l, struct murphi_expr *expr) {
  if (expr->kind == MURPHI_EXPR_UNDEFINED) {
    return clew_expr_undefined(l->program);
  }
  bool place = expr->kind == MURPHI_EXPR_NAME || expr->kind == MURPHI_EXPR_FIELD ||
               expr->kind == MURPHI_EXPR_INDEX ||
               (expr->kind == MURPHI_EXPR_CALL && clew_murphi_returns_block(expr->callee));
  if (!place || expr->is_constant) {
    return clew_murphi_lower_expr(l, expr);
  }
  struct murphi_spot spot = clew_murphi_lower_place(l, expr);
  clew_murphi_require(l, spot.presence);
  return clew_expr_load_raw(l->program, spot.place);
}
