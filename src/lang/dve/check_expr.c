/* Checking expressions: every name is resolved and used as what it is. */
#include "lang/dve/check.h"

#include <assert.h>

/* A variable and its index, once it is found. */
static void check_index(struct dve_checker *c, struct dve_expr *expr) {
  if (expr->index == NULL) {
    return;
  }
  dve_check_expr(c, expr->index);
  const struct dve_variable *variable = expr->variable;
  if (variable != NULL && !variable->is_array) {
    dve_error(c->d, expr->span, "'%s' is not an array", variable->ref.name->text);
  } else if (variable != NULL && expr->index->kind == DVE_EXPR_NUMBER &&
             expr->index->number >= (int64_t)variable->count && variable->count > 0) {
    dve_warn(c->d, expr->span, "index %lld is outside of '%s', which has %u elements",
             (long long)expr->index->number, variable->ref.name->text, variable->count);
  }
}

static void check_foreign(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr->kind == DVE_EXPR_FOREIGN);
  struct dve_process *process = dve_find_process(c, expr->process);
  if (process != NULL) {
    expr->variable = dve_find_foreign(c, process, expr->ref);
  }
  check_index(c, expr);
  if (c->process == NULL || !c->process->is_property) {
    dve_error(c->d, expr->span,
              "\"%s\": only a property process may look at variables of another process",
              dve_text(c->d, expr->span));
  }
}

static void check_in_state(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr->kind == DVE_EXPR_IN_STATE);
  expr->in = dve_find_process(c, expr->process);
  if (expr->in == NULL) {
    return;
  }
  const struct dve_state *state = dve_find_state_of(c, expr->in, expr->ref);
  expr->state = state != NULL ? state->index : 0;
}

void dve_check_expr(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr != NULL);
  switch (expr->kind) {
  case DVE_EXPR_NUMBER:
    return;
  case DVE_EXPR_VARIABLE:
    expr->variable = dve_find_variable(c, expr->ref);
    check_index(c, expr);
    return;
  case DVE_EXPR_FOREIGN:
    check_foreign(c, expr);
    return;
  case DVE_EXPR_IN_STATE:
    check_in_state(c, expr);
    return;
  case DVE_EXPR_UNARY:
    dve_check_expr(c, expr->a);
    return;
  case DVE_EXPR_BINARY:
    dve_check_expr(c, expr->a);
    dve_check_expr(c, expr->b);
    return;
  case DVE_EXPR_LOGIC:
    for (uint32_t i = 0; i < expr->operand_count; i++) {
      dve_check_expr(c, expr->operands[i]);
    }
    return;
  }
}

void dve_check_place(struct dve_checker *c, struct dve_expr *place) {
  assert(place->kind == DVE_EXPR_VARIABLE);
  dve_check_expr(c, place);
  if (place->variable != NULL && place->variable->is_const) {
    dve_error(c->d, place->span, "'%s' is a constant: it cannot change",
              place->variable->ref.name->text);
  } else if (place->variable != NULL && !c->process->is_property) {
    place->variable->is_assigned = true;
  } else if (place->variable != NULL && place->variable->process == NULL) {
    dve_error(c->d, place->span,
              "the property process '%s' must not change the global variable "
              "'%s'",
              c->process->ref.name->text, place->variable->ref.name->text);
  }
}
