/* CPN ML: expressions and patterns.
 *
 * Operators become applications to pairs, so that an inscription of an arc can be read as a pattern
 * by whoever looks for bindings. Depth is bounded, for the parser and for those who walk trees. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cpn/ml_parse.h"

static const int64_t LEAST_INT = -(INT64_C(1) << 30), MOST_INT = (INT64_C(1) << 30) - 1;

struct cpn_expr *cpn_node(struct cpn_parser *p, enum cpn_expr_kind kind, uint32_t offset,
                          uint32_t count) {
  struct cpn_expr *expr = CLEW_NEW(p->reader->ml->arena, struct cpn_expr);
  expr->kind = kind;
  expr->offset = offset;
  expr->length = 1;
  expr->count = count;
  expr->parts = CLEW_NEW_ARRAY(p->reader->ml->arena, struct cpn_expr *, count + 1);
  return expr;
}

/* The node ends with the token before the next one. */
static struct cpn_expr *end(struct cpn_parser *p, struct cpn_expr *expr) {
  if (p->at > 0 && expr != NULL) {
    const struct cpn_token *last = &p->tokens.data[p->at - 1];
    if (last->offset + last->length > expr->offset) {
      expr->length = last->offset + last->length - expr->offset;
    }
  }
  return expr;
}

/* ---- constants ---- */

static char unescape(const char **at) {
  const char *c = *at;
  switch (*c) {
  case 'n':
    *at += 1;
    return '\n';
  case 't':
    *at += 1;
    return '\t';
  default:
    if (c[0] >= '0' && c[0] <= '9' && c[1] >= '0' && c[1] <= '9' && c[2] >= '0' && c[2] <= '9') {
      *at += 3;
      return (char)((c[0] - '0') * 100 + (c[1] - '0') * 10 + (c[2] - '0'));
    }
    *at += 1;
    return *c;
  }
}

static struct cpn_expr *string_constant(struct cpn_parser *p, uint32_t skip) {
  const struct cpn_token *token = cpn_peek(p);
  struct cpn_ml *ml = p->reader->ml;
  const char *at = p->reader->text->source.text + token->offset + skip;
  const char *stop = p->reader->text->source.text + token->offset + token->length - 1;
  struct cpn_expr *expr = cpn_node(p, skip == 1 ? CPN_STRING : CPN_CHAR, token->offset, 0);
  struct clew_text text = {0};
  while (at < stop) {
    if (*at == '\\') {
      at++;
      clew_text_char(&text, unescape(&at));
    } else {
      clew_text_char(&text, *at++);
    }
  }
  expr->constant = cpn_value_string(ml->arena, clew_text_str(&text), text.len);
  clew_text_free(&text);
  p->at++;
  return end(p, expr);
}

static struct cpn_expr *number_constant(struct cpn_parser *p) {
  const struct cpn_token *token = cpn_peek(p);
  bool is_real = token->kind == CPN_K_REAL;
  struct cpn_expr *expr = cpn_node(p, is_real ? CPN_REAL : CPN_INT, token->offset, 0);
  char digits[64];
  uint32_t length = token->length < sizeof digits - 1 ? token->length : sizeof digits - 1;
  memcpy(digits, p->reader->text->source.text + token->offset, length);
  digits[length] = '\0';
  for (char *c = digits; *c != '\0'; c++) {
    *c = *c == '~' ? '-' : *c;
  }
  if (is_real) {
    struct cpn_value *value = cpn_value_int(p->reader->ml->arena, 0);
    value->kind = CPN_V_REAL;
    value->real = strtod(digits, NULL);
    expr->constant = value;
  } else {
    errno = 0;
    expr->number = strtoll(digits, NULL, 10);
    if (errno != 0 || token->length > 20 || expr->number < LEAST_INT || expr->number > MOST_INT) {
      cpn_fail(p->reader, token->offset, token->length,
               "integers go from ~1073741824 to 1073741823");
    }
    expr->constant = cpn_value_int(p->reader->ml->arena, expr->number);
  }
  p->at++;
  return end(p, expr);
}

static struct cpn_expr *constant(struct cpn_parser *p) {
  switch (cpn_peek(p)->kind) {
  case CPN_K_INT:
  case CPN_K_REAL:
    return number_constant(p);
  case CPN_K_STRING:
    return string_constant(p, 1);
  case CPN_K_CHAR:
    return string_constant(p, 2);
  default:
    return NULL;
  }
}

/* ---- what expressions and patterns share ---- */

typedef struct cpn_expr *part_parser(struct cpn_parser *p);

static struct cpn_expr *name_node(struct cpn_parser *p, struct cpn_name *name, uint32_t offset) {
  struct cpn_expr *expr = cpn_node(p, CPN_NAME, offset, 0);
  expr->name = name;
  return end(p, expr);
}

static struct cpn_expr *take_name(struct cpn_parser *p) {
  uint32_t offset = cpn_peek(p)->offset;
  struct cpn_name *name = cpn_take_name(p, "a name");
  return name != NULL ? name_node(p, name, offset) : NULL;
}

/* Parts up to a closing bracket, after the opening one. */
static struct cpn_expr *several(struct cpn_parser *p, enum cpn_expr_kind kind, uint32_t offset,
                                const char *close, part_parser *part) {
  CLEW_VEC(struct cpn_expr *) parts = {0};
  bool is_sequence = false;
  while (!cpn_is(p, close) && !p->reader->failed) {
    clew_vec_push(&parts, part(p));
    if (kind == CPN_TUPLE && cpn_is(p, ";")) {
      is_sequence = true;
      p->at++;
    } else if (!cpn_take(p, ",")) {
      break;
    }
  }
  cpn_expect(p, close);
  struct cpn_expr *expr;
  if (kind == CPN_TUPLE && parts.len == 1) {
    expr = parts.data[0];
  } else {
    expr = cpn_node(p, is_sequence ? CPN_SEQUENCE : kind, offset, parts.len);
    for (uint32_t i = 0; i < parts.len; i++) {
      expr->parts[i] = parts.data[i];
    }
    end(p, expr);
  }
  clew_vec_free(&parts);
  return expr;
}

/* {a = 1, b, ...}, after the opening brace; a label alone stands for a variable of its name. */
static struct cpn_expr *record(struct cpn_parser *p, uint32_t offset, part_parser *part) {
  CLEW_VEC(const struct cpn_name *) labels = {0};
  CLEW_VEC(struct cpn_expr *) parts = {0};
  struct cpn_expr *expr = cpn_node(p, CPN_RECORD, offset, 0);
  while (!cpn_is(p, "}") && !p->reader->failed) {
    if (cpn_take(p, "...")) {
      expr->is_flexible = true;
      break;
    }
    uint32_t at = cpn_peek(p)->offset;
    struct cpn_name *label = cpn_take_name(p, "a label");
    if (label == NULL) {
      break;
    }
    clew_vec_push(&labels, label);
    clew_vec_push(&parts, cpn_take(p, "=") ? part(p) : name_node(p, label, at));
    if (!cpn_take(p, ",")) {
      break;
    }
  }
  cpn_expect(p, "}");
  expr->count = parts.len;
  if (!p->reader->failed && !cpn_sort_fields(labels.data, (void **)parts.data, parts.len)) {
    cpn_fail(p->reader, offset, 1, "a label is there twice");
  }
  struct clew_arena *arena = p->reader->ml->arena;
  expr->labels = clew_arena_copy(arena, labels.data, labels.len, sizeof *labels.data);
  expr->parts = clew_arena_copy(arena, parts.data, parts.len, sizeof *parts.data);
  clew_vec_free(&labels);
  clew_vec_free(&parts);
  return end(p, expr);
}

static struct cpn_expr *apply(struct cpn_parser *p, struct cpn_expr *fn, struct cpn_expr *arg) {
  struct cpn_expr *expr = cpn_node(p, CPN_APPLY, fn != NULL ? fn->offset : 0, 2);
  expr->parts[0] = fn;
  expr->parts[1] = arg;
  return end(p, expr);
}

static struct cpn_expr *infix(struct cpn_parser *p, struct cpn_expr *op, struct cpn_expr *left,
                              struct cpn_expr *right) {
  struct cpn_expr *pair = cpn_node(p, CPN_TUPLE, left != NULL ? left->offset : op->offset, 2);
  pair->parts[0] = left;
  pair->parts[1] = right;
  end(p, pair);
  struct cpn_expr *expr = apply(p, op, pair);
  expr->offset = pair->offset;
  expr->is_infix = true;
  return end(p, expr);
}

static struct cpn_expr *typed(struct cpn_parser *p, struct cpn_expr *inner) {
  while (inner != NULL && cpn_take(p, ":")) {
    struct cpn_expr *expr = cpn_node(p, CPN_TYPED, inner->offset, 1);
    expr->parts[0] = inner;
    expr->type = cpn_type_expression(p);
    inner = end(p, expr);
  }
  return inner;
}

/* ---- patterns ---- */

bool cpn_begins_pattern(const struct cpn_parser *p) {
  enum cpn_token_kind kind = cpn_peek(p)->kind;
  return kind == CPN_K_INT || kind == CPN_K_REAL || kind == CPN_K_STRING || kind == CPN_K_CHAR ||
         (kind == CPN_K_NAME && cpn_infix_here(p) == NULL) || cpn_is(p, "(") || cpn_is(p, "[") ||
         cpn_is(p, "{") || cpn_is(p, "_") || cpn_is(p, "op");
}

struct cpn_expr *cpn_atomic_pattern(struct cpn_parser *p) {
  uint32_t offset = cpn_peek(p)->offset;
  struct cpn_expr *expr = constant(p);
  if (expr != NULL || p->reader->failed) {
    return expr;
  }
  if (cpn_take(p, "_")) {
    return cpn_node(p, CPN_WILD, offset, 0);
  }
  if (cpn_take(p, "(")) {
    return several(p, CPN_TUPLE, offset, ")", cpn_pattern);
  }
  if (cpn_take(p, "[")) {
    return several(p, CPN_LIST, offset, "]", cpn_pattern);
  }
  if (cpn_take(p, "{")) {
    return record(p, offset, cpn_pattern);
  }
  cpn_take(p, "op");
  if (cpn_peek(p)->kind == CPN_K_NAME) {
    return take_name(p);
  }
  return cpn_unexpected(p, "a pattern");
}

/* Constructors with arguments, and lists by ::, which binds to the right. */
static struct cpn_expr *applied_pattern(struct cpn_parser *p) {
  struct cpn_expr *expr = cpn_atomic_pattern(p);
  if (expr != NULL && expr->kind == CPN_NAME && cpn_begins_pattern(p)) {
    expr = apply(p, expr, cpn_atomic_pattern(p));
  }
  if (expr != NULL && cpn_is_symbol(p, "::") && cpn_enter(p)) {
    struct cpn_expr *op = take_name(p);
    expr = infix(p, op, expr, applied_pattern(p));
    p->depth--;
  }
  return expr;
}

struct cpn_expr *cpn_pattern(struct cpn_parser *p) {
  if (!cpn_enter(p)) {
    return NULL;
  }
  struct cpn_expr *expr = typed(p, applied_pattern(p));
  if (expr != NULL && cpn_is(p, "as")) {
    struct cpn_expr *name = expr;
    while (name->kind == CPN_TYPED) {
      name = name->parts[0];
    }
    if (name->kind != CPN_NAME) {
      cpn_unexpected(p, "a name before 'as'");
    }
    p->at++;
    struct cpn_expr *as = cpn_node(p, CPN_AS, expr->offset, 1);
    as->name = name->name;
    as->parts[0] = cpn_pattern(p);
    expr = end(p, as);
  }
  p->depth--;
  return p->reader->failed ? NULL : expr;
}

/* ---- expressions ---- */

/* Clauses of fn, case and handle: pattern => body | … */
static void clauses(struct cpn_parser *p, struct cpn_clauses *out) {
  CLEW_VEC(struct cpn_clause) list = {0};
  (void)cpn_take(p, "|");
  do {
    struct cpn_clause clause = {.patterns =
                                    CLEW_NEW_ARRAY(p->reader->ml->arena, struct cpn_expr *, 1)};
    clause.patterns[0] = cpn_pattern(p);
    if (cpn_expect(p, "=>")) {
      clause.body = cpn_expression(p);
    }
    clew_vec_push(&list, clause);
  } while (!p->reader->failed && cpn_take(p, "|"));
  out->list = clew_arena_copy(p->reader->ml->arena, list.data, list.len, sizeof *list.data);
  out->count = list.len;
  out->arity = 1;
  clew_vec_free(&list);
}

static struct cpn_expr *let(struct cpn_parser *p, uint32_t offset) {
  struct cpn_expr *expr = cpn_node(p, CPN_LET, offset, 1);
  expr->decs = cpn_declarations(p);
  if (cpn_expect(p, "in")) {
    CLEW_VEC(struct cpn_expr *) parts = {0};
    do {
      clew_vec_push(&parts, cpn_expression(p));
    } while (!p->reader->failed && cpn_take(p, ";"));
    expr->parts[0] = parts.data[0];
    if (parts.len > 1) {
      expr->parts[0] = cpn_node(p, CPN_SEQUENCE, offset, parts.len);
      memcpy(expr->parts[0]->parts, parts.data, parts.len * sizeof *parts.data);
    }
    clew_vec_free(&parts);
    cpn_expect(p, "end");
  }
  return end(p, expr);
}

static struct cpn_expr *selector(struct cpn_parser *p, uint32_t offset) {
  const struct cpn_token *token = cpn_peek(p);
  struct cpn_expr *expr = cpn_node(p, CPN_FIELD, offset, 0);
  if (token->kind != CPN_K_NAME && token->kind != CPN_K_INT) {
    return cpn_unexpected(p, "a label");
  }
  expr->name = cpn_name(p->reader->ml, p->reader->text->source.text + token->offset, token->length);
  p->at++;
  return end(p, expr);
}

static bool begins_atom(const struct cpn_parser *p) {
  return cpn_peek(p)->kind != CPN_K_END &&
         ((cpn_begins_pattern(p) && !cpn_is(p, "_")) || cpn_is(p, "#") || cpn_is(p, "let") ||
          cpn_is_symbol(p, "~") || cpn_is_symbol(p, "!"));
}

static struct cpn_expr *atom(struct cpn_parser *p) {
  uint32_t offset = cpn_peek(p)->offset;
  struct cpn_expr *expr = constant(p);
  if (expr != NULL || p->reader->failed) {
    return expr;
  }
  if (cpn_take(p, "(")) {
    return several(p, CPN_TUPLE, offset, ")", cpn_expression);
  }
  if (cpn_take(p, "[")) {
    return several(p, CPN_LIST, offset, "]", cpn_expression);
  }
  if (cpn_take(p, "{")) {
    return record(p, offset, cpn_expression);
  }
  if (cpn_take(p, "#")) {
    return selector(p, offset);
  }
  if (cpn_take(p, "let")) {
    return let(p, offset);
  }
  if (cpn_take(p, "op")) {
    if (cpn_take(p, "=")) {
      return name_node(p, cpn_name(p->reader->ml, "=", 1), offset);
    }
    return take_name(p);
  }
  bool is_prefix = cpn_is_symbol(p, "~") || cpn_is_symbol(p, "!");
  if (cpn_peek(p)->kind == CPN_K_NAME || is_prefix) {
    return take_name(p);
  }
  return cpn_unexpected(p, "an expression");
}

static struct cpn_expr *application(struct cpn_parser *p) {
  struct cpn_expr *expr = atom(p);
  uint32_t links = 0;
  while (expr != NULL && !p->reader->failed && begins_atom(p)) {
    if (++links > CPN_MOST_NESTING) {
      cpn_fail(p->reader, expr->offset, 1, "this is nested too deeply");
      return NULL;
    }
    expr = apply(p, expr, atom(p));
  }
  return expr;
}

/* Operators of at least this precedence. */
static struct cpn_expr *operation(struct cpn_parser *p, uint32_t least) {
  if (!cpn_enter(p)) {
    return NULL;
  }
  struct cpn_expr *left = application(p);
  uint32_t links = 0;
  for (;;) {
    struct cpn_name *op = p->reader->failed ? NULL : cpn_infix_here(p);
    if (op == NULL || (uint32_t)op->infix - 1 < least) {
      break;
    }
    if (++links > CPN_MOST_NESTING) {
      cpn_fail(p->reader, cpn_peek(p)->offset, 1, "this is nested too deeply");
      break;
    }
    uint32_t offset = cpn_peek(p)->offset;
    p->at++;
    struct cpn_expr *name = name_node(p, op, offset);
    uint32_t precedence = (uint32_t)op->infix - 1;
    bool is_keyword = cpn_is(p, "if") || cpn_is(p, "case") || cpn_is(p, "fn");
    struct cpn_expr *right = is_keyword
                                 ? cpn_expression(p)
                                 : operation(p, op->infix_right != 0 ? precedence : precedence + 1);
    left = infix(p, name, left, right);
  }
  p->depth--;
  return p->reader->failed ? NULL : left;
}

static struct cpn_expr *both(struct cpn_parser *p, enum cpn_expr_kind kind, struct cpn_expr *left,
                             struct cpn_expr *right) {
  struct cpn_expr *expr = cpn_node(p, kind, left != NULL ? left->offset : 0, 2);
  expr->parts[0] = left;
  expr->parts[1] = right;
  return end(p, expr);
}

static struct cpn_expr *keyword(struct cpn_parser *p) {
  uint32_t offset = cpn_peek(p)->offset;
  struct cpn_expr *expr = NULL;
  if (cpn_take(p, "if")) {
    expr = cpn_node(p, CPN_IF, offset, 3);
    expr->parts[0] = cpn_expression(p);
    cpn_expect(p, "then");
    expr->parts[1] = cpn_expression(p);
    cpn_expect(p, "else");
    expr->parts[2] = cpn_expression(p);
  } else if (cpn_take(p, "case")) {
    expr = cpn_node(p, CPN_CASE, offset, 1);
    expr->parts[0] = cpn_expression(p);
    cpn_expect(p, "of");
    clauses(p, &expr->clauses);
  } else if (cpn_take(p, "fn")) {
    expr = cpn_node(p, CPN_FN, offset, 0);
    clauses(p, &expr->clauses);
  } else if (cpn_take(p, "raise")) {
    expr = cpn_node(p, CPN_RAISE, offset, 1);
    expr->parts[0] = cpn_expression(p);
  }
  return end(p, expr);
}

static struct cpn_expr *conjunction(struct cpn_parser *p) {
  struct cpn_expr *expr = keyword(p);
  expr = expr != NULL ? expr : typed(p, operation(p, 0));
  uint32_t links = 0;
  while (!p->reader->failed && cpn_is(p, "andalso") && links++ < CPN_MOST_NESTING) {
    p->at++;
    struct cpn_expr *right = keyword(p);
    expr = both(p, CPN_AND, expr, right != NULL ? right : typed(p, operation(p, 0)));
  }
  return expr;
}

struct cpn_expr *cpn_expression(struct cpn_parser *p) {
  if (!cpn_enter(p)) {
    return NULL;
  }
  struct cpn_expr *expr = conjunction(p);
  uint32_t links = 0;
  while (!p->reader->failed && cpn_is(p, "orelse") && links++ < CPN_MOST_NESTING) {
    p->at++;
    expr = both(p, CPN_OR, expr, conjunction(p));
  }
  expr = typed(p, expr);
  if (!p->reader->failed && cpn_take(p, "handle")) {
    struct cpn_expr *handle = cpn_node(p, CPN_HANDLE, expr != NULL ? expr->offset : 0, 1);
    handle->parts[0] = expr;
    clauses(p, &handle->clauses);
    expr = end(p, handle);
  }
  p->depth--;
  return p->reader->failed ? NULL : expr;
}
