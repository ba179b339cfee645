/* The signature table: lookup and insertion. See compact_table.h for what a signature is and
 * compact_table_int.h for the layout.
 *
 * Order. The signatures lie in increasing order, each at its home or as near behind it as the
 * earlier ones allow, without gaps between a home and what is displaced from it. The layout is thus
 * a function of the set. The signatures of one home are a *run*, marked by its last slot; runs come
 * in the order of their homes, so the n-th occupied bit belongs to the n-th run end. To count from
 * the nearest block instead of from the start, a block's offset says how many slots, from its first
 * on, are taken by signatures that belong to earlier blocks. Finding a run is then one rank and one
 * select within a block or two, at any load. Nothing wraps around: what is displaced beyond the
 * last home goes to further blocks.
 *
 * Insertion moves everything up to the next free slot by one: a shift of packed words. The distance
 * is about 1 / (2 (1 - load)^2) slots: 200 at a load of 0.95, and about 0.6 sqrt(homes) slots on
 * average over the filling of a whole table to load 1. */
#include "store/compact_table.h"

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "store/compact_table_int.h"
#include "store/select_int.h"

/* ---- shapes ---- */

static uint32_t floor_log2(uint64_t n) {
  assert(n > 0);
  return clew_bits_for(n) - 1;
}

static struct clew_compact_shape shape_of(uint64_t homes, uint32_t hash_bits, uint32_t stored) {
  assert(homes > 0 && stored >= 1 && stored <= hash_bits && hash_bits <= 64);
  return (struct clew_compact_shape){.homes = homes,
                                     .hash_bits = hash_bits,
                                     .remainder_bits = stored,
                                     .remainder_shift = hash_bits - stored,
                                     .block_bytes = HEAD_BYTES + (size_t)stored * 8};
}

struct clew_compact_shape clew_compact_shape_fixed(uint64_t homes, uint32_t stored_bits) {
  uint32_t all = 64 - floor_log2(homes);
  return shape_of(homes, 64, stored_bits < all ? stored_bits : all);
}

double clew_compact_shape_signatures(const struct clew_compact_shape *shape) {
  double pairs = ldexp((double)shape->homes, (int)shape->remainder_bits);
  double numbers = ldexp(1, (int)shape->hash_bits);
  assert(pairs >= 1);
  return pairs < numbers ? pairs : numbers;
}

uint64_t clew_compact_blocks_for(uint64_t slots) {
  return slots / BLOCK_SLOTS + (slots % BLOCK_SLOTS > 0);
}

void clew_compact_table_init(struct clew_compact_table *table,
                             const struct clew_compact_shape *shape, unsigned char *data,
                             uint64_t blocks) {
  assert(blocks * BLOCK_SLOTS >= shape->homes);
  *table = (struct clew_compact_table){.data = data, .shape = *shape, .blocks = blocks};
  table->bit_instructions = has_bit_instructions();
}

uint64_t clew_compact_table_room(const struct clew_compact_table *table) {
  uint64_t taken = table->end > table->shape.homes ? table->end : table->shape.homes;
  assert(taken <= table->blocks * BLOCK_SLOTS);
  return table->blocks * BLOCK_SLOTS - taken;
}

/* ---- rank and select ---- */

static inline uint32_t ones(const struct clew_compact_table *t, uint64_t word) {
  return ones_in_word(t->bit_instructions, word);
}

static inline uint32_t nth_one(const struct clew_compact_table *t, uint64_t word, uint32_t n) {
  return nth_one_in_word(t->bit_instructions, word, n);
}

/* The slot of the `n`-th run end (n > 0) from `slot` on. */
static inline uint64_t nth_run_end(const struct clew_compact_table *t, uint64_t slot, uint32_t n) {
  uint64_t block = slot / BLOCK_SLOTS;
  uint64_t ends = run_ends_of(block_at(t, block)) & UINT64_MAX << slot % BLOCK_SLOTS;
  for (;;) {
    uint32_t here = ones(t, ends);
    if (n <= here) {
      return block * BLOCK_SLOTS + nth_one(t, ends, n - 1);
    }
    n -= here;
    block++;
    ends = run_ends_of(block_at(t, block));
  }
}

/* The first slot behind all signatures whose home is in `block`, among the homes of `mask`, or in
 * an earlier block. */
static inline uint64_t behind(const struct clew_compact_table *t, uint64_t block, uint64_t mask) {
  const unsigned char *at = block_at(t, block);
  uint64_t first = block * BLOCK_SLOTS + offset_of(at);
  uint32_t runs = ones(t, occupied_of(at) & mask);
  return runs == 0 ? first : nth_run_end(t, first, runs) + 1;
}

/* Where the run of `home` starts, or would start. */
static inline uint64_t run_start(const struct clew_compact_table *t, uint64_t home) {
  uint64_t before = (UINT64_C(1) << home % BLOCK_SLOTS) - 1;
  uint64_t slot = behind(t, home / BLOCK_SLOTS, before);
  return slot > home ? slot : home;
}

static inline bool is_occupied(const struct clew_compact_table *t, uint64_t home) {
  return occupied_of(block_at(t, home / BLOCK_SLOTS)) >> home % BLOCK_SLOTS & 1;
}

static inline bool is_run_end(const struct clew_compact_table *t, uint64_t slot) {
  return run_ends_of(block_at(t, slot / BLOCK_SLOTS)) >> slot % BLOCK_SLOTS & 1;
}

static inline uint64_t remainder_at(const struct clew_compact_table *t, uint64_t slot) {
  return remainder_in(block_at(t, slot / BLOCK_SLOTS), slot % BLOCK_SLOTS, t->shape.remainder_bits);
}

/* ---- lookup ---- */

static inline struct clew_compact_place place_of_hash(const struct clew_compact_table *t,
                                                      uint64_t hash) {
  return place_of(&t->shape, hash >> (64 - t->shape.hash_bits));
}

void clew_compact_table_look_ahead(const struct clew_compact_table *table, uint64_t hash) {
  uint64_t slot = run_start(table, place_of_hash(table, hash).home);
  if (slot < table->blocks * BLOCK_SLOTS) {
    uint32_t bit = (uint32_t)(slot % BLOCK_SLOTS) * table->shape.remainder_bits;
    const unsigned char *at = block_at(table, slot / BLOCK_SLOTS) + HEAD_BYTES + bit / 8;
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + 2 * sizeof(uint64_t), 1);
  }
}

/* Where a signature is or belongs. */
struct spot {
  uint64_t slot;
  bool found, occupied, at_end; /* the home has a run; the slot is behind that run's last */
};

static inline struct spot find(const struct clew_compact_table *t,
                               struct clew_compact_place place) {
  struct spot spot = {.slot = run_start(t, place.home), .occupied = is_occupied(t, place.home)};
  if (!spot.occupied) {
    return spot;
  }
  for (;; spot.slot++) {
    uint64_t remainder = remainder_at(t, spot.slot);
    if (remainder >= place.remainder) {
      spot.found = remainder == place.remainder;
      return spot;
    }
    if (is_run_end(t, spot.slot)) {
      spot.slot++;
      spot.at_end = true;
      return spot;
    }
  }
}

bool clew_compact_table_has(const struct clew_compact_table *table, uint64_t hash) {
  return find(table, place_of_hash(table, hash)).found;
}

/* ---- insertion ---- */

/* A slot is free if all signatures that belong to it or before it lie before it. */
static uint64_t first_free_slot(const struct clew_compact_table *t, uint64_t slot) {
  for (;;) {
    assert(slot < t->blocks * BLOCK_SLOTS);
    uint64_t up_to = clew_bits_mask((uint32_t)(slot % BLOCK_SLOTS) + 1);
    uint64_t next = behind(t, slot / BLOCK_SLOTS, up_to);
    if (next <= slot) {
      return slot;
    }
    slot = next;
  }
}

/* Moves the bits of words low..high up by `bits`; word `low` itself is left to the caller. */
static inline void shift_words(unsigned char *words, uint32_t low, uint32_t high, uint32_t bits) {
  uint32_t w = high;
#ifdef __SSE2__
  __m128i up = _mm_cvtsi32_si128((int)bits), down = _mm_cvtsi32_si128(64 - (int)bits);
  for (; w >= low + 2; w -= 2) {
    __m128i *at = (__m128i *)(void *)(words + 8 * (w - 1));
    __m128i here = _mm_loadu_si128(at);
    __m128i below = _mm_loadu_si128((const __m128i *)(const void *)(words + 8 * (w - 2)));
    _mm_storeu_si128(at, _mm_or_si128(_mm_sll_epi64(here, up), _mm_srl_epi64(below, down)));
  }
#endif
  for (; w > low; w--) {
    uint64_t below = load_word(words + 8 * (w - 1));
    store_word(words + 8 * w, load_word(words + 8 * w) << bits | below >> (64 - bits));
  }
}

/* Moves the remainders of slots first..last-1 of a block to first+1..last. */
static void shift_remainders(unsigned char *block, uint32_t first, uint32_t last, uint32_t bits) {
  assert(first <= last && last < BLOCK_SLOTS);
  if (first == last) {
    return;
  }
  unsigned char *words = block + HEAD_BYTES;
  if (bits == 64) {
    memmove(words + 8 * (first + 1), words + 8 * first, 8 * (last - first));
    return;
  }
  uint32_t low_bit = first * bits, high_bit = (last + 1) * bits; /* what may change */
  uint32_t low = low_bit / 64, high = (high_bit - 1) / 64;
  uint64_t below = load_word(words + 8 * low) & clew_bits_mask(low_bit % 64);
  uint64_t changes_above = UINT64_MAX >> (63 - (high_bit - 1) % 64);
  uint64_t above = load_word(words + 8 * high) & ~changes_above;
  shift_words(words, low, high, bits);
  store_word(words + 8 * low, load_word(words + 8 * low) << bits);
  store_word(words + 8 * low, (load_word(words + 8 * low) & ~clew_bits_mask(low_bit % 64)) | below);
  store_word(words + 8 * high, (load_word(words + 8 * high) & changes_above) | above);
}

static void shift_run_ends(unsigned char *block, uint32_t first, uint32_t last) {
  uint64_t ends = run_ends_of(block);
  uint64_t moved = clew_bits_mask(last) & ~clew_bits_mask(first);
  uint64_t stays = ~(clew_bits_mask(last + 1) & ~clew_bits_mask(first));
  store_word(block + RUN_ENDS_AT, (ends & stays) | (ends & moved) << 1);
}

/* Moves what is in slots `from`..`to`-1 one further; `to` is free. */
static void shift_slots(struct clew_compact_table *t, uint64_t from, uint64_t to) {
  assert(from <= to && to < t->blocks * BLOCK_SLOTS);
  uint32_t bits = t->shape.remainder_bits;
  for (uint64_t block = to / BLOCK_SLOTS;; block--) {
    unsigned char *at = block_at(t, block);
    bool is_first = block == from / BLOCK_SLOTS;
    uint32_t first = is_first ? from % BLOCK_SLOTS : 0;
    uint32_t last = block == to / BLOCK_SLOTS ? to % BLOCK_SLOTS : BLOCK_SLOTS - 1;
    shift_remainders(at, first, last, bits);
    shift_run_ends(at, first, last);
    if (is_first) {
      return;
    }
    unsigned char *before = block_at(t, block - 1);
    set_remainder_in(at, 0, bits, remainder_in(before, BLOCK_SLOTS - 1, bits));
    store_word(at + RUN_ENDS_AT, run_ends_of(at) | run_ends_of(before) >> (BLOCK_SLOTS - 1));
  }
}

static void set_run_end(struct clew_compact_table *t, uint64_t slot, bool is_end) {
  unsigned char *at = block_at(t, slot / BLOCK_SLOTS);
  uint64_t bit = UINT64_C(1) << slot % BLOCK_SLOTS, ends = run_ends_of(at);
  store_word(at + RUN_ENDS_AT, is_end ? ends | bit : ends & ~bit);
}

bool clew_compact_table_add(struct clew_compact_table *table, uint64_t hash) {
  struct clew_compact_place place = place_of_hash(table, hash);
  struct spot spot = find(table, place);
  if (spot.found) {
    return false;
  }
  uint64_t free_slot = first_free_slot(table, spot.slot);
  shift_slots(table, spot.slot, free_slot);
  set_remainder_in(block_at(table, spot.slot / BLOCK_SLOTS), spot.slot % BLOCK_SLOTS,
                   table->shape.remainder_bits, place.remainder);
  set_run_end(table, spot.slot, !spot.occupied || spot.at_end);
  if (spot.at_end) {
    set_run_end(table, spot.slot - 1, false);
  }
  unsigned char *home = block_at(table, place.home / BLOCK_SLOTS);
  store_word(home + OCCUPIED_AT, occupied_of(home) | UINT64_C(1) << place.home % BLOCK_SLOTS);
  for (uint64_t b = place.home / BLOCK_SLOTS + 1; b <= free_slot / BLOCK_SLOTS; b++) {
    set_offset(block_at(table, b), offset_of(block_at(table, b)) + 1);
  }
  table->count++;
  table->end = free_slot >= table->end ? free_slot + 1 : table->end;
  return true;
}

/* ---- validation ---- */

/* Goes through the runs in order: where each must lie, that remainders increase, that nothing else
 * is marked as the end of one. */
static const char *validate_runs(const struct clew_compact_table *t, uint64_t *marked) {
  assert(t->shape.homes > 0 && t->shape.homes <= t->blocks * BLOCK_SLOTS);
  uint64_t next = 0, count = 0;
  for (uint64_t home = 0; home < t->shape.homes; home++) {
    if (home % BLOCK_SLOTS == 0) {
      uint64_t offset = next > home ? next - home : 0;
      if (offset_of(block_at(t, home / BLOCK_SLOTS)) != offset) {
        return "a block has the wrong offset";
      }
    }
    if (!is_occupied(t, home)) {
      continue;
    }
    next = next > home ? next : home;
    for (uint64_t slot = next;; slot++) {
      if (slot >= t->end) {
        return "a run does not end";
      }
      if (slot > next && remainder_at(t, slot) <= remainder_at(t, slot - 1)) {
        return "remainders of a run do not increase";
      }
      count++;
      if (is_run_end(t, slot)) {
        next = slot + 1;
        (*marked)++;
        break;
      }
    }
  }
  return count != t->count ? "wrong number of signatures" : next != t->end ? "wrong end" : NULL;
}

const char *clew_compact_table_validate(const struct clew_compact_table *table) {
  assert(table->data != NULL && table->blocks > 0);
  assert(table->shape.remainder_bits <= 64);
  uint64_t marked = 0, ends = 0;
  const char *why = validate_runs(table, &marked);
  for (uint64_t b = 0; b < table->blocks && why == NULL; b++) {
    const unsigned char *at = block_at(table, b);
    uint64_t first = b * BLOCK_SLOTS, homes = table->shape.homes;
    ends += (uint64_t)__builtin_popcountll(run_ends_of(at));
    if (first + BLOCK_SLOTS > homes) {
      uint64_t valid = first < homes ? clew_bits_mask((uint32_t)(homes - first)) : 0;
      if ((occupied_of(at) & ~valid) != 0) {
        why = "something that is no home is occupied";
      }
    }
    if (first >= homes && offset_of(at) != (table->end > first ? table->end - first : 0)) {
      why = "a block behind the homes has the wrong offset";
    }
  }
  return why == NULL && ends != marked ? "a stray run end" : why;
}
