/* Tables that number what they are given: each different key of at most 64 bits gets the next id,
 * and a key is read back by its id. The leaves and the inner nodes of the tree store are such
 * tables.
 *
 * Keys lie one behind the other, by id, each in as many bytes as it takes. A key of an inner node
 * is a pair of ids, `upper` in the upper 32 bits; it is kept as upper << lower_bits | lower, with
 * widths that follow the numbers of ids below. The index is like the exact store's (exact.c):
 * buckets of sixteen 32-bit entries, a tag above id + 1, rebuilt from the keys when it grows.
 *
 * Threads. As in the exact store: an entry is claimed as busy by compare-and-swap, then an id is
 * taken, the key written and the entry published. */
#ifndef CLEW_STORE_TREE_INTERN_INT_H
#define CLEW_STORE_TREE_INTERN_INT_H

#include <assert.h>
#include <stdatomic.h>

#include "base/bigmem.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/lanes.h"
#include "store/spin_int.h"

enum { INTERN_SLACK = 8 }; /* bytes behind the last key that may be read */

struct intern {
  struct clew_bigmem keys, index;
  uint32_t key_bytes;
  bool is_pair;
  uint32_t upper_bits, lower_bits; /* of pairs */
  uint32_t id_bits;
  uint32_t id_mask, tag_mask; /* of an entry */
  uint64_t bucket_count;
  uint64_t room; /* ids without another reserve */
  uint32_t growths;
  /* Threads that insert do not disturb those that read the above. */
  char line_of_count[SPIN_LINE_BYTES];
  _Atomic uint64_t count;
  char last_line[SPIN_LINE_BYTES];
};

/* Keys of `key_bits` bits, or pairs (key_bits = 0), in at most so many bytes. False when there is
 * no memory. */
bool intern_open(struct intern *table, uint32_t key_bits, uint64_t most_bytes,
                 struct clew_budget *budget);
void intern_close(struct intern *table);
/* Nobody else is inside. Room for so many ids in all, and for so many beyond if that costs little;
 * false, with nothing changed, when there is no memory. */
bool intern_reserve(struct intern *table, uint64_t ids, uint64_t some);
/* Pairs of ids below these are about to come. False when there is no memory. */
bool intern_widen(struct intern *table, uint64_t uppers, uint64_t lowers);
uint64_t intern_bytes(const struct intern *table);
/* The id of a key; UINT32_MAX when it has none. */
uint32_t intern_find(const struct intern *table, uint64_t key);
const char *intern_validate(const struct intern *table);

static inline uint64_t intern_count(const struct intern *table) {
  return atomic_load_explicit(&table->count, memory_order_relaxed);
}

static inline uint64_t intern_hash(uint64_t key) {
  return clew_hash_words(&key, 1, 0);
}

static inline unsigned char *intern_bucket(const struct intern *table, uint64_t hash) {
  uint64_t bucket = (uint64_t)(((unsigned __int128)hash * table->bucket_count) >> 64);
  return table->index.data + bucket * CLEW_LANES_BYTES;
}

/* A key as it is kept. */
static inline uint64_t intern_pack(const struct intern *table, uint64_t key) {
  if (!table->is_pair) {
    return key;
  }
  assert(key >> 32 >> table->upper_bits == 0 && (key & UINT32_MAX) >> table->lower_bits == 0);
  return key >> 32 << table->lower_bits | (uint32_t)key;
}

static inline uint64_t intern_kept(const struct intern *table, uint64_t id) {
  uint64_t kept = 0;
  const unsigned char *at = table->keys.data + id * table->key_bytes;
#if CLEW_WHOLE_LINES && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  __builtin_memcpy(&kept, at, sizeof kept);
  return kept & clew_bits_mask(table->key_bytes * 8);
#else
  for (uint32_t i = 0; i < table->key_bytes; i++) {
    kept |= (uint64_t)at[i] << i * 8;
  }
  return kept;
#endif
}

static inline uint64_t intern_key(const struct intern *table, uint64_t id) {
  uint64_t kept = intern_kept(table, id);
  assert(id < intern_count(table));
  if (!table->is_pair) {
    return kept;
  }
  return kept >> table->lower_bits << 32 | (kept & clew_bits_mask(table->lower_bits));
}

/* The key is not in the home bucket as far as this thread sees. */
uint32_t intern_add(struct intern *table, uint64_t key, uint64_t hash, bool shared);

/* The id of a key, which is new or not. There is room. */
static inline uint32_t intern_id(struct intern *table, uint64_t key, uint64_t hash, bool shared) {
  const unsigned char *bucket = intern_bucket(table, hash);
  uint64_t kept = intern_pack(table, key);
  uint32_t matches =
      clew_lanes_scan(bucket, (uint32_t)(hash << table->id_bits), table->tag_mask).matches;
  for (; matches != 0; matches &= matches - 1) {
    uint32_t entry = atomic_load_explicit((const _Atomic uint32_t *)(const void *)bucket +
                                              __builtin_ctz(matches),
                                          memory_order_acquire);
    uint32_t number = entry & table->id_mask;
    if (number != table->id_mask && intern_kept(table, number - 1) == kept) {
      return number - 1;
    }
  }
  return intern_add(table, key, hash, shared);
}

#endif
