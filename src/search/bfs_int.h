/* Breadth-first search: what its files share. bfs.c is the search, bfs_save.c writes down where it
 * is, for a later run. */
#ifndef CLEW_SEARCH_BFS_INT_H
#define CLEW_SEARCH_BFS_INT_H

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/frontier.h"
#include "search/search_int.h"

struct parent {
  clew_id id;
  uint32_t successors_end;  /* its successors end before this one of the buffer */
  uint32_t faults_end : 31; /* its transitions that end in a run-time error likewise */
  uint32_t is_stuck : 1;
};

struct bfs_worker {
  struct clew_worker base;
  uint32_t number;
  /* States that were taken; those from inbox_at on are not expanded yet. */
  clew_id *inbox_ids;
  uint64_t *inbox_states;
  uint32_t inbox_at, inbox_count, inbox_room;
  uint64_t inbox_first; /* position */
  uint64_t ticket;      /* the turn at which their successors are put */
  /* The batch. */
  CLEW_VEC(struct parent) parents;
  uint64_t *parent_states; /* where they are needed after that; NULL: they are not */
  CLEW_VEC(struct clew_judgement) judgements; /* of the parents, where they are judged late */
  bool pending; /* there are visits that are not put, or parents that are not done */
  bool initial; /* it is that of the initial states */
  uint32_t
      most_parents; /* 0: its last parent has more successors, with which the next one begins */
  uint32_t parents_done, visits_done, parents_judged;
  uint64_t degree_before; /* transitions of the first parent in earlier batches */
  uint64_t max_queue;
};

/* Consecutive states of the same depth that are to be expanded; they end where the next begin. */
struct stretch {
  uint64_t first; /* position */
  uint32_t depth;
};

struct bfs {
  struct clew_run run;
  struct clew_frontier frontier;
  bool opened; /* the frontier */
  bool begun, in_level;
  uint32_t active; /* workers of this level */
  uint32_t batch;  /* successors that are put together, about */
  bool in_order;   /* they put in the order of what they took */
  pthread_mutex_t store_lock, turn_lock;
  pthread_cond_t turn_came;
  uint64_t turn;                 /* the position whose successors are put next */
  CLEW_VEC(uint64_t) level_ends; /* of the levels that are begun */
  uint64_t level_end;
  uint32_t depth, max_depth;
  bool late;                          /* the store decides when nothing else is left */
  CLEW_VEC(struct stretch) stretches; /* late: of states that are found */
  uint32_t next_stretch;              /* the first that is not begun; the last one may grow */
  /* States of the level that were taken in an earlier run and are not expanded: those from
   * `returned_at` on, each followed by its id. */
  CLEW_VEC(uint64_t) returned;
  uint32_t returned_at;
  bool measures_locality; /* `stats`, and the store says which state was seen */
  bool tells_expanded;    /* the store wants to know when a state is done */
  bool one_by_one;        /* successors of one parent are put at a time */
  /* A state that gets covered while it waits may be covered by one of the next level, and the path
   * through that one is longer. Where shortest paths are wanted (`keeps_levels`) only those states
   * of a level are dropped that were covered when it began: a bit set over its positions, from
   * `level_first` on. Beside the nodes of the store a bit for each state is next to nothing. */
  bool keeps_levels;
  uint64_t level_first;
  CLEW_VEC(uint64_t) dropped;
  struct clew_cut border; /* of a rank: where the level begins */
};

static inline struct bfs *bfs_of(struct clew_run *run) {
  return (struct bfs *)run; /* its first member */
}

static inline struct bfs_worker *worker_of(struct bfs *bfs, uint32_t number) {
  struct bfs_worker *worker = (struct bfs_worker *)clew_run_worker(&bfs->run, number);
  worker->number = number;
  return worker;
}

/* ---- bfs.c ---- */

/* Expands the next state that the worker has taken, or goes on with its batch, all by itself. On
 * return the worker has nothing pending, or the run is stopped. */
void clew_bfs_do_one(struct bfs *bfs, struct bfs_worker *worker);
/* Has the store decide everything that it has put off; false when the run is stopped. */
bool clew_bfs_settle_all(struct bfs *bfs);
/* How many workers the states of the level from `first` on are for; stops at the depth limit. */
void clew_bfs_share_level(struct bfs *bfs, uint64_t first);

/* Drops the states of the level, from `first` on, that are covered now. */
void clew_bfs_find_dropped(struct bfs *bfs, uint64_t first);

/* Receives a message, if there is one, and puts what is in it. */
bool clew_bfs_put_received(struct bfs *bfs, struct bfs_worker *worker);
/* All that was put off belongs to the level that is about to begin. */
void clew_bfs_settle_level(struct bfs *bfs);
/* The level before is done; the next one begins. */
void clew_bfs_begin_level(struct bfs *bfs);
void clew_bfs_put_initial(struct bfs *bfs);
/* Workers do something of the level. True: it is used up. */
bool clew_bfs_work(struct bfs *bfs);
/* Once per batch: limits and progress. */
void clew_bfs_look_around(struct bfs *bfs, struct bfs_worker *worker);

/* ---- bfs_spread.c: one rank of several ---- */

enum clew_step clew_bfs_step_spread(struct bfs *bfs);
bool clew_bfs_load_spread(struct bfs *bfs);

/* ---- bfs_save.c ---- */

bool clew_bfs_save(struct clew_run *run, bool is_last, struct clew_cut *out);
const char *clew_bfs_cannot_save(const struct clew_search *search);
bool clew_bfs_load(struct clew_run *run);

#endif
