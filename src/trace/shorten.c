/* Shortening in two ways, one after the other.
 *
 * Leaving out: a part of the path is left out if the edges that remain can be taken one after the
 * other and end in the same violation (delta debugging, with parts of half the path first and of
 * single steps last). Each candidate begins where it differs from the path.
 *
 * Shortcuts: a small breadth-first search from a state of the path may reach a later one, or
 * another end, by fewer steps.
 *
 * Invariant: states.data has the state before each edge of the path, and the one behind the last.
 */
#include "trace/shorten.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"

static const uint64_t MOST_STATE_BYTES = (uint64_t)256 << 20;
enum { LEAST_WINDOW = 64, MOST_WINDOW = 8192 };

struct words { /* a CLEW_VEC */
  uint64_t *data;
  uint32_t len, cap;
};

struct shortening {
  const struct clew_model *model;
  struct clew_trace *trace;
  uint64_t *property; /* a bit set of one */
  struct clew_succs succs;
  struct words states;
  struct words other; /* of a candidate: the states from where it differs */
  CLEW_VEC(uint32_t) edges;
  uint32_t fault_edge; /* of the end that was seen last */
  uint64_t left;       /* expansions */
};

static void put_state(const struct shortening *s, struct words *states, const uint64_t *state) {
  uint32_t words = s->model->words;
  clew_vec_reserve(states, states->len + words);
  memcpy(states->data + states->len, state, words * sizeof *state);
  states->len += words;
}

/* Appends the state behind the edge, if the model offers that. It is asked by `next`: firing an
 * edge does not ask whether another one goes first. */
static bool step(struct shortening *s, struct words *states, uint32_t edge) {
  const struct clew_model *model = s->model;
  uint32_t words = model->words;
  clew_succs_clear(&s->succs);
  s->succs.resume = 0;
  s->left -= s->left > 0;
  model->next(model, states->data + states->len - words, &s->succs);
  for (uint32_t i = 0; i < s->succs.count; i++) {
    if (s->succs.edges[i] == edge) {
      put_state(s, states, s->succs.states + (size_t)i * words);
      return true;
    }
  }
  return false;
}

static bool faults(struct shortening *s, const uint64_t *last) {
  clew_succs_clear(&s->succs);
  s->succs.resume = 0;
  s->model->next(s->model, last, &s->succs);
  for (uint32_t i = 0; i < s->succs.fault_count; i++) {
    if (s->succs.faults[i].site == s->trace->site) {
      s->fault_edge = s->succs.faults[i].edge;
      return true;
    }
  }
  return false;
}

/* Whether the state is the end of a trace like this one. */
static bool ends(struct shortening *s, const uint64_t *state) {
  const struct clew_model *model = s->model;
  if (s->trace->fault_edge != CLEW_NONE) {
    return faults(s, state);
  }
  if (model->properties[s->trace->property].kind == CLEW_PROPERTY_DEADLOCK) {
    clew_succs_clear(&s->succs);
    s->succs.resume = 0;
    model->next(model, state, &s->succs);
    return s->succs.stuck;
  }
  uint32_t site = CLEW_NONE;
  return model->check(model, s->property, state, &site) == s->trace->property &&
         site == s->trace->site;
}

/* ---- loops ---- */

/* Leaves out what lies between two visits of one state. */
static void cut_loops(struct shortening *s) {
  uint32_t words = s->model->words, count = s->states.len / words, size = 16;
  while (size < 2 * count) {
    size *= 2;
  }
  uint32_t *table = clew_alloc_zero(size, sizeof *table); /* of places in the new path, + 1 */
  uint32_t kept = 0;                                      /* states of the new path */
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t *state = s->states.data + (size_t)i * words;
    uint32_t at = (uint32_t)clew_hash_words(state, words, 0) & (size - 1);
    uint32_t place = CLEW_NONE;
    while (table[at] != 0 && place == CLEW_NONE) {
      /* A place beyond the end was left out since: it is free, and may hold another state now. */
      const uint64_t *there = s->states.data + (size_t)(table[at] - 1) * words;
      bool same = table[at] <= kept && memcmp(there, state, words * sizeof *state) == 0;
      place = same ? table[at] - 1 : CLEW_NONE;
      at = same ? at : (at + 1) & (size - 1);
    }
    if (place != CLEW_NONE) {
      kept = place + 1;
      continue;
    }
    if (kept > 0) {
      s->edges.data[kept - 1] = s->edges.data[i - 1];
    }
    memmove(s->states.data + (size_t)kept * words, state, words * sizeof *state);
    table[at] = ++kept;
  }
  s->states.len = kept * words;
  s->edges.len = kept - 1;
  clew_free(table);
}

/* ---- parts ---- */

/* Whether the path without the edges from..to is one that ends in the same way, perhaps earlier;
 * then `other` has its states from there on, and *count the edges that are left behind. */
static bool works_without(struct shortening *s, uint32_t from, uint32_t to, uint32_t *count) {
  uint32_t words = s->model->words;
  clew_vec_clear(&s->other);
  put_state(s, &s->other, s->states.data + (size_t)from * words);
  bool is_end = from < to && ends(s, s->other.data);
  *count = 0;
  for (uint32_t i = to; i < s->edges.len && !is_end; i++) {
    if (s->left == 0 || !step(s, &s->other, s->edges.data[i])) {
      return false;
    }
    (*count)++;
    is_end = ends(s, s->other.data + s->other.len - words);
  }
  return is_end;
}

static void leave_out(struct shortening *s, uint32_t from, uint32_t to, uint32_t count) {
  uint32_t words = s->model->words;
  memmove(s->edges.data + from, s->edges.data + to, count * sizeof *s->edges.data);
  s->edges.len = from + count;
  memcpy(s->states.data + (size_t)from * words, s->other.data,
         (size_t)(count + 1) * words * sizeof(uint64_t));
  s->states.len = (from + count + 1) * words;
}

static void cut_parts(struct shortening *s) {
  for (uint32_t part = s->edges.len; part > 0 && s->left > 0; part /= 2) {
    for (uint32_t from = 0; from < s->edges.len && s->left > 0;) {
      uint32_t to = s->edges.len - from < part ? s->edges.len : from + part, count;
      if (works_without(s, from, to, &count)) {
        leave_out(s, from, to, count);
      } else {
        from += part;
      }
    }
  }
}

/* Until single steps cannot be left out any more. */
static void cut(struct shortening *s) {
  uint32_t before;
  do {
    before = s->edges.len;
    cut_parts(s);
  } while (s->edges.len < before && s->left > 0);
}

/* ---- shortcuts ---- */

/* A set of states: places in `states`, by hash. */
struct places {
  const struct words *states;
  uint32_t words, size;
  uint32_t *table; /* of places + 1 */
};

static struct places places_open(const struct words *states, uint32_t words, uint32_t most) {
  struct places places = {.states = states, .words = words, .size = 16};
  while (places.size < 2 * most) {
    places.size *= 2;
  }
  places.table = clew_alloc_zero(places.size, sizeof *places.table);
  return places;
}

/* The entry of a state: 0 if it is not there. */
static uint32_t *places_find(const struct places *places, const uint64_t *state) {
  uint32_t at = (uint32_t)clew_hash_words(state, places->words, 0) & (places->size - 1);
  while (places->table[at] != 0 &&
         memcmp(places->states->data + (size_t)(places->table[at] - 1) * places->words, state,
                places->words * sizeof *state) != 0) {
    at = (at + 1) & (places->size - 1);
  }
  return &places->table[at];
}

struct node {
  uint32_t parent, edge, depth;
};

/* A bounded search from a state of the path. */
struct window {
  uint32_t from, most;
  struct places path; /* of the path; the last of equal states */
  struct places seen;
  struct words states;
  CLEW_VEC(struct node) nodes;
  uint32_t best, best_to, gain; /* the node, where it is on the path (its length: an end) */
};

static void consider(struct shortening *s, struct window *w, uint32_t place) {
  const uint64_t *state = w->states.data + (size_t)place * s->model->words;
  uint32_t depth = w->nodes.data[place].depth;
  uint32_t on_path = *places_find(&w->path, state), to = on_path > 0 ? on_path - 1 : 0;
  if (w->from + depth < s->edges.len && ends(s, state)) {
    to = s->edges.len;
  }
  if (to > w->from + depth && to - w->from - depth > w->gain) {
    w->gain = to - w->from - depth;
    w->best = place;
    w->best_to = to;
  }
}

static void add_node(struct shortening *s, struct window *w, const uint64_t *state,
                     struct node node) {
  uint32_t *entry = places_find(&w->seen, state);
  if (*entry == 0 && w->nodes.len < w->most) {
    put_state(s, &w->states, state);
    clew_vec_push(&w->nodes, node);
    *entry = w->nodes.len;
  }
}

static void search_window(struct shortening *s, struct window *w) {
  uint32_t words = s->model->words;
  add_node(s, w, s->states.data + (size_t)w->from * words, (struct node){CLEW_NONE, CLEW_NONE, 0});
  struct clew_succs succs;
  clew_succs_open(&succs, words, s->model->cover_count);
  for (uint32_t i = 0; i < w->nodes.len && s->left > 0; i++) {
    consider(s, w, i);
    s->left--;
    clew_succs_clear(&succs);
    succs.resume = 0;
    s->model->next(s->model, w->states.data + (size_t)i * words, &succs);
    for (uint32_t k = 0; k < succs.count; k++) {
      add_node(s, w, succs.states + (size_t)k * words,
               (struct node){i, succs.edges[k], w->nodes.data[i].depth + 1});
    }
  }
  clew_succs_close(&succs);
}

/* Takes the shortcut: the way to the best node in place of the edges up to where it is. */
static void take_shortcut(struct shortening *s, const struct window *w) {
  uint32_t words = s->model->words, depth = w->nodes.data[w->best].depth;
  uint32_t rest = s->edges.len - w->best_to;
  assert(w->from + depth < w->best_to);
  memmove(s->edges.data + w->from + depth, s->edges.data + w->best_to,
          rest * sizeof *s->edges.data);
  memmove(s->states.data + (size_t)(w->from + depth) * words,
          s->states.data + (size_t)w->best_to * words,
          (size_t)(rest + 1) * words * sizeof(uint64_t));
  uint32_t at = w->best;
  for (uint32_t i = depth + 1; i-- > 0; at = w->nodes.data[at].parent) {
    memcpy(s->states.data + (size_t)(w->from + i) * words, w->states.data + (size_t)at * words,
           words * sizeof(uint64_t));
    if (i > 0) {
      s->edges.data[w->from + i - 1] = w->nodes.data[at].edge;
    }
  }
  s->edges.len = w->from + depth + rest;
  s->states.len = (s->edges.len + 1) * words;
}

/* Looks for a shortcut from one state of the path; whether there was one. */
static bool shorten_from(struct shortening *s, uint32_t from) {
  uint32_t words = s->model->words, count = s->states.len / words;
  uint64_t share = s->left / (s->edges.len - from + 1);
  struct window w = {.from = from,
                     .most = share > MOST_WINDOW    ? MOST_WINDOW
                             : share < LEAST_WINDOW ? LEAST_WINDOW
                                                    : (uint32_t)share};
  w.path = places_open(&s->states, words, count);
  w.seen = places_open(&w.states, words, w.most);
  for (uint32_t i = 0; i < count; i++) {
    *places_find(&w.path, s->states.data + (size_t)i * words) = i + 1;
  }
  search_window(s, &w);
  if (w.gain > 0) {
    take_shortcut(s, &w);
  }
  clew_free(w.path.table);
  clew_free(w.seen.table);
  clew_vec_free(&w.states);
  clew_vec_free(&w.nodes);
  return w.gain > 0;
}

static void take_shortcuts(struct shortening *s) {
  for (uint32_t i = 0; i < s->edges.len && s->left > 0;) {
    if (!shorten_from(s, i)) {
      i++;
    }
  }
}

static bool is_shown_by_end(const struct clew_model *model, const struct clew_trace *trace) {
  if (trace->property == CLEW_NONE || trace->initial == CLEW_NONE) {
    return false;
  }
  switch (model->properties[trace->property].kind) {
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_INVARIANT:
    return true;
  case CLEW_PROPERTY_FAULT:
    return trace->fault_edge != CLEW_NONE;
  case CLEW_PROPERTY_COVER:
  case CLEW_PROPERTY_MEASURE:
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS:
    break;
  }
  return false;
}

/* The states of the trace; false when its steps are not offered like that. */
static bool follow(struct shortening *s) {
  uint64_t *start = clew_alloc(s->model->words * sizeof *start);
  bool going = clew_model_start(s->model, s->trace->initial, start);
  put_state(s, &s->states, start);
  clew_free(start);
  for (uint32_t i = 0; i < s->trace->edge_count && going; i++) {
    going = step(s, &s->states, s->trace->edges[i]);
    clew_vec_push(&s->edges, s->trace->edges[i]);
  }
  return going && ends(s, s->states.data + s->states.len - s->model->words);
}

void clew_trace_shorten(const struct clew_model *model, struct clew_trace *trace,
                        uint64_t most_expansions) {
  uint64_t bytes = ((uint64_t)trace->edge_count + 1) * model->words * sizeof(uint64_t);
  if (!is_shown_by_end(model, trace) || trace->edge_count == 0 || bytes > MOST_STATE_BYTES) {
    return;
  }
  struct shortening s = {
      .model = model, .trace = trace, .left = most_expansions + trace->edge_count};
  s.property =
      clew_alloc_zero(CLEW_BITSET_WORDS((size_t)model->property_count) + 1, sizeof *s.property);
  clew_bitset_add(s.property, trace->property);
  clew_succs_open(&s.succs, model->words, model->cover_count);
  if (follow(&s)) {
    cut_loops(&s);
    cut(&s);
    take_shortcuts(&s);
    assert(s.edges.len <= trace->edge_count);
    memcpy(trace->edges, s.edges.data, s.edges.len * sizeof *trace->edges);
    trace->edge_count = s.edges.len;
    if (trace->fault_edge != CLEW_NONE && ends(&s, s.states.data + s.states.len - model->words)) {
      trace->fault_edge = s.fault_edge;
    }
  }
  clew_succs_close(&s.succs);
  clew_vec_free(&s.states);
  clew_vec_free(&s.other);
  clew_vec_free(&s.edges);
  clew_free(s.property);
}
