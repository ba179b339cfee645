/* From the options that were given to the structs of the chosen engine and store. */
#include "cli/store_options.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/message.h"
#include "cli/registry.h"

static uint32_t count_engines(void) {
  uint32_t count = 0;
  while (clew_engines[count] != NULL) {
    count++;
  }
  return count;
}

const struct clew_option_table *clew_part_options(uint32_t part) {
  uint32_t engines = count_engines();
  if (part < engines) {
    return &clew_engines[part]->options;
  }
  const struct clew_store_type *store = clew_stores[part - engines];
  return store != NULL ? &store->options : NULL;
}

/* "store compact" */
static void put_title(struct clew_text *title, uint32_t part) {
  uint32_t engines = count_engines();
  if (part < engines) {
    clew_text_printf(title, "search %s", clew_engines[part]->name);
  } else {
    assert(clew_stores[part - engines] != NULL);
    clew_text_printf(title, "store %s", clew_stores[part - engines]->name);
  }
}

void clew_part_put_options(struct clew_text *out,
                           void (*put_head)(struct clew_text *out, const char *title),
                           void (*put_option)(struct clew_text *out,
                                              const struct clew_option_spec *spec)) {
  const struct clew_option_table *table;
  struct clew_text title = {0};
  for (uint32_t part = 0; (table = clew_part_options(part)) != NULL; part++) {
    clew_text_clear(&title);
    for (uint32_t i = 0; i < table->count; i++) {
      if (table->specs[i].help == NULL) {
        continue;
      }
      if (title.len == 0) {
        put_title(&title, part);
        put_head(out, clew_text_str(&title));
      }
      put_option(out, &table->specs[i]);
    }
  }
  clew_text_free(&title);
}

const struct clew_option_spec *clew_part_option(const char *name, size_t name_length) {
  const struct clew_option_spec *spec = NULL;
  const struct clew_option_table *table;
  for (uint32_t part = 0; spec == NULL && (table = clew_part_options(part)) != NULL; part++) {
    spec = clew_option_find(table, name, name_length);
  }
  return spec;
}

/* Of a store that is not there: none. */
static const struct clew_option_table *table_of(const struct clew_store_type *store) {
  static const struct clew_option_table none = {0};
  return store != NULL ? &store->options : &none;
}

static const struct clew_option_spec *find(const struct clew_option_table *table,
                                           const char *name) {
  return clew_option_find(table, name, strlen(name));
}

/* "--pod means nothing to the search bfs (it is for dfs)": where stores read the option, it is the
 * store that was expected to. */
static enum clew_exit refuse(const struct clew_options *options, const char *name,
                             const struct clew_engine_type *engine,
                             const struct clew_store_type *store) {
  struct clew_text stores = {0}, engines = {0};
  for (size_t i = 0; clew_stores[i] != NULL; i++) {
    if (find(&clew_stores[i]->options, name) != NULL) {
      clew_text_printf(&stores, "%s%s", stores.len > 0 ? " " : "", clew_stores[i]->name);
    }
  }
  for (size_t i = 0; clew_engines[i] != NULL; i++) {
    if (find(&clew_engines[i]->options, name) != NULL) {
      clew_text_printf(&engines, "%s%s", engines.len > 0 ? " " : "", clew_engines[i]->name);
    }
  }
  bool of_store = stores.len > 0 && store != NULL;
  assert(stores.len > 0 || engines.len > 0);
  clew_message_usage(options->command, "--%s means nothing to the %s %s (it is for %s)", name,
                     of_store ? "store" : "search", of_store ? store->name : engine->name,
                     clew_text_str(stores.len > 0 ? &stores : &engines));
  clew_text_free(&stores);
  clew_text_free(&engines);
  return CLEW_EXIT_USAGE;
}

static void *alloc_fields(const struct clew_option_table *table) {
  assert((table->count == 0) == (table->bytes == 0));
  return table->count > 0 ? clew_alloc_zero(1, table->bytes) : NULL;
}

static void free_fields(const struct clew_option_table *table, void **fields) {
  if (*fields != NULL) {
    clew_option_free_lists(table, *fields);
    clew_free(*fields);
    *fields = NULL;
  }
}

/* Whether one of the two took it. */
static enum clew_exit take(const struct clew_options *options,
                           const struct clew_given_option *given,
                           const struct clew_engine_type *engine,
                           const struct clew_store_type *store, void *engine_fields,
                           void *store_fields) {
  const struct clew_option_spec *of_engine = find(&engine->options, given->name);
  const struct clew_option_spec *of_store = find(table_of(store), given->name);
  if (of_engine == NULL && of_store == NULL) {
    return refuse(options, given->name, engine, store);
  }
  struct clew_text error = {0};
  enum clew_exit exit = CLEW_EXIT_OK;
  if ((of_engine != NULL && !clew_option_set(of_engine, given->value, engine_fields, &error)) ||
      (of_store != NULL && !clew_option_set(of_store, given->value, store_fields, &error))) {
    exit = clew_message_usage(options->command, "%s", clew_text_str(&error));
  }
  clew_text_free(&error);
  return exit;
}

enum clew_exit clew_choose_options(const struct clew_options *options,
                                   const struct clew_engine_type *engine,
                                   const struct clew_store_type *store, void **engine_fields,
                                   void **store_fields) {
  assert(engine != NULL);
  *engine_fields = alloc_fields(&engine->options);
  *store_fields = alloc_fields(table_of(store));
  enum clew_exit exit = CLEW_EXIT_OK;
  for (uint32_t i = 0; i < options->given.len && exit == CLEW_EXIT_OK; i++) {
    exit = take(options, &options->given.data[i], engine, store, *engine_fields, *store_fields);
  }
  if (exit != CLEW_EXIT_OK) {
    free_fields(&engine->options, engine_fields);
    free_fields(table_of(store), store_fields);
  }
  return exit;
}
