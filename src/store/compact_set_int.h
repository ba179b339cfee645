/* The blocks of a growing set of numbers (compact_set.h): layout and access.
 *
 * The *line* of a block is the tags of up to 62 numbers, then a byte for the block's own numbers
 * and one for its guests. The own ones take places from the first on, guests from the last on
 * downwards, so the place of a number says which of the two it is. The rests of a block are packed
 * in as many slots as blocks have at present: those of guests are at the end of these, too.
 *
 * Lines lie apart from rests: all of them together take a sixth of the memory, so more of them are
 * in the caches.
 *
 * Reading or writing a rest may reach a little into what lies behind it, which is left as it is;
 * behind the last block there are some bytes for that. */
#ifndef CLEW_STORE_COMPACT_SET_INT_H
#define CLEW_STORE_COMPACT_SET_INT_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "store/compact_set.h"
#include "store/packed_int.h"

enum {
  SET_LINE_BYTES = CLEW_COMPACT_SET_LINE_BYTES,
  SET_TAG_BITS = 8,
  SET_MOST_SLOTS = 62,
  SET_OWN_AT = 62,    /* the own numbers in six bits, and two flags */
  SET_GUESTS_AT = 63, /* the guests */
  SET_COUNT_MASK = 63,
  SET_HAS_GUESTS_OUT = 64, /* numbers of the block are guests of its neighbour */
  SET_HAS_SPILT = 128,     /* numbers of the block are in the spill */
  SET_PAD_BYTES = 16,      /* behind the last rests */
};

struct clew_compact_block {
  unsigned char *line, *rests;
};

static inline struct clew_compact_block set_block(const struct clew_compact_set *set,
                                                  uint64_t block) {
  assert(block >> set->block_bits == 0);
  return (struct clew_compact_block){set->lines.data + block * SET_LINE_BYTES,
                                     set->rests.data + block * set->rests_bytes};
}

static inline uint32_t own_in(const unsigned char *line) {
  return line[SET_OWN_AT] & SET_COUNT_MASK;
}

static inline uint32_t guests_in(const unsigned char *line) {
  return line[SET_GUESTS_AT];
}

/* Numbers of the block are elsewhere. */
static inline bool has_numbers_out(const unsigned char *line) {
  return line[SET_OWN_AT] > SET_COUNT_MASK;
}

/* The places of the own numbers, and of the guests, as bits. */
static inline uint64_t own_places(const unsigned char *line) {
  return (UINT64_C(1) << own_in(line)) - 1;
}

static inline uint64_t guest_places(const unsigned char *line) {
  return (UINT64_C(1) << SET_MOST_SLOTS) - (UINT64_C(1) << (SET_MOST_SLOTS - guests_in(line)));
}

/* Where the rest of a guest is, whose tag is at `place`. */
static inline uint32_t guest_slot(const struct clew_compact_set *set, uint32_t place) {
  assert(place + set->slots >= SET_MOST_SLOTS);
  return place + set->slots - SET_MOST_SLOTS;
}

/* The bytes of a line that are equal to the tag, as bits: for every processor. */
static inline uint64_t equal_tags_plainly(const unsigned char *line, uint32_t tag) {
  uint64_t equal = 0;
  for (uint32_t i = 0; i < SET_LINE_BYTES; i++) {
    equal |= (uint64_t)(line[i] == tag) << i;
  }
  return equal;
}

#ifdef __SSE2__
/* The same for a quarter of a line. */
static inline uint64_t equal_tags_of(const unsigned char *quarter, __m128i tags) {
  __m128i same = _mm_cmpeq_epi8(_mm_load_si128((const __m128i *)(const void *)quarter), tags);
  return (uint32_t)_mm_movemask_epi8(same);
}

static inline uint64_t equal_tags(const unsigned char *line, uint32_t tag) {
  __m128i tags = _mm_set1_epi8((char)tag);
  return equal_tags_of(line, tags) | equal_tags_of(line + 16, tags) << 16 |
         equal_tags_of(line + 32, tags) << 32 | equal_tags_of(line + 48, tags) << 48;
}
#else
static inline uint64_t equal_tags(const unsigned char *line, uint32_t tag) {
  return equal_tags_plainly(line, tag);
}
#endif

/* A rest has at most 57 bits: it lies within the eight bytes from its first one on. */
static inline uint64_t rest_at(const unsigned char *rests, uint32_t slot, uint32_t bits) {
  uint32_t bit = slot * bits;
  return load_word(rests + bit / 8) >> bit % 8 & ((UINT64_C(1) << bits) - 1);
}

static inline void set_rest_at(unsigned char *rests, uint32_t slot, uint32_t bits, uint64_t rest) {
  uint32_t bit = slot * bits;
  unsigned char *at = rests + bit / 8;
  uint64_t mask = ((UINT64_C(1) << bits) - 1) << bit % 8;
  assert(rest >> bits == 0 && bits <= 57);
  store_word(at, (load_word(at) & ~mask) | rest << bit % 8);
}

/* ---- numbers ---- */

/* What a number is made of. */
struct clew_compact_place {
  uint64_t home, rest;
  uint32_t tag;
};

static inline struct clew_compact_place place_of(const struct clew_compact_set *set,
                                                 uint64_t number) {
  uint64_t stored = number & ((UINT64_C(1) << set->stored_bits) - 1);
  return (struct clew_compact_place){.home = number >> set->stored_bits,
                                     .rest = stored & ((UINT64_C(1) << set->rest_bits) - 1),
                                     .tag = (uint32_t)(stored >> set->rest_bits)};
}

static inline struct clew_compact_block neighbour_of(const struct clew_compact_set *set,
                                                     uint64_t home) {
  return set_block(set, home ^ 1);
}

/* The number at a place of block `b`, which may be one of a copy. */
static inline uint64_t number_in(const struct clew_compact_set *set,
                                 struct clew_compact_block block, uint64_t b, uint32_t place) {
  bool is_own = place < own_in(block.line);
  uint64_t home = is_own ? b : b ^ 1, tag = block.line[place];
  uint32_t slot = is_own ? place : guest_slot(set, place);
  return home << set->stored_bits | tag << set->rest_bits |
         rest_at(block.rests, slot, set->rest_bits);
}

static inline bool is_full(const struct clew_compact_set *set, const unsigned char *line) {
  return own_in(line) + guests_in(line) >= set->slots;
}

/* Adds a number whose home is full. */
void clew_compact_set_insert_out(struct clew_compact_set *set, unsigned char *home,
                                 const struct clew_compact_place *place, uint64_t number);

/* Adds a number that is not there. */
static inline void insert_at(struct clew_compact_set *set, struct clew_compact_block home,
                             const struct clew_compact_place *place, uint64_t number) {
  set->count++;
  if (is_full(set, home.line)) {
    clew_compact_set_insert_out(set, home.line, place, number);
    return;
  }
  uint32_t slot = own_in(home.line);
  home.line[slot] = (unsigned char)place->tag;
  home.line[SET_OWN_AT]++;
  set_rest_at(home.rests, slot, set->rest_bits, place->rest);
}

static inline void insert(struct clew_compact_set *set, uint64_t number) {
  struct clew_compact_place place = place_of(set, number);
  insert_at(set, set_block(set, place.home), &place, number);
}

/* ---- spill ---- */

/* `before`: the factor of the spill that this one replaces, or 0. */
bool clew_compact_spill_open(struct clew_compact_spill *spill, uint64_t numbers, uint64_t before,
                             struct clew_budget *budget);
void clew_compact_spill_close(struct clew_compact_spill *spill);
uint64_t clew_compact_spill_room(const struct clew_compact_spill *spill);
/* Where a number is or nearly is, for prefetches. */
static inline const void *clew_compact_spill_place(const struct clew_compact_spill *spill,
                                                   uint64_t number) {
  uint64_t mixed = number * spill->factor;
  uint64_t home = (uint64_t)(((unsigned __int128)mixed * spill->slots) >> 64);
  return spill->memory.data + home * sizeof(uint64_t);
}
bool clew_compact_spill_has(const struct clew_compact_spill *spill, uint64_t number);
/* It is not there, and there is room. */
void clew_compact_spill_add(struct clew_compact_spill *spill, uint64_t number);
void clew_compact_spill_each(const struct clew_compact_spill *spill,
                             void (*found)(void *context, uint64_t number), void *context);

#endif
