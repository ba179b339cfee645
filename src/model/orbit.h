/* Symmetry reduction as a model over a model: its states are representatives of orbits, sets of
 * states that a renaming carries into each other. The model below says nothing different about the
 * states of an orbit, up to the renaming: neither edges nor labels. */
#ifndef CLEW_MODEL_ORBIT_H
#define CLEW_MODEL_ORBIT_H

#include "model/model.h"

struct clew_orbit {
  const char *name; /* static: "canonical", "fast" */
  /* Replaces each of `count` states by a state of its orbit: by few different ones, or by only one.
   * A representative stays as it is. `parent` is the representative whose successors they are, or
   * NULL. Any thread may call it. */
  void (*canonicalise)(const void *context, const uint64_t *parent, uint64_t *states,
                       uint32_t count);
  /* The same for one state, by exactly one for each orbit. Seldom called. */
  void (*exact)(const void *context, uint64_t *state);
  const void *context; /* borrowed */
  /* States of an orbit with the same discrete part, or with renamed ones, have representatives with
   * the same discrete part. Otherwise nothing can be said of discrete parts. */
  bool keeps_discrete;
};

/* Owns the base from then on. */
struct clew_model *clew_orbit_open(struct clew_model *base, const struct clew_orbit *orbit);

#endif
