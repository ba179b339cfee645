/* Where a run is, written down and read back: what all engines have in common. The workers' counts
 * are added up; the worker that loads them has them all. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/search_int.h"

static const uint64_t FORMAT = 6;

static void save_trace(const struct clew_trace *trace, struct clew_archive *out) {
  clew_archive_put_bytes(out, trace, sizeof *trace);
  clew_archive_put(out, trace->edge_count);
  clew_archive_put_bytes(out, trace->edges, trace->edge_count * sizeof *trace->edges);
}

static void load_trace(struct clew_trace *trace, struct clew_archive *in) {
  clew_archive_get_bytes(in, trace, sizeof *trace);
  uint32_t edges = clew_archive_get_count(in, sizeof *trace->edges);
  trace->edges = clew_alloc(((size_t)edges + 1) * sizeof *trace->edges);
  trace->edge_count = edges;
  clew_archive_get_bytes(in, trace->edges, edges * sizeof *trace->edges);
}

static void save_outcomes(const struct clew_result *result, struct clew_archive *out) {
  const struct clew_outcomes *outcomes = &result->outcomes;
  clew_archive_put_bytes(out, outcomes->list, outcomes->count * sizeof *outcomes->list);
  clew_archive_put(out, outcomes->violated.len);
  clew_archive_put_bytes(out, outcomes->violated.data,
                         outcomes->violated.len * sizeof *outcomes->violated.data);
  clew_archive_put(out, result->has_trace);
  if (result->has_trace) {
    save_trace(&result->trace, out);
  }
  clew_archive_put(out, result->more_traces.len);
  for (uint32_t i = 0; i < result->more_traces.len; i++) {
    save_trace(&result->more_traces.data[i], out);
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
    load_trace(&result->trace, in);
  }
  uint32_t more = clew_archive_get_count(in, sizeof(struct clew_trace));
  for (uint32_t i = 0; i < more && !in->damaged; i++) {
    struct clew_trace trace = {0};
    load_trace(&trace, in);
    clew_vec_push(&result->more_traces, trace);
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

bool clew_run_remakes(const struct clew_run *run) {
  const struct clew_cut *cut = run->search->cut;
  return cut != NULL && cut->is_foreign && run->model->learns && !run->model->is_portable;
}

bool clew_run_remake(struct clew_run *run, clew_id id, uint64_t *state) {
  const struct clew_model *model = run->model;
  struct clew_trace trace = {.initial = CLEW_NONE};
  if (clew_trace_build(run->search->log, id, &trace, run->search->diags) != CLEW_OK) {
    return false;
  }
  uint64_t *next = clew_alloc(model->words * sizeof *next);
  bool made = clew_model_start(model, trace.initial, state);
  for (uint32_t i = 0; i < trace.edge_count && made; i++) {
    uint32_t site;
    made = model->fire(model, state, trace.edges[i], next, &site);
    memcpy(state, next, model->words * sizeof *state);
  }
  clew_free(next);
  clew_trace_free(&trace);
  return made;
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
    in->damaged = in->damaged || (clew_run_remakes(worker->run) && finding.id != CLEW_ID_NONE &&
                                  !clew_run_remake(worker->run, finding.id, state));
    if (finding.property < model->property_count && !in->damaged) {
      clew_worker_find(worker, &finding, state);
    } else {
      in->damaged = true;
    }
  }
  clew_free(state);
}

/* By edge, of all workers; a length of 0: they are not counted. */
static void save_fired(const struct clew_run *run, struct clew_archive *out) {
  const struct clew_worker *first = run->workers[0];
  uint32_t count = first != NULL && clew_worker_fired(first) != NULL ? run->model->edge_count : 0;
  uint64_t discarded = 0;
  uint64_t *sum = clew_alloc_zero((size_t)count + 1, sizeof *sum);
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    for (uint32_t k = 0; worker != NULL && k < count; k++) {
      sum[k] += clew_worker_fired(worker)[k];
    }
    discarded += worker != NULL ? worker->succs.discarded : 0;
  }
  clew_archive_put(out, count);
  clew_archive_put_bytes(out, sum, count * sizeof *sum);
  clew_archive_put(out, discarded);
  clew_free(sum);
}

static void load_fired(struct clew_worker *worker, struct clew_archive *in) {
  uint64_t *fired = clew_worker_fired(worker);
  uint32_t count = clew_archive_get_count(in, sizeof *fired);
  if (count == worker->run->model->edge_count && fired != NULL) {
    clew_archive_get_bytes(in, fired, count * sizeof *fired);
  } else if (count > 0) {
    in->damaged = true;
  }
  worker->succs.discarded = clew_archive_get(in);
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

void clew_run_save_answers(const struct clew_run *run, struct clew_archive *out) {
  clew_archive_put(out, run->model->property_count);
  clew_archive_put_bytes(out, run->open,
                         CLEW_BITSET_WORDS(run->model->property_count) * sizeof *run->open);
  save_outcomes(run->result, out);
  save_uncovered(run, out);
  save_findings(run, out);
  save_measured(run, out);
}

static bool is_found(const struct clew_run *run, uint32_t property) {
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    for (uint32_t k = 0; worker != NULL && k < worker->findings.len; k++) {
      if (worker->findings.data[k].property == property) {
        return true;
      }
    }
  }
  return false;
}

/* Whether nothing that was expanded violates the property, which was asked for. */
static bool is_settled(const struct clew_run *run, uint32_t property) {
  return property != CLEW_NONE && clew_bitset_has(run->open, property) && !is_found(run, property);
}

/* The kinds of properties that need not be asked again about states that are expanded: bits. */
static uint64_t settled_kinds(const struct clew_run *run, const struct clew_worker *sum) {
  uint64_t kinds = 0;
  if (atomic_load(&run->deep_site) != CLEW_NONE) {
    return 0;
  }
  bool counts = run->store != NULL; /* others find out about the whole in the end */
  bool has_no_fault = counts && sum->error_depth == CLEW_NONE && !run->has_failed_start;
  if (is_settled(run, run->fault_property) || has_no_fault) {
    kinds |= 1U << CLEW_PROPERTY_FAULT;
  }
  if (is_settled(run, run->deadlock_property) ||
      (counts && run->model->timed == NULL && sum->deadlocks == 0)) {
    kinds |= 1U << CLEW_PROPERTY_DEADLOCK;
  }
  return kinds;
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
  clew_archive_put(out, settled_kinds(run, &sum));
  clew_archive_put(out, run->has_failed_start);
  clew_archive_put(out, run->first_id);
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
  clew_archive_put(out, cover_words);
  clew_archive_put_bytes(out, covered, cover_words * sizeof *covered);
  save_fired(run, out);
  struct clew_archive answers = {0};
  clew_run_save_answers(run, &answers);
  clew_archive_put(out, answers.data.len);
  clew_archive_put_bytes(out, answers.data.data, answers.data.len);
  clew_archive_free(&answers);
  clew_locality_free(&sum.locality);
  clew_free(covered);
}

const char *clew_recheck_obstacle(const struct clew_cut *cut, const struct clew_model *model,
                                  const uint64_t *asked) {
  struct clew_archive in = cut->archive; /* a view of it */
  in.at = 0;
  if (in.data.len == 0) {
    return "the search ended where it cannot go on";
  }
  if (clew_archive_get(&in) != FORMAT || clew_archive_get(&in) != model->words) {
    return "the checkpoint was written in another form";
  }
  uint64_t settled = clew_archive_get(&in);
  for (uint32_t i = 0; i < model->property_count; i++) {
    enum clew_property_kind kind = model->properties[i].kind;
    bool needs_transitions = kind == CLEW_PROPERTY_FAULT || kind == CLEW_PROPERTY_DEADLOCK;
    if (clew_bitset_has(asked, i) && needs_transitions && (settled >> kind & 1) == 0) {
      return kind == CLEW_PROPERTY_FAULT
                 ? "the search has found, or did not look for, run-time errors"
                 : "the search has found, or did not look for, deadlocks";
    }
  }
  return NULL;
}

static void load_worker(struct clew_worker *worker, struct clew_archive *in) {
  const struct clew_model *model = worker->run->model;
  uint32_t cover_words = CLEW_BITSET_WORDS(model->cover_count);
  worker->transitions = clew_archive_get(in);
  worker->deadlocks = clew_archive_get(in);
  worker->expanded = clew_archive_get(in);
  worker->degree_min = clew_archive_get(in);
  worker->degree_max = clew_archive_get(in);
  worker->error_depth = (uint32_t)clew_archive_get(in);
  atomic_store(&worker->run->deep_site, (uint32_t)clew_archive_get(in));
  load_locality(&worker->locality, in);
  in->damaged |= clew_archive_get(in) != cover_words;
  clew_archive_get_bytes(in, worker->succs.covered, cover_words * sizeof *worker->succs.covered);
  load_fired(worker, in);
}

static void load_answers(struct clew_run *run, struct clew_archive *in) {
  struct clew_worker *worker = clew_run_worker(run, 0);
  if (clew_archive_get(in) != run->model->property_count) {
    in->damaged = true;
    return;
  }
  clew_archive_get_bytes(in, run->open,
                         CLEW_BITSET_WORDS(run->model->property_count) * sizeof *run->open);
  load_outcomes(run->result, in);
  uint32_t uncovered = clew_archive_get_count(in, sizeof *worker->uncovered.data);
  clew_vec_reserve(&worker->uncovered, uncovered);
  worker->uncovered.len = uncovered;
  clew_archive_get_bytes(in, worker->uncovered.data, uncovered * sizeof *worker->uncovered.data);
  load_findings(worker, in);
  clew_archive_get_bytes(in, worker->measured, run->measures.len * sizeof *worker->measured);
}

/* Those of the archive, or, where others are asked, those that were found to these. */
static bool choose_answers(struct clew_run *run, struct clew_archive *in) {
  uint32_t bytes = clew_archive_get_count(in, 1), end = in->at + bytes;
  if (run->search->recheck == NULL) {
    load_answers(run, in);
    return !in->damaged && in->at == end;
  }
  struct clew_archive other = *run->search->recheck; /* a view of it */
  other.at = 0;
  in->at = end;
  load_answers(run, &other);
  return !in->damaged && clew_archive_is_read(&other);
}

void clew_run_gather_answers(struct clew_run *run, uint32_t depth) {
  const struct clew_worker *worker = clew_run_worker(run, 0);
  bool is_reached = false;
  for (uint32_t i = 0; i < worker->findings.len; i++) {
    is_reached |= worker->findings.data[i].depth <= depth;
  }
  if (run->search->recheck != NULL && is_reached) {
    clew_run_gather(run);
  }
}

bool clew_run_load(struct clew_run *run, struct clew_archive *in) {
  struct clew_result *result = run->result;
  if (clew_archive_get(in) != FORMAT || clew_archive_get(in) != run->model->words) {
    return false;
  }
  (void)clew_archive_get(in); /* for clew_recheck_obstacle */
  run->has_failed_start = clew_archive_get(in) != 0;
  run->first_id = clew_archive_get(in);
  run->log_end = run->store != NULL ? run->store->type->count(run->store) : 0;
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
  bool good = choose_answers(run, in) && run->first_id <= run->log_end;
  if (good) {
    clew_discrete_recount(run);
  }
  return good;
}

/* ---- what other runs have counted ---- */

bool clew_run_load_more(struct clew_run *run, struct clew_archive *in) {
  const struct clew_model *model = run->model;
  struct clew_result result;
  struct clew_worker *worker = NULL;
  size_t set_words = CLEW_BITSET_WORDS((size_t)model->property_count) + 1;
  clew_result_init(&result);
  clew_outcomes_open(&result.outcomes, model->property_count, run->search->enabled);
  /* A run that loads it, and of which only the worker is used. */
  struct clew_run other = *run;
  other.result = &result;
  other.open = clew_alloc_zero(set_words, sizeof *other.open);
  other.workers = &worker;
  other.most_workers = 1;
  other.worker_bytes = sizeof *worker;
  other.open_worker = NULL;
  other.discrete.counts = false;
  bool good = clew_run_load(&other, in) && clew_archive_is_read(in);
  if (good) {
    clew_spread_join_worker(run, clew_run_worker(run, 0), worker);
    uint32_t site = atomic_load(&other.deep_site);
    atomic_store(&run->deep_site,
                 site < atomic_load(&run->deep_site) ? site : atomic_load(&run->deep_site));
  }
  if (worker != NULL) {
    clew_worker_close(worker);
    clew_free(worker);
  }
  clew_free(other.open);
  clew_result_free(&result);
  return good;
}

void clew_run_forget_counts(struct clew_run *run) {
  struct clew_worker *worker = clew_run_worker(run, 0);
  uint64_t *fired = clew_worker_fired(worker);
  worker->transitions = worker->deadlocks = worker->expanded = worker->succs.discarded = 0;
  worker->degree_min = worker->degree_max = CLEW_ABSENT;
  worker->error_depth = CLEW_NONE;
  memset(worker->measured, 0, run->measures.len * sizeof *worker->measured);
  if (fired != NULL) {
    memset(fired, 0, run->model->edge_count * sizeof *fired);
  }
}
