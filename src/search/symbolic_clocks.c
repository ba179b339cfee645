/* Clock values in diagrams: what transitions, labels and initial states say about clocks, as
 * actions of difference decision diagrams (dd/ddd.h).
 *
 * A transition is learnt for a short state of the discrete part, with the action that it does to
 * clock values: guard, settings, invariants of the target, delay, invariants again, extrapolation
 * by the limits there. Many short states have the same action, and an action is applied to a set of
 * values once. Deadlocks, labels and run-time errors work in the same way: an action makes, of the
 * values of a state, those that lead on, those for which the label is false, those for which the
 * error happens. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/symbolic_int.h"

const char *clew_symbolic_refuse_clocks(const struct clew_model *model) {
  if (model->timed == NULL) {
    return "--dd ddd is for timed models with zones";
  }
  if (model->timed->leap == NULL) {
    return "--dd ddd does not know comparisons of differences of clocks (use --dd ldd)";
  }
  return clew_symbolic_has_priorities(model) ? "--dd ddd does not know priorities (use --dd ldd)"
                                             : NULL;
}

bool clew_symbolic_needs_both(const struct symbolic_options *options) {
  return options->minus == MINUS_NATIVE || options->form > FORM_LOCAL;
}

/* Upper bounds make smaller diagrams, as far as they go. */
static enum clew_ddd_semantics semantics_of(const struct symbolic_options *options) {
  bool is_both = options->semantics == SEMANTICS_BOTH || clew_symbolic_needs_both(options);
  assert(options->semantics != SEMANTICS_UPPER || !is_both);
  return is_both ? CLEW_DDD_BOTH : CLEW_DDD_UPPER;
}

bool clew_symbolic_open_clocks(struct symbolic *s) {
  const struct clew_timed *timed = s->run.model->timed;
  static const enum clew_ddd_minus minus[] = {CLEW_DDD_WHOLE, CLEW_DDD_WHOLE, CLEW_DDD_NATIVE,
                                              CLEW_DDD_FEDERATION};
  static const enum clew_ddd_form forms[] = {CLEW_DDD_LOCAL, CLEW_DDD_LOCAL, CLEW_DDD_REDUCED,
                                             CLEW_DDD_CANONICAL};
  s->clocks = clew_ddd_open(
      s->dd, &(struct clew_ddd_config){.dim = timed->clock_count,
                                       .largest = timed->largest,
                                       .semantics = semantics_of(s->options),
                                       .is_closed = s->options->bounds == BOUNDS_CLOSED,
                                       .minus = minus[s->options->minus],
                                       .form = forms[s->options->form]});
  s->leap.lower = clew_alloc_zero(2 * (size_t)timed->clock_count, sizeof *s->leap.lower);
  s->leap.upper = s->leap.lower + timed->clock_count;
  return s->clocks != NULL;
}

void clew_symbolic_close_clocks(struct symbolic *s) {
  clew_free(s->leap.lower);
  clew_vec_free(&s->steps);
  for (uint32_t i = 0; i < s->found.len; i++) {
    clew_free(s->found.data[i].state);
    clew_free(s->found.data[i].edges);
  }
  clew_vec_free(&s->found);
}

/* ---- steps of actions ---- */

static int32_t raw_bound(const struct clew_clock_bound *bound) {
  return bound->is_strict ? clew_bound_below(bound->bound) : clew_bound_at_most(bound->bound);
}

static void add_step(struct symbolic *s, struct clew_ddd_step step) {
  clew_vec_push(&s->steps, step);
}

static void add_bounds(struct symbolic *s, const struct clew_clock_bound *bounds, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    add_step(s, (struct clew_ddd_step){CLEW_DDD_CONSTRAIN, bounds[k].i, bounds[k].j,
                                       raw_bound(&bounds[k]), 0});
  }
}

static uint32_t take_action(struct symbolic *s) {
  uint32_t action = clew_ddd_action(s->clocks, s->steps.data, s->steps.len);
  clew_vec_clear(&s->steps);
  return action;
}

static void add_delay(struct symbolic *s, const struct clew_timed_step *step) {
  uint32_t clocks = s->run.model->timed->clock_count;
  for (uint32_t i = 1; step->stopped != NULL && i < clocks; i++) {
    if (clew_bitset_has(step->stopped, i)) {
      add_step(s, (struct clew_ddd_step){.kind = CLEW_DDD_STOP, .i = i});
    }
  }
  add_step(s, (struct clew_ddd_step){.kind = CLEW_DDD_UP});
  add_bounds(s, step->invariant, step->invariant_count);
}

static void add_extrapolation(struct symbolic *s) {
  const struct clew_timed *timed = s->run.model->timed;
  if (!timed->extrapolates) {
    return;
  }
  for (uint32_t i = 1; i < timed->clock_count; i++) {
    if (s->leap.lower[i] != INT32_MIN || s->leap.upper[i] != INT32_MIN) {
      add_step(s, (struct clew_ddd_step){CLEW_DDD_LIMIT, i, 0, s->leap.lower[i], s->leap.upper[i]});
    }
  }
  add_step(s, (struct clew_ddd_step){.kind = CLEW_DDD_EXTRAPOLATE});
}

static void add_dwell(struct symbolic *s) {
  const struct clew_timed_step *step = &s->leap.step;
  add_bounds(s, step->invariant, step->invariant_count);
  if (step->may_delay) {
    add_delay(s, step);
  }
  add_extrapolation(s);
}

static uint32_t transition_action(struct symbolic *s) {
  const struct clew_timed_step *step = &s->leap.step;
  add_bounds(s, step->guard, step->guard_count);
  for (uint32_t k = 0; k < step->setting_count; k++) {
    add_step(s, (struct clew_ddd_step){CLEW_DDD_ASSIGN, step->settings[k].clock, 0,
                                       step->settings[k].value, 0});
  }
  if (!s->is_split) {
    add_dwell(s);
  }
  return take_action(s);
}

uint32_t clew_symbolic_dwell(struct symbolic *s) {
  s->run.model->timed->dwell(s->run.model, s->state, &s->leap);
  add_dwell(s);
  clew_timed_step_close(&s->leap.step);
  return take_action(s);
}

/* ---- what leads on ---- */

static bool setting_of(const struct clew_timed_step *step, uint32_t clock, int32_t *value) {
  *value = 0;
  for (uint32_t k = 0; k < step->setting_count; k++) {
    if (step->settings[k].clock == clock) {
      *value = step->settings[k].value;
      return true;
    }
  }
  return clock == 0;
}

/* A bound that holds after the settings, as one that holds before them. */
static void add_bound_before(struct symbolic *s, const struct clew_clock_bound *bound) {
  int32_t set_i, set_j, raw = raw_bound(bound);
  bool known_i = setting_of(&s->leap.step, bound->i, &set_i);
  bool known_j = setting_of(&s->leap.step, bound->j, &set_j);
  raw -= 2 * (known_i ? set_i : 0) - 2 * (known_j ? set_j : 0);
  add_step(s, (struct clew_ddd_step){CLEW_DDD_CONSTRAIN, known_i ? 0 : bound->i,
                                     known_j ? 0 : bound->j, raw, 0});
}

static uint32_t escape_action(struct symbolic *s) {
  const struct clew_timed_step *step = &s->leap.step;
  add_bounds(s, step->guard, step->guard_count);
  for (uint32_t k = 0; k < step->invariant_count; k++) {
    add_bound_before(s, &step->invariant[k]);
  }
  if (s->run.model->timed->may_delay(s->run.model, s->state)) {
    add_step(s, (struct clew_ddd_step){.kind = CLEW_DDD_DOWN});
  }
  return take_action(s);
}

static uint32_t fault_action(struct symbolic *s, bool with_delay) {
  add_bounds(s, s->leap.step.guard, s->leap.step.guard_count);
  if (with_delay && s->run.model->timed->may_delay(s->run.model, s->state)) {
    add_step(s, (struct clew_ddd_step){.kind = CLEW_DDD_DOWN});
  }
  return take_action(s);
}

bool clew_symbolic_leap(struct symbolic *s, uint32_t edge, uint32_t *action, uint32_t *escape) {
  const struct clew_model *model = s->run.model;
  s->leap.successor = s->successor;
  bool done = model->timed->leap(model, s->state, edge, &s->leap);
  if (done) {
    *action = transition_action(s);
    *escape = s->wants_deadlocks ? escape_action(s) : 0;
  } else if (s->leap.site != CLEW_NONE) {
    *action = fault_action(s, false);
    *escape = fault_action(s, true);
  }
  clew_timed_step_close(&s->leap.step);
  return done;
}

/* ---- states and labels ---- */

clew_ddd clew_symbolic_clocks_of(struct symbolic *s, const uint64_t *state) {
  const struct clew_model *model = s->run.model;
  const struct clew_timed *timed = model->timed;
  for (uint32_t i = 0; i < timed->clock_count; i++) {
    for (uint32_t j = 0; j < timed->clock_count; j++) {
      int32_t bound = i != j ? timed->bound(model, state, i, j) : INT32_MAX;
      if (bound != INT32_MAX) {
        add_step(s, (struct clew_ddd_step){CLEW_DDD_CONSTRAIN, i, j, bound, 0});
      }
    }
  }
  return clew_ddd_act(s->clocks, CLEW_DDD_TRUE, take_action(s));
}

static bool falsify(struct symbolic *s, uint32_t label, struct clew_clock_ends *ends,
                    uint32_t *site) {
  const struct clew_model *model = s->run.model;
  return model->timed->falsify(model, label, s->state, ends, site);
}

bool clew_symbolic_can_falsify(struct symbolic *s, uint32_t label) {
  struct clew_clock_ends ends = {0};
  uint32_t site = CLEW_NONE;
  memcpy(s->state, s->filler, s->run.model->words * sizeof *s->state);
  bool can = falsify(s, label, &ends, &site);
  clew_clock_ends_close(&ends);
  return can;
}

void clew_symbolic_falsify(struct symbolic *s, uint32_t label, struct symbolic_actions *actions,
                           uint32_t *site) {
  struct clew_clock_ends ends = {0};
  (void)falsify(s, label, &ends, site);
  for (uint32_t k = 0; k < ends.count; k++) {
    add_bounds(s, ends.bounds + ends.from[k], ends.from[k + 1] - ends.from[k]);
    clew_vec_push(&actions->list, take_action(s));
  }
  clew_clock_ends_close(&ends);
}
