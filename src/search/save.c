/* Where a run is, written down and read back: what all engines have in common. The workers' counts
 * are added up; the worker that loads them has them all. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/search_int.h"

static const uint64_t FORMAT = 4;

static void save_outcomes(const struct clew_result *result, struct clew_archive *out) {
  const struct clew_outcomes *outcomes = &result->outcomes;
  clew_archive_put_bytes(out, outcomes->list, outcomes->count * sizeof *outcomes->list);
  clew_archive_put(out, outcomes->violated.len);
  clew_archive_put_bytes(out, outcomes->violated.data,
                         outcomes->violated.len * sizeof *outcomes->violated.data);
  clew_archive_put(out, result->has_trace);
  if (result->has_trace) {
    clew_archive_put_bytes(out, &result->trace, sizeof result->trace);
    clew_archive_put(out, result->trace.edge_count);
    clew_archive_put_bytes(out, result->trace.edges,
                           result->trace.edge_count * sizeof *result->trace.edges);
  }
}

/* What is decided stays so. Why something is not is for this run to say: the one before may have
 * had a store that can decide more, or less. */
static void load_decisions(struct clew_outcomes *outcomes, struct clew_archive *in) {
  for (uint32_t i = 0; i < outcomes->count; i++) {
    struct clew_outcome outcome;
    clew_archive_get_bytes(in, &outcome, sizeof outcome);
    if (outcome.decision != CLEW_UNDECIDED) {
      outcomes->list[i] = outcome;
    }
  }
}

static void load_outcomes(struct clew_result *result, struct clew_archive *in) {
  struct clew_outcomes *outcomes = &result->outcomes;
  load_decisions(outcomes, in);
  uint32_t violated = clew_archive_get_count(in, sizeof *outcomes->violated.data);
  clew_vec_reserve(&outcomes->violated, violated);
  outcomes->violated.len = violated;
  clew_archive_get_bytes(in, outcomes->violated.data, violated * sizeof *outcomes->violated.data);
  result->has_trace = clew_archive_get(in) != 0;
  if (result->has_trace) {
    clew_archive_get_bytes(in, &result->trace, sizeof result->trace);
    uint32_t edges = clew_archive_get_count(in, sizeof *result->trace.edges);
    result->trace.edges = clew_alloc(((size_t)edges + 1) * sizeof *result->trace.edges);
    result->trace.edge_count = edges;
    clew_archive_get_bytes(in, result->trace.edges, edges * sizeof *result->trace.edges);
  }
}

static void save_locality(const struct clew_locality *locality, struct clew_archive *out) {
  clew_archive_put(out, locality->bins.len);
  clew_archive_put_bytes(out, locality->bins.data,
                         locality->bins.len * sizeof *locality->bins.data);
  clew_archive_put(out, locality->states);
  clew_archive_put(out, locality->loops);
  clew_archive_put_bytes(out, &locality->far, sizeof locality->far);
}

static void load_locality(struct clew_locality *locality, struct clew_archive *in) {
  uint32_t bins = clew_archive_get_count(in, sizeof *locality->bins.data);
  clew_vec_reserve(&locality->bins, bins);
  locality->bins.len = bins;
  clew_archive_get_bytes(in, locality->bins.data, bins * sizeof *locality->bins.data);
  locality->states = clew_archive_get(in);
  locality->loops = clew_archive_get(in);
  clew_archive_get_bytes(in, &locality->far, sizeof locality->far);
}

/* Counts of all workers as those of one. */
static void add_up(const struct clew_run *run, struct clew_worker *sum, uint64_t *covered) {
  uint32_t cover_words = CLEW_BITSET_WORDS(run->model->cover_count);
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    if (worker == NULL) {
      continue;
    }
    sum->transitions += worker->transitions;
    sum->deadlocks += worker->deadlocks;
    sum->expanded += worker->expanded;
    sum->error_depth =
        worker->error_depth < sum->error_depth ? worker->error_depth : sum->error_depth;
    sum->degree_min = worker->degree_min < sum->degree_min ? worker->degree_min : sum->degree_min;
    if (worker->degree_max != CLEW_ABSENT &&
        (sum->degree_max == CLEW_ABSENT || worker->degree_max > sum->degree_max)) {
      sum->degree_max = worker->degree_max;
    }
    clew_locality_add(&sum->locality, &worker->locality);
    for (uint32_t w = 0; w < cover_words; w++) {
      covered[w] |= worker->succs.covered[w];
    }
  }
}

/* The properties that no worker has covered, of those that the first one looks for. */
static bool is_uncovered(const struct clew_run *run, uint32_t property) {
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    bool looks = worker == NULL;
    for (uint32_t k = 0; worker != NULL && k < worker->uncovered.len; k++) {
      looks |= worker->uncovered.data[k] == property;
    }
    if (!looks) {
      return false;
    }
  }
  return true;
}

static void save_uncovered(const struct clew_run *run, struct clew_archive *out) {
  CLEW_VEC(uint32_t) uncovered = {0};
  for (uint32_t i = 0; i < run->model->property_count; i++) {
    const struct clew_property *property = &run->model->properties[i];
    if (property->kind == CLEW_PROPERTY_COVER && !property->is_statement && is_uncovered(run, i)) {
      clew_vec_push(&uncovered, i);
    }
  }
  clew_archive_put(out, uncovered.len);
  clew_archive_put_bytes(out, uncovered.data, uncovered.len * sizeof *uncovered.data);
  clew_vec_free(&uncovered);
}

/* What was found and not gathered: a level is to be finished before. */
static void save_findings(const struct clew_run *run, struct clew_archive *out) {
  uint32_t words = run->model->words, count = 0;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    count += run->workers[i] != NULL ? run->workers[i]->findings.len : 0;
  }
  clew_archive_put(out, count);
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    for (uint32_t k = 0; worker != NULL && k < worker->findings.len; k++) {
      clew_archive_put_bytes(out, &worker->findings.data[k], sizeof *worker->findings.data);
      clew_archive_put_bytes(out, worker->finding_states.data + (size_t)k * words,
                             words * sizeof(uint64_t));
    }
  }
}

static void load_findings(struct clew_worker *worker, struct clew_archive *in) {
  const struct clew_model *model = worker->run->model;
  size_t bytes = model->words * sizeof(uint64_t);
  uint32_t count = clew_archive_get_count(in, sizeof(struct clew_finding) + bytes);
  uint64_t *state = clew_alloc(bytes);
  for (uint32_t i = 0; i < count; i++) {
    struct clew_finding finding;
    clew_archive_get_bytes(in, &finding, sizeof finding);
    clew_archive_get_bytes(in, state, bytes);
    if (finding.property < model->property_count && !in->damaged) {
      clew_worker_find(worker, &finding, state);
    } else {
      in->damaged = true;
    }
  }
  clew_free(state);
}

static void save_measured(const struct clew_run *run, struct clew_archive *out) {
  for (uint32_t m = 0; m < run->measures.len; m++) {
    struct clew_measured all = {0};
    for (uint32_t i = 0; i < run->most_workers; i++) {
      if (run->workers[i] != NULL) {
        clew_measured_join(&all, &run->workers[i]->measured[m]);
      }
    }
    clew_archive_put_bytes(out, &all, sizeof all);
  }
}

bool clew_run_is_limited(const struct clew_run *run) {
  enum clew_stop reason = (enum clew_stop)atomic_load(&run->reason);
  bool is_limit =
      reason == CLEW_STOP_MEMORY || reason == CLEW_STOP_MAX_STATES || reason == CLEW_STOP_MAX_DEPTH;
  return is_limit && !atomic_load(run->stop);
}

void clew_run_save(struct clew_run *run, struct clew_archive *out) {
  const struct clew_result *result = run->result;
  uint32_t cover_words = CLEW_BITSET_WORDS(run->model->cover_count);
  uint64_t *covered = clew_alloc_zero((size_t)cover_words + 1, sizeof *covered);
  struct clew_worker sum = {
      .degree_min = CLEW_ABSENT, .degree_max = CLEW_ABSENT, .error_depth = CLEW_NONE};
  add_up(run, &sum, covered);
  clew_archive_put(out, FORMAT);
  clew_archive_put(out, run->model->words);
  clew_archive_put(out, run->model->property_count);
  clew_archive_put(out, run->first_id);
  clew_archive_put_bytes(out, run->open,
                         CLEW_BITSET_WORDS(run->model->property_count) * sizeof *run->open);
  save_outcomes(result, out);
  clew_archive_put(out, result->has_locality);
  clew_archive_put(out, result->initial_states);
  clew_archive_put(out, result->level_sizes.len);
  clew_archive_put_bytes(out, result->level_sizes.data,
                         result->level_sizes.len * sizeof *result->level_sizes.data);
  clew_archive_put(out, result->level_transitions.len);
  clew_archive_put_bytes(out, result->level_transitions.data,
                         result->level_transitions.len * sizeof *result->level_transitions.data);
  clew_archive_put(out, run->level_transitions);
  clew_archive_put(out, sum.transitions);
  clew_archive_put(out, sum.deadlocks);
  clew_archive_put(out, sum.expanded);
  clew_archive_put(out, sum.degree_min);
  clew_archive_put(out, sum.degree_max);
  clew_archive_put(out, sum.error_depth);
  clew_archive_put(out, atomic_load(&run->deep_site));
  save_locality(&sum.locality, out);
  clew_archive_put_bytes(out, covered, cover_words * sizeof *covered);
  save_uncovered(run, out);
  save_findings(run, out);
  save_measured(run, out);
  clew_locality_free(&sum.locality);
  clew_free(covered);
}

static void load_worker(struct clew_worker *worker, struct clew_archive *in) {
  const struct clew_model *model = worker->run->model;
  worker->transitions = clew_archive_get(in);
  worker->deadlocks = clew_archive_get(in);
  worker->expanded = clew_archive_get(in);
  worker->degree_min = clew_archive_get(in);
  worker->degree_max = clew_archive_get(in);
  worker->error_depth = (uint32_t)clew_archive_get(in);
  atomic_store(&worker->run->deep_site, (uint32_t)clew_archive_get(in));
  load_locality(&worker->locality, in);
  clew_archive_get_bytes(in, worker->succs.covered,
                         CLEW_BITSET_WORDS(model->cover_count) * sizeof *worker->succs.covered);
  uint32_t uncovered = clew_archive_get_count(in, sizeof *worker->uncovered.data);
  clew_vec_reserve(&worker->uncovered, uncovered);
  worker->uncovered.len = uncovered;
  clew_archive_get_bytes(in, worker->uncovered.data, uncovered * sizeof *worker->uncovered.data);
  load_findings(worker, in);
  clew_archive_get_bytes(in, worker->measured,
                         worker->run->measures.len * sizeof *worker->measured);
}

bool clew_run_load(struct clew_run *run, struct clew_archive *in) {
  struct clew_result *result = run->result;
  if (clew_archive_get(in) != FORMAT || clew_archive_get(in) != run->model->words ||
      clew_archive_get(in) != run->model->property_count) {
    return false;
  }
  run->first_id = clew_archive_get(in);
  run->log_end = run->store->type->count(run->store);
  clew_archive_get_bytes(in, run->open,
                         CLEW_BITSET_WORDS(run->model->property_count) * sizeof *run->open);
  load_outcomes(result, in);
  /* Known for all states or not at all. */
  bool had_locality = clew_archive_get(in) != 0;
  result->has_locality = result->has_locality && had_locality;
  result->initial_states = clew_archive_get(in);
  uint32_t levels = clew_archive_get_count(in, sizeof *result->level_sizes.data);
  clew_vec_reserve(&result->level_sizes, levels);
  result->level_sizes.len = levels;
  clew_archive_get_bytes(in, result->level_sizes.data, levels * sizeof *result->level_sizes.data);
  uint32_t done = clew_archive_get_count(in, sizeof *result->level_transitions.data);
  clew_vec_reserve(&result->level_transitions, done);
  result->level_transitions.len = done;
  clew_archive_get_bytes(in, result->level_transitions.data,
                         done * sizeof *result->level_transitions.data);
  run->level_transitions = clew_archive_get(in);
  load_worker(clew_run_worker(run, 0), in);
  bool good = !in->damaged && run->first_id <= run->log_end;
  if (good) {
    clew_discrete_recount(run);
  }
  return good;
}
