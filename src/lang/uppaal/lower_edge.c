/* Edges: rules for internal steps and for synchronisations of two. */
#include "lang/uppaal/lower.h"

#include <assert.h>

/* ---- Parts of steps ------------------------------------------------------------------------- */

const struct clew_expr *clew_uppaal_lower_at(struct uppaal_lowering *l,
                                             const struct uppaal_instance *process,
                                             uint32_t location) {
  return process->place.type != NULL ? clew_uppaal_equals(l, process->place, location) : NULL;
}

static struct uppaal_scope *bind_selections(struct uppaal_lowering *l,
                                            const struct uppaal_selection *selections,
                                            struct uppaal_scope *outer,
                                            struct uppaal_selects *selects) {
  struct uppaal_scope *scope = clew_uppaal_scope_new(l, outer), *saved = l->scope;
  l->scope = scope;
  for (const struct uppaal_selection *each = selections; each != NULL; each = each->next) {
    int64_t lo, hi;
    (void)clew_uppaal_shape_range(l, each->type, &lo, &hi);
    struct uppaal_symbol *symbol = clew_uppaal_declare(l, each->name, UPPAAL_SYMBOL_VARIABLE);
    const char *name = clew_uppaal_keep(l, each->name.name->id.text);
    symbol->type = clew_uppaal_shape(l, each->type);
    symbol->is_read_only = true;
    symbol->place = clew_uppaal_local(l, name, clew_uppaal_range_type(l, lo, hi));
    struct clew_parameter parameter = {name, symbol->place.base, symbol->place.type->domain};
    clew_vec_push(&selects->list, parameter);
  }
  l->scope = saved;
  return scope;
}

struct uppaal_bound clew_uppaal_bind(struct uppaal_lowering *l, const struct uppaal_step *step,
                                     struct uppaal_selects *selects) {
  struct uppaal_scope *outer = step->process->scope;
  struct uppaal_bound bound = {bind_selections(l, step->edge->selections, outer, selects), outer};
  if (step->branch != NULL) {
    bound.branch = bind_selections(l, step->branch->selections, outer, selects);
  }
  return bound;
}

const struct clew_expr *clew_uppaal_lower_guard(struct uppaal_lowering *l,
                                                const struct uppaal_step *step,
                                                struct uppaal_bound bound) {
  struct uppaal_scope *scope = l->scope;
  l->scope = bound.edge;
  l->use = UPPAAL_USE_GUARD;
  l->polarity = 1;
  l->out = NULL;
  l->at_process = step->process->number;
  l->at_location = step->from;
  const struct clew_expr *guard = clew_uppaal_lower_all(l, step->edge->guard);
  l->use = UPPAAL_USE_CODE;
  l->polarity = 0;
  l->scope = scope;
  return guard;
}

void clew_uppaal_lower_update(struct uppaal_lowering *l, const struct uppaal_step *step,
                              struct uppaal_bound bound, struct clew_list *out) {
  struct uppaal_scope *scope = l->scope;
  l->out = out;
  l->scope = bound.edge;
  clew_uppaal_lower_effects(l, step->edge->update);
  if (step->branch != NULL) {
    l->scope = bound.branch;
    clew_uppaal_lower_effects(l, step->branch->update);
  }
  l->out = NULL;
  l->scope = scope;
  if (step->from != step->to) {
    clew_list_add(out, clew_stmt_assign(l->program, step->process->place,
                                        clew_uppaal_const(l, step->to), CLEW_NONE));
  }
}

/* ---- Channels ------------------------------------------------------------------------------- */

static struct uppaal_value lower_channel(struct uppaal_lowering *l, const struct uppaal_step *step,
                                         struct uppaal_bound bound) {
  struct uppaal_scope *scope = l->scope;
  l->scope = bound.edge;
  struct uppaal_value value = clew_uppaal_lower_value(l, step->edge->channel);
  l->scope = scope;
  return value;
}

void clew_uppaal_find_channel(struct uppaal_lowering *l, struct uppaal_step *step) {
  if (step->edge->channel == NULL) {
    return;
  }
  struct uppaal_selects selects = {0};
  l->frame = clew_program_add_frame(l->program);
  struct uppaal_bound bound = clew_uppaal_bind(l, step, &selects);
  struct uppaal_value value = lower_channel(l, step, bound);
  clew_vec_free(&selects.list);
  if (value.kind == UPPAAL_VALUE_CHANNEL && value.type->kind == UPPAAL_CHANNEL) {
    step->channel = value.type;
    step->channel_lo = value.expr->lo;
    step->channel_hi = value.expr->hi;
  } else if (value.kind != UPPAAL_VALUE_WRONG) {
    clew_uppaal_fail(l, step->edge->channel->span, "\"%s\" is no channel",
                     clew_front_excerpt(l->front, step->edge->channel->span));
  }
}

bool clew_uppaal_count_transition(struct uppaal_lowering *l, const struct uppaal_step *step) {
  enum { MOST_TRANSITIONS = 1 << 19 };
  if (l->transition_count < MOST_TRANSITIONS) {
    l->transition_count++;
    return true;
  }
  if (clew_front_ok(l->front)) {
    clew_uppaal_fail(l, step->edge->span,
                     "the edges of this system synchronise in too many ways: the limit is %d",
                     MOST_TRANSITIONS);
  }
  return false;
}

bool clew_uppaal_may_meet(const struct uppaal_step *send, const struct uppaal_step *receive) {
  return receive->channel != NULL && !receive->edge->sends && send->process != receive->process &&
         send->channel_lo <= receive->channel_hi && receive->channel_lo <= send->channel_hi;
}

/* Whether both are on the same channel; NULL: always. */
static const struct clew_expr *lower_same(struct uppaal_lowering *l, const struct uppaal_step *send,
                                          struct uppaal_bound send_bound,
                                          const struct uppaal_step *receive,
                                          struct uppaal_bound receive_bound) {
  struct uppaal_value a = lower_channel(l, send, send_bound);
  struct uppaal_value b = lower_channel(l, receive, receive_bound);
  if (a.kind != UPPAAL_VALUE_CHANNEL || b.kind != UPPAAL_VALUE_CHANNEL) {
    return NULL; /* which has been said */
  }
  const struct clew_expr *same =
      clew_expr_binary(l->program, CLEW_OP_EQ, a.expr, b.expr, CLEW_NONE);
  return same->kind == CLEW_EXPR_CONST && same->value == 1 ? NULL : same;
}

const struct clew_expr *clew_uppaal_lower_hearing(struct uppaal_lowering *l,
                                                  const struct uppaal_step *send,
                                                  struct uppaal_bound send_bound,
                                                  const struct uppaal_step *receive,
                                                  struct uppaal_bound receive_bound) {
  uint32_t checks = l->check_count;
  const struct clew_expr *same = lower_same(l, send, send_bound, receive, receive_bound);
  bool may_fault = l->check_count > checks;
  const struct clew_expr *guard = clew_uppaal_lower_guard(l, receive, receive_bound);
  return may_fault ? clew_uppaal_and(l, guard, same) : clew_uppaal_and(l, same, guard);
}

const struct clew_expr *clew_uppaal_lower_meeting(struct uppaal_lowering *l,
                                                  const struct uppaal_step *send,
                                                  struct uppaal_bound send_bound,
                                                  const struct uppaal_step *receive,
                                                  struct uppaal_bound receive_bound) {
  uint32_t checks = l->check_count;
  const struct clew_expr *hears =
      clew_uppaal_lower_hearing(l, send, send_bound, receive, receive_bound);
  bool may_fault = l->check_count > checks;
  const struct clew_expr *guard = clew_uppaal_lower_guard(l, send, send_bound);
  return may_fault ? clew_uppaal_and(l, guard, hears) : clew_uppaal_and(l, hears, guard);
}

/* ---- Names ---------------------------------------------------------------------------------- */

const char *clew_uppaal_step_ends(struct uppaal_lowering *l, const struct uppaal_step *step) {
  const struct uppaal_instance *process = step->process;
  const char *from = process->locations[step->from]->name.name->id.text,
             *to = process->locations[step->to]->name.name->id.text;
  return step->number == 0 ? clew_arena_printf(l->arena, "%s -> %s", from, to)
                           : clew_arena_printf(l->arena, "%s -> %s #%u", from, to, step->number);
}

const char *clew_uppaal_step_name(struct uppaal_lowering *l, const struct uppaal_step *step) {
  return clew_arena_printf(l->arena, "%s: %s", step->process->name, clew_uppaal_step_ends(l, step));
}

const char *clew_uppaal_channel_name(struct uppaal_lowering *l, const struct uppaal_step *step) {
  return clew_front_excerpt(l->front, step->edge->channel->span);
}

/* ---- Rules ---------------------------------------------------------------------------------- */

bool clew_uppaal_leaves_committed(const struct uppaal_step *step) {
  return step->process->locations[step->from]->is_committed;
}

/* The rules of a process that have no parameters share a family. */
struct group {
  struct clew_frame *frame;
  CLEW_VEC(struct clew_rule) rules;
};

static bool has_selects(const struct uppaal_step *step) {
  return step->edge->selections != NULL ||
         (step->branch != NULL && step->branch->selections != NULL);
}

/* A step alone, or (receive not NULL) with its partner. */
static void add_rule(struct uppaal_lowering *l, struct group *group, const struct uppaal_step *step,
                     const struct uppaal_step *receive) {
  if (!clew_uppaal_count_transition(l, step)) {
    return;
  }
  bool alone = has_selects(step) || (receive != NULL && has_selects(receive));
  struct uppaal_selects selects = {0};
  struct clew_list body = {0};
  l->frame = alone ? clew_program_add_frame(l->program) : group->frame;
  struct uppaal_bound bound = clew_uppaal_bind(l, step, &selects), partner = {NULL, NULL};
  const struct clew_expr *guard = clew_uppaal_lower_at(l, step->process, step->from);
  bool committed = clew_uppaal_leaves_committed(step);
  const char *name = clew_uppaal_step_name(l, step);
  if (receive != NULL) {
    partner = clew_uppaal_bind(l, receive, &selects);
    guard = clew_uppaal_and(l, guard, clew_uppaal_lower_at(l, receive->process, receive->from));
    committed = committed || clew_uppaal_leaves_committed(receive);
    name = clew_arena_printf(l->arena, "%s, %s (%s!)", name, clew_uppaal_step_name(l, receive),
                             clew_uppaal_channel_name(l, step));
  }
  guard = clew_uppaal_and(l, guard, committed ? NULL : l->uncommitted);
  guard = clew_uppaal_and(l, guard,
                          receive == NULL
                              ? clew_uppaal_lower_guard(l, step, bound)
                              : clew_uppaal_lower_meeting(l, step, bound, receive, partner));
  l->sets_clocks = false;
  guard = clew_uppaal_and(l, guard, clew_uppaal_lower_unblocked(l, step, receive));
  clew_uppaal_lower_update(l, step, bound, &body);
  if (receive != NULL) {
    clew_uppaal_lower_update(l, receive, partner, &body);
  }
  const struct uppaal_step *steps[] = {step, receive};
  uint32_t step_count = receive != NULL ? 2 : 1;
  clew_uppaal_settle(l, steps, step_count, step_count, l->sets_clocks, &body);
  struct clew_rule rule = {.name = name,
                           .position = clew_front_position(l->front, step->edge->span),
                           .guard = guard,
                           .body = body.first};
  if (guard != NULL && guard->kind == CLEW_EXPR_CONST && guard->value == 0) {
    /* It can never happen. */
  } else if (alone) {
    clew_program_add_family(l->program, false, l->frame, selects.list.data, selects.list.len, &rule,
                            1);
  } else {
    clew_vec_push(&group->rules, rule);
  }
  clew_vec_free(&selects.list);
}

static void add_pairs(struct uppaal_lowering *l, struct group *group,
                      const struct uppaal_step *send) {
  for (uint32_t i = 0; i < l->processes.len; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count; k++) {
      if (clew_uppaal_may_meet(send, &process->steps[k])) {
        add_rule(l, group, send, &process->steps[k]);
      }
    }
  }
}

void clew_uppaal_lower_steps(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len && clew_front_ok(l->front); i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    struct group group = {.frame = clew_program_add_frame(l->program)};
    for (uint32_t k = 0; k < process->step_count; k++) {
      const struct uppaal_step *step = &process->steps[k];
      if (step->channel == NULL) {
        add_rule(l, &group, step, NULL);
      } else if (step->edge->sends && step->channel->is_broadcast) {
        clew_uppaal_lower_broadcast(l, step);
      } else if (step->edge->sends) {
        add_pairs(l, &group, step);
      }
    }
    if (group.rules.len > 0) {
      clew_program_add_family(l->program, false, group.frame, NULL, 0, group.rules.data,
                              group.rules.len);
    }
    clew_vec_free(&group.rules);
  }
}
