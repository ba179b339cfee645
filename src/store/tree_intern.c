/* Numbering of keys (tree_intern_int.h): insertion, growth, widths of pairs. */
#include "store/tree_intern_int.h"

#include <string.h>

#include "base/alloc.h"

enum { FIRST_BUCKETS = 4, REBUILD_DISTANCE = 32, LEAST_BYTES = 1 << 20 };

/* id + 1 and the busy mark share the bits of an entry. */
static const uint64_t MOST_IDS = UINT64_C(0xffffffff) - 1;

typedef _Atomic uint32_t atomic_entry;

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t capacity_of(uint64_t buckets) {
  return least(buckets * CLEW_LANES * 4 / 5, MOST_IDS);
}

static void configure(struct intern *table) {
  table->bucket_count = table->index.committed_bytes / CLEW_LANES_BYTES;
  assert(table->bucket_count > 0);
  table->id_bits = clew_bits_for(capacity_of(table->bucket_count) + 1);
  assert(table->id_bits >= 1 && table->id_bits <= 32);
  table->id_mask = (uint32_t)clew_bits_mask(table->id_bits);
  table->tag_mask = ~table->id_mask;
}

bool intern_open(struct intern *table, uint32_t key_bits, uint64_t most_bytes,
                 struct clew_budget *budget) {
  assert(key_bits <= 64);
  *table = (struct intern){.is_pair = key_bits == 0, .key_bytes = (key_bits + 7) / 8};
  if (table->is_pair) {
    table->upper_bits = table->lower_bits = 4;
    table->key_bytes = 1;
  }
  const uint64_t most_keys = (MOST_IDS + 1) * sizeof(uint64_t), most_index = MOST_IDS * 8;
  if (clew_bigmem_open_most(&table->keys, least(most_bytes, most_keys), LEAST_BYTES, budget) &&
      clew_bigmem_open_most(&table->index, least(most_bytes, most_index), LEAST_BYTES, budget)) {
    table->keys.in_pages = table->index.in_pages = true;
    if (clew_bigmem_commit(&table->index, FIRST_BUCKETS * CLEW_LANES_BYTES)) {
      configure(table);
      return true;
    }
  }
  intern_close(table);
  return false;
}

void intern_close(struct intern *table) {
  clew_bigmem_close(&table->keys);
  clew_bigmem_close(&table->index);
}

uint64_t intern_bytes(const struct intern *table) {
  return table->keys.committed_bytes + table->index.committed_bytes;
}

/* ---- the index ---- */

static atomic_entry *entries_of(const struct intern *table, uint64_t bucket) {
  assert(bucket < table->bucket_count);
  return (atomic_entry *)(void *)(table->index.data + bucket * CLEW_LANES_BYTES);
}

static uint64_t home_of(const struct intern *table, uint64_t hash) {
  return (uint64_t)(((unsigned __int128)hash * table->bucket_count) >> 64);
}

static uint64_t next_of(const struct intern *table, uint64_t bucket) {
  return bucket + 1 < table->bucket_count ? bucket + 1 : 0;
}

static uint32_t entry_for(const struct intern *table, uint64_t hash, uint64_t id) {
  return (uint32_t)(hash << table->id_bits) | (uint32_t)(id + 1);
}

/* A key that is not there; nobody else is inside. */
static void insert_distinct(struct intern *table, uint64_t hash, uint64_t id) {
  for (uint64_t bucket = home_of(table, hash);; bucket = next_of(table, bucket)) {
    atomic_entry *entries = entries_of(table, bucket);
    uint32_t empties = clew_lanes_scan((const unsigned char *)entries, 0, 0).empties;
    if (empties != 0) {
      atomic_store_explicit(entries + __builtin_ctz(empties), entry_for(table, hash, id),
                            memory_order_relaxed);
      return;
    }
  }
}

static void rebuild(struct intern *table, uint64_t old_buckets) {
  memset(table->index.data, 0, old_buckets * CLEW_LANES_BYTES);
  configure(table);
  uint64_t ring[REBUILD_DISTANCE], count = intern_count(table);
  for (uint64_t i = 0; i < count + REBUILD_DISTANCE; i++) {
    if (i >= REBUILD_DISTANCE) {
      insert_distinct(table, ring[i % REBUILD_DISTANCE], i - REBUILD_DISTANCE);
    }
    if (i < count) {
      uint64_t hash = intern_hash(intern_key(table, i));
      __builtin_prefetch(intern_bucket(table, hash), 1);
      ring[i % REBUILD_DISTANCE] = hash;
    }
  }
  table->growths++;
}

/* ---- growth ---- */

bool intern_reserve(struct intern *table, uint64_t ids, uint64_t some) {
  if (ids <= table->room) {
    return true;
  }
  uint64_t generous = ids + some < MOST_IDS ? ids + some : MOST_IDS;
  if (ids > MOST_IDS ||
      (!clew_bigmem_commit(&table->keys, generous * table->key_bytes + INTERN_SLACK) &&
       !clew_bigmem_commit(&table->keys, ids * table->key_bytes + INTERN_SLACK))) {
    return false;
  }
  uint64_t buckets = table->bucket_count;
  if (capacity_of(buckets) < ids) {
    uint64_t needed = ids * 5 / (CLEW_LANES * 4) + 1, wanted = buckets + buckets / 2;
    uint64_t ample = generous * 5 / (CLEW_LANES * 4) + 1;
    wanted = wanted > ample ? wanted : ample;
    if (!clew_bigmem_commit(&table->index, wanted * CLEW_LANES_BYTES) &&
        !clew_bigmem_commit(&table->index, needed * CLEW_LANES_BYTES)) {
      return false;
    }
    rebuild(table, buckets);
  }
  table->room = least(capacity_of(table->bucket_count),
                      (table->keys.committed_bytes - INTERN_SLACK) / table->key_bytes);
  assert(table->room >= ids);
  return true;
}

/* Puts keys that are kept in one form into another one, which takes as many bytes or more: so from
 * the last to the first. */
static void repack(struct intern *table, uint32_t upper_bits, uint32_t lower_bits,
                   uint32_t key_bytes) {
  assert(key_bytes >= table->key_bytes && upper_bits + lower_bits <= key_bytes * 8);
  uint32_t old_bits = table->lower_bits;
  for (uint64_t id = intern_count(table); id-- > 0;) {
    uint64_t kept = intern_kept(table, id);
    uint64_t upper = kept >> old_bits, lower = kept & clew_bits_mask(old_bits);
    assert(upper >> upper_bits == 0 && lower >> lower_bits == 0);
    uint64_t moved = upper << lower_bits | lower;
    unsigned char *at = table->keys.data + id * key_bytes;
    for (uint32_t i = 0; i < key_bytes; i++) {
      at[i] = (unsigned char)(moved >> i * 8);
    }
  }
  table->upper_bits = upper_bits;
  table->lower_bits = lower_bits;
  table->key_bytes = key_bytes;
}

bool intern_widen(struct intern *table, uint64_t uppers, uint64_t lowers) {
  assert(table->is_pair && uppers > 0 && lowers > 0);
  uint32_t upper_bits = clew_bits_for(uppers - 1), lower_bits = clew_bits_for(lowers - 1);
  assert(upper_bits <= 32 && lower_bits <= 32);
  if (upper_bits <= table->upper_bits && lower_bits <= table->lower_bits) {
    return true;
  }
  upper_bits = upper_bits > table->upper_bits ? upper_bits : table->upper_bits;
  lower_bits = lower_bits > table->lower_bits ? lower_bits : table->lower_bits;
  uint32_t key_bytes = (upper_bits + lower_bits + 7) / 8;
  /* Bits that the last byte has left over keep the next change off. */
  for (uint32_t spare = key_bytes * 8 - upper_bits - lower_bits; spare > 0; spare--) {
    if (spare % 2 == 0 && upper_bits < 32) {
      upper_bits++;
    } else if (lower_bits < 32) {
      lower_bits++;
    }
  }
  uint64_t room = table->room;
  if (key_bytes > table->key_bytes &&
      !clew_bigmem_commit(&table->keys, room * key_bytes + INTERN_SLACK)) {
    return false;
  }
  repack(table, upper_bits, lower_bits, key_bytes);
  return true;
}

/* ---- insertion ---- */

static uint32_t publish(struct intern *table, atomic_entry *entry, uint64_t kept, uint64_t hash) {
  uint64_t id = atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
  assert(id < table->room);
  unsigned char *at = table->keys.data + id * table->key_bytes;
  for (uint32_t i = 0; i < table->key_bytes; i++) {
    at[i] = (unsigned char)(kept >> i * 8);
  }
  atomic_store_explicit(entry, entry_for(table, hash, id), memory_order_release);
  return (uint32_t)id;
}

/* The number in a taken entry; waits while it is busy. */
static uint32_t number_in(const struct intern *table, const atomic_entry *entry) {
  uint32_t number = atomic_load_explicit(entry, memory_order_acquire) & table->id_mask;
  for (unsigned spins = 1; number == table->id_mask; spins++) {
    spin_pause(spins);
    number = atomic_load_explicit(entry, memory_order_acquire) & table->id_mask;
  }
  assert(number > 0);
  return number;
}

uint32_t intern_add(struct intern *table, uint64_t key, uint64_t hash, bool shared) {
  uint64_t bucket = home_of(table, hash), kept = intern_pack(table, key);
  uint32_t tag = (uint32_t)(hash << table->id_bits);
  for (;;) {
    atomic_entry *entries = entries_of(table, bucket);
    struct clew_lanes lanes = clew_lanes_scan((const unsigned char *)entries, tag, table->tag_mask);
    for (; lanes.matches != 0; lanes.matches &= lanes.matches - 1) {
      uint32_t number = number_in(table, entries + __builtin_ctz(lanes.matches));
      if (intern_kept(table, number - 1) == kept) {
        return number - 1;
      }
    }
    if (lanes.empties == 0) {
      bucket = next_of(table, bucket);
      continue;
    }
    atomic_entry *entry = entries + __builtin_ctz(lanes.empties);
    uint32_t empty = 0;
    if (!shared ||
        atomic_compare_exchange_strong_explicit(entry, &empty, tag | table->id_mask,
                                                memory_order_acquire, memory_order_relaxed)) {
      return publish(table, entry, kept, hash);
    }
    /* Another thread was faster, perhaps with the same key: look at the bucket again. */
  }
}

/* ---- looking up ---- */

static bool fits(const struct intern *table, uint64_t key) {
  return !table->is_pair ||
         (key >> 32 >> table->upper_bits == 0 && (key & UINT32_MAX) >> table->lower_bits == 0);
}

uint32_t intern_find(const struct intern *table, uint64_t key) {
  if (!fits(table, key)) {
    return UINT32_MAX;
  }
  uint64_t hash = intern_hash(key), kept = intern_pack(table, key);
  uint32_t tag = (uint32_t)(hash << table->id_bits);
  for (uint64_t bucket = home_of(table, hash);; bucket = next_of(table, bucket)) {
    const atomic_entry *entries = entries_of(table, bucket);
    struct clew_lanes lanes = clew_lanes_scan((const unsigned char *)entries, tag, table->tag_mask);
    for (; lanes.matches != 0; lanes.matches &= lanes.matches - 1) {
      uint32_t number = entries[__builtin_ctz(lanes.matches)] & table->id_mask;
      if (number <= intern_count(table) && intern_kept(table, number - 1) == kept) {
        return number - 1;
      }
    }
    if (lanes.empties != 0) {
      return UINT32_MAX;
    }
  }
}

/* ---- validation ---- */

const char *intern_validate(const struct intern *table) {
  uint64_t count = intern_count(table), taken = 0;
  if (count > table->room || table->room > capacity_of(table->bucket_count)) {
    return "more ids than room";
  }
  for (uint64_t i = 0; i < table->bucket_count * CLEW_LANES; i++) {
    taken += entries_of(table, i / CLEW_LANES)[i % CLEW_LANES] != 0;
  }
  if (taken != count) {
    return "not as many entries as ids";
  }
  for (uint64_t id = 0; id < count; id++) {
    uint32_t found = intern_find(table, intern_key(table, id));
    if (found != id) {
      return found == UINT32_MAX ? "a part of a state cannot be found" : "a part has two ids";
    }
  }
  return NULL;
}
