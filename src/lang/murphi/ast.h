/* The syntax tree of a Murphi model, and what the checker adds to it: types and symbols.
 *
 * The pipeline is the list of files: token.c (text to tokens), parse*.c (tokens to tree), check*.c
 * and type.c (names, types, constants; fills the fields marked "checker"), lower*.c (tree to IR).
 * Everything here lives in one arena that is closed after lowering; lists are linked by `next` in
 * the order of the source. Every node knows its stretch of the source, for messages. */
#ifndef CLEW_LANG_MURPHI_AST_H
#define CLEW_LANG_MURPHI_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/front.h"

struct murphi_expr;
struct murphi_stmt;
struct murphi_symbol;
struct murphi_type;
struct murphi_type_expr;
struct murphi_function;

enum {
  MURPHI_MAX_NESTING = 200,    /* of the source: parentheses, statements, types, rulesets */
  MURPHI_MAX_EXPR_DEPTH = 300, /* of expression trees: also a + b + c + … */
  MURPHI_MAX_BOUND = 64,       /* variables in one list of quantifiers */
  MURPHI_MAX_CLAUSES = 1000,   /* of one if or switch */
  MURPHI_MAX_LEAVES = 256,     /* members of one union */
  MURPHI_MAX_TYPE_DEPTH = 100, /* arrays of records of arrays … */
};

/* Values that are listed one by one: of an enumeration, a scalarset, a ruleset. A mere range may be
 * as wide as integers are. */
#define MURPHI_MAX_VALUES (INT64_C(1) << 31)

/* An identifier, interned: equal names are equal pointers. */
struct murphi_name {
  struct clew_name id;
  /* checker */
  struct murphi_symbol *symbol; /* what it denotes in the current scope, or NULL */
  const void *record;           /* the last record type that had a field of this name */
};

/* ---- Expressions ---------------------------------------------------------------------------- */

enum murphi_expr_kind {
  MURPHI_EXPR_NUMBER,
  MURPHI_EXPR_BOOLEAN,
  MURPHI_EXPR_UNDEFINED,
  MURPHI_EXPR_NAME,
  MURPHI_EXPR_FIELD,       /* a.name */
  MURPHI_EXPR_INDEX,       /* a[b] */
  MURPHI_EXPR_CALL,        /* name(args) */
  MURPHI_EXPR_UNARY,       /* op a */
  MURPHI_EXPR_BINARY,      /* a op b */
  MURPHI_EXPR_COND,        /* a ? b : c */
  MURPHI_EXPR_QUANTIFY,    /* op (FORALL, EXISTS) quantifier, a */
  MURPHI_EXPR_COUNT,       /* multisetcount(quantifier, a) */
  MURPHI_EXPR_ISUNDEFINED, /* a */
  MURPHI_EXPR_ISMEMBER,    /* a, type_expr */
};

enum murphi_op {
  MURPHI_OP_NONE,
  MURPHI_OP_NOT,
  MURPHI_OP_PLUS,
  MURPHI_OP_MINUS,
  MURPHI_OP_COMPLEMENT,
  MURPHI_OP_IMPLIES,
  MURPHI_OP_OR, /* of booleans, or bitwise of integers */
  MURPHI_OP_AND,
  MURPHI_OP_LOGICAL_OR, /* || and &&: of booleans only */
  MURPHI_OP_LOGICAL_AND,
  MURPHI_OP_XOR,
  MURPHI_OP_EQ,
  MURPHI_OP_NE,
  MURPHI_OP_LT,
  MURPHI_OP_LE,
  MURPHI_OP_GT,
  MURPHI_OP_GE,
  MURPHI_OP_SHL,
  MURPHI_OP_SHR,
  MURPHI_OP_ADD,
  MURPHI_OP_SUB,
  MURPHI_OP_MUL,
  MURPHI_OP_DIV,
  MURPHI_OP_MOD,
  MURPHI_OP_FORALL,
  MURPHI_OP_EXISTS,
};

/* A loop over values of this type needs both operands of `&` or `|` to be evaluated, so that its
 * iterations meet the same run-time errors in every order (check_accumulate.c). */
struct murphi_reliance {
  const struct murphi_type *type;
  struct murphi_reliance *next;
};

struct murphi_expr {
  enum murphi_expr_kind kind;
  enum murphi_op op;
  struct clew_span span;
  uint32_t depth; /* of the tree from here down */
  struct murphi_expr *a, *b, *c;
  struct murphi_name *name;
  struct clew_span name_span; /* of a field */
  int64_t number;             /* NUMBER, BOOLEAN */
  struct murphi_expr **args;
  uint32_t arg_count;
  struct murphi_quantifier *quantifier;
  struct murphi_type_expr *type_expr;

  /* checker */
  const struct murphi_type *type;
  struct murphi_symbol *symbol; /* NAME */
  struct murphi_function *callee;
  uint32_t field; /* its number in the record */
  bool is_constant;
  int64_t value;                   /* when constant */
  struct murphi_reliance *relying; /* BINARY */
  bool plain;                      /* BINARY: executed where no loop relies on it, too */
};

/* A bound variable: `i : T`, `i := from to to by by`, or (choose, multisetcount, …) `i : bag`. */
struct murphi_quantifier {
  struct murphi_name *name;
  struct clew_span span;
  struct murphi_type_expr *domain;
  struct murphi_expr *from, *to, *by; /* by may be NULL: 1 */
  struct murphi_expr *bag;
  struct murphi_quantifier *next;
  /* checker */
  struct murphi_symbol *symbol;
  int64_t step; /* 0: only known at run time */
  bool returns; /* of a loop: a `return` can leave it */
};

struct murphi_alias {
  struct murphi_name *name;
  struct clew_span span;
  struct murphi_expr *value;
  struct murphi_alias *next;
  struct murphi_symbol *symbol; /* checker */
};

/* ---- Declarations --------------------------------------------------------------------------- */

enum murphi_type_expr_kind {
  MURPHI_TYPE_EXPR_NAME,
  MURPHI_TYPE_EXPR_BOOLEAN,
  MURPHI_TYPE_EXPR_RANGE,     /* lo .. hi */
  MURPHI_TYPE_EXPR_ENUM,      /* members */
  MURPHI_TYPE_EXPR_SCALARSET, /* lo is its size */
  MURPHI_TYPE_EXPR_UNION,     /* parts */
  MURPHI_TYPE_EXPR_ARRAY,     /* index, element */
  MURPHI_TYPE_EXPR_RECORD,    /* fields */
  MURPHI_TYPE_EXPR_MULTISET,  /* lo is its capacity, element */
};

struct murphi_member {
  struct murphi_name *name;
  struct clew_span span;
  struct murphi_member *next;
};

struct murphi_type_expr {
  enum murphi_type_expr_kind kind;
  struct clew_span span;
  struct murphi_name *name;
  struct murphi_expr *lo, *hi;
  struct murphi_member *members;
  struct murphi_type_expr *parts, *next; /* of a union, linked by next */
  struct murphi_type_expr *index, *element;
  struct murphi_decl *fields;
  const struct murphi_type *type; /* checker */
};

enum murphi_decl_kind {
  MURPHI_DECL_CONST,
  MURPHI_DECL_TYPE,
  MURPHI_DECL_VAR, /* also a field or a parameter */
};

/* `a, b : T` is two declarations that share the type expression. */
struct murphi_decl {
  enum murphi_decl_kind kind;
  struct murphi_name *name;
  struct clew_span span; /* of the name */
  struct murphi_expr *value;
  struct murphi_type_expr *type_expr;
  bool by_reference; /* a `var` parameter */
  struct murphi_decl *next;
  struct murphi_symbol *symbol; /* checker */
};

struct murphi_function {
  struct murphi_name *name;
  struct clew_span span; /* of the name */
  struct murphi_decl *params;
  uint32_t param_count;
  struct murphi_type_expr *result_expr; /* NULL: a procedure */
  struct murphi_decl *decls;
  struct murphi_stmt *body;
  struct murphi_function *next;
  /* checker */
  const struct murphi_type *result;
  bool writes_state;                 /* itself, or something it calls */
  bool writes_refs;                  /* one of its var parameters, or the state */
  bool removes;                      /* elements of multisets, itself or something it calls */
  bool returns_undefined;            /* its result may be undefined, which is no error by itself */
  bool *writes_param;                /* for each parameter */
  bool active, recursive;            /* check_symmetry.c: being walked; met again meanwhile */
  struct murphi_instance *instances; /* lowering: one for each way to call it */
};

/* ---- Statements ----------------------------------------------------------------------------- */

enum murphi_stmt_kind {
  MURPHI_STMT_ASSIGN,        /* target := value */
  MURPHI_STMT_IF,            /* clauses, otherwise */
  MURPHI_STMT_SWITCH,        /* value, clauses, otherwise */
  MURPHI_STMT_FOR,           /* quantifiers, body */
  MURPHI_STMT_WHILE,         /* value, body */
  MURPHI_STMT_ALIAS,         /* aliases, body */
  MURPHI_STMT_CLEAR,         /* target */
  MURPHI_STMT_UNDEFINE,      /* target */
  MURPHI_STMT_PUT,           /* value, or text */
  MURPHI_STMT_ERROR,         /* text */
  MURPHI_STMT_ASSERT,        /* value, text */
  MURPHI_STMT_ASSUME,        /* value, text */
  MURPHI_STMT_COVER,         /* value, text */
  MURPHI_STMT_RETURN,        /* value, or NULL */
  MURPHI_STMT_CALL,          /* value is the call */
  MURPHI_STMT_BAG_ADD,       /* value, target */
  MURPHI_STMT_BAG_REMOVE,    /* value is the index, target */
  MURPHI_STMT_BAG_REMOVE_IF, /* quantifiers (one, over the bag), value is the condition */
};

struct murphi_clause {
  struct murphi_expr **values; /* of an if: the one condition */
  uint32_t value_count;
  struct murphi_stmt *body;
  struct murphi_clause *next;
};

struct murphi_stmt {
  enum murphi_stmt_kind kind;
  struct clew_span span; /* of its head */
  struct murphi_stmt *next;
  struct murphi_expr *target, *value;
  struct murphi_clause *clauses;
  struct murphi_stmt *body, *otherwise;
  struct murphi_quantifier *quantifiers;
  struct murphi_alias *aliases;
  const char *text;
  /* checker */
  bool is_constant_switch; /* every case label is a constant */
  uint32_t cover;          /* number of the cover statement */
  struct murphi_stmt *next_cover;
};

/* ---- Rules ---------------------------------------------------------------------------------- */

enum murphi_rule_kind {
  MURPHI_RULE_SIMPLE,
  MURPHI_RULE_START,
  MURPHI_RULE_SET,   /* ruleset and choose: quantifiers, children */
  MURPHI_RULE_ALIAS, /* aliases, children */
  MURPHI_RULE_PROPERTY,
};

enum murphi_property_kind {
  MURPHI_PROPERTY_INVARIANT,
  MURPHI_PROPERTY_ASSERT,
  MURPHI_PROPERTY_ASSUME,
  MURPHI_PROPERTY_COVER,
  MURPHI_PROPERTY_LIVENESS,
  MURPHI_PROPERTY_KINDS,
};

struct murphi_rule {
  enum murphi_rule_kind kind;
  enum murphi_property_kind property;
  struct clew_span span;
  const char *title; /* "…" as written, or NULL */
  struct murphi_expr *priority;
  struct murphi_expr *guard; /* or NULL; the expression of a property */
  bool guard_writes;         /* checker: evaluating the guard changes the state */
  uint32_t query;            /* a property of the command line: its number, from 1; else 0 */
  struct murphi_decl *decls;
  struct murphi_stmt *body;
  struct murphi_quantifier *quantifiers;
  struct murphi_alias *aliases;
  struct murphi_rule *children, *next;
};

struct murphi_model {
  struct murphi_decl *decls;
  struct murphi_function *functions;
  struct murphi_rule *rules;
};

/* ---- Types and symbols (checker) ------------------------------------------------------------ */

enum murphi_type_kind {
  MURPHI_TYPE_ERROR,     /* of what has been complained about: goes with everything */
  MURPHI_TYPE_UNDEFINED, /* of the literal */
  MURPHI_TYPE_BOOLEAN,
  MURPHI_TYPE_INTEGER, /* of arithmetic: no bounds */
  MURPHI_TYPE_RANGE,
  MURPHI_TYPE_ENUM,
  MURPHI_TYPE_SCALARSET,
  MURPHI_TYPE_UNION,
  MURPHI_TYPE_BAG_INDEX, /* of a variable bound by choose: the position of an element */
  MURPHI_TYPE_ARRAY,
  MURPHI_TYPE_RECORD,
  MURPHI_TYPE_MULTISET,
};

struct murphi_field {
  struct murphi_name *name;
  struct clew_span span;
  const struct murphi_type *type;
};

/* The values of enumerations and scalarsets are integers that are unique in the whole model, so
 * that a value of a union is the value of its member. They are assigned when all global types are
 * known (clew_murphi_types_number); until then lo is 0 and values are relative to it. */
struct murphi_type {
  enum murphi_type_kind kind;
  const char *name;            /* or NULL */
  int64_t lo, hi;              /* simple: least and greatest value */
  int64_t count;               /* simple: values (with holes, fewer than hi - lo + 1; INT64_MAX when
                                * there are more); MULTISET: capacity */
  uint64_t cells;              /* 1 for a simple type, and for a record without fields */
  uint32_t depth;              /* 1 for a simple type */
  struct murphi_type **leaves; /* ENUM, SCALARSET: itself; UNION: the enumerations and scalarsets
                                * in it, once numbered in the order of their values */
  uint32_t leaf_count;
  struct murphi_member *members;     /* ENUM */
  bool numbered;                     /* ENUM, SCALARSET, UNION */
  const struct murphi_type *index;   /* ARRAY */
  const struct murphi_type *element; /* ARRAY, MULTISET; BAG_INDEX: the multiset */
  const struct murphi_field *fields; /* RECORD */
  uint32_t field_count;
  struct murphi_type *next; /* ENUM, SCALARSET, UNION: the one declared before */
  const char *asymmetric;   /* SCALARSET: why the model tells its values apart, or NULL */

  /* lowering: what represents it in the IR */
  const struct clew_domain *domain; /* simple */
  const struct clew_type *cell;     /* simple: undefinable; others: the type */
  const struct clew_type *defined;  /* simple: never undefined */
};

enum murphi_symbol_kind {
  MURPHI_SYMBOL_CONST,
  MURPHI_SYMBOL_TYPE,
  MURPHI_SYMBOL_FUNCTION,
  MURPHI_SYMBOL_STATE, /* a global variable */
  MURPHI_SYMBOL_LOCAL,
  MURPHI_SYMBOL_VALUE_PARAM,
  MURPHI_SYMBOL_VAR_PARAM,
  MURPHI_SYMBOL_BOUND, /* by a quantifier */
  MURPHI_SYMBOL_ALIAS, /* of a place, or (root NULL) of a value */
};

struct murphi_symbol {
  enum murphi_symbol_kind kind;
  struct murphi_name *name;
  struct clew_span span;
  const struct murphi_type *type; /* of a variable; what a type name stands for */
  bool is_constant;               /* ALIAS: of a constant */
  bool is_used;                   /* something refers to it */
  int64_t value;                  /* CONST, or such an alias */
  struct murphi_function *function;
  struct murphi_symbol *root;     /* ALIAS: the variable its place is in */
  bool in_bag;                    /* ALIAS: its place is in an element of a multiset */
  uint32_t param;                 /* VAR_PARAM, VALUE_PARAM: its number */
  uint32_t depth;                 /* of its scope */
  uint32_t birth;                 /* LOCAL, BOUND: when check_symmetry.c last entered its scope */
  struct murphi_symbol *shadowed; /* what the name denoted outside */
  struct murphi_symbol *next;     /* declared before it in the same scope */

  /* lowering: where it is */
  struct clew_place place;
  const struct murphi_presence *presence; /* elements of multisets that the place is within */
};

#endif
