/* Depth-first search, iterative, by one worker or many.
 *
 * Each worker has two stacks, both from the budget. `frames` holds one frame per open state: its
 * id, its depth and the height at which its successors begin. `pending` holds the successors not
 * yet taken, with their edges; those of one state lie in reverse, so that the next to be taken (the
 * smallest edge) is on top and what is taken is gone: nothing is kept for the part of a state that
 * is done.
 *
 * Whether a successor was seen is asked when it is taken, which is what makes the order depth-first
 * in the strict sense. Its bucket was prefetched when it was generated, and again when it is about
 * to be taken.
 *
 * Several workers (with a CONCURRENT store) explore beside each other, each depth-first from what
 * it has; the order as a whole is not depth-first any more. A worker that has nothing left waits
 * for the others to share: they give away successors that lie near the bottom of their stacks,
 * which are likely to lead to much. What was given away stays in its place, marked as gone.
 *
 * Precision on demand (Gopalakrishnan, Della Penna, et al.): where a store may take a new state for
 * an old one, a hit is believed only when the chain of first successors, up to a given length, was
 * seen too. In this order the first successor of an expanded state is always visited, so one that
 * is not proves that the state is new. A chain that ends (no successor) confirms the hit; calling
 * such a state new, as the published pseudo-code does, would expand final states at every visit.
 * The chain proves nothing once a state was left unexpanded (depth limit): then hits are believed.
 * A hit that was true or confirmed once stays so. A small table remembers the hashes of the latest
 * such states; half of all hits and more find themselves there and need neither chain nor store.
 *
 * Delayed answers. What a store puts off is remembered by a marker in the frame; before a state
 * with a marker is left, the store has to decide, and what it finds new is explored from there.
 *
 * Pieces. A state that has more successors than are made at once (model/succs.h) has one piece of
 * them on the stack. When it is opened, all of them are looked at, so that its run-time errors, its
 * degree and whether it is stuck are known then; when the piece is used up, the next one is made.
 * So the order is the same as without pieces.
 *
 * Under a depth limit a state first reached at the limit is not expanded, even though a shorter
 * path to it may exist: the search misses states that a breadth-first one would see. It is reported
 * as incomplete either way.
 *
 * Invariant: successors of frame f lie between its floor and the floor of the frame above; the
 * frame at the bottom stands for "before the initial states" and has no id. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "search/dfs_int.h"

enum {
  PREFETCH_DISTANCE = 4, /* successors between prefetching a bucket and looking into it */
  KNOWN_SLOTS = 1 << 14, /* hashes of states visited lately: 128 KB, close to the processor */
  STEPS_ALONE = 256,     /* successors taken in one step of the engine */
  CREDIT = 64,           /* insertions of a worker that have room at least */
  PARALLEL_FROM = 4096,  /* states, before other workers are asked */
};

struct dfs_options {
  uint64_t precision;
};

/* Puts the successors of the buffer on top. */
static bool push_successors(const struct dfs *dfs, struct dfs_worker *worker) {
  const struct clew_succs *succs = &worker->base.succs;
  unsigned char *top = clew_bigstack_push(&worker->pending, succs->count * dfs->pending_bytes);
  if (top == NULL) {
    return false;
  }
  for (uint32_t i = succs->count; i-- > 0; top += dfs->pending_bytes) {
    struct pending *entry = (struct pending *)(void *)top;
    *entry = (struct pending){.edge = succs->edges[i]};
    memcpy(state_of(entry), succs->states + (size_t)i * succs->words, state_bytes(dfs));
  }
  return true;
}

/* Where the piece after the one in the buffer begins, if there is one. */
static void note_piece(struct pending *own, const struct clew_succs *succs) {
  own->edge = succs->resume;
  own->gone = GONE | (succs->interpreted ? GONE_INTERPRETED : 0) | succs->rank << GONE_RANK_SHIFT;
}

/* Opens a state whose successors, or the first piece of them, are in the buffer. Its own state lies
 * below them where somebody asks for it in the end, or to make the next piece. */
static bool push_frame(const struct dfs *dfs, struct dfs_worker *worker, clew_id id, uint32_t depth,
                       const uint64_t *state) {
  const struct clew_succs *succs = &worker->base.succs;
  struct frame *frame = clew_bigstack_push(&worker->frames, sizeof *frame);
  if (frame == NULL) {
    return false;
  }
  bool has_own = (dfs->tells_expanded && id != CLEW_ID_NONE) || succs->resume != 0;
  struct pending *own = has_own ? push_pending(dfs, worker, state) : NULL;
  if (has_own && own == NULL) {
    return false;
  }
  if (has_own) {
    note_piece(own, succs);
  }
  *frame = (struct frame){
      .id = id, .depth = depth, .own = has_own, .floor_bytes = worker->pending.used_bytes};
  return push_successors(dfs, worker);
}

/* Makes the next piece for the frame on top, all of whose successors were taken. */
static bool push_piece(const struct dfs *dfs, struct dfs_worker *worker,
                       const struct frame *frame) {
  const struct clew_model *model = dfs->run.model;
  struct clew_succs *succs = &worker->base.succs;
  struct pending *own = own_of(dfs, worker, frame);
  assert(worker->pending.used_bytes == frame->floor_bytes && own->edge != 0);
  clew_worker_clear(&worker->base);
  succs->resume = own->edge;
  succs->interpreted = (own->gone & GONE_INTERPRETED) != 0;
  succs->rank = own->gone >> GONE_RANK_SHIFT;
  if (frame->id == CLEW_ID_NONE) {
    model->init(model, succs);
  } else {
    memcpy(worker->state, state_of(own), state_bytes(dfs));
    model->next(model, worker->state, succs);
  }
  note_piece(own, succs);
  succs->resume = 0;
  size_t index = worker->frames.used_bytes / sizeof *frame - 1; /* it may be shared again */
  worker->shared_frames = worker->shared_frames < index ? worker->shared_frames : index;
  return push_successors(dfs, worker);
}

static uint64_t hash_of(const struct dfs *dfs, const uint64_t *state) {
  return clew_hash_words(state, dfs->run.hash_words, dfs->run.store->config.seed);
}

static struct pending *take_pending(const struct dfs *dfs, struct dfs_worker *worker) {
  struct pending *taken = clew_bigstack_pop(&worker->pending, dfs->pending_bytes);
  size_t ahead_bytes = PREFETCH_DISTANCE * dfs->pending_bytes;
  if (worker->pending.used_bytes >= ahead_bytes) {
    struct pending *later = clew_bigstack_top(&worker->pending, ahead_bytes);
    dfs->run.store->type->prefetch(dfs->run.store, hash_of(dfs, state_of(later)));
  }
  return taken;
}

void clew_dfs_tear(struct dfs *dfs) {
  atomic_store(&dfs->is_torn, true);
  clew_run_stop(&dfs->run, CLEW_STOP_MEMORY);
}

/* Expands the state that was just found and opens it. */
static void descend(struct dfs *dfs, struct dfs_worker *worker, clew_id id, uint32_t depth,
                    const uint64_t *state) {
  struct clew_run *run = &dfs->run;
  worker->max_depth = depth > worker->max_depth ? depth : worker->max_depth;
  if (depth >= run->search->limits.max_depth) {
    worker->truncated = true;
    return;
  }
  /* The place it was taken from is used again by what is pushed. */
  memcpy(worker->state, state, state_bytes(dfs));
  clew_worker_clear(&worker->base);
  bool more = clew_worker_expand(&worker->base, id, depth, worker->state);
  if (!push_frame(dfs, worker, id, depth + 1, worker->state)) {
    clew_dfs_tear(dfs);
  }
  while (more) {
    clew_worker_clear(&worker->base);
    more = clew_worker_expand_further(&worker->base, id, depth, worker->state);
  }
}

/* ---- precision on demand ---- */

static void open_precision(struct dfs *dfs) {
  clew_succs_open(&dfs->chain, dfs->run.model->words, dfs->run.model->cover_count);
  dfs->chain.most = 1; /* the first is enough */
  dfs->known = clew_alloc_zero(KNOWN_SLOTS, sizeof *dfs->known);
  dfs->known[0] = 1; /* like zero in the others, no hash that belongs there */
}

static void close_precision(struct dfs *dfs) {
  if (dfs->known != NULL) {
    clew_succs_close(&dfs->chain);
    clew_free(dfs->known);
  }
}

/* The place of a hash among those known, or NULL where hits are believed. */
static uint64_t *known_slot(const struct dfs *dfs, uint64_t hash) {
  return dfs->known != NULL ? &dfs->known[hash % KNOWN_SLOTS] : NULL;
}

/* Whether the chain of first successors speaks for a hit of the store being true. */
static bool confirms_hit(struct dfs *dfs, struct dfs_worker *worker, const uint64_t *state) {
  const struct clew_run *run = &dfs->run;
  for (uint32_t i = 0; i < dfs->precision; i++) {
    memcpy(worker->state, state, state_bytes(dfs));
    clew_succs_clear(&dfs->chain);
    dfs->chain.resume = 0;
    do {
      run->model->next(run->model, worker->state, &dfs->chain);
    } while (dfs->chain.count == 0 && dfs->chain.resume != 0);
    if (dfs->chain.count == 0) {
      return true;
    }
    if (!run->store->type->has(run->store, hash_of(dfs, dfs->chain.states))) {
      return false;
    }
    state = dfs->chain.states;
  }
  return true;
}

/* ---- delayed answers ---- */

struct settling {
  struct dfs *dfs;
  struct dfs_worker *worker;
};

static bool settled_new(void *context, const struct clew_visit *visit) {
  const struct settling *settling = context;
  struct dfs *dfs = settling->dfs;
  struct dfs_worker *worker = settling->worker;
  clew_discrete_add(&dfs->run, visit, 1);
  if (!clew_worker_absorb(&worker->base, visit)) {
    return false;
  }
  struct frame *frame = clew_bigstack_push(&worker->frames, sizeof *frame);
  struct pending *entry = frame == NULL ? NULL : push_pending(dfs, worker, visit->state);
  if (entry == NULL) {
    clew_dfs_tear(dfs); /* at once: the store, cut off, would blame the disk */
    return false;
  }
  entry->edge = visit->edge;
  *frame = (struct frame){.id = visit->id,
                          .depth = visit->depth,
                          .settled = true,
                          .floor_bytes = worker->pending.used_bytes - dfs->pending_bytes};
  return clew_run_may_go_on(&dfs->run, visit->id + 1 - dfs->run.first_id);
}

static void settle(struct dfs *dfs, struct dfs_worker *worker) {
  struct settling settling = {dfs, worker};
  top_frame(worker)->marked = false;
  /* A pushed frame may hide the marker of one below; that one is settled by now, too. */
  clew_run_settle(&worker->base, true, settled_new, &settling);
}

/* ---- visits ---- */

/* Asks the store; false when there is nothing to explore from there. */
static bool put_one(struct dfs *dfs, struct dfs_worker *worker, struct clew_visit *visit,
                    bool *marked) {
  struct clew_run *run = &dfs->run;
  const struct clew_store_type *type = run->store->type;
  uint64_t *known = known_slot(dfs, visit->hash);
  if (known != NULL && *known == visit->hash) {
    return false;
  }
  type->put(run->store, 1, visit);
  if (visit->answer == CLEW_FULL) {
    atomic_store(&run->refused, true);
    clew_run_meet(run);
    return false;
  }
  *marked |= visit->answer == CLEW_MAYBE;
  if (known != NULL) {
    if (visit->answer == CLEW_SEEN && !worker->truncated &&
        !confirms_hit(dfs, worker, visit->state)) {
      visit->id = type->adopt(run->store);
      visit->answer = CLEW_NEW;
    }
    *known = visit->hash;
  }
  worker->base.credit -= run->shared && visit->answer == CLEW_NEW ? 1 : 0;
  if (visit->answer != CLEW_NEW) {
    return false;
  }
  clew_discrete_add(run, visit, 1);
  if (!clew_worker_absorb(&worker->base, visit)) {
    atomic_store(&dfs->is_torn, true); /* the log does not have it */
    return false;
  }
  return true;
}

/* A state that was found is opened even if it is the last one that a limit allows: whoever goes on
 * later finds its successors on the stack, and nowhere else. */
static void visit_taken(struct dfs *dfs, struct dfs_worker *worker, struct pending *taken,
                        struct frame *frame) {
  struct clew_visit visit = {
      .state = state_of(taken), .parent = frame->id, .edge = taken->edge, .depth = frame->depth};
  visit.hash = hash_of(dfs, visit.state);
  if (put_one(dfs, worker, &visit, &frame->marked)) {
    (void)clew_run_may_go_on(&dfs->run, clew_run_states(&dfs->run));
    descend(dfs, worker, visit.id, visit.depth, visit.state);
  } else if (visit.answer == CLEW_FULL) {
    (void)clew_bigstack_push(&worker->pending, dfs->pending_bytes); /* it waits as before */
  }
}

/* All successors of the state on top were taken. */
static void close_frame(const struct dfs *dfs, struct dfs_worker *worker,
                        const struct frame *frame) {
  const struct clew_run *run = &dfs->run;
  if (frame->own) {
    struct pending *own = clew_bigstack_pop(&worker->pending, dfs->pending_bytes);
    if (dfs->tells_expanded && frame->id != CLEW_ID_NONE) {
      run->store->type->expanded(run->store, frame->id, frame->depth - 1, state_of(own));
    }
  }
  clew_bigstack_pop(&worker->frames, sizeof *frame);
  size_t left = worker->frames.used_bytes / sizeof *frame;
  worker->shared_frames = worker->shared_frames < left ? worker->shared_frames : left;
}

/* Room for one more state, and for opening it. */
static bool has_room(struct dfs *dfs, struct dfs_worker *worker) {
  size_t pending_bytes = worker->pending.used_bytes + dfs->open_bytes;
  size_t frame_bytes = worker->frames.used_bytes + sizeof(struct frame);
  if (!clew_bigmem_commit(&worker->pending.mem, pending_bytes) ||
      !clew_bigmem_commit(&worker->frames.mem, frame_bytes)) {
    clew_run_stop(&dfs->run, CLEW_STOP_MEMORY);
    return false;
  }
  if (dfs->run.shared) {
    return clew_worker_take_credit(&worker->base, 1);
  }
  return clew_run_make_room(&dfs->run, 1) > 0;
}

/* Drops the successors that are left of a state that another one covers by now: whatever they lead
 * to is explored from there. */
static void drop_covered(struct dfs *dfs, struct dfs_worker *worker, const struct frame *frame) {
  const struct clew_store *store = dfs->run.store;
  if (frame->id != CLEW_ID_NONE && store->type->is_covered(store, frame->id)) {
    struct pending *own = own_of(dfs, worker, frame);
    worker->pending.used_bytes = frame->floor_bytes;
    if (own != NULL) {
      own->edge = 0;
    }
  }
}

/* Takes the next successor of the state on top, or closes it. */
static void take_one(struct dfs *dfs, struct dfs_worker *worker) {
  struct frame *frame = top_frame(worker);
  if (dfs->asks_covered) {
    drop_covered(dfs, worker, frame);
  }
  assert(worker->pending.used_bytes >= frame->floor_bytes);
  if (worker->pending.used_bytes == frame->floor_bytes) {
    const struct pending *own = own_of(dfs, worker, frame);
    if (own != NULL && own->edge != 0) {
      if (!push_piece(dfs, worker, frame)) {
        clew_dfs_tear(dfs);
      }
    } else if (frame->marked) {
      settle(dfs, worker);
    } else {
      close_frame(dfs, worker, frame);
    }
  } else if (frame->settled) {
    struct pending *taken = take_pending(dfs, worker);
    descend(dfs, worker, frame->id, frame->depth, state_of(taken));
  } else if (has_room(dfs, worker)) {
    struct pending *taken = take_pending(dfs, worker);
    if (!taken->gone) {
      visit_taken(dfs, worker, taken, frame);
    }
  } else if (dfs->run.wants_settling) {
    settle(dfs, worker);
  }
}

static void look_around(struct dfs *dfs, struct dfs_worker *worker) {
  clew_worker_tell(&worker->base);
  if (worker->number == 0 && !clew_run_stopped(&dfs->run)) {
    clew_run_poll(&worker->base, 1, worker->pending.used_bytes / dfs->pending_bytes,
                  worker->frames.used_bytes / sizeof(struct frame));
  }
}

static void work(void *context, uint32_t number) {
  struct dfs *dfs = context;
  struct dfs_worker *worker = worker_of(dfs, number);
  struct given given;
  while (!clew_run_halts(&dfs->run)) {
    if (worker->frames.used_bytes > 0) {
      take_one(dfs, worker);
      if (worker->base.findings.len > 0) {
        clew_run_meet(&dfs->run);
      }
      look_around(dfs, worker);
      if (atomic_load_explicit(&dfs->hungry, memory_order_relaxed) > 0) {
        clew_dfs_share(dfs, worker);
      }
    } else if (clew_dfs_receive(dfs, worker, &given)) {
      clew_dfs_begin_received(dfs, worker, &given);
    } else {
      break;
    }
  }
  pthread_mutex_lock(&dfs->lock);
  pthread_cond_broadcast(&dfs->given_some); /* those who wait see that the run halts */
  pthread_mutex_unlock(&dfs->lock);
}

/* ---- the search ---- */

static void begin(struct dfs *dfs) {
  struct dfs_worker *worker = worker_of(dfs, 0);
  if (!worker->opened) {
    clew_run_stop(&dfs->run, CLEW_STOP_MEMORY);
    return;
  }
  bool more = clew_worker_init(&worker->base);
  if (!push_frame(dfs, worker, CLEW_ID_NONE, 0, worker->state)) { /* any state will do */
    clew_dfs_tear(dfs);
  }
  while (more) {
    more = clew_worker_init(&worker->base);
  }
}

/* Several workers, until all is done or they have to meet. True: it is done. */
static bool work_together(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  if (!clew_run_renew_credit(run, dfs->active * CREDIT)) {
    return false;
  }
  dfs->finished = false;
  dfs->waiting = 0;
  atomic_store(&dfs->hungry, 0);
  run->shared = run->store->shared = true;
  clew_crew_work(run->search->crew, dfs->active, work, dfs);
  run->shared = run->store->shared = false;
  bool done = !clew_run_halts(run);
  assert(!done || (dfs->finished && dfs->pool.len == 0));
  if (!clew_run_stopped(run)) {
    atomic_store(&run->halt, false);
  }
  return done;
}

/* One worker, some steps. True: all is done. */
static bool work_alone(struct dfs *dfs) {
  struct dfs_worker *worker = worker_of(dfs, 0);
  for (uint32_t i = 0; i < STEPS_ALONE && worker->frames.used_bytes > 0; i++) {
    take_one(dfs, worker);
    if (clew_run_halts(&dfs->run) || worker->base.findings.len > 0) {
      return false;
    }
    look_around(dfs, worker);
  }
  return worker->frames.used_bytes == 0;
}

/* The answer to what follows may need the memory. */
static void close_stacks(struct dfs *dfs) {
  for (uint32_t i = 0; i < dfs->run.most_workers; i++) {
    struct dfs_worker *worker = (struct dfs_worker *)dfs->run.workers[i];
    if (worker != NULL) {
      clew_bigstack_close(&worker->frames);
      clew_bigstack_close(&worker->pending);
    }
  }
}

static enum clew_step end_search(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  close_stacks(dfs);
  atomic_store(&dfs->is_torn, true); /* nothing can be saved any more */
  bool truncated = false;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct dfs_worker *worker = (const struct dfs_worker *)run->workers[i];
    truncated |= worker != NULL && worker->truncated;
  }
  if (!clew_run_stopped(run) && truncated) {
    clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
  }
  if (!clew_run_stopped(run)) {
    clew_run_complete(run);
  }
  return CLEW_STEP_ENDED;
}

/* Whether a worker can begin. */
static bool has_stacks(const struct dfs *dfs, struct dfs_worker *worker) {
  if (!worker->opened || clew_bigstack_push(&worker->frames, sizeof(struct frame)) == NULL) {
    return false;
  }
  clew_bigstack_pop(&worker->frames, sizeof(struct frame));
  if (clew_bigstack_push(&worker->pending, dfs->pending_bytes) == NULL) {
    return false;
  }
  clew_bigstack_pop(&worker->pending, dfs->pending_bytes);
  return true;
}

/* As many as there are threads and memory for: they wait for each other. */
static uint32_t count_ready(struct dfs *dfs) {
  uint32_t threads = clew_crew_muster(dfs->run.search->crew, dfs->run.most_workers), ready = 1;
  while (ready < threads && has_stacks(dfs, worker_of(dfs, ready))) {
    ready++;
  }
  return ready;
}

/* Strictly depth-first while the search is small, and where the store or precision need it. */
static void choose_workers(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  uint64_t from = run->search->thread_share > 0 ? run->search->thread_share : PARALLEL_FROM;
  bool may = (run->store->promises & CLEW_STORE_CONCURRENT) != 0 && dfs->precision == 0;
  if (dfs->active == 1 && !dfs->alone && may && run->most_workers > 1 &&
      clew_run_states(run) >= from) {
    dfs->active = run->used_workers = count_ready(dfs);
    dfs->alone = dfs->active == 1;
  }
}

static enum clew_step dfs_step(struct clew_run *run) {
  struct dfs *dfs = (struct dfs *)run;
  bool done = false;
  if (!dfs->begun) {
    dfs->begun = true;
    begin(dfs);
  } else {
    choose_workers(dfs);
    done = dfs->active > 1 ? work_together(dfs) : work_alone(dfs);
  }
  if (atomic_load(&run->refused)) {
    clew_run_refused(run);
  }
  clew_run_keep_last(run, &clew_engine_dfs);
  clew_run_gather(run);
  return clew_run_stopped(run) || done ? end_search(dfs) : CLEW_STEP_RUNNING;
}

/* ---- opening and closing ---- */

static void open_worker(struct clew_worker *base) {
  struct dfs_worker *worker = (struct dfs_worker *)base;
  struct clew_budget *budget = base->run->search->budget;
  worker->state = clew_alloc_zero(base->run->model->words, sizeof *worker->state);
  worker->opened =
      clew_bigstack_open(&worker->frames, budget) && clew_bigstack_open(&worker->pending, budget);
}

static struct clew_run *dfs_open(struct clew_search *search, struct clew_result *result) {
  struct dfs *dfs = clew_alloc_zero(1, sizeof *dfs);
  const struct dfs_options *options = search->options;
  clew_run_open(&dfs->run, &clew_engine_dfs, search, result, sizeof(struct dfs_worker),
                open_worker);
  dfs->run.is_depth = true;
  dfs->active = 1;
  dfs->pending_bytes = sizeof(struct pending) + state_bytes(dfs);
  dfs->given_bytes = sizeof(struct given) + state_bytes(dfs);
  uint32_t most =
      dfs->run.piece < search->model->edge_count ? dfs->run.piece : search->model->edge_count;
  dfs->open_bytes = ((size_t)most + 1) * dfs->pending_bytes;
  pthread_mutex_init(&dfs->lock, NULL);
  pthread_cond_init(&dfs->given_some, NULL);
  dfs->precision = options != NULL ? (uint32_t)options->precision : 0;
  if (dfs->precision > 0) {
    assert((search->store->promises & CLEW_STORE_PROBE) != 0);
    open_precision(dfs);
  }
  dfs->tells_expanded = (search->store->demands & CLEW_STORE_EXPANDED) != 0;
  dfs->asks_covered = dfs->run.ordered && search->store->type->is_covered != NULL;
  return &dfs->run;
}

static void dfs_close(struct clew_run *run) {
  struct dfs *dfs = (struct dfs *)run;
  close_stacks(dfs);
  run->result->max_depth = 0;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    struct dfs_worker *worker = (struct dfs_worker *)run->workers[i];
    if (worker != NULL) {
      run->result->max_depth =
          worker->max_depth > run->result->max_depth ? worker->max_depth : run->result->max_depth;
      clew_free(worker->state);
    }
  }
  close_precision(dfs);
  clew_vec_free(&dfs->pool);
  pthread_cond_destroy(&dfs->given_some);
  pthread_mutex_destroy(&dfs->lock);
  clew_run_close(run);
  clew_free(dfs);
}

static unsigned dfs_needs(const void *options) {
  const struct dfs_options *o = options;
  return o != NULL && o->precision > 0 ? CLEW_STORE_PROBE : 0;
}

static const struct clew_option_spec dfs_option_specs[] = {
    {.kind = CLEW_OPTION_POSITIVE,
     .name = "pod",
     .argument = "K",
     .help = "precision on demand (with compact or bloom): a hit is believed only if K successors "
             "in a row are known too",
     .offset = offsetof(struct dfs_options, precision),
     .least = 1,
     .most = 1000},
};

const struct clew_engine_type clew_engine_dfs = {
    .name = "dfs",
    .help = "depth-first: finds deep errors early, with long counterexamples; several threads "
            "explore beside each other, so that the order as a whole is not strictly depth-first",
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .needs_store = true,
    .reduces = true,
    .options = CLEW_OPTION_TABLE(dfs_option_specs, struct dfs_options),
    .needs = dfs_needs,
    .open = dfs_open,
    .step = dfs_step,
    .save = clew_dfs_save,
    .cannot_save = clew_dfs_cannot_save,
    .load = clew_dfs_load,
    .close = dfs_close,
};
