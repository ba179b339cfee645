/* The states of a breadth-first search that wait to be expanded, first in, first out.
 *
 * A store from which states can be read back is its own queue: ids are given in the order in which
 * states are found, so what waits is a range of ids. With every other store the states themselves
 * are kept, in memory up to a share of the budget and then on disk; their ids are kept with them
 * where several threads find states, since then they do not come in the order of ids.
 *
 * Positions number the states in the order in which they leave. Any threads may take and push. */
#ifndef CLEW_SEARCH_FRONTIER_H
#define CLEW_SEARCH_FRONTIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diskqueue.h"
#include "search/engine.h"

struct clew_frontier {
  const struct clew_search *search; /* borrowed */
  struct clew_store *store;         /* borrowed */
  pthread_mutex_t *store_lock; /* borrowed; held to read from the store; NULL: that needs no lock */
  struct clew_diskqueue *queue; /* NULL: the store is the queue */
  bool keeps_ids;
  uint32_t words;
  clew_id first_id;
  char own_line[64];      /* threads that take do not disturb those that read the above */
  _Atomic uint64_t taken; /* position of the first one that waits */
  pthread_mutex_t lock;   /* of the queue */
  char last_line[64];
};

/* False when the budget leaves no room at all. `several`: more than one thread may push. Takes
 * search->waiting over, if it is there. */
bool clew_frontier_open(struct clew_frontier *frontier, struct clew_search *search,
                        clew_id first_id, bool several, pthread_mutex_t *store_lock);
void clew_frontier_close(struct clew_frontier *frontier);
/* Appends those of the visits that are NEW. With one thread they must come in the order of ids.
 * False when the disk fails. */
bool clew_frontier_push(struct clew_frontier *frontier, const struct clew_visit *visits,
                        uint32_t count);
/* Takes up to `most` states off, none at position `end` or beyond: copies them to `states`, their
 * ids to `ids`, and says at which position the first one was. 0 when nothing is left before `end`,
 * or when the disk fails (see below). */
uint32_t clew_frontier_take(struct clew_frontier *frontier, uint64_t end, uint32_t most,
                            uint64_t *position, clew_id *ids, uint64_t *states);
static inline uint64_t clew_frontier_taken(const struct clew_frontier *frontier) {
  return atomic_load_explicit(&frontier->taken, memory_order_relaxed);
}
/* Gives back the last states that were taken, from this position on. Only where the store is the
 * queue. */
void clew_frontier_untake(struct clew_frontier *frontier, uint64_t position);
/* Before anything was pushed: what waits are the states from this position on, in the order of
 * their ids, which the store gives back, or which were in search->waiting. */
void clew_frontier_resume(struct clew_frontier *frontier, clew_id first_id, uint64_t taken);
/* NULL, or what went wrong with the disk. */
const char *clew_frontier_error(const struct clew_frontier *frontier);
uint64_t clew_frontier_disk_bytes_peak(const struct clew_frontier *frontier);

#endif
