/* The options of stores and engines: each brings a table of its own (base/option.h), and here are
 * all of them together. The parser takes what any of them has; once a store and an engine are
 * chosen, an option that neither of them reads is refused: someone expects something of it.
 *
 * A *part* is a store or an engine, numbered as in the registry, engines first. */
#ifndef CLEW_CLI_STORE_OPTIONS_H
#define CLEW_CLI_STORE_OPTIONS_H

#include "cli/options.h"
#include "search/engine.h"
#include "store/store.h"

/* The table of a part; NULL after the last. */
const struct clew_option_table *clew_part_options(uint32_t part);
/* Writes the options of all parts that have any which are not hidden: for each part a head, whose
 * title is such as "store compact", then the options. */
void clew_part_put_options(struct clew_text *out,
                           void (*put_head)(struct clew_text *out, const char *title),
                           void (*put_option)(struct clew_text *out,
                                              const struct clew_option_spec *spec));
/* The first of all these options that has this name, or NULL. Others of the same name take the same
 * kind of value. */
const struct clew_option_spec *clew_part_option(const char *name, size_t name_length);

/* Fills in the structs of options that the engine and the store (NULL: there is none) read. They
 * are allocated, and the caller's to free, with their lists (clew_option_free_lists); NULL when a
 * table is empty. CLEW_EXIT_OK, or the exit code after the user has been told what is wrong; then
 * both are NULL. */
enum clew_exit clew_choose_options(const struct clew_options *options,
                                   const struct clew_engine_type *engine,
                                   const struct clew_store_type *store, void **engine_fields,
                                   void **store_fields);

#endif
