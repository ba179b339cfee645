/* State table and back-edge table in about six bytes per state.
 *
 * Ids in breadth-first order make the predecessors a sequence that never decreases: two bits each
 * in a compressed column (comback_column.c). Events take as many bits as their numbers need. The
 * state table keeps no hashes: a 32-bit slot is a tag above id + 1, in buckets of sixteen slots,
 * one cache line. The hash taken as a fraction of the table says which bucket; the tag is what is
 * left over, the position within the bucket, as many bits of it as the ids leave free: nine at five
 * million states. A full bucket overflows into the next. A tag that matches is only a candidate: it
 * is compared by reconstruction like every other, so the answer stays exact.
 *
 * A tag says nothing about the place in a larger table: growing the table is forgetting it, and a
 * walk over the tree of back edges that executes every one of them once. It grows by half at a load
 * of 0.9; when the number of states is told beforehand it is made for them at once. When the budget
 * refuses, the load may rise to 0.97. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "store/comback_int.h"

enum { BUCKET_SLOTS = 16, BUCKET_BYTES = 64, FIRST_BUCKETS = 256, LEAST_BYTES_PER_STATE = 5 };

static uint64_t normal_capacity(uint64_t buckets) {
  return buckets * BUCKET_SLOTS * 9 / 10;
}

static uint64_t crowded_capacity(uint64_t buckets) {
  uint64_t states = buckets * BUCKET_SLOTS * 97 / 100;
  return states < COMBACK_MAX_STATES ? states : COMBACK_MAX_STATES;
}

static uint64_t buckets_for(uint64_t states) {
  return states * 10 / (BUCKET_SLOTS * 9) + 1;
}

static uint32_t *bucket_at(const struct comback_compact *p, uint64_t bucket) {
  assert(bucket < p->bucket_count);
  return (uint32_t *)(void *)p->slots.data + bucket * BUCKET_SLOTS;
}

struct place {
  uint64_t bucket;
  uint32_t tag; /* in the high bits */
};

static inline struct place place_of(const struct comback_compact *p, uint64_t hash) {
  uint64_t fraction = hash << (64 - p->hash_bits);
  unsigned __int128 product = (unsigned __int128)fraction * p->bucket_count;
  uint32_t rest = (uint32_t)((uint64_t)product >> 32);
  uint32_t id_mask = (uint32_t)clew_bits_mask(p->id_bits);
  return (struct place){(uint64_t)(product >> 64), rest & ~id_mask};
}

static void configure(struct comback_compact *p) {
  p->bucket_count = p->slots.committed_bytes / BUCKET_BYTES;
  p->id_bits = clew_bits_for(crowded_capacity(p->bucket_count));
  assert(p->id_bits >= 1 && p->id_bits <= 32);
}

bool comback_compact_open(struct comback *c) {
  struct comback_compact *p = &c->compact;
  struct clew_budget *budget = c->base.config.budget;
  p->hash_bits = c->settings.hash_bits;
  bool good =
      comback_column_open(&p->parents, budget) && comback_column_open(&p->edges, budget) &&
      comback_region_open(&p->slots, buckets_for(COMBACK_MAX_STATES) * BUCKET_BYTES, budget) &&
      clew_bigmem_commit(&p->slots, FIRST_BUCKETS * BUCKET_BYTES);
  if (good) {
    configure(p);
  }
  return good;
}

void comback_compact_close(struct comback_compact *p) {
  comback_column_close(&p->parents);
  comback_column_close(&p->edges);
  clew_bigmem_close(&p->slots);
}

/* ---- slots ---- */

/* Four slots at a time, where the compiler has registers for that. */
typedef uint32_t quad __attribute__((vector_size(16)));

enum { QUAD_SLOTS = 4 };

static inline uint32_t any_lane(quad q) {
  return q[0] | q[1] | q[2] | q[3];
}

static inline uint32_t scan(const uint32_t *bucket, uint32_t tag, uint32_t tag_mask,
                            uint32_t *empties) {
  const quad none = {0}, tags = none + tag, masks = none + tag_mask;
  quad bits = {1, 2, 4, 8}, matching = none, empty = none; /* bit i is for slot i */
  for (uint32_t i = 0; i < BUCKET_SLOTS; i += QUAD_SLOTS, bits <<= QUAD_SLOTS) {
    quad slots;
    memcpy(&slots, bucket + i, sizeof slots);
    quad is_empty = (quad)(slots == none);
    matching |= (quad)((slots & masks) == tags) & ~is_empty & bits;
    empty |= is_empty & bits;
  }
  *empties = any_lane(empty);
  return any_lane(matching);
}

static uint64_t next_bucket(const struct comback_compact *p, uint64_t bucket) {
  return bucket + 1 < p->bucket_count ? bucket + 1 : 0;
}

void comback_compact_insert(struct comback_compact *p, uint64_t hash, uint32_t id) {
  struct place place = place_of(p, hash);
  uint32_t empties;
  while (scan(bucket_at(p, place.bucket), 0, 0, &empties), empties == 0) {
    place.bucket = next_bucket(p, place.bucket);
  }
  bucket_at(p, place.bucket)[__builtin_ctz(empties)] = place.tag | (id + 1);
}

static void look_into_bucket(const struct comback_compact *p, struct comback_list *list) {
  uint32_t empties, tag_mask = ~(uint32_t)clew_bits_mask(p->id_bits);
  list->matches = scan(bucket_at(p, list->bucket), list->tag, tag_mask, &empties);
  list->last = empties != 0;
}

uint32_t comback_compact_next(const struct comback_compact *p, struct comback_list *list) {
  while (list->matches == 0) {
    if (list->last) {
      return list->id = COMBACK_NONE;
    }
    list->bucket = next_bucket(p, list->bucket);
    look_into_bucket(p, list);
  }
  uint32_t slot = bucket_at(p, list->bucket)[__builtin_ctz(list->matches)];
  list->matches &= list->matches - 1;
  return list->id = (slot & (uint32_t)clew_bits_mask(p->id_bits)) - 1;
}

uint32_t comback_compact_first(const struct comback_compact *p, uint64_t hash,
                               struct comback_list *list) {
  struct place place = place_of(p, hash);
  *list = (struct comback_list){.hash = hash, .bucket = place.bucket, .tag = place.tag};
  look_into_bucket(p, list);
  return comback_compact_next(p, list);
}

void comback_compact_prefetch(const struct comback_compact *p, uint64_t hash) {
  __builtin_prefetch(bucket_at(p, place_of(p, hash).bucket), 1);
}

void comback_compact_add(struct comback_compact *p, uint32_t id, uint64_t hash, uint32_t parent,
                         uint32_t edge) {
  assert(id == p->parents.count);
  /* A root has no parent; the last one keeps the column as it is. */
  comback_column_append(&p->parents, parent == CLEW_STORE_ROOT ? p->parents.last : parent);
  comback_column_append(&p->edges, parent == CLEW_STORE_ROOT ? p->edges.last : edge);
  comback_compact_insert(p, hash, id);
}

/* ---- growth ---- */

static void insert_again(void *context, uint32_t id, const uint64_t *state) {
  struct comback *c = context;
  uint64_t hash = clew_hash_words(state, c->base.config.words, c->base.config.seed);
  comback_compact_insert(&c->compact, comback_compress(c, hash), id);
}

static uint64_t buckets_wanted(const struct comback *c, uint64_t states) {
  const struct clew_store_options *options = clew_store_options(&c->base.config);
  uint64_t expected = options->comback.states > 0 ? options->comback.states : options->entries;
  uint64_t buckets = c->compact.bucket_count + c->compact.bucket_count / 2;
  if (expected >= states) {
    buckets = buckets_for(expected);
  }
  if (c->base.config.budget != NULL) {
    /* Not more than the states that still fit into the budget can use. */
    uint64_t more = clew_budget_left(c->base.config.budget) / LEAST_BYTES_PER_STATE;
    uint64_t useful = buckets_for(states + more);
    buckets = buckets < useful ? buckets : useful;
  }
  return buckets;
}

/* More slots, enough of them for a walk over the tree to pay. */
static bool commit_more(struct comback *c, uint64_t states) {
  struct comback_compact *p = &c->compact;
  uint64_t wanted = buckets_wanted(c, states), least = p->bucket_count + p->bucket_count / 16 + 1;
  least = least > buckets_for(states) ? least : buckets_for(states);
  return (wanted > least && clew_bigmem_commit(&p->slots, wanted * BUCKET_BYTES)) ||
         clew_bigmem_commit(&p->slots, least * BUCKET_BYTES);
}

static bool grow(struct comback *c, uint64_t states) {
  struct comback_compact *p = &c->compact;
  size_t old_bytes = p->slots.committed_bytes;
  if (!clew_bigmem_commit(&c->worker.frames, (c->max_depth + UINT64_C(2)) * 2 * sizeof(uint32_t)) ||
      !commit_more(c, states)) {
    return false;
  }
  uint64_t events = c->worker.events;
  memset(p->slots.data, 0, old_bytes);
  configure(p);
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
  return states <= normal_capacity(p->bucket_count) || grow(c, states) ||
         states <= crowded_capacity(p->bucket_count);
}
