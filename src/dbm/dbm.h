/* Zones: sets of clock valuations given by bounds on clocks and on differences of two clocks, as
 * difference bound matrices (Dill 1989; Bengtsson and Yi 2004).
 *
 * A space has `dim` clocks, of which clock 0 is always zero. Entry (i, j) of a zone bounds
 * x_i - x_j from above, so (i, 0) is an upper bound of a clock and (0, j) minus a lower one. A zone
 * is a block of memory of space->bytes, aligned to 16 bytes, that its owner provides; nothing here
 * allocates.
 *
 * Invariant (clew_dbm_validate): a zone is not empty and *closed*: every entry is the tightest that
 * the others imply. The diagonal is <= 0, and no clock is negative. So equal sets are equal
 * memory, and inclusion compares entry by entry. Operations keep that; those that can make a zone
 * empty return false then, and the zone must not be used any more.
 *
 * Width. Entries have 16 bits when the constants allow it, else 32. A path without cycles through
 * the graph of constraints has less than dim edges, so with constants of at most `largest` no entry
 * exceeds dim * largest, as long as zones are extrapolated once per transition (dbm.c has the
 * limits). Without extrapolation entries grow: clew_dbm_is_safe says whether another transition
 * still fits.
 *
 * The coarser extrapolations (plus) leave no lower bound of a clock above its upper constant U, and
 * entry (i, j) of a closed zone is never below entry (0, j). So entries are at least -2 U, and
 * during the next transition at least a small multiple of it. An entry above is a bound of a
 * difference that no constant is compared with; where it would not fit it is infinite, as the
 * extrapolation will make it anyway. Hence clew_dbm_space_init_plus may take 16 bits more often. */
#ifndef CLEW_DBM_DBM_H
#define CLEW_DBM_DBM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbm/bound.h"

struct clew_dbm_ops;

struct clew_dbm_space {
  const struct clew_dbm_ops *ops;
  uint32_t dim;         /* clocks, with clock 0: at least 1 */
  uint32_t stride;      /* entries per row; those from dim on are infinite */
  uint32_t entry_bytes; /* 2 or 4 */
  size_t bytes;         /* of a zone */
  int32_t safe;         /* the largest constant in a zone that one more transition can bear */
  int32_t largest;      /* constant of guards, invariants, assignments and extrapolation */
};

enum { CLEW_DBM_MOST_CLOCKS = 1 << 12, CLEW_DBM_ALIGNMENT = 16 };

/* For L and U: the clock is not compared with anything in this direction. */
#define CLEW_DBM_NO_CONSTANT INT32_MIN

/* False when constants of this size and so many clocks do not fit in 32 bits either. */
bool clew_dbm_space_init(struct clew_dbm_space *space, uint32_t dim, int32_t largest);
/* The same where every transition ends with a coarser extrapolation. */
bool clew_dbm_space_init_plus(struct clew_dbm_space *space, uint32_t dim, int32_t largest);

/* ---- whole zones ---- */

struct clew_dbm_ops {
  void (*zero)(const struct clew_dbm_space *space, void *zone);
  void (*universe)(const struct clew_dbm_space *space, void *zone);
  void (*read_rows)(const struct clew_dbm_space *space, void *zone, const void *rows);
  clew_bound (*get)(const struct clew_dbm_space *space, const void *zone, uint32_t i, uint32_t j);
  void (*set)(const struct clew_dbm_space *space, void *zone, uint32_t i, uint32_t j,
              clew_bound bound);
  bool (*close)(const struct clew_dbm_space *space, void *zone);
  bool (*may_constrain)(const struct clew_dbm_space *space, const void *zone, uint32_t i,
                        uint32_t j, clew_bound bound);
  bool (*constrain)(const struct clew_dbm_space *space, void *zone, uint32_t i, uint32_t j,
                    clew_bound bound);
  bool (*cap)(const struct clew_dbm_space *space, void *zone, const clew_bound *caps);
  bool (*intersect)(const struct clew_dbm_space *space, void *zone, const void *other);
  void (*up)(const struct clew_dbm_space *space, void *zone, const uint64_t *stopped);
  void (*down)(const struct clew_dbm_space *space, void *zone);
  void (*assign)(const struct clew_dbm_space *space, void *zone, uint32_t clock, int32_t value);
  void (*copy_clock)(const struct clew_dbm_space *space, void *zone, uint32_t to, uint32_t from);
  void (*shift)(const struct clew_dbm_space *space, void *zone, uint32_t clock, int32_t by);
  void (*free_clock)(const struct clew_dbm_space *space, void *zone, uint32_t clock);
  bool (*includes)(const struct clew_dbm_space *space, const void *zone, const void *part);
  bool (*extrapolate)(const struct clew_dbm_space *space, void *zone, const int32_t *lower,
                      const int32_t *upper, bool plus);
  bool (*alu_includes)(const struct clew_dbm_space *space, const void *zone, const void *part,
                       const int32_t *lower, const int32_t *upper);
  void (*hull)(const struct clew_dbm_space *space, void *zone, const void *other);
  bool (*is_safe)(const struct clew_dbm_space *space, const void *zone);
  bool (*is_unbounded)(const struct clew_dbm_space *space, const void *zone);
};

/* All clocks are zero. */
static inline void clew_dbm_zero(const struct clew_dbm_space *space, void *zone) {
  space->ops->zero(space, zone);
}
/* Every valuation. */
static inline void clew_dbm_universe(const struct clew_dbm_space *space, void *zone) {
  space->ops->universe(space, zone);
}
/* The zone with these entries, row by row, without the padding of rows. */
static inline void clew_dbm_read_rows(const struct clew_dbm_space *space, void *zone,
                                      const void *rows) {
  space->ops->read_rows(space, zone, rows);
}
void clew_dbm_copy(const struct clew_dbm_space *space, void *to, const void *from);
bool clew_dbm_equal(const struct clew_dbm_space *space, const void *a, const void *b);
uint64_t clew_dbm_hash(const struct clew_dbm_space *space, const void *zone, uint64_t seed);

/* The bound of x_i - x_j. */
static inline clew_bound clew_dbm_get(const struct clew_dbm_space *space, const void *zone,
                                      uint32_t i, uint32_t j) {
  return space->ops->get(space, zone, i, j);
}
/* Only together with clew_dbm_close: the zone need not be closed in between. */
static inline void clew_dbm_set(const struct clew_dbm_space *space, void *zone, uint32_t i,
                                uint32_t j, clew_bound bound) {
  space->ops->set(space, zone, i, j, bound);
}
/* Tightens all entries, in cubic time; false when the zone is empty. */
static inline bool clew_dbm_close(const struct clew_dbm_space *space, void *zone) {
  return space->ops->close(space, zone);
}

/* ---- operations; quadratic at most ---- */

/* Whether some valuation satisfies x_i - x_j < or <= the bound: one look at the zone. */
static inline bool clew_dbm_may_constrain(const struct clew_dbm_space *space, const void *zone,
                                          uint32_t i, uint32_t j, clew_bound bound) {
  return space->ops->may_constrain(space, zone, i, j, bound);
}
/* Leaves those that do; false when there is none. */
static inline bool clew_dbm_constrain(const struct clew_dbm_space *space, void *zone, uint32_t i,
                                      uint32_t j, clew_bound bound) {
  return space->ops->constrain(space, zone, i, j, bound);
}
/* Leaves those in which every clock i from 1 on is below (or at most) caps[i], which may be
 * infinite; false when there is none. */
static inline bool clew_dbm_cap(const struct clew_dbm_space *space, void *zone,
                                const clew_bound *caps) {
  return space->ops->cap(space, zone, caps);
}
/* Leaves what is in the other one, too (cubic); false when that is nothing. */
static inline bool clew_dbm_intersect(const struct clew_dbm_space *space, void *zone,
                                      const void *other) {
  return space->ops->intersect(space, zone, other);
}
/* Lets time pass. Clocks in the bit set `stopped` (NULL: none) stand still. Then the zone is the
 * least one that contains all valuations that are reached, and may contain others. */
static inline void clew_dbm_up(const struct clew_dbm_space *space, void *zone,
                               const uint64_t *stopped) {
  space->ops->up(space, zone, stopped);
}
/* All valuations from which time can pass until one of the zone. */
static inline void clew_dbm_down(const struct clew_dbm_space *space, void *zone) {
  space->ops->down(space, zone);
}
/* clock := value, which is not negative. */
static inline void clew_dbm_assign(const struct clew_dbm_space *space, void *zone, uint32_t clock,
                                   int32_t value) {
  space->ops->assign(space, zone, clock, value);
}
static inline void clew_dbm_copy_clock(const struct clew_dbm_space *space, void *zone, uint32_t to,
                                       uint32_t from) {
  space->ops->copy_clock(space, zone, to, from);
}
/* clock := clock + by; no valuation of the zone gets negative by it. */
static inline void clew_dbm_shift(const struct clew_dbm_space *space, void *zone, uint32_t clock,
                                  int32_t by) {
  space->ops->shift(space, zone, clock, by);
}
/* The clock may have any value that is not negative. */
static inline void clew_dbm_free_clock(const struct clew_dbm_space *space, void *zone,
                                       uint32_t clock) {
  space->ops->free_clock(space, zone, clock);
}
/* Whether `zone` contains all of `part`. */
static inline bool clew_dbm_includes(const struct clew_dbm_space *space, const void *zone,
                                     const void *part) {
  return space->ops->includes(space, zone, part);
}

/* ---- abstractions (Behrmann, Bouyer, Larsen and Pelanek 2006) ---- */

/* Extra_LU, or with `plus` Extra+_LU: forgets what no guard can tell apart. lower[i] and upper[i]
 * are the largest constants that clock i is compared with from below (x > c, x >= c) and from
 * above; both have dim entries, of which the first is not looked at. With the same array for both
 * it is Extra_M and Extra+_M. Not for zones of models with guards over differences of clocks. False
 * when nothing changed. */
static inline bool clew_dbm_extrapolate(const struct clew_dbm_space *space, void *zone,
                                        const int32_t *lower, const int32_t *upper, bool plus) {
  return space->ops->extrapolate(space, zone, lower, upper, plus);
}
/* Whether all of `part` is in the abstraction a_LU of `zone` (Herbreteau, Srivathsan and
 * Walukiewicz 2012), which is no zone. */
static inline bool clew_dbm_alu_includes(const struct clew_dbm_space *space, const void *zone,
                                         const void *part, const int32_t *lower,
                                         const int32_t *upper) {
  return space->ops->alu_includes(space, zone, part, lower, upper);
}
/* The least zone that contains both. */
static inline void clew_dbm_hull(const struct clew_dbm_space *space, void *zone,
                                 const void *other) {
  space->ops->hull(space, zone, other);
}

/* ---- questions ---- */

/* Whether the entries are small enough for another transition. Always, where zones are
 * extrapolated. */
static inline bool clew_dbm_is_safe(const struct clew_dbm_space *space, const void *zone) {
  return space->ops->is_safe(space, zone);
}
/* Whether time can pass forever without leaving the zone. */
static inline bool clew_dbm_is_unbounded(const struct clew_dbm_space *space, const void *zone) {
  return space->ops->is_unbounded(space, zone);
}
/* Whether the valuation is in the zone: values[i] / scale is the value of clock i, values[0] is 0.
 * The scale is positive and small. */
bool clew_dbm_contains(const struct clew_dbm_space *space, const void *zone, const int32_t *values,
                       int32_t scale);
bool clew_dbm_validate(const struct clew_dbm_space *space, const void *zone, const char **why);

#endif
