/* Checkpoints of a search over several ranks: written by all of them, read by as many others.
 *
 * Each rank writes the part of the log that it has, and what its run has counted; then the first
 * one replaces the manifest. A search that goes on may have another number of ranks, so states get
 * other owners, ids and names. The log is read level by level:
 *
 *   read     somebody reads the back edges of an old rank: (name of the parent, edge)
 *   ask      who has read the file of the parent knows its state, and what it is called now
 *   make     that one executes the edge, and sends the state to its owner
 *   name     the owner puts it into its store, and tells the reader what it is called now
 *
 * Parents are always of the level before, so nobody keeps more than two levels of states. */
#ifndef CLEW_CHECKPOINT_SCATTER_H
#define CLEW_CHECKPOINT_SCATTER_H

#include "checkpoint/checkpoint.h"
#include "search/spread.h"
#include "trace/past.h"

/* All ranks together: keeps a cut, of which each has its own part. The directory is the same for
 * all. False on all of them, and a message, when one fails. */
bool clew_scatter_keep(struct clew_checkpoint *checkpoint, struct clew_team *team,
                       struct clew_log *log, const struct clew_cut *cut,
                       struct clew_diag_sink *diags);

struct clew_scatter_config {
  const struct clew_checkpoint *checkpoint;
  struct clew_spread *spread; /* gets the archives of old ranks that this one goes on for */
  const struct clew_model *model;
  struct clew_store *store; /* empty, as the log is */
  struct clew_log *log;
  struct clew_budget *budget;
  struct clew_scratch *scratch;
  const atomic_bool *stop;
};

/* All ranks together: fills store and log of each, and says where its run goes on. The answer is
 * the same on all. `waiting` as in clew_checkpoint_replay. */
enum clew_replayed clew_scatter_restore(const struct clew_scatter_config *config,
                                        struct clew_cut *cut, struct clew_diskqueue **waiting,
                                        struct clew_diag_sink *diags);

struct clew_remake_config {
  const struct clew_spread *spread;
  const struct clew_model *model; /* without a dialect */
  struct clew_log *log;
  const struct clew_cut *cut; /* of this rank */
  struct clew_budget *budget;
  struct clew_scratch *scratch;
  const atomic_bool *stop;
};

/* All ranks together: makes the states of a search that was cut once more, each rank its own, in
 * the order of ids. The answer is the same on all; the caller owns `states`, which are NULL unless
 * it is REPLAYED. */
enum clew_replayed clew_scatter_remake(const struct clew_remake_config *config,
                                       struct clew_past **states);

#endif
