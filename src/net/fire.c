/* Successors, by what compile.c has made of transitions. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "net/net_int.h"

bool clew_net_is_enabled(const struct clew_net_impl *impl, uint32_t transition,
                         const uint64_t *state) {
  const struct clew_net_code_of_transition *t = &impl->ready[transition];
  if (t->is_dead) {
    return false;
  }
  const struct clew_net_test *test = impl->tests.data + t->tests;
  const struct clew_net_test *tests_end = impl->tests.data + t[1].tests;
  for (; test < tests_end; test++) {
    if ((state[test->word] & test->mask) != test->value) {
      return false;
    }
  }
  const struct clew_net_need *need = impl->needs.data + t->needs;
  const struct clew_net_need *needs_end = impl->needs.data + t[1].needs;
  for (; need < needs_end; need++) {
    if (clew_net_field_get(&impl->fields[need->slot], state) < need->least) {
      return false;
    }
  }
  return true;
}

/* The site of the first check that fails, or CLEW_NONE. */
static uint32_t failing_site(const struct clew_net_impl *impl, uint32_t transition,
                             const uint64_t *state) {
  uint32_t end = impl->ready[transition + 1].checks;
  for (uint32_t i = impl->ready[transition].checks; i < end; i++) {
    const struct clew_net_check *check = &impl->checks.data[i];
    const struct clew_net_field *field = &impl->fields[check->slot];
    if (check->fails || clew_net_field_get(field, state) > check->most) {
      return field->site;
    }
  }
  return CLEW_NONE;
}

static void add_up(const struct clew_net_impl *impl, uint32_t transition, const uint64_t *state,
                   uint64_t *out) {
  for (uint32_t w = 0; w < impl->words; w++) {
    out[w] = state[w];
  }
  const struct clew_net_add *add = impl->adds.data + impl->ready[transition].adds;
  const struct clew_net_add *end = impl->adds.data + impl->ready[transition + 1].adds;
  for (; add < end; add++) {
    out[add->word] += add->delta;
  }
}

/* Appends what an enabled transition leads to. */
static void append(const struct clew_net_impl *impl, uint32_t transition, const uint64_t *state,
                   struct clew_succs *succs) {
  uint32_t site = failing_site(impl, transition, state);
  if (impl->covers_first != NULL) {
    clew_net_note_covers(impl, transition, succs->covered);
  }
  if (site != CLEW_NONE) {
    succs->add_fault(succs, transition, site);
    return;
  }
  add_up(impl, transition, state, clew_succs_next(succs));
  clew_succs_keep(succs, transition);
}

/* ---- candidates ---- */

/* On the stack as long as they are few. */
enum { FEW = 1024 };

struct candidates {
  uint32_t few[FEW];
  uint32_t *list;
  uint32_t count, capacity;
};

static void add_candidates(struct candidates *c, const uint32_t *list, uint32_t count) {
  if (count > c->capacity - c->count) {
    uint32_t capacity = (c->count + count) * 2;
    uint32_t *larger = clew_alloc((size_t)capacity * sizeof *larger);
    memcpy(larger, c->list, c->count * sizeof *larger);
    if (c->list != c->few) {
      clew_free(c->list);
    }
    c->list = larger;
    c->capacity = capacity;
  }
  memcpy(c->list + c->count, list, count * sizeof *list);
  c->count += count;
}

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* All transitions whose trigger is there, in increasing order. Each has one trigger only. */
static void gather(const struct clew_net_impl *impl, const uint64_t *state, struct candidates *c) {
  c->list = c->few;
  c->count = 0;
  c->capacity = FEW;
  add_candidates(c, impl->always, impl->always_count);
  for (uint32_t i = 0; i < impl->slot_count; i++) {
    const struct clew_net_field *field = &impl->fields[i];
    uint64_t value = clew_net_field_get(field, state);
    if (value == 0) {
      continue;
    }
    uint32_t list = impl->trigger_of_slot[i] + (field->is_unit ? (uint32_t)value : 1);
    uint32_t first = impl->trigger_first[list];
    add_candidates(c, impl->triggered + first, impl->trigger_first[list + 1] - first);
  }
  uint32_t enabled = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    if (clew_net_is_enabled(impl, c->list[i], state)) {
      c->list[enabled++] = c->list[i];
    }
  }
  c->count = enabled;
  qsort(c->list, c->count, sizeof *c->list, compare_numbers);
}

static void next_by_triggers(const struct clew_net_impl *impl, const uint64_t *state, uint32_t from,
                             struct clew_succs *succs) {
  struct candidates c;
  gather(impl, state, &c);
  for (uint32_t i = 0; i < c.count; i++) {
    if (c.list[i] >= from) {
      if (clew_succs_pause(succs, c.list[i])) {
        break;
      }
      append(impl, c.list[i], state, succs);
    }
  }
  if (c.list != c.few) {
    clew_free(c.list);
  }
}

static void next_one_by_one(const struct clew_net_impl *impl, const uint64_t *state, uint32_t from,
                            struct clew_succs *succs) {
  for (uint32_t t = from; t < impl->net->transition_count; t++) {
    if (clew_net_is_enabled(impl, t, state)) {
      if (clew_succs_pause(succs, t)) {
        return;
      }
      append(impl, t, state, succs);
    }
  }
}

void clew_net_next(const struct clew_model *model, const uint64_t *state,
                   struct clew_succs *succs) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  uint32_t first = succs->count, first_fault = succs->fault_count, from = succs->resume;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  if (impl->by_trigger) {
    next_by_triggers(impl, state, from, succs);
  } else {
    next_one_by_one(impl, state, from, succs);
  }
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}

bool clew_net_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                   uint64_t *out, uint32_t *site) {
  const struct clew_net_impl *impl = clew_net_impl_of(model);
  assert(edge < impl->net->transition_count);
  *site = CLEW_NONE;
  if (!clew_net_is_enabled(impl, edge, state)) {
    return false;
  }
  *site = failing_site(impl, edge, state);
  if (*site == CLEW_NONE) {
    add_up(impl, edge, state, out);
  }
  return *site == CLEW_NONE;
}
