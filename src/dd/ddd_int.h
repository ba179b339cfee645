/* Difference decision diagrams from inside. */
#ifndef CLEW_DD_DDD_INT_H
#define CLEW_DD_DDD_INT_H

#include "base/alloc.h"
#include "dbm/minimal.h"
#include "dd/ddd.h"
#include "dd/tasks_int.h"

/* A constraint x_i - x_j < or <= a bound; i > j, but for diagrams of upper bounds. Constraints are
 * ordered by their keys: the pair, then the bound. */
struct constraint {
  uint64_t key; /* pair << 32 | bound + 2^31 */
  uint32_t i, j;
  clew_bound bound;
};

struct action {
  uint32_t first, count; /* of steps */
  uint64_t hash;
};

/* The zones of a diagram, remembered until the next collection. */
struct cover {
  clew_ddd set; /* FALSE: empty entry */
  struct clew_fed zones;
};
enum { COVER_BITS = 10, COVERS = 1 << COVER_BITS };

/* A constraint that a worker looked up lately. */
struct known {
  uint64_t key;
  uint32_t number; /* + 1; 0: empty entry */
};
enum { KNOWN_BITS = 9, KNOWN = 1 << KNOWN_BITS };

/* What the spaces of all workers share. Constraints never move, so one may be read while another
 * one is added. */
struct constraints {
  struct clew_bigmem list; /* of struct constraint, in the order of their first use */
  _Atomic uint32_t count;
  CLEW_VEC(uint32_t) index; /* open addressing: number + 1, or 0 */
  pthread_mutex_t lock;     /* of all this, while several workers are at work */
  CLEW_VEC(struct clew_ddd_step) steps;
  CLEW_VEC(struct action) actions;
  CLEW_VEC(uint32_t) action_index;
};

/* What one worker has. That of the first worker is the caller's. */
struct clew_ddd_space {
  struct clew_dd *dd;
  struct constraints *shared;           /* owned by the first worker's */
  const struct constraint *constraints; /* shared->list */
  struct clew_dbm_space zones;
  enum clew_ddd_semantics semantics;
  bool is_closed;
  enum clew_ddd_minus minus;
  enum clew_ddd_form form;
  struct known known[KNOWN];
  struct cover covers[COVERS];
  uint64_t covers_of;                 /* number of collections when they were found */
  struct clew_dbm_constraint *bounds; /* dim * dim: scratch of minimal forms */
  int32_t *lower, *upper;             /* dim: limits of an extrapolation */
  uint64_t *stopped;                  /* bit set of clocks */
  uint64_t zones_acted;
};

/* ---- nodes ---- */

#define NO_KEY UINT64_MAX

static inline const struct constraint *constraint_of(const struct clew_ddd_space *space,
                                                     uint32_t value) {
  assert((value & DIFFERENCE) != 0);
  return &space->constraints[value & ~(uint32_t)DIFFERENCE];
}

static inline uint64_t key_of(const struct clew_ddd_space *space, clew_ddd set) {
  return set < FIRST_NODE ? NO_KEY : constraint_of(space, node_of(space->dd, set).value)->key;
}

static inline bool is_same_pair(uint64_t key, uint64_t other) {
  return key >> 32 == other >> 32;
}

/* What is left of a diagram if the constraint with this key, which comes first, is true or is not.
 */
static inline clew_ddd high_at(const struct clew_ddd_space *space, clew_ddd set, uint64_t key) {
  return is_same_pair(key_of(space, set), key) ? node_of(space->dd, set).down : set;
}
static inline clew_ddd low_at(const struct clew_ddd_space *space, clew_ddd set, uint64_t key) {
  return key_of(space, set) == key ? node_of(space->dd, set).right : set;
}

/* Whether the values satisfy the constraint: as clew_dbm_contains. */
static inline bool clew_ddd_satisfies(const struct constraint *c, const int32_t *values,
                                      int32_t scale) {
  int64_t difference = (int64_t)values[c->i] - values[c->j];
  int64_t most = (int64_t)clew_bound_constant(c->bound) * scale;
  return difference < most || (difference == most && !clew_bound_is_strict(c->bound));
}

/* The value of nodes of the constraint x_i - x_j; i > j, but for diagrams of upper bounds. */
uint32_t clew_ddd_intern(struct clew_ddd_space *space, uint32_t i, uint32_t j, clew_bound bound);
/* A locally reduced node. */
clew_ddd clew_ddd_make(struct clew_ddd_space *space, uint32_t value, clew_ddd high, clew_ddd low);
/* OP_DDD_OR, OP_DDD_AND, OP_DDD_MINUS. */
clew_ddd clew_ddd_apply(struct clew_ddd_space *space, enum operation op, clew_ddd a, clew_ddd b);
/* x_i - x_j below the bound, i != j. */
clew_ddd clew_ddd_bound(struct clew_ddd_space *space, uint32_t i, uint32_t j, clew_bound bound);
/* The conjunction of the bounds that a zone has beyond those of `context`, a zone around it or
 * NULL. */
clew_ddd clew_ddd_of_zone(struct clew_ddd_space *space, const void *zone, const void *context);
clew_ddd clew_ddd_of_fed(struct clew_ddd_space *space, const struct clew_fed *fed);
/* The zone with the constraint, or with its opposite; false: there is none. */
bool clew_ddd_restrict(const struct clew_ddd_space *space, const struct constraint *constraint,
                       bool is_true, const void *zone, void *out);
clew_ddd clew_ddd_reduced(struct clew_ddd_space *space, clew_ddd set);
/* In the form that the space was opened with. */
clew_ddd clew_ddd_in_form(struct clew_ddd_space *space, clew_ddd set);

/* ---- ddd_upper.c: the same where a low edge says nothing ---- */

clew_ddd clew_ddd_upper_make(struct clew_ddd_space *space, uint32_t value, clew_ddd high,
                             clew_ddd low);
clew_ddd clew_ddd_upper_or(struct clew_ddd_space *space, clew_ddd a, clew_ddd b);
clew_ddd clew_ddd_upper_apply(struct clew_ddd_space *space, enum operation op, clew_ddd a,
                              clew_ddd b);
clew_ddd clew_ddd_upper_reduce(struct clew_ddd_space *space, clew_ddd set);
/* Adds the zones of all ways to true, each within `zone`. */
void clew_ddd_upper_zones(const struct clew_ddd_space *space, clew_ddd set, const void *zone,
                          struct clew_fed *out);
bool clew_ddd_upper_contains(const struct clew_ddd_space *space, clew_ddd set,
                             const int32_t *values, int32_t scale);

/* ---- ddd_cover.c ---- */

/* The zones of a set, which belong to the space, until the next call; no zone is within another. */
const struct clew_fed *clew_ddd_zones(struct clew_ddd_space *space, clew_ddd set);
/* Drops zones that are within others. */
void clew_ddd_drop_covered(struct clew_fed *fed);
bool clew_ddd_is_within(const struct clew_fed *fed, const void *zone);
void clew_ddd_forget_covers(struct clew_ddd_space *space);

/* Appends nodes and edges of the diagram, without those that are marked; marks all of them. */
void clew_ddd_draw(const struct clew_ddd_space *space, clew_ddd set, const char *const *names,
                   struct clew_text *out);

#endif
