/* The tree store as its own files see it (tree.c). */
#ifndef CLEW_STORE_TREE_INT_H
#define CLEW_STORE_TREE_INT_H

#include "store/store.h"
#include "store/tree_intern_int.h"
#include "store/tree_plan_int.h"
#include "store/tree_root_int.h"

struct tree {
  struct clew_store base;
  struct clew_store *plain; /* the states as they are, while there are few; NULL: they are cut */
  uint64_t sample;          /* states at which they are to be cut */
  const char *only_order;
  bool tight;
  bool always;     /* cuts states even where it does not pay */
  double expected; /* bytes per state, of cut ones; 0: not known */
  bool fast;       /* the processor has the instructions for bits */
  struct tree_plan plan;
  struct intern *tables;
  uint32_t *uses; /* nodes of each table */
  struct tree_root root;
  struct tree_places *places; /* when the search is over (tree_freeze.c); or NULL */
  uint64_t room;              /* states without another reserve, in all */
  uint64_t cut_at;            /* states that there were */
  char line_of_count[SPIN_LINE_BYTES];
  _Atomic uint64_t count;
  char line_of_counters[SPIN_LINE_BYTES];
  _Atomic uint64_t visits, lookups;
  char last_line[SPIN_LINE_BYTES];
};

static inline struct tree *tree_of(struct clew_store *store) {
  assert(store->type == &clew_store_tree);
  return (struct tree *)store;
}

/* Whether the processor has the instructions for bits. */
static inline bool tree_is_fast(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

/* Bytes of a state that is not cut, in the exact store that the tree has inside. */
static inline double tree_whole_bytes(const struct clew_store_config *config) {
  const double index_bytes = 6.5;
  uint64_t bytes = config->bytes > 0 ? config->bytes : config->words * sizeof(uint64_t);
  return (double)bytes + index_bytes;
}

/* ---- tree_estimate.c: an operation of the store ---- */

double tree_estimate(struct clew_store *source, uint64_t states);

/* ---- tree_freeze.c: the operations of the store ---- */

bool tree_freeze(struct clew_store *store);
void tree_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out);
void tree_find(struct clew_store *store, uint32_t count, struct clew_visit *visits);
/* Gives the memory of places back. */
void tree_thaw(struct tree *tree);

/* ---- tree_put.c ---- */

/* Decides visits of a tree that is cut. */
void tree_put_parts(struct tree *tree, uint32_t count, struct clew_visit *visits, bool shared);
struct tree_ids {
  uint32_t left, right;
};
/* The pair of a state whose parts are all there; otherwise UINT32_MAX somewhere. */
struct tree_ids tree_ids_of(const struct tree *tree, const uint64_t *state);
/* The state of a pair of the root. */
void tree_read_back(const struct tree *tree, uint32_t left, uint32_t right, uint64_t *state);

#endif
