/* Properties of sets of states.
 *
 * A label depends on the slots that it reads. States are projected on these, each short state is
 * evaluated once, and the states that satisfy the label, or do not, are those that match. Deadlocks
 * are states that no group leads out of. AG EF p holds in the states from which p is reachable: the
 * least set that contains those with p and all their predecessors. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/symbolic_int.h"

enum { BATCH = 1024 };

/* ---- labels ---- */

static bool has_label(const struct clew_property *property) {
  switch (property->kind) {
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_LIVENESS:
    return true;
  case CLEW_PROPERTY_COVER:
    return !property->is_statement;
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
  case CLEW_PROPERTY_PROGRESS:
  case CLEW_PROPERTY_MEASURE:
    break;
  }
  return false;
}

static void open_label(struct symbolic *s, uint32_t property, struct symbolic_label *label) {
  const struct clew_model *model = s->run.model;
  uint64_t *read = clew_alloc_zero(CLEW_BITSET_WORDS((size_t)model->slot_count) + 1, sizeof *read);
  unsigned char *roles = clew_alloc_zero(s->level_count + (size_t)2, 1);
  const uint32_t all = s->level_count + (s->clocks != NULL);
  *label = (struct symbolic_label){
      .property = property,
      .label = model->properties[property].label,
      .levels = clew_alloc((s->level_count + (size_t)1) * sizeof *label->levels)};
  model->label_access(model, label->label, read);
  for (uint32_t i = 0; i < s->level_count; i++) {
    if (clew_bitset_has(read, s->levels[i].slot)) {
      roles[i] = CLEW_LDD_READ;
      label->levels[label->level_count++] = i;
    }
  }
  label->project = clew_ldd_plan_projection(s->dd, roles, all);
  label->match = clew_ldd_plan_product(s->dd, roles, s->level_count);
  if (s->clocks != NULL) {
    roles[s->level_count] = CLEW_LDD_ACT;
    label->match_act = clew_ldd_plan_product(s->dd, roles, all);
  }
  clew_free(read);
  clew_free(roles);
}

void clew_symbolic_open_labels(struct symbolic *s) {
  const struct clew_model *model = s->run.model;
  s->labels = clew_alloc_zero(model->property_count + (size_t)1, sizeof *s->labels);
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (clew_bitset_has(s->run.open, i) && has_label(&model->properties[i])) {
      open_label(s, i, &s->labels[s->label_count++]);
    }
  }
  for (uint32_t i = 0; i < s->label_count; i++) {
    clew_dd_keep(s->dd, &s->labels[i].seen);
    clew_dd_keep(s->dd, &s->labels[i].holds);
    clew_dd_keep(s->dd, &s->labels[i].fails);
  }
}

void clew_symbolic_forget_labels(struct symbolic *s) {
  for (uint32_t i = s->label_count; i-- > 0;) {
    clew_dd_forget(s->dd, &s->labels[i].fails);
    clew_dd_forget(s->dd, &s->labels[i].holds);
    clew_dd_forget(s->dd, &s->labels[i].seen);
  }
  clew_symbolic_close_labels(s);
  s->labels = NULL;
  s->label_count = 0;
}

void clew_symbolic_close_labels(struct symbolic *s) {
  for (uint32_t i = 0; i < s->label_count; i++) {
    clew_free(s->labels[i].levels);
  }
  clew_free(s->labels);
}

/* ---- findings ---- */

/* With clocks: the set says that there are such states, and a path to one is searched for. Where
 * there is no memory for that, the violation has no path. */
static bool find_single(struct symbolic *s, struct clew_finding finding, clew_ldd set) {
  if (!clew_symbolic_is_done(s, set) || set == CLEW_LDD_EMPTY) {
    return set == CLEW_LDD_EMPTY;
  }
  memcpy(s->state, s->filler, s->run.model->words * sizeof *s->state);
  (void)clew_symbolic_follow(s, &finding, s->state);
  if (!clew_run_stopped(&s->run)) {
    clew_worker_find(clew_run_worker(&s->run, 0), &finding, s->state);
  }
  return !clew_run_stopped(&s->run);
}

/* The states of `set` have this property's flaw: the nearest of them is what is found. */
static bool find(struct symbolic *s, struct clew_finding finding, clew_ldd set) {
  uint32_t depth;
  finding.id = 0; /* of a path that does not come from the log */
  if (s->clocks != NULL) {
    return find_single(s, finding, set);
  }
  if (!clew_symbolic_is_done(s, set) || !clew_symbolic_locate(s, set, &depth, s->state)) {
    return false;
  }
  finding.depth = depth + (finding.fault_edge != CLEW_NONE);
  clew_worker_find(clew_run_worker(&s->run, 0), &finding, s->state);
  return true;
}

/* With clocks: whether the error happens to some visited clock values. */
static bool is_real(struct symbolic *s, const struct symbolic_fault *fault, clew_ldd *bad) {
  const struct symbolic_group *group = &s->groups[fault->group];
  clew_ldd row = clew_ldd_from_rows(s->dd, fault->row, 1, group->read_count + 1);
  *bad = clew_symbolic_is_done(s, row) ? clew_ldd_product(s->dd, s->visited, row, group->match_act)
                                       : CLEW_DD_NONE;
  return clew_symbolic_is_done(s, *bad) && *bad != CLEW_LDD_EMPTY;
}

static bool find_suspect(struct symbolic *s) {
  struct clew_run *run = &s->run;
  clew_ldd bad;
  for (uint32_t i = 0; i < s->faults.len && !clew_run_stopped(run); i++) {
    const struct symbolic_fault *fault = &s->faults.data[i];
    bool counts = is_real(s, fault, &bad) && !clew_run_leaves_open(run, fault->site);
    if (counts && run->fault_property != CLEW_NONE &&
        clew_bitset_has(run->open, run->fault_property)) {
      struct clew_finding finding = {
          .property = run->fault_property, .fault_edge = fault->edge, .site = fault->site};
      return find(s, finding, bad);
    }
  }
  return !clew_run_stopped(run);
}

static bool find_fault(struct symbolic *s) {
  struct clew_run *run = &s->run;
  if (s->clocks != NULL) {
    return find_suspect(s);
  }
  if (s->faults.len == 0 || run->fault_property == CLEW_NONE ||
      !clew_bitset_has(run->open, run->fault_property)) {
    return true;
  }
  const struct symbolic_fault *fault = &s->faults.data[0];
  const struct symbolic_group *group = &s->groups[fault->group];
  clew_ldd row = clew_ldd_from_rows(s->dd, fault->row, 1, group->read_count);
  clew_ldd bad = clew_symbolic_is_done(s, row)
                     ? clew_ldd_product(s->dd, s->visited, row, group->match)
                     : CLEW_DD_NONE;
  struct clew_finding finding = {
      .property = run->fault_property, .fault_edge = fault->edge, .site = fault->site};
  return find(s, finding, bad);
}

/* ---- evaluating labels ---- */

struct verdicts {
  CLEW_VEC(uint32_t) holds, fails;
  uint32_t site; /* of the first short state that cannot be evaluated; */
  uint32_t *row; /* that state */
};

/* With clocks: the short state, with each action that makes values for which the label is false. */
static void add_falsifications(struct symbolic *s, const struct symbolic_label *label,
                               const uint32_t *row, struct verdicts *verdicts, uint32_t *site) {
  struct symbolic_actions actions = {0};
  clew_symbolic_falsify(s, label->label, &actions, site);
  for (uint32_t k = 0; k < actions.list.len && *site == CLEW_NONE; k++) {
    for (uint32_t i = 0; i < label->level_count; i++) {
      clew_vec_push(&verdicts->fails, row[i]);
    }
    clew_vec_push(&verdicts->fails, actions.list.data[k]);
  }
  clew_vec_free(&actions.list);
}

static void evaluate(struct symbolic *s, const struct symbolic_label *label, const uint32_t *row,
                     struct verdicts *verdicts) {
  const struct clew_model *model = s->run.model;
  uint32_t site = CLEW_NONE, length = label->level_count;
  memcpy(s->state, s->filler, model->words * sizeof *s->state);
  for (uint32_t i = 0; i < length; i++) {
    symbolic_set(&s->levels[label->levels[i]], s->state, row[i]);
  }
  if (s->clocks != NULL) {
    add_falsifications(s, label, row, verdicts, &site);
  }
  bool holds = s->clocks == NULL && model->label(model, label->label, s->state, &site);
  if (site != CLEW_NONE) {
    if (!clew_run_leaves_open(&s->run, site) && verdicts->site == CLEW_NONE) {
      verdicts->site = site;
      memcpy(verdicts->row, row, length * sizeof *row);
    }
    return;
  }
  if (s->clocks != NULL) {
    return;
  }
  for (uint32_t i = 0; i < length || (length == 0 && i == 0); i++) {
    uint32_t value = length > 0 ? row[i] : 0; /* a label that reads nothing has one short state */
    if (holds) {
      clew_vec_push(&verdicts->holds, value);
    } else {
      clew_vec_push(&verdicts->fails, value);
    }
  }
}

static bool add_rows(struct symbolic *s, const struct symbolic_label *label, uint32_t *rows,
                     uint32_t values, clew_ldd *set) {
  uint32_t length = label->level_count + (s->clocks != NULL);
  uint64_t count = length > 0 ? values / length : values;
  return count == 0 || clew_symbolic_add(s, set, clew_ldd_from_rows(s->dd, rows, count, length));
}

/* A run-time error of the label, found where it can be reached. */
static bool find_label_fault(struct symbolic *s, struct symbolic_label *label,
                             const struct verdicts *verdicts) {
  struct clew_run *run = &s->run;
  if (verdicts->site == CLEW_NONE || label->told_fault) {
    return true;
  }
  label->told_fault = true;
  uint32_t depth;
  if (s->clocks != NULL) { /* whether it can be reached is not known here */
    clew_outcomes_give_up(&run->result->outcomes, label->property, CLEW_REASON_ENGINE);
    clew_bitset_remove(run->open, label->property);
    return true;
  }
  clew_ldd row = clew_ldd_from_rows(s->dd, verdicts->row, 1, label->level_count);
  clew_ldd bad = clew_symbolic_is_done(s, row)
                     ? clew_ldd_product(s->dd, s->visited, row, label->match)
                     : CLEW_DD_NONE;
  if (!clew_symbolic_is_done(s, bad) || !clew_symbolic_locate(s, bad, &depth, s->state)) {
    return false;
  }
  clew_worker_find_label_fault(clew_run_worker(run, 0), label->property, verdicts->site, 0, depth,
                               s->state);
  return true;
}

/* The short states of `fresh`, all of them new to the label. */
static bool evaluate_set(struct symbolic *s, struct symbolic_label *label, const clew_ldd *fresh) {
  uint32_t length = label->level_count, count;
  size_t row_bytes = (length + (size_t)1) * sizeof(uint32_t);
  uint32_t *batch = clew_alloc(BATCH * row_bytes), *last = clew_alloc(row_bytes);
  struct verdicts verdicts = {.site = CLEW_NONE, .row = clew_alloc(row_bytes)};
  const uint32_t *after = NULL;
  bool going = true;
  do {
    count = clew_ldd_list(s->dd, *fresh, length, after, batch, BATCH);
    for (uint32_t i = 0; i < count && !clew_run_stopped(&s->run); i++) {
      evaluate(s, label, batch + (size_t)i * length, &verdicts);
    }
    if (count > 0) {
      memcpy(last, batch + (size_t)(count - 1) * length, length * sizeof *last);
      after = last;
    }
    clew_run_poll(clew_run_worker(&s->run, 0), count, 0, s->rounds);
    going = !clew_run_stopped(&s->run) &&
            add_rows(s, label, verdicts.holds.data, verdicts.holds.len, &label->holds) &&
            add_rows(s, label, verdicts.fails.data, verdicts.fails.len, &label->fails);
    clew_vec_clear(&verdicts.holds);
    clew_vec_clear(&verdicts.fails);
  } while (going && count == BATCH);
  going = going && find_label_fault(s, label, &verdicts);
  clew_vec_free(&verdicts.holds);
  clew_vec_free(&verdicts.fails);
  clew_free(verdicts.row);
  clew_free(batch);
  clew_free(last);
  return going;
}

/* ---- judging labels ---- */

static bool find_failure(struct symbolic *s, const struct symbolic_label *label) {
  struct clew_finding finding = {
      .property = label->property, .fault_edge = CLEW_NONE, .site = CLEW_NONE};
  if (label->fails == CLEW_LDD_EMPTY || !clew_bitset_has(s->run.open, label->property)) {
    return true;
  }
  uint32_t match = s->clocks != NULL ? label->match_act : label->match;
  return find(s, finding, clew_ldd_product(s->dd, s->visited, label->fails, match));
}

static bool judge_label(struct symbolic *s, struct symbolic_label *label) {
  const struct clew_property *property = &s->run.model->properties[label->property];
  clew_ldd fresh = clew_ldd_project(s->dd, s->fresh, label->project);
  if (!clew_symbolic_is_done(s, fresh)) {
    return false;
  }
  fresh = clew_ldd_minus(s->dd, fresh, label->seen);
  if (!clew_symbolic_is_done(s, fresh)) {
    return false;
  }
  if (fresh == CLEW_LDD_EMPTY) { /* with clocks there may be new values of them */
    return s->clocks == NULL || find_failure(s, label);
  }
  clew_dd_keep(s->dd, &fresh);
  bool going = evaluate_set(s, label, &fresh) && clew_symbolic_add(s, &label->seen, fresh);
  clew_dd_forget(s->dd, &fresh);
  if (going && property->kind == CLEW_PROPERTY_INVARIANT) {
    going = find_failure(s, label);
  } else if (going && property->kind == CLEW_PROPERTY_COVER && label->holds != CLEW_LDD_EMPTY) {
    clew_worker_note_covered(clew_run_worker(&s->run, 0), label->property);
  }
  return going;
}

/* ---- deadlocks ---- */

/* Takes off *rest the states that the group leads out of. */
static bool take_off(struct symbolic *s, const struct symbolic_group *group, clew_ldd *rest) {
  clew_ldd moving = clew_ldd_product(s->dd, *rest, group->moves, group->match);
  if (!clew_symbolic_is_done(s, moving)) {
    return false;
  }
  clew_ldd left = clew_ldd_minus(s->dd, *rest, moving);
  if (!clew_symbolic_is_done(s, left)) {
    return false;
  }
  *rest = left;
  if (group->still == CLEW_LDD_EMPTY) {
    return true;
  }
  /* Of those that may stay as they are: the ones that do not. */
  clew_ldd same = clew_ldd_product(s->dd, *rest, group->quiet, group->match_quiet);
  clew_dd_keep(s->dd, &same);
  moving = clew_symbolic_is_done(s, same)
               ? clew_ldd_product(s->dd, *rest, group->still, group->match)
               : CLEW_DD_NONE;
  moving = clew_symbolic_is_done(s, moving) ? clew_ldd_minus(s->dd, moving, same) : CLEW_DD_NONE;
  clew_dd_forget(s->dd, &same);
  left = clew_symbolic_is_done(s, moving) ? clew_ldd_minus(s->dd, *rest, moving) : CLEW_DD_NONE;
  *rest = left != CLEW_DD_NONE ? left : *rest;
  return clew_symbolic_is_done(s, left);
}

/* With clocks: the values from which nothing leads on, now or after a delay. All values of a state
 * belong together: a delay may lead from one zone to another. */
static clew_ldd find_stuck_values(struct symbolic *s, clew_ldd set) {
  clew_ldd on = CLEW_LDD_EMPTY;
  bool going = true;
  clew_dd_keep(s->dd, &set);
  clew_dd_keep(s->dd, &on);
  for (uint32_t i = 0; i < s->group_count && going; i++) {
    const struct symbolic_group *group = &s->groups[i];
    clew_ldd more = clew_ldd_product(s->dd, set, group->moves, group->match_act);
    going = clew_symbolic_add(s, &on, more);
  }
  clew_ldd stuck = going ? clew_ldd_minus_exact(s->dd, set, on) : CLEW_DD_NONE;
  clew_dd_forget(s->dd, &on);
  clew_dd_forget(s->dd, &set);
  return stuck;
}

clew_ldd clew_symbolic_stuck(struct symbolic *s, clew_ldd set) {
  if (s->clocks != NULL) {
    return find_stuck_values(s, set);
  }
  clew_dd_keep(s->dd, &set);
  bool going = !s->has_jury || clew_symbolic_learn(s, s->group_count, set, false);
  const uint32_t first = s->has_jury ? s->group_count : 0, end = s->group_count + s->has_jury;
  for (uint32_t i = first; i < end && going && set != CLEW_LDD_EMPTY; i++) {
    going = take_off(s, &s->groups[i], &set);
  }
  clew_dd_forget(s->dd, &set);
  return going ? set : CLEW_DD_NONE;
}

static void count_deadlocks(struct symbolic *s, clew_ldd stuck) {
  struct clew_natural count = {0};
  clew_ldd_count(s->dd, stuck, &count);
  s->deadlocks = clew_natural_at_most(&count, CLEW_ABSENT);
  clew_natural_free(&count);
}

static bool judge_deadlocks(struct symbolic *s) {
  struct clew_run *run = &s->run;
  bool asked =
      run->deadlock_property != CLEW_NONE && clew_bitset_has(run->open, run->deadlock_property);
  if (!s->wants_deadlocks || ((!asked || s->clocks != NULL) && !s->ended)) {
    return true;
  }
  if (s->clocks != NULL) {
    s->expanded = s->visited;
  }
  clew_ldd stuck = clew_symbolic_stuck(s, s->expanded);
  if (!clew_symbolic_is_done(s, stuck)) {
    return false;
  }
  if (s->ended && s->clocks == NULL) {
    count_deadlocks(s, stuck);
  }
  if (!asked || stuck == CLEW_LDD_EMPTY) {
    return true;
  }
  struct clew_finding finding = {
      .property = run->deadlock_property, .fault_edge = CLEW_NONE, .site = CLEW_NONE};
  return find(s, finding, stuck);
}

/* ---- transitions ---- */

/* Adds `degree` for each visited state that matches. */
static bool add_transitions(struct symbolic *s, const struct symbolic_group *group,
                            const struct symbolic_degree *degree, struct clew_natural *total) {
  struct clew_natural count = {0};
  clew_ldd states = clew_ldd_product(s->dd, s->visited, *degree->sources, group->match);
  bool counted = clew_symbolic_is_done(s, states);
  if (counted) {
    clew_ldd_count(s->dd, states, &count);
    clew_natural_multiply(&count, degree->degree);
    clew_natural_add_natural(total, &count);
  }
  clew_natural_free(&count);
  return counted;
}

bool clew_symbolic_count_transitions(struct symbolic *s) {
  struct clew_natural total = {0};
  bool counted = true;
  for (uint32_t i = 0; i < s->group_count && counted; i++) {
    const struct symbolic_group *group = &s->groups[i];
    for (uint32_t j = 0; j < group->degrees.len && counted; j++) {
      counted = add_transitions(s, group, &group->degrees.data[j], &total);
    }
  }
  if (counted) {
    s->transitions = clew_natural_at_most(&total, CLEW_ABSENT);
  }
  clew_natural_free(&total);
  return !clew_run_stopped(&s->run);
}

/* ---- all together ---- */

bool clew_symbolic_judge(struct symbolic *s) {
  bool going = find_fault(s);
  for (uint32_t i = 0; i < s->label_count && going; i++) {
    going = judge_label(s, &s->labels[i]);
  }
  going = going && judge_deadlocks(s);
  if (going) {
    clew_run_gather(&s->run);
  }
  clew_symbolic_forget_rings(s);
  s->fresh = s->expanded = CLEW_LDD_EMPTY;
  return going && !clew_run_stopped(&s->run);
}

/* ---- AG EF ---- */

/* Adds to *good all states of *rest from which it can be reached, and takes them off *rest. */
static bool add_origins(struct symbolic *s, clew_ldd *good, clew_ldd *rest) {
  clew_ldd before = CLEW_LDD_EMPTY;
  clew_dd_keep(s->dd, &before);
  bool going = true;
  while (going && before != *good && *rest != CLEW_LDD_EMPTY) {
    before = *good;
    for (uint32_t i = 0; i < s->group_count && going; i++) {
      const struct symbolic_group *group = &s->groups[i];
      clew_ldd more = clew_ldd_inverse(s->dd, *good, group->relation, group->inverse, *rest);
      clew_dd_keep(s->dd, &more);
      going = clew_symbolic_is_done(s, more);
      clew_ldd left = going ? clew_ldd_minus(s->dd, *rest, more) : CLEW_DD_NONE;
      going = going && clew_symbolic_is_done(s, left);
      *rest = going ? left : *rest;
      going = going && clew_symbolic_add(s, good, more);
      clew_dd_forget(s->dd, &more);
    }
    clew_run_poll(clew_run_worker(&s->run, 0), s->group_count, 0, s->rounds);
    going = going && !clew_run_stopped(&s->run);
  }
  clew_dd_forget(s->dd, &before);
  return going;
}

/* A state from which the label can never hold again, if there is one: *depth is CLEW_NONE if not.
 * False: the run was stopped before that was known. */
static bool find_offender(struct symbolic *s, const struct symbolic_label *label, uint32_t *depth,
                          uint64_t *state) {
  *depth = CLEW_NONE;
  clew_ldd good = clew_ldd_product(s->dd, s->visited, label->holds, label->match);
  clew_dd_keep(s->dd, &good);
  clew_ldd rest =
      clew_symbolic_is_done(s, good) ? clew_ldd_minus(s->dd, s->visited, good) : CLEW_DD_NONE;
  clew_dd_keep(s->dd, &rest);
  bool done = clew_symbolic_is_done(s, rest) && add_origins(s, &good, &rest);
  if (done && rest != CLEW_LDD_EMPTY) {
    done = clew_symbolic_locate(s, rest, depth, state);
  }
  clew_dd_forget(s->dd, &rest);
  clew_dd_forget(s->dd, &good);
  return done;
}

static bool is_open_liveness(const struct symbolic *s, const struct symbolic_label *label) {
  return s->run.model->properties[label->property].kind == CLEW_PROPERTY_LIVENESS &&
         clew_bitset_has(s->run.open, label->property);
}

/* One violation does not end the search for others: all properties are decided, then told. */
void clew_symbolic_check_liveness(struct clew_run *run) {
  struct symbolic *s = symbolic_of(run);
  size_t words = run->model->words;
  uint64_t *states = clew_alloc((s->label_count + (size_t)1) * words * sizeof *states);
  uint32_t *depths = clew_alloc((s->label_count + (size_t)1) * sizeof *depths);
  bool done = true;
  for (uint32_t i = 0; i < s->label_count; i++) {
    depths[i] = CLEW_NONE;
    if (done && is_open_liveness(s, &s->labels[i])) {
      done = find_offender(s, &s->labels[i], &depths[i], states + i * words);
    }
  }
  for (uint32_t i = 0; i < s->label_count; i++) {
    if (depths[i] != CLEW_NONE) {
      struct clew_finding finding = {.property = s->labels[i].property,
                                     .depth = depths[i],
                                     .fault_edge = CLEW_NONE,
                                     .site = CLEW_NONE};
      clew_run_violate(run, &finding, states + i * words);
    }
  }
  if (!done) {
    clew_liveness_leave_undecided(run);
  }
  clew_symbolic_forget_rings(s);
  clew_free(states);
  clew_free(depths);
}
