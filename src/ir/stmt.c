/* Statements. Most are filled in by the front end; only the assignment has something to decide. */
#include <assert.h>

#include "ir/ir_int.h"

struct clew_stmt *clew_stmt_new(struct clew_program *program, enum clew_stmt_kind kind) {
  assert((unsigned)kind <= CLEW_STMT_BAG_REMOVE);
  struct clew_stmt *stmt = CLEW_NEW(program->arena, struct clew_stmt);
  stmt->kind = kind;
  stmt->site = CLEW_NONE;
  stmt->step = 1;
  stmt->limit = CLEW_MAX_LOOP;
  return stmt;
}

void clew_list_add(struct clew_list *list, struct clew_stmt *stmt) {
  assert(stmt->next == NULL && stmt != list->last);
  if (list->last == NULL) {
    list->first = stmt;
  } else {
    list->last->next = stmt;
  }
  list->last = stmt;
}

bool clew_expr_fits(const struct clew_expr *value, const struct clew_type *type) {
  assert(type->kind == CLEW_TYPE_SCALAR);
  if (value->kind == CLEW_EXPR_UNDEFINED) {
    return type->undefinable;
  }
  bool may_be_undefined =
      (value->kind == CLEW_EXPR_LOAD_RAW && value->place.type->undefinable) ||
      (value->kind == CLEW_EXPR_CALL && value->call->function->result->undefinable);
  if (may_be_undefined && !type->undefinable) {
    return false;
  }
  return value->lo >= type->domain->lo && value->hi <= type->domain->hi;
}

struct clew_stmt *clew_stmt_assign(struct clew_program *program, struct clew_place place,
                                   const struct clew_expr *value, uint32_t site) {
  assert(place.type->kind == CLEW_TYPE_SCALAR);
  struct clew_stmt *stmt = clew_stmt_new(program, CLEW_STMT_ASSIGN);
  stmt->place = place;
  stmt->value = value;
  stmt->checked = !clew_expr_fits(value, place.type);
  stmt->site = stmt->checked ? site : CLEW_NONE;
  return stmt;
}
