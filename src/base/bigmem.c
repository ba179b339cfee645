/* Large memory that grows in place: addresses are reserved without access, and a growing prefix of
 * them is made accessible.
 *
 * Invariant: [0, committed_bytes) is readable and writable and has been taken from the budget;
 * [committed_bytes, reserved_bytes) faults, and so does [0, forgotten_bytes), which was given back.
 * All are multiples of the page size and `data` is
 * aligned to 2 MB. As the kernel uses a 2 MB page only where all of it is accessible, memory in use
 * never exceeds what was committed. */
#include "base/bigmem.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const size_t SMALL_STEP_BYTES = 64 << 10;
static const size_t BUDGET_STEPS = 256; /* small ones in a budget, at least */
static const size_t HUGE_PAGE_BYTES = 2 << 20;
static const size_t HUGE_FROM_BYTES = 4 << 20; /* of a reservation */
static const size_t HUGE_STEPS_FROM_BYTES = 16 << 20;
static const uint64_t OTHERS_SHARE = 4; /* of a limit of addresses, for what is not reserved here */
static const size_t SMALL_PARTS_BYTES = 1 << 20; /* less than a large page */

static size_t round_up(size_t bytes, size_t step) {
  assert(step > 0 && bytes <= SIZE_MAX - step);
  return (bytes + step - 1) / step * step;
}

static size_t page_bytes(void) {
  long bytes = sysconf(_SC_PAGESIZE);
  assert(bytes > 0);
  return (size_t)bytes;
}

bool clew_bigmem_open(struct clew_bigmem *mem, size_t reserve_bytes, struct clew_budget *budget) {
  assert(mem != NULL);
  *mem = (struct clew_bigmem){0};
  if (reserve_bytes == 0 || reserve_bytes > SIZE_MAX / 2) {
    return false;
  }
  size_t size = round_up(reserve_bytes, HUGE_PAGE_BYTES);
  size_t mapped = size + HUGE_PAGE_BYTES;
  void *map = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    return false;
  }
  unsigned char *start = map;
  size_t before = round_up((uintptr_t)start, HUGE_PAGE_BYTES) - (uintptr_t)start;
  size_t after = mapped - before - size;
  if (before > 0) {
    munmap(start, before);
  }
  if (after > 0) {
    munmap(start + before + size, after);
  }
  mem->data = start + before;
  mem->reserved_bytes = size;
  mem->budget = budget;
  if (size >= HUGE_FROM_BYTES) {
    /* Only advice: a kernel without large pages is slower, not wrong. */
    (void)madvise(mem->data, size, MADV_HUGEPAGE);
  }
  return true;
}

uint64_t clew_bigmem_addresses_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return UINT64_MAX;
  }
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file != NULL) {
    if (fscanf(file, "%llu", &pages) != 1) {
      pages = 0; /* a system that does not tell: the reservation itself will */
    }
    fclose(file);
  }
  /* Stacks, heaps and libraries come later than most reservations. */
  uint64_t used = pages * page_bytes() + limit.rlim_cur / OTHERS_SHARE;
  return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

void clew_bigmem_spare_addresses(void) {
  struct rlimit limit;
#ifdef M_ARENA_MAX
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    (void)mallopt(M_ARENA_MAX, 1);
  }
#else
  (void)limit;
#endif
}

bool clew_bigmem_open_most(struct clew_bigmem *mem, uint64_t most_bytes, size_t least_bytes,
                           struct clew_budget *budget) {
  /* Others need addresses, too, and each of them an eighth of what is left then. */
  const uint64_t share = 8;
  uint64_t fair = clew_bigmem_addresses_left() / share;
  uint64_t bytes = most_bytes < fair ? most_bytes : fair;
  bytes = bytes > least_bytes ? bytes : least_bytes;
  while (bytes > SIZE_MAX / 4 || !clew_bigmem_open(mem, (size_t)bytes, budget)) {
    bytes /= 2;
    if (bytes < least_bytes) {
      return false;
    }
  }
  return true;
}

/* A dozen regions of one step each must not use up a small budget. */
static size_t small_step(const struct clew_bigmem *mem) {
  const struct clew_budget *budget = mem->budget;
  if (mem->in_pages) {
    return page_bytes();
  }
  if (budget == NULL || budget->limit_bytes / BUDGET_STEPS >= SMALL_STEP_BYTES) {
    return SMALL_STEP_BYTES;
  }
  size_t pages = budget->limit_bytes / BUDGET_STEPS / page_bytes();
  return (pages > 1 ? pages : 1) * page_bytes();
}

/* Regions grow by a 64th, so that the number of commits is logarithmic; from a size on by
 * whole large pages, so that the kernel can use them. */
static size_t step_for(const struct clew_bigmem *mem, size_t bytes) {
  size_t unit = bytes < HUGE_STEPS_FROM_BYTES ? small_step(mem) : HUGE_PAGE_BYTES;
  size_t step = bytes / 64 / unit * unit;
  return step > unit ? step : unit;
}

static bool commit_exactly(struct clew_bigmem *mem, size_t bytes) {
  assert(bytes > mem->committed_bytes && bytes <= mem->reserved_bytes);
  size_t more = bytes - mem->committed_bytes;
  if (mem->budget != NULL && !clew_budget_take(mem->budget, more)) {
    return false;
  }
  if (mprotect(mem->data + mem->committed_bytes, more, PROT_READ | PROT_WRITE) != 0) {
    if (mem->budget != NULL) {
      clew_budget_give(mem->budget, more);
    }
    return false;
  }
#ifdef MADV_POPULATE_WRITE
  /* What is committed bit by bit is used at once: one call instead of a fault for each page, which
   * threads would have to wait in line for. Only a hint, too. */
  if (more <= SMALL_PARTS_BYTES) {
    (void)madvise(mem->data + mem->committed_bytes, more, MADV_POPULATE_WRITE);
  }
#endif
  mem->committed_bytes = bytes;
  return true;
}

bool clew_bigmem_grow(struct clew_bigmem *mem, size_t bytes) {
  assert(mem->data != NULL && bytes > mem->committed_bytes);
  if (bytes > mem->reserved_bytes) {
    return false;
  }
  size_t generous = round_up(bytes, step_for(mem, bytes));
  if (generous > mem->reserved_bytes) {
    generous = mem->reserved_bytes;
  }
  if (commit_exactly(mem, generous)) {
    return true;
  }
  size_t needed = round_up(bytes, page_bytes());
  return needed < generous && commit_exactly(mem, needed);
}

void clew_bigmem_forget(struct clew_bigmem *mem, size_t bytes) {
  assert(bytes <= mem->committed_bytes);
  /* Large pages are given back as a whole: parts of them would have to be split. */
  size_t unit = mem->committed_bytes < HUGE_STEPS_FROM_BYTES ? page_bytes() : HUGE_PAGE_BYTES;
  size_t end = bytes / unit * unit;
  if (end <= mem->forgotten_bytes) {
    return;
  }
  unsigned char *from = mem->data + mem->forgotten_bytes;
  size_t less = end - mem->forgotten_bytes;
  int failed = madvise(from, less, MADV_DONTNEED);
  assert(!failed);
  (void)failed;
  (void)mprotect(from, less, PROT_NONE); /* to find mistakes */
  mem->forgotten_bytes = end;
  if (mem->budget != NULL) {
    clew_budget_give(mem->budget, less);
  }
}

void clew_bigmem_close(struct clew_bigmem *mem) {
  if (mem->data == NULL) {
    return;
  }
  int failed = munmap(mem->data, mem->reserved_bytes);
  assert(!failed);
  (void)failed;
  if (mem->budget != NULL) {
    clew_budget_give(mem->budget, mem->committed_bytes - mem->forgotten_bytes);
  }
  *mem = (struct clew_bigmem){0};
}
