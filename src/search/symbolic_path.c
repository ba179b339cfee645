/* Paths: a breadth-first search with the relations that were learnt so far makes the levels
 * (rings) again, up to the first one that meets what is looked for. From there a path leads back
 * through the rings, to the least predecessor each time. In orders by levels, and after a complete
 * search, the path is a shortest one.
 *
 * Every visited state is in a ring, because it was reached by relations that were learnt. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "search/symbolic_int.h"

void clew_symbolic_forget_rings(struct symbolic *s) {
  for (uint32_t i = s->rings.len; i-- > 0;) {
    clew_dd_forget(s->dd, s->rings.data[i]);
    clew_free(s->rings.data[i]);
  }
  s->rings.len = 0;
}

static void push_ring(struct symbolic *s, clew_ldd set) {
  clew_ldd *ring = clew_alloc(sizeof *ring);
  *ring = set;
  clew_dd_keep(s->dd, ring);
  clew_vec_push(&s->rings, ring);
}

/* What no ring has so far. */
static bool take_off_rings(struct symbolic *s, clew_ldd *set) {
  bool going = true;
  for (uint32_t i = s->rings.len; i-- > 0 && going && *set != CLEW_LDD_EMPTY;) {
    clew_ldd left = clew_ldd_minus(s->dd, *set, *s->rings.data[i]);
    going = clew_symbolic_is_done(s, left);
    *set = going ? left : *set;
  }
  return going;
}

static bool add_ring(struct symbolic *s) {
  clew_ldd next = CLEW_LDD_EMPTY;
  const clew_ldd *last = clew_vec_last(&s->rings);
  clew_dd_keep(s->dd, &next);
  bool going = true;
  for (uint32_t i = 0; i < s->group_count && going; i++) {
    const struct symbolic_group *group = &s->groups[i];
    going = clew_symbolic_add(s, &next,
                              clew_ldd_product(s->dd, *last, group->relation, group->product));
  }
  going = going && take_off_rings(s, &next);
  clew_run_poll(clew_run_worker(&s->run, 0), s->group_count, 0, s->rings.len);
  clew_dd_forget(s->dd, &next);
  if (going) {
    assert(next != CLEW_LDD_EMPTY); /* what is looked for was visited */
    push_ring(s, next);
  }
  return going && !clew_run_stopped(&s->run);
}

bool clew_symbolic_locate(struct symbolic *s, clew_ldd set, uint32_t *depth, uint64_t *state) {
  assert(set != CLEW_LDD_EMPTY);
  clew_dd_keep(s->dd, &set);
  bool going = true;
  clew_ldd here = CLEW_LDD_EMPTY;
  for (uint32_t i = 0; going && here == CLEW_LDD_EMPTY; i++) {
    if (i == s->rings.len) {
      if (i == 0) {
        push_ring(s, s->initial);
      } else {
        going = add_ring(s);
      }
    }
    if (going) {
      here = clew_ldd_intersect(s->dd, *s->rings.data[i], set);
      going = clew_symbolic_is_done(s, here);
      *depth = i;
    }
  }
  clew_dd_forget(s->dd, &set);
  if (going) {
    clew_ldd_least(s->dd, here, s->level_count, s->vector);
    clew_symbolic_set_state(s, s->vector, state);
  }
  return going;
}

/* ---- one step back ---- */

/* An edge by which the model leads from one state to the other, or starts there (`from` is NULL);
 * CLEW_NONE: there is none. Unlike `fire`, which executes whatever edge it is told to, `next`
 * leaves out edges that give way to others. */
static uint32_t find_edge(struct symbolic *s, const uint64_t *from, const uint64_t *to) {
  const struct clew_model *model = s->run.model;
  size_t bytes = model->words * sizeof *to;
  struct clew_succs succs;
  uint32_t found = CLEW_NONE;
  clew_succs_open_piecewise(&succs, model->words, model->cover_count);
  do {
    clew_succs_clear(&succs);
    if (from == NULL) {
      model->init(model, &succs);
    } else {
      model->next(model, from, &succs);
    }
    for (uint32_t i = 0; i < succs.count && found == CLEW_NONE; i++) {
      if (memcmp(succs.states + (size_t)i * succs.words, to, bytes) == 0) {
        found = succs.edges[i];
      }
    }
  } while (succs.resume != 0 && found == CLEW_NONE);
  clew_succs_close(&succs);
  return found;
}

/* A predecessor of `state` in the ring, which replaces it; the edge, or CLEW_NONE: there is none,
 * or the run is stopped. */
static uint32_t step_back(struct symbolic *s, uint32_t ring, uint64_t *state) {
  uint32_t edge = CLEW_NONE;
  uint64_t *before = clew_alloc(s->run.model->words * sizeof *before);
  clew_symbolic_get_vector(s, state, s->vector);
  clew_ldd here = clew_ldd_from_rows(s->dd, s->vector, 1, s->level_count);
  clew_dd_keep(s->dd, &here);
  bool going = clew_symbolic_is_done(s, here);
  for (uint32_t i = 0; i < s->group_count && going && edge == CLEW_NONE; i++) {
    const struct symbolic_group *group = &s->groups[i];
    clew_ldd origins =
        clew_ldd_inverse(s->dd, here, group->relation, group->inverse, *s->rings.data[ring]);
    going = clew_symbolic_is_done(s, origins);
    if (going && origins != CLEW_LDD_EMPTY) {
      clew_ldd_least(s->dd, origins, s->level_count, s->vector);
      clew_symbolic_set_state(s, s->vector, before);
      edge = find_edge(s, before, state);
    }
  }
  clew_dd_forget(s->dd, &here);
  memcpy(state, before, s->run.model->words * sizeof *before);
  clew_free(before);
  return edge;
}

/* Makes the rings up to the one of the state; false when the run is stopped. */
static bool locate_state(struct symbolic *s, const uint64_t *state, uint32_t *depth, uint64_t *at) {
  clew_symbolic_get_vector(s, state, s->vector);
  clew_ldd here = clew_ldd_from_rows(s->dd, s->vector, 1, s->level_count);
  return clew_symbolic_is_done(s, here) && clew_symbolic_locate(s, here, depth, at);
}

uint32_t clew_symbolic_depth_of(struct clew_run *run, const uint64_t *state) {
  struct symbolic *s = symbolic_of(run);
  uint32_t depth = 0;
  (void)locate_state(s, state, &depth, s->state);
  return depth;
}

uint32_t clew_symbolic_list_states(struct clew_run *run, const uint64_t *after, uint64_t *states,
                                   uint32_t most) {
  struct symbolic *s = symbolic_of(run);
  uint32_t levels = s->level_count;
  uint32_t *rows = clew_alloc(((size_t)most + 1) * (levels + (size_t)1) * sizeof *rows);
  uint32_t *last = rows + (size_t)most * levels;
  if (after != NULL) {
    clew_symbolic_get_vector(s, after, last);
  }
  uint32_t count =
      clew_ldd_list(s->dd, s->visited, levels, after != NULL ? last : NULL, rows, most);
  for (uint32_t i = 0; i < count; i++) {
    clew_symbolic_set_state(s, rows + (size_t)i * levels, states + (size_t)i * run->model->words);
  }
  clew_free(rows);
  return count;
}

bool clew_symbolic_find_path(struct clew_run *run, const uint64_t *state,
                             struct clew_trace *trace) {
  struct symbolic *s = symbolic_of(run);
  uint64_t *at = clew_alloc(run->model->words * sizeof *at);
  uint32_t depth = 0;
  bool going = locate_state(s, state, &depth, at);
  *trace = (struct clew_trace){.initial = CLEW_NONE, .loop_to = CLEW_NONE};
  trace->edges = clew_alloc((depth + (size_t)1) * sizeof *trace->edges);
  for (trace->edge_count = depth; going && depth > 0; depth--) {
    trace->edges[depth - 1] = step_back(s, depth - 1, at);
    going = trace->edges[depth - 1] != CLEW_NONE;
  }
  trace->initial = going ? find_edge(s, NULL, at) : CLEW_NONE;
  clew_free(at);
  if (trace->initial == CLEW_NONE) {
    clew_trace_free(trace);
  }
  return trace->initial != CLEW_NONE;
}
