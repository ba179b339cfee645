/* The parser: recursive descent over the array of tokens, an expression by precedence climbing.
 *
 * Errors do not jump. The first one is reported and sets `panic`, under which nothing is reported
 * and nothing is consumed, so that the functions unwind to a list (of statements, declarations or
 * rules), which skips to its next element and clears it. Functions always return a node, never NULL
 * where a node is due; what they return under panic is not looked at.
 *
 * Nesting is counted and limited, so the depth of the recursion here and in every later phase is
 * bounded whatever the input. */
#ifndef CLEW_LANG_MURPHI_PARSE_H
#define CLEW_LANG_MURPHI_PARSE_H

#include "lang/murphi/murphi_int.h"

struct murphi_parser {
  struct murphi *m;
  const struct clew_token *first, *last;
  const struct clew_token *at; /* the next token; the last one is CLEW_TOKEN_END */
  bool panic;
  bool end_reported; /* something was missing at the end of the file */
  uint32_t nesting;
  uint32_t open[MURPHI_MAX_NESTING + 1]; /* closing keywords that enclosing constructs wait for */
  uint32_t open_count;
};

/* ---- parse.c: tokens and recovery ----------------------------------------------------------- */

static inline uint32_t murphi_peek(const struct murphi_parser *p) {
  return p->at->kind;
}

/* The kind of the token after the next one. */
static inline uint32_t murphi_peek2(const struct murphi_parser *p) {
  return p->at->kind == CLEW_TOKEN_END ? CLEW_TOKEN_END : p->at[1].kind;
}

struct murphi_span murphi_here(const struct murphi_parser *p);     /* of the next token */
struct murphi_span murphi_previous(const struct murphi_parser *p); /* of the last one taken */

bool murphi_accept(struct murphi_parser *p, uint32_t kind);
/* "expected 'then' after the condition, found 'x'" */
bool murphi_expect(struct murphi_parser *p, uint32_t kind, const char *where);
/* The same, but goes on as if the token were there. */
void murphi_expect_soft(struct murphi_parser *p, uint32_t kind, const char *where);
void murphi_fail(struct murphi_parser *p, struct murphi_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found 'x'" at the next token. */
void murphi_fail_expected(struct murphi_parser *p, const char *what);
/* "WHAT: the limit is LIMIT", and nothing else: the rest of such a text is not looked at. */
void murphi_fail_limit(struct murphi_parser *p, struct murphi_span span, const char *what,
                       int limit);
/* A missing ';' is reported where it should be, not at the start of the next line. */
void murphi_fail_semicolon(struct murphi_parser *p, const char *where);

/* After an error inside the head of a construct: goes on behind it when its end is near. */
void murphi_resume(struct murphi_parser *p, uint32_t kind);

/* Around everything that can contain itself; false (and panic) when too deep. */
bool murphi_nest(struct murphi_parser *p);
void murphi_unnest(struct murphi_parser *p);

/* Opening and closing `if … endif` and its like; `what` opened at `head`. */
void murphi_open(struct murphi_parser *p, uint32_t closer);
void murphi_close(struct murphi_parser *p, uint32_t closer, const char *what,
                  struct murphi_span head);

bool murphi_is_end(uint32_t kind);     /* end, endif, … */
bool murphi_is_opener(uint32_t kind);  /* begins a statement, type or quantifier with an end */
bool murphi_is_top(uint32_t kind);     /* starts a rule, a property or a procedure */
bool murphi_is_section(uint32_t kind); /* const, type, var */
bool murphi_at_name(const struct murphi_parser *p); /* a name, or a word usable as one */
struct murphi_name *murphi_parse_name(struct murphi_parser *p, const char *what);
const char *murphi_parse_title(struct murphi_parser *p);  /* a string without blanks around it */
const char *murphi_parse_string(struct murphi_parser *p); /* or NULL when there is none */

/* ---- parse_expr.c --------------------------------------------------------------------------- */

struct murphi_expr *murphi_parse_expr(struct murphi_parser *p);
struct murphi_expr *murphi_parse_designator(struct murphi_parser *p);
struct murphi_expr *murphi_expr_new(struct murphi_parser *p, enum murphi_expr_kind kind,
                                    struct murphi_span span);
/* `i : T` or `i := a to b by c`. */
struct murphi_quantifier *murphi_parse_quantifier(struct murphi_parser *p);
/* Several, separated by ';'. */
struct murphi_quantifier *murphi_parse_quantifiers(struct murphi_parser *p);
/* `i : ms` */
struct murphi_quantifier *murphi_parse_choice(struct murphi_parser *p);

/* ---- parse_decl.c --------------------------------------------------------------------------- */

struct murphi_type_expr *murphi_parse_type(struct murphi_parser *p);
/* A run of const, type and var sections; appends to the list at `tail` and returns its new tail. */
struct murphi_decl **murphi_parse_decls(struct murphi_parser *p, struct murphi_decl **tail,
                                        bool global);
struct murphi_function *murphi_parse_function(struct murphi_parser *p);

/* ---- parse_stmt.c --------------------------------------------------------------------------- */

/* Up to a closing keyword, which is left. */
struct murphi_stmt *murphi_parse_stmts(struct murphi_parser *p);
/* `a : e; b : f` up to `do`. */
struct murphi_alias *murphi_parse_aliases(struct murphi_parser *p);

/* ---- parse_rule.c --------------------------------------------------------------------------- */

struct murphi_rule *murphi_parse_rule(struct murphi_parser *p);

#endif
