/* Blocks of back edges as bytes: how the log and checkpoints keep them.
 *
 * A block is a header (magic, first id, number of records, lengths, and a checksum of all of it)
 * and a payload, and can be read without any other. Records are coded as what changes from one to
 * the next: parents nearly always grow by little, edges repeat. That is compressed, which leaves a
 * byte for two to twenty states. */
#ifndef CLEW_TRACE_CODER_H
#define CLEW_TRACE_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct clew_back_edge {
  clew_id parent; /* CLEW_ID_NONE for an initial state; else smaller than the id of the state */
  uint32_t edge;  /* of the model, or of init for an initial state */
};

enum {
  CLEW_BLOCK_RECORDS = 1 << 14, /* at most */
  CLEW_BLOCK_HEADER_BYTES = 40,
  CLEW_BLOCK_MOST_BYTES = CLEW_BLOCK_HEADER_BYTES + 4 + CLEW_BLOCK_RECORDS * (7 + 5),
};

struct clew_coder; /* buffers; for one thread at a time */
struct clew_coder *clew_coder_open(void);
void clew_coder_close(struct clew_coder *coder);

/* The bytes of a block; `out` has room for CLEW_BLOCK_MOST_BYTES. */
size_t clew_coder_encode(struct clew_coder *coder, clew_id first,
                         const struct clew_back_edge *records, uint32_t count, unsigned char *out);

/* What a header says. */
struct clew_block {
  clew_id first;
  uint32_t count;
  size_t bytes; /* with the header */
};
/* False when it is none. */
bool clew_block_look(const unsigned char header[CLEW_BLOCK_HEADER_BYTES], struct clew_block *out);
/* The records of a whole block. NULL, or what is wrong with it. */
const char *clew_coder_decode(struct clew_coder *coder, const unsigned char *bytes,
                              struct clew_back_edge *records);

#endif
