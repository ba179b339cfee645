/* Breadth-first search, by one worker or many, level by level.
 *
 * States get their ids in the order in which they are found, so the queue (frontier.c) is a range
 * of ids, and where the store does not give states back, the states themselves. A worker takes some
 * states of the level, expands them into its buffer until that holds a batch of successors, and has
 * the store decide the batch at once: each was hashed and its bucket prefetched as soon as its
 * parent was expanded.
 *
 *      level:  | taken, by one worker each .... | waiting ......... | found, the next level ...
 *                 take ─► expand ─► put ─► absorb ──────────────────────────────► push
 *
 * Several workers share a level. With a CONCURRENT store they put as they come. Into any other
 * store they put one at a time, in the order in which the states of the level were taken: they
 * expand beside each other, and the store sees exactly what it would see with one worker. They
 * meet at the end of the level, and before it when the store has to grow.
 *
 * A level that was begun is finished, also when a violation was found: so the answer, its depth and
 * the counts do not depend on the number of workers. Only limits end a level early.
 *
 * A store that delays its answers is made to give them when it has no room and at the end of a
 * level, so that the next level is complete before it is begun. One that would rather be late is
 * asked when nothing is left to expand. What it calls new then may be reached over fewer edges than
 * states that were found before, which may be reached over fewer edges from there: depths are those
 * of the paths found, and neither levels nor a diameter are reported. Under a depth limit levels
 * are kept exact, since it is they that the limit is about.
 *
 * Invariant: positions below frontier.taken are taken; those from there to level_end are the rest
 * of the current level, all of it at distance `depth`. What lies beyond is at distance depth + 1;
 * in a late search it consists of several stretches of states of the same depth each, which are
 * taken for levels one after the other. A batch does not cross the end of a level. */
#include "search/bfs_int.h"

/* Measured on whole searches: flat from 32 to 1024, half as fast again as one parent at a time. */
enum {
  BATCH_SUCCESSORS = 256,
  BATCH_PARENTS = 256, /* limits are watched once per batch, also where nothing has successors */
  TAKEN_PARENTS = 64,  /* at once */
};

static bool is_concurrent(const struct bfs *bfs) {
  return (bfs->run.store->promises & CLEW_STORE_CONCURRENT) != 0;
}

static void stop_at_disk(struct bfs *bfs) {
  const char *why = clew_frontier_error(&bfs->frontier);
  clew_diag_plain(bfs->run.search->diags, CLEW_ERROR, NULL, "the queue of states: %s",
                  why != NULL ? why : "the disk failed");
  clew_run_stop(&bfs->run, CLEW_STOP_DISK);
}

/* ---- a batch: expanding ---- */

/* Few enough that they make about one batch, and that nobody is left with much in the end. */
static uint32_t how_many_to_take(const struct bfs *bfs, const struct bfs_worker *worker) {
  if (bfs->active == 1) {
    return worker->inbox_room;
  }
  uint64_t left = bfs->level_end - clew_frontier_taken(&bfs->frontier);
  uint64_t share = left / (4 * bfs->active) + 1;
  uint64_t batch = 1 + bfs->batch * worker->base.expanded / (worker->base.transitions + 1);
  uint64_t most = share < batch ? share : batch;
  return most < worker->inbox_room ? (uint32_t)most : worker->inbox_room;
}

/* A worker that is alone with a store that reads many states back at once may take some of the next
 * level, too. False when nothing of this level is left. */
static bool fill_inbox(struct bfs *bfs, struct bfs_worker *worker) {
  if (worker->inbox_at < worker->inbox_count) {
    return worker->inbox_first + worker->inbox_at < bfs->level_end;
  }
  bool ahead = bfs->active == 1 && bfs->run.store->get_block > 1 && bfs->run.spread == NULL;
  uint64_t end = ahead ? clew_run_states(&bfs->run) : bfs->level_end;
  if (clew_frontier_taken(&bfs->frontier) >= bfs->level_end) {
    return false;
  }
  worker->inbox_at = 0;
  worker->inbox_count =
      clew_frontier_take(&bfs->frontier, end, how_many_to_take(bfs, worker), &worker->inbox_first,
                         worker->inbox_ids, worker->inbox_states);
  worker->ticket = worker->inbox_first;
  if (worker->inbox_count == 0 && clew_frontier_error(&bfs->frontier) != NULL) {
    stop_at_disk(bfs);
  }
  return worker->inbox_count > 0;
}

/* Whether a state of the level need not be expanded any more. */
static bool is_covered(const struct bfs *bfs, clew_id id) {
  const struct clew_store *store = bfs->run.store;
  if (bfs->keeps_levels) {
    uint64_t position = id - bfs->run.first_id;
    assert(position >= bfs->level_first && position < bfs->level_end);
    return clew_bitset_has(bfs->dropped.data, (uint32_t)(position - bfs->level_first));
  }
  return store->type->is_covered(store, id);
}

/* Expands the next state that was taken, or goes on with it. The state counts as waiting until its
 * last piece, and the batch ends with a piece. */
static inline void expand_next(struct bfs *bfs, struct bfs_worker *worker, bool further) {
  uint32_t words = bfs->run.model->words, i = worker->inbox_at++;
  const uint64_t *state = worker->inbox_states + (size_t)i * words;
  bool more = false;
  if (bfs->run.judges_late && !further && is_covered(bfs, worker->inbox_ids[i])) {
    worker->base.judgement = (struct clew_judgement){.is_void = true};
  } else {
    more = further
               ? clew_worker_expand_further(&worker->base, worker->inbox_ids[i], bfs->depth, state)
               : clew_worker_expand(&worker->base, worker->inbox_ids[i], bfs->depth, state);
  }
  if (worker->parent_states != NULL) {
    memcpy(worker->parent_states + (size_t)worker->parents.len * words, state,
           words * sizeof *state);
  }
  if (bfs->run.judges_late) {
    clew_vec_push(&worker->judgements, worker->base.judgement);
  }
  struct parent parent = {.id = worker->inbox_ids[i],
                          .successors_end = worker->base.succs.count,
                          .faults_end = worker->base.succs.fault_count & INT32_MAX,
                          .is_stuck = worker->base.judgement.stuck};
  clew_vec_push(&worker->parents, parent);
  if (__builtin_expect(more, 0)) {
    worker->most_parents = 0;
    worker->inbox_at--;
  }
}

static void begin_batch(struct bfs_worker *worker) {
  worker->initial = false;
  clew_worker_clear(&worker->base);
  clew_vec_clear(&worker->parents);
  clew_vec_clear(&worker->judgements);
  worker->parents_done = worker->visits_done = worker->parents_judged = 0;
  worker->most_parents = BATCH_PARENTS;
  worker->degree_before = worker->base.degree;
}

/* A message is a batch without parents. */
static bool take_message(struct bfs *bfs, struct bfs_worker *worker) {
  begin_batch(worker);
  if (!clew_spread_fetch(&worker->base, bfs->depth + 1)) {
    return false;
  }
  clew_vec_push(&worker->parents,
                ((struct parent){.id = CLEW_ID_NONE, .successors_end = worker->base.succs.count}));
  worker->initial = worker->pending = true;
  return true;
}

/* Receives as long as the worker has too much to send to expand anything. True: it has got a batch
 * instead. */
static bool serve(struct bfs *bfs, struct bfs_worker *worker) {
  struct clew_wait wait = {0};
  for (;;) {
    bool may_expand = clew_spread_pump(&worker->base, false);
    if (take_message(bfs, worker)) {
      return true;
    }
    if (may_expand || clew_run_halts(&bfs->run)) {
      return false;
    }
    if (!clew_team_idle(bfs->run.spread->team, &wait)) {
      clew_run_stop(&bfs->run, CLEW_STOP_RANK);
    }
  }
}

/* Expands states of this level until the batch is full; false when there are none. Where workers
 * put in order, a batch holds nothing but what was taken together. */
static bool fill_batch(struct bfs *bfs, struct bfs_worker *worker) {
  if (__builtin_expect(bfs->run.spread != NULL, 0) && serve(bfs, worker)) {
    return true;
  }
  begin_batch(worker);
  if (worker->base.in_pieces) {
    expand_next(bfs, worker, true);
  }
  while (worker->base.succs.count < bfs->batch && worker->parents.len < worker->most_parents) {
    bool taken_together = worker->inbox_at < worker->inbox_count || worker->parents.len == 0;
    if ((bfs->in_order && !taken_together) || !fill_inbox(bfs, worker)) {
      break;
    }
    expand_next(bfs, worker, false);
  }
  worker->pending = worker->parents.len > 0;
  return worker->pending;
}

/* ---- a batch: the new states ---- */

/* Late: the next position belongs to a state at this depth. */
static void note_depth(struct bfs *bfs, uint64_t position, uint32_t depth) {
  uint32_t count = bfs->stretches.len;
  bool grows = bfs->next_stretch < count && bfs->stretches.data[count - 1].depth == depth;
  if (!grows) {
    clew_vec_push(&bfs->stretches, ((struct stretch){position, depth}));
  }
  bfs->max_depth = depth > bfs->max_depth ? depth : bfs->max_depth;
}

/* Logs and checks the new states among the visits and lets them wait. False: the run is stopped. */
static bool absorb(struct bfs *bfs, struct bfs_worker *worker, const struct clew_visit *visits,
                   uint32_t count) {
  struct clew_run *run = &bfs->run;
  clew_discrete_add(run, visits, count);
  for (uint32_t i = 0; i < count; i++) {
    if (visits[i].answer == CLEW_NEW) {
      if (bfs->late) {
        note_depth(bfs, visits[i].id - run->first_id, visits[i].depth);
      }
      if (!clew_worker_absorb(&worker->base, &visits[i])) {
        return false;
      }
    } else if (visits[i].answer == CLEW_FULL) {
      atomic_store_explicit(&run->refused, true, memory_order_relaxed);
      clew_run_meet(run);
      return false;
    }
  }
  if (!clew_frontier_push(&bfs->frontier, visits, count)) {
    stop_at_disk(bfs);
    return false;
  }
  return true;
}

struct settling {
  struct bfs *bfs;
  struct bfs_worker *worker;
};

static bool settled_new(void *context, const struct clew_visit *visit) {
  struct settling *settling = context;
  struct clew_run *run = &settling->bfs->run;
  struct clew_visit found = *visit;
  found.answer = CLEW_NEW;
  if (run->tells_ids && found.parent != CLEW_ID_NONE) {
    found.parent = clew_spread_name(run->spread, found.parent);
  }
  return absorb(settling->bfs, settling->worker, &found, 1) &&
         clew_run_may_go_on(run, visit->id + 1 - run->first_id);
}

static bool settle(struct bfs *bfs, struct bfs_worker *worker, bool all) {
  struct settling settling = {bfs, worker};
  return clew_run_settle(&worker->base, all, settled_new, &settling);
}

/* ---- a batch: parents that are done ---- */

static uint32_t level_of(const struct bfs *bfs, clew_id id) {
  uint64_t position = id - bfs->run.first_id;
  if (position >= bfs->level_end) {
    return bfs->depth + 1; /* most are there */
  }
  uint32_t low = 0, high = bfs->level_ends.len; /* the first level that ends behind it */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (bfs->level_ends.data[middle] <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Whether the successors of a parent in this batch are not the last of them. */
static bool is_piece(const struct bfs_worker *worker, uint32_t p) {
  return worker->most_parents == 0 && p + 1 == worker->parents.len;
}

static void measure_locality(const struct bfs *bfs, struct bfs_worker *worker, uint32_t p) {
  struct clew_locality *locality = &worker->base.locality;
  uint32_t first = p == 0 ? 0 : worker->parents.data[p - 1].successors_end;
  for (uint32_t i = first; i < worker->parents.data[p].successors_end; i++) {
    clew_id id = worker->base.visits.data[i].id;
    if (id == worker->parents.data[p].id) {
      clew_locality_loop(locality);
    } else {
      clew_locality_edge(locality, bfs->depth, level_of(bfs, id));
    }
  }
  if (!is_piece(worker, p)) {
    clew_locality_state(locality);
  }
}

/* All successors of a parent, or of a piece of them, were put. */
static void finish_parent(struct bfs *bfs, struct bfs_worker *worker, uint32_t p) {
  struct clew_run *run = &bfs->run;
  if (bfs->tells_expanded && !is_piece(worker, p)) {
    const uint64_t *state = worker->parent_states + (size_t)p * run->model->words;
    run->store->type->expanded(run->store, worker->parents.data[p].id, bfs->depth, state);
  }
  if (bfs->measures_locality) {
    measure_locality(bfs, worker, p);
  }
}

static void finish_parents(struct bfs *bfs, struct bfs_worker *worker) {
  bool judges = bfs->run.judges_late && !worker->initial;
  uint32_t end = judges ? worker->parents_judged : worker->parents.len;
  while (worker->parents_done < end &&
         worker->parents.data[worker->parents_done].successors_end <= worker->visits_done) {
    if (!worker->initial && (bfs->tells_expanded || bfs->measures_locality)) {
      finish_parent(bfs, worker, worker->parents_done);
    }
    worker->parents_done++;
  }
}

/* ---- a batch: putting ---- */

/* It is the turn of a parent, whose successors are made already. Those of one that was covered
 * meanwhile are not put, and it counts as not expanded: so it does not matter how many states were
 * expanded ahead. False: it was dropped. */
static bool judge_parent(struct bfs *bfs, struct bfs_worker *worker) {
  uint32_t p = worker->parents_judged++;
  const struct parent *parent = &worker->parents.data[p];
  const struct clew_judgement *judgement = &worker->judgements.data[p];
  assert(p == worker->parents_done);
  if (worker->base.in_pieces || !is_covered(bfs, parent->id)) {
    const uint64_t *state = worker->parent_states + (size_t)p * bfs->run.model->words;
    clew_worker_judge(&worker->base, judgement, parent->id, bfs->depth, state);
    return true;
  }
  if (judgement->more) {
    clew_worker_leave(&worker->base);
    worker->inbox_at++;
  }
  worker->visits_done = parent->successors_end;
  worker->parents_done++;
  return false;
}

/* Puts the successors and takes in the new ones among them; leaves off when the run halts. */
static void put_visits(struct bfs *bfs, struct bfs_worker *worker) {
  struct clew_run *run = &bfs->run;
  while (worker->parents_done < worker->parents.len) {
    if (run->judges_late && !worker->initial && worker->parents_judged == worker->parents_done &&
        !judge_parent(bfs, worker)) {
      continue;
    }
    /* A store that wants to know when a state is done wants to know it before the next one's turn;
     * and that turn may find the next one covered. */
    uint32_t end = bfs->one_by_one ? worker->parents.data[worker->parents_done].successors_end
                                   : worker->base.visits.len;
    uint32_t from = worker->visits_done;
    uint32_t count = from < end ? clew_worker_put(&worker->base, from, end) : 0;
    if (!absorb(bfs, worker, worker->base.visits.data + from, count)) {
      return;
    }
    worker->visits_done += count;
    finish_parents(bfs, worker);
    if (run->wants_settling && !settle(bfs, worker, false)) {
      return;
    }
    if (count == 0 && clew_run_halts(run)) {
      return;
    }
    if (clew_run_stopped(run)) {
      return;
    }
  }
  worker->pending = false;
}

bool clew_bfs_put_received(struct bfs *bfs, struct bfs_worker *worker) {
  assert(bfs->active == 1 && !worker->pending);
  if (!take_message(bfs, worker)) {
    return false;
  }
  put_visits(bfs, worker);
  if (atomic_load_explicit(&bfs->run.refused, memory_order_relaxed)) {
    clew_run_refused(&bfs->run);
  }
  assert(!worker->pending || clew_run_stopped(&bfs->run));
  worker->pending = false;
  return true;
}

static void note_queue(struct bfs_worker *worker, uint64_t queue) {
  worker->max_queue = queue > worker->max_queue ? queue : worker->max_queue;
}

/* Once per batch. The first worker watches the limits. */
void clew_bfs_look_around(struct bfs *bfs, struct bfs_worker *worker) {
  uint64_t waiting_inside = worker->inbox_count - worker->inbox_at;
  uint64_t queue =
      clew_run_states(&bfs->run) - clew_frontier_taken(&bfs->frontier) + waiting_inside;
  note_queue(worker, queue);
  clew_worker_tell(&worker->base);
  if (worker->number == 0 && !clew_run_stopped(&bfs->run)) {
    clew_run_poll(&worker->base, worker->base.succs.count + worker->parents.len, queue, bfs->depth);
  }
}

/* Waits until everything that was taken before is put. False when the run halts instead. */
static bool await_turn(struct bfs *bfs, uint64_t position) {
  pthread_mutex_lock(&bfs->turn_lock);
  while (bfs->turn != position && !clew_run_halts(&bfs->run)) {
    pthread_cond_wait(&bfs->turn_came, &bfs->turn_lock);
  }
  bool came = bfs->turn == position;
  pthread_mutex_unlock(&bfs->turn_lock);
  return came;
}

static void pass_turn(struct bfs *bfs, uint64_t position) {
  pthread_mutex_lock(&bfs->turn_lock);
  bfs->turn = position;
  pthread_cond_broadcast(&bfs->turn_came);
  pthread_mutex_unlock(&bfs->turn_lock);
}

/* The run halts: nobody waits for a turn any more. */
static void give_up_turns(struct bfs *bfs) {
  pthread_mutex_lock(&bfs->turn_lock);
  pthread_cond_broadcast(&bfs->turn_came);
  pthread_mutex_unlock(&bfs->turn_lock);
}

/* Those that were made outside the store. */
static void prefetch_visits(struct bfs *bfs, const struct bfs_worker *worker) {
  const struct clew_store *store = bfs->run.store;
  for (uint32_t i = worker->visits_done; i < worker->base.visits.len; i++) {
    store->type->prefetch(store, worker->base.visits.data[i].hash);
  }
}

static void put_in_order(struct bfs *bfs, struct bfs_worker *worker) {
  if (!await_turn(bfs, worker->ticket)) {
    return;
  }
  pthread_mutex_lock(&bfs->store_lock);
  prefetch_visits(bfs, worker);
  put_visits(bfs, worker);
  clew_bfs_look_around(bfs, worker);
  pthread_mutex_unlock(&bfs->store_lock);
  if (!worker->pending && worker->inbox_at == worker->inbox_count) {
    pass_turn(bfs, worker->inbox_first + worker->inbox_count);
  }
}

static void do_batch(struct bfs *bfs, struct bfs_worker *worker) {
  if (bfs->in_order) {
    put_in_order(bfs, worker);
  } else {
    put_visits(bfs, worker);
    clew_bfs_look_around(bfs, worker);
  }
}

void clew_bfs_do_one(struct bfs *bfs, struct bfs_worker *worker) {
  uint32_t active = bfs->active;
  bool in_order = bfs->in_order;
  bfs->active = 1;
  bfs->in_order = false;
  if (!worker->pending) {
    begin_batch(worker);
    expand_next(bfs, worker, worker->base.in_pieces);
    worker->pending = true;
  }
  put_visits(bfs, worker);
  if (atomic_load_explicit(&bfs->run.refused, memory_order_relaxed)) {
    clew_run_refused(&bfs->run);
  }
  bfs->active = active;
  bfs->in_order = in_order;
}

/* ---- levels ---- */

/* What one worker does of a level; on return the level is used up, or the run halts. */
static void work(void *context, uint32_t number) {
  struct bfs *bfs = context;
  struct bfs_worker *worker = worker_of(bfs, number);
  while (!clew_run_halts(&bfs->run) && (worker->pending || fill_batch(bfs, worker))) {
    do_batch(bfs, worker);
  }
  if (bfs->in_order && clew_run_halts(&bfs->run)) {
    give_up_turns(bfs);
  }
}

/* Several workers, until the level is used up or they have to meet. True: it is used up. */
static bool work_together(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  bool concurrent = is_concurrent(bfs);
  if (concurrent && !clew_run_renew_credit(run, bfs->active * bfs->batch)) {
    return false;
  }
  for (uint32_t i = 0; i < bfs->active; i++) {
    (void)worker_of(bfs, i);
  }
  run->shared = run->store->shared = concurrent;
  run->in_turns = !concurrent;
  clew_crew_work(run->search->crew, bfs->active, work, bfs);
  run->shared = run->store->shared = run->in_turns = false;
  if (atomic_load(&run->refused)) {
    clew_run_refused(run);
  }
  bool finished = !clew_run_halts(run);
  if (!clew_run_stopped(run)) {
    atomic_store(&run->halt, false);
  }
  return finished;
}

/* One worker, a batch. True: the level is used up. */
static bool work_alone(struct bfs *bfs) {
  struct bfs_worker *worker = worker_of(bfs, 0);
  if (!worker->pending && !fill_batch(bfs, worker)) {
    return true;
  }
  put_visits(bfs, worker);
  if (atomic_load_explicit(&bfs->run.refused, memory_order_relaxed)) {
    clew_run_refused(&bfs->run);
  }
  clew_bfs_look_around(bfs, worker);
  return false;
}

bool clew_bfs_settle_all(struct bfs *bfs) {
  return settle(bfs, worker_of(bfs, 0), true);
}

/* What is put off belongs to the level that is about to begin, unless the search is late. */
void clew_bfs_settle_level(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  if ((run->store->demands & CLEW_STORE_SETTLE) != 0 &&
      clew_frontier_taken(&bfs->frontier) >= (bfs->late ? clew_run_states(run) : bfs->level_end)) {
    struct bfs_worker *worker = worker_of(bfs, 0);
    settle(bfs, worker, true);
    note_queue(worker, clew_run_states(run) - clew_frontier_taken(&bfs->frontier));
  }
}

void clew_bfs_put_initial(struct bfs *bfs) {
  struct bfs_worker *worker = worker_of(bfs, 0);
  struct clew_run *run = &bfs->run;
  bool more = true;
  /* Then all that the store has after the first level is settled are initial states. */
  run->asks_store = run->result->scope.lossless && !bfs->late;
  while (more && !clew_run_stopped(run)) {
    begin_batch(worker);
    more = clew_worker_init(&worker->base);
    clew_vec_push(&worker->parents, ((struct parent){.id = CLEW_ID_NONE,
                                                     .successors_end = worker->base.succs.count}));
    worker->initial = worker->pending = true;
    put_visits(bfs, worker);
    worker->initial = worker->pending = false;
    if (atomic_load(&run->refused)) {
      clew_run_refused(run);
    }
    clew_run_poll(&worker->base, worker->base.succs.count, clew_run_states(run), 0);
  }
  worker->base.succs.resume = 0;
  if (!clew_run_stopped(run)) {
    clew_bfs_settle_level(bfs);
  }
  if (!clew_run_stopped(run) && run->result->initial_states == CLEW_ABSENT && run->asks_store &&
      run->spread == NULL) {
    run->result->initial_states = clew_run_states(run);
  }
  note_queue(worker, clew_run_states(run));
}

/* Late: takes the next stretch of states of the same depth. */
static void begin_stretch(struct bfs *bfs) {
  uint32_t left = bfs->stretches.len - bfs->next_stretch;
  assert(left > 0);
  if (bfs->next_stretch > left) { /* forgets those that are begun */
    memmove(bfs->stretches.data, bfs->stretches.data + bfs->next_stretch,
            left * sizeof *bfs->stretches.data);
    bfs->stretches.len = left;
    bfs->next_stretch = 0;
  }
  struct stretch stretch = bfs->stretches.data[bfs->next_stretch++];
  bfs->depth = stretch.depth;
  bfs->level_end = bfs->next_stretch < bfs->stretches.len
                       ? bfs->stretches.data[bfs->next_stretch].first
                       : clew_run_states(&bfs->run);
}

/* How many workers the states of the level from `first` on are for. */
void clew_bfs_share_level(struct bfs *bfs, uint64_t first) {
  struct clew_run *run = &bfs->run;
  bfs->active = clew_run_helpers(run, bfs->level_end - first);
  if (run->spread != NULL && !is_concurrent(bfs)) {
    bfs->active = 1; /* messages have no turn */
  }
  bfs->in_order = bfs->active > 1 && !is_concurrent(bfs);
  bfs->turn = first;
  worker_of(bfs, 0)->ticket = first; /* it may have taken some of this level before */
  bfs->in_level = true;
  run->used_workers = bfs->active > run->used_workers ? bfs->active : run->used_workers;
  if (bfs->depth >= run->search->limits.max_depth) {
    clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
  }
}

void clew_bfs_find_dropped(struct bfs *bfs, uint64_t first) {
  const struct clew_store *store = bfs->run.store;
  uint64_t count = bfs->level_end - first;
  uint32_t words = (uint32_t)CLEW_BITSET_WORDS(count);
  bfs->level_first = first;
  clew_vec_reserve(&bfs->dropped, words + 1);
  bfs->dropped.len = words;
  memset(bfs->dropped.data, 0, (words + 1) * sizeof *bfs->dropped.data);
  for (uint32_t i = 0; i < count; i++) {
    if (store->type->is_covered(store, bfs->run.first_id + first + i)) {
      clew_bitset_add(bfs->dropped.data, i);
    }
  }
}

/* The level before is done. */
static void note_transitions(struct clew_run *run) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    all += run->workers[i] != NULL ? run->workers[i]->transitions : 0;
  }
  all = run->spread != NULL ? run->spread->transitions : all;
  clew_vec_push(&run->result->level_transitions, all - run->level_transitions);
  run->level_transitions = all;
}

void clew_bfs_begin_level(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  uint64_t first = bfs->level_end;
  if (bfs->late) {
    begin_stretch(bfs);
  } else {
    if (bfs->level_ends.len > 0) {
      note_transitions(run);
    }
    bfs->depth = bfs->level_ends.len;
    bfs->level_end = clew_run_states(run);
    clew_vec_push(&bfs->level_ends, bfs->level_end);
    clew_vec_push(&run->result->level_sizes,
                  run->spread != NULL ? run->spread->level_states : bfs->level_end - first);
  }
  if (bfs->keeps_levels) {
    clew_bfs_find_dropped(bfs, first);
  }
  clew_bfs_share_level(bfs, first);
}

bool clew_bfs_work(struct bfs *bfs) {
  return bfs->active > 1 ? work_together(bfs) : work_alone(bfs);
}

/* Expands some of the states that an earlier run had taken, by one worker. */
static void work_returned(struct bfs *bfs) {
  struct bfs_worker *worker = worker_of(bfs, 0);
  uint32_t words = bfs->run.model->words;
  assert(worker->inbox_at == worker->inbox_count || worker->pending || worker->base.in_pieces);
  if (worker->inbox_at == worker->inbox_count && !worker->pending) {
    const uint64_t *record = bfs->returned.data + bfs->returned_at;
    memcpy(worker->inbox_states, record, words * sizeof *record);
    worker->inbox_ids[0] = record[words];
    worker->inbox_first = worker->inbox_at = 0;
    worker->inbox_count = 1;
    bfs->returned_at += words + 1;
  }
  clew_bfs_do_one(bfs, worker);
  clew_bfs_look_around(bfs, worker);
}

/* Whether a state of an earlier run is left, or begun. */
static bool has_returned(struct bfs *bfs) {
  const struct bfs_worker *worker = worker_of(bfs, 0);
  bool begun = worker->pending || worker->inbox_at < worker->inbox_count;
  if (bfs->returned.len > 0 && bfs->returned_at == bfs->returned.len && !begun) {
    clew_vec_free(&bfs->returned);
    bfs->returned_at = 0;
  }
  return bfs->returned.len > 0;
}

static enum clew_step end_search(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  clew_run_keep_last(run, &clew_engine_bfs);
  clew_run_gather(run);
  if (!clew_run_stopped(run)) {
    clew_run_complete(run);
  }
  return CLEW_STEP_ENDED;
}

static enum clew_step bfs_step(struct clew_run *run) {
  struct bfs *bfs = bfs_of(run);
  if (run->spread != NULL) {
    return clew_bfs_step_spread(bfs);
  }
  if (!bfs->opened) {
    return CLEW_STEP_ENDED;
  }
  if (clew_run_stopped(run)) {
    return end_search(bfs);
  }
  if (!bfs->begun) {
    bfs->begun = true;
    clew_bfs_put_initial(bfs);
  } else if (bfs->in_level) {
    bool finished = false;
    if (has_returned(bfs)) {
      work_returned(bfs);
    } else {
      finished = clew_bfs_work(bfs);
    }
    if (clew_run_stopped(run)) {
      return end_search(bfs);
    }
    if (!finished) {
      return CLEW_STEP_RUNNING;
    }
    bfs->in_level = false;
    clew_bfs_settle_level(bfs);
  }
  clew_run_gather(run);
  if (clew_run_stopped(run) || bfs->level_end == clew_run_states(run)) {
    return end_search(bfs);
  }
  clew_bfs_begin_level(bfs);
  return clew_run_stopped(run) ? end_search(bfs) : CLEW_STEP_RUNNING;
}

/* ---- opening and closing ---- */

static void fill_levels(struct bfs *bfs) {
  struct clew_result *result = bfs->run.result;
  const struct clew_spread *spread = bfs->run.spread;
  uint64_t states = spread != NULL ? spread->states : clew_run_states(&bfs->run), in_levels = 0;
  for (uint32_t i = 0; i < result->level_sizes.len; i++) {
    in_levels += result->level_sizes.data[i];
  }
  if (in_levels < states) {
    assert(!result->scope.complete); /* the next level is known, perhaps in part */
    clew_vec_push(&result->level_sizes, states - in_levels);
  }
  uint32_t error_depth = clew_run_error_depth(&bfs->run);
  if (error_depth != CLEW_NONE) {
    if (error_depth == result->level_sizes.len) {
      clew_vec_push(&result->level_sizes, 0);
    }
    assert(error_depth < result->level_sizes.len);
    result->level_sizes.data[error_depth]++;
  }
  result->levels = result->level_sizes.len;
  if (result->scope.complete) {
    result->diameter = result->levels > 0 ? result->levels - 1 : 0;
  }
}

static void bfs_close(struct clew_run *run) {
  struct bfs *bfs = bfs_of(run);
  struct clew_result *result = run->result;
  if (run->spread != NULL) {
    clew_spread_pool(run);
    clew_archive_free(&bfs->border.archive);
  }
  if (bfs->late) {
    result->max_depth = bfs->max_depth;
  } else {
    fill_levels(bfs);
  }
  result->max_queue = 0;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    struct bfs_worker *worker = (struct bfs_worker *)run->workers[i];
    if (worker != NULL) {
      result->max_queue =
          worker->max_queue > result->max_queue ? worker->max_queue : result->max_queue;
      clew_vec_free(&worker->parents);
      clew_vec_free(&worker->judgements);
      clew_free(worker->parent_states);
      clew_free(worker->inbox_ids);
      clew_free(worker->inbox_states);
    }
  }
  run->queue_disk_bytes = clew_frontier_disk_bytes_peak(&bfs->frontier);
  clew_frontier_close(&bfs->frontier);
  clew_vec_free(&bfs->level_ends);
  clew_vec_free(&bfs->stretches);
  clew_vec_free(&bfs->returned);
  clew_vec_free(&bfs->dropped);
  pthread_cond_destroy(&bfs->turn_came);
  pthread_mutex_destroy(&bfs->turn_lock);
  pthread_mutex_destroy(&bfs->store_lock);
  clew_run_close(run);
  clew_free(bfs);
}

static void open_worker(struct clew_worker *base) {
  struct bfs_worker *worker = (struct bfs_worker *)base;
  const struct clew_store *store = base->run->store;
  uint32_t words = base->run->model->words;
  uint32_t piece = base->run->piece; /* of huge states even a few take much memory */
  uint32_t taken = piece < TAKEN_PARENTS ? piece : TAKEN_PARENTS;
  worker->inbox_room = store->get_block > taken ? store->get_block : taken;
  if ((store->promises & CLEW_STORE_GET) != 0 && store->get_block > 1) {
    worker->inbox_room = store->get_block;
  }
  worker->inbox_ids = clew_alloc(worker->inbox_room * sizeof *worker->inbox_ids);
  worker->inbox_states =
      clew_alloc((size_t)worker->inbox_room * words * sizeof *worker->inbox_states);
  /* They are saved, with a store that does not give them back. */
  bool saved = base->run->search->keeper != NULL && (store->promises & CLEW_STORE_GET) == 0;
  if (bfs_of(base->run)->one_by_one || saved) {
    worker->parent_states = clew_alloc(sizeof(uint64_t) * (size_t)BATCH_PARENTS * words);
  }
}

static struct clew_run *bfs_open(struct clew_search *search, struct clew_result *result) {
  struct bfs *bfs = clew_alloc_zero(1, sizeof *bfs);
  struct clew_run *run = &bfs->run;
  const struct clew_store *store = search->store;
  clew_run_open(run, &clew_engine_bfs, search, result, sizeof(struct bfs_worker), open_worker);
  pthread_mutex_init(&bfs->store_lock, NULL);
  pthread_mutex_init(&bfs->turn_lock, NULL);
  pthread_cond_init(&bfs->turn_came, NULL);
  bfs->active = 1;
  bfs->batch = run->piece < BATCH_SUCCESSORS ? run->piece : BATCH_SUCCESSORS;
  bfs->late = (store->demands & CLEW_STORE_LATE) != 0 && search->limits.max_depth == CLEW_ABSENT &&
              search->spread == NULL;
  bfs->tells_expanded = (store->demands & CLEW_STORE_EXPANDED) != 0;
  run->judges_late = run->takes_census;
  bfs->keeps_levels = run->judges_late && search->stop_at_violation;
  bfs->one_by_one = bfs->tells_expanded || run->judges_late;
  bfs->measures_locality = search->measures_locality && (store->promises & CLEW_STORE_DENSE) != 0 &&
                           (store->demands & CLEW_STORE_SETTLE) == 0 && !run->ordered &&
                           search->spread == NULL;
  result->has_locality = bfs->measures_locality;
  bool concurrent = is_concurrent(bfs);
  bfs->opened =
      clew_frontier_open(&bfs->frontier, search, run->first_id, concurrent && run->most_workers > 1,
                         concurrent ? NULL : &bfs->store_lock);
  if (!bfs->opened) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  return run;
}

const struct clew_engine_type clew_engine_bfs = {
    .name = "bfs",
    .help = "breadth-first: shortest counterexamples",
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .has_levels = true,
    .remakes = true,
    .needs_store = true,
    .reduces = true,
    .open = bfs_open,
    .step = bfs_step,
    .save = clew_bfs_save,
    .cannot_save = clew_bfs_cannot_save,
    .load = clew_bfs_load,
    .close = bfs_close,
};
