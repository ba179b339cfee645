/* The outputs that a command line asks for, checked before a search and written after it. */
#ifndef CLEW_CLI_OUTPUTS_H
#define CLEW_CLI_OUTPUTS_H

#include <stdbool.h>

#include "base/status.h"
#include "base/vec.h"
#include "cli/options.h"
#include "report/output.h"

struct clew_outputs {
  CLEW_VEC(struct clew_output) list;
};

/* Whether one of them goes to standard output, so that nothing else may. */
bool clew_outputs_take_stdout(const struct clew_options *options);
/* Adds those that are asked for, in the order of the registry; `with_text`: also the report for
 * people, unless standard output is taken. */
void clew_outputs_collect(struct clew_outputs *outputs, const struct clew_options *options,
                          bool with_text);
/* Whatever would make one impossible, before the search: a message, and CLEW_EXIT_USAGE. */
enum clew_exit clew_outputs_check(struct clew_outputs *outputs, const struct clew_options *options,
                                  const struct clew_report_info *info);
/* One that fails, with a message, does not keep the others from being written. */
bool clew_outputs_write(struct clew_outputs *outputs, const struct clew_report_info *info,
                        const struct clew_result *result);
/* Says which files are those of another run: they are left alone, and nobody is to take them for
 * files of this one. */
void clew_outputs_note_older(const struct clew_outputs *outputs);
void clew_outputs_free(struct clew_outputs *outputs);

#endif
