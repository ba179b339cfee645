/* Types and domains of the IR for Murphi's types.
 *
 * One table holds the names of all enumerated values in the order of their numbers; the names of a
 * domain are a stretch of it. Where a union has holes (its members are not numbered consecutively)
 * arrays over it and parameters over it use positions 0, 1, 2, … instead of the values themselves:
 * an array must not have elements that no value selects. */
#include "lang/murphi/lower.h"

#include <assert.h>

static const char *const boolean_names[] = {"false", "true"};

/* ---- Names ---------------------------------------------------------------------------------- */

static void name_leaf(struct murphi_lowering *l, const struct murphi_type *leaf, uint32_t number) {
  assert(leaf->numbered && leaf->hi < l->value_name_count);
  if (leaf->kind == MURPHI_TYPE_ENUM) {
    int64_t value = leaf->lo;
    for (const struct murphi_member *member = leaf->members; member != NULL;
         member = member->next) {
      l->value_names[value++] = clew_murphi_keep(l, member->name->id.text);
    }
    assert(value == leaf->hi + 1);
    return;
  }
  const char *name = leaf->name != NULL
                         ? leaf->name
                         : clew_arena_printf(l->m->front->arena, "scalarset%u", number);
  struct clew_scalarset set = {
      .name = clew_murphi_keep(l, name),
      .lo = leaf->lo,
      .count = (uint32_t)leaf->count,
      .asymmetric = leaf->asymmetric != NULL ? clew_murphi_keep(l, leaf->asymmetric) : NULL};
  clew_vec_push(&l->program->scalarsets, set);
  for (int64_t i = 0; i < leaf->count; i++) {
    l->value_names[leaf->lo + i] = clew_arena_printf(l->arena, "%s_%lld", name, (long long)(i + 1));
  }
}

void clew_murphi_lower_names(struct murphi_lowering *l) {
  assert(l->m->numbered);
  enum { MOST = 1 << 18 }; /* values beyond this are printed as numbers */
  l->value_name_count = l->m->value_count < MOST ? l->m->value_count : MOST;
  l->value_names = CLEW_NEW_ARRAY(l->arena, const char *, l->value_name_count);
  uint32_t number = 0;
  for (struct murphi_type *type = l->m->enumerations; type != NULL; type = type->next) {
    number++;
    if (type->kind != MURPHI_TYPE_UNION && type->hi < l->value_name_count) {
      name_leaf(l, type, number);
    }
  }
}

/* ---- Domains and types ---------------------------------------------------------------------- */

const struct clew_domain *clew_murphi_lower_domain(struct murphi_lowering *l,
                                                   const struct murphi_type *type) {
  assert(clew_murphi_type_is_simple(type) && !clew_murphi_type_is_error(type));
  if (type->domain != NULL) {
    return type->domain;
  }
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.lo = type->lo, .hi = type->hi};
  if (type->name != NULL) {
    domain->name = clew_murphi_keep(l, type->name);
  }
  if (type->kind == MURPHI_TYPE_BOOLEAN) {
    domain->names = boolean_names;
  } else if (clew_murphi_type_is_enumerated(type) && type->hi < l->value_name_count) {
    domain->names = l->value_names + type->lo;
  }
  domain->symmetric = clew_murphi_type_is_enumerated(type);
  ((struct murphi_type *)type)->domain = domain;
  return domain;
}

const struct clew_domain *clew_murphi_dense_domain(struct murphi_lowering *l,
                                                   const struct murphi_type *type) {
  assert(type->kind == MURPHI_TYPE_UNION);
  l->program->asymmetric = "unions overlap, so that the values of one are not numbered in a row";
  struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
  *domain = (struct clew_domain){.hi = type->count - 1};
  if (type->name != NULL) {
    domain->name = clew_murphi_keep(l, type->name);
  }
  if (type->hi < l->value_name_count) {
    const char **names = CLEW_NEW_ARRAY(l->arena, const char *, type->count);
    int64_t position = 0;
    for (uint32_t i = 0; i < type->leaf_count; i++) {
      for (int64_t value = type->leaves[i]->lo; value <= type->leaves[i]->hi; value++) {
        names[position++] = l->value_names[value];
      }
    }
    domain->names = names;
  }
  return domain;
}

/* A record without fields is a cell with one value, which takes no bits. */
static const struct clew_type *lower_record(struct murphi_lowering *l,
                                            const struct murphi_type *type) {
  static const char *const no_fields[] = {"{}"};
  static const struct clew_domain nothing = {.lo = 0, .hi = 0, .names = no_fields};
  assert(type->kind == MURPHI_TYPE_RECORD);
  if (type->field_count == 0) {
    return clew_type_scalar(l->arena, &nothing, false);
  }
  const char **names = CLEW_NEW_ARRAY(l->m->front->arena, const char *, type->field_count);
  const struct clew_type **types =
      CLEW_NEW_ARRAY(l->m->front->arena, const struct clew_type *, type->field_count);
  for (uint32_t i = 0; i < type->field_count; i++) {
    names[i] = clew_murphi_keep(l, type->fields[i].name->id.text);
    types[i] = clew_murphi_lower_type(l, type->fields[i].type);
  }
  return clew_type_record(l->arena, names, types, type->field_count);
}

static const struct clew_type *lower_array(struct murphi_lowering *l,
                                           const struct murphi_type *type) {
  assert(type->kind == MURPHI_TYPE_ARRAY);
  const struct clew_domain *index = clew_murphi_type_has_holes(type->index)
                                        ? clew_murphi_dense_domain(l, type->index)
                                        : clew_murphi_lower_domain(l, type->index);
  return clew_type_array(l->arena, index, clew_murphi_lower_type(l, type->element));
}

const struct clew_type *clew_murphi_lower_type(struct murphi_lowering *l,
                                               const struct murphi_type *type) {
  if (type->cell != NULL) {
    return type->cell;
  }
  const struct clew_type *result;
  switch (type->kind) {
  case MURPHI_TYPE_ARRAY:
    result = lower_array(l, type);
    break;
  case MURPHI_TYPE_RECORD:
    result = lower_record(l, type);
    break;
  case MURPHI_TYPE_MULTISET:
    result =
        clew_type_bag(l->arena, (uint32_t)type->count, clew_murphi_lower_type(l, type->element));
    break;
  default:
    result = clew_type_scalar(l->arena, clew_murphi_lower_domain(l, type), true);
    break;
  }
  assert(result != NULL && result->cells == type->cells); /* the checker has measured it */
  ((struct murphi_type *)type)->cell = result;
  return result;
}

const struct clew_type *clew_murphi_lower_defined(struct murphi_lowering *l,
                                                  const struct murphi_type *type) {
  assert(clew_murphi_type_is_simple(type));
  if (type->defined == NULL) {
    ((struct murphi_type *)type)->defined =
        clew_type_scalar(l->arena, clew_murphi_lower_domain(l, type), false);
  }
  return type->defined;
}

const char *clew_murphi_outside_text(struct murphi_lowering *l, const struct murphi_type *type) {
  if (!clew_murphi_type_is_integer(type)) {
    return clew_arena_printf(l->m->front->arena, "not a member of %s",
                             clew_murphi_type_text(l->m, type));
  }
  bool named = type->name != NULL;
  return clew_arena_printf(l->m->front->arena, "out of its range %lld..%lld%s%s%s",
                           (long long)type->lo, (long long)type->hi, named ? " (" : "",
                           named ? type->name : "", named ? ")" : "");
}

/* ---- Unions with holes ---------------------------------------------------------------------- */

/* A run of consecutive values: the leaves from *at on that touch; false at the end. */
static bool next_segment(const struct murphi_type *type, uint32_t *at, int64_t *lo, int64_t *hi) {
  assert(type->kind == MURPHI_TYPE_UNION && *at <= type->leaf_count);
  if (*at == type->leaf_count) {
    return false;
  }
  *lo = type->leaves[*at]->lo;
  *hi = type->leaves[(*at)++]->hi;
  while (*at < type->leaf_count && type->leaves[*at]->lo == *hi + 1) {
    *hi = type->leaves[(*at)++]->hi;
  }
  return true;
}

static const struct clew_expr *within(struct murphi_lowering *l, const struct clew_expr *value,
                                      int64_t lo, int64_t hi) {
  assert(lo <= hi);
  return clew_murphi_and(l, clew_murphi_compare(l, CLEW_OP_GE, value, clew_murphi_const(l, lo)),
                         clew_murphi_compare(l, CLEW_OP_LE, value, clew_murphi_const(l, hi)));
}

const struct clew_expr *clew_murphi_member_test(struct murphi_lowering *l,
                                                const struct murphi_type *type,
                                                const struct clew_expr *value) {
  assert(clew_murphi_type_is_simple(type));
  if (!clew_murphi_type_has_holes(type)) {
    return within(l, value, type->lo, type->hi);
  }
  const struct clew_expr *test = clew_murphi_const(l, 0);
  int64_t lo, hi;
  for (uint32_t at = 0; next_segment(type, &at, &lo, &hi);) {
    test = clew_murphi_or(l, test, within(l, value, lo, hi));
  }
  return test;
}

/* The segments from *at on: value - lo + base in the first one that has it. */
static const struct clew_expr *to_dense(struct murphi_lowering *l, const struct murphi_type *type,
                                        const struct clew_expr *value, uint32_t at, int64_t base) {
  int64_t lo, hi;
  if (!next_segment(type, &at, &lo, &hi)) {
    return clew_murphi_const(l, -1);
  }
  const struct clew_expr *here =
      clew_expr_binary(l->program, CLEW_OP_SUB, value, clew_murphi_const(l, lo - base), CLEW_NONE);
  return clew_expr_cond(l->program, within(l, value, lo, hi), here,
                        to_dense(l, type, value, at, base + hi - lo + 1));
}

const struct clew_expr *clew_murphi_to_dense(struct murphi_lowering *l,
                                             const struct murphi_type *type,
                                             const struct clew_expr *value) {
  assert(clew_murphi_type_has_holes(type));
  if (value->kind == CLEW_EXPR_CONST) {
    return to_dense(l, type, value, 0, 0);
  }
  struct clew_place place = clew_murphi_temporary(l, "value", value);
  const struct clew_expr *again = clew_expr_load(l->program, place, CLEW_NONE);
  return clew_expr_let(l->program, place.base, value, to_dense(l, type, again, 0, 0));
}

const struct clew_expr *clew_murphi_from_dense(struct murphi_lowering *l,
                                               const struct murphi_type *type,
                                               const struct clew_expr *position) {
  assert(clew_murphi_type_has_holes(type));
  int64_t lo, hi, base = 0;
  /* Built from the last segment back, as nested conditions. */
  CLEW_VEC(int64_t) shifts = {0};
  CLEW_VEC(int64_t) ends = {0};
  for (uint32_t at = 0; next_segment(type, &at, &lo, &hi);) {
    clew_vec_push(&shifts, lo - base);
    base += hi - lo + 1;
    clew_vec_push(&ends, base);
  }
  const struct clew_expr *result = NULL;
  for (uint32_t i = shifts.len; i-- > 0;) {
    const struct clew_expr *here = clew_expr_binary(
        l->program, CLEW_OP_ADD, position, clew_murphi_const(l, shifts.data[i]), CLEW_NONE);
    const struct clew_expr *test =
        clew_murphi_compare(l, CLEW_OP_LT, position, clew_murphi_const(l, ends.data[i]));
    result = result == NULL ? here : clew_expr_cond(l->program, test, here, result);
  }
  clew_vec_free(&shifts);
  clew_vec_free(&ends);
  return result;
}
