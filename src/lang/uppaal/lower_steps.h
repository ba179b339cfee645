/* Lowering of what processes do, alone or together: steps, broadcasts, what priorities and
 * invariants keep from happening, and the passing of time. */
#ifndef CLEW_LANG_UPPAAL_LOWER_STEPS_H
#define CLEW_LANG_UPPAAL_LOWER_STEPS_H

#include "lang/uppaal/lower.h"

/* ---- lower_edge.c, lower_broadcast.c -------------------------------------------------------- */

/* NULL: always. */
const struct clew_expr *clew_uppaal_lower_at(struct uppaal_lowering *l,
                                             const struct uppaal_instance *process,
                                             uint32_t location);
/* The scopes of a step's edge and of its branch, in which selected values are known. */
struct uppaal_bound {
  struct uppaal_scope *edge, *branch;
  const struct clew_expr *allowed; /* the values fit their types; NULL: always */
};
/* Selected values: parameters of a family, or variables of quantifiers. */
struct uppaal_selects {
  CLEW_VEC(struct clew_parameter) list;
};
/* Selected values become variables of the current frame, added to `selects`. */
struct uppaal_bound clew_uppaal_bind(struct uppaal_lowering *l, const struct uppaal_step *step,
                                     struct uppaal_selects *selects);
/* The same with constants, once for each combination of the selected values. False when these are
 * more than `most`. */
struct uppaal_bindings {
  CLEW_VEC(struct uppaal_bound) all;
};
bool clew_uppaal_bind_all(struct uppaal_lowering *l, const struct uppaal_step *step, uint32_t most,
                          struct uppaal_bindings *out);
/* The guard without the location. */
struct uppaal_form clew_uppaal_lower_guard(struct uppaal_lowering *l,
                                           const struct uppaal_step *step,
                                           struct uppaal_bound bound);
/* The guard of a receive, and that it is on the same channel as the send. Where the index of a
 * channel may be out of range, it is evaluated only if the guard holds. */
struct uppaal_form clew_uppaal_lower_hearing(struct uppaal_lowering *l,
                                             const struct uppaal_step *send,
                                             struct uppaal_bound send_bound,
                                             const struct uppaal_step *receive,
                                             struct uppaal_bound receive_bound);
/* The same with the guard of the send. */
struct uppaal_form clew_uppaal_lower_meeting(struct uppaal_lowering *l,
                                             const struct uppaal_step *send,
                                             struct uppaal_bound send_bound,
                                             const struct uppaal_step *receive,
                                             struct uppaal_bound receive_bound);
void clew_uppaal_lower_update(struct uppaal_lowering *l, const struct uppaal_step *step,
                              struct uppaal_bound bound, struct clew_list *out);
/* What the model does before or after the updates of every transition. */
void clew_uppaal_lower_around(struct uppaal_lowering *l, bool is_after, struct clew_list *out);
/* Finds out on which channels the step can synchronise. */
void clew_uppaal_find_channel(struct uppaal_lowering *l, struct uppaal_step *step);
/* Counts one more transition; false, and a message, when they are too many. */
bool clew_uppaal_count_transition(struct uppaal_lowering *l, const struct uppaal_step *step);
/* Whether these can be partners: a send and a receive of different processes. */
bool clew_uppaal_may_meet(const struct uppaal_step *send, const struct uppaal_step *receive);
/* "a -> b", "P: a -> b", numbered when another step has the same ends. */
const char *clew_uppaal_step_ends(struct uppaal_lowering *l, const struct uppaal_step *step);
const char *clew_uppaal_step_name(struct uppaal_lowering *l, const struct uppaal_step *step);
const char *clew_uppaal_channel_name(struct uppaal_lowering *l, const struct uppaal_step *step);
bool clew_uppaal_leaves_committed(const struct uppaal_step *step);
struct uppaal_rules {
  CLEW_VEC(struct clew_rule) list;
};
/* Puts constraints of a rule that are not part of its guard; put NULL: there are none. */
struct uppaal_more {
  void (*put)(struct uppaal_lowering *l, const void *context, struct clew_list *out);
  const void *context;
};
/* Rules like `common` for a transition: one for each term of its guard. */
void clew_uppaal_add_rules(struct uppaal_lowering *l, const struct clew_rule *common,
                           struct uppaal_rule_steps steps, struct uppaal_form guard,
                           struct uppaal_more more, const struct clew_list *body,
                           struct uppaal_rules *rules);
void clew_uppaal_lower_steps(struct uppaal_lowering *l);
void clew_uppaal_lower_broadcast(struct uppaal_lowering *l, const struct uppaal_step *send);

/* ---- lower_arrival.c ------------------------------------------------------------------------ */

/* Where the invariants hold behind the transition, as the state before it says; `receive` may be
 * NULL. A broadcast stands for all of its receivers. */
struct uppaal_form clew_uppaal_lower_arrival(struct uppaal_lowering *l,
                                             const struct uppaal_step *step,
                                             const struct uppaal_step *receive);

/* ---- lower_priority.c ----------------------------------------------------------------------- */

/* chan priority a < default < b; */
void clew_uppaal_lower_channel_ranks(struct uppaal_lowering *l, const struct uppaal_decl *decl);
/* Before the rules: finds out what blocks what. */
void clew_uppaal_lower_priorities(struct uppaal_lowering *l);
/* Nothing of higher priority than this transition is enabled. */
struct uppaal_form clew_uppaal_lower_unblocked(struct uppaal_lowering *l,
                                               const struct uppaal_step *step,
                                               const struct uppaal_step *receive);

/* ---- lower_delay.c -------------------------------------------------------------------------- */

/* Whether a step, alone or (receive not NULL) with its partner, is enabled for some values of what
 * they select. */
struct uppaal_form clew_uppaal_lower_possible(struct uppaal_lowering *l,
                                              const struct uppaal_step *send,
                                              const struct uppaal_step *receive);

/* One unit of time passes: the rule, if there is anything that it can change. */
void clew_uppaal_lower_delay(struct uppaal_lowering *l);

/* Whether time may not pass in a state; NULL: it always may. */
const struct clew_expr *clew_uppaal_lower_still(struct uppaal_lowering *l);

#endif
