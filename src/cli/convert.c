/* Changing the store in the midst of a search. */
#include "cli/convert.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "checkpoint/scatter.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "report/forecast.h"
#include "store/comback_options.h"
#include "store/tree_options.h"
#include "trace/past.h"

/* A store that a search can go on with. Each takes less memory than the one before. */
struct rung {
  const struct clew_store_type *type;
  bool takes_all;    /* its memory is taken when it is opened */
  double bytes_each; /* of a state, about; 0: its type tells; NaN: it fits in any case */
  bool is_lossy;     /* only where that is allowed */
};

static const struct rung LADDER[] = {
    {.type = &clew_store_exact},
    {.type = &clew_store_tree},
    {.type = &clew_store_comback, .bytes_each = 9},
    {.type = &clew_store_compact, .bytes_each = 10, .is_lossy = true},
    {.type = &clew_store_disk, .takes_all = true, .bytes_each = NAN},
};
enum { RUNGS = sizeof LADDER / sizeof *LADDER };
static const struct rung *const COMBACK = &LADDER[2];

/* Of the budget, what the queue, the log and the search itself leave to the store. */
static const double STORE_SHARE = 0.75;
/* The same, and what a search of the graph takes for each state, when nothing waits any more. */
static const double GRAPH_SHARE = 0.9, GRAPH_BYTES = 4.5;
enum { WIDE_BYTES = 96 }; /* of a state; comback then holds eight times as many as exact */
enum { LEAST_SAMPLE = 1 << 12, MOST_SAMPLE = 1 << 15, SAMPLE_BYTES_EACH = 1 << 10 };
enum { SAMPLE_SHARE = 64, LEAST_SAMPLE_BYTES = 5 << 18 };

void clew_convert_remember(struct clew_session *session, struct clew_cut *cut) {
  clew_archive_free(&session->cut.archive);
  session->has_recheck = false; /* it goes with the cut before */
  clew_diskqueue_close(session->waiting);
  session->cut = *cut;
  session->waiting = cut->waiting;
  session->cut.waiting = cut->waiting = NULL;
  cut->archive = (struct clew_archive){0};
  session->has_cut = session->has_new_cut = true;
}

/* ---- which store ---- */

/* Whether a property is asked for that is decided on the graph, when all states are known. */
static bool needs_graph(const struct clew_session *session) {
  const struct clew_model *model = session->view;
  const uint64_t *asked = session->parts[session->part].asked;
  for (uint32_t i = 0; i < model->property_count && session->team == NULL; i++) {
    const struct clew_property *property = &model->properties[i];
    bool looks_back =
        property->kind == CLEW_PROPERTY_LIVENESS ||
        (property->kind == CLEW_PROPERTY_PROGRESS && property->from_label != CLEW_NONE);
    if (looks_back && clew_bitset_has(asked, i)) {
      return true;
    }
  }
  return false;
}

/* How many states the next store is to hold at least. */
static uint64_t states_expected(const struct clew_session *session,
                                const struct clew_result *result, bool *is_known) {
  uint64_t states = session->cut.states, least = 2 * states;
  uint32_t levels = result->level_sizes.len;
  *is_known = false;
  if (!session->engine->has_levels || levels < 2) {
    return least;
  }
  /* The levels are those of all ranks, which have equal shares. */
  uint64_t ranks = session->team != NULL ? session->team->ranks : 1;
  struct clew_forecast forecast =
      clew_forecast_make(result->level_sizes.data, levels - 1, states * ranks);
  *is_known = forecast.has_interval;
  least = forecast.has_interval ? states + states / 2 : least;
  uint64_t most = (forecast.has_interval ? forecast.high : forecast.low) / ranks;
  return most > least ? most : least;
}

/* Bytes of a state, about, in a store of that rung. */
static double bytes_each(const struct clew_session *session, const struct rung *rung,
                         uint64_t expected) {
  if (rung->bytes_each > 0) {
    return rung->bytes_each;
  }
  bool gives_states = (session->store->promises & CLEW_STORE_GET) != 0;
  return gives_states ? rung->type->estimate(session->store, expected) : INFINITY;
}

/* Whether several ranks can go on with it. Comback would keep states whole whose predecessors are
 * elsewhere. States in a tree are made again when it is full, which takes words that mean the same
 * on all ranks. */
static bool suits_ranks(const struct clew_session *session, const struct rung *rung) {
  bool is_tree = rung->type == &clew_store_tree;
  return !rung->is_lossy && rung->type != &clew_store_comback &&
         (!is_tree || session->view->dialect == NULL);
}

static bool fits(const struct clew_session *session, const struct rung *rung, uint64_t expected) {
  return bytes_each(session, rung, expected) * (double)expected <=
         STORE_SHARE * (double)session->memory_bytes;
}

/* Where states are wide, and made again without ado from paths that are not long, comback is faster
 * than the tree, which takes time for each part of a state. */
static bool is_wide(const struct clew_session *session) {
  return session->store_type == LADDER[0].type && session->team == NULL &&
         session->engine->has_levels && session->view->reduction == NULL &&
         session->store->config.bytes >= WIDE_BYTES;
}

/* Whether the store of a rung would do. One that is much slower than the disk would have to be the
 * last one. */
static bool suits(const struct clew_session *session, const struct rung *rung, uint64_t expected,
                  bool is_known) {
  if (isnan(rung->bytes_each)) {
    return true;
  }
  if (session->team != NULL && !suits_ranks(session, rung)) {
    return false;
  }
  bool may_be_lossy = session->options->allow_lossy && session->checkpoint == NULL;
  if (rung->is_lossy && !may_be_lossy) { /* a checkpoint promises that nothing is lost */
    return false;
  }
  bool wide = is_wide(session);
  if (rung->type == &clew_store_tree && wide && fits(session, COMBACK, expected)) {
    return false;
  }
  if (rung->type == &clew_store_comback && !wide &&
      (session->store_type != LADDER[0].type || !is_known)) {
    return false;
  }
  return fits(session, rung, expected);
}

/* Whether it would still do when the graph of all states is searched, which the disk is not able
 * to. */
static bool suits_graph(const struct clew_session *session, const struct rung *rung,
                        uint64_t expected) {
  bool keeps_graph = rung->type == &clew_store_tree ||
                     (rung->type == &clew_store_comback && session->store_type == LADDER[0].type);
  return keeps_graph && (bytes_each(session, rung, expected) + GRAPH_BYTES) * (double)expected <=
                            GRAPH_SHARE * (double)session->memory_bytes;
}

/* The first one that suits, of those behind the present one. A store that is not on the ladder is
 * followed by the last. */
static const struct rung *next_rung(const struct clew_session *session,
                                    const struct clew_result *result) {
  bool is_known = false, graph = needs_graph(session), is_end = session->cut.is_end;
  uint64_t expected = is_end ? session->cut.states : states_expected(session, result, &is_known);
  uint32_t at = 0;
  while (at < RUNGS && LADDER[at].type != session->store_type) {
    at++;
  }
  at = at < RUNGS ? at + 1 : RUNGS - 1;
  for (uint32_t i = at; i < RUNGS && graph; i++) { /* one that keeps the graph, if there is one */
    if (suits_graph(session, &LADDER[i], expected)) {
      return &LADDER[i];
    }
  }
  while (at < RUNGS && !suits(session, &LADDER[at], expected, is_known)) {
    at++;
  }
  return at < RUNGS && !is_end ? &LADDER[at] : NULL;
}

/* ---- moving ---- */

static void close_store(struct clew_session *session) {
  if (session->store != NULL) {
    session->store->type->close(session->store);
    session->store = NULL;
  }
}

/* How many states the cut of the tree is chosen by. They, and a word for each of their variables,
 * are kept beside the budget meanwhile. */
static uint64_t tree_sample(const struct clew_session *session) {
  uint64_t each =
      session->view->words * sizeof(uint64_t) + (session->fields.count + 1) * sizeof(uint32_t);
  uint64_t room = session->memory_bytes / SAMPLE_SHARE;
  room = room > LEAST_SAMPLE_BYTES ? room : LEAST_SAMPLE_BYTES;
  uint64_t sample = session->memory_bytes / SAMPLE_BYTES_EACH;
  sample = sample < room / each ? sample : room / each;
  sample = sample < MOST_SAMPLE ? sample : MOST_SAMPLE;
  return sample > LEAST_SAMPLE ? sample : LEAST_SAMPLE;
}

/* Options are all defaults, but for those that keep the graph. */
static bool open_store(struct clew_session *session, const struct rung *rung, bool graph) {
  if (session->store_fields != NULL) {
    clew_option_free_lists(&session->store_type->options, session->store_fields);
    clew_free(session->store_fields);
    session->store_fields = NULL;
  }
  session->store = NULL;
  session->store_type = rung->type;
  if (graph && rung->type == &clew_store_comback) {
    struct clew_comback_options *options = clew_alloc_zero(1, sizeof *options);
    options->candidates = "0";
    options->queue = CLEW_COMBACK_QUEUE_IDS;
    session->store_fields = options;
  }
  if (rung->type == &clew_store_tree) {
    struct clew_tree_options *options = clew_alloc_zero(1, sizeof *options);
    options->sample = tree_sample(session);
    session->store_fields = options;
  }
  return clew_session_open_store(session) == CLEW_EXIT_OK && session->store != NULL;
}

/* Fills the store that is open from the log, with states from elsewhere if they are there. */
static enum clew_replayed fill(struct clew_session *session, struct clew_store *source,
                               struct clew_past *spool) {
  enum { AT_ONCE = 4096 };
  const struct clew_cut *cut = &session->cut;
  struct clew_back_edge *records = clew_alloc(AT_ONCE * sizeof *records);
  struct clew_replay *replay = clew_replay_open(&(struct clew_replay_config){
      .model = session->view,
      .store = session->store,
      .source = source,
      .spool = spool,
      .budget = &session->budget,
      .scratch = &session->scratch,
      .waiting_from = cut->waiting_from,
      .by_level = cut->by_level,
      .named = session->team != NULL,
      .spool_stays = session->team != NULL,
      .stop = clew_signals_stop(),
  });
  enum clew_replayed fate = CLEW_REPLAYED;
  for (clew_id id = 0; id < cut->states && fate == CLEW_REPLAYED; id += AT_ONCE) {
    uint64_t left = cut->states - id;
    uint32_t count = left < AT_ONCE ? (uint32_t)left : AT_ONCE;
    fate = clew_log_read(session->log, id, count, records) ? clew_replay_add(replay, records, count)
                                                           : CLEW_REPLAY_DISK;
  }
  fate = fate == CLEW_REPLAYED ? clew_replay_finish(replay) : fate;
  if (fate == CLEW_REPLAYED && session->waiting == NULL) {
    session->waiting = clew_replay_take_waiting(replay);
  }
  clew_replay_close(replay);
  clew_free(records);
  return fate;
}

/* Writes all states of a store to a file, in the order of ids, and empties the store. NULL: the
 * disk fails. */
static struct clew_past *write_spool(struct clew_session *session, struct clew_store *source) {
  enum { AT_ONCE = 256 };
  uint32_t words = session->view->words;
  bool retires = source->type->retire != NULL;
  if (retires) {
    source->type->retire(source, 0);
  }
  struct clew_past *spool = clew_past_open(words, &session->budget, &session->scratch);
  uint64_t *states = clew_alloc(sizeof(uint64_t) * AT_ONCE * words);
  bool ok = true;
  for (clew_id id = 0; id < session->cut.states && ok; id += AT_ONCE) {
    uint64_t left = session->cut.states - id;
    uint32_t count = left < AT_ONCE ? (uint32_t)left : AT_ONCE;
    source->type->get(source, id, count, states);
    for (uint32_t i = 0; i < count && ok; i++) {
      ok = clew_past_push(spool, states + (size_t)i * words);
    }
    if (retires) {
      source->type->retire(source, id + count);
    }
  }
  clew_free(states);
  if (!ok) {
    clew_past_close(spool);
    return NULL;
  }
  return spool;
}

/* Moves the states from the store that is open into that of a rung; the old one is gone then. */
static enum clew_replayed move(struct clew_session *session, const struct rung *rung, bool graph) {
  struct clew_store *source = session->store;
  struct clew_past *spool = NULL;
  enum clew_replayed fate = CLEW_REPLAY_MEMORY;
  if (rung->takes_all) {
    spool = write_spool(session, source);
    close_store(session);
    source = NULL;
  } else {
    source->type->retire(source, 0);
  }
  if ((spool != NULL || source != NULL) && open_store(session, rung, graph)) {
    fate = fill(session, source, spool);
  }
  if (source != NULL) {
    source->type->close(source);
  }
  clew_past_close(spool);
  return fate;
}

/* The same where the states have to be made again. */
static enum clew_replayed make_again(struct clew_session *session, const struct rung *rung,
                                     bool graph) {
  close_store(session);
  return open_store(session, rung, graph) ? fill(session, NULL, NULL) : CLEW_REPLAY_MEMORY;
}

/* ---- several ranks ---- */

/* The states of this rank as a file, in which they wait until they are somewhere. A store that does
 * not give them back is closed first: all ranks make them again together, because predecessors
 * belong to others. NULL: that failed. */
static struct clew_past *write_states_of_rank(struct clew_session *session) {
  struct clew_past *states = NULL;
  if ((session->store->promises & CLEW_STORE_GET) != 0) {
    states = write_spool(session, session->store);
    close_store(session);
    return states;
  }
  close_store(session);
  if (session->view->dialect == NULL) {
    (void)clew_scatter_remake(&(struct clew_remake_config){.spread = &session->spread,
                                                           .model = session->view,
                                                           .log = session->log,
                                                           .cut = &session->cut,
                                                           .budget = &session->budget,
                                                           .scratch = &session->scratch,
                                                           .stop = clew_signals_stop()},
                              &states);
  }
  return states;
}

/* The worst that came of it on any rank. */
static enum clew_replayed agree_on(const struct clew_session *session, enum clew_replayed fate) {
  uint64_t worst = (uint64_t)fate;
  return clew_team_reduce(session->team, CLEW_REDUCE_MAX, &worst, 1) ? (enum clew_replayed)worst
                                                                     : CLEW_REPLAY_DISK;
}

/* The rung that all ranks take: that of the rank whose memory is shortest. NULL: one has none. */
static const struct rung *agree_on_rung(const struct clew_session *session,
                                        const struct rung *rung) {
  uint64_t place = rung != NULL ? (uint64_t)(rung - LADDER) : RUNGS;
  return clew_team_reduce(session->team, CLEW_REDUCE_MAX, &place, 1) && place < RUNGS
             ? &LADDER[place]
             : NULL;
}

/* All ranks go to the same store: the first one that has room for the states of each. */
static const struct rung *change_together(struct clew_session *session, const struct rung *rung) {
  rung = agree_on_rung(session, rung);
  if (rung == NULL) {
    return NULL;
  }
  struct clew_past *states = write_states_of_rank(session);
  enum clew_replayed fate = states != NULL ? CLEW_REPLAY_MEMORY : CLEW_REPLAY_DISK;
  fate = agree_on(session, fate);
  for (; fate == CLEW_REPLAY_MEMORY && rung < LADDER + RUNGS; rung++) {
    if (!suits_ranks(session, rung)) {
      continue;
    }
    fate = open_store(session, rung, false) ? fill(session, NULL, states) : CLEW_REPLAY_MEMORY;
    fate = agree_on(session, fate);
    if (fate == CLEW_REPLAYED) {
      break;
    }
    close_store(session);
    clew_diskqueue_close(session->waiting);
    session->waiting = NULL;
  }
  clew_past_close(states);
  return fate == CLEW_REPLAYED ? rung : NULL;
}

/* Tries one after the other, until the states are somewhere. */
static const struct rung *change(struct clew_session *session, const struct rung *rung) {
  bool graph = needs_graph(session);
  bool can_move = session->store->type->retire != NULL;
  const struct rung *end = LADDER + RUNGS;
  if (session->team != NULL) {
    return change_together(session, rung);
  }
  while (rung < end) {
    enum clew_replayed fate =
        can_move ? move(session, rung, graph) : make_again(session, rung, graph);
    if (fate == CLEW_REPLAYED) {
      return rung;
    }
    close_store(session);
    if (fate == CLEW_REPLAY_STOPPED) {
      return NULL;
    }
    rung += can_move ? 0 : 1; /* what was moved is gone, and is made again */
    can_move = false;
  }
  return NULL;
}

/* ---- the search ---- */

/* How the search can go on after the memory was used up. */
enum way {
  NOT_AT_ALL,
  FROM_CUT,  /* at the cut of the session */
  FROM_START /* it begins again: it was not where it could be cut, such as among the initial states
              */
};

/* Where a store cannot be left as it is, the search goes back to the cut that it was entered with.
 */
static enum way find_way(struct clew_session *session, const struct clew_result *result) {
  bool has_new_cut = session->has_new_cut && (session->cut.states > 0 || session->team != NULL);
  session->has_new_cut = false;
  /* What a lossy store has left out would stay lost in any other. */
  if (!session->is_auto || session->store == NULL ||
      (session->store->promises & CLEW_STORE_LOSSLESS) == 0) {
    return NOT_AT_ALL;
  }
  if (has_new_cut) {
    return FROM_CUT;
  }
  if (result->stop != CLEW_STOP_MEMORY || result->scope.complete) {
    return NOT_AT_ALL;
  }
  bool is_handed_over = session->engine->has_levels && session->cut.waiting_from == CLEW_ID_NONE;
  bool goes_back = session->has_cut && session->conversions.len > 0 && !is_handed_over;
  if (goes_back && clew_log_rewind(session->log, session->cut.states)) {
    return FROM_CUT;
  }
  return clew_log_rewind(session->log, 0) ? FROM_START : NOT_AT_ALL;
}

/* The same way for all ranks, or none. */
static enum way agree_on_way(const struct clew_session *session, enum way way) {
  uint64_t values[] = {(uint64_t)way, UINT64_MAX - (uint64_t)way};
  bool agreed =
      session->team == NULL || (clew_team_reduce(session->team, CLEW_REDUCE_MIN, values, 2) &&
                                values[0] == UINT64_MAX - values[1]);
  return agreed ? way : NOT_AT_ALL;
}

/* Begins again with the store of a rung. */
static const struct rung *begin_again(struct clew_session *session, const struct rung *rung) {
  close_store(session);
  clew_diskqueue_close(session->waiting);
  session->waiting = NULL;
  session->has_cut = false;
  session->cut.states = 0;
  return open_store(session, rung, needs_graph(session)) ? rung : NULL;
}

static void tell(struct clew_session *session, const struct clew_store_type *from,
                 const struct clew_store_type *to, enum way way, double seconds) {
  char number[32];
  uint64_t states = session->cut.states;
  clew_progress_clear(&session->progress);
  if (way == FROM_CUT) {
    clew_message("note: the memory is used up after %s states; going on with the store %s (they "
                 "moved in %.1f s)",
                 clew_text_count(states, number), to->name, seconds);
  } else {
    clew_message("note: the memory is used up; beginning again with the store %s", to->name);
  }
  clew_vec_push(&session->conversions,
                ((struct clew_conversion){.from = from->name, .to = to->name, .states = states}));
}

bool clew_convert(struct clew_session *session, struct clew_result *result) {
  enum way way = agree_on_way(session, find_way(session, result));
  double started_s = clew_clock_wall_s();
  const struct clew_store_type *from = session->store_type;
  const struct rung *rung = NULL;
  if (way == FROM_CUT) {
    rung = next_rung(session, result);
    rung = rung != NULL || session->team != NULL ? change(session, rung) : NULL;
  } else if (way == FROM_START && from != LADDER[RUNGS - 1].type) {
    rung = begin_again(session, &LADDER[RUNGS - 1]);
  }
  if (rung == NULL) {
    return false;
  }
  double seconds = clew_clock_wall_s() - started_s;
  if (session->conversions.len == 0 && rung->takes_all &&
      clew_scratch_is_memory(&session->scratch)) {
    clew_message("warning: %s is kept in memory: name a directory on a disk by --dir or TMPDIR",
                 session->scratch.parent);
  }
  tell(session, from, rung->type, way, seconds);
  session->explored_s += result->explore_s + seconds;
  session->info.store = rung->type->name;
  clew_result_free(result);
  clew_result_init(result);
  return true;
}

bool clew_convert_together(struct clew_session *session, struct clew_result *result) {
  if (session->team == NULL) {
    return clew_convert(session, result);
  }
  /* All have stopped for the same reason, so all of them try, or nobody does. */
  bool tries =
      session->is_auto && result->stop == CLEW_STOP_MEMORY && !clew_team_is_lost(session->team);
  if (!tries) {
    return false;
  }
  uint64_t states = result->states, transitions = result->transitions;
  bool converted = clew_convert(session, result);
  if (clew_team_all(session->team, converted)) {
    return true;
  }
  if (converted) { /* alone: what it had is gone */
    close_store(session);
    struct clew_search search = {.model = session->view,
                                 .enabled = session->parts[session->part].asked,
                                 .stop_at_violation = !session->info.explores_only};
    clew_search_refused(&search, result);
    result->states = states;
    result->transitions = transitions;
  }
  return false;
}

bool clew_convert_resumed(struct clew_session *session, uint64_t states) {
  /* Nothing is known of the states: the tree is tried first, which takes little and keeps all. */
  const struct clew_store_type *from = session->store_type;
  const struct rung *next = from == LADDER[0].type ? &LADDER[1] : &LADDER[RUNGS - 1];
  if (!session->is_auto || from == next->type || !clew_log_rewind(session->log, 0)) {
    return false;
  }
  close_store(session);
  if (!open_store(session, next, needs_graph(session))) {
    return false;
  }
  session->info.store = next->type->name;
  clew_message("note: the states of the checkpoint do not fit into the memory; going on with the "
               "store %s",
               next->type->name);
  clew_vec_push(
      &session->conversions,
      ((struct clew_conversion){.from = from->name, .to = next->type->name, .states = states}));
  return true;
}

void clew_convert_finish(struct clew_session *session, struct clew_result *result) {
  if (session->conversions.len == 0) {
    return;
  }
  result->explore_s += session->explored_s;
  for (uint32_t i = 0; i < session->conversions.len; i++) {
    clew_vec_push(&result->conversions, session->conversions.data[i]);
  }
  clew_vec_clear(&session->conversions);
  session->explored_s = 0;
}

void clew_convert_reset(struct clew_session *session) {
  session->has_cut = session->has_new_cut = false;
  if (session->is_auto) {
    session->store_type = session->first_store_type;
  }
}
