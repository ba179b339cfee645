/* State table and back-edge table as published: 12 bytes per state, and a slot of the state table.
 *
 * A record per state holds its compressed hash, its predecessor and the event. A collision list is
 * what the state table (comback_slots.c) offers for a hash and has that very hash in its record.
 * Hashes of more than 32 bits have their other half in a column of its own. About 17 bytes per
 * state in all. */
#include <assert.h>

#include "store/comback_int.h"

enum { LOAD_PERCENT = 90, GROWTH_PERCENT = 30 };

struct clew_comback_record {
  uint32_t hash, parent, edge;
};

static struct clew_comback_record *record_at(const struct clew_comback_paper *p, uint32_t id) {
  assert((id + UINT64_C(1)) * sizeof(struct clew_comback_record) <= p->records.committed_bytes);
  return (struct clew_comback_record *)(void *)p->records.data + id;
}

static uint64_t hash_at(const struct clew_comback_paper *p, uint32_t id) {
  uint64_t hash = record_at(p, id)->hash;
  if (p->slots.shape.hash_bits > 32) {
    hash |= (uint64_t)((const uint32_t *)(const void *)p->highs.data)[id] << 32;
  }
  return hash;
}

bool clew_comback_paper_open(struct clew_comback *c) {
  assert(c->settings.layout == CLEW_COMBACK_PAPER);
  struct clew_comback_paper *p = &c->paper;
  struct clew_budget *budget = c->base.config.budget;
  const struct clew_comback_shape shape = {.hash_bits = c->settings.hash_bits,
                                           .load_percent = LOAD_PERCENT,
                                           .growth_percent = GROWTH_PERCENT,
                                           .expected = c->settings.expected_states};
  return clew_comback_region_open(
             &p->records, CLEW_COMBACK_MAX_STATES * sizeof(struct clew_comback_record), budget) &&
         (shape.hash_bits <= 32 ||
          clew_comback_region_open(&p->highs, CLEW_COMBACK_MAX_STATES * sizeof(uint32_t),
                                   budget)) &&
         clew_comback_slots_open(&p->slots, &shape, budget);
}

void clew_comback_paper_close(struct clew_comback_paper *p) {
  clew_bigmem_close(&p->records);
  clew_bigmem_close(&p->highs);
  clew_comback_slots_close(&p->slots);
}

bool clew_comback_paper_reserve(struct clew_comback *c, uint64_t states) {
  assert(states >= c->count && states <= CLEW_COMBACK_MAX_STATES);
  struct clew_comback_paper *p = &c->paper;
  if (!clew_bigmem_commit(&p->records, states * sizeof(struct clew_comback_record)) ||
      (p->slots.shape.hash_bits > 32 &&
       !clew_bigmem_commit(&p->highs, states * sizeof(uint32_t)))) {
    return false;
  }
  return clew_comback_slots_reserve(&p->slots, states);
}

void clew_comback_paper_add(struct clew_comback_paper *p, uint32_t id, uint64_t hash,
                            uint32_t parent, uint32_t edge) {
  assert(id == p->slots.count);
  assert(parent == CLEW_COMBACK_ROOT || parent < id);
  *record_at(p, id) =
      (struct clew_comback_record){.hash = (uint32_t)hash, .parent = parent, .edge = edge};
  if (p->slots.shape.hash_bits > 32) {
    ((uint32_t *)(void *)p->highs.data)[id] = (uint32_t)(hash >> 32);
  }
  clew_comback_slots_insert(&p->slots, hash, id);
}

uint32_t clew_comback_paper_next(const struct clew_comback_paper *p,
                                 struct clew_comback_list *list) {
  uint32_t id;
  do {
    id = clew_comback_slots_next(&p->slots, list);
  } while (id != CLEW_COMBACK_NONE && hash_at(p, id) != list->hash);
  return id;
}

uint32_t clew_comback_paper_first(const struct clew_comback_paper *p, uint64_t hash,
                                  struct clew_comback_list *list) {
  uint32_t id = clew_comback_slots_first(&p->slots, hash, list);
  return id == CLEW_COMBACK_NONE || hash_at(p, id) == hash ? id : clew_comback_paper_next(p, list);
}

uint32_t clew_comback_paper_parent(const struct clew_comback_paper *p, uint32_t id) {
  return record_at(p, id)->parent;
}

uint32_t clew_comback_paper_edge(const struct clew_comback_paper *p, uint32_t id) {
  return record_at(p, id)->edge;
}

void clew_comback_paper_back_edge(const struct clew_comback_paper *p, uint32_t id, uint32_t *parent,
                                  uint32_t *edge) {
  const struct clew_comback_record *record = record_at(p, id);
  assert(record->parent < id);
  *parent = record->parent;
  *edge = record->edge;
}

void clew_comback_paper_prefetch_edge(const struct clew_comback_paper *p, uint32_t id) {
  __builtin_prefetch(record_at(p, id));
}
