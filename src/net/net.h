/* Petri nets: places that hold tokens, transitions that take some and give some. A front end
 * describes one as plain data, and clew_net_open makes a model of it.
 *
 * A net with colours is unfolded before: a place of it becomes a place for each colour, a
 * transition one for each binding of its variables.
 *
 * Ownership: everything of a net lives in its arena. The model owns the net, and closes the arena.
 */
#ifndef CLEW_NET_NET_H
#define CLEW_NET_NET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/model.h"

struct clew_net_place {
  const char *name;
  uint64_t tokens; /* at the start */
};

struct clew_net_arc {
  uint32_t place;
  uint64_t weight; /* at least 1 */
};

/* Takes by arcs[take] .. arcs[give - 1], gives by arcs[give] .. arcs[end - 1]. Places increase in
 * each of the two. */
struct clew_net_transition {
  const char *name; /* with its binding: "Send {n=1}" */
  uint32_t rule;    /* the transition of the file that it is an instance of; they do not decrease */
  uint32_t take, give, end;
};

/* The file says that these places have at most one token in all. It is checked, unless it can be
 * proved. */
struct clew_net_claim {
  const char *name;
  const uint32_t *places;
  uint32_t count;
};

/* A part of a colour: an element of a sort. */
struct clew_net_part {
  uint32_t sort, element;
};

enum clew_net_op {
  CLEW_NET_NUMBER,
  CLEW_NET_TOKENS,   /* in the listed places */
  CLEW_NET_ALL,      /* tokens in all places */
  CLEW_NET_MOST,     /* tokens in the place that has most */
  CLEW_NET_PLUS,     /* of the arguments, numbers */
  CLEW_NET_FIREABLE, /* some listed transition is enabled */
  CLEW_NET_AT_MOST,  /* argument 0 <= argument 1, numbers */
  CLEW_NET_EQUAL,    /* argument 0 = argument 1, numbers */
  CLEW_NET_AND,      /* no arguments: true */
  CLEW_NET_OR,       /* no arguments: false */
  CLEW_NET_NOT,
};

/* A number or a truth of a marking. */
struct clew_net_term {
  enum clew_net_op op;
  int64_t number;
  const uint32_t *list; /* places, transitions */
  uint32_t list_count;
  const struct clew_net_term *const *args;
  uint32_t arg_count;
};

struct clew_net {
  struct clew_arena *arena;
  const char *name, *language; /* of the file */
  const struct clew_net_place *places;
  uint32_t place_count;
  const struct clew_net_transition *transitions;
  uint32_t transition_count, rule_count;
  const struct clew_net_arc *arcs;
  uint32_t arc_count;
  const struct clew_net_claim *claims;
  uint32_t claim_count;
  /* What is asked. Labels and measures are in the order of their terms. */
  const struct clew_label *labels;
  const struct clew_net_term *const *label_terms;
  uint32_t label_count;
  const struct clew_measure *measures;
  const struct clew_net_term *const *measure_terms;
  uint32_t measure_count;
  const struct clew_property *properties; /* without the one about broken claims */
  uint32_t property_count;
  const struct clew_unchecked *unchecked;
  uint32_t unchecked_count;
  /* Cover statements: one for each rule (it fires), then, if asked for, one for each place of the
   * file (the number of its tokens changes). */
  bool covers_rules, covers_origins;
  const uint32_t *origins; /* by place: the place of the file that it is a part of */
  uint32_t origin_count;
  /* Where places come from colours: that of place p is parts[first_part[p]] .. before those of the
   * next; different places of the same origin have different ones. NULL: there are no colours. */
  const struct clew_net_part *parts;
  const uint32_t *first_part;
  const uint32_t *sort_sizes;
  uint32_t sort_count;
  const char *reduction; /* symmetry that is asked for, "canonical" or "fast"; NULL: none */
};

/* How many tokens each place can have at most, by weights; UINT64_MAX: that is not known. */
void clew_net_most(const struct clew_net *net, uint64_t *most);
/* Takes the net over. Never fails. `stop` may be NULL. */
struct clew_model *clew_net_open(struct clew_net *net, const atomic_bool *stop);

#endif
