/* The state table for any number of ids: a table of slots (comback_slots.c) for each 2^bits of
 * them, in the order of ids.
 *
 * A slot of 32 bits is what makes the tables small, and a table of wider ones would cost as much
 * again for each state there is. So beyond 2^31 states there is a second table, for the ids that
 * follow: states take what they took before, and a search looks into one table more. The numbers in
 * a table begin with 0.
 *
 * Invariant: there is a segment; ids fill one after the other, and all but the last have room for
 * all ids of theirs. */
#include <assert.h>

#include "base/alloc.h"
#include "store/comback_int.h"

static uint64_t first_of(const struct clew_comback_segments *s, uint32_t segment) {
  return (uint64_t)segment << s->bits;
}

/* The part of so many states in all that belongs to a segment. */
static uint64_t part_of(const struct clew_comback_segments *s, uint32_t segment, uint64_t states) {
  assert(segment <= s->count); /* the next one may be in the making */
  uint64_t first = first_of(s, segment), size = UINT64_C(1) << s->bits;
  uint64_t rest = states > first ? states - first : 0;
  return rest < size ? rest : size;
}

static bool add_segment(struct clew_comback_segments *s) {
  assert(s->bits <= 31);
  struct clew_comback_shape shape = s->shape;
  shape.expected = part_of(s, s->count, s->shape.expected);
  struct clew_comback_slots slots = {0};
  if (!clew_comback_slots_open(&slots, &shape, s->budget)) {
    clew_comback_slots_close(&slots);
    return false;
  }
  s->list = clew_realloc_array(s->list, s->count + (size_t)1, sizeof *s->list);
  s->list[s->count++] = slots;
  return true;
}

bool clew_comback_segments_open(struct clew_comback_segments *s,
                                const struct clew_comback_shape *shape, uint32_t bits,
                                struct clew_budget *budget) {
  assert(s->count == 0);
  s->shape = *shape;
  s->bits = bits;
  s->budget = budget;
  return add_segment(s);
}

void clew_comback_segments_close(struct clew_comback_segments *s) {
  assert(s->count == 0 || s->list != NULL);
  for (uint32_t i = 0; i < s->count; i++) {
    clew_comback_slots_close(&s->list[i]);
  }
  clew_free(s->list);
  s->list = NULL;
  s->count = 0;
}

bool clew_comback_segments_reserve(struct clew_comback_segments *s, uint64_t states) {
  assert(s->count > 0);
  for (uint32_t i = s->count - 1;; i++) {
    if (i == s->count && !add_segment(s)) {
      return false;
    }
    if (!clew_comback_slots_reserve(&s->list[i], part_of(s, i, states))) {
      return false;
    }
    if (states <= first_of(s, i + 1)) {
      return true;
    }
  }
}

void clew_comback_segments_insert(struct clew_comback_segments *s, uint64_t hash, clew_id id) {
  uint32_t segment = (uint32_t)(id >> s->bits);
  assert(segment < s->count && id - first_of(s, segment) == s->list[segment].count);
  clew_comback_slots_insert(&s->list[segment], hash, (uint32_t)(id - first_of(s, segment)));
}

/* The id of a number, or the first one in the segments behind. */
static inline clew_id go_on(const struct clew_comback_segments *s, struct clew_comback_list *list,
                            uint32_t number) {
  while (number == CLEW_COMBACK_NONE && list->segment + 1 < s->count) {
    list->segment++;
    number = clew_comback_slots_first(&s->list[list->segment], list->hash, list);
  }
  return number == CLEW_COMBACK_NONE ? CLEW_ID_NONE : first_of(s, list->segment) + number;
}

clew_id clew_comback_segments_first(const struct clew_comback_segments *s, uint64_t hash,
                                    struct clew_comback_list *list) {
  list->segment = 0;
  return go_on(s, list, clew_comback_slots_first(&s->list[0], hash, list));
}

clew_id clew_comback_segments_next(const struct clew_comback_segments *s,
                                   struct clew_comback_list *list) {
  assert(list->segment < s->count);
  return go_on(s, list, clew_comback_slots_next(&s->list[list->segment], list));
}

void clew_comback_segments_prefetch(const struct clew_comback_segments *s, uint64_t hash) {
  for (uint32_t i = 0; i < s->count; i++) {
    clew_comback_slots_prefetch(&s->list[i], hash);
  }
}

uint64_t clew_comback_segments_bytes(const struct clew_comback_segments *s) {
  assert(s->count == 0 || s->list != NULL);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    bytes += clew_comback_slots_bytes(&s->list[i]);
  }
  return bytes;
}

uint64_t clew_comback_segments_states(const struct clew_comback_segments *s) {
  assert(s->count == 0 || s->list != NULL);
  uint64_t states = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    states += s->list[i].count;
  }
  return states;
}

const char *clew_comback_segments_check(const struct clew_comback_segments *s) {
  uint64_t states = clew_comback_segments_states(s);
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->list[i].count != part_of(s, i, states)) {
      return "a segment of the state table has too many or too few ids";
    }
    const char *why = clew_comback_slots_check(&s->list[i]);
    if (why != NULL) {
      return why;
    }
  }
  return NULL;
}
