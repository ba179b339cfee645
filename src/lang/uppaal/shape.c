/* Types with all sizes known. */
#include <assert.h>

#include "lang/uppaal/lower.h"

const struct uppaal_shape clew_uppaal_int = {
    .kind = UPPAAL_INT, .lo = UPPAAL_INT_LO, .hi = UPPAAL_INT_HI, .is_default = true, .cells = 1};
const struct uppaal_shape clew_uppaal_bool = {.kind = UPPAAL_BOOL, .lo = 0, .hi = 1, .cells = 1};
const struct uppaal_shape clew_uppaal_void = {.kind = UPPAAL_VOID};
const struct uppaal_shape clew_uppaal_wrong = {.kind = UPPAAL_WRONG, .cells = 1};
static const struct uppaal_shape clock_shape = {.kind = UPPAAL_CLOCK, .cells = 1};

static struct uppaal_shape *shape_new(struct uppaal_lowering *l, enum uppaal_kind kind) {
  struct uppaal_shape *shape = CLEW_NEW(l->front->arena, struct uppaal_shape);
  shape->kind = kind;
  shape->cells = 1;
  return shape;
}

/* ---- From the tree -------------------------------------------------------------------------- */

static const struct uppaal_shape *range_shape(struct uppaal_lowering *l,
                                              const struct uppaal_type *type) {
  int64_t lo = 0, hi = 0;
  if (type->kind == UPPAAL_TYPE_INT && type->lo == NULL) {
    return &clew_uppaal_int;
  }
  if (!clew_uppaal_constant(l, type->lo, &lo) || !clew_uppaal_constant(l, type->hi, &hi)) {
    return &clew_uppaal_wrong;
  }
  if (lo > hi) {
    clew_uppaal_fail(l, type->span, "this range is empty: %lld .. %lld", (long long)lo,
                     (long long)hi);
    return &clew_uppaal_wrong;
  }
  struct uppaal_shape *shape = shape_new(l, UPPAAL_INT);
  shape->lo = lo;
  shape->hi = hi;
  return shape;
}

static const struct uppaal_shape *scalar_shape(struct uppaal_lowering *l,
                                               const struct uppaal_type *type) {
  int64_t count = 0;
  if (!clew_uppaal_constant(l, type->lo, &count)) {
    return &clew_uppaal_wrong;
  }
  const struct uppaal_scalar *scalar = clew_uppaal_scalar(l, type, count);
  if (scalar == NULL) {
    return &clew_uppaal_wrong;
  }
  struct uppaal_shape *shape = shape_new(l, UPPAAL_SCALAR);
  shape->lo = scalar->lo;
  shape->hi = scalar->lo + (int64_t)scalar->count - 1;
  shape->scalar = scalar;
  return shape;
}

static uint32_t count_fields(const struct uppaal_decl *fields) {
  uint32_t count = 0;
  for (; fields != NULL; fields = fields->next) {
    count++;
  }
  return count;
}

static const struct uppaal_shape *struct_shape(struct uppaal_lowering *l,
                                               const struct uppaal_type *type) {
  struct uppaal_shape *shape = shape_new(l, UPPAAL_STRUCT);
  shape->fields =
      CLEW_NEW_ARRAY(l->front->arena, struct uppaal_field, count_fields(type->fields) + 1);
  uint64_t cells = 0;
  for (const struct uppaal_decl *each = type->fields; each != NULL; each = each->next) {
    struct uppaal_field *field = &shape->fields[shape->field_count++];
    *field = (struct uppaal_field){each->name.name, clew_uppaal_shape_of(l, each), (uint32_t)cells};
    if (clew_uppaal_contains(field->type, UPPAAL_CLOCK) ||
        clew_uppaal_contains(field->type, UPPAAL_CHANNEL)) {
      clew_uppaal_fail(l, each->name.span, "a struct cannot contain clocks or channels");
    }
    cells += field->type->cells;
  }
  if (cells > CLEW_MAX_CELLS || cells == 0) {
    clew_uppaal_fail(l, type->span,
                     cells == 0 ? "a struct without fields is not supported"
                                : "this struct is too large");
    return &clew_uppaal_wrong;
  }
  shape->cells = (uint32_t)cells;
  return shape;
}

static const struct uppaal_shape *channel_shape(struct uppaal_lowering *l,
                                                const struct uppaal_type *type) {
  struct uppaal_shape *shape = shape_new(l, UPPAAL_CHANNEL);
  shape->is_urgent = type->is_urgent;
  shape->is_broadcast = type->is_broadcast;
  return shape;
}

static const struct uppaal_shape *named_shape(struct uppaal_lowering *l,
                                              const struct uppaal_type *type) {
  struct uppaal_symbol *symbol = clew_uppaal_resolve(l, type->ref, "type");
  if (symbol == NULL) {
    return &clew_uppaal_wrong;
  }
  if (symbol->kind != UPPAAL_SYMBOL_TYPE) {
    clew_uppaal_fail(l, type->ref.span, "'%s' is no type", type->ref.name->id.text);
    return &clew_uppaal_wrong;
  }
  if (symbol->type->kind == UPPAAL_CHANNEL && (type->is_urgent || type->is_broadcast)) {
    struct uppaal_shape *shape = shape_new(l, UPPAAL_CHANNEL);
    shape->is_urgent = symbol->type->is_urgent || type->is_urgent;
    shape->is_broadcast = symbol->type->is_broadcast || type->is_broadcast;
    return shape;
  }
  return symbol->type;
}

const struct uppaal_shape *clew_uppaal_shape(struct uppaal_lowering *l,
                                             const struct uppaal_type *type) {
  switch (type->kind) {
  case UPPAAL_TYPE_VOID:
    return &clew_uppaal_void;
  case UPPAAL_TYPE_BOOL:
    return &clew_uppaal_bool;
  case UPPAAL_TYPE_INT:
    return range_shape(l, type);
  case UPPAAL_TYPE_SCALAR:
    return scalar_shape(l, type);
  case UPPAAL_TYPE_CLOCK:
    if (type->is_hybrid) {
      clew_uppaal_fail(l, type->span, "hybrid clocks are not supported");
      return &clew_uppaal_wrong;
    }
    return &clock_shape;
  case UPPAAL_TYPE_CHAN:
    return channel_shape(l, type);
  case UPPAAL_TYPE_NAME:
    return named_shape(l, type);
  case UPPAAL_TYPE_STRUCT:
    return struct_shape(l, type);
  case UPPAAL_TYPE_FOREIGN:
    break;
  }
  clew_uppaal_fail(l, type->span, "the type '%s' is not supported",
                   clew_front_excerpt(l->front, type->span));
  return &clew_uppaal_wrong;
}

/* ---- Dimensions ----------------------------------------------------------------------------- */

/* The type of the indices; NULL and a message when there is none. A name alone may be a type or a
 * constant. */
static const struct uppaal_shape *dimension_shape(struct uppaal_lowering *l,
                                                  const struct uppaal_dimension *dimension) {
  const struct uppaal_expr *size = dimension->size;
  if (dimension->type != NULL) {
    return clew_uppaal_shape_range(l, dimension->type);
  }
  if (size->kind == UPPAAL_EXPR_NAME) {
    const struct uppaal_symbol *symbol = clew_uppaal_find(l->scope, size->ref.name);
    if (symbol != NULL && symbol->kind == UPPAAL_SYMBOL_TYPE) {
      struct uppaal_type type = {.kind = UPPAAL_TYPE_NAME, .span = size->span, .ref = size->ref};
      return clew_uppaal_shape_range(l, &type);
    }
  }
  int64_t count;
  if (!clew_uppaal_constant(l, size, &count)) {
    return NULL;
  }
  if (count <= 0) {
    clew_uppaal_fail(l, size->span, "the size of an array must be positive, not %lld",
                     (long long)count);
    return NULL;
  }
  struct uppaal_shape *shape = shape_new(l, UPPAAL_INT);
  shape->hi = count - 1;
  return shape;
}

const struct uppaal_shape *clew_uppaal_shape_of(struct uppaal_lowering *l,
                                                const struct uppaal_decl *decl) {
  const struct uppaal_shape *shape = clew_uppaal_shape(l, decl->type);
  if (shape->kind == UPPAAL_INT && !shape->is_default) {
    clew_front_remark(l->front, decl->name.span, "%lld..%lld", (long long)shape->lo,
                      (long long)shape->hi);
  }
  for (uint32_t i = decl->dimension_count; i > 0 && shape->kind != UPPAAL_WRONG; i--) {
    const struct uppaal_shape *index = dimension_shape(l, &decl->dimensions[i - 1]);
    if (index == NULL) {
      return &clew_uppaal_wrong;
    }
    uint64_t cells, count = (uint64_t)(index->hi - index->lo) + 1;
    if (__builtin_mul_overflow(count, (uint64_t)shape->cells, &cells) || cells > CLEW_MAX_CELLS ||
        shape->kind == UPPAAL_VOID) {
      clew_uppaal_fail(l, decl->name.span, "'%s' is too large: the limit is %d elements",
                       decl->name.name->id.text, CLEW_MAX_CELLS);
      return &clew_uppaal_wrong;
    }
    struct uppaal_shape *array = shape_new(l, UPPAAL_ARRAY);
    array->lo = index->lo;
    array->hi = index->hi;
    array->scalar = index->scalar;
    array->element = shape;
    array->cells = (uint32_t)cells;
    shape = array;
  }
  return shape;
}

const struct uppaal_shape *clew_uppaal_shape_range(struct uppaal_lowering *l,
                                                   const struct uppaal_type *type) {
  const struct uppaal_shape *shape = clew_uppaal_shape(l, type);
  if (clew_uppaal_is_single(shape)) {
    return shape;
  }
  if (shape->kind != UPPAAL_WRONG) {
    clew_uppaal_fail(l, type->span, "this type has no values to choose from");
  }
  return NULL;
}

/* ---- Questions ------------------------------------------------------------------------------ */

bool clew_uppaal_is_number(const struct uppaal_shape *type) {
  return type->kind == UPPAAL_INT || type->kind == UPPAAL_BOOL;
}

bool clew_uppaal_is_single(const struct uppaal_shape *type) {
  return clew_uppaal_is_number(type) || type->kind == UPPAAL_SCALAR;
}

bool clew_uppaal_contains(const struct uppaal_shape *type, enum uppaal_kind kind) {
  while (type->kind == UPPAAL_ARRAY) {
    type = type->element;
  }
  return type->kind == kind; /* structs contain no clocks and no channels */
}

bool clew_uppaal_shape_matches(const struct uppaal_shape *a, const struct uppaal_shape *b) {
  if (a->kind == UPPAAL_WRONG || b->kind == UPPAAL_WRONG) {
    return true;
  }
  if (clew_uppaal_is_number(a) && clew_uppaal_is_number(b)) {
    return true;
  }
  if (a->kind != b->kind || a->cells != b->cells || a->scalar != b->scalar) {
    return false;
  }
  if (a->kind == UPPAAL_ARRAY) {
    return a->hi - a->lo == b->hi - b->lo && clew_uppaal_shape_matches(a->element, b->element);
  }
  bool same = a->field_count == b->field_count;
  for (uint32_t i = 0; same && i < a->field_count; i++) {
    same = clew_uppaal_shape_matches(a->fields[i].type, b->fields[i].type);
  }
  return same;
}

const struct uppaal_shape *clew_uppaal_shape_cell(const struct uppaal_shape *type, uint32_t cell) {
  assert(cell < type->cells);
  while (type->kind == UPPAAL_ARRAY || type->kind == UPPAAL_STRUCT) {
    if (type->kind == UPPAAL_ARRAY) {
      cell %= type->element->cells;
      type = type->element;
      continue;
    }
    uint32_t i = type->field_count - 1;
    while (type->fields[i].offset > cell) {
      i--;
    }
    cell -= type->fields[i].offset;
    type = type->fields[i].type;
  }
  return type;
}

/* ---- To the IR ------------------------------------------------------------------------------ */

const struct clew_type *clew_uppaal_range_type(struct uppaal_lowering *l, int64_t lo, int64_t hi) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = lo, .hi = hi};
  return clew_type_scalar(l->arena, domain, false);
}

static const struct clew_type *ir_struct(struct uppaal_lowering *l,
                                         const struct uppaal_shape *type) {
  const char **names = CLEW_NEW_ARRAY(l->arena, const char *, type->field_count);
  const struct clew_type **types =
      CLEW_NEW_ARRAY(l->arena, const struct clew_type *, type->field_count);
  for (uint32_t i = 0; i < type->field_count; i++) {
    names[i] = clew_uppaal_keep(l, type->fields[i].name->id.text);
    types[i] = clew_uppaal_ir_type(l, type->fields[i].type, 0);
    if (types[i] == NULL) {
      return NULL;
    }
  }
  return clew_type_record(l->arena, names, types, type->field_count);
}

/* The greatest value that a clock is set to is known in the end, and put into the domain then. */
static const struct clew_type *clock_signal(struct uppaal_lowering *l) {
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = 0, .hi = UPPAAL_MOST_BOUND};
  l->clock_domain = domain;
  return clew_type_scalar(l->arena, domain, true);
}

const struct clew_type *clew_uppaal_ir_type(struct uppaal_lowering *l,
                                            const struct uppaal_shape *type, int64_t most) {
  switch (type->kind) {
  case UPPAAL_INT:
  case UPPAAL_BOOL:
    return clew_uppaal_range_type(l, type->lo, type->hi);
  case UPPAAL_SCALAR:
    return clew_type_scalar(l->arena, type->scalar->domain, false);
  case UPPAAL_CLOCK:
    return l->time == UPPAAL_TIME_ZONES ? clock_signal(l) : clew_uppaal_range_type(l, 0, most);
  case UPPAAL_STRUCT:
    return ir_struct(l, type);
  case UPPAAL_ARRAY: {
    const struct clew_type *element = clew_uppaal_ir_type(l, type->element, most);
    struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
    *domain = (struct clew_domain){.lo = type->lo, .hi = type->hi};
    return element == NULL
               ? NULL
               : clew_type_array(l->arena, type->scalar != NULL ? type->scalar->domain : domain,
                                 element);
  }
  case UPPAAL_VOID:
  case UPPAAL_CHANNEL:
  case UPPAAL_WRONG:
    break;
  }
  return clew_uppaal_range_type(l, 0, 0);
}
