/* Deadlocks: values of clocks with which a state has no successor, now or after any delay.
 *
 * From all values of the zone those are taken away that lead somewhere. A transition leads on from
 * the values that satisfy its guard and whose settings satisfy the invariants of its target; where
 * time may pass, from those before them, too. A run-time error is somewhere to go. */
#include <assert.h>

#include "timed/timed_int.h"

/* The value that a clock is set to by the transition that has made `successor`. */
static bool setting_of(const struct clew_timed_impl *impl, uint32_t clock,
                       const uint64_t *successor, int64_t *value) {
  int32_t number = 0;
  bool is_set = clock == 0 || clew_timed_setting(impl, clock, successor, &number);
  *value = number;
  return is_set;
}

/* The constraint, which holds after the transition, as one that holds before it. */
static bool constrain_before(const struct clew_timed_impl *impl, const uint64_t *successor,
                             uint32_t i, uint32_t j, clew_bound bound, void *zone) {
  int64_t set_i, set_j;
  bool known_i = setting_of(impl, i, successor, &set_i),
       known_j = setting_of(impl, j, successor, &set_j);
  if (known_i && known_j) {
    int64_t difference = set_i - set_j, most = clew_bound_constant(bound);
    return difference < most || (difference == most && !clew_bound_is_strict(bound));
  }
  int64_t shift = known_i ? set_i : known_j ? -set_j : 0;
  clew_bound before = bound - (clew_bound)(2 * shift);
  return clew_dbm_constrain(&impl->space, zone, known_i ? 0 : i, known_j ? 0 : j, before);
}

static bool constrain_target(const struct clew_timed_impl *impl, const uint64_t *successor,
                             void *zone) {
  for (uint32_t p = 0; p < impl->watch_count; p++) {
    struct clew_timed_span atoms = clew_timed_location(&impl->watches[p], successor)->invariant;
    for (uint32_t k = 0; k < atoms.count; k++) {
      uint32_t i, j;
      clew_bound bound;
      if (clew_timed_resolve(impl, &impl->spec->atoms[atoms.first + k], successor, &i, &j,
                             &bound) &&
          !constrain_before(impl, successor, i, j, bound, zone)) {
        return false;
      }
    }
  }
  return true;
}

/* Takes away the values from which the zone `from`, a part of `zone`, is reached by time. */
static void lead_on(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                    void *from, bool may_delay) {
  if (may_delay) {
    clew_dbm_down(&impl->space, from);
  }
  clew_fed_subtract(&context->dead, from);
}

void clew_timed_find_deadlock(const struct clew_timed_impl *impl, const struct clew_model *model,
                              struct clew_timed_context *context, const void *zone) {
  const struct clew_succs *succs = &context->succs;
  bool may_delay = clew_timed_may_delay(impl, context->state);
  clew_fed_clear(&context->dead);
  clew_fed_add(&context->dead, zone);
  for (uint32_t i = 0; i < succs->count && context->dead.count > 0; i++) {
    const uint64_t *successor = succs->states + (size_t)i * succs->words;
    clew_dbm_copy(&impl->space, context->work, zone);
    if (clew_timed_constrain(impl, clew_timed_guard(impl, succs->edges[i]), successor,
                             context->work) &&
        constrain_target(impl, successor, context->work)) {
      lead_on(impl, context, context->work, may_delay);
    }
  }
  for (uint32_t i = 0; i < succs->fault_count && context->dead.count > 0; i++) {
    clew_dbm_copy(&impl->space, context->work, zone);
    if (clew_timed_constrain_fault(model, context, succs->faults[i].edge, context->work)) {
      lead_on(impl, context, context->work, may_delay);
    }
  }
}
