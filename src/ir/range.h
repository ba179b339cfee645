/* Intervals of 64-bit integers and the arithmetic on constants. Private to src/ir. */
#ifndef CLEW_IR_RANGE_H
#define CLEW_IR_RANGE_H

#include "ir/ir.h"

struct clew_range {
  int64_t lo, hi; /* lo <= hi */
  bool fault;     /* of results: the operation may fault */
};

struct clew_range clew_range_unary(enum clew_op op, struct clew_range a);
struct clew_range clew_range_binary(enum clew_op op, struct clew_range a, struct clew_range b);
/* The sum of at most `count` values of the range, saturating. */
struct clew_range clew_range_times(struct clew_range a, uint64_t count);

/* How often a loop runs; saturates nowhere because a step of 1 over all 64 bits cannot occur
 * (INT64_MIN is no value). */
uint64_t clew_range_iterations(int64_t from, int64_t to, int64_t step);

/* The exact result; false when it would fault or is INT64_MIN, which no constant may be. */
bool clew_fold_unary(enum clew_op op, int64_t a, int64_t *value);
bool clew_fold_binary(enum clew_op op, int64_t a, int64_t b, int64_t *value);

#endif
