/* A state from its id: follow the back edges to a state that is known in full (a root, or one in a
 * cache), then execute the events on the way in the order in which they happened.
 *
 * Iterative, for paths may have a million events. The events of a path are collected in a buffer;
 * where it is too small for the path, the path is followed again for each part of it. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "store/comback_int.h"

enum { MOST_PATH = 1 << 16 };

bool clew_comback_worker_open(const struct clew_comback *c, struct clew_comback_worker *w) {
  assert(w->now == NULL && w->then == NULL);
  w->now = clew_alloc_zero(1, clew_comback_state_bytes(c));
  w->then = clew_alloc_zero(1, clew_comback_state_bytes(c));
  /* At most one of each per level. */
  return clew_comback_region_open(&w->forks, CLEW_COMBACK_MAX_STATES * sizeof(uint32_t),
                                  c->base.config.budget) &&
         clew_comback_region_open(&w->kept, CLEW_COMBACK_MAX_STATES * clew_comback_state_bytes(c),
                                  c->base.config.budget);
}

void clew_comback_worker_close(struct clew_comback_worker *w) {
  assert(w != NULL);
  clew_free(w->now);
  clew_free(w->then);
  clew_vec_free(&w->path);
  clew_bigmem_close(&w->forks);
  clew_bigmem_close(&w->kept);
}

uint64_t clew_comback_worker_bytes(const struct clew_comback_worker *w) {
  assert(w->forks.committed_bytes <= w->forks.reserved_bytes);
  return w->forks.committed_bytes + w->kept.committed_bytes;
}

void clew_comback_replay(const struct clew_comback *c, struct clew_comback_worker *w, uint32_t edge,
                         const uint64_t *state, uint64_t *out) {
  const struct clew_store_config *config = &c->base.config;
  assert(state != out);
  w->events++;
  if (!config->replay(config->replay_context, state, edge, out)) {
    clew_fatal("a state could not be rebuilt: its event cannot be executed again");
  }
}

const uint64_t *clew_comback_find_known(const struct clew_comback *c, struct clew_comback_worker *w,
                                        clew_id id) {
  const uint64_t *root = clew_comback_root_state(c, id);
  if (root != NULL) {
    return root;
  }
  uint32_t level;
  const uint64_t *cached = clew_comback_caches_find(&c->caches, id, &level);
  if (cached != NULL) {
    w->hits_first += level == 1;
    w->hits_second += level == 2;
  }
  return cached;
}

bool clew_comback_is_root_or_cached(const struct clew_comback *c, clew_id id) {
  uint32_t level;
  return clew_comback_root_state(c, id) != NULL ||
         clew_comback_caches_find(&c->caches, id, &level) != NULL;
}

/* The ancestor so many back edges away, noting the states passed if `path` is not NULL. */
static clew_id climb(const struct clew_comback *c, clew_id id, uint64_t steps, clew_id *path) {
  assert(id < c->count);
  for (uint64_t i = 0; i < steps; i++) {
    if (path != NULL) {
      path[i] = id;
    }
    id = clew_comback_parent(c, id);
  }
  return id;
}

/* Executes the events of path[count-1] … path[0] on w->now. */
static void run_path(const struct clew_comback *c, struct clew_comback_worker *w, uint32_t count) {
  assert(count <= w->path.len);
  for (uint32_t i = count; i-- > 0;) {
    clew_comback_replay(c, w, clew_comback_edge(c, w->path.data[i]), w->now, w->then);
    uint64_t *swap = w->now;
    w->now = w->then;
    w->then = swap;
  }
}

const uint64_t *clew_comback_rebuild(const struct clew_comback *c, struct clew_comback_worker *w,
                                     clew_id id) {
  assert(id < c->count);
  const uint64_t *start = clew_comback_known(c, w, id);
  if (start != NULL) {
    return start;
  }
  uint64_t length = 0;
  clew_vec_clear(&w->path);
  for (clew_id at = id; start == NULL; length++) {
    if (length < MOST_PATH) {
      clew_vec_push(&w->path, at);
    }
    at = clew_comback_parent(c, at);
    start = clew_comback_known(c, w, at);
  }
  w->reconstructions++;
  memcpy(w->now, start, clew_comback_state_bytes(c));
  while (length > MOST_PATH) {
    uint64_t skipped = length - MOST_PATH;
    climb(c, climb(c, id, skipped, NULL), MOST_PATH, w->path.data);
    run_path(c, w, MOST_PATH);
    length = skipped;
    if (length <= MOST_PATH) {
      climb(c, id, length, w->path.data);
    }
  }
  run_path(c, w, (uint32_t)length);
  return w->now;
}

void clew_comback_rebuild_all(const struct clew_comback *c, struct clew_comback_worker *w,
                              struct clew_comback_forest *f, const clew_id *ids, uint32_t count,
                              clew_comback_found *found, void *context) {
  assert(found != NULL);
  if (count > 1 && clew_comback_forest_build(c, f, ids, count) &&
      clew_comback_forest_walk(c, w, f, found, context)) {
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && ids[i] == ids[i - 1]) {
      continue;
    }
    assert(i == 0 || ids[i] > ids[i - 1]);
    found(context, i, clew_comback_rebuild(c, w, ids[i]));
  }
}
