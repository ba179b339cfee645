/* A part of the signatures of the compact store: see compact_shard_int.h. */
#include "store/compact_shard_int.h"

static inline uint64_t number_of(const struct clew_compact_shard *shard, uint64_t hash) {
  return hash >> (64 - shard->set.bits);
}

static void copy_shape(struct clew_compact_shard *shard) {
  assert(shard->set.block_bits > 0 && shard->lines == shard->set.lines.data);
  atomic_store_explicit(&shard->block_shift, 64 - shard->set.block_bits, memory_order_relaxed);
}

bool clew_compact_shard_reserve(struct clew_compact_shard *shard, uint64_t insertions) {
  bool has_room = clew_compact_set_reserve(&shard->set, insertions);
  assert(!has_room || clew_compact_set_room(&shard->set) >= insertions);
  copy_shape(shard);
  return has_room;
}

bool clew_compact_shard_has(const struct clew_compact_shard *shard, uint64_t hash) {
  return clew_compact_set_has(&shard->set, number_of(shard, hash));
}

bool clew_compact_shard_put(struct clew_compact_shard *shard, uint32_t count, uint64_t *hashes,
                            bool *is_new) {
  if (clew_compact_set_room(&shard->set) < count) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    hashes[i] = number_of(shard, hashes[i]);
  }
  clew_compact_set_put(&shard->set, count, hashes, is_new);
  return true;
}

enum clew_answer clew_compact_shard_put_one(struct clew_compact_shard *shard, uint64_t hash,
                                            bool may_grow) {
  uint64_t number = number_of(shard, hash);
  if (clew_compact_set_has(&shard->set, number)) {
    return CLEW_SEEN;
  }
  if (clew_compact_set_room(&shard->set) == 0 &&
      (!may_grow || !clew_compact_shard_reserve(shard, 1))) {
    return CLEW_FULL;
  }
  bool is_new;
  clew_compact_set_put(&shard->set, 1, &number, &is_new);
  assert(is_new);
  return CLEW_NEW;
}

const char *clew_compact_shard_validate(const struct clew_compact_shard *shard) {
  assert(shard->lines != NULL);
  if (shard->lock != 0 || shard->block_shift != 64 - shard->set.block_bits) {
    return "a shard is locked or its shape was not copied";
  }
  return clew_compact_set_validate(&shard->set);
}

bool clew_compact_shard_open(struct clew_compact_shard *shard, uint32_t hash_bits,
                             uint64_t most_bytes, struct clew_budget *budget) {
  if (hash_bits < CLEW_COMPACT_SET_LEAST_BITS ||
      !clew_compact_set_open(&shard->set, hash_bits, most_bytes, budget)) {
    return false;
  }
  shard->lines = shard->set.lines.data;
  copy_shape(shard);
  return true;
}

void clew_compact_shard_close(struct clew_compact_shard *shard) {
  assert(atomic_load_explicit(&shard->lock, memory_order_relaxed) == 0);
  clew_compact_set_close(&shard->set);
}
