/* Depth-first search, iterative.
 *
 * Two stacks, both from the budget. `frames` holds one frame per open state: its id and the height
 * at which its successors begin. `pending` holds the successors not yet taken, with their edges;
 * those of one state lie in reverse, so that the next to be taken (the smallest edge) is on top and
 * what is taken is gone: nothing is kept for the part of a state that is done.
 *
 * Whether a successor was seen is asked when it is taken, which is what makes the order depth-first
 * in the strict sense. Its bucket was prefetched when it was generated, and again when it is about
 * to be taken.
 *
 * Under a depth limit a state first reached at the limit is not expanded, even though a shorter
 * path to it may exist: the search misses states that a breadth-first one would see. It is reported
 * as incomplete either way.
 *
 * Invariant: successors of frame f lie between its floor and the floor of the frame above; the
 * frame at the bottom stands for "before the initial states" and has no id. */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "search/search_int.h"

/* Successors between prefetching a bucket and looking into it, while most were seen before. */
enum { PREFETCH_DISTANCE = 4 };

struct frame {
  uint32_t id; /* CLEW_LOG_ROOT at the bottom */
  size_t floor_bytes;
};

/* Followed by the words of the state. */
struct pending {
  uint64_t edge; /* the hash would cost a third more memory and saves 4 ns */
};

struct dfs {
  struct clew_run run;
  struct clew_bigstack frames, pending;
  size_t pending_bytes; /* of one */
  uint32_t max_depth;
  bool truncated; /* some state was not expanded because of the depth limit */
};

static struct frame *top_frame(const struct dfs *dfs) {
  assert(dfs->frames.used_bytes >= sizeof(struct frame));
  return clew_bigstack_top(&dfs->frames, sizeof(struct frame));
}

/* Of the successors of the state on top. */
static uint32_t current_depth(const struct dfs *dfs) {
  return (uint32_t)(dfs->frames.used_bytes / sizeof(struct frame)) - 1;
}

/* Opens a state whose successors are in the buffer. */
static bool push_frame(struct dfs *dfs, uint32_t id) {
  const struct clew_run *run = &dfs->run;
  const struct clew_succs *succs = &run->succs;
  struct frame *frame = clew_bigstack_push(&dfs->frames, sizeof *frame);
  if (frame == NULL) {
    return false;
  }
  *frame = (struct frame){id, dfs->pending.used_bytes};
  unsigned char *top = clew_bigstack_push(&dfs->pending, succs->count * dfs->pending_bytes);
  if (top == NULL) {
    return false;
  }
  for (uint32_t i = succs->count; i-- > 0; top += dfs->pending_bytes) {
    struct pending *entry = (struct pending *)(void *)top;
    entry->edge = succs->edges[i];
    memcpy(entry + 1, succs->states + (size_t)i * succs->words, succs->words * sizeof(uint64_t));
  }
  return true;
}

static const uint64_t *state_of(const struct pending *entry) {
  return (const uint64_t *)(const void *)(entry + 1);
}

static uint64_t hash_of(const struct dfs *dfs, const struct pending *entry) {
  const struct clew_store_config *config = &dfs->run.store->config;
  return clew_hash_words(state_of(entry), config->words, config->seed);
}

static struct pending *take_pending(struct dfs *dfs) {
  struct pending *taken = clew_bigstack_pop(&dfs->pending, dfs->pending_bytes);
  size_t ahead_bytes = PREFETCH_DISTANCE * dfs->pending_bytes;
  if (dfs->pending.used_bytes >= ahead_bytes) {
    const struct pending *later = clew_bigstack_top(&dfs->pending, ahead_bytes);
    dfs->run.store->type->prefetch(dfs->run.store, hash_of(dfs, later));
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
  clew_run_clear(run);
  struct clew_finding finding = clew_run_expand(run, id, depth, state);
  if (finding.property != CLEW_NONE) {
    clew_run_record(run, &finding);
  }
  if (!run->stopped && !push_frame(dfs, id)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
}

/* Takes the next successor of the state on top, or closes it. */
static void step(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  const struct clew_store_type *type = run->store->type;
  struct frame *frame = top_frame(dfs);
  assert(dfs->pending.used_bytes >= frame->floor_bytes);
  if (dfs->pending.used_bytes == frame->floor_bytes) {
    clew_bigstack_pop(&dfs->frames, sizeof *frame);
    return;
  }
  const struct pending *taken = take_pending(dfs);
  const uint64_t *state = state_of(taken);
  if (!type->reserve(run->store, 1)) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
    return;
  }
  struct clew_visit visit = {.state = state, .hash = hash_of(dfs, taken)};
  type->put(run->store, 1, &visit);
  if (visit.answer != CLEW_NEW) {
    return;
  }
  uint32_t depth = current_depth(dfs), id = (uint32_t)visit.id;
  if (!clew_run_absorb(run, state, id, depth, frame->id, (uint32_t)taken->edge)) {
    return;
  }
  if (type->count(run->store) >= run->search->limits.max_states) {
    clew_run_stop(run, CLEW_STOP_MAX_STATES);
    return;
  }
  descend(dfs, id, depth, state);
}

static void explore(struct dfs *dfs) {
  struct clew_run *run = &dfs->run;
  struct clew_finding finding = clew_run_init(run);
  if (finding.property != CLEW_NONE) {
    clew_run_record(run, &finding);
  }
  if (!run->stopped && !push_frame(dfs, CLEW_LOG_ROOT)) {
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
  clew_run_open(&dfs.run, search, result);
  dfs.run.is_depth = true;
  dfs.pending_bytes = sizeof(struct pending) + search->model->words * sizeof(uint64_t);
  if (clew_bigstack_open(&dfs.frames, search->budget) &&
      clew_bigstack_open(&dfs.pending, search->budget)) {
    explore(&dfs);
  } else {
    clew_run_stop(&dfs.run, CLEW_STOP_MEMORY);
  }
  /* The answer to what follows may need the memory. */
  clew_bigstack_close(&dfs.frames);
  clew_bigstack_close(&dfs.pending);
  if (!dfs.run.stopped) {
    clew_run_complete(&dfs.run);
  }
  result->max_depth = dfs.max_depth;
  clew_run_close(&dfs.run);
}

const struct clew_engine_type clew_engine_dfs = {
    .name = "dfs",
    .help = "depth-first: finds deep errors early, with long counterexamples",
    /* The search itself needs no GET; liveness, decided afterwards on the stored graph, does. */
    .store_capabilities = CLEW_STORE_GET | CLEW_STORE_DENSE,
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .run = dfs_run,
};
