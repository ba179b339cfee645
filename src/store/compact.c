/* The compact store (hash compaction): of each state only a signature is kept, B bits in a table
 * that is itself part of the signature (compact_set.h: exact quotienting, so a state is wrongly
 * called seen only if one of the same signature was stored, wherever in the table).
 *
 * Size. The table grows within the budget. Its signatures have p = min(64, B + log2 of the slots
 * that the budget could hold) bits from the start, and while the table is small it stores more than
 * B bits of them: growth changes no answer. With `entries` or `no-quotient` this file only opens
 * the tables of compact_fixed.c and compact_plain.c, which do not grow.
 *
 * Threads. A table that several threads may use is made of *shards*, one for each value of the
 * upper s bits of a hash; a shard is a set of its own for the p - s bits behind them, so
 * signatures, answers and memory are those of one table. A batch is sorted by shard, and each
 * shard's part is put while its lock is held. `reserve` makes room for an even spread of the
 * insertions and some more; a shard that gets still more grows while it is locked, and where the
 * budget refuses that the state is answered FULL. Ids are taken for all new states of a batch at
 * once. With one thread there is one shard, nothing is sorted, and `reserve` is exact.
 *
 * Omissions: when n signatures of S = 2^p are stored the next state is left out with probability
 * n / S (store/omission.h).
 *
 * Workload: batches of successors, most of them seen before. The engine has prefetched the heads of
 * the blocks. */
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "store/compact_int.h"
#include "store/compact_options.h"
#include "store/compact_shard_int.h"
#include "store/compact_table.h"

enum {
  DEFAULT_BITS = 64,
  LEAST_BITS = 2,
  MOST_BITS = 64,
  PUT_VISITS = 2048, /* that are sorted by shard and put at once, at most */
  SHARDS_PER_THREAD = 8,
  MOST_SHARDS = 256,
  SHARD_BYTES = 512 << 10, /* of the budget for each shard, at least */
  CREW_FROM = 1 << 16,     /* states that make the crew worth waking */
};

struct compact {
  struct clew_store base;
  struct clew_compact_shard *shards;
  uint32_t shard_bits; /* of a hash that name its shard */
  uint32_t shard_count;
  bool sharded;  /* several threads may use it, even if there is only one shard */
  uint64_t room; /* count up to which insertions find room */
  char line_of_count[SPIN_LINE_BYTES];
  _Atomic uint64_t count; /* of states: those that were NEW, and adopted ones */
  _Atomic uint64_t adopted;
  _Atomic uint64_t visits;
  atomic_bool refused; /* there was no room when a new state came */
  char last_line[SPIN_LINE_BYTES];
};

static struct compact *compact_of(struct clew_store *store) {
  assert(store->type == &clew_store_compact);
  return (struct compact *)store;
}

static const struct compact *compact_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_compact);
  return (const struct compact *)store;
}

static uint64_t count_of(const struct compact *x) {
  return atomic_load_explicit(&x->count, memory_order_relaxed);
}

static uint64_t adopted_of(const struct compact *x) {
  return atomic_load_explicit(&x->adopted, memory_order_relaxed);
}

static uint64_t stored_of(const struct compact *x) {
  assert(adopted_of(x) <= count_of(x));
  return count_of(x) - adopted_of(x);
}

/* ---- shards ---- */

static inline uint32_t shard_of(const struct compact *x, uint64_t hash) {
  return (uint32_t)(hash >> 1 >> (63 - x->shard_bits));
}

/* What the table of a shard sees of a hash. */
static inline uint64_t hash_in_shard(const struct compact *x, uint64_t hash) {
  return hash << x->shard_bits;
}

/* Locks the shard if others may be using it. */
static void enter(const struct compact *x, struct clew_compact_shard *shard) {
  if (x->base.shared) {
    spin_lock(&shard->lock);
  }
}

static void leave(const struct compact *x, struct clew_compact_shard *shard) {
  if (x->base.shared) {
    spin_unlock(&shard->lock);
  }
}

/* ---- room ---- */

/* How many of so many insertions may fall to one shard: an even share, and eight deviations. */
static uint64_t share_of(const struct compact *x, uint64_t insertions) {
  assert(x->shard_count > 0);
  uint64_t even = insertions / x->shard_count + 1;
  return x->shard_count == 1 ? insertions : even + 8 * (uint64_t)sqrt((double)even) + 32;
}

/* So many insertions are sure, or as good as sure, to leave room in a shard with `spare`. */
static uint64_t insertions_for(const struct compact *x, uint64_t spare) {
  assert(x->shard_count > 0);
  uint64_t slack = x->shard_count == 1 ? 0 : 8 * (uint64_t)sqrt((double)spare) + 33;
  uint64_t insertions = spare > slack ? (spare - slack) * x->shard_count : 0;
  assert(insertions == 0 || share_of(x, insertions) <= spare);
  return insertions;
}

struct growth {
  struct compact *x;
  uint64_t share;
  _Atomic uint32_t next; /* shard that nobody has looked at */
  atomic_bool refused;
};

/* Once some shard has to grow, those grow too that would have to soon. */
static void grow_shards(void *context, uint32_t member) {
  struct growth *growth = context;
  struct compact *x = growth->x;
  assert(member < clew_crew_size(x->base.config.crew));
  (void)member;
  uint32_t i;
  while ((i = atomic_fetch_add_explicit(&growth->next, 1, memory_order_relaxed)) < x->shard_count) {
    struct clew_compact_shard *shard = &x->shards[i];
    uint64_t soon = growth->share + shard->set.count / 64;
    if (!clew_compact_shard_reserve(shard, soon) &&
        !clew_compact_shard_reserve(shard, growth->share)) {
      atomic_store_explicit(&growth->refused, true, memory_order_relaxed);
    }
  }
}

static enum clew_room reserve_in_shards(struct compact *x, uint64_t insertions) {
  assert(x->sharded && !x->base.shared);
  uint64_t count = count_of(x);
  if (count + insertions <= x->room) {
    return CLEW_ROOM;
  }
  struct growth growth = {.x = x, .share = share_of(x, insertions)};
  struct clew_crew *crew = x->base.config.crew;
  clew_crew_work(crew, count < CREW_FROM ? 1 : clew_crew_size(crew), grow_shards, &growth);
  if (atomic_load_explicit(&growth.refused, memory_order_relaxed)) {
    return CLEW_ROOM_MEMORY;
  }
  uint64_t spare = UINT64_MAX;
  for (uint32_t i = 0; i < x->shard_count; i++) {
    uint64_t here = clew_compact_set_room(&x->shards[i].set);
    spare = here < spare ? here : spare;
  }
  assert(spare >= growth.share);
  uint64_t sure = insertions_for(x, spare);
  x->room = count + (sure > insertions ? sure : insertions);
  assert(x->room >= count + insertions);
  return CLEW_ROOM;
}

static enum clew_room compact_reserve(struct clew_store *store, uint32_t insertions) {
  struct compact *x = compact_of(store);
  uint64_t count = count_of(x);
  assert(x->sharded || x->shards[0].set.count == stored_of(x));
  if (atomic_load_explicit(&x->refused, memory_order_relaxed) ||
      count + insertions > CLEW_ID_LIMIT) {
    return CLEW_ROOM_MEMORY;
  }
  if (x->sharded) {
    return reserve_in_shards(x, insertions);
  }
  if (!clew_compact_shard_reserve(&x->shards[0], insertions)) {
    return CLEW_ROOM_MEMORY;
  }
  x->room = count + clew_compact_set_room(&x->shards[0].set);
  return CLEW_ROOM;
}

static uint64_t compact_room(const struct clew_store *store) {
  const struct compact *x = compact_of_const(store);
  uint64_t count = count_of(x);
  assert(count <= CLEW_ID_LIMIT);
  return x->room > count ? x->room - count : 0; /* adopted states count and take none */
}

/* ---- visits ---- */

static void compact_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct compact *x = compact_of_const(store);
  clew_compact_shard_prefetch(&x->shards[shard_of(x, hash)], hash_in_shard(x, hash));
}

/* Where there is no room for all of them there may be for some. */
static uint32_t put_singly(struct compact *x, struct clew_compact_shard *shard, uint32_t count,
                           const uint32_t *order, struct clew_visit *visits, clew_id next) {
  uint32_t found_new = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct clew_visit *visit = &visits[order != NULL ? order[i] : i];
    /* A refusal is final: to ask again for each state would take long. */
    bool may_grow = !atomic_load_explicit(&x->refused, memory_order_relaxed);
    visit->answer = clew_compact_shard_put_one(shard, hash_in_shard(x, visit->hash), may_grow);
    if (visit->answer == CLEW_NEW) {
      visit->id = next + found_new++;
    } else if (visit->answer == CLEW_FULL) {
      atomic_store_explicit(&x->refused, true, memory_order_relaxed);
    }
  }
  return found_new;
}

/* Puts visits of one shard: those that `order` names, or without it the first ones. New states get
 * the ids from `next` on. Returns how many there are. */
static uint32_t put_in(struct compact *x, struct clew_compact_shard *shard, uint32_t count,
                       const uint32_t *order, struct clew_visit *visits, clew_id next) {
  uint64_t hashes[PUT_VISITS];
  bool is_new[PUT_VISITS];
  uint32_t found_new = 0;
  assert(count <= PUT_VISITS);
  for (uint32_t i = 0; i < count; i++) {
    hashes[i] = hash_in_shard(x, visits[order != NULL ? order[i] : i].hash);
  }
  if (!clew_compact_shard_put(shard, count, hashes, is_new)) {
    return put_singly(x, shard, count, order, visits, next);
  }
  for (uint32_t i = 0; i < count; i++) {
    struct clew_visit *visit = &visits[order != NULL ? order[i] : i];
    visit->answer = is_new[i] ? CLEW_NEW : CLEW_SEEN;
    visit->id = is_new[i] ? next + found_new : visit->id;
    found_new += is_new[i];
  }
  assert(found_new <= count && shard->set.count >= found_new);
  return found_new;
}

/* Numbers the new ones among the visits, from `next` on. */
static void number_new(uint32_t count, struct clew_visit *visits, clew_id next) {
  assert(next <= CLEW_ID_LIMIT);
  for (uint32_t i = 0; i < count; i++) {
    visits[i].id = visits[i].answer == CLEW_NEW ? next : visits[i].id;
    next += visits[i].answer == CLEW_NEW;
  }
}

static void put_alone(struct compact *x, uint32_t count, struct clew_visit *visits) {
  assert(!x->base.shared && !x->sharded);
  uint64_t before = count_of(x);
  uint32_t found_new = 0;
  for (uint32_t first = 0; first < count; first += PUT_VISITS) {
    uint32_t some = count - first < PUT_VISITS ? count - first : PUT_VISITS;
    found_new += put_in(x, &x->shards[0], some, NULL, visits + first, before + found_new);
  }
  atomic_store_explicit(&x->count, before + found_new, memory_order_relaxed);
  uint64_t visited = atomic_load_explicit(&x->visits, memory_order_relaxed);
  atomic_store_explicit(&x->visits, visited + count, memory_order_relaxed);
}

/* Fills in the visits in the order of their shards, and where the part of each shard begins. */
static void sort_by_shard(const struct compact *x, uint32_t count, const struct clew_visit *visits,
                          uint32_t order[PUT_VISITS], uint32_t begins[MOST_SHARDS + 1]) {
  assert(count <= PUT_VISITS);
  for (uint32_t s = 0; s <= x->shard_count; s++) {
    begins[s] = 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    begins[shard_of(x, visits[i].hash)]++;
  }
  for (uint32_t s = 0, at = 0; s <= x->shard_count; s++) {
    at += begins[s];
    begins[s] = at;
  }
  for (uint32_t i = count; i-- > 0;) {
    order[--begins[shard_of(x, visits[i].hash)]] = i;
  }
  assert(begins[0] == 0 && begins[x->shard_count] == count);
}

/* Shards that another thread is in come last. New states have no ids yet. */
static uint32_t put_sorted(struct compact *x, uint32_t count, struct clew_visit *visits) {
  uint32_t order[PUT_VISITS], begins[MOST_SHARDS + 1], later[MOST_SHARDS], later_count = 0;
  uint32_t found_new = 0;
  bool shared = x->base.shared;
  assert(x->sharded);
  sort_by_shard(x, count, visits, order, begins);
  for (uint32_t s = 0; s < x->shard_count; s++) {
    if (begins[s] == begins[s + 1]) {
      continue;
    }
    if (shared && !spin_try_lock(&x->shards[s].lock)) {
      later[later_count++] = s;
      continue;
    }
    found_new += put_in(x, &x->shards[s], begins[s + 1] - begins[s], order + begins[s], visits, 0);
    leave(x, &x->shards[s]);
  }
  assert(later_count == 0 || shared);
  for (uint32_t i = 0; i < later_count; i++) {
    uint32_t s = later[i];
    enter(x, &x->shards[s]);
    found_new += put_in(x, &x->shards[s], begins[s + 1] - begins[s], order + begins[s], visits, 0);
    leave(x, &x->shards[s]);
  }
  assert(found_new <= count);
  return found_new;
}

static void put_in_shards(struct compact *x, uint32_t count, struct clew_visit *visits) {
  uint32_t found_new = 0;
  for (uint32_t first = 0; first < count; first += PUT_VISITS) {
    uint32_t some = count - first < PUT_VISITS ? count - first : PUT_VISITS;
    found_new += put_sorted(x, some, visits + first);
  }
  atomic_fetch_add_explicit(&x->visits, count, memory_order_relaxed);
  if (found_new == 0) {
    return;
  }
  number_new(count, visits, atomic_fetch_add_explicit(&x->count, found_new, memory_order_relaxed));
}

/* ---- the interface for visits ---- */

static void compact_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct compact *x = compact_of(store);
  assert(count == 0 || visits != NULL);
  assert(x->sharded || !store->shared);
  if (x->sharded) {
    put_in_shards(x, count, visits);
  } else {
    put_alone(x, count, visits);
  }
}

static bool compact_has(const struct clew_store *store, uint64_t hash) {
  const struct compact *x = compact_of_const(store);
  struct clew_compact_shard *shard = &x->shards[shard_of(x, hash)];
  assert(x->sharded || !store->shared);
  enter(x, shard);
  bool has = clew_compact_shard_has(shard, hash_in_shard(x, hash));
  leave(x, shard);
  return has;
}

static clew_id compact_adopt(struct clew_store *store) {
  struct compact *x = compact_of(store);
  clew_id id = atomic_fetch_add_explicit(&x->count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&x->adopted, 1, memory_order_relaxed);
  assert(id < CLEW_ID_LIMIT);
  return id;
}

/* ---- figures ---- */

static uint64_t compact_count(const struct clew_store *store) {
  assert(compact_of_const(store)->shard_count > 0);
  return count_of(compact_of_const(store));
}

static uint64_t compact_bytes(const struct clew_store *store) {
  const struct compact *x = compact_of_const(store);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < x->shard_count; i++) {
    enter(x, &x->shards[i]);
    bytes += clew_compact_set_bytes(&x->shards[i].set);
    leave(x, &x->shards[i]);
  }
  assert(store->config.budget == NULL || bytes <= clew_budget_used(store->config.budget));
  return bytes;
}

/* The number of different signatures, of all shards: each has its own. */
static double signatures_of(const struct compact *x) {
  assert(x->shards[0].set.bits + x->shard_bits <= 64);
  return ldexp(1, (int)(x->shards[0].set.bits + x->shard_bits));
}

static struct clew_omission omission_of(const struct compact *x) {
  assert(stored_of(x) <= CLEW_ID_LIMIT);
  return clew_omission_of_signatures(stored_of(x), signatures_of(x));
}

static double compact_omission(const struct clew_store *store) {
  struct clew_omission omission = omission_of(compact_of_const(store));
  assert(omission.log_none <= 0);
  return clew_omission_any(&omission);
}

void clew_compact_add_figures(const struct clew_compact_figures *figures,
                              struct clew_counters *out) {
  assert(out != NULL);
  assert(figures->chance >= 0 && figures->growth_s >= 0);
  assert(figures->slots > 0 && figures->stored <= figures->slots);
  clew_counters_real(out, "signature_bits", figures->signature_bits);
  clew_counters_count(out, "stored_bits", figures->stored_bits);
  clew_counters_count(out, "slots", figures->slots);
  clew_counters_real(out, "load", (double)figures->stored / (double)figures->slots);
  clew_counters_real(out, "omission_per_state", figures->chance);
  clew_counters_real(out, "expected_omissions", figures->omission.expected);
  clew_counters_real(out, "omissions_deviation", clew_omission_deviation(&figures->omission));
  clew_counters_count(out, "adopted", figures->adopted);
  clew_counters_count(out, "visits", figures->visits);
  clew_counters_count(out, "growths", figures->growths);
  clew_counters_real(out, "growth_s", figures->growth_s);
}

static void compact_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct compact *x = compact_of_const(store);
  double signatures = signatures_of(x);
  assert(signatures >= 1);
  assert(out != NULL);
  uint64_t stored = stored_of(x);
  struct clew_compact_figures figures = {.signature_bits = log2(signatures),
                                         .stored = stored,
                                         .chance = (double)stored / signatures,
                                         .omission = omission_of(x),
                                         .adopted = adopted_of(x),
                                         .visits = x->visits};
  for (uint32_t i = 0; i < x->shard_count; i++) {
    const struct clew_compact_set *set = &x->shards[i].set;
    uint32_t stored_bits = set->stored_bits;
    figures.stored_bits = stored_bits > figures.stored_bits ? stored_bits : figures.stored_bits;
    figures.slots += clew_compact_set_slots(set) + set->spill.slots;
    figures.growths += set->growths;
    figures.growth_s += set->growth_s;
  }
  clew_compact_add_figures(&figures, out);
}

static bool compact_validate(const struct clew_store *store, const char **why) {
  const struct compact *x = compact_of_const(store);
  assert(why != NULL && !store->shared);
  assert(x->shard_count == 1U << x->shard_bits);
  uint64_t stored = 0;
  *why = NULL;
  for (uint32_t i = 0; i < x->shard_count && *why == NULL; i++) {
    *why = clew_compact_shard_validate(&x->shards[i]);
    stored += x->shards[i].set.count;
  }
  if (*why == NULL && stored != stored_of(x)) {
    *why = "wrong number of states";
  }
  return *why == NULL;
}

/* ---- all hashes ---- */

struct shard_hashes {
  void (*found)(void *context, uint64_t hash);
  void *context;
  uint64_t upper; /* the bits that name the shard */
};

static void found_number(void *context, uint64_t number) {
  const struct shard_hashes *hashes = context;
  assert((hashes->upper & number) == 0);
  hashes->found(hashes->context, hashes->upper | number);
}

void clew_compact_each(const struct clew_store *store, void (*found)(void *context, uint64_t hash),
                       void *context) {
  const struct compact *x = compact_of_const(store);
  assert(!store->shared && x->shards[0].set.bits + x->shard_bits == 64);
  for (uint64_t i = 0; i < x->shard_count; i++) {
    struct shard_hashes hashes = {found, context,
                                  x->shard_bits > 0 ? i << (64 - x->shard_bits) : 0};
    clew_compact_set_each(&x->shards[i].set, found_number, &hashes);
  }
}

uint64_t clew_compact_visits(const struct clew_store *store) {
  return atomic_load_explicit(&compact_of_const(store)->visits, memory_order_relaxed);
}

/* ---- opening and closing ---- */

static void compact_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct compact *x = compact_of(store);
  assert(x->shards != NULL && x->shard_count > 0);
  for (uint32_t i = 0; i < x->shard_count; i++) {
    clew_compact_shard_close(&x->shards[i]);
  }
  clew_free(x->shards);
  clew_free(x);
}

static bool options_are_good(const struct clew_compact_options *options,
                             struct clew_diag_sink *diags) {
  assert(options != NULL);
  if (options->hash_bits != 0 &&
      (options->hash_bits < LEAST_BITS || options->hash_bits > MOST_BITS)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the compact store keeps %d to %d bits of a state, not %llu", LEAST_BITS,
                    MOST_BITS, (unsigned long long)options->hash_bits);
    return false;
  }
  if (options->entries > CLEW_ID_LIMIT) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the compact store has at most %llu entries",
                    (unsigned long long)CLEW_ID_LIMIT);
    return false;
  }
  return true;
}

/* The bits of a signature: B, and those that the largest possible table adds. */
static uint32_t signature_bits(uint64_t most_bytes, uint32_t bits) {
  assert(bits >= LEAST_BITS && bits <= MOST_BITS);
  uint64_t block_bytes = clew_compact_shape_fixed(1, bits).block_bytes;
  uint64_t slots = most_bytes / block_bytes * CLEW_COMPACT_BLOCK_SLOTS;
  uint32_t index_bits = clew_bits_for(slots > 1 ? slots : 1) - 1;
  return bits + index_bits < MOST_BITS ? bits + index_bits : MOST_BITS;
}

/* At the widest, and nine tenths full. */
static uint64_t bytes_for_states(uint64_t states) {
  assert(states <= CLEW_ID_LIMIT);
  return (states / 8 + 1) * 90;
}

static bool open_growing(struct compact *x, uint32_t bits, uint64_t most_bytes) {
  assert(bits >= LEAST_BITS && bits <= MOST_BITS);
  uint32_t hash_bits = signature_bits(most_bytes, bits) - x->shard_bits;
  assert(hash_bits > 0 && hash_bits <= 64);
  /* Hashes spread evenly, but not quite; and addresses cost nothing. */
  uint64_t share = most_bytes >> x->shard_bits;
  uint64_t reserve = x->shard_count == 1 ? share : share + share / 8 + SHARD_BYTES / 4;
  for (uint32_t i = 0; i < x->shard_count; i++) {
    if (!clew_compact_shard_open(&x->shards[i], hash_bits, reserve, x->base.config.budget)) {
      return false;
    }
  }
  return true;
}

/* As many threads as there are processors are in it at once; the others wait anyway, and more
 * shards would only make the parts of a batch smaller. */
static uint32_t shard_bits_for(uint32_t threads, uint64_t most_bytes) {
  uint32_t processors = clew_crew_processors();
  assert(threads > 0 && processors > 0);
  uint64_t at_once = threads < processors ? threads : processors;
  uint64_t wanted = clew_bits_round_up_pow2(at_once * SHARDS_PER_THREAD);
  uint64_t shards = wanted < MOST_SHARDS ? wanted : MOST_SHARDS;
  while (shards > 1 && shards > most_bytes / SHARD_BYTES) {
    shards /= 2;
  }
  assert(shards >= 1 && shards <= MOST_SHARDS);
  return clew_bits_for(shards) - 1;
}

/* NULL when the budget is too small. */
static struct clew_store *open_quotienting(const struct clew_store_config *config, uint32_t bits) {
  assert(config->threads > 0);
  uint64_t most_bytes = bytes_for_states(UINT32_MAX); /* where there is no budget */
  if (config->budget != NULL) {
    uint64_t left = clew_budget_left(config->budget), all = bytes_for_states(CLEW_ID_LIMIT);
    most_bytes = left < all ? left : all;
  }
  struct compact *x = clew_alloc_zero(1, sizeof *x);
  x->base = (struct clew_store){
      .type = &clew_store_compact, .promises = clew_store_compact.promises, .config = *config};
  x->sharded = config->threads > 1;
  x->shard_bits = x->sharded ? shard_bits_for(config->threads, most_bytes) : 0;
  x->shard_count = 1U << x->shard_bits;
  assert(x->shard_count <= MOST_SHARDS);
  assert(x->sharded || x->shard_count == 1);
  x->shards = clew_alloc_zero(x->shard_count, sizeof *x->shards);
  if (!open_growing(x, bits, most_bytes)) {
    compact_close(&x->base);
    return NULL;
  }
  return &x->base;
}

static enum clew_status compact_open(const struct clew_store_config *config,
                                     struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  static const struct clew_compact_options defaults;
  const struct clew_compact_options *options =
      config->options != NULL ? config->options : &defaults;
  if (!options_are_good(options, diags)) {
    return CLEW_BAD_INPUT;
  }
  uint32_t bits = options->hash_bits != 0 ? (uint32_t)options->hash_bits : DEFAULT_BITS;
  assert(bits >= LEAST_BITS && bits <= MOST_BITS);
  if (options->no_quotient) {
    *store = clew_compact_plain_open(config, bits, options->entries);
  } else if (options->entries > 0) {
    *store = clew_compact_fixed_open(config, bits, options->entries);
  } else {
    *store = open_quotienting(config, bits);
  }
  if (*store == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for %s",
                    options->entries > 0 ? "a table of so many entries" : "any state");
    return CLEW_OVER_LIMIT;
  }
  return CLEW_OK;
}

static const struct clew_option_spec option_specs[] = {
    {CLEW_OPTION_COUNT, "hash-bits", "B", "bits of hash kept for a state (default: 64)",
     .offset = offsetof(struct clew_compact_options, hash_bits), .least = 1, .most = MOST_BITS},
    {CLEW_OPTION_POSITIVE, "entries", "N",
     "size the table for N states instead of growing it within the budget",
     .offset = offsetof(struct clew_compact_options, entries)},
    {CLEW_OPTION_FLAG, "no-quotient", NULL,
     "as published, for comparison: the place of a signature is no part of it, and the table "
     "cannot grow",
     .offset = offsetof(struct clew_compact_options, no_quotient)},
};

const struct clew_store_type clew_store_compact = {
    .name = "compact",
    .help = "a signature of B bits of each state; states may be left out, with a known probability",
    .promises = CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PROBE,
    .options = CLEW_OPTION_TABLE(option_specs, struct clew_compact_options),
    .open = compact_open,
    .close = compact_close,
    .reserve = compact_reserve,
    .room = compact_room,
    .prefetch = compact_prefetch,
    .put = compact_put,
    .has = compact_has,
    .adopt = compact_adopt,
    .count = compact_count,
    .bytes = compact_bytes,
    .omission = compact_omission,
    .counters = compact_counters,
    .validate = compact_validate,
};
