/* `clew check` and `clew stats`: search, confirm what was found, write the outputs. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/ranks.h"
#include "cli/session.h"

/* ---- outputs ---- */

/* "bug.json" -> "bug-2.json"; freed by the caller. */
static char *numbered(const char *file, uint32_t number) {
  const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
  bool has_suffix = dot != NULL && dot != file && (slash == NULL || dot > slash + 1);
  size_t stem = has_suffix ? (size_t)(dot - file) : strlen(file);
  struct clew_text name = {0};
  clew_text_printf(&name, "%.*s-%u%s", (int)stem, file, number, has_suffix ? dot : "");
  char *copy = clew_strdup(clew_text_str(&name));
  clew_text_free(&name);
  return copy;
}

/* With --all and --trace: the first counterexample is in the file, the others beside it. */
static bool write_more_traces(const struct clew_session *session) {
  const struct clew_result *result = &session->result;
  bool written = true;
  for (uint32_t i = 0; session->options->trace != NULL && i < result->more_traces.len; i++) {
    struct clew_text text = {0};
    struct clew_diag_sink diags = {0};
    char *file = numbered(session->options->trace, i + 2);
    clew_trace_write(session->model, &result->more_traces.data[i], &session->origin, &text);
    written = clew_file_write(file, clew_text_str(&text), text.len, &diags) == CLEW_OK && written;
    clew_report_diagnostics(stderr, &diags);
    clew_diag_sink_free(&diags);
    clew_free(file);
    clew_text_free(&text);
  }
  return written;
}

/* ---- the command ---- */

static void print_notices(const struct clew_session *session) {
  struct clew_exec_info exec = {0};
  session->model->exec_info(session->model, &exec);
  if (exec.notice != NULL) {
    clew_message("note: %s", exec.notice);
  }
  if (exec.symmetry_notice != NULL) {
    clew_message("warning: %s", exec.symmetry_notice);
  }
  clew_report_diagnostics(stderr, &session->diags);
}

static enum clew_exit search(struct clew_session *session, struct clew_outputs *outputs) {
  enum clew_exit exit = clew_session_explore(session);
  clew_progress_clear(&session->progress);
  if (exit != CLEW_EXIT_OK) {
    clew_report_diagnostics(stderr, &session->diags);
    return exit;
  }
  if (!clew_ranks_speaks()) {
    return session->result.exit_code;
  }
  if (!clew_session_conclude(session)) {
    return CLEW_EXIT_INTERNAL;
  }
  bool written = clew_outputs_write(outputs, &session->info, &session->result);
  written = write_more_traces(session) && written;
  clew_outputs_note_older(outputs);
  print_notices(session);
  if (!written) {
    clew_message("not everything that was asked for could be written: the exit status is %d",
                 CLEW_EXIT_INTERNAL);
  }
  return written ? session->result.exit_code : CLEW_EXIT_INTERNAL;
}

enum clew_exit clew_command_check(const struct clew_options *options) {
  return clew_check_from(options, NULL);
}

enum clew_exit clew_check_from(const struct clew_options *options, struct clew_checkpoint *from) {
  assert(options->command == CLEW_COMMAND_check || options->command == CLEW_COMMAND_stats);
  struct clew_outputs outputs = {{0}};
  clew_outputs_collect(&outputs, options, true);
  struct clew_session session;
  enum clew_exit exit = clew_session_open(&session, options, from);
  if (exit == CLEW_EXIT_OK) {
    session.info.outputs = outputs.list.data;
    session.info.output_count = outputs.list.len;
    exit = clew_ranks_agree(
        clew_ranks_speaks() ? clew_outputs_check(&outputs, options, &session.info) : CLEW_EXIT_OK);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = search(&session, &outputs);
  }
  clew_session_close(&session);
  clew_outputs_free(&outputs);
  return exit;
}
