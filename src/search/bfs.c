/* Breadth-first search over a store with dense ids.
 *
 * States get their ids in the order in which they are found, so the queue is nothing but the ids
 * from `next` to the number of states: no state is kept twice. Parents are expanded into a common
 * buffer until it holds a batch of successors; each is hashed and its bucket prefetched as soon as
 * its parent is expanded, and the store decides the batch at once.
 *
 * Invariant: ids below `next` are expanded; [next, level_end) is the rest of the current level, all
 * of it at distance `depth`; what lies beyond is at distance depth + 1. A batch does not cross the
 * end of a level. Findings come in the order of one state after the other, whatever the size of a
 * batch: what an expansion finds is recorded after its predecessors' successors were checked. */
#include <assert.h>

#include "search/search_int.h"

/* Measured on whole searches: flat from 32 to 1024, half as fast again as one parent at a time. */
enum {
  BATCH_SUCCESSORS = 256,
  BATCH_PARENTS = 256, /* limits are watched once per batch, also where nothing has successors */
};

struct parent {
  uint32_t id;
  uint32_t successors_end; /* its successors end before this one of the buffer */
};

struct bfs {
  struct clew_run run;
  CLEW_VEC(struct parent) parents;
  uint64_t next, level_end;
  uint32_t depth;
  uint64_t max_queue;
};

static uint64_t state_count(const struct bfs *bfs) {
  return bfs->run.store->type->count(bfs->run.store);
}

/* Expands states of this level until the batch is full or something is wrong. */
static struct clew_finding fill_batch(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  const struct clew_store_type *type = run->store->type;
  clew_run_clear(run);
  clew_vec_clear(&bfs->parents);
  struct clew_finding finding = CLEW_NO_FINDING;
  while (bfs->next < bfs->level_end && run->succs.count < BATCH_SUCCESSORS &&
         bfs->parents.len < BATCH_PARENTS && finding.property == CLEW_NONE) {
    type->get(run->store, bfs->next, run->state);
    finding = clew_run_expand(run, bfs->next, bfs->depth, run->state);
    struct parent parent = {(uint32_t)bfs->next, run->succs.count};
    clew_vec_push(&bfs->parents, parent);
    bfs->next++;
  }
  return finding;
}

/* Logs and checks the new ones among the first `count` successors, which are at `depth`. */
static void absorb_new(struct bfs *bfs, uint32_t count, uint32_t depth) {
  struct clew_run *run = &bfs->run;
  uint32_t i = 0;
  for (uint32_t p = 0; p < bfs->parents.len; p++) {
    struct parent parent = bfs->parents.data[p];
    uint32_t end = parent.successors_end < count ? parent.successors_end : count;
    for (; i < end; i++) {
      const struct clew_visit *visit = &run->visits.data[i];
      assert(visit->answer == CLEW_NEW || visit->answer == CLEW_SEEN);
      if (visit->answer == CLEW_NEW &&
          !clew_run_absorb(run, visit->state, visit->id, depth, parent.id, run->succs.edges[i])) {
        return;
      }
    }
  }
}

static void absorb_batch(struct bfs *bfs, uint32_t count, uint32_t depth,
                         const struct clew_finding *finding) {
  absorb_new(bfs, count, depth);
  if (finding->property != CLEW_NONE && bfs->run.result->stop != CLEW_STOP_VIOLATION) {
    clew_run_record(&bfs->run, finding);
  }
}

static void expand_batch(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_finding finding = fill_batch(bfs);
  uint32_t count = clew_run_put(run);
  absorb_batch(bfs, count, bfs->depth + 1, &finding);
  uint64_t queue = state_count(bfs) - bfs->next;
  bfs->max_queue = queue > bfs->max_queue ? queue : bfs->max_queue;
  if (!run->stopped) {
    clew_run_poll(run, run->succs.count + bfs->parents.len, queue, bfs->depth);
  }
}

static void put_initial(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_finding finding = clew_run_init(run);
  struct parent root = {CLEW_LOG_ROOT, run->succs.count};
  clew_vec_push(&bfs->parents, root);
  uint32_t count = clew_run_put(run);
  absorb_batch(bfs, count, 0, &finding);
  bfs->max_queue = state_count(bfs);
}

static void begin_level(struct bfs *bfs) {
  bfs->level_end = state_count(bfs);
  clew_vec_push(&bfs->run.result->level_sizes, bfs->level_end - bfs->next);
}

static void explore(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  put_initial(bfs);
  while (!run->stopped && bfs->next < state_count(bfs)) {
    begin_level(bfs);
    if (bfs->depth >= run->search->limits.max_depth) {
      clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
    }
    while (!run->stopped && bfs->next < bfs->level_end) {
      expand_batch(bfs);
    }
    if (bfs->next == bfs->level_end) {
      bfs->depth++;
    }
  }
}

static void fill_figures(struct bfs *bfs) {
  struct clew_result *result = bfs->run.result;
  uint64_t in_levels = 0;
  for (uint32_t i = 0; i < result->level_sizes.len; i++) {
    in_levels += result->level_sizes.data[i];
  }
  if (in_levels < state_count(bfs)) {
    assert(bfs->run.stopped); /* within a level: the next one is known in part */
    clew_vec_push(&result->level_sizes, state_count(bfs) - in_levels);
  }
  if (clew_run_counts_error(&bfs->run)) {
    if (bfs->run.error_depth == result->level_sizes.len) {
      clew_vec_push(&result->level_sizes, 0);
    }
    assert(bfs->run.error_depth < result->level_sizes.len);
    result->level_sizes.data[bfs->run.error_depth]++;
  }
  result->levels = result->level_sizes.len;
  result->max_queue = bfs->max_queue;
  if (result->complete) {
    result->diameter = result->levels > 0 ? result->levels - 1 : 0;
  }
}

static void bfs_run(struct clew_search *search, struct clew_result *result) {
  struct bfs bfs = {0};
  clew_run_open(&bfs.run, search, result);
  explore(&bfs);
  if (!bfs.run.stopped) {
    clew_run_complete(&bfs.run);
  }
  fill_figures(&bfs);
  clew_vec_free(&bfs.parents);
  clew_run_close(&bfs.run);
}

const struct clew_engine_type clew_engine_bfs = {
    .name = "bfs",
    .help = "breadth-first: shortest counterexamples",
    .store_capabilities = CLEW_STORE_GET | CLEW_STORE_DENSE,
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .run = bfs_run,
};
