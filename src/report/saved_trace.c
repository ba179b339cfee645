/* The counterexample as a file that `clew replay` reads (trace/trace.h has its form). */
#include "report/output.h"

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  if (result->has_trace) {
    clew_trace_write(info->model, &result->trace, info->origin, out);
  }
  return result->has_trace;
}

const struct clew_output_type clew_output_trace = {.name = "trace", .write = write};
