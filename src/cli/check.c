/* `clew check` and `clew stats`: search, confirm what was found, write the outputs. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/vec.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/registry.h"
#include "cli/session.h"
#include "report/output.h"

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

static enum clew_exit search(struct clew_session *session, struct outputs *outputs) {
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
  bool written = write_outputs(session, outputs);
  written = write_more_traces(session) && written;
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
    exit = clew_ranks_agree(clew_ranks_speaks() ? check_outputs(&session, &outputs) : CLEW_EXIT_OK);
  }
  if (exit == CLEW_EXIT_OK) {
    exit = search(&session, &outputs);
  }
  clew_session_close(&session);
  clew_vec_free(&outputs.list);
  return exit;
}
