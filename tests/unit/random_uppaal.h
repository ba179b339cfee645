/* Random networks of timed automata: a description, and its text in .xta.
 *
 *   struct ru model;
 *   random_uppaal_describe(&model, seed);
 *   random_uppaal_print(&model, &text);
 *
 * The description is what random_regions.h explores: it knows nothing of clew's parser, IR or
 * zones, so that it is a measure for them. Constants are small and so are most state spaces. Most
 * models are *closed* (no strict bound), for then integer time has to give the same answers. */
#ifndef CLEW_TESTS_RANDOM_UPPAAL_H
#define CLEW_TESTS_RANDOM_UPPAAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"

enum {
  RU_VARS = 3,
  RU_ELEMENTS = 2,
  RU_CLOCKS = 4,
  RU_CHANNELS = 4,
  RU_PROCESSES = 4,
  RU_LOCATIONS = 4,
  RU_EDGES = 7,
  RU_NODES = 1500,
  RU_UPDATES = 300,
  RU_PROCEDURES = 2,
  RU_QUERIES = 5,
  RU_TOP = 3,
};

/* ---- The description ------------------------------------------------------------------------ */

enum ru_kind {
  RU_NUM,
  RU_VAR,     /* value: its number */
  RU_ELEMENT, /* av[a] */
  RU_LOCAL,   /* w of the process; in queries of process `value` */
  RU_PARAM,   /* k */
  RU_REF,     /* r, a reference to a variable */
  RU_SELECT,  /* i */
  RU_BOUND,   /* q, of a quantifier */
  RU_ARG,     /* n, of the function */
  RU_CALL,    /* f(a) */
  RU_ADD,
  RU_MUL,
  RU_MOD,
  RU_MIN,
  RU_IF,    /* a ? b : c */
  RU_CMP,   /* a op b */
  RU_CLOCK, /* clock op a; the clock is `clock` with its index b */
  RU_DIFF,  /* the clock b less the clock `value`, both slots, op a */
  RU_AND,
  RU_OR,
  RU_IMPLY,
  RU_NOT,
  RU_FORALL,
  RU_EXISTS,
  RU_AT, /* process `value` is at location a */
  RU_DEADLOCK,
};

enum ru_op { RU_LT, RU_LE, RU_EQ, RU_GE, RU_GT, RU_NE };

/* Which clock. A slot is its number among all clocks. */
enum ru_clock { RU_CLOCK_SLOT, RU_CLOCK_ARRAY, RU_CLOCK_LOCAL, RU_CLOCK_REF };

struct ru_node {
  enum ru_kind kind;
  enum ru_op op;
  enum ru_clock clock;
  bool is_flipped; /* 3 <= x instead of x >= 3 */
  int32_t value;
  uint32_t a, b, c;
};

enum ru_update_kind {
  RU_SET_VAR,
  RU_SET_ELEMENT,
  RU_SET_LOCAL,
  RU_SET_REF,
  RU_SET_CLOCK,
  RU_ZERO, /* zero(clock) */
  RU_WHEN, /* if (value) { body } */
  RU_RUN,  /* a procedure */
  RU_RUN_LOCAL,
};

/* In a list: next 0 is the end. */
struct ru_update {
  enum ru_update_kind kind;
  enum ru_clock clock;
  uint32_t target; /* variable, clock slot, procedure, or node of an index */
  uint32_t value;  /* node */
  uint32_t body, next;
};

struct ru_channel {
  char name[4];
  bool is_array, is_broadcast, is_urgent;
  uint32_t rank;
};

enum { RU_NO_CHANNEL = -1, RU_CHANNEL_REF = -2 };

struct ru_edge {
  uint32_t from, to;
  int32_t select_hi; /* -1: nothing is selected */
  uint32_t guard;    /* node; 0: none */
  int32_t channel;
  uint32_t index; /* node */
  bool sends;
  uint32_t updates;
};

enum ru_location_kind { RU_NORMAL, RU_URGENT, RU_COMMITTED };

struct ru_template {
  bool has_k, has_w, has_ref, has_clock_ref, has_channel_ref, has_clock;
  bool is_free; /* instantiated for each k */
  uint32_t location_count, edge_count;
  enum ru_location_kind kinds[RU_LOCATIONS];
  uint32_t invariants[RU_LOCATIONS];
  uint32_t rates[RU_LOCATIONS]; /* of x0: a number, 0 or 1; node 0: it is 1 */
  struct ru_edge edges[RU_EDGES];
  uint32_t procedure; /* of updates; 0: none */
  int32_t reference_channel;
};

struct ru_process {
  char name[16];
  uint32_t template;
  int32_t k;
  uint32_t ref;             /* variable */
  uint32_t clock_ref, slot; /* of the clock that is passed, and of its own */
  uint32_t channel_element;
  uint32_t rank;
};

/* E<> and A[] look for a state that satisfies the formula, or that does not. E[], A<> and --> look
 * for a run that stays in such states for ever. */
struct ru_query {
  bool is_exists; /* E<>, E[]: what is found is what is wanted */
  bool is_run;
  uint32_t node;
  uint32_t from; /* -->: where the run begins; 0: in the initial state */
};

struct ru {
  struct clew_random random;
  uint64_t seed;
  /* What the model has. */
  bool may_be_strict, may_fault, has_priorities;
  bool has_diagonals; /* x0 and x1 are compared with each other, */
  bool is_capped;     /* and never exceed RU_TOP */
  int32_t difference; /* the greatest number with which they are compared */
  bool has_stops;     /* x0 is a stopwatch: then answers are not exact */
  bool is_open;       /* it has a strict bound */
  bool is_split;      /* it matters that a constraint is false: integer time may miss something */
  int32_t hi;         /* of all variables */
  int32_t largest;
  uint32_t var_count;
  int32_t init[RU_VARS + RU_ELEMENTS];
  uint32_t scalar_clocks, array_clocks, clock_count;
  int32_t clock_init[RU_CLOCKS];
  struct ru_channel channels[RU_CHANNELS];
  uint32_t channel_count, default_rank;
  struct ru_template templates[RU_PROCESSES];
  uint32_t template_count;
  struct ru_process processes[RU_PROCESSES];
  uint32_t process_count;
  uint32_t function;                  /* body of f */
  uint32_t procedures[RU_PROCEDURES]; /* updates */
  struct ru_query queries[RU_QUERIES];
  uint32_t query_count;
  struct ru_node nodes[RU_NODES];
  struct ru_update updates[RU_UPDATES];
  uint32_t node_count, update_count;
  /* While it is made: where the expression stands. */
  const struct ru_template *at; /* NULL: outside of templates */
  bool has_select, in_function, has_bound, in_query;
  int32_t select_hi;
};

/* ---- Making it ------------------------------------------------------------------------------ */

static inline uint32_t ru_below(struct ru *g, uint32_t n) {
  return (uint32_t)clew_random_below(&g->random, n);
}

static inline bool ru_chance(struct ru *g, uint32_t percent) {
  return ru_below(g, 100) < percent;
}

static inline int32_t ru_small(struct ru *g, uint32_t n) {
  return (int32_t)ru_below(g, n);
}

static inline uint32_t ru_add(struct ru *g, struct ru_node node) {
  /* Numbers are always there; the last ones are the same when there are too many. */
  if (g->node_count + 1 < RU_NODES) {
    g->node_count++;
  }
  g->nodes[g->node_count] = node;
  return g->node_count;
}

static inline uint32_t ru_num(struct ru *g, int32_t value) {
  return ru_add(g, (struct ru_node){.kind = RU_NUM, .value = value});
}

static inline uint32_t ru_two(struct ru *g, enum ru_kind kind, uint32_t a, uint32_t b) {
  return ru_add(g, (struct ru_node){.kind = kind, .a = a, .b = b});
}

static inline uint32_t ru_compare(struct ru *g, enum ru_op op, uint32_t a, uint32_t b) {
  return ru_add(g, (struct ru_node){.kind = RU_CMP, .op = op, .a = a, .b = b});
}

/* 0 or 1, for an index. */
static inline uint32_t ru_index(struct ru *g) {
  if (g->has_bound && ru_chance(g, 60)) {
    return ru_add(g, (struct ru_node){.kind = RU_BOUND});
  }
  if (g->has_select && ru_chance(g, 50)) {
    uint32_t i = ru_add(g, (struct ru_node){.kind = RU_SELECT});
    return g->select_hi < 2 ? i : ru_two(g, RU_MOD, i, ru_num(g, 2));
  }
  if (!g->in_query && ru_chance(g, 30)) {
    uint32_t v = ru_add(g, (struct ru_node){.kind = RU_VAR, .value = ru_small(g, g->var_count)});
    return ru_two(g, RU_MOD, v, ru_num(g, 2));
  }
  return ru_num(g, ru_small(g, 2));
}

/* A variable, or what stands for a number here. */
static inline uint32_t ru_leaf(struct ru *g) {
  uint32_t kind = ru_below(g, 12);
  if (g->in_function && kind < 6) {
    return ru_add(g, (struct ru_node){.kind = RU_ARG});
  }
  if (g->has_select && kind < 2) {
    return ru_add(g, (struct ru_node){.kind = RU_SELECT});
  }
  if (g->has_bound && kind < 4) {
    return ru_add(g, (struct ru_node){.kind = RU_BOUND});
  }
  if (g->at != NULL && g->at->has_k && kind < 5) {
    return ru_add(g, (struct ru_node){.kind = RU_PARAM});
  }
  if (g->at != NULL && g->at->has_w && kind < 7) {
    return ru_add(g, (struct ru_node){.kind = RU_LOCAL});
  }
  if (g->at != NULL && g->at->has_ref && kind < 8) {
    return ru_add(g, (struct ru_node){.kind = RU_REF});
  }
  if (kind < 9) {
    uint32_t index = ru_index(g);
    return ru_add(g, (struct ru_node){.kind = RU_ELEMENT, .a = index});
  }
  return ru_add(g, (struct ru_node){.kind = RU_VAR, .value = ru_small(g, g->var_count)});
}

/* The greatest value of a number; all are at least 0. */
static inline int32_t ru_most(const struct ru *g, uint32_t at) {
  const struct ru_node *n = &g->nodes[at];
  int32_t a, b;
  switch (n->kind) {
  case RU_NUM:
    return n->value;
  case RU_SELECT:
    return 2;
  case RU_BOUND:
    return 1;
  case RU_PARAM:
    return 2;
  case RU_ARG:
    return 3;
  case RU_ADD:
    return ru_most(g, n->a) + ru_most(g, n->b);
  case RU_MUL:
    return ru_most(g, n->a) * ru_most(g, n->b);
  case RU_MOD:
    return ru_most(g, n->b) - 1;
  case RU_CALL:
    return ru_most(g, g->function);
  case RU_MIN:
  case RU_IF:
    a = ru_most(g, n->kind == RU_IF ? n->b : n->a);
    b = ru_most(g, n->kind == RU_IF ? n->c : n->b);
    return (a > b) == (n->kind == RU_IF) ? a : b;
  default:
    return g->hi;
  }
}

/* A number up to about 4. */
static inline uint32_t ru_number(struct ru *g) {
  uint32_t kind = ru_below(g, 100);
  if (kind < 62) {
    return ru_num(g, ru_small(g, 4));
  }
  if (kind < 78) {
    return ru_leaf(g);
  }
  if (kind < 83 && g->at != NULL && g->at->has_k) {
    uint32_t k = ru_add(g, (struct ru_node){.kind = RU_PARAM});
    return ru_two(g, RU_MUL, ru_num(g, 1 + ru_small(g, 2)), k);
  }
  if (kind < 88) {
    uint32_t leaf = ru_leaf(g);
    return ru_two(g, RU_ADD, leaf, ru_num(g, 1 + ru_small(g, 2)));
  }
  if (kind < 91) {
    uint32_t leaf = ru_leaf(g);
    return ru_two(g, RU_MIN, leaf, ru_num(g, ru_small(g, 3)));
  }
  if (kind < 95 && g->function != 0 && !g->in_query) {
    uint32_t argument = ru_leaf(g);
    return ru_add(g, (struct ru_node){.kind = RU_CALL, .a = argument});
  }
  uint32_t leaf = ru_leaf(g);
  uint32_t test = ru_compare(g, RU_LE, leaf, ru_num(g, ru_small(g, 2)));
  uint32_t a = ru_num(g, ru_small(g, 4)), b = ru_num(g, ru_small(g, 4));
  return ru_add(g, (struct ru_node){.kind = RU_IF, .a = test, .b = a, .c = b});
}

/* A comparison without clocks. */
static inline uint32_t ru_plain(struct ru *g) {
  uint32_t a = ru_leaf(g), b = ru_number(g);
  static const enum ru_op ops[] = {RU_LE, RU_GE, RU_EQ, RU_NE, RU_LE, RU_LE};
  return ru_compare(g, ops[ru_below(g, 6)], a, b);
}

static inline void ru_pick_clock(struct ru *g, enum ru_clock *kind, uint32_t *index) {
  bool has_local = g->at != NULL && g->at->has_clock,
       has_ref = g->at != NULL && g->at->has_clock_ref;
  if (has_local && ru_chance(g, 50)) {
    *kind = RU_CLOCK_LOCAL;
  } else if (has_ref && ru_chance(g, 50)) {
    *kind = RU_CLOCK_REF;
  } else if (g->array_clocks > 0 && (g->scalar_clocks == 0 || ru_chance(g, 40))) {
    *kind = RU_CLOCK_ARRAY;
    *index = ru_index(g);
  } else if (g->scalar_clocks > 0) {
    *kind = RU_CLOCK_SLOT;
    *index = ru_below(g, g->scalar_clocks);
  } else if (has_local || has_ref) {
    *kind = has_local ? RU_CLOCK_LOCAL : RU_CLOCK_REF;
  } else { /* of the last process that has one: only queries name it */
    *kind = RU_CLOCK_SLOT;
    *index = g->clock_count - 1;
  }
}

static inline bool ru_has_clocks(const struct ru *g) {
  return g->in_query || g->scalar_clocks + g->array_clocks > 0 ||
         (g->at != NULL && (g->at->has_clock || g->at->has_clock_ref));
}

static inline void ru_note_bound(struct ru *g, uint32_t number) {
  int32_t most = ru_most(g, number);
  g->largest = most > g->largest ? most : g->largest;
}

/* Where no clock is in scope: a comparison of numbers. */
static inline uint32_t ru_clock_atom(struct ru *g, enum ru_op op) {
  struct ru_node node = {.kind = RU_CLOCK, .op = op};
  if (!ru_has_clocks(g)) {
    return ru_plain(g);
  }
  ru_pick_clock(g, &node.clock, &node.b);
  node.a = ru_number(g);
  node.is_flipped = ru_chance(g, 15);
  ru_note_bound(g, node.a);
  g->is_open = g->is_open || (!g->in_query && (op == RU_LT || op == RU_GT));
  return ru_add(g, node);
}

static inline uint32_t ru_difference(struct ru *g) {
  static const enum ru_op ops[] = {RU_GE, RU_LE, RU_EQ, RU_GT, RU_LT};
  int32_t first = ru_small(g, 2);
  struct ru_node node = {.kind = RU_DIFF, .b = (uint32_t)first, .value = 1 - first};
  node.op = ops[ru_below(g, g->may_be_strict ? 5 : 3)];
  g->is_open = g->is_open || (!g->in_query && (node.op == RU_LT || node.op == RU_GT));
  node.a = ru_number(g);
  int32_t most = ru_most(g, node.a);
  g->difference = most > g->difference ? most : g->difference;
  return ru_add(g, node);
}

static inline uint32_t ru_guard_atom(struct ru *g) {
  static const enum ru_op closed[] = {RU_GE, RU_GE, RU_GE, RU_LE, RU_LE, RU_EQ},
                          strict[] = {RU_GT, RU_LT};
  if (g->has_diagonals && ru_chance(g, 35)) {
    return ru_difference(g);
  }
  if (g->may_be_strict && ru_chance(g, 40)) {
    return ru_clock_atom(g, strict[ru_below(g, 2)]);
  }
  if (ru_chance(g, 5) && ru_has_clocks(g)) { /* closed, if not at first sight */
    bool was_open = g->is_open;
    uint32_t atom = ru_clock_atom(g, strict[ru_below(g, 2)]);
    g->is_open = was_open;
    return ru_two(g, RU_NOT, atom, 0);
  }
  return ru_clock_atom(g, closed[ru_below(g, 6)]);
}

static inline uint32_t ru_quantified(struct ru *g, enum ru_kind kind, bool is_invariant) {
  g->has_bound = true;
  uint32_t atom = is_invariant
                      ? ru_clock_atom(g, g->may_be_strict && ru_chance(g, 20) ? RU_LT : RU_LE)
                      : ru_guard_atom(g);
  uint32_t test = ru_chance(g, 40) ? ru_plain(g) : 0;
  g->has_bound = false;
  enum ru_kind join = kind == RU_FORALL ? RU_IMPLY : RU_AND;
  uint32_t body = test != 0 ? ru_two(g, join, test, atom) : atom;
  return ru_two(g, kind, body, 0);
}

static inline uint32_t ru_guard_part(struct ru *g, bool clocks) {
  uint32_t kind = ru_below(g, 100);
  if (!clocks || kind < 25) {
    return ru_plain(g);
  }
  if (kind < 82) {
    return ru_guard_atom(g);
  }
  if (kind < 88) { /* one side without clocks, or both with them */
    uint32_t a = ru_chance(g, 50) ? ru_plain(g) : ru_guard_atom(g), b = ru_guard_atom(g);
    return ru_two(g, RU_OR, a, b);
  }
  if (kind < 93) {
    uint32_t a = ru_plain(g), b = ru_guard_atom(g);
    return ru_two(g, RU_IMPLY, a, b);
  }
  return ru_quantified(g, ru_chance(g, 60) ? RU_FORALL : RU_EXISTS, false);
}

static inline uint32_t ru_guard(struct ru *g, bool clocks) {
  uint32_t guard = 0;
  for (uint32_t parts = 0u + ru_chance(g, 65) + ru_chance(g, 30); parts > 0; parts--) {
    uint32_t part = ru_guard_part(g, clocks);
    guard = guard == 0 ? part : ru_two(g, RU_AND, guard, part);
  }
  return guard;
}

static inline uint32_t ru_invariant(struct ru *g) {
  uint32_t kind = ru_below(g, 100);
  enum ru_op op = g->may_be_strict && ru_chance(g, 30) ? RU_LT : RU_LE;
  uint32_t first;
  if (kind < 75) {
    first = ru_clock_atom(g, op);
  } else if (kind < 85) {
    uint32_t a = ru_plain(g), b = ru_clock_atom(g, op);
    first = ru_two(g, ru_chance(g, 50) ? RU_IMPLY : RU_OR, a, b);
  } else if (kind < 93) {
    first = ru_quantified(g, RU_FORALL, true);
  } else {
    first = ru_plain(g);
  }
  return ru_chance(g, 20) ? ru_two(g, RU_AND, first, ru_clock_atom(g, RU_LE)) : first;
}

/* ---- Updates ---- */

static inline uint32_t ru_new_value(struct ru *g) {
  uint32_t kind = ru_below(g, 100), modulus;
  if (kind < 45) {
    return ru_num(g, ru_small(g, (uint32_t)g->hi + 1));
  }
  uint32_t leaf = ru_leaf(g), one = ru_num(g, 1 + ru_small(g, 2));
  uint32_t sum = ru_two(g, RU_ADD, leaf, one);
  if (g->may_fault && ru_chance(g, 40)) {
    return sum;
  }
  modulus = ru_num(g, g->hi + 1);
  return ru_two(g, RU_MOD, sum, modulus);
}

static inline uint32_t ru_put_update(struct ru *g, struct ru_update update) {
  if (g->update_count + 1 < RU_UPDATES) {
    g->update_count++;
  }
  g->updates[g->update_count] = update;
  return g->update_count;
}

static inline uint32_t ru_clock_update(struct ru *g) {
  struct ru_update u = {.kind = RU_SET_CLOCK};
  ru_pick_clock(g, &u.clock, &u.target);
  if (u.clock != RU_CLOCK_ARRAY && ru_chance(g, 10)) { /* arguments have to be known */
    u.kind = RU_ZERO;
  }
  u.value = ru_chance(g, 80) ? ru_num(g, 0) : ru_number(g);
  ru_note_bound(g, u.value);
  return ru_put_update(g, u);
}

static inline uint32_t ru_updates(struct ru *g, uint32_t count, bool calls);

static inline uint32_t ru_update(struct ru *g, bool calls) {
  uint32_t kind = ru_below(g, 100);
  struct ru_update u = {.kind = RU_SET_VAR, .target = ru_below(g, g->var_count)};
  if (ru_has_clocks(g) && kind < 50) {
    return ru_clock_update(g);
  }
  if (kind < 58) {
    u.kind = RU_SET_ELEMENT;
    u.target = ru_index(g);
  } else if (kind < 66 && g->at != NULL && g->at->has_w) {
    u.kind = RU_SET_LOCAL;
  } else if (kind < 72 && g->at != NULL && g->at->has_ref) {
    u.kind = RU_SET_REF;
  } else if (kind < 82 && calls) {
    uint32_t number = ru_below(g, RU_PROCEDURES);
    bool is_local = g->at != NULL && g->at->procedure != 0 && ru_chance(g, 50);
    if (is_local || g->procedures[number] != 0) {
      u.kind = is_local ? RU_RUN_LOCAL : RU_RUN;
      u.target = number;
      return ru_put_update(g, u);
    }
  } else if (kind < 86 && !calls) {
    u.kind = RU_WHEN;
    u.value = ru_plain(g);
    u.body = ru_updates(g, 1, false);
    return ru_put_update(g, u);
  }
  u.value = ru_new_value(g);
  return ru_put_update(g, u);
}

static inline uint32_t ru_updates(struct ru *g, uint32_t count, bool calls) {
  uint32_t first = 0;
  for (; count > 0; count--) {
    uint32_t each = ru_update(g, calls);
    if (g->update_count + 1 >= RU_UPDATES) {
      return first; /* no room: the last one may be overwritten */
    }
    g->updates[each].next = first;
    first = each;
  }
  return first;
}

/* ---- Templates ---- */

static inline bool ru_is_urgent(const struct ru *g, const struct ru_template *t, int32_t channel) {
  int32_t real = channel == RU_CHANNEL_REF ? t->reference_channel : channel;
  return real >= 0 && g->channels[real].is_urgent;
}

static inline bool ru_is_broadcast(const struct ru *g, const struct ru_template *t,
                                   int32_t channel) {
  int32_t real = channel == RU_CHANNEL_REF ? t->reference_channel : channel;
  return real >= 0 && g->channels[real].is_broadcast;
}

static inline bool ru_compares_clocks(const struct ru *g, uint32_t at) {
  const struct ru_node *n = &g->nodes[at];
  if (at == 0 || n->kind < RU_CMP) {
    return false;
  }
  if (n->kind == RU_CLOCK || n->kind == RU_DIFF) {
    return true;
  }
  if (n->kind == RU_CMP || n->kind == RU_AT || n->kind == RU_DEADLOCK) {
    return false;
  }
  return ru_compares_clocks(g, n->a) || ru_compares_clocks(g, n->b);
}

static inline void ru_choose_channel(struct ru *g, const struct ru_template *t, struct ru_edge *e) {
  e->channel = RU_NO_CHANNEL;
  if (g->channel_count > 0 && ru_chance(g, 45)) {
    bool refers = t->has_channel_ref && ru_chance(g, 40);
    e->channel = refers ? RU_CHANNEL_REF : ru_small(g, g->channel_count);
    e->sends = ru_chance(g, 45);
    if (e->channel >= 0 && g->channels[e->channel].is_array) {
      e->index = ru_index(g);
    }
  }
}

static inline void ru_edge(struct ru *g, struct ru_template *t, struct ru_edge *e) {
  uint32_t number = (uint32_t)(e - t->edges);
  *e =
      (struct ru_edge){.from = number < t->location_count ? number : ru_below(g, t->location_count),
                       .to = ru_below(g, t->location_count),
                       .select_hi = ru_chance(g, 15) ? 1 + ru_small(g, 2) : -1};
  g->has_select = e->select_hi >= 0;
  g->select_hi = e->select_hi;
  ru_choose_channel(g, t, e);
  bool urgent = ru_is_urgent(g, t, e->channel), broadcast = ru_is_broadcast(g, t, e->channel);
  bool clocks = !urgent || (broadcast && !e->sends && ru_chance(g, 50));
  e->guard = ru_guard(g, clocks);
  if (broadcast && !e->sends && ru_compares_clocks(g, e->guard)) {
    g->is_split = true;
  }
  e->updates = ru_updates(g, ru_below(g, 3) + ru_below(g, 2), true);
  g->has_select = false;
}

static inline void ru_locations(struct ru *g, struct ru_template *t) {
  uint32_t invariants = g->has_priorities ? 20 : 38;
  t->location_count = 2 + ru_below(g, RU_LOCATIONS - 1);
  for (uint32_t i = 0; i < t->location_count; i++) {
    uint32_t kind = ru_below(g, 100);
    t->kinds[i] = kind < 84 || (i == 0 && kind < 97) ? RU_NORMAL
                  : kind < 92                        ? RU_URGENT
                                                     : RU_COMMITTED;
    t->invariants[i] = ru_chance(g, invariants) ? ru_invariant(g) : 0;
    if (g->has_stops && ru_chance(g, 30)) {
      t->rates[i] = ru_chance(g, 70) ? ru_num(g, 0) : ru_index(g);
    }
  }
}

/* No clock exceeds RU_TOP, wherever the first process is. */
static inline void ru_bound_clocks(struct ru *g, struct ru_template *t) {
  for (uint32_t i = 0; i < t->location_count; i++) {
    for (uint32_t clock = 0; clock < 2; clock++) {
      struct ru_node node = {.kind = RU_CLOCK, .op = RU_LE, .clock = RU_CLOCK_SLOT, .b = clock};
      node.a = ru_num(g, RU_TOP);
      ru_note_bound(g, node.a);
      uint32_t atom = ru_add(g, node), before = t->invariants[i];
      t->invariants[i] = before == 0 ? atom : ru_two(g, RU_AND, before, atom);
    }
  }
}

static inline void ru_template(struct ru *g, struct ru_template *t) {
  g->at = t;
  if (ru_chance(g, 25)) {
    t->procedure = ru_updates(g, 1 + ru_below(g, 2), false);
  }
  ru_locations(g, t);
  if (g->is_capped && t == g->templates) {
    ru_bound_clocks(g, t);
  }
  t->edge_count = 3 + ru_below(g, RU_EDGES - 2);
  for (uint32_t i = 0; i < t->edge_count; i++) {
    ru_edge(g, t, &t->edges[i]);
  }
  g->at = NULL;
}

/* ---- The whole ---- */

static inline void ru_channels(struct ru *g) {
  static const char *const names[] = {"a", "b", "d", "e"};
  g->channel_count = ru_below(g, RU_CHANNELS + 1);
  for (uint32_t i = 0; i < g->channel_count; i++) {
    struct ru_channel *c = &g->channels[i];
    snprintf(c->name, sizeof c->name, "%s", names[i]);
    c->is_broadcast = ru_chance(g, 40);
    c->is_urgent = ru_chance(g, 20);
    c->is_array = ru_chance(g, 30);
    c->rank = g->default_rank = 1;
  }
  for (uint32_t i = 0; g->has_priorities && i < g->channel_count; i++) {
    g->channels[i].rank = ru_below(g, 3);
  }
}

static inline uint32_t ru_instances(const struct ru *g, uint32_t number) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->process_count; i++) {
    count += g->processes[i].template == number;
  }
  return count;
}

/* Parameters and variables of a template; its local clock, as far as there may be more clocks. */
static inline void ru_head(struct ru *g, uint32_t number) {
  struct ru_template *t = &g->templates[number];
  uint32_t instances = ru_instances(g, number), clocks = 0;
  for (uint32_t i = 0; i < number; i++) {
    clocks += g->templates[i].has_clock ? ru_instances(g, i) : 0;
  }
  clocks += g->scalar_clocks + g->array_clocks;
  t->has_clock = !g->has_diagonals &&
                 clocks + instances <= RU_CLOCKS - (ru_chance(g, 70) ? 1 : 0) &&
                 (clocks == 0 || ru_chance(g, 50));
  t->has_k = ru_chance(g, 50);
  t->has_w = ru_chance(g, 30);
  t->has_ref = ru_chance(g, 20);
  t->has_clock_ref = g->scalar_clocks + g->array_clocks > 0 && ru_chance(g, 30);
  t->has_channel_ref = g->channel_count > 0 && ru_chance(g, 25);
  t->reference_channel = t->has_channel_ref ? ru_small(g, g->channel_count) : RU_NO_CHANNEL;
  t->is_free = t->has_k && !t->has_ref && !t->has_clock_ref && !t->has_channel_ref &&
               instances == 2 && ru_chance(g, 70);
}

static inline void ru_arguments(struct ru *g) {
  uint32_t seen[RU_PROCESSES] = {0}, slot = g->scalar_clocks + g->array_clocks;
  for (uint32_t i = 0; i < g->process_count; i++) {
    struct ru_process *p = &g->processes[i];
    const struct ru_template *t = &g->templates[p->template];
    int32_t nth = (int32_t)seen[p->template]++;
    p->k = t->is_free ? nth : ru_small(g, 3);
    p->ref = ru_below(g, g->var_count);
    p->clock_ref = t->has_clock_ref ? ru_below(g, g->scalar_clocks + g->array_clocks) : 0;
    p->channel_element = ru_below(g, 2);
    p->slot = t->has_clock ? slot++ : 0;
    if (t->is_free) {
      snprintf(p->name, sizeof p->name, "T%u(%d)", p->template, p->k);
    } else {
      snprintf(p->name, sizeof p->name, "P%u", i);
    }
  }
  g->clock_count = slot;
}

/* Instances of a free template stand together. Process priorities go up along the system line. */
static inline void ru_processes(struct ru *g) {
  g->process_count = 2u + ru_chance(g, 35) + ru_chance(g, 12);
  uint32_t left = g->process_count, next = 0;
  for (g->template_count = 0; left > 0; g->template_count++) {
    uint32_t here = left > 1 && ru_chance(g, 35) ? 2 : 1;
    for (uint32_t i = 0; i < here; i++) {
      g->processes[next++].template = g->template_count;
    }
    left -= here;
  }
  for (uint32_t i = 0; i < g->template_count; i++) {
    ru_head(g, i);
  }
  ru_arguments(g);
  bool ranked = g->has_priorities && ru_chance(g, 50);
  for (uint32_t i = 1; i < g->process_count; i++) {
    struct ru_process *p = &g->processes[i];
    bool apart = !g->templates[p->template].is_free || p->template != g->processes[i - 1].template;
    p->rank = g->processes[i - 1].rank + (ranked && apart && ru_chance(g, 50) ? 1 : 0);
  }
}

static inline uint32_t ru_query_leaf(struct ru *g) {
  static const enum ru_op ops[] = {RU_LT, RU_LE, RU_EQ, RU_GE, RU_GT, RU_LE, RU_GE};
  uint32_t kind = ru_below(g, 10);
  if (kind < 4) {
    uint32_t p = ru_below(g, g->process_count);
    const struct ru_template *t = &g->templates[g->processes[p].template];
    return ru_add(g, (struct ru_node){
                         .kind = RU_AT, .value = (int32_t)p, .a = ru_below(g, t->location_count)});
  }
  if (kind < 6 || g->clock_count == 0) {
    return ru_plain(g);
  }
  if (kind == 6 && g->has_diagonals) {
    return ru_difference(g);
  }
  struct ru_node node = {
      .kind = RU_CLOCK, .op = ops[ru_below(g, 7)], .b = ru_below(g, g->clock_count)};
  node.a = ru_chance(g, 80) ? ru_num(g, ru_small(g, 5)) : ru_leaf(g);
  ru_note_bound(g, node.a);
  return ru_add(g, node);
}

static inline uint32_t ru_query_tree(struct ru *g, uint32_t depth) {
  uint32_t kind = ru_below(g, 10);
  if (depth == 0 || kind < 3) {
    return ru_query_leaf(g);
  }
  if (kind == 3) {
    return ru_two(g, RU_NOT, ru_query_tree(g, depth - 1), 0);
  }
  uint32_t a = ru_query_tree(g, depth - 1), b = ru_query_tree(g, depth - 1);
  return ru_two(g, kind < 8 ? RU_AND : RU_OR, a, b);
}

/* Without clocks. */
static inline uint32_t ru_query_plain(struct ru *g) {
  uint32_t p = ru_below(g, g->process_count);
  const struct ru_template *t = &g->templates[g->processes[p].template];
  struct ru_node at = {.kind = RU_AT, .value = (int32_t)p, .a = ru_below(g, t->location_count)};
  uint32_t first = ru_chance(g, 75) ? ru_add(g, at) : ru_plain(g);
  if (ru_chance(g, 60)) {
    return ru_chance(g, 30) ? ru_two(g, RU_NOT, first, 0) : first;
  }
  uint32_t second = ru_plain(g);
  return ru_two(g, ru_chance(g, 50) ? RU_AND : RU_OR, first, second);
}

/* With clocks or deadlock, or without both. */
static inline uint32_t ru_query_of_run(struct ru *g) {
  uint32_t kind = ru_below(g, 100);
  if (kind < 40 || g->has_stops) {
    return ru_query_plain(g);
  }
  uint32_t tree = ru_query_tree(g, kind < 60 ? 0 : 2);
  if (kind < 85) {
    return tree;
  }
  uint32_t dead = ru_add(g, (struct ru_node){.kind = RU_DEADLOCK});
  dead = ru_chance(g, 50) ? ru_two(g, RU_NOT, dead, 0) : dead;
  return kind < 90 ? dead : ru_two(g, kind < 95 ? RU_AND : RU_OR, dead, tree);
}

static inline void ru_run_query(struct ru *g, struct ru_query *q) {
  q->is_run = true;
  q->node = ru_query_of_run(g);
  if (!q->is_exists && ru_chance(g, 50)) {
    q->from = ru_query_of_run(g);
  }
}

static inline void ru_queries(struct ru *g) {
  g->in_query = true;
  g->query_count = 3 + ru_below(g, 2);
  for (uint32_t i = 0; i < g->query_count; i++) {
    struct ru_query *q = &g->queries[i];
    q->is_exists = ru_chance(g, 60);
    if (i + 1 < g->query_count) {
      if (i == 0 && g->clock_count > 0 && ru_chance(g, 70)) {
        ru_run_query(g, q);
      } else {
        q->node = ru_query_tree(g, 2);
      }
      continue;
    }
    uint32_t dead = ru_add(g, (struct ru_node){.kind = RU_DEADLOCK});
    uint32_t other = ru_query_tree(g, 1), kind = ru_below(g, 4);
    q->node = kind == 0   ? dead
              : kind == 1 ? ru_two(g, RU_NOT, dead, 0)
              : kind == 2 ? ru_two(g, RU_AND, dead, other)
                          : ru_two(g, RU_OR, other, ru_two(g, RU_NOT, dead, 0));
  }
  g->in_query = false;
}

static inline void ru_globals(struct ru *g) {
  g->hi = 1 + ru_small(g, 3);
  g->var_count = 1 + ru_below(g, RU_VARS);
  for (uint32_t i = 0; i < RU_VARS + RU_ELEMENTS; i++) {
    g->init[i] = ru_chance(g, 60) ? 0 : ru_small(g, (uint32_t)g->hi + 1);
  }
  g->has_diagonals = ru_chance(g, 16);
  g->is_capped = g->has_diagonals && ru_chance(g, 40);
  g->scalar_clocks = g->has_diagonals ? 2 : ru_below(g, 3);
  g->has_stops = g->scalar_clocks > 0 && ru_chance(g, 10);
  g->array_clocks = !g->has_diagonals && ru_chance(g, 25) ? 2 : 0;
  for (uint32_t i = 0; i < g->scalar_clocks; i++) {
    g->clock_init[i] = ru_chance(g, 6) ? 1 + ru_small(g, 2) : 0;
    g->largest = g->clock_init[i] > g->largest ? g->clock_init[i] : g->largest;
  }
}

static inline void ru_functions(struct ru *g) {
  g->in_function = true;
  uint32_t body = ru_number(g);
  g->in_function = false;
  g->function = body;
  g->procedures[0] = ru_updates(g, 1 + ru_below(g, 2), false);
  g->procedures[1] = ru_chance(g, 50) ? ru_updates(g, 1 + ru_below(g, 2), true) : 0;
}

static inline void random_uppaal_describe(struct ru *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  clew_random_seed(&g->random, seed);
  g->seed = seed;
  g->may_be_strict = ru_chance(g, 30);
  g->may_fault = ru_chance(g, 12);
  g->has_priorities = g->is_split = ru_chance(g, 15);
  ru_globals(g);
  ru_channels(g);
  ru_processes(g);
  ru_functions(g);
  for (uint32_t i = 0; i < g->template_count; i++) {
    ru_template(g, &g->templates[i]);
  }
  ru_queries(g);
  /* When one clock is set, the difference to the other one is that one less the setting. */
  g->largest += g->has_diagonals ? g->difference : 0;
}

/* ---- Its text ------------------------------------------------------------------------------- */

static inline void ru_print(const struct ru *g, uint32_t at, struct clew_text *out);

static inline void ru_print_slot(const struct ru *g, uint32_t slot, struct clew_text *out) {
  if (slot < g->scalar_clocks) {
    clew_text_printf(out, "x%u", slot);
  } else if (slot < g->scalar_clocks + g->array_clocks) {
    clew_text_printf(out, "ca[%u]", slot - g->scalar_clocks);
  } else {
    for (uint32_t i = 0; i < g->process_count; i++) {
      if (g->templates[g->processes[i].template].has_clock && g->processes[i].slot == slot) {
        clew_text_printf(out, "%s.c", g->processes[i].name);
      }
    }
  }
}

static inline void ru_print_clock(const struct ru *g, enum ru_clock kind, uint32_t index,
                                  struct clew_text *out) {
  switch (kind) {
  case RU_CLOCK_SLOT:
    ru_print_slot(g, index, out);
    break;
  case RU_CLOCK_LOCAL:
    clew_text_put(out, "c");
    break;
  case RU_CLOCK_REF:
    clew_text_put(out, "cr");
    break;
  case RU_CLOCK_ARRAY:
    clew_text_put(out, "ca[");
    ru_print(g, index, out);
    clew_text_put(out, "]");
    break;
  }
}

static const char *const ru_ops[] = {"<", "<=", "==", ">=", ">", "!="};
static const char *const ru_flipped[] = {">", ">=", "==", "<=", "<", "!="};

static inline void ru_print_atom(const struct ru *g, const struct ru_node *n,
                                 struct clew_text *out) {
  if (n->is_flipped) {
    ru_print(g, n->a, out);
    clew_text_put(out, ru_flipped[n->op]);
  }
  ru_print_clock(g, n->clock, n->b, out);
  if (!n->is_flipped) {
    clew_text_put(out, ru_ops[n->op]);
    ru_print(g, n->a, out);
  }
}

static inline void ru_print_two(const struct ru *g, const struct ru_node *n, const char *between,
                                struct clew_text *out) {
  clew_text_put(out, "(");
  ru_print(g, n->a, out);
  clew_text_put(out, between);
  ru_print(g, n->b, out);
  clew_text_put(out, ")");
}

static inline void ru_print_around(const struct ru *g, const char *before, uint32_t at,
                                   const char *after, struct clew_text *out) {
  clew_text_put(out, before);
  ru_print(g, at, out);
  clew_text_put(out, after);
}

static inline void ru_print_if(const struct ru *g, const struct ru_node *n, struct clew_text *out) {
  ru_print_around(g, "(", n->a, "?", out);
  ru_print(g, n->b, out);
  ru_print_around(g, ":", n->c, ")", out);
}

/* Without blanks where there need not be any: queries are words of a command. */
static inline void ru_print(const struct ru *g, uint32_t at, struct clew_text *out) {
  const struct ru_node *n = &g->nodes[at];
  switch (n->kind) {
  case RU_NUM:
    clew_text_printf(out, "%d", n->value);
    break;
  case RU_VAR:
    clew_text_printf(out, "v%d", n->value);
    break;
  case RU_ELEMENT:
    ru_print_around(g, "av[", n->a, "]", out);
    break;
  case RU_LOCAL:
    clew_text_put(out, "w");
    break;
  case RU_PARAM:
    clew_text_put(out, "k");
    break;
  case RU_REF:
    clew_text_put(out, "r");
    break;
  case RU_SELECT:
    clew_text_put(out, "i");
    break;
  case RU_BOUND:
    clew_text_put(out, "q");
    break;
  case RU_ARG:
    clew_text_put(out, "n");
    break;
  case RU_CALL:
    ru_print_around(g, "f(", n->a, ")", out);
    break;
  case RU_ADD:
    ru_print_two(g, n, "+", out);
    break;
  case RU_MUL:
    ru_print_two(g, n, "*", out);
    break;
  case RU_MOD:
    ru_print_two(g, n, "%", out);
    break;
  case RU_MIN:
    ru_print_two(g, n, "<?", out);
    break;
  case RU_IF:
    ru_print_if(g, n, out);
    break;
  case RU_CMP:
    ru_print_two(g, n, ru_ops[n->op], out);
    break;
  case RU_CLOCK:
    ru_print_atom(g, n, out);
    break;
  case RU_DIFF:
    clew_text_printf(out, "x%u-x%d%s", n->b, n->value, ru_ops[n->op]);
    ru_print(g, n->a, out);
    break;
  case RU_AND:
    ru_print_two(g, n, "&&", out);
    break;
  case RU_OR:
    ru_print_two(g, n, "||", out);
    break;
  case RU_IMPLY:
    ru_print_two(g, n, " imply ", out);
    break;
  case RU_NOT:
    ru_print_around(g, "!(", n->a, ")", out);
    break;
  case RU_FORALL:
    ru_print_around(g, "(forall (q : int[0,1]) (", n->a, "))", out);
    break;
  case RU_EXISTS:
    ru_print_around(g, "(exists (q : int[0,1]) (", n->a, "))", out);
    break;
  case RU_AT:
    clew_text_printf(out, "%s.l%u", g->processes[n->value].name, n->a);
    break;
  case RU_DEADLOCK:
    clew_text_put(out, "deadlock");
    break;
  }
}

static inline void ru_print_updates(const struct ru *g, uint32_t first, const char *between,
                                    struct clew_text *out);

static inline void ru_print_set(const struct ru *g, const struct ru_update *u,
                                struct clew_text *out) {
  switch (u->kind) {
  case RU_SET_VAR:
    clew_text_printf(out, "v%u", u->target);
    break;
  case RU_SET_ELEMENT:
    ru_print_around(g, "av[", u->target, "]", out);
    break;
  case RU_SET_LOCAL:
    clew_text_put(out, "w");
    break;
  case RU_SET_REF:
    clew_text_put(out, "r");
    break;
  default:
    ru_print_clock(g, u->clock, u->target, out);
    break;
  }
  ru_print_around(g, " = ", u->value, "", out);
}

static inline void ru_print_update(const struct ru *g, const struct ru_update *u,
                                   struct clew_text *out) {
  switch (u->kind) {
  case RU_ZERO:
    clew_text_put(out, "zero(");
    ru_print_clock(g, u->clock, u->target, out);
    clew_text_put(out, ")");
    break;
  case RU_WHEN:
    ru_print_around(g, "if (", u->value, ") { ", out);
    ru_print_updates(g, u->body, "; ", out);
    clew_text_put(out, "; }");
    break;
  case RU_RUN:
    clew_text_printf(out, "p%u()", u->target);
    break;
  case RU_RUN_LOCAL:
    clew_text_put(out, "own()");
    break;
  default:
    ru_print_set(g, u, out);
    break;
  }
}

static inline void ru_print_updates(const struct ru *g, uint32_t first, const char *between,
                                    struct clew_text *out) {
  for (uint32_t i = first; i != 0; i = g->updates[i].next) {
    ru_print_update(g, &g->updates[i], out);
    if (g->updates[i].next != 0) {
      clew_text_put(out, between);
    }
  }
}

static inline void ru_print_procedure(const struct ru *g, const char *name, uint32_t updates,
                                      struct clew_text *out) {
  if (updates != 0) {
    clew_text_printf(out, "void %s() { ", name);
    ru_print_updates(g, updates, "; ", out);
    clew_text_put(out, "; }\n");
  }
}

static inline void ru_print_edge(const struct ru *g, const struct ru_edge *e,
                                 struct clew_text *out) {
  clew_text_printf(out, "l%u -> l%u {", e->from, e->to);
  if (e->select_hi >= 0) {
    clew_text_printf(out, " select i : int[0,%d];", e->select_hi);
  }
  if (e->guard != 0) {
    ru_print_around(g, " guard ", e->guard, ";", out);
  }
  if (e->channel != RU_NO_CHANNEL) {
    clew_text_printf(out, " sync %s",
                     e->channel == RU_CHANNEL_REF ? "ch" : g->channels[e->channel].name);
    if (e->index != 0) {
      ru_print_around(g, "[", e->index, "]", out);
    }
    clew_text_put(out, e->sends ? "!;" : "?;");
  }
  if (e->updates != 0) {
    clew_text_put(out, " assign ");
    ru_print_updates(g, e->updates, ", ", out);
    clew_text_put(out, ";");
  }
  clew_text_put(out, " }");
}

static inline const char *ru_channel_type(const struct ru_channel *c) {
  return c->is_urgent      ? c->is_broadcast ? "urgent broadcast chan" : "urgent chan"
         : c->is_broadcast ? "broadcast chan"
                           : "chan";
}

static inline void ru_print_head(const struct ru *g, uint32_t number, struct clew_text *out) {
  const struct ru_template *t = &g->templates[number];
  const char *comma = "";
  clew_text_printf(out, "process T%u(", number);
  if (t->has_k) {
    clew_text_printf(out, "const int[0,%d] k", t->is_free ? 1 : 2);
    comma = ", ";
  }
  if (t->has_ref) {
    clew_text_printf(out, "%sval_t &r", comma);
    comma = ", ";
  }
  if (t->has_clock_ref) {
    clew_text_printf(out, "%sclock &cr", comma);
    comma = ", ";
  }
  if (t->has_channel_ref) {
    clew_text_printf(out, "%s%s &ch", comma, ru_channel_type(&g->channels[t->reference_channel]));
  }
  clew_text_put(out, ") {\n");
}

static inline void ru_print_kinds(const struct ru_template *t, enum ru_location_kind kind,
                                  const char *word, struct clew_text *out) {
  const char *before = word;
  for (uint32_t i = 0; i < t->location_count; i++) {
    if (t->kinds[i] == kind) {
      clew_text_printf(out, "%s l%u", before, i);
      before = ",";
    }
  }
  clew_text_put(out, before != word ? ";\n" : "");
}

static inline void ru_print_invariant(const struct ru *g, const struct ru_template *t,
                                      uint32_t location, struct clew_text *out) {
  uint32_t invariant = t->invariants[location], rate = t->rates[location];
  if (invariant != 0 || rate != 0) {
    clew_text_put(out, " { ");
    if (invariant != 0) {
      ru_print(g, invariant, out);
    }
    if (rate != 0) {
      ru_print_around(g, invariant != 0 ? " && x0'==" : "x0'==", rate, "", out);
    }
    clew_text_put(out, " }");
  }
}

static inline void ru_print_template(const struct ru *g, uint32_t number, struct clew_text *out) {
  const struct ru_template *t = &g->templates[number];
  ru_print_head(g, number, out);
  clew_text_put(out, t->has_clock ? "clock c;\n" : "");
  clew_text_put(out, t->has_w ? "val_t w;\n" : "");
  ru_print_procedure(g, "own", t->procedure, out);
  clew_text_put(out, "state ");
  for (uint32_t i = 0; i < t->location_count; i++) {
    clew_text_printf(out, "%sl%u", i > 0 ? ", " : "", i);
    ru_print_invariant(g, t, i, out);
  }
  clew_text_put(out, ";\n");
  ru_print_kinds(t, RU_COMMITTED, "commit", out);
  ru_print_kinds(t, RU_URGENT, "urgent", out);
  clew_text_put(out, "init l0;\ntrans\n");
  for (uint32_t i = 0; i < t->edge_count; i++) {
    clew_text_put(out, "  ");
    ru_print_edge(g, &t->edges[i], out);
    clew_text_put(out, i + 1 < t->edge_count ? ",\n" : ";\n}\n");
  }
}

static inline void ru_print_globals(const struct ru *g, struct clew_text *out) {
  clew_text_printf(out, "typedef int[0,%d] val_t;\n", g->hi);
  for (uint32_t i = 0; i < g->var_count; i++) {
    clew_text_printf(out, "val_t v%u = %d;\n", i, g->init[i]);
  }
  clew_text_printf(out, "val_t av[2] = { %d, %d };\n", g->init[RU_VARS], g->init[RU_VARS + 1]);
  for (uint32_t i = 0; i < g->scalar_clocks; i++) {
    clew_text_printf(out, g->clock_init[i] != 0 ? "clock x%u = %d;\n" : "clock x%u;\n", i,
                     g->clock_init[i]);
  }
  clew_text_put(out, g->array_clocks > 0 ? "clock ca[2];\n" : "");
  for (uint32_t i = 0; i < g->channel_count; i++) {
    clew_text_printf(out, "%s %s%s;\n", ru_channel_type(&g->channels[i]), g->channels[i].name,
                     g->channels[i].is_array ? "[2]" : "");
  }
}

static inline void ru_print_ranks(const struct ru *g, struct clew_text *out) {
  const char *before = "chan priority ";
  for (uint32_t rank = 0; rank < 3; rank++) {
    const char *comma = before;
    for (uint32_t i = 0; i < g->channel_count; i++) {
      if (g->channels[i].rank == rank) {
        clew_text_printf(out, "%s%s", comma, g->channels[i].name);
        comma = ", ";
      }
    }
    if (rank == g->default_rank) {
      clew_text_printf(out, "%sdefault", comma);
      comma = ", ";
    }
    before = comma == before ? before : " < ";
  }
  clew_text_put(out, ";\n");
}

static inline void ru_print_instance(const struct ru *g, uint32_t number, struct clew_text *out) {
  const struct ru_process *p = &g->processes[number];
  const struct ru_template *t = &g->templates[p->template];
  const char *comma = "";
  clew_text_printf(out, "%s = T%u(", p->name, p->template);
  if (t->has_k) {
    clew_text_printf(out, "%d", p->k);
    comma = ", ";
  }
  if (t->has_ref) {
    clew_text_printf(out, "%sv%u", comma, p->ref);
    comma = ", ";
  }
  if (t->has_clock_ref) {
    clew_text_put(out, comma);
    ru_print_slot(g, p->clock_ref, out);
    comma = ", ";
  }
  if (t->has_channel_ref) {
    const struct ru_channel *c = &g->channels[t->reference_channel];
    clew_text_printf(out, c->is_array ? "%s%s[%u]" : "%s%s", comma, c->name, p->channel_element);
  }
  clew_text_put(out, ");\n");
}

static inline void ru_print_system(const struct ru *g, struct clew_text *out) {
  clew_text_put(out, "system ");
  for (uint32_t i = 0; i < g->process_count; i++) {
    const struct ru_process *p = &g->processes[i];
    bool is_free = g->templates[p->template].is_free;
    uint32_t number = is_free ? p->template : i;
    if (is_free && i > 0 && g->processes[i - 1].template == p->template) {
      continue;
    }
    if (i > 0) {
      clew_text_put(out, p->rank > g->processes[i - 1].rank ? " < " : ", ");
    }
    clew_text_printf(out, is_free ? "T%u" : "P%u", number);
  }
  clew_text_put(out, ";\n");
}

static inline void random_uppaal_query(const struct ru *g, uint32_t number, struct clew_text *out) {
  const struct ru_query *q = &g->queries[number];
  static const char *const starts[] = {"A[](", "E<>(", "A<>(", "E[]("};
  if (q->from != 0) {
    ru_print_around(g, "(", q->from, ")-->(", out);
    ru_print_around(g, "", q->node, ")", out);
  } else {
    ru_print_around(g, starts[2 * q->is_run + q->is_exists], q->node, ")", out);
  }
}

static inline void random_uppaal_print(const struct ru *g, struct clew_text *out) {
  clew_text_printf(out, "// seed %llu\n", (unsigned long long)g->seed);
  for (uint32_t i = 0; i < g->query_count; i++) {
    clew_text_put(out, "// ");
    random_uppaal_query(g, i, out);
    clew_text_put(out, "\n");
  }
  ru_print_globals(g, out);
  if (g->has_priorities && g->channel_count > 0) {
    ru_print_ranks(g, out);
  }
  /* With a range: what f is compared with would have the limits of int. */
  clew_text_printf(out, "int[0,%d] f(int n) ", ru_most(g, g->function));
  ru_print_around(g, "{ return ", g->function, "; }\n", out);
  clew_text_put(out, "void zero(clock &t) { t = 0; }\n");
  ru_print_procedure(g, "p0", g->procedures[0], out);
  ru_print_procedure(g, "p1", g->procedures[1], out);
  for (uint32_t i = 0; i < g->template_count; i++) {
    ru_print_template(g, i, out);
  }
  for (uint32_t i = 0; i < g->process_count; i++) {
    if (!g->templates[g->processes[i].template].is_free) {
      ru_print_instance(g, i, out);
    }
  }
  ru_print_system(g, out);
}

#endif
