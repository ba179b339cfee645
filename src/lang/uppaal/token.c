/* UPPAAL's tokens: the tables for the shared scanner. */
#include "lang/uppaal/uppaal_int.h"

static const struct clew_lex_word words[] = {
#define X(name, text, since) {text, UPPAAL_TOKEN_##name},
    UPPAAL_KEYWORDS(X)
#undef X
};

enum { WORD_COUNT = sizeof words / sizeof words[0] };

static const struct clew_lex_word operators[] = {
#define X(name, text) {text, UPPAAL_TOKEN_##name},
    UPPAAL_OPERATORS(X)
#undef X
        {NULL, 0},
};

static const char *const line_comments[] = {"//", NULL};
static const struct clew_lex_pair comments[] = {{"/*", "*/"}, {NULL, NULL}};
static const struct clew_lex_pair quotes[] = {{"\"", "\""}, {NULL, NULL}};

static const struct clew_lex_style style = {
    .language = "UPPAAL",
    .name_extra = "$#",
    .line_comments = line_comments,
    .comments = comments,
    .quotes = quotes,
    .words = words,
    .word_count = WORD_COUNT,
    .any_case = false,
    .operators = operators,
};

static const char *const token_names[] = {[CLEW_TOKEN_END] = "the end of the text",
                                          [CLEW_TOKEN_NAME] = "a name",
                                          [CLEW_TOKEN_NUMBER] = "a number",
                                          [CLEW_TOKEN_STRING] = "a string",
#define X(name, text) [UPPAAL_TOKEN_##name] = "'" text "'",
                                          UPPAAL_OPERATORS(X)
#undef X
#define X(name, text, since) [UPPAAL_TOKEN_##name] = "'" text "'",
                                              UPPAAL_KEYWORDS(X)
#undef X
};

const struct clew_syntax clew_uppaal_syntax = {
    .style = &style,
    .token_names = token_names,
    .semicolon = UPPAAL_TOKEN_SEMICOLON,
    .max_nesting = UPPAAL_MAX_NESTING,
    .max_depth = UPPAAL_MAX_EXPR_DEPTH,
    .name_bytes = sizeof(struct uppaal_name),
};

bool clew_uppaal_is_new_word(uint32_t kind) {
  enum { OLD, NEW };
  switch (kind) {
#define X(name, text, since)                                                                       \
  case UPPAAL_TOKEN_##name:                                                                        \
    return (since) == NEW;
    UPPAAL_KEYWORDS(X)
#undef X
  default:
    return false;
  }
}
