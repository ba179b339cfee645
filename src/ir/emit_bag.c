/* Emitting C: bags. Adding and removing while a rule runs, and sorting what it leaves behind.
 *
 * The order is: present elements first, then the stored numbers of the cells, in order. The layout
 * keeps an element of at most 64 bits together as one *field*, its first cell lowest. Two fields
 * are compared without taking them apart: the lowest bit in which they differ lies in the first
 * cell in which they differ, a table gives the bits of that cell, and these decide. (Building an
 * integer with the cells in order of significance, per element, made sorting half of the time of
 * models with a network.) Wider elements are compared cell by cell.
 *
 * Bags of the same shape share one sorter. A bag whose words did not change is sorted already. */
#include <inttypes.h>

#include "ir/emit_int.h"

enum {
  MAX_FIELDS = 256,  /* a bag with more elements is sorted in place */
  MAX_UNROLLED = 16, /* elements of a bag that are read and written by straight code */
  MAX_CALLS = 8,     /* a rule that may write more bags than this has all of them looked at */
};

static struct clew_emit_spot presence_at(struct clew_emitter *e, const struct clew_emit_spot *bag,
                                         const char *position) {
  assert(bag->type->kind == CLEW_TYPE_BAG);
  return clew_emit_spot_step(e, bag, 0, position, bag->type->count, bag->type->element->cells + 1,
                             clew_type_cell(bag->type, 0));
}

static struct clew_emit_spot element_at(struct clew_emitter *e, const struct clew_emit_spot *bag,
                                        const char *position) {
  assert(bag->type->kind == CLEW_TYPE_BAG);
  return clew_emit_spot_step(e, bag, 1, position, bag->type->count, bag->type->element->cells + 1,
                             bag->type->element);
}

void clew_emit_bag_add(struct clew_emitter *e, struct clew_emit_spot *bag,
                       struct clew_emit_spot *element, uint32_t site) {
  clew_emit_spot_pin(e, element);
  clew_emit_spot_pin(e, bag);
  uint32_t count = bag->type->count;
  const char *position = clew_emit_text(e, "t%u", e->temps++);
  struct clew_emit_spot presence = presence_at(e, bag, position);
  assert(count > 0 && element->type->cells == bag->type->element->cells);
  clew_emit_line(e, "uint32_t %s = 0;", position);
  clew_emit_open(e, "while (%s < %" PRIu32 " && %s == 1)", position, count,
                 clew_emit_get(e, &presence, false).text);
  clew_emit_line(e, "%s++;", position);
  clew_emit_close(e);
  clew_emit_open(e, "if (CLEW_RT_RARE(%s == %" PRIu32 "))", position, count);
  clew_emit_fail(e, site);
  clew_emit_close(e);
  clew_emit_set(e, &presence, clew_frag_known(e, 1), false);
  struct clew_emit_spot to = element_at(e, bag, position);
  clew_emit_copy(e, &to, element);
}

void clew_emit_bag_remove(struct clew_emitter *e, struct clew_emit_spot *bag,
                          struct clew_frag position, bool checked, uint32_t site) {
  clew_emit_spot_pin(e, bag);
  position = clew_frag_pin(e, position);
  uint32_t count = bag->type->count;
  if (checked) {
    clew_emit_open(e, "if (CLEW_RT_RARE((uint64_t)%s >= %" PRIu32 "))", position.text, count);
    clew_emit_fail(e, site);
    clew_emit_close(e);
  }
  assert(count > 0);
  struct clew_emit_spot presence = presence_at(e, bag, position.text);
  struct clew_emit_spot element = element_at(e, bag, position.text);
  clew_emit_set(e, &presence, clew_frag_known(e, 0), false);
  clew_emit_reset(e, &element, true);
}

/* ---- Sorters --------------------------------------------------------------------------------- */

/* Whether every element lies in one word with its presence lowest, and the same way as the first
 * element of `like`. */
static bool bag_is_regular(const struct clew_program *program, const struct clew_bag *bag,
                           const struct clew_bag *like) {
  assert(bag->stride == like->stride);
  const struct clew_slot *first = &program->slots[like->slot];
  for (uint32_t i = 0; i < bag->count; i++) {
    const struct clew_slot *slots = &program->slots[bag->slot + i * bag->stride];
    for (uint32_t c = 0; c < bag->stride; c++)
      if (slots[c].width > 0 &&
          (slots[c].bit / 64 != slots[0].bit / 64 || slots[c].bit < slots[0].bit ||
           slots[c].bit - slots[0].bit != first[c].bit - first[0].bit))
        return false;
  }
  return true;
}

/* Whether the sorter of one serves the other too. */
static bool bags_alike(const struct clew_program *program, const struct clew_bag *a,
                       const struct clew_bag *b) {
  if (a->count != b->count || a->stride != b->stride)
    return false;
  for (uint32_t c = 0; c < a->stride; c++)
    if (program->slots[a->slot + c].width != program->slots[b->slot + c].width)
      return false;
  assert(a->stride > 0);
  return bag_is_regular(program, a, a) == bag_is_regular(program, b, a);
}

/* A bag's elements as fields are in fields[], the presence bit inverted, so that present ones are
 * less. This moves them there or back; `at` is the table of their positions, or they are known. */
static void move_fields(struct clew_emitter *e, const struct clew_bag *bag, bool known,
                        const char *mask, bool back) {
  if (!known || bag->count > MAX_UNROLLED) {
    clew_emit_open(e, "for (uint32_t i = 0; i < %" PRIu32 "; i++)", bag->count);
    clew_emit_line(e, "const uint32_t at = loc[slot + i * %" PRIu32 "];", bag->stride);
    clew_emit_line(e,
                   back ? "clew_rt_set(s, at, %s, fields[i] ^ 1);"
                        : "fields[i] = clew_rt_get(s, at, %s) ^ 1;",
                   mask);
    clew_emit_close(e);
    return;
  }
  for (uint32_t i = 0; i < bag->count; i++) {
    uint32_t bit = e->program->slots[bag->slot + i * bag->stride].bit;
    assert(bag->count <= MAX_UNROLLED);
    if (back)
      clew_emit_line(e, "clew_rt_set(s, %" PRIu32 ", %s, fields[%" PRIu32 "] ^ 1);", bit, mask, i);
    else
      clew_emit_line(e, "fields[%" PRIu32 "] = clew_rt_get(s, %" PRIu32 ", %s) ^ 1;", i, bit, mask);
  }
}

/* For each bit of a field: the bits of the cell it belongs to. */
static uint64_t put_cell_table(struct clew_emitter *e, const struct clew_bag *bag) {
  const struct clew_slot *slots = &e->program->slots[bag->slot];
  uint64_t cells[64] = {0}, field = 0;
  for (uint32_t c = 0; c < bag->stride; c++) {
    uint32_t away = slots[c].bit - slots[0].bit;
    if (slots[c].width == 0)
      continue;
    assert(away + slots[c].width <= 64);
    uint64_t mask = clew_bits_mask(slots[c].width) << away;
    field |= mask;
    for (uint32_t i = 0; i < slots[c].width; i++)
      cells[away + i] = mask;
  }
  clew_emit_open(e, "static const uint64_t cells[64] =");
  for (uint32_t i = 0; i < 64; i++)
    clew_emit_line(e, "%s,", clew_emit_bits(e, cells[i]));
  e->indent--;
  clew_emit_line(e, "};");
  return field;
}

/* `known`: no other bag shares this sorter. */
static void field_sorter(struct clew_emitter *e, const struct clew_bag *bag, bool known) {
  const char *mask = clew_emit_bits(e, put_cell_table(e, bag));
  assert(bag->count <= MAX_FIELDS);
  clew_emit_line(e, "uint64_t fields[%" PRIu32 "];", bag->count);
  move_fields(e, bag, known, mask, false);
  clew_emit_line(e, "if (!clew_rt_sort_fields(fields, %" PRIu32 ", cells)) return;", bag->count);
  move_fields(e, bag, known, mask, true);
}

static void cell_sorter(struct clew_emitter *e, const struct clew_bag *bag) {
  assert(bag->stride > 0);
  clew_emit_open(e, "static const uint64_t masks[%" PRIu32 "] =", bag->stride);
  for (uint32_t c = 0; c < bag->stride; c++)
    clew_emit_line(e, "%s,",
                   clew_emit_bits(e, clew_bits_mask(e->program->slots[bag->slot + c].width)));
  e->indent--;
  clew_emit_line(e, "};");
  clew_emit_line(e, "clew_rt_sort_cells(s, loc + slot, masks, %" PRIu32 ", %" PRIu32 ");",
                 bag->count, bag->stride);
}

static void put_sorter(struct clew_emitter *e, uint32_t number, const struct clew_bag *bag,
                       bool known) {
  assert(e->uses_locations);
  clew_emit_open(
      e, "static __attribute__((noinline)) void q%" PRIu32 "(uint64_t *s, uint32_t slot)", number);
  if (bag->count <= MAX_FIELDS && bag_is_regular(e->program, bag, bag))
    field_sorter(e, bag, known);
  else
    cell_sorter(e, bag);
  clew_emit_close(e);
}

/* The words that hold the bag. */
static void bag_words(const struct clew_program *program, const struct clew_bag *bag,
                      uint32_t *first, uint32_t *last) {
  assert(bag->count > 0);
  *first = UINT32_MAX;
  *last = 0;
  for (uint32_t i = 0; i < bag->count * bag->stride; i++) {
    const struct clew_slot *slot = &program->slots[bag->slot + i];
    if (slot->width == 0)
      continue;
    *first = slot->bit / 64 < *first ? slot->bit / 64 : *first;
    *last = slot->bit / 64 > *last ? slot->bit / 64 : *last;
  }
}

static void sort_one(struct clew_emitter *e, uint32_t bag) {
  uint32_t first, last;
  bag_words(e->program, &e->program->bags.data[bag], &first, &last);
  assert(first <= last);
  clew_emit_line(
      e, "if (clew_rt_differ(p, s, %" PRIu32 ", %" PRIu32 ")) q%" PRIu32 "(p, %" PRIu32 ");", first,
      last, e->sorters[bag], e->program->bags.data[bag].slot);
}

/* All bags; runs of the same kind are a loop over a table. */
static void put_sort_all(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  clew_emit_open(e, "static const uint32_t bags[%" PRIu32 "][3] =", program->bags.len);
  for (uint32_t i = 0; i < program->bags.len; i++) {
    uint32_t first, last;
    bag_words(program, &program->bags.data[i], &first, &last);
    clew_emit_line(e, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},", program->bags.data[i].slot, first,
                   last);
  }
  e->indent--;
  clew_emit_line(e, "};");
  clew_emit_open(e,
                 "static __attribute__((noinline)) void sort_all(uint64_t *p, const uint64_t *s)");
  for (uint32_t from = 0, to; from < program->bags.len; from = to) {
    for (to = from + 1; to < program->bags.len && e->sorters[to] == e->sorters[from]; to++)
      continue;
    assert(to > from);
    clew_emit_open(e, "for (uint32_t i = %" PRIu32 "; i < %" PRIu32 "; i++)", from, to);
    clew_emit_line(e,
                   "if (clew_rt_differ(p, s, bags[i][1], bags[i][2])) q%" PRIu32 "(p, bags[i][0]);",
                   e->sorters[from]);
    clew_emit_close(e);
  }
  clew_emit_close(e);
}

struct kind {
  uint32_t bag;   /* the first */
  uint32_t count; /* of bags */
};

typedef CLEW_VEC(struct kind) kind_list;

/* The sorter of each bag; the first bag of each kind is in `kinds`. */
static void find_kinds(struct clew_emitter *e, kind_list *kinds) {
  const struct clew_program *program = e->program;
  e->sorters = CLEW_NEW_ARRAY(e->arena, uint32_t, program->bags.len);
  for (uint32_t i = 0; i < program->bags.len; i++) {
    const struct clew_bag *bag = &program->bags.data[i];
    uint32_t kind = 0;
    while (kind < kinds->len &&
           !bags_alike(program, &program->bags.data[kinds->data[kind].bag], bag))
      kind++;
    if (kind == kinds->len) {
      struct kind fresh = {i, 0};
      clew_vec_push(kinds, fresh);
    }
    kinds->data[kind].count++;
    e->sorters[i] = kind;
  }
  assert(kinds->len > 0);
}

void clew_emit_sorters(struct clew_emitter *e) {
  const struct clew_program *program = e->program;
  kind_list kinds = {0};
  if (program->bags.len == 0)
    return;
  e->uses_locations = true;
  find_kinds(e, &kinds);
  for (uint32_t i = 0; i < kinds.len; i++)
    put_sorter(e, i, &program->bags.data[kinds.data[i].bag], kinds.data[i].count == 1);
  assert(e->sorters != NULL);
  clew_vec_free(&kinds);
  if (program->bags.len > MAX_CALLS)
    put_sort_all(e);
}

void clew_emit_sort(struct clew_emitter *e, const uint64_t *bags) {
  uint32_t count = clew_bitset_count(bags, CLEW_BITSET_WORDS(e->program->bags.len));
  assert(e->program->bags.len > 0 || count == 0);
  if (count > MAX_CALLS) {
    clew_emit_line(e, "sort_all(p, s);");
    return;
  }
  for (uint32_t i = 0; i < e->program->bags.len; i++)
    if (clew_bitset_has(bags, i))
      sort_one(e, i);
}
