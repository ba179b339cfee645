/* The interpreter: expressions and calls. Operands are evaluated from left to right, the indices of
 * a place before the place is read. */
#include "ir/explain_int.h"
#include "ir/interp_int.h"

static inline int64_t eval_load(struct clew_interp *in, const struct clew_expr *expr) {
  assert(expr->place.type->kind == CLEW_TYPE_SCALAR);
  const struct clew_place *place = &expr->place;
  int64_t value;
  if (place->space == CLEW_SPACE_STATE && place->index_count == 0) /* most loads of most models */
    value = clew_interp_get(in, (struct clew_spot){NULL, place->base + place->offset});
  else
    value = clew_interp_get(in, clew_interp_locate(in, place));
  if (value != CLEW_UNDEFINED)
    return value;
  clew_explain_undefined(in, &expr->place);
  /* Without a site only when a fault kept a frame from being initialised. */
  clew_interp_fault(in, expr->site);
  return expr->place.type->domain->lo;
}

/* Answers even where the cell can never be undefined: an index of the place may fault. */
static int64_t eval_is_undefined(struct clew_interp *in, const struct clew_expr *expr) {
  assert(expr->place.type->cells > 0);
  struct clew_spot spot = clew_interp_locate(in, &expr->place);
  return expr->hi != 0 && clew_interp_get(in, spot) == CLEW_UNDEFINED;
}

/* Division and remainder round towards zero. */
static bool divide(enum clew_op op, int64_t a, int64_t b, int64_t *result) {
  assert(op == CLEW_OP_DIV || op == CLEW_OP_MOD);
  if (b == 0)
    return false;
  if (b == -1) { /* traps for the least integer */
    *result = 0;
    return op == CLEW_OP_MOD || !__builtin_sub_overflow((int64_t)0, a, result);
  }
  *result = op == CLEW_OP_DIV ? a / b : a % b;
  return true;
}

static bool shift(enum clew_op op, int64_t a, int64_t b, int64_t *result) {
  assert(op == CLEW_OP_SHL || op == CLEW_OP_SHR);
  if (b < 0 || b > 63)
    return false;
  if (op == CLEW_OP_SHR) {
    *result = a >> b;
    return true;
  }
  *result = (int64_t)((uint64_t)a << b);
  return *result >> b == a;
}

/* The operations that may fault; false when this one does. */
static bool arithmetic(enum clew_op op, int64_t a, int64_t b, int64_t *result) {
  switch (op) {
  case CLEW_OP_ADD:
    return !__builtin_add_overflow(a, b, result);
  case CLEW_OP_SUB:
    return !__builtin_sub_overflow(a, b, result);
  case CLEW_OP_MUL:
    return !__builtin_mul_overflow(a, b, result);
  case CLEW_OP_DIV:
  case CLEW_OP_MOD:
    return divide(op, a, b, result);
  default:
    return shift(op, a, b, result);
  }
}

static int64_t eval_arithmetic(struct clew_interp *in, const struct clew_expr *expr, int64_t a,
                               int64_t b) {
  int64_t result;
  /* INT64_MIN is no number: it stands for undefined. */
  if (arithmetic(expr->op, a, b, &result) && result != INT64_MIN)
    return result;
  clew_explain_arithmetic(in, expr, a, b);
  clew_interp_fault(in, expr->site);
  return 0;
}

static int64_t eval_binary(struct clew_interp *in, const struct clew_expr *expr);

/* Generated models repeat large parts of guards, in one rule as they are and in the next negated.
 * They are one node then, and in one state have one value. */
static int64_t eval_large(struct clew_interp *in, const struct clew_expr *expr) {
  if (!expr->pure || !in->in_guard)
    return eval_binary(in, expr);
  struct clew_memo *memo = &in->memos[expr->number % CLEW_INTERP_MEMOS];
  if (memo->expr != expr)
    *memo = (struct clew_memo){expr, eval_binary(in, expr)};
  return memo->value;
}

/* An operand: leaves without a call. */
static inline int64_t eval_operand(struct clew_interp *in, const struct clew_expr *expr) {
  if (expr->kind == CLEW_EXPR_BINARY)
    return expr->size < CLEW_INTERP_MEMO_SIZE ? eval_binary(in, expr) : eval_large(in, expr);
  if (expr->kind == CLEW_EXPR_CONST)
    return expr->value;
  return expr->kind == CLEW_EXPR_LOAD ? eval_load(in, expr) : clew_interp_eval(in, expr);
}

static int64_t eval_unary(struct clew_interp *in, const struct clew_expr *expr) {
  int64_t a = eval_operand(in, expr->a);
  switch (expr->op) {
  case CLEW_OP_NOT:
    return a == 0;
  case CLEW_OP_BIT_NOT:
    return ~a;
  default:
    assert(expr->op == CLEW_OP_NEG);
    if (a != INT64_MIN)
      return -a;
    clew_interp_fault(in, expr->site);
    return 0;
  }
}

/* The value of a constant or of a cell of the state that is defined; false when it is anything
 * else. */
static inline bool eval_leaf(const struct clew_interp *in, const struct clew_expr *expr,
                             int64_t *value) {
  if (expr->kind == CLEW_EXPR_CONST) {
    *value = expr->value;
    return true;
  }
  if (expr->kind != CLEW_EXPR_LOAD || expr->place.space != CLEW_SPACE_STATE ||
      expr->place.index_count > 0)
    return false;
  *value = clew_interp_get(in, (struct clew_spot){NULL, expr->place.base + expr->place.offset});
  return *value != CLEW_UNDEFINED;
}

/* An operand of AND and OR. Large guards consist of comparisons of leaves, which are made here. */
static inline bool eval_truth(struct clew_interp *in, const struct clew_expr *expr) {
  int64_t a, b;
  if (expr->kind == CLEW_EXPR_BINARY && expr->op == CLEW_OP_EQ && eval_leaf(in, expr->a, &a) &&
      eval_leaf(in, expr->b, &b))
    return a == b;
  return eval_operand(in, expr) != 0;
}

static int64_t eval_binary(struct clew_interp *in, const struct clew_expr *expr) {
  if (expr->op == CLEW_OP_AND)
    return eval_truth(in, expr->a) && eval_truth(in, expr->b);
  if (expr->op == CLEW_OP_OR)
    return eval_truth(in, expr->a) || eval_truth(in, expr->b);
  int64_t a = eval_operand(in, expr->a);
  int64_t b = eval_operand(in, expr->b);
  switch (expr->op) {
  case CLEW_OP_EQ:
    return a == b;
  case CLEW_OP_NE:
    return a != b;
  case CLEW_OP_LT:
    return a < b;
  case CLEW_OP_LE:
    return a <= b;
  case CLEW_OP_GT:
    return a > b;
  case CLEW_OP_GE:
    return a >= b;
  case CLEW_OP_BIT_AND:
    return a & b;
  case CLEW_OP_BIT_OR:
    return a | b;
  case CLEW_OP_BIT_XOR:
    return a ^ b;
  default:
    return eval_arithmetic(in, expr, a, b);
  }
}

/* One value of a quantifier's body into the result; false when that decides it. */
static bool accumulate(enum clew_op op, int64_t value, int64_t *result) {
  switch (op) {
  case CLEW_OP_FORALL:
    *result = value != 0;
    return value != 0;
  case CLEW_OP_EXISTS:
    *result = value != 0;
    return value == 0;
  case CLEW_OP_COUNT:
    *result += value != 0;
    return true;
  default:
    assert(op == CLEW_OP_SUM);
    *result = (int64_t)((uint64_t)*result + (uint64_t)value);
    return true;
  }
}

static int64_t eval_quantify(struct clew_interp *in, const struct clew_expr *expr) {
  int64_t from = clew_interp_eval(in, expr->a);
  int64_t to = clew_interp_eval(in, expr->b);
  int64_t step = clew_interp_eval(in, expr->c);
  assert(step != 0);
  int64_t result = expr->op == CLEW_OP_FORALL;
  for (int64_t i = from; in->pending == CLEW_NONE && (step > 0 ? i <= to : i >= to);) {
    in->cells[expr->cell] = i;
    clew_interp_poll(in, expr->polls);
    if (!accumulate(expr->op, clew_interp_eval(in, expr->d), &result))
      break;
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  return result;
}

static int64_t eval_equal(struct clew_interp *in, const struct clew_expr *expr) {
  assert(expr->place.type->cells == expr->place2.type->cells);
  struct clew_spot a = clew_interp_locate(in, &expr->place);
  struct clew_spot b = clew_interp_locate(in, &expr->place2);
  return clew_interp_equal(in, a, b, expr->place.type->cells);
}

int64_t clew_interp_eval(struct clew_interp *in, const struct clew_expr *expr) {
  switch (expr->kind) {
  case CLEW_EXPR_CONST:
    return expr->value;
  case CLEW_EXPR_LOAD:
    return eval_load(in, expr);
  case CLEW_EXPR_LOAD_RAW:
    return clew_interp_get(in, clew_interp_locate(in, &expr->place));
  case CLEW_EXPR_UNDEFINED:
    return CLEW_UNDEFINED;
  case CLEW_EXPR_IS_UNDEFINED:
    return eval_is_undefined(in, expr);
  case CLEW_EXPR_UNARY:
    return eval_unary(in, expr);
  case CLEW_EXPR_BINARY:
    return eval_binary(in, expr);
  case CLEW_EXPR_COND:
    return clew_interp_eval(in, clew_interp_eval(in, expr->a) != 0 ? expr->b : expr->c);
  case CLEW_EXPR_QUANTIFY:
    return eval_quantify(in, expr);
  case CLEW_EXPR_LET:
    in->cells[expr->cell] = clew_interp_eval(in, expr->a);
    return clew_interp_eval(in, expr->b);
  case CLEW_EXPR_CALL:
    return clew_interp_call(in, expr->call);
  case CLEW_EXPR_EQUAL:
    return eval_equal(in, expr);
  }
  assert(false && "a kind of expression");
  return 0;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Runs the function on a frame whose parameters are set. */
static int64_t call_enter(struct clew_interp *in, const struct clew_function *function,
                          int64_t *cells, const struct clew_spot *refs) {
  int64_t *caller_cells = in->cells;
  const struct clew_spot *caller_refs = in->refs;
  for (uint32_t i = function->value_count; i < function->frame->cells; i++)
    cells[i] = CLEW_UNDEFINED;
  in->cells = cells;
  in->refs = refs;
  in->depth++;
  bool returned = clew_interp_run(in, function->body);
  in->depth--;
  in->cells = caller_cells;
  in->refs = caller_refs;
  if (function->result == NULL)
    return 0;
  if (returned)
    return in->result;
  clew_explain_no_result(in, function, cells);
  clew_interp_fault(in, function->no_result_site);
  return function->result->domain->lo;
}

static bool call_too_deep(const struct clew_interp *in) {
  return in->depth >= CLEW_MAX_CALL_DEPTH || (uintptr_t)__builtin_frame_address(0) < in->stack_end;
}

int64_t clew_interp_call(struct clew_interp *in, const struct clew_call *call) {
  const struct clew_function *function = call->function;
  assert(function->value_count <= function->frame->cells);
  int64_t result = function->result == NULL ? 0 : function->result->domain->lo;
  struct clew_stack_mark mark = clew_stack_get_mark(in->stack);
  int64_t *cells = clew_stack_push(in->stack, function->frame->cells * sizeof *cells);
  struct clew_spot *refs = clew_stack_push(in->stack, function->reference_count * sizeof *refs);
  if (cells == NULL || refs == NULL) {
    clew_interp_fault(in, call->site);
  } else {
    for (uint32_t i = 0; i < function->value_count; i++)
      cells[i] = clew_interp_eval(in, call->values[i]);
    for (uint32_t i = 0; i < function->reference_count; i++) {
      refs[i] = clew_interp_locate(in, &call->refs[i]);
      in->dirty |= refs[i].cells != NULL; /* it may write there */
    }
    if (call_too_deep(in))
      clew_interp_fault(in, call->site);
    clew_interp_poll(in, function->polls);
    if (in->pending == CLEW_NONE)
      result = call_enter(in, function, cells, refs);
  }
  clew_stack_pop(in->stack, mark);
  return result;
}
