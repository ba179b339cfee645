/* The compact store (hash compaction): of each state only a signature is kept, B bits in a table
 * that is itself part of the signature (compact_table.h: exact quotienting, so a state is wrongly
 * called seen only if one of the same signature was stored, wherever in the table).
 *
 * Size. By default the table grows within the budget. Its signatures have p = min(64, B + log2 of
 * the slots that the budget could hold) bits from the start, and while the table is small it stores
 * more than B bits of them: growth changes no answer. It grows by a twentieth or an eighth at a
 * load of 0.95, when it is small by a third; one pass in place makes that affordable. When the
 * budget is used up the load may rise to 0.98. With `entries` = N the table has N slots and B +
 * log2(N) bits of signature, all slots can be taken, and the state for which there is none is
 * answered FULL; as it may never come, `reserve` says ROOM until then.
 *
 * With `compact_plain` there is no quotienting and this file only opens the table of
 * compact_plain.c.
 *
 * Omissions: when n signatures of S are stored the next state is left out with probability n / S
 * (store/omission.h). S = 2^p, or N * 2^B; more than the 64 bits of the hash do not count.
 *
 * Workload: batches of successors, most of them seen before. The engine has prefetched the heads of
 * the blocks; a first pass finds the slots and prefetches them, the second decides. */
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/bits.h"
#include "base/clock.h"
#include "store/compact_int.h"
#include "store/compact_table.h"

enum {
  DEFAULT_BITS = 64,
  LEAST_BITS = 2,
  MOST_BITS = 64,
  FIRST_BYTES = 48 << 10,
  SMALL_BYTES = 4 << 20, /* tables below grow in larger steps */
  PASS_VISITS = 64,      /* visits between the two passes of put */
  LEAST_TAIL = 256,      /* slots behind the homes */
};

struct compact {
  struct clew_store base;
  struct clew_bigmem memory;
  struct clew_compact_table table;
  uint64_t capacity; /* signatures that the table may hold before it has to grow */
  uint64_t adopted;
  uint64_t visits;
  uint32_t bits; /* to store of a state in the largest table */
  uint32_t growths;
  double growth_s;
  bool fixed;   /* of `entries` slots */
  bool refused; /* a fixed table was full when a new state came */
};

static struct compact *compact_of(struct clew_store *store) {
  assert(store->type == &clew_store_compact);
  return (struct compact *)store;
}

static const struct compact *compact_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_compact);
  return (const struct compact *)store;
}

static uint64_t normal_capacity(uint64_t homes) {
  return homes / 20 * 19 + homes % 20 * 19 / 20;
}

static uint64_t crowded_capacity(uint64_t homes) {
  return homes / 50 * 49 + homes % 50 * 49 / 50;
}

/* ---- growth ---- */

/* The shape that makes the most of `bytes` with `tail` slots behind the homes; homes are 0 when
 * there is none. More homes need fewer stored bits, so the largest possible power of two decides.
 */
static struct clew_compact_shape shape_for_bytes(uint32_t hash_bits, uint64_t bytes,
                                                 uint64_t tail) {
  uint32_t most = hash_bits - 1 < 40 ? hash_bits - 1 : 40;
  for (uint32_t log2 = most + 1; log2-- > 0;) {
    struct clew_compact_shape shape = clew_compact_shape_growing(UINT64_C(1) << log2, hash_bits);
    uint64_t slots = bytes / shape.block_bytes * CLEW_COMPACT_BLOCK_SLOTS;
    if (slots > tail && slots - tail >= UINT64_C(1) << log2) {
      uint64_t limit = clew_bits_mask(log2 + 1), homes = slots - tail;
      return clew_compact_shape_growing(homes < limit ? homes : limit, hash_bits);
    }
  }
  return (struct clew_compact_shape){0};
}

/* Slots to have behind the homes for so many insertions after a growth. */
static uint64_t tail_for(const struct compact *x, uint64_t insertions) {
  const struct clew_compact_table *t = &x->table;
  uint64_t over = t->end > t->shape.homes ? t->end - t->shape.homes : 0;
  return over + insertions + LEAST_TAIL;
}

static void reshape(struct compact *x, const struct clew_compact_shape *shape) {
  double start_s = clew_clock_wall_s();
  clew_compact_table_reshape(&x->table, shape, x->memory.committed_bytes / shape->block_bytes);
  x->capacity = normal_capacity(shape->homes);
  x->growth_s += clew_clock_wall_s() - start_s;
  x->growths++;
}

/* Bytes of a table that holds `states` below the normal load. */
static uint64_t bytes_for(const struct compact *x, uint64_t states, uint64_t tail) {
  uint64_t homes = states / 19 * 20 + states % 19 * 20 / 19 + 2;
  homes = homes > x->table.shape.homes ? homes : x->table.shape.homes;
  struct clew_compact_shape shape = clew_compact_shape_growing(homes, x->table.shape.hash_bits);
  return clew_compact_blocks_for(homes + tail) * shape.block_bytes;
}

/* While the table has to store more than it was told, because it is still small, a high load makes
 * up for it. The steps are a little less than those that big memory grows by. */
static uint64_t growth_bytes(const struct compact *x, uint64_t now) {
  bool thrifty = x->table.shape.remainder_bits > x->bits + 1;
  return now < SMALL_BYTES ? now / 3 : thrifty ? now / 22 : now / 9;
}

static bool grow(struct compact *x, uint64_t states, uint64_t insertions) {
  uint64_t tail = tail_for(x, insertions), now = x->memory.committed_bytes;
  uint64_t wanted = now + growth_bytes(x, now);
  uint64_t needed = bytes_for(x, states, tail);
  wanted = wanted > needed ? wanted : needed;
  uint32_t hash_bits = x->table.shape.hash_bits;
  if (wanted > x->memory.reserved_bytes || !clew_bigmem_commit(&x->memory, wanted)) {
    return false;
  }
  struct clew_compact_shape shape = shape_for_bytes(hash_bits, x->memory.committed_bytes, tail);
  assert(normal_capacity(shape.homes) >= states && shape.homes > x->table.shape.homes);
  reshape(x, &shape);
  return true;
}

/* Appends blocks until `insertions` find room behind the last slot. */
static bool extend_tail(struct compact *x, uint64_t insertions) {
  struct clew_compact_table *t = &x->table;
  if (clew_compact_table_room(t) >= insertions) {
    return true;
  }
  uint64_t taken = t->end > t->shape.homes ? t->end : t->shape.homes;
  uint64_t blocks = clew_compact_blocks_for(taken + insertions);
  if (!clew_bigmem_commit(&x->memory, blocks * t->shape.block_bytes)) {
    return false;
  }
  t->blocks = x->memory.committed_bytes / t->shape.block_bytes;
  return true;
}

static enum clew_room compact_reserve(struct clew_store *store, uint32_t insertions) {
  struct compact *x = compact_of(store);
  uint64_t states = x->table.count + insertions;
  if (x->refused || states + x->adopted > MAX_STATES) {
    return CLEW_ROOM_MEMORY;
  }
  if (x->fixed) {
    uint64_t free_slots = x->table.shape.homes - x->table.count;
    return extend_tail(x, insertions < free_slots ? insertions : free_slots) ? CLEW_ROOM
                                                                             : CLEW_ROOM_MEMORY;
  }
  if (states > x->capacity && !grow(x, states, insertions)) {
    uint64_t crowded = crowded_capacity(x->table.shape.homes);
    if (states > crowded) {
      return CLEW_ROOM_MEMORY;
    }
    x->capacity = crowded;
  }
  return extend_tail(x, insertions) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

/* ---- visits ---- */

static void compact_prefetch(const struct clew_store *store, uint64_t hash) {
  clew_compact_table_prefetch(&compact_of_const(store)->table, hash);
}

static void decide(struct compact *x, struct clew_visit *visit) {
  struct clew_compact_table *t = &x->table;
  if (x->fixed && t->count == t->shape.homes) {
    bool seen = clew_compact_table_has(t, visit->hash);
    x->refused = x->refused || !seen;
    visit->answer = seen ? CLEW_SEEN : CLEW_FULL;
  } else if (clew_compact_table_add(t, visit->hash)) {
    visit->id = t->count - 1 + x->adopted;
    visit->answer = CLEW_NEW;
  } else {
    visit->answer = CLEW_SEEN;
  }
}

static void compact_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct compact *x = compact_of(store);
  for (uint32_t first = 0; first < count; first += PASS_VISITS) {
    uint32_t end = count - first < PASS_VISITS ? count : first + PASS_VISITS;
    for (uint32_t i = first; i < end && count > 1; i++) {
      clew_compact_table_look_ahead(&x->table, visits[i].hash);
    }
    for (uint32_t i = first; i < end; i++) {
      decide(x, &visits[i]);
    }
  }
  x->visits += count;
}

static bool compact_has(const struct clew_store *store, uint64_t hash) {
  return clew_compact_table_has(&compact_of_const(store)->table, hash);
}

static uint64_t compact_adopt(struct clew_store *store) {
  struct compact *x = compact_of(store);
  return x->table.count + x->adopted++;
}

/* ---- figures ---- */

static uint64_t compact_count(const struct clew_store *store) {
  const struct compact *x = compact_of_const(store);
  return x->table.count + x->adopted;
}

static uint64_t compact_bytes(const struct clew_store *store) {
  return compact_of_const(store)->memory.committed_bytes;
}

static struct clew_omission omission_of(const struct compact *x) {
  return clew_omission_of_signatures(x->table.count,
                                     clew_compact_shape_signatures(&x->table.shape));
}

static double compact_omission(const struct clew_store *store) {
  struct clew_omission omission = omission_of(compact_of_const(store));
  return clew_omission_any(&omission);
}

void clew_compact_write_figures(const struct clew_compact_figures *figures,
                                struct clew_json_writer *w) {
  clew_json_key_double(w, "signature_bits", figures->signature_bits);
  clew_json_key_u64(w, "stored_bits", figures->stored_bits);
  clew_json_key_u64(w, "slots", figures->slots);
  clew_json_key_double(w, "load", (double)figures->stored / (double)figures->slots);
  clew_json_key_double(w, "omission_per_state", figures->chance);
  clew_json_key_double(w, "expected_omissions", figures->omission.expected);
  clew_json_key_double(w, "omissions_deviation", clew_omission_deviation(&figures->omission));
  clew_json_key_u64(w, "adopted", figures->adopted);
  clew_json_key_u64(w, "visits", figures->visits);
  clew_json_key_u64(w, "growths", figures->growths);
  clew_json_key_double(w, "growth_s", figures->growth_s);
}

static void compact_counters(const struct clew_store *store, struct clew_json_writer *w) {
  const struct compact *x = compact_of_const(store);
  const struct clew_compact_table *t = &x->table;
  double signatures = clew_compact_shape_signatures(&t->shape);
  struct clew_compact_figures figures = {.signature_bits = log2(signatures),
                                         .stored_bits = t->shape.remainder_bits,
                                         .slots = t->shape.homes,
                                         .stored = t->count,
                                         .chance = (double)t->count / signatures,
                                         .omission = omission_of(x),
                                         .adopted = x->adopted,
                                         .visits = x->visits,
                                         .growths = x->growths,
                                         .growth_s = x->growth_s};
  clew_compact_write_figures(&figures, w);
}

static bool compact_validate(const struct clew_store *store, const char **why) {
  const struct compact *x = compact_of_const(store);
  *why = clew_compact_table_validate(&x->table);
  if (*why == NULL && x->table.count > (x->fixed ? x->table.shape.homes : x->capacity)) {
    *why = "more states than capacity";
  }
  return *why == NULL;
}

/* ---- opening and closing ---- */

static void compact_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct compact *x = compact_of(store);
  clew_bigmem_close(&x->memory);
  clew_free(x);
}

static bool options_are_good(const struct clew_store_options *options,
                             struct clew_diag_sink *diags) {
  if (options->hash_bits != 0 &&
      (options->hash_bits < LEAST_BITS || options->hash_bits > MOST_BITS)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the compact store keeps %d to %d bits of a state, not %u", LEAST_BITS,
                    MOST_BITS, options->hash_bits);
    return false;
  }
  if (options->entries > MAX_STATES) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the compact store has at most %llu entries",
                    (unsigned long long)MAX_STATES);
    return false;
  }
  return true;
}

/* Reserves as many addresses as the system allows, at most `bytes`. */
static bool open_memory(struct compact *x, uint64_t bytes, uint64_t least_bytes) {
  for (; bytes >= least_bytes; bytes /= 2) {
    if (clew_bigmem_open(&x->memory, (size_t)bytes, x->base.config.budget)) {
      return true;
    }
  }
  return false;
}

static bool open_fixed(struct compact *x, uint64_t entries) {
  struct clew_compact_shape shape = clew_compact_shape_fixed(entries, x->bits);
  uint64_t blocks = clew_compact_blocks_for(entries), bytes = blocks * shape.block_bytes;
  /* The worst that can overflow is everything. */
  if (!open_memory(x, 2 * bytes, bytes) || !clew_bigmem_commit(&x->memory, bytes)) {
    return false;
  }
  blocks = x->memory.committed_bytes / shape.block_bytes;
  clew_compact_table_init(&x->table, &shape, x->memory.data, blocks);
  x->fixed = true;
  x->capacity = entries;
  return true;
}

/* The bits of a signature: B, and those that the largest possible table adds. */
static uint32_t signature_bits(uint64_t most_bytes, uint32_t bits) {
  uint64_t block_bytes = clew_compact_shape_fixed(1, bits).block_bytes;
  uint64_t slots = most_bytes / block_bytes * CLEW_COMPACT_BLOCK_SLOTS;
  uint32_t index_bits = clew_bits_for(slots > 1 ? slots : 1) - 1;
  return bits + index_bits < MOST_BITS ? bits + index_bits : MOST_BITS;
}

static bool open_growing(struct compact *x) {
  struct clew_budget *budget = x->base.config.budget;
  uint64_t most_bytes = (MAX_STATES / 8 + 1) * 90; /* at the widest, and nine tenths full */
  if (budget != NULL && clew_budget_left(budget) < most_bytes) {
    most_bytes = clew_budget_left(budget);
  }
  uint32_t hash_bits = signature_bits(most_bytes, x->bits);
  if (!open_memory(x, most_bytes > FIRST_BYTES ? most_bytes : FIRST_BYTES, FIRST_BYTES) ||
      !clew_bigmem_commit(&x->memory, FIRST_BYTES)) {
    return false;
  }
  struct clew_compact_shape shape =
      shape_for_bytes(hash_bits, x->memory.committed_bytes, LEAST_TAIL);
  assert(shape.homes > 0);
  clew_compact_table_init(&x->table, &shape, x->memory.data,
                          x->memory.committed_bytes / shape.block_bytes);
  x->capacity = normal_capacity(shape.homes);
  return true;
}

/* NULL when the budget is too small. */
static struct clew_store *open_quotienting(const struct clew_store_config *config, uint32_t bits) {
  uint64_t entries = clew_store_options(config)->entries;
  struct compact *x = clew_alloc_zero(1, sizeof *x);
  x->base.type = &clew_store_compact;
  x->base.capabilities = clew_store_compact.capabilities;
  x->base.config = *config;
  x->bits = bits;
  if (!(entries > 0 ? open_fixed(x, entries) : open_growing(x))) {
    compact_close(&x->base);
    return NULL;
  }
  return &x->base;
}

static enum clew_status compact_open(const struct clew_store_config *config,
                                     struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  const struct clew_store_options *options = clew_store_options(config);
  if (!options_are_good(options, diags)) {
    return CLEW_BAD_INPUT;
  }
  uint32_t bits = options->hash_bits != 0 ? options->hash_bits : DEFAULT_BITS;
  *store = options->compact_plain ? clew_compact_plain_open(config, bits)
                                  : open_quotienting(config, bits);
  if (*store == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for %s",
                    options->entries > 0 ? "a table of so many entries" : "any state");
    return CLEW_OVER_LIMIT;
  }
  return CLEW_OK;
}

const struct clew_store_type clew_store_compact = {
    .name = "compact",
    .help = "a signature of B bits of each state; states may be left out, with a known probability",
    .capabilities = CLEW_STORE_PROBE,
    .open = compact_open,
    .close = compact_close,
    .reserve = compact_reserve,
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
