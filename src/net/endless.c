/* Proof that a net has infinitely many markings.
 *
 * If a sequence of transitions leads from a marking to one that has as much everywhere and more
 * somewhere, it can be repeated for ever, because more tokens disable nothing. Such a sequence is
 * looked for on walks from the start: each step is compared with the markings before it. Walks go
 * by chance, with a fixed seed, and prefer transitions that give more than they take. None is made
 * where all places have a bound. Not to find one proves nothing. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "net/net_int.h"

enum { WALKS = 40, STEPS = 400 };
static const uint64_t WORK = (uint64_t)1 << 28; /* comparisons of places, in all */

struct walk {
  const struct clew_net *net;
  struct clew_random random;
  uint64_t *markings; /* one behind the other, as long as the walk */
  uint64_t *sums;     /* tokens of each */
  uint32_t *fired;
  uint32_t *enabled;
  uint64_t work;
};

static uint64_t *marking(const struct walk *w, uint32_t step) {
  return w->markings + (size_t)step * w->net->place_count;
}

static void list_enabled(struct walk *w, const uint64_t *tokens, uint32_t *count) {
  const struct clew_net *net = w->net;
  *count = 0;
  for (uint32_t i = 0; i < net->transition_count; i++) {
    const struct clew_net_transition *t = &net->transitions[i];
    uint32_t a = t->take;
    while (a < t->give && tokens[net->arcs[a].place] >= net->arcs[a].weight) {
      a++;
    }
    if (a == t->give) {
      w->enabled[(*count)++] = i;
    }
  }
  w->work += net->transition_count;
}

static int64_t gain(const struct clew_net *net, uint32_t transition) {
  int64_t sum = 0;
  for (struct clew_net_touches at = clew_net_touches(net, transition); clew_net_touch(&at);) {
    sum += (int64_t)at.given - (int64_t)at.taken;
  }
  return sum;
}

/* Of two by chance the one that gives more. */
static uint32_t choose(struct walk *w, uint32_t count) {
  uint32_t a = w->enabled[clew_random_below(&w->random, count)];
  uint32_t b = w->enabled[clew_random_below(&w->random, count)];
  return gain(w->net, a) >= gain(w->net, b) ? a : b;
}

static void step(struct walk *w, uint32_t at, uint32_t transition) {
  const struct clew_net *net = w->net;
  uint64_t *to = marking(w, at + 1);
  w->sums[at + 1] = w->sums[at];
  memcpy(to, marking(w, at), net->place_count * sizeof *to);
  for (struct clew_net_touches touch = clew_net_touches(net, transition); clew_net_touch(&touch);) {
    to[touch.place] += touch.given - touch.taken;
    w->sums[at + 1] += touch.given - touch.taken;
  }
  w->fired[at] = transition;
}

/* A place that has grown since an earlier marking that has no more anywhere; or CLEW_NONE. */
static uint32_t grown_since(struct walk *w, const uint64_t *before, const uint64_t *now) {
  uint32_t grown = CLEW_NONE;
  for (uint32_t p = 0; p < w->net->place_count; p++) {
    w->work++;
    if (now[p] < before[p]) {
      return CLEW_NONE;
    }
    if (now[p] > before[p]) {
      grown = p;
    }
  }
  return grown;
}

static void tell(const struct walk *w, uint32_t place, uint32_t from, uint32_t to,
                 struct clew_text *out) {
  enum { SHOWN = 6 };
  clew_text_printf(out, "the net is unbounded: place %s grows along ", w->net->places[place].name);
  for (uint32_t i = from; i < to && i < from + SHOWN; i++) {
    clew_text_printf(out, "%s%s", i == from ? "" : ", ", w->net->transitions[w->fired[i]].name);
  }
  if (to - from > SHOWN) {
    clew_text_printf(out, " … (%u steps)", to - from);
  }
}

/* True, and told, if the walk shows growth. */
static bool walk_once(struct walk *w, struct clew_text *out) {
  w->sums[0] = 0;
  for (uint32_t p = 0; p < w->net->place_count; p++) {
    marking(w, 0)[p] = w->net->places[p].tokens;
    w->sums[0] += w->net->places[p].tokens;
  }
  for (uint32_t at = 0; at < STEPS && w->work < WORK; at++) {
    uint32_t count;
    list_enabled(w, marking(w, at), &count);
    if (count == 0) {
      return false;
    }
    step(w, at, choose(w, count));
    for (uint32_t before = at + 1; before-- > 0;) {
      bool has_more = w->sums[at + 1] > w->sums[before]; /* else there is no need to compare */
      uint32_t place =
          has_more ? grown_since(w, marking(w, before), marking(w, at + 1)) : CLEW_NONE;
      if (place != CLEW_NONE) {
        tell(w, place, before, at + 1, out);
        return true;
      }
    }
  }
  return false;
}

bool clew_net_find_growth(const struct clew_net *net, const struct clew_net_bounds *bounds,
                          struct clew_text *out) {
  bool may_grow = false;
  for (uint32_t p = 0; p < net->place_count; p++) {
    may_grow = may_grow || bounds->most[p] == CLEW_NET_NO_BOUND;
  }
  if (!may_grow || net->transition_count == 0 || (uint64_t)net->place_count * STEPS > WORK / 8) {
    return false;
  }
  struct walk w = {
      .net = net,
      .markings = clew_alloc((size_t)(STEPS + 1) * net->place_count * sizeof(uint64_t)),
      .sums = clew_alloc((STEPS + 1) * sizeof(uint64_t)),
      .fired = clew_alloc(STEPS * sizeof(uint32_t)),
      .enabled = clew_alloc(net->transition_count * sizeof(uint32_t)),
  };
  clew_random_seed(&w.random, 1);
  bool found = false;
  for (uint32_t i = 0; i < WALKS && !found && w.work < WORK; i++) {
    found = walk_once(&w, out);
  }
  clew_free(w.markings);
  clew_free(w.sums);
  clew_free(w.fired);
  clew_free(w.enabled);
  return found;
}
