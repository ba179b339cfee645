/* Canonical forms under permutation of scalarsets. This header stands alone: the interpreter runs
 * it on tables built at load time (ir/symmetry.c); the emitted C includes it and runs it on the
 * same tables as compile-time constants, which specialises it to the model's layout. One text, so
 * the two cannot disagree.
 *
 * The structure. The values of all scalarsets with at least two members are the *elements*. A
 * *class* is a block of at most 64 bits that occurs once for each combination of its dimensions'
 * indices (an array nest over scalarsets, unions or plain ranges); inside the block some *fields*
 * hold values that may be elements, the rest is *plain*. One occurrence is an *item*. A bag is a
 * group of classes, the parts of its elements, whose last dimension is the position in the bag,
 * which means nothing.
 *
 * The method, in the manner of graph canonisation:
 *  1. Each element gets a colour, computed from the contents of the items it takes part in alone,
 *     as an index or as a value, summed up so that the order of items does not matter.
 *  2. Items that involve two or more elements (*links*) refine the colours: what an item says of an
 *     element includes the colours of the others. Repeated while the number of colours grows.
 *  3. Where elements still share a colour: if swapping any two of them leaves the state as it is
 *     (they are *twins*) their order is indifferent; otherwise one of each kind of twins in turn is
 *     put first, the method goes on, and the least of all resulting states wins.
 * Every step depends on the state only up to a renaming of the elements, so all states of an orbit
 * get the same form. A collision of the hash below can only leave two elements with one colour,
 * which costs time, not correctness: the result is always a permutation of the state, and ties are
 * decided by comparing states. Items equal to their class's `rest` say nothing.
 *
 * Invariant of the work area: order[] holds the elements grouped by colour, a colour being the
 * position in order[] at which its group starts; groups never leave the range of their set. */
#ifndef CLEW_IR_CANON_RT_H
#define CLEW_IR_CANON_RT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  CLEW_CANON_ELEMENTS = 64, /* at most this many elements in all */
  CLEW_CANON_DIMS = 4,
  CLEW_CANON_NO_ELEMENT = 255,
};

/* An index or value domain: offsets 0 .. count-1 from its least value. */
struct clew_canon_domain {
  uint32_t first; /* of its offsets, in element_of and moved */
  uint32_t count;
};

struct clew_canon_field {
  uint64_t mask; /* unshifted */
  uint64_t role; /* any number that tells it from other fields */
  uint16_t domain;
  uint8_t shift; /* inside the block */
  uint8_t undefinable;
};

struct clew_canon_class {
  uint64_t mask;    /* of the block, unshifted */
  uint64_t plain;   /* its bits outside fields */
  uint64_t rest;    /* contents that say nothing (not used in bags) */
  bool undefinable; /* all its fields are: zero is no element */
  uint32_t first_item, item_count;
  uint32_t first_field, field_count;
  uint32_t dim_count;
  uint32_t dim_stride[CLEW_CANON_DIMS]; /* in items; the last dimension varies fastest */
  uint16_t dim_domain[CLEW_CANON_DIMS];
  uint64_t dim_role[CLEW_CANON_DIMS]; /* as of fields */
};

struct clew_canon_item {
  uint32_t bit;                     /* offset in the state */
  uint16_t offset[CLEW_CANON_DIMS]; /* index in each dimension */
  /* Tells its class and those of its indices that are not elements (nor positions in a bag). */
  uint64_t seed;
};

/* The dimensions of every part: those of the bag, the position, those within an element. Part 0 has
 * none of the latter, and its lowest bit is the presence bit. */
struct clew_canon_bag {
  uint32_t first_class, part_count;
  uint32_t dim_count; /* of the bag */
};

struct clew_canon {
  uint32_t words;
  uint32_t element_count, set_count;
  uint32_t domain_count, offset_count; /* offset_count: the sum of the domains' counts */
  uint32_t class_count, part_count;    /* classes outside bags, then the parts of bags */
  uint32_t bag_count;
  uint32_t link_limit, member_limit; /* what a state can have at most */
  bool fast;                         /* break ties by position instead of searching */
  const uint8_t *set_first;          /* set_count + 1 entries */
  const struct clew_canon_domain *domains;
  const uint8_t *element_of; /* by domain.first + offset */
  const uint16_t *offset_of; /* by domain * element_count + element */
  const struct clew_canon_class *classes;
  const struct clew_canon_field *fields;
  const struct clew_canon_item *items;
  const struct clew_canon_bag *bags;
  const uint64_t *untouched; /* words: the bits that no permutation moves */
  /* For each element the items outside bags in which it is the only element among the indices, in
   * an order that is the same for all elements of a set. */
  const uint32_t *own_first; /* element_count + 1 entries */
  const uint32_t *own_items, *own_classes;
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
  uint16_t *moved;                   /* offset_count */
  uint32_t link_count, member_count;
  uint64_t social; /* bit e: element e is more than the index of its own items */
  bool has_best;
  void (*sort_bags)(void *context, uint64_t *state);
  void *context;
};

struct clew_canon_colours {
  uint8_t order[CLEW_CANON_ELEMENTS];
  uint8_t colour[CLEW_CANON_ELEMENTS];
  uint32_t count; /* distinct colours */
};

/* With constant tables these loops have constant bounds. */
#if defined(__GNUC__) && !defined(__clang__)
#define CLEW_CANON_UNROLL _Pragma("GCC unroll 16")
#else
#define CLEW_CANON_UNROLL
#endif

static inline uint64_t clew_canon_mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}

static inline uint64_t clew_canon_get(const uint64_t *state, uint32_t bit, uint64_t mask) {
  return (state[bit >> 6] >> (bit & 63)) & mask;
}

/* The element that a field of a block holds, or NO_ELEMENT; *raw is its stored value. */
static inline uint32_t clew_canon_field_element(const struct clew_canon *t,
                                                const struct clew_canon_field *f, uint64_t block,
                                                uint64_t *raw) {
  *raw = (block >> f->shift) & f->mask;
  if (f->undefinable && *raw == 0)
    return CLEW_CANON_NO_ELEMENT;
  return t->element_of[t->domains[f->domain].first + *raw - f->undefinable];
}

/* ---- 1. What each element's own items say ------------------------------------------------ */

static inline void clew_canon_join(struct clew_canon_work *w, uint32_t element, uint64_t role) {
  w->members[w->member_count].element = (uint8_t)element;
  w->members[w->member_count++].role = role;
}

/* Collects the elements in the fields of one item and returns the hash of the rest of it. */
static inline uint64_t clew_canon_read(const struct clew_canon *t, struct clew_canon_work *w,
                                       const struct clew_canon_class *c,
                                       const struct clew_canon_item *item, uint64_t block) {
  uint64_t hash = clew_canon_mix(item->seed, block & c->plain);
  if (c->undefinable && (block & ~c->plain) == 0)
    return hash;
  CLEW_CANON_UNROLL
  for (uint32_t i = 0; i < c->field_count; i++) {
    const struct clew_canon_field *f = &t->fields[c->first_field + i];
    uint64_t raw;
    uint32_t e = clew_canon_field_element(t, f, block, &raw);
    if (e != CLEW_CANON_NO_ELEMENT)
      clew_canon_join(w, e, f->role);
    else if (raw != 0)
      hash = clew_canon_mix(hash, raw + f->role);
  }
  return hash;
}

/* Collects the elements among its indices, from dimension `dim` on. */
static inline void clew_canon_read_dims(const struct clew_canon *t, struct clew_canon_work *w,
                                        const struct clew_canon_class *c,
                                        const struct clew_canon_item *item, uint32_t dim) {
  CLEW_CANON_UNROLL
  for (uint32_t d = dim; d < c->dim_count; d++) {
    uint8_t e = t->element_of[t->domains[c->dim_domain[d]].first + item->offset[d]];
    if (e != CLEW_CANON_NO_ELEMENT)
      clew_canon_join(w, e, c->dim_role[d]);
  }
}

/* An item with one member speaks of it alone; one with more becomes a link. */
static inline void clew_canon_close_item(struct clew_canon_work *w, uint32_t first, uint64_t hash,
                                         bool own, uint64_t *sum) {
  uint32_t count = w->member_count - first;
  if (!own)
    for (uint32_t i = first; i < w->member_count; i++)
      w->social |= UINT64_C(1) << w->members[i].element;
  if (count >= 2) {
    w->links[w->link_count++] = (struct clew_canon_link){hash, first, count};
    return;
  }
  if (count == 1)
    sum[w->members[first].element] += clew_canon_mix(hash, w->members[first].role);
  w->member_count = first;
}

static inline void clew_canon_scan_class(const struct clew_canon *t, struct clew_canon_work *w,
                                         const struct clew_canon_class *c, const uint64_t *state,
                                         uint64_t *sum) {
  for (uint32_t q = 0; q < c->item_count; q++) {
    const struct clew_canon_item *item = &t->items[c->first_item + q];
    uint64_t block = clew_canon_get(state, item->bit, c->mask);
    if (block == c->rest)
      continue;
    uint32_t first = w->member_count;
    uint64_t hash = clew_canon_read(t, w, c, item, block);
    bool named = w->member_count > first;
    clew_canon_read_dims(t, w, c, item, 0);
    clew_canon_close_item(w, first, hash, !named && w->member_count == first + 1, sum);
  }
}

static inline void clew_canon_scan_bag(const struct clew_canon *t, struct clew_canon_work *w,
                                       const struct clew_canon_bag *bag, const uint64_t *state,
                                       uint64_t *sum) {
  const struct clew_canon_class *parts = &t->classes[bag->first_class];
  for (uint32_t q = 0; q < parts->item_count; q++) {
    const struct clew_canon_item *head = &t->items[parts->first_item + q];
    uint64_t block = clew_canon_get(state, head->bit, parts->mask);
    if (!(block & 1))
      continue;
    uint32_t first = w->member_count;
    uint64_t hash = clew_canon_read(t, w, parts, head, block);
    clew_canon_read_dims(t, w, parts, head, 0);
    for (uint32_t p = 1; p < bag->part_count; p++) {
      const struct clew_canon_class *c = &parts[p];
      uint32_t inner = c->item_count / parts->item_count;
      for (uint32_t i = 0; i < inner; i++) {
        const struct clew_canon_item *item = &t->items[c->first_item + q * inner + i];
        uint32_t own = w->member_count;
        block = clew_canon_get(state, item->bit, c->mask);
        if (block == 0)
          continue;
        uint64_t part = clew_canon_read(t, w, c, item, block);
        clew_canon_read_dims(t, w, c, item, bag->dim_count + 1);
        hash += clew_canon_mix(part, p);
        for (; own < w->member_count; own++) /* what belongs together in this part */
          w->members[own].role = clew_canon_mix(part, w->members[own].role);
      }
    }
    clew_canon_close_item(w, first, hash, false, sum);
  }
}

static inline void clew_canon_scan(const struct clew_canon *t, struct clew_canon_work *w,
                                   const uint64_t *state, uint64_t *sum) {
  w->link_count = w->member_count = 0;
  w->social = 0;
  CLEW_CANON_UNROLL
  for (uint32_t k = 0; k < t->class_count; k++)
    clew_canon_scan_class(t, w, &t->classes[k], state, sum);
  for (uint32_t b = 0; b < t->bag_count; b++)
    clew_canon_scan_bag(t, w, &t->bags[b], state, sum);
}

/* ---- 2. Colours -------------------------------------------------------------------------- */

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

/* out := state with every element e renamed to the element to[e]. */
static inline void clew_canon_apply(const struct clew_canon *t, struct clew_canon_work *w,
                                    const uint64_t *state, const uint8_t *to, uint64_t *out) {
  for (uint32_t d = 0; d < t->domain_count; d++) {
    const struct clew_canon_domain *domain = &t->domains[d];
    for (uint32_t o = 0; o < domain->count; o++) {
      uint8_t e = t->element_of[domain->first + o];
      w->moved[domain->first + o] =
          e == CLEW_CANON_NO_ELEMENT ? (uint16_t)o : t->offset_of[d * t->element_count + to[e]];
    }
  }
  for (uint32_t i = 0; i < t->words; i++)
    out[i] = state[i] & t->untouched[i];
  CLEW_CANON_UNROLL
  for (uint32_t k = 0; k < t->class_count + t->part_count; k++) {
    const struct clew_canon_class *c = &t->classes[k];
    for (uint32_t q = 0; q < c->item_count; q++) {
      const struct clew_canon_item *item = &t->items[c->first_item + q];
      uint64_t block = clew_canon_get(state, item->bit, c->mask);
      if (block == 0)
        continue;
      CLEW_CANON_UNROLL
      for (uint32_t i = 0; i < c->field_count; i++) {
        const struct clew_canon_field *f = &t->fields[c->first_field + i];
        uint64_t raw;
        if (clew_canon_field_element(t, f, block, &raw) == CLEW_CANON_NO_ELEMENT)
          continue;
        uint64_t now =
            w->moved[t->domains[f->domain].first + raw - f->undefinable] + (uint64_t)f->undefinable;
        block = (block & ~(f->mask << f->shift)) | now << f->shift;
      }
      uint32_t target = 0;
      for (uint32_t d = 0; d < c->dim_count; d++)
        target += w->moved[t->domains[c->dim_domain[d]].first + item->offset[d]] * c->dim_stride[d];
      uint32_t bit = t->items[c->first_item + target].bit;
      out[bit >> 6] |= block << (bit & 63);
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
    uint32_t at = t->own_first[x] + i, other = t->own_first[y] + i;
    uint64_t mask = t->classes[t->own_classes[at]].mask;
    if (clew_canon_get(state, t->items[t->own_items[at]].bit, mask) !=
        clew_canon_get(state, t->items[t->own_items[other]].bit, mask))
      return false;
  }
  return true;
}

/* Whether swapping the two leaves the state as it is. */
static inline bool clew_canon_twins(const struct clew_canon *t, struct clew_canon_work *w,
                                    const uint64_t *state, uint8_t x, uint8_t y) {
  if (((w->social >> x | w->social >> y) & 1) == 0)
    return clew_canon_same_own(t, state, x, y);
  uint8_t swap[CLEW_CANON_ELEMENTS];
  for (uint32_t e = 0; e < t->element_count; e++)
    swap[e] = (uint8_t)e;
  swap[x] = y;
  swap[y] = x;
  clew_canon_apply(t, w, state, swap, w->trial);
  return memcmp(w->trial, state, t->words * sizeof *state) == 0;
}

/* Lexicographic by words: -1, 0, 1 as memcmp would order big-endian words. */
static inline int clew_canon_compare(const uint64_t *a, const uint64_t *b, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* All elements have their place: the element at position i of the order becomes element i. */
static inline void clew_canon_leaf(const struct clew_canon *t, struct clew_canon_work *w,
                                   const uint64_t *state, const struct clew_canon_colours *g) {
  uint8_t to[CLEW_CANON_ELEMENTS];
  bool moved = false;
  for (uint32_t i = 0; i < t->element_count; i++) {
    to[g->order[i]] = (uint8_t)i;
    moved |= g->order[i] != i;
  }
  uint64_t *out = w->has_best ? w->trial : w->best;
  if (moved)
    clew_canon_apply(t, w, state, to, out);
  else
    memcpy(out, state, t->words * sizeof *out);
  if (w->has_best && clew_canon_compare(w->trial, w->best, t->words) < 0)
    memcpy(w->best, w->trial, t->words * sizeof *out);
  w->has_best = true;
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

static void clew_canon_search(const struct clew_canon *t, struct clew_canon_work *w,
                              const uint64_t *state, struct clew_canon_colours *g) {
  uint32_t start = 0, end = 0;
  for (; start < t->element_count; start = end) { /* the first group that is not decided */
    for (end = start + 1;
         end < t->element_count && g->colour[g->order[end]] == g->colour[g->order[start]];)
      end++;
    if (end - start > 1)
      break;
  }
  if (start == t->element_count) {
    clew_canon_leaf(t, w, state, g);
    return;
  }
  uint8_t kinds[CLEW_CANON_ELEMENTS]; /* one element of each kind of twins */
  uint32_t kind_count = 0;
  for (uint32_t i = start; i < end; i++) {
    uint32_t k = 0;
    while (k < kind_count && !clew_canon_twins(t, w, state, kinds[k], g->order[i]))
      k++;
    if (k == kind_count)
      kinds[kind_count++] = g->order[i];
  }
  if (kind_count == 1) { /* all are twins: any order will do */
    for (uint32_t i = start; i < end; i++)
      g->colour[g->order[i]] = (uint8_t)i;
    g->count += end - start - 1;
    clew_canon_refine(t, w, g);
    clew_canon_search(t, w, state, g);
    return;
  }
  for (uint32_t k = 0; k < kind_count; k++) {
    struct clew_canon_colours next = *g;
    clew_canon_put_first(&next, start, end, kinds[k]);
    clew_canon_refine(t, w, &next);
    clew_canon_search(t, w, state, &next);
  }
}

/* state := its canonical form. */
static inline void clew_canon_run(const struct clew_canon *t, struct clew_canon_work *w,
                                  uint64_t *state) {
  uint64_t sum[CLEW_CANON_ELEMENTS] = {0};
  struct clew_canon_colours g;
  g.count = t->set_count;
  for (uint32_t s = 0; s < t->set_count; s++)
    for (uint32_t e = t->set_first[s]; e < t->set_first[s + 1]; e++) {
      g.order[e] = (uint8_t)e;
      g.colour[e] = t->set_first[s];
    }
  clew_canon_scan(t, w, state, sum);
  clew_canon_split(t, &g, sum);
  clew_canon_refine(t, w, &g);
  w->has_best = false;
  if (t->fast || g.count == t->element_count)
    clew_canon_leaf(t, w, state, &g);
  else
    clew_canon_search(t, w, state, &g);
  memcpy(state, w->best, t->words * sizeof *state);
}

#endif
