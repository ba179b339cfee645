/* Broadcasts: a sender and every process that has an enabled receiving edge.
 *
 * One family for each sending step. A *candidate* is a receiving step with values for what it
 * selects. A process that can have several candidates in one location chooses among them by a
 * parameter of the family; the guard makes the choice of one that is not enabled impossible, and
 * choice 0 stands for taking no part as well, which needs that no candidate is enabled. Others take
 * part or not as the old state says. The body first finds out who takes part, then executes the
 * sender's update, then the others' in the order of the system line.
 *
 * Zones. Where a candidate compares clocks, the old state does not say whether it is enabled. Such
 * a receiver is *split*: it always chooses, among options of its location. An option is a term of
 * the guard of a candidate, or a term of the negation of all of them, to take no part. Its atoms
 * are constraints of the rule under the condition that it is chosen. Of the options of a receiver
 * only one is chosen, so their atoms share signals. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>

enum { MOST_CANDIDATES = 10000 };

struct candidate {
  const struct uppaal_step *step;
  struct uppaal_bound bound;
  uint32_t choice;                 /* among those of the same location */
  struct uppaal_form hearing;      /* without the location */
  const struct clew_expr *enabled; /* with the location; NULL: always. Not of split receivers */
};

/* What a split receiver can do in a location. */
struct option {
  uint32_t location, choice;
  uint32_t candidate; /* CLEW_NONE: it takes no part */
  struct uppaal_term term;
};

struct receiver {
  const struct uppaal_instance *process;
  CLEW_VEC(struct candidate) candidates;
  uint32_t choices;
  struct clew_place choice, part; /* choice: type NULL when there is none */
  bool is_split;
  CLEW_VEC(struct option) options;
};

struct broadcast {
  const struct uppaal_step *send;
  struct uppaal_bound bound;
  struct uppaal_selects selects;
  CLEW_VEC(struct receiver) receivers;
  struct uppaal_form guard;
};

/* ---- Candidates ----------------------------------------------------------------------------- */

static void add_candidate(struct uppaal_lowering *l, struct broadcast *b, struct receiver *receiver,
                          const struct uppaal_step *step, struct uppaal_bound bound) {
  if (!clew_uppaal_count_transition(l, step)) {
    return;
  }
  struct candidate candidate = {.step = step, .bound = bound};
  for (uint32_t i = 0; i < receiver->candidates.len; i++) {
    candidate.choice += receiver->candidates.data[i].step->from == step->from;
  }
  uint32_t atoms = l->clock_atoms;
  candidate.hearing = clew_uppaal_lower_hearing(l, b->send, b->bound, step, candidate.bound);
  const struct clew_expr *enabled = clew_uppaal_lower_at(l, step->process, step->from);
  if (clew_uppaal_form_is_plain(candidate.hearing)) {
    enabled = clew_uppaal_and(l, enabled, clew_uppaal_form_expr(l, candidate.hearing));
  } else {
    receiver->is_split = true;
  }
  if (l->clock_atoms > atoms) {
    l->split_span = step->edge->span;
  }
  candidate.enabled = enabled;
  bool is_never = candidate.hearing.count == 0;
  if (!is_never) {
    uint32_t choices = candidate.choice + 1;
    receiver->choices = choices > receiver->choices ? choices : receiver->choices;
    clew_vec_push(&receiver->candidates, candidate);
  }
}

/* One candidate for each combination of the values that the step selects. */
static void add_candidates(struct uppaal_lowering *l, struct broadcast *b,
                           struct receiver *receiver, const struct uppaal_step *step) {
  uint32_t most = MOST_CANDIDATES - receiver->candidates.len;
  struct uppaal_bindings list = {0};
  if (!clew_uppaal_bind_all(l, step, most, &list)) {
    clew_uppaal_fail(l, step->edge->span,
                     "there are too many ways to receive this broadcast: the limit is %d",
                     MOST_CANDIDATES);
  }
  for (uint32_t i = 0; i < list.all.len && clew_front_ok(l->front); i++) {
    add_candidate(l, b, receiver, step, list.all.data[i]);
  }
  clew_vec_free(&list.all);
}

/* ---- Options of split receivers ------------------------------------------------------------- */

static void add_options(struct receiver *receiver, uint32_t location, uint32_t candidate,
                        struct uppaal_form form, uint32_t *choice) {
  for (uint32_t i = 0; i < form.count; i++) {
    struct option option = {location, (*choice)++, candidate, form.terms[i]};
    clew_vec_push(&receiver->options, option);
  }
}

/* The terms of each candidate, and of none. */
static void find_options_at(struct uppaal_lowering *l, struct receiver *receiver,
                            uint32_t location) {
  struct uppaal_form none = clew_uppaal_form_plain(l, NULL);
  uint32_t choice = 0;
  bool found = false;
  for (uint32_t i = 0; i < receiver->candidates.len && clew_front_ok(l->front); i++) {
    const struct candidate *candidate = &receiver->candidates.data[i];
    if (candidate->step->from == location) {
      struct clew_span span = candidate->step->edge->span;
      found = true;
      add_options(receiver, location, i, candidate->hearing, &choice);
      none = clew_uppaal_form_and(l, none, clew_uppaal_form_not(l, candidate->hearing, span), span);
    }
  }
  if (found) {
    add_options(receiver, location, CLEW_NONE, none, &choice);
  }
  receiver->choices = choice > receiver->choices ? choice : receiver->choices;
}

static void find_options(struct uppaal_lowering *l, struct receiver *receiver) {
  receiver->choices = 1;
  for (uint32_t i = 0; i < receiver->process->location_count; i++) {
    find_options_at(l, receiver, i);
  }
}

/* ---- Receivers ------------------------------------------------------------------------------ */

static void find_receivers(struct uppaal_lowering *l, struct broadcast *b) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    struct receiver receiver = {.process = l->processes.data[i]};
    for (uint32_t k = 0; k < receiver.process->step_count; k++) {
      const struct uppaal_step *step = &receiver.process->steps[k];
      if (clew_uppaal_may_meet(b->send, step)) {
        add_candidates(l, b, &receiver, step);
      }
    }
    if (receiver.is_split) {
      find_options(l, &receiver);
    }
    if (receiver.candidates.len > 0) {
      clew_vec_push(&b->receivers, receiver);
    } else {
      clew_vec_free(&receiver.candidates);
    }
  }
}

/* ---- Guards --------------------------------------------------------------------------------- */

static const struct clew_expr *enabled_of(struct uppaal_lowering *l,
                                          const struct candidate *candidate) {
  return candidate->enabled != NULL ? candidate->enabled : clew_uppaal_const(l, 1);
}

/* The location and the choice; NULL: always. */
static const struct clew_expr *chosen(struct uppaal_lowering *l, const struct receiver *receiver,
                                      const struct option *option) {
  const struct clew_expr *at = clew_uppaal_lower_at(l, receiver->process, option->location);
  if (receiver->choice.type == NULL) {
    return at;
  }
  return clew_uppaal_and(l, at, clew_uppaal_equals(l, receiver->choice, option->choice));
}

static const struct clew_expr *or_true(struct uppaal_lowering *l, const struct clew_expr *expr) {
  return expr != NULL ? expr : clew_uppaal_const(l, 1);
}

/* Of a split receiver: an option with this candidate is chosen. */
static const struct clew_expr *split_taken(struct uppaal_lowering *l,
                                           const struct receiver *receiver, uint32_t candidate) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < receiver->options.len; i++) {
    if (receiver->options.data[i].candidate == candidate) {
      any = clew_uppaal_or(l, any, or_true(l, chosen(l, receiver, &receiver->options.data[i])));
    }
  }
  return any != NULL ? any : clew_uppaal_const(l, 0);
}

/* Enabled and, if there is a choice, chosen. */
static const struct clew_expr *taken(struct uppaal_lowering *l, const struct receiver *receiver,
                                     uint32_t number) {
  const struct candidate *candidate = &receiver->candidates.data[number];
  if (receiver->is_split) {
    return split_taken(l, receiver, number);
  }
  const struct clew_expr *is_it = receiver->choice.type != NULL
                                      ? clew_uppaal_equals(l, receiver->choice, candidate->choice)
                                      : NULL;
  return clew_uppaal_and(l, is_it, enabled_of(l, candidate));
}

static const char *add_name(struct uppaal_lowering *l, const char *name, const char *more) {
  return name == NULL ? more : clew_arena_printf(l->arena, "%s or %s", name, more);
}

/* How a choice prints: the steps that it can stand for, one for each location. */
static const char *choice_name(struct uppaal_lowering *l, const struct receiver *receiver,
                               uint32_t choice) {
  const char *name = NULL;
  for (uint32_t i = 0; i < receiver->candidates.len && !receiver->is_split; i++) {
    const struct candidate *candidate = &receiver->candidates.data[i];
    if (candidate->choice == choice) {
      name = add_name(l, name, clew_uppaal_step_ends(l, candidate->step));
    }
  }
  for (uint32_t i = 0; i < receiver->options.len; i++) {
    const struct option *option = &receiver->options.data[i];
    if (option->choice == choice && option->candidate == CLEW_NONE) {
      const struct uppaal_ref *at = &receiver->process->locations[option->location]->name;
      name = add_name(l, name, clew_uppaal_keep(l, at->name->id.text));
    } else if (option->choice == choice) {
      const struct uppaal_step *step = receiver->candidates.data[option->candidate].step;
      name = add_name(l, name, clew_uppaal_step_ends(l, step));
    }
  }
  return name != NULL ? name : "-";
}

static void add_choice(struct uppaal_lowering *l, struct broadcast *b, struct receiver *receiver) {
  struct clew_parameter parameter = {.name = receiver->process->name};
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, receiver->choices);
  for (uint32_t i = 0; i < receiver->choices; i++) {
    names[i] = choice_name(l, receiver, i);
  }
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = 0, .hi = (int64_t)receiver->choices - 1, .names = names};
  const struct clew_type *type = clew_type_scalar(l->arena, domain, false);
  receiver->choice = clew_uppaal_local(l, parameter.name, type);
  parameter.cell = receiver->choice.base;
  parameter.domain = type->domain;
  clew_vec_push(&b->selects.list, parameter);
}

/* The choice is possible: of an option whose condition holds, or 0 where there are none. */
static const struct clew_expr *split_guard(struct uppaal_lowering *l,
                                           const struct receiver *receiver) {
  const struct clew_expr *any = NULL, *here = NULL;
  uint32_t last = CLEW_NONE;
  for (uint32_t i = 0; i < receiver->options.len; i++) {
    const struct option *option = &receiver->options.data[i];
    const struct clew_expr *possible =
        clew_uppaal_and(l, chosen(l, receiver, option), option->term.when);
    any = clew_uppaal_or(l, any, or_true(l, possible));
    if (option->location != last) {
      here = clew_uppaal_or(
          l, here, or_true(l, clew_uppaal_lower_at(l, receiver->process, option->location)));
    }
    last = option->location;
  }
  const struct clew_expr *elsewhere = clew_uppaal_not(l, here);
  if (receiver->choice.type != NULL) {
    elsewhere = clew_uppaal_and(l, elsewhere, clew_uppaal_equals(l, receiver->choice, 0));
  }
  return clew_uppaal_or(l, any, elsewhere);
}

/* The choice is possible: of an enabled candidate, or 0 and there is none. */
static const struct clew_expr *choice_guard(struct uppaal_lowering *l,
                                            const struct receiver *receiver) {
  const struct clew_expr *any = NULL, *enabled = NULL;
  for (uint32_t i = 0; i < receiver->candidates.len; i++) {
    any = clew_uppaal_or(l, any, enabled_of(l, &receiver->candidates.data[i]));
    enabled = clew_uppaal_or(l, enabled, taken(l, receiver, i));
  }
  const struct clew_expr *none =
      clew_uppaal_and(l, clew_uppaal_equals(l, receiver->choice, 0), clew_uppaal_not(l, any));
  return clew_uppaal_or(l, enabled, none);
}

/* Nobody is in a committed location, or somebody who is takes part. */
static const struct clew_expr *committed_guard(struct uppaal_lowering *l,
                                               const struct broadcast *b) {
  if (l->uncommitted == NULL || clew_uppaal_leaves_committed(b->send)) {
    return NULL;
  }
  const struct clew_expr *guard = l->uncommitted;
  for (uint32_t i = 0; i < b->receivers.len; i++) {
    const struct receiver *receiver = &b->receivers.data[i];
    for (uint32_t k = 0; k < receiver->candidates.len; k++) {
      const struct candidate *candidate = &receiver->candidates.data[k];
      if (clew_uppaal_leaves_committed(candidate->step)) {
        guard = clew_uppaal_or(l, guard, taken(l, receiver, k));
      }
    }
  }
  return guard;
}

/* Nothing of higher priority is enabled. Whoever receives the broadcast may give it a higher
 * priority than the sender's. */
static struct uppaal_form lower_unblocked(struct uppaal_lowering *l, const struct broadcast *b) {
  struct clew_span span = b->send->edge->span;
  struct uppaal_form any = clew_uppaal_lower_unblocked(l, b->send, NULL);
  for (uint32_t i = 0; i < b->receivers.len; i++) {
    const struct receiver *receiver = &b->receivers.data[i];
    bool counts = receiver->process->rank > b->send->process->rank;
    for (uint32_t k = 0; k < receiver->candidates.len && counts; k++) {
      const struct candidate *candidate = &receiver->candidates.data[k];
      struct uppaal_form hears = clew_uppaal_form_plain(
          l, clew_uppaal_lower_at(l, receiver->process, candidate->step->from));
      hears = clew_uppaal_form_and(l, hears, candidate->hearing, span);
      struct uppaal_form with = clew_uppaal_form_and(
          l, hears, clew_uppaal_lower_unblocked(l, b->send, candidate->step), span);
      any = clew_uppaal_form_or(l, any, with, span);
    }
  }
  return any;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

/* part := the number of the candidate that is taken, from 1 on, or 0. */
static void find_part(struct uppaal_lowering *l, struct receiver *receiver,
                      struct clew_list *body) {
  receiver->part =
      clew_uppaal_local(l, "part", clew_uppaal_range_type(l, 0, (int64_t)receiver->candidates.len));
  clew_list_add(body,
                clew_stmt_assign(l->program, receiver->part, clew_uppaal_const(l, 0), CLEW_NONE));
  for (uint32_t i = 0; i < receiver->candidates.len; i++) {
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = taken(l, receiver, i);
    branch->body =
        clew_stmt_assign(l->program, receiver->part, clew_uppaal_const(l, i + 1), CLEW_NONE);
    clew_list_add(body, branch);
  }
}

static const struct clew_stmt *
add_updates(struct uppaal_lowering *l, const struct receiver *receiver, struct clew_list *body) {
  uint32_t count = receiver->candidates.len;
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct candidate *candidate = &receiver->candidates.data[i];
    struct clew_list update = {0};
    clew_uppaal_lower_update(l, candidate->step, candidate->bound, &update);
    values[i] = i + 1;
    cases[i] = (struct clew_case){.values = &values[i], .value_count = 1, .body = update.first};
  }
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_uppaal_load(l, receiver->part);
  stmt->cases = cases;
  stmt->case_count = count;
  clew_list_add(body, stmt);
  return stmt;
}

/* ---- Constraints ---------------------------------------------------------------------------- */

static bool is_same_place(bool has_a, const struct clew_place *a, bool has_b,
                          const struct clew_place *b) {
  return has_a == has_b && (!has_a || a->base + a->offset == b->base + b->offset);
}

/* Whether an atom before this one in the term may be about the same clocks. */
static bool is_repeated(const struct uppaal_term *term, uint32_t number) {
  const struct uppaal_atom *atom = &term->atoms[number];
  for (uint32_t i = 0; i < number; i++) {
    const struct uppaal_atom *each = &term->atoms[i];
    if (each->is_strict == atom->is_strict &&
        is_same_place(each->has_i, &each->i, atom->has_i, &atom->i) &&
        is_same_place(each->has_j, &each->j, atom->has_j, &atom->j)) {
      return true;
    }
  }
  return false;
}

static void put_receiver_atoms(struct uppaal_lowering *l, const struct receiver *receiver,
                               struct clew_list *out) {
  uint32_t group = clew_uppaal_begin_group(l);
  for (uint32_t i = 0; i < receiver->options.len; i++) {
    const struct option *option = &receiver->options.data[i];
    const struct clew_expr *condition = chosen(l, receiver, option);
    for (uint32_t k = 0; k < option->term.atom_count; k++) {
      struct uppaal_atom atom = option->term.atoms[k];
      atom.condition = clew_uppaal_and(l, condition, atom.condition);
      clew_uppaal_put_group_atom(l, &atom, is_repeated(&option->term, k) ? CLEW_NONE : group, out);
    }
  }
}

static void put_constraints(struct uppaal_lowering *l, const void *context, struct clew_list *out) {
  const struct broadcast *b = context;
  for (uint32_t i = 0; i < b->receivers.len; i++) {
    put_receiver_atoms(l, &b->receivers.data[i], out);
  }
}

/* ---- The rule ------------------------------------------------------------------------------- */

static void add_rule(struct uppaal_lowering *l, struct broadcast *b) {
  struct clew_list body = {0};
  for (uint32_t i = 0; i < b->receivers.len; i++) {
    find_part(l, &b->receivers.data[i], &body);
  }
  l->sets_clocks = false;
  clew_uppaal_lower_around(l, false, &body);
  clew_uppaal_lower_update(l, b->send, b->bound, &body);
  CLEW_VEC(const struct uppaal_step *) steps = {0};
  CLEW_VEC(struct uppaal_update) updates = {0};
  clew_vec_push(&steps, b->send);
  for (uint32_t i = 0; i < b->receivers.len; i++) {
    const struct receiver *receiver = &b->receivers.data[i];
    struct uppaal_update update = {receiver->process, add_updates(l, receiver, &body)};
    clew_vec_push(&updates, update);
    for (uint32_t k = 0; k < receiver->candidates.len; k++) {
      clew_vec_push(&steps, receiver->candidates.data[k].step);
    }
  }
  clew_uppaal_lower_around(l, true, &body);
  clew_uppaal_settle(l, steps.data, steps.len, 1, l->sets_clocks, &body);
  clew_uppaal_judge_updates(l, updates.data, updates.len, b->guard, b->send->edge->span);
  clew_vec_free(&updates);
  clew_vec_free(&steps);
  clew_uppaal_announce(l, &body);
  struct clew_rule rule = {.name = clew_arena_printf(l->arena, "%s (%s!)",
                                                     clew_uppaal_step_name(l, b->send),
                                                     clew_uppaal_channel_name(l, b->send)),
                           .position = clew_front_position(l->front, b->send->edge->span)};
  struct uppaal_rules rules = {0};
  struct uppaal_more more = {put_constraints, b};
  struct uppaal_rule_steps surely = {b->send, NULL}; /* who receives depends on the state */
  clew_uppaal_add_rules(l, &rule, surely, b->guard, more, &body, &rules);
  if (rules.list.len > 0) {
    clew_program_add_family(l->program, false, l->frame, b->selects.list.data, b->selects.list.len,
                            rules.list.data, rules.list.len);
  }
  clew_vec_free(&rules.list);
}

/* Whether the combinations of what is selected and chosen are too many, which is said then. */
static bool has_too_many(struct uppaal_lowering *l, const struct broadcast *b) {
  uint64_t instances = 1;
  for (uint32_t i = 0; i < b->selects.list.len && instances <= CLEW_MAX_EDGES; i++) {
    const struct clew_domain *domain = b->selects.list.data[i].domain;
    instances *= (uint64_t)(domain->hi - domain->lo) + 1;
  }
  if (instances > CLEW_MAX_EDGES && clew_front_ok(l->front)) {
    clew_uppaal_fail(
        l, b->send->edge->span,
        "the processes that can receive this broadcast have too many choices together: "
        "the limit is %d",
        CLEW_MAX_EDGES);
  }
  return instances > CLEW_MAX_EDGES;
}

void clew_uppaal_lower_broadcast(struct uppaal_lowering *l, const struct uppaal_step *send) {
  assert(send->edge->sends && send->channel->is_broadcast);
  struct broadcast b = {.send = send};
  l->frame = clew_program_add_frame(l->program);
  b.bound = clew_uppaal_bind(l, send, &b.selects);
  find_receivers(l, &b);
  for (uint32_t i = 0; i < b.receivers.len; i++) {
    if (b.receivers.data[i].choices > 1) {
      add_choice(l, &b, &b.receivers.data[i]);
    }
  }
  struct clew_span span = send->edge->span;
  b.guard = clew_uppaal_form_plain(l, clew_uppaal_lower_at(l, send->process, send->from));
  b.guard = clew_uppaal_form_and(l, b.guard, clew_uppaal_lower_guard(l, send, b.bound), span);
  const struct clew_expr *possible = committed_guard(l, &b);
  /* Under errors a receiver may lack options. */
  for (uint32_t i = 0; i < b.receivers.len && clew_front_ok(l->front); i++) {
    const struct receiver *receiver = &b.receivers.data[i];
    if (receiver->is_split) {
      possible = clew_uppaal_and(l, possible, split_guard(l, receiver));
    } else if (receiver->choices > 1) {
      possible = clew_uppaal_and(l, possible, choice_guard(l, receiver));
    }
  }
  b.guard = clew_uppaal_form_and(l, b.guard, clew_uppaal_form_plain(l, possible), span);
  b.guard = clew_uppaal_form_and(l, b.guard, lower_unblocked(l, &b), span);
  if (!has_too_many(l, &b) && clew_front_ok(l->front)) {
    add_rule(l, &b);
  }
  for (uint32_t i = 0; i < b.receivers.len; i++) {
    clew_vec_free(&b.receivers.data[i].candidates);
    clew_vec_free(&b.receivers.data[i].options);
  }
  clew_vec_free(&b.receivers);
  clew_vec_free(&b.selects.list);
}
