/* Transitions, ready to be executed.
 *
 * Everything that a transition demands of units and of places of one bit is a comparison of some
 * bits of a word with a constant; those of one word are one comparison. Larger counts are compared
 * field by field. What it does is an addition to each word that changes: as every field stays
 * within its bounds, the sum of what is added to the fields of a word, each shifted to its place,
 * can be added at once, whatever borrows from whom in between.
 *
 * A transition is *dead* if it demands what cannot be: two places of one unit, two tokens of a
 * place that has one at most, a token of a place that stays empty. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "net/net_int.h"

/* What one transition does to each slot that it touches. */
struct change {
  uint32_t slot;
  bool is_tested; /* a unit: has `from` before */
  uint64_t from;  /* 0: no member is taken */
  uint64_t to;    /* 0: no member is given */
  uint64_t least; /* a count: at least so many before */
  uint64_t taken, given;
};

struct compiler {
  struct clew_net_impl *impl;
  CLEW_VEC(struct change) changes;
  uint32_t *at; /* by slot: its change, if that is about this transition */
  bool is_dead;
};

static struct change *change_of(struct compiler *c, uint32_t slot) {
  uint32_t at = c->at[slot];
  if (at >= c->changes.len || c->changes.data[at].slot != slot) {
    at = c->at[slot] = c->changes.len;
    struct change fresh = {.slot = slot};
    clew_vec_push(&c->changes, fresh);
  }
  return &c->changes.data[at];
}

static void note_member(struct compiler *c, const struct clew_net_code *code,
                        const struct clew_net_touches *touch) {
  struct change *change = change_of(c, code->slot);
  bool is_checked = c->impl->fields[code->slot].is_checked;
  if (touch->taken > 0) {
    c->is_dead =
        c->is_dead || touch->taken > 1 || (change->is_tested && change->from != code->value);
    change->is_tested = true;
    change->from = code->value;
    change->taken += touch->taken;
  }
  if (touch->given > 0) {
    /* What is proved cannot happen; what is claimed is found out when it happens. */
    bool is_second = touch->given > 1 || change->given > 0;
    c->is_dead = c->is_dead || (is_second && !is_checked);
    change->to = code->value;
    change->given += touch->given;
  }
}

static void note_touch(struct compiler *c, const struct clew_net_touches *touch) {
  const struct clew_net_code *code = &c->impl->codes[touch->place];
  if (code->kind == CLEW_NET_CONSTANT) {
    /* A place that is proved to stay empty may be given to by transitions that are dead, too. */
    c->is_dead = c->is_dead || touch->taken > code->value || touch->given != touch->taken;
  } else if (code->kind == CLEW_NET_MEMBER) {
    note_member(c, code, touch);
  } else {
    const struct clew_net_field *field = &c->impl->fields[code->slot];
    struct change *change = change_of(c, code->slot);
    change->least = touch->taken;
    change->taken = touch->taken;
    change->given = touch->given;
    bool exceeds = touch->taken > field->most ||
                   (touch->given > touch->taken && touch->given - touch->taken > field->most);
    c->is_dead = c->is_dead || (exceeds && (!field->is_checked || touch->taken > field->most));
  }
}

/* ---- writing it down ---- */

static void add_test(struct clew_net_impl *impl, uint32_t first, uint32_t slot, uint64_t value) {
  const struct clew_net_field *field = &impl->fields[slot];
  struct clew_net_test test = {field->word, field->mask << field->shift, value << field->shift};
  for (uint32_t i = first; i < impl->tests.len; i++) {
    if (impl->tests.data[i].word == test.word) {
      impl->tests.data[i].mask |= test.mask;
      impl->tests.data[i].value |= test.value;
      return;
    }
  }
  clew_vec_push(&impl->tests, test);
}

static void add_delta(struct clew_net_impl *impl, uint32_t first, uint32_t slot, uint64_t delta) {
  const struct clew_net_field *field = &impl->fields[slot];
  struct clew_net_add add = {field->word, delta << field->shift};
  for (uint32_t i = first; i < impl->adds.len; i++) {
    if (impl->adds.data[i].word == add.word) {
      impl->adds.data[i].delta += add.delta;
      return;
    }
  }
  clew_vec_push(&impl->adds, add);
}

/* How much may be there before, if no more may be there after than the field can hold. */
static void put_check(struct clew_net_impl *impl, const struct change *change) {
  const struct clew_net_field *field = &impl->fields[change->slot];
  struct clew_net_check check = {.slot = change->slot};
  bool is_needed = field->is_checked && change->given > 0;
  if (field->is_unit) {
    check.fails = change->given > 1;
    is_needed = is_needed && (check.fails || !change->is_tested);
  } else {
    uint64_t more = change->given - change->taken;
    is_needed = is_needed && change->given > change->taken;
    check.fails = more > field->most;
    check.most = check.fails ? 0 : field->most - more;
  }
  if (is_needed) {
    clew_vec_push(&impl->checks, check);
  }
}

static void put_change(struct clew_net_impl *impl, const struct clew_net_code_of_transition *ready,
                       const struct change *change) {
  const struct clew_net_field *field = &impl->fields[change->slot];
  if (field->is_unit) {
    if (change->is_tested) {
      add_test(impl, ready->tests, change->slot, change->from);
    }
    /* A member that is taken and not given leaves, one that is given and not taken enters. */
    if (change->to != change->from) {
      add_delta(impl, ready->adds, change->slot, change->to - change->from);
    }
  } else {
    if (change->least > 0 && field->most == 1) {
      add_test(impl, ready->tests, change->slot, 1);
    } else if (change->least > 0) {
      clew_vec_push(&impl->needs, ((struct clew_net_need){change->slot, change->least}));
    }
    if (change->given != change->taken) {
      add_delta(impl, ready->adds, change->slot, change->given - change->taken);
    }
  }
  put_check(impl, change);
}

static void compile_one(struct compiler *c, uint32_t transition) {
  struct clew_net_impl *impl = c->impl;
  struct clew_net_code_of_transition *ready = &impl->ready[transition];
  *ready = (struct clew_net_code_of_transition){impl->tests.len, impl->needs.len, impl->adds.len,
                                                impl->checks.len, false};
  clew_vec_clear(&c->changes);
  c->is_dead = false;
  for (struct clew_net_touches at = clew_net_touches(impl->net, transition); clew_net_touch(&at);) {
    note_touch(c, &at);
  }
  ready->is_dead = c->is_dead;
  for (uint32_t i = 0; i < c->changes.len && !c->is_dead; i++) {
    put_change(impl, ready, &c->changes.data[i]);
  }
}

/* ---- triggers ---- */

enum { TRY_ALL = 48 }; /* transitions: fewer are tried one by one */

/* The number of lists of a slot: of each value of a unit; of counts, none and some. */
static uint32_t triggers_of(const struct clew_net_field *field) {
  return field->is_unit ? (uint32_t)field->most + 1 : 2;
}

/* The list that a transition is in: that of a place it takes from which few others take from. Or
 * CLEW_NONE: it takes from none that changes. */
static uint32_t choose_trigger(const struct clew_net_impl *impl, uint32_t transition,
                               const uint32_t *takers) {
  uint32_t best = CLEW_NONE, least = UINT32_MAX;
  for (struct clew_net_touches at = clew_net_touches(impl->net, transition); clew_net_touch(&at);) {
    const struct clew_net_code *code = &impl->codes[at.place];
    if (at.taken > 0 && code->kind != CLEW_NET_CONSTANT && takers[at.place] < least) {
      least = takers[at.place];
      best = impl->trigger_of_slot[code->slot] +
             (code->kind == CLEW_NET_MEMBER ? (uint32_t)code->value : 1);
    }
  }
  return best;
}

static void count_takers(const struct clew_net *net, uint32_t *takers) {
  for (uint32_t i = 0; i < net->transition_count; i++) {
    for (uint32_t a = net->transitions[i].take; a < net->transitions[i].give; a++) {
      takers[net->arcs[a].place]++;
    }
  }
}

static void make_triggers(struct clew_net_impl *impl) {
  const struct clew_net *net = impl->net;
  uint32_t lists = 0;
  impl->trigger_of_slot = clew_alloc_zero((size_t)impl->slot_count + 1, sizeof(uint32_t));
  for (uint32_t i = 0; i < impl->slot_count; i++) {
    impl->trigger_of_slot[i] = lists;
    lists += triggers_of(&impl->fields[i]);
  }
  uint32_t *takers = clew_alloc_zero((size_t)net->place_count + 1, sizeof *takers);
  uint32_t *chosen = clew_alloc_zero((size_t)net->transition_count + 1, sizeof *chosen);
  count_takers(net, takers);
  impl->trigger_first = clew_alloc_zero((size_t)lists + 2, sizeof(uint32_t));
  impl->triggered = clew_alloc_zero((size_t)net->transition_count + 1, sizeof(uint32_t));
  impl->always = clew_alloc_zero((size_t)net->transition_count + 1, sizeof(uint32_t));
  for (uint32_t i = 0; i < net->transition_count; i++) {
    chosen[i] = choose_trigger(impl, i, takers);
    if (impl->ready[i].is_dead) {
      continue;
    }
    if (chosen[i] == CLEW_NONE) {
      impl->always[impl->always_count++] = i;
    } else {
      impl->trigger_first[chosen[i] + 2]++;
    }
  }
  for (uint32_t i = 0; i < lists; i++) {
    impl->trigger_first[i + 2] += impl->trigger_first[i + 1];
  }
  for (uint32_t i = 0; i < net->transition_count; i++) {
    if (!impl->ready[i].is_dead && chosen[i] != CLEW_NONE) {
      impl->triggered[impl->trigger_first[chosen[i] + 1]++] = i;
    }
  }
  clew_free(takers);
  clew_free(chosen);
}

void clew_net_compile(struct clew_net_impl *impl) {
  const struct clew_net *net = impl->net;
  struct compiler c = {.impl = impl,
                       .at = clew_alloc_zero((size_t)impl->slot_count + 1, sizeof(uint32_t))};
  impl->ready = clew_alloc_zero((size_t)net->transition_count + 1, sizeof *impl->ready);
  /* Empty lists have an address, too, that a transition may point to. */
  clew_vec_reserve(&impl->tests, 1);
  clew_vec_reserve(&impl->needs, 1);
  clew_vec_reserve(&impl->adds, 1);
  clew_vec_reserve(&impl->checks, 1);
  for (uint32_t i = 0; i < net->transition_count; i++) {
    compile_one(&c, i);
  }
  impl->ready[net->transition_count] = (struct clew_net_code_of_transition){
      impl->tests.len, impl->needs.len, impl->adds.len, impl->checks.len, false};
  impl->by_trigger = net->transition_count > TRY_ALL;
  if (impl->by_trigger) {
    make_triggers(impl);
  }
  clew_free(c.at);
  clew_vec_free(&c.changes);
}
