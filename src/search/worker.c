/* What one thread of a search does: expand a state, put its successors, absorb the new ones.
 *
 * Invariant: visits[i] belongs to successor i of the buffer. The buffer may move while successors
 * are appended, so the visits' pointers into it are set when they are put. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "search/search_int.h"

enum { CREDIT_STEP = 1024 };

void clew_worker_open(struct clew_worker *worker, struct clew_run *run) {
  const struct clew_model *model = run->model;
  worker->run = run;
  worker->degree_min = worker->degree_max = CLEW_ABSENT;
  worker->error_depth = CLEW_NONE;
  clew_succs_open(&worker->succs, model->words, model->cover_count);
  worker->succs.most = run->piece;
  clew_worker_open_coverage(worker);
  size_t set_words = CLEW_BITSET_WORDS((size_t)model->property_count) + 1;
  worker->scratch_set = clew_alloc_zero(set_words, sizeof *worker->scratch_set);
  worker->measured = clew_alloc_zero((size_t)run->measures.len + 1, sizeof *worker->measured);
  for (uint32_t i = 0; i < run->covers.len; i++) {
    clew_vec_push(&worker->uncovered, run->covers.data[i]);
  }
  if (run->spread != NULL) {
    clew_spread_open_worker(worker);
  }
}

void clew_worker_close(struct clew_worker *worker) {
  clew_spread_close_worker(worker);
  clew_vec_free(&worker->names);
  clew_succs_close(&worker->succs);
  clew_vec_free(&worker->visits);
  clew_vec_free(&worker->findings);
  clew_vec_free(&worker->finding_states);
  clew_vec_free(&worker->uncovered);
  clew_locality_free(&worker->locality);
  clew_free(worker->scratch_set);
  clew_free(worker->fired);
  clew_free(worker->fired_apart);
  clew_free(worker->measured);
}

void clew_worker_clear(struct clew_worker *worker) {
  clew_succs_clear(&worker->succs);
  clew_vec_clear(&worker->visits);
  worker->promised = 0;
}

/* ---- expanding ---- */

static void prefetch_nothing(const struct clew_store *store, uint64_t hash) {
  (void)store;
  (void)hash;
}

/* Makes visits of the successors that have none yet, and counts their edges unless `fired` is NULL.
 * A worker that waits for its turn stays out of the store. */
static inline __attribute__((always_inline)) void
make_visits_of(struct clew_worker *worker, clew_id parent, uint32_t depth, uint64_t *fired) {
  const struct clew_run *run = worker->run;
  const struct clew_succs *succs = &worker->succs;
  const struct clew_store *store = run->store;
  void (*prefetch)(const struct clew_store *, uint64_t) =
      run->in_turns ? prefetch_nothing : store->type->prefetch;
  uint64_t seed = store->config.seed;
  uint32_t hash_words = run->hash_words;
  assert(worker->visits.len <= succs->count);
  clew_vec_reserve(&worker->visits, succs->count);
  for (uint32_t i = worker->visits.len; i < succs->count; i++) {
    struct clew_visit *visit = &worker->visits.data[i];
    visit->hash = clew_hash_words(succs->states + (size_t)i * succs->words, hash_words, seed);
    visit->parent = parent;
    visit->edge = succs->edges[i];
    visit->depth = depth;
    if (fired != NULL) {
      fired[visit->edge]++;
    }
    prefetch(store, visit->hash);
  }
  worker->visits.len = succs->count;
}

static void make_visits(struct clew_worker *worker, clew_id parent, uint32_t depth) {
  make_visits_of(worker, parent, depth, NULL);
}

static void make_counted_visits(struct clew_worker *worker, clew_id parent, uint32_t depth) {
  assert(worker->fired != NULL);
  make_visits_of(worker, parent, depth, worker->fired);
}

/* Where there are too many edges to count, or others own some of the successors. */
static __attribute__((noinline)) void make_other_visits(struct clew_worker *worker, uint32_t first,
                                                        clew_id parent, uint32_t depth) {
  if (worker->outboxes != NULL) {
    clew_spread_divide(worker, first, parent, depth);
  } else {
    make_visits(worker, parent, depth);
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

bool clew_worker_init(struct clew_worker *worker) {
  struct clew_run *run = worker->run;
  struct clew_succs *succs = &worker->succs;
  bool is_first = succs->resume == 0;
  clew_worker_clear(worker);
  run->model->init(run->model, succs);
  (void)clew_run_sift_faults(run, succs, 0, 0);
  bool more = succs->resume != 0;
  run->result->initial_states = CLEW_ABSENT;
  if (is_first && !more) {
    run->result->initial_states = count_distinct(succs);
  } else if (!run->asks_store) {
    clew_distinct_add(&run->initial, succs, run->search->budget);
    run->result->initial_states = more ? CLEW_ABSENT : clew_distinct_close(&run->initial);
  }
  if (run->spread != NULL) {
    clew_spread_keep_own(worker);
  }
  make_visits(worker, CLEW_ID_NONE, 0);
  run->has_failed_start |= succs->fault_count > 0;
  if (succs->fault_count > 0 && run->fault_property != CLEW_NONE) {
    struct clew_finding finding = {
        .property = run->fault_property,
        .fault_edge = succs->faults[0].edge,
        .site = succs->faults[0].site,
        .id = CLEW_ID_NONE,
    };
    clew_worker_find(worker, &finding, NULL);
  }
  return more;
}

/* Outlined: these are rare. */
static __attribute__((noinline)) void find_fault(struct clew_worker *worker,
                                                 const struct clew_judgement *judgement, clew_id id,
                                                 uint32_t depth, const uint64_t *state) {
  struct clew_run *run = worker->run;
  worker->error_depth = depth + 1 < worker->error_depth ? depth + 1 : worker->error_depth;
  if (run->fault_property != CLEW_NONE && clew_bitset_has(run->open, run->fault_property)) {
    struct clew_finding finding = {
        .property = run->fault_property,
        .depth = depth + 1,
        .fault_edge = judgement->fault_edge,
        .site = judgement->site,
        .id = id,
    };
    clew_worker_find(worker, &finding, state);
  }
}

static __attribute__((noinline)) void find_deadlock(struct clew_worker *worker, clew_id id,
                                                    uint32_t depth, const uint64_t *state) {
  struct clew_run *run = worker->run;
  worker->deadlocks++;
  if (run->deadlock_property != CLEW_NONE && clew_bitset_has(run->open, run->deadlock_property)) {
    struct clew_finding finding = {
        .property = run->deadlock_property,
        .depth = depth,
        .fault_edge = CLEW_NONE,
        .site = CLEW_NONE,
        .id = id,
    };
    clew_worker_find(worker, &finding, state);
  }
}

static void count_degree(struct clew_worker *worker, uint64_t degree) {
  worker->expanded++;
  if (worker->degree_max == CLEW_ABSENT || degree > worker->degree_max) {
    worker->degree_max = degree;
  }
  if (degree < worker->degree_min) {
    worker->degree_min = degree;
  }
}

/* The first piece of a state, or a further one. The state is judged with the last piece. */
static __attribute__((noinline)) void judge_piece(struct clew_worker *worker,
                                                  const struct clew_judgement *judgement,
                                                  clew_id id, uint32_t depth,
                                                  const uint64_t *state) {
  worker->degree += judgement->degree;
  if (judgement->site != CLEW_NONE && !worker->faulty) {
    worker->faulty = true;
    find_fault(worker, judgement, id, depth, state);
  }
  worker->in_pieces = judgement->more;
  if (worker->in_pieces) {
    return;
  }
  count_degree(worker, worker->degree);
  if (judgement->stuck) {
    find_deadlock(worker, id, depth, state);
  }
  worker->degree = 0;
  worker->faulty = false;
}

static inline void judge(struct clew_worker *worker, const struct clew_judgement *judgement,
                         clew_id id, uint32_t depth, const uint64_t *state) {
  assert(!judgement->is_void);
  worker->transitions += judgement->degree;
  if (__builtin_expect(judgement->more || worker->in_pieces, 0)) {
    judge_piece(worker, judgement, id, depth, state);
    return;
  }
  count_degree(worker, judgement->degree);
  if (__builtin_expect(judgement->site != CLEW_NONE, 0)) {
    find_fault(worker, judgement, id, depth, state);
  } else if (__builtin_expect(judgement->stuck, 0)) {
    find_deadlock(worker, id, depth, state);
  }
}

void clew_worker_judge(struct clew_worker *worker, const struct clew_judgement *judgement,
                       clew_id id, uint32_t depth, const uint64_t *state) {
  if (!judgement->is_void) {
    judge(worker, judgement, id, depth, state);
  }
}

void clew_worker_leave(struct clew_worker *worker) {
  worker->succs.resume = 0; /* where the last piece ended */
  worker->in_pieces = worker->faulty = false;
  worker->degree = 0;
}

/* The run was stopped in the midst of a state: nothing of it is used. */
static __attribute__((noinline)) bool leave_off(struct clew_worker *worker) {
  assert(clew_run_stopped(worker->run));
  worker->judgement = (struct clew_judgement){.site = CLEW_NONE, .is_void = true};
  clew_worker_leave(worker);
  return false;
}

/* An instance that ends in a run-time error has fired, too. */
static __attribute__((noinline)) void count_faults(struct clew_worker *worker,
                                                   uint32_t first_fault) {
  const struct clew_succs *succs = &worker->succs;
  uint64_t *fired = clew_worker_fired(worker);
  for (uint32_t i = first_fault; fired != NULL && i < succs->fault_count; i++) {
    fired[succs->faults[i].edge]++;
  }
}

/* Makes visits of the successors from `first` on, which are those of `state` or a piece of them. */
static inline bool take_successors(struct clew_worker *worker, uint32_t first, uint32_t first_fault,
                                   clew_id id, uint32_t depth, const uint64_t *state) {
  const struct clew_succs *succs = &worker->succs;
  struct clew_judgement *judgement = &worker->judgement;
  bool faulty = succs->fault_count > first_fault;
  *judgement =
      (struct clew_judgement){.degree = (succs->count - first) + (succs->fault_count - first_fault),
                              .fault_edge = faulty ? succs->faults[first_fault].edge : CLEW_NONE,
                              .site = faulty ? succs->faults[first_fault].site : CLEW_NONE,
                              .stuck = succs->stuck,
                              .more = succs->resume != 0};
  if (__builtin_expect(worker->fired != NULL, 1)) {
    make_counted_visits(worker, id, depth + 1);
  } else {
    make_other_visits(worker, first, id, depth + 1);
  }
  if (__builtin_expect(faulty, 0)) {
    count_faults(worker, first_fault);
  }
  if (!worker->run->judges_late) {
    judge(worker, judgement, id, depth, state);
  }
  return judgement->more;
}

bool clew_worker_expand(struct clew_worker *worker, clew_id id, uint32_t depth,
                        const uint64_t *state) {
  struct clew_succs *succs = &worker->succs;
  const struct clew_model *model = worker->run->model;
  uint32_t first = succs->count, first_fault = succs->fault_count;
  if (__builtin_expect(atomic_load_explicit(worker->run->stop, memory_order_relaxed), 0)) {
    clew_run_interrupt(worker->run);
    return leave_off(worker);
  }
  model->next(model, state, succs);
  if (__builtin_expect(succs->fault_count > first_fault, 0) &&
      !clew_run_sift_faults(worker->run, succs, first, first_fault)) {
    return leave_off(worker);
  }
  return take_successors(worker, first, first_fault, id, depth, state);
}

bool clew_worker_expand_further(struct clew_worker *worker, clew_id id, uint32_t depth,
                                const uint64_t *state) {
  struct clew_succs *succs = &worker->succs;
  const struct clew_model *model = worker->run->model;
  assert(worker->in_pieces && succs->resume != 0);
  uint32_t first = succs->count, first_fault = succs->fault_count;
  model->next(model, state, succs);
  if (!clew_run_sift_faults(worker->run, succs, first, first_fault)) {
    return leave_off(worker);
  }
  return take_successors(worker, first, first_fault, id, depth, state);
}

/* ---- putting ---- */

bool clew_worker_take_credit(struct clew_worker *worker, uint32_t wanted) {
  if (worker->credit >= wanted) {
    return true;
  }
  /* More than is wanted now, so that workers seldom meet at the counter. */
  const int64_t most = (int64_t)wanted - worker->credit + CREDIT_STEP;
  _Atomic int64_t *credit = &worker->run->credit;
  int64_t there = atomic_load_explicit(credit, memory_order_relaxed), taken;
  do {
    taken = there < most ? there : most;
  } while (taken > 0 &&
           !atomic_compare_exchange_weak_explicit(credit, &there, there - taken,
                                                  memory_order_relaxed, memory_order_relaxed));
  worker->credit += taken > 0 ? (uint32_t)taken : 0;
  if (worker->credit == 0) {
    clew_run_meet(worker->run);
  }
  return worker->credit > 0;
}

/* How many of the visits from `from` to `end` may be put now, by a worker that is alone. */
static uint32_t ask_store(struct clew_worker *worker, uint32_t from, uint32_t end) {
  struct clew_run *run = worker->run;
  uint64_t max_states = run->max_states, stored = clew_run_states(run);
  if (!clew_run_may_go_on(run, stored)) {
    return 0;
  }
  if (end > worker->promised) { /* asks for all that follow, or they would ask one by one */
    uint32_t left = worker->visits.len - from;
    uint32_t most = left < max_states - stored ? left : (uint32_t)(max_states - stored);
    worker->promised = from + clew_run_make_room(run, most);
  }
  return (end < worker->promised ? end : worker->promised) - from;
}

/* The same for one of several workers. */
static uint32_t use_credit(struct clew_worker *worker, uint32_t wanted) {
  (void)clew_worker_take_credit(worker, wanted);
  return worker->credit < wanted ? worker->credit : wanted;
}

static void pay(struct clew_worker *worker, const struct clew_visit *visits, uint32_t count) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    used += visits[i].answer == CLEW_NEW;
  }
  assert(used <= worker->credit);
  worker->credit -= used;
}

/* The store is told ids of parents, and everybody else goes on with their names. */
static __attribute__((noinline)) void put_by_ids(struct clew_worker *worker,
                                                 struct clew_visit *visits, uint32_t count) {
  struct clew_run *run = worker->run;
  clew_vec_reserve(&worker->names, count);
  for (uint32_t i = 0; i < count; i++) {
    worker->names.data[i] = visits[i].parent;
  }
  clew_spread_to_ids(run->spread, visits, count);
  run->store->type->put(run->store, count, visits);
  for (uint32_t i = 0; i < count; i++) {
    visits[i].parent = worker->names.data[i];
  }
}

uint32_t clew_worker_put(struct clew_worker *worker, uint32_t from, uint32_t end) {
  struct clew_run *run = worker->run;
  const struct clew_store_type *type = run->store->type;
  const struct clew_succs *succs = &worker->succs;
  assert(from <= end && end <= worker->visits.len && worker->visits.len == succs->count);
  uint32_t count = run->shared ? use_credit(worker, end - from) : ask_store(worker, from, end);
  if (count == 0) {
    return 0;
  }
  struct clew_visit *visits = worker->visits.data + from;
  for (uint32_t i = 0; i < count; i++) {
    visits[i].state = succs->states + (size_t)(from + i) * succs->words;
  }
  if (__builtin_expect(run->tells_ids, 0)) {
    put_by_ids(worker, visits, count);
  } else {
    type->put(run->store, count, visits);
  }
  if (run->shared) {
    pay(worker, visits, count);
  }
  (void)clew_run_may_go_on(run, clew_run_states(run));
  return count;
}

bool clew_worker_absorb(struct clew_worker *worker, const struct clew_visit *visit) {
  struct clew_run *run = worker->run;
  if (__builtin_expect(visit->id >= run->log_end, 0) && !clew_run_extend_log(run, visit->id, 1)) {
    return false;
  }
  clew_log_set(run->search->log, visit->id, visit->parent, visit->edge);
  clew_worker_check(worker, visit->state, visit->id, visit->depth);
  return true;
}

bool clew_worker_lookup(struct clew_worker *worker, const uint64_t *state) {
  struct clew_run *run = worker->run;
  clew_worker_clear(worker);
  uint64_t discarded = worker->succs.discarded; /* was counted when the state was expanded */
  run->model->next(run->model, state, &worker->succs);
  worker->succs.discarded = discarded;
  (void)clew_run_sift_faults(run, &worker->succs, 0, 0);
  make_visits(worker, CLEW_ID_NONE, 0);
  uint32_t count = worker->visits.len;
  for (uint32_t i = 0; i < count; i++) {
    worker->visits.data[i].state = worker->succs.states + (size_t)i * worker->succs.words;
  }
  run->store->type->find(run->store, count, worker->visits.data);
  for (uint32_t i = 0; i < count; i++) {
    assert(worker->visits.data[i].answer == CLEW_SEEN);
  }
  return worker->succs.resume != 0;
}
