/* A growable string, always terminated. A zeroed struct is the empty text. */
#ifndef CLEW_BASE_TEXT_H
#define CLEW_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clew_text {
  char *data; /* NULL while empty: use clew_text_str */
  size_t len, cap;
};

void clew_text_free(struct clew_text *text);
void clew_text_clear(struct clew_text *text);
void clew_text_put(struct clew_text *text, const char *s);
void clew_text_put_n(struct clew_text *text, const char *s, size_t n);
void clew_text_char(struct clew_text *text, char c);
void clew_text_printf(struct clew_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void clew_text_vprintf(struct clew_text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
const char *clew_text_str(const struct clew_text *text); /* never NULL */
/* Appends a word as a shell reads it back: quoted where it has to be. */
void clew_text_put_shell(struct clew_text *text, const char *word);

/* The length of the UTF-8 character at the start of these n > 0 bytes and its *code; 0 when they do
 * not start with a well-formed one. */
size_t clew_text_utf8(const char *s, size_t n, uint32_t *code);

/* 1234567 -> "1,234,567"; bytes -> "1.2 GB"; the buffer belongs to the caller. */
const char *clew_text_count(uint64_t n, char buffer[32]);
const char *clew_text_bytes(uint64_t n, char buffer[32]);

/* "300M", "8G", "1.5G", "4096", with K M G T as powers of 1024 and an optional B or iB. */
bool clew_text_parse_bytes(const char *s, uint64_t *bytes);
bool clew_text_parse_u64(const char *s, uint64_t *value); /* decimal or 0x…, whole string */
bool clew_text_parse_i64(const char *s, int64_t *value);
bool clew_text_parse_double(const char *s, double *value);

#endif
