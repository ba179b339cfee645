/* Numbers and bytes in a row, to be written now and read back later in the same order. Reading
 * checks that they are there: what was cut off or damaged is noticed, not trusted. */
#ifndef CLEW_BASE_ARCHIVE_H
#define CLEW_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Zeroed: empty. */
struct clew_archive {
  CLEW_VEC(unsigned char) data;
  uint32_t at;  /* where reading goes on */
  bool damaged; /* something that was asked for is not there; from then on everything reads as 0 */
};

void clew_archive_free(struct clew_archive *archive);
void clew_archive_put(struct clew_archive *archive, uint64_t number);
void clew_archive_put_bytes(struct clew_archive *archive, const void *bytes, size_t count);
uint64_t clew_archive_get(struct clew_archive *archive);
/* A number of things of so many bytes each that are still to come; 0, and damaged, if there cannot
 * be so many. */
uint32_t clew_archive_get_count(struct clew_archive *archive, size_t bytes_each);
void clew_archive_get_bytes(struct clew_archive *archive, void *bytes, size_t count);
/* Whether everything was read, and nothing was missing. */
bool clew_archive_is_read(const struct clew_archive *archive);

#endif
