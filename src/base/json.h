/* JSON: a writer that cannot produce an ill-formed document, and a small reader for what clew
 * itself wrote (saved traces). */
#ifndef CLEW_BASE_JSON_H
#define CLEW_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

struct clew_json_writer {
  struct clew_text *out; /* borrowed */
  uint32_t depth;        /* at most 64 */
  uint64_t objects;      /* bit d: what is open at depth d is an object */
  bool first, after_key;
};

/* Strings are UTF-8; bytes that are not become the character of that number (Latin-1). */
void clew_json_begin(struct clew_json_writer *w, struct clew_text *out); /* indented output */
void clew_json_object_open(struct clew_json_writer *w);
void clew_json_object_close(struct clew_json_writer *w);
void clew_json_array_open(struct clew_json_writer *w);
void clew_json_array_close(struct clew_json_writer *w);
void clew_json_key(struct clew_json_writer *w, const char *key);
void clew_json_string(struct clew_json_writer *w, const char *value); /* NULL -> null */
void clew_json_u64(struct clew_json_writer *w, uint64_t value);
void clew_json_i64(struct clew_json_writer *w, int64_t value);
void clew_json_double(struct clew_json_writer *w, double value); /* not finite -> null */
/* A key and its value. */
void clew_json_key_u64(struct clew_json_writer *w, const char *key, uint64_t value);
void clew_json_key_double(struct clew_json_writer *w, const char *key, double value);
void clew_json_bool(struct clew_json_writer *w, bool value);
void clew_json_end(struct clew_json_writer *w); /* final newline; asserts that all is closed */

enum clew_json_kind {
  CLEW_JSON_NULL,
  CLEW_JSON_BOOL,
  CLEW_JSON_NUMBER,
  CLEW_JSON_STRING,
  CLEW_JSON_ARRAY,
  CLEW_JSON_OBJECT,
};

struct clew_json {
  enum clew_json_kind kind;
  bool boolean;
  double number;
  int64_t integer; /* when the number is one */
  bool is_integer;
  const char *string;            /* terminated */
  const struct clew_json *items; /* of an array or the values of an object */
  const char *const *keys;       /* of an object */
  uint32_t count;
};

/* NULL on error, with *error_offset and *error (static text). Nesting is limited to 100. */
const struct clew_json *clew_json_parse(struct clew_arena *arena, const char *text, size_t length,
                                        size_t *error_offset, const char **error);
const struct clew_json *clew_json_get(const struct clew_json *object,
                                      const char *key); /* or NULL */

#endif
