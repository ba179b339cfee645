/* Options that belong to a part of clew (a store, an engine) rather than to the command line: the
 * part brings a table, and the parser, the help, the manual page and the messages come from it.
 *
 * A part keeps its options in a struct of its own; an option is a field of it. A struct that is
 * all zero says nothing, and the part then does what its help calls the default.
 *
 *   struct my_options { uint64_t entries; bool plain; };
 *   static const struct clew_option_spec options[] = {
 *       {CLEW_OPTION_POSITIVE, "entries", "N", "size the table for N states",
 *        .offset = offsetof(struct my_options, entries)},
 *       {CLEW_OPTION_FLAG, "plain", NULL, "…", .offset = offsetof(struct my_options, plain)}};
 *
 *   .options = CLEW_OPTION_TABLE(options, struct my_options) */
#ifndef CLEW_BASE_OPTION_H
#define CLEW_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct clew_string_list {
  const char **data;
  uint32_t len, cap;
};

enum clew_option_kind {
  CLEW_OPTION_FLAG,     /* bool; takes no value */
  CLEW_OPTION_TEXT,     /* const char *, borrowed from the command line; not empty */
  CLEW_OPTION_CHOICE,   /* uint32_t: 1 + the place of the value in `argument`, "a|b|c" */
  CLEW_OPTION_LIST,     /* struct clew_string_list; may be given several times */
  CLEW_OPTION_COUNT,    /* uint64_t, never UINT64_MAX */
  CLEW_OPTION_POSITIVE, /* the same, not 0 */
  CLEW_OPTION_BYTES,    /* the same, written as 300M, 8G */
  CLEW_OPTION_REAL,     /* double, not negative; without bounds `argument` is its unit (SECONDS) */
};

struct clew_option_spec {
  enum clew_option_kind kind;
  const char *name;     /* without the dashes */
  const char *argument; /* what the help calls the value; NULL for a flag */
  const char *help;     /* NULL: hidden */
  size_t offset;        /* of the field */
  double least, most;   /* numbers: what is allowed; both 0: anything of the kind */
  bool above;           /* `least` itself is not allowed */
};

/* A table of options and the size of the struct that they are fields of. A zeroed one has none. */
struct clew_option_table {
  const struct clew_option_spec *specs;
  uint32_t count;
  size_t bytes; /* of the struct */
};

/* All entries of the array `array`, whose options are fields of `type`. */
#define CLEW_OPTION_TABLE(array, type)                                                             \
  { array, sizeof(array) / sizeof(array)[0], sizeof(type) }

/* The option whose name is these `name_length` bytes, or NULL. */
const struct clew_option_spec *clew_option_find(const struct clew_option_table *table,
                                                const char *name, size_t name_length);
/* Parses `value` (NULL for a flag) into the field of `fields`. False, with a sentence without a
 * full stop in *error ("--hash-bits is from 1 to 64"), when it is not of the kind or not allowed.
 */
bool clew_option_set(const struct clew_option_spec *spec, const char *value, void *fields,
                     struct clew_text *error);
/* The place of a word in "a|b|c", from 1 on; 0 when it is none of them. */
uint32_t clew_option_choice(const char *choices, const char *word);
/* The length of the word at a place, from 1 on, of "a|b|c"; *word is where it begins. */
size_t clew_option_word(const char *choices, uint32_t place, const char **word);
/* Frees the lists in `fields`, which stays the caller's. */
void clew_option_free_lists(const struct clew_option_table *table, void *fields);

#endif
