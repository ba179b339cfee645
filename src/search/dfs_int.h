/* Depth-first search: what its files share. dfs.c is the search, dfs_share.c hands work from one
 * worker to another, dfs_save.c keeps what waits for a later run. */
#ifndef CLEW_SEARCH_DFS_INT_H
#define CLEW_SEARCH_DFS_INT_H

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "search/search_int.h"

struct frame {
  clew_id id; /* CLEW_ID_NONE at the bottom; of the state itself in a frame of settled ones */
  size_t floor_bytes;
  uint32_t depth; /* of its successors */
  bool settled;   /* holds a state that the store found new late: it is new */
  bool marked;    /* a successor waits for the store's decision */
  bool own;       /* the state itself lies below its successors */
};

/* Followed by the words of the state. */
struct pending {
  uint32_t edge; /* the hash would cost a third more memory and saves 4 ns */
  uint32_t gone; /* given away */
};

/* The state of a frame, below its successors, is no successor: it is marked as gone from the
 * beginning. Its entry says where its next piece begins: `edge` is clew_succs.resume, and the bits
 * of `gone` beside the mark are what goes with it. */
enum { GONE = 1, GONE_INTERPRETED = 2, GONE_RANK_SHIFT = 2 };

struct dfs_worker {
  struct clew_worker base;
  uint32_t number;
  struct clew_bigstack frames, pending;
  bool opened;
  uint64_t *state;      /* room for one: the state being expanded */
  size_t shared_frames; /* so many frames at the bottom have nothing left to give away */
  uint32_t max_depth;
  bool truncated; /* some state was not expanded because of the depth limit */
};

/* A successor that was given away, followed by the words of its state. */
struct given {
  clew_id parent;
  uint32_t edge, depth;
};

struct dfs {
  struct clew_run run;
  size_t pending_bytes, given_bytes; /* of one */
  size_t open_bytes;                 /* most that a state needs when it is opened */
  uint32_t precision;                /* length of the chain that confirms a hit */
  struct clew_succs chain;           /* precision on demand: successors along the chain */
  uint64_t *known;     /* the same: KNOWN_SLOTS hashes, each in the slot of its lowest bits */
  bool tells_expanded; /* the store wants to know when a state is done */
  bool asks_covered;   /* the store knows of states that need not be explored any more */
  bool begun;
  atomic_bool is_torn; /* the stacks are not all that there is to explore, or are gone */
  uint32_t active;
  bool alone; /* there is no thread or no memory for another worker */
  /* What was given away, and who waits for it. */
  pthread_mutex_t lock;
  pthread_cond_t given_some;
  CLEW_VEC(unsigned char) pool;
  uint32_t waiting;
  _Atomic uint32_t hungry; /* as many as wait, until somebody gives */
  bool finished;           /* all wait, and there is nothing */
};

static inline struct dfs_worker *worker_of(struct dfs *dfs, uint32_t number) {
  struct dfs_worker *worker = (struct dfs_worker *)clew_run_worker(&dfs->run, number);
  worker->number = number;
  return worker;
}

static inline struct frame *top_frame(const struct dfs_worker *worker) {
  assert(worker->frames.used_bytes >= sizeof(struct frame));
  return clew_bigstack_top(&worker->frames, sizeof(struct frame));
}

static inline uint64_t *state_of(struct pending *entry) {
  return (uint64_t *)(void *)(entry + 1);
}

static inline size_t state_bytes(const struct dfs *dfs) {
  return dfs->run.model->words * sizeof(uint64_t);
}

static inline struct pending *push_pending(const struct dfs *dfs, struct dfs_worker *worker,
                                           const uint64_t *state) {
  struct pending *entry = clew_bigstack_push(&worker->pending, dfs->pending_bytes);
  if (entry != NULL) {
    *entry = (struct pending){0};
    memcpy(state_of(entry), state, state_bytes(dfs));
  }
  return entry;
}

/* The entry of the state of a frame; NULL when it is not there. */
static inline struct pending *own_of(const struct dfs *dfs, const struct dfs_worker *worker,
                                     const struct frame *frame) {
  unsigned char *floor = worker->pending.mem.data + frame->floor_bytes;
  return frame->own ? (struct pending *)(void *)(floor - dfs->pending_bytes) : NULL;
}

/* ---- dfs.c ---- */

/* There is no memory to open a state that was found, or to keep a successor: the run ends, and the
 * stacks are not all that there is to explore. */
void clew_dfs_tear(struct dfs *dfs);

/* ---- dfs_share.c ---- */

/* Gives successors near the bottom of the stack to those who wait. */
void clew_dfs_share(struct dfs *dfs, struct dfs_worker *worker);
/* Takes what another worker gave away, into `worker->state`. False: nothing is left to do, or the
 * run halts. */
bool clew_dfs_receive(struct dfs *dfs, struct dfs_worker *worker, struct given *given);
/* Begins with a successor that was given away: a frame of its own, with nothing else in it. */
void clew_dfs_begin_received(struct dfs *dfs, struct dfs_worker *worker, const struct given *given);

/* ---- dfs_save.c ---- */

/* All that waits, whoever has it: a list of successors. A store that wants to hear of states that
 * are done, or that puts off its answers, needs the stack itself: not with these. Neither while a
 * state is open of which there are further pieces. */
bool clew_dfs_save(struct clew_run *run, bool is_last, struct clew_cut *cut);
const char *clew_dfs_cannot_save(const struct clew_search *search);
bool clew_dfs_load(struct clew_run *run);

#endif
