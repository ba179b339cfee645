/* Which scalarsets the model treats alike, so that states that differ by a renaming of their values
 * may be merged.
 *
 * Types see to most of it: scalarsets have no literals, no arithmetic and no order. Left is what
 * depends on an order all the same: the iterations of a loop over a scalarset, the evaluations of a
 * quantifier or multisetcount whose body has side effects, positions in multisets (check_bags.c),
 * `clear`, which takes the least value, and a liveness property about one value, which is not the
 * same property after a renaming. A scalarset that cannot be shown to be free of these is not used
 * for reduction; the reason is kept in its type. The others are still: a renaming of theirs does
 * not touch the order of this one.
 *
 * This file walks every rule, start state and property as it would execute, through the procedures
 * it calls with their parameters bound to the arguments, and lists all reads and writes of
 * variables in order; var parameters and aliases are replaced by what they refer to. At the end of
 * each loop over a scalarset, check_order.c judges the part of the list that is its body.
 *
 * Left undecided: loops in recursive procedures, loops that may execute `assume`, models so large
 * that the walk exceeds its limits, and what check_order.c says.
 *
 * Run-time errors that only some orders meet, because a quantifier, a `return` or an operator ends
 * the search for an answer before it: lowering evaluates all values of a quantifier that may fault
 * and all iterations of a loop that may return, if they are over a scalarset that is used for
 * reduction. In a symmetric model this changes no verdict: where one order faults, so does the
 * order of the text in a state that differs by a renaming, and is as far from the start. */
#include "lang/murphi/check_symmetry.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "lang/murphi/check.h"

enum {
  MAX_WALK_DEPTH = 2000,     /* of statements, expressions and calls within each other */
  MAX_WALK_WORK = 50000000,  /* steps and comparisons: about a second */
  MAX_WALK_BYTES = 64 << 20, /* of memory */
};

static void walk_stmts(struct murphi_walk *w, struct murphi_stmt *stmts,
                       const struct murphi_env *env);
static void read_expr(struct murphi_walk *w, const struct murphi_expr *expr,
                      const struct murphi_env *env);

/* ---- Giving up ------------------------------------------------------------------------------ */

static bool is_unmarked(const struct murphi_type *type) {
  return type->kind == MURPHI_TYPE_SCALARSET && type->asymmetric == NULL;
}

/* The scalarsets in the type, or (NULL) all, that have no reason yet. */
static void mark(struct murphi_walk *w, const struct murphi_type *type, const char *why) {
  for (struct murphi_type *set = w->m->enumerations; type == NULL && set != NULL; set = set->next) {
    set->asymmetric = is_unmarked(set) ? why : set->asymmetric;
  }
  for (uint32_t i = 0; type != NULL && i < type->leaf_count; i++) {
    struct murphi_type *set = type->leaves[i];
    set->asymmetric = is_unmarked(set) ? why : set->asymmetric;
  }
}

static bool is_news(const struct murphi_walk *w, const struct murphi_type *type) {
  bool news = false;
  for (const struct murphi_type *set = w->m->enumerations; type == NULL && set != NULL;
       set = set->next) {
    news |= is_unmarked(set);
  }
  for (uint32_t i = 0; type != NULL && i < type->leaf_count; i++) {
    news |= is_unmarked(type->leaves[i]);
  }
  return news;
}

void clew_murphi_undecided(struct murphi_walk *w, const struct murphi_type *type,
                           struct clew_span span, const char *format, ...) {
  if (!is_news(w, type)) {
    return;
  }
  struct clew_text text = {0};
  va_list args;
  va_start(args, format);
  clew_text_printf(&text, "%s: ", clew_front_where(w->m->front, span));
  clew_text_vprintf(&text, format, args);
  va_end(args);
  mark(w, type, clew_arena_strndup(w->m->front->arena, clew_text_str(&text), text.len));
  clew_text_free(&text);
}

bool clew_murphi_spend(struct murphi_walk *w, uint64_t work) {
  w->work += work;
  if (!w->gave_up && (w->work > MAX_WALK_WORK || w->depth > MAX_WALK_DEPTH ||
                      clew_arena_bytes(w->arena) > MAX_WALK_BYTES)) {
    w->gave_up = true;
    mark(w, NULL, "the model is too large to look for an order in its loops");
  }
  return !w->gave_up;
}

/* ---- Places --------------------------------------------------------------------------------- */

static bool is_variable(const struct murphi_extent *extent) {
  return extent->root != NULL && extent->root->kind != MURPHI_SYMBOL_BOUND;
}

bool clew_murphi_same_designator(const struct murphi_expr *a, const struct murphi_expr *b) {
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case MURPHI_EXPR_NUMBER:
    return a->number == b->number;
  case MURPHI_EXPR_NAME:
    return a->symbol == b->symbol;
  case MURPHI_EXPR_FIELD:
    return a->field == b->field && clew_murphi_same_designator(a->a, b->a);
  case MURPHI_EXPR_INDEX:
    return clew_murphi_same_designator(a->a, b->a) && clew_murphi_same_designator(a->b, b->b);
  default:
    return false;
  }
}

static void record(struct murphi_walk *w, struct murphi_access access) {
  access.level = w->level + w->returned;
  access.routine = w->routine;
  access.branch = w->branch;
  clew_vec_push(&w->accesses, access);
}

static void read_indices(struct murphi_walk *w, const struct murphi_expr *expr,
                         const struct murphi_env *env) {
  for (; expr->kind == MURPHI_EXPR_FIELD || expr->kind == MURPHI_EXPR_INDEX; expr = expr->a) {
    if (expr->kind == MURPHI_EXPR_INDEX) {
      read_expr(w, expr->b, env);
    }
    if (expr->kind == MURPHI_EXPR_INDEX && expr->b->type->kind == MURPHI_TYPE_BAG_INDEX) {
      clew_murphi_judge_position(w, expr->b, expr->a, NULL, env);
    }
  }
  if (expr->kind != MURPHI_EXPR_NAME) {
    read_expr(w, expr, env);
  }
}

static void read_place(struct murphi_walk *w, const struct murphi_expr *expr,
                       const struct murphi_env *env) {
  read_indices(w, expr, env);
  struct murphi_extent extent = clew_murphi_locate(w, expr, env);
  if (is_variable(&extent)) {
    record(w, (struct murphi_access){
                  .kind = MURPHI_ACCESS_READ, .extent = extent, .span = expr->span});
  }
}

static void write_place(struct murphi_walk *w, const struct murphi_expr *target,
                        const struct murphi_env *env, struct murphi_access access) {
  read_indices(w, target, env);
  access.extent = clew_murphi_locate(w, target, env);
  access.env = env;
  assert(is_variable(&access.extent)); /* or the checker would have complained */
  record(w, access);
}

/* ---- Bindings ------------------------------------------------------------------------------- */

static const struct murphi_env *bind_place(struct murphi_walk *w, const struct murphi_env *outer,
                                           const struct murphi_symbol *symbol,
                                           const struct murphi_expr *expr,
                                           const struct murphi_env *env) {
  struct murphi_env *bound = CLEW_NEW(w->arena, struct murphi_env);
  *bound = (struct murphi_env){
      .next = outer, .symbol = symbol, .extent = clew_murphi_locate(w, expr, env)};
  return bound;
}

/* A name for a name is replaced at once, so that no chain of them has to be followed. */
static const struct murphi_env *bind_value(struct murphi_walk *w, const struct murphi_env *outer,
                                           const struct murphi_symbol *symbol,
                                           const struct murphi_expr *expr,
                                           const struct murphi_env *env) {
  const struct murphi_env *known =
      expr->kind == MURPHI_EXPR_NAME ? clew_murphi_find(env, expr->symbol) : NULL;
  if (known != NULL && known->value != NULL) {
    expr = known->value;
    env = known->value_env;
  }
  struct murphi_env *bound = CLEW_NEW(w->arena, struct murphi_env);
  *bound = (struct murphi_env){.next = outer, .symbol = symbol, .value = expr, .value_env = env};
  return bound;
}

static const struct murphi_env *bind_aliases(struct murphi_walk *w,
                                             const struct murphi_alias *aliases,
                                             const struct murphi_env *env) {
  for (const struct murphi_alias *alias = aliases; alias != NULL; alias = alias->next) {
    if (alias->symbol->root != NULL && alias->symbol->root->kind != MURPHI_SYMBOL_VALUE_PARAM) {
      read_indices(w, alias->value, env);
      env = bind_place(w, env, alias->symbol, alias->value, env);
    } else {
      read_expr(w, alias->value, env);
      env = bind_value(w, env, alias->symbol, alias->value, env);
    }
  }
  return env;
}

static void enter_locals(struct murphi_walk *w, const struct murphi_decl *decls) {
  for (const struct murphi_decl *decl = decls; decl != NULL; decl = decl->next) {
    if (decl->kind == MURPHI_DECL_VAR) {
      decl->symbol->birth = w->routine;
    }
  }
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static const struct murphi_env *bind_arguments(struct murphi_walk *w,
                                               const struct murphi_expr *call,
                                               const struct murphi_env *env) {
  const struct murphi_env *inner = NULL;
  const struct murphi_decl *param = call->callee->params;
  for (uint32_t i = 0; i < call->arg_count; i++, param = param->next) {
    assert(param != NULL);
    if (param->by_reference) {
      read_indices(w, call->args[i], env);
      inner = bind_place(w, inner, param->symbol, call->args[i], env);
    } else {
      read_expr(w, call->args[i], env);
      inner = bind_value(w, inner, param->symbol, call->args[i], env);
    }
  }
  return inner;
}

/* The accesses from `from` on may be repeated. */
static void note_repeat(struct murphi_walk *w, uint32_t from) {
  struct murphi_repeat repeat = {from, w->accesses.len};
  clew_vec_push(&w->repeats, repeat);
}

static void walk_call(struct murphi_walk *w, const struct murphi_expr *call,
                      const struct murphi_env *env) {
  struct murphi_function *callee = call->callee;
  const struct murphi_env *inner = bind_arguments(w, call, env);
  if (callee->active) {
    callee->recursive = true;
    record(w, (struct murphi_access){.kind = MURPHI_ACCESS_UNKNOWN, .span = call->span});
    return;
  }
  uint32_t level = w->level, returned = w->returned, routine = w->routine, loops = w->loops;
  uint32_t from = w->accesses.len;
  callee->active = true;
  callee->recursive = false;
  w->routine = ++w->births;
  enter_locals(w, callee->decls);
  walk_stmts(w, callee->body, inner);
  if (callee->recursive) {
    note_repeat(w, from);
  }
  if (callee->recursive && w->loops > loops) {
    clew_murphi_undecided(
        w, NULL, callee->span,
        "'%s', which calls itself, has loops over scalarsets that may depend on their "
        "order",
        callee->name->id.text);
  }
  callee->active = false;
  w->level = level;
  w->returned = returned;
  w->routine = routine;
}

/* The evaluations for different values, which stop when the answer is known (or, over a multiset,
 * follow the order of its elements), must not change anything. */
static void judge_quantified(struct murphi_walk *w, const struct murphi_expr *body,
                             const struct murphi_quantifier *q, uint32_t from) {
  for (uint32_t i = from; i < w->accesses.len; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    bool shared = access->extent.root != NULL ? access->extent.birth <= q->symbol->birth : true;
    bool harmless = access->kind == MURPHI_ACCESS_READ || access->kind == MURPHI_ACCESS_RETURN ||
                    access->kind == MURPHI_ACCESS_POSITION || !shared;
    if (!harmless) {
      clew_murphi_undecided(
          w, q->bag != NULL ? NULL : q->symbol->type, body->span,
          "evaluating \"%s\" has side effects, which may depend on the order of the "
          "values of '%s'",
          clew_front_excerpt(w->m->front, body->span), q->name->id.text);
      return;
    }
  }
}

/* A quantifier, multisetcount or multisetremovepred with its condition. */
static void read_quantified(struct murphi_walk *w, const struct murphi_quantifier *q,
                            const struct murphi_expr *body, const struct murphi_env *env) {
  if (q->from != NULL) {
    read_expr(w, q->from, env);
    read_expr(w, q->to, env);
  }
  if (q->by != NULL) {
    read_expr(w, q->by, env);
  }
  q->symbol->birth = ++w->births;
  uint32_t from = w->accesses.len, outer = w->positions.len;
  clew_murphi_bind_position(w, q, env);
  w->level++;
  read_expr(w, body, env);
  w->level--;
  w->positions.len = outer;
  if (q->bag != NULL ||
      (q->domain != NULL && clew_murphi_type_scalarset_in(q->symbol->type, 2) != NULL)) {
    judge_quantified(w, body, q, from);
  }
}

static void read_operands(struct murphi_walk *w, const struct murphi_expr *expr,
                          const struct murphi_env *env) {
  assert(expr->a != NULL);
  read_expr(w, expr->a, env);
  w->level++; /* the others may be skipped */
  if (expr->b != NULL) {
    read_expr(w, expr->b, env);
  }
  if (expr->c != NULL) {
    read_expr(w, expr->c, env);
  }
  w->level--;
  if (expr->b != NULL && expr->a->type->kind == MURPHI_TYPE_BAG_INDEX) {
    clew_murphi_judge_position(w, expr->a, NULL, expr->b, env);
    record(w, (struct murphi_access){.kind = MURPHI_ACCESS_POSITION, .span = expr->span});
  }
}

static void read_expr(struct murphi_walk *w, const struct murphi_expr *expr,
                      const struct murphi_env *env) {
  w->depth++;
  if (clew_murphi_spend(w, 1)) {
    switch (expr->kind) {
    case MURPHI_EXPR_NUMBER:
    case MURPHI_EXPR_BOOLEAN:
    case MURPHI_EXPR_UNDEFINED:
      break;
    case MURPHI_EXPR_NAME:
    case MURPHI_EXPR_FIELD:
    case MURPHI_EXPR_INDEX:
      read_place(w, expr, env);
      break;
    case MURPHI_EXPR_CALL:
      walk_call(w, expr, env);
      break;
    case MURPHI_EXPR_UNARY:
    case MURPHI_EXPR_BINARY:
    case MURPHI_EXPR_COND:
    case MURPHI_EXPR_ISUNDEFINED:
    case MURPHI_EXPR_ISMEMBER:
      read_operands(w, expr, env);
      break;
    case MURPHI_EXPR_COUNT:
      read_place(w, expr->quantifier->bag, env);
      read_quantified(w, expr->quantifier, expr->a, env);
      break;
    case MURPHI_EXPR_QUANTIFY:
      read_quantified(w, expr->quantifier, expr->a, env);
      break;
    }
  }
  w->depth--;
}

/* ---- Statements ----------------------------------------------------------------------------- */

static void walk_accumulation(struct murphi_walk *w, const struct murphi_accumulation *a,
                              const struct murphi_env *env) {
  if (a->condition != NULL) {
    read_expr(w, a->condition, env);
  }
  w->level++; /* it may be skipped */
  read_expr(w, a->value, env);
  write_place(
      w, a->target, env,
      (struct murphi_access){.kind = a->kind, .value = a->value, .span = a->span, .both = a->both});
  w->level--;
}

static void walk_assign(struct murphi_walk *w, struct murphi_stmt *stmt,
                        const struct murphi_env *env) {
  struct murphi_expr *value = stmt->value;
  bool undefine = value->kind == MURPHI_EXPR_UNDEFINED;
  read_expr(w, value, env);
  write_place(w, stmt->target, env,
              (struct murphi_access){.kind = undefine ? MURPHI_ACCESS_UNDEFINE : MURPHI_ACCESS_SET,
                                     .value = value,
                                     .span = clew_span_join(stmt->target->span, value->span)});
}

static void walk_branch(struct murphi_walk *w, struct murphi_stmt *body,
                        const struct murphi_env *env, uint32_t statement, uint32_t clause) {
  struct murphi_branch *branch = CLEW_NEW(w->arena, struct murphi_branch);
  *branch = (struct murphi_branch){w->branch, statement, clause};
  w->branch = branch;
  walk_stmts(w, body, env);
  w->branch = branch->around;
}

static void walk_clauses(struct murphi_walk *w, struct murphi_stmt *stmt,
                         const struct murphi_env *env) {
  if (stmt->value != NULL) { /* of a switch */
    read_expr(w, stmt->value, env);
  }
  uint32_t statement = ++w->births, number = 0;
  w->level++;
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    for (uint32_t i = 0; i < clause->value_count; i++) {
      read_expr(w, clause->values[i], env);
    }
    walk_branch(w, clause->body, env, statement, number++);
  }
  walk_branch(w, stmt->otherwise, env, statement, number);
  w->level--;
}

/* From this variable of the loop on. */
static void walk_for(struct murphi_walk *w, struct murphi_stmt *stmt, struct murphi_quantifier *q,
                     const struct murphi_env *env) {
  if (q == NULL) {
    walk_stmts(w, stmt->body, env);
    return;
  }
  if (q->from != NULL) {
    read_expr(w, q->from, env);
    read_expr(w, q->to, env);
  }
  if (q->by != NULL) {
    read_expr(w, q->by, env);
  }
  q->symbol->birth = ++w->births;
  w->level++;
  struct murphi_loop loop = {.quantifier = q,
                             .birth = q->symbol->birth,
                             .from = w->accesses.len,
                             .level = w->level + w->returned,
                             .routine = w->routine};
  walk_for(w, stmt, q->next, env);
  w->level--;
  loop.to = w->accesses.len;
  note_repeat(w, loop.from);
  if (q->domain != NULL && clew_murphi_type_scalarset_in(q->symbol->type, 2) != NULL) {
    w->loops++;
    clew_murphi_judge_loop(w, &loop);
  }
}

/* Whatever has a least value in a variable of the type: that of the scalarset, if it is one. */
static void judge_cleared(struct murphi_walk *w, const struct murphi_type *type,
                          struct clew_span span) {
  switch (type->kind) {
  case MURPHI_TYPE_SCALARSET:
  case MURPHI_TYPE_UNION:
    if (clew_murphi_type_scalarset_in(type->leaves[0], 2) != NULL) {
      clew_murphi_undecided(
          w, type->leaves[0], span, "\"%s\" takes the first value of the scalarset '%s'",
          clew_front_excerpt(w->m->front, span), clew_murphi_type_text(w->m, type->leaves[0]));
    }
    return;
  case MURPHI_TYPE_ARRAY:
    judge_cleared(w, type->element, span);
    return;
  case MURPHI_TYPE_RECORD:
    for (uint32_t i = 0; i < type->field_count; i++) {
      judge_cleared(w, type->fields[i].type, span);
    }
    return;
  default: /* a cleared multiset is empty */
    return;
  }
}

static void walk_reset(struct murphi_walk *w, struct murphi_stmt *stmt,
                       const struct murphi_env *env) {
  struct clew_span span = clew_span_join(stmt->span, stmt->target->span);
  bool clear = stmt->kind == MURPHI_STMT_CLEAR;
  if (clear) {
    judge_cleared(w, stmt->target->type, span);
  }
  write_place(w, stmt->target, env,
              (struct murphi_access){.kind = clear ? MURPHI_ACCESS_CLEAR : MURPHI_ACCESS_UNDEFINE,
                                     .span = span});
}

static void walk_filter(struct murphi_walk *w, struct murphi_stmt *stmt,
                        const struct murphi_env *env) {
  const struct murphi_quantifier *q = stmt->quantifiers;
  uint32_t from = w->accesses.len;
  read_quantified(w, q, stmt->value, env);
  clew_murphi_judge_filter(w, stmt, env, from);
  write_place(w, q->bag, env,
              (struct murphi_access){.kind = MURPHI_ACCESS_BAG_FILTER, .span = stmt->span});
}

static void walk_return(struct murphi_walk *w, struct murphi_stmt *stmt,
                        const struct murphi_env *env) {
  if (stmt->value != NULL) {
    read_expr(w, stmt->value, env);
  }
  record(w, (struct murphi_access){.kind = MURPHI_ACCESS_RETURN,
                                   .value = stmt->value,
                                   .env = env,
                                   .span = stmt->value != NULL ? stmt->value->span : stmt->span});
  w->returned++;
}

static void walk_while(struct murphi_walk *w, struct murphi_stmt *stmt,
                       const struct murphi_env *env) {
  uint32_t from = w->accesses.len;
  w->level++;
  read_expr(w, stmt->value, env);
  walk_stmts(w, stmt->body, env);
  w->level--;
  note_repeat(w, from);
}

static void walk_stmt(struct murphi_walk *w, struct murphi_stmt *stmt,
                      const struct murphi_env *env) {
  struct murphi_accumulation accumulation;
  if (clew_murphi_accumulates(stmt, &accumulation)) {
    walk_accumulation(w, &accumulation, env);
    return;
  }
  switch (stmt->kind) {
  case MURPHI_STMT_ASSIGN:
    walk_assign(w, stmt, env);
    return;
  case MURPHI_STMT_IF:
  case MURPHI_STMT_SWITCH:
    walk_clauses(w, stmt, env);
    return;
  case MURPHI_STMT_FOR:
    walk_for(w, stmt, stmt->quantifiers, env);
    return;
  case MURPHI_STMT_WHILE:
    walk_while(w, stmt, env);
    return;
  case MURPHI_STMT_ALIAS:
    walk_stmts(w, stmt->body, bind_aliases(w, stmt->aliases, env));
    return;
  case MURPHI_STMT_CLEAR:
  case MURPHI_STMT_UNDEFINE:
    walk_reset(w, stmt, env);
    return;
  case MURPHI_STMT_PUT: /* is not executed */
  case MURPHI_STMT_ERROR:
    return;
  case MURPHI_STMT_ASSERT:
  case MURPHI_STMT_COVER:
  case MURPHI_STMT_CALL:
    read_expr(w, stmt->value, env);
    return;
  case MURPHI_STMT_ASSUME:
    read_expr(w, stmt->value, env);
    record(w, (struct murphi_access){.kind = MURPHI_ACCESS_ASSUME,
                                     .span = clew_span_join(stmt->span, stmt->value->span)});
    return;
  case MURPHI_STMT_RETURN:
    walk_return(w, stmt, env);
    return;
  case MURPHI_STMT_BAG_ADD:
    read_expr(w, stmt->value, env);
    write_place(w, stmt->target, env,
                (struct murphi_access){.kind = MURPHI_ACCESS_BAG_ADD, .span = stmt->span});
    return;
  case MURPHI_STMT_BAG_REMOVE:
    read_expr(w, stmt->value, env);
    clew_murphi_judge_position(w, stmt->value, stmt->target, NULL, env);
    write_place(w, stmt->target, env,
                (struct murphi_access){.kind = MURPHI_ACCESS_BAG_REMOVE, .span = stmt->span});
    return;
  case MURPHI_STMT_BAG_REMOVE_IF:
    walk_filter(w, stmt, env);
    return;
  }
}

static void walk_stmts(struct murphi_walk *w, struct murphi_stmt *stmts,
                       const struct murphi_env *env) {
  w->depth++;
  for (struct murphi_stmt *stmt = stmts; stmt != NULL && clew_murphi_spend(w, 1);
       stmt = stmt->next) {
    walk_stmt(w, stmt, env);
  }
  w->depth--;
}

/* ---- Rules ---------------------------------------------------------------------------------- */

/* The rulesets around a rule. */
struct around {
  const struct murphi_rule *rule;
  const struct around *next;
};

/* Whether somebody may ask for the property. Its instances and those of the same name have names
 * that begin with its own. */
static bool is_selected(const struct murphi_walk *w, const struct murphi_rule *rule) {
  const struct clew_load_request *request = w->m->front->request;
  const char *name = rule->title != NULL && rule->title[0] != '\0' ? rule->title : "liveness ";
  bool found = !request->selects_properties;
  for (uint32_t i = 0; i < request->selected_count && !found; i++) {
    found = strncmp(request->selected[i], name, strlen(name)) == 0;
  }
  return found;
}

/* A liveness property is about each combination of the values around it by itself. */
static void judge_liveness(struct murphi_walk *w, const struct murphi_rule *rule,
                           const struct around *around) {
  for (; around != NULL; around = around->next) {
    for (const struct murphi_quantifier *q = around->rule->quantifiers; q != NULL; q = q->next) {
      if (clew_murphi_type_scalarset_in(q->symbol->type, 2) != NULL) {
        clew_murphi_undecided(
            w, q->symbol->type, rule->span,
            "a liveness property is about single values of the scalarset '%s'",
            clew_murphi_type_text(w->m, clew_murphi_type_scalarset_in(q->symbol->type, 2)));
      }
    }
  }
}

static void walk_rule(struct murphi_walk *w, struct murphi_rule *rule,
                      const struct murphi_env *env) {
  assert(w->level == 0 && w->depth == 0);
  w->routine = ++w->births;
  enter_locals(w, rule->decls);
  if (rule->guard != NULL) {
    read_expr(w, rule->guard, env);
  }
  walk_stmts(w, rule->body, env);
  if (!w->gave_up) {
    clew_murphi_settle(w);
    clew_murphi_judge_positions(w);
    clew_murphi_note_plain(w);
  }
  w->returned = 0;
  clew_vec_clear(&w->accesses);
  clew_vec_clear(&w->conflicts);
  clew_vec_clear(&w->repeats);
}

static void walk_rules(struct murphi_walk *w, struct murphi_rule *rules,
                       const struct murphi_env *env, const struct around *around) {
  for (struct murphi_rule *rule = rules; rule != NULL; rule = rule->next) {
    if (rule->kind == MURPHI_RULE_SET || rule->kind == MURPHI_RULE_ALIAS) {
      struct around here = {rule, around};
      uint32_t outer = w->positions.len;
      for (const struct murphi_quantifier *q = rule->quantifiers; q != NULL; q = q->next) {
        clew_murphi_bind_position(w, q, env);
      }
      walk_rules(w, rule->children, bind_aliases(w, rule->aliases, env), &here);
      w->positions.len = outer;
      continue;
    }
    if (rule->kind == MURPHI_RULE_PROPERTY && rule->property == MURPHI_PROPERTY_LIVENESS &&
        is_selected(w, rule)) {
      judge_liveness(w, rule, around);
    }
    walk_rule(w, rule, env);
  }
}

void clew_murphi_check_symmetry(struct murphi *m) {
  bool any = false;
  for (const struct murphi_type *type = m->enumerations; type != NULL; type = type->next) {
    any = any || clew_murphi_type_scalarset_in(type, 2) != NULL;
  }
  if (!any) {
    return;
  }
  struct murphi_walk w = {.m = m, .arena = clew_arena_open()};
  walk_rules(&w, m->model.rules, NULL, NULL);
  clew_murphi_settle_relied(&w);
  clew_arena_close(w.arena);
  clew_vec_free(&w.accesses);
  clew_vec_free(&w.conflicts);
  clew_vec_free(&w.repeats);
  clew_vec_free(&w.positions);
  clew_vec_free(&w.relied);
}
