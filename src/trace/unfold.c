/* From the model that was searched down to the one that replays: each model over a model turns the
 * path into one of the model below (model/model.h: lower). */
#include <assert.h>

#include "base/alloc.h"
#include "trace/trace.h"
#include "trace/trace_int.h"

/* A property that fails to compute: where it does so in the last state. Another state of the same
 * orbit may come upon another of its run-time errors first. */
static void find_site(const struct clew_model *model, struct clew_trace *trace) {
  uint32_t failed_step, found = CLEW_NONE;
  uint64_t *states = clew_trace_states(model, trace, &failed_step);
  if (states == NULL) {
    return; /* confirming will say so */
  }
  const uint64_t *last = states + (size_t)trace->edge_count * model->words;
  for (uint32_t i = 0; i < model->property_count && found != trace->site; i++) {
    const struct clew_property *property = &model->properties[i];
    bool meant =
        i == trace->property || model->properties[trace->property].kind == CLEW_PROPERTY_FAULT;
    uint32_t site = CLEW_NONE;
    if (meant && clew_property_has_label(property)) {
      model->label(model, property->label, last, &site);
      found = site == trace->site || found == CLEW_NONE ? site : found;
    }
  }
  trace->site = found != CLEW_NONE ? found : trace->site;
  clew_free(states);
}

void clew_trace_unfold(const struct clew_model *model, struct clew_trace *trace) {
  if (trace->initial == CLEW_NONE) {
    return; /* the start itself fails: there is no path */
  }
  const struct clew_model *searched = model;
  struct clew_path path = {.initial = trace->initial,
                           .edges = trace->edges,
                           .edge_count = trace->edge_count,
                           .fault_edge = trace->fault_edge,
                           .site = trace->site};
  for (; model->under != NULL; model = model->under) {
    model->lower(model, &path);
    assert(path.edges == trace->edges && path.edge_count <= trace->edge_count);
  }
  trace->initial = path.initial;
  trace->edge_count = path.edge_count;
  trace->fault_edge = path.fault_edge;
  trace->site = path.site;
  if (model != searched && trace->site != CLEW_NONE && trace->fault_edge == CLEW_NONE &&
      trace->property < model->property_count) {
    find_site(model->reference, trace);
  }
}
