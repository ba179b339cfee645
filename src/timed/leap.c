/* Transitions and labels without zones: the discrete part, and what clocks have to do with it as
 * data. For searches that keep sets of clock values in another form. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "timed/timed_int.h"

static void load_discrete(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                          const uint64_t *state) {
  memcpy(context->state, state, impl->discrete_words * sizeof *state);
}

/* That of the model is an invariant of every state. */
static void add_deadline(const struct clew_timed_impl *impl, struct clew_timed_step *step) {
  if (impl->has_deadline) {
    step->invariant = clew_realloc_array(step->invariant, step->invariant_count + (size_t)1,
                                         sizeof *step->invariant);
    step->invariant[step->invariant_count++] =
        (struct clew_clock_bound){impl->space.dim - 1, 0, clew_bound_constant(impl->deadline),
                                  clew_bound_is_strict(impl->deadline)};
  }
}

bool clew_timed_leap(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     struct clew_timed_leap *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  load_discrete(impl, context, state);
  out->site = CLEW_NONE;
  out->step = (struct clew_timed_step){0};
  bool done = under->fire(under, context->state, edge, context->successor, &out->site);
  if (done) {
    memcpy(out->successor, context->successor, impl->discrete_words * sizeof *state);
    clew_timed_describe(impl, context, edge, context->successor, &out->step);
    add_deadline(impl, &out->step);
    struct clew_zone_limits limits = {out->lower, out->upper};
    clew_timed_find_limits(impl, context->successor, impl->semantics == CLEW_ZONE_M, &limits);
  } else if (out->site != CLEW_NONE) {
    clew_timed_describe_fault(model, context, edge, &out->step);
  }
  clew_timed_give_back(impl, context);
  return done;
}

/* ---- dwelling ---- */

void clew_timed_dwell(const struct clew_model *model, const uint64_t *state,
                      struct clew_timed_leap *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  load_discrete(impl, context, state);
  out->site = CLEW_NONE;
  clew_timed_describe(impl, context, CLEW_NONE, context->state, &out->step);
  assert(out->step.setting_count == 0); /* there are no signals */
  add_deadline(impl, &out->step);
  struct clew_zone_limits limits = {out->lower, out->upper};
  clew_timed_find_limits(impl, context->state, impl->semantics == CLEW_ZONE_M, &limits);
  clew_timed_give_back(impl, context);
}

/* A slot that dwelling reads, or CLEW_NONE: `set`, unless it is NULL, gets it. False: it is a
 * signal, which only a transition makes. */
static bool visit_slot(const struct clew_timed_impl *impl, uint32_t slot, uint64_t *set) {
  if (slot == CLEW_NONE) {
    return true;
  }
  if (set != NULL) {
    clew_bitset_add(set, slot);
  }
  return impl->slot_of[slot] != CLEW_NONE;
}

static bool visit_location(const struct clew_timed_impl *impl,
                           const struct clew_timed_location *location, uint64_t *set) {
  bool kept = true;
  for (uint32_t k = 0; k < location->invariant.count; k++) {
    const struct clew_timed_atom *atom = &impl->spec->atoms[location->invariant.first + k];
    kept &= visit_slot(impl, atom->i_slot, set);
    kept &= visit_slot(impl, atom->j_slot, set);
    kept &= visit_slot(impl, atom->bound_slot, set);
  }
  for (uint32_t k = 0; k < location->stops.count; k++) {
    kept &= visit_slot(impl, impl->spec->stops[location->stops.first + k].slot, set);
  }
  return kept;
}

static bool visit_slots(const struct clew_timed_impl *impl, uint64_t *set) {
  const struct clew_timed_spec *spec = impl->spec;
  bool kept = visit_slot(impl, spec->still_slot, set);
  for (uint32_t p = 0; p < spec->process_count; p++) {
    const struct clew_timed_process *process = &spec->processes[p];
    for (uint32_t k = 0; k < process->locations.count; k++) {
      kept &= visit_location(impl, &spec->locations[process->locations.first + k], set);
    }
  }
  return kept;
}

bool clew_timed_can_dwell(const struct clew_timed_impl *impl) {
  return visit_slots(impl, NULL);
}

void clew_timed_add_dwell_slots(const struct clew_timed_impl *impl, uint64_t *set) {
  bool kept = visit_slots(impl, set);
  assert(kept);
  (void)kept;
}

/* ---- labels ---- */

static void add_alternative(const struct clew_timed_impl *impl, struct clew_timed_span atoms,
                            const uint64_t *state, struct clew_clock_ends *out) {
  clew_clock_ends_begin(out);
  for (uint32_t k = 0; k < atoms.count; k++) {
    struct clew_clock_bound each = {0};
    clew_bound bound;
    if (clew_timed_resolve(impl, &impl->spec->atoms[atoms.first + k], state, &each.i, &each.j,
                           &bound)) {
      each.bound = clew_bound_constant(bound);
      each.is_strict = clew_bound_is_strict(bound);
      clew_clock_ends_add(out, each);
    }
  }
}

/* False: the query asks for deadlocks. */
static bool falsify_query(const struct clew_model *model, struct clew_timed_context *context,
                          uint32_t query, struct clew_clock_ends *out, uint32_t *site) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_span span = impl->spec->queries[query].disjuncts;
  for (uint32_t k = 0; k < span.count; k++) {
    if (impl->spec->disjuncts[span.first + k].deadlock != CLEW_TIMED_ANY) {
      return false;
    }
  }
  for (uint32_t k = 0; k < span.count && *site == CLEW_NONE; k++) {
    const struct clew_timed_disjunct *disjunct = &impl->spec->disjuncts[span.first + k];
    if (disjunct->label == CLEW_NONE ||
        (under->label(under, disjunct->label, context->state, site) && *site == CLEW_NONE)) {
      add_alternative(impl, disjunct->atoms, context->state, out);
    }
  }
  return true;
}

bool clew_timed_falsify(const struct clew_model *model, uint32_t label, const uint64_t *state,
                        struct clew_clock_ends *out, uint32_t *site) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  uint32_t query = impl->label_query[label];
  bool known = true;
  load_discrete(impl, context, state);
  if (query != CLEW_NONE) {
    known = falsify_query(model, context, query, out, site);
  } else if (!under->label(under, label, context->state, site) && *site == CLEW_NONE) {
    clew_clock_ends_begin(out);
  }
  clew_timed_give_back(impl, context);
  return known;
}

bool clew_timed_lets_delay(const struct clew_model *model, const uint64_t *state) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  load_discrete(impl, context, state);
  bool may = clew_timed_may_delay(impl, context->state);
  clew_timed_give_back(impl, context);
  return may;
}
