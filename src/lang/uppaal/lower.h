/* Elaboration and lowering: the tree to the IR, in one walk for each process of the system.
 *
 * Types, sizes and ranges may depend on the parameters of a template, so nothing about a template
 * is known before its parameters are: checking happens while lowering, once for each instance.
 * Declarations become symbols of scopes; a constant is known by its cells, a variable by its place.
 * Expressions become values; constants fold on the way, and where a call must be computed early
 * (the initialiser of a constant), constant.c executes the lowered function.
 *
 * Time is a mode of lowering. NONE: a constraint on clocks is true, an assignment to one vanishes.
 * DIGITAL: a clock is an integer variable that stops at one more than the largest number that it
 * can still be compared with (bounds.c); one more rule lets one unit of time pass. The model is
 * lowered twice then: the first program serves only to learn those numbers. ZONES: a clock is a
 * signal by which a transition says what it sets the clock to; constraints on clocks become forms
 * (below) and go to the specification of a timed model (lower_timed.c).
 *
 * Side effects. An expression of the IR changes nothing. So while code that may have effects is
 * lowered, there is a list of statements (`out`) that effects are put into; `out` is NULL where the
 * language forbids them. When lowering an operand has put something there, the values of operands
 * before it are kept in temporaries, so that evaluation goes from left to right. */
#ifndef CLEW_LANG_UPPAAL_LOWER_H
#define CLEW_LANG_UPPAAL_LOWER_H

#include "ir/ir.h"
#include "lang/uppaal/uppaal_int.h"
#include "timed/timed.h"

/* ---- Types ---------------------------------------------------------------------------------- */

enum uppaal_kind {
  UPPAAL_VOID,
  UPPAAL_INT,
  UPPAAL_BOOL,
  UPPAAL_SCALAR, /* of a scalar set: identities, no numbers */
  UPPAAL_CLOCK,
  UPPAAL_CHANNEL,
  UPPAAL_ARRAY,
  UPPAAL_STRUCT,
  UPPAAL_WRONG, /* of what has been complained about */
};

struct uppaal_field {
  const struct uppaal_name *name;
  const struct uppaal_shape *type;
  uint32_t offset; /* in cells */
};

/* A scalar set: so many values that nothing tells apart, so that they can be renamed. There is one
 * for each place in the text (and size), also where processes have such a type of their own. Sets
 * are disjoint, as numbers. */
struct uppaal_scalar {
  const struct uppaal_type *type; /* where it stands */
  const char *name;
  bool is_named;   /* by a typedef */
  uint32_t number; /* in the program */
  int64_t lo;
  uint32_t count;
  const struct clew_domain *domain;
};

/* Something that is done for each value of a scalar set, one after the other: a loop in the body of
 * a function, or the evaluation of a condition that ends as soon as it is decided. */
struct uppaal_scalar_loop {
  const struct uppaal_scalar *scalar;
  const struct clew_function *function;
  const struct clew_stmt *loop;
  const struct clew_frame *frame;
  const struct clew_expr *condition;
  struct clew_span span;
};

/* A type with all sizes known. */
struct uppaal_shape {
  enum uppaal_kind kind;
  int64_t lo, hi;                     /* INT, SCALAR; ARRAY: of the indices */
  const struct uppaal_scalar *scalar; /* SCALAR; ARRAY: of the indices, or NULL */
  bool is_default;                    /* INT without a range */
  bool is_urgent, is_broadcast;       /* CHANNEL */
  const struct uppaal_shape *element; /* ARRAY */
  struct uppaal_field *fields;        /* STRUCT */
  uint32_t field_count;
  uint32_t cells; /* values, clocks or channels in it */
};

/* ---- Symbols -------------------------------------------------------------------------------- */

enum uppaal_symbol_kind {
  UPPAAL_SYMBOL_CONSTANT, /* cells */
  UPPAAL_SYMBOL_VARIABLE, /* place; also clocks */
  UPPAAL_SYMBOL_CHANNEL,  /* channel */
  UPPAAL_SYMBOL_TYPE,
  UPPAAL_SYMBOL_FUNCTION, /* decl, scope */
  UPPAAL_SYMBOL_PROCESS,  /* decl: a template or an instance */
};

struct uppaal_symbol {
  enum uppaal_symbol_kind kind;
  struct uppaal_ref ref;
  const struct uppaal_shape *type; /* FUNCTION: of the result */
  const int64_t *cells;
  struct clew_place place;        /* type NULL: a clock that is not kept */
  const struct clew_frame *frame; /* in which it was declared */
  bool is_read_only;
  uint32_t channel; /* number of the first one */
  struct uppaal_decl *decl;
  struct uppaal_scope *scope;
  struct uppaal_variant *variants;
  bool is_busy;                          /* FUNCTION: being lowered */
  bool is_listed;                        /* PROCESS: by the system line */
  uint32_t first_process, process_count; /* PROCESS: those that it stands for */
  struct uppaal_symbol *next;
};

struct uppaal_scope {
  struct uppaal_scope *parent;
  uint32_t count;
  uint32_t bucket_count;          /* a power of two */
  struct uppaal_symbol **buckets; /* lists of symbols, by the address of their names */
};

/* ---- Functions ------------------------------------------------------------------------------ */

enum uppaal_passing_kind {
  UPPAAL_PASS_VALUE,    /* a number; is_checked: it need not fit */
  UPPAAL_PASS_CONSTANT, /* known when lowering: cells */
  UPPAAL_PASS_STATIC,   /* a place of the state that is known when lowering */
  UPPAAL_PASS_REF,      /* a reference of the IR */
};

/* How an argument is passed. */
struct uppaal_passing {
  enum uppaal_passing_kind kind;
  bool is_checked;
  bool is_read_only;
  const struct uppaal_shape *type;
  const int64_t *cells;
  struct clew_place place; /* STATIC */
  enum clew_space space;   /* REF */
};

/* A function as it is lowered for one way to pass its arguments. */
struct uppaal_variant {
  struct uppaal_symbol *symbol;
  struct clew_function *code;
  struct uppaal_passing *passing;
  const struct uppaal_shape *result;
  bool writes_state; /* it changes the state, also by what it calls */
  bool writes_refs;  /* it changes variables of its caller */
  struct uppaal_variant *next;
};

/* ---- Conditions with clocks ----------------------------------------------------------------- */

/* x_i - x_j < or <= bound, if the condition holds; or (is_rate) the rate of x_i is `bound`. */
struct uppaal_atom {
  const struct clew_expr *condition; /* NULL: always */
  bool has_i, has_j;                 /* one that is missing is zero */
  struct clew_place i, j;
  const struct clew_expr *bound;
  bool is_strict, is_rate;
  uint32_t process, location; /* whose guard or invariant it is from, as in a fact */
  struct clew_span span;
};

/* A conjunction: a condition without clocks, atoms, and whether there is a deadlock. */
struct uppaal_term {
  const struct clew_expr *when; /* NULL: true */
  const struct uppaal_atom *atoms;
  uint32_t atom_count;
  enum clew_timed_deadlock deadlock;
};

/* A disjunction of terms; none: false. Without clocks it is *plain*: one term at most, which has
 * only its condition. */
struct uppaal_form {
  const struct uppaal_term *terms;
  uint32_t count;
};

/* ---- Values --------------------------------------------------------------------------------- */

enum uppaal_value_kind {
  UPPAAL_VALUE_WRONG,
  UPPAAL_VALUE_EXPR,     /* expr: an int or a bool */
  UPPAAL_VALUE_PLACE,    /* place: what can be assigned, unless is_read_only; also a clock */
  UPPAAL_VALUE_CONSTANT, /* cells from offset on, and from `moving` further on unless it is NULL */
  UPPAAL_VALUE_CHANNEL,  /* expr: the number of the first channel */
  UPPAAL_VALUE_LINEAR,   /* a clock, less a clock, plus expr: each may be missing, but not both */
  UPPAAL_VALUE_RATE,     /* of the clock at place */
  UPPAAL_VALUE_FORM,     /* a truth value that depends on clocks */
  UPPAAL_VALUE_VOID,
};

struct uppaal_value {
  enum uppaal_value_kind kind;
  const struct uppaal_shape *type;
  const struct clew_expr *expr;
  struct clew_place place;
  bool has_plus, has_minus; /* LINEAR: the clocks at place and at minus */
  struct clew_place minus;
  struct uppaal_form form;
  bool is_read_only;
  const int64_t *cells; /* of the whole constant */
  uint32_t cell_count, offset;
  const struct clew_expr *moving;
};

/* ---- Processes ------------------------------------------------------------------------------ */

/* What one process does in a transition: an edge, or an edge to a branch point and one from it. */
struct uppaal_step {
  struct uppaal_instance *process;
  const struct uppaal_edge *edge, *branch; /* branch: NULL or the second edge */
  uint32_t from, to;                       /* locations */
  uint32_t number;                         /* of those with the same ends, from 2 on; else 0 */
  const struct uppaal_shape *channel;      /* NULL: no synchronisation */
  int64_t channel_lo, channel_hi;          /* the numbers it can have */
  uint32_t *resets;                        /* slots of clocks that it surely sets */
  uint32_t reset_count;
  uint64_t writes; /* a set of variables that are bounds, which it may change (fixed.c) */
};

struct uppaal_instance {
  const char *name; /* "P", "P(1,2)" */
  const struct uppaal_symbol *symbol;
  const int64_t *arguments; /* values of the free parameters */
  uint32_t argument_count;
  const struct uppaal_shape *const *argument_types;
  uint32_t first_variable, variable_count; /* of the program: its location and its variables */
  const struct uppaal_decl *template;
  struct uppaal_scope *scope;
  struct uppaal_location **locations; /* without branch points */
  uint32_t location_count, init;
  struct clew_place place; /* type NULL: one location */
  struct uppaal_step *steps;
  uint32_t step_count;
  bool has_committed;
  uint32_t rank;   /* of the system line */
  uint32_t number; /* among all processes */
};

/* ---- The state of lowering ------------------------------------------------------------------ */

enum uppaal_time { UPPAAL_TIME_NONE, UPPAAL_TIME_DIGITAL, UPPAAL_TIME_ZONES };

enum uppaal_use { /* where the expression stands that is lowered */
                  UPPAAL_USE_CODE,
                  UPPAAL_USE_GUARD,
                  UPPAAL_USE_INVARIANT,
                  UPPAAL_USE_QUERY,
};

/* A clock of the state. Its top is the value that stands for all from there on. */
struct uppaal_clock {
  struct clew_place place;
  struct clew_domain *domain; /* zones: of the values that it is set to, and */
  int64_t most;               /* the greatest of them */
  int64_t everywhere;         /* top for the sake of queries */
  const int64_t **tops; /* by process, then by its location; NULL: it does not compare the clock */
};

/* Of which place a bound is a fact: a location of a process, or (process CLEW_NONE) one of these.
 */
enum { UPPAAL_AT_QUERY, UPPAAL_AT_SETTING };

/* Clocks (by slots, first to last) are compared with, or set to, numbers up to `most`. */
struct uppaal_fact {
  uint32_t first, last;
  uint32_t process, location;
  int64_t most;
};

/* Bounds of clocks, by slot, as the first pass found them out; -1: none. */
struct uppaal_bounds {
  uint32_t slot_count, process_count;
  uint32_t *location_counts;
  int64_t *everywhere, *settings;
  int64_t **by_process; /* then by location * slot_count + slot */
};

/* The greatest constant of a signal or bound of zones. */
enum { UPPAAL_MOST_BOUND = 1 << 28 };

/* Signals of one kind are interchangeable. */
enum uppaal_signal_class {
  UPPAAL_SIGNAL_SMALL, /* bounds */
  UPPAAL_SIGNAL_MIDDLE,
  UPPAAL_SIGNAL_LARGE,
  UPPAAL_SIGNAL_CLOCK,
  UPPAAL_SIGNAL_RATE,
  UPPAAL_SIGNAL_CLASSES
};

struct uppaal_pool {
  struct {
    struct clew_place *data;
    uint32_t len, cap;
  } signals[UPPAAL_SIGNAL_CLASSES];
  uint32_t used[UPPAAL_SIGNAL_CLASSES];
  uint32_t count;   /* of signals */
  const char *name; /* first word of theirs */
  bool is_kept;     /* these are variables, not signals */
};

/* Clocks (first to last, from 1 on) are compared with numbers up to `most`, at a place as in a
 * fact. */
/* Clocks first_i to last_i, less clocks first_j to last_j, are compared with the bound. */
struct uppaal_difference {
  uint32_t first_i, last_i, first_j, last_j;
  const struct clew_expr *bound;
  const struct clew_frame *frame; /* of the bound */
  bool is_strict;
};

struct uppaal_limit_fact {
  uint32_t first, last;
  uint32_t process, location;
  bool is_lower, is_upper;        /* the clock is to be greater, or less */
  const struct clew_expr *bound;  /* of it, or (is_lower) of its negation; NULL: `most` is known */
  const struct clew_frame *frame; /* of the bound */
  int64_t most;
  bool is_difference, varies; /* varies: the bound is not always the same */
  uint32_t asker;             /* the query that it comes from, or CLEW_NONE */
  uint32_t slot;              /* of the variable that is the bound (fixed.c); CLEW_NONE: of none */
  uint64_t slot_bit;          /* of it in uppaal_step.writes */
};

/* The steps that take part in a rule in any case: receive is NULL if there is no partner. */
struct uppaal_rule_steps {
  const struct uppaal_step *step, *receive;
};

/* The specification of a timed model, as it is made. */
struct uppaal_timed {
  struct uppaal_pool guards, invariants, kept;
  CLEW_VEC(struct clew_timed_atom) atoms;
  CLEW_VEC(struct clew_timed_span) rules; /* clew_rule.index is a number of them, until finish */
  CLEW_VEC(struct uppaal_rule_steps) rule_steps; /* of each of them */
  CLEW_VEC(struct clew_timed_process) processes;
  CLEW_VEC(struct clew_timed_location) locations;
  CLEW_VEC(struct clew_timed_limit) limits;
  CLEW_VEC(struct clew_timed_stop) stops;
  CLEW_VEC(struct clew_timed_query) queries;
  CLEW_VEC(struct clew_timed_run) runs;
  CLEW_VEC(struct clew_timed_disjunct) disjuncts;
  CLEW_VEC(struct clew_timed_measure) measures;
  CLEW_VEC(struct clew_measure) measure_names;
  CLEW_VEC(struct uppaal_limit_fact) facts;
  CLEW_VEC(struct uppaal_difference) differences;
  CLEW_VEC(struct clew_timed_cut) cuts;
  struct clew_timed_span query_limits, common_limits;
  uint32_t asker, asker_count; /* queries, runs and measures; asker CLEW_NONE: none is lowered */
  uint32_t rule_first;         /* atom of the rule that is lowered */
  uint32_t still_slot;
  int64_t largest;
  bool has_diagonals, has_stops;
  struct clew_frame *frame;        /* of invariants, queries and the announcer */
  struct clew_list announcement;   /* what it does */
  struct clew_function *announcer; /* called at the end of bodies; NULL: none is needed */
};

/* A function that looks a cell of a constant up. */
struct uppaal_lookup {
  const int64_t *cells;
  uint32_t count;
  const struct clew_function *function;
};

/* The priority of a channel that has one. */
struct uppaal_channel_rank {
  uint32_t channel, rank;
};

/* A step, with a partner or alone or as the sender of a broadcast, and its class of priority. */
struct uppaal_transition {
  const struct uppaal_step *step, *receive;
  uint64_t class;
  bool is_clocky; /* it is enabled for some values of clocks */
};

/* What has to hold for transitions of a class: nothing of higher priority is enabled. */
struct uppaal_class {
  uint64_t class;
  const struct clew_expr *unblocked;
};

struct uppaal_lowering {
  struct clew_front *front;
  struct clew_program *program;
  struct clew_arena *arena; /* the program's */
  const struct uppaal_system *system;
  enum uppaal_time time;
  bool is_timed;    /* zones, and there are clocks, or a query asks where time may diverge */
  bool only_guards; /* bodies only say what the constraints of their rules are */
  bool learns;      /* the first of two passes */
  bool in_constant; /* constants of the default type may be larger than variables of it */
  const struct uppaal_bounds *bounds; /* for the second pass */
  CLEW_VEC(struct uppaal_fact) facts; /* of the first pass */
  uint32_t at_process, at_location;   /* where the guard or invariant is that is lowered */
  bool sets_clocks;                   /* to something else than 0, in the code that is lowered */

  struct uppaal_scope *builtins, *globals, *scope;
  struct clew_frame *frame;
  struct clew_list *out;
  struct uppaal_variant *variant; /* of the function whose body is lowered */
  enum uppaal_use use;
  bool in_query;         /* the text that is lowered is that of a query */
  int polarity;          /* of a condition: 1, -1 under a negation, 0 both */
  uint32_t clock_atoms;  /* comparisons of clocks seen so far */
  uint32_t clock_stores; /* settings likewise */
  bool functions_set_clocks;
  bool has_open_atoms;   /* one of them is strict */
  bool has_lower_bounds; /* of clocks, in guards */
  bool has_upper_bounds; /* in guards and invariants */
  bool bounds_several;   /* clocks; else only that at the slot bounded_clock */
  uint32_t bounded_clock;
  struct clew_span first_clock; /* declared; length 0: none */
  struct clew_span split_span;  /* of an edge for which it matters that a constraint is false */
  uint32_t clock_count, channel_count, variant_count, check_count;
  uint32_t transition_count; /* steps, pairs, and ways to receive a broadcast */

  struct clew_list start; /* makes the initial state */
  CLEW_VEC(struct uppaal_clock) clocks;
  CLEW_VEC(struct uppaal_instance *) processes;
  CLEW_VEC(struct uppaal_scalar *) scalars;
  CLEW_VEC(struct uppaal_scalar_loop) scalar_loops;
  CLEW_VEC(struct uppaal_lookup) lookups;
  CLEW_VEC(const struct uppaal_expr *) deadlocks; /* seen in the query */
  CLEW_VEC(struct uppaal_channel_rank) channel_ranks;
  CLEW_VEC(const struct uppaal_decl *) updates; /* before and after those of every transition */
  uint32_t default_rank;
  CLEW_VEC(struct uppaal_transition) transitions; /* only where there are priorities */
  CLEW_VEC(struct uppaal_class) classes;          /* all but the highest */
  const struct clew_expr *uncommitted; /* no process is in a committed location; NULL: always */
  struct clew_domain *clock_domain;    /* of the last type that was made of clocks */
  struct uppaal_timed timed;
};

enum { UPPAAL_INT_LO = -32768, UPPAAL_INT_HI = 32767 };

/* ---- scope.c -------------------------------------------------------------------------------- */

struct uppaal_scope *clew_uppaal_scope_new(struct uppaal_lowering *l, struct uppaal_scope *parent);
/* A new symbol of the current scope; a second one of the same name is complained about. */
struct uppaal_symbol *clew_uppaal_declare(struct uppaal_lowering *l, struct uppaal_ref ref,
                                          enum uppaal_symbol_kind kind);
/* From this scope outwards; NULL: unknown, which nobody has said. */
struct uppaal_symbol *clew_uppaal_find(const struct uppaal_scope *scope,
                                       const struct uppaal_name *name);
/* The symbol that a name means here, or NULL and a message. */
struct uppaal_symbol *clew_uppaal_resolve(struct uppaal_lowering *l, struct uppaal_ref ref,
                                          const char *what);
void clew_uppaal_declare_builtins(struct uppaal_lowering *l);
void clew_uppaal_fail(struct uppaal_lowering *l, struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- shape.c -------------------------------------------------------------------------------- */

extern const struct uppaal_shape clew_uppaal_int, clew_uppaal_bool, clew_uppaal_void,
    clew_uppaal_wrong;

const struct uppaal_shape *clew_uppaal_shape(struct uppaal_lowering *l,
                                             const struct uppaal_type *type);
/* ---- unused.c ------------------------------------------------------------------------------- */

/* So that a report can say where something is declared, and that nothing uses it. */
void clew_uppaal_note_global(struct uppaal_lowering *l, const struct uppaal_decl *decl,
                             const struct uppaal_symbol *symbol);
/* The same for the names of templates, once for all processes of each. */
void clew_uppaal_note_locals(struct uppaal_lowering *l);

/* Of what is declared: its type with its dimensions. */
const struct uppaal_shape *clew_uppaal_shape_of(struct uppaal_lowering *l,
                                                const struct uppaal_decl *decl);
/* A finite set of values to choose from; NULL and a message when it is none. */
const struct uppaal_shape *clew_uppaal_shape_range(struct uppaal_lowering *l,
                                                   const struct uppaal_type *type);
/* Same structure, whatever the ranges of numbers. */
bool clew_uppaal_shape_matches(const struct uppaal_shape *a, const struct uppaal_shape *b);
bool clew_uppaal_is_number(const struct uppaal_shape *type);
/* A number or a scalar: what one cell holds. */
bool clew_uppaal_is_single(const struct uppaal_shape *type);
bool clew_uppaal_contains(const struct uppaal_shape *type, enum uppaal_kind kind);
/* The IR's type; `most` is the greatest value of the clocks in it. NULL: too large. */
const struct clew_type *clew_uppaal_ir_type(struct uppaal_lowering *l,
                                            const struct uppaal_shape *type, int64_t most);
/* The type of one cell: an int or a bool. */
const struct uppaal_shape *clew_uppaal_shape_cell(const struct uppaal_shape *type, uint32_t cell);
const struct clew_type *clew_uppaal_range_type(struct uppaal_lowering *l, int64_t lo, int64_t hi);

/* ---- scalar.c ------------------------------------------------------------------------------- */

/* The scalar set of so many values that a type stands for; NULL and a message: too many. */
const struct uppaal_scalar *clew_uppaal_scalar(struct uppaal_lowering *l,
                                               const struct uppaal_type *type, int64_t count);
/* A typedef gives it this name, unless it has one. */
void clew_uppaal_name_scalar(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                             const char *name);
/* The value of a cell of `type` that is given where only numbers can be written: the same, or (in a
 * query) the scalar with this number, which the query then tells from the others. */
bool clew_uppaal_scalar_numbered(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                                 int64_t number, struct clew_span span, int64_t *value);
/* For a reason found at the span the model tells the values of the set apart (NULL: of all sets):
 * they cannot be renamed. The first reason is kept. */
void clew_uppaal_asymmetric(struct uppaal_lowering *l, const struct uppaal_scalar *scalar,
                            struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Cells of a constant, or of a variable that begins with them whenever it is declared: where they
 * differ from one index to another, or are scalars that somebody has chosen, these are told apart.
 */
void clew_uppaal_judge_cells(struct uppaal_lowering *l, const struct uppaal_shape *type,
                             const int64_t *cells, bool is_default, struct clew_span span);
/* ---- constant.c ----------------------------------------------------------------------------- */

/* The value of an expression that does not depend on the state; false and a message otherwise. */
bool clew_uppaal_constant(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                          int64_t *value);
/* The same for a cell of this type, which may be a scalar. */
bool clew_uppaal_constant_of(struct uppaal_lowering *l, const struct uppaal_expr *expr,
                             const struct uppaal_shape *type, int64_t *value);
/* All cells of an initialiser, which may be NULL, for something of this type. */
void clew_uppaal_initial_cells(struct uppaal_lowering *l, const struct uppaal_shape *type,
                               const struct uppaal_expr *value, int64_t *cells);

/* ---- lower_expr.c --------------------------------------------------------------------------- */

struct uppaal_value clew_uppaal_lower_value(struct uppaal_lowering *l,
                                            const struct uppaal_expr *expr);
/* A number or a truth value, as a number. */
const struct clew_expr *clew_uppaal_lower_number(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr);
/* 0 or 1; may be a constraint on clocks where these are allowed. */
const struct clew_expr *clew_uppaal_lower_truth(struct uppaal_lowering *l,
                                                const struct uppaal_expr *expr);
/* Lowers what is evaluated after something else: its effects are put into a list of their own,
 * which the caller appends once it has kept what must not change. */
struct uppaal_value clew_uppaal_lower_later(struct uppaal_lowering *l,
                                            const struct uppaal_expr *expr,
                                            struct clew_list *effects);
const struct clew_expr *clew_uppaal_number_of(struct uppaal_lowering *l,
                                              const struct uppaal_value *value,
                                              struct clew_span span);
/* What a cell of this type gets: a number, or a scalar of that set. */
const struct clew_expr *clew_uppaal_single_of(struct uppaal_lowering *l,
                                              const struct uppaal_value *value,
                                              const struct uppaal_shape *type,
                                              struct clew_span span);
struct uppaal_value clew_uppaal_number_value(const struct clew_expr *expr,
                                             const struct uppaal_shape *type);
/* Operands of the IR's operators, with a site where they may fault. */
const struct clew_expr *clew_uppaal_binary(struct uppaal_lowering *l, enum uppaal_op op,
                                           const struct clew_expr *a, const struct clew_expr *b,
                                           struct clew_span span);
struct uppaal_value clew_uppaal_lower_equal(struct uppaal_lowering *l, const struct uppaal_value *a,
                                            const struct uppaal_value *b, struct clew_span span);

/* ---- lower_form.c --------------------------------------------------------------------------- */

/* NULL: true. */
struct uppaal_form clew_uppaal_form_plain(struct uppaal_lowering *l, const struct clew_expr *expr);
struct uppaal_form clew_uppaal_form_atom(struct uppaal_lowering *l, struct uppaal_atom atom);
struct uppaal_form clew_uppaal_form_deadlock(struct uppaal_lowering *l);
bool clew_uppaal_form_is_plain(struct uppaal_form form);
/* Of a plain form; NULL: true. */
const struct clew_expr *clew_uppaal_form_expr(struct uppaal_lowering *l, struct uppaal_form form);
/* Conditions are evaluated from left to right. The span is of what is complained about when there
 * are too many terms. */
struct uppaal_form clew_uppaal_form_and(struct uppaal_lowering *l, struct uppaal_form a,
                                        struct uppaal_form b, struct clew_span span);
struct uppaal_form clew_uppaal_form_or(struct uppaal_lowering *l, struct uppaal_form a,
                                       struct uppaal_form b, struct clew_span span);
/* Terms of a negation exclude each other if they come from one term. */
struct uppaal_form clew_uppaal_form_not(struct uppaal_lowering *l, struct uppaal_form a,
                                        struct clew_span span);
struct uppaal_form clew_uppaal_form_cond(struct uppaal_lowering *l, struct uppaal_form a,
                                         struct uppaal_form b, struct uppaal_form c,
                                         struct clew_span span);
/* A truth value as a form, and a form as a value: without clocks it is an expression. */
struct uppaal_form clew_uppaal_form_of(struct uppaal_lowering *l, const struct uppaal_value *value,
                                       struct clew_span span);
struct uppaal_value clew_uppaal_form_value(struct uppaal_lowering *l, struct uppaal_form form);
struct uppaal_form clew_uppaal_lower_form(struct uppaal_lowering *l, struct uppaal_expr *expr);
/* Its negation. */
struct uppaal_form clew_uppaal_lower_negation(struct uppaal_lowering *l, struct uppaal_expr *expr);
/* The conjunction of a list. */
struct uppaal_form clew_uppaal_lower_all(struct uppaal_lowering *l, struct uppaal_exprs list);

/* ---- lower_quantify.c ----------------------------------------------------------------------- */

struct uppaal_value clew_uppaal_lower_cond(struct uppaal_lowering *l,
                                           const struct uppaal_expr *expr);
struct uppaal_value clew_uppaal_lower_quantified(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr);

/* ---- lower_util.c: small services ----------------------------------------------------------- */

const struct clew_expr *clew_uppaal_const(struct uppaal_lowering *l, int64_t value);
const struct clew_expr *clew_uppaal_load(struct uppaal_lowering *l, struct clew_place place);
const struct clew_expr *clew_uppaal_and(struct uppaal_lowering *l, const struct clew_expr *a,
                                        const struct clew_expr *b); /* NULL: true */
const struct clew_expr *clew_uppaal_or(struct uppaal_lowering *l, const struct clew_expr *a,
                                       const struct clew_expr *b); /* NULL: false */
const struct clew_expr *clew_uppaal_not(struct uppaal_lowering *l, const struct clew_expr *a);
const struct clew_expr *clew_uppaal_truth(struct uppaal_lowering *l, const struct clew_expr *a);
const struct clew_expr *clew_uppaal_equals(struct uppaal_lowering *l, struct clew_place place,
                                           int64_t value);
uint32_t clew_uppaal_site(struct uppaal_lowering *l, enum clew_site_kind kind,
                          struct clew_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A variable of the current frame. */
struct clew_place clew_uppaal_local(struct uppaal_lowering *l, const char *name,
                                    const struct clew_type *type);
/* The value as a temporary, unless it is constant: for use after the state has changed. */
const struct clew_expr *clew_uppaal_hold(struct uppaal_lowering *l, const struct clew_expr *value,
                                         struct clew_list *out);
struct clew_place clew_uppaal_hold_place(struct uppaal_lowering *l, struct clew_place place,
                                         struct clew_list *out);
/* The value, where one that 32 bits cannot hold is a fault: integers of the language have so many.
 */
const struct clew_expr *clew_uppaal_fit(struct uppaal_lowering *l, const struct clew_expr *value,
                                        struct clew_span span);
/* The value, where one outside lo .. hi is a fault. */
const struct clew_expr *clew_uppaal_checked(struct uppaal_lowering *l,
                                            const struct clew_expr *value, int64_t lo, int64_t hi,
                                            uint32_t site);
struct clew_place clew_uppaal_cell(struct clew_place place, uint32_t cell);
/* A function without references that returns a value of the type. */
struct clew_function *clew_uppaal_function(struct uppaal_lowering *l, const char *name,
                                           const struct clew_type *result, struct clew_span span);
const struct clew_expr *clew_uppaal_call(struct uppaal_lowering *l,
                                         const struct clew_function *function,
                                         const struct clew_expr *const *values,
                                         struct clew_span span);
const char *clew_uppaal_keep(struct uppaal_lowering *l, const char *text);
/* Appends one list to another. */
void clew_uppaal_append(struct clew_list *list, const struct clew_list *more);

/* ---- lower_assign.c ------------------------------------------------------------------------- */

/* What is denoted := the value; where it does not fit, a fault. */
void clew_uppaal_store(struct uppaal_lowering *l, struct clew_place place,
                       const struct uppaal_shape *type, const struct uppaal_value *value,
                       struct clew_span span, struct clew_list *out);
void clew_uppaal_store_cells(struct uppaal_lowering *l, struct clew_place place,
                             const struct uppaal_shape *type, const int64_t *cells,
                             struct clew_list *out);
struct uppaal_value clew_uppaal_lower_assign(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr);
struct uppaal_value clew_uppaal_lower_step_op(struct uppaal_lowering *l,
                                              const struct uppaal_expr *expr);
/* A place that holds the value, which is an array or struct. */
struct clew_place clew_uppaal_materialise(struct uppaal_lowering *l,
                                          const struct uppaal_value *value, struct clew_span span,
                                          struct clew_list *out);
/* Cell number `cell` of an array or struct. */
const struct clew_expr *clew_uppaal_cell_of(struct uppaal_lowering *l,
                                            const struct uppaal_value *value, uint32_t cell);

/* ---- lower_call.c, lower_stmt.c ------------------------------------------------------------- */

struct uppaal_value clew_uppaal_lower_call(struct uppaal_lowering *l,
                                           const struct uppaal_expr *expr);
/* Returns the value from the function whose body is lowered. */
void clew_uppaal_lower_return(struct uppaal_lowering *l, const struct uppaal_stmt *stmt);
void clew_uppaal_lower_stmt(struct uppaal_lowering *l, const struct uppaal_stmt *stmt);
/* Expressions for the sake of their effects. */
void clew_uppaal_lower_effects(struct uppaal_lowering *l, struct uppaal_exprs list);

/* ---- lower_clock.c -------------------------------------------------------------------------- */

/* A comparison of which a side is a clock, a difference of clocks, or a rate. */
struct uppaal_value clew_uppaal_lower_constraint(struct uppaal_lowering *l,
                                                 const struct uppaal_expr *expr,
                                                 const struct uppaal_value *a,
                                                 const struct uppaal_value *b);
bool clew_uppaal_is_clocky(const struct uppaal_value *value);
/* A sum or difference of which a side is a clock, or a difference of clocks. */
struct uppaal_value clew_uppaal_lower_linear(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr,
                                             const struct uppaal_value *a,
                                             const struct uppaal_value *b);
/* A clock := a value; `place` may be that of one that is not kept. */
void clew_uppaal_store_clock(struct uppaal_lowering *l, struct clew_place place,
                             const struct clew_expr *value, struct clew_span span,
                             struct clew_list *out);
/* Declares `count` clocks from this slot on. */
void clew_uppaal_add_clocks(struct uppaal_lowering *l, struct clew_place place, uint32_t count,
                            struct clew_domain *domain);

/* ---- lower_decl.c --------------------------------------------------------------------------- */

/* Everything of a list but templates and instances, which become symbols only; `prefix` is put
 * before the names of slots. */
void clew_uppaal_lower_decls(struct uppaal_lowering *l, const struct uppaal_decl *decls,
                             const char *prefix);
/* A local variable of a function: declares and initialises it. */
void clew_uppaal_lower_local(struct uppaal_lowering *l, const struct uppaal_decl *decl);

/* ---- instance.c ----------------------------------------------------------------------------- */

void clew_uppaal_lower_processes(struct uppaal_lowering *l);
/* The first process of this symbol, or NULL. */
const struct uppaal_instance *clew_uppaal_process_of(const struct uppaal_lowering *l,
                                                     const struct uppaal_symbol *symbol);
struct uppaal_instance *clew_uppaal_process(struct uppaal_lowering *l,
                                            const struct uppaal_symbol *symbol,
                                            const int64_t *arguments, uint32_t count);

/* ---- scalar.c, when the rest is lowered ------------------------------------------------------ */

/* When everything is lowered: says of the program which variables are copies of each other, and
 * looks for an order in what it does. */
void clew_uppaal_find_symmetry(struct uppaal_lowering *l);
/* The updates of these receivers of one broadcast happen in an order, and so does the evaluation of
 * its guard. */
struct uppaal_update {
  const struct uppaal_instance *process;
  const struct clew_stmt *body;
};
void clew_uppaal_judge_updates(struct uppaal_lowering *l, const struct uppaal_update *updates,
                               uint32_t count, struct uppaal_form guard, struct clew_span span);

/* ---- lower_query.c -------------------------------------------------------------------------- */

/* P.x or P(1).x: a location, variable or constant of a process. */
struct uppaal_value clew_uppaal_lower_member(struct uppaal_lowering *l,
                                             const struct uppaal_expr *expr, bool *is_member);
void clew_uppaal_lower_queries(struct uppaal_lowering *l);
/* Whether some query is about whole runs: A<>, E[], -->. */
bool clew_uppaal_asks_about_runs(const struct uppaal_lowering *l);
/* Whether some query can only be answered by a timed model, also where there are no clocks. */
bool clew_uppaal_needs_zones(const struct uppaal_lowering *l);

/* ---- lower.c -------------------------------------------------------------------------------- */

/* The invariant of a location, in the scope of its process. With clocks it is a single term. */
struct uppaal_form clew_uppaal_lower_invariant(struct uppaal_lowering *l,
                                               const struct uppaal_instance *process,
                                               uint32_t location);

/* Builds l->program from l->system; the caller has set front, system, program, time and learns, and
 * the bounds if it does not learn them now. Everything that is wrong has been reported. */
void clew_uppaal_lower(struct uppaal_lowering *l);
void clew_uppaal_lower_free(struct uppaal_lowering *l);

#endif
