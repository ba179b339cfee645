/* Shared by the tables of the compact store: those with quotienting, the one that grows (compact.c)
 * and the one of a given size (compact_fixed.c), and the plain one of the literature
 * (compact_plain.c). */
#ifndef CLEW_STORE_COMPACT_INT_H
#define CLEW_STORE_COMPACT_INT_H

#include "store/omission.h"
#include "store/store.h"

/* The counters that all have. */
struct clew_compact_figures {
  double signature_bits; /* that tell states apart */
  uint32_t stored_bits;
  uint64_t slots, stored; /* signatures */
  double chance;          /* that a further state would be left out */
  struct clew_omission omission;
  uint64_t adopted, visits;
  uint32_t growths;
  double growth_s;
};

void clew_compact_add_figures(const struct clew_compact_figures *figures,
                              struct clew_counters *out);

/* For who opened a growing table of whole hashes, which is the default: each hash, and the number
 * of visits so far. Nobody else uses it now. */
void clew_compact_each(const struct clew_store *store, void (*found)(void *context, uint64_t hash),
                       void *context);
uint64_t clew_compact_visits(const struct clew_store *store);

/* A plain table of `bits` stored bits and at least `entries` slots, or as many as the budget
 * allows (0). NULL when the budget is too small. */
struct clew_store *clew_compact_plain_open(const struct clew_store_config *config, uint32_t bits,
                                           uint64_t entries);

/* A quotienting table of `bits` stored bits and `entries` slots, all of which can be taken. NULL
 * when the budget is too small. */
struct clew_store *clew_compact_fixed_open(const struct clew_store_config *config, uint32_t bits,
                                           uint64_t entries);

#endif
