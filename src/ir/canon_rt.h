/* Canonical forms under permutation of scalarsets. The interpreter runs this header on tables built
 * at load time (ir/symmetry.c); the emitted C includes it and runs it on the same tables as
 * compile-time constants, which specialises it to the model's layout. One text, so the two cannot
 * disagree. ir/canon_tables.h describes the structure of a state and the words that are used here.
 *
 * The method, in the manner of graph canonisation:
 *  1. Each element gets a number: the sum of what the items say that it takes part in, as an index
 *     or as a value. A sum, because the order of items does not matter. The elements are sorted by
 *     their numbers. For most states no two numbers are the same, and all is done.
 *  2. Otherwise elements with one number share a colour, and the items that involve two or more
 *     elements (*links*) refine the colours: what an item says of an element includes the colours
 *     of the others. Repeated while the number of colours grows.
 *  3. Where elements still share a colour: if swapping any two of them leaves the state as it is
 *     (they are *twins*) their order is indifferent; otherwise one of each kind of twins in turn is
 *     put first, the method goes on, and the least of all resulting states wins.
 * Every step depends on the state only up to a renaming of the elements, so all states of an orbit
 * get the same form. A collision of the hashes below can only leave two elements with one colour,
 * which costs time, not correctness: the result is always a permutation of the state, and ties are
 * decided by comparing states. Items equal to their class's `rest` say nothing.
 *
 * Invariant of the colours: order[] holds the elements grouped by colour, a colour being the
 * position in order[] at which its group starts; groups never leave the range of their set. */
#ifndef CLEW_IR_CANON_RT_H
#define CLEW_IR_CANON_RT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ir/canon_tables.h"

enum {
  CLEW_CANON_LOW = 63, /* the lowest bits of a number, room for an element */
  CLEW_CANON_FEW = 5,  /* elements in a set that are sorted without branches */
};

/* An element that takes part in an item, and as what. */
struct clew_canon_member {
  uint64_t role;
  uint8_t element;
};

struct clew_canon_link {
  uint64_t hash;         /* of all that is not an element */
  uint32_t first, count; /* of its members */
};

/* Memory for one call; the arrays are the caller's. */
struct clew_canon_work {
  uint64_t *best, *trial;            /* words each */
  struct clew_canon_link *links;     /* link_limit */
  struct clew_canon_member *members; /* member_limit */
  uint32_t link_count, member_count;
  uint64_t social; /* bit e: element e is more than the index of its own items */
  bool has_best;
  void (*sort_bags)(void *context, uint64_t *state);
  void *context;
  /* Told of every order of elements that leads to the least state so far; is_less: to a lesser one
   * than all before. NULL: nobody asks. */
  void (*tell)(void *teller, const uint64_t *shift, bool is_less);
  void *teller;
};

struct clew_canon_colours {
  uint8_t order[CLEW_CANON_ELEMENTS];
  uint8_t colour[CLEW_CANON_ELEMENTS];
  uint32_t count; /* distinct colours */
};

/* With constant tables these loops have constant bounds. */
#if defined(__GNUC__) && !defined(__clang__)
#define CLEW_CANON_UNROLL _Pragma("GCC unroll 16")
#define CLEW_CANON_UNROLL_ITEMS _Pragma("GCC unroll 8")
#else
#define CLEW_CANON_UNROLL
#define CLEW_CANON_UNROLL_ITEMS
#endif

static inline uint64_t clew_canon_mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}

static inline uint64_t clew_canon_get(const uint64_t *state, uint32_t bit, uint64_t mask) {
  return (state[bit >> 6] >> (bit & 63)) & mask;
}

/* The element that a field of a block holds, or NO_ELEMENT. */
static inline uint32_t clew_canon_named(const struct clew_canon *t,
                                        const struct clew_canon_field *f, uint64_t block) {
  return t->named[f->first + ((block >> f->shift) & f->mask)];
}

/* ---- 1. What items say of elements -------------------------------------------------------- */

/* An element has one item for each seed, so that products need no further mixing. */
static inline void clew_canon_tell_own(const struct clew_canon *t, const struct clew_canon_class *c,
                                       const uint64_t *state, uint64_t *own) {
  CLEW_CANON_UNROLL_ITEMS
  for (uint32_t q = 0; q < c->item_count; q++) {
    const struct clew_canon_item *item = &t->items[c->first_item + q];
    own[item->element[c->owner]] += clew_canon_get(state, item->bit, c->mask) * item->seed;
  }
}

static inline void clew_canon_tell_places(const struct clew_canon *t,
                                          const struct clew_canon_class *c, const uint64_t *state,
                                          uint64_t *sum, uint64_t *named) {
  for (uint32_t q = 0; q < c->item_count; q++) {
    const struct clew_canon_item *item = &t->items[c->first_item + q];
    uint64_t block = clew_canon_get(state, item->bit, c->mask);
    if (block == c->rest)
      continue;
    CLEW_CANON_UNROLL
    for (uint32_t i = 0; i < c->field_count; i++) {
      const struct clew_canon_field *f = &t->fields[c->first_field + i];
      uint32_t e = clew_canon_named(t, f, block);
      sum[e] += item->seed * f->role;
      *named |= t->bit_of[e];
    }
  }
}

/* The hash of all of an item but which elements are in it. Mixed well: multiplied by roles, it need
 * not be mixed again. */
static inline uint64_t clew_canon_hash(const struct clew_canon *t, const struct clew_canon_class *c,
                                       const struct clew_canon_item *item, uint64_t block) {
  uint64_t content = block & c->plain;
  CLEW_CANON_UNROLL
  for (uint32_t i = 0; i < c->field_count; i++) {
    const struct clew_canon_field *f = &t->fields[c->first_field + i];
    content += t->says[f->first + ((block >> f->shift) & f->mask)] * f->role;
  }
  return clew_canon_mix(item->seed, content);
}

static inline void clew_canon_tell_links(const struct clew_canon *t,
                                         const struct clew_canon_class *c, const uint64_t *state,
                                         uint64_t *sum, uint64_t *own) {
  CLEW_CANON_UNROLL_ITEMS
  for (uint32_t q = 0; q < c->item_count; q++) {
    const struct clew_canon_item *item = &t->items[c->first_item + q];
    uint64_t block = clew_canon_get(state, item->bit, c->mask);
    if (block == c->rest)
      continue;
    uint64_t hash = clew_canon_hash(t, c, item, block);
    CLEW_CANON_UNROLL
    for (uint32_t d = 0; d < c->dim_count; d++)
      own[item->element[d]] += hash * c->dim_role[d];
    CLEW_CANON_UNROLL
    for (uint32_t i = 0; i < c->field_count; i++) {
      const struct clew_canon_field *f = &t->fields[c->first_field + i];
      sum[clew_canon_named(t, f, block)] += hash * f->role;
    }
  }
}

static inline void clew_canon_join(struct clew_canon_work *w, uint32_t element, uint64_t role) {
  if (element == CLEW_CANON_NO_ELEMENT)
    return;
  w->members[w->member_count].element = (uint8_t)element;
  w->members[w->member_count++].role = role;
}

/* Collects the elements in the fields of an item. */
static inline void clew_canon_collect_fields(const struct clew_canon *t, struct clew_canon_work *w,
                                             const struct clew_canon_class *c, uint64_t block) {
  CLEW_CANON_UNROLL
  for (uint32_t i = 0; i < c->field_count; i++) {
    const struct clew_canon_field *f = &t->fields[c->first_field + i];
    clew_canon_join(w, clew_canon_named(t, f, block), f->role);
  }
}

/* Collects the elements among its indices, from dimension `dim` on. */
static inline void clew_canon_collect_dims(struct clew_canon_work *w,
                                           const struct clew_canon_class *c,
                                           const struct clew_canon_item *item, uint32_t dim) {
  for (uint32_t d = dim; d < c->dim_count; d++)
    clew_canon_join(w, item->element[d], c->dim_role[d]);
}

/* Collects the elements that take part in element q of a bag; the hash of the rest of it. */
static inline uint64_t clew_canon_collect_bag(const struct clew_canon *t, struct clew_canon_work *w,
                                              const struct clew_canon_bag *bag,
                                              const uint64_t *state, uint32_t q, uint64_t block) {
  const struct clew_canon_class *parts = &t->classes[bag->first_class];
  const struct clew_canon_item *head = &t->items[parts->first_item + q];
  uint64_t hash = clew_canon_hash(t, parts, head, block);
  clew_canon_collect_fields(t, w, parts, block);
  clew_canon_collect_dims(w, parts, head, 0);
  for (uint32_t p = 1; p < bag->part_count; p++) {
    const struct clew_canon_class *c = &parts[p];
    uint32_t inner = c->item_count / parts->item_count;
    for (uint32_t i = 0; i < inner; i++) {
      const struct clew_canon_item *item = &t->items[c->first_item + q * inner + i];
      uint32_t own = w->member_count;
      block = clew_canon_get(state, item->bit, c->mask);
      if (block == 0 && c->anonymous)
        continue;
      uint64_t part = clew_canon_hash(t, c, item, block);
      clew_canon_collect_fields(t, w, c, block);
      clew_canon_collect_dims(w, c, item, bag->dim_count + 1);
      hash += clew_canon_mix(part, p);
      for (; own < w->member_count; own++) /* what belongs together in this part */
        w->members[own].role = clew_canon_mix(part, w->members[own].role);
    }
  }
  return hash;
}

/* Ends the collection of an item. With two members or more it is a link. */
static inline void clew_canon_close_link(struct clew_canon_work *w, uint32_t first, uint64_t hash,
                                         bool own) {
  uint32_t count = w->member_count - first;
  for (uint32_t i = first; i < w->member_count && !own; i++)
    w->social |= UINT64_C(1) << w->members[i].element;
  if (count >= 2)
    w->links[w->link_count++] = (struct clew_canon_link){hash, first, count};
  else
    w->member_count = first;
}

/* What the elements of a bag say (sum), or the links that they are (sum is NULL). */
static inline void clew_canon_scan_bag(const struct clew_canon *t, struct clew_canon_work *w,
                                       const struct clew_canon_bag *bag, const uint64_t *state,
                                       uint64_t *sum) {
  const struct clew_canon_class *parts = &t->classes[bag->first_class];
  for (uint32_t q = 0; q < parts->item_count; q++) {
    uint64_t block = clew_canon_get(state, t->items[parts->first_item + q].bit, parts->mask);
    if (!(block & 1))
      continue;
    uint32_t first = w->member_count;
    uint64_t hash = clew_canon_collect_bag(t, w, bag, state, q, block);
    if (sum == NULL) {
      clew_canon_close_link(w, first, hash, false);
      continue;
    }
    for (uint32_t i = first; i < w->member_count; i++)
      sum[w->members[i].element] += clew_canon_mix(hash, w->members[i].role);
    w->member_count = first;
  }
}

/* Step 1 but for sorting. The elements in PLACEs are social, all others are found by step 2. What
 * items say of their indices is summed up apart: with constant tables that needs no memory. */
static inline void clew_canon_tell(const struct clew_canon *t, struct clew_canon_work *w,
                                   const uint64_t *state, uint64_t *sum) {
  uint64_t own[CLEW_CANON_TABLE], named = 0;
  memset(own, 0, t->element_count * sizeof *own);
  memset(sum, 0, t->element_count * sizeof *sum);
  own[CLEW_CANON_NO_ELEMENT] = sum[CLEW_CANON_NO_ELEMENT] = 0;
  CLEW_CANON_UNROLL
  for (uint32_t k = 0; k < t->class_count; k++) {
    const struct clew_canon_class *c = &t->classes[k];
    if (c->kind == CLEW_CANON_OWN)
      clew_canon_tell_own(t, c, state, own);
    else if (c->kind == CLEW_CANON_PLACE)
      clew_canon_tell_places(t, c, state, sum, &named);
    else
      clew_canon_tell_links(t, c, state, sum, own);
  }
  w->social = named;
  w->member_count = 0;
  for (uint32_t b = 0; b < t->bag_count; b++)
    clew_canon_scan_bag(t, w, &t->bags[b], state, sum);
  CLEW_CANON_UNROLL
  for (uint32_t e = 0; e < t->element_count; e++)
    sum[e] += own[e];
}

/* Sorts distinct numbers: few of them without branches, which nobody could predict. */
static inline void clew_canon_sort_set(uint64_t *number, uint32_t count) {
  if (count <= CLEW_CANON_FEW) {
    uint64_t from[CLEW_CANON_FEW];
    memcpy(from, number, count * sizeof *from);
    CLEW_CANON_UNROLL
    for (uint32_t i = 0; i < count; i++) {
      uint32_t rank = 0;
      CLEW_CANON_UNROLL
      for (uint32_t k = 0; k < count; k++)
        rank += from[k] < from[i];
      number[rank] = from[i];
    }
    return;
  }
  for (uint32_t i = 1; i < count; i++) {
    uint64_t own = number[i];
    uint32_t at = i;
    for (; at > 0 && number[at - 1] > own; at--)
      number[at] = number[at - 1];
    number[at] = own;
  }
}

/* Sorts the numbers of each set; their lowest bits become the elements that they belong to. Whether
 * all of a set are different. *moved: the order is not that of the elements. */
static inline bool clew_canon_sort(const struct clew_canon *t, uint64_t *sum, bool *moved) {
  bool apart = true;
  uint64_t changes = 0;
  CLEW_CANON_UNROLL
  for (uint32_t s = 0; s < t->set_count; s++) {
    uint32_t first = t->set_first[s], end = t->set_first[s + 1];
    CLEW_CANON_UNROLL
    for (uint32_t e = first; e < end; e++)
      sum[e] = (sum[e] & ~(uint64_t)CLEW_CANON_LOW) | e;
    clew_canon_sort_set(sum + first, end - first);
    CLEW_CANON_UNROLL
    for (uint32_t e = first; e < end; e++) {
      changes |= sum[e] ^ e;
      apart &= e == first || (sum[e] ^ sum[e - 1]) > CLEW_CANON_LOW;
    }
  }
  *moved = (changes & CLEW_CANON_LOW) != 0;
  return apart;
}

/* ---- 2. Colours -------------------------------------------------------------------------- */

static inline void clew_canon_scan_link(const struct clew_canon *t, struct clew_canon_work *w,
                                        const struct clew_canon_class *c,
                                        const struct clew_canon_item *item, uint64_t block) {
  uint32_t first = w->member_count;
  clew_canon_collect_fields(t, w, c, block);
  bool named = w->member_count > first;
  clew_canon_collect_dims(w, c, item, 0);
  clew_canon_close_link(w, first, clew_canon_hash(t, c, item, block),
                        !named && w->member_count == first + 1);
}

/* Collects the links, and which elements are social. PLACEs are no links: each element in one has a
 * colour of its own. */
static inline void clew_canon_scan(const struct clew_canon *t, struct clew_canon_work *w,
                                   const uint64_t *state) {
  w->link_count = w->member_count = 0;
  CLEW_CANON_UNROLL
  for (uint32_t k = 0; k < t->class_count; k++) {
    const struct clew_canon_class *c = &t->classes[k];
    for (uint32_t q = 0; q < c->item_count && c->kind == CLEW_CANON_LINK; q++) {
      const struct clew_canon_item *item = &t->items[c->first_item + q];
      uint64_t block = clew_canon_get(state, item->bit, c->mask);
      if (block != c->rest)
        clew_canon_scan_link(t, w, c, item, block);
    }
  }
  for (uint32_t b = 0; b < t->bag_count; b++)
    clew_canon_scan_bag(t, w, &t->bags[b], state, NULL);
}

/* Splits every group by the sums of its members; true when some group was split. */
static inline bool clew_canon_split(const struct clew_canon *t, struct clew_canon_colours *g,
                                    const uint64_t *sum) {
  uint32_t before = g->count;
  g->count = 0;
  for (uint32_t start = 0, end; start < t->element_count; start = end) {
    uint8_t colour = g->colour[g->order[start]];
    for (end = start + 1; end < t->element_count && g->colour[g->order[end]] == colour; end++) {
      uint8_t e = g->order[end];
      uint32_t at = end;
      for (; at > start && sum[g->order[at - 1]] > sum[e]; at--)
        g->order[at] = g->order[at - 1];
      g->order[at] = e;
    }
    uint32_t run = start;
    uint64_t last = sum[g->order[start]];
    for (uint32_t i = start; i < end; i++) {
      uint8_t e = g->order[i];
      if (sum[e] != last) {
        run = i;
        last = sum[e];
      }
      g->colour[e] = (uint8_t)run;
      g->count += run == i;
    }
  }
  return g->count != before;
}

static inline void clew_canon_refine(const struct clew_canon *t, const struct clew_canon_work *w,
                                     struct clew_canon_colours *g) {
  while (w->link_count > 0 && g->count < t->element_count) {
    uint64_t sum[CLEW_CANON_ELEMENTS];
    memset(sum, 0, t->element_count * sizeof *sum);
    for (uint32_t i = 0; i < w->link_count; i++) {
      const struct clew_canon_member *m = w->members + w->links[i].first;
      uint32_t count = w->links[i].count;
      uint64_t hash = w->links[i].hash;
      for (uint32_t j = 0; j < count; j++) /* a sum: members of one role have no order */
        hash += clew_canon_mix(m[j].role, g->colour[m[j].element]);
      for (uint32_t j = 0; j < count; j++)
        sum[m[j].element] += clew_canon_mix(hash, m[j].role);
    }
    if (!clew_canon_split(t, g, sum))
      break;
  }
}

/* ---- 3. Permuting, twins, search --------------------------------------------------------- */

/* The sum of what a renaming adds to the fields of a block. */
static inline uint64_t clew_canon_rename(const struct clew_canon *t,
                                         const struct clew_canon_class *c, uint64_t block,
                                         const uint64_t *shift) {
  uint64_t change = 0;
  CLEW_CANON_UNROLL
  for (uint32_t i = 0; i < c->field_count; i++) {
    const struct clew_canon_field *f = &t->fields[c->first_field + i];
    change += shift[clew_canon_named(t, f, block)] << f->shift;
  }
  return change;
}

/* out := state with every element e renamed to the element e + shift[e]. */
static inline void clew_canon_apply(const struct clew_canon *t, const struct clew_canon_work *w,
                                    const uint64_t *state, const uint64_t *shift, uint64_t *out) {
  for (uint32_t i = 0; i < t->words; i++)
    out[i] = state[i] & t->fixed[i];
  CLEW_CANON_UNROLL
  for (uint32_t k = 0; k < t->class_count + t->part_count; k++) {
    const struct clew_canon_class *c = &t->classes[k];
    CLEW_CANON_UNROLL_ITEMS
    for (uint32_t q = 0; q < c->item_count; q++) {
      const struct clew_canon_item *item = &t->items[c->first_item + q];
      uint64_t block = clew_canon_get(state, item->bit, c->mask);
      if (c->kind == CLEW_CANON_PLACE) {
        if (block != c->rest)
          out[item->bit >> 6] += clew_canon_rename(t, c, block, shift) << (item->bit & 63);
        continue;
      }
      if (block == 0 && c->anonymous && c->sparse)
        continue;
      block += clew_canon_rename(t, c, block, shift);
      uint32_t target = q;
      CLEW_CANON_UNROLL
      for (uint32_t d = 0; d < c->dim_count; d++)
        target += (uint32_t)shift[item->element[d]] * c->dim_stride[d];
      uint32_t bit = t->items[c->first_item + target].bit;
      out[c->word != CLEW_CANON_WORDS ? c->word : bit >> 6] |= block << (bit & 63);
    }
  }
  if (t->bag_count > 0)
    w->sort_bags(w->context, out);
}

/* Elements that nothing refers to are twins when their own items are the same. */
static inline bool clew_canon_same_own(const struct clew_canon *t, const uint64_t *state, uint8_t x,
                                       uint8_t y) {
  uint32_t count = t->own_first[x + 1] - t->own_first[x];
  for (uint32_t i = 0; i < count; i++) {
    const struct clew_canon_own *a = &t->own[t->own_first[x] + i];
    const struct clew_canon_own *b = &t->own[t->own_first[y] + i];
    if (((state[a->bit >> 6] >> (a->bit & 63) ^ state[b->bit >> 6] >> (b->bit & 63)) & a->mask) !=
        0)
      return false;
  }
  return true;
}

/* Whether swapping the two leaves the state as it is. */
static inline bool clew_canon_twins(const struct clew_canon *t, const struct clew_canon_work *w,
                                    const uint64_t *state, uint8_t x, uint8_t y) {
  if (((w->social >> x | w->social >> y) & 1) == 0)
    return clew_canon_same_own(t, state, x, y);
  uint64_t shift[CLEW_CANON_TABLE] = {0};
  shift[x] = (uint64_t)y - x;
  shift[y] = (uint64_t)x - y;
  clew_canon_apply(t, w, state, shift, w->trial);
  return memcmp(w->trial, state, t->words * sizeof *state) == 0;
}

/* Lexicographic by words: -1, 0, 1 as memcmp would order big-endian words. */
static inline int clew_canon_compare(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* out := state, the element at position i of the order being renamed to element i. */
static inline void clew_canon_arrange(const struct clew_canon *t, const struct clew_canon_work *w,
                                      const uint64_t *state, const uint64_t *sorted,
                                      uint64_t *out) {
  uint64_t shift[CLEW_CANON_TABLE];
  for (uint32_t i = 0; i < t->element_count; i++) {
    uint64_t e = sorted[i] & CLEW_CANON_LOW;
    shift[e] = i - e;
  }
  shift[CLEW_CANON_NO_ELEMENT] = 0;
  clew_canon_apply(t, w, state, shift, out);
}

/* All elements have their place. */
static inline void clew_canon_leaf(const struct clew_canon *t, struct clew_canon_work *w,
                                   const uint64_t *state, const struct clew_canon_colours *g) {
  uint64_t *out = w->has_best ? w->trial : w->best;
  uint64_t shift[CLEW_CANON_TABLE];
  bool moved = false;
  for (uint32_t i = 0; i < t->element_count; i++) {
    shift[g->order[i]] = (uint64_t)i - g->order[i];
    moved |= i != g->order[i];
  }
  shift[CLEW_CANON_NO_ELEMENT] = 0;
  if (moved)
    clew_canon_apply(t, w, state, shift, out);
  else
    memcpy(out, state, t->words * sizeof *out);
  int order = w->has_best ? clew_canon_compare(w->trial, w->best, t->words) : -1;
  if (w->has_best && order < 0)
    memcpy(w->best, w->trial, t->words * sizeof *out);
  w->has_best = true;
  if (w->tell != NULL && order <= 0)
    w->tell(w->teller, shift, order < 0);
}

/* Gives `element` of the group start .. end-1 a colour of its own, before the others. */
static inline void clew_canon_put_first(struct clew_canon_colours *g, uint32_t start, uint32_t end,
                                        uint8_t element) {
  uint32_t at = start;
  while (g->order[at] != element)
    at++;
  g->order[at] = g->order[start];
  g->order[start] = element;
  for (uint32_t i = start + 1; i < end; i++)
    g->colour[g->order[i]] = (uint8_t)(start + 1);
  g->count++;
}

/* One element of each kind of twins in the group start .. end-1. */
static inline uint32_t clew_canon_kinds(const struct clew_canon *t, const struct clew_canon_work *w,
                                        const uint64_t *state, const struct clew_canon_colours *g,
                                        uint32_t start, uint32_t end, uint8_t *kinds) {
  uint32_t count = 0;
  for (uint32_t i = start; i < end; i++) {
    uint32_t k = 0;
    while (k < count && !clew_canon_twins(t, w, state, kinds[k], g->order[i]))
      k++;
    if (k == count)
      kinds[count++] = g->order[i];
  }
  return count;
}

/* Decides the groups from position `start` on; those before have one member each. */
static void clew_canon_search(const struct clew_canon *t, struct clew_canon_work *w,
                              const uint64_t *state, struct clew_canon_colours *g, uint32_t start) {
  for (uint32_t end; start < t->element_count; start = end) {
    uint8_t kinds[CLEW_CANON_ELEMENTS], colour = g->colour[g->order[start]];
    for (end = start + 1; end < t->element_count && g->colour[g->order[end]] == colour;)
      end++;
    if (end - start == 1)
      continue;
    uint32_t kind_count = clew_canon_kinds(t, w, state, g, start, end, kinds);
    if (kind_count == 1) { /* all are twins: any order will do */
      for (uint32_t i = start; i < end; i++)
        g->colour[g->order[i]] = (uint8_t)i;
      g->count += end - start - 1;
      clew_canon_refine(t, w, g);
      continue;
    }
    for (uint32_t k = 0; k < kind_count; k++) {
      struct clew_canon_colours next = *g;
      clew_canon_put_first(&next, start, end, kinds[k]);
      clew_canon_refine(t, w, &next);
      clew_canon_search(t, w, state, &next, start + 1);
    }
    return;
  }
  clew_canon_leaf(t, w, state, g);
}

/* Elements with one number have one colour. */
static inline void clew_canon_colour(const struct clew_canon *t, struct clew_canon_colours *g,
                                     const uint64_t *sorted) {
  g->count = 0;
  for (uint32_t s = 0; s < t->set_count; s++) {
    uint32_t run = t->set_first[s];
    for (uint32_t i = run; i < t->set_first[s + 1]; i++) {
      g->order[i] = sorted[i] & CLEW_CANON_LOW;
      if ((sorted[i] ^ sorted[run]) > CLEW_CANON_LOW)
        run = i;
      g->colour[g->order[i]] = (uint8_t)run;
      g->count += run == i;
    }
  }
}

/* Steps 2 and 3, when some elements have the same number. */
static void clew_canon_decide(const struct clew_canon *t, struct clew_canon_work *w,
                              uint64_t *state, const uint64_t *sorted) {
  struct clew_canon_colours g;
  clew_canon_colour(t, &g, sorted);
  clew_canon_scan(t, w, state);
  clew_canon_refine(t, w, &g);
  w->has_best = false;
  if (t->fast)
    clew_canon_leaf(t, w, state, &g);
  else
    clew_canon_search(t, w, state, &g, 0);
  memcpy(state, w->best, t->words * sizeof *state);
}

/* state := its canonical form. */
static inline void clew_canon_run(const struct clew_canon *t, struct clew_canon_work *w,
                                  uint64_t *state) {
  uint64_t sum[CLEW_CANON_TABLE];
  bool moved;
  clew_canon_tell(t, w, state, sum);
  if (!clew_canon_sort(t, sum, &moved)) {
    clew_canon_decide(t, w, state, sum);
  } else if (moved) {
    clew_canon_arrange(t, w, state, sum, w->best);
    memcpy(state, w->best, t->words * sizeof *state);
  }
}

/* Replaces the states by their canonical forms. `parent` is a canonical form, or NULL: a state that
 * is the same needs no further look. */
static inline void clew_canon_run_all(const struct clew_canon *t, struct clew_canon_work *w,
                                      const uint64_t *parent, uint64_t *states, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t *state = states + (size_t)i * t->words;
    if (parent == NULL || clew_canon_compare(parent, state, t->words) != 0)
      clew_canon_run(t, w, state);
  }
}

#endif
