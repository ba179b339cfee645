/* Actions: what transitions do to clocks, forwards and backwards, zone by zone of the cover. */
#include "dd/ddd_int.h"

/* ---- numbers of actions ---- */

enum { LEAST_INDEX = 64 };

static uint32_t *find_action(const struct clew_ddd_space *space, const struct clew_ddd_step *steps,
                             uint32_t count, uint64_t hash) {
  uint32_t mask = space->shared->action_index.len - 1, slot = (uint32_t)hash & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t at = space->shared->action_index.data[slot];
    if (at == 0) {
      return &space->shared->action_index.data[slot];
    }
    const struct action *action = &space->shared->actions.data[at - 1];
    if (action->hash == hash && action->count == count &&
        (count == 0 ||
         memcmp(&space->shared->steps.data[action->first], steps, count * sizeof *steps) == 0)) {
      return &space->shared->action_index.data[slot];
    }
  }
}

static void grow_action_index(struct clew_ddd_space *space) {
  uint32_t length =
      space->shared->action_index.len == 0 ? LEAST_INDEX : 2 * space->shared->action_index.len;
  clew_vec_reserve(&space->shared->action_index, length);
  space->shared->action_index.len = length;
  memset(space->shared->action_index.data, 0, length * sizeof *space->shared->action_index.data);
  for (uint32_t i = 0; i < space->shared->actions.len; i++) {
    uint32_t slot = (uint32_t)space->shared->actions.data[i].hash & (length - 1);
    while (space->shared->action_index.data[slot] != 0) {
      slot = (slot + 1) & (length - 1);
    }
    space->shared->action_index.data[slot] = i + 1;
  }
}

uint32_t clew_ddd_action(struct clew_ddd_space *space, const struct clew_ddd_step *steps,
                         uint32_t count) {
  static_assert(sizeof *steps == 5 * sizeof(uint32_t), "steps are compared as memory");
  uint64_t hash = clew_hash_bytes(steps, count * sizeof *steps, count);
  if (space->shared->actions.len * 2 >= space->shared->action_index.len) {
    grow_action_index(space);
  }
  uint32_t *place = find_action(space, steps, count, hash);
  if (*place == 0) {
    struct action action = {space->shared->steps.len, count, hash};
    for (uint32_t i = 0; i < count; i++) {
      clew_vec_push(&space->shared->steps, steps[i]);
    }
    clew_vec_push(&space->shared->actions, action);
    *place = space->shared->actions.len;
  }
  assert(*place <= 1U << CLEW_DD_VALUE_BITS);
  return *place - 1;
}

/* ---- one zone ---- */

/* Clocks that get negative would not be in a zone any more. */
static bool shift(const struct clew_dbm_space *zones, void *zone, uint32_t clock, int32_t by) {
  if (by < 0 && !clew_dbm_constrain(zones, zone, 0, clock, clew_bound_at_most(by))) {
    return false;
  }
  clew_dbm_shift(zones, zone, clock, by);
  return true;
}

static void forget_limits(struct clew_ddd_space *space) {
  for (uint32_t i = 0; i < space->zones.dim; i++) {
    space->lower[i] = space->upper[i] = CLEW_DBM_NO_CONSTANT;
  }
}

/* False: nothing is left. */
static bool take_step(struct clew_ddd_space *space, const struct clew_ddd_step *step, void *zone) {
  const struct clew_dbm_space *zones = &space->zones;
  switch (step->kind) {
  case CLEW_DDD_CONSTRAIN:
    return step->i == step->j ? step->number >= CLEW_BOUND_ZERO
                              : clew_dbm_constrain(zones, zone, step->i, step->j, step->number);
  case CLEW_DDD_ASSIGN:
    clew_dbm_assign(zones, zone, step->i, step->number);
    break;
  case CLEW_DDD_COPY:
    clew_dbm_copy_clock(zones, zone, step->i, step->j);
    break;
  case CLEW_DDD_SHIFT:
    return shift(zones, zone, step->i, step->number);
  case CLEW_DDD_FREE:
    clew_dbm_free_clock(zones, zone, step->i);
    break;
  case CLEW_DDD_STOP:
    clew_bitset_add(space->stopped, step->i);
    break;
  case CLEW_DDD_UP:
    clew_dbm_up(zones, zone, space->stopped);
    break;
  case CLEW_DDD_DOWN:
    clew_dbm_down(zones, zone);
    break;
  case CLEW_DDD_LIMIT:
    space->lower[step->i] = step->number;
    space->upper[step->i] = step->other;
    break;
  case CLEW_DDD_EXTRAPOLATE:
    clew_dbm_extrapolate(zones, zone, space->lower, space->upper, true);
    break;
  }
  return true;
}

static bool take_steps(struct clew_ddd_space *space, const struct action *action, void *zone) {
  memset(space->stopped, 0, CLEW_BITSET_WORDS((size_t)space->zones.dim) * sizeof(uint64_t));
  forget_limits(space);
  for (uint32_t i = 0; i < action->count; i++) {
    if (!take_step(space, &space->shared->steps.data[action->first + i], zone)) {
      return false;
    }
  }
  return true;
}

/* ---- one zone, backwards ---- */

/* The clocks that stand still in step `at`. */
static bool find_stopped(struct clew_ddd_space *space, const struct action *action, uint32_t at) {
  bool any = false;
  memset(space->stopped, 0, CLEW_BITSET_WORDS((size_t)space->zones.dim) * sizeof(uint64_t));
  for (uint32_t i = 0; i < at; i++) {
    const struct clew_ddd_step *step = &space->shared->steps.data[action->first + i];
    if (step->kind == CLEW_DDD_STOP) {
      clew_bitset_add(space->stopped, step->i);
      any = true;
    }
  }
  return any;
}

/* Time has passed, but not for some clocks: the least zone around these values. The others were
 * less before, so only bounds below them, from zero and from clocks that stand still, are lost. */
static void down_beside(const struct clew_ddd_space *space, void *zone) {
  const struct clew_dbm_space *zones = &space->zones;
  for (uint32_t i = 1; i < zones->dim; i++) {
    for (uint32_t j = 0; j < zones->dim && !clew_bitset_has(space->stopped, i); j++) {
      if (j == 0 || clew_bitset_has(space->stopped, j)) {
        clew_dbm_set(zones, zone, j, i, j == 0 ? CLEW_BOUND_ZERO : CLEW_BOUND_INFINITE);
      }
    }
  }
  bool some = clew_dbm_close(zones, zone);
  assert(some);
  (void)some;
}

/* The values that the step turns into some of the zone; false: there are none. */
static bool take_step_back(struct clew_ddd_space *space, const struct action *action, uint32_t at,
                           void *zone) {
  const struct clew_dbm_space *zones = &space->zones;
  const struct clew_ddd_step *step = &space->shared->steps.data[action->first + at];
  bool some = true;
  switch (step->kind) {
  case CLEW_DDD_CONSTRAIN:
    return take_step(space, step, zone);
  case CLEW_DDD_ASSIGN:
    some = clew_dbm_constrain(zones, zone, step->i, 0, clew_bound_at_most(step->number)) &&
           clew_dbm_constrain(zones, zone, 0, step->i, clew_bound_at_most(-step->number));
    break;
  case CLEW_DDD_COPY:
    if (step->i == step->j) {
      return true;
    }
    some = clew_dbm_constrain(zones, zone, step->i, step->j, CLEW_BOUND_ZERO) &&
           clew_dbm_constrain(zones, zone, step->j, step->i, CLEW_BOUND_ZERO);
    break;
  case CLEW_DDD_SHIFT:
    return shift(zones, zone, step->i, -step->number);
  case CLEW_DDD_FREE:
    break;
  case CLEW_DDD_UP:
    if (find_stopped(space, action, at)) {
      down_beside(space, zone);
    } else {
      clew_dbm_down(zones, zone);
    }
    return true;
  case CLEW_DDD_DOWN:
    memset(space->stopped, 0, CLEW_BITSET_WORDS((size_t)zones->dim) * sizeof(uint64_t));
    clew_dbm_up(zones, zone, space->stopped);
    return true;
  case CLEW_DDD_STOP:
  case CLEW_DDD_LIMIT:
  case CLEW_DDD_EXTRAPOLATE:
    return true;
  }
  if (some) {
    clew_dbm_free_clock(zones, zone, step->i);
  }
  return some;
}

static bool take_steps_back(struct clew_ddd_space *space, const struct action *action, void *zone) {
  for (uint32_t i = action->count; i-- > 0;) {
    if (!take_step_back(space, action, i, zone)) {
      return false;
    }
  }
  return true;
}

/* ---- sets ---- */

/* OP_DDD_ACT, OP_DDD_ACT_BACK. */
static void act_on_zones(struct clew_ddd_space *space, enum operation op, clew_ddd set,
                         uint32_t number, struct clew_fed *out) {
  const struct action action = space->shared->actions.data[number];
  const struct clew_fed *zones = clew_ddd_zones(space, set);
  void *zone = clew_alloc(space->zones.bytes);
  for (uint32_t i = 0; i < zones->count; i++) {
    clew_dbm_copy(&space->zones, zone, clew_fed_zone(zones, i));
    space->zones_acted++;
    bool some =
        op == OP_DDD_ACT ? take_steps(space, &action, zone) : take_steps_back(space, &action, zone);
    if (some && !clew_ddd_is_within(out, zone)) {
      clew_fed_add(out, zone);
    }
  }
  clew_free(zone);
  clew_ddd_drop_covered(out);
}

static clew_ddd act(struct clew_ddd_space *space, enum operation op, clew_ddd set,
                    uint32_t number) {
  struct clew_dd *dd = space->dd;
  clew_ddd result;
  assert(number < space->shared->actions.len);
  if (set == CLEW_DDD_FALSE || gives_up(dd)) {
    return CLEW_DDD_FALSE;
  }
  struct key key = cache_key(dd, set, number, op);
  if (cache_get(dd, &key, &result)) {
    return result;
  }
  struct clew_fed zones;
  clew_fed_open(&zones, &space->zones);
  act_on_zones(space, op, set, number, &zones);
  result = clew_ddd_in_form(space, clew_ddd_of_fed(space, &zones));
  clew_fed_close(&zones);
  cache_put(dd, &key, result);
  return result;
}

static clew_ldd run_act(struct clew_dd *dd, const struct call *call) {
  return act(dd->clocks, OP_DDD_ACT, call->a, call->plan);
}

clew_ddd clew_ddd_act(struct clew_ddd_space *space, clew_ddd set, uint32_t action) {
  struct call call = {.run = run_act, .a = set, .plan = action};
  return clew_dd_perform(space->dd, &call);
}

static clew_ldd run_act_back(struct clew_dd *dd, const struct call *call) {
  return act(dd->clocks, OP_DDD_ACT_BACK, call->a, call->plan);
}

clew_ddd clew_ddd_act_back(struct clew_ddd_space *space, clew_ddd set, uint32_t action) {
  struct call call = {.run = run_act_back, .a = set, .plan = action};
  return clew_dd_perform(space->dd, &call);
}

static clew_ldd act_all(struct clew_dd *dd, enum operation op, clew_ldd set, clew_ldd actions) {
  clew_ldd all = CLEW_DDD_FALSE;
  for (; actions != CLEW_LDD_EMPTY && !gives_up(dd); actions = node_of(dd, actions).right) {
    all = clew_dd_union(dd, all, act(dd->clocks, op, set, node_of(dd, actions).value));
  }
  return all;
}

clew_ldd clew_dd_leaf_act(struct clew_dd *dd, clew_ldd set, clew_ldd actions) {
  return act_all(dd, OP_DDD_ACT, set, actions);
}

clew_ldd clew_dd_leaf_act_back(struct clew_dd *dd, clew_ldd set, clew_ldd actions,
                               clew_ldd universe) {
  return clew_dd_intersect(dd, universe, act_all(dd, OP_DDD_ACT_BACK, set, actions));
}
