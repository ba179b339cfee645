/* Shared by the parts of trace/. */
#ifndef CLEW_TRACE_TRACE_INT_H
#define CLEW_TRACE_TRACE_INT_H

#include "model/model.h"

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

#endif
