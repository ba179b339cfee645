/* Which values variables and clocks can have: by intervals, and for clocks that are integers up to
 * which number they count. */
#ifndef CLEW_LANG_UPPAAL_BOUNDS_H
#define CLEW_LANG_UPPAAL_BOUNDS_H

#include "lang/uppaal/lower.h"

/* ---- values.c ------------------------------------------------------------------------------- */

/* The values that the cells of the program can have, when everything is lowered. */
struct uppaal_values *clew_uppaal_find_values(struct uppaal_lowering *l);
/* The values of an expression; those of its range at most. */
void clew_uppaal_values_of(struct uppaal_values *v, const struct clew_frame *frame,
                           const struct clew_expr *expr, int64_t *lo, int64_t *hi);
/* The greatest value of a slot, which is `most` at most. */
int64_t clew_uppaal_most_of(const struct uppaal_values *v, uint32_t slot, int64_t most);

/* ---- bounds.c ------------------------------------------------------------------------------- */

/* Every clock that the place can denote is compared with numbers up to `most`, at the current
 * location, or set to one. */
void clew_uppaal_note_bound(struct uppaal_lowering *l, const struct clew_place *place,
                            int64_t most);
/* Finds out which clocks the step sets. */
void clew_uppaal_find_resets(struct uppaal_lowering *l, struct uppaal_step *step);
/* The end of the first pass. */
struct uppaal_bounds *clew_uppaal_find_bounds(struct uppaal_lowering *l);
/* The greatest value of a clock at this slot. */
int64_t clew_uppaal_clock_top(const struct uppaal_lowering *l, uint32_t slot);
/* Gives the clocks their tops, once there are processes. */
void clew_uppaal_find_tops(struct uppaal_lowering *l);
/* The top of a clock in the current locations; those of processes in `known` have just made these
 * steps. */
const struct clew_expr *clew_uppaal_lower_top(struct uppaal_lowering *l,
                                              const struct uppaal_clock *clock,
                                              const struct uppaal_step *const *known,
                                              uint32_t known_count);
/* After these steps, of which the first `known_count` were made and the others may have been:
 * clocks above their tops go back to them. All of them, or those whose top may have changed. */
void clew_uppaal_settle(struct uppaal_lowering *l, const struct uppaal_step *const *steps,
                        uint32_t step_count, uint32_t known_count, bool all, struct clew_list *out);

#endif
