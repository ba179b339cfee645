/* Places: designators, aliases, elements of multisets. */
#include "lang/murphi/lower.h"

#include <assert.h>
#include <string.h>

/* ---- Designators ---------------------------------------------------------------------------- */

static bool index_fits(const struct clew_expr *value, const struct murphi_type *index) {
  return value->lo >= index->lo && value->hi <= index->hi && !clew_murphi_type_has_holes(index);
}

static struct murphi_spot lower_element(struct murphi_lowering *l, struct murphi_expr *expr) {
  assert(expr->a->type->kind == MURPHI_TYPE_ARRAY);
  struct murphi_spot spot = clew_murphi_lower_place(l, expr->a);
  const struct murphi_type *index = expr->a->type->index;
  const struct clew_expr *value = clew_murphi_lower_expr(l, expr->b);
  uint32_t site = CLEW_NONE;
  if (!index_fits(value, index)) {
    site = clew_murphi_site(l, CLEW_SITE_INDEX, expr->b->span, "index of \"%s\" is %s",
                            clew_front_excerpt(l->m->front, expr->a->span),
                            clew_murphi_outside_text(l, index));
  }
  if (clew_murphi_type_has_holes(index)) {
    value = clew_murphi_to_dense(l, index, value);
  }
  spot.place = clew_place_index(l->program, spot.place, value, site);
  return spot;
}

/* The index is a variable bound by choose or multisetcount, so it is a position of this bag. */
static struct murphi_spot lower_bag_element(struct murphi_lowering *l, struct murphi_expr *expr) {
  assert(expr->a->type->kind == MURPHI_TYPE_MULTISET);
  struct murphi_spot bag = clew_murphi_lower_place(l, expr->a);
  const struct clew_expr *position = clew_murphi_lower_expr(l, expr->b);
  struct murphi_presence *presence = CLEW_NEW(l->m->front->arena, struct murphi_presence);
  presence->cell = clew_place_presence(l->program, bag.place, position, CLEW_NONE);
  presence->span = expr->span;
  presence->text = clew_front_excerpt(l->m->front, expr->span);
  presence->next = bag.presence;
  return (struct murphi_spot){clew_place_index(l->program, bag.place, position, CLEW_NONE),
                              presence};
}

struct murphi_spot clew_murphi_lower_place(struct murphi_lowering *l, struct murphi_expr *expr) {
  switch (expr->kind) {
  case MURPHI_EXPR_NAME:
    assert(expr->symbol->place.type != NULL);
    return (struct murphi_spot){expr->symbol->place, expr->symbol->presence};
  case MURPHI_EXPR_FIELD: {
    struct murphi_spot spot = clew_murphi_lower_place(l, expr->a);
    spot.place = clew_place_field(spot.place, expr->field);
    return spot;
  }
  case MURPHI_EXPR_INDEX:
    return expr->a->type->kind == MURPHI_TYPE_MULTISET ? lower_bag_element(l, expr)
                                                       : lower_element(l, expr);
  default:
    assert(expr->kind == MURPHI_EXPR_CALL);
    return (struct murphi_spot){clew_murphi_lower_aggregate_call(l, expr), NULL};
  }
}

void clew_murphi_require(struct murphi_lowering *l, const struct murphi_presence *presence) {
  if (presence == NULL) {
    return;
  }
  clew_murphi_require(l, presence->next); /* the outer element first */
  struct murphi_prep prep = {.is_requirement = true};
  prep.value = clew_expr_load(l->program, presence->cell, CLEW_NONE);
  prep.site = clew_murphi_site(l, CLEW_SITE_INDEX, presence->span,
                               "\"%s\" does not exist: the element was removed", presence->text);
  clew_vec_push(&l->preps, prep);
}

const struct clew_expr *clew_murphi_lower_present(struct murphi_lowering *l,
                                                  struct murphi_quantifier *q) {
  assert(q->bag != NULL);
  struct murphi_spot bag = clew_murphi_lower_place(l, q->bag);
  const struct clew_expr *position = clew_expr_load(l->program, q->symbol->place, CLEW_NONE);
  struct clew_place cell = clew_place_presence(l->program, bag.place, position, CLEW_NONE);
  return clew_expr_load(l->program, cell, CLEW_NONE);
}

/* ---- Aliases -------------------------------------------------------------------------------- */

/* Whether the value of an index cannot change: a cell that nothing assigns to. Cells of the frame
 * that cannot be undefined are bound variables and frozen indices. */
static bool is_stable(const struct clew_expr *value) {
  return value->kind == CLEW_EXPR_CONST ||
         (value->kind == CLEW_EXPR_LOAD && value->place.space == CLEW_SPACE_FRAME &&
          value->place.index_count == 0 && !value->place.type->undefinable);
}

/* One index of the place: its value moves to a variable. Outside of guards its range is checked
 * now, so that no use of the alias has to. */
static struct clew_index freeze_index(struct murphi_lowering *l, struct clew_index index,
                                      bool in_guard) {
  assert(index.count > 0);
  if (is_stable(index.value) && (in_guard || !index.checked)) {
    return index;
  }
  struct clew_place place;
  if (in_guard || !index.checked) {
    place = clew_murphi_temporary(l, "index", index.value);
  } else {
    struct clew_domain *domain = CLEW_NEW(l->arena, struct clew_domain);
    *domain = (struct clew_domain){.lo = index.lo, .hi = index.lo + (int64_t)index.count - 1};
    place = clew_murphi_local(l, "index", clew_type_scalar(l->arena, domain, false));
  }
  clew_murphi_prepare(l, place, index.value, index.site);
  index.value = clew_expr_load(l->program, place, CLEW_NONE);
  index.checked = index.checked && in_guard;
  index.site = index.checked ? index.site : CLEW_NONE;
  return index;
}

static struct clew_place freeze(struct murphi_lowering *l, struct clew_place place, bool in_guard) {
  if (place.index_count == 0) {
    return place;
  }
  struct clew_index *indices = CLEW_NEW_ARRAY(l->arena, struct clew_index, place.index_count);
  for (uint32_t i = 0; i < place.index_count; i++) {
    indices[i] = freeze_index(l, place.indices[i], in_guard);
  }
  place.indices = indices;
  return place;
}

/* Whether evaluating it once more has no effect and costs little. */
static bool is_repeatable(const struct clew_expr *value) {
  switch (value->kind) {
  case CLEW_EXPR_CONST:
    return true;
  case CLEW_EXPR_LOAD:
    return value->place.index_count == 0;
  case CLEW_EXPR_UNARY:
    return is_repeatable(value->a);
  case CLEW_EXPR_BINARY:
    return value->depth <= 3 && is_repeatable(value->a) && is_repeatable(value->b);
  default:
    return false;
  }
}

struct clew_place clew_murphi_repeatable(struct murphi_lowering *l, struct clew_place place) {
  for (uint32_t i = 0; i < place.index_count; i++) {
    if (!is_repeatable(place.indices[i].value)) {
      return freeze(l, place, true);
    }
  }
  return place;
}

/* The presence cells have to follow the frozen indices, of which theirs are the first. */
static const struct murphi_presence *freeze_presence(struct murphi_lowering *l,
                                                     const struct murphi_presence *presence,
                                                     const struct clew_index *indices) {
  if (presence == NULL) {
    return NULL;
  }
  struct murphi_presence *frozen = CLEW_NEW(l->m->front->arena, struct murphi_presence);
  *frozen = *presence;
  if (presence->cell.index_count > 0) {
    frozen->cell.indices = indices;
  }
  frozen->next = freeze_presence(l, presence->next, indices);
  return frozen;
}

static void bind_value(struct murphi_lowering *l, struct murphi_alias *alias, bool in_guard) {
  assert(alias->symbol->root == NULL);
  struct murphi_symbol *symbol = alias->symbol;
  if (!clew_murphi_type_is_simple(symbol->type)) {
    symbol->place = freeze(l, clew_murphi_lower_place(l, alias->value).place, in_guard);
    return;
  }
  const struct clew_expr *value = clew_murphi_lower_expr(l, alias->value);
  symbol->place = clew_murphi_temporary(l, "alias", value);
  clew_murphi_prepare(l, symbol->place, value, CLEW_NONE);
}

void clew_murphi_bind_alias(struct murphi_lowering *l, struct murphi_alias *alias, bool in_guard) {
  assert(alias->symbol->kind == MURPHI_SYMBOL_ALIAS);
  struct murphi_symbol *symbol = alias->symbol;
  symbol->presence = NULL;
  if (symbol->root == NULL) {
    bind_value(l, alias, in_guard);
    return;
  }
  struct murphi_spot spot = clew_murphi_lower_place(l, alias->value);
  symbol->place = freeze(l, spot.place, in_guard);
  symbol->presence = freeze_presence(l, spot.presence, symbol->place.indices);
}
