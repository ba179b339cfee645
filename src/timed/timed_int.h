/* What the files of the timed model share. Private to this folder. */
#ifndef CLEW_TIMED_INT_H
#define CLEW_TIMED_INT_H

#include <stdatomic.h>

#include "base/text.h"
#include "dbm/fed.h"
#include "model/orbit.h"
#include "model/over.h"
#include "model/runs.h"
#include "timed/timed.h"

/* How a zone lies in the words of a state, behind the discrete part. A matrix: its entries row by
 * row, 16 or 32 bits each, without padding. Flat: each entry in a slot of its own. */
struct clew_zone_pack {
  uint32_t first_word, words;
  bool is_flat;
  /* Flat: */
  bool is_minimal; /* only bounds that imply the others */
  uint32_t slot_count;
  struct clew_slot *slots;     /* of entries, row by row, without the diagonal */
  struct clew_domain *domains; /* of them: raw bounds, and one more for infinity */
};

/* A slot of a state of the program, ready to be read: its stored value is a bit field. */
struct clew_timed_field {
  uint32_t word, shift;
  uint64_t mask;
};
static inline uint64_t clew_timed_field_get(const struct clew_timed_field *field,
                                            const uint64_t *state) {
  return state[field->word] >> field->shift & field->mask;
}

/* A process of which some location has something to say about clocks. */
struct clew_timed_watch {
  struct clew_timed_field field; /* mask 0: only one location */
  const struct clew_timed_location *locations;
};

/* Differences of clocks that are compared with constants divide all values into cells. Unless a
 * clock stands still, time never leads from one to another. A pair of clocks has its cuts in
 * increasing order; with n cuts it has n + 1 intervals. A cell is one interval for each pair: its
 * number has a digit for each, of which the first counts most. */
struct clew_zone_pair {
  uint32_t i, j;
  uint32_t first, count; /* of cuts */
  uint32_t weight;       /* of its digit */
};

struct clew_zone_cells {
  uint32_t pair_count;
  struct clew_zone_pair *pairs;
  uint32_t count; /* of cells; 1: nothing is divided */
};

/* The constants by which the extrapolation works in one state. */
struct clew_zone_limits {
  int32_t *lower, *upper; /* by clock */
};

/* What a thread needs for one call; kept by the model from call to call. */
struct clew_timed_context {
  struct clew_succs succs;          /* of the program's model */
  uint64_t *state;                  /* one of its states: the discrete part, and no signals */
  uint64_t *successor;              /* likewise */
  void *zone, *work, *other, *room; /* zones */
  uint64_t *stopped;                /* clocks */
  uint64_t *enabled;                /* properties */
  clew_bound *caps;                 /* by clock: raw upper bounds that invariants set, */
  bool has_others;                  /* which there are beside caps */
  struct clew_zone_limits limits;
  struct clew_fed dead, good;          /* of the search for deadlocks */
  struct clew_renaming_work *renaming; /* NULL until it is needed */
};

enum { CLEW_TIMED_CONTEXTS = 64 };

enum clew_zone_semantics { CLEW_ZONE_LU, CLEW_ZONE_M, CLEW_ZONE_NONE };

/* The model, and its reference, which is the same over the interpreter. */
struct clew_timed_impl {
  struct clew_model model, reference;
  const struct clew_timed_impl *base; /* whose program's model it uses; NULL: its own */
  struct clew_zone_options options;
  uint64_t *asked;                /* properties that it answers */
  struct clew_zone_limits common; /* of all locations, because of these properties */
  struct clew_timed timed;
  struct clew_model *under;  /* owned: the program's model */
  struct clew_model *guards; /* owned, or NULL: that of spec->guards */
  const struct clew_program *program;
  const struct clew_timed_spec *spec;
  struct clew_dbm_space space;
  struct clew_zone_pack pack;
  struct clew_zone_cells cells;
  enum clew_zone_semantics semantics;
  bool plus;   /* the coarser variant of the extrapolation */
  bool is_alu; /* covers asks for a_LU */
  bool is_flat;
  bool has_deadline; /* the last clock is never set, and is kept below this bound */
  clew_bound deadline;
  bool asks_deadlock; /* as a property */
  struct clew_runs runs;
  uint32_t discrete_words;
  struct clew_timed_watch *watches;
  uint32_t watch_count;
  struct clew_timed_field *settings; /* by clock: the value that it is set to, plus 1 */
  bool has_fixed;                    /* some limits are variables */
  struct clew_timed_field still;     /* mask 0: time always may pass */
  uint64_t still_least;              /* stored values from this one on: it may not */
  uint32_t *edge_rules;              /* by edge: the index of its rule */
  uint32_t *label_query;             /* by label: the query that replaces it, or CLEW_NONE */
  uint32_t *label_run;               /* by label: the run that it stands for, or CLEW_NONE */
  uint32_t *query_property;          /* by query: the property that asks it */
  struct clew_slot *slots;
  uint32_t *slot_of; /* by slot of the program: the model's slot, or CLEW_NONE for signals */
  struct clew_site *sites;
  uint32_t far_site;                   /* of zones whose bounds grow too large */
  const char **names;                  /* of clocks */
  uint32_t *location_slots;            /* of the model */
  struct clew_zone_renaming *renaming; /* owned; NULL: states are not renamed */
  struct clew_text symmetry_notice;
  _Atomic(struct clew_timed_context *) idle[CLEW_TIMED_CONTEXTS];
};

static inline struct clew_timed_impl *clew_timed_impl_of(const struct clew_model *model) {
  return model->impl;
}
/* The program's model that a model (or its reference) asks. */
static inline const struct clew_model *clew_timed_under(const struct clew_model *model) {
  const struct clew_timed_impl *impl = clew_timed_impl_of(model);
  return model == &impl->reference ? impl->under->reference : impl->under;
}

/* ---- context.c ---- */

struct clew_timed_context *clew_timed_take(struct clew_timed_impl *impl);
void clew_timed_give_back(struct clew_timed_impl *impl, struct clew_timed_context *context);
void clew_timed_contexts_close(struct clew_timed_impl *impl);
/* Makes the program's state and the zone of a state. */
void clew_timed_load(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                     const uint64_t *state);

/* ---- pack.c ---- */

/* Decides how zones lie behind the discrete part. */
void clew_zone_pack_open(struct clew_timed_impl *impl, bool is_flat);
void clew_zone_pack_close(struct clew_zone_pack *pack);
void clew_zone_pack_put(const struct clew_timed_impl *impl, const void *zone, uint64_t *state);
void clew_zone_pack_get(const struct clew_timed_impl *impl, const uint64_t *state, void *zone);
/* Matrices as they are, in words of their own. */
uint32_t clew_zone_matrix_words(const struct clew_dbm_space *space);
void clew_zone_matrix_put(const struct clew_dbm_space *space, const void *zone, uint64_t *words);
void clew_zone_matrix_get(const struct clew_dbm_space *space, const uint64_t *words, void *zone);

/* ---- cells.c ---- */

/* As many as leave room for the numbers of edges; else none, and count is 1. */
void clew_zone_cells_open(struct clew_timed_impl *impl);
void clew_zone_cells_close(struct clew_zone_cells *cells);
/* The first cell from `cell` on that may have something in common with the zone; CLEW_NONE: there
 * is none. */
uint32_t clew_zone_cells_next(const struct clew_timed_impl *impl, const void *zone, uint32_t cell);
/* Whether time may lead from cell to cell. */
static inline bool clew_zone_cells_are_left(const struct clew_timed_impl *impl) {
  return impl->cells.count > 1 && impl->spec->has_stops;
}
/* Whether the zone may lie in more than one. */
bool clew_zone_cells_are_several(const struct clew_timed_impl *impl, const void *zone);
/* Leaves the part of the zone in the cell; false: there is none. */
bool clew_zone_cells_keep(const struct clew_timed_impl *impl, uint32_t cell, void *zone);
/* An edge of the model is an edge of the program's model and the cell that it leads to. */
static inline uint32_t clew_timed_edge_below(const struct clew_timed_impl *impl, uint32_t edge) {
  return edge / impl->cells.count;
}
static inline uint32_t clew_timed_edge_in(const struct clew_timed_impl *impl, uint32_t below,
                                          uint32_t cell) {
  return below * impl->cells.count + cell;
}

/* ---- zone.c: what transitions do to zones ---- */

/* An atom with numbers; false: it says nothing. `state` is one of the program's. */
bool clew_timed_resolve(const struct clew_timed_impl *impl, const struct clew_timed_atom *atom,
                        const uint64_t *state, uint32_t *i, uint32_t *j, clew_bound *bound);
/* Whether the value that a slot holds is there, and which. */
bool clew_timed_value(const struct clew_timed_impl *impl, uint32_t slot, const uint64_t *state,
                      int64_t *value);
/* Leaves the part of the zone that satisfies all atoms; false: there is none. */
bool clew_timed_constrain(const struct clew_timed_impl *impl, struct clew_timed_span atoms,
                          const uint64_t *state, void *zone);
/* Where an atom of the rule of an edge is false everywhere in the zone: one look for each. */
bool clew_timed_may_guard(const struct clew_timed_impl *impl, uint32_t edge, const uint64_t *state,
                          const void *zone);
struct clew_timed_span clew_timed_guard(const struct clew_timed_impl *impl, uint32_t edge);
/* Whether it matters to clocks in which of its locations a process is. */
bool clew_timed_locations_differ(const struct clew_timed_spec *spec,
                                 const struct clew_timed_process *process);
/* Prepares the reading of slots. */
void clew_timed_watch(struct clew_timed_impl *impl);
/* The location of a process in a state of the program. */
static inline const struct clew_timed_location *
clew_timed_location(const struct clew_timed_watch *watch, const uint64_t *state) {
  return &watch->locations[clew_timed_field_get(&watch->field, state)];
}
/* Whether the transition that has made `successor` sets the clock. */
static inline bool clew_timed_setting(const struct clew_timed_impl *impl, uint32_t clock,
                                      const uint64_t *successor, int32_t *value) {
  uint64_t stored = clew_timed_field_get(&impl->settings[clock], successor);
  *value = (int32_t)stored - 1;
  return stored > 0;
}
/* The clocks that stand still, a bit set of the context; NULL: none. */
const uint64_t *clew_timed_stopped(const struct clew_timed_impl *impl,
                                   struct clew_timed_context *context, const uint64_t *state);
bool clew_timed_may_delay(const struct clew_timed_impl *impl, const uint64_t *state);
/* Raises the limits by those of the span, variables by the greatest that they can be. */
void clew_timed_take_limits(const struct clew_timed_impl *impl, struct clew_timed_span span,
                            struct clew_zone_limits *limits);
/* `is_m`: the greatest constants, from below or above. */
void clew_timed_find_limits(const struct clew_timed_impl *impl, const uint64_t *state, bool is_m,
                            struct clew_zone_limits *limits);
/* From the zone in which a transition begins (its guard holds) to the one in which it ends in
 * `successor`: settings, invariants. False: there is no such transition. */
bool clew_timed_enter(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                      const uint64_t *successor, void *zone);
/* Then the delay, in the same context. */
void clew_timed_wait(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                     const uint64_t *successor, void *zone);
/* Then the extrapolation. The zone lies in one cell, and stays there. */
void clew_timed_forget(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                       const uint64_t *successor, bool is_m, void *zone);
/* The same, with the extrapolation of the search. */
void clew_timed_abstract(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         const uint64_t *successor, void *zone);

/* Signals of the guard of a transition from context->state, as in a successor; NULL: computing them
 * is at fault. */
const uint64_t *clew_timed_guard_signals(const struct clew_timed_impl *impl,
                                         struct clew_timed_context *context, uint32_t edge);
/* Makes context->succs: all successors and faults of context->state. */
void clew_timed_expand(const struct clew_model *model, struct clew_timed_context *context);
/* Of a transition from context->state that ends in a run-time error: leaves the part of the zone in
 * which it begins. False: it never does. */
bool clew_timed_constrain_fault(const struct clew_model *model, struct clew_timed_context *context,
                                uint32_t edge, void *zone);

/* ---- deadlock.c ---- */

/* Makes context->dead: the values of `zone` with which `context->state` has no successor, now or
 * after a delay. context->succs holds all successors and faults of that state. */
void clew_timed_find_deadlock(const struct clew_timed_impl *impl, const struct clew_model *model,
                              struct clew_timed_context *context, const void *zone);

/* ---- rename.c ---- */

/* Prepares symmetry reduction; false when there is none, and then symmetry_notice may say why. */
bool clew_timed_open_renaming(struct clew_timed_impl *impl);
void clew_timed_renaming_close(struct clew_zone_renaming *renaming); /* NULL is fine */
void clew_timed_renaming_work_close(struct clew_renaming_work *work);
struct clew_orbit clew_timed_orbit(const struct clew_timed_impl *impl);

/* ---- query.c ---- */

bool clew_timed_label(const struct clew_model *model, uint32_t label, const uint64_t *state,
                      uint32_t *site);
uint32_t clew_timed_check(const struct clew_model *model, const uint64_t *enabled,
                          const uint64_t *state, uint32_t *site);

/* The values of context->zone of which the disjunct is true; NULL: none. The federation belongs to
 * the context. */
const struct clew_fed *clew_timed_find_parts(const struct clew_model *model,
                                             struct clew_timed_context *context,
                                             const struct clew_timed_disjunct *disjunct,
                                             uint32_t *site);

void clew_timed_measure(const struct clew_model *model, uint32_t measure, const uint64_t *state,
                        struct clew_measured *out);

/* ---- runs.c ---- */

void clew_timed_runs_open(struct clew_timed_impl *impl);
/* What clocks have to do so that a run that stays is in this part of the state: pairs of
 * alternatives, how it enters the part and how it leaves it. `is_first`: the run begins to stay
 * here, by `from` of the property. None: clocks do not matter. */
void clew_timed_stays(const struct clew_model *model, uint32_t property, const uint64_t *state,
                      bool is_first, struct clew_clock_ends *entries,
                      struct clew_clock_ends *exits);

/* ---- leap.c ---- */

bool clew_timed_leap(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     struct clew_timed_leap *out);
bool clew_timed_falsify(const struct clew_model *model, uint32_t label, const uint64_t *state,
                        struct clew_clock_ends *out, uint32_t *site);
void clew_timed_dwell(const struct clew_model *model, const uint64_t *state,
                      struct clew_timed_leap *out);
/* Whether dwelling depends on nothing but the discrete part of a state. */
bool clew_timed_can_dwell(const struct clew_timed_impl *impl);
/* Adds the slots of the program in which atoms of invariants, and stops, have their numbers. */
void clew_timed_add_dwell_slots(const struct clew_timed_impl *impl, uint64_t *set);
bool clew_timed_lets_delay(const struct clew_model *model, const uint64_t *state);

/* ---- step.c ---- */

/* What the transition to a successor, with its signals, says about clocks. */
void clew_timed_describe(const struct clew_timed_impl *impl, struct clew_timed_context *context,
                         uint32_t edge, const uint64_t *successor, struct clew_timed_step *out);
/* The guard of one that cannot be completed. */
void clew_timed_describe_fault(const struct clew_model *model, struct clew_timed_context *context,
                               uint32_t edge, struct clew_timed_step *out);

bool clew_timed_step(const struct clew_model *model, const uint64_t *state, bool initial,
                     uint32_t edge, struct clew_timed_step *out);
uint32_t clew_timed_limits(const struct clew_model *model, struct clew_clock_limit *out);
void clew_timed_ends(const struct clew_model *model, uint32_t property, const uint64_t *state,
                     struct clew_clock_ends *out);
/* Adds all bounds of the zone to the last alternative. */
void clew_timed_add_zone(const struct clew_timed_impl *impl, const void *zone,
                         struct clew_clock_ends *out);

#endif
