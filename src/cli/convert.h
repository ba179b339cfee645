/* The automatic store: when the memory is used up, the search goes on with a store that takes less.
 *
 * The states need not be moved: the back-edge log has them all (checkpoint/replay.h). The old store
 * is closed before the new one is opened, so that there are never two of them. */
#ifndef CLEW_CLI_CONVERT_H
#define CLEW_CLI_CONVERT_H

#include "cli/session.h"

/* Copies a cut that the search may have to go on from. */
void clew_convert_remember(struct clew_session *session, const struct clew_cut *cut);
/* After a search. True: it ended because the memory was used up, and everything is ready for it to
 * go on with another store. False: the result stands. */
bool clew_convert(struct clew_session *session, struct clew_result *result);
/* Before another exploration, which begins as every one does. */
void clew_convert_reset(struct clew_session *session);
/* Adds what came before to the result. */
void clew_convert_finish(struct clew_session *session, struct clew_result *result);

#endif
