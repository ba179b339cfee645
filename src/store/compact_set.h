/* A set of numbers of p bits, uniformly spread, that grows: in memory close to the least that such
 * a set takes, and at the speed of a plain hash table.
 *
 * Quotienting (Cleary 1984). The upper bits of a number say which block it belongs to, its home,
 * and only the others are stored. All p bits can be read back: nothing is lost and growing changes
 * no answer.
 *
 * Blocks. A block keeps its numbers in the order in which they came, so an insertion moves nothing.
 * Eight bits of each number, its *tag*, lie together in one line of the cache, and all are compared
 * at once. The other bits, the *rests*, are packed elsewhere; a visit looks at the rests of equal
 * tags only. So it touches two lines, or one if no tag is equal.
 *
 * Neighbours. Blocks are not equally full, and a slot for the fullest would be wasted in all
 * others. A number whose home is full becomes a guest of the block beside it. If that is full, too,
 * the number goes to the *spill*, a small open table of whole numbers, and stays there until the
 * set grows: less than one in eighty.
 *
 * Growing. While the number of blocks stays the same, every block gets a few more slots: rests are
 * copied as they are, and guests and spilt numbers go home. From 62 slots on each block becomes
 * two, and what is stored of a number loses a bit.
 *
 * Memory comes from the budget. Not thread-safe: the owner locks. */
#ifndef CLEW_STORE_COMPACT_SET_H
#define CLEW_STORE_COMPACT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bigmem.h"

enum {
  CLEW_COMPACT_SET_LEAST_BITS = 8,
  CLEW_COMPACT_SET_LINE_BYTES = 64, /* of the tags of a block */
};

/* Numbers whose home and its neighbour are full: open addressing, linear probing. */
struct clew_compact_spill {
  struct clew_bigmem memory;
  uint64_t slots, count;
  uint64_t factor; /* odd: makes homes of numbers */
  bool has_zero;   /* the number 0 would look like a free slot */
};

struct clew_compact_set {
  struct clew_bigmem lines, rests; /* neither moves */
  struct clew_compact_spill spill;
  uint32_t bits;        /* of a number, 8 to 64 */
  uint32_t block_bits;  /* log2 of the number of blocks, at least 1 */
  uint32_t stored_bits; /* of a number: bits - block_bits, 5 to 61 */
  uint32_t rest_bits;   /* of these, what is no tag: 0 to 53 */
  uint32_t slots;       /* of a block, 32 to 62 */
  size_t rests_bytes;   /* of a block */
  uint64_t count;       /* numbers, those of the spill included */
  uint64_t capacity;    /* numbers up to which it need not grow */
  uint32_t growths;
  double growth_s;
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
/* Asks for the tags of the home of a number. */
static inline void clew_compact_set_prefetch(const struct clew_compact_set *set, uint64_t number) {
  uint64_t home = number >> set->stored_bits;
  __builtin_prefetch(set->lines.data + home * CLEW_COMPACT_SET_LINE_BYTES, 1);
}
bool clew_compact_set_has(const struct clew_compact_set *set, uint64_t number);

/* All numbers, in no order that means anything. */
void clew_compact_set_each(const struct clew_compact_set *set,
                           void (*found)(void *context, uint64_t number), void *context);
uint64_t clew_compact_set_bytes(const struct clew_compact_set *set);
/* Slots of all blocks. */
uint64_t clew_compact_set_slots(const struct clew_compact_set *set);
/* For tests: NULL, or what is wrong. */
const char *clew_compact_set_validate(const struct clew_compact_set *set);

#endif
