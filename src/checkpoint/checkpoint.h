/* Checkpoints: a search on disk, from which it goes on after whatever happened.
 *
 * A checkpoint is the back-edge log in segments that never change, what the engine wrote down last,
 * and a manifest that names them and is replaced last (vault.h says how). The one before stays
 * until the next is in place. */
#ifndef CLEW_CHECKPOINT_CHECKPOINT_H
#define CLEW_CHECKPOINT_CHECKPOINT_H

#include "checkpoint/manifest.h"
#include "checkpoint/replay.h"
#include "search/engine.h"

struct clew_checkpoint {
  struct clew_vault vault;
  struct clew_manifest
      manifest;    /* as it is on disk; its facts are filled in before the first cut */
  bool has_cut;    /* there is something to go on from */
  bool complained; /* that it cannot be written */
  bool continues;  /* of several ranks: the segments are of the present numbering of states */
  uint64_t bytes;  /* written by this process */
  double spent_s;  /* on cuts */
};

/* A new one. IO_FAILED and a message when the directory cannot be used, or has a checkpoint that
 * may still be wanted. */
enum clew_status clew_checkpoint_create(struct clew_checkpoint *checkpoint, const char *path,
                                        struct clew_diag_sink *diags);
/* One that is there, as it was written last; or before that, if that is damaged: a warning says so.
 */
enum clew_status clew_checkpoint_open(struct clew_checkpoint *checkpoint, const char *path,
                                      struct clew_diag_sink *diags);
/* To look at only: nothing of the directory is changed, and another process may go on writing to
 * it. What is seen is what was written last at this moment. */
enum clew_status clew_checkpoint_look(struct clew_checkpoint *checkpoint, const char *path,
                                      struct clew_diag_sink *diags);
void clew_checkpoint_close(struct clew_checkpoint *checkpoint);

/* Writes a cut of a search whose log this is. False and a message, once, when that fails; the one
 * before is still good. */
bool clew_checkpoint_keep(struct clew_checkpoint *checkpoint, struct clew_log *log,
                          const struct clew_cut *cut, struct clew_diag_sink *diags);
/* The search has ended with so many states, all of them in its log (NULL: there is none to keep);
 * `answer` is what resuming it tells. The log is kept whole, so that the states can be looked at;
 * `end`, with all of them, is where others can go on that ask more (NULL: there is none). */
bool clew_checkpoint_finish(struct clew_checkpoint *checkpoint, struct clew_log *log,
                            uint64_t states, const struct clew_cut *end,
                            const struct clew_text *answer, struct clew_diag_sink *diags);

/* What the engine wrote down; free the archive. It is empty when the search has ended where none
 * can go on. */
enum clew_status clew_checkpoint_read_cut(const struct clew_checkpoint *checkpoint,
                                          struct clew_cut *cut, struct clew_diag_sink *diags);
/* Replays the whole log; the configuration's `waiting_from` and `by_level` come from the manifest.
 */
enum clew_replayed clew_checkpoint_replay(const struct clew_checkpoint *checkpoint,
                                          const struct clew_replay_config *config,
                                          struct clew_diskqueue **waiting,
                                          struct clew_diag_sink *diags);

#endif
