/* What the engines of this folder share: a run, that is a search in progress.
 *
 * A run owns the buffer of successors and the visits that go with them (run.c), decides what a
 * state or an expansion violates and records it (findings.c), and watches the limits. Engines own
 * the order of exploration. */
#ifndef CLEW_SEARCH_SEARCH_INT_H
#define CLEW_SEARCH_SEARCH_INT_H

#include "base/bigmem.h"
#include "search/engine.h"

/* Something that is wrong, and where. */
struct clew_finding {
  uint32_t property;   /* CLEW_NONE: nothing is wrong */
  uint32_t depth;      /* of the state, or of the one that the faulting edge would have led to */
  uint32_t fault_edge; /* as in struct clew_trace */
  uint32_t site;
  uint64_t id; /* of the state at the end of the path; CLEW_ABSENT: it happened in init */
};

#define CLEW_NO_FINDING ((struct clew_finding){.property = CLEW_NONE})

struct clew_run {
  struct clew_search *search;
  struct clew_result *result;
  const struct clew_model *model;
  struct clew_store *store;

  struct clew_succs succs;
  CLEW_VEC(struct clew_visit) visits; /* one per successor; `state` is set by clew_run_put */

  uint64_t *state;      /* room for one: the state being expanded */
  uint32_t error_depth; /* least depth of a run-time error, or CLEW_NONE */

  /* Enabled properties that are not known to be violated. */
  uint64_t *open;
  uint32_t fault_property, deadlock_property; /* CLEW_NONE when not enabled */
  bool has_invariants;
  uint64_t *scratch_set;        /* as long as `open` */
  CLEW_VEC(uint32_t) uncovered; /* open COVER properties of labels, not yet satisfied */
  CLEW_VEC(uint32_t) liveness;  /* enabled LIVENESS properties */

  bool stopped;        /* the reason is result->stop */
  bool wants_settling; /* the store has to settle before it takes more */
  uint32_t promised;   /* the visits before this one will find room in the store */
  uint64_t max_states;
  uint64_t queue_disk_bytes; /* largest use of the disk by the engine's queue */
  bool is_depth;
  uint64_t transitions, deadlocks;
  uint64_t work;          /* since the clock was last read */
  double next_progress_s; /* of clew_clock_wall_s */
};

/* Prepares `run` and sets what the result says before anything is explored. */
void clew_run_open(struct clew_run *run, struct clew_search *search, struct clew_result *result);
/* Fills in the figures common to all engines and frees everything. */
void clew_run_close(struct clew_run *run);
/* Whether the state that run-time errors lead to is to be counted. */
bool clew_run_counts_error(const struct clew_run *run);

void clew_run_stop(struct clew_run *run, enum clew_stop reason);
/* The time limit, signals and progress; call it once per batch. `queue` and `level` as in struct
 * clew_progress; `work` is a measure of what was done since the last call. */
void clew_run_poll(struct clew_run *run, uint64_t work, uint64_t queue, uint64_t level);

void clew_run_clear(struct clew_run *run); /* forgets successors and visits */
/* Appends the initial states; the finding is a fault of init. */
struct clew_finding clew_run_init(struct clew_run *run);
/* Appends the successors of `state`, hashes and prefetches them, and counts. The finding is a fault
 * of a transition, or that the state is stuck. */
struct clew_finding clew_run_expand(struct clew_run *run, uint64_t id, uint32_t depth,
                                    const uint64_t *state);
/* How many of `count` states can be put now: all, fewer, or none. Then the run is stopped, or
 * `wants_settling` is set. */
uint32_t clew_run_make_room(struct clew_run *run, uint32_t count);
/* Stops when there are so many states that no more are wanted; false then. */
bool clew_run_may_go_on(struct clew_run *run, uint64_t states);
/* Puts the visits from `from` to `end` into the store, in order, as many as there is room for now;
 * returns how many. None: the run is stopped, or `wants_settling` is set and the engine has to call
 * clew_run_settle, once it has absorbed what was put before. */
uint32_t clew_run_put(struct clew_run *run, uint32_t from, uint32_t end);
/* The store answered FULL: finds out why and stops. */
void clew_run_refused(struct clew_run *run);
/* Has the store decide what it has put off; false when the run is stopped. */
bool clew_run_settle(struct clew_run *run, bool all,
                     bool (*found_new)(void *context, const struct clew_visit *visit),
                     void *context);
/* Replaces the visits by those of the successors of an expanded state, with their ids, when the
 * search is complete. Counts nothing. */
void clew_run_lookup(struct clew_run *run, const uint64_t *state);
/* Logs a state that the store called new and checks it. False: the search must end now. */
bool clew_run_absorb(struct clew_run *run, const uint64_t *state, uint64_t id, uint32_t depth,
                     uint32_t parent, uint32_t edge);

/* Adds a violation unless there is one of this property, with a trace if it is the first of all,
 * and stops the run when it has to. */
void clew_run_record(struct clew_run *run, const struct clew_finding *finding);
/* Invariants and covers of a new state. */
void clew_run_check(struct clew_run *run, const uint64_t *state, uint64_t id, uint32_t depth);
/* The finding for a run-time error while `property` was evaluated. */
struct clew_finding clew_run_label_fault(const struct clew_run *run, uint32_t property,
                                         uint32_t site, uint64_t id, uint32_t depth);
/* Everything reachable was expanded: decides what depends on that. */
void clew_run_complete(struct clew_run *run);
/* AG EF properties, over the stored graph. */
void clew_liveness_check(struct clew_run *run);

/* A stack that takes its memory from the budget. */
struct clew_bigstack {
  struct clew_bigmem mem;
  size_t used_bytes;
};

bool clew_bigstack_open(struct clew_bigstack *stack, struct clew_budget *budget);
void clew_bigstack_close(struct clew_bigstack *stack);
/* Room for `bytes` more on top; NULL when the budget refuses. */
static inline void *clew_bigstack_push(struct clew_bigstack *stack, size_t bytes) {
  size_t used = stack->used_bytes + bytes;
  if (__builtin_expect(used > stack->mem.committed_bytes, 0) &&
      !clew_bigmem_commit(&stack->mem, used)) {
    return NULL;
  }
  void *top = stack->mem.data + stack->used_bytes;
  stack->used_bytes = used;
  return top;
}
/* Takes `bytes` off; they stay readable until the next push. */
static inline void *clew_bigstack_pop(struct clew_bigstack *stack, size_t bytes) {
  stack->used_bytes -= bytes;
  return stack->mem.data + stack->used_bytes;
}
/* The `bytes` on top. */
static inline void *clew_bigstack_top(const struct clew_bigstack *stack, size_t bytes) {
  return stack->mem.data + stack->used_bytes - bytes;
}

#endif
