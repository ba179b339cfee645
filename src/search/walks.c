/* Walks in parallel. The only thing that workers share is the number of the next walk and whether
 * somebody found something; what they found is put together in the end. */
#include "search/walks.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/random.h"
#include "base/vec.h"

enum { MOST_EDGES = 1 << 20, CONTESTANTS = 4 };

struct plan {
  const struct clew_walks *walks;
  uint32_t deadlock, fault; /* properties; CLEW_NONE: not asked for */
  atomic_uint_fast64_t next;
  atomic_bool is_over;
  struct walker *walkers;
};

struct walker {
  struct plan *plan;
  struct clew_random random;
  struct clew_succs starts, succs;
  uint64_t *state;
  CLEW_VEC(uint32_t) edges; /* of this walk */
  uint32_t initial;
  struct clew_walked walked;
  char own_line[64];
};

static uint32_t property_of_kind(const struct clew_walks *walks, enum clew_property_kind kind) {
  for (uint32_t i = 0; i < walks->model->property_count; i++) {
    if (walks->model->properties[i].kind == kind && clew_bitset_has(walks->enabled, i)) {
      return i;
    }
  }
  return CLEW_NONE;
}

static void find(struct walker *walker, uint64_t walk, uint32_t property, uint32_t fault_edge,
                 uint32_t site) {
  struct clew_trace *trace = &walker->walked.trace;
  assert(!walker->walked.found && property != CLEW_NONE);
  *trace = (struct clew_trace){.initial = walker->initial,
                               .property = property,
                               .fault_edge = fault_edge,
                               .site = site,
                               .loop_to = CLEW_NONE};
  trace->edge_count = walker->edges.len;
  trace->edges = clew_alloc(((size_t)trace->edge_count + 1) * sizeof *trace->edges);
  for (uint32_t i = 0; i < trace->edge_count; i++) {
    trace->edges[i] = walker->edges.data[i];
  }
  walker->walked.found = true;
  walker->walked.walk = walk + 1;
  atomic_store(&walker->plan->is_over, true);
}

/* Whether an evaluation ended for a reason that is clew's, not the model's. */
static bool is_limit(struct walker *walker, uint32_t site) {
  const struct clew_model *model = walker->plan->walks->model;
  if (site >= model->site_count) {
    return false;
  }
  bool is_cut = model->sites[site].kind == CLEW_SITE_RECURSION;
  walker->walked.cut += is_cut;
  return is_cut || model->sites[site].kind == CLEW_SITE_STOPPED;
}

/* ---- a step ---- */

/* The first run-time error among the transitions ends the walk: it is one step away. */
static bool meets_fault(struct walker *walker, uint64_t walk, const struct clew_succs *succs) {
  for (uint32_t i = 0; i < succs->fault_count; i++) {
    const struct clew_fault *fault = &succs->faults[i];
    if (!is_limit(walker, fault->site) && walker->plan->fault != CLEW_NONE) {
      find(walker, walk, walker->plan->fault, fault->edge, fault->site);
      return true;
    }
  }
  return false;
}

/* Of some that are drawn at random, the one that was taken least. */
static uint32_t draw(struct walker *walker, bool guided) {
  const struct clew_succs *succs = &walker->succs;
  uint32_t best = (uint32_t)clew_random_below(&walker->random, succs->count);
  for (uint32_t i = 1; guided && i < CONTESTANTS; i++) {
    uint32_t other = (uint32_t)clew_random_below(&walker->random, succs->count);
    if (walker->walked.fired[succs->edges[other]] < walker->walked.fired[succs->edges[best]]) {
      best = other;
    }
  }
  return best;
}

/* Whether the state that was reached violates something, or cannot be judged. */
static bool is_end(struct walker *walker, uint64_t walk) {
  const struct clew_walks *walks = walker->plan->walks;
  uint32_t site = CLEW_NONE;
  uint32_t property = walks->model->check(walks->model, walks->enabled, walker->state, &site);
  if (property != CLEW_NONE && !is_limit(walker, site)) {
    find(walker, walk, property, CLEW_NONE, site);
  }
  return property != CLEW_NONE;
}

/* False when the walk ends here. */
static bool take_step(struct walker *walker, uint64_t walk, bool guided) {
  const struct clew_model *model = walker->plan->walks->model;
  struct clew_succs *succs = &walker->succs;
  clew_succs_clear(succs);
  succs->resume = 0;
  model->next(model, walker->state, succs);
  if (atomic_load(model->stop) || meets_fault(walker, walk, succs)) {
    return false;
  }
  if (succs->stuck && walker->plan->deadlock != CLEW_NONE) {
    find(walker, walk, walker->plan->deadlock, CLEW_NONE, CLEW_NONE);
    return false;
  }
  if (succs->count == 0) {
    walker->walked.ended++;
    return false;
  }
  uint32_t pick = draw(walker, guided);
  uint32_t edge = succs->edges[pick];
  if (walker->walked.fired != NULL) {
    walker->walked.fired[edge]++;
  }
  clew_vec_push(&walker->edges, edge);
  memcpy(walker->state, succs->states + (size_t)pick * model->words,
         model->words * sizeof *walker->state);
  walker->walked.steps++;
  return !is_end(walker, walk);
}

/* ---- a walk ---- */

static void take_walk(struct walker *walker, uint64_t walk) {
  const struct clew_walks *walks = walker->plan->walks;
  const struct clew_model *model = walks->model;
  const struct clew_succs *starts = &walker->starts;
  clew_random_seed(&walker->random, walks->seed + walk * UINT64_C(0x9E3779B97F4A7C15));
  uint32_t pick = (uint32_t)clew_random_below(&walker->random, starts->count);
  walker->initial = starts->edges[pick];
  clew_vec_clear(&walker->edges);
  memcpy(walker->state, starts->states + (size_t)pick * model->words,
         model->words * sizeof *walker->state);
  bool guided = walk % 2 == 1 && walker->walked.fired != NULL;
  bool going = !is_end(walker, walk);
  for (uint64_t i = 0; i < walks->steps && going && !atomic_load(&walker->plan->is_over); i++) {
    going = take_step(walker, walk, guided);
  }
  walker->walked.walks++;
  if (walker->edges.len > walker->walked.longest) {
    walker->walked.longest = walker->edges.len;
  }
}

static void open_walker(struct walker *walker) {
  const struct clew_model *model = walker->plan->walks->model;
  clew_succs_open(&walker->starts, model->words, model->cover_count);
  clew_succs_open(&walker->succs, model->words, model->cover_count);
  walker->state = clew_alloc(model->words * sizeof *walker->state);
  if (model->edge_count <= MOST_EDGES) {
    walker->walked.fired =
        clew_alloc_zero((size_t)model->edge_count + 1, sizeof *walker->walked.fired);
  }
  model->init(model, &walker->starts);
}

static void work(void *context, uint32_t member) {
  struct plan *plan = context;
  struct walker *walker = &plan->walkers[member];
  walker->plan = plan;
  open_walker(walker);
  walker->initial = CLEW_NONE;
  bool going = !meets_fault(walker, 0, &walker->starts) && walker->starts.count > 0;
  walker->walked.has_start = walker->walked.found || walker->starts.count > 0;
  while (going) {
    uint64_t walk = atomic_fetch_add(&plan->next, 1);
    going = walk < plan->walks->walks && !atomic_load(&plan->is_over) &&
            !atomic_load(plan->walks->model->stop);
    if (going) {
      take_walk(walker, walk);
    }
  }
}

/* ---- together ---- */

static void join(struct clew_walked *all, struct walker *walker, uint32_t edges) {
  struct clew_walked *part = &walker->walked;
  all->walks += part->walks;
  all->steps += part->steps;
  all->ended += part->ended;
  all->cut += part->cut;
  all->longest = part->longest > all->longest ? part->longest : all->longest;
  all->has_start |= part->has_start;
  for (uint32_t i = 0; part->fired != NULL && i < edges; i++) {
    all->fired[i] += part->fired[i];
  }
  if (part->found && (!all->found || part->walk < all->walk)) {
    clew_trace_free(&all->trace);
    all->trace = part->trace;
    all->walk = part->walk;
    all->found = true;
    part->trace.edges = NULL;
  }
  if (part->found) {
    clew_trace_free(&part->trace);
  }
  clew_free(part->fired);
  clew_free(walker->state);
  clew_vec_free(&walker->edges);
  clew_succs_close(&walker->starts);
  clew_succs_close(&walker->succs);
}

void clew_walks_take(const struct clew_walks *walks, struct clew_walked *walked) {
  uint32_t members = clew_crew_size(walks->crew), edges = walks->model->edge_count;
  struct plan plan = {.walks = walks,
                      .deadlock = property_of_kind(walks, CLEW_PROPERTY_DEADLOCK),
                      .fault = property_of_kind(walks, CLEW_PROPERTY_FAULT)};
  plan.walkers = clew_alloc_zero(members, sizeof *plan.walkers);
  *walked = (struct clew_walked){0};
  walked->fired =
      edges <= MOST_EDGES ? clew_alloc_zero((size_t)edges + 1, sizeof *walked->fired) : NULL;
  clew_crew_work(walks->crew, members, work, &plan);
  for (uint32_t i = 0; i < members; i++) {
    join(walked, &plan.walkers[i], edges);
  }
  walked->is_stopped = atomic_load(walks->model->stop) && !walked->found;
  clew_free(plan.walkers);
}

void clew_walked_free(struct clew_walked *walked) {
  clew_free(walked->fired);
  if (walked->found) {
    clew_trace_free(&walked->trace);
  }
}
