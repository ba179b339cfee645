/* Priorities of channels and of processes.
 *
 * A transition has the priority of its channel (`default` without one) and, among equals, the
 * greatest of those of its processes. It is blocked while one of higher priority is enabled; time
 * is never blocked. So every rule but those of the highest class has one more condition: a call of
 * a function that says whether anything above its class is enabled. Each of these functions looks
 * at one class and calls that of the class above.
 *
 * With zones a transition that compares clocks is no part of these functions: the negation of its
 * condition becomes part of the guards of the rules that it blocks.
 *
 * A transition is enabled if its guards are true and the invariants hold behind it
 * (lower_arrival.c).
 *
 * A broadcast has the priority of the greatest of its processes, and who receives it depends on the
 * state. So it is a transition without receivers here, and one with each receiver of a higher
 * priority than the sender's. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"

/* ---- Priorities of channels ----------------------------------------------------------------- */

static bool is_default(const struct uppaal_expr *expr) {
  return expr->kind == UPPAAL_EXPR_NAME && strcmp(expr->ref.name->id.text, "default") == 0;
}

static void rank_channels(struct uppaal_lowering *l, const struct uppaal_expr *member,
                          uint32_t rank) {
  struct uppaal_value value = clew_uppaal_lower_value(l, member);
  if (value.kind == UPPAAL_VALUE_WRONG) {
    return;
  }
  if (value.kind != UPPAAL_VALUE_CHANNEL || value.expr->kind != CLEW_EXPR_CONST) {
    clew_uppaal_fail(l, member->span, "\"%s\" is no channel",
                     clew_front_excerpt(l->front, member->span));
    return;
  }
  for (uint32_t i = 0; i < value.type->cells; i++) {
    struct uppaal_channel_rank entry = {(uint32_t)value.expr->value + i, rank};
    clew_vec_push(&l->channel_ranks, entry);
  }
}

void clew_uppaal_lower_channel_ranks(struct uppaal_lowering *l, const struct uppaal_decl *decl) {
  uint32_t number = 0;
  bool has_default = false;
  l->frame = clew_program_add_frame(l->program);
  for (const struct uppaal_rank *rank = decl->priorities; rank != NULL; rank = rank->next) {
    for (uint32_t i = 0; i < rank->count; i++) {
      if (is_default(rank->members[i])) {
        l->default_rank = number;
        has_default = true;
      } else {
        rank_channels(l, rank->members[i], number);
      }
    }
    number++;
  }
  if (!has_default) {
    clew_uppaal_fail(l, decl->name.span, "these priorities do not say where 'default' is");
  }
}

static uint32_t rank_of_channel(const struct uppaal_lowering *l, int64_t channel) {
  for (uint32_t i = 0; i < l->channel_ranks.len; i++) {
    if (l->channel_ranks.data[i].channel == channel) {
      return l->channel_ranks.data[i].rank;
    }
  }
  return l->default_rank;
}

/* ---- Priorities of transitions -------------------------------------------------------------- */

static uint64_t class_of(struct uppaal_lowering *l, const struct uppaal_step *step,
                         const struct uppaal_step *receive) {
  uint32_t channel = l->default_rank, process = step->process->rank;
  if (step->channel != NULL) {
    channel = rank_of_channel(l, step->channel_lo);
    for (int64_t i = step->channel_lo; i <= step->channel_hi && l->channel_ranks.len > 0; i++) {
      if (rank_of_channel(l, i) != channel && clew_front_ok(l->front)) {
        clew_uppaal_fail(l, step->edge->channel->span,
                         "the channels that this can be have different priorities, which is not "
                         "supported yet");
      }
    }
  }
  if (receive != NULL && receive->process->rank > process) {
    process = receive->process->rank;
  }
  return (uint64_t)channel << 32 | process;
}

/* ---- All transitions ------------------------------------------------------------------------ */

static void add_transition(struct uppaal_lowering *l, const struct uppaal_step *step,
                           const struct uppaal_step *receive) {
  struct uppaal_transition transition = {
      .step = step, .receive = receive, .class = class_of(l, step, receive)};
  clew_vec_push(&l->transitions, transition);
}

/* A pair of each sender and receiver; of a broadcast those in which the receiver counts. */
static void add_pairs(struct uppaal_lowering *l, const struct uppaal_step *send) {
  for (uint32_t p = 0; p < l->processes.len; p++) {
    const struct uppaal_instance *partner = l->processes.data[p];
    bool counts = !send->channel->is_broadcast || partner->rank > send->process->rank;
    for (uint32_t r = 0; r < partner->step_count && counts; r++) {
      if (clew_uppaal_may_meet(send, &partner->steps[r])) {
        add_transition(l, send, &partner->steps[r]);
      }
    }
  }
}

static void find_transitions(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    for (uint32_t k = 0; k < l->processes.data[i]->step_count; k++) {
      const struct uppaal_step *step = &l->processes.data[i]->steps[k];
      if (step->channel == NULL || (step->edge->sends && step->channel->is_broadcast)) {
        add_transition(l, step, NULL);
      }
      if (step->channel != NULL && step->edge->sends) {
        add_pairs(l, step);
      }
    }
  }
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* Where a process hears the broadcast that is in a committed location: then the sender need not be
 * in one. */
static struct uppaal_form lower_committed_hearers(struct uppaal_lowering *l,
                                                  const struct uppaal_step *send) {
  struct uppaal_form any = {NULL, 0};
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count; k++) {
      const struct uppaal_step *step = &process->steps[k];
      if (clew_uppaal_leaves_committed(step) && clew_uppaal_may_meet(send, step)) {
        any = clew_uppaal_form_or(l, any, clew_uppaal_lower_possible(l, send, step),
                                  send->edge->span);
      }
    }
  }
  return any;
}

static struct uppaal_form lower_enabled(struct uppaal_lowering *l,
                                        const struct uppaal_transition *transition) {
  const struct uppaal_step *step = transition->step, *receive = transition->receive;
  bool committed = clew_uppaal_leaves_committed(step) ||
                   (receive != NULL && clew_uppaal_leaves_committed(receive));
  bool is_broadcast = step->channel != NULL && step->channel->is_broadcast;
  struct clew_span span = step->edge->span;
  struct uppaal_form form = clew_uppaal_form_plain(l, committed ? NULL : l->uncommitted);
  if (!committed && is_broadcast) {
    form = clew_uppaal_form_or(l, form, lower_committed_hearers(l, step), span);
  }
  form = clew_uppaal_form_and(l, form, clew_uppaal_lower_possible(l, step, receive), span);
  return clew_uppaal_form_and(
      l, form, clew_uppaal_lower_arrival(l, step, is_broadcast ? NULL : receive), span);
}

/* Whether a transition of this class, or of one above, is enabled, clocks aside. */
static const struct clew_expr *lower_class(struct uppaal_lowering *l, uint64_t class,
                                           const struct clew_expr *above) {
  struct clew_span nowhere = {0, 0};
  struct clew_function *function =
      clew_uppaal_function(l, "any_above", clew_uppaal_range_type(l, 0, 1), nowhere);
  const struct clew_expr *any = above;
  l->frame = function->frame;
  for (uint32_t i = 0; i < l->transitions.len; i++) {
    struct uppaal_transition *each = &l->transitions.data[i];
    if (each->class != class) {
      continue;
    }
    struct uppaal_form enabled = lower_enabled(l, each);
    each->is_clocky = !clew_uppaal_form_is_plain(enabled);
    if (!each->is_clocky) {
      const struct clew_expr *expr = clew_uppaal_form_expr(l, enabled);
      any = clew_uppaal_or(l, any, expr != NULL ? expr : clew_uppaal_const(l, 1));
    }
  }
  struct clew_stmt *end = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  end->value = any != NULL ? any : clew_uppaal_const(l, 0);
  function->body = end;
  return clew_uppaal_call(l, function, NULL, nowhere);
}

static int compare_classes(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x < y) - (x > y);
}

/* The classes in use, the highest first. */
static uint32_t find_classes(struct uppaal_lowering *l, uint64_t **classes) {
  uint32_t count = 0;
  *classes = CLEW_NEW_ARRAY(l->front->arena, uint64_t, l->transitions.len + 1);
  for (uint32_t i = 0; i < l->transitions.len; i++) {
    (*classes)[i] = l->transitions.data[i].class;
  }
  qsort(*classes, l->transitions.len, sizeof **classes, compare_classes);
  for (uint32_t i = 0; i < l->transitions.len; i++) {
    if (count == 0 || (*classes)[count - 1] != (*classes)[i]) {
      (*classes)[count++] = (*classes)[i];
    }
  }
  return count;
}

void clew_uppaal_lower_priorities(struct uppaal_lowering *l) {
  if (l->channel_ranks.len == 0 && l->system->processes->next == NULL) {
    return;
  }
  find_transitions(l);
  uint64_t *classes;
  uint32_t count = clew_front_ok(l->front) ? find_classes(l, &classes) : 0;
  const struct clew_expr *above = NULL;
  for (uint32_t i = 0; i + 1 < count && clew_front_ok(l->front); i++) {
    above = lower_class(l, classes[i], above);
    struct uppaal_class entry = {classes[i + 1], clew_uppaal_not(l, above)};
    clew_vec_push(&l->classes, entry);
  }
}

/* Where none of the transitions above that compare clocks is enabled. It is lowered again for each
 * rule, for it becomes part of the rule. */
static struct uppaal_form lower_clocky(struct uppaal_lowering *l, uint64_t class,
                                       struct uppaal_form form) {
  for (uint32_t i = 0; i < l->transitions.len && clew_front_ok(l->front); i++) {
    const struct uppaal_transition *each = &l->transitions.data[i];
    if (each->is_clocky && each->class > class) {
      struct clew_span span = each->step->edge->span;
      struct uppaal_form blocked = lower_enabled(l, each);
      form = clew_uppaal_form_and(l, form, clew_uppaal_form_not(l, blocked, span), span);
    }
  }
  return form;
}

struct uppaal_form clew_uppaal_lower_unblocked(struct uppaal_lowering *l,
                                               const struct uppaal_step *step,
                                               const struct uppaal_step *receive) {
  uint64_t class = l->classes.len > 0 ? class_of(l, step, receive) : 0;
  for (uint32_t i = 0; i < l->classes.len; i++) {
    if (l->classes.data[i].class == class) {
      struct uppaal_form plain = clew_uppaal_form_plain(l, l->classes.data[i].unblocked);
      return lower_clocky(l, class, plain);
    }
  }
  return clew_uppaal_form_plain(l, NULL);
}
