/* Blocks of back edges.
 *
 * A block is a header of HEADER_BYTES and a payload. Before compression the payload is the length
 * of its first part, four bytes; the differences of parents; the edges. Both are numbers of seven
 * bits per byte, the lowest first, the top bit of a byte saying that another follows. A parent
 * counts from 1 on, 0 being none; differences have their sign in the lowest bit. */
#include "checkpoint/segment.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"

enum {
  HEADER_BYTES = 40,
  SUMMED_BYTES = 32,                                   /* of the header, before the checksum */
  MOST_RAW_BYTES = 4 + CLEW_SEGMENT_RECORDS * (7 + 5), /* ids have 40 bits, edges 32 */
  LEVEL = 1,                                           /* of compression */
};
static const uint64_t MAGIC = UINT64_C(0x31676f6c77656c63); /* "clewlog1" */

struct header {
  uint64_t magic, first;
  uint32_t count, raw_bytes, stored_bytes, number; /* number: of the block in its file */
  uint64_t sum;
};
_Static_assert(sizeof(struct header) == HEADER_BYTES, "written as it is");

static uint64_t checksum(const struct header *header, const void *payload) {
  uint64_t of_header = clew_hash_bytes(header, SUMMED_BYTES, 0);
  return clew_hash_bytes(payload, header->stored_bytes, of_header);
}

/* ---- numbers ---- */

static unsigned char *put_number(unsigned char *at, uint64_t number) {
  while (number >= 0x80) {
    *at++ = (unsigned char)(number | 0x80);
    number >>= 7;
  }
  *at++ = (unsigned char)number;
  return at;
}

/* NULL when there is no end before `end`, or it is too large. */
static const unsigned char *get_number(const unsigned char *at, const unsigned char *end,
                                       uint64_t *number) {
  uint64_t value = 0;
  for (unsigned shift = 0; at < end && shift < 63; shift += 7) {
    value |= (uint64_t)(*at & 0x7f) << shift;
    if ((*at++ & 0x80) == 0) {
      *number = value;
      return at;
    }
  }
  return NULL;
}

static uint64_t fold(int64_t difference) {
  return (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
}

static int64_t unfold(uint64_t folded) {
  return (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
}

/* ---- writing ---- */

struct writer {
  struct clew_back_edge *records;
  unsigned char *raw, *stored;
  size_t stored_room;
};

static size_t encode(const struct clew_back_edge *records, uint32_t count, unsigned char *raw) {
  unsigned char *at = raw + 4;
  uint64_t last = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t parent = records[i].parent == CLEW_ID_NONE ? 0 : records[i].parent + 1;
    at = put_number(at, fold((int64_t)(parent - last)));
    last = parent;
  }
  uint32_t parents = (uint32_t)(at - raw) - 4;
  memcpy(raw, &parents, sizeof parents);
  for (uint32_t i = 0; i < count; i++) {
    at = put_number(at, records[i].edge);
  }
  assert(at <= raw + MOST_RAW_BYTES);
  return (size_t)(at - raw);
}

static void write_block(struct clew_vault_file *file, struct writer *w, clew_id first,
                        uint32_t count, uint32_t number) {
  size_t raw_bytes = encode(w->records, count, w->raw);
  size_t stored = ZSTD_compress(w->stored, w->stored_room, w->raw, raw_bytes, LEVEL);
  const unsigned char *payload = w->stored;
  if (ZSTD_isError(stored) || stored >= raw_bytes) {
    payload = w->raw;
    stored = raw_bytes;
  }
  struct header header = {.magic = MAGIC,
                          .first = first,
                          .count = count,
                          .raw_bytes = (uint32_t)raw_bytes,
                          .stored_bytes = (uint32_t)stored,
                          .number = number};
  header.sum = checksum(&header, payload);
  clew_vault_write(file, &header, sizeof header);
  clew_vault_write(file, payload, stored);
}

bool clew_segment_write(struct clew_vault *vault, const char *name, struct clew_log *log,
                        clew_id first, uint64_t count, uint64_t *bytes) {
  struct clew_vault_file file;
  clew_vault_begin(&file, vault, name);
  struct writer w = {.records = clew_alloc(CLEW_SEGMENT_RECORDS * sizeof *w.records),
                     .raw = clew_alloc(MOST_RAW_BYTES),
                     .stored_room = ZSTD_compressBound(MOST_RAW_BYTES)};
  w.stored = clew_alloc(w.stored_room);
  bool ok = true;
  uint32_t number = 0;
  for (uint64_t done = 0; ok && done < count && !file.failed; number++) {
    uint32_t part =
        count - done < CLEW_SEGMENT_RECORDS ? (uint32_t)(count - done) : CLEW_SEGMENT_RECORDS;
    ok = clew_log_read(log, first + done, part, w.records);
    if (ok) {
      write_block(&file, &w, first + done, part, number);
      done += part;
    }
  }
  int error = errno;
  clew_free(w.records);
  clew_free(w.raw);
  clew_free(w.stored);
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
  uint32_t number;
  bool damaged;
  unsigned char *raw, *stored;
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
      .raw = clew_alloc(MOST_RAW_BYTES),
      .stored = clew_alloc(MOST_RAW_BYTES),
      .records = clew_alloc(CLEW_SEGMENT_RECORDS * sizeof *reader->records)};
  return reader;
}

void clew_segment_close(struct clew_segment_reader *reader) {
  if (reader == NULL) {
    return;
  }
  close(reader->fd);
  clew_free(reader->path);
  clew_free(reader->raw);
  clew_free(reader->stored);
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

static bool is_plausible(const struct clew_segment_reader *reader, const struct header *header) {
  const struct clew_segment *segment = reader->segment;
  return header->magic == MAGIC && header->number == reader->number &&
         header->first == segment->first + reader->read && header->count > 0 &&
         header->count <= CLEW_SEGMENT_RECORDS && header->count <= segment->count - reader->read &&
         header->raw_bytes <= MOST_RAW_BYTES && header->stored_bytes <= header->raw_bytes &&
         header->stored_bytes <= segment->bytes - reader->at - HEADER_BYTES;
}

/* False when the payload is not what the header says. A parent comes before its child, whose id is
 * first + i. */
static bool decode(const unsigned char *raw, const struct header *header,
                   struct clew_back_edge *records) {
  uint32_t parents;
  const unsigned char *at = raw + 4, *end = raw + header->raw_bytes;
  if (header->raw_bytes < 4) {
    return false;
  }
  memcpy(&parents, raw, sizeof parents);
  if (parents > header->raw_bytes - 4) {
    return false;
  }
  const unsigned char *edges = at + parents;
  uint64_t last = 0, number;
  for (uint32_t i = 0; i < header->count; i++) {
    at = get_number(at, edges, &number);
    if (at == NULL) {
      return false;
    }
    last += (uint64_t)unfold(number);
    if (last > header->first + i) {
      return false;
    }
    records[i].parent = last == 0 ? CLEW_ID_NONE : last - 1;
  }
  for (uint32_t i = 0; i < header->count; i++) {
    edges = get_number(edges, end, &number);
    if (edges == NULL || number > UINT32_MAX) {
      return false;
    }
    records[i].edge = (uint32_t)number;
  }
  return edges == end;
}

/* The number of records of the block that begins here. */
static uint32_t read_header(struct clew_segment_reader *reader, struct header *header,
                            struct clew_diag_sink *diags) {
  const struct clew_segment *segment = reader->segment;
  if (reader->damaged || reader->at == segment->bytes) {
    return 0;
  }
  if (segment->bytes - reader->at < HEADER_BYTES ||
      !clew_fd_read_at(reader->fd, header, sizeof *header, reader->at)) {
    return give_up(reader, "there is no whole block", diags);
  }
  if (!is_plausible(reader, header)) {
    return give_up(reader, "no block of these states begins here", diags);
  }
  return header->count;
}

static void pass(struct clew_segment_reader *reader, const struct header *header) {
  reader->at += HEADER_BYTES + header->stored_bytes;
  reader->read += header->count;
  reader->number++;
}

struct clew_segment_place clew_segment_tell(const struct clew_segment_reader *reader) {
  return (struct clew_segment_place){reader->at, reader->read, reader->number};
}

void clew_segment_go(struct clew_segment_reader *reader, struct clew_segment_place place) {
  assert(place.at <= reader->segment->bytes);
  reader->at = place.at;
  reader->read = place.read;
  reader->number = place.number;
}

uint32_t clew_segment_skip(struct clew_segment_reader *reader, struct clew_diag_sink *diags) {
  struct header header;
  uint32_t count = read_header(reader, &header, diags);
  if (count > 0) {
    pass(reader, &header);
  }
  return count;
}

uint32_t clew_segment_next(struct clew_segment_reader *reader,
                           const struct clew_back_edge **records, struct clew_diag_sink *diags) {
  struct header header;
  if (read_header(reader, &header, diags) == 0) {
    return 0;
  }
  if (!clew_fd_read_at(reader->fd, reader->stored, header.stored_bytes,
                       reader->at + HEADER_BYTES)) {
    return give_up(reader, "the block cannot be read", diags);
  }
  if (checksum(&header, reader->stored) != header.sum) {
    return give_up(reader, "the checksum of the block is wrong", diags);
  }
  const unsigned char *raw = reader->stored;
  if (header.stored_bytes < header.raw_bytes) {
    raw = reader->raw;
    if (ZSTD_decompress(reader->raw, MOST_RAW_BYTES, reader->stored, header.stored_bytes) !=
        header.raw_bytes) {
      return give_up(reader, "the block cannot be decompressed", diags);
    }
  }
  if (!decode(raw, &header, reader->records)) {
    return give_up(reader, "the block does not hold back edges", diags);
  }
  pass(reader, &header);
  *records = reader->records;
  return header.count;
}
