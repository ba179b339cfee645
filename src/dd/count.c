/* Exact counts, however large, in four bytes and a bit per node. A vector that ends in a set of
 * clock values counts as one.
 *
 * The number of vectors of a node is that of `down` plus that of `right`: additions only. So it can
 * be computed one 32-bit word after the other: a pass over the nodes of the diagram, children
 * first, adds up one word of all numbers and leaves the carry of each node for the next pass. It
 * ends with the first word that is 0 everywhere.
 *
 * A count always has an answer. Where the budget refuses memory for it, the index lends its own,
 * which is enough, and is filled anew afterwards. */
#include "dd/dd_int.h"

#include "base/alloc.h"

struct counting {
  struct clew_dd *dd;
  uint32_t *words;   /* of each node of the diagram, by rank */
  uint64_t *carries; /* the same, a bit each: what the word before left */
  uint64_t largest;
  uint32_t half; /* number of the word */
};

static void mark_diagram(struct clew_dd *dd, clew_ldd set) {
  assert(set < clew_dd_end(dd));
  clew_dd_marks_clear(dd);
  clew_dd_mark(dd, set);
}

/* Calls back for each node of the diagram that is marked, children first. */
static void each_node(struct clew_dd *dd, void (*visit)(void *context, clew_ldd id, uint32_t rank),
                      void *context) {
  uint32_t rank = 0;
  const uint64_t *marks = (const uint64_t *)(const void *)dd->table->marks.data;
  for (uint32_t word = 0; word <= clew_dd_end(dd) / 64; word++) {
    for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
      clew_ldd id = word * 64 + (uint32_t)__builtin_ctzll(left);
      if (id >= FIRST_NODE) {
        visit(context, id, rank);
      }
      rank++;
    }
  }
}

static void add_word(void *context, clew_ldd id, uint32_t rank) {
  struct counting *counting = context;
  uint32_t *words = counting->words;
  uint64_t *carries = counting->carries;
  struct clew_ldd_node node = node_of(counting->dd, id);
  if ((node.value & DIFFERENCE) != 0) {
    words[rank] = counting->half == 0;
    return;
  }
  uint64_t bit = UINT64_C(1) << (rank % 64), carry = (carries[rank / 64] & bit) != 0;
  uint64_t sum = (uint64_t)words[clew_dd_rank(counting->dd, node.down)] +
                 words[clew_dd_rank(counting->dd, node.right)] + carry;
  words[rank] = (uint32_t)sum;
  carries[rank / 64] = (carries[rank / 64] & ~bit) | (sum >> 32 != 0 ? bit : 0);
  counting->largest |= sum;
}

/* Word after word, in the memory that is there. */
static void add_up(struct counting *counting, clew_ldd set, uint32_t nodes,
                   struct clew_natural *count) {
  struct clew_dd *dd = counting->dd;
  uint32_t rank = clew_dd_rank(dd, set);
  memset(counting->carries, 0, (nodes / 64 + (size_t)1) * sizeof *counting->carries);
  do {
    counting->largest = 0;
    counting->words[CLEW_LDD_EMPTY] = 0;
    counting->words[CLEW_LDD_UNIT] = counting->half == 0;
    each_node(dd, add_word, counting);
    clew_natural_add(count, (uint64_t)counting->words[rank] << (counting->half % 2 * 32),
                     counting->half / 2);
    counting->half++;
  } while (counting->largest != 0);
}

void clew_ldd_count(struct clew_dd *dd, clew_ldd set, struct clew_natural *count) {
  assert(set != CLEW_DD_NONE);
  clew_natural_set(count, set == CLEW_LDD_UNIT);
  if (set < FIRST_NODE) {
    return;
  }
  mark_diagram(dd, set);
  uint32_t nodes = clew_dd_marks_close(dd);
  size_t carry_bytes = (nodes / 64 + (size_t)1) * sizeof(uint64_t);
  size_t bytes = carry_bytes + nodes * sizeof(uint32_t);
  struct clew_bigmem own = {0};
  bool lent = !clew_bigmem_open(&own, bytes, dd->table->budget) || !clew_bigmem_commit(&own, bytes);
  unsigned char *memory = lent ? dd->table->index.data : own.data;
  assert(!lent || bytes <= (size_t)dd->bucket_count * CLEW_LANES_BYTES);
  struct counting counting = {.dd = dd,
                              .carries = (uint64_t *)(void *)memory,
                              .words = (uint32_t *)(void *)(memory + carry_bytes)};
  add_up(&counting, set, nodes, count);
  if (lent) {
    clew_dd_index_rebuild(dd);
  }
  clew_bigmem_close(&own);
}

/* ---- nodes ---- */

uint64_t clew_ldd_nodes(struct clew_dd *dd, clew_ldd set) {
  assert(set != CLEW_DD_NONE);
  mark_diagram(dd, set);
  return clew_dd_marks_close(dd) - FIRST_NODE;
}

/* Nodes of a level lead down to those of the next, and to the right to others of their own: each
 * level is marked from the one above. */
void clew_ldd_level_nodes(struct clew_dd *dd, clew_ldd set, uint32_t levels, uint64_t *nodes) {
  CLEW_VEC(clew_ldd) level = {0}, next = {0};
  if (set >= FIRST_NODE) {
    clew_vec_push(&level, set);
  }
  for (uint32_t i = 0; i < levels; i++) {
    clew_dd_marks_clear(dd);
    nodes[i] = 0;
    clew_vec_clear(&next);
    for (uint32_t j = 0; j < level.len; j++) {
      for (clew_ldd id = level.data[j]; id >= FIRST_NODE && !clew_dd_is_marked(dd, id);
           id = node_of(dd, id).right) {
        clew_dd_mark(dd, id);
        nodes[i]++;
        clew_vec_push(&next, node_of(dd, id).down);
      }
    }
    CLEW_VEC(clew_ldd) swapped = {level.data, level.len, level.cap};
    level.data = next.data, level.len = next.len, level.cap = next.cap;
    next.data = swapped.data, next.len = swapped.len, next.cap = swapped.cap;
  }
  clew_vec_free(&level);
  clew_vec_free(&next);
}
