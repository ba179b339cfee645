/* Growable strings, and numbers from and to text. Parsing accepts exactly the documented forms:
 * no blanks, no signs where none make sense, nothing after the number, no silent overflow. */
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { FIRST_CAP = 64 };

/* Makes room for `extra` more bytes and the terminator. */
static void reserve(struct clew_text *text, size_t extra) {
  assert(text->data != NULL ? text->len < text->cap : text->len == 0);
  if (extra >= SIZE_MAX / 2 - text->len) {
    clew_fatal(NULL);
  }
  size_t need = text->len + extra + 1;
  if (need <= text->cap) {
    return;
  }
  size_t cap = text->cap * 2 < FIRST_CAP ? FIRST_CAP : text->cap * 2;
  text->cap = cap < need ? need : cap;
  text->data = clew_realloc_array(text->data, text->cap, 1);
}

void clew_text_free(struct clew_text *text) {
  clew_free(text->data);
  *text = (struct clew_text){0};
}

void clew_text_clear(struct clew_text *text) {
  text->len = 0;
  if (text->data != NULL) {
    text->data[0] = '\0';
  }
}

void clew_text_put(struct clew_text *text, const char *s) {
  assert(s != NULL);
  clew_text_put_n(text, s, strlen(s));
}

void clew_text_put_n(struct clew_text *text, const char *s, size_t n) {
  assert(s != NULL || n == 0);
  reserve(text, n);
  if (n > 0) {
    memcpy(text->data + text->len, s, n);
  }
  text->len += n;
  text->data[text->len] = '\0';
}

void clew_text_char(struct clew_text *text, char c) {
  clew_text_put_n(text, &c, 1);
}

void clew_text_printf(struct clew_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  clew_text_vprintf(text, format, args);
  va_end(args);
}

void clew_text_vprintf(struct clew_text *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  reserve(text, FIRST_CAP);
  size_t room = text->cap - text->len;
  int length = vsnprintf(text->data + text->len, room, format, args);
  assert(length >= 0);
  if ((size_t)length >= room) {
    reserve(text, (size_t)length);
    vsnprintf(text->data + text->len, (size_t)length + 1, format, again);
  }
  va_end(again);
  text->len += (size_t)length;
  assert(text->len < text->cap);
}

void clew_text_put_shell(struct clew_text *text, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=+./,:@%";
  if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
    clew_text_put(text, word);
    return;
  }
  clew_text_char(text, '\'');
  for (; *word != '\0'; word++) {
    if (*word == '\'') {
      clew_text_put(text, "'\\''");
    } else {
      clew_text_char(text, *word);
    }
  }
  clew_text_char(text, '\'');
}

const char *clew_text_str(const struct clew_text *text) {
  return text->data != NULL ? text->data : "";
}

size_t clew_text_utf8(const char *s, size_t n, uint32_t *code) {
  assert(n > 0);
  const unsigned char *p = (const unsigned char *)s;
  if (p[0] < 0x80) {
    *code = p[0];
    return 1;
  }
  size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
  if (p[0] < 0xc2 || p[0] > 0xf4 || length > n) {
    return 0;
  }
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t value = p[0] & (0x7fU >> length);
  for (size_t i = 1; i < length; i++) {
    if ((p[i] & 0xc0) != 0x80) {
      return 0;
    }
    value = (value << 6) | (p[i] & 0x3fU);
  }
  bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[length] || value > 0x10ffff || surrogate) {
    return 0;
  }
  *code = value;
  return length;
}

const char *clew_text_count(uint64_t n, char buffer[32]) {
  char digits[24];
  int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
  assert(count > 0);
  char *out = buffer;
  for (int i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0) {
      *out++ = ',';
    }
    *out++ = digits[i];
  }
  *out = '\0';
  return buffer;
}

const char *clew_text_bytes(uint64_t n, char buffer[32]) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  double value = (double)n;
  size_t unit = 0;
  /* 1023.95 and more would be printed as 1024.0: that is one of the next unit. */
  while (value >= (unit == 0 ? 1024 : 1023.95)) {
    value /= 1024;
    unit++;
  }
  assert(unit < sizeof units / sizeof units[0]);
  double tenths = floor(value * 10 + 0.5);
  int decimals = fmod(tenths, 10) > 0 ? 1 : 0;
  snprintf(buffer, 32, "%.*f %s", decimals, tenths / 10, units[unit]);
  return buffer;
}

/* The value of a digit in this base, or -1. */
static int digit_value(char c, unsigned base) {
  int value = c >= '0' && c <= '9'   ? c - '0'
              : c >= 'a' && c <= 'f' ? c - 'a' + 10
              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                     : -1;
  return value < (int)base ? value : -1;
}

/* Reads digits, at least one; the end of them, or NULL when there are none or they overflow. */
static const char *read_digits(const char *s, unsigned base, uint64_t *value) {
  assert(base == 10 || base == 16);
  if (digit_value(*s, base) < 0) {
    return NULL;
  }
  uint64_t sum = 0;
  for (int digit; (digit = digit_value(*s, base)) >= 0; s++) {
    if (__builtin_mul_overflow(sum, base, &sum) ||
        __builtin_add_overflow(sum, (uint64_t)digit, &sum)) {
      return NULL;
    }
  }
  *value = sum;
  return s;
}

bool clew_text_parse_u64(const char *s, uint64_t *value) {
  bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  uint64_t parsed;
  const char *end = hex ? read_digits(s + 2, 16, &parsed) : read_digits(s, 10, &parsed);
  if (end == NULL || *end != '\0') {
    return false;
  }
  *value = parsed;
  return true;
}

bool clew_text_parse_i64(const char *s, int64_t *value) {
  bool negative = s[0] == '-';
  uint64_t magnitude;
  if (!clew_text_parse_u64(negative || s[0] == '+' ? s + 1 : s, &magnitude)) {
    return false;
  }
  if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
    return false;
  }
  /* Negating in unsigned arithmetic: -INT64_MIN does not exist. */
  *value = (int64_t)(negative ? 0 - magnitude : magnitude);
  return true;
}

bool clew_text_parse_double(const char *s, double *value) {
  /* strtod also takes blanks, hexadecimal, "inf" and "nan". */
  if (s[0] == '\0' || s[strspn(s, "0123456789+-.eE")] != '\0') {
    return false;
  }
  char *end;
  double parsed = strtod(s, &end);
  if (end == s || *end != '\0' || !isfinite(parsed)) {
    return false;
  }
  *value = parsed;
  return true;
}

/* Reads "", "B", "K", "KB", "KiB" and so on to the end of the string. */
static bool read_unit(const char *s, unsigned *shift) {
  static const char letters[] = "KMGT", small[] = "kmgt";
  *shift = 0;
  for (unsigned i = 0; i < 4; i++) {
    if (*s == letters[i] || *s == small[i]) {
      *shift = 10 * (i + 1);
      s++;
      s += *s == 'i' && (s[1] == 'B' || s[1] == 'b') ? 1 : 0;
      break;
    }
  }
  s += *s == 'B' || *s == 'b' ? 1 : 0;
  return *s == '\0';
}

bool clew_text_parse_bytes(const char *s, uint64_t *bytes) {
  uint64_t whole;
  s = read_digits(s, 10, &whole);
  if (s == NULL) {
    return false;
  }
  double fraction = 0;
  bool has_point = *s == '.';
  if (has_point) {
    s++;
    if (digit_value(*s, 10) < 0) {
      return false;
    }
    double scale = 1;
    for (int digit; (digit = digit_value(*s, 10)) >= 0; s++) {
      scale /= 10;
      fraction += digit * scale;
    }
  }
  unsigned shift;
  if (!read_unit(s, &shift) || (has_point && shift == 0)) {
    return false;
  }
  uint64_t unit = UINT64_C(1) << shift, total;
  if (__builtin_mul_overflow(whole, unit, &total) ||
      __builtin_add_overflow(total, (uint64_t)(fraction * (double)unit), &total)) {
    return false;
  }
  *bytes = total;
  return true;
}
