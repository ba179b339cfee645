/* The ranges of variables: how many bits of the state each one takes.
 *
 * The range of a variable is the hull of its initial values and of everything that is ever assigned
 * to it, whatever the order and the guards: the least solution (or one above it) of the inequations
 * range(x) >= range(e), one for each assignment x = e, within the range of x's type. What lies
 * outside of that is a run-time error and never stored, so the result is an invariant of every
 * reachable state and no error is lost.
 *
 * Solved by iteration. A variable that still grows after a few rounds (a counter) gets the bound of
 * its type at once; should that not end it, everything that is assigned gets the range of its type,
 * which is a solution. So time is linear in the assignments. */
#include "lang/dve/dve_int.h"

#include <assert.h>

enum { PLAIN_ROUNDS = 10, MOST_ROUNDS = 40 };

struct range {
  int64_t lo, hi; /* lo > hi: none */
};

/* Larger than any value that fits a variable; sums and products of two such are still exact. */
#define LARGE (INT64_C(1) << 31)

static const struct range all = {-LARGE, LARGE}, boolean = {0, 1};

static struct range expr_range(const struct dve_expr *expr);

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* A range that may have become too large. */
static struct range make(int64_t lo, int64_t hi) {
  assert(lo <= hi);
  return lo < -LARGE || hi > LARGE ? all : (struct range){lo, hi};
}

static int64_t magnitude(struct range r) {
  return greatest(-r.lo, r.hi);
}

/* ---- Operators ------------------------------------------------------------------------------ */

static struct range multiply(struct range a, struct range b) {
  int64_t p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return make(least(least(p, q), least(r, s)), greatest(greatest(p, q), greatest(r, s)));
}

static struct range divide(struct range a, struct range b) {
  int64_t most = magnitude(a);
  return a.lo >= 0 && b.lo >= 0 ? make(0, a.hi) : make(-most, most);
}

/* The remainder has the sign of the dividend and is smaller than the divisor. */
static struct range remain(struct range a, struct range b) {
  int64_t most = greatest(magnitude(b) - 1, 0);
  int64_t lo = a.lo >= 0 ? 0 : -least(most, -a.lo), hi = a.hi <= 0 ? 0 : least(most, a.hi);
  return make(lo, hi);
}

static struct range shift(enum dve_op op, struct range a, struct range b) {
  if (op == DVE_OP_SHR) {
    return make(least(a.lo, 0), greatest(a.hi, 0));
  }
  return b.lo < 0 || b.hi > 30 ? all : multiply(a, make(1, INT64_C(1) << b.hi));
}

static struct range bits(enum dve_op op, struct range a, struct range b) {
  if (op == DVE_OP_BIT_AND && (a.lo >= 0 || b.lo >= 0)) {
    return make(0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : least(a.hi, b.hi));
  }
  if (a.lo < 0 || b.lo < 0) {
    return all;
  }
  int64_t ones = 0;
  while (ones < a.hi || ones < b.hi) {
    ones = ones * 2 + 1;
  }
  return make(0, ones);
}

static struct range binary_range(enum dve_op op, struct range a, struct range b) {
  switch (op) {
  case DVE_OP_ADD:
    return make(a.lo + b.lo, a.hi + b.hi);
  case DVE_OP_SUB:
    return make(a.lo - b.hi, a.hi - b.lo);
  case DVE_OP_MUL:
    return multiply(a, b);
  case DVE_OP_DIV:
    return divide(a, b);
  case DVE_OP_MOD:
    return remain(a, b);
  case DVE_OP_SHL:
  case DVE_OP_SHR:
    return shift(op, a, b);
  case DVE_OP_BIT_AND:
  case DVE_OP_BIT_OR:
  case DVE_OP_BIT_XOR:
    return bits(op, a, b);
  default:
    assert(op >= DVE_OP_EQ && op <= DVE_OP_IMPLY);
    return boolean;
  }
}

static struct range unary_range(enum dve_op op, struct range a) {
  switch (op) {
  case DVE_OP_NEG:
    return make(-a.hi, -a.lo);
  case DVE_OP_COMPLEMENT:
    return make(-1 - a.hi, -1 - a.lo);
  default:
    assert(op == DVE_OP_NOT);
    return boolean;
  }
}

static struct range expr_range(const struct dve_expr *expr) {
  switch (expr->kind) {
  case DVE_EXPR_NUMBER:
    return (struct range){expr->number, expr->number};
  case DVE_EXPR_VARIABLE:
  case DVE_EXPR_FOREIGN:
    return (struct range){expr->variable->lo, expr->variable->hi};
  case DVE_EXPR_UNARY:
    return unary_range(expr->op, expr_range(expr->a));
  case DVE_EXPR_BINARY:
    return binary_range(expr->op, expr_range(expr->a), expr_range(expr->b));
  default:
    assert(expr->kind == DVE_EXPR_IN_STATE || expr->kind == DVE_EXPR_LOGIC);
    return boolean;
  }
}

/* ---- Inequations ---------------------------------------------------------------------------- */

/* *lo .. *hi grows to contain what of `r` fits the type; in haste, to the bound of the type. */
static bool grow(int64_t *lo, int64_t *hi, struct range r, enum dve_type type, bool haste) {
  r.lo = greatest(r.lo, dve_type_lo(type));
  r.hi = least(r.hi, dve_type_hi(type));
  bool changed = false;
  if (r.lo <= r.hi && r.lo < *lo) {
    *lo = haste ? dve_type_lo(type) : r.lo;
    changed = true;
  }
  if (r.lo <= r.hi && r.hi > *hi) {
    *hi = haste ? dve_type_hi(type) : r.hi;
    changed = true;
  }
  return changed;
}

static bool grow_variable(struct dve_variable *v, struct range r, bool haste) {
  return grow(&v->lo, &v->hi, r, v->type, haste);
}

/* A typed channel reduces values to its types. */
static struct range reduced(struct range r, enum dve_type type) {
  bool fits = r.lo >= dve_type_lo(type) && r.hi <= dve_type_hi(type);
  return fits ? r : (struct range){dve_type_lo(type), dve_type_hi(type)};
}

static bool send_values(const struct dve_trans *trans, bool haste) {
  bool changed = false;
  struct dve_channel *channel = trans->channel;
  for (uint32_t i = 0; i < trans->sync->count; i++) {
    struct range r = expr_range(trans->sync->values[i]);
    enum dve_type type = DVE_TYPE_INT;
    if (channel->is_typed) {
      type = channel->types[i];
      r = reduced(r, type);
    }
    /* What does not fit an int fits no variable that could receive it. */
    changed |= grow(&channel->lo[i], &channel->hi[i], r, type, haste);
  }
  return changed;
}

static bool apply(const struct dve_trans *trans, bool haste) {
  bool changed = false;
  for (uint32_t i = 0; i < trans->effect_count; i++) {
    struct range r = expr_range(trans->effects[i].value);
    changed |= grow_variable(trans->effects[i].place->variable, r, haste);
  }
  if (trans->sync == NULL) {
    return changed;
  }
  if (trans->sync->send) {
    return send_values(trans, haste) || changed;
  }
  for (uint32_t i = 0; i < trans->sync->count; i++) {
    struct range r = {trans->channel->lo[i], trans->channel->hi[i]};
    changed |= r.lo <= r.hi && grow_variable(trans->sync->values[i]->variable, r, haste);
  }
  return changed;
}

static bool apply_all(struct dve *d, bool haste) {
  bool changed = false;
  for (struct dve_process *p = d->model.processes; p != NULL; p = p->next) {
    for (uint32_t i = 0; !p->is_property && i < p->transition_count; i++) {
      changed |= apply(&p->transitions[i], haste);
    }
  }
  return changed;
}

/* ---- Start and end -------------------------------------------------------------------------- */

static void start_variables(struct dve_variable *list) {
  for (struct dve_variable *v = list; v != NULL; v = v->next) {
    assert(v->count > 0);
    v->lo = v->hi = v->values[0];
    for (uint32_t i = 1; i < v->count; i++) {
      v->lo = least(v->lo, v->values[i]);
      v->hi = greatest(v->hi, v->values[i]);
    }
  }
}

static void start_channel(struct dve *d, struct dve_channel *channel) {
  uint32_t count = channel->is_typed ? channel->type_count : 1;
  channel->lo = CLEW_NEW_ARRAY(d->front->arena, int64_t, count);
  channel->hi = CLEW_NEW_ARRAY(d->front->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    bool buffered = channel->capacity > 0; /* unused places of a buffer hold 0 */
    channel->lo[i] = buffered ? 0 : INT64_MAX;
    channel->hi[i] = buffered ? 0 : INT64_MIN;
  }
}

static void give_up(struct dve_variable *list) {
  for (struct dve_variable *v = list; v != NULL; v = v->next) {
    if (v->is_assigned) {
      v->lo = dve_type_lo(v->type);
      v->hi = dve_type_hi(v->type);
    }
  }
}

void clew_dve_ranges(struct dve *d) {
  start_variables(d->model.variables);
  for (struct dve_process *p = d->model.processes; p != NULL; p = p->next) {
    start_variables(p->variables);
  }
  for (struct dve_channel *channel = d->model.channels; channel != NULL; channel = channel->next) {
    start_channel(d, channel);
  }
  uint32_t round = 0;
  while (round < MOST_ROUNDS && apply_all(d, round >= PLAIN_ROUNDS)) {
    round++;
  }
  if (round == MOST_ROUNDS) {
    give_up(d->model.variables);
    for (struct dve_process *p = d->model.processes; p != NULL; p = p->next) {
      give_up(p->variables);
    }
    for (struct dve_channel *c = d->model.channels; c != NULL; c = c->next) {
      for (uint32_t i = 0; i < (c->is_typed ? c->type_count : 1); i++) {
        c->lo[i] = dve_type_lo(c->is_typed ? c->types[i] : DVE_TYPE_INT);
        c->hi[i] = dve_type_hi(c->is_typed ? c->types[i] : DVE_TYPE_INT);
      }
    }
  }
}
