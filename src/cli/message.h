/* One-line messages to the user, on standard error and beginning with "clew: "; or to the voice of
 * the calling thread (cli/voice.h). */
#ifndef CLEW_CLI_MESSAGE_H
#define CLEW_CLI_MESSAGE_H

#include "base/diag.h"
#include "base/status.h"
#include "cli/options.h"

void clew_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A mistake on the command line: the message and where to read more. Returns CLEW_EXIT_USAGE.
 * CLEW_COMMAND_COUNT: of no command in particular. */
enum clew_exit clew_message_usage(enum clew_command_id command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for diagnostics. */
void clew_message_diagnostics(const struct clew_diag_sink *diags);

#endif
