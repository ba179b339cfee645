/* The back-edge log: for each state id the id of the state it was first reached from and the edge
 * taken. It makes a counterexample possible with every store, also with those that forget or hash.
 * 8 bytes per state (12 for ids beyond 2^32). Old parts go to a file in the scratch directory when
 * the log outgrows its share of the budget; where there is no such file to be had it goes on in
 * memory as long as the budget gives any. Where a store keeps the same in a better way, the log is
 * only a view of that.
 *
 * Writing. `clew_log_reserve` makes room up to an id, while nobody writes; then any threads may set
 * the edges of different ids at once, in any order. */
#ifndef CLEW_TRACE_LOG_H
#define CLEW_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/file.h"
#include "base/id.h"

struct clew_back_edge {
  clew_id parent; /* CLEW_ID_NONE for an initial state; else smaller than the id of the state */
  uint32_t edge;  /* of the model, or of init for an initial state */
};

struct clew_log;

struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes);
/* Keeps nothing; `get` calls back. */
typedef void clew_log_view(const void *context, clew_id id, struct clew_back_edge *out);
struct clew_log *clew_log_open_view(clew_log_view *view, const void *context);
void clew_log_close(struct clew_log *log);
/* Room for the ids below `end`, which never decreases, all of which will be set before the next
 * call. Ids that were set before may move to disk. False when memory and disk refuse (errno is
 * set): the search must end as incomplete. */
bool clew_log_reserve(struct clew_log *log, clew_id end);
void clew_log_set(struct clew_log *log, clew_id id, clew_id parent, uint32_t edge);
/* False when the file cannot be read. The id must have been set. */
bool clew_log_get(struct clew_log *log, clew_id id, struct clew_back_edge *out);
uint64_t clew_log_bytes(const struct clew_log *log); /* memory in use */
uint64_t clew_log_disk_bytes(const struct clew_log *log);

#endif
