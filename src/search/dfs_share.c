/* Depth-first search by many: who has nothing left receives what others give away. A worker gives
 * away successors that lie near the bottom of its stack, which are likely to lead to much; they
 * stay in their places, marked as gone. */
#include <time.h>

#include "search/dfs_int.h"

enum {
  MOST_SHARED = 64, /* successors given away at once */
  WATCH_MS = 20,    /* how long the first worker waits before it looks at the clock */
};

/* The lowest frame from which something may be given away; NULL when there is none but the top. */
static struct frame *frame_to_share(struct dfs_worker *worker, size_t *end_bytes) {
  struct frame *frames = (struct frame *)(void *)worker->frames.mem.data;
  size_t count = worker->frames.used_bytes / sizeof *frames;
  for (; worker->shared_frames + 1 < count; worker->shared_frames++) {
    struct frame *frame = &frames[worker->shared_frames];
    *end_bytes = frame[1].floor_bytes;
    if (*end_bytes > frame->floor_bytes) {
      return frame;
    }
  }
  return NULL;
}

static void give_away(struct dfs *dfs, const struct frame *frame, struct pending *entry) {
  uint32_t at = dfs->pool.len;
  clew_vec_reserve(&dfs->pool, at + (uint32_t)dfs->given_bytes);
  struct given given = {.parent = frame->id, .edge = entry->edge, .depth = frame->depth};
  memcpy(dfs->pool.data + at, &given, sizeof given);
  memcpy(dfs->pool.data + at + sizeof given, state_of(entry), state_bytes(dfs));
  dfs->pool.len += (uint32_t)dfs->given_bytes;
  entry->gone = GONE;
}

void clew_dfs_share(struct dfs *dfs, struct dfs_worker *worker) {
  size_t end_bytes;
  uint32_t given = 0;
  struct frame *frame = frame_to_share(worker, &end_bytes);
  if (frame == NULL) {
    return;
  }
  pthread_mutex_lock(&dfs->lock);
  for (size_t at = frame->floor_bytes; at < end_bytes && given < MOST_SHARED;
       at += dfs->pending_bytes) {
    struct pending *entry = (struct pending *)(void *)(worker->pending.mem.data + at);
    if (!entry->gone) {
      give_away(dfs, frame, entry);
      given++;
    }
  }
  atomic_store_explicit(&dfs->hungry, 0, memory_order_relaxed);
  pthread_cond_broadcast(&dfs->given_some);
  pthread_mutex_unlock(&dfs->lock);
  if (given == 0 || end_bytes - frame->floor_bytes <= given * dfs->pending_bytes) {
    worker->shared_frames++;
  }
}

/* The first worker wakes up now and then to watch the limits. */
static void wait_a_little(struct dfs *dfs, struct dfs_worker *worker) {
  if (worker->number != 0) {
    pthread_cond_wait(&dfs->given_some, &dfs->lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += WATCH_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_cond_timedwait(&dfs->given_some, &dfs->lock, &until);
  worker->base.work = UINT32_MAX; /* the clock is due */
  clew_run_poll(&worker->base, 1, 0, 0);
}

bool clew_dfs_receive(struct dfs *dfs, struct dfs_worker *worker, struct given *given) {
  pthread_mutex_lock(&dfs->lock);
  bool counted = false;
  while (dfs->pool.len == 0 && !dfs->finished && !clew_run_halts(&dfs->run)) {
    if (!counted) {
      counted = true;
      dfs->waiting++;
    }
    atomic_store_explicit(&dfs->hungry, dfs->waiting, memory_order_relaxed);
    if (dfs->waiting == dfs->active) {
      dfs->finished = true;
      pthread_cond_broadcast(&dfs->given_some);
      break;
    }
    wait_a_little(dfs, worker);
  }
  dfs->waiting -= counted ? 1 : 0;
  bool received = dfs->pool.len > 0 && !clew_run_halts(&dfs->run);
  if (received) {
    dfs->pool.len -= (uint32_t)dfs->given_bytes;
    const unsigned char *at = dfs->pool.data + dfs->pool.len;
    memcpy(given, at, sizeof *given);
    memcpy(worker->state, at + sizeof *given, state_bytes(dfs));
  }
  pthread_mutex_unlock(&dfs->lock);
  return received;
}

void clew_dfs_begin_received(struct dfs *dfs, struct dfs_worker *worker,
                             const struct given *given) {
  struct frame *frame = clew_bigstack_push(&worker->frames, sizeof *frame);
  struct pending *entry = NULL;
  if (frame != NULL) {
    *frame = (struct frame){
        .id = given->parent, .depth = given->depth, .floor_bytes = worker->pending.used_bytes};
    entry = push_pending(dfs, worker, worker->state);
  }
  if (entry == NULL) {
    clew_dfs_tear(dfs);
    return;
  }
  entry->edge = given->edge;
  worker->shared_frames = 0;
}
