/* One transition as data: what it says about clocks, for those who put times to a path. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/vec.h"
#include "timed/timed_int.h"

struct bounds {
  CLEW_VEC(struct clew_clock_bound) list;
};

static void add_atoms(const struct clew_timed_impl *impl, struct clew_timed_span atoms,
                      const uint64_t *state, struct bounds *out) {
  for (uint32_t k = 0; k < atoms.count; k++) {
    struct clew_clock_bound each = {0};
    clew_bound bound;
    if (clew_timed_resolve(impl, &impl->spec->atoms[atoms.first + k], state, &each.i, &each.j,
                           &bound)) {
      each.bound = clew_bound_constant(bound);
      each.is_strict = clew_bound_is_strict(bound);
      clew_vec_push(&out->list, each);
    }
  }
}

static void describe_settings(const struct clew_timed_impl *impl, const uint64_t *successor,
                              struct clew_timed_step *out) {
  CLEW_VEC(struct clew_clock_setting) settings = {0};
  for (uint32_t clock = 1; clock < impl->space.dim; clock++) {
    int32_t value;
    if (clew_timed_setting(impl, clock, successor, &value)) {
      struct clew_clock_setting setting = {clock, value};
      clew_vec_push(&settings, setting);
    }
  }
  out->settings = settings.data;
  out->setting_count = settings.len;
}

static void describe_target(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                            const uint64_t *successor, struct clew_timed_step *out) {
  struct bounds invariant = {0};
  for (uint32_t p = 0; p < impl->watch_count; p++) {
    add_atoms(impl, clew_timed_location(&impl->watches[p], successor)->invariant, successor,
              &invariant);
  }
  out->invariant = invariant.list.data;
  out->invariant_count = invariant.list.len;
  out->may_delay = clew_timed_may_delay(impl, successor);
  const uint64_t *stopped = clew_timed_stopped(impl, context, successor);
  if (stopped != NULL) {
    size_t words = CLEW_BITSET_WORDS(impl->space.dim);
    out->stopped = clew_alloc_zero(words, sizeof *stopped);
    memcpy(out->stopped, stopped, words * sizeof *stopped);
  }
}

/* Makes context->successor, with its signals. */
static bool execute(const struct clew_model *model, struct clew_timed_context *context,
                    const uint64_t *state, bool initial, uint32_t edge) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_model *under = clew_timed_under(model);
  if (initial) {
    return clew_model_start(under, edge, context->successor);
  }
  uint32_t site = CLEW_NONE;
  memcpy(context->state, state, impl->discrete_words * sizeof *state);
  return under->fire(under, context->state, edge, context->successor, &site);
}

void clew_timed_describe_fault(const struct clew_model *model, struct clew_timed_context *context,
                               uint32_t edge, struct clew_timed_step *out) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const uint64_t *signals = clew_timed_guard_signals(impl, context, edge);
  struct bounds guard = {0};
  if (signals != NULL) {
    add_atoms(impl, clew_timed_guard(impl, edge), signals, &guard);
  }
  *out = (struct clew_timed_step){.guard = guard.list.data, .guard_count = guard.list.len};
}

void clew_timed_describe(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         uint32_t edge, const uint64_t *successor, struct clew_timed_step *out) {
  struct bounds guard = {0};
  if (edge != CLEW_NONE) {
    add_atoms(impl, clew_timed_guard(impl, edge), successor, &guard);
  }
  *out = (struct clew_timed_step){.guard = guard.list.data, .guard_count = guard.list.len};
  describe_settings(impl, successor, out);
  describe_target(impl, context, successor, out);
}

bool clew_timed_step(const struct clew_model *model, const uint64_t *state, bool initial,
                     uint32_t edge, struct clew_timed_step *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  edge = initial ? edge : clew_timed_edge_below(impl, edge);
  struct clew_timed_context *context = clew_timed_take(impl);
  bool done = execute(model, context, state, initial, edge);
  *out = (struct clew_timed_step){0};
  if (done) {
    clew_timed_describe(impl, context, initial ? CLEW_NONE : edge, context->successor, out);
  } else if (!initial) {
    clew_timed_describe_fault(model, context, edge, out);
  }
  clew_timed_give_back(impl, context);
  return done;
}

/* ---- Ends ----------------------------------------------------------------------------------- */

void clew_timed_add_zone(const struct clew_timed_impl *impl, const void *zone,
                         struct clew_clock_ends *out) {
  for (uint32_t i = 0; i < impl->space.dim; i++) {
    for (uint32_t j = 0; j < impl->space.dim; j++) {
      clew_bound bound = clew_dbm_get(&impl->space, zone, i, j);
      if (i != j && bound != CLEW_BOUND_INFINITE) {
        struct clew_clock_bound each = {i, j, clew_bound_constant(bound),
                                        clew_bound_is_strict(bound)};
        clew_clock_ends_add(out, each);
      }
    }
  }
}

static void add_deadlocks(const struct clew_model *model, struct clew_timed_context *context,
                          struct clew_clock_ends *out) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  clew_timed_expand(model, context);
  clew_timed_find_deadlock(impl, model, context, context->zone);
  for (uint32_t i = 0; i < context->dead.count; i++) {
    clew_clock_ends_begin(out);
    clew_timed_add_zone(impl, clew_fed_zone(&context->dead, i), out);
  }
}

void clew_timed_ends(const struct clew_model *model, uint32_t property, const uint64_t *state,
                     struct clew_clock_ends *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_property *asked = &model->properties[property];
  struct clew_timed_context *context = clew_timed_take(impl);
  clew_timed_load(impl, context, state);
  if (asked->kind == CLEW_PROPERTY_DEADLOCK) {
    add_deadlocks(model, context, out);
  } else if (asked->kind == CLEW_PROPERTY_INVARIANT &&
             impl->label_query[asked->label] != CLEW_NONE) {
    struct clew_timed_span span = impl->spec->queries[impl->label_query[asked->label]].disjuncts;
    for (uint32_t k = 0; k < span.count; k++) {
      const struct clew_timed_disjunct *disjunct = &impl->spec->disjuncts[span.first + k];
      uint32_t site = CLEW_NONE;
      const struct clew_fed *parts = clew_timed_find_parts(model, context, disjunct, &site);
      for (uint32_t i = 0; parts != NULL && i < parts->count; i++) {
        clew_clock_ends_begin(out);
        clew_timed_add_zone(impl, clew_fed_zone(parts, i), out);
      }
    }
  }
  clew_timed_give_back(impl, context);
}

/* ---- Limits --------------------------------------------------------------------------------- */

/* "P" of "P.loc" is what people know a process by. */
static uint32_t add_limits(const struct clew_timed_impl *impl, struct clew_timed_span span,
                           const char *process, const char *location, uint32_t count,
                           struct clew_clock_limit *out) {
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_limit *limit = &impl->spec->limits[span.first + k];
    if (out != NULL) {
      out[count] =
          (struct clew_clock_limit){process, location, limit->clock, limit->lower, limit->upper};
    }
    count++;
  }
  return count;
}

uint32_t clew_timed_limits(const struct clew_model *model, struct clew_clock_limit *out) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  const struct clew_timed_spec *spec = impl->spec;
  uint32_t count = add_limits(impl, spec->query_limits, NULL, NULL, 0, out);
  for (uint32_t p = 0; p < spec->process_count; p++) {
    const struct clew_timed_process *process = &spec->processes[p];
    const struct clew_slot *slot =
        process->slot != CLEW_NONE ? &impl->program->slots[process->slot] : NULL;
    for (uint32_t k = 0; k < process->locations.count; k++) {
      const char *location =
          slot != NULL && slot->domain->names != NULL ? slot->domain->names[k] : NULL;
      count = add_limits(impl, spec->locations[process->locations.first + k].limits,
                         slot != NULL ? slot->name : "", location, count, out);
    }
  }
  return count;
}
