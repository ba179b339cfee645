/* Orders of slots from a graph: slots are neighbours if some group touches both.
 *   Cuthill-McKee: breadth-first from a slot at the rim, neighbours of few neighbours first; then
 *   reversed, which is never worse.
 *   Sloan: a breadth-first numbering in which a slot comes early that lies far from the end and has
 *   few neighbours that are not begun. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "model/model.h"
#include "search/symbolic_matrix.h"

/* Slots are neighbours if a row has both. Rows of many slots would make them all neighbours, which
 * says nothing. */
struct graph {
  uint32_t slots;
  uint64_t *adjacent; /* slots bit sets */
  uint32_t words;
};

static bool are_adjacent(const struct graph *g, uint32_t a, uint32_t b) {
  return clew_bitset_has(g->adjacent + (size_t)a * g->words, b);
}

static void graph_open(struct graph *g, const struct symbolic_matrix *m) {
  g->slots = m->slots;
  g->words = CLEW_BITSET_WORDS(m->slots) + 1;
  g->adjacent = clew_alloc_zero((size_t)m->slots * g->words + 1, sizeof *g->adjacent);
  for (uint32_t row = 0; row < m->rows; row++) {
    uint32_t first = m->starts.data[row], end = m->starts.data[row + 1];
    for (uint32_t i = first; i < end; i++) {
      for (uint32_t j = first; j < end; j++) {
        if (i != j) {
          clew_bitset_add(g->adjacent + (size_t)m->columns.data[i] * g->words, m->columns.data[j]);
        }
      }
    }
  }
}

static uint32_t degree_of(const struct graph *g, uint32_t slot) {
  return clew_bitset_count(g->adjacent + (size_t)slot * g->words, g->words);
}

/* Distances from a slot, UINT32_MAX where there is no way; the farthest of the least degree. */
static uint32_t measure(const struct graph *g, uint32_t from, uint32_t *distance) {
  CLEW_VEC(uint32_t) queue = {0};
  memset(distance, 0xff, g->slots * sizeof *distance);
  distance[from] = 0;
  clew_vec_push(&queue, from);
  uint32_t last = from;
  for (uint32_t i = 0; i < queue.len; i++) {
    uint32_t slot = queue.data[i];
    bool farther = distance[slot] > distance[last];
    if (farther || (distance[slot] == distance[last] && degree_of(g, slot) < degree_of(g, last))) {
      last = slot;
    }
    for (uint32_t other = 0; other < g->slots; other++) {
      if (distance[other] == UINT32_MAX && are_adjacent(g, slot, other)) {
        distance[other] = distance[slot] + 1;
        clew_vec_push(&queue, other);
      }
    }
  }
  clew_vec_free(&queue);
  return last;
}

/* ---- Sloan ---- */

enum { INACTIVE, PREACTIVE, ACTIVE, PLACED };

struct sloan {
  const struct graph *graph;
  unsigned char *status;
  int64_t *priority;
  uint32_t *place;
  uint32_t count;
};

static void raise_priority(struct sloan *sloan, uint32_t slot) {
  const int64_t by = 1;
  sloan->priority[slot] += by;
  if (sloan->status[slot] == INACTIVE) {
    sloan->status[slot] = PREACTIVE;
  }
}

static void place_slot(struct sloan *sloan, uint32_t slot) {
  const struct graph *g = sloan->graph;
  if (sloan->status[slot] == PREACTIVE) {
    for (uint32_t other = 0; other < g->slots; other++) {
      if (are_adjacent(g, slot, other)) {
        raise_priority(sloan, other);
      }
    }
  }
  sloan->place[slot] = sloan->count++;
  sloan->status[slot] = PLACED;
  for (uint32_t other = 0; other < g->slots; other++) {
    if (are_adjacent(g, slot, other) && sloan->status[other] == PREACTIVE) {
      sloan->status[other] = ACTIVE;
      sloan->priority[other]++;
      for (uint32_t next = 0; next < g->slots; next++) {
        if (are_adjacent(g, other, next) && sloan->status[next] != PLACED) {
          raise_priority(sloan, next);
        }
      }
    }
  }
}

static uint32_t next_slot(const struct sloan *sloan) {
  uint32_t best = CLEW_NONE;
  for (uint32_t slot = 0; slot < sloan->graph->slots; slot++) {
    bool begun = sloan->status[slot] == PREACTIVE || sloan->status[slot] == ACTIVE;
    if (begun && (best == CLEW_NONE || sloan->priority[slot] > sloan->priority[best])) {
      best = slot;
    }
  }
  return best;
}

/* One component of the graph, from a slot of it on. */
static void sloan_component(struct sloan *sloan, uint32_t slot, uint32_t *distance) {
  const int64_t by_distance = 2;
  const struct graph *g = sloan->graph;
  uint32_t start = measure(g, slot, distance), end = measure(g, start, distance);
  (void)measure(g, end, distance);
  for (uint32_t i = 0; i < g->slots; i++) {
    if (distance[i] != UINT32_MAX) {
      sloan->priority[i] = by_distance * distance[i] - (int64_t)degree_of(g, i) - 1;
    }
  }
  sloan->status[start] = PREACTIVE;
  for (uint32_t next; (next = next_slot(sloan)) != CLEW_NONE;) {
    place_slot(sloan, next);
  }
}

void clew_symbolic_order_sloan(const struct symbolic_matrix *m, uint32_t *place) {
  struct graph graph;
  graph_open(&graph, m);
  struct sloan sloan = {.graph = &graph,
                        .status = clew_alloc_zero(m->slots + (size_t)1, 1),
                        .priority = clew_alloc_zero(m->slots + (size_t)1, sizeof(int64_t)),
                        .place = place};
  uint32_t *distance = clew_alloc((m->slots + (size_t)1) * sizeof *distance);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    if (sloan.status[slot] != PLACED) {
      sloan_component(&sloan, slot, distance);
    }
  }
  assert(sloan.count == m->slots);
  clew_free(distance);
  clew_free(sloan.status);
  clew_free(sloan.priority);
  clew_free(graph.adjacent);
}

/* ---- Cuthill-McKee ---- */

struct neighbour {
  uint32_t slot, degree;
};

static int compare_neighbours(const void *a, const void *b) {
  const struct neighbour *x = a, *y = b;
  if (x->degree != y->degree) {
    return x->degree < y->degree ? -1 : 1;
  }
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Numbers the component of `start` from *count on. */
static void number_component(const struct graph *g, uint32_t start, uint32_t *place,
                             uint32_t *count, struct neighbour *neighbours) {
  CLEW_VEC(uint32_t) queue = {0};
  clew_vec_push(&queue, start);
  place[start] = (*count)++;
  for (uint32_t i = 0; i < queue.len; i++) {
    uint32_t length = 0;
    for (uint32_t other = 0; other < g->slots; other++) {
      if (place[other] == CLEW_NONE && are_adjacent(g, queue.data[i], other)) {
        neighbours[length++] = (struct neighbour){other, degree_of(g, other)};
      }
    }
    qsort(neighbours, length, sizeof *neighbours, compare_neighbours);
    for (uint32_t k = 0; k < length; k++) {
      place[neighbours[k].slot] = (*count)++;
      clew_vec_push(&queue, neighbours[k].slot);
    }
  }
  clew_vec_free(&queue);
}

void clew_symbolic_order_cm(const struct symbolic_matrix *m, uint32_t *place) {
  struct graph graph;
  graph_open(&graph, m);
  uint32_t count = 0;
  uint32_t *distance = clew_alloc((m->slots + (size_t)1) * sizeof *distance);
  struct neighbour *neighbours = clew_alloc((m->slots + (size_t)1) * sizeof *neighbours);
  memset(place, 0xff, m->slots * sizeof *place);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    if (place[slot] == CLEW_NONE) {
      number_component(&graph, measure(&graph, slot, distance), place, &count, neighbours);
    }
  }
  assert(count == m->slots);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    place[slot] = count - 1 - place[slot];
  }
  clew_free(distance);
  clew_free(neighbours);
  clew_free(graph.adjacent);
}
