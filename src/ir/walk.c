/* The traversal of walk.h. Which children a node has is written down here once. */
#include "ir/walk.h"

#include <assert.h>

static void walk_place(struct clew_walk *walk, const struct clew_place *place, enum clew_use use) {
  assert(place->index_count == 0 || place->indices != NULL);
  if (walk->place != NULL) {
    walk->place(walk, place, use);
  }
  for (uint32_t i = 0; i < place->index_count; i++) {
    clew_walk_expr(walk, place->indices[i].value, false);
  }
}

static void walk_call(struct clew_walk *walk, const struct clew_call *call, bool is_stmt) {
  const struct clew_function *function = call->function;
  assert(function != NULL);
  if (walk->call != NULL) {
    walk->call(walk, call, is_stmt);
  }
  for (uint32_t i = 0; i < function->value_count; i++) {
    clew_walk_expr(walk, call->values[i], true);
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    walk_place(walk, &call->refs[i], CLEW_USE_REFER);
  }
}

void clew_walk_expr(struct clew_walk *walk, const struct clew_expr *expr, bool raw) {
  if (expr == NULL || (walk->expr != NULL && !walk->expr(walk, expr, raw))) {
    return;
  }
  assert((unsigned)expr->kind <= CLEW_EXPR_EQUAL);
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
  case CLEW_EXPR_UNDEFINED:
    break;
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
  case CLEW_EXPR_IS_UNDEFINED:
    walk_place(walk, &expr->place, CLEW_USE_READ);
    break;
  case CLEW_EXPR_EQUAL:
    walk_place(walk, &expr->place, CLEW_USE_READ);
    walk_place(walk, &expr->place2, CLEW_USE_READ);
    break;
  case CLEW_EXPR_CALL:
    walk_call(walk, expr->call, false);
    break;
  case CLEW_EXPR_UNARY:
  case CLEW_EXPR_BINARY:
  case CLEW_EXPR_COND:
  case CLEW_EXPR_QUANTIFY:
  case CLEW_EXPR_LET:
    clew_walk_expr(walk, expr->a, false);
    clew_walk_expr(walk, expr->b, false);
    clew_walk_expr(walk, expr->c, false);
    clew_walk_expr(walk, expr->d, false);
    break;
  }
}

/* The places of a statement, in the order in which they are evaluated; places that a kind does not
 * use have no type. */
static void walk_stmt_places(struct clew_walk *walk, const struct clew_stmt *stmt) {
  switch (stmt->kind) {
  case CLEW_STMT_ASSIGN:
  case CLEW_STMT_CLEAR:
  case CLEW_STMT_UNDEFINE:
    walk_place(walk, &stmt->place, CLEW_USE_WRITE);
    break;
  case CLEW_STMT_COPY:
    walk_place(walk, &stmt->place, CLEW_USE_WRITE);
    walk_place(walk, &stmt->place2, CLEW_USE_READ);
    break;
  case CLEW_STMT_BAG_ADD:
    walk_place(walk, &stmt->place, CLEW_USE_UPDATE);
    walk_place(walk, &stmt->place2, CLEW_USE_READ);
    break;
  case CLEW_STMT_BAG_REMOVE:
    walk_place(walk, &stmt->place, CLEW_USE_UPDATE);
    break;
  default:
    assert(stmt->place.type == NULL);
    break;
  }
}

static void walk_stmt(struct clew_walk *walk, const struct clew_stmt *stmt) {
  assert((unsigned)stmt->kind <= CLEW_STMT_BAG_REMOVE);
  if (walk->stmt != NULL) {
    walk->stmt(walk, stmt);
  }
  bool raw = stmt->kind == CLEW_STMT_ASSIGN || stmt->kind == CLEW_STMT_RETURN;
  walk_stmt_places(walk, stmt);
  clew_walk_expr(walk, stmt->value, raw);
  clew_walk_expr(walk, stmt->value2, false);
  if (stmt->kind == CLEW_STMT_CALL) {
    walk_call(walk, stmt->call, true);
  }
  for (uint32_t i = 0; i < stmt->case_count; i++) {
    clew_walk_stmts(walk, stmt->cases[i].body);
  }
  clew_walk_stmts(walk, stmt->body);
  clew_walk_stmts(walk, stmt->otherwise);
}

void clew_walk_stmts(struct clew_walk *walk, const struct clew_stmt *list) {
  if (list == NULL) {
    return;
  }
  if (walk->depth == CLEW_MAX_DEPTH) {
    walk->too_deep = true;
    return;
  }
  walk->depth++;
  for (; list != NULL; list = list->next) {
    walk_stmt(walk, list);
  }
  walk->depth--;
  assert(walk->depth < CLEW_MAX_DEPTH);
}

static void walk_pure(struct clew_walk *walk, const struct clew_expr *expr) {
  assert(!walk->pure);
  walk->pure = true;
  clew_walk_expr(walk, expr, false);
  walk->pure = false;
}

static void walk_families(struct clew_walk *walk, struct clew_family *const *families,
                          uint32_t count) {
  assert(walk->function == NULL);
  for (uint32_t i = 0; i < count; i++) {
    walk->frame = families[i]->frame;
    for (uint32_t j = 0; j < families[i]->rule_count; j++) {
      walk_pure(walk, families[i]->rules[j].guard);
      clew_walk_stmts(walk, families[i]->rules[j].body);
    }
  }
}

void clew_walk_function(struct clew_walk *walk, const struct clew_function *function) {
  assert(walk->function == NULL);
  walk->function = function;
  walk->frame = function->frame;
  clew_walk_stmts(walk, function->body);
  walk->function = NULL;
}

void clew_walk_program(struct clew_walk *walk) {
  const struct clew_program *program = walk->program;
  assert(program != NULL && walk->depth == 0);
  for (uint32_t i = 0; i < program->functions.len; i++) {
    clew_walk_function(walk, program->functions.data[i]);
  }
  walk_families(walk, program->starts.data, program->starts.len);
  walk_families(walk, program->families.data, program->families.len);
  for (uint32_t i = 0; i < program->labels.len; i++) {
    walk->frame = program->labels.data[i].frame;
    walk_pure(walk, program->labels.data[i].value);
  }
}
