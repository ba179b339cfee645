/* One result of several searches: each has explored the same model for some of its properties, and
 * perhaps forgot more than another one could. An answer is the answer of the search that was asked,
 * and the scope is what all of them have seen. Figures are those of the first search that was
 * complete, or else of the first. */
#include <assert.h>
#include <math.h>

#include "base/bits.h"
#include "search/engine.h"

/* A search that was told enough need not see everything: what it was asked for is shown. */
static bool has_answered(const struct clew_result *part) {
  return part->scope.complete || part->stop == CLEW_STOP_DECIDED;
}

static void join_outcomes(struct clew_outcomes *all, struct clew_outcomes *part,
                          const uint64_t *asked) {
  assert(all->count == part->count);
  for (uint32_t i = 0; i < all->count; i++) {
    if (clew_bitset_has(asked, i)) {
      all->list[i] = part->list[i];
    }
  }
  for (uint32_t i = 0; i < part->violated.len; i++) {
    clew_vec_push(&all->violated, part->violated.data[i]);
  }
}

/* A violation is shown rather than what was looked for. */
static void join_traces(struct clew_result *all, struct clew_result *part, bool was_violated,
                        bool goes_on) {
  bool replaces =
      part->has_trace && (!all->has_trace || (!was_violated && part->outcomes.violated.len > 0));
  for (uint32_t i = 0; i < part->more_traces.len; i++) {
    clew_vec_push(&all->more_traces, part->more_traces.data[i]);
  }
  part->more_traces.len = 0;
  bool is_another = goes_on && part->has_trace && !replaces && part->outcomes.violated.len > 0;
  if (is_another) {
    clew_vec_push(&all->more_traces, part->trace);
    part->has_trace = false;
  }
  if (!replaces) {
    return;
  }
  if (all->has_trace) {
    clew_trace_free(&all->trace);
  }
  all->trace = part->trace;
  all->has_trace = true;
  part->has_trace = false;
}

static uint64_t greater(uint64_t a, uint64_t b) {
  return b != CLEW_ABSENT && (a == CLEW_ABSENT || b > a) ? b : a;
}

#define SWAP(field)                                                                                \
  do {                                                                                             \
    t.field = a->field;                                                                            \
    a->field = b->field;                                                                           \
    b->field = t.field;                                                                            \
  } while (false)

/* Exchanges all but the answers. */
static void swap_figures(struct clew_result *a, struct clew_result *b) {
  struct clew_result t = *a;
  *a = *b;
  *b = t;
  SWAP(verdict);
  SWAP(exit_code);
  SWAP(stop);
  SWAP(stop_site);
  SWAP(scope);
  SWAP(outcomes);
  SWAP(forgets);
  SWAP(trace_lost);
  SWAP(has_trace);
  SWAP(trace);
  SWAP(more_traces);
  SWAP(explore_s);
  SWAP(figures_of);
  SWAP(measurements);
  SWAP(explorations);
}

void clew_search_join(const struct clew_model *model, const uint64_t *asked, bool goes_on,
                      struct clew_result *all, struct clew_result *part) {
  bool was_violated = all->outcomes.violated.len > 0;
  bool has_better = part->scope.complete && !all->explorations.data[all->figures_of].complete;
  uint64_t deadlocks = greater(all->deadlocks, part->deadlocks);
  uint64_t store_bytes = greater(all->store_bytes, part->store_bytes);
  uint64_t disk_bytes = greater(all->disk_bytes_peak, part->disk_bytes_peak);
  bool is_complete = all->scope.complete && part->scope.complete;
  all->scope.complete = is_complete || ((all->scope.complete || part->scope.complete) &&
                                        has_answered(all) && has_answered(part));
  all->scope.lossless = all->scope.lossless && part->scope.lossless;
  all->scope.has_states = all->scope.has_states || part->scope.has_states;
  all->scope.is_absurd = all->scope.is_absurd && part->scope.is_absurd;
  all->stop = part->stop != CLEW_STOP_FINISHED ? part->stop : all->stop;
  all->stop_site = part->stop == CLEW_STOP_CALLS ? part->stop_site : all->stop_site;
  all->trace_lost = all->trace_lost || part->trace_lost;
  all->forgets = all->forgets || part->forgets;
  join_traces(all, part, was_violated, goes_on);
  join_outcomes(&all->outcomes, &part->outcomes, asked);
  for (uint32_t i = 0; i < part->measurements.len; i++) {
    clew_vec_push(&all->measurements, part->measurements.data[i]);
  }
  all->explore_s += isnan(part->explore_s) ? 0 : part->explore_s;
  if (has_better) {
    swap_figures(all, part);
    all->figures_of = all->explorations.len - 1;
  }
  all->deadlocks = deadlocks;
  all->store_bytes = store_bytes;
  all->disk_bytes_peak = disk_bytes;
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&all->outcomes, model->properties, &all->scope);
  all->verdict = conclusion.verdict;
  all->exit_code = conclusion.exit_code;
}
