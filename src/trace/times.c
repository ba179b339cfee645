/* Difference constraints over the moments of a trace, and their least solution. */
#include "trace/times.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/vec.h"
#include "model/timed.h"
#include "trace/linear.h"

/* A number and how many infinitesimals less. */
struct distance {
  int64_t whole, strict;
};

/* t_a - t_b is at most (or, if strict, less than) the bound. */
struct constraint {
  uint32_t a, b;
  int64_t bound;
  bool is_strict;
};

struct system {
  CLEW_VEC(struct constraint) constraints;
  uint32_t moments;
  uint32_t *set_at; /* by clock: the moment when it was last set */
  int64_t *set_to;
};

/* ---- The constraints ------------------------------------------------------------------------ */

static void add(struct system *system, uint32_t a, uint32_t b, int64_t bound, bool is_strict) {
  struct constraint constraint = {a, b, bound, is_strict};
  clew_vec_push(&system->constraints, constraint);
}

/* The bound holds for the clocks as they are at `moment`. */
static void add_bound(struct system *system, const struct clew_clock_bound *bound,
                      uint32_t moment) {
  /* Clock 0 is as if it were set to 0 at every moment. */
  uint32_t at_i = bound->i == 0 ? moment : system->set_at[bound->i],
           at_j = bound->j == 0 ? moment : system->set_at[bound->j];
  int64_t to_i = bound->i == 0 ? 0 : system->set_to[bound->i],
          to_j = bound->j == 0 ? 0 : system->set_to[bound->j];
  /* (t - t_i + to_i) - (t - t_j + to_j) */
  add(system, at_j, at_i, bound->bound - to_i + to_j, bound->is_strict);
}

static void add_bounds(struct system *system, const struct clew_clock_bound *bounds, uint32_t count,
                       uint32_t moment) {
  for (uint32_t i = 0; i < count; i++) {
    add_bound(system, &bounds[i], moment);
  }
}

/* The step that happens at `moment`: its guard, its settings, the state that it leads to, and the
 * next moment. */
static void add_step(struct system *system, const struct clew_timed_step *step, uint32_t moment) {
  add_bounds(system, step->guard, step->guard_count, moment);
  for (uint32_t i = 0; i < step->setting_count; i++) {
    system->set_at[step->settings[i].clock] = moment;
    system->set_to[step->settings[i].clock] = step->settings[i].value;
  }
  add_bounds(system, step->invariant, step->invariant_count, moment);
  add(system, moment, moment + 1, 0, false);
  if (step->may_delay) {
    add_bounds(system, step->invariant, step->invariant_count, moment + 1);
  } else {
    add(system, moment + 1, moment, 0, false);
  }
}

/* What step `i` of the trace says about clocks; the first one is the start. */
static bool get_step(const struct clew_model *model, const struct clew_trace *trace,
                     const uint64_t *states, uint32_t i, struct clew_timed_step *step) {
  const uint64_t *before = i == 0 ? NULL : states + (size_t)(i - 1) * model->words;
  uint32_t edge = i == 0 ? trace->initial : trace->edges[i - 1];
  return model->timed->step(model, before, i == 0, edge, step);
}

/* ---- Runs that stay ------------------------------------------------------------------------- */

/* For each state in which a run stays, alternatives of what clocks do there: constraints from[k] to
 * from[k + 1] - 1 of the list. */
struct choice {
  uint32_t first, count; /* of alternatives */
};

struct stay {
  struct system *system;
  CLEW_VEC(struct constraint) list;
  CLEW_VEC(uint32_t) from;
  CLEW_VEC(struct choice) choices;
  uint32_t attempts;
};

/* The alternatives of a state, which the run enters at one moment and leaves at another. */
static void add_choice(struct stay *stay, const struct clew_clock_ends *entries,
                       const struct clew_clock_ends *exits, uint32_t in, uint32_t out) {
  struct system *system = stay->system;
  struct choice choice = {stay->from.len, entries->count};
  uint32_t before = system->constraints.len;
  for (uint32_t k = 0; k < entries->count; k++) {
    add_bounds(system, entries->bounds + entries->from[k], entries->from[k + 1] - entries->from[k],
               in);
    add_bounds(system, exits->bounds + exits->from[k], exits->from[k + 1] - exits->from[k], out);
    clew_vec_push(&stay->from, stay->list.len);
    for (uint32_t i = before; i < system->constraints.len; i++) {
      clew_vec_push(&stay->list, system->constraints.data[i]);
    }
    system->constraints.len = before;
  }
  clew_vec_push(&stay->from, stay->list.len);
  clew_vec_push(&stay->choices, choice);
}

/* State `i` of the trace, right after the constraints of its step were added. */
static void add_stay(struct stay *stay, const struct clew_model *model,
                     const struct clew_trace *trace, const uint64_t *states, uint32_t i) {
  struct system *system = stay->system;
  if (!clew_trace_is_run(model, trace) || trace->site != CLEW_NONE || i < trace->stay_from) {
    return;
  }
  const struct clew_property *property = &model->properties[trace->property];
  bool is_first = i == trace->stay_from && property->from_label != CLEW_NONE;
  uint32_t in = is_first ? trace->edge_count + 2 : i;
  struct clew_clock_ends entries = {0}, exits = {0};
  model->timed->stays(model, trace->property, states + (size_t)i * model->words, is_first, &entries,
                      &exits);
  if (is_first) { /* it may begin to stay at any moment between */
    add(system, i, in, 0, false);
    add(system, in, i + 1, 0, false);
  }
  if (entries.count > 0) {
    add_choice(stay, &entries, &exits, in, i + 1);
  }
  clew_clock_ends_close(&entries);
  clew_clock_ends_close(&exits);
}

/* ---- All steps ------------------------------------------------------------------------------ */

/* Everything but the end; false: a step says nothing, or (*stops) a clock stands still. */
static bool add_steps(struct system *system, struct stay *stay, const struct clew_model *model,
                      const struct clew_trace *trace, const uint64_t *states, bool *stops) {
  bool fine = true;
  for (uint32_t i = 0; i <= trace->edge_count && fine; i++) {
    struct clew_timed_step step;
    fine = get_step(model, trace, states, i, &step);
    *stops = *stops || (fine && step.stopped != NULL);
    fine = fine && step.stopped == NULL;
    if (fine) {
      add_step(system, &step, i);
      add_stay(stay, model, trace, states, i);
    }
    clew_timed_step_close(&step);
  }
  return fine;
}

/* The guard of the transition that ends in a run-time error. */
static void add_fault(struct system *system, const struct clew_model *model,
                      const struct clew_trace *trace, const uint64_t *last) {
  struct clew_timed_step step;
  (void)model->timed->step(model, last, false, trace->fault_edge, &step);
  add_bounds(system, step.guard, step.guard_count, trace->edge_count + 1);
  clew_timed_step_close(&step);
}

/* ---- The solution --------------------------------------------------------------------------- */

static bool is_less(struct distance a, struct distance b) {
  return a.whole < b.whole || (a.whole == b.whole && a.strict > b.strict);
}

static struct distance extended(struct distance from, const struct constraint *by) {
  return (struct distance){from.whole + by->bound, from.strict + (by->is_strict ? 1 : 0)};
}

/* One round over all constraints; whether something got shorter. `back`: distances to the start
 * instead of from there. */
static bool relax(const struct system *system, struct distance *distances, bool back) {
  bool changed = false;
  for (uint32_t i = 0; i < system->constraints.len; i++) {
    const struct constraint *each = &system->constraints.data[i];
    uint32_t from = back ? each->b : each->a, to = back ? each->a : each->b;
    struct distance other = extended(distances[from], each);
    if (distances[from].whole != INT64_MAX && is_less(other, distances[to])) {
      distances[to] = other;
      changed = true;
    }
  }
  return changed;
}

/* The tightest bounds of t_start - t_i (back: of t_i - t_start) that the constraints imply. */
static enum clew_times_status solve(const struct system *system, uint32_t start, bool back,
                                    struct distance *distances) {
  const uint64_t most_work = 2000 * 1000 * 1000;
  uint64_t work = 0;
  for (uint32_t i = 0; i < system->moments; i++) {
    distances[i] = (struct distance){i == start ? 0 : INT64_MAX, 0};
  }
  for (uint32_t round = 0; relax(system, distances, back); round++) {
    work += system->constraints.len;
    if (round > system->moments || distances[start].whole < 0 || distances[start].strict > 0) {
      return CLEW_TIMES_IMPOSSIBLE; /* a cycle that demands less than nothing */
    }
    if (work > most_work) {
      return CLEW_TIMES_UNKNOWN;
    }
  }
  return CLEW_TIMES_FOUND;
}

/* One unit of the denominator makes up for a strict bound; all of them together stay below 1. */
static int64_t scale_for(const struct distance *distances, uint32_t count) {
  int64_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    most = distances[i].strict > most ? distances[i].strict : most;
  }
  if (most <= 1) {
    return most + 1;
  }
  int64_t scale = 10;
  while (scale <= most) {
    scale *= 10;
  }
  return scale;
}

/* Whether the moments satisfy all constraints. */
static bool fits(const struct system *system, const struct clew_times *times) {
  for (uint32_t i = 0; i < system->constraints.len; i++) {
    const struct constraint *each = &system->constraints.data[i];
    int64_t difference = times->values[each->a] - times->values[each->b];
    int64_t most = each->bound * times->scale;
    if (difference > most || (difference == most && each->is_strict)) {
      return false;
    }
  }
  return true;
}

static enum clew_times_status find_earliest(const struct system *system, struct clew_times *times) {
  assert(times->count <= system->moments);
  struct distance *distances = clew_alloc_zero(system->moments, sizeof *distances);
  enum clew_times_status status = solve(system, 0, false, distances);
  if (status == CLEW_TIMES_FOUND) {
    times->scale = scale_for(distances, system->moments);
    for (uint32_t i = 0; i < system->moments; i++) {
      times->values[i] = -distances[i].whole * times->scale + distances[i].strict;
    }
    assert(fits(system, times));
  }
  clew_free(distances);
  return status;
}

/* The latest moments with which the end is as early as it is now. Where strict bounds matter, the
 * earliest ones stay: the end may lie anywhere behind them. */
static void delay_moments(struct system *system, struct clew_times *times) {
  uint32_t last = times->count - 1;
  if (times->scale > 1) {
    return;
  }
  add(system, last, 0, times->values[last], false);
  struct distance *distances = clew_alloc_zero(system->moments, sizeof *distances);
  struct clew_times later = {.count = times->count, .scale = 1};
  later.values = clew_alloc_zero(system->moments, sizeof *later.values);
  bool found = solve(system, 0, true, distances) == CLEW_TIMES_FOUND;
  for (uint32_t i = 0; i < system->moments; i++) {
    later.values[i] = distances[i].whole;
    found = found && distances[i].strict == 0;
  }
  if (found && fits(system, &later)) {
    memcpy(times->values, later.values, times->count * sizeof *times->values);
  }
  clew_free(later.values);
  clew_free(distances);
}

/* Makes the choices from number `n` on, so that the whole has a solution. */
static enum clew_times_status choose(struct stay *stay, uint32_t n, struct clew_times *times) {
  enum { MOST_ATTEMPTS = 2000 };
  struct system *system = stay->system;
  if (n == stay->choices.len) {
    return find_earliest(system, times);
  }
  struct choice choice = stay->choices.data[n];
  enum clew_times_status status = CLEW_TIMES_IMPOSSIBLE;
  uint32_t before = system->constraints.len;
  for (uint32_t k = 0; k < choice.count && status == CLEW_TIMES_IMPOSSIBLE; k++) {
    uint32_t at = choice.first + k;
    if (++stay->attempts > MOST_ATTEMPTS) {
      return CLEW_TIMES_UNKNOWN;
    }
    system->constraints.len = before;
    for (uint32_t i = stay->from.data[at]; i < stay->from.data[at + 1]; i++) {
      clew_vec_push(&system->constraints, stay->list.data[i]);
    }
    status = find_earliest(system, times); /* what cannot be any more need not be tried */
    if (status == CLEW_TIMES_FOUND) {
      status = choose(stay, n + 1, times);
    }
  }
  return status;
}

/* ---- Clocks that stand still ---------------------------------------------------------------- */

/* Each clock as a sum of delays: delay i lies between moments i and i + 1. */
struct delays {
  struct clew_linear system;
  uint32_t clocks, count; /* of delays */
  int64_t *sums;          /* by clock: 0 or 1 for each delay */
  int64_t *constants;
  int64_t *row; /* room for one inequality */
};

static void add_delay_bounds(struct delays *d, const struct clew_clock_bound *bounds,
                             uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    const int64_t *i = d->sums + (size_t)bounds[k].i * d->count,
                  *j = d->sums + (size_t)bounds[k].j * d->count;
    for (uint32_t n = 0; n < d->count; n++) {
      d->row[n] = i[n] - j[n];
    }
    clew_linear_add(&d->system, d->row,
                    bounds[k].bound - d->constants[bounds[k].i] + d->constants[bounds[k].j],
                    bounds[k].is_strict);
  }
}

static void add_delay_step(struct delays *d, const struct clew_timed_step *step, uint32_t moment) {
  add_delay_bounds(d, step->guard, step->guard_count);
  for (uint32_t i = 0; i < step->setting_count; i++) {
    uint32_t clock = step->settings[i].clock;
    memset(d->sums + (size_t)clock * d->count, 0, d->count * sizeof *d->sums);
    d->constants[clock] = step->settings[i].value;
  }
  add_delay_bounds(d, step->invariant, step->invariant_count);
  for (uint32_t clock = 1; clock < d->clocks; clock++) {
    bool stands = step->stopped != NULL && clew_bitset_has(step->stopped, clock);
    d->sums[(size_t)clock * d->count + moment] = stands ? 0 : 1;
  }
  if (step->may_delay) {
    add_delay_bounds(d, step->invariant, step->invariant_count);
  } else {
    memset(d->row, 0, d->count * sizeof *d->row);
    d->row[moment] = 1;
    clew_linear_add(&d->system, d->row, 0, false);
  }
}

/* From the delays to the moments. */
static enum clew_times_status solve_delays(struct delays *d, struct clew_times *times) {
  int64_t *values = clew_alloc_zero(d->count, sizeof *values);
  enum clew_linear_status status = clew_linear_solve(&d->system, values, &times->scale);
  for (uint32_t i = 0; status == CLEW_LINEAR_FOUND && i < d->count; i++) {
    times->values[i + 1] = times->values[i] + values[i];
  }
  clew_free(values);
  return status == CLEW_LINEAR_FOUND  ? CLEW_TIMES_FOUND
         : status == CLEW_LINEAR_NONE ? CLEW_TIMES_IMPOSSIBLE
                                      : CLEW_TIMES_UNKNOWN;
}

static enum clew_times_status find_delays_to_end(struct delays *d, const struct clew_model *model,
                                                 const struct clew_trace *trace,
                                                 const uint64_t *last, struct clew_times *times) {
  struct clew_clock_ends ends = {0};
  uint32_t steps = d->system.bounds.len;
  if (trace->fault_edge != CLEW_NONE) {
    struct clew_timed_step step;
    (void)model->timed->step(model, last, false, trace->fault_edge, &step);
    add_delay_bounds(d, step.guard, step.guard_count);
    clew_timed_step_close(&step);
  } else if (trace->site == CLEW_NONE && trace->property != CLEW_NONE) {
    model->timed->ends(model, trace->property, last, &ends);
  }
  enum clew_times_status status = ends.count == 0 ? solve_delays(d, times) : CLEW_TIMES_IMPOSSIBLE;
  for (uint32_t k = 0; k < ends.count && status == CLEW_TIMES_IMPOSSIBLE; k++) {
    clew_linear_cut(&d->system, steps);
    add_delay_bounds(d, ends.bounds + ends.from[k], ends.from[k + 1] - ends.from[k]);
    status = solve_delays(d, times);
  }
  clew_clock_ends_close(&ends);
  return status;
}

static enum clew_times_status find_by_delays(const struct clew_model *model,
                                             const struct clew_trace *trace, const uint64_t *states,
                                             struct clew_times *times) {
  enum { MOST_DELAYS = 400 };
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  struct delays d = {.clocks = model->timed->clock_count, .count = trace->edge_count + 1};
  if (d.count > MOST_DELAYS) {
    return CLEW_TIMES_UNKNOWN;
  }
  clew_linear_open(&d.system, d.count);
  d.sums = clew_alloc_zero((size_t)d.clocks * d.count, sizeof *d.sums);
  d.constants = clew_alloc_zero(d.clocks, sizeof *d.constants);
  d.row = clew_alloc_zero(d.count, sizeof *d.row);
  bool fine = true;
  for (uint32_t i = 0; i <= trace->edge_count && fine; i++) {
    struct clew_timed_step step;
    fine = get_step(model, trace, states, i, &step);
    if (fine) {
      add_delay_step(&d, &step, i);
    }
    clew_timed_step_close(&step);
  }
  enum clew_times_status status =
      fine ? find_delays_to_end(&d, model, trace, last, times) : CLEW_TIMES_UNKNOWN;
  clew_linear_close(&d.system);
  clew_free(d.sums);
  clew_free(d.constants);
  clew_free(d.row);
  return status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* The first alternative of the end that can come true. */
static enum clew_times_status find_end(struct system *system, struct stay *stay,
                                       const struct clew_model *model,
                                       const struct clew_trace *trace, const uint64_t *last,
                                       struct clew_times *times) {
  struct clew_clock_ends ends = {0};
  uint32_t steps = system->constraints.len;
  if (trace->site == CLEW_NONE && trace->property != CLEW_NONE) {
    model->timed->ends(model, trace->property, last, &ends);
  }
  if (ends.count == 0) {
    return choose(stay, 0, times);
  }
  enum clew_times_status status = CLEW_TIMES_IMPOSSIBLE;
  for (uint32_t k = 0; k < ends.count && status == CLEW_TIMES_IMPOSSIBLE; k++) {
    system->constraints.len = steps;
    add_bounds(system, ends.bounds + ends.from[k], ends.from[k + 1] - ends.from[k],
               trace->edge_count + 1);
    status = find_earliest(system, times);
  }
  clew_clock_ends_close(&ends);
  return status;
}

enum clew_times_status clew_times_find(const struct clew_model *model,
                                       const struct clew_trace *trace, const uint64_t *states,
                                       bool latest, struct clew_times *times) {
  enum { MOST_STEPS = 1 << 20 };
  *times = (struct clew_times){0};
  if (model->timed == NULL) {
    return CLEW_TIMES_NONE;
  }
  if (trace->edge_count > MOST_STEPS || trace->initial == CLEW_NONE) {
    return CLEW_TIMES_UNKNOWN;
  }
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  uint32_t clocks = model->timed->clock_count;
  /* One more: when a run begins to stay. */
  struct system system = {.moments = trace->edge_count + 3};
  struct stay stay = {.system = &system};
  system.set_at = clew_alloc_zero(clocks, sizeof *system.set_at);
  system.set_to = clew_alloc_zero(clocks, sizeof *system.set_to);
  add(&system, 0, system.moments - 1, 0, false);
  add(&system, system.moments - 1, trace->edge_count + 1, 0, false);
  times->count = trace->edge_count + 2;
  times->values = clew_alloc_zero(system.moments, sizeof *times->values);
  enum clew_times_status status = CLEW_TIMES_UNKNOWN;
  bool stops = false;
  bool fine = add_steps(&system, &stay, model, trace, states, &stops);
  if (stops) {
    status = find_by_delays(model, trace, states, times);
  } else if (fine) {
    if (trace->fault_edge != CLEW_NONE) {
      add_fault(&system, model, trace, last);
    }
    status = find_end(&system, &stay, model, trace, last, times);
    if (latest && status == CLEW_TIMES_FOUND) {
      delay_moments(&system, times);
    }
  }
  clew_vec_free(&system.constraints);
  clew_vec_free(&stay.list);
  clew_vec_free(&stay.from);
  clew_vec_free(&stay.choices);
  clew_free(system.set_at);
  clew_free(system.set_to);
  if (status != CLEW_TIMES_FOUND) {
    clew_times_free(times);
  }
  return status;
}

void clew_times_free(struct clew_times *times) {
  clew_free(times->values);
  *times = (struct clew_times){0};
}

/* Whether rest / scale has few decimal places. */
static bool is_decimal(int64_t scale, int64_t rest) {
  enum { MOST_PLACES = 12 };
  for (int i = 0; i < MOST_PLACES && rest != 0; i++) {
    rest = rest * 10 % scale;
  }
  return rest == 0;
}

void clew_time_print(const struct clew_times *times, uint32_t moment, struct clew_text *out) {
  assert(moment < times->count && times->values[moment] >= 0);
  int64_t value = times->values[moment], scale = times->scale;
  clew_text_printf(out, "%" PRId64, value / scale);
  int64_t rest = value % scale;
  if (scale == 2 && rest != 0) {
    clew_text_put(out, ".5");
    return;
  }
  if (!is_decimal(scale, rest)) {
    clew_text_printf(out, "+%" PRId64 "/%" PRId64, rest, scale);
    return;
  }
  for (bool first = true; rest != 0; first = false) {
    clew_text_printf(out, "%s%" PRId64, first ? "." : "", rest * 10 / scale);
    rest = rest * 10 % scale;
  }
}
