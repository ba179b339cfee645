/* `clew replay`: reads a saved counterexample, confirms it, prints it. */
#include <assert.h>
#include <stdio.h>

#include "base/file.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "report/report.h"
#include "trace/trace.h"

static const size_t TRACE_LIMIT_BYTES = (size_t)1 << 30;

static void print(const struct clew_options *options, const struct clew_model *model,
                  const struct clew_trace *trace) {
  struct clew_violation violation = {
      .property = trace->property, .depth = clew_trace_length(trace), .site = trace->site};
  struct clew_text text = {0};
  clew_text_put(&text, "CONFIRMED: ");
  clew_report_violation(model, &violation, &text);
  clew_text_put(&text, ".\n");
  if (!options->quiet) {
    clew_text_char(&text, '\n');
    clew_trace_print(model, trace, clew_options_trace_style(options), &text);
  }
  fwrite(text.data, 1, text.len, stdout);
  clew_text_free(&text);
}

static enum clew_status replay(const struct clew_options *options, const struct clew_model *model,
                               struct clew_diag_sink *diags) {
  const char *file = options->operands.data[1];
  struct clew_text text = {0};
  struct clew_trace trace = {0};
  enum clew_status status = clew_file_read(file, TRACE_LIMIT_BYTES, &text, diags);
  if (status == CLEW_OK) {
    status = clew_trace_read(model, file, clew_text_str(&text), text.len, &trace, diags);
  }
  if (status == CLEW_OK) {
    struct clew_diag_sink reasons = {0};
    status = clew_trace_confirm(model, &trace, &reasons);
    if (status == CLEW_OK) {
      print(options, model, &trace);
    } else if (atomic_load(model->stop)) {
      status = CLEW_OVER_LIMIT;
      clew_diag_plain(diags, CLEW_ERROR, file, "%s before the trace could be confirmed",
                      clew_stop_text(CLEW_STOP_MAX_TIME));
    } else {
      clew_diag_plain(diags, CLEW_ERROR, file, "the trace is not a counterexample: %s",
                      reasons.len > 0 ? reasons.data[0].message : "no reason is known");
    }
    clew_diag_sink_free(&reasons);
  }
  clew_trace_free(&trace);
  clew_text_free(&text);
  return status;
}

enum clew_exit clew_command_replay(const struct clew_options *options) {
  assert(options->operands.len == 2);
  struct clew_model *model;
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit =
      clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false, NULL, &model);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_diag_sink diags = {0};
  enum clew_status status = replay(options, model, &diags);
  if (status != CLEW_OK) {
    exit = status == CLEW_OVER_LIMIT && atomic_load(model->stop) ? CLEW_EXIT_INCOMPLETE
                                                                 : CLEW_EXIT_BAD_MODEL;
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  model->close(model);
  return exit;
}
