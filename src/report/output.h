/* Outputs: whatever is written about a search when it is over.
 *
 * Adding an output: one file that defines a `const struct clew_output_type`, its declaration in
 * this header, one line in the registry (cli/registry.c), and one in cli/options.def for the option
 * that names its file. CONTRIBUTING.md goes through it step by step. An output makes a document
 * from the result and knows nothing of files. */
#ifndef CLEW_REPORT_OUTPUT_H
#define CLEW_REPORT_OUTPUT_H

#include "base/diag.h"
#include "base/status.h"
#include "report/report.h"

struct clew_output_type {
  const char *name;     /* of the option that asks for it, without dashes */
  bool standard_output; /* may go there: its file may be "-" */
  /* Before the search: whether there will be anything to show. If not, a sentence without a full
   * stop tells why. NULL: there always is. */
  bool (*check)(const struct clew_report_info *info, struct clew_text *why);
  /* After it: appends the document. False when there is nothing to say; nothing is written then. */
  bool (*write)(const struct clew_report_info *info, const struct clew_result *result,
                struct clew_text *out);
};

/* An output that is asked for. */
struct clew_output {
  const struct clew_output_type *type;
  const char *file; /* borrowed; "-": standard output */
  bool written;     /* set by clew_output_write: it is there */
  bool was_there;   /* set by clew_output_check: a file of this name is older than the search */
};

/* Before the search. BAD_USAGE with a sentence in *why, or IO_FAILED with a diagnostic, when it
 * could not be written. */
enum clew_status clew_output_check(struct clew_output *output, const struct clew_report_info *info,
                                   struct clew_text *why, struct clew_diag_sink *diags);
/* After it. An error on standard output is left for the end of the program to find. */
enum clew_status clew_output_write(struct clew_output *output, const struct clew_report_info *info,
                                   const struct clew_result *result, struct clew_diag_sink *diags);
/* The file of the output of this type that was written, or NULL. */
const char *clew_output_file(const struct clew_report_info *info,
                             const struct clew_output_type *type);

extern const struct clew_output_type clew_output_text; /* for people */
extern const struct clew_output_type clew_output_json; /* one object, with the keys of the manual */
extern const struct clew_output_type clew_output_plot; /* levels and locality as an SVG chart */
extern const struct clew_output_type clew_output_report; /* all of it as one page for a browser */
extern const struct clew_output_type clew_output_trace;  /* the counterexample, for `replay` */

#endif
