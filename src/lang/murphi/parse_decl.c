/* Parsing types, declarations, procedures and functions. */
#include "lang/murphi/parse.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static bool name_is(const struct clew_cursor *p, const char *word) {
  return p->at->kind == CLEW_TOKEN_NAME && p->at->length == strlen(word) &&
         strncasecmp(clew_cursor_bytes(p), word, p->at->length) == 0;
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* enum { a, b, c } with an optional comma at the end */
static void parse_enum(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_ENUM);
  type->kind = MURPHI_TYPE_EXPR_ENUM;
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LBRACE, "after 'enum'");
  struct murphi_member **tail = &type->members;
  do {
    if (clew_cursor_peek(p) == MURPHI_TOKEN_RBRACE && type->members != NULL) {
      break;
    }
    struct murphi_member *member = CLEW_NEW(p->front->arena, struct murphi_member);
    member->span = clew_cursor_here(p);
    member->name = clew_murphi_parse_name(p, "the name of a value");
    *tail = member;
    tail = &member->next;
  } while (clew_cursor_accept(p, MURPHI_TOKEN_COMMA));
  clew_murphi_resume(p, MURPHI_TOKEN_RBRACE);
  clew_cursor_expect(p, MURPHI_TOKEN_RBRACE, "or ',' after a value");
}

static void parse_union(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_UNION);
  type->kind = MURPHI_TYPE_EXPR_UNION;
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LBRACE, "after 'union'");
  struct murphi_type_expr **tail = &type->parts;
  do {
    if (clew_cursor_peek(p) == MURPHI_TOKEN_RBRACE && type->parts != NULL) {
      break;
    }
    *tail = clew_murphi_parse_type(p);
    tail = &(*tail)->next;
  } while (clew_cursor_accept(p, MURPHI_TOKEN_COMMA));
  clew_murphi_resume(p, MURPHI_TOKEN_RBRACE);
  clew_cursor_expect(p, MURPHI_TOKEN_RBRACE, "or ',' after a member type");
}

/* `a, b : T` or `a, b : e`, up to behind the type or expression; a comma may follow the last name,
 * and there may be no name at all (then nothing is declared). */
static struct murphi_decl **parse_names(struct clew_cursor *p, struct murphi_decl **tail,
                                        enum murphi_decl_kind kind, const char *what) {
  assert(tail != NULL && *tail == NULL);
  struct murphi_decl **end = tail;
  while (!p->panic && clew_cursor_peek(p) != MURPHI_TOKEN_COLON) {
    struct murphi_decl *decl = CLEW_NEW(p->front->arena, struct murphi_decl);
    decl->kind = kind;
    decl->span = clew_cursor_here(p);
    decl->name = clew_murphi_parse_name(p, what);
    *end = decl;
    end = &decl->next;
    if (!clew_cursor_accept(p, MURPHI_TOKEN_COMMA)) {
      break;
    }
  }
  bool is_const = kind == MURPHI_DECL_CONST;
  clew_cursor_expect(p, MURPHI_TOKEN_COLON, is_const ? "before the value" : "before the type");
  struct murphi_expr *value = is_const ? clew_murphi_parse_expr(p) : NULL;
  struct murphi_type_expr *type = is_const ? NULL : clew_murphi_parse_type(p);
  for (struct murphi_decl *decl = *tail; decl != NULL; decl = decl->next) {
    decl->value = value;
    decl->type_expr = type;
  }
  return end;
}

/* After an error: behind the next ';' or before what cannot be part of a declaration. */
static void recover_decl(struct clew_cursor *p) {
  uint32_t records = 0;
  assert(p->panic);
  p->panic = false;
  for (;; p->at++) {
    uint32_t kind = p->at->kind;
    if (kind == CLEW_TOKEN_END || clew_murphi_is_top(kind) || clew_murphi_is_section(kind) ||
        kind == MURPHI_TOKEN_BEGIN || (records == 0 && clew_murphi_is_end(kind))) {
      return;
    }
    if (kind == MURPHI_TOKEN_SEMICOLON && records == 0) {
      p->at++;
      return;
    }
    records += kind == MURPHI_TOKEN_RECORD;
    records -= clew_murphi_is_end(kind);
  }
}

static void parse_record(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_RECORD);
  struct clew_span head = clew_cursor_here(p);
  type->kind = MURPHI_TYPE_EXPR_RECORD;
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDRECORD);
  struct murphi_decl **tail = &type->fields;
  while (!p->panic && !clew_murphi_is_end(clew_cursor_peek(p))) {
    tail = parse_names(p, tail, MURPHI_DECL_VAR, "the name of a field");
    clew_murphi_skip_semicolons(p);
    if (p->panic) {
      recover_decl(p);
      p->panic = !clew_murphi_at_name(p) && !clew_murphi_is_end(clew_cursor_peek(p));
    }
  }
  clew_murphi_close(p, MURPHI_TOKEN_ENDRECORD, "record", head);
}

static void parse_array(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_ARRAY);
  type->kind = MURPHI_TYPE_EXPR_ARRAY;
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LBRACKET, "after 'array'");
  type->index = clew_murphi_parse_type(p);
  clew_murphi_resume(p, MURPHI_TOKEN_RBRACKET);
  clew_cursor_expect(p, MURPHI_TOKEN_RBRACKET, "after the index type");
  clew_cursor_expect(p, MURPHI_TOKEN_OF, "before the element type");
  type->element = clew_murphi_parse_type(p);
}

static void parse_multiset(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_MULTISET);
  type->kind = MURPHI_TYPE_EXPR_MULTISET;
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LBRACKET, "after 'multiset'");
  type->lo = clew_murphi_parse_expr(p);
  clew_murphi_resume(p, MURPHI_TOKEN_RBRACKET);
  clew_cursor_expect(p, MURPHI_TOKEN_RBRACKET, "after the capacity");
  clew_cursor_expect(p, MURPHI_TOKEN_OF, "before the element type");
  type->element = clew_murphi_parse_type(p);
}

static void parse_scalarset(struct clew_cursor *p, struct murphi_type_expr *type) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_SCALARSET);
  type->kind = MURPHI_TYPE_EXPR_SCALARSET;
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LPAREN, "after 'scalarset'");
  type->lo = clew_murphi_parse_expr(p);
  clew_murphi_resume(p, MURPHI_TOKEN_RPAREN);
  clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "after the size");
}

/* A name, or lo .. hi. */
static void parse_range(struct clew_cursor *p, struct murphi_type_expr *type) {
  if (name_is(p, "real") && clew_cursor_peek2(p) == MURPHI_TOKEN_LPAREN) {
    clew_cursor_fail(p, clew_cursor_here(p), "the type 'real' is not supported");
    return;
  }
  const struct clew_token *before = p->at;
  struct murphi_expr *lo = clew_murphi_parse_expr(p);
  if (p->panic && p->at == before) {
    return;
  }
  if (lo->kind == MURPHI_EXPR_NAME && clew_cursor_peek(p) != MURPHI_TOKEN_DOTS && !p->panic) {
    type->kind = MURPHI_TYPE_EXPR_NAME;
    type->name = lo->name;
    return;
  }
  type->kind = MURPHI_TYPE_EXPR_RANGE;
  type->lo = lo;
  clew_cursor_expect(p, MURPHI_TOKEN_DOTS, "between the bounds of a range");
  type->hi = clew_murphi_parse_expr(p);
}

static void parse_type_body(struct clew_cursor *p, struct murphi_type_expr *type) {
  switch (clew_cursor_peek(p)) {
  case MURPHI_TOKEN_BOOLEAN:
    type->kind = MURPHI_TYPE_EXPR_BOOLEAN;
    p->at++;
    return;
  case MURPHI_TOKEN_ENUM:
    parse_enum(p, type);
    return;
  case MURPHI_TOKEN_RECORD:
    parse_record(p, type);
    return;
  case MURPHI_TOKEN_ARRAY:
    parse_array(p, type);
    return;
  case MURPHI_TOKEN_SCALARSET:
    parse_scalarset(p, type);
    return;
  case MURPHI_TOKEN_UNION:
    if (clew_cursor_peek2(p) == MURPHI_TOKEN_LBRACE) {
      parse_union(p, type);
      return;
    }
    break;
  case MURPHI_TOKEN_MULTISET:
    if (clew_cursor_peek2(p) == MURPHI_TOKEN_LBRACKET) {
      parse_multiset(p, type);
      return;
    }
    break;
  case CLEW_TOKEN_NUMBER:
  case MURPHI_TOKEN_LPAREN:
  case MURPHI_TOKEN_MINUS:
  case MURPHI_TOKEN_PLUS:
    break;
  default:
    if (clew_cursor_mistake(p, MURPHI_TOKEN_LBRACKET, "a type",
                            "a range is written 0..3, and an array 'array [0..3] of boolean'") ||
        clew_cursor_mistake(p, MURPHI_TOKEN_LBRACE, "a type",
                            "an enumeration is written 'enum {A, B}'")) {
      return;
    }
    if (!clew_murphi_at_name(p)) {
      clew_cursor_fail_expected(p, "a type");
      return;
    }
  }
  parse_range(p, type);
}

struct murphi_type_expr *clew_murphi_parse_type(struct clew_cursor *p) {
  struct murphi_type_expr *type = CLEW_NEW(p->front->arena, struct murphi_type_expr);
  type->kind = MURPHI_TYPE_EXPR_BOOLEAN;
  type->span = clew_cursor_here(p);
  if (p->panic || !clew_cursor_nest(p)) {
    return type;
  }
  parse_type_body(p, type);
  if (!p->panic) {
    type->span = clew_span_join(type->span, clew_cursor_previous(p));
  }
  clew_cursor_unnest(p);
  return type;
}

/* ---- Declarations --------------------------------------------------------------------------- */

static struct murphi_decl **parse_decl(struct clew_cursor *p, struct murphi_decl **tail,
                                       uint32_t section) {
  switch (section) {
  case MURPHI_TOKEN_CONST:
    return parse_names(p, tail, MURPHI_DECL_CONST, "the name of a constant");
  case MURPHI_TOKEN_TYPE:
    return parse_names(p, tail, MURPHI_DECL_TYPE, "the name of a type");
  default:
    assert(section == MURPHI_TOKEN_VAR);
    return parse_names(p, tail, MURPHI_DECL_VAR, "the name of a variable");
  }
}

/* Whether another declaration of the section follows: among local ones, what looks different is
 * the first statement (`begin` may be missing). */
static bool decl_follows(const struct clew_cursor *p, bool global) {
  if (!clew_murphi_at_name(p)) {
    return clew_cursor_peek(p) == MURPHI_TOKEN_COLON;
  }
  uint32_t next = clew_cursor_peek2(p);
  if (p->at->kind != CLEW_TOKEN_NAME || !global) {
    return next == MURPHI_TOKEN_COLON || next == MURPHI_TOKEN_COMMA;
  }
  return true;
}

/* Whether a declaration may end here: its ';' can be missing before whatever cannot belong to it.
 */
static bool ends_decl(struct clew_cursor *p) {
  uint32_t kind = clew_cursor_peek(p);
  return clew_murphi_skip_semicolons(p) || clew_murphi_at_name(p) ||
         (kind >= MURPHI_TOKEN_ALIAS && kind <= MURPHI_TOKEN_WHILE) || kind == CLEW_TOKEN_END ||
         kind == MURPHI_TOKEN_COLON;
}

struct murphi_decl **clew_murphi_parse_decls(struct clew_cursor *p, struct murphi_decl **tail,
                                             bool global) {
  assert(*tail == NULL);
  while (!p->panic && clew_murphi_is_section(clew_cursor_peek(p))) {
    uint32_t section = p->at->kind;
    p->at++;
    while (decl_follows(p, global)) {
      struct murphi_decl **before = tail;
      tail = parse_decl(p, tail, section);
      if (!ends_decl(p) &&
          !clew_cursor_mistake(p, MURPHI_TOKEN_LBRACKET, "';' after the declaration",
                               "an array is written 'array [0..3] of boolean'")) {
        clew_cursor_expect(p, MURPHI_TOKEN_SEMICOLON, "after the declaration");
      }
      if (p->panic) {
        recover_decl(p);
        *before = NULL;
        tail = before;
      }
    }
    clew_murphi_skip_semicolons(p);
  }
  return tail;
}

/* ---- Procedures and functions --------------------------------------------------------------- */

static void parse_params(struct clew_cursor *p, struct murphi_function *function) {
  assert(function->params == NULL);
  struct murphi_decl **tail = &function->params;
  while (!p->panic && clew_cursor_peek(p) != MURPHI_TOKEN_RPAREN) {
    bool by_reference = clew_cursor_accept(p, MURPHI_TOKEN_VAR);
    struct murphi_decl **first = tail;
    tail = parse_names(p, tail, MURPHI_DECL_VAR, "the name of a parameter");
    for (struct murphi_decl *decl = *first; decl != NULL; decl = decl->next) {
      decl->by_reference = by_reference;
      function->param_count++;
    }
    if (!clew_murphi_skip_semicolons(p) && !clew_murphi_at_name(p) &&
        clew_cursor_peek(p) != MURPHI_TOKEN_VAR) {
      break;
    }
  }
  clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "or ';' after a parameter");
}

/* Either word begins either: only the type of the result makes a function. */
struct murphi_function *clew_murphi_parse_function(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_PROCEDURE ||
         clew_cursor_peek(p) == MURPHI_TOKEN_FUNCTION);
  struct murphi_function *function = CLEW_NEW(p->front->arena, struct murphi_function);
  struct clew_span head = clew_cursor_here(p);
  bool is_function = clew_cursor_peek(p) == MURPHI_TOKEN_FUNCTION;
  uint32_t closer = is_function ? MURPHI_TOKEN_ENDFUNCTION : MURPHI_TOKEN_ENDPROCEDURE;
  uint32_t other = is_function ? MURPHI_TOKEN_ENDPROCEDURE : MURPHI_TOKEN_ENDFUNCTION;
  p->at++;
  clew_cursor_await(p, closer);
  function->span = clew_cursor_here(p);
  function->name =
      clew_murphi_parse_name(p, is_function ? "the name of a function" : "the name of a procedure");
  if (clew_cursor_accept(p, MURPHI_TOKEN_LPAREN)) {
    parse_params(p, function);
  }
  if (clew_cursor_mistake(p, MURPHI_TOKEN_BOOLEAN, "':' before the type of the result",
                          "it is written 'function f(): boolean;'") ||
      (is_function && clew_cursor_peek2(p) == MURPHI_TOKEN_SEMICOLON &&
       clew_cursor_mistake(p, CLEW_TOKEN_NAME, "':' before the type of the result",
                           "it is written 'function f(): boolean;'"))) {
    p->panic = false;
    function->result_expr = clew_murphi_parse_type(p);
  } else if (clew_cursor_accept(p, MURPHI_TOKEN_COLON)) {
    function->result_expr = clew_murphi_parse_type(p);
  }
  clew_murphi_skip_semicolons(p);
  clew_murphi_parse_decls(p, &function->decls, false);
  clew_cursor_accept(p, MURPHI_TOKEN_BEGIN);
  function->body = clew_murphi_parse_stmts(p);
  if (clew_cursor_accept(p, other)) {
    clew_cursor_await_no_more(p, closer);
  } else {
    clew_murphi_close(p, closer, is_function ? "function" : "procedure", head);
  }
  clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON);
  return function;
}
