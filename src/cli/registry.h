/* What can be chosen by name: languages, stores, engines, outputs. Each is one line in registry.c;
 * help and messages list what is there. CONTRIBUTING.md says what else adding one takes. */
#ifndef CLEW_CLI_REGISTRY_H
#define CLEW_CLI_REGISTRY_H

#include <stddef.h>

#include "base/text.h"
#include "lang/lang.h"
#include "report/output.h"
#include "search/engine.h"
#include "store/store.h"

/* All of them, ended by NULL; the first is the default. */
extern const struct clew_language *const clew_languages[];
extern const struct clew_store_type *const clew_stores[];
extern const struct clew_engine_type *const clew_engines[];

/* Outputs of a search, ended by a NULL type, in the order of writing: reports name the files that
 * were written before them. */
struct clew_output_entry {
  const struct clew_output_type *type;
  size_t offset;   /* of the field of struct clew_options (a text) that names the file */
  bool is_default; /* has no option: goes to standard output, unless another output does */
};
extern const struct clew_output_entry clew_outputs[];

/* NULL when there is none of that name. */
const struct clew_language *clew_registry_language(const char *name);
const struct clew_store_type *clew_registry_store(const char *name);
const struct clew_engine_type *clew_registry_engine(const char *name);

/* By the suffix of a path; NULL when no language claims it. */
const struct clew_language *clew_registry_language_of(const char *path);

/* "exact, tree": for messages. */
void clew_registry_list_languages(struct clew_text *out); /* with their suffixes */
void clew_registry_list_stores(struct clew_text *out);
void clew_registry_list_engines(struct clew_text *out);

#endif
