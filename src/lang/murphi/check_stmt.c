/* Checking statements. */
#include "lang/murphi/check.h"

#include <assert.h>

/* Remembers that the function being checked writes there. */
static void record_effect(struct murphi_checker *c, const struct murphi_expr *target,
                          bool removes) {
  const struct murphi_symbol *root = clew_murphi_root(target);
  assert(c->pure == NULL); /* guards and properties have no statements */
  if (c->function != NULL && root != NULL) {
    struct murphi_effect effect = {.function = c->function, .root = root, .removes = removes};
    clew_vec_push(&c->effects, effect);
  }
}

/* Writing a multiset as a whole removes what was in it. */
static void record_write(struct murphi_checker *c, const struct murphi_expr *target) {
  record_effect(c, target, clew_murphi_type_has_multiset(target->type));
}

static void check_assign(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_ASSIGN);
  const struct murphi_type *type = clew_murphi_check_target(c, stmt->target, "what is assigned to");
  record_write(c, stmt->target);
  const char *what = clew_arena_printf(c->m->front->arena, "\"%s\"",
                                       clew_front_excerpt(c->m->front, stmt->target->span));
  clew_murphi_check_value(c, stmt->value, type, what);
}

static void check_if(struct murphi_checker *c, struct murphi_stmt *stmt) {
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    assert(clause->value_count == 1);
    clew_murphi_check_boolean(c, clause->values[0], "the condition");
    clew_murphi_check_stmts(c, clause->body);
  }
  clew_murphi_check_stmts(c, stmt->otherwise);
}

static void check_case(struct murphi_checker *c, struct murphi_stmt *stmt,
                       struct murphi_expr *label) {
  assert(stmt->value->type != NULL);
  const struct murphi_type *type = clew_murphi_check_expr(c, label);
  if (!clew_murphi_type_compatible(type, stmt->value->type)) {
    clew_front_error(c->m->front, label->span, "the value of the 'switch' is of type %s, not %s%s",
                     clew_murphi_type_text(c->m, stmt->value->type),
                     clew_murphi_type_text(c->m, type),
                     clew_murphi_type_no_number(c->m, stmt->value->type, type));
  }
  stmt->is_constant_switch = stmt->is_constant_switch && label->is_constant;
}

static void check_switch(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_SWITCH);
  const struct murphi_type *type = clew_murphi_check_expr(c, stmt->value);
  if (!clew_murphi_type_is_simple(type)) {
    clew_front_error(c->m->front, stmt->value->span,
                     "the value of a 'switch' must be simple, not %s",
                     clew_murphi_type_text(c->m, type));
    stmt->value->type = &c->m->error_type;
  }
  stmt->is_constant_switch = true;
  for (struct murphi_clause *clause = stmt->clauses; clause != NULL; clause = clause->next) {
    for (uint32_t i = 0; i < clause->value_count; i++) {
      check_case(c, stmt, clause->values[i]);
    }
    clew_murphi_check_stmts(c, clause->body);
  }
  clew_murphi_check_stmts(c, stmt->otherwise);
}

/* Each variable of a loop is visible in the bounds of the next. */
static void check_for(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->quantifiers != NULL);
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  for (struct murphi_quantifier *q = stmt->quantifiers; q != NULL; q = q->next) {
    clew_murphi_check_quantifier(c, q);
  }
  clew_murphi_check_stmts(c, stmt->body);
  clew_murphi_scope_close(c, outer);
}

static void check_alias(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_ALIAS);
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  clew_murphi_check_aliases(c, stmt->aliases);
  clew_murphi_check_stmts(c, stmt->body);
  clew_murphi_scope_close(c, outer);
}

/* Whether what is returned may be undefined: as in CMurphi, a value of an enumerated type is then
 * handed on. */
static bool may_return_undefined(const struct murphi_checker *c, const struct murphi_expr *value,
                                 const struct murphi_type *result) {
  if (c->m->front->request->strict_undefined || !clew_murphi_type_is_enumerated(result) ||
      value->is_constant) {
    return false;
  }
  const struct murphi_symbol *root = clew_murphi_is_place(value) ? clew_murphi_root(value) : NULL;
  return value->kind == MURPHI_EXPR_CALL || (root != NULL && root->kind != MURPHI_SYMBOL_BOUND);
}

static void check_return(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_RETURN);
  const struct murphi_type *result = c->function != NULL ? c->function->result : NULL;
  if (stmt->value == NULL) {
    if (result != NULL) {
      clew_front_error(c->m->front, stmt->span, "the function '%s' must return a value of type %s",
                       c->function->name->id.text, clew_murphi_type_text(c->m, result));
    }
    return;
  }
  const struct murphi_type *type = clew_murphi_check_expr(c, stmt->value);
  if (result == NULL) {
    clew_front_error(c->m->front, stmt->value->span, "only a function can return a value");
  } else if (!clew_murphi_type_compatible(type, result)) {
    clew_front_error(
        c->m->front, stmt->value->span, "the function '%s' returns a value of type %s, not %s%s",
        c->function->name->id.text, clew_murphi_type_text(c->m, result),
        clew_murphi_type_text(c->m, type), clew_murphi_type_no_number(c->m, result, type));
  } else if (may_return_undefined(c, stmt->value, result)) {
    c->function->returns_undefined = true;
  }
}

static void check_bag_add(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_BAG_ADD);
  const struct murphi_type *bag = clew_murphi_check_bag(c, stmt->target);
  if (clew_murphi_type_is_error(bag)) {
    clew_murphi_check_expr(c, stmt->value);
    return;
  }
  clew_murphi_check_target(c, stmt->target, "the multiset");
  record_effect(c, stmt->target, false);
  const char *what = clew_arena_printf(c->m->front->arena, "an element of \"%s\"",
                                       clew_front_excerpt(c->m->front, stmt->target->span));
  clew_murphi_check_value(c, stmt->value, bag->element, what);
}

static void check_bag_remove(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_BAG_REMOVE);
  const struct murphi_type *bag = clew_murphi_check_bag(c, stmt->target);
  const struct murphi_type *index = clew_murphi_check_expr(c, stmt->value);
  if (clew_murphi_type_is_error(bag) || clew_murphi_type_is_error(index)) {
    return;
  }
  clew_murphi_check_target(c, stmt->target, "the multiset");
  record_write(c, stmt->target);
  if (index->kind != MURPHI_TYPE_BAG_INDEX || !clew_murphi_type_same(index->element, bag)) {
    clew_front_error(c->m->front, stmt->value->span,
                     "'multisetremove' needs a variable of 'choose' over \"%s\"",
                     clew_front_excerpt(c->m->front, stmt->target->span));
  }
}

static void check_bag_remove_if(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->quantifiers->bag != NULL);
  struct murphi_symbol *outer = clew_murphi_scope_open(c);
  clew_murphi_check_quantifier(c, stmt->quantifiers);
  if (!clew_murphi_type_is_error(stmt->quantifiers->symbol->type)) {
    clew_murphi_check_target(c, stmt->quantifiers->bag, "the multiset");
    record_write(c, stmt->quantifiers->bag);
  }
  clew_murphi_check_boolean(c, stmt->value, "the condition of 'multisetremovepred'");
  clew_murphi_scope_close(c, outer);
}

static void check_reset(struct murphi_checker *c, struct murphi_stmt *stmt) {
  assert(stmt->kind == MURPHI_STMT_CLEAR || stmt->kind == MURPHI_STMT_UNDEFINE);
  clew_murphi_check_target(
      c, stmt->target, stmt->kind == MURPHI_STMT_CLEAR ? "what is cleared" : "what is undefined");
  record_write(c, stmt->target);
}

/* Assertions, assumptions, cover statements. */
static void check_claim(struct murphi_checker *c, struct murphi_stmt *stmt) {
  const char *what = stmt->kind == MURPHI_STMT_ASSERT   ? "the condition of 'assert'"
                     : stmt->kind == MURPHI_STMT_ASSUME ? "the condition of 'assume'"
                                                        : "the condition of 'cover'";
  clew_murphi_check_boolean(c, stmt->value, what);
  if (stmt->kind == MURPHI_STMT_COVER) {
    stmt->cover = c->m->cover_count++;
    *c->m->cover_end = stmt;
    c->m->cover_end = &stmt->next_cover;
  }
}

static void check_stmt(struct murphi_checker *c, struct murphi_stmt *stmt) {
  switch (stmt->kind) {
  case MURPHI_STMT_ASSIGN:
    check_assign(c, stmt);
    return;
  case MURPHI_STMT_IF:
    check_if(c, stmt);
    return;
  case MURPHI_STMT_SWITCH:
    check_switch(c, stmt);
    return;
  case MURPHI_STMT_FOR:
    check_for(c, stmt);
    return;
  case MURPHI_STMT_WHILE:
    clew_murphi_check_boolean(c, stmt->value, "the condition of 'while'");
    clew_murphi_check_stmts(c, stmt->body);
    return;
  case MURPHI_STMT_ALIAS:
    check_alias(c, stmt);
    return;
  case MURPHI_STMT_CLEAR:
  case MURPHI_STMT_UNDEFINE:
    check_reset(c, stmt);
    return;
  case MURPHI_STMT_PUT:
    if (stmt->value != NULL) {
      clew_murphi_check_expr(c, stmt->value);
    }
    return;
  case MURPHI_STMT_ERROR:
    return;
  case MURPHI_STMT_ASSERT:
  case MURPHI_STMT_ASSUME:
  case MURPHI_STMT_COVER:
    check_claim(c, stmt);
    return;
  case MURPHI_STMT_RETURN:
    check_return(c, stmt);
    return;
  case MURPHI_STMT_CALL:
    clew_murphi_check_call(c, stmt->value, true);
    return;
  case MURPHI_STMT_BAG_ADD:
    check_bag_add(c, stmt);
    return;
  case MURPHI_STMT_BAG_REMOVE:
    check_bag_remove(c, stmt);
    return;
  case MURPHI_STMT_BAG_REMOVE_IF:
    check_bag_remove_if(c, stmt);
    return;
  }
  assert(0 && "a kind of statement");
}

void clew_murphi_check_stmts(struct murphi_checker *c, struct murphi_stmt *stmts) {
  for (struct murphi_stmt *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    check_stmt(c, stmt);
  }
}
