/* Stretches of the log as files: one block after the other (trace/coder.h). */
#include "checkpoint/segment.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

/* ---- writing ---- */

struct writer {
  struct clew_coder *coder;
  struct clew_back_edge *records;
  unsigned char *bytes;
};

/* Writes the next block, of at most `most` records; returns how many, or 0 when the log fails. One
 * that the log keeps as it is need not be made again. Else it ends where the log's next one may
 * begin. */
static uint32_t write_block(struct clew_vault_file *file, struct writer *w, struct clew_log *log,
                            clew_id first, uint64_t most) {
  struct clew_block block;
  const unsigned char *kept = clew_log_block(log, first, &block);
  if (kept != NULL && block.count <= most) {
    clew_vault_write(file, kept, block.bytes);
    return block.count;
  }
  uint32_t part = CLEW_BLOCK_RECORDS - (uint32_t)(first % CLEW_BLOCK_RECORDS);
  part = most < part ? (uint32_t)most : part;
  if (!clew_log_read(log, first, part, w->records)) {
    return 0;
  }
  clew_vault_write(file, w->bytes, clew_coder_encode(w->coder, first, w->records, part, w->bytes));
  return part;
}

bool clew_segment_write(struct clew_vault *vault, const char *name, struct clew_log *log,
                        clew_id first, uint64_t count, uint64_t *bytes) {
  struct clew_vault_file file;
  clew_vault_begin(&file, vault, name);
  struct writer w = {.coder = clew_coder_open(),
                     .records = clew_alloc(CLEW_BLOCK_RECORDS * sizeof *w.records),
                     .bytes = clew_alloc(CLEW_BLOCK_MOST_BYTES)};
  bool ok = true;
  for (uint64_t done = 0; ok && done < count && !file.failed;) {
    uint32_t part = write_block(&file, &w, log, first + done, count - done);
    ok = part > 0;
    done += part;
  }
  int error = errno;
  clew_coder_close(w.coder);
  clew_free(w.records);
  clew_free(w.bytes);
  *bytes = file.bytes;
  if (!ok) {
    clew_vault_abandon(&file);
    errno = error;
    return false;
  }
  return clew_vault_commit(&file);
}

/* ---- reading ---- */

struct clew_segment_reader {
  char *path; /* owned, for messages */
  int fd;
  const struct clew_segment *segment; /* borrowed */
  uint64_t at, read;                  /* bytes, records */
  bool damaged;
  struct clew_coder *coder;
  unsigned char *bytes;
  struct clew_back_edge *records;
};

struct clew_segment_reader *clew_segment_open(const struct clew_vault *vault,
                                              const struct clew_segment *segment,
                                              struct clew_diag_sink *diags) {
  struct clew_text path = {0};
  clew_text_printf(&path, "%s/%s", vault->path, segment->name);
  struct stat info;
  int fd = clew_vault_read(vault, segment->name);
  if (fd < 0 || fstat(fd, &info) != 0) {
    clew_diag_plain(diags, CLEW_ERROR, clew_text_str(&path), "cannot be read: %s", strerror(errno));
  } else if ((uint64_t)info.st_size != segment->bytes) {
    clew_diag_plain(diags, CLEW_ERROR, clew_text_str(&path),
                    "has %lld bytes instead of %llu: it is damaged", (long long)info.st_size,
                    (unsigned long long)segment->bytes);
    close(fd);
    fd = -1;
  }
  if (fd < 0) {
    clew_text_free(&path);
    return NULL;
  }
  struct clew_segment_reader *reader = clew_alloc_zero(1, sizeof *reader);
  *reader = (struct clew_segment_reader){
      .path = path.data,
      .fd = fd,
      .segment = segment,
      .coder = clew_coder_open(),
      .bytes = clew_alloc(CLEW_BLOCK_MOST_BYTES),
      .records = clew_alloc(CLEW_BLOCK_RECORDS * sizeof *reader->records)};
  return reader;
}

void clew_segment_close(struct clew_segment_reader *reader) {
  if (reader == NULL) {
    return;
  }
  close(reader->fd);
  clew_free(reader->path);
  clew_coder_close(reader->coder);
  clew_free(reader->bytes);
  clew_free(reader->records);
  clew_free(reader);
}

bool clew_segment_is_read(const struct clew_segment_reader *reader) {
  return !reader->damaged && reader->at == reader->segment->bytes &&
         reader->read == reader->segment->count;
}

static uint32_t give_up(struct clew_segment_reader *reader, const char *why,
                        struct clew_diag_sink *diags) {
  reader->damaged = true;
  clew_diag_plain(diags, CLEW_ERROR, reader->path, "is damaged at byte %llu: %s",
                  (unsigned long long)reader->at, why);
  return 0;
}

/* Whether these are the next states of the segment. */
static bool continues(const struct clew_segment_reader *reader, const struct clew_block *block) {
  const struct clew_segment *segment = reader->segment;
  return block->first == segment->first + reader->read &&
         block->count <= segment->count - reader->read &&
         block->bytes <= segment->bytes - reader->at;
}

/* The head of the block that begins here; returns its number of records. */
static uint32_t look(struct clew_segment_reader *reader, struct clew_block *block,
                     struct clew_diag_sink *diags) {
  const struct clew_segment *segment = reader->segment;
  if (reader->damaged || reader->at == segment->bytes) {
    return 0;
  }
  if (segment->bytes - reader->at < CLEW_BLOCK_HEADER_BYTES ||
      !clew_fd_read_at(reader->fd, reader->bytes, CLEW_BLOCK_HEADER_BYTES, reader->at)) {
    return give_up(reader, "there is no whole block", diags);
  }
  if (!clew_block_look(reader->bytes, block) || !continues(reader, block)) {
    return give_up(reader, "no block of these states begins here", diags);
  }
  return block->count;
}

static void pass(struct clew_segment_reader *reader, const struct clew_block *block) {
  reader->at += block->bytes;
  reader->read += block->count;
}

struct clew_segment_place clew_segment_tell(const struct clew_segment_reader *reader) {
  return (struct clew_segment_place){reader->at, reader->read};
}

void clew_segment_go(struct clew_segment_reader *reader, struct clew_segment_place place) {
  assert(place.at <= reader->segment->bytes);
  reader->at = place.at;
  reader->read = place.read;
}

uint32_t clew_segment_skip(struct clew_segment_reader *reader, struct clew_diag_sink *diags) {
  struct clew_block block;
  uint32_t count = look(reader, &block, diags);
  if (count > 0) {
    pass(reader, &block);
  }
  return count;
}

uint32_t clew_segment_next(struct clew_segment_reader *reader,
                           const struct clew_back_edge **records, struct clew_diag_sink *diags) {
  struct clew_block block;
  if (look(reader, &block, diags) == 0) {
    return 0;
  }
  if (!clew_fd_read_at(reader->fd, reader->bytes, block.bytes, reader->at)) {
    return give_up(reader, "the block cannot be read", diags);
  }
  const char *why = clew_coder_decode(reader->coder, reader->bytes, reader->records);
  if (why != NULL) {
    return give_up(reader, why, diags);
  }
  pass(reader, &block);
  *records = reader->records;
  return block.count;
}
