/* An asynchronous system: one family for each process, a rule for each of its transitions or, of a
 * send by rendezvous, for each receive that can match. */
#include "lang/dve/lower.h"

#include <assert.h>

typedef CLEW_VEC(struct clew_rule) rules;

/* ---- Rendezvous ----------------------------------------------------------------------------- */

static const struct clew_stmt *pair_body(struct dve_lowering *l, const struct dve_trans *send,
                                         const struct dve_trans *receive) {
  struct clew_list list = {0};
  const struct dve_variable *conflict = clew_dve_conflict(send, receive);
  if (conflict != NULL) {
    clew_dve_lower_conflict(l, send->span, send->channel->ref.name->id.text, conflict,
                            clew_dve_const(l, 0), &list);
    return list.first;
  }
  uint32_t count = send->sync->count;
  assert(count == receive->sync->count);
  const struct clew_expr **values =
      CLEW_NEW_ARRAY(l->d->front->arena, const struct clew_expr *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    values[i] = clew_dve_lower_sent(l, send, i);
    if (count > 1) { /* all of them are those of the old state */
      struct clew_place place = clew_dve_local(l, "value", values[i]->lo, values[i]->hi);
      clew_list_add(&list, clew_stmt_assign(l->program, place, values[i], CLEW_NONE));
      values[i] = clew_dve_load(l, place);
    }
  }
  clew_dve_lower_receive(l, receive, values, &list);
  clew_dve_lower_effects(l, receive, &list);
  clew_dve_lower_effects(l, send, &list);
  return list.first;
}

static struct clew_rule lower_pair(struct dve_lowering *l, struct dve_trans *send,
                                   struct dve_trans *receive) {
  assert(clew_dve_may_meet(send, receive));
  const struct clew_expr *guard = clew_dve_lower_at(l, send->process, send->from);
  guard = clew_dve_and(l, guard, clew_dve_lower_at(l, receive->process, receive->from));
  guard = clew_dve_and(l, guard, clew_dve_lower_uncommitted(l, send));
  guard = clew_dve_and(l, guard, clew_dve_lower_guard(l, send));
  guard = clew_dve_and(l, guard, clew_dve_lower_guard(l, receive));
  uint32_t sent_count = send->sync->count;
  const struct clew_expr **sent =
      CLEW_NEW_ARRAY(l->arena, const struct clew_expr *, sent_count + 1);
  for (uint32_t i = 0; i < sent_count; i++) {
    sent[i] = clew_dve_lower_sent(l, send, i);
  }
  return (struct clew_rule){
      .sent = sent,
      .sent_count = sent_count,
      .name = clew_arena_printf(l->arena, "%s, %s (%s)", clew_dve_trans_name(l, send),
                                clew_dve_trans_name(l, receive), send->channel->ref.name->id.text),
      .position = clew_front_position(l->d->front, send->span),
      .guard = guard,
      .body = pair_body(l, send, receive)};
}

static uint64_t pair_count(const struct dve_channel *channel) {
  return channel->capacity > 0 ? 0 : (uint64_t)channel->send_count * channel->receive_count;
}

/* Finds the channels with many more pairs than users, in a model that these would dominate. */
static void find_dense(struct dve_lowering *l) {
  enum { PER_TRANSITION = 4, ALWAYS = 2000 };
  uint64_t pairs = 0, transitions = 0;
  for (const struct dve_channel *each = l->d->model.channels; each != NULL; each = each->next) {
    pairs += pair_count(each);
  }
  for (const struct dve_process *each = l->d->model.processes; each != NULL; each = each->next) {
    transitions += each->transition_count;
  }
  if (pairs <= PER_TRANSITION * transitions + ALWAYS) {
    return;
  }
  for (struct dve_channel *each = l->d->model.channels; each != NULL; each = each->next) {
    uint64_t users = (uint64_t)each->send_count + each->receive_count;
    each->is_dense = pair_count(each) > PER_TRANSITION * users;
  }
}

/* ---- Families ------------------------------------------------------------------------------- */

static void add_rules(struct dve_lowering *l, struct dve_trans *trans, rules *out) {
  const struct dve_channel *channel = trans->channel;
  if (channel == NULL || channel->capacity > 0) {
    struct clew_rule rule = clew_dve_lower_single(l, trans);
    clew_vec_push(out, rule);
    return;
  }
  for (uint32_t i = 0; trans->sync->send && !channel->is_dense && i < channel->receive_count; i++) {
    if (clew_dve_may_meet(trans, channel->receives[i])) {
      struct clew_rule rule = lower_pair(l, trans, channel->receives[i]);
      clew_vec_push(out, rule);
    }
  }
}

/* Says so if no other transition can synchronise with this one. */
static void note_unmatched(struct dve_lowering *l, const struct dve_trans *trans) {
  const struct dve_channel *channel = trans->channel;
  if (channel == NULL || channel->capacity > 0 || channel->is_dense) {
    return;
  }
  bool sends = trans->sync->send, matched = false;
  uint32_t count = sends ? channel->receive_count : channel->send_count;
  for (uint32_t i = 0; i < count && !matched; i++) {
    matched = sends ? clew_dve_may_meet(trans, channel->receives[i])
                    : clew_dve_may_meet(channel->sends[i], trans);
  }
  if (!matched) {
    const char *name = clew_arena_printf(l->arena, "%s (%s%s)", clew_dve_trans_name(l, trans),
                                         channel->ref.name->id.text, sends ? "!" : "?");
    clew_program_add_unmatched(l->program, name,
                               clew_front_model_position(l->d->front, trans->span));
  }
}

static void lower_process(struct dve_lowering *l, struct dve_process *process) {
  rules all = {0};
  l->frame = clew_program_add_frame(l->program);
  struct clew_frame *frame = l->frame;
  for (uint32_t i = 0; i < process->transition_count; i++) {
    add_rules(l, &process->transitions[i], &all);
    note_unmatched(l, &process->transitions[i]);
  }
  if (all.len > 0) {
    clew_program_add_family(l->program, false, frame, NULL, 0, all.data, all.len);
  }
  clew_vec_free(&all);
}

void clew_dve_lower_async(struct dve_lowering *l) {
  find_dense(l);
  for (struct dve_process *each = l->d->model.processes; each != NULL; each = each->next) {
    if (!each->is_property) {
      lower_process(l, each);
    }
  }
  for (struct dve_channel *each = l->d->model.channels; each != NULL; each = each->next) {
    if (each->is_dense) {
      clew_dve_lower_channel(l, each);
    }
  }
}
