/* Cells: what is told apart where differences of clocks are compared with constants.
 *
 * Two values of clocks in one cell agree on all such comparisons, now and after any delay. When a
 * clock is set, a difference becomes the value of the other clock, less a constant: M+ tells such
 * values apart as far as constants go (lang/uppaal/limits.c takes the settings into account). So
 * values in one cell that M+ does not tell apart have the same transitions for ever. Zones are
 * therefore split by cells, extrapolated one by one, and cut back to their cell (Bengtsson and Yi
 * 2004): that is exact, and there are finitely many of them.
 *
 * A transition leads to at most one zone in each cell. Edges are numbered by it.
 *
 * Where a clock can stand still, time leads from cell to cell. Zones are therefore split when time
 * has passed; the parts together are closed under delay. The zone of an initial state, of which
 * there are few, is neither split nor extrapolated then. */
#include <assert.h>

#include "base/alloc.h"
#include "timed/timed_int.h"

enum { MOST_CELLS = 1 << 12, MOST_EDGES = 1 << 24 };

static void add_pair(struct clew_zone_cells *cells, const struct clew_timed_cut *cut,
                     uint32_t first) {
  struct clew_zone_pair *last = cells->pair_count > 0 ? &cells->pairs[cells->pair_count - 1] : NULL;
  if (last != NULL && last->i == cut->i && last->j == cut->j) {
    last->count++;
    return;
  }
  cells->pairs[cells->pair_count++] =
      (struct clew_zone_pair){.i = cut->i, .j = cut->j, .first = first, .count = 1};
}

void clew_zone_cells_open(struct clew_timed_impl *impl) {
  const struct clew_timed_spec *spec = impl->spec;
  struct clew_zone_cells *cells = &impl->cells;
  *cells = (struct clew_zone_cells){.count = 1};
  cells->pairs = clew_alloc_zero((size_t)spec->cut_count + 1, sizeof *cells->pairs);
  for (uint32_t k = 0; k < spec->cut_count; k++) {
    add_pair(cells, &spec->cuts[k], k);
  }
  uint64_t count = 1;
  for (uint32_t p = cells->pair_count; p > 0 && count <= MOST_CELLS; p--) {
    cells->pairs[p - 1].weight = (uint32_t)count;
    count *= cells->pairs[p - 1].count + 1;
  }
  if (count > MOST_CELLS || count * impl->under->edge_count > MOST_EDGES) {
    cells->pair_count = 0;
    return;
  }
  cells->count = (uint32_t)count;
}

void clew_zone_cells_close(struct clew_zone_cells *cells) {
  clew_free(cells->pairs);
}

static clew_bound cut_at(const struct clew_timed_impl *impl, const struct clew_zone_pair *pair,
                         uint32_t k) {
  assert(k < pair->count);
  return impl->spec->cuts[pair->first + k].bound;
}

static uint32_t digit_of(const struct clew_zone_pair *pair, uint32_t cell) {
  return cell / pair->weight % (pair->count + 1);
}

/* Whether the zone may have values in an interval of the pair. */
static bool may_meet(const struct clew_timed_impl *impl, const struct clew_zone_pair *pair,
                     uint32_t digit, const void *zone) {
  const struct clew_dbm_space *space = &impl->space;
  return (digit == pair->count ||
          clew_dbm_may_constrain(space, zone, pair->i, pair->j, cut_at(impl, pair, digit))) &&
         (digit == 0 || clew_dbm_may_constrain(space, zone, pair->j, pair->i,
                                               clew_bound_negate(cut_at(impl, pair, digit - 1))));
}

uint32_t clew_zone_cells_next(const struct clew_timed_impl *impl, const void *zone, uint32_t cell) {
  const struct clew_zone_cells *cells = &impl->cells;
  while (cell < cells->count) {
    uint32_t p = 0;
    while (p < cells->pair_count &&
           may_meet(impl, &cells->pairs[p], digit_of(&cells->pairs[p], cell), zone)) {
      p++;
    }
    if (p == cells->pair_count) {
      return cell;
    }
    /* None with these first digits. */
    cell = (cell / cells->pairs[p].weight + 1) * cells->pairs[p].weight;
  }
  return CLEW_NONE;
}

bool clew_zone_cells_are_several(const struct clew_timed_impl *impl, const void *zone) {
  uint32_t first = clew_zone_cells_next(impl, zone, 0);
  return clew_zone_cells_next(impl, zone, first + 1) != CLEW_NONE;
}

bool clew_zone_cells_keep(const struct clew_timed_impl *impl, uint32_t cell, void *zone) {
  const struct clew_zone_cells *cells = &impl->cells;
  const struct clew_dbm_space *space = &impl->space;
  for (uint32_t p = 0; p < cells->pair_count; p++) {
    const struct clew_zone_pair *pair = &cells->pairs[p];
    uint32_t digit = digit_of(pair, cell);
    if ((digit < pair->count &&
         !clew_dbm_constrain(space, zone, pair->i, pair->j, cut_at(impl, pair, digit))) ||
        (digit > 0 && !clew_dbm_constrain(space, zone, pair->j, pair->i,
                                          clew_bound_negate(cut_at(impl, pair, digit - 1))))) {
      return false;
    }
  }
  return true;
}
