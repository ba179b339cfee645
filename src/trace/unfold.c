/* From representatives to a real execution. With symmetry reduction the log tells how the search
 * went from representative to representative, each renamed after every step. Nothing of the
 * renamings is kept during the search: here the path is walked again, and beside it a real one, in
 * which each step is some transition into the orbit of the next representative. So the names of
 * scalarset values are stable from step to step, and the trace replays without any symmetry. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/trace.h"
#include "trace/trace_int.h"

struct walk {
  const struct clew_model *model, *reference;
  struct clew_succs succs;  /* of the real state */
  uint64_t *representative; /* where the search was */
  uint64_t *real;           /* a state of the same orbit */
  uint64_t *next, *orbit;   /* room for one state each */
};

static size_t state_bytes(const struct walk *walk) {
  return walk->model->words * sizeof(uint64_t);
}

/* Follows the search over one edge; `orbit` becomes what identifies the orbit it is in then. */
static bool follow(struct walk *walk, uint32_t edge) {
  uint32_t site = CLEW_NONE;
  if (!walk->reference->fire(walk->reference, walk->representative, edge, walk->next, &site)) {
    return false;
  }
  walk->model->canonicalise(walk->model, walk->next, 1);
  memcpy(walk->representative, walk->next, state_bytes(walk));
  memcpy(walk->orbit, walk->next, state_bytes(walk));
  walk->reference->canonicalise(walk->reference, walk->orbit, 1);
  return true;
}

/* Takes a real transition into the orbit, the one with the edge `wished` if that is one. */
static bool take(struct walk *walk, uint32_t wished, uint32_t *taken) {
  const struct clew_model *reference = walk->reference;
  clew_succs_clear(&walk->succs);
  reference->next(reference, walk->real, &walk->succs);
  uint32_t found = CLEW_NONE;
  for (uint32_t i = 0; i < walk->succs.count; i++) {
    if (found != CLEW_NONE && walk->succs.edges[i] != wished) {
      continue;
    }
    memcpy(walk->next, walk->succs.states + (size_t)i * walk->succs.words, state_bytes(walk));
    reference->canonicalise(reference, walk->next, 1);
    if (memcmp(walk->next, walk->orbit, state_bytes(walk)) == 0) {
      found = i;
    }
  }
  if (found == CLEW_NONE) {
    return false;
  }
  *taken = walk->succs.edges[found];
  memcpy(walk->real, walk->succs.states + (size_t)found * walk->succs.words, state_bytes(walk));
  return true;
}

/* An edge of the real state that ends in the same run-time error. */
static void find_fault(struct walk *walk, struct clew_trace *trace) {
  clew_succs_clear(&walk->succs);
  walk->reference->next(walk->reference, walk->real, &walk->succs);
  for (uint32_t i = 0; i < walk->succs.fault_count; i++) {
    if (walk->succs.faults[i].site == trace->site) {
      trace->fault_edge = walk->succs.faults[i].edge;
      return;
    }
  }
}

static void unfold(struct walk *walk, struct clew_trace *trace) {
  if (!clew_trace_initial_state(walk->reference, trace->initial, walk->real)) {
    return;
  }
  memcpy(walk->representative, walk->real, state_bytes(walk));
  walk->model->canonicalise(walk->model, walk->representative, 1);
  for (uint32_t i = 0; i < trace->edge_count; i++) {
    /* What cannot be followed is left as it is: confirming the trace will say so. */
    if (!follow(walk, trace->edges[i]) || !take(walk, trace->edges[i], &trace->edges[i])) {
      return;
    }
  }
  if (trace->fault_edge != CLEW_NONE) {
    find_fault(walk, trace);
  }
}

void clew_trace_unfold(const struct clew_model *model, struct clew_trace *trace) {
  if (model->canonicalise == NULL || trace->initial == CLEW_NONE) {
    return;
  }
  assert(model->reference->canonicalise != NULL);
  struct walk walk = {.model = model, .reference = model->reference};
  clew_succs_open(&walk.succs, model->words, model->cover_count);
  uint64_t *states = clew_alloc_zero(model->words, 4 * sizeof *states);
  walk.representative = states;
  walk.real = states + model->words;
  walk.next = states + (size_t)2 * model->words;
  walk.orbit = states + (size_t)3 * model->words;
  unfold(&walk, trace);
  clew_free(states);
  clew_succs_close(&walk.succs);
}
