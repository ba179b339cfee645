/* Diagnostics on their way to the user. */
#include <assert.h>

#include "base/diag.h"
#include "report/report.h"

void clew_report_diagnostics(FILE *err, const struct clew_diag_sink *diags) {
  assert(err != NULL);
  struct clew_text text = {0};
  uint32_t errors_shown = 0;
  for (uint32_t i = 0; i < diags->len; i++) {
    if (diags->data[i].file == NULL) {
      clew_text_put(&text, "clew: ");
    }
    clew_diag_render(&diags->data[i], &text);
    errors_shown += diags->data[i].severity == CLEW_ERROR;
  }
  if (diags->error_count > errors_shown) {
    clew_text_printf(&text, "%u errors, the first %u are shown\n", diags->error_count,
                     errors_shown);
  } else if (diags->error_count > 1) {
    clew_text_printf(&text, "%u errors\n", diags->error_count);
  }
  fwrite(clew_text_str(&text), 1, text.len, err);
  fflush(err);
  clew_text_free(&text);
}
