/* Settings for the tests of stores and engines: options of a table as texts, as the command line
 * gives them. An option that is added to a table is tried without a line more. */
#ifndef CLEW_TESTS_STORE_SETTINGS_H
#define CLEW_TESTS_STORE_SETTINGS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/option.h"
#include "base/random.h"

enum { MOST_CHOSEN = 3, VALUE_BYTES = 64 };

struct setting {
  uint32_t count;
  const struct clew_option_spec *specs[MOST_CHOSEN];
  char values[MOST_CHOSEN][VALUE_BYTES];
};

static inline void setting_print(const struct setting *setting, struct clew_text *out) {
  for (uint32_t i = 0; i < setting->count; i++) {
    clew_text_printf(out, " --%s %s", setting->specs[i]->name, setting->values[i]);
  }
}

/* The n-th value that is tried for an option; false when there are no more. Texts are guesses:
 * some of them are refused, which is tested too. */
static inline bool sample_value(const struct clew_option_spec *spec, uint32_t n, char *value) {
  static const char *const texts[] = {"0", "7",    "1000",       "none", "R",
                                      "H", "F:50", "F20-D80:60", "L3",   "0.2,0.3,0.5"};
  static const unsigned long long numbers[] = {0, 1, 3, 40, 1000, 100000};
  static const char *const sizes[] = {"1", "64K", "3M"};
  bool bounded = spec->least != 0 || spec->most != 0;
  switch (spec->kind) {
  case CLEW_OPTION_FLAG:
    value[0] = '\0';
    return n == 0;
  case CLEW_OPTION_CHOICE: {
    const char *at = spec->argument;
    for (; n > 0 && at != NULL; n--) {
      at = strchr(at, '|');
      at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL && snprintf(value, VALUE_BYTES, "%.*s", (int)strcspn(at, "|"), at) > 0;
  }
  case CLEW_OPTION_TEXT:
  case CLEW_OPTION_LIST:
    return n < sizeof texts / sizeof texts[0] && snprintf(value, VALUE_BYTES, "%s", texts[n]) > 0;
  case CLEW_OPTION_COUNT:
  case CLEW_OPTION_POSITIVE:
    if (bounded && isfinite(spec->most)) {
      double part = spec->least + floor((spec->most - spec->least) * n / 4);
      return n <= 4 && snprintf(value, VALUE_BYTES, "%.0f", part) > 0;
    }
    return n < sizeof numbers / sizeof numbers[0] &&
           snprintf(value, VALUE_BYTES, "%llu", numbers[n]) > 0;
  case CLEW_OPTION_BYTES:
    return n < sizeof sizes / sizeof sizes[0] && snprintf(value, VALUE_BYTES, "%s", sizes[n]) > 0;
  case CLEW_OPTION_REAL: {
    double most = bounded && isfinite(spec->most) ? spec->most : spec->least + 1;
    return n < 2 &&
           snprintf(value, VALUE_BYTES, "%g", n == 0 ? most : (spec->least + most) / 2) > 0;
  }
  }
  return false;
}

/* The n-th setting of a store: none, then each option by itself with all its values, then some
 * together. */
static inline bool setting_make(const struct clew_option_table *table, uint32_t n,
                                struct setting *setting) {
  enum { TOGETHER = 12 };
  *setting = (struct setting){0};
  if (n-- == 0) {
    return true;
  }
  uint32_t singles = 0;
  for (uint32_t i = 0; i < table->count; i++) {
    uint32_t values = 0;
    while (sample_value(&table->specs[i], values, setting->values[0])) {
      values++;
    }
    if (n >= singles && n < singles + values) {
      setting->count = 1;
      setting->specs[0] = &table->specs[i];
      return sample_value(&table->specs[i], n - singles, setting->values[0]);
    }
    singles += values;
  }
  if (table->count < 2 || n >= singles + TOGETHER) {
    return false;
  }
  struct clew_random random;
  clew_random_seed(&random, n);
  while (setting->count < MOST_CHOSEN && setting->count < table->count) {
    const struct clew_option_spec *spec = &table->specs[clew_random_below(&random, table->count)];
    char *value = setting->values[setting->count];
    if (sample_value(spec, (uint32_t)clew_random_below(&random, 6), value)) {
      setting->specs[setting->count++] = spec;
    }
  }
  return true;
}

/* The struct of the table with these values in it; NULL, which a store or an engine must do with
 * too, where nothing is set. */
static inline void *setting_fields(const struct clew_option_table *table,
                                   const struct setting *setting) {
  if (table->count == 0 || setting == NULL || setting->count == 0) {
    return NULL;
  }
  void *fields = clew_alloc_zero(1, table->bytes);
  for (uint32_t i = 0; i < setting->count; i++) {
    struct clew_text error = {0};
    bool is_flag = setting->specs[i]->kind == CLEW_OPTION_FLAG;
    /* A value out of bounds is no setting: the option is then as if not given. */
    (void)clew_option_set(setting->specs[i], is_flag ? NULL : setting->values[i], fields, &error);
    clew_text_free(&error);
  }
  return fields;
}

static inline void setting_free(const struct clew_option_table *table, void *fields) {
  if (fields != NULL) {
    clew_option_free_lists(table, fields);
    clew_free(fields);
  }
}

#endif
