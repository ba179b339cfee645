/* What check_symmetry.c finds a rule to read and write, and check_order.c and check_bags.c judge.
 */
#ifndef CLEW_LANG_MURPHI_CHECK_SYMMETRY_H
#define CLEW_LANG_MURPHI_CHECK_SYMMETRY_H

#include "base/vec.h"
#include "lang/murphi/murphi_int.h"

/* What a name stands for where the walk is: a value (of a parameter or an alias), or a place. */
struct murphi_env;

/* A selection of a field, or (index not NULL) of an element. */
struct murphi_select {
  const struct murphi_expr *index;
  const struct murphi_env *env; /* of the index */
  uint32_t field;
};

/* A place, seen through references and aliases. */
struct murphi_extent {
  const struct murphi_symbol *root; /* STATE, LOCAL or BOUND; NULL: not a variable */
  uint32_t birth;                   /* which instance of it; 0 for the state */
  uint32_t select_count;
  const struct murphi_select *selects;
};

struct murphi_env {
  const struct murphi_env *next;
  const struct murphi_symbol *symbol;
  struct murphi_extent extent;     /* of a place */
  const struct murphi_expr *value; /* of a value, or NULL */
  const struct murphi_env *value_env;
};

/* A clause of an `if` or `switch`, and those around it. */
struct murphi_branch {
  const struct murphi_branch *around;
  uint32_t statement; /* one execution of it, by birth */
  uint32_t clause;
};

enum murphi_access_kind {
  MURPHI_ACCESS_READ,
  MURPHI_ACCESS_SET, /* to `value` */
  MURPHI_ACCESS_UNDEFINE,
  MURPHI_ACCESS_CLEAR,
  MURPHI_ACCESS_ADD, /* `value` is added */
  MURPHI_ACCESS_SUBTRACT,
  MURPHI_ACCESS_OR,  /* becomes true when `value` is */
  MURPHI_ACCESS_AND, /* becomes false when `value` is */
  MURPHI_ACCESS_MIN, /* becomes `value` when that is less */
  MURPHI_ACCESS_MAX,
  MURPHI_ACCESS_ONCE, /* becomes `value` if it is undefined */
  MURPHI_ACCESS_BAG_ADD,
  MURPHI_ACCESS_BAG_FILTER, /* elements are removed by a condition on each */
  MURPHI_ACCESS_BAG_REMOVE, /* one is removed */
  MURPHI_ACCESS_RETURN,     /* `value` or NULL, from `routine` */
  MURPHI_ACCESS_ASSUME,
  MURPHI_ACCESS_POSITION, /* positions in multisets are compared */
  MURPHI_ACCESS_UNKNOWN,  /* a call of what is being walked */
};

struct murphi_access {
  enum murphi_access_kind kind;
  struct murphi_extent extent;
  const struct murphi_expr *value;
  const struct murphi_env *env;
  uint32_t level; /* greater than that of its loop when it may be skipped or repeated */
  uint32_t routine;
  const struct murphi_branch *branch; /* the innermost clause it is in, or NULL */
  struct clew_span span;
  struct murphi_expr
      *both;   /* OR, AND, ONCE: the operator that may skip one of its operands, or NULL */
  bool relied; /* some loop needs both of them to be evaluated */
};

/* A loop over a scalarset, and the accesses `from` .. `to` - 1 in its body. */
struct murphi_loop {
  struct murphi_quantifier *quantifier;
  uint32_t birth; /* variables born later belong to one iteration */
  uint32_t from, to;
  uint32_t level;
  uint32_t routine;
};

/* Two accesses (perhaps one and the same) in different iterations that need not commute. */
struct murphi_conflict {
  struct murphi_loop loop;
  uint32_t first, second;
  bool scratch; /* a local variable whose last value differs: only matters if that is read */
};

/* Accesses `from` .. `to` - 1 may be repeated, in any loop or by recursion. */
struct murphi_repeat {
  uint32_t from, to;
};

/* The multiset that a variable of choose, multisetcount or multisetremovepred is a position in. */
struct murphi_position {
  const struct murphi_symbol *symbol;
  struct murphi_extent bag;
};

/* The walk over one rule. */
struct murphi_walk {
  struct murphi *m;
  struct clew_arena *arena; /* of environments and extents */
  CLEW_VEC(struct murphi_access) accesses;
  CLEW_VEC(struct murphi_conflict) conflicts;
  CLEW_VEC(struct murphi_repeat) repeats;
  CLEW_VEC(struct murphi_position) positions; /* those in scope, the last ones innermost */
  CLEW_VEC(struct murphi_expr *) relied;      /* of all rules so far: see struct murphi_reliance */
  uint32_t births;                            /* counts scopes as they are entered */
  const struct murphi_branch *branch;         /* the clause where the walk is, or NULL */
  uint32_t level, returned;                   /* conditions and loops around; returns before */
  uint32_t routine;                           /* birth of the rule or call */
  uint32_t loops;                             /* over scalarsets, met so far */
  uint32_t depth;
  uint64_t work; /* of all rules so far */
  bool gave_up;  /* beyond the limits: the rest is not looked at */
};

/* ---- check_symmetry.c ----------------------------------------------------------------------- */

/* False, and the whole analysis ends undecided, when it has become too long. */
bool clew_murphi_spend(struct murphi_walk *w, uint64_t work);
/* For a reason found at the span the model may tell values apart: those of the scalarsets in the
 * type, or (NULL) of all. The first reason of each scalarset is kept. */
void clew_murphi_undecided(struct murphi_walk *w, const struct murphi_type *type,
                           struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Designators that denote the same place, whatever it is. */
bool clew_murphi_same_designator(const struct murphi_expr *a, const struct murphi_expr *b);

/* ---- check_accumulate.c --------------------------------------------------------------------- */

/* An assignment, or an `if` around one, that brings a further value into a variable. */
struct murphi_accumulation {
  enum murphi_access_kind kind;  /* ADD .. ONCE */
  struct murphi_expr *target;    /* the variable */
  struct murphi_expr *condition; /* of the `if`, without the test of the variable; or NULL */
  struct murphi_expr *value;
  struct murphi_expr *both; /* see struct murphi_access */
  struct clew_span span;
};

/* False when it is none. May regroup a conjunction or disjunction, which does not change it. */
bool clew_murphi_accumulates(struct murphi_stmt *stmt, struct murphi_accumulation *result);
/* The loop needs access number i to evaluate all its operands. */
void clew_murphi_rely(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t i);
/* At the end of a rule: what it executes without any loop that relies on it. */
void clew_murphi_note_plain(struct murphi_walk *w);
/* At the end: no operator can be both relied on and left as it is. */
void clew_murphi_settle_relied(struct murphi_walk *w);

/* ---- check_bags.c --------------------------------------------------------------------------- */

/* The variable of the quantifier, if it is over a multiset, is in scope from now on; its owner pops
 * it from w->positions. */
void clew_murphi_bind_position(struct murphi_walk *w, const struct murphi_quantifier *q,
                               const struct murphi_env *env);
/* A position (`index`) is used in this multiset, or compared with one (`bag` and `other`: either is
 * NULL). */
void clew_murphi_judge_position(struct murphi_walk *w, const struct murphi_expr *index,
                                const struct murphi_expr *bag, const struct murphi_expr *other,
                                const struct murphi_env *env);
/* A multisetremovepred whose condition read the accesses from `from` on. */
void clew_murphi_judge_filter(struct murphi_walk *w, const struct murphi_stmt *stmt,
                              const struct murphi_env *env, uint32_t from);
/* At the end of a rule: whether it looks at a position that an added element may have taken. */
void clew_murphi_judge_positions(struct murphi_walk *w);

/* ---- check_order.c -------------------------------------------------------------------------- */

/* The place that a designator denotes there. */
struct murphi_extent clew_murphi_locate(struct murphi_walk *w, const struct murphi_expr *expr,
                                        const struct murphi_env *env);
/* What a name is bound to, or NULL. */
const struct murphi_env *clew_murphi_find(const struct murphi_env *env,
                                          const struct murphi_symbol *symbol);
bool clew_murphi_access_writes(const struct murphi_access *access);
/* At the end of a loop: notes the conflicts between its iterations. */
void clew_murphi_judge_loop(struct murphi_walk *w, const struct murphi_loop *loop);
/* Whether the places can have something in common, in different iterations of the loop or (NULL)
 * at all. */
bool clew_murphi_overlap(const struct murphi_loop *loop, const struct murphi_extent *a,
                         const struct murphi_extent *b);
/* At the end of a rule: reports the conflicts that matter. */
void clew_murphi_settle(struct murphi_walk *w);

#endif
