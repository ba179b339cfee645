/* A signature table that grows: how much, when, and what the budget allows.
 *
 * It grows by a twentieth or an eighth at a load of 0.95, when it is small by a third; one pass in
 * place makes that affordable. When the budget is used up the load may rise to 0.98. Where several
 * share the budget none takes so much of the rest that nothing remains for the others. */
#include "store/compact_shard_int.h"

#include "base/bits.h"
#include "base/clock.h"

enum {
  FIRST_BYTES = 48 << 10,
  SMALL_BYTES = 4 << 20, /* tables below grow in larger steps */
  LEAST_TAIL = 256,      /* slots behind the homes */
  PAGE_BYTES = 4096,     /* memory is committed by pages; of other sizes a little stays unused */
};

static uint64_t normal_capacity(uint64_t homes) {
  return homes / 20 * 19 + homes % 20 * 19 / 20;
}

static uint64_t crowded_capacity(uint64_t homes) {
  return homes / 50 * 49 + homes % 50 * 49 / 50;
}

/* The shape that makes the most of `bytes` with `tail` slots behind the homes; homes are 0 when
 * there is none. More homes need fewer stored bits, so the largest possible power of two decides.
 */
static struct clew_compact_shape shape_for_bytes(uint32_t hash_bits, uint64_t bytes,
                                                 uint64_t tail) {
  assert(tail > 0);
  assert(hash_bits > 0 && hash_bits <= 64);
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
static uint64_t tail_for(const struct clew_compact_table *t, uint64_t insertions) {
  uint64_t over = t->end > t->shape.homes ? t->end - t->shape.homes : 0;
  assert(over <= t->blocks * CLEW_COMPACT_BLOCK_SLOTS);
  return over + insertions + LEAST_TAIL;
}

static void copy_shape(struct clew_compact_shard *shard) {
  const struct clew_compact_shape *shape = &shard->table.shape;
  assert(shape->homes > 0 && shape->homes <= shard->table.blocks * CLEW_COMPACT_BLOCK_SLOTS);
  atomic_store_explicit(&shard->homes, shape->homes, memory_order_relaxed);
  atomic_store_explicit(&shard->block_bytes, shape->block_bytes, memory_order_relaxed);
}

static void reshape(struct clew_compact_shard *shard, const struct clew_compact_shape *shape) {
  assert(shape->homes > 0);
  uint64_t count = shard->table.count;
  double start_s = clew_clock_wall_s();
  clew_compact_table_reshape(&shard->table, shape,
                             shard->memory.committed_bytes / shape->block_bytes);
  assert(shard->table.count == count && count <= normal_capacity(shape->homes));
  (void)count;
  copy_shape(shard);
  shard->capacity = normal_capacity(shape->homes);
  shard->growth_s += clew_clock_wall_s() - start_s;
  shard->growths++;
}

/* Bytes of a table that holds `states` below the normal load. */
static uint64_t bytes_for(const struct clew_compact_table *t, uint64_t states, uint64_t tail) {
  uint64_t homes = states / 19 * 20 + states % 19 * 20 / 19 + 2;
  homes = homes > t->shape.homes ? homes : t->shape.homes;
  struct clew_compact_shape shape = clew_compact_shape_growing(homes, t->shape.hash_bits);
  assert(shape.homes == homes && shape.block_bytes > 0);
  return clew_compact_blocks_for(homes + tail) * shape.block_bytes;
}

/* While the table has to store more than it was told, because it is still small, a high load makes
 * up for it. The steps are a little less than those that big memory grows by. */
static uint64_t growth_bytes(const struct clew_compact_shard *shard) {
  uint64_t now = shard->memory.committed_bytes;
  assert(now > 0 && shard->parts > 0);
  bool thrifty = shard->table.shape.remainder_bits > shard->bits + 1;
  uint64_t step = now * shard->parts < SMALL_BYTES ? now / 3 : thrifty ? now / 22 : now / 9;
  const struct clew_budget *budget = shard->memory.budget;
  if (shard->parts > 1 && budget != NULL) {
    uint64_t even = clew_budget_left(budget) / shard->parts;
    even = even > now / 22 ? even : now / 22;
    step = step < even ? step : even;
  }
  return step;
}

/* Commits the bytes of an ordinary growth, or near the end of the budget what is left. */
static bool commit_growth(struct clew_compact_shard *shard, uint64_t needed) {
  struct clew_bigmem *memory = &shard->memory;
  uint64_t now = memory->committed_bytes, wanted = now + growth_bytes(shard);
  assert(shard->parts > 0);
  assert(now > 0 && now <= memory->reserved_bytes);
  wanted = wanted > needed ? wanted : needed;
  if (wanted <= memory->reserved_bytes && clew_bigmem_commit(memory, wanted)) {
    return true;
  }
  uint64_t left = memory->budget != NULL ? clew_budget_left(memory->budget) / shard->parts : 0;
  uint64_t most = now + left / PAGE_BYTES * PAGE_BYTES;
  assert(most >= now);
  most = most < memory->reserved_bytes ? most : memory->reserved_bytes;
  /* So little that it would not pay is not worth a new table. */
  return most >= needed && most > now + now / 22 && clew_bigmem_commit(memory, most);
}

static bool grow(struct clew_compact_shard *shard, uint64_t states, uint64_t overflow) {
  assert(shard->table.count <= shard->capacity);
  uint64_t tail = tail_for(&shard->table, overflow);
  uint32_t hash_bits = shard->table.shape.hash_bits;
  if (!commit_growth(shard, bytes_for(&shard->table, states, tail))) {
    return false;
  }
  struct clew_compact_shape shape = shape_for_bytes(hash_bits, shard->memory.committed_bytes, tail);
  assert(normal_capacity(shape.homes) >= states && shape.homes > shard->table.shape.homes);
  reshape(shard, &shape);
  return true;
}

bool clew_compact_shard_extend_tail(struct clew_compact_shard *shard, uint64_t insertions) {
  struct clew_compact_table *t = &shard->table;
  if (clew_compact_table_room(t) >= insertions) {
    return true;
  }
  uint64_t taken = t->end > t->shape.homes ? t->end : t->shape.homes;
  uint64_t blocks = clew_compact_blocks_for(taken + insertions);
  if (!clew_bigmem_commit(&shard->memory, blocks * t->shape.block_bytes)) {
    return false;
  }
  t->blocks = shard->memory.committed_bytes / t->shape.block_bytes;
  assert(clew_compact_table_room(t) >= insertions);
  return true;
}

bool clew_compact_shard_reserve(struct clew_compact_shard *shard, uint64_t insertions,
                                uint64_t overflow) {
  assert(overflow <= insertions && shard->table.count <= shard->capacity);
  uint64_t states = shard->table.count + insertions;
  if (states > shard->capacity && !grow(shard, states, overflow)) {
    uint64_t crowded = crowded_capacity(shard->table.shape.homes);
    if (states > crowded) {
      return false;
    }
    shard->capacity = crowded;
  }
  return clew_compact_shard_extend_tail(shard, overflow);
}

bool clew_compact_shard_open_memory(struct clew_compact_shard *shard, uint64_t bytes,
                                    uint64_t least_bytes, struct clew_budget *budget) {
  assert(shard->memory.data == NULL && least_bytes > 0);
  for (; bytes >= least_bytes; bytes /= 2) {
    if (clew_bigmem_open(&shard->memory, (size_t)bytes, budget)) {
      shard->data = shard->memory.data;
      return true;
    }
  }
  return false;
}

void clew_compact_shard_init_table(struct clew_compact_shard *shard,
                                   const struct clew_compact_shape *shape) {
  assert(shape->homes > 0 && shard->data != NULL);
  clew_compact_table_init(&shard->table, shape, shard->data,
                          shard->memory.committed_bytes / shape->block_bytes);
  copy_shape(shard);
}

bool clew_compact_shard_open(struct clew_compact_shard *shard, uint32_t hash_bits, uint32_t bits,
                             uint32_t parts, uint64_t most_bytes, struct clew_budget *budget) {
  assert(parts > 0 && hash_bits > 0 && hash_bits <= 64);
  shard->bits = bits;
  shard->parts = parts;
  uint64_t bytes = most_bytes > FIRST_BYTES ? most_bytes : FIRST_BYTES;
  if (!clew_compact_shard_open_memory(shard, bytes, FIRST_BYTES, budget) ||
      !clew_bigmem_commit(&shard->memory, FIRST_BYTES)) {
    return false;
  }
  struct clew_compact_shape shape =
      shape_for_bytes(hash_bits, shard->memory.committed_bytes, LEAST_TAIL);
  clew_compact_shard_init_table(shard, &shape);
  shard->capacity = normal_capacity(shape.homes);
  return true;
}

void clew_compact_shard_close(struct clew_compact_shard *shard) {
  assert(atomic_load_explicit(&shard->lock, memory_order_relaxed) == 0);
  clew_bigmem_close(&shard->memory);
}
