/* Assignments and comparisons, of simple values and of whole arrays and records.
 *
 * Between types that are the same a block is copied as it is. Types that are merely compatible
 * (other ranges, other members of a union) are gone through part by part, each simple part with its
 * check, arrays in a loop. Undefined parts are copied undefined, and are equal to each other. */
#include "lang/murphi/lower.h"

#include <assert.h>

/* ---- Simple values -------------------------------------------------------------------------- */

static uint32_t range_site(struct murphi_lowering *l, const struct murphi_type *type,
                           struct clew_span span, const char *what) {
  return clew_murphi_site(l, CLEW_SITE_RANGE, span, "%s is %s", what,
                          clew_murphi_outside_text(l, type));
}

/* A union with holes: that the value lies between the least and the greatest is not enough. */
static void assign_with_holes(struct murphi_lowering *l, struct clew_list *list,
                              struct clew_place place, const struct murphi_type *type,
                              const struct clew_expr *value, uint32_t site) {
  assert(clew_murphi_type_has_holes(type));
  struct clew_place copy = clew_murphi_local(l, "value", l->anything);
  clew_list_add(list, clew_stmt_assign(l->program, copy, value, CLEW_NONE));
  const struct clew_expr *undefined = clew_expr_is_undefined(l->program, copy);
  const struct clew_expr *load = clew_expr_load(l->program, copy, site);
  struct clew_stmt *check = clew_stmt_new(l->program, CLEW_STMT_ASSERT);
  check->value = clew_murphi_or(l, undefined, clew_murphi_member_test(l, type, load));
  check->site = site;
  clew_list_add(list, check);
  clew_list_add(list,
                clew_stmt_assign(l->program, place, clew_expr_load_raw(l->program, copy), site));
}

void clew_murphi_assign_simple(struct murphi_lowering *l, struct clew_list *list,
                               struct clew_place place, const struct murphi_type *type,
                               const struct clew_expr *value, const struct murphi_type *value_type,
                               struct clew_span span, const char *what) {
  assert(place.type->kind == CLEW_TYPE_SCALAR);
  bool undefined = value->kind == CLEW_EXPR_UNDEFINED;
  bool fits = undefined || (value->lo >= type->lo && value->hi <= type->hi);
  bool holes =
      !undefined && clew_murphi_type_has_holes(type) && !clew_murphi_type_within(value_type, type);
  uint32_t site = fits && !holes ? CLEW_NONE : range_site(l, type, span, what);
  if (holes && value->kind != CLEW_EXPR_CONST) {
    assign_with_holes(l, list, place, type, value, site);
    return;
  }
  clew_list_add(list, clew_stmt_assign(l->program, place, value, site));
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* A loop over the positions of an array; *index loads its variable. */
static struct clew_stmt *array_loop(struct murphi_lowering *l, const struct clew_type *array,
                                    const struct clew_expr **index) {
  assert(array->kind == CLEW_TYPE_ARRAY);
  struct clew_place place =
      clew_murphi_local(l, "element", clew_type_scalar(l->arena, array->domain, false));
  struct clew_stmt *loop = clew_stmt_new(l->program, CLEW_STMT_FOR);
  loop->cell = place.base;
  loop->value = clew_murphi_const(l, array->domain->lo);
  loop->value2 = clew_murphi_const(l, array->domain->hi);
  *index = clew_expr_load(l->program, place, CLEW_NONE);
  return loop;
}

void clew_murphi_assign_block(struct murphi_lowering *l, struct clew_list *list,
                              struct clew_place place, const struct murphi_type *type,
                              struct clew_place place2, const struct murphi_type *type2,
                              struct clew_span span, const char *what) {
  if (clew_murphi_type_same(type, type2)) {
    assert(clew_type_same_shape(place.type, place2.type));
    struct clew_stmt *copy = clew_stmt_new(l->program, CLEW_STMT_COPY);
    copy->place = place;
    copy->place2 = place2;
    clew_list_add(list, copy);
    return;
  }
  switch (type->kind) {
  case MURPHI_TYPE_ARRAY: {
    const struct clew_expr *index;
    struct clew_stmt *loop = array_loop(l, place.type, &index);
    struct clew_list body = {0};
    clew_murphi_assign_block(l, &body, clew_place_index(l->program, place, index, CLEW_NONE),
                             type->element, clew_place_index(l->program, place2, index, CLEW_NONE),
                             type2->element, span, what);
    loop->body = body.first;
    clew_list_add(list, loop);
    return;
  }
  case MURPHI_TYPE_RECORD:
    for (uint32_t i = 0; i < type->field_count; i++) {
      clew_murphi_assign_block(l, list, clew_place_field(place, i), type->fields[i].type,
                               clew_place_field(place2, i), type2->fields[i].type, span, what);
    }
    return;
  default:
    assert(clew_murphi_type_is_simple(type));
    clew_murphi_assign_simple(l, list, place, type, clew_expr_load_raw(l->program, place2), type2,
                              span, what);
    return;
  }
}

/* c ? a : b of arrays or records. */
static void assign_either(struct murphi_lowering *l, struct clew_list *list,
                          struct clew_place place, const struct murphi_type *type,
                          struct murphi_expr *value, struct clew_span span, const char *what) {
  assert(value->kind == MURPHI_EXPR_COND);
  struct clew_list yes = {0}, no = {0};
  struct clew_stmt *branch = clew_stmt_new(l->program, CLEW_STMT_IF);
  branch->value = clew_murphi_lower_expr(l, value->a);
  clew_murphi_assign_expr(l, &yes, place, type, value->b, span, what);
  clew_murphi_assign_expr(l, &no, place, type, value->c, span, what);
  branch->body = yes.first;
  branch->otherwise = no.first;
  clew_list_add(list, branch);
}

void clew_murphi_assign_expr(struct murphi_lowering *l, struct clew_list *list,
                             struct clew_place place, const struct murphi_type *type,
                             struct murphi_expr *value, struct clew_span span, const char *what) {
  uint32_t mark = l->preps.len;
  if (value->kind == MURPHI_EXPR_UNDEFINED) {
    struct clew_stmt *stmt = clew_stmt_new(l->program, CLEW_STMT_UNDEFINE);
    stmt->place = place;
    clew_list_add(list, stmt);
    return;
  }
  if (value->kind == MURPHI_EXPR_COND && !clew_murphi_type_is_simple(type)) {
    assign_either(l, list, place, type, value, span, what);
    return;
  }
  if (clew_murphi_type_is_simple(type)) {
    bool strict = l->m->front->request->strict_undefined;
    const struct clew_expr *raw =
        strict ? clew_murphi_lower_expr(l, value) : clew_murphi_lower_raw(l, value);
    clew_murphi_prep_stmts(l, mark, list);
    clew_murphi_assign_simple(l, list, place, type, raw, value->type, span, what);
    return;
  }
  struct murphi_spot source = clew_murphi_lower_place(l, value);
  clew_murphi_require(l, source.presence);
  clew_murphi_prep_stmts(l, mark, list);
  clew_murphi_assign_block(l, list, place, type, source.place, value->type, span, what);
}

/* ---- Comparison ----------------------------------------------------------------------------- */

/* Both undefined, or both defined and equal. */
static const struct clew_expr *equal_simple(struct murphi_lowering *l, struct clew_place place,
                                            struct clew_place place2) {
  assert(place.type->kind == CLEW_TYPE_SCALAR && place2.type->kind == CLEW_TYPE_SCALAR);
  const struct clew_expr *undefined = clew_expr_is_undefined(l->program, place);
  const struct clew_expr *undefined2 = clew_expr_is_undefined(l->program, place2);
  /* The loads are reached only when both are defined; their sites are never used. */
  uint32_t site = clew_murphi_site(l, CLEW_SITE_UNDEFINED, (struct clew_span){0}, "undefined");
  const struct clew_expr *equal =
      clew_murphi_compare(l, CLEW_OP_EQ, clew_expr_load(l->program, place, site),
                          clew_expr_load(l->program, place2, site));
  const struct clew_expr *defined = clew_murphi_and(l, clew_murphi_not(l, undefined2), equal);
  return clew_expr_cond(l->program, undefined, undefined2, defined);
}

const struct clew_expr *clew_murphi_equal_block(struct murphi_lowering *l, struct clew_place place,
                                                const struct murphi_type *type,
                                                struct clew_place place2,
                                                const struct murphi_type *type2) {
  if (clew_murphi_type_same(type, type2)) {
    return clew_expr_equal(l->program, place, place2);
  }
  switch (type->kind) {
  case MURPHI_TYPE_ARRAY: {
    const struct clew_expr *index;
    const struct clew_stmt *loop = array_loop(l, place.type, &index);
    const struct clew_expr *body = clew_murphi_equal_block(
        l, clew_place_index(l->program, place, index, CLEW_NONE), type->element,
        clew_place_index(l->program, place2, index, CLEW_NONE), type2->element);
    return clew_expr_quantify(l->program, CLEW_OP_FORALL, loop->cell, loop->value, loop->value2, 1,
                              body);
  }
  case MURPHI_TYPE_RECORD: {
    const struct clew_expr *all = clew_murphi_const(l, 1);
    for (uint32_t i = 0; i < type->field_count; i++) {
      all = clew_murphi_and(
          l, all,
          clew_murphi_equal_block(l, clew_place_field(place, i), type->fields[i].type,
                                  clew_place_field(place2, i), type2->fields[i].type));
    }
    return all;
  }
  default:
    assert(clew_murphi_type_is_simple(type));
    return equal_simple(l, place, place2);
  }
}
