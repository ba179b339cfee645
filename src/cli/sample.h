/* What a store would take for the states of a search, found out on a sample of them. */
#ifndef CLEW_CLI_SAMPLE_H
#define CLEW_CLI_SAMPLE_H

#include "cli/session.h"

/* Bytes of each of so many states in a store of this type, with all defaults. The store of the
 * session must give states back; infinity where nothing can be found out. */
double clew_sample_bytes_each(const struct clew_session *session,
                              const struct clew_store_type *type, uint64_t states);

#endif
