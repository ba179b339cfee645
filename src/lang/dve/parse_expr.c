/* Parsing expressions, by precedence climbing. From loose to tight, all left-associative:
 *
 *   imply   or and || &&   | & ^   == !=   < <= > >=   << >>   + -   * / %   unary - ~ not
 *
 * `or` and `and` are one level: `a or b and c` is `(a or b) and c`. A run of the same of the two is
 * one node with many operands, so that a conjunction of a thousand terms is not a thousand levels
 * deep. */
#include "lang/dve/parse.h"

#include <assert.h>
#include <stddef.h>

#include "lang/climb.h"

enum level {
  LEVEL_IMPLY = 1,
  LEVEL_LOGIC,
  LEVEL_BITS,
  LEVEL_EQUAL,
  LEVEL_COMPARE,
  LEVEL_SHIFT,
  LEVEL_ADD,
  LEVEL_MUL,
  LEVEL_UNARY,
};

static const struct clew_operator operators[DVE_TOKEN_COUNT] = {
    [DVE_TOKEN_IMPLY] = {LEVEL_IMPLY, DVE_OP_IMPLY},
    [DVE_TOKEN_OR] = {LEVEL_LOGIC, DVE_OP_OR},
    [DVE_TOKEN_OROR] = {LEVEL_LOGIC, DVE_OP_OR},
    [DVE_TOKEN_AND] = {LEVEL_LOGIC, DVE_OP_AND},
    [DVE_TOKEN_ANDAND] = {LEVEL_LOGIC, DVE_OP_AND},
    [DVE_TOKEN_BIT_OR] = {LEVEL_BITS, DVE_OP_BIT_OR},
    [DVE_TOKEN_BIT_AND] = {LEVEL_BITS, DVE_OP_BIT_AND},
    [DVE_TOKEN_BIT_XOR] = {LEVEL_BITS, DVE_OP_BIT_XOR},
    [DVE_TOKEN_EQ] = {LEVEL_EQUAL, DVE_OP_EQ},
    [DVE_TOKEN_NE] = {LEVEL_EQUAL, DVE_OP_NE},
    [DVE_TOKEN_LT] = {LEVEL_COMPARE, DVE_OP_LT},
    [DVE_TOKEN_LE] = {LEVEL_COMPARE, DVE_OP_LE},
    [DVE_TOKEN_GT] = {LEVEL_COMPARE, DVE_OP_GT},
    [DVE_TOKEN_GE] = {LEVEL_COMPARE, DVE_OP_GE},
    [DVE_TOKEN_SHL] = {LEVEL_SHIFT, DVE_OP_SHL},
    [DVE_TOKEN_SHR] = {LEVEL_SHIFT, DVE_OP_SHR},
    [DVE_TOKEN_PLUS] = {LEVEL_ADD, DVE_OP_ADD},
    [DVE_TOKEN_MINUS] = {LEVEL_ADD, DVE_OP_SUB},
    [DVE_TOKEN_STAR] = {LEVEL_MUL, DVE_OP_MUL},
    [DVE_TOKEN_SLASH] = {LEVEL_MUL, DVE_OP_DIV},
    [DVE_TOKEN_PERCENT] = {LEVEL_MUL, DVE_OP_MOD},
};

static const struct clew_level levels[] = {
    [LEVEL_LOGIC] = {CLEW_GROUP_RUN, NULL},
    [LEVEL_UNARY] = {CLEW_GROUP_LEFT, NULL},
};

static void *parse_operand(struct clew_cursor *p);
static void *binary_new(struct clew_cursor *p, uint8_t op, void *a, void *b);
static void *logic_new(struct clew_cursor *p, void *const *operands, const uint8_t *ops,
                       uint32_t count);

static const struct clew_climber climber = {.operators = operators,
                                            .levels = levels,
                                            .operand = parse_operand,
                                            .binary = binary_new,
                                            .chain = logic_new};

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* The part of a node that this kind uses. */
static size_t expr_bytes(enum dve_expr_kind kind) {
  switch (kind) {
  case DVE_EXPR_NUMBER:
    return offsetof(struct dve_expr, number) + sizeof(int64_t);
  case DVE_EXPR_UNARY:
  case DVE_EXPR_BINARY:
    return offsetof(struct dve_expr, b) + sizeof(struct dve_expr *);
  case DVE_EXPR_LOGIC:
    return offsetof(struct dve_expr, operand_count) + sizeof(uint32_t);
  case DVE_EXPR_VARIABLE:
    return offsetof(struct dve_expr, process);
  default:
    return sizeof(struct dve_expr);
  }
}

static struct dve_expr *expr_new(struct clew_cursor *p, enum dve_expr_kind kind,
                                 struct clew_span span) {
  struct dve_expr *expr = clew_arena_alloc(p->front->arena, expr_bytes(kind));
  expr->kind = kind;
  expr->span = span;
  expr->depth = 1;
  return expr;
}

static struct dve_expr *error_expr(struct clew_cursor *p) {
  assert(p->panic);
  return expr_new(p, DVE_EXPR_NUMBER, clew_cursor_here(p));
}

static void adopt(struct clew_cursor *p, struct dve_expr *expr, const struct dve_expr *child) {
  clew_cursor_adopt(p, expr->span, &expr->depth, child->depth);
}

static void *binary_new(struct clew_cursor *p, uint8_t op, void *a, void *b) {
  if (p->panic) {
    return error_expr(p);
  }
  struct dve_expr *left = a, *right = b;
  struct dve_expr *expr = expr_new(p, DVE_EXPR_BINARY, clew_span_join(left->span, right->span));
  expr->op = (enum dve_op)op;
  expr->a = left;
  expr->b = right;
  adopt(p, expr, left);
  adopt(p, expr, right);
  return expr;
}

/* A run of `and` or of `or`. */
static void *logic_new(struct clew_cursor *p, void *const *operands, const uint8_t *ops,
                       uint32_t count) {
  if (p->panic) {
    return error_expr(p);
  }
  assert(count >= 2 && (ops[0] == DVE_OP_AND || ops[0] == DVE_OP_OR));
  const struct dve_expr *first = operands[0], *last = operands[count - 1];
  struct dve_expr *expr = expr_new(p, DVE_EXPR_LOGIC, clew_span_join(first->span, last->span));
  expr->op = (enum dve_op)ops[0];
  expr->operand_count = count;
  expr->operands = clew_arena_copy(p->front->arena, operands, count, sizeof(void *));
  for (uint32_t i = 0; i < count; i++) {
    adopt(p, expr, operands[i]);
  }
  return expr;
}

/* ---- Primaries ------------------------------------------------------------------------------ */

static struct dve_expr *parse_number(struct clew_cursor *p) {
  struct dve_expr *expr = expr_new(p, DVE_EXPR_NUMBER, clew_cursor_here(p));
  expr->number = clew_cursor_take_number(p);
  if (expr->number > INT32_MAX) {
    clew_cursor_fail(p, expr->span, "this number is too large: the greatest is %d", INT32_MAX);
  }
  return expr;
}

/* The index behind a variable, if there is one. */
static void parse_index(struct clew_cursor *p, struct dve_expr *expr) {
  if (clew_cursor_peek(p) != DVE_TOKEN_LBRACKET || p->panic || !clew_cursor_nest(p)) {
    return;
  }
  p->at++;
  expr->index = clew_dve_parse_expr(p);
  clew_cursor_expect(p, DVE_TOKEN_RBRACKET, "after the index");
  clew_cursor_unnest(p);
  if (!p->panic) {
    adopt(p, expr, expr->index);
    expr->span = clew_span_join(expr->span, clew_cursor_previous(p));
  }
}

struct dve_expr *clew_dve_parse_place(struct clew_cursor *p) {
  struct dve_expr *expr = expr_new(p, DVE_EXPR_VARIABLE, clew_cursor_here(p));
  expr->ref = clew_dve_parse_ref(p, "a variable");
  parse_index(p, expr);
  return expr;
}

/* x, x[i], P.state, P->x, P->x[i] */
static struct dve_expr *parse_designator(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == CLEW_TOKEN_NAME);
  uint32_t behind = clew_cursor_peek2(p);
  if (behind != DVE_TOKEN_DOT && behind != DVE_TOKEN_ARROW) {
    return clew_dve_parse_place(p);
  }
  bool foreign = behind == DVE_TOKEN_ARROW;
  struct dve_expr *expr =
      expr_new(p, foreign ? DVE_EXPR_FOREIGN : DVE_EXPR_IN_STATE, clew_cursor_here(p));
  struct dve_ref process = clew_dve_parse_ref(p, "a process");
  expr->process = clew_arena_copy(p->front->arena, &process, 1, sizeof process);
  p->at++;
  expr->ref = clew_dve_parse_ref(p, foreign ? "the name of a variable" : "the name of a state");
  if (!p->panic) {
    expr->span = clew_span_join(expr->span, expr->ref.span);
  }
  if (foreign) {
    parse_index(p, expr);
  }
  return expr;
}

static struct dve_expr *parse_parenthesised(struct clew_cursor *p) {
  struct clew_span head = clew_cursor_here(p);
  if (!clew_cursor_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct dve_expr *expr = clew_dve_parse_expr(p);
  clew_cursor_unnest(p);
  if (clew_cursor_expect(p, DVE_TOKEN_RPAREN, "to match '('")) {
    expr->span = clew_span_join(head, clew_cursor_previous(p));
  }
  return expr;
}

static struct dve_expr *parse_prefix(struct clew_cursor *p, enum dve_op op) {
  struct clew_span head = clew_cursor_here(p);
  if (!clew_cursor_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct dve_expr *a = clew_climb(p, &climber, LEVEL_UNARY);
  clew_cursor_unnest(p);
  if (p->panic) {
    return error_expr(p);
  }
  struct dve_expr *expr = expr_new(p, DVE_EXPR_UNARY, clew_span_join(head, a->span));
  expr->op = op;
  expr->a = a;
  adopt(p, expr, a);
  return expr;
}

static void *parse_operand(struct clew_cursor *p) {
  if (p->panic) {
    return error_expr(p);
  }
  switch (clew_cursor_peek(p)) {
  case CLEW_TOKEN_NUMBER:
    return parse_number(p);
  case CLEW_TOKEN_NAME:
    return parse_designator(p);
  case DVE_TOKEN_TRUE:
  case DVE_TOKEN_FALSE: {
    struct dve_expr *expr = expr_new(p, DVE_EXPR_NUMBER, clew_cursor_here(p));
    expr->number = clew_cursor_peek(p) == DVE_TOKEN_TRUE;
    p->at++;
    return expr;
  }
  case DVE_TOKEN_LPAREN:
    return parse_parenthesised(p);
  case DVE_TOKEN_MINUS:
    return parse_prefix(p, DVE_OP_NEG);
  case DVE_TOKEN_NOT:
    return parse_prefix(p, DVE_OP_NOT);
  case DVE_TOKEN_TILDE:
    return parse_prefix(p, DVE_OP_COMPLEMENT);
  case DVE_TOKEN_SEND:
    clew_cursor_fail(p, clew_cursor_here(p), "'!' is no operator: negation is written 'not'");
    return error_expr(p);
  default:
    clew_cursor_fail_expected(p, "an expression");
    return error_expr(p);
  }
}

/* ---- Expressions ---------------------------------------------------------------------------- */

struct dve_expr *clew_dve_parse_expr(struct clew_cursor *p) {
  return clew_climb(p, &climber, LEVEL_IMPLY);
}

struct dve_expr **clew_dve_parse_exprs(struct clew_cursor *p, bool places, uint32_t *count) {
  CLEW_VEC(struct dve_expr *) exprs = {0};
  do {
    struct dve_expr *expr = places ? clew_dve_parse_place(p) : clew_dve_parse_expr(p);
    clew_vec_push(&exprs, expr);
  } while (clew_cursor_accept(p, DVE_TOKEN_COMMA));
  *count = exprs.len;
  struct dve_expr **copy =
      clew_arena_copy(p->front->arena, exprs.data, exprs.len, sizeof *exprs.data);
  clew_vec_free(&exprs);
  return copy;
}
