/* Breadth-first search as one rank of several (spread.h).
 *
 * A level, on each rank:
 *
 *   work     expand what waits here; send what others own; put what comes
 *   flush    nothing is left to expand: the rest is sent
 *   count    all ranks add up how many records each of them was sent
 *   drain    receive until that many have come
 *   settle   the store decides what it has put off
 *   agree    sums of all ranks; whether anybody has stopped, and why
 *
 * A rank that stops goes through all of it, too, putting nothing any more, so no rank ever waits
 * for one that has left. After `agree` all of them do the same: the next level, or the end.
 *
 * Before a level begins everything is at rest. That is where the search is cut: `border` is what
 * the rank would write down there. When the search has to stop in the midst of a level, that level
 * is given up and can be begun again from its border, by the same ranks or by others. */
#include "base/clock.h"
#include "search/bfs_int.h"

/* ---- the end of a level ---- */

/* Takes in what has come. Where nothing has, lets others work; false then: the team is lost. */
static bool receive_or_wait(struct bfs *bfs, struct clew_wait *wait) {
  struct clew_run *run = &bfs->run;
  struct clew_spread *spread = run->spread;
  struct bfs_worker *worker = worker_of(bfs, 0);
  uint64_t before = atomic_load(&spread->received);
  bool has_put = clew_bfs_put_received(bfs, worker);
  if (clew_run_stopped(run)) {
    clew_spread_tell_stop(run);
  }
  if (has_put || atomic_load(&spread->received) != before) {
    clew_wait_renew(wait);
    return true;
  }
  clew_worker_clear(&worker->base);
  clew_bfs_look_around(bfs, worker);
  if (!clew_team_idle(spread->team, wait)) {
    clew_run_stop(run, CLEW_STOP_RANK);
    return false;
  }
  return true;
}

/* Sends the rest of what all workers have. */
static bool flush(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_wait wait = {0};
  bool sent = false;
  while (!sent) {
    sent = true;
    for (uint32_t i = 0; i < run->most_workers; i++) {
      if (run->workers[i] != NULL) {
        if (clew_run_stopped(run)) {
          clew_spread_drop(run->workers[i]);
        }
        sent = clew_spread_pump(run->workers[i], true) && sent;
      }
    }
    if (!sent && !receive_or_wait(bfs, &wait)) {
      return false;
    }
  }
  return true;
}

/* How many records this rank is to receive in this level. */
static bool count(struct bfs *bfs, uint64_t *expected) {
  struct clew_spread *spread = bfs->run.spread;
  struct clew_transport *transport = spread->team->transport;
  struct clew_wait wait = {0};
  for (uint32_t i = 0; i < spread->ranks; i++) {
    spread->values[i] = atomic_load(&spread->sent[i]);
  }
  while (!transport->type->reduce(transport, CLEW_REDUCE_SUM, spread->values, spread->ranks)) {
    if (!receive_or_wait(bfs, &wait)) {
      return false;
    }
  }
  *expected = spread->values[spread->rank];
  return true;
}

static bool drain(struct bfs *bfs, uint64_t expected) {
  struct clew_wait wait = {0};
  const struct clew_worker *worker = &worker_of(bfs, 0)->base;
  while (atomic_load(&bfs->run.spread->received) < expected || worker->letter_left > 0) {
    if (!receive_or_wait(bfs, &wait)) {
      return false;
    }
  }
  assert(atomic_load(&bfs->run.spread->received) == expected);
  return true;
}

/* All ranks come here at the end of each level. */
static void meet(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_spread *spread = run->spread;
  uint64_t expected = 0;
  bfs->active = 1;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    if (run->workers[i] != NULL) {
      worker_of(bfs, i)->pending = false; /* of a run that has stopped */
      assert(clew_run_stopped(run) || run->workers[i]->letter_left == 0);
      run->workers[i]->letter_left = 0;
    }
  }
  if (clew_run_stopped(run)) {
    clew_spread_tell_stop(run);
  }
  if (flush(bfs) && count(bfs, &expected) && drain(bfs, expected)) {
    if (!clew_run_stopped(run)) {
      clew_bfs_settle_level(bfs);
    }
    clew_spread_agree(run, clew_run_states(run) - bfs->level_end);
  }
  for (uint32_t i = 0; i < spread->ranks; i++) {
    atomic_store(&spread->sent[i], 0);
  }
  atomic_store(&spread->received, 0);
  spread->told = false;
  if (spread->model != NULL) {
    spread->model->dialect->settle(spread->model);
  }
  clew_team_begin(spread->team);
}

/* ---- cuts ---- */

/* Writes down where the level begins. */
static void note_border(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_cut *cut = &bfs->border;
  clew_archive_free(&cut->archive);
  *cut = (struct clew_cut){.states = clew_run_states(run),
                           .waiting_from = clew_frontier_taken(&bfs->frontier),
                           .by_level = true};
  clew_archive_put(&cut->archive, bfs->level_ends.len);
  clew_archive_put_bytes(&cut->archive, bfs->level_ends.data,
                         bfs->level_ends.len * sizeof *bfs->level_ends.data);
  clew_run_save(run, &cut->archive);
}

/* All ranks keep it, or none. */
static void keep_border(struct bfs *bfs, bool is_last) {
  struct clew_run *run = &bfs->run;
  const struct clew_keeper *keeper = run->search->keeper;
  bfs->border.why = (enum clew_stop)atomic_load(&run->reason);
  (void)keeper->keep(keeper->context, &bfs->border, is_last);
  run->next_cut_s = clew_clock_wall_s() + keeper->every_s;
}

static bool load_levels(struct bfs *bfs, struct clew_archive *in) {
  in->at = 0;
  in->damaged = false;
  uint32_t levels = clew_archive_get_count(in, sizeof *bfs->level_ends.data);
  clew_vec_reserve(&bfs->level_ends, levels + 1);
  bfs->level_ends.len = levels;
  clew_archive_get_bytes(in, bfs->level_ends.data, levels * sizeof *bfs->level_ends.data);
  return !in->damaged && levels > 0;
}

/* Those of another rank are of no use here. */
static bool skip_levels(struct clew_archive *in) {
  in->at = 0;
  in->damaged = false;
  uint32_t levels = clew_archive_get_count(in, sizeof(uint64_t));
  for (uint32_t i = 0; i < levels; i++) {
    (void)clew_archive_get(in);
  }
  return !in->damaged;
}

/* Counts of the ranks that this one goes on for. */
static bool load_counts(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_spread *spread = run->spread;
  bool good = true;
  if (spread->borrows) {
    clew_run_forget_counts(run);
  }
  for (uint32_t i = 0; i < spread->more.len && good; i++) {
    good = skip_levels(&spread->more.data[i]) && clew_run_load_more(run, &spread->more.data[i]);
    clew_archive_free(&spread->more.data[i]);
  }
  clew_vec_clear(&spread->more);
  spread->borrows = false;
  return good;
}

bool clew_bfs_load_spread(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  const struct clew_cut *cut = run->search->cut;
  struct clew_archive in = cut->archive; /* a view of it */
  if (!load_levels(bfs, &in) || !clew_run_load(run, &in) || !clew_archive_is_read(&in) ||
      !load_counts(bfs)) {
    return false;
  }
  uint32_t levels = bfs->level_ends.len;
  if (levels != run->result->level_sizes.len || cut->waiting_from > cut->states ||
      cut->states != clew_run_states(run) || clew_vec_last(&bfs->level_ends) != cut->states) {
    return false;
  }
  bfs->level_end = cut->states;
  bfs->depth = levels - 1;
  bfs->begun = true;
  run->spread->pooled = false;
  clew_frontier_resume(&bfs->frontier, run->first_id, cut->waiting_from);
  clew_bfs_share_level(bfs, cut->waiting_from);
  if (run->search->keeper != NULL) {
    note_border(bfs);
  }
  return true;
}

/* ---- steps ---- */

/* Whether the search could go on from the border of its level. */
static bool is_limited(const struct bfs *bfs) {
  switch ((enum clew_stop)atomic_load(&bfs->run.reason)) {
  case CLEW_STOP_MEMORY:
  case CLEW_STOP_DISK:
  case CLEW_STOP_MAX_STATES:
  case CLEW_STOP_MAX_DEPTH:
  case CLEW_STOP_MAX_TIME:
  case CLEW_STOP_SIGNAL:
    return bfs->border.archive.data.len > 0;
  default:
    return false;
  }
}

/* Whether it will do so at once: then what was found of the level is found again. */
static bool begins_again(const struct bfs *bfs) {
  const struct clew_keeper *keeper = bfs->run.search->keeper;
  return keeper != NULL && keeper->takes_waiting && bfs->border.archive.data.len > 0 &&
         (enum clew_stop)atomic_load(&bfs->run.reason) == CLEW_STOP_MEMORY;
}

static enum clew_step end_search(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  if (run->search->keeper != NULL && is_limited(bfs) && !clew_team_is_lost(run->spread->team)) {
    keep_border(bfs, true);
  }
  clew_spread_pool(run);
  if (!clew_run_stopped(run)) {
    clew_run_complete(run);
  }
  return CLEW_STEP_ENDED;
}

static void begin_level(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  clew_bfs_begin_level(bfs);
  if (run->search->keeper != NULL) {
    note_border(bfs);
    if (run->spread->wants_cut) {
      keep_border(bfs, false);
    }
  }
}

enum clew_step clew_bfs_step_spread(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_spread *spread = run->spread;
  bool finished = true;
  if (!bfs->begun) {
    bfs->begun = true;
    spread->pooled = false;
    if (bfs->opened) {
      clew_bfs_put_initial(bfs);
    }
  } else if (bfs->in_level && !clew_run_stopped(run)) {
    finished = clew_bfs_work(bfs);
  }
  if (!finished && !clew_run_stopped(run)) {
    return CLEW_STEP_RUNNING;
  }
  bfs->in_level = false;
  meet(bfs);
  if (run->result->initial_states == CLEW_ABSENT && run->asks_store && !clew_run_stopped(run)) {
    run->result->initial_states = spread->states;
  }
  if (!clew_team_is_lost(spread->team) && !begins_again(bfs)) {
    clew_spread_gather(run);
    clew_run_gather(run);
  }
  if (clew_run_stopped(run) || spread->level_states == 0) {
    return end_search(bfs);
  }
  begin_level(bfs);
  return clew_run_stopped(run) ? end_search(bfs) : CLEW_STEP_RUNNING;
}
