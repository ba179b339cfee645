/* Large memory: a range of addresses is reserved once at its greatest possible size and made
 * usable bit by bit, so it grows without moving and without copying. Committed bytes are taken
 * from the budget, come zeroed, and ask for 2 MB pages (random probes into a table cost half as
 * much with them). */
#ifndef CLEW_BASE_BIGMEM_H
#define CLEW_BASE_BIGMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

struct clew_bigmem {
  unsigned char *data; /* NULL when closed */
  size_t reserved_bytes, committed_bytes;
  size_t forgotten_bytes; /* of the committed ones, those at the beginning that were given back */
  struct clew_budget *budget; /* borrowed; NULL: unlimited */
  bool in_pages;              /* set after opening: small commits are by pages, for one of many */
};

/* Reserves addresses only; false when the system refuses. */
bool clew_bigmem_open(struct clew_bigmem *mem, size_t reserve_bytes, struct clew_budget *budget);
/* Reserves as many addresses up to `most_bytes` as the system lets, at least `least_bytes`. Under a
 * limit of addresses (`ulimit -v`) that is a part of those that are left. */
bool clew_bigmem_open_most(struct clew_bigmem *mem, uint64_t most_bytes, size_t least_bytes,
                           struct clew_budget *budget);
/* Addresses that regions may still reserve, so that some are left for stacks and heaps; UINT64_MAX:
 * there is no limit. */
uint64_t clew_bigmem_addresses_left(void);
/* Where addresses are limited, all threads share one heap from now on: one of its own takes a
 * thread 64 MB of them. For the beginning of a program. */
void clew_bigmem_spare_addresses(void);
/* Makes the first `bytes` usable. The budget is asked for exactly what is committed; commits are
 * rounded up to a step that grows with the size (64 KB at first, so that small models stay small,
 * less where that is more than a 256th of the budget; 2 MB and more later) if the budget allows.
 * False, changing nothing, when the budget or the system refuses or the reservation ends. */
bool clew_bigmem_grow(struct clew_bigmem *mem, size_t bytes);
static inline bool clew_bigmem_commit(struct clew_bigmem *mem, size_t bytes) {
  return bytes <= mem->committed_bytes || clew_bigmem_grow(mem, bytes);
}
/* Gives back the memory of the first `bytes`, as far as they are whole pages: nobody uses them any
 * more. The addresses stay as they are. */
void clew_bigmem_forget(struct clew_bigmem *mem, size_t bytes);
void clew_bigmem_close(struct clew_bigmem *mem); /* gives everything back; a zeroed one is fine */

#endif
