/* Diagrams of upper bounds: the other meaning of a low edge.
 *
 * A node of x_i - x_j < c stands for (the constraint and its high child) or its low child: a low
 * edge says nothing of the constraint. So a way down to true is the zone of the constraints whose
 * high edges it takes, in either direction of a pair of clocks, and a diagram is the union of these
 * zones. A union needs no more than one pass. Whatever would have to know what is not in the set
 * (intersection, difference, inclusion) is done with federations of zones.
 *
 * Locally reduced: the high child is not empty, the low child does not have all values, both
 * differ, and the low child of the same pair, whose bound is larger, has another high child. */
#include "dd/ddd_int.h"

/* ---- nodes ---- */

clew_ddd clew_ddd_upper_make(struct clew_ddd_space *space, uint32_t value, clew_ddd high,
                             clew_ddd low) {
  uint64_t key = constraint_of(space, value)->key;
  assert(space->dd->status != CLEW_DD_OK ||
         (key < key_of(space, low) && key < key_of(space, high) &&
          !is_same_pair(key, key_of(space, high))));
  if (high == CLEW_DDD_FALSE || low == CLEW_DDD_TRUE || high == low) {
    return low;
  }
  if (low >= FIRST_NODE && is_same_pair(key, key_of(space, low)) &&
      node_of(space->dd, low).down == high) {
    return low;
  }
  return clew_dd_insert(space->dd, (struct clew_ldd_node){value, high, low});
}

/* ---- unions ---- */

clew_ddd clew_ddd_upper_or(struct clew_ddd_space *space, clew_ddd a, clew_ddd b) {
  struct clew_dd *dd = space->dd;
  clew_ddd result;
  if (a == b || a == CLEW_DDD_TRUE || b == CLEW_DDD_FALSE || gives_up(dd)) {
    return a;
  }
  if (b == CLEW_DDD_TRUE || a == CLEW_DDD_FALSE) {
    return b;
  }
  if (a > b) {
    clew_ddd other = a;
    a = b;
    b = other;
  }
  struct key cached = cache_key(dd, a, b, OP_DDD_OR);
  if (cache_get(dd, &cached, &result)) {
    return result;
  }
  dd->steps++;
  uint64_t key_a = key_of(space, a), key_b = key_of(space, b);
  struct clew_ldd_node first = node_of(dd, key_a <= key_b ? a : b);
  clew_ddd high = first.down, low = first.right;
  if (key_a == key_b) {
    struct clew_ldd_node other = node_of(dd, b);
    high = clew_ddd_upper_or(space, high, other.down);
    low = clew_ddd_upper_or(space, low, other.right);
  } else {
    low = clew_ddd_upper_or(space, low, key_a < key_b ? b : a);
  }
  if (gives_up(dd)) {
    return CLEW_DDD_FALSE;
  }
  result = clew_ddd_upper_make(space, first.value, high, low);
  cache_put(dd, &cached, result);
  return result;
}

/* ---- zones ---- */

void clew_ddd_upper_zones(const struct clew_ddd_space *space, clew_ddd set, const void *zone,
                          struct clew_fed *out) {
  if (set == CLEW_DDD_TRUE) {
    clew_fed_add(out, zone);
    return;
  }
  void *part = clew_alloc(space->zones.bytes);
  while (set >= FIRST_NODE && !gives_up(space->dd)) {
    space->dd->steps++;
    struct clew_ldd_node node = node_of(space->dd, set);
    if (clew_ddd_restrict(space, constraint_of(space, node.value), true, zone, part)) {
      clew_ddd_upper_zones(space, node.down, part, out);
    }
    set = node.right;
  }
  clew_free(part);
}

bool clew_ddd_upper_contains(const struct clew_ddd_space *space, clew_ddd set,
                             const int32_t *values, int32_t scale) {
  for (; set >= FIRST_NODE; set = node_of(space->dd, set).right) {
    struct clew_ldd_node node = node_of(space->dd, set);
    if (clew_ddd_satisfies(constraint_of(space, node.value), values, scale) &&
        clew_ddd_upper_contains(space, node.down, values, scale)) {
      return true;
    }
  }
  return set == CLEW_DDD_TRUE;
}

/* ---- by federations ---- */

/* OP_DDD_AND, OP_DDD_MINUS. */
clew_ddd clew_ddd_upper_apply(struct clew_ddd_space *space, enum operation op, clew_ddd a,
                              clew_ddd b) {
  if (op == OP_DDD_OR) {
    return clew_ddd_upper_or(space, a, b);
  }
  assert(op == OP_DDD_AND || op == OP_DDD_MINUS);
  return op == OP_DDD_AND ? clew_dd_leaf_intersect(space->dd, a, b)
                          : clew_dd_leaf_minus(space->dd, a, b, true);
}

/* Only ways that some values take are left. A way that is there for others, too, stays. */
clew_ddd clew_ddd_upper_reduce(struct clew_ddd_space *space, clew_ddd set) {
  struct clew_fed zones;
  clew_fed_open(&zones, &space->zones);
  clew_fed_add_all(&zones, clew_ddd_zones(space, set));
  clew_ddd reduced = clew_ddd_of_fed(space, &zones);
  clew_fed_close(&zones);
  return reduced;
}
