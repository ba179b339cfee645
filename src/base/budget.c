/* The memory contract: one atomic counter that never exceeds its limit.
 *
 * Invariant: used <= peak <= limit, except that `peak` may lag behind for the moment between the
 * two atomic steps of a take. */
#include "base/budget.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bigmem.h"
#include "base/cgroup.h"
#include "base/text.h"

void clew_budget_init(struct clew_budget *budget, uint64_t limit_bytes) {
  assert(budget != NULL);
  budget->limit_bytes = limit_bytes;
  atomic_init(&budget->used_bytes, 0);
  atomic_init(&budget->peak_bytes, 0);
  atomic_init(&budget->requests, 0);
  atomic_init(&budget->refused_from, 0);
  atomic_init(&budget->refused_count, 0);
}

void clew_budget_refuse(struct clew_budget *budget, const char *text) {
  char *end;
  uint64_t from = strtoull(text, &end, 10);
  uint64_t count = *end == '+' ? UINT64_MAX : *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
  atomic_store(&budget->refused_count, count);
  atomic_store(&budget->refused_from, from);
}

static bool is_refused(struct clew_budget *budget, uint64_t request) {
  uint64_t from = atomic_load_explicit(&budget->refused_from, memory_order_relaxed);
  uint64_t count = atomic_load_explicit(&budget->refused_count, memory_order_relaxed);
  return from != 0 && request >= from && (count == 0 || request - from < count);
}

bool clew_budget_take(struct clew_budget *budget, uint64_t bytes) {
  uint64_t request = atomic_fetch_add_explicit(&budget->requests, 1, memory_order_relaxed) + 1;
  if (is_refused(budget, request)) {
    return false;
  }
  uint64_t used = atomic_load(&budget->used_bytes);
  do {
    assert(used <= budget->limit_bytes);
    if (bytes > budget->limit_bytes - used) {
      return false;
    }
  } while (!atomic_compare_exchange_weak(&budget->used_bytes, &used, used + bytes));
  uint64_t peak = atomic_load(&budget->peak_bytes);
  while (peak < used + bytes &&
         !atomic_compare_exchange_weak(&budget->peak_bytes, &peak, used + bytes)) {
  }
  return true;
}

void clew_budget_give(struct clew_budget *budget, uint64_t bytes) {
  uint64_t used = atomic_fetch_sub(&budget->used_bytes, bytes);
  assert(used >= bytes);
  (void)used;
  bool until_given = atomic_load_explicit(&budget->refused_count, memory_order_relaxed) == 0;
  if (bytes > 0 && until_given &&
      atomic_load_explicit(&budget->refused_from, memory_order_relaxed) <=
          atomic_load_explicit(&budget->requests, memory_order_relaxed)) {
    atomic_store_explicit(&budget->refused_from, 0, memory_order_relaxed);
  }
}

uint64_t clew_budget_used(const struct clew_budget *budget) {
  return atomic_load(&budget->used_bytes);
}

uint64_t clew_budget_left(const struct clew_budget *budget) {
  uint64_t used = clew_budget_used(budget);
  assert(used <= budget->limit_bytes);
  return budget->limit_bytes - used;
}

/* Lowers the limit to that of a control group, if there is one ("max" means none). */
static void apply_group(void *context, const char *directory, int version) {
  uint64_t *limit = context, bytes;
  char line[64];
  if (clew_cgroup_line(directory, version == 2 ? "memory.max" : "memory.limit_in_bytes", line,
                       sizeof line) &&
      clew_text_parse_u64(line, &bytes) && bytes > 0 && bytes < *limit) {
    *limit = bytes;
  }
}

/* Lowers the limit to what `ulimit -d` and `ulimit -v` leave. Of addresses much more is reserved
 * than is ever used. */
static void apply_limits(uint64_t *limit) {
  const uint64_t address_share = 3;
  struct rlimit data;
  if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur < *limit) {
    *limit = data.rlim_cur;
  }
  uint64_t addresses = clew_bigmem_addresses_left() / address_share;
  *limit = addresses < *limit ? addresses : *limit;
}

uint64_t clew_budget_default_bytes(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  /* A system that does not tell is assumed to be small. */
  uint64_t limit = UINT64_C(1) << 30;
  if (pages > 0 && page_bytes > 0) {
    limit = (uint64_t)pages * (uint64_t)page_bytes;
  }
  clew_cgroup_each("memory", apply_group, &limit);
  apply_limits(&limit);
  const uint64_t least = UINT64_C(1) << 20;
  return limit / 4 * 3 > least ? limit / 4 * 3 : least;
}
