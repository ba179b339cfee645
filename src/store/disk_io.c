/* Input and output of the disk store: one thread that carries out transfers in the order in which
 * they are submitted, and streams that keep one piece ahead of (or behind) the caller.
 *
 * Every unit of a file begins with a checksum over the rest of it, its number in the file and a
 * seed, which the thread verifies after reading: what comes back is what was written there, or it
 * is a fault. The first fault is kept and is permanent.
 *
 * Files have no names: they are removed as soon as they are open. Nothing is left behind whatever
 * happens, and closing is deleting. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "store/disk_int.h"

static const size_t THREAD_BYTES = 256 << 10; /* transfers of less are made by the caller */

/* ---- checksums ---- */

static uint64_t checksum_of(const unsigned char *unit, uint32_t unit_bytes, uint64_t seed,
                            uint64_t place) {
  assert(unit_bytes > sizeof(uint64_t));
  return clew_hash_bytes(unit + sizeof(uint64_t), unit_bytes - sizeof(uint64_t),
                         seed ^ (place + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

void clew_disk_seal(unsigned char *unit, uint32_t unit_bytes, uint64_t seed, uint64_t place) {
  uint64_t checksum = checksum_of(unit, unit_bytes, seed, place);
  memcpy(unit, &checksum, sizeof checksum);
}

bool clew_disk_intact(const unsigned char *unit, uint32_t unit_bytes, uint64_t seed,
                      uint64_t place) {
  uint64_t checksum;
  memcpy(&checksum, unit, sizeof checksum);
  return checksum == checksum_of(unit, unit_bytes, seed, place);
}

/* ---- the thread ---- */

static void verify(struct clew_disk_job *job) {
  assert(!job->is_write);
  if (job->unit_bytes == 0) {
    return;
  }
  assert(job->offset % job->unit_bytes == 0 && job->bytes % job->unit_bytes == 0);
  uint64_t place = job->offset / job->unit_bytes;
  for (size_t at = 0; at < job->bytes; at += job->unit_bytes, place++) {
    if (!clew_disk_intact(job->data + at, job->unit_bytes, job->seed, place)) {
      job->fault = CLEW_DISK_DAMAGED;
      return;
    }
  }
}

static void carry_out(struct clew_disk_job *job) {
  assert(!job->done);
  assert(job->fd >= 0);
  job->fault = CLEW_DISK_FINE;
  bool ok = job->is_write ? clew_fd_write_at(job->fd, job->data, job->bytes, job->offset)
                          : clew_fd_read_at(job->fd, job->data, job->bytes, job->offset);
  if (!ok) {
    job->fault = CLEW_DISK_SYSTEM;
    job->error = errno;
  } else if (!job->is_write) {
    verify(job);
  }
}

static void *work(void *argument) {
  struct clew_disk_io *io = argument;
  pthread_mutex_lock(&io->lock);
  for (;;) {
    while (io->first == NULL && !io->stop) {
      pthread_cond_wait(&io->submitted, &io->lock);
    }
    struct clew_disk_job *job = io->first;
    if (job == NULL) {
      break;
    }
    io->first = job->next;
    assert(!job->done && !job->later);
    pthread_mutex_unlock(&io->lock);
    carry_out(job);
    pthread_mutex_lock(&io->lock);
    job->done = true;
    pthread_cond_signal(&io->finished);
  }
  pthread_mutex_unlock(&io->lock);
  return NULL;
}

void clew_disk_io_open(struct clew_disk_io *io, struct clew_scratch *scratch) {
  assert(scratch != NULL);
  *io = (struct clew_disk_io){.scratch = scratch};
  pthread_mutex_init(&io->lock, NULL);
  pthread_cond_init(&io->submitted, NULL);
  pthread_cond_init(&io->finished, NULL);
}

/* Started by the first large transfer. If it cannot be, the caller makes them all. Signals are for
 * the thread that searches. */
static void start_thread(struct clew_disk_io *io) {
  assert(!io->has_thread);
  assert(!io->stop);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  io->has_thread = pthread_create(&io->thread, NULL, work, io) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void clew_disk_io_close(struct clew_disk_io *io) {
  if (io->has_thread) {
    pthread_mutex_lock(&io->lock);
    assert(io->first == NULL);
    io->stop = true;
    pthread_cond_signal(&io->submitted);
    pthread_mutex_unlock(&io->lock);
    pthread_join(io->thread, NULL);
  }
  pthread_cond_destroy(&io->finished);
  pthread_cond_destroy(&io->submitted);
  pthread_mutex_destroy(&io->lock);
}

static void note_fault(struct clew_disk_io *io, enum clew_disk_fault fault, int error) {
  assert(fault != CLEW_DISK_FINE);
  if (io->fault == CLEW_DISK_FINE) {
    io->fault = fault;
    io->error = error;
  }
}

void clew_disk_io_hint(const struct clew_disk_job *job) {
  assert(!job->is_write);
  (void)posix_fadvise(job->fd, (off_t)job->offset, (off_t)job->bytes, POSIX_FADV_WILLNEED);
}

bool clew_disk_io_read(struct clew_disk_io *io, struct clew_disk_job *job) {
  assert(!job->is_write && job->bytes > 0);
  io->reads++;
  io->read_bytes += job->bytes;
  carry_out(job);
  if (job->fault != CLEW_DISK_FINE) {
    note_fault(io, job->fault, job->error);
  }
  return job->fault == CLEW_DISK_FINE;
}

/* Handing a small transfer to the thread takes longer than to make it. Reads are made when they are
 * waited for; until then the system may do it. */
static void do_without_thread(struct clew_disk_job *job) {
  assert(!job->done && !job->later);
  if (job->is_write) {
    carry_out(job);
    job->done = true;
  } else {
    clew_disk_io_hint(job);
    job->later = true;
  }
}

void clew_disk_io_submit(struct clew_disk_io *io, struct clew_disk_job *job) {
  assert(job->bytes > 0 && job->fd >= 0);
  job->done = job->later = false;
  job->next = NULL;
  if (job->is_write) {
    io->write_bytes += job->bytes;
  } else {
    io->reads++;
    io->read_bytes += job->bytes;
  }
  if (job->bytes >= THREAD_BYTES && !io->has_thread) {
    start_thread(io);
  }
  if (job->bytes < THREAD_BYTES || !io->has_thread) {
    do_without_thread(job);
    return;
  }
  pthread_mutex_lock(&io->lock);
  if (io->first == NULL) {
    io->first = job;
  } else {
    io->last->next = job;
  }
  io->last = job;
  pthread_cond_signal(&io->submitted);
  pthread_mutex_unlock(&io->lock);
}

bool clew_disk_io_wait(struct clew_disk_io *io, struct clew_disk_job *job) {
  if (job->later) {
    carry_out(job);
    job->done = true;
    job->later = false;
  } else if (io->has_thread) {
    pthread_mutex_lock(&io->lock);
    while (!job->done) {
      pthread_cond_wait(&io->finished, &io->lock);
    }
    pthread_mutex_unlock(&io->lock);
  }
  assert(job->done);
  if (job->fault != CLEW_DISK_FINE) {
    note_fault(io, job->fault, job->error);
  }
  return job->fault == CLEW_DISK_FINE;
}

int clew_disk_io_file(struct clew_disk_io *io) {
  struct clew_text name = {0};
  clew_text_printf(&name, "store-%u", io->next_file++);
  assert(io->next_file > 0);
  int fd = clew_scratch_file(io->scratch, clew_text_str(&name));
  if (fd < 0) {
    note_fault(io, CLEW_DISK_SYSTEM, errno);
  } else {
    struct clew_text path = {0};
    clew_text_printf(&path, "%s/%s", io->scratch->path, clew_text_str(&name));
    (void)unlink(clew_text_str(&path)); /* if not now, then with the directory */
    clew_text_free(&path);
  }
  clew_text_free(&name);
  return fd;
}

void clew_disk_io_grown(struct clew_disk_io *io, uint64_t bytes) {
  assert(io->file_bytes <= io->file_bytes_peak);
  io->file_bytes += bytes;
  if (io->file_bytes > io->file_bytes_peak) {
    io->file_bytes_peak = io->file_bytes;
  }
}

void clew_disk_io_dropped(struct clew_disk_io *io, uint64_t bytes) {
  assert(io->file_bytes >= bytes);
  io->file_bytes -= bytes;
}

/* ---- streams ---- */

static unsigned char *piece_of(struct clew_disk_stream *s, unsigned which) {
  assert(which < 2);
  return s->memory + which * s->piece_bytes;
}

static void reset(struct clew_disk_stream *s, uint64_t start) {
  assert(s->piece_bytes > 0 && s->piece_bytes % s->unit_bytes == 0);
  assert(start % s->unit_bytes == 0);
  s->busy[0] = s->busy[1] = false;
  s->current = 0;
  s->at = s->filled = 0;
  s->offset = start;
}

static bool finish(struct clew_disk_stream *s, unsigned which) {
  assert(which < 2);
  if (!s->busy[which]) {
    return true;
  }
  s->busy[which] = false;
  return clew_disk_io_wait(s->io, &s->jobs[which]);
}

static void submit(struct clew_disk_stream *s, unsigned which, size_t bytes, bool is_write) {
  assert(!s->busy[which] && bytes > 0);
  s->jobs[which] = (struct clew_disk_job){.fd = s->fd,
                                          .is_write = is_write,
                                          .data = piece_of(s, which),
                                          .bytes = bytes,
                                          .offset = s->offset,
                                          .unit_bytes = s->unit_bytes,
                                          .seed = s->seed};
  s->busy[which] = true;
  s->offset += bytes;
  clew_disk_io_submit(s->io, &s->jobs[which]);
}

static void read_ahead(struct clew_disk_stream *s, unsigned which) {
  assert(s->offset <= s->end);
  assert(!s->busy[which]);
  uint64_t left = s->end - s->offset;
  if (left > 0) {
    submit(s, which, left < s->piece_bytes ? (size_t)left : s->piece_bytes, false);
  }
}

void clew_disk_input_open(struct clew_disk_stream *s, uint64_t start, uint64_t end) {
  assert(start <= end);
  reset(s, start);
  s->end = end;
  s->current = 1; /* the first call of next changes to 0 */
  read_ahead(s, 0);
}

const unsigned char *clew_disk_input_next(struct clew_disk_stream *s) {
  assert(s->at <= s->filled);
  assert(s->filled <= s->piece_bytes);
  if (s->at == s->filled) {
    unsigned next = 1 - s->current;
    if (!s->busy[next]) {
      return NULL;
    }
    if (!finish(s, next)) {
      s->at = s->filled = 0;
      return NULL;
    }
    read_ahead(s, s->current);
    s->current = next;
    s->at = 0;
    s->filled = s->jobs[next].bytes;
  }
  assert(s->at + s->unit_bytes <= s->filled);
  const unsigned char *unit = piece_of(s, s->current) + s->at;
  s->at += s->unit_bytes;
  return unit;
}

void clew_disk_output_open(struct clew_disk_stream *s, uint64_t start) {
  reset(s, start);
}

/* Seals the unit that was handed out last. */
static void complete_unit(struct clew_disk_stream *s) {
  assert(s->at <= s->filled && s->filled - s->at <= s->unit_bytes);
  if (s->at < s->filled) {
    uint64_t place = (s->offset + s->at) / s->unit_bytes;
    clew_disk_seal(piece_of(s, s->current) + s->at, s->unit_bytes, s->seed, place);
    s->at = s->filled;
  }
}

static bool write_behind(struct clew_disk_stream *s) {
  assert(s->filled > 0);
  assert(s->at == s->filled);
  size_t bytes = s->filled;
  s->at = s->filled = 0;
  submit(s, s->current, bytes, true);
  clew_disk_io_grown(s->io, bytes);
  s->current = 1 - s->current;
  return finish(s, s->current);
}

unsigned char *clew_disk_output_next(struct clew_disk_stream *s) {
  assert(s->filled <= s->piece_bytes);
  complete_unit(s);
  if (s->filled == s->piece_bytes && !write_behind(s)) {
    return NULL;
  }
  unsigned char *unit = piece_of(s, s->current) + s->filled;
  memset(unit, 0, s->unit_bytes);
  s->filled += s->unit_bytes;
  return unit;
}

bool clew_disk_output_close(struct clew_disk_stream *s) {
  complete_unit(s);
  bool ok = s->filled == 0 || write_behind(s);
  ok &= finish(s, 0);
  ok &= finish(s, 1);
  assert(!s->busy[0] && !s->busy[1]);
  return ok;
}

void clew_disk_stream_abandon(struct clew_disk_stream *s) {
  (void)finish(s, 0);
  (void)finish(s, 1);
  assert(!s->busy[0] && !s->busy[1]);
}
