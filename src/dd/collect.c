/* Collecting: nodes that nothing kept reaches are taken away, and the others close up.
 *
 * Children come before their parents in the arena. So one pass from the end to the beginning marks
 * all that is reachable, without a stack, and one pass from the beginning moves the marked nodes
 * down and renames their children, which have been renamed already. The order stays, the arena is
 * dense again, and no memory is needed beyond a bit per node. The new number of a node is its rank
 * among the marked ones. Results in the cache whose nodes all stay are renamed, too. */
#include "dd/tasks_int.h"

/* Nodes that are made before a collection is thought of: it makes operations forget what they knew
 * of garbage, and much of that is asked for again. With the cache a node takes some 32 bytes, so
 * garbage is an eighth of the budget at most. */
enum { MOST_GARBAGE = 1 << 21, LEAST_GARBAGE = 1 << 14, GARBAGE_PART = 8 * 32 };

/* ---- marks ---- */

static uint64_t *mark_words(const struct clew_dd *dd) {
  return (uint64_t *)(void *)dd->table->marks.data;
}

static uint32_t *rank_words(const struct clew_dd *dd) {
  return (uint32_t *)(void *)dd->table->ranks.data;
}

static uint32_t mark_word_count(const struct clew_dd *dd) {
  uint32_t words = clew_dd_end(dd) / 64 + 1;
  assert((size_t)words * sizeof(uint64_t) <= dd->table->marks.committed_bytes);
  return words;
}

void clew_dd_marks_clear(struct clew_dd *dd) {
  memset(mark_words(dd), 0, mark_word_count(dd) * sizeof(uint64_t));
}

void clew_dd_mark(struct clew_dd *dd, clew_ldd id) {
  assert(id < clew_dd_end(dd));
  mark_words(dd)[id / 64] |= UINT64_C(1) << (id % 64);
}

bool clew_dd_is_marked(const struct clew_dd *dd, clew_ldd id) {
  assert(id < dd->most);
  return (mark_words(dd)[id / 64] >> (id % 64)) & 1;
}

static void mark_children(struct clew_dd *dd, uint32_t word) {
  uint64_t *marks = mark_words(dd);
  /* Children in the same word have lower bits: the highest that is left comes next. */
  uint64_t left = marks[word], seen = 0;
  while (left != 0) {
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);
    seen |= UINT64_C(1) << bit;
    clew_ldd id = word * 64 + bit;
    if (id >= FIRST_NODE) {
      struct clew_ldd_node node = node_of(dd, id);
      marks[node.down / 64] |= UINT64_C(1) << (node.down % 64);
      marks[node.right / 64] |= UINT64_C(1) << (node.right % 64);
    }
    left = marks[word] & ~seen;
  }
}

uint32_t clew_dd_marks_close(struct clew_dd *dd) {
  uint64_t *marks = mark_words(dd);
  uint32_t words = mark_word_count(dd), total = 0;
  marks[0] |= 3; /* the ends are always there, with the ranks 0 and 1 */
  for (uint32_t word = words; word-- > 0;) {
    if (marks[word] != 0) {
      mark_children(dd, word);
    }
  }
  uint32_t *ranks = rank_words(dd);
  for (uint32_t word = 0; word < words; word++) {
    if (word % MARK_BLOCK_WORDS == 0) {
      ranks[word / MARK_BLOCK_WORDS] = total;
    }
    total += (uint32_t)__builtin_popcountll(marks[word]);
  }
  return total;
}

uint32_t clew_dd_rank(const struct clew_dd *dd, clew_ldd id) {
  assert(clew_dd_is_marked(dd, id));
  const uint64_t *marks = mark_words(dd);
  uint32_t word = id / 64, first = word / MARK_BLOCK_WORDS * MARK_BLOCK_WORDS;
  uint32_t rank = rank_words(dd)[word / MARK_BLOCK_WORDS];
  for (uint32_t i = first; i < word; i++) {
    rank += (uint32_t)__builtin_popcountll(marks[i]);
  }
  return rank + (uint32_t)__builtin_popcountll(marks[word] & ((UINT64_C(1) << (id % 64)) - 1));
}

/* ---- roots ---- */

void clew_dd_keep(struct clew_dd *dd, clew_ldd *root) {
  assert(root != NULL);
  clew_vec_push(&dd->table->roots, root);
}

void clew_dd_drop(struct clew_dd *dd, uint32_t count) {
  assert(count <= dd->table->roots.len);
  dd->table->roots.len -= count;
}

void clew_dd_forget(struct clew_dd *dd, clew_ldd *root) {
  uint32_t i = dd->table->roots.len;
  while (i > 0 && dd->table->roots.data[i - 1] != root) {
    i--;
  }
  assert(i > 0);
  dd->table->roots.len--;
  memmove(dd->table->roots.data + i - 1, dd->table->roots.data + i,
          (dd->table->roots.len - (i - 1)) * sizeof *dd->table->roots.data);
}

static void mark_roots(struct clew_dd *dd) {
  for (uint32_t i = 0; i < dd->table->roots.len; i++) {
    if (*dd->table->roots.data[i] != CLEW_DD_NONE) {
      clew_dd_mark(dd, *dd->table->roots.data[i]);
    }
  }
  for (uint32_t i = 0; i < dd->table->held.len; i++) {
    clew_dd_mark(dd, dd->table->held.data[i].a);
    clew_dd_mark(dd, dd->table->held.data[i].b);
  }
}

/* A variable that was kept twice must be renamed once: marks of roots do not tell, so new numbers
 * are written only after all were computed. */
static void rename_roots(struct clew_dd *dd) {
  CLEW_VEC(clew_ldd) renamed = {0};
  for (uint32_t i = 0; i < dd->table->roots.len; i++) {
    clew_ldd root = *dd->table->roots.data[i];
    clew_vec_push(&renamed, root == CLEW_DD_NONE ? root : clew_dd_rank(dd, root));
  }
  for (uint32_t i = 0; i < dd->table->roots.len; i++) {
    *dd->table->roots.data[i] = renamed.data[i];
  }
  clew_vec_free(&renamed);
  for (uint32_t i = 0; i < dd->table->held.len; i++) {
    struct held *held = &dd->table->held.data[i];
    held->a = clew_dd_rank(dd, held->a);
    held->b = clew_dd_rank(dd, held->b);
  }
}

/* ---- collections ---- */

static void close_up(struct clew_dd *dd, uint32_t live) {
  const uint64_t *marks = mark_words(dd);
  uint32_t words = mark_word_count(dd), to = 0;
  for (uint32_t word = 0; word < words; word++) {
    for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
      clew_ldd id = word * 64 + (uint32_t)__builtin_ctzll(left);
      if (id >= FIRST_NODE) {
        struct clew_ldd_node node = node_of(dd, id);
        node.down = clew_dd_rank(dd, node.down);
        node.right = clew_dd_rank(dd, node.right);
        assert(node.down < to && node.right < to && to <= id);
        node_set(dd, to, node);
      }
      to++;
    }
  }
  assert(to == live);
}

/* When as much garbage as there are nodes now has been made, and some more. */
static void schedule(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint64_t garbage = table->budget->limit_bytes / GARBAGE_PART;
  garbage = garbage < MOST_GARBAGE ? garbage : MOST_GARBAGE;
  garbage = garbage > LEAST_GARBAGE ? garbage : LEAST_GARBAGE;
  table->collect_at = clew_dd_node_count(dd) * 2 + garbage;
  table->until_often = table->often;
}

bool clew_dd_collection_is_due(struct clew_dd *dd) {
  struct table *table = dd->table;
  /* Numbers come first: there are as many of them as nodes, or more. */
  return (clew_dd_end(dd) >= table->collect_at && clew_dd_node_count(dd) >= table->collect_at) ||
         (table->often > 0 && table->until_often-- <= 1);
}

void clew_dd_collect(struct clew_dd *dd) {
  assert(dd->items.len == 0 && !dd->is_shared); /* no operation is at work */
  struct table *table = dd->table;
  uint64_t nodes = clew_dd_node_count(dd);
  table->peak = nodes > table->peak ? nodes : table->peak;
  clew_dd_marks_clear(dd);
  mark_roots(dd);
  uint32_t live = clew_dd_marks_close(dd);
  assert(live <= nodes);
  rename_roots(dd);
  close_up(dd, live);
  clew_dd_cache_rename(dd, live);
  clew_dd_restart_numbers(dd, live);
  clew_dd_index_rebuild(dd);
  table->collections++;
  schedule(dd);
}

void clew_dd_collect_often(struct clew_dd *dd, uint32_t operations) {
  dd->table->often = operations;
  schedule(dd);
}

/* ---- the validator ---- */

static const char *find_flaw(const struct clew_dd *dd, clew_ldd id) {
  struct clew_ldd_node node = node_of(dd, id);
  if (node.down >= id || node.right >= id) {
    return "a child does not come before its parent";
  }
  if ((node.value & DIFFERENCE) != 0) {
    const char *flaw = clew_dd_find_difference_flaw(dd, node);
    return flaw != NULL || clew_dd_find(dd, node) == id ? flaw : "a node is not in the index";
  }
  if (node.down == CLEW_LDD_EMPTY) {
    return "a value leads to the empty set";
  }
  if (node.right == CLEW_LDD_UNIT) {
    return "a list ends in the end of vectors";
  }
  if (node.right != CLEW_LDD_EMPTY && node_of(dd, node.right).value <= node.value) {
    return "values do not rise";
  }
  return clew_dd_find(dd, node) == id ? NULL : "a node is not in the index, or exists twice";
}

static uint64_t count_entries(const struct clew_dd *dd) {
  uint64_t entries = 0;
  for (uint64_t i = 0; i < (uint64_t)dd->bucket_count * CLEW_LANES; i++) {
    entries += dd->index[i] != 0;
  }
  return entries;
}

bool clew_dd_validate(const struct clew_dd *dd, const char **why) {
  uint64_t holes = 0;
  for (clew_ldd id = FIRST_NODE; id < clew_dd_end(dd); id++) {
    if (is_hole(node_of(dd, id))) {
      holes++;
      continue;
    }
    const char *flaw = find_flaw(dd, id);
    if (flaw != NULL) {
      *why = flaw;
      return false;
    }
  }
  if (clew_dd_end(dd) - holes != clew_dd_node_count(dd)) {
    *why = "not every number without a node is known";
    return false;
  }
  if (count_entries(dd) != clew_dd_node_count(dd) - FIRST_NODE) {
    *why = "the index has not one entry for each node";
    return false;
  }
  return true;
}
