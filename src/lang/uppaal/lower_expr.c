/* Expressions. */
#include "lang/uppaal/lower.h"

#include <assert.h>
#include <string.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

struct uppaal_value clew_uppaal_number_value(const struct clew_expr *expr,
                                             const struct uppaal_shape *type) {
  return (struct uppaal_value){.kind = UPPAAL_VALUE_EXPR, .type = type, .expr = expr};
}

static struct uppaal_value number(const struct clew_expr *expr) {
  return clew_uppaal_number_value(expr, &clew_uppaal_int);
}

static struct uppaal_value boolean(const struct clew_expr *expr) {
  return clew_uppaal_number_value(expr, &clew_uppaal_bool);
}

/* ---- Numbers -------------------------------------------------------------------------------- */

const struct clew_expr *clew_uppaal_number_of(struct uppaal_lowering *l,
                                              const struct uppaal_value *value,
                                              struct clew_span span) {
  const char *what = NULL;
  if (value->type->kind == UPPAAL_SCALAR) {
    clew_uppaal_fail(l, span,
                     "a value of the scalar set '%s' is no number: scalars can be assigned, "
                     "compared by == and !=, and used as indices",
                     value->type->scalar->name);
    return clew_uppaal_const(l, 0);
  }
  switch (value->kind) {
  case UPPAAL_VALUE_EXPR:
    return value->expr;
  case UPPAAL_VALUE_PLACE:
  case UPPAAL_VALUE_CONSTANT:
    if (clew_uppaal_is_number(value->type)) {
      return clew_uppaal_cell_of(l, value, 0);
    }
    what = value->type->kind == UPPAAL_CLOCK    ? "a clock"
           : value->type->kind == UPPAAL_STRUCT ? "a struct"
                                                : "an array";
    break;
  case UPPAAL_VALUE_CHANNEL:
    what = "a channel";
    break;
  case UPPAAL_VALUE_LINEAR:
    what = "a clock";
    break;
  case UPPAAL_VALUE_FORM:
    what = "a comparison of clocks";
    break;
  case UPPAAL_VALUE_RATE:
    what = "the rate of a clock";
    break;
  case UPPAAL_VALUE_VOID:
    what = "a function without a result";
    break;
  case UPPAAL_VALUE_WRONG:
    return clew_uppaal_const(l, 0);
  }
  if (value->type->kind != UPPAAL_WRONG) {
    clew_uppaal_fail(l, span, "%s cannot be used as a number here", what);
  }
  return clew_uppaal_const(l, 0);
}

const struct clew_expr *clew_uppaal_single_of(struct uppaal_lowering *l,
                                              const struct uppaal_value *value,
                                              const struct uppaal_shape *type,
                                              struct clew_span span) {
  if (type->kind != UPPAAL_SCALAR || value->kind == UPPAAL_VALUE_WRONG) {
    return clew_uppaal_number_of(l, value, span);
  }
  if (value->type->kind == UPPAAL_SCALAR && value->type->scalar == type->scalar) {
    return clew_uppaal_cell_of(l, value, 0);
  }
  int64_t scalar;
  if (value->kind == UPPAAL_VALUE_EXPR && value->expr->kind == CLEW_EXPR_CONST &&
      value->type->kind == UPPAAL_INT && l->in_query) {
    return clew_uppaal_scalar_numbered(l, type->scalar, value->expr->value, span, &scalar)
               ? clew_uppaal_const(l, scalar)
               : clew_uppaal_const(l, type->lo);
  }
  clew_uppaal_fail(l, span, "this is no value of the scalar set '%s'", type->scalar->name);
  return clew_uppaal_const(l, type->lo);
}

const struct clew_expr *clew_uppaal_lower_number(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr) {
  struct uppaal_value value = clew_uppaal_lower_value(l, expr);
  return clew_uppaal_number_of(l, &value, expr->span);
}

const struct clew_expr *clew_uppaal_lower_truth(struct uppaal_lowering *l,
                                                const struct uppaal_expr *expr) {
  return clew_uppaal_truth(l, clew_uppaal_lower_number(l, expr));
}

/* ---- Second operands ------------------------------------------------------------------------ */

struct uppaal_value clew_uppaal_lower_later(struct uppaal_lowering *l,
                                            const struct uppaal_expr *expr,
                                            struct clew_list *effects) {
  struct clew_list *out = l->out;
  *effects = (struct clew_list){0};
  if (out != NULL) {
    l->out = effects;
  }
  struct uppaal_value value = clew_uppaal_lower_value(l, expr);
  l->out = out;
  return value;
}

/* The first operand keeps the value that it had before the effects of the second one. */
static void keep_first(struct uppaal_lowering *l, struct uppaal_value *first,
                       const struct clew_list *effects) {
  if (effects->first == NULL) {
    return;
  }
  if (first->expr != NULL) {
    first->expr = clew_uppaal_hold(l, first->expr, l->out);
  } else if (first->kind == UPPAAL_VALUE_PLACE && clew_uppaal_is_single(first->type)) {
    const struct clew_expr *value = clew_uppaal_load(l, first->place);
    *first = clew_uppaal_number_value(clew_uppaal_hold(l, value, l->out), first->type);
  } else if (first->kind == UPPAAL_VALUE_PLACE && first->place.type != NULL) {
    first->place = clew_uppaal_hold_place(l, first->place, l->out);
  }
  if (first->moving != NULL) {
    first->moving = clew_uppaal_hold(l, first->moving, l->out);
  }
  clew_uppaal_append(l->out, effects);
}

/* ---- Names, fields, indices ----------------------------------------------------------------- */

static struct uppaal_value lower_name(struct uppaal_lowering *l, struct uppaal_ref ref) {
  const struct uppaal_symbol *symbol = clew_uppaal_resolve(l, ref, "name");
  if (symbol == NULL || symbol->type->kind == UPPAAL_WRONG) {
    if (symbol != NULL && symbol->kind == UPPAAL_SYMBOL_PROCESS) {
      clew_uppaal_fail(l, ref.span, "the process '%s' is no value", ref.name->id.text);
    }
    return wrong;
  }
  struct uppaal_value value = {.type = symbol->type, .is_read_only = symbol->is_read_only};
  switch (symbol->kind) {
  case UPPAAL_SYMBOL_CONSTANT:
    value.kind = UPPAAL_VALUE_CONSTANT;
    value.cells = symbol->cells;
    value.cell_count = symbol->type->cells;
    value.is_read_only = true;
    return value;
  case UPPAAL_SYMBOL_VARIABLE:
    if (symbol->place.space != CLEW_SPACE_STATE && symbol->frame != l->frame) {
      /* What is lowered has a frame of its own because it has to be known now. */
      clew_uppaal_fail(l, ref.span, "'%s' is not constant", ref.name->id.text);
      return wrong;
    }
    value.kind = UPPAAL_VALUE_PLACE;
    value.place = symbol->place;
    return value;
  case UPPAAL_SYMBOL_CHANNEL:
    value.kind = UPPAAL_VALUE_CHANNEL;
    value.expr = clew_uppaal_const(l, symbol->channel);
    return value;
  case UPPAAL_SYMBOL_TYPE:
  case UPPAAL_SYMBOL_FUNCTION:
  case UPPAAL_SYMBOL_PROCESS:
    break;
  }
  clew_uppaal_fail(l, ref.span, "'%s' is no value", ref.name->id.text);
  return wrong;
}

static struct uppaal_value lower_field(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  bool is_member = false;
  struct uppaal_value value = wrong;
  if (l->use == UPPAAL_USE_QUERY) {
    value = clew_uppaal_lower_member(l, expr, &is_member);
  }
  if (is_member) {
    return value;
  }
  value = clew_uppaal_lower_value(l, expr->a);
  if (value.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (value.type->kind != UPPAAL_STRUCT) {
    clew_uppaal_fail(l, expr->span, "\"%s\" is no struct",
                     clew_front_excerpt(l->front, expr->a->span));
    return wrong;
  }
  for (uint32_t i = 0; i < value.type->field_count; i++) {
    const struct uppaal_field *field = &value.type->fields[i];
    if (field->name == expr->ref.name) {
      value.offset += field->offset;
      if (value.kind == UPPAAL_VALUE_PLACE) {
        value.place = clew_place_field(value.place, i);
      }
      value.type = field->type;
      return value;
    }
  }
  clew_uppaal_fail(l, expr->ref.span, "there is no field '%s'", expr->ref.name->id.text);
  return wrong;
}

static uint32_t index_site(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                           const struct uppaal_shape *array, const struct clew_expr *index) {
  if (index->lo >= array->lo && index->hi <= array->hi) {
    return CLEW_NONE;
  }
  return clew_uppaal_site(
      l, CLEW_SITE_INDEX, expr->b->span, "index out of range in \"%s\": it goes from %lld to %lld",
      clew_front_excerpt(l->front, expr->span), (long long)array->lo, (long long)array->hi);
}

/* (index - lo) * stride more, where an index out of range is a fault. */
static const struct clew_expr *move_by(struct uppaal_lowering *l, const struct clew_expr *start,
                                       const struct clew_expr *index,
                                       const struct uppaal_shape *array, uint32_t site) {
  index = clew_uppaal_checked(l, index, array->lo, array->hi, site);
  index =
      clew_expr_binary(l->program, CLEW_OP_SUB, index, clew_uppaal_const(l, array->lo), CLEW_NONE);
  index = clew_expr_binary(l->program, CLEW_OP_MUL, index,
                           clew_uppaal_const(l, array->element->cells), CLEW_NONE);
  return start == NULL ? index : clew_expr_binary(l->program, CLEW_OP_ADD, start, index, CLEW_NONE);
}

static struct uppaal_value lower_index(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
  struct clew_list effects;
  struct uppaal_value by = clew_uppaal_lower_later(l, expr->b, &effects);
  const struct uppaal_shape *array = value.type;
  if (value.kind == UPPAAL_VALUE_WRONG || by.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (array->kind != UPPAAL_ARRAY) {
    clew_uppaal_fail(l, expr->span, "\"%s\" is no array",
                     clew_front_excerpt(l->front, expr->a->span));
    return wrong;
  }
  struct uppaal_shape of = {.kind = array->scalar != NULL ? UPPAAL_SCALAR : UPPAAL_INT,
                            .scalar = array->scalar,
                            .lo = array->lo,
                            .hi = array->hi};
  const struct clew_expr *index = clew_uppaal_single_of(l, &by, &of, expr->b->span);
  keep_first(l, &value, &effects);
  uint32_t site = index_site(l, expr, array, index);
  value.type = array->element;
  if (value.kind == UPPAAL_VALUE_CHANNEL) {
    value.expr = move_by(l, value.expr, index, array, site);
  } else if (value.kind == UPPAAL_VALUE_PLACE && value.place.type != NULL) {
    value.place = clew_place_index(l->program, value.place, index, site);
  } else if (value.kind == UPPAAL_VALUE_CONSTANT && site == CLEW_NONE &&
             index->kind == CLEW_EXPR_CONST) {
    value.offset += (uint32_t)(index->value - array->lo) * array->element->cells;
  } else if (value.kind == UPPAAL_VALUE_CONSTANT) {
    value.moving = move_by(l, value.moving, index, array, site);
  }
  return value;
}

/* ---- Logic ---------------------------------------------------------------------------------- */

/* a op b, where lowering b left effects behind, which happen only when b is needed. */
static const struct clew_expr *lazily(struct uppaal_lowering *l, enum clew_op op,
                                      const struct clew_expr *a, const struct clew_expr *b,
                                      struct clew_list *effects) {
  struct clew_place result = clew_uppaal_local(l, "condition", clew_uppaal_range_type(l, 0, 1));
  clew_list_add(l->out, clew_stmt_assign(l->program, result, a, CLEW_NONE));
  clew_list_add(effects, clew_stmt_assign(l->program, result, b, CLEW_NONE));
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
  const struct clew_expr *load = clew_uppaal_load(l, result);
  branch->value = op == CLEW_OP_AND ? load : clew_uppaal_not(l, load);
  branch->body = effects->first;
  clew_list_add(l->out, branch);
  return load;
}

/* The same, where a side has clocks. */
static struct uppaal_value lower_form_logic(struct uppaal_lowering *l,
                                            const struct uppaal_expr *expr,
                                            const struct uppaal_value *first,
                                            const struct uppaal_value *second) {
  struct uppaal_form a = clew_uppaal_form_of(l, first, expr->a->span),
                     b = clew_uppaal_form_of(l, second, expr->b->span);
  switch (expr->op) {
  case UPPAAL_OP_AND:
    a = clew_uppaal_form_and(l, a, b, expr->span);
    break;
  case UPPAAL_OP_IMPLY:
    a = clew_uppaal_form_or(l, clew_uppaal_form_not(l, a, expr->span), b, expr->span);
    break;
  case UPPAAL_OP_XOR:
    a = clew_uppaal_form_cond(l, a, clew_uppaal_form_not(l, b, expr->span), b, expr->span);
    break;
  default:
    a = clew_uppaal_form_or(l, a, b, expr->span);
  }
  return clew_uppaal_form_value(l, a);
}

static struct uppaal_value lower_logic(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  int polarity = l->polarity;
  l->polarity = expr->op == UPPAAL_OP_IMPLY ? -polarity : expr->op == UPPAAL_OP_XOR ? 0 : polarity;
  struct uppaal_value sooner = clew_uppaal_lower_value(l, expr->a);
  const struct clew_expr *a = NULL;
  if (sooner.kind != UPPAAL_VALUE_FORM) {
    a = clew_uppaal_truth(l, clew_uppaal_number_of(l, &sooner, expr->a->span));
  }
  l->polarity = expr->op == UPPAAL_OP_XOR ? 0 : polarity;
  struct clew_list effects;
  struct uppaal_value later = clew_uppaal_lower_later(l, expr->b, &effects);
  l->polarity = polarity;
  if (sooner.kind == UPPAAL_VALUE_FORM || later.kind == UPPAAL_VALUE_FORM) {
    return lower_form_logic(l, expr, &sooner, &later);
  }
  const struct clew_expr *b = clew_uppaal_truth(l, clew_uppaal_number_of(l, &later, expr->b->span));
  if (expr->op == UPPAAL_OP_XOR) {
    struct uppaal_value first = boolean(a);
    keep_first(l, &first, &effects);
    return boolean(clew_expr_binary(l->program, CLEW_OP_NE, first.expr, b, CLEW_NONE));
  }
  if (expr->op == UPPAAL_OP_IMPLY) {
    a = clew_uppaal_not(l, a);
  }
  enum clew_op op = expr->op == UPPAAL_OP_AND ? CLEW_OP_AND : CLEW_OP_OR;
  if (effects.first != NULL) {
    return boolean(lazily(l, op, a, b, &effects));
  }
  return boolean(clew_expr_binary(l->program, op, a, b, CLEW_NONE));
}

/* ---- Arithmetic and comparisons ------------------------------------------------------------- */

const struct clew_expr *clew_uppaal_fit(struct uppaal_lowering *l, const struct clew_expr *value,
                                        struct clew_span span) {
  if (value->lo >= INT32_MIN && value->hi <= INT32_MAX) {
    return value;
  }
  uint32_t site = clew_uppaal_site(l, CLEW_SITE_OVERFLOW, span,
                                   "overflow in \"%s\": the result does not fit into 32 bits",
                                   clew_front_excerpt(l->front, span));
  return clew_uppaal_checked(l, value, INT32_MIN, INT32_MAX, site);
}

static enum clew_op operator_of(enum uppaal_op op) {
  static const enum clew_op table[] = {
      [UPPAAL_OP_ADD] = CLEW_OP_ADD,       [UPPAAL_OP_SUB] = CLEW_OP_SUB,
      [UPPAAL_OP_MUL] = CLEW_OP_MUL,       [UPPAAL_OP_DIV] = CLEW_OP_DIV,
      [UPPAAL_OP_MOD] = CLEW_OP_MOD,       [UPPAAL_OP_SHL] = CLEW_OP_SHL,
      [UPPAAL_OP_SHR] = CLEW_OP_SHR,       [UPPAAL_OP_BIT_AND] = CLEW_OP_BIT_AND,
      [UPPAAL_OP_BIT_OR] = CLEW_OP_BIT_OR, [UPPAAL_OP_BIT_XOR] = CLEW_OP_BIT_XOR,
      [UPPAAL_OP_EQ] = CLEW_OP_EQ,         [UPPAAL_OP_NE] = CLEW_OP_NE,
      [UPPAAL_OP_LT] = CLEW_OP_LT,         [UPPAAL_OP_LE] = CLEW_OP_LE,
      [UPPAAL_OP_GT] = CLEW_OP_GT,         [UPPAAL_OP_GE] = CLEW_OP_GE,
  };
  assert(op >= UPPAAL_OP_BIT_OR && op <= UPPAAL_OP_MOD);
  return table[op];
}

/* Operands have 32 bits, so 64 hold the result of everything but a division by zero: a shift is by
 * fewer than 32. */
static const struct clew_expr *exact(struct uppaal_lowering *l, enum uppaal_op op,
                                     const struct clew_expr *a, const struct clew_expr *b,
                                     struct clew_span span) {
  const char *text = clew_front_excerpt(l->front, span);
  uint32_t site = CLEW_NONE;
  if (op == UPPAAL_OP_DIV || op == UPPAAL_OP_MOD) {
    site = clew_uppaal_site(l, CLEW_SITE_DIVISION, span, "division by zero in \"%s\"", text);
  } else if ((op == UPPAAL_OP_SHL || op == UPPAAL_OP_SHR) && (b->lo < 0 || b->hi > 31)) {
    b = clew_uppaal_checked(l, b, 0, 31,
                            clew_uppaal_site(l, CLEW_SITE_OVERFLOW, span,
                                             "shift out of range in \"%s\": by 0 to 31 bits",
                                             text));
  }
  return clew_expr_binary(l->program, operator_of(op), a, b, site);
}

/* A power: a product. */
static const struct clew_expr *power(struct uppaal_lowering *l, const struct clew_expr *a,
                                     const struct clew_expr *b, struct clew_span span) {
  enum { MOST_POWER = 62 };
  const struct clew_expr *result = clew_uppaal_const(l, 1);
  if (b->kind != CLEW_EXPR_CONST || b->value < 0 || b->value > MOST_POWER) {
    clew_uppaal_fail(l, span, "the exponent of '**' must be a constant from 0 to %d", MOST_POWER);
    return a;
  }
  for (int64_t i = 0; i < b->value; i++) {
    result = clew_uppaal_binary(l, UPPAAL_OP_MUL, result, a, span);
  }
  return result;
}

const struct clew_expr *clew_uppaal_binary(struct uppaal_lowering *l, enum uppaal_op op,
                                           const struct clew_expr *a, const struct clew_expr *b,
                                           struct clew_span span) {
  if (op == UPPAAL_OP_MIN || op == UPPAAL_OP_MAX) {
    enum clew_op compare = op == UPPAAL_OP_MIN ? CLEW_OP_LE : CLEW_OP_GE;
    return clew_expr_cond(l->program, clew_expr_binary(l->program, compare, a, b, CLEW_NONE), a, b);
  }
  if (op == UPPAAL_OP_POWER) {
    return power(l, a, b, span);
  }
  return clew_uppaal_fit(l, exact(l, op, a, b, span), span);
}

static bool is_comparison(enum uppaal_op op) {
  return op >= UPPAAL_OP_EQ && op <= UPPAAL_OP_GE;
}

static bool is_block(const struct uppaal_value *value) {
  return value->type->kind == UPPAAL_ARRAY || value->type->kind == UPPAAL_STRUCT;
}

struct uppaal_value clew_uppaal_lower_equal(struct uppaal_lowering *l, const struct uppaal_value *a,
                                            const struct uppaal_value *b, struct clew_span span) {
  if (!clew_uppaal_shape_matches(a->type, b->type) || clew_uppaal_contains(a->type, UPPAAL_CLOCK) ||
      a->kind == UPPAAL_VALUE_CHANNEL) {
    clew_uppaal_fail(l, span, "these cannot be compared");
    return wrong;
  }
  if (a->kind == UPPAAL_VALUE_PLACE && b->kind == UPPAAL_VALUE_PLACE &&
      clew_type_same_shape(a->place.type, b->place.type)) {
    return boolean(clew_expr_equal(l->program, a->place, b->place));
  }
  const struct clew_expr *all = NULL;
  for (uint32_t i = 0; i < a->type->cells; i++) {
    const struct clew_expr *same =
        clew_expr_binary(l->program, CLEW_OP_EQ, clew_uppaal_cell_of(l, a, i),
                         clew_uppaal_cell_of(l, b, i), CLEW_NONE);
    all = clew_uppaal_and(l, all, same);
  }
  return boolean(all);
}

static struct uppaal_value lower_binary(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  if (expr->op >= UPPAAL_OP_OR && expr->op <= UPPAAL_OP_AND) {
    return lower_logic(l, expr);
  }
  int polarity = l->polarity;
  struct clew_list effects;
  l->polarity = 0;
  struct uppaal_value a = clew_uppaal_lower_value(l, expr->a);
  struct uppaal_value b = clew_uppaal_lower_later(l, expr->b, &effects);
  l->polarity = polarity;
  keep_first(l, &a, &effects);
  if (a.kind == UPPAAL_VALUE_WRONG || b.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (clew_uppaal_is_clocky(&a) || clew_uppaal_is_clocky(&b)) {
    return is_comparison(expr->op) ? clew_uppaal_lower_constraint(l, expr, &a, &b)
                                   : clew_uppaal_lower_linear(l, expr, &a, &b);
  }
  if ((expr->op == UPPAAL_OP_EQ || expr->op == UPPAAL_OP_NE) && (is_block(&a) || is_block(&b))) {
    struct uppaal_value same = clew_uppaal_lower_equal(l, &a, &b, expr->span);
    if (expr->op == UPPAAL_OP_NE && same.kind == UPPAAL_VALUE_EXPR) {
      same.expr = clew_uppaal_not(l, same.expr);
    }
    return same;
  }
  /* Scalars are compared with scalars of their set. */
  bool is_equality = expr->op == UPPAAL_OP_EQ || expr->op == UPPAAL_OP_NE;
  const struct uppaal_shape *scalar = a.type->kind == UPPAAL_SCALAR   ? a.type
                                      : b.type->kind == UPPAAL_SCALAR ? b.type
                                                                      : NULL;
  const struct uppaal_shape *type = is_equality && scalar != NULL ? scalar : &clew_uppaal_int;
  if (scalar != NULL && !is_equality) {
    bool first = a.type->kind == UPPAAL_SCALAR;
    (void)clew_uppaal_number_of(l, first ? &a : &b, first ? expr->a->span : expr->b->span);
    return wrong;
  }
  const struct clew_expr *x = clew_uppaal_single_of(l, &a, type, expr->a->span);
  const struct clew_expr *y = clew_uppaal_single_of(l, &b, type, expr->b->span);
  const struct clew_expr *result = clew_uppaal_binary(l, expr->op, x, y, expr->span);
  return is_comparison(expr->op) ? boolean(result) : number(result);
}

static struct uppaal_value lower_unary(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  if (expr->op == UPPAAL_OP_NOT) {
    l->polarity = -l->polarity;
    struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
    l->polarity = -l->polarity;
    if (value.kind == UPPAAL_VALUE_FORM) {
      return clew_uppaal_form_value(l, clew_uppaal_form_not(l, value.form, expr->span));
    }
    return boolean(clew_uppaal_not(l, clew_uppaal_number_of(l, &value, expr->a->span)));
  }
  if (expr->op == UPPAAL_OP_NEG && expr->a->kind == UPPAAL_EXPR_NUMBER) {
    return number(clew_uppaal_const(l, -expr->a->number)); /* which may be the least */
  }
  const struct clew_expr *a = clew_uppaal_lower_number(l, expr->a);
  if (expr->op == UPPAAL_OP_POS) {
    return number(a);
  }
  a = clew_expr_unary(l->program, CLEW_OP_NEG, a, CLEW_NONE);
  return number(clew_uppaal_fit(l, a, expr->span));
}

/* ---- Any expression ------------------------------------------------------------------------- */

static struct uppaal_value lower_rate(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  if (expr->a->kind == UPPAAL_EXPR_NAME && strcmp(expr->a->ref.name->id.text, "cost") == 0 &&
      clew_uppaal_find(l->scope, expr->a->ref.name) == NULL) {
    clew_uppaal_fail(l, expr->span, "the cost of a location is not supported");
    return wrong;
  }
  struct uppaal_value value = clew_uppaal_lower_value(l, expr->a);
  if (value.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (value.type->kind != UPPAAL_CLOCK || l->use != UPPAAL_USE_INVARIANT) {
    clew_uppaal_fail(l, expr->span, "only clocks have a rate, and only in invariants");
    return wrong;
  }
  value.kind = UPPAAL_VALUE_RATE;
  return value;
}

struct uppaal_value clew_uppaal_lower_value(struct uppaal_lowering *l,
                                            const struct uppaal_expr *expr) {
  switch (expr->kind) {
  case UPPAAL_EXPR_NUMBER:
    if (expr->number > INT32_MAX) {
      clew_uppaal_fail(l, expr->span, "this number is too large: the greatest is %d", INT32_MAX);
      return wrong;
    }
    return number(clew_uppaal_const(l, expr->number));
  case UPPAAL_EXPR_BOOLEAN:
    return boolean(clew_uppaal_const(l, expr->number));
  case UPPAAL_EXPR_DEADLOCK:
    if (l->use == UPPAAL_USE_QUERY && clew_uppaal_find(l->scope, expr->ref.name) == NULL) {
      clew_vec_push(&l->deadlocks, expr);
      if (l->time == UPPAAL_TIME_ZONES) {
        return clew_uppaal_form_value(l, clew_uppaal_form_deadlock(l));
      }
      return boolean(clew_uppaal_const(l, 0));
    }
    return lower_name(l, expr->ref);
  case UPPAAL_EXPR_NAME:
    return lower_name(l, expr->ref);
  case UPPAAL_EXPR_FIELD:
    return lower_field(l, expr);
  case UPPAAL_EXPR_INDEX:
    return lower_index(l, expr);
  case UPPAAL_EXPR_CALL:
    return clew_uppaal_lower_call(l, expr);
  case UPPAAL_EXPR_RATE:
    return lower_rate(l, expr);
  case UPPAAL_EXPR_UNARY:
    return lower_unary(l, expr);
  case UPPAAL_EXPR_BINARY:
    return lower_binary(l, expr);
  case UPPAAL_EXPR_COND:
    return clew_uppaal_lower_cond(l, expr);
  case UPPAAL_EXPR_ASSIGN:
    return clew_uppaal_lower_assign(l, expr);
  case UPPAAL_EXPR_STEP:
    return clew_uppaal_lower_step_op(l, expr);
  case UPPAAL_EXPR_QUANTIFY:
    return clew_uppaal_lower_quantified(l, expr);
  case UPPAAL_EXPR_LIST:
    break;
  }
  clew_uppaal_fail(l, expr->span, "a list can only initialise a variable or constant");
  return wrong;
}
