/* The operations of zones for one width of entries. dbm16.c and dbm32.c include this text after
 * they have defined `entry` (the type of an entry), INFINITE (its largest value), ADD_LANES (the
 * sum of two vectors, which must not wrap) and OPS (the name of the table at the end).
 *
 * The inner loops work on rows, a vector of 16 bytes at a time, whatever the dimension: rows are
 * padded with infinite entries, which stay so because infinity plus anything is infinity. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "dbm/dbm.h"

typedef entry lanes __attribute__((vector_size(16)));

enum { LANES = sizeof(lanes) / sizeof(entry) };

static inline entry *row_of(const struct clew_dbm_space *space, void *zone, uint32_t i) {
  assert(i < space->dim);
  return (entry *)zone + (size_t)i * space->stride;
}

static inline const entry *const_row_of(const struct clew_dbm_space *space, const void *zone,
                                        uint32_t i) {
  assert(i < space->dim);
  return (const entry *)zone + (size_t)i * space->stride;
}

static inline entry narrow(clew_bound bound) {
  assert(bound == CLEW_BOUND_INFINITE || (bound < INFINITE && bound > -INFINITE));
  return bound == CLEW_BOUND_INFINITE ? INFINITE : (entry)bound;
}

static inline clew_bound widen(entry value) {
  return value == INFINITE ? CLEW_BOUND_INFINITE : (clew_bound)value;
}

/* A sum that is too large is no bound at all: nobody compares a clock with so large a number. */
static inline entry add(entry a, entry b) {
  if (a == INFINITE || b == INFINITE) {
    return INFINITE;
  }
  int64_t sum = (int64_t)a + b - ((a | b) & 1);
  assert(sum > -(int64_t)INFINITE);
  return sum >= INFINITE ? INFINITE : (entry)sum;
}

/* to[k] = min(to[k], bound + from[k]) for a whole row; the bound is finite. */
static inline void relax_row(const struct clew_dbm_space *space, entry *to, const entry *from,
                             entry bound) {
  assert(bound != INFINITE);
  /* bound + x, strict when one of them is: the last bit of x counts only if the bound is weak. */
  const entry kept = (bound & 1) != 0 ? -1 : (entry)~1;
  const lanes even = (lanes){0} + (entry)(bound & ~1);
  for (uint32_t k = 0; k < space->stride; k += LANES) {
    lanes x = *(const lanes *)(const void *)(from + k), y = *(lanes *)(void *)(to + k);
    lanes infinite = (lanes)(x == INFINITE);
    lanes finite = x & kept & ~infinite; /* zero where nothing is added up */
    lanes sum = (ADD_LANES(finite, even) & ~infinite) | (infinite & INFINITE);
    lanes less = (lanes)(sum < y);
    *(lanes *)(void *)(to + k) = (sum & less) | (y & ~less);
  }
}

/* ---- whole zones ---- */

static void fill(const struct clew_dbm_space *space, void *zone, entry bound) {
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    for (uint32_t j = 0; j < space->stride; j++) {
      row[j] = j < space->dim ? bound : INFINITE;
    }
  }
}

static void zero(const struct clew_dbm_space *space, void *zone) {
  fill(space, zone, CLEW_BOUND_ZERO);
}

static void universe(const struct clew_dbm_space *space, void *zone) {
  fill(space, zone, INFINITE);
  for (uint32_t i = 0; i < space->dim; i++) {
    row_of(space, zone, i)[i] = CLEW_BOUND_ZERO;
    row_of(space, zone, 0)[i] = CLEW_BOUND_ZERO;
  }
}

static void read_rows(const struct clew_dbm_space *space, void *zone, const void *rows) {
  const unsigned char *from = rows;
  size_t bytes = space->dim * sizeof(entry);
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    memcpy(row, from + i * bytes, bytes);
    for (uint32_t j = space->dim; j < space->stride; j++) {
      row[j] = INFINITE;
    }
  }
}

static clew_bound get(const struct clew_dbm_space *space, const void *zone, uint32_t i,
                      uint32_t j) {
  assert(j < space->dim);
  return widen(const_row_of(space, zone, i)[j]);
}

static void set(const struct clew_dbm_space *space, void *zone, uint32_t i, uint32_t j,
                clew_bound bound) {
  assert(j < space->dim);
  row_of(space, zone, i)[j] = narrow(bound);
}

/* Every path that leads through clock k. */
static void close_through(const struct clew_dbm_space *space, void *zone, uint32_t k) {
  const entry *through = const_row_of(space, zone, k);
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    if (i != k && row[k] != INFINITE) {
      relax_row(space, row, through, row[k]);
    }
  }
}

static bool diagonal_is_fine(const struct clew_dbm_space *space, const void *zone) {
  for (uint32_t i = 0; i < space->dim; i++) {
    if (const_row_of(space, zone, i)[i] < CLEW_BOUND_ZERO) {
      return false;
    }
  }
  return true;
}

static bool close_all(const struct clew_dbm_space *space, void *zone) {
  for (uint32_t k = 0; k < space->dim; k++) {
    close_through(space, zone, k);
    if (!diagonal_is_fine(space, zone)) {
      return false; /* before cycles drive the numbers out of range */
    }
  }
  return true;
}

/* ---- operations ---- */

static bool may_constrain(const struct clew_dbm_space *space, const void *zone, uint32_t i,
                          uint32_t j, clew_bound bound) {
  assert(i < space->dim && j < space->dim);
  entry back = const_row_of(space, zone, j)[i];
  return back == INFINITE || clew_bound_add(back, bound) >= CLEW_BOUND_ZERO;
}

static bool constrain(const struct clew_dbm_space *space, void *zone, uint32_t i, uint32_t j,
                      clew_bound wide) {
  entry bound = narrow(wide);
  if (bound >= row_of(space, zone, i)[j]) {
    return true;
  }
  if (!may_constrain(space, zone, i, j, wide)) {
    return false;
  }
  /* The only new paths lead over the new edge. Row j is not changed by this loop, because the way
   * from j over the edge back to j is no shortcut. */
  const entry *from_j = const_row_of(space, zone, j);
  for (uint32_t k = 0; k < space->dim; k++) {
    entry *row = row_of(space, zone, k);
    entry to_j = add(row[i], bound);
    if (to_j < row[j]) {
      assert(k != j);
      relax_row(space, row, from_j, to_j);
    }
  }
  return true;
}

enum { MOST_ON_STACK = 128 }; /* clocks, for arrays of functions */

/* All clocks at most their caps at once. The only new paths lead over one of the new edges to clock
 * 0, so one pass is enough. */
static bool cap(const struct clew_dbm_space *space, void *zone, const clew_bound *caps) {
  uint32_t capped[MOST_ON_STACK], count = 0;
  const entry *first = const_row_of(space, zone, 0);
  for (uint32_t k = 1; k < space->dim; k++) {
    if (caps[k] >= row_of(space, zone, k)[0]) {
      continue;
    }
    if (count == MOST_ON_STACK) {
      if (!constrain(space, zone, k, 0, caps[k])) {
        return false;
      }
      continue;
    }
    if (add(first[k], narrow(caps[k])) < CLEW_BOUND_ZERO) {
      return false;
    }
    capped[count++] = k;
  }
  for (uint32_t i = 1; count > 0 && i < space->dim; i++) {
    entry *row = row_of(space, zone, i), best = row[0];
    for (uint32_t k = 0; k < count; k++) {
      entry other = add(row[capped[k]], (entry)caps[capped[k]]);
      best = other < best ? other : best;
    }
    if (best < row[0]) {
      relax_row(space, row, first, best);
    }
  }
  return true;
}

static bool intersect(const struct clew_dbm_space *space, void *zone, const void *other) {
  uint32_t changed = 0, last_i = 0, last_j = 0;
  for (uint32_t i = 0; i < space->dim; i++) {
    const entry *a = const_row_of(space, zone, i), *b = const_row_of(space, other, i);
    for (uint32_t j = 0; j < space->dim; j++) {
      if (b[j] < a[j]) {
        changed++;
        last_i = i;
        last_j = j;
      }
    }
  }
  if (changed == 0) {
    return true;
  }
  if (changed == 1) {
    return constrain(space, zone, last_i, last_j, get(space, other, last_i, last_j));
  }
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *a = row_of(space, zone, i);
    const entry *b = const_row_of(space, other, i);
    for (uint32_t j = 0; j < space->dim; j++) {
      a[j] = b[j] < a[j] ? b[j] : a[j];
    }
  }
  return close_all(space, zone);
}

static void up(const struct clew_dbm_space *space, void *zone, const uint64_t *stopped) {
  for (uint32_t i = 1; i < space->dim; i++) {
    if (stopped != NULL && clew_bitset_has(stopped, i)) {
      continue;
    }
    entry *row = row_of(space, zone, i);
    row[0] = INFINITE;
    for (uint32_t j = 1; stopped != NULL && j < space->dim; j++) {
      row[j] = clew_bitset_has(stopped, j) ? INFINITE : row[j];
    }
  }
}

static void down(const struct clew_dbm_space *space, void *zone) {
  entry *first = row_of(space, zone, 0);
  for (uint32_t j = 1; j < space->dim; j++) {
    entry least = CLEW_BOUND_ZERO;
    for (uint32_t i = 1; i < space->dim; i++) {
      entry bound = const_row_of(space, zone, i)[j];
      least = bound < least ? bound : least;
    }
    first[j] = least;
  }
}

static void assign(const struct clew_dbm_space *space, void *zone, uint32_t clock, int32_t value) {
  assert(clock > 0 && clock < space->dim && value >= 0 && value <= space->largest);
  entry *row = row_of(space, zone, clock);
  const entry *first = const_row_of(space, zone, 0);
  entry above = (entry)(2 * value + 1), below = (entry)(-2 * value + 1);
  for (uint32_t j = 0; j < space->dim; j++) {
    row[j] = add(first[j], above);
    entry *column = row_of(space, zone, j);
    column[clock] = add(column[0], below);
  }
  row[clock] = CLEW_BOUND_ZERO;
}

static void copy_clock(const struct clew_dbm_space *space, void *zone, uint32_t to, uint32_t from) {
  assert(to > 0 && to < space->dim && from < space->dim);
  if (to == from) {
    return;
  }
  memcpy(row_of(space, zone, to), row_of(space, zone, from), space->stride * sizeof(entry));
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    row[to] = row[from];
  }
  row_of(space, zone, to)[to] = CLEW_BOUND_ZERO;
}

static void shift(const struct clew_dbm_space *space, void *zone, uint32_t clock, int32_t by) {
  assert(clock > 0 && clock < space->dim && by >= -space->largest && by <= space->largest);
  entry *row = row_of(space, zone, clock);
  entry above = (entry)(2 * by + 1), below = (entry)(-2 * by + 1);
  for (uint32_t j = 0; j < space->dim; j++) {
    if (j != clock) {
      row[j] = add(row[j], above);
      entry *column = row_of(space, zone, j);
      column[clock] = add(column[clock], below);
    }
  }
  assert(row_of(space, zone, 0)[clock] <= CLEW_BOUND_ZERO);
}

static void free_clock(const struct clew_dbm_space *space, void *zone, uint32_t clock) {
  assert(clock > 0 && clock < space->dim);
  for (uint32_t j = 0; j < space->dim; j++) {
    entry *column = row_of(space, zone, j);
    row_of(space, zone, clock)[j] = INFINITE;
    column[clock] = column[0];
  }
  row_of(space, zone, clock)[clock] = CLEW_BOUND_ZERO;
}

static bool includes(const struct clew_dbm_space *space, const void *zone, const void *part) {
  const lanes *a = zone, *b = part;
  size_t count = space->bytes / sizeof(lanes);
  for (size_t k = 0; k < count; k++) {
    lanes outside = (lanes)(b[k] > a[k]);
    uint64_t halves[2];
    memcpy(halves, &outside, sizeof halves);
    if ((halves[0] | halves[1]) != 0) {
      return false;
    }
  }
  return true;
}

/* ---- abstractions ---- */

/* Whether the lower bound of the clock is beyond the constant. */
static inline bool is_beyond(entry first_row, int32_t constant) {
  return constant == CLEW_DBM_NO_CONSTANT || -(int32_t)(first_row >> 1) > constant;
}

/* One row of Extra_LU or Extra+_LU; `first` is row 0 as it was before. */
static bool extrapolate_row(const struct clew_dbm_space *space, entry *row, uint32_t i,
                            const entry *first, const int32_t *lower, const int32_t *upper,
                            bool plus) {
  bool changed = false, lost = plus && is_beyond(first[i], lower[i]);
  for (uint32_t j = 0; j < space->dim; j++) {
    if (j == i || row[j] == INFINITE) {
      continue;
    }
    int32_t constant = row[j] >> 1;
    bool far_below = j > 0 && (plus ? is_beyond(first[j], upper[j])
                                    : upper[j] == CLEW_DBM_NO_CONSTANT || -constant > upper[j]);
    if (lost || lower[i] == CLEW_DBM_NO_CONSTANT || constant > lower[i] || (plus && far_below)) {
      row[j] = INFINITE;
    } else if (far_below && upper[j] == CLEW_DBM_NO_CONSTANT) {
      row[j] = INFINITE;
    } else if (far_below) {
      entry relaxed = (entry)(-2 * upper[j]);
      changed = changed || relaxed != row[j];
      row[j] = relaxed;
      continue;
    } else {
      continue;
    }
    changed = true;
  }
  return changed;
}

/* Row 0: lower bounds beyond the constant become "greater than it". */
static bool extrapolate_first(const struct clew_dbm_space *space, entry *first,
                              const int32_t *upper) {
  bool changed = false;
  for (uint32_t j = 1; j < space->dim; j++) {
    if (is_beyond(first[j], upper[j])) {
      entry relaxed =
          upper[j] == CLEW_DBM_NO_CONSTANT ? (entry)CLEW_BOUND_ZERO : (entry)(-2 * upper[j]);
      changed = changed || relaxed != first[j];
      first[j] = relaxed;
    }
  }
  return changed;
}

static bool extrapolate_slowly(const struct clew_dbm_space *space, void *zone, const int32_t *lower,
                               const int32_t *upper, bool plus) {
  entry *first = row_of(space, zone, 0);
  bool changed = false;
  for (uint32_t i = 1; i < space->dim; i++) {
    changed =
        extrapolate_row(space, row_of(space, zone, i), i, first, lower, upper, plus) || changed;
  }
  if (!extrapolate_first(space, first, upper) && !changed) {
    return false;
  }
  bool some = close_all(space, zone);
  assert(some);
  return some;
}

/* Extra+_LU, vector by vector, and closed again at little cost. Three things are forgotten:
 *   - whole rows, of clocks beyond their lower constant: nothing leads over them any more;
 *   - whole columns but for row 0, of clocks beyond their upper constant: all ways to such a clock
 *     lead over clock 0;
 *   - single entries beyond the lower constant of their row: that row alone has to be closed again,
 *     over the rows that are as they were, then over others like it. */
struct forgetting {
  lanes far[MOST_ON_STACK / LANES]; /* columns that are forgotten: all bits set */
  uint32_t far_list[MOST_ON_STACK], far_count;
  uint32_t ragged[MOST_ON_STACK], ragged_count; /* rows with single entries forgotten */
  bool is_ragged[MOST_ON_STACK], is_lost[MOST_ON_STACK];
  bool changed;
};

static void find_far(const struct clew_dbm_space *space, void *zone, const int32_t *lower,
                     const int32_t *upper, struct forgetting *f) {
  entry *first = row_of(space, zone, 0), *far = (entry *)(void *)f->far;
  for (uint32_t j = 0; j < space->stride; j++) {
    far[j] = 0;
  }
  for (uint32_t j = 1; j < space->dim; j++) {
    f->is_ragged[j] = false;
    f->is_lost[j] = is_beyond(first[j], lower[j]);
    if (is_beyond(first[j], upper[j])) {
      far[j] = -1;
      f->far_list[f->far_count++] = j;
    }
  }
}

/* Forgets columns and single entries of a row. */
static void forget_entries(const struct clew_dbm_space *space, entry *row, uint32_t i,
                           int32_t lower, struct forgetting *f) {
  const entry most = (entry)(2 * lower + 1);
  lanes single = {0}, any = {0};
  for (uint32_t k = 0; k < space->stride; k += LANES) {
    lanes x = *(lanes *)(void *)(row + k), far = f->far[k / LANES];
    lanes infinite = (lanes)(x == INFINITE), beyond = (lanes)(x > most) & ~infinite;
    single |= beyond & ~far;
    any |= far & ~infinite;
    lanes gone = far | beyond | infinite;
    *(lanes *)(void *)(row + k) = (x & ~gone) | (gone & INFINITE);
  }
  row[i] = CLEW_BOUND_ZERO;
  uint64_t halves[4];
  memcpy(halves, &single, sizeof single);
  memcpy(halves + 2, &any, sizeof any);
  f->changed = f->changed || (halves[0] | halves[1] | halves[2] | halves[3]) != 0;
  if ((halves[0] | halves[1]) != 0) {
    f->is_ragged[i] = true;
    f->ragged[f->ragged_count++] = i;
  }
}

static void forget_row(const struct clew_dbm_space *space, entry *row, uint32_t i,
                       struct forgetting *f) {
  lanes any = {0};
  row[i] = INFINITE;
  for (uint32_t k = 0; k < space->stride; k += LANES) {
    any |= (lanes)(*(lanes *)(void *)(row + k) != INFINITE);
    *(lanes *)(void *)(row + k) = (lanes){0} + (entry)INFINITE;
  }
  row[i] = CLEW_BOUND_ZERO;
  uint64_t halves[2];
  memcpy(halves, &any, sizeof any);
  f->changed = f->changed || (halves[0] | halves[1]) != 0;
}

static void close_ragged(const struct clew_dbm_space *space, void *zone,
                         const struct forgetting *f) {
  for (uint32_t r = 0; r < f->ragged_count; r++) {
    entry *row = row_of(space, zone, f->ragged[r]);
    for (uint32_t k = 0; k < space->dim; k++) {
      bool through = k == 0 || (!f->is_ragged[k] && !f->is_lost[k]);
      if (through && row[k] != INFINITE) {
        relax_row(space, row, const_row_of(space, zone, k), row[k]);
      }
    }
  }
  for (uint32_t p = 0; f->ragged_count > 1 && p < f->ragged_count; p++) {
    uint32_t k = f->ragged[p];
    for (uint32_t r = 0; r < f->ragged_count; r++) {
      entry *row = row_of(space, zone, f->ragged[r]);
      if (r != p && row[k] != INFINITE) {
        relax_row(space, row, const_row_of(space, zone, k), row[k]);
      }
    }
  }
}

/* Ways to the forgotten columns, over clock 0. In the other columns they are no shortcuts. */
static void restore_far(const struct clew_dbm_space *space, void *zone,
                        const struct forgetting *f) {
  const entry *first = const_row_of(space, zone, 0);
  for (uint32_t i = 1; f->far_count > 0 && i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    if (row[0] != INFINITE) {
      relax_row(space, row, first, row[0]);
    }
  }
}

static bool extrapolate(const struct clew_dbm_space *space, void *zone, const int32_t *lower,
                        const int32_t *upper, bool plus) {
  if (!plus || space->stride > MOST_ON_STACK) {
    return extrapolate_slowly(space, zone, lower, upper, plus);
  }
  struct forgetting f;
  f.far_count = f.ragged_count = 0;
  f.changed = false;
  find_far(space, zone, lower, upper, &f);
  for (uint32_t i = 1; i < space->dim; i++) {
    entry *row = row_of(space, zone, i);
    if (f.is_lost[i]) {
      forget_row(space, row, i, &f);
    } else {
      forget_entries(space, row, i, lower[i], &f);
    }
  }
  bool changed = extrapolate_first(space, row_of(space, zone, 0), upper) || f.changed;
  close_ragged(space, zone, &f);
  restore_far(space, zone, &f);
  return changed;
}

static bool alu_includes(const struct clew_dbm_space *space, const void *zone, const void *part,
                         const int32_t *lower, const int32_t *upper) {
  const entry *first = const_row_of(space, part, 0);
  for (uint32_t x = 0; x < space->dim; x++) {
    int32_t u = x == 0 ? 0 : upper[x];
    if (u == CLEW_DBM_NO_CONSTANT || first[x] < -2 * u + 1) {
      continue;
    }
    for (uint32_t y = 0; y < space->dim; y++) {
      int32_t l = y == 0 ? 0 : lower[y];
      clew_bound outer = get(space, zone, y, x);
      if (x != y && l != CLEW_DBM_NO_CONSTANT && outer < get(space, part, y, x) &&
          clew_bound_add(outer, -2 * l) < first[x]) {
        return false;
      }
    }
  }
  return true;
}

static void hull(const struct clew_dbm_space *space, void *zone, const void *other) {
  for (uint32_t i = 0; i < space->dim; i++) {
    entry *a = row_of(space, zone, i);
    const entry *b = const_row_of(space, other, i);
    for (uint32_t j = 0; j < space->dim; j++) {
      a[j] = b[j] > a[j] ? b[j] : a[j];
    }
  }
}

/* ---- questions ---- */

static bool is_safe(const struct clew_dbm_space *space, const void *zone) {
  for (uint32_t i = 0; i < space->dim; i++) {
    const entry *row = const_row_of(space, zone, i);
    for (uint32_t j = 0; j < space->dim; j++) {
      int32_t constant = row[j] >> 1;
      if (row[j] != INFINITE && (constant > space->safe || constant < -space->safe)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_unbounded(const struct clew_dbm_space *space, const void *zone) {
  for (uint32_t i = 1; i < space->dim; i++) {
    if (const_row_of(space, zone, i)[0] != INFINITE) {
      return false;
    }
  }
  return true;
}

const struct clew_dbm_ops OPS = {
    .zero = zero,
    .universe = universe,
    .read_rows = read_rows,
    .get = get,
    .set = set,
    .close = close_all,
    .may_constrain = may_constrain,
    .constrain = constrain,
    .cap = cap,
    .intersect = intersect,
    .up = up,
    .down = down,
    .assign = assign,
    .copy_clock = copy_clock,
    .shift = shift,
    .free_clock = free_clock,
    .includes = includes,
    .extrapolate = extrapolate,
    .alu_includes = alu_includes,
    .hull = hull,
    .is_safe = is_safe,
    .is_unbounded = is_unbounded,
};
