/* What the parts of trace/ share. */
#ifndef CLEW_TRACE_TRACE_INT_H
#define CLEW_TRACE_TRACE_INT_H

#include "model/model.h"

/* The execution that replays: toy models of tests have no separate one. */
static inline const struct clew_model *trace_reference(const struct clew_model *model) {
  return model->reference != NULL ? model->reference : model;
}

static inline bool trace_property_has_label(const struct clew_property *property) {
  switch (property->kind) {
  case CLEW_PROPERTY_INVARIANT:
  case CLEW_PROPERTY_LIVENESS:
    return true;
  case CLEW_PROPERTY_COVER:
    return !property->is_statement;
  case CLEW_PROPERTY_DEADLOCK:
  case CLEW_PROPERTY_FAULT:
    break;
  }
  return false;
}

/* Copies the initial state of this edge to `out`; false when there is none. */
bool clew_trace_initial_state(const struct clew_model *model, uint32_t edge, uint64_t *out);

#endif
