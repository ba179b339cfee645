/* Small services of lowering. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "lang/uppaal/lower.h"

const char *clew_uppaal_keep(struct uppaal_lowering *l, const char *text) {
  return clew_arena_strndup(l->arena, text, strlen(text));
}

uint32_t clew_uppaal_site(struct uppaal_lowering *l, enum clew_site_kind kind,
                          struct clew_span span, const char *format, ...) {
  va_list args;
  va_start(args, format);
  uint32_t site = clew_front_vsite(l->front, l->program, kind, span, format, args);
  va_end(args);
  return site;
}

/* ---- Expressions ---------------------------------------------------------------------------- */

const struct clew_expr *clew_uppaal_const(struct uppaal_lowering *l, int64_t value) {
  return clew_expr_const(l->program, value);
}

const struct clew_expr *clew_uppaal_load(struct uppaal_lowering *l, struct clew_place place) {
  return clew_expr_load(l->program, place, CLEW_NONE);
}

const struct clew_expr *clew_uppaal_and(struct uppaal_lowering *l, const struct clew_expr *a,
                                        const struct clew_expr *b) {
  return a == NULL ? b : b == NULL ? a : clew_expr_binary(l->program, CLEW_OP_AND, a, b, CLEW_NONE);
}

const struct clew_expr *clew_uppaal_or(struct uppaal_lowering *l, const struct clew_expr *a,
                                       const struct clew_expr *b) {
  return a == NULL ? b : b == NULL ? a : clew_expr_binary(l->program, CLEW_OP_OR, a, b, CLEW_NONE);
}

const struct clew_expr *clew_uppaal_truth(struct uppaal_lowering *l, const struct clew_expr *a) {
  return a->lo >= 0 && a->hi <= 1
             ? a
             : clew_expr_binary(l->program, CLEW_OP_NE, a, clew_uppaal_const(l, 0), CLEW_NONE);
}

const struct clew_expr *clew_uppaal_not(struct uppaal_lowering *l, const struct clew_expr *a) {
  return clew_expr_unary(l->program, CLEW_OP_NOT, clew_uppaal_truth(l, a), CLEW_NONE);
}

const struct clew_expr *clew_uppaal_equals(struct uppaal_lowering *l, struct clew_place place,
                                           int64_t value) {
  return clew_expr_binary(l->program, CLEW_OP_EQ, clew_uppaal_load(l, place),
                          clew_uppaal_const(l, value), CLEW_NONE);
}

/* ---- Frames --------------------------------------------------------------------------------- */

struct clew_place clew_uppaal_local(struct uppaal_lowering *l, const char *name,
                                    const struct clew_type *type) {
  assert(l->frame != NULL);
  uint32_t index = clew_frame_add(l->frame, name, type);
  if (index == CLEW_NONE) {
    if (clew_front_ok(l->front)) {
      clew_front_error_whole(l->front, "one step needs too many variables: the limit is %d",
                             CLEW_MAX_CELLS);
    }
    /* The program is lost; a frame of its own keeps the rest of this phase in order. */
    l->frame = clew_program_add_frame(l->program);
    index = clew_frame_add(l->frame, name, type);
    assert(index != CLEW_NONE);
  }
  return clew_place_frame(l->frame, index);
}

const struct clew_expr *clew_uppaal_hold(struct uppaal_lowering *l, const struct clew_expr *value,
                                         struct clew_list *out) {
  if (value->kind == CLEW_EXPR_CONST) {
    return value;
  }
  struct clew_place place =
      clew_uppaal_local(l, "kept", clew_uppaal_range_type(l, value->lo, value->hi));
  clew_list_add(out, clew_stmt_assign(l->program, place, value, CLEW_NONE));
  return clew_uppaal_load(l, place);
}

struct clew_place clew_uppaal_hold_place(struct uppaal_lowering *l, struct clew_place place,
                                         struct clew_list *out) {
  if (place.index_count == 0) {
    return place;
  }
  struct clew_index *indices = CLEW_NEW_ARRAY(l->arena, struct clew_index, place.index_count);
  memcpy(indices, place.indices, place.index_count * sizeof *indices);
  for (uint32_t i = 0; i < place.index_count; i++) {
    indices[i].value = clew_uppaal_hold(l, indices[i].value, out);
  }
  place.indices = indices;
  return place;
}

struct clew_place clew_uppaal_cell(struct clew_place place, uint32_t cell) {
  assert(cell < place.type->cells);
  place.offset += cell;
  place.type = clew_type_cell(place.type, cell);
  return place;
}

void clew_uppaal_append(struct clew_list *list, const struct clew_list *more) {
  if (more->first == NULL) {
    return;
  }
  if (list->first == NULL) {
    *list = *more;
  } else {
    list->last->next = more->first;
    list->last = more->last;
  }
}

/* ---- Functions ------------------------------------------------------------------------------ */

struct clew_function *clew_uppaal_function(struct uppaal_lowering *l, const char *name,
                                           const struct clew_type *result, struct clew_span span) {
  struct clew_function *function = clew_program_add_function(l->program, name);
  function->frame = clew_program_add_frame(l->program);
  function->result = result;
  function->no_result_site = CLEW_NONE;
  if (result != NULL) {
    function->no_result_site =
        clew_uppaal_site(l, CLEW_SITE_RESULT, span, "'%s' ends without returning a value", name);
  }
  return function;
}

const struct clew_expr *clew_uppaal_call(struct uppaal_lowering *l,
                                         const struct clew_function *function,
                                         const struct clew_expr *const *values,
                                         struct clew_span span) {
  struct clew_call *call = CLEW_NEW(l->arena, struct clew_call);
  call->function = function;
  call->values = clew_arena_copy(l->arena, values, function->value_count, sizeof(void *));
  call->site = clew_uppaal_site(l, CLEW_SITE_RECURSION, span, "calls nested too deeply");
  return clew_expr_call(l->program, call);
}

/* The check is an assignment, and an expression can only assign inside of a function. */
const struct clew_expr *clew_uppaal_checked(struct uppaal_lowering *l,
                                            const struct clew_expr *value, int64_t lo, int64_t hi,
                                            uint32_t site) {
  if (value->lo >= lo && value->hi <= hi) {
    return value;
  }
  l->check_count++;
  struct clew_span nowhere = {0, 0};
  const struct clew_type *type = clew_uppaal_range_type(l, lo, hi);
  struct clew_function *function = clew_uppaal_function(l, "checked", type, nowhere);
  clew_frame_add(function->frame, "value", clew_uppaal_range_type(l, value->lo, value->hi));
  clew_frame_add(function->frame, "result", type);
  function->value_count = 1;
  struct clew_place passed = clew_place_frame(function->frame, 0),
                    result = clew_place_frame(function->frame, 1);
  struct clew_list body = {0};
  /* Under a fault the value is not looked at. 0 keeps the intervals of values.c small. */
  int64_t some = lo <= 0 && hi >= 0 ? 0 : lo;
  clew_list_add(&body, clew_stmt_assign(l->program, result, clew_uppaal_const(l, some), CLEW_NONE));
  clew_list_add(&body, clew_stmt_assign(l->program, result, clew_uppaal_load(l, passed), site));
  struct clew_stmt *end = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  end->value = clew_uppaal_load(l, result);
  clew_list_add(&body, end);
  function->body = body.first;
  return clew_uppaal_call(l, function, &value, nowhere);
}
