/* A first-in first-out queue of records of one size that outgrows memory: the two-segment scheme of
 * cache-based search. Records enter a tail segment and leave a head segment, both in memory; when
 * the tail is full it is appended to a file, and the head is refilled from there. A queue that
 * never outgrows its memory touches no file. Space in the files is given back once it was read.
 *
 * Records on disk are checksummed, written and read in large requests, and read ahead and written
 * behind by a thread of its own, so that a search seldom waits for the disk. Not thread-safe. */
#ifndef CLEW_BASE_DISKQUEUE_H
#define CLEW_BASE_DISKQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/file.h"

struct clew_diskqueue;

struct clew_diskqueue_config {
  const char *name;           /* of the files, unique within the scratch directory */
  uint32_t record_bytes;      /* a multiple of 8 */
  uint64_t memory_bytes;      /* at most, for all segments and buffers; at least four pages, or four
                               * records, are kept whatever it says */
  struct clew_budget *budget; /* borrowed; segments are taken from it, smaller ones if it refuses */
  struct clew_scratch *scratch;
};

/* NULL when even the least memory is refused. Takes the least that spilling needs from the budget
 * (half of memory_bytes, at most 4 MB of the first 4 GB), so that it works on when others use up
 * the rest; memory is touched only as far as records fill it. */
struct clew_diskqueue *clew_diskqueue_open(const struct clew_diskqueue_config *config);
void clew_diskqueue_close(struct clew_diskqueue *queue); /* NULL is fine */
/* Room for a record at the end, to be filled in before the next call; NULL when the disk fails
 * (clew_diskqueue_error says how). */
void *clew_diskqueue_push(struct clew_diskqueue *queue);
/* The first record, valid until the next call; NULL when the queue is empty or the disk fails. */
const void *clew_diskqueue_pop(struct clew_diskqueue *queue);
uint64_t clew_diskqueue_count(const struct clew_diskqueue *queue);
/* Empties it and drops what is on disk. */
void clew_diskqueue_clear(struct clew_diskqueue *queue);
/* NULL, or a sentence: what failed. Permanent. */
const char *clew_diskqueue_error(const struct clew_diskqueue *queue);
uint64_t clew_diskqueue_memory_bytes(const struct clew_diskqueue *queue);
uint64_t clew_diskqueue_disk_bytes_peak(const struct clew_diskqueue *queue);
bool clew_diskqueue_validate(const struct clew_diskqueue *queue, const char **why); /* for tests */

#endif
