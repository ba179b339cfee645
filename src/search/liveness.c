/* AG EF: from every reachable state a state satisfying the label is reachable.
 *
 * From every state some bottom component (a strongly connected one that no transition leaves) is
 * reachable, and from within one only its own states are. So the property holds if and only if
 * every bottom component contains a label state, and a counterexample is a path to one that does
 * not.
 *
 * The components are found by Pearce's variant of Tarjan's algorithm on an explicit stack, in a
 * second pass over the stored graph: each state is expanded once more and its successors are looked
 * up. One 32-bit number per state serves as index, low link and "closed" mark; states of open
 * components wait on a stack only once they are finished. All of it is taken from the budget.
 *
 * Per frame two summaries of the part of the component seen so far flow to the parent: whether a
 * transition leaves it, and which labels hold somewhere in it (64 properties per pass).
 *
 * Invariant: number[id] is 0 when unvisited, CLOSED when the component is complete, else the
 * smallest index known to be reachable from it within its component. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "search/search_int.h"

#define CLOSED UINT32_MAX
enum { PASS_PROPERTIES = 64 };

struct frame {
  uint32_t id;
  bool is_root; /* of its component, as far as known */
  bool leaves;  /* some transition of the component so far ends in another one */
  uint64_t satisfied;
  size_t floor_bytes; /* its successors on the stack of pending ids begin here */
};

struct liveness {
  struct clew_run *run;
  struct clew_bigmem number_mem;
  uint32_t *number;
  struct clew_bigstack frames, pending, members;
  uint32_t index; /* the next one */
  const uint32_t *properties;
  uint32_t property_count; /* of this pass */
  uint64_t all;            /* a bit per property of this pass */
  uint32_t *offenders;     /* per property of this pass: a state that violates it, or CLEW_NONE */
  uint64_t states, visited;
};

static uint32_t path_length(struct clew_run *run, uint64_t id) {
  uint32_t length = 0;
  struct clew_back_edge back;
  while (clew_log_get(run->search->log, id, &back) && back.parent != CLEW_LOG_ROOT) {
    assert(back.parent < id);
    id = back.parent;
    length++;
  }
  return length;
}

/* The bits of the properties whose label holds in the state. */
static uint64_t evaluate_labels(struct liveness *live, uint32_t id, const uint64_t *state) {
  struct clew_run *run = live->run;
  uint64_t satisfied = 0;
  for (uint32_t i = 0; i < live->property_count && !run->stopped; i++) {
    uint32_t property = live->properties[i], site = CLEW_NONE;
    if (run->model->label(run->model, run->model->properties[property].label, state, &site)) {
      satisfied |= UINT64_C(1) << i;
    }
    if (site != CLEW_NONE) {
      struct clew_finding finding =
          clew_run_label_fault(run, property, site, id, path_length(run, id));
      clew_run_record(run, &finding);
    }
  }
  return satisfied;
}

/* Ids of the successors of the state on top, which may contain duplicates. */
static bool push_successors(struct liveness *live, const uint64_t *state) {
  struct clew_run *run = live->run;
  clew_run_lookup(run, state);
  uint32_t count = run->visits.len;
  uint32_t *ids = clew_bigstack_push(&live->pending, count * sizeof *ids);
  if (ids == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    ids[i] = (uint32_t)run->visits.data[i].id;
  }
  return true;
}

static void open_state(struct liveness *live, uint32_t id) {
  struct clew_run *run = live->run;
  assert(live->number[id] == 0 && live->index < CLOSED);
  const uint64_t *state = run->state;
  run->store->type->get(run->store, id, 1, run->state);
  struct frame *frame = clew_bigstack_push(&live->frames, sizeof *frame);
  size_t floor_bytes = live->pending.used_bytes;
  uint64_t satisfied = evaluate_labels(live, id, state);
  if (run->stopped) {
    return;
  }
  if (frame == NULL || !push_successors(live, state)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
    return;
  }
  *frame =
      (struct frame){.id = id, .is_root = true, .satisfied = satisfied, .floor_bytes = floor_bytes};
  live->number[id] = live->index++;
  live->visited++;
  clew_run_poll(run, 1 + run->visits.len, live->states - live->visited,
                live->frames.used_bytes / sizeof *frame);
}

/* A bottom component is complete: `id` is its smallest state. */
static void judge_component(struct liveness *live, const struct frame *root, uint32_t id) {
  uint64_t missing = live->all & ~root->satisfied;
  for (uint32_t i = 0; i < live->property_count; i++) {
    if ((missing >> i) & 1 && id < live->offenders[i]) {
      live->offenders[i] = id;
    }
  }
}

/* One violation does not end the search for others: all properties are decided. */
static void record_offenders(struct clew_run *run, const uint32_t *offenders) {
  for (uint32_t i = 0; i < run->liveness.len; i++) {
    if (offenders[i] == CLEW_NONE) {
      continue;
    }
    struct clew_finding finding = {
        .property = run->liveness.data[i],
        .depth = path_length(run, offenders[i]),
        .fault_edge = CLEW_NONE,
        .site = CLEW_NONE,
        .id = offenders[i],
    };
    clew_run_record(run, &finding);
  }
}

/* Marks the members of the component of `root`, which are those above it on the stack. */
static void close_component(struct liveness *live, const struct frame *root) {
  uint32_t smallest = root->id;
  uint32_t least = live->number[root->id];
  while (live->members.used_bytes > 0) {
    uint32_t member = *(uint32_t *)clew_bigstack_top(&live->members, sizeof member);
    if (live->number[member] < least) {
      break;
    }
    clew_bigstack_pop(&live->members, sizeof member);
    live->number[member] = CLOSED;
    smallest = member < smallest ? member : smallest;
  }
  live->number[root->id] = CLOSED;
  if (!root->leaves) {
    judge_component(live, root, smallest);
  }
}

/* The state on top has no successor left. */
static void close_state(struct liveness *live) {
  struct frame done = *(struct frame *)clew_bigstack_pop(&live->frames, sizeof done);
  if (done.is_root) {
    close_component(live, &done);
  } else {
    uint32_t *member = clew_bigstack_push(&live->members, sizeof *member);
    if (member == NULL) {
      clew_run_stop(live->run, CLEW_STOP_MEMORY);
      return;
    }
    *member = done.id;
  }
  if (live->frames.used_bytes == 0) {
    assert(done.is_root);
    return;
  }
  struct frame *parent = clew_bigstack_top(&live->frames, sizeof *parent);
  if (done.is_root) {
    parent->leaves = true;
    return;
  }
  parent->leaves |= done.leaves;
  parent->satisfied |= done.satisfied;
  if (live->number[done.id] < live->number[parent->id]) {
    live->number[parent->id] = live->number[done.id];
    parent->is_root = false;
  }
}

static void follow(struct liveness *live, struct frame *frame, uint32_t successor) {
  uint32_t number = live->number[successor];
  if (number == 0) {
    open_state(live, successor);
  } else if (number == CLOSED) {
    frame->leaves = true;
  } else if (number < live->number[frame->id]) {
    live->number[frame->id] = number;
    frame->is_root = false;
  }
}

static void search_from(struct liveness *live, uint32_t root) {
  open_state(live, root);
  while (!live->run->stopped && live->frames.used_bytes > 0) {
    struct frame *frame = clew_bigstack_top(&live->frames, sizeof *frame);
    if (live->pending.used_bytes > frame->floor_bytes) {
      uint32_t successor = *(uint32_t *)clew_bigstack_pop(&live->pending, sizeof successor);
      follow(live, frame, successor);
    } else {
      close_state(live);
    }
  }
}

static void run_pass(struct liveness *live) {
  const struct clew_run *run = live->run;
  memset(live->number, 0, live->states * sizeof *live->number);
  live->index = 1;
  live->visited = 0;
  live->all = clew_bits_mask(live->property_count);
  for (uint64_t id = 0; id < live->states && !run->stopped; id++) {
    if (live->number[id] == 0) {
      search_from(live, (uint32_t)id);
    }
  }
}

static bool take_memory(struct liveness *live) {
  struct clew_budget *budget = live->run->search->budget;
  size_t bytes = live->states * sizeof *live->number;
  if (!clew_bigmem_open(&live->number_mem, bytes, budget) ||
      !clew_bigmem_commit(&live->number_mem, bytes) || !clew_bigstack_open(&live->frames, budget) ||
      !clew_bigstack_open(&live->pending, budget) || !clew_bigstack_open(&live->members, budget)) {
    return false;
  }
  live->number = (uint32_t *)(void *)live->number_mem.data;
  return true;
}

void clew_liveness_check(struct clew_run *run) {
  assert(run->result->complete);
  struct liveness live = {.run = run, .states = run->store->type->count(run->store)};
  if (live.states == 0) {
    return;
  }
  uint32_t *offenders = clew_alloc(run->liveness.len * sizeof *offenders);
  memset(offenders, 0xff, run->liveness.len * sizeof *offenders); /* CLEW_NONE */
  if (!take_memory(&live)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  for (uint32_t first = 0; first < run->liveness.len && !run->stopped; first += PASS_PROPERTIES) {
    uint32_t left = run->liveness.len - first;
    live.properties = run->liveness.data + first;
    live.offenders = offenders + first;
    live.property_count = left < PASS_PROPERTIES ? left : PASS_PROPERTIES;
    run_pass(&live);
  }
  /* The graph is known in full, but not whether the properties hold. */
  if (run->stopped && run->result->stop != CLEW_STOP_VIOLATION) {
    run->result->complete = false;
  }
  record_offenders(run, offenders);
  clew_free(offenders);
  clew_bigmem_close(&live.number_mem);
  clew_bigstack_close(&live.frames);
  clew_bigstack_close(&live.pending);
  clew_bigstack_close(&live.members);
}
