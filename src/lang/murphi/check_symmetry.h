/* What check_symmetry.c finds a rule to read and write, and check_order.c judges. */
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

enum murphi_access_kind {
  MURPHI_ACCESS_READ,
  MURPHI_ACCESS_SET, /* to `value` */
  MURPHI_ACCESS_UNDEFINE,
  MURPHI_ACCESS_CLEAR,
  MURPHI_ACCESS_ADD, /* `value` is added */
  MURPHI_ACCESS_SUBTRACT,
  MURPHI_ACCESS_BAG_ADD,
  MURPHI_ACCESS_BAG_FILTER, /* elements are removed by a condition on each */
  MURPHI_ACCESS_BAG_REMOVE, /* one is removed */
  MURPHI_ACCESS_RETURN,     /* `value` or NULL, from `routine` */
  MURPHI_ACCESS_ASSUME,
  MURPHI_ACCESS_UNKNOWN, /* a call of what is being walked */
};

struct murphi_access {
  enum murphi_access_kind kind;
  struct murphi_extent extent;
  const struct murphi_expr *value;
  const struct murphi_env *env;
  uint32_t level; /* greater than that of its loop when it may be skipped or repeated */
  uint32_t routine;
  struct clew_span span;
  struct murphi_stmt *stmt; /* SET */
};

/* A loop over a scalarset, and the accesses `from` .. `to` - 1 in its body. */
struct murphi_loop {
  const struct murphi_quantifier *quantifier;
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

/* The walk over one rule. */
struct murphi_walk {
  struct murphi *m;
  struct clew_arena *arena; /* of environments and extents */
  CLEW_VEC(struct murphi_access) accesses;
  CLEW_VEC(struct murphi_conflict) conflicts;
  uint32_t births;                           /* counts scopes as they are entered */
  uint32_t level, returned;                  /* conditions and loops around; returns before */
  uint32_t routine;                          /* birth of the rule or call */
  uint32_t loops;                            /* over scalarsets, met so far */
  const struct murphi_quantifier *filter;    /* of the multisetremovepred around, or NULL */
  const struct murphi_quantifier *parameter; /* of a ruleset around, over a scalarset, or NULL */
  uint32_t depth;
  uint64_t work; /* of all rules so far */
  bool gave_up;  /* beyond the limits: the rest is not looked at */
};

/* ---- check_symmetry.c ----------------------------------------------------------------------- */

/* False, and the whole analysis ends undecided, when it has become too long. */
bool clew_murphi_spend(struct murphi_walk *w, uint64_t work);
/* Makes the model asymmetric for a reason found at the span. */
void clew_murphi_undecided(struct murphi_walk *w, struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

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
/* At the end of a rule: reports the conflicts that matter. */
void clew_murphi_settle(struct murphi_walk *w);

#endif
