/* The root of the tree store: a set of pairs (left, right) of dense ids, in a little more than the
 * least memory that a set of so many pairs can take. Nothing of a pair is ever lost.
 *
 * Numbers. A pair first chooses its *shard* p: the low bits of `right`, mixed with a hash of all
 * the rest, so `right` can be had back from p and the rest. Inside a shard the pair is the number
 * x = left * rights + (right >> shard_bits), below 2^bits; its *key* is a permutation of x. Both
 * maps are bijections, as long as the ids stay below left_most and right_most.
 *
 * Places. The upper bits of a key are its *home*, the lower `remainder_bits` are stored. A block is
 * one cache line for `quotients` homes and at most `slots` pairs:
 *
 *   | homes in unary: a one for each pair, then a zero | remainders, in the same order | lock |
 *     quotients + slots bits                             slots * remainder_bits        1 bit
 *
 * An empty block is all zeros. A pair whose block is full goes to the *spill*, a plain table of
 * whole pairs. Blocks are planned so that about one pair in a hundred does.
 *
 * Growth. Keys do not depend on the number of blocks, and their order is the order of blocks. So
 * the table grows shard by shard from the end, in place: a shard is read into a buffer in the order
 * of keys and written again. When ids outgrow left_most or right_most the keys change, but shards
 * do not: the same pass then puts the pairs of a shard one by one. The buffer is all the memory it
 * takes besides: a 256th of the pairs in a large table.
 *
 * Threads. A shared table locks a block by a bit of its own; the spill takes pairs by
 * compare-and-swap, and all pairs of a block are looked up under its lock. */
#ifndef CLEW_STORE_TREE_ROOT_INT_H
#define CLEW_STORE_TREE_ROOT_INT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bigmem.h"
#include "base/counters.h"
#include "base/crew.h"
#include "store/tree_key_int.h"

enum {
  TREE_BLOCK_WORDS = 8,
  TREE_BLOCK_BITS = 511, /* the last one is the lock */
};

struct tree_shape {
  struct tree_keys keys;
  uint32_t remainder_bits, quotients, slots;
  uint32_t fields_at; /* quotients + slots */
  uint64_t magic;     /* divides a home by `quotients` */
  uint64_t blocks;    /* of one shard */
  uint64_t capacity;  /* pairs, of all shards, beyond which it should grow */
};

struct tree_root {
  struct clew_budget *budget; /* borrowed */
  struct clew_crew *crew;     /* borrowed, or NULL */
  struct clew_bigmem blocks, spill;
  struct tree_shape shape;
  bool tight;
  bool fast; /* the processor has the instructions for bits */
  uint64_t spill_slots, spill_limit;
  uint32_t growths, rekeys;
  double growth_s;
  _Atomic uint64_t spilled;
};

/* Where a pair belongs. */
struct tree_place {
  uint64_t block; /* of all shards */
  uint32_t quotient;
  uint64_t remainder;
};

/* An empty set, for ids below these; false when there is no memory. `tight`: it leaves no room to
 * spare, so that it changes shape again and again (for tests). */
bool tree_root_open(struct tree_root *root, struct clew_budget *budget, struct clew_crew *crew,
                    uint64_t lefts, uint64_t rights, bool tight);
void tree_root_close(struct tree_root *root);
/* Nobody else is inside. Makes room for `more` pairs beyond the `count` that are there, of ids
 * below `lefts` and `rights`. False when there is no memory: then nothing has changed. */
bool tree_root_reserve(struct tree_root *root, uint64_t count, uint64_t more, uint64_t lefts,
                       uint64_t rights);
/* How many pairs are sure to find a place. */
uint64_t tree_root_room(const struct tree_root *root);
uint64_t tree_root_bytes(const struct tree_root *root);
/* Whether the pair was not there; it is now. There is room. */
bool tree_root_add_slowly(struct tree_root *root, uint32_t left, uint32_t right, bool shared);
/* The pairs of the root, in no particular order that a caller may rely on; false ends it. Nobody
 * else is inside. False when the callback said so. */
bool tree_root_each(const struct tree_root *root,
                    bool (*pair)(void *context, uint32_t left, uint32_t right), void *context);
/* NULL, or what is wrong; `count` pairs should be there. */
const char *tree_root_validate(const struct tree_root *root, uint64_t count);

/* ---- blocks ---- */

/* The instructions are named where they are used because the program is compiled for every
 * processor of the architecture. */
static inline uint32_t tree_ones(uint64_t word, bool fast) {
#if defined(__x86_64__)
  if (fast) {
    uint64_t count;
    __asm__("popcntq %1, %0" : "=r"(count) : "r"(word) : "cc");
    return (uint32_t)count;
  }
#endif
  (void)fast;
  return (uint32_t)__builtin_popcountll(word);
}

/* The place of the (n + 1)-th bit that is set; there are as many. */
static inline uint32_t tree_nth_one(uint64_t word, uint32_t n, bool fast) {
#if defined(__x86_64__)
  if (fast) {
    uint64_t bit;
    __asm__("pdepq %2, %1, %0" : "=r"(bit) : "r"(UINT64_C(1) << n), "r"(word));
    return (uint32_t)__builtin_ctzll(bit);
  }
#endif
  (void)fast;
  for (; n > 0; n--) {
    word &= word - 1;
  }
  return (uint32_t)__builtin_ctzll(word);
}

/* The place behind the n-th zero; 0 for n = 0. In which of the first words it is is as good as
 * random, so nothing branches on it. */
static inline uint32_t tree_behind_zeros(const uint64_t *words, uint32_t n, bool fast) {
  enum { FIRST = 4 };
  if (n == 0) {
    return 0;
  }
  uint32_t before[FIRST + 1];
  before[0] = 0;
  for (uint32_t i = 0; i < FIRST; i++) {
    before[i + 1] = before[i] + tree_ones(~words[i], fast);
  }
  uint32_t i = (uint32_t)(n > before[1]) + (uint32_t)(n > before[2]) + (uint32_t)(n > before[3]);
  if (__builtin_expect(n > before[FIRST], 0)) {
    n -= before[FIRST];
    for (i = FIRST; n > tree_ones(~words[i], fast); i++) {
      n -= tree_ones(~words[i], fast);
      assert(i + 1 < TREE_BLOCK_WORDS);
    }
  } else {
    n -= before[i];
  }
  return i * 64 + tree_nth_one(~words[i], n - 1, fast) + 1;
}

/* Bits from `at` on, at least as many as are asked for and are there. */
static inline uint64_t tree_window(const uint64_t *words, uint32_t at) {
  uint32_t first = at / 64, shift = at % 64;
  assert(first < TREE_BLOCK_WORDS);
  uint32_t second = first + 1 < TREE_BLOCK_WORDS ? first + 1 : first;
  return words[first] >> shift | words[second] << 1 << (63 - shift);
}

static inline uint64_t tree_remainder_at(const struct tree_shape *shape, const uint64_t *words,
                                         uint32_t slot) {
  assert(slot < shape->slots);
  if (shape->remainder_bits == 0) {
    return 0;
  }
  return tree_window(words, shape->fields_at + slot * shape->remainder_bits) &
         clew_bits_mask(shape->remainder_bits);
}

static inline __attribute__((always_inline)) struct tree_place
tree_root_place(const struct tree_shape *shape, uint32_t left, uint32_t right) {
  uint32_t shard;
  uint64_t key = tree_key_of(&shape->keys, left, right, &shard);
  uint64_t home = key >> shape->remainder_bits;
  uint64_t block = (uint64_t)(((unsigned __int128)home * shape->magic) >> 64);
  return (struct tree_place){.block = shard * shape->blocks + block,
                             .quotient = (uint32_t)(home - block * shape->quotients),
                             .remainder = key & clew_bits_mask(shape->remainder_bits)};
}

static inline uint64_t *tree_block_at(const struct tree_root *root, uint64_t block) {
  return (uint64_t *)(void *)root->blocks.data + block * TREE_BLOCK_WORDS;
}

/* Where the pairs of a home begin in the unary part. */
static inline uint32_t tree_run_of(const uint64_t *words, uint32_t quotient, bool fast) {
  return tree_behind_zeros(words, quotient, fast);
}

/* Whether the block has the pair, whose run begins at `at`. Most homes have two pairs at most,
 * which are compared without branching. */
static inline bool tree_block_has(const struct tree_shape *shape, const uint64_t *words,
                                  const struct tree_place *place, uint32_t at) {
  uint32_t slot = at - place->quotient, bits = shape->remainder_bits;
  uint64_t behind = ~tree_window(words, at); /* a zero ends the run */
  if (__builtin_expect((behind & 7) != 0 && bits <= 32, 1)) {
    uint64_t fields = tree_window(words, shape->fields_at + slot * bits);
    uint64_t mask = clew_bits_mask(bits);
    bool first = (fields & mask) == place->remainder;
    bool second = (fields >> bits & mask) == place->remainder;
    return ((behind & 1) == 0) & (first | (((behind & 2) == 0) & second));
  }
  while (at < shape->fields_at && (words[at / 64] >> at % 64 & 1) != 0) {
    if (tree_remainder_at(shape, words, slot) == place->remainder) {
      return true;
    }
    at++;
    slot++;
  }
  return false;
}

/* The pair is not in its block: puts it there, or into the spill unless it is there. True: it is
 * new. Nobody else is inside. */
bool tree_root_insert(struct tree_root *root, const struct tree_place *place, uint32_t at,
                      uint32_t left, uint32_t right);
/* The whole of it where others are inside. */
bool tree_root_add_shared(struct tree_root *root, const struct tree_place *place, uint32_t left,
                          uint32_t right);

/* Whether the pair was not there; it is now. There is room. */
static inline __attribute__((always_inline)) bool tree_root_add(struct tree_root *root,
                                                                const struct tree_place *place,
                                                                uint32_t left, uint32_t right,
                                                                bool shared, bool fast) {
  if (shared) {
    return tree_root_add_shared(root, place, left, right);
  }
  const uint64_t *words = tree_block_at(root, place->block);
  uint32_t at = tree_run_of(words, place->quotient, fast);
  return !tree_block_has(&root->shape, words, place, at) &&
         tree_root_insert(root, place, at, left, right);
}

#endif
