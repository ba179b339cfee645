/* Federations of zones. Subtraction cuts along the constraints of the minimal form, so that there
 * are few pieces; what is left when all have been cut off lies in both. */
#include "dbm/fed.h"

#include <string.h>

#include "base/alloc.h"
#include "dbm/minimal.h"

void clew_fed_open(struct clew_fed *fed, const struct clew_dbm_space *space) {
  *fed = (struct clew_fed){.space = space};
}

void clew_fed_close(struct clew_fed *fed) {
  clew_free(fed->zones);
  *fed = (struct clew_fed){0};
}

void clew_fed_clear(struct clew_fed *fed) {
  fed->count = 0;
}

/* Room for one more zone at the end, which does not count yet. */
static void *next_zone(struct clew_fed *fed) {
  if (fed->count == fed->capacity) {
    fed->capacity = fed->capacity == 0 ? 4 : fed->capacity * 2;
    fed->zones = clew_realloc_array(fed->zones, fed->capacity, fed->space->bytes);
  }
  return fed->zones + fed->count * fed->space->bytes;
}

void clew_fed_add(struct clew_fed *fed, const void *zone) {
  assert(fed->zones == NULL || (const unsigned char *)zone < fed->zones ||
         (const unsigned char *)zone >= fed->zones + fed->capacity * fed->space->bytes);
  clew_dbm_copy(fed->space, next_zone(fed), zone);
  fed->count++;
}

void clew_fed_add_all(struct clew_fed *fed, const struct clew_fed *other) {
  assert(fed != other);
  for (uint32_t i = 0; i < other->count; i++) {
    clew_fed_add(fed, clew_fed_zone(other, i));
  }
}

/* The zones of the other one become this one's. */
static void take_over(struct clew_fed *fed, struct clew_fed *other) {
  clew_free(fed->zones);
  *fed = *other;
  *other = (struct clew_fed){0};
}

static bool meets(const struct clew_dbm_space *space, const void *a, const void *b, void *scratch) {
  clew_dbm_copy(space, scratch, a);
  return clew_dbm_intersect(space, scratch, b);
}

void clew_fed_add_difference(struct clew_fed *fed, const void *zone, const void *other) {
  const struct clew_dbm_space *space = fed->space;
  unsigned char *rest = clew_alloc(space->bytes);
  if (!meets(space, zone, other, rest)) {
    clew_fed_add(fed, zone);
    clew_free(rest);
    return;
  }
  struct clew_dbm_constraint *cuts =
      clew_realloc_array(NULL, (size_t)space->dim * space->dim, sizeof *cuts);
  uint32_t count = clew_dbm_minimise(space, other, cuts);
  clew_dbm_copy(space, rest, zone);
  for (uint32_t n = 0; n < count; n++) {
    const struct clew_dbm_constraint *c = &cuts[n];
    clew_bound outside = clew_bound_negate(c->bound);
    if (!clew_dbm_may_constrain(space, rest, c->j, c->i, outside)) {
      continue; /* all of the rest satisfies it */
    }
    void *piece = next_zone(fed);
    clew_dbm_copy(space, piece, rest);
    bool some = clew_dbm_constrain(space, piece, c->j, c->i, outside);
    assert(some);
    fed->count += some;
    some = clew_dbm_constrain(space, rest, c->i, c->j, c->bound);
    assert(some); /* both have something in common, which is never cut off */
    (void)some;
  }
  clew_free(cuts);
  clew_free(rest);
}

void clew_fed_subtract(struct clew_fed *fed, const void *zone) {
  struct clew_fed result;
  clew_fed_open(&result, fed->space);
  for (uint32_t i = 0; i < fed->count; i++) {
    clew_fed_add_difference(&result, clew_fed_zone(fed, i), zone);
  }
  take_over(fed, &result);
}

void clew_fed_subtract_all(struct clew_fed *fed, const struct clew_fed *other) {
  assert(fed != other);
  for (uint32_t i = 0; i < other->count && fed->count > 0; i++) {
    clew_fed_subtract(fed, clew_fed_zone(other, i));
  }
}

/* Removes zone i; the last one takes its place. */
static void drop(struct clew_fed *fed, uint32_t i) {
  void *zone = clew_fed_zone(fed, i);
  fed->count--;
  if (i < fed->count) {
    clew_dbm_copy(fed->space, zone, fed->zones + fed->count * fed->space->bytes);
  }
}

void clew_fed_intersect(struct clew_fed *fed, const void *zone) {
  for (uint32_t i = 0; i < fed->count;) {
    if (clew_dbm_intersect(fed->space, clew_fed_zone(fed, i), zone)) {
      i++;
    } else {
      drop(fed, i);
    }
  }
}

void clew_fed_down(struct clew_fed *fed) {
  for (uint32_t i = 0; i < fed->count; i++) {
    clew_dbm_down(fed->space, clew_fed_zone(fed, i));
  }
}

/* For one good and one bad zone. Either time leads to the good one and never to the bad one, or it
 * leads to a good valuation that comes before the bad zone: a zone is left once only, so nothing
 * before such a valuation is bad. */
static void add_predt_of(struct clew_fed *out, const void *good, const void *bad) {
  const struct clew_dbm_space *space = out->space;
  unsigned char *before_good = clew_alloc(space->bytes), *before_bad = clew_alloc(space->bytes);
  unsigned char *early = clew_alloc(space->bytes);
  clew_dbm_copy(space, before_good, good);
  clew_dbm_down(space, before_good);
  clew_dbm_copy(space, before_bad, bad);
  clew_dbm_down(space, before_bad);
  clew_fed_add_difference(out, before_good, before_bad);
  if (meets(space, good, before_bad, early)) {
    uint32_t first = out->count;
    clew_fed_add_difference(out, early, bad);
    for (uint32_t i = first; i < out->count; i++) {
      clew_dbm_down(space, clew_fed_zone(out, i));
    }
  }
  clew_free(before_good);
  clew_free(before_bad);
  clew_free(early);
}

/* Keeps what is in the other one, too. */
static void intersect_all(struct clew_fed *fed, const struct clew_fed *other) {
  struct clew_fed result;
  clew_fed_open(&result, fed->space);
  for (uint32_t i = 0; i < fed->count; i++) {
    for (uint32_t j = 0; j < other->count; j++) {
      void *both = next_zone(&result);
      clew_dbm_copy(fed->space, both, clew_fed_zone(fed, i));
      result.count += clew_dbm_intersect(fed->space, both, clew_fed_zone(other, j));
    }
  }
  take_over(fed, &result);
}

/* One who reaches a good zone without meeting one bad zone, and another, does it without meeting
 * both: the earlier of the two good valuations will do. */
void clew_fed_add_predt(struct clew_fed *out, const struct clew_fed *good,
                        const struct clew_fed *bad) {
  assert(out != good && out != bad);
  struct clew_fed safe, some;
  clew_fed_open(&safe, out->space);
  clew_fed_open(&some, out->space);
  for (uint32_t i = 0; i < good->count; i++) {
    clew_fed_clear(&safe);
    clew_fed_add(&safe, clew_fed_zone(good, i));
    clew_fed_down(&safe);
    for (uint32_t j = 0; j < bad->count && safe.count > 0; j++) {
      clew_fed_clear(&some);
      add_predt_of(&some, clew_fed_zone(good, i), clew_fed_zone(bad, j));
      intersect_all(&safe, &some);
    }
    clew_fed_add_all(out, &safe);
  }
  clew_fed_close(&safe);
  clew_fed_close(&some);
}

/* ---- comparing ---- */

bool clew_fed_includes(const struct clew_fed *fed, const void *zone) {
  for (uint32_t i = 0; i < fed->count; i++) {
    if (clew_dbm_includes(fed->space, clew_fed_zone(fed, i), zone)) {
      return true;
    }
  }
  struct clew_fed rest;
  clew_fed_open(&rest, fed->space);
  clew_fed_add(&rest, zone);
  clew_fed_subtract_all(&rest, fed);
  bool empty = rest.count == 0;
  clew_fed_close(&rest);
  return empty;
}

static bool includes_all(const struct clew_fed *fed, const struct clew_fed *part) {
  for (uint32_t i = 0; i < part->count; i++) {
    if (!clew_fed_includes(fed, clew_fed_zone(part, i))) {
      return false;
    }
  }
  return true;
}

bool clew_fed_equal(const struct clew_fed *a, const struct clew_fed *b) {
  return includes_all(a, b) && includes_all(b, a);
}

bool clew_fed_contains(const struct clew_fed *fed, const int32_t *values, int32_t scale) {
  for (uint32_t i = 0; i < fed->count; i++) {
    if (clew_dbm_contains(fed->space, clew_fed_zone(fed, i), values, scale)) {
      return true;
    }
  }
  return false;
}

bool clew_fed_validate(const struct clew_fed *fed, const char **why) {
  *why = NULL;
  for (uint32_t i = 0; i < fed->count; i++) {
    if (!clew_dbm_validate(fed->space, clew_fed_zone(fed, i), why)) {
      return false;
    }
  }
  return true;
}

/* ---- joining ---- */

bool clew_dbm_convex_union(const struct clew_dbm_space *space, void *out, const void *a,
                           const void *b) {
  clew_dbm_copy(space, out, a);
  clew_dbm_hull(space, out, b);
  struct clew_fed rest;
  clew_fed_open(&rest, space);
  clew_fed_add_difference(&rest, out, a);
  clew_fed_subtract(&rest, b);
  bool convex = rest.count == 0;
  clew_fed_close(&rest);
  return convex;
}

/* Joins zone i with another one; false when it stays alone. */
static bool join_one(struct clew_fed *fed, uint32_t i, void *scratch) {
  for (uint32_t j = i + 1; j < fed->count; j++) {
    if (clew_dbm_convex_union(fed->space, scratch, clew_fed_zone(fed, i), clew_fed_zone(fed, j))) {
      clew_dbm_copy(fed->space, clew_fed_zone(fed, i), scratch);
      drop(fed, j);
      return true;
    }
  }
  return false;
}

void clew_fed_reduce(struct clew_fed *fed) {
  unsigned char *scratch = clew_alloc(fed->space->bytes);
  for (uint32_t i = 0; i < fed->count;) {
    /* A zone that has grown may go together with one it was tried with before. */
    i = join_one(fed, i, scratch) ? 0 : i + 1;
  }
  clew_free(scratch);
}
