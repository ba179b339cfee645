/* Checking a model as a whole: declarations, then processes. */
#include "lang/dve/check.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* ---- Variables ------------------------------------------------------------------------------ */

static const char *type_name(enum dve_type type) {
  return type == DVE_TYPE_BYTE ? "byte" : "int";
}

/* The number of elements, or 0 when that is in error. */
static uint32_t check_size(struct dve_checker *c, const struct dve_expr *expr, const char *what,
                           int64_t least) {
  int64_t size;
  if (!clew_dve_fold(c, expr, false, &size)) {
    return 0;
  }
  if (size < least || size > CLEW_MAX_CELLS) {
    clew_front_error(c->d->front, expr->span, "the size of %s must be in %lld..%d, but is %lld",
                     what, (long long)least, CLEW_MAX_CELLS, (long long)size);
    return 0;
  }
  return (uint32_t)size;
}

static struct clew_override *find_override(struct dve_checker *c, const struct dve_variable *v) {
  const char *process = v->process != NULL ? v->process->ref.name->id.text : NULL;
  for (uint32_t i = 0; i < c->d->front->request->override_count; i++) {
    const char *name = c->d->front->request->overrides[i].name;
    size_t length = process != NULL ? strlen(process) : 0;
    if (process != NULL && (strncmp(name, process, length) != 0 || name[length] != '.')) {
      continue;
    }
    if (strcmp(process != NULL ? name + length + 1 : name, v->ref.name->id.text) == 0) {
      return &c->d->front->request->overrides[i];
    }
  }
  return NULL;
}

/* --param NAME=VALUE, or PROCESS.NAME=VALUE: a constant gets another value. */
static void apply_override(struct dve_checker *c, struct dve_variable *v) {
  struct clew_override *override = find_override(c, v);
  if (override == NULL) {
    return;
  }
  override->used = true;
  int64_t value, lo = dve_type_lo(v->type), hi = dve_type_hi(v->type);
  if (!v->is_const || v->is_array) {
    clew_front_error(c->d->front, v->ref.span,
                     "--param cannot set '%s', which is %s: only constants can be set",
                     override->name, v->is_array ? "an array" : "a variable");
  } else if (!clew_text_parse_i64(override->value, &value) || value < lo || value > hi) {
    clew_front_error(c->d->front, v->ref.span, "--param %s=%s: expected an integer in %lld..%lld",
                     override->name, override->value, (long long)lo, (long long)hi);
  } else {
    v->values[0] = value;
  }
}

static void check_variable(struct dve_checker *c, struct dve_variable *v) {
  assert(v->values == NULL);
  v->process = c->process;
  v->count = v->is_array ? check_size(c, v->size, "an array", 1) : 1;
  if (v->count == 0) {
    return;
  }
  if (v->is_const && v->init_count == 0) {
    clew_front_error(c->d->front, v->ref.span, "the constant '%s' has no value",
                     v->ref.name->id.text);
  }
  int64_t *values = CLEW_NEW_ARRAY(c->d->front->arena, int64_t, v->count);
  /* More values than elements occur in published models, and are ignored. */
  for (uint32_t i = 0; i < v->init_count && i < v->count; i++) {
    if (!clew_dve_fold(c, v->inits[i], true, &values[i])) {
      values[i] = 0;
    } else if (values[i] < dve_type_lo(v->type) || values[i] > dve_type_hi(v->type)) {
      clew_front_error(c->d->front, v->inits[i]->span,
                       "the value %lld of '%s' is out of the range %lld..%lld of "
                       "'%s'",
                       (long long)values[i], v->ref.name->id.text, (long long)dve_type_lo(v->type),
                       (long long)dve_type_hi(v->type), type_name(v->type));
    }
  }
  v->values = values;
  apply_override(c, v);
}

static void check_variables(struct dve_checker *c, struct dve_variable *list) {
  for (struct dve_variable *each = list; each != NULL; each = each->next) {
    check_variable(c, each);
  }
}

/* ---- Transitions ---------------------------------------------------------------------------- */

static void note_use(struct dve_checker *c, struct dve_channel *channel, struct dve_trans *trans) {
  if (c->process->is_property) {
    return;
  }
  struct dve_trans ***list = trans->sync->send ? &channel->sends : &channel->receives;
  uint32_t *count = trans->sync->send ? &channel->send_count : &channel->receive_count;
  uint32_t *cap = trans->sync->send ? &channel->send_cap : &channel->receive_cap;
  if (*count == *cap) {
    uint32_t more = *cap == 0 ? 8 : *cap * 2;
    struct dve_trans **bigger = CLEW_NEW_ARRAY(c->d->front->arena, struct dve_trans *, more);
    if (*count > 0) {
      memcpy(bigger, *list, *count * sizeof(struct dve_trans *));
    }
    *list = bigger;
    *cap = more;
  }
  (*list)[(*count)++] = trans;
}

/* How many values go with a channel: those of its types, or of its first use. */
static void check_arity(struct dve_checker *c, struct dve_channel *channel,
                        const struct dve_sync *sync) {
  const char *name = channel->ref.name->id.text;
  if (channel->is_typed) {
    if (sync->count != channel->type_count) {
      clew_front_error(c->d->front, sync->span, "channel '%s' transfers %u value%s, not %u", name,
                       channel->type_count, channel->type_count == 1 ? "" : "s", sync->count);
    }
    return;
  }
  if (sync->count > 1) {
    clew_front_error(c->d->front, sync->span,
                     "the untyped channel '%s' transfers at most one value", name);
    return;
  }
  if (channel->is_used && channel->arity != sync->count) {
    clew_front_error(c->d->front, sync->span,
                     "channel '%s' is used with%s a value here, but with%s one in line "
                     "%u",
                     name, sync->count == 0 ? "out" : "", channel->arity == 0 ? "out" : "",
                     clew_front_position(c->d->front, channel->first_use).line);
    return;
  }
  if (!channel->is_used) {
    channel->is_used = true;
    channel->arity = sync->count;
    channel->first_use = sync->span;
  }
}

static void check_sync(struct dve_checker *c, struct dve_trans *trans) {
  struct dve_sync *sync = trans->sync;
  struct dve_channel *channel = clew_dve_find_channel(c, sync->channel);
  for (uint32_t i = 0; i < sync->count; i++) {
    if (sync->send) {
      clew_dve_check_expr(c, sync->values[i]);
    } else {
      clew_dve_check_place(c, sync->values[i]);
    }
  }
  if (channel == NULL) {
    return;
  }
  trans->channel = channel;
  check_arity(c, channel, sync);
  note_use(c, channel, trans);
}

static void check_transition(struct dve_checker *c, struct dve_trans *trans) {
  assert(c->process != NULL);
  trans->process = c->process;
  const struct dve_state *from = clew_dve_find_state(c, trans->source);
  const struct dve_state *to = clew_dve_find_state(c, trans->target);
  trans->from = from != NULL ? from->index : 0;
  trans->to = to != NULL ? to->index : 0;
  if (trans->guard != NULL) {
    clew_dve_check_expr(c, trans->guard);
  }
  if (trans->sync != NULL) {
    check_sync(c, trans);
  }
  for (uint32_t i = 0; i < trans->effect_count; i++) {
    clew_dve_check_place(c, trans->effects[i].place);
    clew_dve_check_expr(c, trans->effects[i].value);
  }
}

/* Numbers the transitions that have the same ends, so that their names can tell them apart. */
static void number_transitions(struct dve_checker *c, struct dve_process *process) {
  uint32_t states = process->state_count, count = process->transition_count;
  uint32_t *next = CLEW_NEW_ARRAY(c->d->front->arena, uint32_t, count);
  uint32_t *first = CLEW_NEW_ARRAY(c->d->front->arena, uint32_t, states); /* by source, from 1 */
  uint32_t *last = CLEW_NEW_ARRAY(c->d->front->arena, uint32_t, states);  /* by target, likewise */
  uint32_t *leaver =
      CLEW_NEW_ARRAY(c->d->front->arena, uint32_t, states); /* source + 1 `last` is for */
  for (uint32_t i = count; i-- > 0;) {
    next[i] = first[process->transitions[i].from];
    first[process->transitions[i].from] = i + 1;
  }
  for (uint32_t source = 0; source < states; source++) {
    for (uint32_t i = first[source]; i != 0; i = next[i - 1]) {
      struct dve_trans *trans = &process->transitions[i - 1];
      if (leaver[trans->to] == source + 1) {
        struct dve_trans *before = &process->transitions[last[trans->to] - 1];
        before->number = before->number == 0 ? 1 : before->number;
        trans->number = before->number + 1;
      }
      leaver[trans->to] = source + 1;
      last[trans->to] = i;
    }
  }
}

/* ---- Processes ------------------------------------------------------------------------------ */

static void check_process(struct dve_checker *c, struct dve_process *process) {
  clew_dve_enter(c, process, false);
  for (struct dve_assert *each = process->asserts; each != NULL; each = each->next) {
    const struct dve_state *state = clew_dve_find_state(c, each->state);
    each->index = state != NULL ? state->index : 0;
    clew_dve_check_expr(c, each->value);
  }
  for (uint32_t i = 0; i < process->transition_count; i++) {
    check_transition(c, &process->transitions[i]);
  }
  if (process->state_count > 0) {
    number_transitions(c, process);
  }
  clew_dve_leave(c);
}

/* What other processes may refer to: its variables and states. */
static void check_head(struct dve_checker *c, struct dve_process *process) {
  const char *name = process->ref.name->id.text;
  clew_dve_enter(c, process, true);
  check_variables(c, process->variables);
  if (process->state_count == 0) {
    clew_front_error(c->d->front, process->ref.span, "process '%s' has no states", name);
  } else if (process->init.name == NULL) {
    clew_front_error(c->d->front, process->ref.span, "process '%s' has no initial state", name);
  } else {
    const struct dve_state *init = clew_dve_find_state(c, process->init);
    process->init_index = init != NULL ? init->index : 0;
  }
  for (uint32_t i = 0; i < process->commits.count; i++) {
    struct dve_state *state = clew_dve_find_state(c, process->commits.data[i]);
    if (state != NULL) {
      state->committed = process->has_committed = true;
    }
  }
  for (uint32_t i = 0; i < process->accepts.count; i++) {
    (void)clew_dve_find_state(c, process->accepts.data[i]); /* it has to be one */
  }
  clew_dve_leave(c);
}

/* ---- The model ------------------------------------------------------------------------------ */

static void check_property(struct dve_checker *c) {
  struct dve_model *model = &c->d->model;
  if (model->property.name == NULL) {
    return;
  }
  struct dve_process *process = clew_dve_find_process(c, model->property);
  if (process != NULL) {
    process->is_property = true;
  }
}

static void check_channels(struct dve_checker *c) {
  for (struct dve_channel *each = c->d->model.channels; each != NULL; each = each->next) {
    if (each->size != NULL) {
      each->capacity = check_size(c, each->size, "a buffer", 0);
    }
  }
}

static void check_queries(struct dve_checker *c) {
  assert(c->process == NULL);
  c->in_query = true;
  for (uint32_t i = 0; i < c->d->front->request->query_count; i++) {
    clew_dve_check_expr(c, c->d->model.queries[i]);
  }
  c->in_query = false;
}

void clew_dve_check(struct dve *d) {
  struct dve_checker c = {.d = d};
  struct dve_model *model = &d->model;
  clew_dve_declare_globals(&c);
  check_property(&c);
  check_variables(&c, model->variables);
  check_channels(&c);
  uint32_t running = 0;
  for (struct dve_process *each = model->processes; each != NULL; each = each->next) {
    check_head(&c, each);
    running += !each->is_property;
  }
  for (struct dve_process *each = model->processes; each != NULL; each = each->next) {
    check_process(&c, each);
  }
  if (running == 0) {
    clew_front_error_whole(d->front, "empty model: no processes");
  } else if (!model->has_system) {
    clew_front_error_whole(d->front, "the model does not say 'system async;' or 'system sync;'");
  }
  check_queries(&c);
}
