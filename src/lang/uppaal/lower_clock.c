/* Clocks: constraints and assignments.
 *
 * Digital time is exact for closed models only. Hence a strict bound, a difference of clocks and a
 * clock that stops are refused in guards and invariants. In a query a single strict comparison is
 * fine: over a closed set of points with whole numbers as corners a clock takes its least and its
 * greatest value at a corner. */
#include "lang/uppaal/lower.h"

#include <assert.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

bool clew_uppaal_is_clocky(const struct uppaal_value *value) {
  return value->kind == UPPAAL_VALUE_DIFFERENCE || value->kind == UPPAAL_VALUE_RATE ||
         (value->kind == UPPAAL_VALUE_PLACE && value->type->kind == UPPAAL_CLOCK);
}

void clew_uppaal_add_clocks(struct uppaal_lowering *l, struct clew_place place, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct uppaal_clock clock = {.place = clew_uppaal_cell(place, i)};
    clew_vec_push(&l->clocks, clock);
  }
}

/* ---- Constraints ---------------------------------------------------------------------------- */

static enum uppaal_op mirrored(enum uppaal_op op) {
  switch (op) {
  case UPPAAL_OP_LT:
    return UPPAAL_OP_GT;
  case UPPAAL_OP_LE:
    return UPPAAL_OP_GE;
  case UPPAAL_OP_GT:
    return UPPAAL_OP_LT;
  case UPPAAL_OP_GE:
    return UPPAAL_OP_LE;
  default:
    return op;
  }
}

static enum uppaal_op negated(enum uppaal_op op) {
  switch (op) {
  case UPPAAL_OP_LT:
    return UPPAAL_OP_GE;
  case UPPAAL_OP_LE:
    return UPPAAL_OP_GT;
  case UPPAAL_OP_GT:
    return UPPAAL_OP_LE;
  case UPPAAL_OP_GE:
    return UPPAAL_OP_LT;
  case UPPAAL_OP_EQ:
    return UPPAAL_OP_NE;
  default:
    return UPPAAL_OP_EQ;
  }
}

static bool is_strict(enum uppaal_op op) {
  return op == UPPAAL_OP_LT || op == UPPAAL_OP_GT || op == UPPAAL_OP_NE;
}

/* Whether a constraint of this kind may stand here; says why not. `op` is as it takes effect, a
 * negation around it counted in; x >= 0 is trivial. */
static bool may_stand(struct uppaal_lowering *l, const struct uppaal_expr *expr, enum uppaal_op op,
                      bool is_trivial) {
  const char *text = clew_front_excerpt(l->front, expr->span);
  bool is_lower = op == UPPAAL_OP_GT || op == UPPAAL_OP_GE || op == UPPAAL_OP_EQ;
  if (l->use == UPPAAL_USE_CODE) {
    clew_uppaal_fail(l, expr->span,
                     "clocks can be compared in guards, invariants and queries only");
  } else if (l->use == UPPAAL_USE_QUERY) {
    return true;
  } else if (l->polarity == 0 || op == UPPAAL_OP_NE) {
    clew_uppaal_fail(l, expr->span,
                     "\"%s\" makes no convex constraint: clocks can be compared in conjunctions "
                     "only, and not by '!='",
                     text);
  } else if (l->use == UPPAAL_USE_INVARIANT && is_lower && !is_trivial) {
    clew_uppaal_fail(l, expr->span, "\"%s\" is a lower bound, which no invariant can have", text);
  } else if (l->time == UPPAAL_TIME_DIGITAL && is_strict(op)) {
    clew_uppaal_fail(l, expr->span,
                     "--time digital is exact for closed models only, but \"%s\" is a strict bound",
                     text);
  } else {
    return true;
  }
  return false;
}

/* Which kinds of bounds guards and invariants have, on which clocks. */
static void note_kind(struct uppaal_lowering *l, const struct clew_place *place,
                      enum uppaal_op op) {
  if (l->use == UPPAAL_USE_QUERY) {
    return;
  }
  uint32_t slot = place->base + place->offset;
  bool is_first = !l->has_lower_bounds && !l->has_upper_bounds;
  l->bounds_several =
      l->bounds_several || place->index_count > 0 || (!is_first && l->bounded_clock != slot);
  l->bounded_clock = slot;
  l->has_lower_bounds = l->has_lower_bounds || op != UPPAAL_OP_LE;
  l->has_upper_bounds = l->has_upper_bounds || op != UPPAAL_OP_GE;
}

static struct uppaal_value ignored(struct uppaal_lowering *l) {
  return clew_uppaal_number_value(clew_uppaal_const(l, l->polarity >= 0), &clew_uppaal_bool);
}

static struct uppaal_value lower_rate(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                      const struct uppaal_value *other) {
  const struct clew_expr *rate = clew_uppaal_number_of(l, other, expr->span);
  if (expr->op != UPPAAL_OP_EQ) {
    clew_uppaal_fail(l, expr->span, "a rate is given by '=='");
    return wrong;
  }
  if (l->time == UPPAAL_TIME_DIGITAL && !(rate->lo == 1 && rate->hi == 1)) {
    clew_uppaal_fail(l, expr->span, "--time digital does not support clocks that stop (\"%s\")",
                     clew_front_excerpt(l->front, expr->span));
    return wrong;
  }
  return ignored(l);
}

static struct uppaal_value lower_diagonal(struct uppaal_lowering *l,
                                          const struct uppaal_expr *expr) {
  if (l->time == UPPAAL_TIME_DIGITAL) {
    clew_uppaal_fail(l, expr->span,
                     "--time digital does not support differences of clocks (\"%s\")",
                     clew_front_excerpt(l->front, expr->span));
    return wrong;
  }
  return ignored(l);
}

struct uppaal_value clew_uppaal_lower_constraint(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr,
                                                 const struct uppaal_value *a,
                                                 const struct uppaal_value *b) {
  enum uppaal_op op = expr->op;
  if (!clew_uppaal_is_clocky(a)) {
    const struct uppaal_value *other = a;
    a = b;
    b = other;
    op = mirrored(op);
  }
  if (a->kind == UPPAAL_VALUE_RATE) {
    return lower_rate(l, expr, b);
  }
  bool is_diagonal = a->kind == UPPAAL_VALUE_DIFFERENCE || clew_uppaal_is_clocky(b);
  enum uppaal_op effect = l->polarity < 0 ? negated(op) : op;
  const struct clew_expr *bound = is_diagonal ? NULL : clew_uppaal_number_of(l, b, expr->span);
  bool is_trivial = !is_diagonal && effect == UPPAAL_OP_GE && bound->hi <= 0;
  if (!is_diagonal && !may_stand(l, expr, effect, is_trivial)) {
    return wrong;
  }
  l->clock_atoms++;
  l->has_open_atoms = l->has_open_atoms || l->polarity == 0 || is_strict(effect);
  if (is_diagonal) {
    return lower_diagonal(l, expr);
  }
  if (l->time == UPPAAL_TIME_NONE) {
    return ignored(l);
  }
  clew_uppaal_note_bound(l, &a->place, bound->hi);
  if (!is_trivial) {
    note_kind(l, &a->place, effect);
  }
  return clew_uppaal_number_value(
      clew_uppaal_binary(l, op, clew_uppaal_load(l, a->place), bound, expr->span),
      &clew_uppaal_bool);
}

/* ---- Assignments ---------------------------------------------------------------------------- */

void clew_uppaal_store_clock(struct uppaal_lowering *l, struct clew_place place,
                             const struct clew_expr *value, struct clew_span span,
                             struct clew_list *out) {
  if (l->time == UPPAAL_TIME_NONE) {
    return;
  }
  uint32_t site = CLEW_NONE;
  if (value->lo < 0) {
    site = clew_uppaal_site(l, CLEW_SITE_RANGE, span, "a clock is set to a negative value");
  }
  int64_t most = value->hi > 0 ? value->hi : 0;
  value = clew_uppaal_checked(l, value, 0, most, site);
  if (most > 0) {
    uint32_t process = l->at_process, location = l->at_location;
    l->at_process = CLEW_NONE;
    l->at_location = UPPAAL_AT_SETTING;
    clew_uppaal_note_bound(l, &place, most);
    l->at_process = process;
    l->at_location = location;
    l->sets_clocks = true;
  }
  clew_list_add(out, clew_stmt_assign(l->program, place, value, CLEW_NONE));
}
