/* From the command line to a model. */
#include "cli/load.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/choose.h"
#include "cli/message.h"
#include "cli/registry.h"
#include "cli/signals.h"
#include "report/report.h"
#include "report/sarif.h"
#include "trace/origin.h"

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
    const char *option = is_goal ? "--goal" : "--invariant";
    queries[i] =
        (struct clew_query){.kind = is_goal ? CLEW_QUERY_GOAL : CLEW_QUERY_INVARIANT,
                            .source = {.name = option, .text = text, .length = strlen(text)},
                            .option = option};
  }
  return queries;
}

/* ---- Formulas: queries in the syntax of the language ---- */

/* The texts of files are owned. */
struct formulas {
  CLEW_VEC(struct clew_formulas) list;
  CLEW_VEC(struct clew_text) texts;
};

static void add_formulas(struct formulas *formulas, const char *name, const char *text,
                         size_t length, const char *option) {
  struct clew_formulas entry = {.source = {.name = name, .text = text, .length = length},
                                .option = option};
  clew_vec_push(&formulas->list, entry);
}

static enum clew_status add_formula_file(struct formulas *formulas, const char *path,
                                         const char *option, struct clew_diag_sink *diags) {
  struct clew_text text = {0};
  enum clew_status status = clew_file_read(path, CLEW_SOURCE_LIMIT_BYTES, &text, diags);
  if (status == CLEW_OK) {
    clew_vec_push(&formulas->texts, text);
    add_formulas(formulas, path, clew_text_str(&text), text.len, option);
  } else {
    clew_text_free(&text);
  }
  return status;
}

/* The name of the file of formulas beside the model, if there is such a file; freed by the caller.
 */
static char *file_beside(const char *model, const char *suffix) {
  const char *dot = strrchr(model, '.'), *slash = strrchr(model, '/');
  size_t stem =
      dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - model) : strlen(model);
  struct clew_text path = {0};
  clew_text_printf(&path, "%.*s%s", (int)stem, model, suffix);
  char *name = clew_strndup(clew_text_str(&path), path.len);
  clew_text_free(&path);
  if (access(name, R_OK) != 0) {
    clew_free(name);
    name = NULL;
  }
  return name;
}

/* Whether the questions that come with a model are asked. An exploration without them is that of
 * the model alone: they may change how much zones forget. */
static bool asks_questions(const struct clew_options *options) {
  return options->command != CLEW_COMMAND_stats && options->command != CLEW_COMMAND_graph;
}

/* Those of the command line, else those of the file beside the model, whose name is *beside. */
static enum clew_exit collect_formulas(const struct clew_options *options,
                                       const struct clew_language *language,
                                       struct formulas *formulas, char **beside,
                                       struct clew_diag_sink *diags) {
  bool asked = options->queries.len > 0 || options->query_files.len > 0;
  if (asked && language->query_suffix == NULL) {
    return clew_message_usage(options->command,
                              "%s has no syntax for queries: say --goal or --invariant",
                              language->name);
  }
  enum clew_status status = CLEW_OK;
  for (uint32_t i = 0; i < options->queries.len; i++) {
    const char *text = options->queries.data[i];
    add_formulas(formulas, "--query", text, strlen(text), "--query");
  }
  for (uint32_t i = 0; i < options->query_files.len && status == CLEW_OK; i++) {
    status = add_formula_file(formulas, options->query_files.data[i], "--queries", diags);
  }
  *beside = !asked && asks_questions(options) && language->query_suffix != NULL
                ? file_beside(options->operands.data[0], language->query_suffix)
                : NULL;
  if (*beside != NULL) {
    status = add_formula_file(formulas, *beside, NULL, diags);
  }
  return status == CLEW_OK ? CLEW_EXIT_OK : CLEW_EXIT_BAD_MODEL;
}

static void free_formulas(struct formulas *formulas, char *beside) {
  for (uint32_t i = 0; i < formulas->texts.len; i++) {
    clew_text_free(&formulas->texts.data[i]);
  }
  clew_vec_free(&formulas->texts);
  clew_vec_free(&formulas->list);
  clew_free(beside);
}

static enum clew_time_mode time_mode(const struct clew_options *options) {
  switch (options->time) {
  case CLEW_CHOICE_TIME_ZONES:
    return CLEW_TIME_ZONES;
  case CLEW_CHOICE_TIME_DIGITAL:
    return CLEW_TIME_DIGITAL;
  case CLEW_CHOICE_TIME_NONE:
    return CLEW_TIME_NONE;
  default:
    return CLEW_TIME_AUTO;
  }
}

static enum clew_extrapolation extrapolation(const struct clew_options *options) {
  switch (options->extrapolation) {
  case CLEW_CHOICE_EXTRAPOLATION_LU:
    return CLEW_EXTRAPOLATE_LU;
  case CLEW_CHOICE_EXTRAPOLATION_M:
    return CLEW_EXTRAPOLATE_M;
  case CLEW_CHOICE_EXTRAPOLATION_NONE:
    return CLEW_EXTRAPOLATE_NONE;
  default: /* somebody who walks sees what clocks really can be, and need not come to an end */
    return options->command == CLEW_COMMAND_simulate ? CLEW_EXTRAPOLATE_NONE
                                                     : CLEW_EXTRAPOLATE_AUTO;
  }
}

static struct clew_zone_options zone_options(const struct clew_options *options, bool flat) {
  bool by_alu = options->subsumption == CLEW_CHOICE_SUBSUMPTION_ALU;
  assert(!by_alu || !flat);
  return (struct clew_zone_options){
      .extrapolation = extrapolation(options),
      .subsumption = flat     ? CLEW_SUBSUME_NONE
                     : by_alu ? CLEW_SUBSUME_ALU
                              : CLEW_SUBSUME_INCLUSION,
      .is_flat = flat,
      .is_minimal = options->zone == CLEW_CHOICE_ZONE_MINIMAL,
      .has_deadline = options->has_deadline,
      .deadline = options->deadline,
      .deadline_is_strict = options->deadline_is_strict,
  };
}

/* The text of the model: of its file, unless it was given. */
static enum clew_status read_source(const struct clew_options *options, struct clew_text *text,
                                    struct clew_diag_sink *diags) {
  if (options->source != NULL) {
    clew_text_put_n(text, options->source->text, options->source->length);
    return CLEW_OK;
  }
  return clew_file_read(options->operands.data[0], CLEW_SOURCE_LIMIT_BYTES, text, diags);
}

/* Loads the text; `request` says how it is to be executed. */
/* Where they are asked for without being named, and the engine knows them. */
static bool wants_figures(const struct clew_options *options) {
  const struct clew_engine_type *engine =
      options->search != NULL ? clew_registry_engine(options->search) : NULL;
  return options->command == CLEW_COMMAND_stats && clew_choose_everything(options) &&
         (engine == NULL || (engine->property_kinds >> CLEW_PROPERTY_MEASURE & 1) != 0);
}

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
  struct formulas formulas = {0};
  char *beside = NULL;
  exit = collect_formulas(options, language, &formulas, &beside, diags);
  request.ignores_queries = !asks_questions(options);
  request.selects_properties = !clew_choose_everything(options);
  request.wants_figures = wants_figures(options);
  request.asks_symmetry = request.symmetry != CLEW_SYMMETRY_OFF && options->symmetry != 0;
  request.selected = (const char *const *)options->properties.data;
  request.selected_count = options->properties.len;
  request.formulas = formulas.list.data;
  request.formulas_count = formulas.list.len;
  request.time = time_mode(options);
  if (exit == CLEW_EXIT_OK && language->load(&request, diags, model) != CLEW_OK) {
    assert(*model == NULL);
    exit = CLEW_EXIT_BAD_MODEL;
  } else if (exit == CLEW_EXIT_OK) {
    exit = check_used(options, overrides);
  }
  free_formulas(&formulas, beside);
  clew_free(queries);
  free_params(overrides, options->params.len);
  return exit;
}

/* There will be no report: what is wrong with the model goes there. */
static void write_sarif(const char *file, const struct clew_diag_sink *diags) {
  struct clew_text text = {0};
  struct clew_diag_sink failures = {0};
  clew_sarif_diagnostics(diags, &text);
  (void)clew_file_write(file, clew_text_str(&text), text.len, &failures);
  clew_message_diagnostics(&failures);
  clew_diag_sink_free(&failures);
  clew_text_free(&text);
}

enum clew_exit clew_load_model(const struct clew_options *options, enum clew_exec_mode mode,
                               enum clew_symmetry_mode symmetry, bool flat,
                               const atomic_bool **interrupted, struct clew_model **model) {
  return clew_load_model_hashed(options, mode, symmetry, flat, interrupted, NULL, NULL, model);
}

enum clew_exit clew_load_model_hashed(const struct clew_options *options, enum clew_exec_mode mode,
                                      enum clew_symmetry_mode symmetry, bool flat,
                                      const atomic_bool **interrupted, struct clew_arena *arena,
                                      const char **hash, struct clew_model **model) {
  assert(options->operands.len >= 1);
  *model = NULL;
  enum clew_exit exit = check_params(options);
  if (exit != CLEW_EXIT_OK) {
    return exit;
  }
  struct clew_diag_sink diags = {0};
  struct clew_text text = {0};
  if (read_source(options, &text, &diags) != CLEW_OK) {
    exit = CLEW_EXIT_BAD_MODEL;
  } else {
    if (hash != NULL) {
      *hash = clew_origin_hash(arena, clew_text_str(&text), text.len);
    }
    if (interrupted != NULL) {
      *interrupted = clew_signals_catch();
    }
    struct clew_load_request request = {.exec = mode,
                                        .symmetry = symmetry,
                                        .zones = zone_options(options, flat),
                                        .strict_undefined = options->strict_undefined,
                                        .stop = clew_signals_stop()};
    exit = load_source(options, &text, request, &diags, model);
  }
  clew_text_free(&text);
  clew_message_diagnostics(&diags);
  if (exit == CLEW_EXIT_BAD_MODEL && options->sarif != NULL) {
    write_sarif(options->sarif, &diags);
  }
  clew_diag_sink_free(&diags);
  if (exit != CLEW_EXIT_OK && *model != NULL) {
    (*model)->close(*model);
    *model = NULL;
  }
  return exit;
}

struct clew_model *clew_load_question(const struct clew_options *options, const char *expression,
                                      enum clew_symmetry_mode symmetry, bool flat,
                                      struct clew_diag_sink *diags) {
  struct clew_options whole = *options;
  struct clew_model *model = NULL;
  struct clew_text text = {0};
  memset(&whole.goals, 0, sizeof whole.goals);
  for (uint32_t i = 0; i < options->goals.len; i++) {
    clew_vec_push(&whole.goals, options->goals.data[i]);
  }
  clew_vec_push(&whole.goals, expression);
  if (read_source(options, &text, diags) == CLEW_OK) {
    struct clew_load_request request = {.exec = CLEW_MODE_INTERP,
                                        .symmetry = symmetry,
                                        .zones = zone_options(&whole, flat),
                                        .strict_undefined = options->strict_undefined,
                                        .stop = clew_signals_stop()};
    (void)load_source(&whole, &text, request, diags, &model);
  }
  clew_text_free(&text);
  clew_vec_free(&whole.goals);
  return model;
}
