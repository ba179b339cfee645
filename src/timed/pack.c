/* Zones in the words of states.
 *
 * Matrices keep all entries as they are, so that the order of zones is the order of numbers.
 *
 * Flat zones have a slot for each entry beside the diagonal, as wide as its range. Extra+ with
 * bounds L and U leaves an entry (i, j) at least as great as "x_j is not greater than U_j", and
 * what exceeds "x_i is at most L_i" was infinite before the zone was closed again: other entries
 * imply it. Such an entry is kept as infinite, and closing gives it back. So equal zones are equal
 * slots, and the slots of a zone do not depend on how it was reached. Where nothing is
 * extrapolated, or zones are cut back to cells, every entry has all bits of its type.
 *
 * Minimal zones are flat ones with only the bounds that imply the others (dbm/minimal.h); all
 * others are infinite, but that no clock is negative. An entry of the minimal form may be one of
 * those that are too great for their slot. Then closing does not give it back, and the zone is kept
 * with all its bounds. Which of both it is depends on nothing but the zone. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dbm/minimal.h"
#include "timed/timed_int.h"

/* The greatest limits of each clock, over all locations. */
static void find_greatest(const struct clew_timed_impl *impl, struct clew_zone_limits *limits) {
  const struct clew_timed_spec *spec = impl->spec;
  memcpy(limits->lower, impl->common.lower, impl->space.dim * sizeof *limits->lower);
  memcpy(limits->upper, impl->common.upper, impl->space.dim * sizeof *limits->upper);
  for (uint32_t p = 0; p < spec->process_count; p++) {
    struct clew_timed_span locations = spec->processes[p].locations;
    for (uint32_t k = 0; k < locations.count; k++) {
      clew_timed_take_limits(impl, spec->locations[locations.first + k].limits, limits);
    }
  }
  for (uint32_t i = 0; impl->semantics == CLEW_ZONE_M && i < impl->space.dim; i++) {
    int32_t most = limits->lower[i] > limits->upper[i] ? limits->lower[i] : limits->upper[i];
    limits->lower[i] = limits->upper[i] = most;
  }
}

/* The raw bounds that an entry can have, but for infinity. */
static void entry_range(const struct clew_timed_impl *impl, const struct clew_zone_limits *limits,
                        uint32_t i, uint32_t j, int64_t *lo, int64_t *hi) {
  if (impl->semantics == CLEW_ZONE_NONE || !impl->plus || impl->cells.count > 1) {
    int64_t most = impl->space.entry_bytes == sizeof(int16_t) ? INT16_MAX : INT32_MAX;
    *lo = -most;
    *hi = most - 1;
    return;
  }
  int32_t lower = i == 0 ? 0 : limits->lower[i], upper = j == 0 ? 0 : limits->upper[j];
  *lo = j == 0 || upper == CLEW_DBM_NO_CONSTANT ? CLEW_BOUND_ZERO : -2 * (int64_t)upper;
  *hi = lower == CLEW_DBM_NO_CONSTANT ? *lo : 2 * (int64_t)lower + 1;
  *hi = *hi < *lo ? *lo : *hi;
}

/* Places a slot of `width` bits behind the others. */
static uint32_t place(uint32_t *end, uint32_t width) {
  enum { WORD = 64 };
  if (*end % WORD + width > WORD) {
    *end = (*end / WORD + 1) * WORD;
  }
  uint32_t bit = *end;
  *end += width;
  return bit;
}

static void open_flat(struct clew_timed_impl *impl) {
  struct clew_zone_pack *pack = &impl->pack;
  uint32_t dim = impl->space.dim, end = impl->discrete_words * 64;
  struct clew_zone_limits limits = {clew_alloc_zero(dim, sizeof(int32_t)),
                                    clew_alloc_zero(dim, sizeof(int32_t))};
  find_greatest(impl, &limits);
  pack->slots = clew_alloc_zero((size_t)dim * dim, sizeof *pack->slots);
  pack->domains = clew_alloc_zero((size_t)dim * dim, sizeof *pack->domains);
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      if (i == j) {
        continue;
      }
      struct clew_domain *domain = &pack->domains[pack->slot_count];
      entry_range(impl, &limits, i, j, &domain->lo, &domain->hi);
      domain->hi++;
      uint32_t width = clew_bits_for((uint64_t)(domain->hi - domain->lo));
      pack->slots[pack->slot_count++] = (struct clew_slot){.name = "zone",
                                                           .domain = domain,
                                                           .bit = place(&end, width),
                                                           .width = width,
                                                           .hidden = true,
                                                           .presence = CLEW_NONE};
    }
  }
  pack->words = (end + 63) / 64 - impl->discrete_words;
  clew_free(limits.lower);
  clew_free(limits.upper);
}

void clew_zone_pack_open(struct clew_timed_impl *impl, bool is_flat) {
  struct clew_zone_pack *pack = &impl->pack;
  *pack = (struct clew_zone_pack){.first_word = impl->discrete_words, .is_flat = is_flat};
  if (is_flat) {
    open_flat(impl);
  } else {
    pack->words = clew_zone_matrix_words(&impl->space);
  }
}

void clew_zone_pack_close(struct clew_zone_pack *pack) {
  clew_free(pack->slots);
  clew_free(pack->domains);
}

/* ---- Matrices ------------------------------------------------------------------------------- */

uint32_t clew_zone_matrix_words(const struct clew_dbm_space *space) {
  size_t bytes = (size_t)space->dim * space->dim * space->entry_bytes;
  return (uint32_t)((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

void clew_zone_matrix_put(const struct clew_dbm_space *space, const void *zone, uint64_t *words) {
  size_t row = (size_t)space->dim * space->entry_bytes,
         stride = (size_t)space->stride * space->entry_bytes;
  unsigned char *to = (unsigned char *)words;
  const unsigned char *from = zone;
  words[clew_zone_matrix_words(space) - 1] = 0; /* what is left of the last word */
  for (uint32_t i = 0; i < space->dim; i++) {
    memcpy(to + i * row, from + i * stride, row);
  }
}

void clew_zone_matrix_get(const struct clew_dbm_space *space, const uint64_t *words, void *zone) {
  clew_dbm_read_rows(space, zone, words);
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static void put_flat(const struct clew_timed_impl *impl, const void *zone, uint64_t *state) {
  const struct clew_zone_pack *pack = &impl->pack;
  uint32_t dim = impl->space.dim, k = 0;
  memset(state + pack->first_word, 0, pack->words * sizeof *state);
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      if (i == j) {
        continue;
      }
      const struct clew_slot *slot = &pack->slots[k++];
      int64_t bound = clew_dbm_get(&impl->space, zone, i, j);
      assert(bound >= slot->domain->lo);
      bound = bound >= slot->domain->hi ? slot->domain->hi : bound;
      state[slot->bit / 64] |= (uint64_t)(bound - slot->domain->lo) << (slot->bit % 64);
    }
  }
}

static void get_flat(const struct clew_timed_impl *impl, const uint64_t *state, void *zone) {
  const struct clew_zone_pack *pack = &impl->pack;
  uint32_t dim = impl->space.dim, k = 0;
  clew_dbm_universe(&impl->space, zone);
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      if (i == j) {
        continue;
      }
      const struct clew_slot *slot = &pack->slots[k++];
      uint64_t value = state[slot->bit / 64] >> (slot->bit % 64) & clew_bits_mask(slot->width);
      int64_t bound = slot->domain->lo + (int64_t)value;
      clew_dbm_set(&impl->space, zone, i, j,
                   bound == slot->domain->hi ? CLEW_BOUND_INFINITE : (clew_bound)bound);
    }
  }
  bool some = clew_dbm_close(&impl->space, zone);
  assert(some);
  (void)some;
}

/* The minimal form; all bounds where that does not give the zone back. */
static void put_minimal(const struct clew_timed_impl *impl, const void *zone, uint64_t *state) {
  const struct clew_dbm_space *space = &impl->space;
  uint32_t dim = space->dim;
  struct clew_dbm_constraint *bounds = clew_alloc((size_t)dim * dim * sizeof *bounds);
  unsigned char *sparse = clew_alloc(space->bytes), *again = clew_alloc(space->bytes);
  uint32_t count = clew_dbm_minimise(space, zone, bounds);
  clew_dbm_universe(space, sparse);
  for (uint32_t i = 1; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      if (i != j) {
        clew_dbm_set(space, sparse, i, j, CLEW_BOUND_INFINITE);
      }
    }
  }
  for (uint32_t k = 0; k < count; k++) {
    clew_dbm_set(space, sparse, bounds[k].i, bounds[k].j, bounds[k].bound);
  }
  put_flat(impl, sparse, state);
  get_flat(impl, state, again);
  if (!clew_dbm_equal(space, again, zone)) {
    put_flat(impl, zone, state);
  }
  clew_free(again);
  clew_free(sparse);
  clew_free(bounds);
}

void clew_zone_pack_put(const struct clew_timed_impl *impl, const void *zone, uint64_t *state) {
  if (impl->pack.is_minimal) {
    put_minimal(impl, zone, state);
  } else if (impl->pack.is_flat) {
    put_flat(impl, zone, state);
  } else {
    clew_zone_matrix_put(&impl->space, zone, state + impl->pack.first_word);
  }
}

void clew_zone_pack_get(const struct clew_timed_impl *impl, const uint64_t *state, void *zone) {
  if (impl->pack.is_flat) {
    get_flat(impl, state, zone);
  } else {
    clew_zone_matrix_get(&impl->space, state + impl->pack.first_word, zone);
  }
}
