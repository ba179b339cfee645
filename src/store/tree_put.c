/* From a state to its pair of ids: the visits of a block go up the tree together, node by node.
 *
 * Successors come one after the other from the same parent, so most parts of a state are those of
 * the visit before it. A node looks up only what is not: for each node `fresh` has a bit for each
 * visit of the block whose part may differ from that of the visit before. The first visit of a
 * block is compared with the last one of the block before. */
#include "base/alloc.h"
#include "store/tree_int.h"
#include "store/tree_leaf_int.h"

enum {
  BLOCK = 64,            /* visits; as many as a word has bits */
  STACK_IDS = 8 << 10,   /* ids of all nodes for a block on the stack; states of more parts have
                          * smaller blocks */
  LARGE_BYTES = 1 << 18, /* tables from here on are worth asking for ahead */
};

/* The last two different keys of a node and their ids: a part that differs from that of the visit
 * before is often that of their parent again. */
struct recent {
  uint64_t key, older_key;
  uint32_t id, older_id; /* UINT32_MAX: there is none */
};

/* One call of put. */
struct climb {
  struct tree *tree;
  const struct clew_visit *visits; /* of the block */
  uint32_t count;
  uint32_t stride;         /* visits of a block */
  uint32_t *ids;           /* of node n, visit i: ids[n * stride + i] */
  uint64_t *fresh;         /* of each node */
  struct recent *recent;   /* of each node */
  uint64_t changed[BLOCK]; /* words of the state, as in struct tree_node */
  uint64_t lookups;
};

/* ---- leaves ---- */

static uint64_t deposit(uint64_t bits, uint64_t mask) {
  uint64_t word = 0;
  for (; mask != 0; mask &= mask - 1, bits >>= 1) {
    word |= (bits & 1) != 0 ? mask & -mask : 0;
  }
  return word;
}

/* ---- ids of a node ---- */

/* Looks the keys of fresh visits up; the others have the id of the visit before. */
ALWAYS_INLINE void number_fresh(struct climb *climb, uint32_t n, struct intern *table,
                                const uint64_t *keys, uint64_t fresh, bool shared) {
  uint32_t *ids = climb->ids + (size_t)n * climb->stride;
  struct recent now = climb->recent[n];
  uint64_t hashes[BLOCK], unknown = 0;
  bool ahead = table->index.committed_bytes >= LARGE_BYTES;
  bool has_key = now.id != UINT32_MAX, has_older = now.older_id != UINT32_MAX;
  uint64_t key = now.key, older = now.older_key;
  for (uint64_t left = fresh; left != 0; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(left);
    if (keys[i] != older || !has_older) {
      hashes[i] = intern_hash(keys[i]);
      unknown |= UINT64_C(1) << i;
      if (ahead) {
        __builtin_prefetch(intern_bucket(table, hashes[i]));
      }
    }
    older = key;
    has_older = has_key;
    key = keys[i];
    has_key = true;
  }
  for (uint32_t i = 0; i < climb->count; i++) {
    if ((fresh >> i & 1) != 0) {
      uint32_t id =
          (unknown >> i & 1) != 0 ? intern_id(table, keys[i], hashes[i], shared) : now.older_id;
      now = (struct recent){keys[i], now.key, id, now.id};
    }
    ids[i] = now.id;
  }
  climb->recent[n] = now;
  climb->lookups += (uint64_t)__builtin_popcountll(unknown);
}

ALWAYS_INLINE void number_leaf(struct climb *climb, uint32_t n, bool shared, bool fast) {
  struct tree *tree = climb->tree;
  const struct tree_node *node = &tree->plan.nodes[n];
  const struct tree_piece *pieces = tree->plan.pieces + node->first_piece;
  uint64_t keys[BLOCK], before = climb->recent[n].key, fresh = 0;
  for (uint32_t i = 0; i < climb->count; i++) {
    keys[i] = (climb->changed[i] & node->words) == 0
                  ? before
                  : tree_leaf_key(pieces, node->piece_count, climb->visits[i].state, fast);
    fresh |= (uint64_t)(keys[i] != before) << i;
    before = keys[i];
  }
  fresh |= climb->recent[n].id == UINT32_MAX; /* nothing comes before the very first */
  climb->fresh[n] = fresh;
  number_fresh(climb, n, &tree->tables[node->table], keys, fresh, shared);
}

ALWAYS_INLINE void number_pair(struct climb *climb, uint32_t n, bool shared) {
  struct tree *tree = climb->tree;
  const struct tree_node *node = &tree->plan.nodes[n];
  const uint32_t *left = climb->ids + (size_t)node->left * climb->stride;
  const uint32_t *right = climb->ids + (size_t)node->right * climb->stride;
  uint64_t maybe = climb->fresh[node->left] | climb->fresh[node->right], fresh = 0;
  uint64_t keys[BLOCK], before = climb->recent[n].key;
  for (; maybe != 0; maybe &= maybe - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(maybe);
    keys[i] = (uint64_t)left[i] << 32 | right[i];
    fresh |= (uint64_t)(keys[i] != before) << i;
    before = keys[i];
  }
  fresh |= climb->recent[n].id == UINT32_MAX;
  climb->fresh[n] = fresh;
  number_fresh(climb, n, &tree->tables[node->table], keys, fresh, shared);
}

/* ---- the root ---- */

ALWAYS_INLINE void decide(struct climb *climb, struct clew_visit *visits, bool shared, bool fast) {
  struct tree *tree = climb->tree;
  struct tree_root *root = &tree->root;
  const uint32_t *left = climb->ids + (size_t)tree->plan.left * climb->stride;
  const uint32_t *right = climb->ids + (size_t)tree->plan.right * climb->stride;
  struct tree_place places[BLOCK];
  const struct tree_shape shape = root->shape; /* no answer that is written changes it */
  for (uint32_t i = 0; i < climb->count; i++) {
    places[i] = tree_root_place(&shape, left[i], right[i]);
    __builtin_prefetch(tree_block_at(root, places[i].block), 1);
  }
  uint32_t found = 0;
  for (uint32_t i = 0; i < climb->count; i++) {
    bool is_new = tree_root_add(root, &places[i], left[i], right[i], shared, fast);
    visits[i].answer = is_new ? CLEW_NEW : CLEW_SEEN;
    found += is_new;
  }
  clew_id id;
  if (shared) {
    id = atomic_fetch_add_explicit(&tree->count, found, memory_order_relaxed);
  } else {
    id = atomic_load_explicit(&tree->count, memory_order_relaxed);
    atomic_store_explicit(&tree->count, id + found, memory_order_relaxed);
  }
  assert(id + found <= tree->room);
  for (uint32_t i = 0; i < climb->count && found > 0; i++) {
    if (visits[i].answer == CLEW_NEW) {
      visits[i].id = id++;
    }
  }
}

/* ---- blocks ---- */

static void find_changes(struct climb *climb, const uint64_t *before, uint32_t words) {
  for (uint32_t i = 0; i < climb->count; i++) {
    const uint64_t *state = climb->visits[i].state;
    uint64_t changed = before == NULL ? UINT64_MAX : 0;
    for (uint32_t w = 0; w < words && before != NULL; w++) {
      changed |= (uint64_t)(state[w] != before[w]) << w % 64;
    }
    climb->changed[i] = changed;
    before = state;
  }
}

ALWAYS_INLINE void put_block(struct climb *climb, struct clew_visit *visits, const uint64_t *before,
                             bool shared, bool fast) {
  const struct tree_plan *plan = &climb->tree->plan;
  find_changes(climb, before, climb->tree->base.config.words);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    if (plan->nodes[n].is_leaf) {
      number_leaf(climb, n, shared, fast);
    } else {
      number_pair(climb, n, shared);
    }
  }
  decide(climb, visits, shared, fast);
}

static __attribute__((noinline)) void put_block_fast(struct climb *climb, struct clew_visit *visits,
                                                     const uint64_t *before) {
  put_block(climb, visits, before, false, true);
}

static __attribute__((noinline)) void
put_block_shared(struct climb *climb, struct clew_visit *visits, const uint64_t *before) {
  put_block(climb, visits, before, true, true);
}

static __attribute__((noinline)) void put_block_slowly(struct climb *climb,
                                                       struct clew_visit *visits,
                                                       const uint64_t *before, bool shared) {
  put_block(climb, visits, before, shared, false);
}

static void put_blocks(struct climb *climb, uint32_t count, struct clew_visit *visits,
                       bool shared) {
  const uint64_t *before = NULL;
  uint32_t most = climb->stride;
  for (uint32_t first = 0; first < count; first += climb->count) {
    climb->visits = visits + first;
    climb->count = count - first < most ? count - first : most;
    if (!climb->tree->fast) {
      put_block_slowly(climb, visits + first, before, shared);
    } else if (shared) {
      put_block_shared(climb, visits + first, before);
    } else {
      put_block_fast(climb, visits + first, before);
    }
    before = visits[first + climb->count - 1].state;
  }
}

static void add_to(_Atomic uint64_t *counter, uint64_t amount, bool shared) {
  if (shared) {
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
  } else {
    uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, old + amount, memory_order_relaxed);
  }
}

static void put_with(struct climb *climb, uint32_t count, struct clew_visit *visits, bool shared) {
  for (uint32_t n = 0; n < climb->tree->plan.node_count; n++) {
    climb->recent[n] = (struct recent){.id = UINT32_MAX, .older_id = UINT32_MAX};
  }
  put_blocks(climb, count, visits, shared);
  add_to(&climb->tree->visits, count, shared);
  add_to(&climb->tree->lookups, climb->lookups, shared);
}

void tree_put_parts(struct tree *tree, uint32_t count, struct clew_visit *visits, bool shared) {
  uint32_t nodes = tree->plan.node_count;
  struct climb climb = {.tree = tree};
  if ((size_t)nodes * BLOCK <= STACK_IDS) {
    uint32_t ids[STACK_IDS];
    uint64_t fresh[STACK_IDS / BLOCK];
    struct recent recent[STACK_IDS / BLOCK];
    climb.stride = BLOCK;
    climb.ids = ids;
    climb.fresh = fresh;
    climb.recent = recent;
    put_with(&climb, count, visits, shared);
    return;
  }
  uint32_t most = STACK_IDS * 4 / nodes;
  climb.stride = most < 1 ? 1 : most < BLOCK ? most : BLOCK;
  climb.ids = clew_alloc((size_t)nodes * climb.stride * sizeof *climb.ids);
  climb.fresh = clew_alloc((size_t)nodes * sizeof *climb.fresh);
  climb.recent = clew_alloc((size_t)nodes * sizeof *climb.recent);
  put_with(&climb, count, visits, shared);
  clew_free(climb.ids);
  clew_free(climb.fresh);
  clew_free(climb.recent);
}

/* ---- back from ids to states ---- */

static void read_node(const struct tree *tree, uint32_t n, uint32_t id, uint64_t *state) {
  const struct tree_node *node = &tree->plan.nodes[n];
  uint64_t key = intern_key(&tree->tables[node->table], id);
  if (!node->is_leaf) {
    read_node(tree, node->left, (uint32_t)(key >> 32), state);
    read_node(tree, node->right, (uint32_t)key, state);
    return;
  }
  const struct tree_piece *piece = tree->plan.pieces + node->first_piece;
  for (uint32_t p = 0; p < node->piece_count; p++, piece++) {
    state[piece->word] |= deposit(key >> piece->at, piece->mask);
  }
}

void tree_read_back(const struct tree *tree, uint32_t left, uint32_t right, uint64_t *state) {
  for (uint32_t w = 0; w < tree->base.config.words; w++) {
    state[w] = 0;
  }
  read_node(tree, tree->plan.left, left, state);
  read_node(tree, tree->plan.right, right, state);
}

static uint32_t id_of(const struct tree *tree, uint32_t n, const uint64_t *state) {
  const struct tree_node *node = &tree->plan.nodes[n];
  uint64_t key;
  if (node->is_leaf) {
    key = tree_leaf_key(tree->plan.pieces + node->first_piece, node->piece_count, state, false);
  } else {
    uint32_t left = id_of(tree, node->left, state), right = id_of(tree, node->right, state);
    if (left == UINT32_MAX || right == UINT32_MAX) {
      return UINT32_MAX;
    }
    key = (uint64_t)left << 32 | right;
  }
  return intern_find(&tree->tables[node->table], key);
}

struct tree_ids tree_ids_of(const struct tree *tree, const uint64_t *state) {
  return (struct tree_ids){id_of(tree, tree->plan.left, state),
                           id_of(tree, tree->plan.right, state)};
}
