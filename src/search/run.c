/* A search in progress: what breadth-first and depth-first exploration have in common.
 *
 * Invariant: visits[i] belongs to successor i of the buffer. The buffer may move while successors
 * are appended, so the visits' pointers into it are set when they are put. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/hash.h"
#include "search/search_int.h"

/* Successors and expansions between two looks at the clock. */
enum { POLL_WORK = 256 };
/* Ids are 32 bits wide in the log of back edges, and the last one means "none". */
static const uint64_t MAX_STATES = UINT32_MAX;

static void collect_properties(struct clew_run *run) {
  const struct clew_model *model = run->model;
  assert(model->property_count == 0 || run->search->enabled != NULL);
  for (uint32_t i = 0; i < model->property_count; i++) {
    if (!clew_bitset_has(run->search->enabled, i)) {
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
        clew_vec_push(&run->uncovered, i);
      }
      break;
    case CLEW_PROPERTY_LIVENESS:
      if (clew_store_keeps_graph(run->store->capabilities)) {
        clew_vec_push(&run->liveness, i);
      }
      break;
    }
  }
}

void clew_run_open(struct clew_run *run, struct clew_search *search, struct clew_result *result) {
  assert(search->store->config.words == search->model->words);
  assert(search->log != NULL);
  *run = (struct clew_run){
      .search = search,
      .result = result,
      .model = search->model,
      .store = search->store,
      .fault_property = CLEW_NONE,
      .deadlock_property = CLEW_NONE,
      .error_depth = CLEW_NONE,
  };
  uint64_t max_states = search->limits.max_states;
  run->max_states = max_states < MAX_STATES ? max_states : MAX_STATES;
  size_t set_words = CLEW_BITSET_WORDS((size_t)run->model->property_count) + 1;
  run->open = clew_alloc_zero(set_words, sizeof *run->open);
  run->scratch_set = clew_alloc_zero(set_words, sizeof *run->scratch_set);
  run->state = clew_alloc_zero(run->model->words, sizeof *run->state);
  clew_succs_open(&run->succs, run->model->words, run->model->cover_count);
  collect_properties(run);
  result->lossless = (run->store->capabilities & CLEW_STORE_LOSSLESS) != 0;
  result->forgets = (run->store->capabilities & CLEW_STORE_FORGETS) != 0;
  result->complete = false;
}

void clew_run_close(struct clew_run *run) {
  struct clew_result *result = run->result;
  result->states = run->store->type->count(run->store);
  result->transitions = run->transitions;
  result->deadlocks = run->deadlocks;
  assert(!result->complete || result->states == clew_log_count(run->search->log));
  if (clew_run_counts_error(run)) {
    result->states++;
    result->deadlocks++;
  }
  result->state_bits = run->model->state_bits;
  result->state_bytes = run->model->bytes;
  result->store_bytes = run->store->type->bytes(run->store);
  if (result->states > 0) {
    result->bytes_per_state = (double)result->store_bytes / (double)result->states;
  }
  if (!result->lossless) {
    result->omission_probability = run->store->type->omission(run->store);
  }
  result->disk_bytes_peak = clew_log_disk_bytes(run->search->log) + run->queue_disk_bytes;
  if (run->store->type->disk_bytes != NULL) {
    result->disk_bytes_peak += run->store->type->disk_bytes(run->store);
  }
  clew_succs_close(&run->succs);
  clew_vec_free(&run->visits);
  clew_vec_free(&run->uncovered);
  clew_vec_free(&run->liveness);
  clew_free(run->state);
  clew_free(run->open);
  clew_free(run->scratch_set);
}

bool clew_run_counts_error(const struct clew_run *run) {
  return run->model->counts_error_state && run->error_depth != CLEW_NONE &&
         run->result->stop != CLEW_STOP_VIOLATION;
}

void clew_run_stop(struct clew_run *run, enum clew_stop reason) {
  assert(reason != CLEW_STOP_FINISHED);
  /* That something was violated says more than that a limit was reached in the same batch. */
  if (!run->stopped || reason == CLEW_STOP_VIOLATION) {
    run->result->stop = reason;
  }
  run->stopped = true;
}

static void report_progress(struct clew_run *run, double now_s, uint64_t queue, uint64_t level) {
  struct clew_search *search = run->search;
  struct clew_progress progress = {
      .elapsed_s = now_s - search->started_s,
      .states = run->store->type->count(run->store),
      .transitions = run->transitions,
      .queue = queue,
      .level = level,
      .is_depth = run->is_depth,
      .memory_bytes = clew_budget_used(search->budget),
      .budget_bytes = search->budget->limit_bytes,
  };
  search->reporter->type->progress(search->reporter, &progress);
  run->next_progress_s = now_s + search->reporter->every_s;
}

void clew_run_poll(struct clew_run *run, uint64_t work, uint64_t queue, uint64_t level) {
  struct clew_search *search = run->search;
  if (search->interrupted != NULL &&
      atomic_load_explicit(search->interrupted, memory_order_relaxed)) {
    clew_run_stop(run, CLEW_STOP_SIGNAL);
    return;
  }
  run->work += work;
  if (run->work < POLL_WORK) {
    return;
  }
  run->work = 0;
  double now_s = clew_clock_wall_s();
  if (now_s - search->started_s >= search->limits.max_time_s) {
    clew_run_stop(run, CLEW_STOP_MAX_TIME);
    return;
  }
  const struct clew_reporter *reporter = search->reporter;
  if (reporter != NULL && reporter->every_s > 0 && now_s >= run->next_progress_s) {
    report_progress(run, now_s, queue, level);
  }
}

void clew_run_clear(struct clew_run *run) {
  clew_succs_clear(&run->succs);
  clew_vec_clear(&run->visits);
  run->promised = 0;
}

/* Makes visits of the successors that have none yet. */
static void hash_successors(struct clew_run *run) {
  const struct clew_succs *succs = &run->succs;
  const struct clew_store_type *type = run->store->type;
  uint64_t seed = run->store->config.seed;
  uint32_t first = run->visits.len;
  assert(first <= succs->count);
  clew_vec_reserve(&run->visits, succs->count);
  for (uint32_t i = first; i < succs->count; i++) {
    uint64_t hash = clew_hash_words(succs->states + (size_t)i * succs->words, succs->words, seed);
    run->visits.data[i].hash = hash;
    type->prefetch(run->store, hash);
  }
  run->visits.len = succs->count;
}

/* Replaces the successors from `first` on by the representatives of their orbits. */
static void canonicalise(struct clew_run *run, uint32_t first) {
  const struct clew_succs *succs = &run->succs;
  if (run->model->canonicalise != NULL) {
    run->model->canonicalise(run->model, succs->states + (size_t)first * succs->words,
                             succs->count - first);
  }
}

static int compare_words(const void *a, const void *b, void *words) {
  return memcmp(a, b, *(const uint32_t *)words * sizeof(uint64_t));
}

/* Not what the store finds new: a depth-first search may reach an initial state before its turn. */
static uint64_t count_distinct(const struct clew_succs *succs) {
  uint32_t words = succs->words;
  size_t bytes = words * sizeof(uint64_t);
  uint64_t *sorted = clew_alloc((succs->count + 1) * bytes);
  memcpy(sorted, succs->states, succs->count * bytes);
  qsort_r(sorted, succs->count, bytes, compare_words, &words);
  uint64_t distinct = 0;
  for (size_t i = 0; i < succs->count; i++) {
    distinct += i == 0 || memcmp(sorted + i * words, sorted + (i - 1) * words, bytes) != 0;
  }
  clew_free(sorted);
  return distinct;
}

struct clew_finding clew_run_init(struct clew_run *run) {
  clew_run_clear(run);
  run->model->init(run->model, &run->succs);
  canonicalise(run, 0);
  run->result->initial_states = count_distinct(&run->succs);
  hash_successors(run);
  if (run->succs.fault_count == 0 || run->fault_property == CLEW_NONE) {
    return CLEW_NO_FINDING;
  }
  return (struct clew_finding){
      .property = run->fault_property,
      .fault_edge = run->succs.faults[0].edge,
      .site = run->succs.faults[0].site,
      .id = CLEW_ABSENT,
  };
}

/* Whether no successor from `first` on leads anywhere. A fault is somewhere. */
static bool is_stuck(const struct clew_run *run, const uint64_t *state, uint32_t first) {
  const struct clew_succs *succs = &run->succs;
  if (run->model->deadlock == CLEW_DEADLOCK_NO_SUCCESSOR) {
    return first == succs->count;
  }
  assert(run->model->deadlock == CLEW_DEADLOCK_STUTTERING);
  size_t bytes = succs->words * sizeof *state;
  for (uint32_t i = first; i < succs->count; i++) {
    if (memcmp(succs->states + (size_t)i * succs->words, state, bytes) != 0) {
      return false;
    }
  }
  return true;
}

/* Nothing is found a second time: engines interrupt their batches for a finding. */
static uint32_t if_open(const struct clew_run *run, uint32_t property) {
  return property != CLEW_NONE && clew_bitset_has(run->open, property) ? property : CLEW_NONE;
}

struct clew_finding clew_run_expand(struct clew_run *run, uint64_t id, uint32_t depth,
                                    const uint64_t *state) {
  struct clew_succs *succs = &run->succs;
  struct clew_result *result = run->result;
  uint32_t first = succs->count, first_fault = succs->fault_count;
  run->model->next(run->model, state, succs);
  bool stuck = is_stuck(run, state, first); /* a renamed state is another one */
  uint64_t degree = (succs->count - first) + (succs->fault_count - first_fault);
  canonicalise(run, first);
  hash_successors(run);
  run->transitions += degree;
  if (result->out_degree_max == CLEW_ABSENT || degree > result->out_degree_max) {
    result->out_degree_max = degree;
  }
  if (degree < result->out_degree_min) {
    result->out_degree_min = degree;
  }
  if (succs->fault_count > first_fault) {
    run->error_depth = depth + 1 < run->error_depth ? depth + 1 : run->error_depth;
    return (struct clew_finding){
        .property = if_open(run, run->fault_property),
        .depth = depth + 1,
        .fault_edge = succs->faults[first_fault].edge,
        .site = succs->faults[first_fault].site,
        .id = id,
    };
  }
  if (!stuck) {
    return CLEW_NO_FINDING;
  }
  run->deadlocks++;
  return (struct clew_finding){
      .property = if_open(run, run->deadlock_property),
      .depth = depth,
      .fault_edge = CLEW_NONE,
      .site = CLEW_NONE,
      .id = id,
  };
}

uint32_t clew_run_make_room(struct clew_run *run, uint32_t count) {
  const struct clew_store_type *type = run->store->type;
  enum clew_room room = CLEW_ROOM_MEMORY;
  /* Most successors were seen before, and few of a batch have to wait: less room may do. */
  for (uint32_t n = count; n > 0; n /= 2) {
    room = type->reserve(run->store, n);
    if (room == CLEW_ROOM) {
      return n;
    }
  }
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
  return 0;
}

bool clew_run_may_go_on(struct clew_run *run, uint64_t states) {
  if (states >= run->max_states) {
    clew_run_stop(run, CLEW_STOP_MAX_STATES);
    return false;
  }
  return true;
}

uint32_t clew_run_put(struct clew_run *run, uint32_t from, uint32_t end) {
  const struct clew_store_type *type = run->store->type;
  assert(from <= end && end <= run->visits.len && run->visits.len == run->succs.count);
  uint64_t max_states = run->max_states, stored = type->count(run->store);
  if (!clew_run_may_go_on(run, stored)) {
    return 0;
  }
  if (end > run->promised) { /* asks for all that follow, or they would ask one by one */
    uint32_t left = run->visits.len - from;
    uint32_t most = left < max_states - stored ? left : (uint32_t)(max_states - stored);
    run->promised = from + clew_run_make_room(run, most);
  }
  uint32_t count = (end < run->promised ? end : run->promised) - from;
  if (count == 0) {
    return 0;
  }
  for (uint32_t i = from; i < from + count; i++) {
    run->visits.data[i].state = run->succs.states + (size_t)i * run->succs.words;
  }
  type->put(run->store, count, run->visits.data + from);
  (void)clew_run_may_go_on(run, type->count(run->store));
  return count;
}

void clew_run_refused(struct clew_run *run) {
  if (clew_run_make_room(run, 1) > 0) {
    clew_run_stop(run, CLEW_STOP_MEMORY);
  }
  assert(run->stopped);
}

bool clew_run_settle(struct clew_run *run, bool all,
                     bool (*found_new)(void *context, const struct clew_visit *visit),
                     void *context) {
  struct clew_store *store = run->store;
  assert((store->capabilities & CLEW_STORE_DELAYED) != 0);
  run->wants_settling = false;
  run->promised = 0;
  store->type->settle(store, all, found_new, context);
  if (!run->stopped) {
    (void)clew_run_make_room(run, 1); /* did something fail? */
    assert(!run->wants_settling || !all);
  }
  return !run->stopped;
}

void clew_run_lookup(struct clew_run *run, const uint64_t *state) {
  clew_run_clear(run);
  run->model->next(run->model, state, &run->succs);
  canonicalise(run, 0);
  hash_successors(run);
  for (uint32_t i = 0; i < run->visits.len; i++) {
    run->visits.data[i].state = run->succs.states + (size_t)i * run->succs.words;
  }
  run->store->type->put(run->store, run->visits.len, run->visits.data);
  for (uint32_t i = 0; i < run->visits.len; i++) {
    assert(run->visits.data[i].answer == CLEW_SEEN);
  }
}

bool clew_run_absorb(struct clew_run *run, const uint64_t *state, uint64_t id, uint32_t depth,
                     uint32_t parent, uint32_t edge) {
  assert(id == clew_log_count(run->search->log));
  if (!clew_log_append(run->search->log, parent, edge)) {
    clew_diag_plain(run->search->diags, CLEW_ERROR, NULL, "cannot write the back-edge log: %s",
                    strerror(errno));
    clew_run_stop(run, CLEW_STOP_DISK);
    return false;
  }
  clew_run_check(run, state, id, depth);
  return run->result->stop != CLEW_STOP_VIOLATION;
}

/* Reserving addresses costs nothing, so all the budget could ever give; less if the system has a
 * limit of its own. */
bool clew_bigstack_open(struct clew_bigstack *stack, struct clew_budget *budget) {
  assert(budget != NULL);
  const size_t least_bytes = (size_t)1 << 20, most_bytes = (size_t)1 << 42;
  *stack = (struct clew_bigstack){0};
  size_t bytes = budget->limit_bytes < most_bytes ? (size_t)budget->limit_bytes : most_bytes;
  bytes = bytes > least_bytes ? bytes : least_bytes;
  while (!clew_bigmem_open(&stack->mem, bytes, budget)) {
    bytes /= 2;
    if (bytes < least_bytes) {
      return false;
    }
  }
  return true;
}

void clew_bigstack_close(struct clew_bigstack *stack) {
  clew_bigmem_close(&stack->mem);
  stack->used_bytes = 0;
}
