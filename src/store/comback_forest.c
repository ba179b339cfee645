/* Grouped reconstruction: the tree of back edges, pruned to the ways that lead to wanted states, is
 * walked depth first, so that what several reconstructing sequences share is executed once.
 *
 * The published algorithm adds each state on the way to a wanted one to a successor list of its
 * predecessor, and looks the lists up by id. Here the same tree is built from the sorted ids of the
 * wanted states: ancestors have smaller ids, so all of them appear in descending order by merging
 * the list with the predecessors of what appeared so far. Where predecessors never decrease these
 * are sorted as they come; in other orders two levels of buckets sort them. It ends at states that
 * are in a cache.
 *
 * The walk is iterative, and executes events only when a wanted state is reached, from the nearest
 * ancestor that is known: a root, a cached state, or one kept by the walk. It keeps a state while
 * children of it are left; on the way to the last child its place is handed on. When the budget
 * refuses memory for that, states are rebuilt one by one. */
#include <assert.h>
#include <string.h>

#include "store/comback_int.h"

enum { FAR_AHEAD = 8, MOST_BLOCK_BITS = 12, WORD_BITS = 64 };

static const uint64_t MAX_NODES = UINT64_C(0xfffffff0);

static struct comback_node *node_at(const struct comback_forest *f, uint32_t node) {
  assert(node < f->count);
  return (struct comback_node *)(void *)f->nodes.data + node;
}

bool comback_forest_open(struct comback_forest *f, struct clew_budget *budget) {
  f->first = COMBACK_NONE;
  return comback_region_open(&f->nodes, MAX_NODES * sizeof(struct comback_node), budget) &&
         comback_region_open(&f->pending, MAX_NODES * sizeof(uint64_t), budget);
}

void comback_forest_close(struct comback_forest *f) {
  clew_bigmem_close(&f->nodes);
  clew_bigmem_close(&f->pending);
}

uint64_t comback_forest_bytes(const struct comback_forest *f) {
  return f->nodes.committed_bytes + f->pending.committed_bytes;
}

static void add_tree(struct comback_forest *f, uint32_t node) {
  node_at(f, node)->sibling = f->first;
  f->first = node;
}

static void add_child(struct comback_forest *f, uint32_t node, uint32_t child) {
  node_at(f, child)->sibling = node_at(f, node)->child;
  node_at(f, node)->child = child;
}

/* ---- building ---- */

/* The nodes whose predecessor did not appear yet, those with the greatest predecessors first.
 *
 * In breadth-first order these are the nodes from `next` on. In other orders they wait in lists (by
 * `sibling`), one for each block of consecutive predecessors. The block whose turn it is has a list
 * for each predecessor. There are about as many blocks as states are wanted, or more if the blocks
 * would be large. As ids appear in descending order, what is pushed later belongs to that block or
 * to a later one. */
struct pending {
  bool sorted;
  uint32_t next;
  uint32_t block_bits;
  uint32_t waiting, top; /* nodes in lists of blocks, and the greatest block that may have any */
  uint32_t *blocks;      /* node + 1, or 0 */
  uint32_t present;      /* nodes in lists of the present block */
  uint32_t block, word;  /* the present block, and where in `used` the last bit may be */
  uint32_t *lists;       /* of the present block: node + 1, or 0 */
  uint64_t *used;        /* a bit for each that is not empty */
  bool any;
  uint32_t parent; /* the greatest, if there is any that may be compared */
};

static void add_present(const struct comback_forest *f, struct pending *p, uint32_t node) {
  uint32_t list = node_at(f, node)->parent - (p->block << p->block_bits), word = list / WORD_BITS;
  assert(list >> p->block_bits == 0);
  node_at(f, node)->sibling = p->lists[list];
  p->lists[list] = node + 1;
  p->used[word] |= UINT64_C(1) << list % WORD_BITS;
  p->word = word > p->word ? word : p->word;
  p->present++;
}

static void push(const struct comback *c, const struct comback_forest *f, struct pending *p,
                 uint32_t node) {
  uint32_t parent = node_at(f, node)->parent, block = parent >> p->block_bits;
  comback_tables_prefetch_edge(c, parent);
  if (p->present > 0 && block == p->block) {
    add_present(f, p, node);
    return;
  }
  assert(p->present == 0 || block < p->block);
  node_at(f, node)->sibling = p->blocks[block];
  p->blocks[block] = node + 1;
  p->top = p->waiting == 0 || block > p->top ? block : p->top;
  p->waiting++;
}

/* Makes the block of the greatest predecessors the present one, if an id of the list (or none, when
 * it is NULL) does not come before all of them anyway. */
static void load_block(const struct comback_forest *f, struct pending *p, const uint32_t *id) {
  if (p->present > 0 || p->waiting == 0) {
    return;
  }
  while (p->blocks[p->top] == 0) {
    assert(p->top > 0);
    p->top--;
  }
  if (id != NULL && *id >> p->block_bits > p->top) {
    return;
  }
  p->block = p->top;
  p->word = 0;
  for (uint32_t next = p->blocks[p->top]; next != 0;) {
    uint32_t node = next - 1;
    next = node_at(f, node)->sibling;
    add_present(f, p, node);
  }
  p->blocks[p->top] = 0;
  p->waiting -= p->present;
}

/* Finds out which is the first now. `id`: the next of the list, or NULL. */
static void look_ahead(const struct comback_forest *f, struct pending *p, const uint32_t *id) {
  if (!p->sorted) {
    load_block(f, p, id);
    p->any = p->present > 0;
    if (p->any) {
      while (p->used[p->word] == 0) {
        assert(p->word > 0);
        p->word--;
      }
      uint32_t bit = WORD_BITS - 1 - (uint32_t)__builtin_clzll(p->used[p->word]);
      p->parent = (p->block << p->block_bits) + p->word * WORD_BITS + bit;
    }
    return;
  }
  while (p->next < f->count && node_at(f, p->next)->sibling == p->next) {
    p->next++; /* a node that is its own sibling begins a tree */
  }
  p->any = p->next < f->count;
  p->parent = p->any ? node_at(f, p->next)->parent : 0;
}

/* Makes the pending nodes with the first predecessor, which is `node`, its children. */
static void adopt(struct comback_forest *f, struct pending *p, uint32_t node) {
  if (p->sorted) {
    uint32_t parent = p->parent;
    while (p->any && p->parent == parent && p->next != node) {
      add_child(f, node, p->next++);
      look_ahead(f, p, NULL);
    }
    return;
  }
  uint32_t list = p->parent - (p->block << p->block_bits);
  for (uint32_t next = p->lists[list]; next != 0; p->present--) {
    uint32_t child = next - 1;
    next = node_at(f, child)->sibling;
    add_child(f, node, child);
  }
  p->lists[list] = 0;
  p->used[list / WORD_BITS] &= ~(UINT64_C(1) << list % WORD_BITS);
}

/* Adds the next state in descending order, the parent of all pending nodes that have it as such. */
static void appear(const struct comback *c, struct comback_forest *f, struct pending *p,
                   uint32_t id, uint32_t wanted) {
  uint32_t node = f->count++;
  bool known = comback_is_known(c, id);
  struct comback_node *n = node_at(f, node);
  n->id = id;
  n->child = COMBACK_NONE;
  n->sibling = known ? node : COMBACK_NONE;
  n->wanted = wanted;
  n->parent = n->edge = 0;
  if (!known) {
    comback_tables_back_edge(c, id, &n->parent, &n->edge);
  }
  if (p->any && p->parent == id) {
    adopt(f, p, node);
  }
  if (!known && !p->sorted) {
    push(c, f, p, node);
  }
}

/* Nodes that begin a tree were marked as their own siblings until now. */
static void collect_trees(struct comback_forest *f) {
  f->first = COMBACK_NONE;
  for (uint32_t node = 0; node < f->count; node++) {
    if (node_at(f, node)->sibling == node) {
      add_tree(f, node);
    }
  }
}

/* Lists for about as many blocks as states are wanted. */
static bool open_pending(const struct comback *c, struct comback_forest *f, struct pending *p,
                         uint32_t count) {
  *p = (struct pending){.sorted = comback_tables_monotone(c)};
  if (p->sorted) {
    return true;
  }
  while (c->count >> p->block_bits > count && p->block_bits < MOST_BLOCK_BITS) {
    p->block_bits++;
  }
  size_t lists = (size_t)1 << p->block_bits, blocks = (size_t)(c->count >> p->block_bits) + 1;
  size_t words = (lists + WORD_BITS - 1) / WORD_BITS;
  size_t bytes = words * sizeof *p->used + (lists + blocks) * sizeof *p->lists;
  if (!clew_bigmem_commit(&f->pending, bytes)) {
    return false;
  }
  memset(f->pending.data, 0, bytes);
  p->used = (uint64_t *)(void *)f->pending.data;
  p->lists = (uint32_t *)(void *)(p->used + words);
  p->blocks = p->lists + lists;
  return true;
}

bool comback_forest_build(const struct comback *c, struct comback_forest *f, const uint32_t *ids,
                          uint32_t count) {
  struct pending pending;
  f->count = 0;
  if (!open_pending(c, f, &pending, count)) {
    return false;
  }
  for (uint32_t left = count;;) {
    look_ahead(f, &pending, left > 0 ? &ids[left - 1] : NULL);
    if (left == 0 && !pending.any) {
      break;
    }
    bool from_list = left > 0 && (!pending.any || ids[left - 1] >= pending.parent);
    uint32_t id = from_list ? ids[left - 1] : pending.parent;
    while (from_list && left > 1 && ids[left - 2] == id) {
      left--;
    }
    if (!clew_bigmem_commit(&f->nodes, (f->count + UINT64_C(1)) * sizeof(struct comback_node))) {
      f->count = 0;
      return false;
    }
    left -= from_list;
    if (from_list && left >= FAR_AHEAD) {
      comback_tables_prefetch_edge(c, ids[left - FAR_AHEAD]);
    }
    appear(c, f, &pending, id, from_list ? left : COMBACK_NONE);
  }
  collect_trees(f);
  return true;
}

/* ---- walking ---- */

struct comback_frame {
  uint32_t node, next; /* the child to visit next */
  uint32_t kept;       /* which of the kept states is the node's */
};

static struct comback_frame *frame_at(const struct comback_worker *w, uint64_t i) {
  return (struct comback_frame *)(void *)w->frames.data + i;
}

static uint64_t *kept_at(const struct comback *c, const struct comback_worker *w, uint32_t kept) {
  return (uint64_t *)(void *)(w->kept.data + kept * comback_state_bytes(c));
}

/* Keeps w->now for a frame while children of it are left, in the place of its predecessor if that
 * one needs it no more. */
static void keep(const struct comback *c, struct comback_worker *w, struct comback_frame *frame) {
  struct comback_frame *before = frame - 1;
  bool free = before->kept != COMBACK_NONE && before->next == COMBACK_NONE;
  if (frame->next == COMBACK_NONE) {
    w->kept_count = free ? before->kept : w->kept_count;
  } else if (free) {
    frame->kept = before->kept;
  } else if (clew_bigmem_commit(&w->kept, (w->kept_count + 1) * comback_state_bytes(c))) {
    frame->kept = (uint32_t)w->kept_count++;
  }
  before->kept = free ? COMBACK_NONE : before->kept;
  if (frame->kept != COMBACK_NONE) {
    memcpy(kept_at(c, w, frame->kept), w->now, comback_state_bytes(c));
  }
}

/* The state of the last frame: from the nearest frame whose state is known. With `kept_only` the
 * first frame's was given, and so one of the frames always keeps a state. */
static const uint64_t *state_of_last(const struct comback *c, struct comback_worker *w,
                                     const struct comback_forest *f, uint64_t depth,
                                     bool kept_only) {
  uint64_t from = depth;
  const uint64_t *state = NULL;
  while (state == NULL) {
    assert(from > 0); /* trees begin with known states */
    const struct comback_frame *frame = frame_at(w, --from);
    if (frame->kept != COMBACK_NONE) {
      state = kept_at(c, w, frame->kept);
    } else if (!kept_only) {
      state = comback_known(c, w, node_at(f, frame->node)->id);
    }
  }
  w->reconstructions += from + 1 < depth;
  for (uint64_t i = from + 1; i < depth; i++) {
    comback_replay(c, w, node_at(f, frame_at(w, i)->node)->edge, state, w->then);
    uint64_t *swap = w->now;
    w->now = w->then;
    w->then = swap;
    state = w->now;
    keep(c, w, frame_at(w, i));
  }
  return state;
}

static void prefetch_node(const struct comback_forest *f, uint32_t node) {
  if (node != COMBACK_NONE) {
    __builtin_prefetch((const struct comback_node *)(const void *)f->nodes.data + node);
  }
}

static bool push_frame(struct comback_worker *w, const struct comback_forest *f, uint64_t depth,
                       uint32_t node) {
  if (!clew_bigmem_commit(&w->frames, (depth + 1) * sizeof(struct comback_frame))) {
    return false;
  }
  const struct comback_node *n = node_at(f, node);
  *frame_at(w, depth) = (struct comback_frame){node, n->child, COMBACK_NONE};
  prefetch_node(f, n->child);
  prefetch_node(f, n->sibling);
  return true;
}

static bool is_cancelled(const struct comback_worker *w) {
  return w->cancelled != NULL && atomic_load_explicit(w->cancelled, memory_order_relaxed);
}

/* With `given`, the state of the first node is the first of those kept. */
static bool walk_tree(const struct comback *c, struct comback_worker *w,
                      const struct comback_forest *f, uint32_t tree, bool given,
                      comback_found *found, void *context) {
  uint64_t depth = 0;
  w->kept_count = given;
  for (uint32_t node = tree; node != COMBACK_NONE;) {
    if (is_cancelled(w) || !push_frame(w, f, depth, node)) {
      return false;
    }
    frame_at(w, depth)->kept = given && depth == 0 ? 0 : COMBACK_NONE;
    depth++;
    if (node_at(f, node)->wanted != COMBACK_NONE) {
      found(context, node_at(f, node)->wanted, state_of_last(c, w, f, depth, given));
    }
    while (depth > 0 && frame_at(w, depth - 1)->next == COMBACK_NONE) {
      uint32_t kept = frame_at(w, --depth)->kept;
      w->kept_count = kept != COMBACK_NONE ? kept : w->kept_count;
    }
    node = COMBACK_NONE;
    if (depth > 0) {
      struct comback_frame *frame = frame_at(w, depth - 1);
      node = frame->next;
      frame->next = node_at(f, node)->sibling;
    }
  }
  return true;
}

bool comback_forest_walk_below(const struct comback *c, struct comback_worker *w,
                               const struct comback_forest *f, uint32_t node, const uint64_t *state,
                               comback_found *found, void *context) {
  if (!clew_bigmem_commit(&w->kept, comback_state_bytes(c))) {
    return false;
  }
  memcpy(kept_at(c, w, 0), state, comback_state_bytes(c));
  return walk_tree(c, w, f, node, true, found, context);
}

bool comback_forest_walk(const struct comback *c, struct comback_worker *w,
                         const struct comback_forest *f, comback_found *found, void *context) {
  uint32_t tree = f->first;
  while (tree != COMBACK_NONE && walk_tree(c, w, f, tree, false, found, context)) {
    tree = node_at(f, tree)->sibling;
  }
  return tree == COMBACK_NONE;
}
