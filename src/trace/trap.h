/* Where a liveness counterexample is trapped: the states that can be reached from its last one. */
#ifndef CLEW_TRACE_TRAP_H
#define CLEW_TRACE_TRAP_H

#include "trace/trace.h"

enum { CLEW_TRAP_STATES = 10000 }; /* that are looked at for people */

struct clew_trap {
  uint64_t states; /* that can be reached, the last state of the trace among them */
  bool is_whole;   /* all of them were looked at */
  bool escapes;    /* the label holds in one of them */
  uint32_t stuck;  /* of them, those where nothing can happen */
  uint64_t *rules; /* bit set: rules that fire there; owned; NULL where rules are not known */
};

/* Looks at up to `most` states, by the model that counterexamples are replayed in. */
void clew_trap_explore(const struct clew_model *model, const uint64_t *state, uint32_t label,
                       uint64_t most, struct clew_trap *trap);
void clew_trap_free(struct clew_trap *trap);
/* Lines about it, for people. */
void clew_trap_print(const struct clew_model *model, const struct clew_trap *trap,
                     const char *label, const char *indent, struct clew_text *out);

#endif
