/* Murphi's tokens: the tables for the shared scanner. Keywords are case-insensitive, identifiers
 * are not; rumur's Unicode operators are further spellings of the same kinds. */
#include "lang/murphi/murphi_int.h"

static const struct clew_lex_word words[] = {
#define X(name, text) {text, MURPHI_TOKEN_##name},
    MURPHI_KEYWORDS(X)
#undef X
};

enum { WORD_COUNT = sizeof words / sizeof words[0] };

static const struct clew_lex_word operators[] = {
#define X(name, text) {text, MURPHI_TOKEN_##name},
    MURPHI_OPERATORS(X)
#undef X
        {"==", MURPHI_TOKEN_EQ},
    {"≔", MURPHI_TOKEN_ASSIGN},
    {"→", MURPHI_TOKEN_IMPLIES},
    {"⇒", MURPHI_TOKEN_ARROW},
    {"∨", MURPHI_TOKEN_OROR},
    {"∧", MURPHI_TOKEN_ANDAND},
    {"¬", MURPHI_TOKEN_NOT},
    {"≠", MURPHI_TOKEN_NE},
    {"≤", MURPHI_TOKEN_LE},
    {"≥", MURPHI_TOKEN_GE},
    {"×", MURPHI_TOKEN_STAR},
    {"÷", MURPHI_TOKEN_SLASH},
    {"∕", MURPHI_TOKEN_SLASH},
    {"−", MURPHI_TOKEN_MINUS},
    {"∀", MURPHI_TOKEN_FORALL},
    {"∃", MURPHI_TOKEN_EXISTS},
    {NULL, 0},
};

static const char *const line_comments[] = {"--", NULL};
static const struct clew_lex_pair comments[] = {{"/*", "*/"}, {NULL, NULL}};
static const struct clew_lex_pair quotes[] = {{"\"", "\""}, {"“", "”"}, {NULL, NULL}};

static const struct clew_lex_style style = {
    .language = "Murphi",
    .name_extra = "",
    .line_comments = line_comments,
    .comments = comments,
    .quotes = quotes,
    .words = words,
    .word_count = WORD_COUNT,
    .any_case = true,
    .operators = operators,
};

static const char *const token_names[] = {[CLEW_TOKEN_END] = "the end of the text",
                                          [CLEW_TOKEN_NAME] = "a name",
                                          [CLEW_TOKEN_NUMBER] = "a number",
                                          [CLEW_TOKEN_STRING] = "a string",
#define X(name, text) [MURPHI_TOKEN_##name] = "'" text "'",
                                          MURPHI_KEYWORDS(X) MURPHI_OPERATORS(X)
#undef X
};

const struct clew_syntax clew_murphi_syntax = {
    .style = &style,
    .token_names = token_names,
    .semicolon = MURPHI_TOKEN_SEMICOLON,
    .max_nesting = MURPHI_MAX_NESTING,
    .max_depth = MURPHI_MAX_EXPR_DEPTH,
    .name_bytes = sizeof(struct murphi_name),
};
