/* The option table of the tree store fills this in. A field that is 0 says nothing. */
#ifndef CLEW_STORE_TREE_OPTIONS_H
#define CLEW_STORE_TREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct clew_tree_options {
  uint64_t sample; /* states that are kept as they are before states are cut; 0: 32,768 */
  uint32_t order;  /* 1 + the place of the order in "declared|change|layout" */
  bool tight;      /* tables grow by as little as possible, again and again: for tests */
};

#endif
