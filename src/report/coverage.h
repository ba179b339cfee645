/* Coverage: what of a model a search has met. Rules that never fired, values that were never taken
 * and invariants that nothing ever tested point at mistakes that no verdict shows.
 *
 * Nothing is claimed that was not looked at: each part says whether it is known, and a search that
 * is not complete knows none of them. */
#ifndef CLEW_REPORT_COVERAGE_H
#define CLEW_REPORT_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum { CLEW_COVERAGE_VALUES = 64 }; /* larger domains are not looked at */

/* Zeroed: nothing is known. */
struct clew_coverage {
  uint64_t *fired;    /* by rule: transitions; owned; NULL: not known */
  bool has_values;    /* every state was looked at, for values and premises */
  uint64_t *taken;    /* by slot: bit set of values - lo; owned */
  uint64_t *tested;   /* bit set of properties whose right side decided in some state; owned */
  uint64_t discarded; /* transitions and starts that an assumption has discarded */
  const char *why;    /* values are not known; static */
};

void clew_coverage_free(struct clew_coverage *coverage);

/* One thing that is worth a look: "rule "leave" never fired". */
struct clew_remark {
  const char *kind; /* "rule", "value", "invariant", "variable", "unused": for JSON */
  struct clew_text text;
  uint32_t line; /* 0: none */
  const char *name;
};

struct clew_remarks { /* a CLEW_VEC */
  struct clew_remark *data;
  uint32_t len, cap;
};

/* All remarks about a model, in the order of kinds and lines. */
void clew_coverage_remark(const struct clew_model *model, const struct clew_coverage *coverage,
                          struct clew_remarks *out);
void clew_remarks_free(struct clew_remarks *remarks);

#endif
