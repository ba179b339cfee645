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
    int64_t value;
    if (clew_timed_value(impl, impl->spec->clocks[clock].slot, successor, &value)) {
      struct clew_clock_setting setting = {clock, (int32_t)value};
      clew_vec_push(&settings, setting);
    }
  }
  out->settings = settings.data;
  out->setting_count = settings.len;
}

static void describe_target(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                            const uint64_t *successor, struct clew_timed_step *out) {
  struct bounds invariant = {0};
  for (uint32_t p = 0; p < impl->spec->process_count; p++) {
    add_atoms(impl, clew_timed_location(impl, &impl->spec->processes[p], successor)->invariant,
              successor, &invariant);
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

bool clew_timed_step(const struct clew_model *model, const uint64_t *state, bool initial,
                     uint32_t edge, struct clew_timed_step *out) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  bool done = execute(model, context, state, initial, edge);
  *out = (struct clew_timed_step){0};
  if (done) {
    struct bounds guard = {0};
    if (!initial) {
      add_atoms(impl, clew_timed_guard(impl, edge), context->successor, &guard);
    }
    out->guard = guard.list.data;
    out->guard_count = guard.list.len;
    describe_settings(impl, context->successor, out);
    describe_target(impl, context, context->successor, out);
  }
  clew_timed_give_back(impl, context);
  return done;
}
