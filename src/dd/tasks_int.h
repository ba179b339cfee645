/* Operations that several workers share: forks and joins.
 *
 * An operation begins alone. One that takes long unwinds and begins again, now with all workers; it
 * finds in the cache what it had computed. The results of the levels above the last few may then be
 * asked for as tasks: the worker puts a task where others find it, goes on along its list, and
 * comes back for the results when the list is at its end. A task that nobody took by then it does
 * itself. Others take the oldest task first, which is the largest as a rule. A worker offers a task
 * only where few of its own wait, so most steps are as quick as those of one who is alone.
 *
 * A worker that waits for a task that somebody else has taken does tasks of that one meanwhile:
 * they are parts of what it waits for, so its stack gets no deeper than the operation is. */
#ifndef CLEW_DD_TASKS_INT_H
#define CLEW_DD_TASKS_INT_H

#include "dd/dd_int.h"

/* What a task computes: the operations that are built from smaller ones of the same kind. */
enum task_kind {
  TASK_UNION,
  TASK_MINUS, /* plan: the operation */
  TASK_INTERSECT,
  TASK_PROJECT,
  TASK_PRODUCT,
  TASK_INVERSE,
  TASK_DIFFERENCE, /* of truth functions of constraints; plan: the operation */
};

struct task {
  uint32_t kind; /* enum task_kind */
  clew_ldd a, b, c;
  uint32_t plan;
  uint32_t height; /* levels in which it may fork again */
};

/* What is to become of a result: an element of a list, with this value. If the result is one of
 * the two that are named, the element is the node beside it. */
struct branch {
  uint32_t value;
  clew_ldd same, origin;
  clew_ldd other_same, other_origin;
};

enum {
  FLAT_LEVELS = 3, /* the last levels, in which nobody forks */
  FORKS_OPEN = 12, /* tasks of a worker that wait, at most */
};

void clew_dd_open_tasks(struct table *table, uint64_t patience);
void clew_dd_close_tasks(struct table *table);

/* The result. */
clew_ldd clew_dd_run_task(struct clew_dd *dd, const struct task *task);
/* Runs a call with all workers. */
clew_ldd clew_dd_run_shared(struct clew_dd *dd, const struct call *call);

/* Levels in which an operation on this set may fork: none if it is not shared. */
uint32_t clew_dd_height(const struct clew_dd *dd, clew_ldd set);

/* Whether a fork is worth while now. */
bool clew_dd_may_fork(const struct clew_dd *dd);
/* The task will be done by whoever has time, and its result is an item of the list that is being
 * made. */
void clew_dd_fork(struct clew_dd *dd, const struct task *task, const struct branch *branch);
/* How many tasks there are. */
uint32_t clew_dd_tasks_mark(const struct clew_dd *dd);
/* All tasks since the mark are done, and the items from `base` on have their results; those whose
 * results are empty are gone. */
void clew_dd_join(struct clew_dd *dd, uint32_t base, uint32_t mark);
/* A single task, whose result is no item. */
void clew_dd_fork_plain(struct clew_dd *dd, const struct task *task);
clew_ldd clew_dd_join_plain(struct clew_dd *dd);

/* An element of the list that is being made; none if it leads to the empty set. */
static inline void branch_push(struct clew_dd *dd, const struct branch *branch, clew_ldd down) {
  if (down != CLEW_LDD_EMPTY) {
    item_push(dd, branch->value, down,
              down == branch->same         ? branch->origin
              : down == branch->other_same ? branch->other_origin
                                           : NO_ORIGIN);
  }
}

#endif
