/* Successors of an unfolded net (unfold.c): deeds are tried one by one, and what they do is added
 * to words. Nothing is looked up and nothing is locked.
 *
 * Edges are those of kernel.c: binding k of transition t, among those that are enabled. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/cpn/cpn_int.h"

/* ---- deeds as operations on words ---- */

/* A cell of one bit from which one token is taken is part of a comparison of words. */
static void put_take(struct cpn_unfolded *u, uint32_t first_test, const struct cpn_cell *cell,
                     uint64_t count) {
  if (cell->width != 1 || count != 1) {
    struct cpn_need need = {cell->word, cell->shift, cell->mask, count};
    clew_vec_push(&u->needs, need);
    return;
  }
  uint32_t i = first_test;
  while (i < u->tests.len && u->tests.data[i].word != cell->word) {
    i++;
  }
  if (i == u->tests.len) {
    struct cpn_test test = {cell->word, 0};
    clew_vec_push(&u->tests, test);
  }
  u->tests.data[i].mask |= UINT64_C(1) << cell->shift;
}

/* Counts stay within their bits, so sums of words are sums of counts. */
static void put_add(struct cpn_unfolded *u, uint32_t first_add, const struct cpn_cell *cell,
                    uint64_t delta) {
  uint32_t i = first_add;
  while (i < u->adds.len && u->adds.data[i].word != cell->word) {
    i++;
  }
  if (i == u->adds.len) {
    struct cpn_add add = {cell->word, 0};
    clew_vec_push(&u->adds, add);
  }
  u->adds.data[i].delta += delta << cell->shift;
}

void cpn_ready_deeds(struct cpn_net *net, struct cpn_unfolded *u) {
  for (uint32_t d = 0; d < u->deed_count; d++) {
    struct cpn_deed *deed = &u->deeds[d];
    const struct cpn_binding *b = deed->binding;
    deed->tests = u->tests.len;
    deed->needs = u->needs.len;
    deed->adds = u->adds.len;
    deed->site = b->state == CPN_B_READY ? CLEW_NONE : b->site;
    for (uint32_t i = 0; i < b->take_count; i++) {
      if (net->places.data[b->takes[i].place].slot != CLEW_NONE) {
        uint32_t cell = cpn_find_cell(u, b->takes[i].place, b->takes[i].token);
        if (cell == CLEW_NONE) { /* no such token ever */
          struct cpn_need never = {0, 0, 0, 1};
          clew_vec_push(&u->needs, never);
          continue;
        }
        put_take(u, deed->tests, &u->cells[cell], b->takes[i].count);
        put_add(u, deed->adds, &u->cells[cell], -b->takes[i].count);
      }
    }
    for (uint32_t i = 0; i < b->give_count && deed->site == CLEW_NONE; i++) {
      if (net->places.data[b->gives[i].place].slot != CLEW_NONE) {
        uint32_t cell = cpn_find_cell(u, b->gives[i].place, b->gives[i].token);
        assert(cell != CLEW_NONE);
        put_add(u, deed->adds, &u->cells[cell], b->gives[i].count);
      }
    }
  }
  u->deeds[u->deed_count] =
      (struct cpn_deed){.tests = u->tests.len, .needs = u->needs.len, .adds = u->adds.len};
}

static bool is_enabled(const struct cpn_unfolded *u, const struct cpn_deed *deed,
                       const uint64_t *state) {
  for (uint32_t i = deed->tests; i < deed[1].tests; i++) {
    const struct cpn_test *test = &u->tests.data[i];
    if ((state[test->word] & test->mask) != test->mask) {
      return false;
    }
  }
  for (uint32_t i = deed->needs; i < deed[1].needs; i++) {
    const struct cpn_need *need = &u->needs.data[i];
    if ((state[need->word] >> need->shift & need->mask) < need->least) {
      return false;
    }
  }
  return true;
}

static void perform(const struct cpn_net *net, const struct cpn_deed *deed, const uint64_t *state,
                    uint64_t *out) {
  const struct cpn_unfolded *u = net->unfolded;
  if (out != state) {
    memcpy(out, state, net->model.words * sizeof *out);
  }
  for (uint32_t i = deed->adds; i < deed[1].adds; i++) {
    out[u->adds.data[i].word] += u->adds.data[i].delta;
  }
}

/* ---- successors ---- */

enum { FEW = 512 };

/* The enabled deeds; those of a transition are from first[t] on. */
struct enabled {
  uint32_t few[FEW], few_first[FEW];
  uint32_t *list, *first;
  uint32_t most; /* deeds of one transition */
};

static void find_enabled(const struct cpn_net *net, const uint64_t *state, struct enabled *e) {
  const struct cpn_unfolded *u = net->unfolded;
  uint32_t transitions = net->transitions.len, count = 0;
  e->list = u->deed_count <= FEW ? e->few : clew_alloc(u->deed_count * sizeof *e->list);
  e->first = transitions < FEW ? e->few_first : clew_alloc((transitions + 1) * sizeof *e->first);
  e->most = 0;
  for (uint32_t t = 0; t < transitions; t++) {
    e->first[t] = count;
    for (uint32_t d = u->first_deed[t]; d < u->first_deed[t + 1]; d++) {
      if (is_enabled(u, &u->deeds[d], state)) {
        e->list[count++] = d;
      }
    }
    e->most = count - e->first[t] > e->most ? count - e->first[t] : e->most;
  }
  e->first[transitions] = count;
}

static void free_enabled(struct enabled *e) {
  if (e->list != e->few) {
    clew_free(e->list);
  }
  if (e->first != e->few_first) {
    clew_free(e->first);
  }
}

/* Binding by binding, transition by transition: in increasing order of edges. */
static void append_all(const struct cpn_net *net, const struct enabled *e, uint32_t from,
                       const uint64_t *state, struct clew_succs *succs) {
  uint32_t count = net->transitions.len;
  for (uint32_t k = count > 0 ? from / count : 0; k < e->most; k++) {
    for (uint32_t t = 0; t < count; t++) {
      uint32_t edge = k * count + t;
      if (k >= e->first[t + 1] - e->first[t] || edge < from) {
        continue;
      }
      if (clew_succs_pause(succs, edge)) {
        return;
      }
      const struct cpn_deed *deed = &net->unfolded->deeds[e->list[e->first[t] + k]];
      if (deed->site != CLEW_NONE) {
        succs->add_fault(succs, edge, deed->site);
      } else {
        perform(net, deed, state, clew_succs_next(succs));
        clew_succs_keep(succs, edge);
      }
    }
  }
}

void cpn_counts_next(const struct clew_model *model, const uint64_t *state,
                     struct clew_succs *succs) {
  const struct cpn_net *net = cpn_of(model);
  uint32_t first = succs->count, first_fault = succs->fault_count, from = succs->resume;
  struct enabled e;
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  find_enabled(net, state, &e);
  append_all(net, &e, from, state, succs);
  free_enabled(&e);
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}

/* NULL: there is no such edge. */
static const struct cpn_deed *deed_of(const struct cpn_net *net, const uint64_t *state,
                                      uint32_t edge) {
  const struct cpn_unfolded *u = net->unfolded;
  uint32_t t = edge % net->transitions.len, k = edge / net->transitions.len;
  for (uint32_t d = u->first_deed[t]; d < u->first_deed[t + 1]; d++) {
    if (is_enabled(u, &u->deeds[d], state) && k-- == 0) {
      return &u->deeds[d];
    }
  }
  return NULL;
}

bool cpn_counts_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site) {
  const struct cpn_net *net = cpn_of(model);
  const struct cpn_deed *deed = deed_of(net, state, edge);
  *site = deed != NULL ? deed->site : CLEW_NONE;
  if (deed == NULL || *site != CLEW_NONE) {
    return false;
  }
  perform(net, deed, state, out);
  return true;
}

const struct cpn_binding *cpn_counts_binding(const struct cpn_net *net, const uint64_t *state,
                                             uint32_t edge) {
  const struct cpn_deed *deed = deed_of(net, state, edge);
  return deed != NULL ? deed->binding : NULL;
}

/* ---- counts and multisets ---- */

static uint64_t count_of(const struct cpn_cell *cell, const uint64_t *state) {
  return state[cell->word] >> cell->shift & cell->mask;
}

uint32_t cpn_counts_number(struct cpn_net *net, uint32_t place, const uint64_t *state) {
  const struct cpn_unfolded *u = net->unfolded;
  uint32_t first = u->first_cell[place], end = u->first_cell[place + 1], count = 0;
  struct cpn_tokens_of *tokens = clew_alloc((end - first + (size_t)1) * sizeof *tokens);
  for (uint32_t i = first; i < end; i++) {
    uint64_t held = count_of(&u->cells[i], state);
    if (held > 0) {
      tokens[count++] = (struct cpn_tokens_of){u->cells[i].token, held};
    }
  }
  uint32_t number = cpn_bag_intern(net, place, tokens, count);
  clew_free(tokens);
  return number;
}

bool cpn_counts_set(const struct cpn_net *net, uint32_t place, uint32_t number, uint64_t *state) {
  const struct cpn_unfolded *u = net->unfolded;
  const struct cpn_bag *bag = cpn_bag(net, place, number);
  for (uint32_t i = u->first_cell[place]; i < u->first_cell[place + 1]; i++) {
    state[u->cells[i].word] &= ~(u->cells[i].mask << u->cells[i].shift);
  }
  for (uint32_t i = 0; i < bag->count; i++) {
    uint32_t cell = cpn_find_cell(u, place, bag->tokens[i].token);
    if (cell == CLEW_NONE || bag->tokens[i].count > u->cells[cell].mask) {
      return false;
    }
    state[u->cells[cell].word] |= bag->tokens[i].count << u->cells[cell].shift;
  }
  return true;
}

const struct cpn_value *cpn_counts_list(const struct cpn_net *net, uint32_t place,
                                        const uint64_t *state, struct clew_arena *arena) {
  const struct cpn_unfolded *u = net->unfolded;
  const struct cpn_value *list = net->ml.nil_value;
  for (uint32_t i = u->first_cell[place + 1]; i-- > u->first_cell[place];) {
    for (uint64_t n = count_of(&u->cells[i], state); n > 0; n--) {
      list = cpn_value_cons(arena, u->cells[i].token, list);
    }
  }
  return list;
}
