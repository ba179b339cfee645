/* Keys of pairs of ids (tree_root_int.h): bijections between pairs and (shard, number of some
 * bits), which spread whatever pairs there are evenly. */
#ifndef CLEW_STORE_TREE_KEY_INT_H
#define CLEW_STORE_TREE_KEY_INT_H

#include <assert.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/hash.h"

enum { TREE_MOST_KEY_BITS = 60 };

/* Odd, so multiplication by them is a bijection of the numbers below any power of two. */
#define TREE_FACTOR_1 UINT64_C(0x9e3779b97f4a7c15)
#define TREE_FACTOR_2 UINT64_C(0xd6e8feb86659fd93)
#define TREE_FACTOR_3 UINT64_C(0xc2b2ae3d27d4eb4f)
/* Their inverses modulo 2^64. */
#define TREE_INVERSE_1 UINT64_C(0xf1de83e19937733d)
#define TREE_INVERSE_2 UINT64_C(0xcfee444d8b59a89b)
#define TREE_INVERSE_3 UINT64_C(0xba79078168d4baf)
static_assert(TREE_FACTOR_1 * TREE_INVERSE_1 == 1, "they cancel out");
static_assert(TREE_FACTOR_2 * TREE_INVERSE_2 == 1, "they cancel out");
static_assert(TREE_FACTOR_3 * TREE_INVERSE_3 == 1, "they cancel out");

struct tree_keys {
  uint32_t shard_bits;
  uint32_t bits;                  /* of a key */
  uint64_t left_most, right_most; /* ids are below */
  uint64_t rights;                /* of one shard; left_most * rights <= 2^bits */
  uint64_t reciprocal;            /* 2^64 / rights, rounded up; 0 for 1 */
};

/* A permutation of the numbers of `bits` bits. A product has the influence of all lower bits in its
 * upper ones; the shift brings those back down. */
static inline uint64_t tree_permute(uint64_t x, uint32_t bits) {
  uint64_t mask = clew_bits_mask(bits);
  uint32_t shift = (bits + 1) / 2;
  assert((x & ~mask) == 0);
  x = x * TREE_FACTOR_1 & mask;
  x ^= x >> shift;
  x = x * TREE_FACTOR_2 & mask;
  x ^= x >> shift;
  return x * TREE_FACTOR_3 & mask;
}

static inline uint64_t tree_unpermute(uint64_t x, uint32_t bits) {
  uint64_t mask = clew_bits_mask(bits);
  uint32_t shift = (bits + 1) / 2;
  x = x * TREE_INVERSE_3 & mask;
  x ^= x >> shift; /* its own inverse: the shift is at least half of the bits */
  x = x * TREE_INVERSE_2 & mask;
  x ^= x >> shift;
  return x * TREE_INVERSE_1 & mask;
}

/* Which of the shards: everything but the low bits of `right` decides by how much these are
 * changed. It does not depend on how many ids there are. */
static inline uint32_t tree_shard_mask(const struct tree_keys *keys, uint64_t left, uint64_t high) {
  uint64_t rest = left << 32 | high;
  return (uint32_t)(clew_hash_words(&rest, 1, 0) & clew_bits_mask(keys->shard_bits));
}

static inline uint64_t tree_key_of(const struct tree_keys *keys, uint32_t left, uint32_t right,
                                   uint32_t *shard) {
  assert(left < keys->left_most && right < keys->right_most);
  uint64_t high = right >> keys->shard_bits;
  *shard = (right & (uint32_t)clew_bits_mask(keys->shard_bits)) ^ tree_shard_mask(keys, left, high);
  return tree_permute(left * keys->rights + high, keys->bits);
}

static inline void tree_pair_of(const struct tree_keys *keys, uint64_t key, uint32_t shard,
                                uint32_t *left, uint32_t *right) {
  uint64_t x = tree_unpermute(key, keys->bits);
  /* The quotient, or one more: the reciprocal is too large by less than 1, and x is below 2^64. */
  uint64_t quotient =
      keys->rights == 1 ? x : (uint64_t)(((unsigned __int128)x * keys->reciprocal) >> 64);
  quotient -= quotient * keys->rights > x;
  uint64_t high = x - quotient * keys->rights;
  assert(high < keys->rights);
  *left = (uint32_t)quotient;
  *right = (uint32_t)(high << keys->shard_bits | (shard ^ tree_shard_mask(keys, *left, high)));
  assert(*left < keys->left_most && *right < keys->right_most);
}

#endif
