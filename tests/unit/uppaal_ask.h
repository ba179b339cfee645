/* Asking small models of UPPAAL questions whose answers are known: each is asked of zones and,
 * where it is said, of integer time. */
#ifndef CLEW_TESTS_UPPAAL_ASK_H
#define CLEW_TESTS_UPPAAL_ASK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/options.h"
#include "cli/session.h"

enum answer { FALSE, TRUE, FAULT };

struct sample {
  const char *model;
  const char *query; /* NULL: none; run-time errors are looked for in any case */
  enum answer answer;
  bool digital; /* ask integer time, too, unless it refuses or leaves it open */
};

static enum clew_exit ask(const char *path, const char *query, const char *time,
                          enum clew_verdict *verdict) {
  char *words[16];
  int count = 0;
  words[count++] = (char *)(uintptr_t) "clew";
  words[count++] = (char *)(uintptr_t) "check";
  words[count++] = (char *)(uintptr_t)path;
  words[count++] = (char *)(uintptr_t) "--time";
  words[count++] = (char *)(uintptr_t)time;
  words[count++] = (char *)(uintptr_t) "--exec";
  words[count++] = (char *)(uintptr_t) "interp";
  words[count++] = (char *)(uintptr_t) "--quiet";
  if (query != NULL) {
    words[count++] = (char *)(uintptr_t) "--query";
    words[count++] = (char *)(uintptr_t)query;
  }
  words[count] = NULL;
  struct clew_options options;
  struct clew_text error = {0};
  struct clew_session session;
  assert_true(clew_options_parse(&options, count, words, &error));
  enum clew_exit exit_code = clew_session_open(&session, &options, NULL);
  if (exit_code == CLEW_EXIT_OK) {
    clew_session_explore(&session);
    exit_code = session.result.exit_code;
    *verdict = session.result.verdict;
  }
  clew_session_close(&session);
  clew_text_free(&error);
  clew_options_free(&options);
  return exit_code;
}

static bool is_right(enum answer answer, enum clew_exit exit_code, enum clew_verdict verdict) {
  switch (answer) {
  case FAULT:
    return exit_code == CLEW_EXIT_ASSERTION;
  case TRUE:
    return exit_code == CLEW_EXIT_OK;
  case FALSE:
    return verdict == CLEW_VERDICT_VIOLATED && exit_code != CLEW_EXIT_ASSERTION;
  }
  return false;
}

static void check(const struct sample *sample, const char *path, const char *time,
                  bool may_refuse) {
  enum clew_verdict verdict = CLEW_VERDICT_INCOMPLETE;
  enum clew_exit exit_code = ask(path, sample->query, time, &verdict);
  bool refused = exit_code == CLEW_EXIT_BAD_MODEL || exit_code == CLEW_EXIT_INCOMPLETE;
  if (!(may_refuse && refused) && !is_right(sample->answer, exit_code, verdict)) {
    fail_msg("--time %s: exit %d\n%s\n%s", time, (int)exit_code, sample->model,
             sample->query != NULL ? sample->query : "");
  }
}

static void ask_samples(const struct sample *samples, size_t count) {
  struct clew_scratch scratch;
  struct clew_diag_sink diags = {0};
  struct clew_text path = {0};
  assert_int_equal(clew_scratch_open(&scratch, NULL, &diags), CLEW_OK);
  for (size_t i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "model-%zu.xta", i);
    int file = clew_scratch_file(&scratch, name);
    assert_true(file >= 0 && clew_fd_write_at(file, samples[i].model, strlen(samples[i].model), 0));
    close(file);
    clew_text_clear(&path);
    clew_text_printf(&path, "%s/%s", scratch.path, name);
    check(&samples[i], clew_text_str(&path), "zones", false);
    if (samples[i].digital) {
      check(&samples[i], clew_text_str(&path), "digital", true);
    }
  }
  clew_text_free(&path);
  clew_scratch_close(&scratch);
  clew_diag_sink_free(&diags);
}

#endif
