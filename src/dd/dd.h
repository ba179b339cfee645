/* Decision diagrams: one table of nodes, each of which exists once, and a cache of operations.
 *
 * A diagram is named by the number of its root node. Equal diagrams have equal numbers, so to
 * compare two sets is to compare two numbers. The table owns all nodes. A node that nobody needs is
 * taken away by a collection, which also gives other nodes new numbers: so every operation that
 * makes nodes may change the numbers of all diagrams that were *kept*, and end the life of those
 * that were not.
 *
 *   clew_ldd a = clew_ldd_from_rows(...), b = ...;
 *   clew_dd_keep(dd, &a);                 the variable is renamed along with its diagram
 *   clew_ldd c = clew_ldd_union(dd, a, b) b is used up: not kept, it means nothing afterwards
 *   clew_dd_drop(dd, 1);                  the last one that was kept
 *
 * Operands of an operation are safe while it works, kept or not.
 *
 * Memory. Nodes, index and cache take from the budget and grow in place. When it is used up, the
 * operation is undone, garbage is collected, and the operation is tried once more. If that does not
 * help, its answer is CLEW_DD_NONE and the status says why; the table and all that is kept stay as
 * they were. A raised stop flag ends operations in the same way.
 *
 * Threads. One thread at a time uses a table. An operation that takes long is shared by as many
 * workers as the table was opened with, and ends when all of them have; so callers see nothing of
 * it. Results are the same sets with any number of workers, so are all counts of vectors and of
 * nodes of a diagram. The numbers of nodes are not, nor is how many the table has at its peak: that
 * depends on what was forgotten meanwhile. */
#ifndef CLEW_DD_DD_H
#define CLEW_DD_DD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/budget.h"

/* The number of a node. */
typedef uint32_t clew_ldd;

enum {
  CLEW_LDD_EMPTY = 0, /* the empty set */
  CLEW_LDD_UNIT = 1,  /* the set of the empty vector: the end of every vector */
};
#define CLEW_DD_NONE UINT32_MAX /* there is no answer */

enum {
  CLEW_DD_VALUE_BITS = 23, /* values of a level are below 2^23; a further bit tells the type */
  CLEW_DD_NODE_BYTES = 11,
};

enum clew_dd_status {
  CLEW_DD_OK,
  CLEW_DD_FULL,    /* the budget is used up by what is kept */
  CLEW_DD_STOPPED, /* the stop flag is raised */
};

struct clew_dd_config {
  struct clew_budget *budget;
  const atomic_bool *stop; /* ends operations when raised; NULL: nothing does */
  uint64_t seed;
  uint32_t threads;  /* that share long operations, the caller's included; 0: one */
  uint64_t patience; /* for tests: steps before an operation is shared; 0: when it pays */
};

struct clew_dd;

/* NULL when there is no memory for even an empty table. */
struct clew_dd *clew_dd_open(const struct clew_dd_config *config);
void clew_dd_close(struct clew_dd *dd); /* NULL is fine */

/* The diagram in *root outlives collections, and *root is renamed by them. */
void clew_dd_keep(struct clew_dd *dd, clew_ldd *root);
/* Undoes the last `count` of those. */
void clew_dd_drop(struct clew_dd *dd, uint32_t count);
/* Undoes that of this variable, which was kept some time ago. */
void clew_dd_forget(struct clew_dd *dd, clew_ldd *root);
/* How the last operation ended. */
enum clew_dd_status clew_dd_status(const struct clew_dd *dd);
/* Takes away all nodes that nothing kept reaches. */
void clew_dd_collect(struct clew_dd *dd);
/* For tests: a collection before every so many operations; 0: when it is worth while. */
void clew_dd_collect_often(struct clew_dd *dd, uint32_t operations);

struct clew_dd_figures {
  uint64_t nodes, peak_nodes; /* in the table, garbage included; the most ever */
  uint64_t node_bytes;        /* of nodes, index and marks */
  uint64_t cache_bytes;
  uint64_t collections;
  uint64_t operations;        /* asked for by callers */
  uint64_t shared_operations; /* attempts by all workers */
  uint64_t steps;             /* pairs of nodes that they looked at */
  uint64_t cache_hits, cache_misses;
};
void clew_dd_figures(const struct clew_dd *dd, struct clew_dd_figures *figures);
uint64_t clew_dd_steps(const struct clew_dd *dd); /* figures.steps alone */

/* Appends all diagrams that are kept; their roots then have the numbers that they are known by in
 * what was written. False: there are clock values among them, or too many nodes. */
bool clew_dd_save(struct clew_dd *dd, struct clew_archive *out);
/* Makes them again in a table of any nodes: the number that each node has now, by the number that
 * it had, `count` of them; to be freed. No operation may come before the roots are kept. NULL:
 * there is no memory, or the archive is damaged. */
clew_ldd *clew_dd_load(struct clew_dd *dd, struct clew_archive *in, uint32_t *count);

/* Whether the table keeps its invariants: nodes exist once and are found, children come before
 * their parents, values rise along `right`. */
bool clew_dd_validate(const struct clew_dd *dd, const char **why);

#endif
