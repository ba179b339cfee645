/* What the parts of the text reporter share. */
#ifndef CLEW_REPORT_TEXT_INT_H
#define CLEW_REPORT_TEXT_INT_H

#include <string.h>

#include "report/report.h"

enum text_style { STYLE_GOOD, STYLE_BAD, STYLE_DOUBT, STYLE_FAINT };

/* Between these two the text is shown in a style, when there is colour at all. */
void text_style_on(struct clew_text *out, bool color, enum text_style style);
void text_style_off(struct clew_text *out, bool color);

static inline bool text_is_stats(const struct clew_run_info *info) {
  return strcmp(info->command, "stats") == 0;
}

/* "1 state", "1,234 states" */
void text_put_count(struct clew_text *out, uint64_t count, const char *noun);
/* "2.1 M", "340" */
void text_put_rate(struct clew_text *out, double rate);

/* The line that says what was proved, with its full stop and newline. */
void text_put_verdict(struct clew_text *out, bool color, const struct clew_run_info *info,
                      const struct clew_result *result);
void text_put_properties(struct clew_text *out, bool color, const struct clew_run_info *info,
                         const struct clew_result *result);
void text_put_figures(struct clew_text *out, const struct clew_run_info *info,
                      const struct clew_result *result);
/* Of `stats`: sizes of the breadth-first levels. */
void text_put_levels(struct clew_text *out, const struct clew_result *result);
/* Of `stats`: how far transitions lead, counted in levels. */
void text_put_locality(struct clew_text *out, const struct clew_result *result);

#endif
