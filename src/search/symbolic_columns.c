/* Orders of slots by moving columns of the matrix.
 *   swaps (cw): columns are moved to where the rows have the least total span, until no move helps.
 *   annealing (gsa): the same cost, by random moves of which some that cost more are taken at
 * first. reads first (rb4w): the cost also counts how far reads stand behind the first write of
 * their row: a relation that knows what it reads when it begins to write is a smaller diagram.
 *   Noack: one slot after the other, the one whose groups have most slots placed already.
 *
 * The cost of a move is found from the rows that have the column, so a move costs what these rows
 * are long. All work is bounded, and random numbers have a fixed seed: the order of a model is
 * always the same. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "model/model.h"
#include "search/symbolic_matrix.h"

enum { MOST_LOOKS = 20000000 }; /* at entries of the matrix */

struct columns {
  const struct symbolic_matrix *m;
  uint32_t *place;                 /* of slots */
  uint32_t *slots;                 /* at places */
  CLEW_VEC(uint32_t) starts, rows; /* the rows of each slot */
  bool reads_first;
  int64_t looks; /* left */
};

static void columns_open(struct columns *c, const struct symbolic_matrix *m, uint32_t *place) {
  *c = (struct columns){.m = m, .place = place, .looks = MOST_LOOKS};
  c->slots = clew_alloc((m->slots + (size_t)1) * sizeof *c->slots);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    c->slots[place[slot]] = slot;
  }
  uint32_t *lengths = clew_alloc_zero(m->slots + (size_t)1, sizeof *lengths);
  for (uint32_t i = 0; i < m->columns.len; i++) {
    lengths[m->columns.data[i]]++;
  }
  uint32_t total = 0;
  for (uint32_t slot = 0; slot <= m->slots; slot++) {
    clew_vec_push(&c->starts, total);
    total += lengths[slot];
    lengths[slot] = 0;
  }
  clew_vec_reserve(&c->rows, total + 1);
  c->rows.len = total;
  for (uint32_t row = 0; row < m->rows; row++) {
    for (uint32_t i = m->starts.data[row]; i < m->starts.data[row + 1]; i++) {
      uint32_t slot = m->columns.data[i];
      c->rows.data[c->starts.data[slot] + lengths[slot]++] = row;
    }
  }
  clew_free(lengths);
}

static void columns_close(struct columns *c) {
  clew_free(c->slots);
  clew_vec_free(&c->starts);
  clew_vec_free(&c->rows);
}

static int64_t row_cost(struct columns *c, uint32_t row) {
  const struct symbolic_matrix *m = c->m;
  uint32_t least = UINT32_MAX, most = 0, first_write = UINT32_MAX, last_read = 0;
  uint32_t first = m->starts.data[row], end = m->starts.data[row + 1];
  for (uint32_t i = first; i < end; i++) {
    uint32_t at = c->place[m->columns.data[i]];
    least = at < least ? at : least;
    most = at > most ? at : most;
    if ((m->touches.data[i] & TOUCH_WRITE) != 0) {
      first_write = at < first_write ? at : first_write;
    } else {
      last_read = at > last_read ? at : last_read;
    }
  }
  c->looks -= end - first;
  int64_t behind = c->reads_first && last_read > first_write ? last_read - first_write : 0;
  return most >= least ? (int64_t)(most - least) + behind : 0;
}

static int64_t rows_cost(struct columns *c, uint32_t slot) {
  int64_t cost = 0;
  for (uint32_t i = c->starts.data[slot]; i < c->starts.data[slot + 1]; i++) {
    cost += row_cost(c, c->rows.data[i]);
  }
  return cost;
}

static void exchange(struct columns *c, uint32_t at, uint32_t with) {
  uint32_t a = c->slots[at], b = c->slots[with];
  c->slots[at] = b;
  c->slots[with] = a;
  c->place[a] = with;
  c->place[b] = at;
}

/* What the total cost changes by if the two columns change places. Rows that have both count twice
 * before and after, and their span stays as it is. */
static int64_t exchange_gain(struct columns *c, uint32_t at, uint32_t with) {
  uint32_t a = c->slots[at], b = c->slots[with];
  int64_t before = rows_cost(c, a) + rows_cost(c, b);
  exchange(c, at, with);
  int64_t after = rows_cost(c, a) + rows_cost(c, b);
  exchange(c, at, with);
  return after - before;
}

/* Every column is carried up and down by exchanges of neighbours as long as there is room, and put
 * where the cost was least. */
static bool carry(struct columns *c, uint32_t slot) {
  const uint32_t start = c->place[slot];
  int64_t cost = 0, least = 0;
  uint32_t best = start;
  for (int turn = 0; turn < 2 && c->looks > 0; turn++) {
    uint32_t last = turn == 0 ? 0 : c->m->slots - 1;
    while (c->place[slot] != last && c->looks > 0) {
      uint32_t at = c->place[slot], to = turn == 0 ? at - 1 : at + 1;
      cost += exchange_gain(c, at, to);
      exchange(c, at, to);
      if (cost < least) {
        least = cost;
        best = to;
      }
    }
  }
  while (c->place[slot] != best) {
    uint32_t at = c->place[slot];
    exchange(c, at, best < at ? at - 1 : at + 1);
  }
  return least < 0;
}

static void carry_all(struct columns *c) {
  bool better = true;
  while (better && c->looks > 0) {
    better = false;
    for (uint32_t slot = 0; slot < c->m->slots && c->looks > 0; slot++) {
      better |= carry(c, slot);
    }
  }
}

void clew_symbolic_order_swaps(const struct symbolic_matrix *m, uint32_t *place) {
  struct columns c;
  columns_open(&c, m, place);
  carry_all(&c);
  columns_close(&c);
}

void clew_symbolic_order_reads_first(const struct symbolic_matrix *m, uint32_t *place) {
  struct columns c;
  columns_open(&c, m, place);
  c.reads_first = true;
  carry_all(&c);
  columns_close(&c);
}

void clew_symbolic_order_anneal(const struct symbolic_matrix *m, uint32_t *place) {
  const double coldest = 0.1, cooling = 0.99;
  struct columns c;
  struct clew_random random;
  clew_random_seed(&random, 1);
  columns_open(&c, m, place);
  uint32_t *best = clew_alloc((m->slots + (size_t)1) * sizeof *best);
  memcpy(best, place, m->slots * sizeof *best);
  int64_t cost = 0, least = 0; /* against the order to begin with */
  for (double heat = m->slots; heat > coldest && c.looks > 0 && m->slots > 1; heat *= cooling) {
    for (uint32_t i = 0; i < 4 * m->slots && c.looks > 0; i++) {
      uint32_t at = (uint32_t)clew_random_below(&random, m->slots);
      uint32_t with = (uint32_t)clew_random_below(&random, m->slots);
      int64_t gain = at != with ? exchange_gain(&c, at, with) : 0;
      double chance = (double)clew_random_below(&random, 1 << 20) / (1 << 20);
      if (at != with && (gain <= 0 || chance < exp(-(double)gain / heat))) {
        exchange(&c, at, with);
        cost += gain;
      }
      if (cost < least) {
        least = cost;
        memcpy(best, place, m->slots * sizeof *best);
      }
    }
  }
  memcpy(place, best, m->slots * sizeof *best);
  clew_free(best);
  columns_close(&c);
}

/* ---- Noack ---- */

/* How much of the groups of a slot is placed already; small groups say more. */
static double attraction(const struct columns *c, uint32_t slot, const uint32_t *placed) {
  const struct symbolic_matrix *m = c->m;
  double sum = 0;
  for (uint32_t i = c->starts.data[slot]; i < c->starts.data[slot + 1]; i++) {
    uint32_t row = c->rows.data[i], length = m->starts.data[row + 1] - m->starts.data[row];
    sum += (placed[row] > 0 ? (double)placed[row] : 0.1) / length;
  }
  return sum / (c->starts.data[slot + 1] - c->starts.data[slot] + 1);
}

void clew_symbolic_order_noack(const struct symbolic_matrix *m, uint32_t *place) {
  struct columns c;
  columns_open(&c, m, place);
  uint32_t *placed = clew_alloc_zero(m->rows + (size_t)1, sizeof *placed);
  memset(place, 0xff, m->slots * sizeof *place);
  for (uint32_t count = 0; count < m->slots; count++) {
    uint32_t best = CLEW_NONE;
    double most = -1;
    for (uint32_t slot = 0; slot < m->slots; slot++) {
      double pull = place[slot] == CLEW_NONE ? attraction(&c, slot, placed) : -1;
      if (pull > most) {
        most = pull;
        best = slot;
      }
    }
    assert(best != CLEW_NONE);
    place[best] = count;
    for (uint32_t i = c.starts.data[best]; i < c.starts.data[best + 1]; i++) {
      placed[c.rows.data[i]]++;
    }
  }
  clew_free(placed);
  columns_close(&c);
}
