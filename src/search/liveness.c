/* AG EF: from every reachable state a state satisfying the label is reachable.
 *
 * From every state some bottom component (a strongly connected one that no transition leaves) is
 * reachable, and from within one only its own states are. So the property holds if and only if
 * every bottom component contains a label state, and a counterexample is a path to one that does
 * not.
 *
 * The components are found by Pearce's variant of Tarjan's algorithm on an explicit stack, in a
 * second pass over the stored graph by one worker: each state is expanded once more and its
 * successors are looked up. One number per state (32 bits wide, or 40 where there are more than
 * 2^32 states) serves as index, low link and "closed" mark; states of open components wait on a
 * stack only once they are finished. All of it is taken from the budget.
 *
 * Per frame two summaries of the part of the component seen so far flow to the parent: whether a
 * transition leaves it, and which labels hold somewhere in it (64 properties per pass).
 *
 * The shortest counterexample ends earlier than a bottom component begins: in the first state from
 * which no label state can be reached any more. A pass for one property finds it. It marks the
 * states of a complete component by whether a label state can be reached from them; that flows to
 * the parent, too. A search for several properties makes such a pass only for those that a pass
 * for all of them has found to be violated; if these are many and one counterexample is enough,
 * only for the first ones. The others are violated in a state of a bottom component.
 *
 * A store may know states by places only (store.h: freeze). Then all of this goes by places, and
 * the id of a state is looked for when there is something to report: the first LOST one in the
 * order of ids.
 *
 * Invariant: number[id] is 0 when unvisited, CLOSED when the component is complete (LOST: and this
 * is a pass for one property, whose label is out of reach), else the smallest index known to be
 * reachable from it within its component. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "search/search_int.h"

#define CLOSED UINT64_MAX /* in an array of fewer bytes: all ones */
#define LOST (CLOSED - 1)
enum { PASS_PROPERTIES = 64, MOST_NEAREST = 8, NARROW_BYTES = 4, WIDE_BYTES = 5 };

struct frame {
  clew_id id;
  bool is_root;       /* of its component, as far as known */
  bool leaves;        /* some transition of the component so far ends in another one */
  uint64_t satisfied; /* by a state of the component, or (`nearest`) one that it reaches */
  size_t floor_bytes; /* its successors on the stack of pending ids begin here */
};

struct liveness {
  struct clew_run *run;
  struct clew_worker *worker;
  uint64_t *state; /* room for one */
  struct clew_bigmem numbers;
  uint32_t number_bytes;
  struct clew_bigstack frames, pending, members;
  uint64_t index; /* the next one */
  const uint32_t *properties;
  uint32_t property_count; /* of this pass */
  uint64_t all;            /* a bit per property of this pass */
  bool nearest;            /* this pass is for one property, and marks states as LOST */
  clew_id *offenders;      /* per property of this pass: a state that violates it, or NONE */
  uint64_t states, visited;
};

static uint64_t number_of(const struct liveness *live, clew_id id) {
  uint64_t number = 0;
  memcpy(&number, live->numbers.data + id * live->number_bytes, live->number_bytes);
  uint64_t mask = clew_bits_mask(live->number_bytes * 8);
  return number >= mask - 1 ? number | ~mask : number;
}

/* The low bytes come first. */
static void set_number(struct liveness *live, clew_id id, uint64_t number) {
  assert(id < live->states);
  memcpy(live->numbers.data + id * live->number_bytes, &number, live->number_bytes);
}

uint32_t clew_run_path_length(struct clew_run *run, clew_id id) {
  uint32_t length = 0;
  struct clew_back_edge back;
  while (clew_log_get(run->search->log, id, &back) && back.parent != CLEW_ID_NONE) {
    assert(back.parent < id);
    id = back.parent;
    length++;
  }
  return length;
}

static void report_fault(struct liveness *live, uint32_t property, uint32_t site, clew_id id,
                         const uint64_t *state) {
  if (id != CLEW_ID_NONE) { /* else the run is stopped */
    clew_worker_find_label_fault(live->worker, property, site, id,
                                 clew_run_path_length(live->run, id), state);
    clew_run_gather(live->run);
  }
}

/* The bits of the properties whose label holds in the state. */
static uint64_t evaluate_labels(struct liveness *live, clew_id id, const uint64_t *state) {
  struct clew_run *run = live->run;
  uint64_t satisfied = 0;
  for (uint32_t i = 0; i < live->property_count; i++) {
    uint32_t property = live->properties[i], site = CLEW_NONE;
    if (run->model->label(run->model, run->model->properties[property].label, state, &site)) {
      satisfied |= UINT64_C(1) << i;
    }
    if (site != CLEW_NONE && clew_run_leaves_open(run, site)) {
      clew_run_stop(run, CLEW_STOP_CALLS); /* unless it was stopped for another reason */
    } else if (site != CLEW_NONE) {
      report_fault(live, property, site, clew_run_id_of(run, id, state), state);
    }
  }
  return satisfied;
}

/* Ids of the successors of the state on top, which may contain duplicates. */
static bool push_successors(struct liveness *live, const uint64_t *state) {
  bool more = true;
  live->worker->succs.resume = 0; /* a pass may have been given up inside a state */
  while (more) {
    more = clew_worker_lookup(live->worker, state);
    uint32_t count = live->worker->visits.len;
    clew_id *ids = clew_bigstack_push(&live->pending, count * sizeof *ids);
    if (ids == NULL) {
      return false;
    }
    for (uint32_t i = 0; i < count; i++) {
      ids[i] = live->worker->visits.data[i].id;
    }
  }
  return true;
}

static void open_state(struct liveness *live, clew_id id) {
  struct clew_run *run = live->run;
  assert(number_of(live, id) == 0 && live->index < LOST);
  const uint64_t *state = live->state;
  run->store->type->get(run->store, id, 1, live->state);
  struct frame *frame = clew_bigstack_push(&live->frames, sizeof *frame);
  size_t floor_bytes = live->pending.used_bytes;
  uint64_t satisfied = evaluate_labels(live, id, state);
  if (clew_run_stopped(run)) {
    return;
  }
  if (frame == NULL || !push_successors(live, state)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  if (clew_run_stopped(run)) {
    return;
  }
  *frame =
      (struct frame){.id = id, .is_root = true, .satisfied = satisfied, .floor_bytes = floor_bytes};
  set_number(live, id, live->index++);
  live->visited++;
  clew_run_poll(live->worker, 1 + live->worker->visits.len, live->states - live->visited,
                live->frames.used_bytes / sizeof *frame);
}

/* A component is complete from which some labels cannot be reached: `id` is its smallest state. */
static void judge_component(struct liveness *live, const struct frame *root, clew_id id) {
  uint64_t missing = live->all & ~root->satisfied;
  for (uint32_t i = 0; i < live->property_count; i++) {
    if ((missing >> i) & 1 && id < live->offenders[i]) {
      live->offenders[i] = id;
    }
  }
}

/* One violation does not end the search for others: all properties are decided. */
static void record_offenders(struct clew_run *run, const clew_id *offenders) {
  for (uint32_t i = 0; i < run->liveness.len; i++) {
    if (offenders[i] == CLEW_ID_NONE || !clew_bitset_has(run->open, run->liveness.data[i])) {
      continue;
    }
    struct clew_finding finding = {
        .property = run->liveness.data[i],
        .depth = clew_run_path_length(run, offenders[i]),
        .fault_edge = CLEW_NONE,
        .site = CLEW_NONE,
        .id = offenders[i],
    };
    clew_run_violate(run, &finding, NULL);
  }
}

/* The graph is known in full, but not whether the properties hold. */
void clew_liveness_leave_undecided(struct clew_run *run) {
  if (atomic_load(&run->reason) != CLEW_STOP_VIOLATION) {
    run->result->scope.complete = false;
    return;
  }
  for (uint32_t i = 0; i < run->liveness.len; i++) {
    clew_outcomes_give_up(&run->result->outcomes, run->liveness.data[i], CLEW_REASON_SKIPPED);
  }
}

/* Marks the members of the component of `root`, which are those above it on the stack. */
static void close_component(struct liveness *live, const struct frame *root) {
  clew_id smallest = root->id;
  uint64_t least = number_of(live, root->id);
  uint64_t mark = live->nearest && root->satisfied == 0 ? LOST : CLOSED;
  while (live->members.used_bytes > 0) {
    clew_id member = *(clew_id *)clew_bigstack_top(&live->members, sizeof member);
    if (number_of(live, member) < least) {
      break;
    }
    clew_bigstack_pop(&live->members, sizeof member);
    set_number(live, member, mark);
    smallest = member < smallest ? member : smallest;
  }
  set_number(live, root->id, mark);
  if (live->nearest || !root->leaves) {
    judge_component(live, root, smallest);
  }
}

/* A transition leads to a component that is complete, with this mark. */
static void leave(const struct liveness *live, struct frame *frame, uint64_t mark) {
  assert(mark == CLOSED || (mark == LOST && live->nearest));
  frame->leaves = true;
  if (live->nearest && mark == CLOSED) {
    frame->satisfied = live->all;
  }
}

/* The state on top has no successor left. */
static void close_state(struct liveness *live) {
  struct frame done = *(struct frame *)clew_bigstack_pop(&live->frames, sizeof done);
  if (done.is_root) {
    close_component(live, &done);
  } else {
    clew_id *member = clew_bigstack_push(&live->members, sizeof *member);
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
    leave(live, parent, number_of(live, done.id));
    return;
  }
  parent->leaves |= done.leaves;
  parent->satisfied |= done.satisfied;
  if (number_of(live, done.id) < number_of(live, parent->id)) {
    set_number(live, parent->id, number_of(live, done.id));
    parent->is_root = false;
  }
}

static void follow(struct liveness *live, struct frame *frame, clew_id successor) {
  uint64_t number = number_of(live, successor);
  if (number == 0) {
    open_state(live, successor);
  } else if (number >= LOST) {
    leave(live, frame, number);
  } else if (number < number_of(live, frame->id)) {
    set_number(live, frame->id, number);
    frame->is_root = false;
  }
}

static void search_from(struct liveness *live, clew_id root) {
  open_state(live, root);
  while (!clew_run_stopped(live->run) && live->frames.used_bytes > 0) {
    struct frame *frame = clew_bigstack_top(&live->frames, sizeof *frame);
    if (live->pending.used_bytes > frame->floor_bytes) {
      clew_id successor = *(clew_id *)clew_bigstack_pop(&live->pending, sizeof successor);
      follow(live, frame, successor);
    } else {
      close_state(live);
    }
  }
}

static void run_pass(struct liveness *live) {
  const struct clew_run *run = live->run;
  memset(live->numbers.data, 0, live->states * live->number_bytes);
  live->index = 1;
  live->visited = 0;
  live->all = clew_bits_mask(live->property_count);
  for (clew_id id = 0; id < live->states && !clew_run_stopped(run); id++) {
    if (number_of(live, id) == 0) {
      search_from(live, id);
    }
  }
}

static clew_id place_of(const struct liveness *live, const uint64_t *state) {
  struct clew_store *store = live->run->store;
  struct clew_visit visit = {
      .state = state, .hash = clew_hash_words(state, live->run->hash_words, store->config.seed)};
  store->type->find(store, 1, &visit);
  assert(visit.answer == CLEW_SEEN);
  return visit.id;
}

static bool is_lost(void *context, clew_id id, const uint64_t *state) {
  const struct liveness *live = context;
  (void)id;
  return number_of(live, place_of(live, state)) == LOST;
}

/* A pass for one property: the first of its offenders is known by its place. */
static void name_offender(struct liveness *live, clew_id *offender) {
  if (live->run->has_places && *offender != CLEW_ID_NONE && !clew_run_stopped(live->run)) {
    *offender = clew_run_seek(live->run, is_lost, live);
  }
}

/* Offenders of several properties whose ids are looked for in one walk. */
struct naming {
  struct liveness *live;
  clew_id *offenders; /* places, or NONE; they become ids */
  bool *named;
  uint32_t count, missing;
};

/* Whether it is the last one that is missing. */
static bool is_last_offender(void *context, clew_id id, const uint64_t *state) {
  struct naming *naming = context;
  clew_id place = place_of(naming->live, state);
  if (number_of(naming->live, place) == 0) {
    return false;
  }
  for (uint32_t i = 0; i < naming->count; i++) {
    if (!naming->named[i] && naming->offenders[i] == place) {
      naming->offenders[i] = id;
      naming->named[i] = true;
      naming->missing--;
    }
  }
  return naming->missing == 0;
}

/* Their places are marked in the numbers, which no pass needs any more. */
static void name_offenders(struct liveness *live, clew_id *offenders, uint32_t count) {
  if (!live->run->has_places || count == 0 || clew_run_stopped(live->run)) {
    return;
  }
  struct naming naming = {live, offenders, clew_alloc_zero(count, sizeof(bool)), count, 0};
  memset(live->numbers.data, 0, live->states * live->number_bytes);
  for (uint32_t i = 0; i < count; i++) {
    if (offenders[i] != CLEW_ID_NONE) {
      set_number(live, offenders[i], 1);
      naming.missing++;
    }
  }
  if (naming.missing > 0) {
    clew_run_seek(live->run, is_last_offender, &naming);
    assert(naming.missing == 0 || clew_run_stopped(live->run));
  }
  clew_free(naming.named);
}

/* For some of the properties that do not hold the nearest state that violates them, by a pass each.
 */
static void run_nearest(struct liveness *live, clew_id *offenders) {
  const struct clew_properties *asked = &live->run->liveness;
  uint32_t most = live->run->search->goes_on ? UINT32_MAX : MOST_NEAREST, i = 0;
  live->nearest = true;
  live->property_count = 1;
  for (uint32_t done = 0; i < asked->len && done < most && !clew_run_stopped(live->run); i++) {
    if (offenders[i] != CLEW_ID_NONE) {
      live->properties = asked->data + i;
      live->offenders = offenders + i;
      run_pass(live);
      name_offender(live, offenders + i);
      done++;
    }
  }
  name_offenders(live, offenders + i, asked->len - i);
}

/* Decides all properties, by bottom components alone where there are several. */
static void run_passes(struct liveness *live, clew_id *offenders) {
  const struct clew_properties *asked = &live->run->liveness;
  live->nearest = asked->len == 1;
  for (uint32_t first = 0; first < asked->len && !clew_run_stopped(live->run);
       first += PASS_PROPERTIES) {
    uint32_t left = asked->len - first;
    live->properties = asked->data + first;
    live->offenders = offenders + first;
    live->property_count = left < PASS_PROPERTIES ? left : PASS_PROPERTIES;
    run_pass(live);
  }
  if (live->nearest) {
    name_offender(live, offenders);
  } else {
    run_nearest(live, offenders);
  }
}

static bool take_memory(struct liveness *live) {
  struct clew_budget *budget = live->run->search->budget;
  size_t bytes = live->states * live->number_bytes;
  return clew_bigmem_open(&live->numbers, bytes, budget) &&
         clew_bigmem_commit(&live->numbers, bytes) && clew_bigstack_open(&live->frames, budget) &&
         clew_bigstack_open(&live->pending, budget) && clew_bigstack_open(&live->members, budget);
}

static void close_liveness(struct liveness *live) {
  clew_free(live->state);
  clew_bigmem_close(&live->numbers);
  clew_bigstack_close(&live->frames);
  clew_bigstack_close(&live->pending);
  clew_bigstack_close(&live->members);
}

void clew_liveness_check(struct clew_run *run) {
  assert(run->result->scope.complete && run->first_id == 0);
  struct liveness live = {.run = run,
                          .worker = clew_run_worker(run, 0),
                          .state = clew_alloc(run->model->words * sizeof(uint64_t)),
                          .states = clew_run_states(run)};
  live.number_bytes = live.states < UINT32_MAX - 1 ? NARROW_BYTES : WIDE_BYTES;
  uint32_t count = run->liveness.len;
  clew_id *offenders = clew_alloc(count * sizeof *offenders);
  memset(offenders, 0xff, count * sizeof *offenders); /* CLEW_ID_NONE */
  if (!clew_run_freeze(run) || !take_memory(&live)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  run_passes(&live, offenders);
  bool stopped = clew_run_stopped(run);
  if (!stopped || !run->has_places) { /* else a place may not have become an id */
    record_offenders(run, offenders);
  }
  if (stopped) {
    clew_liveness_leave_undecided(run);
  }
  clew_free(offenders);
  close_liveness(&live);
}
