/* The parts of the root (tree_root_int.h) that growing shares with the rest: shapes, shards as
 * sorted keys, the spill. */
#ifndef CLEW_STORE_TREE_SHAPE_INT_H
#define CLEW_STORE_TREE_SHAPE_INT_H

#include "store/tree_root_int.h"

/* How ids below `lefts` and `rights` are numbered; the numbers that a power of two leaves over go
 * to further ids. False when there are too many. */
bool tree_keys_choose(struct tree_keys *keys, uint64_t lefts, uint64_t rights, uint32_t shard_bits);
/* The smallest blocks for at least so many pairs that are spread evenly. */
struct tree_shape tree_shape_choose(const struct tree_keys *keys, uint64_t pairs);

static inline uint64_t tree_shape_bytes(const struct tree_shape *shape) {
  return (shape->blocks << shape->keys.shard_bits) * TREE_BLOCK_WORDS * sizeof(uint64_t);
}
/* A shard has at most so many pairs in its blocks. */
static inline uint64_t tree_shard_most(const struct tree_shape *shape) {
  return shape->blocks * shape->slots;
}

/* The keys of a shard in increasing order; returns how many. `blocks` are those of the table. */
uint64_t tree_shard_read(const uint64_t *blocks, const struct tree_shape *shape, uint32_t shard,
                         uint64_t *keys);
/* Puts a pair that is not there into its block; false when that is full. */
bool tree_block_put(struct tree_root *root, const struct tree_shape *shape, uint32_t left,
                    uint32_t right);

static inline uint64_t tree_spill_value(uint32_t left, uint32_t right) {
  uint64_t value = ((uint64_t)left << 32 | right) + 1; /* 0 is an empty slot */
  assert(value != 0);
  return value;
}
/* The slot of a value; UINT64_MAX: it is not there. There are slots. */
uint64_t tree_spill_find(const struct tree_root *root, uint64_t value);
/* True if it was not there. */
bool tree_spill_add(struct tree_root *root, uint64_t value);
/* Has room for so many pairs in all; false when there is no memory. `must`: takes it anyway. */
bool tree_spill_make_room(struct tree_root *root, uint64_t pairs, bool must);
uint64_t tree_spill_room(const struct tree_root *root);

#endif
