/* The ComBack store: states from their ids, one by one (comback_rebuild.c), in groups
 * (comback_forest.c), and by several threads (comback_crew.c). */
#ifndef CLEW_STORE_COMBACK_REBUILD_INT_H
#define CLEW_STORE_COMBACK_REBUILD_INT_H

#include <stdatomic.h>

#include "base/vec.h"
#include "store/comback_index_int.h"

/* ---- one by one ---- */

/* One thread needs this to rebuild states; nothing of it is shared. */
struct clew_comback_worker {
  uint64_t *now, *then; /* two states */
  CLEW_VEC(clew_id) path;
  struct clew_bigmem forks; /* of the walk through a forest: the next branch to take, a uint32_t, */
  struct clew_bigmem kept;  /* and the state where they part */
  uint64_t reconstructions, events, hits_first, hits_second;
  const _Atomic bool *cancelled; /* tells to give up; NULL: never */
};

bool clew_comback_worker_open(const struct clew_comback *c, struct clew_comback_worker *w);
void clew_comback_worker_close(struct clew_comback_worker *w);
uint64_t clew_comback_worker_bytes(const struct clew_comback_worker *w);
/* One event: out = the successor of `state` by `edge`. */
void clew_comback_replay(const struct clew_comback *c, struct clew_comback_worker *w, uint32_t edge,
                         const uint64_t *state, uint64_t *out);
/* clew_comback_known and clew_comback_is_known (comback_int.h) call these. */
const uint64_t *clew_comback_find_known(const struct clew_comback *c, struct clew_comback_worker *w,
                                        clew_id id);
bool clew_comback_is_root_or_cached(const struct clew_comback *c, clew_id id);
/* The state with this id: good until the caches change or the worker is used again. */
const uint64_t *clew_comback_rebuild(const struct clew_comback *c, struct clew_comback_worker *w,
                                     clew_id id);

/* ---- in groups ---- */

struct clew_comback_node {
  uint32_t id_low;
  uint32_t child, sibling;      /* nodes, or CLEW_COMBACK_NONE */
  uint32_t edge;                /* of its back edge, unless a tree begins with it */
  uint32_t wanted;              /* its number in the list of wanted states, or CLEW_COMBACK_NONE */
  uint8_t id_high, parent_high; /* the latter: while the forest is built */
};
static_assert(CLEW_ID_LIMIT >> 40 == 1, "every id fits");

static inline clew_id clew_comback_node_id(const struct clew_comback_node *node) {
  return (clew_id)node->id_high << 32 | node->id_low;
}

/* The part of the tree of back edges that leads to the wanted states. */
struct clew_comback_forest {
  struct clew_bigmem nodes;
  struct clew_comback_index
      index;              /* of nodes by ids, where they are not found in descending order */
  uint64_t room;          /* for so many nodes */
  uint32_t count, wanted; /* nodes, and how many states were wanted */
  uint32_t first;         /* node of a tree; the others are its siblings */
};

bool clew_comback_forest_open(struct clew_comback_forest *f, struct clew_budget *budget);
void clew_comback_forest_close(struct clew_comback_forest *f);
/* The forest of wanted states: ids, ascending; of the same ones the first counts. False when the
 * budget refuses. */
bool clew_comback_forest_build(const struct clew_comback *c, struct clew_comback_forest *f,
                               const clew_id *ids, uint32_t count);
/* Rebuilds all wanted states. False when the budget refuses: then some may not have been found. */
bool clew_comback_forest_walk(const struct clew_comback *c, struct clew_comback_worker *w,
                              const struct clew_comback_forest *f, clew_comback_found *found,
                              void *context);
/* The same for the part from a node on whose state is given. Looks at nothing that changes while
 * states are put. */
bool clew_comback_forest_walk_below(const struct clew_comback *c, struct clew_comback_worker *w,
                                    const struct clew_comback_forest *f, uint32_t node,
                                    const uint64_t *state, clew_comback_found *found,
                                    void *context);
uint64_t clew_comback_forest_bytes(const struct clew_comback_forest *f);

/* The states of a list, ascending, in a group; one by one when there is no memory for that. Some
 * may be found twice. */
void clew_comback_rebuild_all(const struct clew_comback *c, struct clew_comback_worker *w,
                              struct clew_comback_forest *f, const clew_id *ids, uint32_t count,
                              clew_comback_found *found, void *context);

/* ---- by several threads ---- */

struct clew_comback_crew;

/* NULL when there is no use for it (one thread) or no memory. */
struct clew_comback_crew *clew_comback_crew_open(const struct clew_comback *c);
void clew_comback_crew_close(struct clew_comback_crew *crew); /* ends what is going on first */
/* Has the wanted states rebuilt while the caller goes on: ids ascending; of the same ones the first
 * counts. `found` is called by any thread, for one state at a time each. The store may change
 * meanwhile. False: there is no memory, and nothing was begun. Not while it is busy. */
bool clew_comback_crew_begin(struct clew_comback_crew *crew, struct clew_comback_worker *w,
                             const clew_id *ids, uint32_t count, clew_comback_found *found,
                             void *context);
bool clew_comback_crew_busy(const struct clew_comback_crew *crew);
/* Helps with what was begun, and waits until all is found. */
void clew_comback_crew_finish(struct clew_comback_crew *crew, struct clew_comback_worker *w);
uint64_t clew_comback_crew_bytes(const struct clew_comback_crew *crew);
/* Threads beside the caller's. */
uint32_t clew_comback_crew_size(const struct clew_comback_crew *crew);
/* The work of its threads, up to the last time that one of them had nothing to do. */
void clew_comback_crew_figures(const struct clew_comback_crew *crew, uint64_t *reconstructions,
                               uint64_t *events);

#endif
