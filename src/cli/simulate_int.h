/* A walk through a model, for the files of `clew simulate`. */
#ifndef CLEW_CLI_SIMULATE_INT_H
#define CLEW_CLI_SIMULATE_INT_H

#include <assert.h>

#include "base/random.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/options.h"
#include "model/model.h"
#include "prop/outcome.h"
#include "report/report.h"
#include "trace/point.h"

/* A transition of the current state: a successor or a run-time error. */
struct choice {
  uint32_t edge;
  uint32_t site;             /* CLEW_NONE: not an error */
  uint32_t index;            /* of the successor */
  struct clew_window window; /* by delays: after which it can be taken */
};

/* By delays: where the walk was, after a step or a delay. */
struct moment {
  struct clew_point point;
  uint64_t steps; /* so far */
};

struct walk {
  const struct clew_options *options;
  const struct clew_model *model;
  uint64_t *enabled;
  struct clew_random random;
  bool is_start; /* the choices are initial states */
  struct clew_succs succs;
  CLEW_VEC(struct choice) choices;
  CLEW_VEC(uint64_t) states; /* visited, `words` each; a random walk keeps the last two only */
  bool by_delays;            /* clocks have values, and the walk has moments: one for each state, or
                              * the last one only */
  CLEW_VEC(struct moment) moments;
  uint64_t steps;
  bool by_hand;
  uint32_t next_page; /* of the choices: the first one that was not listed */
  /* The way, of a walk by hand, and of a quiet one, which is shown only if it ends in a violation.
   */
  bool hides_steps;
  uint32_t initial;
  CLEW_VEC(uint32_t) edges;
  enum clew_exit exit;
  struct clew_text out; /* not yet printed */
};

static inline const uint64_t *clew_walk_state(const struct walk *walk) {
  assert(walk->states.len >= walk->model->words);
  return walk->states.data + walk->states.len - walk->model->words;
}

static inline struct clew_point *clew_walk_point(struct walk *walk) {
  assert(walk->by_delays && walk->moments.len > 0);
  return &clew_vec_last(&walk->moments).point;
}

/* ---- simulate.c ---- */

bool clew_walk_flush(struct walk *walk);
/* Merges successors and faults in the order of edges; false when there is no time for that. */
bool clew_walk_find_choices(struct walk *walk);
void clew_walk_choice_name(const struct walk *walk, const struct choice *choice,
                           struct clew_text *out);
/* Takes a transition and shows it. False when it is a run-time error, and nowhere is reached. */
bool clew_walk_take(struct walk *walk, const struct choice *choice, bool keep_all);
/* Checks where the walk has arrived; false when a property is violated. */
bool clew_walk_check(struct walk *walk);
/* Up to `steps` random steps from where the walk is; false when it cannot go on. */
bool clew_walk_randomly(struct walk *walk, uint64_t steps, bool keep_all);
/* Puts a state behind those of the walk; a random walk forgets all but the last one. */
void clew_walk_push(struct walk *walk, const uint64_t *state, bool keep_all);
/* Tells that the property is violated, or reached. */
void clew_walk_note_violation(struct walk *walk, uint32_t property, uint32_t site, uint64_t step);
/* Whether an evaluation ended for a reason that is clew's, not the model's; says so. */
bool clew_walk_note_limit(struct walk *walk, uint32_t site);

/* ---- simulate_hand.c ---- */

void clew_walk_by_hand(struct walk *walk);

/* ---- simulate_goto.c ---- */

/* Goes to a nearest state in which the expression is true, or says why not. */
void clew_walk_go(struct walk *walk, const char *expression);
/* Saves the way so far as a trace that claims nothing. */
void clew_walk_save(struct walk *walk, const char *file);

/* ---- simulate_walks.c ---- */

enum clew_exit clew_simulate_walks(const struct clew_options *options);

/* ---- simulate_delays.c ---- */

/* Whether the zone of a state holds all that time makes of a point in it. Zones are split by
 * differences of clocks where these are compared (then there are no leaps); where a clock stands
 * still, time leads from one part to another. */
static inline bool clew_walk_can_delay(const struct clew_timed *timed) {
  return timed->leap != NULL || !timed->is_approximate;
}

/* Leaves the choices that some delay makes possible, with their windows. */
void clew_walk_find_windows(struct walk *walk);
/* Lets time pass. False when a property is violated on the way, which is told. */
bool clew_walk_delay(struct walk *walk, int64_t delay, bool keep_all);
/* The point behind the choice, whose state is that of the walk already; `previous` is the state
 * before. */
void clew_walk_arrive(struct walk *walk, const struct choice *choice, const uint64_t *previous,
                      bool keep_all);
/* Checks the point where the walk has arrived; false when a property is violated. */
bool clew_walk_check_point(struct walk *walk);
/* "  @ 12.5" */
void clew_walk_put_time(struct walk *walk, struct clew_text *name);
/* How long one may stay. */
void clew_walk_print_stay(struct walk *walk);
void clew_walk_forget(struct walk *walk, uint32_t moments); /* the last ones */

#endif
