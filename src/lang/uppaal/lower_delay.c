/* Digital time: the rule that lets one unit of time pass.
 *
 * It is enabled when no location is committed or urgent, no synchronisation on an urgent channel is
 * enabled, and some clock is not yet at its top: beyond that, time changes nothing. So a state
 * without successors is one from which no action is possible, now or later. Invariants need no
 * mention: states in which one is false do not exist. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"

/* No process is in a location where time stands still; NULL: always. */
static const struct clew_expr *lower_calm(struct uppaal_lowering *l) {
  const struct clew_expr *calm = NULL;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->location_count; k++) {
      if (process->locations[k]->is_urgent || process->locations[k]->is_committed) {
        const struct clew_expr *at = clew_uppaal_lower_at(l, process, k);
        at = at != NULL ? at : clew_uppaal_const(l, 1);
        calm = clew_uppaal_and(l, calm, clew_uppaal_not(l, at));
      }
    }
  }
  return calm;
}

/* Where it is enabled, with what the steps select bound. */
static struct uppaal_form lower_enabled(struct uppaal_lowering *l, const struct uppaal_step *send,
                                        struct uppaal_bound bound,
                                        const struct uppaal_step *receive,
                                        struct uppaal_bound partner) {
  const struct clew_expr *at = clew_uppaal_lower_at(l, send->process, send->from);
  struct uppaal_form guard;
  if (receive != NULL) {
    at = clew_uppaal_and(l, at, clew_uppaal_lower_at(l, receive->process, receive->from));
    guard = clew_uppaal_lower_meeting(l, send, bound, receive, partner);
  } else {
    guard = clew_uppaal_lower_guard(l, send, bound);
  }
  return clew_uppaal_form_and(l, clew_uppaal_form_plain(l, at), guard, send->edge->span);
}

/* With clocks there is a case for each combination of values. */
static struct uppaal_form lower_cases(struct uppaal_lowering *l, const struct uppaal_step *send,
                                      const struct uppaal_step *receive) {
  enum { MOST_CASES = 1000 };
  struct uppaal_form any = {NULL, 0};
  struct uppaal_bindings sends = {0}, receives = {0};
  struct uppaal_bound nothing = {0};
  bool fits = clew_uppaal_bind_all(l, send, MOST_CASES, &sends) &&
              (receive == NULL || clew_uppaal_bind_all(l, receive, MOST_CASES, &receives));
  if (receive == NULL) {
    clew_vec_push(&receives.all, nothing);
  }
  if (!fits || (uint64_t)sends.all.len * receives.all.len > MOST_CASES) {
    clew_uppaal_fail(l, send->edge->span, "this edge selects too many values: the limit is %d",
                     MOST_CASES);
    sends.all.len = 0;
  }
  for (uint32_t i = 0; i < sends.all.len; i++) {
    for (uint32_t k = 0; k < receives.all.len; k++) {
      struct uppaal_form each =
          lower_enabled(l, send, sends.all.data[i], receive, receives.all.data[k]);
      any = clew_uppaal_form_or(l, any, each, send->edge->span);
    }
  }
  clew_vec_free(&sends.all);
  clew_vec_free(&receives.all);
  return any;
}

struct uppaal_form clew_uppaal_lower_possible(struct uppaal_lowering *l,
                                              const struct uppaal_step *send,
                                              const struct uppaal_step *receive) {
  struct uppaal_selects selects = {0};
  uint32_t atoms = l->clock_atoms;
  struct uppaal_bound bound = clew_uppaal_bind(l, send, &selects), partner = {0};
  if (receive != NULL) {
    partner = clew_uppaal_bind(l, receive, &selects);
  }
  struct uppaal_form form = lower_enabled(l, send, bound, receive, partner);
  if (l->clock_atoms > atoms) {
    l->split_span = send->edge->span;
  }
  if (selects.list.len > 0 && !clew_uppaal_form_is_plain(form)) {
    form = lower_cases(l, send, receive);
  } else if (selects.list.len > 0) {
    const struct clew_expr *enabled = clew_uppaal_form_expr(l, form);
    enabled = enabled != NULL ? enabled : clew_uppaal_const(l, 1);
    for (uint32_t i = selects.list.len; i > 0; i--) {
      const struct clew_parameter *each = &selects.list.data[i - 1];
      enabled = clew_expr_quantify(l->program, CLEW_OP_EXISTS, each->cell,
                                   clew_uppaal_const(l, each->domain->lo),
                                   clew_uppaal_const(l, each->domain->hi), 1, enabled);
    }
    form = clew_uppaal_form_plain(l, enabled);
  }
  clew_vec_free(&selects.list);
  return form;
}

/* Time may stop only as the discrete part of a state says. */
static const struct clew_expr *lower_urgent_step(struct uppaal_lowering *l,
                                                 const struct uppaal_step *send,
                                                 const struct uppaal_step *receive) {
  struct uppaal_form form = clew_uppaal_lower_possible(l, send, receive);
  if (clew_uppaal_form_is_plain(form)) {
    const struct clew_expr *enabled = clew_uppaal_form_expr(l, form);
    return enabled != NULL ? enabled : clew_uppaal_const(l, 1);
  }
  if (clew_front_ok(l->front)) {
    clew_uppaal_fail(l, send->edge->span,
                     "a guard compares clocks, which no synchronisation on an urgent channel may "
                     "do");
  }
  return clew_uppaal_const(l, 0);
}

static const struct clew_expr *lower_urgent_pairs(struct uppaal_lowering *l,
                                                  const struct uppaal_step *send) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count; k++) {
      if (clew_uppaal_may_meet(send, &process->steps[k])) {
        any = clew_uppaal_or(l, any, lower_urgent_step(l, send, &process->steps[k]));
      }
    }
  }
  return any;
}

/* Whether a synchronisation on an urgent channel is enabled; NULL: never. */
static const struct clew_expr *lower_urgent(struct uppaal_lowering *l) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count; k++) {
      const struct uppaal_step *step = &process->steps[k];
      if (step->channel == NULL || !step->edge->sends || !step->channel->is_urgent) {
        continue;
      }
      any = clew_uppaal_or(l, any,
                           step->channel->is_broadcast ? lower_urgent_step(l, step, NULL)
                                                       : lower_urgent_pairs(l, step));
    }
  }
  return any;
}

const struct clew_expr *clew_uppaal_lower_still(struct uppaal_lowering *l) {
  const struct clew_expr *calm = lower_calm(l);
  return clew_uppaal_or(l, calm != NULL ? clew_uppaal_not(l, calm) : NULL, lower_urgent(l));
}

void clew_uppaal_lower_delay(struct uppaal_lowering *l) {
  const struct clew_expr *moving = NULL;
  struct clew_list body = {0};
  struct clew_span span = l->system->processes->members[0]->span;
  l->frame = clew_program_add_frame(l->program);
  for (uint32_t i = 0; i < l->clocks.len; i++) {
    struct clew_place place = l->clocks.data[i].place;
    const struct clew_expr *top = clew_uppaal_lower_top(l, &l->clocks.data[i], NULL, 0);
    if (top->hi == 0) {
      continue;
    }
    const struct clew_expr *value = clew_uppaal_load(l, place);
    const struct clew_expr *below = clew_expr_binary(l->program, CLEW_OP_LT, value, top, CLEW_NONE);
    moving = clew_uppaal_or(l, moving, below);
    struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
    branch->value = below;
    branch->body = clew_stmt_assign(
        l->program, place,
        clew_expr_binary(l->program, CLEW_OP_ADD, value, clew_uppaal_const(l, 1), CLEW_NONE),
        clew_uppaal_site(l, CLEW_SITE_RANGE, span, "a clock leaves its range"));
    clew_list_add(&body, branch);
  }
  const struct clew_expr *guard = clew_uppaal_and(l, lower_calm(l), moving);
  const struct clew_expr *urgent = lower_urgent(l);
  if (urgent != NULL) {
    guard = clew_uppaal_and(l, guard, clew_uppaal_not(l, urgent));
  }
  if (moving == NULL) {
    return;
  }
  struct clew_rule rule = {.name = "delay 1",
                           .position = clew_front_position(l->front, span),
                           .guard = guard,
                           .body = body.first};
  clew_program_add_family(l->program, false, l->frame, NULL, 0, &rule, 1);
}
