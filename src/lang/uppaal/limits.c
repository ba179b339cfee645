/* Limits: the numbers that clocks are compared with from below and from above, by location, so that
 * zones can forget the rest.
 *
 * Every atom of the specification leaves a fact: the process and location whose guard or invariant
 * it comes from, and the greatest value of its bound. An atom that is the negation of a guard,
 * because it is about a process that does not receive a broadcast, belongs to that process. A limit
 * goes backwards along the edges of its process, unless the edge sets the clock. In a state the
 * limit of a clock is the maximum over the locations of all processes. Where a bound is a variable
 * that nobody changes until then (fixed.c), its value in the state takes the place of the greatest
 * that it can have. */
#include <assert.h>

#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

/* ---- Facts ---------------------------------------------------------------------------------- */

static void note_difference(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  struct uppaal_difference difference = {
      .first_i = clew_uppaal_clock_number(l, atom->i.base + atom->i.offset),
      .last_i = clew_uppaal_last_clock(l, &atom->i),
      .first_j = clew_uppaal_clock_number(l, atom->j.base + atom->j.offset),
      .last_j = clew_uppaal_last_clock(l, &atom->j),
      .bound = atom->bound,
      .frame = l->frame,
      .is_strict = atom->is_strict};
  clew_vec_push(&l->timed.differences, difference);
}

static void note(struct uppaal_lowering *l, const struct uppaal_atom *atom,
                 const struct clew_place *place, bool is_lower, bool is_upper) {
  struct uppaal_limit_fact fact = {.first =
                                       clew_uppaal_clock_number(l, place->base + place->offset),
                                   .last = clew_uppaal_last_clock(l, place),
                                   .process = atom->process,
                                   .location = atom->location,
                                   .is_lower = is_lower,
                                   .is_upper = is_upper,
                                   .bound = atom->bound,
                                   .frame = l->frame,
                                   .is_difference = is_lower && is_upper,
                                   .asker = atom->process == CLEW_NONE ? l->timed.asker : CLEW_NONE,
                                   .slot = CLEW_NONE};
  clew_vec_push(&l->timed.facts, fact);
}

void clew_uppaal_note_remembered(struct uppaal_lowering *l, uint32_t clock, uint32_t process,
                                 uint32_t location, int64_t most) {
  struct uppaal_limit_fact fact = {.first = clock,
                                   .last = clock,
                                   .process = process,
                                   .location = location,
                                   .is_lower = true,
                                   .is_upper = true,
                                   .bound = clew_uppaal_const(l, most),
                                   .frame = l->frame,
                                   .asker = process == CLEW_NONE ? l->timed.asker : CLEW_NONE,
                                   .slot = CLEW_NONE};
  clew_vec_push(&l->timed.facts, fact);
}

void clew_uppaal_note_limits(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  if (atom->has_i && atom->has_j) {
    note_difference(l, atom);
    note(l, atom, &atom->i, true, true);
    note(l, atom, &atom->j, true, true);
  } else if (atom->has_i) {
    note(l, atom, &atom->i, false, true);
  } else if (atom->has_j) {
    note(l, atom, &atom->j, true, false);
  }
}

void clew_uppaal_note_largest(struct uppaal_lowering *l, int64_t value) {
  value = value < 0 ? -value : value;
  value = value > UPPAAL_MOST_BOUND ? UPPAAL_MOST_BOUND : value;
  l->timed.largest = value > l->timed.largest ? value : l->timed.largest;
}

/* ---- Cuts ----------------------------------------------------------------------------------- */

enum { MOST_CUTS = 64 };

/* Keeps cuts in order, each once; false: there are too many. */
static bool add_cut(struct uppaal_lowering *l, struct clew_timed_cut cut) {
  uint32_t at = l->timed.cuts.len;
  while (at > 0) {
    const struct clew_timed_cut *other = &l->timed.cuts.data[at - 1];
    if (other->i == cut.i && other->j == cut.j && other->bound == cut.bound) {
      return true;
    }
    bool is_less = other->i != cut.i   ? other->i < cut.i
                   : other->j != cut.j ? other->j < cut.j
                                       : other->bound < cut.bound;
    if (is_less) {
      break;
    }
    at--;
  }
  if (l->timed.cuts.len >= MOST_CUTS) {
    return false;
  }
  clew_vec_push(&l->timed.cuts, cut);
  for (uint32_t k = l->timed.cuts.len - 1; k > at; k--) {
    l->timed.cuts.data[k] = l->timed.cuts.data[k - 1];
  }
  l->timed.cuts.data[at] = cut;
  return true;
}

/* x_i - x_j < or <= c, or the opposite of a bound of x_j - x_i. */
static bool add_cut_of(struct uppaal_lowering *l, uint32_t i, uint32_t j, int64_t c,
                       bool is_strict) {
  clew_bound bound = is_strict ? clew_bound_below((int32_t)c) : clew_bound_at_most((int32_t)c);
  return i == j || add_cut(l, i < j ? (struct clew_timed_cut){i, j, bound}
                                    : (struct clew_timed_cut){j, i, clew_bound_negate(bound)});
}

static bool add_cuts(struct uppaal_lowering *l, const struct uppaal_difference *d, int64_t lo,
                     int64_t hi) {
  bool fits = hi - lo < MOST_CUTS && lo >= -UPPAAL_MOST_BOUND && hi <= UPPAAL_MOST_BOUND;
  for (uint32_t i = d->first_i; i <= d->last_i && fits; i++) {
    for (uint32_t j = d->first_j; j <= d->last_j && fits; j++) {
      for (int64_t c = lo; c <= hi && fits; c++) {
        fits = add_cut_of(l, i, j, c, d->is_strict);
      }
    }
  }
  return fits;
}

/* All constants that differences are compared with, or none if there are too many. */
static void find_cuts(struct uppaal_lowering *l, struct uppaal_values *values) {
  bool fits = true;
  clew_vec_clear(&l->timed.cuts);
  for (uint32_t k = 0; k < l->timed.differences.len && fits; k++) {
    const struct uppaal_difference *d = &l->timed.differences.data[k];
    int64_t lo = d->bound->lo, hi = d->bound->hi;
    if (values != NULL && lo < hi) {
      clew_uppaal_values_of(values, d->frame, d->bound, &lo, &hi);
    }
    fits = add_cuts(l, d, lo, hi);
  }
  if (!fits) {
    clew_vec_clear(&l->timed.cuts);
  }
}

/* What the bounds of facts can be, and what clocks are set to. */
static void measure(struct uppaal_lowering *l, struct uppaal_values *values) {
  for (uint32_t i = 0; i < l->timed.facts.len; i++) {
    struct uppaal_limit_fact *fact = &l->timed.facts.data[i];
    if (fact->bound == NULL) {
      clew_uppaal_note_largest(l, fact->most);
      continue;
    }
    int64_t lo = fact->bound->lo, hi = fact->bound->hi;
    if (values != NULL && lo < hi) {
      clew_uppaal_values_of(values, fact->frame, fact->bound, &lo, &hi);
    }
    /* A clock is never negative: one that is to be below a negative number is never there, and one
     * that is to be above it always is, whatever the number (timed/zone.c takes -1 for it). */
    if (fact->asker == CLEW_NONE) {
      clew_uppaal_note_largest(l, lo < 0 && !fact->is_lower ? -1 : lo);
      clew_uppaal_note_largest(l, hi > 0 && !fact->is_upper ? 1 : hi);
    }
    fact->varies = lo < hi;
    fact->most = fact->is_lower ? -lo : hi;
    fact->most = fact->is_upper && hi > fact->most ? hi : fact->most;
    fact->most = fact->most > UPPAAL_MOST_BOUND ? UPPAAL_MOST_BOUND : fact->most;
  }
  int64_t setting = 0;
  for (uint32_t i = 0; i < l->clocks.len; i++) {
    const struct uppaal_clock *clock = &l->clocks.data[i];
    uint32_t slot = clock->place.base + clock->place.offset;
    int64_t most = values != NULL ? clew_uppaal_most_of(values, slot, clock->most) : clock->most;
    clew_uppaal_note_largest(l, most);
    setting = most > setting ? most : setting;
  }
  /* When one of two clocks is set, their difference is the other one less the setting. */
  for (uint32_t i = 0; i < l->timed.facts.len; i++) {
    struct uppaal_limit_fact *fact = &l->timed.facts.data[i];
    if (fact->is_difference) {
      fact->most =
          fact->most + setting < UPPAAL_MOST_BOUND ? fact->most + setting : UPPAAL_MOST_BOUND;
    }
  }
  find_cuts(l, values);
}

/* Whether it is worth while to find out about values: a bound is not constant, or a clock may be
 * set to a large one. */
static bool wants_values(const struct uppaal_lowering *l) {
  enum { LARGE = 1000 };
  bool wants = false;
  for (uint32_t i = 0; i < l->timed.facts.len && !wants; i++) {
    const struct clew_expr *bound = l->timed.facts.data[i].bound;
    wants = bound != NULL && bound->lo < bound->hi;
  }
  for (uint32_t i = 0; i < l->clocks.len && !wants; i++) {
    wants = l->clocks.data[i].most > LARGE;
  }
  return wants;
}

/* ---- The analysis --------------------------------------------------------------------------- */

/* One table for each process: by location, then by clock. */
struct limits {
  int32_t lower, upper;
};

static const struct limits no_limits = {CLEW_DBM_NO_CONSTANT, CLEW_DBM_NO_CONSTANT};

static bool raise(int32_t *limit, int32_t by) {
  bool raises = by > *limit;
  *limit = raises ? by : *limit;
  return raises;
}

static void take_fact(const struct uppaal_limit_fact *fact, struct limits *row) {
  for (uint32_t i = fact->first; i <= fact->last && fact->most >= 0; i++) {
    raise(&row[i].lower, fact->is_lower ? (int32_t)fact->most : CLEW_DBM_NO_CONSTANT);
    raise(&row[i].upper, fact->is_upper ? (int32_t)fact->most : CLEW_DBM_NO_CONSTANT);
  }
}

static bool sets(const struct uppaal_lowering *l, const struct uppaal_step *step, uint32_t clock) {
  for (uint32_t i = 0; i < step->reset_count; i++) {
    if (clew_uppaal_clock_number(l, step->resets[i]) == clock) {
      return true;
    }
  }
  return false;
}

/* One round over the edges of a process; whether anything changed. */
static bool spread(const struct uppaal_lowering *l, const struct uppaal_instance *process,
                   struct limits *table) {
  bool changed = false;
  uint32_t clocks = l->clocks.len + 1;
  for (uint32_t i = 0; i < process->step_count; i++) {
    const struct uppaal_step *step = &process->steps[i];
    struct limits *from = table + (size_t)step->from * clocks,
                  *to = table + (size_t)step->to * clocks;
    for (uint32_t k = 1; k < clocks; k++) {
      bool raises = to[k].lower > from[k].lower || to[k].upper > from[k].upper;
      if (raises && !sets(l, step, k)) {
        raise(&from[k].lower, to[k].lower);
        raise(&from[k].upper, to[k].upper);
        changed = true;
      }
    }
  }
  return changed;
}

/* ---- Variables that stay as they are -------------------------------------------------------- */

/* A fact that is known by the value of its variable, at some locations of a process. */
struct fixed {
  const struct uppaal_limit_fact *fact;
  bool *at; /* by location */
};

struct fixed_list {
  CLEW_VEC(struct fixed) all;
};

static bool is_same(const struct uppaal_limit_fact *a, const struct uppaal_limit_fact *b) {
  return a->first == b->first && a->slot == b->slot && a->is_lower == b->is_lower &&
         a->most == b->most;
}

static struct fixed *find_fixed(struct uppaal_lowering *l, const struct uppaal_instance *process,
                                const struct uppaal_limit_fact *fact, struct fixed_list *list) {
  for (uint32_t i = 0; i < list->all.len; i++) {
    if (is_same(list->all.data[i].fact, fact)) {
      return &list->all.data[i];
    }
  }
  struct fixed fixed = {fact, CLEW_NEW_ARRAY(l->front->arena, bool, process->location_count)};
  clew_vec_push(&list->all, fixed);
  return &clew_vec_last(&list->all);
}

/* Backwards along the edges. Behind one that changes the variable, anything is possible. */
static void spread_fixed(const struct uppaal_lowering *l, const struct uppaal_instance *process,
                         const struct fixed *fixed, struct limits *table) {
  const struct uppaal_limit_fact *fact = fixed->fact;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < process->step_count; i++) {
      const struct uppaal_step *step = &process->steps[i];
      if (!fixed->at[step->to] || sets(l, step, fact->first)) {
        continue;
      }
      if ((step->writes & fact->slot_bit) != 0) {
        take_fact(fact, table + (size_t)step->from * (l->clocks.len + 1));
      } else if (!fixed->at[step->from]) {
        fixed->at[step->from] = changed = true;
      }
    }
  }
}

static void add_fixed(struct uppaal_lowering *l, const struct fixed *fixed,
                      const struct limits *row, struct clew_timed_span *span) {
  const struct uppaal_limit_fact *fact = fixed->fact;
  const struct limits *known = &row[fact->first];
  struct clew_timed_limit limit = {fact->first, CLEW_DBM_NO_CONSTANT, CLEW_DBM_NO_CONSTANT,
                                   fact->slot};
  int32_t most = (int32_t)fact->most;
  if (most > (fact->is_lower ? known->lower : known->upper)) {
    *(fact->is_lower ? &limit.lower : &limit.upper) = most;
    clew_vec_push(&l->timed.limits, limit);
    span->count++;
  }
}

/* ---- Tables --------------------------------------------------------------------------------- */

static struct clew_timed_span keep(struct uppaal_lowering *l, const struct limits *row) {
  struct clew_timed_span span = {l->timed.limits.len, 0};
  for (uint32_t i = 1; i <= l->clocks.len; i++) {
    if (row[i].lower != CLEW_DBM_NO_CONSTANT || row[i].upper != CLEW_DBM_NO_CONSTANT) {
      struct clew_timed_limit limit = {i, row[i].lower, row[i].upper, CLEW_NONE};
      clew_vec_push(&l->timed.limits, limit);
      span.count++;
    }
  }
  return span;
}

static void find_process(struct uppaal_lowering *l, const struct uppaal_instance *process,
                         struct limits *table) {
  uint32_t clocks = l->clocks.len + 1;
  struct fixed_list list = {0};
  for (size_t i = 0; i < (size_t)process->location_count * clocks; i++) {
    table[i] = no_limits;
  }
  for (uint32_t i = 0; i < l->timed.facts.len; i++) {
    const struct uppaal_limit_fact *fact = &l->timed.facts.data[i];
    if (fact->process == process->number && fact->slot == CLEW_NONE) {
      take_fact(fact, table + (size_t)fact->location * clocks);
    } else if (fact->process == process->number && fact->most >= 0) {
      find_fixed(l, process, fact, &list)->at[fact->location] = true;
    }
  }
  for (uint32_t k = 0; k < list.all.len; k++) {
    spread_fixed(l, process, &list.all.data[k], table);
  }
  while (spread(l, process, table)) {
  }
  uint32_t first = l->timed.processes.data[process->number].locations.first;
  for (uint32_t i = 0; i < process->location_count; i++) {
    const struct limits *row = table + (size_t)i * clocks;
    struct clew_timed_span span = keep(l, row);
    for (uint32_t k = 0; k < list.all.len; k++) {
      if (list.all.data[k].at[i]) {
        add_fixed(l, &list.all.data[k], row, &span);
      }
    }
    l->timed.locations.data[first + i].limits = span;
  }
  clew_vec_free(&list.all);
}

/* The limits that hold everywhere: those of one query, of none (asker CLEW_NONE), or of all that
 * there is. */
static struct clew_timed_span find_asked(struct uppaal_lowering *l, bool of_all, uint32_t asker,
                                         struct limits *row) {
  for (uint32_t i = 0; i <= l->clocks.len; i++) {
    row[i] = no_limits;
  }
  for (uint32_t i = 0; i < l->timed.facts.len; i++) {
    const struct uppaal_limit_fact *fact = &l->timed.facts.data[i];
    if (fact->process == CLEW_NONE && (of_all || fact->asker == asker)) {
      take_fact(fact, row);
    }
  }
  return keep(l, row);
}

static void find_all_asked(struct uppaal_lowering *l, struct limits *row) {
  l->timed.query_limits = find_asked(l, true, CLEW_NONE, row);
  l->timed.common_limits = find_asked(l, false, CLEW_NONE, row);
  for (uint32_t i = 0; i < l->timed.queries.len; i++) {
    struct clew_timed_query *query = &l->timed.queries.data[i];
    query->limits = find_asked(l, false, query->asker, row);
  }
  for (uint32_t i = 0; i < l->timed.runs.len; i++) {
    struct clew_timed_run *run = &l->timed.runs.data[i];
    run->limits = find_asked(l, false, run->asker, row);
  }
  for (uint32_t i = 0; i < l->timed.measures.len; i++) {
    struct clew_timed_measure *each = &l->timed.measures.data[i];
    each->limits = find_asked(l, false, each->asker, row);
  }
}

/* ---- A notice ------------------------------------------------------------------------------- */

/* Whether the invariant of where it leads to bounds a clock that the step does not set. */
static bool may_arrive_late(const struct uppaal_lowering *l, const struct uppaal_step *step) {
  uint32_t first = l->timed.processes.data[step->process->number].locations.first;
  struct clew_timed_span atoms = l->timed.locations.data[first + step->to].invariant;
  for (uint32_t i = 0; i < atoms.count; i++) {
    const struct clew_timed_atom *atom = &l->timed.atoms.data[atoms.first + i];
    if (atom->j == 0 && atom->j_slot == CLEW_NONE && atom->i_slot == CLEW_NONE &&
        !sets(l, step, atom->i)) {
      return true;
    }
  }
  return false;
}

/* Other tools stop when a receiver that has no guard arrives where the invariant is false. Here the
 * broadcast does not exist then, which is said once. */
void clew_uppaal_warn_of_arrivals(struct uppaal_lowering *l) {
  for (uint32_t p = 0; p < l->processes.len; p++) {
    const struct uppaal_instance *process = l->processes.data[p];
    for (uint32_t i = 0; i < process->step_count; i++) {
      const struct uppaal_step *step = &process->steps[i];
      bool receives = step->channel != NULL && step->channel->is_broadcast && !step->edge->sends;
      if (receives && step->edge->guard.count == 0 && may_arrive_late(l, step)) {
        clew_front_warn(l->front, step->edge->span,
                        "where the invariant of '%s' is false behind this edge, the broadcast does "
                        "not happen",
                        process->locations[step->to]->name.name->id.text);
        return;
      }
    }
  }
}

void clew_uppaal_find_limits(struct uppaal_lowering *l) {
  enum { MOST_ENTRIES = 1 << 24 };
  measure(l, wants_values(l) ? clew_uppaal_find_values(l) : NULL);
  clew_uppaal_find_fixed(l);
  uint32_t clocks = l->clocks.len + 1;
  uint64_t most = 1;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    uint32_t locations = l->processes.data[i]->location_count;
    most = locations > most ? locations : most;
  }
  if (most * clocks > MOST_ENTRIES) {
    clew_uppaal_fail(l, l->first_clock, "this model has too many clocks and locations for zones");
    return;
  }
  struct limits *table = CLEW_NEW_ARRAY(l->front->arena, struct limits, most * clocks);
  for (uint32_t i = 0; i < l->processes.len; i++) {
    find_process(l, l->processes.data[i], table);
  }
  find_all_asked(l, table);
}
