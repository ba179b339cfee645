/* Runs that stay (properties of kind PROGRESS), as a graph of their own.
 *
 * A property asks whether some run stays for ever where a condition is true. A model may have
 * states that stand for much at once, such as zones: in a part of one of them the condition is
 * true, and time leads from there to a part in which it is not. So the states of the model are not
 * the nodes of this graph. A *node* stands for a part of a state in which the condition is true,
 * and for nothing else; its successors are reached without leaving the condition in between. A run
 * that stays is an endless path through nodes, or one that ends in a node where it may rest.
 *
 * The first words of a node are the discrete words of a state. Edges are those of the model; an
 * edge may lead to several nodes. */
#ifndef CLEW_MODEL_RUNS_H
#define CLEW_MODEL_RUNS_H

#include "model/model.h"

struct clew_runs {
  uint32_t words; /* of a node */
  /* Appends the nodes in which runs begin that start with the model, with the edges of `init`. */
  void (*begin)(const struct clew_model *model, uint32_t property, struct clew_succs *nodes,
                uint32_t *site);
  /* Appends those in which runs begin, because of the property's `from`, at a state of the model or
   * after a delay there. Edges say nothing. */
  void (*enter)(const struct clew_model *model, uint32_t property, const uint64_t *state,
                struct clew_succs *nodes, uint32_t *site);
  /* Appends the successors of a node, and sets nodes->rests: a run may rest there. */
  void (*next)(const struct clew_model *model, uint32_t property, const uint64_t *node,
               struct clew_succs *nodes, uint32_t *site);
  /* All three: a run-time error in the condition puts its site in *site, which is CLEW_NONE before,
   * and a state at fault into nodes->states behind the last node. */
};

#endif
