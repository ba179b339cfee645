/* The syntax tree of a network of timed automata, as UPPAAL writes them.
 *
 * The pipeline is the list of files: xml.c (XML to the text form, with a map back), token.c (text
 * to tokens), parse*.c (tokens to tree), and then lower.h and its files (tree to program). Both
 * carriers of the language, the XML and the text form
 * (.xta, .ta), end in the same tree, and so do its two syntaxes: the one of today and the old one
 * (3.x), in which a list separated by commas is a conjunction, constants have no type, and a
 * parameter that is not const is a reference.
 *
 * Everything lives in the arena of the translation; lists are linked by `next` in the order of the
 * source. Every node knows its stretch of the text. */
#ifndef CLEW_LANG_UPPAAL_AST_H
#define CLEW_LANG_UPPAAL_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/front.h"

/* An identifier, interned: equal names are equal pointers. */
struct uppaal_name {
  struct clew_name id;
  /* How often it was read so far, in the model and its queries. Those that mean a declaration of a
   * template are taken back when the template ends: the others mean what is declared outside. */
  uint32_t mentions;
  bool is_member; /* it stands behind a dot somewhere: a query may mean a name of a process */
};

/* A name where it stands. */
struct uppaal_ref {
  struct uppaal_name *name;
  struct clew_span span;
};

/* ---- Expressions ---------------------------------------------------------------------------- */

enum uppaal_expr_kind {
  UPPAAL_EXPR_NUMBER,
  UPPAAL_EXPR_BOOLEAN,
  UPPAAL_EXPR_NAME,     /* ref */
  UPPAAL_EXPR_FIELD,    /* a.ref: of a struct, or of a process in a query */
  UPPAAL_EXPR_INDEX,    /* a[b] */
  UPPAAL_EXPR_CALL,     /* a(args) */
  UPPAAL_EXPR_RATE,     /* a' */
  UPPAAL_EXPR_UNARY,    /* op a */
  UPPAAL_EXPR_BINARY,   /* a op b */
  UPPAAL_EXPR_COND,     /* a ? b : c */
  UPPAAL_EXPR_ASSIGN,   /* a op= b; op NONE for a plain one */
  UPPAAL_EXPR_STEP,     /* ++a, --a, a++, a--: op ADD or SUB; is_prefix */
  UPPAAL_EXPR_QUANTIFY, /* op (FORALL, EXISTS, SUM) ref : type, a */
  UPPAAL_EXPR_LIST,     /* { args }, to initialise; fields has the names before colons, or NULL */
  UPPAAL_EXPR_DEADLOCK, /* in a query */
};

enum uppaal_op {
  UPPAAL_OP_NONE,
  UPPAAL_OP_NOT,
  UPPAAL_OP_NEG,
  UPPAAL_OP_POS,
  UPPAAL_OP_OR,
  UPPAAL_OP_XOR,
  UPPAAL_OP_IMPLY,
  UPPAAL_OP_AND,
  UPPAAL_OP_BIT_OR,
  UPPAAL_OP_BIT_XOR,
  UPPAAL_OP_BIT_AND,
  UPPAAL_OP_EQ,
  UPPAAL_OP_NE,
  UPPAAL_OP_LT,
  UPPAAL_OP_LE,
  UPPAAL_OP_GT,
  UPPAAL_OP_GE,
  UPPAAL_OP_MIN,
  UPPAAL_OP_MAX,
  UPPAAL_OP_SHL,
  UPPAAL_OP_SHR,
  UPPAAL_OP_ADD,
  UPPAAL_OP_SUB,
  UPPAAL_OP_MUL,
  UPPAAL_OP_DIV,
  UPPAAL_OP_MOD,
  UPPAAL_OP_POWER,
  UPPAAL_OP_FORALL,
  UPPAAL_OP_EXISTS,
  UPPAAL_OP_SUM,
};

struct uppaal_expr {
  enum uppaal_expr_kind kind;
  enum uppaal_op op;
  struct clew_span span;
  uint32_t depth; /* of the tree from here down */
  bool is_prefix;
  int64_t number;
  struct uppaal_ref ref;
  struct uppaal_expr *a, *b, *c;
  struct uppaal_expr **args;
  struct uppaal_ref *fields;
  uint32_t arg_count;
  struct uppaal_type *type;
};

/* Expressions separated by commas. */
struct uppaal_exprs {
  struct uppaal_expr **data;
  uint32_t count;
};

/* ---- Types and declarations ----------------------------------------------------------------- */

enum uppaal_type_kind {
  UPPAAL_TYPE_VOID,
  UPPAAL_TYPE_BOOL,
  UPPAAL_TYPE_INT,    /* lo and hi, or both NULL */
  UPPAAL_TYPE_SCALAR, /* lo is its size */
  UPPAAL_TYPE_CLOCK,
  UPPAAL_TYPE_CHAN,
  UPPAAL_TYPE_NAME,    /* ref */
  UPPAAL_TYPE_STRUCT,  /* fields */
  UPPAAL_TYPE_FOREIGN, /* double, string, hybrid clock: known, and of no use here */
};

struct uppaal_type {
  enum uppaal_type_kind kind;
  struct clew_span span;
  bool is_const, is_meta, is_urgent, is_broadcast, is_hybrid;
  struct uppaal_ref ref;
  struct uppaal_expr *lo, *hi;
  struct uppaal_decl *fields;
};

/* One dimension of an array: a size, or a type whose values are the indices. A name alone may be
 * either, and is parsed as an expression. */
struct uppaal_dimension {
  struct uppaal_expr *size;
  struct uppaal_type *type;
};

enum uppaal_decl_kind {
  UPPAAL_DECL_VARIABLE, /* also a constant, a field, a parameter */
  UPPAAL_DECL_TYPEDEF,
  UPPAAL_DECL_FUNCTION, /* type is that of the result; params, decls, body */
  UPPAAL_DECL_TEMPLATE, /* params, process */
  UPPAAL_DECL_INSTANCE, /* name(params) = ref(args) */
  UPPAAL_DECL_PRIORITY, /* of channels: priorities */
  UPPAAL_DECL_UPDATE,   /* before_update or (is_after) after_update: values */
};

/* One step of a list of priorities: channels (NULL: default), or processes. */
struct uppaal_rank {
  struct uppaal_expr **members;
  uint32_t count;
  struct uppaal_rank *next; /* of higher priority */
};

/* `int a, b[3];` is two declarations that share the type. */
struct uppaal_decl {
  enum uppaal_decl_kind kind;
  struct uppaal_ref name;
  uint32_t mentions; /* of that name when it was declared, this one included */
  bool is_mentioned; /* of a template: again, before the template ends */
  struct uppaal_type *type;
  struct uppaal_dimension *dimensions;
  uint32_t dimension_count;
  bool is_reference; /* a parameter with & */
  struct uppaal_expr *value;
  struct uppaal_decl *params; /* FUNCTION, TEMPLATE, INSTANCE */
  struct uppaal_decl *decls;  /* FUNCTION: its locals are in the body; TEMPLATE: its own */
  struct uppaal_stmt *body;
  struct uppaal_process *process;
  struct uppaal_ref template; /* INSTANCE */
  struct uppaal_exprs args;   /* INSTANCE; UPDATE: what is executed */
  bool is_after;
  struct uppaal_rank *priorities;
  struct uppaal_decl *next;
};

/* ---- Statements ----------------------------------------------------------------------------- */

enum uppaal_stmt_kind {
  UPPAAL_STMT_EMPTY,
  UPPAAL_STMT_BLOCK,  /* decls, body */
  UPPAAL_STMT_EXPR,   /* values */
  UPPAAL_STMT_IF,     /* values, body, otherwise */
  UPPAAL_STMT_WHILE,  /* values, body */
  UPPAAL_STMT_DO,     /* body, values */
  UPPAAL_STMT_FOR,    /* before; values; after: body */
  UPPAAL_STMT_EACH,   /* ref : type, body */
  UPPAAL_STMT_RETURN, /* values: one or none */
  UPPAAL_STMT_ASSERT, /* values */
};

struct uppaal_stmt {
  enum uppaal_stmt_kind kind;
  struct clew_span span; /* of its head */
  struct uppaal_exprs before, values, after;
  struct uppaal_ref ref;
  struct uppaal_type *type;
  struct uppaal_decl *decls;
  struct uppaal_stmt *body, *otherwise;
  struct uppaal_stmt *next;
};

/* ---- Processes ------------------------------------------------------------------------------ */

struct uppaal_location {
  struct uppaal_ref name;
  struct uppaal_exprs invariant; /* a conjunction */
  struct uppaal_exprs rate;      /* an exponential rate: of no use here */
  bool is_urgent, is_committed, is_branchpoint;
  struct uppaal_location *next;
};

struct uppaal_selection {
  struct uppaal_ref name;
  struct uppaal_type *type;
  struct uppaal_selection *next;
};

struct uppaal_edge {
  struct clew_span span;
  struct uppaal_ref source, target;
  struct uppaal_selection *selections;
  struct uppaal_exprs guard;   /* a conjunction */
  struct uppaal_expr *channel; /* NULL: none */
  bool sends;
  struct uppaal_exprs update;
  struct uppaal_exprs weight;
  struct uppaal_edge *next;
};

struct uppaal_process {
  struct uppaal_location *locations;
  struct uppaal_ref init; /* name NULL: missing */
  struct uppaal_edge *edges;
  uint32_t first_declared; /* unused.c */
};

/* ---- Queries -------------------------------------------------------------------------------- */

enum uppaal_query_kind {
  UPPAAL_QUERY_STATE,     /* a alone: the request says what is asked about it */
  UPPAAL_QUERY_REACHABLE, /* E<> a */
  UPPAAL_QUERY_ALWAYS,    /* A[] a */
  UPPAAL_QUERY_EVENTUAL,  /* A<> a */
  UPPAAL_QUERY_POTENTIAL, /* E[] a */
  UPPAAL_QUERY_LEADS_TO,  /* a --> b */
  UPPAAL_QUERY_SUP,       /* sup{a}: values; a may be NULL */
  UPPAAL_QUERY_INF,
  UPPAAL_QUERY_BOUNDS,
};

struct uppaal_query {
  enum uppaal_query_kind kind;
  struct uppaal_expr *a, *b;
  struct uppaal_exprs values;
};

/* ---- The system ----------------------------------------------------------------------------- */

struct uppaal_system {
  struct uppaal_decl *decls; /* everything in the order of the text, also behind the templates */
  struct uppaal_rank *processes; /* of the system line: one rank, or several with priorities */
  bool has_system;
  bool is_old;                  /* in the syntax of 3.x */
  struct uppaal_query *queries; /* by number */
};

#endif
