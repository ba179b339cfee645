/* Parsing statements. A list of statements is where the parser finds its way again: after an error
 * it skips to the next ';' of the same list, stepping over whole constructs. */
#include "lang/murphi/parse.h"

#include <assert.h>

static struct murphi_stmt *stmt_new(struct clew_cursor *p, enum murphi_stmt_kind kind) {
  struct murphi_stmt *stmt = CLEW_NEW(p->front->arena, struct murphi_stmt);
  stmt->kind = kind;
  stmt->span = clew_cursor_here(p);
  return stmt;
}

/* What ends a list of statements; an invariant among them is an assertion. */
static bool ends_list(uint32_t kind) {
  return kind == CLEW_TOKEN_END || clew_murphi_is_end(kind) ||
         (clew_murphi_is_top(kind) && kind != MURPHI_TOKEN_INVARIANT) ||
         kind == MURPHI_TOKEN_ELSE || kind == MURPHI_TOKEN_ELSIF || kind == MURPHI_TOKEN_CASE;
}

static void recover_stmt(struct clew_cursor *p) {
  assert(p->panic);
  p->panic = false;
  uint32_t depth = 0;
  for (;; p->at++) {
    uint32_t kind = p->at->kind;
    if (kind == CLEW_TOKEN_END || clew_murphi_is_top(kind) || (depth == 0 && ends_list(kind))) {
      return;
    }
    if (depth == 0 && kind == MURPHI_TOKEN_SEMICOLON) {
      p->at++;
      return;
    }
    depth += clew_murphi_is_opener(kind) || kind == MURPHI_TOKEN_BEGIN;
    depth -= clew_murphi_is_end(kind);
  }
}

/* ---- Statements with bodies ----------------------------------------------------------------- */

static struct murphi_clause *clause_new(struct clew_cursor *p, uint32_t *count) {
  if (++*count > MURPHI_MAX_CLAUSES) {
    clew_cursor_fail_limit(p, clew_cursor_here(p), "too many branches in one statement",
                           MURPHI_MAX_CLAUSES);
  }
  return CLEW_NEW(p->front->arena, struct murphi_clause);
}

/* The '}' of a brace that stands for 'then', before the next branch. */
static void skip_brace(struct clew_cursor *p) {
  uint32_t next = clew_cursor_peek2(p);
  if (p->braces > 0 && clew_cursor_peek(p) == MURPHI_TOKEN_RBRACE &&
      (next == MURPHI_TOKEN_ELSE || next == MURPHI_TOKEN_ELSIF)) {
    p->at++;
    p->braces--;
  }
}

static struct murphi_stmt *parse_if(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_IF);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_IF);
  struct murphi_clause **tail = &stmt->clauses;
  uint32_t count = 0;
  clew_cursor_await(p, MURPHI_TOKEN_ENDIF);
  do {
    p->at++;
    struct murphi_clause *clause = clause_new(p, &count);
    struct murphi_expr *condition = clew_murphi_parse_expr(p);
    clause->values = clew_arena_copy(p->front->arena, &condition, 1, sizeof condition);
    clause->value_count = 1;
    clew_murphi_resume(p, MURPHI_TOKEN_THEN);
    if (!clew_murphi_open_brace(p, "'then' after the condition")) {
      clew_cursor_expect_soft(p, MURPHI_TOKEN_THEN, "after the condition");
    }
    clause->body = clew_murphi_parse_stmts(p);
    skip_brace(p);
    *tail = clause;
    tail = &clause->next;
  } while (!p->panic && clew_cursor_peek(p) == MURPHI_TOKEN_ELSIF);
  if (clew_cursor_accept(p, MURPHI_TOKEN_ELSE)) {
    if (clew_cursor_peek(p) == MURPHI_TOKEN_IF && p->suspect.length == 0) {
      p->suspect = clew_span_join(clew_cursor_previous(p), clew_cursor_here(p));
    }
    (void)clew_murphi_open_brace(p, "a statement");
    stmt->otherwise = clew_murphi_parse_stmts(p);
  }
  clew_murphi_close(p, MURPHI_TOKEN_ENDIF, "if", stmt->span);
  return stmt;
}

static void parse_case(struct clew_cursor *p, struct murphi_clause *clause) {
  assert(clause->values == NULL);
  CLEW_VEC(struct murphi_expr *) values = {0};
  while (!p->panic && clew_cursor_peek(p) != MURPHI_TOKEN_COLON) {
    struct murphi_expr *value = clew_murphi_parse_expr(p);
    clew_vec_push(&values, value);
    if (!clew_cursor_accept(p, MURPHI_TOKEN_COMMA)) {
      break;
    }
  }
  clause->values = clew_arena_copy(p->front->arena, values.data, values.len, sizeof *values.data);
  clause->value_count = values.len;
  clew_vec_free(&values);
  clew_murphi_resume(p, MURPHI_TOKEN_COLON);
  clew_cursor_expect_soft(p, MURPHI_TOKEN_COLON, "after the values of the case");
  clause->body = clew_murphi_parse_stmts(p);
}

static struct murphi_stmt *parse_switch(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_SWITCH);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_SWITCH);
  struct murphi_clause **tail = &stmt->clauses;
  uint32_t count = 0;
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDSWITCH);
  stmt->value = clew_murphi_parse_expr(p);
  clew_murphi_resume(p, MURPHI_TOKEN_CASE);
  while (clew_cursor_accept(p, MURPHI_TOKEN_CASE)) {
    struct murphi_clause *clause = clause_new(p, &count);
    parse_case(p, clause);
    *tail = clause;
    tail = &clause->next;
  }
  if (clew_cursor_accept(p, MURPHI_TOKEN_ELSE)) {
    stmt->otherwise = clew_murphi_parse_stmts(p);
  }
  clew_murphi_close(p, MURPHI_TOKEN_ENDSWITCH, "switch", stmt->span);
  return stmt;
}

/* `do … end`, the rest of a loop or alias. */
static void parse_do(struct clew_cursor *p, struct murphi_stmt *stmt, uint32_t closer,
                     const char *what) {
  assert(p->closer_count > 0 && p->closers[p->closer_count - 1] == closer);
  clew_murphi_parse_do(p, "before the body");
  stmt->body = clew_murphi_parse_stmts(p);
  clew_murphi_close(p, closer, what, stmt->span);
}

static struct murphi_stmt *parse_for(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_FOR);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_FOR);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDFOR);
  stmt->quantifiers = clew_murphi_parse_quantifiers(p);
  parse_do(p, stmt, MURPHI_TOKEN_ENDFOR, "for");
  return stmt;
}

static struct murphi_stmt *parse_while(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_WHILE);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_WHILE);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDWHILE);
  stmt->value = clew_murphi_parse_expr(p);
  parse_do(p, stmt, MURPHI_TOKEN_ENDWHILE, "while");
  return stmt;
}

/* `a, b : e`, up to behind the expression. */
static struct murphi_alias **parse_alias_names(struct clew_cursor *p, struct murphi_alias **tail) {
  assert(*tail == NULL);
  struct murphi_alias **end = tail;
  do {
    struct murphi_alias *alias = CLEW_NEW(p->front->arena, struct murphi_alias);
    alias->span = clew_cursor_here(p);
    alias->name = clew_murphi_parse_name(p, "the name of an alias");
    *end = alias;
    end = &alias->next;
  } while (clew_cursor_accept(p, MURPHI_TOKEN_COMMA) && clew_cursor_peek(p) != MURPHI_TOKEN_COLON);
  clew_cursor_expect(p, MURPHI_TOKEN_COLON, "after the name of the alias");
  struct murphi_expr *value = clew_murphi_parse_expr(p);
  for (struct murphi_alias *alias = *tail; alias != NULL; alias = alias->next) {
    alias->value = value;
  }
  return end;
}

struct murphi_alias *clew_murphi_parse_aliases(struct clew_cursor *p) {
  struct murphi_alias *first = NULL, **tail = &first;
  while (!p->panic && !clew_murphi_at_do(p)) {
    tail = parse_alias_names(p, tail);
    uint32_t next = clew_cursor_peek2(p);
    bool another =
        clew_murphi_at_name(p) && (next == MURPHI_TOKEN_COLON || next == MURPHI_TOKEN_COMMA);
    if (!clew_murphi_skip_semicolons(p) && !another) {
      break;
    }
  }
  return first;
}

static struct murphi_stmt *parse_alias(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_ALIAS);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_ALIAS);
  p->at++;
  clew_cursor_await(p, MURPHI_TOKEN_ENDALIAS);
  stmt->aliases = clew_murphi_parse_aliases(p);
  parse_do(p, stmt, MURPHI_TOKEN_ENDALIAS, "alias");
  return stmt;
}

/* ---- Simple statements ---------------------------------------------------------------------- */

static struct murphi_stmt *parse_target(struct clew_cursor *p, enum murphi_stmt_kind kind) {
  assert(kind == MURPHI_STMT_CLEAR || kind == MURPHI_STMT_UNDEFINE);
  struct murphi_stmt *stmt = stmt_new(p, kind);
  p->at++;
  stmt->target = clew_murphi_parse_designator(p);
  return stmt;
}

/* assert e "text", with the text before or after; an assumption has no use for it. */
static struct murphi_stmt *parse_claim(struct clew_cursor *p, enum murphi_stmt_kind kind) {
  assert(kind >= MURPHI_STMT_ASSERT && kind <= MURPHI_STMT_COVER);
  struct murphi_stmt *stmt = stmt_new(p, kind);
  p->at++;
  stmt->text = clew_murphi_parse_string(p);
  stmt->value = clew_murphi_parse_expr(p);
  if (stmt->text == NULL) {
    stmt->text = clew_murphi_parse_string(p);
  }
  return stmt;
}

static struct murphi_stmt *parse_put(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_PUT);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_PUT);
  p->at++;
  stmt->text = clew_murphi_parse_string(p);
  if (stmt->text == NULL) {
    stmt->value = clew_murphi_parse_expr(p);
  }
  return stmt;
}

static struct murphi_stmt *parse_error(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_ERROR);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_ERROR);
  p->at++;
  stmt->text = clew_murphi_parse_string(p);
  if (stmt->text == NULL) {
    clew_cursor_fail_expected(p, "a string after 'error'");
  }
  return stmt;
}

static struct murphi_stmt *parse_return(struct clew_cursor *p) {
  assert(clew_cursor_peek(p) == MURPHI_TOKEN_RETURN);
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_RETURN);
  p->at++;
  if (clew_cursor_peek(p) != MURPHI_TOKEN_SEMICOLON && !ends_list(clew_cursor_peek(p))) {
    stmt->value = clew_murphi_parse_expr(p);
  }
  return stmt;
}

/* multisetadd(e, ms), multisetremove(i, ms), multisetremovepred(i : ms, e) */
static struct murphi_stmt *parse_bag(struct clew_cursor *p, enum murphi_stmt_kind kind) {
  assert(kind >= MURPHI_STMT_BAG_ADD && kind <= MURPHI_STMT_BAG_REMOVE_IF);
  struct murphi_stmt *stmt = stmt_new(p, kind);
  p->at++;
  clew_cursor_expect(p, MURPHI_TOKEN_LPAREN, "before the arguments");
  if (kind == MURPHI_STMT_BAG_REMOVE_IF) {
    stmt->quantifiers = clew_murphi_parse_choice(p);
    clew_cursor_expect(p, MURPHI_TOKEN_COMMA, "after the multiset");
    stmt->value = clew_murphi_parse_expr(p);
  } else {
    stmt->value = clew_murphi_parse_expr(p);
    clew_cursor_expect(p, MURPHI_TOKEN_COMMA, "before the multiset");
    stmt->target = clew_murphi_parse_designator(p);
  }
  clew_murphi_resume(p, MURPHI_TOKEN_RPAREN);
  clew_cursor_expect(p, MURPHI_TOKEN_RPAREN, "after the arguments");
  return stmt;
}

/* target := value, or a call */
static struct murphi_stmt *parse_assign(struct clew_cursor *p) {
  struct murphi_stmt *stmt = stmt_new(p, MURPHI_STMT_ASSIGN);
  if (!clew_murphi_at_name(p)) {
    clew_cursor_fail_expected(p, "a statement");
    return stmt;
  }
  stmt->target = clew_murphi_parse_designator(p);
  if (stmt->target->kind == MURPHI_EXPR_CALL && clew_cursor_peek(p) != MURPHI_TOKEN_ASSIGN) {
    stmt->kind = MURPHI_STMT_CALL;
    stmt->value = stmt->target;
    stmt->target = NULL;
    return stmt;
  }
  if (clew_cursor_peek(p) == MURPHI_TOKEN_EQ) {
    clew_cursor_fail(p, clew_cursor_here(p),
                     "expected ':=', found '%s': assignments are written ':='",
                     clew_front_excerpt(p->front, clew_cursor_here(p)));
    return stmt;
  }
  clew_cursor_expect(p, MURPHI_TOKEN_ASSIGN, "after the variable");
  stmt->value = clew_murphi_parse_expr(p);
  return stmt;
}

/* Words that are reserved in one dialect only, where they begin something else. */
static bool is_plain_name(const struct clew_cursor *p) {
  uint32_t next = clew_cursor_peek2(p);
  return clew_murphi_at_name(p) &&
         (next == MURPHI_TOKEN_ASSIGN || next == MURPHI_TOKEN_DOT || next == MURPHI_TOKEN_LBRACKET);
}

static struct murphi_stmt *parse_stmt_body(struct clew_cursor *p) {
  if (is_plain_name(p)) {
    return parse_assign(p);
  }
  switch (clew_cursor_peek(p)) {
  case MURPHI_TOKEN_IF:
    return parse_if(p);
  case MURPHI_TOKEN_SWITCH:
    return parse_switch(p);
  case MURPHI_TOKEN_FOR:
    return parse_for(p);
  case MURPHI_TOKEN_WHILE:
    return parse_while(p);
  case MURPHI_TOKEN_ALIAS:
    return parse_alias(p);
  case MURPHI_TOKEN_CLEAR:
    return parse_target(p, MURPHI_STMT_CLEAR);
  case MURPHI_TOKEN_UNDEFINE:
    return parse_target(p, MURPHI_STMT_UNDEFINE);
  case MURPHI_TOKEN_PUT:
    return parse_put(p);
  case MURPHI_TOKEN_ERROR:
    return parse_error(p);
  case MURPHI_TOKEN_ASSERT:
  case MURPHI_TOKEN_INVARIANT:
    return parse_claim(p, MURPHI_STMT_ASSERT);
  case MURPHI_TOKEN_ASSUME:
    return parse_claim(p, MURPHI_STMT_ASSUME);
  case MURPHI_TOKEN_COVER:
    return parse_claim(p, MURPHI_STMT_COVER);
  case MURPHI_TOKEN_RETURN:
    return parse_return(p);
  case MURPHI_TOKEN_MULTISETADD:
    return parse_bag(p, MURPHI_STMT_BAG_ADD);
  case MURPHI_TOKEN_MULTISETREMOVE:
    return parse_bag(p, MURPHI_STMT_BAG_REMOVE);
  case MURPHI_TOKEN_MULTISETREMOVEPRED:
    return parse_bag(p, MURPHI_STMT_BAG_REMOVE_IF);
  default:
    return parse_assign(p);
  }
}

static struct murphi_stmt *parse_stmt(struct clew_cursor *p) {
  if (p->panic || !clew_cursor_nest(p)) {
    return stmt_new(p, MURPHI_STMT_PUT);
  }
  struct murphi_stmt *stmt = parse_stmt_body(p);
  clew_cursor_unnest(p);
  return stmt;
}

/* The ';' behind a statement, which one that closes with an end may lack. */
static void parse_separator(struct clew_cursor *p) {
  assert(p->at > p->first);
  if (p->panic || clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON) || ends_list(clew_cursor_peek(p)) ||
      clew_murphi_is_end(p->at[-1].kind) ||
      (p->braces > 0 && clew_cursor_peek(p) == MURPHI_TOKEN_RBRACE) ||
      p->at[-1].kind == MURPHI_TOKEN_RBRACE) {
    return;
  }
  bool forgotten = clew_murphi_at_name(p) || (clew_cursor_peek(p) >= MURPHI_TOKEN_ALIAS &&
                                              clew_cursor_peek(p) <= MURPHI_TOKEN_WHILE);
  clew_cursor_fail_semicolon(p, "between statements");
  p->panic = !forgotten;
}

struct murphi_stmt *clew_murphi_parse_stmts(struct clew_cursor *p) {
  struct murphi_stmt *first = NULL, **tail = &first;
  while (!p->panic && !ends_list(clew_cursor_peek(p))) {
    if (p->braces > 0 && clew_cursor_peek(p) == MURPHI_TOKEN_RBRACE) {
      return first;
    }
    if (clew_cursor_accept(p, MURPHI_TOKEN_SEMICOLON)) {
      continue;
    }
    const struct clew_token *before = p->at;
    struct murphi_stmt *stmt = parse_stmt(p);
    parse_separator(p);
    if (p->panic) {
      recover_stmt(p);
      p->at += p->at == before && !ends_list(clew_cursor_peek(p));
      continue;
    }
    *tail = stmt;
    tail = &stmt->next;
  }
  return first;
}
