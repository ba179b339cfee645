/* Parsing expressions, by precedence climbing. From loose to tight:
 *
 *   assignments (right)   ?: (right)   || or xor imply (one level)   && and   |   ^   &   == !=
 *   < <= > >=   <? >?   << >>   + -   * / %   **   ! not - + ++ -- before   ++ -- () [] . ' behind
 *
 * The body of forall, exists and sum reaches as far as it can. In the old syntax =< and => are
 * comparisons, too. */
#include <assert.h>

#include "lang/climb.h"
#include "lang/uppaal/uppaal_int.h"

enum level {
  LEVEL_OR = 1,
  LEVEL_AND,
  LEVEL_BIT_OR,
  LEVEL_BIT_XOR,
  LEVEL_BIT_AND,
  LEVEL_EQUAL,
  LEVEL_COMPARE,
  LEVEL_EXTREME,
  LEVEL_SHIFT,
  LEVEL_ADD,
  LEVEL_MUL,
  LEVEL_POWER,
  LEVEL_UNARY,
};

static const struct clew_operator operators[UPPAAL_TOKEN_COUNT] = {
    [UPPAAL_TOKEN_OROR] = {LEVEL_OR, UPPAAL_OP_OR},
    [UPPAAL_TOKEN_OR] = {LEVEL_OR, UPPAAL_OP_OR},
    [UPPAAL_TOKEN_XOR] = {LEVEL_OR, UPPAAL_OP_XOR},
    [UPPAAL_TOKEN_IMPLY] = {LEVEL_OR, UPPAAL_OP_IMPLY},
    [UPPAAL_TOKEN_ANDAND] = {LEVEL_AND, UPPAAL_OP_AND},
    [UPPAAL_TOKEN_AND] = {LEVEL_AND, UPPAAL_OP_AND},
    [UPPAAL_TOKEN_BIT_OR] = {LEVEL_BIT_OR, UPPAAL_OP_BIT_OR},
    [UPPAAL_TOKEN_BIT_XOR] = {LEVEL_BIT_XOR, UPPAAL_OP_BIT_XOR},
    [UPPAAL_TOKEN_BIT_AND] = {LEVEL_BIT_AND, UPPAAL_OP_BIT_AND},
    [UPPAAL_TOKEN_EQ] = {LEVEL_EQUAL, UPPAAL_OP_EQ},
    [UPPAAL_TOKEN_NE] = {LEVEL_EQUAL, UPPAAL_OP_NE},
    [UPPAAL_TOKEN_LT] = {LEVEL_COMPARE, UPPAAL_OP_LT},
    [UPPAAL_TOKEN_LE] = {LEVEL_COMPARE, UPPAAL_OP_LE},
    [UPPAAL_TOKEN_OLD_LE] = {LEVEL_COMPARE, UPPAAL_OP_LE},
    [UPPAAL_TOKEN_GT] = {LEVEL_COMPARE, UPPAAL_OP_GT},
    [UPPAAL_TOKEN_GE] = {LEVEL_COMPARE, UPPAAL_OP_GE},
    [UPPAAL_TOKEN_OLD_GE] = {LEVEL_COMPARE, UPPAAL_OP_GE},
    [UPPAAL_TOKEN_MIN] = {LEVEL_EXTREME, UPPAAL_OP_MIN},
    [UPPAAL_TOKEN_MAX] = {LEVEL_EXTREME, UPPAAL_OP_MAX},
    [UPPAAL_TOKEN_SHL] = {LEVEL_SHIFT, UPPAAL_OP_SHL},
    [UPPAAL_TOKEN_SHR] = {LEVEL_SHIFT, UPPAAL_OP_SHR},
    [UPPAAL_TOKEN_PLUS] = {LEVEL_ADD, UPPAAL_OP_ADD},
    [UPPAAL_TOKEN_MINUS] = {LEVEL_ADD, UPPAAL_OP_SUB},
    [UPPAAL_TOKEN_STAR] = {LEVEL_MUL, UPPAAL_OP_MUL},
    [UPPAAL_TOKEN_SLASH] = {LEVEL_MUL, UPPAAL_OP_DIV},
    [UPPAAL_TOKEN_PERCENT] = {LEVEL_MUL, UPPAAL_OP_MOD},
    [UPPAAL_TOKEN_POWER] = {LEVEL_POWER, UPPAAL_OP_POWER},
};

static const struct clew_level levels[] = {[LEVEL_UNARY] = {CLEW_GROUP_LEFT, NULL}};

static void *parse_operand(struct clew_cursor *c);
static void *binary_new(struct clew_cursor *c, uint8_t op, void *a, void *b);

static const struct clew_climber climber = {
    .operators = operators, .levels = levels, .operand = parse_operand, .binary = binary_new};

/* ---- Nodes ---------------------------------------------------------------------------------- */

static struct uppaal_expr *expr_new(struct clew_cursor *c, enum uppaal_expr_kind kind,
                                    struct clew_span span) {
  struct uppaal_expr *expr = CLEW_NEW(c->front->arena, struct uppaal_expr);
  expr->kind = kind;
  expr->span = span;
  expr->depth = 1;
  return expr;
}

static struct uppaal_expr *error_expr(struct clew_cursor *c) {
  assert(c->panic);
  return expr_new(c, UPPAAL_EXPR_NUMBER, clew_cursor_here(c));
}

static void adopt(struct clew_cursor *c, struct uppaal_expr *expr,
                  const struct uppaal_expr *child) {
  if (child != NULL) {
    clew_cursor_adopt(c, expr->span, &expr->depth, child->depth);
  }
}

/* A node over a and b, of which b may be missing, from the start of a to what was taken last. */
static struct uppaal_expr *over(struct clew_cursor *c, enum uppaal_expr_kind kind,
                                struct uppaal_expr *a, struct uppaal_expr *b) {
  if (c->panic) {
    return error_expr(c);
  }
  struct uppaal_expr *expr = expr_new(c, kind, clew_span_join(a->span, clew_cursor_previous(c)));
  expr->a = a;
  expr->b = b;
  adopt(c, expr, a);
  adopt(c, expr, b);
  return expr;
}

static void *binary_new(struct clew_cursor *c, uint8_t op, void *a, void *b) {
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_BINARY, a, b);
  expr->op = (enum uppaal_op)op;
  return expr;
}

/* ---- Primaries ------------------------------------------------------------------------------ */

static struct uppaal_expr *parse_number(struct clew_cursor *c) {
  struct uppaal_expr *expr = expr_new(c, UPPAAL_EXPR_NUMBER, clew_cursor_here(c));
  expr->number = clew_cursor_take_number(c);
  if (expr->number > INT64_C(1) << 31) { /* 2^31 is fine behind a minus, which is seen later */
    clew_cursor_fail(c, expr->span, "this number is too large: the greatest is %d", INT32_MAX);
  } else if (clew_cursor_peek(c) == UPPAAL_TOKEN_DOT && clew_cursor_peek2(c) == CLEW_TOKEN_NUMBER) {
    clew_cursor_fail(c, expr->span, "numbers with a fraction have no meaning for zones");
  }
  return expr;
}

static struct uppaal_expr *parse_constant(struct clew_cursor *c) {
  struct uppaal_expr *expr = expr_new(c, UPPAAL_EXPR_BOOLEAN, clew_cursor_here(c));
  expr->number = clew_cursor_peek(c) == UPPAAL_TOKEN_TRUE;
  c->at++;
  return expr;
}

static struct uppaal_expr *parse_name(struct clew_cursor *c) {
  bool deadlock = clew_uppaal_at_word(c, "deadlock");
  struct uppaal_expr *expr =
      expr_new(c, deadlock ? UPPAAL_EXPR_DEADLOCK : UPPAAL_EXPR_NAME, clew_cursor_here(c));
  expr->ref = clew_uppaal_parse_ref(c, "an expression");
  return expr;
}

static struct uppaal_expr *parse_parenthesised(struct clew_cursor *c) {
  struct clew_span head = clew_cursor_here(c);
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  struct uppaal_expr *expr = clew_uppaal_parse_expr(c);
  clew_cursor_unnest(c);
  if (clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "to match '('")) {
    expr->span = clew_span_join(head, clew_cursor_previous(c));
  }
  return expr;
}

/* ---- What stands behind an operand ---------------------------------------------------------- */

static struct uppaal_expr *parse_index(struct clew_cursor *c, struct uppaal_expr *a) {
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  struct uppaal_expr *index = clew_uppaal_parse_expr(c);
  clew_cursor_unnest(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACKET, "after the index");
  return over(c, UPPAAL_EXPR_INDEX, a, index);
}

static struct uppaal_expr *parse_call(struct clew_cursor *c, struct uppaal_expr *a) {
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  struct uppaal_exprs args = {NULL, 0};
  if (clew_cursor_peek(c) != UPPAAL_TOKEN_RPAREN) {
    args = clew_uppaal_parse_exprs(c);
  }
  clew_cursor_unnest(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the arguments");
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_CALL, a, NULL);
  expr->args = args.data;
  expr->arg_count = args.count;
  for (uint32_t i = 0; i < args.count && !c->panic; i++) {
    adopt(c, expr, args.data[i]);
  }
  return expr;
}

static struct uppaal_expr *parse_field(struct clew_cursor *c, struct uppaal_expr *a) {
  c->at++;
  struct uppaal_ref ref = clew_uppaal_parse_ref(c, "the name of a field");
  ref.name->is_member = true;
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_FIELD, a, NULL);
  expr->ref = ref;
  return expr;
}

static struct uppaal_expr *parse_step(struct clew_cursor *c, struct uppaal_expr *a) {
  enum uppaal_op op = clew_cursor_peek(c) == UPPAAL_TOKEN_INCREMENT ? UPPAAL_OP_ADD : UPPAAL_OP_SUB;
  c->at++;
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_STEP, a, NULL);
  expr->op = op;
  return expr;
}

static struct uppaal_expr *parse_behind(struct clew_cursor *c, struct uppaal_expr *expr,
                                        bool steps) {
  while (!c->panic) {
    switch (clew_cursor_peek(c)) {
    case UPPAAL_TOKEN_LBRACKET:
      expr = parse_index(c, expr);
      break;
    case UPPAAL_TOKEN_LPAREN:
      expr = parse_call(c, expr);
      break;
    case UPPAAL_TOKEN_DOT:
      expr = parse_field(c, expr);
      break;
    case UPPAAL_TOKEN_PRIME:
      c->at++;
      expr = over(c, UPPAAL_EXPR_RATE, expr, NULL);
      break;
    case UPPAAL_TOKEN_INCREMENT:
    case UPPAAL_TOKEN_DECREMENT:
      if (!steps || clew_uppaal_at_leads_to(c)) {
        return expr;
      }
      expr = parse_step(c, expr);
      break;
    default:
      return expr;
    }
  }
  return expr;
}

struct uppaal_expr *clew_uppaal_parse_postfix(struct clew_cursor *c) {
  return parse_behind(c, parse_name(c), false);
}

/* ---- Operands ------------------------------------------------------------------------------- */

static struct uppaal_expr *parse_prefix(struct clew_cursor *c, enum uppaal_expr_kind kind,
                                        enum uppaal_op op) {
  struct clew_span head = clew_cursor_here(c);
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  struct uppaal_expr *a = clew_climb(c, &climber, LEVEL_UNARY);
  clew_cursor_unnest(c);
  struct uppaal_expr *expr = over(c, kind, a, NULL);
  if (!c->panic) {
    expr->span = clew_span_join(head, expr->span);
  }
  expr->op = op;
  expr->is_prefix = true;
  return expr;
}

/* forall (i : T) body */
static struct uppaal_expr *parse_quantified(struct clew_cursor *c, enum uppaal_op op) {
  struct clew_span head = clew_cursor_here(c);
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  clew_cursor_expect(c, UPPAAL_TOKEN_LPAREN, "after the quantifier");
  struct uppaal_ref ref = clew_uppaal_parse_ref(c, "the name of a variable");
  clew_cursor_expect(c, UPPAAL_TOKEN_COLON, "after the variable");
  struct uppaal_type *type = clew_uppaal_parse_type(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the type");
  struct uppaal_expr *body = clew_uppaal_parse_expr(c);
  clew_cursor_unnest(c);
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_QUANTIFY, body, NULL);
  if (!c->panic) {
    expr->span = clew_span_join(head, expr->span);
  }
  expr->op = op;
  expr->ref = ref;
  expr->type = type;
  return expr;
}

static void *parse_operand(struct clew_cursor *c) {
  if (c->panic) {
    return error_expr(c);
  }
  switch (clew_cursor_peek(c)) {
  case CLEW_TOKEN_NUMBER:
    return parse_number(c);
  case CLEW_TOKEN_NAME:
    return parse_behind(c, parse_name(c), true);
  case UPPAAL_TOKEN_TRUE:
  case UPPAAL_TOKEN_FALSE:
    return parse_constant(c);
  case UPPAAL_TOKEN_LPAREN:
    return parse_behind(c, parse_parenthesised(c), true);
  case UPPAAL_TOKEN_MINUS:
    return parse_prefix(c, UPPAAL_EXPR_UNARY, UPPAAL_OP_NEG);
  case UPPAAL_TOKEN_PLUS:
    return parse_prefix(c, UPPAAL_EXPR_UNARY, UPPAAL_OP_POS);
  case UPPAAL_TOKEN_BANG:
  case UPPAAL_TOKEN_NOT:
    return parse_prefix(c, UPPAAL_EXPR_UNARY, UPPAAL_OP_NOT);
  case UPPAAL_TOKEN_INCREMENT:
    return parse_prefix(c, UPPAAL_EXPR_STEP, UPPAAL_OP_ADD);
  case UPPAAL_TOKEN_DECREMENT:
    return parse_prefix(c, UPPAAL_EXPR_STEP, UPPAAL_OP_SUB);
  case UPPAAL_TOKEN_FORALL:
    return parse_quantified(c, UPPAAL_OP_FORALL);
  case UPPAAL_TOKEN_EXISTS:
    return parse_quantified(c, UPPAAL_OP_EXISTS);
  case UPPAAL_TOKEN_SUM:
    return parse_quantified(c, UPPAAL_OP_SUM);
  default:
    clew_cursor_fail_expected(c, "an expression");
    return error_expr(c);
  }
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static struct uppaal_expr *parse_cond(struct clew_cursor *c) {
  struct uppaal_expr *a = clew_climb(c, &climber, LEVEL_OR);
  if (clew_cursor_peek(c) != UPPAAL_TOKEN_QUESTION || c->panic || !clew_cursor_nest(c)) {
    return a;
  }
  c->at++;
  struct uppaal_expr *b = clew_uppaal_parse_expr(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_COLON, "after the first alternative");
  struct uppaal_expr *other = parse_cond(c);
  clew_cursor_unnest(c);
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_COND, a, b);
  expr->c = other;
  if (!c->panic) {
    adopt(c, expr, other);
  }
  return expr;
}

/* The operator of an assignment; false when the next token is none. */
static bool assignment_op(uint32_t kind, enum uppaal_op *op) {
  static const struct {
    uint32_t kind;
    enum uppaal_op op;
  } table[] = {
      {UPPAAL_TOKEN_ASSIGN, UPPAAL_OP_NONE},        {UPPAAL_TOKEN_OLD_ASSIGN, UPPAAL_OP_NONE},
      {UPPAAL_TOKEN_ADD_ASSIGN, UPPAAL_OP_ADD},     {UPPAAL_TOKEN_SUB_ASSIGN, UPPAAL_OP_SUB},
      {UPPAAL_TOKEN_MUL_ASSIGN, UPPAAL_OP_MUL},     {UPPAAL_TOKEN_DIV_ASSIGN, UPPAAL_OP_DIV},
      {UPPAAL_TOKEN_MOD_ASSIGN, UPPAAL_OP_MOD},     {UPPAAL_TOKEN_OR_ASSIGN, UPPAAL_OP_BIT_OR},
      {UPPAAL_TOKEN_AND_ASSIGN, UPPAAL_OP_BIT_AND}, {UPPAAL_TOKEN_XOR_ASSIGN, UPPAAL_OP_BIT_XOR},
      {UPPAAL_TOKEN_SHL_ASSIGN, UPPAAL_OP_SHL},     {UPPAAL_TOKEN_SHR_ASSIGN, UPPAAL_OP_SHR},
  };
  for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (table[i].kind == kind) {
      *op = table[i].op;
      return true;
    }
  }
  return false;
}

struct uppaal_expr *clew_uppaal_parse_expr(struct clew_cursor *c) {
  struct uppaal_expr *a = parse_cond(c);
  enum uppaal_op op;
  if (c->panic || !assignment_op(clew_cursor_peek(c), &op) || !clew_cursor_nest(c)) {
    return a;
  }
  c->at++;
  struct uppaal_expr *b = clew_uppaal_parse_expr(c);
  clew_cursor_unnest(c);
  struct uppaal_expr *expr = over(c, UPPAAL_EXPR_ASSIGN, a, b);
  expr->op = op;
  return expr;
}

struct uppaal_exprs clew_uppaal_parse_exprs(struct clew_cursor *c) {
  CLEW_VEC(struct uppaal_expr *) list = {0};
  do {
    clew_vec_push(&list, clew_uppaal_parse_expr(c));
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  struct uppaal_exprs exprs = {
      clew_arena_copy(c->front->arena, list.data, list.len, sizeof *list.data), list.len};
  clew_vec_free(&list);
  return exprs;
}

/* { 1, { true, false } } or { a: 1, b: 2 }, or an expression */
struct uppaal_expr *clew_uppaal_parse_initialiser(struct clew_cursor *c) {
  if (c->panic || clew_cursor_peek(c) != UPPAAL_TOKEN_LBRACE) {
    return clew_uppaal_parse_expr(c);
  }
  struct clew_span head = clew_cursor_here(c);
  if (!clew_cursor_nest(c)) {
    return error_expr(c);
  }
  c->at++;
  CLEW_VEC(struct uppaal_expr *) list = {0};
  CLEW_VEC(struct uppaal_ref) fields = {0};
  do {
    struct uppaal_ref field = {NULL, clew_cursor_here(c)};
    if (clew_cursor_peek(c) == CLEW_TOKEN_NAME && clew_cursor_peek2(c) == UPPAAL_TOKEN_COLON) {
      field = clew_uppaal_parse_ref(c, "the name of a field");
      c->at++;
    }
    clew_vec_push(&fields, field);
    clew_vec_push(&list, clew_uppaal_parse_initialiser(c));
  } while (clew_cursor_accept(c, UPPAAL_TOKEN_COMMA));
  clew_cursor_unnest(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the initial values");
  struct uppaal_expr *expr = expr_new(c, UPPAAL_EXPR_LIST, head);
  expr->args = clew_arena_copy(c->front->arena, list.data, list.len, sizeof *list.data);
  expr->fields = clew_arena_copy(c->front->arena, fields.data, fields.len, sizeof *fields.data);
  expr->arg_count = list.len;
  for (uint32_t i = 0; i < list.len && !c->panic; i++) {
    adopt(c, expr, list.data[i]);
  }
  if (!c->panic) {
    expr->span = clew_span_join(head, clew_cursor_previous(c));
  }
  clew_vec_free(&list);
  clew_vec_free(&fields);
  return expr;
}

/* ---- Effects -------------------------------------------------------------------------------- */

static bool has_effect(const struct uppaal_expr *expr) {
  if (expr == NULL) {
    return false;
  }
  bool found = expr->kind == UPPAAL_EXPR_ASSIGN || expr->kind == UPPAAL_EXPR_STEP ||
               expr->kind == UPPAAL_EXPR_CALL || has_effect(expr->a) || has_effect(expr->b) ||
               has_effect(expr->c);
  for (uint32_t i = 0; i < expr->arg_count && !found; i++) {
    found = has_effect(expr->args[i]);
  }
  return found;
}

void clew_uppaal_judge_effects(struct clew_cursor *c, struct uppaal_exprs list) {
  for (uint32_t i = 0; i < list.count && !c->panic; i++) {
    const struct uppaal_expr *expr = list.data[i];
    bool compares =
        expr->kind == UPPAAL_EXPR_BINARY && expr->op >= UPPAAL_OP_EQ && expr->op <= UPPAAL_OP_GE;
    if (compares && !has_effect(expr)) {
      clew_front_warn(c->front, expr->span,
                      "this comparison does nothing here: assignments are written '='");
    }
  }
}
