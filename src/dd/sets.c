/* Operations on sets: merging two sorted lists, level by level.
 *
 * Each walks along both lists in a loop, recurses where values are equal, and puts the elements of
 * the result on the stack of items. Lists are made from their end, because a node needs its `right`
 * first. An item remembers a node that it was taken from unchanged: if the list behind it is
 * unchanged, too, that node is the result, and the index need not be asked.
 *
 * Each exists twice, from the same lines: `height` is 0 for one who is alone, and the number of
 * levels in which there are forks for one who is not (tasks_int.h). */
#include "dd/tasks_int.h"

#include <stdlib.h>

/* ---- making lists ---- */

clew_ldd clew_dd_list(struct clew_dd *dd, uint32_t base, clew_ldd tail) {
  assert(base <= dd->items.len);
  if (__builtin_expect(dd->status != CLEW_DD_OK, 0)) {
    dd->items.len = base;
    return CLEW_LDD_EMPTY;
  }
  while (dd->items.len > base) {
    struct item item = clew_vec_pop(&dd->items);
    if (item.origin != NO_ORIGIN && node_of(dd, item.origin).right == tail) {
      tail = item.origin;
    } else {
      tail = clew_dd_make(dd, item.value, item.down, tail);
    }
  }
  return tail;
}

static int compare_items(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

/* Few as a rule, and often in order. */
static void sort_items(struct item *items, uint32_t count) {
  const uint32_t few = 24;
  if (count > few) {
    qsort(items, count, sizeof *items, compare_items);
    return;
  }
  for (uint32_t i = 1; i < count; i++) {
    struct item item = items[i];
    uint32_t j = i;
    for (; j > 0 && items[j - 1].value > item.value; j--) {
      items[j] = items[j - 1];
    }
    items[j] = item;
  }
}

clew_ldd clew_dd_list_sorted(struct clew_dd *dd, uint32_t base, uint32_t height) {
  uint32_t count = dd->items.len - base, kept = base;
  sort_items(dd->items.data + base, count);
  for (uint32_t i = base; i < base + count; i++) {
    struct item item = dd->items.data[i];
    if (kept > base && dd->items.data[kept - 1].value == item.value) {
      /* Items of the recursion come behind those that are still to be read. */
      clew_ldd down = clew_dd_union_tall(dd, dd->items.data[kept - 1].down, item.down, height);
      dd->items.data[kept - 1].down = down;
      dd->items.data[kept - 1].origin = NO_ORIGIN;
    } else {
      dd->items.data[kept++] = item;
    }
  }
  dd->items.len = kept;
  return clew_dd_list(dd, base, CLEW_LDD_EMPTY);
}

/* ---- union ---- */

ALWAYS_INLINE void push_union(struct clew_dd *dd, const struct branch *branch, uint32_t height) {
  clew_ldd x = branch->same, y = branch->other_same;
  if (height > 0 && x != y && clew_dd_may_fork(dd)) {
    clew_dd_fork(dd, &(struct task){TASK_UNION, x, y, 0, 0, height - 1}, branch);
  } else {
    branch_push(dd, branch,
                height > 0 ? clew_dd_union_tall(dd, x, y, height - 1) : clew_dd_union(dd, x, y));
  }
}

ALWAYS_INLINE clew_ldd merge_union(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height) {
  uint32_t base = dd->items.len, mark = height > 0 ? clew_dd_tasks_mark(dd) : 0;
  struct clew_ldd_node x = node_of(dd, a), y = node_of(dd, b);
  for (;;) {
    dd->steps++;
    if (x.value < y.value) {
      item_push(dd, x.value, x.down, a);
      a = x.right;
    } else if (x.value > y.value) {
      item_push(dd, y.value, y.down, b);
      b = y.right;
    } else {
      push_union(dd, &(struct branch){x.value, x.down, a, y.down, b}, height);
      a = x.right;
      b = y.right;
    }
    if (a == CLEW_LDD_EMPTY || b == CLEW_LDD_EMPTY || a == b) {
      break;
    }
    x = node_of(dd, a);
    y = node_of(dd, b);
  }
  if (height > 0) {
    clew_dd_join(dd, base, mark);
  }
  return clew_dd_list(dd, base, a == CLEW_LDD_EMPTY ? b : a);
}

/* Asks for what the first elements of both lists lead to, while the cache is waited for. */
ALWAYS_INLINE void look_ahead(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t op) {
  struct clew_ldd_node x = node_of(dd, a), y = node_of(dd, b);
  if (x.value == y.value) {
    bool swap = op == OP_UNION && x.down > y.down;
    struct key next = cache_key(dd, swap ? y.down : x.down, swap ? x.down : y.down, op);
    __builtin_prefetch(cache_line_of(dd, &next));
    __builtin_prefetch(dd->arena + (size_t)x.down * CLEW_DD_NODE_BYTES);
    __builtin_prefetch(dd->arena + (size_t)y.down * CLEW_DD_NODE_BYTES);
  }
}

ALWAYS_INLINE clew_ldd unite(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height) {
  if (a == b || b == CLEW_LDD_EMPTY) {
    return a;
  }
  if (a == CLEW_LDD_EMPTY) {
    return b;
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  if (a > b) {
    clew_ldd other = a;
    a = b;
    b = other;
  }
  if (a == CLEW_LDD_UNIT) { /* vectors of the same length: all clock values, and some */
    return a;
  }
  clew_ldd result;
  struct key key = cache_key(dd, a, b, OP_UNION);
  __builtin_prefetch(cache_line_of(dd, &key));
  look_ahead(dd, a, b, OP_UNION);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result = is_difference(dd, a) ? clew_dd_leaf_union(dd, a, b) : merge_union(dd, a, b, height);
  cache_put(dd, &key, result);
  return result;
}

clew_ldd clew_dd_union(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return unite(dd, a, b, 0);
}

clew_ldd clew_dd_union_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height) {
  return height > 0 ? unite(dd, a, b, height) : clew_dd_union(dd, a, b);
}

/* ---- minus ---- */

/* `op`: OP_MINUS, or OP_MINUS_EXACT, which makes a difference to clock values only. */
static clew_ldd minus_alone(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op);

ALWAYS_INLINE void push_minus(struct clew_dd *dd, const struct branch *branch, clew_ldd b,
                              enum operation op, uint32_t height) {
  clew_ldd a = branch->same;
  if (height > 0 && a != b && clew_dd_may_fork(dd)) {
    clew_dd_fork(dd, &(struct task){TASK_MINUS, a, b, 0, op, height - 1}, branch);
  } else {
    branch_push(dd, branch,
                height > 0 ? clew_dd_minus_tall(dd, a, b, op, height - 1)
                           : minus_alone(dd, a, b, op));
  }
}

ALWAYS_INLINE clew_ldd merge_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op,
                                   uint32_t height) {
  uint32_t base = dd->items.len, mark = height > 0 ? clew_dd_tasks_mark(dd) : 0;
  while (a != CLEW_LDD_EMPTY && b != CLEW_LDD_EMPTY && a != b) {
    struct clew_ldd_node x = node_of(dd, a), y = node_of(dd, b);
    dd->steps++;
    if (x.value < y.value) {
      item_push(dd, x.value, x.down, a);
      a = x.right;
    } else if (x.value > y.value) {
      b = y.right;
    } else {
      push_minus(dd, &(struct branch){x.value, x.down, a, 0, NO_ORIGIN}, y.down, op, height);
      a = x.right;
      b = y.right;
    }
  }
  if (height > 0) {
    clew_dd_join(dd, base, mark);
  }
  return clew_dd_list(dd, base, a == b ? CLEW_LDD_EMPTY : a);
}

ALWAYS_INLINE clew_ldd subtract(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op,
                                uint32_t height) {
  if (a == b || a == CLEW_LDD_EMPTY) {
    return CLEW_LDD_EMPTY;
  }
  if (b == CLEW_LDD_EMPTY) {
    return a;
  }
  if (gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  if (b == CLEW_LDD_UNIT) { /* nothing is left of clock values */
    return CLEW_LDD_EMPTY;
  }
  clew_ldd result;
  struct key key = cache_key(dd, a, b, op);
  __builtin_prefetch(cache_line_of(dd, &key));
  if (a >= FIRST_NODE) {
    look_ahead(dd, a, b, op);
  }
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result = is_difference(dd, b) ? clew_dd_leaf_minus(dd, a, b, op == OP_MINUS_EXACT)
                                : merge_minus(dd, a, b, op, height);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd minus_alone(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op) {
  return subtract(dd, a, b, op, 0);
}

clew_ldd clew_dd_minus_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, enum operation op,
                            uint32_t height) {
  return height > 0 ? subtract(dd, a, b, op, height) : minus_alone(dd, a, b, op);
}

/* ---- intersection ---- */

ALWAYS_INLINE void push_intersect(struct clew_dd *dd, const struct branch *branch,
                                  uint32_t height) {
  clew_ldd x = branch->same, y = branch->other_same;
  if (height > 0 && x != y && clew_dd_may_fork(dd)) {
    clew_dd_fork(dd, &(struct task){TASK_INTERSECT, x, y, 0, 0, height - 1}, branch);
  } else {
    branch_push(dd, branch,
                height > 0 ? clew_dd_intersect_tall(dd, x, y, height - 1)
                           : clew_dd_intersect(dd, x, y));
  }
}

ALWAYS_INLINE clew_ldd merge_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b,
                                       uint32_t height) {
  uint32_t base = dd->items.len, mark = height > 0 ? clew_dd_tasks_mark(dd) : 0;
  while (a != CLEW_LDD_EMPTY && b != CLEW_LDD_EMPTY && a != b) {
    struct clew_ldd_node x = node_of(dd, a), y = node_of(dd, b);
    dd->steps++;
    if (x.value < y.value) {
      a = x.right;
    } else if (x.value > y.value) {
      b = y.right;
    } else {
      push_intersect(dd, &(struct branch){x.value, x.down, a, y.down, b}, height);
      a = x.right;
      b = y.right;
    }
  }
  if (height > 0) {
    clew_dd_join(dd, base, mark);
  }
  return clew_dd_list(dd, base, a == b ? a : CLEW_LDD_EMPTY);
}

ALWAYS_INLINE clew_ldd intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height) {
  if (a == b || a == CLEW_LDD_EMPTY) {
    return a;
  }
  if (b == CLEW_LDD_EMPTY || gives_up(dd)) {
    return CLEW_LDD_EMPTY;
  }
  if (a > b) {
    clew_ldd other = a;
    a = b;
    b = other;
  }
  if (a == CLEW_LDD_UNIT) {
    return b;
  }
  clew_ldd result;
  struct key key = cache_key(dd, a, b, OP_INTERSECT);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  result =
      is_difference(dd, b) ? clew_dd_leaf_intersect(dd, a, b) : merge_intersect(dd, a, b, height);
  cache_put(dd, &key, result);
  return result;
}

clew_ldd clew_dd_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return intersect(dd, a, b, 0);
}

clew_ldd clew_dd_intersect_tall(struct clew_dd *dd, clew_ldd a, clew_ldd b, uint32_t height) {
  return height > 0 ? intersect(dd, a, b, height) : clew_dd_intersect(dd, a, b);
}

/* ---- subset ---- */

static bool subset(struct clew_dd *dd, clew_ldd a, clew_ldd b);

static bool lists_are_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  while (a != b && a != CLEW_LDD_EMPTY) {
    if (b == CLEW_LDD_EMPTY) {
      return false;
    }
    struct clew_ldd_node x = node_of(dd, a), y = node_of(dd, b);
    dd->steps++;
    if (x.value < y.value) {
      return false;
    }
    if (x.value == y.value) {
      if (!subset(dd, x.down, y.down)) {
        return false;
      }
      a = x.right;
    }
    b = y.right;
  }
  return true;
}

static bool subset(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  if (a == b || a == CLEW_LDD_EMPTY || b == CLEW_LDD_UNIT) {
    return true;
  }
  if (b == CLEW_LDD_EMPTY || gives_up(dd)) {
    return false;
  }
  clew_ldd known;
  struct key key = cache_key(dd, a, b, OP_SUBSET);
  if (cache_get(dd, &key, &known)) {
    return known == CLEW_LDD_UNIT;
  }
  bool result = is_difference(dd, b) ? clew_dd_leaf_subset(dd, a, b) : lists_are_subset(dd, a, b);
  cache_put(dd, &key, result ? CLEW_LDD_UNIT : CLEW_LDD_EMPTY);
  return result;
}

bool clew_ldd_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b, bool *answer) {
  assert(a != CLEW_DD_NONE && b != CLEW_DD_NONE);
  clew_dd_begin(dd);
  dd->table->operations++;
  *answer = subset(dd, a, b);
  return dd->status == CLEW_DD_OK;
}

/* ---- calls ---- */

static clew_ldd run_union(struct clew_dd *dd, const struct call *call) {
  return clew_dd_union_tall(dd, call->a, call->b, clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_union(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return clew_dd_perform(dd, &(struct call){.run = run_union, .a = a, .b = b});
}

static clew_ldd run_minus(struct clew_dd *dd, const struct call *call) {
  return clew_dd_minus_tall(dd, call->a, call->b, (enum operation)call->plan,
                            clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return clew_dd_perform(dd, &(struct call){.run = run_minus, .a = a, .b = b, .plan = OP_MINUS});
}

clew_ldd clew_ldd_minus_exact(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return clew_dd_perform(dd,
                         &(struct call){.run = run_minus, .a = a, .b = b, .plan = OP_MINUS_EXACT});
}

static clew_ldd run_intersect(struct clew_dd *dd, const struct call *call) {
  return clew_dd_intersect_tall(dd, call->a, call->b, clew_dd_height(dd, call->a));
}

clew_ldd clew_ldd_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  return clew_dd_perform(dd, &(struct call){.run = run_intersect, .a = a, .b = b});
}

bool clew_ldd_member(const struct clew_dd *dd, clew_ldd set, const uint32_t *vector,
                     uint32_t levels) {
  for (uint32_t level = 0; level < levels; level++) {
    while (set != CLEW_LDD_EMPTY && node_of(dd, set).value < vector[level]) {
      set = node_of(dd, set).right;
    }
    if (set == CLEW_LDD_EMPTY || node_of(dd, set).value != vector[level]) {
      return false;
    }
    set = node_of(dd, set).down;
  }
  assert(set < FIRST_NODE || is_difference(dd, set));
  return set != CLEW_LDD_EMPTY;
}
