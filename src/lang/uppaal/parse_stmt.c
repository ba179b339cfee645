/* Parsing the bodies of functions. */
#include "lang/uppaal/uppaal_int.h"

static struct uppaal_stmt *parse_stmt(struct uppaal_parser *p);

static struct uppaal_stmt *stmt_new(struct clew_cursor *c, enum uppaal_stmt_kind kind) {
  struct uppaal_stmt *stmt = CLEW_NEW(c->front->arena, struct uppaal_stmt);
  stmt->kind = kind;
  stmt->span = clew_cursor_here(c);
  return stmt;
}

/* ( a, b ): conditions may be lists. */
static struct uppaal_exprs parse_condition(struct clew_cursor *c, const char *where) {
  clew_cursor_expect(c, UPPAAL_TOKEN_LPAREN, where);
  struct uppaal_exprs values = clew_uppaal_parse_exprs(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the condition");
  return values;
}

struct uppaal_stmt *clew_uppaal_parse_block(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_stmt *block = stmt_new(c, UPPAAL_STMT_BLOCK);
  if (!clew_cursor_expect(c, UPPAAL_TOKEN_LBRACE, "before the statements") ||
      !clew_cursor_nest(c)) {
    return block;
  }
  struct uppaal_decl **decl_end = &block->decls;
  while (!c->panic && (clew_cursor_peek(c) == UPPAAL_TOKEN_TYPEDEF || clew_uppaal_starts_type(c))) {
    decl_end = clew_uppaal_parse_decl(p, decl_end);
  }
  struct uppaal_stmt **end = &block->body;
  while (!c->panic && clew_cursor_peek(c) != UPPAAL_TOKEN_RBRACE) {
    *end = parse_stmt(p);
    end = &(*end)->next;
  }
  clew_cursor_unnest(c);
  clew_cursor_expect(c, UPPAAL_TOKEN_RBRACE, "after the statements");
  return block;
}

static struct uppaal_stmt *parse_if(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_stmt *stmt = stmt_new(c, UPPAAL_STMT_IF);
  c->at++;
  stmt->values = parse_condition(c, "after 'if'");
  stmt->body = parse_stmt(p);
  if (clew_cursor_accept(c, UPPAAL_TOKEN_ELSE)) {
    stmt->otherwise = parse_stmt(p);
  }
  return stmt;
}

static struct uppaal_stmt *parse_while(struct uppaal_parser *p) {
  struct uppaal_stmt *stmt = stmt_new(p->c, UPPAAL_STMT_WHILE);
  p->c->at++;
  stmt->values = parse_condition(p->c, "after 'while'");
  stmt->body = parse_stmt(p);
  return stmt;
}

static struct uppaal_stmt *parse_do(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_stmt *stmt = stmt_new(c, UPPAAL_STMT_DO);
  c->at++;
  stmt->body = parse_stmt(p);
  clew_cursor_expect(c, UPPAAL_TOKEN_WHILE, "after the body of 'do'");
  stmt->values = parse_condition(c, "after 'while'");
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the condition");
  return stmt;
}

/* Expressions up to the token, or none. */
static struct uppaal_exprs parse_until(struct clew_cursor *c, uint32_t kind, const char *where) {
  struct uppaal_exprs values = {NULL, 0};
  if (clew_cursor_peek(c) != kind) {
    values = clew_uppaal_parse_exprs(c);
  }
  clew_cursor_expect(c, kind, where);
  return values;
}

/* for (i : T) statement, or for (a; b; c) statement */
static struct uppaal_stmt *parse_for(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_stmt *stmt = stmt_new(c, UPPAAL_STMT_FOR);
  c->at++;
  clew_cursor_expect(c, UPPAAL_TOKEN_LPAREN, "after 'for'");
  if (clew_cursor_peek(c) == CLEW_TOKEN_NAME && clew_cursor_peek2(c) == UPPAAL_TOKEN_COLON) {
    stmt->kind = UPPAAL_STMT_EACH;
    stmt->ref = clew_uppaal_parse_ref(c, "the name of a variable");
    c->at++;
    stmt->type = clew_uppaal_parse_type(c);
    clew_cursor_expect(c, UPPAAL_TOKEN_RPAREN, "after the type");
  } else {
    if (!c->panic && clew_cursor_peek(c) == UPPAAL_TOKEN_INT) {
      clew_cursor_fail(c, clew_cursor_here(c),
                       "a loop variable is declared before the loop, or ranges over a type: "
                       "for (i : int[0,3])");
    }
    stmt->before = parse_until(c, UPPAAL_TOKEN_SEMICOLON, "after the start of the loop");
    stmt->values = parse_until(c, UPPAAL_TOKEN_SEMICOLON, "after the condition of the loop");
    stmt->after = parse_until(c, UPPAAL_TOKEN_RPAREN, "after the step of the loop");
  }
  stmt->body = parse_stmt(p);
  return stmt;
}

static struct uppaal_stmt *parse_return(struct uppaal_parser *p) {
  struct uppaal_stmt *stmt = stmt_new(p->c, UPPAAL_STMT_RETURN);
  p->c->at++;
  stmt->values = parse_until(p->c, UPPAAL_TOKEN_SEMICOLON, "after 'return'");
  return stmt;
}

static struct uppaal_stmt *parse_assert(struct uppaal_parser *p) {
  struct uppaal_stmt *stmt = stmt_new(p->c, UPPAAL_STMT_ASSERT);
  p->c->at++;
  stmt->values = clew_uppaal_parse_exprs(p->c);
  clew_cursor_expect(p->c, UPPAAL_TOKEN_SEMICOLON, "after 'assert'");
  return stmt;
}

static struct uppaal_stmt *parse_simple(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  struct uppaal_stmt *stmt = stmt_new(c, UPPAAL_STMT_EXPR);
  if (clew_cursor_accept(c, UPPAAL_TOKEN_SEMICOLON)) {
    stmt->kind = UPPAAL_STMT_EMPTY;
    return stmt;
  }
  stmt->values = clew_uppaal_parse_exprs(c);
  clew_uppaal_judge_effects(c, stmt->values);
  clew_cursor_expect(c, UPPAAL_TOKEN_SEMICOLON, "after the statement");
  return stmt;
}

static struct uppaal_stmt *parse_stmt(struct uppaal_parser *p) {
  struct clew_cursor *c = p->c;
  if (c->panic || !clew_cursor_nest(c)) {
    return stmt_new(c, UPPAAL_STMT_EMPTY);
  }
  struct uppaal_stmt *stmt;
  switch (clew_cursor_peek(c)) {
  case UPPAAL_TOKEN_LBRACE:
    stmt = clew_uppaal_parse_block(p);
    break;
  case UPPAAL_TOKEN_IF:
    stmt = parse_if(p);
    break;
  case UPPAAL_TOKEN_WHILE:
    stmt = parse_while(p);
    break;
  case UPPAAL_TOKEN_DO:
    stmt = parse_do(p);
    break;
  case UPPAAL_TOKEN_FOR:
    stmt = parse_for(p);
    break;
  case UPPAAL_TOKEN_RETURN:
    stmt = parse_return(p);
    break;
  case UPPAAL_TOKEN_ASSERT:
    stmt = parse_assert(p);
    break;
  default:
    stmt = parse_simple(p);
  }
  clew_cursor_unnest(c);
  return stmt;
}
