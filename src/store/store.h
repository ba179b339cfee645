/* Sets of visited states. A store sees words, never a model.
 *
 * Adding a store: one file that defines a `const struct clew_store_type`, one line in the registry
 * (cli/registry.c).
 *
 * Batches. The engine hashes each successor as it is produced and calls `prefetch` with the hash;
 * when a batch is complete it calls `put` once. A batch may contain the same state twice: the first
 * is NEW, the second SEEN (and where the store knows ids, with the same id).
 *
 * Ids. Every store numbers the states that it calls new 0, 1, 2, … in the order in which it says
 * so, in `put` or in `settle`; `count` is the next id.
 *
 * Growth. `put` never grows anything that another thread may be reading. Before a batch the engine
 * calls `reserve(n)` while no `put` is in flight; after the answer ROOM, n insertions will find
 * room, by one `put` or by several with `expanded` between them. SETTLE asks the engine to call
 * `settle` and then again. The other answers are reasons to end the search as incomplete. A store
 * that fails in the middle of something (a full disk) remembers it, answers FULL to what it did not
 * take, and tells the reason at the next `reserve`.
 *
 * Delay. A DELAYED store may answer MAYBE: it has taken a copy of the state and of its back edge,
 * and says at a later `settle` whether it was new. The engine settles when `reserve` asks for it
 * and whenever nothing else of a breadth-first level is left, so levels stay exact; a store that is
 * LATE is asked only when nothing else at all is left, and then they are not. */
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
  CLEW_STORE_DENSE = 1 << 3,      /* SEEN comes with the id of the state */
  CLEW_STORE_DELAYED = 1 << 4,    /* put may answer MAYBE */
  CLEW_STORE_FORGETS = 1 << 5,    /* NEW may be wrong: `count` counts visits, not states */
  CLEW_STORE_PROBE = 1 << 6,      /* `has` is there (lossy stores: precision on demand needs it) */
  CLEW_STORE_BACK_EDGES = 1 << 7, /* visits must say where they come from; `back_edge` knows */
  CLEW_STORE_LATE = 1 << 8,       /* DELAYED: would rather settle seldom than keep levels exact */
  CLEW_STORE_EXPANDED = 1 << 9,   /* wants `expanded`, before the next state's successors are put */
  CLEW_STORE_THREADED = 1 << 10,  /* has threads of its own at work, as many as the config says */
};

enum clew_answer { CLEW_NEW, CLEW_SEEN, CLEW_MAYBE, CLEW_FULL };

/* What `reserve` answers. */
enum clew_room {
  CLEW_ROOM,
  CLEW_ROOM_SETTLE,     /* call settle, then ask again */
  CLEW_ROOM_MEMORY,     /* the budget is used up */
  CLEW_ROOM_DISK,       /* the disk failed or is full; the sink of `open` was told */
  CLEW_ROOM_COLLISIONS, /* the store forgets so much that the search would not end */
};

struct clew_visit {
  const uint64_t *state; /* in: borrowed for the call */
  uint64_t hash;         /* in: clew_hash_words of it with the store's seed */
  uint64_t id;           /* out: of a NEW state, or of a SEEN one when the store is DENSE */
  /* in, for stores that are DELAYED or want BACK_EDGES: the state it was reached from (its id, or
   * CLEW_STORE_ROOT for an initial state), by which edge, and its distance from the start. */
  uint32_t parent, edge, depth;
  enum clew_answer answer; /* out */
};

#define CLEW_STORE_ROOT UINT32_MAX

/* What the command line says about stores; fields are 0 (or NULL) when it says nothing, and each
 * store reads those that concern it. */
enum clew_disk_mode { CLEW_DISK_RUNS, CLEW_DISK_FULL, CLEW_DISK_LOCAL };
enum clew_comback_layout { CLEW_COMBACK_PAPER, CLEW_COMBACK_COMPACT };

struct clew_store_options {
  uint32_t hash_bits;
  uint64_t entries;   /* size the table for so many states instead of by the budget */
  bool compact_plain; /* no quotienting: signatures as published */
  uint32_t bloom_bits;
  uint64_t bloom_expect;
  bool bloom_classic;
  uint64_t cache_entries;
  double max_collision_rate;
  enum clew_disk_mode disk;
  struct {
    const char *cache;      /* "F20-D80:0.01", checked by the store */
    const char *candidates; /* states, or a fraction of `states` */
    const char *block;      /* the same */
    const char *shares;     /* "0.6,0.2,0.2" */
    uint64_t states;        /* expected number, for fractions */
    uint64_t full_states;   /* budget of full states */
    bool queue_ids;         /* the queue holds ids: GET */
    bool detects_late;      /* not at the end of every level: LATE */
    enum clew_comback_layout layout;
  } comback;
};

struct clew_store_config {
  uint32_t words;
  uint32_t bytes; /* of the words: those beyond are zero in every state (0: all are in use) */
  uint32_t threads;
  uint64_t seed;
  struct clew_budget *budget;               /* borrowed; everything that grows is taken from it */
  struct clew_scratch *scratch;             /* borrowed; files go there */
  const struct clew_store_options *options; /* borrowed; NULL: all defaults */
  struct clew_diag_sink *diags;             /* borrowed; explanations of what fails later on */
  /* For stores that rebuild states: re-executes `edge` in `state` and makes the result canonical.
   * NULL when not available. */
  bool (*replay)(void *context, const uint64_t *state, uint32_t edge, uint64_t *out);
  void *replay_context;
};

struct clew_store {
  const struct clew_store_type *type; /* options may choose a variant of the one that opened it */
  uint32_t get_block;    /* GET stores: how many states are best read back at once; 0: one */
  unsigned capabilities; /* of this one: options may take some of the type's away */
  struct clew_store_config config;
};

struct clew_store_type {
  const char *name, *help;
  unsigned capabilities; /* at most */
  enum clew_status (*open)(const struct clew_store_config *config, struct clew_diag_sink *diags,
                           struct clew_store **store);
  void (*close)(struct clew_store *store);
  enum clew_room (*reserve)(struct clew_store *store, uint32_t insertions);
  void (*prefetch)(const struct clew_store *store, uint64_t hash);
  void (*put)(struct clew_store *store, uint32_t count, struct clew_visit *visits);
  /* DELAYED stores: decides every MAYBE so far or, if not `all`, at least those that the store
   * needs decided to take more; calls back once for each state found new, in the order of ids, with
   * everything but the hash filled in. A callback that returns false ends it; the store is then
   * good for `close` and figures only. */
  void (*settle)(struct clew_store *store, bool all,
                 bool (*found_new)(void *context, const struct clew_visit *visit), void *context);
  /* GET stores: copies the words of `count` states, from id `first` on, to `out`. */
  void (*get)(struct clew_store *store, uint64_t first, uint32_t count, uint64_t *out);
  /* PROBE stores: whether a state with this hash would be SEEN. */
  bool (*has)(const struct clew_store *store, uint64_t hash);
  /* PROBE stores: a state that was SEEN is new after all, as its successors show. Counts it and
   * returns its id. */
  uint64_t (*adopt)(struct clew_store *store);
  /* BACK_EDGES stores: parent and edge of the visit that was NEW with this id. */
  void (*back_edge)(const struct clew_store *store, uint64_t id, uint32_t *parent, uint32_t *edge);
  /* EXPANDED stores: all successors of this state were put. */
  void (*expanded)(struct clew_store *store, uint64_t id, uint32_t depth, const uint64_t *state);
  uint64_t (*count)(const struct clew_store *store);
  uint64_t (*bytes)(const struct clew_store *store);      /* memory now in use */
  uint64_t (*disk_bytes)(const struct clew_store *store); /* largest use so far; may be NULL */
  /* Lossy stores: the chance that the search so far left out at least one state. */
  double (*omission)(const struct clew_store *store);
  /* Adds the store's own counters as keys of the open JSON object; may be NULL. */
  void (*counters)(const struct clew_store *store, struct clew_json_writer *w);
  /* Verifies the invariants of the data structure (slow; for tests): true, or false and why. */
  bool (*validate)(const struct clew_store *store, const char **why);
};

/* Whether states and transitions can be looked up again after the search. */
static inline bool clew_store_keeps_graph(unsigned capabilities) {
  const unsigned needed = CLEW_STORE_GET | CLEW_STORE_DENSE;
  return (capabilities & needed) == needed;
}

/* The options of a store, never NULL. */
static inline const struct clew_store_options *
clew_store_options(const struct clew_store_config *config) {
  static const struct clew_store_options defaults;
  return config->options != NULL ? config->options : &defaults;
}

extern const struct clew_store_type clew_store_exact;
extern const struct clew_store_type clew_store_compact;
extern const struct clew_store_type clew_store_bloom;
extern const struct clew_store_type clew_store_cache;
extern const struct clew_store_type clew_store_disk;
extern const struct clew_store_type clew_store_comback;

#endif
