/* Where a saved trace comes from: the options that decide what its model is, and the way back from
 * the trace to a command line that loads the same model. */
#ifndef CLEW_CLI_ORIGIN_H
#define CLEW_CLI_ORIGIN_H

#include "base/arena.h"
#include "cli/options.h"
#include "trace/origin.h"

/* The words of the command line that decide what the model is ("--param", "N=2", …), in the arena.
 */
void clew_origin_collect(struct clew_arena *arena, const struct clew_options *options,
                         struct clew_trace_origin *origin);

/* The command line that replays the trace in `file`: that of `options`, and what it leaves to the
 * trace. A model that the trace names is looked for where it was, as seen from here, then where the
 * trace was saved, then beside the trace. In the arena; NULL, and a message, when the model is not
 * to be found. */
char **clew_origin_command(struct clew_arena *arena, const struct clew_options *options,
                           const struct clew_trace_origin *origin, const char *file, int *argc);

#endif
