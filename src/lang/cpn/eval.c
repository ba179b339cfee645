/* Evaluation of CPN ML, by walking trees that inference has approved.
 *
 * What is last in a function does not nest: a loop by recursion runs in constant space. Everything
 * else nests at most CPN_MOST_CALLS deep. The stop flag ends an evaluation wherever it is. */
#include <assert.h>
#include <string.h>

#include "lang/cpn/ml.h"

const struct cpn_value *cpn_raise(struct cpn_ctx *ctx, const char *exception) {
  struct cpn_name *name = cpn_name((struct cpn_ml *)ctx->ml, exception, strlen(exception));
  assert(name->global != NULL && name->global->con != NULL);
  ctx->failure = CPN_RAISED;
  ctx->exception = cpn_value_con(ctx->arena, name->global->con, NULL);
  return NULL;
}

void cpn_exception_print(const struct cpn_value *exception, struct clew_text *out) {
  cpn_value_print(exception, out);
}

static const struct cpn_env *bind(struct cpn_ctx *ctx, const struct cpn_name *name,
                                  const struct cpn_value *value, const struct cpn_env *env) {
  struct cpn_env *inner = CLEW_NEW(ctx->arena, struct cpn_env);
  *inner = (struct cpn_env){name, value, env};
  return inner;
}

bool cpn_goes_on(struct cpn_ctx *ctx) {
  if (ctx->failure != CPN_FINE) {
    return false;
  }
  bool is_late = ctx->most_ticks != 0 && ctx->ticks > ctx->most_ticks;
  if (is_late || (ctx->stop != NULL && atomic_load_explicit(ctx->stop, memory_order_relaxed))) {
    ctx->failure = CPN_STOPPED;
  } else if (clew_arena_bytes(ctx->arena) > ctx->limit_bytes) {
    ctx->failure = CPN_HUGE;
  }
  return ctx->failure == CPN_FINE;
}

/* The same for a step of the evaluation, which is a small one. */
static bool may_go_on(struct cpn_ctx *ctx) {
  return (++ctx->ticks & 255) == 0 ? cpn_goes_on(ctx) : ctx->failure == CPN_FINE;
}

/* ---- patterns ---- */

static const struct cpn_value *field(const struct cpn_value *value, const struct cpn_name *label) {
  if (value->kind == CPN_V_TUPLE) {
    uint32_t number = 0;
    for (const char *c = label->base.text; *c >= '0' && *c <= '9'; c++) {
      number = number * 10 + (uint32_t)(*c - '0');
    }
    return number >= 1 && number <= value->count ? value->parts[number - 1] : NULL;
  }
  for (uint32_t i = 0; i < value->count; i++) {
    if (value->labels[i] == label) {
      return value->parts[i];
    }
  }
  return NULL;
}

static bool match_list(struct cpn_ctx *ctx, const struct cpn_expr *pattern,
                       const struct cpn_value *value, const struct cpn_env **env) {
  for (uint32_t i = 0; i < pattern->count; i++, value = value->tail) {
    if (value->kind != CPN_V_CONS || !cpn_match(ctx, pattern->parts[i], value->head, env)) {
      return false;
    }
  }
  return value->kind == CPN_V_NIL;
}

static bool match_constructed(struct cpn_ctx *ctx, const struct cpn_expr *pattern,
                              const struct cpn_value *value, const struct cpn_env **env) {
  const struct cpn_expr *name = pattern->parts[0], *arg = pattern->parts[1];
  if (name->name == ctx->ml->cons_name) {
    return value->kind == CPN_V_CONS && cpn_match(ctx, arg->parts[0], value->head, env) &&
           cpn_match(ctx, arg->parts[1], value->tail, env);
  }
  return value->kind == CPN_V_CON && value->con == name->global->con && value->arg != NULL &&
         cpn_match(ctx, arg, value->arg, env);
}

bool cpn_match(struct cpn_ctx *ctx, const struct cpn_expr *pattern, const struct cpn_value *value,
               const struct cpn_env **env) {
  switch (pattern->kind) {
  case CPN_WILD:
    return true;
  case CPN_INT:
  case CPN_REAL:
  case CPN_STRING:
  case CPN_CHAR:
    return cpn_value_compare(pattern->constant, value) == 0;
  case CPN_NAME:
    if (pattern->scope == CPN_GLOBAL) {
      return cpn_value_compare(pattern->global->value, value) == 0;
    }
    *env = bind(ctx, pattern->name, value, *env);
    return true;
  case CPN_TUPLE:
    for (uint32_t i = 0; i < pattern->count; i++) {
      if (!cpn_match(ctx, pattern->parts[i], value->parts[i], env)) {
        return false;
      }
    }
    return true;
  case CPN_RECORD:
    for (uint32_t i = 0; i < pattern->count; i++) {
      const struct cpn_value *part = field(value, pattern->labels[i]);
      if (part == NULL || !cpn_match(ctx, pattern->parts[i], part, env)) {
        return false;
      }
    }
    return true;
  case CPN_LIST:
    return match_list(ctx, pattern, value, env);
  case CPN_APPLY:
    return match_constructed(ctx, pattern, value, env);
  case CPN_TYPED:
    return cpn_match(ctx, pattern->parts[0], value, env);
  case CPN_AS:
    *env = bind(ctx, pattern->name, value, *env);
    return cpn_match(ctx, pattern->parts[0], value, env);
  default:
    return false;
  }
}

/* The clause whose patterns match; NULL: none does. */
static const struct cpn_clause *choose(struct cpn_ctx *ctx, const struct cpn_clauses *clauses,
                                       const struct cpn_value *const *args,
                                       const struct cpn_env **env) {
  const struct cpn_env *outer = *env;
  for (uint32_t c = 0; c < clauses->count; c++) {
    bool matches = true;
    *env = outer;
    for (uint32_t a = 0; a < clauses->arity && matches; a++) {
      matches = cpn_match(ctx, clauses->list[c].patterns[a], args[a], env);
    }
    if (matches) {
      return &clauses->list[c];
    }
  }
  return NULL;
}

/* ---- functions ---- */

static const struct cpn_value *new_fn(struct cpn_ctx *ctx, const struct cpn_fn *fn) {
  struct cpn_value *value = CLEW_NEW(ctx->arena, struct cpn_value);
  value->kind = CPN_V_FN;
  value->fn = clew_arena_copy(ctx->arena, fn, 1, sizeof *fn);
  return value;
}

static const struct cpn_value *construct(struct cpn_ctx *ctx, const struct cpn_con *con,
                                         const struct cpn_value *arg) {
  if (con->is_index && (arg->number < con->lo || arg->number > con->hi)) {
    return cpn_raise(ctx, "Domain");
  }
  return cpn_value_con(ctx->arena, con, arg);
}

/* One more argument. The body that is to be evaluated next, in *env, or NULL with the *result. */
static const struct cpn_expr *enter(struct cpn_ctx *ctx, const struct cpn_value *value,
                                    const struct cpn_value *arg, const struct cpn_env **env,
                                    const struct cpn_value **result) {
  const struct cpn_fn *fn = value->fn;
  *result = NULL;
  if (fn->con != NULL) {
    *result = construct(ctx, fn->con, arg);
    return NULL;
  }
  const struct cpn_value *args[4];
  memcpy(args, fn->args, sizeof args);
  args[fn->given] = arg;
  if (fn->given + 1 < fn->arity) {
    struct cpn_fn more = *fn;
    more.args[more.given++] = arg;
    *result = new_fn(ctx, &more);
    return NULL;
  }
  if (fn->builtin != NULL) {
    /* Each may make what it is given twice as large, so each is asked before. */
    *result = cpn_goes_on(ctx) ? fn->builtin(ctx, args, fn->data) : NULL;
    *result = ctx->failure == CPN_FINE ? *result : NULL;
    return NULL;
  }
  *env = fn->env;
  const struct cpn_clause *clause = choose(ctx, fn->clauses, args, env);
  if (clause == NULL) {
    cpn_raise(ctx, "Match");
    return NULL;
  }
  return clause->body;
}

const struct cpn_value *cpn_apply(struct cpn_ctx *ctx, const struct cpn_value *fn,
                                  const struct cpn_value *arg) {
  const struct cpn_env *env = NULL;
  const struct cpn_value *result;
  const struct cpn_expr *body = enter(ctx, fn, arg, &env, &result);
  return body != NULL ? cpn_eval(ctx, body, env) : result;
}

/* ---- declarations ---- */

static const struct cpn_env *eval_funs(struct cpn_ctx *ctx, const struct cpn_dec *dec,
                                       const struct cpn_env *env) {
  const struct cpn_env *outer = env;
  for (const struct cpn_fun *fun = dec->funs; fun != NULL; fun = fun->next) {
    env = bind(ctx, fun->name, NULL, env);
  }
  /* All of them see each other: their environment is the one with all names. */
  for (const struct cpn_fun *fun = dec->funs; fun != NULL; fun = fun->next) {
    struct cpn_fn fn = {.clauses = &fun->clauses, .env = env, .arity = fun->clauses.arity};
    for (const struct cpn_env *own = env; own != outer; own = own->next) {
      if (own->name == fun->name) {
        ((struct cpn_env *)own)->value = new_fn(ctx, &fn);
        break;
      }
    }
  }
  return env;
}

static const struct cpn_env *eval_val(struct cpn_ctx *ctx, const struct cpn_dec *dec,
                                      const struct cpn_env *env) {
  if (dec->is_recursive && dec->pattern->kind == CPN_NAME && dec->body->kind == CPN_FN) {
    env = bind(ctx, dec->pattern->name, NULL, env);
    struct cpn_fn fn = {.clauses = &dec->body->clauses, .env = env, .arity = 1};
    ((struct cpn_env *)env)->value = new_fn(ctx, &fn);
    return env;
  }
  const struct cpn_value *value = cpn_eval(ctx, dec->body, env);
  if (value != NULL && !cpn_match(ctx, dec->pattern, value, &env)) {
    cpn_raise(ctx, "Bind");
  }
  return env;
}

const struct cpn_env *cpn_eval_decs(struct cpn_ctx *ctx, const struct cpn_dec *decs,
                                    const struct cpn_env *env) {
  for (; decs != NULL && ctx->failure == CPN_FINE; decs = decs->next) {
    if (decs->kind == CPN_VAL) {
      env = eval_val(ctx, decs, env);
    } else if (decs->kind == CPN_FUN) {
      env = eval_funs(ctx, decs, env);
    } else if (decs->kind == CPN_LOCAL_DEC) {
      env = cpn_eval_decs(ctx, decs->outer, cpn_eval_decs(ctx, decs->inner, env));
    }
  }
  return env;
}

/* ---- expressions ---- */

static const struct cpn_value *eval_mark(struct cpn_ctx *ctx, const struct cpn_value *const *args,
                                         const void *data) {
  const struct cpn_value *marking =
      ctx->mark(ctx->state, *(const uint32_t *)data, args[0]->number, ctx->arena);
  return marking != NULL ? marking : cpn_raise(ctx, "Subscript");
}

static const struct cpn_value *eval_name(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                         const struct cpn_env *env) {
  switch (expr->scope) {
  case CPN_LOCAL:
    while (env->name != expr->name) {
      env = env->next;
      assert(env != NULL);
    }
    return env->value;
  case CPN_VARIABLE:
    assert(ctx->variables[expr->variable] != NULL);
    return ctx->variables[expr->variable];
  case CPN_GLOBAL:
    return expr->global->value;
  case CPN_MARK:
    break;
  }
  struct cpn_fn fn = {.builtin = eval_mark, .data = &expr->variable, .arity = 1};
  return new_fn(ctx, &fn);
}

static const struct cpn_value *eval_parts(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                          const struct cpn_env *env) {
  struct cpn_value *value = cpn_value_tuple(ctx->arena, expr->count);
  for (uint32_t i = 0; i < expr->count; i++) {
    value->parts[i] = cpn_eval(ctx, expr->parts[i], env);
    if (value->parts[i] == NULL) {
      return NULL;
    }
  }
  if (expr->kind == CPN_RECORD) {
    value->kind = CPN_V_RECORD;
    value->labels = expr->labels;
  }
  if (expr->kind == CPN_SEQUENCE) {
    return value->parts[expr->count - 1];
  }
  if (expr->kind == CPN_LIST) {
    const struct cpn_value *list = ctx->ml->nil_value;
    for (uint32_t i = expr->count; i-- > 0;) {
      list = cpn_value_cons(ctx->arena, value->parts[i], list);
    }
    return list;
  }
  return value;
}

static const struct cpn_value *select_field(struct cpn_ctx *ctx,
                                            const struct cpn_value *const *args, const void *data) {
  (void)ctx;
  return field(args[0], data);
}

static const struct cpn_value *eval_raise(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                          const struct cpn_env *env) {
  const struct cpn_value *exception = cpn_eval(ctx, expr->parts[0], env);
  if (exception != NULL) {
    ctx->failure = CPN_RAISED;
    ctx->exception = exception;
  }
  return NULL;
}

/* The handler that is to be evaluated next, or NULL with the *result. */
static const struct cpn_expr *handle(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                     const struct cpn_env **env, const struct cpn_value **result) {
  *result = cpn_eval(ctx, expr->parts[0], *env);
  if (*result != NULL || ctx->failure != CPN_RAISED) {
    return NULL;
  }
  const struct cpn_value *exception = ctx->exception;
  ctx->failure = CPN_FINE;
  const struct cpn_clause *clause = choose(ctx, &expr->clauses, &exception, env);
  if (clause == NULL) {
    ctx->failure = CPN_RAISED;
    return NULL;
  }
  return clause->body;
}

/* What has parts whose last is not to nest: the next expression, or NULL with the *result. */
static const struct cpn_expr *step(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                   const struct cpn_env **env, const struct cpn_value **result) {
  *result = NULL;
  switch (expr->kind) {
  case CPN_APPLY: {
    const struct cpn_value *fn = cpn_eval(ctx, expr->parts[0], *env);
    const struct cpn_value *arg = fn != NULL ? cpn_eval(ctx, expr->parts[1], *env) : NULL;
    return arg != NULL ? enter(ctx, fn, arg, env, result) : NULL;
  }
  case CPN_IF: {
    const struct cpn_value *condition = cpn_eval(ctx, expr->parts[0], *env);
    return condition == NULL ? NULL : expr->parts[cpn_is_true(ctx->ml, condition) ? 1 : 2];
  }
  case CPN_AND:
  case CPN_OR: {
    const struct cpn_value *first = cpn_eval(ctx, expr->parts[0], *env);
    if (first == NULL || cpn_is_true(ctx->ml, first) == (expr->kind == CPN_OR)) {
      *result = first;
      return NULL;
    }
    return expr->parts[1];
  }
  case CPN_CASE: {
    const struct cpn_value *subject = cpn_eval(ctx, expr->parts[0], *env);
    const struct cpn_clause *clause =
        subject != NULL ? choose(ctx, &expr->clauses, &subject, env) : NULL;
    if (subject != NULL && clause == NULL) {
      cpn_raise(ctx, "Match");
    }
    return clause != NULL ? clause->body : NULL;
  }
  case CPN_LET:
    *env = cpn_eval_decs(ctx, expr->decs, *env);
    return ctx->failure == CPN_FINE ? expr->parts[0] : NULL;
  case CPN_HANDLE:
    return handle(ctx, expr, env, result);
  default:
    return expr->parts[0]; /* typed */
  }
}

static const struct cpn_value *eval_now(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                        const struct cpn_env *env, bool *is_done) {
  *is_done = true;
  switch (expr->kind) {
  case CPN_INT:
  case CPN_REAL:
  case CPN_STRING:
  case CPN_CHAR:
    return expr->constant;
  case CPN_NAME:
    return eval_name(ctx, expr, env);
  case CPN_TUPLE:
    if (expr->count == 0) {
      return ctx->ml->unit_value;
    }
    return eval_parts(ctx, expr, env);
  case CPN_RECORD:
  case CPN_LIST:
  case CPN_SEQUENCE:
    return eval_parts(ctx, expr, env);
  case CPN_FIELD: {
    struct cpn_fn fn = {.builtin = select_field, .data = expr->name, .arity = 1};
    return new_fn(ctx, &fn);
  }
  case CPN_FN: {
    struct cpn_fn fn = {.clauses = &expr->clauses, .env = env, .arity = 1};
    return new_fn(ctx, &fn);
  }
  case CPN_RAISE:
    return eval_raise(ctx, expr, env);
  default:
    *is_done = false;
    return NULL;
  }
}

const struct cpn_value *cpn_eval(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                 const struct cpn_env *env) {
  const struct cpn_value *result = NULL;
  if (++ctx->depth > CPN_MOST_CALLS && ctx->failure == CPN_FINE) {
    ctx->failure = CPN_DEEP;
  }
  while (expr != NULL && may_go_on(ctx)) {
    bool is_done;
    result = eval_now(ctx, expr, env, &is_done);
    expr = is_done ? NULL : step(ctx, expr, &env, &result);
  }
  ctx->depth--;
  return ctx->failure == CPN_FINE ? result : NULL;
}
