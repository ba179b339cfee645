/* The set of pairs: places, insertion, the spill, reading everything back. */
#include "store/tree_root_int.h"

#include <string.h>

#include "base/alloc.h"
#include "store/spin_int.h"
#include "store/tree_shape_int.h"

#define LOCK_BIT (UINT64_C(1) << 63)

typedef _Atomic uint64_t atomic_word;

/* ---- locks ---- */

static atomic_word *lock_of(uint64_t *words) {
  return (atomic_word *)(words + TREE_BLOCK_WORDS - 1);
}

/* Others only read the word while it is locked. Returns it as it was. */
static uint64_t block_lock(uint64_t *words) {
  atomic_word *word = lock_of(words);
  for (unsigned spins = 1;; spins++) {
    uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
    if ((now & LOCK_BIT) == 0 &&
        atomic_compare_exchange_weak_explicit(word, &now, now | LOCK_BIT, memory_order_acquire,
                                              memory_order_relaxed)) {
      return now;
    }
    spin_pause(spins);
  }
}

static void block_unlock(uint64_t *words, uint64_t last) {
  assert((last & LOCK_BIT) == 0);
  atomic_store_explicit(lock_of(words), last, memory_order_release);
}

/* ---- the spill ---- */

static uint64_t spill_home(const struct tree_root *root, uint64_t value) {
  uint64_t hash = clew_hash_words(&value, 1, 0);
  return (uint64_t)(((unsigned __int128)hash * root->spill_slots) >> 64);
}

uint64_t tree_spill_find(const struct tree_root *root, uint64_t value) {
  const uint64_t *slots = (const uint64_t *)(const void *)root->spill.data;
  for (uint64_t i = spill_home(root, value); slots[i] != 0;) {
    if (slots[i] == value) {
      return i;
    }
    i = i + 1 < root->spill_slots ? i + 1 : 0;
  }
  return UINT64_MAX;
}

bool tree_spill_add(struct tree_root *root, uint64_t value) {
  atomic_word *slots = (atomic_word *)(void *)root->spill.data;
  assert(root->spill_slots > 0);
  for (uint64_t i = spill_home(root, value);;) {
    uint64_t there = atomic_load_explicit(slots + i, memory_order_relaxed);
    if (there == 0) {
      if (atomic_compare_exchange_strong_explicit(slots + i, &there, value, memory_order_relaxed,
                                                  memory_order_relaxed)) {
        atomic_fetch_add_explicit(&root->spilled, 1, memory_order_relaxed);
        return true;
      }
    }
    if (there == value) {
      return false;
    }
    i = i + 1 < root->spill_slots ? i + 1 : 0;
  }
}

static bool open_exactly(struct clew_bigmem *mem, uint64_t bytes, struct clew_budget *budget) {
  if (bytes > SIZE_MAX / 4 || !clew_bigmem_open(mem, (size_t)bytes, budget)) {
    return false;
  }
  mem->in_pages = true;
  if (!clew_bigmem_commit(mem, (size_t)bytes)) {
    clew_bigmem_close(mem);
    return false;
  }
  return true;
}

/* A budget that refuses in the middle of moving pairs must not cost one of them. */
bool tree_spill_make_room(struct tree_root *root, uint64_t pairs, bool must) {
  uint64_t needed = ((pairs + 2) / 3 * 4 + 16) * sizeof(uint64_t);
  if (needed <= root->spill_slots * sizeof(uint64_t)) {
    return true;
  }
  struct clew_bigmem old = root->spill, bigger;
  uint64_t old_slots = root->spill_slots;
  if (!open_exactly(&bigger, needed + needed / 4, root->budget) &&
      !open_exactly(&bigger, needed, root->budget) &&
      !(must && open_exactly(&bigger, needed, NULL))) {
    assert(!must);
    return false;
  }
  root->spill = bigger;
  root->spill_slots = bigger.committed_bytes / sizeof(uint64_t);
  root->spilled = 0;
  const uint64_t *slots = (const uint64_t *)(const void *)old.data;
  for (uint64_t i = 0; i < old_slots; i++) {
    if (slots[i] != 0) {
      (void)tree_spill_add(root, slots[i]);
    }
  }
  clew_bigmem_close(&old);
  return true;
}

uint64_t tree_spill_room(const struct tree_root *root) {
  uint64_t most = root->spill_slots < 16 ? 0 : (root->spill_slots - 16) / 4 * 3;
  uint64_t taken = atomic_load_explicit(&root->spilled, memory_order_relaxed);
  return most > taken ? most - taken : 0;
}

/* ---- insertion into a block ---- */

/* The bits from `from` on move up by `by` bits to make room for `value`; what moves beyond `end` is
 * lost, and what lies there stays. */
static void insert_bits(uint64_t *words, uint32_t from, uint32_t end, uint32_t by, uint64_t value) {
  assert(by > 0 && by < 64 && from + by <= end && end <= TREE_BLOCK_BITS);
  uint32_t first = from / 64, last = (end - 1) / 64;
  for (uint32_t i = last + 1; i-- > first;) {
    uint64_t moved = words[i] << by | (i > first ? words[i - 1] >> (64 - by) : 0);
    uint64_t mask = i == first ? UINT64_MAX << from % 64 : UINT64_MAX;
    mask &= i == last ? clew_bits_mask(end - i * 64) : UINT64_MAX;
    words[i] = (words[i] & ~mask) | (moved & mask);
  }
  uint64_t field = clew_bits_mask(by);
  uint32_t shift = from % 64;
  words[first] = (words[first] & ~(field << shift)) | value << shift;
  if (shift + by > 64) {
    words[first + 1] = (words[first + 1] & ~(field >> (64 - shift))) | value >> (64 - shift);
  }
}

/* Pairs in a block. */
static uint32_t taken_in(const struct tree_shape *shape, const uint64_t *words, bool fast) {
  uint32_t end = tree_behind_zeros(words, shape->quotients, fast);
  assert(end >= shape->quotients && end <= shape->fields_at);
  return end - shape->quotients;
}

static void insert_in(const struct tree_shape *shape, uint64_t *words, uint32_t at,
                      const struct tree_place *place, uint32_t taken) {
  uint32_t slot = at - place->quotient, bits = shape->remainder_bits;
  assert(slot <= taken && taken < shape->slots);
  insert_bits(words, at, shape->fields_at, 1, 1);
  if (bits > 0) {
    insert_bits(words, shape->fields_at + slot * bits, shape->fields_at + (taken + 1) * bits, bits,
                place->remainder);
  }
}

bool tree_root_insert(struct tree_root *root, const struct tree_place *place, uint32_t at,
                      uint32_t left, uint32_t right) {
  uint64_t *words = tree_block_at(root, place->block);
  uint32_t taken = taken_in(&root->shape, words, root->fast);
  if (taken == root->shape.slots) {
    return tree_spill_add(root, tree_spill_value(left, right));
  }
  insert_in(&root->shape, words, at, place, taken);
  return true;
}

/* The word with the lock is read by others meanwhile: it is read and written once, and as a whole.
 */
bool tree_root_add_shared(struct tree_root *root, const struct tree_place *place, uint32_t left,
                          uint32_t right) {
  uint64_t *words = tree_block_at(root, place->block), copy[TREE_BLOCK_WORDS];
  uint64_t last = block_lock(words);
  memcpy(copy, words, sizeof copy - sizeof *copy);
  copy[TREE_BLOCK_WORDS - 1] = last;
  uint32_t at = tree_run_of(copy, place->quotient, root->fast);
  bool is_new = false;
  if (!tree_block_has(&root->shape, copy, place, at)) {
    uint32_t taken = taken_in(&root->shape, copy, root->fast);
    is_new = taken < root->shape.slots || tree_spill_add(root, tree_spill_value(left, right));
    if (taken < root->shape.slots) {
      insert_in(&root->shape, copy, at, place, taken);
      memcpy(words, copy, sizeof copy - sizeof *copy);
    }
  }
  block_unlock(words, copy[TREE_BLOCK_WORDS - 1]);
  return is_new;
}

bool tree_block_put(struct tree_root *root, const struct tree_shape *shape, uint32_t left,
                    uint32_t right) {
  struct tree_place place = tree_root_place(shape, left, right);
  uint64_t *words = tree_block_at(root, place.block);
  uint32_t taken = taken_in(shape, words, root->fast);
  if (taken < shape->slots) {
    insert_in(shape, words, tree_run_of(words, place.quotient, root->fast), &place, taken);
  }
  return taken < shape->slots;
}

bool tree_root_add_slowly(struct tree_root *root, uint32_t left, uint32_t right, bool shared) {
  struct tree_place place = tree_root_place(&root->shape, left, right);
  return tree_root_add(root, &place, left, right, shared, root->fast);
}

/* ---- reading back ---- */

uint64_t tree_shard_read(const uint64_t *blocks, const struct tree_shape *shape, uint32_t shard,
                         uint64_t *keys) {
  uint64_t count = 0;
  for (uint64_t b = 0; b < shape->blocks; b++) {
    const uint64_t *words = blocks + (shard * shape->blocks + b) * TREE_BLOCK_WORDS;
    uint64_t home = b * shape->quotients;
    uint32_t slot = 0;
    for (uint32_t i = 0; i * 64 < shape->fields_at; i++) {
      uint64_t pairs = words[i];
      if (shape->fields_at - i * 64 < 64) {
        pairs &= clew_bits_mask(shape->fields_at - i * 64);
      }
      for (; pairs != 0; pairs &= pairs - 1, slot++) {
        uint32_t quotient = i * 64 + (uint32_t)__builtin_ctzll(pairs) - slot;
        uint64_t key =
            (home + quotient) << shape->remainder_bits | tree_remainder_at(shape, words, slot);
        uint64_t k = count++;
        for (; k > 0 && keys[k - 1] > key; k--) { /* of the same home, in any order so far */
          keys[k] = keys[k - 1];
        }
        keys[k] = key;
      }
    }
  }
  return count;
}

bool tree_root_each(const struct tree_root *root,
                    bool (*pair)(void *context, uint32_t left, uint32_t right), void *context) {
  const struct tree_shape *shape = &root->shape;
  uint64_t *keys = clew_alloc((tree_shard_most(shape) + 1) * sizeof *keys);
  bool goes_on = true;
  for (uint32_t shard = 0; shard >> shape->keys.shard_bits == 0 && goes_on; shard++) {
    uint64_t count = tree_shard_read(tree_block_at(root, 0), &root->shape, shard, keys);
    for (uint64_t i = 0; i < count && goes_on; i++) {
      uint32_t left, right;
      tree_pair_of(&shape->keys, keys[i], shard, &left, &right);
      goes_on = pair(context, left, right);
    }
  }
  const uint64_t *slots = (const uint64_t *)(const void *)root->spill.data;
  for (uint64_t i = 0; i < root->spill_slots && goes_on; i++) {
    if (slots[i] != 0) {
      goes_on = pair(context, (uint32_t)((slots[i] - 1) >> 32), (uint32_t)(slots[i] - 1));
    }
  }
  clew_free(keys);
  return goes_on;
}

/* ---- validation ---- */

struct audit {
  const struct tree_root *root;
  uint64_t pairs;
  const char *wrong;
};

/* Each pair is where it is looked for, and in one place only. */
static bool audit_pair(void *context, uint32_t left, uint32_t right) {
  struct audit *audit = context;
  const struct tree_root *root = audit->root;
  struct tree_place place = tree_root_place(&root->shape, left, right);
  const uint64_t *words = tree_block_at(root, place.block);
  uint32_t at = tree_run_of(words, place.quotient, root->fast);
  bool in_block = tree_block_has(&root->shape, words, &place, at);
  bool in_spill =
      root->spill_slots > 0 && tree_spill_find(root, tree_spill_value(left, right)) != UINT64_MAX;
  audit->pairs++;
  if (in_block == in_spill) {
    audit->wrong = in_block ? "a pair is in its block and in the spill" : "a pair cannot be found";
  } else if (in_spill && taken_in(&root->shape, words, root->fast) < root->shape.slots) {
    audit->wrong = "a pair is in the spill although its block has room";
  }
  return audit->wrong == NULL;
}

static const char *validate_order(const struct tree_root *root, uint64_t *keys) {
  for (uint32_t shard = 0; shard >> root->shape.keys.shard_bits == 0; shard++) {
    uint64_t count = tree_shard_read(tree_block_at(root, 0), &root->shape, shard, keys);
    for (uint64_t i = 0; i < count; i++) {
      if (i > 0 && keys[i - 1] >= keys[i]) {
        return "two pairs have the same key";
      }
      if (keys[i] >> root->shape.keys.bits != 0) {
        return "a key is too large";
      }
    }
  }
  return NULL;
}

const char *tree_root_validate(const struct tree_root *root, uint64_t count) {
  const struct tree_shape *shape = &root->shape;
  uint64_t blocks = shape->blocks << shape->keys.shard_bits;
  for (uint64_t b = 0; b < blocks; b++) {
    if ((tree_block_at(root, b)[TREE_BLOCK_WORDS - 1] & LOCK_BIT) != 0) {
      return "a block is locked";
    }
  }
  uint64_t *keys = clew_alloc((tree_shard_most(shape) + 1) * sizeof *keys);
  const char *wrong = validate_order(root, keys);
  clew_free(keys);
  if (wrong != NULL) {
    return wrong;
  }
  struct audit audit = {.root = root};
  (void)tree_root_each(root, audit_pair, &audit);
  if (audit.wrong == NULL && audit.pairs != count) {
    audit.wrong = "not as many pairs as states";
  }
  return audit.wrong;
}
