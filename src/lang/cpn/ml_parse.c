/* CPN ML: tokens, types, and the ways into the parser. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "lang/cpn/ml_parse.h"

void cpn_fail(struct cpn_reader *reader, uint32_t offset, uint32_t length, const char *format,
              ...) {
  if (reader->failed) {
    return; /* what follows from the first error helps nobody */
  }
  va_list args;
  va_start(args, format);
  reader->failed = true;
  if (reader->is_quiet) {
    struct clew_text text = {0};
    clew_text_vprintf(&text, format, args);
    reader->first = clew_arena_strndup(reader->ml->arena, clew_text_str(&text), text.len);
    clew_text_free(&text);
  } else {
    clew_diag_vat(reader->ml->diags, CLEW_ERROR, &reader->text->source, offset, length, format,
                  args);
  }
  va_end(args);
}

struct cpn_name *cpn_name(struct cpn_ml *ml, const char *text, size_t length) {
  return (struct cpn_name *)clew_name_intern(&ml->names, text, length);
}

static const char *token_text(const struct cpn_parser *p, const struct cpn_token *token) {
  return p->reader->text->source.text + token->offset;
}

static bool is_token(const struct cpn_parser *p, enum cpn_token_kind kind, const char *text) {
  const struct cpn_token *token = cpn_peek(p);
  return token->kind == kind && strlen(text) == token->length &&
         memcmp(token_text(p, token), text, token->length) == 0;
}

bool cpn_is(const struct cpn_parser *p, const char *text) {
  return is_token(p, CPN_K_PUNCT, text);
}

bool cpn_is_symbol(const struct cpn_parser *p, const char *text) {
  return is_token(p, CPN_K_SYMBOL, text);
}

bool cpn_take(struct cpn_parser *p, const char *text) {
  if (!cpn_is(p, text)) {
    return false;
  }
  p->at++;
  return true;
}

void *cpn_unexpected(struct cpn_parser *p, const char *wanted) {
  const struct cpn_token *token = cpn_peek(p);
  if (token->kind == CPN_K_END) {
    cpn_fail(p->reader, token->offset, 1, "%s was expected, but here is the end", wanted);
  } else {
    cpn_fail(p->reader, token->offset, token->length, "%s was expected, not '%.*s'", wanted,
             (int)token->length, token_text(p, token));
  }
  return NULL;
}

bool cpn_expect(struct cpn_parser *p, const char *text) {
  if (cpn_take(p, text)) {
    return true;
  }
  char wanted[32] = "'";
  strncat(wanted, text, 20);
  strcat(wanted, "'");
  cpn_unexpected(p, wanted);
  return false;
}

struct cpn_name *cpn_take_name(struct cpn_parser *p, const char *what) {
  const struct cpn_token *token = cpn_peek(p);
  if (token->kind != CPN_K_NAME && token->kind != CPN_K_SYMBOL) {
    return cpn_unexpected(p, what);
  }
  p->at++;
  return cpn_name(p->reader->ml, token_text(p, token), token->length);
}

bool cpn_enter(struct cpn_parser *p) {
  if (p->reader->failed) {
    return false;
  }
  if (++p->depth > CPN_MOST_NESTING) {
    cpn_fail(p->reader, cpn_peek(p)->offset, 1, "this is nested too deeply");
    return false;
  }
  return true;
}

struct cpn_name *cpn_infix_here(const struct cpn_parser *p) {
  const struct cpn_token *token = cpn_peek(p);
  bool is_equals = cpn_is(p, "=");
  if (token->kind != CPN_K_NAME && token->kind != CPN_K_SYMBOL && !is_equals) {
    return NULL;
  }
  struct cpn_name *name = cpn_name(p->reader->ml, token_text(p, token), token->length);
  return name->infix > 0 ? name : NULL;
}

/* ---- types ---- */

static struct cpn_type_expr *type_node(struct cpn_parser *p, enum cpn_type_expr_kind kind,
                                       uint32_t count) {
  struct cpn_type_expr *type = CLEW_NEW(p->reader->ml->arena, struct cpn_type_expr);
  type->kind = kind;
  type->count = count;
  type->parts = CLEW_NEW_ARRAY(p->reader->ml->arena, struct cpn_type_expr *, count + 1);
  type->offset = cpn_peek(p)->offset;
  type->length = cpn_peek(p)->length;
  return type;
}

static struct cpn_type_expr *record_type(struct cpn_parser *p) {
  struct clew_arena *arena = p->reader->ml->arena;
  CLEW_VEC(const struct cpn_name *) labels = {0};
  CLEW_VEC(struct cpn_type_expr *) parts = {0};
  struct cpn_type_expr *type = type_node(p, CPN_TE_RECORD, 0);
  while (!cpn_is(p, "}") && !p->reader->failed) {
    const struct cpn_name *label = cpn_take_name(p, "a label");
    if (label == NULL || !cpn_expect(p, ":")) {
      break;
    }
    clew_vec_push(&labels, label);
    clew_vec_push(&parts, cpn_type_expression(p));
    if (!cpn_take(p, ",")) {
      break;
    }
  }
  cpn_expect(p, "}");
  type->count = parts.len;
  if (!cpn_sort_fields(labels.data, (void **)parts.data, parts.len)) {
    cpn_fail(p->reader, type->offset, 1, "a label is there twice");
  }
  type->labels = clew_arena_copy(arena, labels.data, labels.len, sizeof *labels.data);
  type->parts = clew_arena_copy(arena, parts.data, parts.len, sizeof *parts.data);
  clew_vec_free(&labels);
  clew_vec_free(&parts);
  return type;
}

/* A name with its arguments before it: (int, 'a) pair list. */
static struct cpn_type_expr *atomic_type(struct cpn_parser *p) {
  struct clew_arena *arena = p->reader->ml->arena;
  CLEW_VEC(struct cpn_type_expr *) args = {0};
  struct cpn_type_expr *type = NULL;
  const struct cpn_token *token = cpn_peek(p);
  if (token->kind == CPN_K_TYVAR) {
    type = type_node(p, CPN_TE_VAR, 0);
    type->name = cpn_name(p->reader->ml, token_text(p, token), token->length);
    p->at++;
    clew_vec_push(&args, type);
  } else if (cpn_take(p, "(")) {
    do {
      clew_vec_push(&args, cpn_type_expression(p));
    } while (cpn_take(p, ",") && !p->reader->failed);
    cpn_expect(p, ")");
    type = args.len == 1 ? args.data[0] : NULL;
  } else if (cpn_take(p, "{")) {
    type = record_type(p);
    clew_vec_push(&args, type);
  }
  while (cpn_peek(p)->kind == CPN_K_NAME && !p->reader->failed) {
    struct cpn_type_expr *applied = type_node(p, CPN_TE_NAME, args.len);
    applied->name = cpn_take_name(p, "a type");
    if (args.len > 0) {
      applied->parts = clew_arena_copy(arena, args.data, args.len, sizeof *args.data);
    }
    args.len = 0;
    clew_vec_push(&args, applied);
    type = applied;
  }
  clew_vec_free(&args);
  return type != NULL ? type : cpn_unexpected(p, "a type");
}

static struct cpn_type_expr *product_type(struct cpn_parser *p) {
  CLEW_VEC(struct cpn_type_expr *) parts = {0};
  do {
    clew_vec_push(&parts, atomic_type(p));
  } while (cpn_is_symbol(p, "*") && p->at++ < p->tokens.len && !p->reader->failed);
  struct cpn_type_expr *type = parts.data[0];
  if (parts.len > 1) {
    type = type_node(p, CPN_TE_TUPLE, parts.len);
    type->parts = clew_arena_copy(p->reader->ml->arena, parts.data, parts.len, sizeof *parts.data);
  }
  clew_vec_free(&parts);
  return type;
}

struct cpn_type_expr *cpn_type_expression(struct cpn_parser *p) {
  if (!cpn_enter(p)) {
    return NULL;
  }
  struct cpn_type_expr *type = product_type(p);
  if (cpn_take(p, "->")) {
    struct cpn_type_expr *arrow = type_node(p, CPN_TE_ARROW, 2);
    arrow->parts[0] = type;
    arrow->parts[1] = cpn_type_expression(p);
    type = arrow;
  }
  p->depth--;
  return p->reader->failed ? NULL : type;
}

/* ---- ways in ---- */

static bool open_parser(struct cpn_parser *p, struct cpn_reader *reader) {
  *p = (struct cpn_parser){.reader = reader};
  return cpn_lex(reader, &p->tokens);
}

static void *finish(struct cpn_parser *p, void *result) {
  if (!p->reader->failed && cpn_peek(p)->kind != CPN_K_END) {
    cpn_unexpected(p, "the end");
  }
  clew_vec_free(&p->tokens);
  return p->reader->failed ? NULL : result;
}

struct cpn_expr *cpn_parse_expr(struct cpn_reader *reader) {
  struct cpn_parser p;
  struct cpn_expr *expr = NULL;
  if (open_parser(&p, reader)) {
    expr = cpn_expression(&p);
    while (cpn_take(&p, ";")) {
    }
    return finish(&p, expr);
  }
  clew_vec_free(&p.tokens);
  return NULL;
}

struct cpn_type_expr *cpn_parse_type(struct cpn_reader *reader) {
  struct cpn_parser p;
  if (open_parser(&p, reader)) {
    return finish(&p, cpn_type_expression(&p));
  }
  clew_vec_free(&p.tokens);
  return NULL;
}

struct cpn_dec *cpn_parse_decs(struct cpn_reader *reader) {
  struct cpn_parser p;
  if (open_parser(&p, reader)) {
    return finish(&p, cpn_declarations(&p));
  }
  clew_vec_free(&p.tokens);
  return NULL;
}
