/* The blocks of a growing set of numbers (compact_set.h): layout and access.
 *
 * A block is three words of run ends, the last bit of which says whether numbers of this block were
 * spilt, and then the rests, packed. Blocks are not aligned: reading or writing rests may reach
 * a little into the block before or behind, which is left as it is, and before the first and behind
 * the last block there are some bytes for that. */
#ifndef CLEW_STORE_COMPACT_SET_INT_H
#define CLEW_STORE_COMPACT_SET_INT_H

#include "store/compact_set.h"
#include "store/packed_int.h"
#include "store/select_int.h"

enum {
  SET_HOMES = 64,
  SET_HOME_BITS = 6,
  SET_HEAD_WORDS = 3,
  SET_HEAD_BYTES = CLEW_COMPACT_SET_HEAD_BYTES,
  SET_MOST_SLOTS = 127, /* with 64 zeros they leave one bit of the head */
  SET_LEAD_BYTES = 64,  /* before the first block */
  SET_PAD_BYTES = 16,   /* behind the last one */
};

static inline unsigned char *set_block(const struct clew_compact_set *set, uint64_t block) {
  assert(block >> set->block_bits == 0);
  return set->data + block * set->block_bytes;
}

static inline size_t set_block_bytes(uint32_t slots, uint32_t stored_bits) {
  return SET_HEAD_BYTES + ((size_t)slots * stored_bits + 7) / 8;
}

static inline uint64_t head_word(const unsigned char *block, uint32_t word) {
  return load_word(block + word * sizeof(uint64_t));
}

/* The last bit of the head: numbers of the block were spilt. */
static const uint64_t SET_SPILT = UINT64_C(1) << 63;

static inline bool has_spilt(const unsigned char *block) {
  return (head_word(block, SET_HEAD_WORDS - 1) & SET_SPILT) != 0;
}

static inline void set_spilt(unsigned char *block) {
  unsigned char *last = block + (SET_HEAD_WORDS - 1) * sizeof(uint64_t);
  store_word(last, load_word(last) | SET_SPILT);
}

/* A rest has at most 57 bits: it lies within the eight bytes from its first one on. */
static inline uint64_t rest_at(const unsigned char *block, uint32_t slot, uint32_t bits) {
  uint32_t bit = slot * bits;
  return load_word(block + SET_HEAD_BYTES + bit / 8) >> bit % 8 & ((UINT64_C(1) << bits) - 1);
}

static inline void set_rest_at(unsigned char *block, uint32_t slot, uint32_t bits, uint64_t rest) {
  uint32_t bit = slot * bits;
  unsigned char *at = block + SET_HEAD_BYTES + bit / 8;
  uint64_t mask = ((UINT64_C(1) << bits) - 1) << bit % 8;
  assert(rest >> bits == 0 && bits <= 57);
  store_word(at, (load_word(at) & ~mask) | rest << bit % 8);
}

static inline uint32_t numbers_in(bool instructions, const unsigned char *block) {
  return ones_in_word(instructions, head_word(block, 0)) +
         ones_in_word(instructions, head_word(block, 1)) +
         ones_in_word(instructions, head_word(block, 2) & ~SET_SPILT);
}

/* The i-th zero (from 0) of the run ends closes the run of home i. The ones before it are all
 * numbers of the homes 0..i, so the run ends before slot (place of the zero) - i; the ones right
 * below the zero are the run itself. */
struct clew_compact_run {
  uint32_t first, end; /* slots */
};

/* The ones right below word `word` of the head. */
static inline uint32_t ones_below_word(const unsigned char *block, uint32_t word) {
  uint32_t count = 0;
  while (word > 0) {
    uint64_t zeros = ~head_word(block, --word);
    if (zeros != 0) {
      return count + (uint32_t)__builtin_clzll(zeros);
    }
    count += 64;
  }
  return count;
}

/* Which word the zero is in is as good as random: no branch on that. */
static inline __attribute__((always_inline)) struct clew_compact_run
run_of(bool instructions, const unsigned char *block, uint32_t home) {
  uint32_t first_zeros = 64 - ones_in_word(instructions, head_word(block, 0));
  uint32_t two_zeros = first_zeros + 64 - ones_in_word(instructions, head_word(block, 1));
  uint32_t word = (uint32_t)(home >= first_zeros) + (uint32_t)(home >= two_zeros);
  uint32_t before = home >= first_zeros ? first_zeros : 0;
  before = home >= two_zeros ? two_zeros : before;
  uint64_t zeros = ~head_word(block, word);
  uint32_t bit = nth_one_in_word(instructions, zeros, home - before);
  uint64_t below = zeros & ((UINT64_C(1) << bit) - 1);
  uint32_t end = 64 * word + bit - home;
  uint32_t length =
      below != 0 ? bit - 64 + (uint32_t)__builtin_clzll(below) : bit + ones_below_word(block, word);
  return (struct clew_compact_run){end - length, end};
}

/* True if it was not there. There must be room. */
bool clew_compact_set_add(struct clew_compact_set *set, uint64_t number);

/* ---- spill ---- */

/* `before`: the factor of the spill that this one replaces, or 0. */
bool clew_compact_spill_open(struct clew_compact_spill *spill, uint64_t numbers, uint64_t before,
                             struct clew_budget *budget);
void clew_compact_spill_close(struct clew_compact_spill *spill);
uint64_t clew_compact_spill_room(const struct clew_compact_spill *spill);
/* Where a number is or nearly is, for prefetches. */
static inline const void *clew_compact_spill_place(const struct clew_compact_spill *spill,
                                                   uint64_t number) {
  uint64_t mixed = number * spill->factor;
  uint64_t home = (uint64_t)(((unsigned __int128)mixed * spill->slots) >> 64);
  return spill->memory.data + home * sizeof(uint64_t);
}
bool clew_compact_spill_has(const struct clew_compact_spill *spill, uint64_t number);
/* It is not there, and there is room. */
void clew_compact_spill_add(struct clew_compact_spill *spill, uint64_t number);
void clew_compact_spill_each(const struct clew_compact_spill *spill,
                             void (*found)(void *context, uint64_t number), void *context);

#endif
