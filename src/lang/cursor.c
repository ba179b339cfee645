/* Taking tokens and complaining about them. */
#include "lang/cursor.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

bool clew_cursor_open(struct clew_front *front, uint32_t text, struct clew_cursor **cursor) {
  assert(text < front->text_count && front->syntax->max_nesting <= CLEW_CURSOR_MAX_NESTING);
  struct clew_cursor *c = CLEW_NEW(front->arena, struct clew_cursor);
  *cursor = c;
  c->front = front;
  c->text = &front->texts[text];
  if (!clew_lex_scan(c->text->source, front->syntax->style, front->diags, &c->tokens)) {
    return false;
  }
  assert(c->tokens.len > 0 && clew_vec_last(&c->tokens).kind == CLEW_TOKEN_END);
  c->first = c->at = c->tokens.data;
  c->last = &clew_vec_last(&c->tokens);
  return true;
}

void clew_cursor_close(struct clew_cursor *c) {
  clew_vec_free(&c->tokens);
  clew_vec_free(&c->operands);
  clew_vec_free(&c->ops);
}

/* ---- Looking -------------------------------------------------------------------------------- */

static struct clew_span span_of(const struct clew_cursor *c, const struct clew_token *token) {
  return (struct clew_span){c->text->base + token->offset, token->length};
}

struct clew_span clew_cursor_previous(const struct clew_cursor *c) {
  return span_of(c, c->at > c->first ? c->at - 1 : c->at);
}

const char *clew_cursor_bytes(const struct clew_cursor *c) {
  return c->text->source->text + c->at->offset;
}

const char *clew_cursor_found(struct clew_cursor *c) {
  if (c->at->kind == CLEW_TOKEN_END) {
    return c->text->end_name;
  }
  return clew_arena_printf(c->front->arena, "'%s'",
                           clew_front_excerpt(c->front, clew_cursor_here(c)));
}

/* ---- Taking --------------------------------------------------------------------------------- */

bool clew_cursor_expect(struct clew_cursor *c, uint32_t kind, const char *where) {
  if (clew_cursor_accept(c, kind)) {
    return true;
  }
  if (!c->panic && kind == c->front->syntax->semicolon) {
    clew_cursor_fail_semicolon(c, where);
  } else if (!c->panic) {
    clew_cursor_fail_expected(c, clew_arena_printf(c->front->arena, "%s%s%s",
                                                   c->front->syntax->token_names[kind],
                                                   *where ? " " : "", where));
  }
  return false;
}

void clew_cursor_expect_soft(struct clew_cursor *c, uint32_t kind, const char *where) {
  if (!c->panic && !clew_cursor_expect(c, kind, where)) {
    c->panic = false;
  }
}

void clew_cursor_expect_end(struct clew_cursor *c) {
  if (c->at != c->last) {
    clew_cursor_fail_expected(c, c->text->end_name);
  }
}

struct clew_name *clew_cursor_take_name(struct clew_cursor *c) {
  assert(!c->panic && c->at != c->last);
  struct clew_name *name = clew_name_intern(&c->front->names, clew_cursor_bytes(c), c->at->length);
  c->at++;
  return name;
}

int64_t clew_cursor_take_number(struct clew_cursor *c) {
  assert(c->at->kind == CLEW_TOKEN_NUMBER);
  int64_t value;
  clew_lex_number(c->text->source, *c->at++, &value); /* the scanner has complained */
  return value;
}

const char *clew_cursor_take_string(struct clew_cursor *c) {
  return clew_lex_string(c->front->arena, c->text->source, *c->at++);
}

/* ---- Complaining ---------------------------------------------------------------------------- */

void clew_cursor_fail(struct clew_cursor *c, struct clew_span span, const char *format, ...) {
  bool at_end = c->at == c->last;
  bool silent = c->panic || (at_end && c->end_reported);
  c->panic = true;
  c->end_reported = c->end_reported || at_end;
  if (silent) {
    return;
  }
  va_list args;
  va_start(args, format);
  clew_front_verror(c->front, span, format, args);
  va_end(args);
}

static bool is_text(const struct clew_cursor *c, const struct clew_token *token, const char *text) {
  return strlen(text) == token->length &&
         strncasecmp(c->text->source->text + token->offset, text, token->length) == 0;
}

/* Whether a statement, declaration or expression can begin with this token. A word that begins
 * something in another language may be an ordinary name here, anywhere else. */
static bool is_beginning(const struct clew_cursor *c, const struct clew_token *token) {
  static const char *const before[] = {";",     "{",     "}",     ")",      "==>",
                                       "begin", "then",  "else",  "do",     "trans",
                                       "init",  "state", "guard", "effect", "assign"};
  if (token == c->first || token[-1].kind == CLEW_TOKEN_STRING) {
    return true;
  }
  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
    if (is_text(c, &token[-1], before[i])) {
      return true;
    }
  }
  return false;
}

/* A word before the next token, in the same statement, that begins something in another language.
 */
static const struct clew_habit *find_start(const struct clew_cursor *c,
                                           const struct clew_token **where) {
  enum { FARTHEST = 40 };
  const char *text = c->text->source->text;
  for (const struct clew_token *at = c->at; at > c->first && c->at - at < FARTHEST;) {
    at--;
    char first = text[at->offset];
    if (at->length == 1 && (first == ';' || first == '{' || first == '}')) {
      return NULL;
    }
    const struct clew_habit *habit =
        clew_habit_word(c->front->syntax->style, text + at->offset, at->length);
    if (habit != NULL && habit->starts && is_beginning(c, at)) {
      *where = at;
      return habit;
    }
  }
  return NULL;
}

/* Says what is wrong by what was probably meant; false: nobody knows. */
static bool fail_by_habit(struct clew_cursor *c, const char *what) {
  const struct clew_lex_style *style = c->front->syntax->style;
  const struct clew_token *before = NULL;
  size_t start = c->at->offset;
  if (c->panic || c->at == c->last) {
    return false;
  }
  const struct clew_habit *habit = clew_habit_word(style, clew_cursor_bytes(c), c->at->length);
  if (habit == NULL || (habit->starts && !is_beginning(c, c->at))) {
    habit = clew_habit_operator(style, c->text->source, c->at->offset, &start);
  }
  struct clew_span span = {c->text->base + (uint32_t)start, 0};
  if (habit == NULL) {
    habit = find_start(c, &before);
    span = before != NULL ? span_of(c, before) : span;
  }
  if (habit == NULL) {
    return false;
  }
  span.length = (uint32_t)strlen(habit->spelling);
  if (c->habit == span.offset + 1) {
    c->panic = true;
    return true;
  }
  c->habit = span.offset + 1;
  if (before == NULL && start == c->at->offset) {
    clew_cursor_fail(c, span, "expected %s, found '%s': %s", what, habit->spelling, habit->hint);
  } else {
    clew_cursor_fail(c, span, "unexpected '%s': %s", habit->spelling, habit->hint);
  }
  return true;
}

static void fail_expected_at(struct clew_cursor *c, struct clew_span span, const char *what) {
  assert(what != NULL);
  if (fail_by_habit(c, what)) {
    return;
  }
  clew_cursor_fail(c, span, "expected %s, found %s", what, clew_cursor_found(c));
}

void clew_cursor_fail_expected(struct clew_cursor *c, const char *what) {
  fail_expected_at(c, clew_cursor_here(c), what);
}

bool clew_cursor_mistake(struct clew_cursor *c, uint32_t found, const char *expected,
                         const char *hint) {
  size_t start;
  if (c->panic || c->at->kind != found) {
    return false;
  }
  if (clew_habit_operator(c->front->syntax->style, c->text->source, c->at->offset, &start) !=
          NULL &&
      fail_by_habit(c, expected)) {
    return true;
  }
  clew_cursor_fail(c, clew_cursor_here(c), "expected %s, found %s: %s", expected,
                   clew_cursor_found(c), hint);
  return true;
}

void clew_cursor_fail_semicolon(struct clew_cursor *c, const char *where) {
  struct clew_span before = clew_cursor_previous(c), here = clew_cursor_here(c);
  struct clew_span behind = {before.offset + before.length, 1};
  bool same_line =
      clew_front_position(c->front, before).line == clew_front_position(c->front, here).line;
  const char *what = clew_arena_printf(c->front->arena, "';' %s", where);
  fail_expected_at(c, same_line ? here : behind, what);
}

void clew_cursor_fail_limit(struct clew_cursor *c, struct clew_span span, const char *what,
                            uint32_t limit) {
  clew_cursor_fail(c, span, "%s: the limit is %u", what, limit);
  c->at = c->last;
  c->end_reported = true;
}

/* ---- Nesting -------------------------------------------------------------------------------- */

void clew_cursor_await(struct clew_cursor *c, uint32_t closer) {
  assert(c->closer_count <= CLEW_CURSOR_MAX_NESTING);
  c->closers[c->closer_count++] = closer;
}

void clew_cursor_await_no_more(struct clew_cursor *c, uint32_t closer) {
  assert(c->closer_count > 0 && c->closers[c->closer_count - 1] == closer);
  (void)closer;
  c->closer_count--;
}

bool clew_cursor_awaits(const struct clew_cursor *c, uint32_t closer) {
  for (uint32_t i = 0; i < c->closer_count; i++) {
    if (c->closers[i] == closer) {
      return true;
    }
  }
  return false;
}
