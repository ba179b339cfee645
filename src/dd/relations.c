/* Projection, and relations over short vectors forwards and backwards. A plan says what happens at
 * each level; relations have nodes only where they touch a level.
 *
 * A level that is only written forgets its old values: what was below them is united. Results of
 * one level are put on the stack of items in any order, then sorted and united value by value. */
#include "dd/dd_int.h"

static enum clew_ldd_role role_of(const struct clew_dd *dd, uint32_t plan) {
  assert(plan >= PLAN_FIRST && plan < dd->plans.len);
  return (enum clew_ldd_role)(dd->plans.data[plan].kind % PLAN_ROLES);
}

static uint32_t below(const struct clew_dd *dd, uint32_t plan) {
  return dd->plans.data[plan].next;
}

/* Both at the same value, the first there is; false when there is none. */
static inline bool meet(struct clew_dd *dd, clew_ldd *a, clew_ldd *b, struct clew_ldd_node *x,
                        struct clew_ldd_node *y) {
  while (*a != CLEW_LDD_EMPTY && *b != CLEW_LDD_EMPTY) {
    *x = node_of(dd, *a);
    *y = node_of(dd, *b);
    dd->steps++;
    if (x->value == y->value) {
      return true;
    }
    if (x->value < y->value) {
      *a = x->right;
    } else {
      *b = y->right;
    }
  }
  return false;
}

/* ---- projection ---- */

static clew_ldd project(struct clew_dd *dd, clew_ldd set, uint32_t plan);

static clew_ldd project_list(struct clew_dd *dd, clew_ldd set, uint32_t plan) {
  uint32_t base = dd->items.len, next = below(dd, plan);
  bool stays = role_of(dd, plan) == CLEW_LDD_READ;
  clew_ldd all = CLEW_LDD_EMPTY;
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    dd->steps++;
    clew_ldd down = project(dd, node.down, next);
    if (stays) {
      item_push(dd, node.value, down, down == node.down ? set : NO_ORIGIN);
    } else {
      all = clew_dd_union(dd, all, down);
    }
    set = node.right;
  }
  return stays ? clew_dd_list(dd, base, CLEW_LDD_EMPTY) : all;
}

static clew_ldd project(struct clew_dd *dd, clew_ldd set, uint32_t plan) {
  if (set == CLEW_LDD_EMPTY || plan == PLAN_KEEP) {
    return set;
  }
  if (plan == PLAN_CUT) {
    return CLEW_LDD_UNIT;
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  clew_ldd result;
  struct key key = cache_key(dd, set, 0, OP_FIRST_PLAN + plan);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result = project_list(dd, set, plan);
  cache_put(dd, &key, result);
  return result;
}

/* ---- forwards ---- */

static clew_ldd product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan);

static clew_ldd product_skip(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next) {
  uint32_t base = dd->items.len;
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    dd->steps++;
    clew_ldd down = product(dd, node.down, relation, next);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, node.value, down, down == node.down ? set : NO_ORIGIN);
    }
    set = node.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

static clew_ldd product_read(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next) {
  uint32_t base = dd->items.len;
  struct clew_ldd_node x, y;
  while (meet(dd, &set, &relation, &x, &y)) {
    clew_ldd down = product(dd, x.down, y.down, next);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, x.value, down, down == x.down ? set : NO_ORIGIN);
    }
    set = x.right;
    relation = y.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

/* Each value that is written, with what becomes of the vectors of `rest`. */
static void push_written(struct clew_dd *dd, clew_ldd rest, clew_ldd written, uint32_t next) {
  while (written != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, written);
    dd->steps++;
    clew_ldd down = product(dd, rest, node.down, next);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, node.value, down, NO_ORIGIN);
    }
    written = node.right;
  }
}

static clew_ldd product_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next) {
  uint32_t base = dd->items.len;
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    push_written(dd, node.down, relation, next);
    set = node.right;
  }
  return clew_dd_list_sorted(dd, base);
}

static clew_ldd product_read_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                   uint32_t next) {
  uint32_t base = dd->items.len;
  struct clew_ldd_node x, y;
  while (meet(dd, &set, &relation, &x, &y)) {
    push_written(dd, x.down, y.down, next);
    set = x.right;
    relation = y.right;
  }
  return clew_dd_list_sorted(dd, base);
}

static clew_ldd product_at(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan) {
  uint32_t next = below(dd, plan);
  switch (role_of(dd, plan)) {
  case CLEW_LDD_SKIP:
    return product_skip(dd, set, relation, next);
  case CLEW_LDD_READ:
    return product_read(dd, set, relation, next);
  case CLEW_LDD_WRITE:
    return product_write(dd, set, relation, next);
  case CLEW_LDD_READ_WRITE:
    return product_read_write(dd, set, relation, next);
  case CLEW_LDD_ACT:
    return clew_dd_leaf_act(dd, set, relation);
  }
  assert(false);
  return CLEW_LDD_EMPTY;
}

static clew_ldd product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan) {
  if (set == CLEW_LDD_EMPTY || relation == CLEW_LDD_EMPTY) {
    return CLEW_LDD_EMPTY;
  }
  if (plan == PLAN_KEEP) {
    assert(relation == CLEW_LDD_UNIT);
    return set;
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  clew_ldd result;
  struct key key = cache_key(dd, set, relation, OP_FIRST_PLAN + plan);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result = product_at(dd, set, relation, plan);
  cache_put(dd, &key, result);
  return result;
}

/* ---- backwards ---- */

static clew_ldd inverse(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                        clew_ldd universe);

static clew_ldd inverse_skip(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                             clew_ldd universe) {
  uint32_t base = dd->items.len;
  struct clew_ldd_node x, u;
  while (meet(dd, &set, &universe, &x, &u)) {
    clew_ldd down = inverse(dd, x.down, relation, next, u.down);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, x.value, down, down == u.down ? universe : NO_ORIGIN);
    }
    set = x.right;
    universe = u.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

static clew_ldd inverse_read(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                             clew_ldd universe) {
  uint32_t base = dd->items.len;
  struct clew_ldd_node x, y, u;
  while (meet(dd, &set, &relation, &x, &y)) {
    while (universe != CLEW_LDD_EMPTY && node_of(dd, universe).value < x.value) {
      universe = node_of(dd, universe).right;
    }
    if (universe == CLEW_LDD_EMPTY) {
      break;
    }
    u = node_of(dd, universe);
    clew_ldd down = u.value == x.value ? inverse(dd, x.down, y.down, next, u.down) : CLEW_LDD_EMPTY;
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, x.value, down, down == u.down ? universe : NO_ORIGIN);
    }
    set = x.right;
    relation = y.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

/* The vectors of `rest` for which one of the values that are written leads into the set. */
static clew_ldd before_written(struct clew_dd *dd, clew_ldd set, clew_ldd written, uint32_t next,
                               clew_ldd rest) {
  clew_ldd all = CLEW_LDD_EMPTY;
  struct clew_ldd_node x, w;
  while (meet(dd, &set, &written, &x, &w)) {
    all = clew_dd_union(dd, all, inverse(dd, x.down, w.down, next, rest));
    set = x.right;
    written = w.right;
  }
  return all;
}

static clew_ldd inverse_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                              clew_ldd universe) {
  uint32_t base = dd->items.len;
  while (universe != CLEW_LDD_EMPTY) {
    struct clew_ldd_node u = node_of(dd, universe);
    clew_ldd down = before_written(dd, set, relation, next, u.down);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, u.value, down, down == u.down ? universe : NO_ORIGIN);
    }
    universe = u.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

static clew_ldd inverse_read_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                   uint32_t next, clew_ldd universe) {
  uint32_t base = dd->items.len;
  struct clew_ldd_node y, u;
  while (meet(dd, &relation, &universe, &y, &u)) {
    clew_ldd down = before_written(dd, set, y.down, next, u.down);
    if (down != CLEW_LDD_EMPTY) {
      item_push(dd, u.value, down, down == u.down ? universe : NO_ORIGIN);
    }
    relation = y.right;
    universe = u.right;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

static clew_ldd inverse_at(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                           clew_ldd universe) {
  uint32_t next = below(dd, plan);
  switch (role_of(dd, plan)) {
  case CLEW_LDD_SKIP:
    return inverse_skip(dd, set, relation, next, universe);
  case CLEW_LDD_READ:
    return inverse_read(dd, set, relation, next, universe);
  case CLEW_LDD_WRITE:
    return inverse_write(dd, set, relation, next, universe);
  case CLEW_LDD_READ_WRITE:
    return inverse_read_write(dd, set, relation, next, universe);
  case CLEW_LDD_ACT:
    break;
  }
  assert(false);
  return CLEW_LDD_EMPTY;
}

static clew_ldd inverse(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                        clew_ldd universe) {
  if (set == CLEW_LDD_EMPTY || relation == CLEW_LDD_EMPTY || universe == CLEW_LDD_EMPTY) {
    return CLEW_LDD_EMPTY;
  }
  if (plan == PLAN_KEEP) {
    assert(relation == CLEW_LDD_UNIT);
    return clew_dd_intersect(dd, set, universe);
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  clew_ldd result;
  const uint32_t key[4] = {set, relation, OP_FIRST_PLAN + plan, universe};
  if (clew_dd_wide_get(dd, key, &result)) {
    return result;
  }
  result = inverse_at(dd, set, relation, plan, universe);
  clew_dd_wide_put(dd, key, result);
  return result;
}

/* ---- calls ---- */

static clew_ldd run_project(struct clew_dd *dd, const struct call *call) {
  return project(dd, call->a, call->plan);
}

clew_ldd clew_ldd_project(struct clew_dd *dd, clew_ldd set, uint32_t plan) {
  return clew_dd_perform(dd, &(struct call){.run = run_project, .a = set, .plan = plan});
}

static clew_ldd run_product(struct clew_dd *dd, const struct call *call) {
  return product(dd, call->a, call->b, call->plan);
}

clew_ldd clew_ldd_product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan) {
  return clew_dd_perform(dd,
                         &(struct call){.run = run_product, .a = set, .b = relation, .plan = plan});
}

static clew_ldd run_inverse(struct clew_dd *dd, const struct call *call) {
  return inverse(dd, call->a, call->b, call->plan, call->c);
}

clew_ldd clew_ldd_inverse(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                          clew_ldd universe) {
  return clew_dd_perform(
      dd, &(struct call){.run = run_inverse, .a = set, .b = relation, .c = universe, .plan = plan});
}
