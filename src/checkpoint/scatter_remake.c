/* Making the states of all ranks again, where their stores do not give them back.
 *
 * Owners, ids and names stay as they are, and so do the logs. Each rank goes through its own log,
 * level by level, and asks whoever owns the parent of a state to execute the edge. What it gets
 * goes to a file, in the order of ids; there it finds the parents that others ask for.
 *
 *   ask      the owner of the parent: (its id, edge)
 *   make     the owner reads the parent from its file, and executes the edge
 *   keep     answers come in the order of questions, and are appended to the file
 *
 * As in scatter.c, rounds keep memory small, and all learn at the end of a round what went wrong
 * in it. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "checkpoint/scatter.h"

/* No store is open meanwhile: its share of the budget is free. */
enum { LEAST_ROUND = 1024, MOST_ROUND = 1 << 17, BUDGET_SHARE = 8 };

/* A question. The answer is the words of the state. */
struct ask {
  uint64_t parent; /* an id of the rank that is asked */
  uint64_t edge;
};

struct remake {
  const struct clew_remake_config *config;
  const struct clew_spread *spread;
  struct clew_team *team;
  const struct clew_model *model;
  enum clew_replayed fate;
  uint32_t words;
  uint64_t levels, *ends; /* ids at which levels end here */
  uint64_t before;        /* where the level before ends: parents are below */
  clew_id at;             /* states in the file */
  struct clew_past *states;
  uint64_t round, round_count; /* records, at most and now */
  struct clew_back_edge *records;
  uint64_t *taken; /* answers of each rank that were read */
  uint64_t *state; /* room for one */
  struct clew_post asks, answers;
};

static bool fail(struct remake *r, enum clew_replayed why) {
  r->fate = r->fate == CLEW_REPLAYED ? why : r->fate;
  return false;
}

static bool is_fine(const struct remake *r) {
  return r->fate == CLEW_REPLAYED;
}

/* What went wrong on one rank went wrong on all. False: it ends. */
static bool agree(struct remake *r, bool *more) {
  const atomic_bool *stop = r->config->stop;
  if (is_fine(r) && stop != NULL && atomic_load(stop)) {
    (void)fail(r, CLEW_REPLAY_STOPPED);
  }
  uint64_t values[] = {(uint64_t)r->fate, *more};
  if (!clew_team_reduce(r->team, CLEW_REDUCE_MAX, values, 2)) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  r->fate = (enum clew_replayed)values[0];
  *more = values[1] != 0;
  return is_fine(r);
}

/* ---- a round ---- */

/* Reads some back edges, and asks for the states. */
static void ask_round(struct remake *r, uint64_t level_end) {
  uint64_t left = level_end - r->at;
  r->round_count = left < r->round ? left : r->round;
  if (r->round_count > 0 &&
      !clew_log_read(r->config->log, r->at, (uint32_t)r->round_count, r->records)) {
    (void)fail(r, CLEW_REPLAY_DISK);
    r->round_count = 0;
  }
  for (uint64_t i = 0; i < r->round_count; i++) {
    const struct clew_back_edge *back = &r->records[i];
    if (back->parent != CLEW_ID_NONE) {
      struct ask ask = {clew_spread_id_of(r->spread, back->parent), back->edge};
      uint32_t owner = clew_spread_rank_of(r->spread, back->parent);
      memcpy(clew_post_add(&r->asks, owner), &ask, sizeof ask);
    }
  }
}

static bool make_one(struct remake *r, const struct ask *ask) {
  uint32_t site = CLEW_NONE;
  if (ask->parent >= r->before || ask->edge >= r->model->edge_count) {
    return fail(r, CLEW_REPLAY_STRANGE);
  }
  const uint64_t *parent = clew_past_get(r->states, ask->parent);
  if (parent == NULL) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  return r->model->fire(r->model, parent, (uint32_t)ask->edge, r->state, &site) ||
         fail(r, CLEW_REPLAY_STRANGE);
}

/* Every question is answered, if only by something: all learn of a failure when the round ends. */
static void make_round(struct remake *r) {
  memset(r->state, 0, r->words * sizeof *r->state);
  for (uint32_t from = 0; from < r->team->ranks; from++) {
    const struct clew_post_box *box = &r->asks.in[from];
    for (uint64_t i = 0; i < box->count; i++) {
      struct ask ask;
      memcpy(&ask, box->data + i * sizeof ask, sizeof ask);
      (void)(is_fine(r) && make_one(r, &ask));
      memcpy(clew_post_add(&r->answers, from), r->state, r->words * sizeof *r->state);
    }
  }
}

/* The state of a record, from whoever was asked. */
static bool take_one(struct remake *r, const struct clew_back_edge *back) {
  if (back->parent == CLEW_ID_NONE) {
    return (back->edge < r->model->initial_count &&
            clew_model_start(r->model, back->edge, r->state)) ||
           fail(r, CLEW_REPLAY_STRANGE);
  }
  uint32_t from = clew_spread_rank_of(r->spread, back->parent);
  const struct clew_post_box *box = &r->answers.in[from];
  assert(r->taken[from] < box->count);
  memcpy(r->state, box->data + r->taken[from]++ * r->answers.record_bytes,
         r->words * sizeof *r->state);
  return true;
}

static void keep_round(struct remake *r) {
  memset(r->taken, 0, r->team->ranks * sizeof *r->taken);
  for (uint64_t i = 0; i < r->round_count && is_fine(r); i++) {
    if (!take_one(r, &r->records[i])) {
      break;
    }
    if (clew_spread_owner(r->spread, r->state) != r->spread->rank) {
      (void)fail(r, CLEW_REPLAY_STRANGE);
    } else if (!clew_past_push(r->states, r->state)) {
      (void)fail(r, CLEW_REPLAY_DISK);
    }
  }
  r->at += r->round_count;
}

static bool do_round(struct remake *r, uint64_t level_end, bool *more) {
  ask_round(r, level_end);
  if (!clew_post_exchange(&r->asks, r->team)) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  make_round(r);
  if (!clew_post_exchange(&r->answers, r->team)) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  keep_round(r);
  *more = r->at < level_end;
  return agree(r, more);
}

/* ---- the whole ---- */

/* The levels stand first in the archive of the run. */
static void read_levels(struct remake *r) {
  struct clew_archive in = r->config->cut->archive; /* a view of it */
  in.at = 0;
  in.damaged = false;
  r->levels = clew_archive_get_count(&in, sizeof *r->ends);
  r->ends = clew_alloc((r->levels + 1) * sizeof *r->ends);
  clew_archive_get_bytes(&in, r->ends, r->levels * sizeof *r->ends);
  bool good = !in.damaged && r->levels > 0 && r->ends[r->levels - 1] == r->config->cut->states;
  for (uint64_t i = 1; i < r->levels && good; i++) {
    good = r->ends[i - 1] <= r->ends[i];
  }
  if (!good) {
    (void)fail(r, CLEW_REPLAY_STRANGE);
  }
}

static void open_rounds(struct remake *r) {
  uint32_t state_bytes = r->words * (uint32_t)sizeof(uint64_t);
  uint64_t each = 4 * (state_bytes + sizeof(struct ask));
  uint64_t round = r->config->budget->limit_bytes / BUDGET_SHARE / each;
  round = round < MOST_ROUND ? round : MOST_ROUND;
  r->round = round > LEAST_ROUND ? round : LEAST_ROUND;
  r->records = clew_alloc(r->round * sizeof *r->records);
  r->taken = clew_alloc_zero(r->team->ranks, sizeof *r->taken);
  r->state = clew_alloc(state_bytes);
  r->states = clew_past_open(r->words, r->config->budget, r->config->scratch);
  clew_post_open(&r->asks, r->team, sizeof(struct ask));
  clew_post_open(&r->answers, r->team, state_bytes);
}

static void close_rounds(struct remake *r) {
  clew_post_close(&r->asks, r->team);
  clew_post_close(&r->answers, r->team);
  clew_free(r->records);
  clew_free(r->taken);
  clew_free(r->state);
  clew_free(r->ends);
}

enum clew_replayed clew_scatter_remake(const struct clew_remake_config *config,
                                       struct clew_past **states) {
  struct remake r = {.config = config,
                     .spread = config->spread,
                     .team = config->spread->team,
                     .model = config->model,
                     .words = config->model->words};
  assert(config->model->dialect == NULL); /* words mean the same everywhere */
  config->model->expect_fire(config->model);
  read_levels(&r);
  open_rounds(&r);
  bool unused = false;
  uint64_t levels = r.levels;
  bool going = agree(&r, &unused) && clew_team_reduce(r.team, CLEW_REDUCE_MAX, &levels, 1);
  if (going && levels != r.levels) {
    (void)fail(&r, CLEW_REPLAY_STRANGE);
  }
  going = going && agree(&r, &unused);
  for (uint64_t level = 0; going && level < levels; level++) {
    bool more = true;
    while (more && going) {
      going = do_round(&r, r.ends[level], &more);
    }
    r.before = r.at;
  }
  close_rounds(&r);
  clew_team_begin(r.team);
  if (!is_fine(&r)) {
    clew_past_close(r.states);
    r.states = NULL;
  }
  *states = r.states;
  return r.fate;
}
