/* JSON (RFC 8259): an indenting writer and a recursive-descent reader.
 *
 * The writer keeps what it needs to know about the open containers in one bit each; a call that
 * would make the document ill-formed fails an assert. Scalars of an array share a line, everything
 * else gets its own. The reader takes any JSON text except for strings with a zero character in
 * them or with half a surrogate pair, which have no C string in UTF-8. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { WRITE_DEPTH = 64, READ_DEPTH = 100 };

static bool in_object(const struct clew_json_writer *w) {
  return w->depth > 0 && ((w->objects >> (w->depth - 1)) & 1) != 0;
}

static void new_line(struct clew_json_writer *w) {
  clew_text_char(w->out, '\n');
  for (uint32_t i = 0; i < w->depth; i++) {
    clew_text_put(w->out, "  ");
  }
}

static bool ends_with_container(const struct clew_text *text) {
  assert(text->len > 0);
  char last = text->data[text->len - 1];
  return last == '}' || last == ']';
}

/* Writes what has to stand between the previous value or key and this value. */
static void before_value(struct clew_json_writer *w, bool is_container) {
  assert(w->depth > 0 || w->first);
  assert(w->after_key == in_object(w));
  if (w->depth > 0 && !w->after_key) {
    bool own_line = is_container || (!w->first && ends_with_container(w->out));
    if (!w->first) {
      clew_text_char(w->out, ',');
    }
    if (own_line) {
      new_line(w);
    } else if (!w->first) {
      clew_text_char(w->out, ' ');
    }
  }
  w->first = false;
  w->after_key = false;
}

static void container_open(struct clew_json_writer *w, bool is_object) {
  assert(w->depth < WRITE_DEPTH);
  before_value(w, true);
  uint64_t bit = UINT64_C(1) << w->depth;
  w->objects = is_object ? w->objects | bit : w->objects & ~bit;
  w->depth++;
  w->first = true;
  clew_text_char(w->out, is_object ? '{' : '[');
}

static void container_close(struct clew_json_writer *w, bool is_object) {
  assert(w->depth > 0 && !w->after_key);
  assert(in_object(w) == is_object);
  w->depth--;
  if (!w->first && (is_object || ends_with_container(w->out))) {
    new_line(w);
  }
  w->first = false;
  clew_text_char(w->out, is_object ? '}' : ']');
}

static void put_quoted(struct clew_text *out, const char *s) {
  clew_text_char(out, '"');
  for (size_t n = strlen(s); n > 0;) {
    uint32_t code;
    size_t length = clew_text_utf8(s, n, &code);
    if (length == 0) {
      code = (unsigned char)*s;
      length = 1;
      clew_text_printf(out, "\\u%04x", code);
    } else if (code == '"' || code == '\\') {
      clew_text_char(out, '\\');
      clew_text_char(out, *s);
    } else if (code == '\n') {
      clew_text_put(out, "\\n");
    } else if (code == '\t') {
      clew_text_put(out, "\\t");
    } else if (code < 0x20 || code == 0x7f) {
      clew_text_printf(out, "\\u%04x", code);
    } else {
      clew_text_put_n(out, s, length);
    }
    s += length;
    n -= length;
  }
  clew_text_char(out, '"');
}

void clew_json_begin(struct clew_json_writer *w, struct clew_text *out) {
  assert(out != NULL);
  *w = (struct clew_json_writer){.out = out, .first = true};
}

void clew_json_object_open(struct clew_json_writer *w) {
  container_open(w, true);
}

void clew_json_object_close(struct clew_json_writer *w) {
  container_close(w, true);
}

void clew_json_array_open(struct clew_json_writer *w) {
  container_open(w, false);
}

void clew_json_array_close(struct clew_json_writer *w) {
  container_close(w, false);
}

void clew_json_key(struct clew_json_writer *w, const char *key) {
  assert(in_object(w) && !w->after_key);
  if (!w->first) {
    clew_text_char(w->out, ',');
  }
  new_line(w);
  put_quoted(w->out, key);
  clew_text_put(w->out, ": ");
  w->first = false;
  w->after_key = true;
}

void clew_json_string(struct clew_json_writer *w, const char *value) {
  before_value(w, false);
  if (value != NULL) {
    put_quoted(w->out, value);
  } else {
    clew_text_put(w->out, "null");
  }
}

void clew_json_u64(struct clew_json_writer *w, uint64_t value) {
  before_value(w, false);
  clew_text_printf(w->out, "%llu", (unsigned long long)value);
}

void clew_json_i64(struct clew_json_writer *w, int64_t value) {
  before_value(w, false);
  clew_text_printf(w->out, "%lld", (long long)value);
}

void clew_json_double(struct clew_json_writer *w, double value) {
  before_value(w, false);
  if (!isfinite(value)) {
    clew_text_put(w->out, "null");
    return;
  }
  /* Seventeen digits always suffice to read the same number back, mostly fewer do. */
  char digits[40];
  for (int precision = 9; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    double back = strtod(digits, NULL);
    if (!(back < value) && !(back > value)) {
      break;
    }
  }
  clew_text_put(w->out, digits);
}

void clew_json_key_u64(struct clew_json_writer *w, const char *key, uint64_t value) {
  clew_json_key(w, key);
  clew_json_u64(w, value);
}

void clew_json_key_double(struct clew_json_writer *w, const char *key, double value) {
  clew_json_key(w, key);
  clew_json_double(w, value);
}

void clew_json_bool(struct clew_json_writer *w, bool value) {
  before_value(w, false);
  clew_text_put(w->out, value ? "true" : "false");
}

void clew_json_end(struct clew_json_writer *w) {
  assert(w->depth == 0 && !w->first && !w->after_key);
  clew_text_char(w->out, '\n');
}

struct reader {
  struct clew_arena *arena;
  const char *text;
  size_t length, at;
  uint32_t depth;
  size_t error_offset;
  const char *error;
};

static bool fail(struct reader *r, size_t offset, const char *error) {
  assert(r->error == NULL && offset <= r->length);
  r->error_offset = offset;
  r->error = error;
  return false;
}

/* The next character, '\0' at the end; a zero in the text itself is no legal character either. */
static char peek(const struct reader *r) {
  return r->at < r->length ? r->text[r->at] : '\0';
}

static bool accept(struct reader *r, char c) {
  assert(c != '\0');
  if (peek(r) != c) {
    return false;
  }
  r->at++;
  return true;
}

static char skip_blanks(struct reader *r) {
  while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') {
    r->at++;
  }
  return peek(r);
}

static bool read_hex4(struct reader *r, uint32_t *code) {
  *code = 0;
  for (int i = 0; i < 4; i++) {
    char c = peek(r);
    uint32_t digit;
    if (c >= '0' && c <= '9') {
      digit = (uint32_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = (uint32_t)(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = (uint32_t)(c - 'A') + 10;
    } else {
      return fail(r, r->at, "expected four hexadecimal digits");
    }
    *code = *code * 16 + digit;
    r->at++;
  }
  return true;
}

static void put_utf8(struct clew_text *out, uint32_t code) {
  assert(code > 0 && code <= 0x10ffff);
  if (code < 0x80) {
    clew_text_char(out, (char)code);
    return;
  }
  if (code < 0x800) {
    clew_text_char(out, (char)(0xc0 | code >> 6));
  } else {
    if (code < 0x10000) {
      clew_text_char(out, (char)(0xe0 | code >> 12));
    } else {
      clew_text_char(out, (char)(0xf0 | code >> 18));
      clew_text_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
    }
    clew_text_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
  }
  clew_text_char(out, (char)(0x80 | (code & 0x3f)));
}

/* After "\u". */
static bool read_unicode_escape(struct reader *r, struct clew_text *out) {
  size_t start = r->at - 2;
  uint32_t code;
  if (!read_hex4(r, &code)) {
    return false;
  }
  if (code >= 0xd800 && code <= 0xdbff) {
    uint32_t low = 0;
    if (!accept(r, '\\') || !accept(r, 'u')) {
      return fail(r, start, "half a surrogate pair");
    }
    if (!read_hex4(r, &low)) {
      return false;
    }
    if (low < 0xdc00 || low > 0xdfff) {
      return fail(r, start, "half a surrogate pair");
    }
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code <= 0xdfff) {
    return fail(r, start, "half a surrogate pair");
  } else if (code == 0) {
    return fail(r, start, "zero characters are not supported");
  }
  put_utf8(out, code);
  return true;
}

static bool read_escape(struct reader *r, struct clew_text *out) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char c = peek(r);
  const char *found = c != '\0' ? strchr(letters, c) : NULL;
  if (found != NULL) {
    r->at++;
    clew_text_char(out, meanings[found - letters]);
    return true;
  }
  if (accept(r, 'u')) {
    return read_unicode_escape(r, out);
  }
  return fail(r, r->at, "unknown escape sequence");
}

static bool read_string_into(struct reader *r, struct clew_text *out) {
  while (!accept(r, '"')) {
    if (r->at == r->length) {
      return fail(r, r->at, "unterminated string");
    }
    char c = r->text[r->at];
    if ((unsigned char)c < 0x20) {
      return fail(r, r->at, "control character in a string");
    }
    r->at++;
    if (c != '\\') {
      clew_text_char(out, c);
    } else if (!read_escape(r, out)) {
      return false;
    }
  }
  return true;
}

static bool read_string(struct reader *r, const char **string) {
  if (!accept(r, '"')) {
    return fail(r, r->at, "expected a string");
  }
  struct clew_text text = {0};
  bool ok = read_string_into(r, &text);
  if (ok) {
    *string = clew_arena_strndup(r->arena, clew_text_str(&text), text.len);
  }
  clew_text_free(&text);
  return ok;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool skip_digits(struct reader *r) {
  if (!is_digit(peek(r))) {
    return fail(r, r->at, "expected a digit");
  }
  while (is_digit(peek(r))) {
    r->at++;
  }
  return true;
}

static bool read_number(struct reader *r, struct clew_json *value) {
  size_t start = r->at;
  bool integral = true;
  accept(r, '-');
  if (!accept(r, '0') && !skip_digits(r)) {
    return false;
  }
  if (accept(r, '.')) {
    integral = false;
    if (!skip_digits(r)) {
      return false;
    }
  }
  if (accept(r, 'e') || accept(r, 'E')) {
    integral = false;
    if (!accept(r, '+')) {
      accept(r, '-');
    }
    if (!skip_digits(r)) {
      return false;
    }
  }
  const char *digits = clew_arena_strndup(r->arena, r->text + start, r->at - start);
  value->kind = CLEW_JSON_NUMBER;
  if (!clew_text_parse_double(digits, &value->number)) {
    return fail(r, start, "number out of range");
  }
  value->is_integer = integral && clew_text_parse_i64(digits, &value->integer);
  return true;
}

static bool read_value(struct reader *r, struct clew_json *value);

static bool read_key(struct reader *r, const char **key) {
  skip_blanks(r);
  if (!read_string(r, key)) {
    return false;
  }
  if (skip_blanks(r) != ':') {
    return fail(r, r->at, "expected ':'");
  }
  r->at++;
  return true;
}

/* After the opening bracket. */
static bool read_items(struct reader *r, struct clew_json *value) {
  bool is_object = value->kind == CLEW_JSON_OBJECT;
  char closing = is_object ? '}' : ']';
  CLEW_VEC(struct clew_json) items = {0};
  CLEW_VEC(const char *) keys = {0};
  skip_blanks(r);
  bool done = accept(r, closing), ok = true;
  while (!done && ok) {
    struct clew_json item = {0};
    const char *key = NULL;
    ok = (!is_object || read_key(r, &key)) && read_value(r, &item);
    if (!ok) {
      break;
    }
    clew_vec_push(&items, item);
    if (is_object) {
      clew_vec_push(&keys, key);
    }
    skip_blanks(r);
    done = accept(r, closing);
    if (!done && !accept(r, ',')) {
      ok = fail(r, r->at, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
  }
  if (ok) {
    value->count = items.len;
    value->items = clew_arena_copy(r->arena, items.data, items.len, sizeof items.data[0]);
    value->keys = clew_arena_copy(r->arena, keys.data, keys.len, sizeof keys.data[0]);
  }
  clew_vec_free(&items);
  clew_vec_free(&keys);
  return ok;
}

static bool read_container(struct reader *r, struct clew_json *value) {
  assert(peek(r) == '{' || peek(r) == '[');
  if (r->depth == READ_DEPTH) {
    return fail(r, r->at, "nested too deeply");
  }
  value->kind = peek(r) == '{' ? CLEW_JSON_OBJECT : CLEW_JSON_ARRAY;
  r->at++;
  r->depth++;
  bool ok = read_items(r, value);
  r->depth--;
  return ok;
}

static bool read_word(struct reader *r, struct clew_json *value) {
  static const struct {
    const char *word;
    enum clew_json_kind kind;
    bool boolean;
  } words[] = {
      {"null", CLEW_JSON_NULL, false},
      {"true", CLEW_JSON_BOOL, true},
      {"false", CLEW_JSON_BOOL, false},
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t length = strlen(words[i].word);
    if (r->length - r->at >= length && memcmp(r->text + r->at, words[i].word, length) == 0) {
      r->at += length;
      value->kind = words[i].kind;
      value->boolean = words[i].boolean;
      return true;
    }
  }
  return fail(r, r->at, "expected a value");
}

static bool read_value(struct reader *r, struct clew_json *value) {
  assert(r->depth <= READ_DEPTH);
  char c = skip_blanks(r);
  if (c == '{' || c == '[') {
    return read_container(r, value);
  }
  if (c == '"') {
    value->kind = CLEW_JSON_STRING;
    return read_string(r, &value->string);
  }
  if (c == '-' || is_digit(c)) {
    return read_number(r, value);
  }
  return read_word(r, value);
}

const struct clew_json *clew_json_parse(struct clew_arena *arena, const char *text, size_t length,
                                        size_t *error_offset, const char **error) {
  assert(text != NULL || length == 0);
  assert(error_offset != NULL && error != NULL);
  struct reader r = {.arena = arena, .text = text, .length = length};
  struct clew_json *value = CLEW_NEW(arena, struct clew_json);
  bool ok = read_value(&r, value);
  if (ok) {
    skip_blanks(&r);
    ok = r.at == length || fail(&r, r.at, "expected the end of the text");
  }
  *error_offset = r.error_offset;
  *error = r.error;
  return ok ? value : NULL;
}

const struct clew_json *clew_json_get(const struct clew_json *object, const char *key) {
  assert(key != NULL);
  if (object == NULL || object->kind != CLEW_JSON_OBJECT) {
    return NULL;
  }
  for (uint32_t i = 0; i < object->count; i++) {
    if (strcmp(object->keys[i], key) == 0) {
      return &object->items[i];
    }
  }
  return NULL;
}
