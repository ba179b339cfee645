/* Writing the checkpoint of several ranks. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "checkpoint/checkpoint_int.h"
#include "checkpoint/scatter.h"

enum { NAME_BYTES = 40 };

/* What a rank has written, for all to know: words only. */
struct entry {
  uint64_t ok;
  uint64_t first, count, bytes; /* of the segment */
  uint64_t archive_bytes;
  char sum[40]; /* of the archive */
};
_Static_assert(sizeof(struct entry) % sizeof(uint64_t) == 0, "is added up by words");

static void put_name(char out[NAME_BYTES], const char *kind, uint64_t generation, uint32_t rank) {
  snprintf(out, NAME_BYTES, "%s.%06" PRIu64 ".%04u", kind, generation, rank);
}

/* Writes this rank's files. */
static void write_own(struct clew_checkpoint *c, const struct clew_manifest *next, uint32_t rank,
                      struct clew_log *log, const struct clew_cut *cut, struct entry *entry) {
  char name[NAME_BYTES];
  struct clew_sealed archive = {0};
  *entry = (struct entry){.first = next->ranks.data[rank].states};
  assert(cut->states >= entry->first);
  entry->count = cut->states - entry->first;
  put_name(name, "log", next->generation, rank);
  bool ok = entry->count == 0 ||
            clew_segment_write(&c->vault, name, log, entry->first, entry->count, &entry->bytes);
  put_name(name, "cut", next->generation, rank);
  ok = ok &&
       clew_packed_write(&c->vault, name, cut->archive.data.data, cut->archive.data.len, &archive);
  entry->ok = ok;
  entry->archive_bytes = archive.bytes;
  memcpy(entry->sum, archive.sum, sizeof archive.sum);
  clew_free(archive.name);
}

/* The files of all ranks become part of the manifest. False: one of them is not there. */
static bool add_files(struct clew_manifest *next, const struct entry *entries) {
  char name[NAME_BYTES];
  for (uint32_t i = 0; i < next->ranks.len; i++) {
    const struct entry *entry = &entries[i];
    struct clew_rank_files *files = &next->ranks.data[i];
    if (entry->ok == 0) {
      return false;
    }
    if (entry->count > 0) {
      put_name(name, "log", next->generation, i);
      struct clew_segment segment = {clew_strdup(name), entry->first, entry->count, entry->bytes};
      clew_vec_push(&files->segments, segment);
      files->states = entry->first + entry->count;
    }
    put_name(name, "cut", next->generation, i);
    clew_free(files->archive.name);
    files->archive.name = clew_strdup(name);
    files->archive.bytes = entry->archive_bytes;
    memcpy(files->archive.sum, entry->sum, sizeof files->archive.sum);
  }
  clew_free(next->archive.name);
  next->archive = next->ranks.data[0].archive;
  next->archive.name = clew_strdup(next->archive.name);
  return true;
}

/* The first rank puts the manifest in place; the others know it by heart. */
static bool put_in_place(struct clew_checkpoint *c, struct clew_team *team,
                         struct clew_manifest *next) {
  bool ok = team->rank != 0 || clew_checkpoint_replace(c, next);
  if (!clew_team_all(team, ok)) {
    if (team->rank == 0 && ok) {
      *next = (struct clew_manifest){0}; /* it is the present one */
    }
    return false;
  }
  if (team->rank != 0) {
    clew_manifest_free(&c->manifest);
    c->manifest = *next;
    c->has_cut = true;
  }
  c->continues = true;
  return true;
}

bool clew_scatter_keep(struct clew_checkpoint *c, struct clew_team *team, struct clew_log *log,
                       const struct clew_cut *cut, struct clew_diag_sink *diags) {
  double started_s = clew_clock_wall_s();
  struct clew_manifest next;
  clew_manifest_copy(&c->manifest, &next);
  next.generation++;
  next.by_level = true;
  next.waiting_from = CLEW_ID_NONE;
  if (!c->continues) {
    clew_manifest_reset_ranks(&next, team->ranks);
  }
  uint32_t words = (uint32_t)(sizeof(struct entry) / sizeof(uint64_t)) * team->ranks;
  struct entry *entries = clew_alloc_zero(team->ranks, sizeof *entries);
  write_own(c, &next, team->rank, log, cut, &entries[team->rank]);
  int error = errno;
  c->bytes += entries[team->rank].bytes + entries[team->rank].archive_bytes;
  bool ok = clew_team_reduce(team, CLEW_REDUCE_OR, (uint64_t *)entries, words) &&
            add_files(&next, entries) && put_in_place(c, team, &next);
  if (!ok) {
    errno = error != 0 ? error : EIO;
    clew_checkpoint_complain(c, diags);
    clew_manifest_free(&next);
  }
  clew_free(entries);
  c->spent_s += clew_clock_wall_s() - started_s;
  return ok;
}
