/* Private to src/ir/emit*.c: the translation of a program to C.
 *
 * Expressions are lowered to *fragments*: C text without side effects that cannot fail. Whatever
 * can fail or has effects is written as statements before, into the text of the function being
 * emitted, and the fragment names the temporary that holds the result. So the order of evaluation
 * never depends on C, and an error is a plain jump to the end of the function.
 *
 * The one thing to watch: a fragment that reads memory means the memory at the place where its text
 * ends up. Before statements with effects are written, pending fragments are *held* in temporaries.
 *
 * Nothing of the model but numbers reaches the text. Names of the emitted C: s the state, p a new
 * one, x the runtime context, o the successor buffer, e the edge; f<n> the frame variable that
 * starts at cell n, r<n> reference parameter n, t<n> temporaries; p<n> functions; g<n> a<n> the
 * guard and action of a rule (emit_rule.c); i<n>_<n> I<n>_<n> an instance of a family, inlined or
 * called, h<n>_<n>_<n> a test of several at once (emit_hoist.c), n<n> many instances (emit_next.c);
 * v<n> a rule that is fired (emit_fire.c); l<n> labels, q<n> sorting of bags. */
#ifndef CLEW_IR_EMIT_INT_H
#define CLEW_IR_EMIT_INT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/text.h"
#include "base/vec.h"
#include "ir/canon_rt.h"
#include "ir/ir.h"
#include "ir/native.h"

/* ---- Limits and budgets, in IR nodes unless they say otherwise ------------------------------ */

enum {
  CLEW_EMIT_MAX_NODES = 150000,   /* a larger program is not worth the compiler's time */
  CLEW_EMIT_MAX_LINES = 1000000,  /* of C; blocks are written out, so nodes do not bound them */
  CLEW_EMIT_MAX_STACK = 4 << 20,  /* bytes of C stack that one execution may need */
  CLEW_EMIT_INLINE_FUNCTION = 60, /* functions up to this size are inlined everywhere */
  CLEW_EMIT_INLINE_BODY = 400,    /* bodies up to this size may be unrolled per instance */
  CLEW_EMIT_INLINE_CELLS = 64,    /* and only with frames up to this size */
  CLEW_EMIT_COMPACT = 6000,       /* larger programs are not unrolled beyond their own size */
  CLEW_EMIT_UNROLL_GUARDS = 5000, /* instances * size, of all guards that are unrolled */
  CLEW_EMIT_UNROLL_BODIES = 1500, /* and of all bodies */
  CLEW_EMIT_CHUNK = 1500,         /* of one emitted function of unrolled instances */
  CLEW_EMIT_BLOCK = 60,           /* actions up to this size are not functions */
  CLEW_EMIT_TEXT = 160,           /* longer fragments are held in temporaries */
  CLEW_EMIT_STARTS = 4096,        /* positions of a dynamic place that are looked at */
  CLEW_EMIT_SEGMENTS = 24,        /* word-wise moves of one block; more become a loop */
  CLEW_EMIT_UNROLLED_CELLS = 16,  /* cells of a block that are written out one by one */
  CLEW_EMIT_FIRED_EDGES = 65536,  /* of a program that has code for `fire` alone */
};

/* ---- Facts (emit_facts.c) ------------------------------------------------------------------ */

enum clew_emit_flag {
  CLEW_EMIT_MAY_FAIL = 1, /* a fault or a discard may become pending */
  CLEW_EMIT_WRITES = 2,   /* memory may be written, so earlier reads must be held */
  CLEW_EMIT_CODE = 4,     /* cannot be a fragment alone */
};

struct clew_emit_function {
  CLEW_VEC(uint32_t) callees; /* one entry for each call in the body */
  bool may_fail;
  bool cyclic; /* recursive, or calls something that is */
  bool inlined;
  uint32_t weight; /* nodes, with those of inlined callees */
  uint64_t stack_bytes;
  uint64_t *bags; /* those it may write */
};

struct clew_emit_memo {
  const struct clew_expr *expr;
  uint32_t flags;
};

struct clew_emit_action {
  uint64_t hash;
  size_t start, bytes; /* in the text; 0 bytes: no action */
  uint32_t rule;
  bool inlined;
};

struct clew_frag {
  const char *text; /* an operand of any operator: atomic or in parentheses */
  bool reads;       /* memory that a later statement may change */
  bool known;
  int64_t value; /* if known */
};

struct clew_emitter {
  const struct clew_program *program;
  const struct clew_canon *canon; /* NULL: no symmetry */
  enum clew_native_part part;
  const atomic_bool *cancelled; /* by whoever waits for the end; NULL: never */
  struct clew_arena *arena;     /* fragments */
  struct clew_text *out;        /* statements of the function being emitted */
  uint32_t indent, temps;
  uint32_t lines;
  bool full;           /* CLEW_EMIT_MAX_LINES were written, or cancelled: nothing more is */
  bool uses_locations; /* the table `loc` is needed */
  bool counts_depth;
  bool compact; /* compile time matters more than the last tenth of speed */
  bool pieces;  /* a state may have more successors than are made at once (model/succs.h) */
  bool ranked;  /* rules have priorities, so it matters whether any was enabled */

  struct clew_emit_function *functions;
  uint32_t *sorters;           /* of each bag */
  struct clew_emit_memo *memo; /* open addressing; capacity is a power of two */
  uint32_t memo_count, memo_capacity;
  struct clew_emit_action *actions; /* by their text; open addressing */
  uint32_t action_capacity;         /* a power of two */
  uint32_t *action_of;              /* of each rule: the one whose a<n> it shares */
  const char **blocks;              /* of each rule: the action itself, or NULL: it is a<n> */

  /* of what is being emitted */
  const struct clew_frame *frame;
  const struct clew_function *function; /* NULL: a rule or label */
  const struct clew_family *family;     /* NULL: a function or label */
  uint32_t exhaustive;                  /* number of the innermost such loop; CLEW_NONE: none */
  uint64_t *used;                       /* variables of the frame that the code names */
  uint32_t used_words;
};

/* False when the program is too large or needs too much stack. */
bool clew_emit_facts_open(struct clew_emitter *e);
void clew_emit_facts_close(struct clew_emitter *e);
uint32_t clew_emit_flags(struct clew_emitter *e, const struct clew_expr *expr);
uint32_t clew_emit_place_flags(struct clew_emitter *e, const struct clew_place *place);
/* Nodes of a rule's body or guard, with those of inlined functions. */
uint32_t clew_emit_weight(const struct clew_emitter *e, const struct clew_expr *expr,
                          const struct clew_stmt *list);
/* Adds the bags that the list may write to the set. */
void clew_emit_bags_written(const struct clew_emitter *e, const struct clew_stmt *list,
                            uint64_t *bags);
bool clew_emit_returns_always(const struct clew_stmt *list);
/* Whether something may be pending after it. */
bool clew_emit_list_fails(const struct clew_emitter *e, const struct clew_stmt *list);

/* ---- Text (emit_text.c) -------------------------------------------------------------------- */

/* Whether nothing more is written, so that whoever has much to do can leave it. */
bool clew_emit_is_full(struct clew_emitter *e);

/* One line at the current indentation. */
void clew_emit_line(struct clew_emitter *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line that ends in "{", and the brace that closes it. */
void clew_emit_open(struct clew_emitter *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void clew_emit_close(struct clew_emitter *e);
const char *clew_emit_text(struct clew_emitter *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *clew_emit_number(struct clew_emitter *e, int64_t value);
const char *clew_emit_bits(struct clew_emitter *e, uint64_t value);

struct clew_frag clew_frag_known(struct clew_emitter *e, int64_t value);
struct clew_frag clew_frag_make(const char *text, bool reads);
/* Holds the fragment in a temporary if it is anything else than a number or a temporary. */
struct clew_frag clew_frag_pin(struct clew_emitter *e, struct clew_frag frag);
/* The same for raw stored numbers, which are unsigned. */
struct clew_frag clew_frag_pin_raw(struct clew_emitter *e, struct clew_frag frag);
/* Holds the fragment if statements with these flags are about to be written. */
struct clew_frag clew_frag_hold(struct clew_emitter *e, struct clew_frag frag, uint32_t flags);

/* ---- Places (emit_place.c) ----------------------------------------------------------------- */

struct clew_emit_term {
  const char *text;       /* position, from 0 */
  uint32_t count, stride; /* of cells */
  int64_t bits;           /* what one step adds to the bit, when the spot is linear */
};

enum clew_emit_where {
  CLEW_EMIT_FIXED,  /* state, at a constant slot */
  CLEW_EMIT_LINEAR, /* state, bit = constant + sum of terms */
  CLEW_EMIT_TABLE,  /* state, bit = loc[slot] */
  CLEW_EMIT_CELLS,  /* frame: base[cell] */
  CLEW_EMIT_CELL,   /* frame: base itself, a C scalar */
};

/* A lowered place: its indices are evaluated and checked. */
struct clew_emit_spot {
  enum clew_emit_where where;
  const struct clew_type *type;
  const char *base; /* TABLE: a slot number to add, or NULL; CELLS, CELL: the C object */
  uint32_t cell;    /* constant part: of the slot, or of the index into base */
  uint32_t bit;     /* FIXED, LINEAR: constant part */
  bool one_word;    /* LINEAR: all positions lie in the word of `bit` */
  uint32_t term_count;
  struct clew_emit_term *terms;
  bool reads; /* the text of some term reads memory */
  /* `starts` are the slots it may denote (NULL: unknown or too many) */
  uint32_t start_count;
  const uint32_t *starts;
};

static inline bool clew_emit_in_state(const struct clew_emit_spot *spot) {
  return spot->where <= CLEW_EMIT_TABLE;
}

struct clew_emit_spot clew_emit_place(struct clew_emitter *e, const struct clew_place *place);
/* Makes the text of the spot independent of memory. */
void clew_emit_spot_pin(struct clew_emitter *e, struct clew_emit_spot *spot);
/* The part of the spot that starts `cells` further on; in a loop, + text * stride, text < count. */
struct clew_emit_spot clew_emit_spot_shift(struct clew_emitter *e,
                                           const struct clew_emit_spot *spot, uint32_t cells,
                                           const struct clew_type *type);
struct clew_emit_spot clew_emit_spot_step(struct clew_emitter *e, const struct clew_emit_spot *spot,
                                          uint32_t cells, const char *text, uint32_t count,
                                          uint32_t stride, const struct clew_type *type);
/* Number of the slot (state) or the address (frame): what a reference parameter takes. */
const char *clew_emit_spot_reference(struct clew_emitter *e, const struct clew_emit_spot *spot);
/* C expression for the bit number of the spot, in the state. */
const char *clew_emit_spot_bit(struct clew_emitter *e, const struct clew_emit_spot *spot);

/* Scalars. Raw: the number as stored, state only. */
struct clew_frag clew_emit_get_raw(struct clew_emitter *e, const struct clew_emit_spot *spot);
void clew_emit_set_raw(struct clew_emitter *e, const struct clew_emit_spot *spot,
                       struct clew_frag raw);
struct clew_frag clew_emit_get(struct clew_emitter *e, const struct clew_emit_spot *spot,
                               bool may_be_undefined);
/* The value that a raw number stands for. */
struct clew_frag clew_emit_value(struct clew_emitter *e, struct clew_frag raw,
                                 const struct clew_type *scalar, bool may_be_undefined);
void clew_emit_set(struct clew_emitter *e, const struct clew_emit_spot *spot,
                   struct clew_frag value, bool may_be_undefined);

/* What is added to a stored number to make it a value, and how wide it is. */
int64_t clew_emit_bias(const struct clew_type *scalar);
uint32_t clew_emit_width(const struct clew_type *scalar);
/* The C name of the frame variable that holds the cell; marks it as used. */
const char *clew_emit_cell(struct clew_emitter *e, uint32_t cell);

/* ---- Blocks and bags (emit_block.c, emit_bag.c) --------------------------------------------- */

void clew_emit_copy(struct clew_emitter *e, struct clew_emit_spot *to, struct clew_emit_spot *from);
struct clew_frag clew_emit_equal(struct clew_emitter *e, struct clew_emit_spot *a,
                                 struct clew_emit_spot *b);
/* CLEAR, or with `undefine` UNDEFINE. */
void clew_emit_reset(struct clew_emitter *e, struct clew_emit_spot *spot, bool undefine);
void clew_emit_bag_add(struct clew_emitter *e, struct clew_emit_spot *bag,
                       struct clew_emit_spot *element, uint32_t site);
void clew_emit_bag_remove(struct clew_emitter *e, struct clew_emit_spot *bag,
                          struct clew_frag position, bool checked, uint32_t site);

/* Functions q<n> that sort bags, and the calls of them after a body that may have written the bags
 * of the set: states `p` (new) and `s` (old) are in scope. */
void clew_emit_sorters(struct clew_emitter *e);
void clew_emit_sort(struct clew_emitter *e, const uint64_t *bags);

/* ---- Code ----------------------------------------------------------------------------------- */

struct clew_frag clew_emit_expr(struct clew_emitter *e, const struct clew_expr *expr);
/* An operand of ASSIGN, RETURN or a call: may be CLEW_UNDEFINED (see may_be_undefined). */
struct clew_frag clew_emit_call(struct clew_emitter *e, const struct clew_call *call);
bool clew_emit_may_be_undefined(const struct clew_expr *expr);
void clew_emit_list(struct clew_emitter *e, const struct clew_stmt *list);
/* A counting loop up to the head of its body, which clew_emit_close and what it returns end. */
const char *clew_emit_loop(struct clew_emitter *e, uint32_t cell, const struct clew_expr *from,
                           const struct clew_expr *to, int64_t step, uint64_t body_size);
void clew_emit_fail(struct clew_emitter *e, uint32_t site);
/* At the head of a loop or function: a look at the stop flag, if it polls. */
void clew_emit_poll(struct clew_emitter *e, bool polls);

/* ---- Functions, rules, labels, entries ------------------------------------------------------ */

/* One C function: between begin and end its code is collected, so that its declarations, known
 * only then, can come first. */
struct clew_emit_scope {
  struct clew_text *out;
  struct clew_text code;
};
/* The frame is that of the function or family, whose parameters are C parameters, or of neither. */
void clew_emit_begin(struct clew_emitter *e, struct clew_emit_scope *scope,
                     const struct clew_frame *frame, const struct clew_function *function,
                     const struct clew_family *family);
/* Writes "<head> {", declarations, the code, "out:" and the tail. */
void clew_emit_end(struct clew_emitter *e, struct clew_emit_scope *scope, const char *head,
                   const char *tail);
/* The parameter of the family that this cell of its frame is; parameter_count when it is none. */
uint32_t clew_emit_parameter_of(const struct clew_family *family, uint32_t cell);

void clew_emit_functions(struct clew_emitter *e);
bool clew_emit_canon(struct clew_emitter *e); /* `canonicalise`; false: not emitted */
/* l<n>, as far as the part needs them, and `assume` of all assumptions. */
void clew_emit_labels(struct clew_emitter *e);
void clew_emit_queries(struct clew_emitter *e); /* the entries `label` and `check` */
void clew_emit_next(struct clew_emitter *e);    /* the entries `next` and `fire` */
void clew_emit_fire(struct clew_emitter *e);    /* the entry `fire` of a part of its own */

/* How the instances of a family are emitted. */
enum clew_emit_tier {
  CLEW_EMIT_LOOP,   /* loops over the parameters */
  CLEW_EMIT_GUARDS, /* guards once for each instance, with literal parameters */
  CLEW_EMIT_ALL,    /* bodies too */
};

/* ", int64_t f0, int64_t f1": the parameters of a family; and ", f0, f1". */
const char *clew_emit_parameters(struct clew_emitter *e, const struct clew_family *family);
const char *clew_emit_arguments(struct clew_emitter *e, const struct clew_family *family);
/* Declares the parameters, which are digits of the instance `n`: a variable that is used up. */
void clew_emit_split_instance(struct clew_emitter *e, const struct clew_family *family);

static inline uint32_t clew_emit_domain_size(const struct clew_domain *domain) {
  uint64_t size = (uint64_t)domain->hi - (uint64_t)domain->lo + 1;
  assert(size <= CLEW_MAX_EDGES);
  return (uint32_t)size;
}

/* The first conjunct of a guard when it is "place = constant". */
struct clew_emit_test {
  const struct clew_expr *load;
  int64_t value;
};
/* Whether the guard starts like that, with a place that depends on parameters only. */
bool clew_emit_guard_test(const struct clew_family *family, const struct clew_rule *rule,
                          struct clew_emit_test *test);
bool clew_emit_same_place(const struct clew_place *a, const struct clew_place *b);

/* emit_hoist.c: a function `name` of the first `bound` parameters that is false only if no instance
 * of these rules with these parameters is enabled or fails. False when it would not be worth it. */
bool clew_emit_hoist(struct clew_emitter *e, const struct clew_family *family, const char *name,
                     const uint32_t *rules, uint32_t rule_count, uint32_t bound);

/* Whether the guard cannot fail and has no effects, so that it needs no g<n>. Then this opens as
 * many blocks as it returns, in which it holds. */
bool clew_emit_guard_is_plain(struct clew_emitter *e, const struct clew_rule *rule);
/* Whether it is plain and never holds: front ends make such rules, with constants of the model. */
bool clew_emit_rule_is_dead(struct clew_emitter *e, const struct clew_rule *rule);
uint32_t clew_emit_guard_open(struct clew_emitter *e, const struct clew_family *family,
                              const struct clew_rule *rule, bool tested);
/* The function g<n>, for other guards. */
void clew_emit_guard(struct clew_emitter *e, const struct clew_family *family,
                     const struct clew_rule *rule, bool tested);
/* The functions of one rule; `tested`: the first conjunct of its guard is tested by a switch. */
void clew_emit_rule(struct clew_emitter *e, const struct clew_family *family,
                    const struct clew_rule *rule, enum clew_emit_tier tier, bool tested);
/* Whether the body may be inlined into each instance. */
bool clew_emit_body_inlines(const struct clew_emitter *e, const struct clew_family *family,
                            const struct clew_rule *rule);
#endif
