/* Engines: explore a model with a store, check properties, fill in a result.
 *
 * Adding an engine: one file that defines a `const struct clew_engine_type`, one line in the
 * registry (cli/registry.c). An engine reads nothing but its struct clew_search. */
#ifndef CLEW_SEARCH_ENGINE_H
#define CLEW_SEARCH_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/diag.h"
#include "base/file.h"
#include "model/model.h"
#include "report/report.h"
#include "report/result.h"
#include "store/store.h"
#include "trace/log.h"

struct clew_limits {
  uint64_t max_states; /* CLEW_ABSENT: none */
  uint64_t max_depth;
  double max_time_s; /* infinity: none */
};

struct clew_search {
  const struct clew_model *model;
  struct clew_store *store;
  struct clew_log *log;
  struct clew_budget *budget;
  struct clew_scratch *scratch; /* where a queue goes that outgrows its share of the budget */
  struct clew_reporter *reporter;
  struct clew_limits limits;
  const uint64_t *enabled; /* bit set over the model's properties */
  bool stop_at_violation;  /* false for `stats`: errors are counted, the search goes on */
  bool measures_locality;  /* `stats`: how far transitions lead */
  uint32_t frontier_block; /* states read back at once by a search whose queue holds ids; 0: one */
  uint32_t precision;      /* depth-first: length of the chain that confirms a hit (POD) */
  uint32_t threads;
  double started_s;               /* of the whole run, clew_clock_wall_s */
  const atomic_bool *interrupted; /* set by a signal handler */
  struct clew_diag_sink *diags;   /* explanations, e.g. why the disk failed */
};

struct clew_engine_type {
  const char *name, *help;
  unsigned store_capabilities; /* needed */
  unsigned property_kinds;     /* bit set over enum clew_property_kind that it can decide */
  /* Fills in counts, levels, violations, trace, stop and complete; the caller concludes. */
  void (*run)(struct clew_search *search, struct clew_result *result);
};

extern const struct clew_engine_type clew_engine_bfs;
extern const struct clew_engine_type clew_engine_dfs;

#endif
