/* What a search finds: which properties a state violates, and how that gets into the result.
 *
 * Invariant: a property is in run->open until its violation is recorded, so each has at most one
 * violation however long the search goes on, and the first of them all has the trace. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "search/search_int.h"

static void build_trace(struct clew_run *run, const struct clew_finding *finding) {
  struct clew_trace trace = {.initial = CLEW_NONE};
  if (finding->id != CLEW_ABSENT) {
    if (clew_trace_build(run->search->log, finding->id, &trace, run->search->diags) != CLEW_OK) {
      return;
    }
  }
  trace.property = finding->property;
  trace.fault_edge = finding->fault_edge;
  trace.site = finding->site;
  clew_trace_unfold(run->model, &trace);
  run->result->trace = trace;
  run->result->has_trace = true;
}

static void add_violation(struct clew_run *run, const struct clew_finding *finding) {
  clew_bitset_remove(run->open, finding->property);
  clew_result_add_violation(run->result, finding->property, finding->depth, finding->site);
  if (run->search->stop_at_violation) {
    clew_run_stop(run, CLEW_STOP_VIOLATION);
  }
}

void clew_run_record(struct clew_run *run, const struct clew_finding *finding) {
  assert(finding->property < run->model->property_count);
  if (!clew_bitset_has(run->open, finding->property)) {
    return;
  }
  bool is_first = run->result->violations.len == 0;
  add_violation(run, finding);
  if (is_first) {
    build_trace(run, finding);
  }
}

struct clew_finding clew_run_label_fault(const struct clew_run *run, uint32_t property,
                                         uint32_t site, uint64_t id, uint32_t depth) {
  assert(site != CLEW_NONE);
  return (struct clew_finding){
      .property = run->fault_property != CLEW_NONE ? run->fault_property : property,
      .depth = depth,
      .fault_edge = CLEW_NONE,
      .site = site,
      .id = id,
  };
}

/* Outlined: a violated invariant ends most searches. The invariants left to be checked are copied,
 * because one that cannot be evaluated here may be violated elsewhere. */
static void record_invariants(struct clew_run *run, uint32_t property, uint32_t site,
                              const uint64_t *state, uint64_t id, uint32_t depth) {
  uint32_t words = CLEW_BITSET_WORDS(run->model->property_count);
  memcpy(run->scratch_set, run->open, words * sizeof *run->open);
  while (property != CLEW_NONE && run->result->stop != CLEW_STOP_VIOLATION) {
    struct clew_finding finding = {
        .property = property, .depth = depth, .fault_edge = CLEW_NONE, .site = CLEW_NONE, .id = id};
    if (site != CLEW_NONE) {
      finding = clew_run_label_fault(run, property, site, id, depth);
    }
    clew_run_record(run, &finding);
    clew_bitset_remove(run->scratch_set, property);
    site = CLEW_NONE;
    property = run->model->check(run->model, run->scratch_set, state, &site);
  }
}

static void check_covers(struct clew_run *run, const uint64_t *state, uint64_t id, uint32_t depth) {
  for (uint32_t i = 0; i < run->uncovered.len;) {
    uint32_t property = run->uncovered.data[i], site = CLEW_NONE;
    bool holds =
        run->model->label(run->model, run->model->properties[property].label, state, &site);
    if (site != CLEW_NONE) {
      struct clew_finding finding = clew_run_label_fault(run, property, site, id, depth);
      clew_run_record(run, &finding);
      if (run->result->stop == CLEW_STOP_VIOLATION) {
        return;
      }
    }
    if (holds) {
      run->uncovered.data[i] = clew_vec_pop(&run->uncovered);
    } else {
      i++;
    }
  }
}

void clew_run_check(struct clew_run *run, const uint64_t *state, uint64_t id, uint32_t depth) {
  if (run->has_invariants) {
    uint32_t site = CLEW_NONE;
    uint32_t property = run->model->check(run->model, run->open, state, &site);
    if (__builtin_expect(property != CLEW_NONE, 0)) {
      record_invariants(run, property, site, state, id, depth);
    }
  }
  if (run->uncovered.len > 0 && run->result->stop != CLEW_STOP_VIOLATION) {
    check_covers(run, state, id, depth);
  }
}

static bool is_covered(const struct clew_run *run, uint32_t property) {
  const struct clew_property *p = &run->model->properties[property];
  assert(p->kind == CLEW_PROPERTY_COVER);
  if (p->is_statement) {
    return clew_bitset_has(run->succs.covered, p->label);
  }
  for (uint32_t i = 0; i < run->uncovered.len; i++) {
    if (run->uncovered.data[i] == property) {
      return false;
    }
  }
  return true;
}

static void record_uncovered(struct clew_run *run) {
  for (uint32_t i = 0; i < run->model->property_count && !run->stopped; i++) {
    if (run->model->properties[i].kind == CLEW_PROPERTY_COVER && clew_bitset_has(run->open, i) &&
        !is_covered(run, i)) {
      /* There is no path to what is not reached, hence no trace. */
      add_violation(run,
                    &(struct clew_finding){.property = i, .depth = CLEW_NONE, .site = CLEW_NONE});
    }
  }
}

void clew_run_complete(struct clew_run *run) {
  assert(!run->stopped);
  run->result->complete = true;
  run->result->stop = CLEW_STOP_FINISHED;
  /* A store that may have left out states proves nothing about what is unreachable. */
  if (!run->result->lossless) {
    return;
  }
  record_uncovered(run);
  if (!run->stopped && run->liveness.len > 0) {
    clew_liveness_check(run);
  }
}
