/* Lowering: the checked tree to the IR.
 *
 * State: the location of each process with more than one state, the variables that are assigned
 * somewhere (or are arrays), and for each buffered channel its items and their number. Variables
 * that never change are constants.
 *
 * An asynchronous system has one family without parameters for each process: its transitions in
 * the order of the text, each guard starting with the test of the location; a send by rendezvous is
 * one rule for each receive that can match. Where these would be too many, channels have families
 * with two parameters instead (lower_channel.c). A synchronous system is one family with a
 * parameter for each process (lower_sync.c). */
#ifndef CLEW_LANG_DVE_LOWER_H
#define CLEW_LANG_DVE_LOWER_H

#include "lang/dve/dve_int.h"

struct dve_lowering {
  struct dve *d;
  struct clew_program *program;
  struct clew_arena *arena; /* the program's */
  struct clew_frame *frame; /* of the code that is built */
  const struct clew_type *anything;
  const struct clew_expr
      *uncommitted;             /* no process is in a committed state; NULL: there are none */
  const struct dve_trans *step; /* synchronous: the transition whose effects are lowered */
  bool full;                    /* a frame was, which has been reported */
};

/* ---- lower.c -------------------------------------------------------------------------------- */

uint32_t clew_dve_site(struct dve_lowering *l, enum clew_site_kind kind, struct clew_span span,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A cell of the current frame for values of this range. */
struct clew_place clew_dve_local(struct dve_lowering *l, const char *name, int64_t lo, int64_t hi);
/* "P: s -> t", numbered when another transition has the same ends. */
const char *clew_dve_trans_name(struct dve_lowering *l, const struct dve_trans *trans);
const char *clew_dve_trans_ends(struct dve_lowering *l, const struct dve_trans *trans);

/* A function (of one value parameter when there is a domain), to be given a body, and a call of it.
 */
struct clew_function *clew_dve_function(struct dve_lowering *l, const char *name,
                                        const struct clew_domain *parameter,
                                        const struct clew_type *result);
const struct clew_call *clew_dve_call(struct dve_lowering *l, const struct clew_function *function,
                                      const struct clew_expr *const *values);
const struct clew_type *clew_dve_boolean(struct dve_lowering *l);

/* ---- lower_expr.c --------------------------------------------------------------------------- */

const struct clew_expr *clew_dve_const(struct dve_lowering *l, int64_t value);
const struct clew_expr *clew_dve_load(struct dve_lowering *l, struct clew_place place);
/* `a` may be NULL: true. */
const struct clew_expr *clew_dve_and(struct dve_lowering *l, const struct clew_expr *a,
                                     const struct clew_expr *b);
const struct clew_expr *clew_dve_or(struct dve_lowering *l, const struct clew_expr *a,
                                    const struct clew_expr *b);
const struct clew_expr *clew_dve_equals(struct dve_lowering *l, struct clew_place place,
                                        int64_t value);
const struct clew_expr *clew_dve_lower_expr(struct dve_lowering *l, const struct dve_expr *expr);
/* 1 iff it is not 0. */
const struct clew_expr *clew_dve_lower_truth(struct dve_lowering *l, const struct dve_expr *expr);
/* The element of an array (or the scalar) that is denoted, with this index; NULL: element 0. */
struct clew_place clew_dve_lower_element(struct dve_lowering *l, const struct dve_expr *expr,
                                         const struct clew_expr *index);
struct clew_place clew_dve_lower_place(struct dve_lowering *l, const struct dve_expr *expr);

/* ---- lower_trans.c: parts of transitions ---------------------------------------------------- */

/* Whether a process is in a state; NULL (true) when it has but one. */
const struct clew_expr *clew_dve_lower_at(struct dve_lowering *l, const struct dve_process *process,
                                          uint32_t state);
/* The transition's guard; NULL when it is always true. */
const struct clew_expr *clew_dve_lower_guard(struct dve_lowering *l, struct dve_trans *trans);
/* No process is in a committed state; NULL when there are none, or `trans` leaves one. */
const struct clew_expr *clew_dve_lower_uncommitted(struct dve_lowering *l,
                                                   const struct dve_trans *trans);
/* Whether the rule that matches these two may ever fire. */
bool clew_dve_may_meet(const struct dve_trans *send, const struct dve_trans *receive);
/* The new location and the effects. */
void clew_dve_lower_effects(struct dve_lowering *l, const struct dve_trans *trans,
                            struct clew_list *list);
/* place := value, where `text` is what the source calls the place. */
void clew_dve_lower_store(struct dve_lowering *l, const struct dve_expr *text,
                          struct clew_place place, const struct clew_expr *value,
                          struct clew_list *list);
/* The i-th value of a send, as its channel transfers it. */
const struct clew_expr *clew_dve_lower_sent(struct dve_lowering *l, const struct dve_trans *send,
                                            uint32_t i);
/* A transition without a partner: no sync, or through a buffer. */
struct clew_rule clew_dve_lower_single(struct dve_lowering *l, struct dve_trans *trans);
/* Whether the effects assign this global variable; the one that both assign, or NULL. */
bool clew_dve_assigns(const struct dve_trans *trans, const struct dve_variable *variable);
const struct dve_variable *clew_dve_conflict(const struct dve_trans *a, const struct dve_trans *b);
/* A run-time error unless `allowed`: partners that are taken together assign this variable. */
void clew_dve_lower_conflict(struct dve_lowering *l, struct clew_span span, const char *channel,
                             const struct dve_variable *variable, const struct clew_expr *allowed,
                             struct clew_list *list);
/* Stores the values (one for each place of a receive) where the indices of the old state say. */
void clew_dve_lower_receive(struct dve_lowering *l, const struct dve_trans *receive,
                            const struct clew_expr *const *values, struct clew_list *list);

/* ---- lower_async.c, lower_channel.c, lower_sync.c: systems ----------------------------------- */

void clew_dve_lower_async(struct dve_lowering *l);
void clew_dve_lower_channel(struct dve_lowering *l, struct dve_channel *channel);
void clew_dve_lower_sync(struct dve_lowering *l);

#endif
