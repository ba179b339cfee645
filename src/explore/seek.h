/* Looking for a state: breadth-first search from one state, within bounds of time and memory, for
 * one in which a label is true. Also the states around one, for a picture. */
#ifndef CLEW_EXPLORE_SEEK_H
#define CLEW_EXPLORE_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"

struct clew_seek_limits {
  uint64_t bytes;
  uint32_t states, depth;
  double seconds;
};

enum clew_seek_end {
  CLEW_SEEK_FOUND,
  CLEW_SEEK_NONE,  /* all that is reachable was seen */
  CLEW_SEEK_LIMIT, /* of states, depth or memory */
  CLEW_SEEK_TIME,  /* or somebody raised the stop flag */
  CLEW_SEEK_FAULT, /* the label cannot be evaluated in a state: `site` says why */
};

/* A state that was reached. */
struct clew_seek_node {
  uint32_t parent, edge, depth; /* parent CLEW_NONE: the first one */
  bool is_stuck, is_expanded, has_fault;
};
/* A transition among them. */
struct clew_seek_link {
  uint32_t from, to, edge;
};

/* The states that were reached, the first being the one it began with. */
struct clew_seek {
  const struct clew_model *model; /* borrowed */
  CLEW_VEC(struct clew_seek_node) nodes;
  CLEW_VEC(uint64_t) states;
  CLEW_VEC(struct clew_seek_link) links; /* only if they are asked for */
  uint32_t *table;                       /* of places + 1, by hash */
  uint32_t table_size;
  uint32_t found, site;
};

/* Label CLEW_NONE: nothing is looked for. `wants` is the value that the label should have. Close it
 * in any case. */
enum clew_seek_end clew_seek_run(struct clew_seek *seek, const struct clew_model *model,
                                 const uint64_t *from, uint32_t label, bool wants, bool keeps_links,
                                 const struct clew_seek_limits *limits);
/* The edges from the first state to the place, in order; free them. */
uint32_t *clew_seek_way(const struct clew_seek *seek, uint32_t place, uint32_t *count);
void clew_seek_close(struct clew_seek *seek);

#endif
