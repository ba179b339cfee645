/* From the model that was searched down to the one that replays: each model over a model turns the
 * path into one of the model below (model/model.h: lower). */
#include <assert.h>

#include "trace/trace.h"

void clew_trace_unfold(const struct clew_model *model, struct clew_trace *trace) {
  if (trace->initial == CLEW_NONE) {
    return; /* the start itself fails: there is no path */
  }
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
}
