/* Positions in multisets. They have no meaning of their own, but while a rule runs they can be told
 * apart: multisetremovepred removes as it goes, and multisetadd takes the first free position. The
 * order of positions depends on the names in the elements and on the loops that added them, so a
 * rule whose result depends on it does not treat any scalarset alike:
 *
 *  - a position in one multiset that is used in another one, or in one that may be another one by
 *    then (`box[v]` after v has changed);
 *  - a multisetremovepred whose condition looks at other elements of the multiset, some of which
 *    may be gone by then;
 *  - a rule that removes elements and adds one, or replaces the multiset, and then looks at an
 *    element chosen before: it may be another one, or be missing. */
#include <assert.h>

#include "lang/murphi/check_symmetry.h"

/* The name of a position after replacing parameters and aliases. */
static const struct murphi_symbol *position_name(const struct murphi_expr *expr,
                                                 const struct murphi_env *env) {
  while (expr->kind == MURPHI_EXPR_NAME) {
    const struct murphi_env *bound = clew_murphi_find(env, expr->symbol);
    if (bound == NULL || bound->value == NULL) {
      return bound == NULL ? expr->symbol : bound->extent.root;
    }
    expr = bound->value;
    env = bound->value_env;
  }
  return NULL;
}

/* ---- Positions in other multisets ----------------------------------------------------------- */

void clew_murphi_bind_position(struct murphi_walk *w, const struct murphi_quantifier *q,
                               const struct murphi_env *env) {
  if (q->bag != NULL) {
    struct murphi_position position = {q->symbol, clew_murphi_locate(w, q->bag, env)};
    clew_vec_push(&w->positions, position);
  }
}

static const struct murphi_extent *find_bag(const struct murphi_walk *w,
                                            const struct murphi_symbol *symbol) {
  for (uint32_t i = w->positions.len; i > 0; i--) {
    if (w->positions.data[i - 1].symbol == symbol) {
      return &w->positions.data[i - 1].bag;
    }
  }
  return NULL;
}

/* Whether both are certainly the same place, whenever they are evaluated. */
static bool is_same_place(const struct murphi_extent *a, const struct murphi_extent *b) {
  bool same = a->root != NULL && a->root == b->root && a->birth == b->birth &&
              a->select_count == b->select_count;
  for (uint32_t i = 0; same && i < a->select_count; i++) {
    const struct murphi_select *x = &a->selects[i], *y = &b->selects[i];
    if (x->index == NULL || y->index == NULL) {
      same = x->index == y->index && x->field == y->field;
    } else if (x->index->is_constant && y->index->is_constant) {
      same = x->index->value == y->index->value;
    } else {
      const struct murphi_symbol *symbol = position_name(x->index, x->env);
      same = symbol != NULL && symbol->kind == MURPHI_SYMBOL_BOUND &&
             symbol == position_name(y->index, y->env);
    }
  }
  return same;
}

void clew_murphi_judge_position(struct murphi_walk *w, const struct murphi_expr *index,
                                const struct murphi_expr *bag, const struct murphi_expr *other,
                                const struct murphi_env *env) {
  assert((bag == NULL) != (other == NULL));
  const struct murphi_extent *first = find_bag(w, position_name(index, env)), *second;
  struct murphi_extent place;
  if (bag != NULL) {
    place = clew_murphi_locate(w, bag, env);
    second = &place;
  } else {
    second = find_bag(w, position_name(other, env));
  }
  if (first == NULL || second == NULL || !is_same_place(first, second)) {
    clew_murphi_undecided(w, NULL, index->span,
                          "the position \"%s\" is used for a multiset that may be another one",
                          clew_front_excerpt(w->m->front, index->span));
  }
}

/* ---- Removing by a condition ---------------------------------------------------------------- */

/* Whether the place is in the element at the position `symbol` of the multiset. */
static bool is_own_element(const struct murphi_extent *extent, const struct murphi_extent *bag,
                           const struct murphi_symbol *symbol) {
  if (extent->select_count <= bag->select_count) {
    return false;
  }
  const struct murphi_select *select = &extent->selects[bag->select_count];
  return select->index != NULL && position_name(select->index, select->env) == symbol;
}

void clew_murphi_judge_filter(struct murphi_walk *w, const struct murphi_stmt *stmt,
                              const struct murphi_env *env, uint32_t from) {
  const struct murphi_quantifier *q = stmt->quantifiers;
  assert(q->bag != NULL);
  struct murphi_extent bag = clew_murphi_locate(w, q->bag, env);
  for (uint32_t i = from; i < w->accesses.len; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (clew_murphi_overlap(NULL, &access->extent, &bag) &&
        !is_own_element(&access->extent, &bag, q->symbol)) {
      clew_murphi_undecided(w, NULL, stmt->value->span,
                            "the condition \"%s\" of multisetremovepred looks at other elements, "
                            "some of which may be removed already",
                            clew_front_excerpt(w->m->front, stmt->value->span));
      return;
    }
  }
}

/* ---- Positions that are taken again --------------------------------------------------------- */

/* Whether one execution makes one of them at most: they are in different clauses. */
static bool exclude_each_other(const struct murphi_branch *a, const struct murphi_branch *b) {
  for (; a != NULL; a = a->around) {
    for (const struct murphi_branch *c = b; c != NULL; c = c->around) {
      if (a->statement == c->statement) {
        return a->clause != c->clause; /* those around are the same */
      }
    }
  }
  return false;
}

/* Whether access j can be executed after access i. */
static bool can_follow(const struct murphi_walk *w, uint32_t i, uint32_t j) {
  if (i < j && !exclude_each_other(w->accesses.data[i].branch, w->accesses.data[j].branch)) {
    return true;
  }
  for (uint32_t k = 0; k < w->repeats.len; k++) {
    const struct murphi_repeat *repeat = &w->repeats.data[k];
    if (repeat->from <= i && i < repeat->to && repeat->from <= j && j < repeat->to) {
      return true;
    }
  }
  return false;
}

/* The selection of an element of a multiset in the place, or NULL. */
static const struct murphi_select *find_position(const struct murphi_extent *extent) {
  for (uint32_t i = 0; i < extent->select_count; i++) {
    const struct murphi_select *select = &extent->selects[i];
    if (select->index != NULL && select->index->type->kind == MURPHI_TYPE_BAG_INDEX) {
      return select;
    }
  }
  return NULL;
}

/* Whether the place is in an element whose position the rule got before it began. */
static bool is_chosen(const struct murphi_extent *extent) {
  const struct murphi_select *select = find_position(extent);
  const struct murphi_symbol *symbol =
      select != NULL ? position_name(select->index, select->env) : NULL;
  return select != NULL && (symbol == NULL || symbol->birth == 0);
}

/* Whether the access uses a position in this multiset. */
static bool uses_position(const struct murphi_access *access, const struct murphi_extent *bag) {
  if (access->kind == MURPHI_ACCESS_POSITION) {
    return true;
  }
  return (access->kind == MURPHI_ACCESS_BAG_REMOVE || is_chosen(&access->extent)) &&
         clew_murphi_overlap(NULL, &access->extent, bag);
}

static bool frees_positions(const struct murphi_access *access) {
  switch (access->kind) {
  case MURPHI_ACCESS_BAG_REMOVE:
  case MURPHI_ACCESS_BAG_FILTER:
    return true;
  case MURPHI_ACCESS_UNDEFINE:
  case MURPHI_ACCESS_CLEAR:
    return find_position(&access->extent) == NULL;
  default:
    return false;
  }
}

/* Whether the access puts an element into a position that may have been another's before. */
static bool takes_positions(struct murphi_walk *w, uint32_t at) {
  const struct murphi_access *access = &w->accesses.data[at];
  if (access->kind == MURPHI_ACCESS_SET) {
    return find_position(&access->extent) == NULL;
  }
  for (uint32_t i = 0; i < w->accesses.len && access->kind == MURPHI_ACCESS_BAG_ADD; i++) {
    if (frees_positions(&w->accesses.data[i]) && can_follow(w, i, at) &&
        clew_murphi_overlap(NULL, &w->accesses.data[i].extent, &access->extent)) {
      return true;
    }
  }
  return false;
}

static void judge_taken(struct murphi_walk *w, uint32_t at) {
  const struct murphi_extent *extent = &w->accesses.data[at].extent;
  for (uint32_t i = 0; i < w->accesses.len; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (can_follow(w, at, i) && uses_position(access, extent)) {
      clew_murphi_undecided(w, NULL, access->span,
                            "\"%s\" looks at an element again whose position another one may have "
                            "taken",
                            clew_front_excerpt(w->m->front, access->span));
      return;
    }
  }
}

void clew_murphi_judge_positions(struct murphi_walk *w) {
  bool any = false;
  for (uint32_t i = 0; i < w->accesses.len && !any; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    any = access->kind == MURPHI_ACCESS_BAG_REMOVE || access->kind == MURPHI_ACCESS_POSITION ||
          is_chosen(&access->extent);
  }
  for (uint32_t i = 0; any && i < w->accesses.len; i++) {
    if (!clew_murphi_spend(w, 2 * (uint64_t)w->accesses.len * (w->repeats.len + 1))) {
      return;
    }
    if (takes_positions(w, i)) {
      judge_taken(w, i);
    }
  }
}
