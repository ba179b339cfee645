/* Runs that stay where a property says that none does (A<>, E[], -->).
 *
 * The model makes them a finite graph (model/runs.h). A run that stays ends in a cycle of its
 * nodes, or in one where it may rest. Both are found by one depth-first search, by one worker,
 * after the search has visited all states: an edge to a node that is still on the stack closes a
 * cycle. The stack is the run.
 *
 * Nodes are kept in an exact store of their own. Runs begin in initial states, or (-->) in any
 * state that was found; then the store of the search has to give its states back.
 *
 * Invariant: the colour of a node is NEW before it is looked at, ON while it is on the stack, and
 * DONE when no run that stays begins there; there is a colour for each node of the store. Nodes,
 * stacks and colours are taken from the budget. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "model/runs.h"
#include "search/search_int.h"

enum colour { NEW, ON, DONE };

struct step {
  clew_id node;
  uint32_t edge; /* that leads to it */
};

struct frame {
  struct step step;
  size_t floor_bytes; /* its successors on the stack of pending ones begin here */
};

struct progress {
  struct clew_run *run;
  struct clew_worker *worker;
  const struct clew_property *property;
  uint32_t number; /* of the property */
  struct clew_store *nodes;
  struct clew_succs succs;
  CLEW_VEC(struct clew_visit) visits; /* of what succs holds */
  uint64_t *node, *state;             /* room for one */
  struct clew_bigstack colours, frames, pending;
  clew_id start;    /* state in which the run begins, which is `state`; NONE: an initial one, */
  uint32_t initial; /* by this edge */
  uint64_t visited;
  bool is_lost;    /* the condition is at fault where nobody can say how to get there */
  bool found;      /* the stack is a run that stays, */
  clew_id loop_to; /* which leads back to this node; NONE: it rests in the last one */
};

static uint8_t *colour_of(struct progress *p, clew_id node) {
  assert(node < p->colours.used_bytes);
  return (uint8_t *)p->colours.mem.data + node;
}

static void stop_for_memory(struct progress *p) {
  clew_run_stop(p->run, CLEW_STOP_MEMORY);
}

static bool may_go_on(const struct progress *p) {
  return !p->found && !p->is_lost && !clew_run_stopped(p->run);
}

/* ---- Run-time errors ---- */

static bool gives_states(const struct clew_run *run) {
  return run->has_places || (run->store->promises & CLEW_STORE_GET) != 0;
}

/* A state with these discrete words: all of them were found. */
static clew_id find_state(struct progress *p, const uint64_t *discrete) {
  struct clew_run *run = p->run;
  if (run->store == NULL || !gives_states(run)) {
    return CLEW_ID_NONE;
  }
  for (clew_id id = 0; id < clew_run_states(run); id++) {
    run->store->type->get(run->store, id, 1, p->state);
    if (memcmp(p->state, discrete, run->model->discrete_words * sizeof *discrete) == 0) {
      return clew_run_id_of(run, id, p->state);
    }
  }
  return CLEW_ID_NONE;
}

/* The condition cannot be computed in a state: it is reported, and ends the pass. */
static void report_fault(struct progress *p, uint32_t site) {
  struct clew_run *run = p->run;
  if (clew_run_leaves_open(run, site)) {
    clew_run_stop(run, CLEW_STOP_CALLS);
    return;
  }
  clew_id id = find_state(p, p->succs.states + (size_t)p->succs.count * p->succs.words);
  p->is_lost = true;
  if (id != CLEW_ID_NONE) {
    clew_worker_find_label_fault(p->worker, p->number, site, id, clew_run_path_length(run, id),
                                 p->state);
    clew_run_gather(run);
  }
}

/* ---- The graph ---- */

/* Puts what succs holds into the store: p->visits. False: the run is stopped. */
static bool put_nodes(struct progress *p, uint32_t site) {
  struct clew_store *nodes = p->nodes;
  uint32_t count = p->succs.count;
  clew_vec_clear(&p->visits);
  if (site != CLEW_NONE) {
    report_fault(p, site);
    return false;
  }
  if (count == 0) {
    return true;
  }
  if (nodes->type->reserve(nodes, count) != CLEW_ROOM) {
    stop_for_memory(p);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t *node = p->succs.states + (size_t)i * p->succs.words;
    struct clew_visit visit = {.state = node,
                               .hash = clew_hash_words(node, p->succs.words, nodes->config.seed),
                               .edge = p->succs.edges[i]};
    clew_vec_push(&p->visits, visit);
  }
  nodes->type->put(nodes, count, p->visits.data);
  size_t more = (size_t)nodes->type->count(nodes) - p->colours.used_bytes;
  uint8_t *colours = clew_bigstack_push(&p->colours, more);
  if (colours == NULL) {
    stop_for_memory(p);
    return false;
  }
  memset(colours, NEW, more);
  return true;
}

/* The successors of p->node become pending; whether a run may rest in it. */
static bool push_successors(struct progress *p) {
  uint32_t site = CLEW_NONE;
  const struct clew_model *model = p->run->model;
  clew_succs_clear(&p->succs);
  model->runs->next(model, p->number, p->node, &p->succs, &site);
  if (!put_nodes(p, site)) {
    return false;
  }
  struct step *steps = clew_bigstack_push(&p->pending, p->visits.len * sizeof *steps);
  if (steps == NULL) {
    stop_for_memory(p);
    return false;
  }
  for (uint32_t i = 0; i < p->visits.len; i++) {
    steps[i] = (struct step){p->visits.data[i].id, p->visits.data[i].edge};
  }
  return p->succs.rests;
}

/* A node that was not looked at yet. */
static void open_node(struct progress *p, struct step step) {
  p->nodes->type->get(p->nodes, step.node, 1, p->node);
  struct frame *frame = clew_bigstack_push(&p->frames, sizeof *frame);
  if (frame == NULL) {
    stop_for_memory(p);
    return;
  }
  *frame = (struct frame){.step = step, .floor_bytes = p->pending.used_bytes};
  *colour_of(p, step.node) = ON;
  p->found = push_successors(p);
  p->visited++;
  clew_run_poll(p->worker, 1 + p->visits.len, p->nodes->type->count(p->nodes) - p->visited,
                p->frames.used_bytes / sizeof *frame);
}

static void close_cycle(struct progress *p, struct step back) {
  struct frame *closing = clew_bigstack_push(&p->frames, sizeof *closing);
  if (closing == NULL) {
    stop_for_memory(p);
    return;
  }
  *closing = (struct frame){.step = back};
  p->found = true;
  p->loop_to = back.node;
}

/* Looks for a run that begins in the node. */
static void search_from(struct progress *p, clew_id start) {
  open_node(p, (struct step){start, CLEW_NONE});
  while (may_go_on(p) && p->frames.used_bytes > 0) {
    struct frame *frame = clew_bigstack_top(&p->frames, sizeof *frame);
    if (p->pending.used_bytes == frame->floor_bytes) {
      *colour_of(p, frame->step.node) = DONE;
      clew_bigstack_pop(&p->frames, sizeof *frame);
      continue;
    }
    struct step next = *(struct step *)clew_bigstack_pop(&p->pending, sizeof next);
    uint8_t colour = *colour_of(p, next.node);
    if (colour == NEW) {
      open_node(p, next);
    } else if (colour == ON) {
      close_cycle(p, next);
    }
  }
}

/* ---- The result ---- */

static uint32_t frame_count(const struct progress *p) {
  return (uint32_t)(p->frames.used_bytes / sizeof(struct frame));
}

static const struct frame *frames_of(const struct progress *p) {
  return (const struct frame *)(const void *)p->frames.mem.data;
}

/* The trace leads to the state in which the run begins: the rest of the run follows. */
static void extend_trace(const struct progress *p, struct clew_trace *trace) {
  const struct frame *frames = frames_of(p);
  uint32_t count = frame_count(p), before = trace->edge_count;
  trace->initial = p->start == CLEW_ID_NONE ? p->initial : trace->initial;
  trace->edges = clew_realloc_array(trace->edges, (size_t)before + count, sizeof *trace->edges);
  for (uint32_t i = 1; i < count; i++) {
    trace->edges[trace->edge_count++] = frames[i].step.edge;
    if (frames[i - 1].step.node == p->loop_to && trace->loop_to == CLEW_NONE) {
      trace->loop_to = before + i - 1;
    }
  }
  trace->stay_from = before;
}

static uint32_t depth_of_start(const struct progress *p) {
  struct clew_run *run = p->run;
  return run->store != NULL ? clew_run_path_length(run, p->start) : run->depth_of(run, p->state);
}

static void report(struct progress *p) {
  struct clew_run *run = p->run;
  if (p->start != CLEW_ID_NONE && run->store != NULL) {
    p->start = clew_run_id_of(run, p->start, p->state);
    if (p->start == CLEW_ID_NONE) {
      return; /* the run is stopped */
    }
  }
  uint32_t before = p->start != CLEW_ID_NONE ? depth_of_start(p) : 0;
  struct clew_finding finding = {
      .property = p->number,
      .depth = before + frame_count(p) - 1,
      .fault_edge = CLEW_NONE,
      .site = CLEW_NONE,
      .id = p->start,
  };
  clew_run_violate(run, &finding, p->start != CLEW_ID_NONE ? p->state : NULL);
  if (run->result->has_trace && run->result->trace.property == p->number) {
    extend_trace(p, &run->result->trace);
  }
}

/* ---- The pass ---- */

/* Runs that begin in the nodes that succs holds. */
static void search_from_all(struct progress *p, uint32_t site) {
  if (!put_nodes(p, site)) {
    return;
  }
  uint32_t count = p->visits.len;
  struct step *starts = clew_alloc_zero((size_t)count + 1, sizeof *starts);
  for (uint32_t i = 0; i < count; i++) {
    starts[i] = (struct step){p->visits.data[i].id, p->visits.data[i].edge};
  }
  for (uint32_t i = 0; i < count && may_go_on(p); i++) {
    if (*colour_of(p, starts[i].node) == NEW) {
      p->initial = starts[i].edge;
      search_from(p, starts[i].node);
    }
  }
  clew_free(starts);
}

static void search_from_initial(struct progress *p) {
  const struct clew_model *model = p->run->model;
  uint32_t site = CLEW_NONE;
  p->start = CLEW_ID_NONE;
  clew_succs_clear(&p->succs);
  model->runs->begin(model, p->number, &p->succs, &site);
  search_from_all(p, site);
}

/* Runs that begin in p->state. */
static void search_from_state(struct progress *p, clew_id id) {
  const struct clew_model *model = p->run->model;
  uint32_t site = CLEW_NONE;
  p->start = id;
  clew_succs_clear(&p->succs);
  model->runs->enter(model, p->number, p->state, &p->succs, &site);
  search_from_all(p, site);
}

/* The engine has the states, not a store. */
static void search_from_listed(struct progress *p) {
  enum { BATCH = 256 };
  struct clew_run *run = p->run;
  size_t words = run->model->words;
  uint64_t *states = clew_alloc((BATCH + (size_t)1) * words * sizeof *states);
  uint64_t *last = states + BATCH * words;
  const uint64_t *after = NULL;
  uint32_t count = BATCH;
  while (count == BATCH && may_go_on(p)) {
    count = run->list_states(run, after, states, BATCH);
    for (uint32_t i = 0; i < count && may_go_on(p); i++) {
      memcpy(p->state, states + i * words, words * sizeof *states);
      search_from_state(p, 0);
    }
    if (count > 0) {
      memcpy(last, states + (count - 1) * words, words * sizeof *states);
      after = last;
    }
  }
  clew_free(states);
}

static void search_from_states(struct progress *p) {
  struct clew_run *run = p->run;
  struct clew_store *store = run->store;
  if (store == NULL) {
    search_from_listed(p);
    return;
  }
  uint64_t states = clew_run_states(run);
  for (clew_id id = 0; id < states && may_go_on(p); id++) {
    if (run->takes_census && store->type->is_covered(store, id)) {
      continue; /* another one has all of it */
    }
    store->type->get(store, id, 1, p->state);
    search_from_state(p, id);
  }
}

static void decide(struct progress *p, uint32_t property) {
  p->number = property;
  p->property = &p->run->model->properties[property];
  p->found = p->is_lost = false;
  p->loop_to = CLEW_ID_NONE;
  p->visited = 0;
  p->frames.used_bytes = p->pending.used_bytes = p->colours.used_bytes = 0;
  if (p->property->from_label == CLEW_NONE) {
    search_from_initial(p);
  } else {
    search_from_states(p);
  }
  if (p->found && clew_bitset_has(p->run->open, property)) {
    report(p);
  } else if (p->is_lost && clew_bitset_has(p->run->open, property)) {
    clew_outcomes_give_up(&p->run->result->outcomes, property, CLEW_REASON_STORE);
  }
}

static void decide_with_nodes(struct progress *p, uint32_t property) {
  const struct clew_search *search = p->run->search;
  uint32_t words = p->run->model->runs->words;
  struct clew_diag_sink diags = {0};
  struct clew_store_config config = {.words = words,
                                     .threads = 1,
                                     .seed = p->run->store != NULL ? p->run->store->config.seed : 0,
                                     .budget = search->budget,
                                     .scratch = search->scratch,
                                     .diags = &diags,
                                     .discrete_words = words};
  if (clew_store_exact.open(&config, &diags, &p->nodes) == CLEW_OK) {
    decide(p, property);
    p->nodes->type->close(p->nodes);
  } else {
    stop_for_memory(p);
  }
  clew_diag_sink_free(&diags);
}

static bool take_memory(struct progress *p) {
  struct clew_budget *budget = p->run->search->budget;
  return clew_bigstack_open(&p->colours, budget) && clew_bigstack_open(&p->frames, budget) &&
         clew_bigstack_open(&p->pending, budget);
}

static void decide_all(struct progress *p) {
  struct clew_run *run = p->run;
  for (uint32_t i = 0; i < run->progress.len; i++) {
    uint32_t property = run->progress.data[i];
    if (!clew_bitset_has(run->open, property)) {
      continue; /* the engine gave it up */
    }
    if (!clew_run_stopped(run)) {
      decide_with_nodes(p, property);
    }
    if (clew_run_stopped(run) && clew_bitset_has(run->open, property)) {
      clew_outcomes_give_up(&run->result->outcomes, property,
                            atomic_load(&run->reason) == CLEW_STOP_VIOLATION
                                ? CLEW_REASON_SKIPPED
                                : CLEW_REASON_UNFINISHED);
    }
  }
}

void clew_progress_check(struct clew_run *run) {
  assert(run->result->scope.complete && run->first_id == 0 && run->model->runs != NULL);
  const struct clew_model *model = run->model;
  struct progress p = {.run = run,
                       .worker = clew_run_worker(run, 0),
                       .node = clew_alloc(model->runs->words * sizeof(uint64_t)),
                       .state = clew_alloc(model->words * sizeof(uint64_t))};
  clew_succs_open(&p.succs, model->runs->words, model->cover_count);
  bool wants_states = run->store != NULL && (run->store->promises & CLEW_STORE_PLACES) != 0;
  if ((wants_states && !clew_run_freeze(run)) || !take_memory(&p)) {
    stop_for_memory(&p);
  }
  decide_all(&p);
  bool answered = atomic_load(&run->reason) == CLEW_STOP_VIOLATION ||
                  atomic_load(&run->reason) == CLEW_STOP_DECIDED;
  if (clew_run_stopped(run) && !answered) {
    run->result->scope.complete = false; /* all states are known, but not the answers */
  }
  clew_succs_close(&p.succs);
  clew_vec_free(&p.visits);
  clew_free(p.node);
  clew_free(p.state);
  clew_bigstack_close(&p.colours);
  clew_bigstack_close(&p.frames);
  clew_bigstack_close(&p.pending);
}
