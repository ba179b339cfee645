/* For tests of the exact store, beside its interface. */
#ifndef CLEW_STORE_EXACT_INT_H
#define CLEW_STORE_EXACT_INT_H

#include "store/store.h"

/* The index gets wide entries with more than so many states, at most 2^32 - 2, which is what it
 * does by itself. To be called before the first `reserve`. */
void clew_exact_widen_from(struct clew_store *store, uint64_t states);

#endif
