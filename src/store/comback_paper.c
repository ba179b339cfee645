/* State table and back-edge table as published: 16 bytes per state and the heads of the lists.
 *
 * A record per state holds its compressed hash, the next state of its chain, its predecessor and
 * the event. Chains hang from an array of heads, addressed by the hash; a collision list is what in
 * a chain has the same hash. Hashes of more than 32 bits have their other half in a column of its
 * own. As the hashes are kept, growing the heads needs nothing but the records and is done in
 * place. Two or three states share a head: about 18 bytes per state in all. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { FIRST_HEADS = 1024, STATES_PER_HEAD = 3 };

struct comback_record {
  uint32_t hash, next, parent, edge;
};

static struct comback_record *record_at(const struct comback_paper *p, uint32_t id) {
  assert((id + UINT64_C(1)) * sizeof(struct comback_record) <= p->records.committed_bytes);
  return (struct comback_record *)(void *)p->records.data + id;
}

static uint64_t hash_at(const struct comback_paper *p, uint32_t id) {
  uint64_t hash = record_at(p, id)->hash;
  if (p->hash_bits > 32) {
    hash |= (uint64_t)((const uint32_t *)(const void *)p->highs.data)[id] << 32;
  }
  return hash;
}

static uint32_t *head_of(const struct comback_paper *p, uint64_t hash) {
  uint64_t at = (uint64_t)(((unsigned __int128)hash * p->head_count) >> p->hash_bits);
  assert(at < p->head_count);
  return (uint32_t *)(void *)p->heads.data + at;
}

bool comback_paper_open(struct comback *c) {
  struct comback_paper *p = &c->paper;
  struct clew_budget *budget = c->base.config.budget;
  p->hash_bits = c->settings.hash_bits;
  p->head_count = FIRST_HEADS;
  return comback_region_open(&p->records, COMBACK_MAX_STATES * sizeof(struct comback_record),
                             budget) &&
         (p->hash_bits <= 32 ||
          comback_region_open(&p->highs, COMBACK_MAX_STATES * sizeof(uint32_t), budget)) &&
         comback_region_open(&p->heads, COMBACK_MAX_STATES * sizeof(uint32_t), budget) &&
         clew_bigmem_commit(&p->heads, p->head_count * sizeof(uint32_t));
}

void comback_paper_close(struct comback_paper *p) {
  clew_bigmem_close(&p->records);
  clew_bigmem_close(&p->highs);
  clew_bigmem_close(&p->heads);
}

static void link_record(struct comback_paper *p, uint32_t id) {
  uint32_t *head = head_of(p, hash_at(p, id));
  record_at(p, id)->next = *head;
  *head = id + 1;
}

/* A refusal is no reason to stop: longer chains are slower, not wrong. */
static void grow_heads(struct comback_paper *p, uint64_t count, uint64_t states) {
  uint64_t heads = p->head_count + p->head_count / 2;
  uint64_t needed = (states + STATES_PER_HEAD - 1) / STATES_PER_HEAD;
  heads = heads > needed ? heads : needed;
  size_t old_bytes = p->heads.committed_bytes;
  if (!clew_bigmem_commit(&p->heads, heads * sizeof(uint32_t))) {
    return;
  }
  memset(p->heads.data, 0, old_bytes);
  p->head_count = p->heads.committed_bytes / sizeof(uint32_t);
  for (uint64_t id = 0; id < count; id++) {
    link_record(p, (uint32_t)id);
  }
}

bool comback_paper_reserve(struct comback_paper *p, uint64_t count, uint64_t states) {
  if (!clew_bigmem_commit(&p->records, states * sizeof(struct comback_record)) ||
      (p->hash_bits > 32 && !clew_bigmem_commit(&p->highs, states * sizeof(uint32_t)))) {
    return false;
  }
  if (states > p->head_count * STATES_PER_HEAD) {
    grow_heads(p, count, states);
  }
  return true;
}

void comback_paper_add(struct comback_paper *p, uint32_t id, uint64_t hash, uint32_t parent,
                       uint32_t edge) {
  *record_at(p, id) =
      (struct comback_record){.hash = (uint32_t)hash, .parent = parent, .edge = edge};
  if (p->hash_bits > 32) {
    ((uint32_t *)(void *)p->highs.data)[id] = (uint32_t)(hash >> 32);
  }
  link_record(p, id);
}

/* The first of the chain from here on that has the hash. */
static uint32_t along_chain(const struct comback_paper *p, uint32_t next,
                            struct comback_list *list) {
  while (next != 0) {
    const struct comback_record *record = record_at(p, next - 1);
    if (record->hash == (uint32_t)list->hash && hash_at(p, next - 1) == list->hash) {
      return list->id = next - 1;
    }
    next = record->next;
  }
  return list->id = COMBACK_NONE;
}

uint32_t comback_paper_first(const struct comback_paper *p, uint64_t hash,
                             struct comback_list *list) {
  list->hash = hash;
  return along_chain(p, *head_of(p, hash), list);
}

uint32_t comback_paper_next(const struct comback_paper *p, struct comback_list *list) {
  return along_chain(p, record_at(p, list->id)->next, list);
}

uint32_t comback_paper_parent(const struct comback_paper *p, uint32_t id) {
  return record_at(p, id)->parent;
}

uint32_t comback_paper_edge(const struct comback_paper *p, uint32_t id) {
  return record_at(p, id)->edge;
}

void comback_paper_prefetch(const struct comback_paper *p, uint64_t hash) {
  __builtin_prefetch(head_of(p, hash), 1);
}
