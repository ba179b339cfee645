/* Evaluations that clew ended before they had an answer: the stop flag was raised, or calls nest
 * more deeply than clew allows. Neither says anything about the model. What such an evaluation left
 * behind is not used: no successor, no value, no violation.
 *
 * A raised flag ends the search, and so does a model that finds no memory for what it learns, or no
 * room in its states. Calls
 * that nest too deeply do not: everything else is explored and checked, and at the end the search
 * is not complete. So the answer does not depend on the order in which states are visited. */
#include <assert.h>

#include "search/search_int.h"

void clew_run_interrupt(struct clew_run *run) {
  const atomic_bool *interrupted = run->search->interrupted;
  bool by_signal = interrupted != NULL && atomic_load_explicit(interrupted, memory_order_relaxed);
  clew_run_stop(run, by_signal ? CLEW_STOP_SIGNAL : CLEW_STOP_MAX_TIME);
}

static void note_depth(struct clew_run *run, uint32_t site) {
  uint32_t known = atomic_load_explicit(&run->deep_site, memory_order_relaxed);
  while (site < known && !atomic_compare_exchange_weak(&run->deep_site, &known, site)) {
  }
}

bool clew_run_leaves_open(struct clew_run *run, uint32_t site) {
  assert(site < run->model->site_count);
  switch (run->model->sites[site].kind) {
  case CLEW_SITE_STOPPED:
    clew_run_interrupt(run);
    return true;
  case CLEW_SITE_MEMORY:
    clew_run_stop(run, CLEW_STOP_MEMORY);
    return true;
  case CLEW_SITE_LAYOUT:
    clew_run_stop(run, CLEW_STOP_LAYOUT);
    return true;
  case CLEW_SITE_RECURSION:
    note_depth(run, site);
    return true;
  default:
    return false;
  }
}

bool clew_run_sift_faults(struct clew_run *run, struct clew_succs *succs, uint32_t first,
                          uint32_t first_fault) {
  uint32_t kept = first_fault;
  bool stopped = false;
  for (uint32_t i = first_fault; i < succs->fault_count; i++) {
    uint32_t site = succs->faults[i].site;
    if (clew_run_leaves_open(run, site)) {
      stopped |= run->model->sites[site].kind != CLEW_SITE_RECURSION;
    } else {
      succs->faults[kept++] = succs->faults[i];
    }
  }
  succs->fault_count = stopped ? first_fault : kept;
  succs->count = stopped ? first : succs->count;
  succs->resume = stopped ? 0 : succs->resume; /* no further piece */
  return !stopped;
}
