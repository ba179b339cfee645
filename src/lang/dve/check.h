/* The checker: resolves names, evaluates what must be known before execution, and refuses what has
 * no meaning. Everything it finds out is noted in the tree.
 *
 * A name knows what it denotes now: globally, and inside the process that is looked at; entering
 * and leaving a process sets and clears the latter, so a lookup is one load. */
#ifndef CLEW_LANG_DVE_CHECK_H
#define CLEW_LANG_DVE_CHECK_H

#include "lang/dve/dve_int.h"

struct dve_checker {
  struct dve *d;
  struct dve_process *process; /* that is looked at, or NULL */
  bool in_query;               /* outside of all processes, and allowed to look into them */
};

/* ---- check_names.c -------------------------------------------------------------------------- */

void clew_dve_declare_globals(struct dve_checker *c);
/* Enters a process; `report` what is declared twice. */
void clew_dve_enter(struct dve_checker *c, struct dve_process *process, bool report);
void clew_dve_leave(struct dve_checker *c);

/* All of these report what they do not find, and return NULL then. */
struct dve_variable *clew_dve_find_variable(struct dve_checker *c, struct dve_ref ref);
struct dve_variable *clew_dve_find_foreign(struct dve_checker *c, struct dve_process *process,
                                           struct dve_ref ref);
struct dve_channel *clew_dve_find_channel(struct dve_checker *c, struct dve_ref ref);
struct dve_process *clew_dve_find_process(struct dve_checker *c, struct dve_ref ref);
/* Of the process that is looked at, and of any. */
struct dve_state *clew_dve_find_state(struct dve_checker *c, struct dve_ref ref);
struct dve_state *clew_dve_find_state_of(struct dve_checker *c, struct dve_process *process,
                                         struct dve_ref ref);

/* ---- check_fold.c --------------------------------------------------------------------------- */

/* The value of an expression that must be known before execution; false when it is not, which has
 * been reported. Variables count with their initial values when `variables`, else only constants.
 */
bool clew_dve_fold(struct dve_checker *c, const struct dve_expr *expr, bool variables,
                   int64_t *value);

/* ---- check_expr.c --------------------------------------------------------------------------- */

void clew_dve_check_expr(struct dve_checker *c, struct dve_expr *expr);
/* Of an assignment or a receive. */
void clew_dve_check_place(struct dve_checker *c, struct dve_expr *place);

#endif
