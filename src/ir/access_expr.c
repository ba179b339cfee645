/* The access analysis: expressions, places and calls. Operands are evaluated in the order of the
 * interpreter, because functions may have effects. */
#include <assert.h>

#include "base/alloc.h"
#include "ir/access_int.h"
#include "ir/range.h"

/* Beyond these the analysis gives up on the rule instance or (unrolling) treats a loop variable as
 * unknown. The depth bounds the C stack. */
enum { MAX_STEPS = 1 << 20, MAX_NESTING = 2000, MAX_UNROLLED = 4096 };

static const struct clew_known unknown = {.known = false};

static struct clew_known known(int64_t value) {
  return (struct clew_known){.known = true, .value = value};
}

static struct clew_known known_join(struct clew_known x, struct clew_known y) {
  return x.known && y.known && x.value == y.value ? x : unknown;
}

bool clew_abstract_enter(struct clew_abstract *a) {
  assert(a->depth <= MAX_NESTING);
  if (a->steps == MAX_STEPS || a->depth == MAX_NESTING) {
    a->gave_up = true;
  }
  if (a->gave_up) {
    return false;
  }
  a->steps++;
  a->depth++;
  return true;
}

void clew_abstract_leave(struct clew_abstract *a) {
  assert(a->depth > 0);
  a->depth--;
}

bool clew_abstract_unrolls(const struct clew_abstract *a, uint64_t iterations) {
  assert(a->unrolled > 0);
  return iterations <= MAX_UNROLLED && a->unrolled * iterations <= MAX_UNROLLED;
}

/* ---- Places ------------------------------------------------------------------------------- */

static void locate_index(struct clew_abstract *a, struct clew_region *region,
                         const struct clew_index *index) {
  struct clew_known value = clew_abstract_eval(a, index->value);
  int64_t last = index->lo + (int64_t)index->count - 1;
  int64_t lo = index->value->lo > index->lo ? index->value->lo : index->lo;
  int64_t hi = index->value->hi < last ? index->value->hi : last;
  if (value.known) {
    lo = hi = value.value;
  }
  if (lo > hi || lo < index->lo || hi > last) {
    a->flow.reachable = false; /* surely a fault */
    return;
  }
  uint64_t first = (uint64_t)lo - (uint64_t)index->lo;
  assert(first < index->count);
  region->base += (uint32_t)first * index->stride;
  clew_region_add_dim(region, (uint32_t)((uint64_t)hi - (uint64_t)lo) + 1, index->stride);
}

struct clew_region clew_abstract_locate(struct clew_abstract *a, const struct clew_place *place) {
  struct clew_region region = {0};
  switch (place->space) {
  case CLEW_SPACE_STATE:
    region.in_state = true;
    region.base = place->base;
    break;
  case CLEW_SPACE_FRAME:
    region.frame = a->activation->frame;
    region.base = place->base;
    break;
  case CLEW_SPACE_REF:
    assert(place->base < a->activation->function->reference_count);
    region = a->activation->refs[place->base];
    break;
  }
  region.base += place->offset;
  region.cells = place->type->cells;
  for (uint32_t i = 0; i < place->index_count; i++) {
    locate_index(a, &region, &place->indices[i]);
  }
  return region;
}

/* ---- Operators ---------------------------------------------------------------------------- */

/* Evaluates what may not be evaluated in an execution. */
static struct clew_known eval_weakly(struct clew_abstract *a, const struct clew_expr *expr) {
  bool reachable = a->flow.reachable;
  a->weak++;
  struct clew_known value = clew_abstract_eval(a, expr);
  a->weak--;
  a->flow.reachable = reachable;
  return value;
}

static struct clew_known eval_logic(struct clew_abstract *a, const struct clew_expr *expr) {
  assert(expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR);
  bool decisive = expr->op == CLEW_OP_OR;
  struct clew_known x = clew_abstract_eval(a, expr->a);
  if (x.known) {
    return (x.value != 0) == decisive ? known(decisive) : clew_abstract_eval(a, expr->b);
  }
  struct clew_known y = eval_weakly(a, expr->b);
  return y.known && (y.value != 0) == decisive ? known(decisive) : unknown;
}

static struct clew_known eval_binary(struct clew_abstract *a, const struct clew_expr *expr) {
  if (expr->op == CLEW_OP_AND || expr->op == CLEW_OP_OR) {
    return eval_logic(a, expr);
  }
  struct clew_known x = clew_abstract_eval(a, expr->a);
  struct clew_known y = clew_abstract_eval(a, expr->b);
  int64_t value;
  assert(expr->op >= CLEW_OP_ADD && expr->op < CLEW_OP_AND);
  return x.known && y.known && clew_fold_binary(expr->op, x.value, y.value, &value) ? known(value)
                                                                                    : unknown;
}

static struct clew_known eval_unary(struct clew_abstract *a, const struct clew_expr *expr) {
  struct clew_known x = clew_abstract_eval(a, expr->a);
  int64_t value;
  assert(expr->op <= CLEW_OP_BIT_NOT);
  return x.known && clew_fold_unary(expr->op, x.value, &value) ? known(value) : unknown;
}

static struct clew_known eval_cond(struct clew_abstract *a, const struct clew_expr *expr) {
  struct clew_known x = clew_abstract_eval(a, expr->a);
  assert(expr->kind == CLEW_EXPR_COND);
  if (x.known) {
    return clew_abstract_eval(a, x.value != 0 ? expr->b : expr->c);
  }
  struct clew_known y = eval_weakly(a, expr->b);
  return known_join(y, eval_weakly(a, expr->c));
}

static struct clew_known eval_let(struct clew_abstract *a, const struct clew_expr *expr) {
  assert(expr->kind == CLEW_EXPR_LET);
  struct clew_known value = clew_abstract_eval(a, expr->a);
  clew_abstract_bind(a, a->activation->frame, expr->cell, value);
  struct clew_known result = clew_abstract_eval(a, expr->b);
  /* An operand that is not evaluated does not bind either. */
  clew_abstract_bind(a, a->activation->frame, expr->cell, unknown);
  return result;
}

/* ---- Quantifiers -------------------------------------------------------------------------- */

static struct clew_known eval_unrolled(struct clew_abstract *a, const struct clew_expr *expr,
                                       int64_t from, uint64_t iterations) {
  bool logic = expr->op == CLEW_OP_FORALL || expr->op == CLEW_OP_EXISTS;
  bool decisive = expr->op == CLEW_OP_EXISTS, may_have_stopped = false, all_known = true;
  int64_t sum = 0;
  assert(a->unrolled * iterations > 0);
  a->unrolled *= iterations;
  uint64_t i = 0;
  for (; i < iterations && !a->gave_up; i++) {
    int64_t value = (int64_t)((uint64_t)from + i * (uint64_t)expr->c->value);
    clew_abstract_bind(a, a->activation->frame, expr->cell, known(value));
    struct clew_known body =
        may_have_stopped ? eval_weakly(a, expr->d) : clew_abstract_eval(a, expr->d);
    if (logic && body.known && (body.value != 0) == decisive) {
      break;
    }
    all_known &= body.known;
    may_have_stopped |= logic && !body.known;
    all_known &= !body.known || !__builtin_add_overflow(sum, body.value, &sum);
  }
  a->unrolled /= iterations;
  if (logic && i < iterations) {
    return known(decisive);
  }
  return !all_known ? unknown : known(logic ? !decisive : sum);
}

/* With an unknown variable. A body that changes cells (by calls) is repeated until what it can do
 * to them has been seen. */
static struct clew_known eval_any(struct clew_abstract *a, const struct clew_expr *expr) {
  uint32_t changes;
  assert(expr->kind == CLEW_EXPR_QUANTIFY);
  do {
    changes = a->weak_changes;
    clew_abstract_bind(a, a->activation->frame, expr->cell, unknown);
    eval_weakly(a, expr->d);
  } while (a->weak_changes != changes && !a->gave_up);
  return unknown;
}

static struct clew_known eval_quantify(struct clew_abstract *a, const struct clew_expr *expr) {
  struct clew_known from = clew_abstract_eval(a, expr->a);
  struct clew_known to = clew_abstract_eval(a, expr->b);
  struct clew_known result;
  assert(expr->c->kind == CLEW_EXPR_CONST);
  uint64_t iterations = UINT64_MAX;
  if (from.known && to.known) {
    iterations = clew_range_iterations(from.value, to.value, expr->c->value);
  }
  if (iterations == 0) {
    result = known(expr->op == CLEW_OP_FORALL);
  } else if (clew_abstract_unrolls(a, iterations)) {
    result = eval_unrolled(a, expr, from.value, iterations);
  } else {
    result = eval_any(a, expr);
  }
  clew_abstract_bind(a, a->activation->frame, expr->cell, unknown);
  return result;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static bool is_running(const struct clew_abstract *a, const struct clew_function *function) {
  for (const struct clew_activation *x = a->activation; x != NULL; x = x->caller) {
    assert(x != x->caller);
    if (x->function == function) {
      return true;
    }
  }
  return false;
}

struct clew_known clew_abstract_call(struct clew_abstract *a, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  assert(function != NULL);
  if (is_running(a, function)) {
    a->gave_up = true;
    return unknown;
  }
  struct clew_known *values = clew_alloc_zero((size_t)function->value_count + 1, sizeof *values);
  struct clew_region *refs = clew_alloc_zero((size_t)function->reference_count + 1, sizeof *refs);
  for (uint32_t i = 0; i < function->value_count; i++) {
    values[i] = clew_abstract_eval(a, call->values[i]);
  }
  for (uint32_t i = 0; i < function->reference_count; i++) {
    refs[i] = clew_abstract_locate(a, &call->refs[i]);
  }
  struct clew_activation activation = {.function = function, .refs = refs};
  activation.frame = clew_abstract_push(a, function->frame);
  for (uint32_t i = 0; i < function->value_count; i++) {
    clew_abstract_bind(a, activation.frame, function->frame->variables.data[i].cell, values[i]);
  }
  clew_abstract_run_body(a, &activation, function->body);
  clew_abstract_pop(a);
  clew_free(values);
  clew_free(refs);
  return activation.returned ? activation.result : unknown;
}

/* ---- Expressions -------------------------------------------------------------------------- */

static struct clew_known eval_load(struct clew_abstract *a, const struct clew_expr *expr) {
  struct clew_region region = clew_abstract_locate(a, &expr->place);
  if (expr->kind == CLEW_EXPR_IS_UNDEFINED) {
    region.cells = 1;
  }
  clew_region_read(a, &region);
  struct clew_known value = clew_region_value(a, &region);
  assert(region.cells == 1 || region.dim_count > 0);
  if (!value.known) {
    return value;
  }
  if (expr->kind == CLEW_EXPR_IS_UNDEFINED) {
    return known(value.value == CLEW_UNDEFINED);
  }
  return expr->kind == CLEW_EXPR_LOAD && value.value == CLEW_UNDEFINED ? unknown : value;
}

static struct clew_known eval_equal(struct clew_abstract *a, const struct clew_expr *expr) {
  struct clew_region x = clew_abstract_locate(a, &expr->place);
  struct clew_region y = clew_abstract_locate(a, &expr->place2);
  assert(expr->kind == CLEW_EXPR_EQUAL);
  if (expr->place.type->cells > 0) {
    clew_region_read(a, &x);
    clew_region_read(a, &y);
  }
  return unknown;
}

static struct clew_known eval_kind(struct clew_abstract *a, const struct clew_expr *expr) {
  assert((unsigned)expr->kind <= CLEW_EXPR_EQUAL);
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return known(expr->value);
  case CLEW_EXPR_UNDEFINED:
    return known(CLEW_UNDEFINED);
  case CLEW_EXPR_LOAD:
  case CLEW_EXPR_LOAD_RAW:
  case CLEW_EXPR_IS_UNDEFINED:
    return eval_load(a, expr);
  case CLEW_EXPR_UNARY:
    return eval_unary(a, expr);
  case CLEW_EXPR_BINARY:
    return eval_binary(a, expr);
  case CLEW_EXPR_COND:
    return eval_cond(a, expr);
  case CLEW_EXPR_QUANTIFY:
    return eval_quantify(a, expr);
  case CLEW_EXPR_LET:
    return eval_let(a, expr);
  case CLEW_EXPR_CALL:
    return clew_abstract_call(a, expr->call);
  case CLEW_EXPR_EQUAL:
    return eval_equal(a, expr);
  }
  return unknown;
}

struct clew_known clew_abstract_eval(struct clew_abstract *a, const struct clew_expr *expr) {
  if (!clew_abstract_enter(a)) {
    return unknown;
  }
  struct clew_known value = eval_kind(a, expr);
  clew_abstract_leave(a);
  bool raw = expr->kind == CLEW_EXPR_LOAD_RAW || expr->kind == CLEW_EXPR_CALL;
  assert(!value.known || raw || expr->kind == CLEW_EXPR_UNDEFINED || value.value != CLEW_UNDEFINED);
  return !value.known && !raw && expr->lo == expr->hi ? known(expr->lo) : value;
}
