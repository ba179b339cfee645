/* The states that somebody who walks has seen, as a tree: each node is a state and the transition
 * by which it was reached. Going back and taking another transition makes a branch.
 *
 * The memory of a tree is bounded. When it is used up no node can be added, until all but one path
 * is forgotten. Ids of nodes are never used twice. */
#ifndef CLEW_EXPLORE_TREE_H
#define CLEW_EXPLORE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"
#include "trace/trace.h"

struct clew_tree_node {
  uint32_t parent; /* CLEW_NONE: an initial state */
  uint32_t edge;   /* that led here; of init for an initial state */
  uint32_t depth;
  uint32_t first_child, next; /* CLEW_NONE: none */
};

struct clew_tree {
  const struct clew_model *model; /* borrowed; without reductions */
  uint64_t limit_bytes;
  uint32_t base;                         /* the id of the first node */
  CLEW_VEC(struct clew_tree_node) nodes; /* by id - base; links are places here, not ids */
  CLEW_VEC(uint64_t) states;             /* words of each */
  uint32_t first_root;                   /* place, or CLEW_NONE */
};

enum clew_tree_answer {
  CLEW_TREE_OK,
  CLEW_TREE_DISABLED, /* there is no such transition; or it ends in an error, then *site says which
                       */
  CLEW_TREE_FULL,
};

void clew_tree_open(struct clew_tree *tree, const struct clew_model *model, uint64_t limit_bytes);
void clew_tree_close(struct clew_tree *tree);

bool clew_tree_has(const struct clew_tree *tree, uint32_t id);
uint32_t clew_tree_parent(const struct clew_tree *tree, uint32_t id); /* CLEW_NONE: none */
uint32_t clew_tree_edge(const struct clew_tree *tree, uint32_t id);
uint32_t clew_tree_depth(const struct clew_tree *tree, uint32_t id);
const uint64_t *clew_tree_state(const struct clew_tree *tree, uint32_t id); /* until one is added */
/* The node that `edge` has led to from `id` (CLEW_NONE: from nowhere, an edge of init); or
 * CLEW_NONE. */
uint32_t clew_tree_child(const struct clew_tree *tree, uint32_t id, uint32_t edge);

/* Begins with an edge of init. A node that is there already is found again. */
enum clew_tree_answer clew_tree_start(struct clew_tree *tree, uint32_t initial, uint32_t *id);
enum clew_tree_answer clew_tree_step(struct clew_tree *tree, uint32_t from, uint32_t edge,
                                     uint32_t *id, uint32_t *site);
/* Takes all edges of the trace. *id is the last node that was reached; what comes after a
 * DISABLED or FULL is not taken. */
enum clew_tree_answer clew_tree_follow(struct clew_tree *tree, const struct clew_trace *trace,
                                       uint32_t *id);
/* The path to a node; free it. */
void clew_tree_path(const struct clew_tree *tree, uint32_t id, struct clew_trace *trace);
/* Forgets everything but the path to this node; returns its new id. */
uint32_t clew_tree_keep(struct clew_tree *tree, uint32_t id);

bool clew_tree_validate(const struct clew_tree *tree); /* for tests */

#endif
