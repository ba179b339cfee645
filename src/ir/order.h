/* Whether an order matters that nothing in the model gives: that of the values of a scalarset in a
 * loop, that of processes which are copies of each other. Where it does, values cannot be renamed.
 *
 * The analysis looks at the places that code reads and writes, each with what is known of indices
 * (the value of a loop's variable, arguments of calls). It is on the safe side: code that it takes
 * for independent of the order is. It works on a program that is still being built. */
#ifndef CLEW_IR_ORDER_H
#define CLEW_IR_ORDER_H

#include <stdbool.h>

#include "ir/ir.h"

/* Whether the iterations of `loop`, a FOR by steps of 1 between constants in the body of
 * `function`, can be executed in any order: none reads or changes what another one changes, apart
 * from sums and the like, and a RETURN in it says the same in every iteration. */
bool clew_order_loop_commutes(const struct clew_program *program,
                              const struct clew_function *function, const struct clew_stmt *loop);

/* Whether the lists of statements, which share a frame, can be executed in either order. */
bool clew_order_lists_commute(const struct clew_program *program, const struct clew_frame *frame,
                              const struct clew_stmt *a, const struct clew_stmt *b);

/* Whether a run-time error can end the evaluation, also in functions that are called. */
bool clew_order_may_fault(const struct clew_program *program, const struct clew_frame *frame,
                          const struct clew_expr *expr);

#endif
