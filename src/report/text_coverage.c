/* "Worth a look": what a complete search has not met, for people. */
#include "report/text_int.h"
#include "trace/plain.h"

enum { SHOWN = 12 };

void clew_report_put_coverage(struct clew_text *out, const struct clew_report_info *info,
                              const struct clew_result *result) {
  if (!result->scope.complete || !result->scope.has_states) {
    return;
  }
  struct clew_remarks remarks = {0};
  clew_coverage_remark(info->model, &result->coverage, &remarks);
  if (remarks.len > 0) {
    clew_text_put(out, "\nWorth a look:\n");
  }
  for (uint32_t i = 0; i < remarks.len && i < SHOWN; i++) {
    clew_text_put(out, "  ");
    clew_plain_put(out, clew_text_str(&remarks.data[i].text));
    if (remarks.data[i].line > 0) {
      clew_text_printf(out, " (line %u)", remarks.data[i].line);
    }
    clew_text_char(out, '\n');
  }
  if (remarks.len > SHOWN) {
    clew_text_printf(out, "  and %u more (--json FILE has all of them)\n", remarks.len - SHOWN);
  }
  clew_remarks_free(&remarks);
}
