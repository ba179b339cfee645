/* Outputs: from documents to files. */
#include "report/output.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

static bool is_standard_output(const struct clew_output *output) {
  return strcmp(output->file, "-") == 0;
}

enum clew_status clew_output_check(struct clew_output *output, const struct clew_report_info *info,
                                   struct clew_text *why, struct clew_diag_sink *diags) {
  assert(output->file != NULL && !output->written);
  if (is_standard_output(output) && !output->type->standard_output) {
    clew_text_printf(why, "--%s needs a file", output->type->name);
    return CLEW_BAD_USAGE;
  }
  if (output->type->check != NULL && !output->type->check(info, why)) {
    assert(why->len > 0);
    return CLEW_BAD_USAGE;
  }
  struct stat status;
  output->was_there = stat(output->file, &status) == 0 && S_ISREG(status.st_mode);
  return clew_file_writable(output->file, diags);
}

enum clew_status clew_output_write(struct clew_output *output, const struct clew_report_info *info,
                                   const struct clew_result *result, struct clew_diag_sink *diags) {
  struct clew_text text = {0};
  enum clew_status status = CLEW_OK;
  if (output->type->write(info, result, &text)) {
    if (is_standard_output(output)) {
      fwrite(clew_text_str(&text), 1, text.len, stdout);
      fflush(stdout);
    } else {
      status = clew_file_write(output->file, clew_text_str(&text), text.len, diags);
    }
    output->written = status == CLEW_OK;
  }
  clew_text_free(&text);
  return status;
}

const char *clew_output_file(const struct clew_report_info *info,
                             const struct clew_output_type *type) {
  for (uint32_t i = 0; i < info->output_count; i++) {
    if (info->outputs[i].type == type && info->outputs[i].written) {
      return info->outputs[i].file;
    }
  }
  return NULL;
}
