/* Statements of functions. */
#include "lang/uppaal/lower.h"

#include <assert.h>

enum { MOST_ITERATIONS = 1000000 };

void clew_uppaal_lower_effects(struct uppaal_lowering *l, struct uppaal_exprs list) {
  for (uint32_t i = 0; i < list.count; i++) {
    struct uppaal_expr expr = *list.data[i];
    if (expr.kind == UPPAAL_EXPR_STEP) {
      expr.is_prefix = true; /* nobody asks for the value: the old one need not be kept */
    }
    struct uppaal_value value = clew_uppaal_lower_value(l, &expr);
    if (value.kind == UPPAAL_VALUE_EXPR && expr.kind == UPPAAL_EXPR_CALL) {
      (void)clew_uppaal_hold(l, value.expr, l->out); /* it may end in a run-time error */
    }
  }
}

/* The last of a list; those before are there for their effects. */
static const struct clew_expr *lower_condition(struct uppaal_lowering *l,
                                               struct uppaal_exprs list) {
  if (list.count == 0) {
    return clew_uppaal_const(l, 1);
  }
  struct uppaal_exprs before = {list.data, list.count - 1};
  clew_uppaal_lower_effects(l, before);
  return clew_uppaal_lower_truth(l, list.data[list.count - 1]);
}

/* Lowers into a list of its own. */
static struct clew_list lower_apart(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  struct clew_list list = {0}, *out = l->out;
  l->out = &list;
  if (stmt != NULL) {
    clew_uppaal_lower_stmt(l, stmt);
  }
  l->out = out;
  return list;
}

static void lower_if(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
  branch->value = lower_condition(l, stmt->values);
  branch->body = lower_apart(l, stmt->body).first;
  branch->otherwise = lower_apart(l, stmt->otherwise).first;
  clew_list_add(l->out, branch);
}

static struct clew_stmt *loop_new(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_WHILE);
  loop->limit = MOST_ITERATIONS;
  loop->site = clew_uppaal_site(l, CLEW_SITE_LOOP, stmt->span, "a loop runs more than %d times",
                                MOST_ITERATIONS);
  return loop;
}

/* while (a) b, for (…; a; c) b and do b while (a). The condition is an expression unless it has
 * effects; then, and for `do`, a variable says whether to go on. */
static void lower_loop(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  clew_uppaal_lower_effects(l, stmt->before);
  bool is_do = stmt->kind == UPPAAL_STMT_DO;
  struct clew_list *out = l->out, effects = {0};
  l->out = &effects;
  const struct clew_expr *condition = is_do ? NULL : lower_condition(l, stmt->values);
  l->out = out;
  struct clew_stmt *loop = loop_new(l, stmt);
  struct clew_list body = lower_apart(l, stmt->body);
  l->out = &body;
  clew_uppaal_lower_effects(l, stmt->after);
  l->out = out;
  if (!is_do && effects.first == NULL) {
    loop->value = condition;
    loop->body = body.first;
    clew_list_add(out, loop);
    return;
  }
  struct clew_place go = clew_uppaal_local(l, "go", clew_uppaal_range_type(l, 0, 1));
  clew_list_add(out, clew_stmt_assign(l->program, go, clew_uppaal_const(l, 1), CLEW_NONE));
  loop->value = clew_uppaal_load(l, go);
  if (is_do) {
    l->out = &body;
    condition = lower_condition(l, stmt->values);
    l->out = out;
    clew_list_add(&body, clew_stmt_assign(l->program, go, condition, CLEW_NONE));
    loop->body = body.first;
  } else {
    clew_list_add(&effects, clew_stmt_assign(l->program, go, condition, CLEW_NONE));
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = loop->value;
    branch->body = body.first;
    clew_list_add(&effects, branch);
    loop->body = effects.first;
  }
  clew_list_add(out, loop);
}

static void lower_each(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  const struct uppaal_shape *range = clew_uppaal_shape_range(l, stmt->type);
  if (range == NULL) {
    return;
  }
  struct uppaal_scope *outer = l->scope;
  l->scope = clew_uppaal_scope_new(l, outer);
  struct uppaal_symbol *symbol = clew_uppaal_declare(l, stmt->ref, UPPAAL_SYMBOL_VARIABLE);
  symbol->type = range;
  symbol->is_read_only = true;
  symbol->place = clew_uppaal_local(l, clew_uppaal_keep(l, stmt->ref.name->id.text),
                                    clew_uppaal_ir_type(l, range, 0));
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_FOR);
  loop->cell = symbol->place.base;
  loop->value = clew_uppaal_const(l, range->lo);
  loop->value2 = clew_uppaal_const(l, range->hi);
  loop->body = lower_apart(l, stmt->body).first;
  clew_list_add(l->out, loop);
  if (range->scalar != NULL) {
    assert(l->variant != NULL);
    struct uppaal_scalar_loop each = {
        .scalar = range->scalar, .function = l->variant->code, .loop = loop, .span = stmt->span};
    clew_vec_push(&l->scalar_loops, each);
  }
  l->scope = outer;
}

static void lower_block(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  struct uppaal_scope *outer = l->scope;
  l->scope = clew_uppaal_scope_new(l, outer);
  for (const struct uppaal_decl *each = stmt->decls; each != NULL; each = each->next) {
    clew_uppaal_lower_local(l, each);
  }
  for (const struct uppaal_stmt *each = stmt->body; each != NULL; each = each->next) {
    clew_uppaal_lower_stmt(l, each);
  }
  l->scope = outer;
}

static void lower_assert(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  struct clew_stmt *claim = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
  claim->value = lower_condition(l, stmt->values);
  claim->site = clew_uppaal_site(l, CLEW_SITE_ASSERTION, stmt->span, "assertion failed");
  clew_list_add(l->out, claim);
}

void clew_uppaal_lower_stmt(struct uppaal_lowering *l, const struct uppaal_stmt *stmt) {
  assert(l->out != NULL);
  switch (stmt->kind) {
  case UPPAAL_STMT_EMPTY:
    return;
  case UPPAAL_STMT_BLOCK:
    lower_block(l, stmt);
    return;
  case UPPAAL_STMT_EXPR:
    clew_uppaal_lower_effects(l, stmt->values);
    return;
  case UPPAAL_STMT_IF:
    lower_if(l, stmt);
    return;
  case UPPAAL_STMT_WHILE:
  case UPPAAL_STMT_DO:
  case UPPAAL_STMT_FOR:
    lower_loop(l, stmt);
    return;
  case UPPAAL_STMT_EACH:
    lower_each(l, stmt);
    return;
  case UPPAAL_STMT_RETURN:
    clew_uppaal_lower_return(l, stmt);
    return;
  case UPPAAL_STMT_ASSERT:
    lower_assert(l, stmt);
    return;
  }
}
