/* `clew replay`: reads a saved counterexample, confirms it, prints it.
 *
 * A trace knows its model and the options that the model was loaded with. The command line may say
 * otherwise: a model that it names is taken, and options about the model replace those of the
 * trace.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/origin.h"
#include "cli/signals.h"
#include "report/report.h"
#include "trace/trace.h"

static const size_t TRACE_LIMIT_BYTES = (size_t)1 << 30;

/* The trace as a file. */
struct saved {
  const char *file;
  struct clew_text text;
  struct clew_arena *arena;
  struct clew_trace_origin origin;
  const char *model_hash; /* of the model that is there now */
};

static void print(const struct clew_options *options, const struct clew_model *model,
                  const struct clew_trace *trace) {
  struct clew_violation violation = {.property = trace->property,
                                     .depth = clew_trace_length(trace),
                                     .site = trace->site,
                                     .trace = trace};
  struct clew_text text = {0};
  clew_text_put(&text, "CONFIRMED: ");
  if (trace->property == CLEW_NONE) {
    clew_text_printf(&text, "a walk of %u step%s", trace->edge_count,
                     trace->edge_count == 1 ? "" : "s");
  } else {
    clew_report_violation(model, &violation, &text);
  }
  clew_text_put(&text, ".\n\n");
  clew_trace_print(model, trace, clew_options_trace_style(options), &text);
  fwrite(text.data, 1, text.len, stdout);
  clew_text_free(&text);
}

static bool has_changed(const struct saved *saved) {
  return saved->origin.model_hash != NULL && saved->model_hash != NULL &&
         strcmp(saved->origin.model_hash, saved->model_hash) != 0;
}

static void put_note(const struct saved *saved, const struct clew_model *model, bool confirmed) {
  if (has_changed(saved)) {
    clew_message("note: the text of %s has changed since %s was saved%s", model->name, saved->file,
                 confirmed ? "; the counterexample is still one" : "");
  }
}

static enum clew_status replay(const struct clew_options *options, const struct clew_model *model,
                               const struct saved *saved, struct clew_diag_sink *diags) {
  struct clew_trace trace = {0};
  enum clew_status status = clew_trace_read(model, saved->file, clew_text_str(&saved->text),
                                            saved->text.len, &trace, diags);
  if (status == CLEW_OK) {
    struct clew_diag_sink reasons = {0};
    status = clew_trace_confirm(model, &trace, &reasons);
    if (status == CLEW_OK) {
      print(options, model, &trace);
    } else if (atomic_load(model->stop)) {
      status = CLEW_OVER_LIMIT;
      clew_diag_plain(diags, CLEW_ERROR, saved->file, "%s before the trace could be confirmed",
                      clew_stop_text(CLEW_STOP_MAX_TIME));
    } else {
      clew_diag_plain(diags, CLEW_ERROR, saved->file, "the trace is not a counterexample: %s",
                      reasons.len > 0 ? reasons.data[0].message : "no reason is known");
    }
    clew_diag_sink_free(&reasons);
  }
  clew_trace_free(&trace);
  return status;
}

/* `options` names the model and the trace, and all that the model depends on. */
static enum clew_exit replay_whole(const struct clew_options *options, struct saved *saved) {
  assert(options->operands.len == 2);
  struct clew_model *model;
  clew_signals_alarm(options->max_time_s);
  enum clew_exit exit = clew_load_model_hashed(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false,
                                               NULL, saved->arena, &saved->model_hash, &model);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_diag_sink diags = {0};
  enum clew_status status = replay(options, model, saved, &diags);
  if (status != CLEW_OK) {
    exit = status == CLEW_OVER_LIMIT && atomic_load(model->stop) ? CLEW_EXIT_INCOMPLETE
                                                                 : CLEW_EXIT_BAD_MODEL;
  }
  put_note(saved, model, status == CLEW_OK);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  model->close(model);
  return exit;
}

static enum clew_exit complete(const struct clew_options *options, struct saved *saved) {
  int argc = 0;
  char **argv = clew_origin_command(saved->arena, options, &saved->origin, saved->file, &argc);
  if (argv == NULL) {
    return CLEW_EXIT_BAD_MODEL;
  }
  struct clew_options whole;
  struct clew_text error = {0};
  enum clew_exit exit;
  if (clew_options_parse(&whole, argc, argv, &error)) {
    exit = replay_whole(&whole, saved);
  } else {
    clew_message("%s: its arguments are not understood: %s", saved->file, clew_text_str(&error));
    exit = CLEW_EXIT_BAD_MODEL;
  }
  clew_options_free(&whole);
  clew_text_free(&error);
  return exit;
}

/* Whether the model that the command line names is one: what is wrong with it comes first. */
static bool loads(const struct clew_options *options) {
  struct clew_model *model;
  if (clew_load_model(options, CLEW_MODE_INTERP, CLEW_SYMMETRY_OFF, false, NULL, &model) !=
      CLEW_EXIT_OK) {
    return false;
  }
  model->close(model);
  return true;
}

enum clew_exit clew_command_replay(const struct clew_options *options) {
  uint32_t last = options->operands.len - 1;
  struct saved saved = {.file = options->operands.data[last], .arena = clew_arena_open()};
  struct clew_diag_sink diags = {0};
  enum clew_status status = clew_file_read(saved.file, TRACE_LIMIT_BYTES, &saved.text, &diags);
  if (status == CLEW_OK) {
    status = clew_trace_read_origin(saved.arena, saved.file, clew_text_str(&saved.text),
                                    saved.text.len, &saved.origin, &diags);
  }
  enum clew_exit exit = CLEW_EXIT_BAD_MODEL;
  if (status == CLEW_OK) {
    exit = complete(options, &saved);
  } else if (options->operands.len == 1 || loads(options)) {
    clew_report_diagnostics(stderr, &diags);
  }
  clew_diag_sink_free(&diags);
  clew_text_free(&saved.text);
  clew_arena_close(saved.arena);
  return exit;
}
