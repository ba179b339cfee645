/* How the tree store cuts states into parts: chosen from a sample of states.
 *
 * A state is a sequence of *fields* (store.h: they come with the config; without them every byte is
 * one). An *order* of fields is cut in two, each half again, until a part has at most 64 bits: a
 * *leaf*. Both the order and where it is cut decide how often parts occur again. For each order
 * that is there to choose from the plan counts the different parts in the sample, at its end and at
 * its quarter, and from that guesses how many there will be when there are many more states. */
#ifndef CLEW_STORE_TREE_PLAN_INT_H
#define CLEW_STORE_TREE_PLAN_INT_H

#include "store/store.h"

enum {
  TREE_LEAF_BITS = 64,
  TREE_SAMPLE_STATES = 1 << 15, /* at most, of a sample */
  TREE_MOST_TABLES = 64,        /* a state of more parts has several of them in one table */
};

/* Bits of one word that go to a leaf. */
struct tree_piece {
  uint32_t word;
  uint32_t at; /* the lowest bit in the leaf */
  uint64_t mask;
};

/* A leaf has pieces; any other node has two nodes, which come before it. */
struct tree_node {
  bool is_leaf;
  uint32_t table;
  uint32_t bits;                     /* leaf: of its key */
  uint32_t first_piece, piece_count; /* leaf; perhaps none */
  uint64_t words;                    /* leaf: bit i % 64 for each word i it has pieces of */
  uint32_t left, right;              /* other */
};

struct tree_plan {
  struct tree_node *nodes; /* without the root, which is the pair of the nodes left and right */
  uint32_t node_count;
  struct tree_piece *pieces;
  uint32_t piece_count;
  uint32_t left, right;
  uint32_t table_count;
  uint32_t leaf_count;
  const char *order;      /* its name */
  double bytes_per_state; /* expected */
};

/* Chooses from these states, of config->words words each. `only`: the name of the order to take, or
 * NULL. */
void tree_plan_make(struct tree_plan *plan, const struct clew_store_config *config,
                    const uint64_t *states, uint32_t count, const char *only);
void tree_plan_free(struct tree_plan *plan);

#endif
