/* Checkpoints of a session: what is kept of it, and going on from there. */
#ifndef CLEW_CLI_KEEP_H
#define CLEW_CLI_KEEP_H

#include "cli/session.h"

/* After everything else is open: makes the checkpoint that the command line asks for, or checks
 * that the one to go on from is of this model and fills the store from it. CLEW_EXIT_OK, or the
 * exit code after the user has been told what is wrong. */
enum clew_exit clew_keep_open(struct clew_session *session);
/* After the search: the exit code of one that can be resumed, or the answer for those who ask
 * again. */
void clew_keep_conclude(struct clew_session *session);
/* The words of the command line that a checkpoint was made by, with what `resume` was given in
 * addition; for clew_options_parse. Free each word and the array. */
char **clew_keep_command(const struct clew_manifest *manifest, const struct clew_options *options,
                         int *argc);
/* Prints the answer of a search that has ended, and writes the outputs that are asked for. */
enum clew_exit clew_keep_answer(const struct clew_checkpoint *checkpoint,
                                const struct clew_options *options);

/* `check` or `stats`, from the beginning or from a checkpoint, which is taken over (check.c). */
enum clew_exit clew_check_from(const struct clew_options *options, struct clew_checkpoint *from);

#endif
