/* What the engines of this folder share: a run, that is a search in progress, and its workers.
 *
 * A run is what all threads share: the model, the store, which properties are open, why it stopped.
 * A worker is what each thread has for itself: the buffer of successors and their visits, counts,
 * findings. The same code runs with one worker or many:
 *
 *   expand   model.next -> visits: hashed, prefetched, with parent, edge and depth   (worker.c)
 *   put      room is asked for, the store decides                                    (worker.c)
 *   absorb   a new state is logged and its properties are checked                    (worker.c)
 *   gather   what the workers found goes into the result, in an order that does not
 *            depend on who found it                                                  (findings.c)
 *
 * Engines own the order of exploration, and when the workers meet: limits that need the whole run
 * (growth of the store, settling of a level, the verdict) are served while nobody else works.
 *
 * Room. A store that several threads use at once must not grow while they do: they share a credit
 * of insertions, which the engine renews when they meet. A worker that is alone asks the store
 * itself. A store that is not CONCURRENT is entered by one worker at a time, in the order of the
 * states that were expanded: so it sees what it would see with one thread. */
#ifndef CLEW_SEARCH_SEARCH_INT_H
#define CLEW_SEARCH_SEARCH_INT_H

#include <pthread.h>

#include "base/bigmem.h"
#include "search/engine.h"

/* Something that is wrong, and where. */
struct clew_finding {
  uint32_t property;   /* CLEW_NONE: nothing is wrong */
  uint32_t depth;      /* of the state, or of the one that the faulting edge would have led to */
  uint32_t fault_edge; /* as in struct clew_trace */
  uint32_t site;
  clew_id id; /* of the state at the end of the path; CLEW_ID_NONE: it happened in init */
};

struct clew_run;

/* A stack that takes its memory from the budget. */
struct clew_bigstack {
  struct clew_bigmem mem;
  size_t used_bytes;
};

/* What became of a state, or of a piece of it, when it was expanded. */
struct clew_judgement {
  uint64_t degree;
  uint32_t fault_edge, site; /* of the first run-time error; site CLEW_NONE: there is none */
  bool stuck;                /* the last piece says so */
  bool more;                 /* further pieces follow */
  bool is_void;              /* nothing of it is used */
};

/* Counts the different discrete parts of states, where these are only a part. */
struct clew_discrete {
  bool counts;            /* there is something to count */
  struct clew_store *set; /* NULL: there was no memory; workers that share the run need the lock */
  struct clew_diag_sink diags;
  pthread_mutex_t lock; /* for workers that share the run */
};

/* Counts different states. */
struct clew_distinct {
  struct clew_bigstack hashes;
  bool opened, failed; /* failed: there was no memory */
};

struct clew_worker {
  struct clew_run *run;
  struct clew_succs succs;
  CLEW_VEC(struct clew_visit) visits; /* one per successor; `state` is set when they are put */
  uint32_t promised;                  /* alone: the visits before this one will find room */
  uint32_t credit;                    /* not alone: insertions that will find room */
  struct clew_judgement judgement;    /* of the state that was expanded last */
  uint64_t expanded;                  /* states */
  uint64_t transitions, deadlocks;
  uint64_t told; /* of the transitions, those that the run knows of */
  uint64_t degree_min, degree_max;
  /* A state is being expanded in pieces, of which more follow: its degree so far, and whether one
   * of its transitions ended in a run-time error. */
  bool in_pieces, faulty;
  uint64_t degree;
  /* By edge: transitions; NULL: there are too many edges. Where other ranks own successors they are
   * counted in the second one, so that a process that is alone has one question less. */
  uint64_t *fired, *fired_apart;
  uint32_t error_depth; /* least depth of a run-time error, or CLEW_NONE */
  uint64_t work;        /* since the clock was last read */
  /* At most one of each property: the one that would be reported. */
  CLEW_VEC(struct clew_finding) findings;
  CLEW_VEC(uint64_t) finding_states; /* their words, in the same order */
  CLEW_VEC(uint32_t) uncovered;      /* of run->covers, those that it has not seen */
  uint64_t *scratch_set;             /* as long as run->open */
  struct clew_measured *measured;    /* in the order of run->measures */
  struct clew_locality locality;
  struct clew_outbox
      *outboxes;         /* by rank: successors that are to be sent; NULL: there is no spread */
  unsigned char *letter; /* room for a message, of which some records may be left */
  uint32_t letter_from, letter_at, letter_left;
  uint64_t *recent; /* states that were sent lately, each at the place of its hash; or NULL */
  CLEW_VEC(clew_id) names; /* of parents, while a store is told their ids */
  char own_line[64];       /* workers do not share cache lines */
};

struct clew_properties { /* a CLEW_VEC */
  uint32_t *data;
  uint32_t len, cap;
};

struct clew_race;
struct clew_run {
  struct clew_race *race; /* of the engine auto; else NULL */
  struct clew_search *search;
  struct clew_result *result;
  struct clew_spread *spread; /* NULL: this is the only process */
  bool tells_ids; /* with a spread: the store works with parents, which it knows by their ids */
  const struct clew_model *model;
  struct clew_store *store; /* NULL: the engine keeps states itself, */
  uint64_t states;          /* so many so far, and finds the path to one of them: */
  bool (*find_path)(struct clew_run *run, const uint64_t *state, struct clew_trace *trace);
  /* Its states, in an order of its own: up to `most` that come after one (NULL: the first ones);
   * how many. And how far one of them is from the initial states. Both may be NULL. */
  uint32_t (*list_states)(struct clew_run *run, const uint64_t *after, uint64_t *states,
                          uint32_t most);
  uint32_t (*depth_of)(struct clew_run *run, const uint64_t *state);
  void (*check_liveness)(struct clew_run *run);
  bool is_explored;    /* everything reachable was expanded, whatever came later */
  bool has_places;     /* the store gives states back, by numbers that are not ids */
  bool ordered;        /* the store uses the model's order of states */
  bool takes_census;   /* and says which of them are covered by others, and how many */
  bool judges_late;    /* the engine judges a state when it is sure that its successors are used */
  uint32_t hash_words; /* of a state, those that are hashed */
  struct clew_discrete discrete;

  /* Enabled properties that are not known to be violated; changes only while workers meet. */
  uint64_t *open;
  uint32_t fault_property, deadlock_property; /* CLEW_NONE when not enabled */
  bool has_failed_start; /* a run-time error happened in init, asked for or not */
  bool has_invariants;
  struct clew_properties liveness; /* LIVENESS properties that can be decided */
  struct clew_properties progress; /* PROGRESS likewise */
  struct clew_properties measures; /* MEASURE */
  CLEW_VEC(uint32_t) covers;       /* COVER properties of labels */

  struct clew_worker **workers; /* NULL: not needed so far */
  uint32_t piece;               /* successors that are made at once (model/succs.h) */
  uint32_t most_workers;
  uint32_t used_workers; /* most that were at work together */
  uint32_t processors;   /* that this process may use */
  size_t worker_bytes;
  void (*open_worker)(struct clew_worker *worker);

  bool shared;             /* several workers use a CONCURRENT store now */
  bool in_turns;           /* several workers, one of which is in the store at a time */
  atomic_bool halt;        /* workers leave off at the next batch: stopped, or they have to meet */
  atomic_bool refused;     /* the store answered FULL to one of them */
  _Atomic int reason;      /* enum clew_stop; FINISHED while it has not stopped */
  const atomic_bool *stop; /* of the model; never NULL */
  _Atomic uint32_t deep_site; /* least site of an evaluation that nests calls too deeply, or NONE */
  clew_id log_end;            /* back edges of ids below find room */
  uint64_t max_states;
  bool is_endless;              /* the model has no end, and nobody gave a limit */
  uint64_t first_id;            /* of the first state: what the store held before */
  uint64_t queue_disk_bytes;    /* largest use of the disk by the engine's queue */
  bool asks_store;              /* it knows how many of the initial states are different */
  struct clew_distinct initial; /* else: of those that were made so far, if they are many */
  uint64_t level_transitions;   /* of all levels that are done */
  bool wants_settling;          /* the store has to settle before it takes more */
  bool is_depth;
  double began_s;         /* of clew_clock_wall_s */
  double next_progress_s; /* of clew_clock_wall_s */
  double next_cut_s;      /* the same */
  /* Somebody waits for a cut: the keeper's time has come, or the run is to end after it for this
   * reason (FINISHED: it is not). */
  atomic_bool wants_cut;
  enum clew_stop ends_after_cut;
  /* Workers change these: apart from the above, which they read. */
  char own_line[64];
  _Atomic int64_t credit;
  _Atomic uint64_t transitions; /* as far as workers have told */
  char last_line[64];
};

/* ---- run.c ---- */

/* Prepares `run`, which is zeroed, and sets what the result says before anything is explored. The
 * engine's workers have `worker_bytes`, the shared part first; `open_worker` prepares the rest. */
void clew_run_open(struct clew_run *run, const struct clew_engine_type *engine,
                   struct clew_search *search, struct clew_result *result, size_t worker_bytes,
                   void (*open_worker)(struct clew_worker *worker));
/* Frees everything of a run that nobody wants to know the result of. */
void clew_run_abandon(struct clew_run *run);
/* Fills in the figures and outcomes common to all engines and frees everything. */
void clew_run_close(struct clew_run *run);
/* An engine calls it when it ends, before it gathers what was found: if that is because of a limit,
 * the keeper gets a last cut, from which the level that was begun can be finished first. */
void clew_run_keep_last(struct clew_run *run, const struct clew_engine_type *engine);
/* The worker of this number, which is made when it is first asked for. */
struct clew_worker *clew_run_worker(struct clew_run *run, uint32_t number);
/* Of the states that wait, so many that this number of workers pays. */
uint32_t clew_run_helpers(const struct clew_run *run, uint64_t waiting);
/* Transitions that lead to a run-time error, at this depth first; CLEW_NONE: none is counted. */
uint32_t clew_run_error_depth(const struct clew_run *run);
uint64_t clew_run_states(const struct clew_run *run); /* found so far */

/* Any worker. That something was violated says more than that a limit was reached. */
void clew_run_stop(struct clew_run *run, enum clew_stop reason);
static inline bool clew_run_stopped(const struct clew_run *run) {
  return atomic_load_explicit(&run->reason, memory_order_relaxed) != CLEW_STOP_FINISHED;
}
/* Whether workers should leave off: the run is stopped, or they have to meet. */
static inline bool clew_run_halts(const struct clew_run *run) {
  return atomic_load_explicit(&run->halt, memory_order_relaxed);
}
/* Everybody leaves off at the next batch. */
void clew_run_meet(struct clew_run *run);
/* The time limit, signals and progress; the first worker calls it once per batch. `queue` and
 * `level` as in struct clew_progress; `work` is a measure of what was done since the last call. */
void clew_run_poll(struct clew_worker *worker, uint64_t work, uint64_t queue, uint64_t level);

/* How many of `count` states can be put now: all, fewer, or none. Then the run is stopped, or
 * `wants_settling` is set. Nobody else uses the store. */
uint32_t clew_run_make_room(struct clew_run *run, uint32_t count);
/* The same for several workers: makes the credit. False when the run is stopped. */
bool clew_run_renew_credit(struct clew_run *run, uint32_t count);
/* Back edges of `id` and some that follow find room; false when the run is stopped. */
bool clew_run_extend_log(struct clew_run *run, clew_id id, uint64_t count);
/* Stops when there are so many states that no more are wanted; false then. */
bool clew_run_may_go_on(struct clew_run *run, uint64_t states);
/* The store answered FULL: finds out why and stops. Nobody else uses the store. */
void clew_run_refused(struct clew_run *run);
/* Has the store decide what it has put off; false when the run is stopped. */
bool clew_run_settle(struct clew_worker *worker, bool all,
                     bool (*found_new)(void *context, const struct clew_visit *visit),
                     void *context);

/* ---- unanswered.c: evaluations that clew ended, not the model ---- */

/* The stop flag of the model is raised: stops for the reason behind it. */
void clew_run_interrupt(struct clew_run *run);
/* Whether a site says that an evaluation has no answer, which is nobody's violation. Then the run
 * is stopped, or it goes on and will not be complete. */
bool clew_run_leaves_open(struct clew_run *run, uint32_t site);
/* Takes off the faults from `first_fault` on that are unanswered evaluations. False, taking off the
 * successors from `first` on as well, when the run is stopped: nothing is known about the state. */
bool clew_run_sift_faults(struct clew_run *run, struct clew_succs *succs, uint32_t first,
                          uint32_t first_fault);

/* ---- worker.c ---- */

void clew_worker_open(struct clew_worker *worker, struct clew_run *run);
void clew_worker_close(struct clew_worker *worker);
void clew_worker_clear(struct clew_worker *worker); /* forgets successors and visits */
/* Appends a piece of the initial states; a fault of init is a finding. True: there are more, and
 * the next call goes on with them. */
bool clew_worker_init(struct clew_worker *worker);
/* Appends the successors of `state` as visits at depth + 1, and judges it. True: that was a piece
 * of them, and when it is put, clew_worker_expand_further is to be called with the same state. */
bool clew_worker_expand(struct clew_worker *worker, clew_id id, uint32_t depth,
                        const uint64_t *state);
/* The next piece. */
bool clew_worker_expand_further(struct clew_worker *worker, clew_id id, uint32_t depth,
                                const uint64_t *state);
/* Counts a state that was expanded; a fault of a transition, or that the state is stuck, is a
 * finding. Expanding does it, unless the run judges late. */
void clew_worker_judge(struct clew_worker *worker, const struct clew_judgement *judgement,
                       clew_id id, uint32_t depth, const uint64_t *state);
/* A state of which the first piece was made is not expanded after all. */
void clew_worker_leave(struct clew_worker *worker);
/* Puts the visits from `from` to `end` into the store, in order, as many as there is room for now;
 * returns how many. None: the run halts, or run->wants_settling is set and the engine has to call
 * clew_run_settle, once it has absorbed what was put before. */
uint32_t clew_worker_put(struct clew_worker *worker, uint32_t from, uint32_t end);
/* Makes worker->credit `wanted` if it is less, or as much as can be had; false when that is
 * nothing: the workers have to meet. */
bool clew_worker_take_credit(struct clew_worker *worker, uint32_t wanted);
/* Logs a state that the store called new and checks it; `visit` is complete but for the hash.
 * False: the run is stopped. */
bool clew_worker_absorb(struct clew_worker *worker, const struct clew_visit *visit);
/* Lets the run know of the transitions that were counted, if there are many. */
static inline void clew_worker_tell(struct clew_worker *worker) {
  const uint64_t many = 4096;
  if (worker->transitions - worker->told >= many) {
    atomic_fetch_add_explicit(&worker->run->transitions, worker->transitions - worker->told,
                              memory_order_relaxed);
    worker->told = worker->transitions;
  }
}
/* Makes visits with their ids of a piece of the successors of an expanded state, when the search is
 * complete. Counts nothing. True: there are more, as above. */
bool clew_worker_lookup(struct clew_worker *worker, const uint64_t *state);

/* ---- findings.c ---- */

/* Invariants and covers of a new state. */
void clew_worker_check(struct clew_worker *worker, const uint64_t *state, clew_id id,
                       uint32_t depth);
/* Remembers a finding, unless a better one of the property is there. `state` is that of its id, or
 * NULL. */
void clew_worker_find(struct clew_worker *worker, const struct clew_finding *finding,
                      const uint64_t *state);
/* A run-time error while `property` was evaluated. */
void clew_worker_find_label_fault(struct clew_worker *worker, uint32_t property, uint32_t site,
                                  clew_id id, uint32_t depth, const uint64_t *state);
/* Takes over what the workers found: by depth, by property, by the words of the state, so that the
 * answer is the same whoever was first. Stops the run if a violation is to end it. Nobody works. */
void clew_run_gather(struct clew_run *run);
/* The property of the finding, which is open, is violated. `state` is that of its id; NULL: there
 * is none, or the log knows the way there. */
void clew_run_violate(struct clew_run *run, const struct clew_finding *finding,
                      const uint64_t *state);
/* Whether the cut that the run goes on from has states that mean nothing here. */
bool clew_run_remakes(const struct clew_run *run);
/* Makes a state by the edges that led to it; false: the log does not lead there. */
bool clew_run_remake(struct clew_run *run, clew_id id, uint64_t *state);
/* Cover properties that should not be reached, and are. */
void clew_run_violate_reached(struct clew_run *run);
/* The worker has seen a state that satisfies this cover property. */
void clew_worker_note_covered(struct clew_worker *worker, uint32_t property);
/* Everything reachable was expanded: decides what depends on that. */
void clew_run_complete(struct clew_run *run);
/* AG EF properties, over the stored graph. */
void clew_liveness_check(struct clew_run *run);
/* They were not decided, because the run was stopped. */
void clew_liveness_leave_undecided(struct clew_run *run);
/* PROGRESS properties, over the graph of runs that stay. */
void clew_progress_check(struct clew_run *run);
/* Transitions from an initial state to this one, as the log has it. */
uint32_t clew_run_path_length(struct clew_run *run, clew_id id);

/* ---- distinct.c ---- */

/* Adds the states of the buffer. */
void clew_distinct_add(struct clew_distinct *distinct, const struct clew_succs *succs,
                       struct clew_budget *budget);
/* How many were different, or CLEW_ABSENT: there was no memory to find out. */
uint64_t clew_distinct_close(struct clew_distinct *distinct);

/* ---- discrete.c ---- */

/* Opens a set, if there is something to count. */
void clew_discrete_open(struct clew_run *run);
/* Adds those of the visits that are NEW. */
void clew_discrete_add(struct clew_run *run, const struct clew_visit *visits, uint32_t count);
/* Adds the states that the store has of this run, or gives up where it does not give them back. */
void clew_discrete_recount(struct clew_run *run);
/* Gives the memory back, and the figure up. False: there was none. */
bool clew_discrete_give_up(struct clew_run *run);
/* The figure, or CLEW_ABSENT. */
uint64_t clew_discrete_close(struct clew_run *run);

/* ---- seek.c ---- */

/* All states are known: makes the store give them back, perhaps by places instead of ids
 * (run->has_places). False: there is no memory for it. */
bool clew_run_freeze(struct clew_run *run);
/* The first state in the order of ids for which `is_it` is true. NONE: there is none, or the run is
 * stopped. */
clew_id clew_run_seek(struct clew_run *run,
                      bool (*is_it)(void *context, clew_id id, const uint64_t *state),
                      void *context);
/* The id of the state that the store has under this number. NONE: the run is stopped. */
clew_id clew_run_id_of(struct clew_run *run, clew_id number, const uint64_t *state);

/* ---- save.c ---- */

/* Of what was asked: what is open, decided, found and measured so far. Nobody works. */
void clew_run_save_answers(const struct clew_run *run, struct clew_archive *out);
/* What all engines have in common; nobody works. */
void clew_run_save(struct clew_run *run, struct clew_archive *out);
bool clew_run_load(struct clew_run *run, struct clew_archive *in);
/* After loading: gathers what the old states have answered (search->recheck), if some of it is at
 * most so deep. */
void clew_run_gather_answers(struct clew_run *run, uint32_t depth);
/* Adds what another run, of which this is the archive, has counted; nothing else of it counts. */
bool clew_run_load_more(struct clew_run *run, struct clew_archive *in);
/* What was loaded was counted by others. */
void clew_run_forget_counts(struct clew_run *run);
/* Whether a run that has stopped could go on from where it is. */
bool clew_run_is_limited(const struct clew_run *run);

/* ---- bigstack.c ---- */

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

/* ---- spread.c ---- */

static inline uint64_t *clew_worker_fired(const struct clew_worker *worker) {
  return worker->outboxes != NULL ? worker->fired_apart : worker->fired;
}

void clew_spread_open_worker(struct clew_worker *worker);
void clew_spread_close_worker(struct clew_worker *worker);
/* Makes visits of the successors from `first` on, which are those of the state of this id. What
 * other ranks own is taken off the buffer, to be sent. */
void clew_spread_divide(struct clew_worker *worker, uint32_t first, clew_id id, uint32_t depth);
/* Drops the initial states that other ranks own: they have them. */
void clew_spread_keep_own(struct clew_worker *worker);
/* Sends full messages, or `all` that there is, as far as there is credit. False: the worker has too
 * much left to go on expanding; of all: something is left. */
bool clew_spread_pump(struct clew_worker *worker, bool all);
void clew_spread_drop(struct clew_worker *worker); /* forgets what it was to send */
/* Receives a message, if there is one, as successors and visits of the worker, which has none. */
bool clew_spread_fetch(struct clew_worker *worker, uint32_t depth);
/* This rank has stopped: the others may leave off, too. */
void clew_spread_tell_stop(struct clew_run *run);

/* ---- spread_meet.c: all ranks together, in the same order ---- */

/* The states of this level that this rank has found; sums, and why to stop, become those of all. */
void clew_spread_agree(struct clew_run *run, uint64_t level_states);
/* The findings of all ranks become those of each, one of each property. */
void clew_spread_gather(struct clew_run *run);
/* The edges from an initial state to the one of this name. */
bool clew_spread_find_path(struct clew_run *run, clew_id name, struct clew_trace *trace);
/* What the workers of all ranks have counted is in the first worker of each, once. */
void clew_spread_pool(struct clew_run *run);
/* Adds what a worker has counted to another one. */
void clew_spread_join_worker(struct clew_run *run, struct clew_worker *sum,
                             struct clew_worker *worker);
/* The figures of the result become those of all ranks. */
void clew_spread_fill(struct clew_run *run);

/* ---- coverage.c ---- */
void clew_worker_open_coverage(struct clew_worker *worker);
/* When the search is over, before the workers are closed. */
void clew_run_gather_coverage(struct clew_run *run);

#endif
