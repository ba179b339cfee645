/* Conditions (a ? b : c) and quantifiers. */
#include "lang/uppaal/lower.h"

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

static struct uppaal_value number(const struct clew_expr *expr) {
  return clew_uppaal_number_value(expr, &clew_uppaal_int);
}

static struct uppaal_value boolean(const struct clew_expr *expr) {
  return clew_uppaal_number_value(expr, &clew_uppaal_bool);
}

/* place := value, behind the effects of computing it. */
static void add_result(struct uppaal_lowering *l, struct clew_list *list, struct clew_place place,
                       const struct clew_expr *value) {
  clew_list_add(list, clew_stmt_assign(l->program, place, value, CLEW_NONE));
}

struct uppaal_value clew_uppaal_lower_cond(struct uppaal_lowering *l,
                                           const struct uppaal_expr *expr) {
  int polarity = l->polarity;
  l->polarity = 0;
  struct uppaal_value condition = clew_uppaal_lower_value(l, expr->a);
  l->polarity = polarity;
  struct clew_list first, second;
  struct uppaal_value b = clew_uppaal_lower_later(l, expr->b, &first),
                      c = clew_uppaal_lower_later(l, expr->c, &second);
  if (b.kind == UPPAAL_VALUE_WRONG || c.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (condition.kind == UPPAAL_VALUE_FORM || b.kind == UPPAAL_VALUE_FORM ||
      c.kind == UPPAAL_VALUE_FORM) {
    return clew_uppaal_form_value(
        l, clew_uppaal_form_cond(l, clew_uppaal_form_of(l, &condition, expr->a->span),
                                 clew_uppaal_form_of(l, &b, expr->b->span),
                                 clew_uppaal_form_of(l, &c, expr->c->span), expr->span));
  }
  const struct clew_expr *a =
      clew_uppaal_truth(l, clew_uppaal_number_of(l, &condition, expr->a->span));
  const struct uppaal_shape *type = b.type->kind == UPPAAL_BOOL && c.type->kind == UPPAAL_BOOL
                                        ? &clew_uppaal_bool
                                    : b.type->kind == UPPAAL_SCALAR ? b.type
                                                                    : &clew_uppaal_int;
  const struct clew_expr *x = clew_uppaal_single_of(l, &b, type, expr->b->span),
                         *y = clew_uppaal_single_of(l, &c, type, expr->c->span);
  if (first.first == NULL && second.first == NULL) {
    return clew_uppaal_number_value(clew_expr_cond(l->program, a, x, y), type);
  }
  int64_t lo = x->lo < y->lo ? x->lo : y->lo, hi = x->hi > y->hi ? x->hi : y->hi;
  struct clew_place result = clew_uppaal_local(l, "chosen", clew_uppaal_range_type(l, lo, hi));
  add_result(l, &first, result, x);
  add_result(l, &second, result, y);
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
  branch->value = a;
  branch->body = first.first;
  branch->otherwise = second.first;
  clew_list_add(l->out, branch);
  return clew_uppaal_number_value(clew_uppaal_load(l, result), type);
}

/* Where the values of a scalar set are tried one after the other, a run-time error may come or not
 * come before the decision. */
static void note_condition(struct uppaal_lowering *l, const struct uppaal_shape *type,
                           const struct clew_expr *condition, struct clew_span span) {
  if (type->scalar != NULL && condition != NULL) {
    struct uppaal_scalar_loop each = {
        .scalar = type->scalar, .frame = l->frame, .condition = condition, .span = span};
    clew_vec_push(&l->scalar_loops, each);
  }
}

static void note_form(struct uppaal_lowering *l, const struct uppaal_shape *type,
                      struct uppaal_form form, struct clew_span span) {
  for (uint32_t i = 0; i < form.count; i++) {
    note_condition(l, type, form.terms[i].when, span);
    for (uint32_t k = 0; k < form.terms[i].atom_count; k++) {
      note_condition(l, type, form.terms[i].atoms[k].condition, span);
      note_condition(l, type, form.terms[i].atoms[k].bound, span);
    }
  }
}

static struct uppaal_form unroll_step(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                      const struct uppaal_shape *type, struct uppaal_form all) {
  struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
  struct uppaal_form each = clew_uppaal_form_of(l, &value, expr->a->span);
  note_form(l, type, each, expr->span);
  return expr->op == UPPAAL_OP_FORALL ? clew_uppaal_form_and(l, all, each, expr->span)
                                      : clew_uppaal_form_or(l, all, each, expr->span);
}

/* In a query the variable runs through constants, so that processes can be named with it. The same
 * where a condition has clocks: each of its atoms is about one clock. */
static struct uppaal_value unroll(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                  struct uppaal_symbol *symbol) {
  int64_t lo = symbol->type->lo, hi = symbol->type->hi;
  enum { MOST = 100000 };
  const struct clew_expr *total = NULL;
  struct uppaal_form all =
      clew_uppaal_form_plain(l, expr->op == UPPAAL_OP_FORALL ? NULL : clew_uppaal_const(l, 0));
  if (hi - lo >= MOST) {
    clew_uppaal_fail(l, expr->span, "this quantifier has too many values: the limit is %d", MOST);
    return wrong;
  }
  symbol->kind = UPPAAL_SYMBOL_CONSTANT;
  for (int64_t i = lo; i <= hi && clew_front_ok(l->front); i++) {
    int64_t *cells = CLEW_NEW_ARRAY(l->front->arena, int64_t, 1);
    cells[0] = i;
    symbol->cells = cells;
    if (expr->op == UPPAAL_OP_SUM) {
      const struct clew_expr *value = clew_uppaal_lower_number(l, expr->a);
      total = total == NULL ? value
                            : clew_expr_binary(l->program, CLEW_OP_ADD, total, value, CLEW_NONE);
    } else {
      all = unroll_step(l, expr, symbol->type, all);
    }
  }
  if (expr->op == UPPAAL_OP_SUM) {
    return total != NULL ? number(clew_uppaal_fit(l, total, expr->span)) : wrong;
  }
  return clew_uppaal_form_value(l, all);
}

static struct uppaal_value loop(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                struct uppaal_symbol *symbol) {
  symbol->place = clew_uppaal_local(l, clew_uppaal_keep(l, expr->ref.name->id.text),
                                    clew_uppaal_ir_type(l, symbol->type, 0));
  struct clew_list *out = l->out;
  l->out = NULL;
  bool sums = expr->op == UPPAAL_OP_SUM;
  struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
  l->out = out;
  if (value.kind == UPPAAL_VALUE_FORM && !sums) {
    return unroll(l, expr, symbol);
  }
  const struct clew_expr *body = clew_uppaal_number_of(l, &value, expr->a->span);
  note_condition(l, symbol->type, body, expr->span);
  body = sums ? body : clew_uppaal_truth(l, body);
  enum clew_op op = sums                           ? CLEW_OP_SUM
                    : expr->op == UPPAAL_OP_FORALL ? CLEW_OP_FORALL
                                                   : CLEW_OP_EXISTS;
  body =
      clew_expr_quantify(l->program, op, symbol->place.base, clew_uppaal_const(l, symbol->type->lo),
                         clew_uppaal_const(l, symbol->type->hi), 1, body);
  return sums ? number(clew_uppaal_fit(l, body, expr->span)) : boolean(body);
}

struct uppaal_value clew_uppaal_lower_quantified(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr) {
  const struct uppaal_shape *range = clew_uppaal_shape_range(l, expr->type);
  if (range == NULL) {
    return wrong;
  }
  struct uppaal_scope *outer = l->scope;
  l->scope = clew_uppaal_scope_new(l, outer);
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, expr->ref, UPPAAL_SYMBOL_VARIABLE);
  symbol->type = range;
  symbol->is_read_only = true;
  int polarity = l->polarity;
  if (expr->op == UPPAAL_OP_SUM) {
    l->polarity = 0;
  }
  struct uppaal_value value =
      l->use == UPPAAL_USE_QUERY ? unroll(l, expr, symbol) : loop(l, expr, symbol);
  l->polarity = polarity;
  l->scope = outer;
  return value;
}
