/* The buffer a model appends successors to. This header stands alone (no project includes) because
 * the C code emitted for a model includes it too.
 *
 * A successor is `words` 64-bit words and the edge that led to it. The writer takes the address of
 * the next free state with clew_succs_next, builds the state there and either keeps it with
 * clew_succs_keep or forgets it by doing nothing: no copy, no callback, no allocation per
 * successor. An execution that ended in a run-time error of the model is kept as a fault instead.
 *
 * Pieces. A state may have more successors than there is memory for, and so may a model have more
 * initial states. `most` bounds how many one call appends; `resume` says where the next call goes
 * on:
 *
 *   succs->resume = 0;                            begins with the first edge
 *   do {
 *     model->next(model, state, succs);           the same state each time
 *     ... what was appended is used, and cleared
 *   } while (succs->resume != 0);
 *
 * All pieces together are what one call without a bound appends, in the same order. A piece may be
 * empty, and may have some more than `most`. `stuck` is about all pieces so far, so after the last
 * one it is about the state. The writer also keeps in `rank` what it has to know in the next piece.
 *
 * Invariant: count <= capacity; states[i * words ..] and edges[i] belong together; the edges of one
 * expansion are strictly increasing unless an event has several outcomes. */
#ifndef CLEW_MODEL_SUCCS_H
#define CLEW_MODEL_SUCCS_H

#include <stdbool.h>
#include <stdint.h>

/* A transition that hit a run-time error: `site` indexes clew_model.sites. */
struct clew_fault {
  uint32_t edge;
  uint32_t site;
};

struct clew_succs {
  uint32_t words;
  uint32_t count, capacity;
  uint64_t *states;
  uint32_t *edges;
  uint32_t fault_count, fault_capacity;
  struct clew_fault *faults;
  bool stuck;        /* set by `next` of a model: the state that was expanded is a deadlock */
  bool rests;        /* set by `next` of timed models: time can pass in it for ever */
  uint32_t most;     /* successors and faults of one call, about; clew_succs_open: no bound */
  uint32_t resume;   /* in: the edge to begin with; out: the edge to go on with, 0: none is left */
  uint32_t rank;     /* with resume: which class of priorities is decisive */
  bool interpreted;  /* with resume: the place may be one that emitted code cannot begin with */
  uint32_t pause;    /* for models: the call ends when there are so many successors and faults */
  uint64_t *covered; /* bit i: cover statement i was reached; never cleared by a model */
  /* Doubles the capacity; may move states and edges. Set by clew_succs_open. */
  void (*grow)(struct clew_succs *succs);
  void (*add_fault)(struct clew_succs *succs, uint32_t edge, uint32_t site);
  /* Looked at by emitted code: the stop flag of the model that appends, set by its `next`. */
  const _Atomic bool *stop;
  uint64_t discarded; /* transitions and starts that an assumption has discarded; never cleared */
};

/* A flag that nobody raises. */
static const _Atomic bool clew_never __attribute__((unused)) = false;

static inline uint64_t *clew_succs_next(struct clew_succs *succs) {
  if (__builtin_expect(succs->count == succs->capacity, 0))
    succs->grow(succs);
  return succs->states + (uint64_t)succs->count * succs->words;
}

/* For models, at the beginning of a call. */
static inline void clew_succs_begin_piece(struct clew_succs *succs) {
  uint32_t before = succs->count + succs->fault_count;
  succs->pause = succs->most < UINT32_MAX - before ? before + succs->most : UINT32_MAX;
}

/* Whether the call has appended what it may: then it ends, and `edge` is the next in its turn. */
static inline bool clew_succs_pause(struct clew_succs *succs, uint32_t edge) {
  if (__builtin_expect(succs->count + succs->fault_count < succs->pause, 1))
    return false;
  succs->resume = edge;
  return true;
}

/* By which rule a state counts as a deadlock. */
enum clew_deadlock_rule {
  CLEW_DEADLOCK_NO_SUCCESSOR, /* stuck: no successor at all */
  CLEW_DEADLOCK_STUTTERING,   /* stuck: no successor but the state itself (Murphi) */
};

static inline void clew_succs_keep(struct clew_succs *succs, uint32_t edge) {
  succs->edges[succs->count++] = edge;
}

#endif
