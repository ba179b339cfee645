/* A signature table that grows within the budget (compact_table.h), and what threads need to share
 * it: the compact store has one, or several for parts of the hashes.
 *
 * A thread holds the lock of a shard while it reads or changes the table; growing is one of the
 * changes. Only prefetches do without: they read the atomic copies of the shape, and as they touch
 * nothing it does not matter if those change in between. */
#ifndef CLEW_STORE_COMPACT_SHARD_INT_H
#define CLEW_STORE_COMPACT_SHARD_INT_H

#include "base/bigmem.h"
#include "store/compact_table.h"
#include "store/spin_int.h"

struct clew_compact_shard {
  unsigned char *data;        /* of the memory; never changes */
  _Atomic uint64_t homes;     /* of the table's shape */
  _Atomic size_t block_bytes; /* the same */
  char line_of_prefetch[SPIN_LINE_BYTES];
  spin_byte lock;
  struct clew_compact_table table;
  uint64_t capacity; /* signatures that the table may hold before it has to grow */
  struct clew_bigmem memory;
  uint32_t bits;  /* to store of a state in the largest table */
  uint32_t parts; /* shards that share the budget */
  uint32_t growths;
  double growth_s;
  char last_line[SPIN_LINE_BYTES];
};

/* An empty table for signatures of `hash_bits` bits, in at most `most_bytes`. False when the system
 * or the budget refuses; close it then, too. */
bool clew_compact_shard_open(struct clew_compact_shard *shard, uint32_t hash_bits, uint32_t bits,
                             uint32_t parts, uint64_t most_bytes, struct clew_budget *budget);
void clew_compact_shard_close(struct clew_compact_shard *shard);
/* Reserves addresses for a table, as many as the system allows between the two numbers. */
bool clew_compact_shard_open_memory(struct clew_compact_shard *shard, uint64_t bytes,
                                    uint64_t least_bytes, struct clew_budget *budget);
/* Sets the table and the copies of its shape; all of the memory that is committed is its. */
void clew_compact_shard_init_table(struct clew_compact_shard *shard,
                                   const struct clew_compact_shape *shape);
/* Makes room for `insertions`, of which so many may overflow behind the last home. False when the
 * budget refuses. */
bool clew_compact_shard_reserve(struct clew_compact_shard *shard, uint64_t insertions,
                                uint64_t overflow);
/* Appends blocks until `insertions` find room behind the last slot. */
bool clew_compact_shard_extend_tail(struct clew_compact_shard *shard, uint64_t insertions);

#endif
