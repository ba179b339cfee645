/* Conditions with clocks in a normal form: a disjunction of conjunctions.
 *
 * Every term of a form becomes a rule, an invariant can have one term only. So the operations keep
 * to one term where they can: `b || x <= 3` is the atom x <= 3 under the condition !b, and so is
 * the negation of `!b && x > 3`. Only two sides that both have clocks make more terms. */
#include "lang/uppaal/lower.h"

#include <assert.h>
#include <string.h>

enum { MOST_TERMS = 1000, MOST_ATOMS = 100000 };

/* ---- Parts ---------------------------------------------------------------------------------- */

static const struct uppaal_term true_term = {.deadlock = CLEW_TIMED_ANY};
static const struct uppaal_form false_form = {NULL, 0};

static bool is_const(const struct clew_expr *expr, int64_t value) {
  return expr != NULL && expr->kind == CLEW_EXPR_CONST && expr->value == value;
}

static const struct clew_expr *without_truth(const struct clew_expr *expr) {
  return is_const(expr, 1) ? NULL : expr;
}

/* Both, where NULL is true. */
static const struct clew_expr *both(struct uppaal_lowering *l, const struct clew_expr *a,
                                    const struct clew_expr *b) {
  if (a == b || is_const(a, 0)) {
    return a;
  }
  return without_truth(clew_uppaal_and(l, without_truth(a), without_truth(b)));
}

/* Either, where NULL is true. */
static const struct clew_expr *either(struct uppaal_lowering *l, const struct clew_expr *a,
                                      const struct clew_expr *b) {
  return a == NULL || b == NULL ? NULL : without_truth(clew_uppaal_or(l, a, b));
}

static const struct clew_expr *negation(struct uppaal_lowering *l, const struct clew_expr *a) {
  return a == NULL ? clew_uppaal_const(l, 0) : without_truth(clew_uppaal_not(l, a));
}

static struct uppaal_form one_term(struct uppaal_lowering *l, struct uppaal_term term) {
  if (is_const(term.when, 0)) {
    return false_form;
  }
  struct uppaal_term *kept = CLEW_NEW(l->front->arena, struct uppaal_term);
  *kept = term;
  return (struct uppaal_form){kept, 1};
}

struct uppaal_form clew_uppaal_form_plain(struct uppaal_lowering *l, const struct clew_expr *expr) {
  struct uppaal_term term = true_term;
  term.when = without_truth(expr);
  return one_term(l, term);
}

struct uppaal_form clew_uppaal_form_atom(struct uppaal_lowering *l, struct uppaal_atom atom) {
  struct uppaal_term term = true_term;
  term.atoms = clew_arena_copy(l->front->arena, &atom, 1, sizeof atom);
  term.atom_count = 1;
  return one_term(l, term);
}

struct uppaal_form clew_uppaal_form_deadlock(struct uppaal_lowering *l) {
  struct uppaal_term term = {.deadlock = CLEW_TIMED_DEADLOCK};
  return one_term(l, term);
}

static bool is_bare(const struct uppaal_term *term) {
  return term->atom_count == 0 && term->deadlock == CLEW_TIMED_ANY;
}

bool clew_uppaal_form_is_plain(struct uppaal_form form) {
  return form.count == 0 || (form.count == 1 && is_bare(&form.terms[0]));
}

const struct clew_expr *clew_uppaal_form_expr(struct uppaal_lowering *l, struct uppaal_form form) {
  assert(clew_uppaal_form_is_plain(form));
  return form.count == 0 ? clew_uppaal_const(l, 0) : form.terms[0].when;
}

/* ---- Conjunctions --------------------------------------------------------------------------- */

static void too_many(struct uppaal_lowering *l, struct clew_span span) {
  if (clew_front_ok(l->front)) {
    clew_uppaal_fail(l, span,
                     "this condition on clocks has too many cases: the limit is %d, of %d "
                     "comparisons in all",
                     MOST_TERMS, MOST_ATOMS);
  }
}

/* The atoms of both, those of the second under one more condition. */
static bool join_atoms(struct uppaal_lowering *l, const struct uppaal_term *a,
                       const struct uppaal_term *b, const struct clew_expr *condition,
                       struct uppaal_term *out) {
  uint32_t count = 0;
  if ((uint64_t)a->atom_count + b->atom_count > MOST_ATOMS) {
    return false;
  }
  struct uppaal_atom *atoms =
      CLEW_NEW_ARRAY(l->front->arena, struct uppaal_atom, a->atom_count + b->atom_count + 1);
  for (uint32_t i = 0; i < a->atom_count; i++) {
    atoms[count++] = a->atoms[i];
  }
  for (uint32_t i = 0; i < b->atom_count; i++) {
    atoms[count] = b->atoms[i];
    atoms[count].condition = both(l, condition, b->atoms[i].condition);
    count += !is_const(atoms[count].condition, 0);
  }
  out->atoms = atoms;
  out->atom_count = count;
  return true;
}

static bool is_same_clock(bool has_a, const struct clew_place *a, bool has_b,
                          const struct clew_place *b) {
  return has_a == has_b && (!has_a || (a->index_count == 0 && b->index_count == 0 &&
                                       a->base + a->offset == b->base + b->offset));
}

/* x - y <= 3 and y - x < -3 and the like, all of it known. */
static bool excludes(const struct uppaal_atom *a, const struct uppaal_atom *b) {
  bool is_known = a->condition == NULL && b->condition == NULL && !a->is_rate && !b->is_rate &&
                  a->bound->kind == CLEW_EXPR_CONST && b->bound->kind == CLEW_EXPR_CONST;
  if (!is_known || !is_same_clock(a->has_i, &a->i, b->has_j, &b->j) ||
      !is_same_clock(a->has_j, &a->j, b->has_i, &b->i)) {
    return false;
  }
  int64_t sum = a->bound->value + b->bound->value;
  return sum < 0 || (sum == 0 && (a->is_strict || b->is_strict));
}

static bool is_impossible(const struct uppaal_term *a, const struct uppaal_term *b) {
  for (uint32_t i = 0; i < a->atom_count; i++) {
    for (uint32_t k = 0; k < b->atom_count; k++) {
      if (excludes(&a->atoms[i], &b->atoms[k])) {
        return true;
      }
    }
  }
  return false;
}

/* False when the conjunction is. */
static bool join(struct uppaal_lowering *l, const struct uppaal_term *a,
                 const struct uppaal_term *b, struct uppaal_term *out, struct clew_span span) {
  out->when = both(l, a->when, b->when);
  out->deadlock = a->deadlock == CLEW_TIMED_ANY ? b->deadlock : a->deadlock;
  bool clash =
      a->deadlock != CLEW_TIMED_ANY && b->deadlock != CLEW_TIMED_ANY && a->deadlock != b->deadlock;
  if (clash || is_const(out->when, 0) || is_impossible(a, b)) {
    return false;
  }
  if (!join_atoms(l, a, b, NULL, out)) {
    too_many(l, span);
    return false;
  }
  return true;
}

struct uppaal_form clew_uppaal_form_and(struct uppaal_lowering *l, struct uppaal_form a,
                                        struct uppaal_form b, struct clew_span span) {
  uint32_t most = a.count * b.count < MOST_TERMS ? a.count * b.count : MOST_TERMS, count = 0;
  struct uppaal_term *terms = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_term, most + 1);
  for (uint32_t i = 0; i < a.count; i++) {
    for (uint32_t k = 0; k < b.count; k++) {
      if (count > MOST_TERMS) {
        too_many(l, span);
        return false_form;
      }
      count += join(l, &a.terms[i], &b.terms[k], &terms[count], span);
    }
  }
  return (struct uppaal_form){terms, count};
}

/* ---- Disjunctions --------------------------------------------------------------------------- */

static struct uppaal_form concatenated(struct uppaal_lowering *l, struct uppaal_form a,
                                       struct uppaal_form b, struct clew_span span) {
  if (a.count == 0 || b.count == 0) {
    return a.count == 0 ? b : a;
  }
  if (a.count + b.count > MOST_TERMS) {
    too_many(l, span);
    return false_form;
  }
  struct uppaal_term *terms =
      CLEW_NEW_ARRAY(l->front->arena, struct uppaal_term, a.count + b.count);
  memcpy(terms, a.terms, a.count * sizeof *terms);
  memcpy(terms + a.count, b.terms, b.count * sizeof *terms);
  return (struct uppaal_form){terms, a.count + b.count};
}

/* expr || form: a term of the form gets weaker, others stronger, so that they stay apart. */
static struct uppaal_form weakened(struct uppaal_lowering *l, const struct clew_expr *expr,
                                   struct uppaal_form form, bool is_first, struct clew_span span) {
  struct uppaal_term *terms = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_term, form.count + 1);
  const struct clew_expr *otherwise = negation(l, expr);
  uint32_t count = 0;
  bool found = false;
  for (uint32_t i = 0; i < form.count; i++) {
    const struct uppaal_term *term = &form.terms[i];
    terms[count] = *term;
    if (!found && term->deadlock == CLEW_TIMED_ANY) {
      found = true;
      terms[count].when = is_first ? either(l, expr, term->when) : either(l, term->when, expr);
      if (!join_atoms(l, &true_term, term, otherwise, &terms[count])) {
        too_many(l, span);
      }
    } else {
      terms[count].when = both(l, otherwise, term->when);
    }
    count += !is_const(terms[count].when, 0);
  }
  if (!found) {
    terms[count] = true_term;
    terms[count++].when = expr;
  }
  return (struct uppaal_form){terms, count};
}

struct uppaal_form clew_uppaal_form_or(struct uppaal_lowering *l, struct uppaal_form a,
                                       struct uppaal_form b, struct clew_span span) {
  bool is_first = clew_uppaal_form_is_plain(a);
  if (!is_first && !clew_uppaal_form_is_plain(b)) {
    return concatenated(l, a, b, span);
  }
  const struct clew_expr *plain = clew_uppaal_form_expr(l, is_first ? a : b);
  struct uppaal_form other = is_first ? b : a;
  if (plain == NULL) {
    return clew_uppaal_form_plain(l, NULL);
  }
  return is_const(plain, 0) ? other : weakened(l, plain, other, is_first, span);
}

/* ---- Negation ------------------------------------------------------------------------------- */

static struct uppaal_atom opposite(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  struct uppaal_atom result = *atom;
  assert(!atom->is_rate);
  result.has_i = atom->has_j;
  result.has_j = atom->has_i;
  result.i = atom->j;
  result.j = atom->i;
  result.bound = clew_expr_unary(l->program, CLEW_OP_NEG, atom->bound, CLEW_NONE);
  result.is_strict = !atom->is_strict;
  return result;
}

/* The first n - 1 atoms hold and atom n does not. */
static struct uppaal_term failing(struct uppaal_lowering *l, const struct uppaal_term *term,
                                  uint32_t n) {
  struct uppaal_atom *atoms = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_atom, n);
  memcpy(atoms, term->atoms, n * sizeof *atoms);
  atoms[n - 1] = opposite(l, &term->atoms[n - 1]);
  atoms[n - 1].condition = NULL;
  return (struct uppaal_term){
      .when = both(l, term->when, term->atoms[n - 1].condition), .atoms = atoms, .atom_count = n};
}

static struct uppaal_form not_term(struct uppaal_lowering *l, const struct uppaal_term *term,
                                   struct clew_span span) {
  struct uppaal_form result = false_form;
  for (uint32_t i = 0; i < term->atom_count; i++) {
    result = concatenated(l, result, one_term(l, failing(l, term, i + 1)), span);
  }
  if (term->deadlock != CLEW_TIMED_ANY) {
    struct uppaal_term other = *term;
    other.deadlock =
        term->deadlock == CLEW_TIMED_DEADLOCK ? CLEW_TIMED_NO_DEADLOCK : CLEW_TIMED_DEADLOCK;
    result = concatenated(l, result, one_term(l, other), span);
  }
  struct uppaal_form without = clew_uppaal_form_plain(l, negation(l, term->when));
  return clew_uppaal_form_or(l, without, result, span);
}

struct uppaal_form clew_uppaal_form_not(struct uppaal_lowering *l, struct uppaal_form a,
                                        struct clew_span span) {
  struct uppaal_form result = clew_uppaal_form_plain(l, NULL);
  for (uint32_t i = 0; i < a.count; i++) {
    result = clew_uppaal_form_and(l, result, not_term(l, &a.terms[i], span), span);
  }
  return result;
}

/* ---- Choices -------------------------------------------------------------------------------- */

static bool is_single(struct uppaal_form form) {
  return form.count <= 1 && (form.count == 0 || form.terms[0].deadlock == CLEW_TIMED_ANY);
}

struct uppaal_form clew_uppaal_form_cond(struct uppaal_lowering *l, struct uppaal_form a,
                                         struct uppaal_form b, struct uppaal_form c,
                                         struct clew_span span) {
  struct uppaal_form not_a = clew_uppaal_form_not(l, a, span);
  if (!clew_uppaal_form_is_plain(a) || !is_single(b) || !is_single(c)) {
    return clew_uppaal_form_or(l, clew_uppaal_form_and(l, a, b, span),
                               clew_uppaal_form_and(l, not_a, c, span), span);
  }
  /* (a imply b) && (!a imply c), each a single term */
  return clew_uppaal_form_and(l, clew_uppaal_form_or(l, not_a, b, span),
                              clew_uppaal_form_or(l, a, c, span), span);
}

/* ---- Values --------------------------------------------------------------------------------- */

struct uppaal_form clew_uppaal_form_of(struct uppaal_lowering *l, const struct uppaal_value *value,
                                       struct clew_span span) {
  return value->kind == UPPAAL_VALUE_FORM
             ? value->form
             : clew_uppaal_form_plain(l,
                                      clew_uppaal_truth(l, clew_uppaal_number_of(l, value, span)));
}

struct uppaal_value clew_uppaal_form_value(struct uppaal_lowering *l, struct uppaal_form form) {
  if (clew_uppaal_form_is_plain(form)) {
    const struct clew_expr *expr = clew_uppaal_form_expr(l, form);
    return clew_uppaal_number_value(expr != NULL ? expr : clew_uppaal_const(l, 1),
                                    &clew_uppaal_bool);
  }
  return (struct uppaal_value){.kind = UPPAAL_VALUE_FORM, .type = &clew_uppaal_bool, .form = form};
}

/* ---- Negation of trees ---------------------------------------------------------------------- */

static enum uppaal_op negated_op(enum uppaal_op op) {
  switch (op) {
  case UPPAAL_OP_AND:
    return UPPAAL_OP_OR;
  case UPPAAL_OP_OR:
    return UPPAAL_OP_AND;
  case UPPAAL_OP_FORALL:
    return UPPAAL_OP_EXISTS;
  case UPPAAL_OP_EXISTS:
    return UPPAAL_OP_FORALL;
  case UPPAAL_OP_EQ:
    return UPPAAL_OP_NE;
  case UPPAAL_OP_NE:
    return UPPAAL_OP_EQ;
  case UPPAAL_OP_LT:
    return UPPAAL_OP_GE;
  case UPPAAL_OP_GE:
    return UPPAAL_OP_LT;
  case UPPAAL_OP_GT:
    return UPPAAL_OP_LE;
  case UPPAAL_OP_LE:
    return UPPAAL_OP_GT;
  default:
    return UPPAAL_OP_NONE;
  }
}

static struct uppaal_expr *copied(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  return clew_arena_copy(l->front->arena, expr, 1, sizeof *expr);
}

static struct uppaal_expr *pushed(struct uppaal_lowering *l, struct uppaal_expr *expr,
                                  bool negated);

static struct uppaal_expr *pushed_binary(struct uppaal_lowering *l, struct uppaal_expr *expr,
                                         bool negated) {
  struct uppaal_expr *result = copied(l, expr);
  if (expr->op == UPPAAL_OP_IMPLY) {
    result->op = negated ? UPPAAL_OP_AND : UPPAAL_OP_OR;
    result->a = pushed(l, expr->a, !negated);
    result->b = pushed(l, expr->b, negated);
  } else if (expr->op == UPPAAL_OP_AND || expr->op == UPPAAL_OP_OR) {
    result->op = negated ? negated_op(expr->op) : expr->op;
    result->a = pushed(l, expr->a, negated);
    result->b = pushed(l, expr->b, negated);
  } else if (expr->op == UPPAAL_OP_XOR) {
    result->a = pushed(l, expr->a, negated);
    result->b = pushed(l, expr->b, false);
  } else if (negated) {
    result->op = negated_op(expr->op);
  }
  return result;
}

/* The tree with negations next to comparisons: there are fewer terms than if forms are negated. */
static struct uppaal_expr *pushed(struct uppaal_lowering *l, struct uppaal_expr *expr,
                                  bool negated) {
  struct uppaal_expr *result;
  bool is_binary = expr->kind == UPPAAL_EXPR_BINARY &&
                   (negated_op(expr->op) != UPPAAL_OP_NONE || expr->op == UPPAAL_OP_IMPLY ||
                    expr->op == UPPAAL_OP_XOR);
  if (is_binary) {
    return pushed_binary(l, expr, negated);
  }
  if (expr->kind == UPPAAL_EXPR_UNARY && expr->op == UPPAAL_OP_NOT) {
    return pushed(l, expr->a, !negated);
  }
  if (expr->kind == UPPAAL_EXPR_QUANTIFY && expr->op != UPPAAL_OP_SUM) {
    result = copied(l, expr);
    result->op = negated ? negated_op(expr->op) : expr->op;
    result->a = pushed(l, expr->a, negated);
    return result;
  }
  if (expr->kind == UPPAAL_EXPR_COND) {
    result = copied(l, expr);
    result->b = pushed(l, expr->b, negated);
    result->c = pushed(l, expr->c, negated);
    return result;
  }
  if (!negated) {
    return expr;
  }
  result = copied(l, expr);
  *result = (struct uppaal_expr){.kind = UPPAAL_EXPR_UNARY,
                                 .op = UPPAAL_OP_NOT,
                                 .span = expr->span,
                                 .depth = expr->depth + 1,
                                 .a = expr};
  return result;
}

/* ---- Trees ---------------------------------------------------------------------------------- */

struct uppaal_form clew_uppaal_lower_form(struct uppaal_lowering *l, struct uppaal_expr *expr) {
  if (l->time == UPPAAL_TIME_ZONES) {
    expr = pushed(l, expr, false);
  }
  struct uppaal_value value = clew_uppaal_lower_value(l, expr);
  return clew_uppaal_form_of(l, &value, expr->span);
}

struct uppaal_form clew_uppaal_lower_negation(struct uppaal_lowering *l, struct uppaal_expr *expr) {
  struct uppaal_value value = clew_uppaal_lower_value(l, pushed(l, expr, true));
  return clew_uppaal_form_of(l, &value, expr->span);
}

struct uppaal_form clew_uppaal_lower_all(struct uppaal_lowering *l, struct uppaal_exprs list) {
  struct uppaal_form all = clew_uppaal_form_plain(l, NULL);
  for (uint32_t i = 0; i < list.count; i++) {
    struct uppaal_form each = clew_uppaal_lower_form(l, list.data[i]);
    all = clew_uppaal_form_and(l, all, each, list.data[i]->span);
  }
  return all;
}
