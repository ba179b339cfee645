/* Models: every front end produces one and every engine consumes one. A model is a transition
 * system over states of a fixed number of 64-bit words. All bits of a state are meaningful (unused
 * ones are zero), so equality is memcmp, and one representation serves the queue, the stores, the
 * disk and the wire.
 *
 * A model is immutable once opened and shared by threads. Which execution serves the calls (the
 * interpreter or native code) may change between two calls; the results do not. */
#ifndef CLEW_MODEL_MODEL_H
#define CLEW_MODEL_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "model/dialect.h"
#include "model/measure.h"
#include "model/property.h"
#include "model/succs.h"

#define CLEW_NONE UINT32_MAX

struct clew_budget;
struct clew_timed;
struct clew_runs;

/* A named set of consecutive integers, the values of a variable or the indices of an array. */
struct clew_domain {
  const char *name;         /* of the type, for messages; may be NULL */
  int64_t lo, hi;           /* both included, lo <= hi */
  const char *const *names; /* of lo, lo+1, …; NULL: printed as numbers */
  bool symmetric;           /* identities: some of the values may belong to scalarsets */
  /* How values are shown, where they stand for something else; NULL: by `names` or as numbers. */
  void (*print)(const struct clew_domain *domain, int64_t value, struct clew_text *out);
};

/* A variable of the model: a bit field that never straddles a word. Stored value 0 is *undefined*
 * when the slot is undefinable, else domain->lo. */
struct clew_slot {
  const char *name; /* full path in the model's own syntax: "procs[p_1].state" */
  const struct clew_domain *domain;
  uint32_t bit;   /* word * 64 + shift */
  uint32_t width; /* 0..64 bits; 0 for a domain of one value that cannot be undefined */
  bool undefinable;
  bool hidden;       /* bookkeeping that is not printed (presence of a multiset element) */
  uint32_t presence; /* slot that must be non-zero for this one to exist, or CLEW_NONE */
  uint32_t declared; /* 1 + its place in the model's `declared`; 0: it has the same name there */
};

/* Where a run-time error can happen. */
enum clew_site_kind {
  CLEW_SITE_ASSERTION, /* assert failed, error reached */
  CLEW_SITE_UNDEFINED,
  CLEW_SITE_RANGE,
  CLEW_SITE_INDEX,
  CLEW_SITE_DIVISION,
  CLEW_SITE_OVERFLOW,
  CLEW_SITE_LOOP,      /* more iterations than allowed */
  CLEW_SITE_RECURSION, /* calls nested more deeply than clew allows */
  CLEW_SITE_CAPACITY,  /* a multiset or channel is full */
  CLEW_SITE_RESULT,    /* a function ended without a result */
  CLEW_SITE_STOPPED,   /* the model's stop flag was raised meanwhile */
  CLEW_SITE_MEMORY,    /* the budget has nothing left for what the model learns */
  CLEW_SITE_LAYOUT,    /* a value does not fit into the bits that it has (clew_model.fit) */
};

struct clew_site {
  enum clew_site_kind kind;
  const char *message; /* complete, one line: "value of x is out of its range 0..3" */
  struct clew_position position;
};

/* A rule of the text, of which there are instances, the edges. */
struct clew_rule_fact {
  const char *name;
  struct clew_position position;
};

/* A boolean function of a state, which properties refer to by index. */
struct clew_label {
  const char *name;
  struct clew_position position;
};

/* Edges that touch the same slots and give way to the same others. Groups divide the edges into
 * consecutive parts. */
struct clew_group {
  uint32_t first_edge, edge_count;
  int32_t priority; /* smaller fires first: only the smallest class with an enabled edge fires */
};

/* Which slots a group touches; bit sets of CLEW_BITSET_WORDS(slot_count) words each. must_write is
 * a subset of may_write; reading the old value of a slot that an edge only writes does not count as
 * a read. */
struct clew_access {
  uint64_t *read, *may_write, *must_write;
};

/* Something in the model's text that asks to be checked and that nothing here can check. */
struct clew_unchecked {
  const char *name, *why; /* why: "LTL properties are not supported" */
  struct clew_position position;
  bool is_asked; /* also where only the questions of the command line are: it is one of them, or it
                  * bears on every answer */
  bool is_behaviour; /* that the model does not have: what is not found may be there all the same */
};

/* A constant or a variable of the text, for remarks about it; or a transition that has no partner,
 * so that there is no rule for it. */
struct clew_declared {
  const char *name;
  struct clew_position position;
  const char *what; /* "parameter", "clock", …; static; NULL: a constant or a variable */
  bool is_constant;
  bool is_used;      /* something refers to it */
  bool is_unmatched; /* a transition whose synchronisation nobody takes part in */
};

/* A way through a model, by its edges. */
struct clew_path {
  uint32_t initial; /* edge of init */
  uint32_t *edges;  /* borrowed, or owned by the holder; lowering writes to them in place */
  uint32_t edge_count;
  uint32_t
      fault_edge; /* an edge after the last state that ends in a run-time error, or CLEW_NONE */
  uint32_t site;  /* that error, or CLEW_NONE */
};

/* Something that people want explained: a label in a state (why it is true or false, or which error
 * its evaluation ends in), or a transition that ends in a run-time error. */
struct clew_occasion {
  const uint64_t *state; /* NULL: the transition is a start */
  bool is_start;         /* `edge` is one of init */
  uint32_t edge;         /* CLEW_NONE: it is about the label */
  uint32_t label;        /* CLEW_NONE: it is about the edge */
};

enum clew_exec_kind { CLEW_EXEC_INTERP, CLEW_EXEC_NATIVE, CLEW_EXEC_BOTH };

struct clew_exec_info {
  enum clew_exec_kind used;    /* what served the calls so far */
  double compile_s;            /* time spent in the C compiler; 0 when cached or not run */
  const char *notice;          /* why native code is not used although asked for, or NULL */
  bool is_deferred;            /* the compiler was not to be started, and would have been */
  const char *symmetry_notice; /* what symmetry reduction leaves out although asked for, or NULL */
};

enum clew_description { CLEW_DESCRIBE_ALL, CLEW_DESCRIBE_GRAPH };

struct clew_model {
  const char *name;        /* path as given */
  const char *language;    /* "murphi", … */
  uint32_t words;          /* per state, at least 1 */
  uint32_t bytes;          /* of them in use; those beyond, at the end of the last word, are zero */
  uint32_t state_bits;     /* actually used */
  uint32_t discrete_words; /* the first ones, whose states are equal or not; the words behind have
                            * an order (covers). All of them where there is no order */
  /* Where the order is one of numbers: the words behind are signed integers of so many bits (16 or
   * 32), and a state covers another one exactly if none of its numbers is less. 0: ask `covers`. */
  uint32_t order_bits;
  uint32_t slot_count;
  const struct clew_slot *slots;
  uint32_t edge_count;    /* edges are 0 .. edge_count-1 */
  uint32_t initial_count; /* edges of init are 0 .. initial_count-1, a numbering of their own */
  uint32_t rule_count;    /* named rules; an edge is an instance of one */
  const struct clew_rule_fact *rules; /* or NULL */
  uint32_t collection_count;
  const struct clew_collection *collections; /* model/collection.h */
  uint32_t group_count;
  uint32_t label_count;
  const struct clew_label *labels;
  uint32_t cover_count; /* bits of clew_succs.covered */
  uint32_t measure_count;
  const struct clew_measure *measures;
  uint32_t property_count;
  const struct clew_property *properties;
  uint32_t unchecked_count;
  const struct clew_unchecked *unchecked;
  uint32_t declared_count; /* may be fewer than there are */
  const struct clew_declared *declared;
  uint32_t site_count;
  const struct clew_site *sites;
  enum clew_deadlock_rule deadlock;
  /* Where a language says so (DVE): all transitions that end in a run-time error lead to one more
   * state, which is stuck. It is counted, not stored. */
  bool counts_error_state;
  /* NULL, or raised when nobody waits any longer: evaluations that take long end then, at a site of
   * kind STOPPED. May be raised by any thread or signal handler at any time. */
  const atomic_bool *stop;
  const struct clew_timed *timed; /* facts about clocks (model/timed.h), or NULL */
  const struct clew_runs *runs;   /* that stay (model/runs.h); NULL: no property is about them */
  /* Properties may need that a model forgets less than others do: then it is better to explore them
   * apart. `need` is a number, and properties of the same number are best explored together; small
   * numbers first. CLEW_NONE: it does not matter. `focus` makes a model of the same edges,
   * properties and discrete parts of states that answers those of the bit set and may forget what
   * no other one asks for; it is to be closed before this one. Both NULL: all properties need the
   * same. */
  uint32_t (*need)(const struct clew_model *model, uint32_t property);
  struct clew_model *(*focus)(const struct clew_model *model, const uint64_t *properties);
  /* Words of states get their meaning while the model runs and have it in this process only: they
   * are not to be written down. Edges mean the same everywhere, but there are too many of them to
   * try each, and a group stands for all bindings of a transition. */
  bool learns;
  bool is_portable; /* it learns, and yet words of states mean the same in every process */
  const struct clew_dialect *dialect; /* it learns: how states get to other processes; or NULL */
  const char *endless; /* why there are infinitely many states, which a search need not try to
                        * visit; NULL: that is not known */
  const char
      *reduction; /* "canonical", "fast": states stand for others (orbits); NULL: they don't */

  /* Appends the initial states; their edges number the ways to start. In pieces, if succs->most
   * says so (model/succs.h); it may begin with any edge. */
  void (*init)(const struct clew_model *model, struct clew_succs *succs);
  /* Appends all successors of `state`, and the faults of its transitions, in increasing order of
   * edges, and says in succs->stuck whether the state is a deadlock by the rule of the model.
   * `state` must not lie inside the buffer (it may move). In pieces, if succs->most says so; a
   * model whose edges make no more than CLEW_PIECE_BYTES of successors may do all at once. */
  void (*next)(const struct clew_model *model, const uint64_t *state, struct clew_succs *succs);
  /* Re-executes one edge. False when it is not enabled, is discarded or faults in `state` (then
   * *site is the error, or CLEW_NONE); `out` is then unspecified. Stores rebuild states by it, so
   * the stop flag does not end it; only that of the `reference` is stopped. */
  bool (*fire)(const struct clew_model *model, const uint64_t *state, uint32_t edge, uint64_t *out,
               uint32_t *site);
  /* Adds the cover statements that the edge reaches in `state` to the bit set, as `next` adds them
   * to succs->covered. NULL where there are none. */
  void (*cover)(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                uint64_t *covered);
  /* The value of a label. A run-time error while computing it puts its site in *site (which the
   * caller sets to CLEW_NONE before) and returns false. */
  bool (*label)(const struct clew_model *model, uint32_t label, const uint64_t *state,
                uint32_t *site);
  /* The first property in the bit set `enabled` (by property index) that is an INVARIANT and does
   * not hold in `state`, else CLEW_NONE. A run-time error while checking: that property, with
   * *site set (CLEW_NONE otherwise). */
  uint32_t (*check)(const struct clew_model *model, const uint64_t *enabled, const uint64_t *state,
                    uint32_t *site);
  void (*group)(const struct clew_model *model, uint32_t group, struct clew_group *out);
  void (*access)(const struct clew_model *model, uint32_t group, struct clew_access *access);
  /* The slots that a label depends on, added to the bit set. */
  void (*label_access)(const struct clew_model *model, uint32_t label, uint64_t *read);
  /* An order of states, or NULL: whether whatever is reachable from `b` is reachable from `a` too.
   * Both have the same discrete words. */
  bool (*covers)(const struct clew_model *model, const uint64_t *a, const uint64_t *b);

  /* The values of a measure in a state; NULL where there are no measures. */
  void (*measure)(const struct clew_model *model, uint32_t measure, const uint64_t *state,
                  struct clew_measured *out);

  /* Text for people: "Take, p: 2" and so on. */
  void (*print_edge)(const struct clew_model *model, uint32_t edge, struct clew_text *out);
  void (*print_initial)(const struct clew_model *model, uint32_t edge, struct clew_text *out);

  /* Whether the state puts a label to the test that is an implication, or an `or`, perhaps under
   * quantifiers: whether its right side had to decide. Without a state: whether the label is of
   * that form. NULL: nobody knows. */
  bool (*tests)(const struct clew_model *model, uint32_t label, const uint64_t *state);
  /* Assumptions: labels; states in which one is false do not exist. */
  uint32_t assumption_count;
  const uint32_t *assumptions;
  bool has_locations; /* assumptions are invariants of locations, a part of the language: nobody
                       * assumes anything by them */
  /* The rule that an edge is an instance of. NULL goes with `rules`. */
  uint32_t (*rule_of)(const struct clew_model *model, uint32_t edge);
  /* With which values the edge is taken in `state`: "(n=1)", to be read behind print_edge. NULL:
   * print_edge says all. */
  void (*print_values)(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                       struct clew_text *out);
  /* What the edge hands over when it is taken in `state`: "!2". NULL: nothing ever. */
  void (*print_sent)(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     struct clew_text *out);
  /* Says, on one line, with which values something came about: "items = 2, allowed 0..1". Nothing
   * where nothing is known. NULL: it never is. */
  void (*explain)(const struct clew_model *model, const struct clew_occasion *occasion,
                  struct clew_text *out);

  /* All that decides what states and edges are and what leads where, as text: where it is the same,
   * numbers of edges and words of states mean the same. With GRAPH nothing else: properties that
   * change none of it do not change the text. NULL: there is no such text. */
  void (*describe)(const struct clew_model *model, enum clew_description what,
                   struct clew_text *out);

  /* A hint that `fire` will be called often, so that code of its own is worth the compiler's time.
   * Results do not change. For any thread, any number of times. */
  void (*expect_fire)(const struct clew_model *model);
  /* Where memory for what the model learns comes from, from now on; NULL: from nowhere in
   * particular. While nobody else uses the model. May be NULL. */
  void (*spend)(const struct clew_model *model, struct clew_budget *budget);
  void (*exec_info)(const struct clew_model *model, struct clew_exec_info *info);
  /* Makes states as narrow as seems right, or wider again: words, bytes and slots change, and
   * states that were made before mean nothing any longer. A transition that leads to what does not
   * fit ends at a site of kind LAYOUT: then everything is to begin again after another call, which
   * makes room. A few calls are enough. Before the first one everything fits. `widths`, by slot, is
   * what several processes have agreed on after each of them was asked; else it is NULL. NULL: it
   * always fits. */
  void (*fit)(struct clew_model *model, const uint32_t *widths);
  /* The model that counterexamples are replayed in: served by the interpreter alone and without
   * any reduction. It may be the model itself. */
  const struct clew_model *reference;
  /* A model over a model (a reduction) says over which, and turns a path of its own, in place, into
   * one of the model below that ends in the same way; both NULL otherwise. Where that is not
   * possible the path is left as it is: confirming it will fail. */
  const struct clew_model *under;
  void (*lower)(const struct clew_model *model, struct clew_path *path);
  void (*close)(struct clew_model *model);
  void *impl;
};

/* Copies the initial state that `initial`, an edge of init, leads to; false when there is none. */
bool clew_model_start(const struct clew_model *model, uint32_t initial, uint64_t *out);
/* The line of the text from which the edge comes; 0: not known. */
uint32_t clew_model_edge_line(const struct clew_model *model, uint32_t edge);
/* The edge, and with which values it is taken in `state`: "Send(n=1)". */
void clew_model_print_step(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                           struct clew_text *out);
/* Executes `edge` in `state`; false when it cannot be executed. The model comes as a
 * context, for stores that rebuild states (store/store.h). */
bool clew_model_replay(void *model, const uint64_t *state, uint32_t edge, uint64_t *out);
/* The same for `covers`. */
bool clew_model_covers(void *model, const uint64_t *a, const uint64_t *b);

/* The successors of one state, or the initial states, that are made at once. */
enum {
  CLEW_PIECE_BYTES = 1 << 20, /* at most, but for the least number */
  CLEW_PIECE_LEAST = 16,
};
/* Memory of one successor, with what an engine keeps beside it; counted twice, because buffers grow
 * by doubling. */
uint64_t clew_piece_bytes_each(uint32_t words);
/* How many make a piece of so many bytes. */
uint32_t clew_piece_length(uint32_t words, uint64_t bytes);
/* Whether so many edges can make more than a piece of CLEW_PIECE_BYTES. */
bool clew_piece_is_exceeded(uint32_t words, uint32_t edge_count);
/* For tests: the length that the environment (CLEW_PIECE) demands of every piece; 0: none. */
uint32_t clew_piece_forced(void);

/* Buffers for a model's successors. */
void clew_succs_open(struct clew_succs *succs, uint32_t words, uint32_t cover_count);
/* One whose calls make pieces of an ordinary length: for those who look at successors and keep
 * none.
 */
void clew_succs_open_piecewise(struct clew_succs *succs, uint32_t words, uint32_t cover_count);
void clew_succs_clear(struct clew_succs *succs); /* keeps `covered`, and where to go on */
void clew_succs_close(struct clew_succs *succs);
/* Whether the successors from `first` on are all `state` itself. */
bool clew_succs_only_stutter(const struct clew_succs *succs, const uint64_t *state, uint32_t first);
/* For models: sets `stuck` at the end of a call, whose successors and faults are those from `first`
 * and `first_fault` on; `resumed` says whether it was about a further piece. */
void clew_succs_note_stuck(struct clew_succs *succs, enum clew_deadlock_rule rule,
                           const uint64_t *state, uint32_t first, uint32_t first_fault,
                           bool resumed);
/* For models: whether `state`, whose successors and faults are those from `first` and `first_fault`
 * on, is a deadlock. A fault is somewhere to go. */
static inline bool clew_succs_are_stuck(const struct clew_succs *succs,
                                        enum clew_deadlock_rule rule, const uint64_t *state,
                                        uint32_t first, uint32_t first_fault) {
  if (succs->count > first &&
      (rule == CLEW_DEADLOCK_NO_SUCCESSOR || !clew_succs_only_stutter(succs, state, first))) {
    return false;
  }
  return succs->fault_count == first_fault;
}

/* Reading and printing slots. The value of an undefined slot is CLEW_UNDEFINED. */
#define CLEW_UNDEFINED INT64_MIN
int64_t clew_slot_get(const struct clew_slot *slot, const uint64_t *state);
void clew_slot_set(const struct clew_slot *slot, uint64_t *state, int64_t value);
bool clew_slot_present(const struct clew_model *model, uint32_t slot, const uint64_t *state);
void clew_domain_print(const struct clew_domain *domain, int64_t value, struct clew_text *out);
/* "name = value" lines for the slots of `state` that are visible and present; when `previous` is
 * given, only those that differ from it (a slot that vanished is shown as "name: gone"). */
void clew_state_print(const struct clew_model *model, const uint64_t *state,
                      const uint64_t *previous, const char *indent, struct clew_text *out);

#endif
