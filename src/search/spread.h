/* One search over several ranks: which states belong to whom.
 *
 * Every state has an owner, by its hash; its store, its log and its expansion are there. A rank
 * that expands a state keeps the successors that it owns and sends the others to their owners, each
 * with the name of the state it comes from and the edge. Breadth-first levels end together: when
 * all ranks know how many records each was sent, and have them.
 *
 * Names. The id that a store gives is that of its rank. The name of a state among all ranks is
 * id * ranks + rank, so names are ids too: dense, and below CLEW_ID_LIMIT. Parents are names, in
 * visits and in the log; everything else is about ids.
 *
 * A spread lasts longer than a run: when a store is changed for another, the next run goes on. */
#ifndef CLEW_SEARCH_SPREAD_H
#define CLEW_SEARCH_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/id.h"
#include "cluster/team.h"
#include "model/model.h"
#include "store/store.h"

struct clew_spread {
  struct clew_team *team; /* borrowed */
  uint32_t rank, ranks;
  uint32_t words, owner_words;    /* of a state; of these, those that decide who owns it */
  uint64_t seed;                  /* of the hash: that of the store */
  const struct clew_model *model; /* whose words are to be translated (model/dialect.h), or NULL */
  uint32_t state_bytes, edge_bytes, record_bytes;
  uint32_t per_message; /* records */
  uint64_t budget_bytes;
  struct clew_budget *budget; /* borrowed */
  uint32_t threads;
  uint32_t recent_bits; /* a worker remembers 2^bits states that it has sent; 0: none */
  /* The level. */
  _Atomic uint64_t *sent; /* records to each rank */
  _Atomic uint64_t received;
  bool told;               /* the others know that this rank has stopped */
  uint64_t *values;        /* room for reductions */
  _Atomic uint64_t remote; /* all records that were sent */
  /* When all met last, over all ranks. */
  uint64_t states, level_states, transitions, deadlocks, findings;
  bool wants_cut; /* rank 0 does */
  bool pooled;    /* counts of all ranks are in one worker */
  /* Of a search that goes on: counts of further runs that this rank goes on for; and whether those
   * of its own archive are another rank's. */
  CLEW_VEC(struct clew_archive) more;
  bool borrows;
  double began_s;
  uint64_t waited_us; /* before */
};

/* Takes memory for messages from the budget. False: there is not enough. */
bool clew_spread_open(struct clew_spread *spread, struct clew_team *team,
                      const struct clew_model *model, uint64_t seed, struct clew_budget *budget,
                      uint32_t threads);
void clew_spread_close(struct clew_spread *spread);
/* Names of parents become ids where they are this rank's, and NONE where not: for a store that
 * works with parents. */
void clew_spread_to_ids(const struct clew_spread *spread, struct clew_visit *visits,
                        uint32_t count);

/* By a hash of the words that decide. It is mixed, because stores use its bits, too: their tables
 * would be uneven if a rank had only states of which some of these are the same. */
static inline uint32_t clew_spread_owner_of_hash(const struct clew_spread *spread, uint64_t hash) {
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (uint32_t)(((hash >> 32) * spread->ranks) >> 32);
}
static inline uint32_t clew_spread_owner(const struct clew_spread *spread, const uint64_t *state) {
  if (spread->model != NULL) {
    return clew_spread_owner_of_hash(spread, spread->model->dialect->essence(spread->model, state));
  }
  return clew_spread_owner_of_hash(spread,
                                   clew_hash_words(state, spread->owner_words, spread->seed));
}
static inline clew_id clew_spread_name(const struct clew_spread *spread, clew_id id) {
  return id * spread->ranks + spread->rank;
}
static inline uint32_t clew_spread_rank_of(const struct clew_spread *spread, clew_id name) {
  return (uint32_t)(name % spread->ranks);
}
static inline clew_id clew_spread_id_of(const struct clew_spread *spread, clew_id name) {
  return name / spread->ranks;
}

#endif
