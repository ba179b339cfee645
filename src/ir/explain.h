/* Explanations: why a run-time error happened, or why a label has its value, with the values that
 * decided it. The interpreter executes once more and tells what it sees; nothing else changes. */
#ifndef CLEW_IR_EXPLAIN_H
#define CLEW_IR_EXPLAIN_H

#include "base/text.h"
#include "ir/ir.h"
#include "model/model.h"

/* As clew_model.explain; the state is one of the program. */
void clew_explain(const struct clew_program *program, const struct clew_occasion *occasion,
                  struct clew_text *out);

#endif
