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

static const struct clew_habit habits[] = {
    {"=>", "implication is written '->'", false},
    {"<=>", "equivalence is written '='", false},
    {"<->", "equivalence is written '='", false},
    {"<>", "inequality is written '!='", false},
    {"/=", "inequality is written '!='", false},
    {"~=", "inequality is written '!='", false},
    {"#", "inequality is written '!=', and a comment begins with '--'", false},
    {"=<", "'at most' is written '<='", false},
    {"===", "equality is written '='", false},
    {"&&&", "'and' is written '&'", false},
    {"/\\", "'and' is written '&'", false},
    {"\\/", "'or' is written '|'", false},
    {"\\in", "a variable has a type, and 'forall x: T do ... end' ranges over one", false},
    {"\\A", "it is written 'forall x: T do ... end'", false},
    {"\\E", "it is written 'exists x: T do ... end'", false},
    {"'", "there are no primed variables: a rule assigns by ':='; strings stand between '\"'",
     false},
    {"//", "a comment begins with '--'", false},
    {"++", "increments are written x := x + 1", false},
    {"+=", "it is written x := x + 1", false},
    {"-=", "it is written x := x - 1", false},
    {"<-", "assignments are written ':='", false},
    {"...", "a range is written '0..3'", false},
    {"and", "'and' is written '&'", false},
    {"or", "'or' is written '|'", false},
    {"xor", "'xor' of booleans is written '!='", false},
    {"not", "'not' is written '!'", true},
    {"implies", "implication is written '->'", false},
    {"imply", "implication is written '->'", false},
    {"mod", "the remainder is written '%'", false},
    {"div", "division is written '/'", false},
    {"bool", "the type is written 'boolean'", true},
    {"int", "integers have a range, such as 0..7", true},
    {"integer", "integers have a range, such as 0..7", true},
    {"byte", "integers have a range, such as 0..255", true},
    {"elseif", "it is written 'elsif'", true},
    {"elif", "it is written 'elsif'", true},
    {"endelse", "an 'if' ends with 'end' or 'endif'", false},
    {"default", "the last part of a switch is written 'else'", true},
    {"break", "there is no 'break': a loop ends with its condition, a case with the next one",
     true},
    {"skip", "there is no 'skip': a body may be empty", true},
    {"goto", "there is no 'goto'", true},
    {"await", "there is no 'await': a rule waits by its guard", true},
    {"null", "a variable without a value is 'undefined'", false},
    {"nil", "a variable without a value is 'undefined'", false},
    {"void", "what returns nothing is written 'procedure'", true},
    {"init", "initial states are written 'startstate'", true},
    {"initial", "initial states are written 'startstate'", true},
    {"process", "processes are rules: ruleset p: 0..1 do rule ... end; end;", true},
    {"proctype", "processes are rules: ruleset p: 0..1 do rule ... end; end;", true},
    {"active", "processes are rules: ruleset p: 0..1 do rule ... end; end;", true},
    {"property", "it is written 'invariant \"name\" expression;' or 'liveness'", true},
    {"variable", "it is written 'var'", true},
    {"variables", "it is written 'var'", true},
    {"VARIABLES", "it is written 'var'", true},
    {"CONSTANTS", "it is written 'const'", true},
    {NULL, NULL, false},
};

static const struct clew_lex_style style = {
    .habits = habits,
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
