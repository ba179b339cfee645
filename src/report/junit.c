/* `--junit`: one test case for each property, in the form that build servers read. A property that
 * is violated is a failure, with the counterexample; one that is not decided is an error; one that
 * was not asked for is skipped. */
#include <math.h>

#include "report/output.h"
#include "report/xml_int.h"

struct counts {
  uint32_t tests, failures, errors, skipped;
};

static struct counts count(const struct clew_result *result) {
  struct counts counts = {.tests = result->outcomes.count};
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    switch (result->outcomes.list[i].decision) {
    case CLEW_PROPERTY_HOLDS:
      break;
    case CLEW_PROPERTY_VIOLATED:
      counts.failures++;
      break;
    case CLEW_UNDECIDED:
      if (clew_outcome_is_asked(&result->outcomes, i)) {
        counts.errors++;
      } else {
        counts.skipped++;
      }
      break;
    }
  }
  return counts;
}

static void put_violation(struct clew_text *out, const struct clew_report_info *info,
                          const struct clew_result *result, uint32_t property) {
  const struct clew_outcome *outcome = &result->outcomes.list[property];
  const struct clew_trace *trace = clew_result_trace_of(result, property);
  struct clew_violation violation = {property, outcome->depth, outcome->site, trace};
  struct clew_text text = {0};
  clew_report_violation(info->model, &violation, &text);
  clew_text_put(out, "<failure");
  clew_xml_attribute(out, "message", clew_text_str(&text));
  clew_text_char(out, '>');
  clew_text_clear(&text);
  if (trace != NULL) {
    clew_trace_print(info->model, trace, info->trace_style, &text);
    clew_xml_lines(out, clew_text_str(&text));
  }
  clew_text_put(out, "</failure>");
  clew_text_free(&text);
}

static void put_case(struct clew_text *out, const struct clew_report_info *info,
                     const struct clew_result *result, uint32_t property) {
  struct clew_text text = {0};
  clew_report_property_title(&info->model->properties[property], &text);
  clew_text_put(out, "    <testcase");
  clew_xml_attribute(out, "classname", info->model->name);
  clew_xml_attribute(out, "name", clew_text_str(&text));
  clew_text_char(out, '>');
  clew_text_clear(&text);
  switch (result->outcomes.list[property].decision) {
  case CLEW_PROPERTY_HOLDS:
    break;
  case CLEW_PROPERTY_VIOLATED:
    put_violation(out, info, result, property);
    break;
  case CLEW_UNDECIDED:
    clew_report_reason(info, result, property, &text);
    clew_text_put(out, clew_outcome_is_asked(&result->outcomes, property) ? "<error" : "<skipped");
    clew_xml_attribute(out, "message", clew_text_str(&text));
    clew_text_put(out, "/>");
    break;
  }
  clew_text_put(out, "</testcase>\n");
  clew_text_free(&text);
}

static bool write(const struct clew_report_info *info, const struct clew_result *result,
                  struct clew_text *out) {
  struct counts counts = count(result);
  clew_text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
  clew_xml_attribute(out, "name", info->model->name);
  clew_text_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", counts.tests,
                   counts.failures, counts.errors, counts.skipped);
  if (!isnan(result->elapsed_s)) {
    clew_text_printf(out, " time=\"%.3f\"", result->elapsed_s);
  }
  clew_text_put(out, ">\n");
  for (uint32_t i = 0; i < result->outcomes.count; i++) {
    put_case(out, info, result, i);
  }
  clew_text_put(out, "  </testsuite>\n</testsuites>\n");
  return true;
}

const struct clew_output_type clew_output_junit = {.name = "junit", .write = write};
