/* Stretches of the back-edge log as files: what a search has found, in the order of ids.
 *
 * A file consists of blocks (trace/coder.h), mostly those that the log has made already. */
#ifndef CLEW_CHECKPOINT_SEGMENT_H
#define CLEW_CHECKPOINT_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/vault.h"
#include "trace/log.h"

/* A file as the manifest knows it. */
struct clew_segment {
  char *name; /* owned */
  clew_id first;
  uint64_t count; /* records */
  uint64_t bytes;
};

/* Writes the back edges of `count` ids from `first` on. False, and errno, when the disk or the log
 * fails. `bytes` is the length of the file. */
bool clew_segment_write(struct clew_vault *vault, const char *name, struct clew_log *log,
                        clew_id first, uint64_t count, uint64_t *bytes);

struct clew_segment_reader;
/* NULL and a message when the file is not what the manifest says. */
struct clew_segment_reader *clew_segment_open(const struct clew_vault *vault,
                                              const struct clew_segment *segment,
                                              struct clew_diag_sink *diags);
/* The next block: its records, at most CLEW_BLOCK_RECORDS, valid until the next call. 0 at the
 * end, or when it is damaged: then a message says where. */
uint32_t clew_segment_next(struct clew_segment_reader *reader,
                           const struct clew_back_edge **records, struct clew_diag_sink *diags);
/* Places in a file, so that blocks can be read in any order: `skip` goes past a block without
 * reading its records and returns how many there are; 0 at the end, or when it is damaged. */
struct clew_segment_place {
  uint64_t at, read;
};
struct clew_segment_place clew_segment_tell(const struct clew_segment_reader *reader);
void clew_segment_go(struct clew_segment_reader *reader, struct clew_segment_place place);
uint32_t clew_segment_skip(struct clew_segment_reader *reader, struct clew_diag_sink *diags);
/* Whether everything was read, and nothing was wrong. */
bool clew_segment_is_read(const struct clew_segment_reader *reader);
void clew_segment_close(struct clew_segment_reader *reader);

#endif
