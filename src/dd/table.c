/* The table of nodes: arena, index, growth.
 *
 * Invariant: an entry of the index is 0 or the number of a node with its tag; every node is in the
 * first bucket of its probe sequence that had an empty entry when it was put there, and entries are
 * never taken out. So an empty entry ends a search. */
#include "dd/dd_int.h"

#include "base/alloc.h"

enum {
  LEAST_NODES = 1 << 10,
  SLACK = 8, /* bytes behind the last node that may be read */
  LEAST_BUCKETS = 96,
  SMALL_BUCKETS = 1 << 14, /* up to 1 MB the index doubles; */
  AHEAD = 16,              /* entries that are prefetched while the index is rebuilt */
};
/* Nodes per bucket at most, in a large table and in a small one. */
static const uint64_t FULL_PER_100_BUCKETS = 1520, SMALL_FULL_PER_100_BUCKETS = 1200;
static const uint64_t MOST_NODES = UINT32_MAX - 1; /* UINT32_MAX is CLEW_DD_NONE */

static uint64_t full_at(uint64_t buckets) {
  return buckets * (buckets <= SMALL_BUCKETS ? SMALL_FULL_PER_100_BUCKETS : FULL_PER_100_BUCKETS) /
         100;
}

/* ---- the index ---- */

static uint32_t home_bucket(const struct clew_dd *dd, uint64_t hash) {
  return (uint32_t)(((unsigned __int128)hash * dd->bucket_count) >> 64);
}

static uint32_t *bucket_at(const struct clew_dd *dd, uint32_t bucket) {
  assert(bucket < dd->bucket_count);
  return (uint32_t *)(void *)(dd->index.data + (size_t)bucket * CLEW_LANES_BYTES);
}

static uint32_t next_bucket(const struct clew_dd *dd, uint32_t bucket) {
  return bucket + 1 < dd->bucket_count ? bucket + 1 : 0;
}

/* The home bucket comes from the upper bits of a hash, the tag from the lower ones. */
static uint32_t tag_of(const struct clew_dd *dd, uint64_t hash) {
  return dd->id_bits < 32 ? (uint32_t)hash << dd->id_bits : 0;
}

static struct clew_lanes scan(const struct clew_dd *dd, const uint32_t *bucket, uint32_t tag) {
  return clew_lanes_scan((const unsigned char *)bucket, tag, ~dd->id_mask);
}

static uint64_t hash_node(const struct clew_dd *dd, struct clew_ldd_node node) {
  return hash_three(dd, node.value, node.down, node.right);
}

/* The node is new and there is room. */
static void put_entry(struct clew_dd *dd, uint64_t hash, clew_ldd id) {
  uint32_t bucket = home_bucket(dd, hash);
  struct clew_lanes lanes;
  while ((lanes = scan(dd, bucket_at(dd, bucket), 0)).empties == 0) {
    bucket = next_bucket(dd, bucket);
  }
  bucket_at(dd, bucket)[__builtin_ctz(lanes.empties)] = tag_of(dd, hash) | id;
}

void clew_dd_index_rebuild(struct clew_dd *dd) {
  uint64_t hashes[AHEAD];
  memset(dd->index.data, 0, (size_t)dd->bucket_count * CLEW_LANES_BYTES);
  uint64_t bits = clew_bits_for(full_at(dd->bucket_count) + FIRST_NODE);
  dd->id_bits = bits < 32 ? (uint32_t)bits : 32;
  dd->id_mask = (uint32_t)clew_bits_mask(dd->id_bits);
  assert(dd->count - 1 <= dd->id_mask);
  for (uint64_t id = FIRST_NODE; id < (uint64_t)dd->count + AHEAD; id++) {
    if (id >= FIRST_NODE + AHEAD) {
      put_entry(dd, hashes[id % AHEAD], (clew_ldd)(id - AHEAD));
    }
    if (id < dd->count) {
      uint64_t hash = hash_node(dd, node_of(dd, (clew_ldd)id));
      hashes[id % AHEAD] = hash;
      __builtin_prefetch(bucket_at(dd, home_bucket(dd, hash)), 1);
    }
  }
}

clew_ldd clew_dd_find(const struct clew_dd *dd, struct clew_ldd_node node) {
  uint64_t hash = hash_node(dd, node);
  uint32_t bucket = home_bucket(dd, hash), tag = tag_of(dd, hash);
  for (uint32_t probes = 0; probes < dd->bucket_count; probes++) {
    const uint32_t *entries = bucket_at(dd, bucket);
    struct clew_lanes lanes = scan(dd, entries, tag);
    for (; lanes.matches != 0; lanes.matches &= lanes.matches - 1) {
      clew_ldd id = entries[__builtin_ctz(lanes.matches)] & dd->id_mask;
      struct clew_ldd_node other = node_of(dd, id);
      if (other.down == node.down && other.right == node.right && other.value == node.value) {
        return id;
      }
    }
    if (lanes.empties != 0) {
      break;
    }
    bucket = next_bucket(dd, bucket);
  }
  return CLEW_DD_NONE;
}

/* ---- growth ---- */

/* Arena and marks for so many nodes. */
static bool commit_nodes(struct clew_dd *dd, uint64_t nodes) {
  uint64_t words = nodes / 64 + MARK_BLOCK_WORDS;
  return clew_bigmem_commit(&dd->marks, words * sizeof(uint64_t)) &&
         clew_bigmem_commit(&dd->ranks, (words / MARK_BLOCK_WORDS + 1) * sizeof(uint32_t)) &&
         clew_bigmem_commit(&dd->arena, nodes * CLEW_DD_NODE_BYTES + SLACK);
}

static uint64_t nodes_committed(const struct clew_dd *dd) {
  uint64_t nodes = (dd->arena.committed_bytes - SLACK) / CLEW_DD_NODE_BYTES;
  uint64_t marked = (dd->marks.committed_bytes / sizeof(uint64_t) - MARK_BLOCK_WORDS) * 64;
  uint64_t ranked = (dd->ranks.committed_bytes / sizeof(uint32_t) - 1) * MARK_BLOCK_WORDS * 64;
  nodes = nodes < marked ? nodes : marked;
  nodes = nodes < ranked ? nodes : ranked;
  return nodes < MOST_NODES ? nodes : MOST_NODES;
}

static void set_room(struct clew_dd *dd) {
  uint64_t nodes = nodes_committed(dd), indexed = full_at(dd->bucket_count) + FIRST_NODE;
  dd->room = (uint32_t)(nodes < indexed ? nodes : indexed);
  assert(dd->room >= dd->count);
}

/* A small index doubles; a large one grows by a sixth, so that little of it is empty. */
static bool grow_index(struct clew_dd *dd) {
  uint64_t now = dd->bucket_count;
  for (uint64_t part = now < SMALL_BUCKETS ? 1 : 6; part <= 48; part *= 2) {
    uint64_t more = now + now / part;
    if (more <= UINT32_MAX && clew_bigmem_commit(&dd->index, more * CLEW_LANES_BYTES)) {
      dd->bucket_count = (uint32_t)more;
      clew_dd_index_rebuild(dd);
      return true;
    }
  }
  return false;
}

static __attribute__((noinline)) bool grow(struct clew_dd *dd) {
  bool room = true;
  if (dd->count >= full_at(dd->bucket_count) + FIRST_NODE) {
    room = grow_index(dd);
  }
  if (room && dd->count >= nodes_committed(dd)) {
    room = dd->count < MOST_NODES && commit_nodes(dd, (uint64_t)dd->count + LEAST_NODES);
  }
  if (room) {
    set_room(dd);
    clew_dd_cache_fit(dd);
  } else {
    dd->status = CLEW_DD_FULL;
  }
  return room;
}

/* ---- making nodes ---- */

static clew_ldd add_node(struct clew_dd *dd, struct clew_ldd_node node, uint64_t hash) {
  if (__builtin_expect(dd->count == dd->room, 0)) {
    if (!grow(dd)) {
      return CLEW_LDD_EMPTY;
    }
    put_entry(dd, hash, dd->count); /* the index may be another one */
  }
  clew_ldd id = dd->count++;
  node_set(dd, id, node);
  return id;
}

static inline clew_ldd insert(struct clew_dd *dd, struct clew_ldd_node node) {
  uint64_t hash = hash_node(dd, node);
  uint32_t bucket = home_bucket(dd, hash), tag = tag_of(dd, hash);
  for (;;) {
    uint32_t *entries = bucket_at(dd, bucket);
    struct clew_lanes lanes = scan(dd, entries, tag);
    for (; lanes.matches != 0; lanes.matches &= lanes.matches - 1) {
      clew_ldd id = entries[__builtin_ctz(lanes.matches)] & dd->id_mask;
      struct clew_ldd_node other = node_of(dd, id);
      if (other.down == node.down && other.right == node.right && other.value == node.value) {
        return id;
      }
    }
    if (lanes.empties != 0) {
      if (__builtin_expect(dd->count < dd->room, 1)) {
        entries[__builtin_ctz(lanes.empties)] = tag | dd->count;
      }
      return add_node(dd, node, hash);
    }
    bucket = next_bucket(dd, bucket);
  }
}

clew_ldd clew_dd_insert(struct clew_dd *dd, struct clew_ldd_node node) {
  return __builtin_expect(dd->status != CLEW_DD_OK, 0) ? CLEW_LDD_EMPTY : insert(dd, node);
}

clew_ldd clew_dd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right) {
  if (__builtin_expect(dd->status != CLEW_DD_OK, 0)) {
    return CLEW_LDD_EMPTY;
  }
  assert(down != CLEW_LDD_EMPTY && right != CLEW_LDD_UNIT);
  assert(value < 1U << CLEW_DD_VALUE_BITS);
  assert(right == CLEW_LDD_EMPTY || node_of(dd, right).value > value);
  return insert(dd, (struct clew_ldd_node){value, down, right});
}

clew_ldd clew_ldd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right) {
  dd->status = CLEW_DD_OK;
  clew_ldd made = clew_dd_make(dd, value, down, right);
  if (dd->status != CLEW_DD_OK) {
    clew_dd_keep(dd, &down);
    clew_dd_keep(dd, &right);
    clew_dd_collect(dd);
    clew_dd_drop(dd, 2);
    dd->status = CLEW_DD_OK;
    made = clew_dd_make(dd, value, down, right);
  }
  return dd->status == CLEW_DD_OK ? made : CLEW_DD_NONE;
}

struct clew_ldd_node clew_ldd_node(const struct clew_dd *dd, clew_ldd set) {
  return node_of(dd, set);
}

/* ---- opening and closing ---- */

static bool open_memory(struct clew_dd *dd) {
  const uint64_t limit = dd->budget->limit_bytes;
  const uint64_t arena_most = MOST_NODES * CLEW_DD_NODE_BYTES + SLACK;
  const uint64_t index_most = (uint64_t)1 << 35, marks_most = (uint64_t)1 << 30;
  const size_t least = 1 << 20;
  uint64_t arena = limit < arena_most ? limit : arena_most;
  uint64_t index = limit < index_most ? limit : index_most;
  uint64_t marks = limit < marks_most ? limit : marks_most;
  return clew_bigmem_open_most(&dd->arena, arena, least, dd->budget) &&
         clew_bigmem_open_most(&dd->index, index, least, dd->budget) &&
         clew_bigmem_open_most(&dd->marks, marks, least, dd->budget) &&
         clew_bigmem_open_most(&dd->ranks, marks, least, dd->budget) &&
         clew_bigmem_commit(&dd->index, (size_t)LEAST_BUCKETS * CLEW_LANES_BYTES) &&
         commit_nodes(dd, LEAST_NODES) && clew_dd_cache_open(dd);
}

struct clew_dd *clew_dd_open(const struct clew_dd_config *config) {
  static const atomic_bool never = false;
  assert(config->budget != NULL);
  struct clew_dd *dd = clew_alloc_zero(1, sizeof *dd);
  dd->budget = config->budget;
  dd->stop = config->stop != NULL ? config->stop : &never;
  dd->seed = config->seed;
  dd->count = dd->peak = FIRST_NODE;
  dd->bucket_count = LEAST_BUCKETS;
  if (!open_memory(dd)) {
    clew_dd_close(dd);
    return NULL;
  }
  clew_dd_index_rebuild(dd);
  set_room(dd);
  clew_dd_collect_often(dd, 0);
  return dd;
}

void clew_dd_close(struct clew_dd *dd) {
  if (dd == NULL) {
    return;
  }
  clew_bigmem_close(&dd->arena);
  clew_bigmem_close(&dd->index);
  clew_bigmem_close(&dd->marks);
  clew_bigmem_close(&dd->ranks);
  clew_bigmem_close(&dd->cache);
  clew_bigmem_close(&dd->wide);
  clew_vec_free(&dd->roots);
  clew_vec_free(&dd->items);
  clew_vec_free(&dd->plans);
  clew_vec_free(&dd->plan_index);
  clew_dd_close_clocks(dd);
  clew_free(dd);
}

void clew_dd_figures(const struct clew_dd *dd, struct clew_dd_figures *figures) {
  uint32_t peak = dd->count > dd->peak ? dd->count : dd->peak;
  *figures = (struct clew_dd_figures){
      .nodes = dd->count - FIRST_NODE,
      .peak_nodes = peak - FIRST_NODE,
      .node_bytes = dd->arena.committed_bytes + dd->index.committed_bytes +
                    dd->marks.committed_bytes + dd->ranks.committed_bytes,
      .cache_bytes = dd->cache.committed_bytes + dd->wide.committed_bytes,
      .collections = dd->collections,
      .operations = dd->operations,
      .steps = dd->steps,
      .cache_hits = dd->cache_hits,
      .cache_misses = dd->cache_misses,
  };
}
