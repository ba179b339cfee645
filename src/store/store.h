/* Sets of visited states. A store sees words, never a model.
 *
 * Adding a store: one file that defines a `const struct clew_store_type`, one line in the registry
 * (cli/registry.c).
 *
 * Batches. The engine hashes each successor as it is produced and calls `prefetch` with the hash;
 * when a batch is complete it calls `put` once. A batch may contain the same state twice: the first
 * is NEW, the second SEEN with the same id.
 *
 * Growth. `put` never grows anything that another thread may be reading. Before a batch the engine
 * calls `reserve(n)` while no `put` is in flight; after it, n insertions will find room. When the
 * budget does not allow it `reserve` answers false, and the engine ends the search as incomplete
 * (or lets another store take over). FULL from `put` is for stores that cannot promise room ahead.
 */
#ifndef CLEW_STORE_STORE_H
#define CLEW_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "base/status.h"

enum clew_store_capability {
  CLEW_STORE_LOSSLESS = 1 << 0,   /* SEEN is never wrong */
  CLEW_STORE_CONCURRENT = 1 << 1, /* put may be called by several threads at once */
  CLEW_STORE_GET = 1 << 2,        /* states can be read back by id */
  CLEW_STORE_DENSE = 1 << 3,      /* ids are 0, 1, 2, … in the order of insertion */
  CLEW_STORE_DELAYED = 1 << 4,    /* put may answer MAYBE */
};

enum clew_answer { CLEW_NEW, CLEW_SEEN, CLEW_MAYBE, CLEW_FULL };

struct clew_visit {
  const uint64_t *state;   /* in: borrowed for the call */
  uint64_t hash;           /* in: clew_hash_words of it with the store's seed */
  uint64_t id;             /* out: of the state, new or seen, when the store knows it */
  enum clew_answer answer; /* out */
};

struct clew_store_config {
  uint32_t words;
  uint32_t bytes; /* of the words: those beyond are zero in every state (0: all are in use) */
  uint32_t threads;
  uint64_t seed;
  struct clew_budget *budget;   /* borrowed; everything that grows is taken from it */
  struct clew_scratch *scratch; /* borrowed; files go there */
  /* For stores that rebuild states: re-executes `edge` in `state`. NULL when not available. */
  bool (*replay)(void *context, const uint64_t *state, uint32_t edge, uint64_t *out);
  void *replay_context;
};

struct clew_store {
  const struct clew_store_type *type;
  struct clew_store_config config;
};

struct clew_store_type {
  const char *name, *help;
  unsigned capabilities;
  enum clew_status (*open)(const struct clew_store_config *config, struct clew_diag_sink *diags,
                           struct clew_store **store);
  void (*close)(struct clew_store *store);
  bool (*reserve)(struct clew_store *store, uint32_t insertions);
  void (*prefetch)(const struct clew_store *store, uint64_t hash);
  void (*put)(struct clew_store *store, uint32_t count, struct clew_visit *visits);
  /* DELAYED stores: decides every MAYBE so far; calls back once for each state found new. */
  void (*settle)(struct clew_store *store,
                 void (*found_new)(void *context, uint64_t id, const uint64_t *state),
                 void *context);
  /* GET stores: copies the words of a state to `out`. */
  void (*get)(const struct clew_store *store, uint64_t id, uint64_t *out);
  uint64_t (*count)(const struct clew_store *store);
  uint64_t (*bytes)(const struct clew_store *store); /* memory now in use */
  /* Adds the store's own counters as keys of the open JSON object; may be NULL. */
  void (*counters)(const struct clew_store *store, struct clew_json_writer *w);
  /* Verifies the invariants of the data structure (slow; for tests): true, or false and why. */
  bool (*validate)(const struct clew_store *store, const char **why);
};

extern const struct clew_store_type clew_store_exact;

#endif
