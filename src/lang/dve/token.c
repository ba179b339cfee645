/* DVE's tokens: the tables for the shared scanner. */
#include "lang/dve/dve_int.h"

static const struct clew_lex_word words[] = {
#define X(name, text) {text, DVE_TOKEN_##name},
    DVE_KEYWORDS(X)
#undef X
};

enum { WORD_COUNT = sizeof words / sizeof words[0] };

static const struct clew_lex_word operators[] = {
#define X(name, text) {text, DVE_TOKEN_##name},
    DVE_OPERATORS(X)
#undef X
        {NULL, 0},
};

static const char *const line_comments[] = {"//", NULL};
static const struct clew_lex_pair comments[] = {{"/*", "*/"}, {NULL, NULL}};
static const struct clew_lex_pair quotes[] = {{NULL, NULL}};

static const struct clew_lex_style style = {
    .language = "DVE",
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
#define X(name, text) [DVE_TOKEN_##name] = "'" text "'",
                                          DVE_KEYWORDS(X) DVE_OPERATORS(X)
#undef X
};

const struct clew_syntax clew_dve_syntax = {
    .style = &style,
    .token_names = token_names,
    .semicolon = DVE_TOKEN_SEMICOLON,
    .max_nesting = DVE_MAX_NESTING,
    .max_depth = DVE_MAX_EXPR_DEPTH,
    .name_bytes = sizeof(struct dve_name),
};
