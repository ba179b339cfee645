/* Symmetry reduction: the tables of ir/canon_rt.h for a program, and canonical forms by them. */
#ifndef CLEW_IR_SYMMETRY_H
#define CLEW_IR_SYMMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "ir/canon_rt.h"
#include "ir/ir.h"

struct clew_symmetry;

/* NULL when there is nothing to permute: no scalarset that is not asymmetric has two members (*why
 * is NULL then), or the program is beyond what the tables can hold (*why says what, for a notice).
 * `fast`: canonical forms need not be unique. */
struct clew_symmetry *clew_symmetry_open(const struct clew_program *program, bool fast,
                                         const char **why);
void clew_symmetry_close(struct clew_symmetry *symmetry); /* NULL is fine */
const struct clew_program *clew_symmetry_program(const struct clew_symmetry *symmetry);
/* Which scalarsets are not used, and why; nothing when all are. `why` is what opening said. */
void clew_symmetry_describe(const struct clew_program *program, const char *why,
                            struct clew_text *out);
const struct clew_canon *clew_symmetry_tables(const struct clew_symmetry *symmetry);

/* Replaces each of `count` states by the representative of its orbit. `parent` is a representative
 * or NULL: states that are the same as it are found quickly. Thread-safe. */
void clew_symmetry_canonicalise(const struct clew_symmetry *symmetry, const uint64_t *parent,
                                uint64_t *states, uint32_t count);

/* For tests and experiments, by brute force: all renamings (products of permutations of the sets;
 * element_count entries each), at most `room` of them, 0 when there are more; and
 * state := state with the elements renamed by `to`. */
uint32_t clew_symmetry_renamings(const struct clew_symmetry *symmetry,
                                 uint8_t (*list)[CLEW_CANON_ELEMENTS], uint32_t room);
void clew_symmetry_permute(const struct clew_symmetry *symmetry, const uint8_t *to,
                           uint64_t *state);

#endif
