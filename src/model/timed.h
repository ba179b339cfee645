/* Timed models: what there is to say about clocks, for those who load, explain and report. Engines
 * and stores need none of this: to them a timed model is a model whose states have an order.
 *
 * A state of a timed model is a discrete part (the first discrete_words words) and a zone, the set
 * of all values that its clocks may have (dbm/dbm.h). Zones are closed under delay: a state stands
 * for all that time alone makes of it. */
#ifndef CLEW_MODEL_TIMED_H
#define CLEW_MODEL_TIMED_H

#include <stdbool.h>
#include <stdint.h>

/* How much zones forget, so that there are finitely many. */
enum clew_extrapolation {
  CLEW_EXTRAPOLATE_AUTO, /* the coarsest one that keeps every answer */
  CLEW_EXTRAPOLATE_LU,   /* by the greatest lower and upper bounds that clocks are compared with */
  CLEW_EXTRAPOLATE_M,    /* by the greatest constants */
  CLEW_EXTRAPOLATE_NONE, /* nothing: the search may never end */
};

/* Which zones need not be explored because of others. */
enum clew_subsumption {
  CLEW_SUBSUME_INCLUSION, /* those within another one */
  CLEW_SUBSUME_ALU,       /* those within the abstraction a_LU of another one */
  CLEW_SUBSUME_NONE,      /* only equal ones */
};

struct clew_zone_options {
  enum clew_extrapolation extrapolation;
  enum clew_subsumption subsumption;
  /* Zones are packed as slots of as few bits as their bounds need, and have no order: for every
   * store. Otherwise they are matrices of 16 or 32 bits each, for stores that use the order. */
  bool is_flat;
  bool is_minimal; /* flat: bounds that others imply are kept as infinite */
  /* Only what happens until this moment (before it, if strict) is explored, by one more clock. */
  bool has_deadline, deadline_is_strict;
  int32_t deadline;
};

/* x_i - x_j < or <= a bound, with numbers for everything. Clock 0 is always zero. */
struct clew_clock_bound {
  uint32_t i, j;
  int32_t bound;
  bool is_strict;
};

struct clew_clock_setting {
  uint32_t clock;
  int32_t value;
};

/* All that one transition says about clocks, in the order in which it takes effect. The arrays
 * belong to the step, which clew_timed_step_close frees. */
struct clew_timed_step {
  struct clew_clock_bound *guard;
  uint32_t guard_count;
  struct clew_clock_setting *settings;
  uint32_t setting_count;
  struct clew_clock_bound *invariant; /* of the state that it leads to, before and after a delay */
  uint32_t invariant_count;
  bool may_delay;    /* there */
  uint64_t *stopped; /* clocks that stand still there, a bit set; NULL: none */
};
void clew_timed_step_close(struct clew_timed_step *step);

/* Alternatives, each a conjunction: bounds from[k] to from[k + 1] - 1. */
struct clew_clock_ends {
  struct clew_clock_bound *bounds;
  uint32_t bound_count, bound_capacity;
  uint32_t *from;
  uint32_t count, capacity;
};
void clew_clock_ends_close(struct clew_clock_ends *ends);
/* Begins another alternative. */
void clew_clock_ends_begin(struct clew_clock_ends *ends);
void clew_clock_ends_add(struct clew_clock_ends *ends, struct clew_clock_bound bound);

/* In a location of a process, or later before it is set, the clock is compared with numbers up to
 * these from below and from above; INT32_MIN: with none. Clocks without limits are not looked at.
 */
struct clew_clock_limit {
  const char *process, *location; /* location NULL: it has only one; process NULL: in queries */
  uint32_t clock;
  int32_t lower, upper;
};

struct clew_model;
struct clew_access;

/* A transition of the discrete part alone, with all that it does to clocks. */
struct clew_timed_leap {
  uint64_t *successor;         /* the discrete part: words of the caller */
  struct clew_timed_step step; /* the deadline of the model, if it has one, is an invariant */
  int32_t *lower, *upper; /* by clock, arrays of the caller: the numbers by which zones there are
                           * extrapolated; INT32_MIN: none */
  uint32_t site; /* the run-time error in which it ends, or CLEW_NONE; then there is only a guard */
};

/* Facts of a model whose states have zones. */
struct clew_timed {
  uint32_t clock_count;           /* with clock 0 */
  const char *const *clock_names; /* of clock 0: NULL */
  const uint32_t
      *location_slots; /* in which processes with several locations keep where they are */
  uint32_t location_count;
  const char *extrapolation; /* that is used: "LU+", "M+", … */
  const char *notice;        /* why it is not the one that was asked for, or NULL */
  bool extrapolates;
  int32_t largest; /* of all constants, limits and settings, without their signs */
  bool is_flat;
  bool is_approximate; /* stopwatches: states may be reached that are not reachable */
  /* What `edge` (initial: an edge of init, from no state) says about clocks. False when its
   * discrete part cannot be executed, or ends in a run-time error: then only the guard is there. */
  bool (*step)(const struct clew_model *model, const uint64_t *state, bool initial, uint32_t edge,
               struct clew_timed_step *out);
  /* What clocks have to do so that the property is violated in the state: appends alternatives, one
   * of which has to be true as a whole. None: clocks do not matter. */
  void (*ends)(const struct clew_model *model, uint32_t property, const uint64_t *state,
               struct clew_clock_ends *out);
  /* What clocks have to do in the state so that a run stays where the property says it does not:
   * appends pairs of alternatives. One of the first list is true when the run enters the state
   * (is_first: when it begins to stay, at any moment there), and its partner of the second list
   * when it leaves the state. None: clocks do not matter. */
  void (*stays)(const struct clew_model *model, uint32_t property, const uint64_t *state,
                bool is_first, struct clew_clock_ends *entries, struct clew_clock_ends *exits);
  /* All limits of clocks, to `out` unless it is NULL; returns how many there are. */
  uint32_t (*limits)(const struct clew_model *model, struct clew_clock_limit *out);
  /* The bound of x_i - x_j in a state: twice the constant, plus one if it is weak; INT32_MAX: none.
   */
  int32_t (*bound)(const struct clew_model *model, const uint64_t *state, uint32_t i, uint32_t j);
  /* What `edge` makes of the discrete part of a state, whatever the clocks are. False: its discrete
   * part cannot be executed; then `site` may be an error. The step is closed by the caller. */
  bool (*leap)(const struct clew_model *model, const uint64_t *state, uint32_t edge,
               struct clew_timed_leap *out);
  /* What clocks have to do so that the label is false in the discrete part of a state: appends
   * alternatives, of which one without bounds says that clocks do not matter. False, and nothing:
   * that depends on transitions, too. *site: as for the label of a model. */
  bool (*falsify)(const struct clew_model *model, uint32_t label, const uint64_t *state,
                  struct clew_clock_ends *out, uint32_t *site);
  /* Whether time may pass in the discrete part of a state. */
  bool (*may_delay)(const struct clew_model *model, const uint64_t *state);
  /* The second half of a leap by itself: what time does in the discrete part of a state, whatever
   * led there. The step has invariants, may_delay and stopped, and there are limits; nothing else
   * is set. NULL: that depends on how the state was reached. */
  void (*dwell)(const struct clew_model *model, const uint64_t *state, struct clew_timed_leap *out);
  /* What each half reads and writes of the discrete part: a leap as far as guard, settings and
   * successor go, and all dwelling. `access` and `read` are clear. */
  void (*leap_access)(const struct clew_model *model, uint32_t group, struct clew_access *access);
  void (*dwell_access)(const struct clew_model *model, uint64_t *read);
};

#endif
