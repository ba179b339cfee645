/* The interpreter's view of memory: evaluating places, and what is done to whole blocks of cells
 * (copying, comparing, clearing) and to bags.
 *
 * Cells mean the same in the state and in a frame, so every operation here works cell by cell on
 * values. The value of an all-zero slot ("undefined, or else least") is what absent elements of a
 * bag hold in a frame too. */
#include <string.h>

#include "ir/explain_int.h"
#include "ir/interp_int.h"

/* How many cells a dynamic index adds. The range is checked even where it was proved: after a fault
 * values need not lie in the range of their expression. */
static uint32_t index_offset(struct clew_interp *in, const struct clew_index *index) {
  assert(index->count > 0);
  int64_t value = clew_interp_eval(in, index->value);
  uint64_t position = (uint64_t)value - (uint64_t)index->lo;
  if (value < index->lo || position >= index->count) {
    clew_explain_index(in, index, value);
    clew_interp_fault(in, index->site);
    return 0;
  }
  return (uint32_t)position * index->stride;
}

struct clew_spot clew_interp_locate(struct clew_interp *in, const struct clew_place *place) {
  uint32_t cell = place->offset;
  for (uint32_t i = 0; i < place->index_count; i++)
    cell += index_offset(in, &place->indices[i]);
  switch (place->space) {
  case CLEW_SPACE_STATE:
    assert(place->base + cell + place->type->cells <= in->program->slot_count);
    return (struct clew_spot){NULL, place->base + cell};
  case CLEW_SPACE_FRAME:
    return (struct clew_spot){in->cells + place->base + cell, 0};
  case CLEW_SPACE_REF:
    break;
  }
  assert(place->space == CLEW_SPACE_REF && in->refs != NULL);
  return clew_spot_shift(in->refs[place->base], cell);
}

void clew_interp_set(struct clew_interp *in, struct clew_spot spot, int64_t value) {
  if (spot.cells != NULL) {
    *spot.cells = value;
    return;
  }
  assert(spot.slot < in->program->slot_count);
  const struct clew_slot *slot = &in->slots[spot.slot];
  uint64_t raw = 0;
  /* A cell that cannot be undefined becomes least when an uninitialised frame is copied to it. */
  if (value != CLEW_UNDEFINED)
    raw = (uint64_t)value - (uint64_t)slot->domain->lo + slot->undefinable;
  clew_slot_set_raw(slot, in->state, raw);
}

bool clew_interp_equal(const struct clew_interp *in, struct clew_spot a, struct clew_spot b,
                       uint32_t cells) {
  for (uint32_t i = 0; i < cells; i++)
    if (clew_interp_get(in, clew_spot_shift(a, i)) != clew_interp_get(in, clew_spot_shift(b, i)))
      return false;
  return true;
}

/* Whether copying upwards would overwrite cells that are still to be read. */
static bool overlaps_above(struct clew_spot to, struct clew_spot from) {
  if (to.cells != NULL && from.cells != NULL)
    return (uintptr_t)to.cells > (uintptr_t)from.cells;
  return to.cells == NULL && from.cells == NULL && to.slot > from.slot;
}

void clew_interp_copy(struct clew_interp *in, struct clew_spot to, struct clew_spot from,
                      uint32_t cells) {
  assert(to.cells != NULL || to.slot + cells <= in->program->slot_count);
  assert(from.cells != NULL || from.slot + cells <= in->program->slot_count);
  bool down = overlaps_above(to, from);
  for (uint32_t i = 0; i < cells; i++) {
    uint32_t cell = down ? cells - 1 - i : i;
    int64_t value = clew_interp_get(in, clew_spot_shift(from, cell));
    clew_interp_set(in, clew_spot_shift(to, cell), value);
  }
}

static int64_t least(const struct clew_type *scalar, bool undefine) {
  assert(scalar->kind == CLEW_TYPE_SCALAR);
  return undefine && scalar->undefinable ? CLEW_UNDEFINED : scalar->domain->lo;
}

/* Gives every cell its least value, or (undefine) makes those undefined that can be. */
static void reset(struct clew_interp *in, struct clew_spot spot, const struct clew_type *type,
                  bool undefine) {
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    clew_interp_set(in, spot, least(type, undefine));
    return;
  case CLEW_TYPE_ARRAY:
    for (uint32_t i = 0; i < type->count; i++)
      reset(in, clew_spot_shift(spot, i * type->element->cells), type->element, undefine);
    return;
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++)
      reset(in, clew_spot_shift(spot, type->fields[i].offset), type->fields[i].type, undefine);
    return;
  case CLEW_TYPE_BAG:
    for (uint32_t i = 0; i < type->count; i++)
      clew_interp_bag_remove(in, spot, type, i);
    return;
  }
  assert(false && "a kind of type");
}

void clew_interp_clear(struct clew_interp *in, struct clew_spot spot,
                       const struct clew_type *type) {
  reset(in, spot, type, false);
}

void clew_interp_undefine(struct clew_interp *in, struct clew_spot spot,
                          const struct clew_type *type) {
  reset(in, spot, type, true);
}

/* ---- Bags ----------------------------------------------------------------------------------- */

bool clew_interp_bag_add(struct clew_interp *in, struct clew_spot bag, const struct clew_type *type,
                         struct clew_spot element) {
  assert(type->kind == CLEW_TYPE_BAG);
  uint32_t stride = type->element->cells + 1;
  for (uint32_t i = 0; i < type->count; i++) {
    struct clew_spot presence = clew_spot_shift(bag, i * stride);
    if (clew_interp_get(in, presence) == 1)
      continue;
    clew_interp_set(in, presence, 1);
    clew_interp_copy(in, clew_spot_shift(presence, 1), element, type->element->cells);
    return true;
  }
  return false;
}

void clew_interp_bag_remove(struct clew_interp *in, struct clew_spot bag,
                            const struct clew_type *type, uint32_t position) {
  assert(type->kind == CLEW_TYPE_BAG && position < type->count);
  struct clew_spot presence = clew_spot_shift(bag, position * (type->element->cells + 1));
  clew_interp_set(in, presence, 0);
  reset(in, clew_spot_shift(presence, 1), type->element, true);
}

/* Whether the element at slot `a` has to stand behind the one at slot `b`. */
static bool element_after(const struct clew_interp *in, uint32_t a, uint32_t b, uint32_t stride) {
  uint64_t a_present = clew_slot_raw(&in->slots[a], in->state);
  uint64_t b_present = clew_slot_raw(&in->slots[b], in->state);
  if (a_present != b_present)
    return a_present < b_present;
  for (uint32_t i = 1; i < stride; i++) {
    uint64_t a_raw = clew_slot_raw(&in->slots[a + i], in->state);
    uint64_t b_raw = clew_slot_raw(&in->slots[b + i], in->state);
    if (a_raw != b_raw)
      return a_raw > b_raw;
  }
  return false;
}

static void element_swap(struct clew_interp *in, uint32_t a, uint32_t b, uint32_t stride) {
  assert(a + stride <= b);
  for (uint32_t i = 0; i < stride; i++) {
    uint64_t raw = clew_slot_raw(&in->slots[a + i], in->state);
    clew_slot_set_raw(&in->slots[a + i], in->state, clew_slot_raw(&in->slots[b + i], in->state));
    clew_slot_set_raw(&in->slots[b + i], in->state, raw);
  }
}

/* Insertion sort: a rule moves few elements of a bag that was sorted before it. */
static void bag_sort(struct clew_interp *in, const struct clew_bag *bag) {
  assert(bag->slot + bag->count * bag->stride <= in->program->slot_count);
  uint32_t end = bag->slot + bag->count * bag->stride;
  for (uint32_t next = bag->slot + bag->stride; next < end; next += bag->stride)
    for (uint32_t at = next; at > bag->slot; at -= bag->stride) {
      if (!element_after(in, at - bag->stride, at, bag->stride))
        break;
      element_swap(in, at - bag->stride, at, bag->stride);
    }
}

void clew_interp_sort_bags(struct clew_interp *in) {
  for (uint32_t i = 0; i < in->program->bags.len; i++)
    bag_sort(in, &in->program->bags.data[i]);
}
