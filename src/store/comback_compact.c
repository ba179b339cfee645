/* State table and back-edge table in about six bytes per state.
 *
 * Ids in breadth-first order make the predecessors a sequence that never decreases: two bits each
 * in a compressed column (comback_column.c). Events take as many bits as their numbers need. The
 * state table keeps no hashes (comback_slots.c): growing it is a walk over the tree of back edges
 * that executes every one of them once. */
#include <assert.h>

#include "base/hash.h"
#include "store/comback_int.h"

bool comback_compact_open(struct comback *c) {
  struct comback_compact *p = &c->compact;
  struct clew_budget *budget = c->base.config.budget;
  return comback_column_open(&p->parents, budget) && comback_column_open(&p->edges, budget) &&
         comback_slots_open(&p->slots, c->settings.hash_bits, budget);
}

void comback_compact_close(struct comback_compact *p) {
  comback_column_close(&p->parents);
  comback_column_close(&p->edges);
  comback_slots_close(&p->slots);
}

void comback_compact_add(struct comback_compact *p, uint32_t id, uint64_t hash, uint32_t parent,
                         uint32_t edge) {
  assert(id == p->parents.count);
  /* A root has no parent; the last one keeps the column as it is. */
  comback_column_append(&p->parents, parent == CLEW_STORE_ROOT ? p->parents.last : parent);
  comback_column_append(&p->edges, parent == CLEW_STORE_ROOT ? p->edges.last : edge);
  comback_slots_insert(&p->slots, hash, id);
}

/* ---- growth ---- */

static void insert_again(void *context, uint32_t id, const uint64_t *state) {
  struct comback *c = context;
  uint64_t hash = clew_hash_words(state, c->base.config.words, c->base.config.seed);
  comback_slots_insert(&c->compact.slots, comback_compress(c, hash), id);
}

static bool grow(struct comback *c, uint64_t states) {
  struct comback_compact *p = &c->compact;
  if (!clew_bigmem_commit(&c->worker.frames, (c->max_depth + UINT64_C(2)) * 2 * sizeof(uint32_t)) ||
      !comback_slots_enlarge(c, &p->slots, states)) {
    return false;
  }
  uint64_t events = c->worker.events;
  comback_tree_walk(c, insert_again, c);
  p->growths++;
  p->growth_events += c->worker.events - events;
  return true;
}

bool comback_compact_reserve(struct comback *c, uint64_t states) {
  struct comback_compact *p = &c->compact;
  if (!comback_column_reserve(&p->parents, states) || !comback_column_reserve(&p->edges, states)) {
    return false;
  }
  return comback_slots_have_room(&p->slots, states, false) || grow(c, states) ||
         comback_slots_have_room(&p->slots, states, true);
}
