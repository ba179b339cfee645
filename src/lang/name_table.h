/* Names of a model, interned: equal names are equal pointers, so a scope is a pointer in the name
 * itself and a lookup is one load.
 *
 * A language makes `struct clew_name` the first member of its own struct and says how large that
 * is; what it adds starts out as zeros. Names live in the arena and are never taken out again. */
#ifndef CLEW_LANG_NAME_TABLE_H
#define CLEW_LANG_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct clew_name {
  const char *text;
  struct clew_name *next; /* in its bucket */
  uint32_t length;        /* of the text */
  bool reported;          /* as unknown: once is enough */
};

struct clew_name_table {
  struct clew_arena *arena; /* borrowed */
  size_t name_bytes;        /* of the language's struct */
  struct clew_name **buckets;
  uint32_t bucket_count, count; /* bucket_count is a power of two, or 0 */
};

/* The name with this text, made on first sight. */
struct clew_name *clew_name_intern(struct clew_name_table *table, const char *text, size_t length);

/* The name nearest to `text` of those that are `visible`, when it is a likely misspelling, else
 * NULL. */
const char *clew_name_nearest(const struct clew_name_table *table, const char *text,
                              bool (*visible)(const struct clew_name *name, const void *context),
                              const void *context);

#endif
