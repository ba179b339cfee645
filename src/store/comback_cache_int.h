/* The ComBack store: caches of full states (comback_cache.c). */
#ifndef CLEW_STORE_COMBACK_CACHE_INT_H
#define CLEW_STORE_COMBACK_CACHE_INT_H

#include "base/random.h"
#include "store/comback_settings_int.h"

struct clew_comback_slot {
  clew_id id;
  uint32_t depth;
  uint32_t references; /* states that have it as their predecessor: r(s) */
  uint32_t heap;       /* H and D: its position there */
  bool expanded;
};

/* An entry of the heap of H and D. */
struct clew_comback_ranked {
  double value; /* H(s) */
  clew_id id;
  uint32_t slot;
};

struct clew_comback_cache {
  enum clew_comback_strategy strategy;
  uint32_t capacity, count;
  bool grows; /* with the number of states, up to its capacity */
  uint32_t words;
  uint32_t oldest; /* F: the slot to be used again next */
  uint32_t step;   /* L */
  struct clew_bigmem states, slots, map, heap;
  struct clew_bigmem listed; /* a bit for each id there is: whether it is in the map */
  uint32_t map_bits;
};

struct clew_comback_open_parent {
  clew_id id;
  uint32_t references;
};

struct clew_comback_caches {
  struct clew_comback_cache first, second;
  struct clew_comback_cache
      *mapped;        /* the one that is no fifo; there is one at most, or an empty one */
  clew_id none_below; /* states with smaller ids are in no fifo */
  clew_id parent;     /* so many states refer to this one and are not accounted for yet: */
  uint32_t references;
  struct clew_random random;
  struct clew_bigmem levels; /* uint32_t: how many states there are of each depth: L(n) */
  struct clew_comback_open_parent
      *open_parents; /* r(s) of states that are in no cache; a small table */
};

static inline bool clew_comback_cache_lists(const struct clew_comback_cache *k, clew_id id) {
  return id / 8 < k->listed.committed_bytes && (k->listed.data[id / 8] >> id % 8 & 1) != 0;
}

bool clew_comback_caches_open(struct clew_comback *c);
void clew_comback_caches_close(struct clew_comback_caches *caches);
/* The state if it is in a cache: good until the next call that may change it. */
const uint64_t *clew_comback_caches_find(const struct clew_comback_caches *caches, clew_id id,
                                         uint32_t *level);
/* `counted`: that it refers to its predecessor was said before. */
void clew_comback_caches_new_state(struct clew_comback *c, clew_id id,
                                   const struct clew_visit *visit, bool counted);
void clew_comback_caches_count_reference(struct clew_comback_caches *caches, clew_id parent);
void clew_comback_caches_expanded(struct clew_comback *c, clew_id id, uint32_t depth,
                                  const uint64_t *state);
bool clew_comback_caches_use_expanded(const struct clew_comback_caches *caches);
uint64_t clew_comback_caches_bytes(const struct clew_comback_caches *caches);
const char *clew_comback_caches_check(const struct clew_comback_caches *caches);

#endif
