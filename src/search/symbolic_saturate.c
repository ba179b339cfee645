/* Saturation (Ciardo, Lüttgen, Siminiceanu), with relations that are learnt on the way.
 *
 * A group belongs to its top level, the first that it touches: it maps vectors of the levels from
 * there on to vectors of these levels. A set at a level is saturated when no group that belongs
 * there or below leads out of it. To saturate a set, the sets below its values are saturated first;
 * then the groups of its own level are applied until nothing is new, and what they make is
 * saturated below before it is added. The union of saturated sets is saturated. So the lowest
 * levels, where diagrams are small and shared, are worked off first, and results are remembered for
 * each node: the same node is never saturated twice between two collections.
 *
 * Learning works in the same way: the short states of a group come from the levels from its top
 * on, hence from the set at hand. Each vector of such a set is the rest of a reachable state. */
#include <assert.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum { OWN_SATURATE };

/* Whether to leave off: the run is stopped, or is to be kept. */
static bool leaves(struct symbolic *s) {
  return clew_run_stopped(&s->run) || clew_symbolic_pauses(s, false);
}

/* The saturated set. If it leaves off meanwhile: as much of it as was found. */
static clew_ldd saturate(struct symbolic *s, clew_ldd set, uint32_t level);

/* The list of these nodes; the set that they come from when there is no memory for it. */
static clew_ldd make_list(struct symbolic *s, const struct clew_ldd_node *nodes, uint32_t length,
                          clew_ldd *set) {
  clew_ldd list = CLEW_LDD_EMPTY;
  for (uint32_t i = length; i-- > 0;) {
    list = clew_ldd_make(s->dd, nodes[i].value, nodes[i].down, list);
    if (!clew_symbolic_is_done(s, list)) {
      return *set;
    }
  }
  return list;
}

/* The elements of a list, with what is below them saturated, as a list. */
static clew_ldd saturate_below(struct symbolic *s, clew_ldd set, uint32_t level) {
  uint32_t length = 0;
  for (clew_ldd at = set; at != CLEW_LDD_EMPTY; at = clew_ldd_node(s->dd, at).right) {
    length++;
  }
  struct clew_ldd_node *nodes = clew_alloc((length + (size_t)1) * sizeof *nodes);
  for (clew_ldd at = set, i = 0; at != CLEW_LDD_EMPTY; at = nodes[i++].right) {
    nodes[i] = clew_ldd_node(s->dd, at);
  }
  clew_dd_keep(s->dd, &set);
  for (uint32_t i = 0; i < length; i++) {
    clew_dd_keep(s->dd, &nodes[i].down);
  }
  for (uint32_t i = 0; i < length && !leaves(s); i++) {
    nodes[i].down = saturate(s, nodes[i].down, level + 1);
  }
  clew_ldd list = make_list(s, nodes, length, &set);
  for (uint32_t i = length; i-- > 0;) {
    clew_dd_forget(s->dd, &nodes[i].down); /* learning keeps sets of its own */
  }
  clew_dd_forget(s->dd, &set);
  clew_free(nodes);
  return list;
}

/* Applies a group of this level to what *set has more than *done, which is set to *set, and adds
 * what it makes. */
static bool apply(struct symbolic *s, uint32_t number, uint32_t level, clew_ldd *set,
                  clew_ldd *done) {
  clew_ldd rest = clew_ldd_minus(s->dd, *set, *done);
  *done = *set;
  if (!clew_symbolic_is_done(s, rest) || rest == CLEW_LDD_EMPTY) {
    return rest == CLEW_LDD_EMPTY;
  }
  clew_dd_keep(s->dd, &rest);
  bool learnt = clew_symbolic_learn(s, number, rest, true);
  clew_dd_forget(s->dd, &rest);
  if (!learnt) {
    return false;
  }
  clew_ldd made = clew_symbolic_image(s, number, rest, set, true);
  if (!clew_symbolic_is_done(s, made)) {
    return false;
  }
  /* What was there before is saturated. */
  made = clew_ldd_minus(s->dd, made, *set);
  if (!clew_symbolic_is_done(s, made)) {
    return false;
  }
  if (made != CLEW_LDD_EMPTY) {
    made = saturate_below(s, made, level);
    return clew_symbolic_add(s, set, made);
  }
  return true;
}

/* Whenever a group has made something, it is the turn of the first one again. What one group makes
 * is then worked off by those before it, and the groups behind it get more at once. */
static bool reach_fixpoint(struct symbolic *s, uint32_t level, clew_ldd *set) {
  clew_ldd before = CLEW_LDD_EMPTY;
  const struct symbolic_range range = s->ranges[level];
  uint32_t count = range.end - range.first;
  clew_ldd *done = clew_alloc_zero(count + (size_t)1, sizeof *done); /* of each group */
  clew_dd_keep(s->dd, &before);
  for (uint32_t i = 0; i < count; i++) {
    clew_dd_keep(s->dd, &done[i]);
  }
  bool going = true;
  for (uint32_t i = 0; i < count && going;) {
    before = *set;
    going = apply(s, range.first + i, level, set, &done[i]);
    bool is_new = *set != before;
    if (is_new || i + 1 == count) {
      clew_run_poll(clew_run_worker(&s->run, 0), i + 1, 0, level);
      going = going && !leaves(s);
    }
    i = is_new ? 0 : i + 1;
  }
  for (uint32_t i = count; i-- > 0;) {
    clew_dd_forget(s->dd, &done[i]);
  }
  clew_dd_forget(s->dd, &before);
  clew_free(done);
  return going;
}

static clew_ldd saturate(struct symbolic *s, clew_ldd set, uint32_t level) {
  clew_ldd result;
  if (set == CLEW_LDD_EMPTY || level > s->last_top) {
    return set;
  }
  if (clew_ldd_recall(s->dd, OWN_SATURATE, set, level, &result)) {
    return result;
  }
  clew_dd_keep(s->dd, &set);
  result = saturate_below(s, set, level);
  clew_dd_keep(s->dd, &result);
  bool done = !leaves(s) && reach_fixpoint(s, level, &result);
  clew_dd_forget(s->dd, &result);
  clew_dd_forget(s->dd, &set);
  if (done) {
    clew_ldd_remember(s->dd, OWN_SATURATE, set, level, result);
    clew_ldd_remember(s->dd, OWN_SATURATE, result, level, result);
  }
  return result;
}

/* Groups that touch no level at all lead from every state to itself. */
static bool learn_idle(struct symbolic *s) {
  for (uint32_t i = 0; i < s->group_count; i++) {
    if (s->groups[i].top == s->level_count && !clew_symbolic_learn(s, i, s->visited, false)) {
      return false;
    }
  }
  return true;
}

bool clew_symbolic_saturate(struct symbolic *s) {
  clew_ldd all = s->level_count > 0 ? saturate(s, s->visited, 0) : s->visited;
  s->visited = s->fresh = all;
  return !leaves(s) && learn_idle(s);
}
