/* Private to src/ir: what the files of the IR core share. */
#ifndef CLEW_IR_IR_INT_H
#define CLEW_IR_IR_INT_H

#include "ir/ir.h"

/* The type of a bag's presence cells: 0 or 1, never undefined. */
const struct clew_type *clew_type_presence(void);
uint64_t clew_domain_size(const struct clew_domain *domain);
bool clew_domain_same(const struct clew_domain *a, const struct clew_domain *b);

/* How many cells after its base a place reaches, whatever its indices are. */
uint64_t clew_place_extent(const struct clew_place *place);

/* The types alone show that the value may go into a cell of this type without a check. */
bool clew_expr_fits(const struct clew_expr *value, const struct clew_type *type);

/* An operator as it is written in texts for people. */
const char *clew_op_word(enum clew_op op);

/* A set of strings with a number each; keys are copied into the arena. */
struct clew_names;
struct clew_names *clew_names_open(void);
void clew_names_close(struct clew_names *names); /* NULL is fine */
/* The number of the key, which is 0 when it was not in the set before. Valid until the next call.
 */
uint32_t *clew_names_at(struct clew_names *names, struct clew_arena *arena, const char *key);

/* The expressions built so far, to share equal ones. */
struct clew_expr_table;
struct clew_expr_table *clew_expr_table_open(void);
void clew_expr_table_close(struct clew_expr_table *table); /* NULL is fine */
/* What tells shared expressions apart. */
struct clew_expr_key {
  uint32_t kind; /* | operator << 16 */
  uint32_t site;
  uint64_t x, y; /* what the kind says */
};
/* NULL when there is none yet. */
const struct clew_expr *clew_expr_find(const struct clew_program *program,
                                       struct clew_expr_key key);
/* The expression with this key: a copy of `expr`, numbered, if it is the first. */
const struct clew_expr *clew_expr_share(struct clew_program *program, struct clew_expr_key key,
                                        const struct clew_expr *expr);
/* A numbered copy that nobody else gets. */
const struct clew_expr *clew_expr_keep(struct clew_program *program, const struct clew_expr *expr);

/* Lays out the slots and finds the bags; CLEW_OVER_LIMIT is reported. */
enum clew_status clew_layout(struct clew_program *program, struct clew_diag_sink *diags);
/* No slot straddles a word or overlaps another. */
bool clew_layout_check(const struct clew_program *program);

/* Prepares the families and priorities for the interpreter; the slots are laid out. */
void clew_interp_plan(struct clew_program *program);

/* Whether one of its indices may be outside. */
bool clew_place_may_fault(const struct clew_place *place);

/* Decides which loops and functions poll, and adds the site of evaluations that were stopped. */
void clew_program_place_polls(struct clew_program *program);

/* The variable that holds the cell, or NULL. */
const struct clew_variable *clew_variable_at(const struct clew_variable *variables, uint32_t count,
                                             uint32_t cell);

#endif
