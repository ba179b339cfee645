/* The state table of both layouts: from a hash to the ids of the states that may have it.
 *
 * A 32-bit slot is a tag above id + 1, in buckets of sixteen slots, one cache line. The hash taken
 * as a fraction of the table says which bucket; the tag is what is left over, the position within
 * the bucket, as many bits of it as the ids leave free: nine at five million states. A full bucket
 * overflows into the next. A tag that matches is only a candidate: who keeps hashes compares these,
 * who does not compares states, so the answer stays exact.
 *
 * A tag says nothing about the place in a larger table: growing is forgetting everything, and the
 * caller inserts all ids again. The table grows by three tenths at a load of 0.9; when the number
 * of states is told beforehand it is made for them at once. When the budget refuses, the load may
 * rise to 0.97. */
#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
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

static uint32_t *bucket_at(const struct comback_slots *t, uint64_t bucket) {
  assert(bucket < t->bucket_count);
  return (uint32_t *)(void *)t->data.data + bucket * BUCKET_SLOTS;
}

struct place {
  uint64_t bucket;
  uint32_t tag; /* in the high bits */
};

static inline struct place place_of(const struct comback_slots *t, uint64_t hash) {
  uint64_t fraction = hash << (64 - t->hash_bits);
  unsigned __int128 product = (unsigned __int128)fraction * t->bucket_count;
  uint32_t rest = (uint32_t)((uint64_t)product >> 32);
  uint32_t id_mask = (uint32_t)clew_bits_mask(t->id_bits);
  return (struct place){(uint64_t)(product >> 64), rest & ~id_mask};
}

static void configure(struct comback_slots *t) {
  t->bucket_count = t->data.committed_bytes / BUCKET_BYTES;
  t->id_bits = clew_bits_for(crowded_capacity(t->bucket_count));
  assert(t->id_bits >= 1 && t->id_bits <= 32);
}

bool comback_slots_open(struct comback_slots *t, uint32_t hash_bits, struct clew_budget *budget) {
  t->hash_bits = hash_bits;
  if (!comback_region_open(&t->data, buckets_for(COMBACK_MAX_STATES) * BUCKET_BYTES, budget) ||
      !clew_bigmem_commit(&t->data, FIRST_BUCKETS * BUCKET_BYTES)) {
    return false;
  }
  configure(t);
  return true;
}

void comback_slots_close(struct comback_slots *t) {
  clew_bigmem_close(&t->data);
}

/* ---- one bucket ---- */

#ifdef __SSE2__
/* Bit i: lane i of the four vectors, each of ~0 or 0, is set. */
static inline uint32_t lanes_of(const __m128i *v) {
  __m128i words = _mm_packs_epi16(_mm_packs_epi32(v[0], v[1]), _mm_packs_epi32(v[2], v[3]));
  return (uint32_t)_mm_movemask_epi8(words);
}

/* Which slots have the tag, and which are empty. */
static inline uint32_t scan(const uint32_t *bucket, uint32_t tag, uint32_t tag_mask,
                            uint32_t *empties) {
  const __m128i zero = _mm_setzero_si128(), tags = _mm_set1_epi32((int)tag);
  const __m128i masks = _mm_set1_epi32((int)tag_mask);
  __m128i matching[4], empty[4];
  for (uint32_t i = 0; i < 4; i++) {
    __m128i slots = _mm_loadu_si128((const __m128i *)(const void *)(bucket + (size_t)i * 4));
    matching[i] = _mm_cmpeq_epi32(_mm_and_si128(slots, masks), tags);
    empty[i] = _mm_cmpeq_epi32(slots, zero);
  }
  *empties = lanes_of(empty);
  return lanes_of(matching) & ~*empties;
}
#else
static inline uint32_t scan(const uint32_t *bucket, uint32_t tag, uint32_t tag_mask,
                            uint32_t *empties) {
  uint32_t matches = 0;
  *empties = 0;
  for (uint32_t i = 0; i < BUCKET_SLOTS; i++) {
    matches |= (uint32_t)((bucket[i] & tag_mask) == tag && bucket[i] != 0) << i;
    *empties |= (uint32_t)(bucket[i] == 0) << i;
  }
  return matches;
}
#endif

static uint64_t next_bucket(const struct comback_slots *t, uint64_t bucket) {
  return bucket + 1 < t->bucket_count ? bucket + 1 : 0;
}

static uint32_t tag_mask_of(const struct comback_slots *t) {
  return ~(uint32_t)clew_bits_mask(t->id_bits);
}

void comback_slots_insert(struct comback_slots *t, uint64_t hash, uint32_t id) {
  struct place place = place_of(t, hash);
  uint32_t empties;
  while (scan(bucket_at(t, place.bucket), 0, 0, &empties), empties == 0) {
    place.bucket = next_bucket(t, place.bucket);
  }
  bucket_at(t, place.bucket)[__builtin_ctz(empties)] = place.tag | (id + 1);
}

static void look_into_bucket(const struct comback_slots *t, struct comback_list *list) {
  uint32_t empties;
  list->matches = scan(bucket_at(t, list->bucket), list->tag, tag_mask_of(t), &empties);
  list->last = empties != 0;
}

uint32_t comback_slots_next(const struct comback_slots *t, struct comback_list *list) {
  while (list->matches == 0) {
    if (list->last) {
      return list->id = COMBACK_NONE;
    }
    list->bucket = next_bucket(t, list->bucket);
    look_into_bucket(t, list);
  }
  uint32_t slot = bucket_at(t, list->bucket)[__builtin_ctz(list->matches)];
  list->matches &= list->matches - 1;
  return list->id = (slot & (uint32_t)clew_bits_mask(t->id_bits)) - 1;
}

uint32_t comback_slots_first(const struct comback_slots *t, uint64_t hash,
                             struct comback_list *list) {
  struct place place = place_of(t, hash);
  *list = (struct comback_list){.hash = hash, .bucket = place.bucket, .tag = place.tag};
  look_into_bucket(t, list);
  return comback_slots_next(t, list);
}

void comback_slots_prefetch(const struct comback_slots *t, uint64_t hash) {
  __builtin_prefetch(bucket_at(t, place_of(t, hash).bucket), 1);
}

/* ---- growth ---- */

bool comback_slots_have_room(const struct comback_slots *t, uint64_t states, bool crowded) {
  uint64_t buckets = t->bucket_count;
  return states <= (crowded ? crowded_capacity(buckets) : normal_capacity(buckets));
}

static uint64_t buckets_wanted(const struct comback *c, const struct comback_slots *t,
                               uint64_t states) {
  const struct clew_store_options *options = clew_store_options(&c->base.config);
  uint64_t expected = options->comback.states > 0 ? options->comback.states : options->entries;
  uint64_t buckets = t->bucket_count + t->bucket_count / 10 * 3;
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

bool comback_slots_enlarge(const struct comback *c, struct comback_slots *t, uint64_t states) {
  size_t old_bytes = t->data.committed_bytes;
  uint64_t wanted = buckets_wanted(c, t, states),
           least = t->bucket_count + t->bucket_count / 16 + 1;
  least = least > buckets_for(states) ? least : buckets_for(states);
  if (!(wanted > least && clew_bigmem_commit(&t->data, wanted * BUCKET_BYTES)) &&
      !clew_bigmem_commit(&t->data, least * BUCKET_BYTES)) {
    return false;
  }
  memset(t->data.data, 0, old_bytes);
  configure(t);
  return true;
}
