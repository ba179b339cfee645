/* Inference of types (Hindley and Milner), with generic functions of let and fun, overloaded
 * operators, and records that are known by some of their fields.
 *
 * Names are resolved on the way: each NAME learns where its value comes from. A text may be checked
 * twice against different types; what the last check resolved counts. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/ml.h"

/* Names of let, fun, fn and patterns that are in sight. */
struct scope {
  const struct cpn_name *name;
  const struct cpn_type *type; /* perhaps generic */
  const struct scope *next;
};

struct inference {
  struct cpn_reader *reader;
  struct cpn_ml *ml;
  uint32_t level, depth;
  bool sees_variables;
  CLEW_VEC(struct cpn_type *) conditions; /* variables that carry one */
};

static struct cpn_type *infer(struct inference *in, struct cpn_expr *expr,
                              const struct scope *scope);

static struct cpn_type *fresh(struct inference *in) {
  return cpn_type_var(in->ml, in->level);
}

static void complain_types(struct inference *in, const struct cpn_expr *at, const char *what,
                           struct cpn_type *found, const struct cpn_type *wanted) {
  if (in->reader->failed) {
    return;
  }
  struct clew_text a = {0}, b = {0};
  cpn_type_print(found, &a);
  cpn_type_print(wanted, &b);
  cpn_fail(in->reader, at->offset, at->length, "%s has type %s, not %s", what, clew_text_str(&a),
           clew_text_str(&b));
  clew_text_free(&a);
  clew_text_free(&b);
}

static bool demand(struct inference *in, const struct cpn_expr *at, const char *what,
                   struct cpn_type *found, struct cpn_type *wanted) {
  if (in->reader->failed || found == NULL || wanted == NULL) {
    return false;
  }
  /* Messages show the types as they are before a failure makes parts of them equal. */
  struct clew_text a = {0}, b = {0};
  cpn_type_print(found, &a);
  cpn_type_print(wanted, &b);
  bool same = cpn_unify(in->ml, found, wanted);
  if (!same) {
    cpn_fail(in->reader, at->offset, at->length, "%s has type %s, not %s", what, clew_text_str(&a),
             clew_text_str(&b));
  }
  clew_text_free(&a);
  clew_text_free(&b);
  return same;
}

static const struct scope *extend(struct inference *in, const struct cpn_name *name,
                                  const struct cpn_type *type, const struct scope *scope) {
  struct scope *inner = CLEW_NEW(in->ml->arena, struct scope);
  *inner = (struct scope){name, type, scope};
  return inner;
}

/* ---- names ---- */

/* The operator may be of several types: int, if nothing says otherwise. */
static void note_conditions(struct inference *in, struct cpn_type *type, uint32_t depth) {
  type = cpn_resolve(type);
  if (type->kind == CPN_T_VAR) {
    if (type->over != 0 || type->fields != NULL) {
      clew_vec_push(&in->conditions, type);
    }
    return;
  }
  for (uint32_t i = 0; i < type->count && depth < 8; i++) {
    note_conditions(in, type->parts[i], depth + 1);
  }
}

static struct cpn_type *infer_global(struct inference *in, struct cpn_expr *expr) {
  const struct cpn_global *global = expr->name->global;
  if (global == NULL) {
    cpn_fail(in->reader, expr->offset, expr->length, "'%s' is not declared", expr->name->base.text);
    return NULL;
  }
  if (global->broken != NULL) {
    cpn_fail(in->reader, expr->offset, expr->length, "'%s' cannot be used here: %s",
             expr->name->base.text, global->broken);
    return NULL;
  }
  expr->scope = CPN_GLOBAL;
  expr->global = global;
  struct cpn_type *type = cpn_instantiate(in->ml, global->type, in->level);
  note_conditions(in, type, 0);
  return type;
}

static struct cpn_type *infer_name(struct inference *in, struct cpn_expr *expr,
                                   const struct scope *scope) {
  for (; scope != NULL; scope = scope->next) {
    if (scope->name == expr->name) {
      expr->scope = CPN_LOCAL;
      return cpn_instantiate(in->ml, scope->type, in->level);
    }
  }
  if (in->sees_variables && expr->name->variable != 0) {
    expr->scope = CPN_VARIABLE;
    expr->variable = expr->name->variable - 1;
    return (struct cpn_type *)in->ml->variable_types[expr->variable];
  }
  if (in->ml->find_mark != NULL && strncmp(expr->name->base.text, "Mark.", 5) == 0) {
    const struct cpn_type *type =
        in->ml->find_mark(in->ml->net, expr->name->base.text + 5, &expr->variable);
    if (type != NULL) {
      expr->scope = CPN_MARK;
      return cpn_type_arrow(in->ml, in->ml->int_type, cpn_type_list(in->ml, type));
    }
    cpn_fail(in->reader, expr->offset, expr->length, "the net has no place '%s'",
             expr->name->base.text + 5);
    return NULL;
  }
  return infer_global(in, expr);
}

/* ---- patterns ---- */

static bool is_constructor(const struct cpn_name *name) {
  return name->global != NULL && name->global->con != NULL;
}

/* The type of a pattern; *scope gets its names. */
static struct cpn_type *infer_pattern(struct inference *in, struct cpn_expr *pattern,
                                      const struct scope **scope);

static struct cpn_type *infer_parts_of_pattern(struct inference *in, struct cpn_expr *pattern,
                                               const struct scope **scope) {
  struct cpn_type **types = CLEW_NEW_ARRAY(in->ml->arena, struct cpn_type *, pattern->count + 1);
  for (uint32_t i = 0; i < pattern->count; i++) {
    types[i] = infer_pattern(in, pattern->parts[i], scope);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  if (pattern->kind == CPN_TUPLE) {
    return cpn_type_tuple(in->ml, types, pattern->count);
  }
  if (pattern->kind == CPN_LIST) {
    struct cpn_type *element = fresh(in);
    for (uint32_t i = 0; i < pattern->count; i++) {
      if (!demand(in, pattern->parts[i], "this element", types[i], element)) {
        return NULL;
      }
    }
    return cpn_type_list(in->ml, element);
  }
  if (!pattern->is_flexible) {
    return cpn_type_record(in->ml, pattern->labels, types, pattern->count);
  }
  struct cpn_type *record = fresh(in);
  for (uint32_t i = 0; i < pattern->count; i++) {
    struct cpn_field *field = CLEW_NEW(in->ml->arena, struct cpn_field);
    *field = (struct cpn_field){pattern->labels[i], types[i], record->fields};
    record->fields = field;
  }
  clew_vec_push(&in->conditions, record);
  return record;
}

static struct cpn_type *infer_constructed(struct inference *in, struct cpn_expr *pattern,
                                          const struct scope **scope) {
  struct cpn_expr *name = pattern->parts[0];
  if (name->kind != CPN_NAME || !is_constructor(name->name)) {
    cpn_fail(in->reader, pattern->offset, pattern->length,
             "only constructors take part in patterns");
    return NULL;
  }
  struct cpn_type *con = infer_global(in, name);
  struct cpn_type *arg = infer_pattern(in, pattern->parts[1], scope);
  if (con == NULL || arg == NULL) {
    return NULL;
  }
  struct cpn_type *result = fresh(in);
  return demand(in, name, "this constructor", con, cpn_type_arrow(in->ml, arg, result)) ? result
                                                                                        : NULL;
}

static struct cpn_type *infer_typed(struct inference *in, struct cpn_expr *expr,
                                    struct cpn_type *inner) {
  struct cpn_type *type = inner != NULL ? cpn_read_type(in->reader, expr->type, NULL, 0) : NULL;
  return type != NULL && demand(in, expr->parts[0], "this", inner, type) ? type : NULL;
}

static struct cpn_type *infer_pattern(struct inference *in, struct cpn_expr *pattern,
                                      const struct scope **scope) {
  if (in->reader->failed || pattern == NULL) {
    return NULL;
  }
  switch (pattern->kind) {
  case CPN_WILD:
    return fresh(in);
  case CPN_INT:
    return in->ml->int_type;
  case CPN_REAL:
    return in->ml->real_type;
  case CPN_STRING:
    return in->ml->string_type;
  case CPN_CHAR:
    return in->ml->char_type;
  case CPN_NAME:
    if (is_constructor(pattern->name)) {
      return infer_global(in, pattern);
    }
    pattern->scope = CPN_LOCAL;
    *scope = extend(in, pattern->name, fresh(in), *scope);
    return (struct cpn_type *)(*scope)->type;
  case CPN_TUPLE:
  case CPN_LIST:
  case CPN_RECORD:
    return infer_parts_of_pattern(in, pattern, scope);
  case CPN_APPLY:
    return infer_constructed(in, pattern, scope);
  case CPN_TYPED:
    return infer_typed(in, pattern, infer_pattern(in, pattern->parts[0], scope));
  case CPN_AS: {
    struct cpn_type *type = infer_pattern(in, pattern->parts[0], scope);
    if (type != NULL) {
      *scope = extend(in, pattern->name, type, *scope);
    }
    return type;
  }
  default:
    cpn_fail(in->reader, pattern->offset, pattern->length, "this is no pattern");
    return NULL;
  }
}

/* ---- clauses and declarations ---- */

/* The type of a function with these clauses. */
static struct cpn_type *infer_clauses(struct inference *in, const struct cpn_clauses *clauses,
                                      const struct scope *scope) {
  struct cpn_type *result = fresh(in), *args[4];
  assert(clauses->arity <= 4);
  for (uint32_t a = 0; a < clauses->arity; a++) {
    args[a] = fresh(in);
  }
  for (uint32_t c = 0; c < clauses->count; c++) {
    const struct scope *inner = scope;
    for (uint32_t a = 0; a < clauses->arity; a++) {
      struct cpn_expr *pattern = clauses->list[c].patterns[a];
      if (!demand(in, pattern, "this pattern", infer_pattern(in, pattern, &inner), args[a])) {
        return NULL;
      }
    }
    struct cpn_expr *body = clauses->list[c].body;
    if (!demand(in, body, "this", infer(in, body, inner), result)) {
      return NULL;
    }
  }
  struct cpn_type *type = result;
  for (uint32_t a = clauses->arity; a-- > 0;) {
    type = cpn_type_arrow(in->ml, args[a], type);
  }
  return type;
}

static const struct scope *infer_funs(struct inference *in, struct cpn_dec *dec,
                                      const struct scope *scope) {
  const struct scope *inner = scope;
  in->level++;
  for (struct cpn_fun *fun = dec->funs; fun != NULL; fun = fun->next) {
    inner = extend(in, fun->name, fresh(in), inner);
  }
  for (struct cpn_fun *fun = dec->funs; fun != NULL; fun = fun->next) {
    struct cpn_expr at = {.offset = fun->offset, .length = fun->length};
    const struct scope *own = inner;
    while (own->name != fun->name) {
      own = own->next;
    }
    struct cpn_type *type = infer_clauses(in, &fun->clauses, inner);
    if (!demand(in, &at, "this function", type, (struct cpn_type *)own->type)) {
      break;
    }
  }
  in->level--;
  if (in->reader->failed) {
    return scope;
  }
  const struct scope *outer = scope;
  for (const struct scope *s = inner; s != scope; s = s->next) {
    outer =
        extend(in, s->name, cpn_generalise(in->ml, (struct cpn_type *)s->type, in->level), outer);
  }
  return outer;
}

static const struct scope *infer_val(struct inference *in, struct cpn_dec *dec,
                                     const struct scope *scope) {
  const struct scope *names = NULL;
  in->level++;
  struct cpn_type *pattern = infer_pattern(in, dec->pattern, &names);
  const struct scope *inner = scope;
  for (const struct scope *s = names; dec->is_recursive && s != NULL; s = s->next) {
    inner = extend(in, s->name, s->type, inner);
  }
  struct cpn_type *body = infer(in, dec->body, inner);
  in->level--;
  if (!demand(in, dec->body != NULL ? dec->body : dec->pattern, "this", body, pattern)) {
    return scope;
  }
  for (const struct scope *s = names; s != NULL; s = s->next) {
    scope =
        extend(in, s->name, cpn_generalise(in->ml, (struct cpn_type *)s->type, in->level), scope);
  }
  return scope;
}

static void declare_constructors(struct inference *in, struct cpn_dec *dec) {
  struct cpn_ml *ml = in->ml;
  struct cpn_type *result = ml->exn_type;
  if (dec->kind == CPN_DATATYPE) {
    struct cpn_tycon *con = CLEW_NEW(ml->arena, struct cpn_tycon);
    *con = (struct cpn_tycon){.name = dec->name->base.text};
    if (dec->type_var_count > 0) {
      cpn_fail(in->reader, dec->offset, dec->length, "datatypes with parameters are not supported");
      return;
    }
    result = cpn_type_con(ml, con, NULL);
    dec->name->type = result;
  }
  static atomic_uint exceptions; /* each is another one */
  uint32_t ordinal = 0;
  for (struct cpn_constructor *c = dec->constructors; c != NULL && !in->reader->failed;
       c = c->next) {
    struct cpn_type *arg = c->arg != NULL ? cpn_read_type(in->reader, c->arg, NULL, 0) : NULL;
    if (c->arg != NULL && arg == NULL) {
      return;
    }
    ordinal = dec->kind == CPN_EXCEPTION ? atomic_fetch_add(&exceptions, 1) + 100 : ordinal;
    c->con = cpn_add_con(ml, c->name, result, arg, ordinal++);
  }
}

static void declare_type(struct inference *in, struct cpn_dec *dec) {
  struct cpn_ml *ml = in->ml;
  struct cpn_type *body = cpn_read_type(in->reader, dec->type, dec->type_vars, dec->type_var_count);
  if (body == NULL) {
    return;
  }
  if (dec->type_var_count == 0) {
    dec->name->type = body;
  } else {
    struct cpn_type_fn *fn = CLEW_NEW(ml->arena, struct cpn_type_fn);
    *fn = (struct cpn_type_fn){.arity = dec->type_var_count, .body = body};
    dec->name->type_fn = fn;
  }
}

static const struct scope *infer_decs(struct inference *in, struct cpn_dec *decs,
                                      const struct scope *scope) {
  for (struct cpn_dec *dec = decs; dec != NULL && !in->reader->failed; dec = dec->next) {
    switch (dec->kind) {
    case CPN_VAL:
      scope = infer_val(in, dec, scope);
      break;
    case CPN_FUN:
      scope = infer_funs(in, dec, scope);
      break;
    case CPN_LOCAL_DEC:
      scope = infer_decs(in, dec->outer, infer_decs(in, dec->inner, scope));
      break;
    case CPN_EXCEPTION:
    case CPN_DATATYPE:
      declare_constructors(in, dec);
      break;
    case CPN_TYPE:
      declare_type(in, dec);
      break;
    }
  }
  return scope;
}

/* ---- expressions ---- */

static struct cpn_type *infer_apply(struct inference *in, struct cpn_expr *expr,
                                    const struct scope *scope) {
  struct cpn_type *fn = infer(in, expr->parts[0], scope);
  struct cpn_type *arg = infer(in, expr->parts[1], scope);
  if (fn == NULL || arg == NULL) {
    return NULL;
  }
  fn = cpn_resolve(fn);
  if (fn->kind == CPN_T_ARROW) {
    const char *what = expr->is_infix ? "what the operator is applied to" : "the argument";
    return demand(in, expr->parts[1], what, arg, fn->parts[0]) ? fn->parts[1] : NULL;
  }
  struct cpn_type *result = fresh(in);
  return demand(in, expr->parts[0], "this", fn, cpn_type_arrow(in->ml, arg, result)) ? result
                                                                                     : NULL;
}

static struct cpn_type *infer_parts(struct inference *in, struct cpn_expr *expr,
                                    const struct scope *scope) {
  struct cpn_type **types = CLEW_NEW_ARRAY(in->ml->arena, struct cpn_type *, expr->count + 1);
  for (uint32_t i = 0; i < expr->count; i++) {
    types[i] = infer(in, expr->parts[i], scope);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  switch (expr->kind) {
  case CPN_TUPLE:
    return cpn_type_tuple(in->ml, types, expr->count);
  case CPN_RECORD:
    return cpn_type_record(in->ml, expr->labels, types, expr->count);
  case CPN_SEQUENCE:
    return types[expr->count - 1];
  default: {
    struct cpn_type *element = fresh(in);
    for (uint32_t i = 0; i < expr->count; i++) {
      if (!demand(in, expr->parts[i], "this element", types[i], element)) {
        return NULL;
      }
    }
    return cpn_type_list(in->ml, element);
  }
  }
}

static struct cpn_type *infer_if(struct inference *in, struct cpn_expr *expr,
                                 const struct scope *scope) {
  struct cpn_type *condition = infer(in, expr->parts[0], scope);
  if (!demand(in, expr->parts[0], "the condition", condition, in->ml->bool_type)) {
    return NULL;
  }
  struct cpn_type *yes = infer(in, expr->parts[1], scope), *no = infer(in, expr->parts[2], scope);
  return demand(in, expr->parts[2], "the branch after else", no, yes) ? yes : NULL;
}

static struct cpn_type *infer_junction(struct inference *in, struct cpn_expr *expr,
                                       const struct scope *scope) {
  for (uint32_t i = 0; i < 2; i++) {
    struct cpn_type *type = infer(in, expr->parts[i], scope);
    if (!demand(in, expr->parts[i], "this", type, in->ml->bool_type)) {
      return NULL;
    }
  }
  return in->ml->bool_type;
}

static struct cpn_type *infer_by_clauses(struct inference *in, struct cpn_expr *expr,
                                         const struct scope *scope) {
  if (expr->kind == CPN_FN) {
    return infer_clauses(in, &expr->clauses, scope);
  }
  struct cpn_type *subject = infer(in, expr->parts[0], scope);
  struct cpn_type *fn = infer_clauses(in, &expr->clauses, scope);
  if (subject == NULL || fn == NULL) {
    return NULL;
  }
  if (expr->kind == CPN_CASE) {
    return demand(in, expr->parts[0], "this", subject, fn->parts[0]) ? fn->parts[1] : NULL;
  }
  bool fine = demand(in, expr, "what is handled", fn->parts[0], in->ml->exn_type) &&
              demand(in, expr, "the handler", fn->parts[1], subject);
  return fine ? subject : NULL;
}

static struct cpn_type *infer_selector(struct inference *in, struct cpn_expr *expr) {
  struct cpn_type *record = fresh(in), *result = fresh(in);
  record->fields = CLEW_NEW(in->ml->arena, struct cpn_field);
  *record->fields = (struct cpn_field){expr->name, result, NULL};
  clew_vec_push(&in->conditions, record);
  return cpn_type_arrow(in->ml, record, result);
}

static struct cpn_type *infer_kind(struct inference *in, struct cpn_expr *expr,
                                   const struct scope *scope) {
  switch (expr->kind) {
  case CPN_INT:
    return in->ml->int_type;
  case CPN_REAL:
    return in->ml->real_type;
  case CPN_STRING:
    return in->ml->string_type;
  case CPN_CHAR:
    return in->ml->char_type;
  case CPN_NAME:
    return infer_name(in, expr, scope);
  case CPN_TUPLE:
  case CPN_RECORD:
  case CPN_LIST:
  case CPN_SEQUENCE:
    return infer_parts(in, expr, scope);
  case CPN_FIELD:
    return infer_selector(in, expr);
  case CPN_APPLY:
    return infer_apply(in, expr, scope);
  case CPN_IF:
    return infer_if(in, expr, scope);
  case CPN_AND:
  case CPN_OR:
    return infer_junction(in, expr, scope);
  case CPN_CASE:
  case CPN_FN:
  case CPN_HANDLE:
    return infer_by_clauses(in, expr, scope);
  case CPN_LET:
    return infer(in, expr->parts[0], infer_decs(in, expr->decs, scope));
  case CPN_RAISE:
    return demand(in, expr->parts[0], "this", infer(in, expr->parts[0], scope), in->ml->exn_type)
               ? fresh(in)
               : NULL;
  case CPN_TYPED:
    return infer_typed(in, expr, infer(in, expr->parts[0], scope));
  case CPN_WILD:
  case CPN_AS:
    break;
  }
  cpn_fail(in->reader, expr->offset, expr->length, "this is no expression");
  return NULL;
}

static struct cpn_type *infer(struct inference *in, struct cpn_expr *expr,
                              const struct scope *scope) {
  if (in->reader->failed || expr == NULL) {
    return NULL;
  }
  if (++in->depth > 4 * CPN_MOST_NESTING) {
    cpn_fail(in->reader, expr->offset, expr->length, "this is nested too deeply");
    return NULL;
  }
  struct cpn_type *type = infer_kind(in, expr, scope);
  in->depth--;
  return in->reader->failed ? NULL : type;
}

/* ---- conditions, and the ways in ---- */

/* Operators of unknown numbers are of int; records must be known. */
static void settle(struct inference *in, const struct cpn_expr *at) {
  for (uint32_t i = 0; i < in->conditions.len && !in->reader->failed; i++) {
    struct cpn_type *type = cpn_resolve(in->conditions.data[i]);
    if (type->kind == CPN_T_VAR && type->over != 0) {
      (void)cpn_unify(in->ml, type, in->ml->int_type);
    }
  }
  for (uint32_t i = 0; i < in->conditions.len && !in->reader->failed; i++) {
    struct cpn_type *type = cpn_resolve(in->conditions.data[i]);
    if (type->kind == CPN_T_VAR && type->fields != NULL) {
      cpn_fail(in->reader, at->offset, at->length,
               "it is not known which record has the field '%s': a type is missing",
               type->fields->label->base.text);
    }
  }
  clew_vec_free(&in->conditions);
}

bool cpn_check(struct cpn_reader *reader, struct cpn_expr *expr, const struct cpn_type *wanted,
               bool sees_variables) {
  struct inference in = {.reader = reader, .ml = reader->ml, .sees_variables = sees_variables};
  struct cpn_type *type = infer(&in, expr, NULL);
  if (type != NULL) {
    struct cpn_type *copy = cpn_instantiate(in.ml, wanted, 0);
    if (!cpn_unify(in.ml, type, copy)) {
      complain_types(&in, expr, "this", type, wanted);
    }
  }
  settle(&in, expr);
  return !reader->failed;
}

/* ---- declarations of the net ---- */

static void collect_names(const struct cpn_dec *decs, struct cpn_name **names, uint32_t *count,
                          uint32_t most);

static void collect_pattern(const struct cpn_expr *pattern, struct cpn_name **names,
                            uint32_t *count, uint32_t most) {
  if (pattern == NULL) {
    return;
  }
  bool is_name = pattern->kind == CPN_NAME && !is_constructor(pattern->name);
  if ((is_name || pattern->kind == CPN_AS) && *count < most) {
    names[(*count)++] = pattern->name;
  }
  for (uint32_t i = pattern->kind == CPN_APPLY ? 1 : 0; i < pattern->count; i++) {
    collect_pattern(pattern->parts[i], names, count, most);
  }
}

static void collect_names(const struct cpn_dec *decs, struct cpn_name **names, uint32_t *count,
                          uint32_t most) {
  for (; decs != NULL; decs = decs->next) {
    if (decs->kind == CPN_VAL) {
      collect_pattern(decs->pattern, names, count, most);
    } else if (decs->kind == CPN_LOCAL_DEC) {
      collect_names(decs->outer, names, count, most);
    }
    for (const struct cpn_fun *fun = decs->funs; fun != NULL && *count < most; fun = fun->next) {
      names[(*count)++] = fun->name;
    }
  }
}

static void break_names(struct cpn_ml *ml, struct cpn_dec *dec, const char *why) {
  struct cpn_name *names[64];
  uint32_t count = 0;
  struct cpn_dec *next = dec->next;
  dec->next = NULL;
  collect_names(dec, names, &count, 64);
  dec->next = next;
  for (uint32_t i = 0; i < count; i++) {
    struct cpn_global *global = cpn_add_global(ml, names[i], ml->unit_type, NULL);
    global->broken = why;
  }
}

/* Evaluates a declaration whose types are known; false: why it cannot be. */
static bool evaluate(struct cpn_ml *ml, struct cpn_dec *dec, const atomic_bool *stop,
                     const struct cpn_env **env, const char **why) {
  struct cpn_ctx ctx = {.ml = ml, .arena = ml->arena, .stop = stop};
  ctx.limit_bytes = clew_arena_bytes(ml->arena) + CPN_MOST_BYTES;
  *env = cpn_eval_decs(&ctx, dec, NULL);
  if (ctx.failure == CPN_FINE) {
    return true;
  }
  struct clew_text text = {0};
  if (ctx.failure == CPN_RAISED) {
    clew_text_put(&text, "its evaluation raises ");
    cpn_exception_print(ctx.exception, &text);
  } else {
    clew_text_put(&text, ctx.failure == CPN_STOPPED ? "its evaluation was stopped"
                         : ctx.failure == CPN_DEEP  ? "its calls nest too deeply"
                                                    : "its evaluation needs too much memory");
  }
  *why = clew_arena_strndup(ml->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  return false;
}

static void declare_one(struct cpn_reader *reader, struct cpn_dec *dec, const atomic_bool *stop) {
  struct cpn_ml *ml = reader->ml;
  struct inference in = {.reader = reader, .ml = ml};
  struct cpn_expr at = {.offset = dec->offset, .length = dec->length};
  const struct scope *scope = infer_decs(&in, dec, NULL);
  settle(&in, &at);
  const struct cpn_env *env = NULL;
  const char *why = reader->first;
  if (reader->failed || !evaluate(ml, dec, stop, &env, &why)) {
    break_names(ml, dec, why != NULL ? why : "it is wrong");
    return;
  }
  struct cpn_name *names[64];
  uint32_t count = 0;
  collect_names(dec, names, &count, 64);
  for (uint32_t i = 0; i < count; i++) {
    const struct scope *s = scope;
    const struct cpn_env *e = env;
    while (s != NULL && s->name != names[i]) {
      s = s->next;
    }
    while (e != NULL && e->name != names[i]) {
      e = e->next;
    }
    if (s != NULL && e != NULL) {
      (void)cpn_add_global(ml, names[i], cpn_generalise(ml, (struct cpn_type *)s->type, 0),
                           e->value);
    }
  }
}

void cpn_declare(struct cpn_reader *reader, struct cpn_dec *decs, const atomic_bool *stop) {
  for (struct cpn_dec *dec = decs; dec != NULL; dec = dec->next) {
    struct cpn_dec *next = dec->next;
    struct cpn_reader one = *reader;
    one.failed = false;
    one.first = NULL;
    one.is_quiet = true;
    dec->next = NULL;
    declare_one(&one, dec, stop);
    dec->next = next;
  }
}
