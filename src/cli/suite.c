/* `clew suite`: many checks in one command.
 *
 * A directory is searched for models, each of which may say in its head what is expected of it, a
 * line for each check:
 *
 *   -- clew: verdict=holds exit=0 states=20 options="--param N=3"
 *
 * A file says the same as TOML: a table [[check]] for each, with `model`, and the same keys.
 *
 * Each check is a process of its own, so that none can harm another. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/suite.h"
#include "report/report.h"
#include "report/suite.h"

/* ---- running ---- */

static char *const *command_of(struct clew_arena *arena, const char *program,
                               const struct clew_check *check, const char *json) {
  uint32_t count = check->option_count;
  char **argv = CLEW_NEW_ARRAY(arena, char *, count + 8);
  uint32_t n = 0;
  argv[n++] = clew_arena_strndup(arena, program, strlen(program));
  argv[n++] = clew_arena_printf(arena, "%s", check->command);
  argv[n++] = clew_arena_printf(arena, "%s", check->model);
  for (uint32_t i = 0; i < count; i++) {
    argv[n++] = clew_arena_printf(arena, "%s", check->options[i]);
  }
  argv[n++] = clew_arena_printf(arena, "--json");
  argv[n++] = clew_arena_printf(arena, "%s", json);
  argv[n] = NULL;
  return argv;
}

/* Runs the command with its output going to a file; the exit code, or -1. */
static int run_process(char *const *argv, const char *log) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) {
      _exit(CLEW_EXIT_INTERNAL);
    }
    execv("/proc/self/exe", argv);
    _exit(CLEW_EXIT_INTERNAL);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The text of a value of the result. */
static const char *value_of(struct clew_arena *arena, const struct clew_json *root,
                            const char *key) {
  const struct clew_json *value =
      root != NULL && root->kind == CLEW_JSON_OBJECT ? clew_json_get(root, key) : NULL;
  if (value == NULL) {
    return NULL;
  }
  switch (value->kind) {
  case CLEW_JSON_STRING:
    return value->string;
  case CLEW_JSON_BOOL:
    return value->boolean ? "true" : "false";
  case CLEW_JSON_NUMBER:
    return value->is_integer ? clew_arena_printf(arena, "%lld", (long long)value->integer)
                             : clew_arena_printf(arena, "%g", value->number);
  default:
    return NULL;
  }
}

static const struct clew_json *read_result(struct clew_arena *arena, const char *file) {
  struct clew_text text = {0};
  struct clew_diag_sink ignored = {0};
  const struct clew_json *root = NULL;
  size_t offset;
  const char *error;
  if (clew_file_read(file, CLEW_SOURCE_LIMIT_BYTES, &text, &ignored) == CLEW_OK) {
    char *copy = clew_arena_strndup(arena, clew_text_str(&text), text.len);
    root = clew_json_parse(arena, copy, text.len, &offset, &error);
  }
  clew_diag_sink_free(&ignored);
  clew_text_free(&text);
  return root;
}

/* Compares what came with what is expected; every difference is said. */
static void judge(struct clew_arena *arena, const struct clew_check *check, int exit,
                  const struct clew_json *root, struct clew_check_result *out) {
  const char *verdict = value_of(arena, root, "verdict");
  const char *states = value_of(arena, root, "states");
  out->verdict = verdict != NULL               ? verdict
                 : exit == CLEW_EXIT_BAD_MODEL ? "bad model"
                                               : "no result";
  out->states = states;
  struct clew_text why = {0};
  for (uint32_t i = 0; i < check->expectation_count; i++) {
    const struct clew_expectation *each = &check->expectations[i];
    bool is_exit = strcmp(each->key, "exit") == 0;
    const char *got =
        is_exit ? clew_arena_printf(arena, "%d", exit) : value_of(arena, root, each->key);
    if (got == NULL || strcmp(got, each->value) != 0) {
      clew_text_printf(&why, "%s%s is %s, expected %s", why.len > 0 ? "; " : "", each->key,
                       got != NULL ? got : "absent", each->value);
    }
  }
  if (check->expectation_count == 0 && exit != CLEW_EXIT_OK) {
    clew_text_printf(&why, "exit is %d, expected 0", exit);
  }
  out->why = why.len > 0 ? clew_arena_strndup(arena, clew_text_str(&why), why.len) : NULL;
  clew_text_free(&why);
}

static void run_check(struct clew_arena *arena, const char *program, const char *directory,
                      const struct clew_check *check, struct clew_check_result *out) {
  const char *json = clew_arena_printf(arena, "%s/result.json", directory);
  const char *log = clew_arena_printf(arena, "%s/output", directory);
  unlink(json);
  double began_s = clew_clock_wall_s();
  int exit = run_process(command_of(arena, program, check, json), log);
  out->elapsed_s = clew_clock_wall_s() - began_s;
  judge(arena, check, exit, read_result(arena, json), out);
  struct clew_text text = {0};
  struct clew_diag_sink ignored = {0};
  if (clew_file_read(log, CLEW_SOURCE_LIMIT_BYTES, &text, &ignored) == CLEW_OK) {
    out->output = clew_arena_strndup(arena, clew_text_str(&text), text.len);
  }
  clew_diag_sink_free(&ignored);
  clew_text_free(&text);
  unlink(json);
  unlink(log);
}

/* ---- the command ---- */

static bool write_junit(const char *file, const struct clew_suite *suite,
                        const struct clew_check_result *results, double elapsed_s) {
  struct clew_text text = {0};
  struct clew_diag_sink diags = {0};
  clew_suite_junit(suite, results, elapsed_s, &text);
  bool written = clew_file_write(file, clew_text_str(&text), text.len, &diags) == CLEW_OK;
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  clew_text_free(&text);
  return written;
}

static enum clew_exit run_all(const struct clew_options *options, const struct clew_suite *suite,
                              const char *directory) {
  struct clew_arena *arena = clew_arena_open();
  struct clew_check_result *results =
      CLEW_NEW_ARRAY(arena, struct clew_check_result, suite->check_count + 1);
  double began_s = clew_clock_wall_s();
  uint32_t failed = 0;
  for (uint32_t i = 0; i < suite->check_count; i++) {
    struct clew_text line = {0};
    run_check(arena, options->argv[0], directory, &suite->checks[i], &results[i]);
    failed += results[i].why != NULL;
    clew_suite_line(&suite->checks[i], &results[i], &line);
    fwrite(clew_text_str(&line), 1, line.len, stdout);
    fflush(stdout);
    clew_text_free(&line);
  }
  printf("%u passed, %u failed\n", suite->check_count - failed, failed);
  enum clew_exit exit = failed > 0 ? CLEW_EXIT_SUITE : CLEW_EXIT_OK;
  if (options->junit != NULL &&
      !write_junit(options->junit, suite, results, clew_clock_wall_s() - began_s)) {
    exit = CLEW_EXIT_INTERNAL;
  }
  clew_arena_close(arena);
  return exit;
}

enum clew_exit clew_command_suite(const struct clew_options *options) {
  struct clew_arena *arena = clew_arena_open();
  struct clew_diag_sink diags = {0};
  struct clew_suite suite = {0};
  enum clew_exit exit = CLEW_EXIT_BAD_MODEL;
  const char *scratch = getenv("TMPDIR");
  char *directory = clew_arena_printf(arena, "%s/clew-suite-XXXXXX",
                                      scratch != NULL && scratch[0] != '\0' ? scratch : "/tmp");
  if (clew_suite_read(arena, options->operands.data[0], &suite, &diags) != CLEW_OK) {
    clew_report_diagnostics(stderr, &diags);
  } else if (suite.check_count == 0) {
    clew_message("%s: there is nothing to check", options->operands.data[0]);
  } else if (mkdtemp(directory) == NULL) {
    clew_message("%s: %s", directory, strerror(errno));
    exit = CLEW_EXIT_INTERNAL;
  } else {
    exit = run_all(options, &suite, directory);
    rmdir(directory);
  }
  clew_diag_sink_free(&diags);
  clew_arena_close(arena);
  return exit;
}
