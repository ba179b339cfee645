/* How many tokens a place can hold, by linear programming.
 *
 * Every marking is m0 + C x for a vector x of how often each transition has fired, and no place has
 * less than nothing. So the largest value of a place under these inequalities bounds its tokens.
 * The simplex method is used with floating-point numbers, from x = 0, which is feasible. The price
 * of each inequality at the optimum is the *weight* of its place: no transition increases the
 * weighted sum of all tokens. The weights are rounded to fractions with a small denominator, and it
 * is checked exactly that they do what is said of them; so a rounding error costs a bound, never a
 * wrong one. Right-hand sides are made a little larger, each by another amount, so that no two
 * bases are equally good and the method cannot go in circles. */
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "net/net_int.h"

enum { MOST_CELLS = 1 << 21, MOST_DENOMINATOR = 60, MOST_WEIGHT = 1 << 20 };
static const double TINY = 1e-9;

/* Basic variables have rows, the others columns. Variables 0 .. columns - 1 are transitions, those
 * behind are the slacks of places. The last row is the objective, the last column the right-hand
 * side. */
struct tableau {
  uint32_t rows, columns;
  double *cells;
  uint32_t *row_variable, *column_variable;
};

static double *cell(const struct tableau *t, uint32_t row, uint32_t column) {
  return &t->cells[(size_t)row * (t->columns + 1) + column];
}

static void pivot(struct tableau *t, uint32_t row, uint32_t column) {
  double by = *cell(t, row, column);
  assert(fabs(by) > TINY);
  for (uint32_t j = 0; j <= t->columns; j++) {
    *cell(t, row, j) /= by;
  }
  *cell(t, row, column) = 1 / by;
  const double *chosen = cell(t, row, 0);
  for (uint32_t i = 0; i <= t->rows; i++) {
    double factor = i == row ? 0 : *cell(t, i, column);
    if (factor != 0) {
      double *other = cell(t, i, 0);
      for (uint32_t j = 0; j <= t->columns; j++) {
        other[j] -= factor * chosen[j];
      }
      other[column] = -factor / by;
    }
  }
  uint32_t variable = t->row_variable[row];
  t->row_variable[row] = t->column_variable[column];
  t->column_variable[column] = variable;
}

/* The column whose variable makes the objective grow fastest; `columns` if none does. */
static uint32_t choose_column(const struct tableau *t) {
  uint32_t best = t->columns;
  double least = -1e-7;
  for (uint32_t j = 0; j < t->columns; j++) {
    if (*cell(t, t->rows, j) < least) {
      least = *cell(t, t->rows, j);
      best = j;
    }
  }
  return best;
}

/* The row that limits it; `rows` if none does. */
static uint32_t choose_row(const struct tableau *t, uint32_t column) {
  uint32_t best = t->rows;
  double least = INFINITY;
  for (uint32_t i = 0; i < t->rows; i++) {
    double by = *cell(t, i, column);
    if (by > TINY && *cell(t, i, t->columns) / by < least) {
      least = *cell(t, i, t->columns) / by;
      best = i;
    }
  }
  return best;
}

/* True at an optimum. */
static bool solve(struct tableau *t, uint64_t *effort) {
  uint64_t work = (uint64_t)(t->rows + 1) * (t->columns + 1);
  for (uint32_t column; (column = choose_column(t)) < t->columns;) {
    uint32_t row = choose_row(t, column);
    if (row == t->rows || *effort < work) {
      return false;
    }
    *effort -= work;
    pivot(t, row, column);
  }
  return true;
}

/* Numbers rows by the places that change. */
static uint32_t number_rows(const struct clew_net *net, const bool *constant, uint32_t *row_of) {
  uint32_t rows = 0;
  for (uint32_t p = 0; p < net->place_count; p++) {
    row_of[p] = constant[p] ? CLEW_NONE : rows++;
  }
  return rows;
}

static void fill(struct tableau *t, const struct clew_net *net, const uint32_t *row_of,
                 uint32_t place) {
  for (uint32_t j = 0; j < net->transition_count; j++) {
    const struct clew_net_transition *transition = &net->transitions[j];
    for (uint32_t a = transition->take; a < transition->end; a++) {
      const struct clew_net_arc *arc = &net->arcs[a];
      if (row_of[arc->place] != CLEW_NONE) {
        double change = a < transition->give ? -(double)arc->weight : (double)arc->weight;
        *cell(t, row_of[arc->place], j) -= change;
        if (arc->place == place) {
          *cell(t, t->rows, j) -= change;
        }
      }
    }
    t->column_variable[j] = j;
  }
  for (uint32_t p = 0; p < net->place_count; p++) {
    uint32_t row = row_of[p];
    if (row != CLEW_NONE) {
      double nudge = 1e-6 * (1 + (double)(p * UINT32_C(2654435761) >> 22) / 1024);
      *cell(t, row, t->columns) = (double)net->places[p].tokens + nudge;
      t->row_variable[row] = t->columns + row;
    }
  }
}

/* Weights as numbers, from the prices of the slacks. */
static bool round_weights(const struct clew_net *net, const uint32_t *row_of, const double *price,
                          uint32_t place, uint32_t denominator, uint32_t *weights) {
  for (uint32_t p = 0; p < net->place_count; p++) {
    double exact = row_of[p] == CLEW_NONE ? 0 : price[row_of[p]] + (p == place ? 1 : 0);
    double scaled = exact * denominator, whole = nearbyint(scaled);
    if (fabs(scaled - whole) > 1e-4 || whole < 0 || whole > MOST_WEIGHT) {
      return false;
    }
    weights[p] = (uint32_t)whole;
  }
  return weights[place] > 0 && clew_net_weights_prove(net, weights);
}

static bool take_weights(const struct tableau *t, const struct clew_net *net,
                         const uint32_t *row_of, uint32_t place, uint32_t *weights) {
  double *price = clew_alloc_zero((size_t)t->rows + 1, sizeof *price);
  for (uint32_t j = 0; j < t->columns; j++) {
    if (t->column_variable[j] >= t->columns) {
      price[t->column_variable[j] - t->columns] = *cell(t, t->rows, j);
    }
  }
  bool found = false;
  for (uint32_t d = 1; d <= MOST_DENOMINATOR && !found; d++) {
    found = round_weights(net, row_of, price, place, d, weights);
  }
  clew_free(price);
  return found;
}

bool clew_net_weigh(const struct clew_net *net, const bool *constant, uint32_t place,
                    uint32_t *weights, uint64_t *effort) {
  assert(!constant[place]);
  if (*effort < net->place_count) {
    *effort = 0;
    return false;
  }
  *effort -= net->place_count;
  uint32_t *row_of = clew_alloc(((size_t)net->place_count + 1) * sizeof *row_of);
  struct tableau t = {.rows = number_rows(net, constant, row_of), .columns = net->transition_count};
  uint64_t cells = (uint64_t)(t.rows + 1) * (t.columns + 1);
  bool found = false;
  if (cells <= MOST_CELLS && cells <= *effort) {
    *effort -= cells;
    t.cells = clew_alloc_zero(cells, sizeof *t.cells);
    t.row_variable = clew_alloc_zero((size_t)t.rows + 1, sizeof *t.row_variable);
    t.column_variable = clew_alloc_zero((size_t)t.columns + 1, sizeof *t.column_variable);
    fill(&t, net, row_of, place);
    found = solve(&t, effort) && take_weights(&t, net, row_of, place, weights);
    clew_free(t.cells);
    clew_free(t.row_variable);
    clew_free(t.column_variable);
  }
  *effort = cells > MOST_CELLS ? 0 : *effort; /* it is the same for all places */
  clew_free(row_of);
  return found;
}
