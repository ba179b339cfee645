/* Checking expressions: every name is resolved and used as what it is. */
#include "lang/dve/check.h"

#include <assert.h>

/* A variable and its index, once it is found. */
static void check_index(struct dve_checker *c, struct dve_expr *expr) {
  if (expr->index == NULL) {
    return;
  }
  clew_dve_check_expr(c, expr->index);
  const struct dve_variable *variable = expr->variable;
  if (variable != NULL && !variable->is_array) {
    clew_front_error(c->d->front, expr->span, "'%s' is not an array", variable->ref.name->id.text);
  } else if (variable != NULL && expr->index->kind == DVE_EXPR_NUMBER &&
             expr->index->number >= (int64_t)variable->count && variable->count > 0) {
    clew_front_warn(c->d->front, expr->span, "index %lld is outside of '%s', which has %u elements",
                    (long long)expr->index->number, variable->ref.name->id.text, variable->count);
  }
}

/* The process in front of '.' or '->'; NULL when there is none that could be looked at. */
static struct dve_process *find_observed(struct dve_checker *c, const struct dve_expr *expr) {
  struct dve_process *process = clew_dve_find_process(c, *expr->process);
  if (process != NULL && c->in_query && process->is_property) {
    clew_front_error(c->d->front, expr->process->span,
                     "'%s' is the property process, which takes no part yet: it has no state",
                     process->ref.name->id.text);
    return NULL;
  }
  return process;
}

static void check_foreign(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr->kind == DVE_EXPR_FOREIGN);
  struct dve_process *process = find_observed(c, expr);
  if (process != NULL) {
    expr->variable = clew_dve_find_foreign(c, process, expr->ref);
  }
  check_index(c, expr);
  if (!c->in_query && (c->process == NULL || !c->process->is_property)) {
    clew_front_error(c->d->front, expr->span,
                     "\"%s\": only a property process may look at variables of another process",
                     clew_front_excerpt(c->d->front, expr->span));
  }
}

static void check_in_state(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr->kind == DVE_EXPR_IN_STATE);
  expr->in = find_observed(c, expr);
  if (expr->in == NULL) {
    return;
  }
  const struct dve_state *state = clew_dve_find_state_of(c, expr->in, expr->ref);
  expr->state = state != NULL ? state->index : 0;
}

void clew_dve_check_expr(struct dve_checker *c, struct dve_expr *expr) {
  assert(expr != NULL);
  switch (expr->kind) {
  case DVE_EXPR_NUMBER:
    return;
  case DVE_EXPR_VARIABLE:
    expr->variable = clew_dve_find_variable(c, expr->ref);
    check_index(c, expr);
    return;
  case DVE_EXPR_FOREIGN:
    check_foreign(c, expr);
    return;
  case DVE_EXPR_IN_STATE:
    check_in_state(c, expr);
    return;
  case DVE_EXPR_UNARY:
    clew_dve_check_expr(c, expr->a);
    return;
  case DVE_EXPR_BINARY:
    clew_dve_check_expr(c, expr->a);
    clew_dve_check_expr(c, expr->b);
    return;
  case DVE_EXPR_LOGIC:
    for (uint32_t i = 0; i < expr->operand_count; i++) {
      clew_dve_check_expr(c, expr->operands[i]);
    }
    return;
  }
}

void clew_dve_check_place(struct dve_checker *c, struct dve_expr *place) {
  assert(place->kind == DVE_EXPR_VARIABLE);
  clew_dve_check_expr(c, place);
  if (place->variable != NULL && place->variable->is_const) {
    clew_front_error(c->d->front, place->span, "'%s' is a constant: it cannot change",
                     place->variable->ref.name->id.text);
  } else if (place->variable != NULL && !c->process->is_property) {
    place->variable->is_assigned = true;
  } else if (place->variable != NULL && place->variable->process == NULL) {
    clew_front_error(c->d->front, place->span,
                     "the property process '%s' must not change the global variable "
                     "'%s'",
                     c->process->ref.name->id.text, place->variable->ref.name->id.text);
  }
}
