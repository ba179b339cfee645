/* A growing set of numbers (compact_set.h): lookup and insertion. compact_set_int.h has the layout,
 * compact_set_grow.c the growth.
 *
 * A number that is not found in a block that has spilt may be in the spill.
 *
 * Whether a rest straddles two words is as good as random: nothing here branches on that. */
#include "store/compact_set.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "store/compact_set_int.h"

/* What visits are made of is compiled twice: for every processor, and for those with the
 * instructions that has_bit_instructions looks for. */
#if defined(__x86_64__)
#define FAST __attribute__((target("popcnt,bmi,bmi2,lzcnt,avx2")))
#else
#define FAST
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { LINE_BYTES = 64, PASS_NUMBERS = 64 };

struct place {
  unsigned char *block;
  uint32_t home;
  uint64_t rest;
};

static inline struct place place_of(const struct clew_compact_set *set, uint64_t number) {
  uint32_t stored = set->stored_bits;
  uint64_t home = number >> stored;
  return (struct place){.block = set_block(set, home >> SET_HOME_BITS),
                        .home = (uint32_t)(home % SET_HOMES),
                        .rest = number & ((UINT64_C(1) << stored) - 1)};
}

/* ---- lookup ---- */

/* The slot of the first rest of the run that is not less, or the end of the run. */
static ALWAYS_INLINE bool find_in(const struct place *place, struct clew_compact_run run,
                                  uint32_t bits, uint32_t *slot) {
  for (; run.first < run.end; run.first++) {
    uint64_t rest = rest_at(place->block, run.first, bits);
    if (rest >= place->rest) {
      *slot = run.first;
      return rest == place->rest;
    }
  }
  *slot = run.end;
  return false;
}

static ALWAYS_INLINE bool find(bool fast, const struct place *place, uint32_t bits,
                               uint32_t *slot) {
  return find_in(place, run_of(fast, place->block, place->home), bits, slot);
}

bool clew_compact_set_has(const struct clew_compact_set *set, uint64_t number) {
  struct place place = place_of(set, number);
  uint32_t slot;
  return find(set->bit_instructions, &place, set->stored_bits, &slot) ||
         (has_spilt(place.block) && clew_compact_spill_has(&set->spill, number));
}

/* ---- insertion ---- */

/* Adds a one at bit `at` of the run ends. */
static inline void insert_one(unsigned char *block, uint32_t at) {
  uint64_t carry = 0, spilt = head_word(block, SET_HEAD_WORDS - 1) & SET_SPILT;
  for (uint32_t w = 0; w < SET_HEAD_WORDS; w++) {
    int above = (int)at - 64 * (int)w; /* bits of the word that stay */
    uint64_t stays = (UINT64_C(1) << (above & 63)) - 1;
    uint64_t bit = above >= 0 && above < 64 ? UINT64_C(1) << (above & 63) : 0;
    stays = above <= 0 ? 0 : stays;
    stays = above >= 64 ? UINT64_MAX : stays;
    uint64_t flags = w == SET_HEAD_WORDS - 1 ? SET_SPILT : 0;
    uint64_t word = head_word(block, w) & ~flags, moved = word & ~stays;
    store_word(block + w * sizeof(uint64_t),
               (word & stays) | moved << 1 | carry | bit | (spilt & flags));
    carry = moved >> 63;
  }
}

/* Moves the bits of words last..at up by `bits`, word by word from the upper end; the last one
 * itself is left to the caller. */
static inline void shift_words(unsigned char *at, const unsigned char *last, uint32_t bits) {
  for (; at > last; at -= 8) {
    store_word(at, load_word(at) << bits | load_word(at - 8) >> (64 - bits));
  }
}

#if defined(__x86_64__)
/* Eight words at a time. The last time this goes too far, over seven words below `last`, which
 * are put back. */
static FAST inline void shift_words_fast(unsigned char *at, unsigned char *last, uint32_t bits) {
  __m128i up = _mm_cvtsi32_si128((int)bits), down = _mm_cvtsi32_si128(64 - (int)bits);
  __m256i *kept_at = (__m256i *)(void *)(last - 24), *kept_below = (__m256i *)(void *)(last - 56);
  __m256i kept = _mm256_loadu_si256(kept_at), below_kept = _mm256_loadu_si256(kept_below);
  for (; at > last; at -= 64) {
    __m256i *four = (__m256i *)(void *)(at - 24), *next = (__m256i *)(void *)(at - 56);
    __m256i below = _mm256_loadu_si256((const __m256i *)(const void *)(at - 32));
    __m256i next_below = _mm256_loadu_si256((const __m256i *)(const void *)(at - 64));
    __m256i here = _mm256_sll_epi64(_mm256_loadu_si256(four), up);
    __m256i next_here = _mm256_sll_epi64(_mm256_loadu_si256(next), up);
    _mm256_storeu_si256(four, _mm256_or_si256(here, _mm256_srl_epi64(below, down)));
    _mm256_storeu_si256(next, _mm256_or_si256(next_here, _mm256_srl_epi64(next_below, down)));
  }
  _mm256_storeu_si256(kept_below, below_kept);
  _mm256_storeu_si256(kept_at, kept);
}
#else
static inline void shift_words_fast(unsigned char *at, unsigned char *last, uint32_t bits) {
  shift_words(at, last, bits);
}
#endif

/* Moves the rests from `slot` on, of `count`, one further. */
static ALWAYS_INLINE void open_slot(bool fast, unsigned char *block, uint32_t slot, uint32_t count,
                                    uint32_t bits) {
  uint32_t low_bit = slot * bits, high_bit = (count + 1) * bits;
  unsigned char *low = block + SET_HEAD_BYTES + low_bit / 64 * 8;
  unsigned char *high = block + SET_HEAD_BYTES + (high_bit - 1) / 64 * 8;
  uint64_t above = ~(UINT64_MAX >> (63 - (high_bit - 1) % 64)), next = load_word(high) & above;
  assert(slot <= count && bits < 64);
  if (fast) {
    shift_words_fast(high, low, bits);
  } else {
    shift_words(high, low, bits);
  }
  uint64_t word = load_word(low), stays = (UINT64_C(1) << low_bit % 64) - 1;
  store_word(low, (word & stays) | (word & ~stays) << bits);
  store_word(high, (load_word(high) & ~above) | next); /* may be of the next block */
}

static ALWAYS_INLINE void insert(bool fast, struct clew_compact_set *set, const struct place *place,
                                 uint32_t slot, uint32_t count) {
  assert(count < set->slots);
  open_slot(fast, place->block, slot, count, set->stored_bits);
  set_rest_at(place->block, slot, set->stored_bits, place->rest);
  insert_one(place->block, slot + place->home);
  set->count++;
}

bool clew_compact_set_add(struct clew_compact_set *set, uint64_t number) {
  struct place place = place_of(set, number);
  uint32_t slot;
  if (find(set->bit_instructions, &place, set->stored_bits, &slot)) {
    return false;
  }
  if (has_spilt(place.block) && clew_compact_spill_has(&set->spill, number)) {
    return false;
  }
  uint32_t count = numbers_in(set->bit_instructions, place.block);
  if (count < set->slots) {
    insert(false, set, &place, slot, count);
    return true;
  }
  set_spilt(place.block);
  clew_compact_spill_add(&set->spill, number);
  set->count++;
  return true;
}

/* ---- many at once ---- */

/* What is known of a number between the passes of `put`. */
struct visit {
  struct place place;
  struct clew_compact_run run;
  uint32_t slot; /* where it belongs, in a block of so many numbers */
  uint32_t count;
};

/* Asks for the places in blocks whose heads were asked for before. */
static ALWAYS_INLINE void look_ahead(bool fast, const struct clew_compact_set *set, uint32_t count,
                                     const uint64_t *numbers, struct visit *visits) {
  for (uint32_t i = 0; i < count; i++) {
    struct visit *visit = &visits[i];
    visit->place = place_of(set, numbers[i]);
    visit->run = run_of(fast, visit->place.block, visit->place.home);
    const unsigned char *at =
        visit->place.block + SET_HEAD_BYTES + visit->run.first * set->stored_bits / 8;
    __builtin_prefetch(at, 1);
    const void *spilt = clew_compact_spill_place(&set->spill, numbers[i]);
    __builtin_prefetch(has_spilt(visit->place.block) ? spilt : at + 2 * sizeof(uint64_t), 1);
  }
}

/* Asks for the rests that an insertion will move: most of them, as a loop of a random length costs
 * more than it gains. */
static inline void ask_from(const unsigned char *block, uint32_t slot, uint32_t count,
                            uint32_t bits) {
  const unsigned char *end = block + SET_HEAD_BYTES + (count + 1) * bits / 8;
  const unsigned char *at = block + SET_HEAD_BYTES + slot * bits / 8;
  __builtin_prefetch(at - LINE_BYTES, 1); /* an insertion reads and writes a little there, too */
  __builtin_prefetch(at + LINE_BYTES, 1);
  __builtin_prefetch(at + 2 * LINE_BYTES, 1);
  __builtin_prefetch(end - 2 * LINE_BYTES, 1);
  __builtin_prefetch(end - LINE_BYTES, 1);
  __builtin_prefetch(end, 1);
}

/* Says which are there. */
static ALWAYS_INLINE void find_all(bool fast, const struct clew_compact_set *set, uint32_t count,
                                   const uint64_t *numbers, struct visit *visits, bool *is_new) {
  for (uint32_t i = 0; i < count; i++) {
    struct visit *visit = &visits[i];
    is_new[i] = !find_in(&visit->place, visit->run, set->stored_bits, &visit->slot);
    if (is_new[i] && has_spilt(visit->place.block)) {
      is_new[i] = !clew_compact_spill_has(&set->spill, numbers[i]);
    }
    if (is_new[i]) {
      visit->count = numbers_in(fast, visit->place.block);
      ask_from(visit->place.block, visit->slot, visit->count, set->stored_bits);
    }
  }
}

static ALWAYS_INLINE void add_all(bool fast, struct clew_compact_set *set, uint32_t count,
                                  const uint64_t *numbers, const struct visit *visits,
                                  bool *is_new) {
  for (uint32_t i = 0; i < count; i++) {
    if (!is_new[i]) {
      continue;
    }
    const struct visit *visit = &visits[i];
    uint32_t now = numbers_in(fast, visit->place.block);
    if (now == visit->count && now < set->slots) {
      insert(fast, set, &visit->place, visit->slot, now);
    } else { /* the block is full, or numbers of this pass have changed it */
      is_new[i] = clew_compact_set_add(set, numbers[i]);
    }
  }
}

static ALWAYS_INLINE void put(bool fast, struct clew_compact_set *set, uint32_t count,
                              const uint64_t *numbers, bool *is_new) {
  struct visit visits[PASS_NUMBERS];
  for (uint32_t first = 0; first < count; first += PASS_NUMBERS) {
    uint32_t some = count - first < PASS_NUMBERS ? count - first : PASS_NUMBERS;
    look_ahead(fast, set, some, numbers + first, visits);
    find_all(fast, set, some, numbers + first, visits, is_new + first);
    add_all(fast, set, some, numbers + first, visits, is_new + first);
  }
}

static FAST void put_fast(struct clew_compact_set *set, uint32_t count, const uint64_t *numbers,
                          bool *is_new) {
  put(true, set, count, numbers, is_new);
}

void clew_compact_set_put(struct clew_compact_set *set, uint32_t count, const uint64_t *numbers,
                          bool *is_new) {
  if (set->bit_instructions) {
    put_fast(set, count, numbers, is_new);
  } else {
    put(false, set, count, numbers, is_new);
  }
}

/* ---- all of them ---- */

void clew_compact_set_each(const struct clew_compact_set *set,
                           void (*found)(void *context, uint64_t number), void *context) {
  for (uint64_t b = 0; b >> set->block_bits == 0; b++) {
    const unsigned char *block = set_block(set, b);
    for (uint32_t home = 0; home < SET_HOMES; home++) {
      struct clew_compact_run run = run_of(set->bit_instructions, block, home);
      for (; run.first < run.end; run.first++) {
        uint64_t rest = rest_at(block, run.first, set->stored_bits);
        found(context, (b << SET_HOME_BITS | home) << set->stored_bits | rest);
      }
    }
  }
  clew_compact_spill_each(&set->spill, found, context);
}

struct check {
  const struct clew_compact_set *set;
  uint64_t count, spilt;
  const char *why;
};

static void check_spilt(void *context, uint64_t number) {
  struct check *check = context;
  check->spilt++;
  if (check->set->bits < 64 && number >> check->set->bits != 0) {
    check->why = "a number of too many bits";
    return;
  }
  struct place place = place_of(check->set, number);
  uint32_t slot;
  if (!has_spilt(place.block)) {
    check->why = "a number was spilt and its block does not say so";
  } else if (find(check->set->bit_instructions, &place, check->set->stored_bits, &slot)) {
    check->why = "a number is in its block and in the spill";
  } else if (!clew_compact_spill_has(&check->set->spill, number)) {
    check->why = "a spilt number is not found";
  }
}

static void check_block(struct check *check, const unsigned char *block) {
  const struct clew_compact_set *set = check->set;
  uint32_t count = numbers_in(set->bit_instructions, block), next = 0;
  check->count += count;
  if (count > set->slots) {
    check->why = "a block has more numbers than slots";
    return;
  }
  for (uint32_t home = 0; home < SET_HOMES; home++) {
    struct clew_compact_run run = run_of(set->bit_instructions, block, home);
    if (run.first != next) {
      check->why = "a run does not begin where the one before ends";
      return;
    }
    next = run.end;
    for (uint32_t slot = run.first + 1; slot < run.end; slot++) {
      if (rest_at(block, slot - 1, set->stored_bits) >= rest_at(block, slot, set->stored_bits)) {
        check->why = "the rests of a run do not increase";
      }
    }
  }
  if (next != count) {
    check->why = "a stray one among the run ends";
  }
}

const char *clew_compact_set_validate(const struct clew_compact_set *set) {
  struct check check = {.set = set};
  assert(set->memory.data != NULL);
  if (set->bits != set->block_bits + SET_HOME_BITS + set->stored_bits ||
      set->block_bytes != set_block_bytes(set->slots, set->stored_bits)) {
    return "the widths do not fit";
  }
  for (uint64_t b = 0; b >> set->block_bits == 0 && check.why == NULL; b++) {
    check_block(&check, set_block(set, b));
  }
  clew_compact_spill_each(&set->spill, check_spilt, &check);
  if (check.why == NULL &&
      (check.spilt != set->spill.count || check.count + check.spilt != set->count)) {
    check.why = "wrong number of numbers";
  }
  return check.why;
}
