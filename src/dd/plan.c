/* Plans: what an operation does at each level. Equal ends of plans are one entry of a table, so an
 * entry and two nodes are a key of the cache that operations of different plans share.
 *
 * A plan ends where nothing is left to do: a relation that touches no further level leaves the rest
 * as it is (KEEP), a projection without further levels cuts the rest off (CUT). */
#include "dd/dd_int.h"
#include "dd/saturate.h"

enum { LEAST_INDEX = 64 };

static uint32_t slot_of(const struct clew_dd *dd, uint32_t kind, uint32_t next) {
  uint32_t mask = dd->table->plan_index.len - 1;
  uint32_t slot = (uint32_t)hash_three(dd, kind, next, 0) & mask;
  for (;; slot = (slot + 1) & mask) {
    uint32_t plan = dd->table->plan_index.data[slot];
    if (plan == 0 ||
        (dd->table->plans.data[plan].kind == kind && dd->table->plans.data[plan].next == next)) {
      return slot;
    }
  }
}

/* The index is half full at most. */
static void grow_index(struct clew_dd *dd) {
  uint32_t length = dd->table->plan_index.len == 0 ? LEAST_INDEX : dd->table->plan_index.len * 2;
  clew_vec_reserve(&dd->table->plan_index, length);
  dd->table->plan_index.len = length;
  memset(dd->table->plan_index.data, 0, length * sizeof *dd->table->plan_index.data);
  for (uint32_t i = PLAN_FIRST; i < dd->table->plans.len; i++) {
    dd->table->plan_index
        .data[slot_of(dd, dd->table->plans.data[i].kind, dd->table->plans.data[i].next)] = i;
  }
}

static uint32_t add_level(struct clew_dd *dd, uint32_t kind, uint32_t next) {
  while (dd->table->plans.len < PLAN_FIRST) {
    clew_vec_push(&dd->table->plans, ((struct plan){0, 0}));
  }
  if (dd->table->plans.len * 2 >= dd->table->plan_index.len) {
    grow_index(dd);
  }
  uint32_t slot = slot_of(dd, kind, next);
  if (dd->table->plan_index.data[slot] == 0) {
    dd->table->plan_index.data[slot] = dd->table->plans.len;
    clew_vec_push(&dd->table->plans, ((struct plan){kind, next}));
    clew_dd_refresh(dd);
  }
  return dd->table->plan_index.data[slot];
}

static uint32_t make_plan(struct clew_dd *dd, enum plan_kind kind, const unsigned char *roles,
                          uint32_t levels, uint32_t end, enum clew_ldd_role idle) {
  uint32_t plan = end;
  for (uint32_t level = levels; level-- > 0;) {
    assert(roles[level] < PLAN_ROLES);
    if (plan != end || roles[level] != idle) {
      plan = add_level(dd, kind * PLAN_ROLES + roles[level], plan);
    }
  }
  return plan;
}

uint32_t clew_ldd_plan_projection(struct clew_dd *dd, const unsigned char *roles, uint32_t levels) {
  /* A projection that keeps the last levels is over where all that follow are kept. */
  bool keeps = levels > 0 && roles[levels - 1] == CLEW_LDD_READ;
  return make_plan(dd, PLAN_PROJECTION, roles, levels, keeps ? PLAN_KEEP : PLAN_CUT,
                   keeps ? CLEW_LDD_READ : CLEW_LDD_SKIP);
}

uint32_t clew_ldd_plan_product(struct clew_dd *dd, const unsigned char *roles, uint32_t levels) {
  return make_plan(dd, PLAN_PRODUCT, roles, levels, PLAN_KEEP, CLEW_LDD_SKIP);
}

uint32_t clew_ldd_plan_inverse(struct clew_dd *dd, const unsigned char *roles, uint32_t levels) {
  return make_plan(dd, PLAN_INVERSE, roles, levels, PLAN_KEEP, CLEW_LDD_SKIP);
}

/* All levels have an entry, so that it tells the level: saturated sets of one level are others at
 * another one. */
uint32_t clew_ldd_plan_fire(struct clew_dd *dd, const unsigned char *touched, uint32_t levels) {
  uint32_t plan = PLAN_KEEP, role = FIRE_END;
  for (uint32_t level = levels; level-- > 0;) {
    role = touched[level] ? FIRE_MIXED : role == FIRE_END ? FIRE_END : FIRE_PASS;
    plan = add_level(dd, PLAN_FIRE * PLAN_ROLES + role, plan);
  }
  return plan;
}

uint32_t clew_ldd_short_length(const unsigned char *roles, uint32_t levels) {
  uint32_t length = 0;
  for (uint32_t level = 0; level < levels; level++) {
    length += roles[level] == CLEW_LDD_READ_WRITE ? 2 : roles[level] != CLEW_LDD_SKIP;
  }
  return length;
}
