/* A store that does what a script says, to drive engines through every answer that a store can
 * give. Wherever the script is silent it is a correct store. It also watches its caller: the first
 * thing that store.h does not allow is in the log, as a sentence.
 *
 *   struct fake_log log = {0};
 *   struct fake_script script = {.promises = CLEW_STORE_GRAPH, .log = &log, …};
 *   struct clew_store_config config = {…, .options = &script};
 *   fake_store.open(&config, &diags, &store); */
#ifndef CLEW_TESTS_FAKE_STORE_H
#define CLEW_TESTS_FAKE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "store/store.h"
#include "unit/state_set.h"

/* What becomes of a visit. */
enum fake_answer {
  FAKE_TRUTH,
  FAKE_MAYBE,  /* decided, by the truth of that moment, at the next `settle` */
  FAKE_FULL,   /* not taken; every `reserve` after it tells the reason */
  FAKE_LOSE,   /* SEEN, also if it was not: for stores that are not LOSSLESS */
  FAKE_FORGET, /* NEW, also if it was not: for stores that do not REMEMBER */
};

struct fake_log {
  uint64_t reserves, puts, visits, settles, maybes, callbacks, expansions, gets, finds;
  const char *wrong; /* what the engine did first that it must not do, or NULL */
};

struct fake_script {
  unsigned promises, demands;
  uint32_t get_block;
  clew_id first_id;             /* of the first new state; `count` begins with it */
  const enum clew_room *rooms;  /* what the n-th `reserve` answers; ROOM beyond */
  const enum fake_answer *puts; /* what becomes of the n-th visit; the truth beyond */
  uint32_t room_count, put_count;
  bool repeats;               /* both begin again at their ends */
  enum clew_room full_reason; /* after FULL; CLEW_ROOM: MEMORY */
  bool delays;                /* puts, reserves and settles take random times */
  bool halves;                /* a `settle` of not all decides the first half of what is put off */
  bool nested;                /* the caller is depth-first: states are open inside one another */
  struct fake_log *log;
};

struct fake_edge {
  clew_id parent;
  uint32_t edge, depth;
  uint32_t number; /* of the state in the set; STATE_SET_NONE for an adopted one */
  bool expanded;
};

struct fake {
  struct clew_store base;
  const struct fake_script *script;
  struct fake_log *log;
  pthread_mutex_t lock;
  atomic_uint inside;
  bool in_callback; /* of settle, by this thread: it may come in again */
  pthread_t settler;
  struct state_set set;
  CLEW_VEC(clew_id) ids;              /* by number: the newest id */
  CLEW_VEC(struct fake_edge) edges;   /* by id - first_id */
  CLEW_VEC(struct clew_visit) maybes; /* not decided yet; their states are in `words` */
  CLEW_VEC(uint64_t) words;
  uint64_t room;
  bool asked_to_settle, is_over, was_full;
  bool has_settled;            /* everything: it does not ask again before something is put off */
  uint32_t refused_insertions; /* when it asked to settle: fewer may be asked for first */
  clew_id expanding;           /* whose successors came last, or CLEW_ID_NONE */
  struct clew_random random;
};

extern const struct clew_store_type fake_store;

static void fake_wrong(struct fake *f, const char *what) {
  if (f->log->wrong == NULL) {
    f->log->wrong = what;
  }
}

static void fake_enter_again(struct fake *f, bool may_share) {
  bool shared = may_share && f->base.shared && (f->base.promises & CLEW_STORE_CONCURRENT) != 0;
  bool alone = atomic_fetch_add(&f->inside, 1) == 0;
  pthread_mutex_lock(&f->lock);
  bool again = f->in_callback && pthread_equal(f->settler, pthread_self());
  if (!alone && !shared && !again) {
    fake_wrong(f, "two threads are in the store");
  }
}

static void fake_enter(struct fake *f, bool may_share) {
  fake_enter_again(f, may_share);
  if (f->is_over) {
    fake_wrong(f, "the store is used after a callback ended settle");
  }
}

static void fake_leave(struct fake *f) {
  pthread_mutex_unlock(&f->lock);
  atomic_fetch_sub(&f->inside, 1);
}

static void fake_delay(struct fake *f) {
  if (f->script->delays) {
    pthread_mutex_lock(&f->lock);
    uint64_t draw = clew_random_below(&f->random, 64);
    pthread_mutex_unlock(&f->lock);
    if (draw < 8) {
      usleep((useconds_t)(draw * draw * 4));
    }
  }
}

static struct fake *fake_of(const struct clew_store *store) {
  return (struct fake *)(uintptr_t)store;
}

static enum clew_status fake_open(const struct clew_store_config *config,
                                  struct clew_diag_sink *diags, struct clew_store **store) {
  (void)diags;
  const struct fake_script *script = config->options;
  struct fake *f = clew_alloc_zero(1, sizeof *f);
  f->base = (struct clew_store){.type = &fake_store,
                                .promises = script->promises,
                                .demands = script->demands,
                                .get_block = script->get_block,
                                .config = *config};
  f->script = script;
  f->log = script->log;
  f->expanding = CLEW_ID_NONE;
  pthread_mutex_init(&f->lock, NULL);
  clew_random_seed(&f->random, config->seed);
  state_set_open(&f->set, config->words);
  if ((script->promises & CLEW_STORE_ORDER) != 0 && config->covers != NULL) {
    f->set.discrete = config->discrete_words;
    f->set.covers = config->covers;
    f->set.covers_context = config->covers_context;
  }
  if ((script->demands & CLEW_STORE_REPLAY) != 0 && config->replay == NULL) {
    fake_wrong(f, "there is no replay though the store demands it");
  }
  *store = &f->base;
  return CLEW_OK;
}

static void fake_close(struct clew_store *store) {
  struct fake *f = fake_of(store);
  state_set_close(&f->set);
  clew_vec_free(&f->ids);
  clew_vec_free(&f->edges);
  clew_vec_free(&f->maybes);
  clew_vec_free(&f->words);
  pthread_mutex_destroy(&f->lock);
  clew_free(f);
}

static enum clew_room fake_reserve(struct clew_store *store, uint32_t insertions) {
  struct fake *f = fake_of(store);
  const struct fake_script *script = f->script;
  fake_delay(f);
  fake_enter(f, false);
  if (f->asked_to_settle && insertions >= f->refused_insertions) {
    fake_wrong(f, "reserve again without the settle that was asked for");
  }
  uint64_t n = f->log->reserves++;
  n = script->repeats && script->room_count > 0 ? n % script->room_count : n;
  enum clew_room room = n < script->room_count ? script->rooms[n] : CLEW_ROOM;
  if (f->was_full) {
    room = script->full_reason != CLEW_ROOM ? script->full_reason : CLEW_ROOM_MEMORY;
  }
  if (room == CLEW_ROOM_SETTLE && f->has_settled) {
    room = CLEW_ROOM;
  }
  f->asked_to_settle = room == CLEW_ROOM_SETTLE;
  f->refused_insertions = insertions;
  if (room == CLEW_ROOM) {
    f->room = insertions > f->room ? insertions : f->room;
  }
  fake_leave(f);
  return room;
}

static uint64_t fake_room(const struct clew_store *store) {
  struct fake *f = fake_of(store);
  fake_enter(f, true);
  uint64_t room = f->room;
  fake_leave(f);
  return room;
}

static void fake_prefetch(const struct clew_store *store, uint64_t hash) {
  struct fake *f = fake_of(store);
  (void)hash;
  fake_enter(f, true);
  fake_leave(f);
}

static bool fake_has_id(const struct fake *f, clew_id id) {
  return id >= f->script->first_id && id - f->script->first_id < f->edges.len;
}

static struct fake_edge *fake_edge_of(const struct fake *f, clew_id id) {
  return &f->edges.data[id - f->script->first_id];
}

/* The back edge that every visit carries: its parent is known, its depth is one more, and the edge
 * leads from there to here. */
static void fake_check_visit(struct fake *f, const struct clew_visit *visit) {
  if (visit->parent == CLEW_ID_NONE) {
    if (visit->depth != 0) {
      fake_wrong(f, "an initial state has a depth");
    }
    return;
  }
  if (!fake_has_id(f, visit->parent)) {
    fake_wrong(f, "a parent has no id");
    return;
  }
  const struct fake_edge *parent = fake_edge_of(f, visit->parent);
  if (parent->number != STATE_SET_NONE && visit->depth != parent->depth + 1) {
    fake_wrong(f, "a depth is not that of its parent and one");
  }
  if (parent->number != STATE_SET_NONE && f->base.config.replay != NULL) {
    uint64_t *out = clew_alloc(f->set.words * sizeof *out);
    if (!f->base.config.replay(f->base.config.replay_context, state_set_at(&f->set, parent->number),
                               visit->edge, out) ||
        memcmp(out, visit->state, f->set.words * sizeof *out) != 0) {
      fake_wrong(f, "an edge does not lead from the parent to the state");
    }
    clew_free(out);
  }
  if ((f->base.demands & CLEW_STORE_EXPANDED) != 0) {
    if (!f->script->nested && visit->parent != f->expanding && f->expanding != CLEW_ID_NONE &&
        !fake_edge_of(f, f->expanding)->expanded) {
      fake_wrong(f, "successors of the next state before the last was called expanded");
    }
    if (parent->expanded) {
      fake_wrong(f, "successors of a state that was called expanded");
    }
    f->expanding = visit->parent;
  }
}

/* The next id, for state `number` of the set. */
static clew_id fake_number(struct fake *f, uint32_t number, const struct clew_visit *visit) {
  clew_id id = f->script->first_id + f->edges.len;
  clew_vec_push(&f->edges,
                ((struct fake_edge){visit->parent, visit->edge, visit->depth, number, false}));
  if (number == f->ids.len) {
    clew_vec_push(&f->ids, id);
  } else {
    f->ids.data[number] = id;
  }
  return id;
}

static void fake_take_maybe(struct fake *f, const struct clew_visit *visit) {
  for (uint32_t i = 0; i < f->set.words; i++) {
    clew_vec_push(&f->words, visit->state[i]);
  }
  clew_vec_push(&f->maybes, *visit);
  f->has_settled = false;
  f->log->maybes++;
}

static void fake_put_visit(struct fake *f, struct clew_visit *visit) {
  const struct fake_script *script = f->script;
  fake_check_visit(f, visit);
  uint64_t n = f->log->visits++;
  n = script->repeats && script->put_count > 0 ? n % script->put_count : n;
  enum fake_answer answer = n < script->put_count ? script->puts[n] : FAKE_TRUTH;
  uint32_t number = state_set_find(&f->set, visit->hash, visit->state);
  bool known = number != STATE_SET_NONE;
  visit->id = CLEW_ID_NONE;
  if (answer == FAKE_FULL || f->was_full) {
    visit->answer = CLEW_FULL;
    f->was_full = true;
    return;
  }
  if (answer == FAKE_LOSE || (known && answer != FAKE_MAYBE && answer != FAKE_FORGET)) {
    visit->answer = CLEW_SEEN;
    visit->id =
        known && (f->base.promises & CLEW_STORE_DENSE) != 0 ? f->ids.data[number] : visit->id;
    return;
  }
  if (f->room == 0) {
    fake_wrong(f, "put without room");
  } else {
    f->room--;
  }
  if (answer == FAKE_MAYBE) {
    visit->answer = CLEW_MAYBE;
    fake_take_maybe(f, visit);
    return;
  }
  visit->answer = CLEW_NEW;
  number = known ? number : state_set_add(&f->set, visit->hash, visit->state);
  visit->id = fake_number(f, number, visit);
}

static void fake_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct fake *f = fake_of(store);
  fake_delay(f);
  fake_enter(f, true);
  f->log->puts++;
  if (f->asked_to_settle) {
    fake_wrong(f, "put without the settle that was asked for");
  }
  for (uint32_t i = 0; i < count; i++) {
    fake_put_visit(f, &visits[i]);
  }
  fake_leave(f);
  fake_delay(f);
}

/* Decides one visit by the truth of this moment. */
static void fake_decide(struct fake *f, struct clew_visit *visit,
                        bool (*found_new)(void *context, const struct clew_visit *visit),
                        void *context) {
  if (state_set_find(&f->set, visit->hash, visit->state) != STATE_SET_NONE) {
    return;
  }
  visit->id = fake_number(f, state_set_add(&f->set, visit->hash, visit->state), visit);
  visit->answer = CLEW_NEW;
  visit->hash = 0; /* nobody may rely on it */
  f->log->callbacks++;
  f->in_callback = true;
  f->settler = pthread_self();
  pthread_mutex_unlock(&f->lock); /* the callback may read from the store */
  bool goes_on = found_new(context, visit);
  pthread_mutex_lock(&f->lock);
  f->in_callback = false;
  f->is_over = !goes_on;
}

static void fake_settle(struct clew_store *store, bool all,
                        bool (*found_new)(void *context, const struct clew_visit *visit),
                        void *context) {
  struct fake *f = fake_of(store);
  fake_delay(f);
  fake_enter(f, false);
  f->log->settles++;
  f->asked_to_settle = false;
  if ((f->base.demands & CLEW_STORE_SETTLE) == 0) {
    fake_wrong(f, "settle though the store does not demand it");
  }
  uint32_t count = f->maybes.len, words = f->set.words;
  uint32_t decided = all || !f->script->halves ? count : count - count / 2;
  for (uint32_t i = 0; i < decided && !f->is_over; i++) {
    struct clew_visit visit = f->maybes.data[i];
    visit.state = f->words.data + (size_t)i * words;
    fake_decide(f, &visit, found_new, context);
  }
  f->maybes.len = count - decided;
  f->words.len = f->maybes.len * words;
  if (f->maybes.len > 0) {
    memmove(f->maybes.data, f->maybes.data + decided, f->maybes.len * sizeof *f->maybes.data);
    memmove(f->words.data, f->words.data + (size_t)decided * words,
            f->words.len * sizeof *f->words.data);
  }
  f->has_settled = true;
  fake_leave(f);
}

static void fake_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  struct fake *f = fake_of(store);
  fake_enter(f, true);
  f->log->gets++;
  if ((f->base.promises & CLEW_STORE_GET) == 0) {
    fake_wrong(f, "get though the store does not promise it");
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!fake_has_id(f, first + i)) {
      fake_wrong(f, "get of an id that there is not");
      break;
    }
    memcpy(out + (size_t)i * f->set.words,
           state_set_at(&f->set, fake_edge_of(f, first + i)->number), f->set.words * sizeof *out);
  }
  fake_leave(f);
}

static void fake_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct fake *f = fake_of(store);
  fake_enter(f, true);
  f->log->finds++;
  if ((f->base.promises & CLEW_STORE_DENSE) == 0) {
    fake_wrong(f, "find though the store does not promise it");
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = state_set_find(&f->set, visits[i].hash, visits[i].state);
    bool known = number != STATE_SET_NONE;
    visits[i].answer = known ? CLEW_SEEN : CLEW_NEW;
    visits[i].id = known ? f->ids.data[number] : CLEW_ID_NONE;
  }
  fake_leave(f);
}

static bool fake_has(const struct clew_store *store, uint64_t hash) {
  struct fake *f = fake_of(store);
  fake_enter(f, true);
  bool has = state_set_has_hash(&f->set, hash);
  fake_leave(f);
  return has;
}

static clew_id fake_adopt(struct clew_store *store) {
  struct fake *f = fake_of(store);
  fake_enter(f, false);
  clew_id id = f->script->first_id + f->edges.len;
  clew_vec_push(&f->edges, ((struct fake_edge){CLEW_ID_NONE, 0, 0, STATE_SET_NONE, false}));
  fake_leave(f);
  return id;
}

static void fake_back_edge(const struct clew_store *store, clew_id id, clew_id *parent,
                           uint32_t *edge) {
  struct fake *f = fake_of(store);
  *parent = CLEW_ID_NONE;
  *edge = 0;
  if (!fake_has_id(f, id)) {
    fake_wrong(f, "back edge of an id that there is not");
    return;
  }
  *parent = fake_edge_of(f, id)->parent;
  *edge = fake_edge_of(f, id)->edge;
}

static void fake_expanded(struct clew_store *store, clew_id id, uint32_t depth,
                          const uint64_t *state) {
  struct fake *f = fake_of(store);
  fake_enter(f, false);
  f->log->expansions++;
  if (!fake_has_id(f, id)) {
    fake_wrong(f, "expanded is an id that there is not");
  } else {
    struct fake_edge *edge = fake_edge_of(f, id);
    if (edge->expanded) {
      fake_wrong(f, "a state is expanded twice");
    }
    if (edge->number != STATE_SET_NONE && edge->depth != depth) {
      fake_wrong(f, "expanded with another depth");
    }
    if (edge->number != STATE_SET_NONE &&
        memcmp(state_set_at(&f->set, edge->number), state, f->set.words * sizeof *state) != 0) {
      fake_wrong(f, "expanded with another state");
    }
    edge->expanded = true;
  }
  fake_leave(f);
}

static uint64_t fake_count(const struct clew_store *store) {
  struct fake *f = fake_of(store);
  fake_enter_again(f, true); /* figures are allowed to the end */
  uint64_t count = f->script->first_id + f->edges.len;
  fake_leave(f);
  return count;
}

static uint64_t fake_bytes(const struct clew_store *store) {
  return fake_of(store)->set.pool.len * sizeof(uint64_t);
}

static double fake_omission(const struct clew_store *store) {
  (void)store;
  return 0.5;
}

static void fake_counters(const struct clew_store *store, struct clew_counters *out) {
  clew_counters_count(out, "fake_settles", fake_of(store)->log->settles);
}

static bool fake_validate(const struct clew_store *store, const char **why) {
  const struct fake *f = fake_of(store);
  *why = "more states than ids";
  return f->ids.len == state_set_count(&f->set) && f->ids.len <= f->edges.len;
}

const struct clew_store_type fake_store = {
    .name = "fake",
    .help = "does what its script says",
    .promises = CLEW_STORE_GRAPH | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE |
                CLEW_STORE_BACK_EDGES | CLEW_STORE_ORDER,
    .demands = CLEW_STORE_SETTLE | CLEW_STORE_LATE | CLEW_STORE_EXPANDED | CLEW_STORE_REPLAY,
    .open = fake_open,
    .close = fake_close,
    .reserve = fake_reserve,
    .room = fake_room,
    .prefetch = fake_prefetch,
    .put = fake_put,
    .settle = fake_settle,
    .get = fake_get,
    .find = fake_find,
    .has = fake_has,
    .adopt = fake_adopt,
    .back_edge = fake_back_edge,
    .expanded = fake_expanded,
    .count = fake_count,
    .bytes = fake_bytes,
    .omission = fake_omission,
    .counters = fake_counters,
    .validate = fake_validate,
};

#endif
