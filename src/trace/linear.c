/* The simplex method in slack form, as in textbooks: maximise c x under A x <= b, x >= 0.
 *
 * Row r of the tableau says: basic variable basis[r] = constant - sum of entries * free variables.
 * The last row is the objective. A start in which a constant is negative is mended by one more
 * variable, which is brought down to zero first.
 *
 * Fractions have 64 bits above and below; where that is not enough the answer is UNKNOWN. */
#include "trace/linear.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---- Fractions ------------------------------------------------------------------------------ */

struct fraction {
  int64_t up, down; /* in lowest terms; down > 0 */
};

static const struct fraction zero = {0, 1}, one = {1, 1};

static __int128 gcd(__int128 a, __int128 b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    __int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static struct fraction make(__int128 up, __int128 down, bool *overflow) {
  assert(down != 0);
  __int128 common = gcd(up, down);
  common = down < 0 ? -common : common;
  up /= common;
  down /= common;
  const __int128 most = INT64_MAX / 4;
  if (up > most || up < -most || down > most) {
    *overflow = true;
    return zero;
  }
  return (struct fraction){(int64_t)up, (int64_t)down};
}

static struct fraction minus_product(struct fraction a, struct fraction b, struct fraction c,
                                     bool *overflow) {
  if (b.up == 0 || c.up == 0) {
    return a;
  }
  struct fraction product = make((__int128)b.up * c.up, (__int128)b.down * c.down, overflow);
  return make((__int128)a.up * product.down - (__int128)product.up * a.down,
              (__int128)a.down * product.down, overflow);
}

static struct fraction quotient(struct fraction a, struct fraction b, bool *overflow) {
  return make((__int128)a.up * b.down, (__int128)a.down * b.up, overflow);
}

static bool is_less(struct fraction a, struct fraction b) {
  return (__int128)a.up * b.down < (__int128)b.up * a.down;
}

/* ---- The tableau ---------------------------------------------------------------------------- */

struct tableau {
  uint32_t rows, columns;   /* rows without the objective; columns without the constant */
  struct fraction *entries; /* (rows + 1) * (columns + 1); the constant comes last */
  uint32_t *basis, *free;   /* numbers of variables: unknowns first, then slacks */
  bool overflow;
};

static struct fraction *at(const struct tableau *t, uint32_t row, uint32_t column) {
  assert(row <= t->rows && column <= t->columns);
  return &t->entries[(size_t)row * (t->columns + 1) + column];
}

static void pivot(struct tableau *t, uint32_t row, uint32_t column) {
  struct fraction by = *at(t, row, column);
  assert(by.up != 0);
  for (uint32_t c = 0; c <= t->columns; c++) {
    *at(t, row, c) = quotient(c == column ? one : *at(t, row, c), by, &t->overflow);
  }
  for (uint32_t r = 0; r <= t->rows && !t->overflow; r++) {
    struct fraction factor = *at(t, r, column);
    if (r == row || factor.up == 0) {
      continue;
    }
    *at(t, r, column) = zero;
    for (uint32_t c = 0; c <= t->columns; c++) {
      *at(t, r, c) = minus_product(*at(t, r, c), factor, *at(t, row, c), &t->overflow);
    }
  }
  uint32_t swapped = t->basis[row];
  t->basis[row] = t->free[column];
  t->free[column] = swapped;
}

/* The free variable of the least number that makes the objective grow; columns: none. */
static uint32_t find_entering(const struct tableau *t) {
  uint32_t best = t->columns;
  for (uint32_t c = 0; c < t->columns; c++) {
    if (at(t, t->rows, c)->up < 0 && (best == t->columns || t->free[c] < t->free[best])) {
      best = c;
    }
  }
  return best;
}

/* The basic variable that gets zero first; rows: none. */
static uint32_t find_leaving(struct tableau *t, uint32_t column) {
  uint32_t best = t->rows;
  struct fraction least = zero;
  for (uint32_t r = 0; r < t->rows; r++) {
    struct fraction entry = *at(t, r, column);
    if (entry.up <= 0) {
      continue;
    }
    struct fraction ratio = quotient(*at(t, r, t->columns), entry, &t->overflow);
    if (best == t->rows || is_less(ratio, least) ||
        (!is_less(least, ratio) && t->basis[r] < t->basis[best])) {
      best = r;
      least = ratio;
    }
  }
  return best;
}

/* Until the objective cannot grow; false: numbers get too long, or it takes too long. */
static bool maximise(struct tableau *t) {
  enum { MOST_PIVOTS = 20000 };
  for (uint32_t i = 0; i < MOST_PIVOTS && !t->overflow; i++) {
    uint32_t column = find_entering(t);
    if (column == t->columns) {
      return true;
    }
    uint32_t row = find_leaving(t, column);
    assert(row < t->rows); /* objectives here are bounded */
    if (row == t->rows) {
      return false;
    }
    pivot(t, row, column);
  }
  return false;
}

/* ---- A problem ------------------------------------------------------------------------------ */

/* Unknowns of the system, then one that measures strictness, then one that mends the start. */
struct problem {
  const struct clew_linear *system;
  uint32_t unknowns, rows;
  struct tableau t;
};

static void problem_open(struct problem *p, const struct clew_linear *system) {
  p->system = system;
  p->unknowns = system->unknowns + 2;
  p->rows = system->bounds.len + 1; /* and: strictness <= 1 */
  p->t = (struct tableau){.rows = p->rows, .columns = p->unknowns};
  p->t.entries = clew_alloc_zero((size_t)(p->rows + 1) * (p->unknowns + 1), sizeof *p->t.entries);
  p->t.basis = clew_alloc_zero(p->rows, sizeof *p->t.basis);
  p->t.free = clew_alloc_zero(p->unknowns, sizeof *p->t.free);
}

static void problem_close(struct problem *p) {
  clew_free(p->t.entries);
  clew_free(p->t.basis);
  clew_free(p->t.free);
}

/* The inequalities, each with its share of strictness; the objective is empty. */
static void fill(struct problem *p) {
  const struct clew_linear *system = p->system;
  uint32_t strictness = system->unknowns, mending = system->unknowns + 1;
  for (size_t i = 0; i < (size_t)(p->rows + 1) * (p->unknowns + 1); i++) {
    p->t.entries[i] = zero;
  }
  for (uint32_t r = 0; r < p->rows; r++) {
    bool is_last = r == system->bounds.len;
    for (uint32_t c = 0; c < system->unknowns && !is_last; c++) {
      at(&p->t, r, c)->up = system->coefficients.data[(size_t)r * system->unknowns + c];
    }
    at(&p->t, r, strictness)->up = is_last || system->strict.data[r] ? 1 : 0;
    at(&p->t, r, mending)->up = -1;
    at(&p->t, r, p->unknowns)->up = is_last ? 1 : system->bounds.data[r];
    p->t.basis[r] = p->unknowns + r;
  }
  for (uint32_t c = 0; c < p->unknowns; c++) {
    p->t.free[c] = c;
  }
}

/* Makes the objective that of one row of coefficients of the unknowns, in terms of free ones. */
static void set_objective(struct problem *p, const int64_t *objective) {
  struct tableau *t = &p->t;
  for (uint32_t c = 0; c <= t->columns; c++) {
    *at(t, t->rows, c) = zero;
  }
  for (uint32_t c = 0; c < t->columns; c++) {
    if (t->free[c] < p->unknowns) {
      at(t, t->rows, c)->up = -objective[t->free[c]];
    }
  }
  for (uint32_t r = 0; r < t->rows; r++) {
    if (t->basis[r] >= p->unknowns || objective[t->basis[r]] == 0) {
      continue;
    }
    struct fraction factor = {-objective[t->basis[r]], 1};
    for (uint32_t c = 0; c <= t->columns; c++) {
      *at(t, t->rows, c) = minus_product(*at(t, t->rows, c), factor, *at(t, r, c), &t->overflow);
    }
  }
}

static struct fraction value_of(const struct problem *p, uint32_t unknown) {
  for (uint32_t r = 0; r < p->t.rows; r++) {
    if (p->t.basis[r] == unknown) {
      return *at(&p->t, r, p->t.columns);
    }
  }
  return zero;
}

/* Brings the mending variable to zero and out of the way. */
static enum clew_linear_status find_start(struct problem *p, int64_t *objective) {
  struct tableau *t = &p->t;
  uint32_t mending = p->system->unknowns + 1, worst = 0;
  for (uint32_t r = 1; r < t->rows; r++) {
    worst = is_less(*at(t, r, t->columns), *at(t, worst, t->columns)) ? r : worst;
  }
  if (at(t, worst, t->columns)->up < 0) {
    pivot(t, worst, mending);
    memset(objective, 0, p->unknowns * sizeof *objective);
    objective[mending] = -1;
    set_objective(p, objective);
    if (!maximise(t)) {
      return CLEW_LINEAR_UNKNOWN;
    }
    if (value_of(p, mending).up != 0) {
      return CLEW_LINEAR_NONE;
    }
  }
  for (uint32_t r = 0; r < t->rows; r++) { /* it may still be basic, at zero */
    for (uint32_t c = 0; t->basis[r] == mending && c < t->columns; c++) {
      if (at(t, r, c)->up != 0) {
        pivot(t, r, c);
      }
    }
  }
  for (uint32_t c = 0; c < t->columns; c++) {
    for (uint32_t r = 0; t->free[c] == mending && r <= t->rows; r++) {
      *at(t, r, c) = zero; /* it stays zero */
    }
  }
  return t->overflow ? CLEW_LINEAR_UNKNOWN : CLEW_LINEAR_FOUND;
}

/* ---- The whole ------------------------------------------------------------------------------ */

void clew_linear_open(struct clew_linear *system, uint32_t unknowns) {
  *system = (struct clew_linear){.unknowns = unknowns};
}

void clew_linear_close(struct clew_linear *system) {
  clew_vec_free(&system->coefficients);
  clew_vec_free(&system->bounds);
  clew_vec_free(&system->strict);
}

void clew_linear_add(struct clew_linear *system, const int64_t *coefficients, int64_t bound,
                     bool is_strict) {
  for (uint32_t i = 0; i < system->unknowns; i++) {
    clew_vec_push(&system->coefficients, coefficients[i]);
  }
  clew_vec_push(&system->bounds, bound);
  clew_vec_push(&system->strict, is_strict);
}

void clew_linear_cut(struct clew_linear *system, uint32_t count) {
  assert(count <= system->bounds.len);
  system->coefficients.len = count * system->unknowns;
  system->bounds.len = system->strict.len = count;
}

static bool has_strict(const struct clew_linear *system) {
  for (uint32_t i = 0; i < system->strict.len; i++) {
    if (system->strict.data[i]) {
      return true;
    }
  }
  return false;
}

/* The values of the unknowns over a common denominator. */
static bool extract(const struct problem *p, int64_t *values, int64_t *scale) {
  bool overflow = false;
  __int128 common = 1;
  for (uint32_t i = 0; i < p->system->unknowns; i++) {
    struct fraction value = value_of(p, i);
    common = common / gcd(common, value.down) * value.down;
    if (common > INT32_MAX) {
      return false;
    }
  }
  for (uint32_t i = 0; i < p->system->unknowns; i++) {
    struct fraction value = value_of(p, i);
    struct fraction scaled = make((__int128)value.up * common, value.down, &overflow);
    values[i] = scaled.up;
  }
  *scale = (int64_t)common;
  return !overflow;
}

enum clew_linear_status clew_linear_solve(const struct clew_linear *system, int64_t *values,
                                          int64_t *scale) {
  const uint64_t most_entries = 400 * 1000;
  if ((uint64_t)(system->bounds.len + 2) * (system->unknowns + 3) > most_entries) {
    return CLEW_LINEAR_UNKNOWN;
  }
  struct problem p;
  problem_open(&p, system);
  fill(&p);
  int64_t *objective = clew_alloc_zero(p.unknowns, sizeof *objective);
  enum clew_linear_status status = find_start(&p, objective);
  bool strict = has_strict(system);
  for (int round = 0; round < 2 && status == CLEW_LINEAR_FOUND; round++) {
    for (uint32_t i = 0; i < p.unknowns; i++) {
      objective[i] = i < system->unknowns ? (round == 0 ? 0 : -1) : 0;
    }
    objective[system->unknowns] = round == 0 ? 1 : 0;
    if (round == 1 && strict) {
      break; /* the strictness that was found must not be lost */
    }
    set_objective(&p, objective);
    status = maximise(&p.t) ? CLEW_LINEAR_FOUND : CLEW_LINEAR_UNKNOWN;
    if (status == CLEW_LINEAR_FOUND && round == 0 && strict &&
        value_of(&p, system->unknowns).up <= 0) {
      status = CLEW_LINEAR_NONE;
    }
  }
  if (status == CLEW_LINEAR_FOUND && !extract(&p, values, scale)) {
    status = CLEW_LINEAR_UNKNOWN;
  }
  clew_free(objective);
  problem_close(&p);
  return status;
}
