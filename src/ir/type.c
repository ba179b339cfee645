/* Types: trees over scalar cells. The constructors keep the number of cells and the depth within
 * their limits, which is what lets everything else count cells in 32 bits and recurse over types.
 *
 * Invariant: cells of an array = count * element cells; of a record, the sum of its fields, whose
 * offsets ascend; of a bag, count * (1 + element cells). */
#include <assert.h>

#include "ir/ir_int.h"

static const struct clew_domain presence_domain = {.name = NULL, .lo = 0, .hi = 1, .names = NULL};
static const struct clew_type presence_type = {
    .kind = CLEW_TYPE_SCALAR, .cells = 1, .domain = &presence_domain, .depth = 1};

const struct clew_type *clew_type_presence(void) {
  return &presence_type;
}

uint64_t clew_domain_size(const struct clew_domain *domain) {
  assert(domain->lo <= domain->hi && domain->lo > INT64_MIN);
  return (uint64_t)domain->hi - (uint64_t)domain->lo + 1;
}

const struct clew_type *clew_type_scalar(struct clew_arena *arena, const struct clew_domain *domain,
                                         bool undefinable) {
  assert(domain->lo <= domain->hi && domain->lo > INT64_MIN);
  struct clew_type *type = CLEW_NEW(arena, struct clew_type);
  *type = (struct clew_type){.kind = CLEW_TYPE_SCALAR,
                             .cells = 1,
                             .domain = domain,
                             .undefinable = undefinable,
                             .depth = 1};
  return type;
}

/* `count` elements of `each` cells, or NULL. An element without cells still counts as one, so that
 * a number of elements fits wherever a number of cells does. */
static struct clew_type *type_repeat(struct clew_arena *arena, enum clew_type_kind kind,
                                     const struct clew_type *element, uint64_t count,
                                     uint32_t each) {
  assert(element != NULL && count > 0);
  if (count > CLEW_MAX_CELLS || count * each > CLEW_MAX_CELLS ||
      element->depth >= CLEW_MAX_TYPE_DEPTH) {
    return NULL;
  }
  struct clew_type *type = CLEW_NEW(arena, struct clew_type);
  *type = (struct clew_type){.kind = kind,
                             .cells = (uint32_t)count * each,
                             .element = element,
                             .count = (uint32_t)count,
                             .depth = element->depth + 1};
  return type;
}

const struct clew_type *clew_type_array(struct clew_arena *arena, const struct clew_domain *index,
                                        const struct clew_type *element) {
  assert(element != NULL);
  struct clew_type *type =
      type_repeat(arena, CLEW_TYPE_ARRAY, element, clew_domain_size(index), element->cells);
  if (type != NULL) {
    type->domain = index;
  }
  return type;
}

const struct clew_type *clew_type_bag(struct clew_arena *arena, uint32_t capacity,
                                      const struct clew_type *element) {
  assert(element != NULL && capacity > 0);
  return type_repeat(arena, CLEW_TYPE_BAG, element, capacity, 1 + element->cells);
}

const struct clew_type *clew_type_record(struct clew_arena *arena, const char *const *names,
                                         const struct clew_type *const *types, uint32_t count) {
  uint64_t cells = 0;
  uint32_t depth = 0;
  struct clew_field *fields = CLEW_NEW_ARRAY(arena, struct clew_field, count);
  for (uint32_t i = 0; i < count; i++) {
    assert(types[i] != NULL && types[i]->cells <= CLEW_MAX_CELLS);
    if (cells > CLEW_MAX_CELLS) {
      break;
    }
    fields[i] = (struct clew_field){.name = names[i], .type = types[i], .offset = (uint32_t)cells};
    cells += types[i]->cells;
    depth = depth < types[i]->depth ? types[i]->depth : depth;
  }
  if (cells > CLEW_MAX_CELLS || depth >= CLEW_MAX_TYPE_DEPTH) {
    return NULL;
  }
  struct clew_type *type = CLEW_NEW(arena, struct clew_type);
  *type = (struct clew_type){.kind = CLEW_TYPE_RECORD,
                             .cells = (uint32_t)cells,
                             .count = count,
                             .fields = fields,
                             .depth = depth + 1};
  return type;
}

bool clew_domain_same(const struct clew_domain *a, const struct clew_domain *b) {
  assert(a != NULL && b != NULL);
  return a->lo == b->lo && a->hi == b->hi;
}

static bool same_cells(const struct clew_type *a, const struct clew_type *b) {
  assert(a->cells == b->cells);
  for (uint32_t i = 0; i < a->cells; i++) {
    const struct clew_type *x = clew_type_cell(a, i), *y = clew_type_cell(b, i);
    if (!clew_domain_same(x->domain, y->domain) || x->undefinable != y->undefinable) {
      return false;
    }
  }
  return true;
}

static bool same_fields(const struct clew_type *a, const struct clew_type *b) {
  assert(a->count == b->count);
  for (uint32_t i = 0; i < a->count; i++) {
    if (!clew_type_same_shape(a->fields[i].type, b->fields[i].type)) {
      return false;
    }
  }
  return true;
}

bool clew_type_same_shape(const struct clew_type *a, const struct clew_type *b) {
  if (a == b) {
    return true;
  }
  if (a->cells != b->cells) {
    return false;
  }
  /* Trees of the same form are compared as trees, so that big arrays cost one element; others,
   * such as a record of three and an array of three, cell by cell. */
  if (a->kind == b->kind && a->count == b->count) {
    switch (a->kind) {
    case CLEW_TYPE_SCALAR:
      return clew_domain_same(a->domain, b->domain) && a->undefinable == b->undefinable;
    case CLEW_TYPE_ARRAY:
    case CLEW_TYPE_BAG:
      return clew_type_same_shape(a->element, b->element);
    case CLEW_TYPE_RECORD:
      if (same_fields(a, b)) {
        return true;
      }
      break;
    }
  }
  return same_cells(a, b);
}

/* The field that holds the cell: the last one that does not start behind it (earlier ones that
 * start there too have no cells). */
static const struct clew_field *field_of_cell(const struct clew_type *record, uint32_t cell) {
  uint32_t low = 0, high = record->count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (record->fields[middle].offset <= cell) {
      low = middle;
    } else {
      high = middle;
    }
  }
  assert(cell - record->fields[low].offset < record->fields[low].type->cells);
  return &record->fields[low];
}

const struct clew_type *clew_type_cell(const struct clew_type *type, uint32_t cell) {
  for (;;) {
    assert(cell < type->cells);
    switch (type->kind) {
    case CLEW_TYPE_SCALAR:
      return type;
    case CLEW_TYPE_ARRAY:
      type = type->element;
      cell %= type->cells;
      break;
    case CLEW_TYPE_RECORD: {
      const struct clew_field *field = field_of_cell(type, cell);
      type = field->type;
      cell -= field->offset;
      break;
    }
    case CLEW_TYPE_BAG:
      cell %= 1 + type->element->cells;
      if (cell == 0) {
        return &presence_type;
      }
      type = type->element;
      cell--;
      break;
    }
  }
}
