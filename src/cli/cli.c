/* The program as a function: parse, execute, and make sure that the output arrived. */
#include "cli/cli.h"

#include <assert.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/signals.h"

static bool reader_is_gone(void) {
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/* A report that could not be written was not given. A reader that closed the pipe has seen what it
 * wanted, though, and the verdict stands. */
static enum clew_exit check_output(enum clew_exit exit) {
  bool flushed = fflush(stdout) == 0;
  if ((flushed && ferror(stdout) == 0) || reader_is_gone()) {
    return exit;
  }
  clew_message("standard output: cannot write all of it");
  return CLEW_EXIT_INTERNAL;
}

int clew_main(int argc, char **argv) {
  struct clew_options options;
  struct clew_text error = {0};
  enum clew_exit exit;
  clew_signals_ignore();
  if (!clew_options_parse(&options, argc, argv, &error)) {
    exit = clew_message_usage(options.command, "%s", clew_text_str(&error));
  } else if (options.help) {
    exit = clew_help_command(options.command);
  } else {
    assert(options.command < CLEW_COMMAND_COUNT);
    exit = clew_commands[options.command].execute(&options);
  }
  clew_text_free(&error);
  clew_options_free(&options);
  return (int)check_output(exit);
}
