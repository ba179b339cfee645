/* The options of the cache store; zeroed: all defaults. */
#ifndef CLEW_STORE_CACHE_OPTIONS_H
#define CLEW_STORE_CACHE_OPTIONS_H

#include <stdint.h>

struct clew_cache_options {
  uint64_t hash_bits;              /* of a signature, 2 to 64; 0: full states */
  uint64_t entries, cache_entries; /* the size in states: the second counts more; 0: the budget's */
  double max_collision_rate;       /* above 0, at most 1; 0: 0.9 */
};

#endif
