/* The queue of a breadth-first search: a range of ids, or states that spill to disk. */
#include "search/frontier.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

/* Of the budget, for the queue of states. */
enum { MEMORY_SHARE = 8 };

static bool open_queue(struct clew_frontier *frontier, bool keeps_ids) {
  const struct clew_search *search = frontier->search;
  frontier->keeps_ids = keeps_ids;
  uint32_t record_words = frontier->words + (keeps_ids ? 1 : 0);
  frontier->queue = clew_diskqueue_open(&(struct clew_diskqueue_config){
      .name = keeps_ids ? "frontier-with-ids" : "frontier",
      .record_bytes = record_words * (uint32_t)sizeof(uint64_t),
      .memory_bytes = search->budget->limit_bytes / MEMORY_SHARE,
      .budget = search->budget,
      .scratch = search->scratch,
  });
  return frontier->queue != NULL;
}

bool clew_frontier_open(struct clew_frontier *frontier, struct clew_search *search,
                        clew_id first_id, bool several, pthread_mutex_t *store_lock) {
  struct clew_store *store = search->store;
  *frontier = (struct clew_frontier){.search = search,
                                     .store = store,
                                     .store_lock = store_lock,
                                     .words = store->config.words,
                                     .first_id = first_id};
  pthread_mutex_init(&frontier->lock, NULL);
  if (search->waiting != NULL) {
    assert((store->promises & CLEW_STORE_GET) == 0);
    frontier->queue = search->waiting;
    frontier->keeps_ids = true;
    search->waiting = NULL;
    return true;
  }
  return (store->promises & CLEW_STORE_GET) != 0 || open_queue(frontier, several);
}

void clew_frontier_close(struct clew_frontier *frontier) {
  clew_diskqueue_close(frontier->queue);
  pthread_mutex_destroy(&frontier->lock);
}

static bool push_one(struct clew_frontier *frontier, const struct clew_visit *visit) {
  uint64_t *record = clew_diskqueue_push(frontier->queue);
  if (record == NULL) {
    return false;
  }
  memcpy(record, visit->state, frontier->words * sizeof *record);
  if (frontier->keeps_ids) {
    record[frontier->words] = visit->id;
  }
  return true;
}

bool clew_frontier_push(struct clew_frontier *frontier, const struct clew_visit *visits,
                        uint32_t count) {
  if (frontier->queue == NULL) {
    return true;
  }
  bool pushed = true;
  pthread_mutex_lock(&frontier->lock);
  for (uint32_t i = 0; i < count && pushed; i++) {
    pushed = visits[i].answer != CLEW_NEW || push_one(frontier, &visits[i]);
  }
  pthread_mutex_unlock(&frontier->lock);
  return pushed;
}

/* Claims up to `most` positions before `end`; returns the first, and how many. */
static uint64_t claim(struct clew_frontier *frontier, uint64_t end, uint32_t most,
                      uint32_t *count) {
  uint64_t first = clew_frontier_taken(frontier);
  do {
    assert(first <= end);
    *count = end - first < most ? (uint32_t)(end - first) : most;
  } while (*count > 0 &&
           !atomic_compare_exchange_weak_explicit(&frontier->taken, &first, first + *count,
                                                  memory_order_relaxed, memory_order_relaxed));
  return first;
}

static void read_back(struct clew_frontier *frontier, clew_id first, uint32_t count, clew_id *ids,
                      uint64_t *states) {
  if (frontier->store_lock != NULL) {
    pthread_mutex_lock(frontier->store_lock);
  }
  frontier->store->type->get(frontier->store, first, count, states);
  if (frontier->store_lock != NULL) {
    pthread_mutex_unlock(frontier->store_lock);
  }
  for (uint32_t i = 0; i < count; i++) {
    ids[i] = first + i;
  }
}

/* False when the disk fails. */
static bool pop(struct clew_frontier *frontier, uint64_t position, clew_id *id, uint64_t *state) {
  const uint64_t *record = clew_diskqueue_pop(frontier->queue);
  if (record == NULL) {
    assert(clew_diskqueue_error(frontier->queue) != NULL);
    return false;
  }
  memcpy(state, record, frontier->words * sizeof *state);
  *id = frontier->keeps_ids ? record[frontier->words] : frontier->first_id + position;
  return true;
}

uint32_t clew_frontier_take(struct clew_frontier *frontier, uint64_t end, uint32_t most,
                            uint64_t *position, clew_id *ids, uint64_t *states) {
  uint32_t count;
  if (frontier->queue == NULL) {
    *position = claim(frontier, end, most, &count);
    if (count > 0) {
      read_back(frontier, frontier->first_id + *position, count, ids, states);
    }
    return count;
  }
  pthread_mutex_lock(&frontier->lock);
  *position = claim(frontier, end, most, &count);
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; i++) {
    ok = pop(frontier, *position + i, &ids[i], states + (size_t)i * frontier->words);
  }
  pthread_mutex_unlock(&frontier->lock);
  return ok ? count : 0;
}

void clew_frontier_untake(struct clew_frontier *frontier, uint64_t position) {
  assert(frontier->queue == NULL && position <= clew_frontier_taken(frontier));
  atomic_store(&frontier->taken, position);
}

void clew_frontier_resume(struct clew_frontier *frontier, clew_id first_id, uint64_t taken) {
  assert(clew_frontier_taken(frontier) == 0);
  frontier->first_id = first_id; /* the store was not empty when this was opened */
  atomic_store(&frontier->taken, taken);
}

const char *clew_frontier_error(const struct clew_frontier *frontier) {
  return frontier->queue == NULL ? NULL : clew_diskqueue_error(frontier->queue);
}

uint64_t clew_frontier_disk_bytes_peak(const struct clew_frontier *frontier) {
  return frontier->queue == NULL ? 0 : clew_diskqueue_disk_bytes_peak(frontier->queue);
}
