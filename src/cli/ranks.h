/* clew as one of several processes that mpirun has started: who the others are, and that all of
 * them are about the same search.
 *
 * Rank 0 speaks. The others print nothing, unless one of them alone has something to say. */
#ifndef CLEW_CLI_RANKS_H
#define CLEW_CLI_RANKS_H

#include "base/status.h"
#include "cli/options.h"
#include "cluster/team.h"
#include "model/model.h"

/* Finds out whether a launcher has started several processes, and joins them if the command is one
 * for them. CLEW_EXIT_OK, or the exit code after the user has been told what is wrong. *leaves: it
 * is a command for one process, and this is not the first. */
enum clew_exit clew_ranks_open(const struct clew_options *options, bool *leaves);
/* Before that: whether another process will say the same. */
bool clew_ranks_follows(void);
/* The exit code of this process: that of the search if it is the first. */
enum clew_exit clew_ranks_close(enum clew_exit exit);
/* NULL: there is only this process. */
struct clew_team *clew_ranks_team(void);
/* As if this process had been started as the only rank. */
struct clew_team *clew_ranks_alone(void);
/* Whether this process writes what the user reads. */
bool clew_ranks_speaks(void);
/* From now on: how long others may take to answer, and the flag that says that there is no time. */
void clew_ranks_wait(double patience_s, const atomic_bool *hurry);
/* Whether everybody has come so far; if not, the exit code of one who has not, who tells why. */
enum clew_exit clew_ranks_agree(enum clew_exit exit);
/* Whether all have the same program, the same model and the same options. */
enum clew_exit clew_ranks_compare(const struct clew_options *options,
                                  const struct clew_model *model);

#endif
