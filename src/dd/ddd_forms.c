/* Reduced and canonical diagrams (ddd.h says what they promise), and inclusion. */
#include "dd/ddd_int.h"

/* ---- reduced ---- */

/* The diagram for the values of a zone: a constraint that all of them satisfy, or none, is not
 * asked for. */
static clew_ddd reduce(struct clew_ddd_space *space, clew_ddd set, const void *zone) {
  if (set < FIRST_NODE || gives_up(space->dd)) {
    return set;
  }
  struct clew_ldd_node node = node_of(space->dd, set);
  const struct constraint c = *constraint_of(space, node.value);
  clew_bound opposite = clew_bound_negate(c.bound);
  if (!clew_dbm_may_constrain(&space->zones, zone, c.i, c.j, c.bound)) {
    return reduce(space, node.right, zone);
  }
  if (!clew_dbm_may_constrain(&space->zones, zone, c.j, c.i, opposite)) {
    return reduce(space, node.down, zone);
  }
  space->dd->steps++;
  void *part = clew_alloc(space->zones.bytes);
  bool some = clew_ddd_restrict(space, &c, true, zone, part);
  assert(some);
  clew_ddd high = reduce(space, node.down, part);
  some = clew_ddd_restrict(space, &c, false, zone, part);
  assert(some);
  (void)some;
  clew_ddd low = reduce(space, node.right, part);
  clew_free(part);
  return gives_up(space->dd) ? CLEW_DDD_FALSE : clew_ddd_make(space, node.value, high, low);
}

clew_ddd clew_ddd_reduced(struct clew_ddd_space *space, clew_ddd set) {
  struct clew_dd *dd = space->dd;
  clew_ddd result;
  if (set < FIRST_NODE) {
    return set;
  }
  if (space->semantics == CLEW_DDD_UPPER) {
    return clew_ddd_upper_reduce(space, set);
  }
  struct key key = cache_key(dd, set, 0, OP_DDD_REDUCE);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  result = reduce(space, set, universe);
  clew_free(universe);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd run_reduce(struct clew_dd *dd, const struct call *call) {
  return clew_ddd_reduced(dd->clocks, call->a);
}

clew_ddd clew_ddd_reduce(struct clew_ddd_space *space, clew_ddd set) {
  return clew_dd_perform(space->dd, &(struct call){.run = run_reduce, .a = set});
}

static bool is_reduced(const struct clew_ddd_space *space, clew_ddd set, const void *zone) {
  if (set < FIRST_NODE) {
    return true;
  }
  struct clew_ldd_node node = node_of(space->dd, set);
  const struct constraint *c = constraint_of(space, node.value);
  void *part = clew_alloc(space->zones.bytes);
  bool right =
      clew_ddd_restrict(space, c, true, zone, part) && is_reduced(space, node.down, part) &&
      clew_ddd_restrict(space, c, false, zone, part) && is_reduced(space, node.right, part);
  clew_free(part);
  return right;
}

bool clew_ddd_is_reduced(const struct clew_ddd_space *space, clew_ddd set) {
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  bool right = is_reduced(space, set, universe);
  clew_free(universe);
  return right;
}

/* ---- inclusion ---- */

/* Whether some values of the zone are in a and not in b. */
static bool leaves(const struct clew_ddd_space *space, clew_ddd a, clew_ddd b, const void *zone) {
  if (a == CLEW_DDD_FALSE || b == CLEW_DDD_TRUE || a == b || gives_up(space->dd)) {
    return false;
  }
  if (a == CLEW_DDD_TRUE && b == CLEW_DDD_FALSE) {
    return true;
  }
  space->dd->steps++;
  uint64_t key_a = key_of(space, a), key_b = key_of(space, b), key = key_a < key_b ? key_a : key_b;
  const struct constraint *c = constraint_of(space, node_of(space->dd, key_a == key ? a : b).value);
  void *part = clew_alloc(space->zones.bytes);
  bool some = clew_ddd_restrict(space, c, true, zone, part) &&
              leaves(space, high_at(space, a, key), high_at(space, b, key), part);
  some = some || (clew_ddd_restrict(space, c, false, zone, part) &&
                  leaves(space, low_at(space, a, key), low_at(space, b, key), part));
  clew_free(part);
  return some;
}

bool clew_ddd_subset(struct clew_ddd_space *space, clew_ddd a, clew_ddd b, bool *answer) {
  assert(a != CLEW_DD_NONE && b != CLEW_DD_NONE);
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  clew_dd_begin(space->dd);
  space->dd->table->operations++;
  *answer = space->semantics == CLEW_DDD_UPPER ? clew_dd_leaf_subset(space->dd, a, b)
                                               : !leaves(space, a, b, universe);
  clew_free(universe);
  return space->dd->status == CLEW_DD_OK;
}

/* ---- canonical ---- */

/* The least zone around a federation that is not empty. */
static void find_hull(const struct clew_fed *fed, void *hull) {
  assert(fed->count > 0);
  clew_dbm_copy(fed->space, hull, clew_fed_zone(fed, 0));
  for (uint32_t i = 1; i < fed->count; i++) {
    clew_dbm_hull(fed->space, hull, clew_fed_zone(fed, i));
  }
}

/* The part of a federation that satisfies a constraint, or does not. */
static void cut_fed(const struct clew_ddd_space *space, const struct clew_fed *fed,
                    const struct constraint *c, bool is_true, struct clew_fed *out) {
  void *part = clew_alloc(space->zones.bytes);
  clew_fed_clear(out);
  for (uint32_t i = 0; i < fed->count; i++) {
    if (clew_ddd_restrict(space, c, is_true, clew_fed_zone(fed, i), part)) {
      clew_fed_add(out, part);
    }
  }
  clew_free(part);
}

/* A set within its hull, and the rest of the hull. */
struct division {
  struct clew_ddd_space *space;
  const struct clew_fed *set, *rest;
  const void *hull;
  void *where, *piece, *real; /* zones: scratch */
};

/* The hull of what a part has on one side of a constraint, in d->real; false: nothing. */
static bool find_side_hull(struct division *d, const struct clew_fed *part,
                           const struct constraint *c, bool is_true) {
  bool any = false;
  for (uint32_t i = 0; i < part->count; i++) {
    if (clew_ddd_restrict(d->space, c, is_true, clew_fed_zone(part, i), d->piece)) {
      if (any) {
        clew_dbm_hull(&d->space->zones, d->real, d->piece);
      } else {
        clew_dbm_copy(&d->space->zones, d->real, d->piece);
      }
      any = true;
    }
  }
  return any;
}

/* How many bounds the hull of a part, on one side of a constraint, has that are tighter than those
 * of the whole hull there. */
static uint32_t count_tighter(struct division *d, const struct clew_fed *part,
                              const struct constraint *c, bool is_true) {
  const struct clew_dbm_space *zones = &d->space->zones;
  bool some = clew_ddd_restrict(d->space, c, is_true, d->hull, d->where);
  assert(some);
  (void)some;
  if (!find_side_hull(d, part, c, is_true)) {
    return zones->dim * zones->dim;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < zones->dim; i++) {
    for (uint32_t j = 0; j < zones->dim; j++) {
      count += clew_dbm_get(zones, d->real, i, j) < clew_dbm_get(zones, d->where, i, j);
    }
  }
  return count;
}

/* The constraints of a pair that cut the hull have bounds from *from to *to. */
static void find_range(const struct division *d, uint32_t i, uint32_t j, clew_bound *from,
                       clew_bound *to) {
  const struct clew_dbm_space *zones = &d->space->zones;
  const clew_bound most =
      2 * (clew_bound)zones->dim * (zones->largest > 0 ? zones->largest : 1) + 1;
  clew_bound above = clew_dbm_get(zones, d->hull, i, j);
  clew_bound below = clew_dbm_get(zones, d->hull, j, i);
  *from = below == CLEW_BOUND_INFINITE ? -most : clew_bound_negate(below) + 1;
  *to = above == CLEW_BOUND_INFINITE ? most : above - 1;
}

/* The least bound for which the part has values that satisfy the constraint, and the least for
 * which it has none that do not. */
static void find_turns(const struct clew_fed *part, const struct constraint *c, clew_bound *some,
                       clew_bound *all) {
  assert(part->count > 0);
  *some = INT32_MAX;
  *all = INT32_MIN;
  for (uint32_t n = 0; n < part->count; n++) {
    const void *zone = clew_fed_zone(part, n);
    clew_bound above = clew_dbm_get(part->space, zone, c->i, c->j);
    clew_bound below = clew_dbm_get(part->space, zone, c->j, c->i);
    clew_bound first = below == CLEW_BOUND_INFINITE ? INT32_MIN : clew_bound_negate(below) + 1;
    *some = first < *some ? first : *some;
    *all = above > *all ? above : *all;
  }
}

/* The first constraint of the pair one side of which is all in the set, or all not; false: there
 * is none. */
static bool cut_off(struct division *d, struct constraint *c) {
  clew_bound from, to, some, all, some_rest, all_rest;
  find_range(d, c->i, c->j, &from, &to);
  find_turns(d->set, c, &some, &all);
  find_turns(d->rest, c, &some_rest, &all_rest);
  clew_bound turn = all < all_rest ? all : all_rest;
  c->bound = from < (some > some_rest ? some : some_rest) || from > turn ? from : turn;
  return c->bound <= to;
}

/* The constraint of the pair that tells most about the set, and about what it leaves out; the first
 * of equal ones. False: none tells more than *most. */
static bool find_best(struct division *d, struct constraint *c, uint32_t *most) {
  clew_bound from, to, best = 0;
  bool found = false;
  find_range(d, c->i, c->j, &from, &to);
  for (c->bound = from; c->bound <= to; c->bound++) {
    uint32_t score = count_tighter(d, d->set, c, true) + count_tighter(d, d->set, c, false) +
                     count_tighter(d, d->rest, c, true) + count_tighter(d, d->rest, c, false);
    if (score + 1 > *most) { /* so that one that tells nothing is better than none */
      *most = score + 1;
      best = c->bound;
      found = true;
    }
  }
  c->bound = best;
  return found;
}

/* The first constraint that cuts a side off, else the one that tells most. */
static struct constraint choose_cut(struct division *d) {
  uint32_t dim = d->space->zones.dim, most = 0;
  struct constraint c = {0}, best = {0};
  for (c.i = 1; c.i < dim; c.i++) {
    for (c.j = 0; c.j < c.i; c.j++) {
      if (cut_off(d, &c)) {
        return c;
      }
    }
  }
  for (c.i = 1; c.i < dim; c.i++) {
    for (c.j = 0; c.j < c.i; c.j++) {
      if (find_best(d, &c, &most)) {
        best = c;
      }
    }
  }
  assert(best.i > 0); /* the set is not its hull, so some constraint cuts it */
  return best;
}

static struct constraint find_cut(struct clew_ddd_space *space, const struct clew_fed *set,
                                  const struct clew_fed *rest, const void *hull) {
  unsigned char *zones = clew_alloc(3 * space->zones.bytes);
  struct division d = {.space = space,
                       .set = set,
                       .rest = rest,
                       .hull = hull,
                       .where = zones,
                       .piece = zones + space->zones.bytes,
                       .real = zones + 2 * space->zones.bytes};
  struct constraint c = choose_cut(&d);
  clew_free(zones);
  return c;
}

static clew_ddd canonical(struct clew_ddd_space *space, const struct clew_fed *fed,
                          const void *context);

/* Both halves of a set that is not its hull. */
static clew_ddd cut_canonical(struct clew_ddd_space *space, const struct clew_fed *fed,
                              const struct clew_fed *rest, const void *hull) {
  struct constraint c = find_cut(space, fed, rest, hull);
  clew_ddd sides[2];
  struct clew_fed half;
  void *around = clew_alloc(space->zones.bytes);
  clew_fed_open(&half, &space->zones);
  for (uint32_t side = 0; side < 2; side++) {
    bool some = clew_ddd_restrict(space, &c, side == 1, hull, around);
    assert(some);
    (void)some;
    cut_fed(space, fed, &c, side == 1, &half);
    clew_ddd_drop_covered(&half);
    sides[side] = canonical(space, &half, around);
  }
  clew_fed_close(&half);
  clew_free(around);
  clew_ddd test = clew_ddd_bound(space, c.i, c.j, c.bound);
  clew_ddd high = clew_ddd_apply(space, OP_DDD_AND, sides[1], test);
  clew_ddd low = clew_ddd_apply(space, OP_DDD_MINUS, sides[0], test);
  return clew_ddd_apply(space, OP_DDD_OR, high, low);
}

/* The diagram of a set within `context`. */
static clew_ddd canonical(struct clew_ddd_space *space, const struct clew_fed *fed,
                          const void *context) {
  if (fed->count == 0 || gives_up(space->dd)) {
    return CLEW_DDD_FALSE;
  }
  space->dd->steps++;
  struct clew_fed rest;
  void *hull = clew_alloc(space->zones.bytes);
  find_hull(fed, hull);
  clew_fed_open(&rest, &space->zones);
  clew_fed_add(&rest, hull);
  clew_fed_subtract_all(&rest, fed);
  clew_ddd set = clew_ddd_of_zone(space, hull, context);
  if (rest.count > 0) {
    set = clew_ddd_apply(space, OP_DDD_AND, set, cut_canonical(space, fed, &rest, hull));
  }
  clew_fed_close(&rest);
  clew_free(hull);
  return set;
}

static clew_ddd find_canonical(struct clew_ddd_space *space, clew_ddd set) {
  assert(space->semantics == CLEW_DDD_BOTH);
  struct clew_dd *dd = space->dd;
  clew_ddd result;
  struct key key = cache_key(dd, set, 0, OP_DDD_CANONICAL);
  if (set < FIRST_NODE || cache_get(dd, &key, &result)) {
    return set < FIRST_NODE ? set : result;
  }
  struct clew_fed fed;
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  clew_fed_open(&fed, &space->zones);
  clew_fed_add_all(&fed, clew_ddd_zones(space, set));
  result = canonical(space, &fed, universe);
  clew_fed_close(&fed);
  clew_free(universe);
  cache_put(dd, &key, result);
  key = cache_key(dd, result, 0, OP_DDD_CANONICAL);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd run_canonical(struct clew_dd *dd, const struct call *call) {
  return find_canonical(dd->clocks, call->a);
}

clew_ddd clew_ddd_canonical(struct clew_ddd_space *space, clew_ddd set) {
  return clew_dd_perform(space->dd, &(struct call){.run = run_canonical, .a = set});
}

clew_ddd clew_ddd_in_form(struct clew_ddd_space *space, clew_ddd set) {
  switch (space->form) {
  case CLEW_DDD_LOCAL:
    break;
  case CLEW_DDD_REDUCED:
    return gives_up(space->dd) ? CLEW_DDD_FALSE : clew_ddd_reduced(space, set);
  case CLEW_DDD_CANONICAL:
    return gives_up(space->dd) ? CLEW_DDD_FALSE : find_canonical(space, set);
  }
  return set;
}
