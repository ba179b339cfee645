/* What a search finds: which properties a state violates, and how that gets into the result.
 *
 * Workers remember what they find, one finding of each property: the one of the least depth, and of
 * these the one whose state has the least words. When they meet, the findings of all are gathered
 * by the same rule, so what is reported does not depend on the number of threads nor on their
 * speed, as long as whatever was begun together (a breadth-first level) was finished.
 *
 * Invariant: a property is in run->open until its violation is gathered, so each has at most one
 * violation however long the search goes on, and the first of them all has the trace. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "search/search_int.h"

/* ---- in a worker ---- */

static const uint64_t *state_of(const struct clew_worker *worker, uint32_t finding) {
  return worker->finding_states.data + (size_t)finding * worker->run->model->words;
}

static int compare_states(const struct clew_run *run, const uint64_t *a, const uint64_t *b) {
  return memcmp(a, b, run->model->words * sizeof *a);
}

void clew_worker_find(struct clew_worker *worker, const struct clew_finding *finding,
                      const uint64_t *state) {
  const struct clew_run *run = worker->run;
  uint32_t words = run->model->words, i = 0;
  assert(finding->property < run->model->property_count);
  while (i < worker->findings.len && worker->findings.data[i].property != finding->property) {
    i++;
  }
  if (i == worker->findings.len) {
    clew_vec_push(&worker->findings, *finding);
    clew_vec_reserve(&worker->finding_states, worker->finding_states.len + words);
    worker->finding_states.len += words;
  } else {
    const struct clew_finding *known = &worker->findings.data[i];
    bool better =
        finding->depth < known->depth || (finding->depth == known->depth && state != NULL &&
                                          compare_states(run, state, state_of(worker, i)) < 0);
    if (!better) {
      return;
    }
    worker->findings.data[i] = *finding;
  }
  uint64_t *copy = worker->finding_states.data + (size_t)i * words;
  if (state != NULL) {
    memcpy(copy, state, words * sizeof *copy);
  } else {
    memset(copy, 0, words * sizeof *copy); /* a failing start comes first */
  }
}

void clew_worker_find_label_fault(struct clew_worker *worker, uint32_t property, uint32_t site,
                                  clew_id id, uint32_t depth, const uint64_t *state) {
  struct clew_run *run = worker->run;
  assert(site != CLEW_NONE);
  if (clew_run_leaves_open(run, site)) {
    return;
  }
  struct clew_finding finding = {
      .property = run->fault_property != CLEW_NONE ? run->fault_property : property,
      .depth = depth,
      .fault_edge = CLEW_NONE,
      .site = site,
      .id = id,
  };
  if (clew_bitset_has(run->open, finding.property)) {
    clew_worker_find(worker, &finding, state);
  }
}

/* Outlined: most states violate nothing. The invariants left to be checked are copied, because one
 * that cannot be evaluated here may be violated elsewhere. */
static __attribute__((noinline)) void find_invariants(struct clew_worker *worker, uint32_t property,
                                                      uint32_t site, const uint64_t *state,
                                                      clew_id id, uint32_t depth) {
  const struct clew_run *run = worker->run;
  uint32_t words = CLEW_BITSET_WORDS(run->model->property_count);
  memcpy(worker->scratch_set, run->open, words * sizeof *run->open);
  while (property != CLEW_NONE) {
    struct clew_finding finding = {
        .property = property, .depth = depth, .fault_edge = CLEW_NONE, .site = CLEW_NONE, .id = id};
    if (site != CLEW_NONE) {
      clew_worker_find_label_fault(worker, property, site, id, depth, state);
    } else {
      clew_worker_find(worker, &finding, state);
    }
    clew_bitset_remove(worker->scratch_set, property);
    site = CLEW_NONE;
    property = run->model->check(run->model, worker->scratch_set, state, &site);
  }
}

void clew_worker_note_covered(struct clew_worker *worker, uint32_t property) {
  for (uint32_t i = 0; i < worker->uncovered.len; i++) {
    if (worker->uncovered.data[i] == property) {
      worker->uncovered.data[i] = clew_vec_pop(&worker->uncovered);
      return;
    }
  }
}

/* Also of those that were seen before: a run-time error in one of them counts in every state, or
 * the answer would depend on who was there first. */
static void check_covers(struct clew_worker *worker, const uint64_t *state, clew_id id,
                         uint32_t depth) {
  const struct clew_run *run = worker->run;
  const struct clew_model *model = run->model;
  for (uint32_t i = 0; i < run->covers.len; i++) {
    uint32_t property = run->covers.data[i], site = CLEW_NONE;
    bool holds = model->label(model, model->properties[property].label, state, &site);
    if (site != CLEW_NONE) {
      clew_worker_find_label_fault(worker, property, site, id, depth, state);
    }
    if (holds) {
      clew_worker_note_covered(worker, property);
    }
  }
}

void clew_worker_check(struct clew_worker *worker, const uint64_t *state, clew_id id,
                       uint32_t depth) {
  const struct clew_run *run = worker->run;
  if (run->has_invariants) {
    uint32_t site = CLEW_NONE;
    uint32_t property = run->model->check(run->model, run->open, state, &site);
    if (__builtin_expect(property != CLEW_NONE, 0)) {
      find_invariants(worker, property, site, state, id, depth);
    }
  }
  if (run->covers.len > 0) {
    check_covers(worker, state, id, depth);
  }
  for (uint32_t i = 0; i < run->measures.len; i++) {
    struct clew_measured values = {0};
    run->model->measure(run->model, run->model->properties[run->measures.data[i]].label, state,
                        &values);
    clew_measured_join(&worker->measured[i], &values);
  }
}

/* ---- together ---- */

/* False: the path to the state of the finding cannot be had. */
static bool find_path(struct clew_run *run, const struct clew_finding *finding,
                      const uint64_t *state, struct clew_trace *trace) {
  if (finding->id == CLEW_ID_NONE) {
    return true; /* it happened in init */
  }
  if (run->find_path != NULL) {
    return run->find_path(run, state, trace);
  }
  if (run->spread != NULL) {
    return clew_spread_find_path(run, finding->id, trace);
  }
  return clew_trace_build(run->search->log, finding->id, trace, run->search->diags) == CLEW_OK;
}

static void build_trace(struct clew_run *run, const struct clew_finding *finding,
                        const uint64_t *state) {
  struct clew_trace trace = {.initial = CLEW_NONE, .loop_to = CLEW_NONE};
  if (!find_path(run, finding, state, &trace)) {
    run->result->trace_lost = true;
    return;
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
  clew_outcomes_violate(&run->result->outcomes, finding->property, finding->depth, finding->site);
  if (run->search->stop_at_violation && !run->search->goes_on) {
    clew_run_stop(run, CLEW_STOP_VIOLATION);
  }
}

/* What a query asks for is there. The path to it is shown, unless there is a violation to show. */
static void add_success(struct clew_run *run, const struct clew_finding *finding,
                        const uint64_t *state) {
  clew_bitset_remove(run->open, finding->property);
  clew_outcomes_reach(&run->result->outcomes, finding->property, finding->depth);
  if (!run->result->has_trace) {
    build_trace(run, finding, state);
  }
  if (run->search->stop_at_violation &&
      clew_outcomes_are_shown(&run->result->outcomes, run->model->properties)) {
    clew_run_stop(run, CLEW_STOP_DECIDED);
  }
}

static void forget_trace(struct clew_result *result) {
  if (result->has_trace) {
    clew_trace_free(&result->trace);
    result->has_trace = false;
  }
}

/* The path of one more violation; that of the first stays where it is. */
static void build_another_trace(struct clew_run *run, const struct clew_finding *finding,
                                const uint64_t *state) {
  struct clew_result *result = run->result;
  struct clew_trace first = result->trace;
  bool had_first = result->has_trace, was_lost = result->trace_lost;
  result->has_trace = false;
  build_trace(run, finding, state);
  if (result->has_trace) {
    clew_vec_push(&result->more_traces, result->trace);
  }
  result->trace = first;
  result->has_trace = had_first;
  result->trace_lost = was_lost;
}

void clew_run_violate(struct clew_run *run, const struct clew_finding *finding,
                      const uint64_t *state) {
  assert(clew_bitset_has(run->open, finding->property));
  const struct clew_property *property = &run->model->properties[finding->property];
  if (property->query == CLEW_QUERY_REACH && finding->site == CLEW_NONE) {
    add_success(run, finding, state);
    return;
  }
  bool is_first = run->result->outcomes.violated.len == 0;
  add_violation(run, finding);
  if (is_first) {
    forget_trace(run->result);
    build_trace(run, finding, state);
  } else if (run->search->goes_on) {
    build_another_trace(run, finding, state);
  }
}

/* Whether finding `i` of `a` is to be reported before finding `j` of `b`. */
static bool comes_before(const struct clew_worker *a, uint32_t i, const struct clew_worker *b,
                         uint32_t j) {
  const struct clew_finding *x = &a->findings.data[i], *y = &b->findings.data[j];
  if (x->depth != y->depth) {
    return x->depth < y->depth;
  }
  if (x->property != y->property) {
    return x->property < y->property;
  }
  return compare_states(a->run, state_of(a, i), state_of(b, j)) < 0;
}

/* The first of all findings of open properties and its state; NULL when there is none. */
static const struct clew_finding *next_finding(const struct clew_run *run, const uint64_t **state) {
  const struct clew_worker *best = NULL;
  uint32_t best_at = 0;
  for (uint32_t w = 0; w < run->most_workers; w++) {
    const struct clew_worker *worker = run->workers[w];
    for (uint32_t i = 0; worker != NULL && i < worker->findings.len; i++) {
      if (clew_bitset_has(run->open, worker->findings.data[i].property) &&
          (best == NULL || comes_before(worker, i, best, best_at))) {
        best = worker;
        best_at = i;
      }
    }
  }
  if (best == NULL) {
    return NULL;
  }
  *state = state_of(best, best_at);
  return &best->findings.data[best_at];
}

/* A search that stops at a violation has one answer: the first. */
void clew_run_gather(struct clew_run *run) {
  const struct clew_finding *finding;
  const uint64_t *state;
  while ((finding = next_finding(run, &state)) != NULL) {
    clew_run_violate(run, finding, state);
    if (run->search->stop_at_violation && !run->search->goes_on &&
        run->result->outcomes.violated.len > 0) {
      break;
    }
  }
  for (uint32_t w = 0; w < run->most_workers; w++) {
    if (run->workers[w] != NULL) {
      clew_vec_clear(&run->workers[w]->findings);
      clew_vec_clear(&run->workers[w]->finding_states);
    }
  }
}

/* ---- in the end ---- */

static bool worker_covers(const struct clew_worker *worker, uint32_t property) {
  for (uint32_t i = 0; i < worker->uncovered.len; i++) {
    if (worker->uncovered.data[i] == property) {
      return false;
    }
  }
  return true;
}

static bool is_statement_covered(const struct clew_run *run, uint32_t statement) {
  for (uint32_t w = 0; w < run->most_workers; w++) {
    if (run->workers[w] != NULL && clew_bitset_has(run->workers[w]->succs.covered, statement)) {
      return true;
    }
  }
  return false;
}

static bool is_covered(const struct clew_run *run, uint32_t property) {
  const struct clew_property *p = &run->model->properties[property];
  assert(p->kind == CLEW_PROPERTY_COVER);
  if (p->is_statement) {
    uint32_t i = 0;
    while (i <= p->further && is_statement_covered(run, p->label + i)) {
      i++;
    }
    return i > p->further;
  }
  for (uint32_t w = 0; w < run->most_workers; w++) {
    if (run->workers[w] != NULL && worker_covers(run->workers[w], property)) {
      return true;
    }
  }
  return false;
}

/* Those that are not reached and should be, or the other way round. */
static void violate_covers(struct clew_run *run, bool reached) {
  for (uint32_t i = 0; i < run->model->property_count; i++) {
    const struct clew_property *p = &run->model->properties[i];
    if (p->kind == CLEW_PROPERTY_COVER && (p->refusal != NULL) == reached &&
        clew_bitset_has(run->open, i) && is_covered(run, i) == reached) {
      /* There is no path to what is not reached, hence no trace. */
      add_violation(run,
                    &(struct clew_finding){.property = i, .depth = CLEW_NONE, .site = CLEW_NONE});
    }
  }
}

void clew_run_violate_reached(struct clew_run *run) {
  violate_covers(run, true);
}

static void skip(struct clew_run *run, const struct clew_properties *properties) {
  for (uint32_t i = 0; i < properties->len; i++) {
    clew_outcomes_give_up(&run->result->outcomes, properties->data[i], CLEW_REASON_SKIPPED);
  }
}

void clew_run_complete(struct clew_run *run) {
  assert(!clew_run_stopped(run));
  if (atomic_load(&run->deep_site) != CLEW_NONE) {
    clew_run_stop(run, CLEW_STOP_CALLS);
    return;
  }
  run->result->scope.complete = run->is_explored = true;
  if (clew_run_states(run) == 0) {
    return; /* a model without any state proves nothing */
  }
  clew_run_violate_reached(run);
  /* Neither does a store that may have left out states, about what is unreachable. */
  if (run->result->scope.lossless) {
    violate_covers(run, false);
    if (!clew_run_stopped(run) && run->liveness.len > 0) {
      run->check_liveness(run);
    } else {
      skip(run, &run->liveness);
    }
  }
  if (!clew_run_stopped(run) && run->progress.len > 0) {
    clew_progress_check(run); /* which shows what it finds */
  } else {
    skip(run, &run->progress);
  }
}
