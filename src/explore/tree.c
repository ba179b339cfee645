/* The tree of a walk. Children form a list; new ones come first. */
#include "explore/tree.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

void clew_tree_open(struct clew_tree *tree, const struct clew_model *model, uint64_t limit_bytes) {
  *tree = (struct clew_tree){.model = model, .limit_bytes = limit_bytes, .first_root = CLEW_NONE};
}

void clew_tree_close(struct clew_tree *tree) {
  clew_vec_free(&tree->nodes);
  clew_vec_free(&tree->states);
}

bool clew_tree_has(const struct clew_tree *tree, uint32_t id) {
  return id >= tree->base && id - tree->base < tree->nodes.len;
}

static const struct clew_tree_node *node_of(const struct clew_tree *tree, uint32_t id) {
  assert(clew_tree_has(tree, id));
  return &tree->nodes.data[id - tree->base];
}

uint32_t clew_tree_parent(const struct clew_tree *tree, uint32_t id) {
  uint32_t parent = node_of(tree, id)->parent;
  return parent == CLEW_NONE ? CLEW_NONE : parent + tree->base;
}

uint32_t clew_tree_edge(const struct clew_tree *tree, uint32_t id) {
  return node_of(tree, id)->edge;
}

uint32_t clew_tree_depth(const struct clew_tree *tree, uint32_t id) {
  return node_of(tree, id)->depth;
}

const uint64_t *clew_tree_state(const struct clew_tree *tree, uint32_t id) {
  assert(clew_tree_has(tree, id));
  return tree->states.data + (size_t)(id - tree->base) * tree->model->words;
}

uint32_t clew_tree_child(const struct clew_tree *tree, uint32_t id, uint32_t edge) {
  uint32_t at = id == CLEW_NONE ? tree->first_root : node_of(tree, id)->first_child;
  while (at != CLEW_NONE && tree->nodes.data[at].edge != edge) {
    at = tree->nodes.data[at].next;
  }
  return at == CLEW_NONE ? CLEW_NONE : at + tree->base;
}

static bool is_full(const struct clew_tree *tree) {
  uint64_t each = sizeof(struct clew_tree_node) + tree->model->words * sizeof(uint64_t);
  uint64_t most = tree->limit_bytes / each / 2; /* vectors grow by doubling */
  uint64_t words = (uint64_t)(tree->nodes.len + 1) * tree->model->words;
  return tree->nodes.len + 1 > most || words >= UINT32_MAX ||
         (uint64_t)tree->base + tree->nodes.len + 1 >= CLEW_NONE;
}

/* `parent` is a place. */
static uint32_t add(struct clew_tree *tree, uint32_t parent, uint32_t edge, const uint64_t *state) {
  uint32_t place = tree->nodes.len, words = tree->model->words;
  struct clew_tree_node node = {.parent = parent, .edge = edge, .first_child = CLEW_NONE};
  uint32_t *head = &tree->first_root;
  if (parent != CLEW_NONE) {
    head = &tree->nodes.data[parent].first_child;
    node.depth = tree->nodes.data[parent].depth + 1;
  }
  node.next = *head;
  *head = place;
  clew_vec_push(&tree->nodes, node);
  clew_vec_reserve(&tree->states, tree->states.len + words);
  memcpy(tree->states.data + tree->states.len, state, words * sizeof *state);
  tree->states.len += words;
  return place + tree->base;
}

enum clew_tree_answer clew_tree_start(struct clew_tree *tree, uint32_t initial, uint32_t *id) {
  *id = clew_tree_child(tree, CLEW_NONE, initial);
  if (*id != CLEW_NONE) {
    return CLEW_TREE_OK;
  }
  if (initial >= tree->model->initial_count) {
    return CLEW_TREE_DISABLED;
  }
  if (is_full(tree)) {
    return CLEW_TREE_FULL;
  }
  uint64_t *state = clew_alloc(tree->model->words * sizeof *state);
  bool ok = clew_model_start(tree->model, initial, state);
  if (ok) {
    *id = add(tree, CLEW_NONE, initial, state);
  }
  clew_free(state);
  return ok ? CLEW_TREE_OK : CLEW_TREE_DISABLED;
}

enum clew_tree_answer clew_tree_step(struct clew_tree *tree, uint32_t from, uint32_t edge,
                                     uint32_t *id, uint32_t *site) {
  *site = CLEW_NONE;
  *id = clew_tree_child(tree, from, edge);
  if (*id != CLEW_NONE) {
    return CLEW_TREE_OK;
  }
  if (edge >= tree->model->edge_count) {
    return CLEW_TREE_DISABLED;
  }
  if (is_full(tree)) {
    return CLEW_TREE_FULL;
  }
  uint64_t *state = clew_alloc(tree->model->words * sizeof *state);
  bool ok = tree->model->fire(tree->model, clew_tree_state(tree, from), edge, state, site);
  if (ok) {
    *id = add(tree, from - tree->base, edge, state);
  }
  clew_free(state);
  return ok ? CLEW_TREE_OK : CLEW_TREE_DISABLED;
}

enum clew_tree_answer clew_tree_follow(struct clew_tree *tree, const struct clew_trace *trace,
                                       uint32_t *id) {
  enum clew_tree_answer answer = clew_tree_start(tree, trace->initial, id);
  for (uint32_t i = 0; i < trace->edge_count && answer == CLEW_TREE_OK; i++) {
    uint32_t next, site;
    answer = clew_tree_step(tree, *id, trace->edges[i], &next, &site);
    *id = answer == CLEW_TREE_OK ? next : *id;
  }
  return answer;
}

void clew_tree_path(const struct clew_tree *tree, uint32_t id, struct clew_trace *trace) {
  uint32_t depth = clew_tree_depth(tree, id);
  *trace = (struct clew_trace){.property = CLEW_NONE,
                               .fault_edge = CLEW_NONE,
                               .site = CLEW_NONE,
                               .stay_from = CLEW_NONE,
                               .loop_to = CLEW_NONE,
                               .edge_count = depth};
  trace->edges = clew_alloc_zero((size_t)depth + 1, sizeof *trace->edges);
  for (; depth > 0; depth--) {
    trace->edges[depth - 1] = clew_tree_edge(tree, id);
    id = clew_tree_parent(tree, id);
  }
  trace->initial = clew_tree_edge(tree, id);
}

uint32_t clew_tree_keep(struct clew_tree *tree, uint32_t id) {
  struct clew_trace path;
  clew_tree_path(tree, id, &path);
  uint32_t words = tree->model->words, depth = path.edge_count, last = CLEW_NONE;
  uint64_t *states = clew_alloc_zero((size_t)(depth + 1) * words, sizeof *states);
  for (uint32_t i = depth + 1, at = id; i-- > 0; at = clew_tree_parent(tree, at)) {
    memcpy(states + (size_t)i * words, clew_tree_state(tree, at), words * sizeof *states);
    if (i == 0) {
      break;
    }
  }
  tree->base += tree->nodes.len;
  tree->nodes.len = tree->states.len = 0;
  tree->first_root = CLEW_NONE;
  for (uint32_t i = 0; i <= depth; i++) {
    uint32_t edge = i == 0 ? path.initial : path.edges[i - 1];
    last = add(tree, i == 0 ? CLEW_NONE : last - tree->base, edge, states + (size_t)i * words);
  }
  clew_free(states);
  clew_trace_free(&path);
  return last;
}

bool clew_tree_validate(const struct clew_tree *tree) {
  uint32_t listed = 0;
  for (uint32_t at = tree->first_root; at != CLEW_NONE; at = tree->nodes.data[at].next) {
    listed++;
    if (tree->nodes.data[at].parent != CLEW_NONE || tree->nodes.data[at].depth != 0) {
      return false;
    }
  }
  for (uint32_t i = 0; i < tree->nodes.len; i++) {
    const struct clew_tree_node *node = &tree->nodes.data[i];
    for (uint32_t at = node->first_child; at != CLEW_NONE; at = tree->nodes.data[at].next) {
      const struct clew_tree_node *child = &tree->nodes.data[at];
      listed++;
      if (at <= i || child->parent != i || child->depth != node->depth + 1) {
        return false;
      }
    }
  }
  return listed == tree->nodes.len && tree->states.len == tree->nodes.len * tree->model->words;
}
