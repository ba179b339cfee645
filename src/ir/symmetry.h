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
/* The same for the discrete part of states alone: signals are left out, and so are their words. */
struct clew_symmetry *clew_symmetry_open_discrete(const struct clew_program *program,
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

/* Where renaming takes a slot, of a signal or another variable: the elements among the indices that
 * lead to it, and how many slots further the next element of each of these sets is. */
struct clew_symmetry_slot {
  uint32_t count;
  uint8_t element[CLEW_CANON_DIMS];
  uint32_t stride[CLEW_CANON_DIMS];
};
void clew_symmetry_find_slot(const struct clew_symmetry *symmetry, uint32_t slot,
                             struct clew_symmetry_slot *out);

/* All renamings that lead to the representative, up to twins: elements whose swapping leaves the
 * state as it is. */
struct clew_renaming {
  const uint8_t *to;   /* by element */
  const uint8_t *twin; /* by element: the first one of its twins */
};
/* Replaces a state by the representative of its orbit, and tells by which renamings; is_first:
 * those told before lead elsewhere. Thread-safe. */
struct clew_renaming_teller {
  void (*tell)(void *context, const struct clew_renaming *renaming, bool is_first);
  void *context;
};
void clew_symmetry_resolve(const struct clew_symmetry *symmetry, uint64_t *state,
                           const struct clew_renaming_teller *teller);

/* For tests and experiments, by brute force: all renamings (products of permutations of the sets;
 * element_count entries each), at most `room` of them, 0 when there are more; and
 * state := state with the elements renamed by `to`. */
uint32_t clew_symmetry_renamings(const struct clew_symmetry *symmetry,
                                 uint8_t (*list)[CLEW_CANON_ELEMENTS], uint32_t room);
void clew_symmetry_permute(const struct clew_symmetry *symmetry, const uint8_t *to,
                           uint64_t *state);

#endif
