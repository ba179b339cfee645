/* Proof that a net has infinitely many markings: a path that comes to more tokens.
 *
 * More tokens disable nothing, so a sequence of steps that leads from a marking to one that has as
 * much everywhere and more somewhere can be repeated for ever. A few markings are visited breadth
 * first, and each is compared with those on the way to it. Colours that grow while the number of
 * tokens stays are not found: not to find anything proves nothing. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "lang/cpn/cpn_int.h"

enum { MOST_STATES = 2000, MOST_DEPTH = 60, MOST_BINDINGS = 20000, MOST_TICKS = 200000 };

struct visited {
  uint32_t parent, transition, depth;
};

struct growth {
  struct cpn_net *net;
  uint64_t *states; /* as long as MOST_STATES */
  struct visited visited[MOST_STATES];
  uint32_t count;
  uint64_t work;
  bool is_cut; /* something was left out */
};

static const uint64_t *state_of(const struct growth *g, uint32_t number) {
  return g->states + (size_t)number * g->net->model.words;
}

/* Whether `more` has all tokens of `less`. */
static bool includes(const struct cpn_bag *more, const struct cpn_bag *less) {
  for (uint32_t i = 0; i < less->count; i++) {
    if (cpn_bag_count(more, less->tokens[i].token) < less->tokens[i].count) {
      return false;
    }
  }
  return true;
}

/* A place that has grown since a marking that has no more anywhere; or CLEW_NONE. */
static uint32_t grown_since(const struct growth *g, const uint64_t *before, const uint64_t *now) {
  const struct cpn_net *net = g->net;
  uint32_t grown = CLEW_NONE;
  for (uint32_t i = 0; i < net->places.len; i++) {
    uint32_t slot = net->places.data[i].slot;
    if (slot == CLEW_NONE) {
      continue;
    }
    uint32_t a = cpn_get(net, before, slot), b = cpn_get(net, now, slot);
    if (a != b) {
      if (!includes(cpn_bag(net, i, b), cpn_bag(net, i, a))) {
        return CLEW_NONE;
      }
      grown = i;
    }
  }
  return grown;
}

static void tell(struct growth *g, uint32_t place, uint32_t from, uint32_t to) {
  enum { SHOWN = 6 };
  struct cpn_net *net = g->net;
  uint32_t steps[MOST_DEPTH + 1], count = 0;
  for (uint32_t at = to; at != from; at = g->visited[at].parent) {
    steps[count++] = g->visited[at].transition;
  }
  clew_text_printf(&net->endless_text, "the net is unbounded: place %s grows along ",
                   net->places.data[place].name);
  for (uint32_t i = 0; i < count && i < SHOWN; i++) {
    clew_text_printf(&net->endless_text, "%s%s", i == 0 ? "" : ", ",
                     net->transitions.data[steps[count - 1 - i]].name);
  }
  if (count > SHOWN) {
    clew_text_printf(&net->endless_text, " … (%u steps)", count);
  }
}

/* Adds a successor that is new; true if it shows growth. */
static bool add(struct growth *g, uint32_t parent, uint32_t transition, const uint64_t *state) {
  uint32_t words = g->net->model.words, number = g->count;
  for (uint32_t i = 0; i < g->count; i++) {
    if (memcmp(state_of(g, i), state, words * sizeof *state) == 0) {
      return false;
    }
  }
  if (g->count == MOST_STATES) {
    g->is_cut = true;
    return false;
  }
  memcpy(g->states + (size_t)number * words, state, words * sizeof *state);
  g->visited[number] = (struct visited){parent, transition, g->visited[parent].depth + 1};
  g->count++;
  for (uint32_t at = parent;; at = g->visited[at].parent) {
    uint32_t place = grown_since(g, state_of(g, at), state);
    if (place != CLEW_NONE) {
      tell(g, place, at, number);
      return true;
    }
    if (at == 0) {
      return false;
    }
  }
}

static bool expand(struct growth *g, uint32_t number, uint32_t *numbers) {
  struct cpn_net *net = g->net;
  uint64_t *next = clew_alloc(net->model.words * sizeof *next);
  bool grows = false;
  cpn_numbers(net, state_of(g, number), numbers);
  for (uint32_t t = 0; t < net->transitions.len && !grows; t++) {
    const struct cpn_transition *transition = &net->transitions.data[t];
    struct cpn_entry *entry = cpn_compute(net, t, numbers, net->model.stop, true);
    g->is_cut = g->is_cut || entry == NULL;
    for (uint32_t k = 0; entry != NULL && k < entry->count && !grows; k++) {
      if (entry->sites[k] != CLEW_NONE) {
        continue;
      }
      memcpy(next, state_of(g, number), net->model.words * sizeof *next);
      for (uint32_t i = 0; i < transition->touched_count; i++) {
        (void)cpn_set(net, next, net->places.data[transition->touched[i]].slot,
                      entry->numbers[(size_t)k * transition->touched_count + i]);
      }
      g->work++;
      grows = add(g, number, t, next);
    }
    cpn_entry_free(entry);
  }
  cpn_scratch_tidy(net);
  clew_free(next);
  return grows;
}

void cpn_find_growth(struct cpn_net *net) {
  const uint64_t most_work = UINT64_C(1) << 23; /* places, in all */
  if (net->slot_count == 0 || (uint64_t)net->slot_count * MOST_STATES > most_work) {
    return;
  }
  struct growth *g = clew_alloc_zero(1, sizeof *g);
  g->net = net;
  g->states = clew_alloc((size_t)MOST_STATES * net->model.words * sizeof *g->states);
  memcpy(g->states, net->initial, net->model.words * sizeof *g->states);
  g->count = 1;
  uint32_t *numbers = clew_alloc(((size_t)net->places.len + 1) * sizeof *numbers);
  bool grows = false;
  uint32_t at = 0;
  net->most_ticks = MOST_TICKS; /* a function that does not end must not keep a net from loading */
  for (; at < g->count && !grows && g->work < MOST_BINDINGS; at++) {
    bool is_stopped = net->model.stop != NULL && atomic_load(net->model.stop);
    if (is_stopped || g->visited[at].depth >= MOST_DEPTH) {
      break;
    }
    grows = expand(g, at, numbers);
  }
  net->first_states = g->count;
  net->is_small = at == g->count && !g->is_cut && !grows;
  net->most_ticks = 0;
  clew_free(numbers);
  clew_free(g->states);
  clew_free(g);
  if (grows) {
    net->model.endless = net->reference.endless = clew_text_str(&net->endless_text);
  }
}
