/* Saturation (Ciardo, Lüttgen, Siminiceanu), with relations that are learnt on the way: in two
 * ways, which take turns.
 *
 * A group belongs to its top level, the first that it touches: it maps vectors of the levels from
 * there on to vectors of these levels. A set at a level is saturated when no group that belongs
 * there or below leads out of it. The union of saturated sets is saturated. So the lowest levels,
 * where diagrams are small and shared, are worked off first, and results are remembered for each
 * node: the same node is never saturated twice between two collections.
 *
 * By groups, with what is new. To saturate a set, the sets below its values are saturated first;
 * then the groups of its own level are applied to what they were not yet applied to, until nothing
 * is new, and what they make, without what is there, is saturated below before it is added.
 *
 * By levels, whole (dd/saturate.h). The groups of a level are one relation (symbolic_merge.c). It
 * is applied to whole sets, and what it makes is saturated level by level as it is made.
 *
 * The first makes few steps as long as what is new is small and alike; where it falls to pieces,
 * each of which is saturated by itself, the second one makes up to twenty times fewer. Nothing
 * tells beforehand. So the first begins; a search that has not ended after some steps goes on by
 * the other one, then by the first again, each time for twice as long. Both know what the other one
 * has visited and learnt. Clock values are saturated by groups alone.
 *
 * Learning works in the same way: the short states of a group come from the levels from its top
 * on, hence from the set at hand. Each vector of such a set is the rest of a reachable state. */
#include <assert.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

enum { OWN_SATURATE };
enum { FIRST_TURN = 8000000 }; /* steps */

static bool is_turn_over(const struct symbolic *s) {
  return s->turn_end != 0 && clew_dd_steps(s->dd) >= s->turn_end;
}

/* Whether to leave off: the run is stopped, or is to be kept, or it is the turn of the other way.
 */
static bool leaves(struct symbolic *s) {
  return clew_run_stopped(&s->run) || clew_symbolic_pauses(s, false) || is_turn_over(s);
}

/* ---- by groups ---- */

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

/* ---- by levels ---- */

static bool learn_level(void *context, uint32_t level, clew_ldd set) {
  return clew_symbolic_learn_merged(context, level, set);
}

static bool leaves_off(void *context, uint32_t level) {
  struct symbolic *s = context;
  clew_run_poll(clew_run_worker(&s->run, 0), 1, 0, level);
  return leaves(s) || !clew_symbolic_is_done(s, CLEW_LDD_EMPTY);
}

static clew_ldd saturate_by_levels(struct symbolic *s) {
  const struct clew_ldd_saturation saturation = {.layers = s->layers,
                                                 .layer_count = s->last_top + 1,
                                                 .learn = learn_level,
                                                 .leaves = leaves_off,
                                                 .context = s};
  enum clew_dd_status status;
  clew_ldd all = clew_ldd_saturate(s->dd, s->visited, &saturation, &status);
  if (status == CLEW_DD_STOPPED) {
    clew_run_interrupt(&s->run);
  } else if (status != CLEW_DD_OK) {
    clew_run_stop(&s->run, CLEW_STOP_MEMORY);
  }
  return all;
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

static void take_turns(struct symbolic *s) {
  bool by_groups = true, is_over = true;
  uint64_t steps = s->options->turn != 0 ? s->options->turn : FIRST_TURN;
  for (; is_over && !leaves(s); steps *= 2) {
    s->turn_end = s->clocks == NULL ? clew_dd_steps(s->dd) + steps : 0;
    s->visited = by_groups ? saturate(s, s->visited, 0) : saturate_by_levels(s);
    is_over = is_turn_over(s);
    s->turn_end = 0;
    by_groups = !by_groups;
  }
}

bool clew_symbolic_saturate(struct symbolic *s) {
  if (s->level_count > 0) {
    take_turns(s);
  }
  s->fresh = s->visited;
  return !leaves(s) && learn_idle(s);
}
