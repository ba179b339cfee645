/* Calls, and the bodies of functions.
 *
 * A function is lowered once for each way in which its arguments are passed. Numbers are values of
 * the IR; one that need not fit its parameter is checked on entry. A reference to a place of the
 * state that is known while lowering becomes part of the variant; others are references of the IR.
 * Arrays and structs by value are references, too, or constants; the function copies them first. A
 * function that returns a struct gets a reference to a temporary of its caller.
 *
 * There is no recursion in the language: a variant is complete when its call is lowered, and then
 * it is known whether it changes anything. */
#include "lang/uppaal/lower.h"

#include <assert.h>
#include <string.h>

enum { MOST_VARIANTS = 10000 };

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

static bool is_block(const struct uppaal_shape *type) {
  return type->kind == UPPAAL_ARRAY || type->kind == UPPAAL_STRUCT;
}

static enum clew_space space_of(const struct uppaal_lowering *l, struct clew_place place) {
  return place.space == CLEW_SPACE_REF ? l->variant->code->references[place.base].space
                                       : place.space;
}

/* ---- Variants ------------------------------------------------------------------------------- */

static bool same_passing(const struct uppaal_passing *a, const struct uppaal_passing *b) {
  if (a->kind != b->kind || a->is_checked != b->is_checked || a->is_read_only != b->is_read_only) {
    return false;
  }
  switch (a->kind) {
  case UPPAAL_PASS_VALUE:
    return true;
  case UPPAAL_PASS_CONSTANT:
    return a->cells == b->cells && a->type == b->type;
  case UPPAAL_PASS_STATIC:
    return a->type == b->type && a->place.base + a->place.offset == b->place.base + b->place.offset;
  case UPPAAL_PASS_REF:
    return a->type == b->type && a->space == b->space;
  }
  return false;
}

static uint32_t count_params(const struct uppaal_decl *params) {
  uint32_t count = 0;
  for (; params != NULL; params = params->next) {
    count++;
  }
  return count;
}

/* The parameters of the IR. */
static void declare_code(struct uppaal_lowering *l, struct uppaal_variant *variant) {
  struct clew_function *code = variant->code;
  uint32_t count = count_params(variant->symbol->decl->params);
  struct clew_reference *references = CLEW_NEW_ARRAY(l->arena, struct clew_reference, count + 1);
  static const struct clew_domain every = {.lo = INT64_MIN + 1, .hi = INT64_MAX};
  const struct uppaal_decl *param = variant->symbol->decl->params;
  for (uint32_t i = 0; i < count; i++, param = param->next) {
    const struct uppaal_passing *passing = &variant->passing[i];
    const char *name = clew_uppaal_keep(l, param->name.name->id.text);
    if (passing->kind == UPPAAL_PASS_VALUE) {
      clew_frame_add(code->frame, name,
                     passing->is_checked ? clew_type_scalar(l->arena, &every, false)
                                         : clew_uppaal_ir_type(l, passing->type, 0));
      code->value_count++;
    } else if (passing->kind == UPPAAL_PASS_REF) {
      references[code->reference_count++] =
          (struct clew_reference){name, passing->space, passing->place.type};
    }
  }
  if (is_block(variant->result)) {
    references[code->reference_count++] = (struct clew_reference){
        "result", CLEW_SPACE_FRAME, clew_uppaal_ir_type(l, variant->result, 0)};
  }
  code->references = references;
}

/* A variable of the function with a copy of what was passed. */
static void copy_param(struct uppaal_lowering *l, struct uppaal_symbol *symbol,
                       const struct uppaal_shape *type, const struct uppaal_value *value,
                       struct clew_span span) {
  struct clew_place place = clew_uppaal_local(l, clew_uppaal_keep(l, symbol->ref.name->id.text),
                                              clew_uppaal_ir_type(l, type, 0));
  if (clew_uppaal_is_single(type)) {
    int64_t some = type->lo <= 0 && type->hi >= 0 ? 0 : type->lo;
    clew_list_add(l->out,
                  clew_stmt_assign(l->program, place, clew_uppaal_const(l, some), CLEW_NONE));
  }
  clew_uppaal_store(l, place, type, value, span, l->out);
  symbol->kind = UPPAAL_SYMBOL_VARIABLE;
  symbol->type = type;
  symbol->place = place;
}

static void bind_param(struct uppaal_lowering *l, const struct uppaal_decl *param,
                       const struct uppaal_passing *passing, uint32_t *value, uint32_t *ref) {
  const struct clew_function *code = l->variant->code;
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, param->name, UPPAAL_SYMBOL_VARIABLE);
  const struct uppaal_shape *type =
      param->is_reference ? passing->type : clew_uppaal_shape_of(l, param);
  struct uppaal_value passed = {
      .kind = UPPAAL_VALUE_PLACE, .type = passing->type, .place = passing->place};
  symbol->type = type;
  switch (passing->kind) {
  case UPPAAL_PASS_VALUE:
    passed.place = clew_place_frame(code->frame, (*value)++);
    if (!passing->is_checked) {
      symbol->place = passed.place;
    } else {
      copy_param(l, symbol, type, &passed, param->name.span);
    }
    break;
  case UPPAAL_PASS_CONSTANT:
    passed = (struct uppaal_value){.kind = UPPAAL_VALUE_CONSTANT,
                                   .type = passing->type,
                                   .cells = passing->cells,
                                   .cell_count = passing->type->cells};
    symbol->kind = UPPAAL_SYMBOL_CONSTANT;
    symbol->cells = passing->cells;
    break;
  case UPPAAL_PASS_REF:
    passed.place = clew_place_ref(code, (*ref)++);
    symbol->place = passed.place;
    break;
  case UPPAAL_PASS_STATIC:
    symbol->place = passed.place;
    break;
  }
  if (!param->is_reference && passing->kind != UPPAAL_PASS_VALUE && !param->type->is_const) {
    copy_param(l, symbol, type, &passed, param->name.span);
  }
  symbol->is_read_only = param->type->is_const || (param->is_reference && passing->is_read_only);
}

static void lower_body(struct uppaal_lowering *l, struct uppaal_variant *variant) {
  struct uppaal_lowering saved = *l;
  struct clew_list body = {0};
  l->scope = clew_uppaal_scope_new(l, variant->symbol->scope);
  l->frame = variant->code->frame;
  l->out = &body;
  l->variant = variant;
  l->use = UPPAAL_USE_CODE;
  l->polarity = 0;
  l->in_query = false;
  uint32_t i = 0, value = 0, ref = 0;
  for (const struct uppaal_decl *param = variant->symbol->decl->params; param != NULL;
       param = param->next) {
    bind_param(l, param, &variant->passing[i++], &value, &ref);
  }
  clew_uppaal_lower_stmt(l, variant->symbol->decl->body);
  variant->code->body = body.first;
  l->scope = saved.scope;
  l->frame = saved.frame;
  l->out = saved.out;
  l->variant = saved.variant;
  l->use = saved.use;
  l->polarity = saved.polarity;
  l->in_query = saved.in_query;
}

static struct uppaal_variant *variant_new(struct uppaal_lowering *l, struct uppaal_symbol *symbol,
                                          struct uppaal_passing *passing) {
  struct uppaal_variant *variant = CLEW_NEW(l->front->arena, struct uppaal_variant);
  variant->symbol = symbol;
  variant->passing = passing;
  variant->result = symbol->type;
  variant->next = symbol->variants;
  symbol->variants = variant;
  const char *name = clew_uppaal_keep(l, symbol->ref.name->id.text);
  const struct clew_type *result =
      clew_uppaal_is_single(symbol->type) ? clew_uppaal_ir_type(l, symbol->type, 0) : NULL;
  variant->code = clew_uppaal_function(l, name, result, symbol->ref.span);
  declare_code(l, variant);
  symbol->is_busy = true;
  lower_body(l, variant);
  symbol->is_busy = false;
  return variant;
}

static struct uppaal_variant *find_variant(struct uppaal_lowering *l, struct uppaal_symbol *symbol,
                                           struct uppaal_passing *passing, uint32_t count) {
  for (struct uppaal_variant *each = symbol->variants; each != NULL; each = each->next) {
    uint32_t i = 0;
    while (i < count && same_passing(&each->passing[i], &passing[i])) {
      i++;
    }
    if (i == count) {
      return each;
    }
  }
  if (++l->variant_count > MOST_VARIANTS) {
    clew_uppaal_fail(l, symbol->ref.span,
                     "too many functions, each counted once for every way in which arguments are "
                     "passed to it: the limit is %d",
                     MOST_VARIANTS);
    return NULL;
  }
  return variant_new(l, symbol, passing);
}

/* ---- Arguments ------------------------------------------------------------------------------ */

struct arguments {
  uint32_t count, value_count, ref_count;
  struct uppaal_passing *passing;
  const struct clew_expr **values;
  struct clew_place *refs;
};

/* Those so far keep their values before the effects of the next one. */
static void keep_arguments(struct uppaal_lowering *l, struct arguments *args,
                           const struct clew_list *effects) {
  if (effects->first == NULL) {
    return;
  }
  for (uint32_t i = 0; i < args->value_count; i++) {
    args->values[i] = clew_uppaal_hold(l, args->values[i], l->out);
  }
  for (uint32_t i = 0; i < args->ref_count; i++) {
    args->refs[i] = clew_uppaal_hold_place(l, args->refs[i], l->out);
  }
  clew_uppaal_append(l->out, effects);
}

static void pass_number(struct uppaal_lowering *l, struct arguments *args,
                        struct uppaal_passing *passing, const struct uppaal_shape *type,
                        const struct clew_expr *value) {
  if (type->kind == UPPAAL_BOOL) {
    value = clew_uppaal_truth(l, value);
  }
  passing->kind = UPPAAL_PASS_VALUE;
  passing->type = type;
  passing->is_checked = value->lo < type->lo || value->hi > type->hi;
  args->values[args->value_count++] = value;
}

/* Something that is not a number by value. */
static bool pass_place(struct uppaal_lowering *l, struct arguments *args,
                       struct uppaal_passing *passing, const struct uppaal_value *value,
                       const struct uppaal_expr *arg) {
  struct clew_place place = value->place;
  passing->type = value->type;
  passing->is_read_only = value->is_read_only;
  if (value->kind == UPPAAL_VALUE_CONSTANT && value->moving == NULL) {
    passing->kind = UPPAAL_PASS_CONSTANT;
    passing->cells = value->cells + value->offset;
    return true;
  }
  if (value->kind == UPPAAL_VALUE_CONSTANT && l->out != NULL) {
    place = clew_uppaal_materialise(l, value, arg->span, l->out);
  } else if (value->kind != UPPAAL_VALUE_PLACE) {
    clew_uppaal_fail(l, arg->span, "this argument cannot be passed here");
    return false;
  }
  passing->place = place;
  if (place.type == NULL || (place.space == CLEW_SPACE_STATE && place.index_count == 0)) {
    passing->kind = UPPAAL_PASS_STATIC;
    return true;
  }
  if (clew_uppaal_contains(value->type, UPPAAL_CLOCK)) {
    if (place.space != CLEW_SPACE_STATE || l->out == NULL) {
      clew_uppaal_fail(l, arg->span,
                       "a clock that is passed by reference must be known here: its index is not "
                       "constant");
      return false;
    }
    /* Which one it is decides which variant is called (call_chosen). */
    passing->kind = UPPAAL_PASS_STATIC;
    passing->place = clew_uppaal_hold_place(l, place, l->out);
    return true;
  }
  passing->kind = UPPAAL_PASS_REF;
  passing->space = space_of(l, place);
  args->refs[args->ref_count++] = place;
  return true;
}

static bool pass(struct uppaal_lowering *l, struct arguments *args, uint32_t number,
                 const struct uppaal_symbol *symbol, const struct uppaal_decl *param,
                 const struct uppaal_expr *arg) {
  struct clew_list effects;
  struct uppaal_value value = clew_uppaal_lower_later(l, arg, &effects);
  keep_arguments(l, args, &effects);
  if (value.kind == UPPAAL_VALUE_WRONG) {
    return false;
  }
  struct uppaal_scope *scope = l->scope;
  l->scope = symbol->scope; /* where the types of parameters are known */
  const struct uppaal_shape *type = clew_uppaal_shape_of(l, param);
  l->scope = scope;
  if (type->kind == UPPAAL_WRONG) {
    return false;
  }
  struct uppaal_passing *passing = &args->passing[number];
  if (!param->is_reference && clew_uppaal_is_single(type)) {
    pass_number(l, args, passing, type, clew_uppaal_single_of(l, &value, type, arg->span));
    return true;
  }
  if (!clew_uppaal_shape_matches(type, value.type)) {
    clew_uppaal_fail(l, arg->span, "this argument has another type than the parameter '%s'",
                     param->name.name->id.text);
    return false;
  }
  bool may_change = param->is_reference && !param->type->is_const;
  if (may_change && (value.kind != UPPAAL_VALUE_PLACE || value.is_read_only)) {
    clew_uppaal_fail(l, arg->span, "the parameter '%s' is a reference to something that can change",
                     param->name.name->id.text);
    return false;
  }
  if (value.kind == UPPAAL_VALUE_EXPR) { /* a number for a constant reference */
    pass_number(l, args, passing, type, value.expr);
    return true;
  }
  return pass_place(l, args, passing, &value, arg);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void note_effects(struct uppaal_lowering *l, const struct uppaal_variant *callee,
                         const struct arguments *args) {
  struct uppaal_variant *caller = l->variant;
  if (caller == NULL) {
    return;
  }
  caller->writes_state = caller->writes_state || callee->writes_state;
  for (uint32_t i = 0; i < args->ref_count && callee->writes_refs; i++) {
    caller->writes_refs = caller->writes_refs || args->refs[i].space == CLEW_SPACE_REF;
  }
}

static struct uppaal_value finish_call(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                       const struct uppaal_variant *variant,
                                       struct arguments *args) {
  bool writes = variant->writes_state || variant->writes_refs;
  struct uppaal_value value = {.kind = UPPAAL_VALUE_VOID, .type = variant->result};
  if (l->out == NULL && (writes || !clew_uppaal_is_single(variant->result))) {
    clew_uppaal_fail(l, expr->span,
                     writes ? "nothing may be changed here, but '%s' does"
                            : "'%s' returns no number, and cannot be called here",
                     variant->symbol->ref.name->id.text);
    return wrong;
  }
  struct clew_call *call = CLEW_NEW(l->arena, struct clew_call);
  call->function = variant->code;
  call->values = args->values;
  call->site = clew_uppaal_site(l, CLEW_SITE_RECURSION, expr->span, "calls nested too deeply");
  if (is_block(variant->result)) {
    const struct clew_type *type = clew_uppaal_ir_type(l, variant->result, 0);
    value.kind = UPPAAL_VALUE_PLACE;
    value.place = clew_uppaal_local(l, "result", type);
    value.is_read_only = true;
    args->refs[args->ref_count++] = value.place;
  }
  call->refs = args->refs;
  note_effects(l, variant, args);
  if (clew_uppaal_is_single(variant->result)) {
    value = clew_uppaal_number_value(clew_expr_call(l->program, call), variant->result);
    if (writes) {
      value.expr = clew_uppaal_hold(l, value.expr, l->out);
    }
    return value;
  }
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_CALL);
  stmt->call = call;
  clew_list_add(l->out, stmt);
  return value;
}

/* ---- Clocks that are chosen by an index ----------------------------------------------------- */

static struct uppaal_value call_chosen(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                       struct uppaal_symbol *symbol, const struct arguments *args);

/* The first argument that is a clock with an index; count: none. */
static uint32_t find_chosen(const struct arguments *args) {
  uint32_t i = 0;
  while (i < args->count &&
         !(args->passing[i].kind == UPPAAL_PASS_STATIC && args->passing[i].place.index_count > 0)) {
    i++;
  }
  return i;
}

static struct arguments copy_arguments(struct uppaal_lowering *l, const struct arguments *args) {
  struct arguments copy = *args;
  copy.passing =
      clew_arena_copy(l->front->arena, args->passing, args->count, sizeof *args->passing);
  copy.values = clew_arena_copy(l->arena, args->values, args->count + 1, sizeof *args->values);
  copy.refs = clew_arena_copy(l->arena, args->refs, args->count + 2, sizeof *args->refs);
  return copy;
}

/* The call with the last index of the chosen clock at its value number `offset`. */
static struct uppaal_value call_with(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                     struct uppaal_symbol *symbol, const struct arguments *args,
                                     uint32_t number, uint32_t offset) {
  struct arguments one = copy_arguments(l, args);
  struct clew_place *place = &one.passing[number].place;
  place->index_count--;
  place->offset += offset * place->indices[place->index_count].stride;
  return call_chosen(l, expr, symbol, &one);
}

/* One call for each value of the index, of which one is executed. */
static struct uppaal_value call_one_of(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                       struct uppaal_symbol *symbol, const struct arguments *args,
                                       uint32_t number) {
  const struct clew_place *place = &args->passing[number].place;
  const struct clew_index *index = &place->indices[place->index_count - 1];
  struct clew_list *out = l->out;
  struct uppaal_value result = {.kind = UPPAAL_VALUE_VOID, .type = symbol->type};
  if (index->count > MOST_VARIANTS ||
      (symbol->type->kind != UPPAAL_VOID && !clew_uppaal_is_single(symbol->type))) {
    clew_uppaal_fail(l, expr->span,
                     "a clock whose index is not constant cannot be passed by reference here");
    return wrong;
  }
  if (symbol->type->kind != UPPAAL_VOID) {
    result.kind = UPPAAL_VALUE_PLACE;
    result.place = clew_uppaal_local(l, "result", clew_uppaal_ir_type(l, symbol->type, 0));
    result.is_read_only = true;
    clew_list_add(out, clew_stmt_assign(l->program, result.place,
                                        clew_uppaal_const(l, symbol->type->lo), CLEW_NONE));
  }
  const struct clew_expr *chosen =
      clew_uppaal_hold(l,
                       clew_uppaal_checked(l, index->value, index->lo,
                                           index->lo + (int64_t)index->count - 1, index->site),
                       out);
  for (uint32_t k = 0; k < index->count && clew_front_ok(l->front); k++) {
    struct clew_list body = {0};
    l->out = &body;
    struct uppaal_value value = call_with(l, expr, symbol, args, number, k);
    if (result.kind == UPPAAL_VALUE_PLACE && value.kind != UPPAAL_VALUE_WRONG) {
      clew_uppaal_store(l, result.place, symbol->type, &value, expr->span, &body);
    }
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = clew_expr_binary(l->program, CLEW_OP_EQ, chosen,
                                     clew_uppaal_const(l, index->lo + k), CLEW_NONE);
    branch->body = body.first;
    clew_list_add(out, branch);
  }
  l->out = out;
  return result;
}

static struct uppaal_value call_chosen(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                       struct uppaal_symbol *symbol, const struct arguments *args) {
  uint32_t number = find_chosen(args);
  if (number < args->count) {
    return call_one_of(l, expr, symbol, args, number);
  }
  struct arguments own = *args;
  const struct uppaal_variant *variant = find_variant(l, symbol, own.passing, own.count);
  return variant == NULL ? wrong : finish_call(l, expr, variant, &own);
}

/* abs(x): the only function of the library that works on integers. */
static struct uppaal_value lower_abs(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  const struct clew_expr *value = clew_uppaal_lower_number(l, expr->args[0]);
  const struct clew_expr *zero = clew_uppaal_const(l, 0);
  const struct clew_expr *negative = clew_uppaal_binary(l, UPPAAL_OP_SUB, zero, value, expr->span);
  return clew_uppaal_number_value(
      clew_expr_cond(l->program, clew_uppaal_binary(l, UPPAAL_OP_LT, value, zero, expr->span),
                     negative, value),
      &clew_uppaal_int);
}

static struct uppaal_symbol *callee_of(struct uppaal_lowering *l, const struct uppaal_expr *expr) {
  if (expr->a->kind != UPPAAL_EXPR_NAME) {
    clew_uppaal_fail(l, expr->span, "only functions can be called");
    return NULL;
  }
  struct uppaal_symbol *symbol = clew_uppaal_resolve(l, expr->a->ref, "function");
  if (symbol == NULL) {
    return NULL;
  }
  const char *name = symbol->ref.name->id.text;
  if (symbol->kind != UPPAAL_SYMBOL_FUNCTION) {
    clew_uppaal_fail(l, expr->span, "'%s' is no function", name);
    return NULL;
  }
  if (symbol->is_busy) {
    clew_uppaal_fail(l, expr->span, "'%s' calls itself: recursion is not supported", name);
    return NULL;
  }
  uint32_t want = count_params(symbol->decl->params);
  if (expr->arg_count != want) {
    clew_uppaal_fail(l, expr->span, "'%s' has %u parameter%s, not %u", name, want,
                     want == 1 ? "" : "s", expr->arg_count);
    return NULL;
  }
  return symbol->type->kind == UPPAAL_WRONG ? NULL : symbol;
}

struct uppaal_value clew_uppaal_lower_call(struct uppaal_lowering *l,
                                           const struct uppaal_expr *expr) {
  const struct uppaal_expr *name = expr->a;
  if (name->kind == UPPAAL_EXPR_NAME && clew_uppaal_find(l->scope, name->ref.name) == NULL &&
      strcmp(name->ref.name->id.text, "abs") == 0 && expr->arg_count == 1) {
    return lower_abs(l, expr);
  }
  struct uppaal_symbol *symbol = callee_of(l, expr);
  if (symbol == NULL) {
    return wrong;
  }
  struct arguments args = {
      .count = expr->arg_count,
      .passing = CLEW_NEW_ARRAY(l->front->arena, struct uppaal_passing, expr->arg_count + 1),
      .values = CLEW_NEW_ARRAY(l->arena, const struct clew_expr *, expr->arg_count + 1),
      .refs = CLEW_NEW_ARRAY(l->arena, struct clew_place, expr->arg_count + 2)};
  const struct uppaal_decl *param = symbol->decl->params;
  for (uint32_t i = 0; i < args.count; i++, param = param->next) {
    if (!pass(l, &args, i, symbol, param, expr->args[i])) {
      return wrong;
    }
  }
  return call_chosen(l, expr, symbol, &args);
}

/* ---- Returns -------------------------------------------------------------------------------- */

void clew_uppaal_lower_return(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  assert(l->variant != NULL);
  const struct uppaal_shape *type = l->variant->result;
  struct clew_stmt *end = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  if ((stmt->values.count == 1) != (type->kind != UPPAAL_VOID) || stmt->values.count > 1) {
    clew_uppaal_fail(l, stmt->span,
                     stmt->values.count == 0 ? "this function has to return a value"
                                             : "this function returns no value, or more than one");
    return;
  }
  if (stmt->values.count == 1) {
    const struct uppaal_expr *expr = stmt->values.data[0];
    struct uppaal_value value = clew_uppaal_lower_value(l, expr);
    if (value.kind == UPPAAL_VALUE_WRONG) {
      return;
    }
    if (is_block(type)) {
      const struct clew_function *code = l->variant->code;
      struct clew_place result = clew_place_ref(code, code->reference_count - 1);
      bool writes_refs = l->variant->writes_refs;
      clew_uppaal_store(l, result, type, &value, expr->span, l->out);
      l->variant->writes_refs = writes_refs; /* the temporary is nobody's variable */
    } else {
      const struct clew_expr *number = clew_uppaal_single_of(l, &value, type, expr->span);
      number = type->kind == UPPAAL_BOOL ? clew_uppaal_truth(l, number) : number;
      uint32_t site = clew_uppaal_site(
          l, CLEW_SITE_RANGE, expr->span, "value returned by '%s' is out of its range %lld..%lld",
          l->variant->symbol->ref.name->id.text, (long long)type->lo, (long long)type->hi);
      end->value = clew_uppaal_checked(l, number, type->lo, type->hi, site);
    }
  }
  clew_list_add(l->out, end);
}
