/* Assignments, and the cells of values. */
#include "lang/uppaal/lower.h"

#include <assert.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

/* ---- Cells of constants --------------------------------------------------------------------- */

static const struct clew_stmt *return_const(struct uppaal_lowering *l, int64_t value) {
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  stmt->value = clew_uppaal_const(l, value);
  return stmt;
}

/* A function from the number of a cell to its value. */
static const struct clew_function *lookup_new(struct uppaal_lowering *l, const int64_t *cells,
                                              uint32_t count) {
  int64_t lo = cells[0], hi = cells[0];
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    lo = cells[i] < lo ? cells[i] : lo;
    hi = cells[i] > hi ? cells[i] : hi;
    values[i] = i;
    cases[i] = (struct clew_case){
        .values = &values[i], .value_count = 1, .body = return_const(l, cells[i])};
  }
  struct clew_span nowhere = {0, 0};
  struct clew_function *function =
      clew_uppaal_function(l, "constant", clew_uppaal_range_type(l, lo, hi), nowhere);
  clew_frame_add(function->frame, "cell", clew_uppaal_range_type(l, 0, (int64_t)count - 1));
  function->value_count = 1;
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_uppaal_load(l, clew_place_frame(function->frame, 0));
  stmt->cases = cases;
  stmt->case_count = count;
  function->body = stmt;
  return function;
}

static const struct clew_function *lookup_of(struct uppaal_lowering *l, const int64_t *cells,
                                             uint32_t count) {
  for (uint32_t i = 0; i < l->lookups.len; i++) {
    if (l->lookups.data[i].cells == cells && l->lookups.data[i].count == count) {
      return l->lookups.data[i].function;
    }
  }
  struct uppaal_lookup lookup = {cells, count, lookup_new(l, cells, count)};
  clew_vec_push(&l->lookups, lookup);
  return lookup.function;
}

const struct clew_expr *clew_uppaal_cell_of(struct uppaal_lowering *l,
                                            const struct uppaal_value *value, uint32_t cell) {
  if (value->kind == UPPAAL_VALUE_PLACE) {
    return clew_uppaal_load(l, clew_uppaal_cell(value->place, cell));
  }
  if (value->kind != UPPAAL_VALUE_CONSTANT) {
    return value->expr != NULL ? value->expr : clew_uppaal_const(l, 0);
  }
  uint32_t at = value->offset + cell;
  assert(at < value->cell_count);
  if (value->moving == NULL) {
    return clew_uppaal_const(l, value->cells[at]);
  }
  const struct clew_expr *number =
      clew_expr_binary(l->program, CLEW_OP_ADD, value->moving, clew_uppaal_const(l, at), CLEW_NONE);
  struct clew_span nowhere = {0, 0};
  return clew_uppaal_call(l, lookup_of(l, value->cells, value->cell_count), &number, nowhere);
}

/* ---- Storing -------------------------------------------------------------------------------- */

static void note_write(struct uppaal_lowering *l, struct clew_place place) {
  struct uppaal_variant *variant = l->variant;
  if (variant == NULL || place.space == CLEW_SPACE_FRAME) {
    return;
  }
  bool in_state = place.space == CLEW_SPACE_STATE ||
                  variant->code->references[place.base].space == CLEW_SPACE_STATE;
  variant->writes_state = variant->writes_state || in_state;
  variant->writes_refs = variant->writes_refs || !in_state;
}

static void store_number(struct uppaal_lowering *l, struct clew_place place,
                         const struct uppaal_shape *type, const struct clew_expr *value,
                         struct clew_span span, struct clew_list *out) {
  uint32_t site = CLEW_NONE;
  if (type->kind == UPPAAL_BOOL) {
    value = clew_uppaal_truth(l, value);
  } else if (value->lo < type->lo || value->hi > type->hi) {
    site = clew_uppaal_site(
        l, CLEW_SITE_RANGE, span, "value of \"%s\" is out of its range %lld..%lld",
        clew_front_excerpt(l->front, span), (long long)type->lo, (long long)type->hi);
  }
  clew_list_add(out, clew_stmt_assign(l->program, place, value, site));
}

void clew_uppaal_store(struct uppaal_lowering *l, struct clew_place place,
                       const struct uppaal_shape *type, const struct uppaal_value *value,
                       struct clew_span span, struct clew_list *out) {
  if (value->kind == UPPAAL_VALUE_WRONG || type->kind == UPPAAL_WRONG) {
    return;
  }
  if (clew_uppaal_is_single(type)) {
    note_write(l, place);
    store_number(l, place, type, clew_uppaal_single_of(l, value, type, span), span, out);
    return;
  }
  if (!clew_uppaal_shape_matches(type, value->type) || clew_uppaal_contains(type, UPPAAL_CLOCK) ||
      (value->kind != UPPAAL_VALUE_PLACE && value->kind != UPPAAL_VALUE_CONSTANT)) {
    clew_uppaal_fail(l, span, "the value has another type than what it is assigned to");
    return;
  }
  note_write(l, place);
  if (value->kind == UPPAAL_VALUE_PLACE && clew_type_same_shape(place.type, value->place.type)) {
    struct clew_stmt *copy = clew_stmt_new(l->program, CLEW_STMT_COPY);
    copy->place = place;
    copy->place2 = value->place;
    clew_list_add(out, copy);
    return;
  }
  for (uint32_t i = 0; i < type->cells; i++) {
    store_number(l, clew_uppaal_cell(place, i), clew_uppaal_shape_cell(type, i),
                 clew_uppaal_cell_of(l, value, i), span, out);
  }
}

void clew_uppaal_store_cells(struct uppaal_lowering *l, struct clew_place place,
                             const struct uppaal_shape *type, const int64_t *cells,
                             struct clew_list *out) {
  for (uint32_t i = 0; i < type->cells; i++) {
    clew_list_add(out, clew_stmt_assign(l->program, clew_uppaal_cell(place, i),
                                        clew_uppaal_const(l, cells[i]), CLEW_NONE));
  }
}

struct clew_place clew_uppaal_materialise(struct uppaal_lowering *l,
                                          const struct uppaal_value *value, struct clew_span span,
                                          struct clew_list *out) {
  const struct clew_type *type = clew_uppaal_ir_type(l, value->type, 0);
  struct clew_place place =
      clew_uppaal_local(l, "whole", type != NULL ? type : clew_uppaal_range_type(l, 0, 0));
  if (type != NULL) {
    clew_uppaal_store(l, place, value->type, value, span, out);
  }
  return place;
}

/* ---- Assignments ---------------------------------------------------------------------------- */

/* Whether this can be assigned here; says so otherwise. */
static bool is_assignable(struct uppaal_lowering *l, const struct uppaal_value *to,
                          const struct uppaal_expr *expr) {
  if (to->kind == UPPAAL_VALUE_WRONG) {
    return false;
  }
  if (l->out == NULL) {
    bool is_plain = expr->kind == UPPAAL_EXPR_ASSIGN && expr->op == UPPAAL_OP_NONE;
    clew_uppaal_fail(l, expr->span, "nothing may be changed here%s",
                     is_plain ? ": equality is written '=='" : "");
    return false;
  }
  if (to->kind != UPPAAL_VALUE_PLACE || to->is_read_only) {
    clew_uppaal_fail(l, expr->a->span, "\"%s\" cannot be assigned",
                     clew_front_excerpt(l->front, expr->a->span));
    return false;
  }
  return true;
}

static struct uppaal_value assign_clock(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                        const struct uppaal_value *to,
                                        const struct uppaal_value *value) {
  if (expr->op != UPPAAL_OP_NONE) {
    clew_uppaal_fail(l, expr->span, "a clock can only be set, not changed by an operation");
    return wrong;
  }
  note_write(l, to->place);
  clew_uppaal_store_clock(l, to->place, clew_uppaal_number_of(l, value, expr->b->span), expr->span,
                          l->out);
  return *to;
}

struct uppaal_value clew_uppaal_lower_assign(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr) {
  struct uppaal_value to = clew_uppaal_lower_value(l, expr->a);
  if (!is_assignable(l, &to, expr)) {
    return wrong;
  }
  struct clew_list effects, *out = l->out;
  struct uppaal_value value = clew_uppaal_lower_later(l, expr->b, &effects);
  if (effects.first != NULL) {
    if (to.place.type != NULL) {
      to.place = clew_uppaal_hold_place(l, to.place, out);
    }
    clew_uppaal_append(out, &effects);
  }
  if (value.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  if (to.type->kind == UPPAAL_CLOCK) {
    return assign_clock(l, expr, &to, &value);
  }
  if (expr->op != UPPAAL_OP_NONE) {
    const struct clew_expr *old = clew_uppaal_number_of(l, &to, expr->a->span);
    if (!clew_uppaal_is_number(to.type)) {
      return wrong; /* which has been said */
    }
    const struct clew_expr *by = clew_uppaal_number_of(l, &value, expr->b->span);
    value = clew_uppaal_number_value(clew_uppaal_binary(l, expr->op, old, by, expr->span),
                                     &clew_uppaal_int);
  }
  clew_uppaal_store(l, to.place, to.type, &value, expr->a->span, out);
  return to;
}

struct uppaal_value clew_uppaal_lower_step_op(struct uppaal_lowering *l,
                                              const struct uppaal_expr *expr) {
  struct uppaal_value to = clew_uppaal_lower_value(l, expr->a);
  if (!is_assignable(l, &to, expr)) {
    return wrong;
  }
  const struct clew_expr *old = clew_uppaal_number_of(l, &to, expr->a->span);
  if (!clew_uppaal_is_number(to.type)) {
    return wrong; /* which has been said */
  }
  struct uppaal_value before = to;
  if (!expr->is_prefix) {
    old = clew_uppaal_hold(l, old, l->out);
    before = clew_uppaal_number_value(old, to.type);
  }
  struct uppaal_value after = clew_uppaal_number_value(
      clew_uppaal_binary(l, expr->op, old, clew_uppaal_const(l, 1), expr->span), &clew_uppaal_int);
  clew_uppaal_store(l, to.place, to.type, &after, expr->a->span, l->out);
  return expr->is_prefix ? to : before;
}
