/* Difference decision diagrams: constraints, nodes, truth functions, single zones. */
#include "dd/ddd_int.h"

#include <stdlib.h>

enum {
  LEAST_INDEX = 64,
  TALL = 1 << 20, /* levels in which truth functions may fork */
};

/* ---- constraints ---- */

/* Both directions of a pair are beside each other. */
static uint64_t make_key(uint32_t i, uint32_t j, clew_bound bound) {
  assert(i != j && bound != CLEW_BOUND_INFINITE);
  uint64_t more = i > j ? i : j, less = i > j ? j : i;
  uint64_t pair = (more * (more - 1) / 2 + less) * 2 + (i > j);
  return pair << 32 | ((uint32_t)bound ^ (UINT32_C(1) << 31));
}

static uint32_t hash_key(uint64_t key) {
  return (uint32_t)clew_hash_bytes(&key, sizeof key, 0);
}

static uint32_t *find_constraint(const struct clew_ddd_space *space, uint64_t key) {
  uint32_t mask = space->shared->index.len - 1;
  for (uint32_t slot = hash_key(key) & mask;; slot = (slot + 1) & mask) {
    uint32_t at = space->shared->index.data[slot];
    if (at == 0 || space->constraints[at - 1].key == key) {
      return &space->shared->index.data[slot];
    }
  }
}

static void grow_constraint_index(struct clew_ddd_space *space) {
  struct constraints *shared = space->shared;
  uint32_t length = shared->index.len == 0 ? LEAST_INDEX : 2 * shared->index.len;
  clew_vec_reserve(&shared->index, length);
  shared->index.len = length;
  memset(shared->index.data, 0, length * sizeof *shared->index.data);
  for (uint32_t i = 0; i < shared->count; i++) {
    *find_constraint(space, space->constraints[i].key) = i + 1;
  }
}

/* The number of a constraint, plus one; 0: there is no memory for it. */
static uint32_t add_constraint(struct clew_ddd_space *space, const struct constraint *constraint) {
  struct constraints *shared = space->shared;
  if (shared->count * 2 >= shared->index.len) {
    grow_constraint_index(space);
  }
  uint32_t *place = find_constraint(space, constraint->key);
  if (*place == 0) {
    uint32_t count = shared->count;
    size_t bytes = (count + (size_t)1) * sizeof *constraint;
    if (count == DIFFERENCE || !clew_bigmem_commit(&shared->list, bytes)) {
      return 0;
    }
    ((struct constraint *)(void *)shared->list.data)[count] = *constraint;
    shared->count = count + 1;
    *place = count + 1;
  }
  return *place;
}

uint32_t clew_ddd_intern(struct clew_ddd_space *space, uint32_t i, uint32_t j, clew_bound bound) {
  assert(i > j || space->semantics == CLEW_DDD_UPPER);
  struct constraint constraint = {make_key(i, j, bound), i, j, bound};
  struct known *known = &space->known[hash_key(constraint.key) >> (32 - KNOWN_BITS)];
  if (known->number == 0 || known->key != constraint.key) {
    bool is_shared = space->dd->is_shared;
    if (is_shared) {
      pthread_mutex_lock(&space->shared->lock);
    }
    uint32_t number = add_constraint(space, &constraint);
    if (is_shared) {
      pthread_mutex_unlock(&space->shared->lock);
    }
    if (number == 0) {
      clew_dd_halt(space->dd, CLEW_DD_FULL);
      return DIFFERENCE;
    }
    *known = (struct known){constraint.key, number};
  }
  return DIFFERENCE | (known->number - 1);
}

/* ---- nodes ---- */

clew_ddd clew_ddd_make(struct clew_ddd_space *space, uint32_t value, clew_ddd high, clew_ddd low) {
  assert(space->semantics == CLEW_DDD_BOTH);
  if (high == low) {
    return low;
  }
  assert(space->dd->status != CLEW_DD_OK ||
         (constraint_of(space, value)->key < key_of(space, low) &&
          constraint_of(space, value)->key < key_of(space, high) &&
          !is_same_pair(constraint_of(space, value)->key, key_of(space, high))));
  if (low >= FIRST_NODE && is_same_pair(constraint_of(space, value)->key, key_of(space, low)) &&
      node_of(space->dd, low).down == high) {
    return low;
  }
  return clew_dd_insert(space->dd, (struct clew_ldd_node){value, high, low});
}

const char *clew_dd_find_difference_flaw(const struct clew_dd *dd, struct clew_ldd_node node) {
  const struct clew_ddd_space *space = dd->clocks;
  if (space == NULL || (node.value & ~(uint32_t)DIFFERENCE) >= space->shared->count) {
    return "a node has a constraint that is not there";
  }
  uint64_t key = constraint_of(space, node.value)->key;
  if ((node.down >= FIRST_NODE && !is_difference(dd, node.down)) ||
      (node.right >= FIRST_NODE && !is_difference(dd, node.right))) {
    return "a constraint leads to a list";
  }
  uint64_t high = key_of(space, node.down), low = key_of(space, node.right);
  if (high <= key || is_same_pair(high, key) || low <= key) {
    return "constraints do not rise";
  }
  if (space->semantics == CLEW_DDD_UPPER &&
      (node.down == CLEW_DDD_FALSE || node.right == CLEW_DDD_TRUE)) {
    return "an upper bound adds nothing";
  }
  if (node.down == node.right ||
      (is_same_pair(low, key) && node_of(dd, node.right).down == node.down)) {
    return "a constraint makes no difference";
  }
  return NULL;
}

/* ---- truth functions ---- */

/* Whether the ends decide; the answer goes to *result. */
static bool is_decided(enum operation op, clew_ddd a, clew_ddd b, clew_ddd *result) {
  switch (op) {
  case OP_DDD_OR:
    *result = a == CLEW_DDD_TRUE || b == CLEW_DDD_TRUE ? CLEW_DDD_TRUE
              : a == CLEW_DDD_FALSE                    ? b
                                                       : a;
    return a == b || a < FIRST_NODE || b < FIRST_NODE;
  case OP_DDD_AND:
    *result = a == CLEW_DDD_FALSE || b == CLEW_DDD_FALSE ? CLEW_DDD_FALSE
              : a == CLEW_DDD_TRUE                       ? b
                                                         : a;
    return a == b || a < FIRST_NODE || b < FIRST_NODE;
  default:
    assert(op == OP_DDD_MINUS);
    *result = b == CLEW_DDD_FALSE ? a : CLEW_DDD_FALSE;
    return a == b || a == CLEW_DDD_FALSE || b < FIRST_NODE;
  }
}

/* `height`: as in sets.c. */
ALWAYS_INLINE clew_ddd apply(struct clew_ddd_space *space, enum operation op, clew_ddd a,
                             clew_ddd b, uint32_t height) {
  struct clew_dd *dd = space->dd;
  clew_ddd result;
  if (is_decided(op, a, b, &result)) {
    return result;
  }
  if (gives_up(dd)) {
    return CLEW_DDD_FALSE;
  }
  if (op != OP_DDD_MINUS && a > b) {
    clew_ddd other = a;
    a = b;
    b = other;
  }
  struct key cached = cache_key(dd, a, b, op);
  if (cache_get(dd, &cached, &result)) {
    return result;
  }
  dd->steps++;
  uint64_t key_a = key_of(space, a), key_b = key_of(space, b), key = key_a < key_b ? key_a : key_b;
  uint32_t value = node_of(dd, key_a == key ? a : b).value;
  clew_ddd high_a = high_at(space, a, key), high_b = high_at(space, b, key), high, low;
  clew_ddd low_a = low_at(space, a, key), low_b = low_at(space, b, key);
  if (height == 0) {
    high = clew_ddd_apply(space, op, high_a, high_b);
    low = clew_ddd_apply(space, op, low_a, low_b);
  } else {
    bool forks = !is_decided(op, high_a, high_b, &high) && clew_dd_may_fork(dd);
    if (forks) {
      struct task task = {TASK_DIFFERENCE, high_a, high_b, 0, op, height - 1};
      clew_dd_fork_plain(dd, &task);
    } else {
      high = clew_dd_difference_tall(dd, op, high_a, high_b, height - 1);
    }
    low = clew_dd_difference_tall(dd, op, low_a, low_b, height - 1);
    high = forks ? clew_dd_join_plain(dd) : high;
  }
  if (gives_up(dd)) {
    return CLEW_DDD_FALSE;
  }
  result = clew_ddd_make(space, value, high, low);
  cache_put(dd, &cached, result);
  return result;
}

clew_ddd clew_ddd_apply(struct clew_ddd_space *space, enum operation op, clew_ddd a, clew_ddd b) {
  return __builtin_expect(space->semantics == CLEW_DDD_BOTH, 1)
             ? apply(space, op, a, b, 0)
             : clew_ddd_upper_apply(space, op, a, b);
}

clew_ldd clew_dd_difference_tall(struct clew_dd *dd, enum operation op, clew_ldd a, clew_ldd b,
                                 uint32_t height) {
  bool forks = height > 0 && dd->clocks->semantics == CLEW_DDD_BOTH;
  return forks ? apply(dd->clocks, op, a, b, height) : clew_ddd_apply(dd->clocks, op, a, b);
}

/* Forks may be anywhere: levels do not say how much is below. */
static clew_ddd apply_call(struct clew_dd *dd, enum operation op, const struct call *call) {
  clew_ddd set = clew_dd_difference_tall(dd, op, call->a, call->b, dd->is_shared ? TALL : 0);
  return clew_ddd_in_form(dd->clocks, set);
}

static struct clew_ddd_space *space_of(const struct clew_dd *dd) {
  assert(dd->clocks != NULL);
  return dd->clocks;
}

static clew_ldd run_or(struct clew_dd *dd, const struct call *call) {
  return apply_call(dd, OP_DDD_OR, call);
}
static clew_ldd run_and(struct clew_dd *dd, const struct call *call) {
  return apply_call(dd, OP_DDD_AND, call);
}
static clew_ldd run_minus(struct clew_dd *dd, const struct call *call) {
  return apply_call(dd, OP_DDD_MINUS, call);
}

clew_ddd clew_ddd_or(struct clew_ddd_space *space, clew_ddd a, clew_ddd b) {
  return clew_dd_perform(space->dd, &(struct call){.run = run_or, .a = a, .b = b});
}
clew_ddd clew_ddd_and(struct clew_ddd_space *space, clew_ddd a, clew_ddd b) {
  return clew_dd_perform(space->dd, &(struct call){.run = run_and, .a = a, .b = b});
}
clew_ddd clew_ddd_minus(struct clew_ddd_space *space, clew_ddd a, clew_ddd b) {
  return clew_dd_perform(space->dd, &(struct call){.run = run_minus, .a = a, .b = b});
}
clew_ddd clew_ddd_not(struct clew_ddd_space *space, clew_ddd a) {
  return clew_ddd_minus(space, CLEW_DDD_TRUE, a);
}

/* ---- single constraints and zones ---- */

clew_ddd clew_ddd_bound(struct clew_ddd_space *space, uint32_t i, uint32_t j, clew_bound bound) {
  if (space->semantics == CLEW_DDD_UPPER) {
    return clew_ddd_upper_make(space, clew_ddd_intern(space, i, j, bound), CLEW_DDD_TRUE,
                               CLEW_DDD_FALSE);
  }
  if (i > j) {
    return clew_ddd_make(space, clew_ddd_intern(space, i, j, bound), CLEW_DDD_TRUE, CLEW_DDD_FALSE);
  }
  uint32_t value = clew_ddd_intern(space, j, i, clew_bound_negate(bound));
  return clew_ddd_make(space, value, CLEW_DDD_FALSE, CLEW_DDD_TRUE);
}

static clew_ldd run_bound(struct clew_dd *dd, const struct call *call) {
  const struct clew_dbm_constraint *c = call->context;
  return clew_ddd_in_form(space_of(dd), clew_ddd_bound(space_of(dd), c->i, c->j, c->bound));
}

clew_ddd clew_ddd_constraint(struct clew_ddd_space *space, uint32_t i, uint32_t j,
                             clew_bound bound) {
  assert(i != j && bound != CLEW_BOUND_INFINITE);
  struct clew_dbm_constraint c = {i, j, bound};
  return clew_dd_perform(space->dd, &(struct call){.run = run_bound, .context = &c});
}

/* The last constraints first. */
static int compare_upper_bounds(const void *a, const void *b) {
  const struct clew_dbm_constraint *x = a, *y = b;
  uint64_t key_x = make_key(x->i, x->j, x->bound), key_y = make_key(y->i, y->j, y->bound);
  return key_x > key_y ? -1 : key_x < key_y;
}

/* The same where the opposite of a constraint is a low edge. */
static int compare_bounds(const void *a, const void *b) {
  const struct clew_dbm_constraint *x = a, *y = b;
  uint64_t key_x = x->i > x->j ? make_key(x->i, x->j, x->bound)
                               : make_key(x->j, x->i, clew_bound_negate(x->bound));
  uint64_t key_y = y->i > y->j ? make_key(y->i, y->j, y->bound)
                               : make_key(y->j, y->i, clew_bound_negate(y->bound));
  return key_x > key_y ? -1 : key_x < key_y;
}

/* All finite bounds but those that go without saying. */
static uint32_t list_bounds(const struct clew_ddd_space *space, const void *zone) {
  const struct clew_dbm_space *zones = &space->zones;
  uint32_t count = 0;
  for (uint32_t i = 0; i < zones->dim; i++) {
    for (uint32_t j = 0; j < zones->dim; j++) {
      clew_bound bound = clew_dbm_get(zones, zone, i, j);
      if (i != j && bound != CLEW_BOUND_INFINITE && (i > 0 || bound < CLEW_BOUND_ZERO)) {
        space->bounds[count++] = (struct clew_dbm_constraint){i, j, bound};
      }
    }
  }
  return count;
}

clew_ddd clew_ddd_of_zone(struct clew_ddd_space *space, const void *zone, const void *context) {
  const struct clew_dbm_space *zones = &space->zones;
  uint32_t count =
      space->is_closed ? list_bounds(space, zone) : clew_dbm_minimise(zones, zone, space->bounds);
  bool is_upper = space->semantics == CLEW_DDD_UPPER;
  qsort(space->bounds, count, sizeof *space->bounds,
        is_upper ? compare_upper_bounds : compare_bounds);
  clew_ddd set = CLEW_DDD_TRUE;
  for (uint32_t n = 0; n < count; n++) {
    const struct clew_dbm_constraint *c = &space->bounds[n];
    if (context != NULL && clew_dbm_get(zones, context, c->i, c->j) <= c->bound) {
      continue;
    }
    if (is_upper) {
      uint32_t value = clew_ddd_intern(space, c->i, c->j, c->bound);
      set = clew_ddd_upper_make(space, value, set, CLEW_DDD_FALSE);
    } else if (c->i > c->j) {
      uint32_t value = clew_ddd_intern(space, c->i, c->j, c->bound);
      set = clew_ddd_make(space, value, set, CLEW_DDD_FALSE);
    } else {
      uint32_t value = clew_ddd_intern(space, c->j, c->i, clew_bound_negate(c->bound));
      set = clew_ddd_make(space, value, CLEW_DDD_FALSE, set);
    }
  }
  return set;
}

clew_ddd clew_ddd_of_fed(struct clew_ddd_space *space, const struct clew_fed *fed) {
  clew_ddd set = CLEW_DDD_FALSE;
  for (uint32_t i = 0; i < fed->count && !gives_up(space->dd); i++) {
    clew_ddd zone = clew_ddd_of_zone(space, clew_fed_zone(fed, i), NULL);
    set = clew_ddd_apply(space, OP_DDD_OR, set, zone);
  }
  return set;
}

static clew_ldd run_of_zone(struct clew_dd *dd, const struct call *call) {
  return clew_ddd_in_form(space_of(dd), clew_ddd_of_zone(space_of(dd), call->context, NULL));
}

clew_ddd clew_ddd_from_zone(struct clew_ddd_space *space, const void *zone) {
  union {
    const void *from;
    void *to;
  } borrowed = {zone};
  return clew_dd_perform(space->dd, &(struct call){.run = run_of_zone, .context = borrowed.to});
}

static clew_ldd run_of_fed(struct clew_dd *dd, const struct call *call) {
  return clew_ddd_in_form(space_of(dd), clew_ddd_of_fed(space_of(dd), call->context));
}

clew_ddd clew_ddd_from_fed(struct clew_ddd_space *space, const struct clew_fed *fed) {
  union {
    const void *from;
    void *to;
  } borrowed = {fed};
  return clew_dd_perform(space->dd, &(struct call){.run = run_of_fed, .context = borrowed.to});
}

bool clew_ddd_restrict(const struct clew_ddd_space *space, const struct constraint *constraint,
                       bool is_true, const void *zone, void *out) {
  clew_dbm_copy(&space->zones, out, zone);
  return is_true ? clew_dbm_constrain(&space->zones, out, constraint->i, constraint->j,
                                      constraint->bound)
                 : clew_dbm_constrain(&space->zones, out, constraint->j, constraint->i,
                                      clew_bound_negate(constraint->bound));
}

bool clew_ddd_contains(const struct clew_ddd_space *space, clew_ddd set, const int32_t *values,
                       int32_t scale) {
  if (space->semantics == CLEW_DDD_UPPER) {
    return clew_ddd_upper_contains(space, set, values, scale);
  }
  while (set >= FIRST_NODE) {
    struct clew_ldd_node node = node_of(space->dd, set);
    bool is_true = clew_ddd_satisfies(constraint_of(space, node.value), values, scale);
    set = is_true ? node.down : node.right;
  }
  return set == CLEW_DDD_TRUE;
}

/* ---- opening and closing ---- */

static struct constraints *open_shared(struct clew_dd *dd) {
  struct constraints *shared = clew_alloc_zero(1, sizeof *shared);
  const uint64_t most = (uint64_t)DIFFERENCE * sizeof(struct constraint);
  uint64_t limit = dd->table->budget->limit_bytes;
  size_t least = 1 << 12;
  if (!clew_bigmem_open_most(&shared->list, most < limit ? most : limit, least,
                             dd->table->budget)) {
    clew_free(shared);
    return NULL;
  }
  pthread_mutex_init(&shared->lock, NULL);
  return shared;
}

static void open_space(struct clew_dd *dd, const struct clew_dbm_space *zones,
                       const struct clew_ddd_config *config, struct constraints *shared) {
  struct clew_ddd_space *space = clew_alloc_zero(1, sizeof *space);
  size_t dim = config->dim;
  space->dd = dd;
  space->shared = shared;
  space->constraints = (const struct constraint *)(const void *)shared->list.data;
  space->zones = *zones;
  space->semantics = config->semantics;
  space->is_closed = config->is_closed;
  space->minus = config->minus;
  space->form = config->form;
  space->bounds = clew_realloc_array(NULL, dim * dim, sizeof *space->bounds);
  space->lower = clew_alloc_zero(dim, sizeof *space->lower);
  space->upper = clew_alloc_zero(dim, sizeof *space->upper);
  space->stopped = clew_alloc_zero(CLEW_BITSET_WORDS(dim) + 1, sizeof *space->stopped);
  dd->clocks = space;
}

struct clew_ddd_space *clew_ddd_open(struct clew_dd *dd, const struct clew_ddd_config *config) {
  struct clew_dbm_space zones;
  assert(dd->clocks == NULL && config->dim >= 1);
  assert(config->semantics == CLEW_DDD_BOTH ||
         (config->form == CLEW_DDD_LOCAL && config->minus != CLEW_DDD_NATIVE));
  struct constraints *shared = NULL;
  if (!clew_dbm_space_init(&zones, config->dim, config->largest) ||
      (shared = open_shared(dd)) == NULL) {
    return NULL;
  }
  for (uint32_t i = 0; i < dd->table->worker_count; i++) {
    open_space(dd->table->workers[i], &zones, config, shared);
  }
  return dd->clocks;
}

static void close_space(struct clew_ddd_space *space) {
  clew_ddd_forget_covers(space);
  clew_free(space->bounds);
  clew_free(space->lower);
  clew_free(space->upper);
  clew_free(space->stopped);
  clew_free(space);
}

void clew_dd_close_clocks(struct clew_dd *dd) {
  if (dd->clocks == NULL) {
    return;
  }
  struct constraints *shared = dd->clocks->shared;
  for (uint32_t i = 0; i < dd->table->worker_count; i++) {
    close_space(dd->table->workers[i]->clocks);
    dd->table->workers[i]->clocks = NULL;
  }
  clew_bigmem_close(&shared->list);
  clew_vec_free(&shared->index);
  clew_vec_free(&shared->steps);
  clew_vec_free(&shared->actions);
  clew_vec_free(&shared->action_index);
  pthread_mutex_destroy(&shared->lock);
  clew_free(shared);
}

const struct clew_dbm_space *clew_ddd_zone_space(const struct clew_ddd_space *space) {
  return &space->zones;
}

void clew_ddd_figures(const struct clew_ddd_space *space, struct clew_ddd_figures *figures) {
  const struct table *table = space->dd->table;
  *figures = (struct clew_ddd_figures){.constraints = space->shared->count,
                                       .actions = space->shared->actions.len};
  for (uint32_t i = 0; i < table->worker_count; i++) {
    figures->zones_acted += table->workers[i]->clocks->zones_acted;
  }
}
