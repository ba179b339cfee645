/* The token scanner: one pass over the bytes of the source, driven by the tables of a style. What a
 * byte can be, and which keywords and operators start with it, is looked up in an index of the
 * style by byte, which is made once for each text: generated models have megabytes.
 *
 * Invariant of the scan: the tokens so far are in order, do not overlap, and end at or before `at`;
 * every step moves `at` forward, so any text is finished in time linear in its length. */
#include "lang/lex.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
  CLASS_NAME_START = 1,
  CLASS_NAME_PART = 2,
  CLASS_DIGIT = 4,
  CLASS_COMMENT = 8, /* a comment may start with it */
  CLASS_QUOTE = 16,  /* a string may */
  CLASS_BLANK = 32,
  CLASS_ALONE = 64, /* a token whatever follows it */
};

enum { MAX_OPERATORS = 64 };

/* A style by first byte. */
struct lex_index {
  uint8_t classes[256];
  uint32_t word_first[256], word_end[256];    /* of the keywords that start with it */
  uint8_t operator_first[256];                /* the first operator that does, + 1; 0: none */
  uint8_t operator_next[MAX_OPERATORS + 1];   /* the next one that starts alike, + 1 */
  uint8_t operator_length[MAX_OPERATORS + 1]; /* in bytes */
};

struct scanner {
  const struct lex_index *index; /* NULL when only blanks are looked for */
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

static inline void push(struct scanner *s, uint32_t kind, const char *start) {
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

static bool has_class(const struct scanner *s, char c, unsigned class) {
  return (s->index->classes[(unsigned char)c] & class) != 0;
}

/* As isspace in the "C" locale. */
static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- The index ------------------------------------------------------------------------------ */

static void index_classes(struct lex_index *index, const struct clew_lex_style *style) {
  for (int c = 1; c < 256; c++) {
    bool start = isalpha(c) || c == '_' || strchr(style->name_extra, c) != NULL;
    bool digit = isdigit(c) != 0;
    index->classes[c] = (uint8_t)((start ? CLASS_NAME_START | CLASS_NAME_PART : 0) |
                                  (digit ? CLASS_DIGIT | CLASS_NAME_PART : 0) |
                                  (is_blank((char)c) ? CLASS_BLANK : 0));
  }
  for (const char *const *open = style->line_comments; *open != NULL; open++) {
    index->classes[(unsigned char)**open] |= CLASS_COMMENT;
  }
  for (const struct clew_lex_pair *pair = style->comments; pair->open != NULL; pair++) {
    index->classes[(unsigned char)*pair->open] |= CLASS_COMMENT;
  }
  for (const struct clew_lex_pair *pair = style->quotes; pair->open != NULL; pair++) {
    index->classes[(unsigned char)*pair->open] |= CLASS_QUOTE;
  }
}

static void index_words(struct lex_index *index, const struct clew_lex_style *style) {
  for (uint32_t i = style->word_count; i-- > 0;) {
    int c = (unsigned char)style->words[i].text[0];
    int spellings[] = {c, style->any_case ? toupper(c) : c};
    for (int j = 0; j < 2; j++) {
      if (index->word_end[spellings[j]] == 0) {
        index->word_end[spellings[j]] = i + 1;
      }
      index->word_first[spellings[j]] = i;
    }
  }
}

static void index_operators(struct lex_index *index, const struct clew_lex_style *style) {
  uint32_t count = 0;
  while (style->operators[count].text != NULL) {
    count++;
  }
  assert(count <= MAX_OPERATORS);
  for (uint32_t i = count; i-- > 0;) {
    unsigned char c = (unsigned char)style->operators[i].text[0];
    size_t length = strlen(style->operators[i].text);
    assert(length > 0 && length <= UINT8_MAX);
    index->operator_length[i + 1] = (uint8_t)length;
    index->operator_next[i + 1] = index->operator_first[c];
    index->operator_first[c] = (uint8_t)(i + 1);
  }
  const unsigned other = CLASS_NAME_PART | CLASS_COMMENT | CLASS_QUOTE;
  for (int c = 1; c < 256; c++) {
    uint8_t first = index->operator_first[c];
    bool alone = first > 0 && index->operator_next[first] == 0 &&
                 index->operator_length[first] == 1 && (index->classes[c] & other) == 0;
    index->classes[c] |= alone ? CLASS_ALONE : 0;
  }
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
    while (s->at < s->end && is_blank(*s->at)) {
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

static uint32_t word_kind(const struct scanner *s, const char *text, size_t length) {
  const struct clew_lex_style *style = s->style;
  uint32_t low = s->index->word_first[(unsigned char)*text];
  uint32_t high = s->index->word_end[(unsigned char)*text];
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
  assert(has_class(s, *start, CLASS_NAME_START));
  while (has_class(s, *s->at, CLASS_NAME_PART)) { /* which the zero at the end is not */
    s->at++;
  }
  push(s, word_kind(s, start, (size_t)(s->at - start)), start);
}

static void scan_number(struct scanner *s) {
  enum { SAFE_DIGITS = 16 }; /* fewer fit in any case */
  const char *start = s->at;
  bool hexadecimal = s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X');
  bool good = true;
  s->at += hexadecimal ? 2 : 0;
  const char *digits = s->at;
  while (has_class(s, *s->at, CLASS_NAME_PART)) {
    char c = *s->at++;
    good = good && (hexadecimal ? isxdigit((unsigned char)c) : has_class(s, c, CLASS_DIGIT));
  }
  size_t length = (size_t)(s->at - start);
  push(s, CLEW_TOKEN_NUMBER, start);
  int64_t value;
  if (!good || s->at == digits) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, offset_of(s, start), length,
                 "malformed number '%.*s'", (int)(length < 40 ? length : 40), start);
  } else if (length >= SAFE_DIGITS &&
             !clew_lex_number(s->source, clew_vec_last(s->tokens), &value)) {
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
  const struct lex_index *index = s->index;
  for (uint8_t i = index->operator_first[(unsigned char)*s->at]; i > 0;
       i = index->operator_next[i]) {
    const struct clew_lex_word *op = &s->style->operators[i - 1];
    size_t op_length = index->operator_length[i];
    if (op_length > length && (op_length == 1 || starts_with(s, op->text))) {
      longest = op;
      length = op_length;
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
  size_t length = clew_text_utf8(s->at, (size_t)(s->end - s->at), &code), start;
  const struct clew_habit *habit =
      clew_habit_operator(s->style, s->source, offset_of(s, s->at), &start);
  if (habit != NULL) {
    clew_diag_at(s->diags, CLEW_ERROR, s->source, start, strlen(habit->spelling),
                 "unexpected '%s': %s", habit->spelling, habit->hint);
  } else if (length == 1 && isprint((unsigned char)*s->at)) {
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
  if (has_class(s, *s->at, CLASS_ALONE)) {
    const char *start = s->at++;
    push(s, s->style->operators[s->index->operator_first[(unsigned char)*start] - 1].kind, start);
    return true;
  }
  if (has_class(s, *s->at, CLASS_NAME_START)) {
    scan_name(s);
    return true;
  }
  if (has_class(s, *s->at, CLASS_DIGIT)) {
    scan_number(s);
    return true;
  }
  const struct clew_lex_pair *quotes = s->style->quotes;
  for (; has_class(s, *s->at, CLASS_QUOTE) && quotes->open != NULL; quotes++) {
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

/* Memory for the next tokens, as many again as there are up to a limit; until how many there may be
 * now. */
static uint32_t make_room(struct clew_tokens *tokens) {
  enum { LEAST = 1 << 12, MOST = 1 << 16 };
  clew_vec_reserve(tokens, tokens->len + 1);
  uint32_t room = tokens->cap - tokens->len, want = tokens->len;
  want = want < LEAST ? LEAST : want > MOST ? MOST : want;
  room = room < want ? room : want;
  clew_alloc_prefault(tokens->data + tokens->len, room * sizeof *tokens->data);
  return tokens->len + room;
}

bool clew_lex_scan(const struct clew_source *source, const struct clew_lex_style *style,
                   struct clew_diag_sink *diags, struct clew_tokens *tokens) {
  assert(source->text != NULL && source->text[source->length] == '\0');
  if (source->length >= INT32_MAX) {
    clew_diag_plain(diags, CLEW_ERROR, source->name, "the file is too large for a model");
    return false;
  }
  struct lex_index index = {0};
  index_classes(&index, style);
  index_words(&index, style);
  index_operators(&index, style);
  /* Room that is not used is not touched either. */
  clew_vec_reserve(tokens, (uint32_t)source->length / 2 + 1);
  struct scanner s = {
      .index = &index, .source = source, .style = style, .diags = diags, .tokens = tokens};
  s.at = source->text;
  s.end = source->text + source->length;
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (starts_with(&s, byte_order_mark)) {
    s.at += strlen(byte_order_mark);
  }
  uint32_t room = 0;
  for (;;) {
    if (has_class(&s, *s.at, CLASS_BLANK | CLASS_COMMENT)) {
      skip_blanks(&s);
    }
    if (tokens->len >= room) {
      room = make_room(tokens);
    }
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
    char c = text[i];
    int64_t digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
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

/* ---- Habits --------------------------------------------------------------------------------- */

static bool is_word(const char *spelling) {
  return isalpha((unsigned char)spelling[0]) || spelling[0] == '_' ||
         (spelling[0] == '#' && spelling[1] != '\0');
}

const struct clew_habit *clew_habit_operator(const struct clew_lex_style *style,
                                             const struct clew_source *source, size_t offset,
                                             size_t *start) {
  const struct clew_habit *best = NULL;
  for (const struct clew_habit *each = style->habits; each != NULL && each->spelling != NULL;
       each++) {
    size_t length = strlen(each->spelling);
    for (size_t before = 0; before < length && before <= offset && !is_word(each->spelling);
         before++) {
      size_t at = offset - before;
      if (at + length <= source->length && memcmp(source->text + at, each->spelling, length) == 0 &&
          (best == NULL || length > strlen(best->spelling))) {
        best = each;
        *start = at;
      }
    }
  }
  return best;
}

const struct clew_habit *clew_habit_word(const struct clew_lex_style *style, const char *word,
                                         size_t length) {
  for (const struct clew_habit *each = style->habits; each != NULL && each->spelling != NULL;
       each++) {
    bool same = strlen(each->spelling) == length && is_word(each->spelling) &&
                (style->any_case ? strncasecmp(each->spelling, word, length) == 0
                                 : memcmp(each->spelling, word, length) == 0);
    if (same) {
      return each;
    }
  }
  return NULL;
}
