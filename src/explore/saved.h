/* The states of a search that a checkpoint has kept, also one that is still running: by their ids,
 * and by what is true in them. Nothing is loaded as a whole: the log on disk has a back edge for
 * each state, blocks of it are read when they are needed, and a state is computed again from its
 * path. */
#ifndef CLEW_EXPLORE_SAVED_H
#define CLEW_EXPLORE_SAVED_H

#include "checkpoint/checkpoint.h"
#include "model/model.h"
#include "trace/trace.h"

struct clew_saved;

/* `model` is that of the search, with its reductions; it is borrowed. NULL and a message when the
 * directory has no checkpoint, it is damaged, or it belongs to another model. */
struct clew_saved *clew_saved_open(const char *directory, const struct clew_model *model,
                                   struct clew_diag_sink *diags);
void clew_saved_close(struct clew_saved *saved);
uint64_t clew_saved_states(const struct clew_saved *saved);

/* The path to a state, as one of the lowest model; free it. BAD_INPUT and a message when there is
 * no such state or the log is damaged. */
enum clew_status clew_saved_path(struct clew_saved *saved, clew_id id, struct clew_trace *trace,
                                 struct clew_diag_sink *diags);

/* Going through all states in the order of ids, a little at a time. */
struct clew_scan;

enum clew_scan_end {
  CLEW_SCAN_FOUND,
  CLEW_SCAN_MORE, /* time is up for now */
  CLEW_SCAN_END,  /* there are no more states */
  CLEW_SCAN_FAILED,
};

/* `question` is a model with the same states and edges as that of the search, in which `label` has
 * the value `wants` where the answer is yes. It is borrowed. NULL and a message when it has other
 * ones. */
struct clew_scan *clew_scan_open(struct clew_saved *saved, const struct clew_model *question,
                                 uint32_t label, bool wants, struct clew_diag_sink *diags);
void clew_scan_close(struct clew_scan *scan);
/* The next state from where it was that fits, for at most so long. */
enum clew_scan_end clew_scan_next(struct clew_scan *scan, double seconds, clew_id *found,
                                  struct clew_diag_sink *diags);
uint64_t clew_scan_done(const struct clew_scan *scan); /* states looked at */

#endif
