/* What a store would take for the states of a search, found out on a sample of them. */
#ifndef CLEW_CLI_SAMPLE_H
#define CLEW_CLI_SAMPLE_H

#include "store/store.h"

/* Bytes of each of so many states in a store of this type with default options. The source must
 * give states back, and is as before; the sample takes what it needs from the budget. Infinity
 * where nothing can be found out. */
double clew_sample_bytes_each(struct clew_store *source, const struct clew_store_type *type,
                              struct clew_budget *budget, uint64_t states);

#endif
