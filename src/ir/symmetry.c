/* Builds the tables of canon_rt.h by walking the types of the state variables.
 *
 * A walk carries the dimensions above it (array indices). It stops at a block: a run of cells that
 * has no permuted index inside and lies within one word, in the same way, for every combination of
 * the dimensions. Such a run becomes a class if one of its dimensions or cells can name an element.
 * Everything else is split: records into fields, arrays by a further dimension, bags into the parts
 * of an element with the position as a further dimension.
 *
 * Invariant: every bit of a state belongs to exactly one class or to none; `fixed` has the bits of
 * the latter and of PLACEs. */
#include "ir/symmetry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/vec.h"
#include "ir/interp_int.h"
#include "ir/ir_int.h"

/* Up to this many items are looked at each; from then on it is worth asking which say nothing. */
enum { MANY_ITEMS = 7 };

struct dim {
  const struct clew_domain *domain; /* NULL: position in a bag */
  uint32_t count, stride;           /* stride in cells */
};

/* The elements that the stored values of a field name: so many entries of `named` from `first` on.
 */
struct naming {
  const struct clew_domain *domain;
  bool undefinable;
  uint32_t first;
};

struct clew_symmetry {
  const struct clew_program *program;
  bool discrete; /* signals are left out */
  struct clew_canon tables;
  CLEW_VEC(struct clew_canon_class) classes;
  CLEW_VEC(struct clew_canon_class) parts; /* of bags; appended to classes in the end */
  CLEW_VEC(struct clew_canon_field) fields;
  CLEW_VEC(struct clew_canon_item) items;
  CLEW_VEC(struct clew_canon_bag) bags;
  CLEW_VEC(struct naming) namings;
  CLEW_VEC(uint8_t) named;
  CLEW_VEC(uint64_t) says;
  CLEW_VEC(uint8_t) set_first;
  CLEW_VEC(uint32_t) own_first;
  CLEW_VEC(struct clew_canon_own) own;
  uint64_t bit_of[CLEW_CANON_TABLE];
  uint64_t *fixed;
  uint32_t inside_bag; /* dimensions of the bag being walked + 1; 0 outside */
  const char *why;
};

/* ---- Elements and domains ------------------------------------------------------------------ */

static bool is_permuted(const struct clew_scalarset *set) {
  return set->count >= 2 && set->asymmetric == NULL;
}

static uint32_t element_of_value(const struct clew_symmetry *s, int64_t value) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < s->program->scalarsets.len; i++) {
    const struct clew_scalarset *set = &s->program->scalarsets.data[i];
    if (!is_permuted(set)) {
      continue;
    }
    if (value >= set->lo && value < set->lo + (int64_t)set->count) {
      return first + (uint32_t)(value - set->lo);
    }
    first += set->count;
  }
  return CLEW_CANON_NO_ELEMENT;
}

static uint32_t set_of(const struct clew_symmetry *s, uint32_t element) {
  uint32_t set = 0;
  while (element >= s->set_first.data[set + 1]) {
    set++;
  }
  return set;
}

static bool names_elements(const struct clew_symmetry *s, const struct clew_domain *domain) {
  if (domain == NULL || !domain->symmetric) {
    return false;
  }
  for (uint32_t i = 0; i < s->program->scalarsets.len; i++) {
    const struct clew_scalarset *set = &s->program->scalarsets.data[i];
    if (is_permuted(set) && set->lo <= domain->hi && set->lo + (int64_t)set->count > domain->lo) {
      return true;
    }
  }
  return false;
}

/* Where the stored values of such a field begin in `named`. Undefined is stored as zero. */
static uint32_t add_naming(struct clew_symmetry *s, const struct clew_domain *domain,
                           bool undefinable) {
  for (uint32_t i = 0; i < s->namings.len; i++) {
    const struct naming *n = &s->namings.data[i];
    if (n->domain->lo == domain->lo && n->domain->hi == domain->hi &&
        n->undefinable == undefinable) {
      return n->first;
    }
  }
  struct naming naming = {domain, undefinable, s->named.len};
  clew_vec_push(&s->namings, naming);
  if (undefinable) {
    clew_vec_push(&s->named, CLEW_CANON_NO_ELEMENT);
    clew_vec_push(&s->says, 0);
  }
  for (int64_t value = domain->lo; value <= domain->hi; value++) {
    uint32_t element = element_of_value(s, value);
    clew_vec_push(&s->named, (uint8_t)element);
    clew_vec_push(&s->says, clew_canon_mix(1, element == CLEW_CANON_NO_ELEMENT
                                                  ? (uint64_t)value
                                                  : ~(uint64_t)set_of(s, element)));
  }
  return naming.first;
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static bool type_splits(const struct clew_symmetry *s, const struct clew_type *type) {
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    return false;
  case CLEW_TYPE_BAG:
    return true;
  case CLEW_TYPE_ARRAY:
    return names_elements(s, type->domain) || type_splits(s, type->element);
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++) {
      if (type_splits(s, type->fields[i].type)) {
        return true;
      }
    }
    return false;
  }
  return false;
}

static uint32_t item_total(const struct dim *dims, uint32_t dim_count) {
  uint32_t total = 1;
  for (uint32_t d = 0; d < dim_count; d++) {
    total *= dims[d].count;
  }
  return total;
}

/* Index of item q in dimension d, and the first cell of the item. */
static uint32_t item_offset(const struct dim *dims, uint32_t dim_count, uint32_t q, uint32_t d) {
  for (uint32_t i = dim_count - 1; i > d; i--) {
    q /= dims[i].count;
  }
  return q % dims[d].count;
}

static uint32_t item_cell(const struct dim *dims, uint32_t dim_count, uint32_t cell, uint32_t q) {
  for (uint32_t d = 0; d < dim_count; d++) {
    cell += item_offset(dims, dim_count, q, d) * dims[d].stride;
  }
  return cell;
}

static uint32_t lowest_bit(const struct clew_slot *slots, uint32_t cells) {
  uint32_t lowest = UINT32_MAX;
  for (uint32_t i = 0; i < cells; i++) {
    if (slots[i].width > 0 && slots[i].bit < lowest) {
      lowest = slots[i].bit;
    }
  }
  return lowest; /* UINT32_MAX: no bits at all */
}

/* Whether the cells lie in one word, leaving a bit of it, arranged alike, in every item. */
static bool is_block(const struct clew_symmetry *s, const struct dim *dims, uint32_t dim_count,
                     uint32_t cell, uint32_t cells) {
  const struct clew_slot *slots = s->program->slots;
  uint32_t low = lowest_bit(slots + cell, cells);
  uint32_t total = item_total(dims, dim_count), bits = 0;
  for (uint32_t i = 0; i < cells; i++) {
    bits += slots[cell + i].width;
  }
  if (bits > 63 && cells > 1) {
    return false;
  }
  for (uint32_t q = 0; q < total; q++) {
    const struct clew_slot *own = slots + item_cell(dims, dim_count, cell, q);
    uint32_t own_low = lowest_bit(own, cells);
    for (uint32_t i = 0; i < cells; i++) {
      if (own[i].width > 0 &&
          (own[i].bit / 64 != own_low / 64 || own[i].bit - own_low != slots[cell + i].bit - low)) {
        return false;
      }
    }
  }
  return true;
}

static bool concerns_elements(const struct clew_symmetry *s, const struct dim *dims,
                              uint32_t dim_count, uint32_t cell, uint32_t cells) {
  for (uint32_t d = 0; d < dim_count; d++) {
    if (names_elements(s, dims[d].domain)) {
      return true;
    }
  }
  for (uint32_t i = 0; i < cells; i++) {
    if (names_elements(s, s->program->slots[cell + i].domain)) {
      return true;
    }
  }
  return false;
}

static uint32_t role_of(uint32_t cell, uint64_t what) {
  return (uint32_t)(clew_canon_mix(cell + 1, what) >> 33) | 1;
}

static void add_fields(struct clew_symmetry *s, struct clew_canon_class *c, uint32_t cell,
                       uint32_t cells, uint32_t low) {
  c->first_field = s->fields.len;
  for (uint32_t i = 0; i < cells; i++) {
    const struct clew_slot *slot = &s->program->slots[cell + i];
    if (slot->width == 0) {
      continue;
    }
    uint64_t mask = clew_bits_mask(slot->width);
    c->mask |= mask << (slot->bit - low);
    if (!names_elements(s, slot->domain)) {
      c->plain |= mask << (slot->bit - low);
      continue;
    }
    struct clew_canon_field f = {.mask = mask,
                                 .role = role_of(cell, i + 1),
                                 .first = add_naming(s, slot->domain, slot->undefinable),
                                 .shift = (uint8_t)(slot->bit - low)};
    clew_vec_push(&s->fields, f);
    c->field_count++;
    c->anonymous &= s->named.data[f.first] == CLEW_CANON_NO_ELEMENT;
  }
}

/* The element that is index `offset` of a dimension, or NO_ELEMENT. */
static uint8_t index_element(const struct clew_symmetry *s, const struct dim *dim,
                             uint32_t offset) {
  return (uint8_t)(names_elements(s, dim->domain)
                       ? element_of_value(s, dim->domain->lo + (int64_t)offset)
                       : CLEW_CANON_NO_ELEMENT);
}

static void add_items(struct clew_symmetry *s, struct clew_canon_class *c, const struct dim *dims,
                      uint32_t dim_count, uint32_t cell, uint32_t cells) {
  uint32_t position = s->inside_bag > 0 ? s->inside_bag - 1 : UINT32_MAX;
  for (uint32_t q = 0; q < c->item_count; q++) {
    uint32_t own = item_cell(dims, dim_count, cell, q);
    struct clew_canon_item item = {.bit = lowest_bit(s->program->slots + own, cells),
                                   .seed = clew_canon_mix(cell + 1, 0)};
    memset(item.element, CLEW_CANON_NO_ELEMENT, sizeof item.element);
    for (uint32_t d = 0; d < dim_count; d++) {
      uint32_t offset = item_offset(dims, dim_count, q, d);
      item.element[d] = index_element(s, &dims[d], offset);
      if (item.element[d] == CLEW_CANON_NO_ELEMENT && d != position) {
        item.seed = clew_canon_mix(item.seed, offset);
      }
    }
    item.seed |= 1;
    if (q == 0) {
      c->word = item.bit / 64;
    } else if (c->word != item.bit / 64) {
      c->word = CLEW_CANON_WORDS;
    }
    clew_vec_push(&s->items, item);
    if (c->kind != CLEW_CANON_PLACE) {
      s->fixed[item.bit / 64] &= ~(c->mask << (item.bit % 64));
    }
  }
}

/* Sets the kind of a class whose fields are known, and the dimension that owns its items. */
static void classify(const struct clew_symmetry *s, struct clew_canon_class *c,
                     const struct dim *dims) {
  uint32_t owners = 0;
  for (uint32_t d = 0; d < c->dim_count; d++) {
    if (names_elements(s, dims[d].domain)) {
      owners++;
      c->owner = (uint8_t)d;
    }
  }
  c->kind = CLEW_CANON_LINK;
  if (s->inside_bag == 0 && owners == 0) {
    c->kind = CLEW_CANON_PLACE;
  } else if (s->inside_bag == 0 && owners == 1 && c->field_count == 0) {
    c->kind = CLEW_CANON_OWN;
  }
}

static void add_class(struct clew_symmetry *s, const struct dim *dims, uint32_t dim_count,
                      uint32_t cell, uint32_t cells) {
  uint32_t low = lowest_bit(s->program->slots + cell, cells);
  if (low == UINT32_MAX) {
    return;
  }
  struct clew_canon_class c = {.first_item = s->items.len,
                               .item_count = item_total(dims, dim_count),
                               .dim_count = dim_count,
                               .anonymous = true,
                               .sparse = item_total(dims, dim_count) > MANY_ITEMS,
                               .rest = UINT64_MAX}; /* no block has all 64 bits */
  uint32_t stride = c.item_count;
  for (uint32_t d = 0; d < dim_count; d++) {
    stride /= dims[d].count;
    c.dim_stride[d] = stride;
    c.dim_role[d] = role_of(cell, UINT64_C(1000000) + d);
  }
  add_fields(s, &c, cell, cells, low);
  classify(s, &c, dims);
  add_items(s, &c, dims, dim_count, cell, cells);
  if (s->inside_bag > 0) {
    clew_vec_push(&s->parts, c);
  } else {
    clew_vec_push(&s->classes, c);
  }
}

/* ---- Walking the types --------------------------------------------------------------------- */

static void walk(struct clew_symmetry *s, const struct clew_type *type, const struct dim *dims,
                 uint32_t dim_count, uint32_t cell);

static void walk_bag(struct clew_symmetry *s, const struct clew_type *type, const struct dim *dims,
                     uint32_t dim_count, uint32_t cell) {
  uint32_t cells = 1 + type->element->cells;
  struct dim inner[CLEW_CANON_DIMS];
  if (!concerns_elements(s, dims, dim_count, cell, cells)) {
    return;
  }
  if (dim_count == CLEW_CANON_DIMS || s->inside_bag > 0) {
    s->why = "a multiset lies too deep in arrays or in another multiset";
    return;
  }
  for (uint32_t d = 0; d < dim_count; d++) {
    inner[d] = dims[d];
  }
  inner[dim_count] = (struct dim){NULL, type->count, cells};
  s->inside_bag = dim_count + 1;
  struct clew_canon_bag bag = {.first_class = s->parts.len, .dim_count = dim_count};
  const struct clew_slot *presence = &s->program->slots[cell];
  bool whole = !type_splits(s, type->element) && is_block(s, inner, dim_count + 1, cell, cells) &&
               lowest_bit(presence, cells) == presence->bit;
  add_class(s, inner, dim_count + 1, cell, whole ? cells : 1);
  if (!whole) {
    walk(s, type->element, inner, dim_count + 1, cell + 1);
  }
  bag.part_count = s->parts.len - bag.first_class;
  clew_vec_push(&s->bags, bag);
  s->inside_bag = 0;
}

static void walk_array(struct clew_symmetry *s, const struct clew_type *type,
                       const struct dim *dims, uint32_t dim_count, uint32_t cell) {
  if (dim_count == CLEW_CANON_DIMS) { /* a plain index can be spelled out instead */
    if (names_elements(s, type->domain)) {
      s->why = "arrays over scalarsets are nested more than four deep";
      return;
    }
    for (uint32_t i = 0; i < type->count && s->why == NULL; i++) {
      walk(s, type->element, dims, dim_count, cell + i * type->element->cells);
    }
    return;
  }
  struct dim inner[CLEW_CANON_DIMS];
  for (uint32_t d = 0; d < dim_count; d++) {
    inner[d] = dims[d];
  }
  inner[dim_count] = (struct dim){type->domain, type->count, type->element->cells};
  walk(s, type->element, inner, dim_count + 1, cell);
}

static void walk(struct clew_symmetry *s, const struct clew_type *type, const struct dim *dims,
                 uint32_t dim_count, uint32_t cell) {
  if (s->why != NULL || type->cells == 0) {
    return;
  }
  bool splits = type_splits(s, type);
  if (!splits && s->inside_bag == 0 && !concerns_elements(s, dims, dim_count, cell, type->cells)) {
    return;
  }
  if (!splits && is_block(s, dims, dim_count, cell, type->cells)) {
    add_class(s, dims, dim_count, cell, type->cells);
    return;
  }
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    assert(splits); /* never: a single cell is a block */
    return;
  case CLEW_TYPE_ARRAY:
    walk_array(s, type, dims, dim_count, cell);
    return;
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++) {
      walk(s, type->fields[i].type, dims, dim_count, cell + type->fields[i].offset);
    }
    return;
  case CLEW_TYPE_BAG:
    walk_bag(s, type, dims, dim_count, cell);
    return;
  }
}

static void walk_variable(struct clew_symmetry *s, uint32_t number, const struct dim *dims,
                          uint32_t dim_count) {
  const struct clew_variable *v = &s->program->variables.data[number];
  if (!v->is_signal || !s->discrete) {
    walk(s, v->type, dims, dim_count, v->cell);
  }
}

/* The copies that begin with a variable, or NULL. */
static const struct clew_copies *copies_at(const struct clew_program *program, uint32_t variable) {
  for (uint32_t i = 0; i < program->copies.len; i++) {
    if (program->copies.data[i].first == variable) {
      return &program->copies.data[i];
    }
  }
  return NULL;
}

static uint32_t domain_count(const struct clew_domain *domain) {
  return (uint32_t)(domain->hi - domain->lo) + 1;
}

/* The dimensions of copies, as of an array; false when they are too many. Copies differ in their
 * cells as elements do. */
static bool copies_dims(const struct clew_program *program, const struct clew_copies *copies,
                        struct dim *dims) {
  const struct clew_variable *variables = program->variables.data;
  const struct clew_variable *last = &variables[copies->first + copies->count - 1];
  uint32_t stride = last->cell + last->type->cells - variables[copies->first].cell;
  if (copies->dim_count > CLEW_CANON_DIMS) {
    return false;
  }
  for (uint32_t d = copies->dim_count; d > 0; d--) {
    dims[d - 1] = (struct dim){copies->dims[d - 1], domain_count(copies->dims[d - 1]), stride};
    stride *= dims[d - 1].count;
  }
  return true;
}

/* Returns how many variables these are. */
static uint32_t walk_copies(struct clew_symmetry *s, const struct clew_copies *copies) {
  struct dim dims[CLEW_CANON_DIMS];
  if (!copies_dims(s->program, copies, dims)) {
    s->why = "processes have more than four parameters";
    return copies->count;
  }
  for (uint32_t i = 0; i < copies->count; i++) {
    walk_variable(s, copies->first + i, dims, copies->dim_count);
  }
  return copies->count * item_total(dims, copies->dim_count);
}

/* ---- The finished tables ------------------------------------------------------------------- */

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* What most items of the class contain in `state` is what says least about an element. */
static uint64_t commonest_block(const struct clew_symmetry *s, const struct clew_canon_class *c,
                                const uint64_t *state) {
  uint64_t *blocks = clew_alloc(c->item_count * sizeof *blocks);
  for (uint32_t q = 0; q < c->item_count; q++) {
    blocks[q] = clew_canon_get(state, s->items.data[c->first_item + q].bit, c->mask);
  }
  qsort(blocks, c->item_count, sizeof *blocks, compare_u64);
  uint64_t best = blocks[0];
  uint32_t best_run = 0, run = 0;
  for (uint32_t q = 0; q < c->item_count; q++) {
    run = q > 0 && blocks[q] == blocks[q - 1] ? run + 1 : 1;
    if (run > best_run) {
      best_run = run;
      best = blocks[q];
    }
  }
  clew_free(blocks);
  return best;
}

/* A block that names an element does say something, and must be read. */
static bool block_is_anonymous(const struct clew_symmetry *s, const struct clew_canon_class *c,
                               uint64_t block) {
  for (uint32_t i = 0; i < c->field_count; i++) {
    const struct clew_canon_field *f = &s->fields.data[c->first_field + i];
    uint64_t stored = (block >> f->shift) & f->mask;
    if (s->named.data[f->first + stored] != CLEW_CANON_NO_ELEMENT) {
      return false;
    }
  }
  return true;
}

static void choose_rests(struct clew_symmetry *s) {
  struct clew_succs succs;
  clew_succs_open(&succs, s->program->words, s->program->cover_count);
  succs.most = 1;
  clew_interp_init(s->program, &succs);
  for (uint32_t i = 0; i < s->classes.len && succs.count > 0; i++) {
    struct clew_canon_class *c = &s->classes.data[i];
    uint64_t block = commonest_block(s, c, succs.states);
    if (c->sparse && block_is_anonymous(s, c, block)) {
      c->rest = block;
    }
  }
  clew_succs_close(&succs);
}

/* The only element among the indices of an item, or NO_ELEMENT when there is none or are more. */
static uint8_t only_index(const struct clew_canon_item *item) {
  uint8_t only = CLEW_CANON_NO_ELEMENT;
  for (uint32_t d = 0; d < CLEW_CANON_DIMS; d++) {
    if (item->element[d] == CLEW_CANON_NO_ELEMENT) {
      continue;
    }
    if (only != CLEW_CANON_NO_ELEMENT) {
      return CLEW_CANON_NO_ELEMENT;
    }
    only = item->element[d];
  }
  return only;
}

static void list_own_items(struct clew_symmetry *s, uint32_t element_count, uint32_t class_count) {
  for (uint32_t e = 0; e < element_count; e++) {
    clew_vec_push(&s->own_first, s->own.len);
    for (uint32_t k = 0; k < class_count; k++) {
      const struct clew_canon_class *c = &s->classes.data[k];
      for (uint32_t q = 0; q < c->item_count; q++) {
        const struct clew_canon_item *item = &s->items.data[c->first_item + q];
        if (only_index(item) == e) {
          struct clew_canon_own own = {item->bit, c->mask};
          clew_vec_push(&s->own, own);
        }
      }
    }
  }
  clew_vec_push(&s->own_first, s->own.len);
}

/* How many links and members a state can have: every LINK once, with all its fields and indices. */
static void count_limits(const struct clew_symmetry *s, struct clew_canon *t) {
  for (uint32_t i = 0; i < s->classes.len; i++) {
    const struct clew_canon_class *c = &s->classes.data[i];
    if (c->kind == CLEW_CANON_LINK) {
      t->link_limit += c->item_count;
      t->member_limit += c->item_count * (c->field_count + c->dim_count);
    }
  }
}

static void finish_tables(struct clew_symmetry *s, bool fast) {
  uint32_t class_count = s->classes.len;
  choose_rests(s);
  for (uint32_t b = 0; b < s->bags.len; b++) {
    s->bags.data[b].first_class += class_count;
  }
  for (uint32_t i = 0; i < s->parts.len; i++) {
    clew_vec_push(&s->classes, s->parts.data[i]);
  }
  struct clew_canon t = {.words = s->discrete ? s->program->discrete_words : s->program->words,
                         .element_count = clew_vec_last(&s->set_first),
                         .set_count = s->set_first.len - 1,
                         .class_count = class_count,
                         .part_count = s->parts.len,
                         .bag_count = s->bags.len,
                         .named_count = s->named.len,
                         .fast = fast};
  count_limits(s, &t);
  t.set_first = s->set_first.data;
  t.named = s->named.data;
  t.says = s->says.data;
  for (uint32_t e = 0; e < CLEW_CANON_ELEMENTS; e++) {
    s->bit_of[e] = (uint64_t)1 << e;
  }
  t.bit_of = s->bit_of;
  t.classes = s->classes.data;
  t.fields = s->fields.data;
  t.items = s->items.data;
  t.bags = s->bags.data;
  t.fixed = s->fixed;
  list_own_items(s, t.element_count, class_count);
  t.own_first = s->own_first.data;
  t.own = s->own.data;
  s->tables = t;
}

/* Numbers the elements; false when there are none, or too many. */
static bool number_elements(struct clew_symmetry *s) {
  uint64_t count = 0;
  clew_vec_push(&s->set_first, 0);
  for (uint32_t i = 0; i < s->program->scalarsets.len; i++) {
    if (!is_permuted(&s->program->scalarsets.data[i])) {
      continue;
    }
    count += s->program->scalarsets.data[i].count;
    if (count > CLEW_CANON_ELEMENTS) {
      s->why = "the scalarsets have more than 64 members in all";
      return false;
    }
    clew_vec_push(&s->set_first, (uint8_t)count);
  }
  return count > 0;
}

/* "'A', 'B'" for all sets with this reason, from `first` on. */
static void put_sets(const struct clew_program *program, uint32_t first, struct clew_text *out) {
  const char *why = program->scalarsets.data[first].asymmetric;
  for (uint32_t i = first; i < program->scalarsets.len; i++) {
    const struct clew_scalarset *set = &program->scalarsets.data[i];
    if (set->count >= 2 && set->asymmetric != NULL && strcmp(set->asymmetric, why) == 0) {
      clew_text_printf(out, "%s'%s'", i == first ? "" : ", ", set->name);
    }
  }
}

void clew_symmetry_describe(const struct clew_program *program, const char *why,
                            struct clew_text *out) {
  if (why != NULL) {
    clew_text_printf(out, "no symmetry reduction: %s", why);
    return;
  }
  for (uint32_t i = 0; i < program->scalarsets.len; i++) {
    const struct clew_scalarset *set = &program->scalarsets.data[i];
    bool said = set->count < 2 || set->asymmetric == NULL;
    for (uint32_t j = 0; j < i && !said; j++) {
      const struct clew_scalarset *other = &program->scalarsets.data[j];
      said = other->count >= 2 && other->asymmetric != NULL &&
             strcmp(other->asymmetric, set->asymmetric) == 0;
    }
    if (!said) {
      clew_text_put(out, out->len == 0 ? "no symmetry reduction over " : "; nor over ");
      put_sets(program, i, out);
      clew_text_printf(out, ": %s", set->asymmetric);
    }
  }
}

static struct clew_symmetry *open_tables(const struct clew_program *program, bool fast,
                                         bool discrete, const char **why) {
  assert(program->words > 0);
  struct clew_symmetry *s = clew_alloc_zero(1, sizeof *s);
  s->program = program;
  s->discrete = discrete;
  s->fixed = clew_alloc(program->words * sizeof *s->fixed);
  memset(s->fixed, 0xff, program->words * sizeof *s->fixed);
  bool any = number_elements(s);
  if (any && program->asymmetric != NULL) {
    s->why = program->asymmetric;
  }
  uint32_t count;
  for (uint32_t i = 0; any && i < program->variables.len; i += count) {
    const struct clew_copies *copies = copies_at(program, i);
    count = 1;
    if (copies != NULL) {
      count = walk_copies(s, copies);
    } else {
      walk_variable(s, i, NULL, 0);
    }
  }
  *why = s->why;
  if (!any || s->why != NULL) {
    clew_symmetry_close(s);
    return NULL;
  }
  finish_tables(s, fast);
  return s;
}

struct clew_symmetry *clew_symmetry_open(const struct clew_program *program, bool fast,
                                         const char **why) {
  return open_tables(program, fast, false, why);
}

struct clew_symmetry *clew_symmetry_open_discrete(const struct clew_program *program,
                                                  const char **why) {
  return open_tables(program, false, true, why);
}

void clew_symmetry_close(struct clew_symmetry *s) {
  if (s == NULL) {
    return;
  }
  clew_vec_free(&s->classes);
  clew_vec_free(&s->parts);
  clew_vec_free(&s->fields);
  clew_vec_free(&s->items);
  clew_vec_free(&s->bags);
  clew_vec_free(&s->namings);
  clew_vec_free(&s->named);
  clew_vec_free(&s->says);
  clew_vec_free(&s->set_first);
  clew_vec_free(&s->own_first);
  clew_vec_free(&s->own);
  clew_free(s->fixed);
  clew_free(s);
}

/* ---- Slots --------------------------------------------------------------------------------- */

static void add_step(const struct clew_symmetry *s, const struct dim *dim, uint32_t offset,
                     struct clew_symmetry_slot *out) {
  uint8_t element = index_element(s, dim, offset);
  if (element != CLEW_CANON_NO_ELEMENT) {
    assert(out->count < CLEW_CANON_DIMS); /* or there would be no tables */
    out->element[out->count] = element;
    out->stride[out->count++] = dim->stride;
  }
}

/* From the first cell of something of the type to a cell in it. */
static void descend(const struct clew_symmetry *s, const struct clew_type *type, uint32_t cell,
                    struct clew_symmetry_slot *out) {
  while (type->kind != CLEW_TYPE_SCALAR) {
    assert(type->kind != CLEW_TYPE_BAG); /* whose elements have no indices */
    if (type->kind == CLEW_TYPE_ARRAY) {
      struct dim dim = {type->domain, type->count, type->element->cells};
      add_step(s, &dim, cell / dim.stride, out);
      cell %= dim.stride;
      type = type->element;
      continue;
    }
    uint32_t i = type->count - 1;
    while (type->fields[i].offset > cell) {
      i--;
    }
    cell -= type->fields[i].offset;
    type = type->fields[i].type;
  }
}

void clew_symmetry_find_slot(const struct clew_symmetry *s, uint32_t slot,
                             struct clew_symmetry_slot *out) {
  const struct clew_program *program = s->program;
  uint32_t number = 0;
  *out = (struct clew_symmetry_slot){0};
  while (number + 1 < program->variables.len && program->variables.data[number + 1].cell <= slot) {
    number++;
  }
  const struct clew_variable *variable = &program->variables.data[number];
  for (uint32_t i = 0; i < program->copies.len; i++) {
    const struct clew_copies *copies = &program->copies.data[i];
    struct dim dims[CLEW_CANON_DIMS];
    if (!copies_dims(program, copies, dims)) {
      continue;
    }
    uint32_t total = item_total(dims, copies->dim_count);
    if (number >= copies->first && number < copies->first + copies->count * total) {
      uint32_t copy = (number - copies->first) / copies->count;
      for (uint32_t d = 0; d < copies->dim_count; d++) {
        add_step(s, &dims[d], item_offset(dims, copies->dim_count, copy, d), out);
      }
    }
  }
  descend(s, variable->type, slot - variable->cell, out);
}

const struct clew_program *clew_symmetry_program(const struct clew_symmetry *symmetry) {
  return symmetry->program;
}

const struct clew_canon *clew_symmetry_tables(const struct clew_symmetry *symmetry) {
  return &symmetry->tables;
}
