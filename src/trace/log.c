/* The back-edge log: an array by id, read only to build traces.
 *
 * It begins as an array in memory that grows in place. When its share is used up, the last part of
 * that array (at most 1 MB) becomes a buffer, and what is set from then on passes through it into a
 * file: no memory is needed at the moment when there is none. Where the file cannot be written, the
 * buffer grows for as long as the budget gives memory.
 *
 * Places are counted in bytes from the first id on, as in one long array: 8 bytes for ids below
 * 2^32, whose parents are below as well, 12 for the others.
 *
 * The file consists of blocks of PAYLOAD_BYTES with a checksum each, which also depends on the
 * place of the block. Only whole blocks are written, so some records stay in the buffer after a
 * spill.
 *
 * Invariant: places [0, kept) are in memory at the same offset; places [kept, buffered) are in the
 * file, as whole blocks; places from `buffered` on are in memory from offset `kept` on. Before the
 * first spill kept = buffered = 0. */
#include "trace/log.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/hash.h"

enum {
  NARROW_BYTES = 8,
  WIDE_BYTES = 12,
  BUFFER_BYTES = 1 << 20,
  SMALL_BYTES = 4096,   /* the buffer of a log that got no memory at all; */
  PAYLOAD_BYTES = 2040, /* so small that there is room for a record beside an unfinished block */
  BLOCK_BYTES = PAYLOAD_BYTES + 8,
  BLOCKS_AT_ONCE = 16,
};

static const clew_id FIRST_WIDE = UINT64_C(1) << 32;

struct clew_log {
  struct clew_bigmem memory;
  uint64_t share_bytes;
  struct clew_scratch *scratch;
  unsigned char *data; /* of `memory`, or `small` */
  uint64_t capacity;   /* bytes of data that may be used */
  bool has_first;
  clew_id first;
  uint64_t kept, buffered; /* places, see above */
  uintptr_t narrow_at;     /* the address that id 0 would have, if it were in the buffer */
  int fd;                  /* -1 until something was spilled */
  clew_log_view *view;     /* not NULL: nothing else is in use */
  const void *context;
  unsigned char small[SMALL_BYTES];
};

struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes) {
  struct clew_log *log = clew_alloc_zero(1, sizeof *log);
  log->scratch = scratch;
  log->fd = -1;
  log->share_bytes = memory_bytes;
  /* Addresses for all that the budget could ever give; fewer if the system has a limit. Being
   * refused them is like being refused memory: the file starts earlier. */
  uint64_t reserve_bytes = budget != NULL ? budget->limit_bytes : (uint64_t)1 << 40;
  (void)clew_bigmem_open_most(&log->memory, reserve_bytes, SMALL_BYTES, budget);
  log->data = log->memory.data;
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

/* ---- places ---- */

static uint64_t place_of(const struct clew_log *log, clew_id id) {
  assert(log->has_first && id >= log->first);
  if (id <= FIRST_WIDE) {
    return (id - log->first) * NARROW_BYTES;
  }
  clew_id first_wide = log->first > FIRST_WIDE ? log->first : FIRST_WIDE;
  return (first_wide - log->first) * NARROW_BYTES + (id - first_wide) * WIDE_BYTES;
}

/* The first id whose record ends behind this place. */
static clew_id id_at(const struct clew_log *log, uint64_t place) {
  uint64_t narrow = log->first < FIRST_WIDE ? FIRST_WIDE - log->first : 0;
  if (place < narrow * NARROW_BYTES) {
    return log->first + place / NARROW_BYTES;
  }
  return log->first + narrow + (place - narrow * NARROW_BYTES) / WIDE_BYTES;
}

/* ---- room ---- */

static bool grow(struct clew_log *log, uint64_t bytes) {
  if (log->data == log->small || log->data == NULL ||
      !clew_bigmem_commit(&log->memory, (size_t)bytes)) {
    return false;
  }
  log->capacity = log->memory.committed_bytes;
  return true;
}

static uint64_t checksum(const unsigned char *payload, uint64_t block) {
  return clew_hash128_bytes(payload, PAYLOAD_BYTES, block).low;
}

/* Writes blocks that begin with this number; their payloads are consecutive in memory. */
static bool write_blocks(const struct clew_log *log, const unsigned char *from, uint64_t first,
                         uint64_t count) {
  unsigned char blocks[BLOCKS_AT_ONCE][BLOCK_BYTES];
  assert(count <= BLOCKS_AT_ONCE);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t sum = checksum(from + i * PAYLOAD_BYTES, first + i);
    memcpy(blocks[i], from + i * PAYLOAD_BYTES, PAYLOAD_BYTES);
    memcpy(blocks[i] + PAYLOAD_BYTES, &sum, sizeof sum);
  }
  return clew_fd_write_at(log->fd, blocks, (size_t)count * BLOCK_BYTES, first * BLOCK_BYTES);
}

/* Writes what the buffer holds, of all ids up to `from`, to the file. */
static bool flush(struct clew_log *log, clew_id from) {
  uint64_t used = place_of(log, from) - log->buffered, blocks = used / PAYLOAD_BYTES, done = 0;
  uint64_t first = (log->buffered - log->kept) / PAYLOAD_BYTES;
  unsigned char *data = log->data + log->kept;
  bool ok = true;
  while (ok && done < blocks) {
    uint64_t count = blocks - done < BLOCKS_AT_ONCE ? blocks - done : BLOCKS_AT_ONCE;
    ok = write_blocks(log, data + done * PAYLOAD_BYTES, first + done, count);
    done += ok ? count : 0;
  }
  memmove(data, data + done * PAYLOAD_BYTES, (size_t)(used - done * PAYLOAD_BYTES));
  log->buffered += done * PAYLOAD_BYTES;
  return done > 0;
}

/* Reads from the file, which may take two blocks; false and errno when it is not what was written.
 */
static bool read_back(const struct clew_log *log, uint64_t at, size_t bytes, unsigned char *out) {
  unsigned char block[BLOCK_BYTES];
  while (bytes > 0) {
    uint64_t number = at / PAYLOAD_BYTES, offset = at % PAYLOAD_BYTES, sum;
    size_t part = bytes < PAYLOAD_BYTES - offset ? bytes : (size_t)(PAYLOAD_BYTES - offset);
    if (!clew_fd_read_at(log->fd, block, BLOCK_BYTES, number * BLOCK_BYTES)) {
      return false;
    }
    memcpy(&sum, block + PAYLOAD_BYTES, sizeof sum);
    if (sum != checksum(block, number)) {
      errno = EBADMSG;
      return false;
    }
    memcpy(out, block + offset, part);
    at += part;
    out += part;
    bytes -= part;
  }
  return true;
}

/* Turns the last part of the array into a buffer. */
static bool start_spilling(struct clew_log *log, clew_id from) {
  if (log->scratch == NULL) {
    errno = ENOSPC;
    return false;
  }
  log->fd = clew_scratch_file(log->scratch, "back-edges");
  if (log->fd < 0) {
    return false;
  }
  uint64_t end = place_of(log, from);
  uint64_t want = log->capacity > 2 * BUFFER_BYTES ? log->capacity - BUFFER_BYTES : 0;
  log->kept = want < end ? place_of(log, id_at(log, want)) : end;
  log->buffered = log->kept;
  return true;
}

/* Passes what is set to the file; false when there is none. */
static bool spill(struct clew_log *log, clew_id from) {
  return (log->fd >= 0 || start_spilling(log, from)) && flush(log, from);
}

static uint64_t in_memory(const struct clew_log *log, uint64_t place) {
  assert(place >= log->buffered);
  return log->kept + (place - log->buffered);
}

/* Room for the next record at least. */
static bool make_room(struct clew_log *log, clew_id from, clew_id end) {
  uint64_t needed = in_memory(log, place_of(log, end));
  uint64_t least = in_memory(log, place_of(log, from + 1));
  if (needed > log->capacity && log->fd < 0) {
    (void)grow(log, needed < log->share_bytes ? needed : log->share_bytes);
  }
  if (log->capacity == 0 && !grow(log, NARROW_BYTES)) {
    log->data = log->small;
    log->capacity = SMALL_BYTES;
  }
  if (least <= log->capacity || spill(log, from)) {
    return true;
  }
  int error = errno;
  bool grown = grow(log, needed) || grow(log, least);
  errno = error;
  return grown;
}

clew_id clew_log_reserve(struct clew_log *log, clew_id from, clew_id end) {
  assert(from < end && end <= CLEW_ID_LIMIT);
  if (log->view != NULL) {
    return end;
  }
  if (!log->has_first) {
    log->has_first = true;
    log->first = from;
  }
  if (!make_room(log, from, end)) {
    return from;
  }
  log->narrow_at = (uintptr_t)log->data + log->kept - log->buffered - log->first * NARROW_BYTES;
  uint64_t usable = log->capacity - log->kept + log->buffered;
  clew_id last = id_at(log, usable);
  assert(last > from);
  return last < end ? last : end;
}

/* ---- records ---- */

static void encode(unsigned char *at, clew_id parent, uint32_t edge) {
  uint32_t words[3] = {(uint32_t)parent, edge, (uint32_t)(parent >> 32)};
  memcpy(at, words, WIDE_BYTES);
}

static void decode(const unsigned char *at, clew_id id, struct clew_back_edge *out) {
  uint32_t words[3];
  memcpy(words, at, id < FIRST_WIDE ? NARROW_BYTES : WIDE_BYTES);
  out->edge = words[1];
  out->parent = id < FIRST_WIDE ? (words[0] == UINT32_MAX ? CLEW_ID_NONE : words[0])
                                : ((clew_id)words[2] << 32 | words[0]);
}

void clew_log_set(struct clew_log *log, clew_id id, clew_id parent, uint32_t edge) {
  if (__builtin_expect(log->narrow_at != 0 && id < FIRST_WIDE, 1)) { /* the usual case, in short */
    assert(parent == CLEW_ID_NONE || parent < id);
    uint32_t words[2] = {(uint32_t)parent, edge};
    memcpy((void *)(log->narrow_at + id * NARROW_BYTES), words, sizeof words);
  } else if (log->view == NULL) {
    encode(log->data + in_memory(log, place_of(log, id)), parent, edge);
  }
}

/* The bytes from one place to another, wherever they are. */
static bool copy_out(const struct clew_log *log, uint64_t from, uint64_t end, unsigned char *out) {
  assert(from <= end);
  if (from < log->kept) {
    uint64_t part = (end < log->kept ? end : log->kept) - from;
    memcpy(out, log->data + from, (size_t)part);
    from += part;
    out += part;
  }
  if (from < end && from < log->buffered) {
    uint64_t part = (end < log->buffered ? end : log->buffered) - from;
    if (!read_back(log, from - log->kept, (size_t)part, out)) {
      return false;
    }
    from += part;
    out += part;
  }
  if (from < end) {
    assert(in_memory(log, end) <= log->capacity);
    memcpy(out, log->data + in_memory(log, from), (size_t)(end - from));
  }
  return true;
}

bool clew_log_read(struct clew_log *log, clew_id first, uint32_t count,
                   struct clew_back_edge *out) {
  enum { AT_ONCE = 512 };
  unsigned char bytes[AT_ONCE * WIDE_BYTES];
  for (uint32_t done = 0; done < count;) {
    uint32_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
    clew_id from = first + done;
    if (log->view == NULL &&
        !copy_out(log, place_of(log, from), place_of(log, from + part), bytes)) {
      return false;
    }
    const unsigned char *at = bytes;
    for (clew_id id = from; id < from + part; id++) {
      if (log->view != NULL) {
        log->view(log->context, id, &out[id - first]);
      } else {
        decode(at, id, &out[id - first]);
        at += id < FIRST_WIDE ? NARROW_BYTES : WIDE_BYTES;
      }
    }
    done += part;
  }
  return true;
}

bool clew_log_get(struct clew_log *log, clew_id id, struct clew_back_edge *out) {
  return clew_log_read(log, id, 1, out);
}

uint64_t clew_log_bytes(const struct clew_log *log) {
  return log->memory.committed_bytes;
}

uint64_t clew_log_disk_bytes(const struct clew_log *log) {
  return (log->buffered - log->kept) / PAYLOAD_BYTES * BLOCK_BYTES;
}
