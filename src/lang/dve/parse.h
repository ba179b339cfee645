/* The parser: recursive descent over the array of tokens, an expression by precedence climbing.
 *
 * Errors do not jump. The first one is reported and sets `panic`, under which nothing is reported
 * and nothing is consumed, so that the functions unwind to a list (of declarations, transitions,
 * processes), which skips to its next element and clears it. Functions always return a node, never
 * NULL where a node is due; what they return under panic is not looked at.
 *
 * Nesting is counted and limited, so the depth of the recursion here and in every later phase is
 * bounded whatever the input. */
#ifndef CLEW_LANG_DVE_PARSE_H
#define CLEW_LANG_DVE_PARSE_H

#include "lang/dve/dve_int.h"

struct dve_parser {
  struct dve *d;
  const struct clew_token *first, *last;
  const struct clew_token *at; /* the next token; the last one is CLEW_TOKEN_END */
  bool panic;
  bool end_reported; /* something was missing at the end of the file */
  uint32_t nesting;
};

/* ---- parse.c: tokens and recovery ----------------------------------------------------------- */

static inline uint32_t dve_peek(const struct dve_parser *p) {
  return p->at->kind;
}

/* The kind of the token after the next one. */
static inline uint32_t dve_peek2(const struct dve_parser *p) {
  return p->at->kind == CLEW_TOKEN_END ? CLEW_TOKEN_END : p->at[1].kind;
}

struct dve_span dve_here(const struct dve_parser *p);     /* of the next token */
struct dve_span dve_previous(const struct dve_parser *p); /* of the last one taken */

bool dve_accept(struct dve_parser *p, uint32_t kind);
/* "expected ';' after the guard, found 'x'" */
bool dve_expect(struct dve_parser *p, uint32_t kind, const char *where);
void dve_fail(struct dve_parser *p, struct dve_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found 'x'" at the next token. */
void dve_fail_expected(struct dve_parser *p, const char *what);
/* "WHAT: the limit is LIMIT", and nothing else: the rest of such a text is not looked at. */
void dve_fail_limit(struct dve_parser *p, struct dve_span span, const char *what, int limit);
/* Around everything that can contain itself; false (and panic) when too deep. */
bool dve_nest(struct dve_parser *p);
void dve_unnest(struct dve_parser *p);
/* At the '}' of a process, as far as one can tell. */
bool dve_ends_process(const struct dve_parser *p);
/* After an error in a declaration: to the ';' that ends it, or to what starts something else. */
void dve_skip_declaration(struct dve_parser *p);

/* A name, with its place. */
struct dve_ref dve_parse_ref(struct dve_parser *p, const char *what);
/* Several, separated by ','. */
struct dve_refs dve_parse_refs(struct dve_parser *p, const char *what);

/* ---- parse_expr.c --------------------------------------------------------------------------- */

struct dve_expr *dve_parse_expr(struct dve_parser *p);
/* A variable or an element of an array. */
struct dve_expr *dve_parse_place(struct dve_parser *p);
/* Expressions (or places) separated by ','; the array is in the arena. */
struct dve_expr **dve_parse_exprs(struct dve_parser *p, bool places, uint32_t *count);

/* ---- parse_decl.c --------------------------------------------------------------------------- */

static inline bool dve_starts_variables(uint32_t kind) {
  return kind == DVE_TOKEN_CONST || kind == DVE_TOKEN_BYTE || kind == DVE_TOKEN_INT;
}

/* One declaration, of several variables or channels; returns the new tail of the list. */
struct dve_variable **dve_parse_variables(struct dve_parser *p, struct dve_variable **tail);
struct dve_channel **dve_parse_channels(struct dve_parser *p, struct dve_channel **tail);

/* ---- parse_process.c ------------------------------------------------------------------------ */

struct dve_process *dve_parse_process(struct dve_parser *p);

#endif
