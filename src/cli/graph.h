/* A state graph that is small enough to be kept and drawn. */
#ifndef CLEW_CLI_GRAPH_H
#define CLEW_CLI_GRAPH_H

#include "base/text.h"
#include "base/vec.h"
#include "model/model.h"
#include "store/store.h"

struct clew_graph_edge {
  uint32_t from, to; /* ids of the store */
  uint32_t edge;
};

struct clew_graph {
  const struct clew_model *model;           /* borrowed */
  struct clew_store *store;                 /* borrowed; has every state */
  CLEW_VEC(struct clew_graph_edge) initial; /* `from` means nothing */
  CLEW_VEC(struct clew_graph_edge) edges;   /* in the order of `from` and of the model's edges */
  uint64_t *stuck;                          /* bit set over the states */
  uint64_t fault_count;                     /* transitions that end in a run-time error */
};

/* Graphviz. States that violate an invariant are filled, deadlocks have a double border. */
void clew_graph_write_dot(const struct clew_graph *graph, struct clew_text *out);
/* Aldebaran, which has one initial state: if the model has not, state 0 is an artificial one from
 * which the others are reached. */
void clew_graph_write_aut(const struct clew_graph *graph, struct clew_text *out);

#endif
