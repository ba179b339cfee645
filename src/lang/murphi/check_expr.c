/* Checking expressions. */
#include "lang/murphi/check.h"

#include <assert.h>

static const struct murphi_type *error_type(struct murphi_checker *c) {
  return &c->m->error_type;
}

bool clew_murphi_is_place(const struct murphi_expr *expr) {
  switch (expr->kind) {
  case MURPHI_EXPR_NAME:
    return expr->symbol != NULL && expr->symbol->kind >= MURPHI_SYMBOL_STATE;
  case MURPHI_EXPR_FIELD:
  case MURPHI_EXPR_INDEX:
    return clew_murphi_is_place(expr->a);
  default:
    return false;
  }
}

struct murphi_symbol *clew_murphi_root(const struct murphi_expr *expr) {
  assert(expr != NULL);
  while (expr->kind == MURPHI_EXPR_FIELD || expr->kind == MURPHI_EXPR_INDEX) {
    expr = expr->a;
  }
  struct murphi_symbol *symbol = expr->kind == MURPHI_EXPR_NAME ? expr->symbol : NULL;
  return symbol != NULL && symbol->kind == MURPHI_SYMBOL_ALIAS ? symbol->root : symbol;
}

bool clew_murphi_in_bag(const struct murphi_expr *expr) {
  assert(expr->type != NULL);
  for (; expr->kind == MURPHI_EXPR_FIELD || expr->kind == MURPHI_EXPR_INDEX; expr = expr->a) {
    if (expr->kind == MURPHI_EXPR_INDEX && expr->a->type->kind == MURPHI_TYPE_MULTISET) {
      return true;
    }
  }
  return expr->kind == MURPHI_EXPR_NAME && expr->symbol != NULL && expr->symbol->in_bag;
}

/* ---- Names, fields, elements ---------------------------------------------------------------- */

static const struct murphi_type *check_name(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_NAME);
  struct murphi_symbol *symbol = clew_murphi_lookup(c, expr->name, expr->span);
  expr->symbol = symbol;
  if (symbol == NULL) {
    return error_type(c);
  }
  switch (symbol->kind) {
  case MURPHI_SYMBOL_CONST:
    expr->is_constant = !clew_murphi_type_is_error(symbol->type);
    expr->value = symbol->value;
    return symbol->type;
  case MURPHI_SYMBOL_TYPE:
    if (!clew_murphi_type_is_error(symbol->type)) {
      clew_front_error(c->m->front, expr->span, "'%s' is a type, not a value", expr->name->id.text);
    }
    return error_type(c);
  case MURPHI_SYMBOL_FUNCTION:
    clew_front_error(c->m->front, expr->span, "'%s' is %s: a call is written '%s(...)'",
                     expr->name->id.text, clew_murphi_symbol_text(symbol), expr->name->id.text);
    return error_type(c);
  default:
    expr->is_constant = symbol->is_constant;
    expr->value = symbol->value;
    return symbol->type;
  }
}

static void report_field(struct murphi_checker *c, struct murphi_expr *expr,
                         const struct murphi_type *type) {
  assert(type->kind == MURPHI_TYPE_RECORD);
  CLEW_VEC(const char *) names = {0};
  for (uint32_t i = 0; i < type->field_count && i < 1000; i++) {
    clew_vec_push(&names, type->fields[i].name->id.text);
  }
  const char *nearest = clew_diag_nearest(expr->name->id.text, names.data, names.len);
  clew_vec_free(&names);
  clew_front_error(c->m->front, expr->name_span, "%s has no field '%s'%s%s%s",
                   type->name != NULL ? type->name : "this record", expr->name->id.text,
                   nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'?" : "");
}

static const struct murphi_type *check_field(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_FIELD);
  const struct murphi_type *type = clew_murphi_check_expr(c, expr->a);
  if (clew_murphi_type_is_error(type)) {
    return type;
  }
  if (type->kind != MURPHI_TYPE_RECORD) {
    clew_front_error(c->m->front, expr->name_span, "\"%s\" is not a record: it has no field '%s'",
                     clew_front_excerpt(c->m->front, expr->a->span), expr->name->id.text);
    return error_type(c);
  }
  for (uint32_t i = 0; i < type->field_count; i++) {
    if (type->fields[i].name == expr->name) {
      expr->field = i;
      clew_front_use(c->m->front, expr->name_span, type->fields[i].span);
      return type->fields[i].type;
    }
  }
  report_field(c, expr, type);
  return error_type(c);
}

static const struct murphi_type *check_bag_index(struct murphi_checker *c, struct murphi_expr *expr,
                                                 const struct murphi_type *bag) {
  assert(bag->kind == MURPHI_TYPE_MULTISET);
  const struct murphi_type *index = clew_murphi_check_expr(c, expr->b);
  if (clew_murphi_type_is_error(index)) {
    return bag->element;
  }
  if (index->kind != MURPHI_TYPE_BAG_INDEX || !clew_murphi_type_same(index->element, bag)) {
    clew_front_error(
        c->m->front, expr->b->span,
        "an element of a multiset is selected by a variable of 'choose' or 'multisetcount' "
        "over it");
  }
  return bag->element;
}

static const struct murphi_type *check_index(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_INDEX);
  const struct murphi_type *type = clew_murphi_check_expr(c, expr->a);
  if (type->kind == MURPHI_TYPE_MULTISET) {
    return check_bag_index(c, expr, type);
  }
  const struct murphi_type *index = clew_murphi_check_expr(c, expr->b);
  if (clew_murphi_type_is_error(type)) {
    return type;
  }
  if (type->kind != MURPHI_TYPE_ARRAY) {
    clew_front_error(c->m->front, expr->a->span, "\"%s\" is not an array or multiset",
                     clew_front_excerpt(c->m->front, expr->a->span));
    return error_type(c);
  }
  if (!clew_murphi_type_compatible(index, type->index)) {
    clew_front_error(c->m->front, expr->b->span, "\"%s\" is indexed by %s, not by %s%s",
                     clew_front_excerpt(c->m->front, expr->a->span),
                     clew_murphi_type_text(c->m, type->index), clew_murphi_type_text(c->m, index),
                     clew_murphi_type_no_number(c->m, type->index, index));
  } else if (expr->b->is_constant && clew_murphi_type_is_integer(index) &&
             (expr->b->value < type->index->lo || expr->b->value > type->index->hi)) {
    clew_front_warn(c->m->front, expr->b->span,
                    "index %lld is outside the range %lld..%lld of \"%s\"",
                    (long long)expr->b->value, (long long)type->index->lo,
                    (long long)type->index->hi, clew_front_excerpt(c->m->front, expr->a->span));
  }
  return type->element;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void check_reference(struct murphi_checker *c, struct murphi_expr *arg,
                            const struct murphi_decl *param) {
  assert(param->by_reference);
  const char *what = clew_arena_printf(c->m->front->arena, "the argument of the var parameter '%s'",
                                       param->name->id.text);
  const struct murphi_type *type = clew_murphi_check_target(c, arg, what);
  if (!clew_murphi_type_same(type, param->type_expr->type)) {
    clew_front_error(c->m->front, arg->span,
                     "the var parameter '%s' needs a variable of type %s, not %s",
                     param->name->id.text, clew_murphi_type_text(c->m, param->type_expr->type),
                     clew_murphi_type_text(c->m, type));
  }
}

static void check_args(struct murphi_checker *c, struct murphi_expr *expr,
                       const struct murphi_function *function) {
  assert(expr->callee == function);
  if (expr->arg_count != function->param_count) {
    clew_front_error(c->m->front, expr->span, "'%s' takes %u argument%s, not %u",
                     function->name->id.text, function->param_count,
                     function->param_count == 1 ? "" : "s", expr->arg_count);
  }
  const struct murphi_decl *param = function->params;
  for (uint32_t i = 0; i < expr->arg_count; i++) {
    if (param == NULL) {
      clew_murphi_check_expr(c, expr->args[i]);
      continue;
    }
    if (param->by_reference) {
      check_reference(c, expr->args[i], param);
      if (clew_murphi_in_bag(expr->args[i])) {
        struct murphi_bag_ref ref = {expr, i};
        clew_vec_push(&c->bag_refs, ref);
      }
    } else {
      const char *what =
          clew_arena_printf(c->m->front->arena, "parameter '%s'", param->name->id.text);
      clew_murphi_check_value(c, expr->args[i], param->type_expr->type, what);
      if (expr->args[i]->kind == MURPHI_EXPR_COND &&
          !clew_murphi_type_is_simple(expr->args[i]->type)) {
        clew_front_error(c->m->front, expr->args[i]->span,
                         "an argument cannot be one of two arrays or records: assign it to a "
                         "variable first");
      }
      if (expr->args[i]->kind == MURPHI_EXPR_UNDEFINED &&
          clew_murphi_type_has_multiset(param->type_expr->type)) {
        clew_front_error(c->m->front, expr->args[i]->span, "a multiset cannot be undefined");
      }
    }
    param = param->next;
  }
}

const struct murphi_type *clew_murphi_check_call(struct murphi_checker *c, struct murphi_expr *expr,
                                                 bool is_statement) {
  assert(expr->kind == MURPHI_EXPR_CALL);
  struct murphi_symbol *symbol = clew_murphi_lookup(c, expr->name, expr->name_span);
  if (symbol == NULL || symbol->kind != MURPHI_SYMBOL_FUNCTION) {
    if (symbol != NULL && !clew_murphi_type_is_error(symbol->type)) {
      clew_front_error(c->m->front, expr->name_span, "'%s' is %s and cannot be called",
                       expr->name->id.text, clew_murphi_symbol_text(symbol));
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
      clew_murphi_check_expr(c, expr->args[i]);
    }
    return error_type(c);
  }
  struct murphi_function *function = symbol->function;
  expr->callee = function;
  uint32_t errors = c->m->front->diags->error_count;
  check_args(c, expr, function);
  if (function->result == NULL && !is_statement) {
    clew_front_error(c->m->front, expr->span, "'%s' is a procedure: it has no value",
                     expr->name->id.text);
  }
  if (c->m->front->diags->error_count == errors) {
    if (c->pure != NULL) {
      struct murphi_pure_call pure = {c->guarded, expr, c->pure};
      clew_vec_push(&c->pure_calls, pure);
    }
    if (c->function != NULL) {
      struct murphi_effect effect = {.function = c->function, .call = expr};
      clew_vec_push(&c->effects, effect);
    }
  }
  return function->result != NULL ? function->result : error_type(c);
}

/* ---- Operators ------------------------------------------------------------------------------ */

/* The operand of a logical or arithmetic operator; complains when it is of the wrong type. */
static bool expect_type(struct murphi_checker *c, const struct murphi_expr *operand, bool right,
                        const char *wanted) {
  if (!right && !clew_murphi_type_is_error(operand->type)) {
    clew_front_error(c->m->front, operand->span, "expected %s, but \"%s\" is of type %s", wanted,
                     clew_front_excerpt(c->m->front, operand->span),
                     clew_murphi_type_text(c->m, operand->type));
  }
  return right && !clew_murphi_type_is_error(operand->type);
}

static bool expect_integer(struct murphi_checker *c, const struct murphi_expr *operand) {
  const char *why = clew_murphi_type_no_number(c->m, operand->type, &c->m->integer_type);
  if (why[0] != '\0') {
    clew_front_error(c->m->front, operand->span, "\"%s\" is not an integer%s",
                     clew_front_excerpt(c->m->front, operand->span), why);
    return false;
  }
  return expect_type(c, operand, clew_murphi_type_is_integer(operand->type), "an integer");
}

static bool expect_boolean(struct murphi_checker *c, const struct murphi_expr *operand) {
  return expect_type(c, operand, operand->type->kind == MURPHI_TYPE_BOOLEAN, "a boolean");
}

/* Arithmetic and order are not for scalarsets; complains about the whole expression. */
static bool refuse_scalarset(struct murphi_checker *c, const struct murphi_expr *expr) {
  const struct murphi_type *set = clew_murphi_type_scalarset_in(expr->a->type, 1);
  if (set == NULL && expr->b != NULL) {
    set = clew_murphi_type_scalarset_in(expr->b->type, 1);
  }
  if (set != NULL) {
    bool compares = expr->op >= MURPHI_OP_LT && expr->op <= MURPHI_OP_GE;
    clew_front_error(c->m->front, expr->span,
                     "\"%s\" has no meaning: the values of the scalarset '%s' have no %s",
                     clew_front_excerpt(c->m->front, expr->span), clew_murphi_type_text(c->m, set),
                     compares ? "order" : "numbers");
  }
  return set != NULL;
}

static const struct murphi_type *check_unary(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->b == NULL);
  clew_murphi_check_expr(c, expr->a);
  if (expr->op == MURPHI_OP_NOT) {
    return expect_boolean(c, expr->a) ? &c->m->boolean_type : error_type(c);
  }
  if (refuse_scalarset(c, expr)) {
    return error_type(c);
  }
  return expect_integer(c, expr->a) ? &c->m->integer_type : error_type(c);
}

static const struct murphi_type *check_equality(struct murphi_checker *c,
                                                const struct murphi_expr *expr) {
  assert(expr->op == MURPHI_OP_EQ || expr->op == MURPHI_OP_NE);
  const struct murphi_type *a = expr->a->type, *b = expr->b->type;
  if (!clew_murphi_type_compatible(a, b)) {
    clew_front_error(c->m->front, expr->span,
                     "cannot compare a value of type %s with one of type %s%s",
                     clew_murphi_type_text(c->m, a), clew_murphi_type_text(c->m, b),
                     clew_murphi_type_no_number(c->m, a, b));
    return error_type(c);
  }
  if (clew_murphi_type_is_error(a) || clew_murphi_type_is_error(b)) {
    return error_type(c);
  }
  if (clew_murphi_type_has_multiset(a)) {
    clew_front_error(c->m->front, expr->span, "multisets cannot be compared");
    return error_type(c);
  }
  return &c->m->boolean_type;
}

/* Both operands integers, or both booleans when that is allowed. */
static const struct murphi_type *check_bitwise(struct murphi_checker *c,
                                               const struct murphi_expr *expr) {
  assert(expr->op == MURPHI_OP_OR || expr->op == MURPHI_OP_AND);
  if (clew_murphi_type_is_error(expr->a->type) || clew_murphi_type_is_error(expr->b->type)) {
    return error_type(c);
  }
  if (clew_murphi_type_is_integer(expr->a->type) && clew_murphi_type_is_integer(expr->b->type)) {
    return &c->m->integer_type;
  }
  bool good = expect_boolean(c, expr->a);
  good = expect_boolean(c, expr->b) && good;
  return good ? &c->m->boolean_type : error_type(c);
}

static const struct murphi_type *check_binary(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->op >= MURPHI_OP_IMPLIES && expr->op <= MURPHI_OP_MOD);
  clew_murphi_check_expr(c, expr->a);
  clew_murphi_check_expr(c, expr->b);
  switch (expr->op) {
  case MURPHI_OP_EQ:
  case MURPHI_OP_NE:
    return check_equality(c, expr);
  case MURPHI_OP_OR:
  case MURPHI_OP_AND:
    return check_bitwise(c, expr);
  case MURPHI_OP_IMPLIES:
  case MURPHI_OP_LOGICAL_OR:
  case MURPHI_OP_LOGICAL_AND: {
    bool good = expect_boolean(c, expr->a);
    good = expect_boolean(c, expr->b) && good;
    return good ? &c->m->boolean_type : error_type(c);
  }
  default: {
    if (refuse_scalarset(c, expr)) {
      return error_type(c);
    }
    bool good = expect_integer(c, expr->a);
    good = expect_integer(c, expr->b) && good;
    bool compares = expr->op >= MURPHI_OP_LT && expr->op <= MURPHI_OP_GE;
    const struct murphi_type *type = compares ? &c->m->boolean_type : &c->m->integer_type;
    return good ? type : error_type(c);
  }
  }
}

static const struct murphi_type *check_cond(struct murphi_checker *c, struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_COND);
  clew_murphi_check_boolean(c, expr->a, "the condition of '?:'");
  const struct murphi_type *b = clew_murphi_check_expr(c, expr->b);
  const struct murphi_type *otherwise = clew_murphi_check_expr(c, expr->c);
  if (clew_murphi_type_is_error(b) || clew_murphi_type_is_error(otherwise)) {
    return error_type(c);
  }
  bool simple = clew_murphi_type_is_simple(b);
  if (!(simple ? clew_murphi_type_compatible(b, otherwise) : clew_murphi_type_same(b, otherwise))) {
    clew_front_error(c->m->front, expr->span,
                     "the values of '?:' must be of the same type, not %s and %s%s",
                     clew_murphi_type_text(c->m, b), clew_murphi_type_text(c->m, otherwise),
                     clew_murphi_type_no_number(c->m, b, otherwise));
    return error_type(c);
  }
  if (!simple) {
    return b;
  }
  if (expr->a->is_constant && expr->b->is_constant && expr->c->is_constant) {
    expr->is_constant = true;
    expr->value = expr->a->value ? expr->b->value : expr->c->value;
  }
  return clew_murphi_type_join(c->m, b, otherwise);
}

/* ---- Quantifiers ---------------------------------------------------------------------------- */

const struct murphi_type *clew_murphi_check_bag(struct murphi_checker *c,
                                                struct murphi_expr *expr) {
  const struct murphi_type *type = clew_murphi_check_expr(c, expr);
  if (type->kind == MURPHI_TYPE_MULTISET && clew_murphi_is_place(expr)) {
    return type;
  }
  if (!clew_murphi_type_is_error(type)) {
    clew_front_error(c->m->front, expr->span, "\"%s\" is not a multiset",
                     clew_front_excerpt(c->m->front, expr->span));
  }
  return error_type(c);
}

/* i := from to to by by */
static const struct murphi_type *check_steps(struct murphi_checker *c,
                                             struct murphi_quantifier *q) {
  assert(q->from != NULL && q->to != NULL);
  clew_murphi_check_expr(c, q->from);
  clew_murphi_check_expr(c, q->to);
  bool good = expect_integer(c, q->from);
  good = expect_integer(c, q->to) && good;
  q->step = 1;
  if (q->by != NULL) {
    clew_murphi_check_expr(c, q->by);
    good = expect_integer(c, q->by) && good;
    q->step = q->by->is_constant ? q->by->value : 0;
    if (good && q->by->is_constant && q->step == 0) {
      clew_front_error(c->m->front, q->by->span, "the step must not be 0");
      return error_type(c);
    }
  }
  if (!good || q->step == 0 || !q->from->is_constant || !q->to->is_constant) {
    return good ? &c->m->integer_type : error_type(c);
  }
  int64_t lo = q->step > 0 ? q->from->value : q->to->value;
  int64_t hi = q->step > 0 ? q->to->value : q->from->value;
  return lo <= hi ? clew_murphi_type_range(c->m, lo, hi) : &c->m->integer_type;
}

void clew_murphi_check_quantifier(struct murphi_checker *c, struct murphi_quantifier *q) {
  assert(q->symbol == NULL);
  const struct murphi_type *type;
  if (q->bag != NULL) {
    const struct murphi_type *bag = clew_murphi_check_bag(c, q->bag);
    type = clew_murphi_type_is_error(bag) ? bag : clew_murphi_type_bag_index(c->m, bag);
  } else if (q->domain != NULL) {
    type = clew_murphi_check_type(c, q->domain);
    q->step = 1;
    if (!clew_murphi_type_is_simple(type)) {
      clew_front_error(
          c->m->front, q->domain->span,
          "'%s' cannot run over %s: expected a range, enumeration, scalarset, union or "
          "boolean",
          q->name->id.text, clew_murphi_type_text(c->m, type));
      type = error_type(c);
    }
  } else {
    type = check_steps(c, q);
  }
  q->symbol = clew_murphi_declare(c, MURPHI_SYMBOL_BOUND, q->name, q->span, type);
}

static const struct murphi_type *check_quantified(struct murphi_checker *c,
                                                  struct murphi_expr *expr) {
  assert(expr->quantifier != NULL);
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  clew_murphi_check_quantifier(c, expr->quantifier);
  const char *what = expr->kind == MURPHI_EXPR_COUNT ? "the condition of 'multisetcount'"
                     : expr->op == MURPHI_OP_FORALL  ? "the body of 'forall'"
                                                     : "the body of 'exists'";
  clew_murphi_check_boolean(c, expr->a, what);
  clew_murphi_scope_close(c, outer);
  return expr->kind == MURPHI_EXPR_COUNT ? &c->m->integer_type : &c->m->boolean_type;
}

/* ---- isundefined, ismember ------------------------------------------------------------------ */

static const struct murphi_type *check_isundefined(struct murphi_checker *c,
                                                   struct murphi_expr *expr) {
  assert(expr->kind == MURPHI_EXPR_ISUNDEFINED);
  const struct murphi_type *type = clew_murphi_check_expr(c, expr->a);
  if (clew_murphi_type_is_error(type)) {
    return type;
  }
  if (!clew_murphi_is_place(expr->a) || !clew_murphi_type_is_simple(type)) {
    clew_front_error(c->m->front, expr->a->span,
                     "'isundefined' needs a simple variable, not \"%s\"",
                     clew_front_excerpt(c->m->front, expr->a->span));
    return error_type(c);
  }
  return &c->m->boolean_type;
}

static const struct murphi_type *check_ismember(struct murphi_checker *c,
                                                struct murphi_expr *expr) {
  assert(expr->type_expr != NULL);
  const struct murphi_type *type = clew_murphi_check_expr(c, expr->a);
  const struct murphi_type *set = clew_murphi_check_type(c, expr->type_expr);
  if (clew_murphi_type_is_error(type) || clew_murphi_type_is_error(set)) {
    return error_type(c);
  }
  bool possible = (clew_murphi_type_is_enumerated(type) && clew_murphi_type_is_enumerated(set)) ||
                  (clew_murphi_type_is_simple(type) && clew_murphi_type_compatible(type, set));
  if (!possible) {
    clew_front_error(c->m->front, expr->span, "'ismember' cannot look for a value of type %s in %s",
                     clew_murphi_type_text(c->m, type), clew_murphi_type_text(c->m, set));
    return error_type(c);
  }
  return &c->m->boolean_type;
}

/* ---- Any expression ------------------------------------------------------------------------- */

static const struct murphi_type *check_kind(struct murphi_checker *c, struct murphi_expr *expr) {
  switch (expr->kind) {
  case MURPHI_EXPR_NUMBER:
  case MURPHI_EXPR_BOOLEAN:
    expr->is_constant = true;
    expr->value = expr->number;
    return expr->kind == MURPHI_EXPR_NUMBER ? &c->m->integer_type : &c->m->boolean_type;
  case MURPHI_EXPR_UNDEFINED:
    clew_front_error(c->m->front, expr->span,
                     "'undefined' can only be assigned or passed as an argument");
    return error_type(c);
  case MURPHI_EXPR_NAME:
    return check_name(c, expr);
  case MURPHI_EXPR_FIELD:
    return check_field(c, expr);
  case MURPHI_EXPR_INDEX:
    return check_index(c, expr);
  case MURPHI_EXPR_CALL:
    return clew_murphi_check_call(c, expr, false);
  case MURPHI_EXPR_UNARY:
    return check_unary(c, expr);
  case MURPHI_EXPR_BINARY:
    return check_binary(c, expr);
  case MURPHI_EXPR_COND:
    return check_cond(c, expr);
  case MURPHI_EXPR_QUANTIFY:
  case MURPHI_EXPR_COUNT:
    return check_quantified(c, expr);
  case MURPHI_EXPR_ISUNDEFINED:
    return check_isundefined(c, expr);
  case MURPHI_EXPR_ISMEMBER:
    return check_ismember(c, expr);
  }
  assert(0 && "a kind of expression");
  return error_type(c);
}

const struct murphi_type *clew_murphi_check_expr(struct murphi_checker *c,
                                                 struct murphi_expr *expr) {
  if (expr->type != NULL) { /* `a, b : e` is met twice */
    return expr->type;
  }
  expr->type = check_kind(c, expr);
  if (expr->kind == MURPHI_EXPR_UNARY || expr->kind == MURPHI_EXPR_BINARY) {
    clew_murphi_fold(c, expr);
  }
  assert(expr->type != NULL);
  return expr->type;
}

/* ---- Expressions in a context --------------------------------------------------------------- */

void clew_murphi_check_boolean(struct murphi_checker *c, struct murphi_expr *expr,
                               const char *what) {
  const struct murphi_type *type = clew_murphi_check_expr(c, expr);
  if (type->kind != MURPHI_TYPE_BOOLEAN && !clew_murphi_type_is_error(type)) {
    clew_front_error(c->m->front, expr->span, "%s must be a boolean, not of type %s", what,
                     clew_murphi_type_text(c->m, type));
  }
}

bool clew_murphi_check_constant(struct murphi_checker *c, struct murphi_expr *expr,
                                const char *what) {
  bool outer = c->constant;
  c->constant = true;
  const struct murphi_type *type = clew_murphi_check_expr(c, expr);
  c->constant = outer;
  if (clew_murphi_type_is_error(type)) {
    return false;
  }
  if (!expr->is_constant) {
    clew_front_error(c->m->front, expr->span,
                     "%s must be known before execution, but \"%s\" is not", what,
                     clew_front_excerpt(c->m->front, expr->span));
  }
  return expr->is_constant;
}

bool clew_murphi_check_number(struct murphi_checker *c, struct murphi_expr *expr, const char *what,
                              int64_t *value) {
  if (!clew_murphi_check_constant(c, expr, what)) {
    return false;
  }
  *value = expr->value;
  return expect_integer(c, expr);
}

const struct murphi_type *clew_murphi_check_target(struct murphi_checker *c,
                                                   struct murphi_expr *expr, const char *what) {
  const struct murphi_type *type = clew_murphi_check_expr(c, expr);
  if (clew_murphi_type_is_error(type)) {
    return type;
  }
  struct murphi_symbol *root = clew_murphi_root(expr);
  const char *text = clew_front_excerpt(c->m->front, expr->span);
  if (!clew_murphi_is_place(expr) || root == NULL) {
    clew_front_error(c->m->front, expr->span, "%s must be a variable, which \"%s\" is not", what,
                     text);
    return error_type(c);
  }
  if (root->kind == MURPHI_SYMBOL_VALUE_PARAM) {
    clew_front_error(
        c->m->front, expr->span,
        "the value parameter '%s' cannot be changed: declare it 'var', or copy it to a "
        "local variable",
        root->name->id.text);
    return error_type(c);
  }
  if (root->kind == MURPHI_SYMBOL_BOUND) {
    clew_front_error(c->m->front, expr->span, "the bound variable '%s' cannot be changed",
                     root->name->id.text);
    return error_type(c);
  }
  return type;
}

void clew_murphi_check_value(struct murphi_checker *c, struct murphi_expr *expr,
                             const struct murphi_type *type, const char *what) {
  assert(type != NULL);
  if (expr->kind == MURPHI_EXPR_UNDEFINED) {
    expr->type = &c->m->undefined_type;
    return;
  }
  const struct murphi_type *actual = clew_murphi_check_expr(c, expr);
  if (!clew_murphi_type_compatible(actual, type)) {
    clew_front_error(c->m->front, expr->span,
                     "%s is of type %s and cannot take a value of type %s%s", what,
                     clew_murphi_type_text(c->m, type), clew_murphi_type_text(c->m, actual),
                     clew_murphi_type_no_number(c->m, type, actual));
  } else if (expr->is_constant && clew_murphi_type_is_integer(type) &&
             !clew_murphi_type_is_error(type) &&
             (expr->value < type->lo || expr->value > type->hi)) {
    clew_front_warn(c->m->front, expr->span, "%lld is outside the range %lld..%lld of %s",
                    (long long)expr->value, (long long)type->lo, (long long)type->hi, what);
  }
}

void clew_murphi_check_aliases(struct murphi_checker *c, struct murphi_alias *aliases) {
  for (struct murphi_alias *alias = aliases; alias != NULL; alias = alias->next) {
    const struct murphi_type *type = clew_murphi_check_expr(c, alias->value);
    bool place = clew_murphi_is_place(alias->value);
    struct murphi_symbol *root = place ? clew_murphi_root(alias->value) : NULL;
    alias->symbol = clew_murphi_declare(c, MURPHI_SYMBOL_ALIAS, alias->name, alias->span, type);
    alias->symbol->root = root;
    alias->symbol->in_bag = place && clew_murphi_in_bag(alias->value);
    alias->symbol->is_constant = alias->value->is_constant;
    alias->symbol->value = alias->value->value;
    if (alias->value->kind == MURPHI_EXPR_COND && !clew_murphi_type_is_simple(type)) {
      clew_front_error(c->m->front, alias->value->span,
                       "an alias cannot stand for one of two arrays or records");
    }
  }
}
