/* The memory of the exact store (exact.c): where states and index entries are, and how they are
 * read while other threads write. */
#ifndef CLEW_STORE_EXACT_INDEX_INT_H
#define CLEW_STORE_EXACT_INDEX_INT_H

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/bigmem.h"
#include "base/lanes.h"
#include "store/packed_int.h"
#include "store/spin_int.h"
#include "store/store.h"

enum {
  NARROW_ENTRIES = 16,
  WIDE_ENTRIES = 8,
  BUCKET_BYTES = 64,
  WIDE_ID_BITS = 40,
  SLACK = 8 /* bytes behind the last state that may be read */
};

/* id + 1 and the busy mark share the bits of an entry. */
#define NARROW_STATES (UINT64_C(0xffffffff) - 1)
#define MAX_STATES (CLEW_ID_LIMIT - 2)
/* For functions with a parameter that is a constant wherever they are called: `wide` (the entries
 * are) or `shared` (other threads are inside). They are compiled once for each, so that a visit
 * tests neither. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef _Atomic uint32_t narrow_entry;
typedef _Atomic uint64_t wide_entry;
static_assert(sizeof(narrow_entry) * NARROW_ENTRIES == BUCKET_BYTES, "a bucket is a cache line");
static_assert(sizeof(wide_entry) * WIDE_ENTRIES == BUCKET_BYTES, "a bucket is a cache line");
static_assert(CLEW_ID_LIMIT >> WIDE_ID_BITS == 1, "every id fits");

struct exact {
  struct clew_store base;
  struct clew_bigmem arena, index;
  size_t state_bytes; /* in the arena */
  uint64_t tail_mask; /* of the last word: what is in the arena */
  uint64_t bucket_count;
  uint64_t id_mask, tag_mask; /* of an entry */
  uint32_t id_bits;
  bool wide;
  uint64_t narrow_states; /* with more the index is wide */
  uint64_t room;          /* states that fit without another reserve */
  uint32_t growths;
  double growth_s;
  /* Threads that insert, or end a batch, do not disturb those that read the above. */
  char line_of_count[SPIN_LINE_BYTES];
  _Atomic uint64_t count;
  char line_of_counters[SPIN_LINE_BYTES];
  _Atomic uint64_t visits, overflows, mismatches;
  char last_line[SPIN_LINE_BYTES];
};

static inline uint64_t count_of(const struct exact *x) {
  return atomic_load_explicit(&x->count, memory_order_relaxed);
}

/* ---- places ---- */

static inline uint64_t home_bucket(const struct exact *x, uint64_t hash) {
  return (uint64_t)(((unsigned __int128)hash * x->bucket_count) >> 64);
}

static inline uint64_t next_bucket(const struct exact *x, uint64_t bucket) {
  assert(bucket < x->bucket_count);
  return bucket + 1 < x->bucket_count ? bucket + 1 : 0;
}

/* The first bucket of the probe sequence of a hash; below the number of buckets by arithmetic. */
static inline unsigned char *home_of(const struct exact *x, uint64_t hash) {
  return x->index.data + home_bucket(x, hash) * BUCKET_BYTES;
}

static inline unsigned char *bucket_at(const struct exact *x, uint64_t bucket) {
  assert(bucket < x->bucket_count);
  return x->index.data + bucket * BUCKET_BYTES;
}

ALWAYS_INLINE unsigned char *entry_at(unsigned char *bucket, uint32_t i, bool wide) {
  return bucket + i * (wide ? sizeof(wide_entry) : sizeof(narrow_entry));
}

ALWAYS_INLINE uint64_t load_entry(const unsigned char *entry, bool wide) {
  return wide ? atomic_load_explicit((const wide_entry *)(const void *)entry, memory_order_acquire)
              : atomic_load_explicit((const narrow_entry *)(const void *)entry,
                                     memory_order_acquire);
}

ALWAYS_INLINE void publish_entry(unsigned char *entry, uint64_t value, bool wide) {
  if (wide) {
    atomic_store_explicit((wide_entry *)(void *)entry, value, memory_order_release);
  } else {
    atomic_store_explicit((narrow_entry *)(void *)entry, (uint32_t)value, memory_order_release);
  }
}

/* False if another thread has claimed it. */
ALWAYS_INLINE bool claim_entry(unsigned char *entry, uint64_t value, bool wide) {
  assert(value != 0);
  uint64_t wide_empty = 0;
  uint32_t narrow_empty = 0;
  return wide ? atomic_compare_exchange_strong_explicit((wide_entry *)(void *)entry, &wide_empty,
                                                        value, memory_order_acquire,
                                                        memory_order_relaxed)
              : atomic_compare_exchange_strong_explicit((narrow_entry *)(void *)entry,
                                                        &narrow_empty, (uint32_t)value,
                                                        memory_order_acquire, memory_order_relaxed);
}

ALWAYS_INLINE uint64_t tag_of(const struct exact *x, uint64_t hash, bool wide) {
  uint64_t tag = hash << x->id_bits;
  return wide ? tag : (uint32_t)tag;
}

static inline unsigned char *state_at(const struct exact *x, clew_id id) {
  return x->arena.data + id * x->state_bytes;
}

/* The last word of a state. What lies behind it is the next one's, which another thread may be
 * writing; hence also the slack behind the arena's last state. */
static inline uint64_t load_last_word(const struct exact *x, const unsigned char *at) {
#if CLEW_WHOLE_LINES
  return load_word(at) & x->tail_mask;
#else
  uint64_t word = 0;
  memcpy(&word, at, x->state_bytes - (x->base.config.words - 1) * sizeof word);
  return word;
#endif
}

static inline void unpack(const struct exact *x, const unsigned char *from, uint64_t *to) {
  uint32_t last = x->base.config.words - 1;
  for (uint32_t i = 0; i < last; i++) {
    to[i] = load_word(from + i * sizeof *to);
  }
  to[last] = load_last_word(x, from + last * sizeof *to);
}

/* As struct clew_lanes (base/lanes.h), which is about narrow entries. */
struct scan {
  uint32_t matches, empties;
};

static inline struct scan scan_narrow(const unsigned char *bucket, uint32_t tag,
                                      uint32_t tag_mask) {
  struct clew_lanes lanes = clew_lanes_scan(bucket, tag, tag_mask);
  return (struct scan){lanes.matches, lanes.empties};
}

static inline struct scan scan_wide(const unsigned char *bucket, uint64_t tag, uint64_t tag_mask) {
  const wide_entry *entries = (const wide_entry *)(const void *)bucket;
  struct scan scan = {0, 0};
  for (uint32_t i = 0; i < WIDE_ENTRIES; i++) {
    uint64_t entry = atomic_load_explicit(entries + i, memory_order_relaxed);
    scan.matches |= (uint32_t)((entry & tag_mask) == tag && entry != 0) << i;
    scan.empties |= (uint32_t)(entry == 0) << i;
  }
  return scan;
}

ALWAYS_INLINE struct scan scan_bucket(const struct exact *x, const unsigned char *bucket,
                                      uint64_t tag, bool wide) {
  return wide ? scan_wide(bucket, tag, x->tag_mask)
              : scan_narrow(bucket, (uint32_t)tag, (uint32_t)x->tag_mask);
}

/* ---- the order of a bucket ---- */

/* Where the probe sequence of a hash begins in every bucket: bits that neither the bucket nor, in
 * all but the smallest indices, the tag is made of. */
ALWAYS_INLINE uint32_t first_entry(uint64_t hash, bool wide) {
  return (uint32_t)(hash >> 32) & (wide ? WIDE_ENTRIES - 1 : NARROW_ENTRIES - 1);
}

/* The scan with bit i for the entry number i of the sequence. Behind an empty one there is none of
 * this hash: so a few bits of the hash tell entries apart that tags have no room for. */
ALWAYS_INLINE struct scan in_sequence(struct scan scan, uint32_t first, bool wide) {
  uint32_t entries = wide ? WIDE_ENTRIES : NARROW_ENTRIES, all = (1u << entries) - 1;
  uint32_t matches = (scan.matches >> first | scan.matches << (entries - first)) & all;
  uint32_t empties = (scan.empties >> first | scan.empties << (entries - first)) & all;
  return (struct scan){matches & ((empties & -empties) - 1), empties};
}

/* The place in the bucket of the first of them. */
ALWAYS_INLINE uint32_t place_of_first(uint32_t bits, uint32_t first, bool wide) {
  assert(bits != 0);
  return ((uint32_t)__builtin_ctz(bits) + first) & (wide ? WIDE_ENTRIES - 1 : NARROW_ENTRIES - 1);
}

/* The id in a taken entry; waits while the entry is busy. */
ALWAYS_INLINE clew_id entry_id(const struct exact *x, const unsigned char *entry, bool wide) {
  uint64_t number = load_entry(entry, wide) & x->id_mask;
  for (unsigned spins = 1; __builtin_expect(number == x->id_mask, 0); spins++) {
    spin_pause(spins);
    number = load_entry(entry, wide) & x->id_mask;
  }
  assert(number > 0);
  return number - 1;
}

#endif
