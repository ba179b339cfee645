/* Places: where a cell or a block of cells is. The constant part of a path collects in `offset`;
 * each index that is not constant becomes one entry of `indices`. */
#include <assert.h>
#include <string.h>

#include "ir/ir_int.h"

struct clew_place clew_place_state(const struct clew_program *program, uint32_t variable) {
  assert(variable < program->variables.len);
  const struct clew_variable *v = &program->variables.data[variable];
  return (struct clew_place){.space = CLEW_SPACE_STATE, .base = v->cell, .type = v->type};
}

struct clew_place clew_place_frame(const struct clew_frame *frame, uint32_t variable) {
  assert(variable < frame->variables.len);
  const struct clew_variable *v = &frame->variables.data[variable];
  return (struct clew_place){.space = CLEW_SPACE_FRAME, .base = v->cell, .type = v->type};
}

struct clew_place clew_place_ref(const struct clew_function *function, uint32_t parameter) {
  assert(parameter < function->reference_count);
  return (struct clew_place){
      .space = CLEW_SPACE_REF, .base = parameter, .type = function->references[parameter].type};
}

struct clew_place clew_place_field(struct clew_place place, uint32_t field) {
  assert(place.type->kind == CLEW_TYPE_RECORD && field < place.type->count);
  place.offset += place.type->fields[field].offset;
  place.type = place.type->fields[field].type;
  return place;
}

/* Adds (index - lo) * stride, as a constant if it is one. */
static struct clew_place place_step(struct clew_program *program, struct clew_place place,
                                    const struct clew_expr *value, int64_t lo, uint32_t stride,
                                    uint32_t site) {
  uint32_t count = place.type->count;
  int64_t hi = lo + (int64_t)(count - 1);
  assert(count > 0 && hi >= lo);
  if (value->kind == CLEW_EXPR_CONST && value->value >= lo && value->value <= hi) {
    place.offset += (uint32_t)((uint64_t)value->value - (uint64_t)lo) * stride;
    return place;
  }
  struct clew_index *indices =
      CLEW_NEW_ARRAY(program->arena, struct clew_index, place.index_count + 1);
  if (place.index_count > 0) {
    memcpy(indices, place.indices, place.index_count * sizeof *indices);
  }
  bool checked = value->lo < lo || value->hi > hi;
  indices[place.index_count] = (struct clew_index){.value = value,
                                                   .lo = lo,
                                                   .count = count,
                                                   .stride = stride,
                                                   .site = checked ? site : CLEW_NONE,
                                                   .checked = checked};
  place.indices = indices;
  place.index_count++;
  return place;
}

struct clew_place clew_place_index(struct clew_program *program, struct clew_place place,
                                   const struct clew_expr *index, uint32_t site) {
  const struct clew_type *type = place.type;
  assert(type->kind == CLEW_TYPE_ARRAY || type->kind == CLEW_TYPE_BAG);
  if (type->kind == CLEW_TYPE_ARRAY) {
    place = place_step(program, place, index, type->domain->lo, type->element->cells, site);
  } else {
    place = place_step(program, place, index, 0, 1 + type->element->cells, site);
    place.offset++;
  }
  place.type = type->element;
  return place;
}

struct clew_place clew_place_presence(struct clew_program *program, struct clew_place bag,
                                      const struct clew_expr *index, uint32_t site) {
  assert(bag.type->kind == CLEW_TYPE_BAG);
  struct clew_place place = place_step(program, bag, index, 0, 1 + bag.type->element->cells, site);
  place.type = clew_type_presence();
  return place;
}

uint64_t clew_place_extent(const struct clew_place *place) {
  uint64_t extent = (uint64_t)place->offset + place->type->cells;
  for (uint32_t i = 0; i < place->index_count; i++) {
    assert(place->indices[i].count > 0);
    extent += (uint64_t)(place->indices[i].count - 1) * place->indices[i].stride;
  }
  return extent;
}

bool clew_place_may_fault(const struct clew_place *place) {
  for (uint32_t i = 0; i < place->index_count; i++) {
    if (place->indices[i].checked) {
      return true;
    }
  }
  return false;
}

const struct clew_variable *clew_variable_at(const struct clew_variable *variables, uint32_t count,
                                             uint32_t cell) {
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (variables[middle].cell <= cell) {
      low = middle;
    } else {
      high = middle;
    }
  }
  assert(count == 0 || low < count);
  if (count == 0 || cell - variables[low].cell >= variables[low].type->cells) {
    return NULL;
  }
  return &variables[low];
}
