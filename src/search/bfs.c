/* Breadth-first search.
 *
 * States get their ids in the order in which they are found, so the queue (frontier.c) is a range
 * of ids, and where the store does not give states back, the states in that order. Parents are
 * expanded into a common buffer until it holds a batch of successors; each is hashed and its bucket
 * prefetched as soon as its parent is expanded, and the store decides the batch at once.
 *
 * A store that delays its answers is made to give them when it has no room and at the end of a
 * level, so that the next level is complete before it is begun. One that would rather be late is
 * asked when nothing is left to expand. What it calls new then may be reached over fewer edges than
 * states that were found before, which may be reached over fewer edges from there: depths are those
 * of the paths found, and neither levels nor a diameter are reported. Under a depth limit levels
 * are kept exact, since it is they that the limit is about.
 *
 * Invariant: ids below frontier.next are expanded; those from there to level_end are the rest of
 * the current level, all of it at distance `depth`. What lies beyond is at distance depth + 1; in a
 * late search it consists of several runs of ids of the same depth each, which are taken for levels
 * one after the other. A batch does not cross the end of a level. Findings come in the order of one
 * state after the other, whatever the size of a batch: what an expansion finds is recorded after
 * its predecessors' successors were checked. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "search/frontier.h"
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

/* Consecutive ids of the same depth that are to be expanded; they end where the next run begins. */
struct depth_run {
  uint64_t first;
  uint32_t depth;
};

struct bfs {
  struct clew_run run;
  struct clew_frontier frontier;
  CLEW_VEC(struct parent) parents;
  uint64_t *parent_states;               /* of a batch, if the store asks for them */
  CLEW_VEC(uint64_t) level_ends;         /* of the levels that are begun */
  CLEW_VEC(struct depth_run) depth_runs; /* of states that are found */
  uint32_t next_run;                     /* the first that is not begun; the last one may grow */
  uint64_t level_end;
  uint32_t depth, max_depth;
  bool late;              /* the store decides when nothing else is left: levels are not exact */
  bool back_edges;        /* the store wants to know where states come from */
  bool measures_locality; /* `stats`, and the store says which state was seen */
  uint64_t max_queue;
};

static uint64_t state_count(const struct bfs *bfs) {
  return bfs->run.store->type->count(bfs->run.store);
}

static void stop_at_disk(struct bfs *bfs) {
  const char *why = clew_frontier_error(&bfs->frontier);
  clew_diag_plain(bfs->run.search->diags, CLEW_ERROR, NULL, "the queue of states: %s",
                  why != NULL ? why : "the disk failed");
  clew_run_stop(&bfs->run, CLEW_STOP_DISK);
}

/* ---- a batch ---- */

/* Takes the next state and appends its successors. */
static struct clew_finding expand_next(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  uint64_t id = bfs->frontier.next;
  if (!clew_frontier_pop(&bfs->frontier, run->state)) {
    stop_at_disk(bfs);
    return CLEW_NO_FINDING;
  }
  struct clew_finding finding = clew_run_expand(run, id, bfs->depth, run->state);
  if (bfs->parent_states != NULL) {
    uint32_t words = run->model->words;
    memcpy(bfs->parent_states + (size_t)bfs->parents.len * words, run->state,
           words * sizeof(uint64_t));
  }
  struct parent parent = {(uint32_t)id, run->succs.count};
  clew_vec_push(&bfs->parents, parent);
  return finding;
}

/* Expands states of this level until the batch is full or something is wrong. */
static struct clew_finding fill_batch(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  clew_run_clear(run);
  clew_vec_clear(&bfs->parents);
  struct clew_finding finding = CLEW_NO_FINDING;
  while (bfs->frontier.next < bfs->level_end && run->succs.count < BATCH_SUCCESSORS &&
         bfs->parents.len < BATCH_PARENTS && finding.property == CLEW_NONE && !run->stopped) {
    finding = expand_next(bfs);
  }
  return finding;
}

/* Tells the store where the successors, which are at `depth`, come from. */
static void attach_back_edges(struct bfs *bfs, uint32_t depth) {
  struct clew_run *run = &bfs->run;
  uint32_t i = 0;
  for (uint32_t p = 0; p < bfs->parents.len; p++) {
    for (; i < bfs->parents.data[p].successors_end; i++) {
      struct clew_visit *visit = &run->visits.data[i];
      visit->parent = bfs->parents.data[p].id;
      visit->edge = run->succs.edges[i];
      visit->depth = depth;
    }
  }
}

/* The next id belongs to a state at this depth. */
static void note_depth(struct bfs *bfs, uint64_t id, uint32_t depth) {
  uint32_t count = bfs->depth_runs.len;
  bool grows = bfs->next_run < count && bfs->depth_runs.data[count - 1].depth == depth;
  if (!grows) {
    clew_vec_push(&bfs->depth_runs, ((struct depth_run){id, depth}));
  }
  bfs->max_depth = depth > bfs->max_depth ? depth : bfs->max_depth;
}

/* A new state: logs and checks it, and lets it wait. False: the search must end now. */
static bool absorb(struct bfs *bfs, const struct clew_visit *visit, uint32_t depth, uint32_t parent,
                   uint32_t edge) {
  note_depth(bfs, visit->id, depth);
  if (!clew_run_absorb(&bfs->run, visit->state, visit->id, depth, parent, edge)) {
    return false;
  }
  if (!clew_frontier_push(&bfs->frontier, visit->state)) {
    stop_at_disk(bfs);
    return false;
  }
  return true;
}

static uint32_t level_of(const struct bfs *bfs, uint64_t id) {
  if (id >= bfs->level_end) {
    return bfs->depth + 1; /* most are there */
  }
  uint32_t low = 0, high = bfs->level_ends.len; /* the first level that ends behind it */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (bfs->level_ends.data[middle] <= id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void measure_locality(struct bfs *bfs, uint32_t p) {
  struct clew_locality *locality = &bfs->run.result->locality;
  uint32_t first = p == 0 ? 0 : bfs->parents.data[p - 1].successors_end;
  for (uint32_t i = first; i < bfs->parents.data[p].successors_end; i++) {
    uint64_t id = bfs->run.visits.data[i].id;
    if (id == bfs->parents.data[p].id) {
      clew_locality_loop(locality);
    } else {
      clew_locality_edge(locality, bfs->depth, level_of(bfs, id));
    }
  }
  clew_locality_state(locality);
}

/* All successors of a parent were put. */
static void finish_parent(struct bfs *bfs, uint32_t p) {
  struct clew_run *run = &bfs->run;
  if (bfs->parent_states != NULL) {
    const uint64_t *state = bfs->parent_states + (size_t)p * run->model->words;
    run->store->type->expanded(run->store, bfs->parents.data[p].id, bfs->depth, state);
  }
  if (bfs->measures_locality) {
    measure_locality(bfs, p);
  }
}

static bool settled_new(void *context, const struct clew_visit *visit) {
  struct bfs *bfs = context;
  return absorb(bfs, visit, visit->depth, visit->parent, visit->edge) &&
         clew_run_may_go_on(&bfs->run, visit->id + 1);
}

/* Puts the successors, which are at `depth`, and takes in the new ones among them. `finishes`: the
 * parents are states, and then done. */
static void put_batch(struct bfs *bfs, uint32_t depth, bool finishes) {
  struct clew_run *run = &bfs->run;
  uint32_t p = 0, done = 0, total = run->visits.len;
  if (bfs->back_edges) {
    attach_back_edges(bfs, depth);
  }
  while (p < bfs->parents.len) {
    /* Who wants to know when a state is done wants to know it before the next one's turn. */
    uint32_t last = bfs->parent_states != NULL ? bfs->parents.data[p].successors_end : total;
    uint32_t end = done < last ? done + clew_run_put(run, done, last) : done;
    for (; p < bfs->parents.len; p++) {
      struct parent parent = bfs->parents.data[p];
      for (; done < end && done < parent.successors_end; done++) {
        const struct clew_visit *visit = &run->visits.data[done];
        if (visit->answer == CLEW_FULL) {
          clew_run_refused(run);
          return;
        }
        if (visit->answer == CLEW_NEW &&
            !absorb(bfs, visit, depth, parent.id, run->succs.edges[done])) {
          return;
        }
      }
      if (done < parent.successors_end) {
        break;
      }
      if (finishes) {
        finish_parent(bfs, p);
      }
    }
    if (run->wants_settling && !clew_run_settle(run, false, settled_new, bfs)) {
      return;
    }
    if (run->stopped) {
      return;
    }
  }
}

static void absorb_batch(struct bfs *bfs, uint32_t depth, bool finishes,
                         const struct clew_finding *finding) {
  put_batch(bfs, depth, finishes);
  if (finding->property != CLEW_NONE && bfs->run.result->stop != CLEW_STOP_VIOLATION) {
    clew_run_record(&bfs->run, finding);
  }
}

/* ---- levels ---- */

static void expand_batch(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_finding finding = fill_batch(bfs);
  absorb_batch(bfs, bfs->depth + 1, true, &finding);
  uint64_t queue = state_count(bfs) - bfs->frontier.next;
  bfs->max_queue = queue > bfs->max_queue ? queue : bfs->max_queue;
  if (!run->stopped) {
    clew_run_poll(run, run->succs.count + bfs->parents.len, queue, bfs->depth);
  }
}

/* What is put off belongs to the level that is about to begin, unless the search is late. */
static void settle_level(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  if (!run->stopped && (run->store->capabilities & CLEW_STORE_DELAYED) != 0) {
    clew_run_settle(run, true, settled_new, bfs);
    uint64_t queue = state_count(bfs) - bfs->frontier.next;
    bfs->max_queue = queue > bfs->max_queue ? queue : bfs->max_queue;
  }
}

static void put_initial(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  struct clew_finding finding = clew_run_init(run);
  struct parent root = {CLEW_LOG_ROOT, run->succs.count};
  clew_vec_push(&bfs->parents, root);
  absorb_batch(bfs, 0, false, &finding);
  settle_level(bfs);
  bfs->max_queue = state_count(bfs);
}

/* Forgets the runs that are begun. */
static void compact_runs(struct bfs *bfs) {
  uint32_t left = bfs->depth_runs.len - bfs->next_run;
  if (bfs->next_run > left) {
    memmove(bfs->depth_runs.data, bfs->depth_runs.data + bfs->next_run,
            left * sizeof *bfs->depth_runs.data);
    bfs->depth_runs.len = left;
    bfs->next_run = 0;
  }
}

/* Takes the next run of states of the same depth: all of the next level, unless the search is late.
 */
static void begin_level(struct bfs *bfs) {
  compact_runs(bfs);
  assert(bfs->next_run < bfs->depth_runs.len);
  struct depth_run run = bfs->depth_runs.data[bfs->next_run++];
  assert(run.first == bfs->frontier.next && (bfs->late || run.depth == bfs->level_ends.len));
  bfs->depth = run.depth;
  bfs->level_end = bfs->next_run < bfs->depth_runs.len ? bfs->depth_runs.data[bfs->next_run].first
                                                       : state_count(bfs);
  if (!bfs->late) {
    clew_vec_push(&bfs->level_ends, bfs->level_end);
    clew_vec_push(&bfs->run.result->level_sizes, bfs->level_end - bfs->frontier.next);
  }
}

static void explore(struct bfs *bfs) {
  struct clew_run *run = &bfs->run;
  put_initial(bfs);
  while (!run->stopped && bfs->frontier.next < state_count(bfs)) {
    begin_level(bfs);
    if (bfs->depth >= run->search->limits.max_depth) {
      clew_run_stop(run, CLEW_STOP_MAX_DEPTH);
    }
    while (!run->stopped && bfs->frontier.next < bfs->level_end) {
      expand_batch(bfs);
    }
    if (bfs->frontier.next == (bfs->late ? state_count(bfs) : bfs->level_end)) {
      settle_level(bfs);
    }
  }
}

static void fill_levels(struct bfs *bfs) {
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
  if (result->complete) {
    result->diameter = result->levels > 0 ? result->levels - 1 : 0;
  }
}

static void fill_figures(struct bfs *bfs) {
  struct clew_result *result = bfs->run.result;
  if (bfs->late) {
    result->max_depth = bfs->max_depth;
  } else {
    fill_levels(bfs);
  }
  result->max_queue = bfs->max_queue;
  bfs->run.queue_disk_bytes = clew_frontier_disk_bytes_peak(&bfs->frontier);
}

static void open_hooks(struct bfs *bfs) {
  const struct clew_run *run = &bfs->run;
  unsigned capabilities = run->store->capabilities;
  bfs->late = (capabilities & CLEW_STORE_LATE) != 0 && run->search->limits.max_depth == CLEW_ABSENT;
  bfs->back_edges = (capabilities & (CLEW_STORE_BACK_EDGES | CLEW_STORE_DELAYED)) != 0;
  if ((capabilities & CLEW_STORE_EXPANDED) != 0) {
    bfs->parent_states = clew_alloc(sizeof(uint64_t) * (size_t)BATCH_PARENTS * run->model->words);
  }
  bfs->measures_locality = run->search->measures_locality &&
                           (capabilities & CLEW_STORE_DENSE) != 0 &&
                           (capabilities & CLEW_STORE_DELAYED) == 0;
  run->result->has_locality = bfs->measures_locality;
}

static void bfs_run(struct clew_search *search, struct clew_result *result) {
  struct bfs bfs = {0};
  clew_run_open(&bfs.run, search, result);
  open_hooks(&bfs);
  if (clew_frontier_open(&bfs.frontier, search)) {
    explore(&bfs);
  } else {
    clew_run_stop(&bfs.run, CLEW_STOP_MEMORY);
  }
  if (!bfs.run.stopped) {
    clew_run_complete(&bfs.run);
  }
  fill_figures(&bfs);
  clew_frontier_close(&bfs.frontier);
  clew_vec_free(&bfs.parents);
  clew_vec_free(&bfs.level_ends);
  clew_vec_free(&bfs.depth_runs);
  clew_free(bfs.parent_states);
  clew_run_close(&bfs.run);
}

const struct clew_engine_type clew_engine_bfs = {
    .name = "bfs",
    .help = "breadth-first: shortest counterexamples",
    .store_capabilities = 0,
    .property_kinds = (1U << CLEW_PROPERTY_KINDS) - 1,
    .run = bfs_run,
};
