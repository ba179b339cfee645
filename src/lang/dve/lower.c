/* Lowering as a whole: the state, where it starts, properties; and the services that the parts
 * share. */
#include "lang/dve/lower.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* ---- Services ------------------------------------------------------------------------------- */

static const char *keep(struct dve_lowering *l, const char *text) {
  return clew_arena_strndup(l->arena, text, strlen(text));
}

uint32_t clew_dve_site(struct dve_lowering *l, enum clew_site_kind kind, struct clew_span span,
                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  uint32_t site = clew_front_vsite(l->d->front, l->program, kind, span, format, args);
  va_end(args);
  return site;
}

static const struct clew_type *scalar(struct dve_lowering *l, int64_t lo, int64_t hi) {
  assert(lo <= hi);
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = lo, .hi = hi};
  return clew_type_scalar(l->arena, domain, false);
}

struct clew_place clew_dve_local(struct dve_lowering *l, const char *name, int64_t lo, int64_t hi) {
  uint32_t index = clew_frame_add(l->frame, name, scalar(l, lo, hi));
  if (index == CLEW_NONE) {
    if (!l->full) {
      l->full = true;
      clew_front_error_whole(l->d->front, "one step transfers too many values: the limit is %d",
                             CLEW_MAX_CELLS);
    }
    /* The program is lost; a frame of its own keeps the rest of this phase in order. */
    l->frame = clew_program_add_frame(l->program);
    index = clew_frame_add(l->frame, name, scalar(l, lo, hi));
    assert(index != CLEW_NONE);
  }
  return clew_place_frame(l->frame, index);
}

const char *clew_dve_trans_ends(struct dve_lowering *l, const struct dve_trans *trans) {
  const struct dve_state *states = trans->process->states;
  const char *from = states[trans->from].ref.name->id.text,
             *to = states[trans->to].ref.name->id.text;
  return trans->number == 0 ? clew_arena_printf(l->arena, "%s -> %s", from, to)
                            : clew_arena_printf(l->arena, "%s -> %s #%u", from, to, trans->number);
}

const char *clew_dve_trans_name(struct dve_lowering *l, const struct dve_trans *trans) {
  return clew_arena_printf(l->arena, "%s: %s", trans->process->ref.name->id.text,
                           clew_dve_trans_ends(l, trans));
}

const struct clew_type *clew_dve_boolean(struct dve_lowering *l) {
  return scalar(l, 0, 1);
}

struct clew_function *clew_dve_function(struct dve_lowering *l, const char *name,
                                        const struct clew_domain *parameter,
                                        const struct clew_type *result) {
  struct clew_function *function = clew_program_add_function(l->program, name);
  function->frame = clew_program_add_frame(l->program);
  function->result = result;
  function->no_result_site = CLEW_NONE;
  if (result != NULL) {
    function->no_result_site = clew_dve_site(
        l, CLEW_SITE_ASSERTION, l->d->model.processes->ref.span, "%s: no such transition", name);
  }
  if (parameter != NULL) {
    clew_frame_add(function->frame, "k", clew_type_scalar(l->arena, parameter, false));
    function->value_count = 1;
  }
  return function;
}

const struct clew_call *clew_dve_call(struct dve_lowering *l, const struct clew_function *function,
                                      const struct clew_expr *const *values) {
  struct clew_call *call = CLEW_NEW(l->arena, struct clew_call);
  call->function = function;
  call->values = clew_arena_copy(l->arena, values, function->value_count, sizeof(void *));
  call->site = clew_dve_site(l, CLEW_SITE_RECURSION, l->d->model.processes->ref.span,
                             "calls nested too deeply");
  return call;
}

/* ---- The state ------------------------------------------------------------------------------ */

static struct clew_place add_state(struct dve_lowering *l, const char *name,
                                   const struct clew_type *type) {
  return clew_place_state(l->program, clew_program_add_variable(l->program, name, type));
}

static const struct clew_type *array(struct dve_lowering *l, uint32_t count,
                                     const struct clew_type *element) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = 0, .hi = (int64_t)count - 1};
  return clew_type_array(l->arena, domain, element);
}

static void fail_size(struct dve_lowering *l, struct dve_ref ref) {
  clew_front_error(l->d->front, ref.span, "'%s' is too large: the limit is %d elements",
                   ref.name->id.text, CLEW_MAX_CELLS);
}

static void lower_variables(struct dve_lowering *l, struct dve_variable *list) {
  for (struct dve_variable *v = list; v != NULL; v = v->next) {
    const char *name = keep(l, v->ref.name->id.text);
    if (v->process != NULL) {
      name = clew_arena_printf(l->arena, "%s.%s", v->process->ref.name->id.text, name);
    }
    clew_program_add_declared(l->program, name, clew_front_model_position(l->d->front, v->ref.span),
                              v->is_const, v->is_used);
    if (!v->is_array && !v->is_assigned) {
      continue;
    }
    const struct clew_type *type = scalar(l, v->lo, v->hi);
    if (v->is_array) {
      type = array(l, v->count, type);
    }
    assert(type != NULL); /* the checker limits the size of an array */
    v->place = add_state(l, name, type);
  }
}

/* The types of one item of a buffer: a record when there are several. */
static const struct clew_type *item_type(struct dve_lowering *l,
                                         const struct dve_channel *channel) {
  if (channel->type_count == 1) {
    return scalar(l, channel->lo[0], channel->hi[0]);
  }
  uint32_t count = channel->type_count;
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, count);
  const struct clew_type **types = CLEW_NEW_ARRAY(l->arena, const struct clew_type *, count);
  for (uint32_t i = 0; i < count; i++) {
    names[i] = clew_arena_printf(l->arena, "%u", i);
    types[i] = scalar(l, channel->lo[i], channel->hi[i]);
  }
  return clew_type_record(l->arena, names, types, count);
}

static void lower_buffer(struct dve_lowering *l, struct dve_channel *channel) {
  assert(channel->is_typed && channel->capacity > 0);
  const char *name = keep(l, channel->ref.name->id.text);
  const struct clew_type *item = item_type(l, channel);
  const struct clew_type *items = item != NULL ? array(l, channel->capacity, item) : NULL;
  if (items == NULL) {
    fail_size(l, channel->ref);
    items = array(l, channel->capacity, scalar(l, 0, 0)); /* to go on with */
  }
  channel->length =
      add_state(l, clew_arena_printf(l->arena, "%s.length", name), scalar(l, 0, channel->capacity));
  channel->items = add_state(l, name, items);
  uint32_t count = l->program->variables.len;
  clew_vec_push(&l->program->queues,
                ((struct clew_queue){.length = count - 2, .items = count - 1}));
}

static void lower_location(struct dve_lowering *l, struct dve_process *process) {
  if (process->state_count == 1) {
    return;
  }
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, process->state_count);
  for (uint32_t i = 0; i < process->state_count; i++) {
    names[i] = keep(l, process->states[i].ref.name->id.text);
  }
  const char *name = keep(l, process->ref.name->id.text);
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){
      .name = name, .lo = 0, .hi = (int64_t)process->state_count - 1, .names = names};
  process->place = add_state(l, name, clew_type_scalar(l->arena, domain, false));
}

static void lower_state(struct dve_lowering *l) {
  lower_variables(l, l->d->model.variables);
  for (struct dve_channel *each = l->d->model.channels; each != NULL; each = each->next) {
    if (each->capacity > 0) {
      lower_buffer(l, each);
    }
  }
  for (struct dve_process *each = l->d->model.processes; each != NULL; each = each->next) {
    if (!each->is_property) {
      lower_location(l, each);
      lower_variables(l, each->variables);
    }
  }
}

/* ---- The initial state ---------------------------------------------------------------------- */

/* Everything starts with its least value. */
static void start_cell(struct dve_lowering *l, struct clew_place place, int64_t value,
                       struct clew_list *list) {
  if (value != place.type->domain->lo) {
    clew_list_add(list, clew_stmt_assign(l->program, place, clew_dve_const(l, value), CLEW_NONE));
  }
}

static void start_variables(struct dve_lowering *l, const struct dve_variable *variables,
                            struct clew_list *list) {
  for (const struct dve_variable *v = variables; v != NULL; v = v->next) {
    if (v->place.type == NULL) {
      continue;
    }
    for (uint32_t i = 0; v->is_array && i < v->count; i++) {
      start_cell(l, clew_place_index(l->program, v->place, clew_dve_const(l, i), CLEW_NONE),
                 v->values[i], list);
    }
    if (!v->is_array) {
      start_cell(l, v->place, v->values[0], list);
    }
  }
}

static void start_buffer(struct dve_lowering *l, const struct dve_channel *channel,
                         struct clew_list *list) {
  for (uint32_t i = 0; i < channel->capacity; i++) {
    struct clew_place item =
        clew_place_index(l->program, channel->items, clew_dve_const(l, i), CLEW_NONE);
    for (uint32_t k = 0; k < channel->type_count; k++) {
      start_cell(l, channel->type_count == 1 ? item : clew_place_field(item, k), 0, list);
    }
  }
}

static void lower_start(struct dve_lowering *l) {
  struct clew_list list = {0};
  start_variables(l, l->d->model.variables, &list);
  for (const struct dve_channel *each = l->d->model.channels; each != NULL; each = each->next) {
    start_buffer(l, each, &list);
  }
  for (const struct dve_process *each = l->d->model.processes; each != NULL; each = each->next) {
    if (each->is_property) {
      continue;
    }
    if (each->place.type != NULL) {
      start_cell(l, each->place, each->init_index, &list);
    }
    start_variables(l, each->variables, &list);
  }
  struct clew_rule rule = {.name = "initial state",
                           .position =
                               clew_front_position(l->d->front, l->d->model.processes->ref.span),
                           .body = list.first};
  clew_program_add_family(l->program, true, clew_program_add_frame(l->program), NULL, 0, &rule, 1);
}

/* ---- Committed states and asserts ----------------------------------------------------------- */

/* Whether any process is in a committed state: one function, so that guards stay small. */
static void lower_committed(struct dve_lowering *l) {
  const struct clew_expr *any = NULL;
  for (const struct dve_process *p = l->d->model.processes; p != NULL; p = p->next) {
    for (uint32_t i = 0; !p->is_property && p->has_committed && i < p->state_count; i++) {
      if (p->states[i].committed) {
        const struct clew_expr *at = clew_dve_lower_at(l, p, i);
        at = at != NULL ? at : clew_dve_const(l, 1);
        any = any != NULL ? clew_dve_or(l, any, at) : at;
      }
    }
  }
  if (any == NULL) {
    return;
  }
  struct clew_function *function = clew_dve_function(l, "any_committed", NULL, clew_dve_boolean(l));
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  stmt->value = any;
  function->body = stmt;
  const struct clew_expr *call = clew_expr_call(l->program, clew_dve_call(l, function, NULL));
  l->uncommitted = clew_expr_unary(l->program, CLEW_OP_NOT, call, CLEW_NONE);
}

static void lower_asserts(struct dve_lowering *l, const struct dve_process *process) {
  for (const struct dve_assert *each = process->asserts; each != NULL; each = each->next) {
    const struct clew_expr *at = clew_dve_lower_at(l, process, each->index);
    const struct clew_expr *value = clew_dve_lower_truth(l, each->value);
    if (at != NULL) {
      value = clew_dve_or(l, clew_expr_unary(l->program, CLEW_OP_NOT, at, CLEW_NONE), value);
    }
    const char *name = clew_arena_printf(l->arena, "assert in %s.%s", process->ref.name->id.text,
                                         process->states[each->index].ref.name->id.text);
    struct clew_position position = clew_front_position(l->d->front, each->state.span);
    uint32_t label = clew_program_add_label(l->program, name, position, NULL, value);
    clew_program_add_property(l->program, CLEW_PROPERTY_INVARIANT, name, position, label, false);
  }
}

/* ---- The model ------------------------------------------------------------------------------ */

void clew_dve_lower(struct dve *d, struct clew_program *program) {
  static const struct clew_domain every = {.lo = INT64_MIN + 1, .hi = INT64_MAX};
  struct dve_lowering l = {.d = d, .program = program, .arena = program->arena};
  l.anything = clew_type_scalar(l.arena, &every, false);
  lower_state(&l);
  lower_start(&l);
  lower_committed(&l);
  if (d->model.is_synchronous) {
    clew_dve_lower_sync(&l);
  } else {
    clew_dve_lower_async(&l);
  }
  for (const struct dve_process *each = d->model.processes; each != NULL; each = each->next) {
    clew_program_add_declared(program, each->ref.name->id.text,
                              clew_front_model_position(d->front, each->ref.span), false, true);
    if (each->is_property) {
      clew_program_add_unchecked(program, each->ref.name->id.text,
                                 "temporal properties are not supported yet",
                                 clew_front_position(d->front, each->ref.span));
    } else {
      lower_asserts(&l, each);
    }
  }
  for (uint32_t i = 0; i < d->front->request->query_count; i++) {
    clew_front_add_query(d->front, program, i, NULL, clew_dve_lower_truth(&l, d->model.queries[i]));
  }
}
