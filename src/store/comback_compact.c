/* State table and back-edge table in five to six bytes per state.
 *
 * Ids in breadth-first order make the predecessors a sequence that never decreases: two bits each
 * in a compressed column (comback_column.c). Events take as many bits as their numbers need. Of a
 * hash there is only what its slot in the state table tells (comback_segments.c, comback_slots.c).
 */
#include <assert.h>

#include "store/comback_int.h"

enum { LOAD_PERCENT = 82, GROWTH_PERCENT = 20, MORE_BITS_FROM = 1 << 24 };

bool clew_comback_compact_open(struct clew_comback *c) {
  assert(c->settings.layout == CLEW_COMBACK_COMPACT);
  struct clew_comback_compact *p = &c->compact;
  struct clew_budget *budget = c->base.config.budget;
  const struct clew_comback_shape shape = {.hash_bits = c->settings.hash_bits,
                                           .load_percent = LOAD_PERCENT,
                                           .growth_percent = GROWTH_PERCENT,
                                           .expected = c->settings.expected_states,
                                           .more_bits_from = MORE_BITS_FROM};
  return clew_comback_column_open(&p->parents, budget) &&
         clew_comback_column_open(&p->edges, budget) &&
         clew_comback_segments_open(&p->segments, &shape, CLEW_COMBACK_SEGMENT_BITS, budget);
}

void clew_comback_compact_close(struct clew_comback_compact *p) {
  assert(p != NULL);
  clew_comback_column_close(&p->parents);
  clew_comback_column_close(&p->edges);
  clew_comback_segments_close(&p->segments);
}

void clew_comback_compact_add(struct clew_comback_compact *p, clew_id id, uint64_t hash,
                              clew_id parent, uint32_t edge) {
  assert(p->edges.count == p->parents.count);
  assert(parent == CLEW_ID_NONE || parent < id);
  assert(id == p->parents.count);
  /* A root has no parent; the last one keeps the column monotone. */
  clew_comback_column_append(&p->parents, parent == CLEW_ID_NONE ? p->parents.last : parent);
  clew_comback_column_append(&p->edges, edge);
  clew_comback_segments_insert(&p->segments, hash, id);
}

bool clew_comback_compact_reserve(struct clew_comback *c, uint64_t states) {
  assert(states >= c->count);
  struct clew_comback_compact *p = &c->compact;
  return clew_comback_column_reserve(&p->parents, states) &&
         clew_comback_column_reserve(&p->edges, states) &&
         clew_comback_segments_reserve(&p->segments, states);
}
