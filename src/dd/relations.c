/* Projection, and relations over short vectors forwards and backwards. A plan says what happens at
 * each level; relations have nodes only where they touch a level.
 *
 * A level that is only written forgets its old values: what was below them is united. Results of
 * one level are put on the stack of items in any order, then sorted and united value by value.
 *
 * As in sets.c, each operation exists for one who is alone (`height` is 0) and for those who share
 * it. */
#include "dd/tasks_int.h"

static enum clew_ldd_role role_of(const struct clew_dd *dd, uint32_t plan) {
  assert(plan >= PLAN_FIRST && plan < dd->table->plans.len);
  return (enum clew_ldd_role)(dd->plans[plan].kind % PLAN_ROLES);
}

static uint32_t below(const struct clew_dd *dd, uint32_t plan) {
  return dd->plans[plan].next;
}

ALWAYS_INLINE uint32_t tasks_mark(const struct clew_dd *dd, uint32_t height) {
  return height > 0 ? clew_dd_tasks_mark(dd) : 0;
}

ALWAYS_INLINE void join(struct clew_dd *dd, uint32_t base, uint32_t mark, uint32_t height) {
  if (height > 0) {
    clew_dd_join(dd, base, mark);
  }
}

/* The union of what the items from `base` on lead to, in their order; the items are gone. */
static clew_ldd fold(struct clew_dd *dd, uint32_t base, uint32_t height) {
  clew_ldd all = CLEW_LDD_EMPTY;
  uint32_t end = dd->items.len;
  for (uint32_t i = base; i < end; i++) {
    all = clew_dd_union_tall(dd, all, dd->items.data[i].down, height);
    assert(dd->items.len == end);
  }
  dd->items.len = base;
  return all;
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

static clew_ldd project_alone(struct clew_dd *dd, clew_ldd set, uint32_t plan);

ALWAYS_INLINE void push_project(struct clew_dd *dd, const struct branch *branch, clew_ldd set,
                                uint32_t plan, uint32_t height) {
  if (height > 0 && plan >= PLAN_FIRST && clew_dd_may_fork(dd)) {
    clew_dd_fork(dd, &(struct task){TASK_PROJECT, set, 0, 0, plan, height - 1}, branch);
  } else {
    branch_push(dd, branch,
                height > 0 ? clew_dd_project_tall(dd, set, plan, height - 1)
                           : project_alone(dd, set, plan));
  }
}

ALWAYS_INLINE clew_ldd project_list(struct clew_dd *dd, clew_ldd set, uint32_t plan,
                                    uint32_t height) {
  uint32_t base = dd->items.len, mark = tasks_mark(dd, height), next = below(dd, plan);
  bool stays = role_of(dd, plan) == CLEW_LDD_READ;
  clew_ldd all = CLEW_LDD_EMPTY;
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    dd->steps++;
    if (stays || height > 0) {
      struct branch branch = {node.value, node.down, set, 0, NO_ORIGIN};
      push_project(dd, &branch, node.down, next, height);
    } else {
      all = clew_dd_union(dd, all, project_alone(dd, node.down, next));
    }
    set = node.right;
  }
  join(dd, base, mark, height);
  if (!stays) {
    return height > 0 ? fold(dd, base, height) : all;
  }
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

ALWAYS_INLINE clew_ldd project(struct clew_dd *dd, clew_ldd set, uint32_t plan, uint32_t height) {
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
  result = project_list(dd, set, plan, height);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd project_alone(struct clew_dd *dd, clew_ldd set, uint32_t plan) {
  return project(dd, set, plan, 0);
}

clew_ldd clew_dd_project_tall(struct clew_dd *dd, clew_ldd set, uint32_t plan, uint32_t height) {
  return height > 0 ? project(dd, set, plan, height) : project_alone(dd, set, plan);
}

/* ---- forwards ---- */

static clew_ldd product_alone(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan);

ALWAYS_INLINE void push_product(struct clew_dd *dd, const struct branch *branch, clew_ldd set,
                                clew_ldd relation, uint32_t plan, uint32_t height) {
  if (height > 0 && plan >= PLAN_FIRST && clew_dd_may_fork(dd)) {
    clew_dd_fork(dd, &(struct task){TASK_PRODUCT, set, relation, 0, plan, height - 1}, branch);
  } else {
    branch_push(dd, branch,
                height > 0 ? clew_dd_product_tall(dd, set, relation, plan, height - 1)
                           : product_alone(dd, set, relation, plan));
  }
}

/* The element of a value that stays as it is. */
ALWAYS_INLINE void push_kept(struct clew_dd *dd, clew_ldd set, struct clew_ldd_node node,
                             clew_ldd relation, uint32_t next, uint32_t height) {
  struct branch branch = {node.value, node.down, set, 0, NO_ORIGIN};
  push_product(dd, &branch, node.down, relation, next, height);
}

ALWAYS_INLINE void product_skip(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                                uint32_t height) {
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    dd->steps++;
    push_kept(dd, set, node, relation, next, height);
    set = node.right;
  }
}

ALWAYS_INLINE void product_read(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                                uint32_t height) {
  struct clew_ldd_node x, y;
  while (meet(dd, &set, &relation, &x, &y)) {
    push_kept(dd, set, x, y.down, next, height);
    set = x.right;
    relation = y.right;
  }
}

/* Each value that is written, with what becomes of the vectors of `rest`. */
ALWAYS_INLINE void push_written(struct clew_dd *dd, clew_ldd rest, clew_ldd written, uint32_t next,
                                uint32_t height) {
  while (written != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, written);
    struct branch branch = {node.value, 0, NO_ORIGIN, 0, NO_ORIGIN};
    dd->steps++;
    push_product(dd, &branch, rest, node.down, next, height);
    written = node.right;
  }
}

ALWAYS_INLINE void product_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t next,
                                 uint32_t height) {
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    push_written(dd, node.down, relation, next, height);
    set = node.right;
  }
}

/* The same where the last value may be CLEW_LDD_COPY. */
ALWAYS_INLINE void product_may_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                     uint32_t next, uint32_t height) {
  while (set != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, set);
    for (clew_ldd written = relation; written != CLEW_LDD_EMPTY;) {
      struct clew_ldd_node w = node_of(dd, written);
      struct branch branch = {w.value, 0, NO_ORIGIN, 0, NO_ORIGIN};
      dd->steps++;
      if (w.value == CLEW_LDD_COPY) {
        push_kept(dd, set, node, w.down, next, height);
      } else {
        push_product(dd, &branch, node.down, w.down, next, height);
      }
      written = w.right;
    }
    set = node.right;
  }
}

ALWAYS_INLINE void product_read_write(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                      uint32_t next, uint32_t height) {
  struct clew_ldd_node x, y;
  while (meet(dd, &set, &relation, &x, &y)) {
    push_written(dd, x.down, y.down, next, height);
    set = x.right;
    relation = y.right;
  }
}

ALWAYS_INLINE clew_ldd product_at(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                  uint32_t plan, uint32_t height) {
  uint32_t base = dd->items.len, mark = tasks_mark(dd, height), next = below(dd, plan);
  bool is_sorted = false;
  switch (role_of(dd, plan)) {
  case CLEW_LDD_SKIP:
    product_skip(dd, set, relation, next, height);
    is_sorted = true;
    break;
  case CLEW_LDD_READ:
    product_read(dd, set, relation, next, height);
    is_sorted = true;
    break;
  case CLEW_LDD_WRITE:
    product_write(dd, set, relation, next, height);
    break;
  case CLEW_LDD_MAY_WRITE:
    product_may_write(dd, set, relation, next, height);
    break;
  case CLEW_LDD_READ_WRITE:
    product_read_write(dd, set, relation, next, height);
    break;
  case CLEW_LDD_ACT:
    return clew_dd_leaf_act(dd, set, relation);
  }
  join(dd, base, mark, height);
  return is_sorted ? clew_dd_list(dd, base, CLEW_LDD_EMPTY) : clew_dd_list_sorted(dd, base, height);
}

/* Asks for what the next level will look at, while the cache is waited for. */
ALWAYS_INLINE void product_ahead(struct clew_dd *dd, clew_ldd set, clew_ldd relation,
                                 uint32_t plan) {
  if (role_of(dd, plan) == CLEW_LDD_SKIP) {
    struct clew_ldd_node node = node_of(dd, set);
    struct key next = cache_key(dd, node.down, relation, OP_FIRST_PLAN + below(dd, plan));
    __builtin_prefetch(cache_line_of(dd, &next));
    __builtin_prefetch(dd->arena + (size_t)node.down * CLEW_DD_NODE_BYTES);
    if (node.right != CLEW_LDD_EMPTY) {
      __builtin_prefetch(dd->arena + (size_t)node.right * CLEW_DD_NODE_BYTES);
    }
  }
}

ALWAYS_INLINE clew_ldd product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                               uint32_t height) {
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
  __builtin_prefetch(cache_line_of(dd, &key));
  product_ahead(dd, set, relation, plan);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result = product_at(dd, set, relation, plan, height);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd product_alone(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan) {
  return product(dd, set, relation, plan, 0);
}

clew_ldd clew_dd_product_tall(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              uint32_t height) {
  return height > 0 ? product(dd, set, relation, plan, height)
                    : product_alone(dd, set, relation, plan);
}

/* ---- backwards ---- */

static clew_ldd inverse_alone(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              clew_ldd universe);

ALWAYS_INLINE void push_inverse(struct clew_dd *dd, const struct branch *branch,
                                const struct task *t) {
  if (t->height > 0 && t->plan >= PLAN_FIRST && clew_dd_may_fork(dd)) {
    struct task task = *t;
    task.height--;
    clew_dd_fork(dd, &task, branch);
  } else {
    branch_push(dd, branch,
                t->height > 0 ? clew_dd_inverse_tall(dd, t->a, t->b, t->plan, t->c, t->height - 1)
                              : inverse_alone(dd, t->a, t->b, t->plan, t->c));
  }
}

ALWAYS_INLINE void inverse_skip(struct clew_dd *dd, const struct task *t, uint32_t next) {
  clew_ldd set = t->a, universe = t->c;
  struct clew_ldd_node x, u;
  while (meet(dd, &set, &universe, &x, &u)) {
    struct task down = {TASK_INVERSE, x.down, t->b, u.down, next, t->height};
    push_inverse(dd, &(struct branch){x.value, u.down, universe, 0, NO_ORIGIN}, &down);
    set = x.right;
    universe = u.right;
  }
}

ALWAYS_INLINE void inverse_read(struct clew_dd *dd, const struct task *t, uint32_t next) {
  clew_ldd set = t->a, relation = t->b, universe = t->c;
  struct clew_ldd_node x, y, u;
  while (meet(dd, &set, &relation, &x, &y)) {
    while (universe != CLEW_LDD_EMPTY && node_of(dd, universe).value < x.value) {
      universe = node_of(dd, universe).right;
    }
    if (universe == CLEW_LDD_EMPTY) {
      break;
    }
    u = node_of(dd, universe);
    if (u.value == x.value) {
      struct task down = {TASK_INVERSE, x.down, y.down, u.down, next, t->height};
      push_inverse(dd, &(struct branch){x.value, u.down, universe, 0, NO_ORIGIN}, &down);
    }
    set = x.right;
    relation = y.right;
  }
}

/* The vectors of `rest`, which have the value `old`, for which one of the values that are written
 * leads into the set. */
ALWAYS_INLINE clew_ldd before_written(struct clew_dd *dd, clew_ldd set, clew_ldd written,
                                      uint32_t next, struct clew_ldd_node old, bool may_copy,
                                      uint32_t height) {
  uint32_t base = dd->items.len, mark = tasks_mark(dd, height);
  const struct branch branch = {0, 0, NO_ORIGIN, 0, NO_ORIGIN};
  clew_ldd all = set;
  struct clew_ldd_node x, w;
  while (meet(dd, &set, &written, &x, &w)) {
    struct task down = {TASK_INVERSE, x.down, w.down, old.down, next, height};
    push_inverse(dd, &branch, &down);
    set = x.right;
    written = w.right;
  }
  while (may_copy && written != CLEW_LDD_EMPTY) {
    w = node_of(dd, written);
    for (set = all; set != CLEW_LDD_EMPTY && node_of(dd, set).value < old.value;) {
      set = node_of(dd, set).right;
    }
    if (w.value == CLEW_LDD_COPY && set != CLEW_LDD_EMPTY && node_of(dd, set).value == old.value) {
      struct task down = {TASK_INVERSE, node_of(dd, set).down, w.down, old.down, next, height};
      push_inverse(dd, &branch, &down);
    }
    written = w.right;
  }
  join(dd, base, mark, height);
  return fold(dd, base, height);
}

ALWAYS_INLINE void inverse_write(struct clew_dd *dd, const struct task *t, uint32_t next,
                                 bool may_copy) {
  for (clew_ldd universe = t->c; universe != CLEW_LDD_EMPTY;) {
    struct clew_ldd_node u = node_of(dd, universe);
    clew_ldd down = before_written(dd, t->a, t->b, next, u, may_copy, t->height);
    branch_push(dd, &(struct branch){u.value, u.down, universe, 0, NO_ORIGIN}, down);
    universe = u.right;
  }
}

ALWAYS_INLINE void inverse_read_write(struct clew_dd *dd, const struct task *t, uint32_t next) {
  clew_ldd relation = t->b, universe = t->c;
  struct clew_ldd_node y, u;
  while (meet(dd, &relation, &universe, &y, &u)) {
    clew_ldd down = before_written(dd, t->a, y.down, next, u, false, t->height);
    branch_push(dd, &(struct branch){u.value, u.down, universe, 0, NO_ORIGIN}, down);
    relation = y.right;
    universe = u.right;
  }
}

ALWAYS_INLINE clew_ldd inverse_at(struct clew_dd *dd, const struct task *t) {
  uint32_t base = dd->items.len, mark = tasks_mark(dd, t->height), next = below(dd, t->plan);
  switch (role_of(dd, t->plan)) {
  case CLEW_LDD_SKIP:
    inverse_skip(dd, t, next);
    break;
  case CLEW_LDD_READ:
    inverse_read(dd, t, next);
    break;
  case CLEW_LDD_WRITE:
  case CLEW_LDD_MAY_WRITE:
    inverse_write(dd, t, next, role_of(dd, t->plan) == CLEW_LDD_MAY_WRITE);
    break;
  case CLEW_LDD_READ_WRITE:
    inverse_read_write(dd, t, next);
    break;
  case CLEW_LDD_ACT:
    return clew_dd_leaf_act_back(dd, t->a, t->b, t->c);
  }
  join(dd, base, mark, t->height);
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

ALWAYS_INLINE clew_ldd inverse(struct clew_dd *dd, const struct task *t) {
  if (t->a == CLEW_LDD_EMPTY || t->b == CLEW_LDD_EMPTY || t->c == CLEW_LDD_EMPTY) {
    return CLEW_LDD_EMPTY;
  }
  if (t->plan == PLAN_KEEP) {
    assert(t->b == CLEW_LDD_UNIT);
    return clew_dd_intersect_tall(dd, t->a, t->c, t->height);
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  clew_ldd result;
  const uint32_t key[4] = {t->a, t->b, OP_FIRST_PLAN + t->plan, t->c};
  if (clew_dd_wide_get(dd, key, &result)) {
    return result;
  }
  result = inverse_at(dd, t);
  clew_dd_wide_put(dd, key, result);
  return result;
}

static clew_ldd inverse_alone(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              clew_ldd universe) {
  return inverse(dd, &(struct task){TASK_INVERSE, set, relation, universe, plan, 0});
}

clew_ldd clew_dd_inverse_tall(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                              clew_ldd universe, uint32_t height) {
  return height > 0
             ? inverse(dd, &(struct task){TASK_INVERSE, set, relation, universe, plan, height})
             : inverse_alone(dd, set, relation, plan, universe);
}

/* ---- calls ---- */

static clew_ldd run_project(struct clew_dd *dd, const struct call *call) {
  return clew_dd_project_tall(dd, call->a, call->plan, clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_project(struct clew_dd *dd, clew_ldd set, uint32_t plan) {
  return clew_dd_perform(dd, &(struct call){.run = run_project, .a = set, .plan = plan});
}

static clew_ldd run_product(struct clew_dd *dd, const struct call *call) {
  return clew_dd_product_tall(dd, call->a, call->b, call->plan, clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_product(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan) {
  return clew_dd_perform(dd,
                         &(struct call){.run = run_product, .a = set, .b = relation, .plan = plan});
}

static clew_ldd run_inverse(struct clew_dd *dd, const struct call *call) {
  return clew_dd_inverse_tall(dd, call->a, call->b, call->plan, call->c,
                              clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_inverse(struct clew_dd *dd, clew_ldd set, clew_ldd relation, uint32_t plan,
                          clew_ldd universe) {
  return clew_dd_perform(
      dd, &(struct call){.run = run_inverse, .a = set, .b = relation, .c = universe, .plan = plan});
}
