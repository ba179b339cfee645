/* Types: building, comparing, and numbering the values of enumerations and scalarsets.
 *
 * Types are compared by structure, as rumur does; only enumerations and scalarsets are what they
 * are by declaration. A union is the set of its leaves. Every enumerated value has a number of its
 * own in the whole model, so a value needs no conversion when it moves between a union and its
 * members; the numbers of a union should be consecutive, because then a range check tests
 * membership. */
#include "lang/murphi/murphi_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Construction --------------------------------------------------------------------------- */

void clew_murphi_types_init(struct murphi *m) {
  m->error_type = (struct murphi_type){.kind = MURPHI_TYPE_ERROR, .cells = 1, .depth = 1};
  m->undefined_type = (struct murphi_type){.kind = MURPHI_TYPE_UNDEFINED, .cells = 1, .depth = 1};
  m->boolean_type = (struct murphi_type){
      .kind = MURPHI_TYPE_BOOLEAN, .name = "boolean", .hi = 1, .count = 2, .cells = 1, .depth = 1};
  m->integer_type = (struct murphi_type){.kind = MURPHI_TYPE_INTEGER,
                                         .name = "integer",
                                         .lo = INT64_MIN + 1,
                                         .hi = INT64_MAX,
                                         .cells = 1,
                                         .depth = 1};
}

static struct murphi_type *type_new(struct murphi *m, enum murphi_type_kind kind) {
  struct murphi_type *type = CLEW_NEW(m->front->arena, struct murphi_type);
  type->kind = kind;
  type->cells = 1;
  type->depth = 1;
  return type;
}

struct murphi_type *clew_murphi_type_range(struct murphi *m, int64_t lo, int64_t hi) {
  assert(lo <= hi);
  struct murphi_type *type = type_new(m, MURPHI_TYPE_RANGE);
  type->lo = lo;
  type->hi = hi;
  uint64_t width = (uint64_t)hi - (uint64_t)lo;
  type->count = width < INT64_MAX ? (int64_t)width + 1 : INT64_MAX;
  return type;
}

static void assign_numbers(struct murphi *m, struct murphi_type *type);

/* Registers a type whose values have to be numbered. */
static struct murphi_type *enumerate(struct murphi *m, struct murphi_type *type) {
  assert(type->leaf_count > 0);
  type->next = m->enumerations;
  m->enumerations = type;
  if (m->numbered) {
    assign_numbers(m, type);
  }
  return type;
}

static struct murphi_type *leaf_new(struct murphi *m, enum murphi_type_kind kind, int64_t count) {
  assert(count >= 1 && count <= MURPHI_MAX_VALUES);
  struct murphi_type *type = type_new(m, kind);
  type->count = count;
  type->hi = count - 1;
  type->leaves = clew_arena_copy(m->front->arena, &type, 1, sizeof type);
  type->leaf_count = 1;
  return enumerate(m, type);
}

struct murphi_type *clew_murphi_type_enum(struct murphi *m, struct murphi_member *members,
                                          int64_t count) {
  struct murphi_type *type = leaf_new(m, MURPHI_TYPE_ENUM, count);
  type->members = members;
  return type;
}

struct murphi_type *clew_murphi_type_scalarset(struct murphi *m, int64_t count) {
  return leaf_new(m, MURPHI_TYPE_SCALARSET, count);
}

static bool has_leaf(const struct murphi_type *type, const struct murphi_type *leaf) {
  for (uint32_t i = 0; i < type->leaf_count; i++) {
    if (type->leaves[i] == leaf) {
      return true;
    }
  }
  return false;
}

struct murphi_type *clew_murphi_type_union(struct murphi *m, const struct murphi_type *const *parts,
                                           uint32_t count) {
  struct murphi_type *type = type_new(m, MURPHI_TYPE_UNION);
  type->leaves = CLEW_NEW_ARRAY(m->front->arena, struct murphi_type *, MURPHI_MAX_LEAVES);
  for (uint32_t i = 0; i < count; i++) {
    assert(clew_murphi_type_is_enumerated(parts[i]));
    for (uint32_t j = 0; j < parts[i]->leaf_count; j++) {
      if (has_leaf(type, parts[i]->leaves[j])) {
        continue;
      }
      if (type->leaf_count == MURPHI_MAX_LEAVES) {
        return NULL;
      }
      type->leaves[type->leaf_count++] = parts[i]->leaves[j];
      type->count += parts[i]->leaves[j]->count;
    }
  }
  return enumerate(m, type);
}

struct murphi_type *clew_murphi_type_bag_index(struct murphi *m, const struct murphi_type *bag) {
  assert(bag->kind == MURPHI_TYPE_MULTISET);
  struct murphi_type *type = type_new(m, MURPHI_TYPE_BAG_INDEX);
  type->element = bag;
  type->hi = bag->count - 1;
  type->count = bag->count;
  return type;
}

/* Whether a type of that many elements stays within the limits. */
static bool measure(struct murphi_type *type, uint64_t count, uint64_t cells, uint32_t depth) {
  assert(cells <= CLEW_MAX_CELLS);
  type->depth = depth + 1;
  type->cells = count * cells;
  return count <= CLEW_MAX_CELLS && type->cells <= CLEW_MAX_CELLS &&
         type->depth <= MURPHI_MAX_TYPE_DEPTH;
}

struct murphi_type *clew_murphi_type_array(struct murphi *m, const struct murphi_type *index,
                                           const struct murphi_type *element) {
  assert(index->count > 0);
  struct murphi_type *type = type_new(m, MURPHI_TYPE_ARRAY);
  type->index = index;
  type->element = element;
  return measure(type, (uint64_t)index->count, element->cells, element->depth) ? type : NULL;
}

struct murphi_type *clew_murphi_type_record(struct murphi *m, const struct murphi_field *fields,
                                            uint32_t count) {
  struct murphi_type *type = type_new(m, MURPHI_TYPE_RECORD);
  uint32_t depth = 0;
  type->cells = count == 0; /* something to refer to; it takes no bits */
  type->fields = fields;
  type->field_count = count;
  for (uint32_t i = 0; i < count; i++) {
    type->cells += fields[i].type->cells;
    depth = fields[i].type->depth > depth ? fields[i].type->depth : depth;
  }
  return type->cells <= CLEW_MAX_CELLS && measure(type, 1, type->cells, depth) ? type : NULL;
}

struct murphi_type *clew_murphi_type_multiset(struct murphi *m, int64_t capacity,
                                              const struct murphi_type *element) {
  assert(capacity >= 1 && element->cells <= CLEW_MAX_CELLS);
  struct murphi_type *type = type_new(m, MURPHI_TYPE_MULTISET);
  type->element = element;
  type->count = capacity;
  if (element->cells == CLEW_MAX_CELLS) {
    return NULL;
  }
  return measure(type, (uint64_t)capacity, element->cells + 1, element->depth) ? type : NULL;
}

/* ---- Numbering ------------------------------------------------------------------------------ */

static int compare_leaves(const void *a, const void *b) {
  const struct murphi_type *x = *(struct murphi_type *const *)a;
  const struct murphi_type *y = *(struct murphi_type *const *)b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Numbers the leaves of the type that have none yet, in their order. */
static void assign_numbers(struct murphi *m, struct murphi_type *type) {
  assert(type->leaf_count > 0);
  for (uint32_t i = 0; i < type->leaf_count; i++) {
    struct murphi_type *leaf = type->leaves[i];
    if (!leaf->numbered) {
      leaf->lo = m->value_count;
      leaf->hi = leaf->lo + leaf->count - 1;
      leaf->numbered = true;
      m->value_count += leaf->count;
    }
  }
  if (type->kind == MURPHI_TYPE_UNION) {
    qsort(type->leaves, type->leaf_count, sizeof(struct murphi_type *), compare_leaves);
    type->lo = type->leaves[0]->lo;
    type->hi = type->leaves[type->leaf_count - 1]->hi;
    type->numbered = true;
  }
}

static bool is_part(const struct murphi_type *inner, const struct murphi_type *outer) {
  assert(inner->kind == MURPHI_TYPE_UNION);
  if (inner->leaf_count >= outer->leaf_count) {
    return false;
  }
  for (uint32_t i = 0; i < inner->leaf_count; i++) {
    if (!has_leaf(outer, inner->leaves[i])) {
      return false;
    }
  }
  return true;
}

/* Numbers a union after the unions inside it, the larger ones first, so that as many as possible
 * are consecutive. `unions` is in order of decreasing size. */
static void number_union(struct murphi *m, struct murphi_type *type, struct murphi_type **unions,
                         uint32_t count) {
  assert(type->kind == MURPHI_TYPE_UNION);
  for (uint32_t i = 0; i < count; i++) {
    if (!unions[i]->numbered && is_part(unions[i], type)) {
      number_union(m, unions[i], unions, count);
    }
  }
  assign_numbers(m, type);
}

/* Larger unions first, equal ones in their order. */
static void sort_unions(struct murphi_type **unions, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    struct murphi_type *type = unions[i];
    uint32_t at = i;
    for (; at > 0 && unions[at - 1]->leaf_count < type->leaf_count; at--) {
      unions[at] = unions[at - 1];
    }
    unions[at] = type;
  }
}

void clew_murphi_types_number(struct murphi *m) {
  enum { CAREFUL = 64 }; /* more unions than this are numbered as they come */
  CLEW_VEC(struct murphi_type *) unions = {0};
  CLEW_VEC(struct murphi_type *) all = {0};
  assert(!m->numbered);
  for (struct murphi_type *type = m->enumerations; type != NULL; type = type->next) {
    clew_vec_push(&all, type);
  }
  for (uint32_t i = all.len; i-- > 0;) { /* in order of declaration */
    if (all.data[i]->kind == MURPHI_TYPE_UNION) {
      clew_vec_push(&unions, all.data[i]);
    }
  }
  if (unions.len <= CAREFUL) {
    sort_unions(unions.data, unions.len);
  }
  for (uint32_t i = 0; i < unions.len; i++) {
    if (!unions.data[i]->numbered) {
      number_union(m, unions.data[i], unions.data, unions.len <= CAREFUL ? unions.len : 0);
    }
  }
  for (uint32_t i = all.len; i-- > 0;) {
    if (!all.data[i]->numbered) {
      assign_numbers(m, all.data[i]);
    }
  }
  m->numbered = true;
  clew_vec_free(&unions);
  clew_vec_free(&all);
}

/* ---- Questions ------------------------------------------------------------------------------ */

bool clew_murphi_type_is_error(const struct murphi_type *type) {
  return type->kind == MURPHI_TYPE_ERROR;
}

bool clew_murphi_type_is_simple(const struct murphi_type *type) {
  return type->kind < MURPHI_TYPE_ARRAY && type->kind != MURPHI_TYPE_UNDEFINED;
}

bool clew_murphi_type_is_integer(const struct murphi_type *type) {
  return type->kind == MURPHI_TYPE_INTEGER || type->kind == MURPHI_TYPE_RANGE ||
         type->kind == MURPHI_TYPE_ERROR;
}

bool clew_murphi_type_is_enumerated(const struct murphi_type *type) {
  return type->kind == MURPHI_TYPE_ENUM || type->kind == MURPHI_TYPE_SCALARSET ||
         type->kind == MURPHI_TYPE_UNION;
}

bool clew_murphi_type_has_holes(const struct murphi_type *type) {
  return type->kind == MURPHI_TYPE_UNION && type->hi - type->lo + 1 != type->count;
}

bool clew_murphi_type_has_multiset(const struct murphi_type *type) {
  switch (type->kind) {
  case MURPHI_TYPE_MULTISET:
    return true;
  case MURPHI_TYPE_ARRAY:
    return clew_murphi_type_has_multiset(type->element);
  case MURPHI_TYPE_RECORD:
    for (uint32_t i = 0; i < type->field_count; i++) {
      if (clew_murphi_type_has_multiset(type->fields[i].type)) {
        return true;
      }
    }
    return false;
  default:
    return false;
  }
}

/* Whether a leaf of one is a leaf of the other. */
static bool share_leaf(const struct murphi_type *a, const struct murphi_type *b) {
  for (uint32_t i = 0; i < a->leaf_count; i++) {
    if (has_leaf(b, a->leaves[i])) {
      return true;
    }
  }
  return false;
}

static bool leaves_within(const struct murphi_type *inner, const struct murphi_type *outer) {
  for (uint32_t i = 0; i < inner->leaf_count; i++) {
    if (!has_leaf(outer, inner->leaves[i])) {
      return false;
    }
  }
  return true;
}

static bool fields_agree(const struct murphi_type *a, const struct murphi_type *b,
                         bool (*agree)(const struct murphi_type *, const struct murphi_type *)) {
  assert(a->kind == MURPHI_TYPE_RECORD && b->kind == MURPHI_TYPE_RECORD);
  if (a->field_count != b->field_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->field_count; i++) {
    if (a->fields[i].name != b->fields[i].name || !agree(a->fields[i].type, b->fields[i].type)) {
      return false;
    }
  }
  return true;
}

bool clew_murphi_type_compatible(const struct murphi_type *a, const struct murphi_type *b) {
  if (a == b || clew_murphi_type_is_error(a) || clew_murphi_type_is_error(b)) {
    return true;
  }
  if (clew_murphi_type_is_integer(a)) {
    return clew_murphi_type_is_integer(b);
  }
  if (clew_murphi_type_is_enumerated(a)) {
    return clew_murphi_type_is_enumerated(b) && share_leaf(a, b);
  }
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case MURPHI_TYPE_ARRAY:
    return clew_murphi_type_same(a->index, b->index) &&
           clew_murphi_type_compatible(a->element, b->element);
  case MURPHI_TYPE_RECORD:
    return fields_agree(a, b, clew_murphi_type_compatible);
  case MURPHI_TYPE_MULTISET:
    return a->count == b->count && clew_murphi_type_same(a->element, b->element);
  case MURPHI_TYPE_BAG_INDEX:
    return clew_murphi_type_same(a->element, b->element);
  default:
    return a->kind == MURPHI_TYPE_BOOLEAN;
  }
}

bool clew_murphi_type_same(const struct murphi_type *a, const struct murphi_type *b) {
  if (a == b || clew_murphi_type_is_error(a) || clew_murphi_type_is_error(b)) {
    return true;
  }
  if (clew_murphi_type_is_enumerated(a)) {
    return clew_murphi_type_is_enumerated(b) && leaves_within(a, b) && leaves_within(b, a);
  }
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case MURPHI_TYPE_RANGE:
    return a->lo == b->lo && a->hi == b->hi;
  case MURPHI_TYPE_ARRAY:
    return clew_murphi_type_same(a->index, b->index) &&
           clew_murphi_type_same(a->element, b->element);
  case MURPHI_TYPE_RECORD:
    return fields_agree(a, b, clew_murphi_type_same);
  default:
    return clew_murphi_type_compatible(a, b);
  }
}

bool clew_murphi_type_within(const struct murphi_type *inner, const struct murphi_type *outer) {
  assert(clew_murphi_type_is_simple(inner) && clew_murphi_type_is_simple(outer));
  if (clew_murphi_type_is_enumerated(inner) && clew_murphi_type_is_enumerated(outer)) {
    return leaves_within(inner, outer);
  }
  return inner->lo >= outer->lo && inner->hi <= outer->hi;
}

const struct murphi_type *clew_murphi_type_join(struct murphi *m, const struct murphi_type *a,
                                                const struct murphi_type *b) {
  assert(clew_murphi_type_is_simple(a) && clew_murphi_type_is_simple(b));
  if (clew_murphi_type_is_error(a) || clew_murphi_type_is_error(b)) {
    return &m->error_type;
  }
  if (!clew_murphi_type_is_enumerated(a)) {
    return clew_murphi_type_is_integer(a) && !clew_murphi_type_same(a, b) ? &m->integer_type : a;
  }
  if (leaves_within(b, a)) {
    return a;
  }
  if (leaves_within(a, b)) {
    return b;
  }
  const struct murphi_type *both[] = {a, b};
  const struct murphi_type *joined = clew_murphi_type_union(m, both, 2);
  return joined != NULL ? joined : &m->error_type;
}

const struct murphi_type *clew_murphi_type_scalarset_in(const struct murphi_type *type,
                                                        int64_t least) {
  assert(least >= 1);
  for (uint32_t i = 0; i < type->leaf_count; i++) {
    if (type->leaves[i]->kind == MURPHI_TYPE_SCALARSET && type->leaves[i]->count >= least) {
      return type->leaves[i];
    }
  }
  return NULL;
}

bool clew_murphi_type_is_permuted(const struct murphi_type *type) {
  for (uint32_t i = 0; i < type->leaf_count; i++) {
    const struct murphi_type *leaf = type->leaves[i];
    if (leaf->kind == MURPHI_TYPE_SCALARSET && leaf->count >= 2 && leaf->asymmetric == NULL) {
      return true;
    }
  }
  return false;
}

const char *clew_murphi_type_text(struct murphi *m, const struct murphi_type *type) {
  if (type->name != NULL) {
    return type->name;
  }
  switch (type->kind) {
  case MURPHI_TYPE_RANGE:
    return clew_arena_printf(m->front->arena, "%lld..%lld", (long long)type->lo,
                             (long long)type->hi);
  case MURPHI_TYPE_ENUM:
    return clew_arena_printf(m->front->arena, "enum {%s%s}", type->members->name->id.text,
                             type->members->next != NULL ? ", ..." : "");
  case MURPHI_TYPE_SCALARSET:
    return clew_arena_printf(m->front->arena, "scalarset(%lld)", (long long)type->count);
  case MURPHI_TYPE_UNION:
    return clew_arena_printf(m->front->arena, "union {%s, ...}",
                             clew_murphi_type_text(m, type->leaves[0]));
  case MURPHI_TYPE_BAG_INDEX:
    return "multiset index";
  case MURPHI_TYPE_ARRAY:
    return clew_arena_printf(m->front->arena, "array [%s] of %s",
                             clew_murphi_type_text(m, type->index),
                             clew_murphi_type_text(m, type->element));
  case MURPHI_TYPE_RECORD:
    return clew_arena_printf(m->front->arena, "record {%s%s}",
                             type->field_count > 0 ? type->fields[0].name->id.text : "",
                             type->field_count > 1 ? ", ..." : "");
  case MURPHI_TYPE_MULTISET:
    return clew_arena_printf(m->front->arena, "multiset [%lld] of %s", (long long)type->count,
                             clew_murphi_type_text(m, type->element));
  default:
    return "undefined";
  }
}

const char *clew_murphi_type_no_number(struct murphi *m, const struct murphi_type *a,
                                       const struct murphi_type *b) {
  const struct murphi_type *set = clew_murphi_type_scalarset_in(a, 1), *other = b;
  if (set == NULL) {
    set = clew_murphi_type_scalarset_in(b, 1);
    other = a;
  }
  if (set == NULL || !clew_murphi_type_is_integer(other)) {
    return "";
  }
  return clew_arena_printf(m->front->arena, ": the values of the scalarset '%s' have no numbers",
                           clew_murphi_type_text(m, set));
}
