/* How many of many states are different: by hashes of 128 bits, sorted in place. All memory comes
 * from the budget, so the answer may be that nobody knows. */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "search/search_int.h"

static bool is_less(const struct clew_hash128 *a, const struct clew_hash128 *b) {
  return a->high != b->high ? a->high < b->high : a->low < b->low;
}

static struct clew_hash128 *hashes_of(const struct clew_distinct *distinct) {
  return (struct clew_hash128 *)(void *)distinct->hashes.mem.data;
}

static void give_up(struct clew_distinct *distinct) {
  distinct->failed = true;
  clew_bigstack_close(&distinct->hashes);
}

void clew_distinct_add(struct clew_distinct *distinct, const struct clew_succs *succs,
                       struct clew_budget *budget) {
  if (!distinct->opened) {
    distinct->opened = true;
    distinct->failed = !clew_bigstack_open(&distinct->hashes, budget);
  }
  for (uint32_t i = 0; i < succs->count && !distinct->failed; i++) {
    struct clew_hash128 *hash = clew_bigstack_push(&distinct->hashes, sizeof *hash);
    if (hash == NULL) {
      give_up(distinct);
      return;
    }
    *hash = clew_hash128_bytes(succs->states + (size_t)i * succs->words,
                               succs->words * sizeof *succs->states, 0);
  }
}

/* Restores the heap below `at`: no hash is less than those under it. */
static void sink(struct clew_hash128 *heap, size_t at, size_t count) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    child += child + 1 < count && is_less(&heap[child], &heap[child + 1]) ? 1 : 0;
    if (!is_less(&heap[at], &heap[child])) {
      return;
    }
    struct clew_hash128 moved = heap[at];
    heap[at] = heap[child];
    heap[child] = moved;
  }
}

/* Heapsort: qsort may take as much memory again, of which the budget knows nothing. */
static void sort(struct clew_hash128 *hashes, size_t count) {
  for (size_t i = count / 2; i-- > 0;) {
    sink(hashes, i, count);
  }
  for (size_t end = count; end-- > 1;) {
    struct clew_hash128 greatest = hashes[0];
    hashes[0] = hashes[end];
    hashes[end] = greatest;
    sink(hashes, 0, end);
  }
}

uint64_t clew_distinct_close(struct clew_distinct *distinct) {
  assert(distinct->opened);
  uint64_t different = CLEW_ABSENT;
  if (!distinct->failed) {
    struct clew_hash128 *hashes = hashes_of(distinct);
    size_t count = distinct->hashes.used_bytes / sizeof *hashes;
    sort(hashes, count);
    different = count > 0 ? 1 : 0;
    for (size_t i = 1; i < count; i++) {
      different += is_less(&hashes[i - 1], &hashes[i]) ? 1 : 0;
    }
    clew_bigstack_close(&distinct->hashes);
  }
  *distinct = (struct clew_distinct){0};
  return different;
}
