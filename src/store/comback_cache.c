/* Full states by id, to make reconstructing sequences shorter. Strategies of the ComBack method:
 *
 *   R  a new state replaces a random one with probability p (always while there is room)
 *   F  the newest states
 *   H  the states of the greatest H(s) = d(s) * r(s) / sqrt(L(d(s))): deep, with many successors in
 *      the tree of back edges, on a small level. Offered once all transitions of the state are
 *      visited; it replaces the least one if that one is less
 *   D  as H, but never a state that is nearer than k steps to an ancestor in this cache
 *   L  the states of every k-th level; k is doubled when there is no more room
 *
 * Two readings that the published figures decide. The formula for H is printed with L itself, not
 * its root; with L the cache fills with the small levels at the start, and H takes up to 1.7 times
 * the events of the published table. With the root the sums over all instances tried agree for
 * every strategy and size within about a tenth, also on instances that were not looked at when it
 * was chosen, and for a cache of one state the events are the published ones within half a percent
 * on six of eight instances. The distance k is the least one between two cached states, not the
 * greatest one that is forbidden. Shares of a cache (F20-D80) are rounded down.
 *
 * Two levels: what leaves a fifo cache is offered to a second one of strategy H or D. H(s) is known
 * only when s is expanded. A state that leaves the fifo before that (the fifo is smaller than the
 * frontier) is offered when it is expanded, where its words are at hand; so a state is offered when
 * it has left the fifo and is expanded, whichever comes last. The published figures are those of
 * caches that are offered each state when it is expanded, so that it may be in both: the layout of
 * the paper does that, too. It makes no difference for small caches, and F80-H20 of a tenth of the
 * states executes a fifth more events. With delayed detection successors may be found after all
 * this: r(s) of a state that is in a cache is then corrected, of others it is not.
 *
 * Parts: states and slots in dense arrays; a map from ids to slots (linear probing, deletion by
 * shifting back) and a bit for each id there is that says whether it is in the map, because most of
 * what is looked up is not (a fifo needs neither); for H and D a heap with the least value on top,
 * slots know their positions. All operations take constant or logarithmic time, but for the k steps
 * of D and the purges of L, of which there are logarithmically many. Memory is committed as it is
 * needed; when the budget refuses, the cache stays as large as it is, and states that have no bit
 * are not cached. A cache whose size was not given grows with the number of states.
 *
 * Roots are never cached: they are known anyway. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "store/comback_int.h"

enum { OPEN_PARENTS = 4096, FIRST_MAP_BITS = 6 };

/* ---- one cache: memory ---- */

static struct clew_comback_slot *slot_at(const struct clew_comback_cache *k, uint32_t slot) {
  assert(slot < k->count);
  return (struct clew_comback_slot *)(void *)k->slots.data + slot;
}

static uint64_t *state_at(const struct clew_comback_cache *k, uint32_t slot) {
  assert(slot < k->count);
  return (uint64_t *)(void *)k->states.data + (uint64_t)slot * k->words;
}

/* A place of the map: low bits of the id above slot + 1; 0: free. The slot has all of the id. */
static uint64_t *map_of(const struct clew_comback_cache *k) {
  return (uint64_t *)(void *)k->map.data;
}

static clew_id id_in(const struct clew_comback_cache *k, uint64_t place) {
  return slot_at(k, (uint32_t)place - 1)->id;
}

static bool is_place_of(const struct clew_comback_cache *k, uint64_t place, clew_id id) {
  return (uint32_t)(place >> 32) == (uint32_t)id && id_in(k, place) == id;
}

static struct clew_comback_ranked *heap_of(const struct clew_comback_cache *k) {
  return (struct clew_comback_ranked *)(void *)k->heap.data;
}

static bool has_heap(const struct clew_comback_cache *k) {
  return k->strategy == CLEW_COMBACK_HEURISTIC || k->strategy == CLEW_COMBACK_DISTANCE;
}

static bool has_map(const struct clew_comback_cache *k) {
  return k->strategy != CLEW_COMBACK_FIFO && k->strategy != CLEW_COMBACK_NO_CACHE;
}

static bool cache_open(struct clew_comback_cache *k, enum clew_comback_strategy strategy,
                       uint64_t capacity, const struct clew_comback *c) {
  assert(k->count == 0);
  assert(c->base.config.words > 0);
  struct clew_budget *budget = c->base.config.budget;
  k->strategy = capacity > 0 ? strategy : CLEW_COMBACK_NO_CACHE;
  k->words = c->base.config.words;
  k->step = c->settings.level_step;
  if (k->strategy == CLEW_COMBACK_NO_CACHE) {
    return true;
  }
  assert(capacity <= UINT32_MAX / 4);
  k->capacity = (uint32_t)capacity;
  /* L thins out when it is full and would not recover. */
  k->grows = c->settings.cache_grows && strategy != CLEW_COMBACK_LEVELS;
  k->map_bits = FIRST_MAP_BITS;
  return clew_comback_region_open(&k->states, capacity * k->words * sizeof(uint64_t), budget) &&
         clew_comback_region_open(&k->slots, capacity * sizeof(struct clew_comback_slot), budget) &&
         clew_comback_region_open(&k->map, capacity * 8 * sizeof(uint64_t), budget) &&
         clew_comback_region_open(&k->heap, capacity * sizeof(struct clew_comback_ranked),
                                  budget) &&
         clew_comback_region_open(&k->listed, CLEW_COMBACK_MAX_STATES / 8 + 1, budget) &&
         clew_bigmem_commit(&k->map, sizeof(uint64_t) << k->map_bits);
}

static void cache_close(struct clew_comback_cache *k) {
  assert(k->count <= k->capacity);
  clew_bigmem_close(&k->states);
  clew_bigmem_close(&k->slots);
  clew_bigmem_close(&k->map);
  clew_bigmem_close(&k->listed);
  clew_bigmem_close(&k->heap);
}

/* ---- one cache: ids to slots ---- */

static inline uint32_t home_of(const struct clew_comback_cache *k, clew_id id) {
  return (uint32_t)(clew_comback_hash_id(id) >> (64 - k->map_bits));
}

static uint32_t map_mask(const struct clew_comback_cache *k) {
  return (uint32_t)((UINT64_C(1) << k->map_bits) - 1);
}

/* Where in the map the id is, or the empty place where it would be. */
static uint32_t place_of(const struct clew_comback_cache *k, clew_id id) {
  const uint64_t *map = map_of(k);
  uint32_t at = home_of(k, id);
  while (map[at] != 0 && !is_place_of(k, map[at], id)) {
    at = (at + 1) & map_mask(k);
  }
  return at;
}

static uint32_t oldest_slot(const struct clew_comback_cache *k) {
  return k->oldest < k->count ? k->oldest : 0;
}

static clew_id oldest_id(const struct clew_comback_cache *k) {
  return k->count > 0 ? slot_at(k, oldest_slot(k))->id : 0;
}

/* In a fifo cache the ids ascend from the oldest on, one by one but for roots: no map is needed. */
static uint32_t fifo_find(const struct clew_comback_cache *k, clew_id id) {
  uint32_t oldest = oldest_slot(k);
  clew_id first = oldest_id(k);
  if (id < first) {
    return CLEW_COMBACK_NONE;
  }
  /* So far behind the oldest if there are no roots between, else less. */
  uint32_t low = 0, high = id - first < k->count ? (uint32_t)(id - first) : k->count - 1;
  uint32_t behind = high;
  for (;;) {
    uint32_t slot = oldest + behind < k->count ? oldest + behind : oldest + behind - k->count;
    clew_id found = slot_at(k, slot)->id;
    if (found == id) {
      return slot;
    }
    if (behind == (found < id ? high : low)) {
      return CLEW_COMBACK_NONE;
    }
    low = found < id ? behind + 1 : low;
    high = found < id ? high : behind - 1;
    behind = low + (high - low) / 2;
  }
}

/* Makes sure that there is a bit for the id; false: it cannot be put into the map. */
static bool may_list(struct clew_comback_cache *k, clew_id id) {
  assert(has_map(k));
  return clew_bigmem_commit(&k->listed, id / 8 + 1);
}

static void toggle_listed(struct clew_comback_cache *k, clew_id id) {
  assert(id / 8 < k->listed.committed_bytes);
  k->listed.data[id / 8] ^= (unsigned char)(1U << id % 8);
}

static uint32_t cache_find(const struct clew_comback_cache *k, clew_id id) {
  if (k->count == 0) {
    return CLEW_COMBACK_NONE;
  }
  if (!has_map(k)) {
    return fifo_find(k, id);
  }
  return clew_comback_cache_lists(k, id) ? (uint32_t)map_of(k)[place_of(k, id)] - 1
                                         : CLEW_COMBACK_NONE;
}

static void map_remove(struct clew_comback_cache *k, clew_id id) {
  if (!has_map(k)) {
    return;
  }
  uint64_t *map = map_of(k);
  uint32_t hole = place_of(k, id), mask = map_mask(k);
  assert(map[hole] != 0);
  for (uint32_t at = (hole + 1) & mask; map[at] != 0; at = (at + 1) & mask) {
    uint32_t home = home_of(k, id_in(k, map[at]));
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      map[hole] = map[at];
      hole = at;
    }
  }
  map[hole] = 0;
  toggle_listed(k, id);
}

static void map_insert(struct clew_comback_cache *k, clew_id id, uint32_t slot) {
  assert(slot < k->count);
  uint32_t at = place_of(k, id);
  assert(map_of(k)[at] == 0);
  map_of(k)[at] = id << 32 | (slot + UINT64_C(1));
}

static void map_put(struct clew_comback_cache *k, clew_id id, uint32_t slot) {
  if (!has_map(k)) {
    return;
  }
  assert(!clew_comback_cache_lists(k, id));
  toggle_listed(k, id);
  map_insert(k, id, slot);
}

static bool map_grow(struct clew_comback_cache *k) {
  assert(has_map(k));
  assert(k->map_bits < 32);
  size_t old_bytes = sizeof(uint64_t) << k->map_bits;
  if (!clew_bigmem_commit(&k->map, old_bytes * 2)) {
    return false;
  }
  memset(k->map.data, 0, old_bytes);
  k->map_bits++;
  for (uint32_t slot = 0; slot < k->count; slot++) {
    map_insert(k, slot_at(k, slot)->id, slot);
  }
  assert((uint64_t)k->count * 2 <= UINT64_C(1) << k->map_bits);
  return true;
}

/* ---- one cache: the heap ---- */

static inline bool less(const struct clew_comback_ranked *x, const struct clew_comback_ranked *y) {
  return x->value < y->value || (x->value == y->value && x->id < y->id);
}

static inline void heap_set(struct clew_comback_cache *k, uint32_t position,
                            const struct clew_comback_ranked *ranked) {
  assert(position < k->count);
  heap_of(k)[position] = *ranked;
  slot_at(k, ranked->slot)->heap = position;
}

/* Puts a slot into the heap, where there is a hole at a position. */
static void heap_put(struct clew_comback_cache *k, uint32_t position,
                     struct clew_comback_ranked ranked) {
  assert(has_heap(k));
  assert(position < k->count);
  const struct clew_comback_ranked *heap = heap_of(k);
  while (position > 0 && less(&ranked, &heap[(position - 1) / 2])) {
    heap_set(k, position, &heap[(position - 1) / 2]);
    position = (position - 1) / 2;
  }
  for (uint64_t child; (child = position * UINT64_C(2) + 1) < k->count;) {
    child += child + 1 < k->count && less(&heap[child + 1], &heap[child]);
    if (!less(&heap[child], &ranked)) {
      break;
    }
    heap_set(k, position, &heap[child]);
    position = (uint32_t)child;
  }
  heap_set(k, position, &ranked);
}

/* ---- one cache: filling ---- */

static void fill_slot(struct clew_comback_cache *k, uint32_t slot,
                      const struct clew_comback_slot *content, const uint64_t *state) {
  assert(slot < k->count && content->id != CLEW_ID_NONE);
  struct clew_comback_slot *s = slot_at(k, slot);
  uint32_t heap = s->heap;
  *s = *content;
  s->heap = heap;
  memcpy(state_at(k, slot), state, k->words * sizeof *state);
  map_put(k, content->id, slot);
}

static bool may_append(const struct clew_comback *c, const struct clew_comback_cache *k) {
  return k->count < k->capacity && (!k->grows || k->count < clew_comback_allowed(c, k->capacity));
}

/* A fresh slot at the end; false when there is none, now or from now on. */
static bool append(const struct clew_comback *c, struct clew_comback_cache *k,
                   const struct clew_comback_slot *content, const uint64_t *state) {
  uint64_t count = k->count + UINT64_C(1);
  if (!may_append(c, k)) {
    return false;
  }
  if (!clew_bigmem_commit(&k->states, count * k->words * sizeof *state) ||
      !clew_bigmem_commit(&k->slots, count * sizeof(struct clew_comback_slot)) ||
      (has_heap(k) && !clew_bigmem_commit(&k->heap, count * sizeof(struct clew_comback_ranked))) ||
      (has_map(k) && count * 2 > UINT64_C(1) << k->map_bits && !map_grow(k))) {
    k->capacity = k->count;
    return false;
  }
  k->count++;
  assert(k->count <= k->capacity);
  fill_slot(k, k->count - 1, content, state);
  return true;
}

static void replace(struct clew_comback_cache *k, uint32_t slot,
                    const struct clew_comback_slot *content, const uint64_t *state) {
  assert(slot < k->count);
  map_remove(k, slot_at(k, slot)->id);
  fill_slot(k, slot, content, state);
}

/* ---- strategies ---- */

static double heuristic(const struct clew_comback_caches *caches, uint32_t depth,
                        uint32_t references) {
  assert(depth != UINT32_MAX);
  if (references == 0) {
    return 0;
  }
  uint64_t known = caches->levels.committed_bytes / sizeof(uint32_t);
  uint32_t level = depth < known ? ((const uint32_t *)(const void *)caches->levels.data)[depth] : 1;
  return (double)depth * references / sqrt(level > 0 ? level : 1);
}

static bool near_another(const struct clew_comback *c, const struct clew_comback_cache *k,
                         clew_id id) {
  assert(k->strategy == CLEW_COMBACK_DISTANCE);
  assert(c->settings.distance > 0);
  for (uint32_t i = 1; i < c->settings.distance; i++) {
    id = clew_comback_parent(c, id);
    if (id == CLEW_ID_NONE) {
      return false;
    }
    if (clew_comback_cache_lists(k, id)) {
      return true;
    }
  }
  return false;
}

/* H and D */
static void offer(struct clew_comback *c, struct clew_comback_cache *k,
                  const struct clew_comback_slot *content, const uint64_t *state) {
  assert(has_heap(k));
  double value = heuristic(&c->caches, content->depth, content->references);
  bool full = !may_append(c, k);
  bool hopeless = full && (k->count == 0 || heap_of(k)[0].value >= value);
  if (hopeless || clew_comback_cache_lists(k, content->id) ||
      (k->strategy == CLEW_COMBACK_DISTANCE && near_another(c, k, content->id)) ||
      !may_list(k, content->id)) {
    return;
  }
  uint32_t slot = k->count, position = slot;
  if (!append(c, k, content, state)) {
    if (k->count == 0 || heap_of(k)[0].value >= value) {
      return;
    }
    slot = heap_of(k)[0].slot;
    position = 0;
    replace(k, slot, content, state);
  }
  heap_put(k, position, (struct clew_comback_ranked){value, content->id, slot});
}

static void count_open_parent(struct clew_comback_caches *caches, clew_id id, uint32_t references) {
  assert(id != CLEW_ID_NONE);
  assert(references > 0);
  struct clew_comback_open_parent *open = &caches->open_parents[id % OPEN_PARENTS];
  if (open->id != id) {
    *open = (struct clew_comback_open_parent){.id = id}; /* at worst an old one is underrated */
  }
  open->references += references;
}

static uint32_t take_open_parent(struct clew_comback_caches *caches, clew_id id) {
  assert(caches->open_parents != NULL);
  struct clew_comback_open_parent *open = &caches->open_parents[id % OPEN_PARENTS];
  uint32_t references = open->id == id ? open->references : 0;
  if (open->id == id) {
    *open = (struct clew_comback_open_parent){.id = CLEW_ID_NONE};
  }
  return references;
}

/* F */
static void insert_newest(struct clew_comback *c, struct clew_comback_cache *k,
                          const struct clew_comback_slot *content, const uint64_t *state) {
  assert(k->strategy == CLEW_COMBACK_FIFO);
  struct clew_comback_cache *second = &c->caches.second;
  /* What is appended in the middle of a round would leave too early. */
  if ((k->oldest == 0 && append(c, k, content, state)) || k->count == 0) {
    return;
  }
  uint32_t slot = oldest_slot(k);
  struct clew_comback_slot *old = slot_at(k, slot);
  if (old->id == c->caches.parent && c->caches.references > 0) {
    old->references += c->caches.references;
    c->caches.references = 0;
  }
  if (second->strategy != CLEW_COMBACK_NO_CACHE && old->expanded) {
    offer(c, second, old, state_at(k, slot));
  } else if (second->strategy != CLEW_COMBACK_NO_CACHE && old->references > 0) {
    count_open_parent(&c->caches, old->id, old->references);
  }
  replace(k, slot, content, state);
  k->oldest = slot + 1 < k->count ? slot + 1 : 0;
  assert(k->oldest < k->count);
}

/* R */
static void insert_randomly(struct clew_comback *c, struct clew_comback_cache *k,
                            const struct clew_comback_slot *content, const uint64_t *state) {
  assert(k->strategy == CLEW_COMBACK_RANDOM);
  struct clew_random *random = &c->caches.random;
  if (!may_list(k, content->id) || append(c, k, content, state) || k->count == 0) {
    return;
  }
  double dice = (double)(clew_random_u64(random) >> 11) * 0x1p-53;
  if (dice < c->settings.probability) {
    replace(k, (uint32_t)clew_random_below(random, k->count), content, state);
  }
}

/* Drops what is not on a level of the new step. */
static void purge(struct clew_comback_cache *k) {
  assert(k->strategy == CLEW_COMBACK_LEVELS);
  assert(!has_heap(k));
  for (uint32_t slot = k->count; slot-- > 0;) {
    if (slot_at(k, slot)->depth % k->step == 0) {
      continue;
    }
    map_remove(k, slot_at(k, slot)->id);
    uint32_t last = k->count - 1;
    if (slot != last) {
      struct clew_comback_slot moved = *slot_at(k, last);
      map_remove(k, moved.id);
      fill_slot(k, slot, &moved, state_at(k, last));
    }
    k->count--;
  }
}

/* L */
static void insert_on_level(const struct clew_comback *c, struct clew_comback_cache *k,
                            const struct clew_comback_slot *content, const uint64_t *state) {
  assert(k->strategy == CLEW_COMBACK_LEVELS);
  assert(k->step > 0);
  while (content->depth % k->step == 0 && may_list(k, content->id) &&
         !append(c, k, content, state)) {
    if (k->step > UINT32_MAX / 2 || k->capacity == 0) {
      return;
    }
    k->step *= 2;
    purge(k);
  }
}

/* ---- the caches of a store ---- */

static bool uses_heuristic(const struct clew_comback_caches *caches) {
  return has_heap(&caches->first) || has_heap(&caches->second);
}

bool clew_comback_caches_use_expanded(const struct clew_comback_caches *caches) {
  return uses_heuristic(caches);
}

bool clew_comback_caches_open(struct clew_comback *c) {
  assert(c->caches.open_parents == NULL);
  struct clew_comback_caches *caches = &c->caches;
  const struct clew_comback_settings *s = &c->settings;
  struct clew_budget *budget = c->base.config.budget;
  clew_random_seed(&caches->random, c->base.config.seed);
  /* With nothing in the first level all goes to the second. */
  bool only_second = s->first_states == 0 && s->second != CLEW_COMBACK_NO_CACHE;
  bool good = only_second ? cache_open(&caches->first, s->second, s->second_states, c)
                          : cache_open(&caches->first, s->first, s->first_states, c) &&
                                cache_open(&caches->second, s->second, s->second_states, c);
  caches->mapped = has_map(&caches->first) ? &caches->first : &caches->second;
  assert(!(has_map(&caches->first) && has_map(&caches->second)));
  caches->none_below = caches->first.strategy == CLEW_COMBACK_FIFO ? 0 : CLEW_ID_NONE;
  if (good && uses_heuristic(caches)) {
    caches->open_parents = clew_alloc(OPEN_PARENTS * sizeof *caches->open_parents);
    memset(caches->open_parents, 0xff, OPEN_PARENTS * sizeof *caches->open_parents);
    good = clew_comback_region_open(&caches->levels, UINT32_MAX * sizeof(uint32_t), budget);
  }
  return good;
}

void clew_comback_caches_close(struct clew_comback_caches *caches) {
  assert(caches != NULL);
  cache_close(&caches->first);
  cache_close(&caches->second);
  clew_bigmem_close(&caches->levels);
  clew_free(caches->open_parents);
}

static uint32_t find_first(const struct clew_comback_caches *caches, clew_id id) {
  bool too_old = caches->first.strategy == CLEW_COMBACK_FIFO && id < caches->none_below;
  return too_old ? CLEW_COMBACK_NONE : cache_find(&caches->first, id);
}

const uint64_t *clew_comback_caches_find(const struct clew_comback_caches *caches, clew_id id,
                                         uint32_t *level) {
  uint32_t slot = find_first(caches, id);
  *level = 1;
  if (slot != CLEW_COMBACK_NONE) {
    return state_at(&caches->first, slot);
  }
  slot = cache_find(&caches->second, id);
  *level = 2;
  return slot != CLEW_COMBACK_NONE ? state_at(&caches->second, slot) : NULL;
}

/* Successors of a state come one after the other: accounts for all of them at once. */
static void account_references(struct clew_comback_caches *caches) {
  assert(caches->references == 0 || caches->parent != CLEW_ID_NONE);
  struct clew_comback_cache *levels[] = {&caches->first, &caches->second};
  clew_id parent = caches->parent;
  uint32_t references = caches->references;
  bool cached = false;
  caches->references = 0;
  if (references == 0) {
    return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t slot = i == 0 ? find_first(caches, parent) : cache_find(levels[i], parent);
    if (slot != CLEW_COMBACK_NONE) {
      struct clew_comback_slot *s = slot_at(levels[i], slot);
      cached = true;
      s->references += references;
      if (has_heap(levels[i])) {
        double value = heuristic(caches, s->depth, s->references);
        heap_put(levels[i], s->heap, (struct clew_comback_ranked){value, s->id, slot});
      }
    }
  }
  if (!cached) {
    count_open_parent(caches, parent, references);
  }
}

void clew_comback_caches_count_reference(struct clew_comback_caches *caches, clew_id parent) {
  if (!uses_heuristic(caches) || parent == CLEW_ID_NONE) {
    return;
  }
  if (parent != caches->parent) {
    account_references(caches);
    caches->parent = parent;
  }
  assert(caches->parent == parent);
  caches->references++;
}

static void count_level(struct clew_comback_caches *caches, uint32_t depth) {
  /* Refused: H then takes the level for a small one. */
  if (clew_bigmem_commit(&caches->levels, (depth + UINT64_C(1)) * sizeof(uint32_t))) {
    uint32_t *count = (uint32_t *)(void *)caches->levels.data + depth;
    assert(caches->levels.committed_bytes > depth * sizeof *count);
    *count += *count < UINT32_MAX;
  }
}

void clew_comback_caches_new_state(struct clew_comback *c, clew_id id,
                                   const struct clew_visit *visit, bool counted) {
  assert(id + 1 == c->count);
  struct clew_comback_caches *caches = &c->caches;
  if (uses_heuristic(caches)) {
    count_level(caches, visit->depth);
  }
  if (!counted) {
    clew_comback_caches_count_reference(caches, visit->parent);
  }
  if (visit->parent == CLEW_ID_NONE) {
    return;
  }
  struct clew_comback_slot content = {.id = id, .depth = visit->depth};
  if (caches->first.strategy == CLEW_COMBACK_FIFO) {
    insert_newest(c, &caches->first, &content, visit->state);
    caches->none_below = oldest_id(&caches->first);
  } else if (caches->first.strategy == CLEW_COMBACK_RANDOM) {
    insert_randomly(c, &caches->first, &content, visit->state);
  } else if (caches->first.strategy == CLEW_COMBACK_LEVELS) {
    insert_on_level(c, &caches->first, &content, visit->state);
  }
}

static clew_id parent_if_any(const struct clew_comback *c, clew_id id) {
  return id == CLEW_ID_NONE ? id : clew_comback_parent(c, id);
}

static void prefetch_back_edge(const struct clew_comback *c, clew_id id) {
  if (id != CLEW_ID_NONE) {
    clew_comback_tables_prefetch_edge(c, id);
  }
}

/* States are expanded in the order of their ids: fetches the back edges that D will follow from the
 * next ones, each when the one before it is there. */
static void prefetch_ancestors(const struct clew_comback *c, clew_id id) {
  assert(id < c->count);
  enum { STEP = 8 };
  if (c->caches.mapped->strategy == CLEW_COMBACK_DISTANCE &&
      c->settings.layout == CLEW_COMBACK_PAPER && id + 3 * STEP < c->count) {
    prefetch_back_edge(c, id + 3 * STEP);
    prefetch_back_edge(c, clew_comback_parent(c, id + 2 * STEP));
    prefetch_back_edge(c, parent_if_any(c, clew_comback_parent(c, id + STEP)));
  }
}

void clew_comback_caches_expanded(struct clew_comback *c, clew_id id, uint32_t depth,
                                  const uint64_t *state) {
  assert(id < c->count);
  struct clew_comback_caches *caches = &c->caches;
  if (!uses_heuristic(caches) || clew_comback_root_state(c, id) != NULL) {
    return;
  }
  prefetch_ancestors(c, id);
  account_references(caches);
  uint32_t slot = find_first(caches, id);
  if (slot != CLEW_COMBACK_NONE && !has_heap(&caches->first)) {
    struct clew_comback_slot *s = slot_at(&caches->first, slot);
    s->references += take_open_parent(caches, id);
    s->expanded = true;
    if (c->settings.layout == CLEW_COMBACK_PAPER) {
      offer(c, &caches->second, s, state);
    }
    return;
  }
  struct clew_comback_slot content = {
      .id = id, .depth = depth, .references = take_open_parent(caches, id), .expanded = true};
  offer(c, has_heap(&caches->first) ? &caches->first : &caches->second, &content, state);
}

static uint64_t cache_bytes(const struct clew_comback_cache *k) {
  assert(k->states.committed_bytes <= k->states.reserved_bytes);
  return k->states.committed_bytes + k->slots.committed_bytes + k->map.committed_bytes +
         k->heap.committed_bytes + k->listed.committed_bytes;
}

uint64_t clew_comback_caches_bytes(const struct clew_comback_caches *caches) {
  assert(caches != NULL);
  return cache_bytes(&caches->first) + cache_bytes(&caches->second) +
         caches->levels.committed_bytes;
}

/* ---- validation ---- */

static const char *check_heap(const struct clew_comback_cache *k) {
  assert(has_heap(k));
  for (uint32_t i = 0; i < k->count; i++) {
    const struct clew_comback_ranked *ranked = &heap_of(k)[i];
    if (ranked->slot >= k->count || slot_at(k, ranked->slot)->heap != i ||
        slot_at(k, ranked->slot)->id != ranked->id) {
      return "a slot of a cache does not know its place in the heap";
    }
    if (i > 0 && less(ranked, &heap_of(k)[(i - 1) / 2])) {
      return "the heap of a cache is out of order";
    }
  }
  return NULL;
}

/* As many bits as there are ids in the map; that each of these has one shows when it is looked up.
 */
static const char *check_listed(const struct clew_comback_cache *k) {
  assert(k->listed.committed_bytes == 0 || k->listed.data != NULL);
  uint64_t listed = 0;
  for (size_t i = 0; i < k->listed.committed_bytes; i++) {
    listed += (uint32_t)__builtin_popcount(k->listed.data[i]);
  }
  return listed == (has_map(k) ? k->count : 0) ? NULL : "a state is taken for one in a cache";
}

static const char *check_cache(const struct clew_comback_cache *k) {
  if (k->strategy == CLEW_COMBACK_NO_CACHE) {
    return k->count == 0 ? NULL : "there is something in no cache";
  }
  if (k->count > k->capacity) {
    return "a cache holds too much";
  }
  uint64_t mapped = 0;
  assert(!has_map(k) || map_mask(k) >= k->count);
  for (uint64_t i = 0; has_map(k) && i <= map_mask(k); i++) {
    mapped += map_of(k)[i] != 0;
  }
  if (has_map(k) && mapped != k->count) {
    return "the map of a cache has another size than the cache";
  }
  for (uint32_t slot = 0; slot < k->count; slot++) {
    if (cache_find(k, slot_at(k, slot)->id) != slot) {
      return "a state in a cache cannot be found";
    }
    if (k->strategy == CLEW_COMBACK_LEVELS && slot_at(k, slot)->depth % k->step != 0) {
      return "a cache of levels holds a state between them";
    }
  }
  const char *why = check_listed(k);
  return why == NULL && has_heap(k) ? check_heap(k) : why;
}

const char *clew_comback_caches_check(const struct clew_comback_caches *caches) {
  const char *why = check_cache(&caches->first);
  bool is_fifo = caches->first.strategy == CLEW_COMBACK_FIFO;
  for (uint32_t slot = 0; is_fifo && slot < caches->first.count && why == NULL; slot++) {
    why = slot_at(&caches->first, slot)->id < caches->none_below
              ? "a cached state is taken for none"
              : NULL;
  }
  return why != NULL ? why : check_cache(&caches->second);
}
