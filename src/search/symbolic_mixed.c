/* The order `mixed` of timed models with flat zones: bounds of clocks among the locations.
 *
 * Every transition touches all bounds, so the matrix says nothing about where they should be, and
 * other orders leave them below the discrete part. There the diagram has to remember the locations
 * of all processes before the first bound. A clock belongs to the process in whose locations it has
 * limits: the first of them in the order of the discrete part, which FORCE makes. A bound of two
 * clocks comes directly before the location of the later one of their processes. Bounds of clocks
 * without a process come last. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "search/symbolic_int.h"
#include "search/symbolic_matrix.h"

/* A slot, and what it is sorted by. */
struct seat {
  uint32_t slot, place;
  bool is_behind; /* of those with the same place */
};

static int compare_seats(const void *a, const void *b) {
  const struct seat *x = a, *y = b;
  if (x->place != y->place) {
    return x->place < y->place ? -1 : 1;
  }
  if (x->is_behind != y->is_behind) {
    return x->is_behind ? 1 : -1;
  }
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The place of the location of this name; CLEW_NONE: there is none. */
static uint32_t place_of(const struct clew_model *model, const char *process,
                         const uint32_t *place) {
  const struct clew_timed *timed = model->timed;
  for (uint32_t i = 0; i < timed->location_count && process != NULL; i++) {
    uint32_t slot = timed->location_slots[i];
    if (strcmp(model->slots[slot].name, process) == 0) {
      return place[slot];
    }
  }
  return CLEW_NONE;
}

/* By clock: the first place of its processes; CLEW_NONE: it has none. */
static uint32_t *find_owners(const struct clew_model *model, const uint32_t *place) {
  const struct clew_timed *timed = model->timed;
  uint32_t count = timed->limits(model, NULL);
  struct clew_clock_limit *limits = clew_alloc((count + (size_t)1) * sizeof *limits);
  uint32_t *owners = clew_alloc(timed->clock_count * sizeof *owners);
  memset(owners, 0xff, timed->clock_count * sizeof *owners);
  (void)timed->limits(model, limits);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = place_of(model, limits[i].process, place);
    uint32_t *owner = &owners[limits[i].clock];
    *owner = at < *owner ? at : *owner;
  }
  owners[0] = 0;
  clew_free(limits);
  return owners;
}

void clew_symbolic_mix(const struct clew_model *model, uint32_t *place) {
  const struct clew_timed *timed = model->timed;
  if (timed == NULL || !timed->is_flat) {
    return;
  }
  uint32_t dim = timed->clock_count, bounds = dim * (dim - 1), slots = model->slot_count;
  assert(bounds <= slots);
  uint32_t *owners = find_owners(model, place);
  struct seat *seats = clew_alloc((slots + (size_t)1) * sizeof *seats);
  for (uint32_t i = 0; i < slots; i++) {
    seats[i] = (struct seat){i, place[i], true};
  }
  struct seat *bound = seats + (slots - bounds); /* row by row, without the diagonal */
  for (uint32_t i = 0; i < dim; i++) {
    for (uint32_t j = 0; j < dim; j++) {
      if (i != j) {
        bound->place = owners[i] > owners[j] ? owners[i] : owners[j];
        bound->is_behind = false;
        bound++;
      }
    }
  }
  qsort(seats, slots, sizeof *seats, compare_seats);
  for (uint32_t i = 0; i < slots; i++) {
    place[seats[i].slot] = i;
  }
  clew_free(seats);
  clew_free(owners);
}
