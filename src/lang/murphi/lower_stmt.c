/* Statements. */
#include "lang/murphi/lower.h"

#include <assert.h>
#include <stdlib.h>

static void lower_into(struct murphi_lowering *l, struct murphi_stmt *stmts,
                       const struct clew_stmt **body) {
  struct clew_list list = {0};
  clew_murphi_lower_stmts(l, stmts, &list);
  *body = list.first;
}

/* ---- Assignments and resets ----------------------------------------------------------------- */

/* A place that is about to be written. */
static struct clew_place lower_target(struct murphi_lowering *l, struct murphi_expr *target,
                                      struct clew_list *list) {
  assert(clew_murphi_is_place(target));
  uint32_t mark = l->preps.len;
  struct murphi_spot spot = clew_murphi_lower_place(l, target);
  clew_murphi_require(l, spot.presence);
  clew_murphi_prep_stmts(l, mark, list);
  return spot.place;
}

static void lower_assign(struct murphi_lowering *l, struct murphi_stmt *stmt,
                         struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_ASSIGN);
  struct clew_place place = lower_target(l, stmt->target, list);
  const char *what = clew_arena_printf(l->m->front->arena, "value assigned to \"%s\"",
                                       clew_front_excerpt(l->m->front, stmt->target->span));
  struct clew_span span = clew_span_join(stmt->target->span, stmt->value->span);
  clew_murphi_assign_expr(l, list, place, stmt->target->type, stmt->value, span, what);
}

static void lower_reset(struct murphi_lowering *l, struct murphi_stmt *stmt,
                        struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_CLEAR || stmt->kind == MURPHI_STMT_UNDEFINE);
  struct clew_place place = lower_target(l, stmt->target, list);
  struct clew_stmt *reset = clew_stmt_new(
      l->program, stmt->kind == MURPHI_STMT_CLEAR ? CLEW_STMT_CLEAR : CLEW_STMT_UNDEFINE);
  reset->place = place;
  clew_list_add(list, reset);
}

void clew_murphi_lower_locals(struct murphi_lowering *l, struct murphi_decl *decls,
                              struct clew_list *list) {
  for (struct murphi_decl *decl = decls; decl != NULL; decl = decl->next) {
    if (decl->kind != MURPHI_DECL_VAR) {
      continue;
    }
    struct murphi_symbol *symbol = decl->symbol;
    symbol->place = clew_murphi_local(l, clew_murphi_keep(l, decl->name->id.text),
                                      clew_murphi_lower_type(l, symbol->type));
    symbol->presence = NULL;
    if (clew_murphi_type_has_multiset(symbol->type)) {
      struct clew_stmt *empty = clew_stmt_new(l->program, CLEW_STMT_UNDEFINE);
      empty->place = symbol->place;
      clew_list_add(list, empty);
    }
  }
}

/* ---- Branches ------------------------------------------------------------------------------- */

static void lower_if(struct murphi_lowering *l, struct murphi_stmt *stmt, struct clew_list *list) {
  struct clew_stmt *last = NULL;
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = clew_murphi_lower_expr(l, clause->values[0]);
    lower_into(l, clause->body, &branch->body);
    if (last != NULL) {
      last->otherwise = branch;
    } else {
      clew_list_add(list, branch);
    }
    last = branch;
  }
  assert(last != NULL);
  lower_into(l, stmt->otherwise, &last->otherwise);
}

/* The values of a case that no earlier case has; `seen` is an open hash table of 2^bits values. */
struct seen {
  int64_t *values; /* CLEW_UNDEFINED: free */
  uint32_t mask;
};

static bool see(struct seen *seen, int64_t value) {
  assert(value != CLEW_UNDEFINED);
  uint32_t at = (uint32_t)((uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) >> 32) & seen->mask;
  while (seen->values[at] != CLEW_UNDEFINED) {
    if (seen->values[at] == value) {
      return false;
    }
    at = (at + 1) & seen->mask;
  }
  seen->values[at] = value;
  return true;
}

static struct seen seen_new(struct murphi_lowering *l, const struct murphi_stmt *stmt) {
  uint32_t count = 1;
  for (const struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    count += clause->value_count;
  }
  uint32_t size = 1;
  while (size < 2 * count) {
    size *= 2;
  }
  struct seen seen = {CLEW_NEW_ARRAY(l->m->front->arena, int64_t, size), size - 1};
  for (uint32_t i = 0; i < size; i++) {
    seen.values[i] = CLEW_UNDEFINED;
  }
  return seen;
}

static void lower_constant_switch(struct murphi_lowering *l, struct murphi_stmt *stmt,
                                  struct clew_list *list) {
  assert(stmt->is_constant_switch);
  CLEW_VEC(struct clew_case) cases = {0};
  struct seen seen = seen_new(l, stmt);
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  branch->value = clew_murphi_lower_operand(l, stmt->value);
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, clause->value_count);
    struct clew_case one = {.values = values};
    for (uint32_t i = 0; i < clause->value_count; i++) {
      if (see(&seen, clause->values[i]->value)) {
        values[one.value_count++] = clause->values[i]->value;
      }
    }
    lower_into(l, clause->body, &one.body);
    clew_vec_push(&cases, one);
  }
  branch->cases = clew_arena_copy(l->arena, cases.data, cases.len, sizeof *cases.data);
  branch->case_count = cases.len;
  clew_vec_free(&cases);
  lower_into(l, stmt->otherwise, &branch->otherwise);
  clew_list_add(list, branch);
}

/* Labels that are computed: the value is evaluated once, then compared with one after the other. */
static void lower_switch(struct murphi_lowering *l, struct murphi_stmt *stmt,
                         struct clew_list *list) {
  if (stmt->is_constant_switch) {
    lower_constant_switch(l, stmt, list);
    return;
  }
  const struct clew_expr *value = clew_murphi_lower_operand(l, stmt->value);
  struct clew_place place = clew_murphi_temporary(l, "switch", value);
  clew_list_add(list, clew_stmt_assign(l->program, place, value, CLEW_NONE));
  const struct clew_expr *load = clew_expr_load(l->program, place, CLEW_NONE);
  struct clew_stmt *last = NULL;
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = clew_murphi_const(l, 0);
    for (uint32_t i = 0; i < clause->value_count; i++) {
      const struct clew_expr *label = clew_murphi_lower_operand(l, clause->values[i]);
      branch->value =
          clew_murphi_or(l, branch->value, clew_murphi_compare(l, CLEW_OP_EQ, load, label));
    }
    lower_into(l, clause->body, &branch->body);
    if (last != NULL) {
      last->otherwise = branch;
    } else {
      clew_list_add(list, branch);
    }
    last = branch;
  }
  assert(last != NULL);
  lower_into(l, stmt->otherwise, &last->otherwise);
}

/* ---- Loops ---------------------------------------------------------------------------------- */

/* The loops over q and the variables after it. */
static void lower_loops(struct murphi_lowering *l, struct murphi_quantifier *q,
                        struct murphi_stmt *body, struct clew_list *list) {
  assert(q != NULL);
  uint32_t mark = l->preps.len;
  struct murphi_run run = clew_murphi_bind_run(l, q);
  clew_murphi_prep_stmts(l, mark, list);
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_FOR);
  loop->cell = run.cell;
  loop->value = run.from;
  loop->value2 = run.to;
  loop->step = run.step;
  loop->exhaustive = q->returns && clew_murphi_type_is_permuted(q->symbol->type);
  struct clew_list inner = {0};
  if (run.value != NULL) {
    clew_list_add(&inner, clew_stmt_assign(l->program, q->symbol->place, run.value, CLEW_NONE));
  }
  if (q->next != NULL) {
    lower_loops(l, q->next, body, &inner);
  } else {
    clew_murphi_lower_stmts(l, body, &inner);
  }
  loop->body = inner.first;
  if (run.filter != NULL) {
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = run.filter;
    branch->body = loop->body;
    loop->body = branch;
  }
  clew_list_add(list, loop);
}

static void lower_while(struct murphi_lowering *l, struct murphi_stmt *stmt,
                        struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_WHILE);
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_WHILE);
  loop->value = clew_murphi_lower_expr(l, stmt->value);
  loop->site = clew_murphi_site(l, CLEW_SITE_LOOP, stmt->span,
                                "the while loop does not end within %d iterations", CLEW_MAX_LOOP);
  lower_into(l, stmt->body, &loop->body);
  clew_list_add(list, loop);
}

static void lower_alias(struct murphi_lowering *l, struct murphi_stmt *stmt,
                        struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_ALIAS);
  for (struct murphi_alias *alias = stmt->aliases; alias != NULL; alias = alias->next) {
    uint32_t mark = l->preps.len;
    clew_murphi_bind_alias(l, alias, false);
    clew_murphi_prep_stmts(l, mark, list);
  }
  clew_murphi_lower_stmts(l, stmt->body, list);
}

/* ---- Claims --------------------------------------------------------------------------------- */

static void lower_assert(struct murphi_lowering *l, struct murphi_stmt *stmt,
                         struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_ASSERT);
  struct clew_stmt *claim = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
  claim->value = clew_murphi_lower_expr(l, stmt->value);
  claim->site = clew_murphi_site(
      l, CLEW_SITE_ASSERTION, stmt->span, "assertion failed: %s",
      stmt->text != NULL ? stmt->text : clew_front_excerpt(l->m->front, stmt->value->span));
  clew_list_add(list, claim);
}

static void lower_error(struct murphi_lowering *l, struct murphi_stmt *stmt,
                        struct clew_list *list) {
  assert(stmt->text != NULL);
  struct clew_stmt *claim = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
  claim->value = clew_murphi_const(l, 0);
  claim->site = clew_murphi_site(l, CLEW_SITE_ASSERTION, stmt->span, "error: %s", stmt->text);
  clew_list_add(list, claim);
}

static void lower_claim(struct murphi_lowering *l, struct murphi_stmt *stmt,
                        struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_ASSUME || stmt->kind == MURPHI_STMT_COVER);
  bool cover = stmt->kind == MURPHI_STMT_COVER;
  struct clew_stmt *claim = clew_stmt_new(l->program, cover ? CLEW_STMT_COVER : CLEW_STMT_ASSUME);
  claim->value = clew_murphi_lower_expr(l, stmt->value);
  claim->cell = cover ? stmt->cover : 0;
  clew_list_add(list, claim);
}

/* ---- Calls and returns ---------------------------------------------------------------------- */

static void lower_call(struct murphi_lowering *l, struct murphi_stmt *stmt,
                       struct clew_list *list) {
  uint32_t mark = l->preps.len;
  if (clew_murphi_returns_block(stmt->value->callee)) {
    clew_murphi_lower_aggregate_call(l, stmt->value);
    clew_murphi_prep_stmts(l, mark, list);
    return;
  }
  struct clew_stmt *call = clew_stmt_new(l->program, CLEW_STMT_CALL);
  call->call = clew_murphi_lower_call(l, stmt->value, NULL);
  clew_murphi_prep_stmts(l, mark, list);
  clew_list_add(list, call);
}

/* The value of a function, which must be one of its result type. */
static const struct clew_expr *lower_result(struct murphi_lowering *l, struct murphi_stmt *stmt,
                                            struct clew_list *list) {
  assert(l->instance != NULL);
  const struct murphi_type *type = l->instance->function->result;
  const char *what = clew_arena_printf(l->m->front->arena, "value returned by \"%s\"",
                                       l->instance->function->name->id.text);
  if (clew_murphi_returns_block(l->instance->function)) {
    const struct clew_function *code = l->instance->code;
    struct clew_place result = clew_place_ref(code, code->reference_count - 1);
    clew_murphi_assign_expr(l, list, result, type, stmt->value, stmt->value->span, what);
    return clew_murphi_const(l, 0);
  }
  const struct clew_expr *value = clew_murphi_lower_expr(l, stmt->value);
  bool in_hole =
      clew_murphi_type_has_holes(type) && !clew_murphi_type_within(stmt->value->type, type);
  if (value->lo >= type->lo && value->hi <= type->hi && !in_hole) {
    return value;
  }
  struct clew_place place = clew_murphi_local(l, "result", clew_murphi_lower_defined(l, type));
  clew_list_add(list,
                clew_stmt_assign(l->program, place, clew_murphi_const(l, type->lo), CLEW_NONE));
  clew_murphi_assign_simple(l, list, place, type, value, stmt->value->type, stmt->value->span,
                            what);
  return clew_expr_load(l->program, place, CLEW_NONE);
}

static void lower_return(struct murphi_lowering *l, struct murphi_stmt *stmt,
                         struct clew_list *list) {
  assert(stmt->kind == MURPHI_STMT_RETURN);
  struct clew_stmt *end = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  if (stmt->value != NULL) {
    end->value = lower_result(l, stmt, list);
  }
  clew_list_add(list, end);
}

/* ---- Multisets ------------------------------------------------------------------------------ */

/* The element itself when it is a variable of the right type, else a temporary with its value. */
static struct clew_place lower_new_element(struct murphi_lowering *l, struct murphi_stmt *stmt,
                                           struct clew_list *list) {
  const struct murphi_type *type = stmt->target->type->element;
  bool place = clew_murphi_is_place(stmt->value) && clew_murphi_type_same(stmt->value->type, type);
  if (place && !clew_murphi_type_is_simple(type)) {
    uint32_t mark = l->preps.len;
    struct murphi_spot spot = clew_murphi_lower_place(l, stmt->value);
    clew_murphi_require(l, spot.presence);
    clew_murphi_prep_stmts(l, mark, list);
    return spot.place;
  }
  struct clew_place element = clew_murphi_local(l, "element", clew_murphi_lower_type(l, type));
  const char *what = clew_arena_printf(l->m->front->arena, "element added to \"%s\"",
                                       clew_front_excerpt(l->m->front, stmt->target->span));
  clew_murphi_assign_expr(l, list, element, type, stmt->value, stmt->value->span, what);
  return element;
}

static void lower_bag_add(struct murphi_lowering *l, struct murphi_stmt *stmt,
                          struct clew_list *list) {
  assert(stmt->target->type->kind == MURPHI_TYPE_MULTISET);
  const struct murphi_type *bag = stmt->target->type;
  struct clew_stmt *add = clew_stmt_new(l->program, CLEW_STMT_BAG_ADD);
  add->place2 = lower_new_element(l, stmt, list);
  add->place = lower_target(l, stmt->target, list);
  add->site = clew_murphi_site(l, CLEW_SITE_CAPACITY, stmt->span,
                               "the multiset \"%s\" is full: it holds at most %lld element%s",
                               clew_front_excerpt(l->m->front, stmt->target->span),
                               (long long)bag->count, bag->count == 1 ? "" : "s");
  clew_list_add(list, add);
}

static void lower_bag_remove(struct murphi_lowering *l, struct murphi_stmt *stmt,
                             struct clew_list *list) {
  assert(stmt->value->type->kind == MURPHI_TYPE_BAG_INDEX);
  uint32_t mark = l->preps.len;
  struct murphi_spot bag = clew_murphi_lower_place(l, stmt->target);
  const struct clew_expr *position = clew_murphi_lower_expr(l, stmt->value);
  struct murphi_presence *presence = CLEW_NEW(l->m->front->arena, struct murphi_presence);
  *presence = (struct murphi_presence){
      .cell = clew_place_presence(l->program, bag.place, position, CLEW_NONE),
      .span = stmt->span,
      .text = clew_arena_printf(l->m->front->arena, "%s[%s]",
                                clew_front_excerpt(l->m->front, stmt->target->span),
                                clew_front_excerpt(l->m->front, stmt->value->span)),
      .next = bag.presence};
  clew_murphi_require(l, presence);
  clew_murphi_prep_stmts(l, mark, list);
  struct clew_stmt *remove = clew_stmt_new(l->program, CLEW_STMT_BAG_REMOVE);
  remove->place = bag.place;
  remove->value = position;
  clew_list_add(list, remove);
}

static void lower_bag_remove_if(struct murphi_lowering *l, struct murphi_stmt *stmt,
                                struct clew_list *list) {
  assert(stmt->quantifiers->bag != NULL);
  struct murphi_quantifier *q = stmt->quantifiers;
  struct clew_place bag = lower_target(l, q->bag, list);
  struct murphi_run run = clew_murphi_bind_run(l, q);
  struct clew_stmt *remove = clew_stmt_new(l->program, CLEW_STMT_BAG_REMOVE);
  remove->place = bag;
  remove->value = clew_expr_load(l->program, q->symbol->place, CLEW_NONE);
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
  branch->value = clew_murphi_and(l, run.filter, clew_murphi_lower_expr(l, stmt->value));
  branch->body = remove;
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_FOR);
  loop->cell = run.cell;
  loop->value = run.from;
  loop->value2 = run.to;
  loop->body = branch;
  clew_list_add(list, loop);
}

/* ---- Any statement -------------------------------------------------------------------------- */

static void lower_stmt(struct murphi_lowering *l, struct murphi_stmt *stmt,
                       struct clew_list *list) {
  typedef void lower_function(struct murphi_lowering *, struct murphi_stmt *, struct clew_list *);
  static lower_function *const functions[] = {
      [MURPHI_STMT_ASSIGN] = lower_assign,
      [MURPHI_STMT_IF] = lower_if,
      [MURPHI_STMT_SWITCH] = lower_switch,
      [MURPHI_STMT_WHILE] = lower_while,
      [MURPHI_STMT_ALIAS] = lower_alias,
      [MURPHI_STMT_CLEAR] = lower_reset,
      [MURPHI_STMT_UNDEFINE] = lower_reset,
      [MURPHI_STMT_ERROR] = lower_error,
      [MURPHI_STMT_ASSERT] = lower_assert,
      [MURPHI_STMT_ASSUME] = lower_claim,
      [MURPHI_STMT_COVER] = lower_claim,
      [MURPHI_STMT_RETURN] = lower_return,
      [MURPHI_STMT_CALL] = lower_call,
      [MURPHI_STMT_BAG_ADD] = lower_bag_add,
      [MURPHI_STMT_BAG_REMOVE] = lower_bag_remove,
      [MURPHI_STMT_BAG_REMOVE_IF] = lower_bag_remove_if,
  };
  if (stmt->kind == MURPHI_STMT_FOR) {
    lower_loops(l, stmt->quantifiers, stmt->body, list);
  } else if (stmt->kind != MURPHI_STMT_PUT) { /* output during a search is of no use */
    assert(functions[stmt->kind] != NULL);
    functions[stmt->kind](l, stmt, list);
  }
}

void clew_murphi_lower_stmts(struct murphi_lowering *l, struct murphi_stmt *stmts,
                             struct clew_list *list) {
  assert(l->preps.len == 0);
  for (struct murphi_stmt *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    lower_stmt(l, stmt, list);
  }
}
