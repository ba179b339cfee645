/* Depth-first search: what waits, to go on with it in another run. */
#include "search/dfs_int.h"

static const uint64_t MOST_SAVED_BYTES = UINT64_C(1) << 31;

static void save_successor(const struct dfs *dfs, clew_id parent, uint32_t edge, uint32_t depth,
                           const void *state, struct clew_archive *out) {
  struct given given = {.parent = parent, .edge = edge, .depth = depth};
  clew_archive_put_bytes(out, &given, sizeof given);
  clew_archive_put_bytes(out, state, state_bytes(dfs));
}

/* Whether successors are waiting that are not made yet. */
static bool has_pieces(const struct dfs *dfs, const struct dfs_worker *worker) {
  const struct frame *frames = (const struct frame *)(const void *)worker->frames.mem.data;
  for (size_t f = 0; f < worker->frames.used_bytes / sizeof *frames; f++) {
    const struct pending *own = own_of(dfs, worker, &frames[f]);
    if (own != NULL && own->edge != 0) {
      return true;
    }
  }
  return false;
}

/* Successors that wait on the stack of a worker, from the bottom up; counts only when `out` is
 * NULL.
 */
static uint64_t save_stack(const struct dfs *dfs, const struct dfs_worker *worker,
                           struct clew_archive *out) {
  const struct frame *frames = (const struct frame *)(const void *)worker->frames.mem.data;
  size_t frame_count = worker->frames.used_bytes / sizeof *frames;
  uint64_t count = 0;
  for (size_t f = 0; f < frame_count; f++) {
    size_t end = f + 1 < frame_count ? frames[f + 1].floor_bytes : worker->pending.used_bytes;
    for (size_t at = frames[f].floor_bytes; at < end; at += dfs->pending_bytes) {
      struct pending *entry = (struct pending *)(void *)(worker->pending.mem.data + at);
      if (!entry->gone) {
        count++;
        if (out != NULL) {
          save_successor(dfs, frames[f].id, entry->edge, frames[f].depth, state_of(entry), out);
        }
      }
    }
  }
  return count;
}

const char *clew_dfs_cannot_save(const struct clew_search *search) {
  const struct clew_store *store = search->store;
  if ((store->promises & CLEW_STORE_REMEMBERS) == 0) {
    return "a store that forgets states";
  }
  if (clew_engine_dfs.needs(search->options) != 0) {
    return "precision on demand";
  }
  return store->demands != 0 ? "depth-first search and a store that needs its stack" : NULL;
}

bool clew_dfs_save(struct clew_run *run, bool is_last, struct clew_cut *cut) {
  (void)is_last;
  struct dfs *dfs = (struct dfs *)run;
  struct clew_archive *out = &cut->archive;
  uint64_t count = dfs->pool.len / dfs->given_bytes, max_depth = 0;
  bool is_stopped = clew_run_stopped(run) && !clew_run_is_limited(run);
  if (!dfs->begun || clew_dfs_cannot_save(run->search) != NULL || dfs->precision > 0 ||
      is_stopped || dfs->is_torn) {
    return false;
  }
  bool truncated = false;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct dfs_worker *worker = (const struct dfs_worker *)run->workers[i];
    if (worker != NULL) {
      if (has_pieces(dfs, worker)) {
        return false;
      }
      count += save_stack(dfs, worker, NULL);
      truncated |= worker->truncated;
      max_depth = worker->max_depth > max_depth ? worker->max_depth : max_depth;
    }
  }
  if (count > MOST_SAVED_BYTES / dfs->given_bytes) {
    return false;
  }
  cut->states = clew_run_states(run);
  cut->waiting_from = CLEW_ID_NONE; /* the stacks have them */
  cut->by_level = false;
  clew_run_save(run, out);
  clew_archive_put(out, truncated);
  clew_archive_put(out, max_depth);
  clew_archive_put(out, count);
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct dfs_worker *worker = (const struct dfs_worker *)run->workers[i];
    if (worker != NULL) {
      save_stack(dfs, worker, out);
    }
  }
  clew_archive_put_bytes(out, dfs->pool.data, dfs->pool.len);
  return true;
}

bool clew_dfs_load(struct clew_run *run) {
  struct dfs *dfs = (struct dfs *)run;
  struct clew_archive view = run->search->cut->archive, *in = &view;
  in->at = 0;
  struct dfs_worker *worker = worker_of(dfs, 0);
  if (dfs->begun || !worker->opened || !clew_run_load(run, in)) {
    return false;
  }
  worker->truncated = clew_archive_get(in) != 0;
  worker->max_depth = (uint32_t)clew_archive_get(in);
  uint32_t count = clew_archive_get_count(in, dfs->given_bytes);
  for (uint32_t i = 0; i < count; i++) {
    struct given given;
    clew_archive_get_bytes(in, &given, sizeof given);
    clew_archive_get_bytes(in, worker->state, state_bytes(dfs));
    clew_dfs_begin_received(dfs, worker, &given);
  }
  dfs->begun = true;
  clew_run_gather_answers(run, CLEW_NONE);
  return clew_archive_is_read(in);
}
