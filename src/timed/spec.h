/* The specification of a timed model as text: for people who write front ends, and for tests. */
#ifndef CLEW_TIMED_SPEC_H
#define CLEW_TIMED_SPEC_H

#include "base/text.h"
#include "timed/timed.h"

/* One line per rule with constraints, location of which something is said, query and disjunct.
 * Clocks have their names, slots those of the program. */
void clew_timed_spec_dump(const struct clew_timed_spec *spec, const struct clew_program *program,
                          struct clew_text *out);
/* The same without queries. */
void clew_timed_spec_dump_graph(const struct clew_timed_spec *spec,
                                const struct clew_program *program, struct clew_text *out);

#endif
