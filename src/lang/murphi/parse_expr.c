/* Parsing expressions, by precedence climbing. From loose to tight:
 *
 *   ?:   ->   | ||   ^   & &&   !   = == != < <= > >=   << >>   + -   * / %   unary + - ~
 *
 * `!` takes a whole comparison (`!a = b` is `!(a = b)`), wherever it stands. Comparisons, `->` and
 * `?:` do not associate. Chains of `&` and of `|` become balanced trees, so that a conjunction of a
 * thousand terms is not a thousand levels deep; evaluation stays from left to right. */
#include "lang/murphi/parse.h"

#include <assert.h>

enum level {
  LEVEL_COND = 1,
  LEVEL_IMPLIES,
  LEVEL_OR,
  LEVEL_XOR,
  LEVEL_AND,
  LEVEL_COMPARE,
  LEVEL_SHIFT,
  LEVEL_ADD,
  LEVEL_MUL,
  LEVEL_UNARY,
};

struct operator{
  int level; /* 0: not a binary operator */
  enum murphi_op op;
};

static struct operator operator_of(uint32_t kind) {
  static const struct operator table[MURPHI_TOKEN_COUNT] = {
      [MURPHI_TOKEN_IMPLIES] = {LEVEL_IMPLIES, MURPHI_OP_IMPLIES},
      [MURPHI_TOKEN_OR] = {LEVEL_OR, MURPHI_OP_OR},
      [MURPHI_TOKEN_OROR] = {LEVEL_OR, MURPHI_OP_LOGICAL_OR},
      [MURPHI_TOKEN_XOR] = {LEVEL_XOR, MURPHI_OP_XOR},
      [MURPHI_TOKEN_AND] = {LEVEL_AND, MURPHI_OP_AND},
      [MURPHI_TOKEN_ANDAND] = {LEVEL_AND, MURPHI_OP_LOGICAL_AND},
      [MURPHI_TOKEN_EQ] = {LEVEL_COMPARE, MURPHI_OP_EQ},
      [MURPHI_TOKEN_NE] = {LEVEL_COMPARE, MURPHI_OP_NE},
      [MURPHI_TOKEN_LT] = {LEVEL_COMPARE, MURPHI_OP_LT},
      [MURPHI_TOKEN_LE] = {LEVEL_COMPARE, MURPHI_OP_LE},
      [MURPHI_TOKEN_GT] = {LEVEL_COMPARE, MURPHI_OP_GT},
      [MURPHI_TOKEN_GE] = {LEVEL_COMPARE, MURPHI_OP_GE},
      [MURPHI_TOKEN_SHL] = {LEVEL_SHIFT, MURPHI_OP_SHL},
      [MURPHI_TOKEN_SHR] = {LEVEL_SHIFT, MURPHI_OP_SHR},
      [MURPHI_TOKEN_PLUS] = {LEVEL_ADD, MURPHI_OP_ADD},
      [MURPHI_TOKEN_MINUS] = {LEVEL_ADD, MURPHI_OP_SUB},
      [MURPHI_TOKEN_STAR] = {LEVEL_MUL, MURPHI_OP_MUL},
      [MURPHI_TOKEN_SLASH] = {LEVEL_MUL, MURPHI_OP_DIV},
      [MURPHI_TOKEN_PERCENT] = {LEVEL_MUL, MURPHI_OP_MOD},
  };
  assert(kind < MURPHI_TOKEN_COUNT);
  return table[kind];
}

static struct murphi_expr *parse_binary(struct murphi_parser *p, int level);
static struct murphi_expr *parse_unary(struct murphi_parser *p);

/* ---- Nodes ---------------------------------------------------------------------------------- */

struct murphi_expr *murphi_expr_new(struct murphi_parser *p, enum murphi_expr_kind kind,
                                    struct murphi_span span) {
  struct murphi_expr *expr = CLEW_NEW(p->m->arena, struct murphi_expr);
  expr->kind = kind;
  expr->span = span;
  expr->depth = 1;
  return expr;
}

static struct murphi_expr *error_expr(struct murphi_parser *p) {
  assert(p->panic);
  return murphi_expr_new(p, MURPHI_EXPR_NUMBER, murphi_here(p));
}

/* Accounts for a child, and ends the growth of trees that later phases could not walk. */
static void adopt(struct murphi_parser *p, struct murphi_expr *expr, struct murphi_expr *child) {
  assert(child != NULL);
  if (child->depth >= expr->depth) {
    expr->depth = child->depth + 1;
  }
  if (expr->depth > MURPHI_MAX_EXPR_DEPTH) {
    murphi_fail_limit(p, expr->span, "this expression nests too many operators",
                      MURPHI_MAX_EXPR_DEPTH);
  }
}

static struct murphi_expr *binary_new(struct murphi_parser *p, enum murphi_op op,
                                      struct murphi_expr *a, struct murphi_expr *b) {
  struct murphi_expr *expr =
      murphi_expr_new(p, MURPHI_EXPR_BINARY, murphi_span_join(a->span, b->span));
  expr->op = op;
  expr->a = a;
  expr->b = b;
  adopt(p, expr, a);
  adopt(p, expr, b);
  return expr;
}

static struct murphi_expr *unary_new(struct murphi_parser *p, enum murphi_op op,
                                     struct murphi_span head, struct murphi_expr *a) {
  struct murphi_expr *expr = murphi_expr_new(p, MURPHI_EXPR_UNARY, murphi_span_join(head, a->span));
  expr->op = op;
  expr->a = a;
  adopt(p, expr, a);
  return expr;
}

/* ---- Bound variables ------------------------------------------------------------------------ */

static struct murphi_quantifier *quantifier_new(struct murphi_parser *p) {
  struct murphi_quantifier *q = CLEW_NEW(p->m->arena, struct murphi_quantifier);
  q->span = murphi_here(p);
  q->name = murphi_parse_name(p, "the name of a variable");
  return q;
}

struct murphi_quantifier *murphi_parse_quantifier(struct murphi_parser *p) {
  struct murphi_quantifier *q = quantifier_new(p);
  if (murphi_accept(p, MURPHI_TOKEN_ASSIGN)) {
    q->from = murphi_parse_expr(p);
    murphi_expect(p, MURPHI_TOKEN_TO, "after the first value");
    q->to = murphi_parse_expr(p);
    if (murphi_accept(p, MURPHI_TOKEN_BY)) {
      q->by = murphi_parse_expr(p);
    }
    return q;
  }
  murphi_expect(p, MURPHI_TOKEN_COLON, "or ':=' after the variable");
  q->domain = murphi_parse_type(p);
  return q;
}

struct murphi_quantifier *murphi_parse_quantifiers(struct murphi_parser *p) {
  struct murphi_quantifier *first = NULL, **tail = &first;
  uint32_t count = 0;
  do {
    if (++count > MURPHI_MAX_BOUND) {
      murphi_fail_limit(p, murphi_here(p), "too many variables in one list", MURPHI_MAX_BOUND);
    }
    *tail = murphi_parse_quantifier(p);
    tail = &(*tail)->next;
  } while (murphi_accept(p, MURPHI_TOKEN_SEMICOLON) && murphi_peek(p) != MURPHI_TOKEN_DO);
  return first;
}

struct murphi_quantifier *murphi_parse_choice(struct murphi_parser *p) {
  struct murphi_quantifier *q = quantifier_new(p);
  murphi_expect(p, MURPHI_TOKEN_COLON, "after the variable");
  q->bag = murphi_parse_designator(p);
  return q;
}

/* forall i : T; j : U do e end */
static struct murphi_expr *parse_quantified(struct murphi_parser *p) {
  assert(murphi_peek(p) == MURPHI_TOKEN_FORALL || murphi_peek(p) == MURPHI_TOKEN_EXISTS);
  struct murphi_span head = murphi_here(p);
  bool all = murphi_peek(p) == MURPHI_TOKEN_FORALL;
  uint32_t closer = all ? MURPHI_TOKEN_ENDFORALL : MURPHI_TOKEN_ENDEXISTS;
  p->at++;
  murphi_open(p, closer);
  struct murphi_quantifier *q = murphi_parse_quantifiers(p);
  murphi_resume(p, MURPHI_TOKEN_DO);
  murphi_expect_soft(p, MURPHI_TOKEN_DO, "before the body");
  struct murphi_expr *body = murphi_parse_expr(p);
  murphi_close(p, closer, all ? "forall" : "exists", head);
  struct murphi_span span = murphi_span_join(head, murphi_previous(p));
  uint32_t levels = 0;
  for (const struct murphi_quantifier *each = q; each != NULL; each = each->next) {
    levels++;
  }
  /* Several variables are as many quantifiers, the last one innermost. */
  struct murphi_expr *first = NULL, **place = &first;
  for (; q != NULL; q = q->next) {
    struct murphi_expr *expr = murphi_expr_new(p, MURPHI_EXPR_QUANTIFY, span);
    expr->op = all ? MURPHI_OP_FORALL : MURPHI_OP_EXISTS;
    expr->quantifier = q;
    expr->a = body;
    expr->depth = levels--;
    adopt(p, expr, body);
    expr->depth += levels;
    *place = expr;
    place = &expr->a;
  }
  return first;
}

/* ---- Primaries ------------------------------------------------------------------------------ */

static struct murphi_expr *parse_number(struct murphi_parser *p) {
  assert(murphi_peek(p) == CLEW_TOKEN_NUMBER);
  struct murphi_expr *expr = murphi_expr_new(p, MURPHI_EXPR_NUMBER, murphi_here(p));
  clew_lex_number(p->m->source, *p->at, &expr->number); /* the scanner has complained */
  p->at++;
  return expr;
}

/* The arguments of a call, behind its '('. */
static void parse_args(struct murphi_parser *p, struct murphi_expr *call) {
  assert(call->kind == MURPHI_EXPR_CALL);
  CLEW_VEC(struct murphi_expr *) args = {0};
  if (murphi_peek(p) != MURPHI_TOKEN_RPAREN) {
    do {
      struct murphi_expr *arg = murphi_parse_expr(p);
      adopt(p, call, arg);
      clew_vec_push(&args, arg);
    } while (murphi_accept(p, MURPHI_TOKEN_COMMA));
  }
  murphi_resume(p, MURPHI_TOKEN_RPAREN);
  murphi_expect(p, MURPHI_TOKEN_RPAREN, "or ',' after an argument");
  call->args = clew_arena_copy(p->m->arena, args.data, args.len, sizeof *args.data);
  call->arg_count = args.len;
  clew_vec_free(&args);
}

struct murphi_expr *murphi_parse_designator(struct murphi_parser *p) {
  struct murphi_expr *expr = murphi_expr_new(p, MURPHI_EXPR_NAME, murphi_here(p));
  expr->name = murphi_parse_name(p, "a name");
  if (murphi_accept(p, MURPHI_TOKEN_LPAREN)) {
    expr->kind = MURPHI_EXPR_CALL;
    expr->name_span = expr->span;
    parse_args(p, expr);
    expr->span = murphi_span_join(expr->span, murphi_previous(p));
  }
  for (;;) {
    struct murphi_expr *outer;
    if (murphi_accept(p, MURPHI_TOKEN_DOT)) {
      outer = murphi_expr_new(p, MURPHI_EXPR_FIELD, expr->span);
      outer->name_span = murphi_here(p);
      outer->name = murphi_parse_name(p, "the name of a field");
    } else if (murphi_accept(p, MURPHI_TOKEN_LBRACKET)) {
      outer = murphi_expr_new(p, MURPHI_EXPR_INDEX, expr->span);
      outer->b = murphi_parse_expr(p);
      murphi_resume(p, MURPHI_TOKEN_RBRACKET);
      murphi_expect(p, MURPHI_TOKEN_RBRACKET, "after the index");
      adopt(p, outer, outer->b);
    } else {
      return expr;
    }
    outer->span = murphi_span_join(expr->span, murphi_previous(p));
    outer->a = expr;
    adopt(p, outer, expr);
    expr = outer;
  }
}

/* isundefined(d), ismember(e, T), multisetcount(i : ms, e) */
static struct murphi_expr *parse_builtin(struct murphi_parser *p, enum murphi_expr_kind kind) {
  assert(kind >= MURPHI_EXPR_COUNT && kind <= MURPHI_EXPR_ISMEMBER);
  struct murphi_expr *expr = murphi_expr_new(p, kind, murphi_here(p));
  p->at++;
  murphi_expect(p, MURPHI_TOKEN_LPAREN, "before the arguments");
  if (kind == MURPHI_EXPR_COUNT) {
    expr->quantifier = murphi_parse_choice(p);
    murphi_expect(p, MURPHI_TOKEN_COMMA, "after the multiset");
  }
  expr->a = murphi_parse_expr(p);
  if (kind == MURPHI_EXPR_ISMEMBER) {
    murphi_expect(p, MURPHI_TOKEN_COMMA, "before the type");
    expr->type_expr = murphi_parse_type(p);
  }
  adopt(p, expr, expr->a);
  murphi_resume(p, MURPHI_TOKEN_RPAREN);
  murphi_expect(p, MURPHI_TOKEN_RPAREN, "after the arguments");
  expr->span = murphi_span_join(expr->span, murphi_previous(p));
  return expr;
}

/* The span grows to the parentheses, so that joined spans are balanced text. */
static struct murphi_expr *parse_parenthesised(struct murphi_parser *p) {
  assert(murphi_peek(p) == MURPHI_TOKEN_LPAREN);
  struct murphi_span head = murphi_here(p);
  p->at++;
  struct murphi_expr *expr = murphi_parse_expr(p);
  murphi_resume(p, MURPHI_TOKEN_RPAREN);
  if (murphi_expect(p, MURPHI_TOKEN_RPAREN, "to match '('")) {
    expr->span = murphi_span_join(head, murphi_previous(p));
  }
  return expr;
}

static struct murphi_expr *parse_word(struct murphi_parser *p, enum murphi_expr_kind kind,
                                      int64_t number) {
  struct murphi_expr *expr = murphi_expr_new(p, kind, murphi_here(p));
  expr->number = number;
  p->at++;
  return expr;
}

static struct murphi_expr *parse_primary(struct murphi_parser *p) {
  switch (murphi_peek(p)) {
  case CLEW_TOKEN_NUMBER:
    return parse_number(p);
  case MURPHI_TOKEN_TRUE:
    return parse_word(p, MURPHI_EXPR_BOOLEAN, 1);
  case MURPHI_TOKEN_FALSE:
    return parse_word(p, MURPHI_EXPR_BOOLEAN, 0);
  case MURPHI_TOKEN_UNDEFINED:
    return parse_word(p, MURPHI_EXPR_UNDEFINED, 0);
  case MURPHI_TOKEN_LPAREN:
    return parse_parenthesised(p);
  case MURPHI_TOKEN_FORALL:
  case MURPHI_TOKEN_EXISTS:
    return parse_quantified(p);
  case MURPHI_TOKEN_ISUNDEFINED:
    return parse_builtin(p, MURPHI_EXPR_ISUNDEFINED);
  case MURPHI_TOKEN_ISMEMBER:
    return parse_builtin(p, MURPHI_EXPR_ISMEMBER);
  case MURPHI_TOKEN_MULTISETCOUNT:
    if (murphi_peek2(p) == MURPHI_TOKEN_LPAREN) {
      return parse_builtin(p, MURPHI_EXPR_COUNT);
    }
    break;
  default:
    break;
  }
  if (murphi_at_name(p)) {
    return murphi_parse_designator(p);
  }
  murphi_fail_expected(p, "an expression");
  return error_expr(p);
}

/* ---- Operators ------------------------------------------------------------------------------ */

static struct murphi_expr *parse_prefix(struct murphi_parser *p, enum murphi_op op, int level) {
  assert(level == LEVEL_UNARY || op == MURPHI_OP_NOT);
  struct murphi_span head = murphi_here(p);
  if (!murphi_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct murphi_expr *operand = level == LEVEL_UNARY ? parse_unary(p) : parse_binary(p, level);
  murphi_unnest(p);
  return unary_new(p, op, head, operand);
}

static struct murphi_expr *parse_unary(struct murphi_parser *p) {
  if (p->panic) {
    return error_expr(p);
  }
  switch (murphi_peek(p)) {
  case MURPHI_TOKEN_NOT:
    return parse_prefix(p, MURPHI_OP_NOT, LEVEL_COMPARE);
  case MURPHI_TOKEN_MINUS:
    return parse_prefix(p, MURPHI_OP_MINUS, LEVEL_UNARY);
  case MURPHI_TOKEN_PLUS:
    return parse_prefix(p, MURPHI_OP_PLUS, LEVEL_UNARY);
  case MURPHI_TOKEN_TILDE:
    return parse_prefix(p, MURPHI_OP_COMPLEMENT, LEVEL_UNARY);
  default:
    return parse_primary(p);
  }
}

/* Operands n0 op0 n1 op1 … as a balanced tree. */
static struct murphi_expr *balance(struct murphi_parser *p, struct murphi_expr **operands,
                                   const enum murphi_op *ops, uint32_t count) {
  assert(count > 0);
  if (count == 1) {
    return operands[0];
  }
  uint32_t half = count / 2;
  return binary_new(p, ops[half - 1], balance(p, operands, ops, half),
                    balance(p, operands + half, ops + half, count - half));
}

/* The rest of a chain of one level that starts with `first`. */
static struct murphi_expr *parse_chain(struct murphi_parser *p, struct murphi_expr *first,
                                       int level) {
  assert(level == LEVEL_OR || level == LEVEL_AND);
  CLEW_VEC(struct murphi_expr *) operands = {0};
  CLEW_VEC(enum murphi_op) ops = {0};
  clew_vec_push(&operands, first);
  while (!p->panic && operator_of(murphi_peek(p)).level == level) {
    clew_vec_push(&ops, operator_of(murphi_peek(p)).op);
    p->at++;
    struct murphi_expr *operand = parse_binary(p, level + 1);
    clew_vec_push(&operands, operand);
  }
  struct murphi_expr *expr = balance(p, operands.data, ops.data, operands.len);
  clew_vec_free(&operands);
  clew_vec_free(&ops);
  return expr;
}

/* Everything that binds at least as tightly as `level`. */
static struct murphi_expr *parse_binary(struct murphi_parser *p, int level) {
  assert(level >= LEVEL_IMPLIES && level <= LEVEL_UNARY);
  struct murphi_expr *left = parse_unary(p);
  for (;;) {
    struct operator op = operator_of(murphi_peek(p));
    if (p->panic || op.level == 0 || op.level < level) {
      return left;
    }
    if (op.level == LEVEL_OR || op.level == LEVEL_AND) {
      left = parse_chain(p, left, op.level);
      continue;
    }
    p->at++;
    left = binary_new(p, op.op, left, parse_binary(p, op.level + 1));
    bool chains = op.level != LEVEL_COMPARE && op.level != LEVEL_IMPLIES;
    if (!chains && operator_of(murphi_peek(p)).level == op.level) {
      murphi_fail(p, murphi_here(p), "%s: use parentheses",
                  op.level == LEVEL_COMPARE ? "comparisons do not chain"
                                            : "'->' does not associate");
    }
  }
}

struct murphi_expr *murphi_parse_expr(struct murphi_parser *p) {
  if (p->panic || !murphi_nest(p)) {
    return error_expr(p);
  }
  struct murphi_expr *expr = parse_binary(p, LEVEL_IMPLIES);
  if (murphi_accept(p, MURPHI_TOKEN_QUESTION)) {
    struct murphi_expr *cond = murphi_expr_new(p, MURPHI_EXPR_COND, expr->span);
    cond->a = expr;
    cond->b = parse_binary(p, LEVEL_IMPLIES);
    murphi_expect(p, MURPHI_TOKEN_COLON, "between the two values of '?:'");
    cond->c = parse_binary(p, LEVEL_IMPLIES);
    cond->span = murphi_span_join(expr->span, cond->c->span);
    adopt(p, cond, cond->a);
    adopt(p, cond, cond->b);
    adopt(p, cond, cond->c);
    expr = cond;
    if (murphi_peek(p) == MURPHI_TOKEN_QUESTION) {
      murphi_fail(p, murphi_here(p), "'?:' does not associate: use parentheses");
    }
  }
  murphi_unnest(p);
  return expr;
}
