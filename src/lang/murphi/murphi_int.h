/* What the files of the Murphi front end share: the state of one translation and the entry of each
 * phase. Private to this folder. */
#ifndef CLEW_LANG_MURPHI_INT_H
#define CLEW_LANG_MURPHI_INT_H

#include "lang/murphi/ast.h"

/* One translation, from source to program. */
struct murphi {
  struct clew_front *front; /* its arena holds the tree, the symbols and all else */
  struct murphi_model model;

  /* checker */
  struct murphi_type error_type, undefined_type, boolean_type, integer_type;
  struct murphi_type *enumerations;        /* all types with values to number, last one first */
  bool numbered;                           /* those declared so far; further ones are at once */
  int64_t value_count;                     /* numbers given out */
  struct murphi_stmt *covers, **cover_end; /* cover statements, in order */
  uint32_t cover_count;
};

/* ---- token.c -------------------------------------------------------------------------------- */

#define MURPHI_KEYWORDS(X)                                                                         \
  X(ALIAS, "alias")                                                                                \
  X(ARRAY, "array")                                                                                \
  X(ASSERT, "assert")                                                                              \
  X(ASSUME, "assume")                                                                              \
  X(BEGIN, "begin")                                                                                \
  X(BOOLEAN, "boolean")                                                                            \
  X(BY, "by")                                                                                      \
  X(CASE, "case")                                                                                  \
  X(CHOOSE, "choose")                                                                              \
  X(CLEAR, "clear")                                                                                \
  X(CONST, "const")                                                                                \
  X(COVER, "cover")                                                                                \
  X(DO, "do")                                                                                      \
  X(ELSE, "else")                                                                                  \
  X(ELSIF, "elsif")                                                                                \
  X(END, "end")                                                                                    \
  X(ENDALIAS, "endalias")                                                                          \
  X(ENDCHOOSE, "endchoose")                                                                        \
  X(ENDEXISTS, "endexists")                                                                        \
  X(ENDFOR, "endfor")                                                                              \
  X(ENDFORALL, "endforall")                                                                        \
  X(ENDFUNCTION, "endfunction")                                                                    \
  X(ENDIF, "endif")                                                                                \
  X(ENDPROCEDURE, "endprocedure")                                                                  \
  X(ENDRECORD, "endrecord")                                                                        \
  X(ENDRULE, "endrule")                                                                            \
  X(ENDRULESET, "endruleset")                                                                      \
  X(ENDSTARTSTATE, "endstartstate")                                                                \
  X(ENDSWITCH, "endswitch")                                                                        \
  X(ENDWHILE, "endwhile")                                                                          \
  X(ENUM, "enum")                                                                                  \
  X(ERROR, "error")                                                                                \
  X(EXISTS, "exists")                                                                              \
  X(EXTERNFUN, "externfun")                                                                        \
  X(EXTERNPROC, "externproc")                                                                      \
  X(FALSE, "false")                                                                                \
  X(FOR, "for")                                                                                    \
  X(FORALL, "forall")                                                                              \
  X(FUNCTION, "function")                                                                          \
  X(IF, "if")                                                                                      \
  X(INVARIANT, "invariant")                                                                        \
  X(ISMEMBER, "ismember")                                                                          \
  X(ISUNDEFINED, "isundefined")                                                                    \
  X(LIVENESS, "liveness")                                                                          \
  X(MULTISET, "multiset")                                                                          \
  X(MULTISETADD, "multisetadd")                                                                    \
  X(MULTISETCOUNT, "multisetcount")                                                                \
  X(MULTISETREMOVE, "multisetremove")                                                              \
  X(MULTISETREMOVEPRED, "multisetremovepred")                                                      \
  X(OF, "of")                                                                                      \
  X(PROCEDURE, "procedure")                                                                        \
  X(PUT, "put")                                                                                    \
  X(RECORD, "record")                                                                              \
  X(RETURN, "return")                                                                              \
  X(RULE, "rule")                                                                                  \
  X(RULESET, "ruleset")                                                                            \
  X(SCALARSET, "scalarset")                                                                        \
  X(STARTSTATE, "startstate")                                                                      \
  X(SWITCH, "switch")                                                                              \
  X(THEN, "then")                                                                                  \
  X(TO, "to")                                                                                      \
  X(TRUE, "true")                                                                                  \
  X(TYPE, "type")                                                                                  \
  X(UNDEFINE, "undefine")                                                                          \
  X(UNDEFINED, "undefined")                                                                        \
  X(UNION, "union")                                                                                \
  X(VAR, "var")                                                                                    \
  X(WHILE, "while")

/* The first spelling of a kind is the one that messages use. */
#define MURPHI_OPERATORS(X)                                                                        \
  CLEW_LEX_PUNCTUATION(X)                                                                          \
  X(ASSIGN, ":=")                                                                                  \
  X(DOTS, "..")                                                                                    \
  X(QUESTION, "?")                                                                                 \
  X(IMPLIES, "->")                                                                                 \
  X(OR, "|")                                                                                       \
  X(AND, "&")                                                                                      \
  X(OROR, "||")                                                                                    \
  X(ANDAND, "&&")                                                                                  \
  X(XOR, "^")                                                                                      \
  X(NOT, "!")                                                                                      \
  X(EQ, "=")                                                                                       \
  X(ARROW, "==>")

enum murphi_token {
  MURPHI_TOKEN_BEFORE = CLEW_TOKEN_FIRST - 1,
#define X(name, text) MURPHI_TOKEN_##name,
  MURPHI_KEYWORDS(X) MURPHI_OPERATORS(X)
#undef X
      MURPHI_TOKEN_COUNT
};

extern const struct clew_syntax clew_murphi_syntax;

/* ---- type.c --------------------------------------------------------------------------------- */

void clew_murphi_types_init(struct murphi *m);
struct murphi_type *clew_murphi_type_range(struct murphi *m, int64_t lo, int64_t hi);
struct murphi_type *clew_murphi_type_enum(struct murphi *m, struct murphi_member *members,
                                          int64_t count);
struct murphi_type *clew_murphi_type_scalarset(struct murphi *m, int64_t count);
/* A union of these types, which are enumerations, scalarsets or unions; NULL beyond
 * MURPHI_MAX_LEAVES. */
struct murphi_type *clew_murphi_type_union(struct murphi *m, const struct murphi_type *const *parts,
                                           uint32_t count);
struct murphi_type *clew_murphi_type_bag_index(struct murphi *m, const struct murphi_type *bag);
/* NULL when they would have too many cells or levels. */
struct murphi_type *clew_murphi_type_array(struct murphi *m, const struct murphi_type *index,
                                           const struct murphi_type *element);
struct murphi_type *clew_murphi_type_record(struct murphi *m, const struct murphi_field *fields,
                                            uint32_t count);
struct murphi_type *clew_murphi_type_multiset(struct murphi *m, int64_t capacity,
                                              const struct murphi_type *element);

/* Gives the values of all enumerations and scalarsets their numbers, so that those of a union are
 * consecutive if possible. */
void clew_murphi_types_number(struct murphi *m);

bool clew_murphi_type_is_simple(const struct murphi_type *type);     /* or erroneous */
bool clew_murphi_type_is_integer(const struct murphi_type *type);    /* or erroneous */
bool clew_murphi_type_is_enumerated(const struct murphi_type *type); /* has leaves */
bool clew_murphi_type_is_error(const struct murphi_type *type);
bool clew_murphi_type_has_holes(const struct murphi_type *type);
bool clew_murphi_type_has_multiset(const struct murphi_type *type);
/* Whether a value of one may be compared with or assigned to the other: some values are common. */
bool clew_murphi_type_compatible(const struct murphi_type *a, const struct murphi_type *b);
/* Whether they have the same values: what a var parameter needs. */
bool clew_murphi_type_same(const struct murphi_type *a, const struct murphi_type *b);
/* Whether every value of `inner` is one of `outer` (both simple and compatible). */
bool clew_murphi_type_within(const struct murphi_type *inner, const struct murphi_type *outer);
/* The least type with the values of both, which are simple and compatible. */
const struct murphi_type *clew_murphi_type_join(struct murphi *m, const struct murphi_type *a,
                                                const struct murphi_type *b);
/* A scalarset of at least `least` members that the simple type is or contains, or NULL. */
const struct murphi_type *clew_murphi_type_scalarset_in(const struct murphi_type *type,
                                                        int64_t least);
/* Whether states that differ by a renaming of some values of the simple type are merged. */
bool clew_murphi_type_is_permuted(const struct murphi_type *type);
/* For messages: its name, or what it is. */
const char *clew_murphi_type_text(struct murphi *m, const struct murphi_type *type);
/* Why an integer does not go with a scalarset, if that is what the two are: ": the values …", or
 * "". */
const char *clew_murphi_type_no_number(struct murphi *m, const struct murphi_type *a,
                                       const struct murphi_type *b);

/* ---- check_expr.c: for what comes after it -------------------------------------------------- */

/* Whether a checked expression denotes a place rather than a value; the variable it is in. */
bool clew_murphi_is_place(const struct murphi_expr *expr);
struct murphi_symbol *clew_murphi_root(const struct murphi_expr *expr);

/* ---- The phases ----------------------------------------------------------------------------- */

/* Each reports what is wrong; the caller looks at the sink before it starts the next. */
void clew_murphi_parse(struct murphi *m);
void clew_murphi_check(struct murphi *m);
/* Builds the program; only for a model without errors. */
void clew_murphi_lower(struct murphi *m, struct clew_program *program);

#endif
