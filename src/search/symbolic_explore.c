/* Orders of exploration: what is applied to what, until nothing is new.
 *
 *   bfs-prev     products of the last level; what is new is the next level
 *   bfs          products of all that was visited, until nothing is new
 *   no-minus     products of the last products, visited states among them
 *   chain        each group is applied to what the groups before it have made, visited states
 *                among it
 *   chain-prev   the same, but only to what is new since the last round
 *
 * All of them can be told to work off groups in *layers* (`--sat like`): groups that touch only low
 * levels come first, again and again until nothing is new, before those that begin one level
 * above; whenever these have made something, the lowest layer is next. Saturation proper does that
 * for each node of the diagram (symbolic_saturate.c).
 *
 * All orders visit the same states. Without layers the first three have breadth-first levels. */
#include <assert.h>

#include "search/symbolic_int.h"

bool clew_symbolic_has_levels(const struct symbolic *s) {
  return s->sat == SAT_NONE &&
         (s->order == ORDER_BFS_PREV || s->order == ORDER_BFS || s->order == ORDER_NO_MINUS);
}

/* The groups are polled for one by one. */
static bool may_go_on(struct symbolic *s) {
  clew_run_poll(clew_run_worker(&s->run, 0), 1, 0, s->rounds);
  return !clew_run_stopped(&s->run) && !clew_symbolic_pauses(s, true);
}

/* The union of the products of a set with the relations of a range of groups, after what is new in
 * it was learnt. */
static bool step_all(struct symbolic *s, struct symbolic_range range, const clew_ldd *set,
                     clew_ldd *next) {
  bool going = true;
  for (uint32_t i = range.first; i < range.end && going; i++) {
    going = clew_symbolic_learn(s, i, *set, false);
    if (going) {
      const struct symbolic_group *group = &s->groups[i];
      clew_ldd made = clew_ldd_product(s->dd, *set, group->relation, group->product);
      going = clew_symbolic_add(s, next, made);
    }
    going = going && may_go_on(s);
  }
  if (going && s->is_split) { /* one delay for all of them */
    clew_ldd made = clew_symbolic_delay(s, *next);
    going = clew_symbolic_is_done(s, made);
    *next = going ? made : *next;
  }
  return going;
}

/* One level. False: nothing is new, or the run is stopped. */
static bool step_level(struct symbolic *s, struct symbolic_range range) {
  clew_ldd next = CLEW_LDD_EMPTY;
  const clew_ldd *from = s->order == ORDER_BFS ? &s->visited : &s->frontier;
  clew_dd_keep(s->dd, &next);
  bool going = step_all(s, range, from, &next);
  s->expanded = *from;
  if (going && s->order == ORDER_BFS_PREV) {
    clew_ldd fresh = clew_ldd_minus(s->dd, next, s->visited);
    going = clew_symbolic_is_done(s, fresh);
    s->frontier = s->fresh = going ? fresh : CLEW_LDD_EMPTY;
    going = going && fresh != CLEW_LDD_EMPTY && clew_symbolic_add(s, &s->visited, s->fresh);
  } else if (going) {
    clew_ldd before = s->visited;
    clew_dd_keep(s->dd, &before);
    going = clew_symbolic_add(s, &s->visited, next) && s->visited != before;
    clew_dd_forget(s->dd, &before);
    s->frontier = next;
    s->fresh = s->visited;
  }
  clew_dd_forget(s->dd, &next);
  return going;
}

/* Every group once, each on all that was visited. */
static bool step_chain(struct symbolic *s, struct symbolic_range range) {
  clew_ldd before = s->visited;
  clew_dd_keep(s->dd, &before);
  bool going = true;
  for (uint32_t i = range.first; i < range.end && going; i++) {
    going = clew_symbolic_learn(s, i, s->visited, false);
    if (going) {
      clew_ldd made = clew_symbolic_image(s, i, s->visited, &s->visited, false);
      going = clew_symbolic_add(s, &s->visited, made);
    }
    going = going && may_go_on(s);
  }
  clew_dd_forget(s->dd, &before);
  s->fresh = s->visited;
  return going && s->visited != before;
}

/* Every group once, each on the frontier and what the groups before have made of it. */
static bool step_chain_prev(struct symbolic *s, struct symbolic_range range) {
  bool going = true;
  for (uint32_t i = range.first; i < range.end && going; i++) {
    going = clew_symbolic_learn(s, i, s->frontier, false);
    clew_ldd made =
        going ? clew_symbolic_image(s, i, s->frontier, &s->visited, false) : CLEW_DD_NONE;
    made = made != CLEW_DD_NONE ? clew_ldd_minus(s->dd, made, s->visited) : made;
    going = going && clew_symbolic_add(s, &s->frontier, made) && may_go_on(s);
  }
  /* What was in the frontier before is visited; the rest is new. */
  clew_ldd fresh = going ? clew_ldd_minus(s->dd, s->frontier, s->visited) : CLEW_LDD_EMPTY;
  going = going && clew_symbolic_is_done(s, fresh);
  s->frontier = s->fresh = going ? fresh : CLEW_LDD_EMPTY;
  return going && fresh != CLEW_LDD_EMPTY && clew_symbolic_add(s, &s->visited, s->fresh);
}

/* One round with these groups. False: nothing is new, or the run is stopped. */
static bool step_range(struct symbolic *s, struct symbolic_range range) {
  switch (s->order) {
  case ORDER_CHAIN:
    return step_chain(s, range);
  case ORDER_CHAIN_PREV:
    return step_chain_prev(s, range);
  default:
    return step_level(s, range);
  }
}

/* The groups of the layer until nothing is new. False: it was the last layer, and nothing was; or
 * the run is stopped. */
static bool step_layer(struct symbolic *s) {
  uint32_t level = s->layer;
  assert(level <= s->level_count);
  clew_ldd before = s->visited;
  clew_dd_keep(s->dd, &before);
  s->frontier = s->visited;
  while (step_range(s, s->ranges[level])) {
    s->rounds++;
  }
  clew_dd_forget(s->dd, &before);
  if (clew_run_stopped(&s->run) || s->paused) {
    return false;
  }
  s->fresh = s->visited;
  s->expanded = CLEW_LDD_EMPTY; /* other layers may lead on */
  if (s->visited != before) {
    s->layer = s->level_count; /* with groups that touch nothing, then the lowest level */
    return true;
  }
  return s->layer-- > 0;
}

bool clew_symbolic_step(struct symbolic *s) {
  switch (s->sat) {
  case SAT_FULL:
    if (clew_symbolic_sample(s)) {
      (void)clew_symbolic_saturate(s); /* all at once */
    }
    return false;
  case SAT_LIKE:
    return step_layer(s);
  default:
    return step_range(s, (struct symbolic_range){0, s->group_count});
  }
}
