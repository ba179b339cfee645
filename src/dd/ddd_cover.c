/* Zones of a diagram.
 *
 * A diagram is a sum of products of constraints and opposites of constraints; a product is a zone.
 * The sum is made as Minato and Morreale make irredundant ones for binary diagrams. To cover at
 * least `least` and at most `most`, the first constraint is looked at. The part of the high side
 * that the low side may not have needs zones with the constraint, the part of the low side that
 * the high side may not have needs zones with its opposite, and what is left is covered by zones
 * that do not mention it.
 *
 * Constraints of one pair imply each other, which binary variables do not. Where the first
 * constraint is true, all further ones of its pair are; so the low side is compared with the high
 * side as it is when they are true, and what is left of the high side is asked for under the first
 * of them only. Products that no clock values satisfy are left out. */
#include "dd/ddd_int.h"

enum { MOST_REMEMBERED = 64 }; /* zones of a set */

struct covering {
  struct clew_ddd_space *space;
  struct clew_fed *out;
};

static clew_ddd cover(const struct covering *c, clew_ddd least, clew_ddd most, const void *zone);

/* Covers with one more factor. Where no values satisfy the product there is nothing to cover. */
static clew_ddd cover_side(const struct covering *c, clew_ddd least, clew_ddd most,
                           const struct constraint *constraint, bool is_true, const void *zone) {
  if (least == CLEW_DDD_FALSE) {
    return least;
  }
  void *part = clew_alloc(c->space->zones.bytes);
  clew_ddd covered = least;
  if (clew_ddd_restrict(c->space, constraint, is_true, zone, part)) {
    covered = cover(c, least, most, part);
  }
  clew_free(part);
  return covered;
}

/* Adds zones, all within `zone`; the answer is the truth function that they make up. */
static clew_ddd cover(const struct covering *c, clew_ddd least, clew_ddd most, const void *zone) {
  struct clew_ddd_space *space = c->space;
  if (least == CLEW_DDD_FALSE || gives_up(space->dd)) {
    return CLEW_DDD_FALSE;
  }
  if (most == CLEW_DDD_TRUE) {
    clew_fed_add(c->out, zone);
    return CLEW_DDD_TRUE;
  }
  space->dd->steps++;
  uint64_t key_least = key_of(space, least), key_most = key_of(space, most);
  uint64_t key = key_least < key_most ? key_least : key_most;
  uint32_t value = node_of(space->dd, key_least == key ? least : most).value;
  const struct constraint constraint = *constraint_of(space, value);
  clew_ddd least_high = high_at(space, least, key), least_low = low_at(space, least, key);
  clew_ddd most_high = high_at(space, most, key), most_low = low_at(space, most, key);
  clew_ddd need = clew_ddd_apply(space, OP_DDD_MINUS, least_high, high_at(space, most_low, key));
  clew_ddd high = cover_side(c, need, most_high, &constraint, true, zone);
  need = clew_ddd_apply(space, OP_DDD_MINUS, least_low, most_high);
  clew_ddd low = cover_side(c, need, most_low, &constraint, false, zone);
  clew_ddd rest_high = clew_ddd_apply(space, OP_DDD_MINUS, least_high, high);
  clew_ddd rest_low = clew_ddd_apply(space, OP_DDD_MINUS, least_low, low);
  if (gives_up(space->dd)) {
    return CLEW_DDD_FALSE;
  }
  if (is_same_pair(key_of(space, most_low), key)) {
    uint32_t next = node_of(space->dd, most_low).value;
    rest_high = clew_ddd_make(space, next, rest_high, CLEW_DDD_FALSE);
  }
  clew_ddd both = cover(c, clew_ddd_apply(space, OP_DDD_OR, rest_high, rest_low),
                        clew_ddd_apply(space, OP_DDD_AND, most_high, most_low), zone);
  high = clew_ddd_apply(space, OP_DDD_OR, high, high_at(space, both, key));
  low = clew_ddd_apply(space, OP_DDD_OR, low, both);
  return gives_up(space->dd) ? CLEW_DDD_FALSE : clew_ddd_make(space, value, high, low);
}

/* ---- federations ---- */

bool clew_ddd_is_within(const struct clew_fed *fed, const void *zone) {
  for (uint32_t i = 0; i < fed->count; i++) {
    if (clew_dbm_includes(fed->space, clew_fed_zone(fed, i), zone)) {
      return true;
    }
  }
  return false;
}

void clew_ddd_drop_covered(struct clew_fed *fed) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < fed->count; i++) {
    const void *zone = clew_fed_zone(fed, i);
    bool is_covered = false;
    for (uint32_t j = 0; j < fed->count && !is_covered; j++) {
      bool counts = j < kept || j > i; /* those between were dropped or have moved */
      is_covered = counts && clew_dbm_includes(fed->space, clew_fed_zone(fed, j), zone);
    }
    if (!is_covered) {
      if (kept != i) {
        clew_dbm_copy(fed->space, clew_fed_zone(fed, kept), zone);
      }
      kept++;
    }
  }
  fed->count = kept;
}

/* ---- remembering ---- */

void clew_ddd_forget_covers(struct clew_ddd_space *space) {
  for (uint32_t i = 0; i < COVERS; i++) {
    space->covers[i].set = CLEW_DDD_FALSE;
    clew_fed_close(&space->covers[i].zones);
  }
}

const struct clew_fed *clew_ddd_zones(struct clew_ddd_space *space, clew_ddd set) {
  if (space->covers_of != space->dd->table->collections) { /* nodes have other numbers now */
    clew_ddd_forget_covers(space);
    space->covers_of = space->dd->table->collections;
  }
  struct cover *entry = &space->covers[(set * UINT32_C(2654435761)) >> (32 - COVER_BITS)];
  if (entry->set == set && set != CLEW_DDD_FALSE) {
    return &entry->zones;
  }
  if (entry->zones.capacity > MOST_REMEMBERED || entry->zones.space == NULL) {
    clew_fed_close(&entry->zones);
    clew_fed_open(&entry->zones, &space->zones);
  }
  clew_fed_clear(&entry->zones);
  struct covering covering = {space, &entry->zones};
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  if (space->semantics == CLEW_DDD_UPPER) {
    clew_ddd_upper_zones(space, set, universe, &entry->zones);
  } else {
    (void)cover(&covering, set, set, universe);
  }
  clew_free(universe);
  clew_ddd_drop_covered(&entry->zones);
  entry->set = gives_up(space->dd) ? CLEW_DDD_FALSE : set;
  return &entry->zones;
}

static clew_ldd run_cover(struct clew_dd *dd, const struct call *call) {
  struct clew_fed *out = call->context;
  clew_fed_clear(out);
  clew_fed_add_all(out, clew_ddd_zones(dd->clocks, call->a));
  return CLEW_DDD_TRUE;
}

bool clew_ddd_cover(struct clew_ddd_space *space, clew_ddd set, struct clew_fed *out) {
  struct clew_fed found;
  clew_fed_open(&found, &space->zones);
  struct call call = {.run = run_cover, .a = set, .context = &found};
  bool done = clew_dd_perform(space->dd, &call) != CLEW_DD_NONE;
  clew_fed_add_all(out, &found);
  clew_fed_close(&found);
  return done;
}

/* ---- paths ---- */

static void add_paths(const struct clew_ddd_space *space, clew_ddd set, const void *zone,
                      struct clew_fed *out) {
  if (set == CLEW_DDD_TRUE) {
    clew_fed_add(out, zone);
  }
  if (set < FIRST_NODE || gives_up(space->dd)) {
    return;
  }
  space->dd->steps++;
  struct clew_ldd_node node = node_of(space->dd, set);
  void *part = clew_alloc(space->zones.bytes);
  if (clew_ddd_restrict(space, constraint_of(space, node.value), true, zone, part)) {
    add_paths(space, node.down, part, out);
  }
  if (clew_ddd_restrict(space, constraint_of(space, node.value), false, zone, part)) {
    add_paths(space, node.right, part, out);
  }
  clew_free(part);
}

bool clew_ddd_paths(struct clew_ddd_space *space, clew_ddd set, struct clew_fed *out) {
  void *universe = clew_alloc(space->zones.bytes);
  clew_dbm_universe(&space->zones, universe);
  clew_dd_begin(space->dd);
  if (space->semantics == CLEW_DDD_UPPER) {
    clew_ddd_upper_zones(space, set, universe, out);
  } else {
    add_paths(space, set, universe, out);
  }
  clew_free(universe);
  return space->dd->status == CLEW_DD_OK;
}
