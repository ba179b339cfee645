/* The tree store when the search is over: each pair of the root has a place, a number below the
 * count of states, by which it is found and read back.
 *
 * Places follow the order of blocks, then of pairs in a block; those of the spill come last, in the
 * order of its slots. A sum for every few blocks and slots says how many there are before, the rest
 * is counted. So it takes little memory beside the root, and nothing may be put any more.
 *
 * Invariant: `before` has, for each group of blocks and one more, the pairs of all groups before;
 * `spilled_before` likewise for slots of the spill. */
#include "base/alloc.h"
#include "store/tree_int.h"
#include "store/tree_shape_int.h"

enum { GROUP = 16 /* blocks */, SLOTS = 64 /* of the spill */ };

struct tree_places {
  struct clew_bigmem sums;
  uint64_t *before, *spilled_before;
  uint64_t groups, slot_groups;
  uint64_t blocks;
};

static uint32_t pairs_in(const struct tree_root *root, uint64_t block) {
  const struct tree_shape *shape = &root->shape;
  return tree_behind_zeros(tree_block_at(root, block), shape->quotients, root->fast) -
         shape->quotients;
}

static const uint64_t *spill_of(const struct tree_root *root) {
  return (const uint64_t *)(const void *)root->spill.data;
}

/* ---- freezing ---- */

static void add_up(struct tree_places *places, const struct tree_root *root) {
  uint64_t sum = 0;
  for (uint64_t g = 0; g < places->groups; g++) {
    places->before[g] = sum;
    for (uint64_t b = g * GROUP; b < (g + 1) * GROUP && b < places->blocks; b++) {
      sum += pairs_in(root, b);
    }
  }
  places->before[places->groups] = sum;
  const uint64_t *slots = spill_of(root);
  for (uint64_t g = 0; g < places->slot_groups; g++) {
    places->spilled_before[g] = sum;
    for (uint64_t i = g * SLOTS; i < (g + 1) * SLOTS && i < root->spill_slots; i++) {
      sum += slots[i] != 0;
    }
  }
  places->spilled_before[places->slot_groups] = sum;
}

bool tree_freeze(struct clew_store *store) {
  struct tree *tree = tree_of(store);
  const struct tree_root *root = &tree->root;
  if (tree->plain != NULL || tree->places != NULL) {
    return true;
  }
  struct tree_places *places = clew_alloc_zero(1, sizeof *places);
  places->blocks = root->shape.blocks << root->shape.keys.shard_bits;
  places->groups = (places->blocks + GROUP - 1) / GROUP;
  places->slot_groups = (root->spill_slots + SLOTS - 1) / SLOTS;
  size_t bytes = (places->groups + places->slot_groups + 2) * sizeof(uint64_t);
  if (!clew_bigmem_open(&places->sums, bytes, store->config.budget)) {
    clew_free(places);
    return false;
  }
  places->sums.in_pages = true;
  if (!clew_bigmem_commit(&places->sums, bytes)) {
    clew_bigmem_close(&places->sums);
    clew_free(places);
    return false;
  }
  places->before = (uint64_t *)(void *)places->sums.data;
  places->spilled_before = places->before + places->groups + 1;
  add_up(places, root);
  assert(places->spilled_before[places->slot_groups] == tree->count);
  tree->places = places;
  return true;
}

void tree_thaw(struct tree *tree) {
  if (tree->places != NULL) {
    clew_bigmem_close(&tree->places->sums);
    clew_free(tree->places);
    tree->places = NULL;
  }
}

/* ---- from a state to its place ---- */

/* The slot of a pair in its block; UINT32_MAX: it is not there. */
static uint32_t slot_of(const struct tree_root *root, const struct tree_place *place) {
  const struct tree_shape *shape = &root->shape;
  const uint64_t *words = tree_block_at(root, place->block);
  uint32_t at = tree_run_of(words, place->quotient, root->fast);
  for (uint32_t slot = at - place->quotient;
       at < shape->fields_at && (words[at / 64] >> at % 64 & 1) != 0; at++, slot++) {
    if (tree_remainder_at(shape, words, slot) == place->remainder) {
      return slot;
    }
  }
  return UINT32_MAX;
}

static clew_id place_in_spill(const struct tree *tree, uint64_t value) {
  const struct tree_root *root = &tree->root;
  const uint64_t *slots = spill_of(root);
  uint64_t slot = root->spill_slots > 0 ? tree_spill_find(root, value) : UINT64_MAX;
  if (slot == UINT64_MAX) {
    return CLEW_ID_NONE;
  }
  clew_id number = tree->places->spilled_before[slot / SLOTS];
  for (uint64_t i = slot / SLOTS * SLOTS; i < slot; i++) {
    number += slots[i] != 0;
  }
  return number;
}

static clew_id place_of(const struct tree *tree, const uint64_t *state) {
  const struct tree_root *root = &tree->root;
  const struct tree_keys *keys = &root->shape.keys;
  struct tree_ids ids = tree_ids_of(tree, state);
  if (ids.left >= keys->left_most || ids.right >= keys->right_most) {
    return CLEW_ID_NONE;
  }
  struct tree_place place = tree_root_place(&root->shape, ids.left, ids.right);
  uint32_t slot = slot_of(root, &place);
  if (slot == UINT32_MAX) {
    return place_in_spill(tree, tree_spill_value(ids.left, ids.right));
  }
  clew_id number = tree->places->before[place.block / GROUP] + slot;
  for (uint64_t b = place.block / GROUP * GROUP; b < place.block; b++) {
    number += pairs_in(root, b);
  }
  return number;
}

void tree_find(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  const struct tree *tree = tree_of(store);
  if (tree->plain != NULL) {
    clew_store_exact.find(tree->plain, count, visits);
    return;
  }
  assert(tree->places != NULL);
  for (uint32_t i = 0; i < count; i++) {
    clew_id place = place_of(tree, visits[i].state);
    visits[i].answer = place != CLEW_ID_NONE ? CLEW_SEEN : CLEW_NEW;
    if (place != CLEW_ID_NONE) {
      visits[i].id = place;
    }
  }
}

/* ---- from a place to its state ---- */

/* The last sum that is at most `number`: of `count` sums and one more. */
static uint64_t group_of(const uint64_t *sums, uint64_t count, clew_id number) {
  uint64_t low = 0, high = count;
  assert(sums[0] <= number && number < sums[count]);
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (sums[middle] <= number) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Where the one of a pair stands among the homes of its block. */
static uint32_t one_of(const struct tree_root *root, const uint64_t *words, uint32_t slot) {
  for (uint32_t i = 0;; i++) {
    assert(i < TREE_BLOCK_WORDS);
    uint32_t ones = tree_ones(words[i], root->fast);
    if (slot < ones) {
      return i * 64 + tree_nth_one(words[i], slot, root->fast);
    }
    slot -= ones;
  }
}

static void read_slot(const struct tree *tree, uint64_t block, uint32_t slot, uint64_t *out) {
  const struct tree_root *root = &tree->root;
  const struct tree_shape *shape = &root->shape;
  const uint64_t *words = tree_block_at(root, block);
  uint32_t quotient = one_of(root, words, slot) - slot, left, right;
  uint64_t home = block % shape->blocks * shape->quotients + quotient;
  uint64_t key = home << shape->remainder_bits | tree_remainder_at(shape, words, slot);
  tree_pair_of(&shape->keys, key, (uint32_t)(block / shape->blocks), &left, &right);
  tree_read_back(tree, left, right, out);
}

static void read_place(const struct tree *tree, clew_id number, uint64_t *out) {
  const struct tree_places *places = tree->places;
  if (number < places->before[places->groups]) {
    uint64_t group = group_of(places->before, places->groups, number);
    uint64_t block = group * GROUP, left = number - places->before[group];
    for (uint32_t some; left >= (some = pairs_in(&tree->root, block)); block++) {
      left -= some;
    }
    read_slot(tree, block, (uint32_t)left, out);
    return;
  }
  uint64_t group = group_of(places->spilled_before, places->slot_groups, number);
  const uint64_t *slot = spill_of(&tree->root) + group * SLOTS;
  for (uint64_t left = number - places->spilled_before[group]; *slot == 0 || left > 0; slot++) {
    left -= *slot != 0;
  }
  tree_read_back(tree, (uint32_t)((*slot - 1) >> 32), (uint32_t)(*slot - 1), out);
}

void tree_get(struct clew_store *store, clew_id first, uint32_t count, uint64_t *out) {
  const struct tree *tree = tree_of(store);
  if (tree->plain != NULL) {
    clew_store_exact.get(tree->plain, first, count, out);
    return;
  }
  assert(tree->places != NULL && first + count <= tree->count);
  for (uint32_t i = 0; i < count; i++) {
    read_place(tree, first + i, out + (size_t)i * store->config.words);
  }
}
