/* Coverage: which rules fired, and, in a pass over the stored states when the search is over, which
 * values were taken and which invariants were put to the test.
 *
 * Rules are counted while states are expanded: an increment for each transition. The pass takes no
 * more than a share of the time of the search, which is small unless somebody asks; if that is not
 * enough for all states, nothing is said. A search that is not complete says nothing, either. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "search/search_int.h"

enum { MOST_EDGES = 1 << 18, BLOCK = 256 };
static const double SHARE = 0.005, LEAST_S = 0.002;

void clew_worker_open_coverage(struct clew_worker *worker) {
  const struct clew_model *model = worker->run->model;
  worker->fired = model->rules != NULL && model->edge_count <= MOST_EDGES
                      ? clew_alloc_zero((size_t)model->edge_count + 1, sizeof *worker->fired)
                      : NULL;
}

/* ---- in the end: rules ---- */

static void gather_discarded(const struct clew_run *run, struct clew_coverage *coverage) {
  for (uint32_t w = 0; w < run->most_workers; w++) {
    coverage->discarded += run->workers[w] != NULL ? run->workers[w]->succs.discarded : 0;
  }
}

static void gather_rules(const struct clew_run *run, struct clew_coverage *coverage) {
  const struct clew_model *model = run->model;
  coverage->fired = clew_alloc_zero((size_t)model->rule_count + 1, sizeof *coverage->fired);
  for (uint32_t w = 0; w < run->most_workers; w++) {
    const struct clew_worker *worker = run->workers[w];
    if (worker == NULL) {
      continue;
    }
    const uint64_t *fired = clew_worker_fired(worker);
    if (fired == NULL) {
      clew_free(coverage->fired);
      coverage->fired = NULL;
      return;
    }
    for (uint32_t edge = 0; edge < model->edge_count; edge++) {
      if (fired[edge] > 0) {
        coverage->fired[model->rule_of(model, edge)] += fired[edge];
      }
    }
  }
}

/* ---- in the end: values and premises ---- */

/* A slot whose values are looked at, and those that were not met yet. */
struct watch {
  uint32_t slot;
  uint64_t missing;
};

struct pass {
  struct clew_run *run;
  struct clew_coverage *coverage;
  CLEW_VEC(struct watch) watches; /* that still miss values */
  CLEW_VEC(uint32_t) untested;    /* properties */
};

static void open_pass(struct pass *pass) {
  const struct clew_model *model = pass->run->model;
  struct clew_coverage *coverage = pass->coverage;
  coverage->taken = clew_alloc_zero((size_t)model->slot_count + 1, sizeof *coverage->taken);
  coverage->tested = clew_alloc_zero(CLEW_BITSET_WORDS((size_t)model->property_count) + 1,
                                     sizeof *coverage->tested);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const struct clew_slot *slot = &model->slots[i];
    uint64_t span = (uint64_t)slot->domain->hi - (uint64_t)slot->domain->lo;
    /* A representative has whichever names its orbit is sorted by. */
    bool is_renamed = model->reduction != NULL && slot->domain->symmetric;
    if (!slot->hidden && !is_renamed && span > 0 && span < CLEW_COVERAGE_VALUES) {
      struct watch watch = {i, clew_bits_mask((uint32_t)span + 1)};
      clew_vec_push(&pass->watches, watch);
    }
  }
  for (uint32_t i = 0; i < model->property_count; i++) {
    const struct clew_property *property = &model->properties[i];
    bool is_conditional = property->kind == CLEW_PROPERTY_INVARIANT && model->tests != NULL &&
                          clew_outcome_is_asked(&pass->run->result->outcomes, i) &&
                          model->tests(model, property->label, NULL);
    if (is_conditional) {
      clew_vec_push(&pass->untested, i);
    } else {
      clew_bitset_add(coverage->tested, i);
    }
  }
}

static void look_at(struct pass *pass, const uint64_t *state) {
  const struct clew_model *model = pass->run->model;
  for (uint32_t i = 0; i < pass->watches.len; i++) {
    struct watch *watch = &pass->watches.data[i];
    const struct clew_slot *slot = &model->slots[watch->slot];
    int64_t value = clew_slot_get(slot, state);
    if (value == CLEW_UNDEFINED || !clew_slot_present(model, watch->slot, state)) {
      continue;
    }
    uint64_t bit = UINT64_C(1) << ((uint64_t)value - (uint64_t)slot->domain->lo);
    pass->coverage->taken[watch->slot] |= bit;
    watch->missing &= ~bit;
    if (watch->missing == 0) {
      *watch = clew_vec_pop(&pass->watches);
      i--;
    }
  }
  for (uint32_t i = 0; i < pass->untested.len; i++) {
    uint32_t property = pass->untested.data[i];
    if (model->tests(model, model->properties[property].label, state)) {
      clew_bitset_add(pass->coverage->tested, property);
      pass->untested.data[i--] = clew_vec_pop(&pass->untested);
    }
  }
}

/* False when the time is over before all states were looked at. */
static bool look_at_all(struct pass *pass) {
  struct clew_run *run = pass->run;
  uint32_t words = run->model->words;
  uint64_t count = run->store->type->count(run->store);
  double began_s = clew_clock_wall_s(), spent_s = began_s - run->began_s;
  double share = run->search->coverage_share > 0 ? run->search->coverage_share : SHARE;
  double most_s = spent_s * share > LEAST_S ? spent_s * share : LEAST_S;
  uint64_t *states = clew_alloc((size_t)BLOCK * words * sizeof *states);
  clew_id id = 0;
  bool in_time = true;
  while (id < count && in_time && (pass->watches.len > 0 || pass->untested.len > 0)) {
    uint32_t some = count - id < BLOCK ? (uint32_t)(count - id) : BLOCK;
    run->store->type->get(run->store, id, some, states);
    for (uint32_t i = 0; i < some; i++) {
      look_at(pass, states + (size_t)i * words);
    }
    id += some;
    in_time = clew_clock_wall_s() - began_s < most_s && !atomic_load(run->stop);
  }
  clew_free(states);
  return id >= count || (pass->watches.len == 0 && pass->untested.len == 0);
}

static void gather_values(struct clew_run *run, struct clew_coverage *coverage) {
  const unsigned needed = CLEW_STORE_GET | CLEW_STORE_DENSE | CLEW_STORE_REMEMBERS;
  if (run->store == NULL || (run->store->promises & needed) != needed || run->takes_census) {
    coverage->why = "the store does not give all states back";
    return;
  }
  struct pass pass = {.run = run, .coverage = coverage};
  open_pass(&pass);
  coverage->has_values = look_at_all(&pass);
  coverage->why = coverage->has_values ? NULL : "there are too many states to look at again";
  clew_vec_free(&pass.watches);
  clew_vec_free(&pass.untested);
}

void clew_run_gather_coverage(struct clew_run *run) {
  struct clew_coverage *coverage = &run->result->coverage;
  gather_discarded(run, coverage);
  bool is_whole = run->result->scope.complete && run->result->states > 0 && run->store != NULL;
  if (!is_whole) {
    coverage->why =
        run->store == NULL ? "the search works on sets of states" : "the search is not complete";
    return;
  }
  gather_rules(run, coverage);
  gather_values(run, coverage);
}
