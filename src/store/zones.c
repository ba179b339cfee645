/* The zones store: for models whose states have an order. Of the states with the same discrete
 * words it keeps those that no other one covers, so a state that is covered by a stored one was
 * seen, and a new state takes the place of those that it covers.
 *
 * Two exact stores hold the parts of the states, each part once. One has the discrete words; a
 * discrete id is a place in it. The other has the words behind, the *zones*: models of many
 * discrete states often have few different zones. A state is then a *node* of twelve bytes: its
 * discrete part, its zone, and the next node of the same discrete part. The id of a state is the
 * number of its node. Lists begin in an array of heads, by discrete id, with the youngest node.
 *
 * A node that gets covered is taken off its list and marked. It stays where it is, and so does its
 * zone: the path to a state may lead through states that were covered later.
 *
 * Where the order is that of numbers (order_bits) vectors are compared here, many numbers at once
 * (zones_order_int.h); otherwise the model is asked. Without any order all words are discrete, and
 * the store is a plain set.
 *
 * Threads use it one at a time. Only the mark of a node may be looked at by others meanwhile.
 *
 * Invariant: the list of a discrete part holds the nodes of that part which are not marked; none of
 * them covers another one; each marked one is covered by one of them. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "store/exact_index_int.h"
#include "store/region_int.h"
#include "store/zones_order_int.h"

/* Links are 1 + the number of a node. */
enum { BLOCK = 64 /* visits that are looked up together */, LINK_END = 0 };
#define LINK_COVERED UINT32_MAX /* of a node that is in no list */
#define MOST_NODES ((uint64_t)UINT32_MAX - 2)

struct node {
  uint32_t discrete, zone;
  _Atomic uint32_t next;
};

struct zones {
  struct clew_store base;
  struct clew_store *discrete; /* exact */
  struct clew_store *tails;    /* exact; NULL: states have no words behind the discrete ones */
  struct clew_bigmem nodes, heads;
  uint32_t discrete_words, tail_words;
  uint64_t count, covered;
  uint64_t visits, comparisons, longest_walk;
  struct order_hints hints;
  uint64_t *scratch; /* room for a state */
};

static struct zones *zones_of(struct clew_store *store) {
  assert(store->type == &clew_store_zones);
  return (struct zones *)store;
}

static const struct zones *zones_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_zones);
  return (const struct zones *)store;
}

/* ---- places ---- */

static struct node *node_at(const struct zones *z, uint64_t number) {
  assert((number + 1) * sizeof(struct node) <= z->nodes.committed_bytes);
  return (struct node *)(void *)z->nodes.data + number;
}

static uint32_t *head_at(const struct zones *z, uint64_t discrete) {
  assert((discrete + 1) * sizeof(uint32_t) <= z->heads.committed_bytes);
  return (uint32_t *)(void *)z->heads.data + discrete;
}

static uint32_t link_of(const struct node *node) {
  return atomic_load_explicit(&node->next, memory_order_relaxed);
}

static void set_link(struct node *node, uint32_t link) {
  atomic_store_explicit(&node->next, link, memory_order_relaxed);
}

static const unsigned char *tail_at(const struct zones *z, uint32_t zone) {
  const struct exact *tails = (const struct exact *)z->tails;
  assert(zone < count_of(tails) && tails->state_bytes == z->tail_words * sizeof(uint64_t));
  return state_at(tails, zone);
}

/* ---- the order ---- */

/* Asks the model, which wants whole states. */
static unsigned ask_model(const struct zones *z, const unsigned char *stored,
                          const uint64_t *state) {
  const struct clew_store_config *config = &z->base.config;
  size_t tail_bytes = z->tail_words * sizeof *state;
  if (memcmp(stored, state + z->discrete_words, tail_bytes) == 0) {
    return ORDER_EQUAL;
  }
  memcpy(z->scratch, state, z->discrete_words * sizeof *state);
  memcpy(z->scratch + z->discrete_words, stored, tail_bytes);
  if (config->covers(config->covers_context, z->scratch, state)) {
    return ORDER_COVERS;
  }
  return config->covers(config->covers_context, state, z->scratch) ? ORDER_COVERED : ORDER_NONE;
}

/* What the stored zone is to that of `state`, which has the same discrete words. `bits` is
 * order_bits, a constant wherever this is compiled. */
ALWAYS_INLINE unsigned compare(struct zones *z, uint32_t zone, const uint64_t *state,
                               uint32_t bits) {
  if (z->tails == NULL) {
    return ORDER_EQUAL;
  }
  const unsigned char *tail = (const unsigned char *)(state + z->discrete_words);
  return bits == 0 ? ask_model(z, tail_at(z, zone), state)
                   : order_of(tail_at(z, zone), tail, z->tail_words, bits, &z->hints);
}

/* ---- visits ---- */

static void zones_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct zones *z = zones_of_const(store);
  z->discrete->type->prefetch(z->discrete, hash);
}

/* Takes a node off its list, where it follows `before` (NULL: it is the first). */
static inline void take_off(struct zones *z, struct node *before, struct node *node) {
  uint32_t next = link_of(node);
  if (before != NULL) {
    set_link(before, next);
  } else {
    *head_at(z, node->discrete) = next;
  }
}

/* The link to a node of the list that covers the state, or LINK_END. Nodes that the state covers
 * are taken off the list, unless `keeps` says to leave it. */
ALWAYS_INLINE uint32_t walk_list(struct zones *z, uint32_t discrete, const uint64_t *state,
                                 bool keeps, uint32_t bits) {
  struct node *before = NULL;
  uint64_t steps = 0;
  uint32_t link = *head_at(z, discrete), found = LINK_END;
  while (link != LINK_END && found == LINK_END) {
    struct node *node = node_at(z, link - 1);
    assert(node->discrete == discrete);
    uint32_t next = link_of(node);
    __builtin_prefetch(next != LINK_END ? node_at(z, next - 1) : node);
    unsigned order = compare(z, node->zone, state, bits);
    steps++;
    if ((order & ORDER_COVERS) != 0) {
      found = link;
    } else if (order == ORDER_COVERED && !keeps) {
      take_off(z, before, node);
      set_link(node, LINK_COVERED);
      z->covered++;
    } else {
      before = node;
    }
    link = next;
  }
  z->comparisons += steps;
  z->longest_walk = steps > z->longest_walk ? steps : z->longest_walk;
  return found;
}

static uint32_t walk(struct zones *z, uint32_t discrete, const uint64_t *state, bool keeps) {
  switch (z->base.config.order_bits) {
  case 16:
    return walk_list(z, discrete, state, keeps, 16);
  case 32:
    return walk_list(z, discrete, state, keeps, 32);
  default:
    return walk_list(z, discrete, state, keeps, 0);
  }
}

/* The place of the zone of a state, which is new there or not. */
static uint32_t keep_tail(struct zones *z, const uint64_t *state) {
  if (z->tails == NULL) {
    return 0;
  }
  const uint64_t *tail = state + z->discrete_words;
  struct clew_visit visit = {.state = tail,
                             .hash = clew_hash_words(tail, z->tail_words, z->tails->config.seed)};
  z->tails->type->put(z->tails, 1, &visit);
  assert(visit.answer == CLEW_NEW || visit.answer == CLEW_SEEN);
  return (uint32_t)visit.id;
}

static void insert(struct zones *z, uint32_t discrete, struct clew_visit *visit) {
  uint32_t *head = head_at(z, discrete);
  struct node *node = node_at(z, z->count);
  node->discrete = discrete;
  node->zone = keep_tail(z, visit->state);
  set_link(node, *head);
  visit->id = z->count++;
  visit->answer = CLEW_NEW;
  *head = (uint32_t)z->count;
}

/* The lists that a block of visits will walk lie anywhere: asks for their beginnings. */
static void look_ahead(const struct zones *z, const struct clew_visit *parts, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    __builtin_prefetch(head_at(z, parts[i].id));
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t link = *head_at(z, parts[i].id);
    if (link != LINK_END) {
      __builtin_prefetch(node_at(z, link - 1));
    }
  }
  for (uint32_t i = 0; i < count && z->tails != NULL; i++) {
    uint32_t link = *head_at(z, parts[i].id);
    if (link != LINK_END) {
      __builtin_prefetch(tail_at(z, node_at(z, link - 1)->zone));
    }
  }
}

static void put_block(struct zones *z, uint32_t count, struct clew_visit *visits) {
  struct clew_visit parts[BLOCK];
  assert(count <= BLOCK && z->count + count <= MOST_NODES);
  for (uint32_t i = 0; i < count; i++) {
    parts[i] = (struct clew_visit){.state = visits[i].state, .hash = visits[i].hash};
  }
  z->discrete->type->put(z->discrete, count, parts);
  look_ahead(z, parts, count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t discrete = (uint32_t)parts[i].id;
    uint32_t link = walk(z, discrete, visits[i].state, false);
    if (link != LINK_END) {
      visits[i].id = link - 1;
      visits[i].answer = CLEW_SEEN;
    } else {
      insert(z, discrete, &visits[i]);
    }
  }
}

static void zones_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct zones *z = zones_of(store);
  for (uint32_t first = 0; first < count; first += BLOCK) {
    put_block(z, count - first < BLOCK ? count - first : BLOCK, visits + first);
  }
  z->visits += count;
}

static void zones_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct zones *z = zones_of(store);
  z->discrete->type->find(z->discrete, count, visits);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t link = LINK_END;
    if (visits[i].answer == CLEW_SEEN) {
      link = walk(z, (uint32_t)visits[i].id, visits[i].state, true);
    }
    visits[i].answer = link != LINK_END ? CLEW_SEEN : CLEW_NEW;
    visits[i].id = link != LINK_END ? link - 1 : CLEW_ID_NONE;
  }
}

/* ---- growth ---- */

static enum clew_room zones_reserve(struct clew_store *store, uint32_t insertions) {
  struct zones *z = zones_of(store);
  assert(z->count <= MOST_NODES);
  uint64_t discrete = z->discrete->type->count(z->discrete);
  if (z->count + insertions > MOST_NODES ||
      !clew_bigmem_commit(&z->nodes, (size_t)(z->count + insertions) * sizeof(struct node)) ||
      !clew_bigmem_commit(&z->heads, (size_t)(discrete + insertions) * sizeof(uint32_t))) {
    return CLEW_ROOM_MEMORY;
  }
  enum clew_room room = z->discrete->type->reserve(z->discrete, insertions);
  return room == CLEW_ROOM && z->tails != NULL ? z->tails->type->reserve(z->tails, insertions)
                                               : room;
}

/* ---- the rest of the interface ---- */

static void zones_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  struct zones *z = zones_of(store);
  assert(first + count <= z->count);
  for (uint32_t i = 0; i < count; i++, out += store->config.words) {
    const struct node *node = node_at(z, first + i);
    z->discrete->type->get(z->discrete, node->discrete, 1, out);
    if (z->tails != NULL) {
      z->tails->type->get(z->tails, node->zone, 1, out + z->discrete_words);
    }
  }
}

static bool zones_is_covered(const struct clew_store *store, clew_id id) {
  const struct zones *z = zones_of_const(store);
  const struct node *node = (const struct node *)(const void *)z->nodes.data + id;
  return link_of(node) == LINK_COVERED;
}

static void zones_census(const struct clew_store *store, struct clew_store_census *out) {
  const struct zones *z = zones_of_const(store);
  assert(z->covered <= z->count);
  *out = (struct clew_store_census){.discrete = z->discrete->type->count(z->discrete),
                                    .maximal = z->count - z->covered};
}

static uint64_t zones_count(const struct clew_store *store) {
  return zones_of_const(store)->count;
}

static uint64_t part_bytes(const struct clew_store *part) {
  return part != NULL ? part->type->bytes(part) : 0;
}

static uint64_t zones_bytes(const struct clew_store *store) {
  const struct zones *z = zones_of_const(store);
  uint64_t bytes = part_bytes(z->discrete) + part_bytes(z->tails) + z->nodes.committed_bytes +
                   z->heads.committed_bytes;
  assert(store->config.budget == NULL || bytes <= clew_budget_used(store->config.budget));
  return bytes;
}

static void zones_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct zones *z = zones_of_const(store);
  assert(z->covered <= z->count);
  clew_counters_count(out, "discrete", z->discrete->type->count(z->discrete));
  clew_counters_count(out, "zones", z->count - z->covered);
  clew_counters_count(out, "zones_covered", z->covered);
  clew_counters_count(out, "distinct_zones",
                      z->tails != NULL ? z->tails->type->count(z->tails) : 0);
  clew_counters_count(out, "visits", z->visits);
  clew_counters_count(out, "comparisons", z->comparisons);
  clew_counters_count(out, "longest_walk", z->longest_walk);
  clew_counters_count(out, "discrete_bytes", part_bytes(z->discrete));
  clew_counters_count(out, "zone_bytes", part_bytes(z->tails));
  clew_counters_count(out, "node_bytes", z->nodes.committed_bytes + z->heads.committed_bytes);
}

static void zones_close(struct clew_store *store) {
  struct zones *z = zones_of(store);
  if (z->discrete != NULL) {
    z->discrete->type->close(z->discrete);
  }
  if (z->tails != NULL) {
    z->tails->type->close(z->tails);
  }
  clew_bigmem_close(&z->nodes);
  clew_bigmem_close(&z->heads);
  clew_free(z->scratch);
  clew_free(z);
}

/* ---- opening ---- */

/* One of the two stores of parts. It may not have the crew, whose members are at work while this
 * store grows. */
static enum clew_status open_part(const struct zones *z, uint32_t words, uint32_t bytes,
                                  struct clew_diag_sink *diags, struct clew_store **part) {
  assert(words > 0);
  struct clew_store_config config = {.words = words,
                                     .bytes = bytes,
                                     .threads = 1,
                                     .seed = z->base.config.seed,
                                     .budget = z->base.config.budget,
                                     .scratch = z->base.config.scratch,
                                     .diags = z->base.config.diags,
                                     .discrete_words = words};
  return clew_store_exact.open(&config, diags, part);
}

static enum clew_status open_parts(struct zones *z, struct clew_diag_sink *diags) {
  struct clew_budget *budget = z->base.config.budget;
  uint32_t bytes = z->tail_words == 0 ? z->base.config.bytes : 0;
  enum clew_status status = open_part(z, z->discrete_words, bytes, diags, &z->discrete);
  if (status == CLEW_OK && z->tail_words > 0) {
    status = open_part(z, z->tail_words, 0, diags, &z->tails);
  }
  if (status == CLEW_OK && (!region_open(&z->nodes, MOST_NODES, sizeof(struct node), budget) ||
                            !region_open(&z->heads, MOST_NODES, sizeof(uint32_t), budget))) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for any state");
    status = CLEW_OVER_LIMIT;
  }
  return status;
}

static enum clew_status zones_open(const struct clew_store_config *config,
                                   struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->discrete_words <= config->words);
  assert(config->order_bits == 0 || config->order_bits == 16 || config->order_bits == 32);
  struct zones *z = clew_alloc_zero(1, sizeof *z);
  z->base = (struct clew_store){
      .type = &clew_store_zones, .promises = clew_store_zones.promises, .config = *config};
  z->discrete_words = config->covers != NULL ? config->discrete_words : config->words;
  z->tail_words = config->words - z->discrete_words;
  z->scratch = clew_alloc(config->words * sizeof *z->scratch);
  enum clew_status status = open_parts(z, diags);
  if (status != CLEW_OK) {
    zones_close(&z->base);
    return status;
  }
  *store = &z->base;
  return CLEW_OK;
}

/* ---- validation ---- */

/* The first node of a list that is to `state`, or another one than `but`, what `wanted` says. */
static uint32_t find_related(struct zones *z, uint32_t discrete, const uint64_t *state,
                             uint32_t but, unsigned wanted) {
  uint32_t bits = z->base.config.order_bits;
  uint32_t link = *head_at(z, discrete);
  while (link != LINK_END &&
         (link == but || (compare(z, node_at(z, link - 1)->zone, state, bits) & wanted) == 0)) {
    link = link_of(node_at(z, link - 1));
  }
  return link;
}

/* A node in a list has no other there that covers it; one that is marked has. */
static const char *validate_orders(struct zones *z) {
  uint64_t *state = clew_alloc(z->base.config.words * sizeof *state);
  const char *why = NULL;
  for (uint64_t i = 0; i < z->count && why == NULL; i++) {
    const struct node *node = node_at(z, i);
    zones_get(&z->base, i, 1, state);
    uint32_t other = find_related(z, node->discrete, state, (uint32_t)i + 1, ORDER_COVERS);
    if ((link_of(node) == LINK_COVERED) != (other != LINK_END)) {
      why = other != LINK_END ? "a state in a list is covered" : "a marked state is not covered";
    }
  }
  clew_free(state);
  return why;
}

/* Lists hold the nodes of their discrete part, and all that are not marked. */
static const char *validate_lists(const struct zones *z) {
  uint64_t listed = 0;
  for (uint64_t d = 0; d < z->discrete->type->count(z->discrete); d++) {
    uint64_t before = listed;
    for (uint32_t link = *head_at(z, d); link != LINK_END; listed++) {
      if (link > z->count || listed >= z->count) {
        return "a list leads nowhere, to a marked state or into itself";
      }
      const struct node *node = node_at(z, link - 1);
      if (node->discrete != d) {
        return "a list has a state of other discrete words";
      }
      link = link_of(node);
    }
    if (listed == before) {
      return "discrete words have no state";
    }
  }
  return listed + z->covered == z->count ? NULL : "a state is neither in a list nor covered";
}

static bool zones_validate(const struct clew_store *store, const char **why) {
  struct zones *z = (struct zones *)(uintptr_t)zones_of_const(store);
  *why = NULL;
  if (!z->discrete->type->validate(z->discrete, why) ||
      (z->tails != NULL && !z->tails->type->validate(z->tails, why))) {
    return false;
  }
  *why = validate_lists(z);
  if (*why == NULL) {
    *why = validate_orders(z);
  }
  return *why == NULL;
}

const struct clew_store_type clew_store_zones = {
    .name = "zones",
    .help = "for timed models: of each discrete state the zones that no other one contains",
    .promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_GET | CLEW_STORE_DENSE |
                CLEW_STORE_ORDER,
    .open = zones_open,
    .close = zones_close,
    .reserve = zones_reserve,
    .prefetch = zones_prefetch,
    .put = zones_put,
    .get = zones_get,
    .find = zones_find,
    .is_covered = zones_is_covered,
    .census = zones_census,
    .count = zones_count,
    .bytes = zones_bytes,
    .counters = zones_counters,
    .validate = zones_validate,
};
