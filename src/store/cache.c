/* The cache store: a table of a fixed size that forgets (Della Penna, Intrigila, Melatti, Tronci
 * and Venturini Zilli, section 4). Since transitions tend to lead to states found recently,
 * remembering some of the states is often enough for a breadth-first search to end; when it ends,
 * every state was visited, though perhaps more than once. When it forgets too much the search would
 * go round for ever: the store then asks to stop (below).
 *
 * Table. A state has a home bucket (the high part of its hash) of sixteen slots; the bucket is the
 * whole chain. A new state takes the first free slot, or else that of a victim chosen at random.
 * Slots are never emptied, so the used ones of a bucket come first.
 *   - Full states: an array of states, `state_bytes` each, and beside it one byte per slot, a tag:
 *     0 for a free slot, else bits of the hash, so that mostly one state at most is compared. This
 *     never calls a new state seen: the store is lossless.
 *   - Signatures of b bits (--hash-bits): packed without gaps, 2 b bytes per bucket; 0 is a free
 *     slot. They are made of those bits of the hash that did not choose the bucket. Two states of a
 *     bucket may have the same one, so a state may be left out; `omission` bounds the chance.
 *
 * Lazy use. All of the table is taken from the budget when the store is opened, but a few states
 * scattered over it would touch gigabytes. So states first go to a *young* table, which is replaced
 * by one eight times as large when it is half full or a bucket overflows, until the table itself is
 * in reach; nothing is forgotten on the way. Where signatures are wanted, young tables hold whole
 * 64-bit hashes, from which everything else can be made. Young tables take a ninth of the memory at
 * most, and none at all when the table is small anyway.
 *
 * Stop rule. A collision is an insertion that overwrites another state. Once there were as many
 * insertions as there are slots (and at least LEAST_JUDGED), `reserve` answers COLLISIONS if the
 * share of collisions among all insertions exceeds the limit, 0.9 by default.
 *
 * Workload: batches of successors, one thread. The engine prefetched tags or signatures; a first
 * pass over a block prefetches the states to be compared or written, the second decides. */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "store/cache_options.h"
#include "store/omission.h"
#include "store/store.h"

enum {
  CHAIN = 16,
  LINE_BYTES = 64,
  BLOCK = 64,          /* visits between the two passes of put */
  SLACK = 16,          /* bytes behind the last slot that may be read */
  YOUNG_BUCKETS = 256, /* of the first young table */
  YOUNG_GROWTH = 8,
  LEAST_JUDGED = 1000 /* insertions before collisions are judged */
};

static const uint64_t SMALL_TABLE_BYTES = 1 << 20; /* not worth a young table */
static const uint64_t UNLIMITED_BYTES = 256 << 20; /* without a budget */
static const double DEFAULT_COLLISION_RATE = 0.9;

struct table {
  struct clew_bigmem memory;
  unsigned char *slots; /* behind the tags, which full states have; in `memory` */
  uint64_t bucket_count;
  size_t bucket_bytes;  /* in slots */
  uint32_t width_bits;  /* of a signature; 0: full states */
  uint32_t bucket_bits; /* of the hash, that choose the bucket */
  bool whole_hashes;    /* signatures are hashes */
};

struct cache {
  struct clew_store base;
  struct table table, young; /* young.bucket_count > 0: it is the one in use */
  uint32_t chain;            /* slots of a bucket; fewer than CHAIN in a tiny cache only */
  size_t state_bytes;
  uint32_t hash_bits; /* 0: full states */
  double max_collision_rate;
  struct clew_random random;
  uint64_t insertions, collisions;
  uint64_t occupied; /* slots */
  uint64_t merged;   /* hashes that became equal signatures when a young table was left */
  /* States called new by a young table and by the table, by the used slots of their bucket. */
  uint64_t young_news[CHAIN + 1], news[CHAIN + 1];
  uint64_t visits;
};

static const struct clew_option_spec OPTIONS[] = {
    {CLEW_OPTION_COUNT, "hash-bits", "B",
     "keep signatures of B bits instead of whole states: more states fit, and some may be left out",
     .offset = offsetof(struct clew_cache_options, hash_bits), .least = 2, .most = 64},
    {CLEW_OPTION_POSITIVE, "entries", "N", "size of the table in states instead of by the budget",
     .offset = offsetof(struct clew_cache_options, entries)},
    {CLEW_OPTION_POSITIVE, "cache-entries", "N", "the same; it counts if both are given",
     .offset = offsetof(struct clew_cache_options, cache_entries)},
    {CLEW_OPTION_REAL, "max-collision-rate", "R",
     "give up when more than this share of the insertions overwrites another state (default: 0.9)",
     .offset = offsetof(struct clew_cache_options, max_collision_rate),
     .least = DBL_MIN, /* above 0 */
     .most = 1},
};

static const struct clew_cache_options *options_of(const struct clew_store_config *config) {
  static const struct clew_cache_options defaults;
  return config->options != NULL ? config->options : &defaults;
}

static struct cache *cache_of(struct clew_store *store) {
  assert(store->type == &clew_store_cache);
  return (struct cache *)store;
}

static const struct cache *cache_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_cache);
  return (const struct cache *)store;
}

/* ---- tables ---- */

static inline uint64_t multiply_high(uint64_t a, uint64_t b) {
  return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static inline uint64_t home_bucket(const struct table *t, uint64_t hash) {
  return multiply_high(hash, t->bucket_count);
}

static inline unsigned char *tags_of(const struct table *t, uint64_t bucket) {
  assert(bucket < t->bucket_count);
  return t->memory.data + bucket * CHAIN;
}

static inline unsigned char *slots_of(const struct table *t, uint64_t bucket) {
  assert(bucket < t->bucket_count);
  return t->slots + bucket * t->bucket_bytes;
}

static inline unsigned char tag_of(uint64_t hash) {
  unsigned char low = (unsigned char)hash;
  return low != 0 ? low : 1;
}

/* From 1 to 2^width - 1, all equally likely. */
static inline uint64_t signature_of(const struct table *t, uint64_t hash) {
  if (t->whole_hashes) {
    return hash != 0 ? hash : 1;
  }
  return 1 + multiply_high(hash << t->bucket_bits, clew_bits_mask(t->width_bits));
}

static inline uint64_t load_signature(const unsigned char *bucket, uint32_t slot, uint32_t width) {
  uint32_t bit = slot * width;
  if (width <= 57) {
    uint64_t word;
    memcpy(&word, bucket + bit / 8, sizeof word);
    return (word >> (bit % 8)) & clew_bits_mask(width);
  }
  unsigned __int128 words;
  memcpy(&words, bucket + bit / 8, sizeof words);
  return (uint64_t)(words >> (bit % 8)) & clew_bits_mask(width);
}

static void store_signature(unsigned char *bucket, uint32_t slot, uint32_t width, uint64_t value) {
  assert(slot < CHAIN);
  assert(value != 0 && value <= clew_bits_mask(width));
  uint32_t bit = slot * width;
  unsigned __int128 words, mask = clew_bits_mask(width);
  memcpy(&words, bucket + bit / 8, sizeof words);
  words &= ~(mask << (bit % 8));
  words |= (unsigned __int128)value << (bit % 8);
  memcpy(bucket + bit / 8, &words, sizeof words);
}

static void table_close(struct table *t) {
  assert(t != NULL);
  clew_bigmem_close(&t->memory);
  *t = (struct table){0};
}

static uint64_t table_bytes(const struct table *t) {
  assert(t->memory.committed_bytes <= t->memory.reserved_bytes);
  return t->memory.committed_bytes;
}

/* Width 0 is for full states, of a signature otherwise; false, taking nothing, when the budget
 * refuses. */
static bool table_open(const struct cache *x, struct table *t, uint64_t buckets, uint32_t width,
                       bool whole_hashes) {
  assert(x->state_bytes > 0);
  assert(width <= 64 && (!whole_hashes || width == 64));
  assert(buckets > 0);
  *t = (struct table){.bucket_count = buckets, .width_bits = width, .whole_hashes = whole_hashes};
  t->bucket_bytes = width == 0 ? CHAIN * x->state_bytes : CHAIN * width / 8;
  t->bucket_bits = clew_bits_for(buckets - 1);
  size_t tag_bytes = width == 0 ? CHAIN : 0;
  if (buckets > SIZE_MAX / 4 / (t->bucket_bytes + tag_bytes) || t->bucket_bits > 60) {
    *t = (struct table){0};
    return false;
  }
  size_t bytes = (size_t)buckets * (t->bucket_bytes + tag_bytes) + SLACK;
  if (!clew_bigmem_open(&t->memory, bytes, x->base.config.budget) ||
      !clew_bigmem_commit(&t->memory, bytes)) {
    table_close(t);
    return false;
  }
  t->slots = t->memory.data + buckets * tag_bytes;
  assert((width == 0) == (t->slots != t->memory.data));
  return true;
}

static inline struct table *table_in_use(struct cache *x) {
  return x->young.bucket_count > 0 ? &x->young : &x->table;
}

static const struct table *table_in_use_const(const struct cache *x) {
  return x->young.bucket_count > 0 ? &x->young : &x->table;
}

/* ---- looking up ---- */

/* Bit i: slot i has the tag; slot i is free. */
struct scan {
  uint32_t matches, empties;
};

static inline struct scan scan_tags(const unsigned char *tags, unsigned char tag) {
#ifdef __SSE2__
  __m128i line;
  memcpy(&line, tags, sizeof line);
  return (struct scan){(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(line, _mm_set1_epi8((char)tag))),
                       (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(line, _mm_setzero_si128()))};
#else
  struct scan scan = {0, 0};
  for (uint32_t i = 0; i < CHAIN; i++) {
    scan.matches |= (uint32_t)(tags[i] == tag) << i;
    scan.empties |= (uint32_t)(tags[i] == 0) << i;
  }
  return scan;
#endif
}

static inline uint32_t used_slots(const struct cache *x, struct scan scan) {
  uint32_t used = scan.empties != 0 ? (uint32_t)__builtin_ctz(scan.empties) : CHAIN;
  return used < x->chain ? used : x->chain;
}

/* Whether the state is there; else how many slots of its bucket are used. */
static inline bool find_state(const struct cache *x, const struct table *t, uint64_t hash,
                              const void *state, uint32_t *used) {
  assert(t->width_bits == 0);
  uint64_t bucket = home_bucket(t, hash);
  struct scan scan = scan_tags(tags_of(t, bucket), tag_of(hash));
  *used = used_slots(x, scan);
  for (; scan.matches != 0; scan.matches &= scan.matches - 1) {
    uint32_t slot = (uint32_t)__builtin_ctz(scan.matches);
    if (memcmp(slots_of(t, bucket) + slot * x->state_bytes, state, x->state_bytes) == 0) {
      return true;
    }
  }
  return false;
}

static inline bool find_signature(const struct cache *x, const struct table *t, uint64_t hash,
                                  uint32_t *used) {
  assert(t->width_bits != 0);
  const unsigned char *bucket = slots_of(t, home_bucket(t, hash));
  uint64_t wanted = signature_of(t, hash);
  for (uint32_t slot = 0; slot < x->chain; slot++) {
    uint64_t found = load_signature(bucket, slot, t->width_bits);
    if (found == wanted || found == 0) {
      *used = slot;
      return found != 0;
    }
  }
  *used = x->chain;
  return false;
}

static inline bool find(const struct cache *x, const struct table *t, uint64_t hash,
                        const void *state, uint32_t *used) {
  return t->width_bits == 0 ? find_state(x, t, hash, state, used)
                            : find_signature(x, t, hash, used);
}

/* Writes what find did not find; a random victim gives way when all slots are used. */
static inline void insert(struct cache *x, struct table *t, uint64_t hash, const void *state,
                          uint32_t used) {
  assert(used <= x->chain);
  uint64_t bucket = home_bucket(t, hash);
  uint32_t slot = used;
  if (used == x->chain) {
    slot = (uint32_t)clew_random_below(&x->random, x->chain);
    x->collisions++;
  } else {
    x->occupied++;
  }
  if (t->width_bits == 0) {
    tags_of(t, bucket)[slot] = tag_of(hash);
    memcpy(slots_of(t, bucket) + slot * x->state_bytes, state, x->state_bytes);
  } else {
    store_signature(slots_of(t, bucket), slot, t->width_bits, signature_of(t, hash));
  }
}

/* ---- young tables ---- */

/* The hash of what is in a slot, whose state is copied to *state; 0 when the slot is free. */
static bool slot_hash(const struct cache *x, const struct table *t, uint64_t bucket, uint32_t slot,
                      uint64_t *state, uint64_t *hash) {
  assert(slot < CHAIN);
  if (t->width_bits != 0) {
    assert(t->whole_hashes);
    *hash = load_signature(slots_of(t, bucket), slot, t->width_bits);
    return *hash != 0;
  }
  if (tags_of(t, bucket)[slot] == 0) {
    return false;
  }
  state[x->base.config.words - 1] = 0;
  memcpy(state, slots_of(t, bucket) + slot * x->state_bytes, x->state_bytes);
  *hash = clew_hash_words(state, x->base.config.words, x->base.config.seed);
  return true;
}

static void move_all(struct cache *x, const struct table *from, struct table *to) {
  uint64_t *state = clew_alloc(x->base.config.words * sizeof *state), hash;
  uint32_t used;
  uint64_t before = x->occupied + x->merged + x->collisions;
  assert(from->width_bits == 0 || from->whole_hashes);
  x->occupied = 0;
  for (uint64_t bucket = 0; bucket < from->bucket_count; bucket++) {
    for (uint32_t slot = 0; slot < x->chain; slot++) {
      if (!slot_hash(x, from, bucket, slot, state, &hash)) {
        break;
      }
      if (find(x, to, hash, state, &used)) {
        x->merged++;
      } else {
        insert(x, to, hash, state, used);
      }
    }
  }
  clew_free(state);
  assert(x->occupied + x->merged + x->collisions == before);
  (void)before;
}

/* Opens a young table if one is worth it and the budget allows. */
static bool young_open(const struct cache *x, struct table *young, uint64_t buckets) {
  assert(buckets > 0);
  assert(x->table.bucket_count > 0);
  bool hashes = x->hash_bits != 0;
  uint64_t bucket_bytes = CHAIN * (hashes ? sizeof(uint64_t) : x->state_bytes + 1);
  uint64_t bytes = table_bytes(&x->table);
  *young = (struct table){0};
  return bytes > SMALL_TABLE_BYTES && buckets <= bytes / 8 / bucket_bytes &&
         buckets < x->table.bucket_count && table_open(x, young, buckets, hashes ? 64 : 0, hashes);
}

/* Replaces the young table by a larger one, or by the table itself. */
static __attribute__((noinline)) void young_grow(struct cache *x) {
  assert(x->young.bucket_count > 0);
  struct table old = x->young, larger;
  bool stays_young = young_open(x, &larger, old.bucket_count * YOUNG_GROWTH);
  move_all(x, &old, stays_young ? &larger : &x->table);
  table_close(&old);
  x->young = larger;
  assert(!stays_young || larger.bucket_count > old.bucket_count);
}

static inline bool young_is_full(const struct cache *x, uint32_t used) {
  return x->young.bucket_count > 0 &&
         (used == x->chain || x->occupied >= x->young.bucket_count * CHAIN / 2);
}

/* ---- visits ---- */

static enum clew_room cache_reserve(struct clew_store *store, uint32_t insertions) {
  const struct cache *x = cache_of(store);
  (void)insertions; /* there is always room */
  assert(x->collisions <= x->insertions);
  uint64_t slots = x->table.bucket_count * x->chain;
  bool judged = x->insertions >= LEAST_JUDGED && x->insertions >= slots;
  bool too_many = (double)x->collisions > x->max_collision_rate * (double)x->insertions;
  return judged && too_many ? CLEW_ROOM_COLLISIONS : CLEW_ROOM;
}

static inline void prefetch_range(const unsigned char *at, size_t bytes) {
  const unsigned char *last = at + bytes - 1;
  __builtin_prefetch(at, 1);
  if (((uintptr_t)at ^ (uintptr_t)last) / LINE_BYTES != 0) {
    __builtin_prefetch(last, 1);
  }
}

static void cache_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct table *t = table_in_use_const(cache_of_const(store));
  uint64_t bucket = home_bucket(t, hash);
  if (t->width_bits == 0) {
    __builtin_prefetch(tags_of(t, bucket), 1);
  } else {
    prefetch_range(slots_of(t, bucket), t->bucket_bytes);
  }
}

/* Asks for the state that this visit will be compared with, or for the place it will take. */
static inline void look_ahead(const struct cache *x, const struct table *t, uint64_t hash) {
  assert(t->width_bits == 0);
  uint64_t bucket = home_bucket(t, hash);
  struct scan scan = scan_tags(tags_of(t, bucket), tag_of(hash));
  uint32_t used = used_slots(x, scan);
  uint32_t slot = scan.matches != 0 ? (uint32_t)__builtin_ctz(scan.matches) : used;
  if (slot < x->chain) {
    prefetch_range(slots_of(t, bucket) + slot * x->state_bytes, x->state_bytes);
  }
}

static inline void put_one(struct cache *x, struct clew_visit *visit) {
  struct table *t = table_in_use(x);
  uint32_t used;
  if (find(x, t, visit->hash, visit->state, &used)) {
    visit->answer = CLEW_SEEN;
    return;
  }
  while (__builtin_expect(young_is_full(x, used), 0)) {
    young_grow(x);
    t = table_in_use(x);
    /* The coarser signatures of the table may know it now, as any that is put there later. */
    if (find(x, t, visit->hash, visit->state, &used)) {
      visit->answer = CLEW_SEEN;
      return;
    }
  }
  (x->young.bucket_count > 0 ? x->young_news : x->news)[used]++;
  insert(x, t, visit->hash, visit->state, used);
  visit->answer = CLEW_NEW;
  visit->id = x->insertions++;
}

static void cache_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  assert(count == 0 || visits != NULL);
  struct cache *x = cache_of(store);
  for (uint32_t first = 0; first < count; first += BLOCK) {
    uint32_t end = count - first < BLOCK ? count : first + BLOCK;
    const struct table *t = table_in_use(x);
    for (uint32_t i = first; i < end && t->width_bits == 0; i++) {
      look_ahead(x, t, visits[i].hash);
    }
    for (uint32_t i = first; i < end; i++) {
      put_one(x, visits + i);
    }
  }
  x->visits += count;
  assert(x->insertions >= x->occupied);
}

/* ---- opening ---- */

static void cache_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct cache *x = cache_of(store);
  assert(x->insertions >= x->collisions + x->merged);
  table_close(&x->table);
  table_close(&x->young);
  clew_free(x);
}

/* The bytes of a state that are not used are the last ones only where low bytes come first. */
static size_t bytes_of_state(const struct clew_store_config *config) {
  assert(config->words > 0);
  size_t all = config->words * sizeof(uint64_t);
  bool low_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  assert(config->bytes <= all && (config->bytes == 0 || config->bytes > all - sizeof(uint64_t)));
  return config->bytes == 0 || !low_first ? all : config->bytes;
}

static enum clew_status check_options(const struct clew_cache_options *options,
                                      struct clew_diag_sink *diags) {
  assert(options != NULL);
  assert(diags != NULL);
  if (options->hash_bits == 1 || options->hash_bits > 64) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "a signature has 2 to 64 bits, not %" PRIu64,
                    options->hash_bits);
    return CLEW_BAD_USAGE;
  }
  if (!(options->max_collision_rate >= 0 && options->max_collision_rate <= 1)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "a collision rate is between 0 and 1, not %g",
                    options->max_collision_rate);
    return CLEW_BAD_USAGE;
  }
  return CLEW_OK;
}

/* Buckets for what the options ask for; 0 when they leave it to the budget. */
static uint64_t buckets_asked_for(struct cache *x, const struct clew_cache_options *options) {
  assert(options != NULL);
  assert(x->chain == CHAIN);
  uint64_t entries = options->cache_entries != 0 ? options->cache_entries : options->entries;
  if (entries != 0 && entries < CHAIN) {
    x->chain = (uint32_t)entries;
    return 1;
  }
  return entries / CHAIN + (entries % CHAIN != 0);
}

/* Three quarters of what is left, of which young tables may take a ninth; less if refused, which
 * may be by the system. */
static bool open_by_budget(struct cache *x) {
  assert(x->state_bytes > 0);
  assert(x->table.bucket_count == 0);
  const struct clew_budget *budget = x->base.config.budget;
  uint64_t bytes = budget != NULL ? clew_budget_left(budget) / 4 * 3 : UNLIMITED_BYTES;
  uint64_t bucket_bytes =
      x->hash_bits != 0 ? CHAIN * x->hash_bits / 8 : CHAIN * (x->state_bytes + 1);
  assert(bucket_bytes > 0);
  if (bytes > SMALL_TABLE_BYTES) {
    bytes = bytes / 9 * 8;
  }
  for (uint64_t buckets = bytes / bucket_bytes; buckets > 0; buckets -= buckets / 16 + 1) {
    if (table_open(x, &x->table, buckets, x->hash_bits, false)) {
      return true;
    }
  }
  return false;
}

static bool open_table(struct cache *x, struct clew_diag_sink *diags) {
  uint64_t buckets = buckets_asked_for(x, options_of(&x->base.config));
  assert(x->base.config.words > 0);
  assert(x->chain > 0 && x->chain <= CHAIN);
  if (buckets == 0) {
    bool opened = open_by_budget(x);
    if (!opened) {
      clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for any state");
    }
    return opened;
  }
  if (!table_open(x, &x->table, buckets, x->hash_bits, false)) {
    char count[32];
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the memory budget is too small for a cache of %s states",
                    clew_text_count(buckets * x->chain, count));
    return false;
  }
  return true;
}

static enum clew_status cache_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0);
  const struct clew_cache_options *options = options_of(config);
  enum clew_status status = check_options(options, diags);
  if (status != CLEW_OK) {
    return status;
  }
  struct cache *x = clew_alloc_zero(1, sizeof *x);
  x->base.type = &clew_store_cache;
  x->base.config = *config;
  x->hash_bits = (uint32_t)options->hash_bits;
  x->base.promises = x->hash_bits == 0 ? CLEW_STORE_LOSSLESS : 0;
  x->chain = CHAIN;
  x->state_bytes = bytes_of_state(config);
  x->max_collision_rate =
      options->max_collision_rate > 0 ? options->max_collision_rate : DEFAULT_COLLISION_RATE;
  clew_random_seed(&x->random, config->seed);
  if (!open_table(x, diags)) {
    cache_close(&x->base);
    return CLEW_OVER_LIMIT;
  }
  if (!young_open(x, &x->young, YOUNG_BUCKETS)) {
    assert(x->young.bucket_count == 0);
  }
  assert(x->table.width_bits == x->hash_bits && x->occupied == 0);
  *store = &x->base;
  return CLEW_OK;
}

/* ---- figures ---- */

static uint64_t cache_count(const struct clew_store *store) {
  assert(cache_of_const(store)->insertions <= CLEW_ID_LIMIT);
  return cache_of_const(store)->insertions;
}

/* Of the table in use: while that is a young one the rest is promised, but not touched. */
static uint64_t cache_bytes(const struct clew_store *store) {
  assert(store->config.words > 0);
  return table_bytes(table_in_use_const(cache_of_const(store)));
}

/* Each state called new was compared with the signatures in its bucket, all different, and would
 * have been left out had it had one of those. States that are new again after they were forgotten
 * count again, so the sum is on the safe side. Only the bits of the hash that do not choose the
 * bucket distinguish states; young tables have all of these. */
static struct clew_omission omission_of(const struct cache *x) {
  assert(x->hash_bits <= 64);
  assert(x->table.bucket_bits <= 60);
  struct clew_omission omission = {0, 0, 0};
  uint32_t other_bits = 64 - x->table.bucket_bits;
  uint32_t bits = x->hash_bits < other_bits ? x->hash_bits : other_bits;
  for (uint32_t used = 0; used <= CHAIN && bits != 0; used++) {
    clew_omission_add(&omission, used / (ldexp(1, (int)bits) - 1), (double)x->news[used]);
    clew_omission_add(&omission, used / (ldexp(1, (int)other_bits) - 1),
                      (double)x->young_news[used]);
  }
  return omission;
}

static double cache_omission(const struct clew_store *store) {
  struct clew_omission omission = omission_of(cache_of_const(store));
  return clew_omission_any(&omission);
}

static void cache_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct cache *x = cache_of_const(store);
  assert(x->visits >= x->insertions);
  assert(x->occupied <= x->table.bucket_count * x->chain);
  clew_counters_count(out, "entries", x->table.bucket_count * x->chain);
  clew_counters_count(out, "chain", x->chain);
  clew_counters_count(out, "entry_bits",
                      x->hash_bits != 0 ? x->hash_bits : (x->state_bytes + 1) * 8);
  clew_counters_count(out, "occupied", x->occupied);
  clew_counters_count(out, "visits", x->visits);
  clew_counters_count(out, "insertions", x->insertions);
  clew_counters_count(out, "collisions", x->collisions);
  clew_counters_real(out, "collision_rate",
                     x->insertions > 0 ? (double)x->collisions / (double)x->insertions : 0);
  if (x->hash_bits != 0) {
    struct clew_omission omission = omission_of(x);
    clew_counters_real(out, "expected_omissions", omission.expected);
  }
}

/* ---- validation ---- */

/* What is in a used slot of a bucket: belongs there, has the right tag, and is there once. */
static const char *validate_slot(const struct cache *x, const struct table *t, uint64_t bucket,
                                 uint32_t slot, uint64_t *state) {
  assert(slot < x->chain);
  uint64_t hash;
  if (t->width_bits != 0) {
    uint64_t mine = load_signature(slots_of(t, bucket), slot, t->width_bits);
    for (uint32_t i = 0; i < slot; i++) {
      if (load_signature(slots_of(t, bucket), i, t->width_bits) == mine) {
        return "a signature is in its bucket twice";
      }
    }
    return t->whole_hashes && home_bucket(t, mine) != bucket ? "a hash is in a wrong bucket" : NULL;
  }
  if (!slot_hash(x, t, bucket, slot, state, &hash)) {
    return "a used slot is free";
  }
  const unsigned char *mine = slots_of(t, bucket) + slot * x->state_bytes;
  for (uint32_t i = 0; i < slot; i++) {
    if (memcmp(slots_of(t, bucket) + i * x->state_bytes, mine, x->state_bytes) == 0) {
      return "a state is in its bucket twice";
    }
  }
  if (home_bucket(t, hash) != bucket || tags_of(t, bucket)[slot] != tag_of(hash)) {
    return "a state has a wrong bucket or tag";
  }
  return NULL;
}

static bool slot_is_used(const struct table *t, uint64_t bucket, uint32_t slot) {
  assert(slot < CHAIN);
  return t->width_bits == 0 ? tags_of(t, bucket)[slot] != 0
                            : load_signature(slots_of(t, bucket), slot, t->width_bits) != 0;
}

static const char *validate_bucket(const struct cache *x, const struct table *t, uint64_t bucket,
                                   uint64_t *state, uint64_t *used_slots_seen) {
  assert(x->chain > 0 && x->chain <= CHAIN);
  bool may_be_used = true;
  for (uint32_t slot = 0; slot < CHAIN; slot++) {
    if (!slot_is_used(t, bucket, slot)) {
      may_be_used = false;
      continue;
    }
    if (!may_be_used || slot >= x->chain) {
      return "a used slot follows a free one";
    }
    ++*used_slots_seen;
    const char *why = validate_slot(x, t, bucket, slot, state);
    if (why != NULL) {
      return why;
    }
  }
  return NULL;
}

static bool cache_validate(const struct clew_store *store, const char **why) {
  const struct cache *x = cache_of_const(store);
  const struct table *t = table_in_use_const(x);
  assert(why != NULL && !store->shared);
  assert(t->bucket_count > 0);
  uint64_t *state = clew_alloc(store->config.words * sizeof *state), used = 0;
  *why = NULL;
  for (uint64_t bucket = 0; bucket < t->bucket_count && *why == NULL; bucket++) {
    *why = validate_bucket(x, t, bucket, state, &used);
  }
  clew_free(state);
  if (*why == NULL && used != x->occupied) {
    *why = "the number of used slots is wrong";
  }
  if (*why == NULL && x->insertions != x->occupied + x->collisions + x->merged) {
    *why = "insertions, collisions and used slots do not agree";
  }
  return *why == NULL;
}

const struct clew_store_type clew_store_cache = {
    .name = "cache",
    .help = "a table of fixed size that forgets states, of full states or of signatures",
    .promises = CLEW_STORE_LOSSLESS,
    .options = CLEW_OPTION_TABLE(OPTIONS, struct clew_cache_options),
    .open = cache_open,
    .close = cache_close,
    .reserve = cache_reserve,
    .prefetch = cache_prefetch,
    .put = cache_put,
    .count = cache_count,
    .bytes = cache_bytes,
    .omission = cache_omission,
    .counters = cache_counters,
    .validate = cache_validate,
};
