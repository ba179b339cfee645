/* The disk store: visited states live on disk, and duplicates are detected with a delay.
 *
 * A state that is not in the memory table becomes a *candidate*: it enters the table, and with its
 * back edge a queue that spills to disk. When the table is full, or a breadth-first level is done,
 * `settle` decides all candidates at once against the disk structure, and calls back those that are
 * new in the order in which they came. There are three structures (option `disk`):
 *
 *   runs   sorted and compressed runs, merged as they grow: our own (disk_runs.c)
 *   full   a file in order of discovery that is read completely: Stern and Dill (disk_flat.c)
 *   local  the same file, of which a part is read: Della Penna et al., section 5 (disk_flat.c)
 *
 * With `hash_bits` the leading bits of the hash stand for the state (lossy, see omission); without,
 * full states are compared, in memory and on disk, and equal hashes of different states are met
 * with correctly wherever they occur.
 *
 * What was decided stays in the table as long as there is room: most successors lead to states of
 * the neighbouring levels, so most duplicates are found there and never become candidates. With
 * `runs` new states are not even written until room is needed; a search that fits into memory
 * touches no file. The oldest entries are dropped first, in steps; at least half of the table is
 * for candidates. The flat structures empty the table each time, as published.
 *
 * Memory: seven eighths of what the budget has left at opening; the engine's queue and the log
 * have the rest, at least a megabyte or a quarter. The table starts small and doubles. Half is lent
 * to the digests of the runs (disk_digest.c) as long as they are of use; then the table grows once
 * more.
 *
 * Failures. The first one is told once; from then on `reserve` answers DISK, `put` FULL, and
 * `settle` does nothing. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "store/disk_int.h"
#include "store/disk_options.h"
#include "store/omission.h"

enum { DIGEST_SHARE = 2 }; /* of the memory, at most */

struct disk {
  struct clew_store base;
  enum clew_disk_mode mode;
  uint32_t hash_bits; /* 0: full states */
  uint64_t key_mask;
  uint32_t state_bytes;
  struct clew_disk_table table;
  struct clew_disk_io io;
  struct clew_bigmem arena;
  uint64_t fence_bytes; /* taken from the budget */
  struct clew_diskqueue *queue;
  uint32_t record_bytes, record_state_bytes; /* 0: the table has the state */
  bool record_has_key;
  uint64_t *words; /* owned: a state for the callback */
  struct clew_disk_runs runs;
  bool lent; /* digests of the runs have memory of the table */
  struct clew_disk_flat flat;
  bool failed, stopped;
  uint64_t count;
  uint64_t settles, candidates, seen, seen_on_disk, surely_new;
};

/* A record of the queue, followed by the state and the key where they are needed. */
struct record {
  clew_id parent;
  uint32_t edge, depth;
};

static const struct clew_option_spec OPTIONS[] = {
    {CLEW_OPTION_COUNT, "hash-bits", "B",
     "keep signatures of B bits instead of whole states: they take less room, and some states may "
     "be left out",
     .offset = offsetof(struct clew_disk_options, hash_bits), .least = 2, .most = 64},
    {CLEW_OPTION_CHOICE, "disk", "runs|full|local",
     "how duplicates are found: in sorted runs (default), by a scan of everything, or by a scan of "
     "what transition locality suggests, which may visit states twice",
     .offset = offsetof(struct clew_disk_options, mode)},
};

static const struct clew_disk_options *options_of(const struct clew_store_config *config) {
  assert(config != NULL);
  static const struct clew_disk_options defaults;
  return config->options != NULL ? config->options : &defaults;
}

static struct disk *disk_of(struct clew_store *store) {
  assert(store->type == &clew_store_disk);
  return (struct disk *)store;
}

static const struct disk *disk_of_const(const struct clew_store *store) {
  assert(store->type == &clew_store_disk);
  return (const struct disk *)store;
}

static bool is_flat(const struct disk *d) {
  return d->mode != CLEW_DISK_RUNS;
}

static inline uint64_t key_of(const struct disk *d, uint64_t hash) {
  uint64_t key = hash & d->key_mask;
  return key != CLEW_DISK_NO_KEY ? key : key - 1;
}

static uint64_t key_of_state(void *context, const unsigned char *state) {
  struct disk *d = context;
  clew_disk_copy_state((unsigned char *)d->words, state, d->state_bytes); /* the rest stays zero */
  return key_of(d, clew_hash_words(d->words, d->base.config.words, d->base.config.seed));
}

/* ---- failures ---- */

static void fail(struct disk *d, const char *what) {
  assert(what != NULL);
  if (!d->failed) {
    d->failed = true;
    const struct clew_scratch *scratch = d->base.config.scratch;
    clew_diag_plain(d->base.config.diags, CLEW_ERROR,
                    scratch->path != NULL ? scratch->path : scratch->parent, "%s", what);
  }
}

static void fail_for_io(struct disk *d) {
  assert(d->io.fault != CLEW_DISK_FINE);
  if (d->io.fault == CLEW_DISK_DAMAGED) {
    fail(d, "a file of the disk store does not hold what was written to it");
    return;
  }
  struct clew_text text = {0};
  clew_text_printf(&text, "the disk store cannot use its files: %s", strerror(d->io.error));
  fail(d, clew_text_str(&text));
  clew_text_free(&text);
}

static void fail_for_queue(struct disk *d) {
  assert(d->queue != NULL);
  const char *error = clew_diskqueue_error(d->queue);
  fail(d, error != NULL ? error : "the queue of the disk store lost a record");
}

/* ---- room ---- */

/* Drops decided states from the table, the oldest first. False on failure. */
static bool forget(struct disk *d, uint32_t entries) {
  assert(entries <= d->table.settled);
  assert(!is_flat(d));
  if (entries > d->table.flushed && !clew_disk_runs_flush(&d->runs)) {
    fail_for_io(d);
    return false;
  }
  if (d->lent && d->runs.digest_limit_bytes == 0) {
    clew_disk_table_release(&d->table);
    d->lent = false;
  }
  clew_disk_table_drop(&d->table, entries);
  return true;
}

/* When the table is as large as it may be. */
static enum clew_room make_room(struct disk *d, uint32_t insertions) {
  assert(d->table.limit > 0);
  assert(!d->failed);
  struct clew_disk_table *t = &d->table;
  uint32_t candidates = t->count - t->settled;
  if (candidates >= t->limit / 2 || (t->settled == 0 && candidates > 0)) {
    return CLEW_ROOM_SETTLE;
  }
  uint32_t step = t->limit / 4 > insertions ? t->limit / 4 : insertions;
  if (t->settled > 0 && !forget(d, step < t->settled ? step : t->settled)) {
    return CLEW_ROOM_DISK;
  }
  if (clew_disk_table_has_room(t, insertions)) {
    return CLEW_ROOM;
  }
  if (candidates > 0) {
    return CLEW_ROOM_SETTLE;
  }
  if (!forget(d, t->settled)) {
    return CLEW_ROOM_DISK;
  }
  return clew_disk_table_has_room(t, insertions) ? CLEW_ROOM : CLEW_ROOM_MEMORY;
}

static enum clew_room disk_reserve(struct clew_store *store, uint32_t insertions) {
  struct disk *d = disk_of(store);
  struct clew_disk_table *t = &d->table;
  assert(!store->shared);
  assert(t->count <= t->limit);
  if (d->failed || d->stopped) {
    return CLEW_ROOM_DISK;
  }
  while (!clew_disk_table_has_room(t, insertions)) {
    if (!clew_disk_table_grow(t)) {
      return make_room(d, insertions);
    }
  }
  return CLEW_ROOM;
}

/* ---- visits ---- */

static void disk_prefetch(const struct clew_store *store, uint64_t hash) {
  const struct disk *d = disk_of_const(store);
  uint64_t home = clew_disk_table_home(&d->table, key_of(d, hash));
  __builtin_prefetch(&d->table.keys[home], 1);
  __builtin_prefetch(&d->table.ring_of[home], 1);
}

static bool enqueue(struct disk *d, const struct clew_visit *visit, uint64_t key) {
  assert(!d->failed && !d->stopped);
  unsigned char *at = clew_diskqueue_push(d->queue);
  if (at == NULL) {
    fail_for_queue(d);
    return false;
  }
  struct record record = {visit->parent, visit->edge, visit->depth};
  memcpy(at, &record, sizeof record);
  memcpy(at + sizeof record, visit->state, d->record_state_bytes);
  if (d->record_has_key) {
    memcpy(at + sizeof record + d->record_state_bytes, &key, sizeof key);
  }
  return true;
}

static void disk_put(struct clew_store *store, uint32_t count, struct clew_visit *visits) {
  struct disk *d = disk_of(store);
  uint64_t seen = 0;
  assert(!store->shared);
  assert(count == 0 || visits != NULL);
  for (uint32_t i = 0; i < count; i++) {
    struct clew_visit *visit = visits + i;
    uint64_t key = key_of(d, visit->hash), slot;
    if (d->failed || d->stopped) {
      visit->answer = CLEW_FULL;
    } else if (clew_disk_table_find(&d->table, key, visit->state, &slot)) {
      visit->answer = CLEW_SEEN;
      seen++;
    } else if (enqueue(d, visit, key)) {
      clew_disk_table_insert(&d->table, slot, key, visit->state);
      visit->answer = CLEW_MAYBE;
    } else {
      visit->answer = CLEW_FULL;
    }
  }
  assert(seen <= count);
  d->seen += seen;
}

/* ---- deciding ---- */

typedef bool found_new_function(void *context, const struct clew_visit *visit);

/* Calls back one new state. */
static bool announce(struct disk *d, const unsigned char *at, uint32_t position,
                     found_new_function *found_new, void *context) {
  assert(d->count < CLEW_ID_LIMIT);
  assert(position < d->table.limit);
  struct record record;
  memcpy(&record, at, sizeof record);
  const unsigned char *state =
      d->record_state_bytes > 0 ? at + sizeof record : clew_disk_table_state(&d->table, position);
  clew_disk_copy_state((unsigned char *)d->words, state, d->state_bytes); /* the rest stays zero */
  struct clew_visit visit = {.state = d->words,
                             .id = d->count++,
                             .parent = record.parent,
                             .edge = record.edge,
                             .depth = record.depth,
                             .answer = CLEW_NEW};
  if (found_new(context, &visit)) {
    return true;
  }
  d->stopped = true;
  return false;
}

static bool append_to_flat(struct disk *d, const unsigned char *at, uint32_t position) {
  assert(is_flat(d));
  assert(d->record_has_key);
  uint64_t key;
  memcpy(&key, at + sizeof(struct record) + d->record_state_bytes, sizeof key);
  const void *state = d->hash_bits == 0 ? clew_disk_table_state(&d->table, position) : NULL;
  if (!clew_disk_flat_append(&d->flat, key, state)) {
    fail_for_io(d);
    return false;
  }
  return true;
}

/* Streams the queue: candidate i has age settled + i. */
static void announce_all(struct disk *d, found_new_function *found_new, void *context) {
  assert(found_new != NULL);
  assert(clew_diskqueue_count(d->queue) == d->table.count - d->table.settled);
  struct clew_disk_table *t = &d->table;
  for (uint32_t age = t->settled; age < t->count; age++) {
    const unsigned char *at = clew_diskqueue_pop(d->queue);
    if (at == NULL) {
      fail_for_queue(d);
      return;
    }
    uint32_t position = clew_disk_table_position(t, age);
    if (clew_disk_table_is_old(t, position)) {
      d->seen_on_disk++;
    } else if ((is_flat(d) && !append_to_flat(d, at, position)) ||
               !announce(d, at, position, found_new, context)) {
      return;
    }
  }
}

static void settle_runs(struct disk *d, found_new_function *found_new, void *context) {
  assert(!is_flat(d));
  struct clew_disk_table *t = &d->table;
  if (d->runs.count == 0) {
    d->surely_new += t->count - t->settled;
  } else if (!clew_disk_runs_decide(&d->runs)) {
    fail_for_io(d);
    return;
  }
  announce_all(d, found_new, context);
  clew_disk_table_settled(t);
  assert(d->failed || d->stopped || clew_diskqueue_count(d->queue) == 0);
}

static void settle_flat(struct disk *d, found_new_function *found_new, void *context) {
  assert(is_flat(d));
  struct clew_disk_table *t = &d->table;
  assert(t->settled == 0);
  if (d->flat.stored == 0) {
    d->surely_new += t->count;
  }
  if (!clew_disk_flat_decide(&d->flat) || !clew_disk_flat_append_begin(&d->flat)) {
    fail_for_io(d);
    return;
  }
  announce_all(d, found_new, context);
  if (!clew_disk_flat_append_end(&d->flat)) {
    fail_for_io(d);
  }
  clew_disk_table_settled(t);
  t->flushed = t->settled;
  clew_disk_table_drop(t, t->count);
  assert(t->count == 0);
  assert(d->failed || d->stopped || d->count == d->flat.stored);
}

static void disk_settle(struct clew_store *store, bool all, found_new_function *found_new,
                        void *context) {
  (void)all; /* it decides all at once or nothing */
  struct disk *d = disk_of(store);
  uint32_t candidates = d->table.count - d->table.settled;
  if (d->failed || d->stopped || candidates == 0) {
    return;
  }
  assert(found_new != NULL);
  d->settles++;
  d->candidates += candidates;
  if (is_flat(d)) {
    settle_flat(d, found_new, context);
  } else {
    settle_runs(d, found_new, context);
  }
}

/* ---- opening and closing ---- */

static void disk_close(struct clew_store *store) {
  if (store == NULL) {
    return;
  }
  struct disk *d = disk_of(store);
  if (is_flat(d)) {
    clew_disk_flat_close(&d->flat);
  } else {
    clew_disk_runs_close(&d->runs);
  }
  clew_diskqueue_close(d->queue);
  clew_disk_io_close(&d->io);
  clew_disk_table_close(&d->table);
  clew_bigmem_close(&d->arena);
  clew_budget_give(d->base.config.budget, d->fence_bytes);
  clew_free(d->words);
  clew_free(d);
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most) {
  assert(least <= most);
  return value < least ? least : value > most ? most : value;
}

static bool open_queue(struct disk *d, uint64_t memory_bytes) {
  assert(d->queue == NULL);
  assert(d->state_bytes > 0);
  bool lossy = d->hash_bits > 0;
  d->record_state_bytes = lossy ? d->state_bytes : 0;
  d->record_has_key = is_flat(d);
  uint32_t bytes = (uint32_t)sizeof(struct record) + d->record_state_bytes +
                   (d->record_has_key ? (uint32_t)sizeof(uint64_t) : 0);
  d->record_bytes = (bytes + 7) / 8 * 8;
  assert(d->record_bytes >= sizeof(struct record));
  struct clew_diskqueue_config config = {.name = "candidates",
                                         .record_bytes = d->record_bytes,
                                         .memory_bytes = memory_bytes,
                                         .budget = d->base.config.budget,
                                         .scratch = d->base.config.scratch};
  d->queue = clew_diskqueue_open(&config);
  return d->queue != NULL;
}

/* The queue of the engine is written and read in order, so little memory will do for it; in the
 * table more of it saves transfers. */
static uint64_t usable_of(uint64_t left_bytes) {
  const uint64_t enough_bytes = 1 << 20;
  uint64_t others = left_bytes / 4 < enough_bytes ? left_bytes / 4 : enough_bytes;
  return left_bytes - (others > left_bytes / 8 ? others : left_bytes / 8);
}

/* Divides the memory among the parts; false when it is too small. */
static bool open_parts(struct disk *d) {
  assert(d->fence_bytes == 0);
  struct clew_budget *budget = d->base.config.budget;
  assert(d->state_bytes > 0 && budget != NULL);
  uint64_t usable = usable_of(clew_budget_left(budget));
  uint32_t kept_bytes = d->hash_bits == 0 ? d->state_bytes : 0;
  uint64_t least_arena =
      is_flat(d) ? clew_disk_flat_least_arena(kept_bytes) : clew_disk_runs_least_arena(kept_bytes);
  uint64_t queue_bytes = clamp(usable / 16, 16 << 10, 16 << 20);
  assert(least_arena > 0);
  uint64_t arena_bytes = clamp(usable / 16, 0, UINT64_C(24) << 20);
  arena_bytes = arena_bytes < least_arena ? least_arena : arena_bytes;
  uint64_t fence_bytes = is_flat(d) ? 0 : clamp(usable / 64, 2 << 10, 64 << 20);
  if (!clew_bigmem_open(&d->arena, arena_bytes, budget) ||
      !clew_bigmem_commit(&d->arena, arena_bytes) || !clew_budget_take(budget, fence_bytes)) {
    return false;
  }
  d->fence_bytes = fence_bytes;
  if (!open_queue(d, queue_bytes)) {
    return false;
  }
  uint64_t others = d->arena.committed_bytes + fence_bytes + queue_bytes;
  if (others >= usable || !clew_disk_table_open(&d->table, usable - others, kept_bytes, budget)) {
    return false;
  }
  uint32_t shift = d->hash_bits > 0 ? 64 - d->hash_bits : 0;
  assert(shift < 64);
  if (is_flat(d)) {
    clew_disk_flat_open(&d->flat, d->mode == CLEW_DISK_LOCAL, shift, kept_bytes,
                        d->base.config.seed, &d->io, &d->table, &d->arena);
  } else {
    clew_disk_runs_open(&d->runs, shift, kept_bytes, fence_bytes, &d->io, &d->table, &d->arena);
    d->runs.key_of = key_of_state;
    d->runs.key_context = d;
    d->runs.digest_limit_bytes = clew_disk_table_hold(&d->table, usable / DIGEST_SHARE);
    d->lent = true;
  }
  return true;
}

/* Bytes that are never used are the last ones only where the low byte of a word comes first. */
static uint32_t bytes_of_state(const struct clew_store_config *config) {
  assert(config->words > 0);
  assert(config->bytes <= config->words * sizeof(uint64_t));
  bool low_first = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  uint32_t all = config->words * (uint32_t)sizeof(uint64_t);
  return config->bytes > 0 && low_first ? config->bytes : all;
}

static unsigned promises_of(const struct disk *d) {
  assert(d->mode >= CLEW_DISK_RUNS && d->mode <= CLEW_DISK_LOCAL);
  return (d->hash_bits == 0 ? CLEW_STORE_LOSSLESS : 0u) |
         (d->mode != CLEW_DISK_LOCAL ? CLEW_STORE_REMEMBERS : 0u);
}

static enum clew_status disk_open(const struct clew_store_config *config,
                                  struct clew_diag_sink *diags, struct clew_store **store) {
  assert(config->words > 0 && config->budget != NULL && config->scratch != NULL);
  const struct clew_disk_options *options = options_of(config);
  if (options->hash_bits == 1 || options->hash_bits > 64) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "signatures have 2 to 64 bits, not %" PRIu64,
                    options->hash_bits);
    return CLEW_BAD_USAGE;
  }
  struct disk *d = clew_alloc_zero(1, sizeof *d);
  d->base.type = &clew_store_disk;
  d->base.config = *config;
  d->mode = options->mode == 0 ? CLEW_DISK_RUNS : (enum clew_disk_mode)options->mode;
  d->hash_bits = (uint32_t)options->hash_bits;
  d->key_mask = d->hash_bits == 0 ? UINT64_MAX : UINT64_MAX << (64 - d->hash_bits);
  d->state_bytes = bytes_of_state(config);
  d->base.promises = promises_of(d);
  d->base.demands = CLEW_STORE_SETTLE;
  assert(d->state_bytes > 0 && d->state_bytes <= config->words * sizeof(uint64_t));
  d->words = clew_alloc_zero(config->words, sizeof *d->words);
  d->flat.fd = -1;
  clew_disk_io_open(&d->io, config->scratch);
  if (!open_parts(d)) {
    clew_diag_plain(diags, CLEW_ERROR, NULL, "the memory budget is too small for the disk store");
    disk_close(&d->base);
    return CLEW_OVER_LIMIT;
  }
  *store = &d->base;
  return CLEW_OK;
}

/* ---- figures ---- */

static uint64_t disk_count(const struct clew_store *store) {
  assert(disk_of_const(store)->count <= CLEW_ID_LIMIT);
  return disk_of_const(store)->count;
}

static uint64_t disk_bytes(const struct clew_store *store) {
  const struct disk *d = disk_of_const(store);
  assert(d->arena.committed_bytes <= d->arena.reserved_bytes);
  return clew_disk_table_bytes(&d->table) + d->arena.committed_bytes + d->fence_bytes +
         clew_disk_runs_digest_bytes(&d->runs) + clew_diskqueue_memory_bytes(d->queue);
}

static uint64_t disk_disk_bytes(const struct clew_store *store) {
  const struct disk *d = disk_of_const(store);
  assert(d->io.file_bytes <= d->io.file_bytes_peak);
  return d->io.file_bytes_peak + clew_diskqueue_disk_bytes_peak(d->queue);
}

static double disk_omission(const struct clew_store *store) {
  const struct disk *d = disk_of_const(store);
  if (d->hash_bits == 0) {
    return 0;
  }
  assert((store->promises & CLEW_STORE_LOSSLESS) == 0);
  struct clew_omission omission =
      clew_omission_of_signatures(d->count, ldexp(1, (int)d->hash_bits));
  return clew_omission_any(&omission);
}

static void disk_counters(const struct clew_store *store, struct clew_counters *out) {
  static const char *const modes[] = {NULL, "runs", "full", "local"};
  const struct disk *d = disk_of_const(store);
  assert(modes[d->mode] != NULL);
  assert(d->seen_on_disk <= d->candidates);
  clew_counters_text(out, "mode", modes[d->mode]);
  clew_counters_count(out, "settles", d->settles);
  clew_counters_count(out, "candidates", d->candidates);
  clew_counters_count(out, "duplicates_in_memory", d->seen);
  clew_counters_count(out, "duplicates_on_disk", d->seen_on_disk);
  clew_counters_count(out, "surely_new", d->surely_new + d->runs.surely_new);
  clew_counters_count(out, "disk_reads", d->io.reads);
  clew_counters_count(out, "disk_read_bytes", d->io.read_bytes);
  clew_counters_count(out, "disk_write_bytes", d->io.write_bytes);
  if (d->mode == CLEW_DISK_RUNS) {
    clew_counters_count(out, "runs", d->runs.count);
    clew_counters_count(out, "merges", d->runs.merges);
    clew_counters_count(out, "filter_bytes", clew_disk_runs_digest_bytes(&d->runs));
  }
  clew_counters_count(out, "table_entries", d->table.limit);
  if (d->mode == CLEW_DISK_LOCAL) {
    clew_counters_real(out, "cloud_size", d->flat.cloud_size);
    clew_counters_count(out, "calibrations", d->flat.calibrations);
    clew_counters_count(out, "resets", d->flat.resets);
  }
}

static bool disk_validate(const struct clew_store *store, const char **why) {
  assert(disk_of_const(store)->queue != NULL);
  const struct disk *d = disk_of_const(store);
  assert(why != NULL && !store->shared);
  if (!clew_disk_table_validate(&d->table, why) || !clew_diskqueue_validate(d->queue, why)) {
    return false;
  }
  if (!d->failed && !d->stopped &&
      clew_diskqueue_count(d->queue) != d->table.count - d->table.settled) {
    *why = "the queue does not hold the candidates";
    return false;
  }
  return is_flat(d) || clew_disk_runs_validate(&d->runs, why);
}

const struct clew_store_type clew_store_disk = {
    .name = "disk",
    .help = "states on disk, duplicates detected with a delay",
    .promises = CLEW_STORE_LOSSLESS | CLEW_STORE_REMEMBERS,
    .demands = CLEW_STORE_SETTLE,
    .options = CLEW_OPTION_TABLE(OPTIONS, struct clew_disk_options),
    .open = disk_open,
    .close = disk_close,
    .reserve = disk_reserve,
    .prefetch = disk_prefetch,
    .put = disk_put,
    .settle = disk_settle,
    .count = disk_count,
    .bytes = disk_bytes,
    .disk_bytes = disk_disk_bytes,
    .omission = disk_omission,
    .counters = disk_counters,
    .validate = disk_validate,
};
