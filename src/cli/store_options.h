/* The options of stores: checked against the store and the search that are chosen. */
#ifndef CLEW_CLI_STORE_OPTIONS_H
#define CLEW_CLI_STORE_OPTIONS_H

#include "cli/options.h"
#include "search/engine.h"
#include "store/store.h"

/* CLEW_EXIT_OK, or the exit code after the user has been told what is wrong. Texts in `out`
 * belong to the options. */
enum clew_exit clew_choose_store_options(const struct clew_options *options,
                                         const struct clew_engine_type *engine,
                                         const struct clew_store_type *store,
                                         struct clew_store_options *out);

#endif
