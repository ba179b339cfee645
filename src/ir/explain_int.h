/* Private to the interpreter and to explain.c: what the interpreter tells while it executes for an
 * explanation. All of it is about the first fault, and is called just before that is pending. */
#ifndef CLEW_IR_EXPLAIN_INT_H
#define CLEW_IR_EXPLAIN_INT_H

#include "ir/interp_int.h"

struct clew_explainer {
  struct clew_text *out;
  const struct clew_frame *frame; /* of the rule or label, whose variables have names */
  const int64_t *cells;           /* of that frame */
};

/* The value does not fit into the cell: the error of this site. */
void clew_explain_range(struct clew_interp *in, struct clew_spot spot, const struct clew_type *type,
                        int64_t value, uint32_t site);
void clew_explain_index(struct clew_interp *in, const struct clew_index *index, int64_t value);
void clew_explain_arithmetic(struct clew_interp *in, const struct clew_expr *expr, int64_t a,
                             int64_t b);
void clew_explain_undefined(struct clew_interp *in, const struct clew_place *place);
/* A function ended without a result; `cells` are those of its frame, the arguments first. */
void clew_explain_no_result(struct clew_interp *in, const struct clew_function *function,
                            const int64_t *cells);
/* The condition of an assertion is false. */
void clew_explain_false(struct clew_interp *in, const struct clew_expr *expr);

/* Whether somebody listens, and the first fault has not happened yet. */
static inline bool clew_explains(const struct clew_interp *in) {
  return __builtin_expect(in->explainer != NULL, 0) && in->pending == CLEW_NONE;
}

#endif
