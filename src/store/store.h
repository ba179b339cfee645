/* Sets of visited states. A store sees words, never a model.
 *
 * Adding a store: one file that defines a `const struct clew_store_type`, its declaration in this
 * header, one line in the registry (cli/registry.c). CONTRIBUTING.md goes through it step by step.
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
 * room, by one `put` or by several, of any threads, with `expanded` between them. SETTLE asks the
 * engine to call `settle` and then again; after any answer a smaller number may still find room.
 * The other answers are reasons to end the search as incomplete. A store that fails in the middle
 * of something (a full disk) remembers it, answers FULL to what it did not take, and tells the
 * reason at the next `reserve`.
 *
 * Threads. A CONCURRENT store may be called by several threads at once in `prefetch`, `put`, `get`,
 * `find`, `has` and `count`, as long as `shared` is set; the engine sets and clears it while nobody
 * is inside. Everything else, and everything of the other stores, is called by one thread at a
 * time, though not always by the same. In `reserve` a CONCURRENT store may have the crew of its
 * config work for it.
 *
 * Delay. A store that demands SETTLE may answer MAYBE: it has taken a copy of the state and of its
 * back edge, and says at a later `settle` whether it was new. The engine settles when `reserve`
 * asks for it and whenever nothing else of a breadth-first level is left, so levels stay exact; a
 * store that is LATE is asked only when nothing else at all is left, and then they are not.
 *
 * Order. Some models have an order of states (model.h: covers): what is reachable from b is
 * reachable from a if a covers b. A store that promises ORDER asks `config.covers` and calls a
 * state seen if a stored one of the same discrete words covers it; hashes are then of these words
 * only. It may also notice that a new state covers stored ones, which then need not be expanded
 * any more (`is_covered`). They keep their ids, and what was found from them stays. */
#ifndef CLEW_STORE_STORE_H
#define CLEW_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/counters.h"
#include "base/crew.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/id.h"
#include "base/option.h"
#include "base/status.h"

/* Promises: an engine may rely on these. */
enum clew_store_promise {
  CLEW_STORE_LOSSLESS = 1 << 0,   /* SEEN is never wrong */
  CLEW_STORE_REMEMBERS = 1 << 1,  /* NEW is never wrong: `count` counts states, not visits */
  CLEW_STORE_CONCURRENT = 1 << 2, /* several threads may use it at once, and it demands nothing but
                                   * perhaps REPLAY; `room` is there */
  CLEW_STORE_GET = 1 << 3,        /* states can be read back by id */
  CLEW_STORE_DENSE = 1 << 4,      /* SEEN comes with the id of the state; `find` is there */
  CLEW_STORE_PROBE = 1 << 5,      /* `has` and `adopt` are there: precision on demand */
  CLEW_STORE_BACK_EDGES = 1 << 6, /* `back_edge` is there: nobody else has to log them */
  CLEW_STORE_ORDER = 1 << 7,      /* uses config.covers */
  CLEW_STORE_PLACES = 1 << 8, /* `freeze` is there: states can be looked up when all are known */
};

/* Demands: the store asks an engine for these. */
enum clew_store_demand {
  CLEW_STORE_SETTLE = 1 << 0, /* put may answer MAYBE: call `settle` */
  CLEW_STORE_LATE = 1 << 1,   /* would rather settle seldom than keep levels exact */
  /* Call `expanded` when all successors of a state were put; breadth-first: before others are. */
  CLEW_STORE_EXPANDED = 1 << 2,
  CLEW_STORE_REPLAY = 1 << 3, /* config.replay is needed, and is called often */
};

enum clew_answer { CLEW_NEW, CLEW_SEEN, CLEW_MAYBE, CLEW_FULL };

/* Answers of `reserve`. */
enum clew_room {
  CLEW_ROOM,
  CLEW_ROOM_SETTLE,     /* call settle, then ask again */
  CLEW_ROOM_MEMORY,     /* the budget is used up */
  CLEW_ROOM_DISK,       /* the disk failed or is full; the sink of `open` was told */
  CLEW_ROOM_COLLISIONS, /* the store forgets so much that the search would not end */
};

struct clew_visit {
  const uint64_t *state; /* in: borrowed for the call */
  /* in: clew_hash_words of its words (ORDER: of its discrete words) with the seed of the config, so
   * a store may compute it again. Different states may have the same: a LOSSLESS store compares
   * their words. */
  uint64_t hash;
  clew_id id; /* out: of a NEW state, or of a SEEN one when the store is DENSE */
  /* in, always: the state it was reached from (CLEW_ID_NONE for an initial state), by which edge,
   * and its distance from the start on that way. */
  clew_id parent;
  uint32_t edge, depth;
  enum clew_answer answer; /* out */
};

/* A variable of the model: bits that belong together. */
struct clew_store_field {
  uint32_t bit;   /* word * 64 + shift */
  uint32_t width; /* none straddles a word; may be 0 */
};

struct clew_store_config {
  uint32_t words;
  uint32_t bytes;   /* of the words: those beyond are zero in every state (0: all are in use) */
  uint32_t threads; /* that may use it at once, if it is CONCURRENT; at least 1 */
  uint64_t seed;
  struct clew_budget *budget;   /* borrowed; everything that grows is taken from it */
  struct clew_scratch *scratch; /* borrowed; files go there */
  const void *options;    /* borrowed; the struct of the type's option table; NULL: all defaults */
  struct clew_crew *crew; /* borrowed; idle in `reserve` of a CONCURRENT store; or NULL */
  struct clew_diag_sink *diags; /* borrowed; explanations of what fails later on */
  /* For stores that rebuild states: what the search makes of `edge` in `state`. NULL when not
   * available. Any thread may call it. */
  bool (*replay)(void *context, const uint64_t *state, uint32_t edge, uint64_t *out);
  void *replay_context;
  /* For ORDER stores: whether `a` covers `b`, two states of the same first `discrete_words` words.
   * NULL: only a state itself. */
  bool (*covers)(void *context, const uint64_t *a, const uint64_t *b);
  void *covers_context;
  uint32_t discrete_words;
  /* 16 or 32: the words behind are signed integers of so many bits, and `covers` says that none of
   * those of `a` is less. 0: it has to be asked. */
  uint32_t order_bits;
  /* For stores that cut states into parts: what states consist of, in the order in which the model
   * declares it. Bits of states that belong to no field must be told apart all the same. NULL: not
   * known. Borrowed until `close`. */
  const struct clew_store_field *fields;
  uint32_t field_count;
  /* The places of all fields in `fields`, in an order in which those stand together that
   * transitions change together. NULL: not known. Borrowed until `close`. */
  const uint32_t *fields_by_change;
};

/* What a store with an order holds. */
struct clew_store_census {
  uint64_t discrete; /* different discrete words */
  uint64_t maximal;  /* states that no other one covers */
};

struct clew_store {
  const struct clew_store_type *type; /* options may choose a variant of the one that opened it */
  unsigned promises, demands;         /* of this one: options may change the type's */
  uint32_t get_block; /* GET stores: how many states are best read back at once; 0: one */
  bool shared;        /* set by the engine: several threads are using a CONCURRENT store now */
  struct clew_store_config config;
};

struct clew_store_type {
  const char *name, *help;
  unsigned promises; /* at most */
  unsigned demands;  /* at most */
  struct clew_option_table options;
  enum clew_status (*open)(const struct clew_store_config *config, struct clew_diag_sink *diags,
                           struct clew_store **store);
  void (*close)(struct clew_store *store);
  enum clew_room (*reserve)(struct clew_store *store, uint32_t insertions);
  /* CONCURRENT stores: how many insertions would find room without another `reserve`. */
  uint64_t (*room)(const struct clew_store *store);
  void (*prefetch)(const struct clew_store *store, uint64_t hash);
  void (*put)(struct clew_store *store, uint32_t count, struct clew_visit *visits);
  /* Stores that demand SETTLE: decides every MAYBE so far or, if not `all`, at least those that the
   * store needs decided to take more; calls back once for each state found new, in the order of
   * ids, with everything but the hash filled in. A callback that returns false ends it; the store
   * is then good for `close` and figures only. */
  void (*settle)(struct clew_store *store, bool all,
                 bool (*found_new)(void *context, const struct clew_visit *visit), void *context);
  /* GET stores (PLACES: after `freeze`): copies the words of `count` states, from id `first` on, to
   * `out`. */
  void (*get)(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out);
  /* PLACES stores: nothing is put any more, and `get` and `find` work from now on; the numbers that
   * they take and give are below `count`, each of one state, and not the ids. False: there is no
   * memory for it. */
  bool (*freeze)(struct clew_store *store);
  /* GET stores; may be NULL: the store is being emptied into another one. From the first call on
   * nothing is called but `get` of ids from `below` on, `count`, `close` and this again; the memory
   * of everything else is given back. */
  void (*retire)(struct clew_store *store, clew_id below);
  /* DENSE stores (PLACES: after `freeze`): like `put`, but nothing is taken in: SEEN with its id,
   * or NEW without one. */
  void (*find)(struct clew_store *store, uint32_t count, struct clew_visit *visits);
  /* PROBE stores: whether a state with this hash would be SEEN. */
  bool (*has)(const struct clew_store *store, uint64_t hash);
  /* PROBE stores: a state that was SEEN is new after all, as its successors show. Counts it and
   * returns its id. */
  clew_id (*adopt)(struct clew_store *store);
  /* BACK_EDGES stores: parent and edge of the visit that was NEW with this id. */
  void (*back_edge)(const struct clew_store *store, clew_id id, clew_id *parent, uint32_t *edge);
  /* Stores that demand EXPANDED: all successors of this state were put. */
  void (*expanded)(struct clew_store *store, clew_id id, uint32_t depth, const uint64_t *state);
  /* ORDER stores; may be NULL: whether another stored state covers this one, which is stored. Once
   * true it stays so. Any thread may ask at any time, about an id that it was given. */
  bool (*is_covered)(const struct clew_store *store, clew_id id);
  /* Goes with `is_covered`. */
  void (*census)(const struct clew_store *store, struct clew_store_census *out);
  uint64_t (*count)(const struct clew_store *store);
  uint64_t (*bytes)(const struct clew_store *store);      /* memory now in use */
  uint64_t (*disk_bytes)(const struct clew_store *store); /* largest use so far; may be NULL */
  /* Lossy stores: the chance that the search so far left out at least one state. */
  double (*omission)(const struct clew_store *store);
  /* Bytes of each of so many states in a store of this type, told by those that `source` has, which
   * is a GET store and stays as it is; infinity where too few are there. Takes little memory, and
   * time for each state of the source. NULL: a sample that is put into such a store tells. */
  double (*estimate)(struct clew_store *source, uint64_t states);
  /* Adds the store's own figures; may be NULL. */
  void (*counters)(const struct clew_store *store, struct clew_counters *out);
  /* Verifies the invariants of the data structure (slow; for tests): true, or false and why. */
  bool (*validate)(const struct clew_store *store, const char **why);
};

/* Promises that together keep the graph: each state once, and both states and transitions can be
 * looked up again after the search. */
enum {
  CLEW_STORE_GRAPH = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_GET | CLEW_STORE_DENSE,
};

/* … in the end: perhaps by places. */
static inline bool clew_store_keeps_graph(const struct clew_store *store) {
  const unsigned by_place = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_PLACES;
  return (store->promises & CLEW_STORE_GRAPH) == CLEW_STORE_GRAPH ||
         (store->promises & by_place) == by_place;
}

extern const struct clew_store_type clew_store_exact;
extern const struct clew_store_type clew_store_compact;
extern const struct clew_store_type clew_store_bloom;
extern const struct clew_store_type clew_store_cache;
extern const struct clew_store_type clew_store_disk;
extern const struct clew_store_type clew_store_comback;
extern const struct clew_store_type clew_store_zones;
extern const struct clew_store_type clew_store_tree;

#endif
