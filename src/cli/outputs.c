/* Outputs of a command: from options to files. */
#include "cli/outputs.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/registry.h"

/* The file that an option names for this output; NULL: none. */
static const char *file_of(const struct clew_options *options,
                           const struct clew_output_entry *entry) {
  if (entry->is_default) {
    return NULL;
  }
  return *(const char *const *)(const void *)((const char *)options + entry->offset);
}

bool clew_outputs_take_stdout(const struct clew_options *options) {
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    const char *file = file_of(options, entry);
    if (file != NULL && strcmp(file, "-") == 0) {
      return true;
    }
  }
  return false;
}

void clew_outputs_collect(struct clew_outputs *outputs, const struct clew_options *options,
                          bool with_text) {
  bool has_text = with_text && !clew_outputs_take_stdout(options);
  for (const struct clew_output_entry *entry = clew_outputs; entry->type != NULL; entry++) {
    const char *file = entry->is_default && has_text ? "-" : file_of(options, entry);
    if (file != NULL) {
      clew_vec_push(&outputs->list, ((struct clew_output){.type = entry->type, .file = file}));
    }
  }
}

/* Two outputs to one file: one would overwrite the other. Devices may take several. */
static bool names_differ(const struct clew_outputs *outputs, uint32_t i, struct clew_text *why) {
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

enum clew_exit clew_outputs_check(struct clew_outputs *outputs, const struct clew_options *options,
                                  const struct clew_report_info *info) {
  struct clew_diag_sink diags = {0};
  struct clew_text why = {0};
  enum clew_status status = CLEW_OK;
  for (uint32_t i = 0; i < outputs->list.len && status == CLEW_OK; i++) {
    status = names_differ(outputs, i, &why)
                 ? clew_output_check(&outputs->list.data[i], info, &why, &diags)
                 : CLEW_BAD_USAGE;
  }
  if (status == CLEW_BAD_USAGE) {
    clew_message_usage(options->command, "%s", clew_text_str(&why));
  }
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&why);
  return status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

bool clew_outputs_write(struct clew_outputs *outputs, const struct clew_report_info *info,
                        const struct clew_result *result) {
  bool written = true;
  for (uint32_t i = 0; i < outputs->list.len; i++) {
    struct clew_diag_sink diags = {0};
    written = clew_output_write(&outputs->list.data[i], info, result, &diags) == CLEW_OK && written;
    clew_report_diagnostics(stderr, &diags);
    clew_diag_sink_free(&diags);
  }
  return written;
}

void clew_outputs_note_older(const struct clew_outputs *outputs) {
  for (uint32_t i = 0; i < outputs->list.len; i++) {
    const struct clew_output *output = &outputs->list.data[i];
    if (output->was_there && !output->written) {
      clew_message("note: %s is older than this run, which had nothing to save there",
                   output->file);
    }
  }
}

void clew_outputs_free(struct clew_outputs *outputs) {
  clew_vec_free(&outputs->list);
}
