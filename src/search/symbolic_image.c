/* Images: where transitions lead from a set of states.
 *
 * Where transitions are split from delays, the product with the relation of a group is a set of
 * states as transitions leave them: invariants have not been looked at, no time has passed, and
 * nothing is extrapolated. The delay, a group of its own that reads whatever matters to time, makes
 * states of them. So a group has short states and rows for what its own edges read only.
 *
 * Zones that are within those of visited states need no delay. A visited zone holds whatever a
 * delay makes of its values, and all that comes of them has been explored, or is about to be. */
#include "search/symbolic_int.h"

/* What is not in `known`; `set` if there is none. */
static clew_ldd without(struct symbolic *s, clew_ldd set, const clew_ldd *known) {
  return known != NULL && set != CLEW_LDD_EMPTY ? clew_ldd_minus(s->dd, set, *known) : set;
}

static clew_ldd delay(struct symbolic *s, clew_ldd set, uint32_t project, uint32_t product) {
  clew_dd_keep(s->dd, &set);
  bool learnt = clew_symbolic_learn_by(s, s->group_count, set, project);
  clew_dd_forget(s->dd, &set);
  return learnt ? clew_ldd_product(s->dd, set, s->groups[s->group_count].relation, product)
                : CLEW_DD_NONE;
}

clew_ldd clew_symbolic_delay(struct symbolic *s, clew_ldd set) {
  const struct symbolic_group *group = &s->groups[s->group_count];
  return s->is_split ? delay(s, set, group->project, group->product) : set;
}

clew_ldd clew_symbolic_image(struct symbolic *s, uint32_t number, clew_ldd set,
                             const clew_ldd *known, bool low) {
  const struct symbolic_group *group = &s->groups[number];
  clew_ldd made =
      clew_ldd_product(s->dd, set, group->relation, low ? group->low_product : group->product);
  if (!s->is_split || !clew_symbolic_is_done(s, made)) {
    return made;
  }
  made = without(s, made, known);
  if (!clew_symbolic_is_done(s, made) || !low) {
    return made != CLEW_DD_NONE ? clew_symbolic_delay(s, made) : made;
  }
  return delay(s, made, group->low_delay_project, group->low_delay_product);
}
