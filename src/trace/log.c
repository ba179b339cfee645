/* The back-edge log: 8 bytes per state, appended in the order of ids, read only to build traces.
 *
 * It begins as an array in memory that grows in place. When its allowance or the budget ends, the
 * last part of that array (at most 1 MB) becomes a write buffer, and what is appended from then
 * on passes through it into a file: no memory is needed at the moment when there is none.
 *
 * Invariant: edges [0, base) stay in memory; the next `flushed` ones are in the file, in order; the
 * rest are in slots [base, slot). Before the first spill base and flushed are 0. */
#include "trace/log.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bigmem.h"

enum {
  BUFFER_BYTES = 1 << 20,
  SMALL_SLOTS = 512, /* the buffer of a log that got no memory at all */
};

struct clew_log {
  struct clew_bigmem memory;
  uint64_t memory_bytes; /* allowance */
  struct clew_scratch *scratch;
  struct clew_back_edge *edges;
  uint64_t slot, slots; /* next to be written, and their number */
  uint64_t base, flushed;
  int fd;              /* -1 until something was spilled */
  clew_log_view *view; /* not NULL: only `slot` is in use, and counts */
  const void *context;
  struct clew_back_edge small[SMALL_SLOTS];
};

struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes) {
  struct clew_log *log = clew_alloc_zero(1, sizeof *log);
  log->scratch = scratch;
  log->fd = -1;
  if (budget != NULL && memory_bytes > budget->limit_bytes) {
    memory_bytes = budget->limit_bytes;
  }
  /* Being refused addresses is like being refused memory: the file starts earlier. */
  if (memory_bytes >= sizeof *log->edges &&
      clew_bigmem_open(&log->memory, (size_t)memory_bytes, budget)) {
    log->memory_bytes = memory_bytes;
    log->edges = (struct clew_back_edge *)(void *)log->memory.data;
  }
  return log;
}

struct clew_log *clew_log_open_view(clew_log_view *view, const void *context) {
  assert(view != NULL);
  struct clew_log *log = clew_alloc_zero(1, sizeof *log);
  log->fd = -1;
  log->view = view;
  log->context = context;
  return log;
}

void clew_log_close(struct clew_log *log) {
  if (log == NULL) {
    return;
  }
  if (log->fd >= 0) {
    close(log->fd);
  }
  clew_bigmem_close(&log->memory);
  clew_free(log);
}

static bool grow_in_memory(struct clew_log *log) {
  assert(log->fd < 0 && log->slot == log->slots);
  uint64_t bytes = (log->slots + 1) * sizeof *log->edges;
  if (bytes > log->memory_bytes || !clew_bigmem_commit(&log->memory, (size_t)bytes)) {
    return false;
  }
  uint64_t usable = log->memory.committed_bytes;
  log->slots = (usable < log->memory_bytes ? usable : log->memory_bytes) / sizeof *log->edges;
  return true;
}

static bool start_spilling(struct clew_log *log) {
  if (log->scratch == NULL) {
    errno = ENOSPC;
    return false;
  }
  log->fd = clew_scratch_file(log->scratch, "back-edges");
  if (log->fd < 0) {
    return false;
  }
  const uint64_t buffer_slots = BUFFER_BYTES / sizeof *log->edges;
  log->base = log->slots > buffer_slots ? log->slots - buffer_slots : 0;
  return true;
}

static bool flush_buffer(struct clew_log *log) {
  uint64_t slots = log->slot - log->base;
  assert(slots > 0);
  if (!clew_fd_write_at(log->fd, log->edges + log->base, slots * sizeof *log->edges,
                        log->flushed * sizeof *log->edges)) {
    return false;
  }
  log->flushed += slots;
  log->slot = log->base;
  return true;
}

static bool make_room(struct clew_log *log) {
  if (log->fd < 0) {
    if (grow_in_memory(log)) {
      return true;
    }
    if (log->slots == 0) {
      log->edges = log->small;
      log->slots = SMALL_SLOTS;
      log->memory_bytes = 0; /* what is in the small buffer must not be left behind */
      return true;
    }
    if (!start_spilling(log)) {
      return false;
    }
  }
  return flush_buffer(log);
}

bool clew_log_append(struct clew_log *log, uint32_t parent, uint32_t edge) {
  if (log->view != NULL) {
    log->slot++;
    return true;
  }
  assert(log->slot <= log->slots);
  if (__builtin_expect(log->slot == log->slots, 0) && !make_room(log)) {
    return false;
  }
  log->edges[log->slot++] = (struct clew_back_edge){parent, edge};
  return true;
}

bool clew_log_get(struct clew_log *log, uint64_t id, struct clew_back_edge *out) {
  assert(id < clew_log_count(log));
  if (log->view != NULL) {
    log->view(log->context, id, out);
    return true;
  }
  if (id < log->base) {
    *out = log->edges[id];
    return true;
  }
  uint64_t after = id - log->base;
  if (after < log->flushed) {
    return clew_fd_read_at(log->fd, out, sizeof *out, after * sizeof *out);
  }
  *out = log->edges[log->base + (after - log->flushed)];
  return true;
}

uint64_t clew_log_count(const struct clew_log *log) {
  return log->slot + log->flushed;
}

uint64_t clew_log_disk_bytes(const struct clew_log *log) {
  return log->flushed * sizeof *log->edges;
}
