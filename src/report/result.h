/* The result of a search: an answer, its scope, and the figures that go with it. Engines fill it
 * in, outputs show it. */
#ifndef CLEW_REPORT_RESULT_H
#define CLEW_REPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/counters.h"
#include "base/status.h"
#include "base/vec.h"
#include "model/model.h"
#include "prop/outcome.h"
#include "prop/verdict.h"
#include "report/coverage.h"
#include "report/history.h"
#include "report/locality.h"
#include "report/walked.h"
#include "trace/trace.h"

#define CLEW_ABSENT UINT64_MAX

#define CLEW_STAT_count(name) uint64_t name;
#define CLEW_STAT_natural(name)                                                                    \
  uint64_t name;                                                                                   \
  char *name##_text; /* owned; NULL: the count is exact */
#define CLEW_STAT_real(name) double name;
/* The answer to a question for numbers. */
struct clew_measurement {
  uint32_t property;
  const struct clew_measure *measure; /* the model's */
  struct clew_measured values;        /* of the states seen */
};

/* The search went on with another store. */
struct clew_conversion {
  const char *from, *to; /* static: names of stores */
  uint64_t states;       /* that there were */
};

/* One exploration of the model, for some of its properties. */
struct clew_exploration {
  uint64_t *asked;           /* bit set of properties; owned */
  const char *extrapolation; /* of timed models; borrowed, as the notice is; may be NULL */
  const char *notice;
  bool complete;
  uint64_t states, transitions, zones, zones_expanded; /* as in the result */
};

struct clew_result {
  enum clew_verdict verdict;
  enum clew_exit exit_code;
  enum clew_stop stop;
  const char *chosen; /* the search auto: the engine that has the answer; else NULL */
  char *chosen_why;   /* owned */
  uint32_t stop_site; /* CLEW_STOP_CALLS: a site where that happened; otherwise CLEW_NONE */
  struct clew_scope scope;
  struct clew_outcomes outcomes; /* owned */
  bool forgets; /* the store may call a state new again: figures count visits, not states */
  bool compiler_deferred; /* it was not started, as it takes more memory than is allowed */
  bool trace_lost;        /* there is a violation whose path cannot be read back */
  bool has_trace;
  struct clew_trace trace; /* of the first violation; owned */
  CLEW_VEC(struct clew_measurement) measurements;
  CLEW_VEC(struct clew_exploration) explorations; /* in their order */
  uint32_t figures_of; /* the first of them that is complete, or else the first: all figures here */
  CLEW_VEC(uint64_t) level_sizes;               /* breadth-first; the last may be unfinished */
  CLEW_VEC(uint64_t) level_transitions;         /* of the states of each level that is done */
  uint64_t out_degree_min, out_degree_max;      /* over expanded states; ABSENT before the first */
  bool has_locality;                            /* `stats`, where the engine knows levels */
  struct clew_locality locality;                /* owned */
  CLEW_VEC(struct clew_trace) more_traces;      /* of further violations (--all); owned */
  struct clew_coverage coverage;                /* owned */
  struct clew_counters counters;                /* of the store; owned */
  struct clew_history history;                  /* where somebody asked for it; owned */
  CLEW_VEC(struct clew_conversion) conversions; /* of the store, in order */
  const struct clew_walk_figures *walks;        /* of walks; borrowed; NULL: a search */
#define CLEW_STAT(type, name, help) CLEW_STAT_##type(name)
#include "report/statistics.def"
#undef CLEW_STAT
};

void clew_result_init(struct clew_result *result); /* all absent, verdict INCOMPLETE */
void clew_result_free(struct clew_result *result);
/* Transitions of a state, on average; NaN where not every state was expanded, or there is none. */
double clew_result_mean_degree(const struct clew_result *result);
/* The trace that shows the violation of this property, or NULL. */
const struct clew_trace *clew_result_trace_of(const struct clew_result *result, uint32_t property);
/* Calls back for each statistic that is present, in the order of statistics.def. */
struct clew_statistic {
  const char *name, *help;
  bool is_real;
  uint64_t count;
  const char *text; /* the exact number where the count is not; NULL otherwise */
  double real;
};
void clew_result_each_statistic(const struct clew_result *result,
                                void (*visit)(void *context, const struct clew_statistic *stat),
                                void *context);

#endif
