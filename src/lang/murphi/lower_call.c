/* Calls, and the bodies of procedures and functions.
 *
 * A procedure is lowered once for each way its references are passed: into the state or into a
 * frame, and (arrays and records passed by value) of which type the argument is. Simple parameters
 * are values; one that need not fit its parameter's range makes a variant that checks it on entry.
 *
 * An array or record passed by value is a reference, too, because only the callee knows whether
 * anything can change it meanwhile: if the callee writes what it did not create, it copies the
 * argument first. A function that returns an array or record, or a value that may be undefined,
 * gets a reference to a temporary of the caller, and returns 0. */
#include "lang/murphi/lower.h"

#include <assert.h>

enum { MOST_INSTANCES = 10000 };

static const struct clew_domain zero_domain = {.lo = 0, .hi = 0};

static bool is_value(const struct murphi_decl *param) {
  return !param->by_reference && clew_murphi_type_is_simple(param->type_expr->type);
}

bool clew_murphi_returns_block(const struct murphi_function *function) {
  return function->result != NULL &&
         (function->returns_undefined || !clew_murphi_type_is_simple(function->result));
}

/* ---- Variants ------------------------------------------------------------------------------- */

static enum clew_space space_of(const struct murphi_lowering *l, const struct clew_place *place) {
  if (place->space != CLEW_SPACE_REF) {
    return place->space;
  }
  assert(l->instance != NULL);
  return l->instance->code->references[place->base].space;
}

static bool same_way(const struct murphi_instance *instance, const struct murphi_passing *passing,
                     const bool *checked) {
  assert(instance->code != NULL);
  uint32_t i = 0;
  for (const struct murphi_decl *param = instance->function->params; param != NULL;
       param = param->next, i++) {
    if (is_value(param) ? instance->checked[i] != checked[i]
                        : instance->passing[i].space != passing[i].space ||
                              !clew_murphi_type_same(instance->passing[i].type, passing[i].type)) {
      return false;
    }
  }
  return true;
}

/* The parameters of the new variant: values become variables, the rest references. */
static void declare_params(struct murphi_lowering *l, struct murphi_instance *instance) {
  assert(instance->code->value_count == 0 && instance->code->reference_count == 0);
  struct clew_function *code = instance->code;
  const struct murphi_function *function = instance->function;
  struct clew_reference *references =
      CLEW_NEW_ARRAY(l->arena, struct clew_reference, function->param_count + 1);
  uint32_t i = 0;
  for (const struct murphi_decl *param = function->params; param != NULL;
       param = param->next, i++) {
    const char *name = clew_murphi_keep(l, param->name->id.text);
    if (is_value(param)) {
      const struct clew_type *type =
          instance->checked[i] ? l->anything : clew_murphi_lower_type(l, param->type_expr->type);
      uint32_t variable = clew_frame_add(code->frame, name, type);
      assert(variable == code->value_count);
      (void)variable;
      code->value_count++;
    } else {
      references[code->reference_count++] = (struct clew_reference){
          name, instance->passing[i].space, clew_murphi_lower_type(l, instance->passing[i].type)};
    }
  }
  if (clew_murphi_returns_block(function)) {
    references[code->reference_count++] = (struct clew_reference){
        "result", CLEW_SPACE_FRAME, clew_murphi_lower_type(l, function->result)};
  }
  code->references = references;
}

static struct murphi_instance *instance_new(struct murphi_lowering *l,
                                            struct murphi_function *function,
                                            struct murphi_passing *passing, bool *checked) {
  struct murphi_instance *instance = CLEW_NEW(l->m->front->arena, struct murphi_instance);
  instance->function = function;
  instance->passing = passing;
  instance->checked = checked;
  instance->next = function->instances;
  function->instances = instance;
  *l->to_do_end = instance;
  l->to_do_end = &instance->next_to_do;
  struct clew_function *code =
      clew_program_add_function(l->program, clew_murphi_keep(l, function->name->id.text));
  instance->code = code;
  declare_params(l, instance);
  if (function->result != NULL) {
    code->result = clew_murphi_returns_block(function)
                       ? clew_type_scalar(l->arena, &zero_domain, false)
                       : clew_murphi_lower_defined(l, function->result);
    code->no_result_site = clew_murphi_site(l, CLEW_SITE_RESULT, function->span,
                                            "the function \"%s\" ended without returning a value",
                                            function->name->id.text);
  }
  if (++l->instance_count == MOST_INSTANCES + 1) {
    clew_front_error(
        l->m->front, function->span,
        "too many procedures, each counted once for every way references are passed to it: "
        "the limit is %d",
        MOST_INSTANCES);
  }
  return instance;
}

static struct murphi_instance *find_instance(struct murphi_lowering *l,
                                             struct murphi_function *function,
                                             struct murphi_passing *passing, bool *checked) {
  for (struct murphi_instance *instance = function->instances; instance != NULL;
       instance = instance->next) {
    /* Beyond the limit the program is lost: any variant will do to come to an end. */
    if (same_way(instance, passing, checked) || l->instance_count > MOST_INSTANCES) {
      return instance;
    }
  }
  return instance_new(l, function, passing, checked);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

struct arguments {
  const struct clew_expr **values;
  struct clew_place *refs;
  uint32_t value_count, ref_count;
  struct murphi_passing *passing;
  bool *checked;
};

static void lower_value(struct murphi_lowering *l, struct arguments *args, uint32_t number,
                        struct murphi_expr *arg, const struct murphi_type *type) {
  const struct clew_expr *value = clew_murphi_lower_raw(l, arg);
  if (arg->kind != MURPHI_EXPR_UNDEFINED) {
    bool fits = value->lo >= type->lo && value->hi <= type->hi;
    bool in_hole = clew_murphi_type_has_holes(type) && !clew_murphi_type_within(arg->type, type);
    args->checked[number] = !fits || in_hole;
  }
  args->values[args->value_count++] = value;
}

/* An undefined array or record by value: a temporary that nothing is ever written to. */
static void lower_ref(struct murphi_lowering *l, struct arguments *args, uint32_t number,
                      struct murphi_expr *arg, const struct murphi_decl *param) {
  struct clew_place place;
  const struct murphi_type *type = param->type_expr->type;
  if (arg->kind == MURPHI_EXPR_UNDEFINED) {
    place = clew_murphi_local(l, "undefined", clew_murphi_lower_type(l, type));
  } else {
    struct murphi_spot spot = clew_murphi_lower_place(l, arg);
    clew_murphi_require(l, spot.presence);
    place = spot.place;
    type = arg->type;
  }
  args->passing[number] = (struct murphi_passing){space_of(l, &place), type};
  args->refs[args->ref_count++] = place;
}

const struct clew_call *clew_murphi_lower_call(struct murphi_lowering *l, struct murphi_expr *expr,
                                               const struct clew_place *result) {
  struct murphi_function *function = expr->callee;
  uint32_t count = function->param_count;
  assert(expr->arg_count == count && (result != NULL) == clew_murphi_returns_block(function));
  struct arguments args = {
      .values = CLEW_NEW_ARRAY(l->arena, const struct clew_expr *, count),
      .refs = CLEW_NEW_ARRAY(l->arena, struct clew_place, count + 1),
      .passing = CLEW_NEW_ARRAY(l->m->front->arena, struct murphi_passing, count),
      .checked = CLEW_NEW_ARRAY(l->m->front->arena, bool, count),
  };
  uint32_t i = 0;
  for (const struct murphi_decl *param = function->params; param != NULL;
       param = param->next, i++) {
    if (is_value(param)) {
      lower_value(l, &args, i, expr->args[i], param->type_expr->type);
    } else {
      lower_ref(l, &args, i, expr->args[i], param);
    }
  }
  if (result != NULL) {
    args.refs[args.ref_count++] = *result;
  }
  struct clew_call *call = CLEW_NEW(l->arena, struct clew_call);
  call->function = find_instance(l, function, args.passing, args.checked)->code;
  call->values = args.values;
  call->refs = args.refs;
  call->site =
      clew_murphi_site(l, CLEW_SITE_RECURSION, expr->span,
                       "\"%s\" is called too deeply: the limit is %d calls within each other or "
                       "%d MB of local variables",
                       function->name->id.text, CLEW_MAX_CALL_DEPTH, CLEW_MAX_FRAME_MB);
  return call;
}

struct clew_place clew_murphi_lower_aggregate_call(struct murphi_lowering *l,
                                                   struct murphi_expr *expr) {
  assert(clew_murphi_returns_block(expr->callee));
  struct clew_place result =
      clew_murphi_local(l, "result", clew_murphi_lower_type(l, expr->callee->result));
  const struct clew_call *call = clew_murphi_lower_call(l, expr, &result);
  clew_murphi_prepare(l, clew_murphi_scratch(l), clew_expr_call(l->program, call), CLEW_NONE);
  return result;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

static void bind_value(struct murphi_lowering *l, struct murphi_decl *param, uint32_t variable,
                       bool checked, struct clew_list *list) {
  assert(is_value(param));
  struct clew_place passed = clew_place_frame(l->instance->code->frame, variable);
  const struct murphi_type *type = param->type_expr->type;
  param->symbol->place = passed;
  if (checked) {
    param->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, param->name->id.text),
                                             clew_murphi_lower_type(l, type));
    const char *what =
        clew_arena_printf(l->m->front->arena, "the argument of \"%s\" for \"%s\"",
                          l->instance->function->name->id.text, param->name->id.text);
    clew_murphi_assign_simple(l, list, param->symbol->place, type,
                              clew_expr_load_raw(l->program, passed), &l->m->integer_type,
                              param->span, what);
  }
}

static void bind_ref(struct murphi_lowering *l, struct murphi_decl *param, uint32_t reference,
                     const struct murphi_passing *passing, struct clew_list *list) {
  assert(!is_value(param));
  struct clew_place passed = clew_place_ref(l->instance->code, reference);
  const struct murphi_type *type = param->type_expr->type;
  bool copy = !param->by_reference &&
              (l->instance->function->writes_refs || !clew_murphi_type_same(type, passing->type));
  param->symbol->place = passed;
  if (copy) {
    param->symbol->place = clew_murphi_local(l, clew_murphi_keep(l, param->name->id.text),
                                             clew_murphi_lower_type(l, type));
    const char *what =
        clew_arena_printf(l->m->front->arena, "the argument of \"%s\" for \"%s\"",
                          l->instance->function->name->id.text, param->name->id.text);
    clew_murphi_assign_block(l, list, param->symbol->place, type, passed, passing->type,
                             param->span, what);
  }
}

static void lower_body(struct murphi_lowering *l, struct murphi_instance *instance) {
  assert(instance->code->body == NULL);
  struct murphi_function *function = instance->function;
  struct clew_list list = {0};
  clew_murphi_enter(l, instance->code->frame, instance);
  uint32_t number = 0, variable = 0, reference = 0;
  for (struct murphi_decl *param = function->params; param != NULL; param = param->next, number++) {
    param->symbol->presence = NULL;
    if (is_value(param)) {
      bind_value(l, param, variable++, instance->checked[number], &list);
    } else {
      bind_ref(l, param, reference++, &instance->passing[number], &list);
    }
  }
  clew_murphi_lower_locals(l, function->decls, &list);
  clew_murphi_lower_stmts(l, function->body, &list);
  instance->code->body = list.first;
}

void clew_murphi_lower_functions(struct murphi_lowering *l) {
  /* Bodies call further variants, which go to the end of the list. */
  for (struct murphi_instance *instance = l->to_do; instance != NULL;
       instance = instance->next_to_do) {
    lower_body(l, instance);
  }
  clew_murphi_enter(l, NULL, NULL);
}
