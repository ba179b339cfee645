/* Values of options: from a word of the command line to a field. Every option of clew comes through
 * here, those of the command line and those of stores and engines, so that the same mistake gets
 * the same answer everywhere. */
#include "base/option.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"

const struct clew_option_spec *clew_option_find(const struct clew_option_table *table,
                                                const char *name, size_t name_length) {
  assert(table->count == 0 || table->specs != NULL);
  for (uint32_t i = 0; i < table->count; i++) {
    const struct clew_option_spec *spec = &table->specs[i];
    if (strlen(spec->name) == name_length && memcmp(spec->name, name, name_length) == 0) {
      return spec;
    }
  }
  return NULL;
}

size_t clew_option_word(const char *choices, uint32_t place, const char **word) {
  assert(place >= 1);
  *word = choices;
  for (uint32_t i = 1; i < place; i++) {
    *word += strcspn(*word, "|");
    assert(**word == '|');
    (*word)++;
  }
  return strcspn(*word, "|");
}

uint32_t clew_option_choice(const char *choices, const char *word) {
  assert(choices != NULL && word != NULL);
  size_t length = strlen(word);
  uint32_t place = 1;
  for (const char *at = choices;; place++) {
    size_t part = strcspn(at, "|");
    if (part == length && memcmp(at, word, length) == 0) {
      return place;
    }
    if (at[part] == '\0') {
      return 0;
    }
    at += part + 1;
  }
}

static bool has_bounds(const struct clew_option_spec *spec) {
  return spec->least != 0 || spec->most != 0;
}

static bool is_allowed(const struct clew_option_spec *spec, double value) {
  return !has_bounds(spec) ||
         (value >= spec->least && value <= spec->most && !(spec->above && value == spec->least));
}

static void put_bound(const struct clew_option_spec *spec, double bound, struct clew_text *out) {
  char buffer[32];
  if (spec->kind == CLEW_OPTION_BYTES) {
    clew_text_put(out, clew_text_bytes((uint64_t)bound, buffer));
  } else {
    clew_text_printf(out, "%.15g", bound);
  }
}

/* "from 1 to 64", "above 0 and at most 1", "at least 2" */
static void put_bounds(const struct clew_option_spec *spec, struct clew_text *out) {
  assert(has_bounds(spec) && spec->least <= spec->most);
  bool is_open = isinf(spec->most) != 0;
  clew_text_put(out, spec->above ? "above " : is_open ? "at least " : "from ");
  put_bound(spec, spec->least, out);
  if (!is_open) {
    clew_text_put(out, spec->above ? " and at most " : " to ");
    put_bound(spec, spec->most, out);
  }
}

/* Says what the option wants; returns false. */
static bool refuse(const struct clew_option_spec *spec, const char *value,
                   struct clew_text *error) {
  clew_text_printf(error, "--%s ", spec->name);
  if (has_bounds(spec)) {
    clew_text_put(error, "is ");
    put_bounds(spec, error);
  } else if (spec->kind == CLEW_OPTION_TEXT) {
    clew_text_put(error, "needs a value that is not empty");
  } else if (spec->kind == CLEW_OPTION_CHOICE) {
    clew_text_printf(error, "is one of %s, not '%s'", spec->argument, value);
  } else if (spec->kind == CLEW_OPTION_BYTES) {
    clew_text_printf(error, "needs a size such as 300M or 8G, not '%s'", value);
  } else if (spec->kind == CLEW_OPTION_REAL) {
    clew_text_put(error, "needs a number of ");
    for (const char *at = spec->argument; *at != '\0'; at++) {
      clew_text_char(error, (char)tolower((unsigned char)*at));
    }
    clew_text_printf(error, ", not '%s'", value);
  } else {
    clew_text_printf(error, "needs a whole number from %u on, not '%s'",
                     spec->kind == CLEW_OPTION_POSITIVE ? 1U : 0U, value);
  }
  return false;
}

/* The greatest number is no value: the command line has it for options that were not given. */
static bool read_number(const struct clew_option_spec *spec, const char *value, uint64_t *number) {
  bool good = spec->kind == CLEW_OPTION_BYTES ? clew_text_parse_bytes(value, number)
                                              : clew_text_parse_u64(value, number);
  return good && *number != UINT64_MAX && (spec->kind != CLEW_OPTION_POSITIVE || *number > 0) &&
         is_allowed(spec, (double)*number);
}

static bool read_real(const struct clew_option_spec *spec, const char *value, double *real) {
  return clew_text_parse_double(value, real) && *real >= 0 && is_allowed(spec, *real);
}

bool clew_option_set(const struct clew_option_spec *spec, const char *value, void *fields,
                     struct clew_text *error) {
  assert((value == NULL) == (spec->kind == CLEW_OPTION_FLAG));
  void *field = (char *)fields + spec->offset;
  switch (spec->kind) {
  case CLEW_OPTION_FLAG:
    *(bool *)field = true;
    return true;
  case CLEW_OPTION_TEXT:
    *(const char **)field = value;
    return value[0] != '\0' || refuse(spec, value, error);
  case CLEW_OPTION_CHOICE: {
    uint32_t place = clew_option_choice(spec->argument, value);
    *(uint32_t *)field = place;
    return place != 0 || refuse(spec, value, error);
  }
  case CLEW_OPTION_LIST: {
    struct clew_string_list *list = field;
    clew_vec_push(list, value);
    return true;
  }
  case CLEW_OPTION_COUNT:
  case CLEW_OPTION_POSITIVE:
  case CLEW_OPTION_BYTES: {
    uint64_t number;
    if (!read_number(spec, value, &number)) {
      return refuse(spec, value, error);
    }
    *(uint64_t *)field = number;
    return true;
  }
  case CLEW_OPTION_REAL: {
    double real;
    if (!read_real(spec, value, &real)) {
      return refuse(spec, value, error);
    }
    *(double *)field = real;
    return true;
  }
  }
  return false;
}

void clew_option_free_lists(const struct clew_option_table *table, void *fields) {
  assert(table->count == 0 || fields != NULL);
  for (uint32_t i = 0; i < table->count; i++) {
    if (table->specs[i].kind == CLEW_OPTION_LIST) {
      struct clew_string_list *list = (void *)((char *)fields + table->specs[i].offset);
      clew_vec_free(list);
    }
  }
}
