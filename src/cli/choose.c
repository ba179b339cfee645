/* What the options of a search name: engine, store, properties. */
#include "cli/choose.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cli/message.h"
#include "cli/registry.h"

enum clew_exit clew_choose_engine(const struct clew_options *options,
                                  const struct clew_engine_type **engine) {
  assert(clew_engines[0] != NULL);
  *engine = options->search != NULL ? clew_registry_engine(options->search) : clew_engines[0];
  if (*engine != NULL) {
    return CLEW_EXIT_OK;
  }
  struct clew_text known = {0};
  clew_registry_list_engines(&known);
  clew_message_usage(options->command, "there is no search '%s' (available: %s)", options->search,
                     clew_text_str(&known));
  clew_text_free(&known);
  return CLEW_EXIT_USAGE;
}

static bool uses_order(const struct clew_store_type *store) {
  return (store->promises & CLEW_STORE_ORDER) != 0;
}

/* The first one that uses the order of states, or, where they have none, the first one. */
static const struct clew_store_type *default_store(bool has_order) {
  assert(clew_stores[0] != NULL);
  const struct clew_store_type *const *at = clew_stores;
  while (has_order && *at != NULL && !uses_order(*at)) {
    at++;
  }
  return *at != NULL ? *at : clew_stores[0];
}

/* One of the registry: not the automatic choice, which is the default. */
static bool names_store(const struct clew_options *options) {
  return options->store != NULL && strcmp(options->store, "auto") != 0;
}

enum clew_exit clew_choose_store(const struct clew_options *options,
                                 const struct clew_engine_type *engine,
                                 const struct clew_model *model,
                                 const struct clew_store_type **store) {
  bool has_order = model != NULL && model->covers != NULL;
  *store = NULL;
  if (!engine->needs_store) {
    return options->store == NULL
               ? CLEW_EXIT_OK
               : clew_message_usage(options->command,
                                    "--store means nothing to the search %s, which needs none",
                                    engine->name);
  }
  *store = names_store(options) ? clew_registry_store(options->store) : default_store(has_order);
  if (*store == NULL) {
    struct clew_text known = {0};
    clew_registry_list_stores(&known);
    clew_message_usage(options->command, "there is no store '%s' (available: auto, %s)",
                       options->store, clew_text_str(&known));
    clew_text_free(&known);
    return CLEW_EXIT_USAGE;
  }
  if (model != NULL && !has_order && uses_order(*store)) {
    return clew_message_usage(options->command,
                              "the store %s is for models with zones: timed models, unless --time "
                              "or --zone says otherwise",
                              (*store)->name);
  }
  return CLEW_EXIT_OK;
}

/* An option that makes sense only with the order of zones, or only without it; or NULL. */
static const char *option_for_order(const struct clew_options *options) {
  if (options->zone == CLEW_CHOICE_ZONE_SHARED) {
    return "--zone shared";
  }
  switch (options->subsumption) {
  case CLEW_CHOICE_SUBSUMPTION_INCLUSION:
    return "--subsumption inclusion";
  case CLEW_CHOICE_SUBSUMPTION_ALU:
    return "--subsumption alu";
  default:
    return NULL;
  }
}

static const char *option_against_order(const struct clew_options *options) {
  if (options->zone == CLEW_CHOICE_ZONE_FLAT) {
    return "--zone flat";
  }
  if (options->zone == CLEW_CHOICE_ZONE_MINIMAL) {
    return "--zone minimal";
  }
  return options->subsumption == CLEW_CHOICE_SUBSUMPTION_NONE ? "--subsumption none" : NULL;
}

/* Whoever asks for the order of zones does not want a store without it. */
bool clew_choose_auto(const struct clew_options *options, const struct clew_store_type *store) {
  return !names_store(options) && store != NULL && option_for_order(options) == NULL;
}

enum clew_exit clew_choose_zones(const struct clew_options *options,
                                 const struct clew_store_type *store, bool *flat) {
  const char *with = option_for_order(options), *without = option_against_order(options);
  *flat = without != NULL || store == NULL || (names_store(options) && !uses_order(store));
  if (with != NULL && without != NULL) {
    return clew_message_usage(options->command, "%s and %s contradict each other", with, without);
  }
  if (with != NULL && store == NULL) {
    return clew_message_usage(options->command, "%s needs a store that compares zones", with);
  }
  if (with != NULL && *flat) {
    return clew_message_usage(options->command, "%s needs a store that compares zones (%s), not %s",
                              with, default_store(true)->name, store->name);
  }
  if (without != NULL && names_store(options) && uses_order(store)) {
    return clew_message_usage(options->command, "%s leaves nothing to compare to the store %s",
                              without, store->name);
  }
  return CLEW_EXIT_OK;
}

static enum clew_exit enable_by_name(const struct clew_options *options,
                                     const struct clew_model *model, const char *name,
                                     uint64_t *enabled) {
  assert(name != NULL && enabled != NULL);
  uint32_t count = model->property_count;
  const char **names = clew_alloc_zero((size_t)count + 1, sizeof *names);
  bool found = false;
  for (uint32_t i = 0; i < count; i++) {
    names[i] = model->properties[i].name;
    if (strcmp(names[i], name) == 0) {
      clew_bitset_add(enabled, i);
      found = true;
    }
  }
  const char *nearest = found ? NULL : clew_diag_nearest(name, names, count);
  if (nearest != NULL) {
    clew_message_usage(options->command, "the model has no property '%s' (did you mean '%s'?)",
                       name, nearest);
  } else if (!found) {
    clew_message_usage(options->command,
                       "the model has no property '%s' (clew info lists those it has)", name);
  }
  clew_free(names);
  return found ? CLEW_EXIT_OK : CLEW_EXIT_USAGE;
}

static bool asks_questions(const struct clew_options *options) {
  return options->goals.len > 0 || options->invariants.len > 0 || options->queries.len > 0 ||
         options->query_files.len > 0;
}

bool clew_choose_everything(const struct clew_options *options) {
  return !asks_questions(options) && options->properties.len == 0;
}

uint32_t clew_choose_unchecked(const struct clew_options *options, const struct clew_model *model) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->unchecked_count; i++) {
    const struct clew_unchecked *part = &model->unchecked[i];
    count += (clew_choose_everything(options) || part->is_asked) && !part->is_behaviour;
  }
  return count;
}

/* Whether the property is checked without being named by --property. A question wants its own
 * answer; a run-time error on the way is one anyway. */
static bool is_default(const struct clew_options *options, const struct clew_property *property) {
  if (asks_questions(options)) {
    return property->option != NULL || property->kind == CLEW_PROPERTY_FAULT;
  }
  return clew_choose_everything(options);
}

enum clew_exit clew_choose_properties(const struct clew_options *options,
                                      const struct clew_model *model, uint64_t **enabled) {
  uint32_t words = CLEW_BITSET_WORDS(model->property_count);
  *enabled = clew_alloc_zero((size_t)words + 1, sizeof **enabled);
  for (uint32_t i = 0; i < options->properties.len; i++) {
    enum clew_exit exit = enable_by_name(options, model, options->properties.data[i], *enabled);
    if (exit != CLEW_EXIT_OK) {
      return exit;
    }
  }
  for (uint32_t i = 0; i < model->property_count; i++) {
    bool is_deadlock = model->properties[i].kind == CLEW_PROPERTY_DEADLOCK;
    if (options->no_deadlock && is_deadlock) {
      clew_bitset_remove(*enabled, i);
    } else if (is_default(options, &model->properties[i])) {
      clew_bitset_add(*enabled, i);
    }
  }
  if (clew_bitset_count(*enabled, words) == 0 && options->command != CLEW_COMMAND_stats) {
    return clew_message_usage(options->command, "no property is left to be checked");
  }
  return CLEW_EXIT_OK;
}

enum clew_symmetry_mode clew_choose_symmetry(const struct clew_options *options) {
  if (options->no_symmetry) {
    return CLEW_SYMMETRY_OFF;
  }
  switch (options->symmetry) {
  case CLEW_CHOICE_SYMMETRY_FAST:
    return CLEW_SYMMETRY_FAST;
  case CLEW_CHOICE_SYMMETRY_OFF:
    return CLEW_SYMMETRY_OFF;
  default:
    return CLEW_SYMMETRY_CANONICAL;
  }
}
