/* What all ranks do together: agree at the end of a level, choose what is reported, rebuild a path,
 * add up what they counted.
 *
 * All of it is made of reductions, so each rank knows the same afterwards and goes on in the same
 * way. None of it happens often: once per level, or once in a search. A team that is lost ends it:
 * the rank goes on with what it knew when all met last. */
#include <assert.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "search/search_int.h"

enum { STOPS = CLEW_STOP_MESSAGE + 1 };

static bool reduce(struct clew_run *run, enum clew_reduction reduction, uint64_t *values,
                   uint32_t count) {
  if (clew_team_reduce(run->spread->team, reduction, values, count)) {
    return true;
  }
  clew_run_stop(run, CLEW_STOP_RANK);
  return false;
}

static bool reduce_one(struct clew_run *run, enum clew_reduction reduction, uint64_t *value) {
  return reduce(run, reduction, value, 1);
}

/* ---- the end of a level ---- */

enum {
  LEVEL_STATES,
  STATES,
  TRANSITIONS,
  DEADLOCKS,
  FINDINGS,
  WANTS_CUT,
  STOPPED, /* and the ranks that stopped for each reason */
  AGREED = STOPPED + STOPS
};

static void count_here(const struct clew_run *run, uint64_t *values) {
  for (uint32_t i = 0; i < run->most_workers; i++) {
    const struct clew_worker *worker = run->workers[i];
    if (worker != NULL) {
      values[TRANSITIONS] += worker->transitions;
      values[DEADLOCKS] += worker->deadlocks;
      values[FINDINGS] += worker->findings.len;
    }
  }
}

/* The reason of all: that with the least number, but for the one that only says that another rank
 * has one. */
static enum clew_stop choose_stop(const uint64_t *stopped) {
  for (uint32_t i = 1; i < STOPS; i++) {
    if (stopped[i] > 0 && i != CLEW_STOP_RANK) {
      return (enum clew_stop)i;
    }
  }
  return stopped[CLEW_STOP_RANK] > 0 ? CLEW_STOP_RANK : CLEW_STOP_FINISHED;
}

void clew_spread_agree(struct clew_run *run, uint64_t level_states) {
  struct clew_spread *spread = run->spread;
  uint64_t values[AGREED] = {[LEVEL_STATES] = level_states, [STATES] = clew_run_states(run)};
  count_here(run, values);
  values[STOPPED + atomic_load(&run->reason)] = 1;
  values[WANTS_CUT] = spread->rank == 0 && clew_clock_wall_s() >= run->next_cut_s;
  if (!reduce(run, CLEW_REDUCE_SUM, values, AGREED)) {
    return;
  }
  spread->level_states = values[LEVEL_STATES];
  spread->states = values[STATES];
  spread->transitions = values[TRANSITIONS];
  spread->deadlocks = values[DEADLOCKS];
  spread->findings = values[FINDINGS];
  spread->wants_cut = values[WANTS_CUT] > 0;
  enum clew_stop stop = choose_stop(values + STOPPED);
  uint64_t max_states = run->search->limits.max_states;
  if (stop == CLEW_STOP_FINISHED && max_states != CLEW_ABSENT && spread->states >= max_states) {
    stop = CLEW_STOP_MAX_STATES;
  } else if (stop == CLEW_STOP_FINISHED && run->is_endless && spread->states >= run->max_states) {
    stop = CLEW_STOP_ENDLESS;
  }
  if (stop != CLEW_STOP_FINISHED) {
    clew_run_stop(run, stop);
    atomic_store(&run->reason, (int)stop);
  }
}

/* ---- findings ---- */

/* What makes a finding the first: depth, property, then the bytes of the state; where these mean
 * something on one rank only, its essence (model/dialect.h). */
struct candidate {
  const struct clew_worker *worker; /* NULL: this rank has none */
  uint32_t at;
  uint64_t rank_key; /* depth and property */
};

static struct candidate best_here(const struct clew_run *run, const uint64_t *left) {
  struct candidate best = {.rank_key = UINT64_MAX};
  uint32_t words = run->model->words;
  for (uint32_t w = 0; w < run->most_workers; w++) {
    const struct clew_worker *worker = run->workers[w];
    for (uint32_t i = 0; worker != NULL && i < worker->findings.len; i++) {
      const struct clew_finding *finding = &worker->findings.data[i];
      uint64_t key = (uint64_t)finding->depth << 32 | finding->property;
      if (!clew_bitset_has(left, finding->property) || key > best.rank_key) {
        continue;
      }
      const uint64_t *state = worker->finding_states.data + (size_t)i * words;
      if (key < best.rank_key ||
          memcmp(state, best.worker->finding_states.data + (size_t)best.at * words,
                 words * sizeof *state) < 0) {
        best = (struct candidate){worker, i, key};
      }
    }
  }
  return best;
}

/* Which rank has the first of all; `ranks` when there is none, or the team is lost. */
static uint32_t choose_rank(struct clew_run *run, const struct candidate *own) {
  const struct clew_spread *spread = run->spread;
  uint64_t key = own->rank_key, least = key;
  if (!reduce_one(run, CLEW_REDUCE_MIN, &least) || least == UINT64_MAX) {
    return spread->ranks;
  }
  bool is_in = key == least;
  const struct clew_dialect *dialect = run->model->dialect;
  for (uint32_t w = 0; w < (dialect != NULL ? 1 : run->model->words); w++) {
    uint64_t word = UINT64_MAX;
    if (is_in) { /* in the order of memcmp */
      const uint64_t *state =
          own->worker->finding_states.data + (size_t)own->at * run->model->words;
      word = dialect != NULL ? dialect->essence(run->model, state) : __builtin_bswap64(state[w]);
    }
    least = word;
    if (!reduce_one(run, CLEW_REDUCE_MIN, &least)) {
      return spread->ranks;
    }
    is_in = is_in && word == least;
  }
  uint64_t rank = is_in ? spread->rank : spread->ranks;
  return reduce_one(run, CLEW_REDUCE_MIN, &rank) ? (uint32_t)rank : spread->ranks;
}

/* The finding itself, with the name of its state. */
static bool share_finding(struct clew_run *run, const struct candidate *own, uint32_t rank,
                          struct clew_finding *finding, uint64_t *state) {
  const struct clew_spread *spread = run->spread;
  uint32_t words = run->model->words;
  memset(finding, 0, sizeof *finding);
  memset(state, 0, words * sizeof *state);
  if (rank == spread->rank) {
    *finding = own->worker->findings.data[own->at];
    finding->id =
        finding->id == CLEW_ID_NONE ? CLEW_ID_NONE : clew_spread_name(spread, finding->id);
    memcpy(state, own->worker->finding_states.data + (size_t)own->at * words,
           words * sizeof *state);
  }
  /* Words that nobody understands stay zero: they only have an order. */
  return clew_team_share(spread->team, rank, finding, sizeof *finding) &&
         (spread->model != NULL ||
          clew_team_share(spread->team, rank, state, words * sizeof *state));
}

void clew_spread_gather(struct clew_run *run) {
  uint32_t words = run->model->words;
  size_t set_bytes = (CLEW_BITSET_WORDS((size_t)run->model->property_count) + 1) * sizeof(uint64_t);
  if (run->spread->findings == 0) {
    return;
  }
  uint64_t *left = clew_alloc(set_bytes), *state = clew_alloc(words * sizeof *state);
  memcpy(left, run->open, set_bytes);
  CLEW_VEC(struct clew_finding) all = {0};
  CLEW_VEC(uint64_t) states = {0};
  for (;;) {
    struct clew_finding finding;
    struct candidate own = best_here(run, left);
    uint32_t rank = choose_rank(run, &own);
    if (rank == run->spread->ranks || !share_finding(run, &own, rank, &finding, state)) {
      break;
    }
    clew_bitset_remove(left, finding.property);
    clew_vec_push(&all, finding);
    for (uint32_t w = 0; w < words; w++) {
      clew_vec_push(&states, state[w]);
    }
  }
  for (uint32_t w = 0; w < run->most_workers; w++) {
    if (run->workers[w] != NULL) {
      clew_vec_clear(&run->workers[w]->findings);
      clew_vec_clear(&run->workers[w]->finding_states);
    }
  }
  for (uint32_t i = 0; i < all.len && !clew_team_is_lost(run->spread->team); i++) {
    clew_worker_find(clew_run_worker(run, 0), &all.data[i], states.data + (size_t)i * words);
  }
  clew_vec_free(&all);
  clew_vec_free(&states);
  clew_free(left);
  clew_free(state);
}

/* ---- a path ---- */

/* The back edge of a state; false on every rank when the one that has it cannot read it. */
static bool back_edge_of(struct clew_run *run, clew_id name, clew_id *parent, uint32_t *edge) {
  const struct clew_spread *spread = run->spread;
  uint64_t values[3] = {0};
  if (clew_spread_rank_of(spread, name) == spread->rank) {
    struct clew_back_edge back = {0};
    values[0] = clew_log_get(run->search->log, clew_spread_id_of(spread, name), &back);
    values[1] = back.parent;
    values[2] = back.edge;
  }
  bool ok = reduce(run, CLEW_REDUCE_SUM, values, 3) && values[0] == 1;
  *parent = values[1];
  *edge = (uint32_t)values[2];
  return ok;
}

bool clew_spread_find_path(struct clew_run *run, clew_id name, struct clew_trace *trace) {
  CLEW_VEC(uint32_t) path = {0};
  *trace = (struct clew_trace){.initial = CLEW_NONE,
                               .property = CLEW_NONE,
                               .fault_edge = CLEW_NONE,
                               .site = CLEW_NONE,
                               .loop_to = CLEW_NONE};
  uint32_t edge = 0;
  clew_id parent = CLEW_ID_NONE;
  bool ok = true;
  /* A path is not longer than there are levels: damage must not make it run forever. */
  while ((ok = back_edge_of(run, name, &parent, &edge)) && parent != CLEW_ID_NONE &&
         path.len <= run->result->level_sizes.len) {
    clew_vec_push(&path, edge);
    name = parent;
  }
  ok = ok && parent == CLEW_ID_NONE;
  for (uint32_t i = 0, j = path.len; i + 1 < j; i++) {
    j--;
    uint32_t swapped = path.data[i];
    path.data[i] = path.data[j];
    path.data[j] = swapped;
  }
  trace->initial = ok ? edge : CLEW_NONE;
  trace->edges = path.data;
  trace->edge_count = path.len;
  return ok;
}

/* ---- counts ---- */

void clew_spread_join_worker(struct clew_run *run, struct clew_worker *sum,
                             struct clew_worker *worker) {
  uint32_t cover_words = CLEW_BITSET_WORDS(run->model->cover_count);
  sum->transitions += worker->transitions;
  sum->deadlocks += worker->deadlocks;
  sum->expanded += worker->expanded;
  sum->succs.discarded += worker->succs.discarded;
  sum->error_depth =
      worker->error_depth < sum->error_depth ? worker->error_depth : sum->error_depth;
  sum->degree_min = worker->degree_min < sum->degree_min ? worker->degree_min : sum->degree_min;
  if (worker->degree_max != CLEW_ABSENT &&
      (sum->degree_max == CLEW_ABSENT || worker->degree_max > sum->degree_max)) {
    sum->degree_max = worker->degree_max;
  }
  for (uint32_t w = 0; w < cover_words; w++) {
    sum->succs.covered[w] |= worker->succs.covered[w];
  }
  for (uint32_t e = 0; sum->fired_apart != NULL && e < run->model->edge_count; e++) {
    sum->fired_apart[e] += worker->fired_apart[e];
    worker->fired_apart[e] = 0;
  }
  for (uint32_t m = 0; m < run->measures.len; m++) {
    clew_measured_join(&sum->measured[m], &worker->measured[m]);
  }
  for (uint32_t k = 0; k < sum->uncovered.len;) {
    bool looks = false;
    for (uint32_t j = 0; j < worker->uncovered.len; j++) {
      looks |= worker->uncovered.data[j] == sum->uncovered.data[k];
    }
    if (looks) {
      k++;
    } else {
      sum->uncovered.data[k] = clew_vec_last(&sum->uncovered);
      sum->uncovered.len--;
    }
  }
  worker->transitions = worker->deadlocks = worker->expanded = worker->succs.discarded = 0;
}

/* All workers of this rank as the first one. */
static struct clew_worker *join_workers(struct clew_run *run) {
  struct clew_worker *sum = clew_run_worker(run, 0);
  for (uint32_t i = 1; i < run->most_workers; i++) {
    if (run->workers[i] != NULL) {
      clew_spread_join_worker(run, sum, run->workers[i]);
    }
  }
  return sum;
}

static void pool_measures(struct clew_run *run, struct clew_worker *sum) {
  const uint64_t sign = UINT64_C(1) << 63; /* the order of signed numbers */
  for (uint32_t m = 0; m < run->measures.len; m++) {
    struct clew_measured *own = &sum->measured[m], all = {0};
    for (uint32_t rank = 0; rank < run->spread->ranks; rank++) {
      uint64_t values[4] = {0};
      if (rank == run->spread->rank && own->any) {
        values[0] = 1;
        values[1] = (uint64_t)own->least ^ sign;
        values[2] = (uint64_t)own->most ^ sign;
        values[3] = (uint64_t)own->least_open | (uint64_t)own->most_open << 1 |
                    (uint64_t)own->is_endless << 2 | (uint64_t)own->is_cut << 3;
      }
      if (!reduce(run, CLEW_REDUCE_OR, values, 4)) {
        return;
      }
      struct clew_measured one = {.any = values[0] != 0,
                                  .least = (int64_t)(values[1] ^ sign),
                                  .most = (int64_t)(values[2] ^ sign),
                                  .least_open = values[3] & 1,
                                  .most_open = values[3] >> 1 & 1,
                                  .is_endless = values[3] >> 2 & 1,
                                  .is_cut = values[3] >> 3 & 1};
      if (one.any) {
        clew_measured_join(&all, &one);
      }
    }
    *own = all;
  }
}

/* Covers that some rank has seen. */
static void pool_covers(struct clew_run *run, struct clew_worker *sum) {
  uint32_t words = CLEW_BITSET_WORDS(run->model->property_count) + 1;
  uint64_t *seen = clew_alloc_zero(words, sizeof *seen);
  for (uint32_t i = 0; i < run->covers.len; i++) {
    clew_bitset_add(seen, run->covers.data[i]);
  }
  for (uint32_t i = 0; i < sum->uncovered.len; i++) {
    clew_bitset_remove(seen, sum->uncovered.data[i]);
  }
  if (run->covers.len > 0 && reduce(run, CLEW_REDUCE_OR, seen, words)) {
    for (uint32_t i = 0; i < run->covers.len; i++) {
      if (clew_bitset_has(seen, run->covers.data[i])) {
        clew_worker_note_covered(sum, run->covers.data[i]);
      }
    }
  }
  clew_free(seen);
  uint32_t statements = CLEW_BITSET_WORDS(run->model->cover_count);
  if (statements > 0) {
    (void)reduce(run, CLEW_REDUCE_OR, sum->succs.covered, statements);
  }
}

static void pool_figures(struct clew_run *run, struct clew_worker *sum) {
  uint64_t sums[] = {sum->transitions, sum->deadlocks, sum->expanded, sum->succs.discarded};
  uint64_t least[] = {sum->error_depth, sum->degree_min, atomic_load(&run->deep_site)};
  uint64_t most = sum->degree_max == CLEW_ABSENT ? 0 : sum->degree_max + 1;
  if (!reduce(run, CLEW_REDUCE_SUM, sums, 4) || !reduce(run, CLEW_REDUCE_MIN, least, 3) ||
      !reduce_one(run, CLEW_REDUCE_MAX, &most)) {
    return;
  }
  sum->transitions = sums[0];
  sum->deadlocks = sums[1];
  sum->expanded = sums[2];
  sum->succs.discarded = sums[3];
  sum->error_depth = (uint32_t)least[0];
  sum->degree_min = least[1];
  sum->degree_max = most == 0 ? CLEW_ABSENT : most - 1;
  atomic_store(&run->deep_site, (uint32_t)least[2]);
  if (sum->fired_apart != NULL && run->model->edge_count > 0) {
    (void)reduce(run, CLEW_REDUCE_SUM, sum->fired_apart, run->model->edge_count);
  }
}

void clew_spread_pool(struct clew_run *run) {
  struct clew_spread *spread = run->spread;
  struct clew_worker *sum = join_workers(run);
  if (spread->pooled) {
    return;
  }
  spread->pooled = true;
  uint64_t states = clew_run_states(run);
  if (!clew_team_is_lost(spread->team) && reduce_one(run, CLEW_REDUCE_SUM, &states)) {
    spread->states = states;
    pool_figures(run, sum);
    pool_measures(run, sum);
    pool_covers(run, sum);
  }
  if (clew_team_is_lost(spread->team)) { /* what all knew last */
    sum->transitions = spread->transitions;
    sum->deadlocks = spread->deadlocks;
  }
}

/* ---- the result ---- */

static void fill_coverage(struct clew_run *run) {
  struct clew_coverage *coverage = &run->result->coverage;
  uint64_t has_values = coverage->has_values;
  if (!reduce_one(run, CLEW_REDUCE_MIN, &has_values)) {
    return;
  }
  if (has_values == 0) {
    coverage->why = coverage->has_values ? "a rank has not looked at all states" : coverage->why;
    coverage->has_values = false;
    return;
  }
  (void)reduce(run, CLEW_REDUCE_OR, coverage->taken, run->model->slot_count + 1);
  (void)reduce(run, CLEW_REDUCE_OR, coverage->tested,
               CLEW_BITSET_WORDS(run->model->property_count) + 1);
}

static void fill_messages(struct clew_run *run) {
  struct clew_spread *spread = run->spread;
  const struct clew_team *team = spread->team;
  double elapsed_s = clew_clock_wall_s() - spread->began_s;
  struct rusage usage = {0};
  (void)getrusage(RUSAGE_SELF, &usage);
  uint64_t states = clew_run_states(run);
  uint64_t sums[] = {
      atomic_load(&spread->remote), team->bytes_sent,
      team->messages_sent,          atomic_load(&team->waited_us) - spread->waited_us,
      (uint64_t)(1e6 * elapsed_s),  (uint64_t)(1e6 * clew_clock_cpu_s())};
  uint64_t most[] = {states, (uint64_t)usage.ru_maxrss * 1024};
  struct clew_result *result = run->result;
  result->ranks = spread->ranks;
  if (!reduce(run, CLEW_REDUCE_SUM, sums, 6) || !reduce(run, CLEW_REDUCE_MAX, most, 2)) {
    return;
  }
  double mean = (double)spread->states / spread->ranks;
  result->remote_transitions = sums[0];
  result->network_bytes = sums[1];
  if (result->transitions > 0) {
    result->network_bytes_per_transition = (double)sums[1] / (double)result->transitions;
  }
  result->balance = mean > 0 ? (double)most[0] / mean : 1;
  result->waiting_share = sums[4] > 0 ? (double)sums[3] / (double)sums[4] : 0;
  result->rank_rss_bytes = most[1];
  result->ranks_cpu_s = 1e-6 * (double)sums[5];
}

/* The counters of a store are those of one rank, and say nothing about all. */
void clew_spread_fill(struct clew_run *run) {
  struct clew_result *result = run->result;
  if (run->spread->ranks > 1) {
    clew_counters_free(&result->counters);
    uint64_t has_discrete = result->discrete_states != CLEW_ABSENT;
    uint64_t sums[] = {result->store_bytes, result->disk_bytes_peak, result->max_queue,
                       has_discrete ? result->discrete_states : 0};
    if (reduce_one(run, CLEW_REDUCE_MIN, &has_discrete) && reduce(run, CLEW_REDUCE_SUM, sums, 4)) {
      result->store_bytes = sums[0];
      result->disk_bytes_peak = sums[1];
      result->max_queue = sums[2];
      result->discrete_states = has_discrete ? sums[3] : CLEW_ABSENT;
    }
    if (result->states > 0) {
      result->bytes_per_state = (double)result->store_bytes / (double)result->states;
    }
  }
  fill_coverage(run);
  fill_messages(run);
  result->stop = (enum clew_stop)atomic_load(&run->reason);
}
