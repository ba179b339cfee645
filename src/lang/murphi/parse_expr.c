/* Parsing expressions, by precedence climbing. From loose to tight:
 *
 *   ?:   ->   ||   &&   |   ^   &   !   = == != < <= > >=   << >>   + -   * / %   unary + - ~
 *
 * `||` and `&&` (also `∨` and `∧`) exist in rumur only, which gives them levels of their own.
 * `!` takes a whole comparison (`!a = b` is `!(a = b)`), wherever it stands. Comparisons, `->` and
 * `?:` do not associate. Chains of `&` and of `|` become balanced trees, so that a conjunction of a
 * thousand terms is not a thousand levels deep; evaluation stays from left to right. */
#include "lang/murphi/parse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lang/climb.h"

enum level {
  LEVEL_COND = 1,
  LEVEL_IMPLIES,
  LEVEL_LOGICAL_OR,
  LEVEL_LOGICAL_AND,
  LEVEL_OR,
  LEVEL_XOR,
  LEVEL_AND,
  LEVEL_COMPARE,
  LEVEL_SHIFT,
  LEVEL_ADD,
  LEVEL_MUL,
  LEVEL_UNARY,
};

static const struct clew_operator operators[MURPHI_TOKEN_COUNT] = {
    [MURPHI_TOKEN_IMPLIES] = {LEVEL_IMPLIES, MURPHI_OP_IMPLIES},
    [MURPHI_TOKEN_OR] = {LEVEL_OR, MURPHI_OP_OR},
    [MURPHI_TOKEN_OROR] = {LEVEL_LOGICAL_OR, MURPHI_OP_LOGICAL_OR},
    [MURPHI_TOKEN_XOR] = {LEVEL_XOR, MURPHI_OP_XOR},
    [MURPHI_TOKEN_AND] = {LEVEL_AND, MURPHI_OP_AND},
    [MURPHI_TOKEN_ANDAND] = {LEVEL_LOGICAL_AND, MURPHI_OP_LOGICAL_AND},
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

static const struct clew_level levels[] = {
    [LEVEL_IMPLIES] = {CLEW_GROUP_ALONE, "'->' does not associate"},
    [LEVEL_LOGICAL_OR] = {CLEW_GROUP_CHAIN, NULL},
    [LEVEL_LOGICAL_AND] = {CLEW_GROUP_CHAIN, NULL},
    [LEVEL_OR] = {CLEW_GROUP_CHAIN, NULL},
    [LEVEL_AND] = {CLEW_GROUP_CHAIN, NULL},
    [LEVEL_COMPARE] = {CLEW_GROUP_ALONE, "comparisons do not chain"},
    [LEVEL_UNARY] = {CLEW_GROUP_LEFT, NULL},
};

static void *parse_operand(struct clew_cursor *p);
static void *binary_new(struct clew_cursor *p, uint8_t op, void *a, void *b);
static void *balance(struct clew_cursor *p, void *const *operands, const uint8_t *ops,
                     uint32_t count);

static const struct clew_climber climber = {.operators = operators,
                                            .levels = levels,
                                            .operand = parse_operand,
                                            .binary = binary_new,
                                            .chain = balance};

/* ---- Nodes ---------------------------------------------------------------------------------- */

struct murphi_expr *clew_murphi_expr_new(struct clew_cursor *p, enum murphi_expr_kind kind,
                                         struct clew_span span) {
  struct murphi_expr *expr = CLEW_NEW(p->front->arena, struct murphi_expr);
  expr->kind = kind;
  expr->span = span;
  expr->depth = 1;
  return expr;
}

static struct murphi_expr *error_expr(struct clew_cursor *p) {
  assert(p->panic);
  return clew_murphi_expr_new(p, MURPHI_EXPR_NUMBER, clew_cursor_here(p));
}

static void adopt(struct clew_cursor *p, struct murphi_expr *expr,
                  const struct murphi_expr *child) {
  clew_cursor_adopt(p, expr->span, &expr->depth, child->depth);
}

static void *binary_new(struct clew_cursor *p, uint8_t op, void *a, void *b) {
  struct murphi_expr *left = a, *right = b;
  struct murphi_expr *expr =
      clew_murphi_expr_new(p, MURPHI_EXPR_BINARY, clew_span_join(left->span, right->span));
  expr->op = (enum murphi_op)op;
  expr->a = left;
  expr->b = right;
  adopt(p, expr, left);
  adopt(p, expr, right);
  return expr;
}

/* A chain of `&` or of `|` as a balanced tree. */
static void *balance(struct clew_cursor *p, void *const *operands, const uint8_t *ops,
                     uint32_t count) {
  assert(count > 0);
  if (count == 1) {
    return operands[0];
  }
  uint32_t half = count / 2;
  void *left = balance(p, operands, ops, half);
  return binary_new(p, ops[half - 1], left, balance(p, operands + half, ops + half, count - half));
}

static struct murphi_expr *unary_new(struct clew_cursor *p, enum murphi_op op,
                                     struct clew_span head, struct murphi_expr *a) {
  struct murphi_expr *expr =
      clew_murphi_expr_new(p, MURPHI_EXPR_UNARY, clew_span_join(head, a->span));
  expr->op = op;
  expr->a = a;
  adopt(p, expr, a);
  return expr;
}

/* ---- Bound variables ------------------------------------------------------------------------ */

/* Passes over what is in parentheses: more than one message would be of no use. */
static void skip_parentheses(struct clew_cursor *p) {
  uint32_t depth = 0;
  do {
    depth += p->at->kind == MURPHI_TOKEN_LPAREN;
    depth -= p->at->kind == MURPHI_TOKEN_RPAREN;
    p->at++;
  } while (depth > 0 && p->at != p->last);
}

static struct murphi_quantifier *quantifier_new(struct clew_cursor *p) {
  struct murphi_quantifier *q = CLEW_NEW(p->front->arena, struct murphi_quantifier);
  q->span = clew_cursor_here(p);
  if (clew_cursor_mistake(p, MURPHI_TOKEN_LPAREN, "the name of a variable",
                          "a variable and its type stand without parentheses, p: T do ... end")) {
    skip_parentheses(p);
  }
  q->name = clew_murphi_parse_name(p, "the name of a variable");
  return q;
}

struct murphi_quantifier *clew_murphi_parse_quantifier(struct clew_cursor *p) {
  struct murphi_quantifier *q = quantifier_new(p);
  if (clew_cursor_accept(p, MURPHI_TOKEN_ASSIGN)) {
    q->from = clew_murphi_parse_expr(p);
    clew_cursor_expect(p, MURPHI_TOKEN_TO, "after the first value");
    q->to = clew_murphi_parse_expr(p);
    if (clew_cursor_accept(p, MURPHI_TOKEN_BY)) {
      q->by = clew_murphi_parse_expr(p);
    }
    return q;
  }
  clew_cursor_expect(p, MURPHI_TOKEN_COLON, "or ':=' after the variable");
  q->domain = clew_murphi_parse_type(p);
  return q;
}

struct murphi_quantifier *clew_murphi_parse_quantifiers(struct clew_cursor *p) {
  struct murphi_quantifier *first = NULL, **tail = &first;
  uint32_t count = 0;
  do {
    if (++count > MURPHI_MAX_BOUND) {
      clew_cursor_fail_limit(p, clew_cursor_here(p), "too many variables in one list",
                             MURPHI_MAX_BOUND);
    }
    *tail = clew_murphi_parse_quantifier(p);
    tail = &(*tail)->next;
  } while (clew_murphi_skip_semicolons(p) && !clew_murphi_at_do(p));
  return first;
}

struct murphi_quantifier *clew_murphi_parse_choice(struct clew_cursor *p) {
  struct murphi_quantifier *q = quantifier_new(p);
  clew_cursor_expect(p, MURPHI_TOKEN_COLON, "after the variable");
  q->bag = clew_murphi_parse_designator(p);
  return q;
}

/* forall i : T; j : U do e end */
static struct murphi_expr *parse_quantified(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_FORALL || clew_cursor_peek(p) == MURPHI_TOKEN_EXISTS);
  struct clew_span head = clew_cursor_here(p);
  bool all = clew_cursor_peek(p) == MURPHI_TOKEN_FORALL;
  uint32_t closer = all ? MURPHI_TOKEN_ENDFORALL : MURPHI_TOKEN_ENDEXISTS;
  p->at++;
  clew_cursor_await(p, closer);
  struct murphi_quantifier *q = clew_murphi_parse_quantifiers(p);
  clew_murphi_parse_do(p, "before the body");
  struct murphi_expr *body = clew_murphi_parse_expr(p);
  clew_murphi_close(p, closer, all ? "forall" : "exists", head);
  struct clew_span span = clew_span_join(head, clew_cursor_previous(p));
  uint32_t inner = 0;
  for (const struct murphi_quantifier *each = q; each != NULL; each = each->next) {
    inner++;
  }
  /* Several variables are as many quantifiers, the last one innermost. */
  struct murphi_expr *first = NULL, **place = &first;
  for (; q != NULL; q = q->next) {
    struct murphi_expr *expr = clew_murphi_expr_new(p, MURPHI_EXPR_QUANTIFY, span);
    expr->op = all ? MURPHI_OP_FORALL : MURPHI_OP_EXISTS;
    expr->quantifier = q;
    expr->a = body;
    expr->depth = inner--;
    adopt(p, expr, body);
    expr->depth += inner;
    *place = expr;
    place = &expr->a;
  }
  return first;
}

/* ---- Primaries ------------------------------------------------------------------------------ */

/* `010` is ten here and in CMurphi, eight in rumur. */
static void warn_octal(struct clew_cursor *p, const struct murphi_expr *number) {
  const char *text = clew_front_excerpt(p->front, number->span);
  size_t digits = strspn(text, "01234567");
  if (text[0] == '0' && text[digits] == '\0' && number->number > 7) {
    clew_front_warn(p->front, number->span, "%s is decimal here and in CMurphi: rumur reads %lld",
                    text, strtoll(text, NULL, 8));
  }
}

static struct murphi_expr *parse_number(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == CLEW_TOKEN_NUMBER);
  struct murphi_expr *expr = clew_murphi_expr_new(p, MURPHI_EXPR_NUMBER, clew_cursor_here(p));
  expr->number = clew_cursor_take_number(p);
  warn_octal(p, expr);
  return expr;
}

/* The arguments of a call, behind its '('; a comma may follow the last one. */
static void parse_args(struct clew_cursor *p, struct murphi_expr *call) {
  assert(call->kind == MURPHI_EXPR_CALL);
  CLEW_VEC(struct murphi_expr *) args = {0};
  while (!p->panic && clew_cursor_peek(p) != MURPHI_TOKEN_RPAREN) {
    struct murphi_expr *arg = clew_murphi_parse_expr(p);
    adopt(p, call, arg);
    clew_vec_push(&args, arg);
    if (!clew_cursor_accept(p, MURPHI_TOKEN_COMMA)) {
      break;
    }
  }
  clew_murphi_resume(p, MURPHI_TOKEN_RPAREN);
  clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "or ',' after an argument");
  call->args = clew_arena_copy(p->front->arena, args.data, args.len, sizeof *args.data);
  call->arg_count = args.len;
  clew_vec_free(&args);
}

struct murphi_expr *clew_murphi_parse_designator(struct clew_cursor *p) {
  struct murphi_expr *expr = clew_murphi_expr_new(p, MURPHI_EXPR_NAME, clew_cursor_here(p));
  expr->name = clew_murphi_parse_name(p, "a name");
  if (clew_cursor_accept(p, MURPHI_TOKEN_LPAREN)) {
    expr->kind = MURPHI_EXPR_CALL;
    expr->name_span = expr->span;
    parse_args(p, expr);
    expr->span = clew_span_join(expr->span, clew_cursor_previous(p));
  }
  for (;;) {
    struct murphi_expr *outer;
    if (clew_cursor_accept(p, MURPHI_TOKEN_DOT)) {
      outer = clew_murphi_expr_new(p, MURPHI_EXPR_FIELD, expr->span);
      outer->name_span = clew_cursor_here(p);
      outer->name = clew_murphi_parse_name(p, "the name of a field");
    } else if (clew_cursor_accept(p, MURPHI_TOKEN_LBRACKET)) {
      outer = clew_murphi_expr_new(p, MURPHI_EXPR_INDEX, expr->span);
      outer->b = clew_murphi_parse_expr(p);
      clew_murphi_resume(p, MURPHI_TOKEN_RBRACKET);
      clew_cursor_expect(p, MURPHI_TOKEN_RBRACKET, "after the index");
      adopt(p, outer, outer->b);
    } else {
      return expr;
    }
    outer->span = clew_span_join(expr->span, clew_cursor_previous(p));
    outer->a = expr;
    adopt(p, outer, expr);
    expr = outer;
  }
}

/* isundefined(d), ismember(e, T), multisetcount(i : ms, e) */
static struct murphi_expr *parse_builtin(struct clew_cursor *p, enum murphi_expr_kind kind) {
  assert(kind >= MURPHI_EXPR_COUNT && kind <= MURPHI_EXPR_ISMEMBER);
  struct murphi_expr *expr = clew_murphi_expr_new(p, kind, clew_cursor_here(p));
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LPAREN, "before the arguments");
  if (kind == MURPHI_EXPR_COUNT) {
    expr->quantifier = clew_murphi_parse_choice(p);
    clew_cursor_expect(p, MURPHI_TOKEN_COMMA, "after the multiset");
  }
  expr->a = clew_murphi_parse_expr(p);
  if (kind == MURPHI_EXPR_ISMEMBER) {
    clew_cursor_expect(p, MURPHI_TOKEN_COMMA, "before the type");
    expr->type_expr = clew_murphi_parse_type(p);
  }
  adopt(p, expr, expr->a);
  clew_murphi_resume(p, MURPHI_TOKEN_RPAREN);
  clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "after the arguments");
  expr->span = clew_span_join(expr->span, clew_cursor_previous(p));
  return expr;
}

/* The span grows to the parentheses, so that joined spans are balanced text. */
static struct murphi_expr *parse_parenthesised(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_LPAREN);
  struct clew_span head = clew_cursor_here(p);
  p->at++;
  struct murphi_expr *expr = clew_murphi_parse_expr(p);
  clew_murphi_resume(p, MURPHI_TOKEN_RPAREN);
  if (clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "to match '('")) {
    expr->span = clew_span_join(head, clew_cursor_previous(p));
  }
  return expr;
}

static struct murphi_expr *parse_word(struct clew_cursor *p, enum murphi_expr_kind kind,
                                      int64_t number) {
  struct murphi_expr *expr = clew_murphi_expr_new(p, kind, clew_cursor_here(p));
  expr->number = number;
  p->at++;
  return expr;
}

static struct murphi_expr *parse_primary(struct clew_cursor *p) {
  switch (clew_cursor_peek(p)) {
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
    if (clew_cursor_peek2(p) == MURPHI_TOKEN_LPAREN) {
      return parse_builtin(p, MURPHI_EXPR_ISMEMBER);
    }
    break;
  case MURPHI_TOKEN_MULTISETCOUNT:
    if (clew_cursor_peek2(p) == MURPHI_TOKEN_LPAREN) {
      return parse_builtin(p, MURPHI_EXPR_COUNT);
    }
    break;
  default:
    break;
  }
  if (clew_murphi_at_name(p)) {
    return clew_murphi_parse_designator(p);
  }
  if (clew_cursor_peek2(p) == MURPHI_TOKEN_RBRACKET) {
    (void)clew_cursor_mistake(p, MURPHI_TOKEN_LBRACKET, "an expression",
                              "there is no '[]', an invariant holds in every state");
  }
  if (clew_cursor_mistake(p, MURPHI_TOKEN_IF, "an expression",
                          "a choice of values is written 'c ? x : y'")) {
    while (p->at != p->last && p->at->kind != MURPHI_TOKEN_SEMICOLON) {
      p->at++; /* no end belongs to it */
    }
  }
  clew_cursor_fail_expected(p, "an expression");
  return error_expr(p);
}

/* ---- Operators ------------------------------------------------------------------------------ */

static struct murphi_expr *parse_prefix(struct clew_cursor *p, enum murphi_op op, uint8_t level) {
  assert(level == LEVEL_UNARY || op == MURPHI_OP_NOT);
  struct clew_span head = clew_cursor_here(p);
  if (!clew_cursor_nest(p)) {
    return error_expr(p);
  }
  p->at++;
  struct murphi_expr *operand = clew_climb(p, &climber, level);
  clew_cursor_unnest(p);
  return unary_new(p, op, head, operand);
}

static void *parse_operand(struct clew_cursor *p) {
  if (p->panic) {
    return error_expr(p);
  }
  switch (clew_cursor_peek(p)) {
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

struct murphi_expr *clew_murphi_parse_expr(struct clew_cursor *p) {
  if (p->panic || !clew_cursor_nest(p)) {
    return error_expr(p);
  }
  struct murphi_expr *expr = clew_climb(p, &climber, LEVEL_IMPLIES);
  if (clew_cursor_accept(p, MURPHI_TOKEN_QUESTION)) {
    struct murphi_expr *cond = clew_murphi_expr_new(p, MURPHI_EXPR_COND, expr->span);
    cond->a = expr;
    cond->b = clew_murphi_parse_expr(p);
    clew_cursor_expect(p, MURPHI_TOKEN_COLON, "between the two values of '?:'");
    cond->c = clew_climb(p, &climber, LEVEL_IMPLIES);
    cond->span = clew_span_join(expr->span, cond->c->span);
    adopt(p, cond, cond->a);
    adopt(p, cond, cond->b);
    adopt(p, cond, cond->c);
    expr = cond;
    if (clew_cursor_peek(p) == MURPHI_TOKEN_QUESTION) {
      clew_cursor_fail(p, clew_cursor_here(p), "'?:' does not associate: use parentheses");
    }
  }
  clew_cursor_unnest(p);
  return expr;
}
