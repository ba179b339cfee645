/* Linear inequalities over unknowns that are not negative, solved exactly: a simplex method on
 * fractions, with Bland's rule, so it ends. For small systems: the times of traces in which clocks
 * stand still (trace/times.h). */
#ifndef CLEW_TRACE_LINEAR_H
#define CLEW_TRACE_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum clew_linear_status {
  CLEW_LINEAR_FOUND,
  CLEW_LINEAR_NONE,    /* nothing satisfies all of them */
  CLEW_LINEAR_UNKNOWN, /* the system is too large, or its numbers get too long */
};

/* The sum of coefficient times unknown is at most (strict: less than) the bound. */
struct clew_linear {
  uint32_t unknowns;
  CLEW_VEC(int64_t) coefficients; /* `unknowns` for each inequality */
  CLEW_VEC(int64_t) bounds;
  CLEW_VEC(bool) strict;
};

void clew_linear_open(struct clew_linear *system, uint32_t unknowns);
void clew_linear_close(struct clew_linear *system);
/* Copies the coefficients. */
void clew_linear_add(struct clew_linear *system, const int64_t *coefficients, int64_t bound,
                     bool is_strict);
/* Forgets inequalities until so many are left. */
void clew_linear_cut(struct clew_linear *system, uint32_t count);

/* Finds values[i] / *scale; with the least sum if no inequality is strict. */
enum clew_linear_status clew_linear_solve(const struct clew_linear *system, int64_t *values,
                                          int64_t *scale);

#endif
