/* The syntax tree of a DVE model, with what the later phases find out about it.
 *
 * The parser fills in the parts above "checker", names unresolved; the checker resolves and
 * computes the rest; lowering only reads, except for the places and functions it notes. Everything
 * lives in the arena of the translation.
 *
 * A property process is kept like any other and checked, but does not take part in the transition
 * relation: the program only says that nothing checks it. */
#ifndef CLEW_LANG_DVE_AST_H
#define CLEW_LANG_DVE_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/front.h"

struct dve_process;
struct dve_variable;
struct dve_channel;

/* What a name denotes outside of the processes. Inside of them there are variables, which hide
 * these, and states, which are only looked for where a state is due. */
enum dve_symbol_kind { DVE_SYMBOL_VARIABLE, DVE_SYMBOL_CHANNEL, DVE_SYMBOL_PROCESS };

struct dve_symbol {
  enum dve_symbol_kind kind;
  struct clew_span span;
  union {
    struct dve_variable *variable;
    struct dve_channel *channel;
    struct dve_process *process;
  };
};

struct dve_name {
  struct clew_name id;
  struct dve_symbol *global;
  struct dve_variable *local; /* these two of the process that is looked at */
  struct dve_state *state;
};

/* An occurrence of a name. */
struct dve_ref {
  struct dve_name *name;
  struct clew_span span;
};

/* ---- Expressions ---------------------------------------------------------------------------- */

enum dve_expr_kind {
  DVE_EXPR_NUMBER,
  DVE_EXPR_VARIABLE, /* ref, index (or NULL: of an array, its element 0) */
  DVE_EXPR_FOREIGN,  /* process->ref, index: a variable of another process */
  DVE_EXPR_IN_STATE, /* process.ref: 1 iff the process is in that state */
  DVE_EXPR_UNARY,    /* op, a */
  DVE_EXPR_BINARY,   /* op, a, b */
  DVE_EXPR_LOGIC,    /* op (AND, OR) over operands: the first is true iff not 0, others iff > 0 */
};

enum dve_op {
  DVE_OP_NEG,
  DVE_OP_NOT,
  DVE_OP_COMPLEMENT,
  DVE_OP_ADD,
  DVE_OP_SUB,
  DVE_OP_MUL,
  DVE_OP_DIV,
  DVE_OP_MOD,
  DVE_OP_SHL,
  DVE_OP_SHR,
  DVE_OP_BIT_AND,
  DVE_OP_BIT_OR,
  DVE_OP_BIT_XOR,
  DVE_OP_EQ,
  DVE_OP_NE,
  DVE_OP_LT,
  DVE_OP_LE,
  DVE_OP_GT,
  DVE_OP_GE,
  DVE_OP_IMPLY, /* the left side is true iff not 0, the right one iff > 0 */
  DVE_OP_AND,
  DVE_OP_OR,
};

/* A model can be one guard of a megabyte: nodes share memory between the kinds, and a node is only
 * as large as its kind needs (see expr_bytes in parse_expr.c). */
struct dve_expr {
  enum dve_expr_kind kind : 8;
  enum dve_op op : 8;
  uint32_t depth;
  struct clew_span span;
  union {
    int64_t number;
    struct { /* UNARY, BINARY */
      struct dve_expr *a, *b;
    };
    struct {                      /* LOGIC */
      struct dve_expr **operands; /* at least two */
      uint32_t operand_count;
    };
    struct { /* VARIABLE, FOREIGN, IN_STATE */
      struct dve_ref ref;
      struct dve_expr *index;
      union {                          /* checker: */
        struct dve_variable *variable; /* VARIABLE, FOREIGN */
        struct dve_process *in;        /* IN_STATE: whose state */
      };
      /* FOREIGN, IN_STATE */
      struct dve_ref *process;
      uint32_t state; /* checker: IN_STATE: which */
    };
  };
};

/* ---- Declarations --------------------------------------------------------------------------- */

enum dve_type { DVE_TYPE_BYTE, DVE_TYPE_INT };

struct dve_variable {
  struct dve_ref ref;
  enum dve_type type;
  bool is_const, is_array;
  struct dve_expr *size;   /* of an array */
  struct dve_expr **inits; /* one for a scalar */
  uint32_t init_count;
  struct dve_variable *next;

  /* checker */
  struct dve_process *process; /* NULL: global */
  uint32_t count;              /* elements; 1 for a scalar */
  int64_t *values;             /* the initial ones, all of them */
  bool is_assigned;            /* by an effect or a receive */
  bool is_used;                /* something refers to it */
  int64_t lo, hi;              /* every value it ever has lies in here */

  /* lowering */
  struct clew_place place;           /* its type is NULL while it has none */
  struct clew_place old;             /* of a synchronous system: its value before the step */
  const struct dve_trans *old_under; /* lowering this transition, `old` is not what is meant */
};

struct dve_channel {
  struct dve_ref ref;
  bool is_typed;
  enum dve_type *types;
  uint32_t type_count;
  struct dve_expr *size;
  struct dve_channel *next;

  /* checker */
  uint32_t capacity; /* 0: a rendezvous */
  bool is_used;
  uint32_t arity; /* of an untyped one: values sent with it, 0 or 1; known once used */
  struct clew_span first_use;
  struct dve_trans **sends, **receives; /* not of the property process */
  uint32_t send_count, receive_count;
  uint32_t send_cap, receive_cap;

  /* ranges: one for each type, or of the value of an untyped one */
  int64_t *lo, *hi; /* lo > hi: nothing is ever sent */

  /* lowering */
  struct clew_place length, items; /* of a buffer */
  bool is_dense;                   /* its pairs of transitions have a family of their own */
};

/* ---- Processes ------------------------------------------------------------------------------ */

struct dve_assert {
  struct dve_ref state;
  struct dve_expr *value;
  struct dve_assert *next;

  /* checker */
  uint32_t index; /* of the state */
};

struct dve_state {
  struct dve_ref ref;
  uint32_t index;

  /* checker */
  bool committed;
};

struct dve_refs {
  struct dve_ref *data; /* in the arena */
  uint32_t count;
};

struct dve_effect {
  struct dve_expr *place, *value;
};

struct dve_sync {
  struct dve_ref channel;
  bool send;
  struct clew_span span;
  struct dve_expr **values; /* sent, or places to store in */
  uint32_t count;
};

struct dve_trans {
  struct clew_span span;
  struct dve_ref source, target; /* a missing source is that of the transition before */
  struct dve_expr *guard;        /* NULL: true */
  struct dve_sync *sync;         /* NULL: none */
  struct dve_effect *effects;
  uint32_t effect_count;

  /* checker */
  struct dve_process *process;
  struct dve_channel *channel;
  uint32_t from, to;
  uint32_t number; /* among those of its process with the same ends, from 1; 0: the only one */

  /* lowering */
  const struct clew_expr *lowered_guard;
};

struct dve_process {
  struct dve_ref ref;
  struct dve_variable *variables;
  struct dve_state *states;
  uint32_t state_count;
  struct dve_ref init; /* no name: missing */
  struct dve_refs commits, accepts;
  struct dve_assert *asserts;
  struct dve_trans *transitions;
  uint32_t transition_count;
  struct dve_process *next;

  /* checker */
  uint32_t index;
  uint32_t init_index;
  bool is_property, has_committed;

  /* lowering */
  struct clew_place place;  /* of its location; its type is NULL when it has but one state */
  struct clew_place old;    /* as for variables */
  struct clew_place choice; /* synchronous: the parameter that chooses its transition */
};

struct dve_model {
  struct dve_variable *variables;
  struct dve_channel *channels;
  struct dve_process *processes;
  uint32_t process_count;
  bool has_system, is_synchronous;
  struct dve_ref property;   /* no name: none */
  struct dve_expr **queries; /* of the command line, as many as were asked for */
};

#endif
