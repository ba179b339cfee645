/* A set of numbers of p bits, uniformly spread, that grows: in memory close to the least that such
 * a set takes, and at the speed of a plain hash table.
 *
 * Quotienting (Cleary 1984). The upper bits of a number say which block it belongs to, the next
 * four which of the 16 homes of that block, and only the rest is stored. All p bits can be read
 * back: nothing is lost and growing changes no answer.
 *
 * Blocks. A block keeps the rests of its numbers in order, without gaps, at its front. Before them
 * are 64 run ends in unary: for each home as many ones as it has numbers, then a zero. Finding a
 * home is one select, and an insertion moves rests of the same block only.
 *
 * Growing. While the number of blocks stays the same, every block gets a few more slots: one copy
 * of memory, nothing is unpacked. From 127 slots on each block becomes two, and the rests lose a
 * bit.
 *
 * Spill. Blocks are not equally full, and a slot for the fullest would be wasted in all others. A
 * number whose block is full goes to a small open table of whole numbers: about one in eighty
 * when the blocks are nine tenths full on average. It stays there until the number of blocks
 * doubles.
 *
 * Memory comes from the budget. Not thread-safe: the owner locks. */
#ifndef CLEW_STORE_COMPACT_SET_H
#define CLEW_STORE_COMPACT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bigmem.h"

enum { CLEW_COMPACT_SET_LEAST_BITS = 8, CLEW_COMPACT_SET_HEAD_BYTES = 24 };

/* Numbers whose block is full: open addressing, linear probing. */
struct clew_compact_spill {
  struct clew_bigmem memory;
  uint64_t slots, count;
  uint64_t factor; /* odd: makes homes of numbers */
  bool has_zero;   /* the number 0 would look like a free slot */
};

struct clew_compact_set {
  unsigned char *data; /* the first block; never changes */
  struct clew_bigmem memory;
  struct clew_compact_spill spill;
  uint32_t bits;        /* of a number, 8 to 64 */
  uint32_t block_bits;  /* log2 of the number of blocks, at least 1 */
  uint32_t stored_bits; /* of a number: bits - block_bits - 6, 1 to 57 */
  uint32_t slots;       /* of a block, 68 to 127 */
  size_t block_bytes;
  uint64_t count;    /* numbers, those of the spill included */
  uint64_t capacity; /* numbers up to which it need not grow */
  uint32_t growths;
  double growth_s;
  bool bit_instructions;
};

/* An empty set of numbers of `bits` bits in at most `most_bytes`. False when the system or the
 * budget refuses; close it then, too. */
bool clew_compact_set_open(struct clew_compact_set *set, uint32_t bits, uint64_t most_bytes,
                           struct clew_budget *budget);
void clew_compact_set_close(struct clew_compact_set *set); /* a zeroed one is fine */
/* Makes room for so many insertions. False when the budget refuses; some may find room then. */
bool clew_compact_set_reserve(struct clew_compact_set *set, uint64_t insertions);
/* How many insertions are sure to find room now. */
uint64_t clew_compact_set_room(const struct clew_compact_set *set);

/* Adds those that are not there, in order, and says which: a number that comes twice is new once.
 * There must be room for all of them. It is best if `prefetch` was called for
 * each some time before. */
void clew_compact_set_put(struct clew_compact_set *set, uint32_t count, const uint64_t *numbers,
                          bool *is_new);
/* Asks for the head of the block of a number. */
static inline void clew_compact_set_prefetch(const struct clew_compact_set *set, uint64_t number) {
  const unsigned char *block =
      set->data + (number >> (set->bits - set->block_bits)) * set->block_bytes;
  __builtin_prefetch(block, 1);
  __builtin_prefetch(block + CLEW_COMPACT_SET_HEAD_BYTES - 1, 1);
}
bool clew_compact_set_has(const struct clew_compact_set *set, uint64_t number);

/* All numbers: those of the blocks in increasing order, then those of the spill. */
void clew_compact_set_each(const struct clew_compact_set *set,
                           void (*found)(void *context, uint64_t number), void *context);
uint64_t clew_compact_set_bytes(const struct clew_compact_set *set);
/* Slots of all blocks. */
uint64_t clew_compact_set_slots(const struct clew_compact_set *set);
/* For tests: NULL, or what is wrong. */
const char *clew_compact_set_validate(const struct clew_compact_set *set);

#endif
