/* The intermediate representation that every language lowers to: typed guarded commands.
 *
 * A program has state variables, each a tree of types over scalar *cells*; the cells of all state
 * variables, numbered in order, are the *slots* of the model. Behaviour is a list of families: a
 * family is a list of parameters (each over a range) and of rules that share them; a rule is a
 * guard and a body. An instance of a rule is an *edge*.
 *
 * Values are 64-bit integers; booleans are 0 and 1; enumerations are integers with names. A cell
 * that may be undefined holds one more value, CLEW_UNDEFINED. A function or rule works on a *frame*
 * of cells of its own: parameters, loop variables, locals.
 *
 * Places. A place denotes one cell or a block of consecutive cells, in the state, in the frame, or
 * behind a reference parameter. References are typed by what they refer to (state or frame): a
 * front end lowers a procedure once for each combination in use, so no execution ever asks at run
 * time where a reference points.
 *
 * Run-time errors do not jump. The first one is remembered (its site), the operation yields some
 * valid value (one of its range lo .. hi: arithmetic yields 0, which its range then contains, a
 * load the least value of the cell, a call the least value of its result), and the execution goes
 * on to its end, where the successor is dropped and the fault reported. Loops and calls stop early
 * once a fault is pending, so this always terminates. Both executions do exactly this, so they
 * agree on which error is the first.
 *
 * Stopping. An evaluation that may take long looks at the program's stop flag now and then and,
 * once that is raised, ends as if by a run-time error, at `stop_site` (effort.c says who looks).
 *
 * Ownership: everything lives in the program's arena. A program is built by a front end through
 * the functions below, finished by clew_program_finish, and immutable afterwards. Nothing of a
 * program refers to the source text. Strings, domains and arrays handed in are not copied unless a
 * comment says so: they live in the arena too (or are literals). */
#ifndef CLEW_IR_IR_H
#define CLEW_IR_IR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/vec.h"
#include "model/model.h"

struct clew_expr;
struct clew_stmt;
struct clew_type;
struct clew_frame;
struct clew_function;
struct clew_program;
struct clew_family_plan;
struct clew_slot_view;

/* ---- Limits (each exceeded one is a diagnostic, never a crash) ---------------------------- */

enum {
  CLEW_MAX_CELLS = 1 << 20,       /* of all state variables, and of one frame */
  CLEW_MAX_STATE_BYTES = 1 << 20, /* packed */
  CLEW_MAX_EDGES = 1 << 24,       /* rule instances */
  CLEW_MAX_LOOP = 1000,           /* iterations of a `while`, unless the program says otherwise */
  CLEW_MAX_CALL_DEPTH = 1000,
  CLEW_MAX_FRAME_MB = 12,    /* of all frames of one evaluation */
  CLEW_MAX_TYPE_DEPTH = 256, /* types within types */
  CLEW_MAX_DEPTH = 4000,     /* expressions and statements within each other */
  CLEW_MAX_NODES = 1 << 24,  /* of all expressions and statements, as often as they occur */
};

/* ---- Types -------------------------------------------------------------------------------- */

enum clew_type_kind { CLEW_TYPE_SCALAR, CLEW_TYPE_ARRAY, CLEW_TYPE_RECORD, CLEW_TYPE_BAG };

struct clew_field {
  const char *name;
  const struct clew_type *type;
  uint32_t offset; /* in cells */
};

/* Cells of an array: element 0, element 1, …; of a record: its fields in order; of a bag (an
 * unordered collection of at most `count` elements): `count` elements of one presence cell (0 or 1,
 * never undefined) followed by the cells of the element. Absent elements are all zero bits. In a
 * state that a rule has left, the elements of a bag are sorted, present ones first: equal bags are
 * equal words. While a rule runs the positions do not move. */
struct clew_type {
  enum clew_type_kind kind;
  uint32_t cells;
  const struct clew_domain *domain; /* SCALAR: its values; ARRAY: its indices */
  bool undefinable;                 /* SCALAR */
  const struct clew_type *element;  /* ARRAY, BAG */
  uint32_t count;                   /* ARRAY, BAG: elements; RECORD: fields */
  const struct clew_field *fields;  /* RECORD */
  uint32_t depth;                   /* 1 for a scalar */
};

/* NULL when the type would exceed CLEW_MAX_CELLS or CLEW_MAX_TYPE_DEPTH. Domains exclude INT64_MIN,
 * which stands for undefined; a bag has at least one element. The array of fields is copied. */
const struct clew_type *clew_type_scalar(struct clew_arena *arena, const struct clew_domain *domain,
                                         bool undefinable);
const struct clew_type *clew_type_array(struct clew_arena *arena, const struct clew_domain *index,
                                        const struct clew_type *element);
const struct clew_type *clew_type_record(struct clew_arena *arena, const char *const *names,
                                         const struct clew_type *const *types, uint32_t count);
const struct clew_type *clew_type_bag(struct clew_arena *arena, uint32_t capacity,
                                      const struct clew_type *element);
/* Same cells with the same ranges and undefinedness in the same order: a block copy is possible
 * without any check. */
bool clew_type_same_shape(const struct clew_type *a, const struct clew_type *b);
/* The scalar type of cell `cell` of the type. */
const struct clew_type *clew_type_cell(const struct clew_type *type, uint32_t cell);

/* ---- Places ------------------------------------------------------------------------------- */

enum clew_space {
  CLEW_SPACE_STATE, /* base = slot */
  CLEW_SPACE_FRAME, /* base = cell of the frame */
  CLEW_SPACE_REF,   /* base = index of a reference parameter of the enclosing function */
};

/* One dynamic index: adds (value - lo) * stride to the cell number; value outside lo .. lo+count-1
 * is a fault at `site` and counts as lo. `checked` is false when the value's range shows that this
 * cannot happen. */
struct clew_index {
  const struct clew_expr *value;
  int64_t lo;
  uint32_t count, stride;
  uint32_t site;
  bool checked;
};

struct clew_place {
  enum clew_space space;
  uint32_t base;
  uint32_t offset; /* constant part, in cells, added to the base */
  uint32_t index_count;
  const struct clew_index *indices; /* evaluated in order */
  const struct clew_type *type;     /* of what is denoted */
};

/* Places are values: these return a new place and leave the argument alone. */
struct clew_place clew_place_state(const struct clew_program *program, uint32_t variable);
struct clew_place clew_place_frame(const struct clew_frame *frame, uint32_t variable);
struct clew_place clew_place_ref(const struct clew_function *function, uint32_t parameter);
struct clew_place clew_place_field(struct clew_place place, uint32_t field);
/* Element of an array or of a bag (then: the element without its presence cell). A constant index
 * in range becomes part of the offset; one out of range (better complained about by the front end)
 * faults at run time. */
struct clew_place clew_place_index(struct clew_program *program, struct clew_place place,
                                   const struct clew_expr *index, uint32_t site);
/* Presence cell of a bag's element; same conditions. Bags are indexed from 0. */
struct clew_place clew_place_presence(struct clew_program *program, struct clew_place bag,
                                      const struct clew_expr *index, uint32_t site);

/* ---- Expressions -------------------------------------------------------------------------- */

enum clew_expr_kind {
  CLEW_EXPR_CONST,     /* value */
  CLEW_EXPR_LOAD,      /* place (scalar); a fault at `site` when undefined */
  CLEW_EXPR_LOAD_RAW,  /* place (scalar); may yield CLEW_UNDEFINED. Only as the direct value of an
                        * assignment, an argument or a return */
  CLEW_EXPR_UNDEFINED, /* the undefined value; only where LOAD_RAW is allowed */
  CLEW_EXPR_IS_UNDEFINED, /* place (block): 1 iff its first cell is undefined */
  CLEW_EXPR_UNARY,        /* op, a */
  CLEW_EXPR_BINARY,       /* op, a, b; AND, OR evaluate b only when needed */
  CLEW_EXPR_COND,         /* a ? b : c */
  CLEW_EXPR_QUANTIFY,     /* op over variable `cell` from a to b by c (a constant, not 0) of d */
  CLEW_EXPR_LET,          /* frame cell `cell` := a (checked like LOAD), then b */
  CLEW_EXPR_CALL,         /* call, of a function that returns a value; where LOAD_RAW is not
                           * allowed, of one none of whose returns can be undefined */
  CLEW_EXPR_EQUAL, /* place = place2, blocks of the same shape, undefined equal to undefined */
};

enum clew_op {
  /* unary */
  CLEW_OP_NEG,
  CLEW_OP_NOT,
  CLEW_OP_BIT_NOT,
  /* binary; ADD..SHR (and NEG) fault at `site` when the result leaves INT64_MIN+1 .. INT64_MAX,
   * DIV and MOD (which round towards zero) when b is 0, shifts when b is outside 0..63 */
  CLEW_OP_ADD,
  CLEW_OP_SUB,
  CLEW_OP_MUL,
  CLEW_OP_DIV,
  CLEW_OP_MOD,
  CLEW_OP_SHL,
  CLEW_OP_SHR,
  CLEW_OP_BIT_AND,
  CLEW_OP_BIT_OR,
  CLEW_OP_BIT_XOR,
  CLEW_OP_EQ,
  CLEW_OP_NE,
  CLEW_OP_LT,
  CLEW_OP_LE,
  CLEW_OP_GT,
  CLEW_OP_GE,
  CLEW_OP_AND,
  CLEW_OP_OR, /* operands and results are 0 or 1 */
  /* quantifiers: FORALL and EXISTS stop at the first decisive value */
  CLEW_OP_FORALL,
  CLEW_OP_EXISTS,
  CLEW_OP_COUNT,
  CLEW_OP_SUM, /* wraps silently: the front end keeps it small */
};

/* Nothing checks the value that goes into a parameter, a LET or loop variable, or a result: its
 * range must lie in the type's (a front end narrows with a checked assignment first). */
struct clew_call {
  const struct clew_function *function;
  const struct clew_expr *const *values; /* one for each value parameter, in order */
  const struct clew_place *refs;         /* one for each reference parameter, in order */
  uint32_t site;                         /* of the recursion limit */
};

struct clew_expr {
  enum clew_expr_kind kind;
  enum clew_op op;
  uint32_t site; /* CLEW_NONE when no fault is possible */
  uint32_t cell;
  uint32_t depth, size; /* of the tree below and with this node; size saturates */
  uint32_t number;      /* of the node: each of a program has its own, below expr_count */
  bool pure;  /* the state alone decides its value, and evaluating it has no effect (it may be pure
               * without this being known) */
  bool polls; /* QUANTIFY: looks at the stop flag in every round; set by finish */
  int64_t value;
  int64_t lo, hi; /* the value lies in here (CLEW_UNDEFINED aside); computed by the constructors */
  const struct clew_expr *a, *b, *c, *d;
  struct clew_place place, place2;
  const struct clew_call *call;
};

/* Constructors fold constants and compute ranges, and may return a node that was built before:
 * equal expressions that do not depend on a frame are shared. An operation on constants that would
 * fault is left as it is, to fault at run time. */
const struct clew_expr *clew_expr_const(struct clew_program *program, int64_t value);
const struct clew_expr *clew_expr_load(struct clew_program *program, struct clew_place place,
                                       uint32_t site);
const struct clew_expr *clew_expr_load_raw(struct clew_program *program, struct clew_place place);
const struct clew_expr *clew_expr_undefined(struct clew_program *program);
const struct clew_expr *clew_expr_is_undefined(struct clew_program *program,
                                               struct clew_place place);
const struct clew_expr *clew_expr_unary(struct clew_program *program, enum clew_op op,
                                        const struct clew_expr *a, uint32_t site);
const struct clew_expr *clew_expr_binary(struct clew_program *program, enum clew_op op,
                                         const struct clew_expr *a, const struct clew_expr *b,
                                         uint32_t site);
const struct clew_expr *clew_expr_cond(struct clew_program *program, const struct clew_expr *a,
                                       const struct clew_expr *b, const struct clew_expr *c);
const struct clew_expr *clew_expr_quantify(struct clew_program *program, enum clew_op op,
                                           uint32_t cell, const struct clew_expr *from,
                                           const struct clew_expr *to, int64_t step,
                                           const struct clew_expr *body);
const struct clew_expr *clew_expr_let(struct clew_program *program, uint32_t cell,
                                      const struct clew_expr *value, const struct clew_expr *body);
const struct clew_expr *clew_expr_call(struct clew_program *program, const struct clew_call *call);
const struct clew_expr *clew_expr_equal(struct clew_program *program, struct clew_place a,
                                        struct clew_place b);

/* Whether evaluating it can fault, or call a function, as far as its nodes tell. */
bool clew_expr_may_fault(const struct clew_expr *expr);

/* ---- Statements --------------------------------------------------------------------------- */

enum clew_stmt_kind {
  CLEW_STMT_BLOCK,    /* body: list linked by next */
  CLEW_STMT_ASSIGN,   /* place (scalar) := value; out of range: a fault at `site`, no change */
  CLEW_STMT_COPY,     /* place := place2, blocks of the same shape */
  CLEW_STMT_CLEAR,    /* every cell of place := its least value; bags become empty */
  CLEW_STMT_UNDEFINE, /* every undefinable cell of place := undefined, others their least value;
                       * bags become empty */
  CLEW_STMT_IF,       /* value, body, otherwise (may be NULL) */
  CLEW_STMT_SWITCH,   /* value, cases, otherwise */
  CLEW_STMT_FOR,      /* cell from value to value2 by step: body. `exhaustive`: a RETURN in the body
                       * ends its iteration, and takes effect when all iterations are done */
  CLEW_STMT_WHILE,    /* value: body; more than `limit` iterations: a fault at `site` */
  CLEW_STMT_CALL,     /* call, result ignored */
  CLEW_STMT_RETURN,   /* value, or NULL; in a rule (NULL): the end of its body */
  CLEW_STMT_ASSERT,   /* value = 0: a fault at `site` */
  CLEW_STMT_ASSUME,   /* value = 0: the successor is discarded, silently */
  CLEW_STMT_COVER,    /* value != 0: cover bit `cell` is set */
  CLEW_STMT_BAG_ADD,  /* place (bag) gets a copy of place2 in its first free position; a fault at
                       * `site` when there is none */
  CLEW_STMT_BAG_REMOVE, /* place (bag), position value: presence and cells become zero; no such
                         * position: a fault at `site` */
};

struct clew_case {
  const int64_t *values;
  uint32_t value_count;
  const struct clew_stmt *body; /* may be NULL */
};

/* Every body (of statements, cases, rules, functions) is a list linked by next, NULL when empty.
 * What is stored (value, place2) is evaluated before where (the indices of place); in expressions
 * and calls operands go from left to right, values before references. */
struct clew_stmt {
  enum clew_stmt_kind kind;
  uint32_t site;
  const struct clew_stmt *next; /* the following statement of the same list */
  struct clew_place place, place2;
  const struct clew_expr *value, *value2;
  uint32_t cell;
  int64_t step;
  uint64_t limit;
  const struct clew_stmt *body, *otherwise;
  const struct clew_case *cases; /* disjoint constants */
  uint32_t case_count;
  const struct clew_call *call;
  bool checked;    /* ASSIGN: the value's range does not show that it fits */
  bool exhaustive; /* FOR: run-time errors of all iterations count, also of those behind a RETURN.
                    * No iteration reads what another writes, and all return the same value */
  bool polls;      /* FOR, WHILE: looks at the stop flag in every round; set by finish */
};

/* Lists are built with a tail: clew_list_add(&list, stmt). */
struct clew_list {
  struct clew_stmt *first, *last;
};
void clew_list_add(struct clew_list *list, struct clew_stmt *stmt);

struct clew_stmt *clew_stmt_assign(struct clew_program *program, struct clew_place place,
                                   const struct clew_expr *value, uint32_t site);
/* No site, step 1, limit CLEW_MAX_LOOP; everything else is the caller's to fill in. */
struct clew_stmt *clew_stmt_new(struct clew_program *program, enum clew_stmt_kind kind);

/* ---- Frames, functions, rules ------------------------------------------------------------- */

struct clew_variable {
  const char *name;
  const struct clew_type *type;
  uint32_t cell;     /* first cell: of the frame, or slot of the state */
  bool is_signal;    /* of the state, but laid out behind all that are not */
  bool is_hidden;    /* of the state: bookkeeping that nobody wants to see */
  uint32_t declared; /* of the state: 1 + its place in `declared` of the program; 0: not known */
};

/* The variables of a function or rule. Variables of disjoint scopes may share nothing: cells are
 * never reused, which keeps both executions simple. */
struct clew_frame {
  CLEW_VEC(struct clew_variable) variables; /* freed by clew_program_finish's owner: the program */
  uint32_t cells;
};

/* Adds a variable and returns its index, CLEW_NONE when the frame would exceed CLEW_MAX_CELLS. All
 * cells of a frame are undefined when execution enters it (also those of types that are not
 * undefinable: the front end initialises them; while a fault is pending, loops and calls that are
 * cut short may leave them so, and an execution must survive reading them). */
uint32_t clew_frame_add(struct clew_frame *frame, const char *name, const struct clew_type *type);

struct clew_reference {
  const char *name;
  enum clew_space space; /* STATE or FRAME */
  const struct clew_type *type;
};

struct clew_function {
  const char *name;
  uint32_t index;           /* in the program */
  struct clew_frame *frame; /* the value parameters are its first variables (scalars) */
  uint32_t value_count;
  uint32_t reference_count;
  const struct clew_reference *references;
  const struct clew_type *result; /* scalar, or NULL */
  uint32_t no_result_site;        /* fault when the end is reached without a return; result only */
  const struct clew_stmt *body;   /* set after declaration, so that recursion is possible */
  bool polls;                     /* looks at the stop flag on entry; set by finish */
};

struct clew_parameter {
  const char *name;
  uint32_t cell;                    /* of the family's frame; scalar, always defined */
  const struct clew_domain *domain; /* the values, and how they print */
};

struct clew_rule {
  const char *name;
  struct clew_position position;
  int32_t priority;              /* smaller fires first; only the smallest enabled class fires */
  const struct clew_expr *guard; /* NULL: true. Must not write the state */
  const struct clew_stmt *body;
  /* Values that the rule hands over (a rendezvous), as expressions of the state before it: for
   * people. */
  const struct clew_expr *const *sent;
  uint32_t sent_count;
  uint32_t index; /* among all rules of the program (those of starts come last); set by finish */
};

/* Edges: first_edge + instance * rule_count + rule, where instance is the mixed-radix number of
 * the parameter values, the last parameter varying fastest. This is also the order in which
 * successors are produced (within one priority class; classes other than the smallest enabled one
 * produce nothing). */
struct clew_family {
  struct clew_frame *frame;
  uint32_t parameter_count;
  const struct clew_parameter *parameters;
  uint32_t rule_count;
  struct clew_rule *rules;
  uint32_t first_edge; /* set by clew_program_finish, as are these: */
  uint32_t instance_count;
  const struct clew_family_plan *plan; /* of the interpreter */
};

struct clew_label_code {
  const char *name;
  struct clew_position position;
  struct clew_frame *frame;
  const struct clew_expr *value;
};

/* A bag in the state, to be kept sorted. */
struct clew_bag {
  uint32_t slot;          /* presence cell of its first element */
  uint32_t count, stride; /* elements; cells of one, presence included */
};

/* A channel: two variables, an array of messages in order and how many of them there are. */
struct clew_queue {
  uint32_t length, items;
};

/* Values that can be renamed into each other without changing the behaviour: lo .. lo+count-1,
 * wherever they occur as an index or a value of a domain that is `symmetric`. */
struct clew_scalarset {
  const char *name;
  int64_t lo;
  uint32_t count;
  const char *asymmetric; /* why they cannot be renamed after all, or NULL */
};

/* Variables that there are once for each combination of indices, as if they were the elements of an
 * array: `count` consecutive ones from `first` on for the first combination, then as many for the
 * next, the last dimension varying fastest. All copies have the same types. */
struct clew_copies {
  uint32_t first, count;
  uint32_t dim_count;
  const struct clew_domain *const *dims;
};

struct clew_program {
  struct clew_arena *arena; /* owned; everything below lives in it unless it is a vector */
  const char *name, *language;
  enum clew_deadlock_rule deadlock;
  bool counts_error_state;             /* see struct clew_model */
  bool ignores_deadlock;               /* nobody asks whether there is one: no such property */
  enum clew_query_kind deadlock_query; /* of the DEADLOCK property, as in struct clew_property */
  const char *deadlock_option;
  bool faults_are_incidental; /* somebody asks for something else (clew_property.is_incidental) */

  CLEW_VEC(struct clew_variable) variables; /* of the state */
  CLEW_VEC(struct clew_function *) functions;
  CLEW_VEC(struct clew_family *)
  starts; /* rules without guards: each makes an initial state from
           * one in which everything is undefined (or least) */
  CLEW_VEC(struct clew_family *) families;
  CLEW_VEC(struct clew_label_code) labels;
  CLEW_VEC(uint32_t) assumptions; /* labels; states in which one is false do not exist */
  bool has_locations;             /* see struct clew_model */
  CLEW_VEC(struct clew_property) properties;
  CLEW_VEC(struct clew_site) sites;
  CLEW_VEC(struct clew_frame *) frames;
  CLEW_VEC(struct clew_scalarset) scalarsets; /* disjoint */
  CLEW_VEC(struct clew_copies) copies;        /* disjoint */
  CLEW_VEC(struct clew_queue) queues;         /* for people */
  const char *asymmetric; /* why none of the scalarsets can be used for reduction, or NULL */
  CLEW_VEC(struct clew_unchecked) unchecked; /* parts of the text that nothing can check */
  CLEW_VEC(struct clew_declared) declared;   /* for remarks */
  uint32_t cover_count;
  uint32_t expr_count;
  struct clew_names *site_names; /* to merge sites; freed by finish */
  struct clew_expr_table *exprs; /* to share expressions; freed by finish */

  /* Set by clew_program_finish. */
  uint32_t slot_count, words, state_bits;
  uint32_t discrete_words; /* the first ones, those without signals */
  uint32_t bytes; /* of the words, those in use: the rest of the last word is always zero */
  struct clew_slot *slots;
  const struct clew_type **slot_types;
  CLEW_VEC(struct clew_bag) bags;                 /* inner ones before those that contain them */
  uint32_t edge_count, initial_count, rule_count; /* rule_count: without those of starts */
  const struct clew_slot_view *slot_views;        /* the slots as the interpreter reads them */
  const int32_t *priorities; /* those that rules (of families) have, in order */
  uint32_t priority_count;
  uint32_t stop_site; /* of evaluations that were stopped; CLEW_NONE: nothing ever polls */

  /* Never NULL. Once it is raised, evaluations that take long end at `stop_site`. */
  const atomic_bool *stop;
};

/* The name and the language are copied. */
struct clew_program *clew_program_open(const char *name, const char *language);
void clew_program_close(struct clew_program *program); /* NULL is fine */

/* More than CLEW_MAX_CELLS in all is reported by finish. */
uint32_t clew_program_add_variable(struct clew_program *program, const char *name,
                                   const struct clew_type *type);
/* A variable with words of its own behind the others, which are then the discrete part. By such
 * variables rules say something about the transition that they make, to a model over the program's
 * one (timed/timed.h). All their bits are zero in the states that the model over it keeps: so they
 * should be undefinable. Where there is no model over it, they are ordinary variables. */
uint32_t clew_program_add_signal(struct clew_program *program, const char *name,
                                 const struct clew_type *type);
struct clew_frame *clew_program_add_frame(struct clew_program *program);
struct clew_function *clew_program_add_function(struct clew_program *program, const char *name);
/* Copies both arrays. */
struct clew_family *clew_program_add_family(struct clew_program *program, bool start,
                                            struct clew_frame *frame,
                                            const struct clew_parameter *parameters,
                                            uint32_t parameter_count, const struct clew_rule *rules,
                                            uint32_t rule_count);
/* The frame may be NULL when the value needs none. */
uint32_t clew_program_add_label(struct clew_program *program, const char *name,
                                struct clew_position position, struct clew_frame *frame,
                                const struct clew_expr *value);
void clew_program_add_property(struct clew_program *program, enum clew_property_kind kind,
                               const char *name, struct clew_position position, uint32_t label,
                               bool is_statement);
/* Copies the name; `why` is static. */
void clew_program_add_unchecked(struct clew_program *program, const char *name, const char *why,
                                struct clew_position position);
/* A transition that nobody can take part in; copies the name. */
void clew_program_add_unmatched(struct clew_program *program, const char *name,
                                struct clew_position position);
/* Copies the name. Returns the index in `declared`. */
uint32_t clew_program_add_declared(struct clew_program *program, const char *name,
                                   struct clew_position position, bool is_constant, bool is_used);
/* Sites with equal contents are merged. */
uint32_t clew_program_add_site(struct clew_program *program, enum clew_site_kind kind,
                               struct clew_position position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Ends the building: numbers edges, lays out slots, finds bags, adds the DEADLOCK and FAULT
 * properties in front of the others, makes property names unique, and checks the limits and (in
 * debug builds) clew_program_check. Limits are reported to the sink against the program's name. */
enum clew_status clew_program_finish(struct clew_program *program, struct clew_diag_sink *diags);

/* Validates the whole structure: types of places, scopes of cells, shapes of copies, no LOAD_RAW in
 * the wrong place, guards without effects. True, or false and a static reason. */
bool clew_program_check(const struct clew_program *program, const char **why);

/* The multisets and channels of a finished program, for clew_model.collections; in its arena. */
struct clew_collection;
const struct clew_collection *clew_program_collections(struct clew_program *program,
                                                       uint32_t *count);

/* One line per declaration, rule, statement: for people who write front ends and for tests. */
void clew_program_dump(const struct clew_program *program, struct clew_text *out);
/* The part of it that properties are no part of, and that does not change with them. */
void clew_program_dump_graph(const struct clew_program *program, struct clew_text *out);

/* Splits an edge of `families` (the starts or the families): the family, the rule in it, and the
 * values of the parameters (room for parameter_count). */
struct clew_edge_parts {
  const struct clew_family *family;
  const struct clew_rule *rule;
  uint32_t instance;
};
struct clew_edge_parts clew_program_edge(const struct clew_program *program, bool start,
                                         uint32_t edge);
int64_t clew_family_parameter(const struct clew_family *family, uint32_t instance,
                              uint32_t parameter);

#endif
