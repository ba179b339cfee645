/* Reports: what is said to the user about a search, in sentences that all outputs share. */
#ifndef CLEW_REPORT_REPORT_H
#define CLEW_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "model/model.h"
#include "report/progress.h"
#include "report/result.h"
#include "trace/origin.h"

struct clew_output;

/* The subject of a report and its looks, known before the search. Everything is borrowed. */
struct clew_report_info {
  const struct clew_model *model;
  const char *command; /* "check", "stats": for the record only */
  const char *command_line;
  const char *unlimited_line; /* without limits of states, depth and time; "" or NULL: none */
  const struct clew_trace_origin *origin; /* of a trace that is saved; NULL: it is not known */
  const char *store, *search;             /* names; store NULL: the search needs none */
  bool explores_only;   /* the question is what the graph is like, not whether it is right */
  bool has_levels;      /* the search explores in breadth-first levels */
  bool blurs_levels;    /* the store does not let it keep them exact */
  unsigned trace_style; /* enum clew_trace_style */
  bool quiet, color;    /* text */
  /* All that is written about this search (report/output.h). */
  const struct clew_output *outputs;
  uint32_t output_count;
};

/* A violated property: an outcome and whose it is. */
struct clew_violation {
  uint32_t property;
  uint32_t depth, site;           /* as in struct clew_outcome */
  const struct clew_trace *trace; /* that shows it, for details; may be NULL */
};

/* `invariant "mutex"`, or just the name of what every model has (deadlock, assertion). */
void clew_report_property_title(const struct clew_property *property, struct clew_text *out);
/* A sentence without its full stop: `invariant "mutex" fails after 7 steps`. Of a query that asks
 * for a state: `query "E<> p" is true after 7 steps`, or (depth CLEW_NONE) in no state. */
void clew_report_violation(const struct clew_model *model, const struct clew_violation *violation,
                           struct clew_text *out);
/* What comes before that sentence: "VIOLATED:", "REACHED:" (a goal), "SATISFIED:" (a query). */
const char *clew_report_violation_word(const struct clew_model *model,
                                       const struct clew_violation *violation);
/* "x is at most 15 and at least 3" */
void clew_report_measurement(const struct clew_measurement *measurement, struct clew_text *out);
/* The `place`-th violation that a search found, in the order of finding. */
struct clew_violation clew_report_finding(const struct clew_result *result, uint32_t place);
/* Why a property that was asked for is undecided, as a clause: "no state is reachable". */
void clew_report_reason(const struct clew_report_info *info, const struct clew_result *result,
                        uint32_t property, struct clew_text *out);

/* Prints the sink's diagnostics to `err`, then "N errors" when there are several. */
void clew_report_diagnostics(FILE *err, const struct clew_diag_sink *diags);

#endif
