/* The compact store with a table of a given size (`entries` = N), for experiments: N slots and B +
 * log2(N) bits of signature (compact_table.h). All slots can be taken, and the state for which
 * there is none is answered FULL; as it may never come, `reserve` says ROOM until then.
 *
 * Omissions: when n signatures of S = N * 2^B are stored the next state is left out with
 * probability n / S (store/omission.h); more than the 64 bits of the hash do not count. */
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "store/compact_int.h"
#include "store/compact_table_int.h"

enum { PASS_VISITS = 64 }; /* visits between the two passes of put */

struct fixed {
  struct clew_store base;
  struct clew_bigmem memory;
  struct clew_compact_table table;
  uint64_t adopted, visits;
  bool refused; /* all slots were taken when a new state came */
};

static const struct clew_store_type fixed_type;

static struct fixed *fixed_of(struct clew_store *store) {
  assert(store->type == &fixed_type);
  return (struct fixed *)store;
}

static const struct fixed *fixed_of_const(const struct clew_store *store) {
  assert(store->type == &fixed_type);
  return (const struct fixed *)store;
}

/* ---- visits ---- */

/* Blocks behind the last slot for what overflows there. */
static bool extend_tail(struct fixed *x, uint64_t insertions) {
  struct clew_compact_table *t = &x->table;
  if (clew_compact_table_room(t) >= insertions) {
    return true;
  }
  uint64_t taken = t->end > t->shape.homes ? t->end : t->shape.homes;
  uint64_t blocks = clew_compact_blocks_for(taken + insertions);
  if (!clew_bigmem_commit(&x->memory, (size_t)(blocks * t->shape.block_bytes))) {
    return false;
  }
  t->blocks = x->memory.committed_bytes / t->shape.block_bytes;
  assert(clew_compact_table_room(t) >= insertions);
  return true;
}

static enum clew_room fixed_reserve(struct clew_store *store, uint32_t insertions) {
  struct fixed *x = fixed_of(store);
  assert(x->table.count <= x->table.shape.homes);
  if (x->refused || x->table.count + x->adopted + insertions > CLEW_ID_LIMIT) {
    return CLEW_ROOM_MEMORY;
  }
  uint64_t free_slots = x->table.shape.homes - x->table.count;
  uint64_t most = insertions < free_slots ? insertions : free_slots;
  return extend_tail(x, most) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

static void fixed_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct clew_compact_table *t = &fixed_of_const(store)->table;
  uint64_t home = (uint64_t)(((unsigned __int128)hash * t->shape.homes) >> 64);
  const unsigned char *block = block_at(t, home / BLOCK_SLOTS);
  __builtin_prefetch(block, 1);
  __builtin_prefetch(block + HEAD_BYTES - 1, 1);
}

static void decide(struct fixed *x, struct clew_visit *visit) {
  struct clew_compact_table *t = &x->table;
  if (t->count == t->shape.homes) {
    bool seen = clew_compact_table_has(t, visit->hash);
    x->refused |= !seen;
    visit->answer = seen ? CLEW_SEEN : CLEW_FULL;
  } else if (clew_compact_table_add(t, visit->hash)) {
    visit->id = t->count - 1 + x->adopted;
    visit->answer = CLEW_NEW;
  } else {
    visit->answer = CLEW_SEEN;
  }
}

static void fixed_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct fixed *x = fixed_of(store);
  assert(count == 0 || visits != NULL);
  assert(!store->shared);
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

static bool fixed_has(const struct clew_store *store, uint64_t hash) {
  return clew_compact_table_has(&fixed_of_const(store)->table, hash);
}

static uint64_t fixed_count(const struct clew_store *store) {
  const struct fixed *x = fixed_of_const(store);
  assert(x->adopted <= CLEW_ID_LIMIT - x->table.count);
  return x->table.count + x->adopted;
}

static clew_id fixed_adopt(struct clew_store *store) {
  clew_id id = fixed_count(store);
  assert(id < CLEW_ID_LIMIT);
  fixed_of(store)->adopted++;
  return id;
}

/* ---- figures ---- */

static uint64_t fixed_bytes(const struct clew_store *store) {
  assert(fixed_of_const(store)->memory.data != NULL);
  return fixed_of_const(store)->memory.committed_bytes;
}

static struct clew_omission omission_of(const struct fixed *x) {
  assert(x->table.count <= CLEW_ID_LIMIT);
  return clew_omission_of_signatures(x->table.count,
                                     clew_compact_shape_signatures(&x->table.shape));
}

static double fixed_omission(const struct clew_store *store) {
  struct clew_omission omission = omission_of(fixed_of_const(store));
  assert(omission.log_none <= 0);
  return clew_omission_any(&omission);
}

static void fixed_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct fixed *x = fixed_of_const(store);
  double signatures = clew_compact_shape_signatures(&x->table.shape);
  assert(signatures >= 1 && out != NULL);
  struct clew_compact_figures figures = {.signature_bits = log2(signatures),
                                         .stored_bits = x->table.shape.remainder_bits,
                                         .slots = x->table.shape.homes,
                                         .stored = x->table.count,
                                         .chance = (double)x->table.count / signatures,
                                         .omission = omission_of(x),
                                         .adopted = x->adopted,
                                         .visits = x->visits};
  clew_compact_add_figures(&figures, out);
}

static bool fixed_validate(const struct clew_store *store, const char **why) {
  const struct fixed *x = fixed_of_const(store);
  assert(why != NULL && !store->shared);
  *why = clew_compact_table_validate(&x->table);
  if (*why == NULL && x->table.count > x->table.shape.homes) {
    *why = "more states than slots";
  }
  return *why == NULL;
}

/* ---- opening and closing ---- */

static void fixed_close(struct clew_store *store) {
  if (store != NULL) {
    clew_bigmem_close(&fixed_of(store)->memory);
    clew_free(store);
  }
}

struct clew_store *clew_compact_fixed_open(const struct clew_store_config *config, uint32_t bits,
                                           uint64_t entries) {
  assert(bits >= 1 && bits <= 64 && entries > 0 && entries <= CLEW_ID_LIMIT);
  struct fixed *x = clew_alloc_zero(1, sizeof *x);
  x->base =
      (struct clew_store){.type = &fixed_type, .promises = fixed_type.promises, .config = *config};
  struct clew_compact_shape shape = clew_compact_shape_fixed(entries, bits);
  size_t bytes = (size_t)clew_compact_blocks_for(entries) * shape.block_bytes;
  /* The worst that can overflow is everything; addresses for less will do where there are few. */
  if ((!clew_bigmem_open(&x->memory, 2 * bytes, config->budget) &&
       !clew_bigmem_open(&x->memory, bytes, config->budget)) ||
      !clew_bigmem_commit(&x->memory, bytes)) {
    fixed_close(&x->base);
    return NULL;
  }
  clew_compact_table_init(&x->table, &shape, x->memory.data,
                          x->memory.committed_bytes / shape.block_bytes);
  return &x->base;
}

static const struct clew_store_type fixed_type = {
    .name = "compact", /* whose `open` opens it */
    .promises = CLEW_STORE_REMEMBERS | CLEW_STORE_PROBE,
    .close = fixed_close,
    .reserve = fixed_reserve,
    .prefetch = fixed_prefetch,
    .put = fixed_put,
    .has = fixed_has,
    .adopt = fixed_adopt,
    .count = fixed_count,
    .bytes = fixed_bytes,
    .omission = fixed_omission,
    .counters = fixed_counters,
    .validate = fixed_validate,
};
