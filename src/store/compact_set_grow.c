/* How a set of numbers (compact_set.h) is opened, grows and is closed.
 *
 * It grows by a twenty-fourth: every block gets more slots, from the last block to the first, each
 * of which moves as it is. From 127 slots on there are twice as many blocks instead: the numbers of
 * a block are in order, so those of its homes 0..31 come first and become the first of the two, and
 * home i becomes the homes 2i and 2i + 1, told apart by the upper bit of the rest. A block never
 * moves to a lower address: what was not moved yet is not overwritten.
 *
 * Filling. Blocks are at most 92 of 100 full on average; when the budget is used up 97. */
#include "base/clock.h"
#include "store/compact_set_int.h"

enum {
  FIRST_BLOCK_BITS = 3,
  FIRST_SLOTS = 68,
  HALVED_SLOTS = 66, /* of a block that was one half of a block */
  STEPS = 24,        /* a growth adds one part of so many */
  RETURN_BATCH = 64,
};

static uint64_t normal_capacity(uint64_t slots) {
  return slots / 100 * 92 + slots % 100 * 92 / 100;
}

static uint64_t crowded_capacity(uint64_t slots) {
  return slots / 100 * 97 + slots % 100 * 97 / 100;
}

uint64_t clew_compact_set_slots(const struct clew_compact_set *set) {
  return (uint64_t)set->slots << set->block_bits;
}

uint64_t clew_compact_set_bytes(const struct clew_compact_set *set) {
  return set->memory.committed_bytes + set->spill.memory.committed_bytes;
}

/* A set of the last shape has a slot for every number there is, but for one of each block. */
static bool is_complete(const struct clew_compact_set *set) {
  return set->stored_bits == 1 && set->slots == SET_MOST_SLOTS;
}

static void set_shape(struct clew_compact_set *set, uint32_t block_bits, uint32_t slots) {
  assert(block_bits + SET_HOME_BITS < set->bits);
  set->block_bits = block_bits;
  set->slots = slots;
  set->stored_bits = set->bits - block_bits - SET_HOME_BITS;
  set->block_bytes = set_block_bytes(slots, set->stored_bits);
  set->capacity = is_complete(set) ? UINT64_MAX / 4 : normal_capacity(clew_compact_set_slots(set));
}

static uint64_t bytes_of_shape(const struct clew_compact_set *set, uint32_t block_bits,
                               uint32_t slots) {
  uint32_t stored_bits = set->bits - block_bits - SET_HOME_BITS;
  return ((uint64_t)set_block_bytes(slots, stored_bits) << block_bits) + SET_LEAD_BYTES +
         SET_PAD_BYTES;
}

/* ---- passes ---- */

static void add_slots(struct clew_compact_set *set, uint32_t slots) {
  size_t old_bytes = set->block_bytes;
  assert(slots > set->slots && slots <= SET_MOST_SLOTS);
  set_shape(set, set->block_bits, slots);
  for (uint64_t b = UINT64_C(1) << set->block_bits; b-- > 0;) {
    memmove(set->data + b * set->block_bytes, set->data + b * old_bytes, old_bytes);
  }
}

struct bit_writer {
  uint64_t word; /* bits that do not fill a word yet */
  uint32_t used; /* of it */
  unsigned char *next;
};

static inline void write_bits(struct bit_writer *w, uint64_t value, uint32_t bits) {
  assert(bits < 64);
  uint64_t low = w->word | value << w->used;
  uint32_t used = w->used + bits;
  bool is_full = used >= 64;
  store_word(w->next, low);
  w->word = is_full ? value >> 1 >> (63 - w->used) : low;
  w->next += is_full ? sizeof(uint64_t) : 0;
  w->used = used % 64;
}

/* What does not fill a word; writes a whole one. */
static inline void write_rest(const struct bit_writer *w) {
  store_word(w->next, w->word);
}

/* Bits `first` to `first` + 63 of three words, zeros behind the last. */
static inline uint64_t window_of(const uint64_t words[SET_HEAD_WORDS + 1], uint32_t first) {
  uint32_t word = first / 64, bit = first % 64;
  assert(word < SET_HEAD_WORDS);
  return words[word] >> bit | words[word + 1] << 1 << (63 - bit);
}

/* The rests from slot `first` on, of so many, become those of `half` without their upper bits;
 * these are added to `uppers`. */
static void copy_rests(const unsigned char *block, uint32_t first, uint32_t end, uint32_t bits,
                       unsigned char *half, uint64_t uppers[SET_HEAD_WORDS + 1]) {
  uint64_t mask = (UINT64_C(1) << (bits - 1)) - 1;
  struct bit_writer rests = {.next = half + SET_HEAD_BYTES};
  for (uint32_t slot = first; slot < end; slot++) {
    uint64_t rest = rest_at(block, slot, bits);
    write_bits(&rests, rest & mask, bits - 1);
    uppers[slot / 64] |= rest >> (bits - 1) << slot % 64;
  }
  write_rest(&rests);
}

/* So many ones and a zero. */
static inline void write_run(struct bit_writer *w, uint32_t count) {
  for (; count > 32; count -= 32) {
    write_bits(w, UINT32_MAX, 32);
  }
  write_bits(w, (UINT64_C(1) << count) - 1, count + 1);
}

/* Makes the run ends of a half from those of 32 homes, from bit `*bit` of `runs` and slot `slot`
 * on. No branch depends on the length of a run, unless it is very long. */
static void copy_runs(bool instructions, const uint64_t runs[SET_HEAD_WORDS + 1], uint32_t *bit,
                      uint32_t slot, const uint64_t uppers[SET_HEAD_WORDS + 1],
                      unsigned char *half) {
  unsigned char ends[SET_HEAD_BYTES + SET_PAD_BYTES] = {0};
  struct bit_writer writer = {.next = ends};
  for (uint32_t home = 0; home < SET_HOMES / 2; home++) {
    uint32_t lower = 0, upper = 0, length;
    do {
      uint64_t ones = window_of(runs, *bit) & UINT32_MAX;
      length = (uint32_t)__builtin_ctzll(~ones);
      uint64_t here = window_of(uppers, slot) & ((UINT64_C(1) << length) - 1);
      uint32_t some = ones_in_word(instructions, here);
      upper += some;
      lower += length - some;
      slot += length;
      *bit += length;
    } while (length == 32);
    (*bit)++; /* the zero */
    write_run(&writer, lower);
    write_run(&writer, upper);
  }
  write_rest(&writer);
  assert(writer.next + writer.used / 8 <= ends + SET_HEAD_BYTES);
  memcpy(half, ends, SET_HEAD_BYTES);
}

/* Moves the last number of the half-block, which is in slot `last`, to the spill. */
static void spill_last(struct clew_compact_set *set, uint64_t b, unsigned char *half,
                       uint32_t last) {
  uint32_t word = SET_HEAD_WORDS - 1;
  while (head_word(half, word) == 0) {
    assert(word > 0);
    word--;
  }
  uint64_t runs = head_word(half, word);
  uint32_t bit = 63 - (uint32_t)__builtin_clzll(runs), home = 64 * word + bit - last;
  assert(home < SET_HOMES);
  /* Only zeros are above: one more of them makes no difference. */
  store_word(half + word * sizeof(uint64_t), runs & ~(UINT64_C(1) << bit));
  uint64_t rest = rest_at(half, last, set->stored_bits);
  clew_compact_spill_add(&set->spill, (b << SET_HOME_BITS | home) << set->stored_bits | rest);
}

/* Numbers of a half for which it has no slot go to the spill. */
static void halve(struct clew_compact_set *set, uint64_t b, const unsigned char *block,
                  uint32_t bits) {
  uint64_t runs[SET_HEAD_WORDS + 1] = {0}, uppers[SET_HEAD_WORDS + 1] = {0};
  memcpy(runs, block, SET_HEAD_BYTES);
  runs[SET_HEAD_WORDS - 1] &= ~SET_SPILT;
  uint32_t middle = run_of(set->bit_instructions, block, SET_HOMES / 2).first;
  uint32_t begins[] = {0, middle, numbers_in(set->bit_instructions, block)}, bit = 0;
  for (uint32_t half = 0; half < 2; half++) {
    /* All numbers of the block could be in one half. */
    unsigned char next[SET_HEAD_BYTES + SET_MOST_SLOTS * 8 + SET_PAD_BYTES];
    uint32_t count = begins[half + 1] - begins[half];
    copy_rests(block, begins[half], begins[half + 1], bits, next, uppers);
    copy_runs(set->bit_instructions, runs, &bit, begins[half], uppers, next);
    bool spills = count > set->slots;
    for (; count > set->slots; count--) {
      spill_last(set, 2 * b + half, next, count - 1);
    }
    if (spills) {
      set_spilt(next);
    }
    memcpy(set_block(set, 2 * b + half), next,
           SET_HEAD_BYTES + ((size_t)count * set->stored_bits + 7) / 8);
  }
}

/* Twice as many blocks. */
static void add_blocks(struct clew_compact_set *set) {
  unsigned char copy[SET_HEAD_BYTES + SET_MOST_SLOTS * 8 + SET_PAD_BYTES] = {0};
  size_t old_bytes = set->block_bytes;
  uint32_t bits = set->stored_bits;
  assert(set->slots == SET_MOST_SLOTS && bits > 1 && old_bytes <= sizeof copy - SET_PAD_BYTES);
  set_shape(set, set->block_bits + 1, HALVED_SLOTS);
  for (uint64_t b = UINT64_C(1) << (set->block_bits - 1); b-- > 0;) {
    memcpy(copy, set->data + b * old_bytes, old_bytes);
    halve(set, b, copy, bits);
  }
}

/* How many numbers would be in excess if each block became two of so many slots. */
static uint64_t excess_of_halves(const struct clew_compact_set *set, uint32_t slots) {
  uint64_t excess = 0;
  for (uint64_t b = 0; b >> set->block_bits == 0; b++) {
    const unsigned char *block = set_block(set, b);
    uint32_t count = numbers_in(set->bit_instructions, block);
    uint32_t lower = run_of(set->bit_instructions, block, SET_HOMES / 2).first;
    uint32_t upper = count - lower;
    excess += lower > slots ? lower - slots : 0;
    excess += upper > slots ? upper - slots : 0;
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

/* Twice as many blocks. All of the next insertions could be spilt. */
static bool double_blocks(struct clew_compact_set *set, uint64_t insertions) {
  uint64_t bytes = bytes_of_shape(set, set->block_bits + 1, HALVED_SLOTS);
  uint64_t spilt = set->spill.count + excess_of_halves(set, HALVED_SLOTS) + insertions;
  struct clew_compact_spill old = set->spill, next;
  if (bytes > set->memory.reserved_bytes || !clew_bigmem_commit(&set->memory, (size_t)bytes) ||
      !clew_compact_spill_open(&next, spilt, old.factor, set->memory.budget)) {
    return false;
  }
  set->spill = next;
  add_blocks(set);
  struct return_batch batch = {.set = set};
  set->count -= old.count;
  clew_compact_spill_each(&old, take_back, &batch);
  put_back(&batch);
  clew_compact_spill_close(&old);
  return true;
}

static bool widen_blocks(struct clew_compact_set *set) {
  uint32_t most = set->slots + set->slots / STEPS;
  most = most < SET_MOST_SLOTS ? most : SET_MOST_SLOTS;
  for (uint32_t slots = most; slots > set->slots; slots = (slots + set->slots) / 2) {
    uint64_t bytes = bytes_of_shape(set, set->block_bits, slots);
    if (bytes <= set->memory.reserved_bytes && clew_bigmem_commit(&set->memory, (size_t)bytes)) {
      add_slots(set, slots);
      return true;
    }
  }
  return false;
}

static bool add_room(struct clew_compact_set *set, uint64_t insertions) {
  assert(!is_complete(set));
  double start_s = clew_clock_wall_s();
  bool grown = set->slots < SET_MOST_SLOTS ? widen_blocks(set) : double_blocks(set, insertions);
  set->growth_s += clew_clock_wall_s() - start_s;
  set->growths += grown;
  return grown;
}

static void add_to_spill(void *context, uint64_t number) {
  clew_compact_spill_add(context, number);
}

static bool grow_spill(struct clew_compact_set *set, uint64_t insertions) {
  struct clew_compact_spill next;
  uint64_t count = set->spill.count;
  struct clew_budget *budget = set->memory.budget;
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
  uint64_t blocks = UINT64_C(1) << set->block_bits;
  return is_complete(set) && insertions > blocks ? blocks : insertions;
}

bool clew_compact_set_reserve(struct clew_compact_set *set, uint64_t insertions) {
  assert(set->count <= set->capacity);
  while (set->count + insertions > set->capacity) {
    if (!add_room(set, insertions)) {
      uint64_t crowded = crowded_capacity(clew_compact_set_slots(set));
      if (set->count + insertions > crowded) {
        return false;
      }
      set->capacity = crowded;
    }
  }
  uint64_t spilt = most_spilt(set, insertions);
  return clew_compact_spill_room(&set->spill) >= spilt || grow_spill(set, spilt);
}

uint64_t clew_compact_set_room(const struct clew_compact_set *set) {
  uint64_t spare = set->capacity - set->count, spill = clew_compact_spill_room(&set->spill);
  return spare < spill || spill >= most_spilt(set, spare) ? spare : spill;
}

/* ---- opening and closing ---- */

bool clew_compact_set_open(struct clew_compact_set *set, uint32_t bits, uint64_t most_bytes,
                           struct clew_budget *budget) {
  assert(bits >= CLEW_COMPACT_SET_LEAST_BITS && bits <= 64);
  *set = (struct clew_compact_set){.bits = bits, .bit_instructions = has_bit_instructions()};
  uint32_t most_block_bits = bits - SET_HOME_BITS - 1;
  set_shape(set, most_block_bits < FIRST_BLOCK_BITS ? most_block_bits : FIRST_BLOCK_BITS,
            FIRST_SLOTS);
  size_t first_bytes = (size_t)bytes_of_shape(set, set->block_bits, set->slots);
  uint64_t bytes = most_bytes > first_bytes ? most_bytes : first_bytes;
  while (bytes > SIZE_MAX / 4 || !clew_bigmem_open(&set->memory, (size_t)bytes, budget)) {
    bytes /= 2;
    if (bytes < first_bytes) {
      return false;
    }
  }
  set->data = set->memory.data + SET_LEAD_BYTES;
  return clew_bigmem_commit(&set->memory, first_bytes) &&
         clew_compact_spill_open(&set->spill, 0, 0, budget);
}

void clew_compact_set_close(struct clew_compact_set *set) {
  clew_compact_spill_close(&set->spill);
  clew_bigmem_close(&set->memory);
}
