/* The automatic store: when the memory is used up, the search goes on with a store that takes less.
 *
 * The search is cut, the states move from one store to the other, and another run of the engine
 * goes on from the cut. A store that can be retired gives its states, and its memory while they
 * leave it. The states of any other store are made again from the back-edge log
 * (checkpoint/replay.h), and so are they when anything goes wrong in between: the log has them all.
 *
 * The next store is the first of those that keep all states whose bytes, estimated on a sample, fit
 * for the number of states that is to be expected, and at least for twice those that there are: so
 * there is at most one conversion for each doubling. The last one is the disk. */
#ifndef CLEW_CLI_CONVERT_H
#define CLEW_CLI_CONVERT_H

#include "cli/session.h"

/* Takes over a cut that the search may have to go on from; its archive is empty then. */
void clew_convert_remember(struct clew_session *session, struct clew_cut *cut);
/* After a search. True: it ended because the memory was used up, and everything is ready for it to
 * go on with another store. False: the result stands. */
bool clew_convert(struct clew_session *session, struct clew_result *result);
/* The same where this is one of several processes: all of them go on, or none. */
bool clew_convert_together(struct clew_session *session, struct clew_result *result);
/* The states of a checkpoint, so many, do not fit: opens a store in which they do, empty as the log
 * is then. False: there is none. */
bool clew_convert_resumed(struct clew_session *session, uint64_t states);
/* Before another exploration, which begins as every one does. */
void clew_convert_reset(struct clew_session *session);
/* Adds what came before to the result. */
void clew_convert_finish(struct clew_session *session, struct clew_result *result);

#endif
