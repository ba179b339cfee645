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

static const struct clew_habit habits[] = {
    {"=>", "implication is written 'imply', and a transition 's -> t'", false},
    {"-->", "a transition is written 's -> t'", false},
    {"<>", "inequality is written '!='", false},
    {"/=", "inequality is written '!='", false},
    {"~=", "inequality is written '!='", false},
    {"=<", "'at most' is written '<='", false},
    {"===", "equality is written '=='", false},
    {"/\\", "'and' is written 'and' or '&&'", false},
    {"\\/", "'or' is written 'or' or '||'", false},
    {":=", "assignments are written '='", false},
    {"<-", "assignments are written '='", false},
    {"++", "increments are written x = x + 1", false},
    {"+=", "it is written x = x + 1", false},
    {"-=", "it is written x = x - 1", false},
    {"--", "a comment begins with '//', a decrement is written x = x - 1", false},
    {"#", "a comment begins with '//'", false},
    {"..", "ranges are not written: a byte is 0..255, an int -32768..32767", false},
    {"\"", "there are no strings", false},
    {"'", "there are no characters: write numbers", false},
    {"#define", "a constant is written 'const byte N = 3;'", true},
    {"#include", "a model is one file", true},
    {"AND", "it is written 'and'", false},
    {"OR", "it is written 'or'", false},
    {"NOT", "it is written 'not'", true},
    {"implies", "implication is written 'imply'", false},
    {"mod", "the remainder is written '%'", false},
    {"div", "division is written '/'", false},
    {"True", "it is written 'true'", false},
    {"TRUE", "it is written 'true'", false},
    {"False", "it is written 'false'", false},
    {"FALSE", "it is written 'false'", false},
    {"bool", "truth values are of type 'byte'", true},
    {"boolean", "truth values are of type 'byte'", true},
    {"bit", "truth values are of type 'byte'", true},
    {"short", "the types are 'byte' and 'int'", true},
    {"long", "the types are 'byte' and 'int'", true},
    {"uint8_t", "the types are 'byte' and 'int'", true},
    {"integer", "the types are 'byte' and 'int'", true},
    {"var", "a variable is declared by its type: byte x;", true},
    {"chan", "it is written 'channel'", true},
    {"proctype", "it is written 'process'", true},
    {"active", "it is written 'process'", true},
    {"module", "it is written 'process'", true},
    {"template", "it is written 'process'", true},
    {"states", "it is written 'state'", true},
    {"location", "it is written 'state'", true},
    {"locations", "it is written 'state'", true},
    {"initial", "it is written 'init'", true},
    {"transitions", "it is written 'trans'", true},
    {"transition", "it is written 'trans'", true},
    {"when", "it is written 'guard'", true},
    {"assign", "it is written 'effect'", true},
    {"update", "it is written 'effect'", true},
    {"do", "there are no statements: a process has states and transitions", true},
    {"if", "there is no 'if': write two transitions with guards", true},
    {"while", "there is no 'while': a loop is a transition back", true},
    {"goto", "there is no 'goto': transitions lead to states", true},
    {"skip", "there is no 'skip': a transition may have no effect", true},
    {"ltl", "temporal formulas are not part of a model: ask --invariant or --goal", true},
    {"?", "there is no '?:', and '?' receives in 'sync' only", false},
    {NULL, NULL, false},
};

static const struct clew_lex_style style = {
    .habits = habits,
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
