/* The parser: recursive descent with the shared cursor, which explains how errors unwind. */
#ifndef CLEW_LANG_MURPHI_PARSE_H
#define CLEW_LANG_MURPHI_PARSE_H

#include "lang/cursor.h"
#include "lang/murphi/murphi_int.h"

/* ---- parse.c: recovery and names ----------------------------------------------------------- */

/* After an error inside the head of a construct: goes on behind it when its end is near. */
void clew_murphi_resume(struct clew_cursor *p, uint32_t kind);

/* Closing `if … endif` and its like, awaited by the cursor; `what` opened at `head`. */
/* At a '{' in place of a keyword: complains and takes it, so that its '}' is taken for an end.
 * `expected` is what should stand there. */
bool clew_murphi_open_brace(struct clew_cursor *p, const char *expected);
void clew_murphi_close(struct clew_cursor *p, uint32_t closer, const char *what,
                       struct clew_span head);

/* Any number of ';'; whether there was one. */
bool clew_murphi_skip_semicolons(struct clew_cursor *p);
/* `do`, or (CMurphi) ':' in its place. */
bool clew_murphi_at_do(const struct clew_cursor *p);
void clew_murphi_parse_do(struct clew_cursor *p, const char *where);

bool clew_murphi_is_end(uint32_t kind);     /* end, endif, … */
bool clew_murphi_is_opener(uint32_t kind);  /* begins a statement, type or quantifier with an end */
bool clew_murphi_is_top(uint32_t kind);     /* starts a rule, a property or a procedure */
bool clew_murphi_is_section(uint32_t kind); /* const, type, var */
bool clew_murphi_at_name(const struct clew_cursor *p); /* a name, or a word usable as one */
struct murphi_name *clew_murphi_parse_name(struct clew_cursor *p, const char *what);
const char *clew_murphi_parse_title(struct clew_cursor *p);  /* a string without blanks around it */
const char *clew_murphi_parse_string(struct clew_cursor *p); /* or NULL when there is none */

/* ---- parse_expr.c --------------------------------------------------------------------------- */

struct murphi_expr *clew_murphi_parse_expr(struct clew_cursor *p);
struct murphi_expr *clew_murphi_parse_designator(struct clew_cursor *p);
struct murphi_expr *clew_murphi_expr_new(struct clew_cursor *p, enum murphi_expr_kind kind,
                                         struct clew_span span);
/* `i : T` or `i := a to b by c`. */
struct murphi_quantifier *clew_murphi_parse_quantifier(struct clew_cursor *p);
/* Several, separated by ';'. */
struct murphi_quantifier *clew_murphi_parse_quantifiers(struct clew_cursor *p);
/* `i : ms` */
struct murphi_quantifier *clew_murphi_parse_choice(struct clew_cursor *p);

/* ---- parse_decl.c --------------------------------------------------------------------------- */

struct murphi_type_expr *clew_murphi_parse_type(struct clew_cursor *p);
/* A run of const, type and var sections; appends to the list at `tail` and returns its new tail. */
struct murphi_decl **clew_murphi_parse_decls(struct clew_cursor *p, struct murphi_decl **tail,
                                             bool global);
struct murphi_function *clew_murphi_parse_function(struct clew_cursor *p);

/* ---- parse_stmt.c --------------------------------------------------------------------------- */

/* Up to a closing keyword, which is left. */
struct murphi_stmt *clew_murphi_parse_stmts(struct clew_cursor *p);
/* `a : e; b : f` up to `do`. */
struct murphi_alias *clew_murphi_parse_aliases(struct clew_cursor *p);

/* ---- parse_rule.c --------------------------------------------------------------------------- */

struct murphi_rule *clew_murphi_parse_rule(struct clew_cursor *p);
/* The whole text as an expression; `number` is that of the query, from 1. */
struct murphi_rule *clew_murphi_parse_query(struct clew_cursor *p, uint32_t number);

#endif
