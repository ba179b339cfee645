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

/* A way to write a graph, known by the suffix of the file. */
struct clew_graph_format {
  const char *suffix; /* ".dot" */
  void (*write)(const struct clew_graph *graph, struct clew_text *out);
};
/* All of them, ended by one without a suffix. */
extern const struct clew_graph_format clew_graph_formats[];

#endif
