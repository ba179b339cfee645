/* Reproducible random numbers (xoshiro256**, seeded through splitmix64). */
#ifndef CLEW_BASE_RANDOM_H
#define CLEW_BASE_RANDOM_H

#include <stdint.h>

struct clew_random {
  uint64_t s[4];
};

void clew_random_seed(struct clew_random *random, uint64_t seed);
uint64_t clew_random_u64(struct clew_random *random);
uint64_t clew_random_below(struct clew_random *random, uint64_t bound); /* unbiased; bound > 0 */

#endif
