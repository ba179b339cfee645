/* What transitions do to zones. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "timed/timed_int.h"

/* ---- Atoms ---------------------------------------------------------------------------------- */

bool clew_timed_value(const struct clew_timed_impl *impl, uint32_t slot, const uint64_t *state,
                      int64_t *value) {
  assert(slot < impl->program->slot_count);
  *value = clew_slot_get(&impl->program->slots[slot], state);
  return *value != CLEW_UNDEFINED;
}

/* No clock is negative: below any negative number there is none, above it there are all. So a
 * number that says nothing else is no larger than the constants that zones are made for. */
static int64_t clamped(uint32_t i, uint32_t j, int64_t bound) {
  if (j == 0 && bound < -1) {
    return -1;
  }
  return i == 0 && bound > 1 ? 1 : bound;
}

/* One with slots. */
static bool resolve_slots(const struct clew_timed_impl *impl, const struct clew_timed_atom *atom,
                          const uint64_t *state, uint32_t *i, uint32_t *j, clew_bound *bound) {
  int64_t value = atom->bound, clock;
  if (atom->bound_slot != CLEW_NONE && !clew_timed_value(impl, atom->bound_slot, state, &value)) {
    return false;
  }
  assert(value >= -CLEW_BOUND_MOST && value <= CLEW_BOUND_MOST);
  *i = atom->i;
  *j = atom->j;
  if (atom->i_slot != CLEW_NONE) {
    if (!clew_timed_value(impl, atom->i_slot, state, &clock)) {
      return false;
    }
    *i = (uint32_t)clock;
  }
  if (atom->j_slot != CLEW_NONE) {
    if (!clew_timed_value(impl, atom->j_slot, state, &clock)) {
      return false;
    }
    *j = (uint32_t)clock;
  }
  assert(*i < impl->space.dim && *j < impl->space.dim);
  value = clamped(*i, *j, value);
  *bound = atom->is_strict ? clew_bound_below((int32_t)value) : clew_bound_at_most((int32_t)value);
  return true;
}

bool clew_timed_resolve(const struct clew_timed_impl *impl, const struct clew_timed_atom *atom,
                        const uint64_t *state, uint32_t *i, uint32_t *j, clew_bound *bound) {
  if ((atom->bound_slot & atom->i_slot & atom->j_slot) != CLEW_NONE) {
    return resolve_slots(impl, atom, state, i, j, bound);
  }
  *i = atom->i;
  *j = atom->j;
  *bound = 2 * (clew_bound)clamped(atom->i, atom->j, atom->bound) + (atom->is_strict ? 0 : 1);
  return true;
}

bool clew_timed_constrain(const struct clew_timed_impl *impl, struct clew_timed_span atoms,
                          const uint64_t *state, void *zone) {
  for (uint32_t k = 0; k < atoms.count; k++) {
    uint32_t i, j;
    clew_bound bound;
    if (!clew_timed_resolve(impl, &impl->spec->atoms[atoms.first + k], state, &i, &j, &bound)) {
      continue;
    }
    if (i == j) {
      if (bound < CLEW_BOUND_ZERO) {
        return false;
      }
    } else if (!clew_dbm_constrain(&impl->space, zone, i, j, bound)) {
      return false;
    }
  }
  return true;
}

struct clew_timed_span clew_timed_guard(const struct clew_timed_impl *impl, uint32_t edge) {
  assert(edge < impl->under->edge_count);
  return impl->spec->rules[impl->edge_rules[edge]];
}

bool clew_timed_may_guard(const struct clew_timed_impl *impl, uint32_t edge, const uint64_t *state,
                          const void *zone) {
  struct clew_timed_span atoms = clew_timed_guard(impl, edge);
  for (uint32_t k = 0; k < atoms.count; k++) {
    uint32_t i, j;
    clew_bound bound;
    if (clew_timed_resolve(impl, &impl->spec->atoms[atoms.first + k], state, &i, &j, &bound) &&
        !clew_dbm_may_constrain(&impl->space, zone, i, j, bound)) {
      return false;
    }
  }
  return true;
}

/* ---- Locations ------------------------------------------------------------------------------ */

static struct clew_timed_field field_of(const struct clew_timed_impl *impl, uint32_t slot) {
  const struct clew_slot *at = &impl->program->slots[slot];
  return (struct clew_timed_field){at->bit / 64, at->bit % 64, clew_bits_mask(at->width)};
}

static bool is_watched(const struct clew_timed_impl *impl,
                       const struct clew_timed_process *process) {
  for (uint32_t k = 0; k < process->locations.count; k++) {
    const struct clew_timed_location *location =
        &impl->spec->locations[process->locations.first + k];
    if (location->invariant.count + location->limits.count + location->stops.count > 0) {
      return true;
    }
  }
  return false;
}

static bool same_limits(const struct clew_timed_spec *spec, struct clew_timed_span a,
                        struct clew_timed_span b) {
  bool same = a.count == b.count;
  for (uint32_t k = 0; k < a.count && same; k++) {
    const struct clew_timed_limit *x = &spec->limits[a.first + k], *y = &spec->limits[b.first + k];
    same =
        x->clock == y->clock && x->lower == y->lower && x->upper == y->upper && x->slot == y->slot;
  }
  return same;
}

bool clew_timed_locations_differ(const struct clew_timed_spec *spec,
                                 const struct clew_timed_process *process) {
  const struct clew_timed_location *locations = spec->locations + process->locations.first;
  bool differ = false;
  for (uint32_t k = 0; k < process->locations.count && !differ; k++) {
    differ = locations[k].invariant.count + locations[k].stops.count > 0 ||
             !same_limits(spec, locations[k].limits, locations[0].limits);
  }
  return differ;
}

static bool has_fixed(const struct clew_timed_spec *spec, struct clew_timed_span limits) {
  bool has = false;
  for (uint32_t k = 0; k < limits.count; k++) {
    has = has || spec->limits[limits.first + k].slot != CLEW_NONE;
  }
  return has;
}

void clew_timed_watch(struct clew_timed_impl *impl) {
  const struct clew_timed_spec *spec = impl->spec;
  impl->watches = clew_alloc_zero((size_t)spec->process_count + 1, sizeof *impl->watches);
  for (uint32_t p = 0; p < spec->process_count; p++) {
    const struct clew_timed_process *process = &spec->processes[p];
    if (is_watched(impl, process)) {
      struct clew_timed_watch watch = {.locations = spec->locations + process->locations.first};
      for (uint32_t k = 0; k < process->locations.count; k++) {
        impl->has_fixed = impl->has_fixed || has_fixed(spec, watch.locations[k].limits);
      }
      if (process->slot != CLEW_NONE) {
        assert(!impl->program->slots[process->slot].undefinable &&
               impl->program->slots[process->slot].domain->lo == 0);
        watch.field = field_of(impl, process->slot);
      }
      impl->watches[impl->watch_count++] = watch;
    }
  }
  impl->settings = clew_alloc_zero(impl->space.dim, sizeof *impl->settings);
  for (uint32_t clock = 1; clock < spec->clock_count; clock++) {
    const struct clew_slot *slot = &impl->program->slots[spec->clocks[clock].slot];
    assert(slot->undefinable && slot->domain->lo == 0);
    (void)slot;
    impl->settings[clock] = field_of(impl, spec->clocks[clock].slot);
  }
  if (spec->still_slot != CLEW_NONE) {
    const struct clew_slot *slot = &impl->program->slots[spec->still_slot];
    impl->still = field_of(impl, spec->still_slot);
    impl->still_least = (uint64_t)(1 - slot->domain->lo) + (slot->undefinable ? 1 : 0);
  }
}

bool clew_timed_may_delay(const struct clew_timed_impl *impl, const uint64_t *state) {
  return impl->still.mask == 0 || clew_timed_field_get(&impl->still, state) < impl->still_least;
}

void clew_timed_take_limits(const struct clew_timed_impl *impl, struct clew_timed_span span,
                            struct clew_zone_limits *limits) {
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_limit *limit = &impl->spec->limits[span.first + k];
    int32_t *lower = &limits->lower[limit->clock], *upper = &limits->upper[limit->clock];
    assert(limit->clock > 0 && limit->clock < impl->space.dim);
    *lower = limit->lower > *lower ? limit->lower : *lower;
    *upper = limit->upper > *upper ? limit->upper : *upper;
  }
}

static void raise(int32_t *limit, int32_t by, int64_t value) {
  by = by == CLEW_DBM_NO_CONSTANT || by < value ? by : (int32_t)value;
  *limit = by > *limit ? by : *limit;
}

/* The same, where limits may be variables of the state. */
static void take_limits_of(const struct clew_timed_impl *impl, struct clew_timed_span span,
                           const uint64_t *state, struct clew_zone_limits *limits) {
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_limit *limit = &impl->spec->limits[span.first + k];
    int64_t value = INT32_MAX;
    assert(limit->clock > 0 && limit->clock < impl->space.dim);
    if (limit->slot != CLEW_NONE) {
      value = clew_slot_get(&impl->program->slots[limit->slot], state);
      value = value > 0 ? value : 0; /* compared with a negative number, zones still tell 0 */
    }
    raise(&limits->lower[limit->clock], limit->lower, value);
    raise(&limits->upper[limit->clock], limit->upper, value);
  }
}

void clew_timed_find_limits(const struct clew_timed_impl *impl, const uint64_t *state, bool is_m,
                            struct clew_zone_limits *limits) {
  memcpy(limits->lower, impl->common.lower, impl->space.dim * sizeof *limits->lower);
  memcpy(limits->upper, impl->common.upper, impl->space.dim * sizeof *limits->upper);
  for (uint32_t p = 0; !impl->has_fixed && p < impl->watch_count; p++) {
    clew_timed_take_limits(impl, clew_timed_location(&impl->watches[p], state)->limits, limits);
  }
  for (uint32_t p = 0; impl->has_fixed && p < impl->watch_count; p++) {
    take_limits_of(impl, clew_timed_location(&impl->watches[p], state)->limits, state, limits);
  }
  for (uint32_t i = 0; is_m && i < impl->space.dim; i++) {
    int32_t most = limits->lower[i] > limits->upper[i] ? limits->lower[i] : limits->upper[i];
    limits->lower[i] = limits->upper[i] = most;
  }
}

/* Whether the atom only says that a clock is below a constant. */
static bool is_cap(const struct clew_timed_atom *atom) {
  return atom->j == 0 && atom->i_slot == CLEW_NONE && atom->j_slot == CLEW_NONE;
}

/* Gathers the upper bounds of clocks that invariants set; true: there are other atoms, too. */
static bool find_caps(const struct clew_timed_impl *impl, const uint64_t *state, clew_bound *caps) {
  bool others = false;
  for (uint32_t i = 0; i < impl->space.dim; i++) {
    caps[i] = CLEW_BOUND_INFINITE;
  }
  if (impl->has_deadline) {
    caps[impl->space.dim - 1] = impl->deadline;
  }
  for (uint32_t p = 0; p < impl->watch_count; p++) {
    struct clew_timed_span atoms = clew_timed_location(&impl->watches[p], state)->invariant;
    for (uint32_t k = 0; k < atoms.count; k++) {
      const struct clew_timed_atom *atom = &impl->spec->atoms[atoms.first + k];
      uint32_t i, j;
      clew_bound bound;
      if (!is_cap(atom)) {
        others = true;
      } else if (clew_timed_resolve(impl, atom, state, &i, &j, &bound)) {
        caps[i] = bound < caps[i] ? bound : caps[i];
      }
    }
  }
  return others;
}

/* Invariants that are no caps, one by one. */
static bool constrain_others(const struct clew_timed_impl *impl, const uint64_t *state,
                             void *zone) {
  for (uint32_t p = 0; p < impl->watch_count; p++) {
    const struct clew_timed_location *location = clew_timed_location(&impl->watches[p], state);
    if (!clew_timed_constrain(impl, location->invariant, state, zone)) {
      return false;
    }
  }
  return true;
}

const uint64_t *clew_timed_stopped(const struct clew_timed_impl *impl,
                                   struct clew_timed_context *context, const uint64_t *state) {
  if (!impl->spec->has_stops) {
    return NULL;
  }
  bool any = false;
  memset(context->stopped, 0, CLEW_BITSET_WORDS(impl->space.dim) * sizeof(uint64_t));
  for (uint32_t p = 0; p < impl->watch_count; p++) {
    struct clew_timed_span stops = clew_timed_location(&impl->watches[p], state)->stops;
    for (uint32_t k = 0; k < stops.count; k++) {
      const struct clew_timed_stop *stop = &impl->spec->stops[stops.first + k];
      int64_t rate = 0;
      if (stop->slot == CLEW_NONE ||
          (clew_timed_value(impl, stop->slot, state, &rate) && rate == 0)) {
        clew_bitset_add(context->stopped, stop->clock);
        any = true;
      }
    }
  }
  return any ? context->stopped : NULL;
}

/* ---- Transitions ---------------------------------------------------------------------------- */

static void apply_settings(const struct clew_timed_impl *impl, const uint64_t *successor,
                           void *zone) {
  for (uint32_t clock = 1; clock < impl->space.dim; clock++) {
    int32_t value;
    if (clew_timed_setting(impl, clock, successor, &value)) {
      clew_dbm_assign(&impl->space, zone, clock, value);
    }
  }
}

bool clew_timed_enter(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                      const uint64_t *successor, void *zone) {
  context->has_others = find_caps(impl, successor, context->caps);
  apply_settings(impl, successor, zone);
  return clew_dbm_cap(&impl->space, zone, context->caps) &&
         (!context->has_others || constrain_others(impl, successor, zone));
}

void clew_timed_wait(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                     const uint64_t *successor, void *zone) {
  if (!clew_timed_may_delay(impl, successor)) {
    return;
  }
  clew_dbm_up(&impl->space, zone, clew_timed_stopped(impl, context, successor));
  bool some = clew_dbm_cap(&impl->space, zone, context->caps) &&
              (!context->has_others || constrain_others(impl, successor, zone));
  assert(some);
  (void)some;
}

void clew_timed_forget(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                       const uint64_t *successor, bool is_m, void *zone) {
  uint32_t cell = impl->cells.count > 1 ? clew_zone_cells_next(impl, zone, 0) : 0;
  clew_timed_find_limits(impl, successor, is_m, &context->limits);
  clew_dbm_extrapolate(&impl->space, zone, context->limits.lower, context->limits.upper,
                       impl->plus);
  if (impl->cells.count > 1) {
    bool some = clew_zone_cells_keep(impl, cell, zone);
    assert(some);
    (void)some;
  }
}

void clew_timed_abstract(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         const uint64_t *successor, void *zone) {
  if (impl->semantics != CLEW_ZONE_NONE) {
    clew_timed_forget(impl, context, successor, impl->semantics == CLEW_ZONE_M, zone);
  }
}
