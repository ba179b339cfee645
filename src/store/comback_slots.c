/* A state table of both layouts: from a hash to the numbers of the states that may have it, ids or
 * what is left of them (comback_segments.c).
 *
 * The table knows the first 27 bits of a hash, its prefix. As a fraction of the table the prefix
 * names a home, sixteen slots or one cache line. A 32-bit slot is a tag above number + 1; the tag
 * is what is left over when the home is taken from the prefix, (prefix * homes mod 2^27) without
 * the bits below the number of homes. As prefixes of one home are at least `homes` apart in this,
 * none is lost: home and tag say which prefix it was. Tags take just the bits that numbers leave
 * free, nine at five million states. An equal prefix is only a candidate: who keeps hashes compares
 * these, who does not compares states, so the answer stays exact.
 *
 * Slots are sorted, by home and then by tag, each at the first free place from its home on, and
 * offsets[h] says how far from its home the first slot of h is: so the home of every slot is known,
 * and growing the table needs neither hashes nor states. It is one pass over the memory, in place:
 * all slots move to the end of the larger table and from there, in order, to their new places. No
 * new place is behind the one that is read, for a home h < homes moves by at most homes' - homes.
 * What the last homes do not hold goes to the tail, slots behind the last home.
 *
 * More bits. With 10^8 states three of four prefixes are taken, and nearly every new state would
 * have to be compared. So from some number of states on each slot has a byte beside it, in an array
 * of its own, with the next eight bits of the hash. What was there before has a zero, which may be
 * anything. When the budget refuses, the bytes are given up: they save comparisons, and no more.
 *
 * An insertion moves all slots up to the next free one, about a dozen at the greatest load of
 * 0.82. The table grows by a few percent; when the number of states is told beforehand it is made
 * for them at once. When the budget refuses, the load may rise to 0.97. */
#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "store/comback_int.h"

enum {
  PREFIX_BITS = 27,
  HOME_SLOTS = 16,
  FIRST_HOMES = 256,
  PAD_SLOTS = HOME_SLOTS, /* at the end, always empty: searches stop there */
  LEAST_BYTES_PER_STATE = 5,
  STEP_BYTES = 2 << 20,
  MORE_BITS = 8
};

static uint64_t normal_capacity(const struct clew_comback_slots *t) {
  return t->homes * HOME_SLOTS * t->shape.load_percent / 100;
}

static uint64_t crowded_capacity(uint64_t homes) {
  assert(homes > 0);
  uint64_t states = homes * HOME_SLOTS * 97 / 100;
  return states < CLEW_COMBACK_MOST_SLOTS ? states : CLEW_COMBACK_MOST_SLOTS;
}

static uint64_t homes_for(const struct clew_comback_slots *t, uint64_t states) {
  assert(t->shape.load_percent > 0);
  return states * 100 / (HOME_SLOTS * t->shape.load_percent) + 1;
}

static uint32_t *slots_of(const struct clew_comback_slots *t) {
  return (uint32_t *)(void *)t->data.data;
}

static uint64_t slot_count(const struct clew_comback_slots *t) {
  return t->data.committed_bytes / sizeof(uint32_t);
}

/* ---- places ---- */

struct place {
  uint64_t home;
  uint32_t tag; /* in the high bits */
};

static inline struct place place_of_prefix(const struct clew_comback_slots *t, uint64_t prefix) {
  uint64_t product = prefix * t->homes;
  uint64_t rest = product & clew_bits_mask(PREFIX_BITS);
  return (struct place){product >> PREFIX_BITS, (uint32_t)(rest >> t->rest_shift << t->id_bits)};
}

static inline struct place place_of(const struct clew_comback_slots *t, uint64_t hash) {
  return place_of_prefix(t, hash << t->up >> t->down);
}

/* The one prefix with this place: its multiple of `homes` is the first that is not below. `inverse`
 * is 1 / homes: a guess and two tests take a third of the time of a division. */
static inline uint64_t prefix_at(const struct clew_comback_slots *t, double inverse, uint64_t home,
                                 uint32_t slot) {
  uint64_t rest = (uint64_t)slot >> t->id_bits << t->rest_shift;
  uint64_t product = (home << PREFIX_BITS) + rest,
           prefix = (uint64_t)(int64_t)((double)product * inverse);
  while (prefix * t->homes < product) {
    prefix++;
  }
  while (prefix > 0 && (prefix - 1) * t->homes >= product) {
    prefix--;
  }
  return prefix;
}

static void configure(struct clew_comback_slots *t, uint64_t homes) {
  assert(homes > 0);
  t->homes = homes;
  t->rest_shift = clew_bits_for(homes) - 1;
  t->id_bits = t->rest_shift + 5 < 32 ? t->rest_shift + 5 : 32;
  assert(crowded_capacity(homes) <= clew_bits_mask(t->id_bits));
}

/* ---- offsets ---- */

/* Hashes of a few bits may all have one home, and then it is far from there to the next. Where the
 * prefix is complete an offset is a matter of chance: a few hundred at most. */
static bool wide_offsets(const struct clew_comback_slots *t) {
  return t->shape.hash_bits < PREFIX_BITS;
}

static size_t offset_bytes(const struct clew_comback_slots *t) {
  return wide_offsets(t) ? sizeof(uint32_t) : sizeof(uint16_t);
}

static inline uint32_t offset_at(const struct clew_comback_slots *t, uint64_t home) {
  const void *data = t->offsets.data;
  return wide_offsets(t) ? ((const uint32_t *)data)[home] : ((const uint16_t *)data)[home];
}

static inline void set_offset(const struct clew_comback_slots *t, uint64_t home, uint64_t offset) {
  void *data = t->offsets.data;
  if (offset > (wide_offsets(t) ? UINT32_MAX : UINT16_MAX)) {
    clew_fatal("hashes are too uneven for the state table");
  }
  if (wide_offsets(t)) {
    ((uint32_t *)data)[home] = (uint32_t)offset;
  } else {
    ((uint16_t *)data)[home] = (uint16_t)offset;
  }
}

/* ---- more bits ---- */

/* The byte behind the prefix, never 0. */
static inline uint8_t more_of(const struct clew_comback_slots *t, uint64_t hash) {
  uint64_t more = t->has_more ? hash >> (t->down - MORE_BITS) & UINT8_MAX : 0;
  return (uint8_t)(more > 0 ? more : 1);
}

static void give_up_more(struct clew_comback_slots *t) {
  assert(t->shape.more_bits_from > 0);
  clew_bigmem_close(&t->more);
  t->has_more = false;
  t->shape.more_bits_from = 0;
}

/* After the slots got more memory: as many bytes, if there are any, or it is time for them. */
static void cover_slots(struct clew_comback_slots *t) {
  uint64_t from = t->shape.more_bits_from;
  bool wanted = from > 0 && (t->count >= from || t->shape.expected >= from);
  if (wanted && t->down >= MORE_BITS) {
    t->has_more = clew_bigmem_commit(&t->more, slot_count(t));
    if (!t->has_more) {
      give_up_more(t);
    }
  }
}

/* ---- sixteen slots ---- */

#ifdef __SSE2__
static inline __m128i equal_four(const uint32_t *slots, __m128i words, __m128i masks) {
  __m128i four = _mm_loadu_si128((const __m128i *)(const void *)slots);
  return _mm_cmpeq_epi32(_mm_and_si128(four, masks), words);
}

/* Which of the slots are equal to a word, in the bits of the mask. */
static inline uint32_t equal_slots(const uint32_t *slots, uint32_t word, uint32_t mask) {
  const __m128i words = _mm_set1_epi32((int)word), masks = _mm_set1_epi32((int)mask);
  /* Lanes of ~0 or 0 become bytes, and these bits. */
  __m128i low =
              _mm_packs_epi32(equal_four(slots, words, masks), equal_four(slots + 4, words, masks)),
          high = _mm_packs_epi32(equal_four(slots + 8, words, masks),
                                 equal_four(slots + 12, words, masks));
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
#else
static inline uint32_t equal_slots(const uint32_t *slots, uint32_t word, uint32_t mask) {
  uint32_t equal = 0;
  for (uint32_t i = 0; i < HOME_SLOTS; i++) {
    equal |= (uint32_t)((slots[i] & mask) == word) << i;
  }
  return equal;
}
#endif

static inline uint32_t empty_slots(const uint32_t *slots) {
  return equal_slots(slots, 0, UINT32_MAX);
}

/* The first empty slot from `at` on. */
static uint64_t first_empty(const struct clew_comback_slots *t, uint64_t at) {
  assert(at < slot_count(t));
  uint32_t empty;
  while (empty = empty_slots(slots_of(t) + at), empty == 0) {
    at += HOME_SLOTS;
  }
  return at + (uint32_t)__builtin_ctz(empty);
}

/* ---- lookups ---- */

static inline uint32_t tag_mask_of(const struct clew_comback_slots *t) {
  return (uint32_t)(UINT64_MAX << t->id_bits);
}

/* The slots of a home end here, or at an empty slot before. */
static inline uint64_t limit_of(const struct clew_comback_slots *t, uint64_t home) {
  return (home + 1) * HOME_SLOTS + offset_at(t, home + 1);
}

static inline void look_at(const struct clew_comback_slots *t, struct clew_comback_list *list) {
  const uint32_t *slots = slots_of(t) + list->at;
  uint64_t left = list->end - list->at;
  assert(list->at + HOME_SLOTS <= slot_count(t));
  list->matches = equal_slots(slots, list->tag, tag_mask_of(t));
  if (list->tag == 0) {
    list->matches &= ~empty_slots(slots);
  }
  if (left < HOME_SLOTS) {
    list->matches &= (1u << left) - 1;
  }
}

static inline uint32_t next_match(const struct clew_comback_slots *t,
                                  struct clew_comback_list *list) {
  for (;;) {
    while (list->matches == 0) {
      if (list->end - list->at <= HOME_SLOTS) {
        return CLEW_COMBACK_NONE;
      }
      list->at += HOME_SLOTS;
      look_at(t, list);
    }
    uint64_t at = list->at + (uint32_t)__builtin_ctz(list->matches);
    list->matches &= list->matches - 1;
    if (!t->has_more || t->more.data[at] == 0 || t->more.data[at] == list->more) {
      return (slots_of(t)[at] & ~tag_mask_of(t)) - 1;
    }
  }
}

uint32_t clew_comback_slots_next(const struct clew_comback_slots *t,
                                 struct clew_comback_list *list) {
  return next_match(t, list);
}

uint32_t clew_comback_slots_first(const struct clew_comback_slots *t, uint64_t hash,
                                  struct clew_comback_list *list) {
  struct place place = place_of(t, hash);
  list->hash = hash;
  list->tag = place.tag;
  list->more = more_of(t, hash);
  list->at = place.home * HOME_SLOTS + offset_at(t, place.home);
  list->end = limit_of(t, place.home);
  look_at(t, list);
  return next_match(t, list);
}

void clew_comback_slots_prefetch(const struct clew_comback_slots *t, uint64_t hash) {
  uint64_t home = place_of(t, hash).home;
  const uint32_t *slots = slots_of(t) + home * HOME_SLOTS;
  __builtin_prefetch(t->offsets.data + home * offset_bytes(t), 1);
  __builtin_prefetch(slots, 1);
  __builtin_prefetch(slots + HOME_SLOTS, 1);
  if (t->has_more) {
    __builtin_prefetch(t->more.data + home * HOME_SLOTS, 1);
  }
}

/* ---- insertion ---- */

void clew_comback_slots_insert(struct clew_comback_slots *t, uint64_t hash, uint32_t number) {
  struct place place = place_of(t, hash);
  uint32_t *slots = slots_of(t);
  uint64_t start = place.home * HOME_SLOTS + offset_at(t, place.home);
  uint64_t limit = limit_of(t, place.home);
  bool full = offset_at(t, place.home + 1) > 0; /* no empty slot before the limit */
  uint64_t empty = first_empty(t, full ? limit : start), at = empty < limit ? empty : limit;
  uint32_t slot = place.tag | (number + 1);
  assert(number < clew_bits_mask(t->id_bits));
  assert(empty + PAD_SLOTS < slot_count(t));
  assert(start <= at && at <= empty);
  while (at > start && slots[at - 1] > slot) {
    at--;
  }
  memmove(slots + at + 1, slots + at, (empty - at) * sizeof *slots);
  slots[at] = slot;
  if (t->has_more) {
    memmove(t->more.data + at + 1, t->more.data + at, empty - at);
    t->more.data[at] = more_of(t, hash);
  }
  for (uint64_t home = place.home + 1; home <= t->homes && home * HOME_SLOTS <= empty; home++) {
    set_offset(t, home, offset_at(t, home) + UINT64_C(1));
  }
  t->count++;
}

/* ---- growth ---- */

/* Where the next slot is written, and the next home whose offset is. */
struct writer {
  uint64_t end, home;
};

static inline void begin_homes(const struct clew_comback_slots *t, struct writer *w,
                               uint64_t last) {
  assert(last <= t->homes);
  for (; w->home <= last; w->home++) {
    uint64_t start = w->home * HOME_SLOTS;
    set_offset(t, w->home, w->end > start ? w->end - start : 0);
  }
}

static inline void write_slot(const struct clew_comback_slots *t, struct writer *w,
                              struct place place, uint32_t id, uint8_t more) {
  assert(place.home < t->homes);
  assert(id > 0);
  uint32_t *slots = slots_of(t);
  uint64_t start = place.home * HOME_SLOTS, at = w->end > start ? w->end : start;
  begin_homes(t, w, place.home);
  for (uint64_t gap = w->end; gap < at; gap++) {
    slots[gap] = 0;
  }
  slots[at] = place.tag | id;
  if (t->has_more) {
    t->more.data[at] = more;
  }
  w->end = at + 1;
}

/* The slots and offsets of `old` were moved up by as many homes as there are more of now. (Both
 * shapes are copies, which no write can change: they stay in registers.) */
static void spread(const struct clew_comback_slots now, const struct clew_comback_slots old) {
  assert(now.homes > old.homes);
  assert(now.count == old.count);
  uint64_t more = now.homes - old.homes, used = now.homes * HOME_SLOTS + offset_at(&now, now.homes);
  uint32_t *slots = slots_of(&now), offset = offset_at(&now, more);
  uint32_t id_mask = (uint32_t)clew_bits_mask(old.id_bits);
  double inverse = 1.0 / (double)old.homes;
  struct writer w = {0};
  for (uint64_t home = 0; home < old.homes; home++) {
    uint64_t first = (home + more) * HOME_SLOTS + offset;
    offset = offset_at(&now, home + 1 + more);
    uint64_t last = (home + more + 1) * HOME_SLOTS + offset;
    for (uint64_t at = first; at < last && slots[at] != 0; at++) {
      uint32_t slot = slots[at];
      struct place place = place_of_prefix(&now, prefix_at(&old, inverse, home, slot));
      write_slot(&now, &w, place, slot & id_mask, now.has_more ? now.more.data[at] : 0);
      assert(w.end <= at + 1);
    }
  }
  begin_homes(&now, &w, now.homes);
  assert(w.end <= used && w.home == now.homes + 1);
  memset(slots + w.end, 0, (used - w.end) * sizeof *slots);
}

/* Slots behind the last home for what it may get from so many insertions. */
static uint64_t tail_for(const struct clew_comback_slots *t, uint64_t insertions) {
  assert(t->homes > 0);
  uint64_t slots = offset_at(t, t->homes) + insertions, most = UINT16_MAX;
  return (wide_offsets(t) || slots < most ? slots : most) + PAD_SLOTS;
}

/* At least so many homes, more if the memory is there anyway. */
static bool enlarge(struct clew_comback_slots *t, uint64_t homes, uint64_t tail) {
  assert(homes > 0);
  assert(tail >= PAD_SLOTS);
  uint64_t used = t->homes * HOME_SLOTS + offset_at(t, t->homes);
  if (!clew_bigmem_commit(&t->data, (homes * HOME_SLOTS + tail) * sizeof(uint32_t))) {
    return false;
  }
  cover_slots(t);
  uint64_t most = (slot_count(t) - tail) / HOME_SLOTS;
  assert(most >= homes);
  if (clew_bigmem_commit(&t->offsets, (most + 1) * offset_bytes(t))) {
    homes = most;
  } else if (!clew_bigmem_commit(&t->offsets, (homes + 1) * offset_bytes(t))) {
    homes = t->offsets.committed_bytes / offset_bytes(t) - 1;
  }
  if (homes <= t->homes) {
    return false;
  }
  const struct clew_comback_slots old = *t;
  uint64_t more = homes - old.homes;
  memmove(slots_of(t) + more * HOME_SLOTS, slots_of(t), used * sizeof(uint32_t));
  memmove(t->offsets.data + more * offset_bytes(t), t->offsets.data,
          (old.homes + 1) * offset_bytes(t));
  if (t->has_more) {
    memmove(t->more.data + more * HOME_SLOTS, t->more.data, used);
  }
  configure(t, homes);
  spread(*t, old);
  t->growths++;
  return true;
}

static uint64_t homes_wanted(const struct clew_comback_slots *t, uint64_t states) {
  assert(states > t->count);
  uint64_t homes = t->homes + t->homes * t->shape.growth_percent / 100;
  if (t->shape.expected >= states) {
    homes = homes_for(t, t->shape.expected);
  }
  if (t->data.budget != NULL) {
    /* Not more than the states that still fit into the budget can use. */
    uint64_t more = clew_budget_left(t->data.budget) / LEAST_BYTES_PER_STATE;
    uint64_t useful = homes_for(t, states + more);
    homes = homes < useful ? homes : useful;
  }
  return homes;
}

/* Memory comes in large steps: rather less than one more. */
static uint64_t whole_steps(uint64_t homes, uint64_t tail) {
  assert(homes > 0);
  uint64_t bytes = (homes * HOME_SLOTS + tail) * sizeof(uint32_t);
  const uint64_t home_bytes = HOME_SLOTS * sizeof(uint32_t);
  uint64_t less = (bytes % STEP_BYTES + home_bytes - 1) / home_bytes;
  return bytes < STEP_BYTES || less >= homes ? homes : homes - less;
}

static bool grow(struct clew_comback_slots *t, uint64_t states) {
  assert(states > t->count);
  assert(states <= CLEW_COMBACK_MOST_SLOTS);
  uint64_t wanted = homes_wanted(t, states), least = t->homes + t->homes / 32 + 1;
  /* The tail is made for more insertions than there are now, or it would soon be a step itself. */
  uint64_t tail = tail_for(t, (states - t->count) * 2 + wanted / 4);
  least = least > homes_for(t, states) ? least : homes_for(t, states);
  uint64_t whole = whole_steps(wanted, tail);
  wanted = whole > least ? whole : wanted;
  return (wanted > least && enlarge(t, wanted, tail)) || enlarge(t, least, tail);
}

bool clew_comback_slots_reserve(struct clew_comback_slots *t, uint64_t states) {
  assert(states >= t->count);
  if (states > normal_capacity(t)) {
    grow(t, states); /* may be refused, or less than it should be */
    if (states > crowded_capacity(t->homes)) {
      return false;
    }
  }
  uint64_t slots = t->homes * HOME_SLOTS + tail_for(t, states - t->count);
  uint64_t before = slot_count(t);
  bool good = clew_bigmem_commit(&t->data, slots * sizeof(uint32_t));
  if (t->has_more && slot_count(t) > before) {
    cover_slots(t);
  }
  return good;
}

/* ---- the table as a whole ---- */

bool clew_comback_slots_open(struct clew_comback_slots *t, const struct clew_comback_shape *shape,
                             struct clew_budget *budget) {
  assert(shape->hash_bits >= 1 && shape->hash_bits <= 64 && shape->growth_percent > 0);
  assert(shape->load_percent > 0 && shape->load_percent <= 97);
  t->shape = *shape;
  t->shape.expected =
      shape->expected < CLEW_COMBACK_MOST_SLOTS ? shape->expected : CLEW_COMBACK_MOST_SLOTS;
  t->up = shape->hash_bits < PREFIX_BITS ? PREFIX_BITS - shape->hash_bits : 0;
  t->down = shape->hash_bits > PREFIX_BITS ? shape->hash_bits - PREFIX_BITS : 0;
  uint64_t most = homes_for(t, CLEW_COMBACK_MOST_SLOTS) * HOME_SLOTS * sizeof(uint32_t);
  configure(t, FIRST_HOMES);
  return clew_comback_region_open(&t->data, most * 2, budget) &&
         clew_comback_region_open(&t->offsets, most / HOME_SLOTS * 2, budget) &&
         (shape->more_bits_from == 0 || clew_comback_region_open(&t->more, most / 2, budget)) &&
         clew_bigmem_commit(&t->offsets, (t->homes + 1) * offset_bytes(t)) &&
         clew_bigmem_commit(&t->data, (t->homes * HOME_SLOTS + PAD_SLOTS) * sizeof(uint32_t));
}

void clew_comback_slots_close(struct clew_comback_slots *t) {
  assert(t->count == 0 || t->data.data != NULL);
  clew_bigmem_close(&t->data);
  clew_bigmem_close(&t->offsets);
  clew_bigmem_close(&t->more);
}

uint64_t clew_comback_slots_bytes(const struct clew_comback_slots *t) {
  assert(t->count <= slot_count(t));
  return t->data.committed_bytes + t->offsets.committed_bytes + t->more.committed_bytes;
}

const char *clew_comback_slots_check(const struct clew_comback_slots *t) {
  assert(t->homes > 0);
  assert(t->id_bits > 0 && t->id_bits < 32);
  uint64_t end = 0, count = 0, total = slot_count(t);
  for (uint64_t home = 0; home <= t->homes; home++) {
    uint64_t start = home * HOME_SLOTS, first = start + offset_at(t, home);
    for (uint64_t at = end; at < start; at++) {
      if (slots_of(t)[at] != 0) {
        return "a slot is before its home";
      }
    }
    if (first != (end > start ? end : start)) {
      return "a home does not begin at its first free slot";
    }
    uint64_t limit = home < t->homes ? limit_of(t, home) : first;
    for (end = first; end < limit && slots_of(t)[end] != 0; end++) {
      count++;
    }
  }
  for (uint64_t at = end; at < total; at++) {
    if (slots_of(t)[at] != 0) {
      return "a slot is behind the last home";
    }
  }
  return count == t->count ? NULL : "the state table has too many or too few ids";
}
