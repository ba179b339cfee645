/* A timed model over an untimed one: zones, the sets of clock values, behind the states of a
 * program that knows nothing of time.
 *
 * The program. Its states are the discrete part: locations and variables. Its rules are the
 * transitions of the network as far as the discrete part decides them. Everything about clocks is
 * in the specification below: the constraints of a rule, the invariants of a location. Where they
 * depend on the state, the program computes them: it has *signals*, variables that are undefined
 * before each transition and laid out in words of their own behind the discrete part
 * (clew_program_add_signal). A rule writes there what it wants to say, and the timed model reads it
 * from the successor before it takes these words off. So native code and the interpreter serve
 * timed models as they are, and a model whose clock constraints are constant pays nothing.
 *
 * A transition is taken from a state (s, Z) as follows, and does not exist if a set gets empty:
 *   Z1 = Z with the constraints of the rule; Z2 = Z1 with the settings of clocks that the
 *   successor s' signals; Z3 = Z2 with the invariants in s'; Z4 = the values that a delay leads to,
 *   if time may pass in s', again with the invariants; Z' = the extrapolation of Z4 by the limits
 *   that clocks have in the locations of s'.
 *
 * Disjunctions. The constraints of a rule are a conjunction. A guard in which clocks occur under
 * "or", the case that a receiver of a broadcast is not ready for it, and the like, are several
 * rules. So an edge has one successor at most, and `fire` repeats it. */
#ifndef CLEW_TIMED_TIMED_H
#define CLEW_TIMED_TIMED_H

#include "dbm/dbm.h"
#include "ir/exec.h"
#include "model/timed.h"

/* A constraint of clocks: x_i - x_j < or <= bound. A slot other than CLEW_NONE stands in for a
 * number. It is a signal, or (where a constraint belongs to a query or is_derived says so) a
 * variable of the discrete part. */
struct clew_timed_atom {
  uint32_t i, j; /* clocks from 1 on; 0: zero */
  uint32_t i_slot, j_slot;
  int32_t bound;
  uint32_t bound_slot; /* undefined: the constraint says nothing */
  bool is_strict;
};

struct clew_timed_span {
  uint32_t first, count;
};

/* The clock is compared with constants up to these from below (x > c, x >= c) and from above, at
 * this location or later, before it is set; CLEW_DBM_NO_CONSTANT: with none. */
struct clew_timed_limit {
  uint32_t clock;
  int32_t lower, upper;
  uint32_t slot; /* CLEW_NONE, or a variable: while it is less, it is the limit */
};

/* The clock stands still. */
struct clew_timed_stop {
  uint32_t clock;
  uint32_t slot; /* CLEW_NONE: always; a signal: it stands still if that is 0 */
};

struct clew_timed_location {
  struct clew_timed_span invariant; /* of atoms */
  struct clew_timed_span limits;
  struct clew_timed_span stops;
};

struct clew_timed_process {
  uint32_t slot; /* of its location, numbers from 0 on; CLEW_NONE: there is only one */
  struct clew_timed_span locations;
};

struct clew_timed_clock {
  const char *name;
  uint32_t slot; /* a signal: the value that the clock is set to; undefined: it is not set */
};

/* How often deadlock is demanded in a disjunct. */
enum clew_timed_deadlock { CLEW_TIMED_ANY, CLEW_TIMED_DEADLOCK, CLEW_TIMED_NO_DEADLOCK };

/* A label of the program that some values of the clocks, in some state, make *false* if one of
 * these disjuncts is true of them: its discrete part and all of its atoms. */
struct clew_timed_disjunct {
  uint32_t label; /* of the program: the discrete part; CLEW_NONE: true */
  struct clew_timed_span atoms;
  enum clew_timed_deadlock deadlock;
};

struct clew_timed_query {
  uint32_t label;                   /* of the program, whose own value is not looked at */
  struct clew_timed_span disjuncts; /* each alone suffices */
  struct clew_timed_span limits;    /* that hold everywhere, for the sake of this query */
  uint32_t asker;                   /* a number of its own among queries, runs and measures */
};

/* A PROGRESS property. Runs stay where one of the disjuncts of `stay` is true, from a moment on at
 * which one of `from` is, or from the beginning if the property has no from_label. */
struct clew_timed_run {
  uint32_t label; /* of the property; its own value is not looked at */
  struct clew_timed_span stay, from;
  struct clew_timed_span limits;
  uint32_t asker;
};

/* A number that is asked for: x_i - x_j, or the value of a variable, wherever one of the disjuncts
 * is true. */
struct clew_timed_measure {
  struct clew_timed_span disjuncts;
  uint32_t i, j; /* clocks; i = 0: the slot instead */
  uint32_t slot;
  struct clew_timed_span limits;
  uint32_t asker;
};

/* x_i - x_j is compared with a constant somewhere: below the raw bound (dbm/bound.h), or not. */
struct clew_timed_cut {
  uint32_t i, j; /* i < j */
  clew_bound bound;
};

/* Everything lives in the arena of the program. */
struct clew_timed_spec {
  uint32_t clock_count; /* with clock 0, of which nothing is said */
  const struct clew_timed_clock *clocks;
  const struct clew_timed_atom *atoms;
  uint32_t atom_count;
  const struct clew_timed_span *rules; /* atoms by rule, in the order of clew_rule.index, without
                                        * those of starts */
  const struct clew_timed_process *processes;
  uint32_t process_count;
  const struct clew_timed_location *locations;
  const struct clew_timed_limit *limits;
  const struct clew_timed_stop *stops;
  struct clew_timed_span common_limits; /* that hold everywhere, */
  struct clew_timed_span query_limits;  /* with those for the sake of queries */
  const struct clew_timed_query *queries;
  uint32_t query_count;
  const struct clew_timed_run *runs;
  uint32_t run_count;
  const struct clew_timed_disjunct *disjuncts;
  const struct clew_measure *measure_names;
  const struct clew_timed_measure *measures;
  uint32_t measure_count;
  uint32_t still_slot; /* a signal, not undefined: time may not pass in this state; CLEW_NONE: it
                        * always may */
  int32_t largest;     /* of all constants and settings, without their signs; queries may have
                        * larger ones: see their limits */
  bool has_diagonals;  /* a rule, invariant or query compares two clocks, */
  const struct clew_timed_cut *cuts; /* with these: by i, j and bound, each once; or too many */
  uint32_t cut_count;                /* 0: too many to be told */
  bool has_stops;
  /* The same rules, with bodies that only make the signals of their constraints, to tell whether a
   * transition that ends in a run-time error is possible at all. NULL: no constraint of a rule
   * needs a signal. Owned by the timed model. */
  struct clew_program *guards;
};

/* A model with zones over `program`, which answers all of its properties, and symmetry reduction
 * over that. Without the reduction its `focus` makes others, for some of the properties, that may
 * forget more (model/model.h).
 *
 * The program is finished, and owned by the model from then on, as the
 * specification is. False, and a message, when the numbers are too large for zones. */
struct clew_model *clew_timed_open(struct clew_program *program, const struct clew_timed_spec *spec,
                                   enum clew_exec_mode exec, enum clew_symmetry_mode symmetry,
                                   const struct clew_zone_options *options,
                                   struct clew_diag_sink *diags);

#endif
