/* Vectors in and out of diagrams: sets from sorted rows, made from the last row to the first so
 * that every list is made once from its end; and lists of the vectors of a set, in order. */
#include "dd/dd_int.h"
#include "dd/saturate.h"

#include <stdlib.h>

struct rows {
  uint32_t *data;
  uint64_t count;
  uint32_t levels;
  bool is_mixed; /* CLEW_LDD_REST ends a row */
};

/* ---- from rows ---- */

static int compare_rows(const void *a, const void *b, void *levels) {
  const uint32_t *x = a, *y = b;
  uint32_t n = *(const uint32_t *)levels;
  for (uint32_t i = 0; i < n; i++) {
    if (x[i] != y[i]) {
      return x[i] < y[i] ? -1 : 1;
    }
  }
  return 0;
}

static bool are_sorted(const struct rows *rows) {
  uint32_t levels = rows->levels;
  for (uint64_t i = 1; i < rows->count; i++) {
    if (compare_rows(rows->data + (i - 1) * levels, rows->data + i * levels, &levels) > 0) {
      return false;
    }
  }
  return true;
}

/* The rows from `first` to `end`, which agree in the levels before this one. */
static clew_ldd build(struct clew_dd *dd, const struct rows *rows, uint64_t first, uint64_t end,
                      uint32_t level) {
  assert(first < end);
  if (level == rows->levels) {
    return CLEW_LDD_UNIT;
  }
  clew_ldd list = CLEW_LDD_EMPTY;
  while (end > first && !gives_up(dd)) {
    uint32_t value = rows->data[(end - 1) * rows->levels + level];
    uint64_t from = end - 1;
    while (from > first && rows->data[(from - 1) * rows->levels + level] == value) {
      from--;
    }
    dd->steps++;
    bool is_over = rows->is_mixed && level % 2 == 0 && value == CLEW_LDD_REST;
    clew_ldd down = is_over ? CLEW_LDD_UNIT : build(dd, rows, from, end, level + 1);
    list = clew_dd_make(dd, value, down, list);
    end = from;
  }
  return list;
}

static clew_ldd run_build(struct clew_dd *dd, const struct call *call) {
  const struct rows *rows = call->context;
  return build(dd, rows, 0, rows->count, 0);
}

static clew_ldd from_rows(struct clew_dd *dd, struct rows rows) {
  if (rows.count == 0) {
    clew_dd_begin(dd);
    return CLEW_LDD_EMPTY;
  }
  if (rows.levels > 0 && !are_sorted(&rows)) {
    qsort_r(rows.data, rows.count, rows.levels * sizeof *rows.data, compare_rows, &rows.levels);
  }
  return clew_dd_perform(dd, &(struct call){.run = run_build, .context = &rows});
}

clew_ldd clew_ldd_from_rows(struct clew_dd *dd, uint32_t *rows, uint64_t count, uint32_t levels) {
  return from_rows(dd, (struct rows){rows, count, levels, false});
}

clew_ldd clew_ldd_from_mixed_rows(struct clew_dd *dd, uint32_t *rows, uint64_t count,
                                  uint32_t levels) {
  assert(levels % 2 == 0);
  return from_rows(dd, (struct rows){rows, count, levels, true});
}

/* ---- lists of vectors ---- */

struct listing {
  const struct clew_dd *dd;
  const uint32_t *after; /* NULL: from the first on */
  uint32_t *rows, *vector;
  uint32_t levels, count, most;
};

/* The vectors that begin with the first `level` values of listing->vector. `bounded`: these are the
 * first values of `after`. */
static void list_from(struct listing *listing, clew_ldd set, uint32_t level, bool bounded) {
  if (level == listing->levels) {
    assert(set == CLEW_LDD_UNIT || is_difference(listing->dd, set));
    if (!bounded) {
      memcpy(listing->rows + (size_t)listing->count * listing->levels, listing->vector,
             listing->levels * sizeof *listing->vector);
      listing->count++;
    }
    return;
  }
  uint32_t least = bounded ? listing->after[level] : 0;
  while (set != CLEW_LDD_EMPTY && listing->count < listing->most) {
    struct clew_ldd_node node = node_of(listing->dd, set);
    if (node.value >= least) {
      listing->vector[level] = node.value;
      list_from(listing, node.down, level + 1, bounded && node.value == least);
    }
    set = node.right;
  }
}

uint32_t clew_ldd_list(const struct clew_dd *dd, clew_ldd set, uint32_t levels,
                       const uint32_t *after, uint32_t *rows, uint32_t most) {
  assert(set != CLEW_DD_NONE);
  struct listing listing = {.dd = dd, .after = after, .rows = rows, .levels = levels, .most = most};
  if (set == CLEW_LDD_EMPTY || most == 0) {
    return 0;
  }
  listing.vector = clew_alloc((levels + (size_t)1) * sizeof *listing.vector);
  list_from(&listing, set, 0, after != NULL);
  clew_free(listing.vector);
  return listing.count;
}

void clew_ldd_least(const struct clew_dd *dd, clew_ldd set, uint32_t levels, uint32_t *vector) {
  assert(set != CLEW_LDD_EMPTY && set != CLEW_DD_NONE);
  for (uint32_t level = 0; level < levels; level++) {
    struct clew_ldd_node node = node_of(dd, set);
    vector[level] = node.value;
    set = node.down;
  }
  assert(set == CLEW_LDD_UNIT || is_difference(dd, set));
}
