/* Making a counterexample shorter: for paths that were found by walking at random. */
#ifndef CLEW_TRACE_SHORTEN_H
#define CLEW_TRACE_SHORTEN_H

#include "model/model.h"
#include "trace/trace.h"

/* Leaves out steps as long as the end of the trace still violates its property in the same way:
 * first the steps between two visits of one state, then parts of any length; then looks for
 * shortcuts. The work is bounded by a number of expansions, so the result does not depend on time.
 * A trace of a property that no single state or step shows stays as it is. */
void clew_trace_shorten(const struct clew_model *model, struct clew_trace *trace,
                        uint64_t most_expansions);

#endif
