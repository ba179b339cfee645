/* Saturation (Ciardo, Lüttgen, Siminiceanu): the least set around another one that relations do not
 * lead out of.
 *
 * A relation belongs to its top level, the first that it touches: it maps vectors of the levels
 * from there on to vectors of these levels. A set at a level is saturated when no relation of this
 * level or one below leads out of it. The union of saturated sets is saturated. So the lowest
 * levels, where diagrams are small and shared, are worked off first; what a relation makes is
 * saturated on its way up, level by level; and every result is remembered.
 *
 * Relations may grow meanwhile: before a set at a level counts as saturated, the caller is asked to
 * add what the relation of that level has to have for it. Results stay right then: they were asked
 * for. */
#ifndef CLEW_DD_SATURATE_H
#define CLEW_DD_SATURATE_H

#include "dd/ldd.h"

/* Rows of such a relation have two numbers for each level that it touches, and may differ in what
 * they do there. The first is CLEW_LDD_ANY; or the value that is needed + CLEW_LDD_MIXED_VALUES; or
 * CLEW_LDD_REST: nothing happens from here on, and the row is over. The second is the new value,
 * or CLEW_LDD_COPY. */
enum { CLEW_LDD_ANY, CLEW_LDD_REST, CLEW_LDD_MIXED_VALUES };

/* The set of rows, in any order, of an even number of values each; what follows CLEW_LDD_REST in a
 * row is 0. Sorts the rows in place. */
clew_ldd clew_ldd_from_mixed_rows(struct clew_dd *dd, uint32_t *rows, uint64_t count,
                                  uint32_t length);
/* The plan of a relation, from its top level on, which is the first of these: touched[0] is not 0.
 */
uint32_t clew_ldd_plan_fire(struct clew_dd *dd, const unsigned char *touched, uint32_t levels);

struct clew_ldd_layer {
  const clew_ldd *relation; /* kept by the caller; NULL: no relation has this top level */
  uint32_t plan;
};

/* A table knows the relations of one of these: they may grow, others may not take their place. */
struct clew_ldd_saturation {
  const struct clew_ldd_layer *layers; /* by level */
  uint32_t layer_count;                /* levels below have no relations */
  /* The relation of the level gets what it makes of the vectors of a set. May collect. False: leave
   * off. */
  bool (*learn)(void *context, uint32_t level, clew_ldd set);
  /* Now and then: whether to leave off. */
  bool (*leaves)(void *context, uint32_t level);
  void *context;
};

/* The saturated set. If it was left off: some part of it, which has the set. *status: why an
 * operation had no answer. */
clew_ldd clew_ldd_saturate(struct clew_dd *dd, clew_ldd set,
                           const struct clew_ldd_saturation *saturation,
                           enum clew_dd_status *status);

#endif
