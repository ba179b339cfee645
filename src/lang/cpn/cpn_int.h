/* Private to lang/cpn: coloured nets of CPN Tools.
 *
 *   read.c     the file: declarations, pages, places, transitions, arcs
 *   colour.c   colour sets; colour_lib.c what ML can ask of them
 *   flat.c     page instances, ports and fusion sets: one flat net
 *   inscribe.c inscriptions of the flat net: parsed, typed
 *   plan.c     in which order the variables of a transition get values
 *   bind.c     bindings: what they take and give, each evaluated once
 *   bag.c      multisets of tokens, numbered for each place
 *   kernel.c   successors by look-up, and without any table: the reference
 *   wire.c     markings for other processes
 *   endless.c  proof that markings grow without bound
 *   model.c    all of it as a model; cpn.c loads it
 *
 * A marking is one number for each place that can change: the number of its multiset. Values,
 * multisets and bindings are found while the net runs, and never forgotten; one lock guards all of
 * that. Only looking up what is known needs no lock. */
#ifndef CLEW_LANG_CPN_CPN_INT_H
#define CLEW_LANG_CPN_CPN_INT_H

#include <pthread.h>

#include "base/budget.h"
#include "base/hash.h"
#include "lang/cpn/ml.h"
#include "lang/lang.h"
#include "lang/xml.h"
#include "model/model.h"

/* ---- colour sets ---- */

enum cpn_colour_kind {
  CPN_C_UNIT,
  CPN_C_BOOL,
  CPN_C_INT,
  CPN_C_STRING,
  CPN_C_ENUM,
  CPN_C_INDEX,
  CPN_C_PRODUCT,
  CPN_C_RECORD,
  CPN_C_UNION,
  CPN_C_LIST,
  CPN_C_SUBSET,
};

struct cpn_colour {
  enum cpn_colour_kind kind;
  struct cpn_name *name;
  const struct cpn_type *type;
  const char *broken; /* why tokens cannot have it; NULL: they can */
  bool is_timed;
  bool is_bounded;    /* INT, STRING: lo..hi (of an int, of a length); LIST: of its length */
  bool is_restricted; /* not every value of the type is in it */
  int64_t lo, hi;
  char first, last;          /* STRING: its characters; both 0: any */
  uint32_t count;            /* parts */
  struct cpn_colour **parts; /* PRODUCT, RECORD, UNION (NULL: without argument), LIST, SUBSET */
  const struct cpn_name **labels;    /* RECORD: in increasing order */
  const struct cpn_con **cons;       /* ENUM, INDEX (one), UNION */
  const struct cpn_value *predicate; /* SUBSET by */
  const struct cpn_value *members;   /* SUBSET with */
};

struct cpn_net;

/* Reads a declaration of a colour set. */
void cpn_read_colour(struct cpn_net *net, const struct clew_xml *element);
void cpn_add_colour_functions(struct cpn_net *net, struct cpn_colour *colour);
/* Whether the value, of the right type, is in it. */
bool cpn_colour_has(struct cpn_ctx *ctx, const struct cpn_colour *colour,
                    const struct cpn_value *value);
/* Whether all values can be listed. */
bool cpn_colour_is_small(const struct cpn_colour *colour);
/* All values, as a list in their order; NULL: ctx->failure says why not. */
const struct cpn_value *cpn_colour_all(struct cpn_ctx *ctx, const struct cpn_colour *colour);

/* ---- the file ---- */

struct cpn_place_node {
  const char *id, *name, *fusion; /* fusion set, or NULL */
  struct cpn_text type, initial;
  bool is_port;
  uint32_t offset; /* in the file */
};

struct cpn_arc_node {
  const char *place, *transition; /* ids */
  bool takes, gives;
  struct cpn_text text;
  uint32_t offset;
  uint32_t next; /* arc of the same transition, + 1; see cpn_id */
};

struct cpn_port {
  const char *port, *socket;
};

struct cpn_transition_node {
  const char *id, *name;
  const char *subpage; /* NULL: it is none of substitution */
  struct cpn_port *ports;
  uint32_t port_count;
  struct cpn_text guard;
  const char *refused; /* why the net cannot be run: time, code, … */
  struct cpn_text refused_text;
  uint32_t offset;
  struct clew_position position; /* in the file */
  /* Once it is inscribed: */
  bool is_inscribed;
  struct cpn_inscription *inscription;
};

/* An id of the file: what has it, + 1. Nodes of all pages share the ids. */
struct cpn_id {
  struct clew_name base;
  uint32_t page;              /* it is one */
  uint32_t place_page, place; /* it is a place of that page */
  uint32_t transition_page;   /* it is a transition of that page */
  uint32_t first_arc;         /* of the transition: in the arcs of its page, linked by `next` */
  uint32_t fused;             /* as the name of a fusion set: its place */
};

struct cpn_page {
  const char *id, *name;
  CLEW_VEC(struct cpn_place_node) places;
  CLEW_VEC(struct cpn_transition_node) transitions;
  CLEW_VEC(struct cpn_arc_node) arcs;
  uint32_t instances;
  bool is_open, is_included; /* while instances are made; by a transition */
};

struct cpn_variable {
  struct cpn_name *name;
  const struct cpn_colour *colour;
};

/* ---- inscriptions ---- */

/* An arc's expression, shared by all instances of its page. */
struct cpn_arc {
  struct cpn_expr *expr;
  const struct cpn_text *text;
  uint32_t node; /* index of the place in the page */
  bool takes, gives;
  bool is_token; /* of one token; else of a multiset */
};

/* Part of a plan. */
enum cpn_step_kind {
  CPN_MATCH, /* for each token of a place: match the pattern */
  CPN_BIND,  /* match the pattern with the value of an expression */
  CPN_TEST,  /* a part of the guard: go on if it is true */
  CPN_RANGE, /* for each colour of a variable */
};

struct cpn_step {
  enum cpn_step_kind kind;
  uint32_t arc; /* MATCH: whose place */
  const struct cpn_expr *pattern, *expr;
  uint32_t variable;              /* RANGE: which one of the net */
  const struct cpn_value *values; /* RANGE: interned list */
};

/* What is written at a transition of a page. */
struct cpn_inscription {
  struct cpn_arc *arcs;
  uint32_t arc_count;
  struct cpn_expr **guards; /* all must be true */
  uint32_t guard_count;
  uint32_t *variables; /* of the net, by their names */
  uint32_t variable_count;
  struct cpn_step *steps;
  uint32_t step_count;
};

/* ---- the flat net ---- */

struct cpn_place {
  const char *name;       /* as it is shown */
  const char *short_name; /* without the page */
  const struct cpn_page *page;
  const char *fusion; /* set, or NULL */
  uint32_t instance;  /* of the page, from 1 */
  const struct cpn_colour *colour;
  const struct cpn_text *initial;
  uint32_t offset;
  bool is_constant;  /* no transition changes it */
  uint32_t slot;     /* CLEW_NONE: it is constant */
  uint32_t slot_end; /* behind its last one */
  uint32_t start;    /* number of the initial multiset */
};

/* A multiset of tokens: in increasing order of their ids. */
struct cpn_tokens_of {
  const struct cpn_value *token;
  uint64_t count;
};

struct cpn_bag {
  uint32_t count; /* different tokens */
  uint64_t hash;  /* the same in every process */
  struct cpn_tokens_of tokens[];
};

/* Numbers that belong to multisets of a place, 0 at first. Nothing moves, so anybody may read while
 * one thread writes: part k has those of the next 64 * 2^k multisets. */
struct cpn_row {
  _Atomic(_Atomic(uint32_t) *) parts[27];
};

/* The multisets that a place has had. */
struct cpn_bags {
  CLEW_VEC(const struct cpn_bag *) list; /* 0 is the empty one */
  uint32_t *table;                       /* number + 1 */
  uint32_t capacity;
  struct cpn_row hashes; /* some bits of them */
};

/* What another process and this one know of each other's numbers. */
struct cpn_peer {
  struct cpn_row *heard;     /* by slot, for its numbers: the number here, + 1 */
  struct cpn_row *told;      /* by slot, for numbers here: the last message that said what it is */
  uint32_t message, settled; /* the present one; those before have arrived */
};

/* What an arc moves. */
struct cpn_move {
  uint32_t place; /* of the net */
  const struct cpn_value *token;
  uint64_t count;
};

enum cpn_binding_state {
  CPN_B_OFF,    /* the guard is false */
  CPN_B_INPUTS, /* what it gives is not known yet */
  CPN_B_READY,
  CPN_B_FAULTY, /* `site`: the guard or an input fails; or, with takes_known, an output */
};

struct cpn_binding {
  uint64_t hash;
  uint32_t transition;
  enum cpn_binding_state state;
  bool takes_known;
  bool is_deed; /* while a net is unfolded: it is one of those that were found */
  uint32_t site;
  const char *why; /* FAULTY: what happened */
  struct cpn_move *takes, *gives;
  uint32_t take_count, give_count;
  const struct cpn_value *values[]; /* of the variables of the inscription */
};

/* Successors of a transition in markings that agree on its places. */
struct cpn_entry {
  uint64_t hash;
  uint32_t count;
  bool is_kept;      /* in the table */
  uint32_t *key;     /* numbers of multisets, by touched place */
  uint32_t *numbers; /* count times as many: those after */
  uint32_t *sites;   /* CLEW_NONE, or where it fails */
  const struct cpn_binding **bindings;
};

struct cpn_table {
  uint32_t capacity;
  struct cpn_table *older; /* others may still be reading it */
  _Atomic(struct cpn_entry *) slots[];
};

struct cpn_transition {
  const char *name;
  const struct cpn_page *page;
  struct cpn_transition_node *node;
  const struct cpn_instance *instance; /* of the page */
  const struct cpn_inscription *inscription;
  uint32_t offset;
  uint32_t *arc_places; /* by arc of the inscription: the place of the flat net */
  uint32_t *touched;    /* places that change, each once; those of keys */
  uint32_t touched_count;
  _Atomic(struct cpn_table *) table;
  uint32_t entry_count;
  uint32_t first_site;
};

/* Sites of a transition. */
enum { CPN_SITE_EXCEPTION, CPN_SITE_RANGE, CPN_SITE_DEEP, CPN_SITE_HUGE, CPN_SITES };

struct cpn_label {
  struct cpn_expr *expr;
  bool is_negated;
  uint32_t *places; /* that it asks for */
  uint32_t place_count;
  _Atomic(struct cpn_table *) table;
  uint32_t entry_count;
};

struct cpn_mark { /* a place of a page, for questions */
  const struct cpn_page *page;
  uint32_t node;
};

struct cpn_net {
  struct cpn_ml ml;
  struct clew_arena *arena;
  const struct clew_load_request *request;
  struct clew_diag_sink *diags;
  bool failed;
  struct clew_name_table ids; /* struct cpn_id */
  uint32_t seen_offset;       /* while reading: where seen_position is */
  struct clew_position seen_position;
  CLEW_VEC(struct cpn_page) pages;
  CLEW_VEC(struct cpn_variable) variables;
  CLEW_VEC(const struct cpn_type *) variable_types;
  CLEW_VEC(const char *) roots; /* ids of pages */
  CLEW_VEC(struct cpn_colour *) colours;
  CLEW_VEC(struct cpn_place) places;
  CLEW_VEC(struct cpn_transition) transitions;
  CLEW_VEC(struct cpn_mark) marks;
  struct cpn_instance *instances;
  /* The model */
  struct clew_model model, reference;
  pthread_mutex_t lock;
  struct cpn_pool pool;
  struct cpn_bags *bags; /* by place */
  struct clew_arena *bag_arena, *binding_arena, *scratch;
  struct cpn_binding **binding_table;
  uint32_t binding_capacity, binding_count;
  struct clew_slot *slots;
  struct cpn_bits *fields; /* by slot */
  struct cpn_domain *domains;
  uint32_t slot_count;
  struct clew_hash128 text_sum;  /* of all that the net was read from */
  uint32_t fits;                 /* how often a layout was chosen */
  uint32_t first_states;         /* so many markings were looked at before any search */
  bool is_small;                 /* these are all */
  struct cpn_unfolded *unfolded; /* NULL: states have numbers of multisets */
  uint32_t *slot_places;
  struct clew_site *sites;
  struct clew_rule_fact *rules;
  struct cpn_label *label_codes;
  struct clew_label *labels;
  struct clew_property *properties;
  uint64_t *initial;
  uint64_t entry_bytes, row_bytes;
  struct cpn_peer *peers; /* by rank */
  uint32_t peer_count;
  struct clew_text endless_text;
  uint32_t most_ticks; /* of each evaluation; 0: as many as it takes */
  /* Memory of all tables, of which the budget has given so much. */
  struct clew_budget *budget; /* NULL: nobody counts */
  uint64_t taken_bytes;
  bool is_full; /* the budget has refused: nothing new is learned */
};

struct cpn_instance {
  struct cpn_page *page;
  uint32_t number;  /* of the page's instances, from 1 */
  uint32_t *places; /* of the flat net, by node */
  struct cpn_instance *next;
};

/* Where in a state the number of a multiset is. */
struct cpn_bits {
  uint32_t word, shift;
  uint64_t mask; /* not shifted */
};

struct cpn_domain {
  struct clew_domain base;
  const struct cpn_net *net;
  uint32_t place;
  uint32_t first_cell, end_cell, shift; /* of an unfolded net: of the slot in its word */
};

/* ---- an unfolded net (unfold.c) ---- */

/* How many tokens of a colour are in a place. */
struct cpn_cell {
  uint32_t place;
  const struct cpn_value *token;
  uint32_t word, shift, width;
  uint64_t mask; /* not shifted */
};

struct cpn_test { /* all these bits are set */
  uint32_t word;
  uint64_t mask;
};
struct cpn_need { /* the count is at least so large */
  uint32_t word, shift;
  uint64_t mask, least;
};
struct cpn_add {
  uint32_t word;
  uint64_t delta;
};

/* A binding; its lists end where those of the next one begin. */
struct cpn_deed {
  const struct cpn_binding *binding;
  uint32_t tests, needs, adds;
  uint32_t site; /* CLEW_NONE, or where it fails */
};

struct cpn_unfolded {
  struct cpn_cell *cells; /* by place, then by value */
  uint32_t *first_cell;   /* by place, and one more */
  uint32_t cell_count;
  struct cpn_deed *deeds; /* by transition, then by values of variables; and one more */
  uint32_t *first_deed;
  uint32_t deed_count;
  CLEW_VEC(struct cpn_test) tests;
  CLEW_VEC(struct cpn_need) needs;
  CLEW_VEC(struct cpn_add) adds;
};

void cpn_net_fail(struct cpn_net *net, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text inside an element, named for messages: "file: page 'Top', guard of 'Send'". */
struct cpn_text cpn_text_of(struct cpn_net *net, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct cpn_id *cpn_id(struct cpn_net *net, const char *id);
/* The index of a place of the page; CLEW_NONE: it has none of this id. */
uint32_t cpn_find_node(struct cpn_net *net, const struct cpn_page *page, const char *id);
bool cpn_read(struct cpn_net *net, const struct clew_xml *root);
bool cpn_flatten(struct cpn_net *net);
/* Replaces initial markings by those of the command line. */
void cpn_override_places(struct cpn_net *net);
const struct cpn_type *cpn_find_mark(void *net, const char *name, uint32_t *number);
/* The place of the flat net, or CLEW_NONE. */
uint32_t cpn_mark_place(const struct cpn_net *net, uint32_t mark, int64_t instance);

/* Parses and checks what is at a transition; NULL and a message. */
struct cpn_inscription *cpn_inscribe(struct cpn_net *net, struct cpn_page *page,
                                     struct cpn_transition_node *node);
/* The expression of a text, as a token of the colour or, failing that, a multiset. */
struct cpn_expr *cpn_read_marking(struct cpn_net *net, const struct cpn_text *text,
                                  const struct cpn_colour *colour, bool sees_variables,
                                  bool *is_token);
bool cpn_plan(struct cpn_net *net, struct cpn_inscription *inscription, const char *page,
              const char *transition);
/* Calls `visit` for the variables of an expression. */
void cpn_each_variable(const struct cpn_expr *expr, void visit(void *context, uint32_t variable),
                       void *context);

/* ---- running: with the lock held ---- */

uint32_t cpn_bag_intern(struct cpn_net *net, uint32_t place, struct cpn_tokens_of *tokens,
                        uint32_t count);
uint32_t cpn_bag_of_list(struct cpn_net *net, uint32_t place, const struct cpn_value *list);
static inline const struct cpn_bag *cpn_bag(const struct cpn_net *net, uint32_t place,
                                            uint32_t number) {
  return net->bags[place].list.data[number];
}
uint64_t cpn_bag_count(const struct cpn_bag *bag, const struct cpn_value *token);
void cpn_bag_print(const struct cpn_bag *bag, struct clew_text *out);
/* The number of the multiset after some moves; false if it does not have what is taken. */
bool cpn_bag_move(struct cpn_net *net, uint32_t place, uint32_t number,
                  const struct cpn_binding *binding, uint32_t *after);

/* An evaluation in the scratch arena, by variables of the net. */
struct cpn_eval {
  struct cpn_ctx ctx;
  const struct cpn_value **variables;
  const struct cpn_value *few[32];
};
void cpn_eval_open(struct cpn_net *net, struct cpn_eval *eval, const atomic_bool *stop);
void cpn_eval_close(struct cpn_eval *eval);
/* Forgets what was made in the scratch arena, once it is much. */
void cpn_scratch_tidy(struct cpn_net *net);

/* Calls `visit` for each binding that the tokens of these multisets (numbers by place of the net)
 * and the plan permit; values are interned. False: the flag was raised. */
typedef bool cpn_visit(void *context, const struct cpn_value *const *variables);
bool cpn_each_binding(struct cpn_net *net, const struct cpn_transition *transition,
                      const uint32_t *numbers, const atomic_bool *stop, cpn_visit *visit,
                      void *context);
/* What a binding does, known or evaluated now (and not kept, if `arena` is given). NULL: the flag
 * was raised. */
struct cpn_binding *cpn_binding(struct cpn_net *net, uint32_t transition,
                                const struct cpn_value *const *variables, const atomic_bool *stop,
                                struct clew_arena *arena);
bool cpn_binding_gives(struct cpn_net *net, struct cpn_binding *binding, const atomic_bool *stop,
                       struct clew_arena *arena);
int cpn_binding_compare(const struct cpn_net *net, const struct cpn_binding *a,
                        const struct cpn_binding *b);
void cpn_binding_print(const struct cpn_net *net, const struct cpn_binding *binding,
                       struct clew_text *out);

/* All successors of a transition in a marking; NULL: the flag was raised. With the lock held; what
 * is not kept is to be freed. `uses_tables` false: everything is evaluated afresh. */
struct cpn_entry *cpn_compute(struct cpn_net *net, uint32_t transition, const uint32_t *numbers,
                              const atomic_bool *stop, bool uses_tables);
void cpn_entry_free(struct cpn_entry *entry);

/* Sorts them by their values. */
void cpn_sort_bindings(const struct cpn_net *net, struct cpn_binding **list, uint32_t count);
/* Forgets all multisets of the place but the first ones. */
void cpn_bags_forget(struct cpn_net *net, uint32_t place, uint32_t keep);

/* ---- counts by colour ---- */

/* Makes slots of counts, if the net permits; else nothing changes. */
bool cpn_unfold(struct cpn_net *net);
void cpn_unfolded_free(struct cpn_unfolded *unfolded);
void cpn_ready_deeds(struct cpn_net *net, struct cpn_unfolded *u);
/* The cell of a token, or CLEW_NONE. */
uint32_t cpn_find_cell(const struct cpn_unfolded *u, uint32_t place, const struct cpn_value *token);
void cpn_counts_next(const struct clew_model *model, const uint64_t *state,
                     struct clew_succs *succs);
bool cpn_counts_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                     uint64_t *out, uint32_t *site);
/* NULL: there is no such edge. */
const struct cpn_binding *cpn_counts_binding(const struct cpn_net *net, const uint64_t *state,
                                             uint32_t edge);
/* The number of the multiset that a place has. With the lock held. */
uint32_t cpn_counts_number(struct cpn_net *net, uint32_t place, const uint64_t *state);
/* The other way round; false: it has no such state. */
bool cpn_counts_set(const struct cpn_net *net, uint32_t place, uint32_t number, uint64_t *state);
const struct cpn_value *cpn_counts_list(const struct cpn_net *net, uint32_t place,
                                        const uint64_t *state, struct clew_arena *arena);

/* ---- layout ---- */

/* Slots of all places that change. Everything fits into them. */
void cpn_add_slots(struct cpn_net *net);
/* Slots of as few bits as seem to be enough, by what was met so far (clew_model.fit). */
void cpn_fit(struct clew_model *model, const uint32_t *widths);
/* The initial marking as a state. */
void cpn_pack_initial(struct cpn_net *net);

static inline uint32_t cpn_get(const struct cpn_net *net, const uint64_t *state, uint32_t slot) {
  const struct cpn_bits *field = &net->fields[slot];
  return (uint32_t)(state[field->word] >> field->shift & field->mask);
}

/* Of a net that is not unfolded. False: it does not fit. */
static inline bool cpn_set(const struct cpn_net *net, uint64_t *state, uint32_t slot,
                           uint32_t number) {
  const struct cpn_bits *field = &net->fields[slot];
  uint64_t *word = &state[field->word];
  *word = (*word & ~(field->mask << field->shift)) | (uint64_t)number << field->shift;
  return number <= field->mask;
}

/* ---- other processes ---- */

extern const struct clew_dialect cpn_dialect;
void cpn_forget_peers(struct cpn_net *net);

static inline uint32_t cpn_row_part(uint32_t number, uint32_t *at) {
  uint32_t part = 31 - (uint32_t)__builtin_clz(number / 64 + 1);
  *at = number - ((UINT32_C(1) << part) - 1) * 64;
  return part;
}
static inline uint32_t cpn_row_get(const struct cpn_row *row, uint32_t number) {
  uint32_t at, part = cpn_row_part(number, &at);
  _Atomic(uint32_t) *values = atomic_load_explicit(&row->parts[part], memory_order_acquire);
  return values == NULL ? 0 : atomic_load_explicit(&values[at], memory_order_relaxed);
}
/* By one thread at a time. The bytes that were allocated. */
size_t cpn_row_set(struct cpn_row *row, uint32_t number, uint32_t value);
void cpn_row_free(struct cpn_row *row);

/* ---- kernel ---- */

/* Takes memory for what is new; false: the budget refuses. With the lock held. */
bool cpn_account(struct cpn_net *net);

/* Of the multisets of all places. Without the lock. */
void cpn_numbers(struct cpn_net *net, const uint64_t *state, uint32_t *numbers);
void cpn_next(const struct clew_model *model, const uint64_t *state, struct clew_succs *succs);
bool cpn_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge, uint64_t *out,
              uint32_t *site);
void cpn_plain_next(const struct clew_model *model, const uint64_t *state,
                    struct clew_succs *succs);
bool cpn_plain_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                    uint64_t *out, uint32_t *site);
bool cpn_truth(const struct clew_model *model, uint32_t label, const uint64_t *state,
               uint32_t *site);
void cpn_spend(const struct clew_model *model, struct clew_budget *budget);
void cpn_print_values(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      struct clew_text *out);
void cpn_explain(const struct clew_model *model, const struct clew_occasion *occasion,
                 struct clew_text *out);
void cpn_free_tables(struct cpn_net *net);
/* Looks for a proof that there are infinitely many markings. */
void cpn_find_growth(struct cpn_net *net);

struct clew_model *cpn_open(struct cpn_net *net);
/* Unfolds the net of a model; false: it stays as it is. */
bool cpn_count_colours(struct cpn_net *net);
void cpn_net_close(struct cpn_net *net);

static inline struct cpn_net *cpn_of(const struct clew_model *model) {
  return model->impl;
}

#endif
