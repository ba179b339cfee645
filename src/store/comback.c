/* The ComBack store: a few bytes per state, and still exact. Evangelista, Westergaard, Kristensen:
 * The ComBack Method Revisited.
 *
 * States are not kept. A state table maps a short hash to the ids of the states that have it; a
 * back-edge table holds, for each id, the predecessor and the event that led to the state. A
 * visited state whose hash is in the table is compared with those of the same hash, which are
 * rebuilt for that: the back edges are followed to a state that is known in full, and the events on
 * the way executed again (comback_rebuild.c). Caches of full states make the way shorter
 * (comback_cache.c).
 *
 * Delayed duplicate detection. A state that would have to be compared becomes a candidate instead
 * (MAYBE), and the states to compare it with are listed. A detection rebuilds all of these in
 * one walk over the part of the tree that leads to them (comback_forest.c), drops the candidates it
 * meets, and gives ids to the others in the order in which they came. Known states are compared at
 * once, and a state that is a candidate already is SEEN. The published algorithm detects when the
 * candidate set is full or nothing is left to expand; by default this store is also settled at the
 * end of each level, which costs events and makes levels and counterexamples exact. When memory for
 * the list is refused the state is compared at once, as without delay: a full budget never costs a
 * state.
 *
 * Two layouts of the tables: as published (comback_paper.c), and one of a third of the size
 * (comback_compact.c) that profits from ids in breadth-first order. With delay the order would be
 * lost if sure states got their ids before doubtful ones; so they too wait for the detection, for
 * as long as the search has been breadth-first.
 *
 * Invariant: the state table holds each stored state once, in the list of its hash; a back edge
 * leads to a smaller id; no candidate is stored. */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "store/comback_int.h"

/* Fewer than these are rebuilt sooner than other threads wake up; and how many times as many
 * candidates there may be if the others are sure to be new; and how far ahead a place in the tables
 * is fetched. */
enum { FEW_STATES = 64, MOST_SURE = 2, FAR_AHEAD = 8 };

static struct clew_comback *comback_of(struct clew_store *store) {
  assert(store->type == &clew_store_comback);
  return (struct clew_comback *)store;
}

static const struct clew_comback *comback_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_comback);
  return (const struct clew_comback *)store;
}

static bool delays(const struct clew_comback *c) {
  return c->settings.candidates > 0;
}

static bool same_words(const struct clew_comback *c, const uint64_t *a, const uint64_t *b) {
  return memcmp(a, b, clew_comback_state_bytes(c)) == 0;
}

/* ---- room ---- */

/* With a crew there are two sets: one that is filled while the other is decided. */
static uint64_t allowed_candidates(const struct clew_comback *c) {
  uint64_t most = c->settings.candidates;
  most = c->settings.candidates_grow ? clew_comback_allowed(c, most) : most;
  assert(most <= c->settings.candidates);
  return c->crew != NULL ? (most + 1) / 2 : most;
}

/* States that are sure to be new wait with the others only to get their ids in order; without that
 * they would be in the queue by now. So they do not count, up to a point. */
static bool is_crowded(const struct clew_comback *c, uint32_t insertions) {
  assert(delays(c));
  assert(c->candidates.doubtful <= c->candidates.count);
  uint64_t allowed = allowed_candidates(c);
  return c->candidates.doubtful + (uint64_t)insertions > allowed ||
         c->candidates.count + (uint64_t)insertions > MOST_SURE * allowed;
}

static enum clew_room comback_reserve(struct clew_store *store, uint32_t insertions) {
  struct clew_comback *c = comback_of(store);
  uint64_t count = c->candidates.count, pending = count + c->judged.count;
  assert(c->count + pending <= CLEW_COMBACK_MAX_STATES);
  assert(!store->shared);
  if (c->full) {
    return CLEW_ROOM_MEMORY;
  }
  /* Whoever asks for less next time fills the set to the last place. */
  if (delays(c) && is_crowded(c, insertions) && (count > 0 || insertions > 1)) {
    c->figures.forced_detections += insertions == 1;
    return CLEW_ROOM_SETTLE;
  }
  bool room = clew_comback_tables_reserve(c, c->count + pending + insertions);
  if (room && delays(c) && !clew_comback_candidates_reserve(&c->candidates, count + insertions)) {
    room = pending == 0; /* then put will do without delay */
  }
  return room ? CLEW_ROOM : pending > 0 ? CLEW_ROOM_SETTLE : CLEW_ROOM_MEMORY;
}

static void comback_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct clew_comback *c = comback_of_const(store);
  clew_comback_tables_prefetch(c, hash);
  if (c->candidates.count > 0) {
    clew_comback_candidates_prefetch(&c->candidates, hash);
  }
}

/* ---- visits ---- */

/* What a look at the collision list says of a state. */
struct look {
  uint32_t length;          /* of the list, as far as it was read */
  uint32_t unknown;         /* states in it that would have to be rebuilt */
  clew_id first_unknown[4]; /* the first of these: there are seldom more */
  clew_id found;            /* the id of the state, or CLEW_ID_NONE */
};

/* Compares with those that are known in full. */
static void look_at_known(struct clew_comback *c, const struct clew_visit *visit,
                          struct look *look) {
  struct clew_comback_list list;
  look->length = look->unknown = 0;
  look->found = CLEW_ID_NONE;
  for (clew_id id = clew_comback_list_first(c, visit->hash, &list);
       id != CLEW_ID_NONE && look->found == CLEW_ID_NONE; id = clew_comback_list_next(c, &list)) {
    const uint64_t *known = clew_comback_known(c, &c->worker, id);
    look->length++;
    if (known == NULL) {
      if (look->unknown < sizeof look->first_unknown / sizeof look->first_unknown[0]) {
        look->first_unknown[look->unknown] = id;
      }
      look->unknown++;
    } else if (same_words(c, known, visit->state)) {
      look->found = id;
    } else {
      c->figures.mismatches++;
    }
  }
}

/* Rebuilds and compares the others. */
static clew_id look_at_unknown(struct clew_comback *c, const struct clew_visit *visit) {
  assert(visit->state != NULL);
  struct clew_comback_list list;
  for (clew_id id = clew_comback_list_first(c, visit->hash, &list); id != CLEW_ID_NONE;
       id = clew_comback_list_next(c, &list)) {
    if (!clew_comback_is_known(c, id)) {
      if (same_words(c, clew_comback_rebuild(c, &c->worker, id), visit->state)) {
        return id;
      }
      c->figures.mismatches++;
    }
  }
  return CLEW_ID_NONE;
}

/* Stores a state that is new; `others` have the same hash. */
static void add_state(struct clew_comback *c, struct clew_visit *visit, uint32_t others,
                      bool counted) {
  assert(visit->parent == CLEW_ID_NONE || visit->parent < c->count);
  assert(c->count < CLEW_COMBACK_MAX_STATES);
  if (visit->parent == CLEW_ID_NONE && !clew_comback_roots_reserve(c, 1)) {
    c->full = true;
    visit->answer = CLEW_FULL;
    return;
  }
  visit->id = c->count;
  visit->answer = CLEW_NEW;
  clew_comback_tables_add(c, visit);
  assert(c->count == visit->id + 1);
  c->figures.collisions += others == 0 ? 0 : others == 1 ? 2 : 1;
  clew_comback_caches_new_state(c, visit->id, visit, counted);
}

/* Lists the states that the visit, the next candidate, must be compared with; false when there is
 * no memory for it. */
static bool want_unknown(struct clew_comback *c, const struct clew_visit *visit,
                         const struct look *look) {
  assert(look->unknown > 0 && look->unknown <= look->length);
  struct clew_comback_pairs *pairs = &c->candidates.pairs;
  uint32_t before = pairs->count;
  bool room = true;
  if (look->unknown <= sizeof look->first_unknown / sizeof look->first_unknown[0]) {
    for (uint32_t i = 0; room && i < look->unknown; i++) {
      room = clew_comback_pairs_add(pairs, look->first_unknown[i], c->candidates.count);
    }
  } else {
    struct clew_comback_list list;
    for (clew_id id = clew_comback_list_first(c, visit->hash, &list); room && id != CLEW_ID_NONE;
         id = clew_comback_list_next(c, &list)) {
      room = clew_comback_is_known(c, id) || clew_comback_pairs_add(pairs, id, c->candidates.count);
    }
  }
  pairs->count = room ? pairs->count : before;
  assert(pairs->count >= before);
  return room;
}

/* Makes the visit a candidate; false when it must be decided at once. */
static bool delay(struct clew_comback *c, struct clew_visit *visit, const struct look *look) {
  assert(delays(c));
  assert(look->found == CLEW_ID_NONE);
  bool sure = look->unknown == 0;
  bool keep_order = c->settings.layout == CLEW_COMBACK_COMPACT && clew_comback_tables_monotone(c);
  if (visit->parent == CLEW_ID_NONE || (sure && !keep_order) ||
      !clew_comback_candidates_reserve(&c->candidates, c->candidates.count + UINT64_C(1))) {
    return false;
  }
  if (!sure && !want_unknown(c, visit, look)) {
    c->figures.undelayed++;
    return false;
  }
  if (sure) {
    clew_comback_caches_count_reference(&c->caches, visit->parent);
  }
  clew_comback_candidates_add(&c->candidates, visit, look->length, sure);
  c->figures.candidates++;
  visit->answer = CLEW_MAYBE;
  return true;
}

static bool is_in(const struct clew_comback_candidates *set, const struct clew_visit *visit) {
  return set->count > 0 &&
         clew_comback_candidates_find(set, visit->hash, visit->state) != CLEW_COMBACK_NONE;
}

static void put_one(struct clew_comback *c, struct clew_visit *visit) {
  visit->id = CLEW_ID_NONE;
  visit->answer = CLEW_SEEN;
  if (is_in(&c->candidates, visit) || is_in(&c->judged, visit)) {
    return;
  }
  struct look look;
  look_at_known(c, visit, &look);
  if (look.found == CLEW_ID_NONE) {
    if (delays(c) && delay(c, visit, &look)) {
      return;
    }
    look.found = look.unknown > 0 ? look_at_unknown(c, visit) : CLEW_ID_NONE;
  }
  if (look.found == CLEW_ID_NONE) {
    add_state(c, visit, look.length, false);
  } else {
    visit->id = look.found;
  }
}

static void comback_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  assert(count == 0 || visits != NULL);
  struct clew_comback *c = comback_of(store);
  for (uint32_t i = 0; i < count; i++) {
    put_one(c, &visits[i]);
  }
}

/* Lists are short: which of their states are known does not matter here. */
static void find_one(struct clew_comback *c, struct clew_visit *visit) {
  assert(visit->state != NULL);
  struct clew_comback_list list;
  clew_id id = clew_comback_list_first(c, visit->hash, &list);
  while (id != CLEW_ID_NONE &&
         !same_words(c, clew_comback_rebuild(c, &c->worker, id), visit->state)) {
    c->figures.mismatches++;
    id = clew_comback_list_next(c, &list);
  }
  visit->answer = id == CLEW_ID_NONE ? CLEW_NEW : CLEW_SEEN;
  visit->id = id;
  assert(visit->answer == CLEW_NEW || id < c->count);
}

static void comback_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct clew_comback *c = comback_of(store);
  assert((store->promises & CLEW_STORE_DENSE) != 0);
  for (uint32_t i = 0; i < count; i++) {
    find_one(c, &visits[i]);
  }
}

static void comback_expanded(struct clew_store *store, clew_id id, uint32_t depth,
                             const uint64_t *state) {
  struct clew_comback *c = comback_of(store);
  assert(id < c->count);
  clew_comback_caches_expanded(c, id, depth, state);
}

/* ---- detection ---- */

/* A stored state was rebuilt: a candidate that is the same is a duplicate. Several threads may do
 * this at once; no two stored states are the same, so no two write to the same candidate. */
static void drop_candidate(void *context, uint32_t number, const uint64_t *state) {
  assert(number < ((const struct clew_comback_candidates *)context)->pairs.count);
  const struct clew_comback_candidates *set = context;
  clew_id id = clew_comback_pairs_id(&set->pairs, number);
  for (; number < set->pairs.count && clew_comback_pairs_id(&set->pairs, number) == id; number++) {
    uint32_t i = clew_comback_pairs_candidate(&set->pairs, number);
    if (memcmp(clew_comback_candidate_state(set, i), state, set->words * sizeof *state) == 0) {
      clew_comback_candidate_at(set, i)->seen = true;
    }
  }
}

typedef bool found_new_function(void *context, const struct clew_visit *visit);

/* The set is decided: stores the candidates that are no duplicates. False: the caller wants no
 * more. */
static bool admit(struct clew_comback *c, struct clew_comback_candidates *set,
                  found_new_function *found_new, void *context) {
  assert(found_new != NULL);
  assert(set->count > 0);
  bool going = true;
  c->figures.mismatches += set->pairs.count;
  for (uint32_t i = 0; i < set->count && going; i++) {
    const struct clew_comback_candidate *candidate = clew_comback_candidate_at(set, i);
    if (i + FAR_AHEAD < set->count && !clew_comback_candidate_at(set, i + FAR_AHEAD)->seen) {
      clew_comback_tables_prefetch(c, clew_comback_candidate_at(set, i + FAR_AHEAD)->hash);
    }
    if (candidate->seen) {
      c->figures.mismatches--; /* one of those that were compared was the right one */
      continue;
    }
    struct clew_visit visit = {.state = clew_comback_candidate_state(set, i),
                               .hash = candidate->hash,
                               .parent = candidate->parent,
                               .edge = candidate->edge,
                               .depth = candidate->depth};
    assert(candidate->parent != CLEW_ID_NONE);
    add_state(c, &visit, candidate->others, candidate->sure);
    going = found_new(context, &visit);
  }
  clew_comback_candidates_clear(set);
  assert(set->count == 0 && set->pairs.count == 0);
  return going;
}

/* Hands the candidates over to the crew; false when this thread must do it. */
static bool begin_detection(struct clew_comback *c, const clew_id *ids) {
  assert(c->judged.count == 0);
  uint32_t count = c->candidates.pairs.count;
  if (c->crew == NULL || count < FEW_STATES) {
    return false;
  }
  struct clew_comback_candidates swap = c->judged;
  c->judged = c->candidates;
  c->candidates = swap;
  if (clew_comback_crew_begin(c->crew, &c->worker, ids, count, drop_candidate, &c->judged)) {
    return true;
  }
  c->candidates = c->judged;
  c->judged = swap;
  return false;
}

/* Waits for the crew, if it is at work, and stores what it left. */
static bool end_detection(struct clew_comback *c, found_new_function *found_new, void *context) {
  if (c->crew == NULL || !clew_comback_crew_busy(c->crew)) {
    return true;
  }
  clew_comback_crew_finish(c->crew, &c->worker);
  assert(!clew_comback_crew_busy(c->crew));
  return admit(c, &c->judged, found_new, context);
}

static void comback_settle(struct clew_store *store, bool all, found_new_function *found_new,
                           void *context) {
  struct clew_comback *c = comback_of(store);
  assert(delays(c));
  bool going = end_detection(c, found_new, context);
  if (!going || c->candidates.count == 0) {
    return;
  }
  assert(c->judged.count == 0);
  const clew_id *ids = clew_comback_pairs_sort(&c->candidates.pairs);
  uint32_t count = c->candidates.pairs.count;
  c->figures.detections++;
  if (!begin_detection(c, ids)) {
    clew_comback_rebuild_all(c, &c->worker, &c->group, ids, count, drop_candidate, &c->candidates);
    admit(c, &c->candidates, found_new, context);
  } else if (all) {
    end_detection(c, found_new, context);
  }
}

/* ---- reading back ---- */

struct block {
  const clew_id *ids; /* those that are rebuilt */
  uint64_t first;
  size_t words;
  uint64_t *out;
};

static void copy_to_block(const struct block *block, clew_id id, const uint64_t *state) {
  assert(id >= block->first);
  memcpy(block->out + (id - block->first) * block->words, state, block->words * sizeof *state);
}

static void copy_rebuilt(void *context, uint32_t number, const uint64_t *state) {
  const struct block *block = context;
  copy_to_block(block, block->ids[number], state);
}

static void comback_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  struct clew_comback *c = comback_of(store);
  assert((store->promises & CLEW_STORE_GET) != 0);
  assert(first + count <= c->count);
  clew_id *ids = clew_alloc((count + (size_t)1) * sizeof *ids);
  uint32_t wanted = 0;
  struct block block = {ids, first, store->config.words, out};
  for (uint32_t i = 0; i < count; i++) {
    clew_id id = first + i;
    const uint64_t *known = clew_comback_known(c, &c->worker, id);
    if (known != NULL) {
      copy_to_block(&block, id, known);
    } else {
      ids[wanted++] = id;
    }
  }
  if (c->crew != NULL && !clew_comback_crew_busy(c->crew) && wanted >= FEW_STATES &&
      clew_comback_crew_begin(c->crew, &c->worker, ids, wanted, copy_rebuilt, &block)) {
    clew_comback_crew_finish(c->crew, &c->worker);
  } else {
    clew_comback_rebuild_all(c, &c->worker, &c->group, ids, wanted, copy_rebuilt, &block);
  }
  clew_free(ids);
}

/* ---- the rest of the interface ---- */

static void comback_back_edge(const struct clew_store *store, clew_id id, clew_id *parent,
                              uint32_t *edge) {
  const struct clew_comback *c = comback_of_const(store);
  assert(id < c->count);
  *parent = clew_comback_parent(c, id);
  *edge = clew_comback_edge(c, id);
}

static uint64_t comback_count(const struct clew_store *store) {
  assert(comback_of_const(store)->count <= CLEW_COMBACK_MAX_STATES);
  return comback_of_const(store)->count;
}

static uint64_t work_bytes(const struct clew_comback *c) {
  return clew_comback_forest_bytes(&c->group) + clew_comback_worker_bytes(&c->worker) +
         clew_comback_crew_bytes(c->crew);
}

static uint64_t comback_bytes(const struct clew_store *store) {
  const struct clew_comback *c = comback_of_const(store);
  return clew_comback_tables_bytes(c) + clew_comback_caches_bytes(&c->caches) +
         clew_comback_candidates_bytes(&c->candidates) + clew_comback_candidates_bytes(&c->judged) +
         work_bytes(c);
}

static void comback_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct clew_comback *c = comback_of(store);
  clew_comback_crew_close(c->crew);
  clew_comback_tables_close(c);
  clew_comback_caches_close(&c->caches);
  clew_comback_candidates_close(&c->candidates);
  clew_comback_candidates_close(&c->judged);
  clew_comback_forest_close(&c->group);
  clew_comback_worker_close(&c->worker);
  clew_free(c);
}

static bool open_parts(struct clew_comback *c) {
  assert(c->base.config.words > 0);
  assert(c->count == 0);
  struct clew_budget *budget = c->base.config.budget;
  return clew_comback_worker_open(c, &c->worker) && clew_comback_tables_open(c) &&
         clew_comback_caches_open(c) &&
         (!delays(c) || clew_comback_candidates_open(c, &c->candidates)) &&
         clew_comback_forest_open(&c->group, budget);
}

/* More threads are of use where states are rebuilt in groups. */
static void open_crew(struct clew_comback *c) {
  assert(c->crew == NULL);
  assert(c->judged.count == 0);
  bool groups = delays(c) || c->settings.queue_ids;
  if (groups && c->base.config.threads > 1 &&
      (!delays(c) || clew_comback_candidates_open(c, &c->judged))) {
    c->crew = clew_comback_crew_open(c);
  }
}

static unsigned promises_of(const struct clew_comback *c) {
  assert(c->base.config.replay != NULL);
  return CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_BACK_EDGES |
         (delays(c) ? 0u : CLEW_STORE_DENSE) | (c->settings.queue_ids ? CLEW_STORE_GET : 0u);
}

static unsigned demands_of(const struct clew_comback *c) {
  assert(c->base.config.replay != NULL);
  return CLEW_STORE_REPLAY | (delays(c) ? CLEW_STORE_SETTLE : 0u) |
         (delays(c) && c->settings.detects_late ? CLEW_STORE_LATE : 0u) |
         (clew_comback_caches_use_expanded(&c->caches) ? CLEW_STORE_EXPANDED : 0u);
}

static enum clew_status comback_open(const struct clew_store_config *config,
                                     struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->threads > 0);
  if (config->replay == NULL) {
    clew_diag_plain(diags, CLEW_ERROR, NULL,
                    "the comback store needs a model whose events can be executed again");
    return CLEW_UNAVAILABLE;
  }
  struct clew_comback *c = clew_alloc_zero(1, sizeof *c);
  c->base.type = &clew_store_comback;
  c->base.config = *config;
  assert(config->bytes <= config->words * sizeof(uint64_t));
  c->paper_order.monotone = true;
  enum clew_status status = clew_comback_settings_read(config, diags, &c->settings);
  if (status == CLEW_OK && !open_parts(c)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for any state");
    status = CLEW_OVER_LIMIT;
  }
  if (status != CLEW_OK) {
    comback_close(&c->base);
    return status;
  }
  open_crew(c);
  c->base.promises = promises_of(c);
  c->base.demands = demands_of(c);
  c->base.get_block = c->settings.block;
  assert(c->base.get_block > 0);
  *store = &c->base;
  return CLEW_OK;
}

static void comback_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct clew_comback *c = comback_of_const(store);
  const struct clew_comback_worker *k = &c->worker;
  assert(out != NULL);
  assert(c->caches.first.count <= c->caches.first.capacity);
  uint64_t reconstructions, events;
  clew_comback_crew_figures(c->crew, &reconstructions, &events);
  reconstructions += k->reconstructions;
  events += k->events;
  clew_counters_text(out, "layout",
                     c->settings.layout == CLEW_COMBACK_COMPACT ? "compact" : "paper");
  clew_counters_text(out, "detect", (c->base.demands & CLEW_STORE_LATE) != 0 ? "full" : "level");
  clew_counters_count(out, "threads", 1 + (uint64_t)clew_comback_crew_size(c->crew));
  clew_counters_count(out, "hash_bits", c->settings.hash_bits);
  clew_counters_count(out, "reconstructions", reconstructions);
  clew_counters_count(out, "events_executed", events);
  clew_counters_real(out, "mean_sequence",
                     reconstructions == 0 ? 0 : (double)events / (double)reconstructions);
  clew_counters_count(out, "cache_hits", k->hits_first + k->hits_second);
  clew_counters_count(out, "cache_hits_first", k->hits_first);
  clew_counters_count(out, "cache_hits_second", k->hits_second);
  clew_counters_count(out, "cache_states", c->settings.first_states + c->settings.second_states);
  clew_counters_count(out, "cached_first", c->caches.first.count);
  clew_counters_count(out, "cached_second", c->caches.second.count);
  clew_counters_count(out, "candidate_set", c->settings.candidates);
  clew_counters_count(out, "candidates", c->figures.candidates);
  clew_counters_count(out, "detections", c->figures.detections);
  clew_counters_count(out, "forced_detections", c->figures.forced_detections);
  clew_counters_count(out, "undelayed", c->figures.undelayed);
  clew_counters_count(out, "collisions", c->figures.collisions);
  clew_counters_count(out, "mismatches", c->figures.mismatches);
  clew_comback_tables_counters(c, out);
  clew_counters_count(out, "cache_bytes", clew_comback_caches_bytes(&c->caches));
  clew_counters_count(out, "candidate_bytes",
                      clew_comback_candidates_bytes(&c->candidates) +
                          clew_comback_candidates_bytes(&c->judged));
  clew_counters_count(out, "work_bytes", work_bytes(c));
}

/* Rebuilding states counts events: the figures are put back afterwards. */
static bool comback_validate(const struct clew_store *store, const char **why) {
  struct clew_comback *c = (struct clew_comback *)(uintptr_t)store;
  assert(why != NULL && !store->shared);
  struct clew_comback_worker before = c->worker;
  *why = clew_comback_caches_check(&c->caches);
  if (*why == NULL && delays(c)) {
    *why = clew_comback_candidates_check(&c->candidates);
  }
  if (*why == NULL) {
    *why = clew_comback_tables_check(c);
  }
  c->worker.reconstructions = before.reconstructions;
  c->worker.events = before.events;
  c->worker.hits_first = before.hits_first;
  c->worker.hits_second = before.hits_second;
  return *why == NULL;
}

const struct clew_store_type clew_store_comback = {
    .name = "comback",
    .help = "a hash and a back edge per state; states are rebuilt by executing events again",
    .promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_GET | CLEW_STORE_DENSE |
                CLEW_STORE_BACK_EDGES,
    .demands = CLEW_STORE_SETTLE | CLEW_STORE_LATE | CLEW_STORE_EXPANDED | CLEW_STORE_REPLAY,
    .options = CLEW_OPTION_TABLE(clew_comback_option_specs, struct clew_comback_options),
    .open = comback_open,
    .close = comback_close,
    .reserve = comback_reserve,
    .prefetch = comback_prefetch,
    .put = comback_put,
    .settle = comback_settle,
    .get = comback_get,
    .find = comback_find,
    .back_edge = comback_back_edge,
    .expanded = comback_expanded,
    .count = comback_count,
    .bytes = comback_bytes,
    .counters = comback_counters,
    .validate = comback_validate,
};
