/* Writing and reading checkpoints. */
#include "checkpoint/checkpoint_int.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

enum { NAME_BYTES = 40 };

/* ---- opening ---- */

enum clew_status clew_checkpoint_create(struct clew_checkpoint *c, const char *path,
                                        struct clew_diag_sink *diags) {
  *c = (struct clew_checkpoint){0};
  enum clew_status status = clew_vault_open(&c->vault, path, true, diags);
  if (status == CLEW_OK && (clew_vault_has(&c->vault, CLEW_MANIFEST) ||
                            clew_vault_has(&c->vault, CLEW_MANIFEST_BEFORE))) {
    clew_diag_plain(diags, CLEW_ERROR, path,
                    "has a checkpoint: go on with it by 'clew resume', or remove the directory");
    status = CLEW_IO_FAILED;
  }
  return status;
}

void clew_checkpoint_close(struct clew_checkpoint *c) {
  clew_manifest_free(&c->manifest);
  clew_vault_close(&c->vault);
}

static enum clew_status check_segments(const struct clew_checkpoint *c,
                                       const struct clew_segments *segments,
                                       struct clew_diag_sink *diags) {
  for (uint32_t i = 0; i < segments->len; i++) {
    struct clew_segment_reader *reader = clew_segment_open(&c->vault, &segments->data[i], diags);
    clew_segment_close(reader);
    if (reader == NULL) {
      return CLEW_BAD_INPUT;
    }
  }
  return CLEW_OK;
}

/* Whether all files are there and what they were. Blocks are checked when they are read; that of
 * the log, of which there may be much, only by their headers' file and length here. */
static enum clew_status check_files(const struct clew_checkpoint *c, struct clew_diag_sink *diags) {
  const struct clew_manifest *m = &c->manifest;
  struct clew_text text = {0};
  enum clew_status status = clew_sealed_read(&c->vault, &m->archive, &text, diags);
  if (status == CLEW_OK && m->answer.name != NULL) {
    status = clew_sealed_read(&c->vault, &m->answer, &text, diags);
  }
  clew_text_free(&text);
  status = status == CLEW_OK ? check_segments(c, &m->segments, diags) : status;
  for (uint32_t i = 0; i < m->ranks.len && status == CLEW_OK; i++) {
    struct clew_text archive = {0};
    status = clew_sealed_read(&c->vault, &m->ranks.data[i].archive, &archive, diags);
    status = status == CLEW_OK ? check_segments(c, &m->ranks.data[i].segments, diags) : status;
    clew_text_free(&archive);
  }
  return status;
}

static enum clew_status try_manifest(struct clew_checkpoint *c, const char *name,
                                     struct clew_diag_sink *diags) {
  enum clew_status status = clew_manifest_read(&c->vault, name, &c->manifest, diags);
  if (status == CLEW_OK) {
    status = check_files(c, diags);
  }
  if (status != CLEW_OK) {
    clew_manifest_free(&c->manifest);
  }
  return status;
}

enum clew_status clew_checkpoint_open(struct clew_checkpoint *c, const char *path,
                                      struct clew_diag_sink *diags) {
  *c = (struct clew_checkpoint){0};
  enum clew_status status = clew_vault_open(&c->vault, path, false, diags);
  if (status != CLEW_OK) {
    return status;
  }
  bool has_last = clew_vault_has(&c->vault, CLEW_MANIFEST);
  bool has_before = clew_vault_has(&c->vault, CLEW_MANIFEST_BEFORE);
  if (!has_last && !has_before) {
    clew_diag_plain(diags, CLEW_ERROR, path, "has no checkpoint");
    return CLEW_BAD_INPUT;
  }
  struct clew_diag_sink why = {0};
  status = has_last ? try_manifest(c, CLEW_MANIFEST, has_before ? &why : diags) : CLEW_BAD_INPUT;
  if (status != CLEW_OK && has_before) {
    status = try_manifest(c, CLEW_MANIFEST_BEFORE, diags);
    if (status == CLEW_OK && has_last) {
      /* Else it would be kept as the one before, in place of this. */
      (void)(clew_vault_remove(&c->vault, CLEW_MANIFEST) && clew_vault_settle(&c->vault));
      clew_diag_plain(diags, CLEW_WARNING, path,
                      "the last checkpoint is damaged (%s); going on from the one before",
                      why.len > 0 ? why.data[0].message : "no reason is known");
    }
  }
  clew_diag_sink_free(&why);
  c->has_cut = status == CLEW_OK;
  return status;
}

enum clew_status clew_checkpoint_look(struct clew_checkpoint *c, const char *path,
                                      struct clew_diag_sink *diags) {
  *c = (struct clew_checkpoint){0};
  enum clew_status status = clew_vault_look(&c->vault, path, diags);
  /* While the manifest is replaced, or where that was interrupted, there is only the one before. */
  bool has_last = status == CLEW_OK && clew_vault_has(&c->vault, CLEW_MANIFEST);
  bool has_before = status == CLEW_OK && clew_vault_has(&c->vault, CLEW_MANIFEST_BEFORE);
  if (status == CLEW_OK && !has_last && !has_before) {
    clew_diag_plain(diags, CLEW_ERROR, path, "has no checkpoint");
    status = CLEW_BAD_INPUT;
  }
  if (status == CLEW_OK) {
    status = try_manifest(c, has_last ? CLEW_MANIFEST : CLEW_MANIFEST_BEFORE, diags);
  }
  c->has_cut = status == CLEW_OK;
  return status;
}

/* ---- writing ---- */

bool clew_checkpoint_complain(struct clew_checkpoint *c, struct clew_diag_sink *diags) {
  int error = errno;
  if (!c->complained) {
    c->complained = true;
    clew_diag_plain(diags, CLEW_WARNING, c->vault.path, "a checkpoint cannot be written: %s%s",
                    strerror(error), c->has_cut ? " (the one before is kept)" : "");
  }
  return false;
}

struct needed {
  const struct clew_manifest *now, *before;
};

static bool is_needed(const void *context, const char *name) {
  const struct needed *needed = context;
  return strcmp(name, CLEW_MANIFEST) == 0 || strcmp(name, CLEW_MANIFEST_BEFORE) == 0 ||
         clew_manifest_names(needed->now, name) || clew_manifest_names(needed->before, name);
}

/* Puts the manifest in place, which becomes the present one, and removes what none needs. */
bool clew_checkpoint_replace(struct clew_checkpoint *c, struct clew_manifest *next) {
  if (!clew_manifest_write(&c->vault, next)) {
    return false;
  }
  clew_vault_sweep(&c->vault, is_needed, &(struct needed){next, &c->manifest});
  clew_manifest_free(&c->manifest);
  c->manifest = *next;
  c->has_cut = true;
  return true;
}

static bool add_segment(struct clew_checkpoint *c, struct clew_manifest *next, struct clew_log *log,
                        uint64_t states) {
  char name[NAME_BYTES];
  struct clew_segment segment = {.first = next->states, .count = states - next->states};
  snprintf(name, sizeof name, "log.%06" PRIu64, next->generation);
  if (!clew_segment_write(&c->vault, name, log, segment.first, segment.count, &segment.bytes)) {
    return false;
  }
  segment.name = clew_strdup(name);
  clew_vec_push(&next->segments, segment);
  next->states = states;
  c->bytes += segment.bytes;
  return true;
}

bool clew_checkpoint_keep(struct clew_checkpoint *c, struct clew_log *log,
                          const struct clew_cut *cut, struct clew_diag_sink *diags) {
  double started_s = clew_clock_wall_s();
  struct clew_manifest next;
  char name[NAME_BYTES];
  clew_manifest_copy(&c->manifest, &next);
  next.generation++;
  next.waiting_from = cut->waiting_from;
  next.by_level = cut->by_level;
  snprintf(name, sizeof name, "cut.%06" PRIu64, next.generation);
  assert(cut->states >= next.states);
  bool ok = (cut->states == next.states || add_segment(c, &next, log, cut->states)) &&
            clew_packed_write(&c->vault, name, cut->archive.data.data, cut->archive.data.len,
                              &next.archive);
  c->bytes += ok ? next.archive.bytes : 0;
  ok = ok && clew_checkpoint_replace(c, &next);
  if (!ok) {
    clew_checkpoint_complain(c, diags);
    clew_manifest_free(&next);
  }
  c->spent_s += clew_clock_wall_s() - started_s;
  return ok;
}

bool clew_checkpoint_finish(struct clew_checkpoint *c, struct clew_log *log, uint64_t states,
                            const struct clew_cut *end, const struct clew_text *answer,
                            struct clew_diag_sink *diags) {
  struct clew_manifest next;
  char name[NAME_BYTES];
  clew_manifest_copy(&c->manifest, &next);
  next.generation++;
  snprintf(name, sizeof name, "answer.%06" PRIu64, next.generation);
  bool ok = log == NULL || states <= next.states || add_segment(c, &next, log, states);
  ok = ok && clew_sealed_write(&c->vault, name, answer->data, answer->len, &next.answer);
  /* A cut from before the end has fewer states than the log now. */
  bool has_end = end != NULL && end->states == next.states && end->waiting == NULL;
  next.waiting_from = has_end ? end->waiting_from : CLEW_ID_NONE;
  next.by_level = has_end && end->by_level;
  snprintf(name, sizeof name, "cut.%06" PRIu64, next.generation);
  ok = ok && clew_packed_write(&c->vault, name, has_end ? (const void *)end->archive.data.data : "",
                               has_end ? end->archive.data.len : 0, &next.archive);
  ok = ok && clew_checkpoint_replace(c, &next);
  if (!ok) {
    clew_checkpoint_complain(c, diags);
    clew_manifest_free(&next);
  }
  return ok;
}

/* ---- reading ---- */

enum clew_status clew_checkpoint_read_cut(const struct clew_checkpoint *c, struct clew_cut *cut,
                                          struct clew_diag_sink *diags) {
  const struct clew_manifest *m = &c->manifest;
  *cut = (struct clew_cut){.states = m->states,
                           .waiting_from = m->waiting_from,
                           .by_level = m->by_level,
                           .is_foreign = true};
  enum clew_status status = clew_packed_read(&c->vault, &m->archive, &cut->archive, diags);
  bool may_be_empty = m->answer.name != NULL;
  if (status == CLEW_OK && cut->archive.data.len == 0 && !may_be_empty) {
    clew_diag_plain(diags, CLEW_ERROR, c->vault.path, "%s is damaged", m->archive.name);
    status = CLEW_BAD_INPUT;
  }
  return status;
}

static enum clew_replayed replay_segment(const struct clew_checkpoint *c,
                                         const struct clew_segment *segment,
                                         struct clew_replay *replay, struct clew_diag_sink *diags) {
  struct clew_segment_reader *reader = clew_segment_open(&c->vault, segment, diags);
  const struct clew_back_edge *records;
  enum clew_replayed fate = reader != NULL ? CLEW_REPLAYED : CLEW_REPLAY_DISK;
  uint32_t count;
  while (fate == CLEW_REPLAYED && (count = clew_segment_next(reader, &records, diags)) > 0) {
    fate = clew_replay_add(replay, records, count);
  }
  if (fate == CLEW_REPLAYED && !clew_segment_is_read(reader)) {
    fate = CLEW_REPLAY_DISK;
  }
  clew_segment_close(reader);
  return fate;
}

enum clew_replayed clew_checkpoint_replay(const struct clew_checkpoint *c,
                                          const struct clew_replay_config *config,
                                          struct clew_diskqueue **waiting,
                                          struct clew_diag_sink *diags) {
  const struct clew_manifest *m = &c->manifest;
  struct clew_replay_config own = *config;
  own.waiting_from = m->waiting_from;
  own.by_level = m->by_level;
  struct clew_replay *replay = clew_replay_open(&own);
  enum clew_replayed fate = CLEW_REPLAYED;
  for (uint32_t i = 0; i < m->segments.len && fate == CLEW_REPLAYED; i++) {
    fate = replay_segment(c, &m->segments.data[i], replay, diags);
  }
  if (fate == CLEW_REPLAYED) {
    fate = clew_replay_finish(replay);
  }
  *waiting = fate == CLEW_REPLAYED ? clew_replay_take_waiting(replay) : NULL;
  clew_replay_close(replay);
  return fate;
}
