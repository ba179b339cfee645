/* How a set of numbers (compact_set.h) is opened, grows and is closed.
 *
 * It grows by an eighth: every block gets more slots, from the last block to the first. From 62
 * slots on there are twice as many blocks instead, and every number is inserted again: those of a
 * block are the own ones and the guests of the two that it becomes. No block moves to a lower
 * address: what was not moved yet is not overwritten.
 *
 * Filling. Blocks are at most 91 of 100 full on average. When the budget is used up they become
 * fuller, and the spill takes what is left of it: twice as many blocks take a sixth more memory. */
#include "base/clock.h"
#include "store/compact_set_int.h"

enum {
  FIRST_BLOCK_BITS = 3,
  FIRST_SLOTS = 34,
  HALVED_SLOTS = 32,     /* of a block that was one half of a block */
  LEAST_STORED_BITS = 5, /* so many that HALVED_SLOTS hold all numbers of a block */
  STEPS = 8,             /* a growth adds one part of so many */
  CROWDED_STEPS = 64,    /* the same when there is no memory for it */
  CROWDED_SPILT = 32,    /* and one number of so many slots is spilt */
  SPILT_BYTES = 12,      /* that a spilt number takes, more or less */
  RETURN_BATCH = 64,
};

static uint64_t normal_capacity(uint64_t slots) {
  return slots / 100 * 91 + slots % 100 * 91 / 100;
}

uint64_t clew_compact_set_slots(const struct clew_compact_set *set) {
  return (uint64_t)set->slots << set->block_bits;
}

uint64_t clew_compact_set_bytes(const struct clew_compact_set *set) {
  return set->lines.committed_bytes + set->rests.committed_bytes +
         set->spill.memory.committed_bytes;
}

/* A set of the last shape has a slot for every number there is. */
static bool is_complete(const struct clew_compact_set *set) {
  return set->stored_bits == LEAST_STORED_BITS;
}

/* The rests of a block take no less than before, or half of it for each of two: no block must move
 * to a lower address, and rests of few bits would. */
static void set_shape(struct clew_compact_set *set, uint32_t block_bits, uint32_t slots) {
  size_t least_bytes = block_bits > set->block_bits ? (set->rests_bytes + 1) / 2 : set->rests_bytes;
  assert(block_bits + LEAST_STORED_BITS <= set->bits && block_bits > 0);
  assert(slots >= HALVED_SLOTS && slots <= SET_MOST_SLOTS);
  set->block_bits = block_bits;
  set->slots = slots;
  set->stored_bits = set->bits - block_bits;
  set->rest_bits = set->stored_bits > SET_TAG_BITS ? set->stored_bits - SET_TAG_BITS : 0;
  size_t bytes = ((size_t)slots * set->rest_bits + 7) / 8;
  set->rests_bytes = bytes > least_bytes ? bytes : least_bytes;
  set->capacity = is_complete(set) ? UINT64_MAX / 4 : normal_capacity(clew_compact_set_slots(set));
}

/* Makes the memory of a shape usable. Enough of the budget must be left for the spill to grow with
 * when the shape becomes crowded. */
static bool commit_shape(struct clew_compact_set *set, const struct clew_compact_set *shape) {
  uint64_t lines = (uint64_t)SET_LINE_BYTES << shape->block_bits;
  uint64_t rests = ((uint64_t)shape->rests_bytes << shape->block_bits) + SET_PAD_BYTES;
  if (lines > set->lines.reserved_bytes || rests > set->rests.reserved_bytes) {
    return false;
  }
  uint64_t spilt = clew_compact_set_slots(shape) / CROWDED_SPILT * SPILT_BYTES;
  uint64_t has = set->lines.committed_bytes + set->rests.committed_bytes;
  if (set->rests.budget != NULL &&
      clew_budget_left(set->rests.budget) + has < lines + rests + spilt) {
    return false;
  }
  return clew_bigmem_commit(&set->lines, (size_t)lines) &&
         clew_bigmem_commit(&set->rests, (size_t)rests);
}

/* ---- passes ---- */

/* Two neighbours, blocks `b` and `b` + 1, get more slots. Their guests go home if there is room. */
static void widen_pair(const struct clew_compact_set *old, struct clew_compact_set *set,
                       uint64_t b) {
  uint64_t guests[2 * SET_MOST_SLOTS];
  uint32_t count = 0;
  for (uint32_t i = 2; i-- > 0;) {
    struct clew_compact_block from = set_block(old, b + i), to = set_block(set, b + i);
    for (uint64_t places = guest_places(from.line); places != 0; places &= places - 1) {
      guests[count++] = number_in(old, from, b + i, (uint32_t)__builtin_ctzll(places));
    }
    from.line[SET_OWN_AT] &= SET_COUNT_MASK;
    from.line[SET_GUESTS_AT] = 0;
    memmove(to.rests, from.rests, old->rests_bytes);
  }
  set->count -= count;
  for (uint32_t i = 0; i < count; i++) {
    insert(set, guests[i]);
  }
}

/* More slots for each block. Nothing is spilt any more. */
static void add_slots(struct clew_compact_set *set, uint32_t slots) {
  struct clew_compact_set old = *set;
  assert(slots > set->slots && slots <= SET_MOST_SLOTS);
  set_shape(set, set->block_bits, slots);
  for (uint64_t b = UINT64_C(1) << set->block_bits; b > 0; b -= 2) {
    widen_pair(&old, set, b - 2);
  }
}

/* The numbers of two neighbours, sorted into the four blocks that they become. */
struct quarters {
  uint32_t counts[4];
  uint64_t stored[4][2 * SET_MOST_SLOTS]; /* what is stored of them from now on */
};

static void sort_numbers(const struct clew_compact_set *old, uint64_t b,
                         const struct clew_compact_set *set, struct quarters *quarters) {
  struct clew_compact_block block = set_block(old, b);
  uint64_t places = own_places(block.line) | guest_places(block.line);
  uint64_t mask = (UINT64_C(1) << set->stored_bits) - 1;
  for (; places != 0; places &= places - 1) {
    uint64_t number = number_in(old, block, b, (uint32_t)__builtin_ctzll(places));
    uint32_t quarter = number >> set->stored_bits & 3;
    quarters->stored[quarter][quarters->counts[quarter]++] = number & mask;
  }
}

/* Makes the own numbers of a block, word by word: to insert them one by one would read words that
 * were written just before, at other addresses, and processors are slow at that. */
static void fill_block(struct clew_compact_set *set, uint64_t b, uint32_t count,
                       const uint64_t *stored) {
  struct clew_compact_block block = set_block(set, b);
  uint64_t word = 0, mask = (UINT64_C(1) << set->rest_bits) - 1;
  unsigned char *next = block.rests;
  uint32_t used = 0; /* bits of the word */
  for (uint32_t i = 0; i < count; i++) {
    uint64_t rest = stored[i] & mask;
    block.line[i] = (unsigned char)(stored[i] >> set->rest_bits);
    word |= rest << used;
    used += set->rest_bits;
    if (used >= 64) {
      store_word(next, word);
      next += sizeof word;
      used -= 64;
      word = rest >> (set->rest_bits - used);
    }
  }
  memcpy(next, &word, (used + 7) / 8);
  block.line[SET_OWN_AT] = (unsigned char)count;
  block.line[SET_GUESTS_AT] = 0;
  set->count += count;
}

/* Twice as many blocks. Numbers for which there is no slot go to the spill. */
static void add_blocks(struct clew_compact_set *set) {
  struct clew_compact_set old = *set;
  assert(set->slots == SET_MOST_SLOTS && !is_complete(set));
  set_shape(set, set->block_bits + 1, HALVED_SLOTS);
  set->count = 0;
  for (uint64_t b = UINT64_C(1) << old.block_bits; b > 0;) {
    struct quarters quarters;
    memset(quarters.counts, 0, sizeof quarters.counts);
    b -= 2;
    sort_numbers(&old, b, set, &quarters);
    sort_numbers(&old, b + 1, set, &quarters);
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t count = quarters.counts[i];
      fill_block(set, 2 * b + i, count < set->slots ? count : set->slots, quarters.stored[i]);
    }
    for (uint32_t i = 0; i < 4; i++) {
      for (uint32_t j = set->slots; j < quarters.counts[i]; j++) {
        insert(set, (2 * b + i) << set->stored_bits | quarters.stored[i][j]);
      }
    }
  }
}

/* How many numbers would be in excess if each block became two of so many slots. They are each
 * other's neighbours. */
static uint64_t excess_of_halves(const struct clew_compact_set *set, uint32_t slots) {
  uint64_t excess = 0;
  for (uint64_t b = 0; b >> set->block_bits == 0; b++) {
    uint32_t count = own_in(set_block(set, b).line) + guests_in(set_block(set, b ^ 1).line);
    excess += count > 2 * slots ? count - 2 * slots : 0;
  }
  return excess;
}

/* ---- steps ---- */

/* Numbers that are taken back from a spill, some at a time. */
struct return_batch {
  struct clew_compact_set *set;
  uint32_t count;
  uint64_t numbers[RETURN_BATCH];
};

static void put_back(struct return_batch *batch) {
  bool is_new[RETURN_BATCH];
  clew_compact_set_put(batch->set, batch->count, batch->numbers, is_new);
  for (uint32_t i = 0; i < batch->count; i++) {
    assert(is_new[i]);
  }
  batch->count = 0;
}

static void take_back(void *context, uint64_t number) {
  struct return_batch *batch = context;
  clew_compact_set_prefetch(batch->set, number);
  batch->numbers[batch->count++] = number;
  if (batch->count == RETURN_BATCH) {
    put_back(batch);
  }
}

/* Memory for another shape, and another spill that the numbers of this one fit into, and so many
 * more. */
static bool take_memory(struct clew_compact_set *set, uint32_t block_bits, uint32_t slots,
                        uint64_t more, struct clew_compact_spill *next) {
  struct clew_budget *budget = set->rests.budget;
  struct clew_compact_set shape = *set;
  set_shape(&shape, block_bits, slots);
  return commit_shape(set, &shape) &&
         clew_compact_spill_open(next, set->spill.count + more, set->spill.factor, budget);
}

/* The numbers of an old spill look for slots, and for room in the new one. */
static void return_all(struct clew_compact_set *set, struct clew_compact_spill *old) {
  struct return_batch batch = {.set = set};
  clew_compact_spill_each(old, take_back, &batch);
  put_back(&batch);
  clew_compact_spill_close(old);
}

/* All of the next insertions could be spilt. */
static bool double_blocks(struct clew_compact_set *set, uint64_t insertions) {
  uint64_t more = excess_of_halves(set, HALVED_SLOTS) + insertions;
  struct clew_compact_spill old = set->spill, next;
  if (!take_memory(set, set->block_bits + 1, HALVED_SLOTS, more, &next)) {
    return false;
  }
  set->spill = next;
  add_blocks(set);
  return_all(set, &old);
  return true;
}

static bool widen_blocks(struct clew_compact_set *set, uint64_t insertions) {
  uint32_t most = set->slots + set->slots / STEPS;
  most = most < SET_MOST_SLOTS ? most : SET_MOST_SLOTS;
  for (uint32_t slots = most; slots > set->slots; slots = (slots + set->slots) / 2) {
    struct clew_compact_spill old = set->spill, next;
    if (take_memory(set, set->block_bits, slots, insertions, &next)) {
      set->spill = next;
      add_slots(set, slots);
      set->count -= old.count;
      return_all(set, &old);
      return true;
    }
  }
  return false;
}

static bool add_room(struct clew_compact_set *set, uint64_t insertions) {
  assert(!is_complete(set));
  double start_s = clew_clock_wall_s();
  uint64_t count = set->count;
  bool grown =
      set->slots < SET_MOST_SLOTS ? widen_blocks(set, insertions) : double_blocks(set, insertions);
  set->growth_s += clew_clock_wall_s() - start_s;
  set->growths += grown;
  assert(set->count == count);
  (void)count;
  return grown;
}

static void add_to_spill(void *context, uint64_t number) {
  clew_compact_spill_add(context, number);
}

static bool grow_spill(struct clew_compact_set *set, uint64_t insertions) {
  struct clew_compact_spill next;
  uint64_t count = set->spill.count;
  struct clew_budget *budget = set->rests.budget;
  /* More than it takes, so that this happens seldom. */
  if (!clew_compact_spill_open(&next, count + count / 4 + insertions, set->spill.factor, budget) &&
      !clew_compact_spill_open(&next, count + insertions, set->spill.factor, budget)) {
    return false;
  }
  clew_compact_spill_each(&set->spill, add_to_spill, &next);
  clew_compact_spill_close(&set->spill);
  set->spill = next;
  return true;
}

/* How many of so many insertions may be spilt. */
static uint64_t most_spilt(const struct clew_compact_set *set, uint64_t insertions) {
  return is_complete(set) ? 0 : insertions;
}

static bool reserve_spill(struct clew_compact_set *set, uint64_t insertions) {
  uint64_t spilt = most_spilt(set, insertions);
  return clew_compact_spill_room(&set->spill) >= spilt || grow_spill(set, spilt);
}

bool clew_compact_set_reserve(struct clew_compact_set *set, uint64_t insertions) {
  uint64_t wanted = set->count + insertions;
  while (wanted > set->capacity) {
    if (!add_room(set, insertions)) {
      if (!reserve_spill(set, insertions)) {
        return false;
      }
      set->capacity = wanted + clew_compact_set_slots(set) / CROWDED_STEPS;
    }
  }
  return reserve_spill(set, insertions);
}

uint64_t clew_compact_set_room(const struct clew_compact_set *set) {
  uint64_t spare = set->capacity > set->count ? set->capacity - set->count : 0;
  uint64_t spill = clew_compact_spill_room(&set->spill);
  return spare < spill || spill >= most_spilt(set, spare) ? spare : spill;
}

/* ---- opening and closing ---- */

/* The bytes of the lines of the largest set that takes at most so many. */
static uint64_t most_line_bytes(const struct clew_compact_set *set, uint64_t bytes) {
  struct clew_compact_set shape = *set;
  while (!is_complete(&shape) &&
         (SET_LINE_BYTES + shape.rests_bytes) << shape.block_bits <= bytes / 2) {
    set_shape(&shape, shape.block_bits + 1, HALVED_SLOTS);
  }
  return (uint64_t)SET_LINE_BYTES << shape.block_bits;
}

/* Reserves addresses for a set of at most so many bytes. */
static bool reserve_addresses(struct clew_compact_set *set, uint64_t bytes,
                              struct clew_budget *budget) {
  uint64_t lines = most_line_bytes(set, bytes);
  if (bytes <= SIZE_MAX / 4 && clew_bigmem_open(&set->lines, (size_t)lines, budget)) {
    if (clew_bigmem_open(&set->rests, (size_t)bytes, budget)) {
      return true;
    }
    clew_bigmem_close(&set->lines);
  }
  return false;
}

bool clew_compact_set_open(struct clew_compact_set *set, uint32_t bits, uint64_t most_bytes,
                           struct clew_budget *budget) {
  assert(bits >= CLEW_COMPACT_SET_LEAST_BITS && bits <= 64);
  *set = (struct clew_compact_set){.bits = bits};
  set_shape(set, FIRST_BLOCK_BITS, FIRST_SLOTS);
  uint64_t least_bytes = (set->rests_bytes << set->block_bits) + SET_PAD_BYTES;
  uint64_t bytes = most_bytes > least_bytes ? most_bytes : least_bytes;
  while (!reserve_addresses(set, bytes, budget)) {
    bytes /= 2;
    if (bytes < least_bytes) {
      return false;
    }
  }
  return commit_shape(set, set) && clew_compact_spill_open(&set->spill, 0, 0, budget);
}

void clew_compact_set_close(struct clew_compact_set *set) {
  clew_compact_spill_close(&set->spill);
  clew_bigmem_close(&set->rests);
  clew_bigmem_close(&set->lines);
}
