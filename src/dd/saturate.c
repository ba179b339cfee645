/* Saturation as one recursion of three operations:
 *
 *   saturate  a set, of which nothing is known
 *   reach     a list whose elements lead to saturated sets: applies the relation of its level until
 *             nothing is new, value by value. Whenever the set below a value has grown, it is its
 *             turn again
 *   fire      what a relation makes of a saturated set: below the top level of the relation, the
 *             list of a level is made from what is fired below, and reached
 *
 * Sets are fired whole. To fire only what is new would make many small sets, each of which has
 * to be saturated by itself; of a whole set, most is remembered.
 *
 * Other operations are performed on the way, and collections with them. So whatever a function
 * needs afterwards is in the stack of held nodes, where it is renamed. */
#include "dd/saturate.h"

#include "dd/tasks_int.h"

struct work {
  struct clew_dd *dd;
  const struct clew_ldd_saturation *by;
  enum clew_dd_status status;
  bool is_left; /* leaving off: what is made now is not all, and not remembered */
};

static clew_ldd fire(struct work *work, clew_ldd set, clew_ldd relation, uint32_t plan,
                     uint32_t level);

/* ---- held nodes ---- */

static uint32_t held_count(const struct work *work) {
  return work->dd->table->held.len;
}

static struct held *held_at(const struct work *work, uint32_t place) {
  assert(place < held_count(work));
  return &work->dd->table->held.data[place];
}

/* Its place. */
static uint32_t hold(struct work *work, uint32_t value, clew_ldd a, clew_ldd b) {
  clew_vec_push(&work->dd->table->held, ((struct held){value, a, b}));
  return held_count(work) - 1;
}

static void release_to(struct work *work, uint32_t count) {
  assert(count <= held_count(work));
  work->dd->table->held.len = count;
}

static void give_up(struct work *work) {
  work->is_left = true;
  work->status = clew_dd_status(work->dd);
}

/* Remembers a result, unless it is not all. */
static void remember(struct work *work, clew_ldd a, uint32_t b, uint32_t c, clew_ldd result) {
  if (!work->is_left) {
    struct key key = cache_key(work->dd, a, b, c);
    cache_put(work->dd, &key, result);
  }
}

static bool recall(struct work *work, clew_ldd a, uint32_t b, uint32_t c, clew_ldd *result) {
  struct key key = cache_key(work->dd, a, b, c);
  return cache_get(work->dd, &key, result);
}

/* ---- lists ---- */

/* Values in any order; those that lead to nothing are left out. */
static clew_ldd run_list(struct clew_dd *dd, const struct call *call) {
  uint32_t base = dd->items.len;
  clew_ldd largest = CLEW_LDD_EMPTY;
  for (uint32_t i = call->plan; i < dd->table->held.len; i++) {
    const struct held *held = &dd->table->held.data[i];
    if (held->a != CLEW_LDD_EMPTY) {
      item_push(dd, held->value, held->a, NO_ORIGIN);
      largest = held->a > largest ? held->a : largest;
    }
  }
  return clew_dd_list_sorted(dd, base, clew_dd_height(dd, largest));
}

/* The list of what is held from `first` on; CLEW_DD_NONE when that cannot be had. */
static clew_ldd make_list(struct work *work, uint32_t first) {
  clew_ldd list = clew_dd_perform(work->dd, &(struct call){.run = run_list, .plan = first});
  if (list == CLEW_DD_NONE) {
    give_up(work);
  }
  return list;
}

/* ---- rows ---- */

/* What a relation has for all values at its first level, and for each of them. */
struct choices {
  clew_ldd any; /* a list of what is written, or EMPTY */
  bool has_rest;
  clew_ldd rows; /* from the first value on */
};

static struct choices choices_of(const struct clew_dd *dd, clew_ldd relation) {
  struct choices choices = {CLEW_LDD_EMPTY, false, relation};
  struct clew_ldd_node node = node_of(dd, relation);
  if (node.value == CLEW_LDD_ANY) {
    choices.any = node.down;
    choices.rows = node.right;
    if (node.right == CLEW_LDD_EMPTY) {
      return choices;
    }
    node = node_of(dd, node.right);
  }
  if (node.value == CLEW_LDD_REST) {
    choices.has_rest = true;
    choices.rows = node.right;
  }
  return choices;
}

/* The list of what is written where this value is read, or EMPTY; *rows goes on to it. */
static clew_ldd choice_of(struct clew_dd *dd, clew_ldd *rows, uint32_t value) {
  while (*rows != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(dd, *rows);
    if (node.value >= value + CLEW_LDD_MIXED_VALUES) {
      return node.value == value + CLEW_LDD_MIXED_VALUES ? node.down : CLEW_LDD_EMPTY;
    }
    dd->steps++;
    *rows = node.right;
  }
  return CLEW_LDD_EMPTY;
}

static bool is_rest(const struct clew_dd *dd, clew_ldd relation) {
  struct clew_ldd_node node = node_of(dd, relation);
  return node.value == CLEW_LDD_REST && node.right == CLEW_LDD_EMPTY;
}

/* ---- reach ---- */

/* A list that is being reached, in the stack of held nodes. */
struct list {
  uint32_t level, plan; /* plan: of the levels below */
  uint32_t base;        /* a: the set that was asked for; b: the list as it is */
  uint32_t first, end;  /* elements. a: what is below; b: that of it which has been fired */
};

/* The element of this value, which is made if there is none; *at is renamed then. */
static uint32_t find_element(struct work *work, struct list *list, uint32_t value, uint32_t *at) {
  uint32_t place = list->first;
  while (place < list->end && held_at(work, place)->value < value) {
    place++;
  }
  if (place == list->end || held_at(work, place)->value != value) {
    (void)hold(work, 0, CLEW_LDD_EMPTY, CLEW_LDD_EMPTY);
    struct held *held = held_at(work, place);
    memmove(held + 1, held, (held_count(work) - 1 - place) * sizeof *held);
    *held = (struct held){value, CLEW_LDD_EMPTY, CLEW_LDD_EMPTY};
    list->end++;
    *at += *at >= place;
  }
  return place;
}

/* Whether it was new. */
static bool add_below(struct work *work, uint32_t place, clew_ldd made) {
  clew_ldd sum = clew_ldd_union(work->dd, held_at(work, place)->a, made);
  if (sum == CLEW_DD_NONE) {
    give_up(work);
    return false;
  }
  bool is_new = sum != held_at(work, place)->a;
  held_at(work, place)->a = sum;
  return is_new;
}

/* Holds what is written and the rest of the rows, behind the elements. */
static void hold_written(struct work *work, clew_ldd written, uint32_t value) {
  while (written != CLEW_LDD_EMPTY) {
    struct clew_ldd_node node = node_of(work->dd, written);
    uint32_t to = node.value == CLEW_LDD_COPY ? value : node.value;
    (void)hold(work, to, node.down, CLEW_LDD_EMPTY);
    work->dd->steps++;
    written = node.right;
  }
}

/* Fires the element at *at. Whether something is new. */
static bool fire_element(struct work *work, struct list *list, uint32_t *at) {
  const struct held element = *held_at(work, *at);
  struct choices choices = choices_of(work->dd, *work->by->layers[list->level].relation);
  assert(!choices.has_rest && list->end == held_count(work));
  held_at(work, *at)->b = element.a;
  hold_written(work, choices.any, element.value);
  hold_written(work, choice_of(work->dd, &choices.rows, element.value), element.value);
  bool is_new = false;
  for (uint32_t i = list->end; i < held_count(work) && !work->is_left; i++) {
    const struct held row = *held_at(work, i);
    clew_ldd made = fire(work, held_at(work, *at)->a, row.a, list->plan, list->level + 1);
    if (made != CLEW_LDD_EMPTY) {
      uint32_t end = list->end;
      uint32_t place = find_element(work, list, row.value, at);
      i += list->end - end;
      is_new |= add_below(work, place, made);
    }
  }
  release_to(work, list->end);
  return is_new;
}

/* Fires until nothing is new. Whether something was. */
static bool fire_all(struct work *work, struct list *list) {
  bool is_new = false, again = *work->by->layers[list->level].relation != CLEW_LDD_EMPTY;
  while (again && !work->is_left) {
    again = false;
    for (uint32_t i = list->first; i < list->end && !work->is_left; i++) {
      if (held_at(work, i)->a != held_at(work, i)->b) {
        again |= fire_element(work, list, &i);
      }
    }
    is_new |= again;
  }
  return is_new;
}

/* Whether the relation has more for the list than it had. */
static bool learn(struct work *work, const struct list *list) {
  clew_ldd before = *work->by->layers[list->level].relation;
  clew_dd_keep(work->dd, &before);
  bool going = work->by->learn(work->by->context, list->level, held_at(work, list->base)->b);
  clew_dd_forget(work->dd, &before); /* others may have been kept since */
  work->is_left |= !going;
  return going && before != *work->by->layers[list->level].relation;
}

static void reach_list(struct work *work, struct list *list) {
  bool again = true;
  while (again && !work->is_left) {
    if (fire_all(work, list)) {
      clew_ldd made = make_list(work, list->first);
      held_at(work, list->base)->b = made != CLEW_DD_NONE ? made : held_at(work, list->base)->a;
    }
    again = !work->is_left && learn(work, list);
    for (uint32_t i = list->first; i < list->end && again; i++) {
      held_at(work, i)->b = CLEW_LDD_EMPTY;
    }
  }
}

static clew_ldd reach(struct work *work, clew_ldd set, uint32_t level) {
  clew_ldd result;
  if (set == CLEW_LDD_EMPTY || level >= work->by->layer_count ||
      work->by->layers[level].relation == NULL || work->is_left) {
    return set;
  }
  if (recall(work, set, level, OP_REACH, &result)) {
    return result;
  }
  work->is_left = work->by->leaves(work->by->context, level);
  struct list list = {.level = level,
                      .plan = work->dd->plans[work->by->layers[level].plan].next,
                      .base = hold(work, 0, set, set)};
  list.first = list.end = held_count(work);
  for (clew_ldd at = set; at != CLEW_LDD_EMPTY; list.end++) {
    struct clew_ldd_node node = node_of(work->dd, at);
    (void)hold(work, node.value, node.down, CLEW_LDD_EMPTY);
    at = node.right;
  }
  reach_list(work, &list);
  set = held_at(work, list.base)->a;
  result = held_at(work, list.base)->b;
  release_to(work, list.base);
  remember(work, set, level, OP_REACH, result);
  if (result != set) {
    remember(work, result, level, OP_REACH, result);
  }
  return result;
}

/* ---- fire ---- */

/* Holds the values of a level with the sets below that are to be fired (a), and by what (b); b is
 * EMPTY where a stays as it is. */
static void hold_fires(struct work *work, clew_ldd set, clew_ldd relation, uint32_t role) {
  struct clew_dd *dd = work->dd;
  struct choices choices = {CLEW_LDD_EMPTY, false, CLEW_LDD_EMPTY};
  if (role == FIRE_MIXED) {
    choices = choices_of(dd, relation);
  }
  for (; set != CLEW_LDD_EMPTY; set = node_of(dd, set).right) {
    struct clew_ldd_node node = node_of(dd, set);
    clew_ldd lists[2] = {choices.any, choice_of(dd, &choices.rows, node.value)};
    dd->steps++;
    if (role == FIRE_PASS) {
      (void)hold(work, node.value, node.down, relation);
    }
    if (choices.has_rest) {
      (void)hold(work, node.value, node.down, CLEW_LDD_EMPTY);
    }
    for (uint32_t i = 0; i < 2; i++) {
      for (clew_ldd written = lists[i]; written != CLEW_LDD_EMPTY;) {
        struct clew_ldd_node row = node_of(dd, written);
        (void)hold(work, row.value == CLEW_LDD_COPY ? node.value : row.value, node.down, row.down);
        dd->steps++;
        written = row.right;
      }
    }
  }
}

/* Lines of the cache that will be looked at. */
static void prefetch_fires(const struct work *work, uint32_t first, uint32_t plan) {
  for (uint32_t i = first; i < held_count(work); i++) {
    const struct held *held = held_at(work, i);
    if (held->b != CLEW_LDD_EMPTY) {
      struct key key = cache_key(work->dd, held->a, held->b, OP_FIRST_PLAN + plan);
      __builtin_prefetch(cache_line_of(work->dd, &key));
    }
  }
}

/* The list of a level, of what is fired below. */
static clew_ldd fire_list(struct work *work, uint32_t first, uint32_t plan, uint32_t level) {
  bool is_empty = true;
  prefetch_fires(work, first, work->dd->plans[plan].next);
  for (uint32_t i = first; i < held_count(work); i++) {
    const struct held held = *held_at(work, i);
    if (held.b != CLEW_LDD_EMPTY) {
      clew_ldd made = fire(work, held.a, held.b, work->dd->plans[plan].next, level + 1);
      held_at(work, i)->a = made;
      held_at(work, i)->b = CLEW_LDD_EMPTY;
    }
    is_empty &= held_at(work, i)->a == CLEW_LDD_EMPTY;
  }
  clew_ldd list = is_empty ? CLEW_LDD_EMPTY : make_list(work, first);
  return list != CLEW_DD_NONE ? list : CLEW_LDD_EMPTY;
}

static clew_ldd fire(struct work *work, clew_ldd set, clew_ldd relation, uint32_t plan,
                     uint32_t level) {
  struct clew_dd *dd = work->dd;
  if (set == CLEW_LDD_EMPTY || relation == CLEW_LDD_EMPTY) {
    return CLEW_LDD_EMPTY;
  }
  uint32_t role = plan == PLAN_KEEP ? FIRE_END : dd->plans[plan].kind % PLAN_ROLES;
  if (role == FIRE_END || is_rest(dd, relation)) {
    return set;
  }
  clew_ldd result;
  if (recall(work, set, relation, OP_FIRST_PLAN + plan, &result)) {
    return result;
  }
  if (work->is_left) {
    return CLEW_LDD_EMPTY;
  }
  uint32_t base = hold(work, 0, set, relation);
  hold_fires(work, set, relation, role);
  result = reach(work, fire_list(work, base + 1, plan, level), level);
  const struct held held = *held_at(work, base);
  release_to(work, base);
  remember(work, held.a, held.b, OP_FIRST_PLAN + plan, result);
  return result;
}

/* ---- saturate ---- */

static clew_ldd saturate(struct work *work, clew_ldd set, uint32_t level) {
  clew_ldd result;
  if (set == CLEW_LDD_EMPTY || level >= work->by->layer_count) {
    return set;
  }
  if (recall(work, set, level, OP_SATURATE, &result)) {
    return result;
  }
  uint32_t base = hold(work, 0, set, CLEW_LDD_EMPTY);
  for (; set != CLEW_LDD_EMPTY; set = node_of(work->dd, set).right) {
    (void)hold(work, node_of(work->dd, set).value, node_of(work->dd, set).down, CLEW_LDD_EMPTY);
  }
  for (uint32_t i = base + 1; i < held_count(work) && !work->is_left; i++) {
    clew_ldd below = saturate(work, held_at(work, i)->a, level + 1);
    held_at(work, i)->a = below;
  }
  result = make_list(work, base + 1);
  result = result != CLEW_DD_NONE ? result : held_at(work, base)->a;
  result = reach(work, result, level);
  set = held_at(work, base)->a;
  release_to(work, base);
  remember(work, set, level, OP_SATURATE, result);
  return result;
}

clew_ldd clew_ldd_saturate(struct clew_dd *dd, clew_ldd set,
                           const struct clew_ldd_saturation *saturation,
                           enum clew_dd_status *status) {
  struct work work = {.dd = dd, .by = saturation, .status = CLEW_DD_OK};
  assert(dd->table->held.len == 0 && set != CLEW_DD_NONE);
  clew_ldd result = saturate(&work, set, 0);
  assert(dd->table->held.len == 0);
  *status = work.status;
  return result;
}
