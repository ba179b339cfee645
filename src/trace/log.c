/* The back-edge log.
 *
 * The *window* is an array of the latest records, as they are; it grows up to a size that most
 * searches never fill. When it is full, its records are coded as blocks and it starts anew: `base`
 * is the id of its first record. Blocks lie one after the other in the *tape*, memory that grows in
 * place up to its share of the budget, or in the file. A list says where each begins.
 *
 * Blocks have as many records as one can have, but where the window is smaller than that: there is
 * always room for one more record as long as blocks can be put somewhere.
 *
 * Invariant: ids [first, base) are in blocks, those of block i from blocks[i].first to that of the
 * next; ids from `base` on are in the window. */
#include "trace/log.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bigmem.h"
#include "base/vec.h"

enum {
  SMALL_RECORDS = 256, /* the window of a log that got no memory at all */
  MOST_WINDOW_MB = 32, /* two million records */
  WINDOW_SHARE = 4,    /* of the share of the budget, for the window */
  RECORD_BYTES = sizeof(struct clew_back_edge),
  MOST_HELPERS = 64,
};

struct place {
  clew_id first;
  uint64_t at; /* in the tape or in the file */
  uint32_t bytes;
  bool in_file;
};

/* A thread that codes blocks. */
struct helper {
  struct clew_coder *coder;
  unsigned char *bytes; /* of a block */
  size_t length;
};

struct clew_log {
  struct clew_bigmem window, tape;
  uint64_t window_records, tape_share_bytes; /* that may be used */
  struct clew_scratch *scratch;
  struct clew_crew *crew;
  struct clew_back_edge *records; /* the window, or `small` */
  uint64_t room;                  /* records that it has */
  uintptr_t zero_at;              /* the address that id 0 would have; 0: there is no window */
  bool has_first;
  clew_id first, base;
  CLEW_VEC(struct place) blocks;
  uint64_t tape_bytes, file_bytes;
  int fd; /* -1 until something was written */
  struct helper helpers[MOST_HELPERS];
  /* The block that was read last: its records. */
  struct clew_back_edge *cache;
  uint32_t cached;     /* of the list; UINT32_MAX: none */
  clew_log_view *view; /* not NULL: nothing else is in use */
  const void *context;
  struct clew_back_edge small[SMALL_RECORDS];
};

struct clew_log *clew_log_open(struct clew_budget *budget, struct clew_scratch *scratch,
                               uint64_t memory_bytes) {
  struct clew_log *log = clew_alloc_zero(1, sizeof *log);
  log->scratch = scratch;
  log->fd = -1;
  log->cached = UINT32_MAX;
  uint64_t window_bytes = memory_bytes / WINDOW_SHARE;
  const uint64_t most = (uint64_t)MOST_WINDOW_MB << 20;
  window_bytes = window_bytes < most ? window_bytes : most;
  log->window_records = window_bytes / RECORD_BYTES;
  log->tape_share_bytes = memory_bytes - window_bytes;
  /* Addresses for all that the budget could ever give; fewer if the system has a limit. Being
   * refused them is like being refused memory: the file starts earlier. */
  uint64_t reserve_bytes = budget != NULL ? budget->limit_bytes : (uint64_t)1 << 40;
  (void)clew_bigmem_open_most(&log->tape, reserve_bytes, RECORD_BYTES, budget);
  (void)clew_bigmem_open_most(&log->window, reserve_bytes, RECORD_BYTES, budget);
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
  for (uint32_t i = 0; i < MOST_HELPERS; i++) {
    clew_coder_close(log->helpers[i].coder);
    clew_free(log->helpers[i].bytes);
  }
  clew_free(log->cache);
  clew_vec_free(&log->blocks);
  clew_bigmem_close(&log->window);
  clew_bigmem_close(&log->tape);
  clew_free(log);
}

void clew_log_use_crew(struct clew_log *log, struct clew_crew *crew) {
  log->crew = crew;
}

/* ---- blocks ---- */

static bool append_to_file(struct clew_log *log, const unsigned char *bytes, size_t length,
                           struct place *place) {
  if (log->fd < 0) {
    if (log->scratch == NULL) {
      errno = ENOSPC;
      return false;
    }
    log->fd = clew_scratch_nameless(log->scratch, "back-edges");
  }
  if (log->fd < 0 || !clew_fd_write_at(log->fd, bytes, length, log->file_bytes)) {
    return false;
  }
  place->in_file = true;
  place->at = log->file_bytes;
  log->file_bytes += length;
  return true;
}

static bool append_to_tape(struct clew_log *log, const unsigned char *bytes, size_t length,
                           struct place *place) {
  if (log->tape.data == NULL || !clew_bigmem_commit(&log->tape, log->tape_bytes + length)) {
    return false;
  }
  memcpy(log->tape.data + log->tape_bytes, bytes, length);
  place->at = log->tape_bytes;
  log->tape_bytes += length;
  return true;
}

/* Puts the block of the next ids somewhere. */
static bool append(struct clew_log *log, const struct helper *helper, uint32_t count) {
  struct place place = {.first = log->base, .bytes = (uint32_t)helper->length};
  bool fits = log->tape_bytes + helper->length <= log->tape_share_bytes;
  bool done = fits && append_to_tape(log, helper->bytes, helper->length, &place);
  done = done || append_to_file(log, helper->bytes, helper->length, &place);
  int error = errno;
  done = done || append_to_tape(log, helper->bytes, helper->length, &place);
  errno = error;
  if (done) {
    clew_vec_push(&log->blocks, place);
    log->base += count;
  }
  return done;
}

struct coding {
  struct clew_log *log;
  const struct clew_back_edge *records;
  uint32_t block; /* records of each */
};

static void code_one(void *context, uint32_t member) {
  const struct coding *coding = context;
  struct helper *helper = &coding->log->helpers[member];
  if (helper->coder == NULL) {
    helper->coder = clew_coder_open();
    helper->bytes = clew_alloc(CLEW_BLOCK_MOST_BYTES);
  }
  uint64_t skipped = (uint64_t)member * coding->block;
  helper->length = clew_coder_encode(helper->coder, coding->log->base + skipped,
                                     coding->records + skipped, coding->block, helper->bytes);
}

/* Codes `count` records from the window's beginning on, in blocks of so many; returns how many of
 * them were put somewhere. */
static uint64_t code(struct clew_log *log, uint64_t count, uint32_t block) {
  uint32_t most = clew_crew_size(log->crew);
  uint64_t done = 0;
  most = most < MOST_HELPERS ? most : MOST_HELPERS;
  while (count - done >= block) {
    uint64_t left = (count - done) / block;
    uint32_t members = left < most ? (uint32_t)left : most;
    struct coding coding = {log, log->records + done, block};
    if (members > 1) {
      clew_crew_work(log->crew, members, code_one, &coding);
    } else {
      code_one(&coding, 0);
    }
    for (uint32_t i = 0; i < members; i++) {
      if (!append(log, &log->helpers[i], block)) {
        return done;
      }
      done += block;
    }
  }
  return done;
}

/* ---- room ---- */

static void place_window(struct clew_log *log) {
  log->zero_at = (uintptr_t)log->records - (uintptr_t)(log->base * RECORD_BYTES);
}

/* Makes the window larger, up to `records` of them. */
static void grow_window(struct clew_log *log, uint64_t records) {
  if (log->records != log->small && log->window.data != NULL && records > log->room &&
      clew_bigmem_commit(&log->window, (size_t)(records * RECORD_BYTES))) {
    log->records = (struct clew_back_edge *)(void *)log->window.data;
    log->room = log->window.committed_bytes / RECORD_BYTES;
  }
  if (log->room == 0) {
    log->records = log->small;
    log->room = SMALL_RECORDS;
  }
}

/* Empties the window, in which all ids below `from` are set. Whole blocks first; where that leaves
 * little room, all of it. False when nothing could be put anywhere. */
static bool empty_window(struct clew_log *log, clew_id from) {
  uint64_t used = from - log->base;
  uint64_t done = code(log, used, CLEW_BLOCK_RECORDS);
  uint64_t left = used - done;
  if (left > log->room / 2 && left < CLEW_BLOCK_RECORDS) {
    memmove(log->records, log->records + done, left * RECORD_BYTES);
    uint64_t more = code(log, left, (uint32_t)left);
    left -= more;
    return done + more > 0;
  }
  memmove(log->records, log->records + done, left * RECORD_BYTES);
  return done > 0;
}

clew_id clew_log_reserve(struct clew_log *log, clew_id from, clew_id end) {
  assert(from < end && end <= CLEW_ID_LIMIT);
  if (log->view != NULL) {
    return end;
  }
  if (!log->has_first) {
    log->has_first = true;
    log->first = log->base = from;
  }
  assert(from >= log->base);
  uint64_t wanted = end - log->base;
  if (wanted > log->room) {
    grow_window(log, wanted < log->window_records ? wanted : log->window_records);
  }
  if (from - log->base >= log->room && !empty_window(log, from)) {
    /* There is no place for blocks: the window itself grows, if there is memory. */
    uint64_t before = log->room;
    int error = errno;
    grow_window(log, from - log->base + 1);
    errno = error;
    if (log->room == before) {
      return from;
    }
  }
  place_window(log);
  clew_id last = log->base + log->room;
  assert(last > from);
  return last < end ? last : end;
}

/* ---- records ---- */

void clew_log_set(struct clew_log *log, clew_id id, clew_id parent, uint32_t edge) {
  if (__builtin_expect(log->zero_at != 0, 1)) {
    assert(parent == CLEW_ID_NONE || parent < CLEW_ID_LIMIT);
    assert(id >= log->base && id < log->base + log->room);
    struct clew_back_edge *record =
        (struct clew_back_edge *)(log->zero_at + (uintptr_t)(id * RECORD_BYTES));
    record->parent = parent;
    record->edge = edge;
  }
}

/* The block that has this id. */
static uint32_t block_of(const struct clew_log *log, clew_id id) {
  uint32_t low = 0, high = log->blocks.len; /* the first that begins behind it */
  assert(id >= log->first && id < log->base);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (log->blocks.data[middle].first <= id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  assert(low > 0);
  return low - 1;
}

static clew_id end_of(const struct clew_log *log, uint32_t block) {
  return block + 1 < log->blocks.len ? log->blocks.data[block + 1].first : log->base;
}

/* The bytes of a block, and what it is; NULL and errno when it is not what was written. */
static const unsigned char *bytes_of(struct clew_log *log, uint32_t number,
                                     struct clew_block *out) {
  const struct place *place = &log->blocks.data[number];
  const unsigned char *bytes = log->tape.data + place->at;
  if (place->in_file) {
    bytes = log->helpers[0].bytes;
    if (!clew_fd_read_at(log->fd, log->helpers[0].bytes, place->bytes, place->at)) {
      return NULL;
    }
  }
  if (!clew_block_look(bytes, out) || out->bytes != place->bytes || out->first != place->first ||
      out->count != end_of(log, number) - place->first) {
    errno = EBADMSG;
    return NULL;
  }
  return bytes;
}

/* Brings the records of a block into the cache. */
static bool fetch(struct clew_log *log, uint32_t number) {
  struct clew_block block;
  if (log->cached == number) {
    return true;
  }
  const unsigned char *bytes = bytes_of(log, number, &block);
  if (bytes == NULL) {
    return false;
  }
  if (log->cache == NULL) {
    log->cache = clew_alloc(CLEW_BLOCK_RECORDS * sizeof *log->cache);
  }
  log->cached = UINT32_MAX;
  if (clew_coder_decode(log->helpers[0].coder, bytes, log->cache) != NULL) {
    errno = EBADMSG;
    return false;
  }
  log->cached = number;
  return true;
}

/* Some of them, which lie in one place: at least one. 0: they cannot be read. */
static uint32_t read_some(struct clew_log *log, clew_id first, uint32_t count,
                          struct clew_back_edge *out) {
  if (log->view != NULL) {
    log->view(log->context, first, out);
    return 1;
  }
  if (first >= log->base) {
    memcpy(out, log->records + (first - log->base), count * sizeof *out);
    return count;
  }
  uint32_t number = block_of(log, first);
  if (!fetch(log, number)) {
    return 0;
  }
  uint64_t left = end_of(log, number) - first;
  uint32_t part = left < count ? (uint32_t)left : count;
  memcpy(out, log->cache + (first - log->blocks.data[number].first), part * sizeof *out);
  return part;
}

bool clew_log_read(struct clew_log *log, clew_id first, uint32_t count,
                   struct clew_back_edge *out) {
  while (count > 0) {
    uint32_t part = read_some(log, first, count, out);
    if (part == 0) {
      return false;
    }
    first += part;
    out += part;
    count -= part;
  }
  return true;
}

bool clew_log_get(struct clew_log *log, clew_id id, struct clew_back_edge *out) {
  return clew_log_read(log, id, 1, out);
}

const unsigned char *clew_log_block(struct clew_log *log, clew_id first, struct clew_block *out) {
  if (log->view != NULL || !log->has_first || first < log->first || first >= log->base) {
    return NULL;
  }
  uint32_t number = block_of(log, first);
  return log->blocks.data[number].first == first ? bytes_of(log, number, out) : NULL;
}

bool clew_log_rewind(struct clew_log *log, clew_id end) {
  if (log->view != NULL || !log->has_first || end >= log->base) {
    return true;
  }
  assert(end >= log->first);
  if (end == log->first) {
    log->blocks.len = 0;
    log->base = log->first;
  } else {
    uint32_t number = block_of(log, end - 1);
    clew_id first = log->blocks.data[number].first;
    if (!fetch(log, number)) {
      return false;
    }
    /* The window was at least as large when the block came from there. */
    assert(end - first <= log->room);
    memcpy(log->records, log->cache, (size_t)(end - first) * RECORD_BYTES);
    log->blocks.len = number;
    log->base = first;
  }
  log->cached = UINT32_MAX;
  log->tape_bytes = log->file_bytes = 0;
  for (uint32_t i = 0; i < log->blocks.len; i++) {
    const struct place *place = &log->blocks.data[i];
    uint64_t *bytes = place->in_file ? &log->file_bytes : &log->tape_bytes;
    *bytes = place->at + place->bytes;
  }
  place_window(log);
  return true;
}

uint64_t clew_log_bytes(const struct clew_log *log) {
  return log->window.committed_bytes + log->tape.committed_bytes;
}

uint64_t clew_log_disk_bytes(const struct clew_log *log) {
  return log->file_bytes;
}
