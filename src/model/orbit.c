/* Representatives instead of states, and back to a real execution.
 *
 * A state counts as stuck if the model below says so of the representative: a successor that is
 * renamed is another state, and to compare it with its parent afterwards would be wrong.
 *
 * Nothing of the renamings is kept during a search: its path goes from representative to
 * representative. Lowering walks it again, and beside it a real execution, in which each step is
 * some transition into the orbit of the next representative. So the names of symmetric values are
 * stable from step to step, and the path can be replayed without any symmetry. */
#include "model/orbit.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "model/over.h"
#include "model/timed.h"

struct impl {
  struct clew_model model;
  struct clew_model *base; /* owned */
  struct clew_orbit orbit;
  struct clew_timed timed;
};

static const struct impl *impl_of(const struct clew_model *model) {
  return model->impl;
}

static void canonicalise_from(const struct impl *impl, const uint64_t *parent,
                              struct clew_succs *succs, uint32_t first) {
  assert(first <= succs->count);
  impl->orbit.canonicalise(impl->orbit.context, parent,
                           succs->states + (size_t)first * succs->words, succs->count - first);
}

static void orbit_init(const struct clew_model *model, struct clew_succs *succs) {
  uint32_t first = succs->count;
  model->under->init(model->under, succs);
  canonicalise_from(impl_of(model), NULL, succs, first);
}

static void orbit_next(const struct clew_model *model, const uint64_t *state,
                       struct clew_succs *succs) {
  uint32_t first = succs->count;
  model->under->next(model->under, state, succs);
  canonicalise_from(impl_of(model), state, succs, first);
}

static bool orbit_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                       uint64_t *out, uint32_t *site) {
  bool fired = model->under->fire(model->under, state, edge, out, site);
  if (fired) {
    const struct clew_orbit *orbit = &impl_of(model)->orbit;
    orbit->canonicalise(orbit->context, out == state ? NULL : state, out, 1);
  }
  return fired;
}

/* ---- Lowering -------------------------------------------------------------------------------- */

struct walk {
  const struct clew_model *model, *under;
  const struct clew_orbit *orbit;
  struct clew_succs succs;        /* of the real state */
  uint64_t *representative;       /* where the path is */
  uint64_t *real;                 /* a state of the same orbit */
  uint64_t *next, *target, *best; /* room for one state each */
};

static size_t state_bytes(const struct walk *walk) {
  return walk->model->words * sizeof(uint64_t);
}

/* Follows the path over one edge; `target` becomes what identifies the orbit it is in then. */
static bool follow(struct walk *walk, uint32_t edge) {
  uint32_t site = CLEW_NONE;
  if (!walk->model->fire(walk->model, walk->representative, edge, walk->next, &site)) {
    return false;
  }
  memcpy(walk->representative, walk->next, state_bytes(walk));
  memcpy(walk->target, walk->next, state_bytes(walk));
  walk->orbit->exact(walk->orbit->context, walk->target);
  return true;
}

/* Looks for a way into the target among the successors in the buffer, a piece of all. The first one
 * found is taken, until there is the one that is wished; its state goes to `best`. */
static void look_for(struct walk *walk, uint32_t wished, uint32_t *taken) {
  for (uint32_t i = 0; i < walk->succs.count; i++) {
    if (*taken != CLEW_NONE && walk->succs.edges[i] != wished) {
      continue;
    }
    const uint64_t *state = walk->succs.states + (size_t)i * walk->succs.words;
    memcpy(walk->next, state, state_bytes(walk));
    walk->orbit->exact(walk->orbit->context, walk->next);
    if (memcmp(walk->next, walk->target, state_bytes(walk)) == 0) {
      *taken = walk->succs.edges[i];
      memcpy(walk->best, state, state_bytes(walk));
    }
  }
}

/* Takes a real transition into the target, the one with the edge `wished` if that is one. */
static bool take(struct walk *walk, uint32_t wished, uint32_t *taken) {
  *taken = CLEW_NONE;
  walk->succs.resume = 0;
  do {
    clew_succs_clear(&walk->succs);
    walk->under->next(walk->under, walk->real, &walk->succs);
    look_for(walk, wished, taken);
  } while (walk->succs.resume != 0 && *taken != wished);
  if (*taken == CLEW_NONE) {
    return false;
  }
  memcpy(walk->real, walk->best, state_bytes(walk));
  return true;
}

/* A run-time error of the real state, this one if it has it: where several happen, the names decide
 * which is the first. Its edge is CLEW_NONE when there is none. */
static struct clew_fault find_fault(struct walk *walk, uint32_t site) {
  assert(site != CLEW_NONE);
  struct clew_fault found = {.edge = CLEW_NONE, .site = CLEW_NONE};
  walk->succs.resume = 0;
  do {
    clew_succs_clear(&walk->succs);
    walk->under->next(walk->under, walk->real, &walk->succs);
    for (uint32_t i = 0; i < walk->succs.fault_count && found.site != site; i++) {
      if (found.edge == CLEW_NONE || walk->succs.faults[i].site == site) {
        found = walk->succs.faults[i];
      }
    }
  } while (walk->succs.resume != 0 && found.site != site);
  return found;
}

/* Puts the edges of a real execution into `edges`; false when there is none to be found. */
static bool lower(struct walk *walk, const struct clew_path *path, uint32_t *edges,
                  struct clew_fault *fault) {
  if (!clew_model_start(walk->under, path->initial, walk->real) ||
      !clew_model_start(walk->model, path->initial, walk->representative)) {
    return false;
  }
  for (uint32_t i = 0; i < path->edge_count; i++) {
    if (!follow(walk, path->edges[i]) || !take(walk, path->edges[i], &edges[i])) {
      return false;
    }
  }
  if (path->fault_edge != CLEW_NONE) {
    *fault = find_fault(walk, path->site);
  }
  return path->fault_edge == CLEW_NONE || fault->edge != CLEW_NONE;
}

static void orbit_lower(const struct clew_model *model, struct clew_path *path) {
  assert(path->initial != CLEW_NONE);
  struct walk walk = {.model = model, .under = model->under, .orbit = &impl_of(model)->orbit};
  clew_succs_open_piecewise(&walk.succs, model->words, model->cover_count);
  uint64_t *states = clew_alloc_zero(model->words, 5 * sizeof *states);
  walk.representative = states;
  walk.real = states + model->words;
  walk.next = states + (size_t)2 * model->words;
  walk.target = states + (size_t)3 * model->words;
  walk.best = states + (size_t)4 * model->words;
  uint32_t *edges = clew_alloc_zero((size_t)path->edge_count + 1, sizeof *edges);
  struct clew_fault fault = {.edge = CLEW_NONE, .site = path->site};
  if (lower(&walk, path, edges, &fault)) {
    for (uint32_t i = 0; i < path->edge_count; i++) {
      path->edges[i] = edges[i];
    }
    path->fault_edge = fault.edge;
    path->site = fault.site;
  }
  clew_free(edges);
  clew_free(states);
  clew_succs_close(&walk.succs);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void orbit_close(struct clew_model *model) {
  struct impl *impl = model->impl;
  assert(model == &impl->model);
  impl->base->close(impl->base);
  clew_free(impl);
}

struct clew_model *clew_orbit_open(struct clew_model *base, const struct clew_orbit *orbit) {
  assert(orbit->name != NULL && orbit->canonicalise != NULL && orbit->exact != NULL);
  assert(base->covers == NULL || orbit->keeps_discrete); /* the order is one of equal parts */
  struct impl *impl = clew_alloc_zero(1, sizeof *impl);
  *impl = (struct impl){.model = clew_model_over(base), .base = base, .orbit = *orbit};
  impl->model.reduction = orbit->name;
  if (!orbit->keeps_discrete) {
    impl->model.discrete_words = impl->model.words;
  }
  if (base->timed != NULL) {
    impl->timed = clew_timed_over(base->timed);
    impl->model.timed = &impl->timed;
  }
  impl->model.init = orbit_init;
  impl->model.next = orbit_next;
  impl->model.fire = orbit_fire;
  impl->model.lower = orbit_lower;
  impl->model.close = orbit_close;
  impl->model.impl = impl;
  return &impl->model;
}
