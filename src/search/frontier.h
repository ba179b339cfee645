/* The states of a breadth-first search that wait to be expanded, first in, first out.
 *
 * A store from which states can be read back is its own queue: ids are given in the order in which
 * states are found, so what waits is a range of ids. With every other store the states themselves
 * are kept, in memory up to a share of the budget and then on disk. */
#ifndef CLEW_SEARCH_FRONTIER_H
#define CLEW_SEARCH_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diskqueue.h"
#include "search/engine.h"

struct clew_frontier {
  struct clew_store *store;     /* borrowed */
  struct clew_diskqueue *queue; /* NULL: the store is the queue */
  uint32_t words;
  uint64_t next; /* id of the first one that waits */
  /* States from `next` on that were read back together. */
  uint64_t *block;
  uint32_t block_size, block_at, block_count;
};

/* False when the budget leaves no room at all. */
bool clew_frontier_open(struct clew_frontier *frontier, const struct clew_search *search);
void clew_frontier_close(struct clew_frontier *frontier);
/* States must come in the order of their ids. False when the disk fails. */
bool clew_frontier_push(struct clew_frontier *frontier, const uint64_t *state);
/* Takes the first state off: copies it to `out`, its id is `next - 1` then. There must be one.
 * False when the disk fails. */
bool clew_frontier_pop(struct clew_frontier *frontier, uint64_t *out);
/* NULL, or what went wrong with the disk. */
const char *clew_frontier_error(const struct clew_frontier *frontier);
uint64_t clew_frontier_disk_bytes_peak(const struct clew_frontier *frontier);

#endif
