/* Open documents: their texts, and positions in them.
 *
 * Invariant: lines[0] is 0, and lines[i] is the offset behind the i-th '\n'. The protocol counts
 * columns in UTF-16 units; a byte that is no UTF-8 counts as one unit. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lsp/lsp_int.h"

/* "file:///a%20b.m" -> "/a b.m"; other addresses stay as they are. */
static char *path_of(const char *uri) {
  const char *at = strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri;
  struct clew_text path = {0};
  for (; *at != '\0'; at++) {
    char code[3] = {0};
    if (at[0] == '%' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
      memcpy(code, at + 1, 2);
      char byte = (char)strtol(code, NULL, 16);
      clew_text_char(&path, byte != '\0' ? byte : '?');
      at += 2;
    } else {
      clew_text_char(&path, *at);
    }
  }
  char *copy = clew_strdup(clew_text_str(&path));
  clew_text_free(&path);
  return copy;
}

struct clew_document *clew_document_new(const char *uri, const char *language) {
  struct clew_document *document = clew_alloc_zero(1, sizeof *document);
  document->uri = clew_strdup(uri);
  document->name = path_of(uri);
  document->language = language != NULL ? clew_strdup(language) : NULL;
  clew_vec_push(&document->lines, 0);
  return document;
}

void clew_findings_clear(struct clew_document *document, bool checked) {
  uint32_t *count = checked ? &document->checked.len : &document->findings.len;
  struct clew_finding *list = checked ? document->checked.data : document->findings.data;
  for (uint32_t i = 0; i < *count; i++) {
    clew_free(list[i].message);
  }
  *count = 0;
}

void clew_finding_add(struct clew_document *document, bool checked, struct clew_finding finding,
                      const char *message) {
  finding.message = clew_strdup(message);
  if (checked) {
    clew_vec_push(&document->checked, finding);
  } else {
    clew_vec_push(&document->findings, finding);
  }
}

void clew_document_free(struct clew_document *document) {
  clew_findings_clear(document, false);
  clew_findings_clear(document, true);
  clew_vec_free(&document->findings);
  clew_vec_free(&document->checked);
  if (document->has_symbols) {
    clew_symbols_close(&document->symbols);
  }
  clew_vec_free(&document->lines);
  clew_text_free(&document->text);
  clew_free(document->uri);
  clew_free(document->name);
  clew_free(document->language);
  clew_free(document);
}

static void find_lines(struct clew_document *document) {
  const char *text = clew_text_str(&document->text), *end = text + document->text.len;
  clew_vec_clear(&document->lines);
  clew_vec_push(&document->lines, 0);
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
    at++;
    clew_vec_push(&document->lines, (uint32_t)(at - text));
  }
  document->is_dirty = true;
  document->is_current = false;
  clew_findings_clear(document, true);
}

void clew_document_set(struct clew_document *document, const char *text, size_t length) {
  clew_text_clear(&document->text);
  clew_text_put_n(&document->text, text, length);
  find_lines(document);
}

void clew_document_replace(struct clew_document *document, struct clew_lsp_position start,
                           struct clew_lsp_position end, const char *text) {
  uint32_t from = clew_document_offset(document, start), to = clew_document_offset(document, end);
  to = to < from ? from : to;
  struct clew_text whole = {0};
  const char *old = clew_text_str(&document->text);
  clew_text_put_n(&whole, old, from);
  clew_text_put(&whole, text);
  clew_text_put_n(&whole, old + to, document->text.len - to);
  clew_text_free(&document->text);
  document->text = whole;
  find_lines(document);
}

/* ---- positions ---- */

/* Bytes of the character at `at`, and its UTF-16 units. */
static uint32_t step(const char *at, const char *end, uint32_t *units) {
  uint32_t code = 0;
  size_t bytes = clew_text_utf8(at, (size_t)(end - at), &code);
  *units = bytes > 0 && code >= 0x10000 ? 2 : 1;
  return bytes > 0 ? (uint32_t)bytes : 1;
}

static uint32_t line_end(const struct clew_document *document, uint32_t line) {
  uint32_t end = line + 1 < document->lines.len ? document->lines.data[line + 1] - 1
                                                : (uint32_t)document->text.len;
  bool has_return = end > document->lines.data[line] && document->text.data[end - 1] == '\r';
  return has_return ? end - 1 : end;
}

uint32_t clew_document_offset(const struct clew_document *document,
                              struct clew_lsp_position position) {
  if (position.line >= document->lines.len) {
    return (uint32_t)document->text.len;
  }
  const char *text = clew_text_str(&document->text);
  uint32_t at = document->lines.data[position.line], end = line_end(document, position.line);
  uint32_t left = position.character, units;
  while (at < end && left > 0) {
    at += step(text + at, text + end, &units);
    left -= units < left ? units : left;
  }
  return at < end ? at : end;
}

struct clew_lsp_position clew_document_position(const struct clew_document *document,
                                                uint32_t offset) {
  const char *text = clew_text_str(&document->text);
  offset = offset < document->text.len ? offset : (uint32_t)document->text.len;
  uint32_t low = 0, high = document->lines.len;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (document->lines.data[middle] <= offset) {
      low = middle;
    } else {
      high = middle;
    }
  }
  struct clew_lsp_position position = {.line = low};
  uint32_t units;
  for (uint32_t at = document->lines.data[low]; at < offset; position.character += units) {
    at += step(text + at, text + offset, &units);
  }
  return position;
}

uint32_t clew_document_place(const struct clew_document *document, struct clew_position position) {
  if (position.line == 0 || position.line > document->lines.len) {
    return position.line == 0 ? 0 : (uint32_t)document->text.len;
  }
  uint32_t line = position.line - 1, end = line_end(document, line);
  uint64_t at =
      (uint64_t)document->lines.data[line] + (position.column > 0 ? position.column - 1 : 0);
  return at < end ? (uint32_t)at : end;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

struct clew_symbol_use clew_document_word(const struct clew_document *document, uint32_t offset) {
  const char *text = clew_text_str(&document->text);
  uint32_t length = (uint32_t)document->text.len, from = offset < length ? offset : length,
           to = from;
  while (from > 0 && is_word(text[from - 1])) {
    from--;
  }
  while (to < length && is_word(text[to])) {
    to++;
  }
  return (struct clew_symbol_use){from, to - from, UINT32_MAX};
}
