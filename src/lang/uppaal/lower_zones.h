/* Lowering for zones: the specification of a timed model (timed/timed.h), which is made beside the
 * program, and up to which numbers clocks have to be known. */
#ifndef CLEW_LANG_UPPAAL_LOWER_ZONES_H
#define CLEW_LANG_UPPAAL_LOWER_ZONES_H

#include "lang/uppaal/lower.h"

/* ---- lower_timed.c -------------------------------------------------------------------------- */

/* From 1 on, of the clock at a slot; and of the last one that a place can denote. */
uint32_t clew_uppaal_clock_number(const struct uppaal_lowering *l, uint32_t slot);
uint32_t clew_uppaal_last_clock(const struct uppaal_lowering *l, const struct clew_place *place);
/* The clocks that the place can denote are set to values up to `most`. */
void clew_uppaal_note_setting(struct uppaal_lowering *l, const struct clew_place *place,
                              int64_t most);
/* The constraints of one rule: begin, put, end. The statements make the signals; the last call
 * returns what to give to the rule as its index. */
void clew_uppaal_begin_atoms(struct uppaal_lowering *l);
void clew_uppaal_put_atoms(struct uppaal_lowering *l, const struct uppaal_term *term,
                           struct clew_list *out);
/* Atoms of a group have conditions that exclude each other, and share signals. */
uint32_t clew_uppaal_begin_group(const struct uppaal_lowering *l);
void clew_uppaal_put_group_atom(struct uppaal_lowering *l, const struct uppaal_atom *atom,
                                uint32_t group, struct clew_list *out);
uint32_t clew_uppaal_end_atoms(struct uppaal_lowering *l);
/* The invariants of a process, by location; NULL: false. In the order of processes. */
void clew_uppaal_put_process(struct uppaal_lowering *l, const struct uppaal_instance *process,
                             const struct uppaal_term *const *terms);
/* A number that is asked for: that of a clock, of a difference of clocks (minus not NULL), or
 * (clock NULL) a value. Returns its number. */
uint32_t clew_uppaal_put_measure(struct uppaal_lowering *l, struct uppaal_form form,
                                 const struct clew_measure *measure, const struct clew_place *clock,
                                 const struct clew_place *minus, const struct clew_expr *value);
/* The label is false where the form is true. */
void clew_uppaal_put_query(struct uppaal_lowering *l, uint32_t label, struct uppaal_form form);
/* The runs that a PROGRESS property, that of the label, is about. */
void clew_uppaal_put_run(struct uppaal_lowering *l, uint32_t label, struct uppaal_form stay,
                         struct uppaal_form from);
void clew_uppaal_put_still(struct uppaal_lowering *l, const struct clew_expr *still);
/* Once everything is known that states have to say; and at the end of each body. */
void clew_uppaal_make_announcer(struct uppaal_lowering *l);
void clew_uppaal_announce(struct uppaal_lowering *l, struct clew_list *out);
/* When everything is lowered, before the program is finished. The names of clocks are missing. */
struct clew_timed_spec *clew_uppaal_make_spec(struct uppaal_lowering *l);
/* Whether a constraint of a rule has signals. */
bool clew_uppaal_needs_guards(const struct uppaal_lowering *l);
void clew_uppaal_timed_free(struct uppaal_lowering *l);

/* ---- where.c -------------------------------------------------------------------------------- */

/* The clock is to be known exactly up to `most` where the form is true. */
void clew_uppaal_note_measured(struct uppaal_lowering *l, struct uppaal_form form, uint32_t clock,
                               int64_t most);

/* ---- limits.c ------------------------------------------------------------------------------- */

/* The clock is to be known exactly up to `most`, in a location of a process or (CLEW_NONE,
 * UPPAAL_AT_QUERY) everywhere. */
void clew_uppaal_note_remembered(struct uppaal_lowering *l, uint32_t clock, uint32_t process,
                                 uint32_t location, int64_t most);
void clew_uppaal_note_limits(struct uppaal_lowering *l, const struct uppaal_atom *atom);
/* A constant of the model, for the width of zones. */
void clew_uppaal_note_largest(struct uppaal_lowering *l, int64_t value);
/* Fills in the limits of locations, and those of queries. */
void clew_uppaal_find_limits(struct uppaal_lowering *l);
void clew_uppaal_warn_of_arrivals(struct uppaal_lowering *l);

/* ---- fixed.c -------------------------------------------------------------------------------- */

/* Finds the slots of facts. */
void clew_uppaal_find_fixed(struct uppaal_lowering *l);

#endif
