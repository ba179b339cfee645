/* A growing set of numbers (compact_set.h): lookup and insertion. compact_set_int.h has the layout,
 * compact_set_grow.c the growth.
 *
 * Order of looking: a number is among the own ones of its home, or else, where the home has
 * numbers out, among the guests of the neighbour or in the spill. */
#include "store/compact_set.h"

#include "store/compact_set_int.h"

enum { PASS_NUMBERS = 64 };

/* ---- lookup ---- */

/* One of these own numbers, whose tags are equal, has the rest. */
static inline bool has_rest(const struct clew_compact_set *set, const unsigned char *rests,
                            uint64_t places, uint64_t rest) {
  for (; places != 0; places &= places - 1) {
    if (rest_at(rests, (uint32_t)__builtin_ctzll(places), set->rest_bits) == rest) {
      return true;
    }
  }
  return false;
}

/* The same for guests. */
static bool has_guest(const struct clew_compact_set *set, struct clew_compact_block block,
                      const struct clew_compact_place *place) {
  uint64_t places = equal_tags(block.line, place->tag) & guest_places(block.line);
  for (; places != 0; places &= places - 1) {
    uint32_t slot = guest_slot(set, (uint32_t)__builtin_ctzll(places));
    if (rest_at(block.rests, slot, set->rest_bits) == place->rest) {
      return true;
    }
  }
  return false;
}

static bool is_out(const struct clew_compact_set *set, const struct clew_compact_place *place,
                   const unsigned char *home, uint64_t number) {
  return ((home[SET_OWN_AT] & SET_HAS_GUESTS_OUT) != 0 &&
          has_guest(set, neighbour_of(set, place->home), place)) ||
         ((home[SET_OWN_AT] & SET_HAS_SPILT) != 0 && clew_compact_spill_has(&set->spill, number));
}

/* The places of own numbers with this tag. */
static inline uint64_t places_of(const unsigned char *home, uint32_t tag) {
  return equal_tags(home, tag) & own_places(home);
}

static inline bool is_there(const struct clew_compact_set *set, struct clew_compact_block home,
                            const struct clew_compact_place *place, uint64_t places,
                            uint64_t number) {
  return has_rest(set, home.rests, places, place->rest) ||
         (has_numbers_out(home.line) && is_out(set, place, home.line, number));
}

bool clew_compact_set_has(const struct clew_compact_set *set, uint64_t number) {
  struct clew_compact_place place = place_of(set, number);
  struct clew_compact_block home = set_block(set, place.home);
  return is_there(set, home, &place, places_of(home.line, place.tag), number);
}

/* ---- insertion ---- */

void clew_compact_set_insert_out(struct clew_compact_set *set, unsigned char *home,
                                 const struct clew_compact_place *place, uint64_t number) {
  struct clew_compact_block beside = neighbour_of(set, place->home);
  if (is_full(set, beside.line)) {
    home[SET_OWN_AT] |= SET_HAS_SPILT;
    clew_compact_spill_add(&set->spill, number);
    return;
  }
  home[SET_OWN_AT] |= SET_HAS_GUESTS_OUT;
  beside.line[SET_GUESTS_AT]++;
  uint32_t at = SET_MOST_SLOTS - guests_in(beside.line);
  beside.line[at] = (unsigned char)place->tag;
  set_rest_at(beside.rests, guest_slot(set, at), set->rest_bits, place->rest);
}

/* ---- many at once ---- */

/* What was seen of the home of a number. */
struct glance {
  uint64_t places;
  uint32_t own; /* numbers and flags: while they stay the same, so do the places */
};

/* Asks for the rest that will be looked at or, if there is none, for the slot of a new number. The
 * line of tags was asked for before. */
static inline struct glance look_ahead(const struct clew_compact_set *set, uint64_t number) {
  struct clew_compact_place place = place_of(set, number);
  struct clew_compact_block home = set_block(set, place.home);
  struct glance glance = {places_of(home.line, place.tag), home.line[SET_OWN_AT]};
  uint64_t free_place = UINT64_C(1) << own_in(home.line);
  uint32_t slot = (uint32_t)__builtin_ctzll(glance.places | free_place);
  const unsigned char *at = home.rests + slot * set->rest_bits / 8;
  __builtin_prefetch(at, 1);
  __builtin_prefetch(at + sizeof(uint64_t) - 1, 1);
  if (glance.places == 0 && (is_full(set, home.line) || has_numbers_out(home.line))) {
    __builtin_prefetch(neighbour_of(set, place.home).line, 1);
    __builtin_prefetch(clew_compact_spill_place(&set->spill, number), 1);
  }
  return glance;
}

/* True if it was not there. */
static inline bool add(struct clew_compact_set *set, uint64_t number, struct glance glance) {
  struct clew_compact_place place = place_of(set, number);
  struct clew_compact_block home = set_block(set, place.home);
  bool is_same = home.line[SET_OWN_AT] == glance.own;
  uint64_t places = is_same ? glance.places : places_of(home.line, place.tag);
  if (is_there(set, home, &place, places, number)) {
    return false;
  }
  insert_at(set, home, &place, number);
  return true;
}

void clew_compact_set_put(struct clew_compact_set *set, uint32_t count, const uint64_t *numbers,
                          bool *is_new) {
  struct glance glances[PASS_NUMBERS];
  for (uint32_t first = 0; first < count; first += PASS_NUMBERS) {
    uint32_t some = count - first < PASS_NUMBERS ? count - first : PASS_NUMBERS;
    for (uint32_t i = 0; i < some; i++) {
      glances[i] = look_ahead(set, numbers[first + i]);
    }
    for (uint32_t i = 0; i < some; i++) {
      is_new[first + i] = add(set, numbers[first + i], glances[i]);
    }
  }
}

/* ---- all of them ---- */

void clew_compact_set_each(const struct clew_compact_set *set,
                           void (*found)(void *context, uint64_t number), void *context) {
  for (uint64_t b = 0; b >> set->block_bits == 0; b++) {
    struct clew_compact_block block = set_block(set, b);
    uint64_t places = own_places(block.line) | guest_places(block.line);
    for (; places != 0; places &= places - 1) {
      found(context, number_in(set, block, b, (uint32_t)__builtin_ctzll(places)));
    }
  }
  clew_compact_spill_each(&set->spill, found, context);
}

struct check {
  const struct clew_compact_set *set;
  uint64_t count;
  const char *why;
};

/* How many places of block `b` have the number. */
static uint32_t count_in(const struct clew_compact_set *set, uint64_t b, uint64_t number) {
  struct clew_compact_block block = set_block(set, b);
  uint64_t places = own_places(block.line) | guest_places(block.line);
  uint32_t count = 0;
  for (; places != 0; places &= places - 1) {
    count += number_in(set, block, b, (uint32_t)__builtin_ctzll(places)) == number;
  }
  return count;
}

static void check_number(void *context, uint64_t number) {
  struct check *check = context;
  const struct clew_compact_set *set = check->set;
  check->count++;
  if (set->bits < 64 && number >> set->bits != 0) {
    check->why = "a number of too many bits";
    return;
  }
  uint64_t home = number >> set->stored_bits;
  uint32_t found = count_in(set, home, number) + count_in(set, home ^ 1, number) +
                   clew_compact_spill_has(&set->spill, number);
  if (found != 1) {
    check->why = "a number is there more than once";
  } else if (!clew_compact_set_has(set, number)) {
    check->why = "a number is out and its home does not say so";
  }
}

const char *clew_compact_set_validate(const struct clew_compact_set *set) {
  struct check check = {.set = set};
  assert(set->lines.data != NULL && set->rests.data != NULL);
  if (set->bits != set->block_bits + set->stored_bits || set->slots > SET_MOST_SLOTS ||
      set->stored_bits > set->rest_bits + SET_TAG_BITS || set->rest_bits > set->stored_bits) {
    return "the widths do not fit";
  }
  for (uint64_t b = 0; b >> set->block_bits == 0; b++) {
    const unsigned char *line = set_block(set, b).line;
    if (own_in(line) + guests_in(line) > set->slots) {
      return "a block has more numbers than slots";
    }
    if (guests_in(line) > 0 && (neighbour_of(set, b).line[SET_OWN_AT] & SET_HAS_GUESTS_OUT) == 0) {
      return "a block has guests that its neighbour does not know";
    }
  }
  clew_compact_set_each(set, check_number, &check);
  if (check.why == NULL && check.count != set->count) {
    check.why = "wrong number of numbers";
  }
  return check.why;
}
