/* The back-edge log: for each state id the id of the state it was first reached from and the edge
 * taken, 8 bytes, appended in the order of ids. It makes a counterexample possible with every
 * store, also with those that forget or hash. The first part is kept in memory, the rest goes to a
 * file in the scratch directory. Where someone keeps the same in a better way, the log is only a
 * view of that. */
#ifndef CLEW_TRACE_LOG_H
#define CLEW_TRACE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/file.h"

#define CLEW_LOG_ROOT UINT32_MAX /* parent of an initial state; its edge is the initial edge */

struct clew_back_edge {
  uint32_t parent;
  uint32_t edge;
};

struct clew_log;

struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes);
/* Keeps nothing but the number of back edges; `get` calls back. */
typedef void clew_log_view(const void *context, uint64_t id, struct clew_back_edge *out);
struct clew_log *clew_log_open_view(clew_log_view *view, const void *context);
void clew_log_close(struct clew_log *log);
/* False when the disk refuses (errno is set): the search must end as incomplete. */
bool clew_log_append(struct clew_log *log, uint32_t parent, uint32_t edge);
bool clew_log_get(struct clew_log *log, uint64_t id, struct clew_back_edge *out);
uint64_t clew_log_count(const struct clew_log *log);
uint64_t clew_log_disk_bytes(const struct clew_log *log);

#endif
