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
  case MURPHI_OP_SHL:
    return clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span, "shift out of range in \"%s\"",
                            text);
  case MURPHI_OP_SHR:
    return b->lo >= 0 && b->hi <= 63 ? CLEW_NONE
                                     : clew_murphi_site(l, CLEW_SITE_OVERFLOW, expr->span,
                                                        "shift out of range in \"%s\"", text);
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

/* = and != of arrays and records. */
static const struct clew_expr *lower_block_equality(struct murphi_lowering *l,
                                                    struct murphi_expr *expr) {
  assert(expr->op == MURPHI_OP_EQ || expr->op == MURPHI_OP_NE);
  struct murphi_spot a = clew_murphi_lower_place(l, expr->a);
  struct murphi_spot b = clew_murphi_lower_place(l, expr->b);
  const struct clew_expr *equal =
      clew_murphi_equal_block(l, a.place, expr->a->type, b.place, expr->b->type);
  return expr->op == MURPHI_OP_EQ ? equal : clew_murphi_not(l, equal);
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
    return lower_block_equality(l, expr);
  }
  const struct clew_expr *a = clew_murphi_lower_expr(l, expr->a);
  const struct clew_expr *b = clew_murphi_lower_expr(l, expr->b);
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

struct murphi_run clew_murphi_bind_run(struct murphi_lowering *l, struct murphi_quantifier *q) {
  assert(q->symbol != NULL);
  if (q->from != NULL) {
    return bind_steps(l, q);
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
  const struct clew_expr *value = clew_murphi_lower_expr(l, expr->a);
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
    return clew_expr_call(l->program, clew_murphi_lower_call(l, expr, NULL));
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

const struct clew_expr *clew_murphi_lower_raw(struct murphi_lowering *l, struct murphi_expr *expr) {
  if (expr->kind == MURPHI_EXPR_UNDEFINED) {
    return clew_expr_undefined(l->program);
  }
  bool place = expr->kind == MURPHI_EXPR_NAME || expr->kind == MURPHI_EXPR_FIELD ||
               expr->kind == MURPHI_EXPR_INDEX;
  if (!place || expr->is_constant) {
    return clew_murphi_lower_expr(l, expr);
  }
  struct murphi_spot spot = clew_murphi_lower_place(l, expr);
  clew_murphi_require(l, spot.presence);
  return clew_expr_load_raw(l->program, spot.place);
}
