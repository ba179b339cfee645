/* The layout of a state: which bits of which word each slot has.
 *
 * First every cell gets its width, its name and its presence slot; then the cells are cut into
 * *items*, runs of consecutive cells that stay together, and the items are packed into words by
 * best fit, largest first. An item is an aggregate of at most 64 bits, or as many elements of a
 * larger array as fit into a word: so the elements of an array have a regular stride in each word,
 * and an element of a bag is one bit field. When whole aggregates waste words (three of 40 bits),
 * finer cuts are tried, and the coarsest of those that need (nearly) the fewest words is kept. The
 * word with the most room comes last, filled from its low end, so that a store need not keep its
 * empty bytes.
 *
 * Everything is linear in the number of cells: the widths are summed once, the items are sorted by
 * counting, and the words with room are kept in one list for each number of free bits.
 *
 * Invariant: no slot straddles a word, no two slots overlap, state_bits is the sum of the widths.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "ir/ir_int.h"

enum { WORD_BITS = 64, NAME_BYTES = 255, SPARE = 16 };

/* Cells first .. first+cells-1, placed together. */
struct item {
  uint32_t first, cells;
  uint32_t bits; /* 1..64 */
};

struct layout {
  struct clew_program *program;
  struct clew_slot *slots;
  const struct clew_type **types;
  uint32_t slot_count, filled;
  struct clew_text path;
  bool is_hidden; /* the variable whose cells are filled now; where it is declared: */
  uint32_t declared;
  uint64_t *sums; /* sums[i]: bits of the cells before i */
  struct item *items;
  uint32_t item_count;
  bool is_signals;     /* the part that is packed now: the signals, or all the others */
  uint32_t first_word; /* of this part */
  uint32_t words;      /* of it */
};

/* ---- Cells -------------------------------------------------------------------------------- */

static uint32_t cell_width(const struct clew_type *type) {
  assert(type->kind == CLEW_TYPE_SCALAR);
  uint64_t max = clew_domain_size(type->domain) - 1;
  return clew_bits_for(type->undefinable ? max + 1 : max);
}

/* Paths are bounded: long names in nested types must not cost more than the slots do. */
static void path_put(struct layout *layout, const char *s) {
  assert(layout->path.len <= NAME_BYTES);
  clew_text_put_n(&layout->path, s, strnlen(s, NAME_BYTES - layout->path.len));
}

static void path_put_index(struct layout *layout, const struct clew_domain *domain, uint32_t i) {
  path_put(layout, "[");
  if (domain != NULL && domain->names != NULL) {
    path_put(layout, domain->names[i]);
  } else {
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, (domain == NULL ? 0 : domain->lo) + (int64_t)i);
    path_put(layout, number);
  }
  path_put(layout, "]");
  assert(layout->path.len <= NAME_BYTES);
}

static void path_cut(struct layout *layout, size_t length) {
  assert(length <= layout->path.len);
  layout->path.len = length;
  layout->path.data[length] = '\0';
}

static const char *path_copy(struct layout *layout) {
  size_t length = layout->path.len;
  assert(length > 0 && length <= NAME_BYTES);
  if (length < NAME_BYTES) {
    return clew_arena_strndup(layout->program->arena, layout->path.data, length);
  }
  length -= 3;
  while (((unsigned char)layout->path.data[length] & 0xc0) == 0x80) {
    length--; /* not within a UTF-8 character */
  }
  return clew_arena_printf(layout->program->arena, "%.*s...", (int)length, layout->path.data);
}

static uint32_t fill_scalar(struct layout *layout, const struct clew_type *type, bool hidden,
                            uint32_t presence) {
  uint32_t i = layout->filled++;
  assert(i < layout->slot_count);
  uint32_t width = cell_width(type);
  layout->types[i] = type;
  layout->slots[i] = (struct clew_slot){.name = path_copy(layout),
                                        .domain = type->domain,
                                        .width = width,
                                        .undefinable = type->undefinable,
                                        .hidden = hidden,
                                        .presence = presence,
                                        .declared = layout->declared};
  layout->sums[i + 1] = layout->sums[i] + width;
  return i;
}

static void fill(struct layout *layout, const struct clew_type *type, uint32_t presence);

static void fill_bag(struct layout *layout, const struct clew_type *type, uint32_t presence) {
  assert(type->kind == CLEW_TYPE_BAG);
  size_t length = layout->path.len;
  struct clew_bag bag = {
      .slot = layout->filled, .count = type->count, .stride = 1 + type->element->cells};
  for (uint32_t i = 0; i < type->count; i++) {
    path_put_index(layout, NULL, i);
    uint32_t own = fill_scalar(layout, clew_type_presence(), true, presence);
    fill(layout, type->element, own);
    path_cut(layout, length);
  }
  clew_vec_push(&layout->program->bags, bag);
}

static void fill(struct layout *layout, const struct clew_type *type, uint32_t presence) {
  size_t length = layout->path.len;
  assert(layout->filled + type->cells <= layout->slot_count);
  if (type->cells == 0) {
    return;
  }
  switch (type->kind) {
  case CLEW_TYPE_SCALAR:
    fill_scalar(layout, type, layout->is_hidden, presence);
    break;
  case CLEW_TYPE_ARRAY:
    for (uint32_t i = 0; i < type->count; i++) {
      path_put_index(layout, type->domain, i);
      fill(layout, type->element, presence);
      path_cut(layout, length);
    }
    break;
  case CLEW_TYPE_RECORD:
    for (uint32_t i = 0; i < type->count; i++) {
      path_put(layout, ".");
      path_put(layout, type->fields[i].name);
      fill(layout, type->fields[i].type, presence);
      path_cut(layout, length);
    }
    break;
  case CLEW_TYPE_BAG:
    fill_bag(layout, type, presence);
    break;
  }
}

static void fill_all(struct layout *layout) {
  const struct clew_program *program = layout->program;
  for (uint32_t i = 0; i < program->variables.len; i++) {
    const struct clew_variable *variable = &program->variables.data[i];
    assert(variable->cell == layout->filled);
    clew_text_clear(&layout->path);
    path_put(layout, variable->name);
    layout->is_hidden = variable->is_hidden;
    layout->declared = variable->declared;
    fill(layout, variable->type, CLEW_NONE);
  }
  assert(layout->filled == layout->slot_count);
}

/* ---- Items -------------------------------------------------------------------------------- */

static uint64_t run_bits(const struct layout *layout, uint32_t first, uint32_t cells) {
  assert(first + cells <= layout->slot_count);
  return layout->sums[first + cells] - layout->sums[first];
}

static void add_item(struct layout *layout, uint32_t first, uint32_t cells) {
  uint64_t bits = run_bits(layout, first, cells);
  assert(bits <= WORD_BITS);
  if (bits > 0) {
    layout->items[layout->item_count++] =
        (struct item){.first = first, .cells = cells, .bits = (uint32_t)bits};
  }
}

/* `count` elements of `cells` cells and `bits` bits each, as many in an item as `limit` allows. */
static void add_elements(struct layout *layout, uint32_t first, uint32_t count, uint32_t cells,
                         uint64_t bits, uint32_t limit) {
  assert(bits > 0 && bits <= limit && limit <= WORD_BITS);
  uint32_t together = limit / (uint32_t)bits;
  for (uint32_t i = 0; i < count; i += together) {
    uint32_t n = count - i < together ? count - i : together;
    add_item(layout, first + i * cells, n * cells);
  }
}

/* Cuts the cells of the type that start at `first` into items of at most `limit` bits, where they
 * can be cut. */
static void cut(struct layout *layout, const struct clew_type *type, uint32_t first,
                uint32_t limit) {
  if (type->kind == CLEW_TYPE_SCALAR || run_bits(layout, first, type->cells) <= limit) {
    add_item(layout, first, type->cells);
    return;
  }
  if (type->kind == CLEW_TYPE_RECORD) {
    for (uint32_t i = 0; i < type->count; i++) {
      cut(layout, type->fields[i].type, first + type->fields[i].offset, limit);
    }
    return;
  }
  bool bag = type->kind == CLEW_TYPE_BAG;
  uint32_t cells = type->element->cells + bag;
  uint64_t bits = run_bits(layout, first, cells);
  if (bits <= limit) {
    add_elements(layout, first, type->count, cells, bits, limit);
    return;
  }
  for (uint32_t i = 0; i < type->count; i++) {
    uint32_t element = first + i * cells;
    if (bag) {
      add_item(layout, element, 1);
    }
    cut(layout, type->element, element + bag, limit);
  }
}

/* Stable counting sort, largest first. */
static void sort_items(struct layout *layout) {
  uint32_t start[WORD_BITS + 2] = {0};
  for (uint32_t i = 0; i < layout->item_count; i++) {
    start[WORD_BITS - layout->items[i].bits + 1]++;
  }
  for (uint32_t b = 0; b <= WORD_BITS; b++) {
    start[b + 1] += start[b];
  }
  struct item *sorted = clew_alloc_zero((size_t)layout->item_count + 1, sizeof *sorted);
  for (uint32_t i = 0; i < layout->item_count; i++) {
    sorted[start[WORD_BITS - layout->items[i].bits]++] = layout->items[i];
  }
  assert(start[WORD_BITS] == layout->item_count);
  clew_free(layout->items);
  layout->items = sorted;
}

static void place_item(struct layout *layout, const struct item *item, uint32_t bit) {
  assert(bit % WORD_BITS + item->bits <= WORD_BITS);
  for (uint32_t i = item->first; i < item->first + item->cells; i++) {
    struct clew_slot *slot = &layout->slots[i];
    slot->bit = slot->width > 0 ? bit : 0;
    bit += slot->width;
  }
}

/* Cuts with `limit` and packs; sets the bits of all slots and the number of words. */
static void pack(struct layout *layout, uint32_t limit) {
  const struct clew_program *program = layout->program;
  clew_free(layout->items);
  layout->items = clew_alloc_zero((size_t)layout->slot_count + 1, sizeof *layout->items);
  layout->item_count = 0;
  for (uint32_t i = 0; i < program->variables.len; i++) {
    const struct clew_variable *variable = &program->variables.data[i];
    if (variable->is_signal == layout->is_signals) {
      cut(layout, variable->type, variable->cell, limit);
    }
  }
  assert(layout->item_count <= layout->slot_count);
  sort_items(layout);

  uint32_t head[WORD_BITS + 1]; /* head[f]: a word with f free bits, or CLEW_NONE */
  uint32_t *next = clew_alloc_zero((size_t)layout->item_count + 1, sizeof *next);
  memset(head, 0xff, sizeof head);
  layout->words = 0;
  for (uint32_t i = 0; i < layout->item_count; i++) {
    const struct item *item = &layout->items[i];
    uint32_t free_bits = item->bits;
    while (free_bits < WORD_BITS && head[free_bits] == CLEW_NONE) {
      free_bits++;
    }
    uint32_t word = head[free_bits];
    if (word == CLEW_NONE) {
      word = layout->words++;
    } else {
      head[free_bits] = next[word];
    }
    place_item(layout, item, (layout->first_word + word) * WORD_BITS + WORD_BITS - free_bits);
    free_bits -= item->bits;
    next[word] = head[free_bits];
    head[free_bits] = word;
  }
  clew_free(next);
}

static uint64_t part_bits(const struct layout *layout) {
  const struct clew_program *program = layout->program;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < program->variables.len; i++) {
    const struct clew_variable *variable = &program->variables.data[i];
    if (variable->is_signal == layout->is_signals) {
      bits += run_bits(layout, variable->cell, variable->type->cells);
    }
  }
  return bits;
}

static void pack_well(struct layout *layout) {
  uint64_t bits = part_bits(layout);
  uint64_t ideal = (bits + WORD_BITS - 1) / WORD_BITS;
  uint64_t enough = ideal + ideal / SPARE; /* aggregates that stay whole are worth a little */
  uint32_t best_limit = WORD_BITS, best_words = UINT32_MAX, limit = WORD_BITS;
  for (; limit > 0; limit /= 2) {
    pack(layout, limit);
    assert(layout->words >= ideal);
    if (layout->words < best_words) {
      best_words = layout->words;
      best_limit = limit;
    }
    if (best_words <= enough) {
      break;
    }
  }
  if (limit != best_limit) {
    pack(layout, best_limit);
  }
}

/* An item has at least one cell with bits, and all of these are in one word. */
static uint32_t word_of(const struct layout *layout, const struct item *item) {
  const struct clew_slot *slot = &layout->slots[item->first];
  while (slot->width == 0) {
    slot++;
  }
  return slot->bit / WORD_BITS;
}

static void move_item(struct layout *layout, const struct item *item, uint32_t word) {
  for (uint32_t i = item->first; i < item->first + item->cells; i++) {
    struct clew_slot *slot = &layout->slots[i];
    slot->bit = slot->width > 0 ? word * WORD_BITS + slot->bit % WORD_BITS : 0;
  }
}

/* Exchanges the word with the most free bits and the last one; there is only one part so far. */
static void put_emptiest_last(struct layout *layout) {
  assert(layout->first_word == 0);
  if (layout->words < 2) {
    return;
  }
  uint32_t *used = clew_alloc_zero(layout->words, sizeof *used);
  for (uint32_t i = 0; i < layout->item_count; i++) {
    used[word_of(layout, &layout->items[i])] += layout->items[i].bits;
  }
  uint32_t last = layout->words - 1, emptiest = last;
  for (uint32_t w = 0; w < layout->words; w++) {
    emptiest = used[w] < used[emptiest] ? w : emptiest;
  }
  for (uint32_t i = 0; i < layout->item_count; i++) {
    uint32_t word = word_of(layout, &layout->items[i]);
    if (word == last || word == emptiest) {
      move_item(layout, &layout->items[i], word == last ? emptiest : last);
    }
  }
  clew_free(used);
}

static uint32_t bytes_in_use(const struct layout *layout) {
  uint32_t end = 1;
  for (uint32_t i = 0; i < layout->slot_count; i++) {
    uint32_t slot_end = layout->slots[i].bit + layout->slots[i].width;
    end = slot_end > end ? slot_end : end;
  }
  return (end + 7) / 8;
}

/* ---- The whole ---------------------------------------------------------------------------- */

enum clew_status clew_layout(struct clew_program *program, struct clew_diag_sink *diags) {
  uint64_t cells = 0;
  for (uint32_t i = 0; i < program->variables.len; i++) {
    cells += program->variables.data[i].type->cells;
  }
  if (cells > CLEW_MAX_CELLS) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "the state has %" PRIu64 " variables (counting the elements of arrays and "
                    "records); the limit is %d",
                    cells, CLEW_MAX_CELLS);
    return CLEW_OVER_LIMIT;
  }
  struct layout layout = {.program = program, .slot_count = (uint32_t)cells};
  layout.slots = CLEW_NEW_ARRAY(program->arena, struct clew_slot, cells);
  layout.types = CLEW_NEW_ARRAY(program->arena, const struct clew_type *, cells);
  layout.sums = clew_alloc_zero(cells + 1, sizeof *layout.sums);
  fill_all(&layout);
  pack_well(&layout);
  put_emptiest_last(&layout);
  program->discrete_words = layout.words == 0 ? 1 : layout.words;
  layout.first_word = program->discrete_words;
  layout.is_signals = true;
  pack_well(&layout);

  program->slots = layout.slots;
  program->slot_types = layout.types;
  program->slot_count = layout.slot_count;
  program->state_bits = (uint32_t)layout.sums[layout.slot_count];
  program->words = program->discrete_words + layout.words;
  program->bytes = bytes_in_use(&layout);
  clew_text_free(&layout.path);
  clew_free(layout.sums);
  clew_free(layout.items);
  uint64_t bytes = (uint64_t)program->words * sizeof(uint64_t);
  if (bytes > CLEW_MAX_STATE_BYTES) {
    clew_diag_plain(diags, CLEW_ERROR, program->name,
                    "a state takes %" PRIu64 " bytes; the limit is %d", bytes,
                    CLEW_MAX_STATE_BYTES);
    return CLEW_OVER_LIMIT;
  }
  return CLEW_OK;
}

bool clew_layout_check(const struct clew_program *program) {
  uint64_t *taken = clew_alloc_zero(program->words, sizeof *taken);
  uint64_t bits = 0;
  bool good = program->words > 0;
  for (uint32_t i = 0; i < program->slot_count && good; i++) {
    const struct clew_slot *slot = &program->slots[i];
    uint32_t word = slot->bit / WORD_BITS, shift = slot->bit % WORD_BITS;
    good = word < program->words && shift + slot->width <= WORD_BITS;
    if (good) {
      uint64_t mask = clew_bits_mask(slot->width) << shift;
      good = (taken[word] & mask) == 0 && slot->width == cell_width(program->slot_types[i]);
      taken[word] |= mask;
      bits += slot->width;
    }
  }
  clew_free(taken);
  assert(!good || bits <= (uint64_t)program->words * WORD_BITS);
  return good && bits == program->state_bits;
}
