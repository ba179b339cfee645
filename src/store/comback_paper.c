/* State table and back-edge table as published: 12 bytes per state, and a slot of the state table.
 *
 * A record per state holds its compressed hash, its predecessor and the event. A collision list is
 * what the state table (comback_segments.c) offers for a hash and has that very hash in its record.
 * Hashes of more than 32 bits have their other half in a column of its own. About 17 bytes per
 * state in all. From 2^32 states on another column has the high bits of predecessors. A root has
 * itself for its predecessor. */
#include <assert.h>

#include "base/bits.h"
#include "store/comback_int.h"

enum { LOAD_PERCENT = 90, GROWTH_PERCENT = 30, RECORD_ID_BITS = 32 };

struct clew_comback_record {
  uint32_t hash, parent, edge;
};

static struct clew_comback_record *record_at(const struct clew_comback_paper *p, clew_id id) {
  assert((id + 1) * sizeof(struct clew_comback_record) <= p->records.committed_bytes);
  return (struct clew_comback_record *)(void *)p->records.data + id;
}

static uint64_t hash_at(const struct clew_comback_paper *p, clew_id id) {
  uint64_t hash = record_at(p, id)->hash;
  if (p->segments.shape.hash_bits > 32) {
    hash |= (uint64_t)((const uint32_t *)(const void *)p->highs.data)[id] << 32;
  }
  return hash;
}

/* How many states there are whose parents may not fit into a record. */
static uint64_t wide_part(const struct clew_comback_paper *p, uint64_t states) {
  uint64_t narrow = UINT64_C(1) << p->low_bits;
  return states > narrow ? states - narrow : 0;
}

bool clew_comback_paper_open(struct clew_comback *c) {
  assert(c->settings.layout == CLEW_COMBACK_PAPER);
  struct clew_comback_paper *p = &c->paper;
  struct clew_budget *budget = c->base.config.budget;
  const struct clew_comback_shape shape = {.hash_bits = c->settings.hash_bits,
                                           .load_percent = LOAD_PERCENT,
                                           .growth_percent = GROWTH_PERCENT,
                                           .expected = c->settings.expected_states};
  p->low_bits = RECORD_ID_BITS;
  return clew_comback_region_open(
             &p->records, CLEW_COMBACK_MAX_STATES * sizeof(struct clew_comback_record), budget) &&
         clew_comback_region_open(&p->parent_highs, CLEW_COMBACK_MAX_STATES, budget) &&
         (shape.hash_bits <= 32 ||
          clew_comback_region_open(&p->highs, CLEW_COMBACK_MAX_STATES * sizeof(uint32_t),
                                   budget)) &&
         clew_comback_segments_open(&p->segments, &shape, CLEW_COMBACK_SEGMENT_BITS, budget);
}

void clew_comback_paper_close(struct clew_comback_paper *p) {
  assert(p != NULL);
  clew_bigmem_close(&p->records);
  clew_bigmem_close(&p->highs);
  clew_bigmem_close(&p->parent_highs);
  clew_comback_segments_close(&p->segments);
}

bool clew_comback_paper_reserve(struct clew_comback *c, uint64_t states) {
  assert(states >= c->count && states <= CLEW_COMBACK_MAX_STATES);
  struct clew_comback_paper *p = &c->paper;
  return clew_bigmem_commit(&p->records, states * sizeof(struct clew_comback_record)) &&
         clew_bigmem_commit(&p->parent_highs, wide_part(p, states)) &&
         (p->segments.shape.hash_bits <= 32 ||
          clew_bigmem_commit(&p->highs, states * sizeof(uint32_t))) &&
         clew_comback_segments_reserve(&p->segments, states);
}

void clew_comback_paper_add(struct clew_comback_paper *p, clew_id id, uint64_t hash, clew_id parent,
                            uint32_t edge) {
  assert(parent == CLEW_ID_NONE || parent < id);
  parent = parent == CLEW_ID_NONE ? id : parent;
  *record_at(p, id) =
      (struct clew_comback_record){.hash = (uint32_t)hash,
                                   .parent = (uint32_t)(parent & clew_bits_mask(p->low_bits)),
                                   .edge = edge};
  if (wide_part(p, id + 1) > 0) {
    p->parent_highs.data[wide_part(p, id)] = (unsigned char)(parent >> p->low_bits);
  }
  if (p->segments.shape.hash_bits > 32) {
    ((uint32_t *)(void *)p->highs.data)[id] = (uint32_t)(hash >> 32);
  }
  clew_comback_segments_insert(&p->segments, hash, id);
}

clew_id clew_comback_paper_next(const struct clew_comback_paper *p,
                                struct clew_comback_list *list) {
  clew_id id;
  do {
    id = clew_comback_segments_next(&p->segments, list);
  } while (id != CLEW_ID_NONE && hash_at(p, id) != list->hash);
  return id;
}

clew_id clew_comback_paper_first(const struct clew_comback_paper *p, uint64_t hash,
                                 struct clew_comback_list *list) {
  clew_id id = clew_comback_segments_first(&p->segments, hash, list);
  return id == CLEW_ID_NONE || hash_at(p, id) == hash ? id : clew_comback_paper_next(p, list);
}

clew_id clew_comback_paper_parent(const struct clew_comback_paper *p, clew_id id) {
  clew_id parent = record_at(p, id)->parent;
  if (wide_part(p, id + 1) > 0) {
    parent |= (clew_id)p->parent_highs.data[wide_part(p, id)] << p->low_bits;
  }
  return parent == id ? CLEW_ID_NONE : parent;
}

uint32_t clew_comback_paper_edge(const struct clew_comback_paper *p, clew_id id) {
  return record_at(p, id)->edge;
}

void clew_comback_paper_prefetch_edge(const struct clew_comback_paper *p, clew_id id) {
  __builtin_prefetch(record_at(p, id));
}
