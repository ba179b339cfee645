/* The memory table of the disk store: ordered linear probing.
 *
 * The home of a key is its leading bits scaled to the size of the table, and an insertion moves
 * larger keys to the right; so the table read from left to right is the sorted sequence of its
 * keys, which is what merging with sorted files needs, and an unsuccessful search ends at the first
 * larger key instead of the first free slot (1.1 to 2.5 slots at loads of 0.2 to 0.75; an insertion
 * moves 8 entries at 0.75). There is no wrap-around: `slots` has room behind `homes`, and if keys
 * crowd at the upper end the homes are squeezed together (in the worst case into one, which makes
 * it a sorted array).
 *
 * Entries are never removed one by one. They have an age, and the oldest are dropped all at once by
 * a pass from left to right, in which entries only move to the left. Growing is two passes: all to
 * the right end, then from left to right into place; the write position cannot overtake the read
 * position because what remains to be placed always fits behind it.
 *
 * Invariant: for slots i < j in use keys[i] <= keys[j], keys[i] has its home at or before i, and no
 * slot between its home and i is free. Ring positions are those of the ages 0 to count - 1.
 *
 * Workload: the engine prefetches the home; two duplicates of three successors are found here. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "store/disk_int.h"

enum { FIRST_LIMIT = 3 << 10, LEAST_LIMIT = 256 };
static const uint64_t MOST_ENTRIES = (UINT64_C(1) << 30) - 1;

static uint64_t slots_for(uint64_t limit) {
  assert(limit <= UINT64_MAX / 4);
  return limit / 3 * 4 + 4; /* load 0.75 */
}

/* Room behind the homes: chains that begin near the end, and the batch of a `has_room`. */
static uint64_t homes_for(uint64_t slots) {
  assert(slots >= 4);
  uint64_t behind = slots / 64 + 512;
  return behind < slots / 2 ? slots - behind : slots / 2;
}

static uint64_t entry_bytes(uint32_t state_bytes) {
  return (sizeof(uint64_t) + sizeof(uint32_t)) * 4 / 3 + state_bytes;
}

static bool commit(struct clew_disk_table *t, uint64_t limit) {
  assert(limit <= t->held_limit || t->held_limit == 0);
  uint64_t slots = slots_for(limit);
  return clew_bigmem_commit(&t->keys_mem, (slots + 1) * sizeof *t->keys) &&
         clew_bigmem_commit(&t->ring_mem, slots * sizeof *t->ring_of) &&
         clew_bigmem_commit(&t->old_mem, CLEW_BITSET_WORDS(limit) * sizeof *t->old) &&
         (t->state_bytes == 0 || clew_bigmem_commit(&t->states_mem, limit * t->state_bytes));
}

static bool reserve_all(struct clew_disk_table *t, uint64_t limit, struct clew_budget *budget) {
  uint64_t slots = slots_for(limit);
  return clew_bigmem_open(&t->keys_mem, (slots + 1) * sizeof *t->keys, budget) &&
         clew_bigmem_open(&t->ring_mem, slots * sizeof *t->ring_of, budget) &&
         clew_bigmem_open(&t->old_mem, CLEW_BITSET_WORDS(limit) * sizeof *t->old, budget) &&
         (t->state_bytes == 0 || clew_bigmem_open(&t->states_mem, limit * t->state_bytes, budget));
}

bool clew_disk_table_open(struct clew_disk_table *t, uint64_t memory_bytes, uint32_t state_bytes,
                          struct clew_budget *budget) {
  *t = (struct clew_disk_table){.state_bytes = state_bytes};
  /* Commits are made in whole pages, at most four of them too many. */
  const uint64_t rounding_bytes = 4 * 4096;
  uint64_t useful = memory_bytes > rounding_bytes ? memory_bytes - rounding_bytes : 0;
  uint64_t limit = useful * 8 / (entry_bytes(state_bytes) * 8 + 1);
  limit = limit < MOST_ENTRIES ? limit : MOST_ENTRIES;
  if (limit < LEAST_LIMIT || !reserve_all(t, limit, budget)) {
    clew_disk_table_close(t);
    return false;
  }
  t->largest_limit = t->held_limit = (uint32_t)limit;
  t->limit = limit < FIRST_LIMIT ? (uint32_t)limit : FIRST_LIMIT;
  if (!commit(t, t->limit)) {
    clew_disk_table_close(t);
    return false;
  }
  t->keys = (uint64_t *)(void *)t->keys_mem.data;
  t->ring_of = (uint32_t *)(void *)t->ring_mem.data;
  t->old = (uint64_t *)(void *)t->old_mem.data;
  t->states = t->states_mem.data;
  t->slots = slots_for(t->limit);
  t->homes = homes_for(t->slots);
  assert(t->homes > 0 && t->homes < t->slots);
  memset(t->keys, 0xff, (t->slots + 1) * sizeof *t->keys);
  return true;
}

void clew_disk_table_close(struct clew_disk_table *t) {
  assert(t->count <= t->limit);
  clew_bigmem_close(&t->keys_mem);
  clew_bigmem_close(&t->ring_mem);
  clew_bigmem_close(&t->old_mem);
  clew_bigmem_close(&t->states_mem);
  *t = (struct clew_disk_table){0};
}

uint64_t clew_disk_table_bytes(const struct clew_disk_table *t) {
  assert(t->keys_mem.committed_bytes <= t->keys_mem.reserved_bytes);
  return t->keys_mem.committed_bytes + t->ring_mem.committed_bytes + t->old_mem.committed_bytes +
         t->states_mem.committed_bytes;
}

/* ---- moving entries ---- */

/* Moves all entries to the right end of `slots`; the rest becomes free. Returns the first slot. */
static uint64_t pack_right(struct clew_disk_table *t, uint64_t slots) {
  assert(slots >= t->slots);
  uint64_t to = slots;
  for (uint64_t from = t->end; from-- > 0;) {
    if (t->keys[from] != CLEW_DISK_NO_KEY) {
      to--;
      t->keys[to] = t->keys[from];
      t->ring_of[to] = t->ring_of[from];
    }
  }
  memset(t->keys, 0xff, to * sizeof *t->keys);
  return to;
}

/* Puts the entries from `from` on, which have no gaps, where they belong. */
static void place_from(struct clew_disk_table *t, uint64_t from) {
  assert(from <= t->slots);
  uint64_t to = 0;
  for (; from < t->slots; from++) {
    uint64_t key = t->keys[from], home = clew_disk_table_home(t, key);
    to = to > home ? to : home;
    assert(to <= from);
    t->keys[from] = CLEW_DISK_NO_KEY;
    t->keys[to] = key;
    t->ring_of[to] = t->ring_of[from];
    to++;
  }
  t->end = to;
  assert(t->end <= t->slots);
}

/* Where the last entry would end with so many homes. */
static uint64_t end_with(const struct clew_disk_table *t, uint64_t homes) {
  assert(homes > 0);
  uint64_t to = 0;
  for (uint64_t i = 0; i < t->end; i++) {
    if (t->keys[i] != CLEW_DISK_NO_KEY) {
      uint64_t home = (uint64_t)(((unsigned __int128)t->keys[i] * homes) >> 64);
      to = (to > home ? to : home) + 1;
    }
  }
  return to;
}

static void rearrange(struct clew_disk_table *t, uint64_t slots, uint64_t homes) {
  assert(homes > 0);
  assert(homes <= slots);
  uint64_t from = pack_right(t, slots);
  t->slots = slots;
  t->homes = homes;
  place_from(t, from);
}

bool clew_disk_table_has_room(struct clew_disk_table *t, uint32_t n) {
  assert(t->count <= t->limit);
  assert(!t->listed);
  if (n > t->limit - t->count) {
    return false;
  }
  if (t->end + n <= t->slots) {
    return true;
  }
  uint64_t homes = t->homes;
  while (homes > 1 && end_with(t, homes) + n > t->slots) {
    homes /= 2;
  }
  if (end_with(t, homes) + n > t->slots) {
    return false; /* cannot be: one home is a sorted array, and the load is below 1 */
  }
  rearrange(t, t->slots, homes);
  return true;
}

static void reverse_states(struct clew_disk_table *t, uint32_t from, uint32_t to) {
  assert(to >= from && to <= t->limit);
  for (; to - from >= 2; from++, to--) {
    unsigned char *a = t->states + (size_t)from * t->state_bytes;
    unsigned char *b = t->states + (size_t)(to - 1) * t->state_bytes;
    for (uint32_t i = 0; i < t->state_bytes; i++) {
      unsigned char byte = a[i];
      a[i] = b[i];
      b[i] = byte;
    }
  }
}

/* Moves the oldest entry to position 0. */
static void turn_ring(struct clew_disk_table *t) {
  assert(t->first < t->limit);
  memset(t->old, 0, CLEW_BITSET_WORDS((uint64_t)t->limit) * sizeof *t->old);
  for (uint64_t slot = 0; slot < t->end; slot++) {
    if (t->keys[slot] != CLEW_DISK_NO_KEY) {
      uint32_t marks = t->ring_of[slot] & CLEW_DISK_MARKS;
      uint32_t age = clew_disk_table_age(t, clew_disk_table_at(t, slot));
      t->ring_of[slot] = age | marks;
      if ((marks & CLEW_DISK_OLD) != 0) {
        clew_bitset_add(t->old, age);
      }
    }
  }
  if (t->state_bytes > 0) {
    reverse_states(t, 0, t->first);
    reverse_states(t, t->first, t->limit);
    reverse_states(t, 0, t->limit);
  }
  t->first = 0;
  assert(t->count <= t->limit);
}

uint64_t clew_disk_table_hold(struct clew_disk_table *t, uint64_t memory_bytes) {
  assert(t->largest_limit == t->held_limit);
  uint64_t entries = memory_bytes / entry_bytes(t->state_bytes);
  uint64_t limit = t->held_limit > entries ? t->held_limit - entries : 0;
  t->largest_limit = limit > t->limit ? (uint32_t)limit : t->limit;
  return (t->held_limit - t->largest_limit) * entry_bytes(t->state_bytes);
}

void clew_disk_table_release(struct clew_disk_table *t) {
  assert(t->limit <= t->held_limit);
  t->largest_limit = t->held_limit;
}

bool clew_disk_table_grow(struct clew_disk_table *t) {
  assert(!t->listed);
  uint64_t limit = (uint64_t)t->limit * 2;
  limit = limit < t->largest_limit ? limit : t->largest_limit;
  if (limit <= t->limit) {
    return false;
  }
  if (!commit(t, limit)) {
    t->largest_limit = t->limit; /* others have used up the budget */
    return false;
  }
  if (t->first != 0) {
    turn_ring(t);
  }
  uint64_t slots = slots_for(limit), old_slots = t->slots, homes = homes_for(slots);
  memset(t->keys + old_slots, 0xff, (slots - old_slots + 1) * sizeof *t->keys);
  while (end_with(t, homes) > slots) {
    homes /= 2;
  }
  t->limit = (uint32_t)limit;
  rearrange(t, slots, homes);
  assert(t->limit <= t->largest_limit);
  return true;
}

void clew_disk_table_drop(struct clew_disk_table *t, uint32_t n) {
  assert(!t->listed);
  assert(n <= t->flushed && t->flushed <= t->settled && t->settled <= t->count);
  uint64_t to = 0, end = t->end;
  for (uint64_t from = 0; from < end; from++) {
    uint64_t key = t->keys[from];
    if (key == CLEW_DISK_NO_KEY) {
      continue;
    }
    uint32_t position = t->ring_of[from];
    t->keys[from] = CLEW_DISK_NO_KEY;
    if (clew_disk_table_age(t, position & ~CLEW_DISK_MARKS) >= n) {
      uint64_t home = clew_disk_table_home(t, key);
      to = to > home ? to : home;
      assert(to <= from);
      t->keys[to] = key;
      t->ring_of[to] = position;
      to++;
    }
  }
  t->end = to;
  t->first = clew_disk_table_position(t, n);
  t->count -= n;
  t->first = t->count > 0 ? t->first : 0;
  t->settled -= n;
  t->flushed -= n;
  assert(t->end >= t->count);
}

/* ---- visits ---- */

bool clew_disk_table_find(const struct clew_disk_table *t, uint64_t key, const void *state,
                          uint64_t *slot) {
  assert(key != CLEW_DISK_NO_KEY);
  /* A free slot has the largest key of all, and slot number `slots` is always free. */
  uint64_t i = clew_disk_table_home(t, key);
  while (t->keys[i] < key) {
    i++;
  }
  for (; t->keys[i] == key; i++) {
    if (t->state_bytes == 0 ||
        clew_disk_same_state(clew_disk_table_state(t, clew_disk_table_at(t, i)), state,
                             t->state_bytes)) {
      *slot = i;
      return true;
    }
  }
  *slot = i;
  return false;
}

void clew_disk_table_insert(struct clew_disk_table *t, uint64_t slot, uint64_t key,
                            const void *state) {
  assert(key != CLEW_DISK_NO_KEY);
  assert(t->count < t->limit);
  uint32_t position = clew_disk_table_position(t, t->count);
  uint64_t free_slot = slot;
  while (t->keys[free_slot] != CLEW_DISK_NO_KEY) {
    free_slot++;
  }
  assert(free_slot < t->slots);
  for (uint64_t to = free_slot; to > slot; to--) { /* seldom more than a few */
    t->keys[to] = t->keys[to - 1];
    t->ring_of[to] = t->ring_of[to - 1];
  }
  t->keys[slot] = key;
  t->ring_of[slot] = position;
  t->old[position / 64] &= ~(UINT64_C(1) << (position % 64));
  if (t->state_bytes > 0) {
    clew_disk_copy_state(t->states + (size_t)position * t->state_bytes, state, t->state_bytes);
  }
  t->end = t->end > free_slot + 1 ? t->end : free_slot + 1;
  t->count++;
  assert(t->end >= t->count && t->end <= t->slots);
  if (t->few_count < CLEW_DISK_FEW) {
    t->few_keys[t->few_count++] = key;
  }
}

/* ---- few candidates ---- */

static int compare_numbers(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

void clew_disk_table_list_candidates(struct clew_disk_table *t) {
  assert(!t->listed);
  if (t->count - t->settled >= CLEW_DISK_FEW) {
    return; /* not all keys are at hand */
  }
  assert(t->few_count == t->count - t->settled);
  qsort(t->few_keys, t->few_count, sizeof *t->few_keys, compare_numbers);
  uint32_t found = 0;
  uint64_t previous = CLEW_DISK_NO_KEY;
  for (uint32_t i = 0; i < t->few_count; i++) {
    uint64_t key = t->few_keys[i];
    for (uint64_t slot = clew_disk_table_seek(t, key);
         key != previous && slot < t->end && t->keys[slot] == key; slot++) {
      if (clew_disk_table_is_open(t, slot)) {
        t->few_slots[found++] = slot;
      }
    }
    previous = key;
  }
  assert(found == t->few_count);
  t->listed = true;
}

void clew_disk_table_unlist(struct clew_disk_table *t) {
  assert(t->listed || t->count - t->settled >= CLEW_DISK_FEW);
  t->listed = false;
}

uint64_t clew_disk_table_next_listed(const struct clew_disk_table *t, uint64_t slot) {
  assert(t->listed);
  uint32_t low = 0, high = t->few_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (t->few_slots[middle] < slot) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  while (low < t->few_count && !clew_disk_table_is_open(t, t->few_slots[low])) {
    low++;
  }
  return low < t->few_count ? t->few_slots[low] : t->end;
}

void clew_disk_table_settled(struct clew_disk_table *t) {
  assert(!t->listed);
  assert(t->settled <= t->count);
  t->settled = t->count;
  t->few_count = 0;
}

/* ---- validation ---- */

static const char *validate_slots(const struct clew_disk_table *t, uint64_t *named) {
  assert(named != NULL);
  assert(t->end <= t->slots);
  uint64_t previous = 0, taken = 0, full_from = 0;
  for (uint64_t i = 0; i < t->slots; i++) {
    if (t->keys[i] == CLEW_DISK_NO_KEY) {
      full_from = i + 1;
      continue;
    }
    if (i >= t->end) {
      return "an entry is behind the end";
    }
    if (t->keys[i] < previous) {
      return "the table is not sorted";
    }
    uint64_t home = clew_disk_table_home(t, t->keys[i]);
    if (home > i || home < full_from) {
      return "an entry cannot be found from its home";
    }
    uint32_t position = clew_disk_table_at(t, i);
    if (clew_disk_table_is_old(t, position) != ((t->ring_of[i] & CLEW_DISK_OLD) != 0)) {
      return "the two marks of an old entry differ";
    }
    if (position >= t->limit || clew_disk_table_age(t, position) >= t->count) {
      return "an entry has no place in the ring";
    }
    if (clew_bitset_has(named, position)) {
      return "two entries share a place in the ring";
    }
    clew_bitset_add(named, position);
    previous = t->keys[i];
    taken++;
  }
  return taken == t->count ? NULL : "the number of entries is wrong";
}

bool clew_disk_table_validate(const struct clew_disk_table *t, const char **why) {
  assert(why != NULL);
  if (t->flushed > t->settled || t->settled > t->count || t->count > t->limit ||
      t->first >= t->limit || t->end > t->slots) {
    *why = "the figures of the table do not agree";
    return false;
  }
  uint64_t *named = clew_alloc_zero(CLEW_BITSET_WORDS((uint64_t)t->limit), sizeof *named);
  assert(t->slots >= t->limit);
  *why = validate_slots(t, named);
  clew_free(named);
  return *why == NULL;
}
