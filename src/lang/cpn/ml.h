/* Private to lang/cpn: CPN ML, the pure part of Standard ML in which coloured nets are inscribed.
 *
 *   ml_lex.c     a text as tokens
 *   ml_parse.c   tokens as trees (ml_expr.c expressions and patterns, ml_dec.c declarations)
 *   ml_type.c    types; ml_infer.c their inference
 *   value.c      values, ordered and interned
 *   eval.c       what a tree evaluates to; lib*.c what the library has
 *
 * Trees, types and global values live in the arena of the net and never change once they are
 * checked, so any thread may evaluate them. */
#ifndef CLEW_LANG_CPN_ML_H
#define CLEW_LANG_CPN_ML_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "lang/name_table.h"

struct cpn_type;
struct cpn_value;
struct cpn_expr;
struct cpn_dec;
struct cpn_ctx;

/* ---- texts ---- */

/* A piece of ML with its place in the file, for messages. */
struct cpn_text {
  struct clew_source source; /* its name says page and element */
};

/* ---- names ---- */

/* A constructor: of bool, lists, enumerations, indices, unions, datatypes, exceptions. */
struct cpn_con {
  const char *name;
  uint32_t ordinal; /* among those of its type */
  bool has_arg, is_index;
  int64_t lo, hi; /* of the argument of an index */
  const struct cpn_type *type;
};

/* A value that ML texts see: of the library, of a declaration, or a constructor. */
struct cpn_global {
  const struct cpn_type *type; /* what is generic in it is instantiated */
  const struct cpn_value *value;
  const struct cpn_con *con; /* it is a constructor, or NULL */
  const char *broken;        /* why nobody may use it: the message; NULL: it is fine */
};

struct cpn_name {
  struct clew_name base;
  struct cpn_global *global;         /* as it was declared last, or NULL */
  const struct cpn_type *type;       /* that this is the name of, or NULL */
  const struct cpn_type_fn *type_fn; /* one with arguments */
  struct cpn_colour *colour;         /* set of this name */
  uint32_t variable;                 /* of the net, + 1; 0: none */
  uint8_t infix, infix_right;        /* precedence + 1, 0: it is no infix */
};

/* ---- types ---- */

enum cpn_type_kind { CPN_T_VAR, CPN_T_CON, CPN_T_TUPLE, CPN_T_RECORD, CPN_T_ARROW, CPN_T_GENERIC };

/* What an overloaded operator can be of. */
enum {
  CPN_OVER_INT = 1,
  CPN_OVER_REAL = 2,
  CPN_OVER_STRING = 4,
  CPN_OVER_CHAR = 8,
  CPN_OVER_TIME = 16
};

struct cpn_field {
  const struct cpn_name *label;
  struct cpn_type *type;
  struct cpn_field *next;
};

/* A constructor of types: int, list, those of the model. */
struct cpn_tycon {
  const char *name;
  uint32_t arity;
  unsigned over;
};

struct cpn_type {
  enum cpn_type_kind kind;
  uint32_t count, level; /* parts; VAR: how deep its let is; GENERIC: its number */
  const struct cpn_tycon *con;
  struct cpn_type **parts;
  const struct cpn_name *const *labels; /* RECORD: in increasing order */
  struct cpn_type *link;                /* VAR: what it stands for, or NULL */
  unsigned over;                        /* VAR: not 0: only these */
  struct cpn_field *fields;             /* VAR: a record or tuple with at least these */
};

struct cpn_type_fn {
  uint32_t arity;
  const struct cpn_tycon *con; /* or: */
  const struct cpn_type *body; /* with GENERIC 0, 1, … */
};

/* A type as it is written. */
enum cpn_type_expr_kind { CPN_TE_NAME, CPN_TE_VAR, CPN_TE_TUPLE, CPN_TE_RECORD, CPN_TE_ARROW };
struct cpn_type_expr {
  enum cpn_type_expr_kind kind;
  struct cpn_name *name;
  uint32_t offset, length;
  struct cpn_type_expr **parts;
  const struct cpn_name **labels;
  uint32_t count;
};

/* ---- trees ---- */

enum cpn_expr_kind {
  CPN_INT,
  CPN_REAL,
  CPN_STRING,
  CPN_CHAR,
  CPN_NAME,
  CPN_TUPLE, /* none: unit */
  CPN_RECORD,
  CPN_LIST,
  CPN_FIELD, /* #name */
  CPN_APPLY, /* parts[0] to parts[1] */
  CPN_IF,
  CPN_CASE, /* parts[0] by clauses */
  CPN_FN,
  CPN_LET, /* declarations in parts[0] */
  CPN_AND,
  CPN_OR,
  CPN_RAISE,
  CPN_HANDLE, /* parts[0], clauses */
  CPN_TYPED,
  CPN_SEQUENCE,
  /* Patterns only: */
  CPN_WILD,
  CPN_AS, /* name as parts[0] */
};

/* Where a name gets its value from. */
enum cpn_scope { CPN_LOCAL, CPN_VARIABLE, CPN_GLOBAL, CPN_MARK };

struct cpn_clause {
  struct cpn_expr **patterns; /* as many as the function has arguments */
  struct cpn_expr *body;
};

struct cpn_clauses {
  struct cpn_clause *list;
  uint32_t count, arity;
};

struct cpn_expr {
  enum cpn_expr_kind kind;
  enum cpn_scope scope; /* NAME, once it is checked */
  bool is_flexible;     /* RECORD as a pattern: there may be more fields */
  bool is_infix;        /* APPLY of an operator: only for messages */
  uint32_t offset, length, count;
  struct cpn_name *name;
  int64_t number;
  double real;
  const char *string;
  struct cpn_expr **parts;
  const struct cpn_name **labels; /* RECORD: in increasing order */
  struct cpn_clauses clauses;
  struct cpn_dec *decs;
  struct cpn_type_expr *type;
  const struct cpn_global *global;  /* GLOBAL */
  uint32_t variable;                /* VARIABLE, MARK: which one */
  const struct cpn_value *constant; /* INT, STRING: ready made */
};

enum cpn_dec_kind {
  CPN_VAL,
  CPN_FUN,
  CPN_LOCAL_DEC, /* inner declarations for outer ones */
  CPN_EXCEPTION,
  CPN_DATATYPE,
  CPN_TYPE,
};

struct cpn_fun {
  struct cpn_name *name;
  struct cpn_clauses clauses;
  uint32_t offset, length;
  struct cpn_fun *next; /* and … */
};

struct cpn_constructor {
  struct cpn_name *name;
  struct cpn_type_expr *arg; /* or NULL */
  struct cpn_con *con;       /* once it is checked */
  struct cpn_constructor *next;
};

struct cpn_dec {
  enum cpn_dec_kind kind;
  uint32_t offset, length;
  struct cpn_expr *pattern, *body; /* VAL */
  bool is_recursive;               /* val rec */
  struct cpn_fun *funs;            /* FUN */
  struct cpn_dec *inner, *outer;   /* LOCAL */
  struct cpn_name *name;           /* TYPE, DATATYPE */
  struct cpn_name **type_vars;
  uint32_t type_var_count;
  struct cpn_constructor *constructors; /* DATATYPE, EXCEPTION */
  struct cpn_type_expr *type;
  struct cpn_dec *next;
};

/* ---- the world of a net's ML ---- */

enum { CPN_MOST_NESTING = 400 };

struct cpn_ml {
  struct clew_arena *arena;
  struct clew_name_table names;
  struct clew_diag_sink *diags;
  const struct cpn_type *const *variable_types; /* of the net */
  const struct cpn_tycon *int_, *real, *string, *char_, *exn, *list, *time;
  struct cpn_type *int_type, *string_type, *real_type, *char_type, *bool_type, *unit_type,
      *exn_type, *time_type;
  const struct cpn_con *true_, *false_;
  const struct cpn_value *true_value, *false_value, *unit_value, *nil_value;
  struct cpn_name *cons_name, *nil_name;
  /* Names of `Mark.Page'Place`, by a function of the net; NULL: there are none. */
  const struct cpn_type *(*find_mark)(void *net, const char *name, uint32_t *number);
  void *net;
};

struct cpn_name *cpn_name(struct cpn_ml *ml, const char *text, size_t length);

/* Where errors go: to the sink of `ml`, or, where a declaration may be broken without harm, to
 * nowhere but `first`, the text of the first one. */
struct cpn_reader {
  struct cpn_ml *ml;
  const struct cpn_text *text;
  bool failed, is_quiet;
  const char *first; /* message, in the arena */
  struct clew_diag_sink *sink;
};

void cpn_fail(struct cpn_reader *reader, uint32_t offset, uint32_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- parsing ---- */

enum cpn_token_kind {
  CPN_K_END,
  CPN_K_NAME,   /* letters, also with dots: List.map */
  CPN_K_SYMBOL, /* operators */
  CPN_K_INT,
  CPN_K_REAL,
  CPN_K_STRING,
  CPN_K_CHAR,
  CPN_K_TYVAR,
  CPN_K_PUNCT, /* ( ) [ ] { } , ; _ ... and reserved words and symbols */
};

struct cpn_token {
  enum cpn_token_kind kind;
  uint32_t offset, length;
};

struct cpn_tokens {
  struct cpn_token *data;
  uint32_t len, cap;
};

bool cpn_lex(struct cpn_reader *reader, struct cpn_tokens *tokens);

/* An expression, or a list of guards in brackets or not; NULL and a message if it is none. */
struct cpn_expr *cpn_parse_expr(struct cpn_reader *reader);
/* Declarations; NULL if there are none, or none that can be read (reader->failed). */
struct cpn_dec *cpn_parse_decs(struct cpn_reader *reader);
struct cpn_type_expr *cpn_parse_type(struct cpn_reader *reader);

/* ---- types ---- */

struct cpn_type *cpn_resolve(struct cpn_type *type);
struct cpn_type *cpn_type_con(struct cpn_ml *ml, const struct cpn_tycon *con, struct cpn_type *arg);
struct cpn_type *cpn_type_list(struct cpn_ml *ml, const struct cpn_type *element);
struct cpn_type *cpn_type_arrow(struct cpn_ml *ml, const struct cpn_type *from,
                                const struct cpn_type *to);
struct cpn_type *cpn_type_tuple(struct cpn_ml *ml, struct cpn_type **parts, uint32_t count);
struct cpn_type *cpn_type_record(struct cpn_ml *ml, const struct cpn_name **labels,
                                 struct cpn_type **parts, uint32_t count);
struct cpn_type *cpn_type_var(struct cpn_ml *ml, uint32_t level);
struct cpn_type *cpn_instantiate(struct cpn_ml *ml, const struct cpn_type *type, uint32_t level);
/* Turns what is free above the level into GENERICs. */
const struct cpn_type *cpn_generalise(struct cpn_ml *ml, struct cpn_type *type, uint32_t level);
bool cpn_unify(struct cpn_ml *ml, struct cpn_type *a, struct cpn_type *b);
void cpn_type_print(const struct cpn_type *type, struct clew_text *out);
/* Sorts fields by their labels; false if one is there twice. */
bool cpn_sort_fields(const struct cpn_name **labels, void **parts, uint32_t count);

/* The type that a text of one names; NULL and a message. */
struct cpn_type *cpn_read_type(struct cpn_reader *reader, const struct cpn_type_expr *written,
                               struct cpn_name *const *vars, uint32_t var_count);

/* Checks an expression against a type, with the variables of the net in sight or not. */
bool cpn_check(struct cpn_reader *reader, struct cpn_expr *expr, const struct cpn_type *wanted,
               bool sees_variables);
/* Checks declarations and makes them global: those that fail, or use a broken one, are broken. */
void cpn_declare(struct cpn_reader *reader, struct cpn_dec *decs, const atomic_bool *stop);

/* ---- values ---- */

enum cpn_value_kind {
  CPN_V_INT,
  CPN_V_REAL,
  CPN_V_STRING, /* also characters */
  CPN_V_CON,
  CPN_V_TUPLE,
  CPN_V_RECORD,
  CPN_V_NIL,
  CPN_V_CONS,
  CPN_V_FN,
};

struct cpn_env {
  const struct cpn_name *name;
  const struct cpn_value *value;
  const struct cpn_env *next;
};

typedef const struct cpn_value *cpn_builtin(struct cpn_ctx *ctx,
                                            const struct cpn_value *const *args, const void *data);

/* A function: clauses with an environment, or one of the library; some arguments may be there. */
struct cpn_fn {
  const struct cpn_clauses *clauses;
  const struct cpn_env *env;
  cpn_builtin *builtin;
  const void *data;
  const struct cpn_con *con; /* or a constructor */
  uint32_t arity, given;
  const struct cpn_value *args[4];
};

/* Values are compared by what is in them; those that are interned are equal if they are the same
 * pointer. */
struct cpn_value {
  uint8_t kind;
  bool is_interned;
  uint32_t count; /* parts; bytes of a STRING */
  uint32_t id;    /* interned: a number of its own, in the order of interning */
  uint64_t hash;  /* interned */
  union {
    int64_t number;
    double real;
    const char *string;
    struct {
      const struct cpn_con *con;
      const struct cpn_value *arg; /* or NULL */
    };
    struct {
      const struct cpn_value **parts;
      const struct cpn_name *const *labels; /* RECORD */
    };
    struct {
      const struct cpn_value *head, *tail;
    };
    const struct cpn_fn *fn;
  };
};

struct cpn_value *cpn_value_int(struct clew_arena *arena, int64_t number);
struct cpn_value *cpn_value_string(struct clew_arena *arena, const char *text, size_t length);
struct cpn_value *cpn_value_con(struct clew_arena *arena, const struct cpn_con *con,
                                const struct cpn_value *arg);
struct cpn_value *cpn_value_cons(struct clew_arena *arena, const struct cpn_value *head,
                                 const struct cpn_value *tail);
struct cpn_value *cpn_value_tuple(struct clew_arena *arena, uint32_t count);
int cpn_value_compare(const struct cpn_value *a, const struct cpn_value *b);

/* Interned values. */
struct cpn_pool {
  struct clew_arena *arena; /* owned */
  const struct cpn_value **table;
  uint32_t capacity, count;
};

void cpn_pool_open(struct cpn_pool *pool);
void cpn_pool_close(struct cpn_pool *pool);
const struct cpn_value *cpn_intern(struct cpn_pool *pool, const struct cpn_value *value);

/* ---- evaluation ---- */

enum cpn_failure {
  CPN_FINE,
  CPN_RAISED,  /* ctx->exception */
  CPN_STOPPED, /* the stop flag is raised */
  CPN_DEEP,    /* calls nest too deeply */
  CPN_HUGE,    /* it needs too much memory */
};

enum { CPN_MOST_CALLS = 6000 };
static const uint64_t CPN_MOST_BYTES = UINT64_C(1) << 28; /* of one evaluation */

struct cpn_ctx {
  const struct cpn_ml *ml;
  struct clew_arena *arena;                 /* where values are made */
  const struct cpn_value *const *variables; /* of the net, by number; NULL: unbound */
  const atomic_bool *stop;
  uint32_t depth;
  uint32_t ticks, most_ticks; /* steps so far; when it counts as stopped (0: never) */
  uint64_t limit_bytes;
  enum cpn_failure failure;
  const struct cpn_value *exception; /* RAISED */
  /* The multiset that is in a place, for questions; NULL: nothing is asked. */
  const struct cpn_value *(*mark)(void *state, uint32_t number, int64_t instance,
                                  struct clew_arena *arena);
  void *state;
};

/* Whether the evaluation may go on: nobody has stopped it, and it has memory left. */
bool cpn_goes_on(struct cpn_ctx *ctx);
/* NULL: ctx->failure says why. */
const struct cpn_value *cpn_eval(struct cpn_ctx *ctx, const struct cpn_expr *expr,
                                 const struct cpn_env *env);
/* The environment with these declarations; what it is when ctx->failure is set is of no use. */
const struct cpn_env *cpn_eval_decs(struct cpn_ctx *ctx, const struct cpn_dec *decs,
                                    const struct cpn_env *env);
const struct cpn_value *cpn_apply(struct cpn_ctx *ctx, const struct cpn_value *fn,
                                  const struct cpn_value *arg);
/* Extends *env by the names of the pattern, unless the value does not match. */
bool cpn_match(struct cpn_ctx *ctx, const struct cpn_expr *pattern, const struct cpn_value *value,
               const struct cpn_env **env);
const struct cpn_value *cpn_raise(struct cpn_ctx *ctx, const char *exception);
void cpn_exception_print(const struct cpn_value *exception, struct clew_text *out);
/* A value as CPN Tools writes it. */
void cpn_value_print(const struct cpn_value *value, struct clew_text *out);
static inline bool cpn_is_true(const struct cpn_ml *ml, const struct cpn_value *value) {
  return value->con == ml->true_;
}

/* ---- library ---- */

void cpn_lib_open(struct cpn_ml *ml);
void cpn_lib_lists(struct cpn_ml *ml);
struct cpn_lib_entry {
  const char *name, *type;
  cpn_builtin *builtin;
  uint32_t arity;
  const void *data;
};
void cpn_lib_add(struct cpn_ml *ml, const struct cpn_lib_entry *entry);
struct cpn_global *cpn_add_global(struct cpn_ml *ml, struct cpn_name *name,
                                  const struct cpn_type *type, const struct cpn_value *value);
/* A constructor and the global of its name. */
struct cpn_con *cpn_add_con(struct cpn_ml *ml, struct cpn_name *name, const struct cpn_type *result,
                            const struct cpn_type *arg, uint32_t ordinal);

#endif
