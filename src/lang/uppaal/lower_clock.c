/* Clocks: constraints and assignments.
 *
 * With zones a comparison is a form of one atom or two: x >= c is x_0 - x <= -c, where x_0 is zero.
 *
 * Digital time is exact for closed models only. Hence a strict bound, a difference of clocks and a
 * clock that stops are refused in guards and invariants. In a query a single strict comparison is
 * fine: over a closed set of points with whole numbers as corners a clock takes its least and its
 * greatest value at a corner. */
#include "lang/uppaal/bounds.h"
#include "lang/uppaal/lower.h"
#include "lang/uppaal/lower_zones.h"

#include <assert.h>

static const struct uppaal_value wrong = {.kind = UPPAAL_VALUE_WRONG, .type = &clew_uppaal_wrong};

bool clew_uppaal_is_clocky(const struct uppaal_value *value) {
  return value->kind == UPPAAL_VALUE_LINEAR || value->kind == UPPAAL_VALUE_RATE ||
         (value->kind == UPPAAL_VALUE_PLACE && value->type->kind == UPPAAL_CLOCK);
}

void clew_uppaal_add_clocks(struct uppaal_lowering *l, struct clew_place place, uint32_t count,
                            struct clew_domain *domain) {
  for (uint32_t i = 0; i < count; i++) {
    struct uppaal_clock clock = {.place = clew_uppaal_cell(place, i), .domain = domain};
    clew_vec_push(&l->clocks, clock);
  }
}

/* ---- Sums and differences ------------------------------------------------------------------- */

/* A clock, a number or a sum of them, as a sum. */
static struct uppaal_value linear_of(struct uppaal_lowering *l, const struct uppaal_value *value,
                                     struct clew_span span) {
  struct uppaal_value result = {.kind = UPPAAL_VALUE_LINEAR, .type = value->type};
  if (value->kind == UPPAAL_VALUE_LINEAR) {
    return *value;
  }
  if (clew_uppaal_is_clocky(value) && value->kind == UPPAAL_VALUE_PLACE) {
    result.has_plus = true;
    result.place = value->place;
  } else {
    result.expr = clew_uppaal_number_of(l, value, span);
  }
  return result;
}

static const struct clew_expr *sum_of(struct uppaal_lowering *l, enum uppaal_op op,
                                      const struct clew_expr *a, const struct clew_expr *b,
                                      struct clew_span span) {
  if (b == NULL) {
    return a;
  }
  return clew_uppaal_binary(l, op, a != NULL ? a : clew_uppaal_const(l, 0), b, span);
}

static bool is_same_clock(const struct clew_place *a, const struct clew_place *b) {
  return a->type != NULL && b->type != NULL && a->index_count == 0 && b->index_count == 0 &&
         a->base + a->offset == b->base + b->offset;
}

/* a + b or a - b; false when more than one clock is added, or subtracted, in all. */
static bool combine(struct uppaal_lowering *l, enum uppaal_op op, const struct uppaal_value *a,
                    const struct uppaal_value *b, struct clew_span span, struct uppaal_value *out) {
  struct uppaal_value other = *b;
  if (op == UPPAAL_OP_SUB) {
    other.has_plus = b->has_minus;
    other.has_minus = b->has_plus;
    other.place = b->minus;
    other.minus = b->place;
  }
  *out = *a;
  out->type = a->has_plus || a->has_minus ? a->type : b->type;
  out->expr = sum_of(l, op, a->expr, b->expr, span);
  if (out->has_plus && other.has_minus && is_same_clock(&out->place, &other.minus)) {
    out->has_plus = other.has_minus = false;
  }
  if (out->has_minus && other.has_plus && is_same_clock(&out->minus, &other.place)) {
    out->has_minus = other.has_plus = false;
  }
  if ((out->has_plus && other.has_plus) || (out->has_minus && other.has_minus)) {
    return false;
  }
  out->place = other.has_plus ? other.place : out->place;
  out->minus = other.has_minus ? other.minus : out->minus;
  out->has_plus = out->has_plus || other.has_plus;
  out->has_minus = out->has_minus || other.has_minus;
  return true;
}

struct uppaal_value clew_uppaal_lower_linear(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr,
                                             const struct uppaal_value *a,
                                             const struct uppaal_value *b) {
  struct uppaal_value result = wrong;
  bool is_sum = expr->op == UPPAAL_OP_ADD || expr->op == UPPAAL_OP_SUB;
  if (is_sum && a->kind != UPPAAL_VALUE_RATE && b->kind != UPPAAL_VALUE_RATE) {
    struct uppaal_value x = linear_of(l, a, expr->a->span), y = linear_of(l, b, expr->b->span);
    is_sum = combine(l, expr->op, &x, &y, expr->span, &result);
  } else {
    is_sum = false;
  }
  if (!is_sum) {
    clew_uppaal_fail(l, expr->span, "a clock cannot be used as a number here");
    return wrong;
  }
  return result;
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
                      bool is_trivial, bool is_diagonal) {
  const char *text = clew_front_excerpt(l->front, expr->span);
  bool is_lower = !is_diagonal && (op == UPPAAL_OP_GT || op == UPPAAL_OP_GE || op == UPPAAL_OP_EQ);
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
  } else if (l->time == UPPAAL_TIME_DIGITAL && is_strict(op) && !is_diagonal) {
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

/* The rate of a clock: one that stands still is a stopwatch. */
static struct uppaal_value lower_rate(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                      const struct uppaal_value *clock,
                                      const struct uppaal_value *other) {
  const struct clew_expr *rate = clew_uppaal_number_of(l, other, expr->span);
  const char *text = clew_front_excerpt(l->front, expr->span);
  if (expr->op != UPPAAL_OP_EQ) {
    clew_uppaal_fail(l, expr->span, "a rate is given by '=='");
  } else if (l->polarity != 1) {
    clew_uppaal_fail(l, expr->span, "a rate can only be given in a conjunction");
  } else if (l->time == UPPAAL_TIME_DIGITAL && !(rate->lo == 1 && rate->hi == 1)) {
    clew_uppaal_fail(l, expr->span, "--time digital does not support clocks that stop (\"%s\")",
                     text);
  } else if (l->time == UPPAAL_TIME_ZONES && (rate->hi < 0 || rate->lo > 1)) {
    clew_uppaal_fail(l, expr->span, "the rate of a clock is 0 or 1, not as in \"%s\"", text);
  } else if (l->time == UPPAAL_TIME_ZONES) {
    struct uppaal_atom atom = {.has_i = true,
                               .i = clock->place,
                               .bound = rate,
                               .is_rate = true,
                               .process = l->at_process,
                               .location = l->at_location,
                               .span = expr->span};
    return clew_uppaal_form_value(l, clew_uppaal_form_atom(l, atom));
  } else {
    return ignored(l);
  }
  return wrong;
}

/* Integer time: a comparison of integers. */
static struct uppaal_value compare(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                   enum uppaal_op op, const struct uppaal_value *difference,
                                   const struct clew_expr *bound) {
  if (difference->has_minus) {
    clew_uppaal_fail(l, expr->span,
                     "--time digital does not support differences of clocks (\"%s\")",
                     clew_front_excerpt(l->front, expr->span));
    return wrong;
  }
  const struct clew_place *place = &difference->place;
  clew_uppaal_note_bound(l, place, bound->hi);
  return clew_uppaal_number_value(
      clew_uppaal_binary(l, op, clew_uppaal_load(l, *place), bound, expr->span), &clew_uppaal_bool);
}

/* x_i - x_j op bound, as an atom unless it is trivial. `op` is < or <=. */
static struct uppaal_form bounded(struct uppaal_lowering *l, const struct uppaal_atom *atom) {
  const struct clew_expr *bound = atom->bound;
  bool is_lower = !atom->has_i, is_upper = !atom->has_j;
  if (is_lower && (bound->lo > 0 || (bound->lo == 0 && !atom->is_strict))) {
    /* As other tools do, it still counts as a comparison: zones tell 0 from more. */
    clew_uppaal_note_limits(l, atom);
    return clew_uppaal_form_plain(l, NULL);
  }
  if (is_upper && (bound->hi < 0 || (bound->hi == 0 && atom->is_strict))) {
    return clew_uppaal_form_plain(l, clew_uppaal_const(l, 0));
  }
  return clew_uppaal_form_atom(l, *atom);
}

/* Both sides of ==, or (is_apart) of !=. */
static struct uppaal_form two_bounds(struct uppaal_lowering *l, struct uppaal_atom upper,
                                     struct uppaal_atom lower, bool is_apart) {
  upper.is_strict = lower.is_strict = is_apart;
  struct uppaal_form a = bounded(l, &upper), b = bounded(l, &lower);
  return is_apart ? clew_uppaal_form_or(l, a, b, upper.span)
                  : clew_uppaal_form_and(l, a, b, upper.span);
}

/* Zones: place - minus op bound. */
static struct uppaal_value constrain(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                                     enum uppaal_op op, const struct uppaal_value *difference,
                                     const struct clew_expr *bound) {
  struct uppaal_atom upper = {.has_i = difference->has_plus,
                              .has_j = difference->has_minus,
                              .i = difference->place,
                              .j = difference->minus,
                              .bound = bound,
                              .is_strict = is_strict(op),
                              .process = l->at_process,
                              .location = l->at_location,
                              .span = expr->span};
  struct uppaal_atom lower = upper;
  lower.has_i = upper.has_j;
  lower.has_j = upper.has_i;
  lower.i = upper.j;
  lower.j = upper.i;
  lower.bound = clew_expr_unary(l->program, CLEW_OP_NEG, bound, CLEW_NONE);
  bool is_lower = op == UPPAAL_OP_GT || op == UPPAAL_OP_GE;
  bool is_single = is_lower || op == UPPAAL_OP_LT || op == UPPAAL_OP_LE;
  return clew_uppaal_form_value(l, is_single ? bounded(l, is_lower ? &lower : &upper)
                                             : two_bounds(l, upper, lower, op == UPPAAL_OP_NE));
}

/* a op b becomes place - minus op bound, and, if that is -x op bound, x op -bound mirrored. */
static enum uppaal_op gather(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                             const struct uppaal_value *a, const struct uppaal_value *b,
                             struct uppaal_value *difference, const struct clew_expr **bound) {
  struct uppaal_value x = linear_of(l, a, expr->a->span), y = linear_of(l, b, expr->b->span);
  const struct clew_expr *first = x.expr, *second = y.expr;
  x.expr = y.expr = NULL;
  if (!combine(l, UPPAAL_OP_SUB, &x, &y, expr->span, difference)) {
    clew_uppaal_fail(l, expr->span, "\"%s\" compares more than two clocks",
                     clew_front_excerpt(l->front, expr->span));
    *difference = wrong;
    return expr->op;
  }
  bool is_mirrored = !difference->has_plus && difference->has_minus;
  const struct clew_expr *zero = clew_uppaal_const(l, 0);
  *bound = is_mirrored ? sum_of(l, UPPAAL_OP_SUB, first, second, expr->span)
                       : sum_of(l, UPPAAL_OP_SUB, second, first, expr->span);
  *bound = *bound != NULL ? *bound : zero;
  if (is_mirrored) {
    difference->has_plus = true;
    difference->has_minus = false;
    difference->place = difference->minus;
  }
  return is_mirrored ? mirrored(expr->op) : expr->op;
}

struct uppaal_value clew_uppaal_lower_constraint(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr,
                                                 const struct uppaal_value *a,
                                                 const struct uppaal_value *b) {
  if (a->kind == UPPAAL_VALUE_RATE || b->kind == UPPAAL_VALUE_RATE) {
    bool is_first = a->kind == UPPAAL_VALUE_RATE;
    return lower_rate(l, expr, is_first ? a : b, is_first ? b : a);
  }
  struct uppaal_value difference;
  const struct clew_expr *bound = NULL;
  enum uppaal_op op = gather(l, expr, a, b, &difference, &bound);
  if (difference.kind == UPPAAL_VALUE_WRONG) {
    return wrong;
  }
  bool is_diagonal = difference.has_minus;
  enum uppaal_op effect = l->polarity < 0 ? negated(op) : op;
  bool is_trivial = effect == UPPAAL_OP_GE && bound->hi <= 0;
  if (!may_stand(l, expr, effect, is_trivial, is_diagonal)) {
    return wrong;
  }
  l->clock_atoms++;
  l->has_open_atoms = l->has_open_atoms || l->polarity == 0 || is_strict(effect);
  if (l->time == UPPAAL_TIME_NONE) {
    return ignored(l);
  }
  if (!difference.has_plus && !difference.has_minus) { /* x - x */
    const struct clew_expr *zero = clew_uppaal_const(l, 0);
    return clew_uppaal_number_value(clew_uppaal_binary(l, op, zero, bound, expr->span),
                                    &clew_uppaal_bool);
  }
  if (l->time == UPPAAL_TIME_ZONES) {
    return constrain(l, expr, op, &difference, bound);
  }
  if (!is_trivial && !is_diagonal) {
    note_kind(l, &difference.place, effect);
  }
  return compare(l, expr, op, &difference, bound);
}

/* ---- Assignments ---------------------------------------------------------------------------- */

void clew_uppaal_store_clock(struct uppaal_lowering *l, struct clew_place place,
                             const struct clew_expr *value, struct clew_span span,
                             struct clew_list *out) {
  if (l->time == UPPAAL_TIME_NONE) {
    return;
  }
  l->clock_stores++;
  l->functions_set_clocks = l->functions_set_clocks || l->variant != NULL;
  uint32_t site = CLEW_NONE;
  int64_t most = value->hi > 0 ? value->hi : 0;
  if (l->time == UPPAAL_TIME_ZONES && most > UPPAAL_MOST_BOUND) {
    most = UPPAAL_MOST_BOUND;
    site = clew_uppaal_site(l, CLEW_SITE_RANGE, span,
                            "a clock is set to a negative value, or to more than %d",
                            UPPAAL_MOST_BOUND);
  } else if (value->lo < 0) {
    site = clew_uppaal_site(l, CLEW_SITE_RANGE, span, "a clock is set to a negative value");
  }
  value = clew_uppaal_checked(l, value, 0, most, site);
  if (l->time == UPPAAL_TIME_ZONES) {
    clew_uppaal_note_setting(l, &place, most);
  } else if (most > 0) {
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
