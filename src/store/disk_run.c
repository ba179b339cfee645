/* One run: a file of pages of sorted keys (disk_page.c) and, in a lossless store, a file with the
 * states in the same order; how it is written and read from beginning to end.
 *
 * The fence is kept in memory: the first key of every page at first, of every second one when it
 * has grown to its limit, and so on. States lie in units of a few KB, each with a checksum, so that
 * one of them can be read without the others: state i is in unit i / states_per_unit.
 *
 * Workload: written once, read many times, and merged into a larger run a few times in its life. */
#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/disk_int.h"

enum { FIRST_FENCE = 64, FIRST_GUESS = 300 };

size_t clew_disk_piece_bytes(const struct clew_disk_format *format, size_t memory_bytes,
                             uint32_t pieces) {
  assert(pieces > 0 && memory_bytes > CLEW_DISK_SLACK);
  const size_t most_bytes = 1 << 20; /* larger requests are no faster */
  size_t unit = format->state_bytes > 0 ? format->state_unit_bytes : CLEW_DISK_PAGE_BYTES;
  assert(unit % CLEW_DISK_PAGE_BYTES == 0);
  size_t bytes = (memory_bytes - CLEW_DISK_SLACK) / pieces;
  bytes = bytes < most_bytes || most_bytes < unit ? bytes : most_bytes;
  return bytes / unit * unit;
}

static struct clew_disk_stream stream_on(struct clew_disk_io *io, int fd, uint32_t unit_bytes,
                                         unsigned char *memory, size_t piece_bytes) {
  assert(memory != NULL);
  return (struct clew_disk_stream){
      .io = io, .fd = fd, .unit_bytes = unit_bytes, .memory = memory, .piece_bytes = piece_bytes};
}

void clew_disk_run_drop(struct clew_disk_run *run, struct clew_disk_io *io) {
  assert(run->file_bytes <= io->file_bytes);
  clew_disk_io_dropped(io, run->file_bytes);
  if (run->key_fd >= 0) {
    close(run->key_fd);
  }
  if (run->state_fd >= 0) {
    close(run->state_fd);
  }
  clew_free(run->fence);
  clew_disk_digest_close(&run->digest);
  *run = (struct clew_disk_run){.key_fd = -1, .state_fd = -1};
}

/* ---- writing ---- */

bool clew_disk_run_writer_open(struct clew_disk_run_writer *w,
                               const struct clew_disk_format *format, struct clew_disk_io *io,
                               unsigned char *memory, size_t piece_bytes) {
  assert(format->fence_limit >= 2);
  assert(piece_bytes > 0);
  w->format = format;
  w->io = io;
  w->run = (struct clew_disk_run){.key_fd = -1, .state_fd = -1, .fence_pages = 1};
  w->pending_count = w->unit_count = 0;
  w->guess = FIRST_GUESS;
  w->unit = NULL;
  w->run.key_fd = clew_disk_io_file(io);
  w->run.state_fd = format->state_bytes > 0 && w->run.key_fd >= 0 ? clew_disk_io_file(io) : -1;
  w->keys = stream_on(io, w->run.key_fd, CLEW_DISK_PAGE_BYTES, memory, piece_bytes);
  w->states = stream_on(io, w->run.state_fd, format->state_unit_bytes, memory + 2 * piece_bytes,
                        piece_bytes);
  if (w->run.key_fd < 0 || (format->state_bytes > 0 && w->run.state_fd < 0)) {
    clew_disk_run_drop(&w->run, io);
    return false;
  }
  clew_disk_output_open(&w->keys, 0);
  if (format->state_bytes > 0) {
    clew_disk_output_open(&w->states, 0);
  }
  return true;
}

/* Every second entry goes, and the distance doubles. */
static void thin_fence(struct clew_disk_run *run) {
  assert(run->fences > 1);
  for (uint32_t i = 0; 2 * i < run->fences; i++) {
    run->fence[i] = run->fence[2 * i];
  }
  run->fences = (run->fences + 1) / 2;
  run->fence_pages *= 2;
  assert(run->fence_pages != 0);
}

static void add_fence(struct clew_disk_run *run, uint32_t limit, uint64_t key) {
  assert(run->fences <= limit);
  if (run->fences == limit) {
    thin_fence(run);
  }
  if (run->pages % run->fence_pages != 0) {
    return;
  }
  if (run->fences == run->fence_cap) {
    uint32_t cap = run->fence_cap == 0 ? FIRST_FENCE : 2 * run->fence_cap;
    run->fence_cap = cap < limit ? cap : limit;
    run->fence = clew_realloc_array(run->fence, run->fence_cap, sizeof *run->fence);
  }
  assert(run->fences == 0 || run->fence[run->fences - 1] <= key);
  run->fence[run->fences++] = key;
}

static bool write_page(struct clew_disk_run_writer *w) {
  assert(w->pending_count > 0);
  assert(w->run.count == 0 || w->run.last <= w->pending[0]);
  uint32_t shift = w->format->shift;
  uint32_t n = clew_disk_page_fit(w->pending, w->pending_count, shift, w->guess);
  unsigned char *page = clew_disk_output_next(&w->keys);
  if (page == NULL) {
    return false;
  }
  clew_disk_page_encode(page, w->pending, n, shift, w->run.count);
  add_fence(&w->run, w->format->fence_limit, w->pending[0]);
  if (w->run.count == 0) {
    w->run.first = w->pending[0];
  }
  w->run.last = w->pending[n - 1];
  w->run.count += n;
  w->run.pages++;
  w->pending_count -= n;
  memmove(w->pending, w->pending + n, w->pending_count * sizeof *w->pending);
  w->guess = n;
  return true;
}

static bool write_state(struct clew_disk_run_writer *w, const void *state) {
  assert(w->format->state_bytes > 0);
  assert(w->unit_count <= w->format->states_per_unit);
  if (w->unit == NULL || w->unit_count == w->format->states_per_unit) {
    w->unit = clew_disk_output_next(&w->states);
    w->unit_count = 0;
    if (w->unit == NULL) {
      return false;
    }
  }
  uint32_t bytes = w->format->state_bytes;
  clew_disk_copy_state(w->unit + sizeof(uint64_t) + (size_t)w->unit_count++ * bytes, state, bytes);
  return true;
}

bool clew_disk_run_writer_add(struct clew_disk_run_writer *w, uint64_t key, const void *state) {
  assert(key != CLEW_DISK_NO_KEY);
  assert(w->pending_count == 0 || w->pending[w->pending_count - 1] <= key);
  if (w->pending_count == CLEW_DISK_PAGE_ENTRIES && !write_page(w)) {
    return false;
  }
  w->pending[w->pending_count++] = key;
  if (clew_disk_digest_is_on(&w->run.digest)) {
    clew_disk_digest_add(&w->run.digest, key);
  }
  return w->format->state_bytes == 0 || write_state(w, state);
}

void clew_disk_run_writer_abandon(struct clew_disk_run_writer *w) {
  assert(w->io != NULL);
  clew_disk_stream_abandon(&w->keys);
  clew_disk_stream_abandon(&w->states);
  w->run.file_bytes = w->keys.offset + w->states.offset;
  clew_disk_run_drop(&w->run, w->io);
}

bool clew_disk_run_writer_close(struct clew_disk_run_writer *w, struct clew_disk_run *run) {
  bool ok = true;
  while (ok && w->pending_count > 0) {
    ok = write_page(w);
  }
  ok = ok && clew_disk_output_close(&w->keys);
  ok = ok && (w->format->state_bytes == 0 || clew_disk_output_close(&w->states));
  if (!ok) {
    clew_disk_run_writer_abandon(w);
    return false;
  }
  w->run.file_bytes = w->keys.offset + w->states.offset;
  assert(w->keys.offset == w->run.pages * CLEW_DISK_PAGE_BYTES);
  assert(w->run.first <= w->run.last);
  if (clew_disk_digest_is_on(&w->run.digest)) {
    clew_disk_digest_finish(&w->run.digest);
  }
  *run = w->run;
  return true;
}

/* ---- reading ---- */

static bool read_page(struct clew_disk_run_reader *r) {
  assert(r->left > 0);
  const unsigned char *page = clew_disk_input_next(&r->keys);
  if (page == NULL) {
    return false;
  }
  clew_disk_page_decode(page, r->decoded);
  r->count = clew_disk_page_head(page)->count;
  r->at = 0;
  return true;
}

static bool read_unit(struct clew_disk_run_reader *r) {
  assert(r->left > 0);
  if (r->format->state_bytes == 0) {
    return true;
  }
  r->unit = clew_disk_input_next(&r->states);
  r->unit_at = 0;
  return r->unit != NULL;
}

void clew_disk_run_reader_open(struct clew_disk_run_reader *r, const struct clew_disk_format *f,
                               struct clew_disk_io *io, const struct clew_disk_run *run,
                               unsigned char *memory, size_t piece_bytes) {
  assert(run->count > 0 && run->key_fd >= 0);
  assert((run->state_fd >= 0) == (f->state_bytes > 0));
  r->format = f;
  r->keys = stream_on(io, run->key_fd, CLEW_DISK_PAGE_BYTES, memory, piece_bytes);
  clew_disk_input_open(&r->keys, 0, run->pages * CLEW_DISK_PAGE_BYTES);
  r->states =
      stream_on(io, run->state_fd, f->state_unit_bytes, memory + 2 * piece_bytes, piece_bytes);
  if (f->state_bytes > 0) {
    uint64_t units = (run->count + f->states_per_unit - 1) / f->states_per_unit;
    clew_disk_input_open(&r->states, 0, units * f->state_unit_bytes);
  }
  r->left = run->count;
  if (!read_page(r) || !read_unit(r)) {
    r->left = 0;
  }
}

void clew_disk_run_reader_close(struct clew_disk_run_reader *r) {
  assert(r != NULL);
  clew_disk_stream_abandon(&r->keys);
  clew_disk_stream_abandon(&r->states);
}

uint64_t clew_disk_run_reader_key(const struct clew_disk_run_reader *r) {
  assert(r->left == 0 || r->at < r->count);
  return r->left > 0 ? r->decoded[r->at] : CLEW_DISK_NO_KEY;
}

const unsigned char *clew_disk_run_reader_state(const struct clew_disk_run_reader *r) {
  assert(r->left > 0);
  assert(r->format->state_bytes == 0 || r->unit_at < r->format->states_per_unit);
  return r->format->state_bytes > 0
             ? r->unit + sizeof(uint64_t) + (size_t)r->unit_at * r->format->state_bytes
             : NULL;
}

void clew_disk_run_reader_next(struct clew_disk_run_reader *r) {
  assert(r->left > 0);
  r->left--;
  r->at++;
  r->unit_at++;
  if (r->left == 0) {
    return;
  }
  if ((r->at == r->count && !read_page(r)) ||
      (r->unit_at == r->format->states_per_unit && !read_unit(r))) {
    r->left = 0;
  }
}
