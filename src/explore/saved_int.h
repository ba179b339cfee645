/* Inside of saved states. */
#ifndef CLEW_EXPLORE_SAVED_INT_H
#define CLEW_EXPLORE_SAVED_INT_H

#include "base/vec.h"
#include "explore/saved.h"

enum { CLEW_SAVED_KEPT = 16 }; /* blocks, of half a megabyte each */

struct clew_saved_block {
  clew_id first;
  uint32_t segment;
  struct clew_segment_place place;
};

/* A block that is in memory. */
struct clew_saved_kept {
  struct clew_back_edge *records; /* NULL: none */
  uint32_t block, count;
  uint64_t used;
};

struct clew_saved {
  const struct clew_model *model;
  struct clew_checkpoint checkpoint;
  CLEW_VEC(struct clew_segment_reader *) readers; /* by segment */
  CLEW_VEC(struct clew_saved_block) blocks;
  struct clew_saved_kept kept[CLEW_SAVED_KEPT];
  uint64_t clock;
};

#endif
