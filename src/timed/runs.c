/* Runs that stay where a condition of clocks, deadlock and the discrete part is true
 * (model/runs.h).
 *
 * The frame of a state is all that a delay makes of the values with which it is entered: time never
 * leads out of the frame, but to the end of an invariant. The condition is true in `good`, a union
 * of zones in the frame, and false in `bad`, the rest of it. A run that stays enters the state at
 * values v of a good zone, and goes on from values w that time leads to, with nothing bad between.
 * Since a good zone is convex and has no bad values, all bad values on the way lie behind it:
 *
 *   exits(G) = up(G) - up(bad values in up(G)),          within the frame
 *
 * Each zone of that is the zone of a node. It is extrapolated by the greatest constants (M+), among
 * which are those of the condition: the values that are added have, step by step, the same
 * transitions and delays, and the same truth of the condition, as some that were there. So a cycle
 * of nodes is an endless run (Tripakis 2009; Li 2009), which may take a finite time only.
 *
 * A run may rest in a node if time can pass for ever in its zone; or if it has values from which no
 * transition will be possible (deadlock.c) and time leads to nothing bad.
 *
 * Where nothing in the frame is bad, the zone of the node is the frame, and whether a run may rest
 * there is found out only when the node is expanded. */
#include <assert.h>
#include <string.h>

#include "timed/timed_int.h"

/* The last word of a node. */
enum {
  NODE_WHOLE = 1, /* nothing in the frame is bad */
  NODE_RESTS = 2, /* otherwise: a run may rest here */
};

struct frame {
  const struct clew_model *model;
  struct clew_timed_impl *impl;
  const struct clew_timed_run *run;
  struct clew_timed_context *at; /* the state, and the frame: at->zone */
  struct clew_succs *nodes;
  uint32_t *site;
  bool may_delay, is_whole;
  bool knows_ends;
  struct clew_fed good, bad;
  struct clew_fed ends; /* values at which a run may end, once they are known */
  void *zone;           /* room for one */
};

static const struct clew_timed_run *run_of(const struct clew_timed_impl *impl, uint32_t property) {
  uint32_t label = impl->model.properties[property].label;
  assert(impl->label_run[label] != CLEW_NONE);
  return &impl->spec->runs[impl->label_run[label]];
}

static uint32_t flags_word(const struct clew_timed_impl *impl) {
  return impl->discrete_words + clew_zone_matrix_words(&impl->space);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* Adds the values of the frame of which one of the disjuncts is true; false: a run-time error. */
static bool add_true(struct frame *f, struct clew_timed_span span, struct clew_fed *out) {
  for (uint32_t k = 0; k < span.count; k++) {
    const struct clew_timed_disjunct *disjunct = &f->impl->spec->disjuncts[span.first + k];
    const struct clew_fed *parts = clew_timed_find_parts(f->model, f->at, disjunct, f->site);
    if (*f->site != CLEW_NONE) {
      uint64_t *faulty = clew_succs_next(f->nodes);
      memcpy(faulty, f->at->state, f->impl->discrete_words * sizeof *faulty);
      return false;
    }
    if (parts != NULL) {
      clew_fed_add_all(out, parts);
    }
  }
  return true;
}

static bool is_all(const struct frame *f, const struct clew_fed *fed) {
  for (uint32_t i = 0; i < fed->count; i++) {
    if (clew_dbm_includes(&f->impl->space, clew_fed_zone(fed, i), f->at->zone)) {
      return true;
    }
  }
  return false;
}

/* Of the state and the frame in `at`. False: the condition is true nowhere, or is at fault. */
static bool frame_open(struct frame *f) {
  struct clew_timed_impl *impl = f->impl;
  f->may_delay = clew_timed_may_delay(impl, f->at->state);
  f->knows_ends = false;
  clew_fed_open(&f->good, &impl->space);
  clew_fed_open(&f->bad, &impl->space);
  clew_fed_open(&f->ends, &impl->space);
  if (!add_true(f, f->run->stay, &f->good) || f->good.count == 0) {
    return false;
  }
  f->is_whole = is_all(f, &f->good);
  if (!f->is_whole) {
    clew_fed_add(&f->bad, f->at->zone);
    clew_fed_subtract_all(&f->bad, &f->good);
    f->is_whole = f->bad.count == 0;
  }
  assert(f->is_whole || !impl->spec->has_stops); /* time would lead in other directions */
  return true;
}

static void frame_close(struct frame *f) {
  clew_fed_close(&f->good);
  clew_fed_close(&f->bad);
  clew_fed_close(&f->ends);
}

/* Adds the values from which a run that has entered at those of `entry`, all of them good, may go
 * on. */
static void add_exits(struct frame *f, const void *entry, struct clew_fed *out) {
  const struct clew_dbm_space *space = &f->impl->space;
  struct clew_fed rest;
  clew_dbm_copy(space, f->zone, entry);
  if (f->may_delay) {
    clew_dbm_up(space, f->zone, clew_timed_stopped(f->impl, f->at, f->at->state));
    bool some = clew_dbm_intersect(space, f->zone, f->at->zone);
    assert(some);
    (void)some;
  }
  clew_fed_open(&rest, space);
  clew_fed_add(&rest, f->zone);
  for (uint32_t k = 0; f->may_delay && k < f->bad.count && rest.count > 0; k++) {
    void *behind = f->at->work;
    clew_dbm_copy(space, behind, f->zone);
    if (clew_dbm_intersect(space, behind, clew_fed_zone(&f->bad, k))) {
      clew_dbm_up(space, behind, NULL);
      clew_fed_subtract(&rest, behind);
    }
  }
  clew_fed_add_all(out, &rest);
  clew_fed_close(&rest);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static void find_ends(struct frame *f) {
  if (f->knows_ends) {
    return;
  }
  f->knows_ends = true;
  clew_timed_expand(f->model, f->at);
  clew_timed_find_deadlock(f->impl, f->model, f->at, f->at->zone);
  clew_fed_add_all(&f->ends, &f->at->dead);
  for (uint32_t k = 0; k < f->bad.count; k++) {
    clew_dbm_copy(&f->impl->space, f->at->work, clew_fed_zone(&f->bad, k));
    if (f->may_delay) {
      clew_dbm_down(&f->impl->space, f->at->work);
    }
    clew_fed_subtract(&f->ends, f->at->work);
  }
}

/* Whether a run may rest in this zone of exits. */
static bool may_rest(struct frame *f, const void *zone) {
  const struct clew_dbm_space *space = &f->impl->space;
  if (f->may_delay && clew_dbm_is_unbounded(space, zone)) {
    return true;
  }
  find_ends(f);
  bool rests = false;
  for (uint32_t i = 0; i < f->ends.count && !rests; i++) {
    clew_dbm_copy(space, f->at->work, zone);
    rests = clew_dbm_intersect(space, f->at->work, clew_fed_zone(&f->ends, i));
  }
  return rests;
}

/* Appends the node of a zone of exits, which is changed. */
static void add_node(struct frame *f, uint32_t edge, void *zone) {
  struct clew_timed_impl *impl = f->impl;
  uint64_t flags = f->is_whole ? NODE_WHOLE : may_rest(f, zone) ? NODE_RESTS : 0;
  /* Only the zone of an initial state is. */
  bool is_start = clew_zone_cells_are_left(impl) && clew_zone_cells_are_several(impl, zone);
  if ((!impl->spec->has_diagonals || impl->cells.count > 1) && !is_start) {
    clew_timed_forget(impl, f->at, f->at->state, true, zone);
  }
  uint64_t *node = clew_succs_next(f->nodes);
  memcpy(node, f->at->state, impl->discrete_words * sizeof *node);
  clew_zone_matrix_put(&impl->space, zone, node + impl->discrete_words);
  node[flags_word(impl)] = flags;
  clew_succs_keep(f->nodes, edge);
}

/* Runs enter the frame at the values of `entry`, a zone in it. */
static void add_nodes_of(struct frame *f, uint32_t edge, const void *entry) {
  struct clew_fed exits;
  clew_fed_open(&exits, &f->impl->space);
  for (uint32_t a = 0; a < f->good.count; a++) {
    void *good = f->at->other;
    clew_dbm_copy(&f->impl->space, good, entry);
    if (f->is_whole) {
      add_exits(f, entry, &exits);
      break;
    }
    if (clew_dbm_intersect(&f->impl->space, good, clew_fed_zone(&f->good, a))) {
      add_exits(f, good, &exits);
    }
  }
  for (uint32_t i = 0; i < exits.count; i++) {
    add_node(f, edge, clew_fed_zone(&exits, i));
  }
  clew_fed_close(&exits);
}

/* The whole frame, where time leads from cell to cell: `below` is an edge of the program's model.
 */
static void add_parts(struct frame *f, uint32_t below) {
  struct clew_timed_impl *impl = f->impl;
  void *part = f->zone;
  assert(f->is_whole);
  for (uint32_t cell = clew_zone_cells_next(impl, f->at->zone, 0); cell != CLEW_NONE;
       cell = clew_zone_cells_next(impl, f->at->zone, cell + 1)) {
    clew_dbm_copy(&impl->space, part, f->at->zone);
    if (clew_zone_cells_keep(impl, cell, part)) {
      add_node(f, clew_timed_edge_in(impl, below, cell), part);
    }
  }
}

/* A transition has ended in `successor`, with the values of `entry`, which is changed; `context`
 * has its invariants. */
static void arrive(struct frame *f, struct clew_timed_context *context, const uint64_t *successor,
                   uint32_t edge, void *entry) {
  struct clew_timed_impl *impl = f->impl;
  memcpy(f->at->state, successor, impl->discrete_words * sizeof *successor);
  clew_dbm_copy(&impl->space, f->at->zone, entry);
  clew_timed_wait(impl, context, successor, f->at->zone);
  if (frame_open(f)) {
    if (f->is_whole) {
      clew_dbm_copy(&impl->space, entry, f->at->zone);
      add_node(f, edge, entry);
    } else {
      add_nodes_of(f, edge, entry);
    }
  }
  frame_close(f);
}

/* The same, cell by cell: `below` is an edge of the program's model. */
static void arrive_in_cells(struct frame *f, struct clew_timed_context *context,
                            const uint64_t *successor, uint32_t below, void *entry) {
  struct clew_timed_impl *impl = f->impl;
  if (clew_zone_cells_are_left(impl)) {
    memcpy(f->at->state, successor, impl->discrete_words * sizeof *successor);
    clew_dbm_copy(&impl->space, f->at->zone, entry);
    clew_timed_wait(impl, context, successor, f->at->zone);
    if (frame_open(f)) {
      add_parts(f, below);
    }
    frame_close(f);
    return;
  }
  uint32_t cell = clew_zone_cells_next(impl, entry, 0);
  while (cell != CLEW_NONE && *f->site == CLEW_NONE) {
    clew_dbm_copy(&impl->space, context->other, entry);
    if (clew_zone_cells_keep(impl, cell, context->other)) {
      arrive(f, context, successor, clew_timed_edge_in(impl, below, cell), context->other);
    }
    cell = clew_zone_cells_next(impl, entry, cell + 1);
  }
}

/* ---- The graph ------------------------------------------------------------------------------ */

static struct frame begin_call(const struct clew_model *model, uint32_t property,
                               struct clew_succs *nodes, uint32_t *site) {
  struct clew_timed_impl *impl = clew_timed_impl_of(model);
  struct frame f = {.model = model,
                    .impl = impl,
                    .run = run_of(impl, property),
                    .at = clew_timed_take(impl),
                    .nodes = nodes,
                    .site = site};
  f.zone = f.at->room;
  assert(nodes->words == impl->runs.words);
  return f;
}

static void runs_begin(const struct clew_model *model, uint32_t property, struct clew_succs *nodes,
                       uint32_t *site) {
  struct frame f = begin_call(model, property, nodes, site);
  struct clew_timed_impl *impl = f.impl;
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  clew_succs_clear(&context->succs);
  context->succs.stop = model->stop;
  under->init(under, &context->succs);
  for (uint32_t i = 0; i < context->succs.count && *site == CLEW_NONE; i++) {
    const uint64_t *start = context->succs.states + (size_t)i * under->words;
    clew_dbm_zero(&impl->space, context->work);
    if (clew_timed_enter(impl, context, start, context->work)) {
      arrive(&f, context, start, context->succs.edges[i], context->work);
    }
  }
  clew_timed_give_back(impl, context);
  clew_timed_give_back(impl, f.at);
}

static void runs_enter(const struct clew_model *model, uint32_t property, const uint64_t *state,
                       struct clew_succs *nodes, uint32_t *site) {
  struct frame f = begin_call(model, property, nodes, site);
  struct clew_fed entries;
  clew_fed_open(&entries, &f.impl->space);
  clew_timed_load(f.impl, f.at, state);
  if (add_true(&f, f.run->from, &entries) && entries.count > 0) {
    if (frame_open(&f)) {
      for (uint32_t i = 0; i < entries.count; i++) {
        add_nodes_of(&f, CLEW_NONE, clew_fed_zone(&entries, i));
      }
    }
    frame_close(&f);
  }
  clew_fed_close(&entries);
  clew_timed_give_back(f.impl, f.at);
}

static bool rests(const struct clew_model *model, struct clew_timed_context *context,
                  uint64_t flags) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  if ((flags & NODE_WHOLE) == 0) {
    return (flags & NODE_RESTS) != 0;
  }
  if (clew_timed_may_delay(impl, context->state) &&
      clew_dbm_is_unbounded(&impl->space, context->zone)) {
    return true;
  }
  clew_timed_find_deadlock(impl, model, context, context->zone);
  return context->dead.count > 0;
}

static void runs_next(const struct clew_model *model, uint32_t property, const uint64_t *node,
                      struct clew_succs *nodes, uint32_t *site) {
  struct frame f = begin_call(model, property, nodes, site);
  struct clew_timed_impl *impl = f.impl;
  const struct clew_model *under = clew_timed_under(model);
  struct clew_timed_context *context = clew_timed_take(impl);
  memcpy(context->state, node, impl->discrete_words * sizeof *node);
  clew_zone_matrix_get(&impl->space, node + impl->discrete_words, context->zone);
  clew_timed_expand(model, context);
  nodes->rests = rests(model, context, node[flags_word(impl)]);
  for (uint32_t i = 0; i < context->succs.count && *site == CLEW_NONE; i++) {
    const uint64_t *successor = context->succs.states + (size_t)i * under->words;
    uint32_t edge = context->succs.edges[i];
    if (!clew_timed_may_guard(impl, edge, successor, context->zone)) {
      continue;
    }
    clew_dbm_copy(&impl->space, context->work, context->zone);
    if (clew_timed_constrain(impl, clew_timed_guard(impl, edge), successor, context->work) &&
        clew_timed_enter(impl, context, successor, context->work)) {
      arrive_in_cells(&f, context, successor, edge, context->work);
    }
  }
  clew_timed_give_back(impl, context);
  clew_timed_give_back(impl, f.at);
}

void clew_timed_runs_open(struct clew_timed_impl *impl) {
  impl->runs = (struct clew_runs){
      .words = flags_word(impl) + 1, .begin = runs_begin, .enter = runs_enter, .next = runs_next};
  impl->model.runs = impl->spec->run_count > 0 ? &impl->runs : NULL;
}

/* ---- Moments -------------------------------------------------------------------------------- */

/* Pairs of the zone and each zone of its exits. */
static void add_pairs(struct frame *f, const void *entry, struct clew_clock_ends *entries,
                      struct clew_clock_ends *exits) {
  struct clew_fed out;
  clew_fed_open(&out, &f->impl->space);
  add_exits(f, entry, &out);
  for (uint32_t i = 0; i < out.count; i++) {
    clew_clock_ends_begin(entries);
    clew_timed_add_zone(f->impl, entry, entries);
    clew_clock_ends_begin(exits);
    clew_timed_add_zone(f->impl, clew_fed_zone(&out, i), exits);
  }
  clew_fed_close(&out);
}

static void add_first_pairs(struct frame *f, struct clew_clock_ends *entries,
                            struct clew_clock_ends *exits) {
  struct clew_fed first;
  clew_fed_open(&first, &f->impl->space);
  (void)add_true(f, f->run->from, &first);
  for (uint32_t i = 0; i < first.count; i++) {
    for (uint32_t a = 0; a < f->good.count; a++) {
      void *good = f->at->other;
      clew_dbm_copy(&f->impl->space, good, clew_fed_zone(&first, i));
      if (clew_dbm_intersect(&f->impl->space, good, clew_fed_zone(&f->good, a))) {
        add_pairs(f, good, entries, exits);
      }
    }
  }
  clew_fed_close(&first);
}

void clew_timed_stays(const struct clew_model *model, uint32_t property, const uint64_t *state,
                      bool is_first, struct clew_clock_ends *entries,
                      struct clew_clock_ends *exits) {
  uint32_t site = CLEW_NONE;
  struct clew_succs nodes;
  clew_succs_open(&nodes, clew_timed_impl_of(model)->runs.words, 0);
  struct frame f = begin_call(model, property, &nodes, &site);
  clew_timed_load(f.impl, f.at, state);
  if (frame_open(&f)) {
    if (is_first) {
      add_first_pairs(&f, entries, exits);
    } else if (!f.is_whole) {
      for (uint32_t a = 0; a < f.good.count; a++) {
        void *good = f.at->other;
        clew_dbm_copy(&f.impl->space, good, clew_fed_zone(&f.good, a));
        add_pairs(&f, good, entries, exits);
      }
    }
  }
  frame_close(&f);
  clew_timed_give_back(f.impl, f.at);
  clew_succs_close(&nodes);
}
