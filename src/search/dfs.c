/* Depth-first search, iterative.
 *
 * Two stacks, both from the budget. `frames` holds one frame per open state: its id, its depth and
 * the height at which its successors begin. `pending` holds the successors not yet taken, with
 * their edges; those of one state lie in reverse, so that the next to be taken (the smallest edge)
 * is on top and what is taken is gone: nothing is kept for the part of a state that is done.
 *
 * Whether a successor was seen is asked when it is taken, which is what makes the order depth-first
 * in the strict sense. Its bucket was prefetched when it was generated, and again when it is about
 * to be taken.
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
 * Under a depth limit a state first reached at the limit is not expanded, even though a shorter
 * path to it may exist: the search misses states that a breadth-first one would see. It is reported
 * as incomplete either way.
 *
 * Invariant: successors of frame f lie between its floor and the floor of the frame above; the
 * frame at the bottom stands for "before the initial states" and has no id. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "search/search_int.h"

/* Successors between prefetching a bucket and looking into it, while most were seen before. */
enum { PREFETCH_DISTANCE = 4 };
/* Hashes of states that were visited lately: 128 KB, which stay close to the processor. */
enum { KNOWN_SLOTS = 1 << 14 };

struct frame {
  uint32_t id;    /* CLEW_LOG_ROOT at the bottom and for a frame of settled states */
  uint32_t depth; /* of its successors */
  bool settled;   /* holds states that the store found new late: all of them are new */
  bool marked;    /* a successor waits for the store's decision */
  size_t floor_bytes;
};

/* Followed by the words of the state. */
struct pending {
  uint32_t edge; /* the hash would cost a third more memory and saves 4 ns */
  uint32_t id;   /* in a frame of settled states */
};

struct dfs {
  struct clew_run run;
  struct clew_bigstack frames, pending;
  size_t pending_bytes; /* of one */
  uint64_t *chain;      /* room for one state: precision on demand */
  uint64_t *known;      /* the same: KNOWN_SLOTS hashes, each in the slot of its lowest bits */
  bool tells_expanded;  /* the store wants to know when a state is done */
  bool failed;          /* no room for a settled state */
  uint32_t max_depth;
  bool truncated; /* some state was not expanded because of the depth limit */
};

static struct frame *top_frame(const struct dfs *dfs) {
  assert(dfs->frames.used_bytes >= sizeof(struct frame));
  return clew_bigstack_top(&dfs->frames, sizeof(struct frame));
}

static uint64_t *state_of(struct pending *entry) {
  return (uint64_t *)(void *)(entry + 1);
}

static struct pending *push_pending(struct dfs *dfs, const uint64_t *state) {
  struct pending *entry = clew_bigstack_push(&dfs->pending, dfs->pending_bytes);
  if (entry != NULL) {
    memcpy(state_of(entry), state, dfs->run.model->words * sizeof *state);
  }
  return entry;
}

/* Opens a state whose successors are in the buffer. */
static bool push_frame(struct dfs *dfs, uint32_t id, uint32_t depth, const uint64_t *state) {
  const struct clew_succs *succs = &dfs->run.succs;
  struct frame *frame = clew_bigstack_push(&dfs->frames, sizeof *frame);
  if (frame == NULL) {
    return false;
  }
  /* Its own state lies below its successors where somebody asks for it in the end. */
  if (dfs->tells_expanded && id != CLEW_LOG_ROOT && push_pending(dfs, state) == NULL) {
    return false;
  }
  *frame = (struct frame){.id = id, .depth = depth, .floor_bytes = dfs->pending.used_bytes};
  unsigned char *top = clew_bigstack_push(&dfs->pending, succs->count * dfs->pending_bytes);
  if (top == NULL) {
    return false;
  }
  for (uint32_t i = succs->count; i-- > 0; top += dfs->pending_bytes) {
    struct pending *entry = (struct pending *)(void *)top;
    entry->edge = succs->edges[i];
    memcpy(state_of(entry), succs->states + (size_t)i * succs->words,
           succs->words * sizeof(uint64_t));
  }
  return true;
}

static uint64_t hash_of(const struct dfs *dfs, const uint64_t *state) {
  const struct clew_store_config *config = &dfs->run.store->config;
  return clew_hash_words(state, config->words, config->seed);
}

static struct pending *take_pending(struct dfs *dfs) {
  struct pending *taken = clew_bigstack_pop(&dfs->pending, dfs->pending_bytes);
  size_t ahead_bytes = PREFETCH_DISTANCE * dfs->pending_bytes;
  if (dfs->pending.used_bytes >= ahead_bytes) {
    struct pending *later = clew_bigstack_top(&dfs->pending, ahead_bytes);
    dfs->run.store->type->prefetch(dfs->run.store, hash_of(dfs, state_of(later)));
  }
  return taken;
}

/* Expands the state that was just found and opens it. */
static void descend(struct dfs *dfs, uint32_t id, uint32_t depth, const uint64_t *state) {
  struct clew_run *run = &dfs->run;
  dfs->max_depth = depth > dfs->max_depth ? depth : dfs->max_depth;
  if (depth >= run->search->limits.max_depth) {
    dfs->truncated = true;
    return;
  }
  /* The place it was taken from is used again by what is pushed. */
  memcpy(run->state, state, run->model->words * sizeof *state);
  clew_run_clear(run);
  struct clew_finding finding = clew_run_expand(run, id, depth, run->state);
  if (finding.property != CLEW_NONE) {
    clew_run_record(run, &finding);
  }
  if (!run->stopped && !push_frame(dfs, id, depth + 1, run->state)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
}

/* ---- precision on demand ---- */

static void open_precision(struct dfs *dfs) {
  dfs->chain = clew_alloc(dfs->run.model->words * sizeof *dfs->chain);
  dfs->known = clew_alloc_zero(KNOWN_SLOTS, sizeof *dfs->known);
  dfs->known[0] = 1; /* like zero in the others, no hash that belongs there */
}

static void close_precision(struct dfs *dfs) {
  clew_free(dfs->chain);
  clew_free(dfs->known);
}

/* The place of a hash among those known, or NULL where hits are believed. */
static uint64_t *known_slot(const struct dfs *dfs, uint64_t hash) {
  return dfs->known != NULL ? &dfs->known[hash % KNOWN_SLOTS] : NULL;
}

/* Whether the chain of first successors speaks for a hit of the store being true. */
static bool confirms_hit(struct dfs *dfs, const uint64_t *state) {
  struct clew_run *run = &dfs->run;
  for (uint32_t i = 0; i < run->search->precision; i++) {
    memcpy(run->state, state, run->model->words * sizeof *state);
    if (!run->model->first(run->model, run->state, dfs->chain)) {
      return true;
    }
    if (run->model->canonicalise != NULL) {
      run->model->canonicalise(run->model, dfs->chain, 1);
    }
    if (!run->store->type->has(run->store, hash_of(dfs, dfs->chain))) {
      return false;
    }
    state = dfs->chain;
  }
  return true;
}

/* ---- delayed answers ---- */

static bool settled_new(void *context, const struct clew_visit *visit) {
  struct dfs *dfs = context;
  if (!clew_run_absorb(&dfs->run, visit->state, visit->id, visit->depth, visit->parent,
                       visit->edge)) {
    return false;
  }
  struct frame *frame = clew_bigstack_push(&dfs->frames, sizeof *frame);
  struct pending *entry = frame == NULL ? NULL : push_pending(dfs, visit->state);
  if (entry == NULL) {
    dfs->failed = true;
    return false;
  }
  *entry = (struct pending){.edge = visit->edge, .id = (uint32_t)visit->id};
  *frame = (struct frame){.id = CLEW_LOG_ROOT,
                          .depth = visit->depth,
                          .settled = true,
                          .floor_bytes = dfs->pending.used_bytes - dfs->pending_bytes};
  return clew_run_may_go_on(&dfs->run, visit->id + 1);
}

static void settle(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  top_frame(dfs)->marked = false;
  /* A pushed frame may hide the marker of one below; that one is settled by now, too. */
  clew_run_settle(run, true, settled_new, dfs);
  if (dfs->failed) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
}

/* ---- the search ---- */

static void visit_taken(struct dfs *dfs, struct pending *taken, struct frame *frame) {
  struct clew_run *run = &dfs->run;
  const struct clew_store_type *type = run->store->type;
  const uint64_t *state = state_of(taken);
  struct clew_visit visit = {.state = state,
                             .hash = hash_of(dfs, state),
                             .parent = frame->id,
                             .edge = taken->edge,
                             .depth = frame->depth};
  uint64_t *known = known_slot(dfs, visit.hash);
  if (known != NULL && *known == visit.hash) {
    return;
  }
  type->put(run->store, 1, &visit);
  if (visit.answer == CLEW_FULL) {
    clew_run_refused(run);
    return;
  }
  frame->marked |= visit.answer == CLEW_MAYBE;
  if (known != NULL) {
    if (visit.answer == CLEW_SEEN && !dfs->truncated && !confirms_hit(dfs, state)) {
      visit.id = type->adopt(run->store);
      visit.answer = CLEW_NEW;
    }
    *known = visit.hash;
  }
  if (visit.answer != CLEW_NEW ||
      !clew_run_absorb(run, state, visit.id, frame->depth, frame->id, taken->edge)) {
    return;
  }
  if (clew_run_may_go_on(run, type->count(run->store))) {
    descend(dfs, (uint32_t)visit.id, frame->depth, state);
  }
}

/* All successors of the state on top were taken. */
static void close_frame(struct dfs *dfs, const struct frame *frame) {
  struct clew_run *run = &dfs->run;
  if (dfs->tells_expanded && frame->id != CLEW_LOG_ROOT) {
    struct pending *own = clew_bigstack_pop(&dfs->pending, dfs->pending_bytes);
    run->store->type->expanded(run->store, frame->id, frame->depth - 1, state_of(own));
  }
  clew_bigstack_pop(&dfs->frames, sizeof *frame);
}

/* Takes the next successor of the state on top, or closes it. */
static void step(struct dfs *dfs) {
  struct frame *frame = top_frame(dfs);
  assert(dfs->pending.used_bytes >= frame->floor_bytes);
  if (dfs->pending.used_bytes == frame->floor_bytes) {
    if (frame->marked) {
      settle(dfs);
    } else {
      close_frame(dfs, frame);
    }
  } else if (frame->settled) {
    struct pending *taken = take_pending(dfs);
    descend(dfs, taken->id, frame->depth, state_of(taken));
  } else if (clew_run_make_room(&dfs->run, 1) > 0) {
    visit_taken(dfs, take_pending(dfs), frame);
  } else if (!dfs->run.stopped) {
    settle(dfs);
  }
}

static void explore(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  struct clew_finding finding = clew_run_init(run);
  if (finding.property != CLEW_NONE) {
    clew_run_record(run, &finding);
  }
  if (!run->stopped && !push_frame(dfs, CLEW_LOG_ROOT, 0, NULL)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  while (!run->stopped && dfs->frames.used_bytes > 0) {
    step(dfs);
    if (!run->stopped) {
      clew_run_poll(run, 1, dfs->pending.used_bytes / dfs->pending_bytes,
                    dfs->frames.used_bytes / sizeof(struct frame));
    }
  }
  if (!run->stopped && dfs->truncated) {
    clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
  }
}

static void dfs_run(struct clew_search *search, struct clew_result *result) {
  struct dfs dfs = {0};
  const struct clew_store *store = search->store;
  clew_run_open(&dfs.run, search, result);
  dfs.run.is_depth = true;
  dfs.pending_bytes = sizeof(struct pending) + search->model->words * sizeof(uint64_t);
  if (search->precision > 0) {
    open_precision(&dfs);
  }
  dfs.tells_expanded = (store->capabilities & CLEW_STORE_EXPANDED) != 0;
  if (clew_bigstack_open(&dfs.frames, search->budget) &&
      clew_bigstack_open(&dfs.pending, search->budget)) {
    explore(&dfs);
  } else {
    clew_run_stop(&dfs.run, CLEW_STOP_MEMORY);
  }
  /* The answer to what follows may need the memory. */
  clew_bigstack_close(&dfs.frames);
  clew_bigstack_close(&dfs.pending);
  close_precision(&dfs);
  if (!dfs.run.stopped) {
    clew_run_complete(&dfs.run);
  }
  result->max_depth = dfs.max_depth;
  clew_run_close(&dfs.run);
}

const struct clew_engine_type clew_engine_dfs = {
    .name = "dfs",
    .help = "depth-first: finds deep errors early, with long counterexamples",
    .store_capabilities = 0,
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .run = dfs_run,
};
