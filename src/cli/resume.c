/* `clew resume`: goes on with a search that a checkpoint has kept. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/keep.h"
#include "cli/message.h"
#include "cli/ranks.h"

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
  whole.recheck = options->recheck;
  if (exit != CLEW_EXIT_OK) {
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
  } else if (!understood) {
    exit = clew_message_usage(CLEW_COMMAND_resume, "%s", clew_text_str(&error));
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
  } else if (checkpoint->manifest.answer.name != NULL && !options->recheck) {
    exit = clew_ranks_speaks() ? clew_keep_answer(checkpoint, &whole) : CLEW_EXIT_OK;
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

/* What is asked is part of the search, unless it is asked anew. */
static const char *misplaced(const struct clew_options *options) {
  const struct {
    bool given;
    const char *name;
  } asked[] = {
      {options->goals.len > 0, "--goal"},          {options->invariants.len > 0, "--invariant"},
      {options->queries.len > 0, "--query"},       {options->query_files.len > 0, "--queries"},
      {options->properties.len > 0, "--property"}, {options->no_deadlock, "--no-deadlock"},
  };
  for (size_t i = 0; i < sizeof asked / sizeof *asked && !options->recheck; i++) {
    if (asked[i].given) {
      return asked[i].name;
    }
  }
  return NULL;
}

/* The first rank has the directory, and mends it if need be; the others look at it then. */
static enum clew_status open_checkpoint(struct clew_checkpoint *checkpoint, const char *path,
                                        bool recheck, struct clew_diag_sink *diags) {
  struct clew_team *team = clew_ranks_team();
  enum clew_status status = CLEW_OK;
  if (clew_ranks_speaks()) {
    status = recheck ? clew_checkpoint_look(checkpoint, path, diags)
                     : clew_checkpoint_open(checkpoint, path, diags);
  }
  bool is_open = team == NULL || clew_team_all(team, status == CLEW_OK);
  if (!clew_ranks_speaks()) {
    status = is_open ? clew_checkpoint_look(checkpoint, path, diags) : CLEW_BAD_INPUT;
  }
  return status;
}

/* A checkpoint of several ranks is for ranks, if only for one, and that of one process is not. */
static enum clew_exit check_ranks(const struct clew_checkpoint *checkpoint, bool recheck) {
  bool is_of_ranks = checkpoint->manifest.ranks.len > 0;
  if (clew_ranks_team() != NULL && !is_of_ranks && checkpoint->manifest.answer.name == NULL) {
    return clew_message_usage(CLEW_COMMAND_resume,
                              "the search was one of one process: resume it without mpirun");
  }
  if (is_of_ranks && recheck) {
    return clew_message_usage(CLEW_COMMAND_resume,
                              "--recheck is not for a search over several processes");
  }
  if (is_of_ranks) {
    (void)clew_ranks_alone();
  }
  return CLEW_EXIT_OK;
}

enum clew_exit clew_command_resume(const struct clew_options *options) {
  assert(options->operands.len == 1);
  const char *name = misplaced(options);
  if (name != NULL) {
    return clew_message_usage(CLEW_COMMAND_resume,
                              "%s asks something else than the search did: that needs --recheck",
                              name);
  }
  const char *directory = options->operands.data[0];
  struct clew_diag_sink diags = {0};
  struct clew_checkpoint *checkpoint = clew_alloc_zero(1, sizeof *checkpoint);
  char *absolute = realpath(directory, NULL);
  const char *path = absolute != NULL ? absolute : directory;
  enum clew_status status = open_checkpoint(checkpoint, path, options->recheck, &diags);
  free(absolute);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  enum clew_exit exit = status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_BAD_MODEL;
  exit = clew_ranks_agree(exit);
  exit = exit == CLEW_EXIT_OK ? check_ranks(checkpoint, options->recheck) : exit;
  if (exit != CLEW_EXIT_OK) {
    clew_checkpoint_close(checkpoint);
    clew_free(checkpoint);
    return exit;
  }
  return run_again(checkpoint, options);
}
