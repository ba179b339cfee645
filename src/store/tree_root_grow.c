/* Shapes of the root, and how it changes from one to another (tree_root_int.h). */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "store/region_int.h"
#include "store/tree_shape_int.h"

enum {
  SHARD_BITS = 8,
  SHARDS_FROM = 1 << 15, /* pairs: fewer are one shard, which is moved as a whole */
  TIGHT_SHARDS_FROM = 300,
  MOVED_SHARE = 16,  /* of the budget, for what is being moved */
  MOST_MEMBERS = 16, /* of the crew: each has a buffer */
  MOST_REMAINDER_BITS = 56,
  LEAST_QUOTIENTS = 2,
  SPILL_SHARE = 128,     /* of the pairs: more than after a growth are seldom in the spill */
  FEW = 1 << 20,         /* pairs: memory for fewer is not worth saving, */
  FEW_REKEYED = 1 << 22, /* nor are bits for fewer than these */
};

static const uint64_t MOST_IDS = UINT32_MAX;

/* ---- shapes ---- */

bool tree_keys_choose(struct tree_keys *keys, uint64_t lefts, uint64_t rights,
                      uint32_t shard_bits) {
  assert(lefts > 0 && rights > 0 && lefts <= MOST_IDS && rights <= MOST_IDS);
  uint64_t per_shard = ((rights - 1) >> shard_bits) + 1;
  uint32_t bits = clew_bits_for(lefts * per_shard - 1);
  if (bits > TREE_MOST_KEY_BITS) {
    return false;
  }
  double over = ldexp(1, (int)bits) / ((double)lefts * (double)per_shard);
  uint64_t widened = (uint64_t)((double)per_shard * sqrt(over));
  widened = widened > per_shard ? widened : per_shard;
  widened = widened << bits >> bits == widened ? widened : per_shard;
  uint64_t left_most = (UINT64_C(1) << bits) / widened;
  if (left_most < lefts) { /* rounding */
    widened = per_shard;
    left_most = (UINT64_C(1) << bits) / widened;
  }
  uint64_t right_most = widened << shard_bits;
  *keys = (struct tree_keys){.shard_bits = shard_bits,
                             .bits = bits,
                             .left_most = left_most < MOST_IDS ? left_most : MOST_IDS,
                             .right_most = right_most < MOST_IDS ? right_most : MOST_IDS,
                             .rights = widened,
                             .reciprocal = UINT64_MAX / widened + 1};
  assert(keys->left_most >= lefts && keys->right_most >= rights);
  /* No two pairs of a shard have the same number, and no number has more bits. */
  assert((unsigned __int128)keys->left_most * keys->rights <= (unsigned __int128)1 << bits);
  return true;
}

/* Pairs in a block, on average, so that few blocks have more than their slots. */
static double average_for(uint32_t slots) {
  const double deviations = 1.1;
  double average = slots - deviations * sqrt(slots);
  return average > 0.25 ? average : 0.25;
}

static struct tree_shape shape_of(const struct tree_keys *keys, uint32_t remainder_bits,
                                  uint32_t quotients) {
  uint64_t homes = UINT64_C(1) << (keys->bits - remainder_bits);
  struct tree_shape shape = {.keys = *keys,
                             .remainder_bits = remainder_bits,
                             .quotients = quotients,
                             .slots = (TREE_BLOCK_BITS - quotients) / (1 + remainder_bits),
                             .magic = UINT64_MAX / quotients + 1,
                             .blocks = (homes - 1) / quotients + 1};
  shape.fields_at = shape.quotients + shape.slots;
  bool cannot_overflow = remainder_bits < 16 && (quotients << remainder_bits) <= shape.slots;
  double most = cannot_overflow ? ldexp(1, (int)(keys->bits + keys->shard_bits))
                                : average_for(shape.slots) * (double)shape.blocks *
                                      ldexp(1, (int)keys->shard_bits);
  shape.capacity = most < 1e18 ? (uint64_t)most : UINT64_C(1000000000000000000);
  return shape;
}

struct tree_shape tree_shape_choose(const struct tree_keys *keys, uint64_t pairs) {
  struct tree_shape best = {0};
  uint64_t all = keys->bits + keys->shard_bits < 63 ? UINT64_C(1) << (keys->bits + keys->shard_bits)
                                                    : UINT64_MAX;
  pairs = pairs < all ? pairs : all;
  uint32_t most_bits = keys->bits < MOST_REMAINDER_BITS ? keys->bits : MOST_REMAINDER_BITS;
  for (uint32_t bits = 0; bits <= most_bits; bits++) {
    /* The more homes a block has, the fewer blocks there are, and the less they take. */
    uint32_t low = LEAST_QUOTIENTS - 1, high = TREE_BLOCK_BITS - 1 - bits;
    while (low < high) {
      uint32_t middle = low + (high - low + 1) / 2;
      if (shape_of(keys, bits, middle).capacity >= pairs) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (low >= LEAST_QUOTIENTS) {
      struct tree_shape shape = shape_of(keys, bits, low);
      if (best.blocks == 0 || shape.blocks < best.blocks) {
        best = shape;
      }
    }
  }
  assert(best.blocks > 0 && best.slots > 0 && best.capacity >= pairs);
  assert(best.fields_at + best.slots * best.remainder_bits <= TREE_BLOCK_BITS);
  assert(best.blocks * best.quotients >= UINT64_C(1) << (keys->bits - best.remainder_bits));
  return best;
}

/* ---- moving from one shape to another ---- */

struct move {
  struct tree_root *root;
  const struct tree_shape *from, *to;
  bool same_keys;
  uint32_t shards_left; /* of the old table, those below are not moved */
  uint32_t members;
  uint64_t buffer_room; /* of each member */
  uint64_t *buffers;
  uint64_t counts[MOST_MEMBERS];
};

static uint64_t *buffer_of(const struct move *move, uint32_t member) {
  return move->buffers + member * move->buffer_room;
}

static void read_part(void *context, uint32_t member) {
  struct move *move = context;
  uint32_t shard = move->shards_left - 1 - member;
  assert(shard < move->shards_left);
  move->counts[member] =
      tree_shard_read(tree_block_at(move->root, 0), move->from, shard, buffer_of(move, member));
  assert(move->counts[member] < move->buffer_room / 2);
}

/* The keys, which are in order, become blocks from the first on. What finds no place is left in the
 * buffer as pairs; returns how many. */
static uint64_t write_in_order(const struct move *move, uint32_t shard, uint64_t *keys,
                               uint64_t count) {
  const struct tree_shape *to = move->to;
  uint64_t *blocks = tree_block_at(move->root, shard * to->blocks);
  uint64_t left_over = 0, block = 0;
  uint32_t slot = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t home = keys[i] >> to->remainder_bits;
    uint64_t its_block = (uint64_t)(((unsigned __int128)home * to->magic) >> 64);
    slot = its_block == block ? slot : 0;
    block = its_block;
    if (slot == to->slots) {
      uint32_t left, right;
      tree_pair_of(&to->keys, keys[i], shard, &left, &right);
      keys[left_over++] = tree_spill_value(left, right);
      continue;
    }
    assert(block < to->blocks);
    uint64_t *words = blocks + block * TREE_BLOCK_WORDS;
    uint32_t mark = (uint32_t)(home - block * to->quotients) + slot;
    words[mark / 64] |= UINT64_C(1) << mark % 64;
    if (to->remainder_bits > 0) {
      uint64_t remainder = keys[i] & clew_bits_mask(to->remainder_bits);
      uint32_t at = to->fields_at + slot * to->remainder_bits, shift = at % 64;
      words[at / 64] |= remainder << shift;
      if (shift + to->remainder_bits > 64) {
        words[at / 64 + 1] |= remainder >> (64 - shift);
      }
    }
    slot++;
  }
  return left_over;
}

/* By the digits of `bits` bits, from the lowest on, to `other` and back. */
static void sort_keys(uint64_t *keys, uint64_t *other, uint64_t count, uint32_t bits) {
  enum { DIGIT = 10, DIGITS = 1 << DIGIT };
  uint64_t *from = keys, *to = other;
  for (uint32_t shift = 0; shift < bits; shift += DIGIT) {
    uint64_t ends[DIGITS] = {0}, sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      ends[from[i] >> shift & (DIGITS - 1)]++;
    }
    for (uint32_t d = 0; d < DIGITS; d++) {
      uint64_t its = ends[d];
      ends[d] = sum;
      sum += its;
    }
    for (uint64_t i = 0; i < count; i++) {
      to[ends[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    }
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != keys) {
    memcpy(keys, from, count * sizeof *keys);
  }
}

/* The keys of the old table become those of the new one, in order again. */
static void rekey(const struct move *move, uint32_t shard, uint64_t *keys, uint64_t count) {
  const struct tree_keys from = move->from->keys, to = move->to->keys;
  assert(from.shard_bits == to.shard_bits);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t left, right, its_shard;
    tree_pair_of(&from, keys[i], shard, &left, &right);
    keys[i] = tree_key_of(&to, left, right, &its_shard);
    assert(its_shard == shard);
  }
  sort_keys(keys, keys + move->buffer_room / 2, count, to.bits);
}

static uint64_t write_each(const struct move *move, uint32_t shard, uint64_t *keys,
                           uint64_t count) {
  uint64_t left_over = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t left, right;
    tree_pair_of(&move->from->keys, keys[i], shard, &left, &right);
    if (!tree_block_put(move->root, move->to, left, right)) {
      keys[left_over++] = tree_spill_value(left, right);
    }
  }
  return left_over;
}

static void write_part(void *context, uint32_t member) {
  struct move *move = context;
  uint32_t shard = move->shards_left - 1 - member;
  bool as_a_whole = move->from->keys.shard_bits != move->to->keys.shard_bits;
  uint64_t bytes = tree_shape_bytes(move->to) >> (as_a_whole ? 0 : move->to->keys.shard_bits);
  memset(tree_block_at(move->root, shard * move->to->blocks), 0, bytes);
  uint64_t *keys = buffer_of(move, member), count = move->counts[member];
  if (!as_a_whole && !move->same_keys) {
    rekey(move, shard, keys, count);
  }
  move->counts[member] =
      as_a_whole ? write_each(move, shard, keys, count) : write_in_order(move, shard, keys, count);
}

static void spill_left_over(struct move *move) {
  uint64_t all = atomic_load(&move->root->spilled);
  for (uint32_t m = 0; m < move->members; m++) {
    all += move->counts[m];
  }
  (void)tree_spill_make_room(move->root, all, true);
  for (uint32_t m = 0; m < move->members; m++) {
    for (uint64_t i = 0; i < move->counts[m]; i++) {
      bool is_new = tree_spill_add(move->root, buffer_of(move, m)[i]);
      assert(is_new);
      (void)is_new;
    }
  }
}

/* Takes the shards from the last to the first, some at a time: where a shard goes, none lies that
 * was not read. */
static void move_shards(struct move *move) {
  struct tree_root *root = move->root;
  assert(move->to->blocks >= move->from->blocks || move->from->keys.shard_bits == 0);
  uint32_t most = move->members;
  move->shards_left = 1U << move->from->keys.shard_bits;
  while (move->shards_left > 0) {
    move->members = move->shards_left < most ? move->shards_left : most;
    clew_crew_work(root->crew, move->members, read_part, move);
    clew_crew_work(root->crew, move->members, write_part, move);
    spill_left_over(move);
    move->shards_left -= move->members;
  }
}

/* Pairs that were in the old spill may find a place now. */
static void put_spilled(struct tree_root *root, const struct clew_bigmem *old, uint64_t slots) {
  const uint64_t *values = (const uint64_t *)(const void *)old->data;
  for (uint64_t i = 0; i < slots; i++) {
    if (values[i] == 0) {
      continue;
    }
    uint64_t pair = values[i] - 1;
    if (!tree_block_put(root, &root->shape, (uint32_t)(pair >> 32), (uint32_t)pair)) {
      (void)tree_spill_make_room(root, atomic_load(&root->spilled) + 1, true);
      (void)tree_spill_add(root, values[i]);
    }
  }
}

static bool same_keys(const struct tree_keys *a, const struct tree_keys *b) {
  return a->shard_bits == b->shard_bits && a->bits == b->bits && a->rights == b->rights;
}

/* More than this in the spill is a reason to grow, but not again at once where pairs are not spread
 * evenly. */
static void set_spill_limit(struct tree_root *root) {
  const uint64_t least = 64, share = 24;
  uint64_t now = atomic_load(&root->spilled), usual = root->shape.capacity / share;
  root->spill_limit = (now + now / 2 > usual ? now + now / 2 : usual) + least;
}

/* False when there is no memory; nothing has changed then. */
static bool change_shape(struct tree_root *root, const struct tree_shape *to, uint64_t count) {
  const struct tree_shape from = root->shape;
  struct clew_bigmem buffer;
  uint32_t members = clew_crew_size(root->crew);
  struct move move = {.root = root,
                      .from = &from,
                      .to = to,
                      .same_keys = same_keys(&from.keys, &to->keys),
                      .buffer_room =
                          2 * (tree_shard_most(&from) + 1), /* sorting takes as much again */
                      .members = members < MOST_MEMBERS ? members : MOST_MEMBERS};
  move.members = from.keys.shard_bits == 0 ? 1 : move.members;
  size_t bytes = (size_t)(move.buffer_room * move.members * sizeof(uint64_t));
  if (!clew_bigmem_open(&buffer, bytes, root->budget)) {
    return false;
  }
  if (!clew_bigmem_commit(&buffer, bytes) ||
      !clew_bigmem_commit(&root->blocks, (size_t)tree_shape_bytes(to))) {
    clew_bigmem_close(&buffer);
    return false;
  }
  move.buffers = (uint64_t *)(void *)buffer.data;
  struct clew_bigmem old_spill = root->spill;
  uint64_t old_slots = root->spill_slots, old_spilled = atomic_load(&root->spilled);
  root->spill = (struct clew_bigmem){0};
  root->spill_slots = 0;
  atomic_store(&root->spilled, 0);
  if (!tree_spill_make_room(root, count / SPILL_SHARE, false)) {
    clew_bigmem_close(&buffer);
    root->spill = old_spill;
    root->spill_slots = old_slots;
    atomic_store(&root->spilled, old_spilled);
    return false;
  }
  move_shards(&move);
  root->shape = *to;
  clew_bigmem_close(&buffer);
  put_spilled(root, &old_spill, old_slots);
  clew_bigmem_close(&old_spill);
  root->growths++;
  root->rekeys += !move.same_keys;
  set_spill_limit(root);
  return true;
}

/* ---- growth ---- */

/* With the same shards a table must not get fewer blocks: it could not be moved in place. */
static struct tree_shape larger_shape(const struct tree_root *root, const struct tree_keys *keys,
                                      uint64_t pairs) {
  struct tree_shape shape = tree_shape_choose(keys, pairs);
  while (keys->shard_bits == root->shape.keys.shard_bits && shape.blocks < root->shape.blocks) {
    pairs += pairs / 64 + 1;
    shape = tree_shape_choose(keys, pairs);
  }
  return shape;
}

static uint64_t with_headroom(const struct tree_root *root, uint64_t needed, uint64_t count) {
  if (root->tight) {
    return needed;
  }
  uint64_t more = needed + (count < FEW_REKEYED ? needed / 2 : needed / 8) + 1;
  return more < MOST_IDS ? more : MOST_IDS;
}

static bool try_shape(struct tree_root *root, const struct tree_keys *keys, uint64_t count,
                      uint64_t pairs) {
  struct tree_shape shape = larger_shape(root, keys, pairs);
  double start_s = clew_clock_wall_s();
  bool changed = change_shape(root, &shape, count);
  root->growth_s += clew_clock_wall_s() - start_s;
  return changed;
}

/* Pairs that are no longer one shard: moving a shard takes two words for each of its pairs, which
 * is to be a small part of the budget. */
static uint64_t shards_from(const struct tree_root *root) {
  uint64_t most = root->tight ? TIGHT_SHARDS_FROM : SHARDS_FROM;
  if (root->budget == NULL) {
    return most;
  }
  uint64_t affordable = root->budget->limit_bytes / (MOVED_SHARE * 2 * sizeof(uint64_t));
  affordable = affordable > TIGHT_SHARDS_FROM ? affordable : TIGHT_SHARDS_FROM;
  return affordable < most ? affordable : most;
}

/* False when there is no memory for anything better. */
static bool grow(struct tree_root *root, uint64_t count, uint64_t more, uint64_t lefts,
                 uint64_t rights) {
  struct tree_keys keys = root->shape.keys;
  uint32_t shard_bits = count + more >= shards_from(root) ? SHARD_BITS : keys.shard_bits;
  bool rekeys = lefts > keys.left_most || rights > keys.right_most;
  if (rekeys || shard_bits != keys.shard_bits) {
    uint64_t some_lefts = with_headroom(root, lefts, count);
    uint64_t some_rights = with_headroom(root, rights, count);
    if (!tree_keys_choose(&keys, some_lefts, some_rights, shard_bits)) {
      return false;
    }
  }
  uint64_t pairs = count + more, wanted = pairs + (count < FEW ? pairs / 2 : pairs / 4);
  if (!root->tight && try_shape(root, &keys, count, wanted)) {
    return true;
  }
  return try_shape(root, &keys, count, pairs + pairs / 32);
}

bool tree_root_reserve(struct tree_root *root, uint64_t count, uint64_t more, uint64_t lefts,
                       uint64_t rights) {
  const struct tree_keys *keys = &root->shape.keys;
  if (lefts > MOST_IDS || rights > MOST_IDS) {
    return false;
  }
  bool outgrown = lefts > keys->left_most || rights > keys->right_most;
  uint64_t spilled = atomic_load(&root->spilled);
  bool is_full = count + more > root->shape.capacity || spilled > root->spill_limit;
  bool may_pay =
      root->budget == NULL || clew_budget_left(root->budget) > root->blocks.committed_bytes / 32;
  if ((outgrown || (is_full && may_pay)) && !grow(root, count, more, lefts, rights) && outgrown) {
    return false;
  }
  return tree_spill_make_room(root, atomic_load(&root->spilled) + more, false);
}

uint64_t tree_root_room(const struct tree_root *root) {
  return tree_spill_room(root);
}

uint64_t tree_root_bytes(const struct tree_root *root) {
  return root->blocks.committed_bytes + root->spill.committed_bytes;
}

/* ---- opening ---- */

bool tree_root_open(struct tree_root *root, struct clew_budget *budget, struct clew_crew *crew,
                    uint64_t lefts, uint64_t rights, bool tight) {
  *root = (struct tree_root){.budget = budget, .crew = crew, .tight = tight};
#if defined(__x86_64__)
  root->fast = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2");
#endif
  struct tree_keys keys;
  if (!tree_keys_choose(&keys, lefts, rights, 0)) {
    return false;
  }
  root->shape = tree_shape_choose(&keys, 1);
  if (!region_open(&root->blocks, UINT64_C(1) << 40, sizeof(uint64_t), budget)) {
    return false;
  }
  if (!clew_bigmem_commit(&root->blocks, (size_t)tree_shape_bytes(&root->shape))) {
    clew_bigmem_close(&root->blocks);
    return false;
  }
  set_spill_limit(root);
  return true;
}

void tree_root_close(struct tree_root *root) {
  clew_bigmem_close(&root->blocks);
  clew_bigmem_close(&root->spill);
}
