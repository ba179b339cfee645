/* The ComBack store from inside: its parts and what they promise each other.
 *
 *   options      what the command line says, checked
 *   slots        the state table: from a hash to ids
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
 * Ids are 32-bit; a back edge leads from a state to one with a smaller id. */
#ifndef CLEW_STORE_COMBACK_INT_H
#define CLEW_STORE_COMBACK_INT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bigmem.h"
#include "base/random.h"
#include "base/vec.h"
#include "store/comback_options.h"
#include "store/store.h"

#define COMBACK_NONE UINT32_MAX
#define COMBACK_ROOT UINT32_MAX /* the parent of an initial state */
#define COMBACK_MAX_STATES (UINT64_C(0xffffffff) - 2)

struct comback;

/* The parent of a visit as the tables have it, and back. */
static inline uint32_t comback_parent_in(clew_id parent) {
  assert(parent == CLEW_ID_NONE || parent < COMBACK_MAX_STATES);
  return parent == CLEW_ID_NONE ? COMBACK_ROOT : (uint32_t)parent;
}

static inline clew_id comback_parent_out(uint32_t parent) {
  return parent == COMBACK_ROOT ? CLEW_ID_NONE : parent;
}

/* A state was rebuilt. Which one, `number` says: its place in the list of those that were wanted,
 * or its id where all are. */
typedef void comback_found(void *context, uint32_t number, const uint64_t *state);

/* Reserves as many addresses as the system allows, at most `bytes`. */
bool comback_region_open(struct clew_bigmem *mem, uint64_t bytes, struct clew_budget *budget);

/* ---- options ---- */

enum comback_strategy {
  COMBACK_NO_CACHE,
  COMBACK_RANDOM,    /* R */
  COMBACK_FIFO,      /* F */
  COMBACK_HEURISTIC, /* H */
  COMBACK_DISTANCE,  /* D */
  COMBACK_LEVELS,    /* L */
};

struct comback_settings {
  enum comback_strategy first, second; /* second: where what leaves the first goes */
  uint64_t first_states, second_states;
  double probability; /* R: of a new state to replace another one */
  uint32_t distance;  /* D: cached states are at least so far apart */
  uint32_t level_step;
  uint64_t candidates; /* 0: no delay */
  uint32_t block;
  uint32_t hash_bits;
  uint64_t expected_states; /* 0: nobody knows */
  bool queue_ids;           /* the queue holds ids: GET */
  bool detects_late;        /* not at the end of every level: LATE */
  enum clew_comback_layout layout;
  /* Sizes that nobody gave grow with the states until there are so many full states; 0: all sizes
   * are what they are from the start. */
  uint64_t growing_to;
  bool cache_grows, candidates_grow;
};

enum { COMBACK_OPTION_COUNT = 10 };
extern const struct clew_option_spec clew_comback_option_specs[COMBACK_OPTION_COUNT];

enum clew_status comback_settings_read(const struct clew_store_config *config,
                                       struct clew_diag_sink *diags,
                                       struct comback_settings *settings);

/* Of a size that grows, the part that is allowed for as many states as there are now. */
uint64_t comback_allowed(const struct comback *c, uint64_t most);

/* ---- a compressed array of 32-bit numbers that grows at its end ---- */

enum { COMBACK_CHUNK = 256 };

struct comback_column {
  struct clew_bigmem data;      /* encoded chunks, each at a multiple of four bytes */
  struct clew_bigmem directory; /* struct comback_chunk of each */
  uint64_t count, data_bytes;
  uint32_t last;                /* the number at the end */
  bool monotone;                /* never decreasing so far */
  uint32_t open[COMBACK_CHUNK]; /* the last, incomplete chunk */
};

bool comback_column_open(struct comback_column *column, struct clew_budget *budget);
void comback_column_close(struct comback_column *column);
bool comback_column_reserve(struct comback_column *column, uint64_t count);
void comback_column_append(struct comback_column *column, uint32_t number);
uint32_t comback_column_get(const struct comback_column *column, uint64_t index);
uint64_t comback_column_bytes(const struct comback_column *column);
const char *comback_column_check(const struct comback_column *column);

/* ---- the tables ---- */

/* What a state table is made for. */
struct comback_shape {
  uint32_t hash_bits;
  uint32_t load_percent;   /* from which it grows, */
  uint32_t growth_percent; /* by so much: little memory or little time */
  uint64_t expected;       /* states, 0 when nobody knows */
};

/* From hashes to ids. */
struct comback_slots {
  struct comback_shape shape;
  struct clew_bigmem data;    /* uint32_t: (tag, id + 1) or 0, sorted by homes; then the tail */
  struct clew_bigmem offsets; /* of each home and the tail: where its first slot is */
  uint64_t homes, count;      /* count: of ids */
  uint32_t id_bits, rest_shift, growths;
  uint32_t up, down; /* shifts from a hash to its prefix */
};

struct comback_paper {
  struct comback_slots slots;
  struct clew_bigmem records; /* struct comback_record by id */
  struct clew_bigmem highs;   /* uint32_t by id: the other half of a hash of more than 32 bits */
};

struct comback_compact {
  struct comback_slots slots;
  struct comback_column parents, edges;
};

struct comback_roots {
  struct clew_bigmem states, ids; /* words of each; uint32_t, ascending */
  uint32_t count, prefix;         /* the roots 0..prefix-1 have these very ids */
};

/* A walk over the collision list of a hash. */
struct comback_list {
  uint64_t hash;    /* compressed */
  uint64_t at, end; /* slots that are being looked at, and where those of the home end */
  uint32_t tag, matches, id;
};

bool comback_tables_open(struct comback *c);
void comback_tables_close(struct comback *c);
/* Room for so many states in all. */
bool comback_tables_reserve(struct comback *c, uint64_t states);
/* Room for so many more roots. */
bool comback_roots_reserve(struct comback *c, uint64_t more);
void comback_tables_prefetch(const struct comback *c, uint64_t hash);
/* Adds the state c->count; room was reserved. The state's words are needed for roots only. */
void comback_tables_add(struct comback *c, const struct clew_visit *visit);
/* The ids of states with this (compressed) hash, COMBACK_NONE after the last. */
uint32_t comback_list_first(const struct comback *c, uint64_t hash, struct comback_list *list);
uint32_t comback_list_next(const struct comback *c, struct comback_list *list);
uint32_t comback_parent(const struct comback *c, uint32_t id); /* or COMBACK_ROOT */
uint32_t comback_edge(const struct comback *c, uint32_t id);
/* Both, of a state that is no root. */
void comback_tables_back_edge(const struct comback *c, uint32_t id, uint32_t *parent,
                              uint32_t *edge);
void comback_tables_prefetch_edge(const struct comback *c, uint32_t id); /* its back edge */
/* Whether parents never decrease: then children of a state are consecutive. */
bool comback_tables_monotone(const struct comback *c);
const uint64_t *comback_root_state(const struct comback *c, uint32_t id); /* NULL: no root */
uint64_t comback_tables_bytes(const struct comback *c);
void comback_tables_counters(const struct comback *c, struct clew_counters *out);
const char *comback_tables_check(struct comback *c);

bool comback_slots_open(struct comback_slots *t, const struct comback_shape *shape,
                        struct clew_budget *budget);
void comback_slots_close(struct comback_slots *t);
/* Room for so many ids in all; false when the budget refuses. */
bool comback_slots_reserve(struct comback_slots *t, uint64_t states);
void comback_slots_insert(struct comback_slots *t, uint64_t hash, uint32_t id);
/* The ids of states that may have this hash, COMBACK_NONE after the last. */
uint32_t comback_slots_first(const struct comback_slots *t, uint64_t hash,
                             struct comback_list *list);
uint32_t comback_slots_next(const struct comback_slots *t, struct comback_list *list);
void comback_slots_prefetch(const struct comback_slots *t, uint64_t hash);
uint64_t comback_slots_bytes(const struct comback_slots *t);
const char *comback_slots_check(const struct comback_slots *t);

bool comback_paper_open(struct comback *c);
void comback_paper_close(struct comback_paper *p);
bool comback_paper_reserve(struct comback *c, uint64_t states);
void comback_paper_add(struct comback_paper *p, uint32_t id, uint64_t hash, uint32_t parent,
                       uint32_t edge);
uint32_t comback_paper_first(const struct comback_paper *p, uint64_t hash,
                             struct comback_list *list);
uint32_t comback_paper_next(const struct comback_paper *p, struct comback_list *list);
uint32_t comback_paper_parent(const struct comback_paper *p, uint32_t id);
uint32_t comback_paper_edge(const struct comback_paper *p, uint32_t id);
void comback_paper_back_edge(const struct comback_paper *p, uint32_t id, uint32_t *parent,
                             uint32_t *edge);
void comback_paper_prefetch_edge(const struct comback_paper *p, uint32_t id);

bool comback_compact_open(struct comback *c);
void comback_compact_close(struct comback_compact *p);
bool comback_compact_reserve(struct comback *c, uint64_t states);
void comback_compact_add(struct comback_compact *p, uint32_t id, uint64_t hash, uint32_t parent,
                         uint32_t edge);

/* ---- caches ---- */

struct comback_slot {
  uint32_t id, depth;
  uint32_t references; /* states that have it as their predecessor: r(s) */
  uint32_t heap;       /* H and D: its position there */
  bool expanded;
};

/* An entry of the heap of H and D. */
struct comback_ranked {
  double value; /* H(s) */
  uint32_t id, slot;
};

struct comback_cache {
  enum comback_strategy strategy;
  uint32_t capacity, count;
  bool grows; /* with the number of states, up to its capacity */
  uint32_t words;
  uint32_t oldest; /* F: the slot to be used again next */
  uint32_t step;   /* L */
  struct clew_bigmem states, slots, map, heap;
  struct clew_bigmem listed; /* a bit for each id there is: whether it is in the map */
  uint32_t map_bits;
};

struct comback_open_parent {
  uint32_t id, references;
};

struct comback_caches {
  struct comback_cache first, second;
  struct comback_cache *mapped; /* the one that is no fifo; there is one at most, or an empty one */
  uint32_t none_below;          /* states with smaller ids are in no fifo */
  uint32_t parent, references;  /* so many states refer to this one and are not accounted for yet */
  struct clew_random random;
  struct clew_bigmem levels; /* uint32_t: how many states there are of each depth: L(n) */
  struct comback_open_parent *open_parents; /* r(s) of states that are in no cache; a small table */
};

static inline bool comback_cache_lists(const struct comback_cache *k, uint32_t id) {
  return id / 8 < k->listed.committed_bytes && (k->listed.data[id / 8] >> id % 8 & 1) != 0;
}

bool comback_caches_open(struct comback *c);
void comback_caches_close(struct comback_caches *caches);
/* The state if it is in a cache: good until the next call that may change it. */
const uint64_t *comback_caches_find(const struct comback_caches *caches, uint32_t id,
                                    uint32_t *level);
/* `counted`: that it refers to its predecessor was said before. */
void comback_caches_new_state(struct comback *c, uint32_t id, const struct clew_visit *visit,
                              bool counted);
void comback_caches_count_reference(struct comback_caches *caches, uint32_t parent);
void comback_caches_expanded(struct comback *c, uint32_t id, uint32_t depth, const uint64_t *state);
bool comback_caches_use_expanded(const struct comback_caches *caches);
uint64_t comback_caches_bytes(const struct comback_caches *caches);
const char *comback_caches_check(const struct comback_caches *caches);

/* ---- reconstruction ---- */

/* What one thread needs to rebuild states: nothing of it is shared. */
struct comback_worker {
  uint64_t *now, *then; /* two states */
  CLEW_VEC(uint32_t) path;
  struct clew_bigmem forks; /* of the walk through a forest: the next branch to take, a uint32_t, */
  struct clew_bigmem kept;  /* and the state where they part */
  uint64_t reconstructions, events, hits_first, hits_second;
  const _Atomic bool *cancelled; /* tells to give up; NULL: never */
};

bool comback_worker_open(const struct comback *c, struct comback_worker *w);
void comback_worker_close(struct comback_worker *w);
uint64_t comback_worker_bytes(const struct comback_worker *w);
/* One event: out = the successor of `state` by `edge`. */
void comback_replay(const struct comback *c, struct comback_worker *w, uint32_t edge,
                    const uint64_t *state, uint64_t *out);
/* What is behind comback_known and comback_is_known (below). */
const uint64_t *comback_find_known(const struct comback *c, struct comback_worker *w, uint32_t id);
bool comback_is_root_or_cached(const struct comback *c, uint32_t id);
/* The state with this id: good until the caches change or the worker is used again. */
const uint64_t *comback_rebuild(const struct comback *c, struct comback_worker *w, uint32_t id);

/* ---- numbers by hash ---- */

/* Numbers 0, 1, 2 … by hashes of what they stand for. What that is, the owner knows: a search gives
 * all numbers whose hashes agree as far as they are kept. */
struct comback_index {
  struct clew_bigmem places; /* uint32_t: bits of the hash above the number + 1; 0: free */
  uint32_t bits;             /* of the number of places */
  uint32_t spare_shift;      /* which says what part of them is free at least */
};

/* A search in the index. */
struct comback_probe {
  uint64_t at;
  uint32_t tag;
};

/* For at most so many numbers in all. Half of the places are spare (1), or a quarter (2), …: fast
 * or small. */
bool comback_index_open(struct comback_index *index, uint64_t most, uint32_t spare_shift,
                        struct clew_budget *budget);
/* Makes room for so many, at least as much as there is. Sets `again` when the index is empty after
 * that and all numbers must be added anew. False, changing nothing, when the budget refuses. */
bool comback_index_reserve(struct comback_index *index, uint64_t count, bool *again);
/* Empties the index and makes it as large as is good for so many, whatever its size was; up to
 * `hoped` if the memory is there already. False, changing nothing, when the budget refuses. */
bool comback_index_restart(struct comback_index *index, uint64_t count, uint64_t hoped);
void comback_index_clear(struct comback_index *index);
/* Removes all numbers from the home of a hash to the next free place. When that is done for each
 * number the index is empty: what is left of a run is always its beginning. */
void comback_index_clear_run(struct comback_index *index, uint64_t hash);

static inline uint32_t *comback_index_places(const struct comback_index *index) {
  return (uint32_t *)(void *)index->places.data;
}

static inline uint64_t comback_index_home(const struct comback_index *index, uint64_t hash) {
  return hash >> (64 - index->bits);
}

static inline uint64_t comback_index_room(const struct comback_index *index) {
  uint64_t places = UINT64_C(1) << index->bits;
  return places - (places >> index->spare_shift);
}

/* The next number that may be the one, or COMBACK_NONE: then the probe is at the free place where
 * it would be. */
static inline uint32_t comback_index_next(const struct comback_index *index,
                                          struct comback_probe *probe) {
  const uint32_t *places = comback_index_places(index);
  uint64_t mask = (UINT64_C(1) << index->bits) - 1;
  for (uint32_t place; (place = places[probe->at]) != 0; probe->at = (probe->at + 1) & mask) {
    uint32_t number = place ^ probe->tag; /* + 1, if the tag is the same */
    if (number <= mask) {
      probe->at = (probe->at + 1) & mask;
      return number - 1;
    }
  }
  return COMBACK_NONE;
}

static inline uint32_t comback_index_first(const struct comback_index *index, uint64_t hash,
                                           struct comback_probe *probe) {
  probe->at = comback_index_home(index, hash);
  probe->tag = (uint32_t)(hash << index->bits);
  return comback_index_next(index, probe);
}

/* Adds a number where a search for it ended. */
static inline void comback_index_add_at(struct comback_index *index,
                                        const struct comback_probe *probe, uint32_t number) {
  assert(number < comback_index_room(index) && comback_index_places(index)[probe->at] == 0);
  comback_index_places(index)[probe->at] = probe->tag | (number + 1);
}

static inline void comback_index_add(struct comback_index *index, uint64_t hash, uint32_t number) {
  struct comback_probe probe;
  uint32_t other = comback_index_first(index, hash, &probe);
  while (other != COMBACK_NONE) {
    other = comback_index_next(index, &probe);
  }
  comback_index_add_at(index, &probe, number);
}

/* A hash of an id, whose high bits are good. */
static inline uint64_t comback_hash_id(uint32_t id) {
  return id * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- grouped reconstruction ---- */

struct comback_node {
  uint32_t id, child, sibling; /* of the next two: nodes, or COMBACK_NONE */
  uint32_t edge;               /* of its back edge, unless a tree begins with it */
  uint32_t wanted;             /* its number in the list of wanted states, or COMBACK_NONE */
};

/* The part of the tree of back edges that leads to the wanted states. */
struct comback_forest {
  struct clew_bigmem nodes;
  struct comback_index index; /* of nodes by ids, where they are not found in descending order */
  uint64_t room;              /* for so many nodes */
  uint32_t count, wanted;     /* nodes, and how many states were wanted */
  uint32_t first;             /* node of a tree; the others are its siblings */
};

bool comback_forest_open(struct comback_forest *f, struct clew_budget *budget);
void comback_forest_close(struct comback_forest *f);
/* The forest of wanted states: ids, ascending; of the same ones the first counts. False when the
 * budget refuses. */
bool comback_forest_build(const struct comback *c, struct comback_forest *f, const uint32_t *ids,
                          uint32_t count);
/* Rebuilds all wanted states. False when the budget refuses: then some may not have been found. */
bool comback_forest_walk(const struct comback *c, struct comback_worker *w,
                         const struct comback_forest *f, comback_found *found, void *context);
/* The same for the part from a node on whose state is given. Looks at nothing that changes while
 * states are put. */
bool comback_forest_walk_below(const struct comback *c, struct comback_worker *w,
                               const struct comback_forest *f, uint32_t node, const uint64_t *state,
                               comback_found *found, void *context);
uint64_t comback_forest_bytes(const struct comback_forest *f);

/* The states of a list, ascending, in a group; one by one when there is no memory for that. Some
 * may be found twice. */
void comback_rebuild_all(const struct comback *c, struct comback_worker *w,
                         struct comback_forest *f, const uint32_t *ids, uint32_t count,
                         comback_found *found, void *context);

/* ---- reconstruction by several threads (comback_crew.c) ---- */

struct comback_crew;

/* NULL when there is no use for it (one thread) or no memory. */
struct comback_crew *comback_crew_open(const struct comback *c);
void comback_crew_close(struct comback_crew *crew); /* ends what is going on first */
/* Has the wanted states rebuilt while the caller goes on: ids ascending; of the same ones the first
 * counts. `found` is called by any thread, for one state at a time each. The store may change
 * meanwhile. False: there is no memory, and nothing was begun. Not while it is busy. */
bool comback_crew_begin(struct comback_crew *crew, struct comback_worker *w, const uint32_t *ids,
                        uint32_t count, comback_found *found, void *context);
bool comback_crew_busy(const struct comback_crew *crew);
/* Helps with what was begun, and waits until all is found. */
void comback_crew_finish(struct comback_crew *crew, struct comback_worker *w);
uint64_t comback_crew_bytes(const struct comback_crew *crew);
/* Threads beside the caller's. */
uint32_t comback_crew_size(const struct comback_crew *crew);
/* What these did, up to the last time that one of them had nothing to do. */
void comback_crew_figures(const struct comback_crew *crew, uint64_t *reconstructions,
                          uint64_t *events);

/* ---- what is to be compared (comback_pairs.c) ---- */

/* Pairs of a stored state and a candidate that may be the same. */
struct comback_pairs {
  struct clew_bigmem data; /* uint64_t: id above candidate; and as much room for sorting */
  uint32_t count;
};

bool comback_pairs_open(struct comback_pairs *pairs, struct clew_budget *budget);
void comback_pairs_close(struct comback_pairs *pairs);
/* False, changing nothing, when the budget refuses. */
bool comback_pairs_add(struct comback_pairs *pairs, uint32_t id, uint32_t candidate);
/* Sorts by id. Returns the ids, one of each pair, good until the next change. */
const uint32_t *comback_pairs_sort(struct comback_pairs *pairs);
static inline uint32_t comback_pairs_id(const struct comback_pairs *pairs, uint32_t i) {
  assert(i < pairs->count);
  return (uint32_t)(((const uint64_t *)(const void *)pairs->data.data)[i] >> 32);
}
static inline uint32_t comback_pairs_candidate(const struct comback_pairs *pairs, uint32_t i) {
  assert(i < pairs->count);
  return (uint32_t)((const uint64_t *)(const void *)pairs->data.data)[i];
}

/* ---- candidates ---- */

struct comback_candidate {
  uint64_t hash;
  uint32_t parent, edge, depth;
  uint16_t others; /* states with its hash, when it came; at most UINT16_MAX */
  bool sure;       /* new for sure, and only waits for its id */
  bool seen;       /* found to be a duplicate */
};

struct comback_candidates {
  uint32_t count, words;
  uint32_t doubtful; /* of them: not sure to be new */
  struct clew_bigmem states, entries;
  struct comback_index index; /* by hashes of states */
  struct comback_pairs pairs; /* with the states that they must be compared with */
};

bool comback_candidates_open(const struct comback *c, struct comback_candidates *set);
void comback_candidates_close(struct comback_candidates *set);
bool comback_candidates_reserve(struct comback_candidates *set, uint64_t count);
/* The number of the candidate with this state, or COMBACK_NONE. */
uint32_t comback_candidates_find(const struct comback_candidates *set, uint64_t hash,
                                 const uint64_t *state);
void comback_candidates_prefetch(const struct comback_candidates *set, uint64_t hash);
/* Room was reserved. */
void comback_candidates_add(struct comback_candidates *set, const struct clew_visit *visit,
                            uint32_t others, bool sure);
struct comback_candidate *comback_candidate_at(const struct comback_candidates *set, uint32_t i);
const uint64_t *comback_candidate_state(const struct comback_candidates *set, uint32_t i);
void comback_candidates_clear(struct comback_candidates *set);
uint64_t comback_candidates_bytes(const struct comback_candidates *set);
const char *comback_candidates_check(const struct comback_candidates *set);

/* ---- the store ---- */

struct comback_figures {
  uint64_t collisions; /* states that had the hash of another one when they came */
  uint64_t mismatches; /* comparisons in vain */
  uint64_t candidates, detections, forced_detections, undelayed;
};

struct comback {
  struct clew_store base;
  struct comback_settings settings;
  uint64_t count;
  bool full; /* something was refused in the middle of a put */
  bool limit_told;
  struct comback_roots roots;
  struct comback_paper paper; /* one of the two is in use */
  struct comback_compact compact;
  struct {
    uint32_t last; /* parent of the last state that is no root */
    bool monotone; /* parents never decreased so far */
  } paper_order;
  struct comback_caches caches;
  struct comback_candidates candidates;
  struct comback_candidates judged; /* those that the crew is looking for */
  struct comback_forest group;      /* of `get` and of a detection */
  struct comback_worker worker;
  struct comback_crew *crew; /* NULL: this thread does it */
  struct comback_figures figures;
};

static inline size_t comback_state_bytes(const struct comback *c) {
  return c->base.config.words * sizeof(uint64_t);
}

/* Neither root nor cached: a quick answer for most states. */
static inline bool comback_is_surely_unknown(const struct comback *c, uint32_t id) {
  return id < c->caches.none_below && id >= c->roots.prefix && c->roots.prefix == c->roots.count &&
         !comback_cache_lists(c->caches.mapped, id);
}

/* The state when it is a root or in a cache, else NULL. */
static inline const uint64_t *comback_known(const struct comback *c, struct comback_worker *w,
                                            uint32_t id) {
  return comback_is_surely_unknown(c, id) ? NULL : comback_find_known(c, w, id);
}

static inline bool comback_is_known(const struct comback *c, uint32_t id) {
  return !comback_is_surely_unknown(c, id) && comback_is_root_or_cached(c, id);
}

/* What the tables know of a hash: its high bits, so many as the option says. */
static inline uint64_t comback_compress(const struct comback *c, uint64_t hash) {
  return hash >> (64 - c->settings.hash_bits);
}

#endif
