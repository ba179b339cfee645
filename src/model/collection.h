/* Collections: multisets and channels, whose elements move between slots. A person wants to see
 * messages that come and go instead: "net: + {kind: abort, to: rm_1}". */
#ifndef CLEW_MODEL_COLLECTION_H
#define CLEW_MODEL_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct clew_model;

/* Elements are `stride` consecutive slots each, from `slot` on. The first slot of an element of a
 * multiset says whether it is there; a channel has its elements in order, and their number in
 * another slot. */
struct clew_collection {
  const char *name;
  uint32_t slot, count, stride;
  uint32_t length_slot; /* of a channel; CLEW_NONE: it is a multiset */
};

/* The collection that the slot belongs to, also as its length; NULL: none. */
const struct clew_collection *clew_collection_of(const struct clew_model *model, uint32_t slot);
/* One line for each element of `state`; with `previous` only for those that came or went. */
void clew_collection_print(const struct clew_model *model, const struct clew_collection *collection,
                           const uint64_t *state, const uint64_t *previous, const char *indent,
                           struct clew_text *out);

#endif
