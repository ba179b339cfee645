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
 * seven eighths of what the budget has left. It cannot grow, and a search of a few million states
 * would spend most of its time on touching an array as large as the budget. So without N there is
 * no filter at first: the compact store keeps the whole 64-bit hashes, in order, until they take an
 * eighth of the budget. Then all of them are put into the filter, which is filled from one end to
 * the other. The array is then as large as it can be for a search that needs it, and until then
 * fewer states are left out than by any filter.
 *
 * Omissions. A further state is left out if k independent positions are all set: the fraction of
 * bits set to the power k; in the blocked filter the mean over the blocks of that. Both follow from
 * counts that are kept up to date with each insertion, and the chance is added up over the
 * insertions (store/omission.h). A filter that is too full goes on: it says so in its figures.
 *
 * Threads. A bit that is set stays so: a state whose bits are all there is seen, without a lock.
 * Otherwise its bits are set while a lock is held that every thread takes for that state, so of
 * several that bring it one finds a bit that is not set. The lock belongs to the block, which only
 * its owner then changes; of a classic filter to the hash, and there each bit is set by whoever
 * finds it unset, in one atomic step. Counts are kept for each batch and added up at its end. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/hash.h"
#include "store/bloom_options.h"
#include "store/compact_int.h"
#include "store/omission.h"
#include "store/spin_int.h"
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
  LOCKS = 1 << 12,
};

/* What insertions add up to. */
struct tally {
  uint64_t inserted, set_bits;
  double block_chances; /* blocked: sum over the blocks of the chance of each */
};

struct bloom {
  struct clew_store base;
  struct clew_bigmem memory;
  struct clew_store *hashes; /* what there is instead of the filter until it is needed, or NULL */
  uint64_t hashes_bytes;     /* up to which they may grow */
  uint64_t blocks;
  uint32_t bits; /* per state */
  bool classic;
  double chance_of[BLOCK_BITS + 1]; /* of a block with so many bits set */
  spin_byte *locks;                 /* LOCKS of them; NULL: one thread */
  char line_of_totals[SPIN_LINE_BYTES];
  _Atomic uint64_t count; /* of states: inserted and adopted ones */
  _Atomic uint64_t adopted;
  spin_byte totals_lock; /* for what follows */
  uint64_t visits;
  struct tally total;
  uint64_t converted; /* of them: hashes that were put into the filter when there was one */
  struct clew_omission omission;
  char last_line[SPIN_LINE_BYTES];
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
  const struct tally *total = &x->total;
  assert(x->blocks > 0 && x->bits > 0);
  assert(total->set_bits <= total_bits(x));
  double chance = x->classic ? pow((double)total->set_bits / (double)total_bits(x), x->bits)
                             : total->block_chances / (double)x->blocks;
  return chance + ldexp((double)total->inserted, -64);
}

static uint64_t count_of(const struct bloom *x) {
  if (x->hashes != NULL) {
    return x->hashes->type->count(x->hashes);
  }
  return atomic_load_explicit(&x->count, memory_order_relaxed);
}

/* ---- positions ---- */

static inline uint64_t scale(uint64_t hash, uint64_t range) {
  return (uint64_t)(((unsigned __int128)hash * range) >> 64);
}

static inline uint64_t *word_at(const struct bloom *x, uint64_t word) {
  return (uint64_t *)(void *)x->memory.data + word;
}

/* The first word of the block of a state. */
static inline uint64_t block_of(const struct bloom *x, uint64_t hash) {
  return scale(hash, x->blocks) * BLOCK_WORDS;
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

/* ---- looking ---- */

static void bloom_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct bloom *x = bloom_of_const(store);
  if (x->hashes != NULL) {
    x->hashes->type->prefetch(x->hashes, hash);
    return;
  }
  if (!x->classic) {
    __builtin_prefetch(word_at(x, block_of(x, hash)), 1);
    return;
  }
  struct sequence s = first_position(hash);
  for (uint32_t i = 0; i < x->bits && i < PREFETCHED; i++, next_position(&s)) {
    __builtin_prefetch(word_at(x, scale(s.at, total_bits(x)) / 64), 1);
  }
}

/* Other threads may be setting bits. */
static inline uint64_t load_bits(const uint64_t *word) {
  return atomic_load_explicit((const _Atomic uint64_t *)(const void *)word, memory_order_relaxed);
}

static bool has_classic(const struct bloom *x, uint64_t hash) {
  struct sequence s = first_position(hash);
  for (uint32_t i = 0; i < x->bits; i++, next_position(&s)) {
    uint64_t bit = scale(s.at, total_bits(x));
    if ((load_bits(word_at(x, bit / 64)) >> bit % 64 & 1) == 0) {
      return false;
    }
  }
  return true;
}

static bool has_mask(const uint64_t *block, const uint64_t mask[BLOCK_WORDS]) {
  uint64_t missing = 0;
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    missing |= mask[i] & ~load_bits(block + i);
  }
  return missing == 0;
}

static bool bloom_has(const struct clew_store *store, uint64_t hash) {
  const struct bloom *x = bloom_of_const(store);
  if (x->hashes != NULL) {
    return x->hashes->type->has(x->hashes, hash);
  }
  if (x->classic) {
    return has_classic(x, hash);
  }
  uint64_t mask[BLOCK_WORDS];
  make_mask(x, hash, mask);
  uint64_t word = block_of(x, hash);
  return has_mask(word_at(x, word), mask);
}

static inline uint32_t ones_in(const uint64_t words[BLOCK_WORDS]) {
  uint32_t ones = 0;
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    ones += (uint32_t)__builtin_popcountll(words[i]);
  }
  return ones;
}

/* A state was added to a block, or set so many bits. */
static inline void count_block(const struct bloom *x, struct tally *tally, uint32_t before,
                               uint32_t after) {
  assert(after > before && after <= before + x->bits && after <= BLOCK_BITS);
  tally->block_chances += x->chance_of[after] - x->chance_of[before];
  tally->set_bits += after - before;
}

/* ---- insertion by one thread: whether a bit was not set before ---- */

static bool add_classic(struct bloom *x, uint64_t hash, struct tally *tally) {
  uint32_t fresh = 0;
  struct sequence s = first_position(hash);
  for (uint32_t i = 0; i < x->bits; i++, next_position(&s)) {
    uint64_t bit = scale(s.at, total_bits(x)), *word = word_at(x, bit / 64);
    fresh += (*word >> bit % 64 & 1) == 0;
    *word |= UINT64_C(1) << bit % 64;
  }
  tally->set_bits += fresh;
  return fresh > 0;
}

static bool add_blocked(struct bloom *x, uint64_t hash, struct tally *tally) {
  uint64_t mask[BLOCK_WORDS], word = block_of(x, hash), *block = word_at(x, word), missing = 0;
  make_mask(x, hash, mask);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    missing |= mask[i] & ~block[i];
  }
  if (missing == 0) {
    return false;
  }
  uint32_t before = ones_in(block);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    block[i] |= mask[i];
  }
  count_block(x, tally, before, ones_in(block));
  return true;
}

/* ---- the same by several ---- */

static bool add_classic_shared(struct bloom *x, uint64_t hash, struct tally *tally) {
  if (has_classic(x, hash)) {
    return false;
  }
  uint32_t fresh = 0;
  struct sequence s = first_position(hash);
  spin_byte *lock = &x->locks[hash % LOCKS];
  spin_lock(lock);
  for (uint32_t i = 0; i < x->bits; i++, next_position(&s)) {
    uint64_t place = scale(s.at, total_bits(x)), bit = UINT64_C(1) << place % 64;
    _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)word_at(x, place / 64);
    fresh += (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) == 0;
  }
  spin_unlock(lock);
  tally->set_bits += fresh;
  return fresh > 0;
}

static bool add_blocked_shared(struct bloom *x, uint64_t hash, struct tally *tally) {
  uint64_t mask[BLOCK_WORDS], now[BLOCK_WORDS], word = block_of(x, hash);
  uint64_t *block = word_at(x, word);
  make_mask(x, hash, mask);
  if (has_mask(block, mask)) {
    return false;
  }
  spin_byte *lock = &x->locks[word / BLOCK_WORDS % LOCKS];
  spin_lock(lock);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    now[i] = load_bits(block + i);
  }
  uint32_t before = ones_in(now);
  for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
    now[i] |= mask[i];
    atomic_store_explicit((_Atomic uint64_t *)(void *)(block + i), now[i], memory_order_relaxed);
  }
  spin_unlock(lock);
  uint32_t after = ones_in(now);
  if (after == before) {
    return false; /* another thread was faster */
  }
  count_block(x, tally, before, after);
  return true;
}

/* ---- batches ---- */

/* At the end of a batch, after which all insertions add up to `now`. */
static void add_batch(struct bloom *x, const struct tally *now, uint32_t visits) {
  uint64_t inserted = now->inserted - x->total.inserted;
  assert(inserted <= visits && now->set_bits - x->total.set_bits <= inserted * x->bits);
  double chance_before = chance_now(x);
  x->total = *now;
  x->visits += visits;
  if (inserted > 0) {
    /* Within a batch the chance rises evenly. */
    clew_omission_add(&x->omission, (chance_before + chance_now(x)) / 2, (double)inserted);
  }
}

static void put_alone(struct bloom *x, uint32_t count, struct clew_visit *visits) {
  struct tally now = x->total;
  clew_id next = count_of(x);
  for (uint32_t i = 0; i < count; i++) {
    bool is_new =
        x->classic ? add_classic(x, visits[i].hash, &now) : add_blocked(x, visits[i].hash, &now);
    if (!is_new) {
      visits[i].answer = CLEW_SEEN;
      continue;
    }
    now.inserted++;
    visits[i].id = next++;
    visits[i].answer = CLEW_NEW;
  }
  assert(next - count_of(x) == now.inserted - x->total.inserted);
  assert(next <= CLEW_ID_LIMIT);
  atomic_store_explicit(&x->count, next, memory_order_relaxed);
  add_batch(x, &now, count);
}

static void put_shared(struct bloom *x, uint32_t count, struct clew_visit *visits) {
  assert(x->locks != NULL);
  struct tally tally = {0, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    bool is_new = x->classic ? add_classic_shared(x, visits[i].hash, &tally)
                             : add_blocked_shared(x, visits[i].hash, &tally);
    visits[i].answer = is_new ? CLEW_NEW : CLEW_SEEN;
    tally.inserted += is_new;
  }
  assert(tally.inserted <= count && tally.set_bits >= tally.inserted);
  clew_id next = atomic_fetch_add_explicit(&x->count, tally.inserted, memory_order_relaxed);
  for (uint32_t i = 0; i < count; i++) {
    if (visits[i].answer == CLEW_NEW) {
      visits[i].id = next++;
    }
  }
  assert(next <= CLEW_ID_LIMIT);
  spin_lock(&x->totals_lock);
  tally.inserted += x->total.inserted;
  tally.set_bits += x->total.set_bits;
  tally.block_chances += x->total.block_chances;
  add_batch(x, &tally, count);
  spin_unlock(&x->totals_lock);
}

static void bloom_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct bloom *x = bloom_of(store);
  assert(count == 0 || visits != NULL);
  assert(!store->shared || x->locks != NULL);
  if (x->hashes != NULL) {
    x->hashes->type->put(x->hashes, count, visits);
  } else if (store->shared) {
    put_shared(x, count, visits);
  } else {
    put_alone(x, count, visits);
  }
}

static uint64_t bloom_count(const struct clew_store *store) {
  return count_of(bloom_of_const(store));
}

static clew_id bloom_adopt(struct clew_store *store) {
  struct bloom *x = bloom_of(store);
  atomic_fetch_add_explicit(&x->adopted, 1, memory_order_relaxed);
  assert(count_of(x) < CLEW_ID_LIMIT);
  if (x->hashes != NULL) {
    return x->hashes->type->adopt(x->hashes);
  }
  return atomic_fetch_add_explicit(&x->count, 1, memory_order_relaxed);
}

/* ---- room, and the filter when it is needed ---- */

static uint64_t bloom_room(const struct clew_store *store) {
  const struct bloom *x = bloom_of_const(store);
  uint64_t count = bloom_count(store);
  assert(count <= CLEW_ID_LIMIT);
  return x->hashes != NULL ? x->hashes->type->room(x->hashes) : CLEW_ID_LIMIT - count;
}

static bool open_memory(struct bloom *x, uint64_t blocks);
static uint64_t share_bytes(struct clew_budget *budget);

struct conversion {
  struct bloom *x;
  struct tally now;
};

static void convert_hash(void *context, uint64_t hash) {
  struct conversion *to = context;
  /* Its state was called new, also where all of its bits are set. */
  if (to->x->classic) {
    (void)add_classic(to->x, hash, &to->now);
  } else {
    (void)add_blocked(to->x, hash, &to->now);
  }
  to->now.inserted++;
}

/* Puts all hashes into a filter. False when there is no memory for one. */
static bool convert(struct bloom *x) {
  struct clew_store *hashes = x->hashes;
  uint64_t count = count_of(x), blocks = share_bytes(x->base.config.budget) / BLOCK_BYTES;
  assert(!hashes->shared);
  if (blocks * BLOCK_BYTES < x->hashes_bytes || !open_memory(x, blocks)) {
    clew_bigmem_close(&x->memory);
    x->blocks = 0;
    return false;
  }
  struct conversion to = {.x = x};
  clew_compact_each(hashes, convert_hash, &to);
  assert(to.now.inserted + x->adopted == count);
  x->total = to.now;
  x->converted = to.now.inserted;
  x->visits = clew_compact_visits(hashes);
  x->omission = clew_omission_of_signatures(to.now.inserted, 0x1p64);
  x->hashes = NULL;
  atomic_store_explicit(&x->count, count, memory_order_relaxed);
  hashes->type->close(hashes);
  return true;
}

static enum clew_room bloom_reserve(struct clew_store *store, uint32_t insertions) {
  struct bloom *x = bloom_of(store);
  assert(!store->shared);
  if (x->hashes == NULL) {
    return insertions <= bloom_room(store) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
  }
  struct clew_store *hashes = x->hashes;
  hashes->shared = false;
  enum clew_room room = CLEW_ROOM_MEMORY;
  if (hashes->type->bytes(hashes) <= x->hashes_bytes) {
    room = hashes->type->reserve(hashes, insertions);
  }
  if (room != CLEW_ROOM && convert(x)) {
    return bloom_reserve(store, insertions);
  }
  if (room != CLEW_ROOM) { /* no filter is possible any more: hashes as long as there is room */
    room = hashes->type->reserve(hashes, insertions);
  }
  hashes->shared = x->locks != NULL; /* until the next time: threads come and go in between */
  return room;
}

/* ---- figures ---- */

static uint64_t bloom_bytes(const struct clew_store *store) {
  const struct bloom *x = bloom_of_const(store);
  if (x->hashes != NULL) {
    return x->hashes->type->bytes(x->hashes);
  }
  assert(x->memory.committed_bytes <= x->memory.reserved_bytes);
  assert(x->memory.committed_bytes >= x->blocks * BLOCK_BYTES);
  return x->memory.committed_bytes;
}

static double bloom_omission(const struct clew_store *store) {
  const struct bloom *x = bloom_of_const(store);
  if (x->hashes != NULL) {
    return x->hashes->type->omission(x->hashes);
  }
  assert(x->omission.log_none <= 0 && x->omission.expected >= 0);
  return clew_omission_any(&x->omission);
}

static void bloom_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct bloom *x = bloom_of_const(store);
  assert(out != NULL);
  assert(x->adopted <= count_of(x));
  if (x->hashes != NULL) {
    clew_counters_count(out, "bits", 0); /* there is no filter yet */
    x->hashes->type->counters(x->hashes, out);
    return;
  }
  assert(x->total.inserted <= x->visits);
  assert(x->total.set_bits <= total_bits(x));
  clew_counters_count(out, "bits", total_bits(x));
  clew_counters_count(out, "bits_per_state", x->bits);
  clew_counters_real(out, "fill", (double)x->total.set_bits / (double)total_bits(x));
  clew_counters_real(out, "omission_per_state", chance_now(x));
  clew_counters_real(out, "expected_omissions", x->omission.expected);
  clew_counters_real(out, "omissions_deviation", clew_omission_deviation(&x->omission));
  clew_counters_count(out, "adopted", x->adopted);
  clew_counters_count(out, "visits", x->visits);
}

static bool bloom_validate(const struct clew_store *store, const char **why) {
  const struct bloom *x = bloom_of_const(store);
  assert(why != NULL && !store->shared);
  if (x->hashes != NULL) {
    x->hashes->shared = false;
    return x->hashes->type->validate(x->hashes, why);
  }
  assert(x->memory.data != NULL);
  uint64_t set_bits = 0;
  double chances = 0;
  for (uint64_t b = 0; b < x->blocks; b++) {
    uint32_t ones = ones_in(word_at(x, b * BLOCK_WORDS));
    set_bits += ones;
    chances += x->chance_of[ones];
  }
  uint64_t inserted = x->total.inserted;
  *why = NULL;
  if (set_bits != x->total.set_bits) {
    *why = "wrong number of set bits";
  } else if (set_bits > inserted * x->bits || set_bits + x->converted < inserted) {
    *why = "the set bits do not fit the number of states";
  } else if (inserted + x->adopted != count_of(x)) {
    *why = "wrong number of states";
  } else if (!x->classic && fabs(chances - x->total.block_chances) > 1e-6 * (1e-30 + chances)) {
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
  assert(x->blocks == 0 || x->memory.data != NULL);
  if (x->hashes != NULL) {
    x->hashes->type->close(x->hashes);
  }
  clew_bigmem_close(&x->memory);
  clew_free((void *)x->locks);
  clew_free(x);
}

/* Bits of memory that make `bits` per state the best choice. */
static double best_size_bits(double states, uint32_t bits) {
  assert(states > 0 && bits > 0);
  return ceil(states * bits / log(2));
}

/* What may be used when nothing says how much. */
static uint64_t share_bytes(struct clew_budget *budget) {
  const uint64_t without_budget = UINT64_C(1) << 30;
  uint64_t left = budget != NULL ? clew_budget_left(budget) : without_budget;
  return left / 8 * 7;
}

static uint32_t choose_bits(const struct clew_bloom_options *options, double expected,
                            uint64_t share) {
  assert(expected >= 0);
  assert(options->bits <= MOST_BITS);
  if (options->bits != 0) {
    return (uint32_t)options->bits;
  }
  if (expected == 0) {
    return DEFAULT_BITS;
  }
  double best = round((double)share * 8 / expected * log(2));
  return best < 1 ? 1 : best > MOST_CHOSEN_BITS ? MOST_CHOSEN_BITS : (uint32_t)best;
}

static bool open_memory(struct bloom *x, uint64_t blocks) {
  assert(x->memory.data == NULL && x->bits > 0);
  uint64_t bytes = blocks * BLOCK_BYTES;
  if (blocks == 0 || blocks > UINT64_MAX / 2 / BLOCK_BYTES ||
      !clew_bigmem_open(&x->memory, (size_t)bytes, x->base.config.budget)) {
    return false;
  }
  x->blocks = blocks;
  assert(total_bits(x) / BLOCK_BITS == blocks);
  return clew_bigmem_commit(&x->memory, (size_t)bytes);
}

/* The compact store with its default of whole hashes. */
static bool open_hashes(struct bloom *x, uint64_t share) {
  struct clew_store_config config = x->base.config;
  struct clew_diag_sink silent = {0};
  config.options = NULL;
  x->hashes_bytes = share / 7;
  enum clew_status status = clew_store_compact.open(&config, &silent, &x->hashes);
  clew_diag_sink_free(&silent); /* the caller has its own words for it */
  x->hashes = status == CLEW_OK ? x->hashes : NULL;
  return status == CLEW_OK;
}

static void set_chances(struct bloom *x) {
  assert(x->bits > 0 && x->bits <= MOST_BITS);
  for (uint32_t ones = 0; ones <= BLOCK_BITS; ones++) {
    x->chance_of[ones] = pow((double)ones / BLOCK_BITS, x->bits);
    assert(ones == 0 || x->chance_of[ones] >= x->chance_of[ones - 1]);
  }
}

static enum clew_status bloom_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  static const struct clew_bloom_options defaults;
  const struct clew_bloom_options *options = config->options != NULL ? config->options : &defaults;
  if (options->bits > MOST_BITS) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the bloom store sets 1 to %d bits for a state, not %llu", MOST_BITS,
                    (unsigned long long)options->bits);
    return CLEW_BAD_INPUT;
  }
  struct bloom *x = clew_alloc_zero(1, sizeof *x);
  x->base = (struct clew_store){
      .type = &clew_store_bloom, .promises = clew_store_bloom.promises, .config = *config};
  x->classic = options->classic;
  x->locks = config->threads > 1 ? clew_alloc_zero(LOCKS, sizeof *x->locks) : NULL;
  double expected = (double)(options->expect != 0 ? options->expect : options->entries);
  uint64_t share = share_bytes(config->budget);
  x->bits = choose_bits(options, expected, share);
  assert(x->bits > 0 && expected >= 0);
  set_chances(x);
  uint64_t blocks = share / BLOCK_BYTES;
  if (expected > 0) {
    double wanted = ceil(best_size_bits(expected, x->bits) / BLOCK_BITS);
    bool ours = options->bits == 0 && wanted > (double)blocks;
    blocks = ours ? blocks : wanted < 0x1p57 ? (uint64_t)wanted : 0;
  }
  if (expected > 0 ? !open_memory(x, blocks) : !open_hashes(x, share)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for %s",
                    expected > 0 ? "a Bloom filter for so many states" : "any state");
    bloom_close(&x->base);
    return CLEW_OVER_LIMIT;
  }
  *store = &x->base;
  return CLEW_OK;
}

static const struct clew_option_spec option_specs[] = {
    {CLEW_OPTION_POSITIVE, "bloom-bits", "K",
     "bits set for a state (default: 3, or what is best for the number of states given)",
     .offset = offsetof(struct clew_bloom_options, bits), .least = 1, .most = MOST_BITS},
    {CLEW_OPTION_POSITIVE, "bloom-expect", "N",
     "size the filter for N states instead of by the budget",
     .offset = offsetof(struct clew_bloom_options, expect)},
    {CLEW_OPTION_FLAG, "bloom-classic", NULL,
     "spread the bits of a state over all of the memory instead of one cache line",
     .offset = offsetof(struct clew_bloom_options, classic)},
    {CLEW_OPTION_POSITIVE, "entries", "N", "the same as --bloom-expect",
     .offset = offsetof(struct clew_bloom_options, entries)},
};

const struct clew_store_type clew_store_bloom = {
    .name = "bloom",
    .help = "a Bloom filter of K bits for each state; states may be left out, with an estimate",
    .promises = CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE,
    .options = CLEW_OPTION_TABLE(option_specs, struct clew_bloom_options),
    .open = bloom_open,
    .close = bloom_close,
    .reserve = bloom_reserve,
    .room = bloom_room,
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
