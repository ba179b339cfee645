/* The compact store without quotienting: hash compaction as published (Stern and Dill 1995, 1996),
 * to compare with. Open addressing; a slot holds B bits of the hash and nothing of its place.
 *
 * A state is seen if any occupied slot on its way to the first empty one holds the same B bits, so
 * unlike in the quotienting table (compact_table.h) each slot on the way is another chance to be
 * wrong, and a fuller table leaves out more. The way is double hashing: the first slot and the step
 * come from a hash of the hash, so they are independent of the signature, and as the number of
 * slots is prime every step leads past all of them. Linear probing would make the ways longer, and
 * they are what counts here.
 *
 * Layout. A block of 64 slots is a word of occupied bits and 64 signatures: B + 1 bits for a slot.
 * (An empty slot could be told by a reserved signature; with 2 bits that would cost a quarter of
 * them.) What is stored is never moved or removed.
 *
 * Size. The least prime from `entries` on; without that the largest that seven eighths of the
 * budget hold. It cannot grow, as that takes the whole hash. All slots can be taken, and the state
 * for which there is none is answered FULL.
 *
 * Omissions (store/omission.h): a state that passes k occupied slots is left out with probability
 * 1 - (1 - 2^-B)^k. Those that insertions passed are counted, which gives the chance that nothing
 * was left out; the expected number follows from how full the table was at each. States of the same
 * 64-bit hash are never told apart, which is what remains with B = 64. */
#include <assert.h>
#include <math.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/hash.h"
#include "store/compact_int.h"
#include "store/packed_int.h"

enum { BLOCK_SLOTS = 64, HEAD_BYTES = 8, PLACE_SEED = 1 };

struct plain {
  struct clew_store base;
  struct clew_bigmem memory;
  uint64_t slots; /* prime */
  uint32_t bits;
  uint64_t count, adopted, visits;
  uint64_t passed; /* occupied slots that the insertions so far went past */
  bool refused;    /* all slots were taken when a new state came */
};

static const struct clew_store_type plain_type;

static struct plain *plain_of(struct clew_store *store) {
  assert(store->type == &plain_type);
  return (struct plain *)store;
}

static const struct plain *plain_of_const(const struct clew_store *store) {
  assert(store->type == &plain_type);
  return (const struct plain *)store;
}

/* ---- lookup and insertion ---- */

static size_t block_bytes(uint32_t bits) {
  return HEAD_BYTES + 8 * (size_t)bits;
}

static uint64_t blocks_for(uint64_t slots) {
  return slots / BLOCK_SLOTS + (slots % BLOCK_SLOTS > 0);
}

static inline unsigned char *block_of(const struct plain *x, uint64_t slot) {
  assert(slot < x->slots);
  return x->memory.data + slot / BLOCK_SLOTS * block_bytes(x->bits);
}

static inline uint64_t signature_of(const struct plain *x, uint64_t hash) {
  return hash >> (64 - x->bits);
}

/* The slots to look at, one after the other. */
struct way {
  uint64_t slot, step;
};

static inline uint64_t scale(uint64_t hash, uint64_t range) {
  return (uint64_t)(((unsigned __int128)hash * range) >> 64);
}

static inline struct way way_of(const struct plain *x, uint64_t hash) {
  struct clew_hash128 wide = clew_hash128_bytes(&hash, sizeof hash, PLACE_SEED);
  return (struct way){scale(wide.low, x->slots), 1 + scale(wide.high, x->slots - 1)};
}

enum finding { FOUND, EMPTY_SLOT, NO_SLOT };

/* Where the way of a hash ends: at its signature, or at the first empty slot. */
static enum finding find(const struct plain *x, uint64_t hash, uint64_t *slot, uint64_t *passed) {
  assert(x->count <= x->slots);
  struct way way = way_of(x, hash);
  uint64_t signature = signature_of(x, hash);
  for (*passed = 0; *passed < x->slots; (*passed)++) {
    const unsigned char *block = block_of(x, way.slot);
    uint32_t in_block = way.slot % BLOCK_SLOTS;
    *slot = way.slot;
    if ((load_word(block) >> in_block & 1) == 0) {
      return EMPTY_SLOT;
    }
    if (packed_field(block + HEAD_BYTES, in_block, x->bits) == signature) {
      return FOUND;
    }
    way.slot += way.step;
    way.slot -= way.slot >= x->slots ? x->slots : 0;
  }
  return NO_SLOT;
}

static void occupy(struct plain *x, uint64_t slot, uint64_t signature) {
  unsigned char *block = block_of(x, slot);
  assert((load_word(block) >> slot % BLOCK_SLOTS & 1) == 0);
  store_word(block, load_word(block) | UINT64_C(1) << slot % BLOCK_SLOTS);
  set_packed_field(block + HEAD_BYTES, slot % BLOCK_SLOTS, x->bits, signature);
}

static void decide(struct plain *x, struct clew_visit *visit) {
  uint64_t slot, passed;
  switch (find(x, visit->hash, &slot, &passed)) {
  case FOUND:
    visit->answer = CLEW_SEEN;
    return;
  case NO_SLOT:
    x->refused = true;
    visit->answer = CLEW_FULL;
    return;
  case EMPTY_SLOT:
    occupy(x, slot, signature_of(x, visit->hash));
    x->passed += passed;
    visit->id = x->adopted + x->count++;
    visit->answer = CLEW_NEW;
  }
}

/* ---- the interface ---- */

static enum clew_room plain_reserve(struct clew_store *store, uint32_t insertions) {
  const struct plain *x = plain_of(store);
  assert(x->count <= x->slots);
  assert(x->count + x->adopted <= CLEW_ID_LIMIT);
  bool full = x->refused || x->count + x->adopted + insertions > CLEW_ID_LIMIT;
  return full ? CLEW_ROOM_MEMORY : CLEW_ROOM;
}

static void plain_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct plain *x = plain_of_const(store);
  uint64_t slot = way_of(x, hash).slot;
  const unsigned char *block = block_of(x, slot);
  __builtin_prefetch(block, 1);
  __builtin_prefetch(block + HEAD_BYTES + slot % BLOCK_SLOTS * x->bits / 8, 1);
}

static void plain_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct plain *x = plain_of(store);
  assert(count == 0 || visits != NULL);
  assert(!store->shared);
  for (uint32_t i = 0; i < count; i++) {
    decide(x, &visits[i]);
  }
  assert(x->count <= x->slots);
  x->visits += count;
}

static bool plain_has(const struct clew_store *store, uint64_t hash) {
  uint64_t slot, passed;
  return find(plain_of_const(store), hash, &slot, &passed) == FOUND;
}

static clew_id plain_adopt(struct clew_store *store) {
  struct plain *x = plain_of(store);
  assert(x->count + x->adopted < CLEW_ID_LIMIT);
  return x->count + x->adopted++;
}

static uint64_t plain_count(const struct clew_store *store) {
  const struct plain *x = plain_of_const(store);
  assert(x->adopted <= CLEW_ID_LIMIT - x->count);
  return x->count + x->adopted;
}

static uint64_t plain_bytes(const struct clew_store *store) {
  assert(plain_of_const(store)->memory.data != NULL);
  return plain_of_const(store)->memory.committed_bytes;
}

/* ---- figures ---- */

/* That a signature is that of another hash. */
static double match_chance(const struct plain *x) {
  assert(x->bits >= 1 && x->bits <= 64);
  return ldexp(1, -(int)x->bits) - 0x1p-64;
}

static struct clew_omission omission_of(const struct plain *x) {
  assert(x->count <= x->slots);
  struct clew_omission omission =
      clew_omission_of_probing(x->count, x->slots, match_chance(x), x->passed);
  struct clew_omission same_hash = clew_omission_of_signatures(x->count, 0x1p64);
  omission.expected += same_hash.expected;
  omission.variance += same_hash.variance;
  omission.log_none += same_hash.log_none;
  assert(omission.log_none <= 0 && omission.expected >= 0);
  return omission;
}

static double plain_omission(const struct clew_store *store) {
  struct clew_omission omission = omission_of(plain_of_const(store));
  return clew_omission_any(&omission);
}

static void plain_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct plain *x = plain_of_const(store);
  double chance = clew_omission_chance_of_probing(x->count, x->slots, match_chance(x));
  assert(out != NULL);
  assert(chance >= 0);
  struct clew_compact_figures figures = {.signature_bits = x->bits,
                                         .stored_bits = x->bits,
                                         .slots = x->slots,
                                         .stored = x->count,
                                         .chance = chance + ldexp((double)x->count, -64),
                                         .omission = omission_of(x),
                                         .adopted = x->adopted,
                                         .visits = x->visits};
  clew_compact_add_figures(&figures, out);
  clew_counters_count(out, "passed_slots", x->passed);
}

static bool plain_validate(const struct clew_store *store, const char **why) {
  const struct plain *x = plain_of_const(store);
  assert(why != NULL && !store->shared);
  assert(x->memory.committed_bytes >= blocks_for(x->slots) * block_bytes(x->bits));
  uint64_t taken = 0;
  *why = NULL;
  for (uint64_t first = 0; first < x->slots; first += BLOCK_SLOTS) {
    const unsigned char *block = block_of(x, first);
    uint64_t occupied = load_word(block);
    taken += (uint64_t)__builtin_popcountll(occupied);
    for (uint32_t i = 0; i < BLOCK_SLOTS; i++) {
      bool is_taken = occupied >> i & 1;
      if (!is_taken && packed_field(block + HEAD_BYTES, i, x->bits) != 0) {
        *why = "an empty slot has a signature";
      } else if (is_taken && first + i >= x->slots) {
        *why = "something that is no slot is occupied";
      }
    }
  }
  if (taken != x->count) {
    *why = "wrong number of signatures";
  }
  return *why == NULL;
}

/* ---- opening and closing ---- */

static void plain_close(struct clew_store *store) {
  if (store != NULL) {
    struct plain *x = plain_of(store);
    assert(x->memory.data != NULL);
    clew_bigmem_close(&x->memory);
    clew_free(x);
  }
}

/* By trial: numbers have little more than 40 bits, and it is done once. */
static bool is_prime(uint64_t n) {
  assert(n < UINT64_C(1) << 62);
  for (uint64_t divisor = 2; divisor * divisor <= n; divisor += divisor == 2 ? 1 : 2) {
    if (n % divisor == 0) {
      return false;
    }
  }
  return n >= 2;
}

static uint64_t prime_from(uint64_t n) {
  assert(n <= CLEW_ID_LIMIT);
  while (!is_prime(n)) {
    n++;
  }
  assert(n >= 2);
  return n;
}

/* 0 when there is none. */
static uint64_t prime_up_to(uint64_t n) {
  assert(n <= CLEW_ID_LIMIT);
  while (n > 0 && !is_prime(n)) {
    n--;
  }
  assert(n == 0 || n >= 2);
  return n;
}

/* What may be used when nothing says how much. */
static uint64_t slots_for_budget(struct clew_budget *budget, uint32_t bits) {
  assert(bits >= 1 && bits <= 64);
  const uint64_t without_budget = UINT64_C(1) << 30;
  uint64_t left = budget != NULL ? clew_budget_left(budget) : without_budget;
  uint64_t slots = left / 8 * 7 / block_bytes(bits) * BLOCK_SLOTS;
  return prime_up_to(slots < CLEW_ID_LIMIT ? slots : CLEW_ID_LIMIT);
}

struct clew_store *clew_compact_plain_open(const struct clew_store_config *config, uint32_t bits,
                                           uint64_t entries) {
  assert(bits >= 1 && bits <= 64 && entries <= CLEW_ID_LIMIT);
  struct plain *x = clew_alloc_zero(1, sizeof *x);
  x->base =
      (struct clew_store){.type = &plain_type, .promises = plain_type.promises, .config = *config};
  x->bits = bits;
  assert(config->words > 0);
  x->slots = entries > 0 ? prime_from(entries) : slots_for_budget(config->budget, bits);
  assert(x->slots == 0 || x->slots >= 2);
  size_t bytes = (size_t)blocks_for(x->slots) * block_bytes(bits);
  if (bytes == 0 || !clew_bigmem_open(&x->memory, bytes, config->budget)) {
    clew_free(x);
    return NULL;
  }
  if (entries == 0) {
    /* With 2 MB pages a few thousand states would touch all of it. */
    (void)madvise(x->memory.data, x->memory.reserved_bytes, MADV_NOHUGEPAGE);
  }
  if (!clew_bigmem_commit(&x->memory, bytes)) {
    plain_close(&x->base);
    return NULL;
  }
  return &x->base;
}

static const struct clew_store_type plain_type = {
    .name = "compact", /* whose `open` opens it */
    .promises = CLEW_STORE_REMEMBERS | CLEW_STORE_PROBE,
    .close = plain_close,
    .reserve = plain_reserve,
    .prefetch = plain_prefetch,
    .put = plain_put,
    .has = plain_has,
    .adopt = plain_adopt,
    .count = plain_count,
    .bytes = plain_bytes,
    .omission = plain_omission,
    .counters = plain_counters,
    .validate = plain_validate,
};
