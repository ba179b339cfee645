/* The tokens of one text as a parser takes them: recursive descent over the array of tokens.
 *
 * Errors do not jump. The first one is reported and sets `panic`, under which nothing is reported
 * and nothing is consumed, so that the functions of a parser unwind to a list (of statements,
 * declarations, rules), which skips to its next element and clears it. Parsing functions always
 * return a node, never NULL where a node is due; what they return under panic is not looked at.
 *
 * Nesting is counted and limited, so the depth of the recursion here and in every later phase is
 * bounded whatever the input. */
#ifndef CLEW_LANG_CURSOR_H
#define CLEW_LANG_CURSOR_H

#include <assert.h>

#include "base/vec.h"
#include "lang/front.h"

enum { CLEW_CURSOR_MAX_NESTING = 500 }; /* no language may want more */

struct clew_cursor {
  struct clew_front *front;
  const struct clew_front_text *text;
  struct clew_tokens tokens;             /* owned */
  const struct clew_token *first, *last; /* the last one is CLEW_TOKEN_END */
  const struct clew_token *at;           /* the next token */
  bool panic;
  bool end_reported; /* something was missing at the end of the text */
  uint32_t habit;    /* where one was reported last: once is enough */
  uint32_t nesting;
  uint32_t braces; /* open ones that stand for a keyword of the language, which was reported */
  struct clew_span suspect; /* a missing end may be due to this; length 0: to nothing known */
  uint32_t closers[CLEW_CURSOR_MAX_NESTING + 1]; /* that enclosing constructs wait for */
  uint32_t closer_count;
  CLEW_VEC(void *) operands; /* these two belong to climb.c, which keeps unfinished chains here */
  CLEW_VEC(uint8_t) ops;
};

/* Scans a text of the front end (0: the model, 1 + i: query i). False when it is not in this
 * language at all, which has been reported: then there is nothing to parse. The cursor is large: it
 * lives in the arena, but close it in any case. */
bool clew_cursor_open(struct clew_front *front, uint32_t text, struct clew_cursor **cursor);
void clew_cursor_close(struct clew_cursor *cursor);

/* ---- Looking -------------------------------------------------------------------------------- */

static inline uint32_t clew_cursor_peek(const struct clew_cursor *c) {
  return c->at->kind;
}

/* The kind of the token after the next one. */
static inline uint32_t clew_cursor_peek2(const struct clew_cursor *c) {
  return c->at->kind == CLEW_TOKEN_END ? CLEW_TOKEN_END : c->at[1].kind;
}

/* Of the next token. */
static inline struct clew_span clew_cursor_here(const struct clew_cursor *c) {
  return (struct clew_span){c->text->base + c->at->offset, c->at->length};
}
struct clew_span clew_cursor_previous(const struct clew_cursor *c); /* of the last one taken */
/* The bytes of the next token, c->at->length of them. */
const char *clew_cursor_bytes(const struct clew_cursor *c);
/* How messages name the next token: "'x'", "the end of the file". */
const char *clew_cursor_found(struct clew_cursor *c);

/* ---- Taking --------------------------------------------------------------------------------- */

/* Takes the next token when it is of this kind. */
static inline bool clew_cursor_accept(struct clew_cursor *c, uint32_t kind) {
  assert(kind != CLEW_TOKEN_END);
  if (c->panic || c->at->kind != kind) {
    return false;
  }
  c->at++;
  return true;
}
/* "expected 'then' after the condition, found 'x'" */
bool clew_cursor_expect(struct clew_cursor *c, uint32_t kind, const char *where);
/* The same, but goes on as if the token were there. */
void clew_cursor_expect_soft(struct clew_cursor *c, uint32_t kind, const char *where);
/* Nothing but the end may follow. */
void clew_cursor_expect_end(struct clew_cursor *c);
/* The next token (not under panic) as a name, whatever its kind; as a number; as a string. */
struct clew_name *clew_cursor_take_name(struct clew_cursor *c);
int64_t clew_cursor_take_number(struct clew_cursor *c);
const char *clew_cursor_take_string(struct clew_cursor *c);

/* ---- Complaining ---------------------------------------------------------------------------- */

void clew_cursor_fail(struct clew_cursor *c, struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found 'x'" at the next token. */
void clew_cursor_fail_expected(struct clew_cursor *c, const char *what);
/* Where the next token is of this kind, which is a known mistake here: "expected EXPECTED, found
 * 'x': HINT". False where it is not. */
bool clew_cursor_mistake(struct clew_cursor *c, uint32_t found, const char *expected,
                         const char *hint);
/* A missing ';' is reported where it should be, not at the start of the next line. */
void clew_cursor_fail_semicolon(struct clew_cursor *c, const char *where);
/* "WHAT: the limit is LIMIT", and nothing else: the rest of such a text is not looked at. */
void clew_cursor_fail_limit(struct clew_cursor *c, struct clew_span span, const char *what,
                            uint32_t limit);

/* ---- Nesting -------------------------------------------------------------------------------- */

/* Around everything that can contain itself; false (and panic) when too deep. */
static inline bool clew_cursor_nest(struct clew_cursor *c) {
  if (c->nesting == c->front->syntax->max_nesting) {
    clew_cursor_fail_limit(c, clew_cursor_here(c), "nested too deeply", c->nesting);
    return false;
  }
  c->nesting++;
  return true;
}
static inline void clew_cursor_unnest(struct clew_cursor *c) {
  assert(c->nesting > 0);
  c->nesting--;
}
/* Accounts for a child of a tree, and ends the growth of trees that later phases could not walk:
 * *depth becomes at least child + 1. */
static inline void clew_cursor_adopt(struct clew_cursor *c, struct clew_span span, uint32_t *depth,
                                     uint32_t child) {
  assert(child > 0);
  if (child < *depth) {
    return;
  }
  *depth = child + 1;
  uint32_t limit = c->front->syntax->max_depth;
  if (*depth > limit) {
    clew_cursor_fail_limit(c, span, "this expression nests too many operators", limit);
  }
}

/* Constructs that end with a keyword of their own (`if … endif`) announce it, and take it back, so
 * that a wrong end can be told from a missing one. */
void clew_cursor_await(struct clew_cursor *c, uint32_t closer);
void clew_cursor_await_no_more(struct clew_cursor *c, uint32_t closer);
bool clew_cursor_awaits(const struct clew_cursor *c, uint32_t closer);

#endif
