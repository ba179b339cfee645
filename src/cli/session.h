/* One search as `check` and `stats` set it up: everything the command line chooses, opened in order
 * and closed in reverse. */
#ifndef CLEW_CLI_SESSION_H
#define CLEW_CLI_SESSION_H

#include "base/budget.h"
#include "base/crew.h"
#include "base/diskqueue.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "cli/fields.h"
#include "cli/options.h"
#include "report/progress.h"
#include "report/report.h"
#include "search/engine.h"
#include "search/spread.h"
#include "store/store.h"
#include "trace/log.h"
#include "trace/origin.h"

struct clew_session_part {
  uint32_t need;
  uint64_t *asked; /* bit set over the properties; owned */
};

struct clew_session {
  const struct clew_options *options; /* borrowed */
  struct clew_team *team;             /* this is one of several processes; NULL: the only one */
  struct clew_spread spread;          /* of the part that is open */
  double started_s;
  uint64_t refits; /* how often the search began again with wider states */
  const struct clew_engine_type *engine;
  const struct clew_store_type *store_type;
  bool flat_zones;                    /* zones are to have no order */
  void *engine_fields, *store_fields; /* their options; NULL: they have none */
  uint64_t memory_bytes, seed;
  uint32_t piece;           /* successors that are made at once */
  struct clew_model *model; /* answers all properties: what people see, and what confirms */
  /* Properties that need different things are explored apart (clew_model.need), one part after
   * the other: */
  struct clew_session_part *parts;
  uint32_t part_count, part;
  struct clew_model *view;        /* of the part that is open: `model`, or one that forgets more */
  const atomic_bool *interrupted; /* by a signal */
  uint64_t *enabled;              /* bit set over the properties */
  struct clew_budget budget;
  struct clew_scratch scratch;
  struct clew_crew *crew;
  struct clew_log *log;
  struct clew_fields fields; /* of the states of `view`, for the store */
  struct clew_store *store;  /* NULL: not even an empty one fits the budget */
  struct clew_progress_line progress;
  struct clew_history history;                   /* of the whole search, where a report shows it */
  double shown_s;                                /* when progress was shown last */
  struct clew_text command_line, unlimited_line; /* clew_options_line* */
  struct clew_arena *arena;                      /* of the origin */
  struct clew_trace_origin origin;               /* of a trace that is saved */
  struct clew_report_info info;                  /* without the outputs */
  struct clew_result result;
  struct clew_diag_sink diags; /* of the search */
  /* What keeps the search, or what it goes on from; NULL: neither. Owned. */
  struct clew_checkpoint *checkpoint;
  bool is_resumed;
  bool is_rechecked; /* … to ask something else; nothing is kept then */
  bool has_recheck;  /* goes with `cut`: what the old states answer */
  struct clew_archive recheck;
  bool has_end; /* where the search could go on if more were asked */
  struct clew_cut end;
  uint64_t resumed_states;
  const struct clew_store_type *first_store_type; /* that every exploration begins with */
  bool is_auto; /* the store is changed for one that takes less memory when that is used up */
  struct clew_keeper keeper;
  CLEW_VEC(struct clew_conversion) conversions; /* so far */
  double explored_s;                            /* before the last of them */
  bool has_cut, has_new_cut;                    /* new: of the search that has just ended */
  struct clew_cut cut;                          /* to go on from */
  struct clew_diskqueue *waiting;
};

/* CLEW_EXIT_OK, or the exit code after the user has been told what is wrong. Close in any case.
 * `from` is the checkpoint to go on from, or NULL; it is taken over. */
enum clew_exit clew_session_open(struct clew_session *session, const struct clew_options *options,
                                 struct clew_checkpoint *from);
/* Searches; session->result is complete but for the figures of the whole process. */
enum clew_exit clew_session_explore(struct clew_session *session);
/* After the search: confirms what was found, and completes the result. False: it could not be
 * confirmed, which the user has been told (conclude.c). */
bool clew_session_conclude(struct clew_session *session);
/* Opens the store of session->store_type. */
enum clew_exit clew_session_open_store(struct clew_session *session);
/* Adds the figures that no engine knows; call it last, when there is nothing left but to report. */
void clew_session_measure(struct clew_session *session);
/* Gives back the store and whatever else a search takes: only the answer, and the model, are left.
 */
void clew_session_shed(struct clew_session *session);
void clew_session_close(struct clew_session *session);

#endif
