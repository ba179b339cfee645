/* Driving a store as an engine does, over a small deterministic system of transitions, and
 * comparing every answer with a plain set of states. Nothing about the store is known here but what
 * it promises and demands. The first answer that is wrong is kept as a sentence. */
#ifndef CLEW_TESTS_STORE_DRIVE_H
#define CLEW_TESTS_STORE_DRIVE_H

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/vec.h"
#include "store/store.h"
#include "unit/state_set.h"

/* ---- the system ---- */

enum { SYSTEM_DEGREE = 5, SYSTEM_ROOTS = 2, SYSTEM_EDGE_BASE = 3, SYSTEM_EDGE_STEP = 2 };
enum { SYSTEM_MAX_WORDS = 3 };

/* States are made of keys 0 … keys - 1. The first roots are initial; edge 0 leads to the next key,
 * so that all are reachable; two edges of a state lead to the same one. */
struct system {
  uint32_t keys, words, bytes;
  uint32_t sharing; /* so many states have the same hash, all 64 bits of it; 0: none are made to */
  uint64_t seed;    /* of the hashes; for `sharing` */
  _Atomic uint64_t replays;
};

/* XXH3 of three words adds two products. This number, less the seed, as the second word makes a
 * factor of the first product zero, so the first word does not matter. It is bytes 8 to 15 of the
 * secret that XXH3 has by default. */
static const uint64_t XXH3_BLIND_WORD = UINT64_C(0x1cad21f72c81017c);

static inline void system_state_sharing(const struct system *s, uint32_t key, uint64_t *state) {
  state[0] = key % s->sharing;
  state[1] = XXH3_BLIND_WORD - s->seed;
  state[s->words - 1] = key / s->sharing;
}

static inline uint32_t system_next(const struct system *s, uint32_t key, uint32_t e) {
  uint64_t mixed = (key + e / 2) * UINT64_C(0x9e3779b97f4a7c15);
  switch (e) {
  case 0:
    return (key + 1) % s->keys;
  case 1:
    return key / 2;
  case 2: /* the same for 2 and 3 */
  case 3:
    return (uint32_t)((mixed ^ mixed >> 29) % s->keys);
  default:
    return (uint32_t)((key + mixed % 64) % s->keys);
  }
}

/* Small integers, as in models; only the last byte of `bytes` is in use of the last of several
 * words. */
static inline void system_state(const struct system *s, uint32_t key, uint64_t *state) {
  uint32_t last = s->words - 1, shift = 8 * ((s->bytes - 1) % 8);
  if (s->sharing > 0) {
    system_state_sharing(s, key, state);
    return;
  }
  if (last == 0) {
    state[0] = key;
    return;
  }
  state[0] = (uint64_t)(key >> 8) << 5;
  for (uint32_t i = 1; i < last; i++) {
    state[i] = key * UINT64_C(0x9e3779b97f4a7c15);
  }
  state[last] = (uint64_t)(key & 0xff) << shift;
}

static inline uint32_t system_key(const struct system *s, const uint64_t *state) {
  uint32_t last = s->words - 1, shift = 8 * ((s->bytes - 1) % 8);
  if (s->sharing > 0) {
    return (uint32_t)(state[last] * s->sharing + state[0]);
  }
  return last == 0 ? (uint32_t)state[0]
                   : (uint32_t)(state[0] >> 5) << 8 | (uint32_t)(state[last] >> shift);
}

static inline uint32_t system_edge(uint32_t e) {
  return SYSTEM_EDGE_BASE + e * SYSTEM_EDGE_STEP;
}

static inline bool system_replay(void *context, const uint64_t *state, uint32_t edge,
                                 uint64_t *out) {
  struct system *s = context;
  uint32_t e = (edge - SYSTEM_EDGE_BASE) / SYSTEM_EDGE_STEP, key = system_key(s, state);
  s->replays++;
  if (edge < SYSTEM_EDGE_BASE || e >= SYSTEM_DEGREE || system_edge(e) != edge || key >= s->keys) {
    return false;
  }
  system_state(s, system_next(s, key, e), out);
  return true;
}

/* ---- the drive ---- */

enum { DRIVE_BATCH = 64 };
enum drive_order { DRIVE_QUEUE, DRIVE_STACK, DRIVE_RANDOM };

struct drive_found { /* by id */
  uint32_t number;   /* of the state in `set` */
  clew_id parent;
  uint32_t edge, depth;
};

struct drive_wait {   /* a MAYBE */
  uint32_t key, next; /* next: 1 + the place of another of the same key */
  clew_id parent;
  uint32_t edge, depth;
};

struct drive {
  struct clew_store *store;
  struct system *system;
  struct clew_random random;
  enum drive_order order;
  uint32_t settle_share;   /* one batch in so many is followed by a settle; 0: none */
  uint64_t most_visits;    /* then it ends; 0: when all is expanded */
  struct state_set set;    /* states that the store called new */
  CLEW_VEC(clew_id) id_of; /* by number: the last */
  CLEW_VEC(struct drive_found) found;
  CLEW_VEC(struct drive_wait) waiting;
  CLEW_VEC(uint32_t) queue; /* ids that are to be expanded */
  uint32_t head;
  uint32_t *waits; /* by key: 1 + the place of its last MAYBE since all were settled; 0: none */
  uint64_t visits, new_answers, puts;
  enum clew_room refused; /* CLEW_ROOM: not */
  bool ends_settle;       /* the next callback returns false */
  bool is_over;
  const char *wrong;
};

static inline void drive_wrong(struct drive *d, const char *what) {
  d->wrong = d->wrong != NULL ? d->wrong : what;
}

static inline bool drive_promises(const struct drive *d, unsigned promise) {
  return (d->store->promises & promise) != 0;
}

static inline bool drive_demands(const struct drive *d, unsigned demand) {
  return (d->store->demands & demand) != 0;
}

static inline void drive_open(struct drive *d, struct system *system, struct clew_store *store,
                              uint64_t seed) {
  *d = (struct drive){.system = system, .store = store, .settle_share = 16};
  clew_random_seed(&d->random, seed);
  state_set_open(&d->set, system->words);
  d->waits = clew_alloc_zero(system->keys, sizeof *d->waits);
}

static inline void drive_close(struct drive *d) {
  state_set_close(&d->set);
  clew_vec_free(&d->id_of);
  clew_vec_free(&d->found);
  clew_vec_free(&d->waiting);
  clew_vec_free(&d->queue);
  clew_free(d->waits);
}

static inline uint64_t drive_hash(const struct drive *d, const uint64_t *state) {
  return clew_hash_words(state, d->system->words, d->store->config.seed);
}

/* The number of a state that the store called new, or STATE_SET_NONE. */
static inline uint32_t drive_number(const struct drive *d, const uint64_t *state) {
  return state_set_find(&d->set, drive_hash(d, state), state);
}

static inline void drive_check_count(struct drive *d) {
  if (d->store->type->count(d->store) != d->found.len) {
    drive_wrong(d, "the count is not the number of states called new");
  }
}

/* The store called this state new. */
static inline void drive_new(struct drive *d, const struct clew_visit *visit) {
  uint32_t number = drive_number(d, visit->state);
  if (number != STATE_SET_NONE && drive_promises(d, CLEW_STORE_REMEMBERS)) {
    drive_wrong(d, "a state is new twice");
  }
  if (visit->id != d->found.len) {
    drive_wrong(d, "ids are not dense or not in order");
    return;
  }
  if (number == STATE_SET_NONE) {
    number = state_set_add(&d->set, drive_hash(d, visit->state), visit->state);
    clew_vec_push(&d->id_of, visit->id);
  }
  d->id_of.data[number] = visit->id;
  clew_vec_push(&d->queue, (uint32_t)visit->id);
  clew_vec_push(&d->found,
                ((struct drive_found){number, visit->parent, visit->edge, visit->depth}));
  d->new_answers++;
}

static inline void drive_seen(struct drive *d, const struct clew_visit *visit, uint32_t key) {
  uint32_t number = drive_number(d, visit->state);
  bool known = number != STATE_SET_NONE;
  if (drive_promises(d, CLEW_STORE_LOSSLESS) && !known && d->waits[key] == 0) {
    drive_wrong(d, "a state is seen that was not there");
  }
  if (drive_promises(d, CLEW_STORE_DENSE) &&
      (!known || visit->id >= d->found.len || d->found.data[visit->id].number != number)) {
    drive_wrong(d, "a seen state has another id");
  }
}

/* Whether the store says that it failed; then what it did not take is not lost but refused. */
static inline bool drive_has_failed(struct drive *d) {
  enum clew_room room = d->store->type->reserve(d->store, 1);
  if (room == CLEW_ROOM || room == CLEW_ROOM_SETTLE) {
    return false;
  }
  d->refused = room;
  return true;
}

static inline void drive_answer(struct drive *d, const struct clew_visit *visit) {
  uint32_t key = system_key(d->system, visit->state);
  d->visits++;
  switch (visit->answer) {
  case CLEW_NEW:
    drive_new(d, visit);
    break;
  case CLEW_SEEN:
    drive_seen(d, visit, key);
    break;
  case CLEW_MAYBE:
    if (!drive_demands(d, CLEW_STORE_SETTLE)) {
      drive_wrong(d, "maybe without a demand to settle");
    }
    clew_vec_push(&d->waiting, ((struct drive_wait){key, d->waits[key], visit->parent, visit->edge,
                                                    visit->depth}));
    d->waits[key] = d->waiting.len;
    break;
  case CLEW_FULL:
    /* Something failed that could not be foreseen: the store remembers it. */
    if (drive_promises(d, CLEW_STORE_CONCURRENT) || !drive_has_failed(d)) {
      drive_wrong(d, "full without a reason");
    }
    break;
  default:
    drive_wrong(d, "an answer that there is not");
  }
}

static inline bool drive_settled(void *context, const struct clew_visit *visit) {
  struct drive *d = context;
  uint32_t key = system_key(d->system, visit->state);
  uint64_t state[SYSTEM_MAX_WORDS];
  if (d->is_over) {
    drive_wrong(d, "a callback after one that ended settle");
    return false;
  }
  if (key >= d->system->keys) {
    drive_wrong(d, "settled with another state");
    return false;
  }
  system_state(d->system, key, state);
  if (memcmp(state, visit->state, d->system->words * sizeof *state) != 0) {
    drive_wrong(d, "settled with another state");
  }
  bool matches = false;
  for (uint32_t at = d->waits[key]; at != 0 && !matches; at = d->waiting.data[at - 1].next) {
    const struct drive_wait *w = &d->waiting.data[at - 1];
    matches = w->parent == visit->parent && w->edge == visit->edge && w->depth == visit->depth;
  }
  if (!matches) {
    drive_wrong(d, "settled with a back edge that no maybe had");
  }
  if (visit->answer != CLEW_NEW) {
    drive_wrong(d, "settled without the answer new");
  }
  drive_new(d, visit);
  d->is_over = d->ends_settle;
  return !d->is_over;
}

/* After all is settled, nothing that was put is missing. */
static inline void drive_settle(struct drive *d, bool all) {
  if (!drive_demands(d, CLEW_STORE_SETTLE) || d->is_over) {
    return;
  }
  d->store->type->settle(d->store, all, drive_settled, d);
  if (!all || d->is_over) {
    return;
  }
  uint64_t state[SYSTEM_MAX_WORDS];
  bool is_lossless = drive_promises(d, CLEW_STORE_LOSSLESS), has_lost = false;
  for (uint32_t i = 0; i < d->waiting.len; i++) {
    uint32_t key = d->waiting.data[i].key;
    system_state(d->system, key, state);
    has_lost |= is_lossless && drive_number(d, state) == STATE_SET_NONE;
    d->waits[key] = 0;
  }
  if (has_lost && !drive_has_failed(d)) {
    drive_wrong(d, "a state is lost");
  }
  clew_vec_clear(&d->waiting);
  drive_check_count(d);
}

/* How many visits there is room for; 0: the store refuses, or says something wrong. A smaller batch
 * may find room where a larger one does not. Engines may settle at once when they are asked to, or
 * first try fewer: both are done. */
static inline uint32_t drive_room(struct drive *d, uint32_t count) {
  bool settles_at_once = clew_random_below(&d->random, 2) == 0, has_settled = false;
  for (uint32_t n = count; n > 0;) {
    enum clew_room room = d->store->type->reserve(d->store, n);
    drive_check_count(d);
    if (room == CLEW_ROOM) {
      if (drive_promises(d, CLEW_STORE_CONCURRENT) && d->store->type->room(d->store) < n) {
        drive_wrong(d, "less room than was reserved");
      }
      return n;
    }
    if (room == CLEW_ROOM_SETTLE && !drive_demands(d, CLEW_STORE_SETTLE)) {
      drive_wrong(d, "asks to settle without a demand");
      return 0;
    }
    if (room == CLEW_ROOM_SETTLE && !has_settled && (settles_at_once || n == 1)) {
      bool all = clew_random_below(&d->random, 2) == 0;
      drive_settle(d, all);
      has_settled = all || n > 1;
    } else if (n > 1) {
      n /= 2;
      has_settled = false;
    } else if (room == CLEW_ROOM_SETTLE) {
      drive_wrong(d, "asks to settle what is settled");
      return 0;
    } else {
      d->refused = room;
      return 0;
    }
  }
  return 0;
}

static inline bool drive_goes_on(const struct drive *d) {
  return d->wrong == NULL && d->refused == CLEW_ROOM && !d->is_over;
}

/* Puts these visits, in one call or in several. */
static inline void drive_put(struct drive *d, uint32_t count, struct clew_visit *visits) {
  uint32_t done = 0, reserved = 0;
  while (done < count && drive_goes_on(d)) {
    if (reserved == 0) {
      reserved = drive_room(d, count - done);
      if (reserved == 0) {
        return;
      }
    }
    uint32_t n = 1 + (uint32_t)clew_random_below(&d->random, reserved);
    d->store->type->put(d->store, n, visits + done);
    d->puts++;
    for (uint32_t i = done; i < done + n; i++) {
      drive_answer(d, &visits[i]);
    }
    drive_check_count(d);
    done += n;
    reserved -= n;
  }
}

struct drive_batch {
  uint32_t count;
  uint64_t states[DRIVE_BATCH][SYSTEM_MAX_WORDS];
  struct clew_visit visits[DRIVE_BATCH];
};

static inline void drive_add(struct drive *d, struct drive_batch *batch, uint32_t key,
                             clew_id parent, uint32_t edge, uint32_t depth) {
  uint64_t *state = batch->states[batch->count];
  system_state(d->system, key, state);
  struct clew_visit *visit = &batch->visits[batch->count++];
  *visit = (struct clew_visit){.state = state,
                               .hash = drive_hash(d, state),
                               .id = CLEW_ID_NONE,
                               .parent = parent,
                               .edge = edge,
                               .depth = depth};
  d->store->type->prefetch(d->store, visit->hash);
}

static inline uint32_t drive_key(const struct drive *d, clew_id id) {
  return system_key(d->system, state_set_at(&d->set, d->found.data[id].number));
}

static inline void drive_add_successors(struct drive *d, struct drive_batch *batch, clew_id id) {
  uint32_t key = drive_key(d, id), depth = d->found.data[id].depth + 1;
  for (uint32_t e = 0; e < SYSTEM_DEGREE; e++) {
    drive_add(d, batch, system_next(d->system, key, e), id, system_edge(e), depth);
  }
}

static inline clew_id drive_take(struct drive *d) {
  if (d->order == DRIVE_STACK) {
    return clew_vec_pop(&d->queue);
  }
  if (d->order == DRIVE_RANDOM) {
    uint32_t at = d->head + (uint32_t)clew_random_below(&d->random, d->queue.len - d->head);
    uint32_t id = d->queue.data[at];
    d->queue.data[at] = d->queue.data[d->head++];
    return id;
  }
  return d->queue.data[d->head++];
}

/* Expands one state; where the store does not ask to be told, those of others are put along, also
 * of states that were expanded before. */
static inline void drive_expand(struct drive *d, struct drive_batch *batch) {
  clew_id id = drive_take(d);
  batch->count = 0;
  drive_add_successors(d, batch, id);
  if (!drive_demands(d, CLEW_STORE_EXPANDED)) {
    for (uint64_t more = clew_random_below(&d->random, 8); more > 4; more--) {
      drive_add_successors(d, batch, clew_random_below(&d->random, d->found.len));
    }
  }
  drive_put(d, batch->count, batch->visits);
  if (drive_demands(d, CLEW_STORE_EXPANDED) && drive_goes_on(d)) {
    d->store->type->expanded(d->store, id, d->found.data[id].depth,
                             state_set_at(&d->set, d->found.data[id].number));
  }
}

static inline bool drive_has_more(const struct drive *d) {
  return d->head < d->queue.len && (d->most_visits == 0 || d->visits < d->most_visits);
}

static inline void drive_begin(struct drive *d) {
  struct drive_batch batch = {.count = 0};
  for (uint32_t key = 0; key < SYSTEM_ROOTS; key++) {
    drive_add(d, &batch, key, CLEW_ID_NONE, key, 0);
  }
  drive_put(d, batch.count, batch.visits);
}

/* Goes on until all is expanded and settled, the store refuses, or something is wrong. */
static inline void drive_on(struct drive *d) {
  struct drive_batch batch = {.count = 0};
  do {
    while (drive_has_more(d) && drive_goes_on(d)) {
      drive_expand(d, &batch);
      if (d->settle_share > 0 && clew_random_below(&d->random, d->settle_share) == 0 &&
          drive_goes_on(d)) {
        drive_settle(d, clew_random_below(&d->random, 2) == 0);
      }
    }
    if (drive_goes_on(d)) {
      drive_settle(d, true);
    }
  } while (drive_has_more(d) && drive_goes_on(d));
}

/* ---- looking things up ---- */

static inline void drive_check_get(struct drive *d) {
  if (!drive_promises(d, CLEW_STORE_GET) || d->found.len == 0) {
    return;
  }
  uint32_t most = d->store->get_block > 40 ? d->store->get_block : 40, words = d->system->words;
  uint64_t *out = clew_alloc((size_t)most * words * sizeof *out);
  for (uint32_t round = 0; round < 50; round++) {
    clew_id first = clew_random_below(&d->random, d->found.len);
    uint64_t left = d->found.len - first;
    uint32_t count = 1 + (uint32_t)clew_random_below(&d->random, left < most ? left : most);
    d->store->type->get(d->store, first, count, out);
    for (uint32_t i = 0; i < count; i++) {
      if (memcmp(out + (size_t)i * words, state_set_at(&d->set, d->found.data[first + i].number),
                 words * sizeof *out) != 0) {
        drive_wrong(d, "get gives another state");
      }
    }
  }
  clew_free(out);
}

/* Known and unknown states in one call; nothing is taken in. */
static inline void drive_check_find(struct drive *d) {
  if (!drive_promises(d, CLEW_STORE_DENSE)) {
    return;
  }
  struct drive_batch batch = {.count = 0};
  for (uint32_t round = 0; round < 20; round++) {
    batch.count = 0;
    for (uint32_t i = 0; i < DRIVE_BATCH; i++) {
      uint32_t key = (uint32_t)clew_random_below(&d->random, d->system->keys);
      drive_add(d, &batch, key, CLEW_ID_NONE, 0, 0);
    }
    d->store->type->find(d->store, batch.count, batch.visits);
    for (uint32_t i = 0; i < batch.count; i++) {
      const struct clew_visit *visit = &batch.visits[i];
      uint32_t number = drive_number(d, visit->state);
      if (d->waits[system_key(d->system, visit->state)] != 0) {
        continue;
      }
      if ((visit->answer == CLEW_SEEN) != (number != STATE_SET_NONE)) {
        drive_wrong(d, "find does not find, or finds what is not there");
      } else if (visit->answer == CLEW_SEEN &&
                 (visit->id >= d->found.len || d->found.data[visit->id].number != number)) {
        drive_wrong(d, "find gives another id");
      } else if (visit->answer != CLEW_SEEN && visit->answer != CLEW_NEW) {
        drive_wrong(d, "find answers neither seen nor new");
      }
    }
    drive_check_count(d);
  }
}

static inline void drive_check_back_edges(struct drive *d) {
  if (!drive_promises(d, CLEW_STORE_BACK_EDGES)) {
    return;
  }
  for (clew_id id = 0; id < d->found.len; id++) {
    clew_id parent = 0;
    uint32_t edge = 0;
    d->store->type->back_edge(d->store, id, &parent, &edge);
    if (parent != d->found.data[id].parent || edge != d->found.data[id].edge) {
      drive_wrong(d, "a back edge is not the one that was given");
    }
  }
}

static inline void drive_check_probe(struct drive *d) {
  if (!drive_promises(d, CLEW_STORE_PROBE) || !drive_promises(d, CLEW_STORE_REMEMBERS)) {
    return;
  }
  for (uint32_t number = 0; number < state_set_count(&d->set); number++) {
    if (!d->store->type->has(d->store, d->set.hashes.data[number])) {
      drive_wrong(d, "a state that was new is not there");
    }
  }
}

/* The last thing that is asked: there is an id more afterwards, and no state of it. */
static inline void drive_check_adopt(struct drive *d) {
  if (drive_promises(d, CLEW_STORE_PROBE)) {
    if (d->store->type->adopt(d->store) != d->found.len ||
        d->store->type->count(d->store) != d->found.len + UINT64_C(1)) {
      drive_wrong(d, "adopt gives another id than the next");
    }
  }
}

static inline void drive_check_counters(struct drive *d) {
  if (d->store->type->counters == NULL) {
    return;
  }
  struct clew_counters counters = {0};
  d->store->type->counters(d->store, &counters);
  for (uint32_t i = 0; i < counters.list.len; i++) {
    const struct clew_counter *counter = &counters.list.data[i];
    if (clew_counters_find(&counters, counter->name) != counter) {
      drive_wrong(d, "two counters have the same name");
    }
    if (counter->kind == CLEW_COUNTER_TEXT && counter->text == NULL) {
      drive_wrong(d, "a counter is a text without one");
    }
  }
  clew_counters_free(&counters);
}

/* Everything that can be asked about what was put. */
static inline void drive_check(struct drive *d) {
  const char *why = NULL;
  if (!d->store->type->validate(d->store, &why)) {
    drive_wrong(d, why);
  }
  drive_check_count(d);
  drive_check_get(d);
  drive_check_find(d);
  drive_check_back_edges(d);
  drive_check_probe(d);
  drive_check_counters(d);
  if (!d->store->type->validate(d->store, &why)) {
    drive_wrong(d, why);
  }
}

/* A search that came to its end: all states were found, if nothing can have been left out. */
static inline void drive_check_complete(struct drive *d) {
  if (!drive_goes_on(d) || drive_has_more(d) || d->head < d->queue.len) {
    return;
  }
  bool lossless = drive_promises(d, CLEW_STORE_LOSSLESS);
  double omission = lossless ? 0 : d->store->type->omission(d->store);
  if (omission < 0 || omission > 1) {
    drive_wrong(d, "the chance of an omission is not one");
  }
  if (state_set_count(&d->set) != d->system->keys && omission < 1e-6) {
    drive_wrong(d, "a state was left out");
  }
}

#endif
