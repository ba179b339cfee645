/* Progress of a running search: what an engine tells, and the line that shows it. */
#ifndef CLEW_REPORT_PROGRESS_H
#define CLEW_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/forecast.h"

/* A moment of a running search. */
struct clew_progress {
  double elapsed_s;
  uint64_t states, transitions, queue;
  uint64_t level; /* or the depth of a depth-first search */
  bool is_depth;
  uint64_t memory_bytes, budget_bytes;
  bool has_forecast; /* there are levels to tell from */
  struct clew_forecast forecast;
};

/* Where progress is shown. Zeroed but for `err`: nothing was shown yet. */
struct clew_progress_line {
  FILE *err;
  bool terminal;                 /* one line that is rewritten, instead of many */
  struct clew_progress previous; /* shown last; rates are since then */
  uint32_t width;                /* of the line that is to be rewritten */
  uint32_t columns;              /* of the terminal; 0: it is asked */
};

/* Shows a moment; `line` is a struct clew_progress_line (struct clew_search, `progress`). */
void clew_progress_show(void *line, const struct clew_progress *now);
/* Removes what a terminal shows. */
void clew_progress_clear(struct clew_progress_line *line);

#endif
