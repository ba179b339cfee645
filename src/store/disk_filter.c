/* A filter over the keys in the runs of the disk store: what it does not know is surely new.
 *
 * A blocked Bloom filter (Putze, Sanders and Singler 2007): the bits of a key are all in one block
 * of 512, a cache line. Keys may be signatures whose low bits are zero, and they come in ascending
 * order; so they are mixed first. The block comes from the upper bits of the mixed key, the four
 * places in it from 36 lower ones.
 *
 * Its memory is taken from the budget when the first keys are announced. It cannot grow, and keys
 * cannot be removed: with more than a key for each 4 bits, when it is wrong for one new key of six,
 * or when there is no memory, it is dropped for good. disk_runs.c has figures. */
#include <assert.h>

#include "store/disk_int.h"

enum {
  BLOCK_BYTES = 64,
  BLOCK_WORDS = BLOCK_BYTES / 8,
  BITS_PER_KEY = 4,
  POSITION_BITS = 9,
  /* (1 - exp(-4 n / 512))^4 = 0.16 for n = 128. */
  MOST_KEYS_PER_BLOCK = 128,
};

bool clew_disk_filter_open(struct clew_disk_filter *f, uint64_t memory_bytes,
                           struct clew_budget *budget) {
  assert(f != NULL);
  *f = (struct clew_disk_filter){.blocks = memory_bytes / BLOCK_BYTES};
  return f->blocks == 0 || clew_bigmem_open(&f->memory, f->blocks * BLOCK_BYTES, budget);
}

void clew_disk_filter_close(struct clew_disk_filter *f) {
  assert(f != NULL);
  clew_bigmem_close(&f->memory);
  *f = (struct clew_disk_filter){0};
}

void clew_disk_filter_announce(struct clew_disk_filter *f, uint64_t keys) {
  assert(keys > 0);
  if (f->blocks == 0) {
    return;
  }
  f->keys += keys;
  if (f->keys > f->blocks * MOST_KEYS_PER_BLOCK ||
      !clew_bigmem_commit(&f->memory, f->blocks * BLOCK_BYTES)) {
    clew_disk_filter_close(f);
  }
  assert(clew_disk_filter_is_on(f) != clew_disk_filter_is_off(f));
}

static inline uint64_t mix(uint64_t key) {
  key ^= key >> 32;
  key *= UINT64_C(0xd6e8feb86659fd93);
  key ^= key >> 32;
  key *= UINT64_C(0xd6e8feb86659fd93);
  return key ^ key >> 32;
}

static inline uint64_t *block_of(const struct clew_disk_filter *f, uint64_t mixed) {
  uint64_t block = (uint64_t)(((unsigned __int128)mixed * f->blocks) >> 64);
  return (uint64_t *)(void *)f->memory.data + block * BLOCK_WORDS;
}

void clew_disk_filter_add(struct clew_disk_filter *f, uint64_t key) {
  assert(key != CLEW_DISK_NO_KEY);
  if (!clew_disk_filter_is_on(f)) {
    return;
  }
  uint64_t mixed = mix(key), *block = block_of(f, mixed);
  for (uint32_t i = 0; i < BITS_PER_KEY; i++, mixed >>= POSITION_BITS) {
    block[mixed / 64 % BLOCK_WORDS] |= UINT64_C(1) << (mixed % 64);
  }
}

bool clew_disk_filter_may_have(const struct clew_disk_filter *f, uint64_t key) {
  assert(clew_disk_filter_is_on(f));
  uint64_t mixed = mix(key), all = 1;
  const uint64_t *block = block_of(f, mixed);
  for (uint32_t i = 0; i < BITS_PER_KEY; i++, mixed >>= POSITION_BITS) {
    all &= block[mixed / 64 % BLOCK_WORDS] >> (mixed % 64);
  }
  return all != 0;
}

void clew_disk_filter_prefetch(const struct clew_disk_filter *f, uint64_t key) {
  assert(clew_disk_filter_is_on(f));
  __builtin_prefetch(block_of(f, mix(key)));
}
