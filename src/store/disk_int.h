/* The parts of the disk store (disk.c):
 *
 *   table   candidates and recently decided states in memory, sorted by hash       disk_table.c
 *   io      a thread that reads and writes large pieces; streams over one file     disk_io.c
 *   page    a fixed number of bytes holding sorted hashes, Elias-Fano coded        disk_page.c
 *   run     a file of pages, with full states in a second file                     disk_run.c
 *   digest  a few bits of each key of a run, in memory                             disk_digest.c
 *   runs    the set of runs: deciding candidates, merging runs                     disk_runs.c
 *   flat    the two algorithms of the literature: a file in order of discovery     disk_flat.c
 *
 * Hashes. Everything below the store sees `keys`: the 64-bit hash with the bits that do not belong
 * to the signature cleared, and never CLEW_DISK_NO_KEY, which marks free slots and ends of input.
 */
#ifndef CLEW_STORE_DISK_INT_H
#define CLEW_STORE_DISK_INT_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bigmem.h"
#include "base/diskqueue.h"
#include "base/random.h"
#include "store/store.h"

#define CLEW_DISK_NO_KEY UINT64_MAX

/* ---- states ---- */

/* States have a few words, and how many is known only at run time: calls of memcpy and memcmp take
 * longer than what they do. Both go word by word; the last word may overlap the one before. */
enum { CLEW_DISK_SHORT_STATE = 64 };

static inline void clew_disk_copy_state(unsigned char *to, const void *state, uint32_t bytes) {
  const unsigned char *from = state;
  uint64_t word;
  if (bytes < sizeof word || bytes > CLEW_DISK_SHORT_STATE) {
    memcpy(to, from, bytes);
    return;
  }
  for (uint32_t at = 0; at + sizeof word < bytes; at += sizeof word) {
    memcpy(&word, from + at, sizeof word);
    memcpy(to + at, &word, sizeof word);
  }
  memcpy(&word, from + bytes - sizeof word, sizeof word);
  memcpy(to + bytes - sizeof word, &word, sizeof word);
}

static inline bool clew_disk_same_state(const void *a, const void *b, uint32_t bytes) {
  const unsigned char *left = a, *right = b;
  uint64_t x, y, differ = 0;
  if (bytes < sizeof x || bytes > CLEW_DISK_SHORT_STATE) {
    return memcmp(left, right, bytes) == 0;
  }
  for (uint32_t at = 0; at + sizeof x < bytes; at += sizeof x) {
    memcpy(&x, left + at, sizeof x);
    memcpy(&y, right + at, sizeof y);
    differ |= x ^ y;
  }
  memcpy(&x, left + bytes - sizeof x, sizeof x);
  memcpy(&y, right + bytes - sizeof y, sizeof y);
  return (differ | (x ^ y)) == 0;
}

/* ---- table ---- */

/* Ordered linear probing: `keys[0..end)` is sorted when free slots are left out. The entries are
 * numbered by age in a ring of `limit` positions: the oldest is at position `first`. By age:
 *    [0, flushed) are in the disk structure (or known duplicates of what is there),
 *    [flushed, settled) are decided; those not marked old are nowhere but in the table,
 *    [settled, count) are candidates. */
enum { CLEW_DISK_FEW = 1024 };
#define CLEW_DISK_OLD (UINT32_C(1) << 31)
/* A candidate that is known not to be on disk. The mark stays and is not looked at any more once
 * the entry is settled. */
#define CLEW_DISK_NEW (UINT32_C(1) << 30)
#define CLEW_DISK_MARKS (CLEW_DISK_OLD | CLEW_DISK_NEW)

struct clew_disk_table {
  uint64_t *keys;        /* of `slots`; CLEW_DISK_NO_KEY: free */
  uint32_t *ring_of;     /* of `slots`: position in the ring, and CLEW_DISK_MARKS */
  unsigned char *states; /* by position, `state_bytes` each; not there when that is 0 */
  uint64_t *old;         /* by position, a bit: found on disk (the same mark) */
  uint64_t slots, homes; /* entries of key k are not before k * homes / 2^64 */
  uint64_t end;          /* behind the last entry */
  uint32_t limit, first, count, flushed, settled;
  uint32_t state_bytes;
  uint32_t largest_limit; /* as far as it may grow */
  uint32_t held_limit;    /* the same when nothing is held back */
  /* Keys of the candidates, as long as these are few; `listed` while their slots are at hand. */
  uint64_t few_keys[CLEW_DISK_FEW];
  uint64_t few_slots[CLEW_DISK_FEW];
  uint32_t few_count;
  bool listed;
  struct clew_bigmem keys_mem, ring_mem, states_mem, old_mem;
};

/* Takes at most about `memory_bytes`, a little at first. False when the budget refuses. */
bool clew_disk_table_open(struct clew_disk_table *t, uint64_t memory_bytes, uint32_t state_bytes,
                          struct clew_budget *budget);
void clew_disk_table_close(struct clew_disk_table *t);
uint64_t clew_disk_table_bytes(const struct clew_disk_table *t);
/* Whether n insertions fit; moves entries if that helps. */
bool clew_disk_table_has_room(struct clew_disk_table *t, uint32_t n);
/* False when it is as large as it may be. */
bool clew_disk_table_grow(struct clew_disk_table *t);
/* About so much of its memory is lent to others, the exact number is returned; and is its own
 * again.
 */
uint64_t clew_disk_table_hold(struct clew_disk_table *t, uint64_t memory_bytes);
void clew_disk_table_release(struct clew_disk_table *t);
/* The slot of an entry with this key (and state, if states are kept), and true; or the slot where
 * it is to be inserted, and false. */
bool clew_disk_table_find(const struct clew_disk_table *t, uint64_t key, const void *state,
                          uint64_t *slot);
void clew_disk_table_insert(struct clew_disk_table *t, uint64_t slot, uint64_t key,
                            const void *state);
/* Around a search for all candidates: if they are few, they are then found without going through
 * the whole table (levels of a deep state space may have a handful of states). Nothing may be
 * inserted or moved in between. */
void clew_disk_table_list_candidates(struct clew_disk_table *t);
void clew_disk_table_unlist(struct clew_disk_table *t);
/* All candidates are decided. */
void clew_disk_table_settled(struct clew_disk_table *t);
/* The n oldest; they must be flushed. */
void clew_disk_table_drop(struct clew_disk_table *t, uint32_t n);
bool clew_disk_table_validate(const struct clew_disk_table *t, const char **why);

static inline uint64_t clew_disk_table_home(const struct clew_disk_table *t, uint64_t key) {
  return (uint64_t)(((unsigned __int128)key * t->homes) >> 64);
}

static inline uint32_t clew_disk_table_age(const struct clew_disk_table *t, uint32_t position) {
  return position >= t->first ? position - t->first : position + (t->limit - t->first);
}

static inline uint32_t clew_disk_table_position(const struct clew_disk_table *t, uint32_t age) {
  uint32_t beyond = t->limit - t->first;
  return age < beyond ? t->first + age : age - beyond;
}

static inline const unsigned char *clew_disk_table_state(const struct clew_disk_table *t,
                                                         uint32_t position) {
  assert(t->state_bytes > 0);
  return t->states + (size_t)position * t->state_bytes;
}

static inline bool clew_disk_table_is_old(const struct clew_disk_table *t, uint32_t position) {
  return (t->old[position / 64] >> (position % 64)) & 1;
}

/* The position of the entry in a slot. */
static inline uint32_t clew_disk_table_at(const struct clew_disk_table *t, uint64_t slot) {
  return t->ring_of[slot] & ~CLEW_DISK_MARKS;
}

/* Twice: passes over the slots and over the ages both look at it. */
static inline void clew_disk_table_mark_old(struct clew_disk_table *t, uint64_t slot) {
  assert(t->keys[slot] != CLEW_DISK_NO_KEY);
  uint32_t position = clew_disk_table_at(t, slot);
  t->ring_of[slot] = position | CLEW_DISK_OLD;
  t->old[position / 64] |= UINT64_C(1) << (position % 64);
}

static inline bool clew_disk_table_is_open(const struct clew_disk_table *t, uint64_t slot) {
  return t->keys[slot] != CLEW_DISK_NO_KEY && (t->ring_of[slot] & CLEW_DISK_MARKS) == 0 &&
         clew_disk_table_age(t, t->ring_of[slot]) >= t->settled;
}

static inline void clew_disk_table_mark_new(struct clew_disk_table *t, uint64_t slot) {
  assert(t->keys[slot] != CLEW_DISK_NO_KEY);
  t->ring_of[slot] |= CLEW_DISK_NEW;
}

/* The first slot from `slot` on that holds a candidate without a mark; `end` if none. */
uint64_t clew_disk_table_next_listed(const struct clew_disk_table *t, uint64_t slot);
static inline uint64_t clew_disk_table_next_open(const struct clew_disk_table *t, uint64_t slot) {
  if (t->listed) {
    return clew_disk_table_next_listed(t, slot);
  }
  /* The same as is_open, but positions are looked at first: those of candidates are one range, or
   * two where the ring ends in between, and with a mark they are in none. */
  uint32_t first = clew_disk_table_position(t, t->settled), count = t->count - t->settled;
  uint32_t before_end = count < t->limit - first ? count : t->limit - first;
  uint32_t behind_end = count - before_end;
  for (; slot < t->end; slot++) {
    uint32_t position = t->ring_of[slot];
    if (((position - first < before_end) | (position < behind_end)) &&
        t->keys[slot] != CLEW_DISK_NO_KEY) {
      assert(clew_disk_table_is_open(t, slot));
      break;
    }
  }
  return slot;
}

/* The first slot whose entry has a key of at least this; `end` if none. */
static inline uint64_t clew_disk_table_seek(const struct clew_disk_table *t, uint64_t key) {
  uint64_t slot = clew_disk_table_home(t, key);
  while (slot < t->end && (t->keys[slot] == CLEW_DISK_NO_KEY || t->keys[slot] < key)) {
    slot++;
  }
  return slot < t->end ? slot : t->end;
}

/* ---- io ---- */

enum clew_disk_fault { CLEW_DISK_FINE, CLEW_DISK_SYSTEM, CLEW_DISK_DAMAGED };

/* One transfer. Filled in by the submitter, who leaves it and its data alone until it has waited
 * for it. */
struct clew_disk_job {
  int fd;
  bool is_write;
  unsigned char *data;
  size_t bytes;
  uint64_t offset;
  uint32_t unit_bytes; /* each so many bytes carry a checksum (clew_disk_seal); 0: none */
  uint64_t seed;       /* of the checksums, besides the place in the file */
  /* from here on: of the thread until `done`, which is under the lock */
  bool done, later; /* later: carried out by the one who waits */
  enum clew_disk_fault fault;
  int error; /* errno, for CLEW_DISK_SYSTEM */
  struct clew_disk_job *next;
};

struct clew_disk_io {
  struct clew_scratch *scratch; /* borrowed */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t submitted, finished;
  bool has_thread, stop;
  struct clew_disk_job *first, *last; /* waiting */
  uint32_t next_file;
  /* figures, of the submitter */
  uint64_t reads, read_bytes, write_bytes, file_bytes, file_bytes_peak;
  enum clew_disk_fault fault; /* the first one; permanent */
  int error;
};

void clew_disk_io_open(struct clew_disk_io *io, struct clew_scratch *scratch);
void clew_disk_io_close(struct clew_disk_io *io);
/* A file without a name: its space is free again when it is closed or the program dies. -1 and the
 * fault is noted. */
int clew_disk_io_file(struct clew_disk_io *io);
void clew_disk_io_submit(struct clew_disk_io *io, struct clew_disk_job *job);
/* Reads without the thread. */
bool clew_disk_io_read(struct clew_disk_io *io, struct clew_disk_job *job);
/* A read that will be submitted soon. */
void clew_disk_io_hint(const struct clew_disk_job *job);
/* False when it failed, which `io->fault` then tells. */
bool clew_disk_io_wait(struct clew_disk_io *io, struct clew_disk_job *job);
/* A file has grown, or was dropped. */
void clew_disk_io_grown(struct clew_disk_io *io, uint64_t bytes);
void clew_disk_io_dropped(struct clew_disk_io *io, uint64_t bytes);

/* Puts the checksum of a unit into its first 8 bytes; `place` is its number in the file. */
void clew_disk_seal(unsigned char *unit, uint32_t unit_bytes, uint64_t seed, uint64_t place);
bool clew_disk_intact(const unsigned char *unit, uint32_t unit_bytes, uint64_t seed,
                      uint64_t place);

/* A file from its beginning to its end, unit by unit, in large pieces, two at a time. Both borrow
 * `memory` (2 * piece_bytes, and CLEW_DISK_SLACK behind that may be read); piece_bytes is a
 * multiple of unit_bytes. */
enum { CLEW_DISK_SLACK = 16 };

struct clew_disk_stream {
  struct clew_disk_io *io;
  int fd;
  uint32_t unit_bytes;
  uint64_t seed;
  size_t piece_bytes;
  unsigned char *memory;
  struct clew_disk_job jobs[2];
  bool busy[2];
  unsigned current;
  size_t at, filled;    /* in the current piece */
  uint64_t offset, end; /* of what was submitted; where the file ends (input) */
};

void clew_disk_input_open(struct clew_disk_stream *s, uint64_t start, uint64_t end);
/* The next unit, valid until the call after the next but one piece; NULL at the end or on failure.
 */
const unsigned char *clew_disk_input_next(struct clew_disk_stream *s);
void clew_disk_output_open(struct clew_disk_stream *s, uint64_t start);
/* Zeroed room for the next unit; NULL on failure. It is sealed when the next one is asked for. */
unsigned char *clew_disk_output_next(struct clew_disk_stream *s);
/* Writes what is left; false on failure, also an earlier one. */
bool clew_disk_output_close(struct clew_disk_stream *s);
/* Waits for what is under way; for both kinds, also after a failure. */
void clew_disk_stream_abandon(struct clew_disk_stream *s);

/* ---- page ---- */

enum { CLEW_DISK_PAGE_BYTES = 2048, CLEW_DISK_PAGE_ENTRIES = 1024 /* at most */ };

struct clew_disk_page {
  uint64_t checksum;
  uint64_t first, last; /* keys */
  uint64_t rank;        /* entries of the file before this page */
  uint16_t count;
  uint8_t low_bits, shift, upper_words;
  uint8_t unused[3];
};

/* How many of `n` sorted keys fit into one page, given a guess. */
uint32_t clew_disk_page_fit(const uint64_t *keys, uint32_t n, uint32_t shift, uint32_t guess);
/* `page` is zeroed; the keys fit. */
void clew_disk_page_encode(unsigned char *page, const uint64_t *keys, uint32_t n, uint32_t shift,
                           uint64_t rank);
void clew_disk_page_decode(const unsigned char *page, uint64_t *keys);

/* Searching one page for keys in ascending order. */
struct clew_disk_page_cursor {
  const unsigned char *page;
  uint32_t word, zeros; /* zeros of the upper bits before `word` */
};

static inline const struct clew_disk_page *clew_disk_page_head(const unsigned char *page) {
  return (const struct clew_disk_page *)(const void *)page;
}

/* The number of entries with this key, first <= key <= last, and the index of the first one. */
uint32_t clew_disk_page_search(struct clew_disk_page_cursor *cursor, uint64_t key, uint32_t *index);

/* ---- digest ---- */

enum { CLEW_DISK_DIGEST_BITS = 16 /* at most, besides the home */ };

/* Of the keys of one run. */
struct clew_disk_digest {
  uint64_t *upper, *samples;
  unsigned char *lows;
  uint64_t count, added, upper_end;
  uint32_t low_bits;
  bool instructions;
  struct clew_bigmem memory;
};

/* Where the search for a key begins; zeroed for the first of ascending keys. */
struct clew_disk_digest_cursor {
  uint64_t word, zeros; /* zeros of the upper bits before the word */
};

uint64_t clew_disk_digest_bytes(uint64_t count, uint32_t low_bits);
/* The most bits that fit; 0: not even one. */
uint32_t clew_disk_digest_fit(uint64_t count, uint64_t memory_bytes);
/* For `count` keys; false when there is no memory for it. */
bool clew_disk_digest_open(struct clew_disk_digest *d, uint64_t count, uint32_t low_bits,
                           struct clew_budget *budget);
void clew_disk_digest_close(struct clew_disk_digest *d);
/* Keys in ascending order, `count` of them, and then the end. */
void clew_disk_digest_add(struct clew_disk_digest *d, uint64_t key);
void clew_disk_digest_finish(struct clew_disk_digest *d);
/* How many entries may have this key, and the first of them. 0: it was never added. */
uint32_t clew_disk_digest_find(const struct clew_disk_digest *d,
                               struct clew_disk_digest_cursor *cursor, uint64_t key,
                               uint64_t *rank);

/* Whether the entry at this place may have the key. */
bool clew_disk_digest_agrees(const struct clew_disk_digest *d, uint64_t key, uint64_t rank);

static inline bool clew_disk_digest_is_on(const struct clew_disk_digest *d) {
  return d->count > 0;
}

/* ---- run ---- */

/* A sorted sequence of keys in a file, and of the states that belong to them in another. The fence
 * has the first key of every `fence_pages`-th page. */
struct clew_disk_run {
  int key_fd, state_fd; /* state_fd -1: no states */
  uint64_t count, pages, first, last;
  uint64_t *fence; /* owned */
  uint32_t fences, fence_cap, fence_pages;
  uint64_t file_bytes;
  struct clew_disk_digest digest; /* may be off */
};

/* All runs of a store have this in common. */
struct clew_disk_format {
  uint32_t shift;       /* 64 - bits of the signature */
  uint32_t state_bytes; /* 0: no states */
  uint32_t state_unit_bytes, states_per_unit;
  uint32_t fence_limit; /* entries of a fence */
};

struct clew_disk_run_writer {
  const struct clew_disk_format *format;
  struct clew_disk_io *io;
  struct clew_disk_run run;
  struct clew_disk_stream keys, states;
  uint64_t pending[CLEW_DISK_PAGE_ENTRIES];
  uint32_t pending_count, guess;
  unsigned char *unit; /* of states, being filled */
  uint32_t unit_count;
};

struct clew_disk_run_reader {
  const struct clew_disk_format *format;
  struct clew_disk_stream keys, states;
  uint64_t decoded[CLEW_DISK_PAGE_ENTRIES];
  uint32_t count, at;
  const unsigned char *unit;
  uint32_t unit_at;
  uint64_t left; /* entries, the current one included */
};

/* `memory` has room for two pieces of keys and, with states, two of states. */
bool clew_disk_run_writer_open(struct clew_disk_run_writer *w,
                               const struct clew_disk_format *format, struct clew_disk_io *io,
                               unsigned char *memory, size_t piece_bytes);
bool clew_disk_run_writer_add(struct clew_disk_run_writer *w, uint64_t key, const void *state);
/* The finished run. False on failure; everything is dropped then. */
bool clew_disk_run_writer_close(struct clew_disk_run_writer *w, struct clew_disk_run *run);
void clew_disk_run_writer_abandon(struct clew_disk_run_writer *w);
void clew_disk_run_drop(struct clew_disk_run *run, struct clew_disk_io *io);

void clew_disk_run_reader_open(struct clew_disk_run_reader *r, const struct clew_disk_format *f,
                               struct clew_disk_io *io, const struct clew_disk_run *run,
                               unsigned char *memory, size_t piece_bytes);
void clew_disk_run_reader_close(struct clew_disk_run_reader *r);
/* The key of the current entry, CLEW_DISK_NO_KEY behind the last or on failure (io->fault). */
uint64_t clew_disk_run_reader_key(const struct clew_disk_run_reader *r);
const unsigned char *clew_disk_run_reader_state(const struct clew_disk_run_reader *r);
void clew_disk_run_reader_next(struct clew_disk_run_reader *r);

/* The size of a piece of such columns: a multiple of all units, when `memory_bytes` are to be
 * shared by so many pieces; 0 when it is too small. */
size_t clew_disk_piece_bytes(const struct clew_disk_format *format, size_t memory_bytes,
                             uint32_t pieces);

/* ---- runs ---- */

enum { CLEW_DISK_RUNS_MOST = 10, CLEW_DISK_FANIN = CLEW_DISK_RUNS_MOST };

struct clew_disk_runs {
  struct clew_disk_format format;
  struct clew_disk_io *io; /* borrowed, as are the next two */
  struct clew_disk_table *table;
  struct clew_bigmem *arena;                          /* for buffers */
  uint64_t digest_limit_bytes;                        /* all digests together; 0: none any more */
  struct clew_disk_run runs[CLEW_DISK_RUNS_MOST + 1]; /* the largest first */
  uint32_t count;
  uint64_t stored, merges;
  uint64_t surely_new; /* candidates that no digest knew */
  /* The key of a state, as far as it can be told: it spares checksums. NULL: not available. */
  uint64_t (*key_of)(void *context, const unsigned char *state);
  void *key_context;
};

/* The least memory for buffers. */
size_t clew_disk_runs_least_arena(uint32_t state_bytes);
void clew_disk_runs_open(struct clew_disk_runs *r, uint32_t shift, uint32_t state_bytes,
                         uint64_t fence_bytes, struct clew_disk_io *io,
                         struct clew_disk_table *table, struct clew_bigmem *arena);
void clew_disk_runs_close(struct clew_disk_runs *r);
/* Marks the candidates of the table that are in a run. False on failure. */
bool clew_disk_runs_decide(struct clew_disk_runs *r);
/* Memory that digests take now. */
uint64_t clew_disk_runs_digest_bytes(const struct clew_disk_runs *r);
/* Writes what is decided, new and nowhere else; all that is settled is then flushed. */
bool clew_disk_runs_flush(struct clew_disk_runs *r);
bool clew_disk_runs_validate(const struct clew_disk_runs *r, const char **why);

/* ---- flat ---- */

struct clew_disk_flat {
  struct clew_disk_io *io; /* borrowed, as are the next two */
  struct clew_disk_table *table;
  struct clew_bigmem *arena;
  bool local; /* read a part of the file only */
  uint32_t key_bytes, shift, state_bytes, entry_bytes;
  uint32_t unit_bytes, unit_entries;
  int fd;                 /* -1 until something is written */
  uint64_t stored, units; /* entries; complete units in the file */
  unsigned char *tail;    /* owned: the unit that is not full */
  struct clew_disk_stream out;
  /* the disk cloud */
  struct clew_random random;
  double cloud_size; /* blocks */
  uint32_t calls, high_calls;
  uint64_t calibrations, resets, blocks_read;
};

size_t clew_disk_flat_least_arena(uint32_t state_bytes);
void clew_disk_flat_open(struct clew_disk_flat *f, bool local, uint32_t shift, uint32_t state_bytes,
                         uint64_t seed, struct clew_disk_io *io, struct clew_disk_table *table,
                         struct clew_bigmem *arena);
void clew_disk_flat_close(struct clew_disk_flat *f);
bool clew_disk_flat_decide(struct clew_disk_flat *f);
/* Between begin and end: one call for each new state, in order. */
bool clew_disk_flat_append_begin(struct clew_disk_flat *f);
bool clew_disk_flat_append(struct clew_disk_flat *f, uint64_t key, const void *state);
bool clew_disk_flat_append_end(struct clew_disk_flat *f);

#endif
