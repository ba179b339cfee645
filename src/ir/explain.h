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

/* As clew_model.tests. */
bool clew_explain_tests(const struct clew_program *program, uint32_t label, const uint64_t *state);
/* As clew_model.print_sent. */
void clew_explain_sent(const struct clew_program *program, const uint64_t *state, uint32_t edge,
                       struct clew_text *out);

#endif
