/* Whether a trace shows a run that stays (model/runs.h): its edges are followed through the nodes
 * of such runs. An edge may lead to several of them, so there is a set of nodes for each step. The
 * run goes on for ever if one of the last nodes is a place to rest, or if the steps of the cycle
 * lead from some node back to the same. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "model/runs.h"
#include "trace/trace_int.h"

enum { MOST_NODES = 1 << 14 /* of a set */ };

struct walk {
  const struct clew_model *model;
  uint32_t property;
  struct clew_succs nodes, more; /* the set, and room for the next one */
  bool failed;                   /* a condition is at fault, or sets get too large */
};

static const uint64_t *node_at(const struct walk *w, const struct clew_succs *nodes, uint32_t i) {
  return nodes->states + (size_t)i * w->model->runs->words;
}

static bool has(const struct walk *w, const struct clew_succs *nodes, uint32_t count,
                const uint64_t *node) {
  bool found = false;
  for (uint32_t i = 0; i < count && !found; i++) {
    found = memcmp(node_at(w, nodes, i), node, w->model->runs->words * sizeof *node) == 0;
  }
  return found;
}

/* Leaves the nodes from `first` on that were reached by the edge, each once. */
static void sift(struct walk *w, struct clew_succs *nodes, uint32_t first, uint32_t edge) {
  uint32_t words = w->model->runs->words, count = first;
  for (uint32_t i = first; i < nodes->count; i++) {
    const uint64_t *node = node_at(w, nodes, i);
    if (nodes->edges[i] == edge && !has(w, nodes, count, node)) {
      memmove(nodes->states + (size_t)count * words, node, words * sizeof *node);
      nodes->edges[count++] = edge;
    }
  }
  nodes->count = count;
}

static void swap(struct walk *w) {
  struct clew_succs old = w->nodes;
  w->nodes = w->more;
  w->more = old;
}

static void start(struct walk *w, const struct clew_trace *trace, const uint64_t *state) {
  const struct clew_model *model = w->model;
  uint32_t site = CLEW_NONE;
  clew_succs_clear(&w->nodes);
  if (model->properties[w->property].from_label != CLEW_NONE) {
    model->runs->enter(model, w->property, state, &w->nodes, &site);
    sift(w, &w->nodes, 0, CLEW_NONE);
  } else if (trace->stay_from == 0) {
    model->runs->begin(model, w->property, &w->nodes, &site);
    sift(w, &w->nodes, 0, trace->initial);
  }
  w->failed = site != CLEW_NONE;
}

static void follow(struct walk *w, uint32_t edge) {
  uint32_t site = CLEW_NONE;
  clew_succs_clear(&w->more);
  for (uint32_t i = 0; i < w->nodes.count && !w->failed; i++) {
    uint32_t first = w->more.count;
    w->model->runs->next(w->model, w->property, node_at(w, &w->nodes, i), &w->more, &site);
    sift(w, &w->more, first, edge);
    w->failed = site != CLEW_NONE || w->more.count > MOST_NODES;
  }
  swap(w);
}

static bool some_rests(struct walk *w) {
  bool rests = false;
  for (uint32_t i = 0; i < w->nodes.count && !rests; i++) {
    uint32_t site = CLEW_NONE;
    clew_succs_clear(&w->more);
    w->model->runs->next(w->model, w->property, node_at(w, &w->nodes, i), &w->more, &site);
    rests = site == CLEW_NONE && w->more.rests;
  }
  return rests;
}

/* Whether the cycle of the trace leads from one of `count` nodes to the same. */
static bool some_returns(struct walk *w, const struct clew_trace *trace, const uint64_t *firsts,
                         uint32_t count) {
  uint32_t words = w->model->runs->words;
  bool returns = false;
  for (uint32_t n = 0; n < count && !returns; n++) {
    const uint64_t *first = firsts + (size_t)n * words;
    clew_succs_clear(&w->nodes);
    memcpy(clew_succs_next(&w->nodes), first, words * sizeof *first);
    clew_succs_keep(&w->nodes, CLEW_NONE);
    for (uint32_t i = trace->loop_to; i < trace->edge_count; i++) {
      follow(w, trace->edges[i]);
    }
    returns = !w->failed && has(w, &w->nodes, w->nodes.count, first);
  }
  return returns;
}

static const char *doubt(struct walk *w, const struct clew_trace *trace, const uint64_t *states) {
  const struct clew_model *model = w->model;
  uint64_t *firsts = NULL;
  uint32_t first_count = 0;
  start(w, trace, states + (size_t)trace->stay_from * model->words);
  for (uint32_t i = trace->stay_from; i <= trace->edge_count && !w->failed; i++) {
    if (i == trace->loop_to) {
      size_t bytes = (size_t)w->nodes.count * model->runs->words * sizeof *firsts;
      first_count = w->nodes.count;
      firsts = clew_alloc(bytes + 1);
      memcpy(firsts, w->nodes.states, bytes);
    }
    if (i < trace->edge_count) {
      follow(w, trace->edges[i]);
    }
  }
  const char *why = NULL;
  if (w->failed || w->nodes.count == 0) {
    why = "the run does not stay where it should";
  } else if (trace->loop_to == CLEW_NONE) {
    why = some_rests(w) ? NULL : "the run does not end in its last state";
  } else {
    why = some_returns(w, trace, firsts, first_count) ? NULL : "the last step does not lead back";
  }
  clew_free(firsts);
  return why;
}

const char *clew_trace_doubt_run(const struct clew_model *model, const struct clew_trace *trace,
                                 const uint64_t *states) {
  if (model->runs == NULL) {
    return "the model knows nothing of runs";
  }
  struct walk w = {.model = model, .property = trace->property};
  clew_succs_open(&w.nodes, model->runs->words, model->cover_count);
  clew_succs_open(&w.more, model->runs->words, model->cover_count);
  const char *why = doubt(&w, trace, states);
  clew_succs_close(&w.nodes);
  clew_succs_close(&w.more);
  return why;
}
