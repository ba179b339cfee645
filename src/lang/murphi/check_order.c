/* Whether the iterations of a loop over a scalarset may be executed in any order.
 *
 * Rule. Two accesses in different iterations of which one writes must be
 *  - to different places: other variables, other fields, or some index of both is the variable of
 *    the loop itself; variables of procedures that the body calls are new in every iteration; or
 *  - two writes that commute: of the same value, which does not depend on the iteration
 *    (`found := true`, `undefine x`); additions, or subtractions, of what is not negative or the
 *    same in all iterations (`n := n + 1`); disjunctions, conjunctions, minima, maxima and values
 *    that are set once (check_accumulate.c); adding to a multiset; or
 *  - a write and a read that sees what its own iteration wrote before, without condition
 *    (`m.src := i; m.kind := Ack; net[i] := m`); or
 *  - two writes that do not last: an unconditional write of the same iteration follows, or the
 *    variable is local and not read outside of the loop.
 * `return` inside the loop: nothing but local variables is written, and the value is always the
 * same.
 *
 * Why this is enough. By the rule no iteration reads what another has written. So each decides the
 * same and writes the same values to the same places in every order, and where two write to one
 * place the order does not matter or the result is not used. Run-time errors: an iteration that
 * faults does so in every order, also when another one returns (lowering sees to that: the loop is
 * `exhaustive`); sums of one sign leave their range in every order or none.
 *
 * Undecided, hence no reduction over the scalarset: everything else, be it certain to depend on the
 * order (`last := i`) or not: conflicts under a condition that holds for one iteration at most,
 * indices copied to variables, operations that commute for other reasons; removing from one
 * multiset in several iterations, where one may remove what makes another fault. */
#include "lang/murphi/check_symmetry.h"

#include <assert.h>

/* ---- Kinds of accesses ---------------------------------------------------------------------- */

bool clew_murphi_access_writes(const struct murphi_access *access) {
  return access->kind >= MURPHI_ACCESS_SET && access->kind <= MURPHI_ACCESS_BAG_REMOVE;
}

/* Writes all of the place, whatever was there. */
static bool replaces(const struct murphi_access *access) {
  return access->kind == MURPHI_ACCESS_SET || access->kind == MURPHI_ACCESS_UNDEFINE ||
         access->kind == MURPHI_ACCESS_CLEAR;
}

/* Uses what is there, also when it writes. */
static bool uses(const struct murphi_access *access) {
  return access->kind == MURPHI_ACCESS_READ ||
         (clew_murphi_access_writes(access) && !replaces(access));
}

/* ---- Places --------------------------------------------------------------------------------- */

const struct murphi_env *clew_murphi_find(const struct murphi_env *env,
                                          const struct murphi_symbol *symbol) {
  while (env != NULL && env->symbol != symbol) {
    env = env->next;
  }
  return env;
}

struct extent_builder {
  struct murphi_extent extent;
  struct murphi_select selects[MURPHI_MAX_TYPE_DEPTH + 1];
};

static void locate_name(struct extent_builder *b, const struct murphi_symbol *symbol,
                        const struct murphi_env *env) {
  if (symbol->kind == MURPHI_SYMBOL_STATE || symbol->kind == MURPHI_SYMBOL_LOCAL ||
      symbol->kind == MURPHI_SYMBOL_BOUND) {
    b->extent = (struct murphi_extent){.root = symbol, .birth = symbol->birth};
    return;
  }
  const struct murphi_env *bound = clew_murphi_find(env, symbol);
  if (bound != NULL && bound->value == NULL) {
    b->extent = bound->extent;
    for (uint32_t i = 0; i < bound->extent.select_count; i++) {
      b->selects[i] = bound->extent.selects[i];
    }
  }
}

static void locate(struct extent_builder *b, const struct murphi_expr *expr,
                   const struct murphi_env *env) {
  if (expr->kind == MURPHI_EXPR_NAME) {
    locate_name(b, expr->symbol, env);
  } else if (expr->kind == MURPHI_EXPR_FIELD || expr->kind == MURPHI_EXPR_INDEX) {
    locate(b, expr->a, env);
    if (b->extent.root != NULL) {
      assert(b->extent.select_count <= MURPHI_MAX_TYPE_DEPTH);
      b->selects[b->extent.select_count++] =
          (struct murphi_select){.index = expr->b, .env = env, .field = expr->field};
    }
  }
}

struct murphi_extent clew_murphi_locate(struct murphi_walk *w, const struct murphi_expr *expr,
                                        const struct murphi_env *env) {
  struct extent_builder b;
  b.extent = (struct murphi_extent){0};
  locate(&b, expr, env);
  b.extent.selects =
      clew_arena_copy(w->arena, b.selects, b.extent.select_count, sizeof b.selects[0]);
  return b.extent;
}

static bool same_variable(const struct murphi_extent *a, const struct murphi_extent *b) {
  return a->root != NULL && a->root == b->root && a->birth == b->birth;
}

static bool is_loop_variable(const struct murphi_loop *loop, const struct murphi_expr *expr,
                             const struct murphi_env *env) {
  if (expr->kind != MURPHI_EXPR_NAME) {
    return false;
  }
  const struct murphi_symbol *symbol = expr->symbol;
  const struct murphi_env *bound = clew_murphi_find(env, symbol);
  if (bound != NULL && bound->value != NULL) {
    symbol = bound->value->kind == MURPHI_EXPR_NAME ? bound->value->symbol : NULL;
    bound = symbol != NULL ? clew_murphi_find(bound->value_env, symbol) : NULL;
  }
  if (bound != NULL && bound->value == NULL && bound->extent.select_count == 0) {
    symbol = bound->extent.root;
  }
  return symbol == loop->quantifier->symbol;
}

bool clew_murphi_overlap(const struct murphi_loop *loop, const struct murphi_extent *a,
                         const struct murphi_extent *b) {
  if (!same_variable(a, b)) {
    return false;
  }
  for (uint32_t i = 0; i < a->select_count && i < b->select_count; i++) {
    const struct murphi_select *x = &a->selects[i], *y = &b->selects[i];
    assert((x->index == NULL) == (y->index == NULL));
    if (x->index == NULL) {
      if (x->field != y->field) {
        return false;
      }
      continue;
    }
    if (x->index->is_constant && y->index->is_constant && x->index->value != y->index->value) {
      return false;
    }
    if (loop != NULL && is_loop_variable(loop, x->index, x->env) &&
        is_loop_variable(loop, y->index, y->env)) {
      return false;
    }
  }
  return true;
}

/* Whether the first place certainly contains the second. */
static bool covers(const struct murphi_extent *a, const struct murphi_extent *b) {
  if (!same_variable(a, b) || a->select_count > b->select_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->select_count; i++) {
    if (a->selects[i].index != NULL || a->selects[i].field != b->selects[i].field) {
      return false;
    }
  }
  return true;
}

/* Whether every iteration has replaced all of the place, as far as the write changes it, before it
 * comes to access number `at`, which uses it. */
static bool is_fresh(struct murphi_walk *w, const struct murphi_loop *loop,
                     const struct murphi_access *write, uint32_t at) {
  const struct murphi_access *use = &w->accesses.data[at];
  if (!clew_murphi_spend(w, at - loop->from)) {
    return false;
  }
  for (uint32_t i = loop->from; i < at; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (replaces(access) && access->level == loop->level &&
        (covers(&access->extent, &write->extent) || covers(&access->extent, &use->extent))) {
      return true;
    }
  }
  return false;
}

/* Whether the iteration itself replaces what the access number `at` writes. */
static bool is_overwritten(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t at) {
  if (!clew_murphi_spend(w, loop->to - at)) {
    return false;
  }
  for (uint32_t i = at + 1; i < loop->to; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (replaces(access) && access->level == loop->level &&
        covers(&access->extent, &w->accesses.data[at].extent)) {
      return true;
    }
  }
  return false;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Whether something in the loop writes to the place. */
static bool is_written(struct murphi_walk *w, const struct murphi_loop *loop,
                       const struct murphi_extent *extent) {
  if (!clew_murphi_spend(w, loop->to - loop->from)) {
    return true;
  }
  for (uint32_t i = loop->from; i < loop->to; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (clew_murphi_access_writes(access) && clew_murphi_overlap(NULL, &access->extent, extent)) {
      return true;
    }
  }
  return false;
}

static bool varies(struct murphi_walk *w, const struct murphi_loop *loop,
                   const struct murphi_expr *expr, const struct murphi_env *env, uint32_t local);

static bool place_varies(struct murphi_walk *w, const struct murphi_loop *loop,
                         const struct murphi_expr *expr, const struct murphi_env *env,
                         uint32_t local) {
  const struct murphi_expr *base = expr;
  for (; base->kind == MURPHI_EXPR_FIELD || base->kind == MURPHI_EXPR_INDEX; base = base->a) {
    if (base->kind == MURPHI_EXPR_INDEX && varies(w, loop, base->b, env, local)) {
      return true;
    }
  }
  if (base->kind != MURPHI_EXPR_NAME) {
    return varies(w, loop, base, env, local);
  }
  const struct murphi_env *bound = clew_murphi_find(env, base->symbol);
  if (bound != NULL && bound->value != NULL) {
    return varies(w, loop, bound->value, bound->value_env, local);
  }
  struct murphi_extent extent = clew_murphi_locate(w, expr, env);
  if (extent.root == NULL) {
    return false; /* a constant */
  }
  for (uint32_t i = 0; bound != NULL && i < bound->extent.select_count; i++) {
    const struct murphi_select *select = &bound->extent.selects[i];
    if (select->index != NULL && varies(w, loop, select->index, select->env, local)) {
      return true;
    }
  }
  if (extent.root->kind == MURPHI_SYMBOL_BOUND) {
    return extent.birth >= loop->birth && extent.birth < local;
  }
  return extent.birth > loop->birth || is_written(w, loop, &extent);
}

/* Whether the value can be different in different iterations. Variables bound from birth `local`
 * on are bound in the expression itself. What a function reads is not followed: its value may. */
static bool varies(struct murphi_walk *w, const struct murphi_loop *loop,
                   const struct murphi_expr *expr, const struct murphi_env *env, uint32_t local) {
  bool result = false;
  w->depth++;
  if (!clew_murphi_spend(w, 1) || expr->kind == MURPHI_EXPR_CALL) {
    result = true;
  } else if (expr->kind == MURPHI_EXPR_NAME || expr->kind == MURPHI_EXPR_FIELD ||
             expr->kind == MURPHI_EXPR_INDEX) {
    result = place_varies(w, loop, expr, env, local);
  } else {
    const struct murphi_quantifier *q = expr->quantifier;
    uint32_t inner = q != NULL && q->symbol->birth < local ? q->symbol->birth : local;
    const struct murphi_expr *parts[] = {expr->b,
                                         expr->c,
                                         q != NULL ? q->from : NULL,
                                         q != NULL ? q->to : NULL,
                                         q != NULL ? q->by : NULL,
                                         q != NULL ? q->bag : NULL};
    result = expr->a != NULL && varies(w, loop, expr->a, env, inner);
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0] && !result; i++) {
      result = parts[i] != NULL && varies(w, loop, parts[i], env, local);
    }
  }
  w->depth--;
  return result;
}

/* Whether the two writes always write the same value. */
static bool same_value(struct murphi_walk *w, const struct murphi_loop *loop,
                       const struct murphi_access *a, const struct murphi_access *b) {
  if (a->value == NULL || b->value == NULL) {
    return a->value == b->value;
  }
  if (a->value->is_constant && b->value->is_constant) {
    return a->value->value == b->value->value;
  }
  return a->value == b->value && a->env == b->env && !varies(w, loop, a->value, a->env, UINT32_MAX);
}

static bool is_natural(const struct murphi_expr *expr) {
  if (expr->is_constant) {
    return expr->value >= 0;
  }
  if (expr->kind == MURPHI_EXPR_BINARY &&
      (expr->op == MURPHI_OP_ADD || expr->op == MURPHI_OP_MUL)) {
    return is_natural(expr->a) && is_natural(expr->b);
  }
  if (expr->kind == MURPHI_EXPR_COND) {
    return is_natural(expr->b) && is_natural(expr->c);
  }
  return expr->kind == MURPHI_EXPR_COUNT ||
         (expr->type->kind == MURPHI_TYPE_RANGE && expr->type->lo >= 0);
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

/* Two writes, perhaps to the same place, in different iterations. */
static bool commute(struct murphi_walk *w, const struct murphi_loop *loop,
                    const struct murphi_access *a, const struct murphi_access *b) {
  assert(clew_murphi_access_writes(a) && clew_murphi_access_writes(b));
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case MURPHI_ACCESS_UNDEFINE:
  case MURPHI_ACCESS_CLEAR:
  case MURPHI_ACCESS_BAG_ADD:
  case MURPHI_ACCESS_OR:
  case MURPHI_ACCESS_AND:
  case MURPHI_ACCESS_MIN:
  case MURPHI_ACCESS_MAX:
    return true;
  case MURPHI_ACCESS_SET:
  case MURPHI_ACCESS_ONCE:
    return same_value(w, loop, a, b);
  case MURPHI_ACCESS_ADD:
  case MURPHI_ACCESS_SUBTRACT:
    return (is_natural(a->value) && is_natural(b->value)) || same_value(w, loop, a, b);
  default:
    return false;
  }
}

static void note(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t first,
                 uint32_t second, bool scratch) {
  struct murphi_conflict conflict = {
      .loop = *loop, .first = first, .second = second, .scratch = scratch};
  clew_vec_push(&w->conflicts, conflict);
}

/* The write number i with everything else in the loop; the first conflict of each sort is enough.
 */
static void judge_write(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t i) {
  const struct murphi_access *write = &w->accesses.data[i];
  bool local = write->extent.root->kind == MURPHI_SYMBOL_LOCAL, scratch = false;
  if (!clew_murphi_spend(w, loop->to - loop->from)) {
    return;
  }
  for (uint32_t j = loop->from; j < loop->to; j++) {
    const struct murphi_access *other = &w->accesses.data[j];
    bool writes = clew_murphi_access_writes(other);
    if ((other->kind != MURPHI_ACCESS_READ && !(writes && j >= i)) ||
        !clew_murphi_overlap(loop, &write->extent, &other->extent)) {
      continue;
    }
    if (writes && commute(w, loop, write, other)) {
      clew_murphi_rely(w, loop, i);
      clew_murphi_rely(w, loop, j);
      continue;
    }
    bool fresh = (!uses(other) || is_fresh(w, loop, write, j)) &&
                 (!uses(write) || is_fresh(w, loop, other, i));
    if (!fresh) {
      note(w, loop, i, j, false);
      return;
    }
    bool lasts = writes && !is_overwritten(w, loop, i) && !is_overwritten(w, loop, j);
    if (lasts && !local) {
      note(w, loop, i, j, false);
      return;
    }
    if (lasts && !scratch) {
      scratch = true;
      note(w, loop, i, i, true);
    }
  }
}

/* A `return` of the routine that the loop is in. */
static void judge_return(struct murphi_walk *w, const struct murphi_loop *loop, uint32_t i) {
  const struct murphi_access *access = &w->accesses.data[i];
  if (!clew_murphi_spend(w, loop->to - loop->from)) {
    return;
  }
  for (uint32_t j = loop->from; j < loop->to; j++) {
    const struct murphi_access *other = &w->accesses.data[j];
    const struct murphi_extent *extent = &other->extent;
    bool writes = clew_murphi_access_writes(other) && extent->birth <= loop->birth &&
                  !(extent->root->kind == MURPHI_SYMBOL_LOCAL && extent->birth == loop->routine);
    bool returns = other->kind == MURPHI_ACCESS_RETURN && other->routine == loop->routine;
    if (writes || (returns && !same_value(w, loop, access, other))) {
      note(w, loop, i, j, false);
      return;
    }
  }
}

void clew_murphi_judge_loop(struct murphi_walk *w, const struct murphi_loop *loop) {
  assert(loop->from <= loop->to && loop->to == w->accesses.len);
  for (uint32_t i = loop->from; i < loop->to && !w->gave_up; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    if (clew_murphi_access_writes(access) && access->extent.birth <= loop->birth) {
      judge_write(w, loop, i);
    } else if (access->kind == MURPHI_ACCESS_RETURN && access->routine == loop->routine) {
      loop->quantifier->returns = true;
      judge_return(w, loop, i);
    } else if (access->kind == MURPHI_ACCESS_ASSUME || access->kind == MURPHI_ACCESS_UNKNOWN) {
      note(w, loop, i, i, false);
    }
  }
}

/* ---- Reports -------------------------------------------------------------------------------- */

/* Whether what the loop leaves in a local variable is used after it (or before: it may itself be
 * in a loop). */
static bool is_used_outside(struct murphi_walk *w, const struct murphi_conflict *conflict) {
  const struct murphi_extent *extent = &w->accesses.data[conflict->first].extent;
  if (!clew_murphi_spend(w, w->accesses.len)) {
    return true;
  }
  for (uint32_t i = 0; i < w->accesses.len; i++) {
    const struct murphi_access *access = &w->accesses.data[i];
    bool inside = i >= conflict->loop.from && i < conflict->loop.to;
    if (!inside && uses(access) && clew_murphi_overlap(NULL, extent, &access->extent)) {
      return true;
    }
  }
  return false;
}

static void report(struct murphi_walk *w, const struct murphi_conflict *conflict) {
  const struct murphi_access *first = &w->accesses.data[conflict->first];
  const struct murphi_access *second = &w->accesses.data[conflict->second];
  const struct murphi_type *type = conflict->loop.quantifier->symbol->type;
  bool both =
      first->span.offset != second->span.offset || first->span.length != second->span.length;
  clew_murphi_undecided(w, type, first->span,
                        "the loop over '%s' may depend on the order of its iterations, because of "
                        "\"%s\"%s%s%s",
                        clew_murphi_type_text(w->m, type),
                        clew_front_excerpt(w->m->front, first->span), both ? " and \"" : "",
                        both ? clew_front_excerpt(w->m->front, second->span) : "",
                        both ? "\"" : "");
}

void clew_murphi_settle(struct murphi_walk *w) {
  for (uint32_t i = 0; i < w->conflicts.len; i++) {
    const struct murphi_conflict *conflict = &w->conflicts.data[i];
    if (!conflict->scratch || is_used_outside(w, conflict)) {
      report(w, conflict);
    }
  }
}
