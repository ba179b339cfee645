/* Blocks of back edges.
 *
 * Before compression the payload is the length of its first part, four bytes; the differences of
 * parents; the edges. Both are numbers of seven bits per byte, the lowest first, the top bit of a
 * byte saying that another follows. A parent counts from 1 on, 0 being none; differences have their
 * sign in the lowest bit. A payload that does not become shorter is kept as it is. */
#include "trace/coder.h"

#include <assert.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/hash.h"

enum {
  SUMMED_BYTES = 32, /* of the header, before the checksum */
  MOST_RAW_BYTES = CLEW_BLOCK_MOST_BYTES - CLEW_BLOCK_HEADER_BYTES,
  LEVEL = 3, /* of compression: 1 is hardly faster, and leaves a third more */
};
static const uint64_t MAGIC = UINT64_C(0x32676f6c77656c63); /* "clewlog2" */

struct header {
  uint64_t magic, first;
  uint32_t count, raw_bytes, stored_bytes;
  uint32_t named; /* 1: parents are names (search/spread.h); 0: they come before their children */
  uint64_t sum;
};
_Static_assert(sizeof(struct header) == CLEW_BLOCK_HEADER_BYTES, "written as it is");

struct clew_coder {
  unsigned char *raw;
  ZSTD_CCtx *compression;
  ZSTD_DCtx *decompression;
};

struct clew_coder *clew_coder_open(void) {
  struct clew_coder *coder = clew_alloc_zero(1, sizeof *coder);
  coder->raw = clew_alloc(MOST_RAW_BYTES);
  return coder;
}

void clew_coder_close(struct clew_coder *coder) {
  if (coder == NULL) {
    return;
  }
  ZSTD_freeCCtx(coder->compression);
  ZSTD_freeDCtx(coder->decompression);
  clew_free(coder->raw);
  clew_free(coder);
}

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

/* Whether a parent does not come before its child: it is the name of a state of some rank. */
static bool has_names(clew_id first, const struct clew_back_edge *records, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (records[i].parent != CLEW_ID_NONE && records[i].parent >= first + i) {
      return true;
    }
  }
  return false;
}

/* The length of the payload; that of the raw one where it cannot be compressed. */
static size_t compress(struct clew_coder *coder, size_t raw_bytes, unsigned char *out) {
  if (coder->compression == NULL) {
    coder->compression = ZSTD_createCCtx();
  }
  size_t stored = coder->compression == NULL ? raw_bytes
                                             : ZSTD_compressCCtx(coder->compression, out, raw_bytes,
                                                                 coder->raw, raw_bytes, LEVEL);
  if (ZSTD_isError(stored) || stored >= raw_bytes) {
    memcpy(out, coder->raw, raw_bytes);
    stored = raw_bytes;
  }
  return stored;
}

size_t clew_coder_encode(struct clew_coder *coder, clew_id first,
                         const struct clew_back_edge *records, uint32_t count, unsigned char *out) {
  assert(count > 0 && count <= CLEW_BLOCK_RECORDS);
  size_t raw_bytes = encode(records, count, coder->raw);
  size_t stored = compress(coder, raw_bytes, out + CLEW_BLOCK_HEADER_BYTES);
  struct header header = {.magic = MAGIC,
                          .first = first,
                          .count = count,
                          .raw_bytes = (uint32_t)raw_bytes,
                          .stored_bytes = (uint32_t)stored,
                          .named = has_names(first, records, count)};
  header.sum = checksum(&header, out + CLEW_BLOCK_HEADER_BYTES);
  memcpy(out, &header, sizeof header);
  return CLEW_BLOCK_HEADER_BYTES + stored;
}

/* ---- reading ---- */

bool clew_block_look(const unsigned char bytes[CLEW_BLOCK_HEADER_BYTES], struct clew_block *out) {
  struct header header;
  memcpy(&header, bytes, sizeof header);
  *out = (struct clew_block){.first = header.first,
                             .count = header.count,
                             .bytes = CLEW_BLOCK_HEADER_BYTES + (size_t)header.stored_bytes};
  return header.magic == MAGIC && header.count > 0 && header.count <= CLEW_BLOCK_RECORDS &&
         header.raw_bytes <= MOST_RAW_BYTES && header.stored_bytes <= header.raw_bytes &&
         header.first < CLEW_ID_LIMIT && header.named <= 1;
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
    if (last > (header->named != 0 ? CLEW_ID_LIMIT : header->first + i)) {
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

static bool decompress(struct clew_coder *coder, const struct header *header,
                       const unsigned char *payload) {
  if (coder->decompression == NULL) {
    coder->decompression = ZSTD_createDCtx();
  }
  return coder->decompression != NULL &&
         ZSTD_decompressDCtx(coder->decompression, coder->raw, MOST_RAW_BYTES, payload,
                             header->stored_bytes) == header->raw_bytes;
}

const char *clew_coder_decode(struct clew_coder *coder, const unsigned char *bytes,
                              struct clew_back_edge *records) {
  struct clew_block block;
  struct header header;
  const unsigned char *payload = bytes + CLEW_BLOCK_HEADER_BYTES;
  if (!clew_block_look(bytes, &block)) {
    return "no block begins here";
  }
  memcpy(&header, bytes, sizeof header);
  if (checksum(&header, payload) != header.sum) {
    return "the checksum of the block is wrong";
  }
  if (header.stored_bytes < header.raw_bytes) {
    if (!decompress(coder, &header, payload)) {
      return "the block cannot be decompressed";
    }
    payload = coder->raw;
  }
  return decode(payload, &header, records) ? NULL : "the block does not hold back edges";
}
