/* The table of nodes from inside: nodes, index, marks, cache, and how operations run.
 *
 * Layout. A node takes 11 bytes: down and right (32 bits each), value (24 bits, of which the last
 * tells other types of nodes from lists). Nodes lie in an arena in the order of their creation, so
 * children come before their parents. The index has sixteen 32-bit entries per cache line, each of
 * which is a number of a node with the bits that are left as a tag of its hash (as the exact store
 * has them). It is filled up to 95 %. With marks for collections that makes about 16 bytes per
 * node. */
#ifndef CLEW_DD_DD_INT_H
#define CLEW_DD_DD_INT_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/bigmem.h"
#include "base/bits.h"
#include "base/crew.h"
#include "base/hash.h"
#include "base/lanes.h"
#include "base/vec.h"
#include "dd/dd.h"
#include "dd/ldd.h"

enum { FIRST_NODE = 2, MARK_BLOCK_WORDS = 2, NO_ORIGIN = 0 };
/* In a value: the node is one of a difference decision diagram (dd/ddd.h); `down` is its high child
 * and `right` its low one, and the bits below are the number of its constraint. */
enum { DIFFERENCE = 1 << CLEW_DD_VALUE_BITS };

/* Keys of the cache: plain operations, operations of callers, then plans. */
enum operation {
  OP_NONE,
  OP_UNION,
  OP_MINUS,
  OP_MINUS_EXACT,
  OP_INTERSECT,
  OP_SUBSET,
  OP_DDD_OR,
  OP_DDD_AND,
  OP_DDD_MINUS,
  OP_DDD_REDUCE,
  OP_DDD_CANONICAL,
  /* From here on the second operand is no node. */
  OP_OWN,
  OP_DDD_ACT = OP_OWN + CLEW_LDD_OWN_OPERATIONS,
  OP_DDD_ACT_BACK,
  OP_SATURATE, /* b: the level */
  OP_REACH,
  OP_FIRST_PLAN
};

/* What is left of a plan. */
struct plan {
  uint32_t kind; /* enum plan_kind * PLAN_ROLES + enum clew_ldd_role */
  uint32_t next; /* the plan of the levels below */
};
enum plan_kind { PLAN_PROJECTION, PLAN_PRODUCT, PLAN_INVERSE, PLAN_FIRE };
enum { PLAN_ROLES = 6 };
/* Roles of PLAN_FIRE. */
enum fire_role {
  FIRE_END,   /* nothing happens at this level and below */
  FIRE_PASS,  /* nothing happens at this level */
  FIRE_MIXED, /* two numbers of a row */
};
/* The ends of plans. */
enum {
  PLAN_KEEP, /* nothing is left to do: the rest is the result */
  PLAN_CUT,  /* projection: nothing of the rest stays */
  PLAN_FIRST /* the first that has a level */
};

/* An element of a list that is being made. */
struct item {
  uint32_t value;
  clew_ldd down;
  clew_ldd origin; /* a node with this value and this down, or NO_ORIGIN */
};

struct cache_entry {
  uint32_t a, b, c; /* c: enum operation or plan; all 0: empty */
  uint32_t result;
};
enum { CACHE_WAYS = 4 };
struct cache_line {
  struct cache_entry ways[CACHE_WAYS];
};
static_assert(sizeof(struct cache_line) == 64, "a cache line");

/* For operations of four operands. */
struct wide_entry {
  uint32_t a, b, c, d, result, unused[3];
};
static_assert(sizeof(struct wide_entry) == 32, "half a cache line");

/* Numbers for new nodes that belong to one worker: from `next` to `end`. */
struct span {
  uint32_t next, end;
};
enum { SPARE_SPANS = 6, LOCKS = 1 << 12 };

/* Nodes that an operation needs while others are performed for it, and collections with them. */
struct held {
  uint32_t value;
  clew_ldd a, b;
};

/* Why an operation unwinds, beyond the answers that callers see (enum clew_dd_status). */
enum halt {
  HALT_CROWDED = CLEW_DD_STOPPED + 1, /* the index has to grow, and others are using it */
  HALT_LONG,                          /* it is worth while to share the work */
};

/* What all workers share. It changes only while one of them is at work, but for what is atomic. */
struct table {
  struct clew_budget *budget;
  const atomic_bool *stop;
  struct clew_crew *crew;   /* NULL: there is one worker */
  struct clew_dd **workers; /* [0] is the caller's */
  uint32_t worker_count;
  uint64_t patience; /* steps before an operation is shared */

  struct clew_bigmem arena, index, marks, ranks, cache, wide;
  _Atomic uint32_t count;  /* numbers that were handed out: the next one */
  _Atomic uint32_t room;   /* numbers that may be handed out before something grows */
  pthread_mutex_t growing; /* of arena and marks, while others work */
  uint32_t bucket_count;
  uint64_t peak;                  /* nodes */
  uint64_t cache_mask, wide_mask; /* lines - 1, entries - 1 */

  CLEW_VEC(clew_ldd *) roots;
  CLEW_VEC(struct held) held; /* a stack */
  uint64_t collect_at;        /* nodes */
  uint32_t often, until_often;
  CLEW_VEC(struct plan) plans;
  CLEW_VEC(uint32_t) plan_index; /* open addressing; 0: empty */
  uint64_t collections, operations, shared_operations;
  _Atomic unsigned char locks[LOCKS]; /* of the caches */

  _Atomic uint32_t halt;   /* the first reason of a worker to give up; 0: none has */
  atomic_bool is_finished; /* the operation that is shared */
};

/* What one worker sees. A caller has that of the first worker, which is the only one unless an
 * operation takes long (tasks.c). */
struct clew_dd {
  struct table *table;
  /* Copies, so that operations find them at hand: clew_dd_refresh. */
  unsigned char *arena;
  uint32_t *index;
  struct cache_line *cache;
  uint64_t cache_mask, seed;
  uint32_t bucket_count;
  uint32_t id_bits, id_mask; /* of an entry of the index */
  uint32_t most;             /* numbers are below this one */
  const struct plan *plans;
  bool is_shared;   /* others are at work, too */
  bool locks_lines; /* entries of the cache cannot be read and written in one piece */
  uint32_t worker;

  uint32_t status; /* enum clew_dd_status or enum halt */
  uint64_t steps, pause_at, long_at;
  struct span span; /* numbers for new nodes */
  struct span spare[SPARE_SPANS];
  uint32_t spare_count;
  uint64_t holes;                /* numbers that were given up since the last collection */
  CLEW_VEC(struct item) items;   /* stack of lists that are being made */
  struct clew_ddd_space *clocks; /* owned; NULL: there are no difference decision diagrams */
  struct tasks *tasks;           /* owned; NULL: there is one worker */
  uint64_t cache_hits, cache_misses;
};

/* ---- nodes ---- */

static inline const unsigned char *node_at(const struct clew_dd *dd, clew_ldd id) {
  assert(id >= FIRST_NODE && id < dd->most);
  return dd->arena + (size_t)id * CLEW_DD_NODE_BYTES;
}

static inline struct clew_ldd_node node_of(const struct clew_dd *dd, clew_ldd id) {
  const unsigned char *at = node_at(dd, id);
  uint64_t links;
  uint32_t value = 0;
  memcpy(&links, at, sizeof links);
#if CLEW_WHOLE_LINES
  /* Reads a byte of the next node, which another worker may be writing, or of the slack behind the
   * last one. It is not used. */
  memcpy(&value, at + sizeof links, sizeof value);
#else
  memcpy(&value, at + sizeof links, 3);
#endif
  return (struct clew_ldd_node){value & 0xffffff, (uint32_t)links, (uint32_t)(links >> 32)};
}

/* A number that no node has: a worker was given it and did not use it. */
static inline bool is_hole(struct clew_ldd_node node) {
  return node.down == CLEW_LDD_EMPTY && (node.value & DIFFERENCE) == 0;
}

static inline void node_set(struct clew_dd *dd, clew_ldd id, struct clew_ldd_node node) {
  unsigned char *at = dd->arena + (size_t)id * CLEW_DD_NODE_BYTES;
  uint64_t links = node.down | (uint64_t)node.right << 32;
  memcpy(at, &links, sizeof links);
  at[8] = (unsigned char)node.value;
  at[9] = (unsigned char)(node.value >> 8);
  at[10] = (unsigned char)(node.value >> 16);
}

static inline bool is_difference(const struct clew_dd *dd, clew_ldd id) {
  return id >= FIRST_NODE && (node_of(dd, id).value & DIFFERENCE) != 0;
}

static inline uint64_t hash_three(const struct clew_dd *dd, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t words[3] = {a, b, c};
  return clew_hash_bytes(words, sizeof words, dd->seed);
}

/* Copies of what changed: after the table has grown, and before an operation is shared. */
void clew_dd_refresh(struct clew_dd *dd);
/* The end of all numbers, and how many nodes have one of them, the two ends included. */
uint32_t clew_dd_end(const struct clew_dd *dd);
uint64_t clew_dd_node_count(const struct clew_dd *dd);
/* Makes room when the index is full. Nobody else is at work. */
bool clew_dd_grow(struct clew_dd *dd);
/* After a collection: these numbers are in use, and no others. */
void clew_dd_restart_numbers(struct clew_dd *dd, uint32_t count);

/* The node, of any type; makes it if it is new. Afterwards the status may be FULL, and the answer
 * meaningless. */
clew_ldd clew_dd_insert(struct clew_dd *dd, struct clew_ldd_node node);
/* The same of a node of a list. */
clew_ldd clew_dd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right);
/* Fills the index anew, for as many nodes as there are. */
void clew_dd_index_rebuild(struct clew_dd *dd);
/* The number of an equal node that is in the index, or CLEW_DD_NONE. */
clew_ldd clew_dd_find(const struct clew_dd *dd, struct clew_ldd_node node);

/* Some work in parts, which the workers do at the same time if there is enough of it. */
typedef void clew_dd_part(struct clew_dd *dd, void *context, uint32_t part, uint32_t parts);
void clew_dd_divide(struct clew_dd *dd, clew_dd_part *part, void *context, uint64_t size);

/* ---- marks: a set of nodes, for collections and counts ---- */

void clew_dd_marks_clear(struct clew_dd *dd);
void clew_dd_mark(struct clew_dd *dd, clew_ldd id);
bool clew_dd_is_marked(const struct clew_dd *dd, clew_ldd id);
/* Marks whatever marked nodes reach; the number of marked nodes. */
uint32_t clew_dd_marks_close(struct clew_dd *dd);
/* How many marked nodes come before this one; after clew_dd_marks_close. */
uint32_t clew_dd_rank(const struct clew_dd *dd, clew_ldd id);

/* ---- the cache ---- */

bool clew_dd_cache_open(struct clew_dd *dd);
void clew_dd_cache_clear(struct clew_dd *dd);
/* During a collection, when nodes have closed up and marks are still there: entries of nodes that
 * stay get their new numbers, the others are forgotten. */
void clew_dd_cache_rename(struct clew_dd *dd, uint32_t live);
/* As many lines as go well with so many nodes, if the budget has room. */
void clew_dd_cache_fit(struct clew_dd *dd);

/* A key of three numbers and its hash. */
struct key {
  uint32_t a, b, c;
  uint64_t hash;
};

static inline struct key cache_key(const struct clew_dd *dd, uint32_t a, uint32_t b, uint32_t c) {
  assert(c != OP_NONE);
  return (struct key){a, b, c, hash_three(dd, a, b, c)};
}

static inline struct cache_line *cache_line_of(const struct clew_dd *dd, const struct key *key) {
  return &dd->cache[key->hash & dd->cache_mask];
}

/* Where others are at work, an entry is read and written as a whole: sixteen aligned bytes in one
 * access, which processors with AVX do in one piece. Where there is no such access, some lines have
 * a lock together. */
#if defined(__SSE2__) && CLEW_WHOLE_LINES
static inline struct cache_entry entry_read(const struct cache_entry *entry) {
  __m128i whole = *(const volatile __m128i *)(const void *)entry;
  struct cache_entry copy;
  _mm_storeu_si128((__m128i *)(void *)&copy, whole);
  return copy;
}
/* Whether the entry has this key; its result then. */
static inline bool entry_matches(const struct cache_entry *entry, const struct key *key,
                                 clew_ldd *result) {
  if (*(const volatile uint32_t *)&entry->a != key->a) { /* mostly, and quickly */
    return false;
  }
  __m128i whole = *(const volatile __m128i *)(const void *)entry;
  __m128i wanted = _mm_set_epi32(0, (int)key->c, (int)key->b, (int)key->a);
  if ((_mm_movemask_epi8(_mm_cmpeq_epi32(whole, wanted)) & 0xfff) != 0xfff) {
    return false;
  }
  *result = (uint32_t)_mm_cvtsi128_si32(_mm_shuffle_epi32(whole, 3));
  return true;
}
static inline void entry_write(struct cache_entry *entry, struct cache_entry value) {
  *(volatile __m128i *)(void *)entry =
      _mm_set_epi32((int)value.result, (int)value.c, (int)value.b, (int)value.a);
}
#else
static inline struct cache_entry entry_read(const struct cache_entry *entry) {
  return *entry;
}
static inline bool entry_matches(const struct cache_entry *entry, const struct key *key,
                                 clew_ldd *result) {
  *result = entry->result;
  return entry->a == key->a && entry->b == key->b && entry->c == key->c;
}
static inline void entry_write(struct cache_entry *entry, struct cache_entry value) {
  *entry = value;
}
#endif

/* The lock of a line, and of others. */
void clew_dd_lock(struct clew_dd *dd, uint64_t line);
void clew_dd_unlock(struct clew_dd *dd, uint64_t line);

static inline bool line_get(struct clew_dd *dd, const struct key *key, clew_ldd *result) {
  const struct cache_line *line = cache_line_of(dd, key);
  for (uint32_t i = 0; i < CACHE_WAYS; i++) {
    if (entry_matches(&line->ways[i], key, result)) {
      dd->cache_hits++;
      return true;
    }
  }
  dd->cache_misses++;
  return false;
}

/* The newest is the first, and the oldest is forgotten. */
static inline void line_put(struct clew_dd *dd, const struct key *key, clew_ldd result) {
  struct cache_line *line = cache_line_of(dd, key);
  for (uint32_t i = CACHE_WAYS - 1; i > 0; i--) {
    entry_write(&line->ways[i], entry_read(&line->ways[i - 1]));
  }
  entry_write(&line->ways[0], (struct cache_entry){key->a, key->b, key->c, result});
}

bool clew_dd_cache_get_locked(struct clew_dd *dd, const struct key *key, clew_ldd *result);
void clew_dd_cache_put_locked(struct clew_dd *dd, const struct key *key, clew_ldd result);

static inline bool cache_get(struct clew_dd *dd, const struct key *key, clew_ldd *result) {
  return __builtin_expect(dd->locks_lines, 0) ? clew_dd_cache_get_locked(dd, key, result)
                                              : line_get(dd, key, result);
}

static inline void cache_put(struct clew_dd *dd, const struct key *key, clew_ldd result) {
  if (dd->status != CLEW_DD_OK) {
    return; /* it is no result */
  }
  if (__builtin_expect(dd->locks_lines, 0)) {
    clew_dd_cache_put_locked(dd, key, result);
  } else {
    line_put(dd, key, result);
  }
}

/* Opens the cache of four operands if there is memory for it; nobody else is at work. */
bool clew_dd_wide_open(struct clew_dd *dd);
bool clew_dd_wide_get(struct clew_dd *dd, const uint32_t key[4], clew_ldd *result);
void clew_dd_wide_put(struct clew_dd *dd, const uint32_t key[4], clew_ldd result);

/* ---- operations ---- */

/* Before an operation. */
void clew_dd_begin(struct clew_dd *dd);
/* Gives up: the operation unwinds, and what it returns means nothing. */
void clew_dd_halt(struct clew_dd *dd, uint32_t why);
/* Now and then: whether to give up, because of others or of the stop flag. */
bool clew_dd_pause(struct clew_dd *dd);

bool clew_dd_collection_is_due(struct clew_dd *dd);

/* Whether an operation has to give up. */
static inline bool gives_up(struct clew_dd *dd) {
  return __builtin_expect(dd->steps >= dd->pause_at, 0) && clew_dd_pause(dd);
}

static inline void item_push(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd origin) {
  assert(down != CLEW_LDD_EMPTY || dd->status != CLEW_DD_OK);
  clew_vec_push(&dd->items, ((struct item){value, down, origin}));
}

/* Makes a list of the items from `base` on, whose values rise, followed by `tail`. */
clew_ldd clew_dd_list(struct clew_dd *dd, uint32_t base, clew_ldd tail);
/* The same of items in any order: those of equal values are united, with forks in the first
 * `height` levels below. */
clew_ldd clew_dd_list_sorted(struct clew_dd *dd, uint32_t base, uint32_t height);

/* An operation with its operands. */
struct call {
  clew_ldd (*run)(struct clew_dd *dd, const struct call *call);
  clew_ldd a, b, c; /* diagrams; EMPTY where there is none */
  uint32_t plan;
  void *context;
};
/* Runs it, collects or shares it if need be and tries again. */
clew_ldd clew_dd_perform(struct clew_dd *dd, struct call *call);

clew_ldd clew_dd_union(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b);
/* The same with forks in the first `height` levels. */
clew_ldd clew_dd_union_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height);
clew_ldd clew_dd_intersect_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height);
clew_ldd clew_dd_minus_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op,
                            uint32_t height);
clew_ldd clew_dd_project_tall(struct clew_dd *dd, clew_ldd set, uint32_t plan, uint32_t height);
clew_ldd clew_dd_product_tall(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              uint32_t height);
clew_ldd clew_dd_inverse_tall(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              clew_ldd universe, uint32_t height);

clew_ldd clew_dd_difference_tall(struct clew_dd *dd, enum operation op, clew_ldd a, clew_ldd b,
                                 uint32_t height);

/* ---- what vectors end in, where that is a set of clock values (ddd_leaves.c) ---- */

/* One of the two is a node of a difference decision diagram, the other one, too, or true. */
clew_ldd clew_dd_leaf_union(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_leaf_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_leaf_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b, bool is_exact);
bool clew_dd_leaf_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b);
/* The union of what the actions of a list make of a set of clock values. */
clew_ldd clew_dd_leaf_act(struct clew_dd *dd, clew_ldd set, clew_ldd actions);
/* The values of `universe` that one of the actions leads into the set. */
clew_ldd clew_dd_leaf_act_back(struct clew_dd *dd, clew_ldd set, clew_ldd actions,
                               clew_ldd universe);
/* Of all workers. */
void clew_dd_close_clocks(struct clew_dd *dd);
/* What is wrong with a node of a difference decision diagram, or NULL. */
const char *clew_dd_find_difference_flaw(const struct clew_dd *dd, struct clew_ldd_node node);

#endif
