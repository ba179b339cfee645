/* Collecting: nodes that nothing kept reaches are taken away, and the others close up.
 *
 * Children come before their parents in the arena. So one pass from the end to the beginning marks
 * all that is reachable, without a stack, and one pass from the beginning moves the marked nodes
 * down and renames their children, which have been renamed already. The order stays, the arena is
 * dense again, and no memory is needed beyond a bit per node. The new number of a node is its rank
 * among the marked ones. Results in the cache whose nodes all stay are renamed, too. */
#include "dd/dd_int.h"

enum { LEAST_GARBAGE = 1 << 18 }; /* nodes that are made before a collection is thought of */

/* ---- marks ---- */

static uint64_t *mark_words(const struct clew_dd *dd) {
  return (uint64_t *)(void *)dd->marks.data;
}

static uint32_t *rank_words(const struct clew_dd *dd) {
  return (uint32_t *)(void *)dd->ranks.data;
}

static uint32_t mark_word_count(const struct clew_dd *dd) {
  uint32_t words = dd->count / 64 + 1;
  assert((size_t)words * sizeof(uint64_t) <= dd->marks.committed_bytes);
  return words;
}

void clew_dd_marks_clear(struct clew_dd *dd) {
  memset(dd->marks.data, 0, mark_word_count(dd) * sizeof(uint64_t));
}

void clew_dd_mark(struct clew_dd *dd, clew_ldd id) {
  assert(id < dd->count);
  mark_words(dd)[id / 64] |= UINT64_C(1) << (id % 64);
}

bool clew_dd_is_marked(const struct clew_dd *dd, clew_ldd id) {
  assert(id < dd->count);
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
  clew_vec_push(&dd->roots, root);
}

void clew_dd_drop(struct clew_dd *dd, uint32_t count) {
  assert(count <= dd->roots.len);
  dd->roots.len -= count;
}

void clew_dd_forget(struct clew_dd *dd, clew_ldd *root) {
  uint32_t i = dd->roots.len;
  while (i > 0 && dd->roots.data[i - 1] != root) {
    i--;
  }
  assert(i > 0);
  dd->roots.len--;
  memmove(dd->roots.data + i - 1, dd->roots.data + i,
          (dd->roots.len - (i - 1)) * sizeof *dd->roots.data);
}

static void mark_roots(struct clew_dd *dd) {
  for (uint32_t i = 0; i < dd->roots.len; i++) {
    if (*dd->roots.data[i] != CLEW_DD_NONE) {
      clew_dd_mark(dd, *dd->roots.data[i]);
    }
  }
}

/* A variable that was kept twice must be renamed once: marks of roots do not tell, so new numbers
 * are written only after all were computed. */
static void rename_roots(struct clew_dd *dd) {
  CLEW_VEC(clew_ldd) renamed = {0};
  for (uint32_t i = 0; i < dd->roots.len; i++) {
    clew_ldd root = *dd->roots.data[i];
    clew_vec_push(&renamed, root == CLEW_DD_NONE ? root : clew_dd_rank(dd, root));
  }
  for (uint32_t i = 0; i < dd->roots.len; i++) {
    *dd->roots.data[i] = renamed.data[i];
  }
  clew_vec_free(&renamed);
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
  uint64_t at = (uint64_t)dd->count * 2 + LEAST_GARBAGE;
  dd->collect_at = at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
  dd->until_often = dd->often;
}

void clew_dd_collect(struct clew_dd *dd) {
  assert(dd->items.len == 0); /* no operation is at work */
  dd->peak = dd->count > dd->peak ? dd->count : dd->peak;
  clew_dd_marks_clear(dd);
  mark_roots(dd);
  uint32_t live = clew_dd_marks_close(dd);
  assert(live <= dd->count);
  rename_roots(dd);
  close_up(dd, live);
  clew_dd_cache_rename(dd, live);
  dd->count = live;
  clew_dd_index_rebuild(dd);
  dd->collections++;
  schedule(dd);
}

void clew_dd_collect_often(struct clew_dd *dd, uint32_t operations) {
  dd->often = operations;
  schedule(dd);
}

/* ---- performing operations ---- */

enum clew_dd_status clew_dd_status(const struct clew_dd *dd) {
  return dd->status;
}

static bool is_due(struct clew_dd *dd) {
  return dd->count >= dd->collect_at || (dd->often > 0 && dd->until_often-- <= 1);
}

static void collect_around(struct clew_dd *dd, struct call *call) {
  clew_dd_keep(dd, &call->a);
  clew_dd_keep(dd, &call->b);
  clew_dd_keep(dd, &call->c);
  clew_dd_collect(dd);
  clew_dd_drop(dd, 3);
}

clew_ldd clew_dd_perform(struct clew_dd *dd, struct call *call) {
  assert(dd->items.len == 0);
  assert(call->a != CLEW_DD_NONE && call->b != CLEW_DD_NONE && call->c != CLEW_DD_NONE);
  dd->status = CLEW_DD_OK;
  dd->operations++;
  if (__builtin_expect(is_due(dd), 0)) {
    collect_around(dd, call);
  }
  clew_ldd result = call->run(dd, call);
  clew_vec_clear(&dd->items);
  if (__builtin_expect(dd->status == CLEW_DD_FULL, 0)) {
    collect_around(dd, call);
    dd->status = CLEW_DD_OK;
    result = call->run(dd, call);
    clew_vec_clear(&dd->items);
  }
  return dd->status == CLEW_DD_OK ? result : CLEW_DD_NONE;
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
  const uint32_t *index = (const uint32_t *)(const void *)dd->index.data;
  for (uint64_t i = 0; i < (uint64_t)dd->bucket_count * CLEW_LANES; i++) {
    entries += index[i] != 0;
  }
  return entries;
}

bool clew_dd_validate(const struct clew_dd *dd, const char **why) {
  for (clew_ldd id = FIRST_NODE; id < dd->count; id++) {
    const char *flaw = find_flaw(dd, id);
    if (flaw != NULL) {
      *why = flaw;
      return false;
    }
  }
  if (count_entries(dd) != dd->count - FIRST_NODE) {
    *why = "the index has not one entry for each node";
    return false;
  }
  return true;
}
