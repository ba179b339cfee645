/* Engines: explore a model with a store, check properties, fill in a result.
 *
 * Adding an engine: one file that defines a `const struct clew_engine_type`, its declaration in
 * this header, one line in the registry (cli/registry.c). CONTRIBUTING.md goes through it step by
 * step. An engine reads nothing but its struct clew_search. */
#ifndef CLEW_SEARCH_ENGINE_H
#define CLEW_SEARCH_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/budget.h"
#include "base/crew.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/option.h"
#include "model/model.h"
#include "report/report.h"
#include "report/result.h"
#include "search/spread.h"
#include "store/store.h"
#include "trace/log.h"

struct clew_limits {
  uint64_t max_states; /* CLEW_ABSENT: none */
  uint64_t max_depth;
  double max_time_s; /* infinity: none */
  uint64_t max_work; /* symbolic search: steps on diagrams; 0: no limit */
};

/* What is to be searched, and with what. Everything is borrowed. */
struct clew_diskqueue;
struct clew_search {
  const struct clew_model *model;
  struct clew_store *store; /* NULL with log: the engine needs none */
  struct clew_log *log;
  struct clew_budget *budget;
  struct clew_scratch *scratch; /* where a queue goes that outgrows its share of the budget */
  /* Called by the searching thread every `progress_s` seconds; NULL or 0: never. */
  void (*progress)(void *context, const struct clew_progress *progress);
  void *progress_context;
  double progress_s;
  struct clew_limits limits;
  const uint64_t *enabled; /* bit set over the model's properties */
  uint32_t unchecked;      /* parts of the model that were asked for and that nothing can check */
  bool stop_at_violation;  /* false for `stats`: errors are counted, the search goes on */
  bool measures_locality;  /* `stats`: how far transitions lead */
  bool goes_on; /* with stop_at_violation: after a violation, for others, each with its path */
  double coverage_share;  /* of the time, for a look at all states in the end; 0: a default */
  struct clew_crew *crew; /* its size is how many threads may search; NULL: one */
  uint32_t thread_share;  /* states of a level that make another thread worth while; 0: a default */
  uint32_t piece;         /* successors that are made at once; 0: chosen by the budget */
  const void *options;    /* the struct of the engine's option table; NULL: all defaults */
  double started_s;       /* of the whole run, clew_clock_wall_s */
  const atomic_bool *interrupted;   /* set by a signal handler */
  const struct clew_keeper *keeper; /* NULL: nothing is kept */
  const struct clew_cut *cut;       /* to go on from, the store and the log being filled; or NULL */
  const struct clew_archive *recheck; /* goes with `cut`: the answers of clew_recheck; or NULL */
  struct clew_diskqueue *waiting; /* goes with `cut` and a store that gives no states back: those
                                   * that wait, each followed by its id. The engine takes it over */
  struct clew_spread *spread;     /* this is one of several ranks; NULL: the only process */
  struct clew_diag_sink *diags;   /* explanations, e.g. why the disk failed */
};

struct clew_run; /* a search in progress */

/* Where a run is, between two steps of it. The log has the rest: from its back edges every store
 * can be filled again (checkpoint/replay.h). */
struct clew_cut {
  struct clew_archive archive; /* what only the engine understands */
  uint64_t states;             /* that the log has; their ids begin with 0 */
  clew_id waiting_from; /* the states from here on wait to be expanded, in the order of their ids */
  bool by_level;        /* the log has one breadth-first level after the other */
  enum clew_stop why;   /* of the last one: why the run ends; FINISHED: it goes on */
  bool is_end;          /* nothing waits: only what is decided on the whole graph is open */
  /* The states that wait, each followed by its id, if they are handed over (keeper.takes_waiting)
   * and have another order; then `waiting_from` is NONE. Owned by who keeps the cut. Else NULL. */
  struct clew_diskqueue *waiting;
  bool is_foreign; /* of another process: words of states may have had another meaning there */
};

/* Keeps cuts while the search goes on. */
struct clew_keeper {
  double every_s;     /* from one cut to the next; infinity: only when the search stops */
  bool on_interrupt;  /* also when it is interrupted, or its time is up */
  bool takes_waiting; /* of the last one, when the memory is used up: goes on with it at once */
  /* False when it could not be kept; the search goes on. `is_last`: it does not. What is taken over
   * of the archive is gone from the cut. */
  bool (*keep)(void *context, struct clew_cut *cut, bool is_last);
  /* The search has its answer: where it could go on if more were asked. NULL: nobody will. */
  void (*keep_end)(void *context, struct clew_cut *cut);
  void *context;
};

enum clew_step { CLEW_STEP_RUNNING, CLEW_STEP_ENDED };

struct clew_engine_type {
  const char *name, *help;
  unsigned property_kinds; /* bit set over enum clew_property_kind that it can decide */
  bool remakes;            /* a run that is loaded makes states of a foreign cut again by edges */
  bool has_levels;         /* explores in breadth-first levels, and says how large they are */
  bool needs_store;        /* keeps states in the store and paths in the log; else both are NULL */
  bool reduces;            /* works on models over models whose states stand for others (orbits) */
  struct clew_option_table options;
  /* What the options ask of the store, as promises; or NULL: nothing. */
  unsigned (*needs)(const void *options);
  /* Whether the engine can search this model with these options (NULL: the defaults); if not, a
   * message says why. NULL: always. */
  enum clew_status (*check)(const struct clew_model *model, const void *options,
                            struct clew_diag_sink *diags);
  /* `result` is filled in until `close`. */
  struct clew_run *(*open)(struct clew_search *search, struct clew_result *result);
  /* Explores a little more: a batch, or what all threads do until they have to meet. */
  enum clew_step (*step)(struct clew_run *run);
  /* Writes down where the run is, between two steps of it, or after the last one if a limit has
   * stopped it: a run that is opened over the same model and a store and a log with the same states
   * and loads this before its first step goes on from there, with any number of threads. False: not
   * at this point, or not with this store. `is_last`: there is no better point to come, so any
   * expense is justified. NULL: the engine cannot. */
  bool (*save)(struct clew_run *run, bool is_last, struct clew_cut *out);
  bool saves_anywhere; /* it can save after an interruption in the middle of anything, too */
  /* Why a search like this can never be saved, as the end of a sentence; NULL: it can. Goes with
   * `save`. */
  const char *(*cannot_save)(const struct clew_search *search);
  /* Loads search->cut. False when it was not written by this engine for such a model; close the run
   * then. */
  bool (*load)(struct clew_run *run);
  /* Fills in counts, levels, figures and outcomes, and frees the run. */
  void (*close)(struct clew_run *run);
};

extern const struct clew_engine_type clew_engine_bfs;
extern const struct clew_engine_type clew_engine_dfs;
extern const struct clew_engine_type clew_engine_symbolic;
extern const struct clew_engine_type clew_engine_auto;

/* New properties of old states: why those that are enabled cannot be asked of the states of a cut
 * without expanding them again, as a clause; NULL: they can. */
const char *clew_recheck_obstacle(const struct clew_cut *cut, const struct clew_model *model,
                                  const uint64_t *asked);
/* Takes the states of a search (the store and the log may be empty so far) in the order of their
 * ids. `by_level`: their depths are known. `clew_recheck_visit` is for clew_replay_config; it
 * returns false when nothing more can be asked. */
struct clew_recheck;
struct clew_recheck *clew_recheck_open(const struct clew_engine_type *engine,
                                       const struct clew_search *search, bool by_level);
bool clew_recheck_visit(void *context, const struct clew_visit *visit);
/* What the next search takes over; the store and the log have all states. NULL: nobody wants it.
 * False: not all could be answered. */
bool clew_recheck_close(struct clew_recheck *recheck, struct clew_archive *answers);

/* The whole of it: opens the engine, steps until it has ended, closes it, and makes the verdict.
 * The result is complete but for what only the caller knows (seed, elapsed time …). False when the
 * cut to go on from is none of this model: nothing was searched. */
bool clew_search_run(const struct clew_engine_type *engine, struct clew_search *search,
                     struct clew_result *result);
/* Adds the result of another search over the same model, which was asked for the properties of the
 * bit set, has no answer to others, and is the last of all->explorations. What `all` takes over is
 * gone from `part`. With `goes_on` (struct clew_search) all traces are kept. */
void clew_search_join(const struct clew_model *model, const uint64_t *asked, bool goes_on,
                      struct clew_result *all, struct clew_result *part);
/* Successors of one state that a thread makes at once, within this budget. */
uint32_t clew_search_piece(const struct clew_model *model, uint64_t budget_bytes, uint32_t threads);
/* Takes the violations of a result back, because they could not be confirmed. */
/* The trace of the result may belong to an approximation only: nothing is decided by it. */
void clew_search_doubt(const struct clew_model *model, struct clew_result *result);
void clew_search_retract(const struct clew_model *model, enum clew_stop why,
                         struct clew_result *result);
/* What the result says when there is no memory for even an empty store. */
void clew_search_refused(const struct clew_search *search, struct clew_result *result);

#endif
