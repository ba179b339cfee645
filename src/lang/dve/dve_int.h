/* What the files of the DVE front end share: the state of one translation and the entry of each
 * phase. Private to this folder. */
#ifndef CLEW_LANG_DVE_INT_H
#define CLEW_LANG_DVE_INT_H

#include "base/diag.h"
#include "lang/dve/ast.h"
#include "lang/lang.h"
#include "lang/lex.h"

enum {
  DVE_MAX_NESTING = 500,     /* of parentheses, indices and prefix operators */
  DVE_MAX_EXPR_DEPTH = 1000, /* of operators, chains of `and` and of `or` counting as one */
};

/* One translation, from source to program. */
struct dve {
  const struct clew_source *source;
  struct clew_diag_sink *diags;
  struct clew_override *overrides;
  uint32_t override_count;
  struct clew_arena *arena; /* of the tree and the symbols */
  struct dve_name **buckets;
  uint32_t bucket_count, name_count; /* bucket_count is a power of two */
  uint32_t *line_starts;             /* offset of each line, for positions */
  uint32_t line_count;
  struct dve_model model;
};

/* ---- dve.c: names, positions, messages ------------------------------------------------------ */

struct dve_name *dve_intern(struct dve *d, const char *text, size_t length);
struct clew_position dve_position(const struct dve *d, struct dve_span span);
void dve_error(struct dve *d, struct dve_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dve_warn(struct dve *d, struct dve_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The source of a span on one line, blanks and comments collapsed, shortened when long. */
const char *dve_text(struct dve *d, struct dve_span span);
/* From the start of the first to the end of the second. */
struct dve_span dve_span_join(struct dve_span first, struct dve_span last);

/* ---- token.c -------------------------------------------------------------------------------- */

#define DVE_KEYWORDS(X)                                                                            \
  X(ACCEPT, "accept")                                                                              \
  X(AND, "and")                                                                                    \
  X(ASSERT, "assert")                                                                              \
  X(ASYNC, "async")                                                                                \
  X(BYTE, "byte")                                                                                  \
  X(CHANNEL, "channel")                                                                            \
  X(COMMIT, "commit")                                                                              \
  X(CONST, "const")                                                                                \
  X(EFFECT, "effect")                                                                              \
  X(FALSE, "false")                                                                                \
  X(GUARD, "guard")                                                                                \
  X(IMPLY, "imply")                                                                                \
  X(INIT, "init")                                                                                  \
  X(INT, "int")                                                                                    \
  X(NOT, "not")                                                                                    \
  X(OR, "or")                                                                                      \
  X(PROCESS, "process")                                                                            \
  X(PROPERTY, "property")                                                                          \
  X(STATE, "state")                                                                                \
  X(SYNC, "sync")                                                                                  \
  X(SYSTEM, "system")                                                                              \
  X(TRANS, "trans")                                                                                \
  X(TRUE, "true")

#define DVE_OPERATORS(X)                                                                           \
  X(ARROW, "->")                                                                                   \
  X(ASSIGN, "=")                                                                                   \
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
  X(SEND, "!")                                                                                     \
  X(RECEIVE, "?")                                                                                  \
  X(OROR, "||")                                                                                    \
  X(ANDAND, "&&")                                                                                  \
  X(BIT_OR, "|")                                                                                   \
  X(BIT_AND, "&")                                                                                  \
  X(BIT_XOR, "^")                                                                                  \
  X(TILDE, "~")                                                                                    \
  X(EQ, "==")                                                                                      \
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

enum dve_token {
  DVE_TOKEN_BEFORE = CLEW_TOKEN_FIRST - 1,
#define X(name, text) DVE_TOKEN_##name,
  DVE_KEYWORDS(X) DVE_OPERATORS(X)
#undef X
      DVE_TOKEN_COUNT
};

/* False when the text is not DVE at all. */
bool dve_scan(struct dve *d, struct clew_tokens *tokens);
/* How messages name a kind of token: "'guard'", "a name". */
const char *dve_token_name(uint32_t kind);

/* ---- The phases ----------------------------------------------------------------------------- */

static inline int64_t dve_type_lo(enum dve_type type) {
  return type == DVE_TYPE_BYTE ? 0 : INT16_MIN;
}

static inline int64_t dve_type_hi(enum dve_type type) {
  return type == DVE_TYPE_BYTE ? UINT8_MAX : INT16_MAX;
}

/* Each reports what is wrong; the caller looks at the sink before it starts the next. */
void dve_parse(struct dve *d, const struct clew_tokens *tokens);
void dve_check(struct dve *d);
/* Narrows the ranges of variables; only for a model without errors. */
void dve_ranges(struct dve *d);
/* Builds the program; only for a model without errors. */
void dve_lower(struct dve *d, struct clew_program *program);

#endif
