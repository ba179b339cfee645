/* Edges: rules for internal steps and for synchronisations of two. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_steps.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>

/* ---- Parts of steps ------------------------------------------------------------------------- */

const struct clew_expr *clew_uppaal_lower_at(struct uppaal_lowering *l,
                                             const struct uppaal_instance *process,
                                             uint32_t location) {
  return process->place.type != NULL ? clew_uppaal_equals(l, process->place, location) : NULL;
}

/* The values of a selection. A range may depend on values that are selected before it: then these
 * are all that it can have, and *lo and *hi say which are allowed. */
static const struct uppaal_shape *selected_shape(struct uppaal_lowering *l,
                                                 const struct uppaal_type *type, bool is_first,
                                                 const struct clew_expr **lo,
                                                 const struct clew_expr **hi) {
  *lo = *hi = NULL;
  if (!is_first && type->kind == UPPAAL_TYPE_INT && type->lo != NULL) {
    *lo = clew_uppaal_lower_number(l, type->lo);
    *hi = clew_uppaal_lower_number(l, type->hi);
    if ((*lo)->lo < (*lo)->hi || (*hi)->lo < (*hi)->hi || (*lo)->lo > (*hi)->hi) {
      struct uppaal_shape *shape = CLEW_NEW(l->front->arena, struct uppaal_shape);
      bool is_empty = (*lo)->lo > (*hi)->hi;
      *shape = (struct uppaal_shape){
          .kind = UPPAAL_INT, .lo = (*lo)->lo, .hi = is_empty ? (*lo)->lo : (*hi)->hi, .cells = 1};
      return shape;
    }
    *lo = *hi = NULL;
  }
  const struct uppaal_shape *shape = clew_uppaal_shape_range(l, type);
  return shape != NULL ? shape : &clew_uppaal_bool;
}

static struct uppaal_scope *bind_selections(struct uppaal_lowering *l,
                                            const struct uppaal_selection *selections,
                                            struct uppaal_scope *outer,
                                            struct uppaal_selects *selects,
                                            const struct clew_expr **allowed) {
  struct uppaal_scope *scope = clew_uppaal_scope_new(l, outer), *saved = l->scope;
  l->scope = scope;
  for (const struct uppaal_selection *each = selections; each != NULL; each = each->next) {
    const struct clew_expr *lo, *hi;
    const struct uppaal_shape *shape = selected_shape(l, each->type, each == selections, &lo, &hi);
    struct uppaal_symbol *symbol = clew_uppaal_declare(l, each->name, UPPAAL_SYMBOL_VARIABLE);
    const char *name = clew_uppaal_keep(l, each->name.name->id.text);
    symbol->type = shape;
    symbol->is_read_only = true;
    symbol->place = clew_uppaal_local(l, name, clew_uppaal_ir_type(l, shape, 0));
    if (lo != NULL) {
      const struct clew_expr *value = clew_uppaal_load(l, symbol->place);
      *allowed = clew_uppaal_and(l, *allowed,
                                 clew_expr_binary(l->program, CLEW_OP_LE, lo, value, CLEW_NONE));
      *allowed = clew_uppaal_and(l, *allowed,
                                 clew_expr_binary(l->program, CLEW_OP_LE, value, hi, CLEW_NONE));
    }
    struct clew_parameter parameter = {name, symbol->place.base, symbol->place.type->domain};
    clew_vec_push(&selects->list, parameter);
  }
  l->scope = saved;
  return scope;
}

struct uppaal_bound clew_uppaal_bind(struct uppaal_lowering *l, const struct uppaal_step *step,
                                     struct uppaal_selects *selects) {
  struct uppaal_scope *outer = step->process->scope;
  struct uppaal_bound bound = {NULL, outer, NULL};
  bound.edge = bind_selections(l, step->edge->selections, outer, selects, &bound.allowed);
  if (step->branch != NULL) {
    bound.branch = bind_selections(l, step->branch->selections, outer, selects, &bound.allowed);
  }
  return bound;
}

/* The scope of selections with constants for what is selected; `values` has one for each. */
static struct uppaal_scope *bind_constants(struct uppaal_lowering *l,
                                           const struct uppaal_selection *selections,
                                           struct uppaal_scope *outer, const int64_t **values,
                                           const struct clew_expr **allowed) {
  struct uppaal_scope *saved = l->scope;
  l->scope = clew_uppaal_scope_new(l, outer);
  struct uppaal_scope *scope = l->scope;
  bool is_first = true;
  for (; selections != NULL; selections = selections->next) {
    const struct clew_expr *lo, *hi;
    const struct uppaal_shape *shape = selected_shape(l, selections->type, is_first, &lo, &hi);
    struct uppaal_symbol *symbol = clew_uppaal_declare(l, selections->name, UPPAAL_SYMBOL_CONSTANT);
    is_first = false;
    symbol->type = shape;
    symbol->cells = (*values)++;
    symbol->is_read_only = true;
    /* lo and hi are constants here, and not NULL only if the range is empty. */
    if (lo != NULL || symbol->cells[0] < shape->lo || symbol->cells[0] > shape->hi) {
      *allowed = clew_uppaal_const(l, 0);
    }
  }
  l->scope = saved;
  return scope;
}

static struct uppaal_bound bind_values(struct uppaal_lowering *l, const struct uppaal_step *step,
                                       const int64_t *values) {
  struct uppaal_scope *outer = step->process->scope;
  struct uppaal_bound bound = {NULL, outer, NULL};
  bound.edge = bind_constants(l, step->edge->selections, outer, &values, &bound.allowed);
  if (step->branch != NULL) {
    bound.branch = bind_constants(l, step->branch->selections, outer, &values, &bound.allowed);
  }
  return bound;
}

bool clew_uppaal_bind_all(struct uppaal_lowering *l, const struct uppaal_step *step, uint32_t most,
                          struct uppaal_bindings *out) {
  struct uppaal_selects selects = {0};
  struct clew_frame *frame = l->frame;
  l->frame = clew_program_add_frame(l->program); /* only the ranges are of interest */
  (void)clew_uppaal_bind(l, step, &selects);
  l->frame = frame;
  uint64_t combinations = 1;
  for (uint32_t i = 0; i < selects.list.len && combinations <= most; i++) {
    const struct clew_domain *domain = selects.list.data[i].domain;
    uint64_t size = (uint64_t)(domain->hi - domain->lo) + 1;
    combinations = size > most ? (uint64_t)most + 1 : combinations * size;
  }
  bool fits = combinations <= most;
  for (uint64_t number = 0; number < combinations && fits; number++) {
    int64_t *values = CLEW_NEW_ARRAY(l->front->arena, int64_t, selects.list.len + 1);
    uint64_t rest = number;
    for (uint32_t i = selects.list.len; i > 0; i--) {
      const struct clew_domain *domain = selects.list.data[i - 1].domain;
      uint64_t size = (uint64_t)(domain->hi - domain->lo) + 1;
      values[i - 1] = domain->lo + (int64_t)(rest % size);
      rest /= size;
    }
    clew_vec_push(&out->all, bind_values(l, step, values));
  }
  clew_vec_free(&selects.list);
  return fits;
}

struct uppaal_form clew_uppaal_lower_guard(struct uppaal_lowering *l,
                                           const struct uppaal_step *step,
                                           struct uppaal_bound bound) {
  struct uppaal_scope *scope = l->scope;
  l->scope = bound.edge;
  l->use = UPPAAL_USE_GUARD;
  l->polarity = 1;
  l->out = NULL;
  l->at_process = step->process->number;
  l->at_location = step->from;
  struct uppaal_form guard = clew_uppaal_lower_all(l, step->edge->guard);
  guard =
      clew_uppaal_form_and(l, clew_uppaal_form_plain(l, bound.allowed), guard, step->edge->span);
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

void clew_uppaal_lower_around(struct uppaal_lowering *l, bool is_after, struct clew_list *out) {
  struct uppaal_scope *scope = l->scope;
  l->out = out;
  l->scope = l->globals;
  for (uint32_t i = 0; i < l->updates.len; i++) {
    if (l->updates.data[i]->is_after == is_after) {
      clew_uppaal_lower_effects(l, l->updates.data[i]->args);
    }
  }
  l->out = NULL;
  l->scope = scope;
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

/* Both, the first one evaluated first unless it may fault. */
static struct uppaal_form both(struct uppaal_lowering *l, struct uppaal_form first,
                               struct uppaal_form second, bool may_fault, struct clew_span span) {
  return may_fault ? clew_uppaal_form_and(l, second, first, span)
                   : clew_uppaal_form_and(l, first, second, span);
}

struct uppaal_form clew_uppaal_lower_hearing(struct uppaal_lowering *l,
                                             const struct uppaal_step *send,
                                             struct uppaal_bound send_bound,
                                             const struct uppaal_step *receive,
                                             struct uppaal_bound receive_bound) {
  uint32_t checks = l->check_count;
  const struct clew_expr *same = lower_same(l, send, send_bound, receive, receive_bound);
  bool may_fault = l->check_count > checks;
  return both(l, clew_uppaal_form_plain(l, same),
              clew_uppaal_lower_guard(l, receive, receive_bound), may_fault, receive->edge->span);
}

struct uppaal_form clew_uppaal_lower_meeting(struct uppaal_lowering *l,
                                             const struct uppaal_step *send,
                                             struct uppaal_bound send_bound,
                                             const struct uppaal_step *receive,
                                             struct uppaal_bound receive_bound) {
  uint32_t checks = l->check_count;
  struct uppaal_form hears = clew_uppaal_lower_hearing(l, send, send_bound, receive, receive_bound);
  bool may_fault = l->check_count > checks;
  return both(l, hears, clew_uppaal_lower_guard(l, send, send_bound), may_fault, send->edge->span);
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
  struct uppaal_rules rules;
};

static bool has_selects(const struct uppaal_step *step) {
  return step->edge->selections != NULL ||
         (step->branch != NULL && step->branch->selections != NULL);
}

void clew_uppaal_add_rules(struct uppaal_lowering *l, const struct clew_rule *common,
                           struct uppaal_rule_steps steps, struct uppaal_form guard,
                           struct uppaal_more more, const struct clew_list *body,
                           struct uppaal_rules *rules) {
  for (uint32_t i = 0; i < guard.count; i++) {
    struct clew_rule rule = *common;
    struct clew_list all = {0};
    rule.guard = guard.terms[i].when;
    if (l->is_timed) {
      clew_uppaal_begin_atoms(l);
      clew_uppaal_put_atoms(l, &guard.terms[i], &all);
      if (more.put != NULL) {
        more.put(l, more.context, &all);
      }
      rule.index = clew_uppaal_end_atoms(l);
      clew_vec_push(&l->timed.rule_steps, steps);
    }
    if (!l->only_guards) {
      clew_uppaal_append(&all, body);
    }
    rule.body = all.first;
    clew_vec_push(&rules->list, rule);
  }
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
  struct uppaal_bound bound = clew_uppaal_bind(l, step, &selects), partner = {0};
  const struct clew_expr *at = clew_uppaal_lower_at(l, step->process, step->from);
  bool committed = clew_uppaal_leaves_committed(step);
  const char *name = clew_uppaal_step_name(l, step);
  if (receive != NULL) {
    partner = clew_uppaal_bind(l, receive, &selects);
    at = clew_uppaal_and(l, at, clew_uppaal_lower_at(l, receive->process, receive->from));
    committed = committed || clew_uppaal_leaves_committed(receive);
    name = clew_arena_printf(l->arena, "%s, %s (%s!)", name, clew_uppaal_step_name(l, receive),
                             clew_uppaal_channel_name(l, step));
  }
  at = clew_uppaal_and(l, at, committed ? NULL : l->uncommitted);
  struct clew_span span = step->edge->span;
  struct uppaal_form guard = receive == NULL
                                 ? clew_uppaal_lower_guard(l, step, bound)
                                 : clew_uppaal_lower_meeting(l, step, bound, receive, partner);
  guard = clew_uppaal_form_and(l, clew_uppaal_form_plain(l, at), guard, span);
  guard = clew_uppaal_form_and(l, guard, clew_uppaal_lower_unblocked(l, step, receive), span);
  l->sets_clocks = false;
  clew_uppaal_lower_around(l, false, &body);
  clew_uppaal_lower_update(l, step, bound, &body);
  if (receive != NULL) {
    clew_uppaal_lower_update(l, receive, partner, &body);
  }
  clew_uppaal_lower_around(l, true, &body);
  const struct uppaal_step *steps[] = {step, receive};
  uint32_t step_count = receive != NULL ? 2 : 1;
  clew_uppaal_settle(l, steps, step_count, step_count, l->sets_clocks, &body);
  clew_uppaal_announce(l, &body);
  struct clew_rule rule = {.name = name,
                           .position = clew_front_position(l->front, step->edge->span)};
  struct uppaal_rules own = {0};
  struct uppaal_more nothing = {NULL, NULL};
  struct uppaal_rule_steps both_steps = {step, receive};
  clew_uppaal_add_rules(l, &rule, both_steps, guard, nothing, &body, alone ? &own : &group->rules);
  if (own.list.len > 0) {
    clew_program_add_family(l->program, false, l->frame, selects.list.data, selects.list.len,
                            own.list.data, own.list.len);
  }
  clew_vec_free(&own.list);
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

/* Says so if no other step can synchronise with this one. In a large network nobody looks. */
static void note_unmatched(struct uppaal_lowering *l, const struct uppaal_step *step) {
  enum { MOST_PROCESSES = 64 };
  bool matched =
      step->channel == NULL || step->channel->is_broadcast || l->processes.len > MOST_PROCESSES;
  for (uint32_t i = 0; i < l->processes.len && !matched; i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    for (uint32_t k = 0; k < process->step_count && !matched; k++) {
      matched = step->edge->sends ? clew_uppaal_may_meet(step, &process->steps[k])
                                  : clew_uppaal_may_meet(&process->steps[k], step);
    }
  }
  if (!matched) {
    const char *name =
        clew_arena_printf(l->arena, "%s (%s%s)", clew_uppaal_step_name(l, step),
                          clew_uppaal_channel_name(l, step), step->edge->sends ? "!" : "?");
    clew_program_add_unmatched(l->program, name,
                               clew_front_model_position(l->front, step->edge->span));
  }
}

void clew_uppaal_lower_steps(struct uppaal_lowering *l) {
  for (uint32_t i = 0; i < l->processes.len && clew_front_ok(l->front); i++) {
    const struct uppaal_instance *process = l->processes.data[i];
    struct group group = {.frame = clew_program_add_frame(l->program)};
    for (uint32_t k = 0; k < process->step_count; k++) {
      const struct uppaal_step *step = &process->steps[k];
      note_unmatched(l, step);
      if (step->channel == NULL) {
        add_rule(l, &group, step, NULL);
      } else if (step->edge->sends && step->channel->is_broadcast) {
        clew_uppaal_lower_broadcast(l, step);
      } else if (step->edge->sends) {
        add_pairs(l, &group, step);
      }
    }
    if (group.rules.list.len > 0) {
      clew_program_add_family(l->program, false, group.frame, NULL, 0, group.rules.list.data,
                              group.rules.list.len);
    }
    clew_vec_free(&group.rules.list);
  }
}
