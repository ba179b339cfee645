/* Orders of variables: which slot is a level of the diagrams before which.
 *
 * Slots that one group touches should be near each other: then the relation of the group touches a
 * short range of levels, and the diagrams remember little from one level to the next.
 *   FORCE (Aloul, Markov, Sakallah): again and again each group has its centre of gravity, and each
 *   slot moves to the mean of the centres of its groups. The order of the least total span wins.
 * Others are in symbolic_graph.c and symbolic_columns.c; symbolic_mixed.c is for timed models.
 * `best` makes several of them, each also upside down, and takes the one of the least weighted
 * span. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"
#include "search/symbolic_int.h"
#include "search/symbolic_matrix.h"

/* ---- the matrix ---- */

static bool has_equal_row(const struct symbolic_matrix *m, uint32_t first) {
  /* Rows often repeat the one before: instances of a rule that touch the same slots. */
  if (m->rows == 0) {
    return false;
  }
  uint32_t begin = m->starts.data[m->rows - 1], length = m->columns.len - first;
  if (first - begin != length) {
    return false;
  }
  return length == 0 || (memcmp(m->columns.data + begin, m->columns.data + first,
                                length * sizeof *m->columns.data) == 0 &&
                         memcmp(m->touches.data + begin, m->touches.data + first, length) == 0);
}

static void matrix_open(struct symbolic_matrix *m, const struct clew_model *model) {
  size_t words = CLEW_BITSET_WORDS((size_t)model->slot_count) + 1;
  uint64_t *sets = clew_alloc_zero(3 * words, sizeof *sets);
  struct clew_access access = {sets, sets + words, sets + 2 * words};
  *m = (struct symbolic_matrix){.slots = model->slot_count};
  clew_vec_push(&m->starts, 0);
  for (uint32_t group = 0; group < model->group_count; group++) {
    uint32_t first = m->columns.len;
    model->access(model, group, &access);
    for (uint32_t slot = 0; slot < model->slot_count; slot++) {
      unsigned char touch =
          (unsigned char)((clew_bitset_has(access.read, slot) ? TOUCH_READ : 0) |
                          (clew_bitset_has(access.may_write, slot) ? TOUCH_WRITE : 0));
      if (touch != 0) {
        clew_vec_push(&m->columns, slot);
        clew_vec_push(&m->touches, touch);
      }
    }
    if (has_equal_row(m, first)) {
      m->columns.len = m->touches.len = first;
    } else {
      m->rows++;
      clew_vec_push(&m->starts, m->columns.len);
    }
  }
  clew_free(sets);
}

static void matrix_close(struct symbolic_matrix *m) {
  clew_vec_free(&m->starts);
  clew_vec_free(&m->columns);
  clew_vec_free(&m->touches);
}

uint64_t clew_symbolic_span(const struct symbolic_matrix *m, const uint32_t *place) {
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
static void pull_once(const struct symbolic_matrix *m, uint32_t *place, struct pull *pulls,
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
static void force(const struct symbolic_matrix *m, uint32_t *place) {
  const uint32_t most_rounds = 200, patience = 10;
  struct pull *pulls = clew_alloc((m->slots + (size_t)1) * sizeof *pulls);
  uint32_t *degrees = clew_alloc((m->slots + (size_t)1) * sizeof *degrees);
  uint32_t *best = clew_alloc((m->slots + (size_t)1) * sizeof *best);
  memcpy(best, place, m->slots * sizeof *best);
  uint64_t least = clew_symbolic_span(m, best);
  uint32_t idle = 0;
  for (uint32_t round = 0; round < most_rounds && idle < patience; round++) {
    pull_once(m, place, pulls, degrees);
    uint64_t span = clew_symbolic_span(m, place);
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

/* How much the relations reach over, weighted by how high they begin (Siminiceanu, Ciardo): a group
 * that touches low levels only is cheap, and saturation works it off early. */
static double weight_of(const struct symbolic_matrix *m, const uint32_t *place) {
  double weight = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = m->starts.data[row]; i < m->starts.data[row + 1]; i++) {
      uint32_t at = place[m->columns.data[i]];
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
    if (least <= most) {
      weight += (most - least + 1.0) * (m->slots - least);
    }
  }
  return weight;
}

/* Copies the better one to `best`: that of `place`, that one upside down, or the best so far. */
static void keep_better(const struct symbolic_matrix *m, uint32_t *place, uint32_t *best,
                        double *least) {
  for (uint32_t turn = 0; turn < 2; turn++) {
    double weight = weight_of(m, place);
    if (weight < *least) {
      *least = weight;
      memcpy(best, place, m->slots * sizeof *place);
    }
    for (uint32_t i = 0; i < m->slots; i++) {
      place[i] = m->slots - 1 - place[i];
    }
  }
}

static void pick_best(const struct symbolic_matrix *m, uint32_t *place);

struct heuristic {
  const char *name;
  void (*order)(const struct symbolic_matrix *m, uint32_t *place); /* NULL: as declared */
};

/* Those that `best` chooses from come first. */
static const struct heuristic heuristics[] = {
    {"declared", NULL},
    {"force", force},
    {"sloan", clew_symbolic_order_sloan},
    {"cm", clew_symbolic_order_cm},
    {"noack", clew_symbolic_order_noack},
    {"cw", clew_symbolic_order_swaps},
    {"gsa", clew_symbolic_order_anneal},
    {"rb4w", clew_symbolic_order_reads_first},
    {"best", pick_best},
    {"mixed", force},
};
enum { HEURISTICS = sizeof heuristics / sizeof *heuristics, CANDIDATES = 6 };

static void pick_best(const struct symbolic_matrix *m, uint32_t *place) {
  uint32_t *tried = clew_alloc((m->slots + (size_t)1) * sizeof *tried);
  uint32_t *declared = clew_alloc((m->slots + (size_t)1) * sizeof *declared);
  double least = INFINITY;
  memcpy(declared, place, m->slots * sizeof *place);
  for (uint32_t i = 0; i < CANDIDATES; i++) {
    memcpy(tried, declared, m->slots * sizeof *place);
    if (heuristics[i].order != NULL) {
      heuristics[i].order(m, tried);
    }
    keep_better(m, tried, place, &least);
  }
  clew_free(tried);
  clew_free(declared);
}

bool clew_symbolic_order_slots(const struct clew_model *model, const char *name, uint32_t *place,
                               struct clew_diag_sink *diags) {
  uint32_t which = 0;
  while (which < HEURISTICS && strcmp(name, heuristics[which].name) != 0) {
    which++;
  }
  declare(model, place);
  if (which == HEURISTICS) {
    bool right = read_order(model, name, place, diags);
    if (!right) {
      declare(model, place);
    }
    return right;
  }
  if (heuristics[which].order != NULL) {
    struct symbolic_matrix matrix;
    matrix_open(&matrix, model);
    heuristics[which].order(&matrix, place);
    matrix_close(&matrix);
  }
  if (strcmp(name, "mixed") == 0) {
    clew_symbolic_mix(model, place);
  }
  return true;
}
