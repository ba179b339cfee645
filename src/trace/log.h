/* The back-edge log: for each state id the id of the state it was first reached from and the edge
 * taken. It makes a counterexample possible with every store, also with those that forget or hash,
 * and has the whole search: every state can be made again from it (checkpoint/replay.h).
 *
 * The latest records are kept as they are. Those before are kept in compressed blocks (coder.h), of
 * which a state takes half a byte or less: in memory up to a share of the budget, then in a file
 * without a name in the scratch directory. Where there is no such file to be had they go on in
 * memory as long as the budget gives any. Where a store keeps the same in a better way, the log is
 * only a view of that.
 *
 * Writing. `clew_log_reserve` makes room while nobody writes; then any threads may set the edges of
 * different ids at once, in any order. Reading is for one thread at a time. */
#ifndef CLEW_TRACE_LOG_H
#define CLEW_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/crew.h"
#include "base/file.h"
#include "base/id.h"
#include "trace/coder.h"

struct clew_log;

/* `memory_bytes` is its share of the budget. */
struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes);
/* Keeps nothing; `get` calls back. */
typedef void clew_log_view(const void *context, clew_id id, struct clew_back_edge *out);
struct clew_log *clew_log_open_view(clew_log_view *view, const void *context);
void clew_log_close(struct clew_log *log);
/* From now on a crew, which is idle in `reserve`, shares the work there; NULL: nobody does. */
void clew_log_use_crew(struct clew_log *log, struct clew_crew *crew);
/* Room for ids from `from` on, all below which are set, while nobody writes: up to `end` if
 * possible. Returns the end of what there is room for, which is at least from + 1; or `from` itself
 * when memory and disk refuse (errno is set): the search must end as incomplete. The first call
 * says which id is the first of all. */
clew_id clew_log_reserve(struct clew_log *log, clew_id from, clew_id end);
/* The id must have room. */
void clew_log_set(struct clew_log *log, clew_id id, clew_id parent, uint32_t edge);
/* False, and errno, when the file cannot be read; EBADMSG when it is not what was written. The id
 * must have been set. */
bool clew_log_get(struct clew_log *log, clew_id id, struct clew_back_edge *out);
/* The same for `count` ids from `first` on: much faster than one by one. */
bool clew_log_read(struct clew_log *log, clew_id first, uint32_t count, struct clew_back_edge *out);
/* Forgets the edges of ids from `end` on, while nobody writes; the next `reserve` begins there.
 * False, and errno, when the file cannot be read. */
bool clew_log_rewind(struct clew_log *log, clew_id end);
/* The block that begins with this id, as it is kept: its bytes, valid until the next call of
 * anything. NULL when there is none. */
const unsigned char *clew_log_block(struct clew_log *log, clew_id first, struct clew_block *out);
uint64_t clew_log_bytes(const struct clew_log *log); /* memory in use */
uint64_t clew_log_disk_bytes(const struct clew_log *log);

#endif
