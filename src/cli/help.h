/* Help, from the tables that parse the command line. */
#ifndef CLEW_CLI_HELP_H
#define CLEW_CLI_HELP_H

#include "base/status.h"
#include "base/text.h"
#include "cli/options.h"

/* What an exit code means, for the help and the manual page. */
struct clew_exit_help {
  enum clew_exit code;
  const char *meaning;
};
extern const struct clew_exit_help clew_exit_table[];
extern const size_t clew_exit_count;

enum clew_exit clew_help_command(enum clew_command_id command);
/* The manual page in roff. */
void clew_help_man(struct clew_text *out);

#endif
