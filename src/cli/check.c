/* `clew check` and `clew stats`: run the search, confirm what it found, report it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/session.h"

/* No counterexample is shown that the interpreter does not confirm. */
static bool confirm(struct clew_session *session) {
  assert(session->result.has_trace);
  struct clew_diag_sink diags = {0};
  bool ok = clew_trace_confirm(session->model, &session->result.trace, &diags) == CLEW_OK;
  if (!ok) {
    if (session->reporter.line_width > 0) {
      fputc('\n', stderr);
    }
    clew_message("internal error: the counterexample that was found could not be confirmed: %s",
                 diags.len > 0 ? diags.data[0].message : "no reason is known");
    clew_message("please report this with the model and: %s", session->info.command_line);
  }
  clew_diag_sink_free(&diags);
  return ok;
}

static bool write_file(const char *path, const struct clew_text *text) {
  struct clew_diag_sink diags = {0};
  bool ok = clew_file_write(path, clew_text_str(text), text->len, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return ok;
}

static bool save_trace(struct clew_session *session) {
  assert(session->result.has_trace && session->options->trace != NULL);
  struct clew_text text = {0};
  clew_trace_write(session->model, &session->result.trace, &text);
  bool ok = write_file(session->options->trace, &text);
  if (ok) {
    session->info.trace_file = session->options->trace;
  }
  clew_text_free(&text);
  return ok;
}

static void add_late_figures(struct clew_session *session) {
  struct clew_exec_info exec = {0};
  session->model->exec_info(session->model, &exec);
  session->result.compile_s = exec.compile_s;
  session->result.peak_rss_bytes = clew_clock_peak_rss_bytes();
  session->result.cpu_s = clew_clock_cpu_s();
  session->result.elapsed_s = clew_clock_wall_s() - session->started_s;
}

/* The store's counters as the text of a JSON object; empty when it has none. */
static void store_counters(const struct clew_session *session, struct clew_text *out) {
  if (session->store != NULL && session->store_type->counters != NULL) {
    struct clew_json_writer w;
    clew_json_begin(&w, out);
    clew_json_object_open(&w);
    session->store_type->counters(session->store, &w);
    clew_json_object_close(&w);
    clew_json_end(&w);
  }
}

static bool write_json(struct clew_session *session, const char *counters) {
  assert(session->options->json != NULL);
  struct clew_text text = {0};
  clew_report_json(&session->info, &session->result, counters, &text);
  bool ok = write_file(session->options->json, &text);
  clew_text_free(&text);
  return ok;
}

static bool write_plot(struct clew_session *session) {
  assert(session->options->plot != NULL);
  struct clew_text text = {0};
  clew_report_plot(&session->info, &session->result, &text);
  bool ok = write_file(session->options->plot, &text);
  clew_text_free(&text);
  return ok;
}

/* What would make the chart impossible, before the search. */
static enum clew_exit check_plot(const struct clew_options *options) {
  if (options->plot == NULL) {
    return CLEW_EXIT_OK;
  }
  if (strcmp(options->plot, "-") == 0) {
    return clew_message_usage(options->command, "--plot needs a file");
  }
  if (options->search != NULL && strcmp(options->search, "dfs") == 0) {
    return clew_message_usage(options->command, "--plot shows levels: it needs --search bfs");
  }
  struct clew_diag_sink diags = {0};
  bool ok = clew_file_writable(options->plot, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  return ok ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

static void print_notices(const struct clew_session *session) {
  struct clew_exec_info exec = {0};
  session->model->exec_info(session->model, &exec);
  if (exec.notice != NULL) {
    clew_message("note: %s", exec.notice);
  }
  if (exec.symmetry_notice != NULL) {
    clew_message("note: no symmetry reduction: %s", exec.symmetry_notice);
  }
  clew_report_diagnostics(stderr, &session->diags);
}

static enum clew_exit report(struct clew_session *session) {
  const struct clew_options *options = session->options;
  struct clew_result *result = &session->result;
  bool written = true;
  if (result->has_trace && !confirm(session)) {
    return CLEW_EXIT_INTERNAL;
  }
  if (result->has_trace && options->trace != NULL) {
    written = save_trace(session);
  }
  struct clew_text counters = {0};
  store_counters(session, &counters);
  add_late_figures(session);
  const char *store_json = counters.len > 0 ? clew_text_str(&counters) : NULL;
  session->reporter.type->finish(&session->reporter, &session->info, result, store_json);
  print_notices(session);
  if (options->json != NULL) {
    written = write_json(session, store_json) && written;
  }
  if (options->plot != NULL) {
    written = write_plot(session) && written;
  }
  clew_text_free(&counters);
  return written ? result->exit_code : CLEW_EXIT_INTERNAL;
}

enum clew_exit clew_command_check(const struct clew_options *options) {
  assert(options->command == CLEW_COMMAND_check || options->command == CLEW_COMMAND_stats);
  enum clew_exit refused = check_plot(options);
  if (refused != CLEW_EXIT_OK) {
    return refused;
  }
  struct clew_session session;
  enum clew_exit exit = clew_session_open(&session, options);
  if (exit == CLEW_EXIT_OK) {
    clew_session_explore(&session);
    exit = report(&session);
  }
  clew_session_close(&session);
  return exit;
}
