/* A rendezvous channel with so many senders and receivers that a rule for each pair would be far
 * larger than the text: one family whose parameters choose the send and the receive.
 *
 * What depends on one parameter is a function of it: whether the transition is enabled, what it
 * sends, what it does. So the program grows with the number of transitions, not of pairs. */
#include "lang/dve/lower.h"

#include <assert.h>

struct dense {
  struct dve_channel *channel;
  const struct clew_domain *sends, *receives;
  struct clew_place send, receive; /* the parameters */
};

/* ---- Functions that switch over a parameter ---------------------------------------------------
 */

/* case value: body */
static void set_case(struct dve_lowering *l, struct clew_case *out, uint32_t value,
                     const struct clew_stmt *body) {
  int64_t *values = CLEW_NEW_ARRAY(l->arena, int64_t, 1);
  values[0] = value;
  *out = (struct clew_case){.values = values, .value_count = 1, .body = body};
}

static struct clew_stmt *return_stmt(struct dve_lowering *l, const struct clew_expr *value) {
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_RETURN);
  stmt->value = value;
  return stmt;
}

static void set_switch(struct dve_lowering *l, struct clew_function *function,
                       const struct clew_case *cases, uint32_t count) {
  assert(count > 0 && function->value_count > 0);
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_SWITCH);
  stmt->value = clew_dve_load(l, clew_place_frame(function->frame, 0));
  stmt->cases = cases;
  stmt->case_count = count;
  function->body = stmt;
}

static const struct clew_expr *call_1(struct dve_lowering *l, const struct clew_function *function,
                                      struct clew_place parameter) {
  const struct clew_expr *value = clew_dve_load(l, parameter);
  return clew_expr_call(l->program, clew_dve_call(l, function, &value));
}

/* Whether a transition is enabled, its partner aside. */
static struct clew_function *guard_function(struct dve_lowering *l, const char *name,
                                            const struct clew_domain *domain,
                                            struct dve_trans **list, uint32_t count) {
  struct clew_function *function = clew_dve_function(l, name, domain, clew_dve_boolean(l));
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_expr *guard = clew_dve_lower_at(l, list[i]->process, list[i]->from);
    guard = clew_dve_and(l, guard, clew_dve_lower_uncommitted(l, list[i]));
    guard = clew_dve_and(l, guard, clew_dve_lower_guard(l, list[i]));
    set_case(l, &cases[i], i, return_stmt(l, guard != NULL ? guard : clew_dve_const(l, 1)));
  }
  set_switch(l, function, cases, count);
  return function;
}

/* The number of the process, to keep a process from meeting itself. */
static struct clew_function *process_function(struct dve_lowering *l, const char *name,
                                              const struct clew_domain *domain,
                                              struct dve_trans **list, uint32_t count) {
  struct clew_function *function = clew_dve_function(l, name, domain, l->anything);
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  for (uint32_t i = 0; i < count; i++) {
    set_case(l, &cases[i], i, return_stmt(l, clew_dve_const(l, list[i]->process->index)));
  }
  set_switch(l, function, cases, count);
  return function;
}

static struct clew_function *value_function(struct dve_lowering *l, const struct dense *b,
                                            uint32_t value) {
  struct clew_function *function = clew_dve_function(l, "sent", b->sends, l->anything);
  uint32_t count = b->channel->send_count;
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  l->frame = function->frame;
  for (uint32_t i = 0; i < count; i++) {
    set_case(l, &cases[i], i, return_stmt(l, clew_dve_lower_sent(l, b->channel->sends[i], value)));
  }
  set_switch(l, function, cases, count);
  return function;
}

static struct clew_function *send_function(struct dve_lowering *l, const struct dense *b) {
  struct clew_function *function = clew_dve_function(l, "send", b->sends, NULL);
  uint32_t count = b->channel->send_count;
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  l->frame = function->frame;
  for (uint32_t i = 0; i < count; i++) {
    struct clew_list list = {0};
    clew_dve_lower_effects(l, b->channel->sends[i], &list);
    set_case(l, &cases[i], i, list.first);
  }
  set_switch(l, function, cases, count);
  return function;
}

/* Of the receive and the values. */
static struct clew_function *receive_function(struct dve_lowering *l, const struct dense *b,
                                              uint32_t arity) {
  struct clew_function *function = clew_dve_function(l, "receive", b->receives, NULL);
  uint32_t count = b->channel->receive_count;
  struct clew_case *cases = CLEW_NEW_ARRAY(l->arena, struct clew_case, count);
  const struct clew_expr **values =
      CLEW_NEW_ARRAY(l->d->front->arena, const struct clew_expr *, arity + 1);
  l->frame = function->frame;
  for (uint32_t i = 0; i < arity; i++) {
    uint32_t variable = clew_frame_add(function->frame, "value", l->anything);
    assert(variable == i + 1);
    values[i] = clew_dve_load(l, clew_place_frame(function->frame, variable));
  }
  function->value_count = 1 + arity;
  for (uint32_t i = 0; i < count; i++) {
    struct clew_list list = {0};
    clew_dve_lower_receive(l, b->channel->receives[i], values, &list);
    clew_dve_lower_effects(l, b->channel->receives[i], &list);
    set_case(l, &cases[i], i, list.first);
  }
  set_switch(l, function, cases, count);
  return function;
}

/* ---- The family ----------------------------------------------------------------------------- */

static const struct clew_domain *trans_domain(struct dve_lowering *l, struct dve_trans **list,
                                              uint32_t count) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, count);
  for (uint32_t i = 0; i < count; i++) {
    names[i] = clew_dve_trans_name(l, list[i]);
  }
  *domain = (struct clew_domain){.lo = 0, .hi = (int64_t)count - 1, .names = names};
  return domain;
}

/* Whether the parameter chooses a transition that assigns the variable; NULL: none does. */
static const struct clew_expr *chooses(struct dve_lowering *l, const struct dve_variable *variable,
                                       struct clew_place parameter, struct dve_trans **list,
                                       uint32_t count) {
  const struct clew_expr *any = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (clew_dve_assigns(list[i], variable)) {
      const struct clew_expr *this = clew_dve_equals(l, parameter, i);
      any = any != NULL ? clew_dve_or(l, any, this) : this;
    }
  }
  return any;
}

static void add_conflicts(struct dve_lowering *l, const struct dense *b, struct clew_list *list) {
  const struct dve_channel *channel = b->channel;
  for (const struct dve_variable *v = l->d->model.variables; v != NULL; v = v->next) {
    const struct clew_expr *sender = chooses(l, v, b->send, channel->sends, channel->send_count);
    const struct clew_expr *receiver =
        sender != NULL ? chooses(l, v, b->receive, channel->receives, channel->receive_count)
                       : NULL;
    if (receiver != NULL) {
      const struct clew_expr *both = clew_dve_and(l, sender, receiver);
      clew_dve_lower_conflict(l, channel->ref.span, channel->ref.name->id.text, v,
                              clew_expr_unary(l->program, CLEW_OP_NOT, both, CLEW_NONE), list);
    }
  }
}

static struct clew_stmt *call_stmt(struct dve_lowering *l, const struct clew_call *call) {
  struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_CALL);
  stmt->call = call;
  return stmt;
}

static const struct clew_stmt *dense_body(struct dve_lowering *l, const struct dense *b,
                                          struct clew_frame *frame) {
  const struct dve_channel *channel = b->channel;
  uint32_t arity = channel->sends[0]->sync->count;
  struct clew_list list = {0};
  add_conflicts(l, b, &list);
  const struct clew_expr **values =
      CLEW_NEW_ARRAY(l->d->front->arena, const struct clew_expr *, arity + 1);
  values[0] = clew_dve_load(l, b->receive);
  for (uint32_t i = 0; i < arity; i++) {
    const struct clew_function *sent = value_function(l, b, i);
    l->frame = frame;
    struct clew_place place =
        clew_dve_local(l, "value", l->anything->domain->lo, l->anything->domain->hi);
    clew_list_add(&list, clew_stmt_assign(l->program, place, call_1(l, sent, b->send), CLEW_NONE));
    values[1 + i] = clew_dve_load(l, place);
  }
  const struct clew_function *receive = receive_function(l, b, arity);
  clew_list_add(&list, call_stmt(l, clew_dve_call(l, receive, values)));
  const struct clew_expr *chosen = clew_dve_load(l, b->send);
  const struct clew_function *send = send_function(l, b);
  clew_list_add(&list, call_stmt(l, clew_dve_call(l, send, &chosen)));
  return list.first;
}

static const struct clew_expr *dense_guard(struct dve_lowering *l, const struct dense *b) {
  struct dve_channel *c = b->channel;
  const struct clew_function *ready =
      guard_function(l, "send_ready", b->sends, c->sends, c->send_count);
  const struct clew_function *partner =
      guard_function(l, "receive_ready", b->receives, c->receives, c->receive_count);
  const struct clew_function *sender =
      process_function(l, "sender", b->sends, c->sends, c->send_count);
  const struct clew_function *receiver =
      process_function(l, "receiver", b->receives, c->receives, c->receive_count);
  const struct clew_expr *different =
      clew_expr_binary(l->program, CLEW_OP_NE, call_1(l, sender, b->send),
                       call_1(l, receiver, b->receive), CLEW_NONE);
  return clew_dve_and(l, clew_dve_and(l, call_1(l, ready, b->send), call_1(l, partner, b->receive)),
                      different);
}

void clew_dve_lower_channel(struct dve_lowering *l, struct dve_channel *channel) {
  assert(channel->is_dense && channel->send_count > 0 && channel->receive_count > 0);
  struct clew_frame *frame = clew_program_add_frame(l->program);
  struct dense b = {.channel = channel};
  b.sends = trans_domain(l, channel->sends, channel->send_count);
  b.receives = trans_domain(l, channel->receives, channel->receive_count);
  uint32_t send = clew_frame_add(frame, "send", clew_type_scalar(l->arena, b.sends, false));
  uint32_t receive =
      clew_frame_add(frame, "receive", clew_type_scalar(l->arena, b.receives, false));
  b.send = clew_place_frame(frame, send);
  b.receive = clew_place_frame(frame, receive);
  struct clew_parameter parameters[] = {{"send", b.send.base, b.sends},
                                        {"receive", b.receive.base, b.receives}};
  const char *text = channel->ref.name->id.text;
  struct clew_rule rule = {.name = clew_arena_printf(l->arena, "%s", text),
                           .position = clew_front_position(l->d->front, channel->ref.span),
                           .guard = dense_guard(l, &b),
                           .body = dense_body(l, &b, frame)};
  clew_program_add_family(l->program, false, frame, parameters, 2, &rule, 1);
}
