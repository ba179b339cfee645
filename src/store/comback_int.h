/* The ComBack store from inside: its parts and what they promise each other.
 *
 *   options      what the command line says, checked
 *   slots        a state table: from a hash to numbers
 *   segments     as many of them as ids need: from a hash to ids
 *   paper        state table and back-edge table, as published
 *   compact      the same in a third of the memory; column is its compressed array
 *   tables       one face for the two, and the roots, which are kept in full
 *   cache        full states by id: strategies R, F, H, D, L and two levels of them
 *   rebuild      a state from its id: backtracking and replay
 *   index        from hashes to numbers, of candidates and of nodes of a forest
 *   forest       many states from their ids at once: grouped reconstruction
 *   crew         the same by several threads, in the background
 *   candidates   states whose duplicate detection is delayed
 *   pairs        which of them must be compared with which stored state
 *
 * A back edge leads from a state to one with a smaller id. */
#ifndef CLEW_STORE_COMBACK_INT_H
#define CLEW_STORE_COMBACK_INT_H

#include "store/comback_cache_int.h"
#include "store/comback_candidates_int.h"
#include "store/comback_rebuild_int.h"
#include "store/comback_settings_int.h"
#include "store/comback_tables_int.h"
#include "store/store.h"

struct clew_comback_figures {
  uint64_t collisions; /* states that had the hash of another one when they came */
  uint64_t mismatches; /* comparisons in vain */
  uint64_t candidates, detections, forced_detections, undelayed;
};

struct clew_comback {
  struct clew_store base;
  struct clew_comback_settings settings;
  uint64_t count;
  bool full; /* something was refused in the middle of a put */
  struct clew_comback_roots roots;
  struct clew_comback_paper paper; /* one of the two is in use */
  struct clew_comback_compact compact;
  struct {
    clew_id last;  /* parent of the last state that is no root */
    bool monotone; /* parents never decreased so far */
  } paper_order;
  struct clew_comback_caches caches;
  struct clew_comback_candidates candidates;
  struct clew_comback_candidates judged; /* those that the crew is looking for */
  struct clew_comback_forest group;      /* of `get` and of a detection */
  struct clew_comback_worker worker;
  struct clew_comback_crew *crew; /* NULL: this thread does it */
  struct clew_comback_figures figures;
};

static inline size_t clew_comback_state_bytes(const struct clew_comback *c) {
  return c->base.config.words * sizeof(uint64_t);
}

/* Neither root nor cached: a quick answer for most states. */
static inline bool clew_comback_is_surely_unknown(const struct clew_comback *c, clew_id id) {
  return id < c->caches.none_below && id >= c->roots.prefix && c->roots.prefix == c->roots.count &&
         !clew_comback_cache_lists(c->caches.mapped, id);
}

/* The state when it is a root or in a cache, else NULL. */
static inline const uint64_t *clew_comback_known(const struct clew_comback *c,
                                                 struct clew_comback_worker *w, clew_id id) {
  return clew_comback_is_surely_unknown(c, id) ? NULL : clew_comback_find_known(c, w, id);
}

static inline bool clew_comback_is_known(const struct clew_comback *c, clew_id id) {
  return !clew_comback_is_surely_unknown(c, id) && clew_comback_is_root_or_cached(c, id);
}

/* The tables know the high bits of a hash, as many as the option says. */
static inline uint64_t clew_comback_compress(const struct clew_comback *c, uint64_t hash) {
  return hash >> (64 - c->settings.hash_bits);
}

#endif
