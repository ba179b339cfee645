/* Figures with names, of a store or of whatever else counts: typed values that reports show in
 * their own form. Names are those of JSON keys and are documented in docs/manual.md. */
#ifndef CLEW_BASE_COUNTERS_H
#define CLEW_BASE_COUNTERS_H

#include <stdint.h>

#include "base/vec.h"

enum clew_counter_kind { CLEW_COUNTER_COUNT, CLEW_COUNTER_REAL, CLEW_COUNTER_TEXT };

struct clew_counter {
  const char *name; /* static */
  enum clew_counter_kind kind;
  uint64_t count;
  double real;
  const char *text; /* static */
};

/* Zeroed: none. In the order in which they were added; each name once. */
struct clew_counters {
  CLEW_VEC(struct clew_counter) list;
};

void clew_counters_free(struct clew_counters *counters);
void clew_counters_count(struct clew_counters *counters, const char *name, uint64_t value);
void clew_counters_real(struct clew_counters *counters, const char *name, double value);
void clew_counters_text(struct clew_counters *counters, const char *name, const char *value);
/* NULL when there is none of that name. */
const struct clew_counter *clew_counters_find(const struct clew_counters *counters,
                                              const char *name);

#endif
