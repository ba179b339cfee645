/* The exact store: every state is kept as it is, and found again through a compact index.
 *
 * Two regions that grow in place. The *arena* holds state i at bytes * i, where bytes leaves out
 * what is never used of the last word: ids are dense, in the order of insertion, and a state costs
 * its bytes and nothing else. The *index* is an array of 64-byte buckets of sixteen 32-bit entries,
 * one cache line each; an entry is 0 when empty, else a tag (low bits of the hash) above id + 1.
 * The home bucket comes from the high bits of the hash (multiplied by the number of buckets, so the
 * index may have any size); a full bucket overflows into the next. Within buckets, too, the hash
 * says where to begin: what is behind an empty entry from there on need not be looked at. As ids
 * need more bits the tag gets fewer: tags only save comparisons. When there are more states than 32
 * bits can number, the next growth makes the index *wide*: eight 64-bit entries, a tag of 24 bits
 * above 40 bits.
 *
 * The index is a function of the arena. Growing it is therefore forgetting it and inserting
 * all states again, in place: there is never an old and a new one. It grows by half at a
 * load of 0.8 (5 to 7.5 bytes per state; doubling would be a little faster and take 5 to 10), but
 * never beyond what the states that still fit into the budget can use; when that is little, the
 * load may rise to 0.95 before the store says that it is full. The crew shares the work: as states
 * are distinct, its members only have to claim their entries.
 *
 * Threads. Entries change only from empty to busy(tag) to (tag, id), and a probe sequence is filled
 * from its start: a thread claims an empty entry by compare-and-swap only after it has seen all
 * earlier entries of the sequence taken, and has compared its state with those of the same tag,
 * waiting for the busy ones. Of two threads that insert the same state the one that claims the
 * later entry would have met the earlier one, which has the same tag: so a state is published once.
 * The winner of a claim alone takes an id, writes the state and then publishes the entry (release;
 * readers acquire), so no id is skipped. It does so for a block of visits at once, and before it
 * waits. No lock is held; a reader waits only for a writer between claim and publication of an
 * entry with the same tag. While the store is not shared the same code runs without the
 * compare-and-swap.
 *
 * Workload: batches of successors, most of them seen before. The engine has prefetched the buckets;
 * a first pass over a block prefetches the arena lines of the candidates, the second decides. */
#include "store/exact_int.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/hash.h"
#include "store/exact_index_int.h"
#include "store/region_int.h"

enum {
  FIRST_BUCKETS = 64,
  BLOCK = 64,              /* visits between the two passes of put */
  REBUILD_DISTANCE = 64,   /* states between hashing and inserting when the index is rebuilt */
  CREW_FROM = 1 << 16,     /* states that make the crew worth waking */
  PREFETCH_CANDIDATES = 4, /* of one bucket, where tags are short */
};

#define NO_CANDIDATE CLEW_ID_NONE

struct counters {
  uint64_t overflows, mismatches;
};

static struct exact *exact_of(struct clew_store *store) {
  assert(store->type == &clew_store_exact);
  return (struct exact *)store;
}

static const struct exact *exact_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_exact);
  return (const struct exact *)store;
}

/* ---- sizes of the index ---- */

static uint64_t entries_in(uint64_t buckets, bool wide) {
  assert(buckets <= UINT64_MAX / NARROW_ENTRIES);
  return buckets * (wide ? WIDE_ENTRIES : NARROW_ENTRIES);
}

/* States that an index of this width can number. */
static uint64_t most_states(const struct exact *x, bool wide) {
  assert(x->narrow_states <= NARROW_STATES);
  return wide ? MAX_STATES : x->narrow_states;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t normal_capacity(const struct exact *x) {
  return least(entries_in(x->bucket_count, x->wide) * 4 / 5, most_states(x, x->wide));
}

static uint64_t crowded_capacity(const struct exact *x) {
  return least(entries_in(x->bucket_count, x->wide) * 19 / 20, most_states(x, x->wide));
}

static uint64_t buckets_for(uint64_t states, bool wide) {
  assert(states <= MAX_STATES);
  return states * 5 / (entries_in(1, wide) * 4) + 1;
}

/* ---- the index ---- */

static void index_configure(struct exact *x, bool wide) {
  assert(x->index.committed_bytes >= BUCKET_BYTES && (wide || !x->wide));
  x->bucket_count = x->index.committed_bytes / BUCKET_BYTES;
  x->wide = wide;
  /* The largest number of the width is the busy mark, 0 is left to empty entries. */
  x->id_bits = wide ? WIDE_ID_BITS : clew_bits_for(crowded_capacity(x) + 1);
  assert(x->id_bits >= 1 && x->id_bits <= (wide ? WIDE_ID_BITS : 32));
  x->id_mask = clew_bits_mask(x->id_bits);
  x->tag_mask = ~x->id_mask & clew_bits_mask(wide ? 64 : 32);
  assert(crowded_capacity(x) < x->id_mask);
}

/* Inserts a state that is known to be absent; others only do the same. */
ALWAYS_INLINE void insert_distinct(struct exact *x, uint64_t hash, clew_id id, bool shared,
                                   bool wide) {
  uint64_t bucket = home_bucket(x, hash), value = tag_of(x, hash, wide) | (id + 1);
  uint32_t first = first_entry(hash, wide);
  for (;;) {
    unsigned char *entries = bucket_at(x, bucket);
    struct scan scan = wide ? scan_wide(entries, 0, 0) : scan_narrow(entries, 0, 0);
    scan = in_sequence(scan, first, wide);
    if (scan.empties == 0) {
      bucket = next_bucket(x, bucket);
      continue;
    }
    unsigned char *entry = entry_at(entries, place_of_first(scan.empties, first, wide), wide);
    if (!shared) {
      publish_entry(entry, value, wide);
      return;
    }
    if (claim_entry(entry, value, wide)) {
      return;
    }
  }
}

static uint64_t hash_of(const struct exact *x, clew_id id, uint64_t *scratch) {
  assert(id < count_of(x));
  unpack(x, state_at(x, id), scratch);
  return clew_hash_words(scratch, x->base.config.words, x->base.config.seed);
}

/* ---- rebuilding it ---- */

ALWAYS_INLINE void insert_range(struct exact *x, clew_id first, clew_id end, bool shared,
                                bool wide) {
  assert(first <= end && end <= count_of(x));
  uint64_t ring[REBUILD_DISTANCE], count = end - first;
  uint64_t *scratch = clew_alloc(x->base.config.words * sizeof *scratch);
  for (uint64_t i = 0; i < count + REBUILD_DISTANCE; i++) {
    if (i >= REBUILD_DISTANCE) {
      insert_distinct(x, ring[i % REBUILD_DISTANCE], first + i - REBUILD_DISTANCE, shared, wide);
    }
    if (i < count) {
      uint64_t hash = hash_of(x, first + i, scratch);
      __builtin_prefetch(home_of(x, hash), 1);
      ring[i % REBUILD_DISTANCE] = hash;
    }
  }
  clew_free(scratch);
}

struct rebuild {
  struct exact *x;
  uint64_t old_buckets;
  uint32_t members;
};

/* Where the part of a member begins, and that of the one before ends. */
static uint64_t part_of(uint64_t all, uint32_t member, uint32_t members) {
  assert(member <= members);
  return all / members * member + all % members * member / members;
}

static void forget_part(void *context, uint32_t member) {
  assert(member < ((const struct rebuild *)context)->members);
  const struct rebuild *job = context;
  uint64_t first = part_of(job->old_buckets, member, job->members);
  uint64_t end = part_of(job->old_buckets, member + 1, job->members);
  assert(first <= end && end <= job->x->bucket_count);
  memset(job->x->index.data + first * BUCKET_BYTES, 0, (end - first) * BUCKET_BYTES);
}

static void insert_part(void *context, uint32_t member) {
  const struct rebuild *job = context;
  struct exact *x = job->x;
  clew_id first = part_of(count_of(x), member, job->members);
  clew_id end = part_of(count_of(x), member + 1, job->members);
  assert(member < job->members);
  assert(first <= end && end <= count_of(x));
  if (job->members == 1 && !x->wide) {
    insert_range(x, first, end, false, false);
  } else if (job->members == 1) {
    insert_range(x, first, end, false, true);
  } else if (!x->wide) {
    insert_range(x, first, end, true, false);
  } else {
    insert_range(x, first, end, true, true);
  }
}

static void index_rebuild(struct exact *x, uint64_t old_buckets, bool wide) {
  struct clew_crew *crew = x->base.config.crew;
  struct rebuild job = {.x = x, .old_buckets = old_buckets, .members = 1};
  if (count_of(x) >= CREW_FROM) {
    job.members = clew_crew_size(crew);
  }
  clew_crew_work(crew, job.members, forget_part, &job);
  index_configure(x, wide);
  assert(count_of(x) <= normal_capacity(x));
  clew_crew_work(crew, job.members, insert_part, &job);
}

/* ---- growth ---- */

/* How many buckets an index of this width needs to hold `states`, with room to spare; 0 when the
 * budget has too little left for a rebuild to pay. */
static uint64_t buckets_wanted(const struct exact *x, uint64_t states, bool wide) {
  assert(states > normal_capacity(x));
  uint64_t buckets = x->bucket_count + x->bucket_count / 2, needed = buckets_for(states, wide);
  if (buckets < needed) {
    buckets = needed;
  }
  struct clew_budget *budget = x->base.config.budget;
  if (budget != NULL) {
    uint64_t entry_bytes = wide ? sizeof(wide_entry) : sizeof(narrow_entry);
    uint64_t more = clew_budget_left(budget) / (x->state_bytes + entry_bytes * 5 / 4);
    buckets = least(buckets, buckets_for(least(states + more, MAX_STATES), wide));
  }
  buckets = least(buckets, buckets_for(most_states(x, wide), wide));
  buckets = least(buckets, x->index.reserved_bytes / BUCKET_BYTES);
  bool pays = wide != x->wide || buckets >= x->bucket_count + x->bucket_count / 16;
  return pays && buckets >= needed && buckets > 0 ? buckets : 0;
}

static bool index_grow(struct exact *x, uint64_t states) {
  bool wide = x->wide || states > x->narrow_states;
  uint64_t buckets = buckets_wanted(x, states, wide), old_buckets = x->bucket_count;
  assert(buckets == 0 || buckets > old_buckets || wide != x->wide);
  if (buckets == 0 || !clew_bigmem_commit(&x->index, buckets * BUCKET_BYTES)) {
    return false;
  }
  double start_s = clew_clock_wall_s();
  index_rebuild(x, old_buckets, wide);
  x->growth_s += clew_clock_wall_s() - start_s;
  x->growths++;
  return true;
}

static bool make_room(struct exact *x, uint64_t states) {
  assert(states > x->room);
  if (states > MAX_STATES || states > (SIZE_MAX - SLACK) / x->state_bytes ||
      !clew_bigmem_commit(&x->arena, states * x->state_bytes + SLACK)) {
    return false;
  }
  uint64_t room = normal_capacity(x);
  if (states > room) {
    room = index_grow(x, states) ? normal_capacity(x) : crowded_capacity(x);
  }
  if (states > room) {
    return false;
  }
  x->room = least(room, (x->arena.committed_bytes - SLACK) / x->state_bytes);
  assert(x->room >= states);
  return true;
}

static enum clew_room exact_reserve(struct clew_store *store, uint32_t insertions) {
  struct exact *x = exact_of(store);
  assert(count_of(x) <= x->room);
  uint64_t states = count_of(x) + insertions;
  return states <= x->room || make_room(x, states) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

static uint64_t exact_room(const struct clew_store *store) {
  const struct exact *x = exact_of_const(store);
  uint64_t count = count_of(x);
  assert(count <= x->room);
  return x->room - count;
}

/* ---- visits ---- */

static inline bool same_state(const struct exact *x, clew_id id, const uint64_t *state) {
  const unsigned char *stored = state_at(x, id);
  uint32_t last = x->base.config.words - 1;
  for (uint32_t i = 0; i < last; i++) {
    if (load_word(stored + i * sizeof *state) != state[i]) {
      return false;
    }
  }
  return load_last_word(x, stored + last * sizeof *state) == state[last];
}

/* Always inlined: to some compilers a function that only prefetches is one without effect, and a
 * call of it nothing. */
ALWAYS_INLINE void prefetch_state(const struct exact *x, clew_id id) {
  const unsigned char *first = state_at(x, id);
  __builtin_prefetch(first);
  __builtin_prefetch(first + x->state_bytes - 1);
}

static void exact_prefetch(const struct clew_store *store, uint64_t hash) {
  __builtin_prefetch(home_of(exact_of_const(store), hash), 1);
}

/* First pass: asks for the states the visit will be compared with and notes the first of them. */
ALWAYS_INLINE void look_ahead(const struct exact *x, struct clew_visit *visit, bool shared,
                              bool wide) {
  unsigned char *bucket = home_of(x, visit->hash);
  struct scan scan = scan_bucket(x, bucket, tag_of(x, visit->hash, wide), wide);
  uint32_t start = first_entry(visit->hash, wide), matches = in_sequence(scan, start, wide).matches;
  clew_id first = NO_CANDIDATE;
  for (int i = 0; matches != 0 && i < PREFETCH_CANDIDATES; i++, matches &= matches - 1) {
    uint32_t place = place_of_first(matches, start, wide);
    uint64_t number = load_entry(entry_at(bucket, place, wide), wide) & x->id_mask;
    if (shared && number == x->id_mask) {
      continue; /* busy */
    }
    prefetch_state(x, number - 1);
    first = first == NO_CANDIDATE ? number - 1 : first;
  }
  visit->id = first;
}

/* Writes the state under its id and makes the entry, which this thread owns, point to it. */
ALWAYS_INLINE void insert_at(struct exact *x, unsigned char *entry, struct clew_visit *visit,
                             clew_id id, bool wide) {
  assert(id < x->room);
  assert((visit->state[x->base.config.words - 1] & ~x->tail_mask) == 0);
  memcpy(state_at(x, id), visit->state, x->state_bytes);
  publish_entry(entry, tag_of(x, visit->hash, wide) | (id + 1), wide);
  visit->id = id;
}

/* Entries that this thread has claimed for states that are still without ids. Ids are taken for
 * many at once, so that threads seldom meet at the counter, and the states that one of them finds
 * lie side by side. */
struct claims {
  uint32_t count;
  struct {
    unsigned char *entry;
    struct clew_visit *visit;
  } list[BLOCK];
};

ALWAYS_INLINE void publish_claims(struct exact *x, struct claims *claims, bool wide) {
  if (claims->count == 0) {
    return;
  }
  clew_id first = atomic_fetch_add_explicit(&x->count, claims->count, memory_order_relaxed);
  for (uint32_t i = 0; i < claims->count; i++) {
    insert_at(x, claims->list[i].entry, claims->list[i].visit, first + i, wide);
  }
  claims->count = 0;
}

/* Gives the visit the entry, which is this thread's. */
ALWAYS_INLINE void take_entry(struct exact *x, unsigned char *entry, struct clew_visit *visit,
                              struct claims *claims, bool shared, bool wide) {
  visit->answer = CLEW_NEW;
  if (shared) {
    assert(claims->count < BLOCK);
    claims->list[claims->count].entry = entry;
    claims->list[claims->count++].visit = visit;
    return;
  }
  clew_id id = count_of(x);
  atomic_store_explicit(&x->count, id + 1, memory_order_relaxed);
  insert_at(x, entry, visit, id, wide);
}

/* The id in an entry that has the tag. Before it waits for another thread this one publishes what
 * it has claimed itself: so no two wait for each other, and none for itself. */
ALWAYS_INLINE clew_id id_in(struct exact *x, const unsigned char *entry, struct claims *claims,
                            bool shared, bool wide) {
  if (shared && (load_entry(entry, wide) & x->id_mask) == x->id_mask) {
    publish_claims(x, claims, wide);
  }
  return entry_id(x, entry, wide);
}

/* Second pass, when the first candidate was not the state. */
ALWAYS_INLINE void find_or_insert(struct exact *x, struct clew_visit *visit, bool shared, bool wide,
                                  struct claims *claims, struct counters *counters) {
  uint64_t tag = tag_of(x, visit->hash, wide), bucket = home_bucket(x, visit->hash);
  uint32_t first = first_entry(visit->hash, wide);
  for (;;) {
    unsigned char *entries = bucket_at(x, bucket);
    struct scan scan = in_sequence(scan_bucket(x, entries, tag, wide), first, wide);
    for (; scan.matches != 0; scan.matches &= scan.matches - 1) {
      uint32_t i = place_of_first(scan.matches, first, wide);
      clew_id id = id_in(x, entry_at(entries, i, wide), claims, shared, wide);
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
    unsigned char *entry = entry_at(entries, place_of_first(scan.empties, first, wide), wide);
    if (!shared || claim_entry(entry, tag | x->id_mask, wide)) {
      take_entry(x, entry, visit, claims, shared, wide);
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

ALWAYS_INLINE void put_visits(struct exact *x, uint32_t count, struct clew_visit *visits,
                              bool shared, bool wide) {
  struct counters counters = {0, 0};
  struct claims claims;
  claims.count = 0;
  for (uint32_t first = 0; first < count; first += BLOCK) {
    uint32_t end = count - first < BLOCK ? count : first + BLOCK;
    for (uint32_t i = first; i < end; i++) {
      look_ahead(x, visits + i, shared, wide);
    }
    for (uint32_t i = first; i < end; i++) {
      struct clew_visit *visit = visits + i;
      if (visit->id != NO_CANDIDATE && same_state(x, visit->id, visit->state)) {
        visit->answer = CLEW_SEEN;
      } else {
        find_or_insert(x, visit, shared, wide, &claims, &counters);
      }
    }
    if (shared) {
      publish_claims(x, &claims, wide);
    }
  }
  add_to(&x->visits, count, shared);
  add_to(&x->overflows, counters.overflows, shared);
  add_to(&x->mismatches, counters.mismatches, shared);
}

/* One function each: together in one they would share its registers. */
static __attribute__((noinline)) void put_wide(struct exact *x, uint32_t count,
                                               struct clew_visit *visits) {
  put_visits(x, count, visits, false, true);
}

static __attribute__((noinline)) void put_shared(struct exact *x, uint32_t count,
                                                 struct clew_visit *visits) {
  put_visits(x, count, visits, true, false);
}

static __attribute__((noinline)) void put_shared_wide(struct exact *x, uint32_t count,
                                                      struct clew_visit *visits) {
  put_visits(x, count, visits, true, true);
}

void clew_exact_put_as(struct clew_store *store, uint32_t count, struct clew_visit *visits,
                       bool shared) {
  struct exact *x = exact_of(store);
  assert(count == 0 || visits != NULL);
  if (shared) {
    (x->wide ? put_shared_wide : put_shared)(x, count, visits);
  } else if (x->wide) {
    put_wide(x, count, visits);
  } else {
    put_visits(x, count, visits, false, false);
  }
}

static void exact_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  clew_exact_put_as(store, count, visits, store->shared);
}

/* CLEW_ID_NONE when it is not there. */
ALWAYS_INLINE clew_id look_up(const struct exact *x, const uint64_t *state, uint64_t hash,
                              bool wide) {
  uint64_t tag = tag_of(x, hash, wide);
  uint32_t first = first_entry(hash, wide);
  for (uint64_t bucket = home_bucket(x, hash);; bucket = next_bucket(x, bucket)) {
    unsigned char *entries = bucket_at(x, bucket);
    struct scan scan = in_sequence(scan_bucket(x, entries, tag, wide), first, wide);
    for (; scan.matches != 0; scan.matches &= scan.matches - 1) {
      uint32_t i = place_of_first(scan.matches, first, wide);
      clew_id id = entry_id(x, entry_at(entries, i, wide), wide);
      if (same_state(x, id, state)) {
        return id;
      }
    }
    if (scan.empties != 0) {
      return CLEW_ID_NONE;
    }
  }
}

static clew_id find_state(const struct exact *x, const uint64_t *state, uint64_t hash) {
  clew_id id = x->wide ? look_up(x, state, hash, true) : look_up(x, state, hash, false);
  assert(id == CLEW_ID_NONE || id < x->room);
  return id;
}

static void exact_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  const struct exact *x = exact_of_const(store);
  assert(count == 0 || visits != NULL);
  for (uint32_t i = 0; i < count; i++) {
    visits[i].id = find_state(x, visits[i].state, visits[i].hash);
    visits[i].answer = visits[i].id == CLEW_ID_NONE ? CLEW_NEW : CLEW_SEEN;
  }
}

/* ---- the rest of the interface ---- */

static void exact_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  const struct exact *x = exact_of_const(store);
  assert(first + count <= count_of(x));
  for (uint32_t i = 0; i < count; i++) {
    unpack(x, state_at(x, first + i), out + (size_t)i * store->config.words);
  }
}

static uint64_t exact_count(const struct clew_store *store) {
  assert(count_of(exact_of_const(store)) <= CLEW_ID_LIMIT);
  return count_of(exact_of_const(store));
}

static uint64_t exact_bytes(const struct clew_store *store) {
  const struct exact *x = exact_of_const(store);
  uint64_t bytes = x->arena.committed_bytes + x->index.committed_bytes;
  assert(store->config.budget == NULL || bytes <= clew_budget_used(store->config.budget));
  return bytes;
}

static void exact_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct exact *x = exact_of(store);
  assert(x->arena.committed_bytes <= x->arena.reserved_bytes);
  clew_bigmem_close(&x->arena);
  clew_bigmem_close(&x->index);
  clew_free(x);
}

/* The bytes that are not used are the last ones of a word only where its low byte comes first. */
static size_t bytes_in_arena(const struct clew_store_config *config) {
  assert(config->words > 0);
  size_t all = config->words * sizeof(uint64_t);
  bool low_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  assert(config->bytes <= all && (config->bytes == 0 || config->bytes > all - sizeof(uint64_t)));
  return config->bytes == 0 || !low_first ? all : config->bytes;
}

static enum clew_status exact_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  struct exact *x = clew_alloc_zero(1, sizeof *x);
  x->base = (struct clew_store){
      .type = &clew_store_exact, .promises = clew_store_exact.promises, .config = *config};
  x->narrow_states = NARROW_STATES;
  x->state_bytes = bytes_in_arena(config);
  x->tail_mask =
      clew_bits_mask((uint32_t)(x->state_bytes - (config->words - 1) * sizeof(uint64_t)) * 8);
  if (!region_open(&x->arena, MAX_STATES, x->state_bytes, config->budget) ||
      !region_open(&x->index, buckets_for(MAX_STATES, true), BUCKET_BYTES, config->budget) ||
      !clew_bigmem_commit(&x->index, FIRST_BUCKETS * BUCKET_BYTES)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for any state");
    exact_close(&x->base);
    return CLEW_OVER_LIMIT;
  }
  index_configure(x, false);
  assert(x->tail_mask != 0 && x->room == 0);
  *store = &x->base;
  return CLEW_OK;
}

static void exact_retire(struct clew_store *store, clew_id below) {
  struct exact *x = exact_of(store);
  assert(!store->shared && below <= count_of(x));
  clew_bigmem_close(&x->index);
  clew_bigmem_forget(&x->arena, below * x->state_bytes);
}

void clew_exact_widen_from(struct clew_store *store, uint64_t states) {
  struct exact *x = exact_of(store);
  assert(x->room == 0 && states > 0 && states <= NARROW_STATES);
  x->narrow_states = states;
  index_configure(x, false);
}

static void exact_counters(const struct clew_store *store, struct clew_counters *out) {
  assert(out != NULL);
  const struct exact *x = exact_of_const(store);
  uint64_t entries = entries_in(x->bucket_count, x->wide);
  assert(x->arena.committed_bytes >= count_of(x) * x->state_bytes);
  assert(count_of(x) < entries);
  clew_counters_count(out, "arena_bytes", x->arena.committed_bytes);
  clew_counters_count(out, "index_bytes", x->index.committed_bytes);
  clew_counters_real(out, "index_load", (double)count_of(x) / (double)entries);
  clew_counters_count(out, "index_growths", x->growths);
  clew_counters_real(out, "index_growth_s", x->growth_s);
  clew_counters_count(out, "tag_bits", (x->wide ? 64 : 32) - x->id_bits);
  clew_counters_count(out, "visits", x->visits);
  clew_counters_count(out, "bucket_overflows", x->overflows);
  clew_counters_count(out, "tag_mismatches", x->mismatches);
}

/* ---- validation ---- */

/* Every taken entry names a state of its tag, each state once. */
static const char *validate_entries(const struct exact *x, uint64_t *named, uint64_t *scratch) {
  assert(named != NULL && scratch != NULL);
  uint64_t count = count_of(x), taken = 0, in_bucket = entries_in(1, x->wide);
  assert(in_bucket > 0);
  for (uint64_t i = 0; i < x->bucket_count * in_bucket; i++) {
    unsigned char *bucket = bucket_at(x, i / in_bucket);
    uint64_t entry = load_entry(entry_at(bucket, (uint32_t)(i % in_bucket), x->wide), x->wide);
    if (entry == 0) {
      continue;
    }
    uint64_t number = entry & x->id_mask;
    if (number == 0 || number > count) {
      return "an entry names no state";
    }
    uint64_t bit = UINT64_C(1) << number % 64;
    if ((named[number / 64] & bit) != 0) {
      return "two entries name the same state";
    }
    named[number / 64] |= bit;
    taken++;
    if (tag_of(x, hash_of(x, number - 1, scratch), x->wide) != (entry & x->tag_mask)) {
      return "an entry has the wrong tag";
    }
  }
  return taken == count ? NULL : "a state has no entry";
}

/* Each state is found by probing, and it is the first that is equal: there are no duplicates. */
static const char *validate_probes(const struct exact *x, uint64_t *scratch) {
  assert(scratch != NULL);
  assert(x->base.config.words > 0);
  for (clew_id id = 0; id < count_of(x); id++) {
    uint64_t hash = hash_of(x, id, scratch);
    clew_id found = find_state(x, scratch, hash);
    if (found != id) {
      return found == CLEW_ID_NONE ? "a state cannot be found" : "a state is stored twice";
    }
  }
  return NULL;
}

static bool exact_validate(const struct clew_store *store, const char **why) {
  const struct exact *x = exact_of_const(store);
  uint64_t count = count_of(x);
  assert(why != NULL && !store->shared);
  assert(x->bucket_count > 0);
  *why = NULL;
  if (count > crowded_capacity(x) || count > x->room) {
    *why = "more states than room";
  } else {
    uint64_t *named = clew_alloc_zero((size_t)(count / 64 + 1), sizeof *named);
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
    .promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT |
                CLEW_STORE_GET | CLEW_STORE_DENSE,
    .open = exact_open,
    .close = exact_close,
    .reserve = exact_reserve,
    .room = exact_room,
    .prefetch = exact_prefetch,
    .put = exact_put,
    .get = exact_get,
    .retire = exact_retire,
    .find = exact_find,
    .count = exact_count,
    .bytes = exact_bytes,
    .counters = exact_counters,
    .validate = exact_validate,
};
