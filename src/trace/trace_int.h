/* Shared by the parts of trace/. */
#ifndef CLEW_TRACE_TRACE_INT_H
#define CLEW_TRACE_TRACE_INT_H

#include "model/model.h"
#include "trace/trace.h"

static inline bool clew_property_has_label(const struct clew_property *property) {
  switch (property->kind) {
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_LIVENESS:
  case CLEW_PROPERTY_PROGRESS:
    return true;
  case CLEW_PROPERTY_COVER:
    return !property->is_statement;
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
  case CLEW_PROPERTY_MEASURE:
    break;
  }
  return false;
}

/* NULL if the states, those of the trace, show a run that stays as the trace says; else why not. */
const char *clew_trace_doubt_run(const struct clew_model *model, const struct clew_trace *trace,
                                 const uint64_t *states);

#endif
