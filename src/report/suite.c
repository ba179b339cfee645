/* Suites for people and for build servers. */
#include "report/suite.h"

#include <string.h>

#include "report/xml_int.h"

static void put_name(const struct clew_check *check, struct clew_text *out) {
  clew_text_put(out, check->model);
  if (strcmp(check->command, "check") != 0) {
    clew_text_printf(out, " (%s)", check->command);
  }
  for (uint32_t i = 0; i < check->option_count; i++) {
    clew_text_char(out, ' ');
    clew_text_put_shell(out, check->options[i]);
  }
}

void clew_suite_line(const struct clew_check *check, const struct clew_check_result *result,
                     struct clew_text *out) {
  struct clew_text name = {0};
  put_name(check, &name);
  clew_text_printf(out, "%-5s %-18s %12s states %8.2f s  %s\n", result->why == NULL ? "ok" : "FAIL",
                   result->verdict, result->states != NULL ? result->states : "-",
                   result->elapsed_s, clew_text_str(&name));
  if (result->why != NULL) {
    clew_text_printf(out, "      %s\n", result->why);
  }
  clew_text_free(&name);
}

static void put_case(const struct clew_check *check, const struct clew_check_result *result,
                     struct clew_text *out) {
  struct clew_text name = {0};
  put_name(check, &name);
  clew_text_put(out, "    <testcase");
  clew_xml_attribute(out, "classname", check->model);
  clew_xml_attribute(out, "name", clew_text_str(&name));
  clew_text_printf(out, " time=\"%.3f\">", result->elapsed_s);
  if (result->why != NULL) {
    clew_text_put(out, "<failure");
    clew_xml_attribute(out, "message", result->why);
    clew_text_char(out, '>');
    clew_xml_lines(out, result->output != NULL ? result->output : "");
    clew_text_put(out, "</failure>");
  }
  clew_text_put(out, "</testcase>\n");
  clew_text_free(&name);
}

void clew_suite_junit(const struct clew_suite *suite, const struct clew_check_result *results,
                      double elapsed_s, struct clew_text *out) {
  uint32_t failures = 0;
  for (uint32_t i = 0; i < suite->check_count; i++) {
    failures += results[i].why != NULL;
  }
  clew_text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
  clew_xml_attribute(out, "name", suite->name);
  clew_text_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"%.3f\">\n",
                   suite->check_count, failures, elapsed_s);
  for (uint32_t i = 0; i < suite->check_count; i++) {
    put_case(&suite->checks[i], &results[i], out);
  }
  clew_text_put(out, "  </testsuite>\n</testsuites>\n");
}
