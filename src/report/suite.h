/* Suites: many checks, what is expected of each, and what came. */
#ifndef CLEW_REPORT_SUITE_H
#define CLEW_REPORT_SUITE_H

#include <stdint.h>

#include "base/text.h"

struct clew_expectation {
  const char *key, *value; /* a key of the JSON result, or "exit" */
};

/* Everything is borrowed. */
struct clew_check {
  const char *command; /* "check", "stats" */
  const char *model;
  const char *const *options;
  uint32_t option_count;
  const struct clew_expectation *expectations; /* none: exit 0 */
  uint32_t expectation_count;
};

struct clew_suite {
  const char *name;
  const struct clew_check *checks;
  uint32_t check_count;
};

struct clew_check_result {
  const char *verdict, *states; /* states may be NULL */
  const char *why;              /* NULL: as expected */
  const char *output;           /* of the command; may be NULL */
  double elapsed_s;
};

/* A line of the table. */
void clew_suite_line(const struct clew_check *check, const struct clew_check_result *result,
                     struct clew_text *out);
/* A test case for each check. */
void clew_suite_junit(const struct clew_suite *suite, const struct clew_check_result *results,
                      double elapsed_s, struct clew_text *out);

#endif
