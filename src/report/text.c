/* The report for people: the verdict, the counterexample, the properties and the figures. */
#include <assert.h>
#include <string.h>

#include "report/output.h"
#include "report/text_int.h"

void clew_report_style_on(struct clew_text *out, const struct clew_report_info *info,
                          enum clew_report_style style) {
  static const char *const codes[] = {[STYLE_GOOD] = "\033[1;32m",
                                      [STYLE_BAD] = "\033[1;31m",
                                      [STYLE_DOUBT] = "\033[1;33m",
                                      [STYLE_FAINT] = "\033[2m"};
  assert((size_t)style < sizeof codes / sizeof codes[0]);
  if (info->color) {
    clew_text_put(out, codes[style]);
  }
}

void clew_report_style_off(struct clew_text *out, const struct clew_report_info *info) {
  if (info->color) {
    clew_text_put(out, "\033[0m");
  }
}

void clew_report_put_count(struct clew_text *out, uint64_t count, const char *noun) {
  char buffer[32];
  clew_text_printf(out, "%s %s%s", clew_text_count(count, buffer), noun, count == 1 ? "" : "s");
}

const char *clew_report_states(const struct clew_result *result, char buffer[32]) {
  uint64_t states = result->states == CLEW_ABSENT ? 0 : result->states;
  return result->states_text != NULL ? result->states_text : clew_text_count(states, buffer);
}

void clew_report_put_states(struct clew_text *out, const struct clew_result *result) {
  char buffer[32];
  clew_text_printf(out, "%s state%s", clew_report_states(result, buffer),
                   result->states == 1 ? "" : "s");
}

void clew_report_put_keeper(struct clew_text *out, const struct clew_report_info *info,
                            const struct clew_result *result) {
  char buffer[32];
  if (result->conversions.len > 0) {
    clew_text_printf(out, "%s store", result->conversions.data[0].from);
    for (uint32_t i = 0; i < result->conversions.len; i++) {
      const struct clew_conversion *conversion = &result->conversions.data[i];
      clew_text_printf(out, ", then %s from %s states on", conversion->to,
                       clew_text_count(conversion->states, buffer));
    }
  } else if (info->store != NULL) {
    clew_text_printf(out, "%s store", info->store);
  } else {
    clew_text_put(out, "decision diagrams");
  }
}

void clew_report_put_rate(struct clew_text *out, double rate) {
  assert(rate >= 0);
  if (rate >= 999950) {
    clew_text_printf(out, "%.1f M", rate / 1e6);
  } else if (rate >= 10000) {
    clew_text_printf(out, "%.0f k", rate / 1e3);
  } else {
    clew_text_printf(out, "%.0f", rate);
  }
}

static void put_trace(struct clew_text *out, const struct clew_report_info *info,
                      const struct clew_result *result) {
  clew_text_char(out, '\n');
  clew_trace_print(info->model, &result->trace, info->trace_style, out);
  const char *file = clew_output_file(info, &clew_output_trace);
  if (file != NULL) {
    clew_text_printf(out, "\nThe %s is saved in %s: clew replay ",
                     result->verdict == CLEW_VERDICT_VIOLATED ? "counterexample" : "path", file);
    clew_text_put_shell(out, file);
    clew_text_char(out, '\n');
  }
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  clew_report_put_verdict(out, info, result);
  if (!info->explores_only && result->has_trace) {
    put_trace(out, info, result);
  }
  if (info->quiet) {
    return true;
  }
  clew_text_char(out, '\n');
  clew_report_put_properties(out, info, result);
  clew_text_char(out, '\n');
  clew_report_put_figures(out, info, result);
  if (info->explores_only) {
    clew_report_put_levels(out, result);
    clew_report_put_locality(out, result);
  }
  return true;
}

const struct clew_output_type clew_output_text = {
    .name = "text", .standard_output = true, .write = write};
