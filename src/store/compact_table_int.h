/* The blocks of a signature table (compact_table.h): layout and access.
 *
 * A block of 64 slots is: a 32-bit offset, 64 occupied bits (bit i: some signature has home i of
 * this block), 64 run-end bits (bit i: slot i holds the last signature of its home), 64 remainders.
 * Nothing is aligned, so that a slot costs its remainder and 2.5 bits. */
#ifndef CLEW_STORE_COMPACT_TABLE_INT_H
#define CLEW_STORE_COMPACT_TABLE_INT_H

#include "store/compact_table.h"
#include "store/packed_int.h"

enum { BLOCK_SLOTS = CLEW_COMPACT_BLOCK_SLOTS, OCCUPIED_AT = 4, RUN_ENDS_AT = 12, HEAD_BYTES = 20 };

static inline unsigned char *block_at(const struct clew_compact_table *t, uint64_t block) {
  assert(block < t->blocks);
  return t->data + block * t->shape.block_bytes;
}

static inline uint64_t offset_of(const unsigned char *block) {
  uint32_t offset;
  memcpy(&offset, block, sizeof offset);
  return offset;
}

static inline void set_offset(unsigned char *block, uint64_t offset) {
  assert(offset <= UINT32_MAX);
  uint32_t narrow = (uint32_t)offset;
  memcpy(block, &narrow, sizeof narrow);
}

static inline uint64_t occupied_of(const unsigned char *block) {
  return load_word(block + OCCUPIED_AT);
}

static inline uint64_t run_ends_of(const unsigned char *block) {
  return load_word(block + RUN_ENDS_AT);
}

/* A remainder never reaches beyond its block: 64 of them are whole words. */
static inline uint64_t remainder_in(const unsigned char *block, uint32_t slot, uint32_t bits) {
  return packed_field(block + HEAD_BYTES, slot, bits);
}

static inline void set_remainder_in(unsigned char *block, uint32_t slot, uint32_t bits,
                                    uint64_t value) {
  set_packed_field(block + HEAD_BYTES, slot, bits, value);
}

struct clew_compact_place {
  uint64_t home, remainder;
};

static inline struct clew_compact_place place_of(const struct clew_compact_shape *shape,
                                                 uint64_t number) {
  unsigned __int128 product = (unsigned __int128)number * shape->homes;
  uint64_t fraction = (uint64_t)product & clew_bits_mask(shape->hash_bits);
  return (struct clew_compact_place){(uint64_t)(product >> shape->hash_bits),
                                     fraction >> shape->remainder_shift};
}

#endif
