/* Sorted runs: the disk structure of the disk store's own algorithm.
 *
 * Stern and Dill ("Using magnetic disk instead of main memory in the Murphi verifier", 1998) read
 * everything visited so far, in order of discovery, whenever the memory table is full, and look
 * each entry up in the table. Here visited states are kept sorted by hash instead, as the table is
 * (disk_table.c). What that buys:
 *  - sorted hashes compress: 4.6 instead of 8 bytes each at 10^9 of 64 bits (disk_page.c);
 *  - it is the few candidates that are looked up in the many stored hashes, and not the other way
 *    round: a page costs its transfer, a checksum and a few searches, but no look-up per hash;
 *  - pages between two candidates need not be read: when few candidates are left at the end of a
 *    level, only the pages around them are;
 *  - full states are read only where the hash agrees, so that a lossless search reads little more.
 *
 * The price is that the file cannot be appended to. New states become a run of their own, and runs
 * are merged so that each is more than MERGE_RATIO times as large as all later ones together: the
 * number of runs is logarithmic, and each state is written again O(log n) times, sequentially. What
 * is merged is merged with what comes from the table, so that nothing is written twice at once.
 *
 * Digests in memory (disk_digest.c) tell which candidates are surely new, and for the others where
 * in a run their states are, as long as there is a bit for each key. Keys are read only where there
 * is no digest: in lossy stores, for the candidates that a digest knows, and when there are so many
 * keys that digests are given up and the table gets their memory. docs/performance.md has figures.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/disk_int.h"

enum {
  MERGE_RATIO = 2,
  SCAN_BUFFERS = 16,
  LEAST_SCAN_BUFFERS = 3,
  MATCHES = 4096, /* whose states are compared together */
  STRETCH = 4096, /* candidates that are looked up in all digests together */
  LEAST_STATE_UNIT_BYTES = 4096,
  STATES_PER_UNIT = 4, /* at least */
  SMALL_RUN = 1 << 14, /* entries; smaller ones are always merged */
};
/* What the disk transfers in the time of one request: pages that nobody needs are read rather than
 * skipped when there are fewer of them. */
static const uint64_t SKIP_BYTES = 128 << 10;
/* The same for states that the system was told of beforehand. */
static const uint64_t SKIP_STATE_BYTES = 8 << 10;
static const size_t GOOD_REQUEST_BYTES = 512 << 10;

static uint32_t state_unit_bytes(uint32_t state_bytes) {
  assert(state_bytes > 0);
  uint64_t least = (uint64_t)state_bytes * STATES_PER_UNIT + sizeof(uint64_t);
  return (uint32_t)((least + LEAST_STATE_UNIT_BYTES - 1) / LEAST_STATE_UNIT_BYTES *
                    LEAST_STATE_UNIT_BYTES);
}

/* Buffers of a merge: two for keys and two for states, of each input and of the output. */
static uint32_t merge_pieces(uint32_t inputs, uint32_t state_bytes) {
  assert(inputs <= CLEW_DISK_FANIN);
  return (inputs + 1) * (state_bytes > 0 ? 4 : 2);
}

size_t clew_disk_runs_least_arena(uint32_t state_bytes) {
  size_t piece = state_bytes > 0 ? state_unit_bytes(state_bytes) : CLEW_DISK_PAGE_BYTES;
  assert(piece > 0);
  return piece * merge_pieces(CLEW_DISK_FANIN, state_bytes) + CLEW_DISK_SLACK;
}

void clew_disk_runs_open(struct clew_disk_runs *r, uint32_t shift, uint32_t state_bytes,
                         uint64_t fence_bytes, struct clew_disk_io *io,
                         struct clew_disk_table *table, struct clew_bigmem *arena) {
  assert(io != NULL && table != NULL && arena != NULL);
  *r = (struct clew_disk_runs){.io = io, .table = table, .arena = arena};
  uint64_t limit = fence_bytes / sizeof(uint64_t) / (CLEW_DISK_RUNS_MOST + 1);
  r->format = (struct clew_disk_format){
      .shift = shift,
      .state_bytes = state_bytes,
      .fence_limit = limit < 2 ? 2 : (uint32_t)(limit < 1 << 24 ? limit : 1 << 24)};
  if (state_bytes > 0) {
    r->format.state_unit_bytes = state_unit_bytes(state_bytes);
    r->format.states_per_unit =
        (r->format.state_unit_bytes - (uint32_t)sizeof(uint64_t)) / state_bytes;
  }
  assert(arena->committed_bytes >= clew_disk_runs_least_arena(state_bytes));
}

void clew_disk_runs_close(struct clew_disk_runs *r) {
  assert(r->count == 0 || r->io != NULL);
  for (uint32_t i = 0; i < r->count; i++) {
    clew_disk_run_drop(&r->runs[i], r->io);
  }
  r->count = 0;
}

/* ---- which pages to read ---- */

/* Requests for the pages of a run around the open candidates, in ascending order. */
struct plan {
  const struct clew_disk_table *table;
  const struct clew_disk_run *run;
  uint64_t slot;           /* of the next candidate to plan for */
  uint64_t page, page_end; /* planned and not yet asked for */
  uint32_t segment;        /* of the fence; none before it is needed */
};

static void plan_open(struct plan *plan, const struct clew_disk_table *table,
                      const struct clew_disk_run *run) {
  assert(run->count > 0);
  *plan = (struct plan){.table = table, .run = run};
  plan->slot = clew_disk_table_next_open(table, clew_disk_table_seek(table, run->first));
}

/* The last segment, from `from` on, that begins below the key, or at it: equal keys may lie in
 * several pages, and the first of them may end a segment that begins below. */
static uint32_t last_segment(const struct clew_disk_run *run, uint32_t from, uint64_t key,
                             bool at) {
  assert(from < run->fences);
  uint32_t step = 1, low = from, high;
  while (low + step < run->fences &&
         (run->fence[low + step] < key || (at && run->fence[low + step] == key))) {
    low += step;
    step *= 2;
  }
  high = low + step < run->fences ? low + step : run->fences;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    bool before = run->fence[middle] < key || (at && run->fence[middle] == key);
    low = before ? middle : low;
    high = before ? high : middle;
  }
  return low;
}

/* Advances to the next candidate that the pages planned so far do not cover: those before segment
 * `end`. */
static bool next_uncovered(struct plan *plan, uint32_t end) {
  assert(end <= plan->run->fences);
  const struct clew_disk_table *t = plan->table;
  if (end < plan->run->fences && plan->slot < t->end) {
    uint64_t slot = clew_disk_table_seek(t, plan->run->fence[end]);
    plan->slot = slot > plan->slot ? slot : plan->slot;
  } else {
    plan->slot = t->end;
  }
  plan->slot = clew_disk_table_next_open(t, plan->slot);
  return plan->slot < t->end && t->keys[plan->slot] <= plan->run->last;
}

static void plan_range(struct plan *plan) {
  assert(plan->page >= plan->page_end);
  assert(plan->segment <= plan->run->fences);
  const struct clew_disk_run *run = plan->run;
  const struct clew_disk_table *t = plan->table;
  if (plan->slot >= t->end || t->keys[plan->slot] > run->last) {
    plan->page = plan->page_end = 0;
    plan->slot = t->end;
    return;
  }
  const uint64_t most_pages = 1 << 12; /* the rest will be planned when these are under way */
  uint64_t skip = SKIP_BYTES / CLEW_DISK_PAGE_BYTES / run->fence_pages;
  uint64_t key = t->keys[plan->slot];
  uint32_t begin = last_segment(run, plan->segment, key, false);
  begin = begin > plan->segment ? begin : plan->segment;
  uint32_t end = last_segment(run, begin, key, true) + 1;
  bool more = true;
  while ((more = next_uncovered(plan, end)) &&
         (uint64_t)(end - begin) * run->fence_pages < most_pages) {
    key = t->keys[plan->slot];
    uint32_t next = last_segment(run, end - 1, key, false);
    if (next > end + skip) {
      break;
    }
    end = last_segment(run, next, key, true) + 1;
  }
  if (!more) {
    plan->slot = t->end;
  }
  plan->segment = end;
  plan->page = (uint64_t)begin * run->fence_pages;
  uint64_t page_end = (uint64_t)end * run->fence_pages;
  plan->page_end = page_end < run->pages ? page_end : run->pages;
  assert(plan->page < plan->page_end);
  /* A candidate with the very key at which the next segment begins needs this range's last page
   * too, which it has got: candidates are looked up in every page that is read. */
}

static bool plan_next(struct plan *plan, size_t buffer_bytes, struct clew_disk_job *job) {
  assert(buffer_bytes >= CLEW_DISK_PAGE_BYTES);
  if (plan->page >= plan->page_end) {
    plan_range(plan);
    if (plan->page >= plan->page_end) {
      return false;
    }
  }
  uint64_t pages = buffer_bytes / CLEW_DISK_PAGE_BYTES, left = plan->page_end - plan->page;
  pages = left < pages ? left : pages;
  *job = (struct clew_disk_job){.fd = plan->run->key_fd,
                                .data = job->data,
                                .bytes = (size_t)pages * CLEW_DISK_PAGE_BYTES,
                                .offset = plan->page * CLEW_DISK_PAGE_BYTES,
                                .unit_bytes = CLEW_DISK_PAGE_BYTES};
  plan->page += pages;
  return true;
}

/* ---- deciding ---- */

/* An entry of the run whose key is that of a candidate: the states decide. */
struct match {
  uint64_t slot, rank;
};

struct scan {
  struct clew_disk_runs *runs;
  const struct clew_disk_run *run;
  uint64_t slot;               /* candidates before it have keys below all that is still to come */
  unsigned char *unit_buffer;  /* one unit */
  unsigned char *state_buffer; /* several */
  size_t state_buffer_bytes;
  uint64_t verified_unit; /* the last one, of this run */
  uint32_t match_count;
  struct match matches[MATCHES];
};

static uint64_t unit_of(const struct scan *scan, uint64_t rank) {
  return rank / scan->runs->format.states_per_unit;
}

/* A request for the units of the first matches from `from` on: as many as lie close together and
 * fit. Returns the number of matches. */
static uint32_t plan_states(const struct scan *scan, uint32_t from, uint64_t skip_bytes,
                            struct clew_disk_job *job) {
  assert(from < scan->match_count);
  assert(scan->state_buffer_bytes >= scan->runs->format.state_unit_bytes);
  const struct clew_disk_format *format = &scan->runs->format;
  uint64_t first = unit_of(scan, scan->matches[from].rank), last = first;
  uint64_t most = scan->state_buffer_bytes / format->state_unit_bytes;
  uint64_t skip = skip_bytes / format->state_unit_bytes;
  uint32_t n = 1;
  for (; from + n < scan->match_count; n++) {
    uint64_t unit = unit_of(scan, scan->matches[from + n].rank);
    /* Among equal keys ranks may go back. */
    if (unit < first || unit - first >= most || (unit > last && unit - last > skip)) {
      break;
    }
    last = unit > last ? unit : last;
  }
  assert(last - first < most);
  *job = (struct clew_disk_job){.fd = scan->run->state_fd,
                                .data = scan->state_buffer,
                                .bytes = (size_t)(last - first + 1) * format->state_unit_bytes,
                                .offset = first * format->state_unit_bytes};
  return n;
}

/* States are read without the checksums of their units. One that is equal to a candidate is as it
 * was written; one that is not has the key that the digest has at its place; otherwise its unit is
 * verified. */
static bool verify_unit(struct scan *scan, uint64_t unit, const unsigned char *data) {
  const struct clew_disk_format *format = &scan->runs->format;
  struct clew_disk_job job = {.fd = scan->run->state_fd,
                              .data = scan->unit_buffer,
                              .bytes = format->state_unit_bytes,
                              .offset = unit * format->state_unit_bytes,
                              .unit_bytes = format->state_unit_bytes};
  scan->verified_unit = unit;
  return (data != NULL && clew_disk_intact(data, format->state_unit_bytes, 0, unit)) ||
         clew_disk_io_read(scan->runs->io, &job);
}

/* The state of a match, as it was read; `data` is its unit, or NULL. */
static bool compare_state(struct scan *scan, const struct match *match, const unsigned char *state,
                          const unsigned char *data) {
  const struct clew_disk_runs *r = scan->runs;
  const struct clew_disk_digest *digest = &scan->run->digest;
  struct clew_disk_table *t = r->table;
  uint32_t position = clew_disk_table_at(t, match->slot);
  if (clew_disk_same_state(state, clew_disk_table_state(t, position), t->state_bytes)) {
    clew_disk_table_mark_old(t, match->slot);
    return true;
  }
  uint64_t unit = unit_of(scan, match->rank);
  return unit == scan->verified_unit ||
         (r->key_of != NULL && clew_disk_digest_is_on(digest) &&
          clew_disk_digest_agrees(digest, r->key_of(r->key_context, state), match->rank)) ||
         verify_unit(scan, unit, data);
}

static size_t place_in_unit(const struct scan *scan, uint64_t rank) {
  const struct clew_disk_format *format = &scan->runs->format;
  return sizeof(uint64_t) + rank % format->states_per_unit * format->state_bytes;
}

/* A single state in its unit is read without the rest of it. */
static bool compare_one(struct scan *scan, const struct match *match, struct clew_disk_job *job) {
  job->offset += place_in_unit(scan, match->rank);
  job->bytes = scan->runs->format.state_bytes;
  return clew_disk_io_read(scan->runs->io, job) && compare_state(scan, match, job->data, NULL);
}

static bool compare_states(struct scan *scan, uint32_t from, uint32_t n,
                           struct clew_disk_job *job) {
  assert(from + n <= scan->match_count);
  const struct match *match = scan->matches + from;
  const uint32_t ahead = 8;
  if (n == 1) {
    return compare_one(scan, match, job);
  }
  struct clew_disk_table *t = scan->runs->table;
  bool ok = clew_disk_io_read(scan->runs->io, job);
  for (; ok && n > 0; n--, match++) {
    if (n > ahead) {
      __builtin_prefetch(clew_disk_table_state(t, clew_disk_table_at(t, match[ahead].slot)));
    }
    uint64_t unit_at = unit_of(scan, match->rank) * scan->runs->format.state_unit_bytes;
    const unsigned char *data = job->data + (unit_at - job->offset);
    ok = compare_state(scan, match, data + place_in_unit(scan, match->rank), data);
  }
  return ok;
}

static bool compare_matches(struct scan *scan) {
  assert(scan->match_count <= MATCHES);
  assert(scan->match_count == 0 || scan->runs->format.state_bytes > 0);
  struct clew_disk_job job;
  for (uint32_t from = 0; from < scan->match_count;) {
    from += plan_states(scan, from, SKIP_BYTES, &job);
    clew_disk_io_hint(&job);
  }
  for (uint32_t from = 0; from < scan->match_count;) {
    uint32_t n = plan_states(scan, from, SKIP_STATE_BYTES, &job);
    if (!compare_states(scan, from, n, &job)) {
      return false;
    }
    from += n;
  }
  scan->match_count = 0;
  return true;
}

static bool add_matches(struct scan *scan, uint64_t slot, uint64_t rank, uint32_t n) {
  assert(rank + n <= scan->run->count);
  for (uint32_t i = 0; i < n; i++) {
    if (scan->match_count == MATCHES && !compare_matches(scan)) {
      return false;
    }
    scan->matches[scan->match_count++] = (struct match){slot, rank + i};
  }
  return true;
}

static bool scan_page(struct scan *scan, const unsigned char *page) {
  assert(scan->slot <= scan->runs->table->end);
  struct clew_disk_table *t = scan->runs->table;
  const struct clew_disk_page *head = clew_disk_page_head(page);
  struct clew_disk_page_cursor cursor = {.page = page};
  while (scan->slot < t->end && t->keys[scan->slot] < head->first) {
    scan->slot = clew_disk_table_next_open(t, scan->slot + 1);
  }
  for (uint64_t slot = scan->slot; slot < t->end && t->keys[slot] <= head->last;
       slot = clew_disk_table_next_open(t, slot + 1)) {
    uint64_t key = t->keys[slot];
    /* Entries with the last key of a page are looked at again: the next may begin with it. */
    scan->slot = key < head->last ? slot + 1 : scan->slot;
    uint32_t index, found = clew_disk_page_search(&cursor, key, &index);
    if (found == 0) {
      continue;
    }
    if (t->state_bytes == 0) {
      clew_disk_table_mark_old(t, slot);
    } else if (!add_matches(scan, slot, head->rank + index, found)) {
      return false;
    }
  }
  scan->slot = clew_disk_table_next_open(t, scan->slot);
  return true;
}

static bool scan_piece(struct scan *scan, const struct clew_disk_job *job) {
  assert(job->done);
  assert(scan->match_count == 0);
  struct clew_disk_table *t = scan->runs->table;
  const struct clew_disk_page *head = clew_disk_page_head(job->data);
  uint64_t slot = clew_disk_table_seek(t, head->first);
  scan->slot = clew_disk_table_next_open(t, slot > scan->slot ? slot : scan->slot);
  for (size_t at = 0; at < job->bytes; at += CLEW_DISK_PAGE_BYTES) {
    if (!scan_page(scan, job->data + at)) {
      return false;
    }
  }
  return compare_matches(scan);
}

/* Requests under way, oldest first. Many when they are small and far apart, so that the disk has a
 * choice; few when they are large. A buffer is used again as soon as possible, while it is in the
 * processor's cache. */
struct window {
  struct clew_disk_job jobs[SCAN_BUFFERS];
  unsigned char *idle[SCAN_BUFFERS];
  uint32_t idle_count, submitted, processed;
  size_t buffer_bytes, pending_bytes, pending_limit_bytes;
};

/* The buffers of the window come first in the arena, then the one for states. */
static void window_open(struct window *w, struct clew_disk_runs *r) {
  *w = (struct window){0};
  uint32_t others = r->format.state_bytes > 0 ? 1 : 0, buffers = SCAN_BUFFERS;
  size_t memory_bytes = r->arena->committed_bytes;
  while (buffers > LEAST_SCAN_BUFFERS && memory_bytes / (buffers + others) < GOOD_REQUEST_BYTES) {
    buffers--;
  }
  w->buffer_bytes = clew_disk_piece_bytes(&r->format, memory_bytes, buffers + others);
  assert(w->buffer_bytes >= CLEW_DISK_PAGE_BYTES);
  w->pending_limit_bytes = LEAST_SCAN_BUFFERS * w->buffer_bytes;
  for (uint32_t i = 0; i < buffers; i++) {
    w->idle[w->idle_count++] = r->arena->data + (others + i) * w->buffer_bytes;
  }
}

/* Submits what is planned next, if there is room; false when there is nothing more. */
static bool window_fill(struct window *w, struct clew_disk_io *io, struct plan *plan) {
  assert(w->idle_count <= SCAN_BUFFERS);
  while (w->idle_count > 0 && w->pending_bytes < w->pending_limit_bytes) {
    struct clew_disk_job *job = &w->jobs[w->submitted % SCAN_BUFFERS];
    job->data = w->idle[w->idle_count - 1];
    if (!plan_next(plan, w->buffer_bytes, job)) {
      return false;
    }
    w->idle_count--;
    w->submitted++;
    w->pending_bytes += job->bytes;
    clew_disk_io_submit(io, job);
  }
  return true;
}

static bool scan_run(struct clew_disk_runs *r, const struct clew_disk_run *run, struct scan *scan) {
  assert(run->count > 0);
  scan->run = run;
  scan->slot = 0;
  scan->match_count = 0;
  scan->verified_unit = UINT64_MAX;
  struct plan plan;
  plan_open(&plan, r->table, run);
  struct window w;
  window_open(&w, r);
  scan->state_buffer = r->arena->data;
  scan->state_buffer_bytes = w.buffer_bytes;
  bool ok = true, more = true;
  for (;;) {
    more = ok && more && window_fill(&w, r->io, &plan);
    if (w.processed == w.submitted) {
      return ok;
    }
    struct clew_disk_job *job = &w.jobs[w.processed++ % SCAN_BUFFERS];
    ok = clew_disk_io_wait(r->io, job) && ok && scan_piece(scan, job);
    assert(w.pending_bytes >= job->bytes);
    w.idle[w.idle_count++] = job->data;
    w.pending_bytes -= job->bytes;
  }
}

/* ---- by digests ---- */

/* Open candidates, in the order of their slots. */
struct stretch {
  uint32_t count;
  uint64_t slots[STRETCH];
  bool known[STRETCH]; /* by a digest */
};

static uint64_t take_stretch(struct stretch *stretch, const struct clew_disk_table *t,
                             uint64_t slot) {
  stretch->count = 0;
  for (slot = clew_disk_table_next_open(t, slot); slot < t->end && stretch->count < STRETCH;
       slot = clew_disk_table_next_open(t, slot + 1)) {
    stretch->slots[stretch->count] = slot;
    stretch->known[stretch->count++] = false;
  }
  return slot;
}

/* Marks those of the stretch that are in the run. */
static bool look_up(struct stretch *stretch, struct scan *scan,
                    struct clew_disk_digest_cursor *cursor) {
  struct clew_disk_table *t = scan->runs->table;
  assert(scan->match_count == 0);
  for (uint32_t i = 0; i < stretch->count; i++) {
    uint64_t slot = stretch->slots[i], rank;
    uint32_t found = clew_disk_digest_find(&scan->run->digest, cursor, t->keys[slot], &rank);
    stretch->known[i] |= found > 0;
    if (found > 0 && t->state_bytes > 0 && !add_matches(scan, slot, rank, found)) {
      return false;
    }
  }
  return compare_matches(scan);
}

/* Those that were found in a run are looked for no further. */
static void drop_old(struct stretch *stretch, const struct clew_disk_table *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < stretch->count; i++) {
    if ((t->ring_of[stretch->slots[i]] & CLEW_DISK_OLD) == 0) {
      stretch->slots[kept] = stretch->slots[i];
      stretch->known[kept++] = stretch->known[i];
    }
  }
  stretch->count = kept;
}

/* No digest knows them, and every run has one. */
static uint64_t mark_new(const struct stretch *stretch, struct clew_disk_table *t) {
  uint64_t marked = 0;
  for (uint32_t i = 0; i < stretch->count; i++) {
    if (!stretch->known[i]) {
      clew_disk_table_mark_new(t, stretch->slots[i]);
      marked++;
    }
  }
  return marked;
}

static uint32_t count_digests(const struct clew_disk_runs *r) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    count += clew_disk_digest_is_on(&r->runs[i].digest);
  }
  return count;
}

/* Decides what digests tell: all about runs that have one, if there are states to compare. The
 * latest states first: most duplicates are among them and need not be looked for further. */
static bool decide_by_digests(struct clew_disk_runs *r, struct scan *scan) {
  struct clew_disk_digest_cursor cursors[CLEW_DISK_RUNS_MOST + 1] = {{0}};
  struct stretch *stretch = clew_alloc(sizeof *stretch);
  bool ok = true, all = count_digests(r) == r->count;
  scan->state_buffer = r->arena->data;
  scan->state_buffer_bytes = clew_disk_piece_bytes(&r->format, r->arena->committed_bytes, 1);
  for (uint64_t slot = 0; ok && slot < r->table->end;) {
    slot = take_stretch(stretch, r->table, slot);
    for (uint32_t i = r->count; ok && i-- > 0;) {
      scan->run = &r->runs[i];
      if (clew_disk_digest_is_on(&scan->run->digest)) {
        scan->verified_unit = UINT64_MAX;
        ok = look_up(stretch, scan, &cursors[i]);
        drop_old(stretch, r->table);
      }
    }
    if (ok && all) {
      r->surely_new += mark_new(stretch, r->table);
    }
  }
  clew_free(stretch);
  return ok;
}

bool clew_disk_runs_decide(struct clew_disk_runs *r) {
  assert(r->io->fault == CLEW_DISK_FINE);
  struct scan *scan = clew_alloc(sizeof *scan);
  scan->runs = r;
  scan->match_count = 0;
  scan->unit_buffer = clew_alloc(r->format.state_unit_bytes + 1);
  bool ok = true;
  clew_disk_table_list_candidates(r->table);
  if (count_digests(r) > 0) {
    ok = decide_by_digests(r, scan);
  }
  for (uint32_t i = r->count; ok && i-- > 0;) {
    if (r->format.state_bytes == 0 || !clew_disk_digest_is_on(&r->runs[i].digest)) {
      ok = scan_run(r, &r->runs[i], scan);
    }
  }
  clew_disk_table_unlist(r->table);
  clew_free(scan->unit_buffer);
  clew_free(scan);
  return ok;
}

uint64_t clew_disk_runs_digest_bytes(const struct clew_disk_runs *r) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    bytes += r->runs[i].digest.memory.committed_bytes;
  }
  assert(bytes == 0 || r->digest_limit_bytes > 0);
  return bytes;
}

/* ---- merging ---- */

/* The entries of the table that are decided, new and not yet on disk, in order of keys. */
struct fresh {
  const struct clew_disk_table *table;
  uint64_t slot;
};

static bool is_fresh(const struct clew_disk_table *t, uint64_t slot) {
  if (t->keys[slot] == CLEW_DISK_NO_KEY || (t->ring_of[slot] & CLEW_DISK_OLD) != 0) {
    return false;
  }
  uint32_t age = clew_disk_table_age(t, clew_disk_table_at(t, slot));
  return age >= t->flushed && age < t->settled;
}

static void fresh_seek(struct fresh *fresh) {
  while (fresh->slot < fresh->table->end && !is_fresh(fresh->table, fresh->slot)) {
    fresh->slot++;
  }
}

static uint64_t fresh_key(const struct fresh *fresh) {
  return fresh->slot < fresh->table->end ? fresh->table->keys[fresh->slot] : CLEW_DISK_NO_KEY;
}

static uint64_t count_fresh(const struct clew_disk_table *t) {
  assert(t->flushed <= t->settled);
  uint64_t count = 0;
  for (uint32_t age = t->flushed; age < t->settled; age++) {
    count += !clew_disk_table_is_old(t, clew_disk_table_position(t, age));
  }
  return count;
}

struct merge {
  struct clew_disk_run_writer writer;
  struct fresh fresh;
  uint32_t inputs;
  uint64_t heads[CLEW_DISK_FANIN];
  struct clew_disk_run_reader readers[CLEW_DISK_FANIN]; /* the last member: only some are used */
};

/* States lie in the order in which they came. */
static void prefetch_fresh(const struct fresh *fresh) {
  const uint64_t ahead = 12;
  const struct clew_disk_table *t = fresh->table;
  if (t->state_bytes > 0 && fresh->slot + ahead < t->end) {
    uint32_t position = clew_disk_table_at(t, fresh->slot + ahead);
    __builtin_prefetch(t->states + (size_t)position * t->state_bytes);
  }
}

static bool take_fresh(struct merge *m, uint64_t below) {
  assert(m->fresh.slot <= m->fresh.table->end);
  const struct clew_disk_table *t = m->fresh.table;
  for (uint64_t key; (key = fresh_key(&m->fresh)) < below; m->fresh.slot++, fresh_seek(&m->fresh)) {
    const void *state =
        t->state_bytes > 0 ? clew_disk_table_state(t, clew_disk_table_at(t, m->fresh.slot)) : NULL;
    prefetch_fresh(&m->fresh);
    if (!clew_disk_run_writer_add(&m->writer, key, state)) {
      return false;
    }
  }
  return true;
}

/* All of one input as far as it is not above the others. */
static bool take_run(struct merge *m, uint32_t which, uint64_t below) {
  assert(which < m->inputs);
  assert(m->heads[which] < CLEW_DISK_NO_KEY);
  struct clew_disk_run_reader *reader = &m->readers[which];
  uint64_t key = m->heads[which];
  do {
    if (!clew_disk_run_writer_add(&m->writer, key, clew_disk_run_reader_state(reader))) {
      return false;
    }
    clew_disk_run_reader_next(reader);
    key = clew_disk_run_reader_key(reader);
  } while (key < below);
  m->heads[which] = key;
  return true;
}

static bool merge_all(struct merge *m) {
  assert(m->inputs <= CLEW_DISK_FANIN);
  for (;;) {
    uint64_t least = CLEW_DISK_NO_KEY, second = CLEW_DISK_NO_KEY;
    uint32_t which = 0;
    for (uint32_t i = 0; i < m->inputs; i++) {
      if (m->heads[i] < least) {
        second = least;
        least = m->heads[i];
        which = i;
      } else if (m->heads[i] < second) {
        second = m->heads[i];
      }
    }
    if (fresh_key(&m->fresh) <= least) {
      if (least == CLEW_DISK_NO_KEY && fresh_key(&m->fresh) == CLEW_DISK_NO_KEY) {
        return true;
      }
      uint64_t below = least == CLEW_DISK_NO_KEY ? least : least + 1;
      if (!take_fresh(m, below)) {
        return false;
      }
    } else {
      uint64_t fresh = fresh_key(&m->fresh);
      if (!take_run(m, which, second < fresh ? second : fresh)) {
        return false;
      }
    }
  }
}

/* Digests are of use no more: there are too many keys for their memory. */
static void drop_digests(struct clew_disk_runs *r) {
  for (uint32_t i = 0; i < r->count; i++) {
    clew_disk_digest_close(&r->runs[i].digest);
  }
  r->digest_limit_bytes = 0;
}

/* A digest for a run that the last `inputs` ones are merged into. Theirs are dropped: nobody asks
 * while runs are merged. The runs that come after it will have half as many keys before it is
 * merged again, so a third of the memory is left to them. */
static void open_digest(struct clew_disk_runs *r, uint32_t inputs, uint64_t count,
                        struct clew_disk_digest *digest) {
  for (uint32_t i = r->count - inputs; i < r->count; i++) {
    clew_disk_digest_close(&r->runs[i].digest);
  }
  if (r->digest_limit_bytes == 0) {
    return;
  }
  uint64_t used = clew_disk_runs_digest_bytes(r);
  uint64_t left = r->digest_limit_bytes > used ? r->digest_limit_bytes - used : 0;
  uint32_t low_bits = clew_disk_digest_fit(count, inputs == r->count ? left / 3 * 2 : left);
  if (r->count > inputs && clew_disk_digest_is_on(&r->runs[0].digest) &&
      low_bits > r->runs[0].digest.low_bits) {
    low_bits = r->runs[0].digest.low_bits;
  }
  if (low_bits > 0) {
    (void)clew_disk_digest_open(digest, count, low_bits, r->arena->budget);
  } else if (inputs == r->count) {
    drop_digests(r);
  }
}

/* Merges the last `inputs` runs and what is fresh into one run of `count` entries. */
static bool write_run(struct clew_disk_runs *r, uint32_t inputs, uint64_t count,
                      struct clew_disk_run *out) {
  assert(inputs <= r->count);
  assert(inputs <= CLEW_DISK_FANIN);
  struct merge *m = clew_alloc(offsetof(struct merge, readers) + inputs * sizeof m->readers[0]);
  uint32_t per_column = r->format.state_bytes > 0 ? 4 : 2;
  size_t bytes = clew_disk_piece_bytes(&r->format, r->arena->committed_bytes,
                                       merge_pieces(inputs, r->format.state_bytes));
  unsigned char *memory = r->arena->data;
  bool ok = clew_disk_run_writer_open(&m->writer, &r->format, r->io, memory, bytes);
  if (ok) {
    open_digest(r, inputs, count, &m->writer.run.digest);
    m->inputs = inputs;
    for (uint32_t i = 0; i < inputs; i++) {
      memory += per_column * bytes;
      assert(memory + per_column * bytes <= r->arena->data + r->arena->committed_bytes);
      clew_disk_run_reader_open(&m->readers[i], &r->format, r->io, &r->runs[r->count - inputs + i],
                                memory, bytes);
      m->heads[i] = clew_disk_run_reader_key(&m->readers[i]);
    }
    m->fresh = (struct fresh){.table = r->table};
    fresh_seek(&m->fresh);
    /* A reader that fails looks as if it had ended. */
    ok = merge_all(m) && r->io->fault == CLEW_DISK_FINE;
    for (uint32_t i = 0; i < inputs; i++) {
      clew_disk_run_reader_close(&m->readers[i]);
    }
    if (ok) {
      ok = clew_disk_run_writer_close(&m->writer, out);
    } else {
      clew_disk_run_writer_abandon(&m->writer);
    }
  }
  clew_free(m);
  return ok && r->io->fault == CLEW_DISK_FINE;
}

/* How many of the last runs a new one of so many entries is merged with. */
static uint32_t choose_inputs(const struct clew_disk_runs *r, uint64_t fresh) {
  assert(fresh > 0);
  uint32_t inputs = 0;
  for (uint64_t total = fresh; inputs < r->count; inputs++) {
    uint64_t size = r->runs[r->count - 1 - inputs].count;
    if (size >= SMALL_RUN && size >= MERGE_RATIO * total &&
        r->count - inputs < CLEW_DISK_RUNS_MOST) {
      break;
    }
    total += size;
  }
  assert(r->count - inputs < CLEW_DISK_RUNS_MOST);
  return inputs;
}

bool clew_disk_runs_flush(struct clew_disk_runs *r) {
  assert(!r->table->listed);
  uint64_t fresh = count_fresh(r->table);
  if (fresh > 0) {
    uint32_t inputs = choose_inputs(r, fresh);
    uint64_t expected = fresh;
    for (uint32_t i = r->count - inputs; i < r->count; i++) {
      expected += r->runs[i].count;
    }
    struct clew_disk_run run;
    if (!write_run(r, inputs, expected, &run)) {
      return false;
    }
    assert(run.count == expected);
    for (uint32_t i = 0; i < inputs; i++) {
      clew_disk_run_drop(&r->runs[--r->count], r->io);
    }
    r->merges += inputs > 0;
    r->runs[r->count++] = run;
    r->stored += fresh;
    assert(r->count <= CLEW_DISK_RUNS_MOST);
  }
  r->table->flushed = r->table->settled;
  return true;
}

/* ---- validation ---- */

/* The digest knows a key at its place, so far. */
static bool is_digested(const struct clew_disk_run *run, struct clew_disk_digest_cursor *cursor,
                        uint64_t key, uint64_t place) {
  uint64_t rank = 0;
  if (!clew_disk_digest_is_on(&run->digest)) {
    return true;
  }
  uint32_t found = clew_disk_digest_find(&run->digest, cursor, key, &rank);
  return rank <= place && place < rank + found;
}

static const char *validate_run(const struct clew_disk_run *run) {
  assert(run->fence_pages > 0 && run->fences > 0);
  _Alignas(uint64_t) unsigned char page[CLEW_DISK_PAGE_BYTES + CLEW_DISK_SLACK] = {0};
  uint64_t keys[CLEW_DISK_PAGE_ENTRIES], previous = 0, count = 0;
  struct clew_disk_digest_cursor cursor = {0};
  for (uint64_t p = 0; p < run->pages; p++) {
    if (!clew_fd_read_at(run->key_fd, page, CLEW_DISK_PAGE_BYTES, p * CLEW_DISK_PAGE_BYTES) ||
        !clew_disk_intact(page, CLEW_DISK_PAGE_BYTES, 0, p)) {
      return "a page is damaged";
    }
    const struct clew_disk_page *head = clew_disk_page_head(page);
    clew_disk_page_decode(page, keys);
    if (head->rank != count || keys[0] != head->first || keys[head->count - 1] != head->last) {
      return "the head of a page is wrong";
    }
    if (p % run->fence_pages == 0 && run->fence[p / run->fence_pages] != head->first) {
      return "the fence is wrong";
    }
    for (uint32_t i = 0; i < head->count; i++) {
      if (keys[i] < previous) {
        return "a run is not sorted";
      }
      if (!is_digested(run, &cursor, keys[i], count + i)) {
        return "the digest does not know a key";
      }
      previous = keys[i];
    }
    count += head->count;
  }
  return count == run->count && previous == run->last ? NULL : "the figures of a run are wrong";
}

bool clew_disk_runs_validate(const struct clew_disk_runs *r, const char **why) {
  assert(why != NULL);
  uint64_t stored = 0;
  *why = NULL;
  for (uint32_t i = 0; i < r->count && *why == NULL; i++) {
    *why = validate_run(&r->runs[i]);
    stored += r->runs[i].count;
  }
  if (*why == NULL && stored != r->stored) {
    *why = "the runs do not hold what was stored";
  }
  return *why == NULL;
}
