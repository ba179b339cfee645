/* Private to the interpreter: the context of one execution and access to cells.
 *
 * A place is evaluated to a *spot*: where its first cell is, a slot of the state or an address in
 * some frame. Values of cells are what the model means by them; only the state stores them packed
 * (see struct clew_slot). A reference parameter is the spot of its argument. */
#ifndef CLEW_IR_INTERP_INT_H
#define CLEW_IR_INTERP_INT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "ir/interp.h"
#include "ir/ir.h"

/* `pending` of an execution in which an assumption was false. */
#define CLEW_INTERP_DISCARD (CLEW_NONE - 1)

enum {
  /* Of all frames of one execution. A call that would need more is a recursion fault, so that a
   * model with large local arrays cannot take all memory. Native code is made only of programs that
   * reach the other limit first (CLEW_EMIT_MAX_STACK). */
  CLEW_INTERP_FRAME_BYTES = CLEW_MAX_FRAME_MB << 20,
};

struct clew_spot {
  int64_t *cells; /* NULL: in the state */
  uint32_t slot;
};

struct clew_stack;

/* What reading a slot takes, and nothing else. */
struct clew_slot_view {
  uint64_t mask; /* 0: the slot has one value and no bits */
  int64_t lo;    /* the value of raw 0, or of raw 1 if the slot is undefinable */
  uint32_t word;
  uint8_t shift;
  bool undefinable;
};

enum {
  CLEW_INTERP_MEMOS = 8,
  CLEW_INTERP_MEMO_SIZE = 32, /* expressions of at least so many nodes are remembered */
};

/* The value of a pure expression in the state whose guards are evaluated. */
struct clew_memo {
  const struct clew_expr *expr; /* NULL: none */
  int64_t value;
};

struct clew_explainer;

struct clew_interp {
  const struct clew_program *program;
  const struct clew_slot *slots;      /* of the program */
  const struct clew_slot_view *views; /* of the same slots */
  uint64_t *state;                    /* not written while a guard or a label is evaluated */
  uint64_t *covered;                  /* NULL: nobody wants to know */
  struct clew_stack *stack;
  const atomic_bool *stop;
  struct clew_explainer *explainer; /* told about the first fault; NULL: nobody listens */
  uint32_t pending;                 /* the first fault's site, CLEW_INTERP_DISCARD or CLEW_NONE */
  uint32_t depth;                   /* calls that are active */
  uintptr_t stack_end;
  bool dirty;    /* the frame of a rule may hold more than its parameters */
  bool in_guard; /* `state` is the one that the memos are about */
  /* of the rule, label or function being executed */
  int64_t *cells;
  const struct clew_spot *refs;
  int64_t result;                            /* of the last RETURN */
  struct clew_memo memos[CLEW_INTERP_MEMOS]; /* by the number of the expression */
};

/* ---- interp_plan.c: which guards need not be evaluated --------------------------------------- */

/* The bits `mask` of a word of the state are `value`. */
struct clew_word_test {
  uint64_t mask, value;
  uint32_t word;
};

/* A rule is not enabled unless all of its tests are true. */
struct clew_rule_plan {
  struct clew_word_test first; /* without a test: of no bits */
  const struct clew_word_test *more;
  uint32_t more_count;
  bool exact; /* and it is if they are: the guard need not be evaluated */
};

/* The rules that may be enabled, in order, by the value v of some bits of the state (of none when
 * no choice is better): lists[starts[v]] .. lists[starts[v + 1] - 1]. */
struct clew_family_plan {
  uint32_t word, shift;
  uint64_t mask;
  const uint32_t *starts, *lists;
  const struct clew_rule_plan *rules; /* all of them, as in the family */
  int32_t least_priority, greatest_priority;
};

/* ---- interp_stack.c: memory for frames, one stack per thread ------------------------------ */

struct clew_stack_mark {
  void *chunk;
  size_t used_bytes;
};

/* The calling thread's; lives until the thread ends or calls clew_interp_release. */
struct clew_stack *clew_stack_of_thread(void);
/* Calls that would need C stack beyond this address, which is where nested expressions go, are the
 * same fault before the stack overflows. */
uintptr_t clew_stack_c_end(const struct clew_stack *stack);
struct clew_stack_mark clew_stack_get_mark(const struct clew_stack *stack);
/* Uninitialised, 16-byte aligned, never moves. NULL when CLEW_INTERP_FRAME_BYTES would be passed.
 * Given back by returning to an earlier mark. */
void *clew_stack_push(struct clew_stack *stack, size_t bytes);
void clew_stack_pop(struct clew_stack *stack, struct clew_stack_mark mark);

/* ---- interp_place.c: blocks and bags -------------------------------------------------------- */

struct clew_spot clew_interp_locate(struct clew_interp *in, const struct clew_place *place);
void clew_interp_set(struct clew_interp *in, struct clew_spot spot, int64_t value);
bool clew_interp_equal(const struct clew_interp *in, struct clew_spot a, struct clew_spot b,
                       uint32_t cells);
void clew_interp_copy(struct clew_interp *in, struct clew_spot to, struct clew_spot from,
                      uint32_t cells);
/* CLEAR and UNDEFINE of something of this type. */
void clew_interp_clear(struct clew_interp *in, struct clew_spot spot, const struct clew_type *type);
void clew_interp_undefine(struct clew_interp *in, struct clew_spot spot,
                          const struct clew_type *type);
/* False when the bag is full. */
bool clew_interp_bag_add(struct clew_interp *in, struct clew_spot bag, const struct clew_type *type,
                         struct clew_spot element);
void clew_interp_bag_remove(struct clew_interp *in, struct clew_spot bag,
                            const struct clew_type *type, uint32_t position);
void clew_interp_sort_bags(struct clew_interp *in);

/* ---- interp.c: executing for an explanation -------------------------------------------------- */

/* An execution that is ready to evaluate the label on a frame of its own, until the stack returns
 * to the mark. */
struct clew_stack_mark clew_interp_enter_label(struct clew_interp *in,
                                               const struct clew_program *program, uint32_t label,
                                               const uint64_t *state,
                                               struct clew_explainer *explainer);
/* Executes the edge, a start (then `state` is not used) or another one. */
void clew_interp_explain_edge(const struct clew_program *program, bool is_start,
                              const uint64_t *state, uint32_t edge,
                              struct clew_explainer *explainer);

/* ---- interp_expr.c, interp_stmt.c ----------------------------------------------------------- */

int64_t clew_interp_eval(struct clew_interp *in, const struct clew_expr *expr);
/* The function's result; something valid when it has none. */
int64_t clew_interp_call(struct clew_interp *in, const struct clew_call *call);
/* Executes a list of statements; true when a RETURN left it. */
bool clew_interp_run(struct clew_interp *in, const struct clew_stmt *list);

/* ---- Small and hot -------------------------------------------------------------------------- */

/* The first fault wins; CLEW_NONE is none. */
static inline void clew_interp_fault(struct clew_interp *in, uint32_t site) {
  if (in->pending == CLEW_NONE)
    in->pending = site;
}

/* At the head of a loop or function that may take long: whether to look is known beforehand. */
static inline void clew_interp_poll(struct clew_interp *in, bool polls) {
  if (polls && atomic_load_explicit(in->stop, memory_order_relaxed))
    clew_interp_fault(in, in->program->stop_site);
}

static inline struct clew_spot clew_spot_shift(struct clew_spot spot, uint32_t cells) {
  if (spot.cells != NULL)
    spot.cells += cells;
  else
    spot.slot += cells;
  return spot;
}

static inline uint64_t clew_slot_raw(const struct clew_slot *slot, const uint64_t *state) {
  if (slot->width == 0)
    return 0;
  return (state[slot->bit / 64] >> (slot->bit % 64)) & clew_bits_mask(slot->width);
}

static inline void clew_slot_set_raw(const struct clew_slot *slot, uint64_t *state, uint64_t raw) {
  uint64_t mask = clew_bits_mask(slot->width);
  assert(raw <= mask);
  if (slot->width == 0)
    return;
  uint64_t *word = &state[slot->bit / 64];
  uint32_t shift = slot->bit % 64;
  *word = (*word & ~(mask << shift)) | raw << shift;
}

static inline int64_t clew_interp_get(const struct clew_interp *in, struct clew_spot spot) {
  if (spot.cells != NULL)
    return *spot.cells;
  assert(spot.slot < in->program->slot_count);
  const struct clew_slot_view *view = &in->views[spot.slot];
  uint64_t raw = in->state[view->word] >> view->shift & view->mask;
  if (view->undefinable && raw-- == 0)
    return CLEW_UNDEFINED;
  return (int64_t)((uint64_t)view->lo + raw);
}

#endif
