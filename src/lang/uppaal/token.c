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

static const struct clew_habit habits[] = {
    {"->", "implication is written 'imply', and an edge 's -> t'", false},
    {"=>", "implication is written 'imply', and an edge 's -> t'", false},
    {"-->", "'leads to' is for queries, and an edge is written 's -> t'", false},
    {"<>", "inequality is written '!='", false},
    {"~=", "inequality is written '!='", false},
    {"===", "equality is written '=='", false},
    {"/\\", "'and' is written '&&'", false},
    {"\\/", "'or' is written '||'", false},
    {"#", "a comment begins with '//'", false},
    {"--", "a comment begins with '//'", false},
    {"..", "a range is written 'int[0,7]'", false},
    {"\"", "there are no strings", false},
    {"implies", "implication is written 'imply'", false},
    {"mod", "the remainder is written '%'", false},
    {"div", "division is written '/'", false},
    {"True", "it is written 'true'", false},
    {"False", "it is written 'false'", false},
    {"boolean", "the type is written 'bool'", true},
    {"integer", "the type is written 'int' or 'int[0,7]'", true},
    {"byte", "the type is written 'int[0,255]'", true},
    {"short", "the type is written 'int'", true},
    {"long", "the type is written 'int[lo,hi]'", true},
    {"unsigned", "the type is written 'int[0,hi]'", true},
    {"float", "numbers are integers; a clock has real values", true},
    {"channel", "it is written 'chan'", true},
    {"enum", "there are no enumerations: write constants, or a range 'typedef int[0,2] T;'", true},
    {"location", "locations are declared by 'state'", true},
    {"locations", "locations are declared by 'state'", true},
    {"states", "locations are declared by 'state'", true},
    {"initial", "it is written 'init'", true},
    {"transitions", "it is written 'trans'", true},
    {"effect", "it is written 'assign'", true},
    {"update", "it is written 'assign'", true},
    {"action", "it is written 'assign'", true},
    {"when", "it is written 'guard'", true},
    {"template", "it is written 'process P() { ... }'", true},
    {"automaton", "it is written 'process P() { ... }'", true},
    {"proctype", "it is written 'process P() { ... }'", true},
    {"elseif", "it is written 'else if'", true},
    {"elsif", "it is written 'else if'", true},
    {"elif", "it is written 'else if'", true},
    {"then", "there is no 'then': if (x) statement", true},
    {"in", "it is written 'i : int[0,3]'", false},
    {"switch", "there is no 'switch': write 'if' and 'else if'", true},
    {"break", "there is no 'break'", true},
    {"continue", "there is no 'continue'", true},
    {"reset", "a clock is reset by 'x = 0'", false},
    {"printf", "nothing can be printed", false},
    {NULL, NULL, false},
};

static const struct clew_lex_style style = {
    .habits = habits,
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
