/* Groups of 64 fields of equal width, 1 to 64 bits, packed without gaps: as many 64-bit words as a
 * field has bits. The words need not be aligned; a field may straddle two of them. Whether it does
 * is as good as random for who looks up a hash, so nothing here branches on it: the second word is
 * always touched, and the last one in its place where there is none. */
#ifndef CLEW_STORE_PACKED_INT_H
#define CLEW_STORE_PACKED_INT_H

#include <assert.h>
#include <string.h>

#include "base/bits.h"

static inline uint64_t load_word(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static inline void store_word(unsigned char *at, uint64_t word) {
  memcpy(at, &word, sizeof word);
}

static inline size_t packed_second_word(uint32_t first_bit, uint32_t bits) {
  uint32_t next = first_bit / 64 + 1;
  return (next < bits ? next : bits - 1) * sizeof(uint64_t);
}

static inline uint64_t packed_field(const unsigned char *group, uint32_t index, uint32_t bits) {
  assert(index < 64);
  uint32_t first_bit = index * bits, shift = first_bit % 64;
  uint64_t low = load_word(group + first_bit / 64 * sizeof(uint64_t));
  uint64_t high = load_word(group + packed_second_word(first_bit, bits));
  return (low >> shift | high << 1 << (63 - shift)) & clew_bits_mask(bits);
}

static inline void set_packed_field(unsigned char *group, uint32_t index, uint32_t bits,
                                    uint64_t value) {
  assert(index < 64 && (value & ~clew_bits_mask(bits)) == 0);
  uint32_t first_bit = index * bits, shift = first_bit % 64;
  uint64_t mask = clew_bits_mask(bits);
  unsigned char *low = group + first_bit / 64 * sizeof(uint64_t);
  unsigned char *high = group + packed_second_word(first_bit, bits);
  store_word(low, (load_word(low) & ~(mask << shift)) | value << shift);
  store_word(high, (load_word(high) & ~(mask >> 1 >> (63 - shift))) | value >> 1 >> (63 - shift));
}

#endif
