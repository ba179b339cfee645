/* What the files of the UPPAAL front end share. Private to this folder. */
#ifndef CLEW_LANG_UPPAAL_INT_H
#define CLEW_LANG_UPPAAL_INT_H

#include "lang/cursor.h"
#include "lang/uppaal/ast.h"

enum {
  UPPAAL_MAX_NESTING = 300,    /* of the source: parentheses, statements, structs */
  UPPAAL_MAX_EXPR_DEPTH = 500, /* of expression trees: also a + b + c + … */
};

/* ---- token.c -------------------------------------------------------------------------------- */

/* X(name, text, since). Words that are NEW are names in the old syntax. Words that mean something
 * in one place only (priority, default, progress, deadlock, …) are no keywords: models of all ages
 * use them as names. */
#define UPPAAL_KEYWORDS(X)                                                                         \
  X(AND, "and", OLD)                                                                               \
  X(ASSERT, "assert", NEW)                                                                         \
  X(ASSIGN_SECTION, "assign", OLD)                                                                 \
  X(BOOL, "bool", OLD)                                                                             \
  X(BRANCHPOINT, "branchpoint", NEW)                                                               \
  X(BROADCAST, "broadcast", NEW)                                                                   \
  X(CHAN, "chan", OLD)                                                                             \
  X(CLOCK, "clock", OLD)                                                                           \
  X(COMMIT, "commit", OLD)                                                                         \
  X(CONST, "const", OLD)                                                                           \
  X(DO, "do", NEW)                                                                                 \
  X(ELSE, "else", NEW)                                                                             \
  X(EXISTS, "exists", NEW)                                                                         \
  X(FALSE, "false", OLD)                                                                           \
  X(FOR, "for", NEW)                                                                               \
  X(FORALL, "forall", NEW)                                                                         \
  X(GUARD, "guard", OLD)                                                                           \
  X(IF, "if", NEW)                                                                                 \
  X(IMPLY, "imply", OLD)                                                                           \
  X(INIT, "init", OLD)                                                                             \
  X(INT, "int", OLD)                                                                               \
  X(META, "meta", NEW)                                                                             \
  X(NOT, "not", OLD)                                                                               \
  X(OR, "or", OLD)                                                                                 \
  X(PROCESS, "process", OLD)                                                                       \
  X(RETURN, "return", NEW)                                                                         \
  X(SCALAR, "scalar", NEW)                                                                         \
  X(SELECT, "select", NEW)                                                                         \
  X(STATE, "state", OLD)                                                                           \
  X(STRUCT, "struct", NEW)                                                                         \
  X(SUM, "sum", NEW)                                                                               \
  X(SYNC, "sync", OLD)                                                                             \
  X(SYSTEM, "system", OLD)                                                                         \
  X(TRANS, "trans", OLD)                                                                           \
  X(TRUE, "true", OLD)                                                                             \
  X(TYPEDEF, "typedef", NEW)                                                                       \
  X(URGENT, "urgent", OLD)                                                                         \
  X(VOID, "void", NEW)                                                                             \
  X(WHILE, "while", NEW)                                                                           \
  X(XOR, "xor", NEW)

#define UPPAAL_OPERATORS(X)                                                                        \
  CLEW_LEX_PUNCTUATION(X)                                                                          \
  X(ARROW, "->")                                                                                   \
  X(UNCONTROLLED, "-u->")                                                                          \
  X(ASSIGN, "=")                                                                                   \
  X(OLD_ASSIGN, ":=")                                                                              \
  X(ADD_ASSIGN, "+=")                                                                              \
  X(SUB_ASSIGN, "-=")                                                                              \
  X(MUL_ASSIGN, "*=")                                                                              \
  X(DIV_ASSIGN, "/=")                                                                              \
  X(MOD_ASSIGN, "%=")                                                                              \
  X(OR_ASSIGN, "|=")                                                                               \
  X(AND_ASSIGN, "&=")                                                                              \
  X(XOR_ASSIGN, "^=")                                                                              \
  X(SHL_ASSIGN, "<<=")                                                                             \
  X(SHR_ASSIGN, ">>=")                                                                             \
  X(INCREMENT, "++")                                                                               \
  X(DECREMENT, "--")                                                                               \
  X(BANG, "!")                                                                                     \
  X(QUESTION, "?")                                                                                 \
  X(OROR, "||")                                                                                    \
  X(ANDAND, "&&")                                                                                  \
  X(BIT_OR, "|")                                                                                   \
  X(BIT_AND, "&")                                                                                  \
  X(BIT_XOR, "^")                                                                                  \
  X(EQ, "==")                                                                                      \
  X(MIN, "<?")                                                                                     \
  X(MAX, ">?")                                                                                     \
  X(POWER, "**")                                                                                   \
  X(OLD_LE, "=<")                                                                                  \
  X(OLD_GE, "=>")                                                                                  \
  X(PRIME, "'")

enum uppaal_token {
  UPPAAL_TOKEN_BEFORE = CLEW_TOKEN_FIRST - 1,
#define X(name, text) UPPAAL_TOKEN_##name,
  UPPAAL_OPERATORS(X)
#undef X
#define X(name, text, since) UPPAAL_TOKEN_##name,
      UPPAAL_KEYWORDS(X)
#undef X
          UPPAAL_TOKEN_COUNT
};

extern const struct clew_syntax clew_uppaal_syntax;

/* Whether the word is a name in the old syntax. */
bool clew_uppaal_is_new_word(uint32_t kind);

/* ---- xml.c ---------------------------------------------------------------------------------- */

/* A stretch of the text form that stands as it is in the XML file; what lies between stretches was
 * put there by the translation. */
struct uppaal_piece {
  uint32_t to, from, length; /* offsets in the text form and in the file */
};

struct uppaal_xml_query {
  const char *formula, *comment;
  uint32_t from; /* where the formula begins in the file */
};

/* An XML file in the text form. Everything lives in the arena. */
struct uppaal_xml {
  struct clew_source text;
  struct uppaal_piece *pieces; /* in order */
  uint32_t piece_count;
  struct uppaal_xml_query *queries;
  uint32_t query_count;
  bool has_lsc; /* message sequence charts, which were left out */
};

/* False when the file is not well-formed or no model at all, which has been reported. Entities are
 * not declared and nothing outside the file is read, whatever it says. */
bool clew_uppaal_read_xml(const struct clew_source *source, struct clew_arena *arena,
                          struct clew_diag_sink *diags, struct uppaal_xml *out);
/* The place in the file that an offset of the text form comes from, or the nearest before it. */
uint32_t clew_uppaal_xml_origin(const struct uppaal_xml *xml, uint32_t offset);

/* ---- parse*.c ------------------------------------------------------------------------------- */

struct uppaal_parser {
  struct clew_cursor *c;
  bool old;
};

/* The tree of the model, text 0 of the front end. What is wrong is reported; under errors the tree
 * is of no use. */
void clew_uppaal_parse(struct clew_front *front, bool old, struct uppaal_system *system);

/* Tells an editor what the tree declares (note.c). */
void clew_uppaal_note(struct clew_front *front, const struct uppaal_system *system);

/* Whether the old syntax understands more of the text than the new one. It is parsed for that;
 * nothing is reported. */
bool clew_uppaal_is_old(const struct clew_load_request *request);

struct uppaal_ref clew_uppaal_parse_ref(struct clew_cursor *c, const char *what);
bool clew_uppaal_at_word(const struct clew_cursor *c, const char *word); /* the next token is it */

struct uppaal_expr *clew_uppaal_parse_expr(struct clew_cursor *c);
/* Query number `number`, text number + 1 of the front end. */
void clew_uppaal_parse_query(struct clew_front *front, uint32_t number, struct uppaal_query *query);
/* In a query, where nothing can be decremented: --> follows. */
bool clew_uppaal_at_leads_to(const struct clew_cursor *c);
/* A name with indices, fields and calls: what can stand before ! and ? and between < in lists. */
struct uppaal_expr *clew_uppaal_parse_postfix(struct clew_cursor *c);
struct uppaal_exprs clew_uppaal_parse_exprs(struct clew_cursor *c);
/* Warns of a comparison where something is to be done: an assignment was meant. */
void clew_uppaal_judge_effects(struct clew_cursor *c, struct uppaal_exprs list);
struct uppaal_expr *clew_uppaal_parse_initialiser(struct clew_cursor *c);

bool clew_uppaal_starts_type(const struct clew_cursor *c);
struct uppaal_type *clew_uppaal_parse_type(struct clew_cursor *c);
/* One declaration of variables, types or functions, behind which the list goes on: returns the
 * place for the next one. */
struct uppaal_decl **clew_uppaal_parse_decl(struct uppaal_parser *p, struct uppaal_decl **end);
struct uppaal_decl *clew_uppaal_parse_params(struct uppaal_parser *p);
struct uppaal_stmt *clew_uppaal_parse_block(struct uppaal_parser *p);
struct uppaal_decl *clew_uppaal_parse_template(struct uppaal_parser *p);

#endif
