/* The tables of languages, stores, engines and outputs. */
#include "cli/registry.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "cli/options.h"

const struct clew_language *const clew_languages[] = {
    &clew_language_murphi, &clew_language_dve, &clew_language_uppaal,
    &clew_language_pnml,   &clew_language_cpn, NULL,
};

/* One line each: clang-format would make columns of so many. */
/* clang-format off */
const struct clew_store_type *const clew_stores[] = {
    &clew_store_exact,
    &clew_store_compact,
    &clew_store_bloom,
    &clew_store_cache,
    &clew_store_tree,
    &clew_store_disk,
    &clew_store_comback,
    &clew_store_zones,
    NULL,
};
/* clang-format on */

const struct clew_engine_type *const clew_engines[] = {
    &clew_engine_bfs, &clew_engine_dfs, &clew_engine_symbolic, &clew_engine_auto, NULL,
};

const struct clew_output_entry clew_outputs[] = {
    {.type = &clew_output_trace, .offset = offsetof(struct clew_options, trace)},
    {.type = &clew_output_json, .offset = offsetof(struct clew_options, json)},
    {.type = &clew_output_itf, .offset = offsetof(struct clew_options, itf)},
    {.type = &clew_output_junit, .offset = offsetof(struct clew_options, junit)},
    {.type = &clew_output_sarif, .offset = offsetof(struct clew_options, sarif)},
    {.type = &clew_output_coverage, .offset = offsetof(struct clew_options, coverage)},
    {.type = &clew_output_plot, .offset = offsetof(struct clew_options, plot)},
    {.type = &clew_output_report, .offset = offsetof(struct clew_options, report)},
    {.type = &clew_output_text,
     .is_default = true}, /* last: it can say what became of the others */
    {.type = NULL},
};

const struct clew_language *clew_registry_language(const char *name) {
  assert(name != NULL);
  const struct clew_language *const *at = clew_languages;
  while (*at != NULL && strcmp((*at)->name, name) != 0) {
    at++;
  }
  return *at;
}

const struct clew_store_type *clew_registry_store(const char *name) {
  assert(name != NULL);
  const struct clew_store_type *const *at = clew_stores;
  while (*at != NULL && strcmp((*at)->name, name) != 0) {
    at++;
  }
  return *at;
}

const struct clew_engine_type *clew_registry_engine(const char *name) {
  assert(name != NULL);
  const struct clew_engine_type *const *at = clew_engines;
  while (*at != NULL && strcmp((*at)->name, name) != 0) {
    at++;
  }
  return *at;
}

const struct clew_language *clew_registry_language_of(const char *path) {
  size_t length = strlen(path);
  for (const struct clew_language *const *at = clew_languages; *at != NULL; at++) {
    for (const char *const *suffix = (*at)->suffixes; *suffix != NULL; suffix++) {
      size_t tail = strlen(*suffix);
      if (length >= tail && strcmp(path + length - tail, *suffix) == 0) {
        return *at;
      }
    }
  }
  return NULL;
}

static void put_item(struct clew_text *out, bool first, const char *name) {
  clew_text_printf(out, "%s%s", first ? "" : ", ", name);
}

void clew_registry_list_languages(struct clew_text *out) {
  for (size_t i = 0; clew_languages[i] != NULL; i++) {
    put_item(out, i == 0, clew_languages[i]->name);
    for (const char *const *suffix = clew_languages[i]->suffixes; *suffix != NULL; suffix++) {
      clew_text_printf(out, " %s", *suffix);
    }
  }
}

void clew_registry_list_stores(struct clew_text *out) {
  for (size_t i = 0; clew_stores[i] != NULL; i++) {
    put_item(out, i == 0, clew_stores[i]->name);
  }
}

void clew_registry_list_engines(struct clew_text *out) {
  for (size_t i = 0; clew_engines[i] != NULL; i++) {
    put_item(out, i == 0, clew_engines[i]->name);
  }
}
