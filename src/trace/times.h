/* Times of the steps of a timed trace.
 *
 * The unknowns are the moments of the steps. A clock that was last set to c at step r has the value
 * t_i - t_r + c at step i, so every guard, invariant and urgency is a bound of the difference of
 * two moments. The least solution is a problem of shortest paths (Bellman and Ford). No zone is
 * involved: the times confirm the trace independently of the search.
 *
 * Where clocks stand still, their values are sums of delays instead, and the bounds are linear
 * inequalities (trace/linear.h).
 *
 * A strict bound costs an infinitesimal; in the end that becomes a fraction small enough for all of
 * them. So times are exact rational numbers with one common denominator: 1, 2 or a power of 10, if
 * no clock stands still. */
#ifndef CLEW_TRACE_TIMES_H
#define CLEW_TRACE_TIMES_H

#include "trace/trace.h"

enum clew_times_status {
  CLEW_TIMES_FOUND,
  CLEW_TIMES_NONE,       /* the model has no clocks */
  CLEW_TIMES_IMPOSSIBLE, /* no moments fit: the steps cannot be taken like this */
  CLEW_TIMES_UNKNOWN,    /* the trace is too long, for one with clocks that stand still above all */
};

struct clew_times {
  uint32_t count;  /* the initial state, each step, and (last) the violation */
  int64_t *values; /* owned; in units of 1 / scale */
  int64_t scale;
};

/* `states` are those of the trace in model->reference (clew_trace_states). The moments are the
 * earliest ones or, with `latest`, the latest ones that end as early as possible. */
enum clew_times_status clew_times_find(const struct clew_model *model,
                                       const struct clew_trace *trace, const uint64_t *states,
                                       bool latest, struct clew_times *times);
void clew_times_free(struct clew_times *times);
/* "12.5" */
void clew_time_print(const struct clew_times *times, uint32_t moment, struct clew_text *out);

#endif
