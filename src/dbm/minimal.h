/* The minimal form of a zone: the fewest constraints that imply all others (Larsen, Larsson,
 * Pettersson and Yi 1997), usually between n and 2n of the n * n entries.
 *
 * It is canonical: equal zones have the same packed bytes. */
#ifndef CLEW_DBM_MINIMAL_H
#define CLEW_DBM_MINIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "dbm/dbm.h"

struct clew_dbm_constraint {
  uint32_t i, j;
  clew_bound bound; /* of x_i - x_j; finite */
};

/* The constraints, in order of i and j, into `out`, which has room for dim * dim; returns how many.
 * That no clock is negative goes without saying. */
uint32_t clew_dbm_minimise(const struct clew_dbm_space *space, const void *zone,
                           struct clew_dbm_constraint *out);

/* The most bytes that a packed zone of the space takes. */
size_t clew_dbm_packed_most(const struct clew_dbm_space *space);
/* Writes the minimal form and returns how many bytes it takes. `scratch` is as for minimise. */
size_t clew_dbm_pack(const struct clew_dbm_space *space, const void *zone,
                     struct clew_dbm_constraint *scratch, unsigned char *out);
/* The zone again, in cubic time. */
void clew_dbm_unpack(const struct clew_dbm_space *space, const unsigned char *packed, void *zone);
/* Whether the packed zone contains all of `part`: one look for each constraint. */
bool clew_dbm_packed_includes(const struct clew_dbm_space *space, const unsigned char *packed,
                              const void *part);

/* Appends "x <= 3, x - y < 2" without what follows from the rest; "true" for all valuations.
 * clock_names[0] is not used. */
void clew_dbm_print(const struct clew_dbm_space *space, const void *zone,
                    const char *const *clock_names, struct clew_text *out);

#endif
