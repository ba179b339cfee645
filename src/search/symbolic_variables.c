/* Orders of variables: which slot is a level of the diagrams before which.
 *
 * Slots that one group touches should be near each other: then the relation of the group touches a
 * short range of levels, and the diagrams remember little from one level to the next.
 *   FORCE (Aloul, Markov, Sakallah): again and again each group has its centre of gravity, and each
 *   slot moves to the mean of the centres of its groups. The order of the least total span wins.
 *   Sloan: a breadth-first numbering of the graph of slots, in which a slot comes early that lies
 *   far from the end and has few neighbours that are not begun. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "search/symbolic_int.h"

/* The slots of each group, without repetition: rows of a sparse matrix. */
struct matrix {
  uint32_t slots, rows;
  CLEW_VEC(uint32_t) starts; /* rows + 1 */
  CLEW_VEC(uint32_t) columns;
};

/* ---- the matrix ---- */

static bool has_equal_row(const struct matrix *m, uint32_t first) {
  /* Rows often repeat the one before: instances of a rule that touch the same slots. */
  if (m->rows == 0) {
    return false;
  }
  uint32_t begin = m->starts.data[m->rows - 1], length = m->columns.len - first;
  if (first - begin != length) {
    return false;
  }
  return length == 0 || memcmp(m->columns.data + begin, m->columns.data + first,
                               length * sizeof *m->columns.data) == 0;
}

static void matrix_open(struct matrix *m, const struct clew_model *model) {
  size_t words = CLEW_BITSET_WORDS((size_t)model->slot_count) + 1;
  uint64_t *sets = clew_alloc_zero(3 * words, sizeof *sets);
  struct clew_access access = {sets, sets + words, sets + 2 * words};
  *m = (struct matrix){.slots = model->slot_count};
  clew_vec_push(&m->starts, 0);
  for (uint32_t group = 0; group < model->group_count; group++) {
    uint32_t first = m->columns.len;
    model->access(model, group, &access);
    for (uint32_t slot = 0; slot < model->slot_count; slot++) {
      if (clew_bitset_has(access.read, slot) || clew_bitset_has(access.may_write, slot)) {
        clew_vec_push(&m->columns, slot);
      }
    }
    if (has_equal_row(m, first)) {
      m->columns.len = first;
    } else {
      m->rows++;
      clew_vec_push(&m->starts, m->columns.len);
    }
  }
  clew_free(sets);
}

static void matrix_close(struct matrix *m) {
  clew_vec_free(&m->starts);
  clew_vec_free(&m->columns);
}

/* The sum of the distances between the first and the last slot of each row. */
static uint64_t span_of(const struct matrix *m, const uint32_t *place) {
  uint64_t span = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = m->starts.data[row]; i < m->starts.data[row + 1]; i++) {
      uint32_t at = place[m->columns.data[i]];
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
    span += most >= least ? most - least : 0;
  }
  return span;
}

/* ---- FORCE ---- */

struct pull {
  double where;
  uint32_t slot;
};

static int compare_pulls(const void *a, const void *b) {
  const struct pull *x = a, *y = b;
  if (x->where != y->where) {
    return x->where < y->where ? -1 : 1;
  }
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Slots move to the mean of the centres of their rows. */
static void pull_once(const struct matrix *m, uint32_t *place, struct pull *pulls,
                      uint32_t *degrees) {
  memset(degrees, 0, m->slots * sizeof *degrees);
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    pulls[slot] = (struct pull){0, slot};
  }
  for (uint32_t row = 0; row < m->rows; row++) {
    uint32_t first = m->starts.data[row], end = m->starts.data[row + 1];
    double centre = 0;
    for (uint32_t i = first; i < end; i++) {
      centre += place[m->columns.data[i]];
    }
    for (uint32_t i = first; i < end; i++) {
      pulls[m->columns.data[i]].where += centre / (end - first);
      degrees[m->columns.data[i]]++;
    }
  }
  for (uint32_t slot = 0; slot < m->slots; slot++) {
    pulls[slot].where = degrees[slot] > 0 ? pulls[slot].where / degrees[slot] : place[slot];
  }
  qsort(pulls, m->slots, sizeof *pulls, compare_pulls);
  for (uint32_t i = 0; i < m->slots; i++) {
    place[pulls[i].slot] = i;
  }
}

/* `place` is the order to begin with, and the result. */
static void force(const struct matrix *m, uint32_t *place) {
  const uint32_t most_rounds = 200, patience = 10;
  struct pull *pulls = clew_alloc((m->slots + (size_t)1) * sizeof *pulls);
  uint32_t *degrees = clew_alloc((m->slots + (size_t)1) * sizeof *degrees);
  uint32_t *best = clew_alloc((m->slots + (size_t)1) * sizeof *best);
  memcpy(best, place, m->slots * sizeof *best);
  uint64_t least = span_of(m, best);
  uint32_t idle = 0;
  for (uint32_t round = 0; round < most_rounds && idle < patience; round++) {
    pull_once(m, place, pulls, degrees);
    uint64_t span = span_of(m, place);
    idle++;
    if (span < least) {
      least = span;
      memcpy(best, place, m->slots * sizeof *best);
      idle = 0;
    }
  }
  memcpy(place, best, m->slots * sizeof *best);
  clew_free(pulls);
  clew_free(degrees);
  clew_free(best);
}

/* ---- Sloan ---- */

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

static void graph_open(struct graph *g, const struct matrix *m) {
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

static void sloan_order(const struct matrix *m, uint32_t *place) {
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

/* ---- a file of names ---- */

static uint32_t find_slot(const struct clew_model *model, const char *name, size_t length) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (strncmp(model->slots[i].name, name, length) == 0 && model->slots[i].name[length] == '\0') {
      return i;
    }
  }
  return CLEW_NONE;
}

enum { MOST_BYTES = 64 << 20 }; /* of a file of names */

/* One name a line; slots that are not named come last, as they are declared. */
static bool read_order(const struct clew_model *model, const char *path, uint32_t *place,
                       struct clew_diag_sink *diags) {
  struct clew_text text = {0};
  if (clew_file_read(path, MOST_BYTES, &text, diags) != CLEW_OK) {
    return false;
  }
  uint32_t next = 0, line_number = 0;
  bool right = true;
  memset(place, 0xff, model->slot_count * sizeof *place);
  for (const char *line = clew_text_str(&text); *line != '\0' && right;) {
    size_t length = strcspn(line, "\n");
    line_number++;
    uint32_t slot = length > 0 ? find_slot(model, line, length) : CLEW_NONE;
    if (length > 0 && (slot == CLEW_NONE || place[slot] != CLEW_NONE)) {
      clew_diag_plain(diags, CLEW_ERROR, path, "line %u names %s: '%.*s'", line_number,
                      slot == CLEW_NONE ? "no variable" : "a variable again", (int)length, line);
      right = false;
    } else if (length > 0) {
      place[slot] = next++;
    }
    line += length + (line[length] == '\n');
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    place[i] = place[i] == CLEW_NONE ? next++ : place[i];
  }
  clew_text_free(&text);
  return right;
}

/* ---- choosing one ---- */

static void declare(const struct clew_model *model, uint32_t *place) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    place[i] = i;
  }
}

bool clew_symbolic_order_slots(const struct clew_model *model, const char *name, uint32_t *place,
                               struct clew_diag_sink *diags) {
  bool by_force = strcmp(name, "force") == 0, by_sloan = strcmp(name, "sloan") == 0;
  declare(model, place);
  if (by_force || by_sloan) {
    struct matrix matrix;
    matrix_open(&matrix, model);
    if (by_force) {
      force(&matrix, place);
    } else {
      sloan_order(&matrix, place);
    }
    matrix_close(&matrix);
  } else if (strcmp(name, "declared") != 0 && !read_order(model, name, place, diags)) {
    declare(model, place);
    return false;
  }
  return true;
}
