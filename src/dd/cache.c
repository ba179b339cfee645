/* The cache of results: lines of four entries, the newest first. A result that was forgotten is
 * computed again, so nothing here is needed but for speed. A collection keeps the entries whose
 * nodes it keeps.
 *
 * The cache has about one entry for each node and doubles as the table grows, if the budget lets it
 * and nodes have more memory than it has. */
#include "dd/dd_int.h"

enum {
  LEAST_LINES = 1 << 8,
  BUDGET_PART = 4, /* of the budget at most */
  WIDE_PART = 4,   /* wide entries per line of the cache */
};

bool clew_dd_cache_open(struct clew_dd *dd) {
  const uint64_t most = (uint64_t)1 << 36, limit = dd->table->budget->limit_bytes / BUDGET_PART;
  const size_t least = sizeof(struct cache_line) * LEAST_LINES;
  uint64_t bytes = limit < most ? limit : most;
  if (!clew_bigmem_open_most(&dd->table->cache, bytes, least, dd->table->budget) ||
      !clew_bigmem_commit(&dd->table->cache, least)) {
    return false;
  }
  dd->table->cache_mask = LEAST_LINES - 1;
  return true;
}

void clew_dd_cache_clear(struct clew_dd *dd) {
  memset(dd->cache, 0, (dd->cache_mask + 1) * sizeof(struct cache_line));
  if (dd->table->wide.data != NULL) {
    memset(dd->table->wide.data, 0, (dd->table->wide_mask + 1) * sizeof(struct wide_entry));
  }
}

bool clew_dd_cache_get_locked(struct clew_dd *dd, const struct key *key, clew_ldd *result) {
  clew_dd_lock(dd, key->hash & dd->cache_mask);
  bool found = line_get(dd, key, result);
  clew_dd_unlock(dd, key->hash & dd->cache_mask);
  return found;
}

void clew_dd_cache_put_locked(struct clew_dd *dd, const struct key *key, clew_ldd result) {
  clew_dd_lock(dd, key->hash & dd->cache_mask);
  line_put(dd, key, result);
  clew_dd_unlock(dd, key->hash & dd->cache_mask);
}

static void put_last(struct clew_dd *dd, const struct cache_entry *entry) {
  struct key key = cache_key(dd, entry->a, entry->b, entry->c);
  struct cache_line *line = cache_line_of(dd, &key);
  for (uint32_t i = 0; i < CACHE_WAYS; i++) {
    if (line->ways[i].c == OP_NONE) {
      line->ways[i] = *entry;
      return;
    }
  }
}

/* Whether all nodes of an entry stay; then they are renamed. The second operand of a caller's own
 * operation is no node. */
static bool rename_entry(const struct clew_dd *dd, struct cache_entry *entry) {
  bool own = entry->c >= OP_OWN && entry->c < OP_FIRST_PLAN;
  if (entry->c == OP_NONE || !clew_dd_is_marked(dd, entry->a) ||
      !clew_dd_is_marked(dd, entry->result) || (!own && !clew_dd_is_marked(dd, entry->b))) {
    return false;
  }
  entry->a = clew_dd_rank(dd, entry->a);
  entry->b = own ? entry->b : clew_dd_rank(dd, entry->b);
  entry->result = clew_dd_rank(dd, entry->result);
  return true;
}

/* Entries wait in the part of the arena that has become free: a new number is another place. */
void clew_dd_cache_rename(struct clew_dd *dd, uint32_t live) {
  const size_t align = sizeof(struct cache_entry);
  size_t from = ((size_t)live * CLEW_DD_NODE_BYTES + 2 * align - 1) / align * align;
  size_t bytes = dd->table->arena.committed_bytes;
  size_t room = bytes > from ? (bytes - from) / align : 0;
  struct cache_entry *waiting = (struct cache_entry *)(void *)(dd->arena + from);
  const struct cache_line *lines = dd->cache;
  size_t count = 0;
  for (uint64_t i = 0; i <= dd->cache_mask; i++) {
    for (uint32_t j = 0; j < CACHE_WAYS && count < room; j++) {
      struct cache_entry entry = lines[i].ways[j];
      if (rename_entry(dd, &entry)) {
        waiting[count++] = entry;
      }
    }
  }
  clew_dd_cache_clear(dd);
  for (size_t i = 0; i < count; i++) {
    put_last(dd, &waiting[i]);
  }
}

/* The entries of a line go where they belong in a cache of twice as many: they stay, or go as far
 * behind as there were lines. Their order stays, too. */
static void split_line(struct clew_dd *dd, uint64_t at, uint64_t lines) {
  struct cache_line *cache = dd->cache;
  struct cache_line before = cache[at];
  uint32_t stay = 0, go = 0;
  memset(&cache[at], 0, sizeof cache[at]);
  memset(&cache[at + lines], 0, sizeof cache[at]);
  for (uint32_t i = 0; i < CACHE_WAYS && before.ways[i].c != OP_NONE; i++) {
    const struct cache_entry *entry = &before.ways[i];
    uint64_t place = hash_three(dd, entry->a, entry->b, entry->c) & dd->cache_mask;
    assert(place == at || place == at + lines);
    if (place == at) {
      cache[at].ways[stay++] = *entry;
    } else {
      cache[at + lines].ways[go++] = *entry;
    }
  }
}

static void split_part(struct clew_dd *dd, void *context, uint32_t part, uint32_t parts) {
  uint64_t lines = (dd->cache_mask + 1) / 2;
  (void)context;
  for (uint64_t at = lines * part / parts; at < lines * (part + 1) / parts; at++) {
    split_line(dd, at, lines);
  }
}

void clew_dd_cache_fit(struct clew_dd *dd) {
  struct table *table = dd->table;
  uint64_t lines = dd->cache_mask + 1;
  uint64_t bytes = lines * 2 * sizeof(struct cache_line);
  if (lines * CACHE_WAYS >= clew_dd_node_count(dd) ||
      bytes > table->budget->limit_bytes / BUDGET_PART || bytes > clew_budget_left(table->budget) ||
      !clew_bigmem_commit(&table->cache, bytes)) {
    return;
  }
  table->cache_mask = lines * 2 - 1;
  clew_dd_refresh(dd);
  clew_dd_divide(dd, split_part, NULL, lines);
}

/* ---- four operands ---- */

/* Opened with the first operation that needs it, as large as goes with the cache. */
bool clew_dd_wide_open(struct clew_dd *dd) {
  struct table *table = dd->table;
  assert(!dd->is_shared);
  if (table->wide.data != NULL) {
    return true;
  }
  for (uint64_t entries = (dd->cache_mask + 1) * WIDE_PART; entries >= LEAST_LINES; entries /= 2) {
    size_t bytes = entries * sizeof(struct wide_entry);
    if (bytes <= clew_budget_left(table->budget) / BUDGET_PART &&
        clew_bigmem_open(&table->wide, bytes, table->budget)) {
      if (clew_bigmem_commit(&table->wide, bytes)) {
        table->wide_mask = entries - 1;
        return true;
      }
      clew_bigmem_close(&table->wide);
    }
  }
  return false;
}

static uint64_t wide_hash(const struct clew_dd *dd, const uint32_t key[4]) {
  return clew_hash_bytes(key, 4 * sizeof *key, dd->seed);
}

static struct wide_entry *wide_at(const struct clew_dd *dd, uint64_t hash) {
  assert(dd->table->wide.data != NULL);
  struct wide_entry *entries = (struct wide_entry *)(void *)dd->table->wide.data;
  return &entries[hash & dd->table->wide_mask];
}

bool clew_dd_wide_get(struct clew_dd *dd, const uint32_t key[4], clew_ldd *result) {
  if (dd->table->wide.data == NULL && (dd->is_shared || !clew_dd_wide_open(dd))) {
    return false;
  }
  uint64_t hash = wide_hash(dd, key);
  const struct wide_entry *entry = wide_at(dd, hash);
  if (dd->is_shared) {
    clew_dd_lock(dd, hash & dd->table->wide_mask);
  }
  bool found = entry->a == key[0] && entry->b == key[1] && entry->c == key[2] && entry->d == key[3];
  *result = entry->result;
  if (dd->is_shared) {
    clew_dd_unlock(dd, hash & dd->table->wide_mask);
  }
  dd->cache_hits += found;
  dd->cache_misses += !found;
  return found;
}

void clew_dd_wide_put(struct clew_dd *dd, const uint32_t key[4], clew_ldd result) {
  if (dd->table->wide.data == NULL || dd->status != CLEW_DD_OK) {
    return;
  }
  uint64_t hash = wide_hash(dd, key);
  if (dd->is_shared) {
    clew_dd_lock(dd, hash & dd->table->wide_mask);
  }
  *wide_at(dd, hash) = (struct wide_entry){key[0], key[1], key[2], key[3], result, {0}};
  if (dd->is_shared) {
    clew_dd_unlock(dd, hash & dd->table->wide_mask);
  }
}

/* ---- results of callers ---- */

void clew_ldd_remember(struct clew_dd *dd, uint32_t operation, clew_ldd a, uint32_t b,
                       clew_ldd result) {
  assert(operation < CLEW_LDD_OWN_OPERATIONS && dd->status == CLEW_DD_OK);
  struct key key = cache_key(dd, a, b, OP_OWN + operation);
  cache_put(dd, &key, result);
}

bool clew_ldd_recall(struct clew_dd *dd, uint32_t operation, clew_ldd a, uint32_t b,
                     clew_ldd *result) {
  assert(operation < CLEW_LDD_OWN_OPERATIONS);
  struct key key = cache_key(dd, a, b, OP_OWN + operation);
  return cache_get(dd, &key, result);
}
