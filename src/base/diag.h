/* Diagnostics: what is wrong with an input, where, and the line it is on.
 *
 * A source is a named text; a position is a byte offset into it, so that a token costs one integer
 * and line and column are computed only when something is reported. A sink collects what went
 * wrong; nothing is printed here (report/ and cli/ write to the user). */
#ifndef CLEW_BASE_DIAG_H
#define CLEW_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct clew_source {
  const char *name; /* as the user wrote it */
  const char *text; /* `length` bytes followed by a NUL */
  size_t length;
};

struct clew_position {
  uint32_t line, column; /* from 1; column counts bytes, tabs are one */
};

struct clew_position clew_source_position(const struct clew_source *source, size_t offset);

enum clew_severity { CLEW_ERROR, CLEW_WARNING, CLEW_NOTE };

struct clew_diag {
  enum clew_severity severity;
  const char *file;              /* NULL: not about a file */
  struct clew_position position; /* line 0: about the whole file */
  const char *message;           /* one line, no final newline */
  const char *line;              /* the source line, or NULL */
  uint32_t caret_length;         /* how many columns to underline, at least 1 */
};

struct clew_diag_sink {
  struct clew_diag *data; /* owned, as are the strings in it */
  uint32_t len, cap;
  uint32_t error_count; /* also those beyond the limit, which are not kept */
  uint32_t error_limit; /* 0 means the default of 20; after that many nothing more is kept, nor
                           more than ten times as many warnings and notes */
};

void clew_diag_sink_free(struct clew_diag_sink *sink);

/* At `offset` of `source`, underlining `length` bytes. */
void clew_diag_at(struct clew_diag_sink *sink, enum clew_severity severity,
                  const struct clew_source *source, size_t offset, size_t length,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));
void clew_diag_vat(struct clew_diag_sink *sink, enum clew_severity severity,
                   const struct clew_source *source, size_t offset, size_t length,
                   const char *format, va_list args) __attribute__((format(printf, 6, 0)));
/* About a file as a whole (`file` may be NULL: about nothing in particular). */
void clew_diag_plain(struct clew_diag_sink *sink, enum clew_severity severity, const char *file,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* One of another sink. */
void clew_diag_copy(struct clew_diag_sink *sink, const struct clew_diag *diag);

/* "file:3:7: error: message", the source line, and a caret under it. Tabs of the source line are
 * kept in the caret line so that they align; control characters and overlong lines are tamed. */
void clew_diag_render(const struct clew_diag *diag, struct clew_text *out);

/* The candidate nearest to `name` if it is near enough to be a likely misspelling, else NULL. */
const char *clew_diag_nearest(const char *name, const char *const *candidates, size_t count);

#endif
