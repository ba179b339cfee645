/* The specification of a timed model (timed/timed.h) for zones, while the program is lowered.
 *
 * Atoms. One of which everything is known is constant. Of others the program says the bound, and
 * which clocks they are about, by signals: for the constraints of a rule at the beginning of its
 * body, for the old state counts; for invariants at its end, by a function that all bodies call.
 * Signals of constraints are a pool that all rules share, in which each rule begins with the first.
 * Those of invariants are shared by the locations of one process.
 *
 * A query is about a state that has lost its signals. So where its bounds depend on the state, they
 * are variables like others, which the same function keeps up to date. */
#include <assert.h>
#include <string.h>

#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

/* ---- Clocks --------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct clew_place *place) {
  return place->base + place->offset;
}

/* Clocks have the numbers of their slots, less something in each variable: it is enough to look for
 * the last one that does not come behind. */
uint32_t clew_uppaal_clock_number(const struct uppaal_lowering *l, uint32_t slot) {
  uint32_t low = 0, high = l->clocks.len;
  assert(high > 0);
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (slot_of(&l->clocks.data[middle].place) <= slot) {
      low = middle;
    } else {
      high = middle;
    }
  }
  assert(slot_of(&l->clocks.data[low].place) == slot);
  return low + 1;
}

uint32_t clew_uppaal_last_clock(const struct uppaal_lowering *l, const struct clew_place *place) {
  uint32_t last = slot_of(place);
  for (uint32_t i = 0; i < place->index_count; i++) {
    last += (place->indices[i].count - 1) * place->indices[i].stride;
  }
  return clew_uppaal_clock_number(l, last);
}

void clew_uppaal_note_setting(struct uppaal_lowering *l, const struct clew_place *place,
                              int64_t most) {
  assert(place->space == CLEW_SPACE_STATE);
  uint32_t first = clew_uppaal_clock_number(l, slot_of(place)),
           last = clew_uppaal_last_clock(l, place);
  for (uint32_t i = first; i <= last; i++) {
    struct uppaal_clock *clock = &l->clocks.data[i - 1];
    clock->most = most > clock->most ? most : clock->most;
  }
}

/* The number of the clock at a place whose indices are not constant. */
static const struct clew_expr *lower_clock_number(struct uppaal_lowering *l,
                                                  const struct clew_place *place) {
  const struct clew_expr *number =
      clew_uppaal_const(l, clew_uppaal_clock_number(l, slot_of(place)));
  for (uint32_t i = 0; i < place->index_count; i++) {
    const struct clew_index *index = &place->indices[i];
    int64_t hi = index->lo + (int64_t)index->count - 1;
    const struct clew_expr *by = clew_uppaal_checked(l, index->value, index->lo, hi, index->site);
    by = clew_expr_binary(l->program, CLEW_OP_SUB, by, clew_uppaal_const(l, index->lo), CLEW_NONE);
    by = clew_expr_binary(l->program, CLEW_OP_MUL, by, clew_uppaal_const(l, index->stride),
                          CLEW_NONE);
    number = clew_expr_binary(l->program, CLEW_OP_ADD, number, by, CLEW_NONE);
  }
  return number;
}

/* ---- Signals -------------------------------------------------------------------------------- */

static const struct clew_type *undefinable(struct uppaal_lowering *l, int64_t lo, int64_t hi) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = lo, .hi = hi};
  return clew_type_scalar(l->arena, domain, true);
}

/* The values of each class of signals: bounds in 8, 16 and 30 bits with "undefined", numbers of
 * clocks, and rates. */
static const struct clew_type *class_type(struct uppaal_lowering *l,
                                          enum uppaal_signal_class class) {
  static const int32_t most[] = {[UPPAAL_SIGNAL_SMALL] = 126,
                                 [UPPAAL_SIGNAL_MIDDLE] = 32766,
                                 [UPPAAL_SIGNAL_LARGE] = UPPAAL_MOST_BOUND};
  switch (class) {
  case UPPAAL_SIGNAL_CLOCK:
    return undefinable(l, 1, l->clocks.len);
  case UPPAAL_SIGNAL_RATE:
    return undefinable(l, 0, 1);
  default:
    return undefinable(l, -most[class], most[class]);
  }
}

static struct clew_place take_signal(struct uppaal_lowering *l, struct uppaal_pool *pool,
                                     enum uppaal_signal_class class) {
  uint32_t number = pool->used[class]++;
  if (number == pool->signals[class].len) {
    const struct clew_type *type = class_type(l, class);
    static const char *const names[] = {"bound", "bound", "bound", "clock", "rate"};
    const char *name =
        clew_arena_printf(l->arena, "%s %s %u", pool->name, names[class], ++pool->count);
    uint32_t variable = pool->is_kept ? clew_program_add_variable(l->program, name, type)
                                      : clew_program_add_signal(l->program, name, type);
    struct clew_place place = clew_place_state(l->program, variable);
    l->program->variables.data[variable].is_hidden = true;
    clew_vec_push(&pool->signals[class], place);
  }
  return pool->signals[class].data[number];
}

static enum uppaal_signal_class bound_class(const struct clew_expr *bound) {
  int64_t most = -bound->lo > bound->hi ? -bound->lo : bound->hi;
  return most <= 126     ? UPPAAL_SIGNAL_SMALL
         : most <= 32766 ? UPPAAL_SIGNAL_MIDDLE
                         : UPPAAL_SIGNAL_LARGE;
}

/* The statements, if the condition holds. */
static void add_if(struct uppaal_lowering *l, struct clew_list *out,
                   const struct clew_expr *condition, const struct clew_list *body) {
  if (condition == NULL) {
    clew_uppaal_append(out, body);
  } else if (body->first != NULL) {
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = condition;
    branch->body = body->first;
    clew_list_add(out, branch);
  }
}

/* ---- Atoms ---------------------------------------------------------------------------------- */

/* What the limits have to know of it. */
static void note_atom(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  l->timed.has_diagonals = l->timed.has_diagonals || (atom->has_i && atom->has_j);
  clew_uppaal_note_limits(l, atom);
}

static bool is_static(const struct clew_place *place) {
  return place->index_count == 0;
}

/* One side: a number, or a signal. */
static void put_clock(struct uppaal_lowering *l, struct uppaal_pool *pool, bool has_clock,
                      const struct clew_place *place, uint32_t *number, uint32_t *slot,
                      struct clew_list *out) {
  *number = 0;
  *slot = CLEW_NONE;
  if (has_clock && is_static(place)) {
    *number = clew_uppaal_clock_number(l, slot_of(place));
  } else if (has_clock) {
    struct clew_place signal = take_signal(l, pool, UPPAAL_SIGNAL_CLOCK);
    *slot = slot_of(&signal);
    clew_list_add(out,
                  clew_stmt_assign(l->program, signal, lower_clock_number(l, place), CLEW_NONE));
  }
}

static uint32_t bound_site(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  return clew_uppaal_site(
      l, CLEW_SITE_RANGE, atom->span, "a bound in \"%s\" is out of the range of zones, %d .. %d",
      clew_front_excerpt(l->front, atom->span), -UPPAAL_MOST_BOUND, UPPAAL_MOST_BOUND);
}

static bool is_too_large(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  const struct clew_expr *bound = atom->bound;
  if (bound->lo <= UPPAAL_MOST_BOUND && bound->hi >= -UPPAAL_MOST_BOUND) {
    return false;
  }
  clew_uppaal_fail(l, atom->span, "the bound in \"%s\" is too large: the limit is %d",
                   clew_front_excerpt(l->front, atom->span), UPPAAL_MOST_BOUND);
  return true;
}

/* The slot of a variable that is the bound as it stands. */
static uint32_t slot_of_bound(const struct uppaal_atom *atom) {
  const struct clew_expr *bound = atom->bound;
  bool is_variable = bound->kind == CLEW_EXPR_LOAD && bound->place.space == CLEW_SPACE_STATE &&
                     bound->place.index_count == 0 && atom->condition == NULL &&
                     bound->lo >= -UPPAAL_MOST_BOUND && bound->hi <= UPPAAL_MOST_BOUND;
  return is_variable ? slot_of(&bound->place) : CLEW_NONE;
}

/* The signal of an atom from number `first` on about the same clocks, if it is of this class; NULL:
 * there is none. */
static const struct clew_place *find_shared(const struct uppaal_lowering *l,
                                            const struct uppaal_pool *pool,
                                            enum uppaal_signal_class class, uint32_t first,
                                            const struct clew_timed_atom *atom) {
  for (uint32_t i = first; i < l->timed.atoms.len; i++) {
    const struct clew_timed_atom *each = &l->timed.atoms.data[i];
    bool is_same = each->i == atom->i && each->j == atom->j && each->i_slot == CLEW_NONE &&
                   each->j_slot == CLEW_NONE && each->is_strict == atom->is_strict;
    for (uint32_t k = 0; is_same && k < pool->used[class]; k++) {
      if (slot_of(&pool->signals[class].data[k]) == each->bound_slot) {
        return &pool->signals[class].data[k];
      }
    }
  }
  return NULL;
}

/* The signal := the bound, if the condition holds. */
static void put_bound(struct uppaal_lowering *l, const struct uppaal_pool *pool,
                      const struct uppaal_atom *atom, struct clew_place signal,
                      struct clew_list *body, struct clew_list *out) {
  bool fits =
      atom->bound->lo >= signal.type->domain->lo && atom->bound->hi <= signal.type->domain->hi;
  clew_list_add(body, clew_stmt_assign(l->program, signal, atom->bound,
                                       fits ? CLEW_NONE : bound_site(l, atom)));
  if (pool->is_kept && atom->condition != NULL) { /* it may still have the value of another state */
    struct clew_stmt *clear = clew_stmt_new(l->program, CLEW_STMT_UNDEFINE);
    clear->place = signal;
    clew_list_add(out, clear);
  }
  add_if(l, out, atom->condition, body);
}

/* Adds the atom to the specification, and what makes its signals to `out`. Atoms of one group,
 * which begins with atom number `group`, never hold together; CLEW_NONE: there is no group. */
static void put_atom(struct uppaal_lowering *l, struct uppaal_pool *pool,
                     const struct uppaal_atom *atom, uint32_t group, struct clew_list *out) {
  struct clew_timed_atom result = {.bound_slot = CLEW_NONE, .is_strict = atom->is_strict};
  struct clew_list body = {0};
  assert(!atom->is_rate);
  if (is_too_large(l, atom)) {
    return;
  }
  note_atom(l, atom);
  put_clock(l, pool, atom->has_i, &atom->i, &result.i, &result.i_slot, &body);
  put_clock(l, pool, atom->has_j, &atom->j, &result.j, &result.j_slot, &body);
  result.bound_slot = pool->is_kept ? slot_of_bound(atom) : CLEW_NONE;
  if (atom->condition == NULL && atom->bound->kind == CLEW_EXPR_CONST) {
    result.bound = (int32_t)atom->bound->value;
    clew_uppaal_append(out, &body);
  } else if (result.bound_slot != CLEW_NONE) {
    clew_uppaal_append(out, &body);
  } else {
    enum uppaal_signal_class class = bound_class(atom->bound);
    bool may_share = group != CLEW_NONE && result.i_slot == CLEW_NONE && result.j_slot == CLEW_NONE;
    const struct clew_place *shared =
        may_share ? find_shared(l, pool, class, group, &result) : NULL;
    struct clew_place signal = shared != NULL ? *shared : take_signal(l, pool, class);
    put_bound(l, pool, atom, signal, &body, out);
    if (shared != NULL) {
      return;
    }
    result.bound_slot = slot_of(&signal);
  }
  clew_vec_push(&l->timed.atoms, result);
}

/* ---- Rules ---------------------------------------------------------------------------------- */

void clew_uppaal_begin_atoms(struct uppaal_lowering *l) {
  memset(l->timed.guards.used, 0, sizeof l->timed.guards.used);
  l->timed.rule_first = l->timed.atoms.len;
}

void clew_uppaal_put_atoms(struct uppaal_lowering *l, const struct uppaal_term *term,
                           struct clew_list *out) {
  for (uint32_t i = 0; i < term->atom_count; i++) {
    put_atom(l, &l->timed.guards, &term->atoms[i], CLEW_NONE, out);
  }
}

uint32_t clew_uppaal_begin_group(const struct uppaal_lowering *l) {
  return l->timed.atoms.len;
}

void clew_uppaal_put_group_atom(struct uppaal_lowering *l, const struct uppaal_atom *atom,
                                uint32_t group, struct clew_list *out) {
  put_atom(l, &l->timed.guards, atom, group, out);
}

uint32_t clew_uppaal_end_atoms(struct uppaal_lowering *l) {
  struct clew_timed_span span = {l->timed.rule_first, l->timed.atoms.len - l->timed.rule_first};
  clew_vec_push(&l->timed.rules, span);
  return l->timed.rules.len - 1;
}

/* ---- Invariants ----------------------------------------------------------------------------- */

static void put_rate(struct uppaal_lowering *l, const struct uppaal_atom *atom,
                     struct clew_list *out) {
  const struct clew_expr *rate = atom->bound, *one = clew_uppaal_const(l, 1);
  if (rate->lo < 0 || rate->hi > 1) {
    uint32_t site =
        clew_uppaal_site(l, CLEW_SITE_RANGE, atom->span, "the rate of a clock is neither 0 nor 1");
    rate = clew_uppaal_checked(l, rate, 0, 1, site);
  }
  if (atom->condition != NULL) {
    rate = clew_expr_cond(l->program, atom->condition, rate, one);
  }
  if (rate->lo == 1) {
    return;
  }
  assert(is_static(&atom->i));
  struct clew_timed_stop stop = {clew_uppaal_clock_number(l, slot_of(&atom->i)), CLEW_NONE};
  if (rate->hi > 0) {
    struct clew_place signal = take_signal(l, &l->timed.invariants, UPPAAL_SIGNAL_RATE);
    clew_list_add(out, clew_stmt_assign(l->program, signal, rate, CLEW_NONE));
    stop.slot = slot_of(&signal);
  }
  l->timed.has_stops = true;
  clew_vec_push(&l->timed.stops, stop);
}

/* The index has its value number `offset`; out of range it is an error, which the first value
 * tells. */
static const struct clew_expr *lower_chosen(struct uppaal_lowering *l,
                                            const struct clew_index *index, uint32_t offset) {
  const struct clew_expr *value = index->value;
  if (offset == 0 && index->checked) {
    value = clew_uppaal_checked(l, value, index->lo, index->lo + (int64_t)index->count - 1,
                                index->site);
  }
  return clew_expr_binary(l->program, CLEW_OP_EQ, value, clew_uppaal_const(l, index->lo + offset),
                          CLEW_NONE);
}

/* The rate of one of several clocks: each of them has it if it is the one that is meant. */
static void put_rates(struct uppaal_lowering *l, const struct uppaal_atom *atom,
                      struct clew_list *out) {
  enum { MOST_CLOCKS = 1000 };
  struct uppaal_atom one = *atom;
  uint32_t indices = atom->i.index_count;
  if (indices == 0) {
    put_rate(l, atom, out);
    return;
  }
  const struct clew_index *index = &atom->i.indices[indices - 1];
  if (index->count > MOST_CLOCKS) {
    clew_uppaal_fail(l, atom->span, "this rate can be of too many clocks: the limit is %d",
                     MOST_CLOCKS);
    return;
  }
  one.i.index_count--;
  for (uint32_t k = 0; k < index->count && clew_front_ok(l->front); k++) {
    one.i.offset = atom->i.offset + k * index->stride;
    one.condition = clew_uppaal_and(l, atom->condition, lower_chosen(l, index, k));
    put_rates(l, &one, out);
  }
}

/* The location, and what makes its signals. */
static struct clew_list put_invariant(struct uppaal_lowering *l, const struct uppaal_term *term) {
  struct clew_list body = {0}, all = {0};
  struct clew_timed_location location = {.invariant = {l->timed.atoms.len, 0},
                                         .stops = {l->timed.stops.len, 0}};
  for (uint32_t i = 0; term != NULL && i < term->atom_count; i++) {
    if (term->atoms[i].is_rate) {
      put_rates(l, &term->atoms[i], &body);
    } else {
      put_atom(l, &l->timed.invariants, &term->atoms[i], CLEW_NONE, &body);
    }
  }
  location.invariant.count = l->timed.atoms.len - location.invariant.first;
  location.stops.count = l->timed.stops.len - location.stops.first;
  clew_vec_push(&l->timed.locations, location);
  /* Where the rest of the invariant is false, the state does not exist, and a bound may be an error
   * that nobody wants to hear of. */
  add_if(l, &all, term != NULL ? term->when : NULL, &body);
  return all;
}

/* The signals of each location of a process, `bodies`, behind those of other processes. */
static void add_cases(struct uppaal_lowering *l, const struct uppaal_instance *process,
                      const struct clew_list *bodies) {
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, process->location_count);
  int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, process->location_count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < process->location_count; i++) {
    if (bodies[i].first != NULL) {
      values[count] = i;
      cases[count] = (struct clew_case){&values[count], 1, bodies[i].first};
      count++;
    }
  }
  if (count == 0) {
    return;
  }
  if (process->place.type == NULL) {
    clew_uppaal_append(&l->timed.announcement, &bodies[0]);
    return;
  }
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_uppaal_load(l, process->place);
  stmt->cases = cases;
  stmt->case_count = count;
  clew_list_add(&l->timed.announcement, stmt);
}

void clew_uppaal_put_process(struct uppaal_lowering *l, const struct uppaal_instance *process,
                             const struct uppaal_term *const *terms) {
  struct uppaal_pool *pool = &l->timed.invariants;
  uint32_t first[UPPAAL_SIGNAL_CLASSES], most[UPPAAL_SIGNAL_CLASSES];
  struct clew_timed_process entry = {
      .slot = process->place.type != NULL ? slot_of(&process->place) : CLEW_NONE,
      .locations = {l->timed.locations.len, process->location_count}};
  struct clew_list *bodies =
      CLEW_NEW_ARRAY(l->front->arena, struct clew_list, process->location_count + 1);
  memcpy(first, pool->used, sizeof first);
  memcpy(most, pool->used, sizeof most);
  for (uint32_t i = 0; i < process->location_count; i++) {
    memcpy(pool->used, first, sizeof first);
    bodies[i] = put_invariant(l, terms[i]);
    for (uint32_t k = 0; k < UPPAAL_SIGNAL_CLASSES; k++) {
      most[k] = pool->used[k] > most[k] ? pool->used[k] : most[k];
    }
  }
  memcpy(pool->used, most, sizeof most);
  add_cases(l, process, bodies);
  clew_vec_push(&l->timed.processes, entry);
}

/* ---- Queries -------------------------------------------------------------------------------- */

/* The disjuncts of a condition; `name` is that of what it belongs to. */
static struct clew_timed_span put_form(struct uppaal_lowering *l, struct uppaal_form form,
                                       const char *name) {
  struct clew_timed_span span = {l->timed.disjuncts.len, form.count};
  struct clew_position nowhere = {0};
  for (uint32_t i = 0; i < form.count; i++) {
    const struct uppaal_term *term = &form.terms[i];
    struct clew_timed_disjunct disjunct = {
        .label = CLEW_NONE, .atoms = {l->timed.atoms.len, 0}, .deadlock = term->deadlock};
    for (uint32_t k = 0; k < term->atom_count; k++) {
      put_atom(l, &l->timed.kept, &term->atoms[k], CLEW_NONE, &l->timed.announcement);
    }
    disjunct.atoms.count = l->timed.atoms.len - disjunct.atoms.first;
    if (term->when != NULL) {
      const char *part = clew_arena_printf(l->arena, "%s, part %u", name, i + 1);
      disjunct.label =
          clew_program_add_label(l->program, part, nowhere, l->timed.frame, term->when);
    }
    clew_vec_push(&l->timed.disjuncts, disjunct);
  }
  return span;
}

/* Atoms belong to one more query. */
static uint32_t begin_asker(struct uppaal_lowering *l) {
  l->timed.asker = l->timed.asker_count++;
  return l->timed.asker;
}

void clew_uppaal_put_query(struct uppaal_lowering *l, uint32_t label, struct uppaal_form form) {
  struct clew_timed_query query = {.label = label, .asker = begin_asker(l)};
  query.disjuncts = put_form(l, form, l->program->labels.data[label].name);
  l->timed.asker = CLEW_NONE;
  clew_vec_push(&l->timed.queries, query);
}

void clew_uppaal_put_run(struct uppaal_lowering *l, uint32_t label, struct uppaal_form stay,
                         struct uppaal_form from) {
  const char *name = l->program->labels.data[label].name;
  struct clew_timed_run run = {.label = label, .asker = begin_asker(l)};
  run.stay = put_form(l, stay, name);
  run.from = put_form(l, from, clew_arena_printf(l->arena, "%s, premise", name));
  l->timed.asker = CLEW_NONE;
  clew_vec_push(&l->timed.runs, run);
}

uint32_t clew_uppaal_put_measure(struct uppaal_lowering *l, struct uppaal_form form,
                                 const struct clew_measure *measure, const struct clew_place *clock,
                                 const struct clew_place *minus, const struct clew_expr *value) {
  enum { REMEMBERED = 1 << 20 };
  struct clew_timed_measure entry = {.slot = CLEW_NONE, .asker = begin_asker(l)};
  entry.disjuncts = put_form(l, form, measure->name);
  if (value != NULL) {
    int64_t lo = value->lo, hi = value->hi;
    uint32_t variable =
        clew_program_add_variable(l->program, measure->name, clew_uppaal_range_type(l, lo, hi));
    l->program->variables.data[variable].is_hidden = true;
    struct clew_place place = clew_place_state(l->program, variable);
    clew_list_add(&l->timed.announcement, clew_stmt_assign(l->program, place, value, CLEW_NONE));
    entry.slot = slot_of(&place);
  } else {
    entry.i = clew_uppaal_clock_number(l, slot_of(clock));
    entry.j = minus != NULL ? clew_uppaal_clock_number(l, slot_of(minus)) : 0;
    clew_uppaal_note_measured(l, form, entry.i, REMEMBERED);
    if (entry.j > 0) {
      clew_uppaal_note_measured(l, form, entry.j, REMEMBERED);
    }
  }
  l->timed.asker = CLEW_NONE;
  clew_vec_push(&l->timed.measures, entry);
  clew_vec_push(&l->timed.measure_names, *measure);
  return l->timed.measures.len - 1;
}

/* ---- The end of bodies ---------------------------------------------------------------------- */

/* Whether some query needs to know of a state, not only of a transition, whether time may pass. */
static bool asks_about_stillness(const struct uppaal_lowering *l) {
  if (!l->program->ignores_deadlock || clew_uppaal_asks_about_runs(l)) {
    return true;
  }
  for (uint32_t i = 0; i < l->timed.disjuncts.len; i++) {
    if (l->timed.disjuncts.data[i].deadlock != CLEW_TIMED_ANY) {
      return true;
    }
  }
  return false;
}

void clew_uppaal_put_still(struct uppaal_lowering *l, const struct clew_expr *still) {
  l->timed.still_slot = CLEW_NONE;
  if (still == NULL) {
    return;
  }
  const struct clew_type *type = clew_uppaal_range_type(l, 0, 1);
  uint32_t variable = asks_about_stillness(l) ? clew_program_add_variable(l->program, "still", type)
                                              : clew_program_add_signal(l->program, "still", type);
  l->program->variables.data[variable].is_hidden = true;
  struct clew_place place = clew_place_state(l->program, variable);
  clew_list_add(&l->timed.announcement, clew_stmt_assign(l->program, place, still, CLEW_NONE));
  l->timed.still_slot = slot_of(&place);
}

void clew_uppaal_make_announcer(struct uppaal_lowering *l) {
  struct clew_span nowhere = {0, 0};
  if (l->timed.announcement.first == NULL) {
    return;
  }
  struct clew_function *function = clew_uppaal_function(l, "announce", NULL, nowhere);
  function->frame = l->timed.frame;
  function->body = l->timed.announcement.first;
  l->timed.announcer = function;
}

void clew_uppaal_announce(struct uppaal_lowering *l, struct clew_list *out) {
  if (l->timed.announcer == NULL) {
    return;
  }
  struct clew_span nowhere = {0, 0};
  struct clew_call *call = CLEW_NEW(l->arena, struct clew_call);
  call->function = l->timed.announcer;
  call->site = clew_uppaal_site(l, CLEW_SITE_RECURSION, nowhere, "calls nested too deeply");
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_CALL);
  stmt->call = call;
  clew_list_add(out, stmt);
}

/* ---- The specification ---------------------------------------------------------------------- */

/* The values that clocks are set to are known now. */
static const struct clew_timed_clock *make_clocks(struct uppaal_lowering *l) {
  struct clew_timed_clock *clocks =
      CLEW_NEW_ARRAY(l->arena, struct clew_timed_clock, l->clocks.len + 1);
  for (uint32_t i = 0; i < l->clocks.len; i++) {
    l->clocks.data[i].domain->hi = 0;
  }
  for (uint32_t i = 0; i < l->clocks.len; i++) {
    const struct uppaal_clock *clock = &l->clocks.data[i];
    struct clew_domain *domain = clock->domain;
    domain->hi = clock->most > domain->hi ? clock->most : domain->hi;
    clocks[i + 1].slot = slot_of(&clock->place);
  }
  return clocks;
}

/* Until the program is finished, the index of a rule is the number of its constraints. */
static const struct clew_timed_span *make_rules(struct uppaal_lowering *l) {
  struct clew_timed_span *rules =
      CLEW_NEW_ARRAY(l->arena, struct clew_timed_span, l->timed.rules.len + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->program->families.len; i++) {
    const struct clew_family *family = l->program->families.data[i];
    for (uint32_t k = 0; k < family->rule_count; k++) {
      assert(count < l->timed.rules.len);
      rules[count++] = l->timed.rules.data[family->rules[k].index];
    }
  }
  return rules;
}

#define KEEP(vector) clew_arena_copy(l->arena, (vector).data, (vector).len, sizeof *(vector).data)

struct clew_timed_spec *clew_uppaal_make_spec(struct uppaal_lowering *l) {
  struct clew_timed_spec *spec = CLEW_NEW(l->arena, struct clew_timed_spec);
  clew_uppaal_find_limits(l);
  spec->clock_count = l->clocks.len + 1;
  spec->clocks = make_clocks(l);
  spec->rules = make_rules(l);
  spec->atoms = KEEP(l->timed.atoms);
  spec->atom_count = l->timed.atoms.len;
  spec->processes = KEEP(l->timed.processes);
  spec->process_count = l->timed.processes.len;
  spec->locations = KEEP(l->timed.locations);
  spec->limits = KEEP(l->timed.limits);
  spec->stops = KEEP(l->timed.stops);
  spec->query_limits = l->timed.query_limits;
  spec->common_limits = l->timed.common_limits;
  spec->queries = KEEP(l->timed.queries);
  spec->query_count = l->timed.queries.len;
  spec->runs = KEEP(l->timed.runs);
  spec->run_count = l->timed.runs.len;
  spec->disjuncts = KEEP(l->timed.disjuncts);
  spec->measures = KEEP(l->timed.measures);
  spec->measure_names = KEEP(l->timed.measure_names);
  spec->measure_count = l->timed.measures.len;
  spec->still_slot = l->timed.still_slot;
  spec->largest = (int32_t)l->timed.largest;
  spec->has_diagonals = l->timed.has_diagonals;
  spec->cuts = KEEP(l->timed.cuts);
  spec->cut_count = l->timed.cuts.len;
  spec->has_stops = l->timed.has_stops;
  return spec;
}

bool clew_uppaal_needs_guards(const struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < UPPAAL_SIGNAL_CLASSES; i++) {
    if (l->timed.guards.signals[i].len > 0) {
      return true;
    }
  }
  return false;
}

static void pool_free(struct uppaal_pool *pool) {
  for (uint32_t i = 0; i < UPPAAL_SIGNAL_CLASSES; i++) {
    clew_vec_free(&pool->signals[i]);
  }
}

void clew_uppaal_timed_free(struct uppaal_lowering *l) {
  pool_free(&l->timed.guards);
  pool_free(&l->timed.invariants);
  pool_free(&l->timed.kept);
  clew_vec_free(&l->timed.atoms);
  clew_vec_free(&l->timed.rules);
  clew_vec_free(&l->timed.rule_steps);
  clew_vec_free(&l->timed.processes);
  clew_vec_free(&l->timed.locations);
  clew_vec_free(&l->timed.limits);
  clew_vec_free(&l->timed.stops);
  clew_vec_free(&l->timed.queries);
  clew_vec_free(&l->timed.runs);
  clew_vec_free(&l->timed.disjuncts);
  clew_vec_free(&l->timed.facts);
  clew_vec_free(&l->timed.differences);
  clew_vec_free(&l->timed.cuts);
  clew_vec_free(&l->timed.measures);
  clew_vec_free(&l->timed.measure_names);
}
