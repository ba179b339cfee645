/* Federations: finite unions of zones, for sets that are not convex.
 *
 * A federation owns its zones, which need not be disjoint; none of them is empty. One without zones
 * is the empty set. Its memory is small and comes from base/alloc.h. */
#ifndef CLEW_DBM_FED_H
#define CLEW_DBM_FED_H

#include "dbm/dbm.h"

struct clew_fed {
  const struct clew_dbm_space *space; /* borrowed */
  unsigned char *zones;
  uint32_t count, capacity;
};

void clew_fed_open(struct clew_fed *fed, const struct clew_dbm_space *space); /* empty */
void clew_fed_close(struct clew_fed *fed);
void clew_fed_clear(struct clew_fed *fed);
static inline void *clew_fed_zone(const struct clew_fed *fed, uint32_t i) {
  assert(i < fed->count);
  return fed->zones + i * fed->space->bytes;
}

/* Adds a copy of the zone, or of all zones of the other one. */
void clew_fed_add(struct clew_fed *fed, const void *zone);
void clew_fed_add_all(struct clew_fed *fed, const struct clew_fed *other);
/* Adds what is in `zone` and not in `other`, in pieces that are disjoint. */
void clew_fed_add_difference(struct clew_fed *fed, const void *zone, const void *other);

void clew_fed_subtract(struct clew_fed *fed, const void *zone);
void clew_fed_subtract_all(struct clew_fed *fed, const struct clew_fed *other);
void clew_fed_intersect(struct clew_fed *fed, const void *zone);
void clew_fed_down(struct clew_fed *fed);
/* Valuations from which time can pass until one of `good`, without being in `bad` before or then
 * (Cassez, David, Fleury, Larsen and Lime 2005). Added to `out`. */
void clew_fed_add_predt(struct clew_fed *out, const struct clew_fed *good,
                        const struct clew_fed *bad);

/* Drops zones within others, and joins two zones whose union is one. The set stays the same. */
void clew_fed_reduce(struct clew_fed *fed);

/* Whether all of the zone is in the federation. */
bool clew_fed_includes(const struct clew_fed *fed, const void *zone);
bool clew_fed_equal(const struct clew_fed *a, const struct clew_fed *b); /* as sets */
bool clew_fed_contains(const struct clew_fed *fed, const int32_t *values, int32_t scale);
bool clew_fed_validate(const struct clew_fed *fed, const char **why);

/* Whether the union of both zones is a zone; `out` is that zone then, else unspecified. */
bool clew_dbm_convex_union(const struct clew_dbm_space *space, void *out, const void *a,
                           const void *b);

#endif
