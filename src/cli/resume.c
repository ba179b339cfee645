/* `clew resume`: goes on with a search that a checkpoint has kept. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/keep.h"
#include "cli/message.h"

/* Names of files in the command line are those of the directory where it was given. */
static enum clew_exit go_there(const struct clew_manifest *manifest) {
  if (manifest->directory[0] == '\0' || chdir(manifest->directory) == 0) {
    return CLEW_EXIT_OK;
  }
  clew_message("%s, where the search was begun: %s", manifest->directory, strerror(errno));
  return CLEW_EXIT_BAD_MODEL;
}

static enum clew_exit run_again(struct clew_checkpoint *checkpoint,
                                const struct clew_options *options) {
  int argc = 0;
  char **argv = clew_keep_command(&checkpoint->manifest, options, &argc);
  struct clew_options whole;
  struct clew_text error = {0};
  enum clew_exit exit = go_there(&checkpoint->manifest);
  bool understood = clew_options_parse(&whole, argc, argv, &error);
  if (exit != CLEW_EXIT_OK) {
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
  } else if (!understood) {
    exit = clew_message_usage(CLEW_COMMAND_resume, "%s", clew_text_str(&error));
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
  } else if (checkpoint->manifest.answer.name != NULL) {
    exit = clew_keep_answer(checkpoint, &whole);
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
  } else {
    exit = clew_check_from(&whole, checkpoint);
  }
  clew_options_free(&whole);
  clew_text_free(&error);
  for (int i = 0; i < argc; i++) {
    clew_free(argv[i]);
  }
  clew_free(argv);
  return exit;
}

enum clew_exit clew_command_resume(const struct clew_options *options) {
  assert(options->operands.len == 1);
  const char *directory = options->operands.data[0];
  struct clew_diag_sink diags = {0};
  struct clew_checkpoint *checkpoint = clew_alloc_zero(1, sizeof *checkpoint);
  char *absolute = realpath(directory, NULL);
  enum clew_status status =
      clew_checkpoint_open(checkpoint, absolute != NULL ? absolute : directory, &diags);
  free(absolute);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  if (status != CLEW_OK) {
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
    return CLEW_EXIT_BAD_MODEL;
  }
  return run_again(checkpoint, options);
}
