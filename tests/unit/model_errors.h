/* What is wrong with a model, in which words and at which place: running tables of samples. */
#ifndef CLEW_TESTS_MODEL_ERRORS_H
#define CLEW_TESTS_MODEL_ERRORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lang/front.h"

struct model_sample {
  const char *text;
  const char *messages; /* one line each, "" for none: "line:column: message" */
};

struct model_result {
  enum clew_status status;
  uint32_t error_count;
  struct clew_text messages;
  struct clew_text asymmetric; /* why scalarsets are not reduced, each reason once */
};

static inline void model_result_free(struct model_result *result) {
  clew_text_free(&result->messages);
  clew_text_free(&result->asymmetric);
}

/* Messages about something else than the model start with its name: "--goal:1:3: …". */
static inline void model_put_message(struct clew_text *out, const struct clew_diag *diag,
                                     const char *model) {
  if (out->len > 0) {
    clew_text_char(out, '\n');
  }
  if (diag->file != NULL && strcmp(diag->file, model) != 0) {
    clew_text_printf(out, "%s:", diag->file);
  }
  if (diag->position.line > 0) {
    clew_text_printf(out, "%u:%u: ", diag->position.line, diag->position.column);
  }
  clew_text_printf(out, "%s%s", diag->severity == CLEW_WARNING ? "warning: " : "", diag->message);
  assert_true(diag->caret_length >= 1);
}

static inline void model_put_asymmetric(struct clew_text *out, const struct clew_program *program) {
  for (uint32_t i = 0; i < program->scalarsets.len; i++) {
    const char *why = program->scalarsets.data[i].asymmetric;
    if (why != NULL && strstr(clew_text_str(out), why) == NULL) {
      clew_text_printf(out, "%s%s", out->len > 0 ? "\n" : "", why);
    }
  }
}

/* Loads what is requested; whatever it is, it is accepted or refused with a reason. */
static inline struct model_result model_try(clew_front_translate *translate,
                                            const struct clew_load_request *request) {
  struct clew_diag_sink diags = {0};
  struct clew_program *program = NULL;
  struct model_result result = {0};
  result.status = translate(request, &diags, &program);
  assert_int_equal(program != NULL, result.status == CLEW_OK);
  for (uint32_t i = 0; i < diags.len; i++) {
    model_put_message(&result.messages, &diags.data[i], request->source->name);
  }
  result.error_count = diags.error_count;
  assert_int_equal(result.status == CLEW_OK, result.error_count == 0);
  if (program != NULL) {
    model_put_asymmetric(&result.asymmetric, program);
  }
  clew_program_close(program);
  clew_diag_sink_free(&diags);
  return result;
}

static inline struct model_result model_try_text(clew_front_translate *translate, const char *text,
                                                 size_t length) {
  struct clew_source source = {"sample", text, length};
  return model_try(translate, &(struct clew_load_request){.source = &source});
}

static inline void model_expect(clew_front_translate *translate, const char *text,
                                const char *messages) {
  struct model_result result = model_try_text(translate, text, strlen(text));
  assert_string_equal(clew_text_str(&result.messages), messages);
  model_result_free(&result);
}

/* Every sample between the two texts. */
static inline void model_run_table(clew_front_translate *translate,
                                   const struct model_sample *samples, size_t count,
                                   const char *before, const char *after) {
  for (size_t i = 0; i < count; i++) {
    struct clew_text text = {0};
    clew_text_printf(&text, "%s%s%s", before, samples[i].text, after);
    model_expect(translate, clew_text_str(&text), samples[i].messages);
    clew_text_free(&text);
  }
}

#define MODEL_RUN_TABLE(translate, table, before, after)                                           \
  model_run_table(translate, table, sizeof(table) / sizeof(table)[0], before, after)

static inline struct model_result model_try_goal(clew_front_translate *translate, const char *model,
                                                 const char *goal) {
  struct clew_source source = {"sample", model, strlen(model)};
  struct clew_query query = {.kind = CLEW_QUERY_GOAL, .source = {"--goal", goal, strlen(goal)}};
  return model_try(translate, &(struct clew_load_request){
                                  .source = &source, .queries = &query, .query_count = 1});
}

/* Every sample as a goal asked of one model. */
static inline void model_run_goals(clew_front_translate *translate, const char *model,
                                   const struct model_sample *samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct model_result result = model_try_goal(translate, model, samples[i].text);
    assert_string_equal(clew_text_str(&result.messages), samples[i].messages);
    model_result_free(&result);
  }
}

/* `--param NAME=VALUE` for one model. */
struct model_override_sample {
  const char *name, *value, *messages;
  bool used;
};

static inline void model_run_overrides(clew_front_translate *translate, const char *model,
                                       const struct model_override_sample *samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct clew_source source = {"sample", model, strlen(model)};
    struct clew_override override = {samples[i].name, samples[i].value, false};
    struct model_result result =
        model_try(translate, &(struct clew_load_request){
                                 .source = &source, .overrides = &override, .override_count = 1});
    assert_string_equal(clew_text_str(&result.messages), samples[i].messages);
    assert_int_equal(override.used, samples[i].used);
    model_result_free(&result);
  }
}

/* Every prefix of a model, and the model with any one byte replaced, is loaded or refused. */
static inline void model_run_damage(clew_front_translate *translate, const char *model,
                                    const char *damage, size_t damage_count) {
  size_t length = strlen(model);
  char *text = malloc(length + 1);
  assert_non_null(text);
  for (size_t cut = 0; cut <= length; cut++) {
    memcpy(text, model, cut);
    text[cut] = '\0';
    struct model_result result = model_try_text(translate, text, cut);
    model_result_free(&result);
  }
  for (size_t i = 0; i < length; i++) {
    for (size_t k = 0; k < damage_count; k++) {
      memcpy(text, model, length + 1);
      text[i] = damage[k];
      struct model_result result = model_try_text(translate, text, length);
      model_result_free(&result);
    }
  }
  free(text);
}

#endif
