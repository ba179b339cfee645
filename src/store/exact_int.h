/* The exact store beside its interface: for other stores and for tests. */
#ifndef CLEW_STORE_EXACT_INT_H
#define CLEW_STORE_EXACT_INT_H

#include "store/store.h"

/* `put`, for a store that keeps its states in this one: whether several threads are inside is said
 * by the caller, not by the store. */
void clew_exact_put_as(struct clew_store *store, uint32_t count, struct clew_visit *visits,
                       bool shared);
/* The index gets wide entries with more than so many states, at most 2^32 - 2, which is what it
 * does by itself. To be called before the first `reserve`. */
void clew_exact_widen_from(struct clew_store *store, uint64_t states);

#endif
