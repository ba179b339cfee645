/* A first-in first-out queue that outgrows memory, after the disk queue of cache-based search
 * (Della Penna, Intrigila, Melatti, Tronci and Venturini Zilli, section 4.1), with many small
 * segments instead of two large ones.
 *
 *    pop ◄─ head ◄─ ahead … ◄─ [read] ◄─ files: disk_chunks ◄─ [write] ◄─ behind … ◄─ tail ◄─ push
 *
 * Records travel in *chunks*, each in one buffer while in memory. `head` and `tail` are the chunks
 * in use, `ahead` and `behind` are lists of complete ones before and after those on disk. With
 * nothing on disk a pop that finds head and ahead empty takes over behind and tail, also a tail
 * that is not full: so a small queue moves to and fro between the beginnings of two buffers. With
 * no buffer left, a push writes the oldest of `behind`; when this begins, half of the buffers are
 * made `ahead`, since what is read soonest had better not be written.
 *
 * Files. Chunks are appended to one file and read in order from the other; when that is used up it
 * is emptied and the two change places. What was read is given back to the file system at once
 * where that can punch holes (which also keeps it from being written to the disk for nothing);
 * elsewhere the files take at most twice the largest content. There is no index in memory: chunk n
 * to be written is chunk n to be read, and carries a checksum that depends on n.
 *
 * Thread. One write and one read are under way at a time, carried out by a thread that is started
 * by the first of them. Everything but the state of the two requests belongs to the caller; a
 * buffer belongs to the thread while its request is pending.
 *
 * Invariant: while there are chunks on disk, two buffers are free or belong to the reading side
 * (head, ahead, read), so that a pop never has to wait for a push. Hence four buffers are enough:
 * two for reading, a tail, and one that is being written. They are taken when the queue is opened,
 * but memory is touched only as far as it is used. */
#include "base/diskqueue.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"

enum { LEAST_BUFFERS = 4, READING_BUFFERS = 2, MOST_BUFFERS = 1024 };
static const uint64_t PAGE_BYTES = 4096;
static const uint64_t LEAST_REQUEST_BYTES = 64 << 10; /* where the memory allows */
static const uint64_t GOOD_REQUEST_BYTES = 1 << 20;

/* In memory and in the files; followed by the records. */
struct chunk {
  uint64_t checksum; /* of all that follows, with the sequence number as a seed */
  uint64_t count;    /* records, at least one */
};

struct buffer {
  struct buffer *next;
  struct chunk *chunk; /* chunk_bytes, mapped */
};

struct list {
  struct buffer *first, *last;
  uint32_t count;
};

struct file {
  int fd; /* -1 until there is something to write */
  char *path;
  uint64_t written, read; /* chunks submitted */
  uint64_t held_bytes;    /* of the file system */
};

enum request_state { IDLE, PENDING, DONE };
enum outcome { TRANSFERRED, FAILED, DAMAGED };

struct request {
  bool is_read;
  struct buffer *buffer; /* NULL: no request */
  struct file *file;
  uint64_t offset, sequence;
  enum request_state state; /* under the lock */
  enum outcome outcome;     /* from here on: the thread's, until DONE */
  int error;
  bool released; /* the space in the file was given back */
};

struct clew_diskqueue {
  /* The fast paths: where the next record is, and where the records of the chunk end. */
  unsigned char *tail_at, *tail_end;
  const unsigned char *head_at, *head_end;
  uint64_t count;
  uint32_t record_bytes;

  uint32_t chunk_records;
  uint64_t chunk_bytes;
  struct buffer *head, *tail; /* NULL: none */
  struct list ahead, behind, idle;
  uint32_t buffer_count, buffer_limit;

  struct file files[2];
  struct file *reading, *writing;
  uint64_t disk_chunks; /* written or being written, and not yet asked for */
  uint64_t next_written, next_read;
  uint64_t disk_bytes_peak;
  struct request read, write;

  struct clew_budget *budget;
  struct clew_scratch *scratch;
  char *name;
  struct clew_text error;

  bool has_thread, has_lock, stop; /* stop: under the lock */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t submitted, finished;
};

/* ---- buffers ---- */

static unsigned char *records_of(const struct buffer *buffer) {
  return (unsigned char *)(buffer->chunk + 1);
}

static void list_append(struct list *list, struct buffer *buffer) {
  buffer->next = NULL;
  if (list->count++ == 0) {
    list->first = buffer;
  } else {
    list->last->next = buffer;
  }
  list->last = buffer;
}

static struct buffer *list_take(struct list *list) {
  assert(list->count > 0);
  struct buffer *buffer = list->first;
  list->first = buffer->next;
  list->count--;
  buffer->next = NULL;
  return buffer;
}

static void list_append_all(struct list *to, struct list *from) {
  while (from->count > 0) {
    list_append(to, list_take(from));
  }
}

/* What was used last is used next: its pages are in the cache. */
static void make_idle(struct clew_diskqueue *q, struct buffer *buffer) {
  buffer->next = q->idle.first;
  q->idle.first = buffer;
  q->idle.last = q->idle.count++ == 0 ? buffer : q->idle.last;
}

static bool take_bytes(struct clew_diskqueue *q, uint64_t bytes) {
  return q->budget == NULL || clew_budget_take(q->budget, bytes);
}

static void give_bytes(struct clew_diskqueue *q, uint64_t bytes) {
  if (q->budget != NULL) {
    clew_budget_give(q->budget, bytes);
  }
}

static bool add_buffers(struct clew_diskqueue *q, uint32_t count) {
  uint64_t bytes = count * q->chunk_bytes;
  if (q->buffer_count + count > q->buffer_limit || !take_bytes(q, bytes)) {
    return false;
  }
  unsigned char *map = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    give_bytes(q, bytes);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct buffer *buffer = clew_alloc_zero(1, sizeof *buffer);
    buffer->chunk = (struct chunk *)(void *)(map + i * q->chunk_bytes);
    list_append(&q->idle, buffer);
  }
  q->buffer_count += count;
  return true;
}

static void free_buffer(struct clew_diskqueue *q, struct buffer *buffer) {
  if (buffer != NULL) {
    int failed = munmap(buffer->chunk, (size_t)q->chunk_bytes);
    assert(!failed);
    (void)failed;
    give_bytes(q, q->chunk_bytes);
    clew_free(buffer);
  }
}

/* ---- failure ---- */

/* After this both fast paths end in the slow ones, which answer NULL. */
static void set_error(struct clew_diskqueue *q) {
  assert(q->error.len > 0);
  q->tail_at = q->tail_end = NULL;
  q->head_at = q->head_end = NULL;
}

static bool has_failed(const struct clew_diskqueue *q) {
  return q->error.len > 0;
}

static void note_failure(struct clew_diskqueue *q, const struct request *request) {
  assert(request->outcome != TRANSFERRED);
  if (has_failed(q)) {
    return; /* the first reason is the one to tell */
  }
  if (request->outcome == DAMAGED) {
    clew_text_printf(&q->error, "the file %s was damaged: what was read is not what was written",
                     request->file->path);
  } else {
    clew_text_printf(&q->error, "cannot %s the file %s: %s", request->is_read ? "read" : "write",
                     request->file->path, strerror(request->error));
  }
  set_error(q);
}

/* ---- the thread ---- */

static uint64_t checksum_of(const struct chunk *chunk, uint32_t record_bytes, uint64_t sequence) {
  size_t bytes = sizeof chunk->count + (size_t)chunk->count * record_bytes;
  return clew_hash_bytes(&chunk->count, bytes, sequence);
}

static void transfer(const struct clew_diskqueue *q, struct request *request) {
  struct chunk *chunk = request->buffer->chunk;
  size_t bytes = (size_t)q->chunk_bytes;
  int fd = request->file->fd;
  errno = 0;
  request->outcome = TRANSFERRED;
  request->released = false;
  if (!request->is_read) {
    chunk->checksum = checksum_of(chunk, q->record_bytes, request->sequence);
    if (!clew_fd_write_at(fd, chunk, bytes, request->offset)) {
      request->outcome = FAILED;
    }
  } else if (!clew_fd_read_at(fd, chunk, bytes, request->offset)) {
    request->outcome = FAILED;
  } else if (chunk->count == 0 || chunk->count > q->chunk_records ||
             chunk->checksum != checksum_of(chunk, q->record_bytes, request->sequence)) {
    request->outcome = DAMAGED;
  } else {
    request->released = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  (off_t)request->offset, (off_t)bytes) == 0;
  }
  request->error = errno;
}

static void *serve(void *context) {
  struct clew_diskqueue *q = context;
  pthread_mutex_lock(&q->lock);
  while (!q->stop) {
    /* A search waits for a read sooner than for a write. */
    struct request *request = q->read.state == PENDING    ? &q->read
                              : q->write.state == PENDING ? &q->write
                                                          : NULL;
    if (request == NULL) {
      pthread_cond_wait(&q->submitted, &q->lock);
      continue;
    }
    pthread_mutex_unlock(&q->lock);
    transfer(q, request);
    pthread_mutex_lock(&q->lock);
    request->state = DONE;
    pthread_cond_signal(&q->finished);
  }
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

/* Signals are for the threads of the program; a full disk is an error of the write, not a signal.
 * Without a thread the caller does the work: slower, not wrong. */
static void start_thread(struct clew_diskqueue *q) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  q->has_thread = pthread_create(&q->thread, NULL, serve, q) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void submit(struct clew_diskqueue *q, struct request *request, struct buffer *buffer) {
  assert(request->buffer == NULL && request->state == IDLE && buffer != NULL);
  request->buffer = buffer;
  if (!q->has_lock) {
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->submitted, NULL);
    pthread_cond_init(&q->finished, NULL);
    q->has_lock = true;
    start_thread(q);
  }
  if (!q->has_thread) {
    transfer(q, request);
    request->state = DONE;
    return;
  }
  pthread_mutex_lock(&q->lock);
  request->state = PENDING;
  pthread_cond_signal(&q->submitted);
  pthread_mutex_unlock(&q->lock);
}

/* Whether the request is finished; it then is IDLE, and its buffer the caller's. */
static bool finish(struct clew_diskqueue *q, struct request *request, bool wait) {
  assert(request->buffer != NULL);
  pthread_mutex_lock(&q->lock);
  while (wait && request->state != DONE) {
    pthread_cond_wait(&q->finished, &q->lock);
  }
  bool done = request->state == DONE;
  request->state = done ? IDLE : request->state;
  pthread_mutex_unlock(&q->lock);
  return done;
}

/* ---- files ---- */

static void note_disk_use(struct clew_diskqueue *q) {
  uint64_t held = q->files[0].held_bytes + q->files[1].held_bytes;
  q->disk_bytes_peak = held > q->disk_bytes_peak ? held : q->disk_bytes_peak;
}

static bool open_file(struct clew_diskqueue *q, struct file *file, unsigned number) {
  struct clew_text name = {0};
  clew_text_printf(&name, "%s.%u", q->name, number);
  file->fd = clew_scratch_file(q->scratch, clew_text_str(&name));
  int error = errno;
  const char *directory = q->scratch->path != NULL ? q->scratch->path : q->scratch->parent;
  if (file->fd < 0) {
    clew_text_printf(&q->error, "cannot create the file %s in %s: %s", clew_text_str(&name),
                     directory, strerror(error));
    set_error(q);
  } else {
    struct clew_text path = {0};
    clew_text_printf(&path, "%s/%s", directory, clew_text_str(&name));
    file->path = path.data;
  }
  clew_text_free(&name);
  return file->fd >= 0;
}

static void close_file(struct file *file) {
  if (file->fd >= 0) {
    close(file->fd);
    unlink(file->path);
  }
  clew_free(file->path);
}

static void empty_file(struct file *file) {
  file->written = file->read = 0;
  /* Failing to shrink it costs space only: all of it is written again before it is read. */
  if (file->fd >= 0 && ftruncate(file->fd, 0) == 0) {
    file->held_bytes = 0;
  }
}

/* Takes the answer of the thread, if there is one or `wait` says to wait for it. */
static void collect(struct clew_diskqueue *q, struct request *request, bool wait) {
  if (request->buffer == NULL || !finish(q, request, wait)) {
    return;
  }
  struct buffer *buffer = request->buffer;
  request->buffer = NULL;
  if (request->outcome != TRANSFERRED) {
    note_failure(q, request);
    make_idle(q, buffer);
  } else if (request->is_read) {
    list_append(&q->ahead, buffer);
    if (request->released) {
      request->file->held_bytes -= q->chunk_bytes;
    }
  } else {
    make_idle(q, buffer);
  }
}

/* With nothing on disk, ahead and behind are one sequence: the first half is kept in memory. */
static void divide(struct clew_diskqueue *q) {
  assert(q->disk_chunks == 0 && q->read.buffer == NULL);
  struct list all = q->ahead;
  list_append_all(&all, &q->behind);
  q->ahead = q->behind = (struct list){0};
  uint32_t keep = q->buffer_count / 2 - (q->head != NULL ? 1 : 0);
  while (all.count > 0) {
    list_append(q->ahead.count < keep ? &q->ahead : &q->behind, list_take(&all));
  }
}

static void start_write(struct clew_diskqueue *q) {
  assert(q->write.buffer == NULL);
  for (unsigned i = 0; i < 2; i++) {
    if (q->files[i].fd < 0 && !open_file(q, &q->files[i], i)) {
      return;
    }
  }
  /* While a read is under way, what it brings comes between ahead and behind. */
  if (q->disk_chunks == 0 && q->read.buffer == NULL) {
    divide(q);
  }
  struct file *file = q->writing;
  q->write.file = file;
  q->write.offset = file->written++ * q->chunk_bytes;
  q->write.sequence = q->next_written++;
  file->held_bytes += q->chunk_bytes;
  note_disk_use(q);
  q->disk_chunks++;
  submit(q, &q->write, list_take(&q->behind));
}

/* There is a chunk that was written, and a free buffer. */
static void start_read(struct clew_diskqueue *q) {
  assert(q->read.buffer == NULL && q->disk_chunks > (q->write.buffer != NULL ? 1 : 0));
  if (q->reading->read == q->reading->written) {
    empty_file(q->reading);
    struct file *used_up = q->reading;
    q->reading = q->writing;
    q->writing = used_up;
  }
  struct file *file = q->reading;
  assert(file->read < file->written);
  q->read.file = file;
  q->read.offset = file->read++ * q->chunk_bytes;
  q->read.sequence = q->next_read++;
  q->disk_chunks--;
  submit(q, &q->read, list_take(&q->idle));
}

/* ---- the two ends ---- */

static uint32_t reading_buffers(const struct clew_diskqueue *q) {
  return (q->head != NULL ? 1 : 0) + q->ahead.count + (q->read.buffer != NULL ? 1 : 0);
}

/* Idle buffers that the writing side must leave alone. */
static uint32_t reserved_buffers(const struct clew_diskqueue *q) {
  uint32_t have = reading_buffers(q);
  return q->disk_chunks > 0 && have < READING_BUFFERS ? READING_BUFFERS - have : 0;
}

static void read_ahead(struct clew_diskqueue *q) {
  collect(q, &q->read, false);
  bool readable = q->disk_chunks > (q->write.buffer != NULL ? 1 : 0);
  if (!has_failed(q) && readable && q->read.buffer == NULL &&
      reading_buffers(q) < READING_BUFFERS) {
    start_read(q);
  }
}

/* Begins to write when the next push would find no buffer. */
static void write_behind(struct clew_diskqueue *q) {
  bool used_up = q->buffer_count == q->buffer_limit && q->idle.count <= reserved_buffers(q);
  if (!has_failed(q) && used_up && q->disk_chunks > 0 && q->behind.count > 0 &&
      q->write.buffer == NULL) {
    start_write(q);
  }
}

/* NULL when the disk fails. */
static struct buffer *buffer_for_tail(struct clew_diskqueue *q) {
  while (!has_failed(q)) {
    collect(q, &q->write, false);
    if (has_failed(q)) {
      break; /* a buffer that became free by a failure is not to be filled */
    }
    if (q->idle.count > reserved_buffers(q)) {
      return list_take(&q->idle);
    }
    if (add_buffers(q, 1)) {
      continue;
    }
    q->buffer_limit = q->buffer_count; /* what was refused once is not asked for again */
    if (q->write.buffer == NULL) {
      start_write(q);
    }
    collect(q, &q->write, true);
  }
  return NULL;
}

static void seal_tail(struct clew_diskqueue *q) {
  if (q->tail != NULL) {
    q->tail->chunk->count = (uint64_t)(q->tail_at - records_of(q->tail)) / q->record_bytes;
    assert(q->tail->chunk->count > 0 && q->tail->chunk->count <= q->chunk_records);
    list_append(&q->behind, q->tail);
    q->tail = NULL;
    q->tail_at = q->tail_end = NULL;
  }
}

static __attribute__((noinline)) bool advance_tail(struct clew_diskqueue *q) {
  if (has_failed(q)) {
    return false;
  }
  seal_tail(q);
  struct buffer *buffer = buffer_for_tail(q);
  if (buffer == NULL) {
    return false;
  }
  q->tail = buffer;
  q->tail_at = records_of(buffer);
  q->tail_end = q->tail_at + (size_t)q->chunk_records * q->record_bytes;
  write_behind(q);
  read_ahead(q);
  return !has_failed(q);
}

/* Makes a chunk `ahead`; false when there is none or the disk fails. */
static bool find_ahead(struct clew_diskqueue *q) {
  while (!has_failed(q) && q->ahead.count == 0) {
    if (q->read.buffer != NULL) {
      collect(q, &q->read, true);
    } else if (q->disk_chunks == 1 && q->write.buffer != NULL) {
      collect(q, &q->write, true);
    } else if (q->disk_chunks > 0) {
      start_read(q);
    } else {
      seal_tail(q);
      if (q->behind.count == 0) {
        return false;
      }
      list_append_all(&q->ahead, &q->behind);
    }
  }
  return !has_failed(q);
}

static __attribute__((noinline)) bool advance_head(struct clew_diskqueue *q) {
  if (q->head != NULL) {
    make_idle(q, q->head);
    q->head = NULL;
    q->head_at = q->head_end = NULL;
  }
  if (has_failed(q) || q->count == 0 || !find_ahead(q)) {
    return false;
  }
  q->head = list_take(&q->ahead);
  q->head_at = records_of(q->head);
  q->head_end = q->head_at + (size_t)q->head->chunk->count * q->record_bytes;
  collect(q, &q->write, false);
  read_ahead(q);
  return !has_failed(q);
}

void *clew_diskqueue_push(struct clew_diskqueue *q) {
  if (__builtin_expect(q->tail_at == q->tail_end, 0) && !advance_tail(q)) {
    return NULL;
  }
  void *record = q->tail_at;
  q->tail_at += q->record_bytes;
  q->count++;
  return record;
}

const void *clew_diskqueue_pop(struct clew_diskqueue *q) {
  if (__builtin_expect(q->head_at == q->head_end, 0) && !advance_head(q)) {
    return NULL;
  }
  const void *record = q->head_at;
  q->head_at += q->record_bytes;
  q->count--;
  return record;
}

/* ---- opening and closing ---- */

static uint64_t round_up(uint64_t bytes, uint64_t step) {
  return (bytes + step - 1) / step * step;
}

/* Requests of an eighth of the memory within good bounds; a quarter where there is little. */
static uint64_t chunk_bytes_for(uint64_t memory_bytes, uint64_t least_bytes) {
  uint64_t bytes = memory_bytes / LEAST_BUFFERS;
  if (bytes > LEAST_REQUEST_BYTES) {
    bytes = memory_bytes / 8 > LEAST_REQUEST_BYTES ? memory_bytes / 8 : LEAST_REQUEST_BYTES;
    bytes = bytes < GOOD_REQUEST_BYTES ? bytes : GOOD_REQUEST_BYTES;
  }
  bytes = bytes > memory_bytes / MOST_BUFFERS ? bytes : memory_bytes / MOST_BUFFERS;
  bytes = bytes / PAGE_BYTES * PAGE_BYTES;
  return bytes > least_bytes ? bytes : least_bytes;
}

/* Takes the first buffers, as large as the budget allows. */
static bool take_first_buffers(struct clew_diskqueue *q, uint64_t memory_bytes) {
  uint64_t least_bytes = round_up(sizeof(struct chunk) + q->record_bytes, PAGE_BYTES);
  q->chunk_bytes = chunk_bytes_for(memory_bytes, least_bytes);
  q->buffer_limit = LEAST_BUFFERS;
  while (!add_buffers(q, LEAST_BUFFERS)) {
    if (q->chunk_bytes == least_bytes) {
      return false;
    }
    uint64_t half = q->chunk_bytes / 2 / PAGE_BYTES * PAGE_BYTES;
    q->chunk_bytes = half > least_bytes ? half : least_bytes;
  }
  uint64_t records = (q->chunk_bytes - sizeof(struct chunk)) / q->record_bytes;
  assert(records > 0);
  q->chunk_records = records < UINT32_MAX ? (uint32_t)records : UINT32_MAX;
  uint64_t limit = memory_bytes / q->chunk_bytes;
  limit = limit < LEAST_BUFFERS ? LEAST_BUFFERS : limit;
  q->buffer_limit = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
  return true;
}

struct clew_diskqueue *clew_diskqueue_open(const struct clew_diskqueue_config *config) {
  assert(config->record_bytes > 0 && config->record_bytes % 8 == 0);
  struct clew_diskqueue *q = clew_alloc_zero(1, sizeof *q);
  q->record_bytes = config->record_bytes;
  q->budget = config->budget;
  q->scratch = config->scratch;
  q->name = clew_strdup(config->name);
  q->files[0].fd = q->files[1].fd = -1;
  q->reading = &q->files[0];
  q->writing = &q->files[1];
  q->read.is_read = true;
  if (!take_first_buffers(q, config->memory_bytes)) {
    clew_diskqueue_close(q);
    return NULL;
  }
  return q;
}

static void stop_thread(struct clew_diskqueue *q) {
  if (q->has_thread) {
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_signal(&q->submitted);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
  }
  if (q->has_lock) {
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->submitted);
    pthread_cond_destroy(&q->finished);
  }
}

static void free_list(struct clew_diskqueue *q, struct list *list) {
  while (list->count > 0) {
    free_buffer(q, list_take(list));
  }
}

void clew_diskqueue_close(struct clew_diskqueue *q) {
  if (q == NULL) {
    return;
  }
  stop_thread(q);
  free_buffer(q, q->head);
  free_buffer(q, q->tail);
  free_buffer(q, q->read.buffer);
  free_buffer(q, q->write.buffer);
  free_list(q, &q->ahead);
  free_list(q, &q->behind);
  free_list(q, &q->idle);
  close_file(&q->files[0]);
  close_file(&q->files[1]);
  clew_text_free(&q->error);
  clew_free(q->name);
  clew_free(q);
}

void clew_diskqueue_clear(struct clew_diskqueue *q) {
  collect(q, &q->write, true);
  collect(q, &q->read, true);
  list_append_all(&q->idle, &q->ahead);
  list_append_all(&q->idle, &q->behind);
  if (q->head != NULL) {
    make_idle(q, q->head);
  }
  if (q->tail != NULL) {
    make_idle(q, q->tail);
  }
  q->head = q->tail = NULL;
  q->head_at = q->head_end = NULL;
  q->tail_at = q->tail_end = NULL;
  empty_file(&q->files[0]);
  empty_file(&q->files[1]);
  q->disk_chunks = q->count = 0;
  q->next_read = q->next_written;
}

/* ---- figures and validation ---- */

uint64_t clew_diskqueue_count(const struct clew_diskqueue *q) {
  return q->count;
}

const char *clew_diskqueue_error(const struct clew_diskqueue *q) {
  return has_failed(q) ? clew_text_str(&q->error) : NULL;
}

uint64_t clew_diskqueue_memory_bytes(const struct clew_diskqueue *q) {
  return q->buffer_count * q->chunk_bytes;
}

uint64_t clew_diskqueue_disk_bytes_peak(const struct clew_diskqueue *q) {
  return q->disk_bytes_peak;
}

/* The records of a list; UINT64_MAX when the list is not as long as it says, or a chunk is empty or
 * too full. */
static uint64_t count_records(const struct clew_diskqueue *q, const struct list *list) {
  uint64_t records = 0;
  uint32_t length = 0;
  for (const struct buffer *b = list->first; length < list->count; b = b->next, length++) {
    if (b == NULL || b->chunk->count == 0 || b->chunk->count > q->chunk_records) {
      return UINT64_MAX;
    }
    records += b->chunk->count;
  }
  return records;
}

static uint64_t buffers_in_use(const struct clew_diskqueue *q) {
  return reading_buffers(q) + q->behind.count + q->idle.count + (q->tail != NULL ? 1 : 0) +
         (q->write.buffer != NULL ? 1 : 0);
}

static const char *find_fault(const struct clew_diskqueue *q) {
  uint64_t ahead = count_records(q, &q->ahead), behind = count_records(q, &q->behind);
  if (ahead == UINT64_MAX || behind == UINT64_MAX) {
    return "a list of chunks is wrong";
  }
  if (buffers_in_use(q) != q->buffer_count || q->buffer_count > q->buffer_limit) {
    return "buffers were lost or found";
  }
  if (q->disk_chunks > 0 && reading_buffers(q) + q->idle.count < READING_BUFFERS) {
    return "too few buffers are left for reading";
  }
  uint64_t in_files =
      q->files[0].written - q->files[0].read + q->files[1].written - q->files[1].read;
  if (in_files != q->disk_chunks || q->next_written - q->next_read != q->disk_chunks) {
    return "chunks in the files were lost or found";
  }
  uint64_t known = ahead + behind + (uint64_t)(q->head_end - q->head_at) / q->record_bytes;
  known += q->tail != NULL ? (uint64_t)(q->tail_at - records_of(q->tail)) / q->record_bytes : 0;
  uint64_t hidden = q->disk_chunks + (q->read.buffer != NULL ? 1 : 0);
  if (q->count < known + hidden || q->count > known + hidden * q->chunk_records) {
    return "records were lost or found";
  }
  return NULL;
}

bool clew_diskqueue_validate(const struct clew_diskqueue *q, const char **why) {
  *why = has_failed(q) ? NULL : find_fault(q);
  return *why == NULL;
}
