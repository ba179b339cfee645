/* A search in progress: what all workers share, why it stops, and what it leaves in the result. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/diskqueue.h"
#include "report/forecast.h"
#include "search/search_int.h"

enum {
  ENDLESS_STATES = 100000, /* that are visited of infinitely many */
  POLL_WORK = 256,         /* successors and expansions between two looks at the clock */
  THREAD_SHARE = 256,      /* states that make another thread worth while, */
  CROWD_SHARES = 32,       /* so many times as many where there is no processor for it */
  LOG_STEP = 1 << 12,      /* back edges that are made room for at once, in a large search */
};

/* ---- properties ---- */

static void collect_liveness(struct clew_run *run, uint32_t property) {
  /* A state that stands for those it covers has other transitions than they. */
  if (run->spread != NULL) {
    clew_outcomes_give_up(&run->result->outcomes, property, CLEW_REASON_RANKS);
  } else if ((run->store == NULL || clew_store_keeps_graph(run->store)) && !run->ordered) {
    clew_vec_push(&run->liveness, property);
  } else {
    clew_outcomes_give_up(&run->result->outcomes, property, CLEW_REASON_STORE);
  }
}

/* Runs have a graph of their own, but those of --> begin in any state. */
static void collect_progress(struct clew_run *run, uint32_t property) {
  bool has_states =
      run->store == NULL || (run->store->promises & (CLEW_STORE_GET | CLEW_STORE_PLACES)) != 0;
  bool starts_anywhere = run->model->properties[property].from_label != CLEW_NONE;
  if (run->spread != NULL) {
    clew_outcomes_give_up(&run->result->outcomes, property, CLEW_REASON_RANKS);
  } else if (has_states || !starts_anywhere) {
    clew_vec_push(&run->progress, property);
  } else {
    clew_outcomes_give_up(&run->result->outcomes, property, CLEW_REASON_STORE);
  }
}

static void collect_properties(struct clew_run *run, const struct clew_engine_type *engine) {
  const struct clew_model *model = run->model;
  assert(model->property_count == 0 || run->search->enabled != NULL);
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (!clew_bitset_has(run->search->enabled, i)) {
      continue;
    }
    if ((engine->property_kinds >> model->properties[i].kind & 1) == 0) {
      clew_outcomes_give_up(&run->result->outcomes, i, CLEW_REASON_ENGINE);
      continue;
    }
    clew_bitset_add(run->open, i);
    switch (model->properties[i].kind) {
    case CLEW_PROPERTY_DEADLOCK:
      run->deadlock_property = i;
      break;
    case CLEW_PROPERTY_FAULT:
      run->fault_property = i;
      break;
    case CLEW_PROPERTY_INVARIANT:
      run->has_invariants = true;
      break;
    case CLEW_PROPERTY_COVER:
      if (!model->properties[i].is_statement) {
        clew_vec_push(&run->covers, i);
      }
      break;
    case CLEW_PROPERTY_LIVENESS:
      collect_liveness(run, i);
      break;
    case CLEW_PROPERTY_MEASURE:
      clew_vec_push(&run->measures, i);
      break;
    case CLEW_PROPERTY_PROGRESS:
      collect_progress(run, i);
      break;
    }
  }
}

/* ---- opening and closing ---- */

static bool is_partial(const struct clew_model *model) {
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    if (model->unchecked[i].is_behaviour) {
      return true;
    }
  }
  return false;
}

static bool has_limits(const struct clew_limits *limits) {
  return limits->max_states != CLEW_ABSENT || limits->max_depth != CLEW_ABSENT ||
         !isinf(limits->max_time_s);
}

void clew_run_open(struct clew_run *run, const struct clew_engine_type *engine,
                   struct clew_search *search, struct clew_result *result, size_t worker_bytes,
                   void (*open_worker)(struct clew_worker *worker)) {
  const struct clew_model *model = search->model;
  const struct clew_store *store = search->store;
  assert(engine->needs_store == (store != NULL) && engine->needs_store == (search->log != NULL));
  assert(store == NULL || store->config.words == model->words);
  assert(search->budget != NULL);
  *run = (struct clew_run){
      .search = search,
      .result = result,
      .spread = search->spread,
      .model = model,
      .store = search->store,
      .check_liveness = clew_liveness_check,
      .began_s = clew_clock_wall_s(),
      .ordered =
          store != NULL && (store->promises & CLEW_STORE_ORDER) != 0 && model->covers != NULL,
      .fault_property = CLEW_NONE,
      .stop = model->stop != NULL ? model->stop : &clew_never,
      .deep_site = CLEW_NONE,
      .deadlock_property = CLEW_NONE,
      .most_workers = clew_crew_size(search->crew),
      .used_workers = 1,
      .processors = clew_crew_processors(),
      .worker_bytes = worker_bytes,
      .open_worker = open_worker,
      .first_id = store != NULL ? store->type->count(store) : 0,
  };
  run->piece = search->piece > 0
                   ? search->piece
                   : clew_search_piece(model, search->budget->limit_bytes, run->most_workers);
  run->hash_words = run->ordered ? model->discrete_words : model->words;
  run->takes_census = run->ordered && search->store->type->census != NULL;
  uint64_t most = store != NULL ? CLEW_ID_LIMIT - run->first_id - 1 : UINT64_MAX;
  if (run->spread != NULL) { /* names are to be ids, too */
    assert(store != NULL && !run->ordered);
    most = CLEW_ID_LIMIT / run->spread->ranks - 1;
    run->tells_ids = (store->promises & CLEW_STORE_BACK_EDGES) != 0;
    if (model->dialect != NULL) { /* messages of an earlier run may have been dropped */
      model->dialect->begin(model, run->spread->ranks);
    }
  }
  run->max_states = search->limits.max_states < most ? search->limits.max_states : most;
  run->is_endless = model->endless != NULL && !has_limits(&search->limits);
  if (run->is_endless && run->max_states > ENDLESS_STATES) {
    run->max_states = ENDLESS_STATES;
  }
  run->open =
      clew_alloc_zero(CLEW_BITSET_WORDS((size_t)model->property_count) + 1, sizeof *run->open);
  run->workers = clew_alloc_zero(run->most_workers, sizeof(struct clew_worker *));
  run->log_end = run->first_id;
  clew_discrete_open(run);
  clew_outcomes_open(&result->outcomes, model->property_count, search->enabled);
  collect_properties(run, engine);
  result->scope = (struct clew_scope){
      .lossless = store == NULL || (store->promises & CLEW_STORE_LOSSLESS) != 0,
      .unchecked = search->unchecked,
      .is_partial = is_partial(model),
  };
  result->forgets = store != NULL && (store->promises & CLEW_STORE_REMEMBERS) == 0;
}

struct clew_worker *clew_run_worker(struct clew_run *run, uint32_t number) {
  assert(number < run->most_workers);
  if (run->workers[number] == NULL) {
    run->workers[number] = clew_alloc_zero(1, run->worker_bytes);
    clew_worker_open(run->workers[number], run);
    if (run->open_worker != NULL) {
      run->open_worker(run->workers[number]);
    }
  }
  return run->workers[number];
}

/* Workers beyond the number of processors bring nothing but switching between them: they get large
 * levels only. */
uint32_t clew_run_helpers(const struct clew_run *run, uint64_t waiting) {
  uint32_t share = run->search->thread_share > 0 ? run->search->thread_share : THREAD_SHARE;
  uint64_t workers = waiting / share;
  if (run->search->thread_share == 0 && workers > run->processors) {
    workers = run->processors + (workers - run->processors) / CROWD_SHARES;
  }
  workers = workers < run->most_workers ? workers : run->most_workers;
  return workers > 1 ? (uint32_t)workers : 1;
}

uint64_t clew_run_states(const struct clew_run *run) {
  return run->store != NULL ? run->store->type->count(run->store) - run->first_id : run->states;
}

uint32_t clew_run_error_depth(const struct clew_run *run) {
  uint32_t least = CLEW_NONE;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    if (worker != NULL && worker->error_depth < least) {
      least = worker->error_depth;
    }
  }
  bool counted = run->model->counts_error_state &&
                 atomic_load_explicit(&run->reason, memory_order_relaxed) != CLEW_STOP_VIOLATION;
  return counted ? least : CLEW_NONE;
}

/* What the workers counted, added up. */
static void add_workers(struct clew_run *run) {
  struct clew_result *result = run->result;
  result->transitions = result->deadlocks = result->zones_expanded = 0;
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    if (worker == NULL) {
      continue;
    }
    result->transitions += worker->transitions;
    result->deadlocks += worker->deadlocks;
    result->zones_expanded += worker->expanded;
    if (worker->degree_min < result->out_degree_min) {
      result->out_degree_min = worker->degree_min;
    }
    if (worker->degree_max != CLEW_ABSENT &&
        (result->out_degree_max == CLEW_ABSENT || worker->degree_max > result->out_degree_max)) {
      result->out_degree_max = worker->degree_max;
    }
    if (result->has_locality) {
      clew_locality_add(&result->locality, &worker->locality);
    }
  }
}

/* Where the words of a state behind the discrete ones are not counted as states of their own, or
 * are something else: the figures that tell them apart. */
static void fill_zones(struct clew_run *run) {
  struct clew_result *result = run->result;
  struct clew_store_census census;
  uint64_t discrete = clew_discrete_close(run);
  if (run->takes_census) {
    run->store->type->census(run->store, &census);
    result->states = result->discrete_states = census.discrete;
    result->zones = census.maximal;
  } else {
    result->discrete_states = discrete;
    result->zones = result->states;
  }
  if (run->model->timed == NULL && !run->ordered) {
    result->zones = result->zones_expanded = CLEW_ABSENT;
  }
}

/* What the store says of itself. */
static void fill_store_figures(struct clew_run *run) {
  struct clew_result *result = run->result;
  const struct clew_store_type *type = run->store->type;
  result->store_bytes = type->bytes(run->store);
  if (result->states > 0) {
    result->bytes_per_state = (double)result->store_bytes / (double)result->states;
  }
  if (!result->scope.lossless) {
    result->omission_probability = type->omission(run->store);
  }
  result->disk_bytes_peak = clew_log_disk_bytes(run->search->log) + run->queue_disk_bytes;
  if (type->disk_bytes != NULL) {
    result->disk_bytes_peak += type->disk_bytes(run->store);
  }
  if (type->counters != NULL) {
    type->counters(run->store, &result->counters);
  }
}

static void fill_figures(struct clew_run *run) {
  struct clew_result *result = run->result;
  result->states = run->spread != NULL ? run->spread->states : clew_run_states(run);
  add_workers(run);
  fill_zones(run);
  if (clew_run_error_depth(run) != CLEW_NONE) {
    result->states++;
    result->deadlocks++;
  }
  result->state_bits = run->model->state_bits;
  result->state_bytes = run->model->bytes;
  result->threads = run->used_workers;
  if (run->store != NULL) {
    fill_store_figures(run);
  }
}

/* The values of all workers. One that zones forget is not known, and neither is its greatest. */
static void gather_measures(struct clew_run *run) {
  for (uint32_t m = 0; m < run->measures.len; m++) {
    uint32_t property = run->measures.data[m];
    const struct clew_measure *asked =
        &run->model->measures[run->model->properties[property].label];
    struct clew_measured all = {0};
    for (uint32_t i = 0; i < run->most_workers; i++) {
      if (run->workers[i] != NULL) {
        clew_measured_join(&all, &run->workers[i]->measured[m]);
      }
    }
    struct clew_measurement measurement = {property, asked, all};
    clew_vec_push(&run->result->measurements, measurement);
    if (all.is_cut && !all.is_endless && asked->wants_most) {
      clew_outcomes_give_up(&run->result->outcomes, property, CLEW_REASON_LIMIT);
    }
  }
}

static void free_run(struct clew_run *run) {
  for (uint32_t i = 0; i < run->most_workers; i++) {
    if (run->workers[i] != NULL) {
      clew_worker_close(run->workers[i]);
      clew_free(run->workers[i]);
    }
  }
  clew_free(run->workers);
  if (run->initial.opened) { /* stopped between two pieces */
    (void)clew_distinct_close(&run->initial);
  }
  clew_vec_free(&run->liveness);
  clew_vec_free(&run->progress);
  clew_vec_free(&run->measures);
  clew_vec_free(&run->covers);
  clew_free(run->open);
}

void clew_run_close(struct clew_run *run) {
  run->result->stop = (enum clew_stop)atomic_load(&run->reason);
  if (run->result->stop == CLEW_STOP_CALLS) {
    run->result->stop_site = atomic_load(&run->deep_site);
  }
  fill_figures(run);
  gather_measures(run);
  clew_run_violate_reached(run);
  clew_run_gather_coverage(run);
  if (run->spread != NULL) {
    clew_spread_fill(run);
  }
  run->result->scope.has_states = run->result->states > 0;
  run->result->scope.is_absurd =
      run->result->states == 0 && (run->model->assumption_count == 0 || run->model->has_locations);
  clew_outcomes_close(&run->result->outcomes, run->model->properties, &run->result->scope);
  free_run(run);
}

void clew_run_abandon(struct clew_run *run) {
  (void)clew_discrete_close(run);
  free_run(run);
}

/* ---- the whole of it ---- */

/* `stats` answers whether it saw everything, whatever it saw. */
static void conclude(const struct clew_search *search, struct clew_result *result) {
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&result->outcomes, search->model->properties, &result->scope);
  result->verdict = conclusion.verdict;
  result->exit_code = search->stop_at_violation ? conclusion.exit_code
                                                : clew_scope_conclude(&result->scope).exit_code;
}

/* False when the run is not where it can be kept. */
static bool keep(const struct clew_engine_type *engine, struct clew_run *run, bool is_last) {
  const struct clew_keeper *keeper = run->search->keeper;
  enum clew_stop why = (enum clew_stop)atomic_load(&run->reason);
  struct clew_cut cut = {.waiting_from = CLEW_ID_NONE,
                         .why = why != CLEW_STOP_FINISHED ? why : run->ends_after_cut,
                         .is_end = run->is_explored};
  bool saved = engine->save != NULL && engine->save(run, is_last, &cut);
  if (saved && keeper->keep != NULL) {
    (void)keeper->keep(keeper->context, &cut, is_last);
    run->next_cut_s = clew_clock_wall_s() + keeper->every_s;
  }
  clew_diskqueue_close(cut.waiting);
  clew_archive_free(&cut.archive);
  return saved;
}

/* Somebody waits for a cut. One that is not possible here is tried again after the next step,
 * unless the run is to end. */
static void serve_keeper(const struct clew_engine_type *engine, struct clew_run *run) {
  bool is_last = run->ends_after_cut != CLEW_STOP_FINISHED;
  if (keep(engine, run, is_last) || is_last) {
    atomic_store_explicit(&run->wants_cut, false, memory_order_relaxed);
  }
  if (is_last && !clew_run_stopped(run)) {
    clew_run_stop(run, run->ends_after_cut);
  }
}

static void step_to_the_end(const struct clew_engine_type *engine, struct clew_run *run) {
  const struct clew_keeper *keeper = run->search->keeper;
  run->next_cut_s = keeper != NULL ? clew_clock_wall_s() + keeper->every_s : INFINITY;
  while (engine->step(run) == CLEW_STEP_RUNNING) {
    if (keeper != NULL && atomic_load_explicit(&run->wants_cut, memory_order_relaxed)) {
      serve_keeper(engine, run);
    }
  }
}

void clew_run_keep_last(struct clew_run *run, const struct clew_engine_type *engine) {
  const struct clew_keeper *keeper = run->search->keeper;
  enum clew_stop why = (enum clew_stop)atomic_load(&run->reason);
  bool is_interrupted = why == CLEW_STOP_SIGNAL || why == CLEW_STOP_MAX_TIME;
  if (keeper == NULL) {
    return;
  }
  if (clew_run_is_limited(run) ||
      (engine->saves_anywhere && is_interrupted && keeper->on_interrupt)) {
    (void)keep(engine, run, true);
  }
}

/* The end of a search that needs no more states: others may ask more of them. */
static void keep_end(const struct clew_engine_type *engine, struct clew_run *run) {
  const struct clew_keeper *keeper = run->search->keeper;
  enum clew_stop why = (enum clew_stop)atomic_load(&run->reason);
  bool has_answer =
      why == CLEW_STOP_FINISHED || why == CLEW_STOP_VIOLATION || why == CLEW_STOP_DECIDED;
  if (keeper == NULL || keeper->keep_end == NULL || engine->save == NULL || !has_answer) {
    return;
  }
  struct clew_cut cut = {.waiting_from = CLEW_ID_NONE, .why = why};
  if (engine->save(run, true, &cut)) {
    keeper->keep_end(keeper->context, &cut);
  }
  clew_diskqueue_close(cut.waiting);
  clew_archive_free(&cut.archive);
}

bool clew_search_run(const struct clew_engine_type *engine, struct clew_search *search,
                     struct clew_result *result) {
  double started_s = clew_clock_wall_s();
  struct clew_run *run = engine->open(search, result);
  bool begun = search->cut == NULL || (engine->load != NULL && engine->load(run));
  if (begun) {
    step_to_the_end(engine, run);
    if (run->is_explored) { /* what is decided then may have found no memory */
      clew_run_keep_last(run, engine);
    }
    keep_end(engine, run);
  }
  engine->close(run);
  if (!begun) {
    return false;
  }
  result->explore_s = clew_clock_wall_s() - started_s;
  if (result->trace_lost) {
    /* The log is on disk. A path that comes from nowhere else takes memory. */
    enum clew_stop why = engine->needs_store ? CLEW_STOP_DISK : CLEW_STOP_MEMORY;
    clew_search_retract(search->model, why, result);
  } else {
    conclude(search, result);
  }
  return true;
}

static void conclude_again(const struct clew_model *model, struct clew_result *result) {
  clew_trace_free(&result->trace);
  result->has_trace = false;
  struct clew_conclusion conclusion =
      clew_outcomes_conclude(&result->outcomes, model->properties, &result->scope);
  result->verdict = conclusion.verdict;
  result->exit_code = conclusion.exit_code;
}

void clew_search_retract(const struct clew_model *model, enum clew_stop why,
                         struct clew_result *result) {
  clew_outcomes_retract(&result->outcomes, &result->scope);
  result->stop = why;
  conclude_again(model, result);
}

void clew_search_doubt(const struct clew_model *model, struct clew_result *result) {
  clew_outcomes_doubt(&result->outcomes, model->properties);
  conclude_again(model, result);
}

uint32_t clew_search_piece(const struct clew_model *model, uint64_t budget_bytes,
                           uint32_t threads) {
  const uint64_t share = 16;
  uint32_t forced = clew_piece_forced();
  if (forced > 0) {
    return forced;
  }
  uint64_t bytes = budget_bytes / share / threads;
  return clew_piece_length(model->words, bytes < CLEW_PIECE_BYTES ? bytes : CLEW_PIECE_BYTES);
}

void clew_search_refused(const struct clew_search *search, struct clew_result *result) {
  clew_outcomes_open(&result->outcomes, search->model->property_count, search->enabled);
  result->scope =
      (struct clew_scope){.unchecked = search->unchecked, .is_partial = is_partial(search->model)};
  result->stop = CLEW_STOP_MEMORY;
  result->states = result->transitions = 0;
  result->state_bits = search->model->state_bits;
  result->state_bytes = search->model->bytes;
  result->threads = 1;
  clew_outcomes_close(&result->outcomes, search->model->properties, &result->scope);
  conclude(search, result);
}

/* ---- stopping ---- */

void clew_run_meet(struct clew_run *run) {
  atomic_store_explicit(&run->halt, true, memory_order_relaxed);
}

void clew_run_stop(struct clew_run *run, enum clew_stop reason) {
  assert(reason != CLEW_STOP_FINISHED);
  int before = CLEW_STOP_FINISHED;
  if (!atomic_compare_exchange_strong(&run->reason, &before, (int)reason) &&
      (reason == CLEW_STOP_VIOLATION || reason == CLEW_STOP_DECIDED)) {
    atomic_store(&run->reason, (int)reason);
  }
  clew_run_meet(run);
}

static void report_progress(struct clew_run *run, double now_s, uint64_t queue, uint64_t level) {
  struct clew_search *search = run->search;
  struct clew_progress progress = {
      .elapsed_s = now_s - search->started_s,
      .states = clew_run_states(run),
      .transitions = atomic_load_explicit(&run->transitions, memory_order_relaxed),
      .queue = queue,
      .level = level,
      .is_depth = run->is_depth,
      .memory_bytes = clew_budget_used(search->budget),
      .budget_bytes = search->budget->limit_bytes,
  };
  if (run->spread != NULL) { /* the others have about as many */
    progress.states *= run->spread->ranks;
    progress.transitions *= run->spread->ranks;
    progress.queue *= run->spread->ranks;
  }
  const struct clew_result *result = run->result;
  progress.has_forecast = result->level_sizes.len > 0 && !run->takes_census;
  if (progress.has_forecast) {
    progress.forecast =
        clew_forecast_make(result->level_sizes.data, result->level_sizes.len, progress.states);
  }
  search->progress(search->progress_context, &progress);
  run->next_progress_s = now_s + search->progress_s;
}

/* Has the workers meet for a cut, after which the run ends for this reason, if it is one. */
static void ask_for_cut(struct clew_run *run, enum clew_stop reason) {
  if (run->ends_after_cut == CLEW_STOP_FINISHED) {
    run->ends_after_cut = reason;
  }
  atomic_store_explicit(&run->wants_cut, true, memory_order_relaxed);
  if (run->shared || run->in_turns) {
    clew_run_meet(run);
  }
}

/* The run is to end: at once, or when it was kept. */
static void end_for(struct clew_run *run, enum clew_stop reason) {
  const struct clew_keeper *keeper = run->search->keeper;
  /* Several ranks have a cut of the beginning of the level. */
  if (keeper != NULL && keeper->on_interrupt && run->spread == NULL) {
    ask_for_cut(run, reason);
  } else {
    clew_run_stop(run, reason);
  }
}

void clew_run_poll(struct clew_worker *worker, uint64_t work, uint64_t queue, uint64_t level) {
  struct clew_run *run = worker->run;
  struct clew_search *search = run->search;
  if (search->interrupted != NULL &&
      atomic_load_explicit(search->interrupted, memory_order_relaxed)) {
    end_for(run, CLEW_STOP_SIGNAL);
    return;
  }
  if (atomic_load_explicit(run->stop, memory_order_relaxed)) {
    clew_run_interrupt(run);
    return;
  }
  worker->work += work;
  if (worker->work < POLL_WORK) {
    return;
  }
  worker->work = 0;
  double now_s = clew_clock_wall_s();
  if (now_s - search->started_s >= search->limits.max_time_s) {
    end_for(run, CLEW_STOP_MAX_TIME);
    return;
  }
  if (now_s >= run->next_cut_s && run->spread == NULL) {
    ask_for_cut(run, CLEW_STOP_FINISHED);
  }
  if (search->progress != NULL && search->progress_s > 0 && now_s >= run->next_progress_s) {
    report_progress(run, now_s, queue, level);
  }
}

/* ---- room ---- */

bool clew_run_extend_log(struct clew_run *run, clew_id id, uint64_t count) {
  assert(!run->shared);
  uint64_t found = id - run->first_id, step = found < LOG_STEP ? found + 1 : LOG_STEP;
  step = count > step ? count : step;
  clew_id end = id + step < CLEW_ID_LIMIT ? id + step : CLEW_ID_LIMIT;
  if (id >= end) {
    clew_run_stop(run, CLEW_STOP_MAX_STATES);
    return false;
  }
  run->log_end = clew_log_reserve(run->search->log, id, end);
  if (run->log_end == id) {
    clew_diag_plain(run->search->diags, CLEW_ERROR, NULL, "cannot write the back-edge log: %s",
                    strerror(errno));
    clew_run_stop(run, CLEW_STOP_DISK);
    return false;
  }
  return true;
}

static void stop_for(struct clew_run *run, enum clew_room room) {
  switch (room) {
  case CLEW_ROOM:
  case CLEW_ROOM_MEMORY:
    clew_run_stop(run, CLEW_STOP_MEMORY);
    break;
  case CLEW_ROOM_DISK:
    clew_run_stop(run, CLEW_STOP_DISK);
    break;
  case CLEW_ROOM_COLLISIONS:
    clew_run_stop(run, CLEW_STOP_COLLISIONS);
    break;
  case CLEW_ROOM_SETTLE:
    run->wants_settling = true;
    break;
  }
}

/* How many of `count` states the store has room for. */
static uint32_t ask_for_room(struct clew_run *run, uint32_t count, enum clew_room *room) {
  /* Most successors were seen before, and few of a batch have to wait: less room may do. */
  for (uint32_t n = count; n > 0; n /= 2) {
    *room = run->store->type->reserve(run->store, n);
    if (*room == CLEW_ROOM) {
      return n;
    }
  }
  return 0;
}

uint32_t clew_run_make_room(struct clew_run *run, uint32_t count) {
  enum clew_room room = CLEW_ROOM_MEMORY;
  uint32_t found = ask_for_room(run, count, &room);
  if (found == 0 && room == CLEW_ROOM_MEMORY && clew_discrete_give_up(run)) {
    found = ask_for_room(run, count, &room);
  }
  if (found == 0) {
    stop_for(run, room);
  }
  return found;
}

/* What the store has room for anyway, or at least the batches of all workers if that is possible.
 */
bool clew_run_renew_credit(struct clew_run *run, uint32_t count) {
  assert((run->store->promises & CLEW_STORE_CONCURRENT) != 0);
  uint64_t stored = clew_run_states(run);
  if (!clew_run_may_go_on(run, stored) || clew_run_make_room(run, count) == 0) {
    assert(!run->wants_settling);
    return false;
  }
  uint64_t credit = run->store->type->room(run->store);
  credit = credit < run->max_states - stored ? credit : run->max_states - stored;
  clew_id next = run->first_id + stored;
  if (next + credit > run->log_end && !clew_run_extend_log(run, next, credit)) {
    return false;
  }
  credit = credit < run->log_end - next ? credit : run->log_end - next;
  assert(credit > 0);
  for (uint32_t i = 0; i < run->most_workers; i++) {
    if (run->workers[i] != NULL) {
      run->workers[i]->credit = 0; /* what they had left is part of the new one */
    }
  }
  atomic_store_explicit(&run->credit, (int64_t)credit, memory_order_relaxed);
  return true;
}

bool clew_run_may_go_on(struct clew_run *run, uint64_t states) {
  if (states >= run->max_states) {
    clew_run_stop(run, run->is_endless ? CLEW_STOP_ENDLESS : CLEW_STOP_MAX_STATES);
    return false;
  }
  return true;
}

void clew_run_refused(struct clew_run *run) {
  if (clew_run_make_room(run, 1) > 0) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  assert(clew_run_stopped(run));
}

bool clew_run_settle(struct clew_worker *worker, bool all,
                     bool (*found_new)(void *context, const struct clew_visit *visit),
                     void *context) {
  struct clew_run *run = worker->run;
  struct clew_store *store = run->store;
  assert((store->demands & CLEW_STORE_SETTLE) != 0);
  run->wants_settling = false;
  worker->promised = 0;
  store->type->settle(store, all, found_new, context);
  if (!clew_run_stopped(run)) {
    (void)clew_run_make_room(run, 1); /* did something fail? */
    assert(!run->wants_settling || !all);
  }
  return !clew_run_stopped(run);
}
