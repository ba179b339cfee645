/* The numbers of a set (compact_set.h) whose block is full: an open table of whole numbers.
 *
 * A slot of 0 is free. A number lies at its home or behind it, with no free slot in between; the
 * last slot is followed by the first. At most seven eighths of the slots are taken. The table does
 * not grow: its owner opens another one and moves the numbers.
 *
 * Each table has another factor that makes homes of numbers. The owner takes the numbers of an old
 * table in the order of their homes, and the first ones of a block find room in it; with the same
 * factor all that stay would be near the end. */
#include <assert.h>

#include "base/hash.h"
#include "store/compact_set_int.h"

enum { LEAST_SLOTS = 64, FACTOR_SEED = 1 };

/* The numbers of a few blocks: their upper bits are alike, the others random. */
static inline uint64_t home_of(const struct clew_compact_spill *spill, uint64_t number) {
  const uint64_t *place = clew_compact_spill_place(spill, number);
  return (uint64_t)(place - (const uint64_t *)(const void *)spill->memory.data);
}

static inline uint64_t *slot_at(const struct clew_compact_spill *spill, uint64_t slot) {
  assert(slot < spill->slots);
  return (uint64_t *)(void *)spill->memory.data + slot;
}

static inline uint64_t next_slot(const struct clew_compact_spill *spill, uint64_t slot) {
  return slot + 1 < spill->slots ? slot + 1 : 0;
}

bool clew_compact_spill_open(struct clew_compact_spill *spill, uint64_t numbers, uint64_t before,
                             struct clew_budget *budget) {
  assert(numbers <= UINT64_MAX / 64);
  *spill = (struct clew_compact_spill){
      .slots = numbers + numbers / 7 + LEAST_SLOTS,
      .factor = clew_hash_bytes(&before, sizeof before, FACTOR_SEED) | 1,
  };
  size_t bytes = (size_t)spill->slots * sizeof(uint64_t);
  if (!clew_bigmem_open(&spill->memory, bytes, budget) ||
      !clew_bigmem_commit(&spill->memory, bytes)) {
    clew_compact_spill_close(spill);
    return false;
  }
  spill->slots = spill->memory.committed_bytes / sizeof(uint64_t);
  assert(clew_compact_spill_room(spill) >= numbers);
  return true;
}

void clew_compact_spill_close(struct clew_compact_spill *spill) {
  clew_bigmem_close(&spill->memory);
  *spill = (struct clew_compact_spill){0};
}

uint64_t clew_compact_spill_room(const struct clew_compact_spill *spill) {
  uint64_t most = spill->slots / 8 * 7;
  assert(spill->count <= most);
  return most - spill->count;
}

bool clew_compact_spill_has(const struct clew_compact_spill *spill, uint64_t number) {
  if (number == 0) {
    return spill->has_zero;
  }
  uint64_t slot = home_of(spill, number);
  while (*slot_at(spill, slot) != 0 && *slot_at(spill, slot) != number) {
    slot = next_slot(spill, slot);
  }
  return *slot_at(spill, slot) == number;
}

void clew_compact_spill_add(struct clew_compact_spill *spill, uint64_t number) {
  assert(clew_compact_spill_room(spill) > 0);
  assert(!clew_compact_spill_has(spill, number));
  spill->count++;
  if (number == 0) {
    spill->has_zero = true;
    return;
  }
  uint64_t slot = home_of(spill, number);
  while (*slot_at(spill, slot) != 0) {
    slot = next_slot(spill, slot);
  }
  *slot_at(spill, slot) = number;
}

void clew_compact_spill_each(const struct clew_compact_spill *spill,
                             void (*found)(void *context, uint64_t number), void *context) {
  if (spill->has_zero) {
    found(context, 0);
  }
  for (uint64_t slot = 0; slot < spill->slots; slot++) {
    if (*slot_at(spill, slot) != 0) {
      found(context, *slot_at(spill, slot));
    }
  }
}
