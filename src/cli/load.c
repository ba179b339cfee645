/* From the command line to a model. */
#include "cli/load.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "report/report.h"

/* A model is written by people or by generators for people; what is larger is a mistake. */
static const size_t SOURCE_LIMIT_BYTES = (size_t)64 << 20;

/* Splits every NAME=VALUE; NULL and a message when one is malformed. */
static struct clew_override *split_params(const struct clew_options *options) {
  uint32_t count = options->params.len;
  struct clew_override *overrides = clew_alloc_zero((size_t)count + 1, sizeof *overrides);
  for (uint32_t i = 0; i < count; i++) {
    const char *text = options->params.data[i], *equals = strchr(text, '=');
    overrides[i].name = clew_strndup(text, equals != NULL ? (size_t)(equals - text) : 0);
    overrides[i].value = equals != NULL ? equals + 1 : "";
  }
  return overrides;
}

static void free_params(struct clew_override *overrides, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    clew_free((void *)overrides[i].name);
  }
  clew_free(overrides);
}

static enum clew_exit check_params(const struct clew_options *options) {
  for (uint32_t i = 0; i < options->params.len; i++) {
    const char *text = options->params.data[i], *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
      return clew_message_usage(options->command, "--param needs NAME=VALUE, not '%s'", text);
    }
  }
  return CLEW_EXIT_OK;
}

static enum clew_exit choose_language(const struct clew_options *options,
                                      const struct clew_language **language) {
  const char *path = options->operands.data[0];
  *language = options->lang != NULL ? clew_registry_language(options->lang)
                                    : clew_registry_language_of(path);
  if (*language != NULL) {
    return CLEW_EXIT_OK;
  }
  struct clew_text known = {0};
  clew_registry_list_languages(&known);
  enum clew_exit exit =
      options->lang != NULL
          ? clew_message_usage(options->command, "there is no language '%s' (known: %s)",
                               options->lang, clew_text_str(&known))
          : clew_message_usage(options->command,
                               "the suffix of %s names no language (known: %s); say --lang NAME",
                               path, clew_text_str(&known));
  clew_text_free(&known);
  return exit;
}

/* Complains about the first override that the model had no use for. */
static enum clew_exit check_used(const struct clew_options *options,
                                 const struct clew_override *overrides) {
  assert(overrides != NULL);
  for (uint32_t i = 0; i < options->params.len; i++) {
    if (!overrides[i].used) {
      return clew_message_usage(options->command, "--param %s: the model has no constant '%s'",
                                options->params.data[i], overrides[i].name);
    }
  }
  return CLEW_EXIT_OK;
}

/* The questions of the command line, goals first; freed by the caller. */
static struct clew_query *collect_queries(const struct clew_options *options, uint32_t *count) {
  uint32_t goals = options->goals.len;
  *count = goals + options->invariants.len;
  struct clew_query *queries = clew_alloc_zero((size_t)*count + 1, sizeof *queries);
  for (uint32_t i = 0; i < *count; i++) {
    bool is_goal = i < goals;
    const char *text = is_goal ? options->goals.data[i] : options->invariants.data[i - goals];
    queries[i] = (struct clew_query){.kind = is_goal ? CLEW_QUERY_GOAL : CLEW_QUERY_INVARIANT,
                                     .source = {.name = is_goal ? "--goal" : "--invariant",
                                                .text = text,
                                                .length = strlen(text)}};
  }
  return queries;
}

/* Loads the text; `request` says how it is to be executed. */
static enum clew_exit load_source(const struct clew_options *options, const struct clew_text *text,
                                  struct clew_load_request request, struct clew_diag_sink *diags,
                                  struct clew_model **model) {
  const struct clew_language *language;
  enum clew_exit exit = choose_language(options, &language);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_source source = {
      .name = options->operands.data[0], .text = clew_text_str(text), .length = text->len};
  struct clew_override *overrides = split_params(options);
  uint32_t query_count;
  struct clew_query *queries = collect_queries(options, &query_count);
  request.source = &source;
  request.overrides = overrides;
  request.override_count = options->params.len;
  request.queries = queries;
  request.query_count = query_count;
  if (language->load(&request, diags, model) != CLEW_OK) {
    assert(*model == NULL);
    exit = CLEW_EXIT_BAD_MODEL;
  } else {
    exit = check_used(options, overrides);
  }
  clew_free(queries);
  free_params(overrides, options->params.len);
  return exit;
}

enum clew_exit clew_load_model(const struct clew_options *options, enum clew_exec_mode mode,
                               enum clew_symmetry_mode symmetry, const atomic_bool **interrupted,
                               struct clew_model **model) {
  assert(options->operands.len >= 1);
  *model = NULL;
  enum clew_exit exit = check_params(options);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  if (clew_file_read(options->operands.data[0], SOURCE_LIMIT_BYTES, &text, &diags) != CLEW_OK) {
    exit = CLEW_EXIT_BAD_MODEL;
  } else {
    if (interrupted != NULL) {
      *interrupted = clew_signals_catch();
    }
    struct clew_load_request request = {
        .exec = mode, .symmetry = symmetry, .stop = clew_signals_stop()};
    exit = load_source(options, &text, request, &diags, model);
  }
  clew_text_free(&text);
  clew_report_diagnostics(stderr, &diags);
  clew_diag_sink_free(&diags);
  if (exit != CLEW_EXIT_OK && *model != NULL) {
    (*model)->close(*model);
    *model = NULL;
  }
  return exit;
}
