/* The parser: recursive descent with the shared cursor, which explains how errors unwind. */
#ifndef CLEW_LANG_DVE_PARSE_H
#define CLEW_LANG_DVE_PARSE_H

#include "lang/cursor.h"
#include "lang/dve/dve_int.h"

/* ---- parse.c: recovery and names ----------------------------------------------------------- */

/* At the '}' of a process, as far as one can tell. */
bool clew_dve_ends_process(const struct clew_cursor *p);
/* After an error in a declaration: to the ';' that ends it, or to what starts something else. */
void clew_dve_skip_declaration(struct clew_cursor *p);

/* A name, with its place. */
struct dve_ref clew_dve_parse_ref(struct clew_cursor *p, const char *what);
/* Several, separated by ','. */
struct dve_refs clew_dve_parse_refs(struct clew_cursor *p, const char *what);

/* ---- parse_expr.c --------------------------------------------------------------------------- */

struct dve_expr *clew_dve_parse_expr(struct clew_cursor *p);
/* A variable or an element of an array. */
struct dve_expr *clew_dve_parse_place(struct clew_cursor *p);
/* Expressions (or places) separated by ','; the array is in the arena. */
struct dve_expr **clew_dve_parse_exprs(struct clew_cursor *p, bool places, uint32_t *count);

/* ---- parse_decl.c --------------------------------------------------------------------------- */

static inline bool dve_starts_variables(uint32_t kind) {
  return kind == DVE_TOKEN_CONST || kind == DVE_TOKEN_BYTE || kind == DVE_TOKEN_INT;
}

/* One declaration, of several variables or channels; returns the new tail of the list. */
struct dve_variable **clew_dve_parse_variables(struct clew_cursor *p, struct dve_variable **tail);
struct dve_channel **clew_dve_parse_channels(struct clew_cursor *p, struct dve_channel **tail);

/* ---- parse_process.c ------------------------------------------------------------------------ */

struct dve_process *clew_dve_parse_process(struct clew_cursor *p);

#endif
