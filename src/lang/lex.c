/* The token scanner: one pass over the bytes of the source, driven by the tables of a style.
 *
 * Invariant of the scan: the tokens so far are in order, do not overlap, and end at or before `at`;
 * every step moves `at` forward, so any text is finished in time linear in its length (operator
 * tables are short). */
#include "lang/lex.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

struct scanner {
  const struct clew_source *source;
  const struct clew_lex_style *style;
  struct clew_diag_sink *diags; /* NULL: nobody to tell */
  struct clew_tokens *tokens;
  const char *at, *end; /* *end is the NUL behind the text */
  bool lost;            /* what follows cannot be told apart from a comment */
};

static uint32_t offset_of(const struct scanner *s, const char *at) {
  assert(at >= s->source->text && at <= s->end);
  return (uint32_t)(at - s->source->text);
}

static void push(struct scanner *s, uint32_t kind, const char *start) {
  assert(s->at >= start);
  struct clew_token token = {kind, offset_of(s, start), (uint32_t)(s->at - start)};
  clew_vec_push(s->tokens, token);
}

static bool starts_with(const struct scanner *s, const char *prefix) {
  if (*s->at != *prefix) {
    return false; /* most of the time; the text ends with a zero */
  }
  size_t length = strlen(prefix);
  return length <= (size_t)(s->end - s->at) && memcmp(s->at, prefix, length) == 0;
}

static bool is_name_start(const struct scanner *s, char c) {
  return isalpha((unsigned char)c) || c == '_' ||
         (c != '\0' && strchr(s->style->name_extra, c) != NULL);
}

static bool is_name_part(const struct scanner *s, char c) {
  return is_name_start(s, c) || isdigit((unsigned char)c);
}

/* ---- Between tokens ------------------------------------------------------------------------- */

static void skip_line(struct scanner *s) {
  const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
  s->at = newline != NULL ? newline : s->end;
}

static void skip_comment(struct scanner *s, const struct clew_lex_pair *pair) {
  const char *start = s->at;
  s->at += strlen(pair->open);
  while (s->at < s->end && !starts_with(s, pair->close)) {
    s->at++;
  }
  if (s->at == s->end) {
    if (s->diags != NULL) {
      clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, start), strlen(pair->open),
                   "this comment is never closed: expected '%s' before the end of the file",
                   pair->close);
    }
    s->lost = true;
    return;
  }
  s->at += strlen(pair->close);
}

/* Moves over one comment; false when there is none here. */
static bool skip_any_comment(struct scanner *s) {
  for (const char *const *open = s->style->line_comments; *open != NULL; open++) {
    if (starts_with(s, *open)) {
      skip_line(s);
      return true;
    }
  }
  for (const struct clew_lex_pair *pair = s->style->comments; pair->open != NULL; pair++) {
    if (starts_with(s, pair->open)) {
      skip_comment(s, pair);
      return true;
    }
  }
  return false;
}

static void skip_blanks(struct scanner *s) {
  do {
    while (s->at < s->end && strchr(" \t\r\n\f\v", *s->at) != NULL && *s->at != '\0') {
      s->at++;
    }
  } while (s->at < s->end && skip_any_comment(s));
}

size_t clew_lex_blank(const struct clew_lex_style *style, const char *at, const char *end) {
  struct scanner s = {.style = style, .at = at, .end = end};
  skip_blanks(&s);
  return (size_t)(s.at - at);
}

/* ---- Tokens --------------------------------------------------------------------------------- */

/* Orders a stretch of the source against a keyword of the table. */
static int compare_word(const char *text, size_t length, const char *word, bool any_case) {
  for (size_t i = 0; i < length; i++) {
    int c = (unsigned char)text[i];
    int difference = (any_case ? tolower(c) : c) - (unsigned char)word[i];
    if (difference != 0) {
      return difference;
    }
  }
  return word[length] == '\0' ? 0 : -1;
}

static uint32_t word_kind(const struct clew_lex_style *style, const char *text, size_t length) {
  uint32_t low = 0, high = style->word_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = compare_word(text, length, style->words[middle].text, style->any_case);
    if (order == 0) {
      return style->words[middle].kind;
    }
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return CLEW_TOKEN_NAME;
}

static void scan_name(struct scanner *s) {
  const char *start = s->at;
  assert(is_name_start(s, *start));
  while (s->at < s->end && is_name_part(s, *s->at)) {
    s->at++;
  }
  push(s, word_kind(s->style, start, (size_t)(s->at - start)), start);
}

static void scan_number(struct scanner *s) {
  const char *start = s->at;
  bool hexadecimal = s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X');
  bool good = true;
  s->at += hexadecimal ? 2 : 0;
  const char *digits = s->at;
  while (s->at < s->end && is_name_part(s, *s->at)) {
    int c = (unsigned char)*s->at++;
    good = good && (hexadecimal ? isxdigit(c) : isdigit(c));
  }
  size_t length = (size_t)(s->at - start);
  push(s, CLEW_TOKEN_NUMBER, start);
  int64_t value;
  if (!good || s->at == digits) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, start), length,
                 "malformed number '%.*s'", (int)(length < 40 ? length : 40), start);
  } else if (!clew_lex_number(s->source, clew_vec_last(s->tokens), &value)) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, start), length,
                 "this number is too large: the greatest is %lld", (long long)INT64_MAX);
  }
}

static void scan_string(struct scanner *s, const struct clew_lex_pair *quotes) {
  const char *start = s->at;
  s->at += strlen(quotes->open);
  while (s->at < s->end && *s->at != '\n' && !starts_with(s, quotes->close)) {
    bool escape = *s->at == '\\' && s->at + 1 < s->end && s->at[1] != '\n';
    s->at += escape ? 2 : 1;
  }
  if (s->at < s->end && *s->at != '\n') {
    s->at += strlen(quotes->close);
  } else {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, start), strlen(quotes->open),
                 "this string is not closed on its line");
  }
  push(s, CLEW_TOKEN_STRING, start);
}

static bool scan_operator(struct scanner *s) {
  const struct clew_lex_word *longest = NULL;
  size_t length = 0;
  for (const struct clew_lex_word *op = s->style->operators; op->text != NULL; op++) {
    if (starts_with(s, op->text) && strlen(op->text) > length) {
      longest = op;
      length = strlen(op->text);
    }
  }
  if (longest == NULL) {
    return false;
  }
  const char *start = s->at;
  s->at += length;
  push(s, longest->kind, start);
  return true;
}

/* What no token starts with. A printable character is a slip of the author; anything else means
 * that the file is not a text in this language at all. */
static void report_stray(struct scanner *s) {
  assert(s->at < s->end);
  uint32_t code;
  size_t length = clew_text_utf8(s->at, (size_t)(s->end - s->at), &code);
  if (length == 1 && isprint((unsigned char)*s->at)) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, s->at), 1,
                 "unexpected character '%c'", *s->at);
  } else if (length > 1 && code >= 0xa0) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, s->at), length,
                 "unexpected character '%.*s' (U+%04X)", (int)length, s->at, code);
  } else {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, s->at), 1,
                 "not a %s model: unexpected byte 0x%02x", s->style->language,
                 (unsigned)(unsigned char)*s->at);
  }
}

static bool scan_token(struct scanner *s) {
  assert(s->at < s->end);
  if (is_name_start(s, *s->at)) {
    scan_name(s);
    return true;
  }
  if (isdigit((unsigned char)*s->at)) {
    scan_number(s);
    return true;
  }
  for (const struct clew_lex_pair *quotes = s->style->quotes; quotes->open != NULL; quotes++) {
    if (starts_with(s, quotes->open)) {
      scan_string(s, quotes);
      return true;
    }
  }
  if (scan_operator(s)) {
    return true;
  }
  report_stray(s);
  return false;
}

bool clew_lex_scan(const struct clew_source *source, const struct clew_lex_style *style,
                   struct clew_diag_sink *diags, struct clew_tokens *tokens) {
  assert(source->text != NULL && source->text[source->length] == '\0');
  if (source->length >= INT32_MAX) {
    clew_diag_plain(diags, CLEW_ERROR, source->name, "the file is too large for a model");
    return false;
  }
  struct scanner s = {.source = source, .style = style, .diags = diags, .tokens = tokens};
  s.at = source->text;
  s.end = source->text + source->length;
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (starts_with(&s, byte_order_mark)) {
    s.at += strlen(byte_order_mark);
  }
  for (;;) {
    skip_blanks(&s);
    if (s.at == s.end) {
      push(&s, CLEW_TOKEN_END, s.end);
      return !s.lost;
    }
    if (!scan_token(&s)) {
      return false;
    }
  }
}

/* ---- Values --------------------------------------------------------------------------------- */

bool clew_lex_number(const struct clew_source *source, struct clew_token token, int64_t *value) {
  assert(token.kind == CLEW_TOKEN_NUMBER && token.length > 0);
  const char *text = source->text + token.offset;
  bool hexadecimal = token.length > 2 && (text[1] == 'x' || text[1] == 'X');
  int64_t base = hexadecimal ? 16 : 10;
  *value = 0;
  for (uint32_t i = hexadecimal ? 2 : 0; i < token.length; i++) {
    int c = tolower((unsigned char)text[i]);
    int64_t digit = isdigit(c) ? c - '0' : c - 'a' + 10;
    if (__builtin_mul_overflow(*value, base, value) ||
        __builtin_add_overflow(*value, digit, value)) {
      *value = 0;
      return false;
    }
  }
  return true;
}

const char *clew_lex_string(struct clew_arena *arena, const struct clew_source *source,
                            struct clew_token token) {
  assert(token.kind == CLEW_TOKEN_STRING);
  const char *text = source->text + token.offset;
  uint32_t code;
  /* Quotes are one character, of one or (typographic ones) several bytes, at both ends. */
  size_t quote = clew_text_utf8(text, token.length, &code);
  assert(quote > 0);
  const char *end = text + token.length;
  bool closed = token.length >= 2 * quote && end[-1] != '\n' &&
                (quote > 1 ? (unsigned char)end[-(ptrdiff_t)quote] == (unsigned char)text[0]
                           : end[-1] == text[0]);
  end -= closed ? quote : 0;
  char *copy = clew_arena_strndup(arena, text + quote, (size_t)(end - text) - quote);
  char *out = copy;
  for (const char *in = copy; *in != '\0'; in++) {
    bool escape = in[0] == '\\' && in[1] != '\0';
    in += escape ? 1 : 0;
    bool blank = iscntrl((unsigned char)*in) || (escape && strchr("nrtfvab", *in) != NULL);
    *out++ = blank ? ' ' : *in;
  }
  *out = '\0';
  return copy;
}
