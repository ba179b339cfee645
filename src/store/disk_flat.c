/* The flat file of the disk store: signatures (or full states) in order of discovery, and the two
 * published ways of using it.
 *
 * `full` is the algorithm of Stern and Dill (1998): each time candidates are decided the whole file
 * is read, and every entry that is in the table is struck from it.
 *
 * `local` is the locality-based algorithm of Della Penna, Intrigila, Melatti, Tronci and Venturini
 * Zilli ("Exploiting transition locality in automatic verification of finite-state concurrent
 * systems", STTT 2004, section 5). The file is divided into at most N = 100 blocks of at least 10^4
 * entries; only a *disk cloud* of them is read, chosen at random, recent blocks with a higher
 * chance. States of other blocks may be called new again. Every tenth time the whole file is read,
 * and the size of the cloud is adjusted by 15 % according to how many old states it would have
 * missed. Where the description leaves a choice:
 *  - figure 9 is read as a step function: weight 0.4 up to 0.4 of the file, 0.6 up to 0.7, then 1;
 *    blocks are drawn one after the other, without replacement, in proportion to their weights;
 *  - the size of the cloud is a number of blocks (a fraction is kept, so that several small changes
 *    add up), at first 60 as the experience reported for the cache suggests, and from 1 to N;
 *  - beta, the share of old states that were not in the cloud, is "close to 0" below 0.1 and "close
 *    to 1" above 0.5. A stricter upper limit leaves clouds alone that miss most old states, and
 *    then the search need not end;
 *  - "the disk access rate has been too long above a critical limit" when in 5 calibrations in a
 *    row the cloud was at least 90 % of the blocks; then the size is reset with P = 0.5;
 *  - blocks are made of whole units of a few KB, which carry checksums; the last, incomplete unit
 *    is in memory, belongs to the last block and is always used;
 *  - "remove from M" is a mark, as the unchecked queue knows which entry of M is its own.
 *
 * Workload: long sequential reads; one random look-up in the table for each entry read, several of
 * them under way at a time. */
#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/disk_int.h"

enum {
  LEAST_UNIT_BYTES = 4096,
  ENTRIES_PER_UNIT = 4, /* at least */
  LOOKUPS = 32,         /* under way at once */
  MOST_BLOCKS = 100,
  LEAST_BLOCK_ENTRIES = 10000,
  CALIBRATION_CALLS = 10,
  TOO_LONG_CALIBRATIONS = 5,
};
static const double FIRST_CLOUD_SIZE = 60;
static const double SPEEDUP = 0.15, SLOWDOWN = 0.15;
static const double BETA_LOW = 0.1, BETA_HIGH = 0.5;
static const double CRITICAL_RATE = 0.9, RESET_CHANCE = 0.5;

static uint32_t entry_bytes_of(uint32_t shift, uint32_t state_bytes) {
  assert(shift < 64);
  return state_bytes > 0 ? (uint32_t)sizeof(uint64_t) + state_bytes : (64 - shift + 7) / 8;
}

static uint32_t unit_bytes_of(uint32_t entry_bytes) {
  assert(entry_bytes > 0);
  uint32_t least = entry_bytes * ENTRIES_PER_UNIT + (uint32_t)sizeof(uint64_t);
  return (least + LEAST_UNIT_BYTES - 1) / LEAST_UNIT_BYTES * LEAST_UNIT_BYTES;
}

size_t clew_disk_flat_least_arena(uint32_t state_bytes) {
  return (size_t)4 * unit_bytes_of(entry_bytes_of(0, state_bytes)) + CLEW_DISK_SLACK;
}

void clew_disk_flat_open(struct clew_disk_flat *f, bool local, uint32_t shift, uint32_t state_bytes,
                         uint64_t seed, struct clew_disk_io *io, struct clew_disk_table *table,
                         struct clew_bigmem *arena) {
  assert(io != NULL && table != NULL && arena != NULL);
  assert(arena->committed_bytes >= clew_disk_flat_least_arena(state_bytes));
  *f = (struct clew_disk_flat){.io = io,
                               .table = table,
                               .arena = arena,
                               .local = local,
                               .shift = shift,
                               .state_bytes = state_bytes,
                               .fd = -1,
                               .cloud_size = FIRST_CLOUD_SIZE};
  f->entry_bytes = entry_bytes_of(shift, state_bytes);
  f->key_bytes = f->entry_bytes - state_bytes;
  f->unit_bytes = unit_bytes_of(f->entry_bytes);
  f->unit_entries = (f->unit_bytes - (uint32_t)sizeof(uint64_t)) / f->entry_bytes;
  assert(f->unit_entries >= ENTRIES_PER_UNIT);
  f->tail = clew_alloc_zero(1, f->unit_bytes + CLEW_DISK_SLACK);
  clew_random_seed(&f->random, seed);
}

void clew_disk_flat_close(struct clew_disk_flat *f) {
  assert(f->fd >= -1);
  if (f->fd >= 0) {
    close(f->fd);
  }
  clew_free(f->tail);
  f->tail = NULL;
  f->fd = -1;
}

/* ---- looking entries up in the table ---- */

static inline uint64_t entry_key(const struct clew_disk_flat *f, const unsigned char *entry) {
  assert(f->key_bytes > 0 && f->key_bytes <= sizeof(uint64_t));
  uint64_t key = 0;
  memcpy(&key, entry, f->key_bytes);
  return key << f->shift;
}

/* Keys are stored without the bits that a signature leaves out. */
static void store_key(const struct clew_disk_flat *f, unsigned char *entry, uint64_t key) {
  assert(key >> f->shift << f->shift == key || f->state_bytes > 0);
  key >>= f->shift;
  memcpy(entry, &key, f->key_bytes);
}

/* Marks the candidate that is equal to the entry; whether there was one. */
static bool strike(struct clew_disk_flat *f, uint64_t key, const unsigned char *state) {
  struct clew_disk_table *t = f->table;
  uint64_t slot;
  if (!clew_disk_table_find(t, key, state, &slot)) {
    return false;
  }
  if ((t->ring_of[slot] & CLEW_DISK_OLD) != 0) {
    return false;
  }
  clew_disk_table_mark_old(t, slot);
  return true;
}

/* Returns how many were struck. */
static uint64_t check_unit(struct clew_disk_flat *f, const unsigned char *unit, uint32_t entries) {
  assert(entries <= f->unit_entries);
  const unsigned char *entry = unit + sizeof(uint64_t);
  uint64_t struck = 0;
  for (uint32_t done = 0; done < entries;) {
    uint64_t keys[LOOKUPS];
    uint32_t n = entries - done < LOOKUPS ? entries - done : LOOKUPS;
    for (uint32_t i = 0; i < n; i++) {
      keys[i] = entry_key(f, entry + (size_t)i * f->entry_bytes);
      __builtin_prefetch(&f->table->keys[clew_disk_table_home(f->table, keys[i])]);
    }
    for (uint32_t i = 0; i < n; i++, entry += f->entry_bytes) {
      struck += strike(f, keys[i], entry + f->key_bytes);
    }
    done += n;
  }
  return struck;
}

static struct clew_disk_stream stream_of(const struct clew_disk_flat *f) {
  const size_t most_bytes = 1 << 20;
  assert(f->arena->committed_bytes >= 2 * (size_t)f->unit_bytes + CLEW_DISK_SLACK);
  size_t bytes = (f->arena->committed_bytes - CLEW_DISK_SLACK) / 2;
  bytes = bytes < most_bytes || most_bytes < f->unit_bytes ? bytes : most_bytes;
  return (struct clew_disk_stream){.io = f->io,
                                   .fd = f->fd,
                                   .unit_bytes = f->unit_bytes,
                                   .memory = f->arena->data,
                                   .piece_bytes = bytes / f->unit_bytes * f->unit_bytes};
}

/* Units from `begin` to `end`; false on failure. */
static bool check_units(struct clew_disk_flat *f, uint64_t begin, uint64_t end, uint64_t *struck) {
  assert(end <= f->units);
  if (begin >= end) {
    return true;
  }
  struct clew_disk_stream in = stream_of(f);
  clew_disk_input_open(&in, begin * f->unit_bytes, end * f->unit_bytes);
  uint64_t units = 0;
  for (const unsigned char *unit; (unit = clew_disk_input_next(&in)) != NULL; units++) {
    *struck += check_unit(f, unit, f->unit_entries);
  }
  clew_disk_stream_abandon(&in);
  return units == end - begin;
}

static uint32_t tail_entries(const struct clew_disk_flat *f) {
  assert(f->stored - f->units * f->unit_entries < f->unit_entries);
  return (uint32_t)(f->stored - f->units * f->unit_entries);
}

/* ---- the disk cloud ---- */

struct blocks {
  uint64_t units; /* of each, but the last */
  uint32_t count;
  bool in_cloud[MOST_BLOCKS];
};

static void divide(const struct clew_disk_flat *f, struct blocks *blocks) {
  assert(f->unit_entries > 0);
  uint64_t entries = (f->stored + MOST_BLOCKS - 1) / MOST_BLOCKS;
  entries = entries < LEAST_BLOCK_ENTRIES ? LEAST_BLOCK_ENTRIES : entries;
  *blocks = (struct blocks){.units = (entries + f->unit_entries - 1) / f->unit_entries};
  blocks->count = (uint32_t)((f->units + blocks->units - 1) / blocks->units);
  assert(blocks->count <= MOST_BLOCKS);
}

static double weight_of(uint32_t block, uint32_t count) {
  assert(block < count);
  double place = (double)block / (double)count;
  return place < 0.4 ? 0.4 : place < 0.7 ? 0.6 : 1.0;
}

static double random_fraction(struct clew_disk_flat *f) {
  return (double)(clew_random_u64(&f->random) >> 11) * 0x1p-53;
}

/* The block at `point` of the total weight of those not yet chosen. */
static uint32_t block_at(const struct blocks *blocks, double point) {
  assert(blocks->count > 0 && point >= 0);
  uint32_t last = 0;
  for (uint32_t i = 0; i < blocks->count; i++) {
    if (!blocks->in_cloud[i]) {
      last = i;
      point -= weight_of(i, blocks->count);
      if (point < 0) {
        break;
      }
    }
  }
  assert(!blocks->in_cloud[last]);
  return last; /* also when rounding leads beyond the end */
}

/* Returns the number chosen. */
static uint32_t choose_cloud(struct clew_disk_flat *f, struct blocks *blocks) {
  assert(f->cloud_size >= 1 && f->cloud_size <= MOST_BLOCKS);
  uint32_t size = (uint32_t)(f->cloud_size + 0.5);
  size = size < blocks->count ? size : blocks->count;
  double total = 0;
  for (uint32_t i = 0; i < blocks->count; i++) {
    total += weight_of(i, blocks->count);
  }
  for (uint32_t chosen = 0; chosen < size; chosen++) {
    uint32_t block = block_at(blocks, random_fraction(f) * total);
    assert(!blocks->in_cloud[block]);
    blocks->in_cloud[block] = true;
    total -= weight_of(block, blocks->count);
  }
  return size;
}

static void calibrate(struct clew_disk_flat *f, uint64_t in_cloud, uint64_t not_in_cloud) {
  assert(in_cloud + not_in_cloud > 0);
  double beta = (double)not_in_cloud / (double)(in_cloud + not_in_cloud);
  if (beta > BETA_HIGH) {
    f->cloud_size *= 1 + SPEEDUP;
  } else if (beta < BETA_LOW) {
    f->cloud_size *= 1 - SLOWDOWN;
  }
  f->cloud_size = f->cloud_size < 1 ? 1 : f->cloud_size > MOST_BLOCKS ? MOST_BLOCKS : f->cloud_size;
  f->calibrations++;
}

static void perhaps_reset(struct clew_disk_flat *f, double rate) {
  assert(rate >= 0 && rate <= 1);
  f->high_calls = rate >= CRITICAL_RATE ? f->high_calls + 1 : 0;
  if (f->high_calls >= TOO_LONG_CALIBRATIONS && random_fraction(f) < RESET_CHANCE) {
    f->cloud_size = FIRST_CLOUD_SIZE;
    f->high_calls = 0;
    f->resets++;
  }
}

/* Adjacent blocks that are both in the cloud, or both not, are read as one. */
static bool check_blocks(struct clew_disk_flat *f, const struct blocks *blocks, bool all,
                         uint64_t *in_cloud, uint64_t *not_in_cloud) {
  for (uint32_t i = 0; i < blocks->count;) {
    uint32_t end = i + 1;
    while (end < blocks->count && blocks->in_cloud[end] == blocks->in_cloud[i]) {
      end++;
    }
    uint64_t last = end * blocks->units < f->units ? end * blocks->units : f->units;
    bool chosen = blocks->in_cloud[i];
    assert(i * blocks->units < last);
    if (chosen || all) {
      f->blocks_read += end - i;
      if (!check_units(f, i * blocks->units, last, chosen ? in_cloud : not_in_cloud)) {
        return false;
      }
    }
    i = end;
  }
  return true;
}

static bool decide_locally(struct clew_disk_flat *f) {
  assert(f->local);
  struct blocks blocks;
  divide(f, &blocks);
  uint32_t chosen = choose_cloud(f, &blocks);
  bool calibrating = ++f->calls % CALIBRATION_CALLS == 0;
  uint64_t in_cloud = check_unit(f, f->tail, tail_entries(f)), not_in_cloud = 0;
  if (!check_blocks(f, &blocks, calibrating, &in_cloud, &not_in_cloud)) {
    return false;
  }
  if (calibrating && blocks.count > 0) {
    if (chosen < blocks.count && in_cloud + not_in_cloud > 0) {
      calibrate(f, in_cloud, not_in_cloud);
    }
    perhaps_reset(f, (double)chosen / (double)blocks.count);
  }
  return true;
}

bool clew_disk_flat_decide(struct clew_disk_flat *f) {
  assert(f->table->settled == 0);
  if (f->local) {
    return decide_locally(f);
  }
  uint64_t struck = check_unit(f, f->tail, tail_entries(f));
  return check_units(f, 0, f->units, &struck);
}

/* ---- appending ---- */

bool clew_disk_flat_append_begin(struct clew_disk_flat *f) {
  assert(f->io->fault == CLEW_DISK_FINE);
  if (f->fd < 0) {
    f->fd = clew_disk_io_file(f->io);
    if (f->fd < 0) {
      return false;
    }
  }
  f->out = stream_of(f);
  clew_disk_output_open(&f->out, f->units * f->unit_bytes);
  return true;
}

bool clew_disk_flat_append(struct clew_disk_flat *f, uint64_t key, const void *state) {
  assert(f->fd >= 0);
  assert((state != NULL) == (f->state_bytes > 0));
  uint32_t in_tail = tail_entries(f);
  unsigned char *entry = f->tail + sizeof(uint64_t) + (size_t)in_tail * f->entry_bytes;
  store_key(f, entry, key);
  if (f->state_bytes > 0) {
    memcpy(entry + f->key_bytes, state, f->state_bytes);
  }
  f->stored++;
  assert(in_tail < f->unit_entries);
  if (in_tail + 1 < f->unit_entries) {
    return true;
  }
  unsigned char *unit = clew_disk_output_next(&f->out);
  if (unit == NULL) {
    return false;
  }
  memcpy(unit, f->tail, f->unit_bytes);
  f->units++;
  return true;
}

bool clew_disk_flat_append_end(struct clew_disk_flat *f) {
  assert(f->out.fd == f->fd);
  return clew_disk_output_close(&f->out);
}
