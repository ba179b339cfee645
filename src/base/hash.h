/* The one hash of the project: XXH3 over the words of a state. Home-made hashes lose states of
 * small-integer models by the percent; tests/unit/test_hash.c guards whatever stands here. */
#ifndef CLEW_BASE_HASH_H
#define CLEW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t clew_hash_words(const uint64_t *words, uint32_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(words, (size_t)count * sizeof *words, seed);
}

static inline uint64_t clew_hash_bytes(const void *data, size_t bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

struct clew_hash128 {
  uint64_t low, high;
};

static inline struct clew_hash128 clew_hash128_bytes(const void *data, size_t bytes,
                                                     uint64_t seed) {
  XXH128_hash_t h = XXH3_128bits_withSeed(data, bytes, seed);
  return (struct clew_hash128){h.low64, h.high64};
}

#endif
