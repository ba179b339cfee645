/* The Bloom filter store (supertrace, bit-state hashing): k bits of a large array stand for a
 * state; a state all of whose bits are set is called seen.
 *
 * Blocked by default (Putze, Sanders and Singler 2007): all bits of a state are in one block of
 * 512, a cache line, so a visit costs one miss; `bloom_classic` spreads them over the whole array,
 * which leaves out fewer states for the same memory and costs up to k misses. The block comes from
 * the upper bits of the hash, the bits in it from 9-bit pieces of further hashes of the hash;
 * classic positions from enhanced double hashing (Dillinger and Manolios 2004) of 128 such bits.
 *
 * Size. For N expected states it is m = k N / ln 2 bits, for which k bits are best; without that
 * seven eighths of what the budget has left. It cannot grow. Pages are touched when bits in them
 * are set; an array as large as the budget does without 2 MB pages, with which a few thousand
 * states would touch all of it.
 *
 * Omissions. A further state is left out if k independent positions are all set: the fraction of
 * bits set to the power k; in the blocked filter the mean over the blocks of that. Both follow from
 * counts that are kept up to date with each insertion, and the chance is added up over the
 * insertions (store/omission.h). A filter that is too full goes on: it says so in its figures. */
#include <assert.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/hash.h"
#include "store/omission.h"
#include "store/store.h"

enum {
  DEFAULT_BITS = 3,
  MOST_BITS = 64,
  MOST_CHOSEN_BITS = 24, /* when the number of bits is ours to choose */
  BLOCK_BITS = 512,
  BLOCK_BYTES = BLOCK_BITS / 8,
  BLOCK_WORDS = BLOCK_BITS / 64,
  POSITION_BITS = 9, /* of a bit in a block */
  POSITIONS_PER_HASH = 64 / POSITION_BITS,
  PREFETCHED = 8, /* positions of a classic filter */
};

#define MAX_STATES (UINT64_C(0xffffffff) - 1) /* ids have 32 bits elsewhere */

struct bloom {
  struct clew_store base;
  struct clew_bigmem memory;
  uint64_t blocks;
  uint32_t bits; /* per state */
  bool classic;
  uint64_t count, adopted, visits;
  uint64_t set_bits;
  double block_chances; /* blocked: sum over the blocks of the chance of each */
  struct clew_omission omission;
  double chance_of[BLOCK_BITS + 1]; /* of a block with so many bits set */
};

static struct bloom *bloom_of(struct clew_store *store) {
  assert(store->type == &clew_store_bloom);
  return (struct bloom *)store;
}

static const struct bloom *bloom_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_bloom);
  return (const struct bloom *)store;
}

static uint64_t total_bits(const struct bloom *x) {
  return x->blocks * BLOCK_BITS;
}

/* The chance that a further state would be called seen. States of the same 64-bit hash are never
 * told apart. */
static double chance_now(const struct bloom *x) {
  double chance = x->classic ? pow((double)x->set_bits / (double)total_bits(x), x->bits)
                             : x->block_chances / (double)x->blocks;
  return chance + ldexp((double)x->count, -64);
}

/* ---- positions ---- */

static inline uint64_t scale(uint64_t hash, uint64_t range) {
  return (uint64_t)(((unsigned __int128)hash * range) >> 64);
}

static inline uint64_t *word_at(const struct bloom *x, uint64_t word) {
  return (uint64_t *)(void *)x->memory.data + word;
}

static inline uint64_t *block_of(const struct bloom *x, uint64_t hash) {
  return word_at(x, scale(hash, x->blocks) * BLOCK_WORDS);
}

/* The bits of a state within its block. */
static inline void make_mask(const struct bloom *x, uint64_t hash, uint64_t mask[BLOCK_WORDS]) {
  memset(mask, 0, BLOCK_BYTES);
  uint64_t pieces = 0;
  for (uint32_t i = 0; i < x->bits; i++, pieces >>= POSITION_BITS) {
    if (i % POSITIONS_PER_HASH == 0) {
      pieces = clew_hash_bytes(&hash, sizeof hash, i + 1);
    }
    mask[pieces / 64 % BLOCK_WORDS] |= UINT64_C(1) << pieces % 64;
  }
}

/* Classic positions one after the other: a, a + b, a + 2b + 1, a + 3b + 4, … */
struct sequence {
  uint64_t at, step, more;
};

static inline struct sequence first_position(uint64_t hash) {
  struct clew_hash128 wide = clew_hash128_bytes(&hash, sizeof hash, 1);
  return (struct sequence){wide.low, wide.high, 0};
}

static inline void next_position(struct sequence *s) {
  s->at += s->step;
  s->more++;
  s->step += s->more;
}

/* ---- visits ---- */

static void bloom_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct bloom *x = bloom_of_const(store);
  if (!x->classic) {
    __builtin_prefetch(block_of(x, hash), 1);
    return;
  }
  struct sequence s = first_position(hash);
  for (uint32_t i = 0; i < x->bits && i < PREFETCHED; i++, next_position(&s)) {
    __builtin_prefetch(word_at(x, scale(s.at, total_bits(x)) / 64), 1);
  }
}

static bool bloom_has(const struct clew_store *store, uint64_t hash) {
  const struct bloom *x = bloom_of_const(store);
  if (x->classic) {
    struct sequence s = first_position(hash);
    for (uint32_t i = 0; i < x->bits; i++, next_position(&s)) {
      uint64_t bit = scale(s.at, total_bits(x));
      if ((*word_at(x, bit / 64) >> bit % 64 & 1) == 0) {
        return false;
      }
    }
    return true;
  }
  uint64_t mask[BLOCK_WORDS], missing = 0;
  const uint64_t *block = block_of(x, hash);
  make_mask(x, hash, mask);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    missing |= mask[i] & ~block[i];
  }
  return missing == 0;
}

/* Both return how many bits were not set before. */
static uint32_t add_classic(struct bloom *x, uint64_t hash) {
  uint32_t fresh = 0;
  struct sequence s = first_position(hash);
  for (uint32_t i = 0; i < x->bits; i++, next_position(&s)) {
    uint64_t bit = scale(s.at, total_bits(x)), *word = word_at(x, bit / 64);
    fresh += (*word >> bit % 64 & 1) == 0;
    *word |= UINT64_C(1) << bit % 64;
  }
  return fresh;
}

static inline uint32_t ones_in(const uint64_t words[BLOCK_WORDS]) {
  uint32_t ones = 0;
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    ones += (uint32_t)__builtin_popcountll(words[i]);
  }
  return ones;
}

static uint32_t add_blocked(struct bloom *x, uint64_t hash) {
  uint64_t mask[BLOCK_WORDS], *block = block_of(x, hash), missing = 0;
  make_mask(x, hash, mask);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    missing |= mask[i] & ~block[i];
  }
  if (missing == 0) {
    return 0;
  }
  uint32_t before = ones_in(block);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    block[i] |= mask[i];
  }
  uint32_t after = ones_in(block);
  assert(after > before && after <= before + x->bits);
  x->block_chances += x->chance_of[after] - x->chance_of[before];
  return after - before;
}

static void bloom_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct bloom *x = bloom_of(store);
  double chance_before = chance_now(x);
  uint64_t count_before = x->count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t fresh = x->classic ? add_classic(x, visits[i].hash) : add_blocked(x, visits[i].hash);
    if (fresh == 0) {
      visits[i].answer = CLEW_SEEN;
      continue;
    }
    x->set_bits += fresh;
    visits[i].id = x->adopted + x->count++;
    visits[i].answer = CLEW_NEW;
  }
  x->visits += count;
  if (x->count > count_before) {
    /* Within a batch the chance rises evenly. */
    double chance = (chance_before + chance_now(x)) / 2;
    clew_omission_add(&x->omission, chance, (double)(x->count - count_before));
  }
}

static uint64_t bloom_count(const struct clew_store *store) {
  const struct bloom *x = bloom_of_const(store);
  return x->count + x->adopted;
}

static uint64_t bloom_adopt(struct clew_store *store) {
  struct bloom *x = bloom_of(store);
  return x->count + x->adopted++;
}

static enum clew_room bloom_reserve(struct clew_store *store, uint32_t insertions) {
  return bloom_count(store) + insertions <= MAX_STATES ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

/* ---- figures ---- */

static uint64_t bloom_bytes(const struct clew_store *store) {
  return bloom_of_const(store)->memory.committed_bytes;
}

static double bloom_omission(const struct clew_store *store) {
  return clew_omission_any(&bloom_of_const(store)->omission);
}

static void bloom_counters(const struct clew_store *store, struct clew_json_writer *w) {
  const struct bloom *x = bloom_of_const(store);
  clew_json_key_u64(w, "bits", total_bits(x));
  clew_json_key_u64(w, "bits_per_state", x->bits);
  clew_json_key_double(w, "fill", (double)x->set_bits / (double)total_bits(x));
  clew_json_key_double(w, "omission_per_state", chance_now(x));
  clew_json_key_double(w, "expected_omissions", x->omission.expected);
  clew_json_key_double(w, "omissions_deviation", clew_omission_deviation(&x->omission));
  clew_json_key_u64(w, "adopted", x->adopted);
  clew_json_key_u64(w, "visits", x->visits);
}

static bool bloom_validate(const struct clew_store *store, const char **why) {
  const struct bloom *x = bloom_of_const(store);
  uint64_t set_bits = 0;
  double chances = 0;
  for (uint64_t b = 0; b < x->blocks; b++) {
    uint32_t ones = ones_in(word_at(x, b * BLOCK_WORDS));
    set_bits += ones;
    chances += x->chance_of[ones];
  }
  *why = NULL;
  if (set_bits != x->set_bits) {
    *why = "wrong number of set bits";
  } else if (set_bits > x->count * x->bits || set_bits < x->count) {
    *why = "the set bits do not fit the number of states";
  } else if (!x->classic && fabs(chances - x->block_chances) > 1e-6 * (1e-30 + chances)) {
    *why = "wrong chance of the blocks";
  }
  return *why == NULL;
}

/* ---- opening and closing ---- */

static void bloom_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct bloom *x = bloom_of(store);
  clew_bigmem_close(&x->memory);
  clew_free(x);
}

/* Bits of memory that make `bits` per state the best choice. */
static double best_size_bits(double states, uint32_t bits) {
  return ceil(states * bits / log(2));
}

/* What may be used when nothing says how much. */
static uint64_t share_bytes(struct clew_budget *budget) {
  const uint64_t without_budget = UINT64_C(1) << 30;
  uint64_t left = budget != NULL ? clew_budget_left(budget) : without_budget;
  return left / 8 * 7;
}

static uint32_t choose_bits(const struct clew_store_options *options, double expected,
                            uint64_t share) {
  if (options->bloom_bits != 0) {
    return options->bloom_bits;
  }
  if (expected == 0) {
    return DEFAULT_BITS;
  }
  double best = round((double)share * 8 / expected * log(2));
  return best < 1 ? 1 : best > MOST_CHOSEN_BITS ? MOST_CHOSEN_BITS : (uint32_t)best;
}

static bool open_memory(struct bloom *x, uint64_t blocks, bool sized_by_budget) {
  uint64_t bytes = blocks * BLOCK_BYTES;
  if (blocks == 0 || blocks > UINT64_MAX / 2 / BLOCK_BYTES ||
      !clew_bigmem_open(&x->memory, (size_t)bytes, x->base.config.budget)) {
    return false;
  }
  if (sized_by_budget) {
    (void)madvise(x->memory.data, x->memory.reserved_bytes, MADV_NOHUGEPAGE);
  }
  x->blocks = blocks;
  return clew_bigmem_commit(&x->memory, (size_t)bytes);
}

static void set_chances(struct bloom *x) {
  for (uint32_t ones = 0; ones <= BLOCK_BITS; ones++) {
    x->chance_of[ones] = pow((double)ones / BLOCK_BITS, x->bits);
  }
}

static enum clew_status bloom_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  const struct clew_store_options *options = clew_store_options(config);
  if (options->bloom_bits > MOST_BITS) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the bloom store sets 1 to %d bits for a state, not %u", MOST_BITS,
                    options->bloom_bits);
    return CLEW_BAD_INPUT;
  }
  struct bloom *x = clew_alloc_zero(1, sizeof *x);
  x->base.type = &clew_store_bloom;
  x->base.capabilities = clew_store_bloom.capabilities;
  x->base.config = *config;
  x->classic = options->bloom_classic;
  double expected = (double)(options->bloom_expect != 0 ? options->bloom_expect : options->entries);
  uint64_t share = share_bytes(config->budget);
  x->bits = choose_bits(options, expected, share);
  set_chances(x);
  uint64_t blocks = share / BLOCK_BYTES;
  if (expected > 0) {
    double wanted = ceil(best_size_bits(expected, x->bits) / BLOCK_BITS);
    bool ours = options->bloom_bits == 0 && wanted > (double)blocks;
    blocks = ours ? blocks : wanted < 0x1p57 ? (uint64_t)wanted : 0;
  }
  if (!open_memory(x, blocks, expected == 0)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for %s",
                    expected > 0 ? "a Bloom filter for so many states" : "any state");
    bloom_close(&x->base);
    return CLEW_OVER_LIMIT;
  }
  *store = &x->base;
  return CLEW_OK;
}

const struct clew_store_type clew_store_bloom = {
    .name = "bloom",
    .help = "a Bloom filter of K bits for each state; states may be left out, with an estimate",
    .capabilities = CLEW_STORE_PROBE,
    .open = bloom_open,
    .close = bloom_close,
    .reserve = bloom_reserve,
    .prefetch = bloom_prefetch,
    .put = bloom_put,
    .has = bloom_has,
    .adopt = bloom_adopt,
    .count = bloom_count,
    .bytes = bloom_bytes,
    .omission = bloom_omission,
    .counters = bloom_counters,
    .validate = bloom_validate,
};
