/* Sets of vectors that end in clock values: what the operations on sets do to these.
 *
 * Unions and differences keep zones whole. A zone that is within the other set is dropped (a
 * implies b), a zone that is not stays as it is, and the zones are put together as a diagram. So
 * the diagram of a union is that of one of its parts if the other one adds nothing. */
#include "dd/ddd_int.h"

/* Adds the zones that are not within the other federation. */
static uint32_t add_outside(struct clew_fed *out, const struct clew_fed *zones,
                            const struct clew_fed *others) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < zones->count; i++) {
    const void *zone = clew_fed_zone(zones, i);
    if (!clew_fed_includes(others, zone)) {
      clew_fed_add(out, zone);
      count++;
    }
  }
  return count;
}

/* The zones of both sets. */
struct operands {
  struct clew_ddd_space *space;
  struct clew_fed a, b;
};

static void open_operands(struct operands *o, struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  o->space = dd->clocks;
  clew_fed_open(&o->a, &o->space->zones);
  clew_fed_open(&o->b, &o->space->zones);
  clew_fed_add_all(&o->a, clew_ddd_zones(o->space, a));
  clew_fed_add_all(&o->b, clew_ddd_zones(o->space, b));
}

static void close_operands(struct operands *o) {
  clew_fed_close(&o->a);
  clew_fed_close(&o->b);
}

/* Which of two operands comes first must not depend on the numbers of nodes: these differ from run
 * to run where several workers make them. */
static void sort_operands(struct operands *o, clew_ldd *a, clew_ldd *b) {
  size_t bytes = o->a.count * o->space->zones.bytes;
  int order = o->a.count != o->b.count ? (o->a.count < o->b.count ? -1 : 1)
              : bytes == 0             ? 0
                                       : memcmp(o->a.zones, o->b.zones, bytes);
  if (order > 0) {
    struct clew_fed zones = o->a;
    clew_ldd set = *a;
    o->a = o->b;
    o->b = zones;
    *a = *b;
    *b = set;
  }
}

/* The zones of both that are not within the others, those of b first. */
static clew_ldd unite_zones(const struct operands *o, clew_ldd a, clew_ldd b) {
  struct clew_fed new, all;
  clew_fed_open(&new, &o->space->zones);
  clew_fed_open(&all, &o->space->zones);
  uint32_t more = add_outside(&new, &o->b, &o->a);
  clew_fed_add_all(&all, &new);
  uint32_t before = add_outside(&all, &o->a, &new);
  clew_ldd result = before == o->a.count && more == o->b.count
                        ? clew_ddd_apply(o->space, OP_DDD_OR, a, b)
                        : clew_ddd_of_fed(o->space, &all);
  clew_fed_close(&all);
  clew_fed_close(&new);
  return result;
}

static bool is_fed_within(const struct clew_fed *zones, const struct clew_fed *others) {
  for (uint32_t i = 0; i < zones->count; i++) {
    if (!clew_fed_includes(others, clew_fed_zone(zones, i))) {
      return false;
    }
  }
  return true;
}

clew_ldd clew_dd_leaf_union(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  struct operands o;
  open_operands(&o, dd, a, b);
  sort_operands(&o, &a, &b);
  clew_ldd result = is_fed_within(&o.b, &o.a)   ? a
                    : is_fed_within(&o.a, &o.b) ? b
                                                : unite_zones(&o, a, b);
  close_operands(&o);
  return clew_ddd_in_form(dd->clocks, result);
}

clew_ldd clew_dd_leaf_intersect(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  struct operands o;
  struct clew_fed both;
  open_operands(&o, dd, a, b);
  clew_fed_open(&both, &o.space->zones);
  void *zone = clew_alloc(o.space->zones.bytes);
  for (uint32_t i = 0; i < o.a.count; i++) {
    for (uint32_t j = 0; j < o.b.count; j++) {
      clew_dbm_copy(&o.space->zones, zone, clew_fed_zone(&o.a, i));
      if (clew_dbm_intersect(&o.space->zones, zone, clew_fed_zone(&o.b, j)) &&
          !clew_ddd_is_within(&both, zone)) {
        clew_fed_add(&both, zone);
      }
    }
  }
  clew_ddd_drop_covered(&both);
  clew_ldd result = clew_ddd_in_form(o.space, clew_ddd_of_fed(o.space, &both));
  clew_free(zone);
  clew_fed_close(&both);
  close_operands(&o);
  return result;
}

clew_ldd clew_dd_leaf_minus(struct clew_dd *dd, clew_ldd a, clew_ldd b, bool is_exact) {
  struct clew_ddd_space *space = dd->clocks;
  if (space->minus == CLEW_DDD_NATIVE) {
    clew_ddd left = clew_ddd_reduced(space, clew_ddd_apply(space, OP_DDD_MINUS, a, b));
    return clew_ddd_in_form(space, left);
  }
  struct operands o;
  open_operands(&o, dd, a, b);
  clew_ldd result;
  if (is_exact || space->minus == CLEW_DDD_FEDERATION) {
    clew_fed_subtract_all(&o.a, &o.b);
    result = clew_ddd_of_fed(space, &o.a);
  } else {
    struct clew_fed left;
    clew_fed_open(&left, &space->zones);
    uint32_t count = add_outside(&left, &o.a, &o.b);
    result = count == o.a.count ? a : clew_ddd_of_fed(space, &left);
    clew_fed_close(&left);
  }
  close_operands(&o);
  return clew_ddd_in_form(space, result);
}

bool clew_dd_leaf_subset(struct clew_dd *dd, clew_ldd a, clew_ldd b) {
  struct operands o;
  open_operands(&o, dd, a, b);
  bool within = is_fed_within(&o.a, &o.b);
  close_operands(&o);
  return within;
}

/* ---- vectors ---- */

struct attaching {
  const uint32_t *vector;
  uint32_t levels;
};

static clew_ldd run_attach(struct clew_dd *dd, const struct call *call) {
  const struct attaching *attaching = call->context;
  clew_ldd set = call->a;
  for (uint32_t i = attaching->levels; i-- > 0 && set != CLEW_LDD_EMPTY;) {
    set = clew_dd_make(dd, attaching->vector[i], set, CLEW_LDD_EMPTY);
  }
  return set;
}

clew_ldd clew_ddd_attach(struct clew_ddd_space *space, const uint32_t *vector, uint32_t levels,
                         clew_ddd set) {
  struct attaching attaching = {vector, levels};
  return clew_dd_perform(space->dd,
                         &(struct call){.run = run_attach, .a = set, .context = &attaching});
}

clew_ddd clew_ddd_of_vector(const struct clew_ddd_space *space, clew_ldd set,
                            const uint32_t *vector, uint32_t levels) {
  for (uint32_t i = 0; i < levels; i++) {
    while (set != CLEW_LDD_EMPTY && node_of(space->dd, set).value < vector[i]) {
      set = node_of(space->dd, set).right;
    }
    if (set == CLEW_LDD_EMPTY || node_of(space->dd, set).value != vector[i]) {
      return CLEW_DDD_FALSE;
    }
    set = node_of(space->dd, set).down;
  }
  return set;
}
