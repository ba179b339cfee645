/* What the files of the DVE front end share: the state of one translation and the entry of each
 * phase. Private to this folder. */
#ifndef CLEW_LANG_DVE_INT_H
#define CLEW_LANG_DVE_INT_H

#include "lang/dve/ast.h"

enum {
  DVE_MAX_NESTING = 500,     /* of parentheses, indices and prefix operators */
  DVE_MAX_EXPR_DEPTH = 1000, /* of operators, chains of `and` and of `or` counting as one */
};

/* One translation, from source to program. */
struct dve {
  struct clew_front *front; /* its arena holds the tree, the symbols and all else */
  struct dve_model model;
};

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
  CLEW_LEX_PUNCTUATION(X)                                                                          \
  X(ARROW, "->")                                                                                   \
  X(ASSIGN, "=")                                                                                   \
  X(SEND, "!")                                                                                     \
  X(RECEIVE, "?")                                                                                  \
  X(OROR, "||")                                                                                    \
  X(ANDAND, "&&")                                                                                  \
  X(BIT_OR, "|")                                                                                   \
  X(BIT_AND, "&")                                                                                  \
  X(BIT_XOR, "^")                                                                                  \
  X(EQ, "==")

enum dve_token {
  DVE_TOKEN_BEFORE = CLEW_TOKEN_FIRST - 1,
#define X(name, text) DVE_TOKEN_##name,
  DVE_KEYWORDS(X) DVE_OPERATORS(X)
#undef X
      DVE_TOKEN_COUNT
};

extern const struct clew_syntax clew_dve_syntax;

/* ---- The phases ----------------------------------------------------------------------------- */

static inline int64_t dve_type_lo(enum dve_type type) {
  return type == DVE_TYPE_BYTE ? 0 : INT16_MIN;
}

static inline int64_t dve_type_hi(enum dve_type type) {
  return type == DVE_TYPE_BYTE ? UINT8_MAX : INT16_MAX;
}

/* Each reports what is wrong; the caller looks at the sink before it starts the next. */
void clew_dve_parse(struct dve *d);
void clew_dve_check(struct dve *d);
/* Narrows the ranges of variables; only for a model without errors. */
void clew_dve_ranges(struct dve *d);
/* Tells an editor what was declared, and once ranges are known, these. */
void clew_dve_note(struct dve *d);
void clew_dve_note_ranges(struct dve *d);
/* Builds the program; only for a model without errors. */
void clew_dve_lower(struct dve *d, struct clew_program *program);

#endif
