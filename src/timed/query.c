/* Queries: labels that clocks decide. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "timed/timed_int.h"

/* Leaves the part of context->good, one zone, that is (or is not) a deadlock of the state. Time may
 * lead out of that zone, so deadlocks are those of the whole state. */
static void keep_deadlocks(const struct clew_model *model, struct clew_timed_context *context,
                           bool wanted) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  assert(context->good.count == 1);
  clew_timed_expand(model, context);
  clew_timed_find_deadlock(impl, model, context, context->zone);
  if (wanted) {
    clew_fed_intersect(&context->dead, clew_fed_zone(&context->good, 0));
    clew_fed_clear(&context->good);
    clew_fed_add_all(&context->good, &context->dead);
  } else {
    clew_fed_subtract_all(&context->good, &context->dead);
  }
}

/* Whether the discrete part and the atoms of the disjunct are true of some values: context->work.
 */
static bool is_possible(const struct clew_model *model, struct clew_timed_context *context,
                        const struct clew_timed_disjunct *disjunct, uint32_t *site) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  if (disjunct->label != CLEW_NONE &&
      (!under->label(under, disjunct->label, context->state, site) || *site != CLEW_NONE)) {
    return false;
  }
  clew_dbm_copy(&impl->space, context->work, context->zone);
  return clew_timed_constrain(impl, disjunct->atoms, context->state, context->work);
}

const struct clew_fed *clew_timed_find_parts(const struct clew_model *model,
                                             struct clew_timed_context *context,
                                             const struct clew_timed_disjunct *disjunct,
                                             uint32_t *site) {
  if (!is_possible(model, context, disjunct, site)) {
    return NULL;
  }
  clew_fed_clear(&context->good);
  clew_fed_add(&context->good, context->work);
  if (disjunct->deadlock != CLEW_TIMED_ANY) {
    keep_deadlocks(model, context, disjunct->deadlock == CLEW_TIMED_DEADLOCK);
  }
  return context->good.count > 0 ? &context->good : NULL;
}

/* Whether no disjunct is true of any values. */
static bool holds(const struct clew_timed_impl *impl, const struct clew_model *model,
                  struct clew_timed_context *context, uint32_t query, uint32_t *site) {
  struct clew_timed_span span = impl->spec->queries[query].disjuncts;
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_disjunct *disjunct = &impl->spec->disjuncts[span.first + k];
    bool is_true = disjunct->deadlock == CLEW_TIMED_ANY
                       ? is_possible(model, context, disjunct, site)
                       : clew_timed_find_parts(model, context, disjunct, site) != NULL;
    if (is_true || *site != CLEW_NONE) {
      return false;
    }
  }
  return true;
}

/* The conditions of a run depend on more than one value; only run-time errors in them are found. */
static bool evaluate_run(const struct clew_timed_impl *impl, const struct clew_model *model,
                         struct clew_timed_context *context, const struct clew_timed_run *run,
                         uint32_t *site) {
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_span spans[] = {run->stay, run->from};
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < spans[k].count && *site == CLEW_NONE; i++) {
      uint32_t label = impl->spec->disjuncts[spans[k].first + i].label;
      if (label != CLEW_NONE) {
        (void)under->label(under, label, context->state, site);
      }
    }
  }
  return *site == CLEW_NONE;
}

bool clew_timed_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                      uint32_t *site) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  uint32_t query = impl->label_query[label], run = impl->label_run[label];
  bool value;
  if (query == CLEW_NONE) {
    memcpy(context->state, state, impl->discrete_words * sizeof *state);
    value = run == CLEW_NONE ? under->label(under, label, context->state, site)
                             : evaluate_run(impl, model, context, &impl->spec->runs[run], site);
  } else {
    clew_timed_load(impl, context, state);
    value = holds(impl, model, context, query, site);
  }
  clew_timed_give_back(impl, context);
  return value;
}

/* The first violated one of the properties that no clock decides; takes the others out of
 * context->enabled and says how many there are. */
static uint32_t check_discrete(const struct clew_model *model, struct clew_timed_context *context,
                               const uint64_t *enabled, uint32_t *site) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  memcpy(context->enabled, enabled, CLEW_BITSET_WORDS(model->property_count) * sizeof *enabled);
  for (uint32_t q = 0; q < impl->spec->query_count; q++) {
    clew_bitset_remove(context->enabled, impl->query_property[q]);
  }
  return under->check(under, context->enabled, context->state, site);
}

uint32_t clew_timed_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  memcpy(context->state, state, impl->discrete_words * sizeof *state);
  uint32_t found = check_discrete(model, context, enabled, site);
  bool loaded = false;
  for (uint32_t q = 0; q < impl->spec->query_count; q++) {
    uint32_t property = impl->query_property[q], own_site = CLEW_NONE;
    if (!clew_bitset_has(enabled, property) || property > found) {
      continue;
    }
    if (!loaded) {
      clew_timed_load(impl, context, state);
      loaded = true;
    }
    if (!holds(impl, model, context, q, &own_site)) {
      found = property;
      *site = own_site;
    }
  }
  clew_timed_give_back(impl, context);
  return found;
}

/* ---- Measures ------------------------------------------------------------------------------- */

/* Values of x_i - x_j in the zone. Where time cannot diverge an infinite bound is one that the
 * extrapolation has forgotten. */
static struct clew_measured measure_clocks(const struct clew_timed_impl *impl, const void *zone,
                                           const struct clew_timed_measure *measure,
                                           bool diverges) {
  clew_bound most = clew_dbm_get(&impl->space, zone, measure->i, measure->j),
             least = clew_dbm_get(&impl->space, zone, measure->j, measure->i);
  struct clew_measured out = {.any = true};
  if (most == CLEW_BOUND_INFINITE) {
    out.is_endless = diverges;
    out.is_cut = !diverges;
  } else {
    out.most = clew_bound_constant(most);
    out.most_open = clew_bound_is_strict(most);
  }
  if (least != CLEW_BOUND_INFINITE) {
    out.least = -(int64_t)clew_bound_constant(least);
    out.least_open = clew_bound_is_strict(least);
  }
  return out;
}

void clew_timed_measure(const struct clew_model *model, uint32_t number, const uint64_t *state,
                        struct clew_measured *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_timed_measure *measure = &impl->spec->measures[number];
  struct clew_timed_context *context = clew_timed_take(impl);
  clew_timed_load(impl, context, state);
  bool diverges = clew_timed_may_delay(impl, context->state) &&
                  clew_dbm_is_unbounded(&impl->space, context->zone);
  for (uint32_t k = 0; k < measure->disjuncts.count; k++) {
    const struct clew_timed_disjunct *disjunct =
        &impl->spec->disjuncts[measure->disjuncts.first + k];
    uint32_t site = CLEW_NONE;
    const struct clew_fed *parts = clew_timed_find_parts(model, context, disjunct, &site);
    for (uint32_t i = 0; parts != NULL && i < parts->count; i++) {
      struct clew_measured values = {.any = true};
      if (measure->i == 0) {
        values.any = clew_timed_value(impl, measure->slot, context->state, &values.most);
        values.least = values.most;
      } else {
        values = measure_clocks(impl, clew_fed_zone(parts, i), measure, diverges);
      }
      clew_measured_join(out, &values);
    }
  }
  clew_timed_give_back(impl, context);
}
