/* The program as a function: parse, execute, and make sure that the output arrived. */
#include "cli/cli.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/bigmem.h"
#include "base/crew.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/signals.h"
#include "cli/streams.h"

/* A report that could not be written was not given. */
static enum clew_exit check_output(enum clew_exit exit) {
  bool flushed = fflush(stdout) == 0;
  if (flushed && ferror(stdout) == 0) {
    return exit;
  }
  clew_message("standard output: cannot write all of it");
  return CLEW_EXIT_INTERNAL;
}

static enum clew_exit execute(const struct clew_options *options) {
  bool leaves = false;
  enum clew_exit exit = clew_ranks_open(options, &leaves);
  if (exit != CLEW_EXIT_OK || leaves) {
    return exit;
  }
  if (options->help) {
    exit = clew_help_command(options->command);
  } else {
    assert(options->command < CLEW_COMMAND_COUNT);
    exit = clew_commands[options->command].execute(options);
  }
  return clew_ranks_close(exit);
}

static enum clew_exit run(int argc, char **argv) {
  struct clew_options options;
  struct clew_text error = {0};
  enum clew_exit exit;
  if (!clew_options_parse(&options, argc, argv, &error)) {
    exit = clew_ranks_follows() ? CLEW_EXIT_OK
                                : clew_message_usage(options.command, "%s", clew_text_str(&error));
  } else {
    exit = execute(&options);
  }
  clew_text_free(&error);
  clew_options_free(&options);
  return check_output(exit);
}

struct program {
  int argc;
  char **argv;
  enum clew_exit exit;
};

static void *run_program(void *argument) {
  struct program *program = argument;
  program->exit = run(program->argc, program->argv);
  return NULL;
}

/* Models are evaluated on the stack of whoever searches, so the program gets one of known size. */
static bool run_in_thread(struct program *program) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  bool ok = pthread_attr_setstacksize(&attributes, CLEW_CREW_STACK_BYTES) == 0 &&
            pthread_create(&thread, &attributes, run_program, program) == 0;
  pthread_attr_destroy(&attributes);
  return ok && pthread_join(thread, NULL) == 0;
}

int clew_main(int argc, char **argv) {
  struct program program = {.argc = argc, .argv = argv};
  if (!clew_streams_open()) {
    return CLEW_EXIT_INTERNAL; /* and there is nowhere to say why */
  }
  clew_signals_ignore();
  clew_bigmem_spare_addresses();
  if (!run_in_thread(&program)) {
    clew_message("the system gives no memory for the stack of a thread");
    return CLEW_EXIT_INTERNAL;
  }
  return (int)program.exit;
}
