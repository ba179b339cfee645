/* Reporters: the only code that writes to the user about a run. */
#ifndef CLEW_REPORT_REPORT_H
#define CLEW_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "model/model.h"
#include "report/result.h"

/* A moment of a running search. */
struct clew_progress {
  double elapsed_s;
  uint64_t states, transitions, queue;
  uint64_t level; /* or the depth of a depth-first search */
  bool is_depth;
  uint64_t memory_bytes, budget_bytes;
};

/* What a run is about, known before it starts. */
struct clew_run_info {
  const struct clew_model *model;
  const char *command; /* "check", "stats" */
  const char *command_line;
  const char *store, *search;
  const char *symmetry;      /* "canonical", "fast"; NULL: states are not reduced */
  const uint64_t *enabled;   /* bit set over the model's properties */
  const uint64_t *undecided; /* those of them that the search cannot decide; NULL: none */
  bool trace_full;
  const char *trace_file; /* where the trace was saved, or NULL */
};

struct clew_reporter;

struct clew_reporter_type {
  const char *name;
  void (*begin)(struct clew_reporter *reporter, const struct clew_run_info *info);
  void (*progress)(struct clew_reporter *reporter, const struct clew_progress *progress);
  /* `store_json` is the store's counters as a JSON object text, or NULL. */
  void (*finish)(struct clew_reporter *reporter, const struct clew_run_info *info,
                 const struct clew_result *result, const char *store_json);
};

struct clew_reporter {
  const struct clew_reporter_type *type;
  FILE *out;      /* text for the user; NULL: nothing is printed there */
  FILE *err;      /* progress; NULL: none */
  bool terminal;  /* err is a terminal: one line that is rewritten */
  bool color;     /* of `out` */
  bool quiet;     /* only the verdict and the counterexample */
  double every_s; /* between two progress lines; 0 = none */
  double last_s;
  struct clew_progress previous;
  uint32_t line_width; /* of the rewritten line */
};

extern const struct clew_reporter_type clew_reporter_text;

/* What is known about a property after a run. */
enum clew_property_status {
  CLEW_STATUS_NOT_CHECKED, /* switched off */
  CLEW_STATUS_OK,
  CLEW_STATUS_VIOLATED,
  CLEW_STATUS_NOT_DECIDED,
};
enum clew_property_status clew_report_property_status(const struct clew_run_info *info,
                                                      const struct clew_result *result,
                                                      uint32_t property);
/* `invariant "mutex"`, or just the name of what every model has (deadlock, assertion). */
void clew_report_property_title(const struct clew_property *property, struct clew_text *out);
/* A sentence without its full stop: `invariant "mutex" fails after 7 steps`. */
void clew_report_violation(const struct clew_model *model, const struct clew_violation *violation,
                           struct clew_text *out);

/* The result as one JSON object with the keys of the manual. */
void clew_report_json(const struct clew_run_info *info, const struct clew_result *result,
                      const char *store_json, struct clew_text *out);
/* The levels and the locality of a breadth-first search as an SVG chart; says so when the search
 * was not complete. */
void clew_report_plot(const struct clew_run_info *info, const struct clew_result *result,
                      struct clew_text *out);
/* Prints the sink's diagnostics to `err`, then "N errors" when there are several. */
void clew_report_diagnostics(FILE *err, const struct clew_diag_sink *diags);

#endif
