/* Exact counts, however large, in eight bytes and two bits per node.
 *
 * The number of vectors of a node is that of `down` plus that of `right`: additions only. So it can
 * be computed one 64-bit word after the other: a pass over the nodes of the diagram, children
 * first, adds up one word of all numbers and leaves the carry of each node for the next pass. It
 * ends with the first word that is 0 everywhere. */
#include "dd/dd_int.h"

#include "base/alloc.h"

struct counting {
  struct clew_dd *dd;
  struct clew_bigmem words;   /* of each node of the diagram, by rank */
  struct clew_bigmem carries; /* the same, a bit each: what the word before left */
  uint64_t largest;
};

static void mark_diagram(struct clew_dd *dd, clew_ldd set) {
  assert(set < dd->count);
  clew_dd_marks_clear(dd);
  clew_dd_mark(dd, set);
}

/* Calls back for each node of the diagram that is marked, children first. */
static void each_node(struct clew_dd *dd, void (*visit)(void *context, clew_ldd id, uint32_t rank),
                      void *context) {
  uint32_t rank = 0;
  const uint64_t *marks = (const uint64_t *)(const void *)dd->marks.data;
  for (uint32_t word = 0; word <= dd->count / 64; word++) {
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
  uint64_t *words = (uint64_t *)(void *)counting->words.data;
  uint64_t *carries = (uint64_t *)(void *)counting->carries.data;
  struct clew_ldd_node node = node_of(counting->dd, id);
  uint64_t bit = UINT64_C(1) << (rank % 64), carry = (carries[rank / 64] & bit) != 0;
  unsigned __int128 sum = (unsigned __int128)words[clew_dd_rank(counting->dd, node.down)] +
                          words[clew_dd_rank(counting->dd, node.right)] + carry;
  words[rank] = (uint64_t)sum;
  carries[rank / 64] = (carries[rank / 64] & ~bit) | (sum >> 64 != 0 ? bit : 0);
  counting->largest |= words[rank] | (uint64_t)(sum >> 64);
}

static void close_counting(struct counting *counting) {
  clew_bigmem_close(&counting->words);
  clew_bigmem_close(&counting->carries);
}

static bool try_counting(struct counting *counting, uint32_t nodes) {
  struct clew_budget *budget = counting->dd->budget;
  size_t words = nodes * sizeof(uint64_t), carries = (nodes / 64 + (size_t)1) * sizeof(uint64_t);
  return clew_bigmem_open(&counting->words, words, budget) &&
         clew_bigmem_open(&counting->carries, carries, budget) &&
         clew_bigmem_commit(&counting->words, words) &&
         clew_bigmem_commit(&counting->carries, carries);
}

/* A count is worth more than what the cache remembers. */
static bool open_counting(struct counting *counting, uint32_t nodes) {
  if (try_counting(counting, nodes)) {
    return true;
  }
  close_counting(counting);
  clew_dd_cache_shrink(counting->dd);
  return try_counting(counting, nodes);
}

bool clew_ldd_count(struct clew_dd *dd, clew_ldd set, struct clew_natural *count) {
  assert(set != CLEW_DD_NONE);
  clew_natural_set(count, set == CLEW_LDD_UNIT);
  if (set < FIRST_NODE) {
    return true;
  }
  mark_diagram(dd, set);
  uint32_t nodes = clew_dd_marks_close(dd), place = 0;
  struct counting counting = {.dd = dd};
  bool opened = open_counting(&counting, nodes);
  if (opened) {
    uint64_t *words = (uint64_t *)(void *)counting.words.data;
    do {
      counting.largest = 0;
      words[CLEW_LDD_EMPTY] = 0;
      words[CLEW_LDD_UNIT] = place == 0;
      each_node(dd, add_word, &counting);
      clew_natural_add(count, words[clew_dd_rank(dd, set)], place++);
    } while (counting.largest != 0);
  }
  close_counting(&counting);
  return opened;
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
