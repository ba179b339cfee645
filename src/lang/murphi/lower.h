/* Lowering: the checked tree to IR. What the source says implicitly becomes explicit here: checks
 * of ranges, indices and undefined values with their messages, the copying of arguments, the
 * numbering of enumerated values, the variants of a procedure for references into the state and
 * into frames.
 *
 * A model that reaches this phase is correct; only limits (of frames, of variants) are reported.
 *
 * Preparations. An expression of the IR cannot contain a statement, but some Murphi expressions
 * need something done first: a function that returns a record fills a temporary, an alias freezes
 * the indices of its place, an element of a multiset must exist. Such things are pushed as
 * preparations (struct murphi_prep) while an expression or place is lowered. Whoever started that
 * takes them off: in a list of statements they become statements, inside an expression they become
 * LETs around it.
 *
 * Everything that ends up in the program is allocated in the program's arena. */
#ifndef CLEW_LANG_MURPHI_LOWER_H
#define CLEW_LANG_MURPHI_LOWER_H

#include "base/vec.h"
#include "ir/ir.h"
#include "lang/murphi/murphi_int.h"

/* The element of a multiset that a place is within; the place may only be written while it exists.
 */
struct murphi_presence {
  struct clew_place cell;
  struct clew_span span;
  const char *text; /* "net[i]" */
  const struct murphi_presence *next;
};

/* A place with what has to be known about it. */
struct murphi_spot {
  struct clew_place place;
  const struct murphi_presence *presence;
};

struct murphi_prep {
  struct clew_place place;       /* in the frame: set to value; */
  const struct clew_expr *value; /* or, a requirement: */
  bool is_requirement;           /* value must not be 0 */
  uint32_t site;                 /* of a requirement, or of a value that need not fit */
};

/* How one reference parameter is passed. */
struct murphi_passing {
  enum clew_space space;
  const struct murphi_type *type; /* of the argument */
};

/* One variant of a procedure or function. */
struct murphi_instance {
  struct murphi_function *function;
  struct clew_function *code;
  struct murphi_passing *passing; /* for each parameter; only those passed by reference matter */
  bool *checked;                  /* for each parameter: a value that need not fit */
  struct murphi_instance *next;   /* of the same function */
  struct murphi_instance *next_to_do; /* whose body is still to be lowered */
};

struct murphi_lowering {
  struct murphi *m;
  struct clew_program *program;
  struct clew_arena *arena;  /* the program's */
  struct clew_frame *frame;  /* of what is being lowered */
  struct clew_place scratch; /* in the frame, for values nobody needs; without a type: not yet */
  struct murphi_instance *instance; /* whose body is being lowered, or NULL */
  CLEW_VEC(struct murphi_prep) preps;
  struct murphi_instance *to_do, **to_do_end;
  uint32_t instance_count;
  const char **value_names; /* of the enumerated values, for domains */
  int64_t value_name_count;
  const struct clew_type *integer;  /* any integer, never undefined */
  const struct clew_type *anything; /* any integer, or undefined */
  uint32_t rule_count, start_count, property_count[MURPHI_PROPERTY_KINDS];
  bool full; /* a frame is, which has been reported */
};

/* ---- lower.c -------------------------------------------------------------------------------- */

uint32_t clew_murphi_site(struct murphi_lowering *l, enum clew_site_kind kind,
                          struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *clew_murphi_keep(struct murphi_lowering *l, const char *text); /* a copy that stays */
/* Starts lowering into another frame. */
void clew_murphi_enter(struct murphi_lowering *l, struct clew_frame *frame,
                       struct murphi_instance *instance);
/* A new variable of the current frame; its place. */
struct clew_place clew_murphi_local(struct murphi_lowering *l, const char *name,
                                    const struct clew_type *type);
/* The same for a scalar that takes the values of the expression and is never undefined. */
struct clew_place clew_murphi_temporary(struct murphi_lowering *l, const char *name,
                                        const struct clew_expr *value);
struct clew_place clew_murphi_scratch(struct murphi_lowering *l);

void clew_murphi_prepare(struct murphi_lowering *l, struct clew_place place,
                         const struct clew_expr *value, uint32_t site);
/* The preparations above `mark` as statements, or as LETs around an expression. */
void clew_murphi_prep_stmts(struct murphi_lowering *l, uint32_t mark, struct clew_list *list);
const struct clew_expr *clew_murphi_prep_lets(struct murphi_lowering *l, uint32_t mark,
                                              const struct clew_expr *body);

/* ---- lower_type.c --------------------------------------------------------------------------- */

void clew_murphi_lower_names(struct murphi_lowering *l);
/* A variable of the type: simple parts are undefinable. */
const struct clew_type *clew_murphi_lower_type(struct murphi_lowering *l,
                                               const struct murphi_type *type);
/* A simple type whose values are always defined. */
const struct clew_type *clew_murphi_lower_defined(struct murphi_lowering *l,
                                                  const struct murphi_type *type);
const struct clew_domain *clew_murphi_lower_domain(struct murphi_lowering *l,
                                                   const struct murphi_type *type);
/* A union with holes: 0, 1, 2, … named like its values in order. */
const struct clew_domain *clew_murphi_dense_domain(struct murphi_lowering *l,
                                                   const struct murphi_type *type);
/* Of a union with holes: the position of a value among the values (-1: none), and back. */
const struct clew_expr *clew_murphi_to_dense(struct murphi_lowering *l,
                                             const struct murphi_type *type,
                                             const struct clew_expr *value);
const struct clew_expr *clew_murphi_from_dense(struct murphi_lowering *l,
                                               const struct murphi_type *type,
                                               const struct clew_expr *position);
/* Whether a value (an expression that may be evaluated twice) is one of the type. */
const struct clew_expr *clew_murphi_member_test(struct murphi_lowering *l,
                                                const struct murphi_type *type,
                                                const struct clew_expr *value);
/* "out of its range 0..3 (Proc)", "not a member of Proc": what a value is that the type lacks. */
const char *clew_murphi_outside_text(struct murphi_lowering *l, const struct murphi_type *type);

/* ---- lower_place.c -------------------------------------------------------------------------- */

struct murphi_spot clew_murphi_lower_place(struct murphi_lowering *l, struct murphi_expr *expr);
/* The place with indices that can be evaluated twice; leaves preparations if they could not. */
struct clew_place clew_murphi_repeatable(struct murphi_lowering *l, struct clew_place place);
/* Prepares a fault in case the spot is within an element of a multiset that is not there. */
void clew_murphi_require(struct murphi_lowering *l, const struct murphi_presence *presence);
/* Binds the alias, with preparations. In a guard nothing can be checked beforehand. */
void clew_murphi_bind_alias(struct murphi_lowering *l, struct murphi_alias *alias, bool in_guard);
/* The presence cell of the element that the bound variable selects. */
const struct clew_expr *clew_murphi_lower_present(struct murphi_lowering *l,
                                                  struct murphi_quantifier *q);

/* ---- lower_expr.c --------------------------------------------------------------------------- */

enum { MURPHI_NO_VALUE = -1 }; /* enumerated values are numbered from 0 on */

/* A simple expression; undefined operands fault. */
const struct clew_expr *clew_murphi_lower_expr(struct murphi_lowering *l, struct murphi_expr *expr);
/* The same where values are compared: an undefined scalarset or union is MURPHI_NO_VALUE, unless
 * undefined values are to be treated strictly. */
const struct clew_expr *clew_murphi_lower_operand(struct murphi_lowering *l,
                                                  struct murphi_expr *expr);
/* The same where undefined values are copied; may leave preparations. */
const struct clew_expr *clew_murphi_lower_raw(struct murphi_lowering *l, struct murphi_expr *expr);
const struct clew_expr *clew_murphi_load(struct murphi_lowering *l, struct clew_place place,
                                         struct clew_span span);
const struct clew_expr *clew_murphi_const(struct murphi_lowering *l, int64_t value);
const struct clew_expr *clew_murphi_and(struct murphi_lowering *l, const struct clew_expr *a,
                                        const struct clew_expr *b);
const struct clew_expr *clew_murphi_or(struct murphi_lowering *l, const struct clew_expr *a,
                                       const struct clew_expr *b);
const struct clew_expr *clew_murphi_not(struct murphi_lowering *l, const struct clew_expr *a);
const struct clew_expr *clew_murphi_compare(struct murphi_lowering *l, enum clew_op op,
                                            const struct clew_expr *a, const struct clew_expr *b);

/* The range that a bound variable runs over; binds its symbol to a new variable of the frame. */
struct murphi_run {
  uint32_t cell;
  const struct clew_expr *from, *to;
  int64_t step;
  const struct clew_expr *filter; /* values to leave out fail it; NULL: none */
  const struct clew_expr *value;  /* when the step is computed, `cell` counts the steps and this is
                                   * the value of the bound variable; else NULL */
};
/* Leaves preparations when the step is computed. */
struct murphi_run clew_murphi_bind_run(struct murphi_lowering *l, struct murphi_quantifier *q);
/* FORALL, EXISTS or COUNT of the body over the run of q. */
const struct clew_expr *clew_murphi_quantify(struct murphi_lowering *l, enum clew_op op,
                                             const struct murphi_quantifier *q,
                                             struct murphi_run run, const struct clew_expr *body);

/* ---- lower_call.c --------------------------------------------------------------------------- */

/* The call; `result` is where the result goes if it goes to a temporary (NULL otherwise). Leaves
 * preparations. */
const struct clew_call *clew_murphi_lower_call(struct murphi_lowering *l, struct murphi_expr *expr,
                                               const struct clew_place *result);
/* Whether the result goes to a temporary of the caller: an aggregate, or what may be undefined. */
bool clew_murphi_returns_block(const struct murphi_function *function);
/* The temporary that holds such a result after the preparations. */
struct clew_place clew_murphi_lower_aggregate_call(struct murphi_lowering *l,
                                                   struct murphi_expr *expr);
/* Lowers the bodies of all variants in use, and of those they use. */
void clew_murphi_lower_functions(struct murphi_lowering *l);

/* ---- lower_assign.c ------------------------------------------------------------------------- */

/* place := value, checked against the type; `what` is how messages call the place. */
void clew_murphi_assign_simple(struct murphi_lowering *l, struct clew_list *list,
                               struct clew_place place, const struct murphi_type *type,
                               const struct clew_expr *value, const struct murphi_type *value_type,
                               struct clew_span span, const char *what);
/* place := place2, of compatible types. */
void clew_murphi_assign_block(struct murphi_lowering *l, struct clew_list *list,
                              struct clew_place place, const struct murphi_type *type,
                              struct clew_place place2, const struct murphi_type *type2,
                              struct clew_span span, const char *what);
/* place := expression of any kind. */
void clew_murphi_assign_expr(struct murphi_lowering *l, struct clew_list *list,
                             struct clew_place place, const struct murphi_type *type,
                             struct murphi_expr *value, struct clew_span span, const char *what);
/* place = place2, undefined equal to undefined. */
const struct clew_expr *clew_murphi_equal_block(struct murphi_lowering *l, struct clew_place place,
                                                const struct murphi_type *type,
                                                struct clew_place place2,
                                                const struct murphi_type *type2);

/* ---- lower_stmt.c --------------------------------------------------------------------------- */

void clew_murphi_lower_stmts(struct murphi_lowering *l, struct murphi_stmt *stmts,
                             struct clew_list *list);
/* Makes room for local variables, and empties multisets among them. */
void clew_murphi_lower_locals(struct murphi_lowering *l, struct murphi_decl *decls,
                              struct clew_list *list);

/* ---- lower_rule.c, lower_property.c --------------------------------------------------------- */

/* What encloses a rule, from outside in: bound variables and aliases. */
struct murphi_step {
  struct murphi_quantifier *quantifier;
  struct murphi_alias *alias;
};
enum { MURPHI_MAX_STEPS = 256 };
struct murphi_path {
  struct murphi_step steps[MURPHI_MAX_STEPS];
  uint32_t count;
};

void clew_murphi_lower_rules(struct murphi_lowering *l, struct murphi_rule *rules);
void clew_murphi_lower_property(struct murphi_lowering *l, struct murphi_path *path,
                                struct murphi_rule *rule);
/* "invariant 3", when it has no title. */
const char *clew_murphi_property_name(struct murphi_lowering *l, enum murphi_property_kind kind,
                                      const char *title);

#endif
