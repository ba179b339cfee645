/* The table of nodes: arena, index, numbers, growth.
 *
 * Invariant: an entry of the index is 0 or the number of a node with its tag; every node is in the
 * first bucket of its probe sequence that had an empty entry when it was put there, and entries are
 * never taken out. So an empty entry ends a search.
 *
 * Several workers. A worker writes a new node under a number of its own first and puts it into the
 * index then, by a compare-and-swap of the first empty entry (release; those who find it acquire).
 * If that fails somebody was faster, perhaps with the same node: it looks again, and the number is
 * still free. So a node exists once. Numbers are handed out in spans. A worker takes one that is
 * above those of both children, so children come before their parents although there are several
 * spans in use; one that is too old for a node is spared for later ones. Numbers that are never
 * used are holes, which are zero, and end with the next collection.
 *
 * A worker that finds the index full gives up, all others do, too, and when the operation has
 * unwound the index grows. The operation begins again and finds its results in the cache. Arena and
 * marks grow while others work. */
#include "dd/tasks_int.h"

#include "base/alloc.h"

enum {
  LEAST_NODES = 1 << 10,
  SLACK = 8, /* bytes behind the last node that may be read */
  LEAST_BUCKETS = 96,
  SMALL_BUCKETS = 1 << 14, /* up to 1 MB the index doubles; */
  AHEAD = 32,              /* entries that are prefetched while the index is rebuilt */
  SPAN = 64,               /* numbers, where there are several workers */
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
  return dd->index + (size_t)bucket * CLEW_LANES;
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

static bool claim(uint32_t *entry, uint32_t value) {
  uint32_t empty = 0;
  return atomic_compare_exchange_strong_explicit((_Atomic uint32_t *)entry, &empty, value,
                                                 memory_order_release, memory_order_relaxed);
}

/* The node is new and there is room. Others may only do the same. */
static void put_entry(struct clew_dd *dd, uint64_t hash, clew_ldd id, bool is_shared) {
  uint32_t bucket = home_bucket(dd, hash), value = tag_of(dd, hash) | id;
  for (;;) {
    uint32_t *entries = bucket_at(dd, bucket);
    uint32_t empties = scan(dd, entries, 0).empties;
    if (empties == 0) {
      bucket = next_bucket(dd, bucket);
    } else if (!is_shared) {
      entries[__builtin_ctz(empties)] = value;
      return;
    } else if (claim(&entries[__builtin_ctz(empties)], value)) {
      return;
    }
  }
}

/* ---- filling the index anew ---- */

static void clear_part(struct clew_dd *dd, void *context, uint32_t part, uint32_t parts) {
  uint64_t from = (uint64_t)dd->bucket_count * part / parts;
  uint64_t end = (uint64_t)dd->bucket_count * (part + 1) / parts;
  (void)context;
  memset(dd->index + from * CLEW_LANES, 0, (end - from) * CLEW_LANES_BYTES);
}

/* A block of nodes at a time: the first pass prefetches what the second needs. */
static void fill_part(struct clew_dd *dd, void *context, uint32_t part, uint32_t parts) {
  uint64_t all = clew_dd_end(dd->table->workers[0]) - (uint64_t)FIRST_NODE, hashes[AHEAD];
  uint64_t id = FIRST_NODE + all * part / parts, end = FIRST_NODE + all * (part + 1) / parts;
  clew_ldd ids[AHEAD];
  (void)context;
  while (id < end) {
    uint32_t count = 0;
    for (; count < AHEAD && id < end; id++) {
      struct clew_ldd_node node = node_of(dd, (clew_ldd)id);
      if (!is_hole(node)) {
        hashes[count] = hash_node(dd, node);
        __builtin_prefetch(bucket_at(dd, home_bucket(dd, hashes[count])), 1);
        ids[count++] = (clew_ldd)id;
      }
    }
    for (uint32_t i = 0; i < count; i++) {
      put_entry(dd, hashes[i], ids[i], parts > 1);
    }
  }
}

void clew_dd_index_rebuild(struct clew_dd *dd) {
  assert(!dd->is_shared && clew_dd_end(dd) - 1 <= full_at(dd->table->bucket_count) + FIRST_NODE);
  clew_dd_refresh(dd);
  clew_dd_divide(dd, clear_part, NULL, dd->bucket_count);
  clew_dd_divide(dd, fill_part, NULL, clew_dd_end(dd));
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
static bool commit_nodes(struct table *table, uint64_t nodes) {
  uint64_t words = nodes / 64 + MARK_BLOCK_WORDS;
  return clew_bigmem_commit(&table->marks, words * sizeof(uint64_t)) &&
         clew_bigmem_commit(&table->ranks, (words / MARK_BLOCK_WORDS + 1) * sizeof(uint32_t)) &&
         clew_bigmem_commit(&table->arena, nodes * CLEW_DD_NODE_BYTES + SLACK);
}

static uint64_t nodes_committed(const struct table *table) {
  uint64_t nodes = (table->arena.committed_bytes - SLACK) / CLEW_DD_NODE_BYTES;
  uint64_t marked = (table->marks.committed_bytes / sizeof(uint64_t) - MARK_BLOCK_WORDS) * 64;
  uint64_t ranked = (table->ranks.committed_bytes / sizeof(uint32_t) - 1) * MARK_BLOCK_WORDS * 64;
  nodes = nodes < marked ? nodes : marked;
  nodes = nodes < ranked ? nodes : ranked;
  return nodes < MOST_NODES ? nodes : MOST_NODES;
}

static uint64_t nodes_indexed(const struct table *table) {
  return full_at(table->bucket_count) + FIRST_NODE;
}

static void set_room(struct table *table) {
  uint64_t nodes = nodes_committed(table), indexed = nodes_indexed(table);
  uint64_t room = nodes < indexed ? nodes : indexed;
  assert(room >= atomic_load_explicit(&table->room, memory_order_relaxed));
  atomic_store_explicit(&table->room, (uint32_t)room, memory_order_release);
}

void clew_dd_refresh(struct clew_dd *dd) {
  const struct table *table = dd->table;
  uint64_t bits = clew_bits_for(nodes_indexed(table)), most = nodes_indexed(table);
  dd->arena = table->arena.data;
  dd->index = (uint32_t *)(void *)table->index.data;
  dd->cache = (struct cache_line *)(void *)table->cache.data;
  dd->cache_mask = table->cache_mask;
  dd->bucket_count = table->bucket_count;
  dd->id_bits = bits < 32 ? (uint32_t)bits : 32;
  dd->id_mask = (uint32_t)clew_bits_mask(dd->id_bits);
  dd->most = (uint32_t)(most < MOST_NODES ? most : MOST_NODES);
  dd->plans = table->plans.data;
}

/* A small index doubles; a large one grows by a sixth, so that little of it is empty. */
static bool grow_index(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint64_t now = table->bucket_count;
  for (uint64_t part = now < SMALL_BUCKETS ? 1 : 6; part <= 48; part *= 2) {
    uint64_t more = now + now / part;
    if (more <= UINT32_MAX && clew_bigmem_commit(&table->index, more * CLEW_LANES_BYTES)) {
      table->bucket_count = (uint32_t)more;
      clew_dd_index_rebuild(dd);
      return true;
    }
  }
  return false;
}

/* The first number that is not to be had, where `wanted` more are needed. */
static uint64_t numbers_wanted(const struct table *table, uint64_t wanted) {
  return atomic_load_explicit(&table->count, memory_order_relaxed) + wanted;
}

static uint32_t span_size(const struct table *table) {
  return table->worker_count > 1 ? SPAN : 1;
}

bool clew_dd_grow(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint64_t end = numbers_wanted(table, span_size(table));
  assert(!dd->is_shared);
  bool room = true;
  while (room && end > nodes_indexed(table)) {
    room = grow_index(dd);
  }
  if (room && end > nodes_committed(table)) {
    room = end < MOST_NODES && commit_nodes(table, end + LEAST_NODES);
  }
  if (room) {
    set_room(table);
    clew_dd_cache_fit(dd);
    clew_dd_refresh(dd);
  }
  return room;
}

/* The same while others are at work: arena and marks may grow, the index must not. */
static uint32_t grow_beside(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint32_t halt = CLEW_DD_OK;
  pthread_mutex_lock(&table->growing);
  uint64_t end = numbers_wanted(table, SPAN);
  if (end > nodes_indexed(table)) {
    halt = HALT_CROWDED;
  } else if (end > atomic_load_explicit(&table->room, memory_order_relaxed)) {
    if (end < MOST_NODES && commit_nodes(table, end + LEAST_NODES)) {
      set_room(table);
    } else {
      halt = CLEW_DD_FULL;
    }
  }
  pthread_mutex_unlock(&table->growing);
  return halt;
}

/* ---- numbers ---- */

uint32_t clew_dd_end(const struct clew_dd *dd) {
  const struct table *table = dd->table;
  return table->worker_count == 1 ? table->workers[0]->span.next
                                  : atomic_load_explicit(&table->count, memory_order_relaxed);
}

uint64_t clew_dd_node_count(const struct clew_dd *dd) {
  const struct table *table = dd->table;
  uint64_t holes = 0;
  for (uint32_t i = 0; i < table->worker_count && table->worker_count > 1; i++) {
    const struct clew_dd *worker = table->workers[i];
    holes += worker->holes + worker->span.end - worker->span.next;
    for (uint32_t j = 0; j < worker->spare_count; j++) {
      holes += worker->spare[j].end - worker->spare[j].next;
    }
  }
  assert(holes <= clew_dd_end(dd));
  return clew_dd_end(dd) - holes;
}

void clew_dd_restart_numbers(struct clew_dd *dd, uint32_t count) {
  struct table *table = dd->table;
  uint32_t room = atomic_load_explicit(&table->room, memory_order_relaxed);
  assert(count >= FIRST_NODE && count <= room);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    table->workers[i]->span = (struct span){0, 0};
    table->workers[i]->spare_count = 0;
    table->workers[i]->holes = 0;
  }
  if (table->worker_count == 1) {
    dd->span = (struct span){count, room};
    count = room;
  }
  atomic_store_explicit(&table->count, count, memory_order_relaxed);
}

/* Takes the numbers from *count to the end of a span; false: there are not as many. Others may take
 * numbers, and make room for more, between the two looks: then `first` is beyond the room that was
 * seen, and the caller looks again. */
static bool take_span(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint32_t room = atomic_load_explicit(&table->room, memory_order_acquire);
  uint32_t first = atomic_load_explicit(&table->count, memory_order_relaxed), size;
  do {
    uint32_t left = first < room ? room - first : 0;
    size = table->worker_count > 1 ? SPAN : left;
    if (size == 0 || left < size) {
      return false;
    }
  } while (!atomic_compare_exchange_weak_explicit(&table->count, &first, first + size,
                                                  memory_order_relaxed, memory_order_relaxed));
  dd->span = (struct span){first, first + size};
  if (table->worker_count > 1) { /* holes are zero */
    memset(dd->arena + (size_t)first * CLEW_DD_NODE_BYTES, 0, (size_t)size * CLEW_DD_NODE_BYTES);
  }
  return true;
}

/* A spare one that is above the child; false: there is none. */
static bool take_spare(struct clew_dd *dd, clew_ldd child) {
  for (uint32_t i = 0; i < dd->spare_count; i++) {
    if (dd->spare[i].next > child) {
      dd->span = dd->spare[i];
      dd->spare[i] = dd->spare[--dd->spare_count];
      return true;
    }
  }
  return false;
}

/* The span in use is for later. The one with fewest numbers is given up if there are too many. */
static void spare_span(struct clew_dd *dd) {
  if (dd->span.next == dd->span.end) {
    return;
  }
  if (dd->spare_count == SPARE_SPANS) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < SPARE_SPANS; i++) {
      if (dd->spare[i].end - dd->spare[i].next < dd->spare[least].end - dd->spare[least].next) {
        least = i;
      }
    }
    dd->holes += dd->spare[least].end - dd->spare[least].next;
    dd->spare[least] = dd->spare[--dd->spare_count];
  }
  dd->spare[dd->spare_count++] = dd->span;
  dd->span = (struct span){0, 0};
}

/* A span whose next number is above the child; false: the operation gives up. */
static __attribute__((noinline)) bool find_span(struct clew_dd *dd, clew_ldd child) {
  spare_span(dd);
  if (take_spare(dd, child)) {
    return true;
  }
  while (!take_span(dd)) {
    uint32_t halt = dd->is_shared      ? grow_beside(dd)
                    : clew_dd_grow(dd) ? (uint32_t)CLEW_DD_OK
                                       : (uint32_t)CLEW_DD_FULL;
    if (halt != CLEW_DD_OK) {
      clew_dd_halt(dd, halt);
      return false;
    }
  }
  assert(dd->span.next > child);
  return true;
}

static inline bool has_number(const struct clew_dd *dd, struct clew_ldd_node node) {
  return dd->span.next < dd->span.end && dd->span.next > node.down && dd->span.next > node.right;
}

/* ---- making nodes ---- */

/* A new node, while nobody else is at work. `entry` is its place in the index. */
static inline clew_ldd add_alone(struct clew_dd *dd, struct clew_ldd_node node, uint64_t hash,
                                 uint32_t *entry) {
  if (__builtin_expect(!has_number(dd, node), 0)) {
    uint32_t buckets = dd->bucket_count;
    if (!find_span(dd, node.down > node.right ? node.down : node.right)) {
      return CLEW_LDD_EMPTY;
    }
    if (dd->bucket_count != buckets) { /* the index is another one */
      put_entry(dd, hash, dd->span.next, false);
      entry = NULL;
    }
  }
  clew_ldd id = dd->span.next++;
  node_set(dd, id, node);
  if (entry != NULL) {
    *entry = tag_of(dd, hash) | id;
  }
  return id;
}

/* The same while others are at work. False: the entry was taken by somebody else. */
static bool add_beside(struct clew_dd *dd, struct clew_ldd_node node, uint64_t hash,
                       uint32_t *entry, clew_ldd *id) {
  *id = CLEW_LDD_EMPTY;
  if (__builtin_expect(!has_number(dd, node), 0) &&
      !find_span(dd, node.down > node.right ? node.down : node.right)) {
    return true;
  }
  node_set(dd, dd->span.next, node);
  if (!claim(entry, tag_of(dd, hash) | dd->span.next)) {
    node_set(dd, dd->span.next, (struct clew_ldd_node){0, 0, 0});
    return false;
  }
  *id = dd->span.next++;
  return true;
}

static inline clew_ldd insert(struct clew_dd *dd, struct clew_ldd_node node) {
  uint64_t hash = hash_node(dd, node);
  uint32_t bucket = home_bucket(dd, hash), tag = tag_of(dd, hash);
  for (;;) {
    uint32_t *entries = bucket_at(dd, bucket);
    struct clew_lanes lanes = scan(dd, entries, tag);
    for (; lanes.matches != 0; lanes.matches &= lanes.matches - 1) {
      const _Atomic uint32_t *entry =
          (const _Atomic uint32_t *)&entries[__builtin_ctz(lanes.matches)];
      clew_ldd id = atomic_load_explicit(entry, memory_order_acquire) & dd->id_mask;
      struct clew_ldd_node other = node_of(dd, id);
      if (other.down == node.down && other.right == node.right && other.value == node.value) {
        return id;
      }
    }
    if (lanes.empties == 0) {
      bucket = next_bucket(dd, bucket);
      continue;
    }
    uint32_t *entry = &entries[__builtin_ctz(lanes.empties)];
    clew_ldd id;
    if (__builtin_expect(!dd->is_shared, 1)) {
      return add_alone(dd, node, hash, entry);
    }
    if (add_beside(dd, node, hash, entry, &id)) {
      return id;
    }
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

static clew_ldd run_make(struct clew_dd *dd, const struct call *call) {
  return clew_dd_make(dd, call->plan, call->a, call->b);
}

clew_ldd clew_ldd_make(struct clew_dd *dd, uint32_t value, clew_ldd down, clew_ldd right) {
  clew_dd_begin(dd);
  clew_ldd made = clew_dd_make(dd, value, down, right);
  if (__builtin_expect(dd->status == CLEW_DD_OK, 1)) {
    return made; /* without a collection, as a rule: the other nodes of the caller stay */
  }
  return clew_dd_perform(dd, &(struct call){.run = run_make, .a = down, .b = right, .plan = value});
}

struct clew_ldd_node clew_ldd_node(const struct clew_dd *dd, clew_ldd set) {
  return node_of(dd, set);
}

/* ---- opening and closing ---- */

static bool open_memory(struct clew_dd *dd) {
  struct table *table = dd->table;
  const uint64_t limit = table->budget->limit_bytes;
  const uint64_t arena_most = MOST_NODES * CLEW_DD_NODE_BYTES + SLACK;
  const uint64_t index_most = (uint64_t)1 << 35, marks_most = (uint64_t)1 << 30;
  const size_t least = 1 << 20;
  uint64_t arena = limit < arena_most ? limit : arena_most;
  uint64_t index = limit < index_most ? limit : index_most;
  uint64_t marks = limit < marks_most ? limit : marks_most;
  return clew_bigmem_open_most(&table->arena, arena, least, table->budget) &&
         clew_bigmem_open_most(&table->index, index, least, table->budget) &&
         clew_bigmem_open_most(&table->marks, marks, least, table->budget) &&
         clew_bigmem_open_most(&table->ranks, marks, least, table->budget) &&
         clew_bigmem_commit(&table->index, (size_t)LEAST_BUCKETS * CLEW_LANES_BYTES) &&
         commit_nodes(table, LEAST_NODES) && clew_dd_cache_open(dd);
}

static struct table *open_table(const struct clew_dd_config *config) {
  static const atomic_bool never = false;
  struct table *table = clew_alloc_zero(1, sizeof *table);
  table->budget = config->budget;
  table->stop = config->stop != NULL ? config->stop : &never;
  table->worker_count = config->threads > 1 ? config->threads : 1;
  table->bucket_count = LEAST_BUCKETS;
  table->peak = FIRST_NODE;
  pthread_mutex_init(&table->growing, NULL);
  table->workers = clew_alloc_zero(table->worker_count, sizeof(struct clew_dd *));
  for (uint32_t i = 0; i < table->worker_count; i++) {
    struct clew_dd *dd = clew_alloc_zero(1, sizeof *dd);
    *dd = (struct clew_dd){.table = table, .worker = i, .seed = config->seed};
    table->workers[i] = dd;
  }
  clew_dd_open_tasks(table, config->patience);
  return table;
}

struct clew_dd *clew_dd_open(const struct clew_dd_config *config) {
  assert(config->budget != NULL);
  struct table *table = open_table(config);
  struct clew_dd *dd = table->workers[0];
  if (!open_memory(dd)) {
    clew_dd_close(dd);
    return NULL;
  }
  set_room(table);
  clew_dd_restart_numbers(dd, FIRST_NODE);
  clew_dd_index_rebuild(dd);
  clew_dd_collect_often(dd, 0);
  return dd;
}

void clew_dd_close(struct clew_dd *dd) {
  if (dd == NULL) {
    return;
  }
  struct table *table = dd->table;
  assert(dd->worker == 0 && !dd->is_shared);
  clew_dd_close_clocks(dd);
  clew_dd_close_tasks(table);
  clew_bigmem_close(&table->arena);
  clew_bigmem_close(&table->index);
  clew_bigmem_close(&table->marks);
  clew_bigmem_close(&table->ranks);
  clew_bigmem_close(&table->cache);
  clew_bigmem_close(&table->wide);
  clew_vec_free(&table->roots);
  clew_vec_free(&table->held);
  clew_vec_free(&table->plans);
  clew_vec_free(&table->plan_index);
  pthread_mutex_destroy(&table->growing);
  for (uint32_t i = 0; i < table->worker_count; i++) {
    clew_vec_free(&table->workers[i]->items);
    clew_free(table->workers[i]);
  }
  clew_free(table->workers);
  clew_free(table);
}

uint64_t clew_dd_steps(const struct clew_dd *dd) {
  uint64_t steps = 0;
  for (uint32_t i = 0; i < dd->table->worker_count; i++) {
    steps += dd->table->workers[i]->steps;
  }
  return steps;
}

void clew_dd_figures(const struct clew_dd *dd, struct clew_dd_figures *figures) {
  const struct table *table = dd->table;
  uint64_t nodes = clew_dd_node_count(dd), peak = nodes > table->peak ? nodes : table->peak;
  *figures = (struct clew_dd_figures){
      .nodes = nodes - FIRST_NODE,
      .peak_nodes = peak - FIRST_NODE,
      .node_bytes = table->arena.committed_bytes + table->index.committed_bytes +
                    table->marks.committed_bytes + table->ranks.committed_bytes,
      .cache_bytes = table->cache.committed_bytes + table->wide.committed_bytes,
      .collections = table->collections,
      .operations = table->operations,
      .shared_operations = table->shared_operations,
      .steps = clew_dd_steps(dd),
  };
  for (uint32_t i = 0; i < table->worker_count; i++) {
    figures->cache_hits += table->workers[i]->cache_hits;
    figures->cache_misses += table->workers[i]->cache_misses;
  }
}
