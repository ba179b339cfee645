/* Finding, storing and printing the minimal form of zones.
 *
 * Clocks whose difference is fixed form a class: x_i - x_j <= c and x_j - x_i <= -c. Each class is
 * a ring of constraints in the order of its members. Between the first members of classes a
 * constraint is left out if another first member gives a way that is as short; there are no cycles
 * of length zero among first members, so all of these can be left out at once.
 *
 * Packed: the number of constraints, then i, j and the bound of each, in 16, 16 and 32 bits, or for
 * narrow spaces of at most 256 clocks in 8, 8 and 16. */
#include "dbm/minimal.h"

#include <string.h>

static bool is_fixed(const struct clew_dbm_space *space, const void *zone, uint32_t i, uint32_t j) {
  clew_bound there = clew_dbm_get(space, zone, i, j), back = clew_dbm_get(space, zone, j, i);
  return clew_bound_add(there, back) == CLEW_BOUND_ZERO;
}

/* The first clock of the class of i. */
static uint32_t first_of(const struct clew_dbm_space *space, const void *zone, uint32_t i) {
  uint32_t first = 0;
  while (!is_fixed(space, zone, first, i)) {
    first++;
  }
  assert(first <= i);
  return first;
}

/* The next clock of the class of i, in a ring. */
static uint32_t next_of(const struct clew_dbm_space *space, const void *zone, uint32_t i) {
  for (uint32_t next = i + 1; next < space->dim; next++) {
    if (is_fixed(space, zone, i, next)) {
      return next;
    }
  }
  return first_of(space, zone, i);
}

static bool has_way_round(const struct clew_dbm_space *space, const void *zone,
                          const uint16_t *firsts, uint32_t i, uint32_t j) {
  clew_bound direct = clew_dbm_get(space, zone, i, j);
  for (uint32_t k = 0; k < space->dim; k++) {
    if (k != i && k != j && firsts[k] == k &&
        clew_bound_add(clew_dbm_get(space, zone, i, k), clew_dbm_get(space, zone, k, j)) <=
            direct) {
      return true;
    }
  }
  return false;
}

/* `firsts` has the first clock of the class of each. */
static bool is_needed(const struct clew_dbm_space *space, const void *zone, const uint16_t *firsts,
                      uint32_t i, uint32_t j) {
  clew_bound bound = clew_dbm_get(space, zone, i, j);
  if (i == j || bound == CLEW_BOUND_INFINITE || (i == 0 && bound == CLEW_BOUND_ZERO)) {
    return false;
  }
  if (firsts[i] == firsts[j]) {
    return next_of(space, zone, i) == j;
  }
  return firsts[i] == i && firsts[j] == j && !has_way_round(space, zone, firsts, i, j);
}

static void find_firsts(const struct clew_dbm_space *space, const void *zone, uint16_t *firsts) {
  for (uint32_t i = 0; i < space->dim; i++) {
    firsts[i] = (uint16_t)first_of(space, zone, i);
  }
}

uint32_t clew_dbm_minimise(const struct clew_dbm_space *space, const void *zone,
                           struct clew_dbm_constraint *out) {
  uint16_t firsts[CLEW_DBM_MOST_CLOCKS];
  uint32_t count = 0;
  find_firsts(space, zone, firsts);
  for (uint32_t i = 0; i < space->dim; i++) {
    for (uint32_t j = 0; j < space->dim; j++) {
      if (is_needed(space, zone, firsts, i, j)) {
        out[count++] = (struct clew_dbm_constraint){i, j, clew_dbm_get(space, zone, i, j)};
      }
    }
  }
  return count;
}

/* ---- packed ---- */

static bool is_small(const struct clew_dbm_space *space) {
  return space->entry_bytes == sizeof(int16_t) && space->dim <= UINT8_MAX + 1;
}

struct small_constraint {
  uint8_t i, j;
  int16_t bound;
};

struct large_constraint {
  uint16_t i, j;
  int32_t bound;
};

static_assert(sizeof(struct small_constraint) == 4, "no gaps: packed zones are compared as bytes");
static_assert(sizeof(struct large_constraint) == 8, "no gaps: packed zones are compared as bytes");
static_assert(CLEW_DBM_MOST_CLOCKS <= UINT16_MAX, "every clock fits");

static size_t constraint_bytes(const struct clew_dbm_space *space) {
  return is_small(space) ? sizeof(struct small_constraint) : sizeof(struct large_constraint);
}

static uint32_t packed_count(const unsigned char *packed) {
  uint32_t count;
  memcpy(&count, packed, sizeof count);
  return count;
}

static struct clew_dbm_constraint packed_at(const struct clew_dbm_space *space,
                                            const unsigned char *packed, uint32_t n) {
  assert(n < packed_count(packed));
  const unsigned char *at = packed + sizeof(uint32_t) + n * constraint_bytes(space);
  if (is_small(space)) {
    struct small_constraint c;
    memcpy(&c, at, sizeof c);
    return (struct clew_dbm_constraint){c.i, c.j, c.bound};
  }
  struct large_constraint c;
  memcpy(&c, at, sizeof c);
  return (struct clew_dbm_constraint){c.i, c.j, c.bound};
}

static void put_packed(const struct clew_dbm_space *space, unsigned char *at,
                       const struct clew_dbm_constraint *c) {
  if (is_small(space)) {
    struct small_constraint small = {(uint8_t)c->i, (uint8_t)c->j, (int16_t)c->bound};
    memcpy(at, &small, sizeof small);
  } else {
    struct large_constraint large = {(uint16_t)c->i, (uint16_t)c->j, c->bound};
    memcpy(at, &large, sizeof large);
  }
}

size_t clew_dbm_packed_most(const struct clew_dbm_space *space) {
  return sizeof(uint32_t) + (size_t)space->dim * space->dim * constraint_bytes(space);
}

size_t clew_dbm_pack(const struct clew_dbm_space *space, const void *zone,
                     struct clew_dbm_constraint *scratch, unsigned char *out) {
  uint32_t count = clew_dbm_minimise(space, zone, scratch);
  memcpy(out, &count, sizeof count);
  size_t bytes = sizeof count;
  for (uint32_t n = 0; n < count; n++, bytes += constraint_bytes(space)) {
    put_packed(space, out + bytes, &scratch[n]);
  }
  assert(bytes <= clew_dbm_packed_most(space));
  return bytes;
}

void clew_dbm_unpack(const struct clew_dbm_space *space, const unsigned char *packed, void *zone) {
  clew_dbm_universe(space, zone);
  for (uint32_t n = 0; n < packed_count(packed); n++) {
    struct clew_dbm_constraint c = packed_at(space, packed, n);
    clew_dbm_set(space, zone, c.i, c.j, c.bound);
  }
  bool some = clew_dbm_close(space, zone);
  assert(some);
  (void)some;
}

bool clew_dbm_packed_includes(const struct clew_dbm_space *space, const unsigned char *packed,
                              const void *part) {
  for (uint32_t n = 0; n < packed_count(packed); n++) {
    struct clew_dbm_constraint c = packed_at(space, packed, n);
    if (clew_dbm_get(space, part, c.i, c.j) > c.bound) {
      return false;
    }
  }
  return true;
}

/* ---- for people ---- */

static void print_constraint(const struct clew_dbm_constraint *c, const char *const *clock_names,
                             struct clew_text *out) {
  bool strict = clew_bound_is_strict(c->bound);
  int32_t constant = clew_bound_constant(c->bound);
  if (c->i == 0) {
    clew_text_printf(out, "%s %s %d", clock_names[c->j], strict ? ">" : ">=", -constant);
  } else if (c->j == 0) {
    clew_text_printf(out, "%s %s %d", clock_names[c->i], strict ? "<" : "<=", constant);
  } else {
    clew_text_printf(out, "%s - %s %s %d", clock_names[c->i], clock_names[c->j],
                     strict ? "<" : "<=", constant);
  }
}

static void print_fixed(const struct clew_dbm_constraint *c, const char *const *clock_names,
                        struct clew_text *out) {
  int32_t constant = clew_bound_constant(c->bound);
  if (c->i == 0) {
    clew_text_printf(out, "%s = %d", clock_names[c->j], -constant);
  } else if (constant == 0) {
    clew_text_printf(out, "%s = %s", clock_names[c->i], clock_names[c->j]);
  } else {
    clew_text_printf(out, "%s = %s %s %d", clock_names[c->i], clock_names[c->j],
                     constant < 0 ? "-" : "+", constant < 0 ? -constant : constant);
  }
}

void clew_dbm_print(const struct clew_dbm_space *space, const void *zone,
                    const char *const *clock_names, struct clew_text *out) {
  uint16_t firsts[CLEW_DBM_MOST_CLOCKS];
  bool any = false;
  find_firsts(space, zone, firsts);
  for (uint32_t i = 0; i < space->dim; i++) {
    for (uint32_t j = 0; j < space->dim; j++) {
      /* A ring of fixed differences prints as equations; the edge that closes it says nothing. */
      bool fixed = i != j && firsts[i] == firsts[j];
      if (fixed ? i > j || next_of(space, zone, i) != j : !is_needed(space, zone, firsts, i, j)) {
        continue;
      }
      struct clew_dbm_constraint c = {i, j, clew_dbm_get(space, zone, i, j)};
      clew_text_printf(out, "%s", any ? ", " : "");
      (fixed ? print_fixed : print_constraint)(&c, clock_names, out);
      any = true;
    }
  }
  if (!any) {
    clew_text_printf(out, "true");
  }
}
