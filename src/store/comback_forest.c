/* Grouped reconstruction: the tree of back edges, pruned to the ways that lead to wanted states, is
 * walked depth first, so that what several reconstructing sequences share is executed once.
 *
 * A forest comes about in one of two ways.
 *   marked   state by state, as in the published algorithm: the wanted state gets its check mark,
 *            and following the back edges each state is added to the successor list of its
 *            predecessor, until one is met that is listed already. Lists and marks are kept only
 *            for states that have any, in nodes that a map finds by id.
 *   built    from a sorted list of ids. Ancestors have smaller ids, so all of them appear in
 *            descending order by merging the list with the predecessors of what appeared so far.
 *            Where predecessors never decrease these are sorted as they come; in other orders a
 *            heap sorts them. Ends at states that are in a cache.
 *
 * The walk is iterative, and executes events only when a wanted state is reached, from the nearest
 * ancestor that is known: a root, a cached state, or one kept by the walk. It keeps a state while
 * children of it are left; on the way to the last child its place is handed on. When the budget
 * refuses memory for that, states are rebuilt one by one. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/comback_int.h"

enum { FIRST_MAP_BITS = 6 };

static const uint64_t MAX_NODES = UINT64_C(0xfffffff0);

static struct comback_node *node_at(const struct comback_forest *f, uint32_t node) {
  assert(node < f->count);
  return (struct comback_node *)(void *)f->nodes.data + node;
}

bool comback_forest_open(struct comback_forest *f, struct clew_budget *budget) {
  f->first = COMBACK_NONE;
  f->map_bits = FIRST_MAP_BITS;
  return comback_region_open(&f->nodes, MAX_NODES * sizeof(struct comback_node), budget) &&
         comback_region_open(&f->map, MAX_NODES * 4 * sizeof(uint32_t), budget) &&
         comback_region_open(&f->heap, MAX_NODES * sizeof(uint64_t), budget) &&
         clew_bigmem_commit(&f->map, sizeof(uint32_t) << f->map_bits);
}

void comback_forest_close(struct comback_forest *f) {
  clew_bigmem_close(&f->nodes);
  clew_bigmem_close(&f->map);
  clew_bigmem_close(&f->heap);
}

uint64_t comback_forest_bytes(const struct comback_forest *f) {
  return f->nodes.committed_bytes + f->map.committed_bytes + f->heap.committed_bytes;
}

static uint32_t add_node(struct comback_forest *f, uint32_t id, uint32_t edge) {
  uint32_t node = f->count++;
  *node_at(f, node) =
      (struct comback_node){.id = id, .child = COMBACK_NONE, .sibling = COMBACK_NONE, .edge = edge};
  return node;
}

static void want(struct comback_forest *f, uint32_t node) {
  f->wanted += !node_at(f, node)->check;
  node_at(f, node)->check = true;
}

static void add_tree(struct comback_forest *f, uint32_t node) {
  node_at(f, node)->sibling = f->first;
  f->first = node;
}

static void add_child(struct comback_forest *f, uint32_t node, uint32_t child) {
  node_at(f, child)->sibling = node_at(f, node)->child;
  node_at(f, node)->child = child;
}

/* ---- marking ---- */

static uint32_t *map_of(const struct comback_forest *f) {
  return (uint32_t *)(void *)f->map.data;
}

static uint64_t home_of(const struct comback_forest *f, uint32_t id) {
  return (id * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - f->map_bits);
}

static uint64_t next_place(const struct comback_forest *f, uint64_t at) {
  return (at + 1) & ((UINT64_C(1) << f->map_bits) - 1);
}

/* Where in the map the id is, or would be. */
static uint32_t *place_of(const struct comback_forest *f, uint32_t id) {
  uint32_t *map = map_of(f);
  uint64_t at = home_of(f, id);
  while (map[at] != 0 && node_at(f, map[at] - 1)->id != id) {
    at = next_place(f, at);
  }
  return &map[at];
}

void comback_forest_clear(struct comback_forest *f) {
  uint32_t *map = map_of(f);
  if (f->count > UINT64_C(1) << f->map_bits >> 4) {
    memset(map, 0, sizeof *map << f->map_bits);
    f->count = 0;
  }
  /* As in a candidate set: what is left of a run is always its beginning. */
  for (; f->count > 0; f->count--) {
    uint64_t at = home_of(f, node_at(f, f->count - 1)->id);
    for (; map[at] != 0; at = next_place(f, at)) {
      map[at] = 0;
    }
  }
  f->first = COMBACK_NONE;
  f->wanted = 0;
}

static bool reserve_marks(struct comback_forest *f, uint64_t more) {
  uint64_t count = f->count + more;
  uint32_t bits = f->map_bits;
  while (UINT64_C(1) << bits < count * 2) {
    bits++;
  }
  if (count > MAX_NODES || !clew_bigmem_commit(&f->nodes, count * sizeof(struct comback_node)) ||
      !clew_bigmem_commit(&f->map, sizeof(uint32_t) << bits)) {
    return false;
  }
  if (bits != f->map_bits) {
    memset(f->map.data, 0, sizeof(uint32_t) << f->map_bits);
    f->map_bits = bits;
    for (uint32_t node = 0; node < f->count; node++) {
      *place_of(f, node_at(f, node)->id) = node + 1;
    }
  }
  return true;
}

/* How many states up from this one are not marked yet. */
static uint64_t unmarked(const struct comback *c, const struct comback_forest *f, uint32_t id,
                         bool backtrack) {
  uint64_t count = 0;
  for (; id != CLEW_STORE_ROOT && *place_of(f, id) == 0; count++) {
    id = backtrack ? comback_parent(c, id) : CLEW_STORE_ROOT;
  }
  return count;
}

bool comback_forest_mark(const struct comback *c, struct comback_forest *f, uint32_t id,
                         bool backtrack) {
  uint64_t fresh = unmarked(c, f, id, backtrack);
  if (fresh > 0 && !reserve_marks(f, fresh)) {
    return false;
  }
  uint32_t child = COMBACK_NONE, at = id;
  for (uint64_t i = 0; i < fresh; i++) {
    uint32_t edge = backtrack ? comback_edge(c, at) : 0; /* else nobody walks */
    uint32_t *place = place_of(f, at), node = add_node(f, at, edge);
    *place = node + 1;
    if (child != COMBACK_NONE) {
      add_child(f, node, child);
    }
    child = node;
    at = backtrack ? comback_parent(c, at) : CLEW_STORE_ROOT;
  }
  if (fresh > 0 && at == CLEW_STORE_ROOT) {
    add_tree(f, child);
  } else if (fresh > 0) {
    add_child(f, *place_of(f, at) - 1, child);
  }
  want(f, *place_of(f, id) - 1);
  return true;
}

static int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

const uint32_t *comback_forest_wanted(struct comback_forest *f) {
  if (!clew_bigmem_commit(&f->heap, f->wanted * sizeof(uint32_t))) {
    return NULL;
  }
  uint32_t *ids = (uint32_t *)(void *)f->heap.data, count = 0;
  for (uint32_t node = 0; node < f->count; node++) {
    if (node_at(f, node)->check) {
      ids[count++] = node_at(f, node)->id;
    }
  }
  assert(count == f->wanted);
  qsort(ids, count, sizeof *ids, compare_ids);
  return ids;
}

/* ---- building ---- */

/* The nodes whose predecessor did not appear yet, those with the greatest predecessors first: in
 * breadth-first order the nodes from `next` on, else a heap of (predecessor, node). */
struct pending {
  bool sorted;
  uint32_t next, heap_count;
  uint64_t *heap;
};

static void heap_push(struct pending *p, uint64_t item) {
  uint32_t at = p->heap_count++;
  for (; at > 0 && p->heap[(at - 1) / 2] < item; at = (at - 1) / 2) {
    p->heap[at] = p->heap[(at - 1) / 2];
  }
  p->heap[at] = item;
}

static void heap_pop(struct pending *p) {
  uint64_t item = p->heap[--p->heap_count];
  uint64_t at = 0, child;
  while ((child = at * 2 + 1) < p->heap_count) {
    child += child + 1 < p->heap_count && p->heap[child + 1] > p->heap[child];
    if (p->heap[child] <= item) {
      break;
    }
    p->heap[at] = p->heap[child];
    at = child;
  }
  p->heap[at] = item;
}

/* The greatest predecessor and its node; false if there is none. */
static bool greatest(const struct comback *c, struct comback_forest *f, struct pending *p,
                     uint32_t *parent, uint32_t *node) {
  if (!p->sorted) {
    if (p->heap_count > 0) {
      *parent = (uint32_t)(p->heap[0] >> 32);
      *node = (uint32_t)p->heap[0];
    }
    return p->heap_count > 0;
  }
  while (p->next < f->count && node_at(f, p->next)->sibling == p->next) {
    p->next++; /* a node that is its own sibling begins a tree */
  }
  if (p->next < f->count) {
    *parent = comback_parent(c, node_at(f, p->next)->id);
    *node = p->next;
  }
  return p->next < f->count;
}

static void drop_greatest(struct pending *p) {
  if (p->sorted) {
    p->next++;
  } else {
    heap_pop(p);
  }
}

/* Adds the next state in descending order, the parent of all pending nodes that have it as such. */
static void appear(const struct comback *c, struct comback_forest *f, struct pending *p,
                   uint32_t id) {
  bool known = comback_is_known(c, id);
  uint32_t node = add_node(f, id, known ? 0 : comback_edge(c, id)), parent, child;
  while (greatest(c, f, p, &parent, &child) && child != node && parent == id) {
    drop_greatest(p);
    add_child(f, node, child);
  }
  if (known) {
    node_at(f, node)->sibling = node;
  } else if (!p->sorted) {
    heap_push(p, (uint64_t)comback_parent(c, id) << 32 | node);
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

bool comback_forest_build(const struct comback *c, struct comback_forest *f, const uint32_t *ids,
                          uint32_t count) {
  struct pending pending = {.sorted = comback_tables_monotone(c)};
  if (!pending.sorted && !clew_bigmem_commit(&f->heap, (count + UINT64_C(1)) * sizeof(uint64_t))) {
    return false;
  }
  pending.heap = (uint64_t *)(void *)f->heap.data;
  f->count = f->wanted = 0;
  uint32_t left = count, parent = 0, node;
  for (;;) {
    bool any = greatest(c, f, &pending, &parent, &node);
    if (!any && left == 0) {
      break;
    }
    bool from_list = left > 0 && (!any || ids[left - 1] >= parent);
    uint32_t id = from_list ? ids[left - 1] : parent;
    if (!clew_bigmem_commit(&f->nodes, (f->count + UINT64_C(1)) * sizeof(struct comback_node))) {
      f->count = f->wanted = 0;
      return false;
    }
    appear(c, f, &pending, id);
    if (from_list) {
      want(f, f->count - 1);
      left--;
    }
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

static bool push(struct comback_worker *w, const struct comback_forest *f, uint64_t depth,
                 uint32_t node) {
  if (!clew_bigmem_commit(&w->frames, (depth + 1) * sizeof(struct comback_frame))) {
    return false;
  }
  *frame_at(w, depth) = (struct comback_frame){node, node_at(f, node)->child, COMBACK_NONE};
  return true;
}

/* With `given`, the state of the first node is the first of those kept. */
static bool walk_tree(const struct comback *c, struct comback_worker *w,
                      const struct comback_forest *f, uint32_t tree, bool given,
                      comback_found *found, void *context) {
  uint64_t depth = 0;
  w->kept_count = given;
  for (uint32_t node = tree; node != COMBACK_NONE;) {
    if (!push(w, f, depth, node)) {
      return false;
    }
    frame_at(w, depth)->kept = given && depth == 0 ? 0 : COMBACK_NONE;
    depth++;
    if (node_at(f, node)->check) {
      found(context, node_at(f, node)->id, state_of_last(c, w, f, depth, given));
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

void comback_forest_walk(const struct comback *c, struct comback_worker *w,
                         const struct comback_forest *f, comback_found *found, void *context) {
  uint32_t tree = f->first;
  while (tree != COMBACK_NONE && walk_tree(c, w, f, tree, false, found, context)) {
    tree = node_at(f, tree)->sibling;
  }
  if (tree != COMBACK_NONE) {
    comback_forest_rebuild(c, w, f, found, context);
  }
}

void comback_forest_rebuild(const struct comback *c, struct comback_worker *w,
                            const struct comback_forest *f, comback_found *found, void *context) {
  for (uint32_t node = 0; node < f->count; node++) {
    if (node_at(f, node)->check) {
      uint32_t id = node_at(f, node)->id;
      found(context, id, comback_rebuild(c, w, id));
    }
  }
}
