/* Shared by the parts of the report for people. */
#ifndef CLEW_REPORT_TEXT_INT_H
#define CLEW_REPORT_TEXT_INT_H

#include "report/report.h"

enum clew_report_style { STYLE_GOOD, STYLE_BAD, STYLE_DOUBT, STYLE_FAINT };

/* Between these two the text is shown in a style, when there is colour at all. */
void clew_report_style_on(struct clew_text *out, const struct clew_report_info *info,
                          enum clew_report_style style);
void clew_report_style_off(struct clew_text *out, const struct clew_report_info *info);

/* "1 state", "1,234 states" */
void clew_report_put_count(struct clew_text *out, uint64_t count, const char *noun);
/* The number of states, exact. */
const char *clew_report_states(const struct clew_result *result, char buffer[32]);
/* "12 states" */
void clew_report_put_states(struct clew_text *out, const struct clew_result *result);
/* "exact store"; where there is none, what keeps states. */
void clew_report_put_keeper(struct clew_text *out, const struct clew_report_info *info,
                            const struct clew_result *result);
/* "2.1 M", "340" */
void clew_report_put_rate(struct clew_text *out, double rate);

/* The line that says what was proved, with its full stop and newline. */
void clew_report_put_verdict(struct clew_text *out, const struct clew_report_info *info,
                             const struct clew_result *result);
/* The answer to one property in a word or two: "ok", "VIOLATED". */
struct clew_report_mark {
  const char *word;
  enum clew_report_style style;
};
struct clew_report_mark clew_report_mark(const struct clew_report_info *info,
                                         const struct clew_result *result, uint32_t property);
/* The property, its value if it asks for one, and a remark in brackets if it is not decided. */
void clew_report_put_property(struct clew_text *out, const struct clew_report_info *info,
                              const struct clew_result *result, uint32_t property);
void clew_report_put_properties(struct clew_text *out, const struct clew_report_info *info,
                                const struct clew_result *result);
void clew_report_put_figures(struct clew_text *out, const struct clew_report_info *info,
                             const struct clew_result *result);
/* Of an exploration: sizes of the breadth-first levels. */
void clew_report_put_levels(struct clew_text *out, const struct clew_result *result);
/* Of an exploration: how far transitions lead, counted in levels. */
void clew_report_put_locality(struct clew_text *out, const struct clew_result *result);

#endif
