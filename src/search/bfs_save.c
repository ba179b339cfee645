/* Breadth-first search: where it is, to go on with it in another run.
 *
 * What waits is, with few exceptions, a range of ids: the states from the first that was not taken
 * on. The exceptions are written down with their states:
 *
 *   - states that were taken and are not expanded, because a limit has stopped the run, or expanded
 *     in vain, because their successors were not all put. What they added to the counts is taken
 *     off again: they are expanded anew.
 *   - the rest of a level whose states several threads found, where these are kept in a queue of
 *     their own: it does not have the order of ids. Ordinary cuts are made before such a level is
 *     begun; only the last one may have to be made in the midst of it. */
#include "search/bfs_int.h"

static const uint64_t MOST_RETURNED_BYTES = UINT64_C(1) << 30;

/* ---- coming to rest ---- */

/* Everything that was taken of the level is expanded and put, by this thread alone; false when the
 * run stops. */
static bool come_to_rest(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    struct bfs_worker *worker = (struct bfs_worker *)run->workers[i];
    while (worker != NULL && !clew_run_stopped(run) &&
           (worker->pending || (worker->inbox_at < worker->inbox_count &&
                                worker->inbox_first + worker->inbox_at < bfs->level_end))) {
      clew_bfs_do_one(bfs, worker);
    }
    if (worker != NULL && worker->inbox_at < worker->inbox_count) { /* of the next level */
      clew_frontier_untake(&bfs->frontier, worker->inbox_first + worker->inbox_at);
      worker->inbox_count = worker->inbox_at = 0;
    }
  }
  bfs->turn = clew_frontier_taken(&bfs->frontier);
  return !clew_run_stopped(run);
}

/* ---- states that have to be expanded anew ---- */

static void put_back(struct bfs *bfs, clew_id id, const uint64_t *state) {
  uint32_t words = bfs->run.model->words;
  clew_vec_reserve(&bfs->returned, bfs->returned.len + words + 1);
  memcpy(bfs->returned.data + bfs->returned.len, state, words * sizeof *state);
  bfs->returned.data[bfs->returned.len + words] = id;
  bfs->returned.len += words + 1;
}

/* Takes a parent off the counts again. What its successors were called stays as it is: those that
 * were put will be seen. */
static void uncount(struct bfs *bfs, struct bfs_worker *worker, uint32_t p) {
  const struct parent *parents = worker->parents.data;
  bool counted =
      !bfs->run.judges_late || (p < worker->parents_judged && !worker->judgements.data[p].is_void);
  uint64_t degree = p == 0 ? worker->degree_before : 0;
  bool in_pieces = worker->base.in_pieces && p + 1 == worker->parents.len;
  if (counted) {
    degree += parents[p].successors_end - (p > 0 ? parents[p - 1].successors_end : 0);
    degree += parents[p].faults_end - (p > 0 ? parents[p - 1].faults_end : 0U);
    worker->base.expanded -= !in_pieces;
    worker->base.deadlocks -= !in_pieces && parents[p].is_stuck;
  }
  assert(degree <= worker->base.transitions);
  worker->base.transitions -= degree;
}

static void put_back_parents(struct bfs *bfs, struct bfs_worker *worker) {
  uint32_t words = bfs->run.model->words;
  struct clew_store *store = bfs->run.store;
  for (uint32_t p = worker->parents_done; p < worker->parents.len; p++) {
    uint64_t *state = worker->inbox_states; /* room for one */
    if (worker->parent_states != NULL) {
      memcpy(state, worker->parent_states + (size_t)p * words, words * sizeof *state);
    } else {
      store->type->get(store, worker->parents.data[p].id, 1, state);
    }
    uncount(bfs, worker, p);
    put_back(bfs, worker->parents.data[p].id, state);
  }
  worker->parents_done = worker->parents.len;
  worker->pending = false;
}

/* A limit has stopped the run, which is not to go on. */
static void put_back_taken(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  uint32_t words = run->model->words;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    struct bfs_worker *worker = (struct bfs_worker *)run->workers[i];
    if (worker == NULL) {
      continue;
    }
    uint32_t at = worker->inbox_at + (worker->base.in_pieces ? 1 : 0);
    for (; at < worker->inbox_count; at++) {
      if (worker->inbox_first + at >= bfs->level_end) { /* this worker is the only one */
        clew_frontier_untake(&bfs->frontier, worker->inbox_first + at);
        break;
      }
      put_back(bfs, worker->inbox_ids[at], worker->inbox_states + (size_t)at * words);
    }
    worker->inbox_at = worker->inbox_count = 0;
    if (worker->pending) {
      put_back_parents(bfs, worker);
    }
  }
}

/* The rest of the level. False when the disk fails or it is too much. */
static bool put_back_level(struct bfs *bfs) {
  struct bfs_worker *worker = worker_of(bfs, 0);
  uint32_t words = bfs->run.model->words, count = 0;
  uint64_t position;
  assert(worker->inbox_at == worker->inbox_count);
  while (clew_frontier_taken(&bfs->frontier) < bfs->level_end) {
    count = clew_frontier_take(&bfs->frontier, bfs->level_end, worker->inbox_room, &position,
                               worker->inbox_ids, worker->inbox_states);
    for (uint32_t i = 0; i < count; i++) {
      put_back(bfs, worker->inbox_ids[i], worker->inbox_states + (size_t)i * words);
    }
    if (count == 0 || bfs->returned.len > MOST_RETURNED_BYTES / sizeof(uint64_t)) {
      return false;
    }
  }
  return true;
}

/* ---- saving ---- */

static bool is_at_border(const struct bfs *bfs) {
  uint32_t levels = bfs->level_ends.len;
  return clew_frontier_taken(&bfs->frontier) == (levels > 1 ? bfs->level_ends.data[levels - 2] : 0);
}

/* Whether the queue itself goes to another run, of this process. */
static bool hands_over(const struct bfs *bfs, bool is_last) {
  const struct clew_run *run = &bfs->run;
  const struct clew_keeper *keeper = run->search->keeper;
  return is_last && keeper != NULL && keeper->takes_waiting && bfs->frontier.keeps_ids &&
         bfs->frontier.queue != NULL &&
         (enum clew_stop)atomic_load(&run->reason) == CLEW_STOP_MEMORY;
}

/* Brings the run where it can be written down. */
static bool prepare(struct bfs *bfs, bool is_last) {
  struct clew_run *run = &bfs->run;
  unsigned demands = run->store->demands;
  bool by_range = bfs->frontier.queue == NULL || !bfs->frontier.keeps_ids || is_at_border(bfs);
  if (clew_run_stopped(run)) {
    /* A depth that is not to be expanded: everything before it is put and settled. */
    bool stands = (enum clew_stop)atomic_load(&run->reason) == CLEW_STOP_MAX_DEPTH &&
                  is_at_border(bfs) && !bfs->late;
    if (!clew_run_is_limited(run) || (demands != 0 && !stands) ||
        (!bfs->late && bfs->level_ends.len == 0)) {
      return false;
    }
    put_back_taken(bfs);
  } else {
    if (!by_range && !is_last) {
      return false;
    }
    if (!come_to_rest(bfs) || ((demands & CLEW_STORE_SETTLE) != 0 && !clew_bfs_settle_all(bfs))) {
      return false;
    }
  }
  return by_range || hands_over(bfs, is_last) || put_back_level(bfs);
}

static uint64_t max_queue(const struct bfs *bfs) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < bfs->run.most_workers; i++) {
    const struct bfs_worker *worker = (const struct bfs_worker *)bfs->run.workers[i];
    most = worker != NULL && worker->max_queue > most ? worker->max_queue : most;
  }
  return most;
}

static void save_numbers(const void *data, uint32_t count, size_t bytes, struct clew_archive *out) {
  clew_archive_put(out, count);
  clew_archive_put_bytes(out, data, count * bytes);
}

/* Where a state may be visited again, the log does not tell states from visits. */
const char *clew_bfs_cannot_save(const struct clew_search *search) {
  bool remembers = (search->store->promises & CLEW_STORE_REMEMBERS) != 0;
  return remembers ? NULL : "a store that forgets states";
}

/* Whether the search has ended with a whole level: others may go on from there. */
static bool has_ended(const struct bfs *bfs) {
  enum clew_stop why = (enum clew_stop)atomic_load(&bfs->run.reason);
  bool has_answer = bfs->run.is_explored || why == CLEW_STOP_VIOLATION || why == CLEW_STOP_DECIDED;
  return has_answer && !bfs->in_level && !bfs->late && bfs->level_ends.len > 0 &&
         bfs->returned_at == bfs->returned.len &&
         clew_frontier_taken(&bfs->frontier) == bfs->level_end;
}

bool clew_bfs_save(struct clew_run *run, bool is_last, struct clew_cut *cut) {
  struct bfs *bfs = bfs_of(run);
  struct clew_archive *out = &cut->archive;
  if (run->spread != NULL || clew_bfs_cannot_save(run->search) != NULL || !bfs->opened ||
      !bfs->begun || (!has_ended(bfs) && (!bfs->in_level || !prepare(bfs, is_last)))) {
    return false;
  }
  cut->states = clew_run_states(run);
  cut->waiting_from = run->first_id + clew_frontier_taken(&bfs->frontier);
  cut->by_level = !bfs->late;
  if (hands_over(bfs, is_last)) {
    cut->waiting_from = CLEW_ID_NONE;
    cut->waiting = bfs->frontier.queue;
    bfs->frontier.queue = NULL;
  }
  clew_run_save(run, out);
  clew_archive_put(out, bfs->late);
  clew_archive_put(out, clew_frontier_taken(&bfs->frontier));
  clew_archive_put(out, max_queue(bfs));
  save_numbers(bfs->level_ends.data, bfs->level_ends.len, sizeof *bfs->level_ends.data, out);
  clew_archive_put(out, bfs->depth);
  clew_archive_put(out, bfs->level_end);
  clew_archive_put(out, bfs->max_depth);
  clew_archive_put(out, bfs->next_stretch);
  save_numbers(bfs->stretches.data, bfs->stretches.len, sizeof *bfs->stretches.data, out);
  save_numbers(bfs->returned.data + bfs->returned_at, bfs->returned.len - bfs->returned_at,
               sizeof *bfs->returned.data, out);
  clew_archive_put(out, bfs->level_first);
  save_numbers(bfs->dropped.data, bfs->dropped.len, sizeof *bfs->dropped.data, out);
  return true;
}

/* ---- loading ---- */

/* A CLEW_VEC of anything. */
#define LOAD_NUMBERS(vec, in)                                                                      \
  do {                                                                                             \
    uint32_t count_ = clew_archive_get_count((in), sizeof *(vec)->data);                           \
    clew_vec_reserve((vec), count_);                                                               \
    (vec)->len = count_;                                                                           \
    clew_archive_get_bytes((in), (vec)->data, count_ * sizeof *(vec)->data);                       \
  } while (0)

static bool is_consistent(const struct bfs *bfs) {
  const struct clew_run *run = &bfs->run;
  uint64_t taken = clew_frontier_taken(&bfs->frontier), states = clew_run_states(run);
  bool has_level = bfs->late ? bfs->next_stretch <= bfs->stretches.len
                             : bfs->level_ends.len > 0 &&
                                   clew_vec_last(&bfs->level_ends) == bfs->level_end &&
                                   bfs->level_ends.len == bfs->depth + 1;
  const struct clew_diskqueue *queue = bfs->frontier.queue;
  return has_level && (queue == NULL || clew_diskqueue_count(queue) + taken == states) &&
         taken <= bfs->level_end && bfs->level_end <= states &&
         bfs->returned.len % (run->model->words + 1) == 0 &&
         (!bfs->keeps_levels ||
          (bfs->level_first <= taken &&
           bfs->dropped.len == CLEW_BITSET_WORDS(bfs->level_end - bfs->level_first)));
}

/* A search by levels goes on as a late one: what was found of the next level is a stretch. */
static void begin_stretches(struct bfs *bfs) {
  bfs->max_depth = bfs->depth;
  if (clew_run_states(&bfs->run) > bfs->level_end) {
    bfs->max_depth++;
    clew_vec_push(&bfs->stretches, ((struct stretch){bfs->level_end, bfs->max_depth}));
  }
}

/* States that were put back, by their ids. */
static bool remake_returned(struct bfs *bfs) {
  uint32_t words = bfs->run.model->words;
  bool made = true;
  for (uint32_t at = 0; at + words < bfs->returned.len && made; at += words + 1) {
    uint64_t *record = bfs->returned.data + at;
    made = clew_run_remake(&bfs->run, record[words], record);
  }
  return made;
}

bool clew_bfs_load(struct clew_run *run) {
  struct bfs *bfs = bfs_of(run);
  if (run->spread != NULL) {
    return bfs->opened && !bfs->begun && clew_bfs_load_spread(bfs);
  }
  struct clew_archive in = run->search->cut->archive; /* a view of it */
  in.at = 0;
  if (!bfs->opened || bfs->begun || !clew_run_load(run, &in)) {
    return false;
  }
  bool was_late = clew_archive_get(&in) != 0;
  uint64_t taken = clew_archive_get(&in);
  worker_of(bfs, 0)->max_queue = clew_archive_get(&in);
  LOAD_NUMBERS(&bfs->level_ends, &in);
  bfs->depth = (uint32_t)clew_archive_get(&in);
  bfs->level_end = clew_archive_get(&in);
  bfs->max_depth = (uint32_t)clew_archive_get(&in);
  bfs->next_stretch = (uint32_t)clew_archive_get(&in);
  LOAD_NUMBERS(&bfs->stretches, &in);
  LOAD_NUMBERS(&bfs->returned, &in);
  bfs->level_first = clew_archive_get(&in);
  LOAD_NUMBERS(&bfs->dropped, &in);
  if (!clew_archive_is_read(&in) || (clew_run_remakes(run) && !remake_returned(bfs))) {
    return false;
  }
  clew_frontier_resume(&bfs->frontier, run->first_id, taken);
  bfs->begun = true;
  if (bfs->late && !was_late) {
    begin_stretches(bfs);
  }
  bfs->late |= was_late; /* its stretches need not be levels */
  uint32_t levels = bfs->level_ends.len;
  if (bfs->keeps_levels && bfs->dropped.len == 0) { /* the earlier run did not keep them */
    clew_bfs_find_dropped(bfs, levels > 1 ? bfs->level_ends.data[levels - 2] : 0);
  }
  if (!is_consistent(bfs)) {
    return false;
  }
  clew_bfs_share_level(bfs, taken);
  clew_run_gather_answers(run, bfs->depth);
  return true;
}
