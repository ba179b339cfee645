/* Models over models. A reduction, a product, another semantics: each is a model that is defined by
 * another one, so that engines, traces and stores need not know of it.
 *
 * A wrapper begins with clew_model_over, which answers everything as the model below does, and then
 * replaces the facts and operations in which it differs. An operation that is only handed on costs
 * a load and a jump. */
#ifndef CLEW_MODEL_OVER_H
#define CLEW_MODEL_OVER_H

#include "model/model.h"

/* A model that does what `under` does, which it borrows. To be set: `impl`, `close` and `lower`. */
struct clew_model clew_model_over(const struct clew_model *under);
/* The same for what it says about clocks; for the field `timed` of a model over another one. */
struct clew_timed clew_timed_over(const struct clew_timed *under);

#endif
