/* The queue of a breadth-first search: a range of ids, or states that spill to disk. */
#include "search/frontier.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

/* Of the budget, for the queue of states. */
enum { MEMORY_SHARE = 8 };

bool clew_frontier_open(struct clew_frontier *frontier, const struct clew_search *search) {
  struct clew_store *store = search->store;
  *frontier = (struct clew_frontier){
      .store = store,
      .words = store->config.words,
      .block_size = search->frontier_block > 0 ? search->frontier_block : 1,
  };
  if ((store->capabilities & CLEW_STORE_GET) != 0) {
    frontier->block = clew_alloc((size_t)frontier->block_size * frontier->words * sizeof(uint64_t));
    return true;
  }
  frontier->queue = clew_diskqueue_open(&(struct clew_diskqueue_config){
      .name = "frontier",
      .record_bytes = frontier->words * (uint32_t)sizeof(uint64_t),
      .memory_bytes = search->budget->limit_bytes / MEMORY_SHARE,
      .budget = search->budget,
      .scratch = search->scratch,
  });
  return frontier->queue != NULL;
}

void clew_frontier_close(struct clew_frontier *frontier) {
  clew_diskqueue_close(frontier->queue);
  clew_free(frontier->block);
  *frontier = (struct clew_frontier){0};
}

bool clew_frontier_push(struct clew_frontier *frontier, const uint64_t *state) {
  if (frontier->queue == NULL) {
    return true;
  }
  void *record = clew_diskqueue_push(frontier->queue);
  if (record == NULL) {
    return false;
  }
  memcpy(record, state, frontier->words * sizeof *state);
  return true;
}

/* Reads states back; the more at once, the cheaper for a store that rebuilds them. */
static void fill_block(struct clew_frontier *frontier) {
  uint64_t waiting = frontier->store->type->count(frontier->store) - frontier->next;
  assert(waiting > 0);
  uint32_t count = waiting < frontier->block_size ? (uint32_t)waiting : frontier->block_size;
  frontier->store->type->get(frontier->store, frontier->next, count, frontier->block);
  frontier->block_at = 0;
  frontier->block_count = count;
}

bool clew_frontier_pop(struct clew_frontier *frontier, uint64_t *out) {
  if (frontier->queue == NULL && frontier->block_size == 1) {
    frontier->store->type->get(frontier->store, frontier->next++, 1, out);
    return true;
  }
  const uint64_t *state = NULL;
  if (frontier->queue != NULL) {
    state = clew_diskqueue_pop(frontier->queue);
    if (state == NULL) {
      assert(clew_diskqueue_error(frontier->queue) != NULL);
      return false;
    }
  } else {
    if (frontier->block_at == frontier->block_count) {
      fill_block(frontier);
    }
    state = frontier->block + (size_t)frontier->block_at++ * frontier->words;
  }
  memcpy(out, state, frontier->words * sizeof *state);
  frontier->next++;
  return true;
}

const char *clew_frontier_error(const struct clew_frontier *frontier) {
  return frontier->queue == NULL ? NULL : clew_diskqueue_error(frontier->queue);
}

uint64_t clew_frontier_disk_bytes_peak(const struct clew_frontier *frontier) {
  return frontier->queue == NULL ? 0 : clew_diskqueue_disk_bytes_peak(frontier->queue);
}
