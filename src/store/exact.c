/* The exact store: every state is kept as it is, and found again through a compact index.
 *
 * Two regions that grow in place. The *arena* holds state i at bytes * i, where bytes leaves out
 * what is never used of the last word: ids are dense, in the order of insertion, and a state costs
 * its bytes and nothing else. The *index* is an array of 64-byte buckets of sixteen 32-bit entries,
 * one cache line each; an entry is 0 when empty, else a tag (low bits of the hash) above id + 1.
 * The home bucket comes from the high bits of the hash (multiplied by the number of buckets, so the
 * index may have any size); a full bucket overflows into the next. As ids need more bits the tag
 * gets fewer: tags only save comparisons.
 *
 * The index is a function of the arena. Growing it is therefore forgetting it and inserting
 * all states again, in place: there is never an old and a new one. It grows by half at a
 * load of 0.8 (5 to 7.5 bytes per state; doubling would be a little faster and take 5 to 10), but
 * never beyond what the states that still fit into the budget can use; when that is little, the
 * load may rise to 0.95 before the store says that it is full.
 *
 * Threads. Entries change only from empty to busy(tag) to (tag, id), and a probe sequence is filled
 * from its start: a thread claims an empty entry by compare-and-swap only after it has seen all
 * earlier entries of the sequence taken, and has compared its state with those of the same tag,
 * waiting for the busy ones. Of two threads that insert the same state the one that claims the
 * later entry would have met the earlier one, which has the same tag: so a state is published once.
 * The winner of a claim alone takes an id, writes the state and then publishes the entry (release;
 * readers acquire), so no id is skipped. No lock is held; a reader waits only for a writer between
 * claim and publication of an entry with the same tag. With one thread the same code runs without
 * the compare-and-swap.
 *
 * Workload: batches of successors, most of them seen before. The engine has prefetched the buckets;
 * a first pass over a block prefetches the arena lines of the candidates, the second decides. */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SANITIZE_THREAD__
#define WHOLE_LINES 0 /* a vector load is no atomic access to the language */
#elif defined(__has_feature)
#define WHOLE_LINES !__has_feature(thread_sanitizer)
#else
#define WHOLE_LINES 1
#endif

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/hash.h"
#include "store/store.h"

enum {
  BUCKET_ENTRIES = 16,
  BUCKET_BYTES = 64,
  FIRST_BUCKETS = 64,
  BLOCK = 64,              /* visits between the two passes of put */
  REBUILD_DISTANCE = 64,   /* states between hashing and inserting when the index is rebuilt */
  PREFETCH_CANDIDATES = 4, /* of one bucket, where tags are short */
  SLACK = 8                /* bytes behind the last state that may be read */
};

#define MAX_STATES (UINT64_C(0xffffffff) - 1) /* id + 1 and the busy mark share 32 bits */
#define NO_CANDIDATE UINT64_MAX

typedef _Atomic uint32_t entry_word;
static_assert(sizeof(entry_word) * BUCKET_ENTRIES == BUCKET_BYTES, "a bucket is a cache line");

struct counters {
  uint64_t overflows, mismatches;
};

struct exact {
  struct clew_store base;
  struct clew_bigmem arena, index;
  size_t state_bytes; /* in the arena */
  uint64_t tail_mask; /* of the last word: what is in the arena */
  uint64_t bucket_count;
  uint32_t id_bits, id_mask, tag_mask;
  uint64_t room; /* states that fit without another reserve */
  uint32_t growths;
  double growth_s;
  _Atomic uint64_t visits, overflows, mismatches;
  char own_line[BUCKET_BYTES]; /* threads that insert do not disturb those that read the above */
  _Atomic uint64_t count;
};

static struct exact *exact_of(struct clew_store *store) {
  assert(store->type == &clew_store_exact);
  return (struct exact *)store;
}

static const struct exact *exact_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_exact);
  return (const struct exact *)store;
}

static uint64_t count_of(const struct exact *x) {
  return atomic_load_explicit(&x->count, memory_order_relaxed);
}

/* ---- the index ---- */

static uint64_t normal_capacity(uint64_t buckets) {
  return buckets * BUCKET_ENTRIES * 4 / 5;
}

static uint64_t crowded_capacity(uint64_t buckets) {
  uint64_t states = buckets * BUCKET_ENTRIES * 19 / 20;
  return states < MAX_STATES ? states : MAX_STATES;
}

static uint64_t buckets_for(uint64_t states) {
  return states * 5 / (BUCKET_ENTRIES * 4) + 1;
}

static inline uint64_t home_bucket(const struct exact *x, uint64_t hash) {
  return (uint64_t)(((unsigned __int128)hash * x->bucket_count) >> 64);
}

static inline uint64_t next_bucket(const struct exact *x, uint64_t bucket) {
  return bucket + 1 < x->bucket_count ? bucket + 1 : 0;
}

static inline entry_word *bucket_at(const struct exact *x, uint64_t bucket) {
  assert(bucket < x->bucket_count);
  return (entry_word *)(void *)x->index.data + bucket * BUCKET_ENTRIES;
}

static inline uint32_t tag_of(const struct exact *x, uint64_t hash) {
  return (uint32_t)(hash << x->id_bits);
}

static inline unsigned char *state_at(const struct exact *x, uint64_t id) {
  return x->arena.data + id * x->state_bytes;
}

static inline uint64_t load_word(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Reads whole words, also of the last one, hence the slack behind the arena's last state. */
static inline void unpack(const struct exact *x, const unsigned char *from, uint64_t *to) {
  uint32_t last = x->base.config.words - 1;
  for (uint32_t i = 0; i < last; i++) {
    to[i] = load_word(from + i * sizeof *to);
  }
  to[last] = load_word(from + last * sizeof *to) & x->tail_mask;
}

/* Bit i: entry i is taken and has the tag; entry i is empty. */
struct scan {
  uint32_t matches, empties;
};

/* Other threads may be writing: the lanes are seen at different moments, each of them whole and
 * once (hence volatile: a lane read twice could be neither empty nor a match). That is enough: what
 * was seen as taken stays so with its tag, and what was seen as empty is confirmed by the
 * compare-and-swap. */
#if defined(__SSE2__) && WHOLE_LINES
static inline uint32_t lanes_mask(__m128i a, __m128i b, __m128i c, __m128i d) {
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
}

static inline struct scan scan_bucket(const entry_word *bucket, uint32_t tag, uint32_t tag_mask) {
  const volatile __m128i *line = (const volatile __m128i *)(const void *)bucket;
  __m128i a = line[0], b = line[1], c = line[2], d = line[3];
  __m128i wanted = _mm_set1_epi32((int)tag), mask = _mm_set1_epi32((int)tag_mask);
  __m128i zero = _mm_setzero_si128();
  struct scan scan = {.empties = lanes_mask(_mm_cmpeq_epi32(a, zero), _mm_cmpeq_epi32(b, zero),
                                            _mm_cmpeq_epi32(c, zero), _mm_cmpeq_epi32(d, zero))};
  scan.matches = lanes_mask(_mm_cmpeq_epi32(_mm_and_si128(a, mask), wanted),
                            _mm_cmpeq_epi32(_mm_and_si128(b, mask), wanted),
                            _mm_cmpeq_epi32(_mm_and_si128(c, mask), wanted),
                            _mm_cmpeq_epi32(_mm_and_si128(d, mask), wanted)) &
                 ~scan.empties;
  return scan;
}
#else
static inline struct scan scan_bucket(const entry_word *bucket, uint32_t tag, uint32_t tag_mask) {
  struct scan scan = {0, 0};
  for (uint32_t i = 0; i < BUCKET_ENTRIES; i++) {
    uint32_t entry = atomic_load_explicit(bucket + i, memory_order_relaxed);
    scan.matches |= (uint32_t)((entry & tag_mask) == tag && entry != 0) << i;
    scan.empties |= (uint32_t)(entry == 0) << i;
  }
  return scan;
}
#endif

static inline void pause_briefly(unsigned spins) {
  if (spins % 64 == 63) {
    sched_yield(); /* the writer may be waiting for this very processor */
  }
#ifdef __SSE2__
  _mm_pause();
#endif
}

/* The id in a taken entry; waits while the entry is busy. */
static inline uint64_t entry_id(const struct exact *x, const entry_word *entry) {
  uint32_t number = atomic_load_explicit(entry, memory_order_acquire) & x->id_mask;
  for (unsigned spins = 0; __builtin_expect(number == x->id_mask, 0); spins++) {
    pause_briefly(spins);
    number = atomic_load_explicit(entry, memory_order_acquire) & x->id_mask;
  }
  assert(number > 0);
  return number - 1;
}

static void index_configure(struct exact *x) {
  x->bucket_count = x->index.committed_bytes / BUCKET_BYTES;
  /* The largest number of the width is the busy mark, 0 is left to empty entries. */
  x->id_bits = clew_bits_for(crowded_capacity(x->bucket_count) + 1);
  assert(x->id_bits >= 1 && x->id_bits <= 32);
  x->id_mask = (uint32_t)clew_bits_mask(x->id_bits);
  x->tag_mask = ~x->id_mask;
}

/* Inserts a state that is known to be absent; nobody else is using the index. */
static void insert_distinct(struct exact *x, uint64_t hash, uint64_t id) {
  uint64_t bucket = home_bucket(x, hash);
  struct scan scan;
  while ((scan = scan_bucket(bucket_at(x, bucket), 0, 0)).empties == 0) {
    bucket = next_bucket(x, bucket);
  }
  entry_word *entry = bucket_at(x, bucket) + __builtin_ctz(scan.empties);
  atomic_store_explicit(entry, tag_of(x, hash) | (uint32_t)(id + 1), memory_order_relaxed);
}

static uint64_t hash_of(const struct exact *x, uint64_t id, uint64_t *scratch) {
  unpack(x, state_at(x, id), scratch);
  return clew_hash_words(scratch, x->base.config.words, x->base.config.seed);
}

static void index_rebuild(struct exact *x, size_t old_bytes) {
  uint64_t ring[REBUILD_DISTANCE], count = count_of(x);
  uint64_t *scratch = clew_alloc(x->base.config.words * sizeof *scratch);
  memset(x->index.data, 0, old_bytes);
  index_configure(x);
  assert(count <= normal_capacity(x->bucket_count));
  for (uint64_t id = 0; id < count + REBUILD_DISTANCE; id++) {
    if (id >= REBUILD_DISTANCE) {
      insert_distinct(x, ring[id % REBUILD_DISTANCE], id - REBUILD_DISTANCE);
    }
    if (id < count) {
      uint64_t hash = hash_of(x, id, scratch);
      __builtin_prefetch(bucket_at(x, home_bucket(x, hash)), 1);
      ring[id % REBUILD_DISTANCE] = hash;
    }
  }
  clew_free(scratch);
}

/* ---- growth ---- */

/* How many buckets to have when the index must hold `states`; as many as before when the budget
 * has too little left for a rebuild to pay. */
static uint64_t buckets_wanted(const struct exact *x, uint64_t states) {
  uint64_t buckets = x->bucket_count + x->bucket_count / 2, needed = buckets_for(states);
  if (buckets < needed) {
    buckets = needed;
  }
  struct clew_budget *budget = x->base.config.budget;
  if (budget != NULL) {
    uint64_t state_and_entry_bytes = x->state_bytes + sizeof(entry_word) * 5 / 4;
    uint64_t useful = buckets_for(states + clew_budget_left(budget) / state_and_entry_bytes);
    buckets = buckets < useful ? buckets : useful;
  }
  uint64_t limit = x->index.reserved_bytes / BUCKET_BYTES;
  buckets = buckets < limit ? buckets : limit;
  bool pays = buckets >= needed && buckets >= x->bucket_count + x->bucket_count / 16;
  return pays ? buckets : x->bucket_count;
}

static bool index_grow(struct exact *x, uint64_t states) {
  uint64_t buckets = buckets_wanted(x, states);
  size_t old_bytes = x->index.committed_bytes;
  if (buckets <= x->bucket_count || !clew_bigmem_commit(&x->index, buckets * BUCKET_BYTES)) {
    return false;
  }
  double start_s = clew_clock_wall_s();
  index_rebuild(x, old_bytes);
  x->growth_s += clew_clock_wall_s() - start_s;
  x->growths++;
  return true;
}

static bool make_room(struct exact *x, uint64_t states) {
  assert(states > x->room);
  if (states > MAX_STATES || !clew_bigmem_commit(&x->arena, states * x->state_bytes + SLACK)) {
    return false;
  }
  uint64_t room = normal_capacity(x->bucket_count);
  if (states > room) {
    bool grown = index_grow(x, states);
    room = grown ? normal_capacity(x->bucket_count) : crowded_capacity(x->bucket_count);
  }
  if (states > room) {
    return false;
  }
  uint64_t in_arena = (x->arena.committed_bytes - SLACK) / x->state_bytes;
  x->room = room < in_arena ? room : in_arena;
  x->room = x->room < MAX_STATES ? x->room : MAX_STATES;
  assert(x->room >= states);
  return true;
}

static enum clew_room exact_reserve(struct clew_store *store, uint32_t insertions) {
  struct exact *x = exact_of(store);
  uint64_t states = count_of(x) + insertions;
  return states <= x->room || make_room(x, states) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

/* ---- visits ---- */

static inline bool same_state(const struct exact *x, uint64_t id, const uint64_t *state) {
  const unsigned char *stored = state_at(x, id);
  uint32_t last = x->base.config.words - 1;
  for (uint32_t i = 0; i < last; i++) {
    if (load_word(stored + i * sizeof *state) != state[i]) {
      return false;
    }
  }
  return (load_word(stored + last * sizeof *state) & x->tail_mask) == state[last];
}

static inline void prefetch_state(const struct exact *x, uint64_t id) {
  const unsigned char *first = state_at(x, id), *last = first + x->state_bytes - 1;
  __builtin_prefetch(first);
  if (((uintptr_t)first ^ (uintptr_t)last) / BUCKET_BYTES != 0) {
    __builtin_prefetch(last);
  }
}

static void exact_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct exact *x = exact_of_const(store);
  __builtin_prefetch(bucket_at(x, home_bucket(x, hash)), 1);
}

/* First pass: asks for the states the visit will be compared with and notes the first of them. */
static inline void look_ahead(const struct exact *x, struct clew_visit *visit) {
  entry_word *bucket = bucket_at(x, home_bucket(x, visit->hash));
  struct scan scan = scan_bucket(bucket, tag_of(x, visit->hash), x->tag_mask);
  visit->id = NO_CANDIDATE;
  for (int i = 0; scan.matches != 0 && i < PREFETCH_CANDIDATES; i++) {
    uint32_t entry =
        atomic_load_explicit(bucket + __builtin_ctz(scan.matches), memory_order_acquire);
    scan.matches &= scan.matches - 1;
    uint32_t number = entry & x->id_mask;
    if (number != x->id_mask) {
      prefetch_state(x, number - 1);
      visit->id = visit->id == NO_CANDIDATE ? number - 1 : visit->id;
    }
  }
}

/* Writes the state under a fresh id and makes the entry, which this thread owns, point to it. */
static inline void insert_at(struct exact *x, entry_word *entry, uint32_t tag,
                             struct clew_visit *visit, bool shared) {
  uint64_t id =
      shared ? atomic_fetch_add_explicit(&x->count, 1, memory_order_relaxed) : count_of(x);
  assert(id < x->room);
  assert((visit->state[x->base.config.words - 1] & ~x->tail_mask) == 0);
  memcpy(state_at(x, id), visit->state, x->state_bytes);
  if (!shared) {
    atomic_store_explicit(&x->count, id + 1, memory_order_relaxed);
  }
  atomic_store_explicit(entry, tag | (uint32_t)(id + 1), memory_order_release);
  visit->id = id;
  visit->answer = CLEW_NEW;
}

/* Second pass, when the first candidate was not the state. `shared` is a constant. */
static inline void find_or_insert(struct exact *x, struct clew_visit *visit, bool shared,
                                  struct counters *counters) {
  uint32_t tag = tag_of(x, visit->hash);
  uint64_t bucket = home_bucket(x, visit->hash);
  for (;;) {
    entry_word *entries = bucket_at(x, bucket);
    struct scan scan = scan_bucket(entries, tag, x->tag_mask);
    for (; scan.matches != 0; scan.matches &= scan.matches - 1) {
      uint64_t id = entry_id(x, entries + __builtin_ctz(scan.matches));
      if (same_state(x, id, visit->state)) {
        visit->id = id;
        visit->answer = CLEW_SEEN;
        return;
      }
      counters->mismatches++;
    }
    if (scan.empties == 0) {
      bucket = next_bucket(x, bucket);
      counters->overflows++;
      continue;
    }
    entry_word *entry = entries + __builtin_ctz(scan.empties);
    uint32_t empty = 0;
    if (!shared ||
        atomic_compare_exchange_strong_explicit(entry, &empty, tag | x->id_mask,
                                                memory_order_acquire, memory_order_relaxed)) {
      insert_at(x, entry, tag, visit, shared);
      return;
    }
    /* Another thread was faster, perhaps with the same state: look at the bucket again. */
  }
}

static inline void add_to(_Atomic uint64_t *counter, uint64_t amount, bool shared) {
  if (shared) {
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
  } else {
    uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, old + amount, memory_order_relaxed);
  }
}

static inline __attribute__((always_inline)) void
put_visits(struct exact *x, uint32_t count, struct clew_visit *visits, bool shared) {
  struct counters counters = {0, 0};
  for (uint32_t first = 0; first < count; first += BLOCK) {
    uint32_t end = count - first < BLOCK ? count : first + BLOCK;
    for (uint32_t i = first; i < end; i++) {
      look_ahead(x, visits + i);
    }
    for (uint32_t i = first; i < end; i++) {
      struct clew_visit *visit = visits + i;
      if (visit->id != NO_CANDIDATE && same_state(x, visit->id, visit->state)) {
        visit->answer = CLEW_SEEN;
      } else {
        find_or_insert(x, visit, shared, &counters);
      }
    }
  }
  add_to(&x->visits, count, shared);
  add_to(&x->overflows, counters.overflows, shared);
  add_to(&x->mismatches, counters.mismatches, shared);
}

static void exact_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct exact *x = exact_of(store);
  if (store->config.threads > 1) {
    put_visits(x, count, visits, true);
  } else {
    put_visits(x, count, visits, false);
  }
}

/* ---- the rest of the interface ---- */

static void exact_get(struct clew_store *store, uint64_t first, uint32_t count, uint64_t *out) {
  const struct exact *x = exact_of_const(store);
  assert(first + count <= count_of(x));
  for (uint32_t i = 0; i < count; i++) {
    unpack(x, state_at(x, first + i), out + (size_t)i * store->config.words);
  }
}

static uint64_t exact_count(const struct clew_store *store) {
  return count_of(exact_of_const(store));
}

static uint64_t exact_bytes(const struct clew_store *store) {
  const struct exact *x = exact_of_const(store);
  return x->arena.committed_bytes + x->index.committed_bytes;
}

static void exact_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct exact *x = exact_of(store);
  clew_bigmem_close(&x->arena);
  clew_bigmem_close(&x->index);
  clew_free(x);
}

/* Reserves as many addresses as the system allows, at most `bytes`. */
static bool open_region(struct clew_bigmem *mem, size_t bytes, struct clew_budget *budget) {
  const size_t least_bytes = (size_t)1 << 20;
  if (budget != NULL && bytes > budget->limit_bytes) {
    bytes = budget->limit_bytes > least_bytes ? (size_t)budget->limit_bytes : least_bytes;
  }
  while (!clew_bigmem_open(mem, bytes, budget)) {
    bytes /= 2;
    if (bytes < least_bytes) {
      return false;
    }
  }
  return true;
}

/* The bytes that are not used are the last ones of a word only where its low byte comes first. With
 * threads a state's last word must not reach into the next state, which another one may write. */
static size_t bytes_in_arena(const struct clew_store_config *config) {
  size_t all = config->words * sizeof(uint64_t);
  bool low_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  assert(config->bytes <= all && (config->bytes == 0 || config->bytes > all - sizeof(uint64_t)));
  return config->bytes == 0 || config->threads > 1 || !low_first ? all : config->bytes;
}

static enum clew_status exact_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  struct exact *x = clew_alloc_zero(1, sizeof *x);
  x->base.type = &clew_store_exact;
  x->base.capabilities = clew_store_exact.capabilities;
  x->base.config = *config;
  x->state_bytes = bytes_in_arena(config);
  x->tail_mask =
      clew_bits_mask((uint32_t)(x->state_bytes - (config->words - 1) * sizeof(uint64_t)) * 8);
  size_t most_states = (size_t)MAX_STATES;
  if (!open_region(&x->arena, most_states * x->state_bytes, config->budget) ||
      !open_region(&x->index, buckets_for(most_states) * BUCKET_BYTES, config->budget) ||
      !clew_bigmem_commit(&x->index, FIRST_BUCKETS * BUCKET_BYTES)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for any state");
    exact_close(&x->base);
    return CLEW_OVER_LIMIT;
  }
  index_configure(x);
  *store = &x->base;
  return CLEW_OK;
}

static void exact_counters(const struct clew_store *store, struct clew_json_writer *w) {
  const struct exact *x = exact_of_const(store);
  clew_json_key_u64(w, "arena_bytes", x->arena.committed_bytes);
  clew_json_key_u64(w, "index_bytes", x->index.committed_bytes);
  clew_json_key_double(w, "index_load",
                       (double)count_of(x) / (double)(x->bucket_count * BUCKET_ENTRIES));
  clew_json_key_u64(w, "index_growths", x->growths);
  clew_json_key_double(w, "index_growth_s", x->growth_s);
  clew_json_key_u64(w, "tag_bits", 32 - x->id_bits);
  clew_json_key_u64(w, "visits", x->visits);
  clew_json_key_u64(w, "bucket_overflows", x->overflows);
  clew_json_key_u64(w, "tag_mismatches", x->mismatches);
}

/* ---- validation ---- */

/* Every taken entry names a state of its tag, each state once. */
static const char *validate_entries(const struct exact *x, uint64_t *named, uint64_t *scratch) {
  uint64_t count = count_of(x), taken = 0;
  for (uint64_t i = 0; i < x->bucket_count * BUCKET_ENTRIES; i++) {
    uint32_t entry = bucket_at(x, i / BUCKET_ENTRIES)[i % BUCKET_ENTRIES];
    if (entry == 0) {
      continue;
    }
    uint32_t number = entry & x->id_mask;
    if (number == 0 || number > count) {
      return "an entry names no state";
    }
    if (clew_bitset_has(named, number - 1)) {
      return "two entries name the same state";
    }
    clew_bitset_add(named, number - 1);
    taken++;
    if (tag_of(x, hash_of(x, number - 1, scratch)) != (entry & x->tag_mask)) {
      return "an entry has the wrong tag";
    }
  }
  return taken == count ? NULL : "a state has no entry";
}

/* Each state is found by probing, and it is the first that is equal: there are no duplicates. */
static const char *validate_probes(const struct exact *x, uint64_t *scratch) {
  for (uint64_t id = 0; id < count_of(x); id++) {
    uint64_t hash = hash_of(x, id, scratch), bucket = home_bucket(x, hash), found = UINT64_MAX;
    while (found == UINT64_MAX) {
      entry_word *entries = bucket_at(x, bucket);
      struct scan scan = scan_bucket(entries, tag_of(x, hash), x->tag_mask);
      for (; scan.matches != 0 && found == UINT64_MAX; scan.matches &= scan.matches - 1) {
        uint64_t candidate = entry_id(x, entries + __builtin_ctz(scan.matches));
        if (same_state(x, candidate, scratch)) {
          found = candidate;
        }
      }
      if (found == UINT64_MAX && scan.empties != 0) {
        return "a state cannot be found";
      }
      bucket = next_bucket(x, bucket);
    }
    if (found != id) {
      return "a state is stored twice";
    }
  }
  return NULL;
}

static bool exact_validate(const struct clew_store *store, const char **why) {
  const struct exact *x = exact_of_const(store);
  uint64_t count = count_of(x);
  *why = NULL;
  if (count > crowded_capacity(x->bucket_count) || count > x->room) {
    *why = "more states than room";
  } else {
    uint64_t *named = clew_alloc_zero((size_t)CLEW_BITSET_WORDS(count) + 1, sizeof *named);
    uint64_t *scratch = clew_alloc(store->config.words * sizeof *scratch);
    *why = validate_entries(x, named, scratch);
    if (*why == NULL) {
      *why = validate_probes(x, scratch);
    }
    clew_free(named);
    clew_free(scratch);
  }
  return *why == NULL;
}

const struct clew_store_type clew_store_exact = {
    .name = "exact",
    .help = "every state as it is, with a compact index; grows within the budget",
    .capabilities = CLEW_STORE_LOSSLESS | CLEW_STORE_CONCURRENT | CLEW_STORE_GET | CLEW_STORE_DENSE,
    .open = exact_open,
    .close = exact_close,
    .reserve = exact_reserve,
    .prefetch = exact_prefetch,
    .put = exact_put,
    .get = exact_get,
    .count = exact_count,
    .bytes = exact_bytes,
    .counters = exact_counters,
    .validate = exact_validate,
};
