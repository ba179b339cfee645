/* What a state consists of, in the orders that the tree store chooses from (tree_plan_int.h). */
#ifndef CLEW_STORE_TREE_FIELDS_INT_H
#define CLEW_STORE_TREE_FIELDS_INT_H

#include "store/store.h"

struct tree_field {
  uint32_t bit, width; /* within a word, 1 to 16 bits */
};

uint32_t tree_order_count(void);
const char *tree_order_name(uint32_t order);
/* All bits of a state that may differ from 0, each in one field. NULL: the config does not know
 * this order. The caller frees it. */
struct tree_field *tree_fields_make(const struct clew_store_config *config, uint32_t order,
                                    uint32_t *count);

#endif
