/* Difference decision diagrams: sets of clock values that need not be convex (Møller, Lichtenberg,
 * Andersen, Hulgaard 1999).
 *
 * A node asks for a constraint x_i - x_j < c or <= c, with i > j. Its high child is the set if the
 * constraint is true, its low child the set if it is not; so a low edge is a lower bound. The ends
 * are the empty set and all values. Clock 0 is always zero, and no clock is negative.
 *
 *   2 < x <= 3 or x >= 7:     x <= 2 ---> x <= 3 ---> x < 7 ---> true
 *                               |           |           |
 *                             false       true        false          (low edges to the right)
 *
 * Nodes are in the table of dd/dd.h, of the same size as those of lists, and levels that do not
 * matter are skipped: a node names its constraint. Along every path constraints rise: by pairs of
 * clocks, and of one pair by bounds. The high child knows nothing more of the pair.
 *
 * Forms. Every diagram is *locally reduced*: no two nodes are equal, both children differ, and the
 * low child of the same pair has another high child. That makes one diagram of a truth function of
 * constraints, but constraints depend on each other, so a set has many. Two forms say more:
 *
 *   reduced     no path is infeasible. The empty set is CLEW_DDD_FALSE, and all values are
 *               CLEW_DDD_TRUE
 *   canonical   equal sets are equal numbers, however they were made
 *
 * The canonical form is made from the set alone. The hull of the set, the least zone around it, has
 * one closed form. If the set is its hull, the diagram is the conjunction of these bounds. If not,
 * the hull is cut in two by a constraint, and both halves are put together under the bounds of the
 * hull. The cut is the first constraint, in their order, one side of which is all in the set or all
 * not; else the one on whose sides the hulls of the set, and of what the set leaves out, have most
 * bounds that are tighter than those of the whole hull there, the first of equal ones. All of this
 * depends on nothing but the set, so equal sets get equal diagrams. The fully reduced diagrams of
 * the paper (tight, saturated, without disjunctive vertices) are canonical by conjecture only.
 *
 * Zones of a diagram. A set is a union of zones in many ways. clew_ddd_cover finds few large ones,
 * as irredundant sums of products are found in binary diagrams (Minato, Morreale): a zone that was
 * added to a diagram comes out whole, though another one overlaps it. clew_ddd_paths has one zone
 * for each feasible path, and these are disjoint (but for diagrams of upper bounds).
 *
 * Another meaning of low edges, CLEW_DDD_UPPER, makes smaller diagrams: the ways to true of a union
 * are those of both sets, where the above cuts them to pieces. It has no complement and no
 * canonical form. Everything above is about CLEW_DDD_BOTH.
 *
 * Operations that make nodes may collect (dd/dd.h), and answer CLEW_DD_NONE when they have no
 * answer. */
#ifndef CLEW_DD_DDD_H
#define CLEW_DD_DDD_H

#include "base/text.h"
#include "dbm/fed.h"
#include "dd/ldd.h"

typedef clew_ldd clew_ddd;

enum { CLEW_DDD_FALSE = CLEW_LDD_EMPTY, CLEW_DDD_TRUE = CLEW_LDD_UNIT };

struct clew_ddd_space;

/* What `minus` leaves of the clock values at the end of vectors (clew_ldd_minus). */
enum clew_ddd_minus {
  CLEW_DDD_WHOLE,      /* zones that are not within one of the others, as a whole: more than asked
                        * for, and nothing is cut to pieces */
  CLEW_DDD_NATIVE,     /* the difference of diagrams, reduced */
  CLEW_DDD_FEDERATION, /* the difference of federations of zones, piece by piece */
};

/* The form that results of operations are brought to: truth functions, actions, and the operations
 * on vectors that end in clock values. A form that is not kept all the time can still be asked for
 * (clew_ddd_reduce, clew_ddd_canonical) where it is needed. */
enum clew_ddd_form {
  CLEW_DDD_LOCAL,     /* whatever comes out */
  CLEW_DDD_REDUCED,   /* semi-canonical: to be empty is to be CLEW_DDD_FALSE */
  CLEW_DDD_CANONICAL, /* to be equal is to have the same number, for vectors with clock values, too
                       */
};

/* The meaning of a low edge. */
enum clew_ddd_semantics {
  CLEW_DDD_BOTH,  /* the constraint is false: a lower bound, as above */
  CLEW_DDD_UPPER, /* nothing: a diagram is the union of the zones of its high edges (ddd_upper.c);
                   * its form is local, and its differences are never native */
};

struct clew_ddd_config {
  enum clew_ddd_semantics semantics;
  uint32_t dim;    /* clocks, with clock 0 */
  int32_t largest; /* of all constants */
  bool is_closed;  /* zones become diagrams with all bounds of their closed form, not only those
                    * that imply the others */
  enum clew_ddd_minus minus;
  enum clew_ddd_form form;
};

/* What a table needs for difference decision diagrams, closed with it. NULL: the numbers are too
 * large. A table has one at most. */
struct clew_ddd_space *clew_ddd_open(struct clew_dd *dd, const struct clew_ddd_config *config);
const struct clew_dbm_space *clew_ddd_zone_space(const struct clew_ddd_space *space);

/* ---- truth functions ---- */

/* x_i - x_j < or <= a finite bound; i != j. */
clew_ddd clew_ddd_constraint(struct clew_ddd_space *space, uint32_t i, uint32_t j,
                             clew_bound bound);
clew_ddd clew_ddd_or(struct clew_ddd_space *space, clew_ddd a, clew_ddd b);
clew_ddd clew_ddd_and(struct clew_ddd_space *space, clew_ddd a, clew_ddd b);
clew_ddd clew_ddd_minus(struct clew_ddd_space *space, clew_ddd a, clew_ddd b);
clew_ddd clew_ddd_not(struct clew_ddd_space *space, clew_ddd a);

/* ---- zones ---- */

clew_ddd clew_ddd_from_zone(struct clew_ddd_space *space, const void *zone);
clew_ddd clew_ddd_from_fed(struct clew_ddd_space *space, const struct clew_fed *fed);
/* Add zones to `out` whose union is the set. False: there is no answer. */
bool clew_ddd_cover(struct clew_ddd_space *space, clew_ddd set, struct clew_fed *out);
bool clew_ddd_paths(struct clew_ddd_space *space, clew_ddd set, struct clew_fed *out);
/* Whether the values are in the set: as clew_dbm_contains. */
bool clew_ddd_contains(const struct clew_ddd_space *space, clew_ddd set, const int32_t *values,
                       int32_t scale);

/* ---- forms ---- */

clew_ddd clew_ddd_reduce(struct clew_ddd_space *space, clew_ddd set);
/* Not for CLEW_DDD_UPPER. */
clew_ddd clew_ddd_canonical(struct clew_ddd_space *space, clew_ddd set);
/* Whether all values of a are in b: a and not b is empty. *answer is set if true is returned. */
bool clew_ddd_subset(struct clew_ddd_space *space, clew_ddd a, clew_ddd b, bool *answer);

/* ---- actions: what transitions do to clocks ---- */

enum clew_ddd_step_kind {
  CLEW_DDD_CONSTRAIN,   /* x_i - x_j < or <= the bound `number` */
  CLEW_DDD_ASSIGN,      /* x_i := number */
  CLEW_DDD_COPY,        /* x_i := x_j */
  CLEW_DDD_SHIFT,       /* x_i := x_i + number; what gets negative is left out */
  CLEW_DDD_FREE,        /* x_i is any value */
  CLEW_DDD_STOP,        /* x_i stands still in the next UP */
  CLEW_DDD_UP,          /* time passes */
  CLEW_DDD_DOWN,        /* time has passed: all values from which it leads to the set */
  CLEW_DDD_LIMIT,       /* x_i is compared with numbers up to these from below (number) and from
                         * above (other), for the next EXTRAPOLATE */
  CLEW_DDD_EXTRAPOLATE, /* Extra+_LU of each zone of the cover (dbm/dbm.h) */
};
struct clew_ddd_step {
  enum clew_ddd_step_kind kind;
  uint32_t i, j;
  int32_t number, other;
};
/* The number of an action, which has these steps; equal ones have equal numbers. Never collects. */
uint32_t clew_ddd_action(struct clew_ddd_space *space, const struct clew_ddd_step *steps,
                         uint32_t count);
/* What the action makes of the set. All steps but EXTRAPOLATE are exact. */
clew_ddd clew_ddd_act(struct clew_ddd_space *space, clew_ddd set, uint32_t action);
/* The values that the action leads into the set: its predecessors. EXTRAPOLATE is left out. All
 * other steps are exact, but for UP after STOP: there it is the least zone around them. */
clew_ddd clew_ddd_act_back(struct clew_ddd_space *space, clew_ddd set, uint32_t action);

/* ---- vectors with clock values ---- */

/* The vector, with the clock values that it ends in. */
clew_ldd clew_ddd_attach(struct clew_ddd_space *space, const uint32_t *vector, uint32_t levels,
                         clew_ddd set);
/* The clock values of a vector of a set. Never collects. */
clew_ddd clew_ddd_of_vector(const struct clew_ddd_space *space, clew_ldd set,
                            const uint32_t *vector, uint32_t levels);
/* Zones of the covers of all vectors of a set. False: there is no answer. */
bool clew_ddd_count_zones(struct clew_ddd_space *space, clew_ldd set, uint64_t *zones);

/* ---- figures and pictures ---- */

struct clew_ddd_figures {
  uint32_t constraints, actions; /* different ones so far */
  uint64_t zones_acted;          /* zones that actions were applied to */
};
void clew_ddd_figures(const struct clew_ddd_space *space, struct clew_ddd_figures *figures);
/* Nodes of difference decision diagrams that a diagram of either type has. */
uint64_t clew_ddd_nodes(struct clew_ddd_space *space, clew_ldd set);
/* Whether no path of the diagram is infeasible. */
bool clew_ddd_is_reduced(const struct clew_ddd_space *space, clew_ddd set);
/* Appends nodes and edges of the diagrams that the marked nodes of a picture lead to. `names` are
 * those of clocks; the first one is not used. */
void clew_ddd_dot(struct clew_ddd_space *space, clew_ddd set, const char *const *names,
                  struct clew_text *out);
void clew_ddd_print_constraint(const struct clew_ddd_space *space, uint32_t value,
                               const char *const *names, struct clew_text *out);

#endif
