/* The token scanner that languages share. A language describes its lexical style in tables (struct
 * clew_lex_style) and gets the whole text as an array of tokens, so that a parser may look ahead as
 * far as it likes. A token is a kind and a stretch of the source: nothing is copied, and the values
 * of numbers and strings are computed when a parser asks for them.
 *
 * Names are letters, digits and '_' (and what the style adds), not starting with a digit. Numbers
 * are decimal or 0x and hexadecimal. Strings end on their line; a backslash takes the next
 * character along. */
#ifndef CLEW_LANG_LEX_H
#define CLEW_LANG_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

enum {
  CLEW_TOKEN_END, /* of the text: always the last token */
  CLEW_TOKEN_NAME,
  CLEW_TOKEN_NUMBER,
  CLEW_TOKEN_STRING,
  CLEW_TOKEN_FIRST, /* the languages' own kinds start here */
};

struct clew_token {
  uint32_t kind;
  uint32_t offset, length; /* in bytes; a string's include its quotes */
};

struct clew_lex_word {
  const char *text; /* NULL ends a table */
  uint32_t kind;
};

/* X(name, text) for the operators that are spelled alike in the languages we know; a language lists
 * its own behind these. */
#define CLEW_LEX_PUNCTUATION(X)                                                                    \
  X(COLON, ":")                                                                                    \
  X(SEMICOLON, ";")                                                                                \
  X(COMMA, ",")                                                                                    \
  X(DOT, ".")                                                                                      \
  X(LPAREN, "(")                                                                                   \
  X(RPAREN, ")")                                                                                   \
  X(LBRACKET, "[")                                                                                 \
  X(RBRACKET, "]")                                                                                 \
  X(LBRACE, "{")                                                                                   \
  X(RBRACE, "}")                                                                                   \
  X(TILDE, "~")                                                                                    \
  X(NE, "!=")                                                                                      \
  X(LT, "<")                                                                                       \
  X(LE, "<=")                                                                                      \
  X(GT, ">")                                                                                       \
  X(GE, ">=")                                                                                      \
  X(SHL, "<<")                                                                                     \
  X(SHR, ">>")                                                                                     \
  X(PLUS, "+")                                                                                     \
  X(MINUS, "-")                                                                                    \
  X(STAR, "*")                                                                                     \
  X(SLASH, "/")                                                                                    \
  X(PERCENT, "%")

struct clew_lex_pair {
  const char *open, *close; /* NULL ends a table */
};

/* What people write who come from another language, and how this one says it. It is looked for only
 * where something is wrong already, so it never changes what a text means. */
struct clew_habit {
  const char *spelling; /* an operator, or a word as a whole; NULL ends a table */
  const char *hint;     /* "'and' is written '&'" */
  bool starts;          /* a word that begins something: it counts only where that can be, and what
                         * is wrong may stand behind it */
};

struct clew_lex_style {
  const struct clew_habit *habits;      /* or NULL */
  const char *language;                 /* as messages name it: "Murphi" */
  const char *name_extra;               /* further characters of names, "" for none */
  const char *const *line_comments;     /* what starts them; ends with NULL */
  const struct clew_lex_pair *comments; /* those with an end; they do not nest */
  const struct clew_lex_pair *quotes;   /* of strings */
  const struct clew_lex_word *words;    /* keywords, sorted; in lower case when any_case */
  uint32_t word_count;
  bool any_case;                         /* keywords may be written in capitals */
  const struct clew_lex_word *operators; /* in any order: the longest that matches is taken */
};

struct clew_tokens {
  struct clew_token *data; /* owned: free with clew_vec_free */
  uint32_t len, cap;
};

/* Scans everything. False when the text cannot be this language's (a byte that no token starts
 * with, a comment without an end): then nothing should be parsed. Smaller faults (an unclosed
 * string) are reported too, but leave a token, so parsing may go on to find more. */
bool clew_lex_scan(const struct clew_source *source, const struct clew_lex_style *style,
                   struct clew_diag_sink *diags, struct clew_tokens *tokens);

/* The longest operator among the habits that the byte at `offset` is part of, and where it begins;
 * NULL: none. A word is never found. */
const struct clew_habit *clew_habit_operator(const struct clew_lex_style *style,
                                             const struct clew_source *source, size_t offset,
                                             size_t *start);
/* The habit that is this word, or NULL. */
const struct clew_habit *clew_habit_word(const struct clew_lex_style *style, const char *word,
                                         size_t length);

/* How many bytes of blanks and comments start at `at`. */
size_t clew_lex_blank(const struct clew_lex_style *style, const char *at, const char *end);

/* The value of a number token; false when it does not fit. */
bool clew_lex_number(const struct clew_source *source, struct clew_token token, int64_t *value);

/* The text of a string token without its quotes; \" and \\ lose their backslash, other control
 * characters and escapes for them become spaces. */
const char *clew_lex_string(struct clew_arena *arena, const struct clew_source *source,
                            struct clew_token token);

#endif
