/* Replaying back edges into a store.
 *
 * States are made in batches and put together, as in a search. The state of a parent comes from the
 * store, or where that does not give states back, or not cheaply, from a file of its own (past.h).
 * A batch ends where the parent of a state is in it. Where another store has the states, it gives
 * them, and gives back its memory while they leave it.
 *
 * Ids. A store numbers what it calls new in the order in which it says so. One that puts off its
 * answers says so late, in the order in which it was asked; one that puts off only some would get
 * out of order: it is made to answer as soon as it has put off one. */
#include "checkpoint/replay.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "trace/past.h"

enum { BATCH = 256, WAITING_SHARE = 8, LOG_STEP = 1 << 16, RETIRE_STEP = 1 << 14 };

struct clew_replay {
  struct clew_replay_config config;
  struct clew_store *store;
  enum clew_replayed fate;
  uint32_t words, hash_words;
  bool puts_off, has_new; /* the store; it has called a state new at once */
  struct clew_past *past; /* NULL: the store gives states back */
  struct clew_diskqueue *waiting;
  clew_id made, absorbed; /* states that were made; that the store has called new */
  clew_id log_end;
  /* by_level: parents of the current level are below `parents_end`. */
  clew_id parents_end;
  uint32_t depth;
  uint32_t count; /* of the batch */
  struct clew_visit visits[BATCH];
  uint64_t *states;
  uint64_t *parent; /* room for one */
};

static bool fail(struct clew_replay *r, enum clew_replayed why) {
  r->fate = r->fate == CLEW_REPLAYED ? why : r->fate;
  return false;
}

static bool wants_past(const struct clew_store *store) {
  return (store->promises & CLEW_STORE_GET) == 0 || (store->demands & CLEW_STORE_REPLAY) != 0;
}

static void open_waiting(struct clew_replay *r) {
  const struct clew_replay_config *config = &r->config;
  if (config->waiting_from == CLEW_ID_NONE || (r->store->promises & CLEW_STORE_GET) != 0) {
    return;
  }
  r->waiting = clew_diskqueue_open(&(struct clew_diskqueue_config){
      .name = "resumed-frontier",
      .record_bytes = (r->words + 1) * (uint32_t)sizeof(uint64_t),
      .memory_bytes = config->budget->limit_bytes / WAITING_SHARE,
      .budget = config->budget,
      .scratch = config->scratch,
  });
  if (r->waiting == NULL) {
    fail(r, CLEW_REPLAY_MEMORY);
  }
}

struct clew_replay *clew_replay_open(const struct clew_replay_config *config) {
  struct clew_replay *r = clew_alloc_zero(1, sizeof *r);
  const struct clew_model *model = config->model;
  struct clew_store *store = config->store;
  assert(store->type->count(store) == 0);
  r->config = *config;
  r->store = store;
  r->words = model->words;
  bool ordered = (store->promises & CLEW_STORE_ORDER) != 0 && model->covers != NULL;
  r->hash_words = ordered ? model->discrete_words : model->words;
  r->puts_off = (store->demands & CLEW_STORE_SETTLE) != 0;
  r->states = clew_alloc(sizeof(uint64_t) * BATCH * r->words);
  r->parent = clew_alloc(sizeof(uint64_t) * r->words);
  open_waiting(r);
  if (config->source != NULL) {
    config->source->type->retire(config->source, 0);
  } else if (config->spool == NULL && wants_past(store)) {
    r->past = clew_past_open(r->words, config->budget, config->scratch);
  }
  model->expect_fire(model);
  return r;
}

void clew_replay_close(struct clew_replay *r) {
  clew_past_close(r->past);
  clew_diskqueue_close(r->waiting);
  clew_free(r->states);
  clew_free(r->parent);
  clew_free(r);
}

struct clew_diskqueue *clew_replay_take_waiting(struct clew_replay *r) {
  struct clew_diskqueue *waiting = r->waiting;
  r->waiting = NULL;
  return waiting;
}

/* ---- what the store calls new ---- */

static bool keep_waiting(struct clew_replay *r, const struct clew_visit *visit) {
  uint64_t *record = clew_diskqueue_push(r->waiting);
  if (record == NULL) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  memcpy(record, visit->state, r->words * sizeof *record);
  record[r->words] = visit->id;
  return true;
}

static bool make_log_room(struct clew_replay *r) {
  clew_id id = r->absorbed;
  if (r->config.log == NULL || id < r->log_end) {
    return true;
  }
  clew_id end = CLEW_ID_LIMIT - id < LOG_STEP ? CLEW_ID_LIMIT : id + LOG_STEP;
  r->log_end = id < end ? clew_log_reserve(r->config.log, id, end) : id;
  return r->log_end > id || fail(r, CLEW_REPLAY_DISK);
}

static bool absorb(void *context, const struct clew_visit *visit) {
  struct clew_replay *r = context;
  if (visit->id != r->absorbed) {
    return fail(r, CLEW_REPLAY_STRANGE);
  }
  if (!make_log_room(r)) {
    return false;
  }
  if (r->config.log != NULL) {
    clew_log_set(r->config.log, visit->id, visit->parent, visit->edge);
  }
  r->absorbed++;
  if (r->past != NULL && !clew_past_push(r->past, visit->state)) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  if (r->waiting != NULL && visit->id >= r->config.waiting_from && !keep_waiting(r, visit)) {
    return false;
  }
  return r->config.visit == NULL || r->config.visit(r->config.context, visit) ||
         fail(r, CLEW_REPLAY_STOPPED);
}

static bool settle(struct clew_replay *r, bool all) {
  r->store->type->settle(r->store, all, absorb, r);
  return r->fate == CLEW_REPLAYED;
}

/* ---- putting ---- */

/* How many of `count` states the store has room for; 0: none, and that is final. */
static uint32_t make_room(struct clew_replay *r, uint32_t count) {
  const struct clew_store_type *type = r->store->type;
  enum clew_room room = CLEW_ROOM;
  for (uint32_t n = count; n > 0; n /= 2) {
    room = type->reserve(r->store, n);
    if (room == CLEW_ROOM_SETTLE) {
      if (!settle(r, false)) {
        return 0;
      }
      room = type->reserve(r->store, n);
    }
    if (room == CLEW_ROOM) {
      return n;
    }
  }
  fail(r, room == CLEW_ROOM_DISK ? CLEW_REPLAY_DISK : CLEW_REPLAY_MEMORY);
  return 0;
}

static bool take_answers(struct clew_replay *r, struct clew_visit *visits, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    switch (visits[i].answer) {
    case CLEW_NEW:
      r->has_new = true;
      if (!absorb(r, &visits[i])) {
        return false;
      }
      break;
    case CLEW_MAYBE:
      break;
    case CLEW_FULL:
      return fail(r, CLEW_REPLAY_DISK);
    case CLEW_SEEN:
      return fail(r, CLEW_REPLAY_STRANGE);
    }
  }
  /* It mixes answers: what it has put off comes before whatever follows. */
  bool has_open = r->puts_off && visits[count - 1].answer == CLEW_MAYBE;
  return !has_open || !r->has_new || settle(r, true);
}

/* Puts the batch. A store that puts off answers gets one state at a time. */
static bool flush(struct clew_replay *r) {
  uint32_t done = 0, step = r->puts_off ? 1 : BATCH;
  while (done < r->count) {
    uint32_t left = r->count - done;
    uint32_t part = make_room(r, left < step ? left : step);
    if (part == 0) {
      return false;
    }
    r->store->type->put(r->store, part, r->visits + done);
    if (!take_answers(r, r->visits + done, part)) {
      return false;
    }
    done += part;
  }
  r->count = 0;
  return true;
}

/* ---- making states ---- */

/* The state of a parent is at hand, if it is one at all. */
static bool reach(struct clew_replay *r, clew_id parent) {
  if (parent >= r->absorbed && !flush(r)) {
    return false;
  }
  if (parent >= r->absorbed && r->puts_off && !settle(r, true)) {
    return false;
  }
  return parent < r->absorbed || fail(r, CLEW_REPLAY_STRANGE);
}

/* A new level begins where a parent is one of the states that were children so far. */
static void note_level(struct clew_replay *r, clew_id parent) {
  if (parent >= r->parents_end) {
    if (r->past != NULL) {
      clew_past_forget(r->past, r->parents_end);
    }
    r->parents_end = r->made;
    r->depth++;
  }
}

static const uint64_t *state_of(struct clew_replay *r, clew_id id) {
  if (r->past == NULL) {
    r->store->type->get(r->store, id, 1, r->parent);
    return r->parent;
  }
  const uint64_t *state = clew_past_get(r->past, id);
  if (state == NULL) {
    fail(r, CLEW_REPLAY_DISK);
  }
  return state;
}

/* Makes the next state of the batch. */
static bool make_start(struct clew_replay *r, uint32_t edge) {
  const struct clew_model *model = r->config.model;
  uint64_t *out = r->states + (size_t)r->count * r->words;
  return (edge < model->initial_count && clew_model_start(model, edge, out)) ||
         fail(r, CLEW_REPLAY_STRANGE);
}

static bool make_successor(struct clew_replay *r, clew_id parent, uint32_t edge) {
  const struct clew_model *model = r->config.model;
  if (edge >= model->edge_count) {
    return fail(r, CLEW_REPLAY_STRANGE);
  }
  if (!reach(r, parent)) {
    return false;
  }
  if (r->config.by_level) {
    note_level(r, parent);
  }
  uint32_t site = CLEW_NONE;
  uint64_t *out = r->states + (size_t)r->count * r->words; /* `reach` may have put the batch */
  const uint64_t *state = state_of(r, parent);
  return state != NULL &&
         (model->fire(model, state, edge, out, &site) || fail(r, CLEW_REPLAY_STRANGE));
}

static bool take_from_store(struct clew_replay *r, uint64_t *out) {
  struct clew_store *source = r->config.source;
  if (r->made >= source->type->count(source)) {
    return fail(r, CLEW_REPLAY_STRANGE);
  }
  source->type->get(source, r->made, 1, out);
  if (r->made % RETIRE_STEP == 0) {
    source->type->retire(source, r->made);
  }
  return true;
}

static bool take_from_file(struct clew_replay *r, uint64_t *out) {
  const uint64_t *state = clew_past_get(r->config.spool, r->made);
  if (state == NULL) {
    return fail(r, CLEW_REPLAY_DISK);
  }
  memcpy(out, state, r->words * sizeof *out);
  if (r->made % RETIRE_STEP == 0 && !r->config.spool_stays) {
    clew_past_forget(r->config.spool, r->made);
  }
  return true;
}

/* The same from where it is. */
static bool move_state(struct clew_replay *r, clew_id parent) {
  uint64_t *out = r->states + (size_t)r->count * r->words;
  if (parent != CLEW_ID_NONE && parent >= r->made && !r->config.named) {
    return fail(r, CLEW_REPLAY_STRANGE);
  }
  if (r->config.by_level && parent != CLEW_ID_NONE && !r->config.named) {
    note_level(r, parent);
  }
  return r->config.source != NULL ? take_from_store(r, out) : take_from_file(r, out);
}

static bool make_state(struct clew_replay *r, const struct clew_back_edge *record) {
  if (r->config.source != NULL || r->config.spool != NULL) {
    return move_state(r, record->parent);
  }
  return record->parent == CLEW_ID_NONE ? make_start(r, record->edge)
                                        : make_successor(r, record->parent, record->edge);
}

enum clew_replayed clew_replay_add(struct clew_replay *r, const struct clew_back_edge *records,
                                   uint32_t count) {
  for (uint32_t i = 0; i < count && r->fate == CLEW_REPLAYED; i++) {
    if (r->count == BATCH && !flush(r)) {
      break;
    }
    if (!make_state(r, &records[i])) {
      break;
    }
    const uint64_t *state = r->states + (size_t)r->count * r->words;
    uint64_t hash = clew_hash_words(state, r->hash_words, r->store->config.seed);
    r->visits[r->count++] = (struct clew_visit){.state = state,
                                                .hash = hash,
                                                .parent = records[i].parent,
                                                .edge = records[i].edge,
                                                .depth = r->depth};
    r->store->type->prefetch(r->store, hash);
    r->made++;
  }
  if (r->config.stop != NULL && atomic_load_explicit(r->config.stop, memory_order_relaxed)) {
    fail(r, CLEW_REPLAY_STOPPED);
  }
  return r->fate;
}

enum clew_replayed clew_replay_finish(struct clew_replay *r) {
  if (r->fate == CLEW_REPLAYED && flush(r) && r->puts_off) {
    settle(r, true);
  }
  if (r->fate == CLEW_REPLAYED && r->absorbed != r->made) {
    fail(r, CLEW_REPLAY_STRANGE);
  }
  return r->fate;
}
