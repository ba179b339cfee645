/* A set of hash signatures in close to the least memory: a quotient filter with rank and select
 * (Cleary 1984; Pandey et al. 2017), for tables of a fixed size that may be completely full.
 *
 * Signature. A table has `homes` home slots, and takes the upper `hash_bits` bits of a hash, as a
 * number h. The product h * homes is home * 2^hash_bits + fraction: home says where the signature
 * belongs, and the upper `remainder_bits` of the fraction are what is stored. Home and remainder
 * together are the signature: the number floor(h * homes * 2^remainder_bits / 2^hash_bits), so it
 * is uniform if the hash is, and two hashes are taken for the same only if they agree in it.
 * A table uses all 64 bits of the hash and stores as many bits as it is told, or as many as are
 * needed for the whole hash, if that is less (multiples of `homes` lie at least
 * 2^floor(log2(homes)) apart).
 *
 * Memory is the owner's: the functions here never allocate. */
#ifndef CLEW_STORE_COMPACT_TABLE_H
#define CLEW_STORE_COMPACT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLEW_COMPACT_BLOCK_SLOTS = 64 };

struct clew_compact_shape {
  uint64_t homes;
  uint32_t hash_bits;       /* 1..64, of which the signature is made */
  uint32_t remainder_bits;  /* 1..64, stored */
  uint32_t remainder_shift; /* hash_bits - remainder_bits */
  size_t block_bytes;       /* of 64 slots */
};

struct clew_compact_table {
  unsigned char *data; /* borrowed: blocks * shape.block_bytes, zero at first */
  struct clew_compact_shape shape;
  uint64_t blocks; /* at least for all homes; those beyond take what overflows */
  uint64_t count;  /* signatures */
  uint64_t end;    /* behind the last taken slot; 0 when empty */
  bool bit_instructions;
};

/* homes > 0. */
struct clew_compact_shape clew_compact_shape_fixed(uint64_t homes, uint32_t stored_bits);
/* The number of different signatures. */
double clew_compact_shape_signatures(const struct clew_compact_shape *shape);
uint64_t clew_compact_blocks_for(uint64_t slots);

/* An empty table at zeroed memory. */
void clew_compact_table_init(struct clew_compact_table *table,
                             const struct clew_compact_shape *shape, unsigned char *data,
                             uint64_t blocks);
/* How many insertions are sure to find a slot (the table may take more). */
uint64_t clew_compact_table_room(const struct clew_compact_table *table);
/* Asks the processor for what a visit will read after the head of its home's block. */
void clew_compact_table_look_ahead(const struct clew_compact_table *table, uint64_t hash);
bool clew_compact_table_has(const struct clew_compact_table *table, uint64_t hash);
/* True if it was not there. There must be room. */
bool clew_compact_table_add(struct clew_compact_table *table, uint64_t hash);
/* For tests: NULL, or what is wrong. */
const char *clew_compact_table_validate(const struct clew_compact_table *table);

#endif
