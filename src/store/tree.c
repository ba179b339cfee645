/* The tree store: states are cut into parts, and a part that many states share is kept once
 * (recursive compression: Blom, Lisser, van de Pol, Weber 2008; Laarman 2019 for a quotiented
 * root).
 *
 *   state ─► leaves: up to 64 bits of it each ─► inner nodes: pairs ─► root: the set of pairs
 *            a table numbers the different ones   likewise              (left id, right id)
 *
 * A table (tree_intern_int.h) gives ids without gaps, so widths follow the numbers of parts that
 * there really are, and nothing has a size that somebody has to guess. The root (tree_root_int.h)
 * is a set of pairs that loses nothing of them, in close to the least memory. How states are cut
 * is chosen from a sample (tree_plan_int.h): until it is complete the states are kept as they are,
 * in an exact store, which is then moved over.
 *
 * Ids of states are numbers in the order in which they were found, and nothing else: a pair has no
 * place in the root that would stay. So states are not read back by id; when the search is over,
 * pairs have places that stay (tree_freeze.c).
 *
 * Invariant: the tables have room for the parts of all states below `room`, each node at most one
 * new part per state; ids of parts are below what the pairs above them and the root can hold. */
#include <string.h>

#include "base/alloc.h"
#include "store/exact_int.h"
#include "store/tree_fields_int.h"
#include "store/tree_int.h"
#include "store/tree_options.h"

enum {
  MOVED_AT_ONCE = 256, /* states */
  SAMPLE_SHARE = 8,    /* of the budget, that states may take which are kept as they are */
  MOST_SAMPLE_BYTES = 32 << 20,
  SPARE_SHARE = 512, /* of the states: so many more parts find room in each table */
};

static const struct tree *tree_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_tree);
  return (const struct tree *)store;
}

static uint64_t count_of(const struct tree *tree) {
  return tree->plain != NULL ? clew_store_exact.count(tree->plain)
                             : atomic_load_explicit(&tree->count, memory_order_relaxed);
}

/* ---- room in the tree ---- */

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static struct intern *table_of(const struct tree *tree, uint32_t node) {
  return &tree->tables[tree->plan.nodes[node].table];
}

/* Ids of a node after so many states more, at most. */
static uint64_t ids_after(const struct tree *tree, uint32_t node, uint64_t more) {
  uint32_t table = tree->plan.nodes[node].table;
  return intern_count(&tree->tables[table]) + more * tree->uses[table];
}

static bool reserve_tables(struct tree *tree, uint64_t more) {
  uint64_t spare = count_of(tree) / SPARE_SHARE;
  for (uint32_t t = 0; t < tree->plan.table_count; t++) {
    struct intern *table = &tree->tables[t];
    uint64_t count = intern_count(table);
    uint64_t some = tree->tight ? 0 : spare * tree->uses[t] + count / 8;
    if (!intern_reserve(table, count + more * tree->uses[t], some)) {
      return false;
    }
  }
  for (uint32_t n = 0; n < tree->plan.node_count; n++) {
    const struct tree_node *node = &tree->plan.nodes[n];
    if (!node->is_leaf && !intern_widen(table_of(tree, n), table_of(tree, node->left)->room,
                                        table_of(tree, node->right)->room)) {
      return false;
    }
  }
  return true;
}

/* States that the tables, the pairs and the root have room for. */
static uint64_t room_of(const struct tree *tree) {
  uint64_t more = tree_root_room(&tree->root);
  for (uint32_t t = 0; t < tree->plan.table_count; t++) {
    const struct intern *table = &tree->tables[t];
    more = least(more, (table->room - intern_count(table)) / tree->uses[t]);
  }
  const struct tree_keys *keys = &tree->root.shape.keys;
  uint32_t left = tree->plan.nodes[tree->plan.left].table;
  uint32_t right = tree->plan.nodes[tree->plan.right].table;
  more = least(more, (keys->left_most - intern_count(&tree->tables[left])) / tree->uses[left]);
  more = least(more, (keys->right_most - intern_count(&tree->tables[right])) / tree->uses[right]);
  return least(count_of(tree) + more, CLEW_ID_LIMIT - 1);
}

static bool make_room(struct tree *tree, uint64_t more) {
  uint64_t count = count_of(tree);
  if (count + more <= tree->room) {
    return true;
  }
  if (count + more >= CLEW_ID_LIMIT || !reserve_tables(tree, more) ||
      !tree_root_reserve(&tree->root, count, more, ids_after(tree, tree->plan.left, more),
                         ids_after(tree, tree->plan.right, more))) {
    return false;
  }
  tree->room = room_of(tree);
  assert(tree->room >= count + more);
  return true;
}

/* ---- cutting ---- */

static void close_parts(struct tree *tree) {
  for (uint32_t t = 0; t < tree->plan.table_count && tree->tables != NULL; t++) {
    intern_close(&tree->tables[t]);
  }
  tree_root_close(&tree->root);
  clew_free(tree->tables);
  clew_free(tree->uses);
  tree->tables = NULL;
  tree->uses = NULL;
  tree_plan_free(&tree->plan);
}

static bool open_parts(struct tree *tree) {
  const struct tree_plan *plan = &tree->plan;
  const struct clew_store_config *config = &tree->base.config;
  tree->tables = clew_alloc_zero(plan->table_count, sizeof *tree->tables);
  tree->uses = clew_alloc_zero(plan->table_count, sizeof *tree->uses);
  uint32_t *bits = clew_alloc_zero(plan->table_count, sizeof *bits);
  bool opened = true;
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const struct tree_node *node = &plan->nodes[n];
    tree->uses[node->table]++;
    if (node->is_leaf) { /* one without bits has the key 0 */
      uint32_t its = node->bits > 0 ? node->bits : 1;
      bits[node->table] = bits[node->table] > its ? bits[node->table] : its;
    }
  }
  /* Under a limit of addresses the root gets the greatest part of those that are left. */
  uint64_t each = clew_bigmem_addresses_left() / (8 * (uint64_t)plan->table_count);
  each = config->budget != NULL ? least(each, config->budget->limit_bytes) : each;
  for (uint32_t t = 0; t < plan->table_count && opened; t++) {
    opened = intern_open(&tree->tables[t], bits[t], each, config->budget);
  }
  clew_free(bits);
  return opened && tree_root_open(&tree->root, config->budget, config->crew, 1, 1, tree->tight);
}

/* Moves the states of the exact store over; false when there is no memory. */
static bool move_states(struct tree *tree) {
  uint32_t words = tree->base.config.words;
  uint64_t count = clew_store_exact.count(tree->plain);
  uint64_t *states = clew_alloc((size_t)MOVED_AT_ONCE * words * sizeof *states);
  struct clew_visit *visits = clew_alloc_zero(MOVED_AT_ONCE, sizeof *visits);
  struct clew_store *plain = tree->plain;
  bool moved = true;
  tree->room = 0;
  atomic_store(&tree->count, 0);
  tree->plain = NULL; /* counts are those of the tree now */
  for (clew_id first = 0; first < count && moved; first += MOVED_AT_ONCE) {
    uint32_t some = (uint32_t)least(count - first, MOVED_AT_ONCE);
    moved = make_room(tree, some);
    if (moved) {
      clew_store_exact.get(plain, first, some, states);
      for (uint32_t i = 0; i < some; i++) {
        visits[i].state = states + (size_t)i * words;
      }
      tree_put_parts(tree, some, visits, false);
      assert(count_of(tree) == first + some); /* none is lost, none was there */
    }
  }
  tree->plain = plain;
  clew_free(states);
  clew_free(visits);
  return moved;
}

static void make_plan(struct tree *tree) {
  uint32_t words = tree->base.config.words;
  uint64_t count = least(clew_store_exact.count(tree->plain), TREE_SAMPLE_STATES);
  count = least(count, MOST_SAMPLE_BYTES / (words * sizeof(uint64_t)) + 1);
  uint64_t *states = clew_alloc((size_t)count * words * sizeof *states);
  clew_store_exact.get(tree->plain, 0, (uint32_t)count, states);
  tree_plan_make(&tree->plan, &tree->base.config, states, (uint32_t)count, tree->only_order);
  clew_free(states);
}

/* Whether cut states take less memory than whole ones, as far as the sample says. */
static bool pays(const struct tree *tree) {
  return tree->always || tree->plan.bytes_per_state < tree_whole_bytes(&tree->base.config);
}

/* States that do not split, or for which there is no memory in both forms at once, stay as they are
 * for now. */
static void cut(struct tree *tree) {
  make_plan(tree);
  tree->expected = tree->plan.bytes_per_state;
  uint64_t count = clew_store_exact.count(tree->plain);
  if (pays(tree) && open_parts(tree) && move_states(tree)) {
    tree->cut_at = count;
    clew_store_exact.close(tree->plain);
    tree->plain = NULL;
    assert(count_of(tree) == count);
    return;
  }
  close_parts(tree);
  const uint64_t later = 4;
  tree->sample = count * later;
}

static enum clew_room tree_reserve(struct clew_store *store, uint32_t insertions) {
  struct tree *tree = tree_of(store);
  if (tree->plain != NULL && count_of(tree) >= tree->sample) {
    cut(tree);
  }
  if (tree->plain != NULL) { /* not far beyond the sample */
    tree->room = count_of(tree) + insertions;
    tree->room = tree->room > tree->sample ? tree->room : tree->sample;
    return clew_store_exact.reserve(tree->plain, insertions);
  }
  return make_room(tree, insertions) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

static uint64_t tree_room(const struct clew_store *store) {
  const struct tree *tree = tree_of_const(store);
  assert(count_of(tree) <= tree->room);
  uint64_t room = tree->room - count_of(tree);
  return tree->plain != NULL ? least(room, clew_store_exact.room(tree->plain)) : room;
}

/* ---- visits ---- */

static void tree_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct tree *tree = tree_of_const(store);
  if (tree->plain != NULL) {
    clew_store_exact.prefetch(tree->plain, hash);
  }
}

static void tree_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct tree *tree = tree_of(store);
  if (tree->plain != NULL) {
    clew_exact_put_as(tree->plain, count, visits, store->shared);
  } else if (count > 0) {
    tree_put_parts(tree, count, visits, store->shared);
  }
}

static uint64_t tree_count(const struct clew_store *store) {
  return count_of(tree_of_const(store));
}

/* ---- figures ---- */

static uint64_t parts_bytes(const struct tree *tree) {
  uint64_t bytes = 0;
  for (uint32_t t = 0; t < tree->plan.table_count; t++) {
    bytes += intern_bytes(&tree->tables[t]);
  }
  return bytes;
}

static uint64_t tree_bytes(const struct clew_store *store) {
  const struct tree *tree = tree_of_const(store);
  return tree->plain != NULL ? clew_store_exact.bytes(tree->plain)
                             : parts_bytes(tree) + tree_root_bytes(&tree->root);
}

static uint64_t part_count(const struct tree *tree) {
  uint64_t count = 0;
  for (uint32_t t = 0; t < tree->plan.table_count; t++) {
    count += intern_count(&tree->tables[t]);
  }
  return count;
}

static void tree_counters(const struct clew_store *store, struct clew_counters *out) {
  const struct tree *tree = tree_of_const(store);
  if (tree->plain != NULL) {
    clew_counters_text(out, "order", "whole");
    clew_counters_real(out, "expected_bytes_per_state", tree->expected);
    return;
  }
  const struct tree_plan *plan = &tree->plan;
  const struct tree_root *root = &tree->root;
  uint64_t blocks = root->shape.blocks << root->shape.keys.shard_bits;
  clew_counters_text(out, "order", plan->order);
  clew_counters_count(out, "cut_at", tree->cut_at);
  clew_counters_count(out, "leaves", plan->leaf_count);
  clew_counters_count(out, "left_parts", intern_count(table_of(tree, plan->left)));
  clew_counters_count(out, "right_parts", intern_count(table_of(tree, plan->right)));
  clew_counters_count(out, "parts", part_count(tree));
  clew_counters_real(out, "expected_bytes_per_state", tree->expected);
  clew_counters_count(out, "parts_bytes", parts_bytes(tree));
  clew_counters_count(out, "root_bytes", tree_root_bytes(root));
  clew_counters_count(out, "key_bits", root->shape.keys.bits + root->shape.keys.shard_bits);
  clew_counters_count(out, "remainder_bits", root->shape.remainder_bits);
  clew_counters_real(out, "root_load",
                     (double)count_of(tree) / (double)(blocks * root->shape.slots));
  clew_counters_count(out, "spilled", root->spilled);
  clew_counters_count(out, "root_growths", root->growths);
  clew_counters_count(out, "root_rekeys", root->rekeys);
  clew_counters_real(out, "root_growth_s", root->growth_s);
  clew_counters_count(out, "visits", tree->visits);
  clew_counters_count(out, "part_lookups", tree->lookups);
}

/* ---- opening and closing ---- */

static void tree_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct tree *tree = tree_of(store);
  clew_store_exact.close(tree->plain);
  tree_thaw(tree);
  close_parts(tree);
  clew_free(tree);
}

static uint64_t sample_of(const struct clew_store_config *config,
                          const struct clew_tree_options *options) {
  uint64_t states = options != NULL && options->sample > 0 ? options->sample : TREE_SAMPLE_STATES;
  uint64_t bytes = MOST_SAMPLE_BYTES;
  if (config->budget != NULL) {
    bytes = least(bytes, config->budget->limit_bytes / SAMPLE_SHARE);
  }
  const uint64_t index_bytes = 8;
  uint64_t most = bytes / (config->words * sizeof(uint64_t) + index_bytes) + 1;
  return least(states, most);
}

static enum clew_status tree_open(const struct clew_store_config *config,
                                  struct clew_diag_sink *diags, struct clew_store **store) {
  const struct clew_tree_options *options = config->options;
  struct tree *tree = clew_alloc_zero(1, sizeof *tree);
  tree->base = (struct clew_store){
      .type = &clew_store_tree, .promises = clew_store_tree.promises, .config = *config};
  tree->sample = sample_of(config, options);
  tree->tight = options != NULL && options->tight;
  tree->always = options != NULL && (options->tight || options->order > 0);
  tree->only_order =
      options != NULL && options->order > 0 ? tree_order_name(options->order - 1) : NULL;
  tree->fast = tree_is_fast();
  struct clew_store_config plain = *config;
  plain.options = NULL;
  enum clew_status status = clew_store_exact.open(&plain, diags, &tree->plain);
  if (status != CLEW_OK) {
    clew_free(tree);
    return status;
  }
  *store = &tree->base;
  return CLEW_OK;
}

/* ---- validation ---- */

struct audit {
  const struct tree *tree;
  uint64_t *state;
  const char *wrong;
};

/* The parts of a pair make a state whose parts have these ids. */
static bool audit_pair(void *context, uint32_t left, uint32_t right) {
  struct audit *audit = context;
  const struct tree *tree = audit->tree;
  if (left >= intern_count(table_of(tree, tree->plan.left)) ||
      right >= intern_count(table_of(tree, tree->plan.right))) {
    audit->wrong = "the root has a part that does not exist";
    return false;
  }
  tree_read_back(tree, left, right, audit->state);
  struct tree_ids ids = tree_ids_of(tree, audit->state);
  if (ids.left != left || ids.right != right) {
    audit->wrong = "a state is not made of its parts";
  }
  return audit->wrong == NULL;
}

static bool tree_validate(const struct clew_store *store, const char **why) {
  const struct tree *tree = tree_of_const(store);
  if (tree->plain != NULL) {
    return clew_store_exact.validate(tree->plain, why);
  }
  *why = count_of(tree) > tree->room ? "more states than room" : NULL;
  for (uint32_t t = 0; t < tree->plan.table_count && *why == NULL; t++) {
    *why = intern_validate(&tree->tables[t]);
  }
  if (*why == NULL) {
    *why = tree_root_validate(&tree->root, count_of(tree));
  }
  if (*why == NULL) {
    struct audit audit = {.tree = tree};
    audit.state = clew_alloc(tree->base.config.words * sizeof *audit.state);
    (void)tree_root_each(&tree->root, audit_pair, &audit);
    *why = audit.wrong;
    clew_free(audit.state);
  }
  return *why == NULL;
}

static const struct clew_option_spec options[] = {
    {CLEW_OPTION_POSITIVE, "tree-sample", "N",
     "states kept as they are before the store chooses how to cut them (default: 32768)",
     .offset = offsetof(struct clew_tree_options, sample)},
    {CLEW_OPTION_CHOICE, "tree-order", "declared|change|layout",
     "cut states along this order of their variables (default: the best of them for the sample)",
     .offset = offsetof(struct clew_tree_options, order)},
    {CLEW_OPTION_FLAG, "tree-tight", NULL, NULL,
     .offset = offsetof(struct clew_tree_options, tight)},
};

const struct clew_store_type clew_store_tree = {
    .name = "tree",
    .help = "states cut into parts that many of them share; lossless, few bytes per state",
    .promises =
        CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS | CLEW_STORE_CONCURRENT | CLEW_STORE_PLACES,
    .options = CLEW_OPTION_TABLE(options, struct clew_tree_options),
    .open = tree_open,
    .close = tree_close,
    .reserve = tree_reserve,
    .room = tree_room,
    .prefetch = tree_prefetch,
    .put = tree_put,
    .freeze = tree_freeze,
    .get = tree_get,
    .find = tree_find,
    .count = tree_count,
    .bytes = tree_bytes,
    .estimate = tree_estimate,
    .counters = tree_counters,
    .validate = tree_validate,
};
