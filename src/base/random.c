/* xoshiro256** 1.0 by David Blackman and Sebastiano Vigna, its state filled by splitmix64 as they
 * recommend: the state is then never all zero, the one value the generator cannot leave. */
#include "base/random.h"

#include <assert.h>

static uint64_t splitmix64(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, unsigned k) {
  assert(k > 0 && k < 64);
  return (x << k) | (x >> (64 - k));
}

void clew_random_seed(struct clew_random *random, uint64_t seed) {
  for (unsigned i = 0; i < 4; i++) {
    random->s[i] = splitmix64(&seed);
  }
}

uint64_t clew_random_u64(struct clew_random *random) {
  uint64_t *s = random->s;
  assert((s[0] | s[1] | s[2] | s[3]) != 0);
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

uint64_t clew_random_below(struct clew_random *random, uint64_t bound) {
  assert(bound > 0);
  /* 2^64 mod bound values are one too many for a fair modulo: draw again when one comes up. */
  uint64_t surplus = (UINT64_MAX - bound + 1) % bound;
  uint64_t drawn;
  do {
    drawn = clew_random_u64(random);
  } while (drawn < surplus);
  return drawn % bound;
}
