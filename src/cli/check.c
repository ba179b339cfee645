/* `clew check` and `clew stats`: search, confirm what was found, write the outputs. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "cli/hasten.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/registry.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "model/timed.h"
#include "report/output.h"

/* There is a little time to confirm a violation, even if there is none to go on searching. */
static void grant_time(const struct clew_session *session) {
  const double least_s = 0.5;
  double limit_s = session->options->max_time_s;
  double left_s = isnan(limit_s) ? 0 : limit_s - (clew_clock_wall_s() - session->started_s);
  if (!isnan(limit_s) || atomic_load(clew_signals_stop())) {
    clew_signals_grant(fmax(left_s, least_s));
  }
}

/* No counterexample is shown that the interpreter does not confirm. False when it does not. */
static bool confirm(struct clew_session *session) {
  assert(session->result.has_trace);
  struct clew_diag_sink diags = {0};
  grant_time(session);
  const struct clew_timed *timed = session->model->timed;
  if (timed != NULL && timed->is_approximate &&
      !clew_trace_has_times(session->model, &session->result.trace)) {
    clew_search_doubt(session->model, &session->result);
    return true;
  }
  bool ok = clew_trace_confirm(session->model, &session->result.trace, &diags) == CLEW_OK;
  if (!ok && atomic_load(clew_signals_stop())) {
    clew_search_retract(session->model,
                        atomic_load(session->interrupted) ? CLEW_STOP_SIGNAL : CLEW_STOP_MAX_TIME,
                        &session->result);
    ok = true;
  }
  if (!ok) {
    clew_message("internal error: the counterexample that was found could not be confirmed: %s",
                 diags.len > 0 ? diags.data[0].message : "no reason is known");
    clew_message("please report this with the model and: %s", session->info.command_line);
  }
  clew_diag_sink_free(&diags);
  return ok;
}

/* ---- outputs ---- */

struct outputs {
  CLEW_VEC(struct clew_output) list;
};

/* The file that an option names for this output; NULL: none. */
static const char *file_of(const struct clew_options *options,
                           const struct clew_output_entry *entry) {
  if (entry->is_default) {
    return NULL;
  }
  return *(const char *const *)(const void *)((const char *)options + entry->offset);
}

static bool is_standard_output_taken(const struct clew_options *options) {
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    const char *file = file_of(options, entry);
    if (file != NULL && strcmp(file, "-") == 0) {
      return true;
    }
  }
  return false;
}

static void collect(const struct clew_options *options, struct outputs *outputs) {
  bool taken = is_standard_output_taken(options);
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    const char *file = entry->is_default && !taken ? "-" : file_of(options, entry);
    if (file != NULL) {
      clew_vec_push(&outputs->list, ((struct clew_output){.type = entry->type, .file = file}));
    }
  }
}

/* Two outputs to one file: one would overwrite the other. Devices may take several. */
static bool names_differ(const struct outputs *outputs, uint32_t i, struct clew_text *why) {
  const struct clew_output *output = &outputs->list.data[i];
  for (uint32_t k = 0; k < i; k++) {
    const struct clew_output *other = &outputs->list.data[k];
    if (strcmp(other->file, output->file) == 0 && strncmp(output->file, "/dev/", 5) != 0) {
      clew_text_printf(why, "--%s and --%s name the same file", other->type->name,
                       output->type->name);
      return false;
    }
  }
  return true;
}

/* What would make an output impossible, before the search. */
static enum clew_exit check_outputs(const struct clew_session *session, struct outputs *outputs) {
  struct clew_diag_sink diags = {0};
  struct clew_text why = {0};
  enum clew_status status = CLEW_OK;
  for (uint32_t i = 0; i < outputs->list.len && status == CLEW_OK; i++) {
    status = names_differ(outputs, i, &why)
                 ? clew_output_check(&outputs->list.data[i], &session->info, &why, &diags)
                 : CLEW_BAD_USAGE;
  }
  if (status == CLEW_BAD_USAGE) {
    clew_message_usage(session->options->command, "%s", clew_text_str(&why));
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&why);
  return status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

/* A file of another run is left alone, and nobody is to take it for one of this run. */
static void note_older(const struct outputs *outputs) {
  for (uint32_t i = 0; i < outputs->list.len; i++) {
    const struct clew_output *output = &outputs->list.data[i];
    if (output->was_there && !output->written) {
      clew_message("note: %s is older than this run, which had nothing to save there",
                   output->file);
    }
  }
}

/* One that fails does not keep the others from being written. */
static bool write_outputs(struct clew_session *session, struct outputs *outputs) {
  bool written = true;
  for (uint32_t i = 0; i < outputs->list.len; i++) {
    struct clew_diag_sink diags = {0};
    written = clew_output_write(&outputs->list.data[i], &session->info, &session->result, &diags) ==
                  CLEW_OK &&
              written;
    clew_report_diagnostics(stderr, &diags);
    clew_diag_sink_free(&diags);
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

static enum clew_exit search(struct clew_session *session, struct outputs *outputs) {
  enum clew_exit exit = clew_session_explore(session);
  clew_progress_clear(&session->progress);
  if (exit != CLEW_EXIT_OK) {
    clew_report_diagnostics(stderr, &session->diags);
    return exit;
  }
  if (session->result.has_trace && session->model->timed != NULL &&
      session->options->trace_order == CLEW_CHOICE_TRACE_ORDER_TIME) {
    clew_hasten(session);
  }
  if (session->result.has_trace && !confirm(session)) {
    return CLEW_EXIT_INTERNAL;
  }
  clew_signals_finish();
  clew_session_measure(session);
  clew_keep_conclude(session);
  bool written = write_outputs(session, outputs);
  note_older(outputs);
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
  struct outputs outputs = {{0}};
  collect(options, &outputs);
  struct clew_session session;
  enum clew_exit exit = clew_session_open(&session, options, from);
  if (exit == CLEW_EXIT_OK) {
    session.info.outputs = outputs.list.data;
    session.info.output_count = outputs.list.len;
    exit = check_outputs(&session, &outputs);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = search(&session, &outputs);
  }
  clew_session_close(&session);
  clew_vec_free(&outputs.list);
  return exit;
}
