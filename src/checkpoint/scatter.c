/* Reading the checkpoint of several ranks, by another number of them.
 *
 * Rounds keep memory small: in each, everybody reads some records, and all messages about them are
 * exchanged before the next. A rank that fails takes part until the end of its round, where all
 * learn of it. */
#include "checkpoint/scatter.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "trace/past.h"

enum {
  LEAST_ROUND = 256,
  MOST_ROUND = 1 << 17,
  ROUND_SHARE = 32,   /* of the budget: a round takes one of so many parts */
  SETTLED_SHARE = 16, /* the same where a store settles at the end of each round */
  BATCH = 256,
  LOG_STEP = 1 << 12
};
enum { WAITING_SHARE = 8 };

/* The log of an old rank, which this one reads. */
struct file {
  uint32_t number;             /* of the old rank */
  struct clew_archive archive; /* the levels stand first */
  uint64_t *ends;              /* ids at which its levels end */
  uint32_t segment;
  struct clew_segment_reader *reader;
  const struct clew_back_edge *records;
  uint32_t record, record_count;
  uint64_t at; /* the next id */
  /* Its states of the level before, and of this one: words and name. */
  struct clew_past *last, *next;
  uint64_t last_first;
  uint64_t round_first, round_count; /* ids of this round */
  uint64_t *round;                   /* their words and names */
};

/* Messages; the words of the state follow `made` and `named`. */
struct ask {
  uint64_t parent, number;
  uint32_t parent_file, file, edge, unused;
};
struct made {
  uint64_t parent, number; /* a name of now */
  uint32_t file, edge;
};
struct named {
  uint64_t name, number;
  uint32_t file, unused;
};

struct scatter {
  const struct clew_scatter_config *config;
  struct clew_spread *spread;
  struct clew_team *team;
  const struct clew_manifest *manifest;
  const struct clew_model *model;
  struct clew_store *store;
  struct clew_diag_sink *diags;
  enum clew_replayed fate;
  uint32_t words, levels, level, old_ranks;
  struct file *files;
  uint32_t file_count;
  uint64_t round;       /* records of each file */
  uint64_t round_bytes; /* taken from the budget */
  struct clew_post asks, mades, names;
  uint64_t *state; /* room for one */
  clew_id log_end, absorbed;
  uint64_t *own_ends; /* ids at which levels end here */
  struct clew_diskqueue *waiting;
  /* States that the store has not decided on: the places of their records, by hash. */
  const unsigned char **open;
  uint64_t open_room, open_count;
};

static bool fail(struct scatter *s, enum clew_replayed why) {
  s->fate = s->fate == CLEW_REPLAYED ? why : s->fate;
  return false;
}

static bool is_fine(const struct scatter *s) {
  return s->fate == CLEW_REPLAYED;
}

/* ---- the files ---- */

static bool read_archive(struct scatter *s, uint32_t number, struct clew_archive *archive,
                         uint64_t **ends, uint32_t *levels) {
  const struct clew_rank_files *files = &s->manifest->ranks.data[number];
  if (clew_packed_read(&s->config->checkpoint->vault, &files->archive, archive, s->diags) !=
      CLEW_OK) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  archive->at = 0;
  *levels = clew_archive_get_count(archive, sizeof **ends);
  *ends = clew_alloc(((size_t)*levels + 1) * sizeof **ends);
  clew_archive_get_bytes(archive, *ends, *levels * sizeof **ends);
  bool good = !archive->damaged && *levels > 0 && (*ends)[*levels - 1] == files->states;
  for (uint32_t i = 1; i < *levels && good; i++) {
    good = (*ends)[i - 1] <= (*ends)[i];
  }
  return good || fail(s, CLEW_REPLAY_STRANGE);
}

static void open_files(struct scatter *s) {
  uint32_t ranks = s->team->ranks;
  s->old_ranks = s->manifest->ranks.len;
  s->files = clew_alloc_zero((size_t)s->old_ranks / ranks + 1, sizeof *s->files);
  for (uint32_t number = s->team->rank; number < s->old_ranks; number += ranks) {
    struct file *file = &s->files[s->file_count++];
    uint32_t levels = 0;
    file->number = number;
    if (read_archive(s, number, &file->archive, &file->ends, &levels)) {
      bool agrees = s->levels == 0 || s->levels == levels;
      s->levels = levels;
      agrees = agrees || fail(s, CLEW_REPLAY_STRANGE);
      (void)agrees;
    }
  }
}

static void close_files(struct scatter *s) {
  for (uint32_t i = 0; i < s->file_count; i++) {
    struct file *file = &s->files[i];
    clew_archive_free(&file->archive);
    clew_segment_close(file->reader);
    clew_past_close(file->last);
    clew_past_close(file->next);
    clew_free(file->ends);
    clew_free(file->round);
  }
  clew_free(s->files);
}

static struct file *file_of(const struct scatter *s, uint32_t number) {
  assert(number % s->team->ranks == s->team->rank);
  return &s->files[number / s->team->ranks];
}

/* The back edge of the next id of a file. */
static bool next_record(struct scatter *s, struct file *file, struct clew_back_edge *out) {
  const struct clew_segments *segments = &s->manifest->ranks.data[file->number].segments;
  while (file->record == file->record_count) {
    if (file->reader == NULL) {
      if (file->segment == segments->len) {
        return fail(s, CLEW_REPLAY_STRANGE);
      }
      file->reader = clew_segment_open(&s->config->checkpoint->vault,
                                       &segments->data[file->segment++], s->diags);
      if (file->reader == NULL) {
        return fail(s, CLEW_REPLAY_DISK);
      }
    }
    file->record = 0;
    file->record_count = clew_segment_next(file->reader, &file->records, s->diags);
    if (file->record_count == 0) {
      bool is_read = clew_segment_is_read(file->reader);
      clew_segment_close(file->reader);
      file->reader = NULL;
      if (!is_read) {
        return fail(s, CLEW_REPLAY_DISK);
      }
    }
  }
  *out = file->records[file->record++];
  file->at++;
  return true;
}

/* ---- a round: reading and asking ---- */

static void add_made(struct scatter *s, const uint64_t *state, const struct made *made) {
  unsigned char *out = clew_post_add(&s->mades, clew_spread_owner(s->spread, state));
  memcpy(out, made, sizeof *made);
  memcpy(out + sizeof *made, state, s->words * sizeof *state);
}

static bool read_one(struct scatter *s, struct file *file) {
  struct clew_back_edge back;
  uint64_t number = file->at;
  if (!next_record(s, file, &back)) {
    return false;
  }
  if (back.parent != CLEW_ID_NONE) {
    struct ask ask = {.parent = back.parent / s->old_ranks,
                      .number = number,
                      .parent_file = (uint32_t)(back.parent % s->old_ranks),
                      .file = file->number,
                      .edge = back.edge};
    memcpy(clew_post_add(&s->asks, ask.parent_file % s->team->ranks), &ask, sizeof ask);
    return true;
  }
  if (back.edge >= s->model->initial_count || !clew_model_start(s->model, back.edge, s->state)) {
    return fail(s, CLEW_REPLAY_STRANGE);
  }
  add_made(s, s->state,
           &(struct made){
               .parent = CLEW_ID_NONE, .number = number, .file = file->number, .edge = back.edge});
  return true;
}

static void read_round(struct scatter *s) {
  for (uint32_t i = 0; i < s->file_count; i++) {
    struct file *file = &s->files[i];
    uint64_t left = is_fine(s) ? file->ends[s->level] - file->at : 0;
    file->round_first = file->at;
    file->round_count = left < s->round ? left : s->round;
    for (uint64_t k = 0; k < file->round_count && is_fine(s); k++) {
      (void)read_one(s, file);
    }
  }
}

/* ---- a round: making states ---- */

static bool make_one(struct scatter *s, const struct ask *ask) {
  struct file *file = file_of(s, ask->parent_file);
  uint64_t at = ask->parent - file->last_first;
  if (file->last == NULL || ask->parent < file->last_first ||
      ask->parent >= (s->level > 0 ? file->ends[s->level - 1] : 0) ||
      ask->edge >= s->model->edge_count) {
    return fail(s, CLEW_REPLAY_STRANGE);
  }
  const uint64_t *parent = clew_past_get(file->last, at);
  uint32_t site = CLEW_NONE;
  if (parent == NULL) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  uint64_t name = parent[s->words];
  if (!s->model->fire(s->model, parent, ask->edge, s->state, &site)) {
    return fail(s, CLEW_REPLAY_STRANGE);
  }
  add_made(
      s, s->state,
      &(struct made){.parent = name, .number = ask->number, .file = ask->file, .edge = ask->edge});
  return true;
}

static void make_round(struct scatter *s) {
  for (uint32_t from = 0; from < s->team->ranks; from++) {
    const struct clew_post_box *box = &s->asks.in[from];
    for (uint64_t i = 0; i < box->count && is_fine(s); i++) {
      struct ask ask;
      memcpy(&ask, box->data + i * sizeof ask, sizeof ask);
      (void)make_one(s, &ask);
    }
  }
}

/* ---- a round: putting ---- */

static bool keep_waiting(struct scatter *s, const uint64_t *state, clew_id id) {
  uint64_t *record = s->waiting != NULL ? clew_diskqueue_push(s->waiting) : NULL;
  if (s->waiting != NULL && record == NULL) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  if (record != NULL) {
    memcpy(record, state, s->words * sizeof *state);
    record[s->words] = id;
  }
  return true;
}

/* The store has called the state of a record new. */
static bool absorb(struct scatter *s, const unsigned char *record, clew_id id) {
  struct made made;
  memcpy(&made, record, sizeof made);
  memcpy(s->state, record + sizeof made, s->words * sizeof *s->state);
  if (id != s->absorbed) {
    return fail(s, CLEW_REPLAY_STRANGE);
  }
  if (id >= s->log_end) {
    clew_id end = CLEW_ID_LIMIT - id < LOG_STEP ? CLEW_ID_LIMIT : id + LOG_STEP;
    s->log_end = clew_log_reserve(s->config->log, id, end);
    if (s->log_end == id) {
      return fail(s, CLEW_REPLAY_DISK);
    }
  }
  clew_log_set(s->config->log, id, made.parent, made.edge);
  s->absorbed++;
  struct named named = {
      .name = clew_spread_name(s->spread, id), .number = made.number, .file = made.file};
  unsigned char *out = clew_post_add(&s->names, made.file % s->team->ranks);
  memcpy(out, &named, sizeof named);
  memcpy(out + sizeof named, s->state, s->words * sizeof *s->state);
  return s->level + 1 < s->levels || keep_waiting(s, s->state, id);
}

static uint64_t slot_of(const struct scatter *s, const void *state) {
  return clew_hash_bytes(state, s->words * sizeof(uint64_t), 5) & (s->open_room - 1);
}

static void note_open(struct scatter *s, const unsigned char *record) {
  uint64_t slot = slot_of(s, record + sizeof(struct made));
  while (s->open[slot] != NULL) {
    slot = (slot + 1) & (s->open_room - 1);
  }
  s->open[slot] = record;
  s->open_count++;
}

static bool settled_new(void *context, const struct clew_visit *visit) {
  struct scatter *s = context;
  uint64_t slot = slot_of(s, visit->state);
  size_t bytes = s->words * sizeof *visit->state;
  while (s->open[slot] != NULL &&
         memcmp(s->open[slot] + sizeof(struct made), visit->state, bytes) != 0) {
    slot = (slot + 1) & (s->open_room - 1);
  }
  s->open_count--;
  return s->open[slot] != NULL ? absorb(s, s->open[slot], visit->id) : fail(s, CLEW_REPLAY_STRANGE);
}

static uint32_t make_room(struct scatter *s, uint32_t count) {
  const struct clew_store_type *type = s->store->type;
  enum clew_room room = CLEW_ROOM;
  for (uint32_t n = count; n > 0; n /= 2) {
    room = type->reserve(s->store, n);
    if (room == CLEW_ROOM_SETTLE) {
      type->settle(s->store, false, settled_new, s);
      room = is_fine(s) ? type->reserve(s->store, n) : CLEW_ROOM_MEMORY;
    }
    if (room == CLEW_ROOM) {
      return n;
    }
  }
  (void)fail(s, room == CLEW_ROOM_DISK ? CLEW_REPLAY_DISK : CLEW_REPLAY_MEMORY);
  return 0;
}

static bool take_answer(struct scatter *s, const struct clew_visit *visit,
                        const unsigned char *record) {
  switch (visit->answer) {
  case CLEW_NEW:
    return absorb(s, record, visit->id);
  case CLEW_MAYBE:
    note_open(s, record);
    return true;
  case CLEW_FULL:
    return fail(s, CLEW_REPLAY_DISK);
  case CLEW_SEEN:
    break;
  }
  return fail(s, CLEW_REPLAY_STRANGE);
}

/* Puts records of one box, from `at` on; returns how many. */
static uint32_t put_some(struct scatter *s, const struct clew_post_box *box, uint64_t at) {
  struct clew_visit visits[BATCH];
  uint64_t *states = clew_alloc(sizeof(uint64_t) * BATCH * s->words);
  uint32_t left = box->count - at < BATCH ? (uint32_t)(box->count - at) : BATCH;
  uint32_t count = make_room(s, left);
  bool tells_ids = (s->store->promises & CLEW_STORE_BACK_EDGES) != 0;
  for (uint32_t i = 0; i < count; i++) {
    const unsigned char *record = box->data + (at + i) * s->mades.record_bytes;
    struct made made;
    uint64_t *state = states + (size_t)i * s->words;
    memcpy(&made, record, sizeof made);
    memcpy(state, record + sizeof made, s->words * sizeof *state);
    visits[i] = (struct clew_visit){.state = state,
                                    .hash = clew_hash_words(state, s->words, s->store->config.seed),
                                    .parent = made.parent,
                                    .edge = made.edge,
                                    .depth = s->level};
    s->store->type->prefetch(s->store, visits[i].hash);
  }
  if (tells_ids && count > 0) {
    clew_spread_to_ids(s->spread, visits, count);
  }
  if (count > 0) {
    s->store->type->put(s->store, count, visits);
  }
  for (uint32_t i = 0; i < count && is_fine(s); i++) {
    (void)take_answer(s, &visits[i], box->data + (at + i) * s->mades.record_bytes);
  }
  clew_free(states);
  return count;
}

static void put_round(struct scatter *s) {
  uint64_t count = 0;
  for (uint32_t from = 0; from < s->team->ranks; from++) {
    count += s->mades.in[from].count;
  }
  if ((s->store->demands & CLEW_STORE_SETTLE) != 0) {
    s->open_room = 2;
    while (s->open_room < 2 * count + 2) {
      s->open_room *= 2;
    }
    s->open = clew_alloc_zero(s->open_room, sizeof *s->open);
    s->open_count = 0;
  }
  for (uint32_t from = 0; from < s->team->ranks; from++) {
    const struct clew_post_box *box = &s->mades.in[from];
    for (uint64_t at = 0; at < box->count && is_fine(s);) {
      at += put_some(s, box, at);
    }
  }
  if (s->open != NULL && is_fine(s)) {
    s->store->type->settle(s->store, true, settled_new, s);
    if (is_fine(s)) {
      (void)make_room(s, 1); /* did something fail? */
    }
    if (is_fine(s) && s->open_count != 0) {
      (void)fail(s, CLEW_REPLAY_STRANGE);
    }
  }
  clew_free(s->open);
  s->open = NULL;
}

/* ---- a round: names ---- */

static void take_names(struct scatter *s) {
  uint32_t row = s->words + 1;
  for (uint32_t from = 0; from < s->team->ranks; from++) {
    const struct clew_post_box *box = &s->names.in[from];
    for (uint64_t i = 0; i < box->count; i++) {
      const unsigned char *record = box->data + i * s->names.record_bytes;
      struct named named;
      memcpy(&named, record, sizeof named);
      struct file *file = file_of(s, named.file);
      uint64_t at = named.number - file->round_first;
      assert(at < file->round_count);
      memcpy(file->round + at * row, record + sizeof named, s->words * sizeof(uint64_t));
      file->round[at * row + s->words] = named.name;
    }
  }
  for (uint32_t i = 0; i < s->file_count; i++) {
    struct file *file = &s->files[i];
    for (uint64_t k = 0; k < file->round_count && is_fine(s); k++) {
      if (!clew_past_push(file->next, file->round + k * row)) {
        (void)fail(s, CLEW_REPLAY_DISK);
      }
    }
  }
}

/* ---- rounds and levels ---- */

/* What went wrong on some rank went wrong on all. False: the restoring ends. */
static bool agree(struct scatter *s, bool has_more, bool *anybody_has_more) {
  if (is_fine(s) && s->config->stop != NULL && atomic_load(s->config->stop)) {
    (void)fail(s, CLEW_REPLAY_STOPPED);
  }
  uint64_t values[] = {(uint64_t)s->fate, has_more};
  if (!clew_team_reduce(s->team, CLEW_REDUCE_MAX, values, 2)) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  s->fate = (enum clew_replayed)values[0];
  *anybody_has_more = values[1] != 0;
  return is_fine(s);
}

static bool do_round(struct scatter *s, bool *more) {
  read_round(s);
  if (!clew_post_exchange(&s->asks, s->team)) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  make_round(s);
  if (!clew_post_exchange(&s->mades, s->team)) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  put_round(s);
  if (!clew_post_exchange(&s->names, s->team)) {
    return fail(s, CLEW_REPLAY_DISK);
  }
  bool has_more = false;
  if (is_fine(s)) {
    take_names(s);
  }
  for (uint32_t i = 0; i < s->file_count && is_fine(s); i++) {
    has_more |= s->files[i].at < s->files[i].ends[s->level];
  }
  return agree(s, has_more, more);
}

static bool do_level(struct scatter *s) {
  bool more = true;
  for (uint32_t i = 0; i < s->file_count; i++) {
    s->files[i].next = clew_past_open(s->words + 1, s->config->budget, s->config->scratch);
  }
  while (more && do_round(s, &more)) {
  }
  for (uint32_t i = 0; i < s->file_count; i++) {
    struct file *file = &s->files[i];
    clew_past_close(file->last);
    file->last = file->next;
    file->last_first = is_fine(s) && s->level > 0 ? file->ends[s->level - 1] : 0;
    file->next = NULL;
  }
  return is_fine(s);
}

/* ---- the whole ---- */

static void open_waiting(struct scatter *s) {
  if ((s->store->promises & CLEW_STORE_GET) == 0) {
    s->waiting = clew_diskqueue_open(&(struct clew_diskqueue_config){
        .name = "resumed-frontier",
        .record_bytes = (s->words + 1) * (uint32_t)sizeof(uint64_t),
        .memory_bytes = s->config->budget->limit_bytes / WAITING_SHARE,
        .budget = s->config->budget,
        .scratch = s->config->scratch,
    });
    if (s->waiting == NULL) {
      (void)fail(s, CLEW_REPLAY_MEMORY);
    }
  }
}

/* Messages go out and come in, and boxes have room for half as many more; then there are the row of
 * the file and places of open states. */
static uint64_t bytes_of_record(const struct scatter *s) {
  uint64_t row = s->words * sizeof(uint64_t);
  uint64_t messages = sizeof(struct ask) + sizeof(struct made) + sizeof(struct named) + 2 * row;
  return 3 * messages + row + sizeof(uint64_t) + 4 * sizeof *s->open;
}

/* The records of a round, of all files together. */
static uint64_t take_round(struct scatter *s) {
  struct clew_budget *budget = s->config->budget;
  bool settles = (s->store->demands & CLEW_STORE_SETTLE) != 0;
  uint64_t each = bytes_of_record(s);
  uint64_t round = budget->limit_bytes / (settles ? SETTLED_SHARE : ROUND_SHARE) / each;
  round = round < MOST_ROUND ? round : MOST_ROUND;
  while (round > LEAST_ROUND && !clew_budget_take(budget, round * each)) {
    round /= 2;
  }
  s->round_bytes = round > LEAST_ROUND ? round * each : 0;
  return round;
}

static void open_rounds(struct scatter *s) {
  uint64_t round = take_round(s) / (s->file_count > 0 ? s->file_count : 1);
  s->round = round > LEAST_ROUND ? round : LEAST_ROUND;
  for (uint32_t i = 0; i < s->file_count; i++) {
    s->files[i].round = clew_alloc(sizeof(uint64_t) * s->round * (s->words + 1));
  }
  uint32_t state_bytes = s->words * (uint32_t)sizeof(uint64_t);
  clew_post_open(&s->asks, s->team, sizeof(struct ask));
  clew_post_open(&s->mades, s->team, (uint32_t)sizeof(struct made) + state_bytes);
  clew_post_open(&s->names, s->team, (uint32_t)sizeof(struct named) + state_bytes);
}

/* The archive of this rank's run. A rank that has no file goes on from that of the first, without
 * its counts. */
static void hand_over(struct scatter *s, struct clew_cut *cut) {
  struct clew_spread *spread = s->spread;
  spread->borrows = s->file_count == 0;
  for (uint32_t i = 0; i < s->file_count; i++) {
    struct clew_archive archive = s->files[i].archive;
    s->files[i].archive = (struct clew_archive){0};
    if (i == 0) {
      cut->archive = archive;
    } else {
      clew_vec_push(&spread->more, archive);
    }
  }
  if (spread->borrows) {
    uint64_t *ends = NULL;
    uint32_t levels = 0;
    (void)read_archive(s, 0, &cut->archive, &ends, &levels);
    clew_free(ends);
  }
  size_t bytes = s->levels * sizeof *s->own_ends;
  if (is_fine(s)) { /* it was read up to there */
    memcpy(cut->archive.data.data + cut->archive.at - bytes, s->own_ends, bytes);
  }
}

enum clew_replayed clew_scatter_restore(const struct clew_scatter_config *config,
                                        struct clew_cut *cut, struct clew_diskqueue **waiting,
                                        struct clew_diag_sink *diags) {
  struct scatter s = {.config = config,
                      .spread = config->spread,
                      .team = config->spread->team,
                      .manifest = &config->checkpoint->manifest,
                      .model = config->model,
                      .store = config->store,
                      .diags = diags,
                      .words = config->model->words,
                      .state = clew_alloc(config->model->words * sizeof(uint64_t))};
  bool more = false;
  uint64_t levels = 0, waiting_from = 0;
  assert(config->store->type->count(config->store) == 0);
  config->model->expect_fire(config->model);
  open_files(&s);
  open_waiting(&s);
  levels = s.levels;
  bool going = agree(&s, false, &more) && clew_team_reduce(s.team, CLEW_REDUCE_MAX, &levels, 1);
  if (going && s.file_count > 0 && s.levels != levels) {
    (void)fail(&s, CLEW_REPLAY_STRANGE);
  }
  s.levels = (uint32_t)levels;
  s.own_ends = clew_alloc((levels + 1) * sizeof *s.own_ends);
  open_rounds(&s);
  going = going && agree(&s, false, &more);
  for (; going && s.level < s.levels; s.level++) {
    waiting_from = s.absorbed;
    going = do_level(&s);
    s.own_ends[s.level] = s.absorbed;
  }
  if (going) {
    *cut = (struct clew_cut){.states = s.absorbed, .waiting_from = waiting_from, .by_level = true};
    hand_over(&s, cut);
    (void)agree(&s, false, &more);
  }
  *waiting = s.fate == CLEW_REPLAYED ? s.waiting : NULL;
  if (*waiting == NULL) {
    clew_diskqueue_close(s.waiting);
  }
  clew_post_close(&s.asks, s.team);
  clew_post_close(&s.mades, s.team);
  clew_post_close(&s.names, s.team);
  close_files(&s);
  clew_budget_give(config->budget, s.round_bytes);
  clew_free(s.state);
  clew_free(s.own_ends);
  clew_team_begin(s.team);
  return s.fate;
}
