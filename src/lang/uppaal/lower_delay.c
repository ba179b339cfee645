/* Digital time: the rule that lets one unit of time pass.
 *
 * It is enabled when no location is committed or urgent, no synchronisation on an urgent channel is
 * enabled, and some clock is not yet at its top: beyond that, time changes nothing. So a state
 * without successors is one from which no action is possible, now or later. Invariants need no
 * mention: states in which one is false do not exist. */
#include "lang/uppaal/lower.h"

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

const struct clew_expr *clew_uppaal_lower_possible(struct uppaal_lowering *l,
                                                   const struct uppaal_step *send,
                                                   const struct uppaal_step *receive,
                                                   const char *what) {
  struct uppaal_selects selects = {0};
  uint32_t atoms = l->clock_atoms;
  struct uppaal_bound bound = clew_uppaal_bind(l, send, &selects);
  const struct clew_expr *enabled = clew_uppaal_lower_at(l, send->process, send->from);
  struct uppaal_form guard;
  if (receive != NULL) {
    struct uppaal_bound partner = clew_uppaal_bind(l, receive, &selects);
    enabled = clew_uppaal_and(l, enabled, clew_uppaal_lower_at(l, receive->process, receive->from));
    guard = clew_uppaal_lower_meeting(l, send, bound, receive, partner);
  } else {
    guard = clew_uppaal_lower_guard(l, send, bound);
  }
  if (clew_uppaal_form_is_plain(guard)) {
    enabled = clew_uppaal_and(l, enabled, clew_uppaal_form_expr(l, guard));
  } else if (clew_front_ok(l->front)) {
    clew_uppaal_fail(l, send->edge->span, "a guard of %s compares clocks, which is not supported",
                     what);
  }
  enabled = enabled != NULL ? enabled : clew_uppaal_const(l, 1);
  for (uint32_t i = selects.list.len; i > 0; i--) {
    const struct clew_parameter *each = &selects.list.data[i - 1];
    enabled = clew_expr_quantify(l->program, CLEW_OP_EXISTS, each->cell,
                                 clew_uppaal_const(l, each->domain->lo),
                                 clew_uppaal_const(l, each->domain->hi), 1, enabled);
  }
  clew_vec_free(&selects.list);
  if (l->clock_atoms > atoms) {
    l->split_span = send->edge->span;
  }
  return enabled;
}

static const char urgent_name[] = "a synchronisation on an urgent channel";

static const struct clew_expr *lower_urgent_pairs(struct uppaal_lowering *l,
                                                  const struct uppaal_step *send) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count; k++) {
      if (clew_uppaal_may_meet(send, &process->steps[k])) {
        any = clew_uppaal_or(l, any,
                             clew_uppaal_lower_possible(l, send, &process->steps[k], urgent_name));
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
                           step->channel->is_broadcast
                               ? clew_uppaal_lower_possible(l, step, NULL, urgent_name)
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
