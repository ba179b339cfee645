/* Grouped reconstruction: the tree of back edges, pruned to the ways that lead to wanted states, is
 * walked depth first, so that what several reconstructing sequences share is executed once.
 *
 * Building, in one of two ways; both end at states that are known, roots or in a cache.
 *
 *   by merging    Where predecessors never decrease with the ids (in breadth-first order), all
 * nodes are found in descending order: the next one is a wanted state or the predecessor of the
 * first node that has none yet. by an index   In other orders nodes are numbered as they are found:
 * the wanted states, then, going through all nodes in this order, the predecessor of each unless it
 * has a node. (The published algorithm follows the way of one wanted state after the other. In this
 * order back edges, which it waits for, can be fetched ahead.)
 *
 * Walking. Each node leads to a wanted state, so its event is executed when it is reached. Only
 * where a way forks is the state kept, until the last branch is taken: memory grows with the forks
 * of one way, not with its length. When the budget refuses memory, states are rebuilt one by one.
 */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { FAR_AHEAD = 12 };

static const uint64_t MAX_NODES = UINT64_C(0xfffffff0);

static inline struct clew_comback_node *node_at(const struct clew_comback_forest *f,
                                                uint32_t node) {
  assert(node < f->count);
  return (struct clew_comback_node *)(void *)f->nodes.data + node;
}

bool clew_comback_forest_open(struct clew_comback_forest *f, struct clew_budget *budget) {
  assert(f->count == 0);
  f->first = CLEW_COMBACK_NONE;
  return clew_comback_region_open(&f->nodes, MAX_NODES * sizeof(struct clew_comback_node),
                                  budget) &&
         clew_comback_index_open(&f->index, MAX_NODES, 2, budget);
}

void clew_comback_forest_close(struct clew_comback_forest *f) {
  assert(f != NULL);
  clew_bigmem_close(&f->nodes);
  clew_bigmem_close(&f->index.places);
}

uint64_t clew_comback_forest_bytes(const struct clew_comback_forest *f) {
  assert(f->nodes.committed_bytes <= f->nodes.reserved_bytes);
  return f->nodes.committed_bytes + f->index.places.committed_bytes;
}

static uint32_t add_node(struct clew_comback_forest *f, clew_id id, uint32_t wanted) {
  assert(f->count < MAX_NODES);
  uint32_t node = f->count++;
  *node_at(f, node) = (struct clew_comback_node){.id_low = (uint32_t)id,
                                                 .id_high = (uint8_t)(id >> 32),
                                                 .child = CLEW_COMBACK_NONE,
                                                 .sibling = CLEW_COMBACK_NONE,
                                                 .wanted = wanted};
  return node;
}

/* Puts a node before the others of a list, of children or of trees. */
static inline void link_node(const struct clew_comback_forest *f, uint32_t *list, uint32_t node) {
  assert(*list != node);
  node_at(f, node)->sibling = *list;
  *list = node;
}

/* ---- building by merging ---- */

/* The nodes from `next` on are in no list yet. Until then `sibling` and `parent_high` are the id of
 * the predecessor, or NO_PARENT if a tree begins there. */
struct merge {
  const clew_id *ids;
  uint32_t left; /* of the wanted states */
  uint32_t next;
};

static const clew_id NO_PARENT = CLEW_ID_LIMIT - 1; /* which is no state */

static inline clew_id parent_of(const struct clew_comback_node *node) {
  return (clew_id)node->parent_high << 32 | node->sibling;
}

/* Puts nodes into the lists they belong to: trees, and the children of this id (NO_PARENT: no
 * children). */
static inline void link_next(struct clew_comback_forest *f, struct merge *m, clew_id id,
                             uint32_t *children) {
  for (; m->next < f->count; m->next++) {
    clew_id parent = parent_of(node_at(f, m->next));
    if (parent != NO_PARENT && parent != id) {
      return;
    }
    link_node(f, parent == NO_PARENT ? &f->first : children, m->next);
  }
}

/* The greatest id that has no node yet. There is one. */
static inline clew_id next_id(const struct clew_comback_forest *f, struct merge *m,
                              uint32_t *wanted) {
  clew_id id = m->next < f->count ? parent_of(node_at(f, m->next)) : 0;
  *wanted = CLEW_COMBACK_NONE;
  if (m->left > 0 && m->ids[m->left - 1] >= id) {
    id = m->ids[m->left - 1];
    do {
      *wanted = --m->left;
    } while (m->left > 0 && m->ids[m->left - 1] == id);
  }
  return id;
}

static bool build_by_merging(const struct clew_comback *c, struct clew_comback_forest *f,
                             const clew_id *ids, uint32_t count) {
  struct merge m = {.ids = ids, .left = count};
  assert(count == 0 || ids != NULL);
  f->count = 0;
  f->wanted = count;
  for (;;) {
    link_next(f, &m, NO_PARENT, NULL);
    if (m.left == 0 && m.next == f->count) {
      return true;
    }
    if (!clew_bigmem_commit(&f->nodes,
                            (f->count + UINT64_C(1)) * sizeof(struct clew_comback_node))) {
      return false;
    }
    uint32_t wanted, node = f->count, children = CLEW_COMBACK_NONE, edge = 0;
    clew_id id = next_id(f, &m, &wanted), parent = NO_PARENT;
    link_next(f, &m, id, &children);
    if (m.left >= FAR_AHEAD) {
      clew_comback_tables_prefetch_edge(c, ids[m.left - FAR_AHEAD]);
    }
    if (!clew_comback_is_known(c, id)) {
      clew_comback_tables_back_edge(c, id, &parent, &edge);
      clew_comback_tables_prefetch_edge(c, parent);
    }
    f->count++;
    *node_at(f, node) = (struct clew_comback_node){.id_low = (uint32_t)id,
                                                   .id_high = (uint8_t)(id >> 32),
                                                   .child = children,
                                                   .sibling = (uint32_t)parent,
                                                   .parent_high = (uint8_t)(parent >> 32),
                                                   .edge = edge,
                                                   .wanted = wanted};
  }
}

/* ---- building by an index ---- */

/* Room for so many nodes in all, or more. */
static bool reserve_nodes(struct clew_comback_forest *f, uint64_t count) {
  assert(count >= f->count && count <= MAX_NODES);
  bool again;
  if (!clew_bigmem_commit(&f->nodes, count * sizeof(struct clew_comback_node)) ||
      !clew_comback_index_reserve(&f->index, count, &again)) {
    return false;
  }
  for (uint32_t node = 0; again && node < f->count; node++) {
    clew_comback_index_add(&f->index, clew_comback_hash_id(clew_comback_node_id(node_at(f, node))),
                           node);
  }
  uint64_t room = f->nodes.committed_bytes / sizeof(struct clew_comback_node);
  f->room = room < clew_comback_index_room(&f->index) ? room : clew_comback_index_room(&f->index);
  return true;
}

/* The node of an id, an old or a new one; room was reserved. */
static inline uint32_t node_of(struct clew_comback_forest *f, clew_id id) {
  assert(f->count < f->room);
  struct clew_comback_probe probe;
  uint32_t node = clew_comback_index_first(&f->index, clew_comback_hash_id(id), &probe);
  while (node != CLEW_COMBACK_NONE && clew_comback_node_id(node_at(f, node)) != id) {
    node = clew_comback_index_next(&f->index, &probe);
  }
  if (node == CLEW_COMBACK_NONE) {
    node = add_node(f, id, CLEW_COMBACK_NONE);
    clew_comback_index_add_at(&f->index, &probe, node);
  }
  return node;
}

/* How many nodes there will be, if it is as in the last forest. */
static uint64_t expected_nodes(const struct clew_comback_forest *f, uint32_t count) {
  uint64_t nodes = f->wanted > 0 ? count * (uint64_t)f->count / f->wanted : count;
  return nodes < MAX_NODES / 2 ? nodes + nodes / 8 : MAX_NODES;
}

static bool add_wanted(struct clew_comback_forest *f, const clew_id *ids, uint32_t count) {
  uint64_t expected = expected_nodes(f, count);
  assert(count == 0 || ids != NULL);
  f->count = 0;
  f->wanted = count;
  if (!clew_comback_index_restart(&f->index, count, expected) || !reserve_nodes(f, count)) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (i == 0 || ids[i] != ids[i - 1]) {
      clew_comback_index_add(&f->index, clew_comback_hash_id(ids[i]), add_node(f, ids[i], i));
    }
  }
  assert(f->count <= count);
  return true;
}

static bool build_by_index(const struct clew_comback *c, struct clew_comback_forest *f,
                           const clew_id *ids, uint32_t count) {
  assert(f->first == CLEW_COMBACK_NONE);
  if (!add_wanted(f, ids, count)) {
    return false;
  }
  for (uint32_t node = 0; node < f->count; node++) {
    struct clew_comback_node *n = node_at(f, node);
    clew_id id = clew_comback_node_id(n), parent;
    uint32_t *list = &f->first;
    if ((uint64_t)node + FAR_AHEAD < f->count) {
      clew_comback_tables_prefetch_edge(c, clew_comback_node_id(node_at(f, node + FAR_AHEAD)));
    }
    if (!clew_comback_is_known(c, id)) {
      if (f->count == f->room && !reserve_nodes(f, f->room + 1)) {
        return false;
      }
      clew_comback_tables_back_edge(c, id, &parent, &n->edge);
      list = &node_at(f, node_of(f, parent))->child;
    }
    link_node(f, list, node);
  }
  return true;
}

bool clew_comback_forest_build(const struct clew_comback *c, struct clew_comback_forest *f,
                               const clew_id *ids, uint32_t count) {
  assert(count == 0 || ids[0] <= ids[count - 1]);
  f->first = CLEW_COMBACK_NONE;
  return clew_comback_tables_monotone(c) ? build_by_merging(c, f, ids, count)
                                         : build_by_index(c, f, ids, count);
}

/* ---- walking ---- */

static uint32_t *fork_at(const struct clew_comback_worker *w, uint64_t i) {
  assert((i + 1) * sizeof(uint32_t) <= w->forks.committed_bytes);
  return (uint32_t *)(void *)w->forks.data + i;
}

static uint64_t *kept_at(const struct clew_comback *c, const struct clew_comback_worker *w,
                         uint64_t i) {
  assert((i + 1) * clew_comback_state_bytes(c) <= w->kept.committed_bytes);
  return (uint64_t *)(void *)(w->kept.data + i * clew_comback_state_bytes(c));
}

/* Keeps the state of a node with several branches, of which `next` is the second. */
static bool add_fork(const struct clew_comback *c, struct clew_comback_worker *w, uint64_t forks,
                     uint32_t next, const uint64_t *state) {
  assert(next != CLEW_COMBACK_NONE);
  if (!clew_bigmem_commit(&w->forks, (forks + 1) * sizeof(uint32_t)) ||
      !clew_bigmem_commit(&w->kept, (forks + 1) * clew_comback_state_bytes(c))) {
    return false;
  }
  *fork_at(w, forks) = next;
  memcpy(kept_at(c, w, forks), state, clew_comback_state_bytes(c));
  return true;
}

static void prefetch_node(const struct clew_comback_forest *f, uint32_t node) {
  if (node != CLEW_COMBACK_NONE) {
    __builtin_prefetch((const struct clew_comback_node *)(const void *)f->nodes.data + node);
  }
}

static bool is_cancelled(const struct clew_comback_worker *w) {
  return w->cancelled != NULL && atomic_load_explicit(w->cancelled, memory_order_relaxed);
}

bool clew_comback_forest_walk_below(const struct clew_comback *c, struct clew_comback_worker *w,
                                    const struct clew_comback_forest *f, uint32_t node,
                                    const uint64_t *state, clew_comback_found *found,
                                    void *context) {
  assert(state != NULL && found != NULL);
  assert(node < f->count);
  const uint32_t start = node;
  for (uint64_t forks = 0;;) {
    const struct clew_comback_node *n = node_at(f, node);
    uint32_t next = n->child;
    prefetch_node(f, n->sibling);
    if (n->wanted != CLEW_COMBACK_NONE) {
      w->reconstructions += node != start;
      found(context, n->wanted, state);
    }
    if (next == CLEW_COMBACK_NONE && forks == 0) {
      return true;
    }
    if (next == CLEW_COMBACK_NONE) { /* back to where another branch is left */
      next = *fork_at(w, forks - 1);
      state = kept_at(c, w, forks - 1);
      *fork_at(w, forks - 1) = node_at(f, next)->sibling;
      forks -= node_at(f, next)->sibling == CLEW_COMBACK_NONE;
    } else if (node_at(f, next)->sibling != CLEW_COMBACK_NONE) {
      if (!add_fork(c, w, forks++, node_at(f, next)->sibling, state)) {
        return false;
      }
    }
    if (is_cancelled(w)) {
      return false;
    }
    clew_comback_replay(c, w, node_at(f, next)->edge, state, w->then);
    uint64_t *swap = w->now;
    w->now = w->then;
    w->then = swap;
    state = w->now;
    node = next;
  }
}

bool clew_comback_forest_walk(const struct clew_comback *c, struct clew_comback_worker *w,
                              const struct clew_comback_forest *f, clew_comback_found *found,
                              void *context) {
  for (uint32_t tree = f->first; tree != CLEW_COMBACK_NONE; tree = node_at(f, tree)->sibling) {
    const uint64_t *state = clew_comback_known(c, w, clew_comback_node_id(node_at(f, tree)));
    assert(state != NULL);
    if (!clew_comback_forest_walk_below(c, w, f, tree, state, found, context)) {
      return false;
    }
  }
  return true;
}
