/* Assignments that bring a further value into a variable, so that a loop may make them in any
 * order: sums, disjunctions, conjunctions, minima, maxima, and a value that is set once.
 *
 *   n := n + e            found := found | e          m := e < m ? e : m
 *   n := n - e            all := all & e              if e < m then m := e; end
 *   if !found & c then found := true; end
 *   if isundefined(x) & c then x := e; end
 *
 * Run-time errors. `found | e` does not evaluate e once found is true, so an error in e would
 * depend on the order of the iterations. Where a loop relies on the order being free, the operator
 * is noted (murphi_expr.relying), and lowering evaluates both operands. A model that treats its
 * scalarset alike meets such an error anyway, in a state that differs by a renaming; hence the
 * verdict is that of the text. An operator that is also executed outside of such loops has to stay
 * as it is there, so that the scalarset is given up instead. */
#include <assert.h>

#include "lang/murphi/check_symmetry.h"

/* ---- Operators ------------------------------------------------------------------------------ */

enum logic { LOGIC_NONE, LOGIC_AND, LOGIC_OR };

static enum logic logic_of(const struct murphi_expr *expr) {
  if (expr->kind != MURPHI_EXPR_BINARY || expr->type->kind != MURPHI_TYPE_BOOLEAN) {
    return LOGIC_NONE;
  }
  switch (expr->op) {
  case MURPHI_OP_AND:
  case MURPHI_OP_LOGICAL_AND:
    return LOGIC_AND;
  case MURPHI_OP_OR:
  case MURPHI_OP_LOGICAL_OR:
    return LOGIC_OR;
  default:
    return LOGIC_NONE;
  }
}

static const struct murphi_expr *outermost(const struct murphi_expr *expr, bool left) {
  enum logic logic = logic_of(expr);
  while (logic != LOGIC_NONE && logic_of(expr) == logic) {
    expr = left ? expr->a : expr->b;
  }
  return expr;
}

/* (a & b) & c becomes a & (b & c), until the left operand is no conjunction (disjunction) any more;
 * or, !left, the other way round. The same operands are evaluated in the same order. */
static void regroup(struct murphi_expr *expr, bool left) {
  enum logic logic = logic_of(expr);
  assert(logic != LOGIC_NONE);
  while (logic_of(left ? expr->a : expr->b) == logic) {
    struct murphi_expr *inner = left ? expr->a : expr->b;
    if (left) {
      expr->a = inner->a;
      inner->a = inner->b;
      inner->b = expr->b;
      expr->b = inner;
    } else {
      expr->b = inner->b;
      inner->b = inner->a;
      inner->a = expr->a;
      expr->a = inner;
    }
    inner->span = clew_span_join(inner->a->span, inner->b->span);
  }
}

/* Whether the comparison (of integers) is true for the lesser of e and x, or for the greater. */
static enum murphi_access_kind compared(const struct murphi_expr *expr, const struct murphi_expr *e,
                                        const struct murphi_expr *x) {
  if (expr->kind != MURPHI_EXPR_BINARY || expr->op < MURPHI_OP_LT || expr->op > MURPHI_OP_GE) {
    return MURPHI_ACCESS_READ;
  }
  bool less = expr->op == MURPHI_OP_LT || expr->op == MURPHI_OP_LE;
  if (clew_murphi_same_designator(expr->a, e) && clew_murphi_same_designator(expr->b, x)) {
    return less ? MURPHI_ACCESS_MIN : MURPHI_ACCESS_MAX;
  }
  if (clew_murphi_same_designator(expr->a, x) && clew_murphi_same_designator(expr->b, e)) {
    return less ? MURPHI_ACCESS_MAX : MURPHI_ACCESS_MIN;
  }
  return MURPHI_ACCESS_READ; /* neither */
}

/* ---- Assignments ---------------------------------------------------------------------------- */

static bool accumulates_sum(struct murphi_expr *value, struct murphi_accumulation *result) {
  if (value->kind != MURPHI_EXPR_BINARY ||
      (value->op != MURPHI_OP_ADD && value->op != MURPHI_OP_SUB)) {
    return false;
  }
  if (clew_murphi_same_designator(result->target, value->a)) {
    result->value = value->b;
  } else if (value->op == MURPHI_OP_ADD && clew_murphi_same_designator(result->target, value->b)) {
    result->value = value->a;
  } else {
    return false;
  }
  result->kind = value->op == MURPHI_OP_ADD ? MURPHI_ACCESS_ADD : MURPHI_ACCESS_SUBTRACT;
  return true;
}

static bool accumulates_logic(struct murphi_expr *value, struct murphi_accumulation *result) {
  enum logic logic = logic_of(value);
  if (logic == LOGIC_NONE) {
    return false;
  }
  bool left = clew_murphi_same_designator(result->target, outermost(value, true));
  if (!left && !clew_murphi_same_designator(result->target, outermost(value, false))) {
    return false;
  }
  regroup(value, left);
  result->value = left ? value->b : value->a;
  result->kind = logic == LOGIC_OR ? MURPHI_ACCESS_OR : MURPHI_ACCESS_AND;
  result->both = value;
  return true;
}

/* x := e < x ? e : x */
static bool accumulates_choice(struct murphi_expr *value, struct murphi_accumulation *result) {
  if (value->kind != MURPHI_EXPR_COND) {
    return false;
  }
  bool first = clew_murphi_same_designator(result->target, value->c);
  struct murphi_expr *e = first ? value->b : value->c;
  if (!first && !clew_murphi_same_designator(result->target, value->b)) {
    return false;
  }
  enum murphi_access_kind kind = compared(value->a, e, result->target);
  if (kind == MURPHI_ACCESS_READ) {
    return false;
  }
  bool least = (kind == MURPHI_ACCESS_MIN) == first;
  result->kind = least ? MURPHI_ACCESS_MIN : MURPHI_ACCESS_MAX;
  result->value = e;
  return true;
}

/* ---- Conditional assignments ---------------------------------------------------------------- */

static bool is_truth(const struct murphi_expr *expr, bool truth) {
  return expr->is_constant && expr->type->kind == MURPHI_TYPE_BOOLEAN &&
         (expr->value != 0) == truth;
}

/* Whether the expression says that the variable is of the given truth. */
static bool tests_truth(const struct murphi_expr *test, const struct murphi_expr *variable,
                        bool truth) {
  if (test->kind == MURPHI_EXPR_UNARY && test->op == MURPHI_OP_NOT) {
    return !truth && clew_murphi_same_designator(test->a, variable);
  }
  if (test->kind == MURPHI_EXPR_BINARY && (test->op == MURPHI_OP_EQ || test->op == MURPHI_OP_NE)) {
    bool wanted = (test->op == MURPHI_OP_EQ) == truth;
    return clew_murphi_same_designator(test->a, variable) && is_truth(test->b, wanted);
  }
  return truth && clew_murphi_same_designator(test, variable);
}

/* Whether the test fails once the value is assigned; sets the kind. */
static bool is_guarded(const struct murphi_expr *test, const struct murphi_expr *value,
                       struct murphi_accumulation *result) {
  if (test->kind == MURPHI_EXPR_ISUNDEFINED && value->kind != MURPHI_EXPR_UNDEFINED &&
      clew_murphi_same_designator(test->a, result->target)) {
    result->kind = MURPHI_ACCESS_ONCE;
    return true;
  }
  for (int truth = 0; truth <= 1; truth++) {
    if (is_truth(value, truth) && tests_truth(test, result->target, !truth)) {
      result->kind = truth ? MURPHI_ACCESS_OR : MURPHI_ACCESS_AND;
      return true;
    }
  }
  return false;
}

static bool accumulates_if(struct murphi_expr *condition, struct murphi_expr *value,
                           struct murphi_accumulation *result) {
  result->value = value;
  enum murphi_access_kind kind = compared(condition, value, result->target);
  if (kind != MURPHI_ACCESS_READ) {
    result->kind = kind;
    return true;
  }
  if (is_guarded(condition, value, result)) {
    return true;
  }
  if (logic_of(condition) != LOGIC_AND) {
    return false;
  }
  bool left = is_guarded(outermost(condition, true), value, result);
  if (!left && !is_guarded(outermost(condition, false), value, result)) {
    return false;
  }
  regroup(condition, left);
  result->condition = left ? condition->b : condition->a;
  result->both = left ? condition : NULL; /* in front of the test it is always evaluated */
  return true;
}

bool clew_murphi_accumulates(struct murphi_stmt *stmt, struct murphi_accumulation *result) {
  *result = (struct murphi_accumulation){0};
  bool is_if = stmt->kind == MURPHI_STMT_IF && stmt->clauses->next == NULL &&
               stmt->otherwise == NULL && stmt->clauses->body != NULL;
  struct murphi_stmt *assign = is_if ? stmt->clauses->body : stmt;
  if (assign->kind != MURPHI_STMT_ASSIGN || (is_if && assign->next != NULL)) {
    return false;
  }
  struct murphi_expr *value = assign->value;
  result->target = assign->target;
  result->span = clew_span_join(assign->target->span, value->span);
  if (is_if) {
    return accumulates_if(stmt->clauses->values[0], value, result);
  }
  return accumulates_sum(value, result) || accumulates_logic(value, result) ||
         accumulates_choice(value, result);
}

/* ---- Both operands -------------------------------------------------------------------------- */

void clew_murphi_rely(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t i) {
  assert(i < w->accesses.len);
  struct murphi_access *access = &w->accesses.data[i];
  const struct murphi_type *type = loop->quantifier->symbol->type;
  access->relied = true;
  if (access->both == NULL) {
    return;
  }
  for (const struct murphi_reliance *known = access->both->relying; known != NULL;
       known = known->next) {
    if (known->type == type) {
      return;
    }
  }
  struct murphi_reliance *reliance = CLEW_NEW(w->m->front->arena, struct murphi_reliance);
  *reliance = (struct murphi_reliance){.type = type, .next = access->both->relying};
  access->both->relying = reliance;
  clew_vec_push(&w->relied, access->both);
}

void clew_murphi_note_plain(struct murphi_walk *w) {
  for (uint32_t i = 0; i < w->accesses.len; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (access->both != NULL && !access->relied) {
      access->both->plain = true;
    }
  }
}

void clew_murphi_settle_relied(struct murphi_walk *w) {
  for (uint32_t i = 0; i < w->relied.len; i++) {
    const struct murphi_expr *expr = w->relied.data[i];
    for (const struct murphi_reliance *r = expr->relying; r != NULL && expr->plain; r = r->next) {
      clew_murphi_undecided(w, r->type, expr->span,
                            "\"%s\" is evaluated in loops over '%s' and elsewhere, and may leave "
                            "out an operand in which a run-time error happens",
                            clew_front_excerpt(w->m->front, expr->span),
                            clew_murphi_type_text(w->m, r->type));
    }
  }
}
