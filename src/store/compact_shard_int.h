/* A part of the signatures of the compact store: a set of numbers (compact_set.h), and what threads
 * need to share it. The store has one, or several for parts of the hashes.
 *
 * A thread holds the lock of a shard while it reads or changes the set; growing is one of the
 * changes. Only prefetches do without: they read the atomic copies of the shape, and as they touch
 * nothing it does not matter if those change in between. */
#ifndef CLEW_STORE_COMPACT_SHARD_INT_H
#define CLEW_STORE_COMPACT_SHARD_INT_H

#include "store/compact_set.h"
#include "store/spin_int.h"
#include "store/store.h"

struct clew_compact_shard {
  unsigned char *lines;         /* of the set; never changes */
  _Atomic uint32_t block_shift; /* of a hash, to get its block */
  char line_of_prefetch[SPIN_LINE_BYTES];
  spin_byte lock;
  struct clew_compact_set set;
  char last_line[SPIN_LINE_BYTES];
};

/* An empty set of the upper `hash_bits` of hashes, in at most `most_bytes`. False when the system
 * or the budget refuses; close it then, too. */
bool clew_compact_shard_open(struct clew_compact_shard *shard, uint32_t hash_bits,
                             uint64_t most_bytes, struct clew_budget *budget);
void clew_compact_shard_close(struct clew_compact_shard *shard);
/* Makes room for `insertions`. False when the budget refuses. */
bool clew_compact_shard_reserve(struct clew_compact_shard *shard, uint64_t insertions);
bool clew_compact_shard_has(const struct clew_compact_shard *shard, uint64_t hash);
/* Adds those of the hashes, which are changed, that are not there, and says which. False, and
 * nothing is done, when there is no room for all of them. */
bool clew_compact_shard_put(struct clew_compact_shard *shard, uint32_t count, uint64_t *hashes,
                            bool *is_new);
/* NEW, SEEN or, where there is no room and none can be made, FULL. */
enum clew_answer clew_compact_shard_put_one(struct clew_compact_shard *shard, uint64_t hash,
                                            bool may_grow);
/* For tests: NULL, or what is wrong. */
const char *clew_compact_shard_validate(const struct clew_compact_shard *shard);

/* Asks for the tags of the block of a hash. */
static inline void clew_compact_shard_prefetch(const struct clew_compact_shard *shard,
                                               uint64_t hash) {
  uint32_t shift = atomic_load_explicit(&shard->block_shift, memory_order_relaxed);
  __builtin_prefetch(shard->lines + (hash >> shift) * CLEW_COMPACT_SET_LINE_BYTES, 1);
}

#endif
