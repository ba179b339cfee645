/* Filling a store again from kept back edges: every state is made once more by the one transition
 * that first led to it, in the order of ids, so each is new and gets the id that it had. */
#ifndef CLEW_CHECKPOINT_REPLAY_H
#define CLEW_CHECKPOINT_REPLAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/diskqueue.h"
#include "base/file.h"
#include "model/model.h"
#include "store/store.h"
#include "trace/log.h"
#include "trace/past.h"

struct clew_replay_config {
  const struct clew_model *model;
  struct clew_store *store; /* empty */
  /* A store that has these states, under the same ids, and can be retired: they are taken from
   * there, and it is emptied on the way. NULL: they are made anew. */
  struct clew_store *source;
  struct clew_past *spool; /* the same from a file; or NULL */
  bool spool_stays;        /* it may be needed once more */
  struct clew_log *log;    /* empty; NULL: it has them already */
  struct clew_budget *budget;
  struct clew_scratch *scratch;
  clew_id waiting_from;    /* states from here on will be wanted (CLEW_ID_NONE: none) */
  bool by_level;           /* parents are of the level before */
  bool named;              /* parents are names of several ranks: states can only be moved */
  const atomic_bool *stop; /* raised when nobody waits any longer; or NULL */
  /* Called for each state, in the order of ids; NULL: not. False ends it. */
  bool (*visit)(void *context, const struct clew_visit *visit);
  void *context;
};

enum clew_replayed {
  CLEW_REPLAYED,
  CLEW_REPLAY_STOPPED, /* by the flag, or by `visit` */
  CLEW_REPLAY_MEMORY,  /* the store has no room for them */
  CLEW_REPLAY_DISK,    /* errno may say why */
  CLEW_REPLAY_STRANGE, /* they are not back edges of this model, or the store loses states */
};

struct clew_replay;

struct clew_replay *clew_replay_open(const struct clew_replay_config *config);
/* The back edges of the next ids. Anything but REPLAYED is final. */
enum clew_replayed clew_replay_add(struct clew_replay *replay, const struct clew_back_edge *records,
                                   uint32_t count);
/* That was all. */
enum clew_replayed clew_replay_finish(struct clew_replay *replay);
/* The states that are wanted, each followed by its id, if the store does not give them back; the
 * caller owns it. NULL otherwise. */
struct clew_diskqueue *clew_replay_take_waiting(struct clew_replay *replay);
void clew_replay_close(struct clew_replay *replay);

#endif
