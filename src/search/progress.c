/* Runs that stay in states of a label for ever (A<>, E[], -->).
 *
 * In a finite graph such a run ends in a cycle of label states, or in a label state where it may
 * rest. Both are found by one depth-first search through label states, over the stored graph by one
 * worker: a transition to a state that is still on the stack closes a cycle. The stack is the run.
 *
 * Time. A state of a timed model is a zone. Zones that are extrapolated by the greatest constants
 * and told apart by equality have a cycle exactly if there is an infinite run through them
 * (Tripakis 2009; Li 2009), which may take a finite time only.
 *
 * Invariant: colours[id] is NEW before the state is looked at, ON while it is on the stack, and
 * DONE when no run that stays begins there; stacks and colours are taken from the budget. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/search_int.h"

enum colour { NEW, ON, DONE };

struct step {
  clew_id id;
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
  uint64_t *state; /* room for one */
  struct clew_bigmem colours;
  struct clew_bigstack frames, pending;
  uint64_t states, visited;
  bool found;      /* the stack is a run that stays, */
  clew_id loop_to; /* which leads back to this state; NONE: it rests in the last one */
};

static uint8_t *colour_of(struct progress *p, clew_id id) {
  assert(id < p->states);
  return (uint8_t *)p->colours.data + id;
}

/* Whether a label holds in p->state; a run-time error is reported and ends the pass. */
static bool holds(struct progress *p, uint32_t label, clew_id id) {
  struct clew_run *run = p->run;
  uint32_t site = CLEW_NONE;
  bool value = run->model->label(run->model, label, p->state, &site);
  if (site == CLEW_NONE) {
    return value;
  }
  if (clew_run_leaves_open(run, site)) {
    clew_run_stop(run, CLEW_STOP_CALLS);
  } else {
    clew_worker_find_label_fault(p->worker, p->number, site, id, clew_run_path_length(run, id),
                                 p->state);
    clew_run_gather(run);
  }
  return false;
}

/* The successors of p->state become pending; whether a run may rest in it. */
static bool push_successors(struct progress *p, bool *rests) {
  bool more = true;
  p->worker->succs.resume = 0; /* a pass may have been given up inside a state */
  while (more) {
    more = clew_worker_lookup(p->worker, p->state);
    uint32_t count = p->worker->visits.len;
    struct step *steps = clew_bigstack_push(&p->pending, count * sizeof *steps);
    if (steps == NULL) {
      return false;
    }
    for (uint32_t i = 0; i < count; i++) {
      steps[i] = (struct step){p->worker->visits.data[i].id, p->worker->visits.data[i].edge};
    }
  }
  *rests = p->worker->succs.stuck || p->worker->succs.rests;
  return true;
}

/* A state that was not looked at yet, and is in p->state. */
static void open_state(struct progress *p, struct step step) {
  if (!holds(p, p->property->label, step.id)) {
    *colour_of(p, step.id) = DONE;
    return;
  }
  struct frame *frame = clew_bigstack_push(&p->frames, sizeof *frame);
  if (frame == NULL) {
    clew_run_stop(p->run, CLEW_STOP_MEMORY);
    return;
  }
  *frame = (struct frame){.step = step, .floor_bytes = p->pending.used_bytes};
  *colour_of(p, step.id) = ON;
  bool rests = false;
  if (!push_successors(p, &rests)) {
    clew_run_stop(p->run, CLEW_STOP_MEMORY);
    return;
  }
  p->found = rests;
  p->visited++;
  clew_run_poll(p->worker, 1 + p->worker->visits.len, p->states - p->visited,
                p->frames.used_bytes / sizeof *frame);
}

static void load(struct progress *p, clew_id id) {
  p->run->store->type->get(p->run->store, id, 1, p->state);
}

/* Looks for a run that begins in p->state. */
static void search_from(struct progress *p, clew_id start) {
  open_state(p, (struct step){start, CLEW_NONE});
  while (!p->found && !clew_run_stopped(p->run) && p->frames.used_bytes > 0) {
    struct frame *frame = clew_bigstack_top(&p->frames, sizeof *frame);
    if (p->pending.used_bytes == frame->floor_bytes) {
      *colour_of(p, frame->step.id) = DONE;
      clew_bigstack_pop(&p->frames, sizeof *frame);
      continue;
    }
    struct step next = *(struct step *)clew_bigstack_pop(&p->pending, sizeof next);
    uint8_t colour = *colour_of(p, next.id);
    if (colour == NEW) {
      load(p, next.id);
      open_state(p, next);
    } else if (colour == ON) {
      struct frame *closing = clew_bigstack_push(&p->frames, sizeof *closing);
      if (closing == NULL) {
        clew_run_stop(p->run, CLEW_STOP_MEMORY);
        return;
      }
      *closing = (struct frame){.step = next};
      p->found = true;
      p->loop_to = next.id;
    }
  }
}

/* ---- the result ---- */

static uint32_t frame_count(const struct progress *p) {
  return (uint32_t)(p->frames.used_bytes / sizeof(struct frame));
}

static const struct frame *frames_of(const struct progress *p) {
  return (const struct frame *)(const void *)p->frames.mem.data;
}

/* The trace leads to the first state of the run: the rest of the run follows. */
static void extend_trace(const struct progress *p, struct clew_trace *trace) {
  const struct frame *frames = frames_of(p);
  uint32_t count = frame_count(p), before = trace->edge_count;
  trace->edges = clew_realloc_array(trace->edges, (size_t)before + count, sizeof *trace->edges);
  for (uint32_t i = 1; i < count; i++) {
    trace->edges[trace->edge_count++] = frames[i].step.edge;
    if (frames[i - 1].step.id == p->loop_to && trace->loop_to == CLEW_NONE) {
      trace->loop_to = before + i - 1;
    }
  }
  trace->stay_from = before;
}

static void report(struct progress *p) {
  struct clew_run *run = p->run;
  clew_id start = frames_of(p)[0].step.id;
  struct clew_finding finding = {
      .property = p->number,
      .depth = clew_run_path_length(run, start) + frame_count(p) - 1,
      .fault_edge = CLEW_NONE,
      .site = CLEW_NONE,
      .id = start,
  };
  clew_run_violate(run, &finding, NULL);
  if (run->result->has_trace && run->result->trace.property == p->number) {
    extend_trace(p, &run->result->trace);
  }
}

/* ---- the pass ---- */

static bool is_initial(struct clew_run *run, clew_id id) {
  struct clew_back_edge back;
  return clew_log_get(run->search->log, id, &back) && back.parent == CLEW_ID_NONE;
}

/* Whether a run that begins here matters. */
static bool is_start(struct progress *p, clew_id id) {
  if (p->property->from_label == CLEW_NONE) {
    return is_initial(p->run, id);
  }
  load(p, id);
  return holds(p, p->property->from_label, id);
}

static void decide(struct progress *p, uint32_t property) {
  struct clew_run *run = p->run;
  p->number = property;
  p->property = &run->model->properties[property];
  p->found = false;
  p->loop_to = CLEW_ID_NONE;
  p->visited = 0;
  p->frames.used_bytes = p->pending.used_bytes = 0;
  memset(p->colours.data, NEW, p->states);
  for (clew_id id = 0; id < p->states && !p->found && !clew_run_stopped(run); id++) {
    if (*colour_of(p, id) == NEW && is_start(p, id)) {
      load(p, id);
      search_from(p, id);
    }
  }
  if (p->found && clew_bitset_has(run->open, property)) {
    report(p);
  }
}

static bool take_memory(struct progress *p) {
  struct clew_budget *budget = p->run->search->budget;
  return clew_bigmem_open(&p->colours, p->states, budget) &&
         clew_bigmem_commit(&p->colours, p->states) && clew_bigstack_open(&p->frames, budget) &&
         clew_bigstack_open(&p->pending, budget);
}

void clew_progress_check(struct clew_run *run) {
  assert(run->result->scope.complete && run->first_id == 0);
  struct progress p = {.run = run,
                       .worker = clew_run_worker(run, 0),
                       .state = clew_alloc(run->model->words * sizeof(uint64_t)),
                       .states = clew_run_states(run)};
  if (!take_memory(&p)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  for (uint32_t i = 0; i < run->progress.len; i++) {
    uint32_t property = run->progress.data[i];
    if (!clew_run_stopped(run)) {
      decide(&p, property);
    } else if (clew_bitset_has(run->open, property)) {
      clew_outcomes_give_up(&run->result->outcomes, property,
                            atomic_load(&run->reason) == CLEW_STOP_VIOLATION
                                ? CLEW_REASON_SKIPPED
                                : CLEW_REASON_UNFINISHED);
    }
  }
  bool answered = atomic_load(&run->reason) == CLEW_STOP_VIOLATION ||
                  atomic_load(&run->reason) == CLEW_STOP_DECIDED;
  if (clew_run_stopped(run) && !answered) {
    run->result->scope.complete = false; /* the graph is known in full, but not the answers */
  }
  clew_free(p.state);
  clew_bigmem_close(&p.colours);
  clew_bigstack_close(&p.frames);
  clew_bigstack_close(&p.pending);
}
