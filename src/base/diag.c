/* Diagnostics: collecting and rendering them, and guessing what a misspelt name meant.
 *
 * Inputs may be hostile: what is kept is bounded (see struct clew_diag_sink), and what is rendered
 * contains no control character, no broken UTF-8 and no line that fills the screen. */
#include "base/diag.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { DEFAULT_ERROR_LIMIT = 20, OTHERS_PER_ERROR = 10, LINE_COLUMNS = 160 };

struct clew_position clew_source_position(const struct clew_source *source, size_t offset) {
  assert(source->text != NULL);
  const char *at = source->text;
  const char *end = at + (offset < source->length ? offset : source->length);
  struct clew_position position = {.line = 1};
  const char *newline;
  while (at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
    position.line++;
    at = newline + 1;
  }
  position.column = (uint32_t)(end - at) + 1;
  return position;
}

void clew_diag_sink_free(struct clew_diag_sink *sink) {
  for (uint32_t i = 0; i < sink->len; i++) {
    clew_free((void *)sink->data[i].file);
    clew_free((void *)sink->data[i].message);
    clew_free((void *)sink->data[i].line);
  }
  clew_free(sink->data);
  *sink = (struct clew_diag_sink){.error_limit = sink->error_limit};
}

/* Counts a diagnostic; whether it is also to be kept. */
static bool admit(struct clew_diag_sink *sink, enum clew_severity severity) {
  uint32_t limit = sink->error_limit > 0 ? sink->error_limit : DEFAULT_ERROR_LIMIT;
  if (severity == CLEW_ERROR) {
    sink->error_count++;
    return sink->error_count <= limit;
  }
  /* A note belongs to what precedes it, so it goes when that went. */
  if (sink->error_count > limit) {
    return false;
  }
  assert(sink->len >= sink->error_count);
  return sink->len - sink->error_count < (uint64_t)limit * OTHERS_PER_ERROR;
}

__attribute__((format(printf, 1, 0))) static char *format_message(const char *format,
                                                                  va_list args) {
  struct clew_text text = {0};
  clew_text_vprintf(&text, format, args);
  return text.data;
}

/* A copy of the line that `offset` is on, NULL when that is empty. What lies so far behind the
 * position that it is never shown is left out. */
static char *copy_line(const struct clew_source *source, size_t offset, size_t column) {
  assert(column >= 1 && column - 1 <= offset);
  const char *start = source->text + offset - (column - 1);
  size_t rest = source->length - offset;
  size_t length = column - 1 + (rest < 2 * LINE_COLUMNS ? rest : 2 * LINE_COLUMNS);
  const char *newline = memchr(start, '\n', length);
  if (newline != NULL) {
    length = (size_t)(newline - start);
  }
  if (length > 0 && start[length - 1] == '\r') {
    length--;
  }
  if (length == 0) {
    return NULL;
  }
  char *line = clew_strndup(start, length);
  for (char *nul; (nul = memchr(line, '\0', length)) != NULL;) {
    *nul = '?';
  }
  return line;
}

void clew_diag_vat(struct clew_diag_sink *sink, enum clew_severity severity,
                   const struct clew_source *source, size_t offset, size_t length,
                   const char *format, va_list args) {
  assert(source->name != NULL);
  if (!admit(sink, severity)) {
    return;
  }
  if (offset > source->length) {
    offset = source->length;
  }
  struct clew_diag diag = {.severity = severity,
                           .file = clew_strdup(source->name),
                           .position = clew_source_position(source, offset),
                           .message = format_message(format, args),
                           .caret_length = 1};
  diag.line = copy_line(source, offset, diag.position.column);
  if (diag.line != NULL) {
    size_t width = strlen(diag.line), before = diag.position.column - 1;
    size_t room = width > before ? width - before : 1;
    size_t underlined = length < room ? length : room;
    diag.caret_length = underlined > 0 ? (uint32_t)underlined : 1;
  }
  clew_vec_push(sink, diag);
}

void clew_diag_at(struct clew_diag_sink *sink, enum clew_severity severity,
                  const struct clew_source *source, size_t offset, size_t length,
                  const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_diag_vat(sink, severity, source, offset, length, format, args);
  va_end(args);
}

void clew_diag_plain(struct clew_diag_sink *sink, enum clew_severity severity, const char *file,
                     const char *format, ...) {
  if (!admit(sink, severity)) {
    return;
  }
  va_list args;
  va_start(args, format);
  struct clew_diag diag = {.severity = severity,
                           .file = file != NULL ? clew_strdup(file) : NULL,
                           .message = format_message(format, args),
                           .caret_length = 1};
  va_end(args);
  clew_vec_push(sink, diag);
}

void clew_diag_copy(struct clew_diag_sink *sink, const struct clew_diag *diag) {
  if (!admit(sink, diag->severity)) {
    return;
  }
  struct clew_diag copy = *diag;
  copy.file = diag->file != NULL ? clew_strdup(diag->file) : NULL;
  copy.message = clew_strdup(diag->message);
  copy.line = diag->line != NULL ? clew_strdup(diag->line) : NULL;
  clew_vec_push(sink, copy);
}

/* Whether a terminal shows the character as one, and in its place: not controls, and not the marks
 * that reorder the text around them. */
static bool is_harmless(uint32_t code) {
  bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  bool reorders = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !reorders;
}

/* Appends the first character of s, or '?' for one that is not fit to be shown; its length. */
static size_t put_tamed_char(struct clew_text *out, const char *s, size_t n) {
  uint32_t code;
  size_t length = clew_text_utf8(s, n, &code);
  assert(length <= n);
  if (length > 0 && is_harmless(code)) {
    clew_text_put_n(out, s, length);
  } else {
    clew_text_char(out, '?');
  }
  return length > 0 ? length : 1;
}

static void put_tamed(struct clew_text *out, const char *s) {
  for (size_t n = strlen(s); n > 0;) {
    size_t taken = put_tamed_char(out, s, n);
    s += taken;
    n -= taken;
  }
}

struct window {
  size_t start, end;
};

/* The first character boundary from here; three bytes on, what is not UTF-8 is not going to be. */
static size_t next_boundary(const char *line, size_t at) {
  for (int i = 0; i < 3 && ((unsigned char)line[at] & 0xc0) == 0x80; i++) {
    at++;
  }
  return at;
}

/* Which bytes of a line to show so that the caret is among them. */
static struct window choose_window(const char *line, size_t caret) {
  size_t length = strlen(line);
  if (length <= LINE_COLUMNS) {
    return (struct window){0, length};
  }
  size_t width = LINE_COLUMNS - 2 * strlen("...");
  size_t start = caret > width / 2 ? caret - width / 2 : 0;
  if (start > length - width) {
    start = length - width;
  }
  size_t end = next_boundary(line, start + width);
  return (struct window){start > 0 ? next_boundary(line, start) : 0, end};
}

static void render_line(const struct clew_diag *diag, struct clew_text *out) {
  assert(diag->position.column >= 1);
  const char *line = diag->line;
  size_t caret = diag->position.column - 1;
  struct window window = choose_window(line, caret);
  struct clew_text marks = {0};
  if (window.start > 0) {
    clew_text_put(out, "...");
    clew_text_put(&marks, "   ");
  }
  for (size_t i = window.start; i < window.end;) {
    size_t taken = 1;
    if (line[i] == '\t') {
      clew_text_char(out, '\t');
    } else {
      taken = put_tamed_char(out, line + i, window.end - i);
    }
    if (i + taken <= caret) {
      clew_text_char(&marks, line[i] == '\t' ? '\t' : ' ');
    } else if (i <= caret) {
      clew_text_char(&marks, '^');
    } else if (i < caret + diag->caret_length) {
      clew_text_char(&marks, '~');
    }
    i += taken;
  }
  if (caret >= window.end) {
    clew_text_char(&marks, '^');
  }
  if (line[window.end] != '\0') {
    clew_text_put(out, "...");
  }
  clew_text_printf(out, "\n%s\n", clew_text_str(&marks));
  clew_text_free(&marks);
}

void clew_diag_render(const struct clew_diag *diag, struct clew_text *out) {
  static const char *const severities[] = {"error", "warning", "note"};
  assert((size_t)diag->severity < sizeof severities / sizeof severities[0]);
  if (diag->file != NULL) {
    put_tamed(out, diag->file);
    if (diag->position.line > 0) {
      clew_text_printf(out, ":%u:%u", diag->position.line, diag->position.column);
    }
    clew_text_put(out, ": ");
  }
  clew_text_printf(out, "%s: ", severities[diag->severity]);
  put_tamed(out, diag->message);
  clew_text_char(out, '\n');
  if (diag->line != NULL && diag->position.line > 0) {
    render_line(diag, out);
  }
}

/* Names are compared by restricted Damerau-Levenshtein distance: the least cost of insertions,
 * deletions, replacements and swaps of neighbours. An edit costs EDIT; a mere difference of case
 * so little that a name typed all in the wrong case is still near. */
enum { EDIT = 8, CASE = 1, NAME_LIMIT = 64 };

static int lower(char c) {
  return tolower((unsigned char)c);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t name_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  assert(a_length < NAME_LIMIT && b_length < NAME_LIMIT);
  uint32_t rows[3][NAME_LIMIT];
  uint32_t *before_last = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_length; j++) {
    row[j] = (uint32_t)j * EDIT;
  }
  for (size_t i = 1; i <= a_length; i++) {
    uint32_t *recycled = before_last;
    before_last = last;
    last = row;
    row = recycled;
    row[0] = (uint32_t)i * EDIT;
    for (size_t j = 1; j <= b_length; j++) {
      char x = a[i - 1], y = b[j - 1];
      uint32_t replace = x == y ? 0 : lower(x) == lower(y) ? CASE : EDIT;
      uint32_t cost = smaller(last[j], row[j - 1]) + EDIT;
      cost = smaller(cost, last[j - 1] + replace);
      if (i > 1 && j > 1 && lower(x) == lower(b[j - 2]) && lower(a[i - 2]) == lower(y)) {
        cost = smaller(cost, before_last[j - 2] + EDIT);
      }
      row[j] = cost;
    }
  }
  return row[b_length];
}

const char *clew_diag_nearest(const char *name, const char *const *candidates, size_t count) {
  assert(name != NULL);
  size_t length = strlen(name);
  if (length == 0 || length >= NAME_LIMIT) {
    return NULL;
  }
  uint32_t edits = length < 6 ? 1 : (uint32_t)length / 3;
  uint32_t bound = edits * EDIT;
  if (length == 1) {
    bound = EDIT - 1; /* any letter is one edit from any other */
  }
  const char *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t other = strlen(candidates[i]);
    if (other >= NAME_LIMIT) {
      continue;
    }
    uint32_t distance = name_distance(name, length, candidates[i], other);
    if (distance < bound || (distance == bound && nearest == NULL)) {
      nearest = candidates[i];
      bound = distance;
    }
  }
  return nearest;
}
