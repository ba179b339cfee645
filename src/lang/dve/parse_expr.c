/* Parsing expressions, by precedence climbing. From loose to tight, all left-associative:
 *
 *   imply   or and || &&   | & ^   == !=   < <= > >=   << >>   + -   * / %   unary - ~ not
 *
 * `or` and `and` are one level: `a or b and c` is `(a or b) and c`. A run of the same of the two is
 * one node with many operands, so that a conjunction of a thousand terms is not a thousand levels
 * deep. */
#include "lang/dve/parse.h"

#include <assert.h>

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

struct operator{
  int level; /* 0: not a binary operator */
  enum dve_op op;
};

static struct operator operator_of(uint32_t kind) {
  static const struct operator table[DVE_TOKEN_COUNT] = {
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
  assert(kind < DVE_TOKEN_COUNT);
  return table[kind];
}

static struct dve_expr *parse_binary(struct dve_parser *p, int level);

/* ---- Nodes ---------------------------------------------------------------------------------- */

static struct dve_expr *expr_new(struct dve_parser *p, enum dve_expr_kind kind,
                                 struct dve_span span) {
  struct dve_expr *expr = CLEW_NEW(p->d->arena, struct dve_expr);
  expr->kind = kind;
  expr->span = span;
  expr->depth = 1;
  return expr;
}

static struct dve_expr *error_expr(struct dve_parser *p) {
  assert(p->panic);
  return expr_new(p, DVE_EXPR_NUMBER, dve_here(p));
}

/* Accounts for a child, and ends the growth of trees that later phases could not walk. */
static void adopt(struct dve_parser *p, struct dve_expr *expr, const struct dve_expr *child) {
  if (child->depth >= expr->depth) {
    expr->depth = child->depth + 1;
  }
  if (expr->depth > DVE_MAX_EXPR_DEPTH) {
    dve_fail_limit(p, expr->span, "this expression nests too many operators", DVE_MAX_EXPR_DEPTH);
  }
}

static struct dve_expr *binary_new(struct dve_parser *p, enum dve_op op, struct dve_expr *a,
                                   struct dve_expr *b) {
  if (p->panic) {
    return error_expr(p);
  }
  struct dve_expr *expr = expr_new(p, DVE_EXPR_BINARY, dve_span_join(a->span, b->span));
  expr->op = op;
  expr->a = a;
  expr->b = b;
  adopt(p, expr, a);
  adopt(p, expr, b);
  return expr;
}

/* ---- Primaries ------------------------------------------------------------------------------ */

static struct dve_expr *parse_number(struct dve_parser *p) {
  struct dve_expr *expr = expr_new(p, DVE_EXPR_NUMBER, dve_here(p));
  clew_lex_number(p->d->source, *p->at, &expr->number); /* the scanner has complained */
  if (expr->number > INT32_MAX) {
    dve_fail(p, dve_here(p), "this number is too large: the greatest is %d", INT32_MAX);
    return expr;
  }
  p->at++;
  return expr;
}

/* The index behind a variable, if there is one. */
static void parse_index(struct dve_parser *p, struct dve_expr *expr) {
  if (dve_peek(p) != DVE_TOKEN_LBRACKET || p->panic || !dve_nest(p)) {
    return;
  }
  p->at++;
  expr->index = dve_parse_expr(p);
  dve_expect(p, DVE_TOKEN_RBRACKET, "after the index");
  dve_unnest(p);
  if (!p->panic) {
    adopt(p, expr, expr->index);
    expr->span = dve_span_join(expr->span, dve_previous(p));
  }
}

struct dve_expr *dve_parse_place(struct dve_parser *p) {
  struct dve_expr *expr = expr_new(p, DVE_EXPR_VARIABLE, dve_here(p));
  expr->ref = dve_parse_ref(p, "a variable");
  parse_index(p, expr);
  return expr;
}

/* x, x[i], P.state, P->x, P->x[i] */
static struct dve_expr *parse_designator(struct dve_parser *p) {
  assert(dve_peek(p) == CLEW_TOKEN_NAME);
  uint32_t behind = dve_peek2(p);
  if (behind != DVE_TOKEN_DOT && behind != DVE_TOKEN_ARROW) {
    return dve_parse_place(p);
  }
  bool foreign = behind == DVE_TOKEN_ARROW;
  struct dve_expr *expr = expr_new(p, foreign ? DVE_EXPR_FOREIGN : DVE_EXPR_IN_STATE, dve_here(p));
  expr->process = dve_parse_ref(p, "a process");
  p->at++;
  expr->ref = dve_parse_ref(p, foreign ? "the name of a variable" : "the name of a state");
  if (!p->panic) {
    expr->span = dve_span_join(expr->span, expr->ref.span);
  }
  if (foreign) {
    parse_index(p, expr);
  }
  return expr;
}

static struct dve_expr *parse_parenthesised(struct dve_parser *p) {
  struct dve_span head = dve_here(p);
  if (!dve_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct dve_expr *expr = dve_parse_expr(p);
  dve_unnest(p);
  if (dve_expect(p, DVE_TOKEN_RPAREN, "to match '('")) {
    expr->span = dve_span_join(head, dve_previous(p));
  }
  return expr;
}

static struct dve_expr *parse_prefix(struct dve_parser *p, enum dve_op op) {
  struct dve_span head = dve_here(p);
  if (!dve_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct dve_expr *a = parse_binary(p, LEVEL_UNARY);
  dve_unnest(p);
  if (p->panic) {
    return error_expr(p);
  }
  struct dve_expr *expr = expr_new(p, DVE_EXPR_UNARY, dve_span_join(head, a->span));
  expr->op = op;
  expr->a = a;
  adopt(p, expr, a);
  return expr;
}

static struct dve_expr *parse_unary(struct dve_parser *p) {
  if (p->panic) {
    return error_expr(p);
  }
  switch (dve_peek(p)) {
  case CLEW_TOKEN_NUMBER:
    return parse_number(p);
  case CLEW_TOKEN_NAME:
    return parse_designator(p);
  case DVE_TOKEN_TRUE:
  case DVE_TOKEN_FALSE: {
    struct dve_expr *expr = expr_new(p, DVE_EXPR_NUMBER, dve_here(p));
    expr->number = dve_peek(p) == DVE_TOKEN_TRUE;
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
    dve_fail(p, dve_here(p), "'!' is no operator: negation is written 'not'");
    return error_expr(p);
  default:
    dve_fail_expected(p, "an expression");
    return error_expr(p);
  }
}

/* ---- Operators ------------------------------------------------------------------------------ */

/* The rest of a run of the same operator, `and` or `or`, that starts with `first`. */
static struct dve_expr *parse_run(struct dve_parser *p, struct dve_expr *first, enum dve_op op) {
  assert(op == DVE_OP_AND || op == DVE_OP_OR);
  CLEW_VEC(struct dve_expr *) operands = {0};
  clew_vec_push(&operands, first);
  struct dve_expr *expr = expr_new(p, DVE_EXPR_LOGIC, first->span);
  expr->op = op;
  adopt(p, expr, first);
  while (!p->panic && operator_of(dve_peek(p)).level == LEVEL_LOGIC &&
         operator_of(dve_peek(p)).op == op) {
    p->at++;
    struct dve_expr *operand = parse_binary(p, LEVEL_LOGIC + 1);
    adopt(p, expr, operand);
    clew_vec_push(&operands, operand);
  }
  expr->operand_count = operands.len;
  expr->operands = clew_arena_copy(p->d->arena, operands.data, operands.len, sizeof(void *));
  if (!p->panic) {
    expr->span = dve_span_join(first->span, clew_vec_last(&operands)->span);
  }
  clew_vec_free(&operands);
  return expr;
}

/* Everything that binds at least as tightly as `level`. */
static struct dve_expr *parse_binary(struct dve_parser *p, int level) {
  assert(level >= LEVEL_IMPLY && level <= LEVEL_UNARY);
  struct dve_expr *left = parse_unary(p);
  for (;;) {
    struct operator op = operator_of(dve_peek(p));
    if (p->panic || op.level == 0 || op.level < level) {
      return left;
    }
    if (op.level == LEVEL_LOGIC) {
      left = parse_run(p, left, op.op);
      continue;
    }
    p->at++;
    left = binary_new(p, op.op, left, parse_binary(p, op.level + 1));
  }
}

struct dve_expr *dve_parse_expr(struct dve_parser *p) {
  return parse_binary(p, LEVEL_IMPLY);
}

struct dve_expr **dve_parse_exprs(struct dve_parser *p, bool places, uint32_t *count) {
  CLEW_VEC(struct dve_expr *) exprs = {0};
  do {
    struct dve_expr *expr = places ? dve_parse_place(p) : dve_parse_expr(p);
    clew_vec_push(&exprs, expr);
  } while (dve_accept(p, DVE_TOKEN_COMMA));
  *count = exprs.len;
  struct dve_expr **copy = clew_arena_copy(p->d->arena, exprs.data, exprs.len, sizeof *exprs.data);
  clew_vec_free(&exprs);
  return copy;
}
