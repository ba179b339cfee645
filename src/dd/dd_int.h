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

#include <assert.h>
#include <string.h>

#include "base/bigmem.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/lanes.h"
#include "base/vec.h"
#include "dd/dd.h"
#include "dd/ldd.h"

enum { FIRST_NODE = 2, MARK_BLOCK_WORDS = 4, NO_ORIGIN = 0 };
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
  OP_FIRST_PLAN
};

/* What is left of a plan. */
struct plan {
  uint32_t kind; /* enum plan_kind * PLAN_ROLES + enum clew_ldd_role */
  uint32_t next; /* the plan of the levels below */
};
enum plan_kind { PLAN_PROJECTION, PLAN_PRODUCT, PLAN_INVERSE };
enum { PLAN_ROLES = 5 };
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

struct clew_dd {
  struct clew_budget *budget;
  const atomic_bool *stop;
  uint64_t seed;
  enum clew_dd_status status;

  struct clew_bigmem arena, index, marks, ranks;
  uint32_t count; /* nodes, the two ends included: the next number */
  uint32_t room;  /* nodes that fit without growing */
  uint32_t bucket_count;
  uint32_t id_bits, id_mask; /* of an entry of the index */
  uint32_t peak;

  struct clew_bigmem cache, wide;
  uint64_t cache_mask, wide_mask; /* lines - 1, entries - 1 */

  CLEW_VEC(clew_ldd *) roots;
  uint32_t collect_at; /* nodes */
  uint32_t often, until_often;
  CLEW_VEC(struct item) items; /* stack of lists that are being made */
  CLEW_VEC(struct plan) plans;
  CLEW_VEC(uint32_t) plan_index; /* open addressing; 0: empty */

  struct clew_ddd_space *clocks; /* owned; NULL: there are no difference decision diagrams */

  uint64_t collections, operations, steps, cache_hits, cache_misses;
};

/* ---- nodes ---- */

static inline const unsigned char *node_at(const struct clew_dd *dd, clew_ldd id) {
  assert(id >= FIRST_NODE && id < dd->count);
  return dd->arena.data + (size_t)id * CLEW_DD_NODE_BYTES;
}

static inline struct clew_ldd_node node_of(const struct clew_dd *dd, clew_ldd id) {
  const unsigned char *at = node_at(dd, id);
  uint64_t links;
  uint32_t value; /* reads a byte of the next node, or of the slack behind the last */
  memcpy(&links, at, sizeof links);
  memcpy(&value, at + sizeof links, sizeof value);
  return (struct clew_ldd_node){value & 0xffffff, (uint32_t)links, (uint32_t)(links >> 32)};
}

static inline void node_set(struct clew_dd *dd, clew_ldd id, struct clew_ldd_node node) {
  unsigned char *at = dd->arena.data + (size_t)id * CLEW_DD_NODE_BYTES;
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

/* The node, of any type; makes it if it is new. Afterwards the status may be FULL, and the answer
 * meaningless. */
clew_ldd clew_dd_insert(struct clew_dd *dd, struct clew_ldd_node node);
/* The same of a node of a list. */
clew_ldd clew_dd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right);
/* Fills the index anew, for as many nodes as there are. */
void clew_dd_index_rebuild(struct clew_dd *dd);
/* The number of an equal node that is in the index, or CLEW_DD_NONE. */
clew_ldd clew_dd_find(const struct clew_dd *dd, struct clew_ldd_node node);

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
  struct cache_line *lines = (struct cache_line *)(void *)dd->cache.data;
  return &lines[key->hash & dd->cache_mask];
}

static inline bool cache_get(struct clew_dd *dd, const struct key *key, clew_ldd *result) {
  const struct cache_line *line = cache_line_of(dd, key);
  for (uint32_t i = 0; i < CACHE_WAYS; i++) {
    const struct cache_entry *entry = &line->ways[i];
    if (entry->a == key->a && entry->b == key->b && entry->c == key->c) {
      dd->cache_hits++;
      *result = entry->result;
      return true;
    }
  }
  dd->cache_misses++;
  return false;
}

/* The newest is the first, and the oldest is forgotten. */
static inline void cache_put(struct clew_dd *dd, const struct key *key, clew_ldd result) {
  if (dd->status != CLEW_DD_OK) {
    return; /* it is no result */
  }
  struct cache_line *line = cache_line_of(dd, key);
  for (uint32_t i = CACHE_WAYS - 1; i > 0; i--) {
    line->ways[i] = line->ways[i - 1];
  }
  line->ways[0] = (struct cache_entry){key->a, key->b, key->c, result};
}

bool clew_dd_wide_get(struct clew_dd *dd, const uint32_t key[4], clew_ldd *result);
void clew_dd_wide_put(struct clew_dd *dd, const uint32_t key[4], clew_ldd result);

/* ---- operations ---- */

/* Whether an operation has to give up: it unwinds, and what it returns means nothing. */
static inline bool gives_up(struct clew_dd *dd) {
  if (__builtin_expect(atomic_load_explicit(dd->stop, memory_order_relaxed), 0) &&
      dd->status == CLEW_DD_OK) {
    dd->status = CLEW_DD_STOPPED;
  }
  return __builtin_expect(dd->status != CLEW_DD_OK, 0);
}

static inline void item_push(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd origin) {
  assert(down != CLEW_LDD_EMPTY || dd->status != CLEW_DD_OK);
  clew_vec_push(&dd->items, ((struct item){value, down, origin}));
}

/* Makes a list of the items from `base` on, whose values rise, followed by `tail`. */
clew_ldd clew_dd_list(struct clew_dd *dd, uint32_t base, clew_ldd tail);
/* The same of items in any order: those of equal values are united. */
clew_ldd clew_dd_list_sorted(struct clew_dd *dd, uint32_t base);

/* An operation with its operands. */
struct call {
  clew_ldd (*run)(struct clew_dd *dd, const struct call *call);
  clew_ldd a, b, c; /* diagrams; EMPTY where there is none */
  uint32_t plan;
  void *context;
};
/* Runs it, collects if need be and tries again. */
clew_ldd clew_dd_perform(struct clew_dd *dd, struct call *call);

clew_ldd clew_dd_union(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b);

/* ---- what vectors end in, where that is a set of clock values (ddd_leaves.c) ---- */

/* One of the two is a node of a difference decision diagram, the other one, too, or true. */
clew_ldd clew_dd_leaf_union(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_leaf_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b);
clew_ldd clew_dd_leaf_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b, bool is_exact);
bool clew_dd_leaf_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b);
/* The union of what the actions of a list make of a set of clock values. */
clew_ldd clew_dd_leaf_act(struct clew_dd *dd, clew_ldd set, clew_ldd actions);
void clew_dd_close_clocks(struct clew_dd *dd);
/* What is wrong with a node of a difference decision diagram, or NULL. */
const char *clew_dd_find_difference_flaw(const struct clew_dd *dd, struct clew_ldd_node node);

#endif
