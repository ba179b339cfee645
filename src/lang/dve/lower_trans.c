/* The parts of transitions, and those transitions that need no partner. */
#include "lang/dve/lower.h"

#include <assert.h>

/* ---- Guards --------------------------------------------------------------------------------- */

const struct clew_expr *clew_dve_lower_at(struct dve_lowering *l, const struct dve_process *process,
                                          uint32_t state) {
  assert(state < process->state_count);
  return process->place.type != NULL ? clew_dve_equals(l, process->place, state) : NULL;
}

const struct clew_expr *clew_dve_lower_guard(struct dve_lowering *l, struct dve_trans *trans) {
  assert(l->step == NULL);
  if (trans->guard != NULL && trans->lowered_guard == NULL) {
    trans->lowered_guard = clew_dve_lower_truth(l, trans->guard);
  }
  return trans->lowered_guard;
}

static bool leaves_committed(const struct dve_trans *trans) {
  return trans->process->states[trans->from].committed;
}

const struct clew_expr *clew_dve_lower_uncommitted(struct dve_lowering *l,
                                                   const struct dve_trans *trans) {
  return leaves_committed(trans) ? NULL : l->uncommitted;
}

/* While somebody is in a committed state both must be, and else neither is. */
bool clew_dve_may_meet(const struct dve_trans *send, const struct dve_trans *receive) {
  return send->process != receive->process && leaves_committed(send) == leaves_committed(receive);
}

/* ---- Effects -------------------------------------------------------------------------------- */

void clew_dve_lower_store(struct dve_lowering *l, const struct dve_expr *text,
                          struct clew_place place, const struct clew_expr *value,
                          struct clew_list *list) {
  const struct clew_domain *domain = place.type->domain;
  uint32_t site = CLEW_NONE;
  if (value->lo < domain->lo || value->hi > domain->hi) {
    enum dve_type type = text->variable->type;
    site = clew_dve_site(l, CLEW_SITE_RANGE, text->span,
                         "value of \"%s\" is out of its range %lld..%lld",
                         clew_front_excerpt(l->d->front, text->span), (long long)dve_type_lo(type),
                         (long long)dve_type_hi(type));
  }
  clew_list_add(list, clew_stmt_assign(l->program, place, value, site));
}

void clew_dve_lower_effects(struct dve_lowering *l, const struct dve_trans *trans,
                            struct clew_list *list) {
  const struct dve_process *process = trans->process;
  /* The new location comes first: effects see it. */
  if (process->place.type != NULL && trans->from != trans->to) {
    const struct clew_expr *target = clew_dve_const(l, trans->to);
    clew_list_add(list, clew_stmt_assign(l->program, process->place, target, CLEW_NONE));
  }
  for (uint32_t i = 0; i < trans->effect_count; i++) {
    const struct dve_effect *effect = &trans->effects[i];
    const struct clew_expr *value = clew_dve_lower_expr(l, effect->value);
    clew_dve_lower_store(l, effect->place, clew_dve_lower_place(l, effect->place), value, list);
  }
}

bool clew_dve_assigns(const struct dve_trans *trans, const struct dve_variable *variable) {
  assert(variable->process == NULL);
  for (uint32_t i = 0; i < trans->effect_count; i++) {
    if (trans->effects[i].place->variable == variable) {
      return true;
    }
  }
  return false;
}

const struct dve_variable *clew_dve_conflict(const struct dve_trans *a, const struct dve_trans *b) {
  for (uint32_t i = 0; i < a->effect_count; i++) {
    const struct dve_variable *variable = a->effects[i].place->variable;
    if (variable->process == NULL && clew_dve_assigns(b, variable)) {
      return variable;
    }
  }
  return NULL;
}

void clew_dve_lower_conflict(struct dve_lowering *l, struct clew_span span, const char *channel,
                             const struct dve_variable *variable, const struct clew_expr *allowed,
                             struct clew_list *list) {
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
  stmt->value = allowed;
  const char *name = variable->ref.name->id.text;
  stmt->site =
      channel != NULL
          ? clew_dve_site(l, CLEW_SITE_ASSERTION, span,
                          "both partners of a synchronisation on '%s' assign the global "
                          "variable '%s'",
                          channel, name)
          : clew_dve_site(l, CLEW_SITE_ASSERTION, span,
                          "several processes assign the global variable '%s' in one step", name);
  clew_list_add(list, stmt);
}

/* ---- Values that are transferred ------------------------------------------------------------ */

/* The value reduced to a type, as the reference does it: the low bits. */
static const struct clew_expr *reduce(struct dve_lowering *l, const struct dve_expr *expr,
                                      const struct clew_expr *value, enum dve_type type) {
  if (value->lo >= dve_type_lo(type) && value->hi <= dve_type_hi(type)) {
    return value;
  }
  if (type == DVE_TYPE_BYTE) {
    return clew_expr_binary(l->program, CLEW_OP_BIT_AND, value, clew_dve_const(l, UINT8_MAX),
                            CLEW_NONE);
  }
  uint32_t site = clew_dve_site(l, CLEW_SITE_OVERFLOW, expr->span, "overflow in \"%s\"",
                                clew_front_excerpt(l->d->front, expr->span));
  const struct clew_expr *bias = clew_dve_const(l, -(int64_t)INT16_MIN);
  value = clew_expr_binary(l->program, CLEW_OP_ADD, value, bias, site);
  value = clew_expr_binary(l->program, CLEW_OP_BIT_AND, value, clew_dve_const(l, UINT16_MAX),
                           CLEW_NONE);
  return clew_expr_binary(l->program, CLEW_OP_SUB, value, bias, CLEW_NONE);
}

const struct clew_expr *clew_dve_lower_sent(struct dve_lowering *l, const struct dve_trans *send,
                                            uint32_t i) {
  assert(send->sync->send && i < send->sync->count);
  const struct dve_expr *expr = send->sync->values[i];
  const struct clew_expr *value = clew_dve_lower_expr(l, expr);
  const struct dve_channel *channel = send->channel;
  return channel->is_typed ? reduce(l, expr, value, channel->types[i]) : value;
}

/* What is evaluated now, for use after the state has changed. */
static const struct clew_expr *hold(struct dve_lowering *l, const char *name,
                                    const struct clew_expr *value, struct clew_list *list) {
  if (value == NULL || value->kind == CLEW_EXPR_CONST) {
    return value;
  }
  struct clew_place place = clew_dve_local(l, name, value->lo, value->hi);
  clew_list_add(list, clew_stmt_assign(l->program, place, value, CLEW_NONE));
  return clew_dve_load(l, place);
}

void clew_dve_lower_receive(struct dve_lowering *l, const struct dve_trans *receive,
                            const struct clew_expr *const *values, struct clew_list *list) {
  assert(!receive->sync->send);
  uint32_t count = receive->sync->count;
  if (count == 0) {
    return;
  }
  const struct clew_expr **indices =
      CLEW_NEW_ARRAY(l->d->front->arena, const struct clew_expr *, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct dve_expr *place = receive->sync->values[i];
    indices[i] = place->index != NULL ? clew_dve_lower_expr(l, place->index) : NULL;
    if (count > 1) { /* of a single value the index is evaluated with the assignment */
      indices[i] = hold(l, "index", indices[i], list);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct dve_expr *place = receive->sync->values[i];
    clew_dve_lower_store(l, place, clew_dve_lower_element(l, place, indices[i]), values[i], list);
  }
}

/* ---- Buffers -------------------------------------------------------------------------------- */

static struct clew_place item_place(struct dve_lowering *l, const struct dve_trans *trans,
                                    const struct clew_expr *index, uint32_t k) {
  const struct dve_channel *channel = trans->channel;
  uint32_t site = CLEW_NONE;
  if (index->lo < 0 || index->hi >= (int64_t)channel->capacity) {
    site = clew_dve_site(l, CLEW_SITE_CAPACITY, trans->span, "channel '%s' is full",
                         channel->ref.name->id.text);
  }
  struct clew_place item = clew_place_index(l->program, channel->items, index, site);
  return channel->type_count == 1 ? item : clew_place_field(item, k);
}

static void set_length(struct dve_lowering *l, const struct dve_trans *trans, enum clew_op op,
                       struct clew_list *list) {
  const struct dve_channel *channel = trans->channel;
  const struct clew_expr *length = clew_expr_binary(
      l->program, op, clew_dve_load(l, channel->length), clew_dve_const(l, 1), CLEW_NONE);
  uint32_t site = clew_dve_site(l, CLEW_SITE_CAPACITY, trans->span, "channel '%s' is full",
                                channel->ref.name->id.text);
  clew_list_add(list, clew_stmt_assign(l->program, channel->length, length, site));
}

/* Its values are those after the effects. */
static void lower_push(struct dve_lowering *l, const struct dve_trans *send,
                       struct clew_list *list) {
  const struct dve_channel *channel = send->channel;
  clew_dve_lower_effects(l, send, list);
  for (uint32_t i = 0; i < send->sync->count; i++) {
    struct clew_place place = item_place(l, send, clew_dve_load(l, channel->length), i);
    const struct clew_expr *value = clew_dve_lower_sent(l, send, i);
    uint32_t site = CLEW_NONE; /* ranges.c may know more about the value than the IR does */
    if (value->lo < channel->lo[i] || value->hi > channel->hi[i]) {
      site = clew_dve_site(l, CLEW_SITE_RANGE, send->span, "value out of range on channel '%s'",
                           channel->ref.name->id.text);
    }
    clew_list_add(list, clew_stmt_assign(l->program, place, value, site));
  }
  set_length(l, send, CLEW_OP_ADD, list);
}

/* items[index] := items[index + 1] */
static struct clew_stmt *move_item(struct dve_lowering *l, const struct dve_channel *channel,
                                   const struct clew_expr *index) {
  struct clew_stmt *copy = clew_stmt_new(l->program, CLEW_STMT_COPY);
  const struct clew_expr *next =
      clew_expr_binary(l->program, CLEW_OP_ADD, index, clew_dve_const(l, 1), CLEW_NONE);
  copy->place = clew_place_index(l->program, channel->items, index, CLEW_NONE);
  copy->place2 = clew_place_index(l->program, channel->items, next, CLEW_NONE);
  return copy;
}

/* Moves everything up; places that are not in use hold 0. */
static void lower_pop(struct dve_lowering *l, const struct dve_trans *receive,
                      struct clew_list *list) {
  enum { UNROLLED = 16 };
  const struct dve_channel *channel = receive->channel;
  uint32_t last = channel->capacity - 1;
  for (uint32_t i = 0; last <= UNROLLED && i < last; i++) {
    clew_list_add(list, move_item(l, channel, clew_dve_const(l, i)));
  }
  if (last > UNROLLED) {
    struct clew_place i = clew_dve_local(l, "i", 0, last - 1);
    struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_FOR);
    loop->cell = i.base;
    loop->value = clew_dve_const(l, 0);
    loop->value2 = clew_dve_const(l, last - 1);
    loop->body = move_item(l, channel, clew_dve_load(l, i));
    clew_list_add(list, loop);
  }
  for (uint32_t k = 0; k < channel->type_count; k++) {
    struct clew_place place = item_place(l, receive, clew_dve_const(l, last), k);
    clew_list_add(list, clew_stmt_assign(l->program, place, clew_dve_const(l, 0), CLEW_NONE));
  }
  set_length(l, receive, CLEW_OP_SUB, list);
}

/* What is received is stored after the effects, but where the old state says. */
static void lower_take(struct dve_lowering *l, const struct dve_trans *receive,
                       struct clew_list *list) {
  uint32_t count = receive->sync->count;
  const struct clew_expr **indices =
      CLEW_NEW_ARRAY(l->d->front->arena, const struct clew_expr *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const struct dve_expr *place = receive->sync->values[i];
    indices[i] = place->index != NULL ? clew_dve_lower_expr(l, place->index) : NULL;
    indices[i] = hold(l, "index", indices[i], list);
  }
  clew_dve_lower_effects(l, receive, list);
  for (uint32_t i = 0; i < count; i++) {
    const struct dve_expr *place = receive->sync->values[i];
    const struct clew_expr *value =
        clew_dve_load(l, item_place(l, receive, clew_dve_const(l, 0), i));
    clew_dve_lower_store(l, place, clew_dve_lower_element(l, place, indices[i]), value, list);
  }
  lower_pop(l, receive, list);
}

struct clew_rule clew_dve_lower_single(struct dve_lowering *l, struct dve_trans *trans) {
  assert(trans->sync == NULL || trans->channel->capacity > 0);
  struct clew_list list = {0};
  const struct clew_expr *guard = clew_dve_lower_at(l, trans->process, trans->from);
  guard = clew_dve_and(l, guard, clew_dve_lower_uncommitted(l, trans));
  const char *name = clew_dve_trans_name(l, trans);
  if (trans->sync == NULL) {
    clew_dve_lower_effects(l, trans, &list);
  } else {
    bool send = trans->sync->send;
    int64_t limit = send ? trans->channel->capacity : 0;
    const struct clew_expr *length = clew_dve_load(l, trans->channel->length);
    guard = clew_dve_and(
        l, guard,
        clew_expr_binary(l->program, CLEW_OP_NE, length, clew_dve_const(l, limit), CLEW_NONE));
    (send ? lower_push : lower_take)(l, trans, &list);
    name = clew_arena_printf(l->arena, "%s (%s%s)", name, trans->channel->ref.name->id.text,
                             send ? "!" : "?");
  }
  return (struct clew_rule){.name = name,
                            .position = clew_front_position(l->d->front, trans->span),
                            .guard = clew_dve_and(l, guard, clew_dve_lower_guard(l, trans)),
                            .body = list.first};
}
