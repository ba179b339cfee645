/* Small transition systems and a search over them, to drive a ComBack store as an engine does and
 * to compare every answer with a plain array. */
#ifndef CLEW_TESTS_COMBACK_SYSTEM_H
#define CLEW_TESTS_COMBACK_SYSTEM_H

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/vec.h"
#include "store/comback_options.h"
#include "store/store.h"
#include "unit/store_open.h"

enum system_kind { SYSTEM_RANDOM, SYSTEM_GRID, SYSTEM_PATH, SYSTEM_STAR };

/* Keys 0 … keys-1; the first `roots` are initial. Words of a state are derived from its key. */
struct system {
  enum system_kind kind;
  uint32_t keys, roots, degree, words;
  uint32_t edge_base, edge_step; /* edge e of a state is numbered base + e * step */
  _Atomic uint64_t replays;      /* by any thread */
};

static inline uint32_t system_degree(const struct system *s, uint32_t key) {
  switch (s->kind) {
  case SYSTEM_RANDOM:
    return (key * 7919U) % (s->degree + 1);
  case SYSTEM_GRID:
    return 4;
  case SYSTEM_PATH:
    return 3;
  case SYSTEM_STAR:
  default:
    return key == 0 ? s->keys - 1 : 2;
  }
}

static inline uint32_t system_next(const struct system *s, uint32_t key, uint32_t e) {
  uint64_t mixed = (key * UINT64_C(0x9e3779b97f4a7c15) + e * UINT64_C(0xbf58476d1ce4e5b9));
  switch (s->kind) {
  case SYSTEM_RANDOM:
    return (uint32_t)((mixed ^ mixed >> 31) % s->keys);
  case SYSTEM_GRID: { /* a torus: every state is reached over several ways */
    uint32_t side = s->degree, x = key % side, y = key / side % side;
    x = e == 0 ? (x + 1) % side : e == 1 ? (x + side - 1) % side : x;
    y = e == 2 ? (y + 1) % side : e == 3 ? (y + side - 1) % side : y;
    return y * side + x;
  }
  case SYSTEM_PATH: /* forward, here, and a little back */
    return e == 0 ? (key + 1) % s->keys : e == 1 ? key : key / 2 + key / 4;
  case SYSTEM_STAR:
  default:
    return key == 0 ? e + 1 : e == 0 ? 0 : (key * 31U) % s->keys;
  }
}

static inline void system_state(const struct system *s, uint32_t key, uint64_t *state) {
  memset(state, 0, s->words * sizeof *state);
  state[0] = key & 0xff;
  state[s->words - 1] |= (uint64_t)(key >> 8) << 9;
}

static inline uint32_t system_key(const struct system *s, const uint64_t *state) {
  return (uint32_t)(state[0] & 0xff) | (uint32_t)(state[s->words - 1] >> 9) << 8;
}

static inline uint32_t system_edge(const struct system *s, uint32_t e) {
  return s->edge_base + e * s->edge_step;
}

static inline bool system_replay(void *context, const uint64_t *state, uint32_t edge,
                                 uint64_t *out) {
  struct system *s = context;
  uint32_t e = (edge - s->edge_base) / s->edge_step, key = system_key(s, state);
  s->replays++;
  if (e >= system_degree(s, key) || system_edge(s, e) != edge || key >= s->keys) {
    return false;
  }
  system_state(s, system_next(s, key, e), out);
  return true;
}

/* ---- a search ---- */

struct item {
  uint32_t key, depth;
  uint64_t id;
};

enum { SYSTEM_BATCH = 64 };

struct search {
  struct system *system;
  struct clew_store *store;
  bool depth_first;
  bool late;                     /* breadth first: settles only when nothing else is left */
  uint32_t expansions_per_batch; /* states whose successors are put together */
  uint64_t first_id;             /* of the first state: the store has that many already */
  uint64_t *id_of;               /* by key */
  uint8_t *pending;              /* by key: MAYBE */
  CLEW_VEC(uint32_t) pending_keys;
  uint64_t found, transitions;
  uint64_t most;     /* states, after which the search is given up; 0: never */
  bool refused;      /* the store had no room, or there were too many states */
  const char *wrong; /* the first answer that was wrong */
  CLEW_VEC(struct item) queue;
  uint32_t head;
  CLEW_VEC(uint32_t) key_of; /* by id - first_id */
};

static inline void search_wrong(struct search *x, const char *what) {
  x->wrong = x->wrong != NULL ? x->wrong : what;
}

static inline void search_new(struct search *x, uint32_t key, uint64_t id, uint32_t depth) {
  if (x->id_of[key] != UINT64_MAX) {
    search_wrong(x, "a state is new twice");
    return;
  }
  if (id != x->first_id + x->found) {
    search_wrong(x, "ids are not in order");
  }
  x->id_of[key] = id;
  x->found++;
  x->refused |= x->found == x->most;
  clew_vec_push(&x->key_of, key);
  clew_vec_push(&x->queue, ((struct item){key, depth, id}));
}

static inline bool search_settled(void *context, const struct clew_visit *visit) {
  struct search *x = context;
  uint32_t key = system_key(x->system, visit->state);
  if (!x->pending[key]) {
    search_wrong(x, "settled a state that was no candidate");
  }
  uint32_t e = (visit->edge - x->system->edge_base) / x->system->edge_step;
  if (visit->parent - x->first_id >= x->key_of.len ||
      system_next(x->system, x->key_of.data[visit->parent - x->first_id], e) != key) {
    search_wrong(x, "settled with another back edge");
  }
  search_new(x, key, visit->id, visit->depth);
  return true;
}

static inline void search_settle(struct search *x) {
  if ((x->store->demands & CLEW_STORE_SETTLE) == 0) {
    return;
  }
  x->store->type->settle(x->store, true, search_settled, x);
  for (uint32_t i = 0; i < x->pending_keys.len; i++) {
    uint32_t key = x->pending_keys.data[i];
    if (x->id_of[key] == UINT64_MAX) {
      search_wrong(x, "a state is lost");
    }
    x->pending[key] = 0;
  }
  clew_vec_clear(&x->pending_keys);
}

static inline void search_answer(struct search *x, const struct clew_visit *visit, uint32_t key) {
  bool dense = (x->store->promises & CLEW_STORE_DENSE) != 0, known = x->id_of[key] != UINT64_MAX;
  if (visit->answer == CLEW_NEW) {
    if (x->pending[key]) {
      search_wrong(x, "a candidate is new");
    }
    search_new(x, key, visit->id, visit->depth);
  } else if (visit->answer == CLEW_MAYBE) {
    if (x->pending[key] && !known) { /* else it was found to be seen */
      search_wrong(x, "a candidate twice");
    }
    x->pending[key] = 1;
    clew_vec_push(&x->pending_keys, key);
  } else if (visit->answer == CLEW_SEEN) {
    if (!known && !x->pending[key]) {
      search_wrong(x, "a new state is seen");
    }
    if (dense && visit->id != x->id_of[key]) {
      search_wrong(x, "a seen state has another id");
    }
  } else {
    x->refused = true;
  }
}

/* How many visits there is room for now, as engines find it out: fewer and fewer are asked for. */
static inline uint32_t search_room(struct search *x, uint32_t count) {
  enum clew_room room = CLEW_ROOM_MEMORY;
  for (uint32_t n = count; n > 0; n /= 2) {
    room = x->store->type->reserve(x->store, n);
    if (room == CLEW_ROOM) {
      return n;
    }
  }
  if (room == CLEW_ROOM_SETTLE) {
    x->store->type->settle(x->store, false, search_settled, x);
  } else {
    x->refused = true;
  }
  return 0;
}

/* Puts these visits. */
static inline void search_put(struct search *x, uint32_t count, struct clew_visit *visits) {
  for (uint32_t done = 0; done < count && !x->refused;) {
    uint32_t n = search_room(x, count - done);
    x->store->type->put(x->store, n, visits + done);
    for (uint32_t i = done; i < done + n; i++) {
      search_answer(x, &visits[i], system_key(x->system, visits[i].state));
    }
    done += n;
  }
}

struct batch {
  uint32_t count;
  uint64_t *words;
  struct clew_visit visits[SYSTEM_BATCH];
};

static inline void batch_flush(struct search *x, struct batch *batch) {
  if (batch->count > 0 && !x->refused) {
    search_put(x, batch->count, batch->visits);
  }
  batch->count = 0;
}

static inline void batch_add(struct search *x, struct batch *batch, uint32_t key, clew_id parent,
                             uint32_t edge, uint32_t depth) {
  if (batch->count == SYSTEM_BATCH) {
    batch_flush(x, batch);
  }
  uint32_t words = x->system->words;
  uint64_t *state = batch->words + batch->count * words;
  system_state(x->system, key, state);
  batch->visits[batch->count++] =
      (struct clew_visit){.state = state,
                          .hash = clew_hash_words(state, words, x->store->config.seed),
                          .parent = parent,
                          .edge = edge,
                          .depth = depth};
}

static inline void search_expand(struct search *x, struct batch *batch, const struct item *item) {
  for (uint32_t e = 0; e < system_degree(x->system, item->key); e++) {
    uint32_t edge = system_edge(x->system, e);
    batch_add(x, batch, system_next(x->system, item->key, e), item->id, edge, item->depth + 1);
    x->transitions++;
  }
}

static inline void search_expanded(struct search *x, const struct item *items, uint32_t count) {
  uint64_t *state = clew_alloc(x->system->words * sizeof *state);
  for (uint32_t i = 0; i < count; i++) {
    system_state(x->system, items[i].key, state);
    x->store->type->expanded(x->store, items[i].id, items[i].depth, state);
  }
  clew_free(state);
}

/* Breadth first: settles when nothing else of a level, or nothing at all, is left. Depth first: the
 * queue is a stack, and a state is left only when its candidates are decided. */
static inline void search_run(struct search *x) {
  struct batch batch = {.words = clew_alloc(SYSTEM_BATCH * x->system->words * sizeof(uint64_t))};
  struct item items[SYSTEM_BATCH];
  for (uint32_t key = 0; key < x->system->roots; key++) {
    batch_add(x, &batch, key, CLEW_ID_NONE, 0, 0);
  }
  batch_flush(x, &batch);
  uint32_t level_end = x->queue.len;
  while (!x->refused && x->wrong == NULL && x->head < x->queue.len) {
    uint32_t count = 0;
    if (x->depth_first) {
      items[count++] = clew_vec_pop(&x->queue);
    } else {
      for (; count < x->expansions_per_batch && x->head < level_end; x->head++) {
        items[count++] = x->queue.data[x->head];
      }
    }
    for (uint32_t i = 0; i < count; i++) {
      search_expand(x, &batch, &items[i]);
    }
    batch_flush(x, &batch);
    search_expanded(x, items, count);
    if (x->depth_first || x->head == level_end) {
      if (!x->late || x->head == x->queue.len) {
        search_settle(x);
      }
      level_end = x->queue.len;
    }
  }
  clew_free(batch.words);
}

static inline void search_open(struct search *x, struct system *system, struct clew_store *store) {
  *x = (struct search){.system = system, .store = store, .expansions_per_batch = 8};
  x->id_of = clew_alloc(system->keys * sizeof *x->id_of);
  memset(x->id_of, 0xff, system->keys * sizeof *x->id_of);
  x->pending = clew_alloc_zero(system->keys, 1);
}

static inline void search_close(struct search *x) {
  clew_free(x->id_of);
  clew_free(x->pending);
  clew_vec_free(&x->queue);
  clew_vec_free(&x->key_of);
  clew_vec_free(&x->pending_keys);
}

/* Reads all states back in blocks. */
static inline void search_check_get(struct search *x, uint32_t block) {
  uint32_t words = x->system->words;
  uint64_t *out = clew_alloc(block * words * sizeof *out), *want = clew_alloc(words * sizeof *want);
  for (uint64_t first = 0; first < x->found; first += block) {
    uint32_t count = x->found - first < block ? (uint32_t)(x->found - first) : block;
    x->store->type->get(x->store, x->first_id + first, count, out);
    for (uint32_t i = 0; i < count; i++) {
      system_state(x->system, x->key_of.data[first + i], want);
      assert_memory_equal(out + i * words, want, words * sizeof *want);
    }
  }
  clew_free(out);
  clew_free(want);
}

/* Looks every key up, those that were never found included; nothing changes. */
static inline void search_check_find(struct search *x) {
  uint64_t *state = clew_alloc(x->system->words * sizeof *state);
  for (uint32_t key = 0; key < x->system->keys; key++) {
    system_state(x->system, key, state);
    struct clew_visit visit = {.state = state,
                               .hash =
                                   clew_hash_words(state, x->system->words, x->store->config.seed),
                               .parent = CLEW_ID_NONE};
    x->store->type->find(x->store, 1, &visit);
    assert_int_equal(visit.answer, x->id_of[key] == UINT64_MAX ? CLEW_NEW : CLEW_SEEN);
    assert_true(visit.id == x->id_of[key]); /* CLEW_ID_NONE for both */
  }
  assert_int_equal(x->store->type->count(x->store), x->first_id + x->found);
  clew_free(state);
}

/* Back edges lead to where each state comes from. */
static inline void search_check_back_edges(struct search *x) {
  for (uint32_t id = 0; id < x->found; id++) {
    clew_id parent;
    uint32_t edge;
    x->store->type->back_edge(x->store, x->first_id + id, &parent, &edge);
    if (parent == CLEW_ID_NONE) {
      assert_true(x->key_of.data[id] < x->system->roots);
    } else {
      assert_true(parent >= x->first_id && parent - x->first_id < id);
      uint32_t e = (edge - x->system->edge_base) / x->system->edge_step;
      assert_int_equal(system_next(x->system, x->key_of.data[parent - x->first_id], e),
                       x->key_of.data[id]);
    }
  }
}

/* How many keys are reachable. */
static inline uint64_t system_reachable(const struct system *s) {
  uint8_t *seen = clew_alloc_zero(s->keys, 1);
  CLEW_VEC(uint32_t) stack = {0};
  uint64_t count = 0;
  for (uint32_t key = 0; key < s->roots; key++) {
    seen[key] = 1;
    clew_vec_push(&stack, key);
  }
  while (stack.len > 0) {
    uint32_t key = clew_vec_pop(&stack);
    count++;
    for (uint32_t e = 0; e < system_degree(s, key); e++) {
      uint32_t next = system_next(s, key, e);
      if (!seen[next]) {
        seen[next] = 1;
        clew_vec_push(&stack, next);
      }
    }
  }
  clew_vec_free(&stack);
  clew_free(seen);
  return count;
}

/* A store for the states of a system. */
static inline struct clew_store *system_open_store(struct system *system,
                                                   const struct clew_comback_options *options,
                                                   struct clew_budget *budget) {
  struct clew_store_config config = {.words = system->words,
                                     .threads = 1,
                                     .seed = 7,
                                     .budget = budget,
                                     .options = options,
                                     .replay = system_replay,
                                     .replay_context = system};
  return store_open(&clew_store_comback, &config);
}

#endif
