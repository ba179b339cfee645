/* The checker: gives every name its meaning and every expression its type, evaluates constants, and
 * reports what is wrong. It changes nothing of the tree but the fields marked "checker".
 *
 * After an error the name concerned is declared all the same and what is wrong gets the error type,
 * which goes with everything, so that one mistake is reported once.
 *
 * Order: global constants, types and variables as they come; then the numbering of enumerated
 * values; then all signatures, all bodies and all rules, so that these may refer to each other
 * freely; last the effects of functions, because guards and properties must not write. */
#ifndef CLEW_LANG_MURPHI_CHECK_H
#define CLEW_LANG_MURPHI_CHECK_H

#include "base/vec.h"
#include "lang/murphi/murphi_int.h"

/* What a function does besides computing: writes `root` (its own parameter, or a state variable),
 * or calls. */
struct murphi_effect {
  struct murphi_function *function;
  const struct murphi_symbol *root; /* or NULL: */
  const struct murphi_expr *call;
  bool removes; /* the write removes elements of a multiset */
};

/* An argument that refers to (part of) an element of a multiset. */
struct murphi_bag_ref {
  const struct murphi_expr *call;
  uint32_t arg;
};

/* A call where nothing may be written. */
struct murphi_pure_call {
  struct murphi_rule *rule; /* whose guard it is in, or NULL */
  const struct murphi_expr *call;
  const char *where; /* "a guard" */
};

struct murphi_checker {
  struct murphi *m;
  struct murphi_symbol *scope;      /* declared in the innermost scope, last one first */
  uint32_t depth;                   /* of that scope; 0: global */
  struct murphi_function *function; /* whose body this is, or NULL */
  const char *pure;                 /* what must not write the state, or NULL */
  struct murphi_rule *guarded;      /* the rule whose guard is being checked, or NULL */
  bool constant;                    /* inside an expression that must be constant */
  uint32_t choices;                 /* `choose`s around the rule being checked */
  CLEW_VEC(struct murphi_effect) effects;
  CLEW_VEC(struct murphi_pure_call) pure_calls;
  CLEW_VEC(struct murphi_bag_ref) bag_refs;
  CLEW_VEC(struct murphi_symbol *) noted; /* all symbols, where an editor asks */
};

/* ---- check_scope.c -------------------------------------------------------------------------- */

/* Opens a scope and returns the outer one, which goes back to close. */
struct murphi_symbol *clew_murphi_scope_open(struct murphi_checker *c);
void clew_murphi_scope_close(struct murphi_checker *c, struct murphi_symbol *outer);
/* A new symbol of that name; complains when the scope has one already. */
struct murphi_symbol *clew_murphi_declare(struct murphi_checker *c, enum murphi_symbol_kind kind,
                                          struct murphi_name *name, struct clew_span span,
                                          const struct murphi_type *type);
/* What the name means here; NULL and a complaint when nothing. */
struct murphi_symbol *clew_murphi_lookup(struct murphi_checker *c, struct murphi_name *name,
                                         struct clew_span span);
/* "a variable": what a kind of symbol is called. */
const char *clew_murphi_symbol_text(const struct murphi_symbol *symbol);
/* A name near to `name` among those visible that denote something, or NULL. */
const char *clew_murphi_suggest(struct murphi_checker *c, const char *name);

/* ---- check_decl.c --------------------------------------------------------------------------- */

/* Never NULL: the error type when it is wrong. */
const struct murphi_type *clew_murphi_check_type(struct murphi_checker *c,
                                                 struct murphi_type_expr *type_expr);
void clew_murphi_check_decls(struct murphi_checker *c, struct murphi_decl *decls, bool global);

/* ---- check_expr.c --------------------------------------------------------------------------- */

/* The type, also stored in the expression. The literal `undefined` is refused here. */
const struct murphi_type *clew_murphi_check_expr(struct murphi_checker *c,
                                                 struct murphi_expr *expr);
void clew_murphi_check_boolean(struct murphi_checker *c, struct murphi_expr *expr,
                               const char *what);
/* A constant of any type; false (and a complaint) when it is not one. */
bool clew_murphi_check_constant(struct murphi_checker *c, struct murphi_expr *expr,
                                const char *what);
/* A constant integer. */
bool clew_murphi_check_number(struct murphi_checker *c, struct murphi_expr *expr, const char *what,
                              int64_t *value);
/* Something that may be written. */
const struct murphi_type *clew_murphi_check_target(struct murphi_checker *c,
                                                   struct murphi_expr *expr, const char *what);
/* A value for a variable of the given type; `undefined` is allowed. */
void clew_murphi_check_value(struct murphi_checker *c, struct murphi_expr *expr,
                             const struct murphi_type *type, const char *what);
/* A call; as a statement it may be one of a procedure. */
const struct murphi_type *clew_murphi_check_call(struct murphi_checker *c, struct murphi_expr *expr,
                                                 bool is_statement);
/* Declares the variable of a quantifier in the current scope. */
void clew_murphi_check_quantifier(struct murphi_checker *c, struct murphi_quantifier *q);
void clew_murphi_check_aliases(struct murphi_checker *c, struct murphi_alias *aliases);
/* A multiset; the error type after a complaint. */
const struct murphi_type *clew_murphi_check_bag(struct murphi_checker *c, struct murphi_expr *expr);
/* Whether a place is in an element of a multiset. */
bool clew_murphi_in_bag(const struct murphi_expr *expr);

/* ---- check_fold.c --------------------------------------------------------------------------- */

/* Evaluates the operator when its operands are constant. What would fault stays as it is, unless
 * the context must be constant: then it is an error. */
void clew_murphi_fold(struct murphi_checker *c, struct murphi_expr *expr);

/* ---- check_stmt.c --------------------------------------------------------------------------- */

void clew_murphi_check_stmts(struct murphi_checker *c, struct murphi_stmt *stmts);

/* ---- note.c --------------------------------------------------------------------------------- */

/* Tells an editor what was declared. */
void clew_murphi_note(struct murphi_checker *c);

/* ---- check_symmetry.c ----------------------------------------------------------------------- */

/* Whether the model treats the values of scalarsets alike, once it is otherwise correct: sets
 * the `asymmetric` of those that it may tell apart. */
void clew_murphi_check_symmetry(struct murphi *m);

#endif
